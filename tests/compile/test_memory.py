"""Memory of compiled rules: what is freed is used again, nothing is lost, and nobody else's memory is touched."""

import gc
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import PATIENCE

from outplay import MCTS, Game, Limit
from outplay.compile.kernels import kernel, runs_compiled
from outplay.compile.native import memory
from outplay.games import Nim

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(not memory.are_supported(), reason="no pools of memory on this machine"),
]


class Bags(Game):
    """States with lists of lists, sets, dicts, texts and arrays of any size; not much of a game."""

    def initial_state(self):
        return [[1]], {1}, {1: "a"}, "a", np.zeros(1, np.int64)

    def to_move(self, state):
        return len(state[0]) % 2

    def actions(self, state):
        return [1, 2, 3]

    def is_terminal(self, state):
        return len(state[0]) >= 12

    def utility(self, state, player):
        found = sum(sum(row) for row in state[0]) + sum(sorted(state[1])) + len(state[3]) + int(state[4].sum())
        return 1 if (found + len(state[2])) % 2 == player else -1

    def result(self, state, action):
        rows, seen, names, text, numbers = state
        rows = [row + [action] * (action**6 % 97) for row in rows] + [[action]]
        seen = {each + action for each in seen} | set(range(action * action * 10))
        names = dict(names)
        names[len(rows)] = text
        return rows, seen, names, text + "ab" * action, np.concatenate((numbers, np.full(action * 50, action)))


