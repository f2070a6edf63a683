"""The ranking of poker hands of 5 to 7 cards, of which the best five count.

A hand is four sets of ranks, one per suit, as ints of 13 bits; bit 0 is the two and bit 12 the ace. Pairs, threes and
fours are the ranks that are in two, three and four of the sets, so `&` and `|` find all of them at once. The rank of a
hand is one int, higher for better hands and equal for equal ones:

    category << 26 | ranks that decide first << 13 | ranks that decide then

Two sets of the same size compare as ints the way poker players compare them: by the highest rank that differs.
"""

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.poker.cards import HANDS
from outplay.rules.bits import count

CATEGORIES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind",
    "straight flush",
)  # fmt: skip
HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)


def category(rank: int) -> str:
    """The name of the category of a hand with this rank.

    >>> category(rank_hand(0b1111100000000, 0, 0, 0))
    'straight flush'
    """
    return CATEGORIES[rank >> 26]


@kernel
def rank_hand(clubs: int, diamonds: int, hearts: int, spades: int) -> int:
    """The rank of a hand of 5 to 7 cards, given as the set of ranks in each suit.

    >>> rank_hand(0b1, 0b1, 0b1, 0b1000000000001) > rank_hand(0b1, 0b1, 0b1100, 0b1100)    # 222A2 beats 54225
    True
    """
    ranks = clubs | diamonds | hearts | spades
    flush = 0
    for suit in (clubs, diamonds, hearts, spades):
        if count(suit) >= 5:
            flush = suit
    if flush and straight(flush):
        return STRAIGHT_FLUSH << 26 | straight(flush)

    two = clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)
    three = clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)
    four = clubs & diamonds & hearts & spades
    if four:
        return FOUR << 26 | four << 13 | highest(ranks & ~four, 1)
    if three:
        best = highest(three, 1)
        if two & ~best:
            return FULL_HOUSE << 26 | best << 13 | highest(two & ~best, 1)
    if flush:
        return FLUSH << 26 | highest(flush, 5)
    if straight(ranks):
        return STRAIGHT << 26 | straight(ranks)
    if three:
        return THREE << 26 | three << 13 | highest(ranks & ~three, 2)
    if two & (two - 1):
        best = highest(two, 2)
        return TWO_PAIR << 26 | best << 13 | highest(ranks & ~best, 1)
    if two:
        return PAIR << 26 | two << 13 | highest(ranks & ~two, 3)
    return HIGH_CARD << 26 | highest(ranks, 5)


@kernel
def straight(ranks: int) -> int:
    """The highest card of the best straight in `ranks`, as a set of one rank; 0 if there is none."""
    with_low_ace = ranks << 1 | ranks >> 12
    ends = with_low_ace
    for lower in range(1, 5):
        ends &= with_low_ace << lower
    return highest(ends >> 1, 1)


@kernel
def highest(ranks: int, number: int) -> int:
    """The `number` highest of `ranks`, or all of them if there are fewer."""
    for _ in range(count(ranks) - number):
        ranks &= ranks - 1
    return ranks


def strengths(board: tuple[int, ...]) -> NDArray[np.int64]:
    """int64 [1326]: the rank of each hand of two together with a board of 3 to 5 cards; -1 where they share a card."""
    strength = np.full(len(HANDS), -1)
    for number, hand in enumerate(HANDS.tolist()):
        if not set(hand) & set(board):
            suits = [0, 0, 0, 0]
            for card in (*hand, *board):
                suits[card % 4] |= 1 << card // 4
            strength[number] = rank_hand.interpreted(*suits)  # 20 ms in total; compiling takes much longer
    return strength
