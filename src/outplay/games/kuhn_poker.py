"""Kuhn poker: one card each, one bet; the smallest game of poker with bluffs in it.

H. W. Kuhn ("A simplified two-person poker", 1950). Each player antes 1 and gets one card from a deck with one card more
than there are players. In turn they pass or bet 1. After a bet, each of the others may once pass, which gives up the
pot, or bet as well. Then the highest card among those who have bet, or of all if nobody has, takes the pot.

For two players the value for the first is -1/18, and Kuhn gives all equilibria: the first player bets a jack with a
probability a between 0 and 1/3, a king with 3a, and after pass-bet calls with a queen with a + 1/3. For three players
see Szafron, Gibson & Sturtevant ("A parameterized family of equilibrium profiles for three-player Kuhn poker", 2013).
"""

from typing import Any, NamedTuple

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import whole_number
from outplay.games._pictures import seen_by
from outplay.rules.bits import lowest
from outplay.rules.board import Picture, Piece, in_row
from outplay.rules.game import CHANCE, Game

PASS, BET = 0, 1
NAMES = ("pass", "bet")
RANKS = "9TJQK"
"""The deck consists of the last of these, one more than there are players; the king is always the highest card."""


class Deal(NamedTuple):
    """The cards, and what has been done."""

    cards: int  # 3 bits per player, player 0 in the lowest: the card + 1, or 0
    bets: int  # bit i: action number i after the deal was a bet
    plies: int  # the number of cards dealt and of actions since


class KuhnPoker(Game):
    """Kuhn poker for 2 to 4 players: one card each, `pass` or `bet`.

    At a chance node the actions are the cards, 0 for the lowest. Players know their card and what everybody has done.

    >>> game = KuhnPoker()
    >>> deal = game.initial_state()
    >>> for action in "K", "J", "pass", "bet":
    ...     deal = game.result(deal, game.parse_action(deal, action))
    >>> game.information_text(deal, 0), game.information_text(deal, 1)
    ('K, pass-bet', 'J, pass-bet')
    >>> deal = game.result(deal, game.parse_action(deal, "bet"))
    >>> game.utility(deal, 0)
    2.0
    """

    def __init__(self, players: int = 2) -> None:
        self.players = whole_number("players", players, 2, 4)
        self.utilities = (-2, 2 * (self.players - 1))
        self.deck = RANKS[-1 - self.players :]

    def initial_state(self) -> Deal:
        return Deal(0, 0, 0)

    def card(self, deal: Deal, player: int) -> int:
        """The card of `player`, 0 for the lowest; -1 before it is dealt."""
        return (deal.cards >> 3 * player & 7) - 1

    def dealt(self, deal: Deal) -> int:
        """The set of the cards that have been dealt."""
        cards_dealt = 0
        for player in range(min(deal.plies, self.players)):
            cards_dealt |= 1 << self.card(deal, player)
        return cards_dealt

    def to_move(self, deal: Deal) -> int:
        return CHANCE if deal.plies < self.players else deal.plies % self.players

    def actions(self, deal: Deal) -> int:
        """A set of bits: 0 to pass, 1 to bet; while cards are dealt, the remaining cards."""
        if deal.plies < self.players:
            return (1 << self.players + 1) - 1 & ~self.dealt(deal)
        return 1 << PASS | 1 << BET

    def result(self, deal: Deal, action: int) -> Deal:
        cards, bets, plies = deal
        if plies < self.players:
            return Deal(cards | action + 1 << 3 * plies, bets, plies + 1)
        return Deal(cards, bets | action << plies - self.players, plies + 1)

    def is_terminal(self, deal: Deal) -> bool:
        """Once all have passed, or all the others have answered the first bet."""
        first = lowest(deal.bets) if deal.bets else 0
        return deal.plies == 2 * self.players + first

    def has_bet(self, deal: Deal, player: int) -> bool:
        return deal.bets >> player & 1 == 1 or deal.bets >> player + self.players & 1 == 1

    def utility(self, deal: Deal, player: int) -> float:
        pot, winner, best = self.players, 0, -1
        for seat in range(self.players):
            bet = self.has_bet(deal, seat)
            pot += bet
            if (bet or deal.bets == 0) and self.card(deal, seat) > best:
                winner, best = seat, self.card(deal, seat)
        return float((pot if player == winner else 0) - 1 - self.has_bet(deal, player))

    def probability(self, deal: Deal, action: int) -> float:
        return 1 / (self.players + 1 - deal.plies)

    def information(self, deal: Deal, player: int) -> int:
        """The player's own card, the bets, and how far the game has come."""
        return (deal.bets << 4 | deal.plies) << 3 | deal.cards >> 3 * player & 7

    def determinize(self, deal: Deal, player: int, random: object) -> Deal:
        """Deals the cards of the others again; every deal allows the same actions."""
        dealt = min(deal.plies, self.players)
        left = (1 << self.players + 1) - 1
        cards = 0
        if player < dealt:
            left ^= 1 << self.card(deal, player)
            cards = deal.cards & 7 << 3 * player
        for seat in range(dealt):
            if seat != player:
                card = random_below(random, self.players + 1)
                while left >> card & 1 == 0:
                    card = random_below(random, self.players + 1)
                left ^= 1 << card
                cards |= card + 1 << 3 * seat
        return Deal(cards, deal.bets, deal.plies)

    def history(self, deal: Deal) -> str:
        """What was done after the deal, such as `pass-bet`."""
        return "-".join(NAMES[deal.bets >> i & 1] for i in range(deal.plies - self.players))

    def render(self, deal: Deal) -> str:
        cards = " ".join(self.deck[self.card(deal, player)] for player in range(min(deal.plies, self.players)))
        return f"cards: {cards or 'none yet'}\nbets: {self.history(deal) or 'none yet'}"

    def picture(self, deal: Deal) -> Picture:
        """The cards of all players, although each sees only their own."""
        places = in_row(range(self.players), shape="none", height=1.4, gap=1.0)
        dealt = range(min(deal.plies, self.players))
        cards: dict[Any, Piece] = {
            player: Piece(f"{self.deck[self.card(deal, player)]}♠", player, "card") for player in dealt
        }
        cards |= {player: Piece(shape="back") for player in range(len(dealt), self.players)}
        labels = [(f"player {player}", 2.0 * player, -1.0) for player in range(self.players)]
        bet = [f"bets: {self.history(deal) or 'none yet'}"]
        if self.is_terminal(deal):
            gains = " ".join(f"{self.utility(deal, player):+g}" for player in range(self.players))
            return Picture(places, cards, [*bet, f"the game is over: {gains}"], labels)
        mover = self.to_move(deal)
        return Picture(places, cards, [*bet, *([f"player {mover} to act"] if mover >= 0 else [])], labels)

    def seat_picture(self, deal: Deal, player: int) -> Picture:
        """The table as `player` sees it: the cards of the others lie face down."""
        others = [other for other in range(self.players) if other != player]
        return seen_by(self.picture(deal), others, self.information_text(deal, player))

    def action_cells(self, deal: Deal, action: int) -> tuple[int, ...]:
        """None: passes and bets are not on the table."""
        return ()

    def action_name(self, deal: Deal, action: int) -> str:
        return self.deck[action] if deal.plies < self.players else NAMES[action]

    def information_text(self, deal: Deal, player: int) -> str:
        """The card and what was done, such as `K, pass-bet`."""
        card = self.deck[self.card(deal, player)] if player < deal.plies else "no card yet"
        if deal.plies < self.players:
            return f"{card}, {deal.plies} of {self.players} cards dealt"
        return f"{card}, {self.history(deal)}" if deal.plies > self.players else card
