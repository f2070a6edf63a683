"""What a check of a table finds."""

from typing import Any, NamedTuple

OUTSIDE, UTILITY, SUM, MOVER, VALUE, PLIES, UNFORCED, CIRCLE, IMAGE = range(1, 10)
CONVERSION, PAST, INDEX, EARLY, HEADER = range(10, 15)
FAULTS = {
    OUTSIDE: "a successor is not in the table",
    UTILITY: "the value at this end of the game is not the utility",
    SUM: "the utilities at this end of the game do not have the sum that the game declares",
    MOVER: "to_move returns a number that is not a player",
    VALUE: "the value is not the best one of the successors (or their mean, where chance is to move)",
    PLIES: "the plies do not fit those of the successors",
    UNFORCED: "the value cannot be forced",
    CIRCLE: "play can go in circles from this state, but the table says that it cannot (acyclic)",
    IMAGE: "one of the images (symmetries) of this state is not stored as this state",
    CONVERSION: "an action raises index_stage, or index_plies does not begin anew after a conversion",
    PAST: "what the table says about how many plies are left after conversions is wrong",
    INDEX: "this state has the index of another one that is worth something else (state_index)",
    EARLY: "a successor is worth something else if the game ends as early as its index_plies allows",
    HEADER: "the header has other numbers of states, or other longest distances, than the table",
}


class Verdict(NamedTuple):
    """The result of a check."""

    states: int
    """The number of states that were checked."""
    fault: str
    """What is wrong with the first state that is; empty if nothing is."""
    state: Any
    """This state; None if nothing is wrong."""
    stopped: bool
    """Whether Ctrl-C ended the check."""
