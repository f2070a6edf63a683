"""What rules leave to Numba computes what Python does: each entry of `semantics/left_to_numba.py`, on edge values."""

import copy
import importlib.util
import itertools
import math
import random
import struct
import sys
import warnings

import numba
import numpy as np
import pytest
from numba import njit
from shared import rows

from outplay.compile.native.game_type import PIPELINE, load_extensions, pipeline_of_rules
from outplay.compile.native.internals.quick_compilation import compiled_as_whole
from outplay.compile.native.reasons import reason
from outplay.compile.native.rules import native_function

pytestmark = pytest.mark.compiled

load_extensions()
from outplay.compile.native.semantics.left_to_numba import ATTRIBUTES, FUNCTIONS, METHODS, OPERATORS  # noqa: E402

PARAMETERS = "i, j, x, y, p, s, t, v, w, a, b"
"""Two ints, two floats, a bool, two texts, and arrays: int8 [n], float64 [n, k], and int64 for the lists l and m."""
TINY, HUGE = 5e-324, 1e308
INTS = (
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    -9,
    31,
    64,
    127,
    128,
    -128,
    255,
    256,
    2**31,
    2**53,
    2**53 + 1,
    2**62,
    2**63 - 1,
    -(2**62),
)
FLOATS = (
    *(
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        2.675,
        0.1,
        -7.25,
        1e-5,
        TINY,
        -TINY,
        HUGE,
        -HUGE,
        math.inf,
        -math.inf,
    ),
    *(math.nan, 2.0**52, 2.0**53, 2.0**63, 709.9, 710.0, -745.2),
)
TEXTS = (
    *(
        "",
        "a",
        "A",
        "aB",
        "abab",
        "banana",
        " a b ",
        "\t\n",
        "a\nb\r\nc\x0bd\x1ce\u2028f",
        "a,b,,c",
        ",",
        "-5",
        "+07",
        "x_1",
    ),
    *(
        "ß",
        "ŉ",
        "é",
        "e\u0301",
        "\u0301",
        "𝔘𝔫",
        "\U0001f600a",
        "İ",
        "ı",
        "ΑΣ",
        "ς",
        "ǅ",
        "ﬁ",
        "²",
        "½",
        "٣",
        "Ⅷ",
        "x\u00a0y\u2003",
    ),
)
LISTS = ([], [0], [1, 1], [3, -1, 2], [5, 5, 5, 0], [2**62, -(2**62)], [7, 3, 7, 1, 0, -2, 9, 127, 64, 2])
CELLS = ([0], [127, -128], [-1, 0, 1], [5, 5, -128, 127, 3])
REALS = (
    np.zeros((1, 1)),
    np.array([[math.nan, -0.0, 1.5]]),
    np.array([[math.inf, -1.0], [TINY, HUGE]]),
    np.ones((2, 3)),
)


def inputs():
    """Arguments: each edge value at least once, beside random others."""
    rng = random.Random(5)
    pairs = [(a, b) for values in (INTS, FLOATS, TEXTS) for a in values for b in values]
    for one, other in rng.sample(pairs, 500):
        i, j = (one, other) if type(one) is int else (rng.choice(INTS[:15]), rng.choice(INTS[:8]))
        x, y = (one, other) if type(one) is float else (rng.choice(FLOATS), rng.uniform(-5, 5))
        s, t = (one, other) if type(one) is str else (rng.choice(TEXTS), rng.choice(TEXTS[:6]))
        lists = (np.array(rng.choice(LISTS), np.int64) for _ in range(2))
        yield i, j, x, y, rng.random() < 0.5, s, t, np.array(rng.choice(CELLS), np.int8), rng.choice(REALS), *lists


VALUES = {
    "int": ("i", "j"),
    "float": ("x", "y"),
    "bool": ("p", "i > 0"),
    "cell": ("v[0]", "v[-1]"),
    "str": ("s", "t"),
    "list": ("l", "m"),
    "tuple": ("(i, j, 3)", "(j, 1, i)"),
    "array": ("v", "w"),
    "range": ("range(i % 9 - 3, j % 7)", "range(j % 5, -3, -2)"),
    "dict": ("{i: 1, j: 2}", "{j: 2, 5: 3}"),
    "set": ("{i, j, 4}", "{j, 4, 7}"),
    "iterator": ("iter(l)", "iter(m)"),
    "None": ("(i, i) if i > 0 else None", "(l if p else None), (i if p else None)"),
}
"""Two values of each kind."""

