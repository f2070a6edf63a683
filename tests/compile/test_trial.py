"""What is drawn by trial is what would be drawn from a list, and only rules of which that holds are drawn from so."""

# ruff: noqa: PERF401, PERF402, PLW0120, SIM113, UP028 - rules are written in every way here

import importlib.machinery
import importlib.util
import linecache
import math
import os
import py_compile
import sys
import warnings
from collections import Counter
from fractions import Fraction
from itertools import count
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from outplay import ISMCTS, MCTS, Backtracking, Game, Limit, RulesError, determinizations, kernel, legal_actions
from outplay.compile import rejection_sampling as trial
from outplay.compile.fingerprint import Fingerprint
from outplay.compile.kernels import pointer
from outplay.compile.native import functions, native_type, questions
from outplay.compile.playout import random_action, tried_action
from outplay.compile.random_numbers import NONE, new_random, random_below
from outplay.compile.rejection_sampling import by_trial
from outplay.games import ConnectFour, KuhnPoker, Othello, TicTacToe
from outplay.rules.bits import squares
from outplay.rules.problem import Problem

pytestmark = pytest.mark.compiled

TWO = 2


def is_odd(state: int, number: int) -> bool:
    return bool((state >> 1) + number & 1)


def touch(cells: Any, number: int) -> bool:
    cells[number % 8] += 1
    return bool(cells[number % 8] > 1)


class Free(Game):
    """The free cells of a set of taken ones; a subclass lists them in another form."""

    cells = 12

    def __init__(self, taken: int = 0b0110_0101_0011) -> None:
        self.taken = taken

    def initial_state(self) -> int:
        return self.taken

    def to_move(self, state: int) -> int:
        return 0

    def actions(self, state: int) -> Any:
        """In a range."""
        for cell in range(self.cells):
            if not state >> cell & 1:
                yield cell

    def result(self, state: int, action: int) -> int:
        return state | 1 << action

    def is_terminal(self, state: int) -> bool:
        return state == (1 << self.cells) - 1

    def utility(self, state: int, player: int) -> float:
        return 0.0


class FromTheEnd(Free):
    def actions(self, state: int) -> Any:
        for cell in range(self.cells - 1, -1, -1):
            if state >> cell & 1:
                continue
            yield cell


class InRows(Free):
    def actions(self, state: int) -> Any:
        free = ~state
        for row in range(3):
            first = 4 * row
            for column in range(4):
                bit = 1 << first + column
                if free & bit:
                    yield first + column


class InRowsThatAreNotFull(Free):
    def actions(self, state: int) -> Any:
        for row in range(3):
            if state >> 4 * row & 15 != 15:
                for column in range(4):
                    if not state >> 4 * row + column & 1:
                        yield 4 * row + column


class InSquares(Free):
    def actions(self, state: int) -> Any:
        for cell in squares(~state & (1 << self.cells) - 1):
            yield cell


class InBranches(Free):
    def actions(self, state: int) -> Any:
        if self.is_terminal(state):
            return
        if state & 1:
            for cell in range(1, self.cells):
                if not state >> cell & 1:
                    yield cell
        elif state == 0b1111_1111_1110:
            yield 0
        else:
            for cell in range(self.cells):
                if not state >> cell & 1:
                    yield cell


class InListed(Free):
    def actions(self, state: int) -> Any:
        return [4 * row + column for row in range(3) for column in range(4) if not state >> 4 * row + column & 1]


class InListedUnlessFull(Free):
    compiled = False

    def actions(self, state: int) -> Any:
        if self.is_terminal(state):
            return []
        return [4 * row + column for row in range(3) for column in range(4) if not state >> 4 * row + column & 1]


class InAppended(Free):
    def actions(self, state: int) -> Any:
        found = []
        for cell in range(self.cells):
            if not state >> cell & 1:
                found.append(cell)
        return found


class WithHelpers(Free):
    def actions(self, state: int) -> Any:
        """The tests of a cell take several steps, with a loop of their own."""
        for cell in range(self.cells):
            taken = False
            for other in squares(state):
                taken |= other == cell
                if taken:
                    break
            step = 0
            while step < cell % 3:
                step += 1
            if taken or not self.has(state, cell + step - step):
                continue
            yield cell

    def has(self, state: int, cell: int) -> bool:
        return state >> cell & 1 == 0


