"""Proofs: made, checked without Numba, and refused if anything in them is changed."""

import dataclasses
import itertools
import random
import subprocess
import sys
import zlib
from array import array

import numpy as np
import pytest
from tables.test_tables import Circles, Node

from outplay import MCTS, AlphaBeta, Game, Minimax, ProofNumber, Tablebase
from outplay.compile.records import new_record, view
from outplay.engine.score import encode
from outplay.engine.table import empty_table
from outplay.games import ConnectFour, Domineering, DotsAndBoxes, Nim, TicTacToe
from outplay.proofs import Proof
from outplay.proofs.building import OutOfTime, Prover, TooLarge, strategy
from outplay.proofs.checking import Fault, check_part, content
from outplay.proofs.proof import load_built_in
from outplay.proofs.tree_answers import remember_tree
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.keys import content_key
from outplay.rules.value_text import value_words as verdict
from outplay.search import questions
from outplay.session.load import load_game


class Graph(Game):
    """A random game on numbered places, of which the last ones are ends; moves go to any later place, or anywhere."""

    compiled = False

    def __init__(self, seed: int, circles: bool = False, number: int = 14):
        self.seed, self.circles, self.number = seed, circles, number
        dice = random.Random(seed)
        inner = number - number // 3
        self.after = tuple(
            tuple(dice.sample(range(0 if circles else place + 1, number), dice.randint(1, min(3, number - place - 1))))
            for place in range(inner)
        )
        self.movers = tuple(dice.randrange(2) for _ in range(inner))
        self.ends = tuple(dice.randint(-2, 2) for _ in range(number - inner))
        if seed % 2:
            self.utilities = (-2, 2)

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return self.movers[state[0]]

    def actions(self, state):
        return list(range(len(self.after[state[0]])))

    def result(self, state, action):
        return (self.after[state[0]][action], 0)

    def is_terminal(self, state):
        return state[0] >= len(self.after)

    def utility(self, state, player):
        worth = self.ends[state[0] - len(self.after)]
        return worth if player == 0 else -worth


class Heaps(Nim):
    """Nim, interpreted."""

    compiled = False


class Plain(TicTacToe):
    """Tic-tac-toe, interpreted."""

    compiled = False


class WrongKeys(Graph):
    """All states have the same key, which is wrong."""

    def key(self, state):
        return 0


class Repeating(Graph):
    """A draw as soon as one of two places next to each other is reached from the other, or again."""

    repetition = "draw"

    def key(self, state):
        return state[0] // 2


def exact(game, state, keys=()):
    """The value for player 0, by plain recursion to the end."""
    if game.is_terminal(state):
        return game.utility(state, 0)
    if game.repetition == "draw":
        if game.key(state) in keys:
            return 0
        keys = (*keys, game.key(state))
    values = [exact(game, game.result(state, action), keys) for action in game.actions(state)]
    return max(values) if game.to_move(state) == 0 else min(values)


def forced(game, side, bound):
    """Whether a side can force an end that is worth at least `bound` to it, from the start."""
    sign = 1 if side == 0 else -1
    won = {
        place for place in range(game.number)
        if game.is_terminal((place, 0)) and sign * game.utility((place, 0), 0) >= bound
    }  # fmt: skip
    while True:
        more = {
            place for place, after in enumerate(game.after)
            if place not in won and (any if game.movers[place] == side else all)(to in won for to in after)
        }  # fmt: skip
        if not more:
            return 0 in won
        won |= more


def holds(game, value, part, numbers):
    try:
        check_part(game, game.initial_state(), value, part, numbers, lambda: None)
    except Fault:
        return False
    return True


@pytest.mark.parametrize("seed", range(0, 300, 30))
def test_proofs_of_random_games_hold_and_prove_what_minimax_says(seed):
    for each in range(seed, seed + 30):
        game = Graph(each)
        proof = Proof.make(game, searcher=AlphaBeta(game, table_mb=0.1, reuse_table=True, check=False))
        assert proof.value == exact(game, game.initial_state())
        assert proof.verify().fault == ""
        numbers, states = zlib.decompress(proof._numbers), proof.states
        for changed in (numbers[:-2] if numbers else b"\0\0", numbers + b"\0\0"):
            assert Proof(game, (), proof.value, zlib.compress(changed), states).verify().fault
        for place in range(0, len(numbers), 2):
            changed = numbers[:place] + b"\xff\xff" + numbers[place + 2 :]
            assert "chooses action 65535" in Proof(game, (), proof.value, zlib.compress(changed), states).verify().fault
        for value in {-3, -2, -1, 0, 1, 2, 3, proof.value + 0.5} - {proof.value}:
            assert Proof(game, (), value, proof._numbers, states).verify().fault
        for wrong in (states - 1, states + 1):
            assert "states" in Proof(game, (), proof.value, proof._numbers, wrong).verify().fault


