"""What games of equal players say about a game: figures with intervals of 95%, and what each of them means.

Games of a round have the same luck, so they are counted together where that matters. Start at `BalanceReport`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

import numpy as np

from outplay.arena.balance import Balance, Observed, Pair, width
from outplay.arena.climb import first_score
from outplay.arena.contest import Round
from outplay.arena.ladder_score import LadderResult, LadderScore, in_words
from outplay.arena.referee import GameRecord
from outplay.arena.strengths import mean_of
from outplay.engine.analysis import Analysis
from outplay.montecarlo.answer import wilson
from outplay.rules.constant_sum import draw_utility, has_constant_sum
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.value_text import value_words

DECIDED, BEHIND, AHEAD = 0.8, 0.5, 0.2
"""How far on the way from a draw to a win the value of a decided game is at least, that of a player who is far behind,
and that of one who leads."""


class Figure(NamedTuple):
    """A number with its interval of 95%.

    Attributes:
        name: what it is called.
        value: the number.
        low, high: the interval.
        percent: whether it is a share.
        meaning: what it means, in one line.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    percent: bool
    meaning: str

    def text(self) -> str:
        """The number and its interval.

        >>> Figure("draws", 0.25, 0.1, 0.4, True, "").text(), Figure("length", 30.5, None, None, False, "").text()
        ('25% (10 to 40)', '30.5')
        """
        ends = f" ({self.spread(' to ')})" if self.spread() else ""
        return self.number(self.value) + f"{'%' * self.percent}{ends}"

    def short(self) -> str:
        """The same in a cell of a table: 25% 10…40."""
        return f"{self.number(self.value)}{'%' * self.percent} {self.spread()}".rstrip()

    def number(self, value: float) -> str:
        """The number, or an end of its interval, without a sign for per cent."""
        return f"{100 * value:.0f}" if self.percent else f"{value:.3g}"

    def spread(self, between: str = "…") -> str:
        """The interval, if it has one."""
        if self.low is None or self.high is None:
            return ""
        return f"{self.number(self.low)}{between}{self.number(self.high)}"


FEW = 5
"""With fewer independent numbers, a mean has no interval."""
MEANINGS = {
    "first": "share of the points of whoever moves first; 50% is even",
    "drawn": "share of games that nobody won",
    "length": "moves of a game",
    "branching": "legal actions at a decision; what a player has to choose from",
    "forced": "share of moves without a choice: one legal action",
    "decided": "share of won games in which the winner was all but sure to win from the first half of the game on",
    "dead": "share of a won game that is played on after it is decided",
    "comebacks": "share of won games whose winner was far behind before; the drama",
    "leads": "how often the lead changes in a game",
    "matters": "share of decisions at which the best action is clearly better than the median one: skill has a say",
    "good": "actions at a decision that are about as good as the best one",
    "luck": "share of the result that luck explains: how alike games with the same luck and other choices end",
}
TITLES = {
    "first": "first player", "drawn": "draws", "length": "length", "branching": "branching", "forced": "forced moves",
    "decided": "decided early", "dead": "played on", "comebacks": "comebacks", "leads": "lead changes",
    "matters": "real choices", "good": "good actions", "luck": "luck",
}  # fmt: skip


SHARES = {"first", "drawn", "forced", "decided", "dead", "comebacks", "matters", "luck"}
"""What is shown in per cent."""
Estimate = tuple[float, float | None, float | None]
"""A value and its interval."""
Nothing = tuple[None, None, None]
"""No value."""


@dataclass(frozen=True)
class StrengthReport:
    """The figures of one strength.

    Attributes:
        name: the strength.
        games: the number of games.
        figures: by key; those of which nothing is known are left out.
        seats: the mean utility of each seat, with its interval.
        wins: for each seat, in what share of games nobody had more, and somebody less.
        lengths: the length of each game, in moves.
        quantiles: the lengths below which 5%, 50% and 95% of the games are.
        widths: the mean number of legal actions at each move of the game, as long as a quarter of the games last.
        decisions: at which share of the game each won game was decided; 1 if only its end decided it.
        seconds_a_move: the mean time of a move.
    """

    name: str
    games: int
    figures: dict[str, Figure]
    seats: tuple[Figure, ...]
    wins: tuple[float, ...]
    lengths: tuple[int, ...]
    quantiles: tuple[float, float, float]
    widths: tuple[float, ...]
    decisions: tuple[float, ...]
    seconds_a_move: float


