"""What people can give to a searcher by name: options that are plain values, and books in files."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import re
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outplay import games
from outplay.rules.errors import EvaluationError
from outplay.rules.game import Game, defines
from outplay.rules.wording import enumerated
from outplay.session.load import is_there

if TYPE_CHECKING:
    from outplay.engine.book import LookUp
    from outplay.evaluation.linear import LinearEvaluation
    from outplay.evaluation.patterns import LearnedEvaluation

LEARNED = "learned"
"""The name of what comes with outplay, and of its folder."""
NOT_SETTABLE = ("game", "books", "check", "evaluate", "margins", "evaluator", "batch", "searcher")
"""The options that are not plain values."""


def settable(kind: type[Any]) -> list[str]:
    """The options of a searcher that are plain values.

    >>> from outplay import Minimax
    >>> settable(Minimax)
    ['textbook']
    """
    names = [field.name for field in fields(kind) if field.name not in NOT_SETTABLE]
    return [name for name in names if name != "textbook" or kind.textbook_form]


def load_book(path: str, game: Game) -> "LookUp":
    """A book or a table. Raises `OutplayError` if the file is not one of this game."""
    from outplay.engine.book import Book
    from outplay.tables.file import is_table
    from outplay.tables.tablebase import Tablebase

    return (Tablebase if is_table(path) else Book).load(path, game)


def load_evaluation(name: str, game: Game) -> "LearnedEvaluation | LinearEvaluation":
    """What was learned or the weights in the file `name`, or the game's weights of that name.

    Raises `EvaluationError` if there is neither.
    """
    from outplay.evaluation.linear import LinearEvaluation
    from outplay.evaluation.patterns import LearnedEvaluation, is_learned

    if is_there(Path(name)):
        return (LearnedEvaluation if is_learned(name) else LinearEvaluation).load(name, game)
    if name in game.feature_weights:
        return LinearEvaluation.named(game, name)
    shipped = learned_file(game)
    if name == LEARNED and shipped.is_file():
        return LearnedEvaluation.load(shipped, game)
    choices = enumerated([*game.feature_weights, *[LEARNED] * shipped.is_file()]) or "none"
    raise EvaluationError(f"there is no file {name!r}; evaluations of {game!r}: {choices}")


def use_of_evaluation(kind: type[Any], game: Game, evaluation: str) -> dict[str, Any]:
    """The options of a searcher that is to use an evaluation that a person named.

    Monte Carlo tree search evaluates leaves at once instead of playing on. It takes priors from the evaluation if the
    game has no `order`, or would use RAVE, which lives on playouts. It alone takes networks in ONNX files.

    >>> from outplay import MCTS
    >>> from outplay.games import Othello
    >>> use_of_evaluation(MCTS, Othello(), "learned")
    {'evaluate': <LearnedEvaluation of Othello(): 64 patterns, 209,976 weights>, 'playout_depth': 0}
    """
    is_mcts = kind.__name__ == "MCTS"
    if evaluation.endswith(".onnx"):
        from outplay.evaluation.onnx_file import OnnxEvaluator

        if not is_mcts:
            raise EvaluationError(f"{evaluation}: only mcts evaluates by an ONNX file; {kind.__name__} cannot")
        return {"evaluator": OnnxEvaluator(evaluation, game)}
    options: dict[str, Any] = {"evaluate": load_evaluation(evaluation, game)}
    if is_mcts:
        options["playout_depth"] = 0
        if not defines(game, "order") or game.amaf_friendly:
            options["priors"] = "evaluation"
    return options


def learned_file(game: Game) -> Path:
    """The file of what was learned of a game that comes with outplay, if there is one.

    >>> from outplay.games import Othello
    >>> learned_file(Othello(6)).name
    'Othello-size-6.learned'
    """
    return Path(games.__file__).with_name(LEARNED) / (re.sub(r"\W+", "-", repr(game)).strip("-") + ".learned")
