"""The Hub protocol, version 2: an engine for the GUIs of international draughts, such as Hub.

    pos pos=Wbbbb…wwww moves="32-28"      info depth=9 score=0.04 … pv="17-22 28x17x22"
    level time=291.5 moves=9              done move=17-22 ponder=28x17x22
    go think

Source: F. Letouzey, *Hub protocol for draughts, version 2* (2017).
"""

import re
from typing import Any

from outplay import __version__
from outplay.engine.analysis import Analysis
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.games import InternationalDraughts
from outplay.protocols.hub.notation import WIN, arguments, men, move_text, position_of, read_move
from outplay.protocols.line_engine import LineEngine, Thought
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.wording import cut


class HubEngine(LineEngine):
    """An engine that speaks Hub.

    >>> engine = HubEngine(InternationalDraughts(), print, "alpha-beta")
    >>> engine.hear("ping")
    pong
    """

    answers_at_the_end = False

    game: Any

    def __init__(self, game: Any, *args: Any, **more: Any) -> None:
        if not isinstance(game, InternationalDraughts):
            raise UnsuitableGame(f"Hub is for international draughts, not for {game!r}")
        super().__init__(game, *args, **more)
        self.limit, self.pondering = Limit(), Limit()

    def obey(self, line: str) -> None:
        """See `LineEngine`. Commands and arguments that are not known are passed over, as the protocol wants it."""
        command, _, rest = line.partition(" ")
        values = arguments(rest)
        match command:
            case "hub":
                self.greet()
            case "init":
                self.warm_up()
                self.tell("ready")
            case "set-param":
                self.set_parameter(values.get("name", ""), values.get("value", ""))
            case "pos":
                self.thinker.finish()
                text = values.get("pos", "")
                self.set_up(position_of(self.game, text), values.get("moves", "").split(), text)
            case "level":
                self.limit = self.limit_of(values)
            case "go":
                self.go(values)
            case "ponder-hit":
                clock = self.pondering.clock
                self.thinker.release(self.pondering.seconds if clock is None else clock.aim)
            case "stop":
                self.thinker.stop()
            case "ping":
                self.tell("pong")
            case "new-game":
                self.forget()
            case "quit":
                self.ended = True
                self.thinker.finish()

    def complain(self, problem: str) -> None:
        """See `LineEngine`."""
        text = " ".join(problem.split()).replace('"', "'")
        self.tell(f'error message="{text}"')

    def greet(self) -> None:
        """Say who this is, and which parameters there are."""
        self.tell(
            f'id name=outplay version={__version__} author="the outplay project"',
            "param name=variant value=normal type=enum values=normal",
            "param name=threads value=1 type=int min=1 max=1024",
            "param name=tt-size value=64 type=int min=1 max=65536",
            'param name=evaluation value="" type=string',
            "wait",
        )

    def set_parameter(self, name: str, value: str) -> None:
        """Set a parameter."""
        if name == "variant" and value != "normal":
            raise OutplayError(f"variant is normal, not {cut(value, 40)!r}")
        if name in ("threads", "tt-size"):
            if not value.isdecimal() or not 1 <= int(value[:9]) <= 65536:
                raise OutplayError(f"{name} is a whole number from 1, not {cut(value, 40)!r}")
            self.change(**{"threads" if name == "threads" else "table_mb": int(value)})
        elif name == "evaluation":
            self.change(evaluation=value or None)
        elif name != "variant":
            raise OutplayError(f"there is no parameter {cut(name, 40)!r}: variant, threads, tt-size, evaluation")

    # -- positions and moves ------------------------------------------------------------------------------------------

    def write_move(self, state: Any, action: int) -> str:
        """See `LineEngine`."""
        return move_text(self.game, action)

    def read_move(self, state: Any, text: str) -> int:
        """See `LineEngine`."""
        return read_move(self.game, state, self.legal, text)

    # -- searches -----------------------------------------------------------------------------------------------------

    def limit_of(self, values: dict[str, str]) -> Limit:
        """The limit that `level` gives. Raises `OutplayError` for a wrong number."""
        numbers = {}
        for name in {"depth", "move-time", "moves", "time", "inc", "nodes"} & values.keys():
            if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", values[name]):
                raise OutplayError(f"level {name}={cut(values[name], 40)}: give a number")
            numbers[name] = float(values[name])
        clock = None
        if "time" in numbers:
            moves = int(numbers.get("moves", 0)) or None
            clock = Clock(numbers["time"] + numbers.get("inc", 0), numbers.get("inc", 0), moves)
        depth, nodes = (max(1, int(numbers[name])) if name in numbers else None for name in ("depth", "nodes"))
        return Limit(seconds=numbers.get("move-time"), clock=clock, depth=depth, nodes=nodes)

    def go(self, values: dict[str, str]) -> None:
        """Search; `think` within the limit, `ponder` until it counts, `analyze` until `stop`."""
        self.thinker.finish()
        limit, self.pondering = self.limit, self.limit
        is_timed = "think" in values
        if not is_timed:
            limit = Limit(depth=limit.depth, nodes=limit.nodes) if "ponder" in values else Limit()
        self.last_news = ""
        self.think(limit, self.answer, progress=self.report, holds=limit == Limit())

    def report(self, analysis: Analysis) -> None:
        """Tell what was found so far, if it is new."""
        news = f"{analysis.depth} {analysis.value} {analysis.line}"
        if not analysis.actions or news == self.last_news:
            return
        self.last_news = news
        seconds = max(analysis.seconds, 1e-3)
        line = " ".join(self.line_of(analysis.line))
        self.tell(
            f"info depth={analysis.depth} score={self.score(analysis):.2f} nodes={analysis.nodes} time={seconds:.3f}"
            f' nps={analysis.nodes / seconds / 1e6:.2f} pv="{line}"'
        )

    def score(self, analysis: Analysis) -> float:
        """The value in men: the game's own evaluation divides by all points and one more."""
        if analysis.exact:
            return WIN * analysis.value
        return analysis.value * men(self.game, self.state)

    def answer(self, thought: Thought) -> None:
        """Tell the move, and the one that is expected next."""
        if thought.problem:
            self.complain(thought.problem)
        if thought.analysis is not None:
            self.report(thought.analysis)
        moves = self.best_moves(thought)
        if moves:
            self.tell(f"done move={moves[0]}" + "".join(f" ponder={move}" for move in moves[1:]))
        else:
            self.complain("there is no legal move")
