"""Nine Men's Morris against a slow, obvious twin and counts by hand."""

import random
from collections import Counter
from itertools import combinations, groupby, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import AlphaBeta, IllegalAction, Limit, RulesError, Tablebase, legal_actions
from outplay.games import NineMensMorris
from outplay.games.nine_mens_morris import NAMES, Position
from outplay.rules.repetition import final
from outplay.search.perft import perft
from outplay.tables import Known, verify

GAME = NineMensMorris()
each_game = pytest.mark.parametrize("game", [GAME, NineMensMorris(flying=False, longest_idle=12)], ids=repr)
seeds = st.integers(0, 2**32 - 1)


def lines():
    """The 16 lines: the points of every row and column, three by three."""
    for place in (0, 1):
        for _, group in groupby(sorted(NAMES, key=lambda name: (name[place], name)), key=lambda name: name[place]):
            points = list(group)
            yield from (points[first : first + 3] for first in range(0, len(points), 3))


LINES = list(lines())
STEPS = {pair for line in LINES for a, b in pairwise(line) for pair in ((a, b), (b, a))}


class Twin:
    """A dict of points; moves as tuples of names: from (None: from the hand), to, removed (None)."""

    def __init__(self, flying=True, longest_idle=100):
        self.flying, self.longest_idle = flying, longest_idle
        self.men, self.hand, self.turn, self.idle = {}, {"w": 9, "b": 9}, "w", 0

    def other(self):
        return "b" if self.turn == "w" else "w"

    def of(self, colour):
        return [point for point, man in self.men.items() if man == colour]

    def in_mill(self, point, men):
        return any(point in line and all(men.get(other) == men[point] for other in line) for line in LINES)

    def moves(self):
        if self.utility() is not None:
            return []
        return list(self.all_moves())

    def all_moves(self):
        empty = [point for point in NAMES if point not in self.men]
        for start in [None] if self.hand[self.turn] else self.of(self.turn):
            for end in empty:
                flies = start is None or (self.flying and len(self.of(self.turn)) == 3)
                if not flies and (start, end) not in STEPS:
                    continue
                after = {point: man for point, man in self.men.items() if point != start} | {end: self.turn}
                if self.in_mill(end, after) and self.of(self.other()):
                    others = self.of(self.other())
                    free = [point for point in others if not self.in_mill(point, after)]
                    yield from ((start, end, removed) for removed in free or others)
                else:
                    yield start, end, None

    def play(self, move):
        start, end, removed = move
        if start:
            del self.men[start]
        else:
            self.hand[self.turn] -= 1
        self.men[end] = self.turn
        if removed:
            del self.men[removed]
        self.idle = self.idle + 1 if start and not removed else 0
        self.turn = self.other()

    def utility(self):
        """Of white; None while the game goes on."""
        if len(self.of(self.turn)) + self.hand[self.turn] == 2 or next(self.all_moves(), None) is None:
            return 1 if self.turn == "b" else -1
        return 0 if self.idle >= self.longest_idle else None

    def text(self):
        parts = [self.turn.upper(), *(colour.upper() + ",".join(sorted(self.of(colour))) for colour in "wb")]
        left = sum(self.hand.values())
        return ":".join(parts + [f"P{left}"] * (left > 0) + [f"H{self.idle}"] * (self.idle > 0))


def name(move):
    start, end, removed = move
    return (f"{start}-" if start else "") + end + (f"x{removed}" if removed else "")


def compare(game, dice):
    """Play a random game on both; where a mill can be closed, three times in four one is."""
    twin, position = Twin(game.flying, game.longest_idle), game.initial_state()
    while True:
        assert game.state_text(position) == twin.text()
        assert game.parse_state(twin.text()) == position
        assert game.to_move(position) == "wb".index(twin.turn)
        utility = twin.utility()
        assert game.is_terminal(position) == (utility is not None)
        moves = {name(move): move for move in twin.moves()}
        actions = list(legal_actions(game, position))
        assert sorted(game.action_name(position, action) for action in actions) == sorted(moves)
        if utility is not None:
            assert (game.utility(position, 0), game.utility(position, 1)) == (utility, -utility)
            return position
        closing = sorted(text for text in moves if "x" in text)
        assert sorted(game.action_name(position, action) for action in game.noisy(position)) == closing
        assert game.is_quiet(position) == (not closing)
        chosen = dice.choice(closing if closing and dice.random() < 0.75 else sorted(moves))
        position = game.result(position, game.parse_action(position, chosen))
        twin.play(moves[chosen])


