"""Oware against a slow, obvious twin and plain minimax."""

import random
from copy import deepcopy
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import AlphaBeta, Minimax, OutplayError, RulesError, Tablebase, legal_actions
from outplay.games import Oware
from outplay.tables import verify

GAME = Oware()
seeds = st.integers(0, 2**32 - 1)


class Twin:
    """Two lists of pits, each from its owner's left, and a hand that walks from pit to pit."""

    def __init__(self, pits, seeds, longest_idle, awari=False):
        self.pits, self.longest_idle, self.half, self.awari = pits, longest_idle, pits * seeds, awari
        self.rows, self.captured, self.turn, self.idle = [[seeds] * pits, [seeds] * pits], [0, 0], 0, 0

    def way(self, pit):
        """The pits where the seeds of `pit` go, the last one last."""
        there, way = (self.turn, pit), []
        while len(way) < self.rows[self.turn][pit]:
            player, place = there
            there = (player, place + 1) if place + 1 < self.pits else (1 - player, 0)
            if there != (self.turn, pit):
                way.append(there)
        return way

    def moves(self):
        if (max(self.captured) > self.half and not self.awari) or self.idle >= self.longest_idle:
            return []
        full = [pit for pit in range(self.pits) if self.rows[self.turn][pit]]
        if self.awari:
            return [pit for pit in full if any(self.after(pit).rows[1 - self.turn])] or full
        if any(self.rows[1 - self.turn]):
            return full
        return [pit for pit in full if any(player != self.turn for player, _ in self.way(pit))]

    def after(self, pit):
        found = deepcopy(self)
        found.play(pit)
        return found

    def play(self, pit):
        way, other = self.way(pit), 1 - self.turn
        self.rows[self.turn][pit] = 0
        for player, place in way:
            self.rows[player][place] += 1
        taken = []
        player, place = way[-1]
        while player == other and place >= 0 and self.rows[other][place] in (2, 3):
            taken.append(place)
            place -= 1
        left = [number for place, number in enumerate(self.rows[other]) if place not in taken]
        self.idle += 1
        if taken and (any(left) or self.awari):
            self.captured[self.turn] += sum(self.rows[other][place] for place in taken)
            for place in taken:
                self.rows[other][place] = 0
            self.idle = 0
        self.turn = other

    def margin(self):
        if self.awari and any(self.rows[self.turn]):
            return self.captured[0] - self.captured[1]
        return sum(self.rows[0]) + self.captured[0] - sum(self.rows[1]) - self.captured[1]

    def text(self):
        rows = "/".join(",".join(map(str, row)) for row in self.rows)
        return f"{rows} {self.captured[0]}-{self.captured[1]} {self.turn} {self.idle}"


def same(one, other):
    return one.seeds.tolist() == other.seeds.tolist() and one[1:] == other[1:]


@settings(max_examples=40)
@given(st.integers(1, 7), st.integers(1, 8), st.sampled_from([10, 100]), st.booleans(), seeds)
def test_random_games_of_the_twin(pits, per_pit, longest_idle, awari, seed):
    game, twin = (cls(pits, per_pit, longest_idle, awari) for cls in (Oware, Twin))
    chooser, board = random.Random(seed), game.initial_state()
    while True:
        assert game.state_text(board) == twin.text()
        assert same(game.parse_state(twin.text()), board)
        moves = twin.moves()
        assert list(legal_actions(game, board)) == moves
        assert game.is_terminal(board) == (not moves)
        assert game.to_move(board) == twin.turn
        if not moves:
            assert (game.utility(board, 0), game.utility(board, 1)) == (twin.margin(), -twin.margin())
            return
        pit = chooser.choice(moves)
        worth, before = game.order(board, pit), twin.captured[twin.turn]
        board = game.result(board, pit)
        twin.play(pit)
        assert worth == twin.captured[1 - twin.turn] - before
        assert game.evaluate(board, 0) == twin.captured[0] - twin.captured[1]


@pytest.mark.nightly
def test_alpha_beta_is_minimax():
    game = Oware(3, 2, 8)
    assert AlphaBeta(game).search().value == Minimax(game).search().value


@pytest.mark.parametrize(
    ("before", "move", "after"),
    [
        ("0,0,0,0,0,3/1,2,4,0,0,1 17-20 0 5", "F", "0,0,0,0,0,0/2,3,5,0,0,1 17-20 1 6"),  # ends on five: nothing
        ("0,0,0,0,0,3/1,2,2,0,0,1 19-20 0 5", "F", "0,0,0,0,0,0/0,0,0,0,0,1 27-20 1 0"),  # all three
        ("0,0,0,0,0,3/3,2,2,0,0,1 18-19 0 5", "F", "0,0,0,0,0,0/4,0,0,0,0,1 24-19 1 0"),  # a four ends it
        ("0,0,0,0,2,3/1,2,2,0,0,0 18-20 0 5", "F", "0,0,0,0,2,0/2,3,3,0,0,0 18-20 1 6"),  # grand slam: none
        ("0,0,0,0,0,1/0,0,0,0,1,2 20-24 1 5", "e", "0,0,0,0,0,1/0,0,0,0,0,3 20-24 0 6"),  # one's own: none
        ("12,0,0,0,0,0/1,1,1,1,1,1 15-15 0 5", "A", "0,2,1,1,1,1/2,2,2,2,2,2 15-15 1 6"),  # past where it started
    ],
)
def test_moves(before, move, after):
    board = GAME.parse_state(before)
    assert GAME.state_text(GAME.result(board, GAME.parse_action(board, move))) == after


def names(text):
    board = GAME.parse_state(text)
    return [GAME.action_name(board, pit) for pit in GAME.actions(board)]


