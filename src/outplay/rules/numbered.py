"""Games whose actions are not ints: tuples, strings, enums, None. Searches see them numbered.

`numbered(game)` is a game with the same states, whose actions are ints: the number of an action is made of the ints,
bools and characters in it, so that compiled and interpreted rules agree on it without a list of all actions. The low
bits of the parts come first, so that small parts give small numbers. Actions of several kinds, or with other parts, are
numbered in the order in which they appear; such games run interpreted.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest
from random import Random
from time import thread_time
from types import CodeType, FunctionType
from typing import Any

from outplay.rules.action_codec import (
    BITS,
    LOW_BITS,
    NEEDED,
    NONE,
    Kind,
    bits_needed,
    codec,
    kind_of,
    leaf,
    leaves,
    merged,
    parts_of,
    widths_of,
    with_words,
)
from outplay.rules.actions import listed
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game, defines

ARE_ACTIONS = (
    "Actions are whole numbers from 0 up, strings, tuples, enums or None: all that can be hashed, but no floats,"
    " True or False."
)
"""What actions may be, in one sentence for all messages."""
LOOKED, PLIES, MOST = 3, 200, 10_000
"""The number of random games in which actions are looked at, of plies in each, and of actions in a state."""
LEAST, SECONDS = 20, 1.0
"""The number of plies that are looked at in any case; with slow rules, no more after these seconds."""
LONGEST_TEXT = 40
"""The most characters of a text in the rules that may be one of an action's."""


class Numbered(Game):
    """A game with numbered actions. See `numbered`."""

    rules: Game
    encode: Callable[[Any], int]
    decode: Callable[[int], Any]
    has_table = False

    def __init__(self, rules: Game) -> None:
        self.rules = rules

    def __repr__(self) -> str:
        return repr(self.rules)

    def __reduce__(self) -> Any:
        return (number_by_table if self.has_table else numbered), (self.rules,)

    def initial_state(self) -> Any:  # noqa: D102
        return self.rules.initial_state()

    def to_move(self, state: Any) -> int:  # noqa: D102
        return self.rules.to_move(state)

    def is_terminal(self, state: Any) -> bool:  # noqa: D102
        return self.rules.is_terminal(state)

    def utility(self, state: Any, player: int) -> float:  # noqa: D102
        return self.rules.utility(state, player)


def numbered(game: Game) -> Game:
    """`game`, or if its actions are not ints, a game with the same states whose actions are.

    >>> from outplay import Game
    >>> class Pairs(Game):
    ...     def initial_state(self):
    ...         return 0
    ...     def to_move(self, state):
    ...         return state % 2
    ...     def actions(self, state):
    ...         return [(row, column) for row in range(2) for column in range(3)]
    ...     def result(self, state, action):
    ...         return state + 1 + sum(action)
    ...     def is_terminal(self, state):
    ...         return state > 5
    ...     def utility(self, state, player):
    ...         return 1 if player == state % 2 else -1
    >>> game = numbered(Pairs())
    >>> game.actions(0)
    [0, 64, 128, 1, 65, 129]
    >>> game.action_name(0, 65), game.result(0, 65)
    ('1,1', 3)
    """
    if isinstance(game, Numbered):
        return game
    if game._numbered is None:
        object.__setattr__(game, "_numbered", _numbered(game))
    numbered_game: Game = game._numbered
    return numbered_game


def number_by_table(game: Game) -> Game:
    """Number the actions of a game in the order in which they appear; it runs interpreted from now on."""
    rules = game.rules if isinstance(game, Numbered) else game
    object.__setattr__(rules, "_numbered", _class(type(rules), None, (), *_passed_on(rules))(rules))
    return numbered(rules)


def _passed_on(game: Game) -> tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]:
    """The rules that the game defines, and its constants."""
    rules = tuple(rule for rule in RULES if rule in ("action_name", "action_cells") or defines(game, rule))
    return rules, tuple((name, getattr(game, name)) for name in CONSTANTS)


def _numbered(game: Game) -> Game:
    samples = list(_actions_seen(game))
    try:
        kinds = {kind_of(action) for action in samples}
    except TypeError:  # something that cannot be hashed; a check says it better
        return game
    if kinds <= {("int",), ("bool",)} or any("float" in kind for kind in kinds):
        return game
    kind = merged(kinds)
    widths = widths_of(kind, samples) if kind else ()
    if kind and not widths:
        all_words, seen_words = (with_words(kind, samples, words) for words in (_texts_in(game), ()))
        kind = all_words if widths_of(all_words, samples) else seen_words
        widths = widths_of(kind, samples)
    return _class(type(game), kind if widths else None, widths, *_passed_on(game))(game)


