"""The strategy that a searcher plays in a whole small game: one search per information set.

It shows how exploitable a player is who searches before every action.
"""

from typing import Any

from outplay.check.quick import check_rules
from outplay.engine.analysis import ActionValue
from outplay.engine.limits import Limit, check_is_limit
from outplay.engine.searcher import Searcher
from outplay.rules.arguments import check_type
from outplay.rules.base import frozen
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.keys import key_of
from outplay.rules.numbered import decoded

MAX_STATES = 1_000_000
BY = ("visits", "choice")

Probabilities = dict[tuple[int, Any], dict[int, float]]
"""For each (player, information), the probability of each action."""


def searched_strategy(
    searcher: Searcher, limit: Limit, *, by: str = "visits", most_states: int = MAX_STATES
) -> Probabilities:
    """The strategy of players who search with `searcher` and `limit` at each of their information sets.

    With `by="visits"`, the probability of an action is that of the search, or proportional to its visits; with
    "choice", the best action has probability 1. The keys are pairs (player, information), with the result of the game's
    `information`, arrays as tuples. Raises `UnsuitableGame` if the game has more than `most_states` states,
    `ValueError` for any other `by`.

    >>> from outplay import ISMCTS
    >>> from outplay.games import Nim
    >>> strategy = searched_strategy(ISMCTS(Nim((1, 1))), Limit(simulations=100), by="choice")
    >>> len(strategy)
    3
    """
    check_type(searcher, Searcher, "searched_strategy({}, limit)", "ISMCTS(KuhnPoker())")
    check_is_limit(limit, "searched_strategy")
    if by not in BY:
        raise ValueError(f"searched_strategy(by={by!r}): by must be one of {', '.join(map(repr, BY))}")
    if searcher.check:
        check_rules(searcher.game)
    strategy: Probabilities = {}
    for key, (*before, state) in lines_to_sets(searcher.game, most_states).items():
        analysis = searcher.analyse(state, limit, previous_states=before)
        weights = {
            item.action: weight_of(item) if by == "visits" else float(item.action == analysis.action)
            for item in analysis.actions
        }
        actions = [decoded(searcher.game, int(action)) for action in legal_actions(searcher.game, state)]
        whole = sum(weights.values())  # 0 if there was no time for an answer
        strategy[key] = {a: weights.get(a, 0.0) / whole if whole else 1 / len(actions) for a in actions}
    return strategy


def weight_of(item: ActionValue) -> float:
    """The probability of an action, or what is proportional to it."""
    return float(item.visits or 0) if item.probability is None else item.probability


def information_sets(game: Game, most_states: int = MAX_STATES) -> dict[tuple[int, Any], Any]:
    """One state of each information set, by (player to move, information).

    Raises `UnsuitableGame` if the game has more than `most_states` states, counted once for each way to reach them.
    """
    return {key: line[-1] for key, line in lines_to_sets(game, most_states).items()}


def lines_to_sets(game: Game, most_states: int) -> dict[tuple[int, Any], list[Any]]:
    """The same with all states from the initial one to that one."""
    lines: dict[tuple[int, Any], list[Any]] = {}
    keys_seen: set[int] = set()
    waiting: list[Any] = [(game.initial_state(), None)]
    states = 0
    while waiting:
        path = waiting.pop()
        state = path[0]
        states += 1
        if states > most_states:
            raise UnsuitableGame(f"{game!r} has more than {most_states:,} states: too many to search everywhere")
        if game.is_terminal(state):
            continue
        player = int(game.to_move(state))
        if player != CHANCE:
            information = game.information(state, player)
            key = key_of(information, player)  # objects with equal content may not compare equal
            if key not in keys_seen:
                keys_seen.add(key)
                lines[player, _hashable(information)] = _line(path)
        by_chance = player == CHANCE and defines(game, "probability")
        waiting += [
            (game.result(state, action), path)
            for action in reversed(list(legal_actions(game, state)))
            if not by_chance or game.probability(state, action) > 0
        ]
    return lines


def _line(path: Any) -> list[Any]:
    """The states of a chain of pairs (state, the pair before), the first one first."""
    states = []
    while path is not None:
        state, path = path
        states.append(state)
    return states[::-1]


def _hashable(information: Any) -> Any:
    """The result of `information`, as a key of a dict."""
    try:
        hash(information)
    except TypeError:
        return frozen(information)
    return information
