"""Ladders: one player at growing strength, each rung against its neighbours, and what a step is worth.

    player    alpha-beta            the rungs are alpha-beta(depth=1), alpha-beta(depth=2), …
    vary      depth=1..8            in steps of 1; seconds, nodes and simulations are doubled
              depth=2..8+2          in steps of 2
              nodes=1000..64000*4   four times as much on each rung
              quiescence=false,true a list

Neighbours play rounds of one opening each, with the seats exchanged. All games are rated together (`rate`), from the
first rung on. Start at `Ladder.of`, or at `outplay ladder`.
"""

import math
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import NamedTuple

from outplay.arena.match import Match, PlayerSource, Round, close_players, named, play_round
from outplay.arena.naming import player_named
from outplay.arena.openings import ListedOpenings, RandomOpenings
from outplay.arena.ratings import Ratings, rate
from outplay.arena.referee import Terms, Watch
from outplay.engine.limits import Limit
from outplay.parallel.jobs import finished_jobs, job_seed
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.repetition import final, playable

DOUBLED = ("seconds", "nodes", "simulations", "table_mb", "memory_mb")
"""What is doubled from rung to rung, unless the range says otherwise."""
MAX_RUNGS = 64
SPARE = 8
"""By default, there are so many times more openings than rounds, so that few games are played twice."""
MAX_OPENING = 0.25
"""The share of a game that an opening may be, by default."""
_RANGE = re.compile(r"(?P<first>[^.,].*?)\.\.(?P<last>.+?)(?:(?P<way>[*+])(?P<step>[\d.]+))?")


class Vary(NamedTuple):
    """What changes from rung to rung: the option, its values as text, and as numbers if they are a range."""

    option: str
    values: tuple[str, ...]
    numbers: tuple[float, ...] = ()
    doubles: bool = False

    @property
    def steps(self) -> float | None:
        """How many plies or doublings there are from the first rung to the last; None for a list."""
        if not self.numbers:
            return None
        first, last = self.numbers[0], self.numbers[-1]
        return math.log2(last / first) if self.doubles else last - first

    @property
    def step(self) -> str:
        """A step in words."""
        if self.doubles:
            return f"a doubling of {self.option}"
        return "a ply" if self.option == "depth" else f"one {self.option} more"


def read_vary(text: str) -> Vary:
    """What varies, from text such as "depth=1..8". Raises `OutplayError` if it is wrong.

    >>> read_vary("depth=1..4").values, read_vary("nodes=100..1600*4").values
    (('1', '2', '3', '4'), ('100', '400', '1600'))
    >>> read_vary("quiescence=false,true").values
    ('false', 'true')
    """
    option, equals, rest = (part.strip() for part in text.partition("="))
    if not equals or not re.fullmatch(r"[A-Za-z][\w-]*", option) or not rest:
        raise OutplayError(f"{text!r}: write what varies as depth=1..8, seconds=0.01..1.28 or quiescence=false,true")
    option = option.replace("-", "_")
    if found := _RANGE.fullmatch(rest):
        return _range(text, option, found)
    values = tuple(split(rest))
    if len(values) < 2 or len(set(values)) < len(values):
        raise OutplayError(f"{text!r}: give at least two different values, as in {option}=false,true")
    return Vary(option, values)


def _range(text: str, option: str, found: re.Match[str]) -> Vary:
    """The values of a range."""
    try:
        first, last = float(found["first"]), float(found["last"])
        doubles = option in DOUBLED if found["way"] is None else found["way"] == "*"
        step = float(found["step"] or (2 if doubles else 1))
    except ValueError:
        raise OutplayError(f"{text!r}: a range is written from the least to the greatest number, as 1..8") from None
    grows = step > 1 and first > 0 if doubles else step > 0
    if not (grows and math.isfinite(last) and first < last):
        raise OutplayError(f"{text!r}: a range goes up, as in {option}=1..8, 2..8+2 (steps of 2) or 1..8*2 (doubling)")
    numbers = [first]
    while len(numbers) <= MAX_RUNGS:
        following = first * step ** len(numbers) if doubles else first + step * len(numbers)
        if following > last * (1 + 1e-9):
            break
        numbers.append(following)
    if not 2 <= len(numbers) <= MAX_RUNGS:
        raise OutplayError(f"{text!r}: a ladder has from 2 to {MAX_RUNGS} rungs")
    return Vary(option, tuple(f"{each:.12g}" for each in numbers), tuple(numbers), doubles)


