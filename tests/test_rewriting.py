"""What is rewritten before it is compiled: random expressions and awkward cases are equal at both speeds."""

import functools
import importlib.util
import math
import random
import sys
import warnings

import numba
import numpy as np
import pytest
from numba import njit

from outplay.compile.native.game_type import PIPELINE, pipeline_of_rules
from outplay.compile.native.internals import whole
from outplay.compile.native.refusal import reason_of
from outplay.compile.native.rules import native_function

TOGETHER = 12
"""Programs that are compiled as one function."""
HEAD = (
    "import functools, itertools, operator\n"
    "from functools import reduce\n"
    "from itertools import accumulate, chain, combinations, dropwhile, islice, pairwise, permutations, product\n"
    "from itertools import takewhile\n"
)


class Writer:
    """Writes random functions of three ints and a tuple, full of iterators."""

    def __init__(self, rng):
        self.rng = rng
        self.names = ["a", "b", "c"]
        self.made = 0

    def name(self):
        self.made += 1
        return self.rng.choice(["x", "y", "a", f"n{self.made}"])  # also names that hide others

    def within(self, write, *names):
        """What `write` writes where these variables are known too."""
        before, self.names = self.names, [*self.names, *names, *names]
        text = write()
        self.names = before
        return text

    def int(self, depth=0):
        rng = self.rng
        if depth > 3 or rng.random() < 0.2:
            return rng.choice([*self.names, *self.names, str(rng.randint(-3, 6))])
        kind = rng.randrange(14)
        if kind < 3:
            return f"({self.int(depth + 1)} {rng.choice(['+', '-', '*', '%', '//'])} {rng.choice('2345')})"
        if kind == 3:
            return f"({self.int(depth + 1)} if {self.bool(depth + 1)} else {self.int(depth + 1)})"
        if kind == 4:
            return f"sum({self.iterable(depth + 1)})"
        if kind == 5:
            default = f", default={self.int(depth + 2)}" if rng.random() < 0.8 else ""
            key = f", key={self.function(depth + 1)}" if rng.random() < 0.5 else ""
            return (
                f"{rng.choice(['min', 'max'])}({self.iterable(depth + 1)}{rng.choice([key + default, default + key])})"
            )
        if kind == 6:
            return f"next({self.generator(depth + 1)}, {self.int(depth + 2)})"
        if kind == 7:
            return f"len({rng.choice(['list', 'tuple', 'sorted', 'set'])}({self.iterable(depth + 1)}))"
        if kind == 8:
            joined = rng.choice(["lambda p, q: p + q * 2", "lambda p, q: p - q", "operator.add", "max", "operator.xor"])
            start = f", {self.int(depth + 2)}" if rng.random() < 0.8 else ""
            return f"reduce({joined}, {self.iterable(depth + 1)}{start})"
        if kind == 9:
            return f"{rng.choice(['t', 'tuple(' + self.iterable(depth + 1) + ')'])}.count({self.int(depth + 1)})"
        if kind == 10:
            place = rng.choice(["a % 4", "b % 5", "0", "abs(c) % 3"])
            return f"(t[:{place}] + ({self.int(depth + 2)},) + t[{place} + 1:])[{rng.choice(['1', 'a % 4', '-1'])}]"
        if kind == 11:
            return f"min({self.int(depth + 1)}, {self.int(depth + 1)}, key={self.function(depth + 1)})"
        if kind == 12:
            first, second = self.name(), self.name()
            body = self.within(lambda: self.int(depth + 2), first, second)
            return f"sum([{body} for {first}, {second} in {self.pairs(depth + 1)}])"
        return f"int({self.bool(depth + 1)})"

    def bool(self, depth=0):
        rng = self.rng
        if depth > 3 or rng.random() < 0.2:
            return f"({rng.choice(self.names)} {rng.choice(['<', '>', '==', '!='])} {rng.randint(-2, 4)})"
        kind = rng.randrange(5)
        if kind < 3:
            return f"{rng.choice(['any', 'all'])}({self.iterable(depth + 1, booleans=True)})"
        if kind == 3:
            return f"({self.bool(depth + 1)} {rng.choice(['and', 'or'])} {self.bool(depth + 1)})"
        return f"({self.int(depth + 1)} {rng.choice(['<', '<=', '=='])} {self.int(depth + 1)})"

    def function(self, depth):
        rng = self.rng
        if rng.random() < 0.3:
            return rng.choice(["abs", "operator.neg", "helper"])
        name = self.name()
        return f"lambda {name}: {self.within(lambda: self.int(depth + 1), name)}"

    def generator(self, depth, booleans=False):
        name = self.name()
        source = self.iterable(depth + 1)
        again, inner = "", ""
        names = [name]
        if self.rng.random() < 0.3:
            inner = self.name()
            values = self.within(lambda: self.iterable(depth + 2), name)
            again = f" for {inner} in {values}"
            names.append(inner)
        test = f" if {self.within(lambda: self.bool(depth + 2), *names)}" if self.rng.random() < 0.5 else ""
        write = self.bool if booleans and self.rng.random() < 0.7 else self.int
        return f"({self.within(lambda: write(depth + 1), *names)} for {name} in {source}{again}{test})"

    def pairs(self, depth):
        rng = self.rng
        kind = rng.randrange(6)
        if kind == 0:
            return f"product({self.iterable(depth + 1)}, {self.iterable(depth + 1)})"
        if kind == 1:
            return f"{rng.choice(['combinations', 'permutations'])}({self.iterable(depth + 1)}, 2)"
        if kind == 2:
            return f"pairwise({self.iterable(depth + 1)})"
        if kind == 3:
            return f"enumerate({self.iterable(depth + 1)}, start={self.int(depth + 2)})"
        return f"zip({self.iterable(depth + 1)}, {self.iterable(depth + 1)})"

    def iterable(self, depth, booleans=False):
        rng = self.rng
        if depth > 4 or rng.random() < 0.15:
            return rng.choice(["t", "range(b % 4)", "(a, b, 3)", "[c, 2, a]", "t[1:3]", "range(3, -1, -1)"])
        kind = rng.randrange(16)
        if kind < 5:
            return self.generator(depth, booleans)
        if kind == 5:
            return "[" + self.generator(depth, booleans)[1:-1] + "]"
        if kind == 6:
            return f"map({self.function(depth + 1)}, {self.iterable(depth + 1)})"
        if kind == 7:
            name = self.name()
            test = f"lambda {name}: {self.within(lambda: self.bool(depth + 2), name)}"
            called = rng.choice(["filter", "takewhile", "dropwhile"])
            return f"{called}({test}, {self.iterable(depth + 1)})"
        if kind == 8:
            reverse = rng.choice(["", f", reverse={self.bool(depth + 2)}"])
            key = rng.choice(["", f", key={self.function(depth + 1)}"])
            return f"sorted({self.iterable(depth + 1)}{key}{reverse})"
        if kind == 9:
            return f"chain({self.iterable(depth + 1)}, {self.iterable(depth + 1)})"
        if kind == 10:
            return f"islice({self.iterable(depth + 1)}, {rng.randint(0, 3)})"
        if kind == 11:
            return f"accumulate({self.iterable(depth + 1)}{rng.choice(['', ', max', ', lambda p, q: p + 2 * q'])})"
        if kind == 12:
            return f"{rng.choice(['tuple', 'list'])}({self.iterable(depth + 1)})"
        if kind == 13:
            return f"reversed({rng.choice(['t', 'range(b % 5)', '[a, 2, b]', 't[1:]'])})"
        first, second = self.name(), self.name()
        body = self.within(lambda: self.int(depth + 2), first, second)
        if first == second:
            return "t"
        return f"({body} for {first}, {second} in {self.pairs(depth + 1)})"

    def program(self, name):
        """Its source: a value, or a loop with an end of its own."""
        lines = [f"def {name}(a, b, c, t):"]
        kind = self.rng.randrange(4)
        if kind == 0:
            item = self.name()
            values = self.iterable(1)
            stop = self.within(lambda: self.bool(2), item)
            other = self.within(lambda: self.int(2), item)
            lines += ["    total = 0", f"    for {item} in {values}:", f"        if {stop}:"]
            lines += [f"            {self.rng.choice(['break', 'continue', 'return total'])}"]
            lines += [f"        total += {other}", "    else:", "        total += 100", "    return total"]
        elif kind == 1:
            lines += [f"    values = {self.generator(1)}", f"    a = {self.int(3)}", "    return sum(values) + a"]
        else:
            lines += [f"    return {self.int() if kind == 2 else self.bool()}"]
        return "\n".join(lines)


