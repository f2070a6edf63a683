"""Describes a game in numbers: branching factor, length, the size of its tree, and who wins.

Random games give the averages, and Knuth's estimate (1975) of the number of nodes: on the way down a random game, the
product of the numbers of actions so far says how many nodes there would be at each ply if the whole tree looked like
this game; the mean over many games is right, whatever the tree looks like. Small games are counted exactly. Games
between equal searches show who has the advantage.
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.check.quick import check_rules
from outplay.compile.kernels import cast_state, kernel, pointer
from outplay.compile.options import CompileTimeOptions
from outplay.compile.random_numbers import new_random, random_below
from outplay.engine.limits import Limit
from outplay.engine.stopping import StopReason
from outplay.information_sets.ismcts import ISMCTS
from outplay.montecarlo.mcts import MCTS
from outplay.montecarlo.playouts import random_outcome
from outplay.rules.arguments import check_is_game
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.numbered import numbered
from outplay.search.count import TreeCount, count_tree
from outplay.session.session import Session

LONGEST = 5_000
"""The maximum number of plies of a game; longer ones count as not over."""
FIRST_GAMES, MAX_GAMES = 16, 1_000_000
LONGEST_RUN = 0.5
"""Seconds of random games in one call of compiled code, which Ctrl-C waits for."""
SIMULATIONS = 200
"""Simulations for each move of a game between equal searches."""
LARGE = 15
"""Numbers from 10 to this power on are written as powers."""
BATCHES, RESAMPLES = 100, 1_000
"""For confidence intervals."""
SHARES = 0.4, 0.25
"""The shares of the time for random games and for counting; the rest is for games between searches."""
PLIES, DECISIONS, CHOICES, LOG_NODES, IS_OVER = range(5)
"""What is recorded of a random game: its plies, those of players, the sum of their numbers of actions, the natural
logarithm of the number of nodes as this game suggests it, and whether it came to an end."""


@dataclass(frozen=True, kw_only=True)
class Results:
    """How games ended.

    Attributes:
        games: the number of games that came to an end.
        wins: for each player, the share of games in which no other player got more, and some player less.
        draws: the share of games in which all players got the same.
        means: the mean utility of each player.
    """

    games: int
    wins: tuple[float, ...]
    draws: float
    means: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class GameDescription:
    """A game in numbers, from its initial state.

    Attributes:
        game: the game.
        games: the number of random games, all legal actions equally likely.
        unfinished: how many of them were not over after 5,000 plies.
        branching: the mean number of legal actions of the player to move in random games.
        first: the number of legal actions at the start; of the outcomes, if chance is first to act.
        length: the mean number of plies of a random game, without outcomes of chance.
        lengths: the shortest and the longest random game.
        log_nodes: the base-10 logarithm of Knuth's estimate of the nodes of the game tree.
        interval: its 95 % confidence interval.
        exact: the exact counts, if the game is small enough.
        random: how the random games ended.
        searched: how games between equal searches ended; None for one player, or if there was no time.
        search: the searcher of these games.
        searched_branching: the mean number of legal actions of the player to move in these games.
        missing: what was not measured, and why, as lines of text.
        interrupted: whether Ctrl-C ended it.
        seconds: the time that it took.
    """

    game: Game
    games: int
    unfinished: int
    branching: float
    first: int
    length: float
    lengths: tuple[int, int]
    log_nodes: float
    interval: tuple[float, float]
    exact: TreeCount | None
    random: Results
    searched: Results | None
    search: str
    searched_branching: float | None
    missing: tuple[str, ...]
    interrupted: bool
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The description as plain values, for JSON."""
        return {**asdict(self), "game": repr(self.game)}

    def __str__(self) -> str:
        nodes = f"{estimated(*self.interval)} (Knuth's estimate)"
        if self.exact is not None:
            nodes = f"{self.exact.nodes:,} (exact)"
        searched_text = "" if self.searched_branching is None else f", {self.searched_branching:.1f} between searches"
        rows = [
            ("branching factor", f"{self.branching:.1f} in random games{searched_text}; {self.first:,} at the start"),
            ("length", f"{self.length:.1f} plies on average, {self.lengths[0]:,} to {self.lengths[1]:,}"),
            ("nodes of the tree", nodes),
        ]
        if self.exact is not None:
            rows += [("games", f"{self.exact.games:,}"), ("states", f"{self.exact.positions:,}")]
        rows.append((f"{self.random.games:,} random games", in_words(self.random)))
        if self.searched is not None:
            rows.append((f"{self.searched.games:,} games of {self.search}", in_words(self.searched)))
        if self.unfinished:
            rows.append(("not over", f"{self.unfinished:,} games after {LONGEST:,} plies"))
        rows += [("not measured", text) for text in self.missing]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)


