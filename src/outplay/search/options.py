"""Which techniques of alpha-beta are on: settings, so that compiled code holds only those in use."""

from dataclasses import dataclass

from outplay.compile.options import CompileTimeOptions


@dataclass(frozen=True)
class AlphaBetaOptions(CompileTimeOptions):
    """Switches of the search; see `AlphaBeta` for what they mean."""

    order: bool
    killers: bool
    history_heuristic: bool
    countermoves: bool
    staged: bool
    prefetch: bool
    symmetry: bool
    hints: bool
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

    @property
    def selective(self) -> bool:
        """Whether actions may be left out, or looked at less deeply, that could change the value."""
        return self.beam or self.late_move_reductions or self.null_move or self.futility or self.probcut

    @property
    def path_matters(self) -> bool:
        """Whether the value of a state depends on how it was reached, so that the path is a part of its key."""
        return self.repetition in ("loss", "forbidden")
