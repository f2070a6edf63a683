"""Goofspiel: two players bid for prizes at the same time, with cards that each has once.

Both players hold the cards 1 to `cards`, and the prizes are worth 1 to `cards` points. In each round a prize is turned
up and both players lay a card face down. The higher card wins the prize; if they are equal nobody does. The cards are
discarded. The player with more points at the end wins. Merrill Flood invented the game in the 1930s; see Ross,
"Goofspiel: the game of pure strategy" (1971). The last round, without a choice, is played automatically.

With `shown=False` the bids are never turned up, and players only learn who has won (Lanctot, Lisý & Bowling, "Search in
imperfect information games using online Monte Carlo counterfactual regret minimization", 2014).
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import switch, whole_number
from outplay.games._pictures import seen_by
from outplay.rules.bits import squares
from outplay.rules.board import Picture, Piece, Place, in_row
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game
from outplay.rules.simultaneous import NOBODY, choice, choose, next_chooser

SUITS = "♠♥♦"
"""The suits of the cards of player 0, of player 1 and of the prizes."""
ORDERS = ("random", "descending", "ascending")
FINE = 1 << 30
"""The number of different random numbers."""


class Table(NamedTuple):
    """What was laid so far: 4 bits per round, the latest in the lowest."""

    prizes: int  # the prize of each round, from 1
    first: int  # the card that player 0 has bid in each round, from 1
    second: int  # the same for player 1
    rounds: int  # the number of rounds that are over
    chosen: int  # the bids of this round, face down


def cards_of(history: int) -> int:
    """The cards in `history`, as a set: bit i for card i."""
    cards = 0
    while history:
        cards |= 1 << (history & 15)
        history >>= 4
    return cards


def of_round(history: int, back: int) -> int:
    """The card that was laid `back` rounds before the latest."""
    return history >> 4 * back & 15


class Goofspiel(Game):
    """Goofspiel for two: `bid 3` lays the 3 face down, for the prize that is turned up.

    An action is a card; at a chance node it is the prize.

    `order`: the order of the prizes: "random", "descending" or "ascending". `shown`: whether bids are turned up after a
    round. `margin`: the utility is the difference in points, instead of who has won.

    >>> game = Goofspiel(4, order="descending")
    >>> table = game.initial_state()
    >>> for bid in "4", "1", "3":
    ...     table = game.result(table, game.parse_action(table, f"bid {bid}"))
    >>> game.information_text(table, 1)
    'prizes 4 3, bids 1, other 4'
    """

    def __init__(self, cards: int = 4, order: str = "random", shown: bool = True, margin: bool = False) -> None:
        self.cards = whole_number("cards", cards, 2, 13)
        if order not in ORDERS:
            raise RulesError(f"order={order!r}: order must be one of {', '.join(ORDERS)}")
        self.order_of_prizes = ORDERS.index(order)
        self.shown = switch("shown", shown)
        self.margin = switch("margin", margin)
        self.has_chance = self.order_of_prizes == 0
        self.all_cards = (2 << self.cards) - 2
        most = self.cards * (self.cards + 1) // 2 - 1  # the card 1 wins nothing
        self.utilities = (-most, most) if self.margin else (-1, 1)

    def initial_state(self) -> Table:
        return self.turned_up(0, 0, 0, 0)

    def turned_up(self, prizes: int, first: int, second: int, rounds: int) -> Table:
        """The table at the start of a round, with its prize unless chance turns it up; plays the last round."""
        if rounds == self.cards - 1:
            prizes = prizes << 4 | self.last(prizes)
            return Table(prizes, first << 4 | self.last(first), second << 4 | self.last(second), self.cards, NOBODY)
        if self.order_of_prizes == 1:
            prizes = prizes << 4 | self.cards - rounds
        elif self.order_of_prizes == 2:
            prizes = prizes << 4 | rounds + 1
        return Table(prizes, first, second, rounds, NOBODY)

    def last(self, history: int) -> int:
        """The only card that is left."""
        left = self.all_cards & ~cards_of(history)
        card = 0
        while left > 1:
            left >>= 1
            card += 1
        return card

    def awaits_prize(self, table: Table) -> bool:
        return table.prizes >> 4 * table.rounds == 0

    def to_move(self, table: Table) -> int:
        return CHANCE if self.awaits_prize(table) else next_chooser(table.chosen)

    def actions(self, table: Table) -> int:
        """A set of bits: the cards in hand, or the remaining prizes."""
        if self.awaits_prize(table):
            return self.all_cards & ~cards_of(table.prizes)
        return self.hand(table, next_chooser(table.chosen))

    def bids(self, table: Table, player: int) -> int:
        """The bids of a player in the rounds that are over."""
        return table.first if player == 0 else table.second

    def hand(self, table: Table, player: int) -> int:
        """The cards that a player has not bid in earlier rounds: bit i for card i."""
        return self.all_cards & ~cards_of(self.bids(table, player))

    def result(self, table: Table, action: int) -> Table:
        prizes, first, second, rounds, chosen = table
        if self.awaits_prize(table):
            return Table(prizes << 4 | action, first, second, rounds, NOBODY)
        chosen = choose(chosen, next_chooser(chosen), action)
        if next_chooser(chosen) < 2:
            return Table(prizes, first, second, rounds, chosen)
        return self.turned_up(prizes, first << 4 | choice(chosen, 0), second << 4 | choice(chosen, 1), rounds + 1)

    def is_terminal(self, table: Table) -> bool:
        return table.rounds == self.cards

    def lead(self, table: Table) -> int:
        """The points of player 0 minus those of player 1."""
        lead, ahead = 0, table.prizes >> (0 if self.is_full(table) else 4)
        for back in range(table.rounds):
            mine, other = of_round(table.first, back), of_round(table.second, back)
            lead += of_round(ahead, back) * ((mine > other) - (mine < other))
        return lead

    def is_full(self, table: Table) -> bool:
        """Whether no prize is open."""
        return self.awaits_prize(table) or table.rounds == self.cards

    def utility(self, table: Table, player: int) -> int:
        lead = self.lead(table) if player == 0 else -self.lead(table)
        return lead if self.margin else (lead > 0) - (lead < 0)

    def probability(self, table: Table, action: int) -> float:
        return 1 / (self.cards - table.rounds)

    def winners(self, table: Table) -> int:
        """The winner of each round, 2 bits per round: 1 for player 0, 2 for player 1, 3 for nobody."""
        best_players = 0
        for back in range(table.rounds):
            mine, other = of_round(table.first, back), of_round(table.second, back)
            best_players |= (1 if mine > other else 2 if mine < other else 3) << 2 * back
        return best_players

    def information(self, table: Table, player: int) -> tuple[int, int, int, int]:
        """The prizes; the player's bids; the opponent's, or who has won; the player's choice and whose turn it is."""
        seen_bids = self.bids(table, 1 - player) if self.shown else self.winners(table)
        now = choice(table.chosen, player) + 1 << 2 | next_chooser(table.chosen)
        return table.prizes, self.bids(table, player), seen_bids, now

    def determinize(self, table: Table, player: int, random: object) -> Table:
        """Draws bids of the opponent that give the same winners, and then any card of the remaining hand."""
        other = 1 - player
        bids = self.bids(table, other) if self.shown else self.likely_bids(table, player, random)
        chosen = table.chosen
        if choice(chosen, other) >= 0:
            hand = self.all_cards & ~cards_of(bids)
            card = 1 + random_below(random, self.cards)
            while hand >> card & 1 == 0:
                card = 1 + random_below(random, self.cards)
            chosen = choose(NOBODY, other, card)
            if choice(table.chosen, player) >= 0:
                chosen = choose(chosen, player, choice(table.chosen, player))
        first, second = (table.first, bids) if player == 0 else (bids, table.second)
        return Table(table.prizes, first, second, table.rounds, chosen)

    def likely_bids(self, table: Table, player: int, random: object) -> int:
        """Bids of the opponent with which `player` would have won the same rounds; all such are equally likely.

        Cards are assigned to rounds from the highest to the lowest. A round that the opponent has lost against card c
        takes a card below c: it opens after c was assigned. A round that the opponent has won takes a card above c:
        some cards are put aside, and at c one of those is chosen for it. `ways[card, open, aside]` is the number of
        ways to assign the cards up to this one then: float64 [cards + 1, rounds + 2, rounds + 2].
        """
        # 1. For each of the player's cards: how many rounds back it was bid; -1 if it was not
        size, most = self.cards, table.rounds + 1
        back_of = np.full(size + 1, -1)
        mine, theirs = self.bids(table, player), self.bids(table, 1 - player)
        for back in range(table.rounds):
            back_of[of_round(mine, back)] = back

        # 2. Count from the lowest card
        ways = np.zeros((size + 1, most + 1, most + 1))
        ways[0, 0, 0] = 1.0
        for card in range(1, size + 1):
            back = back_of[card]
            difference = of_round(theirs, back) - card if back >= 0 else 0
            for opened in range(most):
                for aside in range(most):
                    ways[card, opened, aside] = self.ways_from(ways, card, opened, aside, back, difference)

        # 3. Assign the cards from the highest, each way in proportion to the number of ways to continue
        bids, opened, aside = 0, 0, 0
        lost = np.zeros(most, np.int64)  # the rounds that are open
        kept = np.zeros(most, np.int64)  # the cards that are put aside
        for card in range(size, 0, -1):
            back = back_of[card]
            difference = of_round(theirs, back) - card if back >= 0 else 0
            if back >= 0 and difference > 0:
                place = random_below(random, aside)
                bids |= kept[place] << 4 * back
                aside -= 1
                kept[place] = kept[aside]
            if back >= 0 and difference == 0:
                bids |= card << 4 * back
                continue
            after = opened + (1 if difference < 0 else 0)
            unused = ways[card - 1, after, aside]
            put_aside = ways[card - 1, after, aside + 1]
            given = opened * ways[card - 1, max(after - 1, 0), aside]
            drawn = (random_below(random, FINE) + 0.5) / FINE * (unused + put_aside + given)
            if drawn < given:
                place = random_below(random, opened)
                bids |= card << 4 * lost[place]
                opened -= 1
                lost[place] = lost[opened]
            elif drawn < given + put_aside:
                kept[aside] = card
                aside += 1
            if difference < 0:
                lost[opened] = back
                opened += 1
        return int(bids)

    def ways_from(
        self, ways: NDArray[np.float64], card: int, opened: int, aside: int, back: int, difference: int
    ) -> float:
        """`ways[card, opened, aside]` from those of the card below."""
        times = 1.0
        if back >= 0 and difference > 0:
            times = float(aside)
            aside -= 1
        if aside < 0:
            return 0.0
        if back >= 0 and difference == 0:
            return float(times * ways[card - 1, opened, aside])
        after = opened + (1 if difference < 0 else 0)
        given = opened * ways[card - 1, max(after - 1, 0), aside]
        return float(times * (ways[card - 1, after, aside] + ways[card - 1, after, aside + 1] + given))

    def texts(self, history: int) -> str:
        """The cards of a history, the oldest first."""
        return " ".join(str(history >> place & 15) for place in range(history.bit_length() - 1 & ~3, -1, -4))

    def render(self, table: Table) -> str:
        lead = self.lead(table)
        lines = [f"prizes: {self.texts(table.prizes)}"]
        for player in (0, 1):
            laid = choice(table.chosen, player)
            face_down = f" ({laid})" if laid >= 0 else ""
            lines.append(f"player {player}: {self.texts(self.bids(table, player))}{face_down}")
        return "\n".join([*lines, f"player 0 is {abs(lead)} {'behind' if lead < 0 else 'ahead'}"])

    def picture(self, table: Table) -> Picture:
        """All cards, also those laid face down: hands, (player, card); bids; and prizes, ("prize", card)."""
        pieces: dict[Any, Piece] = {}
        places: list[Place] = []
        labels = []
        for player, y, bids_y in (1, 0.0, 1.5), (0, 6.0, 4.5):
            suit = SUITS[player]
            places += in_row([(player, card) for card in range(1, self.cards + 1)], 0.0, y, shape="none", height=1.4)
            hand = self.hand(table, player) if table.rounds < self.cards else 0
            laid = choice(table.chosen, player)
            pieces |= {(player, card): Piece(f"{card}{suit}", player, "card") for card in squares(hand) if card != laid}
            bids = [int(card) for card in self.texts(self.bids(table, player)).split()]
            places += in_row([("bid", player, i) for i in range(self.cards)], 0.0, bids_y, shape="none", height=1.4)
            bids += [laid] * (laid >= 0)
            pieces |= {("bid", player, i): Piece(f"{card}{suit}", player, "card") for i, card in enumerate(bids)}
            labels += [(f"player {player}", -1.3, y), (f"bids of {player}", -1.3, bids_y)]
        prizes = [int(card) for card in self.texts(table.prizes).split()]
        places += in_row([("prize", i) for i in range(self.cards)], 0.0, 3.0, shape="none", height=1.4)
        pieces |= {("prize", i): Piece(f"{card}{SUITS[2]}", None, "card") for i, card in enumerate(prizes)}
        lead = self.lead(table)
        text = [f"player 0 is {abs(lead)} {'behind' if lead < 0 else 'ahead'}"]
        if self.is_terminal(table):
            text.append("the game is over")
        elif not self.awaits_prize(table):
            text.append(f"player {next_chooser(table.chosen)} to bid")
        return Picture(places, pieces, text, [*labels, ("prizes", -1.3, 3.0)])

    def seat_picture(self, table: Table, player: int) -> Picture:
        """The table as `player` sees it: the other's card of this round lies face down, and so do all of the other's
        bids unless they are shown. What is left in the other hand is seen only if it is known.
        """
        other, board = 1 - player, self.picture(table)
        pieces = dict(board.pieces)
        laid = choice(table.chosen, other)
        if not self.shown:
            pieces = {cell: piece for cell, piece in pieces.items() if not isinstance(cell, tuple) or cell[0] != other}
        elif laid >= 0:
            pieces[other, laid] = Piece(f"{laid}{SUITS[other]}", other, "card")
        hidden = [("bid", other, i) for i in range(table.rounds if self.shown else 0, self.cards)]
        return seen_by(replace(board, pieces=pieces), hidden, self.information_text(table, player))

    def action_cells(self, table: Table, action: int) -> tuple[Any, ...]:
        """The card in the hand; none for a prize."""
        return () if self.awaits_prize(table) else ((next_chooser(table.chosen), int(action)),)

    def action_name(self, table: Table, action: int) -> str:
        return f"prize {action}" if self.awaits_prize(table) else f"bid {action}"

    def information_text(self, table: Table, player: int) -> str:
        """The prizes, the player's own bids, and what was seen of the opponent."""
        words = [f"prizes {self.texts(table.prizes)}" if table.prizes else "no prize yet"]
        if table.rounds:
            winners = self.winners(table)
            marks = "?+-=" if player == 0 else "?-+="
            won = "".join(marks[winners >> 2 * back & 3] for back in reversed(range(table.rounds)))
            bids_text = f"other {self.texts(self.bids(table, 1 - player))}" if self.shown else won
            words += [f"bids {self.texts(self.bids(table, player))}", bids_text]
        if self.awaits_prize(table) and table.prizes:
            words.append("the next prize is turned up")
        if choice(table.chosen, player) >= 0:
            words.append(f"now {choice(table.chosen, player)}")
        return ", ".join(words)
