"""The algorithms that people can ask for by name, one line each; and which one suits a game."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from outplay.rules.constant_sum import has_constant_sum, team_members
from outplay.rules.game import Game, defines

if TYPE_CHECKING:
    from outplay.engine.searcher import Searcher


@dataclass(frozen=True)
class Algorithm:
    """A class that searches or solves, found when it is first needed."""

    name: str
    module: str
    kind: str  # the name of the class
    purpose: str  # what it is for, in a few words
    options: Mapping[str, Any] = field(default_factory=dict)  # those that make this algorithm of the class

    def load(self) -> Any:
        """The class."""
        return getattr(import_module(self.module), self.kind)


SEARCHES: dict[str, Algorithm] = {}
"""What `analyse`, `play`, `solve` and `gtp` can search with: each a class of `Searcher`."""


def register(name: str, module: str, kind: str, purpose: str) -> None:
    """Let people ask for the searcher `kind` in `module` by this name."""
    SEARCHES[name] = Algorithm(name, module, kind, purpose)


register("alpha-beta", "outplay.search.alpha_beta", "AlphaBeta", "for two players, or a puzzle")
register("mtdf", "outplay.search.mtdf", "MTDf", "alpha-beta by null windows alone")
register("minimax", "outplay.search.minimax", "Minimax", "the whole tree")
register("proof-number", "outplay.search.proof_number", "ProofNumber", "proves deep wins, without estimates")
register("mcts", "outplay.montecarlo.mcts", "MCTS", "Monte Carlo tree search, by simulated games")
register("expectiminimax", "outplay.chance.expectiminimax", "Expectiminimax", "for dice")
register("max-n", "outplay.chance.max_n", "MaxN", "for many players")
register("paranoid", "outplay.chance.paranoid", "Paranoid", "for many players, as if all played against one")
register("best-reply", "outplay.chance.best_reply", "BestReply", "for many players, with one reply to each move")
register("value-iteration", "outplay.chance.value_iteration", "ValueIteration", "exact values, also of play in circles")
register("ismcts", "outplay.information_sets.ismcts", "ISMCTS", "for hidden information")
register(
    "equilibrium", "outplay.equilibrium.search", "EquilibriumSearch", "what players mix who do not see all, exactly"
)
register("pimc", "outplay.information_sets.pimc", "PIMC", "for hidden information, by worlds that are searched")

SOLVERS = {
    name: Algorithm(name, "outplay.equilibrium", kind, purpose, options)
    for name, kind, purpose, options in (
        ("predictive", "CFR", "counterfactual regret minimization, its fastest form", {"variant": "predictive"}),
        ("discounted", "CFR", "CFR, late iterations weigh more", {"variant": "discounted"}),
        ("cfr+", "CFR", "CFR, regrets are never negative", {"variant": "cfr+"}),
        ("linear", "CFR", "CFR, iteration t weighs t", {"variant": "linear"}),
        ("cfr", "CFR", "CFR, the oldest and slowest form", {"variant": "cfr"}),
        ("lp", "SequenceForm", "exact, for two players, by linear programming", {}),
        ("external", "MCCFR", "by sampling the actions of the others", {"sampling": "external"}),
        ("outcome", "MCCFR", "by sampling whole plays", {"sampling": "outcome"}),
        ("fictitious-play", "FictitiousPlay", "by best replies to the average", {}),
    )
}
"""What `equilibrium` can solve with. A class takes a `GameTree` and, but for `SequenceForm`, derives from `Solver`."""


def searcher_class(name: str) -> "type[Searcher]":
    """The class of the search with this name."""
    kind: type[Searcher] = SEARCHES[name].load()
    return kind


def takes(name: str, option: str) -> bool:
    """Whether the search with this name has such an option."""
    return option in {declared.name for declared in fields(searcher_class(name))}


def suited(game: Game, solving: bool = False) -> str:
    """The algorithm for `game` if none is named; with `solving`, one that finds exact values.

    >>> from outplay.games import Nim, Pig
    >>> suited(Nim()), suited(Pig()), suited(Pig(), solving=True), suited(Pig(players=3))
    ('alpha-beta', 'expectiminimax', 'value-iteration', 'max-n')
    """
    if game.hidden_information:
        return "equilibrium" if solving else "ismcts"
    sides = len(team_members(game))
    opposed = sides == 1 or (sides == 2 and has_constant_sum(game))
    if opposed and game.players <= 2 and not game.has_chance:
        return "alpha-beta"
    if game.repetition or not (solving or defines(game, "evaluate")):
        return "mcts"
    if solving and opposed:
        return "value-iteration"
    return "expectiminimax" if opposed else "max-n"
