"""The NBoard protocol, version 2: an engine for the GUIs of Othello.

The GUI sends the game in GGF, a depth, and `go` for a move or `hint` for the best ones; values are in discs.

    set game (;GM[Othello]…B[F5];)        status outplay is thinking
    set depth 12                          nodestats 81234 0.21
    go                                    === d6/-1.02/0.21

Source: C. Welty, *NBoard Protocol*, version 2 (2014).
"""

from outplay.arena.records.ggf import read
from outplay.arena.records.replay import RecordError, replay
from outplay.arena.records.transcript import Source
from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.limits import Limit
from outplay.games.othello import Othello
from outplay.protocols.line_engine import LineEngine, Thought
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.repetition import History
from outplay.rules.wording import cut

DEPTH = 8
"""The depth before the GUI has set one."""
MOST_HINTS = 60


class NBoardEngine(LineEngine):
    """An engine that speaks NBoard.

    >>> engine = NBoardEngine(Othello(), print, "alpha-beta")
    >>> engine.hear("ping 3")
    pong 3
    """

    depth = DEPTH

    def __init__(self, game: Othello, *args: object, **more: object) -> None:
        if game != Othello():
            raise UnsuitableGame(f"NBoard is for Othello on 8 x 8 squares, not for {game!r}")
        super().__init__(game, *args, **more)  # type: ignore[arg-type]

    def obey(self, line: str) -> None:
        """See `LineEngine`. Lines that the protocol does not know are passed over, as it wants it."""
        command, _, rest = line.partition(" ")
        match command:
            case "nboard":
                self.tell("set myname outplay")
            case "ping":
                self.thinker.finish()  # what follows belongs to what the GUI says next
                self.warm_up()
                self.tell(f"pong {cut(rest.strip(), 40)}")
            case "set":
                self.set(*rest.partition(" ")[::2])
            case "move":
                self.thinker.finish()
                self.play(rest.partition("/")[0].strip())
            case "go":
                self.search(1)
            case "hint":
                self.search(whole(rest, "hint"))
            case "quit":
                self.ended = True
                self.thinker.finish()

    def set(self, name: str, value: str) -> None:
        """Set the game or the depth; contempt is not known."""
        self.thinker.finish()
        if name == "depth":
            self.depth = max(1, min(60, whole(value, "set depth")))
        elif name == "game":
            game = next(read(Source("set game", value), self.game), None)
            if game is None or isinstance(game, RecordError):
                raise OutplayError(str(game or "set game: give a game in GGF"))
            states, actions = replay(self.game, game.record)
            self.begin_at(states[0], value)
            self.states, self.actions = History(states), list(actions)

    def complain(self, problem: str) -> None:
        """See `LineEngine`."""
        self.tell(f"status error: {' '.join(problem.split())}")

    def search(self, number: int) -> None:
        """Search for a move, or for so many of the best."""
        self.thinker.finish()
        self.tell("status outplay is thinking")
        is_hint, limit = number > 1, Limit(depth=self.depth)
        self.think(
            limit, lambda thought: self.hint(thought, number) if is_hint else self.answer(thought), every=is_hint
        )

    def answer(self, thought: Thought) -> None:
        """Tell the move."""
        if thought.problem:
            self.complain(thought.problem)
        if thought.action is not None:
            about = ""
            if thought.analysis is not None and thought.analysis.actions:
                seconds, value = thought.analysis.seconds, thought.analysis.value
                self.tell(f"nodestats {thought.analysis.nodes} {seconds:.2f}")
                about = f"/{value:.2f}/{seconds:.2f}"
            self.tell(f"=== {self.square(thought.action)}{about}")
        self.tell("status outplay is waiting")

    def hint(self, thought: Thought, number: int) -> None:
        """Tell the best moves."""
        if thought.problem:
            self.complain(thought.problem)
        for row in thought.analysis.actions[: min(number, MOST_HINTS)] if thought.analysis is not None else ():
            self.tell(self.search_line(thought.analysis, row))
        self.tell("status outplay is waiting")

    def search_line(self, analysis: Analysis | None, row: ActionValue) -> str:
        """A line about a move: what may follow, its value in discs, and the depth."""
        state, line = self.state, ""
        for action in row.line or (row.action,):
            line += self.square(action)
            state = self.game.result(state, action)
        depth = 0 if analysis is None else analysis.depth
        exact = "100%" if row.exact and row.bound == "exact" else str(depth)
        return f"search {line} {row.value:.2f} 0 {exact}"

    def square(self, action: int) -> str:
        """A square, or PA for a pass."""
        name = self.game.action_name(self.state, action)
        return "PA" if name == "pass" else name.upper()


def whole(text: str, command: str) -> int:
    """A whole number."""
    if not text.strip().isdecimal() or len(text.strip()) > 9:
        raise OutplayError(f"{command} {cut(text.strip(), 40)}: give a whole number")
    return int(text)
