"""Liar's dice: bids on the dice under both cups, until a player doubts one.

Each player rolls their dice under a cup and looks at them. In turn they bid that among all dice at least a given number
show a face. Each bid is higher than the one before: more dice, or as many of a higher face. Instead of bidding, a
player can say liar. Then the cups are lifted, and the bidder wins if the bid is true; if not, the other player does.
The highest face is wild: it counts as every face.

This is the game of Lisý, Lanctot & Bowling ("Online Monte Carlo counterfactual regret minimization for search in
imperfect information games", 2015) and of OpenSpiel, whose rule is called `reset-face`. With one six-sided die each it
has 24,576 information sets, and the value for the first player is -0.027131782945736.
"""

from typing import Any, NamedTuple

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import whole_number
from outplay.games._pictures import seen_by
from outplay.rules.bits import count, squares
from outplay.rules.board import Picture, Piece, Place, in_row
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game

COUNT = 3
"""The number of bits that hold how many dice of a hand show a face."""
ROLLED = 4
"""The number of bits that hold how many dice were rolled."""


class Cups(NamedTuple):
    """The dice rolled, and the bids."""

    dice: int  # 3 bits for each face and player, player 0 in the lowest: the number of dice
    rolled: int  # the number of dice rolled, of both players
    bids: int  # bit i: bid i was made; the last bit is `liar`
    bid: int  # the highest bid, or -1


