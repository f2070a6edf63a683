"""Random small rules, interpreted and compiled: the same value, or refused, or an error in checked mode.

A program is a function of ints, floats, a bool, a tuple and arrays of every kind of integer. It runs on several inputs.
Where Python gives a value and every int on the way fits 64 bits, compiled rules give the same value. Where Python
raises, or an int outgrows 64 bits, checked rules raise `RulesError`; plain ones may give anything.
"""

import inspect
import math
import os
import random
import types
import warnings

import numpy as np
import pytest
from numba import njit

from outplay import RulesError
from outplay.compile.game_type import PIPELINE, pipeline_of_rules
from outplay.compile.refusal import reason_of
from outplay.compile.rules import native_function

PROGRAMS = 10_000
"""At full size."""
TOGETHER = 25
"""Programs that are compiled as one function."""
SHORT = 50
SEED = int(os.environ.get("OUTPLAY_SEED", "0"))
SCALE = float(os.environ.get("OUTPLAY_TORTURE", "1"))

CELLS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
BIG = (2**31, 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63), 10**18)
SMALL = (0, 1, 2, 3, 5, 7, 8, 63, 64, 65, 127, 128, 200, 255, 256, 300, -1, -2, -7, -128)


class Writer:
    """Writes random functions of `a, b, c` (ints), `x, y` (floats), `p` (a bool), `t` (a tuple) and `u, v` (arrays)."""

    def __init__(self, rng):
        self.rng = rng
        self.ints = ["a", "b", "c"]
        self.made = 0

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
        kind = rng.randrange(16)
        left, right = self.int(depth + 1), self.int(depth + 1)
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
        return self.sorted()

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
        kind = rng.randrange(8)
        if kind < 3:
            return f"({self.float(depth + 1)} {rng.choice(['+', '-', '*', '/', '//', '%', '**'])} {self.float(depth + 1)})"
        if kind == 3:
            return f"({self.int(depth + 1)} / {self.int(depth + 1)})"
        if kind == 4:
            return f"math.{rng.choice(['sqrt', 'log', 'exp', 'sin', 'acos', 'log2', 'fabs'])}({self.float(depth + 1)})"
        if kind == 5:
            return f"float({self.int(depth + 1)})"
        if kind == 6:
            return f"({self.float(depth + 1)} {rng.choice('+-*')} {self.int(depth + 1)})"
        return f"abs(-{self.float(depth + 1)})"

    def bool(self, depth=0):
        rng = self.rng
        if depth > 2 or rng.random() < 0.2:
            return rng.choice(["p", "(not p)", "(a > b)", "True", "False"])
        kind = rng.randrange(7)
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
                lines.append(f"{pad}{rng.choice('abc')} {rng.choice(['+', '-', '*', '//', '%', '&', '|', '^'])}= {self.int()}")
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
            else:
                lines.append(f"{pad}{rng.choice('uv')}[{self.index()}] = {self.int()}")
        if rng.random() < 0.85:  # else a local is read that may not be assigned
            self.ints = known + [name for name in self.ints[len(known) :] if depth == 0]
        return lines

    def program(self, name):
        body = self.block(1) if self.rng.random() < 0.6 else []
        what = self.rng.choice([self.int, self.int, self.float, self.bool])()
        return "\n".join([f"def {name}(a, b, c, x, y, p, t, u, v):", *body, f"    return {what}"])


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


class Outgrown(Exception):
    """An int has more than 64 bits."""


def traced(source):
    """The source with every int that it computes tested for 64 bits."""
    import ast

    class Test(ast.NodeTransformer):
        def visit(self, node):
            self.generic_visit(node)
            if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Call)) and not isinstance(getattr(node, "op", None), ast.Not):
                return ast.copy_location(ast.Call(ast.Name("fits", ast.Load()), [node], []), node)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
                return ast.copy_location(ast.Assign([node.target], ast.Call(ast.Name("fits", ast.Load()), [value], [])), node)
            return node

    return ast.unparse(ast.fix_missing_locations(Test().visit(ast.parse(source))))


def fits(value):
    """Raise for an int of more than 64 bits, and where an int meets a float that cannot hold it."""
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise Outgrown
    return value


def compiled(functions, checked, mark):
    """One entry that calls the function with a number, by its number; what does not compile is None."""
    found = []
    for number, function in enumerate(functions):
        found.append(native_function(function, {}, f"torture{mark}_{checked}_{number}", pipeline_of_rules(checked)))
    return found


def entry_of(native):
    """A way into one compiled function."""
    return njit(lambda a, b, c, x, y, p, t, u, v: native(a, b, c, x, y, p, t, u, v), **PIPELINE)


def answer(function, arguments):
    """What it returns, with the arrays as they are then; or the exception."""
    copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = function(*copies)
    except Exception as error:
        return error
    return value, copies[-2].tolist(), copies[-1].tolist()


def same(plain, native):
    """Whether values are equal; an int may be a float where another way through the program gives one."""
    (value, *arrays), (other, *others) = plain, native
    if isinstance(value, complex) or arrays != others:
        return False
    if isinstance(value, (bool, np.bool_)) != isinstance(other, (bool, np.bool_)):
        return value == other
    both_nan = value != value and other != other
    return bool(both_nan or value == other or (type(value) is float and math.isclose(value, other, rel_tol=1e-13)))


def try_programs(seed, number):
    """Compare so many programs; how many were equal, refused, raised."""
    rng = random.Random(seed)
    tally = {"equal": 0, "refused": 0, "raised": 0, "cautious": 0}
    for at in range(number):
        kinds = rng.choice(CELLS), rng.choice(CELLS)
        source = Writer(rng).program(f"program{at}")
        where = f"seed {seed}, program {at}, cells {kinds}:\n{source}\n"
        spaces = {"math": math, "np": np, "__name__": "torture"}
        exec(source, spaces)
        plain = spaces[f"program{at}"]
        tests = {**spaces, "fits": fits}
        exec(traced(source), tests)
        tested = tests[f"program{at}"]
        examples = list(inputs(rng, kinds))
        entries = []
        for checked in (False, True):
            try:
                entry = entry_of(native_function(plain, {}, f"torture{seed}_{checked}", pipeline_of_rules(checked)))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    entry.compile(tuple(map(entry.typeof_pyval, examples[0])))
                entries.append(entry)
            except Exception as error:
                assert not isinstance(error, (AssertionError, KeyError, AttributeError, IndexError)), where + repr(error)
                assert reason_of(error), where
                break
        if len(entries) < 2:
            tally["refused"] += 1
            continue
        fast, safe = entries
        for arguments in examples:
            wanted, outgrown = answer(plain, arguments), isinstance(answer(tested, arguments), Outgrown)
            found = answer(safe, arguments)
            told = f"{where}arguments {arguments}\ninterpreted {wanted!r}\nchecked {found!r}"
            if isinstance(found, Exception):  # plain rules might read and write anywhere
                assert isinstance(found, (RulesError, IndexError)), told
                is_clear = outgrown or isinstance(wanted, Exception)
                tally["raised" if is_clear else "cautious"] += 1
                continue
            assert not isinstance(wanted, Exception) and same(wanted, found), told
            found = answer(fast, arguments)
            assert not isinstance(found, Exception) and same(wanted, found), f"{told}\ncompiled {found!r}"
            tally["equal"] += 1
    return tally