def describe(
    game: Game, seconds: float = 6.0, *, seed: int = 0, progress: Callable[[str], None] | None = None
) -> GameDescription:
    """Measure a game: branching factor, length, the size of the tree, and who wins at random and between searches.

    Args:
        game: the game, with any number of players, with or without chance and hidden information.
        seconds: about how long to measure, without compiling.
        seed: the seed of all random choices. The same seed gives the same games, but how many depends on the time.
        progress: a function that is called with what is being done, in words.

    Ctrl-C ends it with what has been measured, and raises `KeyboardInterrupt` only if no random game has ended.

    Raises `ValueError` for a time that is not positive, and `RulesError` for broken rules.

    >>> from outplay.games import Nim
    >>> told = describe(Nim((1, 2)), seconds=0.5)
    >>> told.exact.nodes, told.exact.games, told.lengths
    (12, 5, (2, 3))
    """
    check_is_game(game, "describe")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
        raise ValueError(f"describe(seconds={seconds!r}): a number greater than 0")
    check_rules(game)
    report = progress or (lambda text: None)
    plain = numbered(game)
    report("random games…")
    records, utilities, spent, interrupted = random_games(plain, seconds * SHARES[0], seed)
    over = records[:, IS_OVER] > 0
    exact, between, missing = None, Searched(), []
    if not interrupted:
        report("counting states…")
        exact, took, interrupted = count_within(game, seconds * SHARES[1])
        spent += took
    if exact is None and interrupted:
        missing.append("exact counts: interrupted")
    if game.players > 1:
        if not interrupted:
            report("games between equal searches…")
            between = searched_games(game, max(seconds - spent, 0.1), seed)
            spent += between.seconds
            interrupted = between.interrupted
        if between.results is None:
            reason = "interrupted" if interrupted else "none ended in the time; give it more seconds"
            missing.append(f"games between searches: {reason}")
    return GameDescription(
        game=game,
        games=len(records),
        unfinished=int((~over).sum()),
        branching=float(records[:, CHOICES].sum() / max(1, records[:, DECISIONS].sum())),
        first=len(list(legal_actions(game, game.initial_state()))),
        length=float(records[:, DECISIONS].mean()),
        lengths=(int(records[:, DECISIONS].min()), int(records[:, DECISIONS].max())),
        log_nodes=log_mean(records[:, LOG_NODES])[0],
        interval=log_mean(records[:, LOG_NODES])[1:],
        exact=exact,
        random=results(utilities[over]),
        searched=between.results,
        search=between.search,
        searched_branching=between.branching,
        missing=tuple(missing),
        interrupted=interrupted,
        seconds=spent,
    )


def log_mean(logs: NDArray[np.float64]) -> tuple[float, float, float]:
    """The base-10 logarithm of the mean of exp(logs), and of the ends of its 95 % confidence interval.

    The interval is that of a bootstrap over the means of `BATCHES` batches, since a few games make up most of the mean.
    """
    batches = np.array([log_of_mean(batch) for batch in np.array_split(logs, min(BATCHES, len(logs)))])
    drawn = log_of_mean(np.random.default_rng(0).choice(batches, (RESAMPLES, len(batches))))
    ends = np.array([log_of_mean(batches), *np.quantile(drawn, (0.025, 0.975))]) / math.log(10)
    return float(ends[0]), float(ends[1]), float(ends[2])