@each_game
def test_random_games_of_the_twin(game):
    dice = random.Random(1)
    ends = [compare(game, dice) for _ in range(25)]
    assert {game.utility(end, 0) for end in ends} >= {1, -1}


@pytest.mark.nightly
@each_game
def test_many_random_games_of_the_twin(game):
    dice = random.Random(2)
    for _ in range(1000):
        compare(game, dice)


@pytest.mark.compiled
def test_counts():
    """By hand: there are 16 mills, each disjoint from 12 others.

    Ply 5: 24 * 23 * 22 * 21 * 20 placings, of which 16 * 6 * 21 * 20 close a mill, with two men to choose from. Ply 6:
    20 placings after each of these 80 640; else 19, of which 16 * 6 * (21 * 20 * 19 - 12 * 6) close a mill, with
    three men to choose from.
    """
    ply5 = 24 * 23 * 22 * 21 * 20
    mills = 16 * 6 * 21 * 20
    ply6 = (ply5 - mills) * 19 + 2 * mills * 20 + 2 * 16 * 6 * (21 * 20 * 19 - 12 * 6)
    wanted = [24, 24 * 23, 24 * 23 * 22, 24 * 23 * 22 * 21, ply5 + mills, ply6]
    assert wanted == [24, 552, 12_144, 255_024, 5_140_800, 99_274_176]
    assert [perft(GAME, depth).lines for depth in range(1, 7)] == wanted


@settings(max_examples=30)
@given(seeds, st.integers(0, 120))
def test_sixteen_symmetries(seed, plies):
    dice, position = random.Random(seed), GAME.initial_state()
    for _ in range(plies):
        if GAME.is_terminal(position):
            break
        position = GAME.result(position, dice.choice(list(GAME.actions(position))))
    images = GAME.symmetries(position)
    assert len(images) == 16
    assert 16 % len(set(images)) == 0  # fewer where the position is an image of itself
    one_ply_on = [sorted(GAME.features(GAME.result(image, a)) for a in GAME.actions(image)) for image in images]
    assert all(other == one_ply_on[0] for other in one_ply_on)


def test_a_position_without_symmetry_has_sixteen_images():
    assert len(set(GAME.symmetries(GAME.parse_state("W:Wa1,d2,g1,g4:Ba7,b6,d7,g7")))) == 16


# -- the rules, one by one --------------------------------------------------------------------------------------------


def names(text, game=GAME):
    position = game.parse_state(text)
    return sorted(game.action_name(position, action) for action in game.actions(position))


def test_a_man_in_a_mill_is_safe_unless_all_are():
    assert [name for name in names("W:Wa1,d2,g1,g4:Ba7,b6,d7,g7") if "x" in name] == ["d2-d1xb6"]
    assert [name for name in names("W:Wa1,d2,g1,g4:Ba7,d7,g7") if "x" in name] == [
        f"d2-d1x{point}" for point in ("a7", "d7", "g7")
    ]


def test_two_mills_at_once_remove_one_man():
    assert "d1xa4" in names("W:Wa1,g1,d2,d3:Ba4,b4,b6,f6:P10")
    position = GAME.parse_state("W:Wa1,g1,d2,d3:Ba4,b4,b6,f6:P10")
    after = GAME.result(position, GAME.parse_action(position, "d1xa4"))
    assert GAME.state_text(after) == "B:Wa1,d1,d2,d3,g1:Bb4,b6,f6:P9"


def test_a_mill_left_and_entered_by_the_same_man_is_closed_again():
    assert "d1-d2xa7" in names("W:Wd1,b2,f2,g7:Ba7,d7,f4")
    assert "d2-d1" in names("W:Wb2,d2,f2,g7:Ba7,d7,f4")


def test_three_men_fly_after_the_last_is_placed():
    assert len(names("W:Wa1,b4,g7:Ba7,d7,f4,f2")) == 3 * 17
    assert names("W:Wa1,b4,g7:Ba7,d7,f4,f2", NineMensMorris(flying=False)) == [
        "a1-a4", "a1-d1", "b4-a4", "b4-b2", "b4-b6", "b4-c4", "g7-g4",
    ]  # fmt: skip
    assert len(names("W:Wa1,b4,g7:Ba7,d7,f4:P2")) == 18


