"""Write the rules of a game once, in plain Python; solve it and play it at native speed.

Start with `Game` (what you write), `check_game` (whether it is right) and `AlphaBeta` (what searches it).
The built-in games are in `outplay.games`.
"""

TYPE_CHECKING = False  # that of `typing`, which takes long to import
if TYPE_CHECKING:
    from outplay.analysis import ActionValue, Analysis
    from outplay.backtracking.search import Backtracking, Solutions
    from outplay.book import Book, Known, LookUp
    from outplay.chance.best_reply import BestReply
    from outplay.chance.expectiminimax import Expectiminimax
    from outplay.chance.max_n import MaxN
    from outplay.chance.paranoid import Paranoid
    from outplay.chance.value_iteration import ValueIteration
    from outplay.check import check_game
    from outplay.clock import Clock
    from outplay.determinized.determinize import determinizations
    from outplay.determinized.ismcts import ISMCTS
    from outplay.determinized.pimc import PIMC
    from outplay.determinized.policy import searched_strategy
    from outplay.errors import BookError, EvaluationError, IllegalAction, OutplayError, RulesError, UnsuitableGame
    from outplay.evaluation.linear import LinearEvaluation
    from outplay.evaluation.outcome import OutcomeEvaluation, PlayoutEvaluation
    from outplay.game import CHANCE, Game, defines, legal_actions
    from outplay.kernels import kernel
    from outplay.keys import state_key
    from outplay.limits import Limit
    from outplay.montecarlo.mcts import MCTS
    from outplay.playout import draw
    from outplay.problem import Problem
    from outplay.search.alpha_beta import AlphaBeta
    from outplay.search.margins import Margins, measure_margins
    from outplay.search.minimax import Minimax
    from outplay.search.mtdf import MTDf
    from outplay.search.proof_number import ProofNumber
    from outplay.trace import Trace, Visit

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
    "BookError",
    "Clock",
    "EvaluationError",
    "Expectiminimax",
    "Game",
    "IllegalAction",
    "Known",
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
    "draw",
    "kernel",
    "legal_actions",
    "measure_margins",
    "searched_strategy",
    "state_key",
]

_LATER = {
    "Clock": "outplay.clock",
    "BookError": "outplay.errors",
    "EvaluationError": "outplay.errors",
    "IllegalAction": "outplay.errors",
    "OutplayError": "outplay.errors",
    "RulesError": "outplay.errors",
    "UnsuitableGame": "outplay.errors",
    "CHANCE": "outplay.game",
    "Game": "outplay.game",
    "defines": "outplay.game",
    "legal_actions": "outplay.game",
    "Limit": "outplay.limits",
    "ValueIteration": "outplay.chance.value_iteration",
    "PIMC": "outplay.determinized.pimc",
    "Paranoid": "outplay.chance.paranoid",
    "MaxN": "outplay.chance.max_n",
    "Expectiminimax": "outplay.chance.expectiminimax",
    "BestReply": "outplay.chance.best_reply",
    "ActionValue": "outplay.analysis",
    "AlphaBeta": "outplay.search.alpha_beta",
    "Analysis": "outplay.analysis",
    "Backtracking": "outplay.backtracking.search",
    "Book": "outplay.book",
    "ISMCTS": "outplay.determinized.ismcts",
    "Known": "outplay.book",
    "LinearEvaluation": "outplay.evaluation.linear",
    "LookUp": "outplay.book",
    "MCTS": "outplay.montecarlo.mcts",
    "MTDf": "outplay.search.mtdf",
    "Margins": "outplay.search.margins",
    "Minimax": "outplay.search.minimax",
    "OutcomeEvaluation": "outplay.evaluation.outcome",
    "PlayoutEvaluation": "outplay.evaluation.outcome",
    "Problem": "outplay.problem",
    "ProofNumber": "outplay.search.proof_number",
    "Solutions": "outplay.backtracking.search",
    "Trace": "outplay.trace",
    "Visit": "outplay.trace",
    "check_game": "outplay.check",
    "determinizations": "outplay.determinized.determinize",
    "draw": "outplay.playout",
    "kernel": "outplay.kernels",
    "measure_margins": "outplay.search.margins",
    "searched_strategy": "outplay.determinized.policy",
    "state_key": "outplay.keys",
}
"""All names are imported when first asked for, so that the command takes Ctrl-C from its first moment on."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'outplay' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value: object = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value
