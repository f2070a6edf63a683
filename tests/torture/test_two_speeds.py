"""Random small rules, interpreted and compiled: the same value, or refused, or an error in checked mode.

A program is a function of ints, floats, a bool, a tuple and arrays of every kind of integer. It runs on several inputs.
Where Python gives a value and every int on the way fits 64 bits, compiled rules give the same value. Where Python
raises, or an int outgrows 64 bits, checked rules raise `RulesError`; plain ones may give anything.
"""

import ast
import math
import random
import warnings
from concurrent.futures import ProcessPoolExecutor
from enum import Enum
from multiprocessing import get_context
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba import njit

from outplay import RulesError
from outplay.compile.native.game_type import PIPELINE, pipeline_of_rules
from outplay.compile.native.internals.quick_compilation import compiled_as_whole
from outplay.compile.native.reasons import reason
from outplay.compile.native.rules import native_function
from torture import SCALE, SEED

PROGRAMS = 10_000
"""At full size."""
TOGETHER = 25
"""Programs that are compiled as one function."""
SHORT = 25
PARTS = 10
"""Of the full size, which run side by side."""

CELLS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
BIG = (2**31, 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63), 10**18)
SMALL = (0, 1, 2, 3, 5, 7, 8, 63, 64, 65, 127, 128, 200, 255, 256, 300, -1, -2, -7, -128)


