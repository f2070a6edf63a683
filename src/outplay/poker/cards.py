"""The 52 cards and the 1,326 hands of two cards, as numbers.

card = 4 * rank + suit        rank 0 … 12 for 2 … A, suit 0 … 3 for c, d, h, s: 2c is 0, As is 51
hand = high * (high - 1) / 2 + low        for its cards high > low: 2d2c is 0, AsAh is 1325
"""

import re

import numpy as np

from outplay.rules.errors import RulesError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS = 52

HANDS = np.array([(high, low) for high in range(CARDS) for low in range(high)], np.int64)
"""int64 [1326, 2]: the two cards of each hand, the higher one first."""
MASKS = np.array([1 << int(high) | 1 << int(low) for high, low in HANDS], np.int64)
"""int64 [1326]: each hand as a set of cards, one bit per card."""


def card_name(card: int) -> str:
    """The name of a card, as players write it.

    >>> card_name(51), card_name(0)
    ('As', '2c')
    """
    return RANKS[card // 4] + SUITS[card % 4]


def hand_name(hand: int) -> str:
    """The name of a hand, as players write it, the higher card first.

    >>> hand_name(1325), hand_name(0)
    ('AsAh', '2d2c')
    """
    high, low = HANDS[hand].tolist()
    return card_name(high) + card_name(low)


def hand_number(one: int, other: int) -> int:
    """The number of the hand of two different cards.

    >>> hand_number(50, 51)
    1325
    """
    high, low = max(one, other), min(one, other)
    return high * (high - 1) // 2 + low


def parse_cards(text: str, number: int, subject: str) -> tuple[int, ...]:
    """Read `number` different cards from text such as "Ks Th 7c" or "KsTh7c".

    Raises `RulesError` with the place of the first mistake; `subject` is the name of the text in the message.

    >>> parse_cards("2c As", 2, "hand")
    (0, 51)
    """
    cards: list[int] = []
    for match in re.finditer(r"[^\s,]{1,2}", text):
        name = match[0][0].upper() + match[0][1:].lower()
        if len(name) < 2 or name[0] not in RANKS or name[1] not in SUITS:
            raise RulesError(
                f"{subject} {text!r}: {match[0]!r} at character {match.start() + 1} is not a card, which is one of"
                f" {RANKS} and one of {SUITS}, such as Ah"
            )
        card = 4 * RANKS.index(name[0]) + SUITS.index(name[1])
        if card in cards:
            raise RulesError(f"{subject} {text!r}: {name} at character {match.start() + 1} is given twice")
        cards.append(card)
    if len(cards) != number:
        raise RulesError(f"{subject} {text!r}: {len(cards)} cards, but there should be {number}")
    return tuple(cards)


def parse_hand(text: str) -> int:
    """The number of a hand such as "AhKh". Raises `RulesError` if the text is not a hand.

    >>> hand_name(parse_hand("kh ah"))
    'AhKh'
    """
    one, other = parse_cards(text, 2, "hand")
    return hand_number(one, other)
