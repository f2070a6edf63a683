"""`verify` against plain Python: it finds the first fault, with any number of threads."""

import itertools
import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import is_searching

from outplay import OutplayError, Tablebase, TableError, legal_actions, perft
from outplay.games import ConnectFour, Oware, Pig, TicTacToe
from outplay.tables import verify
from outplay.tables.check_threads import run_check
from outplay.tables.class_file import SolvedClasses
from outplay.tables.classes import Classes
from outplay.tables.self_check import first_contradiction
from outplay.tables.verdict import EARLY, FAULTS, HEADER, INDEX
from tables.test_conversions import Maze, made
from tables.test_endgames import Forgetful

pytestmark = pytest.mark.compiled

THREADS = (1, 2, 3)


def check_parts(workers, parts, check, progress=None):
    """What threads find in some parts."""
    return run_check(workers, lambda threads: threads.first_fault(parts, check), progress)


@given(st.lists(st.sampled_from(["right", "wrong", "broken"]), max_size=40), st.integers(1, 4))
def test_the_first_fault_of_all_parts_is_found(parts, workers):
    def check(worker, place):
        worker.memory.done += 1
        if parts[place] == "broken":
            raise TableError(str(place))
        return place if parts[place] == "wrong" else None

    workers = [SimpleNamespace(memory=SimpleNamespace(stop=0, done=0)) for _ in range(workers)]
    first = next((place for place, part in enumerate(parts) if part != "right"), None)
    if first is not None and parts[first] == "broken":
        with pytest.raises(TableError, match=f"^{first}$"):
            check_parts(workers, range(len(parts)), check)
    else:
        assert check_parts(workers, range(len(parts)), check) == (first, False)
    if first is None:
        assert sum(worker.memory.done for worker in workers) == len(parts)


def first_wrong(table):
    """The number of states before the first one that is wrong, by the laws, and this state; a slow twin."""
    game, states = table.game, table.states()
    known = dict(zip(map(tuple, states.codes.tolist()), zip(states.levels, states.plies, strict=True), strict=True))
    of = {entry.state: known[tuple(code)] for entry, code in zip(table.entries(), states.codes.tolist(), strict=True)}
    stored = {image: entry.state for entry in table.entries() for image in game.symmetries(entry.state)}
    for number, (state, (level, away)) in enumerate(of.items()):
        value, player = table.utilities[level], game.to_move(state)
        if game.is_terminal(state):
            right = value == game.utility(state, 0) and away == 0
        else:
            after = [of[stored[game.result(state, action)]] for action in legal_actions(game, state)]
            best = (max if player == 0 else min)(table.utilities[one] for one, _ in after)
            plies = [1 + ply for one, ply in after if table.utilities[one] == best]
            gains = value > 0 if player == 0 else value < 0
            right = value == best and away == (0 if value == 0 else min(plies) if gains else max(plies))
        if not right:
            return number, state
    return len(of), None


@pytest.fixture(scope="module")
def four():
    return Tablebase.make(ConnectFour(width=4, height=2, length=3))


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(12))
def test_threads_find_the_first_fault_of_a_table_with_codes(four, seed, monkeypatch):
    monkeypatch.setattr("outplay.tables.verification.PART", 20)
    states, rng = four.states(), np.random.default_rng(seed)
    levels, plies = states.levels.copy(), states.plies.copy()
    for numbers, most in ((levels, 3), (plies, 20)):
        places = rng.integers(0, len(four), rng.integers(0, 3))
        numbers[places] = (numbers[places] + rng.integers(1, most, len(places))) % most
    wrong = Tablebase(four.game, four.codec, four.utilities, states._replace(levels=levels, plies=plies))
    for threads in THREADS:
        verdict = verify(wrong, threads=threads)
        assert (verdict.states, verdict.state) == first_wrong(wrong)
        assert bool(verdict.fault) == (verdict.state is not None)


