"""Players for a `Session`: one that searches, at a chosen strength, and one that follows a strategy."""

from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from outplay.engine.limits import Limit
from outplay.session.levels import Level, Strength
from outplay.session.session import Choice, Session

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Progress, Searcher
    from outplay.equilibrium.strategy import Strategy


@dataclass
class SearchPlayer:
    """A player that searches.

    Args:
        searcher: the searcher.
        limit: the limit for each move, in addition to the player's clock.
        share: from 0 to 1. The player chooses at random among the actions whose value is within this share of the
            way from the best value to the worst. 0: it plays the best action.
        strength: a level, or a blend of levels, to play at instead of `limit` and `share`.
    """

    searcher: "Searcher"
    limit: Limit = field(default_factory=Limit)
    share: float = 0.0
    strength: Strength | None = None

    def choose(self, session: Session, progress: "Progress | None" = None) -> Choice:
        """The action to play. A single legal action is played without a search."""
        legal, player = session.legal, session.player
        if len(legal) == 1:
            return Choice(legal[0])
        level = (self.strength or Level(self.limit, self.share)).drawn(session.random)
        if level.limit is None:
            return Choice(session.random.choice(legal))
        limit = level.limit
        if session.clocks and player is not None:
            limit = replace(limit, clock=session.clocks[player])
        analysis = session.search(self.searcher, limit, every=bool(level.share), progress=progress)
        return Choice(choose(analysis, level.share, session.random), analysis.seconds, analysis)


@dataclass
class StrategyPlayer:
    """A player that draws its actions by the probabilities of a strategy."""

    strategy: "Strategy"

    def choose(self, session: Session, progress: "Progress | None" = None) -> Choice:
        """The action to play."""
        return Choice(self.strategy.draw(session.state, session.random))


def choose(analysis: "Analysis", share: float, random: Random) -> int:
    """One of the actions that are best or, with `share`, nearly so; that of the analysis if it could compare none.

    If the search found a mixture, the action is drawn by its probabilities.
    """
    if not analysis.actions:
        assert analysis.action is not None, "a player is to move"
        return analysis.action
    odds = [item.probability or 0.0 for item in analysis.actions]
    if not share and any(odds):
        return random.choices(analysis.actions, odds)[0].action
    best, worst = analysis.actions[0].value, analysis.actions[-1].value
    near = [item for item in analysis.actions if best - item.value <= share * (best - worst)] if share else []
    return random.choice(near or analysis.actions[:1]).action