def split(text: str) -> list[str]:
    """The parts between the commas that are not within brackets or quotes.

    >>> split("(1, 2), 'a,b', c")
    ['(1, 2)', "'a,b'", 'c']
    """
    parts, depth, quote = [""], 0, ""
    for mark in text:
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "'\"":
            quote = mark
        depth += (mark in "([{") - (mark in ")]}") if not quote else 0
        if mark == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += mark
    return [part.strip() for part in parts if part.strip()]


def with_option(player: str, option: str, value: str) -> str:
    """The text of a player with another value of an option.

    >>> with_option("mcts(rave=true, simulations=9)", "simulations", "100"), with_option("alpha-beta", "depth", "2")
    ('mcts(rave=true, simulations=100)', 'alpha-beta(depth=2)')
    """
    player = player.strip()
    name, arguments = player, list[str]()
    if player.endswith(")") and "(" in player:
        place, depth = len(player), 0
        while depth or place == len(player):
            place -= 1
            depth += (player[place] == ")") - (player[place] == "(")
            if not place and depth:
                raise OutplayError(f"{player!r}: its brackets do not match")
        name, arguments = player[:place], split(player[place + 1 : -1])
    kept = [each for each in arguments if each.partition("=")[0].strip().replace("-", "_") != option]
    return f"{name}({', '.join([*kept, f'{option}={value}'])})"


