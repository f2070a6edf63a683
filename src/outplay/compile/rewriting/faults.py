"""Functions that rewritten rules call before what may fail within a `try`: which error it would raise.

Only compiled rules call them; `native.faults` has their compiled forms, which refuse what they do not know.
"""

from outplay.compile.rewriting.scope import only_compiled

NONE, INDEX, KEY, VALUE, ZERO = range(5)
RAISED: dict[int, type[Exception]] = {INDEX: IndexError, KEY: KeyError, VALUE: ValueError, ZERO: ZeroDivisionError}
"""The error that a number stands for."""

IN_TRY = "{} within a try: test with if before what may fail"
CALL_IN_TRY = "{}() is called within a try: let what may fail return False in place of raise, and test that with if"
"""Why a `try` does not compile."""


def unknown(reason: str) -> None:
    """A `try` with a step whose errors are not known: does not compile."""


of_item = only_compiled("of_item")
"""The error of `owner[index]`."""
of_slice = only_compiled("of_slice")
"""The error of `owner[start:stop]`."""
of_store = only_compiled("of_store")
"""The error of `owner[index] = value`."""
of_attribute = only_compiled("of_attribute")
"""The error of `owner.name`."""
of_operator = only_compiled("of_operator")
"""The error of an operator, such as `//`."""
of_sign = only_compiled("of_sign")
"""The error of `-value`, `+value` or `~value`."""
of_comparison = only_compiled("of_comparison")
"""The error of `left == right`, `left < right` and so on."""
of_membership = only_compiled("of_membership")
"""The error of `item in values`."""
of_truth = only_compiled("of_truth")
"""The error of `if value`."""
of_loop = only_compiled("of_loop")
"""The error of a loop over the values, or of their length."""
of_unpacking = only_compiled("of_unpacking")
"""The error of `a, b = values`."""
of_extreme = only_compiled("of_extreme")
"""The error of `min(values)`."""
of_number = only_compiled("of_number")
"""The error of `int(value)` and `abs(value)`."""
of_method = only_compiled("of_method")
"""The error of a method of a container or text."""