def test_who_is_shut_in_has_lost():
    position = GAME.parse_state("B:Wa4,d7,b4,d6,g4,f2:Ba7,g7,a1,g1")
    assert not GAME.is_terminal(position)  # a1 and g1 still move
    shut = GAME.parse_state("B:Wa4,d7,b4,d6,g4,d1,f4:Ba7,g7,a1,g1")
    assert GAME.is_terminal(shut)
    assert (GAME.utility(shut, 0), GAME.utility(shut, 1)) == (1, -1)


@pytest.mark.nightly
def test_two_men_have_lost():
    position = GAME.parse_state("W:Wa1,a7,b4:Bf4,f6,g7")
    after = GAME.result(position, GAME.parse_action(position, "b4-a4xg7"))
    assert GAME.is_terminal(after)
    assert GAME.utility(after, 0) == 1
    assert AlphaBeta(GAME).search(position, Limit(depth=3)).verdict == "win in 1"


def test_draws():
    game = NineMensMorris(longest_idle=30)
    position = game.parse_state("W:Wa1,a4,b4,g7:Bf4,f6,c3,g1:H29")
    after = game.result(position, game.parse_action(position, "a4-a7"))
    assert game.is_terminal(after)
    assert game.utility(after, 0) == 0
    states = [GAME.parse_state("W:Wa1,a4,b4,g7:Bf4,f6,c3,g1")]
    for move in ("a4-a7", "c3-d3", "a7-a4", "d3-c3") * 2:
        assert final(GAME, states) is None
        states.append(GAME.result(states[-1], GAME.parse_action(states[-1], move)))
    assert final(GAME, states) == (0, 0)


# -- hints ------------------------------------------------------------------------------------------------------------


def test_features():
    position = GAME.parse_state("B:Wa1,a4,a7,d7,b4:Bd6,f6,g7:P1")
    assert GAME.features(position) == (4 - 5, 0 - 1, 0 - 3, 4 - 4)


def test_estimates():
    texts = ("W:Wa1,d2,g4:Bd6,f4,e5,c5", "W:Wa1,d2,g4:Bd6,f4,e5", "W:Wb4,d2,g4:Bd6,a7,g1", "W:Wb4,d2,g4,f6:Bd6,a7,g1")
    values = [GAME.evaluate(GAME.parse_state(text), 0) for text in texts]
    assert values == sorted(set(values))
    assert -1 < values[0] < 0 < values[-1] < 1


def test_mills_are_tried_first_then_points_that_stop_one():
    position = GAME.parse_state("W:Wa1,a4,d2,f4:Bg1,g4,b6,d5:P10")
    ordered = sorted(GAME.actions(position), key=lambda action: -GAME.order(position, action))
    assert [GAME.action_name(position, action)[:4] for action in ordered[:4]] == ["a7xg"] * 2 + ["a7xb", "a7xd"]
    assert GAME.action_name(position, ordered[4]) == "g7"


# -- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "expected the colour to move"),
        ("W:Wd6", "expected the colour to move"),
        ("w:Wd6:Ba1:P16", "expected the colour to move"),
        ("W:Wd6:Ba1:P16:Q", "expected the colour to move"),
        ("W:Wd4:Ba1:P16", "'d4' is not a point"),
        ("W:Wd6,:Ba1:P16", "'' is not a point"),
        ("W:Wd6,d6:Ba1:P14", "there is a man on d6 already"),
        ("W:Wd6:Bd6:P16", "there is a man on d6 already"),
        ("W:Wd6:Ba1:P15", "P15: at most 18, an even number if white is to move"),
        ("W:W:B:P20", "P20: at most 18"),
        ("W:Wd6,a1,a4:Bg1,g4,g7:H101", "H101: at most 100"),
        ("W:Wd6:Ba1:P16:H1", "H1: at most 100, and 0 while men are placed"),
        ("W:Wd6,a1:Ba7,g1:P16", "white has 10 men on the board and in hand; from 2 to 9 are possible"),
        ("W:Wd6,a1,a4:Ba7,g1", "black has 2 men on the board and in hand; from 3 to 9 are possible"),
        ("W:Wd6:Ba7,g1,g4", "white has 1 men"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong) as refusal:
        GAME.parse_state(text)
    assert repr(text) in str(refusal.value)


