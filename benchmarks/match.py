"""A match of two settings of Monte Carlo tree search, with the same time per move.

    python -m benchmarks match "hex(n=7)" rave=true "" --games 100 --seconds 0.1

With equal time, a match shows the strength of a setting. With `--simulations 1000`, each move takes that many
simulations, regardless of their cost: this shows the strength per simulation, and load on the machine does not matter.

Reading order: `Side` (a player), `play` (one game), `Match` (many games), `Score` (the results).

Each opening, some random moves, is played twice, so that both sides have both colours. Only one game is played at a
time, and only the player to move thinks. A draw is half a win unless the match says otherwise.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import typer
from rich.table import Table

from benchmarks.common import Plan
from outplay import MCTS, Game, Limit, legal_actions
from outplay.cli.searchers import read_settings
from outplay.montecarlo.answer import wilson
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE
from outplay.rules.repetition import final, playable
from outplay.session.load import load_game

GAMES, QUICK_GAMES = 100, 4
SECONDS, QUICK_SECONDS = 0.1, 0.01
OPENING = 2
"""The number of random moves at the start of a game."""
MAX_MOVES = 2000
"""A longer game is a draw."""


class Player(Protocol):
    """A player of one game, who may remember earlier searches."""

    def choose(self, states: Sequence[Any]) -> tuple[int, int]:
        """An action in the last of `states`, which are all states so far, and the number of simulations it took."""


@dataclass(frozen=True)
class Side:
    """One side of a match: its name, a function from a seed to its player, and a function that compiles it."""

    name: str
    player: Callable[[int], Player]
    compile: Callable[[], object]


@dataclass(frozen=True)
class Thinker:
    """A player by Monte Carlo tree search."""

    search: MCTS
    limit: Limit

    def choose(self, states: Sequence[Any]) -> tuple[int, int]:
        """The choice of the search; the first action if there was no time for a simulation."""
        found = self.search.search(states[-1], self.limit, previous_states=states[:-1])
        if found.stopped == "interrupted":
            raise KeyboardInterrupt
        first = next(iter(playable(self.search.game, states)))
        return first if found.action is None else found.action, found.simulations or 0


def side(game: Game, options: dict[str, Any], limit: Limit) -> Side:
    """Monte Carlo tree search with these options; one clear error if they are invalid."""
    try:
        search = MCTS(game, **options)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return Side(
        name=", ".join(f"{option}={value!r}" for option, value in options.items()) or "default",
        player=lambda seed: Thinker(MCTS(game, **{"seed": seed, **options}), limit),
        compile=lambda: search.search(limit=Limit(simulations=2)),
    )


@dataclass
class Score:
    """Games won, drawn and lost by the first side, and what both spent; `draw` is the worth of a draw in wins."""

    draw: float = 0.5

    won: int = 0
    drawn: int = 0
    lost: int = 0
    moves: list[int] = field(default_factory=lambda: [0, 0])
    simulations: list[int] = field(default_factory=lambda: [0, 0])
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])

    @property
    def games(self) -> int:
        """The number of games."""
        return self.won + self.drawn + self.lost

    @property
    def share(self) -> float:
        """The share of wins."""
        return (self.won + self.draw * self.drawn) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the true share."""
        return wilson(self.won + self.draw * self.drawn, self.games)

    @property
    def speeds(self) -> tuple[float, float]:
        """The simulations per second of both sides."""
        first, second = (n / s if s else 0.0 for n, s in zip(self.simulations, self.seconds, strict=True))
        return first, second

    @property
    def times(self) -> tuple[float, float]:
        """The mean seconds per move of both sides."""
        first, second = (s / n if n else 0.0 for n, s in zip(self.moves, self.seconds, strict=True))
        return first, second

    def add(self, margin: float) -> None:
        """Count a game in which the first side got `margin` more than the other."""
        self.won += margin > 0
        self.drawn += margin == 0
        self.lost += margin < 0

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.share:.0%} ({low:.0%} to {high:.0%}) of {self.games} games"


def opening(game: Game, moves: int, dice: random.Random) -> list[Any]:
    """The states of an opening of `moves` random moves that do not end the game."""
    for _ in range(1000):
        states = [game.initial_state()]
        while len(states) <= moves and final(game, states) is None:
            states.append(game.result(states[-1], by_chance(game, states, dice)))
        if final(game, states) is None:
            return states
    raise typer.BadParameter(f"{game!r} ends within the {moves} random moves of an opening")


def by_chance(game: Game, states: Sequence[Any], dice: random.Random) -> int:
    """A random action, by its probability if chance is to move."""
    state = states[-1]
    if game.to_move(state) != CHANCE:
        return dice.choice(playable(game, states))
    actions = [int(action) for action in legal_actions(game, state)]
    return dice.choices(actions, [game.probability(state, action) for action in actions])[0]


