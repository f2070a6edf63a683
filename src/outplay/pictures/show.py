"""`show`: a state of a game as a picture, for files and notebooks."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from outplay.pictures.board import Marks, board_svg, framed_text
from outplay.pictures.board_look import FILLS
from outplay.pictures.heat import Heat
from outplay.pictures.image import Image
from outplay.rules import board as boards
from outplay.rules.actions import action_parts
from outplay.rules.arguments import check_is_game, is_number
from outplay.rules.board import Picture, Piece, Place
from outplay.rules.errors import IllegalAction, OutplayError, RulesError
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.numbered import Numbered
from outplay.rules.user_code import describe_error, text_of_rule
from outplay.rules.wording import enumerated, shown

MAX_PLACES, MAX_PIECES, FARTHEST = 10_000, 20_000, 1000.0
"""Larger pictures are refused: they would not fit on a page."""
MAX_NAMES = 12
"""How many actions that are not on the board are named below it."""


class BoardPicture(Image):
    """A state of a game as a picture, made by `outplay.show`; notebooks show it.

    `str()` is the text that `render` makes.
    """

    _is = "a picture of a board"

    def __init__(
        self, game: Game, state: Any, last: Any, actions: bool, values: Mapping[Any, Any], texts: Mapping[Any, str],
        heat: Heat,
    ) -> None:  # fmt: skip
        self.game, self.state = game, state
        self._last, self._actions, self._values, self._texts, self._heat = last, actions, values, texts, heat

    def svg(self) -> str:
        """The picture as an SVG document. Raises `RulesError` if `picture` or `action_cells` of the game fail."""
        board = picture_of(self.game, self.state)
        if board is None:
            return framed_text(text_of(self.game, self.state), repr(self.game), self._heat.below(None))
        first = board.text[0] if board.text else ""
        title = f"{self.game!r}: {first if isinstance(first, str) else first[1]}" if first else repr(self.game)
        return board_svg(board, title, self._marks(board))

    def _repr_svg_(self) -> str:
        """For notebooks: the picture; if that fails, the text of `render` and what was wrong."""
        try:
            return self.svg()
        except RulesError as error:
            try:
                text = text_of(self.game, self.state)
            except RulesError:
                text = f"{self.state!r:.2000}"
            return framed_text(text, repr(self.game), [str(error)])

    def __str__(self) -> str:
        return self.game.render(self.state)

    def __repr__(self) -> str:
        return f"<BoardPicture of {self.game!r}: notebooks show it, print() writes its text, save('board.svg') a file>"

    def _marks(self, board: Picture) -> Marks:
        """What to mark on the board; actions that are not on it are named below."""
        game, state = self.game, self.state
        text: list[str] = []
        last: Sequence[Hashable] = ()
        if self._last is not None:
            before, action = self._last
            last = cells_of(game, before, action, board)
            if not last:
                text.append(f"last: {game.action_name(before, action)}")
        legal: list[Sequence[Hashable]] = []
        elsewhere: list[str] = []
        best: dict[Hashable, tuple[Any, str]] = {}
        actions = [] if game.is_terminal(state) or not (self._actions or self._values) else legal_actions(game, state)
        for action in actions:
            value = self._values.get(action)
            if value is None and not self._actions:
                continue
            cells = cells_of(game, state, action, board)
            if self._actions and cells:
                legal.append(cells)
            if not cells:
                name = game.action_name(state, action)
                elsewhere.append(name if value is None else f"{name} {self._text(action)}")
            elif value is not None and (cells[-1] not in best or _is_more(value, best[cells[-1]][0])):
                best[cells[-1]] = value, self._text(action)
        if elsewhere:
            more = f" and {len(elsewhere) - MAX_NAMES} more" if len(elsewhere) > MAX_NAMES else ""
            text.append(f"{'also' if legal else 'actions'}: {', '.join(elsewhere[:MAX_NAMES])}{more}")
        marks = self._heat.marks(board)
        texts = dict(marks.values) | {cell: short for cell, (_, short) in best.items()}
        return replace(marks, last=last, legal=legal, values=texts, text=[*text, *marks.text])

    def _text(self, action: Any) -> str:
        """The value of an action in a few letters."""
        return self._texts.get(action) or value_text(self._values[action])


def show(
    game: Game,
    state: Any = None,
    *,
    last: tuple[Any, Any] | None = None,
    actions: bool = False,
    values: Any = None,
    heat: Any = None,
) -> BoardPicture:
    """A state as a picture: notebooks show it, `.svg()` and `.png()` draw it, `.save("board.svg")` writes it.

    Built-in games have boards, and so do games that define `picture`; of other games, the text of `render` is shown in
    a frame. `str()` of the picture is that text. In games with hidden information the picture shows everything, also
    what players do not see.

    Args:
        game: the game.
        state: the state. By default the initial state.
        last: the state before and the action that led from there to `state`, to mark it.
        actions: whether to mark where legal actions end. Actions that are not on the board are named below it.
        values: a number or a text for actions, to write where they end: a dict from actions, or an `Analysis`, whose
            values are written as players of the game say them if it has a `value_text`, and those of simulations as
            shares of wins. If several actions end on a cell, the highest value is shown.
        heat: numbers by cell or by its name, to tint the cells with: a dict, or what a learned evaluation says of the
            state, `evaluation.explain(game, state)`. Numbers of what is not on the board are listed below it.

    Raises:
        OutplayError: if an argument is wrong.
        RulesError: from `svg` and `save`, if the game's `picture` fails or a piece lies outside the board. Notebooks
            show the text of `render` and the error instead.

    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> start = game.initial_state()
    >>> picture = show(game, game.result(start, 4), last=(start, 4), actions=True)
    >>> picture.svg().startswith("<svg")
    True
    >>> print(picture)
    3 . . .
    2 . X .
    1 . . .
      a b c
    O to move
    """
    check_is_game(game, "show")
    if last is not None and (not isinstance(last, tuple) or len(last) != 2):
        raise OutplayError(
            f"show(last={last!r}): expected a pair, the state before and the action that was played there"
        )
    if not isinstance(actions, bool):
        raise OutplayError(f"show(actions={actions!r}): True or False")
    state = game.initial_state() if state is None else state
    texts: dict[Any, str] = {}
    if values is not None and not isinstance(values, Mapping):
        rows = getattr(values, "actions", None)
        if not isinstance(rows, (list, tuple)) or not all(hasattr(row, "action") for row in rows):
            raise OutplayError(
                f"show(values={values!r:.60}): expected a dict from actions to their values, or an Analysis"
            )
        texts = values.board_texts() if hasattr(values, "board_texts") else {}
        values = {row.action: row.value for row in rows}
    if values and game.to_move(state) != CHANCE:
        _check_values(game, state, values)
    return BoardPicture(game, state, last, actions, values or {}, texts, _heat(heat))


def _heat(numbers: Any) -> Heat:
    """The numbers for the cells."""
    if isinstance(numbers, Heat):
        return numbers
    text: tuple[str, ...] = ()
    if hasattr(numbers, "locations"):
        text = (f"estimate for player {numbers.player}, to move: {numbers.estimate:+.3g}", "what each cell is worth:")
        numbers = numbers.locations
    if not isinstance(numbers, Mapping | None) or not all(map(_is_finite, (numbers or {}).values())):
        raise OutplayError(f"show(heat={numbers!r:.60}): expected a dict from cells to numbers, or an Explanation")
    return Heat(numbers or {}, text if numbers else ())


def _is_finite(number: Any) -> bool:
    return is_number(number) and isfinite(number)


def _check_values(game: Game, state: Any, values: Mapping[Any, Any]) -> None:
    legal = [] if game.is_terminal(state) else list(legal_actions(game, state))
    for action in values:
        if action not in legal:
            names = enumerated([game.action_name(state, legal_action) for legal_action in legal])
            raise IllegalAction(f"show(values=…): {shown(action)} is not a legal action here; legal: {names}")


def picture_of(game: Game, state: Any) -> Picture | None:
    """The picture of a state, checked; None if the game does not define one. Raises `RulesError` if it is wrong."""
    return _checked_picture(game, "picture", state)


def seat_picture_of(game: Game, state: Any, player: int) -> Picture | None:
    """The picture of what a player sees, checked; None if the game does not define one. Raises `RulesError` too."""
    return _checked_picture(game, "seat_picture", state, player)


def _checked_picture(game: Game, rule: str, *arguments: Any) -> Picture | None:
    """The picture that a rule draws."""
    name = f"{type(game).__name__}.{rule}"
    try:
        board: Any = getattr(game, rule)(*arguments)
    except Exception as error:
        raise RulesError(f"{name} raised {describe_error(error)}") from error
    if board is None and not defines(game, rule):
        return None
    if fault := fault_of(board):
        raise RulesError(f"{name}: {fault}")
    picture: Picture = board
    return picture


def text_of(game: Game, state: Any) -> str:
    """The text of a state, as `render` makes it. Raises `RulesError` if that fails."""
    return text_of_rule(game, "render", state)


def cells_of(game: Game, state: Any, action: Any, board: Picture) -> tuple[Hashable, ...]:
    """The cells of an action, checked; none if it is not on the board. Raises `RulesError` if they are wrong."""
    if isinstance(game, Numbered):
        twin: Any = game
        game, action = twin.rules, twin.decode(action)
    if not defines(game, "action_cells"):  # the default would draw the board again for each action
        return tuple(action_parts(board, action))
    name = f"{type(game).__name__}.action_cells"
    try:
        marked, cells = tuple(game.action_cells(state, action)), set(board.cells)
        outside = [cell for cell in marked if cell not in cells]
    except Exception as error:
        raise RulesError(f"{name} raised {describe_error(error)} for the action {action!r}") from error
    if outside:
        raise RulesError(f"{name}: {outside[0]!r}, for the action {action!r}, is not a cell of the board")
    return marked


def value_text(value: Any) -> str:
    """A value of an action in a few letters.

    >>> value_text(1), value_text(-0.256), value_text(0.001), value_text(1234.5), value_text("win")
    ('+1', '-0.26', '0', '+1234', 'win')
    """
    if isinstance(value, str):
        return value
    number = float(value)
    text = f"{number:+.0f}" if abs(number) >= 10 else f"{number:+.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("+0", "-0") else text.replace("+inf", "+∞").replace("-inf", "-∞")


def _is_more(value: Any, other: Any) -> bool:
    return not isinstance(value, str) and not isinstance(other, str) and bool(value > other)


def fault_of(board: Any) -> str:
    """What is wrong with a picture; "" if nothing is."""
    if board is None:
        return "got None; is a return missing?"
    if not isinstance(board, Picture):
        return f"expected a Picture, as square_board makes one, got {board!r:.60}"
    try:
        return _fault(board)
    except Exception as error:  # parts of other types than those documented
        return f"the picture cannot be read: {describe_error(error)}"


def _fault(board: Picture) -> str:
    if len(board.places) > MAX_PLACES:
        return f"{len(board.places)} places: a picture has at most {MAX_PLACES}"
    if board.ground not in boards.SHADES:
        return f"ground={board.ground!r}: one of {', '.join(boards.SHADES)}"
    for colour in board.colours:
        if colour not in FILLS:
            return f"the colour {colour!r}: one of {', '.join(FILLS)}"
    for place in board.places:
        if fault := _fault_of_place(place):
            return fault
    cells = board.cells
    different = set(cells)
    if len(different) < len(cells):
        twice = next(cell for cell in different if cells.count(cell) > 1)
        return f"the cell {twice!r} is on two places"
    if sum(len(board.pieces_on(cell)) for cell in board.pieces) > MAX_PIECES:
        return f"more than {MAX_PIECES} pieces"
    for cell in board.pieces:
        for piece in board.pieces_on(cell):
            if cell not in different:
                return f"a piece lies outside the board, on the cell {cell!r}"
            if fault := _fault_of_piece(piece, board):
                return f"{fault}, on the cell {cell!r}"
    for item in board.text:
        is_pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], str)
        if not isinstance(item, str) and not is_pair:
            return f"a line of text is {item!r:.60}: expected a str, or a piece and a str"
        if not isinstance(item, str) and (fault := _fault_of_piece(item[0], board)):
            return f"{fault}, in the text below the board"
    for label in board.labels:
        if len(label) != 3 or not isinstance(label[0], str):
            return f"a label is {label!r:.60}: expected a text, x and y"
    numbers = [part for line in board.lines for part in line] + [part for label in board.labels for part in label[1:]]
    if any(not isfinite(part) or abs(part) > FARTHEST for part in numbers):
        return f"a line or a label is not within {FARTHEST:g} squares of the origin"
    return ""


def _fault_of_place(place: Place) -> str:
    numbers = place.x, place.y, place.width, place.height
    if not all(isfinite(part) and abs(part) <= FARTHEST for part in numbers) or min(place.width, place.height) <= 0:
        return f"the place of the cell {place.cell!r} has impossible lengths: {numbers}"
    if place.shape not in boards.PLACES:
        return f"a place of the shape {place.shape!r}: one of {', '.join(boards.PLACES)}"
    if place.shade not in boards.SHADES:
        return f"a place of the shade {place.shade!r}: one of {', '.join(boards.SHADES)}"
    return ""


def _fault_of_piece(piece: Any, board: Picture) -> str:
    if not isinstance(piece, Piece):
        return f"{piece!r:.60} is not a Piece"
    if not isinstance(piece.text, str):
        return f"the text of a piece is {piece.text!r}: expected a str"
    if piece.shape not in boards.PIECES:
        return f"a piece of the shape {piece.shape!r}: one of {', '.join(boards.PIECES)}"
    if piece.player is not None and piece.player not in range(len(board.colours)):
        return f"a piece of player {piece.player!r}, but there are colours for {len(board.colours)} players"
    return ""