FORMS = {
    "all": "all({0})",
    "any": "any({0})",
    "bool": "bool({0})",
    "chr": "chr({0} % 70_000)",
    "dict": "found = dict()\nfound[i] = j\nreturn found[i], len(found)",
    "enumerate": "[row for row in enumerate({0}, 2)]",
    "filter": "list(filter(lambda k: k > 1, {0}))",
    "iter": "[each for each in iter({0})]",
    "list": "list({0})",
    "map": "list(map(lambda k: k // 2, {0}))",
    **{
        f"heapq.{name}": f"k = l[:]\nheapq.heapify(k)\nreturn heapq.{name}(k, i), k"
        for name in ("heappush", "heappushpop", "heapreplace")
    },
    "heapq.heapify": "heapq.heapify(l)\nreturn l",
    "heapq.heappop": "heapq.heapify(l)\nreturn heapq.heappop(l), l",
    "next": "for last in l:\n    return next({0})\nreturn -9",
    "ord": "ord({0}[-1:])",
    "range": "k = {0}\nreturn [n for n in range(k % 30 - 2)], [n for n in range(-2, k % 7, 2)]",
    "set": "sorted(set({0}))",
    "slice": "l[slice({0}, None)]",
    "zip": "[row for row in zip({0}, {1})]",
    "math.copysign": "math.copysign({0}, {1})",
    "math.nextafter": "math.nextafter({0}, {1})",
    "max": "max({0}, {1})",
    "min": "min({0}, {1})",
}
"""What is tried of a function, `f({0})` if it is not here; {0} and {1} are values of a kind."""
OTHER_FORMS = {
    **{
        (name, kind): f"{name}({{0}})"
        for name in ("min", "max")
        for kind in ("list", "tuple", "array", "set", "range", "iterator")
    },
    ("enumerate", "int"): "[row for row in enumerate(l, {0} % 2**60)]",
    ("filter", "function"): "list(filter(lambda k: k % 2 == 0, l))",
    ("map", "function"): "list(map(lambda k: k - 1, l))",
    ("set", "str"): "sorted(set(s))",
    ("float", "literal"): "float('-inf') + x, float('0.1'), float('nan')",
    **{
        (f"heapq.{name}", "tuple"): f"k = [(3, 1), (1, i), (j, 2)]\nheapq.heapify(k)\nreturn heapq.{name}(k, (j, i)), k"
        for name in ("heappush", "heappushpop", "heapreplace")
    },
    **{
        (f"heapq.{name}", "float"): f"k = [x, y, 0.5]\nheapq.heapify(k)\nreturn heapq.{name}(k, y), k"
        for name in ("heappush", "heappushpop", "heapreplace")
    },
    ("slice", "None"): "l[slice(None, None)]",
    ("slice", "cell"): "l[slice(v[0], v[-1])]",
    ("slice", "bool"): "l[slice(p, None)]",
    ("len", "array"): "len(v), len(w)",
    ("list", "dict"): "list({0})",
    ("array", "array"): "",
}
"""The same for single kinds."""