def enclosed(cells: int) -> type[Free]:
    class Enclosed(Free):
        def actions(self, state: int) -> Any:
            for cell in range(cells):
                if not state >> cell & 1:
                    yield cell

    return Enclosed


FORMS = [
    Free, FromTheEnd, InRows, InRowsThatAreNotFull, InSquares, InBranches, InListed,
    InListedUnlessFull, InAppended, WithHelpers, enclosed(12),
]  # fmt: skip


@kernel
def choose(game: Any, state: Any, random: Any, chosen: Any) -> None:
    """Fill `chosen` with random actions."""
    random = pointer(random)
    for index in range(len(chosen)):
        chosen[index] = random_action(game, state, random)


@kernel
def choose_by_trial(game: Any, state: Any, random: Any, chosen: Any) -> None:
    """Fill `chosen` with what is found by trial."""
    random = pointer(random)
    for index in range(len(chosen)):
        chosen[index] = tried_action(game, state, random)


def drawn(run: Any, game: Game, state: Any, times: int) -> tuple[list[int], int]:
    chosen, random = np.zeros(times, np.int64), new_random(3)
    run(game, state, random, chosen)
    return chosen.tolist(), int(random[-1])


@pytest.mark.sample(3)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_action_is_equally_likely_and_compiled_code_draws_the_same(form: type[Free]) -> None:
    assert by_trial(form.actions) is not None
    for taken in 0, 0b0110_0101_0011, 0b1111_1111_1110, 0b1011_1111_1111, 0b1111_0000_0000:
        game = form(taken)
        legal = sorted(legal_actions(game, taken))
        assert legal == [cell for cell in range(12) if not taken >> cell & 1]
        found, state = drawn(choose, game, taken, 20_000)
        counts = Counter(found)
        assert sorted(counts) == legal
        assert len(counts) == 1 or chisquare(list(counts.values())).pvalue > 1e-4
        again, _ = drawn(choose.interpreted, game, taken, 500)
        assert again == found[:500]
        assert drawn(choose, form(), taken, 20_000)[1] == state


@pytest.mark.sample(4)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_compiled_code_tries_what_interpreted_code_tries(form: type[Free]) -> None:
    game = form()
    found, state = drawn(choose_by_trial, game, game.taken, 300)
    assert (found, state) == drawn(choose_by_trial.interpreted, game, game.taken, 300)
    assert set(found) - {NONE}
    nothing, _ = drawn(choose_by_trial, game, 0b1111_1111_1111, 3)
    assert nothing == [NONE] * 3


def test_a_trial_takes_few_draws_and_no_list() -> None:
    game = Free(0)
    random = new_random(5)
    random[:20] = -1
    random_action.interpreted(game, 0, random)
    assert (random[:20] == -1).all()
    other = new_random(5)
    random_below(other, 12)
    assert random[-1] == other[-1]


@pytest.mark.parametrize("game", [ConnectFour(), Othello()], ids=repr)
def test_built_in_games_are_drawn_from_by_trial(game: Game) -> None:
    state = game.initial_state()
    for _ in range(6):
        found = drawn(choose_by_trial, game, state, 50)[0]
        assert set(found) <= {NONE, *legal_actions(game, state)}
        state = game.result(state, next(action for action in found if action != NONE))


# -- what is left alone ----------------------------------------------------------------------------------------------


