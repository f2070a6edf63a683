"""The techniques of a Monte Carlo tree search, as constants of compiled code: those that are off are not compiled."""

from dataclasses import dataclass

from outplay.compile.options import CompileTimeOptions


@dataclass(frozen=True)
class MCTSOptions(CompileTimeOptions):
    """The options of `MCTS` for one game. A technique is off if the game does not define the rule it needs."""

    shares: int = 1
    """Numbers kept per node: 1 where the utility of player 0 determines the other one's, else one per player."""
    chance: bool = False
    selection: str = "ucb1"
    rave: bool = False
    grave: bool = False
    bias: bool = False
    prior: bool = False
    """Whether children have a prior: from `order`, an evaluation or an evaluator, or the probability of an outcome."""
    sorts: bool = False
    """Whether the children of a node are sorted by prior: by the game's `order`, or by their evaluations."""
    looks_ahead: bool = False
    """Whether the prior follows from the evaluation of the child, rather than from the game's `order`."""
    widening: bool = False
    first_play: bool = False
    playout: str = "random"
    evaluator: bool = False
    """Whether leaves are evaluated in batches, outside compiled code."""
    cutoff: bool = False
    """Whether playouts are cut off and evaluated."""
    remembers: bool = False
    """Whether the actions of a simulation are recorded, for RAVE and playouts that learn."""
    solver: bool = True
    clamp: bool = True
    hints: bool = False
    transpositions: bool = False
    repetition: str = ""
    spread: bool = False
    """Whether the width of utilities is twice the standard deviation of those seen, rather than their range."""
    ranged: bool = False
    """Whether the range of utilities is learned from those seen."""
    tablebase: str = ""
    """How states in the tree are looked up in a table: "", "codes" or "classes"."""
    trace: bool = False
    """Whether simulations are recorded, see `recording.py`."""
