"""Cards, the ranking of hands, ranges as players write them, and betting trees.

The modules, in the order in which they build on each other: `cards`, `hands`, `ranges`, `betting`.
"""

from outplay.poker.betting import Betting, betting_tree
from outplay.poker.cards import HANDS, card_name, hand_name, hand_number, parse_cards, parse_hand
from outplay.poker.hands import CATEGORIES, category, rank_hand, strengths
from outplay.poker.ranges import hand_class, parse_range

__all__ = [
    "CATEGORIES",
    "HANDS",
    "Betting",
    "betting_tree",
    "card_name",
    "category",
    "hand_class",
    "hand_name",
    "hand_number",
    "parse_cards",
    "parse_hand",
    "parse_range",
    "rank_hand",
    "strengths",
]