def why_by_table(game: Game) -> str:
    """Why the actions of `game` are numbered in the order in which they appear, and what to write instead."""
    samples = list(_actions_seen(game))
    first, kind = samples[0], merged(set(map(kind_of, samples)))
    if kind is None:
        other = next((action for action in samples if merged({kind_of(first), kind_of(action)}) is None), samples[-1])
        one, another = (_with_all_parts(action, samples) for action in (first, other))
        return (
            f"the actions {first!r} and {other!r} are of several kinds: make all actions of one kind, with None where"
            f" an action has no such part, such as {one!r} and {another!r}"
        )
    parts = [part for part, _ in parts_of(kind, "action")]
    if not {leaf(part)[0] for part in parts} <= NEEDED.keys():
        return f"the action {first!r} has other parts than ints, bools, strings, members of enums and None: use these"
    if len(parts) > LOW_BITS:
        return f"the action {first!r} has more than {LOW_BITS} parts: use its place in a list of all actions"
    widest = max(samples, key=lambda action: sum(map(bits_needed, parts, leaves(action, kind))))
    return (
        f"the number of the action {widest!r} takes more than {BITS} bits: use smaller ints and shorter strings of"
        " ASCII, or its place in a list of all actions"
    )


def _with_all_parts(action: Any, samples: Iterable[Any]) -> tuple[Any, ...]:
    """An action as a tuple with a part for each kind that any action has in each place.

    >>> _with_all_parts((1, "up"), [(1, "up"), "pass", (2, None)])
    (1, None, 'up')
    >>> _with_all_parts("pass", [(1, "up"), "pass", (2, None)])
    (None, 'pass', None)
    """
    rows = [action_seen if isinstance(action_seen, tuple) else (action_seen,) for action_seen in (action, *samples)]
    parts_seen: list[Any] = []
    for part, *parts in zip_longest(*rows):
        kinds: list[Kind] = []
        for kind in filter(NONE.__ne__, dict.fromkeys(map(kind_of, parts))):
            alike = next((kind_seen for kind_seen in kinds if merged({kind_seen, kind}) is not None), None)
            kinds += [] if alike else [kind]
        parts_seen += [part if part is not None and merged({kind_of(part), kind}) else None for kind in kinds or [NONE]]
    return tuple(parts_seen)


def wrong_action(game: Game, actions: list[Any]) -> str:
    """What is wrong with `actions`, which are not all ints from 0 up: the words after `ARE_ACTIONS`."""
    for action in [*actions, *_actions_seen(game)]:
        text = f"got {actions!r}" if any(action is legal for legal in actions) else f"got {action!r}"
        try:
            kind = kind_of(action)
        except TypeError:
            return f"{text}; a list cannot be hashed: write a tuple" if isinstance(action, list) else text
        if kind[0] in ("float", "bool") or (kind[0] == "int" and not 0 <= action < 2**63):
            return text
    return f"got {actions!r}, but only ints in the first state: make all actions of one kind, such as tuples"


def decoded(game: Game, action: int) -> Any:
    """The action, in the words of the rules, that a search of `game` calls `action`."""
    return game.decode(action) if isinstance(game, Numbered) else action


def encoded(game: Game, action: Any) -> int:
    """The inverse of `decoded`."""
    return game.encode(action) if isinstance(game, Numbered) else action


def _actions_seen(game: Game) -> Iterator[Any]:
    """Actions of the first state; if they are not all ints, of random games too."""
    try:
        state = first = game.initial_state()
        actions = list(islice(listed(game.actions(state)), MOST))
        is_chance = bool(game.has_chance and game.to_move(state) == CHANCE)
    except Exception:  # the rules may raise anything; a check says it better
        return
    yield from actions
    if all(isinstance(action, int) or hasattr(action, "__index__") for action in actions) and not is_chance:
        return
    random = Random(0)  # noqa: S311 - not for secrets
    began, plies = thread_time(), 0
    try:
        for _ in range(LOOKED):
            state = first
            for _ in range(PLIES):
                plies += 1
                if game.is_terminal(state) or (plies > LEAST and thread_time() - began > SECONDS):
                    break
                actions = list(islice(listed(game.actions(state)), MOST))
                yield from actions
                state = game.result(state, random.choice(actions))
    except Exception:
        return


# -- kinds of actions, and their numbers ------------------------------------------------------------------------------


def _texts_in(game: Game) -> set[str]:
    """The short texts in the module of the rules that they refer to: mostly, those of actions are among them."""
    texts: set[str] = set()
    waiting: list[Any] = [cls for cls in type(game).__mro__ if issubclass(cls, Game) and cls is not Game]
    seen_ids: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            texts |= {value} if len(value) <= LONGEST_TEXT else set()
        elif id(value) not in seen_ids:
            seen_ids.add(id(value))
            waiting += _referred_to_by(value, type(game).__module__)
    return texts


def _referred_to_by(value: Any, module: str) -> Iterable[Any]:
    """What a container consists of, and what code, a function or a class of this module refers to."""
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, CodeType):
        return value.co_consts
    if getattr(value, "__module__", None) != module:
        return ()
    if isinstance(value, FunctionType):
        return [value.__code__, *(value.__globals__.get(name) for name in _names_in(value.__code__))]
    return [*vars(value).values()] if isinstance(value, type) else ()


