"""Games of a player against itself, from which its tables learn: TD(λ) with step sizes that need no tuning.

Each action is the one whose successor looks best, or at times a random one. After a game, the value of each state on
its way moves towards the values that followed (Sutton 1988). A weight moves by the share of its past errors that had
one sign: as long as it goes one way it moves fast, and when it only shakes, it stops (temporal coherence: Beal and
Smith 1999; for tables of games, Bagheri et al. 2016). What still shakes is averaged in the end (Polyak and Juditsky
1992; recent weights count more, as in Shamir and Zhang 2013).

Where chance decides, the states that actions lead to are learned, and those that chance leads to. All values are in
units of `most`, what a player can win. Start at `Learner`.
"""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import float64_at, kernel, pointer
from outplay.compile.random_numbers import new_random, random_below
from outplay.evaluation.generated_code import function_from
from outplay.evaluation.learned import LearnedEvaluation
from outplay.evaluation.patterns import Code, Tables, new_rule, padded, score_of, source_of, turn_of
from outplay.evaluation.variant import Rule, with_rules
from outplay.montecarlo.playouts import random_outcome
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, Game, defines, legal_actions, noisy_actions
from outplay.rules.numbered import numbered

OPENING = 5
"""A game begins with fewer random actions than this."""
STEP, FULL_STEP = 0.25, 1.0
"""The part of an error that the first step takes away: 2048 learns twice as much with all of it."""
QUIET_DEPTH = 3
"""At most so many captures follow an action before its value is estimated."""
FULL = 32767
"""The greatest weight in a file."""
RECENT, AVERAGED = 20, 1 << 20
"""Means are over the last of so many parts of what was played; more weights than that are averaged less often."""


@kernel
def value_of(game: Any, state: Any, player: int, rows: Any, weights: Any) -> float:
    """The value of a state for a player, in units of `most`."""
    if game.is_terminal(state):
        return (game.utility(state, player) - draw_utility(game)) / game.most  # type: ignore[no-any-return]
    return game.learned_value(state, rows, weights, player)  # type: ignore[no-any-return]


@kernel
def quiet_value(game: Any, state: Any, player: int, rows: Any, weights: Any, alpha: float, depth: int) -> float:
    """The value of a state for a player, after captures and what else is `noisy` if the game defines that.

    A value of at most `alpha` may be a bound: the player has something as good. At most `depth` such actions follow
    each other. See `search/quiescence.py` for the idea.
    """
    value: float = value_of(game, state, player, rows, weights)
    if defines(game, "noisy"):
        if depth == 0 or game.is_terminal(state) or (defines(game, "is_quiet") and game.is_quiet(state)):
            return value
        mover = game.to_move(state)
        if mover == CHANCE or game.learned_players > 1:  # the one's loss is not the other's gain
            return value
        best = value if mover == player else -value  # for the mover, who may do nothing
        least = alpha if mover == player else -1e9
        for action in noisy_actions(game, state):
            if mover != player and -best <= alpha:
                break
            child = game.result(state, action)
            best = max(best, quiet_value(game, child, mover, rows, weights, max(best, least), depth - 1))
        return best if mover == player else -best
    return value


class Record(NamedTuple):
    """A game that was played, by ply, including those of chance.

    Attributes:
        indices: int64 [plies, indices]: of each state, in the weights.
        terms: float64 [plies, terms]: the values of the terms.
        movers: int64 [plies]: who is to move, or `CHANCE`.
        turns: int64 [plies]: the player for whom tables speak, see `turn_of`.
        strayed: int64 [plies]: 1: a random action followed.
        quiet: int64 [plies]: 0: the game says that its state is not quiet.
        settled: float64 [plies]: what the player whose turn it was had got for certain.
        goals: float64 [plies, views]: by TD(λ), from what followed, what should have been expected: the value for
            player 0; or that for each player, or the chance of each outcome, if these are learned.
        ends: float64 [views]: space.
        here: int64 [indices]: space. A `pointer` does not keep an array alive, so that it comes from outside.
        terms_here: float64 [terms]: space.
    """

    indices: NDArray[np.int64]
    terms: NDArray[np.float64]
    movers: NDArray[np.int64]
    turns: NDArray[np.int64]
    strayed: NDArray[np.int64]
    quiet: NDArray[np.int64]
    settled: NDArray[np.float64]
    goals: NDArray[np.float64]
    ends: NDArray[np.float64]
    here: NDArray[np.int64]
    terms_here: NDArray[np.float64]

    @classmethod
    def new(cls, plies: int, indices: int, terms: int, views: int) -> "Record":
        """Space for a game."""
        return cls(
            np.empty((plies, indices), np.int64), np.empty((plies, terms)),
            np.empty(plies, np.int64), np.empty(plies, np.int64), np.empty(plies, np.int64), np.empty(plies, np.int64),
            np.empty(plies), np.empty((plies, views)), np.empty(views),
            np.empty(indices, np.int64), np.empty(terms),
        )  # fmt: skip


