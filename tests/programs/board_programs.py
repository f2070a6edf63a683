"""Random rules with objects, sets, lists that are filled, and values that may be None, as texts of constructs."""

from random import Random

MODULE = """
import dataclasses
import numpy as np

KNOWN = []

class Plain:
    def __init__(self, n):
        self.n = n
        self.cells = [0] * n
        self.rows = [None] * self.n
        for i in range(self.n):
            self.rows[i] = [i] * (i + 1)
    def __getitem__(self, place):
        return self.cells[place]
    def total(self):
        return sum(int(cell) for cell in self.cells) + self.n

class Calling(Plain):
    SIZE = 3
    def __init__(self, n=2):
        super().__init__(n)
        self.fill(self.SIZE)
    def fill(self, number):
        for i in range(self.n):
            self.cells[i] = number + i

class Telling(Plain):
    def __init__(self, n):
        super().__init__(n)
        KNOWN.append(self)
        KNOWN[:] = KNOWN[-1:]

class Holding(Plain):
    def __init__(self, n):
        self.get = lambda: self.n
        super().__init__(n)

class Guarded(Plain):
    @property
    def size(self):
        return self.n
    @size.setter
    def size(self, number):
        self.n = int(number)

@dataclasses.dataclass
class Data:
    n: int = 2
    cells: list = dataclasses.field(default_factory=list)
    def total(self):
        return sum(int(cell) for cell in self.cells) + self.n
---
def find(self, x, y):
    for i in range(x):
        if i * i > y:
            return (i, x)
        if i == 3 and y == 2:
            return None

def some(self, x):
    if x % 3 == 0:
        return None
    return x % 4

def few(self, x, y):
    found = []
    for i in range(x):
        if i == y + 2:
            return []
        found.append((i, y))
    if x == 2:
        return []
    return found

def items(self, x):
    if x % 2:
        return None
    found = []
    for i in range(x):
        found.append(i * 7 % 5)
    return found
"""
CLASSES = ["Plain", "Plain", "Plain", "Calling", "Telling", "Holding", "Guarded", "Data"]