SEARCHERS = {
    "questions": lambda _: None,
    "proof-number": lambda game: ProofNumber(game, reuse_table=True, table_mb=0.1, check=False),
    "proof-number, nothing kept": lambda game: ProofNumber(game, table_mb=0, check=False),
    "mcts": lambda game: MCTS(game, reuse_tree=True, memory_mb=1, check=False),
    "minimax": lambda game: Minimax(game, check=False),
}


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_whatever_proves_the_value_its_proofs_hold(searcher):
    for seed in range(12):
        game = Graph(seed)
        proof = Proof.make(game, searcher=SEARCHERS[searcher](game), table_mb=0.01)
        assert proof.value == proof.analysis.values[0] == exact(game, game.initial_state())
        assert proof.verify().fault == ""


class Puzzle(Graph):
    """The same for one player."""

    players = 1

    def to_move(self, state):
        return 0


def test_a_puzzle_is_proved_to_have_nothing_better():
    for seed in range(20):
        game = Puzzle(seed)
        proof = Proof.make(game, table_mb=0.01)
        assert (proof.value, proof.verify().fault) == (exact(game, game.initial_state()), "")


def test_the_line_of_a_proof_ends_with_its_value():
    for seed in range(60):
        game = Graph(seed)
        proof = Proof.make(game, table_mb=0.01)
        state = game.initial_state()
        for action in proof.analysis.line:
            state = game.result(state, action)
        assert (game.is_terminal(state), game.utility(state, 0)) == (True, proof.value)
        assert verdict(game, proof.analysis.value, True, None) == proof.analysis.verdict


def test_what_df_pn_has_proved_is_not_searched_again():
    game, nodes = Plain(), []
    after = game.result(game.result(game.initial_state(), 0), 1)  # player 0 wins
    for keeps in (True, False):
        searcher = ProofNumber(game, reuse_table=keeps, check=False)
        assert searcher.search(after).value == 1
        prover = Prover(game, after, 1, 10_000, searcher)
        prover.strategy("least", 1)
        nodes.append(prover.nodes)
    assert nodes[0] < nodes[1]


def test_df_pn_takes_turns_with_questions_that_take_long(monkeypatch):
    game, told = ConnectFour(4, 3), []
    proof = Proof.make(game, choose=told.append)
    assert (proof.analysis.method, told) == ("Prover", [])
    value = Prover.value
    prover = Prover(game, game.initial_state(), 64, 10**6)
    with pytest.raises(OutOfTime):
        value(prover, 0.0)
    assert value(prover) == 0  # it goes on
    monkeypatch.setattr(Prover, "value", lambda self, seconds=None: value(self, None if seconds is None else 0.0))
    proof = Proof.make(game, choose=told.append)
    assert (proof.analysis.method, proof.value, proof.verify().fault) == ("ProofNumber", 0, "")
    assert told[0].startswith("Prover: ")
    assert told[1:] == ["ProofNumber was faster"]


def test_what_is_proved_in_a_tree_is_an_answer():
    game = Plain()
    after = game.result(game.result(game.initial_state(), 0), 1)  # player 0 wins
    searcher = MCTS(game, reuse_tree=True, check=False)
    searcher.search(after)
    for target, sign in ((encode(1), 1), (encode(1) + 1, -1)):  # at least 1: yes; more: no
        prover = Prover(game, after, 1, 10_000, searcher)
        prover._run(remember_tree, target, prover.tree)
        key = questions.key_of.interpreted(prover.game, prover.techniques, after, 0, prover.fields)
        assert sign * questions.recall.interpreted(prover.fields, prover.table, key) > 0
    assert Prover(game, after, 1, 10_000, MCTS(game, check=False)).tree is None


def test_a_proof_goes_through_few_states():
    """A state of the proof is chosen before a new one, and of new ones the action that adds the fewest."""
    assert Proof.make(Plain(), [0, 4]).states == 148
    assert Proof.make(Heaps((3, 4, 5))).states == 51


@pytest.mark.parametrize(("without", "with_them"), [(50, 40), (50, 60), (200, 90), (90, 200)])
def test_the_smaller_of_two_walks_is_kept(without, with_them):
    class Walks(Prover):
        def _walk(self, part, target, max_states):
            states = with_them if self.fields.short else without
            if states > max_states:
                raise TooLarge
            self.fields.states, self.slots[part] = states, f"slots of {states}"
            return states

    prover = Walks(Plain(), Plain().initial_state(), 1, max_states=100)
    assert prover._smaller("least", 0) == min(without, with_them)
    assert prover.slots["least"] == f"slots of {min(without, with_them)}"