@kernel
def expect(game: Any, state: Any, rows: Any, weights: Any, views: Any) -> None:
    """Write to `views`, float64 [views], what is to be learned of the state before this one; see `Record.goals`."""
    if not game.is_terminal(state):
        game.learned_views(state, rows, weights, views)
    elif len(game.learned_outcomes) > 0:
        share_between((game.utility(state, 0) - draw_utility(game)) / game.most, game.learned_outcomes, views)
    else:
        for view in range(len(views)):
            views[view] = (game.utility(state, view) - draw_utility(game)) / game.most


@kernel
def share_between(result: float, outcomes: Any, chances: Any) -> None:
    """Write to `chances`, float64 [outcomes], the shares of the outcomes next to a result whose mean it is."""
    last = len(outcomes) - 1
    result = min(max(result, outcomes[0]), outcomes[last])
    for k in range(last + 1):
        chances[k] = 0.0
    below = 0
    while below < last - 1 and outcomes[below + 1] <= result:
        below += 1
    chances[below + 1] = (result - outcomes[below]) / (outcomes[below + 1] - outcomes[below])
    chances[below] = 1 - chances[below + 1]


@kernel
def play_game(game: Any, start: Any, rows: Any, weights: Any, explore: int, random: Any, record: Any) -> int:
    """Play a game and write it to a `Record`. Returns the number of plies.

    Args:
        game: the game, with the rules of a learner.
        start: the state in which it begins.
        rows: int64: what `source_of` reads.
        weights: what `learned_value` reads.
        explore: how many actions in a thousand are random.
        random: of `new_random`.
        record: the `Record`.
    """
    most_plies, number, terms = len(record.movers), len(record.here), len(record.terms_here)
    views, decay = len(record.ends), game.decay
    here, terms_here = pointer(record.here), pointer(record.terms_here)
    strayed, goals, ends = record.strayed, record.goals, record.ends
    state, ply, decisions = start, 0, 0
    opening, waiting = random_below(random, OPENING), 0  # states of chance that wait for a value
    while ply < most_plies and not game.is_terminal(state):
        mover = game.to_move(state)
        record.movers[ply], strayed[ply], record.quiet[ply] = mover, 0, 1
        record.settled[ply] = game.learned_score(state)
        if defines(game, "is_quiet"):
            record.quiet[ply] = 1 if game.is_quiet(state) else 0
        record.turns[ply] = game.learned_indices(state, rows, here, terms_here)
        for place in range(number):
            record.indices[ply, place] = here[place]
        for term in range(terms):
            record.terms[ply, term] = terms_here[term]
        if defines(game, "probability"):  # noqa: SIM102 - the compiler decides this, and then sees no inside
            if mover == CHANCE:
                waiting, ply = waiting + 1, ply + 1
                state = game.result(state, random_outcome(game, state, random))
                continue
        best, best_action, other = -math.inf, 0, 0
        action_count = 0
        for action in legal_actions(game, state):
            action_count += 1  # noqa: SIM113 - enumerate() of the actions does not compile
            other = action if random_below(random, action_count) == 0 else other
            value = quiet_value(game, game.result(state, action), mover, rows, weights, best, QUIET_DEPTH)
            if action_count == 1 or value > best:  # the first one, even if its value is no number
                best, best_action = value, action
        next_state = game.result(state, best_action)
        if views > 1:
            expect(game, next_state, rows, weights, ends)
        else:
            ends[0] = -best if mover == 1 else best
        for at in range(ply - waiting, ply + 1):
            for view in range(views):
                goals[at, view] = ends[view]
        waiting = 0
        if decisions < opening or random_below(random, 1000) < explore:
            strayed[ply] = 1
            next_state = game.result(state, other)
        state, ply, decisions = next_state, ply + 1, decisions + 1
    if game.is_terminal(state) or not game.bounded:
        expect(game, state, rows, weights, ends)
    elif len(game.learned_outcomes) > 0:
        share_between(0.0, game.learned_outcomes, ends)
    else:
        for view in range(views):
            ends[view] = 0.0
    for at in range(ply - 1, -1, -1):
        for view in range(views):
            if at >= ply - waiting:  # chance ended the game
                goals[at, view] = ends[view]
            value = goals[at, view]
            ends[view] = value if strayed[at] == 1 else decay * ends[view] + (1 - decay) * value
            goals[at, view] = ends[view]
    return ply


