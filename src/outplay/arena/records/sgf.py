"""SGF, the Smart Game Format (FF[4]), for Go, Gomoku and Hex; https://www.red-bean.com/sgf/ describes it.

Properties of outplay, which others skip: `XG` is the game where the usual properties do not say all of it, `XR` why it
ended. A comment `C` on a move has its value, depth and time as `transcript.py` writes them.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from outplay.arena.records.replay import RecordError, replay
from outplay.arena.records.transcript import (
    BOOK,
    Recorded,
    Source,
    Transcript,
    Writer,
    parse_remark,
    points_of,
    remark_on,
    utilities_of,
)
from outplay.arena.referee import GameRecord
from outplay.games._sgf import Node, SgfError, escaped, main_lines
from outplay.games.go import LETTERS, Go
from outplay.games.hex import Hex
from outplay.games.mnk import Gomoku
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.load import built_in_game

FLAGS = {"resigned": "R", "time": "T", "illegal move": "F", "error": "F", "hang": "F", "crash": "F"}
"""How the result is written for our reasons."""
ENDS = {
    "R": "resigned",
    "RESIGN": "resigned",
    "T": "time",
    "TIME": "time",
    "F": "illegal move",
    "FORFEIT": "illegal move",
}
COLOURS = "BW"


class Dialect(ABC):
    """What SGF says about one game.

    Attributes:
        number: the value of `GM`.
        kind: the class of games.
    """

    number: str
    kind: type[Game]

    @abstractmethod
    def game(self, root: Node) -> Game:
        """The game by the properties of the root. Raises `OutplayError` if it cannot be played."""

    def setup(self, game: Any) -> str:
        """The properties of the root that say what the game is, but for `GM`."""
        return f"SZ[{game.n}]"

    def start(self, game: Any, root: Node) -> str | None:
        """The text of the state in which the game begins. Raises `OutplayError` if stones are set that cannot be."""
        if any(name in root.properties for name in ("AB", "AW", "AE")):
            raise RecordError("only in Go a game can begin with stones on the board")
        return None

    def placed(self, game: Any, state: Any) -> str:
        """The properties of the root that set up a state. Raises `RecordError` if there are none."""
        raise RecordError("SGF has no games of this kind from a state of their own: write JSON lines (.jsonl)")

    @abstractmethod
    def written(self, game: Any, name: str) -> str:
        """How a move is written."""

    @abstractmethod
    def read(self, game: Any, value: str) -> str:
        """The name of a move, or another text that is no legal one."""


class GoDialect(Dialect):
    """Go: points as two letters, columns from the left and rows from the top."""

    number, kind = "1", Go

    def game(self, root: Node) -> Game:
        """See `Dialect`. Handicap stones elsewhere than usual are stones at the start."""
        size, stones = _square(root.first("SZ", "19")), root.first("HA", "0")
        komi = root.first("KM").strip().replace(",", ".") or "0"
        if not re.fullmatch(r"\d{1,3}", size) or not re.fullmatch(r"\d{1,3}", stones):
            raise RecordError(f"SZ[{size}], HA[{stones}]: expected whole numbers, and a square board")
        if not re.fullmatch(r"[+-]?\d{1,4}(\.\d*)?", komi):
            raise RecordError(f"KM[{komi}]: expected a number")
        game = Go(int(size), float(komi))
        if int(stones) > 1:
            usual = Go(int(size), float(komi), int(stones))
            if sorted(root.properties.get("AB", [])) == sorted(map(usual.sgf_point, usual.handicap_points())):
                return usual
        return game

    def setup(self, game: Any) -> str:
        """See `Dialect`."""
        return f"SZ[{game.size}]KM[{game.komi:g}]"

    def placed(self, game: Any, state: Any) -> str:
        """See `Dialect`."""
        if state.ko >= 0 or state.passes:
            raise RecordError("SGF has no games of Go that begin at a ko or after a pass: write JSON lines (.jsonl)")
        parts = ""
        for name, stones in zip(("AB", "AW"), game.colours(state), strict=True):
            points = "".join(f"[{game.sgf_point(action)}]" for action in game.listed(stones))
            parts += f"{name}{points}" if points else ""
        return f"{parts}PL[{COLOURS[state.turn]}]"

    def start(self, game: Any, root: Node) -> str | None:
        """See `Dialect`."""
        if not root.properties.keys() & {"AB", "AW", "PL"}:
            return None
        stones = {}
        for name, mark in ("AB", "X"), ("AW", "O"):
            for value in root.properties.get(name, []):
                for point in _points(game, value):
                    if point in stones:
                        raise RecordError(f"{name}[{value}]: there is a stone already")
                    stones[point] = mark
        player = root.first("PL") or ("W" if int(root.first("HA", "0")) > 1 else "B")
        if player[:1].upper() not in COLOURS:
            raise RecordError(f"PL[{player}]: expected B or W")
        rows = [
            "".join(stones.get(row * game.size + column, ".") for column in range(game.size))
            for row in range(game.size)
        ]
        text = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in reversed(rows))
        return f"{text} {player[:1].lower()} - 0"

    def written(self, game: Any, name: str) -> str:
        """See `Dialect`."""
        return str(game.sgf_point(game.passing if name == "pass" else _action(game, name)))

    def read(self, game: Any, value: str) -> str:
        """See `Dialect`; `tt` is a pass too, as in old files, on boards that have no such point."""
        action = game.sgf_action(value)
        return value if action < 0 else str(game.action_name(None, action))


class GomokuDialect(Dialect):
    """Gomoku: points as in Go."""

    number, kind = "4", Gomoku

    def game(self, root: Node) -> Game:
        """See `Dialect`."""
        return Gomoku(_size(root, 15))

    def written(self, game: Any, name: str) -> str:
        """See `Dialect`."""
        return name[0] + chr(97 + game.n - int(name[1:]))

    def read(self, game: Any, value: str) -> str:
        """See `Dialect`."""
        is_point = len(value) == 2 and value.isascii() and value.islower()
        return f"{value[0]}{game.n - (ord(value[1]) - 97)}" if is_point else value


class HexDialect(Dialect):
    """Hex: cells as in HexGui, such as `b3`, and `swap-pieces`."""

    number, kind = "11", Hex

    def game(self, root: Node) -> Game:
        """See `Dialect`."""
        return Hex(_size(root, 11))

    def written(self, game: Any, name: str) -> str:
        """See `Dialect`."""
        return "swap-pieces" if name == "swap" else name

    def read(self, game: Any, value: str) -> str:
        """See `Dialect`."""
        return "swap" if value == "swap-pieces" else value


DIALECTS = (GoDialect(), GomokuDialect(), HexDialect())


def dialect_of(game: Game) -> Dialect:
    """How games of this kind are written."""
    return next(each for each in DIALECTS if isinstance(game, each.kind))


def writer(game: Any, event: str = "") -> Writer:
    """A writer of games of Go, Gomoku or Hex, one a line."""
    dialect, called = dialect_of(game), f"EV[{escaped(event)}]" if event else ""

    def write(record: GameRecord) -> str:
        states, _ = replay(game, record)
        handicap = game.handicap if isinstance(game, Go) and record.start is None else 0
        placed = dialect.placed(game, states[0]) if record.start is not None or handicap else ""
        if handicap:
            placed = f"HA[{handicap}]{placed}"
        setup = dialect.setup(game)
        known = dialect.game(next(main_lines(f"(;{setup}{placed})"))[0])
        more = "" if known == game else f"XG[{escaped(' '.join(repr(game).split()))}]"
        names = [f"{name}[{escaped(player)}]" for name, player in zip(("PB", "PW"), record.players, strict=True)]
        nodes = []
        remarks = [BOOK] * len(record.opening) + [remark_on(ply) for ply in record.plies]
        moves = [*record.opening, *(ply.name for ply in record.plies)]
        for state, move, remark in zip(states, moves, remarks, strict=False):
            comment = f"C[{escaped(remark)}]" if remark else ""
            nodes.append(f";{COLOURS[game.to_move(state)]}[{dialect.written(game, move)}]{comment}")
        head = f"GM[{dialect.number}]FF[4]CA[UTF-8]AP[outplay]{setup}{placed}{more}{called}{''.join(names)}"
        result = f"RE[{_result(game, record, states[-1])}]XR[{escaped(record.reason)}]"
        return f"(;{head}{result}{''.join(nodes)})\n"

    return write


def read(source: Source, game: Game | None = None) -> Iterator[Recorded]:
    """The games of a file. Raises `RecordError` if it is not SGF, or for other games."""
    try:
        for nodes in main_lines(source.text):
            yield _game(source, nodes, game)
    except SgfError as error:
        source.fail(error.place, str(error))


def openings(source: Source) -> Iterator[tuple[int, str | None, tuple[str, ...]]]:
    """The place, the start and the moves of each game, which are not checked. Raises `RecordError` if it is not SGF."""
    try:
        for nodes in main_lines(source.text):
            root = nodes[0]
            dialect = _dialect(source, root)
            game = dialect.game(root)
            moves = [value for node in nodes for colour in COLOURS for value in node.properties.get(colour, ())]
            yield root.place, dialect.start(game, root), tuple(dialect.read(game, move) for move in moves)
    except SgfError as error:
        source.fail(error.place, str(error))
    except RecordError:
        raise
    except OutplayError as error:
        source.fail(root.place, str(error))


def _dialect(source: Source, root: Node) -> Dialect:
    number = root.first("GM", "1")
    for each in DIALECTS:
        if each.number == number:
            return each
    raise source.error(root.place, f"GM[{number}]: this is another game; Go is GM[1], Gomoku GM[4] and Hex GM[11]")


def _game(source: Source, nodes: list[Node], game: Game | None) -> Recorded:
    """The game of its nodes."""
    root = nodes[0]
    dialect = _dialect(source, root)
    try:
        told: Any = dialect.game(root)
        if "XG" in root.properties:
            told = game if root.first("XG") == repr(game) else built_in_game(root.first("XG"))
        rules = told if game is None else game
        if not isinstance(rules, dialect.kind) or not isinstance(told, dialect.kind) or _width(told) != _width(rules):
            raise RecordError(f"this is a game of {told!r}, not of {rules!r}")
        start = dialect.start(rules, root)
    except OutplayError as error:
        source.fail(root.place, str(error))
    transcript = Transcript(source, rules, root.place, start)
    for node in nodes:
        setup = node.properties.keys() & {"AB", "AW", "AE"}
        if setup and node is not root:
            source.fail(node.place, f"{', '.join(sorted(setup))}: set-up stones are not part of a game")
        for colour in COLOURS:
            for value in node.properties.get(colour, ()):
                written = f"{colour}[{value}]"
                if not rules.is_terminal(transcript.state) and COLOURS[rules.to_move(transcript.state)] != colour:
                    source.fail(
                        node.place, f"move {len(transcript.actions) + 1}, {written}: it is the other player's turn"
                    )
                transcript.play(node.place, dialect.read(rules, value), written)
                transcript.remark(**parse_remark(node.first("C")))
    players = root.first("PB", "?"), root.first("PW", "?")
    utilities, reason = _outcome(source, rules, root)
    return Recorded(rules, transcript.record(players, utilities, root.first("XR") or reason), source.line(root.place))


def _result(game: Any, record: GameRecord, state: Any) -> str:
    """The value of `RE`."""
    points = points_of(record.utilities)
    if points is None:
        return "?"
    if points == 0.5:
        return "0"
    flag = FLAGS.get(record.reason.partition(":")[0], "")
    if not flag and isinstance(game, Go) and game.is_terminal(state):
        black, white = game.area(state)
        flag = f"{abs(black - white - game.komi):g}"
    return f"{COLOURS[points == 0]}+{flag}"


def _outcome(source: Source, game: Any, root: Node) -> tuple[tuple[float, ...], str]:
    """The utilities and the reason that `RE` tells."""
    text = root.first("RE", "?").strip().upper()
    if text in ("", "?", "VOID"):
        return (), ""
    if text in ("0", "DRAW", "JIGO"):
        return utilities_of(game, 0.5), ""
    found = re.fullmatch(r"([BW])\+(\d+(?:\.\d*)?|[A-Z]*).*", text)
    if found is None:
        source.fail(root.place, f"RE[{root.first('RE')}]: expected a result such as B+3.5, W+R or 0")
    colour, by = found.groups()
    if getattr(game, "margin", False) and by[:1].isdecimal():
        return (float(by), 0.0 - float(by)) if colour == "B" else (0.0 - float(by), float(by)), ""
    return utilities_of(game, float(colour == "B")), ENDS.get(by, "")


def _size(root: Node, default: int) -> int:
    size = _square(root.first("SZ", str(default)))
    if not re.fullmatch(r"\d{1,3}", size):
        raise RecordError(f"SZ[{size}]: expected a whole number")
    return int(size)


def _square(size: str) -> str:
    """The size of a board, which may be written as 9:9."""
    one, _, other = size.partition(":")
    return one if one == other else size


def _action(game: Go, name: str) -> int:
    """The action of a point by its name, such as D4."""
    return (int(name[1:]) - 1) * game.size + LETTERS.index(name[0])


def _points(game: Go, value: str) -> Iterator[int]:
    """The points of a value: one, or a rectangle such as `aa:cc`."""
    first, _, last = value.partition(":")
    begin, end = game.sgf_action(first), game.sgf_action(last or first)
    if not (0 <= begin < game.passing and 0 <= end < game.passing):
        raise RecordError(f"[{value}]: there is no such point on this board")
    (top, left), (bottom, right) = divmod(begin, game.size), divmod(end, game.size)
    for row in range(min(top, bottom), max(top, bottom) + 1):
        yield from (row * game.size + column for column in range(min(left, right), max(left, right) + 1))


def _width(game: Any) -> int:
    """The number of columns."""
    return int(game.size if isinstance(game, Go) else game.m if isinstance(game, Gomoku) else game.n)
