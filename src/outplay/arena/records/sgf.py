"""SGF, the Smart Game Format (FF[4]), for Go, Gomoku and Hex; https://www.red-bean.com/sgf/ describes it.

Properties of outplay, which others skip: `XG` is the game where the usual properties do not say all of it, `XR` why it
ended. A comment `C` on a move has its value, depth and time as `transcript.py` writes them.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from outplay.arena.records.replay import RecordError, replay
from outplay.arena.records.transcript import (
    BOOK,
    Found,
    Recorded,
    Source,
    Transcript,
    Writer,
    parse_remark,
    points_of,
    read_game,
    remark_on,
    utilities_of,
)
from outplay.arena.referee import GameRecord
from outplay.games._sgf import Node, SgfError, SgfGame, as_latin_1, escaped, main_lines
from outplay.games._sgf_go import GoMove, go_game
from outplay.games.go import LETTERS, Go
from outplay.games.hex import Hex
from outplay.games.mnk import Gomoku
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.load import built_in_game

FLAGS = {"resigned": "R", "time": "T", "illegal move": "F", "error": "F", "hang": "F", "crash": "F"}
"""How the result is written for our reasons."""
COLOURS = "BW"


class Move(NamedTuple):
    """A move: its name, where it is, how it is written, the comment on it, and its player; None if that is plain."""

    name: str
    place: int
    written: str
    comment: str
    player: int | None = None


class Told(NamedTuple):
    """What SGF tells of a game: the game, the text of the state in which it begins, the moves, and what is odd."""

    game: Any
    start: str | None
    moves: list[Move]
    odd: list[str]


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

    def content(self, line: SgfGame) -> Told:
        """What a main line tells. Raises `OutplayError` if it cannot be played."""
        game = self.game(line.nodes[0])
        moves = []
        for node in line.nodes:
            if any(name in node.properties for name in ("AB", "AW", "AE")):
                raise SgfError("only in Go a game can begin with stones on the board", node.place)
            for name, values in node.properties.items():
                for value in values if name in COLOURS else ():
                    written, comment = f"{name}[{value}]", node.first("C")
                    moves.append(Move(self.read(game, value), node.place, written, comment, COLOURS.index(name)))
        return Told(game, None, moves, line.odd)

    def setup(self, game: Any) -> str:
        """The properties of the root that say what the game is, but for `GM`."""
        return f"SZ[{game.n}]"

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
        """See `Dialect`."""
        game: Game = go_game(SgfGame([root], []), Go).game
        return game

    def content(self, line: SgfGame) -> Told:
        """See `Dialect`. Handicap stones elsewhere than usual are stones at the start."""
        game, start, moves, odd = go_game(line, Go)
        return Told(
            game,
            start,
            [Move(_name(game, move), move.place, move.written or "pass", move.comment) for move in moves],
            odd,
        )

    def setup(self, game: Any) -> str:
        """See `Dialect`."""
        return f"SZ[{game.size}]KM[{game.komi:g}]"

    def placed(self, game: Any, state: Any) -> str:
        """See `Dialect`."""
        if state.ko >= 0 or state.passes:
            raise RecordError("SGF has no games of Go that begin at a ko or after a pass: write JSON lines (.jsonl)")
        return str(game.sgf_setup(state))

    def written(self, game: Any, name: str) -> str:
        """See `Dialect`."""
        return str(game.sgf_point(game.passing if name == "pass" else _action(game, name)))

    def read(self, game: Any, value: str) -> str:
        """See `Dialect`."""
        return value


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
    return next(dialect for dialect in DIALECTS if isinstance(game, dialect.kind))


def writer(game: Any, event: str = "") -> Writer:
    """A writer of games of Go, Gomoku or Hex, one a line."""
    dialect, event_text = dialect_of(game), f"EV[{escaped(event)}]" if event else ""

    def write(record: GameRecord) -> str:
        states, _ = replay(game, record)
        handicap = game.handicap if isinstance(game, Go) and record.start is None else 0
        placed = dialect.placed(game, states[0]) if record.start is not None or handicap else ""
        if handicap:
            placed = f"HA[{handicap}]{placed}"
        setup = dialect.setup(game)
        line = next(main_lines(f"(;{setup}{placed})"))
        assert isinstance(line, SgfGame), "it is well formed"
        game_read = dialect.content(line).game
        game_text = "" if game_read == game else f"XG[{escaped(' '.join(repr(game).split()))}]"
        names = [f"{name}[{escaped(player)}]" for name, player in zip(("PB", "PW"), record.players, strict=True)]
        nodes = []
        remarks = [BOOK] * len(record.opening) + [remark_on(ply) for ply in record.plies]
        moves = [*record.opening, *(ply.name for ply in record.plies)]
        for state, move, remark in zip(states, moves, remarks, strict=False):
            comment = f"C[{escaped(remark)}]" if remark else ""
            nodes.append(f";{COLOURS[game.to_move(state)]}[{dialect.written(game, move)}]{comment}")
        head = f"GM[{dialect.number}]FF[4]CA[UTF-8]AP[outplay]{setup}{placed}{game_text}{event_text}{''.join(names)}"
        result = f"RE[{_result(game, record, states[-1])}]XR[{escaped(record.reason)}]"
        return f"(;{head}{result}{''.join(nodes)})\n"

    return write


def read(source: Source, game: Game | None = None) -> Iterator[Found]:
    """The games of a file, or why one cannot be read."""
    content = source.content or source.text
    source = Source(source.path, as_latin_1(content)[0])  # places in it are numbers of bytes
    for line in main_lines(content):
        if isinstance(line, SgfError):
            yield source.error(line.place, str(line))
        else:
            yield read_game(partial(_game, source, line, game))


def openings(source: Source) -> Iterator[tuple[int, str | None, tuple[str, ...]]]:
    """The place, the start and the moves of each game, which are not checked. Raises `RecordError` if it is not SGF."""
    content = source.content or source.text
    source = Source(source.path, as_latin_1(content)[0])
    for line in main_lines(content):
        if isinstance(line, SgfError):
            raise source.error(line.place, str(line))
        root = line.nodes[0]
        main_line = _content_of(source, line)
        yield root.place, _start(main_line, type(main_line.game)()), tuple(move.name for move in main_line.moves)


def _content_of(source: Source, line: SgfGame) -> Told:
    """What a main line tells. Raises `RecordError` if it cannot be played."""
    root = line.nodes[0]
    number = root.first("GM") or "1"
    dialect = next((dialect for dialect in DIALECTS if dialect.number == number), None)
    if dialect is None:
        source.fail(root.place, f"GM[{number}]: this is another game; Go is GM[1], Gomoku GM[4] and Hex GM[11]")
    try:
        return dialect.content(line)
    except SgfError as error:
        source.fail(error.place, str(error).removeprefix("SGF: "))
    except OutplayError as error:
        source.fail(root.place, str(error))


def _start(content: Told, rules: Any) -> str | None:
    """The text of the state in which a game begins; None for the initial state of the rules."""
    if content.start is None and getattr(content.game, "handicap", 0) != getattr(rules, "handicap", 0):
        return str(content.game.state_text(content.game.initial_state()))
    return content.start


def _game(source: Source, line: SgfGame, game: Game | None) -> Recorded:
    """The game of a main line."""
    root = line.nodes[0]
    content = _content_of(source, line)
    game_named: Any = content.game
    if "XG" in root.properties:
        try:
            game_named = game if root.first("XG") == repr(game) else built_in_game(root.first("XG"))
        except OutplayError as error:
            source.fail(root.place, str(error))
    rules: Any = game_named if game is None else game
    if not all(
        isinstance(rules_or_named, dialect_of(content.game).kind) for rules_or_named in (rules, game_named)
    ) or _width(game_named) != _width(rules):
        source.fail(root.place, f"this is a game of {game_named!r}, not of {rules!r}")
    transcript = Transcript(source, rules, root.place, _start(content, rules))
    for remark in content.odd:
        transcript.note(root.place, remark)
    for move in content.moves:
        mover = None if rules.is_terminal(transcript.state) else rules.to_move(transcript.state)
        if None not in (mover, move.player) and mover != move.player:
            number = len(transcript.actions) + 1
            source.fail(move.place, f"move {number}, {move.written}: it is the other player's turn")
        transcript.play(move.place, move.name, move.written)
        transcript.remark(**parse_remark(move.comment))
    utilities, reason = _outcome(transcript, root)
    players = root.first("PB") or "?", root.first("PW") or "?"
    return transcript.recorded(players, utilities, root.first("XR") or reason)


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


BLACK = re.compile(r"\s*(b(?!oth)|黒|黑|흑)", re.IGNORECASE)
WHITE = re.compile(r"\s*(w|白|백)", re.IGNORECASE)
ANYWHERE = re.compile(r"(?P<black>\bblack\b|黒|黑|흑)|\bwhite\b|白|백", re.IGNORECASE)
WON = re.compile(r"\+|\bw[io]n|勝|胜|贏|赢|승", re.IGNORECASE)
LOST = re.compile(r"\bresign(s|ed)\b|\blos(es|t)\b|\bforfeits\b|投了|認輸|认输|負|负|敗|败|패", re.IGNORECASE)
NONE = re.compile(r"|\?.*|void|no result|suspended|unfinished|left unfinished|無勝負|打(ち)?掛(け)?", re.IGNORECASE)
DRAW = re.compile(r"0|draw|jigo|tie|持碁|和棋|和局|무승부|빅", re.IGNORECASE)
ENDS = {
    "resigned": re.compile(r"\+\s*r(?![a-df-z])|resign|中押|中盤|中盘|投了|認輸|认输|불계", re.IGNORECASE),
    "time": re.compile(r"\+\s*t\b|\btime|時間|时间|超时|超時|시간", re.IGNORECASE),
    "illegal move": re.compile(r"\+\s*f\b|forfeit|illegal|反則|犯规", re.IGNORECASE),
}
"""Our reasons by what is written of a result."""
POINTS = re.compile(r"(\d{1,6}(?:[.,]\d{1,6})?)\s*(?:points?|pts?|moku|目|집)?\s*(半|½|반)?")


def _outcome(transcript: Transcript, root: Node) -> tuple[tuple[float, ...], str]:
    """The utilities and the reason that `RE` tells, in the letters of SGF or in the words of people."""
    game: Any = transcript.game
    text = root.first("RE").strip()
    if NONE.fullmatch(text):
        return transcript.outcome(root.place, "", ()), ""
    if DRAW.fullmatch(text):
        return transcript.outcome(root.place, f"RE[{text}]", utilities_of(game, 0.5)), ""
    winner = _winner(text)
    if winner is None:
        transcript.note(root.place, f"RE[{text}]: expected a result such as B+3.5, W+R or 0; no result is taken")
        return transcript.outcome(root.place, "", ()), ""
    reason = next((reason for reason, words in ENDS.items() if words.search(text)), "")
    match = None if reason or "子" in text else POINTS.search(text[text.find("+") + 1 :])
    points = float(match[1].replace(",", ".")) + bool(match[2]) / 2 if match else None
    utilities = utilities_of(game, float(winner == 0))
    if isinstance(game, Go) and game.margin and points is not None:
        utilities = (points, 0.0 - points) if winner == 0 else (0.0 - points, points)
    most = game.size**2 + abs(game.komi) if isinstance(game, Go) and points is not None else None
    possible = most is None or (points is not None and points <= most)
    return transcript.outcome(root.place, f"RE[{text}]", utilities, possible=possible), reason


def _winner(text: str) -> int | None:
    """The player who has won by what is written of a result; None if that is not told.

    >>> [_winner(text) for text in ("B+R", "W", "white won by 3", "Black resigns.", "257手, 黒中押し勝ち", "x")]
    [0, 1, 1, 1, 0, None]
    """
    if BLACK.match(text):
        player = 0
    elif WHITE.match(text):
        player = 1
    elif match := ANYWHERE.search(text):
        player = 0 if match["black"] else 1
    else:
        return None
    if WON.search(text) or not re.search(r"[^\W\d_]", text[1:]):
        return player
    if LOST.search(text):
        return 1 - player
    return player if text.lower() in ("black", "white") else None


def _size(root: Node, default: int) -> int:
    size = root.first("SZ") or str(default)
    one, _, rows = size.partition(":")
    size = one if one == rows else size
    if not re.fullmatch(r"\d{1,3}", size):
        raise RecordError(f"SZ[{size}]: expected a whole number")
    return int(size)


def _action(game: Go, name: str) -> int:
    """The action of a point by its name, such as D4."""
    return (int(name[1:]) - 1) * game.size + LETTERS.index(name[0])


def _name(game: Go, move: GoMove) -> str:
    """The name of a move, or what is written if there is no such point."""
    return game.action_name(None, move.action) if move.action >= 0 else move.written[2:-1]


def _width(game: Any) -> int:
    """The number of columns."""
    return int(game.size if isinstance(game, Go) else game.m if isinstance(game, Gomoku) else game.n)
