"""`outplay evaluate`: the features of a state, and the estimate that an evaluation makes from them."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.options import EvaluationName, GameName, Json, Moves, State, check_file
from outplay.cli.output import outcome, picture, print_json, say, stdout
from outplay.cli.saving import saved
from outplay.cli.start import load_checked, play_moves
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game, defines
from outplay.rules.repetition import final
from outplay.session.searchers import OWN, load_evaluation

if TYPE_CHECKING:
    from outplay.evaluation.linear import Explanation

EXAMPLES = (
    "Examples:",
    '  outplay evaluate chess --moves "e4 d5 exd5"',
    "  outplay evaluate english-draughts --evaluation material",
    '  outplay evaluate tic-tac-toe --moves "b2 a1" --evaluation weights.txt --json',
    "  outplay evaluate othello --evaluation othello.learned",
    "  outplay evaluate othello --evaluation learned --moves f5 --svg a.svg",
    "A file is one of outplay learn, or contains a line NAME WEIGHT for each feature; half POINTS says how many",
    "points are worth half a win; text after # is a comment.",
)

WORTH = "What each cell is worth, in points, compared with the mean of what else may be there:"
GOOD, BAD = "green", "magenta"
"""The styles of numbers above and below 0."""


def evaluate(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    evaluation: EvaluationName = None,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw what a learned evaluation makes of each cell of the board."),
    ] = None,
    json: Json = False,
) -> None:
    """Show the features of a state, and the estimate of its value."""
    rules = load_checked(game)
    check_file("--svg", svg, ".svg")
    states, names = play_moves(rules, moves, state)
    weights = None if evaluation in (None, OWN) else load_evaluation(evaluation, rules)
    if weights is None and not rules.feature_names and not defines(rules, "evaluate"):
        raise RulesError(f"{type(rules).__name__} has neither features nor an evaluation")
    utilities = final(rules, states)
    if utilities is not None:
        show_end(rules, states[-1], names, utilities, json)
        return
    from outplay.evaluation.learned import LearnedEvaluation

    by_chance = rules.to_move(states[-1]) == CHANCE
    if by_chance and not isinstance(weights, LearnedEvaluation):
        raise RulesError("chance is to move: only what was learned says what that is worth; see --evaluation")
    explanation = None if weights is None else weights.explain(rules, states[-1])
    if svg is not None:
        if explanation is None or not explanation.locations:
            raise typer.BadParameter("--svg shows what was learned: add --evaluation with a file of outplay learn")
        from outplay.pictures.show import show as pictured

        drawn = pictured(rules, states[-1], heat=explanation)
        saved(lambda: drawn.save(svg), svg)
    result = facts(rules, states[-1], explanation)
    if json:
        print_json({"game": repr(rules), "moves": names, **result})
        return
    say(f"{rules!r}" + (f" after {' '.join(names)}" if names else ""), "bold")
    say()
    say(picture(rules, states[-1]))
    say()
    show(result)
    if explanation is not None and explanation.locations:
        show_worths(rules, states[-1], explanation)
    if explanation is not None and explanation.chances:
        chances = ", ".join(f"{won:+g}: {chance:.1%}" for won, chance in explanation.chances.items())
        say(f"How likely each result is for player {result['player']}: {chances}.")
    stage = "before chance decides" if by_chance else "to move"
    say(f"Estimate for player {result['player']}, {stage}: {result['estimate']:+.4g}, by {result['by']}.")


def show_end(game: Game, state: Any, names: list[str], utilities: Sequence[float], json: bool) -> None:
    """Print what a state is worth in which the game is over."""
    if json:
        print_json({"game": repr(game), "moves": names, "utilities": list(utilities)})
        return
    say(f"{game!r}" + (f" after {' '.join(names)}" if names else ""), "bold")
    say()
    say(picture(game, state))
    say()
    utilities_text = " ".join(f"{value:+g}" for value in utilities)
    say(f"The game is over: {outcome(game, utilities)}; utilities {utilities_text}. There is nothing to estimate.")


def facts(game: Game, state: Any, explanation: "Explanation | None") -> dict[str, Any]:
    """The features and the estimate for the player to move, as explained, or by the game's own evaluation."""
    if explanation is not None:
        return {**explanation.as_dict(), "by": "these weights"}
    player = int(game.to_move(state))
    values = [float(value) for value in game.features(state)]
    features = [{"feature": name, "value": value} for name, value in zip(game.feature_names, values, strict=True)]
    own = float(game.evaluate(state, player))
    return {"player": player, "features": features, "estimate": own, "by": f"{type(game).__name__}.evaluate"}


def show(result: dict[str, Any]) -> None:
    """Print the table of features, with the sum of points below it."""
    if not result["features"]:
        return
    from rich import box
    from rich.table import Table

    from outplay.evaluation.linear import ROWS

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, show_footer="points" in result)
    for column in result["features"][0]:
        is_sum = {"feature": "sum", "points": f"{result['points']:g}"} if "points" in result else {}
        justify: Any = "left" if column == "feature" else "right"
        table.add_column(column, is_sum.get(column, ""), justify=justify, no_wrap=True)
    for row in result["features"][:ROWS]:
        table.add_row(*(cell if isinstance(cell, str) else f"{cell:g}" for cell in row.values()))
    if other_rows := result["features"][ROWS:]:
        points = f"{sum(row['points'] for row in other_rows):g}" if "points" in result else ""
        table.add_row(f"{len(other_rows)} others", *[""] * (len(table.columns) - 2), points)
    stdout().print(table)
    say()


def show_worths(game: Game, state: Any, explanation: "Explanation") -> None:
    """Print what each location is worth: on the board as the game draws it, and the others by name."""
    from rich.text import Text

    from outplay.pictures.heat import Heat
    from outplay.pictures.show import picture_of

    heat, board = Heat(explanation.locations), picture_of(game, state)
    say(WORTH)
    say()
    for line in () if board is None else heat.lines(board):
        text = Text()
        for number, share in line:
            text.append(number, style="dim" if abs(share) < 0.1 else GOOD if share > 0 else BAD)
        say(text)
    for below in heat.below(board):
        say(f" {below}")
    say()
