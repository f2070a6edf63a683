"""Networks that learn games with chance by self-play: a slow twin, exact values, files, and what is refused."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from evaluation.test_patterns import entries_of, whose_turn

from learning.test_fitting import softsign
from learning.test_self_play import SlowLearner, Taking
from learning.test_training import fewer, stop_when  # noqa: F401 - a fixture
from outplay import EvaluationError, Game, LearnedEvaluation, UnsuitableGame
from outplay.games import Pig, TwentyFortyEight
from outplay.learning import chance_training, search_training, training
from outplay.learning import plan as plan_module
from outplay.learning.chance_training import DECAY, DECISIONS, ChanceTraining, NetworkLearner
from outplay.learning.fitting import Model
from outplay.learning.learn import learn
from outplay.learning.pattern_training import PatternTraining
from outplay.learning.plan import Plan
from outplay.learning.progress import Budget
from outplay.learning.search_training import network_tables
from outplay.rules.base import Rules
from outplay.rules.game import CHANCE


class Race(Game):
    """Two men of each player run to `HOME`, by dice of 1 or 2, against each other. A man that is met begins anew."""

    HOME = 4
    players, zero_sum, utilities = 2, True, (-1, 1)
    results = -1, 1

    def initial_state(self):
        return 0, 0, (0, 0), (0, 0)  # whose turn, the die, the men of each

    def to_move(self, state):
        return CHANCE if state[1] == 0 else state[0]

    def actions(self, state):
        if state[1] == 0:
            return [1, 2]
        men = state[2] if state[0] == 0 else state[3]
        return [man for man in (0, 1) if men[man] < self.HOME]

    def probability(self, state, action):
        return 0.5

    def result(self, state, action):
        turn, die, mine, theirs = state
        if die == 0:
            return turn, action, mine, theirs
        if turn == 1:
            mine, theirs = theirs, mine
        place = min(mine[action] + die, self.HOME)
        mine = (place, mine[1]) if action == 0 else (mine[0], place)
        met = self.HOME - place if place < self.HOME else -1
        theirs = (0 if theirs[0] == met else theirs[0], 0 if theirs[1] == met else theirs[1])
        return (1, 0, mine, theirs) if turn == 0 else (0, 0, theirs, mine)

    def is_terminal(self, state):
        return self.HOME == state[2][0] == state[2][1] or self.HOME == state[3][0] == state[3][1]

    def utility(self, state, player):
        winner = 0 if self.HOME == state[2][0] == state[2][1] else 1
        return 1 if player == winner else -1


class Turning(Taking):
    """After each action chance turns the row by some places."""

    def initial_state(self):
        return (3, 9, 4, 8, 2, 7), 0, 0, 0  # and whether chance is to decide

    def to_move(self, state):
        return CHANCE if state[3] else state[1]

    def probability(self, state, action):
        return 0.5

    def result(self, state, action):
        row, turn, score, by_chance = state
        if by_chance:
            return (row[1:] + row[:1] if action else row), turn, score, 0
        row, turn, score = super().result((row, turn, score), action)
        return row, turn, score, 1


class LongWays(Race):
    """It counts for more to win before the other's first man is at home, and nothing if both are close."""

    utilities = (-3, 3)
    results = -3, -1, 0, 1, 3
    feature_names = ("ahead",)

    def features(self, state):
        return ((1 - 2 * state[0]) * (sum(state[2]) - sum(state[3])),)

    def utility(self, state, player):
        others = state[3] if self.HOME == state[2][0] == state[2][1] else state[2]
        points = 3 if self.HOME not in others else 0 if min(others) == self.HOME - 1 else 1
        return points * super().utility(state, player)


def learner_of(game, seed=1, workers=1, plies=60):
    plan = replace(Plan.of(game, positions=300), plies=plies)
    tables = network_tables(plan)
    model, rng = Model.new(tables, 8, 4, seed, max(len(plan.outcomes), 1)), np.random.default_rng(seed)
    for array in model.inputs, model.last, model.last_bias:
        array[:] = rng.normal(0, 1, array.shape)
    return NetworkLearner(plan, tables, model, seed, workers)


