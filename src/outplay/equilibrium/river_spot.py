"""A spot of river poker as arrays, and the value of each hand at the end of the round.

At the end of the round hands are sorted by strength, so one pass is enough: a running sum holds the reach of all weaker
hands minus that of all stronger ones, and 52 others hold the same for the hands with each card. The value of a hand is
the first sum minus those of its two cards. That is O(n) for n hands instead of O(n²).

Start at `Spot` and `showdown_values`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.games.river_poker import RiverPoker
from outplay.poker.betting import NOBODY
from outplay.poker.cards import CARDS, HANDS


class Spot(NamedTuple):
    """The betting tree and both ranges, as kernels read them. Row p of an array [2, n] belongs to player p.

    The hands of a player are sorted by strength, the weakest first. Nodes and edges are those of `Betting`.
    """

    player: Any  # int64 [nodes]
    folded: Any  # int64 [nodes]
    stake: Any  # float64 [nodes]: at the end of the round, the chips that one player wins from the other
    first: Any  # int64 [nodes + 1]
    child: Any  # int64 [edges]
    size: Any  # int64 [2]: the number of hands of each player; what stands behind them means nothing
    hand: Any  # int64 [2, n]: the hands' numbers
    cards: Any  # int64 [2, n, 2]
    strength: Any  # int64 [2, n]
    twin: Any  # int64 [2, n]: the place of the same hand in the other player's row; -1 if it is not in that range
    weight: Any  # float64 [2, n]


def make_spot(game: RiverPoker) -> Spot:
    """Return the spot of a game."""
    betting = game.betting
    rows = [np.flatnonzero(weights) for weights in game.weights]
    rows = [row[np.argsort(game.strengths[row], kind="stable")] for row in rows]
    size = np.array([len(row) for row in rows])
    hand = np.zeros((2, size.max()), np.int64)
    twin = np.full((2, size.max()), -1)
    for player, row in enumerate(rows):
        hand[player, : len(row)] = row
        place = np.full(len(HANDS), -1)
        place[rows[1 - player]] = np.arange(size[1 - player])
        twin[player, : len(row)] = place[row]
    lost = np.where(betting.folded == 1, betting.paid[:, 1], betting.paid[:, 0])
    return Spot(
        player=betting.player, folded=betting.folded, stake=game.pot / 2 + lost, first=betting.first,
        child=betting.child, size=size, hand=hand, cards=HANDS[hand], strength=game.strengths[hand], twin=twin,
        weight=np.stack([game.weights[player][hand[player]] for player in (0, 1)]),
    )  # fmt: skip


def spread(spot: Spot, strategies: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn float64 [edges, n], by places in a `Spot`, into float64 [edges, 1326], by numbers of hands."""
    of_hands = np.full((len(strategies), len(HANDS)), np.nan)
    for edges, hands, size in _parts(spot):
        of_hands[np.ix_(edges, hands)] = strategies[edges, :size]
    return of_hands


def gathered(spot: Spot, strategies: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of `spread`."""
    of_cards = np.zeros((len(strategies), spot.weight.shape[1]))
    for edges, hands, size in _parts(spot):
        of_cards[edges, :size] = strategies[np.ix_(edges, hands)]
    return of_cards


def _parts(spot: Spot) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
    """Yield each player's edges, hands and number of hands."""
    mover = np.repeat(spot.player, np.diff(spot.first))
    for player in (0, 1):
        size = int(spot.size[player])
        yield np.flatnonzero(mover == player), spot.hand[player, :size], size


@kernel
def leaf_values(spot: Any, player: int, node: int, reach: Any, values: Any) -> None:
    """Set `values` to what each hand of `player` gets at the end of the round against hands with this `reach`."""
    stake = spot.stake[node]
    if spot.folded[node] == NOBODY:
        showdown_values(spot, player, reach, stake, values)
    else:
        fold_values(spot, player, reach, -stake if spot.folded[node] == player else stake, values)


@kernel
def fold_values(spot: Any, player: int, reach: Any, stake: float, values: Any) -> None:
    """Set values[h] to stake · reach of all hands of the other player that share no card with h, in O(n)."""
    cards, twin, theirs = spot.cards[player], spot.twin[player], spot.cards[1 - player]
    of_card, total = np.zeros(CARDS), 0.0
    for j in range(spot.size[1 - player]):
        total += reach[j]
        of_card[theirs[j, 0]] += reach[j]
        of_card[theirs[j, 1]] += reach[j]
    for i in range(spot.size[player]):
        shared = of_card[cards[i, 0]] + of_card[cards[i, 1]]
        same = reach[twin[i]] if twin[i] >= 0 else 0.0
        values[i] = stake * (total - shared + same)


@kernel
def showdown_values(spot: Any, player: int, reach: Any, stake: float, values: Any) -> None:
    """Set values[h] to stake · (reach of weaker hands − reach of stronger ones), if they share no card with h, in O(n).

    A running sum counts each hand of the other player −1 at first, 0 while it is as strong as h, and 1 once it is
    weaker; so do the sums of the hands with each card. The hand h itself counts 0 in all of them.
    """
    cards, theirs = spot.cards[player], spot.cards[1 - player]
    strength, their_strength = spot.strength[player], spot.strength[1 - player]
    size, their_size = spot.size[player], spot.size[1 - player]
    of_card, total = np.zeros(CARDS), 0.0
    for j in range(their_size):
        total -= reach[j]
        of_card[theirs[j, 0]] -= reach[j]
        of_card[theirs[j, 1]] -= reach[j]
    not_stronger, weaker = 0, 0  # the number of hands that count 0 or 1, and of those that count 1
    for i in range(size):
        while not_stronger < their_size and their_strength[not_stronger] <= strength[i]:
            total += reach[not_stronger]
            of_card[theirs[not_stronger, 0]] += reach[not_stronger]
            of_card[theirs[not_stronger, 1]] += reach[not_stronger]
            not_stronger += 1
        while weaker < not_stronger and their_strength[weaker] < strength[i]:
            total += reach[weaker]
            of_card[theirs[weaker, 0]] += reach[weaker]
            of_card[theirs[weaker, 1]] += reach[weaker]
            weaker += 1
        values[i] = stake * (total - of_card[cards[i, 0]] - of_card[cards[i, 1]])
