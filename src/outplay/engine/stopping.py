"""The reasons why a search can end: one list for all searches, as words in analyses and as numbers in kernels."""

from enum import StrEnum


class StopReason(StrEnum):
    """Why a search ended. The value is the word that analyses show; kernels use its number, `code`.

    >>> StopReason.NODES, StopReason.NODES == "nodes", StopReason.NODES.code
    ('nodes', True, 1)
    >>> StopReason.of(1)
    'nodes'
    """

    # The search was not stopped.
    COMPLETE = ""
    # It reached a limit, or was stopped by the user.
    NODES = "nodes"
    CALLER = "caller"
    """The calling thread stopped it; the analysis shows the reason of that thread instead."""
    DEPTH = "depth"
    SIMULATIONS = "simulations"
    SECONDS = "seconds"
    CLOCK = "clock"
    """The move is not worth more of the clock."""
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    """Another thread set the `Stop` of the limit."""
    SOLUTIONS = "enough"
    """The requested number of solutions was found."""
    ITERATIONS = "iterations"
    EXPLOITABILITY = "exploitability"
    # Searching on would change nothing.
    PROVED = "proved"
    SETTLED = "settled"
    """No other action could have become the choice."""
    # It cannot go on. All but `MEMORY_FULL` raise an error in the calling thread.
    NO_LEGAL_ACTION = "no legal action"
    """A state that is not terminal has no legal action."""
    NO_PLAYER = "no player"
    """`to_move` returned a number that is not a player."""
    OUT_OF_BOUNDS = "out of bounds"
    """An evaluation returned a value outside the possible range."""
    UNLIKE = "unlike"
    """`determinize` returned a state that looks different to the player."""
    NO_REPLAY = "no replay"
    """No replay reached the same information."""
    OTHER_ACTIONS = "other actions"
    """States that look the same have different actions."""
    FORGOTTEN = "forgotten"
    """A player has forgotten something that they knew or did."""
    NO_PROBABILITY = "no probability"
    """The probabilities of the outcomes do not sum to 1."""
    NO_UTILITY = "no utility"
    """A utility is not a finite number."""
    TOO_DEEP = "too deep"
    """The game goes on for too long."""
    OVERFLOW = "overflow"
    """A count does not fit into a 64-bit int."""
    STACK_FULL = "stack full"
    """More actions than a search can list on one path."""
    MEMORY_FULL = "memory full"
    """The answer is that of the states that fit: an estimate."""
    BROKEN_TABLE = "broken table"
    """A block of a table cannot be read."""

    @property
    def code(self) -> int:
        """The number of this reason in kernels; COMPLETE is 0."""
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
BROKEN_TABLE = StopReason.BROKEN_TABLE.code
