"""The pseudo-code of outplay's own alpha-beta, as it runs: without what is off."""

from collections.abc import Sequence

from outplay.rules.game import Game, defines
from outplay.search.forward_pruning import (
    FUTILITY_DEPTH,
    LATE_ACTIONS,
    LATE_DEPTH,
    NULL_DEPTH,
    NULL_REDUCTION,
    PROBCUT_DEPTH,
    PROBCUT_REDUCTION,
)
from outplay.search.options import AlphaBetaOptions

ITERATION, WINDOW, BOUND = "iteration", "window", "bound"
CALL, REPEATED, END, FORCED, EXTEND, HORIZON = "call", "repeated", "end", "forced", "extend", "horizon"
POSSIBLE, TABLE, PASS, LESS_DEEP = "possible", "table", "pass", "less deep"
LEFT_OUT, FUTILE, FIRST, NARROW, REDUCED = "left out", "futile", "first", "narrow", "reduced"
DEEPER, WIDER, BEST, CUT, ALPHA, RETURN = "deeper", "wider", "best", "cut", "alpha", "return"
QUIET_CALL, QUIET, STAND_PAT, NOISY, QUIET_CUT = "quiet call", "quiet", "stand pat", "noisy", "quiet cut"
QUIET_RETURN = "quiet return"
"""The lines that steps name."""


def pseudo_code(techniques: AlphaBetaOptions, game: Game, beam: int, depths: Sequence[int]) -> list[tuple[str, str]]:
    """The lines of the search, each with its name; "" for a line that no step names. `depths`: of the iterations."""
    on, first = techniques, ", ".join(map(str, depths[:3]))
    lines: list[tuple[str, str, object]] = [  # and whether it is there
        (ITERATION, f"for depth = {first}, …:".ljust(26) + "# iterative deepening", True),
        ("", "    while the value is not known:", True),
        (WINDOW, f"        choose α < β      # {_first_window(on)}", True),
        ("", "        v = value(root, depth, α, β)", True),
        (BOUND, "        v ≤ α: at most v; v ≥ β: at least v", True),
        ("", "", True),
        ("", "# MAX; for MIN, max and min, α and β swap", True),
        (CALL, "def value(state, depth, α, β):", True),
        (REPEATED, f"    if state is on the path: {_repeated(on.repetition)}", on.repetition),
        (END, "    if the game is over: return utility(state)", True),
        (FORCED, "    if known: return forced_result(state)", on.hints and defines(game, "forced_result")),
        (EXTEND, "    if needs_extension(state): depth += 1", on.extensions),
        (HORIZON, "    if depth ≤ 0: return evaluate(state)", not on.quiescence),
        (HORIZON, "    if depth ≤ 0: return quiet(state, α, β)", on.quiescence),
        (POSSIBLE, "    narrow α, β to what can be; α ≥ β: return", True),
        (TABLE, f"    e = table[state{' or its mirror image' if on.symmetry else ''}]", True),
        (TABLE, "    if e is deep enough and decides: return e", True),
        (
            PASS,
            f"    depth ≥ {NULL_DEPTH}, pass ≥ β at depth−{1 + NULL_REDUCTION}: return β",
            on.null_move,
        ),
        (
            LESS_DEEP,
            f"    depth ≥ {PROBCUT_DEPTH}, far off at depth−{PROBCUT_REDUCTION}: return α/β",
            on.probcut,
        ),
        ("", f"    # {_order(on)}", on.order),
        ("", f"    for each action{'' if on.order else ', as the rules list them'}:", True),
        (LEFT_OUT, f"        if {beam} were tried: break  # beam", on.beam),
        (FUTILE, f"        depth ≤ {FUTILITY_DEPTH}, evaluate + margin ≤ α: skip", on.futility),
        (FIRST, "        w = value(result, depth−1, α, β)", True),
        (NARROW, "        or, after the first: value(…, α, α+ε)", on.null_window),
        (
            REDUCED,
            f"        from the {LATE_ACTIONS + 1}th, depth ≥ {LATE_DEPTH}: less deep",
            on.late_move_reductions,
        ),
        (DEEPER, "        if less deep and w > α: again, as deep", on.late_move_reductions),
        (WIDER, "        if α < w < β: again, with (α, β)", on.null_window),
        (BEST, "        v = max(v, w)", True),
        (CUT, f"        if v ≥ β: {_learned(on)}break", True),
        (ALPHA, "        α = max(α, v)", True),
        (RETURN, "    table[state] = depth, v, bound, action", True),
        ("", "    return v", True),
        ("", "", on.quiescence),
        (QUIET_CALL, "def quiet(state, α, β):", on.quiescence),
        (QUIET, "    v = evaluate(state); if quiet: return v", on.quiescence),
        (STAND_PAT, "    if v ≥ β: return v; α = max(α, v)", on.quiescence),
        ("", "    for each noisy action:  # all, if urgent", on.quiescence),
        (NOISY, "        v = max(v, quiet(result, α, β))", on.quiescence),
        (QUIET_CUT, "        if v ≥ β: break; α = max(α, v)", on.quiescence),
        (QUIET_RETURN, "    return v", on.quiescence),
    ]
    return [(name, text) for name, text, there in lines if there]


def in_words(techniques: AlphaBetaOptions, game: Game, beam: int, threads: int) -> str:
    """What is on, in a sentence."""
    on = techniques
    found = [
        ("iterative deepening", True),
        ("a transposition table", True),
        ("null windows at the root, the first at the last value", on.mtdf),
        ("null windows", on.null_window and not on.mtdf),
        ("a first window around the last value", on.null_window and not on.mtdf),
        ("symmetries", on.symmetry),
        ("forced results", on.hints and defines(game, "forced_result")),
        ("bounds of the utility", on.bounds),
        ("candidates", on.hints and defines(game, "candidates")),
        ("the game's order", on.order and defines(game, "order")),
        ("killers", on.killers),
        ("countermoves", on.countermoves),
        ("history", on.history_heuristic),
        ("quiescence", on.quiescence),
        ("extensions", on.extensions),
        (f"a beam of {beam}", on.beam),
        ("late move reductions", on.late_move_reductions),
        ("null moves", on.null_move),
        ("futility", on.futility),
        ("ProbCut", on.probcut),
        (f"{threads} threads, of which this is the first", threads > 1),
    ]
    names = [name for name, there in found if there]
    return f"outplay's own search, not that of textbooks: with {', '.join(names[:-1])} and {names[-1]}"


def _first_window(on: AlphaBetaOptions) -> str:
    if on.mtdf:
        return "first: β = the last value"
    return "first: the last value" if on.null_window else "all values"


def _repeated(rule: str) -> str:
    return {"draw": "return a draw", "loss": "return a loss", "forbidden": "it is forbidden"}.get(rule, "")


def _order(on: AlphaBetaOptions) -> str:
    more = [("killers", on.killers), ("countermove", on.countermoves), ("history", on.history_heuristic)]
    return ", ".join(["first e's action, order", *(name for name, there in more if there)])


def _learned(on: AlphaBetaOptions) -> str:
    return "remember the action; " if on.killers or on.countermoves or on.history_heuristic else ""