def test_a_proof_of_too_many_states_is_refused():
    with pytest.raises(OutplayError, match="a strategy goes through more than 100 states"):
        Proof.make(Plain(), max_states=100)


def test_play_in_circles_needs_a_table():
    with pytest.raises(OutplayError, match="play may go in circles; an AlphaBeta that has a Tablebase"):
        Proof.make(Graph(3, circles=True))
    with pytest.raises(UnsuitableGame, match="states can repeat, and then only AlphaBeta makes proofs, not MCTS"):
        Proof.make(Repeating(0), searcher=MCTS(Repeating(0)))


@dataclasses.dataclass(frozen=True)
class Noted:
    """A place, and how it was reached, which is no part of what compares."""

    place: int
    note: str = dataclasses.field(compare=False, default="")


class Notes(Graph):
    """Each state notes the last action."""

    def initial_state(self):
        return Noted(0)

    def to_move(self, state):
        return self.movers[state.place]

    def actions(self, state):
        return list(range(len(self.after[state.place])))

    def result(self, state, action):
        return Noted(self.after[state.place][action], str(action))

    def is_terminal(self, state):
        return state.place >= len(self.after)

    def utility(self, state, player):
        return super().utility((state.place, 0), player)


def test_states_that_differ_only_to_the_check_are_walked_as_the_check_does():
    more = 0
    for seed in range(40):
        proof = Proof.make(Notes(seed), table_mb=0.01)
        assert proof.verify().fault == ""
        more += proof.states > Proof.make(Graph(seed), table_mb=0.01).states
    assert more > 10


def test_ctrl_c_stops_a_proof():
    class Slow(ConnectFour):
        compiled = False

    def stop(_):
        raise KeyboardInterrupt

    assert Proof.make(Slow(5, 5), progress=stop) is None


def test_the_table_of_answers_keeps_the_largest_and_rounds_little():
    memory = view(new_record(questions.LAYOUT))
    table = empty_table(0, questions.BUCKET)
    for size in (1, 511, 512, 1023, 10**6, 10**12, questions.MAX_SIZE):
        for sign in (1, -1):
            questions.remember.interpreted(memory, table, 77 << 16, sign * size)
            found = questions.recall.interpreted(memory, table, 77 << 16)
            assert 0 <= size - sign * found <= size / 256
    for key in range(1, 9):
        questions.remember.interpreted(memory, table, key << 16, 10 * key)
    known = [questions.recall.interpreted(memory, table, key << 16) for key in range(1, 9)]
    assert known == [0, 0, 0, 0, 0, 60, 70, 80]  # and the largest of all, above


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [ProofNumber, MCTS])
def test_compiled_searches_are_proved_too(kind):
    game = ConnectFour(4, 4)
    searcher = kind(game, **{"reuse_table" if kind is ProofNumber else "reuse_tree": True})
    proof = Proof.make(game, searcher=searcher)
    assert (proof.value, proof.verify().fault) == (0, "")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("game", "table_mb", "value", "states"),
    [
        (ConnectFour(6, 5), 256, 0, 1_369_031),
        (DotsAndBoxes(3, 3), 256, -3, 1_276_661),
        ("examples/hexapawn.py(6, 6)", 256, -1, 1_077_961),
        (Domineering(7, 7), 512, 1, 7_303_867),
    ],
)
def test_large_proofs(game, table_mb, value, states):
    game = load_game(game) if isinstance(game, str) else game
    proof = Proof.make(game, table_mb=table_mb)
    assert (proof.value, proof.verify().fault) == (value, "")
    assert proof.states <= 1.1 * states


@pytest.mark.parametrize("kind", [Graph, WrongKeys])
def test_random_strategies_where_play_goes_in_circles_hold_only_if_they_are_right(kind):
    dice, held = random.Random(1), 0
    for seed in range(400):
        game = kind(seed, circles=True, number=9)
        for value in (-2, -1, 0, 1, 2):
            least = forced(game, 0, value) if value > 0 else not forced(game, 1, -value + 1)
            most = forced(game, 1, -value) if value < 0 else not forced(game, 0, value + 1)
            for part, right in (("least", least), ("most", most)):
                found = any(holds(game, value, part, iter(lambda: dice.randrange(2), None)) for _ in range(6))
                assert right or not found
                held += found
    assert held > 1000


