"""A match of two settings of Monte Carlo tree search, with the same time per move.

    python -m benchmarks match "hex(n=7)" rave=true "" --games 100 --seconds 0.1

With equal time, a match shows the strength of a setting. With `--simulations 1000`, each move takes that many
simulations, regardless of their cost: this shows the strength per simulation, and load on the machine does not matter.

All matches of the benchmarks are played by `outplay.arena`: each opening, some random moves, is played twice, so that
both sides have both seats. Only one game is played at a time, and only the player to move thinks. A draw is half a win
unless the match says otherwise.

Reading order: `Contest` (a match), `Tally` (its results), `Searching` (a player).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field, replace
from math import isfinite
from statistics import fmean, stdev
from typing import Any

import typer
from rich.table import Table

from benchmarks.common import Plan
from outplay import MCTS, Game, Limit
from outplay.arena import Match, Player, RandomOpenings, Round, Strength, Terms, strength
from outplay.arena.naming import PlayerSource
from outplay.cli.searchers import read_settings
from outplay.engine.searcher import Searcher
from outplay.montecarlo.answer import wilson
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import OutplayError
from outplay.session.load import load_game
from outplay.session.players import SearchPlayer

GAMES, QUICK_GAMES = 100, 4
SECONDS, QUICK_SECONDS = 0.1, 0.01
TERMS = Terms()
OPENING = 2
"""The number of random moves at the start of a game."""


@dataclass(frozen=True, eq=False)
class Searching:
    """A player by a search: its name in the table, a function from the game to the search, and its limit."""

    name: str
    search: Callable[[Game], Searcher]
    limit: Limit

    def __call__(self, game: Game) -> Player:
        """Make the player."""
        return SearchPlayer(self.search(game), self.limit)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Seated(Match):
    """A match in which the first player always has this seat."""

    _: KW_ONLY
    seat: int = 0

    @property
    def seat_orders(self) -> tuple[tuple[int, ...], ...]:
        """One order."""
        return ((self.seat, 1 - self.seat),)


@dataclass
class Tally:
    """The games won, drawn and lost by the first player, and what both spent; `draw` is the worth of a draw in wins."""

    draw: float = 0.5
    won: int = 0
    drawn: int = 0
    lost: int = 0
    moves: list[int] = field(default_factory=lambda: [0, 0])
    nodes: list[int] = field(default_factory=lambda: [0, 0])
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    pairs: list[int] = field(default_factory=lambda: [0, 0, 0, 0, 0])
    margins: list[float] = field(default_factory=list)
    """By round, the mean utility of the first player."""
    faults: list[str] = field(default_factory=list)
    """What players lost by what they did."""

    def add(self, round_: Round) -> None:
        """Count a round."""
        points, utilities = 0, round_.utilities()
        for first, second in utilities:
            self.won += first > second
            self.drawn += first == second
            self.lost += first < second
            points += 1 + (first > second) - (first < second)
        if len(utilities) == 2:
            self.pairs[points] += 1
        self.margins.append(fmean(first for first, _ in utilities))
        for order, record in zip(round_.orders, round_.records, strict=True):
            if record.guilty is not None:
                self.faults.append(f"{record.players[record.guilty]}: {record.reason}")
            for ply in record.plies:
                if ply.player >= 0:
                    player = order[ply.player]
                    self.moves[player] += 1
                    self.nodes[player] += ply.nodes or 0
                    self.seconds[player] += ply.seconds

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
    def strength(self) -> Strength | None:
        """The difference in Elo, if openings were played in pairs."""
        return strength(self.pairs) if any(self.pairs) else None

    @property
    def margin(self) -> tuple[float, float]:
        """The mean utility of the first player, and its standard error."""
        number = len(self.margins)
        return fmean(self.margins), stdev(self.margins) / number**0.5 if number > 1 else float("nan")

    @property
    def speeds(self) -> tuple[float, float]:
        """The nodes per second of both players."""
        first, second = (n / s if s else 0.0 for n, s in zip(self.nodes, self.seconds, strict=True))
        return first, second

    @property
    def times(self) -> tuple[float, float]:
        """The mean seconds per move of both players."""
        first, second = (s / n if n else 0.0 for n, s in zip(self.moves, self.seconds, strict=True))
        return first, second

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.share:.0%} ({low:.0%} to {high:.0%}) of {self.games} games"


@dataclass(frozen=True)
class Contest:
    """A match of the arena, and how it is shown.

    Attributes:
        match: the match; if it has a test, it ends as soon as that is decided.
        draw: the worth of a draw, as a fraction of a win.
        note: a remark for readers.
    """

    match: Match
    draw: float = 0.5
    note: str = ""

    def play(self) -> Iterator[Tally]:
        """Play all games and yield the results so far after each round."""
        tally, test = Tally(draw=self.draw), self.match.test
        with closing(self.match.run()) as rounds:
            for round_ in rounds:
                tally.add(round_)
                yield tally
                if test is not None and test.verdict(tally.pairs):
                    return

    def row(self, tally: Tally) -> dict[str, Any]:
        """The match and its results as plain values."""
        first, second = self.match.names
        notes = [self.note, *(f"{tally.faults.count(fault)} × {fault}" for fault in sorted(set(tally.faults)))]
        return {
            "game": repr(self.match.game),
            "first": first,
            "second": second,
            "won": tally.won,
            "drawn": tally.drawn,
            "lost": tally.lost,
            "share": tally.share,
            "interval": tally.interval,
            "elo": tally.strength and [finite(value) for value in tally.strength[:3]],
            "margin": [finite(value) for value in tally.margin],
            "nodes_per_second": tally.speeds,
            "seconds_per_move": tally.times,
            "note": "; ".join(filter(None, notes)),
        }


def contests(plan: Plan, words: Sequence[str]) -> list[Contest]:
    """The match named by the words after `match`: a game and two settings."""
    if len(words) != 3:
        raise typer.BadParameter(
            "after match, give a game and two settings, such as: match connect-four 'rave=true' ''"
            f" ('' is the default search); not {len(words)} words"
        )
    game = for_two(words[0])
    first, second = (settings(text) for text in words[1:])
    return [contest(plan, game, first, second)]


def contest(plan: Plan, game: Game, first: dict[str, Any], second: dict[str, Any], note: str = "") -> Contest:
    """The match of two settings, with the options of the plan."""
    usual = None if plan.simulations else QUICK_SECONDS if plan.quick else SECONDS
    limit = Limit(seconds=plan.seconds or usual, simulations=plan.simulations)
    players = mcts(game, first, limit), mcts(game, second, limit)
    return Contest(match_of(plan, game, players, (GAMES, QUICK_GAMES)), note=note)


def match_of(
    plan: Plan,
    game: Game,
    players: tuple[PlayerSource, PlayerSource],
    usual: tuple[int, int],
    terms: Terms = TERMS,
) -> Match:
    """A match from random openings; `usual`: the number of games, and that with --quick."""
    games = plan.games or usual[plan.quick]
    return Match(game, players, games=games, openings=RandomOpenings(OPENING), terms=terms, seed=0)


def seated(
    plan: Plan, game: Game, players: tuple[PlayerSource, PlayerSource], usual: tuple[int, int], seat: int
) -> Match:
    """A match from the initial state in which the first player always has this seat."""
    games = plan.games or usual[plan.quick]
    return Seated(game, players, games=games, openings=RandomOpenings(0), seat=seat)


def mcts(game: Game, options: dict[str, Any], limit: Limit) -> Searching:
    """Monte Carlo tree search with these options; one clear error if they are invalid."""
    try:
        search = MCTS(game, **options)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    name = ", ".join(f"{option}={value!r}" for option, value in options.items()) or "default"
    return Searching(name, lambda game: replace(search, game=game), limit)


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


def finite(value: float) -> float | None:
    """A number that JSON has; None for others."""
    return value if isfinite(value) else None


def number_text(value: float | None, form: str) -> str:
    """A number, or a dash if there is none."""
    return "–" if value is None else format(value, form)


def as_table(title: str, rows: list[dict[str, Any]], box: Any) -> Table:
    """The rows as a table."""
    table = Table(box=box)
    share = "share of the first"
    columns = (
        title,
        "first",
        "second",
        "won–drawn–lost",
        share,
        "95 %",
        "Elo",
        "points a game",
        "nodes/s",
        "ms a move",
    )
    for column in (*columns, "note"):
        table.add_column(column, justify="right" if column in (share, "nodes/s", "ms a move") else "left")
    for row in rows:
        low, high = row["interval"]
        elo = "{} ({} to {})".format(*(number_text(value, "+.0f") for value in row["elo"])) if row["elo"] else ""
        margin = f"{row['margin'][0]:+.2f} ± {number_text(row['margin'][1], '.2f')}"
        speeds = " : ".join(f"{speed:,.0f}" if speed else "–" for speed in row["nodes_per_second"])
        times = " : ".join(f"{1000 * seconds:,.0f}" for seconds in row["seconds_per_move"])
        record = f"{row['won']}–{row['drawn']}–{row['lost']}"
        cells = record, f"{row['share']:.0%}", f"{low:.0%} to {high:.0%}", elo, margin, speeds, times, row["note"]
        table.add_row(row["game"], row["first"], row["second"], *cells)
    return table
