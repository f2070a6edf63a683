"""`learn` with features and networks: to a file, the same every time, resumed, and what it refuses."""

import json
import os
import random
import threading
from dataclasses import replace

import numpy as np
import pytest
from evaluation.test_patterns import Weighed
from typer.testing import CliRunner

from learning.test_fitting import positions_of
from learning.test_self_play import Three, Won
from learning.test_training import GAME, fewer, folder, stop_when  # noqa: F401 - fixtures
from outplay import EvaluationError, LearnedEvaluation, OutplayError, UnsuitableGame, legal_actions
from outplay.cli.commands import app
from outplay.games import Breakthrough
from outplay.learning import search_training, training
from outplay.learning.fitting import Model
from outplay.learning.labelling import LabelledPositions, Labeller
from outplay.learning.learn import learn
from outplay.learning.plan import Plan
from outplay.learning.progress import Budget
from outplay.learning.rivals import player_of
from outplay.learning.search_training import LEAST_TERM, folded

FAST = {"games": 150, "nodes": 5}
"""With these, what is learned of `GAME` is stronger than the search without it."""
each_learner = pytest.mark.parametrize("learner", ["features", "network"])


@pytest.fixture(autouse=True)
def smaller(monkeypatch):
    """Searches see less, and little is enough to fit something."""
    monkeypatch.setattr(search_training, "NODES", 12)
    monkeypatch.setattr(search_training, "INTERPRETED_NODES", 12)
    monkeypatch.setattr(search_training, "FEWEST", 10)
    monkeypatch.setattr(search_training, "EPOCHS", 20)
    monkeypatch.setattr(search_training.NetworkTraining, "width", 8)
    monkeypatch.setattr(search_training.NetworkTraining, "units", 4)
    monkeypatch.setattr(search_training.SearchTraining, "ridge", 1.0)
    monkeypatch.setattr(search_training.NetworkTraining, "ridge", 1.0)


@each_learner
def test_what_is_learned_is_stronger_and_in_the_file(learner, tmp_path):
    path, stages = tmp_path / "a.learned", set()
    found = learn(GAME, **FAST, learner=learner, to=path, watch=lambda progress: stages.add(progress.stage))
    assert found.evaluation is not None
    assert found.evaluation.made["learner"] == learner
    assert (found.evaluation.network is not None) is (learner == "network")
    assert path.read_bytes() == found.evaluation.as_bytes()
    assert os.listdir(tmp_path) == ["a.learned"]
    assert {"playing games between searches", "fitting", "playing against random moves"} <= stages
    assert 0 < found.checks[0].error < 1
    assert LearnedEvaluation.load(path, GAME)(GAME, GAME.initial_state(), 0) == found.evaluation(
        GAME, GAME.initial_state(), 0
    )


@each_learner
def test_a_seed_gives_the_same_file(learner):
    first, again, other = (
        learn(GAME, games=30, nodes=2, learner=learner, seed=seed).last.as_bytes() for seed in (1, 1, 2)
    )
    assert first == again != other


@each_learner
def test_time_that_is_over_before_the_first_game(learner):
    found = learn(GAME, minutes=1e-6, nodes=2, learner=learner)
    assert (found.games, found.evaluation, found.last) == (0, None, None)


@each_learner
@pytest.mark.parametrize("game", [Weighed(), Breakthrough(4, 3)], ids=repr)
def test_other_games(game, learner):
    found = learn(game, games=60, nodes=5, learner=learner)
    least, greatest = game.utilities
    assert least < found.last(game, game.initial_state(), 0) < greatest
    assert 60 <= found.games <= 62


@pytest.mark.parametrize(("budget", "nodes"), [
    (Budget(599), 2000), (Budget(600), 10_000), (Budget(9999, in_games=True), 2000),
])  # fmt: skip
def test_with_time_searches_are_deep(budget, nodes, monkeypatch):
    asked = []

    def stop(plan, tables, nodes, seed):
        asked.append(nodes)
        raise KeyboardInterrupt

    monkeypatch.setattr(search_training, "NODES", 2000)
    monkeypatch.setattr(search_training, "Labeller", stop)
    plan = replace(Plan.of(GAME, positions=100), compiled=True)
    for given, played in (5, 5), (None, nodes):
        training = search_training.FeatureTraining(GAME, budget, None, 1, 1, given, None)
        with pytest.raises(KeyboardInterrupt):
            training.learn(plan)
        assert training.limit.nodes == played
    assert asked == [nodes, nodes]


