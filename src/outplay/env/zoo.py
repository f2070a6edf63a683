"""A game as environments of PettingZoo: in turns (`aec_env`), and with all agents at once (`parallel_env`).

Agents are called player_0, player_1, … Observations are dicts of "observation" and "action_mask"; the mask of an agent
that is not to move holds zeros. Rewards are what players get when the game is over, and 0 before.
"""

from typing import Any

import numpy as np

from outplay.env.play import GameInProgress, game_of
from outplay.env.rendering import RENDER_MODES, check_render_mode, rendered
from outplay.env.requirement import required_module
from outplay.env.spaces import action_space, check_illegal, observation_space
from outplay.information_sets.at_once import choose_at_once
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.keys import information_key

pettingzoo = required_module("pettingzoo")
AecBase: Any = pettingzoo.AECEnv
ParallelBase: Any = pettingzoo.ParallelEnv


def aec_env(game: Game | str, *, illegal: str = "loss", render_mode: str | None = None) -> "TurnEnv":
    """A game as an environment of PettingZoo in which agents act in turn.

    Args:
        game: the game, or its name, such as "connect-four".
        illegal: after an action that is not legal, the game is lost ("loss"), or `IllegalAction` is raised ("error").
        render_mode: "ansi": text. "svg": an SVG document. "rgb_array": an array of colours. None: nothing.

    >>> env = aec_env("tic-tac-toe")
    >>> env.reset(seed=1)
    >>> env.step(4)
    >>> env.agent_selection, env.last()[0]["action_mask"].tolist()
    ('player_1', [1, 1, 1, 1, 0, 1, 1, 1, 1])
    """
    return TurnEnv(game_of(game), check_illegal(illegal), check_render_mode(render_mode))


def parallel_env(game: Game | str, *, illegal: str = "loss", render_mode: str | None = None) -> "ParallelEnv":
    """A game as an environment of PettingZoo in which all agents act at once.

    In each step, those act who choose without knowing what the others have chosen: all of them in rock-paper-scissors,
    one of them where moves are made in turn. Actions of the others do not count; their masks hold zeros.

    Args:
        game: the game, or its name, such as "rock-paper-scissors".
        illegal: after an action that is not legal, the game is lost ("loss"), or `IllegalAction` is raised ("error").
        render_mode: "ansi": text. "svg": an SVG document. "rgb_array": an array of colours. None: nothing.

    >>> env = parallel_env("rock-paper-scissors")
    >>> observations, infos = env.reset(seed=1)
    >>> env.step({"player_0": 0, "player_1": 1})[1]
    {'player_0': -1.0, 'player_1': 1.0}
    """
    return ParallelEnv(game_of(game), check_illegal(illegal), check_render_mode(render_mode))


class _Shared:
    """What both kinds of environments have."""

    agents: list[str]

    def __init__(self, game: Game, illegal: str, render_mode: str | None) -> None:
        self.game, self.illegal, self.render_mode, self.play = game, illegal, render_mode, GameInProgress(game)
        self.metadata = {"name": f"{type(game).__name__.lower()}_v0", "render_modes": list(RENDER_MODES),
                         "is_parallelizable": False, "render_fps": 1}  # fmt: skip
        self.possible_agents = [f"player_{player}" for player in range(game.players)]
        self.observation_spaces = {agent: observation_space(self.play.observer, self.play.numbers, with_mask=True)
                                   for agent in self.possible_agents}  # fmt: skip
        self.action_spaces = {agent: action_space(self.play.numbers) for agent in self.possible_agents}
        self.agents = []
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        """The space of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of the actions of an agent."""
        return self.action_spaces[agent]

    def render(self) -> Any:
        """The state in the `render_mode`."""
        return rendered(self.game, self.play.state, self.play.last, self.render_mode)

    def close(self) -> None:
        """Nothing is open."""

    def _start(self, seed: int | None) -> None:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.play.start(self._random)
        self.agents = self.possible_agents[:]

    def _act(self, player: int, action: Any) -> bool:
        """Play an action of a player; whether it was legal."""
        try:
            self.play.step(action)
        except IllegalAction:
            if self.illegal == "error":
                raise
            self.play.forfeit(player)
            return False
        return True


