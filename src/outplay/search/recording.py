"""What alpha-beta has recorded: visits, and the techniques that were on, which the steps and their pseudo-code name."""

from typing import TYPE_CHECKING

from outplay.engine.recorded_visits import Visits
from outplay.search.options import HowSearched

if TYPE_CHECKING:
    from outplay.pictures.page import StepByStep


class AlphaBetaVisits(Visits):
    """The visits of outplay's own search, and how it searched. With several threads, they are those of the first."""

    how: HowSearched

    def steps(self, plies: int | None) -> "StepByStep":
        """All iterations step by step."""
        return self.iteration_steps(None, plies)

    def iteration_steps(self, number: int | None, plies: int | None) -> "StepByStep":
        """One iteration step by step, or all; see `Recording.iteration_steps`."""
        from outplay.search.recording_steps import alpha_beta_steps  # noqa: PLC0415 - searches start without it

        return alpha_beta_steps(self, self.how, number, plies)
