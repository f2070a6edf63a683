"""Heads-up river poker: the last round of betting in a hand of Texas hold'em, with five cards on the table.

Each player holds two cards that the opponent does not know, but both know the ranges: the weight of each of the 1,326
hands before the opponent's cards and those on the table are taken out. Chance deals both hands with the product of
their weights, if they share no card. Player 0 acts first. If nobody folds, both show their hands at the end, and the
best five cards of seven win; equal hands share the pot.

A utility is in chips, and the pot before the round counts as half each player's: the winner gets half of it plus what
the opponent has put in since, and the loser loses as much. So the game is zero-sum, and a player who gets half of the
pot has a utility of 0.

A state is the two hands and a node of the public betting tree, see `outplay.poker.betting`. The same tree is used by
`RiverSolver`, which computes an equilibrium for all hands at once; with small ranges the general solvers can be used
too.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import is_positive, switch, whole_number
from outplay.games._pictures import seen_by
from outplay.poker.betting import NOBODY, OVER, betting_tree
from outplay.poker.cards import HANDS, MASKS, card_name, hand_name, parse_cards, parse_hand
from outplay.poker.hands import category, strengths
from outplay.poker.ranges import parse_range
from outplay.rules.base import digest
from outplay.rules.board import Picture, Piece, in_row
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game

NONE = -1
"""Instead of a hand that is not dealt."""
FIRST, SECOND = -2, -1
"""Instead of a node: the hand of player 0, or of player 1, is to be dealt."""
FINE = 1 << 30
"""The number of different random numbers from 0 to 1."""


class Deal(NamedTuple):
    """Both hands, as numbers of `outplay.poker.cards`, and the node of the betting tree."""

    first: int
    second: int
    node: int


class RiverPoker(Game):
    """The river of heads-up hold'em.

    Args:
        board: the five cards on the table, such as "Ks9h6d3c2s".
        pot: chips in the pot.
        stack: chips that each player can still bet; if the stacks differ, the smaller one.
        bets: sizes of bets, as fractions of the pot.
        raises: sizes of raises, as fractions of the pot after calling; None: the same as `bets`.
        most_raises: the maximum number of bets and raises, including the first bet.
        all_in: whether betting the whole stack is always allowed where betting is.
        ranges: of player 0 and player 1: texts such as "AA, KQs, T9s:0.5, 22+, A2s+", or 1,326 weights. Hands that
            share a card with the board are left out.

    Raises `RulesError` for invalid arguments.

    >>> game = RiverPoker("Ks9h6d3c2s", ranges=("KK, 54s", "AK"))
    >>> print(game.render(game.parse_state("KhKd AhKc: check, bet 50")))
    board Ks 9h 6d 3c 2s, pot 150
    player 0: KhKd, three of a kind
    player 1: AhKc, pair
    check, bet 50; player 0 to act
    """

    def __init__(
        self,
        board: str = "Ks9h6d3c2s",
        pot: float = 100,
        stack: float = 100,
        *,
        bets: Sequence[float] = (0.5,),
        raises: Sequence[float] | None = None,
        most_raises: int = 3,
        all_in: bool = True,
        ranges: tuple[Any, Any] = ("KK, 99, 54s, QJs", "AK, KQs, JJ"),
    ) -> None:
        if not isinstance(board, str):
            raise RulesError(f"board={board!r}: board must be a text of 5 cards, such as 'Ks9h6d3c2s'")
        self.board = parse_cards(board, 5, "board")
        self.board_text = "".join(map(card_name, self.board))
        self.pot, self.stack = _chips("pot", pot), _chips("stack", stack)
        sizes = _sizes("bets", bets)
        self.betting = betting_tree(
            self.pot, self.stack, sizes, sizes if raises is None else _sizes("raises", raises),
            whole_number("most_raises", most_raises, 0, 20), all_in=switch("all_in", all_in),
        )  # fmt: skip
        most = self.pot / 2 + float(self.betting.paid.max())
        self.utilities = (-most, most)

        self.strengths = strengths(self.board)  # int64 [1326]; -1: shares a card with the board
        self.weights = _weights(ranges, self.strengths, board)  # float64 [2, 1326]
        self.ranges_mark = digest(self.weights.tobytes())  # identifies the ranges in files
        self.total = float(self.weights[0] @ rest_of(self.weights[1]))
        # The first hand, weighted by what is left for the second; then the second hand out of that.
        self.rest = rest_of(self.weights[1])  # float64 [1326]
        self.shares = self.weights[0] * self.rest / self.total  # float64 [1326]

        # Constants of the compiled code, read by the rules.
        self.masks = MASKS
        self.first_hands, self.second_hands = (np.flatnonzero(weights) for weights in self.weights)
        self.players_to_act, self.folded, self.paid = self.betting.player, self.betting.folded, self.betting.paid
        self.first_edges, self.children = self.betting.first, self.betting.child

    def initial_state(self) -> Deal:
        return Deal(NONE, NONE, FIRST)

    def to_move(self, deal: Deal) -> int:
        return CHANCE if deal.node < 0 else int(self.players_to_act[deal.node])

    def actions(self, deal: Deal) -> NDArray[np.int64]:
        """The numbers of hands if chance deals, otherwise those of edges, from 0."""
        if deal.node == FIRST:
            return self.first_hands.copy()
        if deal.node == SECOND:
            apart = self.masks[self.second_hands] & self.masks[deal.first] == 0
            return np.asarray(self.second_hands[apart])
        return np.arange(self.first_edges[deal.node + 1] - self.first_edges[deal.node])

    def result(self, deal: Deal, action: int) -> Deal:
        if deal.node == FIRST:
            return Deal(action, NONE, SECOND)
        if deal.node == SECOND:
            return Deal(deal.first, action, 0)
        return Deal(deal.first, deal.second, int(self.children[self.first_edges[deal.node] + action]))

    def is_terminal(self, deal: Deal) -> bool:
        return deal.node >= 0 and bool(self.players_to_act[deal.node] == OVER)

    def utility(self, deal: Deal, player: int) -> float:
        folded = self.folded[deal.node]
        if folded != NOBODY:
            lost = self.pot / 2 + self.paid[deal.node, folded]
            return float(-lost if folded == player else lost)
        won = self.pot / 2 + self.paid[deal.node, 0]
        ahead = self.strengths[deal.first] - self.strengths[deal.second]
        if ahead == 0:
            return 0.0
        return float(won if (ahead > 0) == (player == 0) else -won)

    def probability(self, deal: Deal, action: int) -> float:
        if deal.node == FIRST:
            return float(self.shares[action])
        return float(self.weights[1, action] / self.rest[deal.first])

    def information(self, deal: Deal, player: int) -> tuple[int, int]:
        """The player's hand, and the node of the betting tree, which contains all actions so far."""
        return deal.first if player == 0 else deal.second, deal.node

    def determinize(self, deal: Deal, player: int, random: Any) -> Deal:
        """Deals the other hand again, with its probability given the player's hand."""
        if player == 0 and deal.second != NONE:
            return Deal(deal.first, drawn(self, self.second_hands, 1, deal.first, random), deal.node)
        if player == 1 and deal.second != NONE:
            return Deal(drawn(self, self.first_hands, 0, deal.second, random), deal.second, deal.node)
        if player == 1 and deal.node == SECOND:
            return Deal(drawn(self, self.first_hands, 2, NONE, random), NONE, deal.node)
        return deal

    def render(self, deal: Deal) -> str:
        paid = self.paid[max(deal.node, 0)].sum()
        lines = [f"board {' '.join(map(card_name, self.board))}, pot {self.pot + paid:.10g}"]
        for player, hand in enumerate((deal.first, deal.second)):
            hand_text = "to be dealt" if hand == NONE else f"{hand_name(hand)}, {self.category(hand)}"
            lines.append(f"player {player}: {hand_text}")
        if deal.node >= 0:
            mover = self.players_to_act[deal.node]
            status = f"player {mover} to act"
            if mover == OVER:
                gains = [self.utility(deal, player) for player in (0, 1)]
                status = f"player {gains.index(max(gains))} wins {max(gains):.10g}" if any(gains) else "a tie"
            lines.append("; ".join(filter(None, [self.line(deal.node), status])))
        return "\n".join(lines)

    def picture(self, deal: Deal) -> Picture:
        """The board and both hands, although each player sees only their own."""
        places = [
            *in_row([("board", i) for i in range(5)], 0.0, 0.0, shape="none", height=1.4),
            *in_row([(0, 0), (0, 1)], 0.0, 2.4, shape="none", height=1.4),
            *in_row([(1, 0), (1, 1)], 3.0, 2.4, shape="none", height=1.4),
        ]
        pieces: dict[Any, Piece] = {("board", i): _card(card_name(card)) for i, card in enumerate(self.board)}
        for player, hand in enumerate((deal.first, deal.second)):
            name = "" if hand == NONE else hand_name(hand)
            for i in (0, 1):
                pieces[player, i] = _card(name[2 * i : 2 * i + 2]) if name else Piece(shape="back")
        labels = [("player 0", 0.5, 1.4), ("player 1", 3.5, 1.4)]
        return Picture(places, pieces, self.render(deal).splitlines(), labels)

    def seat_picture(self, deal: Deal, player: int) -> Picture:
        """The table as `player` sees it: the other hand lies face down."""
        return seen_by(self.picture(deal), [(1 - player, 0), (1 - player, 1)], self.information_text(deal, player))

    def action_cells(self, deal: Deal, action: int) -> tuple[int, ...]:
        """None: what players do is not on the table."""
        return ()

    def action_name(self, deal: Deal, action: int) -> str:
        if deal.node < 0:
            return hand_name(action)
        return str(self.betting.names[self.first_edges[deal.node] + action])

    def information_text(self, deal: Deal, player: int) -> str:
        hand = self.information(deal, player)[0]
        return ": ".join(filter(None, ["not dealt" if hand == NONE else hand_name(hand), self.line(deal.node)]))

    def state_text(self, deal: Deal) -> str:
        """The hands and what was done, such as AhKh QsQd: check, bet 50; a - for a hand that is not dealt."""
        hands = " ".join("-" if hand == NONE else hand_name(hand) for hand in (deal.first, deal.second))
        return ": ".join(filter(None, [hands, self.line(deal.node)]))

    def parse_state(self, text: str) -> Deal:
        hands, _, line = text.partition(":")
        words = hands.split()
        if len(words) != 2 or (words[0] == "-" and words[1] != "-") or ("-" in words and line.strip()):
            raise RulesError(
                f"{text!r}: two hands, and after a colon what was done, such as AhKh QsQd: check, bet 50; while hands"
                " are dealt, AhKh - or - -"
            )
        first, second = (NONE if word == "-" else parse_hand(word) for word in words)
        for player, hand in enumerate((first, second)):
            if hand != NONE and self.weights[player, hand] == 0:
                raise RulesError(f"{text!r}: {hand_name(hand)} is not in the range of player {player}, or on the board")
        if second == NONE:
            return Deal(first, second, FIRST if first == NONE else SECOND)
        if self.masks[first] & self.masks[second]:
            raise RulesError(f"{text!r}: both hands hold the same card")
        return Deal(first, second, self.node(line))

    def line(self, node: int) -> str:
        """What was done on the way to a node of the betting tree, such as "check, bet 50"."""
        names: list[str] = []
        while node > 0:
            edge = int(np.flatnonzero(self.children == node)[0])
            names.insert(0, self.betting.names[edge])
            node = int(self.betting.parent[node])
        return ", ".join(names)

    def node(self, line: str) -> int:
        """The node of the betting tree to which a line leads; `RulesError` if there is none.

        >>> game = RiverPoker()
        >>> game.line(game.node("check, bet 50"))
        'check, bet 50'
        """
        node = 0
        for name in filter(None, map(str.strip, line.split(","))):
            edges = range(self.first_edges[node], self.first_edges[node + 1])
            following = [int(self.children[edge]) for edge in edges if self.betting.names[edge] == name.lower()]
            if not following:
                legal = ", ".join(self.betting.names[edge] for edge in edges)
                place = f"after {self.line(node)!r}" if node else "at first"
                comes = f"the actions are {legal}" if legal else "the round is over"
                raise RulesError(f"{line.strip()!r}: {name!r} is not possible: {place} {comes}")
            node = following[0]
        return node

    def category(self, hand: int) -> str:
        """The category of a hand with the board, such as "two pair"."""
        return category(int(self.strengths[hand]))


