"""How well a game is balanced: games between equal players of growing strength, and what was seen in them.

Each strength plays itself, in rounds of two games with the same opening and the same luck, but other choices. In each
game, one decision, drawn at random, is analysed in full. If there are two players, neighbours in strength also play a
ladder. What all this says is in `balance_report.py`. Start at `Balance`, or at `outplay balance`.
"""

import math
import time
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, zip_longest
from random import Random
from statistics import median
from typing import Any, NamedTuple

from outplay.arena.climb import FACTOR, climb
from outplay.arena.contest import PLAYERS, Contest, Plan, Players, Round
from outplay.arena.ladder import Ladder, play_rung, varied_openings
from outplay.arena.match import Match
from outplay.arena.openings import RandomOpenings
from outplay.arena.referee import GameRecord, Terms, Watch, play_game
from outplay.engine.analysis import Analysis
from outplay.engine.limits import Limit
from outplay.montecarlo.answer import Z_95
from outplay.parallel.jobs import job_seed
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.repetition import playable
from outplay.session.players import SearchPlayer
from outplay.session.view import view_of

FIRST_SIMULATIONS, MAX_STRENGTHS = 16, 8
"""By default, the weakest search, and how many strengths there are at most."""
SOLVING_NODES = 100_000
"""The states that a search for perfect play makes if time is not limited."""
CLEAR = 0.1
"""The best action is clearly better than the median if it gains this share of the way from a loss to a win."""
NEAR = 0.05
"""Actions count as good if they lose less than this share of that way."""


class Spread(NamedTuple):
    """What an analysis of a decision says of its actions.

    Attributes:
        actions: how many there are.
        gap: by how much the best is better than the median, as a share of the way from a loss to a win.
        clear: whether the best is clearly better, beyond `CLEAR` and beyond the errors of the estimates.
        good: how many are about as good as the best.
    """

    actions: int
    gap: float
    clear: bool
    good: int


class Observed(NamedTuple):
    """A game, the number of legal actions at each decision, and the spread of the actions at one of them."""

    record: GameRecord
    choices: tuple[int, ...]
    spread: Spread | None


class Pair(NamedTuple):
    """A round of two games of equal players: the same opening and luck, other choices."""

    strength: int
    number: int
    games: tuple[Observed, ...]


