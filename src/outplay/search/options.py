"""The techniques of alpha-beta that are on, as compile-time options, so that compiled code contains only these."""

from dataclasses import dataclass

from outplay.compile.options import CompileTimeOptions


@dataclass(frozen=True)
class AlphaBetaOptions(CompileTimeOptions):
    """The switches of the search; see `AlphaBeta` for their meaning."""

    order: bool
    killers: bool
    history_heuristic: bool
    countermoves: bool
    staged: bool
    prefetch: bool
    symmetry: bool
    hints: bool
    bounds: bool
    null_window: bool
    mtdf: bool
    quiescence: bool
    extensions: bool
    repetition: str  # "", "draw", "loss" or "forbidden"
    beam: bool
    late_move_reductions: bool
    null_move: bool
    futility: bool
    probcut: bool
    threads: bool
    trace: bool
    tablebase: str = ""  # how states in the tree are looked up in a table: "", "codes" or "classes"

    @property
    def selective(self) -> bool:
        """Whether actions that could change the value may be left out or searched to less depth."""
        return self.beam or self.late_move_reductions or self.null_move or self.futility or self.probcut

    @property
    def path_matters(self) -> bool:
        """Whether the value of a state depends on the path, so that its key must include the path."""
        return self.repetition in ("loss", "forbidden")
