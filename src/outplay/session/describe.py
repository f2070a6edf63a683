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
MAX_SEARCHED = 10.0
"""Seconds after which a game between searches is given up, or twice the time for all of them if that is more."""
SIMULATIONS = 200
"""Simulations for each move of a game between equal searches."""
BATCHES, RESAMPLES = 100, 1_000
"""For confidence intervals."""
SHARES = 0.4, 0.25
"""The shares of the time for random games and for counting; the rest is for games between searches."""
ENOUGH = 0.8
"""The share of the time for random games after which no further ones are begun."""
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
class Description:
    """A game in numbers, from its initial state.

    Attributes:
        game: the game.
        games: the number of random games, all legal actions equally likely.
        unfinished: how many of them were not over after 5,000 plies.
        branching: the mean number of legal actions of the player to move.
        length: the mean number of plies of a random game, without outcomes of chance.
        lengths: the shortest and the longest random game.
        log_nodes: the base-10 logarithm of Knuth's estimate of the nodes of the game tree.
        interval: its 95 % confidence interval.
        exact: the exact counts, if the game is small enough.
        random: how the random games ended.
        searched: how games between equal searches ended; None for one player, or if there was no time.
        search: the searcher of these games.
        seconds: the time that it took.
        interrupted: whether Ctrl-C ended it early; the numbers are those so far.
    """

    game: Game
    games: int
    unfinished: int
    branching: float
    length: float
    lengths: tuple[int, int]
    log_nodes: float
    interval: tuple[float, float]
    exact: TreeCount | None
    random: Results
    searched: Results | None
    search: str
    seconds: float
    interrupted: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The description as plain values, for JSON."""
        return {**asdict(self), "game": repr(self.game)}

    def __str__(self) -> str:
        nodes = (
            f"about {power(self.log_nodes)} ({power(self.interval[0])} to {power(self.interval[1])}; Knuth's estimate)"
        )
        if self.exact is not None:
            nodes = f"{self.exact.nodes:,} (exact)"
        rows = [
            ("branching factor", f"{self.branching:.1f}"),
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
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)


def describe(
    game: Game, seconds: float = 10.0, *, seed: int = 0, progress: Callable[[str], None] | None = None
) -> Description:
    """Measure a game: branching factor, length, the size of the tree, and who wins at random and between searches.

    Args:
        game: the game, with any number of players, with or without chance and hidden information.
        seconds: about how long to measure, without compiling.
        seed: the seed of all random choices. The same seed gives the same games, but how many depends on the time.
        progress: a function that is called with what is being done, in words.

    Ctrl-C ends the measurement, and what was measured so far is returned; during the first games it raises
    `KeyboardInterrupt`. Raises `ValueError` for a time that is not positive, and `RulesError` for broken rules.

    >>> from outplay.games import Nim
    >>> told = describe(Nim((1, 2)), seconds=0.5)
    >>> told.exact.nodes, told.exact.games, told.lengths
    (12, 5, (2, 3))
    """
    check_is_game(game, "describe")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
        raise ValueError(f"describe(seconds={seconds!r}): a number greater than 0")
    check_rules(game)
    say = progress or (lambda text: None)
    plain = numbered(game)
    say("random games…")
    records, utilities, spent = random_games(plain, seconds * SHARES[0], seed)
    over = records[:, IS_OVER] > 0
    interrupted = spent < ENOUGH * seconds * SHARES[0] and len(records) < MAX_GAMES
    exact, searched, name = None, None, ""
    if not interrupted:
        say("counting states…")
        exact, interrupted = count_within(game, seconds * SHARES[1])
        spent += 0.0 if exact is None else exact.seconds
    if game.players > 1 and not interrupted:
        say("games between equal searches…")
        searched, name, more, interrupted = searched_games(game, max(seconds - spent, 0.1), seed)
        spent += more
    return Description(
        game=game,
        games=len(records),
        unfinished=int((~over).sum()),
        branching=float(records[:, CHOICES].sum() / max(1, records[:, DECISIONS].sum())),
        length=float(records[:, DECISIONS].mean()),
        lengths=(int(records[:, DECISIONS].min()), int(records[:, DECISIONS].max())),
        log_nodes=log_mean(records[:, LOG_NODES])[0],
        interval=log_mean(records[:, LOG_NODES])[1:],
        exact=exact,
        random=results(utilities[over]),
        searched=searched,
        search=name,
        seconds=spent,
        interrupted=interrupted,
    )


def log_mean(logs: NDArray[np.float64]) -> tuple[float, float, float]:
    """The base-10 logarithm of the mean of exp(logs), and of the ends of its 95 % confidence interval.

    The interval is that of a bootstrap over the means of `BATCHES` batches, since a few games make up most of the mean.
    """
    most = float(logs.max())
    means = np.array([batch.mean() for batch in np.array_split(np.exp(logs - most), min(BATCHES, len(logs)))])
    drawn = np.random.default_rng(0).choice(means, (RESAMPLES, len(means))).mean(axis=1)
    ends = np.log10([means.mean(), *np.quantile(drawn, (0.025, 0.975))]) + most / math.log(10)
    return float(ends[0]), float(ends[1]), float(ends[2])


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


def in_words(found: Results) -> str:
    """Results as a sentence."""
    if len(found.wins) == 1:
        return f"mean utility {found.means[0]:.4g}"
    wins = ", ".join(f"player {player} wins {share:.1%}" for player, share in enumerate(found.wins))
    return f"{wins}, draws {found.draws:.1%}"


def power(log: float) -> str:
    """10 to this power, as text.

    >>> power(5.74), power(123.4)
    ('550,000', '10^123')
    """
    if log >= 15:
        return f"10^{log:.0f}"
    number = 10**log
    digits = 1 - math.floor(log)
    return f"{round(number, digits):,.0f}"


# -- random games -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WithChance(CompileTimeOptions):
    """Whether the game has chance nodes, as a constant of compiled code."""

    chance: bool


def random_games(game: Game, seconds: float, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The records and utilities of random games, and the time that they took. Ctrl-C ends them after the first ones."""
    options, state, random = WithChance(game.has_chance), cast_state(game, game.initial_state()), new_random(seed)
    number, spent = FIRST_GAMES, 0.0
    records: list[NDArray[np.float64]] = []
    utilities: list[NDArray[np.float64]] = []
    while True:
        record, utility = np.zeros((number, 5)), np.zeros((number, game.players))
        run = play_many.prepare(game, options, state, random, record, utility)
        started = time.perf_counter()
        try:
            run(game, options, state, random, record, utility)
        except KeyboardInterrupt:
            if not records:
                raise
            return np.concatenate(records), np.concatenate(utilities), spent
        took = time.perf_counter() - started
        spent += took
        records.append(record)
        utilities.append(utility)
        played = sum(map(len, records))
        rate = played / max(spent, 1e-6)
        if spent >= ENOUGH * seconds or played >= MAX_GAMES:
            return np.concatenate(records), np.concatenate(utilities), spent
        number = max(1, min(4 * number, int((seconds - spent) * rate), MAX_GAMES - played))


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
        chosen, listed, by_chance = 0, 0, False
        if options.chance:
            by_chance = game.to_move(state) == CHANCE
            if by_chance:
                chosen = random_outcome(game, state, random)
                log_paths -= math.log(game.probability(state, chosen))
        if not by_chance:
            for action in legal_actions(game, state):
                listed += 1
                if random_below(random, listed) == 0:  # with probability 1/2, 1/3, … it replaces the last choice
                    chosen = action
            decisions += 1
            choices += listed
            log_paths += math.log(listed)
        state = game.result(state, chosen)
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


