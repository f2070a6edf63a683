"""Counterfactual regret minimization compared with OpenSpiel's in C++: iterations per second, full and sampled.

Each continues with the same solver, so that work done once, such as unrolling the game, is not timed, and neither
computes the exploitability on the way. After the same number of iterations, the exploitability of both is equal to many
digits, so they do the same work. With sampling, it is about equal.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from benchmarks.common import Bar, Disagreement, Plan, Row, compare, measure
from benchmarks.peers import OpenSpiel, RegretMinimizer
from outplay import Game
from outplay.equilibrium import CFR, MCCFR, TreelessMCCFR, exploitability, unroll
from outplay.equilibrium.compact import compact
from outplay.equilibrium.solver import EquilibriumSolver, new_counters
from outplay.games import KuhnPoker, LeducPoker, LiarsDice

GAMES: tuple[tuple[Game, str, int, int, float], ...] = (
    (KuhnPoker(), "kuhn_poker", 500_000, 20_000, 30),
    (LeducPoker(), "leduc_poker", 5_000, 100, 100),
    (LiarsDice(), "liars_dice", 300, 5, 100),
)
"""The game, OpenSpiel's name of it, the iterations per call in outplay and in OpenSpiel, and the bar."""
VARIANTS = {"cfr": "CFRSolver", "cfr+": "CFRPlusSolver"}
EXTERNAL, OUTCOME = "ExternalSamplingMCCFRSolver", "OutcomeSamplingMCCFRSolver"
VALUE = -0.085606424078
"""The value of Leduc poker."""
ALIKE = {"cfr": 1 + 1e-6, "cfr+": 1.1, "sampled": 2.0}
"""The maximum ratio of the two exploitabilities. In CFR+ many regrets are 0 except for rounding, and actions with
regrets above 0 are played, so that after some hundred iterations the two differ in the last digits."""
NEAR = 0.05
"""The maximum distance of the value from the exact value."""
SEED = 3


def rows(plan: Plan) -> Iterator[Row]:
    """CFR and CFR+ on three games; sampling, time and memory on Leduc poker."""
    for game, name, own_steps, peer_steps, mark in GAMES:
        tree = unroll(game)
        steps = (max(own_steps // 100, 1), max(peer_steps // 100, 1)) if plan.quick else (own_steps, peer_steps)
        for variant, kind in VARIANTS.items():
            row = Row(what=f"{game!r}: {variant}", unit="iterations/s", bars=(Bar("ratio", "≥", mark),))
            make_solver = partial(CFR, tree, variant=variant)
            yield side_by_side(plan, row, make_solver, name, kind, steps, ALIKE[variant])

    leduc = LeducPoker()
    tree, steps = unroll(leduc), (1000, 1000) if plan.quick else (1_000_000, 30_000)
    samplers: dict[str, tuple[Callable[[], EquilibriumSolver], str, tuple[Bar, ...]]] = {
        "external sampling": (partial(MCCFR, tree, seed=SEED), EXTERNAL, (Bar("ratio", "≥", 30),)),
        "outcome sampling": (partial(MCCFR, tree, sampling="outcome", seed=SEED), OUTCOME, ()),
        "external sampling, no tree": (partial(TreelessMCCFR, leduc, memory_mb=10, seed=SEED), EXTERNAL, ()),
    }
    for what, (make, kind, bars) in samplers.items():
        row = Row(what=f"{leduc!r}: {what}", unit="iterations/s", bars=bars)
        yield side_by_side(plan, row, make, "leduc_poker", kind, steps, ALIKE["sampled"])
    yield from alone(plan, leduc)


def side_by_side(
    plan: Plan, row: Row, make: Callable[[], EquilibriumSolver], name: str, kind: str, steps: tuple[int, int],
    max_ratio: float,
) -> Row:  # fmt: skip
    """A row: the solver from `make`, OpenSpiel's `kind` for its game `name`, by `steps`; `max_ratio` as in `alike`."""
    solver, rivals = make(), list[RegretMinimizer]()
    solver.solve(iterations=1)  # compiles

    def ours() -> int:
        counters = new_counters(solver.iterations)
        solver._work(counters, solver.iterations + steps[0])()
        solver.iterations = int(counters.iteration)
        return steps[0]

    def theirs(peer: OpenSpiel) -> int:
        if not rivals:
            rivals.append(peer.regret_minimizer(name, kind))
        rivals[0].go_on(steps[1])
        return steps[1]

    def agree(_: int, __: int) -> str:
        rival = rivals[0]
        fresh = make().solve(iterations=rival.iterations)
        return f"{alike(max_ratio, exploitability(fresh.strategy), rival.exploitability())} after {rival.iterations:,}"

    return compare(plan, row, ours, OpenSpiel, theirs, agree, float)


def alike(max_ratio: float, ours: float, theirs: float) -> str:
    """Both exploitabilities in words, if the greater is at most `max_ratio` times the smaller."""
    if max(ours, theirs) > max_ratio * min(ours, theirs):
        raise Disagreement(f"exploitability: outplay found {ours}, the other {theirs}")
    return f"exploitability {ours:.6g} and {theirs:.6g}"


def alone(plan: Plan, game: LeducPoker) -> Iterator[Row]:
    """Rows without a peer: 100,000 iterations, unrolling, and memory."""
    number = 1000 if plan.quick else 100_000
    tree = unroll(game)
    solver = CFR(tree, variant="cfr+")
    row = Row(what=f"{game!r}: {number:,} iterations of CFR+, all in", bars=(Bar("figure", "<", 10),))
    row, solution = measure(replace(plan, repeat=1), row, lambda: CFR(tree, variant="cfr+").solve(iterations=number))
    if abs(solution.values[0] - VALUE) > NEAR:
        raise Disagreement(f"the value of {game!r}: outplay found {solution.values[0]}, it is {VALUE}")
    yield replace(row, agree=f"value {solution.values[0]:.9f}, exploitability {solution.exploitability:.3g}")
    row, new_tree = measure(
        plan, Row(what=f"{game!r}: unrolling", bars=(Bar("figure", "<", 0.2),)), lambda: unroll(game)
    )
    yield replace(row, note=f"{new_tree.nodes:,} nodes, {new_tree.information_sets:,} information sets")
    sampler, sets = MCCFR(tree), tree.information_sets
    sizes = {
        "the tree": tree.nbytes,
        "what CFR learns": sum(array.nbytes for array in solver.arrays.values()),
        "what MCCFR learns": sum(array.nbytes for array in sampler.arrays.values()),
        "the tree as MCCFR walks it": compact(tree).nbytes,
    }
    for what, size in sizes.items():
        yield Row(what=f"{game!r}: {what}", unit="bytes/information set", ours=size / sets)
