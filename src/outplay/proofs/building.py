"""Makes a proof: asks a search for the best action in each state where the side is to move, layer by layer.

All states of a layer are searched in one call, by the search that found the value. It keeps its transposition table, so
that most answers are there already. It knows the exact distance and chooses the nearest win, so that a win comes nearer
with each action and play cannot go in circles.
"""

from collections.abc import Callable, Iterator
from typing import Any

from outplay.proofs.checking import content
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game, friends_of, legal_actions
from outplay.rules.numbered import decoded, numbered
from outplay.search.alpha_beta import AlphaBeta
from outplay.tables.tablebase import Tablebase

LAYER = 50_000
"""The most states that are searched in one call."""


class Interrupted(Exception):
    """Ctrl-C stopped the search."""


def strategy(
    game: Game, start: Any, part: str, searcher: AlphaBeta, progress: Callable[[int], None] | None = None
) -> list[int]:
    """The numbers of one part: the places of the actions to follow, in the order in which a check needs them."""
    friends, chosen = friends_of(game), dict[Any, int]()
    seen, layer = {content(start)}, [start]
    while layer:
        asked, after = list[Any](), list[Any]()
        for state in layer:
            if game.is_terminal(state):
                continue
            if bool(friends >> int(game.to_move(state)) & 1) == (part == "least"):
                asked.append(state)
            else:
                after += [game.result(state, action) for action in legal_actions(game, state)]
        for begin in range(0, len(asked), LAYER):
            some = asked[begin : begin + LAYER]
            for state, action in zip(some, answers(game, some, searcher), strict=True):
                chosen[content(state)] = list(legal_actions(game, state)).index(action)
                after.append(game.result(state, action))
        layer = []
        for state in after:
            name = content(state)
            if name not in seen:
                seen.add(name)
                layer.append(state)
        if progress:
            progress(len(seen))
    return list(_in_order(game, start, part, chosen))


def answers(game: Game, states: list[Any], searcher: AlphaBeta) -> Iterator[Any]:
    """The best action in each state. A table is asked directly: an analysis would follow its line to the end."""
    tables = [book for book in searcher.books if isinstance(book, Tablebase)]
    known = [next(filter(None, (table.look_up(game, state) for table in tables)), None) for state in states]
    unknown = [state for state, entry in zip(states, known, strict=True) if entry is None]
    searched = iter(searcher.search_many(unknown) if unknown else ())
    for entry in known:
        if entry is not None:
            yield decoded(numbered(game), entry.action or 0)
            continue
        found = next(searched)
        if found.stopped == "interrupted":
            raise Interrupted
        if not found.exact or found.action is None:
            raise OutplayError(f"no proof of {game!r}: {searcher!r} does not find exact values")
        yield found.action


def _in_order(game: Game, start: Any, part: str, chosen: dict[Any, int]) -> Iterator[int]:
    """The chosen places, depth first."""
    friends, seen, stack = friends_of(game), set[Any](), [start]
    while stack:
        state = stack.pop()
        name = content(state)
        if name in seen:
            continue
        seen.add(name)
        if game.is_terminal(state):
            continue
        actions = list(legal_actions(game, state))
        if bool(friends >> int(game.to_move(state)) & 1) == (part == "least"):
            yield chosen[name]
            actions = [actions[chosen[name]]]
        stack += [game.result(state, action) for action in reversed(actions)]
