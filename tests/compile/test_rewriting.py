"""What is rewritten before it is compiled: random expressions and awkward cases are equal at both speeds."""

# ruff: noqa: E501 - programs are written as they are

import dis
import functools
import logging
import math
import types

import pytest
from programs.random_programs import INPUTS, TOGETHER, compare, functions_of, try_programs

from outplay import Game, RulesError, kernel, legal_actions
from outplay.compile.fingerprint import Fingerprint
from outplay.compile.kernels import cast_state, runs_compiled
from outplay.compile.native.sorting import exact_sum
from outplay.compile.rewriting.function import rewritten

pytestmark = pytest.mark.compiled

HEAD = (
    "import functools, itertools, operator\n"
    "from functools import reduce\n"
    "from itertools import accumulate, chain, combinations, dropwhile, islice, pairwise, permutations, product\n"
    "from itertools import takewhile\n"
    "import numpy as np\n"
    "\n\ndef helper(x):\n    return x % 3"
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


def test_random_programs_are_equal_at_both_speeds(tmp_path):
    reasons, equal = try_programs(Writer, HEAD, "rewriting", 7, TOGETHER // 2, tmp_path)
    assert equal > TOGETHER
    assert len(reasons) <= TOGETHER // 6


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_random_programs_are_equal_at_both_speeds(seed, tmp_path):
    reasons, equal = try_programs(Writer, HEAD, "rewriting", seed, 2 * TOGETHER, tmp_path, bool(seed % 2))
    assert len(reasons) < TOGETHER
    assert equal > TOGETHER


AWKWARD = {
    "reversed": "total = 0\nfor x in reversed([a, b, 4]):\n    total = 3 * total + x\nreturn total + sum(i * x for i, x in enumerate(reversed(t))) + sum(i * x for i, x in enumerate(reversed(range(a % 5, 9, 2))))",
    "short circuit": "return any(10 // x > 1 for x in (a + 9, 5, 0)) + 2 * all(10 // x > 9 for x in (7, 0))",
    "names that are rebound": "x = a\nfound = [any(x == y for x in range(y)) for y in t]\nreturn x * 10 + sum(found)",
    "target with the name of its iterable": "t = t[1:]\nreturn sum(t for t in t)",
    "captured variable that changes": "k = a\nvalues = (x * k for x in t)\nk = b + 2\nreturn sum(values)",
    "first iterable at once": "k = [a, b]\nvalues = (x * 2 for x in k)\nk = [c]\nreturn sum(values) + len(k)",
    "order of evaluation": (
        "log = []\ndef note(x):\n    log.append(x)\n    return x\n"
        "found = max((note(x) for x in t), default=note(7))\nreturn found + sum([i * x for i, x in enumerate(log)])"
    ),
    "first of equals": "return min(t, key=lambda x: x % 2) * 100 + max(t, key=lambda x: x % 2)",
    "stable sort by captured key": "return sorted(t, key=lambda x: (x + a) % 2, reverse=b > 1)[1]",
    "stable sort in place": "x = [*t, a, b]\nx.sort(key=lambda y: (y * c) % 3)\nreturn x[0] + 10 * x[2]",
    "empty": "return sum(x for x in t if x > 99) + max((x for x in t if x > 99), default=-5)",
    "empty with an error": "return max(x for x in t if x > 99)",
    "key that reads a hidden name": "return min((a for a in t), key=lambda x: x * a) + sum(a for a in t if a in [b for b in t])",
    "bools": "return sum(x > 1 for x in t) + max(x > 1 for x in t) + any(x for x in t)",
    "floats": "return sum(x / 4 for x in t) + max(x / 8 for x in t)",
    "int or float": "return sum((x / 2 for x in t), a)",
    "iterator over an iterator, with the name of a variable": "return sum(x for a in t for x in (a + y for y in (a * 2 for a in [b, 2, a]) if a < 3))",
    "walrus in what is added": "x = c\nx += (y := a + 1) * y\nx -= x if (y := y - b) > 0 else y\nx *= y or 3\nreturn x * 100 + y",
    "nested generators": "return sum(sum(y * x for y in range(x % 4)) for x in (z + 1 for z in t if any(z > w for w in t)))",
    "several on one line": "return int(any(x > 2 for x in t)) + all(x > 2 for x in t) + sum(x for x in t) + min(x for x in t)",
    "lambda with a generator": "f = lambda k: sum(x * k for x in t)\nreturn f(a) + f(b)",
    "own any": "any = lambda values: 5\nreturn any([a])",
    "key of the module operator": "return min(((x, i) for i, x in enumerate(t)), key=operator.itemgetter(0))[1]",
    "tuple with an item replaced": "return (t[:1] + (a,) + t[2:])[b % 3] + len(t[:a] + (b,) + t[a + 1:])",
    "replaced by a comprehension": "u = tuple(c if i == 1 else x for i, x in enumerate(t))\nreturn u[0] + 3 * u[1] + len(u)",
    "tuple of a list": "x = list(t)\nx[1] = a\nu = tuple(x)\nreturn u[1] + 10 * (u == (t[0], a, t[2], t[3])) + u.count(a)",
    "tuples of any length": (
        "u = tuple(x for x in t if x > 0)\nv = tuple(x for x in t if x > 1)\n"
        "return len(u + v) + 10 * (u == v) + 20 * (u != t) + 40 * (a in u) + (1 if u else 2) + sum(u[1:]) + len(u * 2)"
    ),
    "index of a tuple of any length": "return tuple(x for x in t if x > 0)[-1]",
    "loops that end": "total = 0\nfor x in (y * 2 for y in t if y):\n    if x == 4:\n        break\n    total += x\nelse:\n    total += 50\nreturn total",
    "continue": "total = 0\nfor x in (y + z for y in t for z in range(2)):\n    if x % 2:\n        continue\n    total += x\nreturn total",
    "map with several": "return sum(map(lambda x, y: x * y, t, t[1:])) + len(list(map(operator.add, t, t))) + any(map(lambda x, y: x > y + a, t, t[1:]))",
    "filter without a function": "return len(list(filter(None, t)))",
    "starmap": "return sum(itertools.starmap(lambda x, y: x - 2 * y, zip(t, t[1:])))",
    "filterfalse": "return sum(itertools.filterfalse(lambda x: x > a, t))",
    "flattened": "return sum(chain.from_iterable([x, 2 * x] for x in t))",
    "groups": "return sum(k * len(list(group)) for k, group in itertools.groupby(sorted(t), key=lambda x: x > 1))",
    "count and cycle": "return next(x for x in itertools.count(a % 5) if x % 7 == 3) + sum(x * y for x, y in zip(t, itertools.cycle((1, -1))))",
    "slices of endless": "return sum(islice(itertools.count(a, 3), 4)) + sum(islice(itertools.cycle((a, b)), 1, 6, 2))",
    "longest": "return sum(x * y for x, y in itertools.zip_longest(t, (a, b), fillvalue=3))",
    "accumulated from a start": "return sum(accumulate(t, lambda x, y: x + 2 * y, initial=a))",
    "combinations of three": "return sum(x * y - z for x, y, z in combinations(t, 3)) + len(list(permutations(t, 2)))",
    "product of three": "return sum(x + 2 * y - z for x, y, z in product(range(2), (a, b), t)) + len(list(product(t, repeat=3)))",
    "walrus": "if (x := a % 4) > 1 and (y := x + b) > 3:\n    return x * 10 + y\nreturn x",
    "walrus or": "if a > 2 or (x := b % 3) > 1:\n    return 5\nreturn x",
    "walrus in while": "x = [*t]\nn = 0\nwhile x and (y := x.pop()) != a:\n    n += y\nreturn n",
    "walrus in comprehension": "return sum(y * x for x in t if (y := x % 3) > 0)",
    "match of tuples": (
        "match (a > 1, t):\n    case (True, (1, x, y, _)) if x > y:\n        return x\n    case _:\n        return 2\n"
    ),
    "match of points": (
        "match (a % 3, b % 3):\n    case (0, 0):\n        return 1\n    case (x, 0):\n        return x + 20\n"
        "    case (1 | 2 as x, y) if x == y:\n        return 10 * x\n    case (x, y):\n        return 100 * x + y"
    ),
    "starred": "first, *rest = t\n*most, last = [a, b, c]\nx, *y, z = t\nreturn first + len(rest) * last + sum(most) + y[0] * z",
    "starred too short": "x, y, *z = [v for v in t if v > 4]\nreturn x + y + len(z)",
    "generator within": "def evens(k):\n    for x in t:\n        if x % 2 == 0:\n            yield x * k + a\nreturn sum(evens(2)) + len(list(evens(b)))",
    "recursion within": "def ways(n):\n    if n < 2:\n        return a\n    return ways(n - 1) + ways(n - 2)\nreturn ways(b % 6)",
    "deleted item": "x = [*t, 4]\ndel x[1]\nreturn sum(i * y for i, y in enumerate(x))",
    "array of nested comprehensions": (
        "z = np.array([[x * y + a for x in range(3)] for y in range(3)])\nreturn z[1][2] + z.sum()"
    ),
    "any order of a set": "return any(x > 3 for x in {a, b}) + max({x % 3 for x in t}) + sum(1 for x in set(t) if x > 1)",
    "partial": "return thrice(a) + by(b)",
    "cached": "return cached(a % 5)",
    "equal to empty": "return ([x for x in t if x > 4] == []) + 2 * ([] != [a]) + 4 * (t == ())",
    "iterators that are read at once before a loop": "for i, a in enumerate(sorted(x * a for x in t), start=1):\n    b += i * a\nfor i, b in zip(t, list(x + b for x in t)):\n    c += i * b\nreturn a + b + c",
    "iterators that are read in part, without errors": (
        "found = sum(islice((x * 2 + a % 3 for x in t if x > 0), 2)) + any(chain((x > 3 for x in t), (a, b)))\n"
        "for i, x in enumerate(min(x, b) for x in t):\n    if x == c:\n        return i + found\n"
        "return found + sum(x * y for x, y in zip((a, b), (x % 5 for x in t)))"
    ),
    "iterators that are read to their ends, with errors": (
        "found = sum(chain((10 // x for x in t[:2]), (a, b))) + max(x + i for i, x in enumerate(8 // x for x in t))\n"
        "for i, x in enumerate(9 // x for x in t):\n    found += i * x\n"
        "return found + sum(x * y for x, y in product((6 // x for x in t[1:]), repeat=2))"
    ),
    "slice of errors": "return sum(islice((9 // x for x in t), a % 2))",
    "enumerate with an error that is not reached": (
        "for i, x in enumerate(9 // x for x in t):\n    if x > a:\n        return i\nreturn 9"
    ),
    "zip with an error that is not reached": "return sum(x * y for x, y in zip((a, b), (9 // x for x in t)))",
    "loops with an error that is not reached": (
        "for x, y in ((x, 9 // y) for x in t for y in t):\n    if x > y:\n        return x\nreturn 9"
    ),
    "min of tuples": "return min((a, 1), (b, 0))[1] + max((x % 2, x) for x in t)[1]",
}
"""Bodies of functions of three ints and a tuple of ints: all compile."""
REFUSED = {
    "least of nothing": ("return min(t[:0])", "min() of a tuple cannot be compiled"),
    "order of a set": (
        "total = 0\nfor x in {a, b, 9}:\n    total = 2 * total + x\nreturn total",
        "an order of their own",
    ),
    "list of a set": ("return list({a, b, 9})[0]", "the items of a set come in an order of their own"),
    "iterator that is read twice": ("x = (y for y in t)\nreturn sum(x) + sum(x)", "(… for …) cannot be compiled"),
    "iterator read in a loop": (
        "x = (y for y in t)\nreturn sum([sum(x) for _ in range(2)])",
        "(… for …) cannot be compiled",
    ),
    "cycle of a list": ("return sum(x * y for x, y in zip(t, itertools.cycle([a, b])))", "cycle"),
    "list that changes": ("x = [*t]\nfor y in reversed(x):\n    x.remove(y)\nreturn len(x)", "changes what it reads"),
    "iterator within an iterator in a variable": (
        "k = a\nx = (y for y in enumerate(z * k for z in t))\nk = 9\nreturn sum(i * y for i, y in x)",
        "",
    ),
    "iterator that reads the variable of its loop": (
        "for a in accumulate(x + a for x in t):\n    b += a\nreturn b",
        "changes what it reads",
    ),
    "iterator in enumerate that reads the variable of its loop": (
        "for x, a in enumerate(itertools.chain((x + a for x in t), [1]), start=c):\n    b += a * x\nreturn b",
        "changes what it reads",
    ),
    "slice of errors that is not read": ("return any(islice((9 // x for x in t), 3))", "(… for …) cannot be compiled"),
    "chain with an error that is not reached": (
        "return any(chain((x > 1 for x in t), (9 // x for x in t)))",
        "(… for …) cannot be compiled",
    ),
    "iterator over lists with an error that is not reached": (
        "for x in chain.from_iterable([9 // x, x] for x in t):\n    if x > a:\n        return x\nreturn 0",
        "an iterator over lists that may not be read to its end",
    ),
    "errors of a function that is not called": (
        "return any(accumulate(t, lambda x, y: x // y)) + next(dropwhile(lambda x: 9 // x > 4, t), 0)",
        "",
    ),
    "errors of a named function that is not called": ("return any(accumulate(t, operator.floordiv))", ""),
    "errors of a local function that is not called": (
        "f = lambda x: 9 // x > 1\nfor x in itertools.takewhile(f, t):\n    if x > a:\n        return x\nreturn 9",
        "",
    ),
    "generator over what changes": (
        "k = a\ndef each():\n    for x in t:\n        yield x * k\nfound = each()\nk = 5\nreturn sum(found)",
        "",
    ),
}
"""Bodies that run interpreted, and a part of the reason."""


def written(bodies):
    """The sources of functions with these bodies."""
    return [
        "\n".join([f"def program{at}(a, b, c, t):", *("    " + line for line in body.splitlines())])
        for at, body in enumerate(bodies)
    ]


GIVEN = [
    "def weigh(factor, number):\n    return factor * number\n\n\nthrice = functools.partial(weigh, 3)\n"
    "by = functools.partial(weigh, number=7)",
    "@functools.lru_cache(maxsize=None)\ndef cached(n):\n    if n < 2:\n        return 1\n"
    "    return cached(n - 1) + cached(n - 2)",
]


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.nightly) for part in range(1, 12))])
def test_awkward_cases_are_equal_at_both_speeds(part, tmp_path):
    chosen = dict(list(AWKWARD.items())[part::12])
    sources = written(chosen.values())
    refused, equal = compare(sources, tmp_path, f"awkward_{part}", "\n\n\n".join([HEAD, *GIVEN]))
    assert {list(chosen)[at]: reason for at, reason in refused.items()} == {}
    assert equal > 3 * len(chosen)


