"""Matching pennies: both lay down a penny at once; player 0 wins if both show the same side, player 1 if not.

The only equilibrium is to show each side with probability 1/2, and the value is 0.
"""

from outplay.compile.random_numbers import random_below
from outplay.rules.game import Game
from outplay.rules.simultaneous import NOBODY, choice, choose, next_chooser

NAMES = ("heads", "tails")


class MatchingPennies(Game):
    """Matching pennies, once: `heads` or `tails`. A state is what was chosen so far.

    >>> game = MatchingPennies()
    >>> pennies = game.result(game.initial_state(), game.parse_action(game.initial_state(), "heads"))
    >>> game.to_move(pennies), game.information_text(pennies, 0), game.information_text(pennies, 1)
    (1, 'heads', 'to choose')
    >>> game.utility(game.result(pennies, game.parse_action(pennies, "heads")), 0)
    1
    """

    utilities = (-1, 1)

    def initial_state(self) -> int:
        return NOBODY

    def to_move(self, pennies: int) -> int:
        return next_chooser(pennies)

    def actions(self, pennies: int) -> tuple[int, int]:
        return (0, 1)

    def result(self, pennies: int, side: int) -> int:
        return choose(pennies, next_chooser(pennies), side)

    def is_terminal(self, pennies: int) -> bool:
        return next_chooser(pennies) == 2

    def utility(self, pennies: int, player: int) -> int:
        is_match = choice(pennies, 0) == choice(pennies, 1)
        return 1 if is_match == (player == 0) else -1

    def information(self, pennies: int, player: int) -> tuple[int, int]:
        """The player's own penny, and whose turn it is."""
        return choice(pennies, player), next_chooser(pennies)

    def determinize(self, pennies: int, player: int, random: object) -> int:
        """Lets the other penny show either side."""
        other = 1 - player
        if choice(pennies, other) < 0:
            return pennies
        guess = choose(NOBODY, other, random_below(random, 2))
        return choose(guess, player, choice(pennies, player)) if choice(pennies, player) >= 0 else guess

    def render(self, pennies: int) -> str:
        names = [NAMES[choice(pennies, player)] for player in range(next_chooser(pennies))]
        return ", ".join(names) or "nobody has chosen"

    def action_name(self, pennies: int, side: int) -> str:
        return NAMES[side]

    def information_text(self, pennies: int, player: int) -> str:
        return NAMES[choice(pennies, player)] if choice(pennies, player) >= 0 else "to choose"
