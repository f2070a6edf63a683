"""Rules that call `random`, played as they are: what they draw becomes the outcomes of chance.

A move is played with a script of draws. Where the script ends, the rules are stopped, and chance is to move; when
it has decided, the move is played again from its start with a longer script. Start at `random_as_chance`.
"""

# ruff: noqa: D102 - the rules do what `Game` says

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from outplay.adapters.scripted_random import (
    BY_HAND,
    RandomFloat,
    Stopped,
    exchange_generators,
    running_script,
    scripted,
)
from outplay.rules.actions import name_of
from outplay.rules.base import attributes
from outplay.rules.errors import RulesError, WrongType
from outplay.rules.game import CHANCE, Game
from outplay.rules.user_code import place

R = TypeVar("R", bound=Game | type[Game])


def random_as_chance(game: R) -> R:
    """A game like `game`, whose `initial_state` and `result` may call `random`: chance decides what they draw.

    Wherever they draw a number, chance is to move: its actions are 0, 1, …, one for each value, with the probability of
    the value. Each value leads to the next number drawn in this move, and the last one to the state after the move. The
    game runs interpreted. Numbers may come from the functions of `random`, from any `random.Random`, from the functions
    of `numpy.random`, or from a generator of NumPy that the game or the first state has as an attribute. Seeds do not
    count.

    Args:
        game: a class of games, of which this is a decorator, or a game.

    Raises `WrongType` for anything but a game, and `RulesError` for a game with hidden information, and during play if
    rules draw what has too many values to be listed, such as a float.

    >>> import random
    >>> from outplay import Game, ValueIteration, random_as_chance
    >>> @random_as_chance
    ... class Race(Game):
    ...     '''Walk one step, or throw a die and walk as far unless it shows 6. Whoever comes to 6 first wins.'''
    ...     def initial_state(self):
    ...         return (0, 0, 0)
    ...     def to_move(self, state):
    ...         return state[2]
    ...     def actions(self, state):
    ...         return ["walk", "throw"]
    ...     def result(self, state, action):
    ...         steps = 1 if action == "walk" else random.randint(1, 6) % 6
    ...         here, there, player = state
    ...         return (here + steps, there, 1) if player == 0 else (here, there + steps, 0)
    ...     def is_terminal(self, state):
    ...         return max(state[:2]) >= 6
    ...     def utility(self, state, player):
    ...         return 1 if state[player] >= 6 else -1
    >>> game = Race()
    >>> thrown = game.result((3, 0, 0), "throw")
    >>> [(game.action_name(thrown, each), round(game.probability(thrown, each), 2)) for each in game.actions(thrown)]
    [('1', 0.17), ('2', 0.17), ('3', 0.17), ('4', 0.17), ('5', 0.17), ('6', 0.17)]
    >>> game.result(thrown, 4), round(ValueIteration(game).search().value, 2)
    ((8, 0, 1), 0.33)
    """
    cls = game if isinstance(game, type) else type(game)
    if not issubclass(cls, Game):
        raise WrongType(f"random_as_chance({game!r}): not a game, nor a class of games")
    if cls.hidden_information:
        raise RulesError(f"random_as_chance: {cls.__name__} has hidden information, so {BY_HAND}")
    with_chance = _with_chance(cls)
    if isinstance(game, type):
        return with_chance  # type: ignore[return-value]
    twin = with_chance.__new__(with_chance)
    for name, value in {**attributes(game), "_arguments": game._arguments}.items():
        object.__setattr__(twin, name, value)
    return twin  # type: ignore[return-value]


# -- the game ---------------------------------------------------------------------------------------------------------


@dataclass
class Drawing:
    """A state in which chance decides what the rules draw next.

    Attributes:
        before: the state before the move; None if the first state is being made.
        action: the action of that move.
        drawn: what this move has drawn already: the place of each value among those that could be drawn.
        values: what can be drawn next.
        odds: the probability of each of these.
    """

    before: Any
    action: Any
    drawn: tuple[int, ...]
    values: Sequence[Any] = field(compare=False)
    odds: Sequence[float] = field(compare=False)


