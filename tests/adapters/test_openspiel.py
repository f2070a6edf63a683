"""Every built-in game that OpenSpiel has too is the same game there, but for what is named here."""

import random
from itertools import chain
from re import findall
from string import ascii_lowercase

import numpy as np
import pytest
from shared import rows
from shared.openspiel_games import agree, look, named, play

from outplay.games import (
    MNK,
    Breakthrough,
    ConnectFour,
    DotsAndBoxes,
    EinStein,
    EnglishDraughts,
    Go,
    Gomoku,
    Hex,
    Kalah,
    Nim,
    NineMensMorris,
    Othello,
    Oware,
    Pig,
    TicTacToe,
    TwentyFortyEight,
    Xiangqi,
)
from outplay.games._texts import write_board
from outplay.games.nine_mens_morris import NAMES


def draw(_position):
    return [0, 0]


def breakthrough(rows, columns):
    """There the first player moves down the board."""
    game = Breakthrough(rows, columns)

    def number(player, text):
        """`a7b6` is our a2b3; `*` after it, a capture."""
        column, row = ascii_lowercase.index(text[0]), rows + 1 - int(text[1])
        return 3 * ((row - 1 - player) * columns + column) + ascii_lowercase.index(text[2]) - column + 1

    return game, f"breakthrough(rows={rows},columns={columns})", {"moves": named(number)}


def dots_and_boxes(rows, columns):
    name = f"dots_and_boxes(num_rows={rows},num_cols={columns},utility_margin=true)"
    return DotsAndBoxes(rows, columns), name, {"payoff": float}


