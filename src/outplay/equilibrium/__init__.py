"""Nash and other equilibria, of matrix games and of games with hidden information."""

from outplay.equilibrium.best_response import best_response, exploitability, gains, nash_conv, values
from outplay.equilibrium.cfr import CFR
from outplay.equilibrium.correlated import CorrelatedEquilibrium, correlated_equilibrium, correlated_regret
from outplay.equilibrium.dominance import Elimination, eliminate_dominated
from outplay.equilibrium.dominated import Removal
from outplay.equilibrium.dynamics import Trajectory, fictitious_play, regret_matching, replicator_dynamics
from outplay.equilibrium.efg import EfgGame, load_efg, save_efg, to_efg
from outplay.equilibrium.equilibria import (
    all_equilibria,
    exact_equilibria,
    lemke_howson,
    pure_equilibria,
    support_enumeration,
)
from outplay.equilibrium.fictitious import FictitiousPlay
from outplay.equilibrium.matrix_game import MatrixGame, load_matrix_game, parse_nfg, to_nfg
from outplay.equilibrium.mccfr import MCCFR
from outplay.equilibrium.mixed_equilibrium import MixedEquilibria, MixedEquilibrium
from outplay.equilibrium.openspiel import from_openspiel, to_openspiel
from outplay.equilibrium.river import RiverSolution, RiverSolver
from outplay.equilibrium.river_strategy import RiverStrategy
from outplay.equilibrium.sampled_mccfr import TreelessMCCFR
from outplay.equilibrium.search import EquilibriumSearch
from outplay.equilibrium.sequence_form import SequenceForm
from outplay.equilibrium.solver import EquilibriumSolver, Point, Solution
from outplay.equilibrium.strategy import Strategy
from outplay.equilibrium.tree import GameTree
from outplay.equilibrium.unrolling import unroll
from outplay.equilibrium.vertex_enumeration import is_degenerate, vertex_enumeration
from outplay.equilibrium.zero_sum import solve_zero_sum

__all__ = [
    "CFR",
    "MCCFR",
    "CorrelatedEquilibrium",
    "EfgGame",
    "Elimination",
    "EquilibriumSearch",
    "EquilibriumSolver",
    "FictitiousPlay",
    "GameTree",
    "MatrixGame",
    "MixedEquilibria",
    "MixedEquilibrium",
    "Point",
    "Removal",
    "RiverSolution",
    "RiverSolver",
    "RiverStrategy",
    "SequenceForm",
    "Solution",
    "Strategy",
    "Trajectory",
    "TreelessMCCFR",
    "all_equilibria",
    "best_response",
    "correlated_equilibrium",
    "correlated_regret",
    "eliminate_dominated",
    "exact_equilibria",
    "exploitability",
    "fictitious_play",
    "from_openspiel",
    "gains",
    "is_degenerate",
    "lemke_howson",
    "load_efg",
    "load_matrix_game",
    "nash_conv",
    "parse_nfg",
    "pure_equilibria",
    "regret_matching",
    "replicator_dynamics",
    "save_efg",
    "solve_zero_sum",
    "support_enumeration",
    "to_efg",
    "to_nfg",
    "to_openspiel",
    "unroll",
    "values",
    "vertex_enumeration",
]
