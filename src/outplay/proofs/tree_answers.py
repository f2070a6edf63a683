"""What Monte Carlo tree search has proved in its tree, as answers in the table of `search/questions.py`."""

from typing import Any

from outplay.compile.kernels import kernel, pointer, pointers, unpack
from outplay.engine.score import encode
from outplay.engine.workspace import start
from outplay.montecarlo.tree import ROOT
from outplay.search.questions import ask, key_of, remember
from outplay.system.threads import MAX_PLIES


@kernel
def remember_tree(game: Any, techniques: Any, packed: Any, target: int, memory: Any, table: Any, tree: Any) -> None:
    """Remember the answers to a question that the bounds of nodes give; the tree has the root's state and one share."""
    fields = pointer(memory)
    start(fields, 1, 0)
    ask(fields, target)
    remember_node(game, techniques, unpack(game, packed, 0), 0, ROOT, fields, pointer(table), pointers(tree))


@kernel
def remember_node(
    game: Any, techniques: Any, state: Any, ply: int, node: int, memory: Any, table: Any, tree: Any
) -> None:
    """The same for a node and all below it. Its visits stand for the size of its proof."""
    first = int(tree.first_child[node])
    if first == 0 or ply >= MAX_PLIES:  # an end of the game, or a leaf
        return
    for child in range(first, first + int(tree.num_children[node])):
        if tree.visits[child] > 0:
            after = game.result(state, tree.action[child])
            remember_node(game, techniques, after, ply + 1, child, memory, table, tree)
    size = max(1, int(tree.visits[node]))
    if encode(tree.low[node]) >= memory.target:
        remember(memory, table, key_of(game, techniques, state, ply, memory), size)
    elif encode(tree.high[node]) < memory.target:
        remember(memory, table, key_of(game, techniques, state, ply, memory), -size)
