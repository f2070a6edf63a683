"""What alpha-beta has recorded: visits, and the techniques that were on, which the steps and their pseudo-code name."""

from typing import TYPE_CHECKING

from outplay.engine.recorded_visits import Visits
from outplay.engine.visits import from_root
from outplay.search.options import AlphaBetaOptions

if TYPE_CHECKING:
    from outplay.pictures.page import StepByStep


class AlphaBetaVisits(Visits):
    """The visits of outplay's own search.

    Attributes:
        techniques: those that were on.
        beam: the width of the beam, if that was on.
        threads: the number of threads; the visits are those of the first one.
    """

    techniques: AlphaBetaOptions
    beam: int = 0
    threads: int = 1

    def steps(self, plies: int | None) -> "StepByStep":
        """All iterations step by step."""
        return self.iteration_steps(None, plies)

    def is_least(self, score: int, plies: int) -> bool:
        """Whether a player, `plies` plies from the root, can be worth no less than this score."""
        return self._possible is not None and score <= from_root(self._possible[0], plies)

    def iteration_steps(self, number: int | None, plies: int | None) -> "StepByStep":
        """One iteration step by step, or all; see `Recording.iteration_steps`."""
        from outplay.search.recording_steps import alpha_beta_steps  # noqa: PLC0415 - searches start without it

        return alpha_beta_steps(self, number, plies)
