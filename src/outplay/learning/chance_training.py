"""Learns a network for a game with chance by self-play, as TD-Gammon did (Tesauro 1995).

Each action is the one whose successor looks best; the dice bring variety. The network learns what a state is worth that
an action leads to, by TD(λ) from what followed, one part of the games at a time; and of states in which a player
decides, some. If a game can end in more ways than two, it learns how likely each is. Start at `NetworkLearner`.
"""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from outplay.compile.kernels import kernel, pointer, pointers
from outplay.compile.random_numbers import new_random
from outplay.evaluation.generated_code import function_from
from outplay.evaluation.learned import LearnedEvaluation
from outplay.evaluation.network import LAYERS, flat, network_lines, network_names
from outplay.evaluation.patterns import Tables, code_of, rows_of, score_of, turn_of
from outplay.evaluation.variant import with_rules
from outplay.learning.fitting import Adam, Model, rate_at
from outplay.learning.labelling import kind_of_places
from outplay.learning.plan import Plan
from outplay.learning.search_training import NetworkTraining, network_tables
from outplay.learning.self_play import Record, play_game, reading_rules, recorded_games
from outplay.learning.self_play_training import SelfPlayTraining
from outplay.rules.game import CHANCE
from outplay.rules.numbered import numbered

DECAY = 0.7
"""λ: how much of a goal is what followed later."""
POSITIONS = 1 << 15
"""A worker keeps so many positions, and those of one game more, until the network learns from them."""
RATE, LAST_RATE = 1e-2, 1e-4
"""The size of the first and of the last step."""
DECISIONS = 4
"""It learns one in so many states that chance leads to."""