class Refused:
    """Rules in which what is yielded may depend on what came before, or which are of no known form."""

    field = 3

    def counts(self, state: int) -> Any:
        number = 0
        for cell in range(9):
            number += 1
            if number > state:
                yield cell

    def shifts(self, state: int) -> Any:
        for cell in range(9):
            if state & 1:
                yield cell
            state >>= 1

    def changes_an_array(self, state: int) -> Any:
        seen = [0] * 9
        for cell in range(9):
            if not seen[cell % 4]:
                seen[cell % 4] = 1
                yield cell

    def lets_a_helper_change_an_array(self, state: int) -> Any:
        seen = [0] * 9
        for cell in range(9):
            if not touch(seen, cell):
                yield cell

    def changes_it_by_another_name(self, state: int) -> Any:
        seen = [[0], [0]]
        for cell in range(9):
            row = seen[cell & 1]
            if not touch(row, 0):
                yield cell

    def uses_up_an_iterator(self, state: int) -> Any:
        rest = iter(range(5))
        for cell in range(9):
            for other in rest:
                if other == cell:
                    break
            yield cell

    def looks_for_it_in_an_iterator(self, state: int) -> Any:
        rest = iter(range(5))
        for cell in range(9):
            if cell in rest:
                yield cell

    def asks_an_iterator(self, state: int) -> Any:
        numbers = count()
        for cell in range(9):
            if next(numbers) < state:
                yield cell

    def stops(self, state: int) -> Any:
        for cell in range(9):
            if cell > state:
                break
            yield cell

    def returns(self, state: int) -> Any:
        for cell in range(9):
            if cell > state:
                return
            yield cell

    def reads_the_last_value(self, state: int) -> Any:
        last = 0
        for cell in range(9):
            if cell > last:
                yield cell
            last = cell + state

    def has_a_value_sometimes(self, state: int) -> Any:
        seen = 0
        for cell in range(9):
            if cell & state:
                seen = cell
            if seen:
                yield cell

    def has_a_triangle(self, state: int) -> Any:
        for row in range(5):
            for column in range(row):
                yield 5 * row + column

    def has_rows_of_different_lengths(self, state: int) -> Any:
        for row in range(5):
            width = state >> row & 3
            for column in range(width):
                yield 5 * row + column

    def yields_twice(self, state: int) -> Any:
        for cell in range(9):
            yield cell
            if cell & state:
                yield cell + 9

    def yields_in_two_loops(self, state: int) -> Any:
        for cell in range(4):
            yield cell
        for cell in range(4, 9):
            yield cell

    def yields_first(self, state: int) -> Any:
        yield 9
        for cell in range(9):
            yield cell

    def yields_last(self, state: int) -> Any:
        for cell in range(9):
            yield cell
        yield 9

    def yields_otherwise(self, state: int) -> Any:
        for cell in range(9):
            yield cell
        else:
            yield 9

    def yields_all_of_another(self, state: int) -> Any:
        for _cell in range(9):
            yield from (1, 2)

    def yields_in_a_loop_of_another_kind(self, state: int) -> Any:
        for cell in [1, 2, 3]:
            yield cell

    def yields_in_a_loop_that_goes_on(self, state: int) -> Any:
        cell = 0
        while cell < 9:
            yield cell
            cell += 1

    def has_a_range_of_its_own(self, state: int) -> Any:
        range = [1, 2, 5].__getitem__  # noqa: A001
        for cell in range(slice(3)):
            yield cell

    def changes_its_range(self, state: int) -> Any:
        width = 9
        for cell in range(width):
            width = 3
            yield cell

    def gives_a_mask(self, state: int) -> Any:
        return state & 511

    def gives_what_another_gives(self, state: int) -> Any:
        return self.counts(state)

    def gives_an_array_first(self, state: int) -> Any:
        if state == 3:
            return np.arange(3)
        return [cell for cell in range(9) if state >> cell & 1]

    def keeps_what_it_found(self, state: int) -> Any:
        found = [state]
        for cell in range(9):
            found.append(cell)
        return found

    def looks_at_what_it_found(self, state: int) -> Any:
        found = []
        for cell in range(9):
            if len(found) < 3:
                found.append(cell)
        return found

    def has_a_walrus(self, state: int) -> Any:
        for cell in range(9):
            if (state := state >> 1) & 1:
                yield cell

    def takes_more(self, state: int, other: int = 3) -> Any:
        for cell in range(other):
            yield cell

    def has_a_function(self, state: int) -> Any:
        def half(number: int) -> int:
            return number // 2

        for cell in range(9):
            yield half(cell)

    def sets_an_attribute(self, state: int) -> Any:
        for cell in range(9):
            self.field = cell
            yield cell

    def has_squares_of_its_own(self, state: int) -> Any:
        squares = range
        for cell in squares(9):
            yield cell

    def has_a_range_in_a_cell(self, state: int) -> Any:
        range = [1, 5, 7].__getitem__  # noqa: A001
        first = (lambda: range(0))()  # noqa: PLC3002
        for cell in range(slice(2)):
            yield cell + first

    def goes_through_arrays(self, state: int) -> Any:
        first, second = [0] * 8, [0] * 8
        for cell in range(4):
            for seen in (first, second):
                if not touch(seen, cell % 2):
                    yield cell

    def has_a_walrus_in_a_test(self, state: int) -> Any:
        if seen := [0] * 8:
            for cell in range(9):
                if not touch(seen, cell):
                    yield cell

    def has_a_match(self, state: int) -> Any:
        match [0] * 8:
            case seen:
                pass
        for cell in range(9):
            if not touch(seen, cell):
                yield cell

    def has_a_global(self, state: int) -> Any:
        global TWO  # noqa: PLW0603
        for cell in range(9):
            if cell > TWO:
                yield cell
            TWO = cell

    def has_a_variable_of_two_meanings(self, state: int) -> Any:
        most = TWO
        return [TWO for TWO in range(most) if not state >> TWO & 1]

    @staticmethod
    def is_decorated(state: int) -> Any:
        for cell in range(9):
            yield cell


