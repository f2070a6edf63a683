"""The result and the node count of every search, one per line: `python -m benchmarks.signatures`.

With one thread and a seed, answers are reproducible, so two versions that search in the same way print the same; `diff`
shows the differences. Only public names are used, so that older versions can print theirs too.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import outplay.equilibrium as eq
from outplay import (
    ISMCTS,
    MCTS,
    PIMC,
    AlphaBeta,
    Backtracking,
    BestReply,
    Expectiminimax,
    Game,
    Limit,
    MaxN,
    Minimax,
    MTDf,
    Paranoid,
    ProofNumber,
    ValueIteration,
    games,
    legal_actions,
)  # fmt: skip
from outplay.backtracking import problems
from outplay.search.count import count_tree
from outplay.search.perft import perft

DEPTHS = {
    games.ConnectFour(): 9, games.Othello(): 5, games.Chess(): 4, games.Kalah(): 6, games.Breakthrough(): 5,
    games.DotsAndBoxes(2, 2): 12, games.Go(5): 4, games.Hex(5): 4, games.Xiangqi(): 3, games.Oware(): 6,
    games.EnglishDraughts(): 6, games.NineMensMorris(): 4, games.Domineering(5, 5): 8, games.Nim((3, 4, 5)): 12,
    games.TicTacToe(): 9,
}  # fmt: skip
OPTIONS: Sequence[dict[str, Any]] = (
    {}, {"hints": False}, {"order": False}, {"table_mb": 0.01}, {"symmetry": False}, {"null_window": False},
    {"killers": True, "countermoves": True}, {"beam": 3}, {"selective": True}, {"quiescence": False},
)  # fmt: skip
TREES: Sequence[dict[str, Any]] = (
    {}, {"solver": False}, {"hints": False}, {"selection": "ucb1-tuned"}, {"selection": "puct"}, {"rave": True},
    {"rave": True, "rave_reference": 50}, {"playouts": "mast"}, {"playouts": "replies"}, {"widening": (1.0, 0.5)},
    {"choice": "lower-bound"}, {"parallel": "root"}, {"transpositions": True}, {"scale": "spread"},
)  # fmt: skip
CHANCE = {games.Pig(20): 6, games.EinStein(): 3, games.TwentyFortyEight(): 3, games.Backgammon(): 2}
HIDDEN = (games.KuhnPoker(), games.LeducPoker(), games.LiarsDice(), games.PhantomTicTacToe())
SOLVED = (games.KuhnPoker(), games.LeducPoker(), games.MatchingPennies(), games.LiarsDice(1, 4))


def summary(analysis: Any) -> str:
    """An analysis in one line: everything except the time, with the longer part as a hash."""
    rows = [
        (row.action, row.value, row.bound, row.exact, row.line, row.visits, row.interval) for row in analysis.actions
    ]
    digest = hashlib.sha256(repr((rows, analysis.values, analysis.line)).encode()).hexdigest()[:12]
    return (
        f"{analysis.action} {analysis.value!r} {'exact' if analysis.exact else 'estimate'} depth {analysis.depth}"
        f" nodes {analysis.nodes} {analysis.stopped or '-'} {digest}"
    )


def signatures() -> Iterator[tuple[str, str]]:
    """Each search, and its result in one line."""
    for game, depth in DEPTHS.items():
        all_options = game == games.ConnectFour()  # one game shows what options change
        for options in OPTIONS if all_options else OPTIONS[:1]:
            yield f"alpha-beta {game!r} {options}", summary(AlphaBeta(game, **options).search(limit=Limit(depth=depth)))
        yield f"analyse {game!r}", summary(AlphaBeta(game).analyse(limit=Limit(depth=depth - 1)))
        yield f"mtdf {game!r}", summary(MTDf(game).search(limit=Limit(depth=depth)))
        yield f"minimax {game!r}", summary(Minimax(game).search(limit=Limit(depth=min(depth, 4))))
        if not game.repetition:
            yield f"proof-number {game!r}", summary(ProofNumber(game).search(limit=Limit(nodes=20_000)))
        yield f"perft {game!r}", str(perft(game, min(depth, 4)).divided)
        for options in TREES if all_options else TREES[:1]:
            searcher = MCTS(game, seed=7, memory_mb=16, **options)
            yield f"mcts {game!r} {options}", summary(searcher.search(limit=Limit(simulations=1500)))
    yield "count connect-four", str(count_tree(games.ConnectFour(), depth=7).by_ply)
    for game, depth in CHANCE.items():
        yield f"expectiminimax {game!r}", summary(Expectiminimax(game).search(limit=Limit(depth=depth)))
        if game.utilities:
            yield f"star2 {game!r}", summary(Expectiminimax(game, pruning="star2").search(limit=Limit(depth=depth)))
        yield f"mcts {game!r}", summary(MCTS(game, seed=3).search(after_chance(game), Limit(simulations=1500)))
    for_three = games.ChineseCheckers(players=3)
    for search_class in (MaxN, Paranoid, BestReply):
        yield f"{search_class.__name__} {for_three!r}", summary(search_class(for_three).search(limit=Limit(depth=2)))
    yield "value-iteration", summary(ValueIteration(games.Pig(15)).search())
    for hidden in HIDDEN:
        state = after_chance(hidden)
        yield f"ismcts {hidden!r}", summary(ISMCTS(hidden, seed=5).search(state, Limit(simulations=1500)))
        yield f"pimc {hidden!r}", summary(PIMC(hidden, seed=5, worlds=10).search(state, Limit(depth=3)))
    yield from equilibria()
    for problem in (problems.Queens(8), problems.Sudoku()):
        solutions = Backtracking(problem).all()
        yield f"backtracking {problem!r}", f"{solutions.count} {solutions.nodes} {solutions.solutions[:1]!r}"


def after_chance(game: Game) -> Any:
    """The first state in which a player is to move, with the first outcome at every chance node before."""
    state = game.initial_state()
    while game.to_move(state) < 0:
        state = game.result(state, next(iter(legal_actions(game, state))))
    return state


def equilibria() -> Iterator[tuple[str, str]]:
    """Equilibria of whole games, by curves."""
    solved: Sequence[Game] = SOLVED
    for game in solved:
        for variant in ("cfr", "cfr+", "linear", "discounted", "predictive"):
            try:
                solution = eq.CFR(game, variant=variant).solve(iterations=200)
            except ValueError as error:
                yield f"cfr {variant} {game!r}", type(error).__name__
                continue
            yield f"cfr {variant} {game!r}", f"{solution.values!r} {[p[:2] for p in map(tuple_of, solution.curve)]!r}"
        for solver in (
            eq.MCCFR(game, seed=2), eq.MCCFR(game, sampling="outcome", seed=2), eq.TreelessMCCFR(game, seed=2),
            eq.FictitiousPlay(game),
        ):  # fmt: skip
            solution = solver.solve(iterations=200)
            yield f"{type(solver).__name__} {game!r}", f"{solution.values!r} {solution.exploitability!r}"
        yield f"sequence form {game!r}", f"{eq.SequenceForm(game).solve().values[0]:.9f}"


def tuple_of(point: Any) -> tuple[Any, ...]:
    """A point of a curve, without its time."""
    return point.iterations, point.exploitability


if __name__ == "__main__":
    for name, signature in signatures():
        print(f"{name}: {signature}", flush=True)
