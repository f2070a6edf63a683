"""Rock-paper-scissors: both show a hand at once; rock blunts scissors, scissors cut paper, paper wraps rock.

The only equilibrium is to show each hand with probability 1/3, and the value is 0.
"""

from outplay.compile.random_numbers import random_below
from outplay.rules.game import Game
from outplay.rules.simultaneous import NOBODY, choice, choose, next_chooser

NAMES = ("rock", "paper", "scissors")


class RockPaperScissors(Game):
    """Rock-paper-scissors, once: `rock`, `paper` or `scissors`. A state is what was chosen so far.

    >>> game = RockPaperScissors()
    >>> hands = game.result(game.initial_state(), game.parse_action(game.initial_state(), "rock"))
    >>> game.to_move(hands), game.information_text(hands, 0), game.information_text(hands, 1)
    (1, 'rock', 'to choose')
    >>> hands = game.result(hands, game.parse_action(hands, "paper"))
    >>> game.utility(hands, 0), game.utility(hands, 1)
    (-1, 1)
    """

    utilities = (-1, 1)

    def initial_state(self) -> int:
        return NOBODY

    def to_move(self, hands: int) -> int:
        return next_chooser(hands)

    def actions(self, hands: int) -> tuple[int, int, int]:
        return (0, 1, 2)

    def result(self, hands: int, hand: int) -> int:
        return choose(hands, next_chooser(hands), hand)

    def is_terminal(self, hands: int) -> bool:
        return next_chooser(hands) == 2

    def utility(self, hands: int, player: int) -> int:
        """Each hand beats the one before it, around the circle."""
        ahead = (choice(hands, player) - choice(hands, 1 - player)) % 3
        return 1 if ahead == 1 else -1 if ahead == 2 else 0

    def information(self, hands: int, player: int) -> tuple[int, int]:
        """The player's own hand, and whose turn it is."""
        return choice(hands, player), next_chooser(hands)

    def determinize(self, hands: int, player: int, random: object) -> int:
        """Lets the other hand be any of the three."""
        other = 1 - player
        if choice(hands, other) < 0:
            return hands
        guess = choose(NOBODY, other, random_below(random, 3))
        return choose(guess, player, choice(hands, player)) if choice(hands, player) >= 0 else guess

    def render(self, hands: int) -> str:
        return ", ".join(NAMES[choice(hands, player)] for player in range(next_chooser(hands))) or "nobody has chosen"

    def action_name(self, hands: int, hand: int) -> str:
        return NAMES[hand]

    def information_text(self, hands: int, player: int) -> str:
        return NAMES[choice(hands, player)] if choice(hands, player) >= 0 else "to choose"
