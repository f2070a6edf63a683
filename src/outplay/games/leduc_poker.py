"""Leduc poker: one card each, one open card, two rounds of bets; the usual test bed for games with hidden cards.

Southey, Bowling, Larson, Piccione, Burch, Billings & Rayner ("Bayes' bluff: opponent modelling in poker", 2005). The
deck has a jack, a queen and a king, each twice. Both players ante 1 and get one card. After a round of bets of 2, a
card is laid open, followed by a second round with bets of 4. In both rounds player 0 acts first, and there are at most
two raises. At the end the player whose card has the rank of the open card wins, else the higher rank; equal ranks share
the pot.

The value for the first player is -0.085606424078.
"""

from typing import Any, NamedTuple

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import switch
from outplay.games._pictures import seen_by
from outplay.rules.bits import count
from outplay.rules.board import Picture, Piece, in_row
from outplay.rules.game import CHANCE, Game

FOLD, CALL, RAISE = 0, 1, 2
NAMES = ("fold", "call", "raise")
RANKS = "JQK"
SUITS = "sh"
PUBLIC = 2
"""The place of the open card, after those of the two players."""
PAIRS = 0x55
"""The low bit of each action in the history of a round, of which there are at most four."""


class Deal(NamedTuple):
    """The cards, the bets of both rounds, and who is to move."""

    cards: int  # 3 bits each for player 0, player 1 and the open card: the card + 1, or 0
    first: int  # the first round: 2 bits per action, the latest in the lowest: the action + 1
    second: int
    turn: int


