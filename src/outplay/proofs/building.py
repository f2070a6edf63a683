"""Makes a proof: asks a search for the best action in each state where the side is to move, layer by layer.

All states of a layer are searched in one call, by an alpha-beta search that keeps its transposition table, so that most
answers are found in the table. A search that knows the exact distance chooses the nearest win, so that a win comes
nearer with each action and cannot go in circles.
"""

from collections.abc import Callable, Iterator
from typing import Any

from outplay.proofs.checking import friends_of, identity
from outplay.rules.game import Game, legal_actions
from outplay.search.alpha_beta import AlphaBeta

LAYER = 50_000
"""The most states that are searched in one call."""


class Incomplete(Exception):
    """The search was stopped."""


def strategy(
    game: Game, start: Any, part: str, searcher: AlphaBeta, progress: Callable[[int], None] | None = None
) -> list[int]:
    """The numbers of one part: the places of the actions to follow, in the order in which a check needs them."""
    friends, chosen = friends_of(game), {}
    seen, layer = {identity(game, start)}, [start]
    while layer:
        after: list[Any] = []
        asked: list[Any] = []

        def follow(state: Any) -> None:
            name = identity(game, state)
            if name not in seen:
                seen.add(name)
                after.append(state)  # noqa: B023

        for state in layer:
            if game.is_terminal(state):
                continue
            if (int(game.to_move(state)) in friends) == (part == "least"):
                asked.append(state)
            else:
                for action in legal_actions(game, state):
                    follow(game.result(state, action))
        for begin in range(0, len(asked), LAYER):
            some = asked[begin : begin + LAYER]
            for state, found in zip(some, searcher.search_many(some), strict=True):
                if not found.exact or found.action is None:
                    raise Incomplete
                chosen[identity(game, state)] = found.action
                follow(game.result(state, found.action))
            if progress:
                progress(len(seen))
        layer = after
    return list(_in_order(game, start, part, chosen))


def _in_order(game: Game, start: Any, part: str, chosen: dict[Any, Any]) -> Iterator[int]:
    """The chosen actions as places among the legal actions, depth first."""
    friends, seen, stack = friends_of(game), set(), [start]
    while stack:
        state = stack.pop()
        name = identity(game, state)
        if name in seen:
            continue
        seen.add(name)
        if game.is_terminal(state):
            continue
        actions = list(legal_actions(game, state))
        if (int(game.to_move(state)) in friends) == (part == "least"):
            yield actions.index(chosen[name])
            actions = [chosen[name]]
        stack += [game.result(state, action) for action in reversed(actions)]
