"""What an iteration of counterfactual regret minimization has learned, at each information set."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class InformationSet:
    """What an iteration has learned at one information set; one number for each action.

    Attributes:
        player: the player to move.
        name: what this player knows, in the game's words.
        actions: the names of the actions.
        regrets: the sums of regrets, as the variant of CFR discounts them: how much better the action would have been.
        strategy: the probabilities of the next iteration, from the regrets.
        average: the probabilities of the average strategy, which approaches an equilibrium.
    """

    player: int
    name: str
    actions: tuple[str, ...]
    regrets: tuple[float, ...]
    strategy: tuple[float, ...]
    average: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Iteration:
    """The state of the solver after one iteration.

    Attributes:
        number: the number of the iteration.
        sets: the information sets, player by player, in the order of play.
        values: the expected utility of each player where all play the average strategy.
        exploitability: the gain from a best response to it, averaged over the players.
    """

    number: int
    sets: tuple[InformationSet, ...]
    values: tuple[float, ...]
    exploitability: float