METHOD_FORMS = {
    "array.all": "v.all(), w.all()",
    "array.any": "v.any(), w.any()",
    "array.argmax": "v.argmax(), w.argmax()",
    "array.argmin": "v.argmin(), w.argmin()",
    "array.astype": "v.astype(np.int64), v.astype(np.float64), v.astype(np.int16)",
    "array.copy": "v.copy()[::-1], w.copy()",
    "array.fill": "v.fill(j % 5)\nreturn v",
    "array.flatten": "w.flatten()",
    "array.max": "v.max(), int(v.max()) + int(v.max()), w.max()",
    "array.min": "v.min() + v.min(), w.min()",
    "array.nonzero": "v.nonzero()[0], w.nonzero()[1]",
    "array.ravel": "w.ravel()",
    "array.reshape": "v.reshape((1, len(v))), w.reshape(w.size)",
    "array.sort": "v.sort()\nreturn v",
    "array.transpose": "w.transpose()",
    "array.view": "v.view(np.uint8)",
    **{
        f"array of ints.{name}": f"v.{name}(), a.{name}(), (v > 0).{name}()"
        for name in ("cumprod", "cumsum", "prod", "sum")
    },
    "dict.__setitem__": "d = {k: k % 7 for k in l}\nreturn list(d.items())",
    "dict.clear": "d = {0}\nd.clear()\nreturn len(d)",
    "dict.copy": "d = {0}\ne = d.copy()\ne[99] = 1\nreturn list(d), list(e)",
    "dict.get": "{0}.get(i, 7), {0}.get(98, j)",
    "dict.items": "[row for row in {0}.items()]",
    "dict.keys": "list({0}.keys())",
    "dict.pop": "d = {0}\nk = d.pop(i)\nreturn k, list(d), d.pop(98, 5)",
    "dict.popitem": "d = {0}\nk = d.popitem()\nreturn k, list(d)",
    "dict.setdefault": "d = {0}\nk = d.setdefault(i, 9), d.setdefault(98, 9)\nreturn k, list(d.items())",
    "dict.update": "d = {0}\nd.update({1})\nreturn list(d.items())",
    "dict.values": "list({0}.values())",
    "list.append": "l.append(i)\nreturn l",
    "list.clear": "l.clear()\nreturn l",
    "list.copy": "k = l.copy()\nk.append(i)\nreturn l, k",
    "list.count": "l.count(5), l.count(i)",
    "list.extend": "l.extend(m)\nl.extend((i, j))\nl.extend(range(3))\nreturn l",
    "list.index": "l.index(7 if p else 5)",
    "list.insert": "l.insert(i % 20 - 10, j)\nl.insert(i, j)\nreturn l",
    "list.pop": "k = l.pop()\nreturn k, l, l.pop(i % 4 - 2), l",
    "list.remove": "l.remove(7 if p else 1)\nreturn l",
    "list.reverse": "l.reverse()\nreturn l",
    "set.add": "g = {0}\ng.add(6)\nreturn sorted(g)",
    "set.clear": "g = {0}\ng.clear()\nreturn len(g)",
    "set.copy": "g = {0}\nh = g.copy()\nh.add(99)\nreturn sorted(g), sorted(h)",
    "set.discard": "g = {0}\ng.discard(i)\ng.discard(98)\nreturn sorted(g)",
    "set.remove": "g = {0}\ng.remove(j)\nreturn sorted(g), g.remove(4)",
    "set.update": "g = {0}\ng.update({1})\nreturn sorted(g)",
    "tuple.index": "{0}.index(j)",
    **{f"str.{name}": f"s.{name}(i % 12 - 3)" for name in ("zfill", "expandtabs")},
    **{f"str.{name}": f"s.{name}(i % 12 - 3), s.{name}(i % 9, '*')" for name in ("center", "ljust", "rjust")},
    **{
        f"str.{name}": f"s.{name}(t), s.{name}(t, i % 8 - 4), s.{name}(t, i % 8 - 4, j % 9 - 3)"
        for name in ("count", "find", "rfind", "startswith", "endswith")
    },
    **{f"str.{name}": f"s.{name}(t) if p else s.{name}(t, i % 8 - 4)" for name in ("index", "rindex")},
    **{f"str.{name}": f"s.{name}(t)" for name in ("partition", "rpartition")},
    **{f"str.{name}": f"s.{name}(), s.{name}(t)" for name in ("lstrip", "rstrip", "strip")},
    "str.join": "s.join([t, s, 'b']), s.join([t]), s.join(t)",
    "str.split/1": "s.split() if p else s.split(t)",
    "str.splitlines": "s.splitlines(), s.splitlines(True)",
}
"""What is tried of a method, `s.method()` of a text if it is not here."""