def drawn(game: RiverPoker, hands: Any, player: int, beside: int, random: Any) -> int:
    """One of `hands`, by the weights of `player` given the other hand; for 2 by the chance of being dealt first."""
    total = 0.0
    for hand in hands:
        total += likelihood(game, player, hand, beside)
    left = random_below(random, FINE) / FINE * total
    last = hands[0]
    for hand in hands:
        chance = likelihood(game, player, hand, beside)
        if chance > 0:
            last = hand
            if left < chance:
                break
            left -= chance
    return int(last)


def likelihood(game: RiverPoker, player: int, hand: int, beside: int) -> float:
    """The weight by which `drawn` draws."""
    if player == 2:
        return float(game.shares[hand])
    return 0.0 if game.masks[hand] & game.masks[beside] else float(game.weights[player, hand])


def rest_of(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64 [1326]: for each hand, the sum of `weights`, float64 [1326], over hands that share no card with it.

    The sum of all, minus those with one card or the other, plus the hand itself, which was subtracted twice.
    """
    of_card = np.bincount(HANDS.ravel(), np.repeat(weights, 2), minlength=52)
    weights_left: NDArray[np.float64] = weights.sum() - of_card[HANDS].sum(axis=1) + weights
    return weights_left


def _chips(name: str, value: Any) -> float:
    if not is_positive(value) or value >= 1e12:
        raise RulesError(f"{name}={value!r}: {name} must be a number of chips, greater than 0 and less than 1e12")
    return float(value)


def _sizes(name: str, sizes: Any) -> tuple[float, ...]:
    if isinstance(sizes, str) or not isinstance(sizes, Sequence):
        raise RulesError(f"{name}={sizes!r}: {name} must be a tuple of fractions of the pot, such as (0.5, 1)")
    for size in sizes:
        if not is_positive(size) or size >= 1e6:
            raise RulesError(f"{name}={sizes!r}: {size!r} must be a fraction of the pot greater than 0, such as 0.5")
    return tuple(map(float, sizes))


def _weights(ranges: Any, on_board: NDArray[np.int64], board: str) -> NDArray[np.float64]:
    """float64 [2, 1326]: the weights of the hands that can be dealt."""
    if not isinstance(ranges, (tuple, list)) or len(ranges) != 2:
        raise RulesError(f'ranges={ranges!r}: ranges must be two, one for each player, such as ("AA, 54s", "KQ")')
    weights = np.zeros((2, len(HANDS)))
    for player, hand_range in enumerate(ranges):
        if isinstance(hand_range, str):
            try:
                weights[player] = parse_range(hand_range)
            except RulesError as error:
                raise RulesError(f"player {player}: {error}") from None
        else:
            weights[player] = _given(hand_range, player)
    weights[:, on_board < 0] = 0
    for player, hand_range in enumerate(ranges):
        if not weights[player].any():
            text = repr(hand_range) if isinstance(hand_range, str) else "of weights"
            raise RulesError(f"player {player}: the range {text} has no hand that is possible with the board {board}")
    others = [rest_of((weights[1 - player] > 0).astype(float)) for player in (0, 1)]
    weights *= np.array(others) > 0  # what shares a card with every hand of the other is never dealt
    if not weights.any():
        raise RulesError(f"ranges={ranges!r}: every hand of one shares a card with every hand of the other")
    return weights


def _given(hand_range: Any, player: int) -> NDArray[np.float64]:
    try:
        weights = np.array(hand_range, np.float64)
    except (TypeError, ValueError):
        weights = np.zeros(0)
    if weights.shape != (len(HANDS),) or not ((weights >= 0) & (weights < np.inf)).all():
        raise RulesError(f"player {player}: a range is a text such as 'AA, KQs', or 1,326 weights from 0 on")
    return weights


def _card(name: str) -> Piece:
    """A card such as Kh, with the sign of its suit."""
    return Piece(name[0] + dict(zip("shdc", "♠♥♦♣", strict=True))[name[1]], None, "card")
