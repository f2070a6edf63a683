"""Pig: roll a die as often as you dare; a 1 costs the points of the turn.

In turn each player rolls the die, once or more. A 1 ends the turn and brings nothing; any other number is added to the
points of the turn. A player who holds adds them to their score and passes the die. The first player to reach the goal,
usually 100, wins. John Scarne described the game in 1945.

Two kinds of actions that are never better are left out: holding before the first roll, and rolling when holding wins.
So the number of states is finite; but play can go in circles, since everybody may roll a 1.

Published strategies, with a six-sided die and a goal of 100:

- Hold at 20 or more, where one more roll brings as much as it costs: 1/6 * 20 = 1/6 * (2 + 3 + 4 + 5 + 6).
- Keep pace and end race: roll for the goal if one of the scores is 71 or more, else hold at 21 plus an eighth of the
  points by which you are behind (Neller & Presser, "Practical Play of the Dice Game Pig", 2010).
- The best strategy, found by value iteration. The first player wins with probability 0.5306 (Neller & Presser, "Optimal
  Play of the Dice Game Pig", 2004).
"""

from typing import Any, NamedTuple

from outplay.games._parameters import whole_number
from outplay.rules.board import Picture, Piece, Place, in_row
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game

ROLL, HOLD = 0, 1
NAMES = ("roll", "hold")
BITS = 12
"""The number of bits of a score: enough for a goal of 1000 and the excess of the last roll."""


class Position(NamedTuple):
    """The scores, and the current turn."""

    scores: int  # 12 bits per player, player 0 in the lowest
    total: int  # the points of the turn
    turn: int
    rolling: bool  # whether the die is being rolled


