"""Seeds that nobody can guess: who knows the seed of a game knows which cards the others have, and what comes next."""

from secrets import randbits

SEED_BITS = 53
"""Too many to try all seeds, and few enough that every reader of JSON keeps each digit."""


def fresh_seed() -> int:
    """A seed that nobody can guess, from 0 to 2**53 - 1."""
    return randbits(SEED_BITS)
