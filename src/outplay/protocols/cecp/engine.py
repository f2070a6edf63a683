"""The Chess Engine Communication Protocol (CECP, version 2): an engine for XBoard and WinBoard, for chess and Xiangqi.

The engine keeps the game itself: `usermove` plays the other side's move, and after `go` it answers each of them, on its
clock. In force mode it only listens; in analysis it thinks about every position until the next command.

    usermove e2e4                         12 31 204 190331 e7e5 g1f3
    go                                    move e7e5

Source: T. Mann and H. G. Muller, *Chess Engine Communication Protocol* (2009).
"""

import re
from typing import TYPE_CHECKING, Any

from outplay import __version__
from outplay.engine.analysis import Analysis
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.games import Chess, Xiangqi
from outplay.protocols.line_engine import LineEngine, Thought
from outplay.protocols.uci.engine import share_of
from outplay.protocols.uci.variants import dialect_of
from outplay.rules.errors import IllegalAction, OutplayError, UnsuitableGame
from outplay.rules.repetition import final
from outplay.rules.wording import cut

if TYPE_CHECKING:
    from collections.abc import Callable

MATE = 100_000
"""The score of a mate; one in n moves is n more."""
SECONDS = 5.0
"""The time for a move before anything limits it."""
SILENT = frozenset({
    "accepted", "rejected", "random", "computer", "name", "rating", "ics", "bk", "draw", "result", "hint", "xboard",
    "variant", "hard", "easy", "option", ".", "white", "black",
})  # fmt: skip
"""Commands to which there is nothing to say."""


