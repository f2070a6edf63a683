"""Values of positions that are known before a search: opening books, endgame tables, or a user's own source.

Reading order: `BookEntry` (what is known about one position), `LookUp` (the protocol of sources), `Book` (a look-up
made from analyses and kept in a file), `answer` (how a search uses look-ups).

The file of a book is text, with one position per line, sorted by key:

    outplay book 2
    game: TicTacToe()
    rules: 3db1a0f28c6e5d47        a hash of what the rules say in some random games
    check: 9a3f…                   the SHA-256 of all lines below
    0a1b2c3d4e5f6071:3,77c05e1b2a3d4f60:5 0.0 exact -
    93f5e9a0b1c2d3e4:2 0.25 estimate 12 50000 1.5

A line holds the key and the best action of the position and of each of its images (mirrored or turned), then the value
for the player to move, then either "exact", "lower" or "upper" and the distance, or "estimate" and the depth, nodes and
seconds of the search.
"""

import hashlib
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, runtime_checkable

from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.limits import UNLIMITED, Limit
from outplay.engine.rules_mark import RulesMark
from outplay.engine.stopping import StopReason
from outplay.rules.arguments import check_is_game, check_type
from outplay.rules.constant_sum import is_opposed, total
from outplay.rules.errors import BookError
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import state_key
from outplay.rules.numbered import numbered
from outplay.rules.options import MAX_NUMBER
from outplay.system.files import check_version, read_file, write_file

FORMAT = "outplay book 2"
KINDS = ("estimate", "upper", "lower", "exact")
MAX_BOOK_LINE = 256
"""The maximum length of a line that is read from books."""
ROUNDING = 1e-9
"""The largest difference, relative or absolute, between exact values that counts as rounding."""
AGAIN = "make it again, for instance with: outplay book"


@dataclass(frozen=True, kw_only=True)
class BookEntry:
    """What is known about a position.

    Attributes:
        value: the utility for the player to move.
        kind: "exact", "lower" (the true value is proved to be at least `value`), "upper" (at most `value`) or
            "estimate".
        distance: plies to the end of the game, if the value is exact and decisive and the distance is known.
        action: the best action, if known.
        depth: for an estimate, the plies that the search looked ahead.
        nodes: for an estimate, the states that the search made.
        seconds: for an estimate, the time that the search took.

    Raises `ValueError` for an unknown kind or a number out of range.

    >>> BookEntry(value=1, kind="exact", distance=3, action=4).replaces(Limit(seconds=60))
    True
    >>> BookEntry(value=0.1, kind="estimate", action=4, depth=12).replaces(Limit(depth=14))
    False
    """

    value: float
    kind: str
    distance: int | None = None
    action: int | None = None
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"BookEntry(kind={self.kind!r}): choose {', '.join(KINDS)}")
        for name in ("value", "distance", "action", "depth", "nodes", "seconds"):
            number = getattr(self, name)
            least = {"value": -math.inf, "distance": 1}.get(name, 0)
            most = math.inf if name in ("value", "seconds") else MAX_NUMBER
            if number is not None and not least <= number <= most:
                raise ValueError(f"BookEntry({name}={number!r}): {name} must be a number from {least} to {most}")

    def replaces(self, limit: Limit) -> bool:
        """Whether this entry can stand in for a search with `limit`.

        It must have an action, and either the exact value or an estimate from a search at least as large as the limit
        allows. An estimate never replaces a search without a limit, since such a search proves the value.
        """
        if self.action is None or self.kind in ("lower", "upper"):
            return False
        return self.kind == "exact" or (
            limit != UNLIMITED
            and self.depth >= (limit.depth or 0)
            and self.nodes >= (limit.nodes or 0)
            and self.seconds >= (limit.seconds or 0)
        )

    def contradicts(self, other: "BookEntry") -> bool:
        """Whether the two entries prove things about one position that cannot both be true."""
        both = (self, other)
        least = max((entry.value for entry in both if entry.kind in ("exact", "lower")), default=-math.inf)
        most = min((entry.value for entry in both if entry.kind in ("exact", "upper")), default=math.inf)
        return least > most and not math.isclose(least, most, rel_tol=ROUNDING, abs_tol=ROUNDING)

    def rank(self) -> tuple[Any, ...]:
        """A sort key, greater for better entries: proved before estimated, then more complete, then deeper."""
        return (
            self.kind == "exact",
            self.kind != "estimate",
            self.action is not None,
            self.distance is not None,
            self.depth,
            self.nodes,
        )