OPERATOR_FORMS = {
    "add": "{0} + {1}",
    "contains": "3 in {0}, i in {0}, i not in {0}",
    "delitem": "d = {0}\ndel d[i]\nreturn d",
    "eq": "{0} == {1}, {0} == {0}",
    "ne": "{0} != {1}, {0} != {0}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "gt": "{0} > {1}",
    "ge": "{0} >= {1}, {0} >= {0}",
    "getitem": "{0}[i % 5 - 3]",
    "getiter": "[each for each in {0}]",
    "iadd": "k = {0}\nk += {1}\nreturn k",
    "imul": "k = {0}\nk *= i % 4 - 1\nreturn k",
    "mul": "{0} * (i % 4 - 1), (i % 4 - 1) * {0}",
    "not_": "not {0}",
    "setitem": "d = {0}\nd[i % 4 - 2] = 9\nreturn d",
    ("contains", "str"): "t in s, t not in s",
    ("contains", "dict"): "3 in {0}, i in {0}, 99 in {0}",
    ("contains", "tuple"): "3 in {0}, j + 1 in {0}",
    ("delitem", "dict"): "d = {0}\ndel d[i]\nreturn list(d.items())",
    ("delitem", "list"): "del l[j % 5 - 3]\nreturn l",
    ("getitem", "dict"): "{0}[j]",
    ("getitem", "tuple"): "{0}[j % 3], {0}[-1]",
    ("getitem", "list"): "l[i % 5:], l[:j % 5 - 3], l[::-1], l[i % 12 - 6:j % 12 - 5:2], l[j % 3 - 1]",
    ("getitem", "str"): "s[i % 5:], s[:j % 5 - 3], s[::-1], s[i % 12 - 6:j % 12 - 5:2], s[j % 3 - 1]",
    ("getitem", "array"): "v[i % 5:], v[::-1], w[0, 0], w[0], v[v > 0]",
    ("getitem", "range"): "{0}[j % 5 - 3]",
    ("getiter", "array"): "[each for each in v]",
    ("imul", "int"): "l *= i % 4 - 1\nreturn l",
    ("mul", "int"): "(j % 3) * l",
    ("setitem", "array"): "v[0] = 5\nw[0, :] = 2.0\nv[1:] = 3\nreturn v, w",
    ("setitem", "dict"): "d = {0}\nd[i] = 9\nreturn list(d.items())",
    ("setitem", "list"): "l[j % 5 - 3] = 9\nreturn l",
    ("eq", "None"): "o, n, k = {0}, {1}\nreturn o == None, None == o, n == None, k == None, i == None",
    ("ne", "None"): "o, n, k = {0}, {1}\nreturn o != None, None != o, n != None, k != None, x != None",
    ("eq", "bool"): "p == (i > 0)",
    ("ne", "bool"): "p != (i > 0)",
    ("getiter", "dict"): "[each for each in {0}], [row for row in {0}.items()]",
}
"""What is tried of an operator, by its name or its name and the kind of the operands."""


def programs():
    """The body of a program for each entry of the tables and each kind that it lists."""
    for name, kinds in FUNCTIONS.items():
        for kind in kinds.split() or [""]:
            form = OTHER_FORMS.get((name, kind)) or FORMS.get(name, f"{name}({{0}})")
            yield f"{name} of {kind}", form.format(*VALUES.get(kind, ("", "")))
    for owner, names in METHODS.items():
        for name in names.split():
            form = METHOD_FORMS.get(f"{owner}.{name}") or (f"s.{name}()" if owner == "str" else "")
            one, other = VALUES.get(owner, ("", ""))
            yield f"{owner}.{name}", form.replace("{0}", one).replace("{1}", other)
    for owner, names in ATTRIBUTES.items():
        for name in names.split():
            value = "[each for each in w.flat]" if name == "flat" else f"{VALUES[owner][0]}.{name}"
            yield f"{owner}.{name}", f"{value}, w.{name}" if owner == "array" and name != "flat" else value
    for name, kinds in OPERATORS.items():
        for kind in kinds.split():
            form = OPERATOR_FORMS.get((name, kind)) or OPERATOR_FORMS[name]
            yield f"{name} of {kind}", form.replace("{0}", VALUES[kind][0]).replace("{1}", VALUES[kind][1])


PROGRAMS = dict(programs())


