"""Monte Carlo tree search of OpenSpiel, in C++: `openspiel:mcts(simulations=1000)`, or `(seconds=0.1)`.

It plays games of OpenSpiel that outplay has adapted, and built-in games that OpenSpiel has too. For this the extra
`openspiel` is needed. It runs in a process of its own, like bots of users.
"""

import re
from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any

from outplay.adapters.openspiel import Adapted
from outplay.arena.hosted import HostedPlayer
from outplay.arena.referee import Fault
from outplay.engine.limits import Limit
from outplay.games.breakthrough import Breakthrough
from outplay.games.chess import Chess
from outplay.games.connect_four import ConnectFour
from outplay.games.hex import Hex
from outplay.games.mnk import TicTacToe
from outplay.games.othello import Othello
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.players import Reply
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.clock import Clock

DEFAULTS = {"uct_c": 2.0, "rollouts": 1, "solve": True, "memory_mb": 1000}
"""The options of the search: exploration, random games at each leaf, exact values, memory."""
MANY = (1 << 31) - 1
"""The number of simulations if time is the limit."""


class OpenSpielPlayer:
    """OpenSpiel's search, in its process."""

    def __init__(self, limit: Limit, options: dict[str, Any]) -> None:
        self.spiel, self.limit, self.options = import_module("pyspiel"), limit, DEFAULTS | options

    def new_game(self, game: Game, player: int, seed: int) -> None:
        """See `Player`."""
        self.random = Random(seed)  # noqa: S311 - not for secrets
        self.adapted = isinstance(game, Adapted)
        self.source = game.source if isinstance(game, Adapted) else self.spiel.load_game(name_of(game))
        self.state, self.move_count = self.source.new_initial_state(), 0

    def choose(self, view: View, clock: "Clock | None") -> Reply:
        """See `Player`."""
        if self.adapted:
            self.state = view.state
        else:
            self.follow(view)
        root = self.bot(clock).mcts_search(self.state)
        best = root.best_child()
        action = best.action if self.adapted else self.ours(view, best.action)
        same = view.game.utilities is not None and self.source.max_utility() == view.game.utilities[1]
        value = best.total_reward / best.explore_count if same and best.explore_count else None
        return Reply(action, value, nodes=root.explore_count)

    def follow(self, view: View) -> None:
        """Play the moves that are new in OpenSpiel's game."""
        for state, action in zip(view.states[self.move_count :], view.actions[self.move_count :], strict=False):
            word, player = word_for(view.game, state, action), self.state.current_player()
            theirs = [action for action in self.state.legal_actions() if word in self.words(player, action)]
            if len(theirs) != 1:
                raise Fault(f"error: OpenSpiel does not know the move {view.game.action_name(state, action)}")
            self.state.apply_action(theirs[0])
        self.move_count = len(view.actions)

    def words(self, player: int, action: int) -> tuple[int, str]:
        """What OpenSpiel calls an action: its number and its text."""
        return action, self.state.action_to_string(player, action).rstrip("*+#")

    def ours(self, view: View, action: int) -> int:
        """Our action for one of OpenSpiel's."""
        words = self.words(view.player, action)
        return next(action for action in view.legal if word_for(view.game, view.state, action) in words)

    def bot(self, clock: "Clock | None") -> Any:
        """The search for one move."""
        limit = self.limit
        seconds = [] if limit.seconds is None else [limit.seconds]
        if clock is not None:
            seconds.append(clock.seconds if clock.is_for_one_move else clock.aim)
        if not seconds and limit.simulations is None:
            raise Fault("error: nothing limits openspiel:mcts: give simulations or seconds, or a clock")
        random, options = self.random.getrandbits(31), self.options
        return self.spiel.MCTSBot(
            self.source,
            self.spiel.RandomRolloutEvaluator(options["rollouts"], random),
            options["uct_c"],
            limit.simulations or MANY,
            options["memory_mb"],
            options["solve"],
            random,
            False,
            max_wall_clock_time=min(seconds, default=-1.0),
        )


def openspiel_player(name: str, game: Game, limit: Limit, options: dict[str, Any]) -> HostedPlayer:
    """The player `openspiel:NAME`. Raises `OutplayError` if there is none, or if it does not suit the game."""
    if name != "mcts":
        raise OutplayError(f"openspiel:{name}: only openspiel:mcts is known")
    if unknown := options.keys() - DEFAULTS:
        raise OutplayError(f"openspiel:mcts has no option {min(unknown)!r}; it has {', '.join(DEFAULTS)}")
    if not isinstance(game, Adapted):
        name_of(game)
    if game.hidden_information:
        raise OutplayError("openspiel:mcts plays only games in which players see everything")
    player = HostedPlayer(OpenSpielPlayer, limit, options)
    try:
        player.start()
    except Fault as fault:
        player.close()
        if "pyspiel" in str(fault):
            raise OutplayError("openspiel:mcts needs OpenSpiel: pip install 'outplay[openspiel]'") from None
        raise OutplayError(f"openspiel:mcts: {fault}") from None
    return player


# -- the games of both ------------------------------------------------------------------------------------------------


def name_of(game: Game) -> str:
    """What OpenSpiel calls a built-in game. Raises `OutplayError` if it has none like it."""
    if isinstance(game, Hex):
        return f"hex(board_size={game.n},swap={str(game.swap).lower()})"
    if isinstance(game, Breakthrough):
        return f"breakthrough(rows={game.rows},columns={game.columns})"
    for kind, name in SAME.items():
        if game == kind():
            return name
    raise OutplayError(f"openspiel:mcts does not know {game!r}; it plays games of OpenSpiel, and {', '.join(KNOWN)}")


SAME: dict[Callable[[], Game], str] = {
    Chess: "chess",
    ConnectFour: "connect_four",
    Othello: "othello",
    TicTacToe: "tic_tac_toe",
}
"""Games that it has with the same numbers of actions; the moves of chess have the same names."""
KNOWN = ("Breakthrough", "Chess", "ConnectFour", "Hex", "Othello", "TicTacToe")


def word_for(game: Game, state: Any, action: int) -> int | str:
    """The number or the text of an action in OpenSpiel."""
    if isinstance(game, Chess):
        return game.action_name(state, action).rstrip("+#")
    if isinstance(game, Breakthrough):  # there the first player moves down the board
        return re.sub(r"\d+", lambda row: str(game.rows + 1 - int(row[0])), game.action_name(state, action))
    return int(action)