class Writer:
    """Writes one program."""

    def __init__(self, seed):
        self.random = Random(seed)
        self.count = 0

    def new(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def number(self):
        return self.random.choice(["left", "taken", "left + taken", "left * 2", "3", "0", "(left - taken)", "2"])

    def values(self, old=""):
        """An iterable of ints."""
        n = self.number()
        choices = [
            f"[x * {self.random.randint(-9, 99)} for x in range({n})]",
            f"np.arange(max({n}, 1)) * 3",
            f"np.array([{n}, taken, 5])",
            f"[{n}, left]",
            f"({n}, taken, 1)",
            f"[float({n})]",
            f"range({n})",
            "np.zeros([2, 2], dtype=int)[0]",
        ]
        if old:
            choices += [f"np.array({old})", f"list({old})", f"[x + 1 for x in {old}]"]
        return self.random.choice(choices)

    def object(self):
        name, cls = self.new("board"), self.random.choice(CLASSES)
        lines = [f"{name} = {cls}({self.number()})"]
        for _ in range(self.random.randint(0, 3)):
            lines.append(  # noqa: PERF401
                self.random.choice(
                    [
                        f"{name}.cells = {self.values()}",
                        f"{name}.cells = {self.values()}",
                        f"{name}.cells = {self.values(f'{name}.cells')}",
                        f"{name}.n = {self.random.choice([self.number(), 'left > taken', '2.0', f'{name}.n + 1'])}",
                        f"{name}.cells = [{name}.total()]",
                        f"other = {self.number()}",
                        f"other = {name}.n",
                        f"same = {name}",
                        f"{name}.size = 3",
                    ]
                )
            )
        if any(line.startswith("same") for line in lines):
            lines.append("total = total * 3 + same.total()")
        lines.append(f"total = total * 5 + {name}.total()")
        lines.append(
            self.random.choice(
                [f"for x in {name}.cells:\n    total += int(x)", f"total += len({name}.cells)", f"total += {name}.n"]
            )
        )
        return lines

    def key(self, *names):
        name = self.random.choice(names)
        factor = self.random.choice([1, 3, -1, 7919, 1 << 33, -(1 << 40) - 1])
        one = f"{name} * {factor} % {self.random.choice([11, 101, 1 << 61])}"
        return one if self.is_int else f"({name} % 3, {one})"

    def set(self):
        name = self.new("found")
        self.is_int = self.random.random() < 0.6
        lines = [
            self.random.choice(
                [
                    f"{name} = set()",
                    f"{name} = set()",
                    f"{name} = {{{self.key('left')}, {self.key('taken')}}}",
                    f"{name} = {{{self.key('i')} for i in range({self.number()})}}",
                    f"{name} = set([{self.key('i')} for i in range(left)])",
                    f"{name} = set({self.key('i')} for i in range(left) if i != taken)",
                ]
            )
        ]
        for _ in range(self.random.randint(1, 3)):
            lines.append(  # noqa: PERF401
                self.random.choice(
                    [
                        f"for i in range({self.random.choice([3, 9, 40])}):\n    {name}.add({self.key('i', 'left')})",
                        f"for i in range(left * 9):\n    if i % 2:\n        {name}.add({self.key('i')})",
                        f"{name}.add({self.key('left')})",
                        f"{name}.update([{self.key('i')} for i in range(left)])",
                        f"if {self.key('taken')} in {name}:\n    total += 1",
                        f"{name}.discard({self.key('left')})"
                        if self.random.random() < 0.2
                        else f"total += len({name})",
                    ]
                )
            )
        item = "x" if self.is_int else "x[0] + x[1]"
        lines.append(
            self.random.choice(
                [
                    f"for x in {name}:\n    total = (total * 3 + {item}) % 10007",
                    f"for place, x in enumerate({name}):\n    total = (total + place * (({item}) % 1009)) % 10007",
                    f"for x in list({name}):\n    total = (total * 3 + {item}) % 10007",
                    (
                        f"order = [{item} for x in {name}]\n"
                        f"total += sum(p * (y % 1009) for p, y in enumerate(order)) % 10007"
                    ),
                    f"for x in sorted({name}):\n    total = (total * 3 + {item}) % 10007",
                ]
            )
        )
        return lines

    def filled(self):
        name, n = self.new("rows"), self.random.choice(["left", "taken", "(left - 1)", "(left - 3)"])
        start = self.random.choice([f"[None] * {n}", f"[0] * {n}", f"{n} * [None]", f"[None for _ in range({n})]"])
        item = self.random.choice(["[i] * taken", "(i, taken)", "[x for x in range(i)]", "[None] * (i + 1)", "i * 2"])
        body = [f"{name}[i] = {item}"]
        if item.startswith("[None"):
            body.append(f"for j in range(i + 1):\n    {name}[i][j] = (i, j)")
        extra = self.random.choice(
            ["", "", "", f"total += len({name})", "total += i", "if i == 2:\n    break", f"{name}[i] = {item}"]
        )
        if extra:
            body.insert(self.random.choice([0, 1]), extra)
        inside = "\n".join("    " + line for each in body for line in each.split("\n"))
        lines = [f"{name} = {start}", f"for i in range({n}):\n{inside}"]
        of_row = "1 if row is None else len(row)" if "break" in extra else "len(row)"
        of_row = "row or 0" if item == "i * 2" else of_row
        lines.append(f"for row in {name}:\n    total = total * 3 + ({of_row})")
        return lines

    def optional(self):
        name = self.new("value")
        kind = self.random.choice(["pair", "number", "list"])
        made = {"pair": "self.find(i, taken)", "number": "self.some(i + left)", "list": "self.items(i)"}[kind]
        worth = {"pair": "{0}[0] * 5 + {0}[1]", "number": "{0} + 1", "list": "len({0})"}[kind].format(name)
        use = self.random.choice(["total += WORTH", "kept.append(NAME)", "total = total * 2 + (WORTH)"])
        use = use.replace("WORTH", worth).replace("NAME", name)
        test = self.random.choice(
            [
                f"if {name}:\n    {use}",
                f"if {name} is not None:\n    {use}",
                f"if {name} is not None and total > i:\n    {use}\nelse:\n    total += 1",
                f"if {name} is None:\n    continue\n{use}",
                f"if not {name}:\n    continue\n{use}",
                f"if {name} is None or total % 2:\n    total += 3\nelse:\n    {use}",
                f"while {name} is not None:\n    {use}\n    {name} = None",
            ]
        )
        inside = "\n".join("    " + line for line in f"{name} = {made}\n{test}".split("\n"))
        lines = ["kept = []"] if use.startswith("kept") else []
        lines.append(f"for i in range(2, 7):\n{inside}")
        if use.startswith("kept"):
            worth = {"pair": "x[0] * 5 + x[1]", "number": "x + 1", "list": "len(x)"}[kind]
            lines.append(f"for x in kept:\n    total = total * 3 + {worth}")
        return lines

    def empty(self):
        return [f"for x, y in self.few({self.number()} + 2, {self.number()}):\n    total = total * 3 + x - y"]

    def program(self):
        """The text of a construct."""
        kinds = [self.object, self.set, self.filled, self.optional, self.empty]
        lines = [line for _ in range(self.random.randint(1, 3)) for line in self.random.choice(kinds)()]
        body = "\n".join(["total = 0", *lines, "return total"])
        return MODULE + "\ndef rule(self, left, taken):\n" + "\n".join("    " + line for line in body.split("\n"))


def program(seed):
    """A random program."""
    return Writer(seed).program()
