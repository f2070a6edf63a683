"""Tables against published numbers and values, where each is known; and games of people against a plain twin."""

from collections import Counter
from typing import NamedTuple

import pytest

from benchmarks.common import ROOT
from benchmarks.solve_methods import EightPuzzle
from outplay import AlphaBeta, Game, Tablebase, legal_actions
from outplay.games import Breakthrough, Chess, ConnectFour, DotsAndBoxes, Kalah, Othello, Oware, TicTacToe
from outplay.rules.bits import lowest
from outplay.session.load import class_in_file
from outplay.tables import verify
from outplay.tables.zugzwang import mutual_zugzwangs
from tables.test_tables import twin

pytestmark = pytest.mark.nightly
HEXAPAWN = ROOT / "examples" / "hexapawn.py"


def plain(game: Game) -> Game:
    """The same game, in which images are different states."""
    cls = type(game)
    game.__class__ = type(cls.__name__, (cls,), {"symmetries": lambda self, state: [state]})
    return game


@pytest.mark.parametrize(  # John Tromp, tromp.github.io/c4/c4.html
    ("game", "states"),
    [
        pytest.param(ConnectFour(width=4, height=4), 161_029),
        pytest.param(ConnectFour(width=4, height=5), 1_706_255, marks=pytest.mark.nightly),
        pytest.param(ConnectFour(width=5, height=4), 3_945_711, marks=pytest.mark.nightly),
        pytest.param(ConnectFour(width=5, height=5), 69_763_700, marks=pytest.mark.nightly),
    ],
    ids=repr,
)
def test_published_numbers_of_positions(game, states):
    assert len(Tablebase.make(plain(game), memory_mb=8000, check=False)) == states


def test_tic_tac_toe_has_5478_positions():
    """Our states also say which mark was the last."""
    table = Tablebase.make(plain(TicTacToe()), check=False)
    assert len({entry.state.marks.tobytes() for entry in table.entries()}) == 5_478


def test_published_numbers_of_the_eight_puzzle():
    """Half of 9! positions, two of which need 31 moves and no more (Alexander Reinefeld, 1993)."""
    game = EightPuzzle()
    table = Tablebase.make(game, check=False)
    plies = table.states().plies
    assert len(table) == 181_440
    assert plies.max() == 31
    assert (plies == 31).sum() == 2
    assert table.probe(game.initial_state()) == (1, 31)
    assert table.probe(game.initial_state()._replace(tiles=game.goal, empty=8)) == (1, 0)


@pytest.mark.parametrize(("size", "value"), [(3, -1), (4, 1)])
def test_hexapawn(size, value):
    """The second player wins on 3 x 3 squares (Martin Gardner, Scientific American, March 1962), the first one on 4 x 4
    (Wikipedia, Hexapawn: octapawn).
    """
    game = class_in_file(HEXAPAWN)(size, size)
    assert Tablebase.make(game, check=False).probe(game.initial_state()).value == value


def test_dots_and_boxes():
    """The second player gets 3 boxes more of 3 x 3 (test_dots_and_boxes.py names the source)."""
    game = DotsAndBoxes(3, 3)
    table = Tablebase.make(game, check=False)
    assert table.probe(game.initial_state()).value == -3
    assert verify(table).fault == ""
    by_class = Tablebase.make(game, classes=["24"], check=False)
    assert len(by_class) == 1 << 24
    assert by_class.probe(game.initial_state()).value == -3


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (5, 4), (4, 5)])
def test_breakthrough(rows, columns):
    """As alpha-beta finds. On 5 x 5 squares, where values are published, a table needs too much memory."""
    game = Breakthrough(rows, columns)
    table = Tablebase.make(game, check=False)
    analysis = AlphaBeta(game).search()
    assert table.probe(game.initial_state()) == (analysis.value, analysis.distance)
    assert verify(table).fault == ""


@pytest.mark.nightly
def test_breakthrough_on_25_squares():
    """With one row of men a side; half a minute. No value is published for that."""
    analysis = AlphaBeta(Breakthrough(5, 5), table_mb=256).search()
    assert (analysis.value, analysis.distance) == (1, 17)


ROOK = {
    -1: 2796, 0: 27, 1: 78, 2: 246, 3: 81, 4: 198, 5: 471, 6: 592, 7: 683, 8: 1433, 9: 1712, 10: 1985, 11: 2854,
    12: 3597, 13: 4194, 14: 4553, 15: 2166, 16: 390,
}  # fmt: skip
"""Positions of king and rook against king, black to move, in which White mates in so many moves; -1: draws. M. Bain
and A. van Hoff, Chess (King-Rook vs. King), UCI Machine Learning Repository, 1994: 28,056 positions without images."""