class Writer:
    """Writes random functions of `a, b, c` (ints), `x, y` (floats), `p` (a bool), `t` (a tuple) and `u, v` (arrays)."""

    def __init__(self, rng):
        self.rng = rng
        self.ints = ["a", "b", "c"]
        self.made = 0
        self.helpers = []

    def name(self):
        self.made += 1
        return f"n{self.made}"

    def literal(self):
        return str(self.rng.choice(SMALL if self.rng.random() < 0.9 else BIG))

    def cell(self):
        return f"{self.rng.choice('uv')}[{self.index()}]"

    def index(self):
        rng = self.rng
        return rng.choice(["0", "1", "-1", "2", "a % 4", "b % 3", "c & 3", "a", "-c"])

    def int(self, depth=0):
        rng = self.rng
        if depth > 2 or rng.random() < 0.15:
            return rng.choice([*self.ints, *self.ints, self.literal(), self.cell(), f"t[{self.index()}]"])
        kind = rng.randrange(20)
        left, right = self.int(depth + 1), self.int(depth + 1)
        if kind > 17:
            return rng.choice([self.door, self.record])(left, depth + 1)
        if kind < 6:
            op = rng.choice(["+", "-", "*", "//", "%", "&", "|", "^", "+", "-", "*"])
            return f"({left} {op} {right})"
        if kind == 6:
            count = rng.choice([f"({right} % 80 - 3)", rng.choice(["1", "8", "63", "64", "70"]), "(a % 70)"])
            return f"({left} {rng.choice(['<<', '>>'])} {count})"
        if kind == 7:
            return f"({left} ** {rng.choice(['2', '3', '(b % 7 - 1)', '(c % 5)', '0', '1'])})"
        if kind == 8:
            return f"({rng.choice('-~+')}{left})"
        if kind == 9:
            return f"abs({left})"
        if kind == 10:
            return f"{rng.choice(['min', 'max'])}({left}, {right})"
        if kind == 11:
            return f"int({rng.choice([self.float, self.int, self.bool])(depth + 1)})"
        if kind == 12:
            return f"({left} if {self.bool(depth + 1)} else {right})"
        if kind == 13:
            return f"divmod({left}, {right})[{rng.randrange(2)}]"
        if kind == 14:
            return rng.choice(
                [
                    f"sum([{left}, {right}, a])",
                    f"sum({rng.choice('uv')})",
                    f"len({rng.choice('uv')}[{right}:{left}])",
                    f"len(range({left}, {right}, {rng.choice(['2', '-3', '1'])}))",
                    f"round({self.float(depth + 1)})",
                    f"math.{rng.choice(['floor', 'ceil'])}({self.float(depth + 1)})",
                    f"sum([k * 2 for k in range({left} % 5)])",
                    f"int({rng.choice('uv')}.{rng.choice(['sum', 'min', 'max', 'argmax', 'argmin'])}())",
                ]
            )
        if kind == 15:
            return f"[{left}, {right}, {self.cell()}][{rng.choice(['0', '1', '2', 'a % 3'])}]"
        if kind == 16:
            return f"{rng.choice(self.helpers)}({left}, {right})" if self.helpers else f"({left} - {right})"
        return self.sorted() if rng.random() < 0.5 else f"({left} * {right})"  # it takes long to compile

    def door(self, value, depth):
        """A way in which a number leaves an array, or a method of a list, tuple or text."""
        rng, array, place = self.rng, self.rng.choice("uv"), self.index()
        real, other = self.float(depth + 1), self.float(depth + 1)
        text = f"str({value})"
        return rng.choice(
            [
                f"({array}.item({place}) + {array}[1:2].item())",
                f"sum({array}.tolist())",
                f"max({array}.tolist())",
                f"[k + k for k in {array}.tolist()][{place}]",
                f"({value} * {array}.reshape((2, 2)).tolist()[1][0])",
                f"sum([k for k in {array}.flat])",
                f"{array}.tolist().count({value})",
                f"pow({value}, {rng.choice(['2', '3', 'abs(b) % 5'])})",
                f"math.gcd({value}, {self.int(2)})",
                f"[{real}, {other}].count({other})",
                f"({real}, x, {other}).index(x)",
                f"round({value})",
                f"len({text}.replace('1', 'xy'))",
                f"{text}.find('{rng.choice(['1', '-', '22'])}')",
                f"int({text}.isdigit())",
                f"int({text}.rjust({rng.choice(['3', 'a % 9'])}, '0').startswith('0'))",
                f"len({text}.split('{rng.choice('17')}'))",
                f"int(round({real}, 2))",
                f"len({array}.tobytes())",
                f"len({{{real}: 1, -0.0: 2}})",
            ]
        )

    def record(self, value, depth):
        """A number from an operator of a named tuple, or from the names of an enumeration."""
        rng, other = self.rng, self.int(depth + 1)
        name = rng.choice(["EMPTY", "FULL", "OTHER", "NONE"])
        one = rng.choice([f"Pos({value}, {other})", f"Pos({other}, b)", "(Pos(a, 2) + Pos(b, c))"])
        return rng.choice(
            [
                f"({one} + Pos({other}, {value})).x",
                f"({one} - (3, {other}))[1]",
                f"({one} * {other}).y",
                f"(-{one} + {one}).x",
                f"({one} if {self.bool(depth + 1)} else {one} << 1).y",
                f"{one}[{self.index()}]",
                "len(Space.__members__)",
                f"(Space.__members__['{name}'] if '{name}' in Space.__members__ else Space.EMPTY).value",
                f"sum([each.value * {value} for each in Space.__members__.values()])",
                f"int('{name}' in Space.__members__)",
            ]
        )

    def helper(self):
        """A function within the function, and its call by name from then on."""
        rng, name = self.rng, self.name()
        part = rng.choice(["k", "m", self.literal()])
        first, second = (rng.choice(["+", "-", "*", "//", "&", "|", "<<"]) for _ in range(2))
        value = rng.choice(
            [
                f"({part} {first} k) {second} m",
                f"max(k, {part}) {first} m",
                f"k if {part} < 3 else m",
                f"k {first} m",
            ]
        )
        self.helpers.append(name)
        return [f"    def {name}(k, m):", f"        return {value}"]

    def sorted(self):
        rng = self.rng
        items = f"[{', '.join(self.int(2) for _ in range(4))}]"
        key = rng.choice(["", ", key=lambda k: k % 2", ", key=lambda k: -k", ", key=lambda k: k // 3"])
        reverse = rng.choice(["", ", reverse=True"])
        return f"sorted({items}{key}{reverse})[{rng.randrange(4)}]"

    def float(self, depth=0):
        rng = self.rng
        if depth > 2 or rng.random() < 0.25:
            return rng.choice(["x", "y", "0.5", "2.0", "-1.5", "1e10", "0.0"])
        kind = rng.randrange(10)
        if kind == 8:
            power = rng.choice(["2", "-1", "0.5", "3", self.float(depth + 1)])
            return rng.choice([f"pow({self.float(depth + 1)}, {power})", f"math.pow({self.float(depth + 1)}, {power})"])
        if kind == 9:
            name = rng.choice(["tan", "sinh", "expm1", "log1p", "atan", "erf", "degrees", "cosh"])
            return f"math.{name}({self.float(depth + 1)})"
        if kind < 3:
            return (
                f"({self.float(depth + 1)} {rng.choice(['+', '-', '*', '/', '//', '%', '**'])} {self.float(depth + 1)})"
            )
        if kind == 3:
            return f"({self.int(depth + 1)} / {self.int(depth + 1)})"
        if kind == 4:
            return f"math.{rng.choice(['sqrt', 'log', 'exp', 'sin', 'acos', 'log2', 'fabs'])}({self.float(depth + 1)})"
        if kind == 5:
            return f"float({self.int(depth + 1)})"
        if kind == 6:
            return f"({self.float(depth + 1)} {rng.choice('+-*')} {self.int(depth + 1)})"
        if kind == 7 and rng.random() < 0.5:
            left, right = self.float(depth + 1), self.int(depth + 1)
            return rng.choice([f"({left} if {self.bool(depth + 1)} else {right})", f"max({right}, {left})"])
        return f"abs(-{self.float(depth + 1)})"

    def bool(self, depth=0):
        rng = self.rng
        if depth > 2 or rng.random() < 0.2:
            return rng.choice(["p", "(not p)", "(a > b)", "True", "False"])
        kind = rng.randrange(9)
        if kind > 6:
            real, other = self.float(depth + 1), self.float(depth + 1)
            return rng.choice(
                [f"({real} in (x, {other}))", f"([x, {real}] == [y, {other}])", f"((x, {real}) < (x, {other}))"]
            )
        op = rng.choice(["<", "<=", "==", "!=", ">", ">="])
        if kind < 3:
            return f"({self.int(depth + 1)} {op} {self.int(depth + 1)})"
        if kind == 3:
            return f"({self.int(depth + 1)} {op} {self.float(depth + 1)})"
        if kind == 4:
            return f"({self.bool(depth + 1)} {rng.choice(['and', 'or', '&', '|', '^', '=='])} {self.bool(depth + 1)})"
        if kind == 5:
            return f"({self.int(depth + 1)} {rng.choice(['<', '<='])} {self.int(depth + 1)} {op} {self.int(depth + 1)})"
        return f"({self.int(depth + 1)} in ({self.int(2)}, {self.int(2)}))"

    def block(self, indent, depth=0):
        rng, lines, pad = self.rng, [], "    " * indent
        known = list(self.ints)
        for _ in range(rng.randint(1, 2)):
            kind = rng.randrange(8)
            if kind < 3 or depth > 1:
                name = rng.choice([self.name(), rng.choice("abc")])
                lines.append(f"{pad}{name} = {self.int()}")
                if name not in self.ints:
                    self.ints.append(name)
            elif kind == 3:
                lines.append(
                    f"{pad}{rng.choice('abc')} {rng.choice(['+', '-', '*', '//', '%', '&', '|', '^'])}= {self.int()}"
                )
            elif kind == 4:
                lines += [f"{pad}if {self.bool()}:", *self.block(indent + 1, depth + 1)]
                if rng.random() < 0.5:
                    lines += [f"{pad}else:", *self.block(indent + 1, depth + 1)]
            elif kind == 5:
                name = self.name()
                source = rng.choice([f"range({rng.choice(['a % 5', '3', 'b % 4', '5, 0, -2'])})", "t", "u", "v"])
                lines += [f"{pad}for {name} in {source}:"]
                self.ints.append(name)
                lines += self.block(indent + 1, depth + 1)
                if rng.random() < 0.3:
                    lines += [f"{pad}else:", *self.block(indent + 1, depth + 1)]
            elif kind == 6:
                name = self.name()
                lines += [f"{pad}{name} = {rng.choice(['3', 'a % 6'])}", f"{pad}while {name} > 0:"]
                lines += [f"{pad}    {name} -= 1", *self.block(indent + 1, depth + 1)]
            elif rng.random() < 0.7:
                lines.append(f"{pad}{rng.choice('uv')}[{self.index()}] = {self.int()}")
            else:
                found, name = self.name(), self.name()
                lines += [f"{pad}{found} = [{self.int()}]", f"{pad}{found}.append({self.int()})"]
                lines += [f"{pad}{name} = {found}[{rng.choice(['0', '1', 'a % 2'])}]"]
                self.ints.append(name)
        if rng.random() < 0.85:  # else a local is read that may not be assigned
            self.ints = known + [name for name in self.ints[len(known) :] if depth == 0]
        return lines

    def program(self, name):
        """Its source."""
        rng = self.rng
        body = self.helper() if rng.random() < 0.2 else []
        body += self.block(1) if rng.random() < 0.3 else []
        kind = rng.choice(["int", "int", "float", "bool"])
        value = getattr(self, kind)(0 if body or rng.random() < 0.3 else 1)
        return "\n".join([f"def {name}(a, b, c, x, y, p, t, u, v):", *body, f"    return {value}"])