# -- the slow twin -----------------------------------------------------------------------------------------------------


class SlowNetwork(SlowLearner):
    """Plays by a network, and keeps what it would learn."""

    def __init__(self, learner, seed):
        plan = learner.plan
        super().__init__(plan.game, learner.tables, plan.most, plan.bounded, seed, plan.plies, 0, DECAY)
        self.model, self.kept, self.outcomes, self.by_chance = learner.model, [], list(plan.outcomes), 0

    def outputs(self, state, view):
        """What the last layer says, and what the terms add up to."""
        entries, model, copies = self.entries(state, view), self.model, self.tables.copies
        first = model.bias + model.rows[[place for place, _ in entries[:copies]]].sum(0)
        for row, (_, factor) in zip(model.inputs, entries[copies:], strict=True):
            first = first + row * factor
        second = softsign(first) @ model.second + model.second_bias
        of_terms = sum(weight * factor for weight, (_, factor) in zip(model.terms, entries[copies:], strict=True))
        return softsign(second) @ model.last + model.last_bias, of_terms

    def chances(self, state):
        """The chance of each outcome for the player whose turn it is."""
        outputs, of_terms = self.outputs(state, 0)
        likelihoods = [math.exp(output + of_terms * won) for output, won in zip(outputs, self.outcomes, strict=True)]
        return [likelihood / sum(likelihoods) for likelihood in likelihoods]

    def estimate(self, state, view):
        if self.outcomes:
            return sum(chance * won for chance, won in zip(self.chances(state), self.outcomes, strict=True))
        outputs, of_terms = self.outputs(state, view)
        total = float(outputs[0] + of_terms)
        return math.tanh(total) if self.bounded else total + self.score(state)

    def backup(self, state, value):
        """With outcomes, the chance of each for player 0."""
        if not self.outcomes:
            return super().backup(state, value)
        if self.game.is_terminal(state):
            return self.shares(self.game.utility(state, 0) / self.most)
        chances = self.chances(state)
        return chances[::-1] if self.game.players == 2 and whose_turn(self.tables, self.game, state) == 1 else chances

    def unfinished(self, last):
        return self.shares(0.0) if self.outcomes else super().unfinished(last)

    def shares(self, result):
        """A result between two outcomes counts as both of them."""
        return [float(np.interp(result, self.outcomes, one)) for one in np.eye(len(self.outcomes))]

    def learn(self, path, last):
        game = self.game
        self.find_goals(path, last)
        for before, step in pairwise(path):
            state = step["state"]
            quiet = not hasattr(game, "is_quiet") or game.is_quiet(state)
            self.by_chance += (by_chance := game.to_move(before["state"]) == CHANCE)
            if quiet and not (by_chance and self.by_chance % DECISIONS):
                is_turned = game.players == 2 and whose_turn(self.tables, game, state) == 1
                if self.outcomes:
                    self.kept.append((state, step["goals"][::-1] if is_turned else step["goals"]))
                else:
                    self.kept.append((state, [(-1 if is_turned else 1) * step["goals"][0] - self.score(state)]))


