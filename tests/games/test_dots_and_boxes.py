"""Dots and Boxes against an obvious twin and published margins."""

import random
from functools import cache

import pytest

from outplay import AlphaBeta, IllegalAction, RulesError, legal_actions, state_key
from outplay.games import DotsAndBoxes
from outplay.search.perft import perft

BOARDS = [DotsAndBoxes(), DotsAndBoxes(1, 1), DotsAndBoxes(1, 3), DotsAndBoxes(2, 3), DotsAndBoxes(5, 5)]
each_board = pytest.mark.parametrize("game", BOARDS, ids=repr)


class Twin:
    """Lines by name, such as `a1-b1`, and who has completed which boxes."""

    def __init__(self, rows, columns):
        self.turn = 0
        self.boxes = {
            (row, column): frozenset(
                {
                    line(row, column, 0, 1),
                    line(row, column, 1, 0),
                    line(row + 1, column, 0, 1),
                    line(row, column + 1, 1, 0),
                }
            )
            for row in range(rows)
            for column in range(columns)
        }
        self.left = set().union(*self.boxes.values())
        self.owners = {}

    def play(self, name):
        self.left.remove(name)
        taken = [box for box, sides in self.boxes.items() if name in sides and not sides & self.left]
        self.owners |= dict.fromkeys(taken, self.turn)
        if not taken:
            self.turn = 1 - self.turn

    def margin(self):
        return sum(1 - 2 * owner for owner in self.owners.values())


def line(row, column, down, right):
    return f"{'abcdefgh'[column]}{row + 1}-{'abcdefgh'[column + right]}{row + 1 + down}"


@each_board
def test_random_games_of_the_twin(game):
    dice = random.Random(1)
    for _ in range(30):
        twin, position = Twin(game.rows, game.columns), game.initial_state()
        while True:
            assert game.parse_state(game.state_text(position)) == position
            names = {game.action_name(position, action): action for action in legal_actions(game, position)}
            assert set(names) == twin.left
            assert position.margin == twin.margin()
            for row, column in twin.boxes:
                owner = twin.owners.get((row, column), ".")
                assert game.owner(position, row * game.columns + column) == str(owner)
            assert game.is_terminal(position) == (not twin.left)
            if not twin.left:
                assert [game.utility(position, player) for player in (0, 1)] == [twin.margin(), -twin.margin()]
                break
            assert game.to_move(position) == twin.turn
            completing = {name for name in names if any(sides & twin.left == {name} for sides in twin.boxes.values())}
            assert {
                game.action_name(position, action) for action in legal_actions_of(game.noisy(position))
            } == completing
            assert game.is_quiet(position) == (not completing)
            chosen = dice.choice(sorted(names))
            position = game.result(position, names[chosen])
            twin.play(chosen)


def legal_actions_of(mask):
    return [action for action in range(62) if mask >> action & 1]


@pytest.mark.nightly
def test_perft():
    assert perft(DotsAndBoxes(), 5).lines == 24 * 23 * 22 * 21 * 20


def margin_of(rows, columns):
    """The margin of the player who begins, by plain minimax over sets of lines."""
    boxes = Twin(rows, columns).boxes.values()

    @cache
    def best(left):
        values = []
        for name in left:
            taken = sum(sides & left == {name} for sides in boxes)
            after = best(left - {name})
            values.append(taken + after if taken else -after)
        return max(values, default=0)

    return best(frozenset(Twin(rows, columns).left))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rows", "columns", "margin"),
    [(1, 1, -1), (1, 2, 0), (1, 3, -1), (2, 2, 2)],
)
def test_margins_of_small_boards(rows, columns, margin):
    """On one box the second player draws the fourth line."""
    assert margin_of(rows, columns) == margin
    assert AlphaBeta(DotsAndBoxes(rows, columns)).search().value == margin


@pytest.mark.nightly
def test_candidates_leave_out_nothing_that_is_better():
    game = DotsAndBoxes(2, 2)
    assert AlphaBeta(game, hints=False).search().value == AlphaBeta(game).search().value


@pytest.mark.nightly
def test_margin_of_three_times_three():
    """Published: the second player wins by three boxes."""
    assert AlphaBeta(DotsAndBoxes()).search().value == -3


def test_hints():
    game = DotsAndBoxes(1, 3)
    position = game.parse_state("110/1000/110 ... 1")  # a chain of two boxes, open at c1-c2
    names = [game.action_name(position, action) for action in legal_actions_of(game.noisy(position))]
    assert names == ["b1-b2"]
    assert game.candidates(position) == game.actions(position)  # the next box is given up
    assert game.features(position) == (0, 1)
    position = game.parse_state("110/1010/110 ... 1")
    assert [game.action_name(position, action) for action in legal_actions_of(game.candidates(position))] == ["b1-b2"]
    assert game.order(position, game.parse_action(position, "b1-b2")) == 8
    assert game.evaluate(position, 1) == -game.evaluate(position, 0) == 1


def test_whose_a_box_is_makes_no_difference():
    game = DotsAndBoxes(1, 3)
    one, other = game.parse_state("111/1111/111 001 0"), game.parse_state("111/1111/111 010 0")
    assert one != other
    assert state_key(game, one) == state_key(game, other)


def test_lines_are_read_in_any_usual_way():
    game = DotsAndBoxes(2, 2)
    position = game.initial_state()
    assert {game.parse_action(position, text) for text in ("b2-c2", " C2-B2")} == {3}
    with pytest.raises(IllegalAction, match="'c2-b3' is not a legal action"):
        game.parse_action(position, "c2-b3")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("00/000/00", "1 parts, not lines, owners and who is to move; such as 00/000/00 .. 0"),
        ("00/000 .. 0", "2 rows of lines, but there are 3"),
        ("00/00/00 .. 0", "row 2 of lines, '00': expected 3 signs"),
        ("00/000/20 .. 0", "row 3 of lines, '20': expected 2 signs, each one of 0, 1"),
        ("00/000/00 .2 0", "row 1 of owners, '.2'"),
        ("00/000/00 .. 2", "'2' is to move, but the players are 0 and 1"),
        ("10/110/10 .. 0", "box 1 of row 1 has no owner"),
        ("10/110/10 01 0", "box 2 of row 1 has an owner, but not all sides"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong):
        DotsAndBoxes(1, 2).parse_state(text)


@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (21, 1), (5, 6)])
def test_boards_that_do_not_fit(rows, columns):
    with pytest.raises(RulesError):
        DotsAndBoxes(rows, columns)