class Pig(Game):
    """Pig for two players or more; at a chance node action 1, 2, … is what the die shows.

    >>> game = Pig()
    >>> position = game.initial_state()
    >>> for action in "roll", "6", "roll", "4", "hold", "roll", "3":
    ...     position = game.result(position, game.parse_action(position, action))
    >>> print(game.render(position))
    player 0   10
    player 1    0 + 3
    player 1 to move
    >>> game.state_text(position)
    '10-0 1+3'
    """

    utilities = (-1, 1)
    feature_names = ("score", "total")

    def __init__(self, goal: int = 100, sides: int = 6, players: int = 2) -> None:
        self.goal = whole_number("goal", goal, 2, 1000)
        self.sides = whole_number("sides", sides, 2, 60)
        self.players = whole_number("players", players, 2, 5)
        self.enough = sum(range(2, self.sides + 1))  # where a roll brings on average what it costs: 20 with six sides

    def initial_state(self) -> Position:
        return Position(0, 0, 0, False)

    def score(self, position: Position, player: int) -> int:
        """The score of `player`, without the points of this turn."""
        return position.scores >> BITS * player & (1 << BITS) - 1

    def to_move(self, position: Position) -> int:
        return CHANCE if position.rolling else position.turn

    def actions(self, position: Position) -> int:
        """A set of bits: 0 to roll, 1 to hold; for chance, the numbers 1, 2, … of the die."""
        if position.rolling:
            return (1 << self.sides + 1) - 2
        if position.total == 0:
            return 1 << ROLL
        return 1 << HOLD if self.wins(position) else 1 << ROLL | 1 << HOLD

    def wins(self, position: Position) -> bool:
        """Whether the player whose turn it is wins by holding."""
        return self.score(position, position.turn) + position.total >= self.goal

    def result(self, position: Position, action: int) -> Position:
        scores, total, turn, rolling = position
        if rolling and action > 1:
            return Position(scores, total + action, turn, False)
        if not rolling and action == ROLL:
            return Position(scores, total, turn, True)
        if not rolling:
            scores += total << BITS * turn
        return Position(scores, 0, (turn + 1) % self.players, False)

    def is_terminal(self, position: Position) -> bool:
        return self.score(position, (position.turn - 1) % self.players) >= self.goal

    def utility(self, position: Position, player: int) -> float:
        """The winner, who has just held, gets 1, and the others together lose 1."""
        return 1.0 if (player + 1) % self.players == position.turn else -1 / (self.players - 1)

    def probability(self, position: Position, action: int) -> float:
        return 1 / self.sides

    def evaluate(self, position: Position, player: int) -> float:
        """Compares what the players still need; the root mean square error against best play is 0.05.

        The chance of a player to win is their share in the sum of 1 / (points to go + 20)^2.5 over all players. The
        points of the turn count 0.8 each, and having the turn counts 4. The four numbers are fitted to the exact values
        of Pig with a goal of 100.
        """
        mine = others = 0.0
        for seat in range(self.players):
            need = self.goal - self.score(position, seat) + float(self.enough)
            if seat == position.turn:
                need -= 0.8 * position.total + self.enough / 5
            if seat == player:
                mine = need**-2.5
            else:
                others += need**-2.5
        return (mine - others / (self.players - 1)) / (mine + others)

    def order(self, position: Position, action: int) -> int:
        """Hold at 20."""
        return 1 if (action == HOLD) == (position.total >= self.enough) else 0

    def playout_action(self, position: Position, last: int, random: object) -> int:
        """Hold at 20, or where it wins."""
        return HOLD if position.total >= self.enough or self.wins(position) else ROLL

    def features(self, position: Position) -> tuple[int, int]:
        """The lead of the player whose turn it is over the best of the others; and the points of the turn."""
        others = 0
        for player in range(self.players):
            if player != position.turn:
                others = max(others, self.score(position, player))
        return self.score(position, position.turn) - others, position.total

    def render(self, position: Position) -> str:
        lines = [f"player {player} {self.score(position, player):4}" for player in range(self.players)]
        if self.is_terminal(position):
            return "\n".join([*lines, f"player {(position.turn - 1) % self.players} wins"])
        lines[position.turn] += f" + {position.total}"
        return "\n".join([*lines, f"player {position.turn} {'rolls the die' if position.rolling else 'to move'}"])

    def picture(self, position: Position) -> Picture:
        """The scores, and a die with the points of this turn, or with a question mark while it rolls."""
        places = [
            *in_row(range(self.players), shape="none", width=1.6, height=1.2, gap=0.2),
            Place("die", 0.0, 1.4, "none"),
        ]
        pieces: dict[Any, Piece] = {
            player: Piece(str(self.score(position, player)), player, "tile") for player in range(self.players)
        }
        labels = [(f"player {player}", 1.8 * player, -0.8) for player in range(self.players)]
        if self.is_terminal(position):
            return Picture(places[:-1], pieces, [f"player {(position.turn - 1) % self.players} wins"], labels)
        pieces["die"] = Piece("?" if position.rolling else f"+{position.total}", position.turn, "die")
        x = 1.8 * position.turn
        places[-1] = Place("die", x, 1.2, "none")
        text = f"player {position.turn} {'rolls the die' if position.rolling else 'to move'}"
        return Picture(places, pieces, [text, f"goal {self.goal}"], labels)

    def action_cells(self, position: Position, action: int) -> tuple[Any, ...]:
        """The die to roll it, the score to hold; none for what the die shows."""
        return () if position.rolling else ("die",) if action == ROLL else (position.turn,)

    def action_name(self, position: Position, action: int) -> str:
        return str(action) if position.rolling else NAMES[action]

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names, in lower or upper case, or by its first letter."""
        text = text.strip().lower()
        return super().parse_action(position, {"r": "roll", "h": "hold"}.get(text, text))

    def state_text(self, position: Position) -> str:
        """The scores, whose turn it is, and the points of the turn, such as 34-57 1+12; `roll` if the die rolls."""
        scores = "-".join(str(self.score(position, player)) for player in range(self.players))
        return f"{scores} {position.turn}+{position.total}{' roll' if position.rolling else ''}"

    def parse_state(self, text: str) -> Position:
        example = f"such as {'-'.join(['0'] * self.players)} 0+0: scores, whose turn it is, the points of the turn"
        words = text.split()
        if len(words) not in (2, 3) or words[2:] not in ([], ["roll"]):
            raise RulesError(f"{text!r}: not scores, turn and, while the die rolls, `roll`; {example}")
        numbers = [words[0].split("-"), words[1].split("+")]
        if [len(part) for part in numbers] != [self.players, 2] or not all(
            word.isascii() and word.isdigit() and len(word) < 9 for part in numbers for word in part
        ):
            raise RulesError(f"{text!r}: not a score for each of {self.players} players, a turn and a total; {example}")
        scores, (turn, total) = ([int(word) for word in part] for part in numbers)
        if turn >= self.players:
            raise RulesError(f"{text!r}: player {turn} cannot have the turn; the last player is {self.players - 1}")
        position = Position(
            sum(score << BITS * player for player, score in enumerate(scores)), total, turn, len(words) == 3
        )
        most = self.goal + self.sides - 1
        at_goal = [player for player, score in enumerate(scores) if score >= self.goal]
        if max(scores) > most or (at_goal and (at_goal != [(turn - 1) % self.players] or total or position.rolling)):
            raise RulesError(
                f"{text!r}: only a player who has just held, and wins, can have {self.goal} or more, at most {most}"
            )
        if total == 1 or scores[turn] + total > most or (position.rolling and self.wins(position)):
            raise RulesError(f"{text!r}: no turn of {self!r} has come to {total} points here")
        return position
