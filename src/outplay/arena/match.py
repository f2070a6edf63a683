"""Matches: many games between the same players, in rounds of one opening each, with all seats exchanged."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations

from outplay.arena.contest import PLAYERS, Contest, Plan, Players, Round
from outplay.arena.openings import ListedOpenings
from outplay.arena.referee import GameRecord, Watch, play_game
from outplay.arena.sequential import SequentialTest, Verdict
from outplay.arena.strengths import Strength, strength
from outplay.parallel.jobs import job_seed
from outplay.rules.errors import OutplayError

MAX_SEAT_ORDERS = 24
"""With more orders of the seats, a round has each player in each seat once."""


@dataclass(frozen=True)
class Match(Contest[Round]):
    """The settings of a match: as many players as the game has, and at most so many `games`; see `Contest`.

    Args:
        test: stops the match as soon as it is decided, for two players. It counts the rounds in the order of their
            numbers. So where it ends the match does not depend on the number of processes, although some rounds after
            it may be over by then.
        luck: the seed of openings and of chance, if not `seed`.
    """

    test: SequentialTest | None = None
    luck: int | None = None

    def __post_init__(self) -> None:
        if len(self.players) != self.game.players:
            raise OutplayError(f"{self.game!r} has {self.game.players} players: give as many, not {len(self.players)}")
        if self.terms.adjusts_luck and not self.game.has_chance:
            raise OutplayError(f"{self.game!r} has no chance, so there is no luck to adjust for")
        if self.test is not None and self.game.players != 2:
            raise OutplayError("a sequential test is for games of two players")
        super().__post_init__()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players; equal ones are numbered."""
        return self.labels or super().names

    @property
    def luck_seed(self) -> int:
        """The seed of openings and of chance."""
        return self.seed if self.luck is None else self.luck

    @property
    def seat_orders(self) -> tuple[tuple[int, ...], ...]:
        """Which player has which seat, for each game of a round."""
        return seat_orders(len(self.players))

    @property
    def rounds(self) -> int:
        """The maximum number of rounds."""
        return -(-self.games // len(self.seat_orders))

    def plan(self, done: Sequence[Round], players: Players) -> Plan[Round]:
        """See `Contest`."""
        score, finished = Score(self.test), {round_.number for round_ in done}
        for round_ in done if self.test else ():
            score.add(round_)
        if isinstance(self.openings, ListedOpenings):
            self.openings.check(self.game, self.luck_seed, self.rounds)
        players.of(self)  # wrong names are found before any work
        jobs = [] if score.verdict else ((self, number) for number in range(self.rounds) if number not in finished)

        def is_over_after(round_: Round) -> bool:
            if self.test is not None:
                score.add(round_)
            return bool(score.verdict)

        return Plan(play_round, jobs, is_over_after)


def seat_orders(count: int) -> tuple[tuple[int, ...], ...]:
    """Which of so many players has which seat, for each game of a round."""
    if math.factorial(count) <= MAX_SEAT_ORDERS:
        return tuple(permutations(range(count)))
    return tuple(tuple((place + turn) % count for place in range(count)) for turn in range(count))


def play_round(job: tuple[Match, int], players: Players = PLAYERS, watch: Watch | None = None) -> Round:
    """Play all games of a round."""
    match, number = job
    seed = job_seed(match.seed, number)
    luck = job_seed(match.luck_seed, number)
    opening = match.openings.opening(match.game, number, match.luck_seed)
    is_secret = match.game.has_chance or match.game.hidden_information
    records, names = [], match.names
    for turn, order in enumerate(match.seat_orders):
        ready = players.of(match, luck if is_secret else None)
        records.append(
            play_game(
                match.game,
                [ready[place] for place in order],
                [names[place] for place in order],
                opening,
                terms=match.terms,
                seed=job_seed(seed, turn),
                luck=luck,
                watch=watch,
            )
        )
    return Round(number, match.seat_orders, tuple(records))


@dataclass
class Score:
    """What the rounds of a match of two players add up to, from the side of the first.

    With a `test`, rounds are counted in the order of their numbers, up to the one that decides. So the score does not
    depend on which were over first.

    Attributes:
        test: the sequential test of the match.
        games: games lost, drawn and won.
        pairs: pairs of games by their points: 0, ½, 1, 1½, 2.
        faults: by player, why it lost games by what it did.
        utilities: the mean utility of the first player in each round.
        adjusted: the same less its luck, if that was measured.
    """

    test: SequentialTest | None = None
    games: list[int] = field(default_factory=lambda: [0, 0, 0])
    pairs: list[int] = field(default_factory=lambda: [0, 0, 0, 0, 0])
    faults: list[dict[str, int]] = field(default_factory=lambda: [{}, {}])
    utilities: list[float] = field(default_factory=list)
    adjusted: list[float] = field(default_factory=list)
    _waiting: dict[int, Round] = field(default_factory=dict, repr=False)

    def add(self, round_: Round) -> None:
        """Count a round."""
        if self.test is None:
            self._count(round_)
            return
        self._waiting[round_.number] = round_
        while not self.verdict and (next_one := self._waiting.pop(sum(self.pairs), None)) is not None:
            self._count(next_one)

    def _count(self, round_: Round) -> None:
        points = 0
        for order, record, (first, second) in zip(round_.orders, round_.records, round_.utilities(), strict=True):
            result = 1 + (first > second) - (first < second)
            self.games[result] += 1
            points += result
            if record.guilty is not None:
                count_fault(self.faults[order[record.guilty]], record)
        self.pairs[points] += 1
        first_utilities = [utilities[0] for utilities in round_.utilities()]
        self.utilities.append(sum(first_utilities) / len(first_utilities))
        luck = [
            record.luck[order.index(0)]
            for order, record in zip(round_.orders, round_.records, strict=True)
            if record.luck
        ]
        if luck:
            self.adjusted.append((sum(first_utilities) - sum(luck)) / len(first_utilities))

    def _repr_html_(self) -> str:
        """For notebooks: the games of the first player, and by how much it is stronger."""
        from outplay.pictures.html import paragraph, table  # noqa: PLC0415 - only notebooks need it

        lost, drawn, won = self.games
        if not lost + drawn + won:
            return paragraph("no games yet")
        strength = self.strength
        elo, low, high = (f"{number:+.0f}" for number in (strength.elo, strength.low, strength.high))
        row = [str(won), str(drawn), str(lost), f"{strength.score:.1%}", f"{elo} ({low} to {high})"]
        return table(["won by the first player", "drawn", "lost", "score", "Elo"], [row])

    @property
    def strength(self) -> Strength:
        """By how much the first player is stronger, from the pairs."""
        return strength(self.pairs)

    @property
    def verdict(self) -> Verdict:
        """What the test says."""
        return "" if self.test is None else self.test.verdict(self.pairs)


def count_fault(reasons: dict[str, int], record: GameRecord) -> None:
    """Count why a player lost a game by what it did."""
    reason = record.reason.partition(":")[0]
    reasons[reason] = reasons.get(reason, 0) + 1
