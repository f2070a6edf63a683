"""Write the rules of a game once, in plain Python; solve it and play it at native speed.

Start with `Game` (what you write), `check_game` (which tests it) and `AlphaBeta` (which searches it).
The built-in games are in `outplay.games`.
"""

import sys

TYPE_CHECKING = False  # like that of `typing`, which is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable

    from outplay.adapters.randomness import random_as_chance
    from outplay.backtracking.search import Backtracking, Solutions
    from outplay.chance.best_reply import BestReply
    from outplay.chance.expectiminimax import Expectiminimax
    from outplay.chance.max_n import MaxN
    from outplay.chance.paranoid import Paranoid
    from outplay.chance.value_iteration import ValueIteration
    from outplay.check.full import check_game
    from outplay.compile.kernels import kernel
    from outplay.compile.playout import random_action
    from outplay.compile.random_numbers import new_random, random_below
    from outplay.compile.report import CompileReport, compile_report
    from outplay.engine.analysis import ActionValue, Analysis
    from outplay.engine.book import Book, BookEntry, LookUp, positions
    from outplay.engine.clock import Clock
    from outplay.engine.limits import Limit
    from outplay.engine.searcher import Searcher
    from outplay.engine.stop import Stop
    from outplay.engine.trace import Trace
    from outplay.engine.visits import Visit
    from outplay.evaluation.learned import LearnedEvaluation
    from outplay.evaluation.linear import LinearEvaluation
    from outplay.evaluation.outcome import OutcomeEvaluation, PlayoutEvaluation
    from outplay.information_sets.determinize import determinizations
    from outplay.information_sets.ismcts import ISMCTS
    from outplay.information_sets.pimc import PIMC
    from outplay.information_sets.policy import searched_strategy
    from outplay.learning.learn import learn
    from outplay.montecarlo.mcts import MCTS
    from outplay.montecarlo.replay import Simulation
    from outplay.pictures.show import show
    from outplay.rules.errors import (
        BookError,
        EvaluationError,
        IllegalAction,
        OutplayError,
        RulesError,
        StrategyError,
        TableError,
        UnsuitableGame,
        WrongType,
    )
    from outplay.rules.game import CHANCE, Game, defines, legal_actions
    from outplay.rules.keys import state_key
    from outplay.rules.problem import Problem
    from outplay.search.alpha_beta import AlphaBeta
    from outplay.search.count import TreeCount, count_tree
    from outplay.search.expansions import Expansion
    from outplay.search.margins import Margins
    from outplay.search.measure_margins import measure_margins
    from outplay.search.minimax import Minimax
    from outplay.search.mtdf import MTDf
    from outplay.search.perft import Perft, perft
    from outplay.search.proof_number import ProofNumber
    from outplay.session.levels import Level
    from outplay.session.load import load_game, load_problem
    from outplay.tables.tablebase import Tablebase

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
    "CompileReport",
    "EvaluationError",
    "Expansion",
    "Expectiminimax",
    "Game",
    "IllegalAction",
    "LearnedEvaluation",
    "Level",
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
    "Perft",
    "PlayoutEvaluation",
    "Problem",
    "ProofNumber",
    "RulesError",
    "Searcher",
    "Simulation",
    "Solutions",
    "Stop",
    "StrategyError",
    "TableError",
    "Tablebase",
    "Trace",
    "TreeCount",
    "UnsuitableGame",
    "ValueIteration",
    "Visit",
    "WrongType",
    "check_game",
    "compile_report",
    "count_tree",
    "defines",
    "determinizations",
    "kernel",
    "learn",
    "legal_actions",
    "load_game",
    "load_problem",
    "measure_margins",
    "new_random",
    "perft",
    "positions",
    "random_action",
    "random_as_chance",
    "random_below",
    "searched_strategy",
    "show",
    "state_key",
]


_PACKAGES = (
    "adapters", "arena", "backtracking", "check", "compile", "env", "equilibrium", "evaluation", "games", "learning",
    "parallel", "pictures", "poker", "proofs", "protocols", "rules", "session", "tables", "web",
)  # fmt: skip