UNREAD = (
    "x = a // (b - b)",
    "x = t[a - a + 9]",
    "q = [a, b]\nq[c * c + 5] = 3",
    "q = {a: b}\nq[b + 50] += 1",
    "q = [0]\nq[0] = t[c * c + 9]",
    "x = max([i for i in range(a) if i > 50])",
    "{a: 1}[b + 50]",
    "x = y = int('x' * a)",
    "x = range(0, 5, a - a)",
    "x = range(5, 0, 0)",
    "if a > 999:\n    x = 3\ny = x",
    "if a > 999:\n    x = 3\ny = (x, x)",
    "if a > 999:\n    x = 3\ny = [x]",
)
"""Statements that raise errors; nobody reads what they set."""


@pytest.mark.matrix
@pytest.mark.parametrize("rest", ["return 7", "f = lambda y: y + a\nreturn f(2) + sum([i for i in (1, 2, a)])"])
def test_what_nobody_reads_is_computed(rest, tmp_path):
    refused, equal = compare(written(f"{each}\n{rest}" for each in UNREAD), tmp_path, "unread", HEAD)
    assert not refused
    assert not equal  # each raises in every state


NO_LISTS = (
    "return any([x > a for x in t])",
    "return all([x > a for x in t if x])",
    "return sum([x * b for x in t])",
    "return min([x + y for x in t for y in range(2)]) + max([x - b for x in t])",
    "return len([x for x in t if x > a])",
    "total = 0\nfor x, y in [(0, 1), (1, 0)]:\n    total += x * a + y * b\nreturn total",
    "total = 0\nfor row in [[0, 1, 2], [3, 4]]:\n    total = total * 3 + row[1] * a + len(row)\nreturn total",
    "return sum(1 for x in [1, 2, 4] if x in [a, b] or a in [3, 4])",
)
"""Bodies whose lists nobody sees: they run without making one."""
LISTS = (
    "total = 0\nfor row in [[0, 1], [2, 3]]:\n    row.append(a)\n    total += sum(row)\nreturn total",
    "total = 0\nfor row in [[0, 1], [2, 3]]:\n    kept = row\n    kept[0] += a\n    total = total * 7 + kept[0]\nreturn total",
)
"""Bodies that change the lists they have written."""


