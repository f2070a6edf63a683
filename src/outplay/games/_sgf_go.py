"""Games of Go in SGF, as people and programs write them.

- Stones may be set up anywhere. A game whose stones are changed in its middle is read from there.
- A colour that moves twice in a row has passed between: that pass is put in.
- Play may go on after two passes, see `Go.resumed`.
"""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from outplay.games._sgf import Node, SgfError, SgfGame
from outplay.rules.errors import RulesError
from outplay.rules.game import legal_actions

COLOURS = "BW"
NAMES = ("black", "white")
SETUP = ("AB", "AW", "AE")
PLAYERS = {"B": 0, "1": 0, "W": 1, "2": 1}
"""The players in `PL`, by its first letter; 1 and 2 are those of old files."""


class GoMove(NamedTuple):
    """A move: the action, where it is, how it is written, and the comment on it; a pass that was put in has ""."""

    action: int
    place: int
    written: str = ""
    comment: str = ""


class GoGame(NamedTuple):
    """A game of Go: the text of the state in which it begins, None for the initial one, its moves, and what is odd."""

    game: Any
    start: str | None
    moves: list[GoMove]
    odd: list[str]


def go_game(sgf: SgfGame, kind: Callable[..., Any]) -> GoGame:
    """The game of a main line, of a kind such as `Go`. Its moves remain to be checked, but for those before a set-up.

    Raises `RulesError` if it is not Go, or cannot be.
    """
    root, odd = sgf.nodes[0], list(sgf.odd)
    if root.first("GM", "1").strip() not in ("1", ""):
        raise RulesError(f"GM[{root.first('GM')}]: this is another game; Go is GM[1]")
    size, stones = _size(root, odd), _handicap(root, odd)
    game = kind(size, _komi(root, odd))
    events = [event for node in sgf.nodes for event in _events(node)]
    last = max((number for number, (_, name, _) in enumerate(events) if name in COLOURS), default=-1)
    placed: dict[int, int] = {}  # the colour of each stone at the beginning
    moves: list[tuple[int, GoMove]] = []
    player: int | None = None
    for number, (node, name, value) in enumerate(events):
        if name in COLOURS:
            move = GoMove(game.sgf_action(value), node.place, f"{name}[{value}]", node.first("C"))
            moves.append((COLOURS.index(name), move))
        elif name == "PL":
            player = player if moves else _player(value, odd)
        elif moves and number > last:
            odd.append(f"stones are set up after the last move, {moves[-1][1].written}: they are left out")
        else:
            before = _stones_after(game, placed, moves)
            after = _set_up(game, node, before)
            if moves and after != before:
                odd.append(f"stones are set up after move {len(moves)}: the game is read from there")
            if after != before:
                placed, moves, player = after, [], None

    first = moves[0][0] if moves else player
    if stones > 1 and first != 0:
        usual = kind(size, game.komi, stones) if stones <= len(game.stars) else game
        if not placed and usual.handicap:
            odd.append(f"HA[{stones}] without stones: they are put on the usual points")
        if usual.handicap and placed in ({}, dict.fromkeys(usual.handicap_points(), 0)):
            return GoGame(usual, None, _with_passes(game, moves, 1, odd), odd)
    turn = first if first is not None else int(stones > 1 and bool(placed))
    start = _start(game, placed, turn) if placed or turn else None
    return GoGame(game, start, _with_passes(game, moves, turn, odd), odd)


def _events(node: Node) -> Iterator[tuple[Node, str, str]]:
    """What happens in a node, in its order: moves, a set-up of stones as a whole, and who is to move then."""
    is_set_up = False
    for name, values in node.properties.items():
        if name in COLOURS:
            yield from ((node, name, value) for value in values)
        elif name in SETUP and not is_set_up:
            is_set_up = True
            yield node, "A", ""
    if "PL" in node.properties:
        yield node, "PL", node.first("PL")


def _with_passes(game: Any, moves: list[tuple[int, GoMove]], turn: int, odd: list[str]) -> list[GoMove]:
    """The moves, with a pass where a colour moves twice in a row."""
    with_passes: list[GoMove] = []
    twice: list[str] = []
    for number, (colour, move) in enumerate(moves, 1):
        if colour != turn:
            with_passes.append(GoMove(game.passing, move.place))
            twice.append(f"move {number}, {move.written}: {NAMES[colour]} moves twice in a row; a pass is put between")
        with_passes.append(move)
        turn = 1 - colour
    if twice:
        odd.append(twice[0] + (f"; this happens {len(twice)} times" if len(twice) > 1 else ""))
    return with_passes


