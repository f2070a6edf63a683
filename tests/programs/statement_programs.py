"""Random functions full of statements, patterns, texts, records and loops over what itertools makes."""

# ruff: noqa: E501 - programs are written as they are

from programs.random_programs import TemplateWriter, function_text

HEAD = """\
from itertools import accumulate, chain, combinations, count, cycle, islice, pairwise, permutations, product, repeat, starmap, takewhile, zip_longest
from typing import NamedTuple

import numpy as np


class P(NamedTuple):
    x: int
    y: int = 2
"""

INNER = {
    "squares": "def squares(n):\n    for i in range(n):\n        yield i * a + 1",
    "fib": "def fib(n):\n    return n + b % 2 if n < 2 else fib(n - 1) + fib(n - 2)",
    "down": "def down(n):\n    if n > 0:\n        yield n * c\n        yield from down(n - 1)",
    "sized": "def sized(n):\n    return (n, a) if n > 1 else (n,)",
    "listed": "def listed(n):\n    if n > 2:\n        return []\n    return [n, b]",
    "least": "least = lambda u, v=1: min(u, v) + a",
}
"""Functions within the function, by name."""

TEMPLATES = {
    "int": (
        "<int> + <int>", "<int> - <int>", "<int> * <int>", "<int> % 7", "abs(<int>)", "min(<int>, <int>)", "len(<list>)",
        "sum(<list>)", "(<int> if <test> else <int>)", "l[<int> % len(l)] if l else 4", "p.x", "p.y", "len(w)",
        "w.count('1')", "max(<list>, default=2)", "int(<test>)", "t[<int> % 4]", "sum(x * y for x, y in <pairs>)",
        "p._asdict()['x']", "w.find('2')", "sum(x in [1, 2, 5] for x in t)", "(<int>).bit_count()", "sum([1, 2, <int>])",
        "next((x for x in t if x > <int>), 3)", "[3, 1, 2][<int> % 3]", "sum(1 for x in t for y in <list> if x == y)",
    ),
    "test": (
        "<int> > <int>", "<int> in <list>", "l == []", "<list> != []", "[] == <list>", "() != t", "not l", "<test> and <test>",
        "<test> or <test>", "any(x > <int> for x in t)", "all(x > 0 for x in <list>)", "w == ''", "'1' in w", "p == (1, 2)",
        "p > (a, b)", "p != P(1)", "w < '2'", "w.isdigit()", "0 < <int> <= <int>", "l == [a, b]", "<int> in (1, 2, a)",
    ),
    "list": (
        "l", "[<int>, <int>]", "[x + <int> for x in t]", "list(t)", "l[1:]", "l[::-1]", "sorted(t)", "list(reversed(l))",
        "sorted(l, key=lambda x: (x % 3, -x))", "[x for x in t if x > <int>]", "list(accumulate(t))", "list(range(<int> % 5))",
        "[*t, <int>]", "list(islice(t, 1, 3))", "list(chain(t, l))", "list(takewhile(lambda x: x > 0, t))", "l + [<int>]", "[x * y for x, y in <pairs>]",
        "list(map(abs, t))", "list(filter(None, t))", "list(starmap(max, <pairs>))", "[1, 2] * (<int> % 3)", "[sum(r) for r in [[1, 2], [3, <int>]]]",
    ),
    "pairs": (
        "pairwise(t)", "zip(t, l)", "enumerate(l)", "[(0, 1), (1, 0)]", "[(<int>, 2), (3, <int>)]", "product(l, [1, 2])", "combinations(t, 2)",
        "zip_longest(l, t, fillvalue=0)", "permutations(t, 2)", "zip(t, t[1:])", "enumerate(reversed(l), 2)", "product((1, 2), repeat=2)",
        "zip(l, cycle([1, 2]))", "zip(t, count(3))", "zip(l, repeat(<int>))", "((x, y) for x in t for y in l if x < y)",
    ),
    "text": (
        "f\"{<int>}:{<int>:>3}\"", "'%d,%02d' % (<int>, <int>)", "'{}-{}'.format(<int>, w)", "w[::-1]", "','.join(str(x) for x in t)",
        "w.replace('1', '23')", "w + str(<int>)", "w[1:3]", "'ab' * (<int> % 3)", "'%s' % (<int>)", "f\"{w:<4}|\"", "w.strip('1')", "chr(97 + <int> % 5)",
        "''.join([c for c in w if c > '1'])", "w[:-1]", "'x' if <test> else w", "f\"{(<int>):04d}\"", "w.upper()",
    ),
    "statement": (
        "total += <int>", "total -= <int>", "l.append(<int>)", "l.sort()", "l.sort(key=lambda x: (x % 3, -x))", "l.sort(reverse=True)", "l = <list>", "l.insert(0, <int>)",
        "w = <text>", "w += <text>", "first, *others = <list>\ntotal += first + len(others)", "*others, last = t\ntotal += last * len(others)",
        "u, *v, z = [<int>, *t]\ntotal += u * 3 + z + sum(v)", "p = p._replace(x=<int>)", "p = P(y=<int>, x=2)", "p = P(<int>)",
        "if (n := <int>) > 2:\n    total += n", "total += (n := <int>) * n", "if <test> and (n := <int>) > 1:\n    total += n", "n = <int> % 6\nwhile (n := n - 1) > 0:\n    total += n",
        "rows = [None] * 3\nfor i in range(3):\n    rows[i] = [<int>, i]\ntotal += rows[1][0] + sum(map(sum, rows))", "rows = [0] * 4\nfor i in range(4):\n    rows[i] = <int> + i\nl = rows",
        "rows = [None for _ in range(2)]\nfor i in range(2):\n    rows[i] = (i, <int>)\ntotal += rows[1][1] * 2 + rows[0][0]",
        "for x, y in [(0, 1), (1, 0), (-1, 2)]:\n    total = total * 2 + x * y + <int>", "moves = [[1, 2], [3]]\nmoves[<int> % 2].append(<int>)\nfor m in moves:\n    total += sum(m) * len(m)",
        "for row in [[1, 2], [3, <int>]]:\n    row.append(1)\n    total += sum(row)", "table = [1, 2, 3]\nfor i in range(2):\n    total += table[i]\n    table[i] += <int>",
        "v = {<int>, 3}\nfor x in t:\n    v.add(x * <int>)\nfor x in v:\n    total = total * 3 + x", "v = set()\nfor x in <list>:\n    v.add(x)\ntotal += len(v) + sum(x * i for i, x in enumerate(v))",
        "v = set(<list>)\nv.add(<int>)\nl = list(v)", "v = {x % 5 for x in <list>}\nfor x in sorted(v):\n    total = total * 2 + x",
        "match (<int> % 3, <int>):\n    case (0, x):\n        total += x\n    case (1, 1 | 2):\n        total += 50\n    case (x, y) if x < y:\n        total += x - y\n    case _:\n        total += 9",
        "match <int> % 4:\n    case 0:\n        total += 7\n    case 1 | 2:\n        total -= <int>\n    case x:\n        total += x * 5",
        "match <list>:\n    case []:\n        total += 3\n    case [x]:\n        total += x\n    case [x, y, *z]:\n        total += x * y + len(z)",
        "match p:\n    case (1, y):\n        total += y\n    case (x, 2):\n        total -= x\n    case (x, y):\n        total += x * y",
        "total += sum(squares(<int> % 5))", "for x in down(<int> % 4):\n    total = total * 2 + x", "total += fib(abs(<int>) % 7)", "total += len(sized(<int>)) + sized(<int>)[0]", "total += len(listed(<int>)) * 3",
        "total += least(<int>)", "total += least(<int>, <int>)", "fields = {'x': <int>}\nfields['y'] = <int>\np = P(**fields)",
        "z = np.zeros((2, 3), dtype=int)\nz[<int> % 2, <int> % 3] = <int> % 99\ntotal += int(z.sum(axis=0)[1]) * 3 + int(z.max()) + int(np.count_nonzero(z))",
        "z = np.array(t)\nz[<int> % 4] += 2\ntotal += int(z[z > 1].sum()) + int((z * 2).min()) + len(np.flatnonzero(z == 2))",
        "for x, y in <pairs>:\n    if y == 3:\n        break\n    total += x - y\nelse:\n    total += 11", "for x in <list>:\n    if x == <int>:\n        continue\n    total += x", "it = (x * 2 for x in <list>)\ntotal += sum(it)",
        "it = iter(t)\ntotal += next(it) * 2 + next(it)", "x = y = <int>\ntotal += x * y", "a, b = b, a", "l[:] = <list>", "del l[1:]", "l[<int> % max(1, len(l)):] = []", "total += sum(x for _, x in zip(range(2), count(<int>)))",
        "try:\n    total += l[<int>]\nexcept IndexError:\n    total += 5", "try:\n    total += l.index(<int>)\nexcept ValueError:\n    total -= 5", "assert <int> != 77, w", "for k in range(3):\n    def f(x):\n        return x * k + a\n    total += f(<int>)",
    ),
    "loop": ("for <name> in range(<int> % 4):", "for <name> in <list>:", "if <test>:", "for <name> in t:", "while rounds < 5 and l:"),
}  # fmt: skip
REFUSED = (
    "case [x, y, *z]", "def down(", "def sized(", "def listed(", "P(**fields)", "l.index(", "= []", "int(l)",
    "filter(None",
)  # fmt: skip
"""What never or seldom compiles, and is told so: most refused programs hold one of these, each for its own reason."""
PLAIN = {"test": ["a > b", "l"], "list": ["l", "[a, b]"], "pairs": ["zip(t, l)"], "text": ["w"]}
"""Written where the texts would be too deep."""


