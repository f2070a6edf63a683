"""Small games whose states hold containers, strings, None and objects: what compiles, and what must not."""

COMPILED = {
    "truth of an object with len": r"""
        class Pile:
            def __init__(self, n): self.n = n
            def __len__(self): return self.n
        class S:
            def __init__(self, left, pile):
                self.left = left
                self.pile = pile
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, Pile(3))
        def result(self, state, action):
            return S(state.left - action, Pile(max(0, state.pile.n - action)))
        def value(self, state):
            x = 5 if state.pile else 9
            return x
    """,
    "equality with eq": r"""
        class P:
            def __init__(self, x): self.x = x
            def __eq__(self, other): return self.x % 2 == other.x % 2
            def __hash__(self): return 1
        class S:
            def __init__(self, left, p):
                self.left = left
                self.p = p
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, P(3))
        def result(self, state, action):
            return S(state.left - action, P(state.p.x + action))
        def value(self, state):
            x = 5 if state.p == P(1) else 9
            y = 1 if state.p != P(3) else 3
            return x + 10 * y
    """,
    "new containers as defaults": r"""
        from dataclasses import dataclass, field
        @dataclass
        class S:
            left: int
            seen: list = field(default_factory=list)
            by: dict = field(default_factory=dict)
            more: int = 3
            hidden: list = field(default_factory=list, init=False)
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            new = S(state.left - action, more=state.more + 1)
            new.seen.append(action)
            new.by[action] = len(state.seen)
            new.hidden.append(5)
            other = S(1, [*state.seen, 7])
            new.seen.append(other.seen[-1] + len(other.hidden))
            return new
        def value(self, state):
            return sum(state.seen) + len(state.by) + len(state.hidden) + state.more
    """,
    "functions of the class of an object": r"""
        class S:
            size = 3
            def __init__(self, left, x):
                self.left, self.x = left, x
            @staticmethod
            def twice(x):
                return 2 * x
            @classmethod
            def made(cls, left, x=4):
                return cls(left, cls.twice(x))
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 0)
        def result(self, state, action):
            return S.made(state.left - action, state.x + S.size) if action == 1 else S.made(state.left - action)
        def value(self, state):
            return state.x + S.twice(2) + 10 * isinstance(state, S)
    """,
    "lists of objects": r"""
        class Step:
            def __init__(self, size):
                self.size = size
        class S:
            def __init__(self, left, steps):
                self.left = left
                self.steps = steps
                self._seen = {}
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, [])
        def result(self, state, action):
            new = S(state.left - action, [])
            new.steps.append(Step(3))
            for step in state.steps:
                new.steps.append(Step(step.size + 1))
            new._seen[action] = len(new.steps)
            return new
        def value(self, state):
            return sum(step.size for step in state.steps) + len(state._seen)
    """,
    "objects that are not in states": r"""
        class Move:
            def __init__(self, size, kind="small"):
                self.size, self.kind = size, kind
            def cost(self):
                return self.size + len(self.kind)
        class Board:
            width = 3
            def __init__(self, cells):
                self.cells = list(cells)
                self.moves = []
            def __getitem__(self, place):
                return self.cells[place]
            def __setitem__(self, place, value):
                self.cells[place] = value
            def __len__(self):
                return len(self.cells)
            def __contains__(self, value):
                return value in self.cells
            def play(self, move):
                self.moves.append(move)
                self[move.size] += move.cost()
                return self
        ---
        def left(self, state):
            return state[0]
        def initial_state(self):
            return (4, 0, 0, 0)
        def result(self, state, action):
            board = Board(state)
            board.play(Move(action)).play(Move(2, kind="x"))
            if 7 in board:
                board[3] += 5
            return (state[0] - action, board[1], board[2], board.cells[3] + len(board) + board.width)
        def value(self, state):
            return Board(state)[3] + 2 * state[2] + Board.width
    """,
    "objects that grow together": r"""
        class Piece:
            def __init__(self, kind):
                self.kind = kind
                self.next = None
        ---
        def left(self, state):
            return state[0]
        def initial_state(self):
            return (4, 0)
        def result(self, state, action):
            piece = Piece(action)
            piece.kind += 1
            return (state[0] - action, state[1] + piece.kind + (piece.next is None))
        def value(self, state):
            return state[1]
    """,
    "a limit that is None": r"""
        class S:
            def __init__(self, left, most=None):
                self.left = left
                self.most = most
            def moves(self):
                most = self.left if self.most is None else min(self.left, self.most)
                return [n for n in range(1, most + 1) if self.most is None or n <= self.most]
            def worth(self):
                if self.most is not None and self.left + self.most > 3:
                    return max(self.most, 2) - 1
                return len(self.moves())
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return state.worth()
    """,
    "super in objects": r"""
        class A:
            def __init__(self, left):
                self._left = left
                self.total = 1
            def worth(self):
                return self.total
        class S(A):
            def __init__(self, left, x):
                super().__init__(left)
                self._x = x
            def worth(self):
                return 2 * super().worth() + self._x
        ---
        def left(self, state):
            return state._left
        def initial_state(self):
            return S(4, 0)
        def result(self, state, action):
            new = S(state._left - action, state._x + action)
            new._x += 1
            return new
        def value(self, state):
            return state.worth()
    """,
    "super of an object": r"""
        class S:
            def __init__(self, left, x):
                super().__init__()
                self.left = left
                self.x = x
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 0)
        def result(self, state, action):
            return S(state.left - action, state.x + action)
        def value(self, state):
            return state.x
    """,
    "plain class below a data class": r"""
        from dataclasses import dataclass
        @dataclass
        class D:
            left: int
            x: int
        class S(D):
            def __init__(self, left, x):
                self.left = left
                self.x = 2 * x + 1
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 0)
        def result(self, state, action):
            return S(state.left - action, state.x + action)
        def value(self, state):
            return state.x
    """,
    "data class with its own init": r"""
        from dataclasses import dataclass
        @dataclass
        class S:
            left: int
            x: int
            def __init__(self, left, x):
                self.left = left
                self.x = 2 * x + 1
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 0)
        def result(self, state, action):
            return S(state.left - action, state.x + action)
        def value(self, state):
            return state.x
    """,
    "identity": r"""
        class P:
            def __init__(self, x): self.x = x
        class S:
            def __init__(self, left, p):
                self.left = left
                self.p = p
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, P(3))
        def result(self, state, action):
            return S(state.left - action, P(state.p.x + action))
        def value(self, state):
            x = 5 if state.p is P(4) else 9
            y = 1 if state.p is state.p else 3
            return x + 10 * y
    """,
    "slots": r"""
        class A:
            __slots__ = ("left",)
        class S(A):
            __slots__ = ("x",)
            def __init__(self, left, x):
                self.left = left
                self.x = x
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, [0])
        def result(self, state, action):
            return S(state.left - action, state.x + [action])
        def value(self, state):
            return sum(state.x) + 10 * len(state.x)
    """,
    "constant of the class is a list": r"""
        class S:
            WEIGHTS = [3, 5, 7, 9, 11]
            def __init__(self, left): self.left = left
            def w(self): return self.WEIGHTS[self.left]
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return state.w()
    """,
    "init calls methods": r"""
        class S:
            def __init__(self, left):
                self.left = left
                self.x = 0
                self.update(left)
            def update(self, n):
                for i in range(n):
                    self.x += i
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return state.x
    """,
    "dict order copy": r"""
        def initial_state(self):
            return (4, {'b': 1, 'a': 2})
        def result(self, state, action):
            d = state[1].copy()
            if action == 2 and 'a' in d: d.pop('a')
            d['a'] = action
            return (state[0] - action, d)
        def value(self, state):
            n = 0
            for k, v in state[1].items(): n = n * 3 + v + ord(k)
            return n
    """,
    "dict tuple keys": r"""
        def initial_state(self):
            return (4, {(0, 1): 1, (1, 0): 2})
        def result(self, state, action):
            d = state[1].copy()
            d[(action, state[0])] = action
            return (state[0] - action, d)
        def value(self, state):
            n = 0
            for (x, y), v in state[1].items(): n = n * 3 + v + x * 5 - y
            return n
    """,
    "dict order and key": r"""
        def initial_state(self):
            return (4, {1: 1})
        def result(self, state, action):
            d = state[1].copy()
            d.pop(1, 0)
            d[action] = 1
            d[1] = 1
            return (state[0] - action, d)
        def value(self, state):
            return len(state[1])
    """,
    "dict popitem setdefault": r"""
        def initial_state(self):
            return (4, {1: 1, 5: 7})
        def result(self, state, action):
            d = state[1].copy()
            k, v = d.popitem()
            d.setdefault(action * 9, 3)
            d[k + 1] = v
            return (state[0] - action, d)
        def value(self, state):
            n = 0
            for k in state[1].keys(): n = 3 * n + k
            for v in state[1].values(): n = 3 * n + v
            return n + state[1].get(18, 5)
    """,
    "dict equality": r"""
        def initial_state(self):
            return (4, {'x': 1, 'y': 2})
        def result(self, state, action):
            d = {'y': state[1]['y'], 'x': action}
            return (state[0] - action, d)
        def value(self, state):
            return 5 if state[1] == {'x': 2, 'y': 2} else 3
    """,
    "bools list": r"""
        def initial_state(self):
            return (4, [True, False])
        def result(self, state, action):
            return (state[0] - action, [action == 1, state[1][0]])
        def value(self, state):
            return 1 if state[1][0] is True else 5
    """,
    "floats and ints": r"""
        def initial_state(self):
            return (4, [1.0, 0.0])
        def result(self, state, action):
            return (state[0] - action, [action, state[1][0]])
        def value(self, state):
            return state[1][0] / 2 + (7 // max(1, state[1][0]))
    """,
    "float special": r"""
        import math
        ---
        def initial_state(self):
            return (4, [0.0, -0.0, float('inf'), float('nan')])
        def result(self, state, action):
            v = state[1][:]
            v.append(-v[0] * action)
            return (state[0] - action, v)
        def value(self, state):
            n = 0.0
            for x in state[1]:
                n = n * 2 + math.copysign(1.0, x)
            return n
    """,
    "uint64 list": r"""
        import numpy as np
        ---
        def initial_state(self):
            return (4, [np.uint64(2**63), np.uint64(3)])
        def result(self, state, action):
            return (state[0] - action, [state[1][1], state[1][0]])
        def value(self, state):
            return 1 if state[1][0] > 5 else 2
    """,
    "numpy scalars in list": r"""
        import numpy as np
        ---
        def initial_state(self):
            return (4, [np.int64(3), np.int64(4)])
        def result(self, state, action):
            return (state[0] - action, [state[1][0] + action, state[1][1]])
        def value(self, state):
            return float(state[1][0])
    """,
    "array in list": r"""
        import numpy as np
        ---
        def initial_state(self):
            return (4, [np.zeros(3, np.int8), np.ones(3, np.int8)])
        def result(self, state, action):
            v = [x.copy() for x in state[1]]
            v[1][action] = 7
            return (state[0] - action, v)
        def value(self, state):
            return float(v.sum()) if False else float(state[1][1].sum() + 3 * state[1][0].sum())
    """,
    "tuples in list": r"""
        def initial_state(self):
            return (4, [(1, 2), (3, 4)])
        def result(self, state, action):
            return (state[0] - action, state[1] + [(action, state[0])])
        def value(self, state):
            n = 0
            for x, y in state[1]: n = n * 3 + x - y
            return n
    """,
    "nested empties": r"""
        def initial_state(self):
            return (4, [[], []])
        def result(self, state, action):
            v = [x[:] for x in state[1]]
            v[0].append([action])
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for row in state[1]:
                n = n * 2 + len(row)
            return n
    """,
    "never filled": r"""
        def initial_state(self):
            return (4, [], {}, set())
        def result(self, state, action):
            return (state[0] - action, state[1], state[2], state[3])
        def value(self, state):
            return len(state[1]) + len(state[2]) + len(state[3])
    """,
    "none first": r"""
        def initial_state(self):
            return (4, None)
        def result(self, state, action):
            return (state[0] - action, action if state[1] is None else state[1] + action)
        def value(self, state):
            return 0 if state[1] is None else state[1]
    """,
    "none in list": r"""
        def initial_state(self):
            return (4, [None, 3, None])
        def result(self, state, action):
            v = state[1][:]
            v[action] = None if v[action] is not None else state[0]
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for x in state[1]:
                n = 3 * n + (1 if x is None else x)
            return n
    """,
    "unicode": r"""
        def initial_state(self):
            return (4, 'äß€𝄞')
        def result(self, state, action):
            return (state[0] - action, state[1][1:] + 'é' * action)
        def value(self, state):
            n = 0
            for c in state[1]: n = n * 3 + ord(c)
            return n + len(state[1])
    """,
    "string methods": r"""
        def initial_state(self):
            return (4, 'ab')
        def result(self, state, action):
            return (state[0] - action, state[1].replace('a', 'xy') + 'ab'[action - 1])
        def value(self, state):
            return state[1].count('x') * 7 + state[1].find('b') + (state[1] > 'xa')
    """,
    "string state": r"""
        def left(self, state):
            return state.count('.')
        def initial_state(self):
            return '....'
        def result(self, state, action):
            return state.replace('.', 'XO'[len(state) % 2], action)
        def value(self, state):
            n = 0
            for c in state: n = n * 3 + ord(c)
            return n
    """,
    "string null": r"""
        def initial_state(self):
            return (4, 'a\0b')
        def result(self, state, action):
            return (state[0] - action, state[1] + '\0')
        def value(self, state):
            return len(state[1])
    """,
    "surrogate": r"""
        def initial_state(self):
            return (4, 'a\udc80b')
        def result(self, state, action):
            return (state[0] - action, state[1] + 'x')
        def value(self, state):
            return len(state[1]) + ord(state[1][1])
    """,
    "string equality": r"""
        def initial_state(self):
            return (4, 'äb')
        def result(self, state, action):
            return (state[0] - action, 'a' + '\u0308' + 'b' if action == 1 else '\u00e4b')
        def value(self, state):
            return 1 if state[1] == '\u00e4b' else 2
    """,
    "none state": r"""
        def left(self, state):
            return (4 - (0 if state is None else state))
        def initial_state(self):
            return None
        def result(self, state, action):
            return action if state is None else state + action
        def value(self, state):
            return 0 if state is None else state
    """,
    "shared with parent": r"""
        def initial_state(self):
            return (4, [[1], [2]])
        def result(self, state, action):
            v = state[1][:]
            v[action - 1] = v[action - 1] + [state[0]]
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for row in state[1]:
                for x in row: n = 3 * n + x
            return n
    """,
    "mutated in place and copied": r"""
        def initial_state(self):
            return (4, [[1], [2]])
        def result(self, state, action):
            v = [r.copy() for r in state[1]]
            v[0], v[1] = v[1], v[0]
            v[0].append(action)
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for row in state[1]:
                for x in row: n = 3 * n + x
            return n
    """,
    "int enum": r"""
        from enum import IntEnum
        class C(IntEnum):
            A = 1
            B = 2
        ---
        def initial_state(self):
            return (4, [C.A])
        def result(self, state, action):
            return (state[0] - action, state[1] + [C.B])
        def value(self, state):
            return state[1][-1] * 2
    """,
    "named tuple in list": r"""
        from typing import NamedTuple
        class P(NamedTuple):
            x: int
            y: int
        ---
        def initial_state(self):
            return (4, [P(1, 2)])
        def result(self, state, action):
            return (state[0] - action, state[1] + [P(action, y=3)])
        def value(self, state):
            n = 0
            for p in state[1]: n = 3 * n + p.x - p.y
            return n
    """,
    "list compare": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            return (state[0] - action, sorted(state[1] + [action], reverse=True))
        def value(self, state):
            return 2 * (state[1] > [2, 1]) + (state[1] == [2, 2, 1]) + 4 * ([1] in [state[1]])
    """,
    "list methods": r"""
        def initial_state(self):
            return (4, [3, 1, 2])
        def result(self, state, action):
            v = list(state[1])
            v.insert(1, action)
            v.remove(1)
            v.reverse()
            x = v.pop(0)
            v.extend([x, 9])
            v.sort()
            del v[0]
            v[1:1] = [7]
            return (state[0] - action, v + [1])
        def value(self, state):
            n = 0
            for x in state[1]: n = 3 * n + x
            return n + state[1].index(9) + state[1].count(9)
    """,
    "list of lists equality": r"""
        def initial_state(self):
            return (4, [[1], [2]])
        def result(self, state, action):
            v = [list(r) for r in state[1]]
            v[0].append(action)
            return (state[0] - action, v)
        def value(self, state):
            return 3 if state[1] == [[1, 2, 2], [2]] else 2 if [2] in state[1] else 5
    """,
    "identity of lists": r"""
        def initial_state(self):
            return (4, [[1], [2]])
        def result(self, state, action):
            v = [state[1][0], state[1][0]]
            return (state[0] - action, v)
        def value(self, state):
            return 3 if state[1][0] is state[1][1] else 2
    """,
    "optional list": r"""
        def initial_state(self):
            return (4, None)
        def result(self, state, action):
            return (state[0] - action, [action] if action == 1 else None)
        def value(self, state):
            if state[1] is None: return 9
            return len(state[1]) + state[1][0]
    """,
    "optional string": r"""
        def initial_state(self):
            return (4, None)
        def result(self, state, action):
            return (state[0] - action, 'x' * (action - 1) if state[0] < 4 else None)
        def value(self, state):
            return 9 if not state[1] else 4
    """,
    "optional tuple": r"""
        def initial_state(self):
            return (4, None)
        def result(self, state, action):
            return (state[0] - action, (action, 3) if state[0] < 4 else None)
        def value(self, state):
            return 9 if state[1] is None else state[1][0]
    """,
    "winner": r"""
        def initial_state(self):
            return (4, ['', ''])
        def result(self, state, action):
            v = state[1][:]
            v[action - 1] += 'X'
            return (state[0] - action, v)
        def value(self, state):
            return len(state[1][0]) - len(state[1][1])
    """,
    "local list contains float": r"""
        def initial_state(self):
            return (4, 0.0)
        def result(self, state, action):
            v = [1, 2]
            pass
            n = (1.5 in v) + 2 * v.count(1.5) + 4 * (1.0 in v)
            return (state[0] - action, float(n))
        def value(self, state):
            return state[1]
    """,
    "bool into int list": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            v = state[1][:]
            v[0] = action == 1
            return (state[0] - action, v)
        def value(self, state):
            n = 0.0
            for x in state[1]: n = 3 * n + x
            return n
    """,
    "bool append": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            v = state[1][:]
            v.append(action == 1)
            return (state[0] - action, v)
        def value(self, state):
            n = 0.0
            for x in state[1]: n = 3 * n + x
            return n
    """,
    "int into float list": r"""
        def initial_state(self):
            return (4, [1.0])
        def result(self, state, action):
            v = state[1][:]
            v[0] = action
            return (state[0] - action, v)
        def value(self, state):
            return state[1][0] * 5
    """,
    "bools tuple": r"""
        def initial_state(self):
            return (4, [(1, 2)])
        def result(self, state, action):
            v = state[1][:]
            v[0] = (action == 1, 2)
            return (state[0] - action, v)
        def value(self, state):
            return state[1][0][0]
    """,
    "attribute float given int": r"""
        class S:
            def __init__(self, left, x):
                self.left = left
                self.x = x
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 0.0)
        def result(self, state, action):
            return S(state.left - action, state.x * 2 if action == 1 else 3)
        def value(self, state):
            return state.x
    """,
    "two objects of a class": r"""
        class P:
            def __init__(self, x): self.x = x
        class S:
            def __init__(self, a, b):
                self.a = a
                self.b = b
        ---
        def left(self, state):
            return state.a.x
        def initial_state(self):
            return S(P(4), P(7))
        def result(self, state, action):
            return S(P(state.a.x - action), P(state.b.x + action))
        def value(self, state):
            return state.b.x
    """,
    "frozen alias": r"""
        def initial_state(self):
            return (4, [[1], [2]])
        def result(self, state, action):
            v = copy.deepcopy(state[1])
            v[0].append(action)
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for r in state[1]:
                for x in r: n = 3 * n + x
            return n
    """,
    "deep object": r"""
        class S:
            def __init__(self, rows, d):
                self.rows = rows
                self.d = d
        ---
        def left(self, state):
            return state.rows[0][0]
        def initial_state(self):
            return S([[4, 1], [2, 3]], {'a': 1})
        def result(self, state, action):
            new = copy.deepcopy(state)
            new.rows[0][0] -= action
            new.d['b'] = action
            return new
        def value(self, state):
            n = 0
            for r in state.rows:
                for x in r: n = 3 * n + x
            for k in state.d: n = 3 * n + state.d[k]
            return n
    """,
    "shallow copy of object": r"""
        class S:
            def __init__(self, rows, x):
                self.rows = rows
                self.x = x
        ---
        def left(self, state):
            return state.rows[0]
        def initial_state(self):
            return S([4, 1], 0)
        def result(self, state, action):
            new = copy.copy(state)
            new.x += action
            new.rows = [new.rows[0] - action, action]
            return new
        def value(self, state):
            return state.x * 5 + state.rows[1]
    """,
    "optional object": r"""
        class P:
            def __init__(self, x): self.x = x
        class S:
            def __init__(self, left, p):
                self.left = left
                self.p = p
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, None)
        def result(self, state, action):
            return S(state.left - action, P(action) if action == 1 else None)
        def value(self, state):
            if state.p is None: return 7
            return state.p.x
    """,
    "optional number": r"""
        class S:
            def __init__(self, left, p):
                self.left = left
                self.p = p
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, None)
        def result(self, state, action):
            new = S(state.left - action, state.p)
            new.p = action
            if state.left == 3: new.p = None
            return new
        def value(self, state):
            if state.p is None: return 7
            return state.p * 2
    """,
    "frozen with defaults": r"""
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class S:
            left: int
            x: int = 0
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(x=state.x + action, left=state.left - action) if action == 1 else S(state.left - 2)
        def value(self, state):
            return state.x
    """,
    "data with defaults": r"""
        from dataclasses import dataclass
        @dataclass
        class S:
            left: int
            x: float = 0
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(x=state.x + action, left=state.left - action) if action == 1 else S(state.left - 2)
        def value(self, state):
            return state.x
    """,
    "kw only data": r"""
        from dataclasses import dataclass, field
        @dataclass
        class S:
            x: int = field(kw_only=True)
            left: int
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(left=4, x=1)
        def result(self, state, action):
            return S(left=state.left - action, x=state.x + action)
        def value(self, state):
            return state.x
    """,
    "kw only data positional": r"""
        from dataclasses import dataclass, field
        @dataclass(frozen=True)
        class S:
            x: int = field(kw_only=True)
            left: int
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, x=1)
        def result(self, state, action):
            return S(state.left - action, x=state.x + action)
        def value(self, state):
            return state.x
    """,
    "post init": r"""
        from dataclasses import dataclass, field
        @dataclass
        class S:
            left: int
            x: int
            twice: int = field(init=False)
            def __post_init__(self): self.twice = 2 * self.x
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 1)
        def result(self, state, action):
            return S(state.left - action, state.x + action)
        def value(self, state):
            return state.twice
    """,
    "dataclass slots": r"""
        from dataclasses import dataclass, field
        @dataclass(slots=True)
        class S:
            left: int
            x: int = 0
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action, state.x + action)
        def value(self, state):
            return state.x
    """,
    "dataclass compare false": r"""
        from dataclasses import dataclass, field
        @dataclass
        class S:
            left: int
            x: int = field(default=0, compare=False)
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action, state.x + action)
        def value(self, state):
            return state.x
    """,
    "own copy method": r"""
        class S:
            def __init__(self, left, x):
                self.left = left
                self.x = x
            def copy(self): return S(self.left, self.x[:])
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, [1])
        def result(self, state, action):
            new = state.copy()
            new.left -= action
            new.x.append(action)
            return new
        def value(self, state):
            return len(state.x)
    """,
    "init branch both": r"""
        class S:
            def __init__(self, left, n):
                self.left = left
                if n % 2:
                    self.x = 1
                else:
                    self.x = 2
                self.y = n + self.x
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 3)
        def result(self, state, action):
            return S(state.left - action, state.y + 1)
        def value(self, state):
            return state.x * 10 + state.y
    """,
    "method stored": r"""
        class S:
            def __init__(self, left):
                f = self.start
                self.left = left
                f()
            def start(self): self.x = self.left
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return state.x
    """,
    "set of tuples": r"""
        def initial_state(self):
            return (4, {(1, 2), (3, 4)})
        def result(self, state, action):
            s = set(state[1])
            s.add((action, 2))
            return (state[0] - action, s)
        def value(self, state):
            return len(state[1]) + 5 * ((2, 2) in state[1])
    """,
    "set of nested tuples": r"""
        def initial_state(self):
            return (4, {(1, (2, 3))})
        def result(self, state, action):
            s = state[1].copy()
            s.add((action, (2, 2)))
            return (state[0] - action, s)
        def value(self, state):
            return len(state[1]) + 5 * ((2, (2, 2)) in state[1])
    """,
    "set empty": r"""
        def initial_state(self):
            return (4, set())
        def result(self, state, action):
            s = state[1].copy()
            s.add(state[0] * action)
            return (state[0] - action, s)
        def value(self, state):
            return len(state[1]) + 5 * (2 in state[1])
    """,
    "set sorted": r"""
        def initial_state(self):
            return (4, {1, 2, 33})
        def result(self, state, action):
            return (state[0] - action, state[1] | {action * 40})
        def value(self, state):
            n = 0
            for x in sorted(state[1]): n = 3 * n + x
            return n
    """,
    "set min max": r"""
        def initial_state(self):
            return (4, {1, 2, 33})
        def result(self, state, action):
            return (state[0] - action, state[1] | {action * 40})
        def value(self, state):
            return min(state[1]) + max(state[1])
    """,
    "set in object": r"""
        class S:
            def __init__(self, left, s):
                self.left = left
                self.s = s
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, {1})
        def result(self, state, action):
            new = copy.deepcopy(state)
            new.left -= action
            new.s.add(new.left)
            return new
        def value(self, state):
            return len(state.s) + 9 * (2 in state.s)
    """,
    "dict of dicts": r"""
        def initial_state(self):
            return (4, {1: {2: 3}})
        def result(self, state, action):
            d = copy.deepcopy(state[1])
            d[1][action] = action
            return (state[0] - action, d)
        def value(self, state):
            n = 0
            for k in state[1][1]: n = 3 * n + k
            return n
    """,
    "dict of objects": r"""
        class P:
            def __init__(self, x): self.x = x
        ---
        def initial_state(self):
            return (4, {1: P(5)})
        def result(self, state, action):
            d = copy.deepcopy(state[1])
            d[1].x += action
            return (state[0] - action, d)
        def value(self, state):
            return state[1][1].x
    """,
    "dict of tuples": r"""
        def initial_state(self):
            return (4, {'a': (1, 2)})
        def result(self, state, action):
            d = copy.copy(state[1])
            d['b'] = (action, d['a'][1])
            return (state[0] - action, d)
        def value(self, state):
            n = 0
            for k, (x, y) in state[1].items(): n = 3 * n + x - y
            return n
    """,
    "dict with negative int keys": r"""
        def initial_state(self):
            return (4, {-1: 1, -2: 2, 2**62: 3})
        def result(self, state, action):
            d = state[1].copy()
            d[-action] += 5
            return (state[0] - action, d)
        def value(self, state):
            n = 0
            for k, v in state[1].items(): n = 3 * n + v + k % 7
            return n
    """,
    "dict bool values": r"""
        def initial_state(self):
            return (4, {1: True})
        def result(self, state, action):
            d = state[1].copy()
            d[action] = action == 1
            return (state[0] - action, d)
        def value(self, state):
            return sum([1 for v in state[1].values() if v])
    """,
    "dict with string and enum order": r"""
        def initial_state(self):
            return (4, {'p': [1][0], 'q': 2})
        def result(self, state, action):
            d = {k: v + action for k, v in state[1].items() if v < 4}
            return (state[0] - action, d)
        def value(self, state):
            n = 0
            for k in state[1]: n = 3 * n + state[1][k]
            return n
    """,
    "list of dicts": r"""
        def initial_state(self):
            return (4, [{1: 2}, {}])
        def result(self, state, action):
            v = [d.copy() for d in state[1]]
            v[1][action] = state[0]
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for d in state[1]:
                for k in d: n = 3 * n + k * d[k]
            return n
    """,
    "list of sets": r"""
        def initial_state(self):
            return (4, [{1}, set()])
        def result(self, state, action):
            v = [d.copy() for d in state[1]]
            v[1].add(action)
            return (state[0] - action, v)
        def value(self, state):
            return len(state[1][1]) * 3 + len(state[1][0])
    """,
    "list of strings": r"""
        def initial_state(self):
            return (4, ['ab', 'c'])
        def result(self, state, action):
            v = state[1][:]
            v[action - 1] += 'é'
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for t in state[1]: n = 3 * n + len(t)
            return n + ''.join(state[1]).find('é')
    """,
    "list of optional strings": r"""
        def initial_state(self):
            return (4, ['ab', None])
        def result(self, state, action):
            v = state[1][:]
            v[1] = 'x' * action
            return (state[0] - action, v)
        def value(self, state):
            return 1 if state[1][1] is None else len(state[1][1]) if False else 2
    """,
    "list of bool lists": r"""
        def initial_state(self):
            return (4, [[True, False], [False]])
        def result(self, state, action):
            v = [r[:] for r in state[1]]
            v[1].append(action == 1)
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for r in state[1]:
                for x in r: n = 3 * n + (1 if x else 2)
            return n
    """,
    "deep nest": r"""
        def initial_state(self):
            return (4, [[[1], []], [[2, 3]]])
        def result(self, state, action):
            v = copy.deepcopy(state[1])
            v[0][1].append(action)
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for a in state[1]:
                for b in a:
                    for x in b: n = 3 * n + x
            return n
    """,
    "tuple of list and dict": r"""
        def initial_state(self):
            return (4, ([1], {2: 3}))
        def result(self, state, action):
            a, b = copy.deepcopy(state[1])
            a.append(action)
            b[action] = 1
            return (state[0] - action, (a, b))
        def value(self, state):
            return len(state[1][0]) * 3 + len(state[1][1])
    """,
    "named tuple of lists": r"""
        from typing import NamedTuple
        class S(NamedTuple):
            left: int
            x: list
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, [1])
        def result(self, state, action):
            return state._replace(left=state.left - action, x=state.x + [action])
        def value(self, state):
            return sum(state.x) * 3 + len(state.x)
    """,
    "2d list and argument": r"""
        def left(self, state):
            return state[0][0]
        def initial_state(self):
            return [[4, 0], [0, 0]]
        def result(self, state, action):
            new = [row[:] for row in state]
            new[0][0] -= action
            new[1][action - 1] = new[0][0] + 1
            return new
        def value(self, state):
            n = 0
            for row in state:
                for x in row: n = 3 * n + x
            return n
    """,
    "none first utility": r"""
        def initial_state(self):
            return (4, None)
        def result(self, state, action):
            return (state[0] - action, action if state[1] is None else state[1] + action)
        def value(self, state):
            if state[1] is None:
                return 0
            return state[1]
    """,
    "numpy bool": r"""
        import numpy as np
        ---
        def initial_state(self):
            return (4, [np.True_])
        def result(self, state, action):
            v = state[1][:]
            v[0] = state[0] > 2
            return (state[0] - action, v)
        def value(self, state):
            return 1 if state[1][0] else 2
    """,
    "negative zero key": r"""
        def initial_state(self):
            return (4, [0.0])
        def result(self, state, action):
            return (state[0] - action, [-0.0 * action])
        def value(self, state):
            return 1 / (state[1][0] + 1)
    """,
    "inf and huge": r"""
        def initial_state(self):
            return (4, [1e300])
        def result(self, state, action):
            return (state[0] - action, [state[1][0] * 1e300, -1e400])
        def value(self, state):
            return 1.0 if state[1][0] > 5 else 2.0
    """,
    "object none attribute": r"""
        class S:
            def __init__(self):
                self.left = 4
                self.winner = None
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S()
        def result(self, state, action):
            new = S()
            new.left = state.left - action
            new.winner = action if new.left == 0 else None
            return new
        def value(self, state):
            if state.winner is None: return 5
            return state.winner
    """,
    "abstract base": r"""
        from abc import ABC, abstractmethod
        class B(ABC):
            @abstractmethod
            def next(self, n): ...
        class S(B):
            def __init__(self, left):
                self.left = left
                self.x = left * 2
            def next(self, n): return S(self.left - n)
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return state.next(action)
        def value(self, state):
            return state.x
    """,
    "generic base": r"""
        from typing import Generic, TypeVar
        T = TypeVar('T')
        class S(Generic[T]):
            def __init__(self, left):
                self.left = left
                self.x = left * 2
            def next(self, n): return S(self.left - n)
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return state.next(action)
        def value(self, state):
            return state.x
    """,
    "changes the argument": r"""
        def help_(v, n):
            v.append(n)
        ---
        def initial_state(self):
            return (4, [1])
        def result(self, state, action):
            v = state[1][:]
            help_(v, action)
            return (state[0] - action, v)
        def value(self, state):
            return len(state[1])
    """,
    "slot default": r"""
        class S:
            __slots__ = ('left', '__dict__')
            def __init__(self, left):
                self.left = left
                self.x = 3
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return state.x
    """,
    "constant shadowed": r"""
        class S:
            x = 3
            y = 4
            def __init__(self, left, x=8):
                self.left = left
                self.x = x
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action, state.x + state.y)
        def value(self, state):
            return state.x * 2 + state.y + S(3).x
    """,
    "data class defaults": r"""
        from dataclasses import dataclass
        from typing import ClassVar
        @dataclass
        class S:
            left: int
            x: int = 7
            y: ClassVar[int] = 4
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action, state.x + state.y)
        def value(self, state):
            return state.x * 2 + state.y + S(3).x
    """,
    "annotations only": r"""
        class S:
            left: int
            x: float
            def __init__(self, left):
                self.left = left
                self.x = 1
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return state.x
    """,
    "bool annotated": r"""
        class S:
            left: int
            x: bool
            def __init__(self, left):
                self.left = left
                self.x = left > 2
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return 1 if state.x else 2
    """,
    "mutual objects": r"""
        class P:
            def __init__(self, x): self.x = x
        class S:
            def __init__(self, left):
                self.p = P(left)
                self.q = P(left + 1)
        ---
        def left(self, state):
            return state.p.x
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            new = copy.deepcopy(state)
            new.p.x -= action
            return new
        def value(self, state):
            return state.p.x * 2 + state.q.x
    """,
    "swap objects": r"""
        class P:
            def __init__(self, x): self.x = x
        class S:
            def __init__(self, left):
                self.p = P(left)
                self.q = P(left + 1)
        ---
        def left(self, state):
            return state.p.x
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            new = copy.deepcopy(state)
            new.p.x -= action
            new.q, new.p = P(new.p.x), new.q
            new.p.x = new.q.x
            return new
        def value(self, state):
            return state.p.x * 2 + state.q.x
    """,
    "in place then undone": r"""
        class S:
            def __init__(self, left, x):
                self.left = left
                self.x = x
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, [])
        def result(self, state, action):
            state.left -= action
            new = copy.deepcopy(state)
            state.left += action
            new.x.append(action)
            return new
        def value(self, state):
            return len(state.x)
    """,
    "method chain returns self": r"""
        class S:
            def __init__(self, left, x):
                self.left = left
                self.x = x
            def copy(self): return S(self.left, self.x)
            def take(self, n):
                self.left -= n
                self.x = self.x * 2 + n
                return self
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 1)
        def result(self, state, action):
            return state.copy().take(action).take(0)
        def value(self, state):
            return state.x
    """,
    "default of method": r"""
        class S:
            def __init__(self, left, x):
                self.left = left
                self.x = x
            def take(self, n, k=7): return S(self.left - n, k)
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 1)
        def result(self, state, action):
            return state.take(action)
        def value(self, state):
            return state.x
    """,
    "property chain": r"""
        class S:
            def __init__(self, left, x):
                self.left = left
                self.x = x
            @property
            def total(self): return self.half + 1
            @property
            def half(self): return self.x // 2 + self.left
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 1)
        def result(self, state, action):
            return S(state.left - action, state.total)
        def value(self, state):
            return state.total
    """,
    "method of another object": r"""
        class P:
            def __init__(self, x): self.x = x
            def plus(self, n): return self.x + n
        class S:
            def __init__(self, left):
                self.left = left
                self.p = P(left)
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            new = S(state.left - action)
            new.p.x = state.p.plus(action)
            return new
        def value(self, state):
            return state.p.x
    """,
    "method overridden in instance": r"""
        class S:
            def __init__(self, left):
                self.left = left
                self.f = 3
            def g(self): return 4
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return state.f
    """,
    "same names two classes": r"""
        def make(k):
            class P:
                def __init__(self): self.x = k
            return P
        A, B = make(1), make(2)
        class S:
            def __init__(self, left):
                self.left = left
                self.p = A()
                self.q = B()
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return state.p.x + state.q.x * 3
    """,
    "ne none": r"""
        class P:
            def __init__(self, x): self.x = x
        class S:
            def __init__(self, left, p):
                self.left = left
                self.p = p
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, None)
        def result(self, state, action):
            return S(state.left - action, P(1) if action == 2 else None)
        def value(self, state):
            return 2 if state.p == None else 3 if state.p != None else 4
    """,
    "list of lists with none": r"""
        def initial_state(self):
            return (4, [[None, 1], [2, None]])
        def result(self, state, action):
            v = copy.deepcopy(state[1])
            v[0][action - 1] = state[0]
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for r in state[1]:
                for x in r: n = 3 * n + (7 if x is None else x)
            return n
    """,
    "sum of optionals": r"""
        def initial_state(self):
            return (4, [None, 1])
        def result(self, state, action):
            v = state[1][:]
            v[0] = action
            return (state[0] - action, v)
        def value(self, state):
            return sum([x for x in state[1] if x is not None])
    """,
    "none arithmetic": r"""
        def initial_state(self):
            return (4, [None, 1])
        def result(self, state, action):
            v = state[1][:]
            v[0] = action
            return (state[0] - action, v)
        def value(self, state):
            return state[1][0] + 1 if state[0] < 4 else 0
    """,
    "float from optional": r"""
        def initial_state(self):
            return (4, None)
        def result(self, state, action):
            return (state[0] - action, action / 2)
        def value(self, state):
            return state[1] + 1
    """,
    "string iteration": r"""
        def initial_state(self):
            return (4, 'abc')
        def result(self, state, action):
            return (state[0] - action, ''.join(sorted(state[1] + 'b' * action)))
        def value(self, state):
            return len(state[1].split('b')) + state[1].index('c')
    """,
    "string negative index": r"""
        def initial_state(self):
            return (4, 'abcd')
        def result(self, state, action):
            return (state[0] - action, state[1][::-1][-2:] + state[1])
        def value(self, state):
            return ord(state[1][-1]) + ord(state[1][0])
    """,
    "list out of range": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            try:
                x = state[1][7]
            except Exception:
                x = 3
            return (state[0] - action, state[1] + [x])
        def value(self, state):
            return sum(state[1])
    """,
    "negative multiplication": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            return (state[0] - action, state[1] * (action - 1) + [5] * -3 + [action])
        def value(self, state):
            return sum(state[1]) + len(state[1])
    """,
    "dict of lists in the state": r"""
        def initial_state(self):
            return (4, {'x': [1, 2], 'y': []})
        def result(self, state, action):
            d = {k: v[:] for k, v in state[1].items()}
            d['y'].append(action)
            return (state[0] - action, d)
        def value(self, state):
            return sum(state[1]['y']) * 7 + len(state[1]['x'])
    """,
}
"""Both speeds are equal."""

INTERPRETED = {
    "local set add float": r"""
        def initial_state(self):
            return (4, 0.0)
        def result(self, state, action):
            v = {1, 2}
            v.add(1.5)
            n = len(v) + (1.5 in v)
            return (state[0] - action, float(n))
        def value(self, state):
            return state[1]
    """,
    "string out of range": r"""
        def initial_state(self):
            return (4, 'ab')
        def result(self, state, action):
            try:
                x = ord(state[1][7])
            except Exception:
                x = 3
            return (state[0] - action, state[1] + chr(x + 60))
        def value(self, state):
            return len(state[1])
    """,
    "aliased rows": r"""
        def left(self, state):
            return state[0][0]
        def initial_state(self):
            row = [4, 0]
            return [row, row]
        def result(self, state, action):
            new = copy.deepcopy(state)
            new[0][0] -= action
            new[1][1] += action
            return new
        def value(self, state):
            return state[0][1] + 3 * state[1][0]
    """,
    "list subclass": r"""
        class Board(list):
            def total(self): return sum(self)
        ---
        def initial_state(self):
            return Board([4, 0])
        def result(self, state, action):
            return Board([state[0] - action, state[1] * 2 + action])
        def value(self, state):
            return state.total()
    """,
    "field list subclass": r"""
        class Board(list):
            def total(self): return sum(self)
        class S:
            def __init__(self, b): self.b = b
        ---
        def left(self, state):
            return state.b[0]
        def initial_state(self):
            return S(Board([4, 0]))
        def result(self, state, action):
            return S(Board([state.b[0] - action, state.b[1] * 2 + action]))
        def value(self, state):
            return state.b.total()
    """,
    "str subclass": r"""
        class Name(str):
            pass
        ---
        def initial_state(self):
            return (4, Name("ab"))
        def result(self, state, action):
            return (state[0] - action, Name(state[1] + "c"))
        def value(self, state):
            return len(state[1])
    """,
    "tuple subclass": r"""
        class Pair(tuple):
            def total(self): return sum(self)
        ---
        def initial_state(self):
            return Pair((4, 0))
        def result(self, state, action):
            return Pair((state[0] - action, state[1] * 2 + action))
        def value(self, state):
            return sum(state)
    """,
    "own new": r"""
        class S:
            def __new__(cls, left, x=0):
                made = object.__new__(cls)
                made.left = left
                made.x = x + 7
                return made
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action, state.x)
        def value(self, state):
            return state.x
    """,
    "own new and init": r"""
        class S:
            def __new__(cls, left, x=0):
                made = object.__new__(cls)
                made.y = 5 * x
                return made
            def __init__(self, left, x=0):
                self.left = left
                self.x = x + self.y
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return S(state.left - action, state.x + 1)
        def value(self, state):
            return state.x
    """,
    "frozen data class assigned": r"""
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class S:
            left: int
            x: int
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 0)
        def result(self, state, action):
            new = S(state.left - action, state.x + action)
            try:
                new.x = 100
            except Exception:
                pass
            return new
        def value(self, state):
            return state.x
    """,
    "attribute of the class shadowed": r"""
        class S:
            x = 3
            y = 4
            def __init__(self, left, set_it):
                self.left = left
                if set_it:
                    self.x = 8
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, True)
        def result(self, state, action):
            return S(state.left - action, action == 1)
        def value(self, state):
            return state.x * 2 + state.y
    """,
    "attribute set in a branch": r"""
        class S:
            def __init__(self, left, set_it):
                self.left = left
                if set_it:
                    self.x = 8
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, True)
        def result(self, state, action):
            return S(state.left - action, action == 1)
        def value(self, state):
            return 5 if hasattr(state, "x") else 2
    """,
    "mutable default": r"""
        class S:
            def __init__(self, left, x=[]):
                self.left = left
                self.x = x
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            new = S(state.left - action)
            return new
        def value(self, state):
            return len(state.x)
    """,
    "linked list": r"""
        class Node:
            def __init__(self, value, rest):
                self.value = value
                self.rest = rest
        ---
        def left(self, state):
            return state.value
        def initial_state(self):
            return Node(4, None)
        def result(self, state, action):
            return Node(state.value - action, state)
        def value(self, state):
            n = 0
            node = state
            while node is not None:
                n = 2 * n + node.value
                node = node.rest
            return n
    """,
    "cycle": r"""
        class S:
            def __init__(self, left):
                self.left = left
                self.me = self
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def key(self, state):
            return state.left
        def result(self, state, action):
            return S(state.left - action)
        def value(self, state):
            return state.me.left
    """,
    "subclassed states": r"""
        class A:
            def __init__(self, left): self.left = left
            def worth(self): return 1
        class B(A):
            def worth(self): return 2
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return A(4)
        def result(self, state, action):
            return A(state.left - action) if action == 1 else B(state.left - action)
        def value(self, state):
            return state.worth()
    """,
    "set order": r"""
        def initial_state(self):
            return (4, {33, 1, 65, 7})
        def result(self, state, action):
            return (state[0] - action, state[1] | {state[0] * 40})
        def value(self, state):
            n = 0
            for x in state[1]: n = n * 3 + x
            return n
    """,
    "set pop": r"""
        def initial_state(self):
            return (4, {33, 1, 65, 7})
        def result(self, state, action):
            s = set(state[1])
            s.pop()
            return (state[0] - action, s)
        def value(self, state):
            return sum(state[1])
    """,
    "ints become bools": r"""
        def initial_state(self):
            return (4, [1, 0])
        def result(self, state, action):
            return (state[0] - action, [action == 1, state[1][0]])
        def value(self, state):
            return 1 if state[1][0] is True else 5
    """,
    "bool str": r"""
        def initial_state(self):
            return (4, [1, 0])
        def result(self, state, action):
            return (state[0] - action, [action == 1, False])
        def value(self, state):
            return len(str(state[1][0]))
    """,
    "ints become floats": r"""
        def initial_state(self):
            return (4, [1, 0])
        def result(self, state, action):
            return (state[0] - action, [action / 2, state[1][0]])
        def value(self, state):
            return state[1][0] * 3
    """,
    "tuples of lengths": r"""
        def initial_state(self):
            return (4, [(1, 2), (3, 4, 5)])
        def result(self, state, action):
            return (state[0] - action, state[1])
        def value(self, state):
            return len(state[1][1])
    """,
    "value first": r"""
        def initial_state(self):
            return (4, 7)
        def result(self, state, action):
            return (state[0] - action, None if action == 1 else 5)
        def value(self, state):
            return 11 if state[1] is None else state[1]
    """,
    "list becomes tuple": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            return (state[0] - action, (action, 2))
        def value(self, state):
            return state[1][0]
    """,
    "tuple becomes list": r"""
        def initial_state(self):
            return (4, (1, 2))
        def result(self, state, action):
            return (state[0] - action, [action, 2])
        def value(self, state):
            return state[1][0]
    """,
    "row times": r"""
        def initial_state(self):
            return (4, [[0] * 2] * 2)
        def result(self, state, action):
            v = [r.copy() for r in state[1]]
            v[0][1] = action
            return (state[0] - action, v)
        def value(self, state):
            n = 0
            for row in state[1]:
                for x in row: n = 3 * n + x
            return n
    """,
    "ordered dict": r"""
        from collections import OrderedDict
        ---
        def initial_state(self):
            return (4, OrderedDict([(1, 2)]))
        def result(self, state, action):
            d = OrderedDict(state[1])
            d[action] = 4
            return (state[0] - action, d)
        def value(self, state):
            return sum(state[1].values())
    """,
    "deque": r"""
        from collections import deque
        ---
        def initial_state(self):
            return (4, deque([1, 2]))
        def result(self, state, action):
            d = deque(state[1])
            d.appendleft(action)
            return (state[0] - action, d)
        def value(self, state):
            return d[0] if False else state[1][0]
    """,
    "counter": r"""
        from collections import Counter
        ---
        def initial_state(self):
            return (4, Counter('aab'))
        def result(self, state, action):
            d = Counter(state[1])
            d['x'] += action
            return (state[0] - action, d)
        def value(self, state):
            return state[1]['x'] + state[1]['zz']
    """,
    "defaultdict": r"""
        from collections import defaultdict
        ---
        def initial_state(self):
            return (4, defaultdict(int))
        def result(self, state, action):
            d = defaultdict(int, state[1])
            d[action] += action
            return (state[0] - action, d)
        def value(self, state):
            return sum(state[1].values())
    """,
    "bytes": r"""
        def initial_state(self):
            return (4, b'ab')
        def result(self, state, action):
            return (state[0] - action, state[1] + b'c')
        def value(self, state):
            return len(state[1])
    """,
    "local setitem float": r"""
        def initial_state(self):
            return (4, 0.0)
        def result(self, state, action):
            v = [1, 2]
            v[0] = action / 2
            n = 0.0
            for x in v: n = 3 * n + x

            return (state[0] - action, float(n))
        def value(self, state):
            return state[1]
    """,
    "local iadd float": r"""
        def initial_state(self):
            return (4, 0.0)
        def result(self, state, action):
            v = [1, 2]
            v += [action / 2]
            n = 0.0
            for x in v: n = 3 * n + x

            return (state[0] - action, float(n))
        def value(self, state):
            return state[1]
    """,
    "state setitem float": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            v = state[1][:]
            v[0] = action / 2
            return (state[0] - action, v)
        def value(self, state):
            n = 0.0
            for x in state[1]: n = 3 * n + x
            return n
    """,
    "state append float": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            v = state[1][:]
            v.append(action / 2)
            return (state[0] - action, v)
        def value(self, state):
            n = 0.0
            for x in state[1]: n = 3 * n + x
            return n
    """,
    "state iadd float": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            v = state[1][:]
            v += [action / 2]
            return (state[0] - action, v)
        def value(self, state):
            n = 0.0
            for x in state[1]: n = 3 * n + x
            return n
    """,
    "state dict in float": r"""
        def initial_state(self):
            return (4, {1: 2})
        def result(self, state, action):
            v = state[1].copy()
            return (state[0] - action, v)
        def value(self, state):
            return state[1].get(1.5, 8) + (1.5 in state[1]) + (1.0 in state[1])
    """,
    "bool append is": r"""
        def initial_state(self):
            return (4, [1, 2])
        def result(self, state, action):
            v = state[1][:]
            v.append(action == 1)
            return (state[0] - action, v)
        def value(self, state):
            return 1 if state[1][-1] is True else 3
    """,
    "int into bool list": r"""
        def initial_state(self):
            return (4, [True])
        def result(self, state, action):
            v = state[1][:]
            v[0] = action
            return (state[0] - action, v)
        def value(self, state):
            return state[1][0] * 5
    """,
    "int into dict of bools": r"""
        def initial_state(self):
            return (4, {1: True})
        def result(self, state, action):
            v = state[1].copy()
            v[1] = action
            return (state[0] - action, v)
        def value(self, state):
            return state[1][1] * 5
    """,
    "tuple of floats": r"""
        def initial_state(self):
            return (4, [(1, 2)])
        def result(self, state, action):
            v = state[1][:]
            v[0] = (0.5, 2)
            return (state[0] - action, v)
        def value(self, state):
            return state[1][0][0]
    """,
    "attribute list of floats": r"""
        class S:
            def __init__(self, v): self.v = v
        ---
        def left(self, state):
            return state.v[0]
        def initial_state(self):
            return S([4, 0])
        def result(self, state, action):
            new = S(state.v[:])
            new.v[0] -= action
            new.v[1] += 0.5
            return new
        def value(self, state):
            return state.v[1]
    """,
    "attribute int given float": r"""
        class S:
            def __init__(self, left, x):
                self.left = left
                self.x = x
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 0)
        def result(self, state, action):
            return S(state.left - action, state.x + 0.5)
        def value(self, state):
            return state.x
    """,
    "own deepcopy": r"""
        class S:
            def __init__(self, left, x):
                self.left = left
                self.x = x
            def __deepcopy__(self, memo): return S(self.left, self.x + 1)
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 1)
        def result(self, state, action):
            new = copy.deepcopy(state)
            new.left -= action
            return new
        def value(self, state):
            return state.x
    """,
    "loop in init": r"""
        class S:
            def __init__(self, left, n):
                self.left = left
                for i in range(n):
                    self.x = i
                self.y = n
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, 3)
        def result(self, state, action):
            return S(state.left - action, state.y + 1)
        def value(self, state):
            return state.x * 10 + state.y
    """,
    "init reads class constant": r"""
        class S:
            x = 7
            def __init__(self, left):
                self.left = left
                self.x = self.x + 1
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            new = S(state.left - action)
            new.x += action
            return new
        def value(self, state):
            return state.x
    """,
    "attribute by conditional only later": r"""
        class S:
            bonus = 1
            def __init__(self, left):
                self.left = left
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            new = S(state.left - action)
            if action == 2:
                new.bonus = 5
            return new
        def value(self, state):
            return state.bonus + state.left
    """,
    "set of none": r"""
        def initial_state(self):
            return (4, {None, 1})
        def result(self, state, action):
            return (state[0] - action, state[1])
        def value(self, state):
            return len(state[1])
    """,
    "set of objects": r"""
        class P:
            pass
        ---
        def initial_state(self):
            return (4, {P()})
        def result(self, state, action):
            return (state[0] - action, {P()})
        def value(self, state):
            return len(state[1])
        def key(self, state):
            return state[0]
    """,
    "set of strings copy": r"""
        def initial_state(self):
            return (4, {'a', 'b'})
        def result(self, state, action):
            s = state[1].copy()
            s.add('x' * action)
            return (state[0] - action, s)
        def value(self, state):
            return len(state[1]) + 5 * ('xx' in state[1])
    """,
    "dict of none": r"""
        def initial_state(self):
            return (4, {1: None})
        def result(self, state, action):
            d = state[1].copy()
            d[1] = action
            return (state[0] - action, d)
        def value(self, state):
            return 5 if state[1][1] is None else 4
    """,
    "exception base": r"""
        class S(Exception):
            def __init__(self, left):
                self.left = left
                self.x = left * 2
            def next(self, n): return S(self.left - n)
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4)
        def result(self, state, action):
            return state.next(action)
        def value(self, state):
            return state.x
        def key(self, state):
            return state.left
    """,
    "eq none with own eq": r"""
        class P:
            def __init__(self, x): self.x = x
            def __eq__(self, o): return True
        class S:
            def __init__(self, left, p):
                self.left = left
                self.p = p
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, None)
        def result(self, state, action):
            return S(state.left - action, P(1) if action == 2 else None)
        def value(self, state):
            return 2 if state.p == None else 3
        def key(self, state):
            return state.left
    """,
    "eq none not optional": r"""
        class P:
            def __init__(self, x): self.x = x
            def __eq__(self, o): return True
        class S:
            def __init__(self, left, p):
                self.left = left
                self.p = p
        ---
        def left(self, state):
            return state.left
        def initial_state(self):
            return S(4, P(1))
        def result(self, state, action):
            return S(state.left - action, P(1))
        def value(self, state):
            return 2 if state.p == None else 3
        def key(self, state):
            return state.left
    """,
}
"""These run interpreted, since compiled code would compute something else, or has no such type."""
