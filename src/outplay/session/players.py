"""Players for a `Session`: one that searches, at a chosen strength, and one that follows a strategy."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from outplay.engine.limits import Limit
from outplay.session.session import Choice, Session

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Progress, Searcher
    from outplay.equilibrium.strategy import Strategy


@dataclass(frozen=True)
class Level:
    """How strong a search plays: `limit` and `share` of a `SearchPlayer`."""

    limit: Limit
    share: float = 0.0


LEVELS = (
    Level(Limit(depth=1, seconds=2), 0.9),
    Level(Limit(depth=1, seconds=2), 0.6),
    Level(Limit(depth=2, seconds=2), 0.4),
    Level(Limit(depth=3, seconds=2), 0.3),
    Level(Limit(depth=4, seconds=2), 0.2),
    Level(Limit(depth=6, seconds=2), 0.1),
    Level(Limit(depth=8, seconds=2)),
    Level(Limit(seconds=0.5)),
    Level(Limit(seconds=1.5)),
    Level(Limit(seconds=5)),
)
"""From the weakest, level 1, to level 10."""
LEVELS_BY_SECONDS = tuple(Level(Limit(seconds=level.limit.seconds)) for level in LEVELS)
"""The levels of searches that cannot be limited by depth. Weaker moves could go in circles for ever."""
LEVELS_BY_SIMULATIONS = (
    *(Level(Limit(simulations=number, seconds=2)) for number in (10, 30, 100, 300, 1000, 3000, 10_000)),
    *LEVELS[7:],
)
"""The levels of Monte Carlo tree search. With few simulations it is weak and plays differently each time."""


@dataclass
class SearchPlayer:
    """A player that searches.

    Args:
        searcher: the searcher.
        limit: the limit for each move, in addition to the player's clock.
        share: from 0 to 1. The player chooses at random among the actions whose value is within this share of the
            way from the best value to the worst. 0: it plays the best action.
    """

    searcher: "Searcher"
    limit: Limit = field(default_factory=Limit)
    share: float = 0.0

    def choose(self, session: Session, progress: "Progress | None" = None) -> Choice:
        """The action to play. A single legal action is played without a search."""
        legal, player = session.legal, session.player
        if len(legal) == 1:
            return Choice(legal[0])
        limit = self.limit
        if session.clocks and player is not None:
            limit = replace(limit, clock=session.clocks[player])
        analysis = session.search(self.searcher, limit, every=bool(self.share), progress=progress)
        return Choice(choose(analysis, self.share, legal, session.random), analysis.seconds, analysis)


@dataclass
class StrategyPlayer:
    """A player that draws its actions by the probabilities of a strategy."""

    strategy: "Strategy"

    def choose(self, session: Session, progress: "Progress | None" = None) -> Choice:
        """The action to play."""
        return Choice(self.strategy.draw(session.state, session.random))


def choose(analysis: "Analysis", share: float, legal: Sequence[int], random: Random) -> int:
    """One of the actions that are best or, with `share`, nearly so. Any legal action if the search found none."""
    if not analysis.actions:
        return random.choice(legal)
    best, worst = analysis.actions[0].value, analysis.actions[-1].value
    near = [item for item in analysis.actions if best - item.value <= share * (best - worst)] if share else []
    return random.choice(near or analysis.actions[:1]).action