def lists_in(function):
    """The number of lists that the form of a function that is compiled makes."""
    functions, found = [rewritten(function)], 0
    while functions:
        code = functions.pop()
        inner = [cell.cell_contents for cell in code.__closure__ or ()]
        functions += [each for each in inner if isinstance(each, types.FunctionType)]
        found += sum(step.opname in ("BUILD_LIST", "LIST_APPEND") for step in walk_code(code.__code__))
    return found


def walk_code(code):
    """The instructions of a function and of the functions in it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from walk_code(constant)


def test_lists_that_nobody_sees_are_not_made(tmp_path):
    sources = written(NO_LISTS + LISTS)
    made = [lists_in(function) for function in functions_of(sources, tmp_path, "lists_in", HEAD)]
    assert made[: len(NO_LISTS)] == [0] * len(NO_LISTS)
    assert all(made[len(NO_LISTS) :])
    refused, equal = compare(sources, tmp_path, "lists", HEAD)
    assert not refused
    assert equal == len(INPUTS) * len(sources)


def test_what_could_differ_is_refused(tmp_path):
    sources = written(body for body, _ in REFUSED.values())
    refused, _ = compare(sources, tmp_path, "refused", HEAD)
    for at, (name, (_, part)) in enumerate(REFUSED.items()):
        assert at in refused, name
        assert part in refused[at], name


@kernel
def total(game, state):
    """A number that depends on every rule."""
    if game.is_terminal(state):
        return float(game.utility(state, 0))
    sum_ = 0.125 * game.to_move(state)
    for action in legal_actions(game, state):
        sum_ = 0.75 * sum_ + action + 1.0 + total(game, game.result(state, action))
    return sum_


class Tuples(Game):
    """Three squares in a tuple; what is rewritten in every rule."""

    def initial_state(self):
        return ((0, 0, 0), 0)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return (square for square, mark in enumerate(state[0]) if mark == 0)

    def result(self, state, action):
        board, player = state
        return (board[:action] + (player + 1,) + board[action + 1 :], 1 - player)  # noqa: RUF005

    def is_terminal(self, state):
        return all(state[0]) or not any(mark == 0 for mark in state[0])

    def utility(self, state, player):
        return 1 if (state[0][0] == state[0][2]) == (player == 0) else -1


class Listed(Tuples):
    """The board is changed in a list."""

    def actions(self, state):
        yield from [square for square in range(3) if not state[0][square]]

    def result(self, state, action):
        board = list(state[0])
        board[action] = state[1] + 1
        return (tuple(board), 1 - state[1])


class Longer(Tuples):
    """The board gets longer after an action that no random game shows."""

    def result(self, state, action):
        board = list(state[0])
        if action == 7:
            board.append(7)
        else:
            board[action] = state[1] + 1
        return (tuple(board), 1 - state[1])


@kernel
def next_player(game, state, action):
    """Who moves after this action."""
    return game.to_move(game.result(state, action))


@pytest.mark.parametrize("game", [Tuples(), Listed()])
def test_tuples_of_any_length_become_states(game):
    assert total(game, cast_state(game, game.initial_state())) == total(*_interpreted(game))
    assert runs_compiled(game)


def _interpreted(game):
    game = type("Interpreted", (type(game),), {"compiled": False, "__module__": __name__})()
    return game, game.initial_state()


def test_a_tuple_of_another_length_is_an_error():
    game = Longer()
    assert next_player(game, game.initial_state(), 1) == 1
    assert runs_compiled(game)
    with pytest.raises(RulesError, match="another length than in the initial state, where it has 3"):
        next_player(game, game.initial_state(), 7)


def test_the_sum_of_floats_is_that_of_python_3_12():
    numbers = [0.1] * 10
    assert exact_sum(numbers) == math.fsum(numbers) == 1.0
    assert exact_sum([1e308, 1e308]) == math.inf


def test_a_partial_is_part_of_the_fingerprint():
    def mark(value):
        fingerprint = Fingerprint()
        fingerprint.add(value)
        assert fingerprint.complete
        return str(fingerprint)

    assert mark(functools.partial(max, 3)) == mark(functools.partial(max, 3))
    assert mark(functools.partial(max, 3)) != mark(functools.partial(max, 4))
    assert mark(functools.partial(max, 3)) != mark(functools.partial(max, key=3))


# -- what rules print and log ------------------------------------------------------------------------------------------

LOGGER = logging.getLogger("rules")


class Counter:
    number = 0

    def debug(self, number):
        self.number += number


counter = Counter()


def shows(a, t):
    print(a, f"{a:>3} {t!r}")
    LOGGER.info("%d %s", a, {a: [t]})
    logging.debug("%s" % a)  # noqa: UP031
    return a


def computes(a, t):
    print(t[a], f"{a // t[0]}", end=str(a))
    return a


def counts(a, t):
    counter.debug(a)
    return print(a) or a


def shadows(print, LOGGER):  # noqa: A002, N803
    print(1)
    LOGGER.info(2)


def test_only_what_is_printed_and_logged_is_left_out():
    assert not {"print", "info", "debug"} & {*rewritten(shows).__code__.co_names}
    assert rewritten(shows)(3, (1,)) == 3
    with pytest.raises(IndexError):
        rewritten(computes)(1, (1,))
    with pytest.raises(ZeroDivisionError):
        rewritten(computes)(0, (0,))
    for function in (counts, shadows):
        names = {*function.__code__.co_names, *function.__code__.co_varnames}
        assert names == {*rewritten(function).__code__.co_names, *rewritten(function).__code__.co_varnames}


def test_code_that_logs_is_kept_on_disk():
    class Logs(Game):
        def initial_state(self):
            LOGGER.debug("begins")
            return 0

        to_move = actions = result = is_terminal = utility = initial_state

    assert Fingerprint.of_game(Logs()).complete
