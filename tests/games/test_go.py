"""Go against an obvious twin, published values of small boards and counts of positions."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.board_text import written

from outplay import AlphaBeta, IllegalAction, RulesError, kernel, legal_actions, state_key
from outplay.games import Go, SuperkoGo
from outplay.games.go import Points, without
from outplay.rules.repetition import final

LETTERS = "ABCDEFGHJKLMNOPQRST"


class Twin:
    """A dict of stones, a list of the boards so far; chains are walked point by point. `A1` is (0, 0)."""

    def __init__(self, size, *, komi=7.5, suicide=False, superko=False):
        self.size, self.komi, self.suicide, self.superko = size, komi, suicide, superko
        self.stones, self.turn, self.passes = {}, 0, 0
        self.boards, self.has_taken = [{}], False

    def beside(self, point):
        column, row = point
        near = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
        return [(x, y) for x, y in near if 0 <= x < self.size and 0 <= y < self.size]

    def region(self, stones, point):
        """All points connected with `point` that look alike, and all that these touch."""
        todo, inside, edge = [point], set(), set()
        while todo:
            here = todo.pop()
            inside.add(here)
            for near in self.beside(here):
                if stones.get(near) == stones.get(point):
                    todo += [near] * (near not in inside)
                else:
                    edge.add(near)
        return inside, edge

    def is_dead(self, stones, point):
        return all(near in stones for near in self.region(stones, point)[1])

    def played(self, point):
        """The board with a stone on `point`, or None if that is not allowed, and whether it takes any."""
        stones = {**self.stones, point: self.turn}
        taken = set()
        for near in self.beside(point):
            if stones.get(near) == 1 - self.turn and self.is_dead(stones, near):
                taken |= self.region(stones, near)[0]
        stones = {place: stone for place, stone in stones.items() if place not in taken}
        if self.is_dead(stones, point):
            if not self.suicide:
                return None, False
            dead = self.region(stones, point)[0]
            stones = {place: stone for place, stone in stones.items() if place not in dead}
        if self.superko and stones in self.boards:
            return None, False
        if self.has_taken and stones == self.boards[-2]:
            return None, False
        return stones, bool(taken)

    def moves(self):
        if self.passes == 2:
            return []
        points = [(x, y) for y in range(self.size) for x in range(self.size)]
        free = [point for point in points if point not in self.stones and self.played(point)[0] is not None]
        return [*(LETTERS[x] + str(y + 1) for x, y in free), "pass"]

    def play(self, move):
        if move == "pass":
            self.passes, self.has_taken = self.passes + 1, False
        else:
            self.stones, self.has_taken = self.played((LETTERS.index(move[0]), int(move[1:]) - 1))
            self.passes = 0
        self.boards.append(self.stones)
        self.turn = 1 - self.turn

    def lead(self):
        """The area of black less that of white."""
        area = {0: len([1 for stone in self.stones.values() if stone == 0])}
        area[1] = len(self.stones) - area[0]
        for x in range(self.size):
            for y in range(self.size):
                if (x, y) not in self.stones:
                    touched = {self.stones[near] for near in self.region(self.stones, (x, y))[1]}
                    if len(touched) == 1:
                        area[touched.pop()] += 1
        return area[0] - area[1]

    def influence(self):
        """For each colour its stones, and the empty points that are fewer steps away from them along empty points."""
        steps = {}
        for colour in (0, 1):
            edge, number = [point for point, stone in self.stones.items() if stone == colour], 0
            far = dict.fromkeys(edge, 0)
            while edge:
                number += 1
                edge = {near for point in edge for near in self.beside(point) if near not in self.stones} - far.keys()
                far |= dict.fromkeys(edge, number)
            steps[colour] = far
        return tuple(
            sum(number < steps[1 - colour].get(point, 10**6) for point, number in steps[colour].items())
            for colour in (0, 1)
        )

    def features(self):
        counts = [[], [], []]
        for colour in (self.turn, 1 - self.turn):
            mine = [point for point, stone in self.stones.items() if stone == colour]
            counts[0].append(len(mine))
            edges = [self.region(self.stones, point)[1] for point in mine]
            counts[1].append(sum(len([near for near in edge if near not in self.stones]) == 1 for edge in edges))
            counts[2].append(self.influence()[colour])
        return (*(mine - theirs for mine, theirs in counts), -self.komi if self.turn == 0 else self.komi)

    def text(self):
        rows = [
            "".join(".XO"[self.stones.get((x, y), -1) + 1] for x in range(self.size))
            for y in reversed(range(self.size))
        ]
        return written(rows, self.size, "bw"[self.turn])


def play(game, *names):
    board = game.initial_state()
    for name in names:
        board = game.result(board, game.parse_action(board, name))
    return board


def choose(dice, moves):
    """A pass is made seldom, so that boards fill up and chains are captured."""
    return "pass" if len(moves) == 1 or dice.random() < 0.02 else dice.choice(moves[:-1])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("game", "games", "every"),
    [
        (Go(2, komi=0), 30, 1),
        (Go(3, suicide=True), 30, 1),
        (Go(5, margin=True), 8, 1),
        (Go(7, suicide=True), 1, 1),
        (Go(9), 1, 1),
        (Go(13), 1, 25),
        (Go(19), 1, 100),
        (SuperkoGo(2), 30, 1),
        (SuperkoGo(3, suicide=True), 15, 1),
        (SuperkoGo(4), 5, 1),
    ],
    ids=repr,
)
def test_random_games_of_the_twin(game, games, every):
    """On large boards the twin lists the moves every so many plies, as that takes it long."""
    dice = random.Random(1)
    superko = isinstance(game, SuperkoGo)
    for _ in range(games):
        twin, board = Twin(game.size, komi=game.komi, suicide=game.suicide, superko=superko), game.initial_state()
        for ply in range(min(450, 12 * game.size**2)):
            moves = [game.action_name(board, action) for action in legal_actions(game, board)]
            if ply % every == 0 or not moves:
                assert moves == twin.moves()
                black, white = game.area(board)
                assert black - white == twin.lead()
                assert game.influence(board) == twin.influence()
                assert game.features(board) == twin.features()
                if not superko:
                    text = game.state_text(board)
                    assert text.startswith(twin.text() + " ")
                    assert text.endswith(f" {twin.passes}")
                    assert game.parse_state(text) == board
            assert (game.is_terminal(board), game.to_move(board)) == (not moves, twin.turn)
            if not moves:
                lead = twin.lead() - game.komi
                wanted = lead if game.margin else (lead > 0) - (lead < 0)
                assert [game.utility(board, player) for player in (0, 1)] == [wanted, -wanted]
                break
            move = choose(dice, moves)
            board = game.result(board, game.parse_action(board, move))
            twin.play(move)


# -- published values and counts --------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_two_by_two():
    """One point for black under area scoring with positional superko (Tromp, "The game of Go aka Weiqi", 2x2 Go)."""
    analysis = AlphaBeta(SuperkoGo(2, komi=0, margin=True)).search()
    assert (analysis.value, analysis.exact) == (1, True)


def boards(size):
    """All ways to put stones on a board, as texts without the turn."""
    for number in range(3 ** (size * size)):
        yield "/".join(
            "".join(".XO"[number // 3 ** (row * size + column) % 3] for column in range(size)) for row in range(size)
        )


@pytest.mark.parametrize(("size", "legal"), [(2, 57), (3, 12_675)])
def test_legal_positions(size, legal):
    """The counts of Tromp & Farnebäck, "Combinatorics of Go" (2007)."""
    game, found = Go(size), 0
    for text in boards(size):
        shorter = text
        for empty in range(size, 0, -1):
            shorter = shorter.replace("." * empty, str(empty))
        try:
            game.parse_state(f"{shorter} b - 0")
        except RulesError:
            continue
        found += 1
    assert found == legal


@kernel
def legal_boards(game, stones, start, end):
    """How many of the boards with numbers from `start` on are legal: every chain has a liberty."""
    found = 0
    for number in range(start, end):
        rest, bits = number, np.zeros(2, np.int64)
        for point in range(len(stones)):
            if rest % 3:
                bits[rest % 3 - 1] |= stones[point]
            rest //= 3
        black, white = Points(bits[0], 0, 0, 0, 0, 0, 0), Points(bits[1], 0, 0, 0, 0, 0, 0)
        near = game.around(without(without(game.board, black), white))
        alive = True
        for colour in (black, white):
            living = Points(near.a & colour.a, 0, 0, 0, 0, 0, 0)
            alive = alive and game.flood(living, colour).a == colour.a
        found += alive
    return found


@pytest.mark.nightly
def test_legal_positions_of_four_by_four():
    game = Go(4)
    stones = np.array([game.point(action).a for action in range(16)])
    assert legal_boards(game, stones, 0, 3**16) == 24_318_165


@pytest.mark.nightly
def test_three_by_three():
    """Black wins the whole board, from the centre (van der Werf et al., "Solving Go on small boards", 2003)."""
    game = Go(3, komi=0, margin=True)
    analysis = AlphaBeta(game).search()
    assert (analysis.value, analysis.exact) == (9, True)
    assert game.action_name(None, analysis.action) == "B2"


# -- compiled rules ---------------------------------------------------------------------------------------------------


@kernel
def played(game, state, moves):
    """The state after `moves`, and a sum over the actions on the way."""
    total = 0
    for move in moves:
        for action in legal_actions(game, state):
            total = (total * 31 + action) % 1_000_003
        state = game.result(state, move)
    return state, total


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", [Go(9, suicide=True), Go(19)], ids=repr)
def test_compiled_is_interpreted(game):
    dice = random.Random(3)
    board, moves = game.initial_state(), []
    while not game.is_terminal(board) and len(moves) < 250:
        actions = list(legal_actions(game, board))
        moves.append(dice.choice(actions[:-1] or actions))
        board = game.result(board, moves[-1])
    native, total = played(game, game.initial_state(), np.array(moves))
    assert state_key(game, native) == state_key(game, board)
    assert native[:6] == board[:6]
    assert total == played.interpreted(game, game.initial_state(), moves)[1]


# -- rules that random games seldom meet ------------------------------------------------------------------------------


def test_ko():
    """The single stone may be taken back after another move, and two stones at once."""
    game = Go(4)
    board = game.parse_state("4/1XO1/X1XO/1XO1 w - 0")
    board = play_from(game, board, "B2")
    assert game.state_text(board) == "4/1XO1/XO1O/1XO1 b C2 0"
    assert "C2" not in names(game, board)
    assert "C2" in names(game, play_from(game, board, "A4", "D4"))


def names(game, board):
    return [game.action_name(board, action) for action in legal_actions(game, board)]


def play_from(game, board, *moves):
    for move in moves:
        board = game.result(board, game.parse_action(board, move))
    return board


def test_the_same_position_again_is_a_draw():
    game = Go(2)
    states = [game.initial_state()]
    for move in "A1", "B2", "B1", "A2", "B1", "A1", "B1", "A2", "A1", "B2", "B1", "A2":
        if final(game, states):
            break
        states.append(play_from(game, states[-1], move))
    assert final(game, states) == (0, 0)
    assert not game.is_terminal(states[-1])


def test_superko_forbids_what_simple_ko_allows():
    """Random games on a small board come to a move that brings back an earlier board."""
    dice = random.Random(4)
    simple, strict = Go(2), SuperkoGo(2)
    forbidden = 0
    for _ in range(50):
        loose, board = simple.initial_state(), strict.initial_state()
        while not strict.is_terminal(board):
            allowed = list(legal_actions(strict, board))
            forbidden += len(set(legal_actions(simple, loose)) - set(allowed))
            action = dice.choice(allowed[:-1] or allowed)
            loose, board = simple.result(loose, action), strict.result(board, action)
    assert forbidden > 20


def test_suicide():
    text = "1X2/X3/4/4 w - 0"
    assert "A4" not in names(Go(4), Go(4).parse_state(text))
    game = Go(4, suicide=True)
    board = play_from(game, game.parse_state(text), "A4")
    assert game.state_text(board) == "1X2/X3/4/4 b - 0"


def test_an_end_by_passes():
    game = Go(5, komi=3)
    board = play(game, "C3", "pass", "pass")
    assert list(legal_actions(game, board)) == []
    assert game.render(board).endswith("black wins")
    drawn = Go(5, komi=0)
    assert drawn.render(play(drawn, "pass", "pass")).endswith("draw")
    counted = Go(5, komi=-1.5, margin=True)
    assert counted.render(play(counted, "pass", "pass")).endswith("black wins by 1.5")


HANDICAPS = {
    (7, 4): "C3 E5 E3 C5",
    (8, 2): "C3 F6",
    (9, 5): "C3 G7 G3 C7 E5",
    (13, 6): "D4 K10 K4 D10 D7 K7",
    (19, 7): "D4 Q16 Q4 D16 D10 Q10 K10",
    (19, 9): "D4 Q16 Q4 D16 D10 Q10 K4 K16 K10",
}


@pytest.mark.parametrize(("size", "stones"), HANDICAPS)
def test_handicap(size, stones):
    """The points of the GTP specification, version 2, section 4.1.1."""
    game = Go(size, handicap=stones)
    board = game.initial_state()
    assert board.turn == 1
    found = {game.action_name(board, action) for action in game.listed(board.theirs)}
    assert found == set(HANDICAPS[size, stones].split())


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda: Go(1), "size=1"),
        (lambda: Go(20), "size=20"),
        (lambda: Go(9, komi=0.3), "whole or half number"),
        (lambda: Go(9, komi=400), "whole or half number"),
        (lambda: Go(9, komi=float("nan")), "whole or half number"),
        (lambda: Go(9, komi="7"), "whole or half number"),
        (lambda: Go(9, handicap=1), "one stone is no handicap"),
        (lambda: Go(5, handicap=2), "from 0 to 0"),
        (lambda: Go(8, handicap=5), "from 0 to 4"),
    ],
)
def test_parameters(make, wrong):
    with pytest.raises(RulesError, match=wrong):
        make()


# -- texts ------------------------------------------------------------------------------------------------------------


def test_moves_are_read_in_either_case():
    game = Go(9)
    board = game.initial_state()
    assert {game.parse_action(board, text) for text in ("j9", " J9", "J9 ")} == {80}
    assert {game.parse_action(board, text) for text in ("pass", "PASS", " Pass")} == {81}
    with pytest.raises(IllegalAction):
        game.parse_action(board, "I5")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("3/3/3", "expected the board, who is to move, the ko and the passes; such as 3/3/3 b - 0"),
        ("3/3/3 b -", "expected the board"),
        ("3/3/3 x - 0", "who is to move"),
        ("3/3 b - 0", "2 rows, but the board has 3"),
        ("3/4/3 b - 0", "it describes 4 squares"),
        ("3/b2/3 b - 0", "'b' is not one of X, O"),
        ("3/3/3 b - 3", "'3': expected the passes"),
        ("3/3/OX1 b - 0", None),
        ("3/X2/OX1 b - 0", "the chain of A1 has no liberty"),
        ("3/3/3 b A1 0", "'A1' is not a ko"),
        ("3/3/3 b Z9 0", "'Z9' is not a ko"),
        ("OX1/1OX/OX1 w A2 0", "'A2' is not a ko"),
        ("1X1/X1X/1X1 w B2 0", "'B2' is not a ko"),
    ],
)
def test_bad_texts(text, wrong):
    game = Go(3)
    if wrong is None:
        assert game.parse_state(text).turn == 0
        return
    with pytest.raises(RulesError, match=wrong):
        game.parse_state(text)


def test_a_short_text():
    game = Go(3)
    assert game.parse_state("3/1X1/3 w") == game.parse_state("3/1X1/3 w - 0") == play(game, "B2")


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([Go(5), Go(9, 0.5, handicap=4), Go(19, -3)]))
def test_sgf_there_and_back(seed, game):
    dice, board, moves = random.Random(seed), game.initial_state(), []
    while not game.is_terminal(board) and len(moves) < 30:
        moves.append(dice.choice(list(legal_actions(game, board))))
        board = game.result(board, moves[-1])
    assert Go.from_sgf(game.to_sgf(moves)) == (game, moves)


def test_sgf_of_others():
    """With comments, escapes, variations, line breaks and passes of old files."""
    text = r"""some mail header
    (;GM[1]FF[4] SZ[9]
    C[a \] comment: (;B[aa\])]PB[x] KM[6.5];B[ee]
    C[];W[tt](;B[aa];W[])(;B[bb]))"""
    game, moves = Go.from_sgf(text)
    assert (game, [game.action_name(None, move) for move in moves]) == (Go(9, 6.5), ["E5", "pass", "A9", "pass"])
    assert SuperkoGo.from_sgf("(;SZ[2])") == (SuperkoGo(2, 0), [])
    assert Go.from_sgf("(;)") == (Go(19, 0), [])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "begins with"),
        ("no game", "begins with"),
        ("(;GM[2])", "another game"),
        ("(;SZ[9:5])", "square board"),
        ("(;SZ[25])", "size=25"),
        ("(;HA[x])", "whole number"),
        ("(;KM[six])", r"KM\[six\]: expected a number"),
        ("(;SZ[9]HA[2])", "without stones: they are put on the usual points"),
        ("(;SZ[9]AB[aa])", "begins in another state, X8/9/9/9/9/9/9/9/9 b - 0"),
        ("(;SZ[9];AW[aa])", "begins in another state"),
        ("(;SZ[9];B[aa];B[bb])", r"move 2, B\[bb\]: black moves twice in a row"),
        ("(;SZ[9];B[aa];W[aa])", r"move 2, W\[aa\]: it is not legal"),
        ("(;SZ[9];B[zz])", "not legal"),
        ("(;SZ[9];B[a])", "not legal"),
        ("(;SZ[9];B[aa]", "not closed by"),
        ("(;SZ[9];B[aa", "not closed by"),
        ("(;[9])", "no name"),
        ("(;SZ[9];b[aa])", "'b' where"),
    ],
)
def test_bad_sgf(text, wrong):
    with pytest.raises(RulesError, match=wrong):
        Go.from_sgf(text)


def test_sgf_of_illegal_moves():
    with pytest.raises(RulesError, match="move 2, 40, is not legal"):
        Go(9).to_sgf([40, 40])


# -- hints ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("OX3/5/5/XO3/5 b - 0", "A4 > C3 > pass"),  # to capture
        ("OX2O/OX2X/5/5/5 b - 0", "A3 > D5 > C3"),  # more stones
        ("5/5/1O3/OXO2/5 b - 0", "B1 > D3 > E5"),  # to save a stone from capture; no stone alone at the edge
        ("5/5/5/5/1O3 b - 0", "C3 > A1 > pass"),  # a stone in atari late
        ("1X3/XX3/5/5/5 b - 0", "C3 > pass > A5"),  # an own eye last
        ("5/1XO2/5/5/5 b - 0", "C5 > D1"),  # shape: the head of a pair
    ],
)
def test_order(text, order):
    game = Go(5)
    board = game.parse_state(text)
    values = [game.order(board, game.parse_action(board, name)) for name in order.split(" > ")]
    assert values == sorted(set(values), reverse=True)


@pytest.mark.parametrize(("komi", "first"), [(7.5, "pass"), (30, None)])
def test_a_pass_that_wins_comes_first(komi, first):
    game = Go(5, komi)
    board = play(game, "C3", "pass")
    values = {game.action_name(board, action): game.order(board, action) for action in legal_actions(game, board)}
    assert (max(values, key=values.get) == "pass") == (first == "pass")
    assert (min(values, key=values.get) == "pass") == (first is None)


def test_a_null_move_is_no_pass():
    game = Go(5)
    board = play(game, "C3", "C4", "pass")
    other = game.null_move_state(board)
    assert (other.turn, other.passes, game.colours(other)) == (0, 0, game.colours(board))
