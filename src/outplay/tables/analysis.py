"""What a table says of a state and its actions, in the form of analyses."""

from collections.abc import Iterator
from typing import Any

from outplay.engine.analysis import ActionValue, Analysis, with_actions
from outplay.engine.book import line_from
from outplay.rules.errors import TableError
from outplay.rules.game import CHANCE
from outplay.rules.numbered import Numbered
from outplay.tables.numbering import END


def analysis_of(table: Any, state: Any) -> Analysis:
    """The analysis of a state by a `Tablebase`."""
    game, entry = table.game, table._states.find(state)
    if entry is None:
        raise TableError(f"this state is not in the table: {state!r}")
    value, plies = entry
    if not table._states.holds(state, value, plies):
        raise TableError(f"the table is not certain of {state!r}: {why_not_certain(table, state, plies)}")
    over = bool(game.is_terminal(state))
    player = 0 if over else int(game.to_move(state))
    rows = tuple(rows_of(table, state, player))
    best = rows[0] if rows and player != CHANCE else None
    analysis = Analysis(
        game=game,
        state=state,
        player=player,
        action=best.action if best else None,
        value=table._value_for(player, value),
        values=tuple(table._value_for(player, value) for player in range(game.players)),
        line=best.line if best else (),
        actions=rows,
        exact=True,
        distance=plies if table._tells_end and not over and not table._is_endless(state, value) else None,
        method=type(table).__name__,
    )
    return with_actions(analysis, game.rules, game.decode) if isinstance(game, Numbered) else analysis


def rows_of(table: Any, state: Any, player: int) -> Iterator[ActionValue]:
    """The value of each action of `player`, the best first."""
    game = table.game
    for action, value, plies in table._successors(state):
        child = game.result(state, action)
        if (entry := table._states.find(child)) is None or not table._states.holds(child, *entry):
            continue
        yield ActionValue(
            action=action,
            name=game.action_name(state, action),
            value=table._value_for(player, value),
            exact=True,
            distance=plies + 1 if table._tells_end and not table._is_endless(state, value) else None,
            line=(action, *line_from([table], game, child, exact=True)),
        )


def why_not_certain(table: Any, state: Any, plies: int) -> str:
    """Why a value that was found does not hold."""
    if table.distance_to == END:
        return f"the end is {plies} plies away, and a draw may come first"
    if plies <= table.game.index_plies(state):
        return "after the next conversion, a draw may come before another one"
    return f"the next conversion is {plies} plies away, and a draw may come first"
