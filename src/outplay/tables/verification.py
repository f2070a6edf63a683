"""Checks a table against the rules; of the code that made it, it shares only the codes of states.

A table is right if it holds each successor of its states, and for each state, and each of its images (`symmetries`)

    at an end        the value is the utility, after 0 plies; the utilities have the sum that the game declares
    else             the value is the best one among the successors,
    not a draw       and the plies are 1 + the least (or the greatest, for the side that gets less than in a draw)
                     of the successors with this value.

That is enough, also where play can go in circles. Take one side, and the values that are better for it than a draw,
from the best one down. In a state with such a value, if this side is to move, it has an action that keeps the value,
with one ply less to the end. If the other side is to move, each of its actions does so, or leads to a better value,
which is forced by induction. So the side forces at least this value, in as many plies as the table says unless the
other side gives more away.

Nor can it get more than such a value, or more than a draw in a state with the value of a draw: none of its own actions
leads to more, the other side always has one that does not, and endless play is only a draw. The same holds for the
other side, so that each value is exact.

In a table without distances, states are marked first, in passes over all of them, as long as one is found: those at an
end, those with the value of a draw, and those from which the side that gains forces the value by way of marked states.
The order in which states are marked takes the place of plies, and each state must be marked. Where the table says that
play can never come back to a state (`acyclic`), states are marked if all of their successors are: then the value is
that of the best successor without a circle, which is enough.

By class, the state that each index stands for is checked. Whether others with the same index are worth the same, some
thousand random games tell.

With chance, each value must be the greatest, least or mean one of the successors, up to twice the error that the table
states and rounding. If play ends with probability 1, whoever plays how, only the exact values are so without any
difference: where each differs by at most d, they are wrong by at most d times the number of plies that play lasts on
average, at most. Without circles this number is at most the depth of the graph, and d is rounding alone: the values
are exact up to that.

With several sides, each state must have the values, and 1 + the plies, of the first successor that is best for the
player to move. The plies shrink on this line, so that it ends: by induction the values are those of max^n.
"""

from collections.abc import Callable

from outplay.check.quick import check_rules
from outplay.rules.arguments import check_threads
from outplay.system.threads import useful_threads
from outplay.tables.class_verification import check_classes
from outplay.tables.code_verification import check_codes
from outplay.tables.payoffs import check_suits
from outplay.tables.tablebase import Tablebase
from outplay.tables.verdict import Verdict


def verify(
    table: Tablebase, progress: Callable[[int, int], None] | None = None, *, threads: int | None = None
) -> Verdict:
    """Check the value and the distance of every state of a table against the rules of its game.

    For a table without distances, it checks that each value is exact, too.

    Args:
        table: the table.
        progress: called with the numbers of states that are checked, and of all, ten times a second. A state without a
            distance counts twice: when it is marked, and when it is checked.
        threads: the number of threads, by default all cores; the verdict is the same. A large table by class is checked
            by fewer, so that each has memory for the blocks that it needs.

    >>> from outplay.games import ConnectFour
    >>> verify(Tablebase.make(ConnectFour(width=4, height=3)))
    Verdict(states=6027, fault='', state=None, stopped=False)
    """
    check_threads(threads, "verify")
    game = table.game
    check_rules(game, game.initial_state())
    check_suits(game)
    count = useful_threads(threads)
    if table.classes is not None:
        return check_classes(table.classes, count, progress)
    return check_codes(table, count, progress)
