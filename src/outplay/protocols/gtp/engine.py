"""An engine that plays any game of two players by the Go Text Protocol. Each command is the method of its name.

In `play` and `genmove`, `black` is player 0 and `white` player 1. Moves are written as the game writes them.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from outplay.engine.limits import Limit
from outplay.protocols.gtp.overtime import Time
from outplay.protocols.gtp.responder import Method, Refused, Responder, number, player, score, whole
from outplay.rules.actions import plain_action
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import Game
from outplay.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Searcher

SECONDS = 5.0
"""The time for a move if neither the caller nor the controller sets a limit."""


class Engine(Responder):
    r"""A game played by GTP.

    Args:
        game: the game.
        searcher: makes a searcher for a game. It is called for every new game.
        limit: the limit for each move, in addition to the clock that the controller sets. By default the clock alone
            or, without a clock, 5 seconds.
        resign: resign when the value for the player to move is at most this. By default never.
        report: called with the analysis of each search.

    Attributes:
        session: the game so far, a `Session`.

    >>> from outplay import AlphaBeta
    >>> from outplay.games import TicTacToe
    >>> engine = Engine(TicTacToe(), AlphaBeta)
    >>> engine.answer("1 play black b2  # in the centre")
    '=1\n\n'
    >>> engine.answer("2 play white b2")
    '?2 illegal move\n\n'
    >>> engine.answer("3 play white b1"), engine.answer("genmove black"), engine.answer("final_score")
    ('=3\n\n', '= a1\n\n', '? the game is not over\n\n')
    """

    def __init__(
        self,
        game: Game,
        searcher: "Callable[[Game], Searcher]",
        limit: Limit | None = None,
        *,
        resign: float | None = None,
        report: "Callable[[Analysis], None] | None" = None,
    ) -> None:
        super().__init__()
        self.make, self.limit, self.resign, self.report = searcher, limit, resign, report
        self.settings: Time | None = None
        self.begin(game)

    def all_commands(self) -> dict[str, Method]:
        """The method of each command."""
        return super().all_commands() | {
            "clear_board": self.clear_board,
            "play": self.play,
            "genmove": self.genmove,
            "reg_genmove": self.reg_genmove,
            "undo": self.undo,
            "time_settings": self.time_settings,
            "time_left": self.time_left,
            "final_score": self.final_score,
            "showboard": self.showboard,
        }

    def begin(self, game: Game, start: Any = None) -> None:
        """Begin a new game with a new searcher, from a state or the initial one."""
        self.session, self.searcher = Session(game, start=start), self.make(game)
        self.times = [self.settings] * 2  # of each player

    @property
    def game(self) -> Game:
        """The game."""
        return self.session.game

    # -- the game -----------------------------------------------------------------------------------------------------

    def clear_board(self) -> None:
        """Begin a new game."""
        self.begin(self.game)

    def play(self, color: str, *move: str) -> None:
        """Play a move of this player."""
        state, text = self.turn_of(player(color)), " ".join(move)
        if not text:
            raise Refused("syntax error: wanted play color move")
        self.session.append(self.action_of(state, text), state=state)

    def undo(self) -> None:
        """Take back the last move."""
        try:
            self.session.undo()
        except OutplayError as error:
            raise Refused(f"cannot undo: {error}") from None

    def showboard(self) -> str:
        """A picture of the position."""
        return "\n" + self.game.render(self.session.state)

    def final_score(self) -> str:
        """Who won, and by how much."""
        utilities = self.session.utilities
        if utilities is None:
            raise Refused("the game is not over")
        mine, *of_others = utilities
        return score(mine - of_others[0] if of_others and self.game.constant_sum else mine)

    def turn_of(self, mover: int) -> Any:
        """The state in which this player is to move. Raises `Refused` if it is the other player's turn."""
        if self.session.over:
            raise Refused("the game is over")
        if self.session.player != mover:
            raise Refused("it is the other player's turn")
        return self.session.state

    def action_of(self, state: Any, text: str) -> int:
        """The legal action that `text` names."""
        try:
            action = plain_action(self.game.parse_action(state, text))
        except IllegalAction:
            raise Refused("illegal move") from None
        if action not in self.legal(state):
            raise Refused("illegal move")
        return action

    def legal(self, state: Any) -> list[int]:
        """The legal actions in `state`, which `turn_of` returned."""
        return self.session.legal

    # -- the search ---------------------------------------------------------------------------------------------------

    def genmove(self, color: str) -> str:
        """Search, and play the best move."""
        mover = player(color)
        state, time = self.turn_of(mover), self.times[mover]
        limit = self.limit or (Limit() if time else Limit(seconds=SECONDS))
        action, analysis = self.think(state, replace(limit, clock=time.clock) if time else limit)
        if time:
            self.times[mover] = time.after(analysis.seconds)
        if self.gives_up(analysis):
            return "resign"
        self.session.append(action, state=state)
        return self.game.action_name(state, action)

    def reg_genmove(self, color: str) -> str:
        """The move that `genmove` would play without a clock. It is not played."""
        state = self.turn_of(player(color))
        action, analysis = self.think(state, self.limit or Limit(seconds=SECONDS))
        return "resign" if self.gives_up(analysis) else self.game.action_name(state, action)

    def think(self, state: Any, limit: Limit) -> "tuple[int, Analysis]":
        """The action to play, and the search behind it."""
        analysis = self.search(state, limit)
        if analysis.stopped == "interrupted":
            raise KeyboardInterrupt
        if self.report is not None:
            self.report(analysis)
        assert analysis.action is not None, "the game is not over"
        return analysis.action, analysis

    def search(self, state: Any, limit: Limit) -> "Analysis":
        """Search `state`, which `turn_of` returned."""
        return self.session.search(self.searcher, limit, state=state)

    def gives_up(self, analysis: "Analysis") -> bool:
        """Whether the value is so low that the engine resigns."""
        return self.resign is not None and analysis.value <= self.resign

    # -- the clock ----------------------------------------------------------------------------------------------------

    def time_settings(self, main_time: str, byo_yomi_time: str, byo_yomi_stones: str) -> None:
        """Set the time for a game: main time, then overtime unless `byo_yomi_stones` is 0."""
        main, period, stones = number(main_time), number(byo_yomi_time), whole(byo_yomi_stones)
        unlimited = stones == 0 and (period > 0 or main == 0)  # in the protocol this means no limit
        self.settings = None if unlimited else Time.begin(main, period, stones)
        self.times = [self.settings] * 2
        self.searcher.search(self.game.initial_state(), Limit(nodes=1))  # compile before the clock runs

    def time_left(self, color: str, time: str, stones: str) -> None:
        """Set the clock of a player. In main time `stones` is 0."""
        mover, left, due = player(color), number(time), whole(stones)
        settings = self.times[mover] or Time(left, 0, 0, left)
        if due and not settings.stones:  # overtime that `time_settings` did not announce
            settings = replace(settings, period=left, stones=due)
        self.times[mover] = replace(settings, left=left, due=due)