@kernel
def self_play(
    game: Any,
    start: Any,
    rows_: Any,
    weights_: Any,
    sums_: Any,
    sizes_: Any,
    stride: int,
    explore: int,
    random: Any,
    record: Any,
    report: Any,
    games: int,
    learns: bool,
) -> None:
    """Play games, and learn from each, backwards.

    Args:
        game: the game, with the rules of a `Learner`.
        start: the state in which games begin.
        rows_: int64: what `source_of` reads.
        weights_: float64 [weights].
        sums_: float64 [weights]: the sum of the errors seen by each weight.
        sizes_: float64 [weights]: the sum of their sizes.
        stride: the weights of a player.
        explore: how many actions in a thousand are random.
        random: of `new_random`.
        record: a `Record`, as space.
        report: float64 [3]: plies played, the sum of their squared errors, and their number are added here.
        games: the number of games.
        learns: False: only measure errors.
    """
    rows, weights, sums, sizes = pointer(rows_), pointer(weights_), pointer(sums_), pointer(sizes_)
    number, terms, views = len(record.here), len(record.terms_here), game.learned_players
    copies = number - terms
    history, values, turns = record.indices, record.terms, record.turns
    for _ in range(games):
        plies = play_game(game, start, rows, weights, explore, random, record)
        report[0] += plies
        for at in range(plies - 1, -1, -1):
            for view in range(views):
                goal, total, first, norm = record.goals[at, view], 0.0, view * stride, float(max(copies, 1))
                sign = -1.0 if game.learned_opposite and turns[at] == 1 else 1.0
                for copy in range(copies):
                    total += sign * weights[first + history[at, copy]]
                for term in range(terms):
                    total += weights[first + history[at, copies + term]] * values[at, term]
                    norm += values[at, term] ** 2
                value = math.tanh(total) if game.bounded else total
                goal = goal if views > 1 or game.players == 1 or turns[at] == 0 else -goal
                error = goal - value - record.settled[at]
                report[1] += error * error
                report[2] += 1
                if learns and record.quiet[at] == 1:
                    for copy in range(number):
                        place = first + history[at, copy]
                        change = error * (sign if copy < copies else values[at, copy - copies])
                        trust = abs(sums[place]) / sizes[place] if sizes[place] > 0 else 1.0
                        weights[place] += game.step * trust * change / norm
                        sums[place] += change
                        sizes[place] += abs(change)


