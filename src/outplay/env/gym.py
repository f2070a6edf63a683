"""A game as an environment of Gymnasium: one seat is the agent's, players of the arena have the others."""

from typing import Any

from outplay.arena.naming import PlayerSpec
from outplay.engine.limits import UNLIMITED
from outplay.env.play import GameInProgress, game_of
from outplay.env.rendering import RENDER_MODES, check_render_mode, rendered
from outplay.env.requirement import required_module
from outplay.env.spaces import action_space, check_illegal, observation_space
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import Game
from outplay.rules.wording import shown
from outplay.session.players import Player, place_of, plain
from outplay.session.view import view_of

Base: Any = required_module("gymnasium").Env


class GymEnv(Base):
    """A game as an environment of Gymnasium.

    The reward is what the player gets when the game is over, and 0 before. `info["action_mask"]` is 1 for each legal
    action and else 0: int8. The seed of `reset` decides for chance, for the opponents and for a random seat.

    Args:
        game: the game, or its name, such as "connect-four".
        opponent: who plays the other seats: the text of a player, such as "alpha-beta(depth=2)", or a function of the
            game that makes a player.
        seat: the player that the agent is, or "random".
        mask: whether observations are dicts of "observation" and "action_mask".
        illegal: after an action that is not legal, the game is lost ("loss"), or `IllegalAction` is raised ("error").
        render_mode: "ansi": text. "svg": an SVG document. "rgb_array": an array of colours. None: nothing.

    >>> from outplay.env import GymEnv
    >>> env = GymEnv("tic-tac-toe", opponent="alpha-beta(depth=9)")
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, info["action_mask"].tolist()
    ((3, 3, 3), [1, 1, 1, 1, 1, 1, 1, 1, 1])
    >>> observation, reward, terminated, truncated, info = env.step(4)
    >>> int(info["action_mask"].sum()), reward, terminated
    (7, 0.0, False)
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        game: Game | str,
        opponent: Any = "random",
        *,
        seat: int | str = 0,
        mask: bool = False,
        illegal: str = "loss",
        render_mode: str | None = None,
    ) -> None:
        self.game, self.illegal, self.render_mode = (
            game_of(game),
            check_illegal(illegal),
            check_render_mode(render_mode),
        )
        if seat != "random" and seat not in range(self.game.players):
            raise OutplayError(f"seat={seat!r}: 'random' or a player from 0 to {self.game.players - 1}")
        self.seat, self.mask, self.player = seat, mask, 0
        self.play = GameInProgress(self.game)
        self.opponents: list[Player] = [
            _player_of_text(opponent, self.game) if isinstance(opponent, str) else opponent(self.game)
            for _ in range(self.game.players - 1)
        ]
        self.observation_space = observation_space(self.play.observer, self.play.numbers, mask)
        self.action_space = action_space(self.play.numbers)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game; it returns what the agent sees, and infos."""
        super().reset(seed=seed)
        for _ in range(MAX_GAMES):
            self.player = int(self.np_random.integers(self.game.players)) if self.seat == "random" else int(self.seat)
            self.play.start(self.np_random)
            seats = [player for player in range(self.game.players) if player != self.player]
            self._players = dict(zip(seats, self.opponents, strict=True))
            for player, opponent in self._players.items():
                opponent.new_game(self.game, player, int(self.np_random.integers(1 << 31)))
            self._wait()
            if self.play.utilities is None:
                break
        else:
            raise OutplayError(f"{self.game!r}: {MAX_GAMES} games were over before player {self.player} was to move")
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action, and what the others answer; it returns what the agent sees, the reward, whether the game is
        over, whether it was cut off (never), and infos.
        """
        if self.play.mover < 0:
            raise OutplayError("step(): the game is over, or has not begun: call reset()")
        illegal = False
        try:
            self.play.step(int(action))
        except IllegalAction:
            if self.illegal == "error":
                raise
            illegal = True
            self.play.forfeit(self.player)
        self._wait()
        over = self.play.utilities is not None
        reward = float(self.play.utilities[self.player]) if self.play.utilities is not None else 0.0
        info = self._info()
        if illegal:
            info["illegal_action"] = True
        return self._observation(), reward, over, False, info

    def render(self) -> Any:
        """The state in the `render_mode`."""
        return rendered(self.game, self.play.state, self.play.last, self.render_mode)

    def close(self) -> None:
        """End the opponents."""
        for opponent in self.opponents:
            if hasattr(opponent, "close"):
                opponent.close()

    def _wait(self) -> None:
        """Let the others play until the agent is to move or the game is over."""
        play = self.play
        while play.mover >= 0 and play.mover != self.player:
            view = view_of(self.game, play.states, play.actions, int(self.np_random.integers(1 << 31)))
            reply = plain(self._players[play.mover].choose(view, None))
            if reply.action is None:
                play.forfeit(play.mover)
                return
            place = place_of(reply.action, play.legal)
            if place < 0:
                raise IllegalAction(f"the opponent has played {shown(reply.action)}, which is not legal here")
            play.play(play.legal[place])

    def _observation(self) -> Any:
        observation = self.play.observe(self.player)
        return {"observation": observation, "action_mask": self.play.mask()} if self.mask else observation

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.play.mask(), "player": self.player}


def _player_of_text(text: str, game: Game) -> Player:
    """The player that a text names; one that nothing would limit gets 0.1 s for each move, as in matches."""
    return PlayerSpec.read(text).limited(UNLIMITED).player(game)


MAX_GAMES = 1000
"""After so many games without a turn of the agent, there is none."""
