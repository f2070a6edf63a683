"""The Universal Chess Interface (UCI): an engine for the GUIs of chess, and for any game of two players.

A GUI sets a position up, says `go` with limits, and hears of the search until `bestmove`. It may say `stop` any time;
after `go ponder` the engine thinks while the opponent does, until `ponderhit`. Games other than chess are variants, by
the names and coordinates of Fairy-Stockfish where it has them; any other game writes its own names of actions, with `_`
for spaces.

    position startpos moves e2e4          info depth 12 score cp -31 nodes 91023 … pv e7e5 g1f3
    go wtime 60000 btime 58000            bestmove e7e5 ponder g1f3

Source: S. Meyer-Kahlen, *Description of the Universal Chess Interface* (2006). Start at `UciEngine`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from outplay import __version__
from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.protocols.line_engine import LineEngine, Thought
from outplay.protocols.uci.variants import NUMBER, dialect_of
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.rules.wording import cut
from outplay.session.levels import Level, calibration

OVERHEAD = 30
"""The milliseconds of each move that are left for pipes and threads."""
REPEATED = 1.0
"""The seconds after which the same line is told again, with more nodes."""
DRAWISH = 0.5
"""The share of draws between equal players, in games that are often drawn: it shapes `wdl`."""
NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "byoyomi", "depth", "nodes", "mate", "movetime", "perft")
WORDS = ("infinite", "ponder", "searchmoves", *NUMBERS)
"""The words of `go`."""


@dataclass(frozen=True)
class Option:
    """An option that a GUI shows and sets.

    Attributes:
        name: its name.
        kind: "check", "spin", "string", "button" or "combo".
        set: takes the value: a bool, an int, or a text.
        default: as a text.
        least, greatest: of a number.
        choices: of a combo.
    """

    name: str
    kind: str
    set: Callable[[Any], None]
    default: str = ""
    least: int = 0
    greatest: int = 0
    choices: tuple[str, ...] = ()

    def __str__(self) -> str:
        """What follows after `option `.

        >>> print(Option("Hash", "spin", print, "64", 1, 1024))
        name Hash type spin default 64 min 1 max 1024
        """
        text = f"name {self.name} type {self.kind}"
        if self.kind != "button":
            text += f" default {self.default}"
        if self.kind == "spin":
            text += f" min {self.least} max {self.greatest}"
        return text + "".join(f" var {choice}" for choice in self.choices)

    def take(self, text: str) -> None:
        """Set the value. Raises `OutplayError` if it is none of this option."""
        value: Any = text
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise OutplayError(f"{self.name} is true or false, not {cut(text, 40)!r}")
            value = text.lower() == "true"
        elif self.kind == "spin":
            if not NUMBER.fullmatch(text) or not self.least <= int(text) <= self.greatest:
                raise OutplayError(
                    f"{self.name} is a whole number from {self.least} to {self.greatest}, not {cut(text, 40)!r}"
                )
            value = int(text)
        elif self.kind == "combo" and text not in self.choices:
            raise OutplayError(f"{self.name} is {' or '.join(self.choices)}, not {cut(text, 40)!r}")
        self.set(value)


class UciEngine(LineEngine):
    """An engine that speaks UCI.

    >>> from outplay.games import TicTacToe
    >>> engine = UciEngine(TicTacToe(), print, "alpha-beta")
    >>> engine.hear("position startpos moves b2 a1 c1")
    >>> engine.hear("go depth 1"); engine.thinker.wait()  # doctest: +ELLIPSIS
    info depth 1 ... pv a3
    bestmove a3
    >>> engine.hear("position startpos moves b2 b2")
    info string illegal move: move 2, b2
    """

    hello, at_your_service, new_game = "uci", "uciok", "ucinewgame"
    """The words that greet the engine, that end its answer, and that begin a game."""

    def __init__(self, game: Game, write: Callable[[str], None], algorithm: str, **more: Any) -> None:
        super().__init__(game, write, algorithm, **more)
        self.dialect = dialect_of(game)
        self.many, self.overhead, self.shows_wdl, self.is_960 = 1, OVERHEAD, False, False
        self.book = self.table = ""
        self.is_limited, self.elo = False, 0
        self.pondering: Limit | None = None
        self.all_options = {option.name.lower(): option for option in self.options_of_game()}

    # -- options ------------------------------------------------------------------------------------------------------

    def options_of_game(self) -> list[Option]:
        """The options, in the order in which GUIs show them."""
        options = [
            Option("Hash", "spin", lambda value: self.change(table_mb=value), "64", 1, 65536),
            Option("Clear Hash", "button", lambda _: self.forget()),
            Option("Threads", "spin", lambda value: self.change(threads=value), "1", 1, 1024),
            Option("MultiPV", "spin", self.setter("many"), "1", 1, 500),
            Option("Ponder", "check", lambda _: None, "false"),
            Option("Move Overhead", "spin", self.setter("overhead"), str(OVERHEAD), 0, 5000),
            Option("Book", "string", lambda value: self.look_up(book=value), "<empty>"),
            Option("Table", "string", lambda value: self.look_up(table=value), "<empty>"),
            Option("Evaluation", "string", lambda value: self.change(evaluation=filled(value) or None), "<empty>"),
            Option("UCI_ShowWDL", "check", self.setter("shows_wdl"), "false"),
        ]
        name = self.dialect.variant
        if name == "chess":
            options.append(Option("UCI_Chess960", "check", self.setter("is_960"), "false"))
        elif name:
            options.append(Option("UCI_Variant", "combo", lambda _: None, name, choices=(name,)))
        if top := self.strongest():
            self.elo = top
            options += [
                Option("UCI_LimitStrength", "check", lambda value: self.weaken(is_limited=value), "false"),
                Option("UCI_Elo", "spin", lambda value: self.weaken(elo=value), str(top), 0, top),
            ]
        return options

    def setter(self, name: str) -> Callable[[Any], None]:
        """What sets an attribute."""
        return lambda value: setattr(self, name, value)

    def look_up(self, **files: str) -> None:
        """Use a book or a table."""
        both = {"book": self.book, "table": self.table, **{name: filled(file) for name, file in files.items()}}
        self.change(books=tuple(file for file in both.values() if file))
        self.book, self.table = both["book"], both["table"]

    def strongest(self) -> int:
        """The Elo of the strongest level that was measured; 0 if there is none."""
        try:
            return int(calibration(self.game, self.algorithm).stairs[-1][0])
        except OutplayError:
            return 0

    def weaken(self, is_limited: bool | None = None, elo: int | None = None) -> None:
        """Play at a strength above that of random moves, in Elo."""
        self.is_limited = self.is_limited if is_limited is None else is_limited
        self.elo = self.elo if elo is None else elo
        strength = Level.by_elo(self.game, self.algorithm, self.elo) if self.is_limited else None
        self.change(strength=strength)

    # -- lines --------------------------------------------------------------------------------------------------------

    def obey(self, line: str) -> None:
        """See `LineEngine`. Words before a command that are none are passed over, as the protocol wants it."""
        commands = {
            self.hello: self.greet, "isready": self.sync, self.new_game: self.begin, "setoption": self.set_option,
            "position": self.position, "go": self.go, "stop": self.stop, "ponderhit": self.ponder_hit,
            "quit": self.quit, "debug": self.ignore, "register": self.ignore, "d": self.show,
        }  # fmt: skip
        words = line.split()
        while words and words[0] not in commands:
            words.pop(0)
        if words:
            commands[words[0]](words[1:])
        elif line:
            raise OutplayError(f"unknown command: {cut(line, 80)}")

    def complain(self, problem: str) -> None:
        """See `LineEngine`."""
        for line in problem.splitlines():
            self.tell(f"info string {line}")

    def greet(self, words: Sequence[str]) -> None:
        """Say who this is, and which options there are."""
        self.tell(
            f"id name outplay {__version__}", "id author the outplay project",
            *(f"option {option}" for option in self.all_options.values()), self.at_your_service,
        )  # fmt: skip

    def sync(self, words: Sequence[str]) -> None:
        """Say that all commands so far are done; the search is compiled by then."""
        self.warm_up()
        self.tell("readyok")

    def begin(self, words: Sequence[str]) -> None:
        """Forget the last game."""
        self.forget()

    def ignore(self, words: Sequence[str]) -> None:
        """Do nothing."""

    def quit(self, words: Sequence[str]) -> None:
        """End."""
        self.ended = True
        self.thinker.finish()

    def show(self, words: Sequence[str]) -> None:
        """Show the position, for people."""
        self.tell(*self.game.render(self.state).splitlines(), self.dialect.state(self.game, self.state))

    def set_option(self, words: Sequence[str]) -> None:
        """Set an option: `name NAME value VALUE`, both perhaps with spaces; letter case does not matter in names."""
        text = " ".join(words).partition("name ")[2]
        name, _, value = text.partition(" value ")
        option = self.all_options.get(name.strip().lower())
        if option is None:
            names = ", ".join(option.name for option in self.all_options.values())
            raise OutplayError(f"there is no option {cut(name.strip(), 80)!r}; there are {names}")
        option.take(value.strip())

    def position(self, words: Sequence[str]) -> None:
        """Set the position up: `startpos` or `fen FEN`, and `moves`."""
        self.thinker.finish()
        place = words.index("moves") if "moves" in words else len(words)
        origin, moves = list(words[:place]), list(words[place + 1 :])
        if origin == ["startpos"]:
            self.set_up(self.game.initial_state(), moves)
        elif len(origin) > 1 and origin[0] in ("fen", "sfen"):
            text = " ".join(origin[1:])
            self.set_up(self.dialect.parse(self.game, text), moves, text)
        else:
            raise OutplayError("write position startpos or position fen FEN, and then moves if there are any")

    # -- moves --------------------------------------------------------------------------------------------------------

    def write_move(self, state: Any, action: int) -> str:
        """See `LineEngine`."""
        if self.is_960 and self.dialect.variant == "chess" and (name := castling(self.game, state, action)):
            return name
        return self.dialect.move(self.game, state, action).replace(" ", "_")

    def read_move(self, state: Any, text: str) -> int:
        """See `LineEngine`."""
        for action in self.legal:
            if text in (
                self.dialect.move(self.game, state, action).replace(" ", "_"),
                castling(self.game, state, action),
            ):
                return action
        return self.game.parse_action(state, self.dialect.read(text.replace("_", " ")))

    # -- searches -----------------------------------------------------------------------------------------------------

    def go(self, words: Sequence[str]) -> None:
        """Search the position, within the limits that follow."""
        self.thinker.finish()
        numbers, flags, root_moves = read_go(words)
        if "perft" in numbers:
            self.perft(numbers["perft"])
            return
        among = [self.action_of(move) for move in root_moves]
        limit = self.limit_of(numbers)
        self.pondering = limit if "ponder" in flags else None
        if "infinite" in flags:
            limit = Limit()
        elif self.pondering:
            limit = replace(limit, seconds=None, clock=None)  # time counts from `ponderhit` on
        is_endless = "infinite" in flags or (limit == Limit() and self.settings.strength is None)
        holds = is_endless or self.pondering is not None
        self.answers_at_the_end = not holds
        self.last_news, self.last_news_at = "", 0.0
        self.think(limit, self.answer, progress=self.report, every=self.many > 1, among=among, holds=holds)

    def limit_of(self, numbers: dict[str, int]) -> Limit:
        """The limit that `go` gives."""
        mine = "wb"[int(self.game.to_move(self.state)) == 1]
        seconds = clock = None
        if "movetime" in numbers:
            seconds = max(0, numbers["movetime"] - self.overhead) / 1000
        if f"{mine}time" in numbers:
            left = max(0, numbers[f"{mine}time"] - self.overhead) / 1000
            clock = Clock(left, numbers.get(f"{mine}inc", 0) / 1000, numbers.get("movestogo") or None)
        depth = numbers.get("depth") or (2 * numbers["mate"] - 1 if numbers.get("mate") else None)
        return Limit(seconds=seconds, clock=clock, depth=depth, nodes=numbers.get("nodes") or None)

    def stop(self, words: Sequence[str]) -> None:
        """End the search; `bestmove` follows."""
        self.thinker.stop()

    def ponder_hit(self, words: Sequence[str]) -> None:
        """The move that was pondered on was played: from now on, time counts."""
        limit, self.pondering = self.pondering, None
        if limit is None or not self.thinker.is_thinking:
            return
        clock = math.inf if limit.clock is None else limit.clock.aim
        seconds = min(clock, math.inf if limit.seconds is None else limit.seconds)
        self.thinker.release(None if seconds == math.inf else seconds)

    def perft(self, depth: int) -> None:
        """Count the lines of so many plies, move by move."""
        from outplay.search.perft import perft  # noqa: PLC0415 - few ask for it

        counts, game, state = perft(self.game, depth, self.state), self.game, self.state
        uci_names = {game.action_name(state, action): self.write_move(state, action) for action in self.legal}
        self.tell(*(f"{uci_names.get(name, name)}: {lines}" for name, lines in counts.divided.items()))
        self.tell("", f"Nodes searched: {counts.lines}")

    def answer(self, thought: Thought) -> None:
        """Tell the move, and the one that is expected next."""
        if thought.problem:
            self.complain(thought.problem)
        if thought.analysis is not None:
            self.report(thought.analysis, is_last=True)
        elif thought.action is None:
            self.tell("info depth 0 score " + ("mate 0" if self.is_lost() else "cp 0"))
        best, *ponder = self.best_moves(thought) or ["(none)"]
        self.tell(f"bestmove {best}" + "".join(f" ponder {move}" for move in ponder))

    def is_lost(self) -> bool:
        """Whether the game is over, and the player to move has lost."""
        game, state = self.game, self.state
        return bool(game.is_terminal(state) and game.utility(state, int(game.to_move(state))) < draw_utility(game))

    def report(self, analysis: Analysis, is_last: bool = False) -> None:
        """Tell what was found so far, if it is new."""
        if not analysis.actions:
            return
        rows = analysis.actions[: self.many] if self.many > 1 else analysis.actions[:1]
        lines = [self.info(analysis, row, number) for number, row in enumerate(rows, start=1)]
        news = " ".join(f"{analysis.depth} {row.value} {row.line}" for row in rows)
        if news == self.last_news and not is_last and analysis.seconds - self.last_news_at < REPEATED:
            return
        self.last_news, self.last_news_at = news, analysis.seconds
        self.tell(*lines)

    def info(self, analysis: Analysis, row: ActionValue, number: int) -> str:
        """A line of information."""
        line, milliseconds = row.line or (row.action,), max(1, round(1000 * analysis.seconds))
        parts = [f"info depth {analysis.depth} seldepth {max(analysis.depth, len(line))}"]
        parts += [f"multipv {number}"] if self.many > 1 else []
        parts.append(f"score {score(analysis, row, self.dialect.centipawns)}")
        if self.shows_wdl:
            parts.append("wdl " + " ".join(map(str, win_draw_loss(analysis, row, self.dialect.is_drawish))))
        parts.append(f"nodes {analysis.nodes} nps {1000 * analysis.nodes // milliseconds}")
        table = getattr(self.searcher, "table_permille", None)
        parts += [f"hashfull {table()}"] if table is not None else []
        parts.append(f"time {milliseconds} pv {' '.join(self.line_of(line))}")
        return " ".join(parts)


def filled(text: str) -> str:
    """The value of an option of text, which GUIs write as <empty> where it is empty."""
    return "" if text == "<empty>" else text


def read_go(words: Sequence[str]) -> tuple[dict[str, int], set[str], list[str]]:
    """The numbers, the flags and the moves of `searchmoves` after `go`. Raises `OutplayError` for a wrong number.

    >>> read_go("wtime 1000 infinite searchmoves e2e4 d2d4 depth 3".split())
    ({'wtime': 1000, 'depth': 3}, {'infinite'}, ['e2e4', 'd2d4'])
    """
    numbers, flags, moves, word = dict[str, int](), set[str](), list[str](), ""
    for text in words:
        if text in WORDS:
            word = text
            flags |= {text} & {"infinite", "ponder"}
        elif word in NUMBERS and word not in numbers:
            if not NUMBER.fullmatch(text):
                raise OutplayError(f"go {word} {cut(text, 40)}: a whole number is missing")
            numbers[word] = max(int(text), 0)
        elif word == "searchmoves":
            moves.append(text)
    return numbers, flags, moves


def castling(game: Any, state: Any, action: int) -> str:
    """The name of castling in Chess960, where the king takes the rook; "" for other moves, and other games."""
    return game.castling_name(state, action) if hasattr(game, "castling_name") else ""


def share_of(analysis: Analysis, value: float) -> float:
    """A value as a share of a win, from -1, a loss, to 1."""
    game, level = analysis.game, draw_utility(analysis.game)
    best = game.utilities[1] if game.utilities else level + 1
    return max(-1.0, min(1.0, (value - level) / (best - level)))


def score(analysis: Analysis, row: ActionValue, centipawns: Callable[[float], float]) -> str:
    """The value of an action in the words of `info`: a mate in so many moves, or hundredths of a pawn."""
    bound = {"upper": " upperbound", "lower": " lowerbound"}.get(row.bound, "")
    share = share_of(analysis, row.value)
    if row.exact and row.distance is not None and share:
        moves = (row.distance + 1) // 2
        return f"mate {moves if share > 0 else -moves}{bound}"
    return f"cp {round(max(-30_000, min(30_000, centipawns(share))))}{bound}"


def win_draw_loss(analysis: Analysis, row: ActionValue, is_drawish: bool) -> tuple[int, int, int]:
    """How many of a thousand games are won, drawn and lost, if the value is their mean.

    The mean does not say how many are drawn: none, or, if the game `is_drawish`, half of them between equal players,
    and the fewer the clearer it is. A proved value is certain.
    """
    share = share_of(analysis, row.value)
    if row.exact and row.bound == "exact" and share in (-1.0, 0.0, 1.0):
        return 1000 * (share == 1), 1000 * (share == 0), 1000 * (share == -1)
    wins = (1 + share) / 2
    drawn = round(1000 * 4 * DRAWISH * wins * (1 - wins)) if is_drawish else 0
    won = max(0, round(1000 * wins - drawn / 2))
    return won, drawn, 1000 - won - drawn