@runtime_checkable
class LookUp(Protocol):
    """A source of known positions: a `Book`, an endgame table, or any class with this method."""

    def look_up(self, game: Game, state: Any) -> BookEntry | None:
        """What is known about `state`, which is not terminal; None if nothing is known."""


class Book:
    """A collection of known positions, made from analyses. Images of a position (`game.symmetries`) count as the same.

    Args:
        game: the game to which the positions belong.
        analyses: analyses to start with; use `add` to add another one, and `put` to add an entry from elsewhere.

    >>> from outplay import AlphaBeta
    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> after_corner, after_other_corner = (game.result(game.initial_state(), square) for square in (0, 8))
    >>> book = Book(game, [AlphaBeta(game).search(after_corner)])
    >>> after_other_corner in book
    True
    >>> book.look_up(game, after_other_corner)
    BookEntry(value=0.0, kind='exact', distance=None, action=4, depth=0, nodes=0, seconds=0.0)
    """

    def __init__(self, game: Game, analyses: Iterable[Analysis] = ()) -> None:
        check_is_game(game, "Book")
        if numbered(game) is not game:
            raise BookError(f"{game!r} has actions that are not ints: a book cannot hold them")
        self.game = game
        self._mark = RulesMark(game)
        self._entries: dict[int, BookEntry] = {}  # by the key of each image of a position
        self._images: set[tuple[int, ...]] = set()  # the keys of all images of one position, in order
        for analysis in analyses:
            self.add(analysis)

    def add(self, analysis: Analysis) -> None:
        """Add the result of `analysis`, unless the book has a better entry. An analysis without an answer is ignored.

        Raises `BookError` if the analysis is of another game.
        """
        self.check(analysis.game)
        if analysis.action is None or not analysis.actions:
            return
        best = analysis.actions[0]
        if analysis.exact:
            entry = BookEntry(value=analysis.value, kind="exact", distance=analysis.distance, action=analysis.action)
        elif best.exact and best.bound != "exact":  # a proved bound
            entry = BookEntry(value=analysis.value, kind=best.bound, action=analysis.action)
        else:
            entry = BookEntry(
                value=analysis.value,
                kind="estimate",
                action=analysis.action,
                depth=analysis.depth,
                nodes=analysis.nodes,
                seconds=round(analysis.seconds, 3),
            )
        self.put(analysis.state, entry)

    def put(self, state: Any, entry: BookEntry) -> None:
        """Store `entry` for `state` and all its images, unless the book has a better entry.

        The best action in an image is the one that leads to an image of the same child.
        """
        game, best, own_key = self.game, entry.action, state_key(self.game, state)
        if own_key in self._entries and self._entries[own_key].rank() > entry.rank():
            return
        child = None if best is None else canonical_key(game, game.result(state, best))
        images_of_state = images(game, state)
        for key, image in images_of_state.items():
            same = (int(a) for a in legal_actions(game, image) if canonical_key(game, game.result(image, a)) == child)
            self._entries[key] = replace(entry, action=next(same, None))
        self._entries[own_key] = entry
        self._images.add(tuple(sorted(images_of_state)))

    def entries(self) -> list[BookEntry]:
        """One entry for each position; all images of a position count as one."""
        return [self._entries[keys[0]] for keys in self._images]

    def look_up(self, game: Game, state: Any) -> BookEntry | None:
        """The entry of `state`, or None if it is not in the book. Raises `BookError` for another game."""
        self.check(game)
        return self._entries.get(state_key(game, state))

    def items(self) -> Iterator[tuple[int, BookEntry]]:
        """Pairs of key (`state_key`) and entry; each image of a position has its own pair."""
        return iter(self._entries.items())

    def check(self, game: Game) -> None:
        """Raise `BookError` if this book is of another game, or of other rules."""
        self._mark.check(game, "book", BookError)

    def __contains__(self, state: Any) -> bool:
        return state_key(self.game, state) in self._entries

    def __len__(self) -> int:
        """The number of positions; all images of a position count as one."""
        return len(self._images)

    def __repr__(self) -> str:
        return f"<Book of {self.game!r}: {len(self):,} positions>"

    def _repr_html_(self) -> str:
        """For notebooks: how much is known, and the positions that come first in play."""
        from outplay.engine.book_page import book_html  # noqa: PLC0415 - only notebooks need it

        return book_html(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Book) and (self.game, self._entries) == (other.game, other._entries)

    def __hash__(self) -> int:
        return hash(self.game)  # what is in the book may change

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, merge: bool = False) -> None:
        """Write the book to a file, either completely or not at all. Raises `BookError` if it cannot be written.

        With `merge`, entries of an existing file that are new or better are added to the book first. The file is
        locked meanwhile, so no other process can write it.
        """

        def content() -> bytes:
            if merge and os.path.exists(path):
                in_file = self.load(path, self.game)
                try:
                    self.merge(in_file)
                except BookError as error:
                    raise BookError(f"{path} cannot be merged: {error}") from None
            lines = sorted(f"{self._line(keys)}\n" for keys in self._images)
            header = [FORMAT, _game_line(self.game), _rules_line(self.game), f"check: {_check(lines)}"]
            return ("\n".join(header) + "\n" + "".join(lines)).encode()

        write_file(path, content, BookError)

    def merge(self, other: "Book") -> None:
        """Add all entries of another book of this game that are new or better.

        Raises `BookError`, and adds nothing, if the two books prove things that cannot both be true.
        """
        self.check(other.game)
        better = []
        for keys in other._images:
            mine, theirs = self._entries.get(keys[0]), other._entries[keys[0]]
            if mine is None or mine.rank() < theirs.rank():
                better.append(keys)
            if mine is not None and mine.contradicts(theirs):
                raise BookError(
                    f"position {_hex(keys[0])} is {mine.kind} {mine.value} here and {theirs.kind} {theirs.value} there:"
                    " one of the books was made with other rules; keep them apart"
                )
        for keys in better:
            self._images.add(keys)
            self._entries.update((key, other._entries[key]) for key in keys)

    def _line(self, keys: tuple[int, ...]) -> str:
        entry = self._entries[keys[0]]
        places = [_hex(key) + ("" if (action := self._entries[key].action) is None else f":{action}") for key in keys]
        work = f"{entry.depth} {entry.nodes} {entry.seconds}"
        effort = work if entry.kind == "estimate" else entry.distance or "-"
        return f"{','.join(places)} {float(entry.value)!r} {entry.kind} {effort}"

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game) -> Self:
        """Read the book of `game` from a file.

        Raises `BookError` if the file does not exist, is not a book, belongs to another game or is damaged.
        """
        check_type(game, Game, "Book.load(path, {})", "TicTacToe()")
        text = read_file(path, BookError).decode(errors="replace").replace("\r\n", "\n")
        lines = text.splitlines(keepends=True)
        header, body = [line.rstrip("\n") for line in lines[:4]], lines[4:]
        check_version(path, "".join(header[:1]), FORMAT, BookError)
        if header[:1] != [FORMAT]:
            empty = ": the file is empty" if not text else ""
            raise BookError(f"{path} is not a book: its first line is not {FORMAT!r}{empty}")
        if len(header) < 4:
            raise BookError(f"{path}, line {len(header) + 1}: the book is cut off; {AGAIN}")
        if header[1] != _game_line(game):
            raise BookError(f"{path}, line 2: a book of another game, {header[1]!r}, not of {game!r}")
        if header[2] != _rules_line(game):
            raise BookError(f"{path}, line 3: the rules of {game!r} have changed since the book was made; {AGAIN}")
        book = cls(game)
        for number, line in enumerate(body, start=5):
            try:
                book._read(line)
            except ValueError as error:
                raise BookError(f"{path}, line {number}: not a position of a book ({error}); {AGAIN}") from error
        if header[3] != f"check: {_check(body)}":
            raise BookError(f"{path}, line 4: the book was changed or cut off since it was written; {AGAIN}")
        return book

    def _read(self, line: str) -> None:
        """Add the entry of a line that `_line` wrote. Raises `ValueError` for any other line."""
        places, value, kind, *effort = line.split()
        if kind == "estimate":
            depth, nodes, seconds = effort
            entry = BookEntry(value=float(value), kind=kind, depth=int(depth), nodes=int(nodes), seconds=float(seconds))
        else:
            (distance,) = effort
            entry = BookEntry(value=float(value), kind=kind, distance=None if distance == "-" else int(distance))
        keys = []
        for place in places.split(","):
            key, _, action = place.partition(":")
            keys.append(_unhex(key))
            if keys[-1] in self._entries:
                raise ValueError(f"{key} is there twice")
            self._entries[keys[-1]] = replace(entry, action=int(action) if action else None)
        self._images.add(tuple(keys))