@pytest.mark.parametrize("name", [name for name in vars(Refused) if not name.startswith("_") and name != "field"])
def test_other_rules_are_left_alone(name: str) -> None:
    assert by_trial(getattr(Refused, name)) is None


@pytest.mark.parametrize("rule", [None, len, "actions", Game.actions, TicTacToe.actions, lambda self, state: range(3)])
def test_what_is_no_such_rule_is_left_alone(rule: Any) -> None:
    assert by_trial(rule) is None


class Maze(Free):
    cells = 24

    def actions(self, state: int) -> Any:
        maze = """
        #.#
        .#.
        """
        for cell in range(self.cells):
            if maze[cell] == "." and state >= 0:
                yield cell


class Rooted(Free):
    """With names that are imported, whose methods have a bytecode of their own."""

    def actions(self, state: int) -> Any:
        for cell in range(int(math.sqrt(144))):
            if not state >> cell & np.int64(1):
                yield cell


@pytest.mark.parametrize("form", [Maze, Rooted])
def test_the_source_is_read_as_it_stands(form: type[Free]) -> None:
    game = form()
    rule = by_trial(form.actions)
    assert rule is not None
    assert rule.__code__.co_firstlineno == form.actions.__code__.co_firstlineno
    found = [random_action.interpreted(game, game.taken, random) for random in [new_random(1)] for _ in range(500)]
    assert sorted(set(found)) == list(legal_actions(game, game.taken))


def test_what_squares_means_is_asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert by_trial(InSquares.actions) is not None
    monkeypatch.setitem(globals(), "squares", lambda board: range(10, 13))
    assert by_trial(InSquares.actions) is None
    monkeypatch.setitem(globals(), "range", lambda number: [number])
    assert by_trial(Free.actions) is None


def test_an_attribute_takes_the_place_of_the_rule() -> None:
    class Few(Free):
        compiled = False

        def __init__(self) -> None:
            self.taken = 0
            self.actions = self.few  # type: ignore[method-assign]

        def few(self, state: int) -> Any:
            return [7]

    random = new_random(2)
    assert {random_action(Few(), 0, random) for _ in range(20)} == {7}


def test_a_problem_may_call_anything_actions() -> None:
    class Plan(Problem):
        actions = ["left", "right"]  # noqa: RUF012 - it cannot be hashed
        variables, values = 4, 2

        def allowed(self, first: int, x: int, second: int, y: int) -> bool:
            return second - first > 1 or x != y

    assert by_trial(Plan.actions) is None
    assert Backtracking(Plan()).count().count == 2


RULE = """
def actions(self, state):
    for cell in range(9):
        if state >> cell & 1:
            yield cell
"""


