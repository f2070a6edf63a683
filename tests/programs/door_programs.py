"""Random functions full of ways out of arrays, powers, functions of `math`, texts, and floats in containers."""

# ruff: noqa: E501 - programs are written as they are

from programs.random_programs import TemplateWriter, function_text

HEAD = """\
import math

import numpy as np


def digits(x):
    '''The last bits of a float, as an int.'''
    if math.isnan(x):
        return 3
    if math.isinf(x):
        return 5
    mantissa, exponent = math.frexp(x)
    return int(mantissa * 9007199254740992.0) % 1009 + exponent
"""

TEMPLATES = {
    "int": (
        "<small>", "<int> + <int>", "<int> - <int>", "<int> * <int>", "<int> % 7", "<int> // 3", "sum(<list>)", "len(<list>)", "max(<list>, default=1)",
        "digits(<float>)", "digits(<float>)", "int(<cell>) + int(<cell>)", "<array>.item(<small> % 4) + <array>.item(-1)", "<array>[:1].item() * 3",
        "abs(<array>.item(1))", "divmod(<array>.item(2), 5)[1]", "int(<array>.sum())", "round(<float>) % 1000", "int(<float>) % 1000", "math.floor(<float>) % 1000",
        "math.gcd(<int>, <int>)", "math.isqrt(abs(<int>))", "len(<text>)", "<text>.find(<text>)", "<text>.count('a')", "sum(ord(k) for k in <text>)",
        "(<int> if <test> else <int>)", "<list>.count(<int>)", "sum(k in <list> for k in t)", "len({k % 3 for k in <list>})", "{1: a, 2: b}.get(<small> % 4, c)",
        "round(<int>)", "int(round(<cell>))", "(<int>).bit_length()", "bin(abs(<int>)).count('1')", "hash(<int> % 1000)", "int(u.max()) * 3", "[*u.tolist(), a][0] * 5",
        "sorted(<list>)[0] if <list> else 2", "tuple(u.tolist())[1] * 7", "int(<array>.argmax())", "int(any(<list>)) + int(all(<list>))", "math.comb(abs(<small>) + 2, 2)",
    ),
    "small": ("a", "b", "c", "1", "2", "3", "t[0]", "t[1]"),
    "cell": ("u[<small> % 4]", "v[<small> % 4]", "h[<small> % 4]"),
    "array": ("u", "v", "h", "u[::-1]", "v[1:]", "u.reshape((2, 2)).T.ravel()", "u.copy()", "h.flatten()"),
    "float": (
        "x", "y", "<float> + <float>", "<float> - <float>", "<float> * <float>", "x / (abs(y) + 1)", "x ** 2", "x ** <small>", "abs(x) ** y", "pow(x, 3)", "pow(abs(x), 0.5)", "math.pow(x, 3)",
        "math.sqrt(abs(<float>))", "math.sin(x)", "math.exp(min(x, 20.0))", "math.log(abs(y) + 1)", "math.atan2(x, y)", "float(<int>)", "float(<cell>)", "g.item(<small> % 4)", "sum(g.tolist())",
        "max(<floats>)", "min(<floats>)", "sum(<floats>)", "math.fabs(x)", "math.copysign(x, y)", "sorted(<floats>)[0]", "-x", "abs(x)", "float(g[<small> % 4])", "<int> / 7", "math.degrees(x)",
        "max([(x, a), (y, b)])[0]", "(x if <test> else y)", "float(f[<small> % 4])", "sum(f.tolist())", "f.item(0) * f.item(1)",
    ),
    "floats": ("g.tolist()", "[x, y, <float>]", "[k * 1.5 for k in t]", "(x, y)", "[k / 4 for k in u.tolist()]", "f.tolist()"),
    "list": (
        "u.tolist()", "v.tolist()", "h.tolist()", "[k * 3 for k in <array>.tolist()]", "list(t)", "[int(k) for k in <array>]", "sorted(<array>.tolist())", "<array>.tolist()[::-1]",
        "[<int>, <int>]", "u.reshape((2, 2)).tolist()[0]", "[k for r in v.reshape((2, 2)).tolist() for k in r]", "list(map(int, <array>))", "[ord(k) for k in <text>]",
    ),
    "text": ("w", "str(<small>)", "w.upper()", "w.strip('a')", "w.replace('a', 'bc')", "w[1:]", "w[::-1]", "w.center(9, '.')", "w.title()", "','.join(w.split('b'))", "w.zfill(6)", "w.swapcase()", "w.partition('b')[2]", "'é' + w", "w.casefold()", "w.lstrip('b')", "w * 2"),
    "test": (
        "x < y", "x == y", "x in <floats>", "<cell> > 0", "<text> < <text>", "w.isalpha()", "w.isdigit()", "<text>.startswith('a')", "math.isnan(x)", "math.isfinite(<float>)", "[x, y] == [y, x]", "(x, a) < (y, b)",
        "<int> > <int>", "u.tolist() == v.tolist()", "bool(<cell>)", "<int> in <list>", "not <list>", "w in <text>", "(x, a) in [(y, b), (x, c)]", "x <= y <= 3.5",
    ),
    "statement": (
        "total += <int>", "total += <int>", "total -= <int>", "x = <float> % 50.0", "y = <float> % 9.0", "w = <text>[:8]", "u[<small> % 4] = <int> % 100", "v = v + u", "u += 1", "for k in <list>[:5]:\n    total += k % 11",
        "for k in <floats>:\n    total += digits(k)", "if <test>:\n    total += <int>", "for k in <array>:\n    total += int(k) * 2", "total += len([k for k in <floats> if k > y])", "for k in <text>:\n    total += ord(k)", "h[0] = <int> % 100",
    ),
    "loop": ("for <name> in range(3):", "for <name> in <list>[:3]:"),
}  # fmt: skip


class Writer(TemplateWriter):
    """Writes random functions with `u, v, h` (arrays of small ints), `f, g` (of floats), `x, y` (floats) and `w` (a text)."""

    templates = TEMPLATES

    def write(self, kind, depth=0):
        """A text of this kind, without further ones below some depth."""
        choices = self.templates[kind]
        if depth > 2:
            choices = [text for text in choices if "<" not in text.replace("<=", "").replace(" < ", "")] or choices
        text = self.filled(self.rng.choice(choices), depth + 1)
        return f"({text})" if " " in text and kind not in ("statement", "loop") else text

    def program(self, name):
        """The source of one."""
        kinds = [self.rng.choice(("int8", "uint8", "int16", "uint16", "int32", "uint32")) for _ in range(3)]
        start = [
            f"u = (np.array([a * 37, b * 91, c * 53, 7]) % 100).astype(np.{kinds[0]})",
            f"v = (np.array([b * 11, 100, c * 29, a]) % 127).astype(np.{kinds[0]})",
            f"h = (np.array([200, c * 7, a * 13, b * 3]) % 120).astype(np.{kinds[2]})",
            "g = np.array([a / 3, b * 0.1, -0.0, c / 7])",
            "f = g.astype(np.float32)",
            "x, y, w, total = a / 3 + 0.1, b / 7 - 0.3, 'ab' + str(a) + 'bA', 0",
        ]
        body = [line for _ in range(3) for line in self.lines()]
        return function_text(name, start, body, ["return total"])
