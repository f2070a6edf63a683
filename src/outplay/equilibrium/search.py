"""Equilibria as answers of a search: what to play at a place of the game, with which probabilities, and its value.

A search for the best action asks for one number for each action. Where players choose without seeing what others have
chosen there is no such number: what an action is worth depends on how likely the others take it to be. So the whole
game is solved first.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from random import Random
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.limits import Limit
from outplay.engine.one_by_one import OneByOne
from outplay.engine.stopping import StopReason
from outplay.equilibrium.best_response import behaviour_of, plan_of, respond
from outplay.equilibrium.cfr import CFR
from outplay.equilibrium.normal_form import small_equilibrium
from outplay.equilibrium.position import NEVER, Place, depths, place_of
from outplay.equilibrium.sequence_form import SequenceForm
from outplay.equilibrium.tree import GameTree
from outplay.equilibrium.unrolling import BYTES_A_NODE, TreeTooLarge, unroll
from outplay.rules.arguments import Progress
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.options import number

MAX_NODES = 100_000
"""By default, games with more nodes do not fit: to count and to solve so many takes about a second each."""
PLAYS, MUCH = 30, 20
"""A game does not fit if most of so many random plays suggest that it has so many times the nodes."""
SECONDS = 10.0
"""The usual time for what is not exact."""
LEAST_SECONDS = 1.0
CLOSE, FAR = 1e-7, 0.01
"""By how much, in units of the stakes, players may gain from deviating: where to stop, and where it is no answer."""
TREMBLE = 0.01
"""The probability of errors by which places that an equilibrium never reaches are judged."""
OPTIMAL = "an optimal strategy"
ONE_OF_SEVERAL = "one equilibrium"
NEARLY = "nearly an equilibrium"


class Equilibrium(NamedTuple):
    """An equilibrium of the whole game."""

    behaviour: NDArray[np.float64]  # the probability of each sequence's last action
    beliefs: NDArray[np.float64]  # the same, with the errors by which play gets everywhere
    kind: str  # in words
    how: str  # the algorithm
    exact: bool


@dataclass(eq=False, repr=False)
class EquilibriumSearch(OneByOne):
    """An equilibrium of the whole game, for hidden information and simultaneous moves.

    The game is unrolled once, and solved: with two players and constant sum by a linear program, any other small game
    in exact numbers, and else by `CFR`. The answer of a search is what the equilibrium does at the information set of
    the player to move: each action with its `probability` and its value, the most probable one first. `equilibrium` of
    the `Analysis` tells what it is:

    - two players with constant sum: optimal strategies, and their value is that of the game. They are exact up to
      rounding.
    - other games: one Nash equilibrium; others may have other values. It is exact if the game is small. Else it is
      nearly one, and `equilibrium` says how much a player can gain.

    If the equilibrium never gets to the state, it says nothing about it. With two players and constant sum, the game
    is then solved again with errors: each action is an error, any action, with a probability of 1 %.

    A limit of time, at least a second, is for solving the whole game, which the next search does not repeat.

    Args:
        game: the game.
        max_nodes: the maximum number of nodes of the tree, ends included.
        books: books to consult before searching.

    A search raises `OutplayError` if the game has more nodes, if no equilibrium is found within the limit of time, or
    if the game cannot get from its initial state to the given one.

    >>> from outplay.games import MatchingPennies
    >>> analysis = EquilibriumSearch(MatchingPennies()).search()
    >>> [(item.name, round(item.probability, 9)) for item in analysis.actions], round(analysis.value, 9)
    ([('heads', 0.5), ('tails', 0.5)], 0.0)
    >>> analysis.equilibrium
    'an optimal strategy: its value is that of the game'
    """

    game: Game
    _: KW_ONLY
    max_nodes: int = number(MAX_NODES, least=1, most=1 << 30)

    limits: ClassVar[tuple[str, ...]] = ("seconds", "clock")

    def _check_game(self) -> None:
        if self.game.repetition:
            raise UnsuitableGame(
                f"EquilibriumSearch cannot solve {type(self.game).__name__}: its rule of repetition is not part of its"
                " states"
            )

    def _search_one(
        self, state: Any, limit: Limit, progress: Progress[Analysis] | None, previous_states: Sequence[Any]
    ) -> Analysis:
        began = time.perf_counter()
        if self._over(state):
            utilities = tuple(float(self.game.utility(state, player)) for player in range(self.game.players))
            return self._game_over(utilities, state=state, limit=limit)
        seconds = None if limit.seconds is None else max(limit.seconds, LEAST_SECONDS)
        tree, equilibrium = self.solved(seconds)
        place = place_of(tree, state, previous_states, equilibrium.behaviour, equilibrium.beliefs)
        if place is not None and not place.reached:
            equilibrium = self._with_errors(tree, seconds)
            place = place_of(tree, state, previous_states, equilibrium.behaviour, equilibrium.beliefs)
        if place is None:
            raise OutplayError(f"{self.game!r}: play cannot get from the initial state to {state!r}")
        return self._analysis_of_place(tree, state, place, equilibrium, limit, time.perf_counter() - began)

    def _analysis_of_place(
        self, tree: GameTree, state: Any, place: Place, equilibrium: Equilibrium, limit: Limit, seconds: float
    ) -> Analysis:
        """The analysis of a place."""
        mover = int(self.game.to_move(state))
        player = max(mover, 0)
        digits = 12 - math.ceil(math.log10(stakes_of(tree)))
        values = np.round(place.values, digits) + 0.0  # without a solver's rounding, and never -0
        likely = np.round(place.probabilities, 12) + 0.0
        order = np.lexsort((-values[:, player], -likely.round(9)))
        actions = tuple(
            ActionValue(
                action=place.actions[i],
                name=self.game.action_name(state, place.actions[i]),
                value=float(values[i, player]),
                exact=equilibrium.exact,
                line=(place.actions[i],),
                probability=float(likely[i]),
            )
            for i in order.tolist()
        )
        expected = tuple(float(value) for value in np.round(likely @ values, digits) + 0.0)
        return Analysis(
            game=self.game, state=state, player=mover, action=None if mover == CHANCE else actions[0].action,
            value=expected[player], values=expected, line=actions[0].line, actions=actions, exact=equilibrium.exact,
            depth=int(depths(tree).max()), nodes=tree.nodes, seconds=seconds, limit=limit, equilibrium=equilibrium.kind,
            method=f"EquilibriumSearch, {equilibrium.how}", stopped=StopReason.COMPLETE,
        )  # fmt: skip

    # -- the whole game -----------------------------------------------------------------------------------------------

    def tree(self) -> GameTree:
        """The tree of the game. Raises `OutplayError` if it has more than `max_nodes`."""
        if "_tree" not in vars(self):
            try:
                check_size(self.game, self.max_nodes)
                tree = unroll(self.game, memory_mb=self.max_nodes * BYTES_A_NODE / 1e6, check=False)
            except TreeTooLarge:
                raise TreeTooLarge(
                    f"{self.game!r} is not solved here, since it has more than {self.max_nodes:,} nodes (max_nodes);"
                    " outplay equilibrium takes longer, in Python CFR or TreelessMCCFR, and ISMCTS searches it"
                ) from None
            vars(self)["_tree"] = tree
        game_tree: GameTree = vars(self)["_tree"]
        return game_tree

    def solved(self, seconds: float | None) -> tuple[GameTree, Equilibrium]:
        """The tree of the game and an equilibrium, kept for the next search."""
        tree = self.tree()
        return tree, self._cached("_equilibrium", partial(equilibrium_of, tree, seconds))

    def _with_errors(self, tree: GameTree, seconds: float | None) -> Equilibrium:
        """The equilibrium of players who err, by which places are judged that others never reach."""
        return self._cached("_trembling", partial(trembling, tree, seconds))

    def _cached(self, name: str, make: Callable[[], Equilibrium]) -> Equilibrium:
        if name not in vars(self):
            vars(self)[name] = make()
        equilibrium: Equilibrium = vars(self)[name]
        return equilibrium


def check_size(game: Game, most: int) -> None:
    """Raise `TreeTooLarge` if the tree clearly has more than `most` nodes, before anything is compiled to count them.

    In a random play the product of the numbers of actions is an estimate of the number of ends (Knuth 1975).
    """
    random, large = Random(0), 0  # noqa: S311 - not for secrets
    for _ in range(PLAYS):
        state, product = game.initial_state(), 1
        while product <= MUCH * most and not game.is_terminal(state):
            actions = list(legal_actions(game, state))
            product *= len(actions)
            state = game.result(state, random.choice(actions))
        large += product > MUCH * most
    if large > PLAYS / 2:
        raise TreeTooLarge(f"{game!r} has more than {most:,} nodes")


def equilibrium_of(tree: GameTree, seconds: float | None) -> Equilibrium:
    """Return an equilibrium of a tree. Raises `OutplayError` if none is found in this time."""
    opposed = tree.has_constant_sum
    if small := small_equilibrium(tree):
        behaviour = completed(tree, behaviour_of(tree, small[1]))
        return Equilibrium(behaviour, behaviour, kind_of(opposed), small[0].method, exact=True)
    if opposed:
        solution = SequenceForm(tree, method="highs-ds").solve(seconds=seconds)
        behaviour = completed(tree, solution.strategy.behaviour(tree))
        return Equilibrium(behaviour, behaviour, kind_of(opposed), "linear programming (HiGHS)", exact=True)
    stakes = stakes_of(tree)
    solution = CFR(tree, variant="predictive").solve(seconds=seconds or SECONDS, exploitability=CLOSE * stakes)
    if solution.stopped == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    behaviour = completed(tree, solution.strategy.behaviour(tree))
    gain = solution.exploitability * tree.players
    if not gain <= FAR * stakes:
        raise OutplayError(
            f"{tree.game!r}: no equilibrium was found in {solution.seconds:.1f} s: after what CFR found, players would"
            f" gain {gain:.3g} by deviating"
        )
    kind = f"{NEARLY}: no player gains more than {gain:.1g} by deviating; others may have other values"
    return Equilibrium(behaviour, behaviour, kind, "CFR", exact=False)


def trembling(tree: GameTree, seconds: float | None) -> Equilibrium:
    """Return optimal strategies of players who err. Raises `OutplayError` if the game is not one of constant sum."""
    if not tree.has_constant_sum:
        raise OutplayError(
            f"{tree.game!r}: the equilibrium that was found never gets to this state, and so says nothing about it"
        )
    solution = SequenceForm(tree, method="highs-ds", trembles=TREMBLE).solve(seconds=seconds)
    beliefs = solution.strategy.behaviour(tree)
    errors = TREMBLE * tree.uniform()
    meant = np.where(tree.set_of >= 0, np.maximum(beliefs - errors, 0.0) / (1 - TREMBLE), 1.0)
    kind = (
        f"an optimal strategy of players who err with a probability of {TREMBLE:.0%}, since without errors play never"
        " gets here"
    )
    return Equilibrium(meant, beliefs, kind, "linear programming (HiGHS)", exact=False)


def completed(tree: GameTree, behaviour: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an equilibrium with best responses where a player gets only by own actions that it never takes.

    There an equilibrium may do anything, since it matters to nobody.
    """
    plan, best = plan_of(tree, behaviour), behaviour.copy()
    respond(tree, plan, best)
    never = plan[tree.before] <= NEVER
    return np.where((tree.set_of >= 0) & never[tree.set_of], best, behaviour)


def stakes_of(tree: GameTree) -> float:
    """The greatest utility minus the least; their size if these are equal."""
    return float(np.ptp(tree.utilities) or np.abs(tree.utilities).max()) or 1.0


def kind_of(opposed: bool) -> str:
    """What an equilibrium is, in words; `opposed`: whether there are two players with constant sum."""
    return f"{OPTIMAL}: its value is that of the game" if opposed else f"{ONE_OF_SEVERAL}; others may have other values"
