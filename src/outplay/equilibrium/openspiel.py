"""Conversion of strategies to and from OpenSpiel's tabular policies.

Both games are traversed side by side, from the initial state to all ends. In each pair of states the player to move,
the number of actions, chances and payoffs must agree; then a strategy here and a policy there mean the same if players
know the same. If anything differs, the error names the history.

Needs the package `open_spiel`, which the rest of outplay does not. Start at `to_openspiel` and `from_openspiel`.
"""

# ruff: noqa: PLC0415 - OpenSpiel is imported where it is used

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from math import isclose
from typing import Any, NamedTuple

import numpy as np

from outplay.equilibrium.strategy import Strategy, tree_of
from outplay.equilibrium.tree import END, GameTree
from outplay.rules.errors import StrategyError
from outplay.rules.game import CHANCE, Game

Actions = Callable[[Any], Sequence[int]]
"""Returns OpenSpiel's actions in one of its states, in the order of outplay's actions."""
CLOSE = 1e-9
"""Chances and payoffs may differ by this much."""


class Pair(NamedTuple):
    """A decision, here and in OpenSpiel."""

    node: int
    number: int  # the information set here
    state: Any  # OpenSpiel's state
    actions: list[tuple[int, int]]  # the sequence here and OpenSpiel's action


def to_openspiel(strategy: Strategy, game: Any, *, actions: Actions | None = None) -> Any:
    """Convert `strategy` to a `TabularPolicy` of OpenSpiel.

    Args:
        strategy: a strategy of all players.
        game: the same game in OpenSpiel, or its name, such as "kuhn_poker".
        actions: returns OpenSpiel's actions in one of its states, in the order in which outplay's game lists its own;
            None means OpenSpiel's order.

    Raises `StrategyError`, with the history, if the games differ or if one information set of OpenSpiel is two here.
    Raises it too if OpenSpiel is not installed.

    >>> from outplay.games import KuhnPoker
    >>> policy = to_openspiel(Strategy.uniform(KuhnPoker()), "kuhn_poker")  # doctest: +SKIP
    >>> policy.policy_for_key("0pb")  # doctest: +SKIP
    array([0.5, 0.5])
    """
    from_policy = _openspiel("open_spiel.python.policy")
    theirs, tree = _game(game), tree_of(strategy.game)
    policy, behaviour = from_policy.TabularPolicy(theirs), strategy.behaviour(tree)
    first: dict[int, Pair] = {}  # the first decision at each of OpenSpiel's information sets
    for pair in pairs(tree, theirs, actions):
        index = policy.state_index(pair.state)
        first_pair = first.setdefault(index, pair)
        if first_pair.number != pair.number:
            texts = " and ".join(repr(tree.information_text(node_pair.number)) for node_pair in (first_pair, pair))
            raise StrategyError(
                f"{tree.game!r} tells {texts} apart, after {_history(tree, first_pair.node)} and"
                f" {_history(tree, pair.node)}; OpenSpiel does not: {pair.state.information_state_string()!r}"
            )
        for sequence, action in pair.actions:
            policy.action_probability_array[index, action] = behaviour[sequence]
    return policy


def from_openspiel(
    policy: Any, game: Game | GameTree, theirs: Any = None, *, actions: Actions | None = None
) -> Strategy:
    """Convert a policy of OpenSpiel to a strategy of all players of `game`.

    Args:
        policy: any object with `action_probabilities(state)`, tabular or not, from OpenSpiel's Python or C++.
        game: the same game in outplay.
        theirs: OpenSpiel's game, or its name; None means `policy.game`.
        actions: as in `to_openspiel`.

    Raises `StrategyError`, with the history, if the games differ or if the policy acts in two ways at one information
    set of `game`. Raises it too if OpenSpiel is not installed.
    """
    theirs = getattr(policy, "game", None) if theirs is None else theirs
    if theirs is None:
        raise StrategyError("from_openspiel(theirs=None): the policy does not know its game: give theirs")
    tree = tree_of(game)
    behaviour, first = np.ones(tree.sequences), np.full(tree.information_sets, -1)
    for pair in pairs(tree, _game(theirs), actions):
        likely = policy.action_probabilities(pair.state)
        shares = np.array([likely.get(action, 0.0) for _, action in pair.actions])
        sequences = [sequence for sequence, _ in pair.actions]
        if shares.min() < 0 or not isclose(shares.sum(), 1, abs_tol=CLOSE):
            raise StrategyError(
                f"the policy plays the actions {[action for _, action in pair.actions]} with probabilities"
                f" {shares.tolist()}, after {_history(tree, pair.node)}: they must sum to 1"
            )
        if first[pair.number] < 0:
            behaviour[sequences], first[pair.number] = shares, pair.node
        elif not np.allclose(behaviour[sequences], shares, rtol=0, atol=CLOSE):
            raise StrategyError(
                f"the policy acts in two ways at {tree.information_text(pair.number)!r} of {tree.game!r}, after"
                f" {_history(tree, int(first[pair.number]))} and {_history(tree, pair.node)}:"
                " OpenSpiel tells them apart"
            )
    return Strategy.on(tree, behaviour)


