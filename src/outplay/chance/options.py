"""The techniques of a search of this package, as constants of compiled code: those that are off are not compiled."""

from dataclasses import dataclass

from outplay.compile.options import CompileTimeOptions


@dataclass(frozen=True)
class ChanceOptions(CompileTimeOptions):
    """The options of a search for one game."""

    chance: bool = False
    """Whether the game has chance nodes."""
    alpha_beta: bool = True
    star: int = 0
    """The pruning at chance nodes: 0 none, 1 Star1, 2 Star2."""
    table: bool = True
    best_reply: bool = False
    samples: bool = False
    bounded: bool = False
    """Whether the least and the greatest value are known."""
    order: bool = True
    killers: bool = False
    history_heuristic: bool = False
    # Options of the shared ordering that these searches do not have:
    hints: bool = False
    countermoves: bool = False
    prefetch: bool = False