def inputs(rng, kinds):
    """Arguments for a program."""
    for scale in (3, 10, 300, 2**33, 2**62):
        ints = tuple(rng.randint(-scale, scale) for _ in range(3))
        floats = (rng.choice([0.0, 0.5, -2.5, 1e3, 1e300, 2.0**53]), rng.uniform(-5, 5))
        arrays = []
        for kind in kinds:
            info = np.iinfo(kind)
            low, high = max(info.min, -scale), min(info.max, scale)
            arrays.append(np.array([rng.randint(low, high) for _ in range(4)], kind))
        yield (*ints, *floats, rng.random() < 0.5, tuple(rng.randint(-5, 5) for _ in range(4)), *arrays)


class Pos(NamedTuple):
    """A named tuple with operators."""

    x: int
    y: int

    def __add__(self, other):
        return Pos(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Pos(self.x - other[0], self.y - other[1])

    def __mul__(self, factor):
        return Pos(self.x * factor, self.y)

    def __lshift__(self, number):
        return Pos(self.y, self.x << number)

    def __neg__(self):
        return Pos(-self.x, -self.y)


class Space(Enum):
    """An enumeration with an alias."""

    EMPTY = 1
    FULL = 4
    OTHER = 4


class Outgrown(Exception):
    """An int has more than 64 bits."""


def traced(source):
    """The source with every int that it computes tested for 64 bits."""

    class Test(ast.NodeTransformer):
        def visit(self, node):
            self.generic_visit(node)
            if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Call)) and not isinstance(
                getattr(node, "op", None), ast.Not
            ):
                return ast.copy_location(ast.Call(ast.Name("fits", ast.Load()), [node], []), node)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
                return ast.copy_location(
                    ast.Assign([node.target], ast.Call(ast.Name("fits", ast.Load()), [value], [])), node
                )
            return node

    return ast.unparse(ast.fix_missing_locations(Test().visit(ast.parse(source))))