@dataclass(frozen=True)
class BalanceReport:
    """What a study of balance says.

    Attributes:
        game: the game.
        strengths: the figures of each strength that has played.
        ladder: what the ladder of the strengths says; None without one.
        seconds: how long the study took.
        interrupted: whether it was stopped before its end.
        solved: the exact value of the game, if it is known, see `outplay.arena.balance.perfect_play`.
    """

    game: Game
    strengths: tuple[StrengthReport, ...]
    ladder: LadderResult | None
    seconds: float = 0.0
    interrupted: bool = False
    solved: Analysis | None = None

    @classmethod
    def of(
        cls,
        study: Balance,
        rounds: Iterable[Pair | Round],
        seconds: float = 0.0,
        interrupted: bool = False,
        solved: Analysis | None = None,
    ) -> "BalanceReport":
        """The report of the rounds of a study. Raises `OutplayError` if there is no game."""
        by_strength: list[list[Pair]] = [[] for _ in study.players]
        score = LadderScore(study.ladder) if study.ladder else None
        for round_ in rounds:
            if isinstance(round_, Pair):
                by_strength[round_.strength].append(round_)
            elif score is not None:
                score.add(round_)
        reports = [
            strength_report(study.game, study.names[place], pairs) for place, pairs in enumerate(by_strength) if pairs
        ]
        if not reports:
            raise OutplayError("no game is over")
        ladder = score.result() if score is not None and score.played else None
        return cls(study.game, tuple(reports), ladder, seconds, interrupted, solved)

    @property
    def top(self) -> StrengthReport:
        """The strongest players with at least half as many games as others."""
        most = max(strength.games for strength in self.strengths)
        return [strength for strength in self.strengths if 2 * strength.games >= most][-1]

    def conclusions(self) -> list[str]:
        """What it comes to, as lines of text."""
        top, lines = self.top, []
        if self.solved is not None:
            lines.append(in_perfect_play(self.solved))
        if (first := top.figures.get("first")) and first.low is not None and first.high is not None:
            side = "first" if first.low > 0.5 else "second" if first.high < 0.5 else ""
            advantage = f"the {side} player has the advantage" if side else "no advantage of either player is certain"
            lines.append(f"between the strongest players ({top.name}), {advantage}: the first scores {first.text()}")
        elif not first:
            seats = ", ".join(f"{seat.name} {seat.text()}" for seat in top.seats)
            lines.append(f"mean utility between the strongest players ({top.name}): {seats}")
        parts = [
            f"{TITLES[key]} {top.figures[key].text()}" for key in ("drawn", "decided", "luck") if key in top.figures
        ]
        if parts:
            lines.append("; ".join(parts))
        if self.ladder is not None:
            for gain, rung in zip(self.ladder.gains, self.ladder.rungs[1:], strict=True):
                lines.append(f"{rung.name} is worth {in_words(gain)} more than the strength below")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        return {
            "game": repr(self.game),
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
            "solved": None if self.solved is None else self.solved.as_dict(),
            "strengths": [
                {
                    "name": strength.name,
                    "games": strength.games,
                    "figures": {
                        key: {"value": figure.value, "low": figure.low, "high": figure.high, "meaning": figure.meaning}
                        for key, figure in strength.figures.items()
                    },
                    "seats": [{"value": seat.value, "low": seat.low, "high": seat.high} for seat in strength.seats],
                    "wins": list(strength.wins),
                    "length_quantiles": list(strength.quantiles),
                    "branching_by_move": [round(width, 3) for width in strength.widths],
                    "seconds_a_move": strength.seconds_a_move,
                }
                for strength in self.strengths
            ],
            "ladder": None if self.ladder is None else self.ladder.as_dict(),
        }


def in_perfect_play(solved: Analysis) -> str:
    """What the exact value of a game means for its first player.

    >>> from outplay import AlphaBeta
    >>> from outplay.games import Nim, TicTacToe
    >>> in_perfect_play(AlphaBeta(Nim((1, 2))).search())
    'in perfect play, the first player wins (exact, by AlphaBeta)'
    >>> in_perfect_play(AlphaBeta(TicTacToe()).search())
    'in perfect play, it is a draw (exact, by AlphaBeta)'
    """
    result = value_words(solved.game, solved.values[0], True, None)
    words = {"win": "the first player wins", "loss": "the second player wins", "draw": "it is a draw"}
    result_text = words.get(result, f"the first player gets {result}")
    return f"in perfect play, {result_text} (exact, by {solved.method})"