@pytest.mark.nightly
def test_threads_find_the_same_fault_of_tables_without_distances(four, tmp_path, monkeypatch):
    monkeypatch.setattr("outplay.tables.verification.PART", 20)
    four.save(tmp_path / "right", distances=False)
    states, rng = four.states(), np.random.default_rng(3)
    for case in range(6):
        levels = states.levels.copy()
        levels[rng.integers(0, len(four), case % 3)] = rng.integers(0, 3)
        wrong = Tablebase(four.game, four.codec, four.utilities, states._replace(levels=levels))
        wrong.save(tmp_path / "wrong", distances=False)
        loaded = Tablebase.load(tmp_path / "wrong", four.game)
        assert len({verify(loaded, threads=threads) for threads in THREADS}) == 1
        assert bool(verify(loaded).fault) == bool((levels != states.levels).any())


@pytest.mark.nightly
def test_threads_find_the_same_fault_with_chance(monkeypatch):
    monkeypatch.setattr("outplay.tables.verification.PART", 10)
    table = Tablebase.make(Pig(goal=8, sides=4))
    states = table.states()
    for place in (0, len(table) // 2, len(table) - 1):
        values = states.levels.copy()
        values[place] += 0.1
        wrong = Tablebase(table.game, table.codec, table.utilities, states._replace(levels=values), error=table.error)
        assert verify(table, threads=2) == (len(table), "", None, False)
        assert len({verify(wrong, threads=threads) for threads in THREADS}) == 1
        assert verify(wrong).fault


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("distance_to", ["end", "conversion"])
def test_threads_find_the_first_fault_of_a_table_by_class(seed, distance_to, monkeypatch):
    """The twin asks each state for the best of its successors (`Tablebase._successors`)."""
    monkeypatch.setattr("outplay.tables.verification.PART", 16)
    game, rng = Maze(3), np.random.default_rng(seed)
    table = made(game, distance_to=distance_to)
    solved = SolvedClasses()
    for number, each in table.classes.solved.items():
        levels, plies = each.levels.copy(), each.plies.copy()
        if rng.random() < 0.2:
            levels[rng.integers(0, len(levels))] = rng.integers(0, len(each.utilities))
        if rng.random() < 0.2:
            plies[rng.integers(0, len(plies))] += 1
        solved[number] = each._replace(levels=levels, plies=plies)
    wrong = Tablebase(game, table.codec, (), Classes(game, solved, table.classes.about, distance_to))

    def is_right(state):
        try:
            wrong._successors(state)
        except TableError:
            return False
        return True

    before = list(itertools.takewhile(is_right, wrong.classes.states()))
    first = next((state for state in wrong.classes.states() if not is_right(state)), None)
    for threads in THREADS:
        verdict = verify(wrong, threads=threads)
        assert (verdict.states, verdict.state) == (len(before), first)
        assert bool(verdict.fault) == (first is not None)


@pytest.mark.parametrize(("name", "by"), [("counts", 1), ("longest", -1)])
def test_numbers_in_the_header_are_checked(name, by):
    """Look-ups rely on the longest distances (`plies_beyond`)."""
    table = made(Maze(3))
    about = {number: dict(each) for number, each in table.classes.about.items()}
    own = about[max(about)]
    place = int(np.argmax(own["longest"]))
    own[name] = [each + by * (kind == place) for kind, each in enumerate(own[name])]
    wrong = Tablebase(table.game, table.codec, (), Classes(table.game, table.classes.solved, about, "conversion"))
    assert verify(table).fault == ""
    assert verify(wrong).fault == FAULTS[HEADER]


def test_a_file_without_classes_is_refused(tmp_path):
    table = made(Maze(3))
    Tablebase(table.game, table.codec, (), Classes(table.game, SolvedClasses(), {}, "end")).save(tmp_path / "a")
    with pytest.raises(TableError, match="a has no classes"):
        Tablebase.load(tmp_path / "a", table.game)


class Sometimes(Forgetful):
    """The sum that the index leaves out decides only if the length is a multiple of three."""

    def __init__(self, length):
        self.length = length

    def index_count(self, number):
        return self.length + 1

    def is_terminal(self, state):
        return state[0] == self.length

    def utility(self, state, player):
        return super().utility(state, player) if state[0] % 3 == 0 else 0


@pytest.mark.sample(1)
@pytest.mark.parametrize("length", [8, 9, 19, 20])
def test_random_games_find_what_the_index_leaves_out(length):
    game = Sometimes(length)
    table = Tablebase.make(game, classes=[0], check=False, threads=1)
    is_found = first_contradiction(table, 200, 60) is not None
    assert is_found == (length % 3 == 0)
    found = {verify(table, threads=threads) for threads in THREADS}
    assert len(found) == 1
    assert (found.pop().fault == FAULTS[INDEX]) == is_found


class Beside(Forgetful):
    """The same as the smaller of two classes; in the other one, nothing is left out."""

    large = 200_000

    def initial_state(self):
        return (0, 0, 0)

    def to_move(self, state):
        return state[1] % 2

    def result(self, state, action):
        if state[0] == 0:
            return (0, state[1] + 1, (state[2] + action) % 2)
        return (1, min(state[1] + action, self.large), 0)

    def is_terminal(self, state):
        return state[1] == (20 if state[0] == 0 else self.large)

    def utility(self, state, player):
        value = 2 * state[2] - 1 if state[0] == 0 else 0
        return value if player == 0 else -value

    def state_class(self, state):
        return state[0]

    def index_count(self, number):
        return 21 if number == 0 else self.large + 1

    def state_index(self, state):
        return state[1]

    def indexed_state(self, number, index):
        return (number, index, 0)


@pytest.mark.nightly
def test_random_games_try_small_classes_too():
    table = Tablebase.make(Beside(), classes=[0, 1], check=False, threads=1)
    verdicts = {verify(table, threads=threads) for threads in THREADS}
    assert len(verdicts) == 1
    verdict = verdicts.pop()
    assert verdict.fault == FAULTS[INDEX]
    assert verdict.state[0] == 0


@pytest.mark.nightly
def test_an_end_that_comes_too_early_is_found():
    """A gain on the way to a longer distance than the game may last."""
    long, short = (Oware(pits=3, seeds=2, awari=True, longest_idle=plies) for plies in (200, 2))
    table = Tablebase.make(long, classes=["6"], check=False)
    assert verify(table).fault == ""
    classes = Classes(short, table.classes.solved, table.classes.about)
    assert verify(Tablebase(short, table.codec, (), classes)).fault == FAULTS[EARLY]


@pytest.mark.parametrize("by_class", [False, True])
def test_ctrl_c_stops_all_threads(by_class, four, monkeypatch):
    main = threading.get_ident()

    def waiting(*args):
        while not args[-1].stop:
            time.sleep(0.001)

    def press():
        while not is_searching(main):
            time.sleep(0.001)
        signal.pthread_kill(main, signal.SIGINT)

    table = made(Maze(3)) if by_class else four
    monkeypatch.setattr("outplay.tables.verification.check_states", waiting)
    thread = threading.Thread(target=press)
    thread.start()
    verdict = verify(table, threads=2)
    thread.join()
    assert verdict == (0, "", None, True)


def test_progress_counts_the_states_of_all_threads():
    seen = []

    def slow(worker, number):
        time.sleep(0.15)
        worker.memory.done += 1

    workers = [SimpleNamespace(memory=SimpleNamespace(stop=0, done=0)) for _ in range(3)]
    check_parts(workers, range(7), slow, seen.append)
    assert seen == sorted(seen)
    assert 0 < max(seen) <= 7


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_a_number_of_threads_is_checked(threads, four):
    calls = {
        "verify": lambda: verify(four, threads=threads),
        "Tablebase.make": lambda: Tablebase.make(TicTacToe(), threads=threads),
        "perft": lambda: perft(TicTacToe(), 2, threads=threads),
    }
    for name, call in calls.items():
        with pytest.raises(OutplayError, match=f"{name}.threads={threads!r}.: a whole number from 1"):
            call()