def _set_up(game: Any, node: Node, placed: dict[int, int]) -> dict[int, int]:
    """The stones after the set-up of a node."""
    new: dict[int, int | None] = {}
    for name, colour in ("AB", 0), ("AW", 1), ("AE", None):
        for value in node.properties.get(name, ()):
            for point in _points(game, value):
                if new.setdefault(point, colour) != colour:
                    raise SgfError(f"{name}[{value}]: another stone is set up there", node.place)
    return {point: colour for point, colour in {**placed, **new}.items() if colour is not None}


def _stones_after(game: Any, placed: dict[int, int], moves: list[tuple[int, GoMove]]) -> dict[int, int]:
    """The stones after moves."""
    if not moves:
        return placed
    text = _start(game, placed, moves[0][0])
    board: Any = game.parse_state(text) if placed else game.initial_state()
    for number, (colour, move) in enumerate(moves, 1):
        board = game.resumed(board)
        if board.turn != colour:
            board = game.null_move_state(board)
        if move.action not in list(legal_actions(game, board)):
            raise SgfError(f"move {number}, {move.written}: it is not legal", move.place)
        board = game.result(board, move.action)
    return {point: colour for colour, points in enumerate(game.colours(board)) for point in game.listed(points)}


def _start(game: Any, placed: dict[int, int], turn: int) -> str:
    """The text of the state with these stones."""
    n = game.size
    marks = {point: "XO"[colour] for point, colour in placed.items()}
    rows = ["".join(marks.get(row * n + column, ".") for column in range(n)) for row in reversed(range(n))]
    board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
    return f"{board} {'bw'[turn]} - 0"


def _points(game: Any, value: str) -> Iterator[int]:
    """The points of a value: one, or a rectangle such as `aa:cc`."""
    first, _, last = value.partition(":")
    begin, end = game.sgf_action(first), game.sgf_action(last or first)
    if not (0 <= begin < game.passing and 0 <= end < game.passing):
        raise RulesError(f"[{value}]: there is no such point on this board")
    (top, left), (bottom, right) = divmod(begin, game.size), divmod(end, game.size)
    for row in range(min(top, bottom), max(top, bottom) + 1):
        yield from (row * game.size + column for column in range(min(left, right), max(left, right) + 1))


def _player(value: str, odd: list[str]) -> int | None:
    """The player to move by `PL`."""
    if value[:1].upper() not in PLAYERS:
        odd.append(f"PL[{value}]: expected B or W")
    return PLAYERS.get(value[:1].upper())


def _size(root: Node, odd: list[str]) -> int:
    """The number of columns and of rows, which may be written as 9:9."""
    text = root.first("SZ", "19").replace(" ", "")
    if not text:
        odd.append("SZ[]: the board is taken to have size 19")
        return 19
    one, _, other = text.partition(":")
    if not re.fullmatch(r"[0-9]{1,3}", one) or other not in ("", one):
        raise RulesError(f"SZ[{text}]: expected a whole number: a square board")
    return int(one)


def _handicap(root: Node, odd: list[str]) -> int:
    """The number of handicap stones."""
    text = root.first("HA", "0")
    if re.fullmatch(r"[0-9]{0,3}", text):
        return int(text or 0)
    odd.append(f"HA[{text}]: expected a whole number; taken as none")
    return 0


def _komi(root: Node, odd: list[str]) -> float:
    """The points that white gets.

    Servers of China write hundredths (375 for 3.75), and stones instead of points, of which each is two points.
    """
    text = root.first("KM", "0")
    form = re.fullmatch(r"([+-]?[0-9]{1,4}(?:[.,][0-9]{0,9})?)[^0-9]{0,9}", text)
    if form is None:
        if text:
            odd.append(f"KM[{text}]: expected a number; taken as no komi")
        return 0.0
    komi = float(form[1].replace(",", "."))
    if abs(komi) >= 100 and komi.is_integer():
        komi /= 100
    if (4 * komi) % 2 == 1:
        komi *= 2
    if not (2 * komi).is_integer():
        komi = math.floor(komi) + 0.5  # decides the same
    if form[1] != text or "," in text or komi != float(text):
        odd.append(f"KM[{text}]: read as a komi of {komi:g} points")
    return komi
