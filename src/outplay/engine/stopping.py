"""Why a search ended: one list for all searches, in the words of answers and in the numbers of kernels."""

from enum import StrEnum


class StopReason(StrEnum):
    """Why a search ended. The value is the word that answers use; kernels write its number, `code`, into their memory.

    >>> StopReason.NODES, StopReason.NODES == "nodes", StopReason.NODES.code
    ('nodes', True, 1)
    >>> StopReason.of(1)
    'nodes'
    """

    # The search is complete: it was not stopped.
    COMPLETE = ""
    # A limit, or the user.
    NODES = "nodes"
    CALLER = "caller"
    """The calling thread asked for it; the answer says why it did."""
    DEPTH = "depth"
    SIMULATIONS = "simulations"
    SECONDS = "seconds"
    CLOCK = "clock"
    """The search has taken as much of the clock as the move is worth."""
    INTERRUPTED = "interrupted"
    SOLUTIONS = "enough"
    """As many solutions were found as were asked for."""
    ITERATIONS = "iterations"
    EXPLOITABILITY = "exploitability"
    # There is nothing more to find.
    PROVED = "proved"
    SETTLED = "settled"
    """No other action could have become the choice."""
    # The rules, or what they lead to, do not allow it to go on: an error says which.
    NO_LEGAL_ACTION = "no legal action"
    """A state that is not terminal has no legal action."""
    NO_PLAYER = "no player"
    """`to_move` answered what is no player."""
    OUT_OF_BOUNDS = "out of bounds"
    """An evaluation gave a value that cannot be."""
    UNLIKE = "unlike"
    """`determinize` gave a state that looks different."""
    NO_REPLAY = "no replay"
    """No replay came to the same information."""
    OTHER_ACTIONS = "other actions"
    """States that look the same have different actions."""
    FORGOTTEN = "forgotten"
    """A player does not know any more what the player knew or did."""
    NO_PROBABILITY = "no probability"
    """Probabilities that do not sum to 1."""
    NO_UTILITY = "no utility"
    """A utility that is not a finite number."""
    TOO_DEEP = "too deep"
    """The game goes on for too long."""
    OVERFLOW = "overflow"
    """A count does not fit an int of 64 bits."""
    STACK_FULL = "stack full"
    MEMORY_FULL = "memory full"

    @property
    def code(self) -> int:
        """The number of this reason in the memory of a kernel; 0 is COMPLETE."""
        return list(StopReason).index(self)

    @classmethod
    def of(cls, code: int) -> "StopReason":
        """The reason with this number."""
        return list(cls)[code]

    def __repr__(self) -> str:
        return repr(self.value)


# The numbers, for kernels.

BY_NODES = StopReason.NODES.code
BY_CALLER = StopReason.CALLER.code
BY_DEPTH = StopReason.DEPTH.code
BY_SIMULATIONS = StopReason.SIMULATIONS.code
BY_SOLUTIONS = StopReason.SOLUTIONS.code
NO_LEGAL_ACTION = StopReason.NO_LEGAL_ACTION.code
NO_PLAYER = StopReason.NO_PLAYER.code
OUT_OF_BOUNDS = StopReason.OUT_OF_BOUNDS.code
UNLIKE = StopReason.UNLIKE.code
NO_REPLAY = StopReason.NO_REPLAY.code
OTHER_ACTIONS = StopReason.OTHER_ACTIONS.code
FORGOTTEN = StopReason.FORGOTTEN.code
NO_PROBABILITY = StopReason.NO_PROBABILITY.code
NO_UTILITY = StopReason.NO_UTILITY.code
TOO_DEEP = StopReason.TOO_DEEP.code
OVERFLOW = StopReason.OVERFLOW.code
STACK_FULL = StopReason.STACK_FULL.code
MEMORY_FULL = StopReason.MEMORY_FULL.code
