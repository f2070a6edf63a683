"""What Monte Carlo tree search uses, as constants of compiled code: what is off is not even compiled."""

from dataclasses import dataclass

from outplay.compile.options import CompileTimeOptions


@dataclass(frozen=True)
class MCTSOptions(CompileTimeOptions):
    """The options of `MCTS` for one game; a technique that needs a rule which the game has not is off."""

    shares: int = 1
    """Numbers kept for a node: 1 where player 0's utility tells the other one's, else one for each player."""
    chance: bool = False
    selection: str = "ucb1"
    rave: bool = False
    grave: bool = False
    bias: bool = False
    prior: bool = False
    """Whether children have a prior: the game's `order` by rank, an evaluator's, or at chance nodes the probability."""
    sorts: bool = False
    """Whether the children of a node are sorted by the game's `order`."""
    widening: bool = False
    first_play: bool = False
    playout: str = "random"
    evaluator: bool = False
    """Whether leaves are evaluated in batches, outside compiled code."""
    cutoff: bool = False
    """Whether playouts are cut off and evaluated."""
    remembers: bool = False
    """Whether the actions of a simulation are written down, for RAVE and playouts that learn."""
    solver: bool = True
    clamp: bool = True
    hints: bool = False
    transpositions: bool = False
    repetition: str = ""
    spread: bool = False
    """Whether the width of utilities is twice the standard deviation of those seen, not their range."""
    ranged: bool = False
    """Whether the range of utilities is learnt from those seen."""