def test_the_other_player_is_fed_or_the_game_is_over():
    assert names("3,0,4,1,2,0/0,0,0,0,0,0 19-19 0 0") == ["C", "E"]
    board = GAME.parse_state("3,0,3,1,1,0/0,0,0,0,0,0 20-20 0 0")
    assert GAME.is_terminal(board)
    assert GAME.utility(board, 0) == 8
    assert names("0,0,0,0,0,0/0,0,0,0,0,4 20-24 1 0") == ["f"]


def test_half_the_seeds_and_one_more_decide():
    assert not GAME.is_terminal(GAME.parse_state("1,0,0,0,0,0/1,0,0,0,0,0 24-22 0 0"))
    board = GAME.parse_state("1,0,0,0,0,0/1,0,0,0,0,0 25-21 0 0")
    assert GAME.is_terminal(board)
    assert GAME.utility(board, 1) == -4


def test_a_game_in_circles_ends():
    board = GAME.parse_state("0,0,0,0,0,1/1,0,0,0,0,0 23-23 0 0")
    plies = 0
    while not GAME.is_terminal(board):
        board = GAME.result(board, next(iter(GAME.actions(board))))
        plies += 1
    assert plies <= 100
    assert GAME.utility(GAME.parse_state("0,0,0,0,0,2/1,0,0,0,0,0 23-22 0 100"), 0) == 2


def test_features_and_names():
    board = GAME.parse_state("3,0,4,1,2,0/0,1,5,0,0,0 16-16 1 3")
    assert GAME.features(board) == (16 - 16, 6 - 10, 1 - 2)
    assert GAME.parse_action(board, " B ") == GAME.parse_action(board, "b") == 1


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "expected the pits of both players"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 0", "expected the pits of both players"),
        ("4,4,4,4,4,x/4,4,4,4,4,4 0-0 0 0", "expected the pits of both players"),
        ("4,4,4,4,4,99999/4,4,4,4,4,4 0-0 0 0", "expected the pits of both players"),
        ("4,4,4,4,4/4,4,4,4,4,4 4-0 0 0", "two rows of 6 pits, such as 4,4"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 2 0", "2: the player to move is 0 or 1"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 0 101", "101: plies since a capture, from 0 to 100"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 1-0 0 0", "the seeds must add up to 48"),
        ("-4,4,4,4,4,12/4,4,4,4,4,4 0-0 0 0", "with no number below 0"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong) as refusal:
        GAME.parse_state(text)
    assert repr(text) in str(refusal.value)


@pytest.mark.parametrize("make", [lambda: Oware(0), lambda: Oware(27), lambda: Oware(6, 0), lambda: Oware(6, 4, 0)])
def test_bad_parameters(make):
    with pytest.raises(RulesError, match="must be a whole number from 1 to"):
        make()


def test_awari_has_as_many_positions_as_published():
    """889,063,398,406 in the databases of Romein and Bal, from 0 to 46 seeds and with 48: those in which the player who
    moved last has an empty pit, and the first one of the game.
    """
    game, found = Oware(awari=True), 1
    for number in (*range(47), 48):
        full = game.index_count(number - 6) if number >= 6 else 0
        found += game.index_count(number) - full
    assert found == 889_063_398_406


def values(pits, most):
    """What the player to move gains from each position with up to `most` seeds, by the rules of the twin.

    With so many seeds after so many, by the values of one ply more until nothing changes. Captures lead to values that
    are final; endless play is worth 0.
    """
    final = {}
    for number in range(most + 1):
        moves = {}
        for places in combinations_with_replacement(range(2 * pits), number):
            cells = [places.count(place) for place in range(2 * pits)]
            twin = Twin(pits, most, 1 << 30, awari=True)
            twin.rows = [cells[:pits], cells[pits:]]
            after = [twin.after(pit) for pit in twin.moves()]
            moves[tuple(cells)] = [(each.captured[0], (*each.rows[1], *each.rows[0])) for each in after]
            if not after:
                final[tuple(cells)] = -number  # all seeds are the opponent's
        open_ = {cells: 0 for cells in moves if cells not in final}
        while True:
            known = final | open_
            new = {cells: max(taken - known[after] for taken, after in moves[cells]) for cells in open_}
            if new == open_:
                break
            open_ = new
        final |= open_
    return final


@pytest.mark.nightly
def test_tables_of_awari_by_a_plain_twin(tmp_path):
    pits, most = 3, 5
    game, wanted = Oware(pits, most, 1000, awari=True), values(pits, most)
    made = Tablebase.make(game, classes=range(most + 1), check=False)
    assert len(made) == len(wanted)
    assert verify(made).fault == ""
    made.save(tmp_path / "a")
    table = Tablebase.load(tmp_path / "a", game)
    assert verify(table).fault == ""
    for entry in table.entries():
        seeds = entry.state.seeds
        points = entry.state.captured[0] - entry.state.captured[1]
        assert entry.value == wanted[tuple(seeds.tolist())] + points
        assert (entry.plies is None) == (entry.value == points and not game.is_terminal(entry.state))
    assert len(set(wanted.values())) > most
    state = entry.state
    while not game.is_terminal(state) and table.probe(state).plies is not None:  # the best actions lead to the end
        known, row = table.probe(state), table.analyse(state).actions[0]
        assert (row.value, row.distance) == known
        state = game.result(state, row.action)
        after = table.probe(state)
        assert after.plies in (known.plies - 1, None)


@pytest.mark.nightly
def test_where_values_depend_on_the_limit_of_plies_there_is_no_table():
    with pytest.raises(OutplayError, match="longer than its index_plies"):
        Tablebase.make(Oware(3, 5, 3, awari=True), classes=["5"], check=False)
    with pytest.raises(RulesError, match="only with awari=True"):
        Tablebase.make(GAME, classes=["5"], check=False)