class CecpEngine(LineEngine):
    """An engine that speaks CECP.

    >>> engine = CecpEngine(Chess(), print, "alpha-beta")
    >>> engine.hear("ping 7")
    pong 7
    >>> engine.hear("usermove e2e5")
    Illegal move: e2e5
    """

    def __init__(self, game: Any, *args: Any, **more: Any) -> None:
        if not isinstance(game, Chess | Xiangqi):
            raise UnsuitableGame(f"CECP is for chess and Xiangqi, not for {game!r}")
        super().__init__(game, *args, **more)
        self.dialect = dialect_of(game)
        self.commands: dict[str, Callable[[str], None]] = {
            "protover": self.features, "new": self.new, "force": self.force, "go": self.go, "usermove": self.move,
            "level": self.level, "st": self.seconds_for_move, "sd": self.plies, "time": self.own_time,
            "otim": self.skip, "setboard": self.set_board, "undo": self.undo, "remove": self.remove, "ping": self.ping,
            "post": self.post, "nopost": self.no_post, "analyze": self.analyze, "exit": self.exit,
            "memory": self.memory, "cores": self.cores, "quit": self.quit, "edit": self.edit,
            **dict.fromkeys(SILENT, self.skip),
        }  # fmt: skip
        self.new("")

    # -- lines --------------------------------------------------------------------------------------------------------

    def obey(self, line: str) -> None:
        """See `LineEngine`."""
        command, _, rest = line.partition(" ")
        if command == "?":
            self.thinker.stop()
        elif command in self.commands:
            self.commands[command](rest.strip())
        elif re.fullmatch(r"[a-j]\d+[a-j]\d+[a-z]?", command) or command in ("O-O", "O-O-O"):
            self.move(command)
        elif command:
            self.tell(f"Error (unknown command): {cut(line, 80)}")

    def complain(self, problem: str) -> None:
        """See `LineEngine`."""
        self.tell(f"tellusererror {' '.join(problem.split())}")

    def skip(self, rest: str) -> None:
        """Do nothing."""

    def edit(self, rest: str) -> None:
        """Refuse the old way to set a position up."""
        self.tell("Error (command not legal now): edit; use setboard")

    def features(self, rest: str) -> None:
        """Say what the engine can do."""
        variant = "normal" if isinstance(self.game, Chess) else "xiangqi"
        self.tell(
            f"feature ping=1 setboard=1 usermove=1 playother=0 san=0 time=1 draw=0 sigint=0 sigterm=0 reuse=1 analyze=1"
            f' memory=1 smp=1 colors=0 myname="outplay {__version__}" variants="{variant}" done=1'
        )

    def new(self, rest: str) -> None:
        """Begin a game from the first position; the engine plays the second side."""
        self.thinker.finish()
        if self._searcher is not None:
            self.forget()
        self.begin_at(self.game.initial_state())
        self.side: int | None = 1
        self.is_analysis = self.is_posting = False
        self.depth: int | None = None
        self.fixed: float | None = None
        self.clock: Clock | None = None

    def ping(self, rest: str) -> None:
        """Answer when all before is done: after the move, if the engine is thinking about one."""
        pong = f"pong {cut(rest, 20)}"
        self.warm_up()
        if self.is_analysis:
            self.tell(pong)
        else:
            self.thinker.then(lambda: self.tell(pong))

    def post(self, rest: str) -> None:
        """Show what is thought."""
        self.is_posting = True

    def no_post(self, rest: str) -> None:
        """Do not."""
        self.is_posting = False

    def quit(self, rest: str) -> None:
        """End."""
        self.ended, self.side = True, None
        self.thinker.finish()

    # -- limits and settings ------------------------------------------------------------------------------------------

    def level(self, rest: str) -> None:
        """The time control: moves, minutes or minutes:seconds, and the increment in seconds."""
        match = re.fullmatch(r"(\d{1,4}) (\d{1,6})(?::(\d{1,2}))? (\d{1,6}(?:\.\d{1,6})?)", rest)
        if match is None:
            raise OutplayError(f"level {cut(rest, 40)}: give moves, minutes and an increment, as in level 40 5 0")
        moves, minutes, seconds, increment = match.groups()
        self.fixed = None
        self.clock = Clock(60 * int(minutes) + int(seconds or 0), float(increment), int(moves) or None).of_a_game()

    def seconds_for_move(self, rest: str) -> None:
        """The time for each move."""
        self.fixed, self.clock = number(rest, "st"), None

    def plies(self, rest: str) -> None:
        """The depth."""
        self.depth = max(1, int(number(rest, "sd")))

    def own_time(self, rest: str) -> None:
        """The own clock, in hundredths of a second."""
        left = number(rest, "time") / 100
        clock = self.clock or Clock(left)
        self.clock = Clock(left, clock.increment, clock.moves, clock.session)

    def memory(self, rest: str) -> None:
        """Megabytes for the table."""
        self.change(table_mb=max(1, number(rest, "memory")))

    def cores(self, rest: str) -> None:
        """The number of threads."""
        self.change(threads=max(1, min(1024, int(number(rest, "cores")))))

    # -- the game -----------------------------------------------------------------------------------------------------

    def force(self, rest: str) -> None:
        """Only listen."""
        self.side = None
        self.thinker.finish()

    def go(self, rest: str) -> None:
        """Play the side that is to move, from now on."""
        self.thinker.finish()
        self.side = int(self.game.to_move(self.state))
        self.answer_move()

    def move(self, rest: str) -> None:
        """Play the other side's move, and answer it."""
        self.thinker.finish()
        try:
            self.play(rest)
        except IllegalAction:
            self.tell(f"Illegal move: {cut(rest, 40)}")
            return
        self.go_on()

    def set_board(self, rest: str) -> None:
        """Set a position up, in FEN."""
        self.thinker.finish()
        state = self.dialect.parse(self.game, rest)
        self.begin_at(state, rest)
        self.go_on(answers=False)

    def undo(self, rest: str) -> None:
        """Take a move back."""
        self.take_back(1)

    def remove(self, rest: str) -> None:
        """Take two moves back."""
        self.take_back(2)

    def take_back(self, number: int) -> None:
        """Take moves back."""
        self.thinker.finish()
        if len(self.actions) < number:
            raise OutplayError("there is no move to take back")
        self.keep(len(self.actions) - number)
        self.go_on(answers=False)

    def analyze(self, rest: str) -> None:
        """Think about every position until `exit`."""
        self.thinker.finish()
        self.side, self.is_analysis = None, True
        self.go_on()

    def exit(self, rest: str) -> None:
        """End the analysis."""
        self.is_analysis = False
        self.thinker.finish()

    def go_on(self, answers: bool = True) -> None:
        """Analyse the new position, or answer the move if the engine is to move."""
        self.answers_at_the_end = not self.is_analysis
        if self.is_analysis:
            self.last_news = ""
            self.think(Limit(), lambda thought: None, progress=self.report)
        elif answers and self.side is not None:
            self.answer_move()

    def answer_move(self) -> None:
        """Search for the engine's move, and play it; tell the result if the game is over."""
        utilities = final(self.game, self.states)
        if utilities is not None:
            self.tell_result(utilities)
            return
        if self.side != self.game.to_move(self.state):
            return
        limit = Limit(seconds=self.fixed, depth=self.depth, clock=self.clock)
        self.last_news = ""
        self.think(limit if limit != Limit() else Limit(seconds=SECONDS), self.reply, progress=self.report)

    def reply(self, thought: Thought) -> None:
        """Play the move that was found."""
        if thought.problem:
            self.complain(thought.problem)
        if thought.action is None or self.side is None:  # in force mode by now: the move is not wanted any more
            return
        if thought.analysis is not None:
            self.report(thought.analysis)
        name = self.write_move(self.state, thought.action)
        self.states.append(self.game.result(self.state, thought.action))
        self.actions.append(thought.action)
        self.moves.append(name)
        if self.clock is not None and thought.analysis is not None:
            self.clock = self.clock.after(min(thought.analysis.seconds, self.clock.seconds))
        self.tell(f"move {name}")
        utilities = final(self.game, self.states)
        if utilities is not None:
            self.tell_result(utilities)

    def tell_result(self, utilities: tuple[float, ...]) -> None:
        """Tell the result of the game."""
        first, second = utilities
        result = "1-0" if first > second else "0-1" if first < second else "1/2-1/2"
        self.tell(f"{result} {{{self.game.result_text(utilities)}}}")

    def report(self, analysis: Analysis) -> None:
        """Tell what was found so far, if it is wanted and new: depth, score, hundredths of a second, nodes, line."""
        news = f"{analysis.depth} {analysis.value} {analysis.line}"
        if not (self.is_posting or self.is_analysis) or not analysis.actions or news == self.last_news:
            return
        self.last_news = news
        share = share_of(analysis, analysis.value)
        score = round(self.dialect.centipawns(share))
        if analysis.exact and analysis.distance is not None and share:
            score = (MATE + (analysis.distance + 1) // 2) * (1 if share > 0 else -1)
        line = " ".join(self.line_of(analysis.line))
        self.tell(f"{analysis.depth} {score} {round(100 * analysis.seconds)} {analysis.nodes} {line}")

    def write_move(self, state: Any, action: int) -> str:
        """See `LineEngine`: Xiangqi counts ranks from 0, as outplay does."""
        game: Any = self.game
        return str(game.uci_name(state, action) if isinstance(game, Chess) else game.action_name(state, action))


def number(text: str, command: str) -> float:
    """A number from 0."""
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
        raise OutplayError(f"{command} {cut(text, 40)}: give a number")
    return float(text)
