"""What a search of this room uses, as constants of compiled code: what is off is not even compiled."""

from dataclasses import dataclass

from outplay.compile.options import CompileTimeOptions


@dataclass(frozen=True)
class ChanceOptions(CompileTimeOptions):
    """The options of a search for one game."""

    chance: bool = False
    """Whether the game has chance nodes."""
    alpha_beta: bool = True
    star: int = 0
    """How chance nodes are pruned: 0 not at all, 1 Star1, 2 Star2."""
    table: bool = True
    best_reply: bool = False
    samples: bool = False
    bounded: bool = False
    """Whether the least and the greatest value are known."""
    order: bool = True
    killers: bool = False
    history_heuristic: bool = False
    # What the ordering of alpha-beta asks for, and these searches have not:
    hints: bool = False
    countermoves: bool = False
    prefetch: bool = False
