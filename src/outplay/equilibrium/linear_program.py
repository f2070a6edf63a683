"""Linear programs, solved by HiGHS (Huangfu & Hall 2018) as scipy has it."""

from typing import Any

from outplay.rules.errors import OutplayError

TOLERANCES = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
"""How far constraints may be off, the least that HiGHS takes; payoffs are scaled so that they differ by about 1."""


def linear_program(
    what: object,
    objective: Any,
    at_most: Any,
    limits: Any,
    totals: Any = None,
    sums: Any = None,
    *,
    free: int = 0,
    method: str = "highs",
    presolve: bool = True,
    seconds: float | None = None,
) -> Any:
    """The x ≥ 0 with the least `objective @ x` such that `at_most @ x ≤ limits` and `totals @ x = sums`, by `linprog`.

    The last `free` of x may be below 0 too. Matrices may be sparse. Raises `OutplayError`, which names `what` the
    program is about, if it was not solved, for instance within `seconds`.

    >>> linear_program("a test", [-1, -2], [[1, 1]], [4]).x.tolist()
    [0.0, 4.0]
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - SciPy is imported when first needed

    options = {**TOLERANCES, "presolve": presolve} | ({} if seconds is None else {"time_limit": seconds})
    bounds = [(0, None)] * (len(objective) - free) + [(None, None)] * free
    solved = linprog(objective, at_most, limits, totals, sums, bounds, method, options=options)
    if solved.status != 0:
        raise OutplayError(f"HiGHS did not solve the linear program of {what!r}: {solved.message}")
    return solved