@dataclass(frozen=True)
class Ladder:
    """The settings of a ladder.

    Args:
        game: a game of two players with opposed interests.
        players: the rungs, the first one the lowest.
        games: the number of games of each pair of neighbours; rounded up to whole rounds of two.
        openings: where games begin; by default random moves, as many as it takes for the openings to be different.
        terms: the rules besides those of the game.
        seed: the same seed gives the same openings, the same luck and the same choices.
        labels: short names of the rungs.
        vary: what varies.

    Raises `OutplayError` if the game has other players, or if the rungs are not at least two different ones.
    """

    game: Game
    players: tuple[PlayerSource, ...]
    games: int = 100
    openings: RandomOpenings | ListedOpenings | None = None
    terms: Terms = field(default_factory=Terms)
    seed: int = 0
    labels: tuple[str, ...] = ()
    vary: Vary | None = None

    def __post_init__(self) -> None:
        if self.game.players != 2 or not has_constant_sum(self.game):
            raise OutplayError(f"a ladder is for two players with opposed interests, which {self.game!r} does not have")
        if len(self.players) < 2 or len(set(self.players)) < len(self.players):
            raise OutplayError("a ladder has at least two rungs, all of them different")
        if self.games < 1:
            raise OutplayError(f"games={self.games}: give a number from 1 up")
        if self.openings is None:
            object.__setattr__(self, "openings", varied_openings(self.game, self.rounds_of_a_pair))

    @classmethod
    def of(cls, game: Game, player: str, vary: str, *, below: str | None = None, **options: object) -> "Ladder":
        """The ladder of a player of whom one option varies.

        Args:
            game: the game.
            player: the player, as text.
            vary: what varies, such as "depth=1..8".
            below: another player as the lowest rung, such as "random".
            options: those of `Ladder`.

        >>> from outplay.games import TicTacToe
        >>> Ladder.of(TicTacToe(), "alpha-beta", "depth=1..3").names
        ('alpha-beta(depth=1)', 'alpha-beta(depth=2)', 'alpha-beta(depth=3)')
        """
        found = read_vary(vary)
        players = [with_option(player, found.option, value) for value in found.values]
        labels = [f"{found.option}={value}" for value in found.values]
        if below is not None:
            players, labels = [below, *players], [below, *labels]
        return cls(game, tuple(players), labels=tuple(labels), vary=found, **options)  # type: ignore[arg-type]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rungs."""
        return named(self.players)

    @property
    def pairs(self) -> int:
        """The number of pairs of neighbours."""
        return len(self.players) - 1

    @property
    def rounds_of_a_pair(self) -> int:
        """The number of rounds of each pair."""
        return -(-self.games // 2)

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return self.pairs * self.rounds_of_a_pair

    def check(self) -> None:
        """Raise `OutplayError` if a rung is not a player of this game, or would think for ever."""
        timed = self.terms.seconds is not None or self.terms.clock is not None
        for source in self.players:
            player = player_named(source, self.game) if isinstance(source, str) else source(self.game)
            if hasattr(player, "close"):
                player.close()
            if getattr(player, "limit", None) == Limit() and hasattr(player, "searcher") and not timed:
                raise OutplayError(f"{source} has no limit: give it one, such as simulations=1000, or a time for moves")

    def run(
        self,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        done: Sequence[int] = (),
        watch: Watch | None = None,
    ) -> Generator[Round]:
        """Play; each round is given as soon as it is over, with the numbers of the rungs as its players.

        All pairs have a round, then all have another one, so that a ladder that was stopped has about as many games of
        each. The arguments are those of `Match.run`.
        """
        waiting = [number for number in range(self.rounds) if number not in set(done)]
        if workers in (None, 1) and cluster is None:
            try:
                for number in waiting:
                    yield play_rung((self, number), watch)
            finally:
                close_players()
            return
        jobs = [(self, number) for number in waiting]
        for result in finished_jobs(play_rung, jobs, workers=workers, cluster=cluster):
            yield result.value


def play_rung(job: tuple[Ladder, int], watch: Watch | None = None) -> Round:
    """Play a round of a ladder. A rung is always the first player of its matches, or always the second one, so that
    there is one of it.
    """
    ladder, number = job
    turn, pair = divmod(number, ladder.pairs)
    rungs = (pair, pair + 1) if pair % 2 == 0 else (pair + 1, pair)
    assert ladder.openings is not None, "they were chosen"
    players = ladder.players[rungs[0]], ladder.players[rungs[1]]
    seed = job_seed(ladder.seed, pair)
    match = Match(ladder.game, players, openings=ladder.openings, terms=ladder.terms, seed=seed)
    found = play_round((match, turn), watch)
    return Round(number, tuple(tuple(rungs[place] for place in order) for order in found.orders), found.records)


def varied_openings(game: Game, rounds: int) -> RandomOpenings:
    """Openings of an even number of random moves, so many that those of `rounds` rounds are rarely the same.

    >>> from outplay.games import ConnectFour, TicTacToe
    >>> varied_openings(ConnectFour(), 50).plies, varied_openings(TicTacToe(), 50).plies
    (4, 2)
    """
    if game.has_chance or game.hidden_information:
        return RandomOpenings(0)
    random, states, choices = Random(0), [game.initial_state()], list[int]()  # noqa: S311 - not for secrets
    while final(game, states) is None and game.to_move(states[-1]) != CHANCE and len(choices) < 400:
        legal = playable(game, states)
        choices.append(len(legal))
        states.append(game.result(states[-1], random.choice(legal)))
    plies = 2
    while math.prod(choices[:plies]) < SPARE * rounds and plies + 2 <= MAX_OPENING * len(choices):
        plies += 2
    return RandomOpenings(plies)


# -- results ----------------------------------------------------------------------------------------------------------


class Gain(NamedTuple):
    """By how much one rung is stronger than another one, in Elo, with its interval of 95%."""

    elo: float
    low: float
    high: float


@dataclass
class Rung:
    """What the games of a rung add up to.

    Attributes:
        name: its player.
        label: its short name.
        games, points: against the rung below.
        moves, seconds, nodes: of all its moves; `nodes` of those for which the player told them.
    """

    name: str
    label: str
    games: int = 0
    points: float = 0.0
    moves: int = 0
    seconds: float = 0.0
    nodes: int = 0
    faults: int = 0

    @property
    def seconds_a_move(self) -> float:
        """The mean time of a move."""
        return self.seconds / self.moves if self.moves else 0.0

    @property
    def nodes_a_move(self) -> float | None:
        """The mean number of nodes of a move, if the player tells it."""
        return self.nodes / self.moves if self.nodes else None


class LadderScore:
    """What the rounds of a ladder add up to.

    Attributes:
        rungs: what each rung did.
        games: all games, for `rate`: the first player, the second one, the points of the first.
        repeated: how many games were the same, move by move, as an earlier one of the same players in the same seats.
    """

    def __init__(self, ladder: Ladder) -> None:
        self.ladder = ladder
        labels = ladder.labels or ladder.names
        self.rungs = [Rung(name, label) for name, label in zip(ladder.names, labels, strict=True)]
        self.games: list[tuple[str, str, float]] = []
        self.repeated, self._seen = 0, set[tuple[object, ...]]()

    def add(self, found: Round) -> None:
        """Count a round."""
        for order, record in zip(found.orders, found.records, strict=True):
            first, second = (self.rungs[place] for place in order)
            one, other = record.utilities
            points = 0.5 + 0.5 * ((one > other) - (one < other))
            self.games.append((first.name, second.name, points))
            upper, share = (first, points) if order[0] > order[1] else (second, 1 - points)
            upper.games += 1
            upper.points += share
            if record.guilty is not None:
                self.rungs[order[record.guilty]].faults += 1
            for ply in record.plies:
                if ply.player != CHANCE:
                    rung = self.rungs[order[ply.player]]
                    rung.moves += 1
                    rung.seconds += ply.seconds
                    rung.nodes += ply.nodes or 0
            moves = order, record.opening, tuple(ply.name for ply in record.plies)
            self.repeated += moves in self._seen
            self._seen.add(moves)

    @property
    def played(self) -> list[int]:
        """The numbers of the rungs that have played, from the first one up to the first that has not."""
        count = 1
        while count < len(self.rungs) and self.rungs[count].games:
            count += 1
        return list(range(count)) if count > 1 else []

    def result(self) -> "LadderResult":
        """What the games say. Raises `OutplayError` if there is none of the two lowest rungs."""
        played = {self.rungs[number].name for number in self.played}
        if not played:
            raise OutplayError("no game of the ladder is over")
        games = [game for game in self.games if game[0] in played and game[1] in played]
        return LadderResult(self.ladder, tuple(self.rungs[: len(played)]), rate(games), self.repeated)


@dataclass(frozen=True)
class LadderResult:
    """What a ladder shows.

    Attributes:
        ladder: its settings.
        rungs: the rungs that have played.
        ratings: the ratings of all of them.
        repeated: the number of games that were played before, move by move.
        elos: the strength of each rung above the first one.
        gains: the gain of each rung over the one below; the first one has none.
    """

    ladder: Ladder
    rungs: tuple[Rung, ...]
    ratings: Ratings
    repeated: int = 0
    elos: tuple[Gain, ...] = field(init=False)
    gains: tuple[Gain, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = [rung.name for rung in self.rungs]
        elos = [Gain(0.0, 0.0, 0.0), *(self.gap(name, names[0]) for name in names[1:])]
        gains = [self.gap(upper, lower) for lower, upper in pairwise(names)]
        object.__setattr__(self, "elos", tuple(elos))
        object.__setattr__(self, "gains", tuple(gains))

    def gap(self, upper: str, lower: str) -> Gain:
        """The difference of two rungs."""
        return Gain(*self.ratings.difference(upper, lower))

    def worth(self) -> list[str]:
        """What a step is worth, as lines of text."""
        vary, rungs, lines = self.ladder.vary, list(self.rungs), list[str]()
        names = [rung.name for rung in rungs]
        own = rungs[len(self.ladder.players) - len(vary.values) :] if vary else rungs
        if vary is None or len(own) < 2:
            return lines
        whole = self.gap(own[-1].name, own[0].name)
        first = names.index(own[0].name)
        if not vary.numbers:
            gains = zip(own[1:], self.gains[first:], strict=True)
            return [f"{upper.label} is worth {in_words(gain)}" for upper, gain in gains]
        seen = Vary(vary.option, vary.values[: len(own)], vary.numbers[: len(own)], vary.doubles)
        steps = seen.steps or 1.0
        each = Gain(*(part / steps for part in whole))
        lines.append(f"{vary.step} is worth {in_words(each)} on average")
        for what, amounts in (
            ("nodes", (own[0].nodes_a_move, own[-1].nodes_a_move)),
            ("time", (own[0].seconds_a_move, own[-1].seconds_a_move)),
        ):
            least, most = amounts
            if least and most and most > 1.2 * least and vary.option not in (what, "seconds"):
                doublings = math.log2(most / least)
                double = Gain(*(part / doublings for part in whole))
                factor = 2 ** (doublings / steps)
                costs = f"{vary.step} takes {factor:.2g} times the {what}; " if not vary.doubles else ""
                lines.append(f"{costs}a doubling of {what} is worth {in_words(double)}")
        return lines

    def as_dict(self) -> dict[str, object]:
        """The result as plain values, for JSON."""
        rungs = []
        for place, rung in enumerate(self.rungs):
            elo, gain = self.elos[place], self.gains[place - 1] if place else None
            rungs.append(
                {
                    "player": rung.name,
                    "label": rung.label,
                    "elo": elo.elo,
                    "low": finite(elo.low),
                    "high": finite(elo.high),
                    "gain": None if gain is None else gain.elo,
                    "gain_low": None if gain is None else finite(gain.low),
                    "gain_high": None if gain is None else finite(gain.high),
                    "games": rung.games,
                    "points": rung.points,
                    "moves": rung.moves,
                    "seconds_a_move": rung.seconds_a_move,
                    "nodes_a_move": rung.nodes_a_move,
                    "faults": rung.faults,
                }
            )
        return {
            "game": repr(self.ladder.game),
            "rungs": rungs,
            "worth": self.worth(),
            "first_move": self.ratings.advantage[0],
            "drawn": self.ratings.drawn,
            "repeated": self.repeated,
        }

    def plot(self, ax: object = None) -> object:
        """Draw the Elo of each rung with its interval; needs matplotlib. Returns the axes."""
        from outplay.pictures.plot import axes, dressed  # noqa: PLC0415 - an extra

        drawn = axes(ax, "LadderResult.plot")
        vary, places = self.ladder.vary, list(range(len(self.rungs)))
        elos = [each.elo for each in self.elos]
        spread = [
            [elo - bounded(each.low, elo) for elo, each in zip(elos, self.elos, strict=True)],
            [bounded(each.high, elo) - elo for elo, each in zip(elos, self.elos, strict=True)],
        ]
        drawn.errorbar(places, elos, spread, marker="o", capsize=3, label="Elo, 95%")
        texts = [rung.label.rpartition("=")[2] for rung in self.rungs]
        drawn.set_xticks(places, texts, rotation=30 if max(map(len, texts)) > 6 else 0)
        what = vary.option if vary else "rung"
        return dressed(drawn, repr(self.ladder.game), what, f"Elo above {self.rungs[0].label}")


def in_words(gain: Gain) -> str:
    """A gain as text.

    >>> in_words(Gain(12.3, -1, 26))
    '+12 Elo (-1 to +26)'
    """
    return f"{gain.elo:+.0f} Elo ({gain.low:+.0f} to {gain.high:+.0f})"


def finite(number: float) -> float | None:
    """A number for JSON, which knows no infinity."""
    return number if math.isfinite(number) else None


def bounded(number: float, instead: float) -> float:
    """A number, or another one if it is infinite."""
    return number if math.isfinite(number) else instead
