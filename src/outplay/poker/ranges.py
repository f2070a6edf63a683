"""Ranges as poker players write them: "AA, KQs, T9s:0.5, 22+, A2s+".

    AA  AK  AKs  AKo      a pair; two ranks, of either, the same (s) or different suits (o)
    77+                   77, 88 … AA
    A2s+  KTo+            the same higher card, and all lower cards from this one up: A2s, A3s … AKs
    TT-77  A5s-A2s        from one to the other, with the same higher card
    T9s-76s               the same, with both cards one rank lower each time
    AhKh                  these two cards
    any                   all 1,326 hands
    AKs:0.5               with this weight, from 0 to 1; the default is 1

Commas or spaces separate them. If a hand is named more than once, the last weight counts: "22+, 55:0.5".
"""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from outplay.poker.cards import HANDS, RANKS, hand_number, parse_hand
from outplay.rules.errors import RulesError

CLASS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)", re.IGNORECASE)
TWO_CARDS = re.compile(r"[2-9TJQKA][cdhs][2-9TJQKA][cdhs]", re.IGNORECASE)
EXAMPLES = "such as AA, 77+, AKs, A2s+, KTo-K8o, AhKh, T9s:0.5 or any"


def parse_range(text: str) -> NDArray[np.float64]:
    """float64 [1326]: the weight that `text` gives each hand.

    Raises `RulesError` with the part that cannot be read and its place.

    >>> float(parse_range("QQ+").sum()), float(parse_range("AKs, AKo:0.5").sum())
    (18.0, 10.0)
    """
    weights = np.zeros(len(HANDS))
    for match in re.finditer(r"[^\s,]+", text):
        token, _, weight = match[0].partition(":")
        try:
            hands = list(_hands(token))
            weights[hands] = _weight(weight) if ":" in match[0] else 1
        except ValueError as error:
            place = f"{match[0]!r} at character {match.start() + 1}"
            raise RulesError(f"range {text!r}: {place}: {error}") from None
    return weights


def hand_class(hand: int) -> str:
    """The class of a hand: its ranks, and whether the suits are the same.

    >>> hand_class(1325), hand_class(hand_number(48, 44)), hand_class(hand_number(48, 45))
    ('AA', 'AKs', 'AKo')
    """
    high, low = HANDS[hand].tolist()
    kind = "" if high // 4 == low // 4 else "s" if high % 4 == low % 4 else "o"
    return RANKS[high // 4] + RANKS[low // 4] + kind


def _weight(text: str) -> float:
    if not re.fullmatch(r"\d*\.?\d+|\d+\.", text) or not float(text) <= 1:
        raise ValueError(f"{text!r} is not a weight from 0 to 1, as in AKs:0.5")
    return float(text)


def _hands(token: str) -> Iterator[int]:
    """The hands that a token names, without its weight. Raises `ValueError`."""
    if token.lower() == "any":
        yield from range(len(HANDS))
    elif TWO_CARDS.fullmatch(token):
        yield parse_hand(token)
    else:
        for high, low, kind in _classes(token):
            for one in range(4):
                for other in range(one) if high == low else range(4):
                    if kind != "so"[one == other]:
                        yield hand_number(4 * high + one, 4 * low + other)


def _classes(token: str) -> Iterator[tuple[int, int, str]]:
    """The classes that a token names: the higher rank, the lower rank, and s, o or nothing."""
    first, dash, last = token.partition("-")
    high, low, kind = _class(first.removesuffix("+"))
    if dash and first.endswith("+"):
        raise ValueError(f"+ and - cannot be combined; {EXAMPLES}")
    if first.endswith("+"):
        if high == low:
            yield from ((rank, rank, kind) for rank in range(high, len(RANKS)))
        else:
            yield from ((high, rank, kind) for rank in range(low, high))
    elif dash:
        to_high, to_low, to_kind = _class(last)
        steps = low - to_low
        if kind != to_kind or high - to_high not in (0, steps) or (high == low) != (to_high == to_low):
            raise ValueError(
                "both ends must be pairs, or have the same suits and either the same higher card or the same gap"
            )
        fall = 1 if high != to_high else 0
        for step in range(0, steps + 1) if steps >= 0 else range(steps, 1):
            yield high - fall * step, low - step, kind
    else:
        yield high, low, kind


def _class(text: str) -> tuple[int, int, str]:
    match = CLASS.fullmatch(text)
    if match is None:
        raise ValueError(f"not a hand of a range, {EXAMPLES}")
    one, other, kind = RANKS.index(match[1].upper()), RANKS.index(match[2].upper()), match[3].lower()
    if one == other and kind:
        raise ValueError(f"a pair has two suits; write {text[:2]}")
    return max(one, other), min(one, other), kind