def test_random_strategies_with_draws_by_repetition_hold_only_if_they_are_right():
    dice, held = random.Random(2), 0
    for seed in range(600):
        game = Repeating(seed, circles=True, number=8)
        value = exact(game, game.initial_state())
        for claimed in (-2, -1, 0, 1, 2):
            for part in ("least", "most"):
                found = any(holds(game, claimed, part, iter(lambda: dice.randrange(2), None)) for _ in range(6))
                assert not found or (value >= claimed if part == "least" else value <= claimed)
                held += found
    assert held > 1000


def test_a_proof_is_not_fooled_by_wrong_keys():
    """With keys in place of states, every state would have been seen before."""
    game = WrongKeys(next(seed for seed in range(100) if exact(Graph(seed), (0, 0)) < 0))
    assert Proof(game, (), 2.0, zlib.compress(bytes(40)), 1).verify().fault


def test_an_end_outside_of_the_declared_utilities_is_a_fault():
    class Wrong(Heaps):
        def utility(self, state, player):
            return 3 * super().utility(state, player)

    right = Proof.make(Heaps((1, 2)))
    assert right.verify().assumed.startswith("no game ends with more than 1 for player 0")
    assert "declares utilities" in Proof(Wrong((1, 2)), (), 1.0, right._numbers, right.states).verify().fault
    assert Proof.make(Plain(), [0, 4]).verify().assumed == ""


def test_after_moves_a_rule_of_repetition_is_refused_but_other_games_are_not():
    game = Heaps((1, 2, 3))
    proof = Proof.make(game, [next(iter(game.actions(game.initial_state())))])
    assert (proof.value, proof.moves, proof.verify().fault) == (-1, (0,), "")  # the other player is to move, and loses
    with pytest.raises(UnsuitableGame, match="after moves: the value depends on the states before"):
        Proof.make(Repeating(0), [0])


@pytest.mark.nightly
def test_play_in_circles_is_proved_with_a_table():
    game, starts = Circles(), [Node(seed, 0) for seed in range(1, 80)]
    table = Tablebase.make(game, starts)
    searcher = AlphaBeta(game, books=[table], check=False)
    for start in starts:
        value = table.analyse(start).values[0]
        for part in ("least", "most"):
            check_part(game, start, value, part, iter(strategy(game, start, part, searcher)), lambda: None)


def test_a_file_is_saved_and_loaded_and_refused_if_a_byte_changes(tmp_path):
    path = tmp_path / "a.proof"
    made = Proof.make(Heaps((1, 2)))
    proof = Proof(Nim((1, 2)), (), made.value, made._numbers, made.states)
    assert proof.save(path) == path.stat().st_size
    loaded = Proof.load(path)
    assert repr(loaded) == "<Proof of Nim(heaps=(1, 2)): player 0 wins (value 1), 5 states>"
    assert loaded.verify() == proof.verify()
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(OutplayError):
            Proof.load(path)
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            changed = Proof.load(path)
        except OutplayError:
            continue
        assert changed.verify().fault or (changed.value, changed.game.heaps) == (1, (1, 2)), place


def test_a_file_cannot_fill_the_memory_or_load_code(tmp_path):
    many = zlib.compress(bytes(10_000_000))
    with pytest.raises(OutplayError, match="claims 1,000,000,000,000 states, more than max_states"):
        Proof(ConnectFour(), (), 1.0, many, 10**12).verify()
    assert "more states than the 20" in Proof(ConnectFour(), (), 1.0, many, 20).verify().fault
    for name in ("x.py:Nim((1))", "nim(1).py:X()", "nim.json", "nim(1).json", "nim((1))x.py:X"):
        with pytest.raises(OutplayError, match="not built in"):
            load_built_in(name, load_game)
    assert load_built_in("nim((1, 2))", load_game) == Nim((1, 2))


def test_all_of_a_state_counts():
    class Thing:
        def __init__(self, number):
            self.number = number

        def __eq__(self, other):
            return True

        __hash__ = object.__hash__

    different = [(1, 2), [1, 2], (1, (2,)), {1, 2}, {1: 2}, Thing(1), Thing(2), "12", b"12", None, (None,)]
    assert all(content(a) != content(b) for a, b in itertools.combinations(different, 2))
    assert content(Thing(1)) == content(Thing(1))
    with pytest.raises(OutplayError, match="cannot be compared"):
        content((1, (place for place in range(3))))


class Sites(np.ndarray):
    """An array with an attribute, which views of it get too."""

    def __array_finalize__(self, of):
        self.turn = getattr(of, "turn", 0)


class Letters(array):
    """An array of Python's with an attribute."""


class Pile(list):
    __slots__ = ("turn",)