def fits(value):
    """Raise for an int of more than 64 bits, and where an int meets a float that cannot hold it."""
    if isinstance(value, Pos):
        return Pos(*map(fits, value))
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise Outgrown
    return value


def compiled(programs, examples, checked, mark, known=None):
    """One compiled function that runs program number `which`; and of each that compiles, whether it gives a float."""
    typed = tuple(map(numba.typeof, examples[0]))
    names, steps, is_float = {}, [], {}
    with compiled_as_whole(njit(_nothing, **PIPELINE)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, program in enumerate(programs):
            if known is not None and number not in known:
                continue
            native = native_function(program, {}, f"torture_{mark}_{checked}_{number}", pipeline_of_rules(checked))
            try:
                native.compile(typed)
            except numba.core.errors.NumbaError as error:
                assert reason(str(error)).what  # noqa: PT017
                continue
            names[f"program{number}"] = native
            is_float[number] = isinstance(native.overloads[typed].signature.return_type, numba.types.Float)
            target = "reals" if is_float[number] else "wholes"
            steps.append(f"    if which == {number}: {target}[0] = program{number}(a, b, c, x, y, p, t, u, v)")
    source = "\n".join(["def entry(which, wholes, reals, a, b, c, x, y, p, t, u, v):", *steps, "    return 0"])
    exec(source, names)
    names["entry"].__qualname__ = f"torture_entry_{mark}_{checked}"
    entry = njit(names["entry"], **PIPELINE)
    with compiled_as_whole(entry):
        entry.compile((numba.int64, numba.int64[::1], numba.float64[::1], *typed))
    return entry, is_float


def _nothing():
    pass


def call(entry, number, is_float):
    """The program of this number as a function that returns its value."""

    def run(*arguments):
        wholes, reals = np.zeros(1, np.int64), np.zeros(1)
        entry(number, wholes, reals, *arguments)
        return float(reals[0]) if is_float[number] else int(wholes[0])

    return run


def shown(answer):
    """The answer as text, where Python writes it: not an int of thousands of digits."""
    try:
        return repr(answer)
    except ValueError:
        return "a very large int"


def has_unused(source):
    """Whether a local is assigned that nobody may read after that."""
    names = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    loads = {
        node.id: node.lineno for node in sorted(names, key=lambda node: node.lineno) if isinstance(node.ctx, ast.Load)
    }
    return any(loads.get(node.id, 0) <= node.lineno for node in names if isinstance(node.ctx, ast.Store))


def answer(function, arguments):
    """What it returns, with the arrays as they are then; or the exception. And whether NumPy says that it wraps."""
    copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*copies)
        except Exception as error:
            return error, False
    return (value, copies[-2].tolist(), copies[-1].tolist()), bool(caught)