@pytest.mark.parametrize(
    "game", [Pig(12), Race(), Turning(), TwentyFortyEight(), LongWays()], ids=lambda game: type(game).__name__
)
@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 10))])
def test_what_it_learns_from_is_that_of_the_twin(game, seed, monkeypatch):
    monkeypatch.setattr(Rules, "compiled", False)
    learner = learner_of(game, seed)
    twin = SlowNetwork(learner, seed)
    counts = []
    play = chance_training.play_games
    monkeypatch.setattr(chance_training, "play_games", lambda *args: counts.append(play(*args)) or counts[-1])
    assert learner.play(4, learns=False) == 4
    twin.play(4)
    if twin.rounded:
        pytest.skip("actions are worth the same, but for the order in which numbers are added")
    places, terms, goals = learner.positions[0]
    assert len(twin.kept) == counts[0][1] > 0
    assert (type(game) is LongWays) is bool(twin.outcomes)
    for number, (state, goal) in enumerate(twin.kept):
        entries = entries_of(learner.tables, game, state, 0, learner.plan.most, learner.plan.bounded)
        copies = learner.tables.copies
        assert places[number].tolist() == [place for place, _ in entries[:copies]]
        assert terms[number] == pytest.approx([factor for _, factor in entries[copies:]], rel=1e-5)
        assert goals[number] == pytest.approx(goal, abs=1e-4)


@pytest.mark.compiled
def test_interpreted_rules_play_the_same_games():
    class Interpreted(Race):
        compiled = False

    compiled, interpreted = learner_of(Race()), learner_of(Interpreted())
    assert compiled.play(5, learns=False) == interpreted.play(5, learns=False) == 5
    assert compiled.error == pytest.approx(interpreted.error, abs=1e-5)


def test_states_that_nobody_saw_are_read_inside_the_tables():
    plan = replace(Plan.of(Race(), positions=300), plies=60)
    few = tuple(location._replace(symbols=2) for location in plan.layout.locations)
    tables = network_tables(replace(plan, layout=replace(plan.layout, locations=few)))
    learner = NetworkLearner(plan, tables, Model.new(tables, 8, 4, 1))
    read = [learner.positions[0][0]]
    read[0][:] = 0
    learner.play(30, learns=False)
    assert read[0].max() == tables.weights - 1


def test_no_more_games_are_asked_for_than_there_is_room_for():
    asked = []

    class Player:
        error = 0.1

        def play(self, games, share):
            asked.append(games)
            return min(games, 10)

    training = ChanceTraining(Race(), Budget(0.05), None, 1, 1, 5, None)
    training.play(Player(), 1.0)
    assert len(asked) > 10
    assert max(asked) <= 40


# -- exact values ------------------------------------------------------------------------------------------------------


def exact_values(game):
    """What player 0 expects in each state of chance, by value iteration."""
    return {state: float(chances @ game.results) for state, chances in exact_chances(game).items()}


def exact_chances(game):
    """The chance of each of `results`, for player 0, in each state of chance, by value iteration."""
    states, waiting = set(), [game.initial_state()]
    while waiting:
        state = waiting.pop()
        if state not in states and not game.is_terminal(state):
            states.add(state)
            waiting += [game.result(game.result(state, die), action)
                        for die in (1, 2) for action in game.actions(game.result(state, die))]  # fmt: skip
    results = np.array(game.results)
    chances = dict.fromkeys(states, np.zeros(len(results)))

    def expected(state):
        return 1.0 * (results == game.utility(state, 0)) if game.is_terminal(state) else chances[state]

    for _ in range(60):
        for state in states:
            choose, thrown = max if state[0] == 0 else min, [game.result(state, die) for die in (1, 2)]
            chances[state] = sum(
                choose((expected(game.result(one, action)) for action in game.actions(one)), key=results.dot)
                for one in thrown
            ) / 2  # fmt: skip
    return chances


@pytest.mark.compiled
def test_the_values_of_a_race_are_learned():
    """They are if it is known, when dice are to be thrown, for whom."""
    game, errors = Race(), []
    values, plan = exact_values(game), Plan.of(game, positions=2000)
    for one in plan, replace(plan, layout=replace(plan.layout, turn=None)):
        tables = network_tables(one)
        learner = NetworkLearner(one, tables, Model.new(tables, 16, 8, 1))
        for part in range(60):
            learner.play(500, part / 60)
        evaluation = learner.model.evaluation(one, tables, {})
        differences = [evaluation(game, state, 0) - value for state, value in values.items()]
        errors.append(math.sqrt(np.mean(np.square(differences))))
    assert errors[0] < 0.25
    assert errors[1] > 0.3