def images(game: Game, state: Any) -> dict[int, Any]:
    """`state` and its images, mirrored or turned, by key."""
    return {state_key(game, image): image for image in game.symmetries(state)}


def canonical_key(game: Game, state: Any) -> int:
    """One key for a position and all its images: the smallest of their keys.

    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> len({canonical_key(game, game.result(game.initial_state(), square)) for square in range(9)})
    3
    """
    return min(images(game, state))


def positions(game: Game, plies: int, root: Any = None) -> list[list[Any]]:
    """The positions at 0, 1, …, `plies` plies from `root` (by default the initial state): one list for each ply.

    Terminal states are left out. Of positions that are images of each other, only one is listed.

    >>> from outplay.games import TicTacToe
    >>> [len(ply) for ply in positions(TicTacToe(), 3)]
    [1, 3, 12, 38]
    """
    check_is_game(game, "positions")
    start = game.initial_state() if root is None else root
    layer = [[] if game.is_terminal(start) else [start]]
    for _ in range(plies):
        below: dict[int, Any] = {}
        for state in layer[-1]:
            for action in legal_actions(game, state):
                child = game.result(state, action)
                if not game.is_terminal(child):
                    below.setdefault(canonical_key(game, child), child)
        layer.append(list(below.values()))
    return layer


