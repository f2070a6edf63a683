"""The real search of a position step by step, as a page of its own."""

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Any

from outplay.engine.limits import Limit
from outplay.engine.stopping import StopReason
from outplay.engine.trace import Trace
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.game import Game
from outplay.session.algorithms import searcher_class
from outplay.session.searchers import OWN, new_searcher
from outplay.web.library import step_algorithms

MOST_NODES = 2_000
"""A page with more states would be slow to draw and hard to read."""
DEPTHS = (None, 4, 3, 2, 1)
"""The whole tree, or the greatest of these depths whose tree is small enough."""
SIMULATIONS = 50
"""The simulations of Monte Carlo tree search."""


def step_page(game: Game, states: Sequence[Any], algorithm: str = "") -> str:
    """The page of a search from the last of `states`.

    Raises `UnsuitableGame` if the algorithm cannot be shown in this game, and `OutplayError` if the game is over.

    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> step_page(game, [game.initial_state()], "mcts").startswith("<!doctype html>")
    True
    """
    names = step_algorithms(game)
    name = algorithm or next(iter(names), "")
    if name not in names:
        raise UnsuitableGame(
            f"{name or 'no search'!r:.40} cannot be shown step by step in this game; choose {', '.join(names)}"
        )
    kind = searcher_class(name)
    is_own = kind.traces and kind.records != "visits"
    options: dict[str, Any] = {} if is_own else {"textbook": True}
    searcher = new_searcher(game, name, **options, evaluation=OWN if "evaluate" in kind.__dataclass_fields__ else None)
    for depth in DEPTHS:
        trace = Trace(MOST_NODES)
        if "simulations" in kind.limits:
            limit = Limit(simulations=SIMULATIONS)
        elif "depth" in kind.limits:
            limit = Limit(depth=depth, nodes=MOST_NODES)
        else:
            limit = Limit(nodes=MOST_NODES) if "nodes" in kind.limits else Limit()
        analysis = searcher.search(states[-1], limit, previous_states=states[:-1], trace=trace)
        if analysis.stopped != StopReason.NODES or "depth" not in kind.limits:
            break
    if not len(trace):
        raise OutplayError("the game is over: there is nothing to search")
    return trace.steps().html()


def policy_of(page: str) -> str:
    """The content security policy of a page: its own scripts and styles, and nothing else, in a sandbox."""
    scripts = " ".join(_hash(text) for text in re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL))
    return (
        f"default-src 'none'; script-src {scripts or chr(39) + 'none' + chr(39)}; style-src 'unsafe-inline';"
        " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
    )


def _hash(text: str) -> str:
    """The hash of a script, as policies write it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