def play(
    game: Game, states: list[Any], players: tuple[Player, Player], dice: random.Random, score: Score, swapped: bool
) -> tuple[float, ...]:
    """Play to the end and return the utilities. `score` gets the cost; `swapped`: the first side is player 1."""
    while (utilities := final(game, states)) is None:
        if len(states) > MAX_MOVES:
            return (0.0, 0.0)
        mover = int(game.to_move(states[-1]))
        if mover == CHANCE:
            action = by_chance(game, states, dice)
        else:
            began = time.perf_counter()
            action, simulations = players[mover].choose(states)
            score.seconds[mover ^ swapped] += time.perf_counter() - began
            score.simulations[mover ^ swapped] += simulations
            score.moves[mover ^ swapped] += 1
        states.append(game.result(states[-1], action))
    return utilities


@dataclass(frozen=True, kw_only=True)
class Match:
    """A match: two sides, a game, and the number of games.

    Attributes:
        game: the two-player game.
        first, second: the sides.
        games: the number of games.
        moves: the number of random moves in each opening.
        seats: the player number of the first side, by turns from game to game.
        draw: the worth of a draw, as a fraction of a win.
        note: a remark for readers.
    """

    game: Game
    first: Side
    second: Side
    games: int
    moves: int = OPENING
    seats: tuple[int, ...] = (0, 1)
    draw: float = 0.5
    note: str = ""

    def play(self) -> Iterator[Score]:
        """Play all games and yield the score after each."""
        self.first.compile(), self.second.compile()
        score = Score(draw=self.draw)
        for number in range(self.games):
            swapped = self.seats[number % len(self.seats)] == 1
            dice = random.Random(number // len(self.seats))
            players = self.first.player(number), self.second.player(number)
            states = opening(self.game, self.moves, dice)
            in_order = (players[1], players[0]) if swapped else players
            utilities = play(self.game, states, in_order, dice, score, swapped)
            score.add((utilities[0] - utilities[1]) * (-1 if swapped else 1))
            yield score

    def row(self, score: Score) -> dict[str, Any]:
        """The match and its score as plain values."""
        return {
            "game": repr(self.game),
            "first": self.first.name,
            "second": self.second.name,
            "won": score.won,
            "drawn": score.drawn,
            "lost": score.lost,
            "share": score.share,
            "interval": score.interval,
            "simulations_per_second": score.speeds,
            "seconds_per_move": score.times,
            "note": self.note,
        }


def matches(plan: Plan, words: Sequence[str]) -> list[Match]:
    """The match named by the words after `match`: a game and two settings."""
    if len(words) != 3:
        raise typer.BadParameter(
            "after match, give a game and two settings, such as: match connect-four 'rave=true' ''"
            f" ('' is the default search); not {len(words)} words"
        )
    game = for_two(words[0])
    first, second = (settings(text) for text in words[1:])
    return [match(plan, game, first, second)]


def match(plan: Plan, game: Game, first: dict[str, Any], second: dict[str, Any], **others: Any) -> Match:
    """The match of two settings, with the options of the plan."""
    usual = None if plan.simulations else QUICK_SECONDS if plan.quick else SECONDS
    limit = Limit(seconds=plan.seconds or usual, simulations=plan.simulations)
    return Match(
        game=game,
        first=side(game, first, limit),
        second=side(game, second, limit),
        games=plan.games or (QUICK_GAMES if plan.quick else GAMES),
        **others,
    )


def for_two(text: str) -> Game:
    """The game of this name, which must be for two opposed players."""
    try:
        game = load_game(text)
    except OutplayError as error:
        raise typer.BadParameter(str(error)) from None
    if game.players != 2 or not has_constant_sum(game):
        raise typer.BadParameter(
            f"{game!r} has {game.players} players; a match is for two players with opposed interests"
        )
    return game


def settings(text: str) -> dict[str, Any]:
    """Parse options of `MCTS` as the command line takes them after `--set`, separated by spaces.

    >>> settings("rave=true widening=(2,0.5)")
    {'rave': True, 'widening': (2, 0.5)}
    >>> settings("")
    {}
    """
    return read_settings(MCTS, text.split())


def as_table(title: str, rows: list[dict[str, Any]], box: Any) -> Table:
    """The rows as a table."""
    made = Table(box=box)
    share = "share of the first"
    for column in (title, "first", "second", "won–drawn–lost", share, "95 %", "simulations/s", "ms a move", "note"):
        made.add_column(column, justify="right" if column in (share, "simulations/s", "ms a move") else "left")
    for row in rows:
        low, high = row["interval"]
        speeds = " : ".join(f"{speed:,.0f}" if speed else "–" for speed in row["simulations_per_second"])
        times = " : ".join(f"{1000 * seconds:,.0f}" for seconds in row["seconds_per_move"])
        record = f"{row['won']}–{row['drawn']}–{row['lost']}"
        cells = record, f"{row['share']:.0%}", f"{low:.0%} to {high:.0%}", speeds, times, row["note"]
        made.add_row(row["game"], row["first"], row["second"], *cells)
    return made