def draughts():
    """There each jump is an action, the first player sits at the bottom, and 40 plies without a capture are a draw."""
    game = EnglishDraughts()

    def bit(column, row):
        """Our bit of their square, half a turn away; both count from 0."""
        return game.bit(4 * row + (7 - column) // 2 + 1)

    def moves(state):
        found = {}

        def follow(state, start, captured, way):
            """Play on from `state`, to which the actions `way` lead, by which the piece from `start` has captured."""
            for action in state.legal_actions():
                text, after = state.action_to_string(action), state.clone()
                here, there = ((ascii_lowercase.index(text[i]), int(text[i + 1]) - 1) for i in (0, 2))
                first = bit(*here) if start is None else start
                jumps = abs(here[0] - there[0]) == 2
                taken = captured | jumps << bit((here[0] + there[0]) // 2, (here[1] + there[1]) // 2)
                if jumps:
                    after.apply_action(action)
                if jumps and after.current_player() == state.current_player():
                    follow(after, first, taken, (*way, action))
                else:
                    found[taken >> game.width << 12 | bit(*there) << 6 | first] = (*way, action)

        follow(state, None, 0, ())
        return found

    return game, "checkers", {"moves": moves, "early": draw}


def go(size):
    """There a game is a draw as soon as a board comes again, whoever is to move."""
    game = Go(size)

    def number(_player, text):
        point = text.split()[1]
        return game.passing if point == "PASS" else game.parse_action(game.initial_state(), point)

    return game, f"go(board_size={size},komi=7.5,max_game_length=10000)", {"moves": named(number), "early": draw}


def kalah():
    """OpenSpiel's mancala is Kalah without empty captures; the utility is who has won, and pits count from 1 and 8."""

    def same(state, board):
        cells = [int(cell) for cell in findall(r"\d+", str(state).partition("Current")[0])]
        seeds = board.seeds.tolist()
        return cells == [*seeds[12:6:-1], seeds[13], seeds[6], *seeds[:6]]

    moves = named(lambda player, text: int(text) - 1 - 7 * player)
    return Kalah(empty_capture=False), "mancala", {"moves": moves, "same": same}


def nim(heaps, misere):
    game = Nim(heaps, misere)

    def number(_player, text):
        """`pile:2, take:3;`."""
        heap, taken = (int(digits) for digits in findall(r"\d+", text))
        return (heap - 1) * game.largest + taken - 1

    name = f"nim(pile_sizes={';'.join(map(str, heaps))},is_misere={str(misere).lower()})"
    return game, name, {"moves": named(number)}


def nine_mens_morris():
    """There a removal is an action of its own, points count as one reads, and after 200 turns the game is a draw.

    So mills are closed where they can be, and no game is a draw by idle plies.
    """
    reading = [NAMES.index(name) for name in sorted(NAMES, key=lambda name: (-int(name[1]), name[0]))]

    def points(state, action):
        return [reading[int(word)] for word in state.action_to_string(action).split() if word.isdigit()]

    def moves(state):
        found = {}
        for action in state.legal_actions():
            after, ends = state.clone(), points(state, action)
            move = ends[-1] | ends[0] << 5
            after.apply_action(action)
            if after.current_player() == state.current_player() and not after.is_terminal():
                for removal in after.legal_actions():
                    found[move | points(after, removal)[0] + 1 << 10] = action, removal
            else:
                found[move] = (action,)
        return found

    options = {"moves": moves, "early": draw, "prefer": lambda action: action >> 10}
    return NineMensMorris(longest_idle=300), "nine_mens_morris", options


def oware():
    """There a game in which a state comes again is over, and each player keeps the seeds on their side."""
    game = Oware(longest_idle=1000)

    def same(state, board):
        return findall(r"score = (\d+)", str(state)) == [str(board.captured[player]) for player in (1, 0)]

    def early(board):
        assert max(board.captured) <= 24
        assert list(game.actions(board))
        return [np.sign(game.utility(board, player)) for player in (0, 1)]

    return game, "oware", {"same": same, "early": early}


def pig():
    """There one may hold before the first roll, and roll where holding wins."""

    def moves(state):
        if state.is_chance_node():
            return {action + 1: (action,) for action in state.legal_actions()}
        *scores, total = (int(digits) for digits in findall(r"\d+", str(state).partition("Current")[0]))
        useless = 1 if total == 0 else 0 if scores[state.current_player()] + total >= 100 else None
        return {action: (action,) for action in state.legal_actions() if action != useless}

    return Pig(), "pig(horizon=100000)", {"moves": moves, "payoff": float}


def twenty_forty_eight():
    """There a move does not count that only merges with what the move before has merged, though it can be made.

    What chance does counts from 2 * square; the game would end with a tile of 2048.
    """

    def moves(state):
        if state.is_chance_node():
            return {action // 2 * 4 + action % 2: (action,) for action in state.legal_actions()}
        found = {}
        for way in range(4):
            after = state.clone()
            after.apply_action(way)
            if str(after) != str(state):
                found[way] = (way,)
        assert set(state.legal_actions()) <= set(found)
        return found

    def same(state, board):
        return [int(digits) for digits in findall(r"\d+", str(state))] == [*chain(*game.numbers(board))]

    game = TwentyFortyEight()
    return game, "2048(max_tile=65536)", {"moves": moves, "payoff": float, "same": same}


def xiangqi():
    """There a game is a draw after 500 plies."""

    def number(_player, text):
        """`C(7,1)-(0,1)`, ranks from the top, is our b2b9."""
        start, end = (9 * (9 - int(rank)) + int(file) for rank, file in findall(r"([0-9]),([0-9])", text))
        return 90 * start + end

    return Xiangqi(longest_idle=1000), "xiangqi", {"moves": named(number), "early": draw}


GAMES = {
    "breakthrough": breakthrough(8, 8),
    "breakthrough-5x4": breakthrough(5, 4),
    "connect-four": (ConnectFour(), "connect_four", {}),
    "dots-and-boxes": dots_and_boxes(5, 5),
    "dots-and-boxes-2x4": dots_and_boxes(2, 4),
    "english-draughts": draughts(),
    "go-9": go(9),
    "go-5": go(5),
    "gomoku": (Gomoku(), "gomoku", {}),
    "hex": (Hex(swap=False), "hex", {}),
    "hex-5-swap": (Hex(5), "hex(board_size=5,swap=true)", {}),
    "kalah": kalah(),
    "mnk": (MNK(5, 4, 4), "mnk(m=5,n=4,k=4)", {}),
    "nim": nim((3, 4, 5), misere=False),
    "nim-misere": nim((1, 3, 5, 7), misere=True),
    "nine-mens-morris": nine_mens_morris(),
    "othello": (Othello(), "othello", {}),
    "oware": oware(),
    "pig": pig(),
    "tic-tac-toe": (TicTacToe(), "tic_tac_toe", {}),
    "twenty-forty-eight": twenty_forty_eight(),
    "xiangqi": xiangqi(),
}
"""Ours, the name there, and what `agree` has to know. Boards of m,n,k-games are upside down there: all the same."""
each_game = pytest.mark.parametrize(("game", "name", "options"), rows(GAMES))


@each_game
def test_random_games(game, name, options):
    agree(game, name, 20, **options)


@pytest.mark.nightly
@each_game
def test_two_thousand_random_games(game, name, options):
    agree(game, name, 2000, seed=2, native=True, **options)


def einstein(games, seed, native=False):
    """There white begins, from the bottom right: our X, mirrored. All stones of a player are placed in one action."""
    pyspiel, dice, game = pytest.importorskip("pyspiel"), random.Random(seed), EinStein()
    looked, played = look.interpreted, play.interpreted
    if native:
        looked, played = look.prepare(game, game.initial_state()), play.prepare(game, game.initial_state(), 0)

    def read(state, turn, die):
        """Their board as we see it."""
        cells = [findall(r"[_bw][_1-6]", line)[::-1] for line in str(state).split()]
        marks = {"w": "ABCDEF", "b": "abcdef"}
        board = [[marks[cell[0]][int(cell[1]) - 1] if cell != "__" else "." for cell in row] for row in cells]
        return game.parse_state(f"{write_board(board, 'XO'[turn])} {die}")

    def number(text):
        """`W3-left*` is our 3 * 2 + 0."""
        way = text[3:].rstrip("*")
        return 3 * (int(text[1]) - 1) + {"diag": 1, "up": 2, "down": 2}.get(way, 0)

    for _ in range(games):
        state = pyspiel.load_game("einstein_wurfelt_nicht").new_initial_state()
        for _player in (0, 1):
            state.apply_action(dice.choice(state.legal_actions()))
        position = read(state, 0, "-")
        while not state.is_terminal():
            turn, over, actions = looked(game, position)
            assert not over
            if state.is_chance_node():
                assert turn == -1
                assert state.chance_outcomes() == [(i, game.probability(position, i)) for i in actions.tolist()]
                action = theirs = dice.choice(state.legal_actions())
            else:
                assert turn == 1 - state.current_player()
                found = {number(state.action_to_string(turn, theirs)): theirs for theirs in state.legal_actions()}
                assert sorted(actions.tolist()) == sorted(found)
                action, theirs = dice.choice(list(found.items()))
            position = played(game, position, action)
            state.apply_action(theirs)
            if turn >= 0:
                assert position == read(state, 1 - turn, "-")
        assert looked(game, position)[1]
        assert state.returns() == [game.utility(position, 1), game.utility(position, 0)]


def test_einstein():
    einstein(20, seed=1)


@pytest.mark.nightly
def test_two_thousand_games_of_einstein():
    einstein(2000, seed=2, native=True)