@kernel
def recorded_game(game: Any, start: Any, rows: Any, weights: Any, explore: int, random: Any, actions: Any) -> int:
    """Play a game; its actions are written to `actions`, int64 [most plies]. Returns their number."""
    state, ply = start, 0
    while ply < len(actions) and not game.is_terminal(state):
        mover, best, best_action, other, action_count = game.to_move(state), -math.inf, 0, 0, 0
        if defines(game, "probability"):  # noqa: SIM102 - the compiler decides this, and then sees no inside
            if mover == CHANCE:
                actions[ply] = random_outcome(game, state, random)
                state, ply = game.result(state, actions[ply]), ply + 1
                continue
        for action in legal_actions(game, state):
            action_count += 1  # noqa: SIM113 - enumerate() of the actions does not compile
            other = action if random_below(random, action_count) == 0 else other
            value = value_of(game, game.result(state, action), mover, rows, weights)
            if action_count == 1 or value > best:  # the first one, even if its value is no number
                best, best_action = value, action
        actions[ply] = other if random_below(random, 1000) < explore else best_action
        state, ply = game.result(state, actions[ply]), ply + 1
    return ply


def recorded_games(
    game: Any, start: Any, rows: Any, weights: Any, explore: int, record: Record, random: Any
) -> Iterator[list[Any]]:
    """Games of a player against itself, without end: the states of each."""
    actions = np.zeros(len(record.movers), np.int64)
    while True:
        plies = recorded_game(game, start, rows, weights, explore, random, actions)
        states = [start]
        for action in actions[:plies].tolist():
            states.append(game.result(states[-1], action))
        yield states