@kernel
def play_games(
    game: Any, start: Any, rows_: Any, model_: Any, random: Any, record: Any, places: Any, terms: Any, goals: Any,
    most_games: int,
) -> tuple[int, int]:  # fmt: skip
    """Play games until there is no room for another one, or so many. Returns their number and that of positions.

    A state that a player's action leads to is kept, and one in `DECISIONS` of those that chance leads to, unless the
    game says that they are not quiet.

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
    games, count, by_chance = 0, 0, 0
    while games < most_games and count + len(record.movers) <= len(goals):
        plies = play_game(game, start, rows, model, 0, random, record)
        games += 1
        for at in range(1, plies):
            if record.movers[at - 1] == CHANCE:
                by_chance += 1
                if by_chance % DECISIONS:
                    continue
            if record.quiet[at] == 1:
                for copy in range(places.shape[1]):
                    places[count, copy] = min(record.indices[at, copy], last)  # a state may be odd
                for term in range(terms.shape[1]):
                    terms[count, term] = record.terms[at, term]
                outputs, is_turned = goals.shape[1], game.players == 2 and record.turns[at] == 1
                for output in range(outputs):
                    goals[count, output] = record.goals[at, outputs - 1 - output if is_turned else output]
                if outputs == 1:
                    goals[count, 0] = (-goals[count, 0] if is_turned else goals[count, 0]) - record.settled[at]
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
        outcomes = plan.outcomes if len(model.last_bias) > 1 else ()
        self.plan, self.tables, self.adam = plan, tables, Adam(model, plan.bounded, outcomes)
        game, code = plan.game, code_of(tables, plan.game, plan.most, plan.bounded)
        score = "0.0" if tables.score is None else f"{score_of(tables, game, 'game')} / game.most"
        (units, outputs), turn = model.last.shape, turn_of(tables.layout, "game")
        lines = [
            *code.lines,
            f"weights, {', '.join(LAYERS)} = model.rows, {', '.join(f'model.{name}' for name in LAYERS)}",
            *network_lines(
                units, outputs, len(model.bias), rows_of(code, tables), code.values, code.sign, outcomes,
                "local_float32",
            ),
        ]  # fmt: skip
        value = "total" if outcomes else "tanh(total)" if plan.bounded else f"{score} + total"
        view = f"if {turn} == player else -value" if game.players == 2 else ""
        names = {"tanh": math.tanh, "log": math.log, "own": type(game).evaluate, **network_names(1.0)}
        rules = reading_rules(code, tables, score, names)
        rules["learned_value"] = function_from(
            "learned_value", "game, state, rows, model, player",
            [*lines, f"value = {value}", f"return value {view}"], names,
        )  # fmt: skip
        if outcomes:
            place = f"{outputs - 1} - k if game.players == 2 and {turn} == 1 else k"
            shares = [f"for k in range({outputs}):", f"    views[{place}] = float(chances[k]) / sum_of_chances"]
            rules["learned_views"] = function_from(
                "learned_views", "game, state, rows, model, views", [*lines, *shares], names
            )
        self.game = with_rules(numbered(game), **rules)
        attributes = {
            "most": plan.most, "bounded": plan.bounded, "decay": DECAY, "learned_players": 1,
            "learned_outcomes": np.array(outcomes, float),
        }  # fmt: skip
        for name, number in attributes.items():
            setattr(self.game, name, number)
        self.start, self.rows, self.error = game.initial_state(), code.rows, math.nan
        self.flat = Model(*map(flat, model))
        self.order = np.random.default_rng(seed)
        self.random = [new_random(seed * 1000 + worker) for worker in range(workers)]
        self.records = [Record.new(plan.plies, len(code.indices), len(tables.terms), outputs) for _ in range(workers)]
        room = POSITIONS + plan.plies
        self.positions = [
            (np.empty((room, tables.copies), kind_of_places(tables)),
             np.empty((room, len(tables.terms)), np.float32), np.empty((room, outputs), np.float32))
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
            total += (
                self.adam.learn(data, order, lambda _: rate_at(share, RATE, LAST_RATE))
                if learns
                else self.adam.errors(data, order)
            )
        self.error = math.sqrt(total / max(1, sum(count for _, count in counts)))
        return sum(played for played, _ in counts)

    def games(self) -> Iterator[list[Any]]:
        """Games of the player against itself, without end: the states of each."""
        return recorded_games(self.game, self.start, self.rows, self.flat, 0, self.records[0], self.random[0])


def chance_tables(plan: Plan) -> Tables:
    """Tables of a network that learns from the rules and the features of the game: from its evaluation only if there
    is nothing else.
    """
    tables = network_tables(plan)
    return replace(tables, own=0.0) if tables.groups or any(tables.features) else tables


class ChanceTraining(SelfPlayTraining[NetworkLearner]):
    """Learning of networks; see `learn` for the arguments."""

    learner = "network"

    def learn(self, plan: Plan) -> None:
        """Learn, and meet the best player at times."""
        self.check_players()
        player = self.player = self._resumed(plan) or self.first_player(plan, self._new_player)[1]
        self.tables, self.most = player.tables, player.plan.most
        for share, match in self.checks():
            self.play(player, share)
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
        return {**arrays, "steps": np.array(adam.steps), "outcomes": np.array(self.player.plan.outcomes)}

    def take(self, arrays: dict[str, Any]) -> bool:
        """See `Training`."""
        assert self.tables is not None
        outcomes = arrays["outcomes"]
        self.resumed, form = arrays, self._model(self.tables, len(outcomes))._asdict()
        are_numbers = outcomes.ndim == 1 and outcomes.dtype == float and bool(np.isfinite(outcomes).all())
        return (
            are_numbers
            and bool((np.diff(outcomes) > 0).all())
            and int(arrays["steps"]) >= 0
            and all(
                array.dtype == np.float32 and array.shape == form[name].shape and bool(np.isfinite(array).all())
                for kind in ("model", "means", "squares")
                for name in form
                for array in [arrays[f"{kind} {name}"]]
            )
        )

    def _model(self, tables: Tables, outcomes: int) -> Model:
        return Model.new(tables, NetworkTraining.width, NetworkTraining.units, self.seed, max(outcomes, 1))

    def _learner(self, plan: Plan, tables: Tables) -> NetworkLearner:
        return NetworkLearner(plan, tables, self._model(tables, len(plan.outcomes)), self.seed, self.workers)

    def _new_player(self, plan: Plan) -> NetworkLearner:
        return self._learner(plan, chance_tables(plan))

    def _resumed(self, plan: Plan) -> NetworkLearner | None:
        """The learner of an earlier run."""
        if self.tables is None:
            return None
        outcomes = tuple(self.resumed["outcomes"].tolist())
        self.plan = replace(self.resumed_plan(plan, self.tables), outcomes=outcomes)
        learner = self._learner(self.plan, self.tables)
        adam = learner.adam
        for kind, model in ("model", adam.model), ("means", adam.means), ("squares", adam.squares):
            for name, array in model._asdict().items():
                array[:] = self.resumed[f"{kind} {name}"]
        adam.steps = int(self.resumed["steps"])
        return learner

    def play_part(self, player: NetworkLearner) -> tuple[int, float]:
        """See `SelfPlayTraining`."""
        used = self.budget.used(self.progress.games) / self.budget.total
        return player.play(self.batch, min(1.0, used)), player.error
