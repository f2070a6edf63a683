"""Learns a network for a game with chance by self-play, as TD-Gammon did (Tesauro 1995).

Each action is the one whose successor looks best; the dice bring variety. The network learns what a state is worth that
an action leads to, by TD(λ) from what followed, one part of the games at a time. Start at `NetworkLearner`.
"""

import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from outplay.compile.kernels import kernel, pointer, pointers
from outplay.compile.random_numbers import new_random
from outplay.evaluation.generated_code import function_from
from outplay.evaluation.learned import LearnedEvaluation
from outplay.evaluation.network import network_lines, network_names
from outplay.evaluation.patterns import Tables, code_of, score_of
from outplay.evaluation.variant import with_rules
from outplay.learning.fitting import Adam, Model, rate_at
from outplay.learning.labelling import kind_of_places
from outplay.learning.plan import Plan
from outplay.learning.progress import SLICE
from outplay.learning.search_training import NetworkTraining, network_tables
from outplay.learning.self_play import Record, play_game, reading_rules, recorded_games
from outplay.learning.training import Training
from outplay.rules.errors import EvaluationError
from outplay.rules.numbered import numbered

DECAY = 0.7
"""λ: how much of a goal is what followed later."""
POSITIONS = 1 << 15
"""A worker keeps so many positions, and those of one game more, until the network learns from them."""
FIRST = 0.04
"""The share of the time in which it learns before better games are looked at."""
LOOKS = 3
"""How often they are, as long as they show more."""


@kernel
def play_games(
    game: Any, start: Any, rows_: Any, model_: Any, random: Any, record: Any, places: Any, terms: Any, goals: Any,
    most_games: int,
) -> tuple[int, int]:  # fmt: skip
    """Play games until there is no room for another one, or so many. Returns their number and that of positions.

    A state that a player's action leads to is kept, unless the game says that it is not quiet.

    Args:
        game: the game, with the rules of a `NetworkLearner`.
        start: the state in which games begin.
        rows_: int64: what `source_of` reads.
        model_: the `Model`, of flat arrays.
        random: of `new_random`.
        record: a `Record`, as space.
        places: as in `LabelledPositions`, as are the next two.
        terms: see there.
        goals: see there.
        most_games: the most games.
    """
    rows, model, last = pointer(rows_), pointers(model_), len(model_.rows) // len(model_.bias) - 1
    games, count = 0, 0
    while games < most_games and count + len(record.movers) <= len(goals):
        plies = play_game(game, start, rows, model, 0, random, record)
        games += 1
        for at in range(1, plies):
            if record.quiet[at] == 1 and record.movers[at - 1] >= 0:
                for copy in range(places.shape[1]):
                    places[count, copy] = min(record.indices[at, copy], last)  # a state may be odd
                for term in range(terms.shape[1]):
                    terms[count, term] = record.terms[at, term]
                goal = record.goals[at, 0]
                if game.players == 2 and record.movers[at] == 1:
                    goal = -goal
                goals[count] = goal - record.settled[at]
                count += 1
    return games, count


class NetworkLearner:
    """A network that learns a game with chance.

    Args:
        plan: what is known of the game.
        tables: the form of its first layer.
        model: its numbers, which change.
        seed: of what chance does.
        workers: the number of threads that play.

    >>> from outplay.games import Pig
    >>> plan = Plan.of(Pig(12), positions=500)
    >>> tables = network_tables(plan)
    >>> learner = NetworkLearner(plan, tables, Model.new(tables, 8, 4, seed=1))
    >>> learner.play(20)
    20
    >>> bool(0 < learner.error < 1)
    True
    """

    def __init__(self, plan: Plan, tables: Tables, model: Model, seed: int = 1, workers: int = 1) -> None:
        self.plan, self.tables, self.adam = plan, tables, Adam(model, plan.bounded)
        game, code = plan.game, code_of(tables, plan.game, plan.most, plan.bounded)
        score = "0.0" if tables.score is None else f"{score_of(tables, game, 'game')} / game.most"
        rows = [f"min({index}, {tables.weights - 1})" for index in code.indices[: tables.copies]]
        width, units = model.second.shape
        weights = [f"float(terms[{place}])" for place in range(len(model.terms))]
        lines = [
            *code.lines,
            "weights, bias, second = model.rows, model.bias, model.second",
            "second_bias, last, terms = model.second_bias, model.last, model.terms",
            *network_lines(width, units, rows, weights, code.values, code.sign, "local_float32"),
            "return " + ("tanh(total)" if plan.bounded else f"{score} + total"),
        ]
        names = {"tanh": math.tanh, "log": math.log, "own": type(game).evaluate}
        value = function_from("learned_value", "game, state, rows, model, player", lines, names | network_names(1.0))
        self.game = with_rules(numbered(game), learned_value=value, **reading_rules(code, score, names))
        attributes = {"most": plan.most, "bounded": plan.bounded, "decay": DECAY, "learned_players": 1}
        for name, number in attributes.items():
            setattr(self.game, name, number)
        self.start, self.rows, self.error = game.initial_state(), code.rows, math.nan
        self.flat = Model(*(array.ravel() for array in model))  # views
        self.order = np.random.default_rng(seed)
        self.random = [new_random(seed * 1000 + worker) for worker in range(workers)]
        self.records = [Record.new(plan.plies, len(code.indices), len(tables.terms), 1) for _ in range(workers)]
        room = POSITIONS + plan.plies
        self.positions = [
            (np.empty((room, tables.copies), kind_of_places(tables)),
             np.empty((room, len(tables.terms)), np.float32), np.empty(room, np.float32))
            for _ in range(workers)
        ]  # fmt: skip

    @property
    def model(self) -> Model:
        """The numbers of the network."""
        return self.adam.model

    def play(self, games: int, share: float = 0.0, learns: bool = True) -> int:
        """Each worker plays at most so many games; then the network learns from them. Returns their number.

        The more of the time is over, a `share`, the smaller the steps. `error` is that before it learns.
        """

        def work(worker: int) -> tuple[int, int]:
            return play_games(
                self.game, self.start, self.rows, self.flat, self.random[worker], self.records[worker],
                *self.positions[worker], games,
            )  # fmt: skip

        with ThreadPoolExecutor(len(self.random)) as pool:
            counts = list(pool.map(work, range(len(self.random))))
        total = 0.0
        for (_, count), (places, terms, goals) in zip(counts, self.positions, strict=True):
            data = places[:count], terms[:count], goals[:count]
            order = self.order.permutation(count)
            total += self.adam.learn(data, order, lambda _: rate_at(share)) if learns else self.adam.errors(data, order)
        self.error = math.sqrt(total / max(1, sum(count for _, count in counts)))
        return sum(played for played, _ in counts)

    def games(self) -> Iterator[list[Any]]:
        """Games of the player against itself, without end: the states of each."""
        return recorded_games(self.game, self.start, self.rows, self.flat, 0, self.records[0], self.random[0])


