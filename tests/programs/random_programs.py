"""Random functions of three ints and a tuple, or of other inputs: compiled and interpreted, they are equal."""

import functools
import importlib.util
import math
import random
import re
import sys
import warnings

import numba
import numpy as np
from numba import njit

from outplay.compile.native.game_type import PIPELINE, pipeline_of_rules
from outplay.compile.native.internals.quick_compilation import compiled_as_whole
from outplay.compile.native.reasons import reason
from outplay.compile.native.rules import native_function

TOGETHER = 12
"""Programs that are compiled as one function."""


class TemplateWriter:
    """Writes from `templates`: texts by kind, in which a kind in angle brackets stands for any text of that kind."""

    templates: dict[str, tuple[str, ...]]
    loop_end: tuple[str, ...] = ()
    """Written at the end of the body of each loop."""
    while_end: tuple[str, ...] = ()
    """Written at the end of the body of each `while`, so that it ends."""

    def __init__(self, rng):
        self.rng = rng
        self.names = ["a", "b", "c", "total", "t[1]", "0", "1", "2", "3", "-1"]

    def write(self, kind, depth=0):
        """A text of this kind."""
        raise NotImplementedError

    def filled(self, text, depth):
        """This text with texts in place of the kinds in angle brackets."""
        return re.sub("<([a-z]+)>", lambda found: self.write(found[1], depth), text)

    def lines(self, depth=0):
        """A statement."""
        if depth > 1 or self.rng.random() < 0.8:
            return [*self.write("statement").split("\n"), "total %= 1000"]
        name = f"i{len(self.names)}"
        head = self.filled(self.rng.choice(self.templates["loop"]).replace("<name>", name), 1)
        self.names.append(name if head.startswith("for") else "7")
        body = [line for _ in range(2) for line in self.lines(depth + 1)]
        self.names[-1] = "7"
        body += [*self.loop_end, *(self.while_end if head.startswith("while") else ())]
        return [head, *(f"    {line}" for line in body)]


def function_text(name, *parts):
    """The source of a function of three ints and a tuple, of these lists of lines."""
    return "\n".join([f"def {name}(a, b, c, t):", *(f"    {line}" for part in parts for line in part)])


def functions_of(sources, folder, name, head):
    """The functions of these sources, `program0` and so on, of a module in a file."""
    path = folder / f"{name}.py"
    path.write_text("\n\n\n".join([head, *sources]) + "\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return [getattr(module, f"program{at}") for at in range(len(sources))]


def compiled(functions, example, mark, checked=False):
    """One compiled function that runs function number `which`; the numbers that it has; and why it lacks others."""
    typed = tuple(map(numba.typeof, example))
    parameters = ", ".join(f"p{place}" for place in range(len(typed)))
    names, steps, refused = {"__name__": "outplay.tests"}, [], {}
    with compiled_as_whole(njit(_nothing, **PIPELINE)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, function in enumerate(functions):
            native = native_function(function, {}, f"{mark}_{number}", pipeline_of_rules(checked))
            try:
                native.compile(typed)
            except Exception as error:
                refused[number] = reason(str(error)).what
                continue
            names[f"f{number}"] = native
            steps.append(f"    if which == {number}: found[0] = f{number}({parameters})")
    source = "\n".join([f"def entry(which, found, {parameters}):", *steps, "    return 0"])
    exec(source, names)
    names["entry"].__qualname__ = f"entry_{mark}"
    entry = njit(names["entry"], **PIPELINE)
    with compiled_as_whole(entry):
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


def interpreted(function, arguments):
    """The same in Python; None if NumPy warns: its ints divided by zero are 0, where compiled code raises an error."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = outcome(function, arguments)
    return None if any(issubclass(each.category, RuntimeWarning) for each in told) else found


INPUTS = [
    (2, 3, 1, (1, 2, 0, 5)),
    (0, 0, 0, (0, 0, 0, 0)),
    (-1, 7, 2, (3, -2, 3, 1)),
    (5, 1, -4, (9, 8, 7, -6)),
]


def compare(sources, folder, name, head, checked=False):
    """Compare both speeds; why functions did not compile, by number, and how many answers were equal."""
    name = f"{name}_{checked}"
    functions = functions_of(sources, folder, name, head)
    entry, refused = compiled(functions, INPUTS[0], name, checked)
    equal = 0
    for number, function in enumerate(functions):
        for arguments in () if number in refused else INPUTS:
            wanted = interpreted(function, arguments)
            if wanted is None:
                continue
            found = np.full(1, math.nan)
            answer = outcome(functools.partial(entry, number, found), arguments)
            told = f"{sources[number]}\n{arguments}: {found[0]} or {answer}, interpreted {wanted}"
            if isinstance(wanted, type):
                assert isinstance(answer, type), told
            elif abs(wanted) < 2**53:
                assert (answer, found[0]) == (0, wanted), told
                equal += 1
    return refused, equal


def try_programs(writer, head, name, seed, number, folder, checked=False):
    """What `writer(rng)` wrote but did not compile, with the reasons; and how many answers were equal."""
    rng = random.Random(seed)
    reasons, equal = [], 0
    for start in range(0, number, TOGETHER):
        sources = [writer(rng).program(f"program{at}") for at in range(min(TOGETHER, number - start))]
        refused, found = compare(sources, folder, f"{name}_{seed}_{start}", head, checked)
        reasons += [(sources[at], reason) for at, reason in refused.items()]
        equal += found
    return reasons, equal