def function_of(body, name, folder, head="import heapq\nimport math\n\nimport numpy as np"):
    """A function of the parameters with this body, of a module in a file."""
    *lines, last = ["l, m = a.tolist(), b.tolist()", *body.split("\n")]
    last = last if "return" in last else f"return {last}"
    text = "\n".join(f"    {line}" for line in [*lines, last])
    path = folder / f"{name}.py"
    path.write_text(f"{head}\n\n\ndef tried({PARAMETERS}):\n{text}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.tried


_number = itertools.count()


def compiled(function, checked=False):
    """The function as rules compile it."""
    typed = tuple(map(numba.typeof, next(inputs())))
    mark = f"allowed_{next(_number)}"
    native = native_function(function, {}, mark, pipeline_of_rules(checked))
    names = {"__name__": "outplay.tests", "native": native}
    exec(f"def entry({PARAMETERS}): return native({PARAMETERS})", names)
    names["entry"].__qualname__ = mark
    entry = njit(names["entry"], **PIPELINE)
    with warnings.catch_warnings(), compiled_as_whole(entry):
        warnings.simplefilter("ignore")
        entry.compile(typed)
    return entry


def bits(value):
    """The value with its type, in which -0.0 and 0.0 differ, and NaN is equal to NaN."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, bits(value.ravel().tolist())
    if isinstance(value, list | tuple):
        return type(value).__name__, [bits(each) for each in value]
    if isinstance(value, float | np.floating):
        return "float", "nan" if math.isnan(value) else struct.pack("d", value)
    if isinstance(value, bool | np.bool_):
        return "bool", bool(value)
    return ("int", int(value)) if isinstance(value, int | np.integer) else value


def answer(function, arguments):
    """What it answers, or that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bits(function(*copy.deepcopy(arguments)))
        except Exception as error:
            return "raises", repr(error)


def compare(body, folder, reals=None):
    """Compare a program at both speeds on all inputs, or with these arrays of floats."""
    function = function_of(body, f"allowed_{next(_number)}", folder)
    entry = compiled(function)
    for row, real in zip(inputs(), itertools.cycle(reals or [None]), strict=False):
        arguments = row if real is None else (*row[:8], real, *row[9:])
        wanted, found = answer(function, arguments), answer(entry, arguments)
        told = f"{body}\n{arguments}\ncompiled {found}\ninterpreted {wanted}"
        assert found == wanted or (found[0] == wanted[0] == "raises"), told


@pytest.mark.sample(6)
@pytest.mark.parametrize("body", rows({name: (body,) for name, body in PROGRAMS.items()}))
def test_what_is_allowed_equals_python(body, tmp_path):
    compare(body, tmp_path)


def test_the_lists_name_nothing_twice():
    for table in (FUNCTIONS, METHODS, ATTRIBUTES, OPERATORS):
        for words in map(str.split, table.values()):
            assert len(words) == len(set(words))


REFUSED = {
    "bytes": "len(v.tobytes())",
    "loop over bytes": "[k for k in v.tobytes()]",
    "round with digits": "round(x, 2)",
    "round of an int with digits": "round(i, -1)",
    "keys that are floats": "k = {x: 1, -0.0: 2}\nreturn len(k)",
    "comprehension with floats as keys": "k = {each: 1 for each in w[0]}\nreturn len(k)",
    "set of floats": "len({x, y})",
    "set of a list of floats": "len(set([x, y]))",
    "set of pairs with floats": "(x, 1) in {(y, 1), (x, 2)}",
    "gamma": "math.gamma(x)",
    "lgamma": "math.lgamma(x)",
    "hypot": "math.hypot(x, y)",
    "fmod": "math.fmod(x, y)",
    "ldexp": "math.ldexp(x, i)",
    "exp2": "math.exp2(x)",
    "type": "type(i) is int",
    "repr": "repr(s)",
    "float of a text": "float(s)",
    "split with a number": "s.split(t, 1)",
    "rsplit": "s.rsplit(t)",
    "sum of floats": "w.sum()",
    "mean": "v.mean()",
    "standard deviation": "w.std()",
    "dot product": "w[0].dot(w[0])",
    "range of a cell": "[k for k in range(v[0])]",
    "identity of texts": "s is t",
    "complex number": "(i + 1j) * (j + 2j)",
    "real part": "i.real",
    "print": "print(i)",
    "item of uint64": "v.astype(np.uint64).item(0)",
    "list of uint64": "v.astype(np.uint64).tolist()",
    "greatest of a set of pairs with floats": "max({(i, (x, 1)) for k in l})",
}


@pytest.mark.parametrize("body", rows({name: (body,) for name, body in REFUSED.items()}))
def test_what_differs_from_python_is_refused_with_a_remedy(body, tmp_path):
    function = function_of(body, f"allowed_{next(_number)}", tmp_path)
    with pytest.raises(numba.core.errors.NumbaError) as error:
        compiled(function)
    found = reason(str(error.value))
    assert found.what
    assert found.remedy


DOORS = (
    *(
        "u.tolist()",
        "sum(u.tolist())",
        "max(u.tolist()) * 3",
        "[k + k for k in u.tolist()]",
        "sorted(u.tolist())[0] * 3",
    ),
    *(
        "u.item(0) + u.item(-1)",
        "u[:1].item() + u[:1].item()",
        "u[0].item() * 3",
        "u.reshape((1, len(u))).tolist()[0][0] * 3",
    ),
    *(
        "u.reshape((len(u), 1)).item(0) + 100",
        "[*u.tolist()][0] * 3",
        "int(u[0]) + int(u[0])",
        "float(u[0]) / 3",
        "round(u[0]) + 100",
    ),
    *("[k + k for k in u.flat]", "[k + k for k in u]", "u[0] + u[0]", "u.max() + u.max()", "[k * 2 for k in list(u)]"),
    *("divmod(u[0].item(), 3)", "u[0].item() * 5 // 3", "abs(u[0].item())", "1 in u.tolist()", "u.tolist().count(1)"),
)
"""Ways in which a number leaves an array."""


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "bool_"])
def test_a_number_that_leaves_its_array_has_the_bits_of_python(kind, tmp_path):
    refused = {
        "bool_": ("u[0] +", "round(u", "item() +", "item(0) +", "max() +", "k + k", "k * 2"),
        "float32": ("k * 2", "divmod"),
    }
    doors = [door for door in DOORS if not any(part in door for part in refused.get(kind, ()))]
    source = "(w[0] / 3)" if kind == "float32" else "(v * 77)"
    body = f"u = {source}.astype(np.{kind})\nreturn {', '.join(doors)}"
    compare(body, tmp_path, REALS[3:] if kind == "float32" else None)