class ChanceTraining(Training):
    """Learning by self-play; see `learn` for the arguments."""

    learner = "network"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.player: NetworkLearner | None = None
        self.resumed: dict[str, Any] = {}
        self.batch = self.budget.next_batch(1, SLICE)

    def learn(self, plan: Plan) -> None:
        """Learn, and meet the best player at times."""
        self.check_players()
        player = self.player = self._resumed(plan) or self._begun(plan)
        self.tables, self.most = player.tables, player.plan.most
        for share, match in self.checks():
            self._play(player, share)
            candidate = self.last()
            assert candidate is not None
            self.check(candidate, player.error, match)

    def last(self) -> LearnedEvaluation | None:
        """See `Training`."""
        if self.player is None:
            return None
        origin = {"learner": self.learner, **self.origin()}
        return self.packed(self.player.model.evaluation(self.player.plan, self.player.tables, origin))

    def arrays(self) -> dict[str, Any]:
        """See `Training`."""
        if self.player is None:
            return {}
        adam = self.player.adam
        models = {"model": adam.model, "means": adam.means, "squares": adam.squares}
        arrays = {f"{kind} {name}": array for kind, model in models.items() for name, array in model._asdict().items()}
        return {**arrays, "steps": np.array(adam.steps)}

    def take(self, arrays: dict[str, Any]) -> bool:
        """See `Training`."""
        assert self.tables is not None
        self.resumed, form = arrays, self._model(self.tables)._asdict()
        return int(arrays["steps"]) >= 0 and all(
            array.dtype == np.float32 and array.shape == form[name].shape and bool(np.isfinite(array).all())
            for kind in ("model", "means", "squares")
            for name in form
            for array in [arrays[f"{kind} {name}"]]
        )

    def _model(self, tables: Tables) -> Model:
        return Model.new(tables, NetworkTraining.width, NetworkTraining.units, self.seed)

    def _learner(self, plan: Plan, tables: Tables) -> NetworkLearner:
        return NetworkLearner(plan, tables, self._model(tables), self.seed, self.workers)

    def _resumed(self, plan: Plan) -> NetworkLearner | None:
        """The learner of an earlier run."""
        if self.tables is None:
            return None
        tables = self.tables
        self.plan = replace(plan, layout=tables.layout, score=tables.score, most=self.most)
        learner = self._learner(self.plan, tables)
        adam = learner.adam
        for kind, model in ("model", adam.model), ("means", adam.means), ("squares", adam.squares):
            for name, array in model._asdict().items():
                array[:] = self.resumed[f"{kind} {name}"]
        adam.steps = int(self.resumed["steps"])
        return learner

    def _begun(self, plan: Plan) -> NetworkLearner:
        """A learner whose layout shows what comes up in games between good players."""
        player = self._learner(plan, network_tables(plan))
        for _ in range(LOOKS if self.budget.allows_a_second_look else 0):
            self._play(player, FIRST)
            sizes = plan.layout.sizes
            self.begin("looking at better games")
            plan = self.plan = Plan.of(self.game, self.seed, seconds=self.budget.look, games=player.games())
            if plan.layout.sizes == sizes:
                break
            player = self._learner(plan, network_tables(plan))
        return player

    def _play(self, player: NetworkLearner, share: float) -> None:
        """Learn for this share of the budget."""
        progress, budget = self.progress, self.budget
        self.begin("learning")
        until = budget.used(progress.games) + share * budget.total
        while budget.used(progress.games) < until:
            began = time.monotonic()
            games = player.play(self.batch, min(1.0, budget.used(progress.games) / budget.total))
            took = max(time.monotonic() - began, 1e-6)
            progress.games += games
            progress.games_a_second, progress.error = games / took, player.error
            if not math.isfinite(progress.error):
                raise EvaluationError(f"{self.game!r}: a value is no number: see its utility() and evaluate()")
            self.batch = budget.next_batch(-(-games // self.workers), took)
            self.say()