class Writer(TemplateWriter):
    """Writes random functions of three ints and a tuple of ints."""

    templates = TEMPLATES
    loop_end = ("l = [x % 1000 for x in l[:9]]",)
    while_end = ("rounds += 1",)

    def write(self, kind, depth=0):
        if depth > 1 or (kind == "int" and self.rng.random() < 0.5):
            return self.rng.choice(self.names if kind == "int" else PLAIN[kind])
        text = self.filled(self.rng.choice(TEMPLATES[kind]), depth + (kind != "statement"))
        return text if kind in ("statement", "list", "pairs", "text") else f"({text})"

    def program(self, name):
        """Its source: it changes many things, and makes a number of all of them."""
        body = [line for _ in range(self.rng.randint(1, 3)) for line in self.lines()]
        text = "\n".join(body)
        inner = [line for each, source in INNER.items() if f"{each}(" in text for line in source.split("\n")]
        before = ["total = rounds = 0", "l = [a, b, c]", "w = str(a)", "p = P(a, b)"]
        after = [
            "for x in l: total = (total * 3 + x) % 10007",
            "for x in w: total = (total * 3 + ord(x)) % 10007",
            "return total + 10007 * ((p.x * 3 + p.y) % 101 + a % 10)",
        ]
        return function_text(name, before, inner, body, after)
