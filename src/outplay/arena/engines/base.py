"""What players have in common that are other programs."""

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from outplay.arena.engines.process import GRACE, PATIENCE, START, Program
from outplay.arena.player import Reply
from outplay.arena.referee import LATE, Fault
from outplay.arena.view import View
from outplay.engine.limits import Limit
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import Game

if TYPE_CHECKING:
    from outplay.engine.clock import Clock


class EnginePlayer(ABC):
    """A program that plays. It is started when it is made, and again after it has failed.

    Args:
        command: how to start it.
        limit: the limit for each move, besides the clock.
        options: what is told to the program before it plays.
    """

    def __init__(self, command: str, limit: Limit, options: dict[str, Any]) -> None:
        self.command, self.limit, self.options = command, limit, options
        self.program: Program | None = None
        try:
            self.start()
        except Fault as fault:
            raise OutplayError(f"{command}: {fault}") from None

    def start(self) -> None:
        """Start the program, if it is not running."""
        if self.program is None:
            self.program = Program(self.command)
            self.guarded(lambda: self.greet(time.monotonic() + START))

    @property
    def running(self) -> Program:
        """The running program."""
        assert self.program is not None, "it is started"
        return self.program

    @property
    def process_id(self) -> int:
        """The number of its process, 0 if it is not running."""
        return self.program.process.pid if self.program is not None else 0

    def tell(self, line: str) -> None:
        """Send a line."""
        self.running.send(line)

    def hear(self, until: float) -> str:
        """The next line."""
        return self.running.read(until).strip()

    def guarded(self, task: Any) -> Any:
        """Do something with the program, which is ended if it fails."""
        try:
            return task()
        except BaseException:
            self.close()
            raise

    def new_game(self, game: Game, player: int, seed: int) -> None:
        """See `Player`."""
        self.start()
        self.guarded(lambda: self.begin(game, player, time.monotonic() + START))

    def choose(self, view: View, clock: "Clock | None") -> Reply:
        """See `Player`."""
        patience = PATIENCE if clock is None else clock.seconds + LATE + GRACE
        self.start()
        reply: Reply = self.guarded(lambda: self.ask(view, clock, time.monotonic() + patience))
        return reply

    def close(self) -> None:
        """See `Player`."""
        if self.program is not None:
            self.program.close()
            self.program = None

    def action(self, view: View, text: str) -> int:
        """The action that the program named. Raises `Fault` if it is not legal."""
        try:
            return view.game.parse_action(view.state, text)
        except IllegalAction:
            raise Fault(f"illegal move: {text}") from None

    @abstractmethod
    def greet(self, until: float) -> None:
        """Begin to speak with the program, and set its options."""

    @abstractmethod
    def begin(self, game: Game, player: int, until: float) -> None:
        """A game begins."""

    @abstractmethod
    def ask(self, view: View, clock: "Clock | None", until: float) -> Reply:
        """Ask for a move."""


def names_of(view: View) -> list[str]:
    """The names of all actions so far, as programs name them."""
    name = getattr(view.game, "uci_name", view.game.action_name)
    return [name(state, action) for state, action in zip(view.states, view.actions, strict=False)]