WITH_NAN = (
    *(
        "[x, y] == [y, x]",
        "[x, y] != [x, 1.0]",
        "(x, i) == (y, i)",
        "(x, 1) < (y, 2)",
        "(x, y) >= (x, 1.0)",
        "x in (x, y)",
    ),
    *(
        "x in [x, y]",
        "x not in [y, 0.5]",
        "[x, y].count(x)",
        "(x, y, x).count(x)",
        "[y, x].index(x)",
        "(y, x).index(x)",
    ),
    *("(x, i) in [(y, j), (x, i)]", "tuple([x, y]) == tuple([y, x])", "tuple([x, y]).count(x)", "sorted([x, y, 0.5])"),
    *(
        "sorted([(x, 1), (y, 0), (x, 0)])",
        "max((x, 0), (y, 1))",
        "k = [y, x, 1.0]\nk.remove(x)\nreturn k",
        "min(x, y), max(x, y)",
        "max([(x, 1), (y, 2), (x, 3)])",
        "min([(x, 1), (y, 2), (x, 3)])",
    ),
    *("{(i, j): x}[(i, j)]", "sorted([1, 2, 3], key=lambda k: k * x)", "x in (0.0, 1.5)", "[x] == [x, y]"),
)
"""Operations in which two NaN may meet, which are one object or two."""


@pytest.mark.sample(2)
@pytest.mark.parametrize("body", WITH_NAN)
def test_where_two_nan_meet_compiled_rules_raise(body, tmp_path):
    function = function_of(body, f"allowed_{next(_number)}", tmp_path)
    entry, first = compiled(function), next(inputs())
    for x, y in itertools.product(FLOATS, FLOATS):
        arguments = (*first[:2], x, y, *first[4:])
        wanted, found = answer(function, arguments), answer(entry, arguments)
        if found != wanted:
            assert found[0] == "raises", (arguments, found, wanted)
            assert wanted[0] == "raises" or "NaN" in found[1], (arguments, found, wanted)
            assert wanted[0] == "raises" or math.isnan(x) or math.isnan(y), (arguments, found, wanted)


def test_powers_are_those_of_the_c_library(tmp_path):
    body = "x ** 2, x ** -1, x ** 0.5, pow(x, 7), pow(x, 3), math.pow(x, 2), 2.0 ** x, pow(i, 3), abs(x) ** y"
    function = function_of(body, f"allowed_{next(_number)}", tmp_path)
    entry, rng, first = compiled(function), random.Random(7), next(inputs())
    for _ in range(20_000):
        arguments = (rng.randint(0, 1000), 3, rng.uniform(0.5, 20), rng.uniform(-3, 3), *first[4:])
        assert answer(entry, arguments) == answer(function, arguments), arguments


@pytest.mark.parametrize("constant", ["[x, 1.0]", "(1.0, [x])", "{1: x}", "{x, 1.0}", "[(1, x)]"])
def test_a_constant_with_nan_is_refused(constant, tmp_path):
    head = f"import math\n\nx = math.nan\nCONSTANT = {constant}"
    function = function_of("len(CONSTANT)", f"allowed_{next(_number)}", tmp_path, head)
    with pytest.raises(numba.core.errors.NumbaError, match="a constant with nan in it"):
        compiled(function)