def strength_report(game: Game, name: str, pairs: Sequence[Pair]) -> StrengthReport:
    """The figures of the games of one strength."""
    games = [entry for pair in pairs for entry in pair.games]
    records = [entry.record for entry in games]
    lucky = game.has_chance or game.hidden_information
    shared = 2 if lucky else 1  # how many games count as one
    figures: dict[str, Figure] = {}

    def add(key: str, estimate: Estimate | Nothing) -> None:
        value, low, high = estimate
        if value is None:
            return
        if key != "luck":
            low, high = within(low, high, 0.0, 1.0 if key in SHARES else math.inf)
        figures[key] = Figure(TITLES[key], value, low, high, key in SHARES, MEANINGS[key])

    opposed = game.players == 2 and has_constant_sum(game)
    if opposed:
        add("first", first_score(pairs))
        add("drawn", mean_of_flags([record.utilities[0] == record.utilities[1] for record in records], shared))
    lengths = [moves(record) for record in records]
    add("length", mean([[moves(entry.record) for entry in pair.games] for pair in pairs]))
    if any(entry.choices for entry in games):
        add("branching", mean([[fmean(entry.choices)] for entry in games if entry.choices]))
        add("forced", mean([[fmean(count == 1 for count in entry.choices)] for entry in games if entry.choices]))
    decisions: list[float] = []
    if opposed:
        decisions = _add_course(game, records, shared, add)
    spreads = [entry.spread for entry in games if entry.spread is not None]
    if spreads:
        add("matters", mean_of_flags([entry.clear for entry in spreads], 1))
        add("good", mean([[entry.good] for entry in spreads]))
    if lucky:
        add("luck", pair_correlation([[entry.record.utilities[0] for entry in pair.games] for pair in pairs]))
    seats = tuple(seat_figure(game, seat, pairs) for seat in range(game.players))
    wins = tuple(
        fmean(record.utilities[seat] == max(record.utilities) > min(record.utilities) for record in records)
        for seat in range(game.players)
    )
    own = [ply.seconds for record in records for ply in record.plies if ply.player != CHANCE]
    low, middle, high = (float(quantile) for quantile in np.quantile(lengths, (0.05, 0.5, 0.95)))
    return StrengthReport(
        name, len(games), figures, seats, wins, tuple(lengths), (low, middle, high), widths_of(games), tuple(decisions),
        fmean(own) if own else 0.0,
    )  # fmt: skip


def seat_figure(game: Game, seat: int, pairs: Sequence[Pair]) -> Figure:
    """The mean utility of a seat."""
    value, low, high = mean([[entry.record.utilities[seat] for entry in pair.games] for pair in pairs])
    least, greatest = game.utilities or (-math.inf, math.inf)
    return Figure(f"player {seat}", value, *within(low, high, least, greatest), False, "mean utility")


def within(low: float | None, high: float | None, least: float, greatest: float) -> tuple[float | None, float | None]:
    """An interval, less what is impossible."""
    return (None, None) if low is None or high is None else (max(low, least), min(high, greatest))


def _add_course(game: Game, records: Sequence[GameRecord], shared: int, add: Any) -> list[float]:
    """The figures of how games went, by what the players thought; when won games were decided."""
    won = [record for record in records if record.utilities[0] != record.utilities[1]]
    courses = [(record, course(game, record)) for record in won]
    with_values = [(record, values) for record, values in courses if values]
    if not with_values:
        return []
    decisions = [decided(values, winner(record)) / max(1, len(record.plies)) for record, values in with_values]
    add("decided", mean_of_flags([decision <= 0.5 for decision in decisions], shared))
    add("dead", mean([[1 - decision] for decision in decisions]))
    add("comebacks", mean_of_flags([was_far_behind(values, winner(record)) for record, values in with_values], shared))
    all_courses = [values for record in records if (values := course(game, record))]
    add("leads", mean([[lead_changes(values)] for values in all_courses]))
    return decisions


def moves(record: GameRecord) -> int:
    """The moves of a game: of the opening, and of the players after it."""
    return len(record.opening) + sum(ply.player != CHANCE for ply in record.plies)