def log_of_mean(logs: NDArray[np.float64]) -> Any:
    """log(mean(exp(logs))) along the last axis, without overflow."""
    most = logs.max(axis=-1, keepdims=True)
    return np.log(np.exp(logs - most).mean(axis=-1)) + most[..., 0]


def results(utilities: NDArray[np.float64]) -> Results:
    """The results of games, from the utilities of all players in each: float64 [games, players]."""
    games, players = utilities.shape
    if games == 0:
        return Results(games=0, wins=(0.0,) * players, draws=0.0, means=(0.0,) * players)
    equal = (utilities == utilities[:, :1]).all(axis=1) if players > 1 else np.zeros(games, bool)
    best = utilities == utilities.max(axis=1, keepdims=True)
    wins = (best & ~equal[:, None]).mean(axis=0) if players > 1 else (utilities > 0).mean(axis=0)
    return Results(
        games=games,
        wins=tuple(map(float, wins)),
        draws=float(equal.mean()),
        means=tuple(map(float, utilities.mean(axis=0))),
    )


def in_words(games: Results) -> str:
    """Results as a sentence."""
    if len(games.wins) == 1:
        return f"mean utility {games.means[0]:.4g}"
    wins = ", ".join(f"player {player} wins {share:.1%}" for player, share in enumerate(games.wins))
    return f"{wins}, draws {games.draws:.1%}"


def estimated(low: float, high: float) -> str:
    """An estimate as text, from the base-10 logarithms of the ends of its interval.

    >>> estimated(28.98, 29.02), estimated(28.6, 29.3), estimated(883.2, 958.1)
    ('about 10^29', '4·10^28 to 2·10^29', '10^883 to 10^958')
    >>> estimated(5.739, 5.741), estimated(5.6, 5.8)
    ('about 550,000', '400,000 to 630,000')
    """
    ends = [f"10^{end:.0f}" if high - low > 2 and end >= LARGE else power(end) for end in (low, high)]
    return f"about {ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def power(log: float) -> str:
    """10 to this power, as text.

    >>> power(5.74), power(123.4), power(123.01)
    ('550,000', '3·10^123', '10^123')
    """
    if log >= LARGE:
        exponent = math.floor(log)
        digit = round(10 ** (log - exponent))
        exponent, digit = (exponent + 1, 1) if digit == 10 else (exponent, digit)
        return f"10^{exponent}" if digit == 1 else f"{digit}·10^{exponent}"
    return f"{round(10**log, 1 - math.floor(log)):,.0f}"


# -- random games -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WithChance(CompileTimeOptions):
    """Whether the game has chance nodes, as a constant of compiled code."""

    chance: bool


def random_games(game: Game, seconds: float, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64], float, bool]:
    """The records and utilities of random games, the time that they took, and whether Ctrl-C ended them."""
    options, state, random = WithChance(game.has_chance), cast_state(game, game.initial_state()), new_random(seed)
    records: list[NDArray[np.float64]] = []
    utilities: list[NDArray[np.float64]] = []
    number, spent, interrupted = FIRST_GAMES, 0.0, False
    while not interrupted:
        record, utility = np.zeros((number, 5)), np.zeros((number, game.players))
        started = time.perf_counter()
        try:
            run = play_many.prepare(game, options, state, random, record, utility)
            started = time.perf_counter()
            run(game, options, state, random, record, utility)
        except KeyboardInterrupt:
            interrupted = True
            done = max(0, int((record[:, PLIES] > 0).sum()) - 1)  # the last may be half written
            if not records and not done:
                raise
            record, utility = record[:done], utility[:done]
        took = time.perf_counter() - started
        spent += took
        records.append(record)
        utilities.append(utility)
        played = sum(map(len, records))
        rate = played / max(spent, 1e-6)
        if spent >= 0.8 * seconds or played >= MAX_GAMES:
            break
        number = max(1, min(4 * number, int(min(seconds - spent, LONGEST_RUN) * rate), MAX_GAMES - played))
    return np.concatenate(records), np.concatenate(utilities), spent, interrupted


