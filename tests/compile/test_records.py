"""Records: named fields in compiled kernels, in interpreted ones, and in the calling thread are the same memory."""

import numpy as np
import pytest

from outplay import AlphaBeta, Expectiminimax, Limit, MaxN, Minimax, ProofNumber, kernel
from outplay.compile import records
from outplay.compile.kernels import has_field, pointer
from outplay.compile.records import copy_record, layout, new_record, view
from outplay.games import Nim, TicTacToe

LAYOUT = layout(
    ("count", int),
    ("share", float),
    ("line", int, 5),
    ("square", float, (3, 4)),
    ("inner", [("a", int), ("b", int, 2)]),
)


@kernel
def fill(game, memory, number):
    """Write to every field, by all that fields were written with before."""
    fields = pointer(memory)
    inner, square = fields.inner, fields.square
    for step in range(number):
        fields.count += step
        fields.share += step / 2
        fields.line[step % 5] += fields.count
        square[step % 3, step % 4] = square[(step + 1) % 3, (step + 2) % 4] + step
        inner.a = max(inner.a, fields.line[0])
        inner.b[step & 1] -= inner.a
    return fields.count


class Interpreted(Nim):
    """The same game, interpreted."""

    compiled = False


@pytest.mark.parametrize("number", [0, 1, 17])
def test_compiled_and_interpreted_kernels_write_the_same(number):
    compiled, interpreted = new_record(LAYOUT), new_record(LAYOUT)
    assert fill(Nim(), compiled, number) == fill(Interpreted(), interpreted, number) == sum(range(number))
    assert compiled.tobytes() == interpreted.tobytes()
    assert compiled.count == sum(range(number)) == view(compiled).count


def test_the_calling_thread_reads_and_writes_the_same_memory():
    memory = new_record(LAYOUT)
    fields = view(memory)
    memory.count, memory.square[2, 3], memory.inner.b[1] = 4, 0.5, 7
    assert (fields.count, fields.square[2, 3], fields.inner.b[1]) == (4, 0.5, 7)
    fields.share, fields.line[4], fields.inner.a = 0.25, 9, -3
    assert (memory.share, memory.line[4], memory.inner.a) == (0.25, 9, -3)
    assert type(fields.count) is int
    assert type(fields.share) is float


@kernel
def count_if_there(game, memory):
    """`count` as it is after one more, in memory that has such a field; 0 in other memory."""
    return one_more(game, pointer(memory))


@kernel
def one_more(game, fields):
    if has_field(fields, "count"):
        fields.count += 1
        return fields.count
    return 0


@pytest.mark.parametrize("game", [Nim(), Interpreted()])
def test_what_needs_a_field_is_left_out_where_there_is_none(game):
    for fields, count in ((LAYOUT, 1), (layout(("other", int)), 0)):
        assert count_if_there(game, new_record(fields)) == count


def test_a_copy_is_memory_of_its_own():
    memory = new_record(LAYOUT)
    memory.count = 4
    twin = copy_record(memory)
    twin.count, twin.line[1] = 5, 6
    assert (memory.count, memory.line[1], twin.count) == (4, 0, 5)


@pytest.mark.parametrize("name", [each for each in dir(np.record) if not each.startswith("_")])
def test_names_that_records_have_already_are_refused(name):
    with pytest.raises(ValueError, match=f"cannot be called {name}"):
        layout((name, int))


@pytest.mark.parametrize("search", [AlphaBeta, Minimax, ProofNumber, Expectiminimax, MaxN])
def test_what_memory_held_before_changes_nothing(search, monkeypatch):
    class Interpreted(TicTacToe):
        compiled = False

    game, limit = Interpreted(), Limit(nodes=400)
    state = game.result(game.result(game.initial_state(), 4), 0)
    clean = search(game).analyse(state, limit)
    empty = np.empty

    def dirty(*shape, **keywords):
        made = empty(*shape, **keywords)
        made.view(np.uint8)[...] = 0x5B
        return made

    monkeypatch.setattr(records.np, "empty", dirty)
    again = search(game).analyse(state, limit)
    assert (again.value, again.line, again.nodes) == (clean.value, clean.line, clean.nodes)
    assert again.actions == clean.actions