def load(sources, folder, name):
    """The functions of a module with these sources, in a file."""
    path = folder / f"{name}.py"
    helper = "def helper(x):\n    return x % 3"
    path.write_text("\n\n\n".join([HEAD, helper, *sources]) + "\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return module


def compiled(functions, example, mark, checked=False):
    """One compiled function that runs function number `which`; the numbers that it has; and why it lacks others."""
    typed = tuple(map(numba.typeof, example))
    parameters = ", ".join(f"p{place}" for place in range(len(typed)))
    names, steps, refused = {}, [], {}
    with whole(njit(_nothing, **PIPELINE)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, function in enumerate(functions):
            native = native_function(function, {}, f"{mark}_{checked}_{number}", pipeline_of_rules(checked))
            try:
                native.compile(typed)
            except Exception as error:
                refused[number] = reason_of(error)
                continue
            names[f"f{number}"] = native
            steps.append(f"    if which == {number}: found[0] = f{number}({parameters})")
    source = "\n".join([f"def entry(which, found, {parameters}):", *steps, "    return 0"])
    exec(source, names)
    names["entry"].__qualname__ = f"rewriting_entry_{mark}_{checked}"
    entry = njit(names["entry"], **PIPELINE)
    with whole(entry):
        entry.compile((numba.int64, numba.float64[::1], *typed))
    return entry, refused


def _nothing():
    pass


def outcome(function, arguments):
    """What it returns, or the class of the exception."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error)


INPUTS = [
    (2, 3, 1, (1, 2, 0, 5)),
    (0, 0, 0, (0, 0, 0, 0)),
    (-1, 7, 2, (3, -2, 3, 1)),
    (5, 1, -4, (9, 8, 7, -6)),
]


def compare(sources, functions, mark, checked=False):
    """Compare both speeds; why functions did not compile, by number, and how many answers were equal."""
    entry, refused = compiled(functions, INPUTS[0], mark, checked)
    equal = 0
    for number, function in enumerate(functions):
        for arguments in () if number in refused else INPUTS:
            wanted = outcome(function, arguments)
            found = np.full(1, math.nan)
            answer = outcome(functools.partial(entry, number, found), arguments)
            told = f"{sources[number]}\n{arguments}: {found[0]} or {answer}, interpreted {wanted}"
            if isinstance(wanted, type):
                assert isinstance(answer, type), told
            elif abs(wanted) < 2**53:
                assert (answer, found[0]) == (0, wanted), told
                equal += 1
    return refused, equal


def try_programs(seed, number, folder, checked=False):
    rng = random.Random(seed)
    reasons, equal = [], 0
    for start in range(0, number, TOGETHER):
        sources = [Writer(rng).program(f"program{at}") for at in range(TOGETHER)]
        module = load(sources, folder, f"rewritten_{seed}_{start}_{checked}")
        functions = [getattr(module, f"program{at}") for at in range(TOGETHER)]
        refused, found = compare(sources, functions, f"rewriting_{seed}_{start}", checked)
        reasons += [(sources[at], reason) for at, reason in refused.items()]
        equal += found
    return reasons, equal


@pytest.mark.parametrize("checked", [False, True])
def test_random_programs_are_equal_at_both_speeds(checked, tmp_path):
    reasons, equal = try_programs(7 + checked, TOGETHER, tmp_path, checked)
    assert equal > 2 * TOGETHER
    assert len(reasons) < TOGETHER // 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_random_programs_are_equal_at_both_speeds(seed, tmp_path):
    reasons, equal = try_programs(seed, 2 * TOGETHER, tmp_path, bool(seed % 2))
    assert len(reasons) < TOGETHER
    assert equal > TOGETHER
