"""`outplay evaluate`: the features of a state, and the estimate that an evaluation makes from them."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outplay.cli.options import EvaluationName, GameName, Json, Moves, State
from outplay.cli.output import outcome, picture, print_json, say, stdout
from outplay.cli.start import load_checked, play_moves
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game, defines
from outplay.rules.repetition import final
from outplay.session.searchers import load_evaluation

if TYPE_CHECKING:
    from outplay.evaluation.linear import LinearEvaluation
    from outplay.evaluation.patterns import LearnedEvaluation

EXAMPLES = (
    "Examples:",
    '  outplay evaluate chess --moves "e4 d5 exd5"',
    "  outplay evaluate english-draughts --evaluation material",
    '  outplay evaluate tic-tac-toe --moves "b2 a1" --evaluation weights.txt --json',
    "  outplay evaluate othello --evaluation othello.learned",
    "A file is one of outplay learn, or contains a line NAME WEIGHT for each feature; half POINTS says how many",
    "points are worth half a win; text after # is a comment.",
)

ROWS = 20
"""The most terms that are shown."""


def evaluate(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    evaluation: EvaluationName = None,
    json: Json = False,
) -> None:
    """Show the features of a state, and the estimate of its value."""
    rules = load_checked(game)
    states, names = play_moves(rules, moves, state)
    weights = None if evaluation is None else load_evaluation(evaluation, rules)
    if weights is None and not rules.feature_names and not defines(rules, "evaluate"):
        raise RulesError(f"{type(rules).__name__} has neither features nor an evaluation")
    utilities = final(rules, states)
    if utilities is not None:
        show_end(rules, states[-1], names, utilities, json)
        return
    if rules.to_move(states[-1]) == CHANCE:
        raise RulesError("chance is to move: only states with a player to move have an estimate")
    found = facts(rules, states[-1], weights)
    if json:
        print_json({"game": repr(rules), "moves": names, **found})
        return
    say(f"{rules!r}" + (f" after {' '.join(names)}" if names else ""), "bold")
    say()
    say(picture(rules, states[-1]))
    say()
    show(found)
    say(f"Estimate for player {found['player']}, to move: {found['estimate']:+.4g}, by {found['by']}.")


def show_end(game: Game, state: Any, names: list[str], utilities: Sequence[float], json: bool) -> None:
    """Print what a state is worth in which the game is over."""
    if json:
        print_json({"game": repr(game), "moves": names, "utilities": list(utilities)})
        return
    say(f"{game!r}" + (f" after {' '.join(names)}" if names else ""), "bold")
    say()
    say(picture(game, state))
    say()
    shown = " ".join(f"{value:+g}" for value in utilities)
    say(f"The game is over: {outcome(game, utilities)}; utilities {shown}. There is nothing to estimate.")


def facts(game: Game, state: Any, evaluation: "LinearEvaluation | LearnedEvaluation | None") -> dict[str, Any]:
    """The features and the estimate for the player to move, by `evaluation` or by the game's own evaluation."""
    if evaluation is not None:
        return {**evaluation.explain(game, state).as_dict(), "by": "these weights"}
    player = int(game.to_move(state))
    values = [float(value) for value in game.features(state)]
    features = [{"feature": name, "value": value} for name, value in zip(game.feature_names, values, strict=True)]
    own = float(game.evaluate(state, player))
    return {"player": player, "features": features, "estimate": own, "by": f"{type(game).__name__}.evaluate"}


def show(found: dict[str, Any]) -> None:
    """Print the table of features, with the sum of points below it."""
    if not found["features"]:
        return
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, show_footer="points" in found)
    for column in found["features"][0]:
        is_sum = {"feature": "sum", "points": f"{found['points']:g}"} if "points" in found else {}
        justify: Any = "left" if column == "feature" else "right"
        table.add_column(column, is_sum.get(column, ""), justify=justify, no_wrap=True)
    for row in found["features"][:ROWS]:
        table.add_row(*(cell if isinstance(cell, str) else f"{cell:g}" for cell in row.values()))
    if rest := found["features"][ROWS:]:
        points = f"{sum(row['points'] for row in rest):g}" if "points" in found else ""
        table.add_row(f"{len(rest)} others", *[""] * (len(table.columns) - 2), points)
    stdout().print(table)
    say()