LONGEST = {"KQK": (10, 1, 8), "KRK": (16, 121, 390), "KPK": (28, 3, 2)}
"""The longest mates, and how many positions have one with White, and with Black to move: the member "guido" in "Longest
Mate in kqk", a topic in the forum of Kirill Kryukov (kirill-kryukov.com)."""


def test_endings_of_chess_by_depth():
    game = Chess()
    table = Tablebase.make(game, classes=["KPK"], check=False)
    for name, (longest, to_win, to_lose) in LONGEST.items():
        moves = [by_depth(table, name, side) for side in (0, 1)]
        assert [max(move) for move in moves] == [longest, longest]
        assert [move[longest] for move in moves] == [to_win, to_lose]
        if name == "KRK":
            assert moves[1] == Counter(ROOK)


ZUGZWANGS = {"KPK": 80, "KRKB": 5, "KRKN": 18, "KRKP": 12, "KBKP": 1, "KNKP": 29, "KBPK": 6, "KNPK": 75, "KPPK": 43}
"""Mutual zugzwangs, in Scid's table of endings (Shane Hudson, tcl/tbstats.tcl); KQKR and those below have none."""


def test_mutual_zugzwangs_of_chess():
    table, found = Tablebase.make(Chess(), classes=[*ZUGZWANGS, "KQKR"], memory_mb=3500, check=False), Counter()
    for mutual_zugzwang in mutual_zugzwangs(table.classes):
        found[mutual_zugzwang.name] += mutual_zugzwang.positions
    assert found == ZUGZWANGS


def by_depth(table, name, side):
    """The number of positions by the moves to mate, -1 for draws; images count as one. `side` 0: the stronger moves."""
    game, found = table.game, {}
    number = game.parse_class(name)
    half = game.index_count(number) // 2
    for index in range(side * half, (side + 1) * half):
        state = game.indexed_state(number, index)
        if (game.state_class(state), game.state_index(state)) != (number, index):
            continue
        image = index
        if "P" not in name:  # two indices may have one image if both kings are on a diagonal
            kings, others = (state.theirs, state.mine) if side else (state.mine, state.theirs)
            pieces = state.kings & kings, state.kings & others, (state.mine | state.theirs) & ~state.kings
            image = min(images([lowest(piece) for piece in pieces]))
        value, plies = table.classes.find(state)
        moves = (plies + 1) // 2 if value else -1
        assert found.setdefault(image, moves) == moves
    return Counter(found.values())


def images(squares):
    """The squares on the board turned and mirrored in all ways."""
    places = [divmod(square, 8) for square in squares]
    for _ in range(4):
        places = [(column, 7 - row) for row, column in places]
        yield tuple(places)
        yield tuple((column, row) for row, column in places)


def test_othello_on_16_squares():
    """White, who is second, wins by 3 discs to 11; two squares that stay empty count for the winner."""
    game = Othello(4)
    table = Tablebase.make(game, check=False)
    assert table.probe(game.initial_state()).value == 3 - (11 + 2)
    assert verify(table).fault == ""


RESULTS = {1: "DLWLWD", 2: "WLLLWW", 3: "DWWWWL", 4: "WWW", 5: "DD", 6: "W"}
"""Who wins Kalah with m pits a side and 1, 2, … seeds in each, for the first player: G. Irving, J. Donkers and
J. Uiterwijk, Solving Kalah, ICGA Journal 23 (2000)."""


@pytest.mark.parametrize(
    ("pits", "seeds", "result"),
    [
        pytest.param(pits, seeds, result, marks=[pytest.mark.nightly] if pits * seeds > 9 else [])
        for pits, results in RESULTS.items()
        for seeds, result in enumerate(results, 1)
        if pits * seeds <= 12
    ],
)
def test_kalah(pits, seeds, result):
    game = Kalah(pits, seeds)
    value = Tablebase.make(game, check=False).probe(game.initial_state()).value
    assert "DWL"[(value > 0) - (value < 0)] == result


@pytest.mark.nightly
def test_kalah_with_4_pits_and_4_seeds():
    """What plain minimax found, in another language, for each of 5,389,376 positions without what is in the stores."""
    assert AlphaBeta(Kalah(4, 4), table_mb=256).search().value == 2


class Hands(NamedTuple):
    mine: tuple[int, int]
    theirs: tuple[int, int]
    turn: int