@kernel
def play_many(game: Any, options: Any, state: Any, random: Any, records: Any, utilities: Any) -> None:
    """Play random games and record each in a row."""
    draws = pointer(random)
    for number in range(len(records)):
        play_one(game, options, state, draws, records, utilities, number)


@kernel
def play_one(game: Any, options: Any, state: Any, random: Any, records: Any, utilities: Any, number: int) -> None:
    """Play one random game."""
    plies, decisions, choices = 0, 0, 0
    log_paths = log_nodes = 0.0  # of the nodes at this ply, and of all nodes so far, as this game suggests
    while plies < LONGEST and not game.is_terminal(state):
        chosen_action, action_count, by_chance = 0, 0, False
        if options.chance:
            by_chance = game.to_move(state) == CHANCE
            if by_chance:
                chosen_action = random_outcome(game, state, random)
                log_paths -= math.log(game.probability(state, chosen_action))
        if not by_chance:
            for action in legal_actions(game, state):
                action_count += 1
                if random_below(random, action_count) == 0:  # with probability 1/2, 1/3, … it replaces the last choice
                    chosen_action = action
            decisions += 1
            choices += action_count
            log_paths += math.log(action_count)
        state = game.result(state, chosen_action)
        plies += 1
        most = max(log_nodes, log_paths)
        log_nodes = most + math.log(math.exp(log_nodes - most) + math.exp(log_paths - most))
    records[number, PLIES] = plies
    records[number, DECISIONS] = decisions
    records[number, CHOICES] = choices
    records[number, LOG_NODES] = log_nodes
    records[number, IS_OVER] = game.is_terminal(state)
    if game.is_terminal(state):
        for player in range(game.players):
            utilities[number, player] = game.utility(state, player)


# -- other games ------------------------------------------------------------------------------------------------------


def count_within(game: Game, seconds: float) -> tuple[TreeCount | None, float, bool]:
    """The exact counts of the game tree, None if they take longer; the time; and whether Ctrl-C ended the count."""
    try:
        count = count_tree(game, seconds=seconds, check=False)
    except OutplayError:  # games that go on for ever
        return None, 0.0, False
    except KeyboardInterrupt:  # while it was being compiled
        return None, 0.0, True
    return (count if count.complete else None), count.seconds, count.interrupted


@dataclass
class Searched:
    """Games between equal searches: how they ended (None if none did), the search, etc., as in `GameDescription`."""

    results: Results | None = None
    search: str = ""
    branching: float | None = None
    seconds: float = 0.0
    interrupted: bool = False


def searched_games(game: Game, seconds: float, seed: int) -> Searched:
    """Play games between equal searches. A game that is not over when the time is does not count."""
    kind: Any = ISMCTS if game.hidden_information else MCTS
    ends: list[tuple[float, ...]] = []
    choices: list[int] = []
    started, compiled, interrupted = time.perf_counter(), False, False

    def late() -> bool:
        return interrupted or (compiled and time.perf_counter() - started >= seconds)

    try:
        while not late():
            session = Session(game, seed=seed + len(ends))
            while not session.over and len(session.actions) < LONGEST and not late():
                if session.player == CHANCE:
                    session.play(session.roll())
                    continue
                searcher = kind(game, seed=seed + LONGEST * len(ends) + len(session.actions))
                limit = Limit(simulations=SIMULATIONS)
                analysis = searcher.search(session.state, limit, previous_states=session.states[:-1])
                interrupted = analysis.stopped == StopReason.INTERRUPTED
                if not compiled:
                    compiled, started = True, time.perf_counter()
                choices.append(len(list(legal_actions(game, session.state))))
                if analysis.action is None or not analysis.actions:  # interrupted before its first simulation
                    break
                session.play(analysis.action)
            if session.utilities is None:
                break
            ends.append(session.utilities)
    except KeyboardInterrupt:  # between two searches
        interrupted = True
    return Searched(
        results(np.array(ends, float)) if ends else None,
        f"{kind.__name__} with {SIMULATIONS} simulations",
        float(np.mean(choices)) if choices else None,
        time.perf_counter() - started,
        interrupted,
    )