def reading_rules(code: Code, tables: Tables, score: str, names: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """Rules that read a state for kernels: `learned_indices`, which tells whose turn it is, and `learned_score`.

    `learned_views` asks `learned_value`. `names` are what the source of `code` and `score` uses.
    """
    outputs = [
        *(f"out[{place}] = {index}" for place, index in enumerate(code.indices)),
        *(f"values[{term}] = {value}" for term, value in enumerate(code.values)),
        f"return {turn_of(tables.layout, 'game')}",
    ]
    return {
        "learned_indices": function_from(
            "learned_indices", "game, state, rows, out, values", [*code.lines, *outputs], names
        ),
        "learned_score": function_from("learned_score", "game, state", [f"return {score}"], names),
        "learned_views": function_from(
            "learned_views", "game, state, rows, weights, views",
            ["for view in range(len(views)):", "    views[view] = game.learned_value(state, rows, weights, view)"], {},
        ),
    }  # fmt: skip


class Learner:
    """Tables of a game that learn.

    Args:
        game: the game.
        tables: the form of its tables.
        most: the most that a player can win or lose, or how much a usual game is about.
        bounded: whether values are between -most and most.
        seed: of the random actions.
        workers: the number of threads that learn at the same time. With one, a seed gives the same weights.
        plies: a game of so many plies is over.
        explore: how many actions in a thousand are random.
        step: the part of an error that the first step takes away.
        decay: λ: how much of a value is what followed later.

    >>> from outplay.games import Breakthrough
    >>> from outplay.learning import Plan
    >>> game = Breakthrough(4, 4)
    >>> plan = Plan.of(game, positions=500)
    >>> learner = Learner(game, plan.tables(16), plan.most, plan.bounded)
    >>> plies, squares, errors = learner.play(200)
    >>> bool(plies > 200), bool(squares / errors < 1)
    (True, True)
    >>> learner.evaluation()
    <LearnedEvaluation of Breakthrough(rows=4, columns=4): 14 patterns, 257,496 weights>
    """

    def __init__(
        self,
        game: Game,
        tables: Tables,
        most: float,
        bounded: bool,
        seed: int = 1,
        workers: int = 1,
        plies: int = 400,
        explore: int = 100,
        step: float = STEP,
        decay: float = 0.7,
    ) -> None:
        self.rules, self.tables, self.most, self.bounded = game, tables, most, bounded
        turn = turn_of(tables.layout, "game")
        own = f"(game.evaluate(state, {turn}) - {draw_utility(game)!r}) * {1 / most!r}"
        code = source_of(tables, "game", own, bounded)
        total = code.total("weights[{}]")
        offset = [f"s += player * {tables.of_one_player}"] if tables.players > 1 else []
        score = "0.0" if tables.score is None else f"{score_of(tables, game, 'game')} / game.most"
        squeezed = f"tanh({total})" if bounded else f"{score} + {total}"
        view = f"if {turn} == player else -value" if tables.players == 1 and game.players > 1 else ""
        names = {"tanh": math.tanh, "log": math.log}
        self.game = with_rules(
            numbered(game),
            learned_value=function_from(
                "learned_value", "game, state, rows, weights, player",
                [*code.lines, *offset, f"value = {squeezed}", f"return value {view}"], names,
            ),
            **reading_rules(code, tables, score, names),
        )  # fmt: skip
        for name, value in (
            ("most", most),
            ("bounded", bounded),
            ("step", step),
            ("decay", decay),
            ("learned_players", tables.players),
            ("learned_outcomes", np.zeros(0)),
            ("learned_opposite", tables.sides == "opposite"),
        ):
            setattr(self.game, name, value)
        self.rows = code.rows
        self.weights, self.sums, self.sizes = (padded(np.zeros(tables.weights)) for _ in range(3))
        if tables.own:  # it begins with what the game's own evaluation says
            self.weights[sum(tables.lengths) : tables.weights : tables.size] = tables.own
        self.mean, self.batches = self.weights.copy(), 0
        self.explore, self.start = explore, game.initial_state()
        self.records = [Record.new(plies, len(code.indices), len(tables.terms), tables.players) for _ in range(workers)]
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Choose at random as a new learner with this seed does. Games of random actions are then the same."""
        self.random = [new_random(seed * 1000 + worker) for worker in range(len(self.records))]

    def play(self, games: int, learns: bool = True) -> NDArray[np.float64]:
        """Each worker plays so many games. Returns the plies, the sum of squared errors, and their number."""
        reports = [np.zeros(3) for _ in self.random]

        def work(worker: int) -> None:
            self_play(
                self.game, self.start, self.rows, self.weights, self.sums, self.sizes, self.tables.of_one_player,
                self.explore, self.random[worker], self.records[worker], reports[worker], games, learns,
            )  # fmt: skip

        if len(self.random) == 1:
            work(0)
        else:
            with ThreadPoolExecutor(len(self.random)) as pool:
                list(pool.map(work, range(len(self.random))))
        if learns:
            self._average()
        return np.sum(reports, axis=0)  # type: ignore[no-any-return]

    def _average(self) -> None:
        """Let what was just learned take part in the mean."""
        number, rest = divmod(self.batches, 1 + len(self.weights) // AVERAGED)
        if rest == 0:
            self.mean += (self.weights - self.mean) * ((RECENT + 1) / (RECENT + 1 + number))
        self.batches += 1

    def games(self) -> Iterator[list[Any]]:
        """Games of the player against itself, without end: the states of each."""
        return recorded_games(
            self.game, self.start, self.rows, self.weights, self.explore, self.records[0], self.random[0]
        )

    def evaluation(self, origin: dict[str, Any] | None = None) -> LearnedEvaluation:
        """What was learned so far, for a search, with a note on how it was made. A weight that saw no game is 0."""
        weights = self.mean[: self.tables.weights]
        scale = max(float(abs(weights).max()), 1e-9) / FULL
        whole = np.rint(weights / scale).astype(np.int16)
        return LearnedEvaluation(repr(self.rules), self.tables, whole, scale, self.most, self.bounded, origin or {})


class Snapshot:
    """The weights of a learner at one time, as an evaluation for matches: other weights take no new compiling.

    The code reads them by their address, which `set` does not change.
    """

    network = None

    def __init__(self, learner: Learner) -> None:
        self.tables, self.most, self.bounded, self.scale = learner.tables, learner.most, learner.bounded, 1.0
        self.weights = learner.mean.copy()
        self.rules: dict[type[Game], Rule] = {}

    def set(self, weights: NDArray[np.float64]) -> None:
        """Evaluate with these weights from now on."""
        self.weights[:] = weights

    def rule(self, game: Game) -> Rule:
        """See `Evaluation`."""
        if type(game) not in self.rules:
            weights = f"float64_at({self.weights.ctypes.data})"
            self.rules[type(game)] = new_rule(self, game, weights, "weights[{}]", {"float64_at": float64_at})
        return self.rules[type(game)]