def test_moves_are_read_in_small_and_capital_letters():
    start = GAME.initial_state()
    assert GAME.parse_action(start, " D6 ") == GAME.parse_action(start, "d6")
    with pytest.raises(IllegalAction, match="'d4' is not a legal action here"):
        GAME.parse_action(start, "d4")
    position = GAME.parse_state("W:Wa1,a7,b4:Bf4,f6,g7")
    with pytest.raises(IllegalAction, match="it closes a mill: say which man it removes, b4-a4xg7 or b4-a4x"):
        GAME.parse_action(position, "b4-a4")


@pytest.mark.parametrize("idle", [0, 10_001, "x"])
def test_bad_parameters(idle):
    with pytest.raises(RulesError, match="longest_idle must be a whole number from 1 to 10000"):
        NineMensMorris(longest_idle=idle)


# -- tables by the number of men --------------------------------------------------------------------------------------


def ways(exchanges):
    """The board turned and mirrored in all ways, with the rings in these orders: for each point, where it goes."""
    for rings in exchanges:
        for turns, sign in product(range(0, 8, 2), (1, -1)):
            way = [8 * rings[point // 8] + (sign * (point - 2) + 2 + turns) % 8 for point in range(24)]
            assert {frozenset(way[NAMES.index(name)] for name in line) for line in LINES} == {
                frozenset(map(NAMES.index, line)) for line in LINES
            }
            yield way


def burnside(men, others, images):
    """The number of pairs of disjoint sets of so many points, where images count as one: Burnside's lemma."""
    fixed = 0
    for way in images:
        ways_of = Counter({(0, 0): 1})
        for cycle in {min(orbit): orbit for orbit in map(orbit_of(way), range(24))}.values():
            for (one, other), number in list(ways_of.items()):
                ways_of[one + len(cycle), other] += number
                ways_of[one, other + len(cycle)] += number
        fixed += ways_of[men, others]
    return fixed // len(images)


def orbit_of(way):
    """A function from a point to all points to which it goes."""

    def orbit(point):
        found = [point]
        while way[found[-1]] != point:
            found.append(way[found[-1]])
        return found

    return orbit


IMAGES = list(ways([(0, 1, 2), (2, 1, 0)]))


def test_there_are_as_many_indices_as_published():
    """Ralph Gasser, Solving Nine Men's Morris (1996): 9,074,932,579 for all numbers of men from 3 to 9."""
    classes = [GAME.parse_class(f"{men}-{others}") for men in range(3, 10) for others in range(3, men + 1)]
    assert len(classes) == 28
    assert sum(map(GAME.index_count, classes)) == 9_074_932_579
    sizes = [GAME.first_set[men + 1] - GAME.first_set[men] for men in range(3, 10)]
    assert sizes == [burnside(men, 0, IMAGES) for men in range(3, 10)]


@pytest.mark.parametrize("name", ["3-3", "4-3", "5-5", "9-8", "3-2", "7-2"])
def test_every_state_has_its_index(name):
    number = GAME.parse_class(name)
    assert GAME.class_name(number) == name
    for index in range(0, GAME.index_count(number), max(1, GAME.index_count(number) // 50)):
        state = GAME.indexed_state(number, index)
        kept = GAME.state_index(state)  # less if the other side's men have an image that comes first
        assert GAME.state_class(state) == number
        assert GAME.state_index(GAME.indexed_state(number, kept)) == kept <= index
        assert {GAME.state_index(image) for image in GAME.symmetries(state)} == {kept}
        swapped = state._replace(turn=1 - state.turn)
        assert (GAME.state_class(swapped), GAME.state_index(swapped)) == (number, kept)
        assert GAME.index_player(swapped) == 1 - GAME.index_player(state)
        if "2" in name:
            assert GAME.is_terminal(state)
            assert GAME.utility(state, GAME.index_player(state)) == 1
        else:
            assert GAME.parse_state(GAME.state_text(state)) == state
            turned = state._replace(mine=state.theirs, theirs=state.mine)
            assert (GAME.state_index(turned) == kept) <= (name[0] == name[2])


def test_classes_have_names():
    assert GAME.parse_class(" 3-4") == GAME.parse_class("4-3")
    for position in GAME.initial_state(), GAME.parse_state("W:Wd6,g4,a1:Ba7,f2,b2:P12"):
        assert GAME.state_class(position) == GAME.state_index(position) == -1
    for text in ("4", "10-3", "2-2", "4-1", "KvK"):
        with pytest.raises(RulesError, match="4-3"):
            GAME.parse_class(text)


def flying_ends():
    """The mover's value and the plies to the end of all states with three men each, without images, by plain loops.

    A side that closes a mill has won. Without steps along lines, any two rings may be exchanged.
    """
    lines = [sum(1 << NAMES.index(name) for name in line) for line in LINES]
    images = [np.array(way) for way in ways(permutations(range(3)))]

    def first(own, theirs):
        """The first image of each pair of sets."""
        found = np.full(len(own), 1 << 48)
        for way in images:
            pair = [sum((men >> point & 1) << int(way[point]) for point in range(24)) for men in (own, theirs)]
            np.minimum(found, pair[0] << 24 | pair[1], out=found)
        return found

    sets = np.array([sum(1 << point for point in three) for three in combinations(range(24), 3)])
    starts = np.unique(first(sets, np.zeros_like(sets)) >> 24)
    own, theirs = (each.ravel() for each in np.meshgrid(starts, sets))
    apart = own & theirs == 0
    states = np.unique(first(own[apart], theirs[apart]))
    own, theirs = states >> 24, states & 0xFFFFFF
    plies, wins, children = np.full(len(states), -1), np.zeros(len(states), bool), []
    for start, end in permutations(range(24), 2):
        able = (own >> start & 1 == 1) & ((own | theirs) >> end & 1 == 0)
        after = own & ~(1 << start) | 1 << end
        closes = able & np.any([(after & line == line) & (line >> end & 1 == 1) for line in lines], axis=0)
        plies[closes], wins[closes] = 1, True
        places = np.flatnonzero(able & ~closes)
        children.append((places, np.searchsorted(states, first(theirs[places], after[places]))))
    sources, targets = (np.concatenate(each) for each in zip(*children, strict=True))
    for ply in range(2, 40):
        lost = (plies[targets] >= 0) & ~wins[targets]
        if ply % 2:
            new = np.setdiff1d(sources[lost], np.flatnonzero(plies >= 0))
        else:
            open_ = (plies[targets] < 0) | lost
            new = np.setdiff1d(np.flatnonzero(plies < 0), sources[open_])
        plies[new], wins[new] = ply, ply % 2 == 1
    return {
        (int(state) >> 24, int(state) & 0xFFFFFF): ((1 if win else -1, int(ply)) if ply >= 0 else (0, None))
        for state, win, ply in zip(states, wins, plies, strict=True)
    }


@pytest.mark.nightly
def test_three_men_each_by_a_plain_twin():
    """Gasser's number of positions, 56,922; the longest win takes 26 plies."""
    wanted = flying_ends()
    assert len(wanted) == burnside(3, 3, list(ways(permutations(range(3))))) == 56_922
    assert Counter(value for value, _ in wanted.values()) == {1: 47_167, 0: 96, -1: 9_659}
    assert max(plies or 0 for _, plies in wanted.values()) == 26
    table = Tablebase.make(GAME, classes=["3-3"])
    assert verify(table).fault == ""
    about = table.classes.about[GAME.parse_class("3-3")]
    assert sum(about["counts"]) == burnside(3, 3, IMAGES) == len(table) - 1  # all states with two men share an index
    for (mine, theirs), (value, plies) in wanted.items():
        assert table.probe(Position(mine, theirs, 0, 0, 0)) == Known(value, plies)
    lost = next(men for men, (_, plies) in wanted.items() if plies == 26)
    assert table.probe(Position(*lost, 0, 0, GAME.longest_idle - 26)) == Known(-1, 26)
    assert table.probe(Position(*lost, 0, 0, GAME.longest_idle - 25)) is None  # it may be drawn before


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "counts"), [("4-4", (29, 3_225_409, 159)), ("5-3", (6_301, 4_564_142, 590_337))])
def test_more_men(name, counts):
    """There are as many states as Burnside's lemma counts, and each value is checked against the rules."""
    table = Tablebase.make(GAME, classes=[name], memory_mb=2000)
    for each in table.classes.about.values():
        men, others = map(int, each["name"].split("-"))
        sides = 1 if men == others else 2
        assert sum(each["counts"]) == (1 if others == 2 else sides * burnside(men, others, IMAGES))
    assert tuple(table.classes.about[GAME.parse_class(name)]["counts"]) == counts
    assert verify(table).fault == ""
