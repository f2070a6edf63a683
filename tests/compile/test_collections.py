"""Sets, dicts and containers of the module `collections` in rules: both speeds are equal, or the rules run interpreted."""

# ruff: noqa: E501 - programs are written as they are

import pytest
from programs.collection_cases import AWKWARD, COMPILED, INTERPRETED
from programs.random_programs import INPUTS, TemplateWriter, compare, function_text, try_programs
from programs.two_speeds import both, load
from shared import rows

pytestmark = pytest.mark.compiled

HEAD = """\
import collections, copy, dataclasses
from bisect import bisect, bisect_left, bisect_right, insort
from collections import Counter, defaultdict, deque

CORNERS = {1, 4, 9}
WORTH = {1: 3, 2: 5}


def passed_on(values):
    return values


def items_of(values):
    return set(values)


def none_if_odd(x):
    return None if x % 2 else x
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "text"), rows({name: (name, text) for name, text in COMPILED.items()}))
def test_both_speeds_are_equal(name, text, tmp_path):
    compiled, found, expected = both(load(name, text, tmp_path))
    assert compiled
    assert found == expected


def test_a_dict_that_changes_in_a_loop_is_an_error_at_both_speeds(tmp_path):
    loops = {"y in d": "d[y + 7] = 3", "y in d.values()": "d.pop(0)", "x, y in d.items()": "d[y + 7] = 3"}
    sources = [
        f"def program{at}(a, b, c, t):\n    d = {{0: 1, 1: 2}}\n    for {loop}:\n        {change}\n    return len(d)"
        for at, (loop, change) in enumerate(loops.items())
    ]
    assert compare(sources, tmp_path, "changing", HEAD) == ({}, 0)


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "text"), rows({name: (name, text) for name, text in INTERPRETED.items()}))
def test_what_would_differ_runs_interpreted(name, text, tmp_path):
    compiled, found, expected = both(load(name, text, tmp_path))
    assert not compiled
    assert found == expected


# -- functions of ints -------------------------------------------------------------------------------------------------


TEMPLATES = {
    "int": (
        "(<int> + <int>)", "(<int> - <int>)", "<int> % 5", "<int> * 3 % 11", "len(q)", "q[<int> % 3]", "d[<int>]", "len(d)",
        "n[<int>]", "n.get(<int>, <int>)", "sum(n.values())", "len(n)", "len(g[<int> % 3])", "sum(g[<int> % 2])", "len(g)",
        "len(k[<int> % 3])", "(<int> in k[1])", "(<int> in q)", "(<int> in s)", "(<int> in f)", "(<int> in d)", "sum(s)",
        "sum(sorted(f))", "max(q, default=0)", "max(s, default=1)", "len(<set>)", "int(<test>)", "len(<set> | <set>)",
        "max(n, key=n.get, default=2)", "max(d, key=d.get, default=5)", "len(m)", "m.get(<int>, <int>)", "(1 if q else <int>)",
        "sum(<dict>.values())", "sum([x * 3 + y for x, y in enumerate(<dict>)])", "bisect(sorted(t), <int>)",
        "bisect_left(sorted(t), <int>)", "pow(<int>, 5, 97)", "Counter(t)[<int>]", "range(2, 30, 3)[<int> % 4]",
        "sum([x * 3 + y * w for w, (x, y) in enumerate(n.most_common())])", "sum([x + y for x, y in n.most_common(2)])",
        "sum([x * y for x, y in <dict>.items()])", "max(m.values())", "min(m)", "max(u)", "len(list(dict.fromkeys(t)))",
        "sum([x * y for x, y in enumerate(m.values())])", "sum([x * y for x, y in zip(m, t)])", "d.pop(<int>, <int>)", "(3 if <test> else <int>)",
        "sum(sorted(items_of(t)))", "sorted(items_of(t), key=lambda x: (x % 3, x))[0]", "len([] + [<int>])", "sum(e)", "len(h)",
        "sorted(x * 2 for x in items_of(t))[0]", "sum([len(row) for row in rows])", "len(rows[<int> % 2])",
        "len(u[<int> % 2])", "sum([len(x) for x in u.values()])", "sum(u.get(<int>, [1, 2]))", "sum(w[<int> % 2])", "len(w)",
        "sum([x * len(y) for x, y in w.items()])", "sum({x: y[:] for x, y in u.items()}[<int> % 2])", "u[0][-1]", "len(w[1])",
        "sum([x * sum(y) for x, y in u.items()])", "len(copy.deepcopy(u)[1])", "u[<int> % 2][0]", "len(u.pop(<int>, [1]))",
        "len(g.pop(<int>, []))", "sum(g.get(<int>, [5]))", "sum([len(x) for x in g.values()])", "len(dict(g))", "len(k.pop(<int>, {3}))",
        "len(passed_on(v))", "sum(v.get(<int>, []))", "len(v.setdefault(<int>, []))", "sum([x * sum(y) for x, y in passed_on(v).items()])",
        "len(o[<int> % 2])", "sum(o[<int>].values())", "o[<int> % 2].get(<int>, 3)", "sum([x * len(y) for x, y in o.items()])",
        "max(g, key=lambda x: (len(g[x]), x), default=2)", "sum([len(k[x]) for x in sorted(k)])", "sum(dict(g).get(<int>, []))",
    ),
    "set": (
        "s", "f", "{<int>}", "{1, 2}", "{<int>, 4}", "set(t)", "(<set> | <set>)", "(<set> & <set>)", "(<set> - <set>)",
        "(<set> ^ <set>)", "(<set> | CORNERS)", "(<set> - CORNERS)", "(<set> & CORNERS)", "<set>.union(<set>, t)",
        "<set>.difference(<set>)", "<set>.intersection(CORNERS)", "frozenset(<set>)", "{x % 5 for x in s}", "set(<set>)",
        "{x % 5 for x in f}", "<set>.symmetric_difference(<set>)", "frozenset([<int>, 2])", "set(x + 1 for x in f)",
        "<set>.copy()", "frozenset()", "set(CORNERS)", "set()", "(set() | <set>)", "h", "items_of(t)",
    ),
    "test": (
        "<set> == <set>", "<set> != CORNERS", "<set> <= <set>", "<set> < <set>", "<set> >= CORNERS", "<set> > <set>",
        "<set>.issubset(<set>)", "<set>.isdisjoint(t)", "<set>.issuperset(<set>)", "not <set>", "not q", "not d", "not m",
        "<int> in q and <int> not in f", "<dict> == <dict>", "<int> in <set>", "<int> in <dict>", "<int> < <int>",
        "none_if_odd(<int>) in <set>", "none_if_odd(<int>) in q", "none_if_odd(<int>) in t", "<int> in w[0]", "<int> in u[1]", "u[0] == u[1]", "w[0] <= w[1]", "not u[0]",
        "u == copy.deepcopy(u)", "u == {0: [a], 1: [b, c]}", "w == {0: {a}, 1: set()}", "<int> in u", "any(<int> in x for x in w.values())",
        "none_if_odd(<int>) in [<int>, none_if_odd(<int>)]", "g == {a: [b]}", "g != dict(g)", "dict(k) == k", "<int> in g", "not k",
        "v == g", "passed_on(v) == dict(v)", "<int> in k[<int> % 3]", "<int> in o[<int> % 2]", "o == {0: {a: b}}", "not g[<int>]", "z == {a: str(<int>)}",
    ),
    "dict": (
        "m", "dict(<dict>)", "{**<dict>, <int>: <int>}", "(<dict> | <dict>)", "(<dict> | WORTH)", "{**m, **<dict>}",
        "{<int>: 1, **<dict>, <int>: <int>, **<dict>}", "dict(zip(t, (a, b, c)))", "dict(d)", "dict(WORTH)", "<dict>.copy()",
        "dict.fromkeys(t, <int>)", "{x: y + 1 for x, y in <dict>.items()}", "{**WORTH, <int>: 2}",
    ),
    "statement": (
        "q.append(<int>)", "q.appendleft(<int>)", "total += q.popleft()", "total += q.pop()", "q.rotate(<int>)", "q[0] = <int>",
        "q.extend([<int>, <int>])", "q = deque(t)", "q = deque(x + <int> for x in t)", "d[<int>] += <int>", "d[<int>] = <int>",
        "d[<int> % 2] -= d[<int>]", "n[<int>] += <int>", "n[<int>] = <int>", "n.update(t)", "n = Counter(t)", "del n[<int>]",
        "g[<int> % 3].append(<int>)", "k[<int> % 3].add(<int>)", "s = set(<set>)", "f = frozenset(<set>)", "f |= <set>",
        "s |= <set>", "s &= <set>", "s -= <set>", "s ^= <set>", "s -= s", "s.add(<int>)", "s.discard(<int>)", "m = <dict>",
        "m |= <dict>", "m[<int>] = <int>", "total += m.pop(<int>, <int>)", "total += m.setdefault(<int>, <int>)", "x = s",
        "f ^= <set>", "m[<int>] = m.get(<int>, 0) + 1", "total += <int>", "total += <int>", "q.clear()", "s.remove(<int>)",
        "e = e + [<int>]", "e += [<int>, <int>]", "h |= <set>", "h = h | {<int>}", "rows[<int> % 2].append(<int>)", "rows[<int> % 2] += [<int>]",
        "y = none_if_odd(<int>)\nif y is not None and y in e:\n    total += y", "y = none_if_odd(<int>)\nassert y is not None\ntotal += y",
        "u[<int> % 2].append(<int>)", "u[<int> % 2] += [<int>]", "u[<int> % 2] = [<int>, <int>]", "total += u[0].pop() if len(u[0]) > 1 else 2",
        "u[<int>] = [<int>]", "u.setdefault(<int>, []).append(<int>)", "u = {x: y[:] for x, y in u.items()}", "u[1].sort()", "u[0].insert(0, <int>)",
        "u = copy.deepcopy(u)", "u[0], u[1] = u[1], u[0]", "u = {x: [z + 1 for z in y] for x, y in u.items()}", "u = dict(u)\nu[<int>] = [<int>]",
        "w[<int> % 2].add(<int>)", "w[<int> % 2] |= <set>", "w[<int> % 2].discard(<int>)", "w[<int> % 2] = {<int>}", "w[<int>] = set(t)",
        "w.setdefault(<int>, set()).add(<int>)", "w = {x: set(y) for x, y in w.items()}", "w = copy.deepcopy(w)", "w[0] = w[0] | w[1]",
        "for y in u.values():\n    y.append(<int>)", "for y in u:\n    u[y].append(<int>)", "for x in w:\n    w[x] = w[x] - {<int>}",
        "u[<int> % 2].remove(u[0][0]) if u[0][0] in u[1] and len(u[1]) > 1 and u[0][0] in u[0] and len(u[0]) > 1 else None",
        "y = <int> % 3\nif y in g:\n    del g[y]", "for y in list(g):\n    if len(g[y]) > 2:\n        del g[y]", "g[<int> % 3] += [<int>]",
        "g[<int>] = [<int>]", "g = defaultdict(list)", "g.clear()", "k[<int> % 3] |= <set>", "k[<int> % 3] = {<int>}", "v = dict(g)", "v = copy.deepcopy(v)",
        "v.setdefault(<int>, []).append(<int>)", "y = v.setdefault(<int> % 3, [])\ny.append(<int>)", "passed_on(v)[<int>] = [<int>]",
        "v = {x: y[:] for x, y in v.items()}", "for y in g.values():\n    y.append(<int>)", "o[<int> % 3][<int>] = <int>", "o.setdefault(<int>, {})[<int>] = 4",
        "g[<int> % 2] = sorted(g[<int> % 2])", "g[<int> % 2].extend(v.get(<int>, []))", "o[<int> % 2] = {<int>: <int>}", "z[<int>] = str(<int>)", "z = {a: str(<int>)}", "del k[<int> % 2]",
        "for y in g:\n    g[y + <int>].append(3)", "y = g[<int> % 2]\ny.append(<int>)", "g[0], g[2] = g[2], g[0]",
        "y = none_if_odd(<int>)\nif y is not None:\n    s.discard(y)", "y = none_if_odd(<int>)\nif y in e:\n    e.remove(y)",
    ),
    "loop": (
        "for <name> in range(b % 4):", "for <name> in t:", "for <name> in q:", "for <name> in sorted(n.values()):", "for <name> in list(d):", "for <name> in dict.fromkeys(t):",
        "for <name> in sorted(s):", "for <name> in sorted(m):", "if <test>:", "if <test> or q:", "while q and total < 500:",
    ),
}  # fmt: skip


class Writer(TemplateWriter):
    """Writes random functions of three ints and a tuple, full of containers."""

    templates = TEMPLATES
    while_end = ("total += q.popleft() + 50",)

    def write(self, kind, depth=0):
        if depth > 2 or (kind == "int" and self.rng.random() < 0.4):
            return self.rng.choice({"int": self.names, "set": "sf", "dict": "m", "test": ["q", "a > b"]}[kind])
        return self.filled(self.rng.choice(TEMPLATES[kind]), depth + 1)

    def program(self, name):
        """Its source: it changes containers, and makes a number of all of them."""
        before = [
            "total = 0", "q = deque([a, b])", "d = defaultdict(int)", "d[a] += 1", "n = Counter()", "n[c] += 2",
            "g = defaultdict(list)", "g[b % 3].append(a)", "k = defaultdict(set)", "k[b % 3].add(c)", "s = {a, 3}",
            "f = frozenset(t)", "m = {a: 1, b: c}", "e: list[int] = []", "h = set()", "rows = [[] for _ in range(2)]",
            "u = {0: [a], 1: [b, c]}", "w = {0: {a}, 1: set()}", "v = {}", "v.setdefault(c, []).append(b)", "o = defaultdict(dict)",
            "o[a % 2][b] = c", "z = {a: str(b)}",
        ]  # fmt: skip
        body = [line for _ in range(self.rng.randint(2, 6)) for line in self.lines()]
        after = [
            "for x in q: total = (total * 3 + x) % 10007",
            "for x, y in d.items(): total = (total * 5 + x * y + x) % 10007",
            "for x, y in n.items(): total = (total * 7 + x * y + x) % 10007",
            "for x, y in g.items(): total = (total * 3 + x * sum(y) + len(y)) % 10007",
            "for x in k: total = (total * 3 + sum(k[x]) + x) % 10007",
            "for x, y in m.items(): total = (total * 7 + x * y + x) % 10007",
            "for x in e: total = (total * 3 + x) % 10007",
            "for x, y in v.items(): total = (total * 3 + x * sum(y) + len(y)) % 10007",
            "for x, y in o.items(): total = (total * 3 + x * sum(y.values()) + sum(y)) % 10007",
            "for x, y in z.items(): total = (total * 3 + x * len(y)) % 10007",
            "total += sum(h) % 1009 + sum([sum(row) for row in rows]) % 1013",
            "for x, y in u.items(): total = (total * 5 + sum([z * (i + 2) for i, z in enumerate(y)]) + len(y) + x) % 10007",
            "for x, y in w.items(): total = (total * 5 + sum(y) + 3 * len(y) + x) % 10007",
            "return total + 10007 * (sum(x * x for x in sorted(s)) % 101 + len(f) * 101)",
        ]
        return function_text(name, before, body, after)


def test_random_programs_are_equal_at_both_speeds(tmp_path):
    reasons, equal = try_programs(Writer, HEAD, "collections", 3, 2, tmp_path)
    assert equal > 2
    assert len(reasons) <= 1


EQUAL_VALUES = (
    ("b", "c"), ("str(b)", "str(c)"), ("(b, 1)", "(c, 1)"), ("(str(b), 1)", "(str(c), 1)"), ("[b]", "[c]"),
    ("{b}", "{c}"), ("{b: 1}", "{c: 1}"), ("{b: str(c)}", "{c: str(b)}"), ("{1: {b}}", "{1: {c}}"), ("[{1: b}]", "[{1: c}]"),
)  # fmt: skip


def test_dicts_are_equal_if_their_values_are(tmp_path):
    """Numba calls texts and dicts different from any value that it has looked up in a dict."""
    sources = [
        f"def program{at}(a, b, c, t):\n    o, p, q = {{a: {one}}}, {{a: {other}}}, {{a: {one}, a + 1: {other}}}\n"
        "    return 1 * (o == p) + 2 * (o != p) + 4 * (o == o) + 8 * (q == o) + 16 * (q == q) + 32 * (o in [q, p])\n"
        for at, (one, other) in enumerate(EQUAL_VALUES)
    ]
    refused, equal = compare(sources, tmp_path, "equal_dicts", HEAD)
    assert (refused, equal) == ({}, len(EQUAL_VALUES) * len(INPUTS))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_random_programs_are_equal_at_both_speeds(seed, tmp_path):
    reasons, equal = try_programs(Writer, HEAD, "collections", seed, 8, tmp_path, bool(seed % 2))
    assert len(reasons) < 8
    assert equal > 3


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(6))
def test_awkward_functions_are_equal_at_both_speeds(part, tmp_path):
    names = list(AWKWARD)[part::6]
    lines = [AWKWARD[name].replace("\n", "\n    ") for name in names]
    sources = [f"def program{at}(a, b, c, t):\n    {line}" for at, line in enumerate(lines)]
    refused, equal = compare(sources, tmp_path, f"awkward_{part}", HEAD)
    assert {names[at]: reason for at, reason in refused.items()} == {}
    assert equal > len(INPUTS)
