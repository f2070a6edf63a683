"""Boards as pictures: every built-in game from random play, what is marked, and pictures that are refused."""

import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import outplay
from outplay import (
    MCTS,
    AlphaBeta,
    Game,
    IllegalAction,
    Limit,
    OutplayError,
    RulesError,
    WrongType,
    defines,
    legal_actions,
)
from outplay.cli.commands import app
from outplay.compile.fingerprint import RULES, fingerprint_of_game
from outplay.games import (
    BUILT_IN,
    Backgammon,
    Battleship,
    Chess,
    ConnectFour,
    EnglishDraughts,
    Go,
    Goofspiel,
    Hex,
    InternationalDraughts,
    Kalah,
    KuhnPoker,
    Nim,
    NineMensMorris,
    Othello,
    Oware,
    Pacman,
    PhantomTicTacToe,
    TicTacToe,
    TwentyFortyEight,
    Xiangqi,
)
from outplay.pictures import svg
from outplay.pictures.board import framed_text
from outplay.pictures.board_look import FILLS, WRITING
from outplay.pictures.board_look import SHADES as SHADE_LOOKS
from outplay.pictures.heat import Heat
from outplay.pictures.show import cells_of, picture_of
from outplay.rules.board import (
    PIECES,
    PLACES,
    ROW_HEIGHT,
    SHADES,
    Picture,
    Piece,
    Place,
    hexagon_board,
    in_row,
    square_board,
)
from outplay.rules.keys import state_key
from outplay.rules.numbered import numbered
from outplay.session.searchers import load_evaluation

SVG = "{http://www.w3.org/2000/svg}"
TEXT_ONLY = {"explicit-tree", "matching-pennies", "rock-paper-scissors"}
SETTINGS = {
    "explicit-tree": [{"tree": [[3, 12], [2, 4]]}],
    "backgammon": [{}, {"cube": True}],
    "battleship": [{}, {"columns": 4, "rows": 4, "ships": (2, 3), "shots": 9}],
    "chess": [{}, {"start": 0}],
    "chinese-checkers": [{"camp": 3, "players": 6}, {}],
    "dark-hex": [{}, {"columns": 4, "rows": 3}],
    "einstein": [{}, {"setup": "random"}, {"setup": "free", "size": 7}],
    "go": [{"size": 5}, {"size": 9, "handicap": 4}],
    "goofspiel": [{"cards": 6}, {"order": "descending"}],
    "kuhn-poker": [{}, {"players": 4}],
    "leduc-poker": [{}, {"suits": False}],
    "liars-dice": [{"dice": 3}],
    "many-player-mnk": [{"players": 8, "m": 6, "n": 5, "k": 4}],
    "mnk": [{}, {"gravity": True, "m": 5, "n": 4}],
    "nim": [{}, {"heaps": (50, 3)}],
    "oware": [{}, {"pits": 4}],
    "pacman": [{}, {"map": "fork", "ghosts": "random"}],
    "pig": [{"goal": 20}, {"players": 3, "goal": 10}],
    "superko-go": [{"size": 4}],
}
GAMES = [(name, settings_) for name in sorted(BUILT_IN) for settings_ in SETTINGS.get(name, [{}])]
NOT_ON_BOARD = {"2048", "kuhn-poker", "leduc-poker", "liars-dice", "river-poker"}
"""Games whose players click nothing on the board."""
SHARED = {"chess", "2048"}
"""Games in which actions that are on the board may have the same cells: promotions; a new 2 or 4."""


def walk(game, seed, plies=60):
    """The states of a random game."""
    choice, state = random.Random(seed), game.initial_state()
    yield state
    for _ in range(plies):
        if game.is_terminal(state):
            return
        state = game.result(state, choice.choice(list(legal_actions(game, state))))
        yield state


def texts(picture):
    """All texts in a picture."""
    return ["".join(node.itertext()) for node in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def of(picture, kind):
    """The elements of a class, or those in its group."""
    named = [node for node in ElementTree.fromstring(picture).iter() if kind in node.get("class", "").split()]
    return [each for node in named for each in (node if node.tag == f"{SVG}g" else [node])]


def on_board(board, **wanted):
    """The number of pieces with these attributes."""
    pieces = [piece for cell in board.pieces for piece in board.pieces_on(cell)]
    return sum(all(getattr(piece, name) == value for name, value in wanted.items()) for piece in pieces)


# -- every built-in game ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_built_in_games(name, parameters):
    """Each piece and each legal action is on the board, the state stays as it was, and the SVG is well-formed."""
    game = BUILT_IN[name](**parameters)
    assert defines(game, "picture") == (name not in TEXT_ONLY)
    before = None
    for ply, state in enumerate(walk(game, 1)):
        key = state_key(game, state)
        board = picture_of(game, state)
        legal = [] if game.is_terminal(state) else list(legal_actions(game, state))
        if board is not None:
            cells = [cells_of(game, state, action, board) for action in legal]
            assert set(board.pieces) <= set(board.cells)
            if name not in SHARED and "heaps" not in parameters:  # large heaps are drawn as one number
                shown = [cell for cell in cells if cell]
                assert len(set(shown)) == len(shown)
        if ply % 7 == 0 or game.is_terminal(state):
            values = dict.fromkeys(legal, ply / 10)
            picture = outplay.show(game, state, last=before, actions=ply % 2 == 0, values=values).svg()
            root = ElementTree.fromstring(picture)
            assert root.tag == f"{SVG}svg"
            assert str(outplay.show(game, state)) == game.render(state)
        assert state_key(game, state) == key
        if legal:
            before = state, legal[0]
        if legal and board is not None:
            after = picture_of(game, game.result(state, legal[0]))
            cells_of(game, state, legal[0], after)  # the last action can be marked


@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - TEXT_ONLY - NOT_ON_BOARD))
def test_most_games_are_played_on_the_board(name):
    """Apart from passes and the like, actions have cells."""
    game = BUILT_IN[name](**SETTINGS.get(name, [{}])[0])
    state = game.initial_state()
    while game.to_move(state) == outplay.CHANCE:
        state = game.result(state, next(iter(legal_actions(game, state))))
    assert any(game.action_cells(state, action) for action in legal_actions(game, state))


