"""Chinese Checkers against a slow, obvious twin over a drawing of the star, counts by hand, and its own laws."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import AlphaBeta, Limit, RulesError, UnsuitableGame, state_key
from outplay.compile.random_numbers import new_random
from outplay.games import ChineseCheckers
from outplay.search.perft import perft

seeds = st.integers(0, 2**32 - 1)
ROWS = {1: 1, 3: 2, 6: 3, 10: 4}
"""The rows of a camp, by its stones."""
SMALL = ChineseCheckers(camp=3, longest=40)


class Twin:
    """A dict from holes to players. A hole is (row, place), neighbours in a row are two places apart, in others one."""

    def __init__(self, players, camp, longest):
        rows = ROWS[camp]
        half = [*range(1, rows + 1), *range(3 * rows + 1, 2 * rows, -1)]
        self.widths = half + half[-2::-1]
        self.holes = {(row, x) for row, width in enumerate(self.widths) for x in range(1 - width, width, 2)}
        bottom = {hole for hole in self.holes if hole[0] < rows}
        left = {
            (row, x)
            for row, x in self.holes
            if rows <= row < 2 * rows and x <= 1 - self.widths[row] + 2 * (2 * rows - row - 1)
        }
        camps = [bottom, left, flip(left, rows), flip(bottom, rows)]
        camps += [{(row, -x) for row, x in camp} for camp in (camps[2], left)]
        points = {2: "03", 3: "024", 4: "0134", 6: "012345"}[players]
        self.goals = [camps[(int(point) + 3) % 6] for point in points]
        self.tips = [max(goal, key=lambda hole: abs(hole[1]) + 3 * abs(hole[0] - 2 * rows)) for goal in self.goals]
        self.stones = {hole: player for player, point in enumerate(points) for hole in camps[int(point)]}
        self.players, self.longest, self.turn, self.moved, self.winner = players, longest, 0, 0, None
        self.homes = [[hole for hole in self.stones if self.stones[hole] == player] for player in range(players)]

    def beside(self, hole, steps):
        return [
            (hole[0] + steps * up, hole[1] + steps * right)
            for up, right in ((0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1))
        ]

    def moves(self):
        """Pairs of holes."""
        found = set()
        for start in [hole for hole, player in self.stones.items() if player == self.turn]:
            del self.stones[start]
            ends = {end for end in self.beside(start, 1) if end in self.holes and end not in self.stones}
            ends |= self.hops(start, {start})
            self.stones[start] = self.turn
            found |= {(start, end) for end in ends if end != start}
        return found

    def hops(self, hole, seen):
        for over, end in zip(self.beside(hole, 1), self.beside(hole, 2), strict=True):
            if over in self.stones and end in self.holes and end not in self.stones and end not in seen:
                seen.add(end)
                self.hops(end, seen)
        return seen

    def play(self, move):
        if move:
            self.stones[move[1]] = self.stones.pop(move[0])
        there = [self.stones.get(hole) for hole in self.goals[self.turn]]
        if None not in there and self.turn in there:
            self.winner = self.turn
        self.turn, self.moved = (self.turn + 1) % self.players, self.moved + 1

    def is_over(self):
        return self.winner is not None or self.moved == self.longest

    def name(self, move):
        if not move:
            return "pass"
        return "-".join(f"{'abcdefghijklmnopq'[row]}{(x + self.widths[row] - 1) // 2 + 1}" for row, x in move)

    def distance(self, player, holes):
        """Steps to the far tip."""
        row, x = self.tips[player]
        return sum(abs(r - row) + max(0, abs(y - x) - abs(r - row)) // 2 for r, y in holes)

    def gone(self, player):
        start, goal = self.distance(player, self.homes[player]), self.distance(player, self.goals[player])
        mine = [hole for hole, owner in self.stones.items() if owner == player]
        return (start - self.distance(player, mine)) / (start - goal)

    def picture(self):
        lines = []
        for row in reversed(range(len(self.widths))):
            marks = [
                ("ABCDEF"[self.stones[hole]] if hole in self.stones else ".")
                for hole in sorted(self.holes)
                if hole[0] == row
            ]
            lines.append(" ".join(marks).center(2 * max(self.widths) - 1).rstrip())
        return lines


def flip(holes, rows):
    """Upside down."""
    return {(4 * rows - row, x) for row, x in holes}


def pushy(chooser, game, position, actions):
    """Mostly a move that goes far: so games come to an end."""
    return max(actions, key=lambda action: game.order(position, action) + 3 * chooser.random())


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([2, 3, 4, 6]), st.sampled_from([1, 3, 3, 6, 10]), st.booleans(), seeds)
def test_random_games_of_the_twin(players, camp, is_pushy, seed):
    game, twin, chooser = ChineseCheckers(players, camp, 60), Twin(players, camp, 60), random.Random(seed)
    position = game.initial_state()
    while True:
        assert [line[3:] for line in game.render(position).splitlines()[:-1]] == twin.picture()
        assert game.parse_state(game.state_text(position)) == position
        assert game.is_terminal(position) == twin.is_over()
        if twin.is_over():
            utilities = [-1] * players if twin.winner is not None else [0] * players
            if twin.winner is not None:
                utilities[twin.winner] = players - 1
            assert [game.utility(position, player) for player in range(players)] == utilities
            assert list(game.actions(position)) == []
            return
        assert game.to_move(position) == twin.turn
        gone = [twin.gone(player) for player in range(players)]
        estimates = [game.evaluate(position, player) for player in range(players)]
        assert estimates == pytest.approx([mine - (sum(gone) - mine) / (players - 1) for mine in gone])
        assert sum(estimates) == pytest.approx(0)
        assert all(-1 < estimate < 1 for estimate in estimates)
        moves = {twin.name(move): move for move in twin.moves() or {()}}
        actions = {game.action_name(position, action): action for action in game.actions(position)}
        assert sorted(actions) == sorted(moves)
        assert len(actions) == len(list(game.actions(position)))
        names = sorted(actions)
        action = (
            pushy(chooser, game, position, [actions[name] for name in names])
            if is_pushy
            else actions[chooser.choice(names)]
        )
        move = moves[game.action_name(position, action)]
        nearer = twin.distance(twin.turn, move[:1]) - twin.distance(twin.turn, move[1:])
        assert game.order(position, action) == nearer
        position = game.result(position, action)
        twin.play(move)


@pytest.mark.parametrize("players", [2, 3, 4, 6])
@pytest.mark.parametrize(("camp", "moves", "holes"), [(1, 2, 13), (3, 6, 37), (6, 10, 73), (10, 14, 121)])
def test_first_moves(players, camp, moves, holes):
    """Each stone of the front row has two steps, each of the row behind two hops."""
    game = ChineseCheckers(players, camp)
    assert game.holes == holes
    assert len(list(game.actions(game.initial_state()))) == moves


def twin_lines(players, camp, path, depth):
    if depth == 0:
        return 1
    twin = Twin(players, camp, 100)
    for move in path:
        twin.play(move)
    return sum(twin_lines(players, camp, [*path, move], depth - 1) for move in twin.moves())


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("players", "lines"), [(2, [1, 14, 196, 4760]), (3, [1, 14, 196, 2744]), (6, [1, 14, 199, 2828])]
)
def test_perft(players, lines):
    """What the twin counts, natively."""
    game = ChineseCheckers(players)
    assert [perft(game, depth).lines for depth in range(4)] == lines
    assert [twin_lines(players, 10, [], depth) for depth in range(3)] == lines[:3]


def play(game, position, *moves):
    for move in moves:
        position = game.result(position, game.parse_action(position, move))
    return position


def test_hops_go_on_and_around():
    """Over one's own stone and then over another's; it cannot be seen from the action how."""
    position = SMALL.parse_state("B/1B/7/2B3/2A2/2A3/7/A1/1 A 0")
    names = {SMALL.action_name(position, action) for action in SMALL.actions(position)}
    steps, hops = {"d2", "d4", "e2", "c3", "c4"}, {"f4", "f2"}
    assert {name for name in names if name.startswith("d3-")} == {f"d3-{end}" for end in steps | hops}


def test_a_far_camp_that_is_full_is_won_with_one_stone_of_ones_own():
    position = SMALL.parse_state("B/B1/4A2/6/5/6/1B5/AA/1 A 20")
    after = play(SMALL, position, "g5-h2")
    assert SMALL.is_terminal(after)
    assert [SMALL.utility(after, player) for player in (0, 1)] == [1, -1]
    assert SMALL.render(after).endswith("A wins")
    assert SMALL.parse_state(SMALL.state_text(after)) == after
    assert not SMALL.is_terminal(play(SMALL, position, "g5-g6"))
    assert not SMALL.is_terminal(SMALL.initial_state())  # full, but only of B's


def test_who_is_shut_in_passes():
    game = ChineseCheckers(6, 1)
    position = game.parse_state("F/4/B1C/1DE1/A A 7")
    assert [game.action_name(position, action) for action in game.actions(position)] == ["pass"]
    after = play(game, position, "pass")
    assert game.state_text(after) == "F/4/B1C/1DE1/A B 8"


def test_the_last_move_is_a_draw():
    game = ChineseCheckers(3, 3, longest=2)
    position = play(game, game.initial_state(), "b1-c3")
    assert not game.is_terminal(position)
    position = game.result(position, next(iter(game.actions(position))))
    assert game.is_terminal(position)
    assert [game.utility(position, player) for player in range(3)] == [0, 0, 0]
    assert game.render(position).endswith("draw")


@pytest.mark.parametrize("players", [2, 3])
def test_playouts_come_to_an_end(players):
    """Where every move is equally likely they hardly ever do."""
    game, random_ = ChineseCheckers(players, 6, longest=300), new_random(seed=1)
    position = game.initial_state()
    while not game.is_terminal(position):
        position = game.result(position, game.playout_action(position, -1, random_))
    assert position.winner >= 0


def test_the_mirror_is_for_two_players():
    position = play(SMALL, SMALL.initial_state(), "b1-c3", "h2-g5")
    assert SMALL.state_text(SMALL.symmetries(position)[1]) == "B/1B/2B4/6/5/6/4A2/A1/A A 2"
    assert len({state_key(SMALL, image) for image in SMALL.symmetries(position)}) == 2
    three = ChineseCheckers(3, 3)
    position = play(three, three.initial_state(), "b1-c3")
    assert three.symmetries(position) == (position, position)


@pytest.mark.nightly
def test_alpha_beta_finds_the_way_and_wants_two_players():
    game = ChineseCheckers(camp=3)
    position = game.parse_state("A/A1/4A2/2B3/5/6/BB5/2/1 A 20")
    assert AlphaBeta(game).search(position, Limit(depth=3)).verdict == "win in 1"
    with pytest.raises(UnsuitableGame, match="players"):
        AlphaBeta(ChineseCheckers(3))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            "B/BB/7/6/5/6/7/AA/A A",
            "must end with the number of moves made, at most 40; such as B/BB/7/6/5/6/7/AA/A A 0",
        ),
        ("B/BB/7/6/5/6/7/AA/A A 41", "at most 40"),
        ("B/BB/7/6/5/6/7/AA/A C 4", "who is to move; such as 1/2/7/6/5/6/7/2/1 A"),
        ("BB/7/6/5/6/7/AA/A A 4", "8 rows, but the board has 9"),
        ("B/BB/7/7/5/6/7/AA/A A 4", "row 6, '7': it describes 7 squares, but this row has 6"),
        ("B/BC/7/6/5/6/7/AA/A A 4", "'C' is not one of A, B"),
        ("B/BB/B6/6/5/6/7/AA/A A 4", "4 stones B, but each player has 3"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong):
        SMALL.parse_state(text)


@pytest.mark.parametrize("options", [{"players": 5}, {"players": "x"}, {"camp": 4}, {"camp": 15}, {"longest": 0}])
def test_bad_parameters(options):
    with pytest.raises(RulesError, match=next(iter(options))):
        ChineseCheckers(**options)