def test_a_source_that_is_not_what_runs_is_left_alone(tmp_path: Any) -> None:
    file = tmp_path / "rules_of_trial.py"

    def load() -> Any:
        spec = importlib.util.spec_from_file_location("rules_of_trial", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        linecache.clearcache()
        return module.actions

    file.write_text(RULE)
    assert by_trial(load()) is not None
    for changed in RULE.replace("9", "8"), RULE.replace("cell & 1", "cell & 3"), RULE.replace("    if", "    while"):
        file.write_text(RULE)
        rule = load()
        file.write_text(changed)
        assert by_trial(rule) is None
    file.write_text(RULE)
    rule = load()
    file.unlink()
    assert by_trial(rule) is None


def test_a_rule_without_a_source_is_left_alone() -> None:
    names: dict[str, Any] = {}
    exec(RULE, names)
    assert by_trial(names["actions"]) is None


def test_code_on_disk_is_of_a_rule_with_or_without_its_source() -> None:
    members = {name: member for name, member in vars(Free).items() if name not in ("__dict__", "__weakref__")}
    code = Free.actions.__code__.replace(co_filename="<no file>")
    sourceless = type("Free", (Game,), members | {"actions": FunctionType(code, globals())})
    assert by_trial(sourceless.actions) is None
    assert str(Fingerprint.of_game(sourceless())) == str(Fingerprint.of_game(Free()))
    assert native_type(sourceless()).name != native_type(Free()).name
    game = sourceless()
    found, state = drawn(choose, game, game.taken, 300)
    assert (found, state) == drawn(choose.interpreted, game, game.taken, 300)
    assert state != drawn(choose, Free(), game.taken, 300)[1]


# -- any rule --------------------------------------------------------------------------------------------------------

BEFORE = ["", "n = state & 3", "seen = [0] * 8", "k = 0", "if state == 5: return", "n = 3; k = n", "other = state >> 2"]
LOOPS = [
    "for a in range(5):", "for a in range(state % 4):", "for a in range(1, 7, 2):", "for a in squares(state):",
    "for a in (1, 2, 4):", "for a in range(n):", "for a in range(k):", "for a in squares(other):",
]  # fmt: skip
INNER = [
    "for b in range(3):",
    "for b in range(a):",
    "for b in (0, a):",
    "for b in range(n):",
    "for b in squares(state):",
]
STEPS = [
    "if state >> a & 1: continue", "k += 1", "k = a", "seen[a % 8] = 1", "if k > 2: continue", "x = a * 2", "break",
    "if seen[a % 8]: continue", "if touch(seen, a): continue", "if is_odd(state, a): continue", "x += 1", "n = a + 1",
    "for c in range(2): k = c", "if a > 1: k = 3", "if x > 3: continue", "other >>= 1", "row = seen", "a += 1", "pass",
    "while a > 3: a -= 2", "row = seen[a % 2 :]", "if touch(row, 0): continue", "x, k = a, a", "seen = [0] * 8",
    "k = 5 if a > 2 else x", "other = other or 3", "if not a: return", "if other & 1: continue",
    "if any([k]): continue",
]  # fmt: skip
TESTS = ["if is_odd(state, a):", "if a > n:", "if k:", "if state >> a & 1 and a:", "if touch(seen, a):"]
YIELDS = [
    "yield a",
    "yield 10 * a",
    "if a != 1: yield a",
    "yield a\n{}yield a + 1",
    "yield a\n{}k = 2",
    "yield a % TWO",
]


@st.composite
def sources(draw_from: Any) -> str:
    """A rule, sensible or not."""
    lines = [f"    {draw_from(st.sampled_from(BEFORE))}" for _ in range(draw_from(st.integers(0, 2)))]
    lines.append(f"    {draw_from(st.sampled_from(LOOPS))}")
    lines += [f"        {draw_from(st.sampled_from(STEPS))}" for _ in range(draw_from(st.integers(0, 2)))]
    indent = 8 * " "
    if draw_from(st.booleans()):
        if draw_from(st.booleans()):
            lines.append(f"{indent}{draw_from(st.sampled_from(TESTS))}")
            indent += 4 * " "
        lines.append(f"{indent}{draw_from(st.sampled_from(INNER))}")
        indent += 4 * " "
        lines += [f"{indent}{draw_from(st.sampled_from(STEPS))}" for _ in range(draw_from(st.integers(0, 2)))]
        last = "yield 10 * a + b"
    else:
        last = draw_from(st.sampled_from(YIELDS)).format(indent)
    lines.append(f"{indent}{last}")
    return "\n".join(["def actions(self, state):", *(line for line in lines if line.strip()), ""])


numbers = count()


def made(source: str) -> Any:
    """The rule that a source defines, which can be found again."""
    name = f"<rule {next(numbers)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names = {"squares": squares, "touch": touch, "is_odd": is_odd, "TWO": TWO}
    exec(compile(source, name, "exec"), names)
    return names["actions"]


class Fork(Exception):
    """More is drawn than was laid down."""


def chances(rule: Any, state: int) -> Counter[int]:
    """How likely one try of `rule` is to come to each action: all ways of drawing are gone through."""
    found: Counter[int] = Counter()

    def go_through(way: list[tuple[int, int]]) -> None:
        rest = iter(way)

        def next_drawn(random: Any, number: int) -> int:
            try:
                return next(rest)[0]
            except StopIteration:
                raise Fork(number) from None

        rule.__closure__[rule.__code__.co_freevars.index("_draw")].cell_contents = next_drawn
        try:
            action = rule(None, state, None)
        except Fork as fork:
            number = fork.args[0]
            for value in range(number):
                go_through([*way, (value, number)])
        else:
            chance = Fraction(1)
            for _, number in way:
                chance /= number
            found[action] += chance

    go_through([])
    return found


@pytest.mark.nightly
@settings(max_examples=3000, deadline=None)
@given(source=sources())
def test_one_try_of_any_rule_is_as_likely_to_find_each_of_its_actions(source: str) -> None:
    event(f"tried: {check_one_try(source)}")


def check_one_try(source: str) -> bool:
    """Whether the rule is tried; if so, one try must be as likely to come to each action that is listed."""
    rule = made(source)
    tries, trial.TRIES = trial.TRIES, 1
    share, trial.SHARE = trial.SHARE, 1 << 30
    try:
        tried = by_trial(rule)
    finally:
        trial.TRIES, trial.SHARE = tries, share
    if tried is None:
        return False
    for state in range(24):
        try:
            listed = Counter(rule(None, state))
        except (NameError, IndexError):  # the rule is broken
            return False
        found = {} if not listed else chances(tried, state)
        found.pop(NONE, None)
        assert set(found) == set(listed), (source, state)
        assert len({Fraction(found[action]) / listed[action] for action in listed}) <= 1, (source, state)
    return True


GOOD = """
def actions(self, state):
    n = state & 3
    for a in squares(state):
        if is_odd(state, a): continue
        x = a * 2
        x += 1
        for b in range(n):
            if x > 3: continue
            yield 10 * a + b
"""


def test_a_sensible_rule_is_tried() -> None:
    assert check_one_try(GOOD)


# -- masks -----------------------------------------------------------------------------------------------------------


class Masked(Free):
    def actions(self, state: int) -> int:
        return ~state & (1 << self.cells) - 1


class Unsigned(Free):
    """Actions of a type that does not go with others."""

    def actions(self, state: int) -> Any:
        for cell in range(self.cells):
            if not state >> cell & 1:
                yield np.uint64(cell)


@pytest.mark.parametrize("taken", [0, 0b0110_0101_0011, 0b1111_1111_1111])
def test_a_mask_gives_what_its_list_would(taken: int) -> None:
    found, state = drawn(choose, Masked(), taken, 1000)
    assert (found, state) == drawn(choose.interpreted, Masked(), taken, 1000)
    assert (set(found) == {NONE}) == (taken == 0b1111_1111_1111)


def test_a_mask_is_drawn_from_without_a_list() -> None:
    if not functions._deposits():
        pytest.skip("the processor has no instruction for it")
    chosen, random = np.zeros(50, np.int64), new_random(3)
    choose(Masked(), Masked().taken, random, chosen)
    assert (random[:-1] == 0).all()


class Untried(Free):
    """Its trial is made not to compile."""

    def actions(self, state: int) -> Any:
        for cell in range(self.cells):
            if not state >> cell & 1:
                yield cell


def test_a_trial_that_does_not_compile_leaves_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "by_trial", lambda rule: lambda self, state, random: state.nothing)
    game = Untried()
    found, _ = drawn(choose_by_trial, game, game.taken, 10)
    assert found == [NONE] * 10
    assert set(drawn(choose, game, game.taken, 2000)[0]) == set(legal_actions(game, game.taken))