@pytest.mark.parametrize(
    "made", [lambda: np.array([1, 2]).view(Sites), lambda: Letters("i", [1, 2]), lambda: Pile([1, 2])]
)
def test_attributes_of_containers_count_in_proofs_and_in_keys(made):
    one, other = made(), made()
    one.turn, other.turn = 0, 1
    for name in content, content_key:
        assert name(one) != name(other)
        other.turn = 0
        assert name(one) == name(other)
        other.turn = 1


def test_however_small_utilities_are_a_wrong_value_is_not_proved():
    class Small(Heaps):
        utilities = None

        def utility(self, state, player):
            return 1e-12 * super().utility(state, player)

    right = Proof.make(Small((1, 2)))
    assert right.verify().fault == ""
    for value in (0.0, 0.9e-12, 1.1e-12, -1e-12):
        assert Proof(right.game, (), value, right._numbers, right.states).verify().fault, value


def test_a_check_needs_no_numba(tmp_path):
    path = tmp_path / "a.proof"
    made = Proof.make(Plain(), [0, 4])
    Proof(TicTacToe(), made.moves, made.value, made._numbers, made.states).save(path)
    check = f"assert not Proof.load({str(path)!r}).verify().fault"
    code = f"import sys; sys.modules['numba'] = None\nfrom outplay.proofs import Proof\n{check}"
    subprocess.run([sys.executable, "-c", code], check=True)


PLAIN = """
from outplay.games import TicTacToe
class Plain(TicTacToe):
    compiled = False
"""


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "outplay", *arguments], capture_output=True, text=True, check=False)


def test_the_commands_solve_once_and_verify(tmp_path):
    path, game = tmp_path / "a.proof", tmp_path / "plain.py"
    game.write_text(PLAIN)
    solved = command("solve", str(game), "--moves", "a1 b2", "--proof", str(path))
    assert (solved.returncode, "draw, exact" in solved.stdout) == (0, True)
    assert f"Proof in {path}: " in solved.stdout
    checked = command("verify", str(path), str(game))
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("Proved: Plain() after a1 b2: a draw (value 0)\n")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"value": 0.0', b'"value": 1.0'))
    wrong = command("verify", str(path), str(game))
    assert (wrong.returncode, wrong.stdout[:11]) == (1, "Not proved:")
    path.write_bytes(whole[:-1])
    assert command("verify", str(path), str(game)).returncode == 2
    refused = command("solve", "tic-tac-toe", "--algorithm", "max-n", "--proof", str(tmp_path / "b.proof"))
    assert refused.returncode == 2
    assert "--proof is for alpha-beta, mtdf, minimax, proof-number, mcts: max-n makes no" in refused.stderr


CIRCLES = """
from outplay import Game
class Loop(Game):
    compiled, zero_sum, utilities = False, True, (-1, 1)
    def initial_state(self):
        return 3, 0
    def to_move(self, state):
        return state[1]
    def actions(self, state):
        return [0, 1]
    def result(self, state, action):
        return (state[0] + 2 * action - 1) % 7, 1 - state[1]
    def is_terminal(self, state):
        return state[0] == 0
    def utility(self, state, player):
        return -1 if player == state[1] else 1
"""


@pytest.mark.nightly
def test_a_method_that_may_never_end_is_refused_where_play_goes_in_circles(tmp_path):
    path, game = tmp_path / "a.proof", tmp_path / "loop.py"
    game.write_text(CIRCLES)
    refused = command("solve", str(game), "--algorithm", "mcts", "--proof", str(path))
    assert (refused.returncode, "play goes in circles here" in " ".join(refused.stderr.split())) == (2, True)


@pytest.mark.nightly
@pytest.mark.sample(2)
@pytest.mark.parametrize("algorithm", ["alpha-beta", "mtdf", "minimax", "proof-number", "mcts"])
def test_each_method_writes_the_same_kind_of_proof(tmp_path, algorithm):
    path, game = tmp_path / "a.proof", tmp_path / "plain.py"
    game.write_text(PLAIN)
    solved = command("solve", str(game), "--moves", "a1 b2", "--algorithm", algorithm, "--proof", str(path))
    assert (solved.returncode, "draw, exact" in solved.stdout) == (0, True)
    assert command("verify", str(path), str(game)).stdout.startswith("Proved: Plain() after a1 b2: a draw (value 0)")


def test_no_proof_if_the_value_is_not_exact(tmp_path):
    path, game = tmp_path / "a.proof", tmp_path / "plain.py"
    game.write_text(PLAIN)
    told = command("solve", str(game), "--moves", "a1 b2", "--set", "beam=1", "--proof", str(path))
    assert told.returncode == 1
    assert "the value is not exact" in told.stderr
    assert not path.exists()
