"""Programs that speak the Go Text Protocol (GTP, version 2), such as GNU Go: `gtp:gnugo --mode gtp --level 1`.

Go is played with the rules of the game here, Othello with `gtp:gtp-rhino`. For other games the program must know its
board as it is and name moves as the game does, like `outplay gtp GAME`.
"""

from typing import TYPE_CHECKING

from outplay.arena.referee import Fault
from outplay.games.othello import Othello
from outplay.protocols.engine_player import EnginePlayer
from outplay.rules.game import Game
from outplay.session.players import Reply
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.clock import Clock

COLOURS = ("black", "white")


class GtpPlayer(EnginePlayer):
    """A program that speaks GTP. It is told only the moves that it does not know yet."""

    move_count: int = 0
    """How many moves it knows."""

    def greet(self, until: float) -> None:
        """See `EnginePlayer`."""
        self.answer_to("protocol_version", until)
        for option, value in self.options.items():
            self.answer_to(f"{option} {value}", until)

    def begin(self, game: Game, player: int, until: float) -> None:
        """See `EnginePlayer`."""
        for name in ("size", "komi"):
            if hasattr(game, name):
                self.answer_to(f"{'boardsize' if name == 'size' else name} {getattr(game, name):g}", until)
        self.answer_to("clear_board", until)
        self.move_count = 0

    def ask(self, view: View, clock: "Clock | None", until: float) -> Reply:
        """See `EnginePlayer`."""
        game = view.game
        for state, action in zip(view.states[self.move_count :], view.actions[self.move_count :], strict=False):
            name = game.action_name(state, action)
            if not (name == "pass" and isinstance(game, Othello)):  # such programs pass by themselves
                self.answer_to(f"play {COLOURS[int(game.to_move(state))]} {name}", until)
        self.move_count = len(view.actions) + 1  # it plays its own move
        colour, seconds = COLOURS[view.player], self.seconds(clock)
        if seconds is not None:
            self.answer_to(f"time_settings 0 {max(1, round(seconds))} 1", until)
        elif clock is not None:
            self.answer_to(f"time_left {colour} {max(1, int(clock.seconds))} {clock.moves or 0}", until)
        move = self.answer_to(f"genmove {colour}", until)
        if move.lower() == "resign":
            return Reply(None)
        return Reply(self.action(view, move))

    def answer_to(self, line: str, until: float) -> str:
        """The answer to a command. Raises `Fault` if the program refuses it."""
        self.running.skip()  # a second answer to an earlier one
        self.tell(line)
        while not (answer := self.hear(until)):
            pass
        while self.hear(until):
            pass  # until an empty line
        if not answer.startswith("="):
            raise Fault(f"error: {line!r} was answered with {answer!r}")
        return answer[1:].strip()