class LeducPoker(Game):
    """Leduc poker for two: two rounds of `fold`, `call` and `raise`, with an open card between.

    `suits` says whether the players can tell the suits apart. This is of no use to them, but makes 936 information
    sets, as in OpenSpiel; without suits there are 288. At a chance node the actions are the cards: 2 * rank + suit, or
    only the ranks.

    >>> game = LeducPoker()
    >>> deal = game.initial_state()
    >>> for action in "Ks", "Js", "raise", "call", "Jh", "call", "raise":
    ...     deal = game.result(deal, game.parse_action(deal, action))
    >>> game.information_text(deal, 0)
    'Ks, raise-call, Jh, call-raise'
    >>> deal = game.result(deal, game.parse_action(deal, "fold"))
    >>> game.utility(deal, 0)
    -3.0
    """

    utilities = (-13, 13)

    def __init__(self, suits: bool = True) -> None:
        self.suits = switch("suits", suits)
        self.copies = 1 if self.suits else 2  # the number of cards that look the same
        self.kinds = 6 // self.copies

    def initial_state(self) -> Deal:
        return Deal(0, 0, 0, CHANCE)

    def card(self, deal: Deal, place: int) -> int:
        """The card of a player, or the open one; -1 before it is dealt."""
        return (deal.cards >> 3 * place & 7) - 1

    def rank(self, card: int) -> int:
        """0 for a jack, 1 for a queen, 2 for a king."""
        return card * self.copies // 2

    def left(self, deal: Deal, card: int) -> int:
        """How many copies of `card` are still to be dealt."""
        number = self.copies
        for place in range(3):
            number -= self.card(deal, place) == card
        return number

    def to_move(self, deal: Deal) -> int:
        return deal.turn

    def actions(self, deal: Deal) -> int:
        """A set of bits: fold after a raise, call always, raise below two raises; for chance, the remaining cards."""
        if deal.turn == CHANCE:
            cards = 0
            for card in range(self.kinds):
                if self.left(deal, card) > 0:
                    cards |= 1 << card
            return cards
        history = deal.second if self.card(deal, PUBLIC) >= 0 else deal.first
        allowed = 1 << CALL
        if history & 3 == RAISE + 1:
            allowed |= 1 << FOLD
        if self.raises(history) < 2:
            allowed |= 1 << RAISE
        return allowed

    def raises(self, history: int) -> int:
        return count(history & history >> 1 & PAIRS)

    def is_closed(self, history: int) -> bool:
        """Whether a round is over without a fold: by a call that is not its first action."""
        return history & 3 == CALL + 1 and history > 3

    def result(self, deal: Deal, action: int) -> Deal:
        cards, first, second, turn = deal
        if turn == CHANCE:
            place = int(cards > 0) + int(cards > 7)
            return Deal(cards | action + 1 << 3 * place, first, second, CHANCE if place == 0 else 0)
        if cards >> 3 * PUBLIC > 0:
            return Deal(cards, first, second << 2 | action + 1, 1 - turn)
        first = first << 2 | action + 1
        return Deal(cards, first, second, CHANCE if self.is_closed(first) else 1 - turn)

    def is_terminal(self, deal: Deal) -> bool:
        return deal.first & 3 == FOLD + 1 or deal.second & 3 == FOLD + 1 or self.is_closed(deal.second)

    def utility(self, deal: Deal, player: int) -> float:
        stake = 1 + 2 * self.raises(deal.first) + 4 * self.raises(deal.second)
        if deal.first & 3 == FOLD + 1 or deal.second & 3 == FOLD + 1:
            stake -= 4 if deal.second else 2  # the raise that was not called
            return float(stake if player == deal.turn else -stake)  # after the fold it is the winner's turn
        mine, other = self.strength(deal, player), self.strength(deal, 1 - player)
        return float(stake if mine > other else -stake if mine < other else 0)

    def strength(self, deal: Deal, player: int) -> int:
        """The rank of the hand at the end: a pair with the open card beats everything, then the card counts."""
        rank = self.rank(self.card(deal, player))
        return 3 if rank == self.rank(self.card(deal, PUBLIC)) else rank

    def probability(self, deal: Deal, action: int) -> float:
        dealt = int(deal.cards > 0) + int(deal.cards > 7)
        return self.left(deal, action) / (6 - dealt)

    def information(self, deal: Deal, player: int) -> int:
        """The player's own card, the open card, all bets, and whose turn it is."""
        bets = (deal.second << 8 | deal.first) << 2 | deal.turn + 1
        return (bets << 3 | deal.cards >> 3 * PUBLIC) << 3 | deal.cards >> 3 * player & 7

    def determinize(self, deal: Deal, player: int, random: object) -> Deal:
        """Deals the card of the opponent again; every card allows the same bets."""
        other = 1 - player
        if self.card(deal, other) < 0:
            return deal
        left = Deal(deal.cards & ~(7 << 3 * other), deal.first, deal.second, deal.turn)
        card = random_below(random, 6) // self.copies
        while random_below(random, self.copies) >= self.left(left, card):
            card = random_below(random, 6) // self.copies
        return Deal(left.cards | card + 1 << 3 * other, left.first, left.second, left.turn)

    def card_name(self, card: int) -> str:
        """The name of a card, such as `Ks`, or `K` without suits."""
        return RANKS[card // 2] + SUITS[card % 2] if self.suits else RANKS[card]

    def history(self, bets: int) -> str:
        """The actions of a round, such as `call-raise`."""
        places = range(bets.bit_length() - 1 & ~1, -1, -2)
        return "-".join(NAMES[(bets >> place & 3) - 1] for place in places) if bets else ""

    def story(self, deal: Deal) -> list[str]:
        """What everybody has seen, in order."""
        public = self.card(deal, PUBLIC)
        told = (self.history(deal.first), self.card_name(public) if public >= 0 else "", self.history(deal.second))
        return [part for part in told if part]

    def render(self, deal: Deal) -> str:
        places = [place for place in (0, 1) if self.card(deal, place) >= 0]
        cards = " ".join(self.card_name(self.card(deal, place)) for place in places)
        return f"cards: {cards or 'none yet'}\nbets: {', '.join(self.story(deal)) or 'none yet'}"

    def picture(self, deal: Deal) -> Picture:
        """The cards of both players, although each sees only their own, and the open card between them."""
        places = in_row([0, PUBLIC, 1], shape="none", height=1.4, gap=1.0)
        cards: dict[Any, Piece] = {}
        for place in range(3):
            card = self.card(deal, place)
            suit = "♠♥"[card % 2] if self.suits else "♠"
            name = f"{RANKS[self.rank(card)]}{suit}"
            cards[place] = Piece(name, None, "card") if card >= 0 else Piece(shape="back")
        labels = [("player 0", 0.0, -1.0), ("open card", 2.0, -1.0), ("player 1", 4.0, -1.0)]
        rounds = [self.history(bets) for bets in (deal.first, deal.second) if bets]
        text = [f"bets: {', '.join(rounds) or 'none yet'}"]
        if self.is_terminal(deal):
            text.append(f"the game is over: player 0 gets {self.utility(deal, 0):+g}")
        elif deal.turn != CHANCE:
            text.append(f"player {deal.turn} to act")
        return Picture(places, cards, text, labels)

    def seat_picture(self, deal: Deal, player: int) -> Picture:
        """The table as `player` sees it: the other card lies face down."""
        return seen_by(self.picture(deal), [1 - player], self.information_text(deal, player))

    def action_cells(self, deal: Deal, action: int) -> tuple[int, ...]:
        """None: what players do is not on the table."""
        return ()

    def action_name(self, deal: Deal, action: int) -> str:
        return self.card_name(action) if deal.turn == CHANCE else NAMES[action]

    def information_text(self, deal: Deal, player: int) -> str:
        """The player's card, then bets and the open card in order, such as `Ks, raise-call, Jh, call`."""
        card = self.card(deal, player)
        words = [self.card_name(card) if card >= 0 else "no card yet", *self.story(deal)]
        if deal.turn == CHANCE:
            words.append("the open card is dealt" if deal.first else "cards are dealt")
        return ", ".join(words)