def test_two_workers_play_different_games(monkeypatch):
    games = {}
    play = search_training.Labeller.play

    def watched(labeller, numbers):
        games.setdefault(id(labeller), []).append(play(labeller, numbers))
        return games[id(labeller)][-1]

    monkeypatch.setattr(search_training.Labeller, "play", watched)
    learn(GAME, games=30, nodes=5, learner="features", workers=2)
    first, second = games.values()
    assert len(first) + len(second) in (30, 31)
    both = list(zip(first, second, strict=False))
    assert [one.goals.tolist() for one, _ in both] != [one.goals.tolist() for _, one in both]
    assert not {one.games[0] for one in first if len(one.games)} & {one.games[0] for one in second if len(one.games)}


def test_a_worker_does_not_wait_for_a_slower_one():
    done, played = threading.Event(), []

    class Worker:
        def __init__(self, is_slow):
            self.is_slow = is_slow

        def play(self, numbers):
            if self.is_slow:
                assert done.wait(60)
            played.append(self.is_slow)
            if played.count(False) == 5:
                done.set()
            return LabelledPositions(*np.zeros((2, 1, 1), np.float32), *np.zeros((2, 1), np.float32))

    training = search_training.FeatureTraining(GAME, Budget(6, in_games=True), None, 2, 1, 5, None)
    training._play([Worker(is_slow=True), Worker(is_slow=False)], 1.0)
    assert played == [False] * 5 + [True]


def test_the_last_positions_are_kept(monkeypatch):
    plan = Plan.of(GAME)
    parts = [Labeller(plan, plan.tables(0, "single"), 12, 1).play([number]) for number in (3, 4)]
    learner = search_training.FeatureTraining(GAME, Budget(1.0), None, 1, 1, 5, None)
    learner.positions = parts
    monkeypatch.setattr(search_training, "MAX_BYTES", sum(array[:1].nbytes for array in parts[0]) * 3)
    expected = [*parts[0].games, *parts[1].games][-3:]
    assert len(parts[0].games) > 0 < len(parts[1].games)
    assert learner._join().games.tolist() == expected
    assert learner.positions[0].games.tolist() == expected
    assert learner._join().games.tolist() == expected


@pytest.mark.parametrize("sides", ["opposite", "equal", "apart"])
def test_both_players_share_a_table_that_suits_both(sides):
    """Goals are what random numbers say: of one table that speaks for player 0 or for who is to move, or of two."""
    plan = Plan.of(Breakthrough(4, 4), positions=1000)
    tables, rng = plan.tables(0, "single"), np.random.default_rng(1)
    positions = positions_of(tables, 6000, 1)
    numbers = rng.normal(0, 0.2, tables.weights).reshape(2, -1)
    if sides != "apart":
        numbers[1] = numbers[0] * (-1 if sides == "opposite" else 1)
    goals = np.tanh(numbers.ravel()[positions.places].sum(1)).astype(np.float32)
    training = search_training.FeatureTraining(plan.game, Budget(1.0), None, 1, 1, 5, None)
    training.positions = [positions._replace(goals=goals)]
    for _ in range(2):
        training._fit(plan, tables)
        assert training.sides == training.candidate.tables.sides == sides


def test_folded_sums_say_the_same_but_for_what_hardly_matters():
    """Images are summed up, and small numbers are left out."""
    plan = Plan.of(Weighed())
    tables = plan.tables(0, "single")
    assert len(tables.layout.images) > 1 < len([feature for feature, _ in tables.terms if feature >= 0])
    model, rng = Model.new(tables, 1, 0, 1), np.random.default_rng(1)
    model.rows[:, 0] = rng.normal(0, 0.2, len(model.rows))
    per_stage = model.rows.reshape(-1, tables.size)
    group = next(group for group, length in enumerate(tables.lengths) if length > 1)
    first = sum(tables.lengths[:group])
    per_stage[:, first : first + tables.lengths[group]] = 0.5  # whatever stands there
    model.terms[1:] = 0.3
    model.terms[-1] = 0.5 * LEAST_TERM
    new_model, new = folded(model, tables)
    assert new.copies < tables.copies
    assert set(new.groups) == {(place,) for place in range(len(plan.layout.locations))} - {
        (image[tables.groups[group][0]],) for image in tables.layout.images
    }
    assert len(new.terms) == len(tables.terms) - 1
    before, after = model.evaluation(plan, tables, {}), new_model.evaluation(plan, new, {})
    game, dice, worst = plan.game, random.Random(1), 0.0
    for _ in range(30):
        state = game.initial_state()
        while not game.is_terminal(state):
            sums = [np.arctanh(2 * evaluation(game, state, game.to_move(state)) - 1) for evaluation in (before, after)]
            worst = max(worst, abs(float(sums[0] - sums[1])))
            state = game.result(state, dice.choice(list(legal_actions(game, state))))
    assert worst < 0.03