class Still(Nim):
    """A game with a rule that makes and drops containers."""

    moves = 7

    def filled(self, numbers, rounds):
        """Grow and shrink lists and sets of many sizes; a sum over their content."""
        total = self.moves
        for _ in range(rounds):
            lists = [[0]]
            for number in numbers:
                if number % 3 == 0 and len(lists) > 1:
                    lists.pop(len(lists) // 2)
                elif number % 3 == 1:
                    lists.append([number for _ in range(number)])
                else:
                    lists[number % len(lists)].extend(range(number))
                if number % 5 == 0 and len(lists[-1]) > 4:
                    del lists[-1][2:]
            total += sum([sum(each) for each in lists])
            seen = set()
            for number in numbers:
                for each in range(number // 2):
                    seen.add(each * number)
                seen.discard(number)
            total += len(seen)
            array = np.arange(len(seen))
            for number in numbers:
                array = np.concatenate((array[: number * 3], array))
            total += array.sum()
        return total


@kernel
def filled(game, numbers, rounds):
    return game.filled(numbers, rounds)


def blocks():
    """The number of free blocks in all pools."""
    return int(memory._pools[:, 1 + memory.SIZES : 1 + 2 * memory.SIZES].sum())


@settings(max_examples=30)
@given(st.lists(st.integers(0, 700), max_size=30))
def test_containers_of_all_sizes_hold_what_is_put_in(numbers):
    game, given = Still(), np.array([1, *numbers])
    assert filled(game, given, 2) == filled.interpreted(game, given, 2)


def test_everything_that_is_taken_is_freed_or_kept():
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    try:
        game, numbers = Still(), np.array([1, 50, 600, 4, 33, 9, 700, 120, 35])
        filled(game, numbers, 1)
        before, kept = rtsys.get_allocation_stats(), blocks()
        filled(game, numbers, 50)
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert (after.alloc - before.alloc) - (after.free - before.free) == blocks() - kept
    assert after.alloc - before.alloc < 2000  # large blocks only


def test_pools_do_not_grow_without_end():
    game, numbers = Still(), np.arange(1, 300)
    filled(game, numbers, 1)
    counts = memory._pools[:, 1 + memory.SIZES : 1 + 2 * memory.SIZES]
    assert (counts * 32 * 2 ** np.arange(memory.SIZES) <= memory.KEPT).all()
    assert (counts >= 0).all()


@pytest.mark.nightly
def test_searches_are_those_without_pools(python):
    source = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from compile.test_memory import Bags
from outplay import MCTS, Limit
from outplay.compile.kernels import runs_compiled
game = Bags()
found = MCTS(game, seed=5).search(limit=Limit(simulations=300))
assert runs_compiled(game)
print([(row.action, row.visits, row.value) for row in found.actions])
"""
    shown = [python("-c", source, NUMBA_NRT_STATS=value) for value in (None, "1")]
    plain = MCTS(Bags(), seed=5).search(limit=Limit(simulations=300))
    assert shown[0] == shown[1] == str([(row.action, row.visits, row.value) for row in plain.actions])


def test_many_threads_at_once_and_after_each_other():
    game, numbers = Still(), np.array([1, 50, 600, 4, 33, 9, 700])
    expected = filled.interpreted(game, numbers, 3)
    found = []

    def work():
        found.append(filled(game, numbers, 3))

    for _ in range(3):
        threads = [threading.Thread(target=work) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [expected] * 300
    assert filled(game, numbers, 3) == expected


@pytest.mark.nightly
def test_a_thread_frees_its_pools_when_it_ends():
    game, numbers = Still(), np.array([1, 50, 600, 4, 33, 9, 700])
    owned = []

    def work():
        filled(game, numbers, 3)
        owned.append(threading.get_ident() in memory._pools[:, 0])

    for _ in range(3 * memory.POOLS):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert all(owned)
    assert MCTS(Bags(), threads=2, seed=1).search(limit=Limit(simulations=50)).simulations == 50
    deadline = time.monotonic() + PATIENCE  # a search does not wait for the end of its thread
    while set(memory._pools[:, 0].tolist()) - {0} - {thread.ident for thread in threading.enumerate()}:
        assert time.monotonic() < deadline


@pytest.mark.nightly
def test_two_threads_of_one_search():
    one, two = (MCTS(Bags(), threads=threads, seed=1) for threads in (1, 2))
    for searcher in (one, two):
        assert searcher.search(limit=Limit(simulations=400)).simulations == 400
    assert runs_compiled(one.game)


OURS = "assert filled(Still(), given, 2) == filled.interpreted(Still(), given, 2)"
OTHERS = """
for n in (10, 1000, 5000):
    count, array = other(n)
    plain, values = other.py_func(n)
    assert count == plain and sorted(array) == sorted(values)
"""


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("order", [(OURS, OTHERS, OURS), (OTHERS, OURS, OTHERS)], ids=["ours first", "others first"])
def test_code_of_others_keeps_its_memory(order, python):
    """Functions that both use, such as `list.extend` and `set.discard`, are found by name when code is loaded."""
    source = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import numba
from compile.test_memory import Still, filled
import numpy as np
given = np.array([1, 3, 4, 5, 5, 600, 44, 3, 1, 7])
@numba.njit
def other(n):
    seen, rows = set(), [[0]]
    for i in range(n):
        seen.add(i * 7)
        rows.append([i] * (i % 50))
        rows[i % len(rows)].extend(range(i % 9))
        if i % 3 == 0:
            seen.discard(i * 7)
        if i % 4 == 0:
            rows[-1].pop(-1) if rows[-1] else 0
    array = np.arange(9)
    for i in range(n % 77):
        array = np.concatenate((array, np.arange(i)))
    total = len(seen) + sum([len(row) for row in rows]) + array.sum()
    return total, np.array([i for i in range(10000) if i in seen])
{chr(10).join(order)}
print("same")
"""
    assert python("-c", source) == "same"


@pytest.mark.nightly
def test_arrays_outlive_the_search_that_made_them():
    @kernel
    def made(game, number):
        return np.arange(number * game.moves)

    arrays = [made(Still(), number) for number in (1, 3, 50, 500)]
    for _ in range(20):
        filled(Still(), np.array([1, 50, 600]), 1)
    for array, number in zip(arrays, (1, 3, 50, 500), strict=True):
        assert (array == np.arange(number * 7)).all()
    del arrays, array
    gc.collect()
    assert made(Still(), 2).tolist() == list(range(14))


def pop_in_the_middle(lists, number):
    if number % 3 == 0 and len(lists) > 1:
        lists.pop(number % len(lists))


def pop_from_the_end(lists, number):
    if number % 3 == 0 and len(lists) > 1:
        lists.pop(-1 - number % len(lists))


def remove_one(lists, number):
    if [number] * 3 in lists:
        lists.remove([number] * 3)


def clear_all(lists, number):
    if number % 7 == 0:
        lists.clear()


def delete_one(lists, number):
    if number % 3 == 0 and len(lists) > 1:
        del lists[number % len(lists)]


def insert_one(lists, number):
    lists.insert(number % (len(lists) + 1), [number] * (number % 9))


def extend_all(lists, number):
    lists.extend([[number], [number] * 5])
    lists[number % len(lists)].extend(range(number))


def turn(lists, number):
    lists.reverse()
    lists[0], lists[-1] = lists[-1], lists[0]


def test_to_pop_what_is_not_there_is_an_error():
    class Rows(Nim):
        def left(self, place):
            rows = [[7], [8, 8]]
            rows.pop(place)
            return len(rows[0])

    @kernel
    def run(game, place):
        return game.left(place)

    assert [run(Rows(), place) for place in (-2, -1, 0, 1)] == [2, 1, 2, 1]
    for place in (-3, 2):
        with pytest.raises(IndexError):
            run(Rows(), place)
    assert runs_compiled(Rows())


CHANGES = [pop_in_the_middle, pop_from_the_end, remove_one, clear_all, delete_one, insert_one, extend_all, turn]


@pytest.mark.sample(4)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_lists_of_lists_hold_their_items(change):
    """Numba loses some, or frees them twice."""

    class Lists(Nim):
        def total(self, numbers):
            lists = [[7]]
            for number in numbers:
                lists.append([number] * (number % 7))
                change(lists, number)
            return sum(sum(each) * (place + 1) for place, each in enumerate(lists)) + 1000 * len(lists)

    @kernel
    def run(game, numbers):
        return game.total(numbers)

    game = Lists()
    for seed in range(30):
        numbers = np.random.default_rng(seed).integers(0, 30, 40)
        assert run(game, numbers) == run.interpreted(game, numbers)
    assert runs_compiled(game)
