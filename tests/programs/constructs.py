"""Single Python constructs that rules of board games use, each as a small game.

`CONSTRUCTS` maps a category to its constructs, and a construct to its text: what changes in `BASE`. A text is

- the body of `rule(self, left, taken)`, where `left` is 1 to 4 and `taken` 1 or 2; or
- if it defines a method, the body of a class derived from `Base`.

Lines before a line `---` belong to the module. `source_of` makes the whole module; its game is the class `Small`.
"""

import re
import textwrap

__all__ = ["BASE", "CONSTRUCTS", "source_of"]

BASE = '''\
from outplay import Game


class Base(Game):
    """Take 1 or 2 from a heap of 4; what the rule answers is added up."""

    def initial_state(self):
        return (4, 0)

    def to_move(self, state):
        return state[0] % 2

    def actions(self, state):
        for taken in (1, 2):
            if taken <= state[0]:
                yield taken

    def rule(self, left, taken):
        return left * taken

    def result(self, state, action):
        return (state[0] - action, (3 * state[1] + int(self.rule(state[0], action))) % 1009)

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return state[1] if player == 0 else -state[1]
'''


def source_of(text):
    """The module of a construct."""
    module, _, members = text.rpartition("---\n")
    members = textwrap.dedent(members).strip("\n") + "\n"
    if not re.search(r"^def \w+\((self|cls)", members, re.MULTILINE):
        members = "def rule(self, left, taken):\n" + textwrap.indent(members, "    ")
    module = textwrap.dedent(module).strip("\n")
    return f"{BASE}\n\n{module}\n\n\nclass Small(Base):\n{textwrap.indent(members, '    ')}"