def pairs(tree: GameTree, theirs: Any, actions: Actions | None = None) -> Iterator[Pair]:
    """Yield every decision of a player, here and in OpenSpiel. Raises `StrategyError` if the games differ."""
    _agree(tree, 0, "players", tree.players, theirs.num_players())
    children: list[list[int]] = [[] for _ in range(tree.nodes)]
    for node in range(1, tree.nodes):
        children[tree.parent[node]].append(node)
    ends = {int(node): end for end, node in enumerate(tree.end_node)}
    waiting = [(0, theirs.new_initial_state())]
    while waiting:
        node, state = waiting.pop()
        mover, below = int(tree.player[node]), children[node]
        _agree(tree, node, "whether the game is over", mover == END, state.is_terminal())
        if mover == END:
            _agree(tree, node, "payoffs", tree.utilities[ends[node]].tolist(), state.returns())
            continue
        _agree(tree, node, "the player to move, -1 for chance", mover, state.current_player())
        legal = list(actions(state) if actions else state.legal_actions())
        _agree(tree, node, "the number of actions", len(below), len(legal))
        if mover == CHANCE:
            chances = dict(state.chance_outcomes())
            _agree(tree, node, "chances", tree.chance[below].tolist(), [chances[action] for action in legal])
        else:
            number = int(tree.information[node])
            sequence = {action: int(tree.first[number]) + i for i, action in enumerate(tree.actions(number))}
            mine = [sequence[int(tree.action[child])] for child in below]
            yield Pair(node, number, state, list(zip(mine, legal, strict=True)))
        waiting += [(child, state.child(action)) for child, action in zip(below, legal, strict=True)][::-1]


def _agree(tree: GameTree, node: int, subject: str, mine: Any, other: Any) -> None:
    """Raise `StrategyError` if two numbers, or lists of numbers, differ."""
    pairs = [(mine, other)] if not isinstance(mine, list) else zip(mine, other, strict=True)
    if not all(isclose(a, b, rel_tol=0, abs_tol=CLOSE) for a, b in pairs):
        raise StrategyError(
            f"{tree.game!r} differs from OpenSpiel's game after {_history(tree, node)}, in {subject}: {mine} here,"
            f" {other} there"
        )


def _history(tree: GameTree, node: int) -> str:
    """Return the actions that lead to a node, in the game's words."""
    state, names = tree.game.initial_state(), []
    for action in tree.path(node):
        names.append(tree.game.action_name(state, action))
        state = tree.game.result(state, action)
    return ", ".join(names) or "no action"


def _game(game: Any) -> Any:
    """Return OpenSpiel's game, or the one with that name."""
    pyspiel = _openspiel("pyspiel")
    if not isinstance(game, str):
        return game
    name, registered = game.partition("(")[0], pyspiel.registered_names()
    if name not in registered:
        similar = get_close_matches(name, registered, n=1)
        raise StrategyError(f"OpenSpiel has no game {name!r}" + (f"; did you mean {similar[0]}?" if similar else ""))
    return pyspiel.load_game(game)


def _openspiel(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise StrategyError(f"this needs OpenSpiel: pip install open_spiel ({error})") from error