def same(plain, native):
    """Whether values are equal. An int comes back in 64 bits."""
    (value, *arrays), (other, *others) = plain, native
    if isinstance(value, complex) or arrays != others:
        return False
    if isinstance(value, float):
        return (math.isnan(value) and math.isnan(other)) or (
            value == other and math.copysign(1, value) == math.copysign(1, other)
        )
    return (int(value) - int(other)) % 2**64 == 0


def try_programs(seed, number):
    """Compare so many programs; how many answers were equal, refused, raised."""
    rng = random.Random(seed)
    tally = dict.fromkeys(("programs", "refused", "equal", "raised", "cautious"), 0)
    kinds = rng.choice(CELLS), rng.choice(CELLS)
    programs, sources, tests = [], [], []
    for at in range(number):
        source = Writer(rng).program(f"program{at}")
        names = {"math": math, "np": np, "fits": fits, "Pos": Pos, "Space": Space, "__name__": "torture"}
        exec(source, names)
        programs.append(names[f"program{at}"])
        names = dict(names)
        exec(traced(source), names)
        sources.append(source)
        tests.append(names[f"program{at}"])
    examples = list(inputs(rng, kinds))
    safe, safe_floats = compiled(programs, examples, True, seed)
    fast, fast_floats = compiled(programs, examples, False, seed, safe_floats)
    for at, plain in enumerate(programs):
        tally["programs"] += 1
        if at not in fast_floats:
            tally["refused"] += 1
            continue
        for arguments in examples:
            outgrown = isinstance(answer(tests[at], arguments)[0], Outgrown)
            wanted, wraps = answer(plain, arguments)
            found, _ = answer(call(safe, at, safe_floats), arguments)
            told = (
                f"OUTPLAY_SEED={seed}, program {at}, cells {kinds}:\n{sources[at]}\narguments {arguments}\n"
                f"interpreted {shown(wanted)}\nchecked {found!r}"
            )
            if isinstance(found, Exception):  # plain rules might then read and write anywhere
                assert isinstance(found, (RulesError, IndexError)), told
                is_clear = outgrown or wraps or isinstance(wanted, Exception)
                tally["raised" if is_clear else "cautious"] += 1
                continue
            if outgrown and isinstance(wanted, OverflowError):  # a mask cuts it off; NumPy's int64 wants less
                continue
            # What nobody uses, Numba does not compute.
            assert not isinstance(wanted, Exception) or has_unused(sources[at]), told
            if isinstance(wanted, Exception):
                continue
            assert same(wanted, found), told
            found, _ = answer(call(fast, at, fast_floats), arguments)
            told += f"\ncompiled {found!r}"
            assert not isinstance(found, Exception), told
            assert same(wanted, found), told
            tally["equal"] += 1
    return tally


def run(programs, first=0):
    """Many batches, from number `first` on."""
    total = {}
    for batch in range(first, first + max(1, round(programs / TOGETHER))):
        for name, count in try_programs(SEED * 1_000_000 + batch, TOGETHER).items():
            total[name] = total.get(name, 0) + count
    assert total["equal"] > total["programs"]  # of five inputs each
    assert total["refused"] < total["programs"] / 3
    assert total["cautious"] < total["equal"] / 4


@pytest.mark.nightly
def test_a_few_programs_mean_the_same_at_both_speeds():
    run(SHORT)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(PARTS))
def test_ten_thousand_programs_mean_the_same_at_both_speeds(part):
    """In a process of its own, since what was compiled stays in memory: some GB for a part."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        process.submit(run, PROGRAMS * SCALE / PARTS, first=1000 * (part + 1)).result()