class TurnEnv(_Shared, AecBase):
    """See `aec_env`."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game."""
        self._start(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[max(self.play.mover, 0)]
        self._pass_on()

    def step(self, action: Any) -> None:
        """Play an action of the agent to move; None where the game is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        if not self._act(self.possible_agents.index(agent), action):
            self.infos[agent]["illegal_action"] = True
        self._pass_on()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees."""
        return _observed(self.play, self.possible_agents.index(agent))

    def _pass_on(self) -> None:
        """Say who is next, or what all get."""
        if self.play.utilities is None:
            self._clear_rewards()
            self.agent_selection = self.possible_agents[self.play.mover]
            return
        for agent, utility in zip(self.possible_agents, self.play.utilities, strict=True):
            self.rewards[agent] = float(utility)
            self.terminations[agent] = True
        self._accumulate_rewards()
        self._deads_step_first()


class ParallelEnv(_Shared, ParallelBase):
    """See `parallel_env`."""

    def __init__(self, game: Game, illegal: str, render_mode: str | None) -> None:
        super().__init__(game, illegal, render_mode)
        self._at_once = choose_at_once(game)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Begin a game; it returns what each agent sees, and infos."""
        self._start(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Play the actions of those who act; it returns for each agent what it sees, its reward, whether the game is
        over, whether it was cut off (never), and infos.
        """
        if not self.agents:
            raise OutplayError("step(): the game is over, or has not begun: call reset()")
        agents, infos = self.agents, {agent: dict[str, Any]() for agent in self.agents}
        for player, _ in self._choosers:
            agent = self.possible_agents[player]
            if agent not in actions:
                raise OutplayError(f"step(): {agent} is to move, and has no action")
            if self.play.mover != player:
                break  # the game has ended, or gone on in another way
            if not self._act(player, actions[agent]):
                infos[agent]["illegal_action"] = True
        over = self.play.utilities
        rewards = dict(zip(agents, over or (0.0,) * len(agents), strict=True))
        self.agents = [] if over is not None else agents
        ended, cut_off = dict.fromkeys(agents, over is not None), dict.fromkeys(agents, False)
        return self._observations(agents), rewards, ended, cut_off, infos

    def _observations(self, agents: list[str] | None = None) -> dict[str, dict[str, Any]]:
        self._choosers = choosers(self.play, self._at_once)
        masks = {player: self.play.numbers.mask(legal) for player, legal in self._choosers}
        nothing = self.play.numbers.mask([])
        return {
            agent: {
                "observation": self.play.observe(player := self.possible_agents.index(agent)),
                "action_mask": masks.get(player, nothing.copy()),
            }
            for agent in (self.agents if agents is None else agents)
        }


def _observed(play: GameInProgress, player: int) -> dict[str, Any]:
    mask = play.mask() if player == play.mover else play.numbers.mask([])
    return {"observation": play.observe(player), "action_mask": mask}


def choosers(play: GameInProgress, at_once: bool) -> list[tuple[int, list[Any]]]:
    """The players who choose now, each with the legal actions: one, or if players choose `at_once`, also those who move
    next without knowing what was chosen.
    """
    if play.mover < 0:
        return []
    game, states = play.game, [play.state]
    movers_and_actions = [(play.mover, play.legal)]
    while at_once:
        states = [game.result(state, action) for state in states for action in legal_actions(game, state)]
        if any(game.is_terminal(state) for state in states):
            break
        movers = {int(game.to_move(state)) for state in states}
        mover = movers.pop()
        if movers or mover == CHANCE or mover in [player for player, _ in movers_and_actions]:
            break
        if len({information_key(game, state, mover) for state in states}) > 1:
            break
        movers_and_actions.append((mover, list(legal_actions(game, states[0]))))
    return movers_and_actions