class LiarsDice(Game):
    """Liar's dice for two: `2-5` bids two fives, and `liar` doubts the last bid.

    A bid is action (number - 1) * sides + face - 1, and the action after the highest bid is `liar`. At a chance node
    the actions are the faces, from 0: the dice of player 0 are rolled first, one by one.

    >>> game = LiarsDice()
    >>> cups = game.initial_state()
    >>> for action in "3", "5", "1-3", "2-5":
    ...     cups = game.result(cups, game.parse_action(cups, action))
    >>> game.information_text(cups, 0), game.information_text(cups, 1)
    ('3, 1-3 2-5', '5, 1-3 2-5')
    >>> cups = game.result(cups, game.parse_action(cups, "liar"))
    >>> game.utility(cups, 0)
    1.0
    """

    utilities = (-1, 1)

    def __init__(self, dice: int = 1, sides: int = 6) -> None:
        self.dice = whole_number("dice", dice, 1, 5)
        self.sides = whole_number("sides", sides, 2, 8)
        self.liar = 2 * self.dice * self.sides
        if self.liar > 60:
            raise RulesError(
                f"dice={dice}, sides={sides}: {self.liar} bids are too many; 2 * dice * sides is at most 60"
            )
        self.hand_bits = COUNT * self.sides

    def initial_state(self) -> Cups:
        return Cups(0, 0, 0, -1)

    def to_move(self, cups: Cups) -> int:
        return CHANCE if cups.rolled < 2 * self.dice else count(cups.bids) & 1

    def actions(self, cups: Cups) -> int:
        """A set of bits: the bids above the last one, and `liar` if there is one; for chance, the faces."""
        if cups.rolled < 2 * self.dice:
            return (1 << self.sides) - 1
        if cups.bids == 0:
            return (1 << self.liar) - 1
        return (1 << self.liar + 1) - (1 << cups.bid + 1)

    def result(self, cups: Cups, action: int) -> Cups:
        dice, rolled, bids, bid = cups
        if rolled < 2 * self.dice:
            dice += 1 << rolled // self.dice * self.hand_bits + COUNT * action
            return Cups(dice, rolled + 1, bids, bid)
        return Cups(dice, rolled, bids | 1 << action, bid if action == self.liar else action)

    def is_terminal(self, cups: Cups) -> bool:
        return cups.bids >> self.liar == 1

    def showing(self, cups: Cups, face: int) -> int:
        """The number of dice, of both players, that show `face`."""
        both = (cups.dice >> COUNT * face, cups.dice >> self.hand_bits + COUNT * face)
        return (both[0] & 7) + (both[1] & 7)

    def utility(self, cups: Cups, player: int) -> float:
        face, wild = cups.bid % self.sides, self.sides - 1
        number_showing = self.showing(cups, face) + (self.showing(cups, wild) if face != wild else 0)
        bidder = count(cups.bids) & 1  # the last bit is the opponent's `liar`
        return 1.0 if (number_showing > cups.bid // self.sides) == (player == bidder) else -1.0

    def probability(self, cups: Cups, action: int) -> float:
        return 1 / self.sides

    def information(self, cups: Cups, player: int) -> tuple[int, int]:
        """The bids; the player's own dice and how many have been rolled."""
        hand = cups.dice >> player * self.hand_bits & (1 << self.hand_bits) - 1
        return cups.bids, hand << ROLLED | cups.rolled

    def determinize(self, cups: Cups, player: int, random: object) -> Cups:
        """Rolls the opponent's dice again; all dice allow the same bids."""
        other = 1 - player
        dice = cups.dice & (1 << self.hand_bits) - 1 << player * self.hand_bits
        for _ in range(min(self.dice, max(0, cups.rolled - other * self.dice))):
            dice += 1 << other * self.hand_bits + COUNT * random_below(random, self.sides)
        return Cups(dice, cups.rolled, cups.bids, cups.bid)

    def hand(self, cups: Cups, player: int) -> str:
        """The dice of a player, the lowest first, such as `3 5`."""
        hand = cups.dice >> player * self.hand_bits
        return " ".join(str(face + 1) for face in range(self.sides) for _ in range(hand >> COUNT * face & 7))

    def bid_name(self, bid: int) -> str:
        """A number of dice and a face, such as `2-5`."""
        return "liar" if bid == self.liar else f"{bid // self.sides + 1}-{bid % self.sides + 1}"

    def history(self, cups: Cups) -> str:
        return " ".join(map(self.bid_name, squares(cups.bids)))

    def render(self, cups: Cups) -> str:
        hands = [f"player {player}: {self.hand(cups, player) or 'no dice yet'}" for player in (0, 1)]
        return "\n".join([*hands, f"bids: {self.history(cups) or 'none yet'}"])

    def picture(self, cups: Cups) -> Picture:
        """The dice under both cups, although each player sees only their own; cells are (player, die)."""
        places: list[Place] = []
        dice: dict[Any, Piece] = {}
        for player in (0, 1):
            places += in_row([(player, die) for die in range(self.dice)], 0.0, 1.3 * player, shape="none")
            faces = self.hand(cups, player).split()
            dice |= {(player, die): Piece(face, player, "die") for die, face in enumerate(faces)}
        labels = [("player 0", -1.4, 0.0), ("player 1", -1.4, 1.3)]
        text = [f"bids: {self.history(cups) or 'none yet'}"]
        if self.is_terminal(cups):
            text.append(f"player {0 if self.utility(cups, 0) > 0 else 1} wins")
        elif self.to_move(cups) >= 0:
            text.append(f"player {self.to_move(cups)} to bid")
        return Picture(places, dice, text, labels)

    def seat_picture(self, cups: Cups, player: int) -> Picture:
        """The table as `player` sees it: the other dice are under their cup."""
        covered = [(1 - player, die) for die in range(self.dice)]
        return seen_by(self.picture(cups), covered, self.information_text(cups, player), Piece("?", 1 - player, "die"))

    def action_cells(self, cups: Cups, action: int) -> tuple[int, ...]:
        """None: bids are not on the table."""
        return ()

    def action_name(self, cups: Cups, action: int) -> str:
        return str(action + 1) if cups.rolled < 2 * self.dice else self.bid_name(action)

    def information_text(self, cups: Cups, player: int) -> str:
        """The player's own dice, then the bids, such as `3, 1-3 2-5`."""
        words = [self.hand(cups, player) or "no dice yet"]
        if cups.rolled < 2 * self.dice:
            words.append(f"{cups.rolled} of {2 * self.dice} dice rolled")
        elif cups.bids:
            words.append(self.history(cups))
        return ", ".join(words)
