"""What the formats share: a text with lines, a game that is read move by move, remarks on moves, and results."""

import re
from bisect import bisect_right
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from outplay.arena.records.replay import RecordError, final_utilities, play_on
from outplay.arena.referee import GameRecord, Ply, start_text
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.rules.repetition import History, defeat

BOOK = "book"
"""The remark on moves of the opening, as other programs write it."""
FAULTS = ("time", "illegal move", "error", "hang", "crash")
"""How the reasons begin of games that a player lost by what it did."""
MAX_MESSAGE = 300
"""Longer messages of errors are cut off."""


class Recorded(NamedTuple):
    """A game in a file: the game, its record, the line where it begins, and what is odd about it, each in one line."""

    game: Game
    record: GameRecord
    line: int
    odd: tuple[str, ...] = ()


Found = Recorded | RecordError
"""A game of a file, or why it cannot be read."""


Writer = Callable[[GameRecord], str]
"""Writes one game after another; together they are a file."""


class Source:
    """The text of a file, whose places have lines.

    Args:
        path: the file, for error messages.
        text: its text.
        content: its bytes.
    """

    def __init__(self, path: Any, text: str, content: bytes = b"") -> None:
        self.path, self.text, self.content = path, text, content
        self.ends = [match.start() for match in re.finditer("\n", text)]

    def line(self, place: int) -> int:
        """The number of the line of a place in the text."""
        return bisect_right(self.ends, place - 1) + 1

    def error(self, place: int, message: str) -> RecordError:
        """An error about a place."""
        short = message if len(message) <= MAX_MESSAGE else message[:MAX_MESSAGE] + "…"
        return RecordError(f"{self.path}, line {self.line(place)}: {short}")

    def fail(self, place: int, message: str) -> NoReturn:
        """Raise `RecordError` about a place."""
        raise self.error(place, message) from None

    def note(self, place: int, message: str) -> str:
        """What is odd about a place."""
        return f"line {self.line(place)}: {message}"