def winner(record: GameRecord) -> int:
    """1 if player 0 has won, else -1."""
    return 1 if record.utilities[0] > record.utilities[1] else -1


def course(game: Game, record: GameRecord) -> list[tuple[int, float]]:
    """What the players thought of the game at each ply that has a value: from -1, a loss of player 0, to 1."""
    level, half = draw_utility(game), width(game) / 2
    values = []
    for place, ply in enumerate(record.plies):
        if ply.value is not None and ply.player != CHANCE:
            first_value = (ply.value - level) / half * (1 if ply.player == 0 else -1)
            values.append((place, min(1.0, max(-1.0, first_value))))
    return values


def decided(values: Sequence[tuple[int, float]], sign: int) -> int:
    """From which ply on the winner was all but sure to win, up to the end; the ply after the last one if never.

    >>> decided([(0, 0.9), (1, 0.1), (2, 0.85), (3, 1.0)], 1), decided([(0, 0.5), (1, 0.2)], 1)
    (2, 2)
    """
    first = values[-1][0] + 1
    for place, value in reversed(values):
        if value * sign < DECIDED:
            break
        first = place
    return first


def was_far_behind(values: Sequence[tuple[int, float]], sign: int) -> bool:
    """Whether the winner was far behind in the eyes of both players, one after the other.

    >>> was_far_behind([(0, -0.6), (1, -0.7), (2, 1.0)], 1), was_far_behind([(0, -0.6), (1, 0.0), (2, -0.9)], 1)
    (True, False)
    """
    behind = [value * sign <= -BEHIND for _, value in values]
    return any(one and other for one, other in pairwise(behind))


def lead_changes(values: Sequence[tuple[int, float]]) -> int:
    """How often the lead goes from one player to the other; a lead that is nearly even is none.

    >>> lead_changes([(0, 0.5), (1, 0.1), (2, -0.3), (3, -0.1), (4, -0.9), (5, 0.4)])
    2
    """
    leads = [value > 0 for _, value in values if abs(value) > AHEAD]
    return sum(one != other for one, other in pairwise(leads))


def widths_of(games: Sequence[Observed]) -> tuple[float, ...]:
    """The mean number of legal actions at each move, as long as a quarter of the games last."""
    longest = max((len(entry.choices) for entry in games), default=0)
    means = []
    for place in range(longest):
        counts = [entry.choices[place] for entry in games if len(entry.choices) > place]
        if len(counts) < len(games) / 4:
            break
        means.append(fmean(counts))
    return tuple(means)


# -- intervals --------------------------------------------------------------------------------------------------------


def mean_of_flags(flags: Sequence[bool], shared: int) -> Estimate:
    """A share, with Wilson's interval; `shared` games count as one, since they have the same luck."""
    if not flags:
        return 0.0, 0.0, 1.0
    count = len(flags) / shared
    low, high = wilson(sum(flags) / shared, count)  # type: ignore[arg-type]
    return sum(flags) / len(flags), max(0.0, low), min(1.0, high)


def mean(groups: Sequence[Sequence[float]]) -> Estimate:
    """The mean of numbers, with Student's interval for the means of the groups, which are independent; without it, if
    there are fewer than five groups.

    >>> [round(each, 3) for each in mean([[1, 2], [3, 4], [5, 6], [5, 6], [7, 8]])]
    [4.7, 1.869, 7.531]
    """
    average = mean_of([fmean(group) for group in groups])
    if len(groups) < FEW:
        return average.mean, None, None
    return average.mean, average.mean - average.error, average.mean + average.error


def pair_correlation(pairs: Sequence[Sequence[float]]) -> Estimate | Nothing:
    """How alike both numbers of a pair are (Fisher's intraclass correlation); its interval by his transformation.

    >>> pair_correlation([(1, 1), (0, 0), (1, 1), (0, 0), (1, 1), (0, 0)])[0]
    1.0
    """
    numbers = np.array([pair for pair in pairs if len(pair) == 2], float)
    if len(numbers) < 4 or not numbers.std():
        return None, None, None
    off = numbers - numbers.mean()
    correlation = float((off[:, 0] * off[:, 1]).mean() / (off * off).mean())
    middle, error = (
        math.atanh(min(max(correlation, -0.999999), 0.999999)),
        NormalDist().inv_cdf(0.975) / math.sqrt(len(off) - 1.5),
    )
    return round(correlation, 12), math.tanh(middle - error), math.tanh(middle + error)
