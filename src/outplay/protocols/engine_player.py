"""What players have in common that are other programs: how they are started, and started again after a failure."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from outplay.arena.patience import START, for_move
from outplay.arena.referee import Fault
from outplay.engine.limits import Limit
from outplay.protocols.program import Program
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import Game
from outplay.rules.wording import cut, enumerated
from outplay.session.players import Reply
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.clock import Clock

T = TypeVar("T")
MAX_MOVE = 1000
"""The maximum length of the name of a move."""
MAX_OPTIONS = 1000
"""A program with more options than this talks without end."""


class EnginePlayer(ABC):
    """A program that plays. It is started when it is made, and again after it has failed.

    Args:
        command: how to start it.
        game: the game that it will play.
        limit: the limit for each move, besides the clock.
        options: what is told to the program before it plays.

    Raises `OutplayError` if the program is not there, does not speak the protocol, or does not suit the game.
    """

    goodbye = "quit"
    """What ends the program."""

    def __init__(self, command: str, game: Game, limit: Limit, options: dict[str, Any]) -> None:
        self.command, self.game, self.limit, self.options = command, game, limit, options
        self.program: Program | None = None
        self.check()
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

    def wait_for(self, answer: str, until: float) -> None:
        """Wait for a line, and forget all before it."""
        while self.hear(until) != answer:
            pass

    def guarded(self, task: Callable[[], T]) -> T:
        """Do something with the program, which is ended if it fails."""
        try:
            return task()
        except BaseException:
            self.close()
            raise

    def new_game(self, game: Game, player: int, seed: int) -> None:
        """See `Player`. A program that has ended after a game is started anew."""
        if self.program is not None and self.program.process.poll() is not None:
            self.close()
        self.start()
        self.guarded(lambda: self.begin(game, player, time.monotonic() + START))

    def choose(self, view: View, clock: "Clock | None") -> Reply:
        """See `Player`. A single legal action is played without a question."""
        if len(view.legal) == 1:
            return Reply(view.legal[0])
        self.start()
        return self.guarded(lambda: self.ask(view, clock, time.monotonic() + for_move(clock)))

    def close(self) -> None:
        """See `Player`."""
        if self.program is not None:
            self.program.close(self.goodbye)
            self.program = None

    def action(self, view: View, text: str) -> int:
        """The action that the program named. Raises `Fault` if it is not legal."""
        try:
            return view.game.parse_action(view.state, cut(text, MAX_MOVE))
        except IllegalAction:
            raise Fault(f"illegal move: {text or 'none'}") from None

    def note(self, option_names: dict[str, str], name: str, value: str) -> None:
        """Note an option or a feature of the program. Raises `Fault` if there are too many."""
        option_names[name] = value
        if len(option_names) > MAX_OPTIONS:
            raise Fault(f"error: it has more than {MAX_OPTIONS:,} options")

    def seconds(self, clock: "Clock | None") -> float | None:
        """The time for the next move alone; None if there is only the clock of the game."""
        most = [] if self.limit.seconds is None else [self.limit.seconds]
        if clock is not None and clock.is_for_one_move:
            most.append(clock.seconds)
        return min(most, default=None)

    def check(self) -> None:
        """Raise `OutplayError` if such programs do not play the game, or a limit or an option is wrong."""
        if self.game.hidden_information:
            raise OutplayError(f"{self.command}: other programs play only games in which players see everything")

    @abstractmethod
    def greet(self, until: float) -> None:
        """Begin to speak with the program, and set its options."""

    def begin(self, game: Game, player: int, until: float) -> None:  # noqa: B027 - some programs need not know
        """A game begins."""

    @abstractmethod
    def ask(self, view: View, clock: "Clock | None", until: float) -> Reply:
        """Ask for a move."""

    def option(self, option: str, option_names: dict[str, str]) -> str:
        """What the program calls an option. `option_names`: its options in lower case, with _ for spaces."""
        if option.lower() not in option_names:
            raise OutplayError(f"{self.command} has no option {option!r}; it has {enumerated(option_names.values())}")
        return option_names[option.lower()]


def number_in(text: str) -> float | None:
    """The number that a text is; None if it is none.

    >>> number_in("-2.5"), number_in("1.2.3")
    (-2.5, None)
    """
    try:
        return float(text)
    except ValueError:
        return None