def read_source(path: Any, content: bytes) -> Source:
    """The text of a file in UTF-8 (or UTF-16 if it says so), or in Latin-1, the encoding of old files."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        content = BOM_UTF8 + content.decode("utf-16", "replace").encode()
    if b"\0" in content:
        raise RecordError(f"{path} cannot be read: it is not text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"), content)


class Transcript:
    """A game that is read move by move.

    Args:
        source: where it is read from.
        game: the game.
        place: where it begins.
        start: the text of the state in which it begins; by default the initial state.
    """

    def __init__(self, source: Source, game: Game, place: int, start: str | None = None) -> None:
        self.source, self.game, self.place = source, game, place
        try:
            self.states = History([game.initial_state() if start is None else game.parse_state(start)])
        except OutplayError as error:
            source.fail(place, str(error))
        self.start = start_text(game, self.states[0])
        self.actions: list[Any] = []
        self.plies: list[Ply] = []
        self.is_book: list[bool] = []
        self.odd: list[str] = []

    @property
    def state(self) -> Any:
        """The present state."""
        return self.states[-1]

    def play(self, place: int, move: str, written: str | None = None) -> None:
        """Play a move; `written` is how the file has it. Raises `RecordError` if it is not legal."""
        try:
            state = play_on(self.game, self.states, self.actions, move, move if written is None else written)
        except RecordError as error:
            self.source.fail(place, str(error))
        self.plies.append(Ply(self.game.action_name(state, self.actions[-1]), int(self.game.to_move(state))))
        self.is_book.append(False)

    def remark(self, **fields: Any) -> None:
        """Say what is known about the last move: fields of `Ply`, or `book=True`."""
        if self.plies:
            self.is_book[-1] = fields.pop("book", self.is_book[-1])
            self.plies[-1] = Ply(**{**vars(self.plies[-1]), **fields})

    def note(self, place: int, message: str) -> None:
        """Say that something about a place is odd."""
        self.odd.append(self.source.note(place, message))

    def recorded(self, players: Sequence[str], utilities: Sequence[float], reason: str = "") -> Recorded:
        """The game in its file."""
        record = self.record(players, utilities, reason)
        return Recorded(self.game, record, self.source.line(self.place), tuple(self.odd))

    def outcome(
        self, place: int, written: str, recorded: tuple[float, ...], *, possible: bool = True
    ) -> tuple[float, ...]:
        """The utilities: as told, but by the rules where the game is over and has ended otherwise.

        Args:
            place: where the result is told.
            written: how.
            recorded: what that means; () if nothing is told.
            possible: whether a game of this kind can end so at all.
        """
        ended = final_utilities(self.game, self.state)
        if not recorded or (possible and ended in (None, recorded)):
            return recorded if ended is None else ended
        if ended is None and self.game.is_terminal(self.state):
            ended = tuple(float(self.game.utility(self.state, player)) for player in range(self.game.players))
        rules = "no result is taken" if ended is None else f"by the rules it is {_result_text(ended)}, which is taken"
        problem = "contradicts the final position" if possible else "is no result that this game can have"
        self.note(place, f"{written} {problem}; {rules}")
        return ended or ()

    def record(self, players: Sequence[str], utilities: Sequence[float], reason: str) -> GameRecord:
        """The record of the game."""
        opened = next((place for place, is_book in enumerate(self.is_book) if not is_book), len(self.plies))
        names = tuple(ply.name for ply in self.plies[:opened])
        reason = reason or self.usual_reason(utilities)
        guilty = utilities.index(min(utilities)) if reason.startswith(FAULTS) and utilities else None
        return GameRecord(
            tuple(players), names, self.plies[opened:], tuple(utilities), reason, guilty, self.start, self.actions
        )

    def usual_reason(self, utilities: Sequence[float]) -> str:
        """Why a game ended of which nothing else is said."""
        if not utilities:
            return "unfinished"
        if self.game.is_terminal(self.state):
            return "rules"
        return "agreed" if len(set(utilities)) == 1 else "resigned"


def _result_text(utilities: tuple[float, ...]) -> str:
    """A result in words."""
    if len(set(utilities)) == 1:
        return "a draw"
    winner = max(range(len(utilities)), key=utilities.__getitem__)
    margin = f" by {utilities[winner]:g}" if utilities[winner] != 1 else ""
    return f"a win of player {winner}{margin}"


def read_game(read: Callable[[], Recorded]) -> Found:
    """The game that a function reads, or the error that it raises."""
    try:
        return read()
    except RecordError as error:
        return error


def points_of(utilities: Sequence[float]) -> float | None:
    """The points of player 0 of two: 1 for a win, ½ for a draw; None if the game has no result."""
    if len(utilities) != 2:
        return None
    return 0.5 + (utilities[0] > utilities[1]) / 2 - (utilities[0] < utilities[1]) / 2


def utilities_of(game: Game, points: float | None) -> tuple[float, ...]:
    """The utilities of both players for points of player 0; those of a plain win and a plain loss."""
    if points is None:
        return ()
    return (draw_utility(game),) * 2 if points == 0.5 else defeat(game, int(points))


# -- remarks, as cutechess-cli writes them: {+0.35/8 0.12s} -----------------------------------------------------------

NUMBER = r"\d{1,15}(?:\.\d{1,15})?"
REMARK = re.compile(
    rf"\s*(?:([+-]?{NUMBER}(?:e[+-]?\d{{1,3}})?)(?:/(\d{{1,9}}))?\s+)?({NUMBER})s(?: n=(\d{{1,18}}))?\s*(?:,.*)?",
    re.DOTALL,
)
MATE = re.compile(rf"\s*([+-])M\d+(?:/(\d{{1,9}}))?\s+({NUMBER})s.*", re.DOTALL)


def remark_on(ply: Ply, value_text: Callable[[float], str] = "{:+.6g}".format) -> str:
    """What is known about a move: value, depth, time and nodes; the value from the side of its player."""
    value = "" if ply.value is None else value_text(ply.value)
    depth = f"/{ply.depth}" if ply.depth is not None and value else ""
    nodes = f" n={ply.nodes}" if ply.nodes is not None else ""
    if not (value or nodes or ply.seconds):
        return ""
    return f"{value}{depth} {ply.seconds:.3f}s{nodes}".strip()


def parse_remark(text: str, value: Callable[[float], float] = float) -> dict[str, Any]:
    """What a remark says about a move; nothing if it is one of people.

    >>> parse_remark("+0.35/8 0.12s")
    {'value': 0.35, 'depth': 8, 'seconds': 0.12}
    >>> parse_remark("a fine move"), parse_remark("book")
    ({}, {'book': True})
    """
    if text.strip() == BOOK:
        return {"book": True}
    if mate := MATE.fullmatch(text):
        sign, depth, seconds = mate.groups()
        remark = {"value": value(float(f"{sign}1000")), "seconds": float(seconds)}
        return remark if depth is None else {**remark, "depth": int(depth)}
    match = REMARK.fullmatch(text)
    if match is None or len(text) > MAX_MESSAGE:
        return {}
    number, depth, seconds, nodes = match.groups()
    remark = {} if number is None else {"value": value(float(number))}
    remark |= {"depth": int(depth)} if depth else {}
    remark |= {"seconds": float(seconds)}
    return remark | ({"nodes": int(nodes)} if nodes else {})
