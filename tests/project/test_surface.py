"""What is public: `__all__` of outplay and of its rooms. Everything else may change without notice."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import outplay

ROOT = Path(__file__).parents[2]
SURFACE = {
    "outplay": """
        CHANCE ISMCTS MCTS PIMC ActionValue AlphaBeta Analysis Backtracking BestReply Book BookEntry BookError
        Clock CompileReport EvaluationError Expansion Expectiminimax Game IllegalAction LearnedEvaluation Level Limit
        LinearEvaluation LookUp MTDf Margins MaxN Minimax OutcomeEvaluation OutplayError Paranoid Perft
        PlayoutEvaluation Problem ProofNumber RulesError Searcher Simulation Solutions Stop StrategyError TableError
        Tablebase Trace TreeCount UnsuitableGame ValueIteration Visit WrongType check_game compile_report
        count_tree defines determinizations kernel learn legal_actions load_game load_problem measure_margins
        new_random perft positions random_action random_as_chance random_below searched_strategy show state_key
    """,
    "outplay.rules": "bits board indexing simultaneous",
    "outplay.rules.board": "Picture Piece Place hexagon_board in_row point_board square_board",
    "outplay.rules.bits": "count lowest nth shift single squares",
    "outplay.rules.indexing": """
        composition_count composition_index put_composition spread squeezed subset subset_count subset_index
    """,
    "outplay.rules.simultaneous": "NOBODY choice choose next_chooser",
    "outplay.check": "Failure Report",
    "outplay.compile": "NotKeptWarning Obstacle RunsInterpretedWarning UnknownNumbaWarning by_trial cache",
    "outplay.compile.cache": "CacheFile clear files folder",
    "outplay.arena": """
        Adjudication Balance BalanceReport Contest Figure Gain GameRecord Hidden Ladder LadderResult LadderScore
        ListedOpenings LogError Match MatchLog Mean OrderRatings Player Ply RandomOpenings Rating Ratings
        RecordError Recorded Reply Round Rung Score SequentialTest Standing Standings Strength StrengthReport
        Terms Tournament View mean_of play_game player_named rate rate_orders read_log read_records replay
        save_levels strength write_records
    """,
    "outplay.parallel": "LATER JobError JobResult finished_jobs job_seed run_jobs",
    "outplay.tables": (
        "AtDistance Census Entry Estimate Known LongestWin Outcomes TableStats Verdict Zugzwangs census check_fits"
        " estimate verify"
    ),
    "outplay.proofs": "Proof Verdict",
    "outplay.evaluation": "Evaluation Explanation Layout OnnxEvaluator Tables Term layout_from_text layout_text",
    "outplay.learning": "Check Comparison Learned Learner Plan Positions Progress self_played",
    "outplay.env": "GymEnv VectorGame aec_env openspiel_game parallel_env register_games",
    "outplay.web": "BoardWidget",
    "outplay.games": """
        BUILT_IN MNK Backgammon Battleship Breakthrough Chess ChineseCheckers ConnectFour DarkHex Domineering
        DotsAndBoxes EinStein EnglishDraughts ExplicitTree Go Gomoku Goofspiel Hex InternationalDraughts Kalah
        KuhnPoker LeducPoker LiarsDice ManyPlayerMNK MatchingPennies Nim NineMensMorris Othello Oware Pacman
        PhantomTicTacToe Pig RiverPoker RockPaperScissors SuperkoGo TicTacToe TwentyFortyEight Xiangqi
    """,
    "outplay.pictures": "BoardPicture MatrixPicture StepByStep TreePicture",
    "outplay.poker": """
        CATEGORIES HANDS Betting betting_tree card_name category hand_class hand_name hand_number parse_cards
        parse_hand parse_range rank_hand strengths
    """,
    "outplay.backtracking": "BacktrackingTrace Domains Solution Step domains excluded problems",
    "outplay.backtracking.problems": "BUILT_IN Colouring Queens Sudoku",
    "outplay.equilibrium": """
        CFR MCCFR CorrelatedEquilibrium EfgGame Elimination EquilibriumSearch EquilibriumSolver FictitiousPlay
        GameTree MatrixGame MixedEquilibria MixedEquilibrium Point Removal RiverSolution RiverSolver RiverStrategy
        SequenceForm Solution Strategy Trajectory TreelessMCCFR all_equilibria best_response correlated_equilibrium
        correlated_regret eliminate_dominated exact_equilibria exploitability fictitious_play from_openspiel gains
        is_degenerate lemke_howson load_efg load_matrix_game nash_conv parse_nfg pure_equilibria regret_matching
        replicator_dynamics save_efg solve_zero_sum support_enumeration to_efg to_nfg to_openspiel unroll values
        vertex_enumeration
    """,
    "outplay.adapters": "adapt aima alpha_zero_general easyai gamesmanpy openspiel",
    "outplay.adapters.aima": "Adapted",
    "outplay.adapters.alpha_zero_general": "Adapted",
    "outplay.adapters.easyai": "Adapted",
    "outplay.adapters.gamesmanpy": "Adapted",
    "outplay.adapters.openspiel": "Adapted",
    "outplay.session": "Blend SearchPlayer Session Solved Solver StrategyPlayer",
    "outplay.protocols": "Engine GoEngine SearchEngine board_of engine_for session_of",
}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").glob("*.py"))]
IMPORT = re.compile(r"^(?:>>> |\.\.\. )?[ \t]*from (outplay[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
MODULE = re.compile(r"^(?:>>> |\.\.\. )?[ \t]*import (outplay[\w.]*)", re.MULTILINE)


@pytest.mark.parametrize("module", SURFACE)
def test_public_names(module):
    package = importlib.import_module(module)
    assert sorted(package.__all__) == sorted(SURFACE[module].split())
    for name in package.__all__:
        assert hasattr(package, name), name


def test_no_other_module_lists_public_names():
    """But for `outplay.compile.native`, which is internal."""
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Assign) and "__all__" in map(ast.unparse, node.targets):
                found.add(".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__"))
    assert {name for name in found if not name.startswith("outplay.compile.native")} == set(SURFACE)


def test_a_public_name_has_one_home():
    homes = {}
    for module, names in SURFACE.items():
        for name in names.split():
            value = getattr(importlib.import_module(module), name)
            if inspect.isclass(value) or inspect.isfunction(value):
                homes.setdefault(value, []).append(f"{module}.{name}")
    assert [found for found in homes.values() if len(found) > 1] == []


def test_a_public_name_is_on_one_page_of_the_reference():
    shown = []
    for path in (ROOT / "docs" / "api").glob("*.md"):
        for directive, name in re.findall(r"^\.\. ([\w:]+):: ([\w.]+)$", path.read_text("utf-8"), re.MULTILINE):
            names = SURFACE[name].split() if directive == "automodule" else [""]
            shown += [f"{name}.{each}".rstrip(".") for each in names]
    public = {f"{module}.{name}" for module, names in SURFACE.items() for name in names.split()}
    assert sorted(shown) == sorted(public - set(SURFACE))


def test_a_name_that_is_not_there_is_an_attribute_error():
    for module in outplay, outplay.check:
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'AlphaGamma'"):
            module.AlphaGamma  # noqa: B018


COMPLETION = """
import outplay
packages = {packages!r}
offered = dir(outplay)
assert sorted({{*outplay.__all__, *packages}}) == offered, offered
for package in packages:  # each is there without an import of its own
    assert set(dir(getattr(outplay, package))) >= set(getattr(outplay, package).__all__), package
assert dir(outplay.games) == sorted(outplay.games.__all__)
assert dir(outplay.arena) == sorted(outplay.arena.__all__)
assert outplay.games.TicTacToe().players == 2
"""


def test_completion_offers_the_public_names_and_packages():
    """As in `outplay.<TAB>` of a new session."""
    packages = [name.partition(".")[2] for name in SURFACE if name.count(".") == 1]
    subprocess.run([sys.executable, "-c", COMPLETION.format(packages=packages)], check=True)
    nothing_more = "import sys, outplay; dir(outplay); assert not {'numpy', 'outplay.games'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", nothing_more], check=True)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pages_import_public_names_only(path):
    text = path.read_text("utf-8")
    assert [module for module in MODULE.findall(text) if module not in SURFACE] == []
    private = [
        f"from {module} import {name}"
        for module, names in IMPORT.findall(text)
        for name in re.findall(r"\w+", re.sub(r"#.*| as \w+|;.*", "", names))
        if name not in SURFACE.get(module, "").split()
    ]
    assert private == []