@each_learner
def test_an_interrupted_run_goes_on(learner, tmp_path):
    path = tmp_path / "a.learned"
    found = learn(GAME, **FAST, learner=learner, to=path, watch=stop_when(lambda progress: progress.games >= 100))
    assert found.interrupted
    assert found.games >= 100
    with np.load(f"{path}.training") as state:
        assert json.loads(str(state["head"]))["learner"] == learner
        known = len(state["goals"])
    with pytest.raises(EvaluationError, match=rf"was begun with the learner '{learner}', not 'patterns'"):
        learn(GAME, **FAST, learner="patterns", to=path, resume=True)
    games = []
    found = learn(GAME, **FAST, to=path, resume=True, watch=lambda progress: games.append(progress.games))
    assert found.last.made["learner"] == learner
    assert not found.interrupted
    assert games[0] >= 100
    assert 150 <= found.games <= 152
    assert known > 0
    assert not (tmp_path / "a.learned.training").exists()


def test_games_are_played_by_the_best_player_and_not_again(tmp_path, monkeypatch):
    """Also after an interruption, where the best player comes from its file."""
    path, used, seeds, rivals = tmp_path / "a.learned", [], [], []

    class Watched(Labeller):
        def __init__(self, *args):
            seeds.append(args[-1])
            super().__init__(*args)

        def use(self, evaluation):
            used.append(evaluation)
            super().use(evaluation)

    monkeypatch.setattr(search_training, "Labeller", Watched)
    monkeypatch.setattr(
        training, "player_of", lambda evaluation, limit: rivals.append(evaluation) or player_of(evaluation, limit)
    )
    stop = stop_when(lambda progress: progress.checks and progress.games >= 100)
    found = learn(GAME, **FAST, learner="features", to=path, watch=stop)
    assert found.checks[0].accepted
    assert used[0] is used[1] is None  # at the beginning
    assert used[-1] is found.evaluation
    used.clear()
    rivals.clear()
    known = path.read_bytes()
    found = learn(GAME, **FAST, learner="features", to=path, resume=True)
    assert used[1].as_bytes() == known
    assert known in [rival.as_bytes() for rival in rivals if rival is not None]
    assert "the last accepted" in found.checks[0].rivals
    assert len(set(seeds)) == len(seeds) == 2


def test_a_damaged_state_is_refused(tmp_path):
    path = tmp_path / "a.learned"
    learn(GAME, **FAST, learner="features", to=path, watch=stop_when(lambda progress: progress.games >= 100))
    with np.load(f"{path}.training") as state:
        arrays = dict(state)
    for name, wrong in {
        "places": arrays["places"] + np.uint16(10_000),
        "goals": arrays["goals"] * np.nan, "terms": arrays["terms"][:-1], "games": arrays["games"].astype(np.int32),
    }.items():  # fmt: skip
        np.savez(f"{path}.training", **{**arrays, name: wrong})
        os.replace(f"{path}.training.npz", f"{path}.training")
        with pytest.raises(EvaluationError, match=r"a\.learned\.training: the numbers in it contradict each other"):
            learn(GAME, **FAST, learner="features", to=path, resume=True)


def test_what_cannot_be_learned_in_this_way():
    with pytest.raises(UnsuitableGame, match="the learner 'network' is for at most two players: use patterns"):
        learn(Three(), games=10, learner="network")
    with pytest.raises(OutplayError, match="learner='deep': choose one of patterns, features, network"):
        learn(Won(4), games=10, learner="deep")


def test_the_command(folder):  # noqa: F811
    arguments = ["learn", "pile.py", "--games", "40", "--nodes", "5", "--learner", "features", "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["games"] in (40, 41, 42)
    result = CliRunner().invoke(app, [*arguments[:-2], "deep"])
    assert result.exit_code == 2
    assert "learner='deep': choose one of patterns, features, network" in " ".join(
        result.output.replace("│", " ").split()
    )