@dataclass(frozen=True)
class Balance(Contest[Any]):
    """The settings of a study of balance; see `Contest`.

    Args:
        players: the strengths, as text, from the weakest to the strongest, all of them different.
        games: the number of games of each strength, rounded up to rounds of two; a ladder has as many of each pair.
        openings: where the games of equal players begin; by default in the initial state.
        max_plies: a longer game is a draw.
        grows: whether to go up in strength only as far as it takes, see `outplay.arena.climb`; by default, all
            strengths play in turns.

    Raises `OutplayError` for a puzzle, or without players.
    """

    max_plies: int = 2000
    grows: bool = False

    def __post_init__(self) -> None:
        if self.game.players < 2:
            raise OutplayError(f"{self.game!r} has one player: there is nobody to be balanced against")
        if not self.players or len(set(self.players)) < len(self.players):
            raise OutplayError("give the strengths of play, at least one, all of them different")
        object.__setattr__(self, "terms", Terms(max_plies=self.max_plies))
        super().__post_init__()

    def usual_openings(self) -> RandomOpenings:
        """See `Contest`."""
        return RandomOpenings(0)

    @property
    def rounds(self) -> int:
        """The number of rounds of each strength."""
        return -(-self.games // 2)

    @property
    def names(self) -> tuple[str, ...]:
        """What the strengths are called."""
        return self.labels or tuple(map(str, self.players))

    @property
    def settings(self) -> dict[str, Any]:
        """What decides who plays, for the record."""
        openings = repr(self.ladder.openings) if self.ladder else None
        return {"format": "balance", "strengths": list(map(str, self.players)), "ladder": openings}

    @cached_property
    def ladder(self) -> Ladder | None:
        """The ladder of the strengths, for two opposed players."""
        if self.game.players != 2 or not has_constant_sum(self.game) or len(self.players) < 2:
            return None
        return Ladder(
            self.game, self.players, games=self.games, terms=self.terms, seed=self.seed + 1, labels=self.labels,
            openings=varied_openings(self.game, self.rounds),
        )  # fmt: skip

    @staticmethod
    def key_of(round_: "Pair | Round") -> tuple[int, int]:
        """What a round is of: a strength, -1 for the ladder, and its number."""
        return round_.strength if isinstance(round_, Pair) else -1, round_.number

    def keys(self, strength: int, number: int) -> list[tuple[int, int]]:
        """The same for a round of a strength, and for that of the ladder up to it, if there is one."""
        if self.ladder is None or strength == 0:
            return [(strength, number)]
        return [(strength, number), (-1, number * self.ladder.pairs + strength - 1)]

    def rung_of(self, round_: Round) -> int:
        """The strength up to which a round of the ladder leads."""
        assert self.ladder is not None, "it has a round"
        return round_.number % self.ladder.pairs + 1

    def jobs(self, done: Iterable["Pair | Round"] = ()) -> list[tuple["Balance", int, int]]:
        """What is to be played, all strengths and pairs of the ladder in turns; a strength of -1 is the ladder."""
        finished = {self.key_of(round_) for round_ in done}
        pairs = [(self, strength, number) for number in range(self.rounds) for strength in range(len(self.players))]
        rungs = [(self, -1, number) for number in range(self.ladder.rounds if self.ladder else 0)]
        return [job for both in zip_longest(pairs, rungs) for job in both if job and job[1:] not in finished]

    def plan(
        self,
        done: Sequence["Pair | Round"],
        players: Players,
        seconds: float | None = None,
        workers: int | None = None,
        perfect: float | None = None,
    ) -> Plan["Pair | Round"]:
        """See `Contest` and `run`."""
        ends = math.inf if seconds is None else time.monotonic() + seconds
        rounds_done = list(done)

        def seconds_left() -> float:
            return ends - time.monotonic()

        def is_over_after(round_: "Pair | Round") -> bool:
            rounds_done.append(round_)
            return seconds_left() < 0

        jobs = climb(self, rounds_done, seconds_left, workers or 1, perfect) if self.grows else self.jobs(rounds_done)
        return Plan(play_job, jobs, is_over_after)

    def run(
        self,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        done: Sequence["Pair | Round"] = (),
        watch: Watch | None = None,
        seconds: float | None = None,
        perfect: float | None = None,
    ) -> Generator["Pair | Round"]:
        """Play: rounds of equal players, and rounds of the ladder; see `Contest.run`.

        No further round is given after so many `seconds`. `perfect` is the utility of player 0 in perfect play, if it
        is known: what `grows` stops at it.
        """
        return self._run(lambda players: self.plan(done, players, seconds, workers, perfect), workers, cluster, watch)


def play_job(job: tuple[Balance, int, int], players: Players = PLAYERS, watch: Watch | None = None) -> Pair | Round:
    """Play a round of equal players, or one of the ladder."""
    study, strength, number = job
    if strength < 0:
        assert study.ladder is not None, "it has jobs"
        return play_rung((study.ladder, number), players, watch)
    seed = job_seed(job_seed(study.seed, strength), number)
    opening = study.openings.opening(study.game, number, job_seed(study.seed, strength))
    seats: Any = players.of(Match(study.game, (study.players[strength],) * study.game.players))
    names = [study.names[strength]] * len(seats)
    games = []
    for turn in range(2):
        record = play_game(
            study.game, seats, names, opening, terms=study.terms, seed=job_seed(seed, turn), luck=seed, watch=watch
        )
        states = list(accumulate(record.actions, study.game.result, initial=opening.states[0]))
        games.append(observed(study, record, states, seats, Random(job_seed(seed, turn))))  # noqa: S311 - no secret
    return Pair(strength, number, tuple(games))


def observed(study: Balance, record: GameRecord, states: list[Any], seats: Any, random: Random) -> Observed:
    """What was seen in a game; one of its decisions, with more than one legal action, is analysed."""
    game, begin = study.game, len(record.opening)
    plies = [(ply.player, at) for at, ply in enumerate(record.plies, begin) if ply.player != CHANCE]
    choices = {at: len(playable(game, states[: at + 1])) for _, at in plies}
    decisions = [(player, at) for player, at in sorted(plies) if choices[at] > 1]
    spread = None
    if decisions and isinstance(seats[0], SearchPlayer):
        player, at = random.choice(decisions)
        view = view_of(game, states[: at + 1], record.actions[:at], random.getrandbits(31))
        state = view.sample(random.getrandbits(31)) if game.hidden_information else view.state
        seat: SearchPlayer = seats[player]
        analysis = seat.searcher.analyse(state, seat.limit, previous_states=view.states[:-1])
        spread = spread_of(analysis, choices[at], width(game))
    return Observed(record, tuple(choices.values()), spread)


def spread_of(analysis: Any, count: int, whole: float) -> Spread | None:
    """The spread of the actions of an analysis; `whole` is the way from a loss to a win."""
    actions = analysis.actions
    if len(actions) < 2:
        return None
    values = [action.value for action in actions]
    middle = median(values)
    gap = (values[0] - middle) / whole
    nearest = min(actions, key=lambda action: abs(action.value - middle))
    apart = span(actions[0])[0] > span(nearest)[1]
    good = sum(values[0] - value < NEAR * whole for value in values)
    return Spread(count, gap, bool(gap >= CLEAR and apart), good)


def span(item: Any) -> tuple[float, float]:
    """Where the mean of the simulations of an action may lie; the value itself if it is no mean."""
    reach = Z_95 * (item.sampling_error or 0.0)
    return item.interval or (item.value - reach, item.value + reach)


def width(game: Game) -> float:
    """The way from a loss to a win, in utility; 2 if the game does not declare its utilities."""
    least, greatest = game.utilities or (-1.0, 1.0)
    return float(greatest - least) or 1.0


def strengths_for(game: Game) -> tuple[str, ...]:
    """Random moves, and a search of growing strength: all that a study that `grows` may come to.

    >>> from outplay.games import KuhnPoker
    >>> strengths_for(KuhnPoker())[:3]
    ('random', 'ismcts(simulations=16)', 'ismcts(simulations=64)')
    """
    search = "ismcts" if game.hidden_information else "mcts"
    simulations = (FIRST_SIMULATIONS * FACTOR**place for place in range(MAX_STRENGTHS - 1))
    return ("random", *(f"{search}(simulations={simulation})" for simulation in simulations))


def perfect_play(game: Game, seconds: float | None = None) -> Analysis | None:
    """The exact value of the initial state of a game of two opposed players; None if it is not found.

    `seconds` limits the time of a `Solver`. Without it, one search looks at no more than `SOLVING_NODES` states, so
    that what is found is always the same. Raises `KeyboardInterrupt` on Ctrl-C.

    >>> from outplay.games import TicTacToe
    >>> perfect_play(TicTacToe()).verdict
    'draw'
    """
    if game.players != 2 or not has_constant_sum(game) or game.hidden_information:
        return None
    from outplay.session.algorithms import searcher_class, suited  # noqa: PLC0415 - only what is needed
    from outplay.session.solver import Solver  # noqa: PLC0415

    ends = math.inf if seconds is None else time.monotonic() + seconds

    def look_at_the_time(_: Analysis) -> None:
        if time.monotonic() > ends:
            raise TimeoutError

    try:
        if seconds is None:
            searcher = searcher_class(suited(game, solving=True))(game)
            analysis = searcher.search(limit=Limit(nodes=SOLVING_NODES))
        else:
            analysis = Solver(game).solve(progress=look_at_the_time).analysis
    except (TimeoutError, OutplayError):
        return None
    if analysis.stopped == "interrupted":
        raise KeyboardInterrupt
    return analysis if analysis.exact else None