def test_actions_of_another_type_are_ints() -> None:
    game = Unsigned()
    assert by_trial(Unsigned.actions) is not None
    found, state = drawn(choose, game, game.taken, 2000)
    assert sorted(set(found)) == sorted(legal_actions(Free(), game.taken))
    assert (found, state) == drawn(choose.interpreted, game, game.taken, 2000)
    assert (found, state) == drawn(choose, Free(), game.taken, 2000)


GENERIC = """
from compile.test_trial import InSquares, Masked, choose, drawn
for form in Masked, InSquares:
    game = form()
    found = drawn(choose, game, game.taken, 300)
    assert found == drawn(choose.interpreted, game, game.taken, 300)
    print(sum(found[0]), found[1])
"""


@pytest.mark.nightly
def test_a_processor_without_the_instruction_draws_the_same(python: Any) -> None:
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    usual = python("-c", GENERIC, PYTHONPATH=path)
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "OUTPLAY_CACHE": "off"}
    assert python("-c", GENERIC, PYTHONPATH=path, **generic) == usual


# -- without a source -------------------------------------------------------------------------------------------------

SOURCE = """
from outplay.games import ConnectFour
class Columns(ConnectFour):
    def actions(self, position):
        for column in range(self.width):
            if not position.both >> column * (self.height + 1) + self.height - 1 & 1:
                yield column
"""
LISTED = f"{SOURCE}    by_trial = False\n"
TOLD = r"source of .*actions is not available.* same seed may give another.*by_trial = False .* lists everywhere"


