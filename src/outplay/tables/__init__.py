"""Tables of all states of a game, solved: made once, kept in a file, and used by every search."""

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.tables.counting import AtDistance, Census, LongestWin, Outcomes, census
    from outplay.tables.estimation import Estimate, check_fits, estimate
    from outplay.tables.stats import TableStats
    from outplay.tables.table_states import Entry, Known
    from outplay.tables.verdict import Verdict
    from outplay.tables.verification import verify

__all__ = [
    "AtDistance",
    "Census",
    "Entry",
    "Estimate",
    "Known",
    "LongestWin",
    "Outcomes",
    "TableStats",
    "Verdict",
    "Zugzwangs",
    "census",
    "check_fits",
    "estimate",
    "verify",
]

__getattr__, __dir__ = _lazy(
    __name__,
    {
        **dict.fromkeys(("AtDistance", "Census", "LongestWin", "Outcomes", "census"), "outplay.tables.counting"),
        **dict.fromkeys(("Estimate", "check_fits", "estimate"), "outplay.tables.estimation"),
        "TableStats": "outplay.tables.stats",
        "Zugzwangs": "outplay.tables.zugzwang",
        **dict.fromkeys(("Entry", "Known"), "outplay.tables.table_states"),
        "Verdict": "outplay.tables.verdict",
        "verify": "outplay.tables.verification",
    },
)
