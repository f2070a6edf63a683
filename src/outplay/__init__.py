"""Write the rules of a game once, in plain Python; solve it and play it at native speed.

Start with `Game` (what you write), `check_game` (whether it is right) and `AlphaBeta` (what searches it).
The built-in games are in `outplay.games`.
"""

TYPE_CHECKING = False  # that of `typing`, which takes long to import
if TYPE_CHECKING:
    from outplay.backtracking.search import Backtracking, Solutions
    from outplay.chance.best_reply import BestReply
    from outplay.chance.expectiminimax import Expectiminimax
    from outplay.chance.max_n import MaxN
    from outplay.chance.paranoid import Paranoid
    from outplay.chance.value_iteration import ValueIteration
    from outplay.check.full import check_game
    from outplay.compile.kernels import kernel
    from outplay.compile.random_numbers import random_below
    from outplay.engine.analysis import ActionValue, Analysis
    from outplay.engine.book import Book, BookEntry, LookUp
    from outplay.engine.clock import Clock
    from outplay.engine.limits import Limit
    from outplay.engine.trace import Trace, Visit
    from outplay.evaluation.linear import LinearEvaluation
    from outplay.evaluation.outcome import OutcomeEvaluation, PlayoutEvaluation
    from outplay.information_sets.determinize import determinizations
    from outplay.information_sets.ismcts import ISMCTS
    from outplay.information_sets.pimc import PIMC
    from outplay.information_sets.policy import searched_strategy
    from outplay.montecarlo.mcts import MCTS
    from outplay.rules.errors import (
        BookError,
        EvaluationError,
        IllegalAction,
        OutplayError,
        RulesError,
        UnsuitableGame,
    )
    from outplay.rules.game import CHANCE, Game, defines, legal_actions
    from outplay.rules.keys import state_key
    from outplay.rules.problem import Problem
    from outplay.search.alpha_beta import AlphaBeta
    from outplay.search.margins import Margins
    from outplay.search.measure_margins import measure_margins
    from outplay.search.minimax import Minimax
    from outplay.search.mtdf import MTDf
    from outplay.search.proof_number import ProofNumber

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "ISMCTS",
    "MCTS",
    "PIMC",
    "ActionValue",
    "AlphaBeta",
    "Analysis",
    "Backtracking",
    "BestReply",
    "Book",
    "BookEntry",
    "BookError",
    "Clock",
    "EvaluationError",
    "Expectiminimax",
    "Game",
    "IllegalAction",
    "Limit",
    "LinearEvaluation",
    "LookUp",
    "MTDf",
    "Margins",
    "MaxN",
    "Minimax",
    "OutcomeEvaluation",
    "OutplayError",
    "Paranoid",
    "PlayoutEvaluation",
    "Problem",
    "ProofNumber",
    "RulesError",
    "Solutions",
    "Trace",
    "UnsuitableGame",
    "ValueIteration",
    "Visit",
    "check_game",
    "defines",
    "determinizations",
    "kernel",
    "legal_actions",
    "measure_margins",
    "random_below",
    "searched_strategy",
    "state_key",
]

_LATER = {
    "Clock": "outplay.engine.clock",
    "BookError": "outplay.rules.errors",
    "EvaluationError": "outplay.rules.errors",
    "IllegalAction": "outplay.rules.errors",
    "OutplayError": "outplay.rules.errors",
    "RulesError": "outplay.rules.errors",
    "UnsuitableGame": "outplay.rules.errors",
    "CHANCE": "outplay.rules.game",
    "Game": "outplay.rules.game",
    "defines": "outplay.rules.game",
    "legal_actions": "outplay.rules.game",
    "Limit": "outplay.engine.limits",
    "ValueIteration": "outplay.chance.value_iteration",
    "PIMC": "outplay.information_sets.pimc",
    "Paranoid": "outplay.chance.paranoid",
    "MaxN": "outplay.chance.max_n",
    "Expectiminimax": "outplay.chance.expectiminimax",
    "BestReply": "outplay.chance.best_reply",
    "ActionValue": "outplay.engine.analysis",
    "AlphaBeta": "outplay.search.alpha_beta",
    "Analysis": "outplay.engine.analysis",
    "Backtracking": "outplay.backtracking.search",
    "Book": "outplay.engine.book",
    "ISMCTS": "outplay.information_sets.ismcts",
    "BookEntry": "outplay.engine.book",
    "LinearEvaluation": "outplay.evaluation.linear",
    "LookUp": "outplay.engine.book",
    "MCTS": "outplay.montecarlo.mcts",
    "MTDf": "outplay.search.mtdf",
    "Margins": "outplay.search.margins",
    "Minimax": "outplay.search.minimax",
    "OutcomeEvaluation": "outplay.evaluation.outcome",
    "PlayoutEvaluation": "outplay.evaluation.outcome",
    "Problem": "outplay.rules.problem",
    "ProofNumber": "outplay.search.proof_number",
    "Solutions": "outplay.backtracking.search",
    "Trace": "outplay.engine.trace",
    "Visit": "outplay.engine.trace",
    "check_game": "outplay.check.full",
    "determinizations": "outplay.information_sets.determinize",
    "random_below": "outplay.compile.random_numbers",
    "kernel": "outplay.compile.kernels",
    "measure_margins": "outplay.search.measure_margins",
    "searched_strategy": "outplay.information_sets.policy",
    "state_key": "outplay.rules.keys",
}
"""All names are imported when first asked for, so that the command takes Ctrl-C from its first moment on."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'outplay' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value: object = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value
