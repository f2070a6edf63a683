"""Replaces the `evaluate` or the `order` of a game, by a variant of its class.

An evaluation is a function `(game, state, player) -> float`, or an object whose `rule(game)` returns such a function.
An order is a function `(game, state, action) -> float`.
"""

import copy
import functools
import math
import weakref
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import UnsuitableGame, WrongType
from outplay.rules.game import Game
from outplay.rules.numbered import Numbered

Rule = Callable[[Any, Any, int], float]
"""Estimates the utility of a player: a function of game, state and player."""
Order = Callable[[Any, Any, Any], float]
"""How promising an action looks: a function of game, state and action. A search tries the highest first."""
MAX_COPIES = 64
_copies: dict[Any, Any] = {}
"""A game, its copy and its attributes, by the place of the game in memory and the copy's class; the last used last."""
INSIDE = 1 - 2.0**-20
"""The share of the range of utilities that estimates use, so that none looks like a win or a loss."""


@runtime_checkable
class Evaluation(Protocol):
    """An evaluation that makes a function for each game, such as a `LinearEvaluation`."""

    def rule(self, game: Game) -> Rule:
        """The function for `game`. It must be the same one each time, so that it is compiled only once."""


def rule_of(game: Game, evaluate: "Rule | Evaluation") -> Rule:
    """`evaluate` as a function, made for `game` if necessary. Raises `WrongType` for anything else."""
    if isinstance(evaluate, Evaluation):
        return evaluate.rule(game)
    if not callable(evaluate):
        raise WrongType(f"evaluate={evaluate!r}: a function (game, state, player) -> float, or a LinearEvaluation")
    return evaluate


def evaluated(evaluation: Evaluation, game: Game, state: Any, player: int) -> float:
    """What `evaluation` says of a state, asked from Python: the estimate, or the utility if the game is over."""
    rule = evaluation.rule(game)
    return float(game.utility(state, player)) if game.is_terminal(state) else rule(game, state, player)


def _variant_of(variant: Any, game: Game) -> Game:
    """A copy of `game` of this class: the last one as long as the game has the same attributes.

    What was found out about the rules of a game is kept with it, and checked at each search. A new copy has nothing.
    """
    place = id(game), variant
    changed: Game
    owner, changed, attributes = _copies.pop(place, (None, None, {}))
    current = vars(game)
    same = owner is not None and owner() is game and attributes.keys() == current.keys()
    if not same or any(attributes[name] is not value for name, value in current.items()):
        changed = copy.copy(game)
        changed.__class__ = variant
    _copies[place] = weakref.ref(game, lambda _: _copies.pop(place, None)), changed, dict(current)
    while len(_copies) > MAX_COPIES:
        _copies.pop(next(iter(_copies)), None)
    return changed


def with_evaluation(game: Game, evaluate: "Rule | Evaluation | None") -> Game:
    """A copy of `game` with another `evaluate`; `game` itself if `evaluate` is None."""
    if evaluate is None:
        return game
    return _variant_of(_variant(type(game), rule_of(game, evaluate)), game)


@functools.lru_cache(maxsize=64)
def _variant(game_class: type[Game], evaluate: Rule) -> Any:
    return type(game_class.__name__, (game_class,), {"evaluate": evaluate, "__module__": game_class.__module__})


def with_rules(game: Game, **rules: Callable[..., Any]) -> Game:
    """A new copy of `game`, with these rules besides its own; attributes may be set on it."""
    changed = copy.copy(game)
    changed.__class__ = type(type(game).__name__, (type(game),), {**rules, "__module__": type(game).__module__})
    return changed


def with_order(game: Game, order: "Order | bool") -> Game:
    """A copy of `game` with another `order`; `game` itself if `order` is True or False."""
    if isinstance(order, bool):
        return game
    return _variant_of(_ordered(type(game), order), game)


@functools.lru_cache(maxsize=64)
def _ordered(game_class: Any, order: Order) -> Any:
    names: dict[str, Any] = {"order": order, "__name__": __name__}
    if issubclass(game_class, Numbered):  # `order` is about actions as they are
        names = {"given": order, "decode": game_class.decode, "__name__": __name__}
        exec("def order(self, state, action): return given(self.rules, state, decode(action))", names)  # noqa: S102
    members = {"order": names["order"], "__module__": game_class.__module__}
    return type(game_class.__name__, (game_class,), members)


def check_opposed(evaluation: Any, game: Game) -> None:
    """Raise `UnsuitableGame` unless `game` has one player, or two opposed ones, and no chance."""
    if (
        game.players > 2
        or (game.players == 2 and not has_constant_sum(game))
        or game.has_chance
        or game.hidden_information
    ):
        name = getattr(evaluation, "__name__", type(evaluation).__name__)
        raise UnsuitableGame(
            f"{name} cannot estimate {game!r}: it needs a game for one player, or for two with opposed interests,"
            " without chance and hidden information"
        )


def bounds(game: Game) -> tuple[float, float]:
    """The range of estimates: strictly inside the `utilities` of the game, or unbounded if these are not known."""
    least, greatest = game.utilities or (-math.inf, math.inf)
    if not math.isfinite(greatest - least):
        return -math.inf, math.inf
    middle, reach = (least + greatest) / 2, (greatest - least) / 2 * INSIDE
    return middle - reach, middle + reach