@pytest.mark.compiled
def test_the_chances_of_results_are_learned():
    """They are near to those of the best players: far nearer than the mean over all states."""
    game = LongWays()
    plan = replace(Plan.of(game, positions=2000), own=0.0)
    assert (plan.most, plan.outcomes) == (3, (-1, -1 / 3, 0, 1 / 3, 1))
    tables = network_tables(plan)
    learner = NetworkLearner(plan, tables, Model.new(tables, 16, 8, 1, 5))
    for part in range(60):
        learner.play(500, part / 60)
    evaluation = learner.model.evaluation(plan, tables, {})
    exact, differences, from_mean = exact_chances(game), [], []
    mean = sum(exact.values()) / len(exact)
    for state, expected in exact.items():
        chances = evaluation.chances(game, state)
        assert list(chances) == pytest.approx(game.results)
        found = np.array(list(chances.values()))[:: 1 if state[0] == 0 else -1]
        differences.append(abs(found - expected).sum() / 2)
        from_mean.append(abs(mean - expected).sum() / 2)
    assert np.mean(differences) < 0.22
    assert np.mean(from_mean) > 0.35


# -- learn(…) ----------------------------------------------------------------------------------------------------------


class LongRace(Race):
    HOME = 9


@pytest.fixture
def small(monkeypatch):
    """Networks of few numbers."""
    monkeypatch.setattr(search_training.NetworkTraining, "width", 8)
    monkeypatch.setattr(search_training.NetworkTraining, "units", 4)


@pytest.mark.compiled
def test_what_is_learned_is_stronger_and_in_the_file(small, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "TESTED", 400)
    path, stages = tmp_path / "a.learned", set()
    watch = lambda progress: stages.add(progress.stage)  # noqa: E731
    found = learn(LongRace(), games=4000, nodes=5, to=path, watch=watch)
    assert found.evaluation is not None
    assert found.evaluation.made["learner"] == "network"
    assert path.read_bytes() == found.evaluation.as_bytes()
    assert {"looking at better games", "learning", "playing against random moves"} <= stages
    assert LearnedEvaluation.load(path, LongRace()).tables.layout.turn is not None


def test_a_seed_gives_the_same_file(small):
    first, again, other = (
        learn(Race(), games=60, nodes=2, learner="network", seed=seed).last.as_bytes() for seed in (1, 1, 2)
    )
    assert first == again != other


def test_two_workers_play_different_games():
    learner = learner_of(Race(), workers=2)
    assert learner.play(7) == 14
    first, second = (goals[:40].tolist() for *_, goals in learner.positions)
    assert first != second


def arrays_of_interrupted_run(path):
    """What a run that is stopped after a third of its games writes beside the file."""
    watch = stop_when(lambda progress: progress.games > 100)
    assert learn(LongWays(), games=300, nodes=2, learner="network", to=path, watch=watch).interrupted
    with np.load(f"{path}.training") as state:
        return dict(state)


def test_an_interrupted_run_goes_on_with_the_same_numbers(small, tmp_path):
    path, taken = tmp_path / "a.learned", []
    arrays = arrays_of_interrupted_run(path)
    assert int(arrays["steps"]) > 0
    play = NetworkLearner.play
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            NetworkLearner, "play", lambda learner, *args: taken.append(learner.adam.steps) or play(learner, *args)
        )
        found = learn(LongWays(), games=300, nodes=2, to=path, resume=True)
    assert taken[0] == int(arrays["steps"])
    assert found.games >= 300
    assert found.last.made["learner"] == "network"
    assert found.last.outcomes == pytest.approx(LongWays.results)