# -- the pieces agree with other ways to count them -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_chess_men_agree_with_fen(seed):
    game = Chess()
    for position in walk(game, seed):
        board = picture_of(game, position)
        rows = game.state_text(position).split()[0].split("/")
        for row, text in zip(range(7, -1, -1), rows, strict=True):
            column = 0
            for mark in text:
                if mark.isdigit():
                    column += int(mark)
                    continue
                (piece,) = board.pieces_on(8 * row + column)
                assert (piece.text[0], piece.player) == ("♟♞♝♜♛♚"["pnbrqk".index(mark.lower())], int(mark.islower()))
                column += 1
        assert on_board(board) == sum(mark.isalpha() for mark in "".join(rows))


@pytest.mark.parametrize(
    ("game", "marks"),
    [
        (Othello(), "XO"),
        (Go(5), "XO"),
        (ConnectFour(), "XO"),
        (Hex(5), "XO"),
        (TicTacToe(), "XO"),
        (NineMensMorris(), "wb"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_stones_agree_with_the_text(game, marks):
    for state in walk(game, 2):
        board, text = picture_of(game, state), game.render(state)
        rows = [row for row in text.splitlines()[:-1] if not {"a", "b", "c"} <= set(row.split()) and "hand" not in row]
        for player, mark in enumerate(marks):
            drawn = len(re.findall(rf"(?<![a-zA-Z]){mark}(?![a-zA-Z])", "\n".join(rows)))
            assert on_board(board, player=player) == drawn, text


@pytest.mark.parametrize("game", [EnglishDraughts(), InternationalDraughts()], ids=repr)
def test_draughtsmen_agree_with_pdn(game):
    for position in walk(game, 4, 120):
        board = picture_of(game, position)
        parts = {part[0]: part[1:] for part in game.state_text(position).split(":")[1:3]}
        for player, colour in enumerate(game.colours):
            pieces = list(filter(None, parts[colour[0].upper()].split(",")))
            assert on_board(board, player=player) == len(pieces)
            assert on_board(board, player=player, shape="king") == sum(piece[0] == "K" for piece in pieces)
            for piece in pieces:
                assert board.pieces_on(game.bit(int(piece.lstrip("K"))))


@pytest.mark.parametrize(("game", "seeds"), [(Kalah(), 48), (Kalah(3, 2), 12), (Oware(), 48)])
def test_seeds(game, seeds):
    for board in walk(game, 5):
        assert sum(int(piece.text) for piece in picture_of(game, board).pieces.values()) == seeds


def test_kalah_seeds_lie_where_they_were_sown():
    game = Kalah()
    board = picture_of(game, game.result(game.initial_state(), 2))
    assert [board.pieces_on(cell)[0].text for cell in range(14)] == [*"4405551444444"[:6], "1", *"444444", "0"]


def test_backgammon_has_thirty_men_and_a_pair_of_dice():
    game = Backgammon()
    for position in walk(game, 6, 150):
        board = picture_of(game, position)
        assert [on_board(board, player=player, shape="disc") for player in (0, 1)] == [15, 15]
        assert on_board(board, shape="die") == (2 if position.dice >= 0 else 0)


def test_backgammon_men_arrive_where_the_action_says():
    """A turn ends with a man on the last of its cells, and the picture of both players' points is the same board."""
    game = Backgammon()
    states = list(walk(game, 7, 80))
    checked = 0
    for position in states:
        if game.is_terminal(position) or position.dice < 0:
            continue
        for action in list(legal_actions(game, position))[:3]:
            cells = list(game.action_cells(position, action))
            if len(cells) == 2:
                before, after = picture_of(game, position), picture_of(game, game.result(position, action))
                start, end = cells
                owner = before.pieces_on(start)[0].player
                assert owner == position.turn
                assert [piece.player for piece in after.pieces_on(end)][-1:] == [owner]
                assert len(after.pieces_on(start)) == len(before.pieces_on(start)) - 1
                checked += 1
            elif cells:
                assert game.action_name(position, action) != "pass"
    assert checked > 0


def test_xiangqi_pieces_and_tiles():
    game = Xiangqi()
    for position in walk(game, 8, 40):
        marks = sum(mark.isalpha() for mark in game.state_text(position).split()[0])
        assert on_board(picture_of(game, position)) == marks
    game = TwentyFortyEight()
    for board in walk(game, 9):
        tiles = [tile for row in game.numbers(board) for tile in row]
        shown = picture_of(game, board)
        assert [shown.pieces_on(cell)[0].text if tile else "" for cell, tile in enumerate(tiles)] == [
            str(tile) if tile else "" for tile in tiles
        ]


def test_pacman_eats_a_pellet():
    game = Pacman()
    for position in walk(game, 10, 50):
        board = picture_of(game, position)
        marks = game.render(position)
        dots = sum(
            any(piece.shape == "dot" for piece in board.pieces_on(cell)) and len(board.pieces_on(cell)) == 1
            for cell in board.pieces
        )
        assert dots == marks.count("·")
        assert on_board(board, text="C") == 1


def test_hidden_cards_ships_and_marks_are_shown():
    kuhn = KuhnPoker()
    deal = kuhn.initial_state()
    assert on_board(picture_of(kuhn, deal), shape="back") == 2
    for name in "K", "J":
        deal = kuhn.result(deal, kuhn.parse_action(deal, name))
    assert [piece.text for piece in picture_of(kuhn, deal).pieces.values()] == ["K♠", "J♠"]
    ships = Battleship()
    board = ships.initial_state()
    for name in "a1-b1", "c1-c2", "c2", "a2":
        board = ships.result(board, ships.parse_action(board, name))
    shown = picture_of(ships, board)
    assert [piece.text for piece in shown.pieces_on((1, 5))] == ["A", "✕"]  # player 0 has hit c2
    assert [piece.shape for piece in shown.pieces_on((0, 3))] == ["dot"]  # player 1 has missed
    phantom = PhantomTicTacToe()
    state = phantom.result(phantom.initial_state(), 4)
    assert picture_of(phantom, state).pieces_on(4)[0].text == "X"
    goofspiel = Goofspiel(4, order="descending")
    table = goofspiel.result(goofspiel.initial_state(), 3)  # face down
    shown = picture_of(goofspiel, table)
    assert shown.pieces_on(("bid", 0, 0))[0].text == "3♠"
    assert not shown.pieces_on((0, 3))


# -- action cells -----------------------------------------------------------------------------------------------------


def test_castling_goes_to_the_square_of_the_king_except_in_chess960():
    game = Chess()
    position = game.parse_state("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    cells = {game.action_name(position, a): game.action_cells(position, a) for a in legal_actions(game, position)}
    assert (cells["O-O"], cells["O-O-O"], cells["Ke2"]) == ((4, 6), (4, 2), (4, 12))


def test_castling_in_chess960_takes_the_rook():
    game = Chess(0)
    position = game.parse_state("k7/8/8/8/8/8/8/5KR1 w G - 0 1")
    cells = {game.action_name(position, a): game.action_cells(position, a) for a in legal_actions(game, position)}
    assert cells["O-O"] == (5, 6)


def test_captures_in_draughts_go_by_all_squares():
    game = InternationalDraughts()
    position = game.parse_state("W:W32:B28,18,8")
    (action,) = legal_actions(game, position)
    cells = game.action_cells(position, action)
    assert [game.number(bit) for bit in cells] == [32, 23, 12, 3]


def test_morris_removes_a_man_last():
    game = NineMensMorris()
    state = game.initial_state()
    for name in "a7", "d6", "a4", "f4", "a1xd6":
        action, before = game.parse_action(state, name), state
        state = game.result(state, action)
    assert game.action_cells(before, action) == (6, 9)


def test_connect_four_marks_the_square_where_a_disc_comes_to_rest():
    game = ConnectFour()
    state = game.result(game.initial_state(), 3)
    assert [game.action_cells(state, column)[0] % 7 for column in range(7)] == [0, 0, 0, 1, 0, 0, 0]
    board = picture_of(game, state)
    assert game.action_cells(game.initial_state(), 3)[0] in board.pieces


def test_nim_takes_from_the_right():
    game = Nim((3, 4))
    state = game.initial_state()
    action = game.parse_action(state, "2:3")
    assert game.action_cells(state, action) == ((1, 1),)
    assert sorted(picture_of(game, game.result(state, action)).pieces) == [(0, 0), (0, 1), (0, 2), (1, 0)]


class Marks(Game):
    """A row of three squares that two players mark."""

    compiled = False
    drawn = True

    def initial_state(self):
        return "..."

    def to_move(self, state):
        return (3 - state.count(".")) % 2

    def actions(self, state):
        return [square for square in range(3) if state[square] == "."]

    def result(self, state, square):
        return state[:square] + "XO"[self.to_move(state)] + state[square + 1 :]

    def is_terminal(self, state):
        return "." not in state

    def utility(self, state, player):
        return 0

    def picture(self, state):
        marks = {square: Piece(mark, "XO".index(mark)) for square, mark in enumerate(state) if mark != "."}
        return square_board(1, 3, marks, [f"{'XO'[self.to_move(state)]} to move"])


class Pairs(Marks):
    """Actions are tuples of cells, which are tuples; the game is numbered."""

    def actions(self, state):
        return [((0, square), (0, (square + 1) % 3)) for square in range(3) if state[square] == "."]

    def result(self, state, action):
        return super().result(state, action[0][1])

    def picture(self, state):
        board = super().picture(state)
        pieces = {(0, square): piece for square, piece in board.pieces.items()}
        return square_board(1, 3, pieces, names=lambda row, column: (row, column))


def test_actions_that_are_cells_need_no_method():
    game, pairs = Marks(), Pairs()
    assert game.action_cells("...", 1) == (1,)
    assert game.action_cells("...", 9) == ()
    assert pairs.action_cells("...", ((0, 1), (0, 2))) == ((0, 1), (0, 2))
    assert pairs.action_cells("...", ((0, 1), (0, 9))) == ()


def test_a_numbered_game_passes_its_board_on():
    game = Pairs()
    twin = numbered(game)
    assert twin is not game
    action = twin.encode(((0, 2), (0, 0)))
    assert twin.picture("X..") == game.picture("X..")
    assert twin.action_cells("X..", action) == ((0, 2), (0, 0))
    assert outplay.show(twin, "X..", actions=True).svg() == outplay.show(game, "X..", actions=True).svg().replace(
        repr(game), repr(twin)
    )


@pytest.mark.parametrize("cls", [Marks, Pairs])
def test_a_board_is_drawn_once_for_all_actions(cls):
    drawn = []

    class Counting(cls):
        def picture(self, state):
            drawn.append(state)
            return super().picture(state)

    outplay.show(numbered(Counting()), "X..", actions=True).svg()
    assert drawn == ["X.."]


# -- marks ------------------------------------------------------------------------------------------------------------


def test_marks():
    game = Marks()
    plain = outplay.show(game, "X..").svg()
    assert not of(plain, "last")
    assert not of(plain, "legal")
    assert len(of(outplay.show(game, "X..", last=("...", 0)).svg(), "last")) == 1
    assert len(of(outplay.show(game, "X..", actions=True).svg(), "legal")) == 2
    valued = outplay.show(game, "X..", actions=True, values={1: 0.256}).svg()
    assert [node.text for node in of(valued, "value")] == ["+0.26"]
    assert len(of(valued, "legal")) == 1  # the value stands where the dot would


def test_of_several_actions_the_highest_value_is_shown():
    game = Chess()
    position = game.parse_state("7k/P7/8/8/8/8/8/7K w - - 0 1")
    promotions = [action for action in legal_actions(game, position) if action >> 12]
    values = {action: value for value, action in enumerate(promotions)}
    (value,) = of(outplay.show(game, position, values=values).svg(), "value")
    assert value.text == "+3"


def test_where_a_move_starts_and_ends_look_different():
    game = Chess()
    start = game.initial_state()
    action = game.parse_action(start, "e4")
    marks = of(outplay.show(game, game.result(start, action), last=(start, action)).svg(), "last")
    assert ["stroke-dasharray" in mark.attrib for mark in marks] == [True, False]
    assert marks[0].get("x") == marks[1].get("x")
    assert float(marks[0].get("y")) > float(marks[1].get("y"))


def test_captures_have_a_ring_instead_of_a_dot():
    game = Chess()
    position = game.parse_state("7k/8/8/3p4/4P3/8/8/K7 w - - 0 1")
    picture = outplay.show(game, position, actions=True).svg()
    ends = {game.action_cells(position, action)[-1] for action in legal_actions(game, position)}
    assert len(of(picture, "take")) == 1
    assert len(of(picture, "legal")) == len(ends) - 1


def test_actions_that_are_not_on_the_board_are_named_below():
    game = Go(5)
    start = game.initial_state()
    assert "also: pass" in texts(outplay.show(game, start, actions=True).svg())
    assert "actions: pass +1" in texts(outplay.show(game, start, values={25: 1}).svg())
    passed = game.result(start, 25)
    assert "last: pass" in texts(outplay.show(game, passed, last=(start, 25)).svg())
    kuhn = KuhnPoker()
    deal = kuhn.result(kuhn.result(kuhn.initial_state(), 0), 1)
    assert "actions: pass, bet" in texts(outplay.show(kuhn, deal, actions=True).svg())


def test_the_values_of_an_analysis():
    game = TicTacToe()
    game.compiled = False
    state = game.initial_state()
    for square in 4, 0, 2, 6:
        state = game.result(state, square)
    analysis = AlphaBeta(game).search(state, Limit(depth=3))
    picture = outplay.show(game, state, values=analysis).svg()
    assert len(of(picture, "value")) == len(analysis.actions) == 5


def test_numbers_of_cells_are_tints():
    picture = outplay.show(
        Marks(), "X..", heat={0: 0.31, "0,1": -0.024, 2: 0.0, "idle": -0.5, "left": 0.1, "none": 0}
    ).svg()
    tints = of(picture, "heat")
    assert [(tint.get("class"), tint.get("fill-opacity")) for tint in tints] == [
        ("f-green", "0.53"), ("f-b-mark", "0.04"), ("f-green", "0.00")
    ]  # fmt: skip
    assert [node.text for node in of(picture, "value")] == ["+0.31", "-0.02", "0"]
    written = texts(picture)
    assert "idle: -0.50, left: +0.10" in written
    assert written[-2:] == ["-0.50", "+0.50"]  # the scale
    assert texts(outplay.show(Marks(), "X..", heat={0: 3, 1: 12}).svg())[-2:] == ["0", "+12"]
    counted = outplay.show(Marks(), "X..", heat=Heat({0: 3, 1: 12, "left": 4}, ("symbols:",), counts=True)).svg()
    assert [node.text for node in of(counted, "value")] == ["3", "12"]
    assert texts(counted)[-4:] == ["symbols:", "left: 4", "0", "12"]
    assert outplay.show(Marks(), "X..", heat={}).svg() == outplay.show(Marks(), "X..").svg()


def test_numbers_lie_beside_seeds_and_below_other_pieces():
    (above,) = of(outplay.show(Kalah(), heat={0: 1.0}).svg(), "value")
    (below,) = of(outplay.show(Othello(), heat={"d4": 1.0}).svg(), "value")
    (empty,) = of(outplay.show(Othello(), heat={"a4": 1.0}).svg(), "value")
    assert float(below.get("y")) > float(empty.get("y"))
    (valued,) = of(outplay.show(Kalah(), values={0: 1.0}).svg(), "value")
    assert float(above.get("y")) < float(valued.get("y"))


def test_an_explanation_is_drawn():
    game = Othello()
    state = game.initial_state()
    found = load_evaluation("learned", game).explain(game, state)
    picture = outplay.show(game, state, heat=found).svg()
    assert len(of(picture, "value")) == 64
    assert f"estimate for player 0, to move: {found.estimate:+.3g}" in texts(picture)
    nothing = replace(found, locations={})
    assert outplay.show(game, state, heat=nothing).svg() == outplay.show(game, state).svg()


def test_without_a_board_the_greatest_numbers_are_listed():
    heat = Heat({f"x{i}": i / 10 for i in range(30)})
    listed = heat.listed(None).split(", ")
    assert (listed[0], listed[19:]) == ("x29: +2.9", ["x10: +1.0", "9 more"])
    shown = " ".join(texts(outplay.show(Plain(), "X..", heat=heat.numbers).svg()))
    assert "x29: +2.9" in shown


def test_numbers_of_cells_line_by_line():
    game = NineMensMorris()
    board = picture_of(game, game.initial_state())
    lines = list(Heat({"a7": 1.0, "d7": -0.25, "g7": 0.0, "d6": 0.5, "left": 3.0}).lines(board))
    assert ["".join(text for text, _ in line) for line in lines] == [
        " +1.0           -0.2              0",
        "                +0.5",
    ]
    assert [share for line in lines for _, share in line] == pytest.approx([1 / 3, -1 / 12, 0, 1 / 6])


# -- what is drawn ----------------------------------------------------------------------------------------------------


def test_every_shape_shade_and_colour_is_drawn():
    assert set(SHADE_LOOKS) == set(SHADES) - {"none"}
    assert set(WRITING) == set(FILLS) - {"ink"}
    for shape in PIECES:
        board = Picture([Place("a", 0, 0, shape) if shape in PLACES else Place("a", 0, 0)], {"a": Piece("1", 0, shape)})
        assert len(drawn(board)) > 1, shape
    drawings = {shape: drawn(Picture([Place("a", 0, 0, shape)], {})) for shape in PLACES}
    assert [shape for shape, (element,) in drawings.items() if b'fill="none"' in element] == ["point", "none"]
    assert len({str(elements) for elements in drawings.values()}) == len(PLACES) - 1
    drawings = {shape: drawn(Picture([Place(None, 0, 0, shape)], {})) for shape in PLACES}
    assert [shape for shape, elements in drawings.items() if not elements] == ["point", "none"]


def test_places_have_the_names_that_people_use():
    """In an attribute, for scripts and styles of pages: also where nothing is drawn, such as on points of Go."""

    def names(game):
        found = re.findall(r'data-cell="([^"]*)"', outplay.show(game).svg())
        assert len(found) == len(set(found)) == len(picture_of(game, game.initial_state()).cells)
        return found

    assert names(Chess())[:9] == ["a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "a2"]
    assert names(Go(size=5))[-1] == "E5"
    assert names(EnglishDraughts())[0] == "1"
    assert names(Hex())[1] == "b1"
    assert names(ConnectFour())[:2] == ["0,0", "0,1"]
    game = NineMensMorris()
    assert names(game)[0] in {
        game.action_name(game.initial_state(), action) for action in legal_actions(game, game.initial_state())
    }
    assert "a1-b1" in names(BUILT_IN["dots-and-boxes"]())
    assert names(pictured(Picture([Place((2, 3), 0, 0), Place("x < y", 1, 0)], {}))) == ["2,3", "x &lt; y"]


class Drawn(Marks):
    """A game with a given picture."""

    def picture(self, state):
        return self.board


def pictured(board):
    game = Drawn()
    game.board = board
    return game


def drawn(board):
    """The elements of a picture without its frame, as text."""
    root = ElementTree.fromstring(outplay.show(pictured(board), "...").svg())
    return [ElementTree.tostring(node) for node in root.find(f"{SVG}g")]


def test_players_differ_without_colour():
    """The discs of two players are not the same shapes, whatever their colours."""
    looks = set()
    for player in range(6):
        board = Picture([Place("a", 0, 0)], {"a": Piece(player=player, shape="disc")})
        shapes = [re.sub(rb'(class|fill|stroke)="[^"]*"', b"", each) for each in drawn(board)]
        looks.add(tuple(shapes))
    assert len(looks) == 6


def test_stacks_lie_apart():
    board = Picture([Place("a", 0, 0, "up", height=5.0)], {"a": [Piece(player=0, shape="stone")] * 15})
    heights = [float(re.search(rb'cy="([^"]+)"', each)[1]) for each in drawn(board)[1:]]
    assert heights == sorted(set(heights), reverse=True)
    assert len(heights) == 15


def test_light_dark_and_print_have_their_colours():
    """Light colours are attributes, which every program understands; the style has the dark ones of what is used."""
    for picture in (outplay.show(TicTacToe()).svg(), outplay.show(Chess(), actions=True).svg()):
        assert "var(" not in picture
        root = ElementTree.fromstring(picture)
        style = root.find(f"{SVG}style").text
        assert style.startswith("@media screen and (prefers-color-scheme:dark){")
        used = set()
        for node in root.iter():
            for kind in ("fill", "stroke"):
                assert re.fullmatch("|none|#[0-9a-f]{3,6}", node.get(kind, "")), node.attrib
                classes = [each for each in node.get("class", "").split() if each in svg.CLASSES and each[0] == kind[0]]
                assert [svg.PALETTE[each[2:]][0] for each in classes] in ([], [node.get(kind)])
                used |= set(classes)
        assert used == set(re.findall(r"\.([fs]-[\w-]+)\{", style))


def test_pictures_shrink_with_the_page():
    root = ElementTree.fromstring(outplay.show(TicTacToe()).svg())
    assert ".outplay.shrinks{max-width:100%" in root.find(f"{SVG}style").text
    assert root.get("class") == "outplay shrinks"


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(), max_size=40), st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_any_text_makes_valid_xml(line, label):
    board = square_board(1, 1, {0: Piece(label, 0)}, [line], row_names=[label])
    ElementTree.fromstring(outplay.show(pictured(board), "...").svg())
    ElementTree.fromstring(framed_text(line, label, line))


def test_constructors_name_cells():
    board = square_board(2, 3, {}, bottom_first=True)
    assert {place.cell: (place.x, place.y) for place in board.places}[4] == (1, 0)
    hexagons = hexagon_board({0: (0, 0), 1: (2, -1)}, {})
    assert hexagons.places[1].x == 0
    assert hexagon_board({}, {}, labels=[("a", 2, 1)]).labels == [("a", 2.0, 2 * ROW_HEIGHT)]
    both = board.with_more(Picture(in_row("ab"), {"a": Piece("x")}).moved(5, 1))
    assert both.cells == [3, 4, 5, 0, 1, 2, "a", "b"] or set(both.cells) == {0, 1, 2, 3, 4, 5, "a", "b"}
    assert next(place for place in both.places if place.cell == "a")[1:3] == (5.0, 1.0)


# -- games without a board, and wrong ones ----------------------------------------------------------------------------


class Plain(Marks):
    """A game that does not define `picture`."""

    picture = Game.picture

    def render(self, state):
        return f"{state}\n<tag> & \x1b[1m"


def test_a_game_without_picture_is_shown_as_text():
    picture = outplay.show(Plain(), "X..", actions=True, last=("...", 0)).svg()
    assert texts(picture) == ["X..", "<tag> & \ufffd[1m"]
    assert outplay.show(Plain(), "X..")._repr_svg_() == outplay.show(Plain(), "X..").svg()


def test_games_of_other_libraries_and_matrix_games_are_shown_as_text():
    game = BUILT_IN["rock-paper-scissors"]()
    assert texts(outplay.show(game).svg()) == ["nobody has chosen"]


FAULTS = [
    (None, "got None; is a return missing?"),
    ("X..", "expected a Picture, as square_board makes one, got 'X..'"),
    (square_board(1, 3, {3: Piece("X")}), "a piece lies outside the board, on the cell 3"),
    (square_board(1, 3, {0: Piece("X", 9)}), "a piece of player 9"),
    (square_board(1, 3, {0: Piece("X", True)}), ""),
    (square_board(1, 3, {0: Piece("X", 0, "star")}), "a piece of the shape 'star'"),
    (square_board(1, 3, {0: Piece(5, 0)}), "the text of a piece is 5"),
    (square_board(1, 3, {0: "X"}), "'X' is not a Piece, on the cell 0"),
    (square_board(1, 3, {0: 5}), "the picture cannot be read: TypeError"),
    (square_board(1, 3, {}, shade="pink"), "a place of the shade 'pink'"),
    (square_board(1, 3, {}, shape="star"), "a place of the shape 'star'"),
    (square_board(1, 3, {}, ground="pink"), "ground='pink'"),
    (square_board(1, 3, {}, colours=["pink"]), "the colour 'pink'"),
    (square_board(1, 3, {}, [5]), "a line of text is 5"),
    (square_board(1, 3, {}, [(Piece("X", 9), "to move")]), "a piece of player 9"),
    (square_board(200, 200, {}), "40000 places"),
    (Picture([Place(0, 0, 0), Place(0, 1, 0)], {}), "the cell 0 is on two places"),
    (Picture([Place(0, float("nan"), 0)], {}), "the place of the cell 0 has impossible lengths"),
    (Picture([Place(0, 0, 0, width=0)], {}), "the place of the cell 0 has impossible lengths"),
    (Picture([Place(0, 0, 0)], {}, lines=[(0, 0, 1, 1e9)]), "a line or a label is not within"),
    (Picture([Place(0, 0, 0)], {}, labels=[(5, 0, 0)]), "a label is (5, 0, 0)"),
]


@pytest.mark.parametrize(("board", "fault"), FAULTS)
def test_a_wrong_picture_is_refused(board, fault, tmp_path):
    game = pictured(board)
    shown = outplay.show(game, "X..")
    if not fault:
        ElementTree.fromstring(shown.svg())
        return
    with pytest.raises(RulesError, match=rf"^Drawn\.picture: {re.escape(fault)}"):
        shown.svg()
    with pytest.raises(RulesError):
        shown.save(tmp_path / "x.svg")
    assert not (tmp_path / "x.svg").exists()
    notebook = texts(shown._repr_svg_())
    assert notebook[0] == "X.."
    assert "Drawn.picture" in notebook[1]


class Failing(Marks):
    def picture(self, state):
        return state.no_such_name


def test_a_picture_that_raises_names_the_game_the_error_and_the_line():
    shown = outplay.show(Failing(), "X..")
    with pytest.raises(RulesError, match=r"^Failing\.picture raised AttributeError.*test_board_pictures\.py:\d+"):
        shown.svg()
    assert texts(shown._repr_svg_())[0] == "X.."


class Speechless(Failing):
    def render(self, state):
        return 9


def test_a_render_that_fails_is_named_too():
    plain = type("Mute", (Speechless,), {"picture": Game.picture})()
    with pytest.raises(RulesError, match=r"^Mute\.render: expected text, got 9"):
        outplay.show(plain, "X..").svg()
    (state, *fault) = texts(outplay.show(Speechless(), "X..")._repr_svg_())
    assert state == "'X..'"
    assert "Speechless.picture raised AttributeError" in " ".join(fault)


def test_the_command_names_the_fault_without_a_traceback(tmp_path):
    file = tmp_path / "failing.py"
    file.write_text(PILE.partition("assert")[0].replace("Piece(", "wrong("), "utf-8")
    output = run("show", str(file), "--svg", str(tmp_path / "x.svg"), code=2)
    assert "Pile.picture raised NameError" in output
    assert "Traceback" not in output
    assert not (tmp_path / "x.svg").exists()


def test_steps_show_the_text_and_the_fault_of_a_picture_that_fails():
    for search in AlphaBeta(Failing(), textbook=True), MCTS(Failing()):
        trace = outplay.Trace()
        search.search(limit=Limit(simulations=3) if isinstance(search, MCTS) else Limit(depth=2), trace=trace)
        captions = trace.steps().captions
        assert captions[0].board.startswith("...\n\nFailing.picture raised AttributeError")
        assert captions[0].inset is None
        with pytest.raises(RulesError, match=r"Failing\.picture raised"):
            trace.picture(boards=True)


class Astray(Marks):
    def action_cells(self, state, action):
        if action == 2:
            raise KeyError("two")
        return [7]


def test_wrong_action_cells_are_refused():
    message = r"^Astray\.action_cells: 7, for the action 1, is not a cell of the board"
    with pytest.raises(RulesError, match=message):
        outplay.show(Astray(), "X..", actions=True).svg()
    with pytest.raises(RulesError, match=r"^Astray\.action_cells raised KeyError.*for the action 2"):
        outplay.show(Astray(), "XO.", actions=True).svg()
    assert outplay.show(Astray(), "X..").svg()  # they are not needed


def test_check_game_tries_the_board():
    assert outplay.check_game(Marks(), playouts=3).ok
    report = outplay.check_game(pictured(square_board(1, 3, {3: Piece("X")})), playouts=3)
    assert [failure.law for failure in report.failures] == ["picture returns a board with all pieces on it."]
    report = outplay.check_game(type("Wrong", (Astray,), {"action_cells": lambda self, s, a: [7]})(), playouts=3)
    assert [failure.law for failure in report.failures] == ["action_cells returns cells of the board."]


def test_png(tmp_path, monkeypatch):
    """The extra is imported when an image is drawn; without it, an error says which one to install."""
    picture, asked = outplay.show(TicTacToe()), []
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    for draw in (picture.png, lambda: picture.save(tmp_path / "a.png")):
        with pytest.raises(OutplayError, match=r"PNG files need resvg: pip install 'outplay\[png\]'"):
            draw()
    refused = CliRunner().invoke(app, ["show", "tic-tac-toe", "--png", str(tmp_path / "a.png")])
    assert refused.exit_code == 2
    assert "outplay[png]" in refused.output

    def svg_to_bytes(**given):
        asked.append(given)
        if given["zoom"] > 10:
            raise ValueError("no room")
        return b"an image"

    monkeypatch.setitem(sys.modules, "resvg_py", SimpleNamespace(svg_to_bytes=svg_to_bytes))
    picture.save(tmp_path / "a.PNG")
    assert (tmp_path / "a.PNG").read_bytes() == b"an image" == picture.png(3)
    assert asked == [{"svg_string": picture.svg(), "zoom": scale} for scale in (2.0, 3.0)]
    with pytest.raises(OutplayError, match="a picture of a board cannot be drawn as PNG: no room; a smaller scale"):
        picture.png(20)
    for scale in (0, -1, 21, True, "2", float("nan")):
        with pytest.raises(ValueError, match=r"png\(scale=.*\): a number above 0, at most 20"):
            picture.png(scale)
    files = [str(tmp_path / name) for name in ("b.png", "b.svg")]
    for command in (
        ["show", "tic-tac-toe"],
        ["tree", "[[3, 12], [2, 4]]"],
        ["equilibrium", "matching-pennies", "--iterations", "1"],
    ):
        done = CliRunner().invoke(app, [*command, "--png", files[0], "--svg", files[1]])
        assert done.exit_code == 0, done.output
        assert [Path(file).read_bytes()[:4] for file in files] == [b"an i", b"<svg"]
        for file in files:
            Path(file).unlink()
    wrong = CliRunner().invoke(app, ["show", "tic-tac-toe", "--png", files[1]])
    assert wrong.exit_code == 2
    assert "the name must end in .png" in wrong.output


def test_png_has_the_light_colours():
    """The colours are attributes: a program that knows no style sheets for dark surroundings draws them too."""
    pytest.importorskip("resvg_py")
    image = pytest.importorskip("PIL.Image").open(BytesIO(outplay.show(Othello(size=4)).png(1.0)))
    colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 20)}
    assert colours >= {(0x3D, 0x8C, 0x66), (0x1B, 0x1B, 0x1B), (0xFB, 0xFB, 0xF6), (255, 255, 255)}


def test_wrong_arguments(tmp_path):
    game = Marks()
    with pytest.raises(WrongType):
        outplay.show(Marks)
    with pytest.raises(OutplayError, match="a pair, the state before"):
        outplay.show(game, "X..", last=0)
    with pytest.raises(OutplayError, match="True or False"):
        outplay.show(game, "X..", actions=1)
    with pytest.raises(OutplayError, match="a dict from actions to their values, or an Analysis"):
        outplay.show(game, "X..", values=[1, 2])
    for heat in ([1], {0: "warm"}, {0: float("nan")}, {0: True}):
        with pytest.raises(OutplayError, match=r"show\(heat=.*a dict from cells to numbers, or an Explanation"):
            outplay.show(game, "X..", heat=heat)
    with pytest.raises(IllegalAction, match="0 is not a legal action here; legal: 1, 2"):
        outplay.show(game, "X..", values={0: 1})
    with pytest.raises(OutplayError, match=r"is saved as \.svg or \.png"):
        outplay.show(game).save(tmp_path / "x.pdf")
    with pytest.raises(OutplayError):
        outplay.show(game).save(tmp_path / "missing" / "x.svg")


def test_save(tmp_path):
    shown = outplay.show(Marks(), "XO.")
    shown.save(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text("utf-8") == shown.svg() == shown._repr_svg_()
    assert repr(shown).endswith("notebooks show it, print() writes its text, save('board.svg') a file>")


# -- pictures are not part of what is compiled ------------------------------------------------------------------------


def test_searches_ignore_pictures():
    assert not {"picture", "action_cells", "render"} & set(RULES)


PILE = """
import sys
from outplay import Game, perft
from outplay.compile import cache
from outplay.rules.board import Piece, square_board

class Pile(Game):
    compiled = True
    def initial_state(self): return 9, 0
    def to_move(self, state): return state[1]
    def actions(self, state): return (1, 2) if state[0] >= 2 else (1,)
    def result(self, state, action): return state[0] - action, 1 - state[1]
    def is_terminal(self, state): return state[0] <= 0
    def utility(self, state, player): return -1 if state[1] == player else 1
    def picture(self, state): return square_board(1, 9, {cell: Piece("X") for cell in range(state[0])})
    def action_cells(self, state, action): return (state[0] - action,)

assert perft(Pile(), 3).lines == 8
print(len(list(cache.files())))
"""


@pytest.mark.nightly
def test_another_picture_needs_no_new_compilation(tmp_path):
    """Other rules do."""
    edits = [("", ""), ('"X"', '"O"'), ("- action,)", "- 1,)"), (">= 2", "> 1")]
    files = []
    for old, new in edits:
        (tmp_path / "pile.py").write_text(PILE.replace(old, new) if old else PILE, "utf-8")
        environment = {**os.environ, "OUTPLAY_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, str(tmp_path / "pile.py")], env=environment, capture_output=True, text=True, check=True
        )
        files.append(int(done.stdout))
    assert files == [1, 1, 1, 2]


@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - {"explicit-tree"}))
def test_the_content_of_a_game_with_a_board_can_be_read(name):
    """Or a book would not know in another process whether the rules have changed."""
    assert fingerprint_of_game(BUILT_IN[name]()).gaps == []


# -- the pictures in the docs -----------------------------------------------------------------------------------------

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def images():
    """The pictures of docs/boards.md, by the names of their files."""
    page = (IMAGES.parent / "boards.md").read_text("utf-8")
    names = {"__name__": "noughts"}
    exec(re.search(r"```python\n# noughts.py\n(.*?)```", page, re.DOTALL)[1], names)
    chess = Chess()
    before = position = chess.initial_state()
    for move in "e4", "c5", "Nf3":
        before, action = position, chess.parse_action(position, move)
        position = chess.result(before, action)
    kalah = Kalah(pits=4, seeds=3)
    values = {row.action: row.value for row in AlphaBeta(kalah).search().actions}
    return {
        "chess.svg": outplay.show(chess, position, last=(before, action)),
        "kalah.svg": outplay.show(kalah, values=values),
        "noughts.svg": outplay.show(names["Noughts"](), ("X...O...X", 1), actions=True),
    }


def test_the_pictures_in_the_docs_are_current():
    """`python tests/pictures/test_board_pictures.py` writes them."""
    for name, picture in images().items():
        assert (IMAGES / name).read_text("utf-8") == picture.svg(), name


# -- the command ------------------------------------------------------------------------------------------------------


def run(*arguments, code=0):
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


def test_command(tmp_path):
    file = tmp_path / "board.svg"
    assert run("show", "connect-four", "--moves", "44", "--actions", "--svg", str(file)) == f"Written: {file}\n"
    picture = file.read_text("utf-8")
    assert len(of(picture, "last")) == 1
    assert len(of(picture, "legal")) == 7
    game = ConnectFour()
    state = game.result(game.result(game.initial_state(), 3), 3)
    assert run("show", "connect-four", "--moves", "44") == f"{game.render(state)}\n"
    assert run("show", "tic-tac-toe", "--actions").splitlines()[-1] == "actions: a1, b1, c1, a2, b2, c2, a3, b3, c3"
    assert "K♠" not in run("show", "kuhn-poker", "--moves", "K J")


def test_command_refuses(tmp_path):
    assert ".svg" in run("show", "chess", "--svg", str(tmp_path / "x.png"), code=2)
    assert "there is no folder" in run("show", "chess", "--svg", str(tmp_path / "none" / "x.svg"), code=2)


if __name__ == "__main__":
    for name, picture in images().items():
        picture.save(IMAGES / name)