def _names_in(code: CodeType) -> Iterator[str]:
    """The names that code uses, and the code inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


class Table:
    """Numbers of actions in the order in which they appear."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.actions: list[Any] = []

    def encode(self, action: Any) -> int:
        """The number of an action."""
        try:
            number = self.numbers.get(action)
        except TypeError:
            raise RulesError(f"{ARE_ACTIONS} Got {action!r}, which cannot be hashed.") from None
        if number is None:
            number = self.numbers[action] = len(self.actions)
            self.actions.append(action)
        return number

    def decode(self, number: int) -> Any:
        """The action with this number."""
        return self.actions[number]


# -- the class of a numbered game -------------------------------------------------------------------------------------

RULES = {
    "actions": "(self, state): return [encode(action) for action in self.rules.actions(state)]",
    "candidates": "(self, state): return [encode(action) for action in self.rules.candidates(state)]",
    "noisy": "(self, state): return [encode(action) for action in self.rules.noisy(state)]",
    "result": "(self, state, action): return self.rules.result(state, decode(action))",
    "probability": "(self, state, action): return self.rules.probability(state, decode(action))",
    "order": "(self, state, action): return self.rules.order(state, decode(action))",
    "information": "(self, state, player): return self.rules.information(state, player)",
    "observation": "(self, state, player): return self.rules.observation(state, player)",
    "evaluate": "(self, state, player): return self.rules.evaluate(state, player)",
    "forced_result": "(self, state): return self.rules.forced_result(state)",
    "utility_bounds": "(self, state): return self.rules.utility_bounds(state)",
    "is_quiet": "(self, state): return self.rules.is_quiet(state)",
    "needs_extension": "(self, state): return self.rules.needs_extension(state)",
    "null_move_state": "(self, state): return self.rules.null_move_state(state)",
    "passed_state": "(self, state): return self.rules.passed_state(state)",
    "determinize": "(self, state, player, random): return self.rules.determinize(state, player, random)",
    "key": "(self, state): return self.rules.key(state)",
    "symmetries": "(self, state): return self.rules.symmetries(state)",
    "state_class": "(self, state): return self.rules.state_class(state)",
    "index_count": "(self, number): return self.rules.index_count(number)",
    "state_index": "(self, state): return self.rules.state_index(state)",
    "indexed_state": "(self, number, index): return self.rules.indexed_state(number, index)",
    "index_player": "(self, state): return self.rules.index_player(state)",
    "index_plies": "(self, state): return self.rules.index_plies(state)",
    "index_stage": "(self, state): return self.rules.index_stage(state)",
    "index_points": "(self, state, player): return self.rules.index_points(state, player)",
    "class_name": "(self, number): return self.rules.class_name(number)",
    "parse_class": "(self, text): return self.rules.parse_class(text)",
    "features": "(self, state): return self.rules.features(state)",
    "render": "(self, state): return self.rules.render(state)",
    "picture": "(self, state): return self.rules.picture(state)",
    "seat_picture": "(self, state, player): return self.rules.seat_picture(state, player)",
    "action_cells": "(self, state, action): return self.rules.action_cells(state, decode(action))",
    "information_text": "(self, state, player): return self.rules.information_text(state, player)",
    "value_text": "(self, value, exact=False, distance=None): return self.rules.value_text(value, exact, distance)",
    "line_text": "(self, state, names): return self.rules.line_text(state, names)",
    "result_text": "(self, utilities): return self.rules.result_text(utilities)",
    "state_text": "(self, state): return self.rules.state_text(state)",
    "parse_state": "(self, text): return self.rules.parse_state(text)",
    "action_name": "(self, state, action): return self.rules.action_name(state, decode(action))",
}
"""The rules that a numbered game passes on, and how."""
CONSTANTS = (
    "players", "zero_sum", "constant_sum", "teams", "has_chance", "hidden_information", "utilities", "repetition",
    "repetitions", "forced_result_depth", "feature_names", "perft_past_end", "amaf_friendly", "player_marks",
    "compiled", "checked",
)  # fmt: skip
"""The attributes that a numbered game has too."""


@functools.lru_cache(maxsize=256)
def _class(
    game_class: type[Game], kind: Kind | None, widths: tuple[int, ...], rules: tuple[str, ...], constants: Any
) -> type[Numbered]:
    if kind is not None:
        encode, decode = codec(kind, widths)
    else:
        table = Table()
        encode, decode = table.encode, table.decode
    names: dict[str, Any] = {"encode": encode, "decode": decode, "__name__": __name__}
    for rule in rules:
        exec(f"def {rule}{RULES[rule]}", names)  # noqa: S102 - the source is ours
    members = {rule: names[rule] for rule in rules} | dict(constants)
    if members["constant_sum"]:
        members["zero_sum"] = False
    members |= {"encode": staticmethod(encode), "decode": staticmethod(decode), "__module__": game_class.__module__}
    if kind is None:
        members["compiled"], members["has_table"] = False, True
    return type(game_class.__name__, (Numbered,), members)