def count_within(game: Game, seconds: float) -> tuple[TreeCount | None, bool]:
    """The exact counts of the game tree, None if they take longer; and whether Ctrl-C ended the count."""
    try:
        found = count_tree(game, seconds=seconds, check=False)
    except OutplayError:  # games that go on for ever
        return None, False
    except KeyboardInterrupt:  # while it is compiled
        return None, True
    return (found, False) if found.complete else (None, found.seconds < seconds)


def searched_games(game: Game, seconds: float, seed: int) -> tuple[Results | None, str, float, bool]:
    """How games between equal searches ended, the search, the time that they took, and whether Ctrl-C ended them."""
    kind: Any = ISMCTS if game.hidden_information else MCTS
    ends: list[tuple[float, ...]] = []
    limit, started = Limit(simulations=SIMULATIONS), time.perf_counter()
    compiled = interrupted = False
    while not ends or time.perf_counter() - started < seconds:
        session = Session(game, seed=seed + len(ends))
        while (
            not session.over
            and len(session.actions) < LONGEST
            and time.perf_counter() - started < max(2 * seconds, MAX_SEARCHED)
        ):
            if session.player == CHANCE:
                session.play(session.roll())
                continue
            searcher = kind(game, seed=seed + LONGEST * len(ends) + len(session.actions))
            try:
                analysis = searcher.search(session.state, limit, previous_states=session.states[:-1])
                interrupted = analysis.stopped == "interrupted"
            except KeyboardInterrupt:  # while it is compiled
                interrupted = True
            if interrupted:
                break
            if not compiled:
                compiled, started = True, time.perf_counter()
            assert analysis.action is not None
            session.play(analysis.action)
        if session.utilities is None:
            break
        ends.append(session.utilities)
    name = f"{kind.__name__} with {SIMULATIONS} simulations"
    spent = time.perf_counter() - started
    return (results(np.array(ends, float)) if ends else None), name, spent, interrupted