CONSTRUCTS = {
    "loops": {
        "for else": """
            for step in range(2, 5):
                if step == left + taken:
                    found = step
                    break
            else:
                found = 9
            return found
        """,
        "while else": """
            step = left
            while step > 0:
                if step == 2 * taken:
                    break
                step -= 1
            else:
                step = 7
            return step
        """,
        "nested break with flag": """
            found = False
            for row in range(3):
                for column in range(3):
                    if row * column == left:
                        found = True
                        break
                if found:
                    break
            return row * 10 + column
        """,
        "nested loops with return": """
            for row in range(4):
                for column in range(row):
                    if row + column > left:
                        return 10 * row + column
            return -1
        """,
        "continue": """
            total = 0
            for step in range(5):
                if step % 2 == taken - 1:
                    continue
                total += step
            return total
        """,
        "while True": """
            while True:
                left += taken
                if left > 9:
                    return left
        """,
        "enumerate": """
            total = 0
            for place, weight in enumerate((5, 3, 8)):
                total += place * weight * left
            return total
        """,
        "enumerate with start": """
            total = 0
            for place, weight in enumerate([5, left, 8], start=taken):
                total += place * weight
            return total
        """,
        "enumerate nested unpacking": """
            total = 0
            for place, (x, y) in enumerate(((0, 1), (2, 3))):
                total += place * x + y * left
            return total
        """,
        "zip": """
            total = 0
            for x, y in zip((1, 2, 3), (left, taken, 5)):
                total += x * y
            return total
        """,
        "zip strict": """
            total = 0
            for x, y in zip([1, 2], [left, taken], strict=True):
                total += x * y
            return total
        """,
        "zip of three": """
            return sum([x * y - z for x, y, z in zip(range(3), (left, 2, 3), [4, taken, 6])])
        """,
        "reversed range": """
            total = 0
            for step in reversed(range(left)):
                total = 2 * total + step
            return total
        """,
        "reversed tuple": """
            total = 0
            for step in reversed((1, left, taken)):
                total = 3 * total + step
            return total
        """,
        "reversed list": """
            total = 0
            for step in reversed([left, taken, 4]):
                total = 3 * total + step
            return total
        """,
        "range with step": """
            total = 0
            for step in range(left, 12, 3):
                total += step
            return total
        """,
        "range with negative step": """
            total = 0
            for step in range(7, left, -taken):
                total = 2 * total + step
            return total
        """,
        "range of variable sign": """
            total = 0
            for direction in (-1, 1):
                for square in range(left, left + 3 * direction, direction):
                    total = total * 2 + square
            return total
        """,
        "loop over tuple of pairs": """
            total = 0
            for row, column in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                if 0 <= left + row < 4 and 0 <= taken + column < 2:
                    total += 1
            return total
        """,
        "loop over tuples of unequal length": """
            total = 0
            for group in ((1, 2), (3,), (4, 5, 6)):
                for number in group:
                    total += number * left
            return total
        """,
        "loop over string": """
            total = 0
            for char in "a.b.":
                if char == ".":
                    total += left
            return total
        """,
        "in range": """
            return 2 * (left in range(1, 3)) + (taken in range(0, 9, 2))
        """,
        "index of range": """
            return range(3, 20, 4)[left] + len(range(left, 10, 2))
        """,
        "pass and ellipsis": """
            if left == 1:
                pass
            else:
                ...
            return taken
        """,
    },
    "comprehensions": {
        "list comprehension": """
            return [step * step for step in range(5)][left]
        """,
        "list comprehension with condition": """
            return len([step for step in range(9) if step % left == 0])
        """,
        "list comprehension with two loops": """
            return len([(x, y) for x in range(left) for y in range(x)])
        """,
        "nested list comprehension": """
            table = [[x * y for x in range(3)] for y in range(5)]
            return table[left][taken]
        """,
        "list comprehension with conditional expression": """
            return sum([step if step > taken else -step for step in range(left)])
        """,
        "set comprehension": """
            return len({step % 3 for step in range(left)})
        """,
        "dict comprehension": """
            squares = {step: step * step for step in range(6)}
            return squares[left]
        """,
        "any of generator": """
            return any(step * step == left for step in range(4))
        """,
        "all of generator": """
            return all(step != left for step in (1, 3))
        """,
        "sum of generator": """
            return sum(step * taken for step in range(left))
        """,
        "sum of condition": """
            return sum(1 for step in range(9) if step % left == taken)
        """,
        "sum of bools": """
            return sum(step > left for step in (1, 2, 3, 4))
        """,
        "sum with start": """
            return sum((left, taken), 10)
        """,
        "min of generator": """
            return min(abs(step - left) for step in (2, 5))
        """,
        "max of generator with default": """
            return max((step for step in range(left) if step > 2), default=-1)
        """,
        "min with key": """
            return min((5, 3, 8), key=lambda number: abs(number - left))
        """,
        "max of list with default": """
            return max([step for step in range(left) if step % 2], default=7)
        """,
        "max of range with key": """
            return max(range(6), key=lambda number: number * left % 5)
        """,
        "max of tuples": """
            return max((left, 1), (taken, 5))[1]
        """,
        "sorted of generator": """
            return sorted(step * 3 % 7 for step in range(6))[left]
        """,
        "sorted with key and reverse": """
            return sorted([3, 1, left, taken], key=lambda number: -number, reverse=True)[1]
        """,
        "sorted tuple of tuples": """
            return sorted([(left, 1), (taken, 2), (2, 3)])[1][1]
        """,
        "tuple of generator": """
            return tuple(step + taken for step in range(5))[left]
        """,
        "list of generator": """
            return list(step + taken for step in range(5))[left]
        """,
        "len of list of generator": """
            return len(list(step for step in range(9) if step > left))
        """,
        "set of generator": """
            return len(set(step % 4 for step in range(left + taken)))
        """,
        "any of generator of two loops": """
            return any(x * y == left for x in range(2, 4) for y in range(2, 4))
        """,
        "all over zip": """
            return all(x <= y for x, y in zip((left, taken), (3, 3)))
        """,
        "generator in variable": """
            values = (step for step in range(9) if step % 2)
            return sum(values) + left
        """,
        "any of list": """
            return any([left == 2, taken == 1])
        """,
        "map": """
            return sum(map(lambda number: number * left, (1, 2, 3)))
        """,
        "filter": """
            return len(list(filter(lambda number: number > left, range(6))))
        """,
        "comprehension that reads self": """
            weights = (1, 4, 9)

            def rule(self, left, taken):
                return sum([self.weights[place] * left for place in range(3)])
        """,
        "any that calls method": """
            def fits(self, number, left):
                return number * 2 == left

            def rule(self, left, taken):
                return any(self.fits(number, left) for number in range(3))
        """,
    },
    "constants": {
        "attribute list": """
            weights = [3, 1, 4, 1, 5]

            def rule(self, left, taken):
                return self.weights[left]
        """,
        "attribute set in init": """
            def __init__(self, size=4):
                self.size = size
                self.lines = [[row * size + column for column in range(size)] for row in range(size)]

            def rule(self, left, taken):
                return sum(self.lines[left - 1]) + self.size
        """,
        "attribute nested tuple": """
            lines = ((0, 1, 2), (3, 4, 5), (0, 3, 6), (1, 4, 7))

            def rule(self, left, taken):
                return self.lines[left - 1][taken]
        """,
        "attribute dict with int keys": """
            values = {1: 5, 2: 7, 3: 11, 4: 13}

            def rule(self, left, taken):
                return self.values[left]
        """,
        "attribute dict with get": """
            values = {1: 5, 3: 11}

            def rule(self, left, taken):
                return self.values.get(left, 0)
        """,
        "attribute dict with tuple keys": """
            values = {(1, 1): 5, (2, 1): 7}

            def rule(self, left, taken):
                return self.values[left, taken] if (left, taken) in self.values else 2
        """,
        "attribute set": """
            corners = {1, 4}

            def rule(self, left, taken):
                return left in self.corners
        """,
        "attribute frozenset of tuples": """
            corners = frozenset({(1, 1), (4, 2)})

            def rule(self, left, taken):
                return (left, taken) in self.corners
        """,
        "attribute string": """
            marks = "XO.#+"

            def rule(self, left, taken):
                return self.marks[left] == "."
        """,
        "global int": """
            SIZE = 5
            ---
            return SIZE * left
        """,
        "global list": """
            WEIGHTS = [3, 1, 4, 1, 5]
            ---
            return WEIGHTS[left]
        """,
        "global nested list": """
            TABLE = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1]]
            ---
            return TABLE[left - 1][taken]
        """,
        "global list of tuples in loop": """
            STEPS = [(0, 1), (1, 0), (1, 1)]
            ---
            total = 0
            for row, column in STEPS:
                total += row * left + column * taken
            return total
        """,
        "global dict with string keys": """
            WORTH = {"pawn": 1, "rook": 5}
            ---
            return WORTH["pawn"] * left + WORTH["rook"] * taken
        """,
        "global dict items": """
            WORTH = {1: 10, 2: 30}
            ---
            total = 0
            for piece, worth in WORTH.items():
                total += piece * left + worth
            return total
        """,
        "global dict keys and values": """
            WORTH = {1: 10, 2: 30}
            ---
            return sum(WORTH.values()) + sum(WORTH.keys()) * left + len(WORTH)
        """,
        "global dict of lists": """
            NEIGHBORS = {1: [2], 2: [1, 3], 3: [2, 4], 4: [3]}
            ---
            total = 0
            for neighbor in NEIGHBORS[left]:
                total += neighbor * taken
            return total
        """,
        "global dict of dicts": """
            GRAPH = {1: {1: 4, 2: 5}, 2: {1: 6, 2: 7}, 3: {1: 8, 2: 9}, 4: {1: 1, 2: 2}}
            ---
            return GRAPH[left][taken]
        """,
        "global dict of functions": """
            def double(number):
                return 2 * number


            def triple(number):
                return 3 * number


            MOVES = {1: double, 2: triple}
            ---
            return MOVES[taken](left)
        """,
        "global set": """
            STARS = {2, 3}
            ---
            return 5 if left not in STARS else 8
        """,
        "global frozenset in loop": """
            STARS = frozenset((2, 3))
            ---
            total = 0
            for star in STARS:
                total += star * left
            return total
        """,
        "global tuple of unequal tuples by index": """
            NEIGHBORS = ((1,), (0, 2), (1, 3, 4), (2,), (2,))
            ---
            total = 0
            for neighbor in NEIGHBORS[left]:
                total += neighbor
            return total
        """,
        "global computed by comprehension": """
            LINES = [tuple(range(start, start + 3)) for start in range(0, 15, 3)]
            ---
            return LINES[left][taken]
        """,
        "global membership in tuple": """
            PRIMES = (2, 3, 5, 7)
            ---
            return left in PRIMES
        """,
        "global range": """
            SQUARES = range(2, 30, 5)
            ---
            return SQUARES[left] + (7 in SQUARES)
        """,
        "global array": """
            import numpy as np

            TABLE = np.arange(20).reshape(5, 4)
            ---
            return TABLE[left, taken]
        """,
        "global helper function": """
            def distance(a, b=3):
                return abs(a - b)
            ---
            return distance(left) + 10 * distance(left, b=taken)
        """,
        "global None and identity": """
            NOTHING = None
            ---
            best = NOTHING
            for step in range(left):
                if best is None or step > best:
                    best = step
            return best
        """,
    },
    "local containers": {
        "append": """
            steps = []
            for step in range(left):
                steps.append(step * taken)
            return steps[-1]
        """,
        "pop": """
            stack = [left, taken, 5]
            last = stack.pop()
            return last * 10 + stack.pop(0)
        """,
        "stack of a search": """
            seen = [False] * 6
            stack = [taken]
            while stack:
                square = stack.pop()
                if seen[square]:
                    continue
                seen[square] = True
                for step in (square - 1, square + 1):
                    if 0 <= step < 6 and step != left:
                        stack.append(step)
            return sum(seen)
        """,
        "insert and remove": """
            steps = [1, 2, 3, 4]
            steps.insert(taken, 9)
            steps.remove(left)
            return steps[taken]
        """,
        "extend": """
            steps = [left]
            steps.extend([taken, 5])
            steps += [6]
            return sum(steps) * len(steps)
        """,
        "list slices": """
            steps = [1, 2, 3, 4, 5]
            return steps[left:] + steps[:left] == [2, 3, 4, 5, 1]
        """,
        "slice with step": """
            steps = list(range(9))
            return sum(steps[taken::3]) + steps[::-1][left]
        """,
        "slice assignment": """
            steps = [0] * 6
            steps[1:3] = [left, taken]
            return steps[2] * 10 + steps[1]
        """,
        "del of item": """
            steps = [3, 1, 4, 1, 5]
            del steps[left]
            return steps[1] + len(steps)
        """,
        "in list": """
            return taken + 1 in [left, 3]
        """,
        "index and count of list": """
            steps = [4, 2, 1, 3, 2]
            return steps.index(left) * 10 + steps.count(taken)
        """,
        "sort and reverse in place": """
            steps = [4, left, taken, 3]
            steps.sort()
            steps.reverse()
            return steps[1]
        """,
        "sort with key in place": """
            pairs = [(left, 5), (taken, 3), (1, 4)]
            pairs.sort(key=lambda pair: pair[1])
            return pairs[0][0]
        """,
        "list copy": """
            steps = [1, 2, 3, 4, 5]
            other = steps.copy()
            other[left] = 7
            again = list(other)
            again[0] = 5
            return steps[left] + other[left] + again[0]
        """,
        "list of lists": """
            board = [[0] * 3 for _ in range(5)]
            board[left][taken] = 4
            return sum([sum(row) for row in board]) + board[2][1]
        """,
        "list multiplication and concatenation": """
            return ([0, taken] * 3 + [left])[left + 2]
        """,
        "list equality": """
            return [left, taken] == [2, 1]
        """,
        "list truth": """
            steps = [step for step in range(left) if step > 2]
            if not steps:
                return 5
            return steps[0]
        """,
        "swap by unpacking": """
            low, high = left, taken
            if low > high:
                low, high = high, low
            return high * 10 + low
        """,
        "unpacking of list": """
            first, second = [left, taken]
            return 10 * first + second
        """,
        "starred unpacking": """
            first, *rest = [left, taken, 5]
            return first + 10 * len(rest) + rest[0]
        """,
        "starred in tuple": """
            pair = (left, taken)
            return (*pair, 7)[2] + len((0, *pair))
        """,
        "starred in list": """
            steps = [left, taken]
            return sum([*steps, 7, *range(3)])
        """,
        "starred argument": """
            return max(*(left, taken), 2)
        """,
        "tuple slices and concatenation": """
            heaps = (1, 2, 3, 4, 5)
            return sum(heaps[:2] + (left,) + heaps[3:])
        """,
        "tuple with item replaced": """
            heaps = (3, 5, 7, 9)
            changed = heaps[: left - 1] + (taken,) + heaps[left:]
            return changed[0] * 100 + changed[1] * 10 + changed[3]
        """,
        "tuple from changed list": """
            heaps = list((3, 5, 7, 9, 2))
            heaps[left] -= taken
            return tuple(heaps)[left]
        """,
        "tuple multiplication": """
            return ((0,) * 5 + (left, taken))[5]
        """,
        "tuple index and count": """
            return (4, 3, 2, 1).index(left) + 10 * (1, 2, 1).count(taken)
        """,
        "tuple membership": """
            return (left, taken) in ((1, 1), (3, 2))
        """,
        "local dict": """
            worth = {1: 3, 2: 5}
            worth[left] = 7
            return worth[taken] + len(worth)
        """,
        "empty dict filled": """
            seen = {}
            for step in range(left):
                seen[step % 2] = seen.get(step % 2, 0) + step
            return seen[0]
        """,
        "dict setdefault and pop": """
            seen = {}
            seen.setdefault(left, []).append(taken)
            return len(seen.pop(left)) + len(seen)
        """,
        "dict loop over items": """
            worth = {"a": left, "b": taken}
            total = 0
            for letter, number in worth.items():
                total += number if letter == "a" else 10 * number
            return total
        """,
        "dict union": """
            worth = {1: 2, 2: 3} | {taken: 9}
            return worth[1] + worth[2]
        """,
        "local set": """
            seen = {left}
            seen.add(taken)
            seen.discard(4)
            return len(seen) + (3 in seen)
        """,
        "empty set filled": """
            seen = set()
            for step in range(6):
                seen.add(step % left)
            return len(seen)
        """,
        "set operations": """
            free = {1, 2, 3, 4} - {left}
            return len(free & {taken, 4}) + 10 * len(free | {9})
        """,
        "subset": """
            return {1, 2} <= {1, left, 3}
        """,
        "set methods": """
            free = {1, 2, 3}.difference({left})
            return len(free.union({taken, 7})) + 10 * free.isdisjoint({1})
        """,
        "set of tuples": """
            taken_squares = {(0, 1), (1, 2)}
            return (left - 1, taken) in taken_squares
        """,
        "chained assignment": """
            first = second = left
            first += taken
            return 10 * first + second
        """,
    },
    "strings": {
        "string equality of constants": """
            mark = "X" if left % 2 else "O"
            return mark == "O"
        """,
        "string index": """
            return "XO.#+"[left] == "#"
        """,
        "string in string": """
            return "XO.#"[left - 1] in "O#"
        """,
        "string find and index": """
            return "abcd".index("c") * left + "abcd".find("z")
        """,
        "ord": """
            return ord("a") + left
        """,
        "chr": """
            return chr(ord("a") + left) == "c"
        """,
        "join": """
            return "".join(["X" if step == left else "." for step in range(4)]) == "..X."
        """,
        "f-string": """
            return f"{left}-{taken}" == "3-1"
        """,
        "str of int and int of str": """
            return int(str(left) + str(taken))
        """,
        "split": """
            return int("3 1 4 1 5".split()[left])
        """,
        "string slices": """
            row = "abcdef"
            return row[:left] + "X" + row[left + 1 :] == "abXdef"
        """,
        "string replace and count": """
            return "..XX..".replace("..", "XXX", 1).count("X") * left
        """,
        "string comparison": """
            return "abcde"[left] < "d"
        """,
        "string methods": """
            letter = "aBcDe"[left]
            return letter.isupper() * 2 + (letter.lower() == "b")
        """,
        "string multiplication and len": """
            return len("." * left + "X")
        """,
        "startswith and endswith": """
            return "white king".startswith("white") * left + "white king".endswith("king")
        """,
        "dict of strings by char": """
            WORTH = {"X": 3, "O": 4, ".": 0}
            ---
            return WORTH["XO.XO"[left]]
        """,
    },
    "classes": {
        "constants of another class": """
            class Piece:
                PAWN = 1
                ROOK = 5
            ---
            return Piece.PAWN * left + Piece.ROOK * taken
        """,
        "tuple of another class": """
            class Board:
                LINES = ((0, 1), (2, 3))
            ---
            return Board.LINES[taken - 1][0] + left
        """,
        "classmethod": """
            SIZE = 3

            @classmethod
            def scaled(cls, number):
                return cls.SIZE * number

            def rule(self, left, taken):
                return self.scaled(left)
        """,
        "staticmethod": """
            @staticmethod
            def scaled(number):
                return 3 * number

            def rule(self, left, taken):
                return self.scaled(left)
        """,
        "staticmethod by class name": """
            @staticmethod
            def scaled(number):
                return 3 * number

            def rule(self, left, taken):
                return Small.scaled(left)
        """,
        "property": """
            size = 3

            @property
            def area(self):
                return self.size * self.size

            def rule(self, left, taken):
                return self.area + left
        """,
        "helper methods that call each other": """
            def rule(self, left, taken):
                return self.even(left) + 2 * taken

            def even(self, number):
                return True if number == 0 else self.odd(number - 1)

            def odd(self, number):
                return False if number == 0 else self.even(number - 1)
        """,
        "recursive method": """
            def ways(self, left):
                if left <= 1:
                    return 1
                return self.ways(left - 1) + self.ways(left - 2)

            def rule(self, left, taken):
                return self.ways(left)
        """,
        "recursive function": """
            def ways(left):
                if left <= 1:
                    return 1
                return ways(left - 1) + ways(left - 2)
            ---
            return ways(left)
        """,
        "recursive method with accumulator list": """
            def fill(self, square, seen):
                if square < 0 or square > 4 or seen[square]:
                    return 0
                seen[square] = True
                return 1 + self.fill(square - 1, seen) + self.fill(square + 1, seen)

            def rule(self, left, taken):
                seen = [square == left for square in range(5)]
                return self.fill(taken, seen)
        """,
        "super method": """
            def rule(self, left, taken):
                return super().rule(left, taken) + 1
        """,
        "super result": """
            def result(self, state, action):
                left, total = super().result(state, action)
                return (left, total + 1)
        """,
        "base class by name": """
            def rule(self, left, taken):
                return Base.rule(self, left, taken) + 1
        """,
        "mixin": """
            class Doubling:
                factor = 2

                def doubled(self, number):
                    return self.factor * number


            class Mixed(Doubling, Base):
                def rule(self, left, taken):
                    return self.doubled(left) + taken
            ---
            factor = 3

            def initial_state(self):
                return (3, 1)
        """,
        "class attribute by class name": """
            SIZE = 3

            def rule(self, left, taken):
                return Small.SIZE * left
        """,
        "class attribute by type of self": """
            SIZE = 3

            def rule(self, left, taken):
                return type(self).SIZE * left
        """,
        "keyword and default arguments": """
            def weigh(self, number, *, factor=2, bonus=0):
                return number * factor + bonus

            def rule(self, left, taken):
                return self.weigh(left) + self.weigh(taken, bonus=5)
        """,
        "variable arguments": """
            def weigh(self, *numbers):
                return sum(numbers) * len(numbers)

            def rule(self, left, taken):
                return self.weigh(left, taken, 3)
        """,
        "type hints": """
            def weigh(self, numbers: list[int], factor: "int | None" = None) -> int:
                total: int = 0
                for number in numbers:
                    total += number
                return total if factor is None else total * factor

            def rule(self, left, taken):
                return self.weigh([left, taken]) + self.weigh([left], 3)
        """,
        "helper that returns a tuple": """
            def place(self, square):
                return square // 3, square % 3

            def rule(self, left, taken):
                row, column = self.place(left + taken)
                return 10 * row + column
        """,
        "object of a helper class": """
            class Point:
                def __init__(self, x, y):
                    self.x = x
                    self.y = y

                def plus(self, other):
                    return Point(self.x + other.x, self.y + other.y)
            ---
            return Point(left, taken).plus(Point(1, 2)).y
        """,
        "isinstance": """
            if isinstance(left, int):
                return left
            return 0
        """,
    },
    "named tuples": {
        "state": """
            from typing import NamedTuple


            class State(NamedTuple):
                left: int
                total: int
            ---
            def initial_state(self):
                return State(4, 0)

            def to_move(self, state):
                return state.left % 2

            def result(self, state, action):
                return State(left=state.left - action, total=2 * state.total + action)
        """,
        "state with default": """
            from typing import NamedTuple


            class State(NamedTuple):
                left: int
                total: int = 0
            ---
            def initial_state(self):
                return State(4)

            def result(self, state, action):
                return State(state.left - action, total=state.total + action) if action == 1 else State(state.left - 2)
        """,
        "replace": """
            from typing import NamedTuple


            class State(NamedTuple):
                left: int
                total: int
            ---
            def initial_state(self):
                return State(4, 0)

            def result(self, state, action):
                return state._replace(left=state.left - action)
        """,
        "method of the state": """
            from typing import NamedTuple


            class State(NamedTuple):
                left: int
                total: int

                def after(self, action):
                    return State(self.left - action, 2 * self.total + action)
            ---
            def initial_state(self):
                return State(4, 0)

            def result(self, state, action):
                return state.after(action)
        """,
        "property of the state": """
            from typing import NamedTuple


            class State(NamedTuple):
                left: int
                total: int

                @property
                def is_over(self):
                    return self.left == 0
            ---
            def initial_state(self):
                return State(4, 0)

            def result(self, state, action):
                return State(state.left - action, 2 * state.total + action)

            def is_terminal(self, state):
                return state.is_over
        """,
        "constant of the state": """
            from typing import NamedTuple


            class State(NamedTuple):
                left: int
                total: int


            START = State(4, 1)
            ---
            def initial_state(self):
                return START

            def result(self, state, action):
                return State(state.left - action, 2 * state.total + START.total)
        """,
        "unpacking of the state": """
            from typing import NamedTuple


            class State(NamedTuple):
                left: int
                total: int
            ---
            def initial_state(self):
                return State(4, 0)

            def result(self, state, action):
                left, total = state
                return State(left - action, 2 * total + action)
        """,
        "nested in the state": """
            from typing import NamedTuple


            class Point(NamedTuple):
                x: int
                y: int


            class State(NamedTuple):
                left: int
                total: int
                place: Point
            ---
            def initial_state(self):
                return State(4, 0, Point(0, 0))

            def result(self, state, action):
                place = Point(state.place.x + 1, state.place.y + action)
                return State(state.left - action, state.total + place.x * place.y, place)
        """,
        "asdict and fields": """
            from typing import NamedTuple


            class State(NamedTuple):
                left: int
                total: int
            ---
            return State(left, taken)._asdict()["total"] + len(State._fields)
        """,
        "collections.namedtuple": """
            from collections import namedtuple

            State = namedtuple("State", "left total")
            ---
            def initial_state(self):
                return State(4, 0)

            def result(self, state, action):
                return State(state.left - action, 2 * state.total + action)
        """,
        "comparison": """
            from typing import NamedTuple


            class Point(NamedTuple):
                x: int
                y: int
            ---
            return Point(left, taken) == Point(3, 1) or Point(left, taken) == (2, 2)
        """,
    },
    "data classes": {
        "frozen state": """
            from dataclasses import dataclass


            @dataclass(frozen=True)
            class State:
                left: int
                total: int = 0
            ---
            def initial_state(self):
                return State(4)

            def to_move(self, state):
                return state.left % 2

            def actions(self, state):
                return range(1, min(2, state.left) + 1)

            def result(self, state, action):
                return State(state.left - action, 2 * state.total + action)

            def is_terminal(self, state):
                return state.left == 0

            def utility(self, state, player):
                return state.total if player == 0 else -state.total
        """,
        "frozen state with replace": """
            from dataclasses import dataclass, replace


            @dataclass(frozen=True)
            class State:
                left: int
                total: int
            ---
            def initial_state(self):
                return State(4, 0)

            def to_move(self, state):
                return state.left % 2

            def actions(self, state):
                return range(1, min(2, state.left) + 1)

            def result(self, state, action):
                return replace(state, left=state.left - action, total=state.total + 2)

            def is_terminal(self, state):
                return state.left == 0

            def utility(self, state, player):
                return state.total if player == 0 else -state.total
        """,
        "frozen state with methods": """
            from dataclasses import dataclass


            @dataclass(frozen=True, slots=True)
            class State:
                heaps: tuple[int, int]

                @property
                def left(self):
                    return self.heaps[0] + self.heaps[1]

                def after(self, action):
                    first, second = self.heaps
                    return State((first - 1, second) if action == 1 else (first, second - 1))
            ---
            def initial_state(self):
                return State((2, 2))

            def to_move(self, state):
                return state.left % 2

            def actions(self, state):
                return [action for action in (1, 2) if state.heaps[action - 1] > 0]

            def result(self, state, action):
                return state.after(action)

            def is_terminal(self, state):
                return state.left == 0

            def utility(self, state, player):
                return 1 if player == 0 else -1
        """,
        "object in a rule": """
            from dataclasses import dataclass


            @dataclass
            class Move:
                start: int
                end: int
            ---
            move = Move(left, taken)
            move.end += 3
            return move.end - move.start
        """,
    },
    "enums": {
        "IntEnum": """
            from enum import IntEnum


            class Piece(IntEnum):
                EMPTY = 0
                PAWN = 1
                ROOK = 5
            ---
            return Piece.ROOK * left if taken == Piece.PAWN else Piece.PAWN
        """,
        "Enum compared": """
            from enum import Enum


            class Color(Enum):
                WHITE = 1
                BLACK = 2
            ---
            color = Color.WHITE if left % 2 else Color.BLACK
            return 3 if color == Color.BLACK else 4
        """,
        "Enum with is": """
            from enum import Enum


            class Color(Enum):
                WHITE = 1
                BLACK = 2
            ---
            color = Color.WHITE if left % 2 else Color.BLACK
            return 3 if color is Color.BLACK else 4
        """,
        "Enum from value": """
            from enum import Enum


            class Color(Enum):
                WHITE = 1
                BLACK = 2
            ---
            return Color(taken) == Color.BLACK
        """,
        "IntEnum from value": """
            from enum import IntEnum


            class Color(IntEnum):
                WHITE = 1
                BLACK = 2
            ---
            return Color(taken) * left
        """,
        "loop over Enum": """
            from enum import Enum


            class Piece(Enum):
                PAWN = 1
                ROOK = 5
            ---
            total = 0
            for piece in Piece:
                total += piece.value * left
            return total
        """,
        "loop over IntEnum": """
            from enum import IntEnum


            class Piece(IntEnum):
                PAWN = 1
                ROOK = 5
            ---
            total = 0
            for piece in Piece:
                total += piece * left
            return total + len(Piece)
        """,
        "int of IntEnum": """
            from enum import IntEnum


            class Piece(IntEnum):
                PAWN = 1
                ROOK = 5
            ---
            return int(Piece.ROOK) + left
        """,
        "value of Enum": """
            from enum import Enum


            class Piece(Enum):
                PAWN = 1
                ROOK = 5
            ---
            return Piece.ROOK.value + left
        """,
        "tuple as value of Enum": """
            from enum import Enum


            class Direction(Enum):
                UP = (-1, 0)
                LEFT = (0, -1)
            ---
            row, column = Direction.UP.value
            return left + row + column
        """,
        "method of Enum": """
            from enum import Enum


            class Color(Enum):
                WHITE = 1
                BLACK = 2

                def other(self):
                    return Color.BLACK if self == Color.WHITE else Color.WHITE
            ---
            return Color.WHITE.other() == Color.BLACK
        """,
        "Flag": """
            from enum import IntFlag


            class Side(IntFlag):
                KING = 1
                QUEEN = 2
            ---
            rights = Side.KING | Side.QUEEN if left > 2 else Side.KING
            return 3 if rights & Side.QUEEN else 1
        """,
        "auto": """
            from enum import IntEnum, auto


            class Phase(IntEnum):
                PLACE = auto()
                MOVE = auto()
            ---
            return left if taken == Phase.MOVE else 2
        """,
        "Enum in the state": """
            from enum import Enum


            class Color(Enum):
                WHITE = 0
                BLACK = 1
            ---
            def initial_state(self):
                return (4, 0, Color.WHITE)

            def to_move(self, state):
                return 0 if state[2] is Color.WHITE else 1

            def result(self, state, action):
                color = Color.BLACK if state[2] is Color.WHITE else Color.WHITE
                return (state[0] - action, 2 * state[1] + action, color)
        """,
        "IntEnum in the state": """
            from enum import IntEnum


            class Color(IntEnum):
                WHITE = 0
                BLACK = 1
            ---
            def initial_state(self):
                return (4, 0, Color.WHITE)

            def to_move(self, state):
                return state[2]

            def result(self, state, action):
                color = Color.BLACK if state[2] == Color.WHITE else Color.WHITE
                return (state[0] - action, 2 * state[1] + action, color)
        """,
        "Enum as key of dict": """
            from enum import Enum


            class Piece(Enum):
                PAWN = "p"
                ROOK = "r"


            WORTH = {Piece.PAWN: 1, Piece.ROOK: 5}
            ---
            return WORTH[Piece.ROOK if left > 2 else Piece.PAWN]
        """,
    },
    "exceptions": {
        "raise ValueError": """
            if taken > left + 5:
                raise ValueError("too many")
            return left
        """,
        "raise with f-string": """
            if taken > left + 5:
                raise ValueError(f"{taken} of {left}")
            return left
        """,
        "raise IllegalAction": """
            from outplay import IllegalAction
            ---
            if taken > left + 5:
                raise IllegalAction("too many")
            return left
        """,
        "raise NotImplementedError": """
            if taken == 1:
                return 4
            if taken == 2:
                return 5
            raise NotImplementedError
        """,
        "own exception": """
            class BadMove(Exception):
                pass
            ---
            if taken > left + 5:
                raise BadMove("too many")
            return left
        """,
        "assert": """
            assert taken <= 2
            return left
        """,
        "assert with message": """
            assert 1 <= left <= 4, f"{left} is not in the heap"
            return left
        """,
        "try except of IndexError": """
            steps = [3, 1]
            try:
                return steps[left]
            except IndexError:
                return -1
        """,
        "try except of KeyError": """
            worth = {1: 4, 3: 5}
            try:
                return worth[left]
            except KeyError:
                return -1
        """,
        "try except of own raise": """
            try:
                if left > 2:
                    raise ValueError
                number = 1
            except ValueError:
                number = 2
            return number
        """,
        "try except else finally": """
            number = 0
            try:
                number = 10 // (left - 2)
            except ZeroDivisionError:
                number = 7
            else:
                number += 1
            finally:
                number *= 2
            return number
        """,
    },
    "itertools": {
        "product": """
            from itertools import product
            ---
            total = 0
            for x, y in product(range(left), range(3)):
                total += x * y
            return total
        """,
        "product with repeat": """
            import itertools
            ---
            return len([1 for row, column in itertools.product((-1, 0, 1), repeat=2) if row + column == taken])
        """,
        "global product": """
            from itertools import product

            SQUARES = list(product(range(3), range(3)))
            ---
            return SQUARES[left][0] + SQUARES[left][1]
        """,
        "combinations": """
            from itertools import combinations
            ---
            return len([1 for x, y in combinations(range(5), 2) if x + y == left])
        """,
        "combinations of three": """
            from itertools import combinations
            ---
            total = 0
            for line in combinations((2, 7, 6, left), 3):
                if sum(line) == 15:
                    total += 1
            return total
        """,
        "permutations": """
            from itertools import permutations
            ---
            total = 0
            for x, y in permutations((left, taken, 5), 2):
                total = (2 * total + x - y) % 97
            return total
        """,
        "chain": """
            from itertools import chain
            ---
            total = 0
            for step in chain(range(left), (7, 9)):
                total = 2 * total + step
            return total
        """,
        "chain from iterable": """
            from itertools import chain
            ---
            return sum(chain.from_iterable([[left, 1], [taken]]))
        """,
        "accumulate": """
            from itertools import accumulate
            ---
            return list(accumulate([left, taken, 5]))[1]
        """,
        "count": """
            from itertools import count
            ---
            for step in count(left, 3):
                if step % 4 == taken:
                    return step
            return -1
        """,
        "islice": """
            from itertools import islice
            ---
            return sum(islice(range(2, 30, 3), left))
        """,
        "takewhile": """
            from itertools import takewhile
            ---
            return len(list(takewhile(lambda step: step < 3, range(left + 1))))
        """,
        "groupby": """
            from itertools import groupby
            ---
            return max(len(list(group)) for mark, group in groupby([1, 1, left > 2, taken > 1]))
        """,
        "cycle": """
            from itertools import cycle
            ---
            total = 0
            for step, player in zip(range(left), cycle((1, 2))):
                total += step * player
            return total
        """,
        "pairwise": """
            from itertools import pairwise
            ---
            return sum([abs(x - y) for x, y in pairwise((1, left, taken, 6))])
        """,
    },
    "functools": {
        "lru_cache of function": """
            from functools import lru_cache


            @lru_cache(maxsize=None)
            def ways(left):
                return 1 if left < 2 else ways(left - 1) + ways(left - 2)
            ---
            return ways(left + 3)
        """,
        "cache of function": """
            from functools import cache


            @cache
            def neighbors(square):
                return tuple(other for other in (square - 1, square + 1) if 0 <= other < 5)
            ---
            return len(neighbors(left)) + neighbors(taken)[0]
        """,
        "cache of method": """
            from functools import cache

            ---
            @cache
            def ways(self, left):
                return 1 if left < 2 else self.ways(left - 1) + self.ways(left - 2)

            def rule(self, left, taken):
                return self.ways(left)
        """,
        "cached_property": """
            from functools import cached_property
            ---
            @cached_property
            def lines(self):
                return tuple((row, row + 3) for row in range(5))

            def rule(self, left, taken):
                return self.lines[left][taken - 1]
        """,
        "reduce": """
            from functools import reduce
            ---
            return reduce(lambda x, y: x ^ y, (left, taken, 5))
        """,
        "reduce with operator": """
            import operator
            from functools import reduce
            ---
            return reduce(operator.xor, [left, taken, 3], 0)
        """,
        "partial": """
            from functools import partial


            def weigh(factor, number):
                return factor * number


            triple = partial(weigh, 3)
            ---
            return triple(left)
        """,
    },
    "collections": {
        "deque": """
            from collections import deque
            ---
            queue = deque([left])
            queue.append(taken)
            return queue.popleft() * 10 + len(queue)
        """,
        "search with deque": """
            from collections import deque

            NEIGHBORS = ((1, 3), (0, 2), (1, 4), (0,), (2,))
            ---
            distance = {left: 0}
            queue = deque([left])
            while queue:
                square = queue.popleft()
                for other in NEIGHBORS[square]:
                    if other not in distance:
                        distance[other] = distance[square] + 1
                        queue.append(other)
            return distance[taken]
        """,
        "deque rotate": """
            from collections import deque
            ---
            ring = deque((1, 2, 3, 4))
            ring.rotate(left)
            return ring[0]
        """,
        "defaultdict of int": """
            from collections import defaultdict
            ---
            seen = defaultdict(int)
            for step in range(6):
                seen[step % left] += 1
            return seen[0]
        """,
        "defaultdict of list": """
            from collections import defaultdict
            ---
            groups = defaultdict(list)
            for step in range(6):
                groups[step % left].append(step)
            return len(groups[taken])
        """,
        "Counter": """
            from collections import Counter
            ---
            counts = Counter([left, taken, 2])
            return counts[2] * 10 + len(counts)
        """,
        "Counter most common": """
            from collections import Counter
            ---
            return Counter((left, taken, taken)).most_common(1)[0][1]
        """,
        "heapq": """
            import heapq
            ---
            heap = [left, taken, 3]
            heapq.heapify(heap)
            heapq.heappush(heap, 0)
            return heapq.heappop(heap) + heap[0]
        """,
        "bisect": """
            from bisect import bisect_left
            ---
            return bisect_left([1, 2, 2, 4], left)
        """,
        "copy module": """
            import copy
            ---
            board = [[1, 2], [3, 4]]
            other = copy.deepcopy(board)
            other[0][0] = left
            return board[0][0] + 10 * other[0][0]
        """,
    },
    "numbers": {
        "bit_count": """
            return (left * 5).bit_count()
        """,
        "bin count": """
            return bin(left * 5).count("1")
        """,
        "bit_length": """
            return (left << taken).bit_length()
        """,
        "shifts and masks": """
            board = 0b1011010
            return (board >> left & 1) + (board << taken & 0xFF)
        """,
        "complement": """
            return ~left & 0b1111
        """,
        "lowest bit": """
            board = 12 * left
            return board & -board
        """,
        "loop over bits": """
            board = left * 11
            total = 0
            while board:
                square = (board & -board).bit_length() - 1
                total = 3 * total + square
                board &= board - 1
            return total
        """,
        "xor of heaps": """
            heaps = (left, taken, 6)
            nim = 0
            for heap in heaps:
                nim ^= heap
            return nim
        """,
        "divmod": """
            row, column = divmod(left * 5, 3)
            return 10 * row + column
        """,
        "floor division of negatives": """
            return -left // 2 + 5 % -taken
        """,
        "round": """
            return round(left / 2) + round(left / 3, 1)
        """,
        "abs and sign": """
            difference = taken - left
            return abs(difference) + (difference > 0) - (difference < 0)
        """,
        "power": """
            return left**3 + 2**taken + pow(3, left)
        """,
        "power with modulus": """
            return pow(left, 5, 7)
        """,
        "float arithmetic": """
            return (left / 3 + 0.5 * taken) * 100
        """,
        "int of float": """
            return int(left * 1.7) + int(-left / 2)
        """,
        "int of bool and bool of int": """
            return int(left > 2) + bool(left - 1) * 5
        """,
        "math functions": """
            import math
            ---
            return math.floor(math.sqrt(left) * 100) + math.ceil(left / 3)
        """,
        "math isqrt": """
            import math
            ---
            return math.isqrt(left * 10)
        """,
        "math gcd": """
            import math
            ---
            return math.gcd(left * 6, taken * 4)
        """,
        "math comb": """
            import math
            ---
            return math.comb(6, left)
        """,
        "math prod": """
            import math
            ---
            return math.prod((left, taken, 3))
        """,
        "math hypot and inf": """
            import math
            ---
            best = math.inf
            for step in range(1, 4):
                best = min(best, math.hypot(left - step, taken))
            return best * 100
        """,
        "float inf": """
            best = float("-inf")
            for step in range(left):
                best = max(best, step * 1.5)
            return best
        """,
        "operator functions": """
            import operator
            ---
            return operator.add(left, taken) * operator.mul(left, 2)
        """,
        "itemgetter": """
            from operator import itemgetter
            ---
            return max([(left, 3), (taken, 4)], key=itemgetter(1))[0]
        """,
        "addition of bools": """
            return (left > 2) + (taken == 1)
        """,
        "bools with and or": """
            return (left > 2 and taken == 1) or not (left == 1)
        """,
        "or of numbers": """
            return (left - 2 or 9) + (taken - 1 and 5)
        """,
        "min and max of arguments": """
            return min(left, taken, 3) * 10 + max(left, taken)
        """,
    },
    "expressions": {
        "conditional expression": """
            return 1 if left > 3 else 2 if left > 1 else 3
        """,
        "chained comparison": """
            return 0 < taken < left <= 3
        """,
        "walrus in if": """
            if (rest := left % 3) > 1:
                return rest
            return 10 + rest
        """,
        "walrus in while": """
            steps = [3, 2, 1]
            total = 0
            while (step := steps.pop()) < left and steps:
                total += step
            return total
        """,
        "walrus in comprehension": """
            return sum([half for step in range(6) if (half := step // 2) != left])
        """,
        "match of ints": """
            match left:
                case 1:
                    return 5
                case 2 | 3:
                    return 7
                case _:
                    return 9
        """,
        "match of tuple": """
            match (left, taken):
                case (1, _):
                    return 5
                case (number, 2):
                    return number
                case _:
                    return 9
        """,
        "match with guard": """
            match left:
                case number if number > 2:
                    return number * 2
                case number:
                    return number
        """,
        "match of string": """
            match "abc"[taken]:
                case "b":
                    return left
                case _:
                    return 0
        """,
        "lambda": """
            double = lambda number: 2 * number
            return double(left) + double(taken)
        """,
        "global lambda": """
            double = lambda number: 2 * number
            ---
            return double(left)
        """,
        "nested function": """
            def shifted(number, by=3):
                return number + by

            return shifted(left) * shifted(taken, 1)
        """,
        "closure that reads": """
            def rest(number):
                return left - number * taken

            return rest(1) * 10 + rest(3)
        """,
        "closure that reads self": """
            weights = (2, 5, 8)

            def rule(self, left, taken):
                def weigh(number):
                    return self.weights[taken] * number

                return weigh(left)
        """,
        "nonlocal": """
            total = 0

            def add(number):
                nonlocal total
                total += number

            add(left)
            add(taken)
            return total
        """,
        "recursive nested function": """
            def ways(number):
                return 1 if number < 2 else ways(number - 1) + ways(number - 2)

            return ways(left)
        """,
        "nested generator": """
            def multiples():
                for step in range(left):
                    yield step * taken

            return sum(multiples())
        """,
        "function as argument": """
            def twice(function, number):
                return function(function(number))


            def grow(number):
                return 2 * number + 1
            ---
            return twice(grow, left)
        """,
        "next with default": """
            return next((step for step in range(9) if step * step > left * 3), -1)
        """,
        "next of iter": """
            return next(iter([left, taken]))
        """,
        "next of method": """
            def multiples(self, left):
                for step in range(1, 4):
                    if step * left > 4:
                        yield step

            def rule(self, left, taken):
                return next(self.multiples(left), 9)
        """,
        "list of method that yields": """
            def multiples(self, left):
                for step in range(1, 4):
                    yield step * left

            def rule(self, left, taken):
                return list(self.multiples(left))[taken]
        """,
        "variable that may be None": """
            winner = None
            if left > 2:
                winner = taken
            return 7 if winner is None else winner
        """,
        "method that may return None": """
            def winner(self, left, taken):
                if left == 3:
                    return taken
                return None

            def rule(self, left, taken):
                winner = self.winner(left, taken)
                return 5 if winner is None else winner
        """,
        "int and float in one variable": """
            value = 0
            if left > 2:
                value = taken / 2
            return value * 4
        """,
        "global statement for reading": """
            LIMIT = 3
            ---
            global LIMIT
            return left if left < LIMIT else LIMIT
        """,
    },
    "actions": {
        "list": """
            def actions(self, state):
                return [taken for taken in (1, 2) if taken <= state[0]]
        """,
        "empty list at the end": """
            def actions(self, state):
                if state[0] == 0:
                    return []
                return [1, 2] if state[0] > 1 else [1]
        """,
        "compared with empty list": """
            def actions(self, state):
                return [taken for taken in (1, 2) if taken <= state[0]]

            def is_terminal(self, state):
                return self.actions(state) == []
        """,
        "not of list": """
            def actions(self, state):
                return [taken for taken in (1, 2) if taken <= state[0]]

            def is_terminal(self, state):
                return not self.actions(state)
        """,
        "len of list of generator": """
            def is_terminal(self, state):
                return len(list(self.actions(state))) == 0
        """,
        "any of generator": """
            def is_terminal(self, state):
                return not any(True for _ in self.actions(state))
        """,
        "membership": """
            def actions(self, state):
                return [taken for taken in (1, 2) if taken <= state[0]]

            def result(self, state, action):
                if action not in self.actions(state):
                    raise ValueError("illegal")
                return (state[0] - action, 2 * state[1] + action)
        """,
        "yield from range": """
            def actions(self, state):
                yield from range(1, min(2, state[0]) + 1)
        """,
        "yield from method": """
            def small(self, state):
                for taken in (1, 2):
                    if taken <= state[0]:
                        yield taken

            def actions(self, state):
                yield from self.small(state)
        """,
        "generator expression": """
            def actions(self, state):
                return (taken for taken in (1, 2) if taken <= state[0])
        """,
        "range": """
            def actions(self, state):
                return range(1, min(2, state[0]) + 1)
        """,
        "tuple": """
            def actions(self, state):
                return (1, 2) if state[0] > 1 else (1,)
        """,
        "set": """
            def actions(self, state):
                return {taken for taken in (1, 2) if taken <= state[0]}
        """,
        "keys of dict": """
            def actions(self, state):
                moves = {1: 5, 2: 7}
                return [taken for taken in moves if taken <= state[0]]
        """,
        "array": """
            import numpy as np
            ---
            def actions(self, state):
                return np.arange(1, min(2, state[0]) + 1)
        """,
        "sorted list": """
            def actions(self, state):
                return sorted([taken for taken in (2, 1) if taken <= state[0]], reverse=True)
        """,
        "filtered by result": """
            def actions(self, state):
                return [taken for taken in (1, 2) if self.result(state, taken)[0] >= 0]
        """,
        "tuples": """
            def actions(self, state):
                return [(0, taken) for taken in (1, 2) if taken <= state[0]]

            def result(self, state, action):
                row, taken = action
                return (state[0] - taken, 2 * state[1] + row + taken)
        """,
        "tuples by yield": """
            def actions(self, state):
                for row in range(2):
                    for taken in (1, 2):
                        if taken <= state[0]:
                            yield row, taken

            def result(self, state, action):
                return (state[0] - action[1], 2 * state[1] + action[0])
        """,
        "named tuples": """
            from typing import NamedTuple


            class Move(NamedTuple):
                row: int
                taken: int
            ---
            def actions(self, state):
                return [Move(1, taken) for taken in (1, 2) if taken <= state[0]]

            def result(self, state, action):
                return (state[0] - action.taken, 2 * state[1] + action.row)
        """,
        "strings": """
            def actions(self, state):
                return ["one", "two"] if state[0] > 1 else ["one"]

            def result(self, state, action):
                taken = 1 if action == "one" else 2
                return (state[0] - taken, 2 * state[1] + taken)
        """,
        "enums": """
            from enum import Enum


            class Take(Enum):
                ONE = 1
                TWO = 2
            ---
            def actions(self, state):
                return [take for take in Take if take.value <= state[0]]

            def result(self, state, action):
                return (state[0] - action.value, 2 * state[1] + action.value)
        """,
        "int enums": """
            from enum import IntEnum


            class Take(IntEnum):
                ONE = 1
                TWO = 2
            ---
            def actions(self, state):
                return [Take.ONE, Take.TWO] if state[0] > 1 else [Take.ONE]

            def result(self, state, action):
                return (state[0] - action, 2 * state[1] + (action == Take.ONE))
        """,
        "None for a pass": """
            def actions(self, state):
                return [None, 1]

            def result(self, state, action):
                if action is None:
                    return (state[0] - 2 if state[0] > 1 else 0, state[1])
                return (state[0] - action, 2 * state[1] + 1)
        """,
    },
    "states": {
        "int": """
            def initial_state(self):
                return 4

            def to_move(self, state):
                return state % 2

            def actions(self, state):
                return range(1, min(2, state) + 1)

            def result(self, state, action):
                return state - action

            def is_terminal(self, state):
                return state == 0

            def utility(self, state, player):
                return 1 if player == 0 else -1
        """,
        "list": """
            def initial_state(self):
                return [4, 0]

            def result(self, state, action):
                new = state.copy()
                new[0] -= action
                new[1] = 2 * new[1] + action
                return new
        """,
        "list of lists": """
            def initial_state(self):
                return [[4, 0], [0, 0]]

            def to_move(self, state):
                return state[0][0] % 2

            def actions(self, state):
                return [taken for taken in (1, 2) if taken <= state[0][0]]

            def result(self, state, action):
                board = [row[:] for row in state]
                board[0][0] -= action
                board[1][1] += action * board[0][0]
                return board

            def is_terminal(self, state):
                return state[0][0] == 0

            def utility(self, state, player):
                return state[1][1] if player == 0 else -state[1][1]
        """,
        "tuple with list": """
            def initial_state(self):
                return ([1, 1, 1], 0)

            def to_move(self, state):
                return state[1] % 2

            def actions(self, state):
                board, ply = state
                return [square for square in range(3) if board[square]]

            def result(self, state, action):
                board, ply = state
                board = list(board)
                board[action] = 0
                return (board, ply + 1)

            def is_terminal(self, state):
                return sum(state[0]) == 0

            def utility(self, state, player):
                return state[1] if player == 0 else -state[1]
        """,
        "tuple of squares rebuilt": """
            def initial_state(self):
                return (0, 0, 0)

            def to_move(self, state):
                return sum([1 for square in state if square]) % 2

            def actions(self, state):
                return [square for square, mark in enumerate(state) if mark == 0]

            def result(self, state, action):
                mark = self.to_move(state) + 1
                return state[:action] + (mark,) + state[action + 1 :]

            def is_terminal(self, state):
                return 0 not in state

            def utility(self, state, player):
                return 1 if (state[0] == state[1]) == (player == 0) else -1
        """,
        "tuple of tuples rebuilt": """
            def initial_state(self):
                return ((0, 0), (0, 0))

            def to_move(self, state):
                return sum(sum(row) for row in state) % 2

            def actions(self, state):
                return [2 * row + column for row in range(2) for column in range(2) if state[row][column] == 0]

            def result(self, state, action):
                board = [list(row) for row in state]
                board[action // 2][action % 2] = 1
                return tuple(tuple(row) for row in board)

            def is_terminal(self, state):
                return state[0] == (1, 1)

            def utility(self, state, player):
                return state[1][0] if player == 0 else -state[1][0]
        """,
        "tuple that grows": """
            def initial_state(self):
                return ()

            def to_move(self, state):
                return len(state) % 2

            def actions(self, state):
                return [action for action in range(3) if action not in state]

            def result(self, state, action):
                return (*state, action)

            def is_terminal(self, state):
                return len(state) == 3

            def utility(self, state, player):
                return state[0] - state[2] if player == 0 else state[2] - state[0]
        """,
        "dict of squares": """
            def initial_state(self):
                return {}

            def to_move(self, state):
                return len(state) % 2

            def actions(self, state):
                return [square for square in range(3) if square not in state]

            def result(self, state, action):
                board = dict(state)
                board[action] = self.to_move(state)
                return board

            def is_terminal(self, state):
                return len(state) == 3

            def utility(self, state, player):
                return 1 if state[0] == player else -1
        """,
        "dict with string keys": """
            def initial_state(self):
                return {"left": 4, "total": 0}

            def to_move(self, state):
                return state["left"] % 2

            def actions(self, state):
                return range(1, min(2, state["left"]) + 1)

            def result(self, state, action):
                return {**state, "left": state["left"] - action, "total": state["total"] + action * state["left"]}

            def is_terminal(self, state):
                return state["left"] == 0

            def utility(self, state, player):
                return state["total"] if player == 0 else -state["total"]
        """,
        "string": """
            def initial_state(self):
                return "..."

            def to_move(self, state):
                return (3 - state.count(".")) % 2

            def actions(self, state):
                return [square for square, mark in enumerate(state) if mark == "."]

            def result(self, state, action):
                return state[:action] + "XO"[self.to_move(state)] + state[action + 1 :]

            def is_terminal(self, state):
                return "." not in state

            def utility(self, state, player):
                return 1 if (state[1] == "X") == (player == 0) else -1
        """,
        "tuple with string": """
            def initial_state(self):
                return ("...", "X")

            def to_move(self, state):
                return 0 if state[1] == "X" else 1

            def actions(self, state):
                for square in range(3):
                    if state[0][square] == ".":
                        yield square

            def result(self, state, action):
                board, mark = state
                return (f"{board[:action]}{mark}{board[action + 1:]}", "O" if mark == "X" else "X")

            def is_terminal(self, state):
                return "." not in state[0]

            def utility(self, state, player):
                return 1 if (state[0][1] == "X") == (player == 0) else -1
        """,
        "string enumeration of phase": """
            def initial_state(self):
                return (4, 0, "place")

            def result(self, state, action):
                left, total, phase = state
                return (left - action, total + (phase == "place"), "move" if phase == "place" else "place")
        """,
        "frozenset": """
            def initial_state(self):
                return frozenset()

            def to_move(self, state):
                return len(state) % 2

            def actions(self, state):
                return [square for square in range(3) if square not in state]

            def result(self, state, action):
                return state | {action}

            def is_terminal(self, state):
                return len(state) == 3

            def utility(self, state, player):
                return 1 if player == 0 else -1
        """,
        "pair of frozensets": """
            def initial_state(self):
                return (frozenset(), frozenset())

            def to_move(self, state):
                return (len(state[0]) + len(state[1])) % 2

            def actions(self, state):
                taken = state[0] | state[1]
                return [square for square in range(3) if square not in taken]

            def result(self, state, action):
                first, second = state
                return (first | {action}, second) if self.to_move(state) == 0 else (first, second | {action})

            def is_terminal(self, state):
                return len(state[0] | state[1]) == 3

            def utility(self, state, player):
                return 1 if 1 in state[player] else -1
        """,
        "field that may be None": """
            def initial_state(self):
                return (4, 0, None)

            def result(self, state, action):
                left, total, last = state
                return (left - action, total + (0 if last is None else last), action)
        """,
        "int that becomes float": """
            def initial_state(self):
                return (4, 0)

            def result(self, state, action):
                return (state[0] - action, state[1] + action / 2)
        """,
        "object of a class": """
            class State:
                def __init__(self, left, total):
                    self.left = left
                    self.total = total
            ---
            def initial_state(self):
                return State(4, 0)

            def to_move(self, state):
                return state.left % 2

            def actions(self, state):
                return range(1, min(2, state.left) + 1)

            def result(self, state, action):
                return State(state.left - action, 2 * state.total + action)

            def is_terminal(self, state):
                return state.left == 0

            def utility(self, state, player):
                return state.total if player == 0 else -state.total
        """,
    },
    "arrays": {
        "board of one dimension": """
            import numpy as np
            ---
            def initial_state(self):
                return np.zeros(3, dtype=int)

            def to_move(self, state):
                return np.count_nonzero(state) % 2

            def actions(self, state):
                return np.flatnonzero(state == 0)

            def result(self, state, action):
                board = state.copy()
                board[action] = self.to_move(state) + 1
                return board

            def is_terminal(self, state):
                return np.all(state != 0)

            def utility(self, state, player):
                return 1 if (state[0] == state[2]) == (player == 0) else -1
        """,
        "board of two dimensions": """
            import numpy as np
            ---
            def initial_state(self):
                return (np.zeros((2, 2), dtype=np.int8), 0)

            def to_move(self, state):
                return state[1]

            def actions(self, state):
                return [2 * row + column for row in range(2) for column in range(2) if state[0][row, column] == 0]

            def result(self, state, action):
                board, player = state
                board = np.copy(board)
                board[action // 2, action % 2] = player + 1
                return (board, 1 - player)

            def is_terminal(self, state):
                return bool((state[0] > 0).all())

            def utility(self, state, player):
                return 1 if (state[0][0, 0] == state[0][1, 1]) == (player == 0) else -1
        """,
        "board of bools with argwhere": """
            import numpy as np
            ---
            def initial_state(self):
                return np.ones((2, 2), dtype=bool)

            def to_move(self, state):
                return int(state.sum()) % 2

            def actions(self, state):
                return [int(row * 2 + column) for row, column in np.argwhere(state)]

            def result(self, state, action):
                board = state.copy()
                board[action // 2][action % 2] = False
                return board

            def is_terminal(self, state):
                return state.sum() < 2

            def utility(self, state, player):
                return 1 if state[0, 0] == (player == 0) else -1
        """,
        "named tuple with array and replace": """
            from typing import NamedTuple

            import numpy as np


            class State(NamedTuple):
                board: np.ndarray
                turn: int
            ---
            def initial_state(self):
                return State(np.full(3, -1), 0)

            def to_move(self, state):
                return state.turn

            def actions(self, state):
                return [int(square) for square in np.where(state.board == -1)[0]]

            def result(self, state, action):
                board = state.board.copy()
                board[action] = state.turn
                return state._replace(board=board, turn=1 - state.turn)

            def is_terminal(self, state):
                return not np.any(state.board == -1)

            def utility(self, state, player):
                return 1 if state.board[0] == player else -1
        """,
        "slicing": """
            import numpy as np

            BOARD = np.arange(20).reshape(4, 5)
            ---
            return BOARD[left - 1, taken:].sum() + BOARD[:left, taken].max() + BOARD[::2, ::-1][1, left]
        """,
        "fancy indexing": """
            import numpy as np

            BOARD = np.arange(9) * 7 % 5
            LINE = np.array([0, 4, 8])
            ---
            return BOARD[LINE].sum() + BOARD[np.array([left, taken])][0]
        """,
        "indexing with list": """
            import numpy as np

            BOARD = np.arange(9) * 7 % 5
            ---
            return BOARD[[left, taken, 8]].sum()
        """,
        "boolean mask": """
            import numpy as np

            BOARD = np.arange(9) * 7 % 5
            ---
            return BOARD[BOARD > left].sum() + len(BOARD[BOARD == taken])
        """,
        "mask assignment": """
            import numpy as np
            ---
            board = np.arange(6) % 3
            board[board == taken] = left
            board[1:3] += 1
            return board.sum()
        """,
        "where of three": """
            import numpy as np
            ---
            board = np.arange(6) % 3
            return np.where(board == taken, left, -1).sum()
        """,
        "roll": """
            import numpy as np
            ---
            return np.roll(np.arange(5), left)[taken]
        """,
        "roll with axis": """
            import numpy as np
            ---
            return np.roll(np.arange(6).reshape(2, 3), taken, axis=1)[0, 2] + left
        """,
        "sum with axis": """
            import numpy as np

            BOARD = np.arange(16).reshape(4, 4)
            ---
            return BOARD.sum(axis=0)[left - 1] + np.sum(BOARD, axis=1)[taken]
        """,
        "all with axis of array": """
            import numpy as np

            BOARD = np.arange(16).reshape(4, 4) % 3 == 0
            ---
            return (BOARD | (taken == 1)).all(axis=1).any() + left
        """,
        "any with axis": """
            import numpy as np

            BOARD = np.arange(16).reshape(4, 4) % 3 == 0
            ---
            return np.any(BOARD, axis=0)[left - 1]
        """,
        "array_equal": """
            import numpy as np
            ---
            return np.array_equal(np.arange(left), np.array([0, 1, 2]))
        """,
        "reshape and flatten": """
            import numpy as np
            ---
            return np.arange(12).reshape((3, -1)).T.flatten()[left * taken] + np.arange(4).reshape(2, 2).ravel()[1]
        """,
        "diagonals": """
            import numpy as np

            BOARD = np.arange(16).reshape(4, 4)
            ---
            return np.diag(BOARD)[left - 1] + np.diag(np.fliplr(BOARD)).sum()
        """,
        "trace": """
            import numpy as np

            BOARD = np.arange(16).reshape(4, 4)
            ---
            return BOARD.trace() + np.trace(BOARD) * left
        """,
        "diagonal with offset": """
            import numpy as np

            BOARD = np.arange(16).reshape(4, 4)
            ---
            return BOARD.diagonal(offset=taken).sum() + left
        """,
        "rot90": """
            import numpy as np

            BOARD = np.arange(16).reshape(4, 4)
            ---
            return np.rot90(BOARD)[left - 1, taken] + np.rot90(BOARD, 2)[0, 0]
        """,
        "array from list": """
            import numpy as np
            ---
            return np.array([[left, taken], [3, 4]]).sum() + np.array([left, taken]).argmax()
        """,
        "loop over rows": """
            import numpy as np

            BOARD = np.arange(12).reshape(3, 4)
            ---
            total = 0
            for row in BOARD:
                if row[taken] > left:
                    total += row.sum()
            return total
        """,
        "ndenumerate": """
            import numpy as np

            BOARD = np.arange(6).reshape(2, 3)
            ---
            total = 0
            for (row, column), number in np.ndenumerate(BOARD):
                total += row * column * number * left
            return total
        """,
        "shape and dtype": """
            import numpy as np
            ---
            rows, columns = np.zeros((left, 3)).shape
            return rows * columns + np.ones(taken, dtype=np.int8).size
        """,
        "list of array": """
            import numpy as np
            ---
            return np.arange(5).tolist()[left] + int(list(np.arange(3))[taken])
        """,
        "tuple of array": """
            import numpy as np
            ---
            return tuple(np.arange(5))[left] * taken
        """,
        "concatenate and stack": """
            import numpy as np
            ---
            joined = np.concatenate((np.arange(left), np.array([7, 8])))
            return joined.sum() + np.vstack((joined, joined)).shape[0]
        """,
        "unique and bincount": """
            import numpy as np
            ---
            board = np.arange(7) % 3
            return len(np.unique(board[:left])) + np.bincount(board)[taken]
        """,
        "isin": """
            import numpy as np
            ---
            return np.isin(left, np.array([1, 3])) + np.isin(np.arange(5), [2, 3]).sum()
        """,
        "array membership": """
            import numpy as np
            ---
            return left in np.array([1, 3])
        """,
        "argmax and argsort": """
            import numpy as np
            ---
            weights = np.array([3, left, taken, 5])
            return weights.argmin() * 10 + np.argsort(weights)[-1]
        """,
        "cumsum and abs": """
            import numpy as np
            ---
            return np.cumsum(np.arange(6))[left] + np.abs(np.array([taken - 5]))[0]
        """,
        "clip of array": """
            import numpy as np
            ---
            return np.clip(np.arange(6), 2, 3)[left]
        """,
        "clip of number": """
            import numpy as np
            ---
            return np.clip(left, 2, 3)
        """,
        "logical functions": """
            import numpy as np
            ---
            board = np.arange(6)
            return np.logical_and(board > 1, board < left + 1).sum() + (~(board > taken)).sum()
        """,
        "set of bytes of array": """
            import numpy as np
            ---
            return len({np.arange(2).tobytes(), np.arange(taken).tobytes()})
        """,
        "ix_ and meshgrid": """
            import numpy as np

            BOARD = np.arange(16).reshape(4, 4)
            ---
            return BOARD[np.ix_([0, left - 1], [1, taken])].sum()
        """,
        "negative steps and None index": """
            import numpy as np
            ---
            board = np.arange(4)
            return (board[:, None] + board[None, :])[left - 1, taken] + board[-left]
        """,
        "dot and outer": """
            import numpy as np
            ---
            weights = np.array([1.0, 2.0, 3.0])
            return np.dot(weights, weights) * left + np.outer(np.arange(3), np.arange(3))[taken, 2]
        """,
    },
    "iterators": {
        "generators within generators": """
            return sum(any(x * y == z for y in range(x)) for x in range(left) for z in (taken, 2))
        """,
        "map over filter": """
            return sum(map(lambda x: x * left, filter(lambda x: x % 2 == taken - 1, range(6))))
        """,
        "sorted by a captured weight": """
            return sorted(range(5), key=lambda x: (x * left) % 3)[taken]
        """,
        "reversed list of generator": """
            return [x for x in reversed(list(y * y for y in range(left)))][0] + taken
        """,
        "break in loop over generator": """
            for x in (y * y for y in range(9) if y % 2):
                if x > left:
                    break
            return x
        """,
        "dropwhile": """
            from itertools import dropwhile
            ---
            return sum(dropwhile(lambda x: x < left, range(6)))
        """,
        "first walrus of several": """
            if left > 1 and (rest := left % 3) > taken - 1:
                return rest
            return 5
        """,
        "nested function that yields": """
            def steps(size):
                for step in range(size):
                    yield step * taken
            return sum(steps(left)) + max(steps(left))
        """,
        "tuple of any length": """
            squares = tuple(x for x in range(6) if x % left == 0)
            return len(squares + (taken,)) + squares[0]
        """,
        "tuple rebuilt with enumerate": """
            board = tuple(left if place == taken else mark for place, mark in enumerate((5, 6, 7)))
            return 100 * board[0] + 10 * board[1] + board[2]
        """,
        "return iterator": """
            def actions(self, state):
                return filter(lambda taken: taken <= state[0], (1, 2))
        """,
        "return nothing or iterator": """
            def actions(self, state):
                if state[0] == 0:
                    return []
                return (taken for taken in (1, 2) if taken <= state[0])
        """,
        "set looped over": """
            total = 0
            for x in {left, taken, 7}:
                total = 2 * total + x
            return total
        """,
    },
    "containers": {
        "frozenset that grows": """
            taken_before = frozenset({left})
            taken_before |= {taken}
            return len(taken_before) + 3 * (frozenset() <= taken_before)
        """,
        "frozenset with a set": """
            one, other = frozenset(range(left)), {1, taken, 7}
            return len(one & other) + 5 * len(other - one) + 25 * one.isdisjoint(other) + 50 * (one == other)
        """,
        "set with a constant": """
            CORNERS = frozenset({1, 4})
            ---
            free = {left, taken, 9}
            return len(free & CORNERS) + 5 * len(free - CORNERS) + 25 * (free >= CORNERS)
        """,
        "set of several arguments": """
            return len({left}.union([taken, 5], range(3)))
        """,
        "set comprehension over a set": """
            return len({square % 2 for square in {left, taken, 5}})
        """,
        "dict with more items": """
            fields = {"left": left, "taken": taken}
            fields = {**fields, "total": left * taken}
            return fields["total"] + len(dict(fields, left=0))
        """,
        "dict of pairs": """
            worth = dict(zip("abc", (left, taken, 3), strict=True))
            return worth["a"] + 10 * dict.fromkeys("xy", 4)["y"] + len(worth)
        """,
        "dict that takes others in": """
            WORTH = {1: 5}
            ---
            worth = {left: 2}
            worth |= WORTH
            worth[1] |= 8
            return worth[1] + len(worth | {taken: 7})
        """,
        "deque of pairs": """
            from collections import deque
            ---
            queue, total = deque([(left, 0)]), 0
            while queue:
                square, depth = queue.popleft()
                total += depth
                if square > 1:
                    queue.append((square - 1, depth + 1))
                    queue.appendleft((square // 2, depth + taken))
            return total
        """,
        "defaultdict of set": """
            from collections import defaultdict
            ---
            groups = defaultdict(set)
            for step in range(6):
                groups[step % left].add(step % 2)
            return sum(len(group) for group in groups.values()) + len(groups[9])
        """,
        "Counter in order": """
            from collections import Counter
            ---
            counts = Counter("abracadabra")
            counts["z"] += left
            return sum(place * number for place, (_, number) in enumerate(counts.most_common())) + counts["?"]
        """,
        "insort": """
            from bisect import bisect_right, insort
            ---
            found = [1, 3]
            insort(found, left)
            return found[1] * 10 + bisect_right(found, taken)
        """,
        "power without remainder": """
            return pow(left, -1, 11) + pow(taken, 100, 2**61 - 1) % 97
        """,
        "range as a list": """
            return range(10, 0, -2)[taken] + (left in range(2, 4))
        """,
        "deque that is passed on": """
            from collections import deque

            def first(queue):
                return queue[0]
            ---
            return first(deque([left]))
        """,
        "deque of a given length": """
            from collections import deque
            ---
            return deque([left, taken, 3], maxlen=2)[0]
        """,
    },
    "ordinary Python": {
        "frozenset on the left": """
            DECK = frozenset(range(6))
            ---
            return sorted(DECK - {left, taken})[0] + 10 * len(DECK | {9, left}) + len(DECK ^ {left, 8})
        """,
        "set of the module on the left": """
            CORNERS = {1, 3, 5}
            ---
            found = CORNERS - {left}
            found.add(7)
            return len(found) + 10 * CORNERS.isdisjoint({left}) + 20 * CORNERS.issuperset([taken])
        """,
        "array of texts": """
            import numpy as np
            ---
            board = np.full((2, 3), ".")
            board[left % 2, taken] = "x"
            return np.count_nonzero(board == "x") + len("".join(board[0]).strip(".")) + 5 * all(board[1] == ".")
        """,
        "except IndexError around a board": """
            GRID = ((1, 2, 3), (4, 5, 6))
            ---
            try:
                return GRID[left - 2][taken]
            except IndexError:
                return 90
        """,
        "counting with except KeyError": """
            counts = {5: 1}
            for number in (left, taken, left, 5):
                try:
                    counts[number] += 1
                except KeyError:
                    counts[number] = 1
            return sum(number * counts[number] for number in sorted(counts))
        """,
        "dict of lists by setdefault": """
            rows = {}
            for number in (left, taken, 5):
                rows.setdefault(number % 2, []).append(number)
            return sum(key + sum(row) * len(row) for key, row in rows.items())
        """,
        "keyword arguments from a dict": """
            from typing import NamedTuple


            class State(NamedTuple):
                left: int
                total: int = 3
            ---
            fields = State(left)._asdict()
            fields["total"] += taken
            return State(**fields).total * State(**{"left": left}).left
        """,
        "operators of an object": """
            class Point:
                def __init__(self, x, y):
                    self.x, self.y = x, y

                def __add__(self, other):
                    return Point(self.x + other.x, self.y + other.y)

                def __eq__(self, other):
                    return (self.x, self.y) == (other.x, other.y)

                def __bool__(self):
                    return self.x > 2

                def __iter__(self):
                    yield self.x
                    yield self.y
            ---
            point = Point(left, taken) + Point(1, 2)
            return sum(point) + 10 * (point == Point(3, 3)) + (5 if point else 7)
        """,
        "property that is set": """
            class Clock:
                def __init__(self, hour):
                    self.hour = hour

                @property
                def hour(self):
                    return self._hour

                @hour.setter
                def hour(self, hour):
                    self._hour = hour % 3
            ---
            clock = Clock(left)
            clock.hour += taken
            return clock.hour
        """,
        "moves with None": """
            ---
            def moves(self, left):
                if left > 2:
                    return [(step, None) for step in range(left)]
                return [] if left == 1 else [(step, step + 2) for step in range(left)]

            def rule(self, left, taken):
                return sum(step + (9 if extra is None else extra) for step, extra in self.moves(left))
        """,
    },
    "boards": {
        "an attribute that becomes an array": """
            import numpy as np
            class Board:
                def __init__(self, n):
                    self.n = n
                    self.pieces = [None] * self.n
                    for i in range(self.n):
                        self.pieces[i] = [0] * self.n
                def __getitem__(self, index):
                    return self.pieces[index]
                def total(self):
                    return sum(self[x][y] for x in range(self.n) for y in range(self.n))
            ---
            def rule(self, left, taken):
                first = Board(left)
                b = Board(left)
                b.pieces = np.array([[x * y + taken for x in range(left)] for y in range(left)])
                b[0][left - 1] = 7
                return b.total() + 100 * first.total()
        """,
        "two attributes at once": """
            class Pair:
                def __init__(self):
                    self.one, self.other = [], 0
            ---
            def rule(self, left, taken):
                pair = Pair()
                pair.one = (left, taken)
                pair.other = left
                found = Pair()
                found.one.append(taken)
                return pair.one[0] * 10 + pair.one[1] + pair.other + len(found.one)
        """,
        "an attribute made of itself": """
            import numpy as np
            class Row:
                def __init__(self, n):
                    self.cells = [i for i in range(n)]
            ---
            def rule(self, left, taken):
                row = Row(left + 1)
                row.cells = np.array(row.cells)
                row.cells = row.cells * taken
                return int(row.cells.sum())
        """,
        "an attribute that is not in the constructor": """
            class Player:
                pass
            ---
            def rule(self, left, taken):
                player = Player()
                player.place = (left, taken)
                player.score = 3
                player.score += player.place[1]
                return player.place[0] + player.score
        """,
        "made by a helper": """
            import numpy as np
            class Board:
                def __init__(self, n=3):
                    self.n = n
                    self.pieces = [[0] * n for _ in range(n)]
                def copy(self, pieces):
                    b = Board(self.n)
                    b.pieces = np.copy(pieces)
                    return b
            ---
            def rule(self, left, taken):
                b = Board().copy(np.full((2, 2), taken, dtype=int))
                return int(b.pieces.sum()) + b.n
        """,
        "list of rows filled in a loop": """
            rows = [None] * left
            for i in range(left):
                rows[i] = [0] * taken
                rows[i][0] = i
            return sum(row[0] for row in rows) + len(rows[0])
        """,
        "rows filled twice": """
            rows = [None for _ in range(left)]
            for i in range(left):
                width = i + taken
                rows[i] = [None] * width
                for j in range(width):
                    rows[i][j] = (i, j)
            return rows[-1][-1][0] * 10 + rows[-1][-1][1]
        """,
        "list of a set that grows": """
            moves = set()
            for y in range(left + 3):
                for x in range(7, 0, -taken):
                    moves.add((y * x % 5, x))
            found = 0
            for number, (y, x) in enumerate(list(moves)):
                found += (number + 1) * (10 * y + x)
            return found
        """,
        "loop over a set that grows": """
            seen = {left * 1000 + taken}
            for number in range(40):
                seen.add(number * number * 7919 % 101 - 50)
            seen.update([left, -1, -2])
            found = 0
            for number in seen:
                found = (found * 31 + number) % 10007
            return found
        """,
        "list of a set comprehension": """
            found = {(left * i) % 13 for i in range(20)}
            return sum(place * item for place, item in enumerate(found)) + (7 in found)
        """,
        "list of the set of a list": """
            values = [left * 37 % 11, taken * 1000003, -left, 5, 3, -1]
            unique = set(values)
            first = [value for value in unique][0]
            return first % 100 + len(unique)
        """,
        "returned list of a set": """
            def moves(self, left):
                moves = set()
                for i in range(left):
                    moves.add((i * 5 % 7, i))
                return list(moves)
            def rule(self, left, taken):
                found = self.moves(left + 3)
                if len(found) == 0:
                    return 1
                return found[0][0] * 10 + found[taken][1]
        """,
        "a tuple or None": """
            def find(self, left, taken):
                for i in range(left):
                    if i == taken:
                        return (i, left)
                    elif i > 2:
                        return None
            def rule(self, left, taken):
                found = []
                for i in range(4):
                    move = self.find(left, i * taken)
                    if move:
                        found.append(move)
                return sum(10 * x + y for x, y in found)
        """,
        "a list or None": """
            def moves(self, left, taken):
                if left == taken:
                    return None
                moves = []
                for i in range(taken):
                    moves.append((i, left))
                return moves
            def rule(self, left, taken):
                found = set()
                for i in range(3, 5):
                    moves = self.moves(i, left)
                    if moves is not None:
                        found.update(moves)
                return sum(x + 2 * y for x, y in list(found))
        """,
        "an empty list or another": """
            def flips(self, left, taken):
                flips = [(left, taken)]
                for i in range(left):
                    if i == 2:
                        return []
                    flips.append((i, i))
                    if i == 1 and taken == 2:
                        return flips
                return []
            def rule(self, left, taken):
                found = [flip for i in range(3) for flip in self.flips(left, i)]
                assert len(list(found)) >= 0
                return sum(x * 3 + y for x, y in found)
        """,
        "generator that yields lists": """
            class Steps:
                @staticmethod
                def _walk(move, direction, n):
                    move = list(map(sum, zip(move, direction)))
                    while all(map(lambda x: 0 <= x < n, move)):
                        yield move
                        move = list(map(sum, zip(move, direction)))
            ---
            def rule(self, left, taken):
                found = 0
                for x, y in Steps._walk((0, left), (taken, -1), 4):
                    if x == 3:
                        return found
                    found = found * 5 + x * 2 + y
                return found
        """,
        "private names": """
            class Board:
                __steps = [(1, 1), (1, 0), (0, -1)]
                def __init__(self, n):
                    self.n = n
                    self.__cells = [i for i in range(n)]
                def count(self, x):
                    return any(self.__cells[i] == x for i in range(self.n)) + sum(a * b for a, b in self.__steps)
            ---
            def rule(self, left, taken):
                return Board(left).count(taken)
        """,
        "an object that is a constant": """
            class Shape:
                def __init__(self, height=None, width=None):
                    self.height = height or 3
                    self.width = width or 4
                    self.rows = [[1, 2], [3]]
                @property
                def area(self):
                    return self.height * self.width
                def inside(self, x, y=0):
                    return 0 <= x < self.width and 0 <= y < self.height
                def __getitem__(self, place):
                    return self.rows[place]
                def __len__(self):
                    return self.width
                @staticmethod
                def double(number):
                    return 2 * number
            SHAPE = Shape(2)
            ---
            def __init__(self):
                self.shape = Shape(width=3)
            def rule(self, left, taken):
                found = self.shape.area + SHAPE.area * self.shape.inside(left, y=taken) + len(SHAPE)
                return found + SHAPE.double(left) + sum(self.shape[taken - 1]) + (3 in SHAPE[1])
        """,
        "a named tuple with None": """
            from collections import namedtuple
            End = namedtuple("End", "is_over winner")
            ---
            def end(self, left, taken):
                if left == taken:
                    return End(True, taken)
                if left > 3:
                    return End(True, None)
                return End(False, None)
            def rule(self, left, taken):
                end = self.end(left, taken)
                if end.is_over:
                    if end.winner is None:
                        return 1
                    elif end.winner == taken:
                        return 2
                    else:
                        raise ValueError("unexpected: ", end)
                return 3
        """,
        "text of an object in an error": """
            class Board:
                def __init__(self, n):
                    self.n = n
                def put(self, column):
                    if column > 100:
                        raise ValueError("cannot play %s on %s" % (column, self))
                    if column > 90:
                        raise ValueError(f"cannot play {column} on {self}")
                    return column + self.n
            ---
            def rule(self, left, taken):
                return Board(left).put(taken)
        """,
        "a list of arrays": """
            import numpy as np
            STEPS = list(map(np.array, [[1, 2], [-1, 2], [0, -2]]))
            BY_NAME = {"a": np.ones((2, 2)), "b": np.zeros((1, 3))}
            ---
            def rule(self, left, taken):
                place = np.array([left, taken])
                ends = [place + step for step in STEPS]
                x, y = ends[taken]
                return x * 7 + y + int(sum(step[1] for step in STEPS)) + int(BY_NAME["a"].sum()) + BY_NAME["b"].shape[1]
        """,
        "types and shapes of arrays": """
            import numpy as np
            ---
            def rule(self, left, taken):
                a = np.zeros([left, taken], dtype=int)
                b = np.full((left, taken), 2, dtype=float)
                c = np.ones([left], bool)
                a[0, taken - 1] = 5
                d = np.array([left, 1], dtype=float).astype(int)
                e = np.vstack([a, a])
                return int(a.sum() + b.sum() + c.sum() + d.sum()) + len(e)
        """,
        "hstack with a bool": """
            import numpy as np
            ---
            def rule(self, left, taken):
                cells = np.arange(6).reshape(2, 3)
                last = cells[-taken:, :] > left
                valid = np.hstack((np.logical_not(cells[:taken, :-1]).flatten(), last.flatten(), False))
                if left == 2:
                    valid[:] = False
                    valid[-1] = True
                return int(np.flatnonzero(valid).sum()) + len(valid)
        """,
        "bool in a cell of floats": """
            import numpy as np
            ---
            def rule(self, left, taken):
                cells = np.zeros((3, 3))
                cells[1, -1] = left > taken
                score = 0
                if cells[1][2]:
                    score += (cells[1, 2] and cells[0, 0])
                score += (cells[1, 2] and left)
                cells[0, 0] += score
                return int(cells.sum() * 4)
        """,
        "where of one row": """
            import numpy as np
            ---
            def rule(self, left, taken):
                cells = np.array([0, 1, 0, 2, 0])
                available, = np.where(cells == 0)
                return int(available[-1]) * left + len(available) + taken
        """,
        "a default that is None": """
            def width(self, left, width=None, height=None):
                if height is None:
                    height = [left, 2]
                if width is None:
                    width = len(height)
                return width * 10 + height[0]
            def rule(self, left, taken):
                found = self.width(left, taken) + self.width(left, height=[taken]) + self.width(1, None)
                return self.width(left) + found
        """,
    },
}