class Chopsticks(Game):
    """Each player has two hands with a finger up on each. A hand taps one of the opponent, which gets as many fingers
    more; with five or more it is out. Or, with one hand out, an even number of fingers is split over both hands. Who
    has no hand left has lost.
    """

    fingers = 5

    def initial_state(self):
        return Hands((1, 1), (1, 1), 0)

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        for hand in (0, 1):
            for other in (0, 1):
                if state.mine[hand] > 0 and state.theirs[other] > 0:
                    yield 2 * hand + other
        if min(state.mine) == 0 and max(state.mine) % 2 == 0:
            yield 4

    def result(self, state, action):
        if action == 4:
            half = max(state.mine) // 2
            return Hands(state.theirs, (half, half), 1 - state.turn)
        hand, other = action // 2, action % 2
        more = state.theirs[other] + state.mine[hand]
        if more >= self.fingers:
            more = 0
        after = (more, state.theirs[1]) if other == 0 else (state.theirs[0], more)
        return Hands(after, state.mine, 1 - state.turn)

    def is_terminal(self, state):
        return max(state.mine) == 0

    def utility(self, state, player):
        return -1 if player == state.turn else 1

    def symmetries(self, state):
        for mine in (state.mine, (state.mine[1], state.mine[0])):
            for theirs in (state.theirs, (state.theirs[1], state.theirs[0])):
                yield Hands(mine, theirs, state.turn)


class Chase(NamedTuple):
    hunter: int
    hare: int
    turn: int


class Graph(Game):
    """A hunter and a hare on a cycle of squares with a shortcut: caught, or for ever in circles."""

    def __init__(self, squares=11, shortcut=4):
        self.squares, self.shortcut = squares, shortcut

    def initial_state(self):
        return Chase(0, self.squares // 2, 0)

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        at = state.hunter if state.turn == 0 else state.hare
        yield 0
        if state.turn == 1 or at % 2 == 0:
            yield 1
        if at == 0:
            yield 2

    def result(self, state, action):
        at = state.hunter if state.turn == 0 else state.hare
        step = 1 if action == 0 else -1 if action == 1 else self.shortcut
        to = (at + step) % self.squares
        return Chase(to, state.hare, 1) if state.turn == 0 else Chase(state.hunter, to, 0)

    def is_terminal(self, state):
        return state.hunter == state.hare or (state.hare == 0 and state.turn == 0)

    def utility(self, state, player):
        first = 1 if state.hunter == state.hare else -2
        return first if player == 0 else -first


class ByText:
    """A game whose states can be in a dictionary, for the twin: each is told by its text."""

    def __init__(self, game):
        self.game, self.states = game, {}

    def told(self, state):
        self.states[repr(state)] = state
        return repr(state)

    def actions(self, text):
        return [int(action) for action in legal_actions(self.game, self.states[text])]

    def result(self, text, action):
        return self.told(self.game.result(self.states[text], action))

    def to_move(self, text):
        return self.game.to_move(self.states[text])

    def is_terminal(self, text):
        return self.game.is_terminal(self.states[text])

    def utility(self, text, player):
        return self.game.utility(self.states[text], player)


@pytest.mark.parametrize(
    "game",
    [
        Chopsticks(),
        Graph(),
        class_in_file(HEXAPAWN)(3, 4),
        DotsAndBoxes(1, 2),
        pytest.param(DotsAndBoxes(2, 2), marks=pytest.mark.nightly),
        Breakthrough(3, 3),
        pytest.param(Breakthrough(4, 3), marks=pytest.mark.nightly),
        Oware(1, 2, 20),
        pytest.param(Oware(2, 1), marks=pytest.mark.nightly),
        Kalah(2, 2),
    ],
    ids=repr,
)
def test_every_state_is_as_in_a_plain_twin(game):
    table, by_text = Tablebase.make(game, check=False), ByText(game)
    wanted = twin(by_text, by_text.told(game.initial_state()), 0)
    for text, (value, plies) in wanted.items():
        state = by_text.states[text]
        first = game.is_terminal(state) or game.to_move(state) == 0
        assert table.probe(state) == (value if first else -value, plies), text
    assert len(table) <= len(wanted)
    assert verify(table).fault == ""
    if isinstance(game, DotsAndBoxes | Kalah):  # whose tables by class hold what is still open
        by_class = Tablebase.make(game, classes=[game.state_class(game.initial_state())], check=False)
        assert verify(by_class).fault == ""
        for state in by_text.states.values():
            assert by_class.probe(state).value == table.probe(state).value