# -- how a search uses look-ups ---------------------------------------------------------------------------------------


def answer(books: Sequence[LookUp], game: Game, state: Any, limit: Limit) -> Analysis | None:
    """The analysis from the first of `books` that can replace a search with `limit`; None if none can."""
    if game.is_terminal(state):
        return None
    for book in books:
        entry = _ask(book, game, state)
        if entry is None or entry.action is None or not entry.replaces(limit):
            continue
        player, exact = int(game.to_move(state)), entry.kind == "exact"
        teams = game.teams or range(game.players)
        other_value = (total(game) or 0.0) - entry.value if is_opposed(game) else math.nan
        line = (entry.action, *line_from(books, game, game.result(state, entry.action), exact))
        best = ActionValue(
            action=entry.action,
            name=game.action_name(state, entry.action),
            value=entry.value,
            exact=exact,
            distance=entry.distance,
            line=line,
        )
        limits = (name for name in ("depth", "nodes", "seconds") if getattr(limit, name) is not None)
        stopped = StopReason.COMPLETE if exact else StopReason(next(limits))
        return Analysis(
            game=game,
            state=state,
            player=player,
            action=entry.action,
            value=entry.value,
            values=tuple(entry.value if team == teams[player] else other_value for team in teams),
            line=line,
            actions=(best,),
            exact=exact,
            distance=entry.distance,
            depth=entry.depth,
            method=type(book).__name__,
            limit=limit,
            stopped=stopped,
        )
    return None


def line_from(books: Sequence[LookUp], game: Game, state: Any, exact: bool) -> tuple[int, ...]:
    """The best actions from `state` on, as far as `books` know them; with `exact`, only as far as they are proved."""
    line: list[int] = []
    while len(line) < MAX_BOOK_LINE and not game.is_terminal(state):
        entries_of_books = (_ask(book, game, state) for book in books)
        actions = [
            k.action for k in entries_of_books if k and k.action is not None and (k.kind == "exact" or not exact)
        ]
        if not actions:
            break
        line.append(actions[0])
        state = game.result(state, actions[0])
    return tuple(line)


def _ask(book: LookUp, game: Game, state: Any) -> BookEntry | None:
    entry = book.look_up(game, state)
    if entry is not None and entry.action is not None and entry.action not in legal_actions(game, state):
        raise BookError(
            f"{type(book).__name__}.look_up: action {entry.action} is not legal in {state!r};"
            f" legal: {', '.join(map(str, legal_actions(game, state)))}"
        )
    return entry


# -- the file format --------------------------------------------------------------------------------------------------


def _game_line(game: Game) -> str:
    return f"game: {' '.join(repr(game).split())}"


def _rules_line(game: Game) -> str:
    return f"rules: {RulesMark(game).sample()}"


def _check(lines: Sequence[str]) -> str:
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _hex(key: int) -> str:
    return f"{key & (1 << 64) - 1:016x}"


def _unhex(text: str) -> int:
    if len(text) != 16:
        raise ValueError(f"{text!r} is not a key of 16 digits")
    key = int(text, 16)
    return key - (1 << 64) if key >> 63 else key
