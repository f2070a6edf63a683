"""Values, bounds and numbers in the words of a page."""

import re

from outplay.engine.score import DISTANCES


def plain_score(score: int) -> int:
    """A score, without what is nearer to a draw than any other value."""
    return 0 if abs(score) < DISTANCES else score


def moved(bound: str, steps: int) -> str:
    """A bound that is so many steps higher.

    >>> moved("3", 1), moved("0−ε", 1), moved("3+ε", 1)
    ('3+ε', '0', '3+2ε')
    """
    place = re.fullmatch(r"(.+?)(?:([+−])(\d*)ε)?", bound)
    assert place is not None
    base, sign, count = place.groups()
    steps += int(count or bool(sign)) * (-1 if sign == "−" else 1)
    number = "" if abs(steps) == 1 else str(abs(steps))
    return f"{base}{'+' if steps > 0 else '−'}{number}ε" if steps else base


def plain(worth: str) -> str:
    """A value without the sign of a bound."""
    return worth.removeprefix("≤ ").removeprefix("≥ ")


def said(worth: str) -> str:
    """A value in a sentence."""
    return worth.replace("≤", "at most").replace("≥", "at least")


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many}"


def is_or_are(number: int) -> str:
    """The verb of so many."""
    return "is" if number == 1 else "are"


def it_or_they(number: int) -> str:
    """So many visits return."""
    return "it returns" if number == 1 else "they return"


def ordinal(place: int) -> str:
    """A place, from 0, as a word at the start of a sentence."""
    return ("First", "Second", "Third")[place] if place < 3 else f"{place + 1}th"
