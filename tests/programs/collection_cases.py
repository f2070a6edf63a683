"""Sets, dicts and containers of the module `collections` in small games: what compiles, and what must not.

`AWKWARD` holds functions of three ints and a tuple.
"""

# ruff: noqa: E501 - programs are written as they are

COMPILED = {
    "own deque": r"""
        class deque:
            def __init__(self, xs): self.xs = xs
            def popleft(self): return self.xs[-1]
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            q = deque([1, 2])
            return (state[0] - action, q.popleft())
        def value(self, state): return state[1]
    """,
    "constant set on the left": r"""
        CORNERS = {1, 4}
        ---
        def initial_state(self): return (4, frozenset({7}))
        def result(self, state, action): return (state[0] - action, frozenset(CORNERS | state[1]))
        def value(self, state): return len(state[1])
    """,
    "|= of a frozenset does not change it": r"""
        def initial_state(self): return (4, frozenset({7}))
        def result(self, state, action):
            s = state[1]
            s |= {action}
            return (state[0]-action, s)
        def value(self, state): return len(state[1])
    """,
    "frozensets with sets": r"""
        def initial_state(self): return (4, frozenset())
        def result(self, state, action):
            left, s = state
            t = set(s)
            t.add(left)
            u = {action, 9} | s
            v = s ^ {action} if left > 2 else s - {4}
            if not v: v = frozenset([3, 3])
            if s <= t and s.issubset(t) and t > s and s != {1}:
                v = v.union([5, left], (8,))
            v &= t.union({1, 2, 3, 5})
            t -= u
            return (left-action, v | t)
        def value(self, state):
            s = state[1]
            return sum(sorted(s)) + 100 * len(s) + 7 * (3 in s) + sum(s) + max(s) + (1 if s else 0) + any(x > 3 for x in s) + 3 * sum(1 for x in s if x > 2) + len({x % 2 for x in s})
    """,
    "sets with literals": r"""
        def initial_state(self): return (4, {1, 2})
        def result(self, state, action):
            s = {1, 2} | state[1] if action == 1 else state[1] - {action}
            s = s | {9}
            t = {9}
            t.add(action)
            t |= {10} & s
            if s == {1, 2, 9}: t.discard(9)
            return (state[0]-action, s ^ t)
        def value(self, state): return sum(state[1]) + 50 * ({1} <= state[1]) + 9 * state[1].isdisjoint({2}) + (state[0] in {1, 2, 3})
    """,
    "sets of tuples": r"""
        CORNERS = {(0, 0), (1, 1)}
        ---
        def initial_state(self): return (4, frozenset({(0, 0)}))
        def result(self, state, action):
            left, s = state
            s = s | {(left, action)}
            return (left-action, s - CORNERS if action == 2 else s & s.union(CORNERS))
        def value(self, state): return len(state[1]) + sum(x + 3 * y for x, y in sorted(state[1])) + 10 * (CORNERS <= state[1])+ 10 * (state[1] >= CORNERS)
    """,
    "own methods with names of sets": r"""
        class P:
            def __init__(self, x): self.x = x
            def union(self, other, more): return P(self.x + other.x + more)
            def issubset(self): return 5
        ---
        def left(self, state): return state.x
        def initial_state(self): return P(4)
        def result(self, state, action): return P(state.x - 9).union(P(3-action), 5).union(P(-4), 2).union(P(1), -1)
        def value(self, state): return state.issubset()
    """,
    "own methods with names of lists and ints": r"""
        def sort(self, left): return left % 3
        def bit_length(self, left, action): return left - action
        def initial_state(self): return (4,)
        def result(self, state, action): return (self.bit_length(state[0], action),)
        def value(self, state): return self.sort(state[0])
    """,
    "empty sets": r"""
        def initial_state(self): return (4, set(), frozenset())
        def result(self, state, action):
            left, s, f = state
            if left == 3: return (left - action, {0}, frozenset())
            a = {x * 2 for x in s} | {left}
            b = frozenset({left}) | f
            s = s.copy()
            s ^= s
            a -= {17}
            if left == 4: a |= a
            return (left - action, a | s, b | frozenset(x + 1 for x in a if x > 1) | frozenset(f) | f.copy())
        def value(self, state): return len(state[1]) + 5 * len(state[2]) + 25 * (state[1] == state[2]) + 50 * (state[2] != state[1])+ (state[2] - state[1] < state[2]) * 100
    """,
    "sets in objects": r"""
        from dataclasses import dataclass, field
        @dataclass
        class S:
            left: int
            own: set[int] = field(default_factory=set)
            done: frozenset[tuple[int, int]] = frozenset()
        ---
        def left(self, state): return state.left
        def initial_state(self): return S(4)
        def result(self, state, action):
            s = copy.deepcopy(state)
            s.own.add(s.left)
            s.left -= action
            s.done = s.done | {(action, s.left)}
            s.own |= {77} if s.left > 2 else {78, 5}
            return s
        def value(self, state): return sum(sorted(state.own)) + 100 * len(state.done)
    """,
    "dict ops": r"""
        def initial_state(self): return {"left": 4, "x": 0}
        def left(self, state): return state["left"]
        def result(self, state, action):
            new = {**state, "left": state["left"] - action}
            new = new | {"x": new["x"] * 3 + action}
            new |= {"y": 7}
            new["x"] |= 8
            d = dict(new)
            d["left"] = 9
            return {"z": 3, **new, "x": new["x"] + d["left"]}
        def value(self, state):
            d = dict(zip([1, 2, 3], (4, 5, 6)))
            e = dict.fromkeys(range(3), 5)
            f = dict(a=3, b=state["x"])
            g = dict(f, c=4)
            n = 0
            for k, v in (d | e).items(): n = n * 3 + k * v
            h = {k: v + 1 for k, v in d.items() if k > 1}
            return n + f["b"] + g["c"] + sum(h.values()) + d.setdefault(9, 3) + d.pop(1, 5) + d.pop(77, 5) + len(d) + ord(list(state)[-1]) + (not d)
    """,
    "constants": r"""
        WORTH = {1: 5, 2: 7}
        ---
        def initial_state(self): return (4, dict(WORTH))
        def result(self, state, action):
            return (state[0] - action, {**WORTH, **state[1], 5 + action: 4} | WORTH)
        def value(self, state):
            n = 0
            for k, v in state[1].items(): n = n * 3 + k * v
            return n
    """,
    "deque": r"""
        from collections import deque
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            q = deque([state[0]])
            r: deque[int] = deque(x * x for x in range(action))
            q.appendleft(7)
            total = 0
            while q:
                x = q.popleft()
                total = total * 3 + x
                if x and not r: r.append(x)
                if x > 1 and len(q) < 5:
                    q.append(x - 1)
                    if x % 2: q.appendleft(x - 2)
                if 3 in q and total % 2: q.rotate(2)
            r.extend([3, 4]); r.extend(range(2))
            r.rotate(-1)
            r.rotate()
            for x in r: total += x * r[0]
            for i, x in enumerate(r): total += i * x
            r[0] = 5
            q = deque()
            q.append(total % 7)
            return (state[0] - action, (total + sum(r) + max(r) + r.pop() + len(sorted(q)) + r[-1] + q.pop()) % 1009)
        def value(self, state): return state[1]
    """,
    "defaultdict": r"""
        from collections import defaultdict
        import collections
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            left, x = state
            d = defaultdict(int)
            e = collections.defaultdict(lambda: -1)
            groups = defaultdict(list)
            kinds = defaultdict(set)
            for i in range(left + action + 2):
                d[i % 3] += i + len(d)
                e[i, x % 2] -= d[i]
                groups[i % 2].append(i * x)
                kinds[i % 3].add(i % 5)
            n = len(d) + 3 * len(groups) + len(groups[5]) + len(kinds[9])
            for k, v in groups.items():
                n = n * 3 + k + sum(v)
            for v in groups.values(): n += len(v)
            for k in d: n = n * 5 + d[k] - k
            n += max(d, key=d.get) + (3 in d) + d.get(7, 3) + d.pop(1, 0) + e[8, 8] + len(e) + sum(d.values())
            n += sorted(kinds[1])[0]
            y = groups[0]
            y.append(100)
            n += groups[0][-1]
            d[4] = n
            del d[0]
            return (left - action, (n + d[4]) % 1009 + len(dict(d)))
        def value(self, state): return state[1]
    """,
    "Counter": r"""
        from collections import Counter
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            left, x = state
            c = Counter([left, action, 2, x % 3])
            e = Counter()
            for i in range(x % 5 + 3):
                e[i % 2] += i + len(e)
                e["a" == "b"] -= 1
            n = c[2] + 10 * c[99] + 100 * len(c)
            for k, v in c.items(): n = n * 3 + k * v
            for k, v in c.most_common(2): n = n * 3 + k * v
            for k, v in c.most_common(): n = n * 3 + k * v
            c.update([2, 5, 5])
            c.update(range(3))
            n += c.most_common(1)[0][0] + Counter((left, 2, 2))[2] + max(Counter([x, x]).values()) + len(Counter("abca")) + c.total()
            del c[2]
            del c[777]
            c[8] = 4
            n += max(c, key=c.get) * 7 + min(c, key=lambda k: c[k]) + sum(c.values()) + (99 in c)
            return (left - action, n % 1009)
        def value(self, state): return state[1]
    """,
    "replace": r"""
        from dataclasses import dataclass, replace
        import dataclasses
        @dataclass(frozen=True)
        class S:
            left: int
            x: float = 0.0
            flag: bool = False
        @dataclass
        class M:
            left: int
            s: S
            xs: list
            def __post_init__(self): self.left += 1
        ---
        def left(self, state): return state.left
        def initial_state(self): return M(5, S(3), [1])
        def result(self, state, action):
            s = replace(state.s, left=state.s.left * 2, flag=state.s.left > 3)
            new = dataclasses.replace(state, s=s, left=state.left - action - 1)
            return replace(new, left=new.left - 1, xs=[*state.xs, action])
        def value(self, state): return state.s.left + 100 * state.s.flag + len(state.xs) * 1000
    """,
    "asdict": r"""
        from typing import NamedTuple
        class S(NamedTuple):
            left: int
            x: int
        ---
        def initial_state(self): return S(4, 0)
        def result(self, state, action): return S(state._asdict()["left"] - action, state._asdict()["x"] + 3 * action)
        def value(self, state): return state.x
    """,
    "intenum": r"""
        from enum import IntEnum
        class C(IntEnum):
            RED = 1
            BLUE = 5
        ---
        def initial_state(self): return (4, C.RED)
        def result(self, state, action):
            c = C.BLUE if action == 2 or state[1] == C.BLUE else C.RED
            return (state[0] - action, c if state[0] % 2 else C(state[1]))
        def value(self, state): return state[1] * 3 + (state[1] == C.BLUE)
    """,
    "search for a way": r"""
        from collections import deque
        NEXT = {0: (1, 2), 1: (3,), 2: (3, 4), 3: (5,), 4: (5, 0), 5: ()}
        ---
        def initial_state(self): return (4, frozenset({0}))
        def result(self, state, action):
            seen = set(state[1])
            queue = deque((square, 0) for square in sorted(state[1]))
            while queue:
                square, depth = queue.popleft()
                for other in NEXT[square]:
                    if other not in seen and depth < action:
                        seen.add(other)
                        queue.append((other, depth + 1))
            return (state[0] - action, frozenset(seen))
        def value(self, state): return sum(2 ** x for x in sorted(state[1]))
    """,
    "in a static method, a lambda and a closure": r"""
        from collections import Counter
        ---
        def initial_state(self): return (4, 0)
        @staticmethod
        def most(values):
            counts = Counter(values)
            return max(counts, key=counts.get)
        def result(self, state, action):
            counts = Counter([state[0], action, 1])
            count = lambda x: counts[x] + 1
            def twice(x): return count(x) * 2
            return (state[0] - action, self.most([state[0], action, action]) + twice(1) + 10 * count(77))
        def value(self, state): return state[1]
    """,
    "frozenset in a named tuple": r"""
        from typing import NamedTuple
        class S(NamedTuple):
            left: int
            own: frozenset[int] = frozenset()
        ---
        def left(self, state): return state.left
        def initial_state(self): return S(4)
        def result(self, state, action):
            own = state.own
            own -= {action}
            return S(state.left - action, own | {state.left, action} if action == 2 else own ^ {state.left})
        def value(self, state): return sum(state.own) + 100 * len(state.own)
    """,
}
INTERPRETED = {
    "two kinds": r"""
        def initial_state(self): return (4, frozenset({7}))
        def result(self, state, action):
            s = state[1] if action == 1 else {3, 4}
            s |= {action}
            return (state[0]-action, frozenset(s))
        def value(self, state): return len(state[1])
    """,
    "float in set": r"""
        def initial_state(self): return (4, {7})
        def result(self, state, action): return (state[0]-action, state[1] | {action})
        def value(self, state): return state[1] and (state[0] + 2) / 2 * 1.25 in state[1]
    """,
    "loop": r"""
        def initial_state(self): return (4, frozenset({7}))
        def result(self, state, action): return (state[0]-action, state[1] | {action})
        def value(self, state):
            n = 0
            for x in state[1]: n = 3 * n + x
            return n
    """,
    "sorted by key": r"""
        def initial_state(self): return (4, frozenset({7, 9, 1}))
        def result(self, state, action): return (state[0]-action, state[1] | {action})
        def value(self, state): return sorted(state[1], key=lambda x: x % 2)[0]
    """,
    "max by key": r"""
        def initial_state(self): return (4, {7, 9, 1})
        def result(self, state, action): return (state[0]-action, state[1] | {action})
        def value(self, state): return max(state[1], key=lambda x: x % 2)
    """,
    "pop": r"""
        def initial_state(self): return (4, {7, 9, 1})
        def result(self, state, action): return (state[0]-action, state[1] | {action})
        def value(self, state): return set(state[1]).pop()
    """,
    "list +=": r"""
        def initial_state(self): return (4, {7, 9, 1})
        def result(self, state, action): return (state[0]-action, state[1] | {action})
        def value(self, state):
            found = [1]
            found += state[1]
            return found[1]
    """,
    "unpack": r"""
        def initial_state(self): return (4, {7})
        def result(self, state, action): return (state[0]-action, {action})
        def value(self, state):
            [x] = state[1]
            return x
    """,
    "sum of floats": r"""
        def initial_state(self): return (4, {0.5})
        def result(self, state, action): return (state[0]-action, state[1] | {action / 3})
        def value(self, state): return sum(state[1])
    """,
    "add to frozenset": r"""
        def initial_state(self): return (4, frozenset({7}))
        def result(self, state, action):
            try:
                state[1].add(3)
            except Exception:
                pass
            return (state[0]-action, state[1] | {action})
        def value(self, state): return len(state[1])
    """,
    "deque escapes": r"""
        from collections import deque
        def f(q): return q
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            q = deque([1])
            return (state[0] - action, f(q)[0])
        def value(self, state): return state[1]
    """,
    "deque compared": r"""
        from collections import deque
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            q = deque([1])
            return (state[0] - action, int(q == [1]))
        def value(self, state): return state[1]
    """,
    "maxlen": r"""
        from collections import deque
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            q = deque([1, 2, 3], maxlen=2)
            return (state[0] - action, q[0])
        def value(self, state): return state[1]
    """,
    "alias": r"""
        from collections import deque
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            q = deque([1, 2, 3])
            r = q
            return (state[0] - action, int(r == [1, 2, 3]))
        def value(self, state): return state[1]
    """,
    "float in int counter": r"""
        from collections import Counter
        ---
        def initial_state(self): return (4, 0.0)
        def result(self, state, action):
            c = Counter()
            c[3] += action / 2
            return (state[0] - action, c[3])
        def value(self, state): return state[1]
    """,
    "Counter of set": r"""
        from collections import Counter
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            return (state[0] - action, Counter({1, 2, action}).most_common(1)[0][0])
        def value(self, state): return state[1]
    """,
    "Counter of dict": r"""
        from collections import Counter
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            c = Counter([1, 2])
            d = {1: 5, action: 6}
            c.update(d)
            return (state[0] - action, c[1])
        def value(self, state): return state[1]
    """,
    "own asdict": r"""
        from typing import NamedTuple
        class U(NamedTuple):
            x: int
        class T(U):
            def _asdict(self): return {"x": 77}
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action): return (state[0] - action, T(action)._asdict()["x"])
        def value(self, state): return state[1]
    """,
    "replace wrong type": r"""
        from dataclasses import dataclass, replace
        @dataclass(frozen=True)
        class S:
            left: int
            x: int = 0
        ---
        def left(self, state): return state.left
        def initial_state(self): return S(3)
        def result(self, state, action): return replace(state, left=state.left - action, x=state.x + 0.5)
        def value(self, state): return state.x
    """,
    "frozenset becomes a set": r"""
        def initial_state(self): return (4, frozenset({7}))
        def result(self, state, action): return (state[0] - action, {action} | state[1])
        def value(self, state): return len(state[1])
    """,
    "deque in the state": r"""
        from collections import deque
        ---
        def initial_state(self): return (4, deque([1]))
        def result(self, state, action): return (state[0] - action, deque([action]))
        def value(self, state): return state[1][0]
    """,
    "deque of a nested function": r"""
        from collections import deque
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            queue = deque([1, 2])
            def take(): return queue
            return (state[0] - action, int(take() == [1, 2]))
        def value(self, state): return state[1]
    """,
    "Counter compared": r"""
        from collections import Counter
        ---
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            return (state[0] - action, int(Counter([1, action]) == Counter([action, 1])))
        def value(self, state): return state[1]
    """,
    "int in a set of bools": r"""
        def initial_state(self): return (4, 0)
        def result(self, state, action):
            found = {state[0] > 2, action == 1}
            return (state[0] - action, int(action in found))
        def value(self, state): return state[1]
    """,
    "float in a set of ints": r"""
        def initial_state(self): return (4, {1, 7})
        def result(self, state, action): return (state[0] - action, state[1] | {action})
        def value(self, state): return (state[0] + 3) / 2 in state[1]
    """,
    "dict from a set": r"""
        def initial_state(self): return (4, {3, 8, 16})
        def result(self, state, action): return (state[0] - action, state[1] | {action})
        def value(self, state):
            found = dict.fromkeys(state[1], 1)
            n = 0
            for x in found: n = n * 3 + x
            return n % 1000
    """,
    "item of another type in a dict": r"""
        def initial_state(self): return {"left": 4, "x": 0}
        def left(self, state): return state["left"]
        def result(self, state, action): return {**state, "left": state["left"] - action, "x": action / 2}
        def value(self, state): return state["x"]
    """,
}
AWKWARD = {
    "deque at both ends": "q = deque()\nq.append(a)\nq.appendleft(b)\nq.appendleft(c)\nreturn q.popleft() * 100 + q[-1] * 10 + q.pop()",
    "empty deque": "q = deque(t[:1])\nq.pop()\nreturn q.popleft()",
    "rotation": "q = deque(t)\nq.rotate(a)\nx = q[0]\nq.rotate(-b)\nr = deque([x for x in t if x > 99])\nr.rotate(3)\nreturn x * 10 + q[1] + len(r)",
    "default is put in before the value is computed": "d = defaultdict(int)\nd[a] += len(d)\nd[b] += 10 * len(d)\nreturn d[a] * 100 + d[b] + len(d)",
    "Counter puts in nothing before": "n = Counter()\nn[a] += len(n) + 1\nn[b] += 10 * len(n)\nreturn n[a] * 1000 + n[b] * 10 + len(n) + n[99] + len(n)",
    "key is computed once": "log = [0]\ndef key():\n    log[0] += 1\n    return log[0]\nd = defaultdict(int)\nd[key()] += 5\nd[key()] -= 7\nreturn d[1] * 100 + d[2] * 10 + log[0]",
    "reading puts in a default": "d = defaultdict(lambda: -1)\nd[8] += 1\nx = d[a] + d.get(77, 5)\nreturn x * 10 + len(d) + (a in d) + (77 in d)",
    "order of items": "n = Counter(t)\nn[b] += 1\ndel n[t[0]]\nn[t[0]] = 9\ntotal = 0\nfor x, y in n.items():\n    total = total * 7 + x + y\nreturn total",
    "most common of equals": "n = Counter((a, b, a, b, c))\n(x, y), (z, w) = n.most_common()[0], n.most_common()[1]\nreturn x + 10 * y + 100 * z + 1000 * w + len(n.most_common(0)) + len(n.most_common(-2)) + len(n.most_common(50))",
    "names of others": "deque = list\nq = deque(t)\nreturn q.pop() * 10 + len(q)",
    "a name used twice": "q = deque([a])\nx = q.pop()\nq = deque([b, c])\nreturn x * 10 + q.popleft() + len(q)",
    "rows": "g = defaultdict(list)\nfor x in t:\n    g[x % 2].append(x * a)\nrow = g[0]\nrow.append(b)\nreturn sum(g[0]) * 10 + len(g[7]) + len(g) + sum([x * len(y) for x, y in g.items()])",
    "rows that are read, and got": "g = defaultdict(list)\nx = len(g.get(a, [])) + len(g)\ny = len(g[b]) + len(g) * 10\ng[c].append(y)\nreturn x + y * 100 + len(g) * 1000 + sum(g[c])",
    "another name of a row": "g = defaultdict(list)\nx = g[a]\nx.append(3)\ng[a].append(4)\ny = g.setdefault(a, [9])\ny.append(5)\nreturn len(x) * 100 + len(g[a]) * 10 + sum(y)",
    "rows that a loop adds": "g = defaultdict(list)\ng[a].append(1)\nfor x in g:\n    g[x + 1].append(2)\nreturn len(g)",
    "rows by two keys": "g = defaultdict(list)\ng[a, b].append(c)\ng[b, a] += [c, c]\ndel g[b, a]\ng[1, 1], g[2, 2] = g[a, b], g[1, 1]\nreturn len(g) * 10 + sum(g[a, b]) + len(g[2, 2])",
    "rows of sets": "g = defaultdict(set)\ng[a] |= {b, c}\ng[a].update(t)\ng[b] = g[a] & {b}\nh = dict(g)\nreturn len(h[a]) + 10 * len(h[b]) + 100 * (h == g) + 1000 * (h != {a: {1}}) + 2000 * (g == {b: {7}})",
    "rows that begin with items": "g = defaultdict(lambda: [0] * 2, {7: [1, 2]})\ng[a][0] += 3\ng[a][1] -= 1\ng[b][0] += 1\nreturn g[a][0] * 10 + g[a][1] + len(g) + sum(g[c]) + sum(g[7]) * 100",
    "rows that others fill": "x = {}\ndef put(values, key):\n    values.setdefault(key % 2, []).append(key)\nfor y in t:\n    put(passed_on(x), y)\nz = x.pop(0, [])\nz.append(4)\nreturn sum([k * sum(v) for k, v in x.items()]) * 10 + len(z)",
    "dicts within a dict": "x = {}\nfor y in t:\n    x.setdefault(y % 2, {}).setdefault(y, []).append(b)\nreturn sum([len(w) * k for v in x.values() for k, w in v.items()])",
    "dict that is sorted by its rows": "x = defaultdict(list)\nfor y in t:\n    x[y % 3].append(y)\nfor y in list(x):\n    if len(x[y]) < 2:\n        del x[y]\nz, w = max(x.items(), key=lambda item: (len(item[1]), item[0]), default=(5, [6]))\nreturn z * 100 + sum(w) + sum([k * len(x[k]) for k in sorted(x)])",
    "display of a dict": "m = {a: 1, b: 2}\nlog = [0]\ndef note(x):\n    log[0] = log[0] * 10 + x\n    return x\nw = {note(1): note(2), **m, note(3): note(4), **{9: note(5)}}\nreturn log[0] * 100 + sum([x * y for x, y in w.items()])",
    "a new dict each time": "m = {a: 1}\nw = {**m}\nw[b] = 5\nz = dict(m)\nz[c] = 7\nu = m | z\nu[77] = 1\nm |= {8: 2}\nreturn len(m) + 10 * len(w) + 100 * len(z) + 1000 * len(u) + m[a]",
    "a set with itself": "s = {a, b, 3}\ns -= s\nu = {a, b}\nu ^= u\nw = {a, c}\nw |= w\nw &= w\nreturn len(s) + 10 * len(u) + 100 * len(w)",
    "another name of a set": "s = {a, b}\nu = s\nu |= {77}\nf = frozenset(s)\ng = f\ng |= {78}\nreturn len(s) + 10 * len(u) + 100 * len(f) + 1000 * len(g)",
    "sets of several arguments": "return len({a}.union(t, [b], range(c % 3), {9})) + 10 * len({1, 2, 5}.intersection(t, (1, 5, 9))) + 100 * len({1, 2, 5}.difference(t, [a]))",
    "bisect": "x = sorted(t)\ninsort(x, a)\nreturn bisect_left(x, b) + 10 * bisect_right(x, b) + 100 * bisect(x, c, 1) + 1000 * bisect_left(x, 2, 0, 3) + x[1]",
    "power": "return pow(a, 5, 7) + pow(b, abs(c), -13) + pow(7, -1, 12) + pow(3 ** 30 + a, 7, 2 ** 61 - 1) % 1000",
    "power without an inverse": "return pow(2 * a, -1, 4)",
    "range": "return range(2, 40, 3)[a] + range(9, 0, -1)[b] + (c in range(9)) + (a in range(0, 9, 2))",
    "range is too short": "return range(3)[a + 2]",
    "counts of nothing": "n = Counter([x for x in t if x > 99])\nreturn len(n) + n[a] + sum(n.values()) + len(n.most_common(1))",
    "bools are ints": "n = Counter()\nn[1] += a > 1\nn[1] += a > b\nd = defaultdict(int)\nd[2] += a > 1\nreturn n[1] * 100 + n[0] * 10 + d[2]",
    "dict filled from nothing": "m = {}\nfor x in t:\n    m[x % 3] = m.get(x % 3, 0) + x\nw = dict()\nw[a] = w.get(a, 5) * 2\nreturn sum([x * 10 + y for x, y in m.items()]) + w[a]",
    "two containers in one line": "q, x, r = deque([a]), b, deque(t)\nwhile q and r:\n    q.append(r.popleft())\n    x += q.popleft()\nreturn x * 10 + len(q)",
    "exception inside": "q = deque(t)\ntry:\n    while True:\n        q.popleft()\nexcept Exception:\n    return len(q) + a",
}