class RandomAsChance(Game):
    """What a game with rules that call `random` has before its own rules. See `random_as_chance`."""

    __slots__ = ()
    compiled = False
    why_interpreted = "random_as_chance plays rules interpreted: with chance as a player (docs/chance.md) they compile"
    has_chance = True

    def initial_state(self) -> Any:
        return self._after(None, None)

    def result(self, state: Any, action: Any) -> Any:
        if isinstance(state, Drawing):
            return self._after(state.before, state.action, (*state.drawn, action))
        return self._after(state, action)

    def to_move(self, state: Any) -> int:
        return CHANCE if isinstance(state, Drawing) else super().to_move(state)  # type: ignore[safe-super]

    def actions(self, state: Any) -> Any:
        if isinstance(state, Drawing):
            return [place for place, share in enumerate(state.odds) if share > 0]
        return super().actions(state)  # type: ignore[safe-super]

    def probability(self, state: Any, action: Any) -> float:
        return state.odds[action] if isinstance(state, Drawing) else super().probability(state, action)

    def is_terminal(self, state: Any) -> bool:
        return not isinstance(state, Drawing) and super().is_terminal(state)  # type: ignore[safe-super]

    def utility(self, state: Any, player: int) -> float:
        return super().utility(state, player)  # type: ignore[safe-super]

    def key(self, state: Any) -> Any:
        if not isinstance(state, Drawing):
            return super().key(state)
        return "drawing", None if state.before is None else super().key(state.before), state.action, state.drawn

    def action_name(self, state: Any, action: Any) -> str:
        if not isinstance(state, Drawing):
            return super().action_name(state, action)
        names = [name_of(value) for value in state.values]
        return names[action] if names.count(names[action]) == 1 else f"{names[action]} #{action}"

    def render(self, state: Any) -> str:
        if not isinstance(state, Drawing):
            return super().render(state)
        if state.before is None:
            return "chance decides how the game begins"
        name = super().action_name(state.before, state.action)
        return f"{super().render(state.before)}\nchance decides what {name} brings"

    def _after(self, before: Any, action: Any, drawn: tuple[int, ...] = ()) -> Any:
        """The state after a move that draws this, or the `Drawing` of what it draws next."""
        if running_script() is not None:  # rules that play on by themselves
            return self._next_by_rules(before, action)
        with scripted(self, drawn) as script:
            try:
                state = self._next_by_rules(before, action)
            except Stopped as stopped:
                return Drawing(before, action, drawn, stopped.values, stopped.odds)
            except TypeError as error:
                if RandomFloat.__name__ in str(error):
                    raise RulesError(
                        f"{place(error)}: a random float can be compared, multiplied and rounded down; else {BY_HAND}"
                    ) from error
                raise
        if script.is_over:
            raise RulesError(f"{self!r}: a bare `except:` around random numbers: write `except Exception:`")
        if script.number < len(drawn):
            raise RulesError(f"{self!r} draws other numbers when the same move is played again")
        if before is None:
            exchange_generators(state, set())
        return state

    def _next_by_rules(self, before: Any, action: Any) -> Any:
        """The next state by the rules themselves."""
        return super().initial_state() if before is None else super().result(before, action)  # type: ignore[safe-super]


OPTIONAL = (
    "order", "candidates", "noisy", "forced_result", "utility_bounds", "is_quiet", "needs_extension",
    "null_move_state", "passed_state", "playout_action", "symmetries", "features", "state_class", "state_index",
    "picture", "seat_picture", "action_cells", "line_text", "state_text",
)  # fmt: skip
"""The rules about a state that have a default, which holds where chance is to move."""


@functools.cache
def _with_chance(source: type[Game]) -> type[Game]:
    """The class of games that are played as those of `source`, but for what they draw."""
    members: dict[str, Any] = {
        rule: _unless_drawing(getattr(source, rule), getattr(Game, rule))
        for rule in OPTIONAL
        if getattr(source, rule) is not getattr(Game, rule)
    }
    if source.evaluate is not Game.evaluate:
        members["evaluate"] = _mean_evaluation(source.evaluate)
    members |= {name: getattr(source, name) for name in ("__module__", "__qualname__", "__doc__")}
    return type(source.__name__, (RandomAsChance, source), members | {"__slots__": ()})


def _unless_drawing(rule: Callable[..., Any], default: Callable[..., Any]) -> Callable[..., Any]:
    """A rule with its default where chance is to move."""

    @functools.wraps(rule)
    def answer(game: Game, state: Any, *others: Any) -> Any:
        return (default if isinstance(state, Drawing) else rule)(game, state, *others)

    return answer


def _mean_evaluation(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule `evaluate`; where chance is to move, the mean over what can be drawn next."""

    @functools.wraps(rule)
    def evaluate(game: Any, state: Any, player: int) -> Any:
        if not isinstance(state, Drawing):
            return rule(game, state, player)
        total = 0.0
        for action in game.actions(state):
            after = game.result(state, action)
            value_of = game.utility if game.is_terminal(after) else game.evaluate
            total += state.odds[action] * value_of(after, player)
        return total

    return evaluate