def _lazy(package: str, modules: "dict[str, str]") -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """Return `__getattr__` and `__dir__` of a package that imports each public name when it is first used.

    `modules` maps each of these names to the module that defines it, or is it.
    """

    def get(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module  # noqa: PLC0415

        module = import_module(modules[name])
        value: object = module if modules[name] == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*sys.modules[package].__all__, *modules})

    return get, names


# `import outplay` must be fast, so that the command can handle Ctrl-C from the start.
__getattr__, __dir__ = _lazy(
    __name__,
    {
        **{name: f"outplay.{name}" for name in _PACKAGES},
        "random_as_chance": "outplay.adapters.randomness",
        "Backtracking": "outplay.backtracking.search",
        "Solutions": "outplay.backtracking.search",
        "BestReply": "outplay.chance.best_reply",
        "Expectiminimax": "outplay.chance.expectiminimax",
        "MaxN": "outplay.chance.max_n",
        "Paranoid": "outplay.chance.paranoid",
        "ValueIteration": "outplay.chance.value_iteration",
        "check_game": "outplay.check.full",
        "kernel": "outplay.compile.kernels",
        "random_action": "outplay.compile.playout",
        "new_random": "outplay.compile.random_numbers",
        "random_below": "outplay.compile.random_numbers",
        "CompileReport": "outplay.compile.report",
        "compile_report": "outplay.compile.report",
        "ActionValue": "outplay.engine.analysis",
        "Analysis": "outplay.engine.analysis",
        "Book": "outplay.engine.book",
        "BookEntry": "outplay.engine.book",
        "LookUp": "outplay.engine.book",
        "positions": "outplay.engine.book",
        "Clock": "outplay.engine.clock",
        "Limit": "outplay.engine.limits",
        "Searcher": "outplay.engine.searcher",
        "Stop": "outplay.engine.stop",
        "Trace": "outplay.engine.trace",
        "Visit": "outplay.engine.visits",
        "Simulation": "outplay.montecarlo.replay",
        "Expansion": "outplay.search.expansions",
        "LinearEvaluation": "outplay.evaluation.linear",
        "LearnedEvaluation": "outplay.evaluation.learned",
        "learn": "outplay.learning.learn",
        "OutcomeEvaluation": "outplay.evaluation.outcome",
        "PlayoutEvaluation": "outplay.evaluation.outcome",
        "determinizations": "outplay.information_sets.determinize",
        "ISMCTS": "outplay.information_sets.ismcts",
        "PIMC": "outplay.information_sets.pimc",
        "searched_strategy": "outplay.information_sets.policy",
        "MCTS": "outplay.montecarlo.mcts",
        "show": "outplay.pictures.show",
        "BookError": "outplay.rules.errors",
        "EvaluationError": "outplay.rules.errors",
        "IllegalAction": "outplay.rules.errors",
        "OutplayError": "outplay.rules.errors",
        "RulesError": "outplay.rules.errors",
        "StrategyError": "outplay.rules.errors",
        "TableError": "outplay.rules.errors",
        "UnsuitableGame": "outplay.rules.errors",
        "WrongType": "outplay.rules.errors",
        "CHANCE": "outplay.rules.game",
        "Game": "outplay.rules.game",
        "defines": "outplay.rules.game",
        "legal_actions": "outplay.rules.game",
        "state_key": "outplay.rules.keys",
        "Problem": "outplay.rules.problem",
        "AlphaBeta": "outplay.search.alpha_beta",
        "TreeCount": "outplay.search.count",
        "count_tree": "outplay.search.count",
        "Margins": "outplay.search.margins",
        "measure_margins": "outplay.search.measure_margins",
        "Minimax": "outplay.search.minimax",
        "MTDf": "outplay.search.mtdf",
        "Perft": "outplay.search.perft",
        "perft": "outplay.search.perft",
        "ProofNumber": "outplay.search.proof_number",
        "Level": "outplay.session.levels",
        "load_game": "outplay.session.load",
        "load_problem": "outplay.session.load",
        "Tablebase": "outplay.tables.tablebase",
    },
)