def by_seed(game: Game) -> Any:
    """What a search answers that draws by seed."""
    analysis = MCTS(game, seed=1, hints=False, solver=False).search(limit=Limit(simulations=200))
    return [(action.action, action.value, action.visits) for action in analysis.actions], analysis.line, analysis.value


def executed(source: str) -> Any:
    names: dict[str, Any] = {"__name__": "elsewhere"}
    exec(source, names)
    return next(each for name, each in names.items() if name in ("Columns", "Blind"))


def from_bytecode(source: str, folder: Path) -> Any:
    """The class, imported from a file of bytecode; there is no other."""
    file = folder / "kept.py"
    file.write_text(source)
    code = py_compile.compile(str(file), str(folder / "kept.pyc"), doraise=True)
    file.unlink()
    loader = importlib.machinery.SourcelessFileLoader("kept", code)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("kept", loader))
    loader.exec_module(module)
    return module.Columns


def interpreted(form: Any) -> Any:
    return type("Columns", (form,), {"compiled": False, "__module__": form.__module__})


@pytest.mark.nightly
@pytest.mark.filterwarnings("error")
def test_a_game_without_trials_needs_no_source(fresh: Any, tmp_path: Path) -> None:
    form = fresh(columns=LISTED).Columns
    assert by_trial(form.actions) is not None
    forms = [form, executed(LISTED), from_bytecode(LISTED, tmp_path)]
    assert [by_trial(each.actions) is None for each in forms] == [False, True, True]
    answers = [by_seed(each()) for form in forms for each in (form, interpreted(form))]
    assert answers == answers[:1] * 6
    tried = fresh(columns=SOURCE).Columns
    assert by_seed(tried()) == by_seed(interpreted(tried)()) != answers[0]
    tried.by_trial = False
    assert by_seed(tried()) == answers[0]


def test_nothing_is_found_by_trial_where_the_class_says_so() -> None:
    game = type("Listed", (Free,), {"by_trial": False})()
    for run in choose_by_trial, choose_by_trial.interpreted:
        assert drawn(run, game, game.taken, 10) == ([NONE] * 10, int(new_random(3)[-1]))
    found = drawn(choose, game, game.taken, 300)
    assert found == drawn(choose.interpreted, game, game.taken, 300) == drawn(choose, Masked(), game.taken, 300)


def test_whether_actions_are_tried_is_true_or_false() -> None:
    with pytest.raises(RulesError, match=r"Other\.by_trial = 1: True or False"):
        type("Other", (Free,), {"by_trial": 1})
    game = type("Other", (Free,), {})()
    type(game).by_trial = "no"
    with pytest.raises(RulesError, match="by_trial is True or False"):
        MCTS(game).search()


@pytest.mark.nightly
def test_that_a_seed_means_something_else_without_the_source_is_said() -> None:
    """A trial cannot be made of bytecode alone, and drawing from a list takes other random numbers."""
    columns = executed(SOURCE)
    with pytest.warns(RuntimeWarning, match=TOLD):
        by_seed(columns())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_seed(columns())  # once is enough
        by_seed(executed(LISTED)())
        MCTS(ConnectFour()).search(limit=Limit(simulations=10))
        game = KuhnPoker()
        deal = game.result(game.result(game.initial_state(), 1), 0)
        ISMCTS(game).search(deal, Limit(simulations=10))


BLIND = """
from outplay import Game
from outplay.games import KuhnPoker
class Blind(KuhnPoker):
    determinize = Game.determinize
    def actions(self, deal):
        mask = KuhnPoker.actions(self, deal)
        for action in range(self.players + 1):
            if mask >> action & 1:
                yield action
"""


@pytest.mark.nightly
def test_worlds_that_are_found_by_random_play_say_it_too() -> None:
    game = executed(BLIND)()
    deal = game.result(game.result(game.initial_state(), 1), 0)
    with pytest.warns(RuntimeWarning, match=TOLD):
        determinizations(game, deal, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        game = executed(f"{BLIND}    by_trial = False")()
        determinizations(game, deal, 3)
        determinizations(KuhnPoker(), deal, 3)