@pytest.mark.parametrize(("name", "wrong"), [
    ("model rows", lambda rows: rows[1:]), ("means bias", lambda bias: bias * np.float32(math.nan)),
    ("squares last", lambda last: last.astype(float)), ("steps", lambda steps: -1 - steps),
    ("outcomes", lambda outcomes: outcomes[1:]), ("outcomes", lambda outcomes: outcomes[::-1]),
])  # fmt: skip
def test_a_damaged_state_is_refused(name, wrong, small, tmp_path):
    path = tmp_path / "a.learned"
    arrays = arrays_of_interrupted_run(path)
    np.savez(tmp_path / "new.npz", **{**arrays, name: wrong(arrays[name])})
    (tmp_path / "new.npz").replace(f"{path}.training")
    with pytest.raises(EvaluationError, match=r"a\.learned\.training: the numbers in it contradict each other"):
        learn(LongWays(), games=300, nodes=2, learner="network", to=path, resume=True)


def test_a_value_that_is_no_number_is_told(small):
    class Wrong(Race):
        def utility(self, state, player):
            return math.nan if state[2][0] == self.HOME else super().utility(state, player)

    with pytest.raises(EvaluationError, match=r"a (value|result) is no number: see its utility"):
        learn(Wrong(), games=300, nodes=2, learner="network")


@pytest.mark.parametrize(
    ("game", "learner"), [(Pig(12), "network"), (Race(), "network"), (TwentyFortyEight(), "patterns")]
)
def test_two_players_with_dice_get_a_network(game, learner, monkeypatch):
    plan = replace(Plan.of(game, positions=200), compiled=True)
    assert plan.learner == learner
    assert replace(plan, compiled=False).learner == "patterns"
    chosen = []
    for kind in ChanceTraining, PatternTraining:
        monkeypatch.setattr(kind, "run", lambda self, plan: chosen.append(type(self)))
    monkeypatch.setattr(Plan, "of", lambda *_, **__: plan)
    learn(game)
    learn(game, learner="network")
    assert chosen == [ChanceTraining if learner == "network" else PatternTraining, ChanceTraining]


@pytest.mark.parametrize(("compiled", "other"), [(True, "network"), (False, "patterns")])
def test_features_are_for_games_without_chance(compiled, other, monkeypatch):
    monkeypatch.setattr(plan_module, "runs_compiled", lambda game: compiled)
    with pytest.raises(UnsuitableGame, match=f"the learner 'features' is for games without chance: use {other}"):
        learn(Race(), games=10, learner="features")


class Hashed(Race):
    """The state is one number, which says nothing by itself."""

    def initial_state(self):
        return (self.packed(super().initial_state()),)

    def packed(self, state):
        turn, die, mine, theirs = state
        numbers = turn, die, *mine, *theirs
        return sum(number * 5**place for place, number in enumerate(numbers)) * 1_000_003 % 5**13

    def unpacked(self, state):
        number = state[0] * pow(1_000_003, -1, 5**13) % 5**13
        turn, die, *men = (number // 5**place % 5 for place in range(6))
        return turn, die, tuple(men[:2]), tuple(men[2:])

    def to_move(self, state):
        return super().to_move(self.unpacked(state))

    def actions(self, state):
        return super().actions(self.unpacked(state))

    def result(self, state, action):
        return (self.packed(super().result(self.unpacked(state), action)),)

    def is_terminal(self, state):
        return super().is_terminal(self.unpacked(state))

    def utility(self, state, player):
        return super().utility(self.unpacked(state), player)

    def evaluate(self, state, player):
        *_, mine, theirs = self.unpacked(state)
        ahead = (sum(mine) - sum(theirs)) / 9
        return ahead if player == 0 else -ahead


def test_the_own_evaluation_is_learned_from_if_there_is_nothing_else(small):
    plan = Plan.of(Hashed(), positions=300)
    tables = chance_training.chance_tables(plan)
    assert (tables.groups, len(tables.terms)) == ((), 1)
    found = learn(Hashed(), games=60, nodes=2, learner="network")
    assert -1 < found.last(Hashed(), Hashed().initial_state(), 0) < 1
    tables = chance_training.chance_tables(Plan.of(LongWays(), positions=300))
    assert not tables.own
