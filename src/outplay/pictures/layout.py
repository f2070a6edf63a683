"""The layout of a tree in linear time (Buchheim, Jünger & Leipert 2002, after Walker 1990 and Reingold & Tilford 1981).

Nodes of one level lie side by side, each parent is centred over its children, and subtrees of the same shape look the
same. Subtrees are moved as near to each other as their outlines allow. `number`, `thread`, `ancestor`, `shift` and
`change` are those of the paper; instead of recursion there is one pass upwards and one downwards.
"""

from collections.abc import Sequence

Extent = tuple[float, float]
"""How far a node reaches from its centre to the left and to the right."""


def tidy(children: Sequence[Sequence[int]], extents: Sequence[Extent], gap: float) -> list[float]:
    """The x of the centre of each node; nothing reaches further to the left than 0. Node 0 is the root.

    Args:
        children: the children of each node; a child has a greater number than its parent.
        extents: the extent of each node.
        gap: the least space between two nodes of a level.

    >>> tidy([[1, 2], [], [3], []], [(1, 1)] * 4, 1)
    [2.5, 1.0, 4.0, 4.0]
    """
    return _Tidy(children, extents, gap).positions()


class _Tidy:
    """One run of the algorithm."""

    def __init__(self, children: Sequence[Sequence[int]], extents: Sequence[Extent], gap: float) -> None:
        size = len(children)
        self.children, self.extents, self.gap = children, extents, gap
        self.parent, self.number = [-1] * size, [0] * size
        for node, below in enumerate(children):
            for number, child in enumerate(below):
                self.parent[child], self.number[child] = node, number
        self.prelim, self.mod = [0.0] * size, [0.0] * size
        self.shift, self.change = [0.0] * size, [0.0] * size
        self.thread, self.ancestor = [-1] * size, list(range(size))

    def positions(self) -> list[float]:
        default = [below[0] if below else -1 for below in self.children]  # the default ancestor, for each parent
        for node in self._children_first():
            self._place(node)
            above = self.parent[node]
            if above >= 0:
                default[above] = self._apportion(node, default[above])
        x, moved = [0.0] * len(self.parent), [0.0] * len(self.parent)
        for node in range(len(self.parent)):  # parents first
            above = self.parent[node]
            moved[node] = moved[above] + self.mod[above] if above >= 0 else 0.0
            x[node] = self.prelim[node] + moved[node]
        least = min(at - left for at, (left, _) in zip(x, self.extents, strict=True))
        return [at - least for at in x]

    def _children_first(self) -> list[int]:
        """All nodes, each after its children, and these from left to right."""
        order, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting += self.children[node]
        return order[::-1]

    def _left_sibling(self, node: int) -> int:
        above = self.parent[node]
        return self.children[above][self.number[node] - 1] if above >= 0 and self.number[node] > 0 else -1

    def _distance(self, left: int, right: int) -> float:
        """The least distance of the centres of two neighbours."""
        return self.extents[left][1] + self.extents[right][0] + self.gap

    def _place(self, node: int) -> None:
        """Place a node next to its left sibling, and its children, which are placed, below it."""
        below, left = self.children[node], self._left_sibling(node)
        beside = self.prelim[left] + self._distance(left, node) if left >= 0 else 0.0
        self.prelim[node] = beside
        if not below:
            return
        shift = change = 0.0
        for child in reversed(below):  # spread what moved one subtree over those in between
            self.prelim[child] += shift
            self.mod[child] += shift
            change += self.change[child]
            shift += self.shift[child] + change
        middle = (self.prelim[below[0]] + self.prelim[below[-1]]) / 2
        if left >= 0:
            self.mod[node] = beside - middle
        else:
            self.prelim[node] = middle

    def _apportion(self, node: int, default: int) -> int:
        """Move the subtree of `node` to the right until it touches none on its left. Returns the default ancestor."""
        left = self._left_sibling(node)
        if left < 0:
            return default
        inner_right = outer_right = node
        inner_left, outer_left = left, self.children[self.parent[node]][0]
        right_mod = outer_right_mod = self.mod[node]
        left_mod, outer_left_mod = self.mod[inner_left], self.mod[outer_left]
        while self._next_right(inner_left) >= 0 and self._next_left(inner_right) >= 0:
            inner_left, inner_right = self._next_right(inner_left), self._next_left(inner_right)
            outer_left, outer_right = self._next_left(outer_left), self._next_right(outer_right)
            self.ancestor[outer_right] = node
            overlap = (self.prelim[inner_left] + left_mod) - (self.prelim[inner_right] + right_mod)
            overlap += self._distance(inner_left, inner_right)
            if overlap > 0:
                above = self.ancestor[inner_left]
                is_sibling = self.parent[above] == self.parent[node]
                self._move(above if is_sibling else default, node, overlap)
                right_mod += overlap
                outer_right_mod += overlap
            left_mod += self.mod[inner_left]
            right_mod += self.mod[inner_right]
            outer_left_mod += self.mod[outer_left]
            outer_right_mod += self.mod[outer_right]
        if self._next_right(inner_left) >= 0 and self._next_right(outer_right) < 0:
            self.thread[outer_right] = self._next_right(inner_left)
            self.mod[outer_right] += left_mod - outer_right_mod
        if self._next_left(inner_right) >= 0 and self._next_left(outer_left) < 0:
            self.thread[outer_left] = self._next_left(inner_right)
            self.mod[outer_left] += right_mod - outer_left_mod
            default = node
        return default

    def _move(self, left: int, right: int, by: float) -> None:
        """Move the subtree of `right`; what lies between the two siblings moves in proportion later."""
        between = self.number[right] - self.number[left]
        self.change[right] -= by / between
        self.shift[right] += by
        self.change[left] += by / between
        self.prelim[right] += by
        self.mod[right] += by

    def _next_left(self, node: int) -> int:
        """The next node of the left outline below `node`; -1 at its end."""
        return self.children[node][0] if self.children[node] else self.thread[node]

    def _next_right(self, node: int) -> int:
        """The same for the right outline."""
        return self.children[node][-1] if self.children[node] else self.thread[node]
