"""`learn`, from rules to a file: the same every time, stopped and resumed, without room, and what it refuses."""

import json
import math
import os
import random
from dataclasses import replace
from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pytest
from evaluation.test_layout import Endless, Fill, OnlyChance
from evaluation.test_patterns import GAMES, NUMBERS, PARTS, Collect, Duel, Weighed, random_evaluation
from shared import PILE
from shared.hidden_game import HiddenGame
from typer.testing import CliRunner

from learning.test_self_play import Three, Won
from outplay import AlphaBeta, EvaluationError, LearnedEvaluation, Limit, OutplayError, UnsuitableGame, WrongType
from outplay.cli.commands import app
from outplay.evaluation.layout import sample
from outplay.games import Breakthrough, Chess, Gomoku, Kalah, KuhnPoker, ManyPlayerMNK, Pig, TwentyFortyEight
from outplay.learning import pattern_training, training
from outplay.learning import plan as planning
from outplay.learning.learn import LEARNERS, learn
from outplay.learning.pattern_training import PatternTraining
from outplay.learning.plan import Plan
from outplay.learning.progress import Budget
from outplay.learning.rivals import Comparison, compare
from outplay.learning.self_play import Snapshot
from outplay.learning.training import CHECKS, LAST_MATCH, MATCH

GAME = Won(18)
FAST = {"games": 200, "nodes": 5}
"""With these, what is learned of `GAME` is stronger than the search without it."""


@pytest.fixture(autouse=True)
def fewer(monkeypatch):
    """Fewer random games are looked at, and matches are shorter."""
    monkeypatch.setattr(planning, "sample", lambda game, positions, *rest: sample(game, min(positions, 200), *rest))
    monkeypatch.setattr(training, "UNTESTED", 4)
    monkeypatch.setattr(training, "TESTED", 24)
    monkeypatch.setattr(training, "CHECKS", (0.5, 1.0))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the rules of a pile of 18."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pile.py").write_text(PILE.replace("size=5", "size=18"))
    return tmp_path


def stop_when(is_time):
    """What presses Ctrl-C when it is time."""

    def watch(progress):
        if is_time(progress):
            raise KeyboardInterrupt

    return watch


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_time_that_matches_leave_is_used_to_learn(part, monkeypatch):
    monkeypatch.setattr(training, "CHECKS", CHECKS)
    seconds, learned = [10.0], 0.0
    monkeypatch.setattr(Budget, "used", lambda self, games: seconds[0])
    for learning, match in PatternTraining(GAME, Budget(200.0), None, 1, 1, 5, None).checks():
        learned += learning
        seconds[0] += 200 * (learning + part * match)
    assert seconds[0] == pytest.approx(200 * (1 - LAST_MATCH * (1 - part)))
    assert learned == pytest.approx(0.95 - LAST_MATCH - part * (len(CHECKS) - 1) * MATCH)


# -- the result --------------------------------------------------------------------------------------------------------


def test_what_is_learned_is_stronger_and_in_the_file(tmp_path):
    path, seen = tmp_path / "a.learned", []
    found = learn(GAME, **FAST, to=path, watch=lambda progress: seen.append((progress.stage, progress.games)))
    assert found.evaluation is not None
    assert found.problem == ""
    assert not found.interrupted
    assert found.checks[0].accepted
    assert found.checks[0].rivals["the search as it was"].strength.elo > 100
    assert {"random moves", "the search as it was", "the last accepted"} == set(found.checks[-1].rivals)
    assert path.read_bytes() == found.evaluation.as_bytes()
    assert os.listdir(tmp_path) == ["a.learned"]
    assert found.evaluation.made == {"games": found.evaluation.made["games"], "seed": 1, "workers": 1,
                                     "patterns": found.evaluation.tables.copies}  # fmt: skip
    assert 0 < found.evaluation.made["games"] <= found.games
    assert FAST["games"] <= found.games < 1.1 * FAST["games"]
    assert [games for _, games in seen] == sorted(games for _, games in seen)
    assert {"looking at random games", "learning", "playing against random moves"} <= {stage for stage, _ in seen}
    evaluation = LearnedEvaluation.load(path, GAME)
    state = GAME.initial_state()._replace(left=10)
    assert AlphaBeta(GAME, evaluate=evaluation).search(state, Limit(depth=1)).line[0] == 1


def test_a_seed_gives_the_same_file(tmp_path):
    files = []
    for seed in 1, 1, 2:
        found = learn(GAME, **FAST, to=tmp_path / "a.learned", seed=seed)
        files.append((tmp_path / "a.learned").read_bytes())
        assert found.evaluation is not None
    assert files[0] == files[1] != files[2]


def test_what_is_not_stronger_is_not_written(tmp_path):
    found = learn(Won(4), games=30, nodes=50, to=tmp_path / "a.learned")
    assert found.evaluation is None
    assert not any(check.accepted for check in found.checks)
    assert os.listdir(tmp_path) == []
    assert found.as_dict()["accepted"] is False


def test_an_old_file_stays_if_nothing_is_stronger(tmp_path):
    (tmp_path / "a.learned").write_text("mine")
    learn(Won(4), games=30, nodes=50, to=tmp_path / "a.learned")
    assert (tmp_path / "a.learned").read_text() == "mine"


def test_a_budget_of_time():
    found = learn(Won(6), minutes=0.005, nodes=2)
    assert found.games > 0
    assert found.seconds < 30
    assert found.plan.game == found.plan.game


def test_the_result_as_plain_values_and_as_a_picture():
    found = learn(GAME, **FAST)
    plain = json.loads(json.dumps(found.as_dict(), allow_nan=True))
    assert plain["accepted"] is True
    assert plain["layout"]["locations"] == [{"name": "left", "symbols": 16}]
    assert len(plain["checks"]) == len(found.checks)
    assert found.picture().startswith("<svg")
    assert "the search as it was" in found._repr_html_()


KINDS = {
    "one player": (Collect(), 60),
    "one player, many games": (Collect(), 1200),
    "two players": (Fill(), 60),
    "two players, a score": (Duel(), 60),
    "two players, half a point each": (Weighed(), 60),
    "chance, two players": (Pig(6), 60),
    "three players": (Three(), 60),
    "three players on a board": (ManyPlayerMNK(), 40),
}


@pytest.mark.parametrize("kind", KINDS)
def test_games_of_every_kind_are_learned_to_the_end(kind, monkeypatch):
    game, games = KINDS[kind]
    monkeypatch.setattr(training, "TESTED", 6)
    monkeypatch.setattr(training, "UNTESTED", 4)
    found = learn(game, games=games, nodes=2)
    assert games <= found.games <= 1.1 * games + 20
    assert len(found.checks) == 2
    assert all(math.isfinite(check.error) for check in found.checks)
    assert all(rival.games >= 4 for check in found.checks for rival in check.rivals.values())
    if game.players != 2:
        assert all(rival.strength is None for check in found.checks for rival in check.rivals.values())


def test_two_workers():
    found = learn(GAME, games=100, nodes=2, workers=2)
    assert found.games >= 100


def test_kilobytes_round_the_file(tmp_path):
    learn(GAME, **FAST, to=tmp_path / "whole.learned")
    size = (tmp_path / "whole.learned").stat().st_size
    learn(GAME, **FAST, to=tmp_path / "small.learned", kilobytes=0.97 * size / 1000)
    assert (tmp_path / "small.learned").stat().st_size <= 0.97 * size
    assert LearnedEvaluation.load(tmp_path / "small.learned", GAME)
    stages = []
    with pytest.raises(EvaluationError, match=r"0\.1 kB are not enough"):
        learn(GAME, **FAST, kilobytes=0.1, watch=lambda progress: stages.append(progress.stage))
    assert "learning" not in stages  # it is said before the time is used


# -- Ctrl-C, and going on ----------------------------------------------------------------------------------------------


def test_ctrl_c_keeps_the_best(tmp_path):
    path = tmp_path / "a.learned"
    found = learn(GAME, **FAST, to=path, watch=stop_when(lambda progress: len(progress.checks) == 2))
    assert found.interrupted
    assert found.evaluation is not None
    assert path.read_bytes() == found.evaluation.as_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a.learned", "a.learned.training"]


def test_ctrl_c_before_anything_is_known(tmp_path):
    found = learn(GAME, **FAST, to=tmp_path / "a.learned", watch=stop_when(lambda progress: True))
    assert found.interrupted
    assert found.evaluation is found.plan is None
    assert found.as_dict()["layout"] is None
    assert os.listdir(tmp_path) == []


def interrupted(tmp_path, game=GAME, games=60, **options):
    """The file of learning that was stopped after so many games."""
    path = tmp_path / "a.learned"
    found = learn(game, **{**FAST, **options}, to=path, watch=stop_when(lambda progress: progress.games >= games))
    assert found.interrupted
    return path, found


def test_learning_goes_on(tmp_path, monkeypatch):
    path, first = interrupted(tmp_path)
    starts = []
    play = pattern_training.Learner.play

    def watched(self, *arguments, **options):
        starts.append(self.weights.copy())
        return play(self, *arguments, **options)

    with np.load(f"{path}.training") as state:
        weights = state["weights"]
    monkeypatch.setattr(pattern_training.Learner, "play", watched)
    found = learn(GAME, **FAST, to=path, resume=True)
    assert np.array_equal(starts[0], weights)
    assert weights.any()
    assert first.games < FAST["games"] <= found.games < 1.1 * FAST["games"]
    assert found.seconds > first.seconds
    assert not found.interrupted
    assert path.exists()
    assert not (tmp_path / "a.learned.training").exists()


def test_the_best_goes_on_too(tmp_path):
    path, first = interrupted(tmp_path, games=150)
    assert first.evaluation is not None
    found = learn(GAME, **FAST, to=path, resume=True)
    assert "the last accepted" in found.checks[0].rivals
    assert LearnedEvaluation.load(path, GAME)


def test_the_unit_of_values_goes_on(tmp_path, monkeypatch):
    """It was measured in random games, which are other ones now."""
    path, first = interrupted(tmp_path, Collect(), 20)
    monkeypatch.setattr(planning, "sample", lambda game, positions, *rest: sample(game, 30, 9))
    seen = []
    learner = pattern_training.Learner

    def watched(game, tables, most, *rest):
        seen.append(most)
        return learner(game, tables, most, *rest)

    monkeypatch.setattr(pattern_training, "Learner", watched)
    found = learn(Collect(), **FAST, to=path, resume=True)
    assert seen == [first.plan.most]
    assert found.plan.layout == first.plan.layout


def test_without_a_state_there_is_nothing_to_go_on_from(tmp_path):
    with pytest.raises(EvaluationError, match=r"a\.learned\.training cannot be read: No such file"):
        learn(GAME, **FAST, to=tmp_path / "a.learned", resume=True)
    with pytest.raises(OutplayError, match="name the file with to="):
        learn(GAME, **FAST, resume=True)


def resumed(path, game=GAME):
    """The error when learning is to go on."""
    with pytest.raises(EvaluationError) as error:
        learn(game, **FAST, to=path, resume=True)
    assert str(path) in str(error.value)
    assert len(str(error.value)) < 700
    return str(error.value)


def test_a_state_of_another_game_is_refused(tmp_path):
    path, _ = interrupted(tmp_path)
    assert "it learned" in resumed(path, Won(17))


def test_a_damaged_state_is_refused(tmp_path):
    path, _ = interrupted(tmp_path)
    state = tmp_path / "a.learned.training"
    content = state.read_bytes()
    for wrong in b"", b"PK", content[:100], content[: len(content) // 2], content[:-10], bytes(1000):
        state.write_bytes(wrong)
        assert "not a whole state of learning" in resumed(path)
    with np.load(BytesIO(content)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    head = json.loads(str(arrays.pop("head")))

    def written(head=head, **others):
        archive = BytesIO()
        np.savez(archive, head=np.array(json.dumps(head)), **{**arrays, **others})
        state.write_bytes(archive.getvalue())

    for name, whole in arrays.items():
        for array in whole[:-1], whole.astype("U9"), whole.astype(int), whole * np.nan:
            written(**{name: array})
            assert "contradict each other" in resumed(path)
    numbers = {"most": [0, math.nan, "x", None], "seconds": [-1, math.inf, []], "games": [-1, math.nan, "x"]}
    for name, values in numbers.items():
        for value in values:
            written({**head, name: value})
            resumed(path)
    for name in head.keys() - {"best", "seed"}:
        written({key: value for key, value in head.items() if key != name})
        resumed(path)
    for name in ("players", "movers", "sides", "edges", "groups", "columns", "locations", "clock", "score"):
        for value in NUMBERS[name]:
            written({**head, "form": {**head["form"], name: value}})
            resumed(path)
    for part in PARTS:
        written({**head, "form": {**head["form"], "clock": [[part, 1]]}})
        resumed(path)
    written([])
    resumed(path)


def test_a_best_player_of_another_form_is_refused(tmp_path):
    path, first = interrupted(tmp_path, games=150)
    assert first.evaluation is not None
    tables = replace(first.evaluation.tables, groups=first.evaluation.tables.groups * 2)
    replace(first.evaluation, tables=tables, weights=np.zeros(tables.weights, np.int16)).save(path)
    assert "is not the player of" in resumed(path)
    path.write_bytes(b"PK")
    assert "not a whole file" in resumed(path)


# -- what is refused ---------------------------------------------------------------------------------------------------


class General(Fill):
    zero_sum = False


class NeverOver(Endless):
    zero_sum, constant_sum, utilities = True, None, (-1, 1)


class NeverOverButEvaluated(NeverOver):
    """One stone goes round; who finds it on the left is glad."""

    def initial_state(self):
        return [1, 0, 0, 0, 0, 0], 0

    def result(self, state, action):
        return [*state[0][action:], *state[0][:action]], 1 - state[1]

    def evaluate(self, state, player):
        return 0.5 * state[0][0] if state[1] == player else -0.5 * state[0][0]


class Formless(Won):
    """Its states are floats."""

    def initial_state(self):
        return 6.5

    def to_move(self, state):
        return int(state) % 2

    def actions(self, state):
        return [1]

    def result(self, state, action):
        return state - 1

    def is_terminal(self, state):
        return state < 1

    def utility(self, state, player):
        return 1 if player else -1


REFUSED = {
    "hidden information": (KuhnPoker(), "has hidden information.*outplay equilibrium finds strategies"),
    "hidden information too": (HiddenGame(1), "has hidden information"),
    "no opposed interests": (General(), "only if their interests are opposed"),
    "no end": (NeverOver(), "no random game ends within 400 plies.*define evaluate"),
    "only chance": (OnlyChance(), "no player decides anything"),
    "states of floats": (Formless(), "nothing was found in its states.*define features"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_game_that_does_not_suit(name):
    game, words = REFUSED[name]
    with pytest.raises(UnsuitableGame, match=words):
        learn(game, games=10, nodes=2)


def test_a_game_without_an_end_but_with_an_evaluation_can_be_learned():
    plan = Plan.of(NeverOverButEvaluated(), positions=400, seconds=1e9)
    assert plan.own > 0


class WrongUtility(Fill):
    def __init__(self, wrong=math.nan):
        self.wrong = wrong

    def utility(self, state, player):
        return self.wrong


class WrongEvaluation(Fill):
    def evaluate(self, state, player):
        return math.nan


class WrongFeatures(Fill):
    feature_names = ("cells",)

    def features(self, state):
        return (math.inf,)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_utility_that_is_no_number(wrong):
    with pytest.raises(EvaluationError, match=r"a result is no number: see its utility\(\)"):
        learn(WrongUtility(wrong), games=10, nodes=2)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("game", [WrongEvaluation(), WrongFeatures()], ids=repr)
def test_an_estimate_that_is_no_number(game):
    with pytest.raises(EvaluationError, match=r"an estimate is no number: see its evaluate\(\) and features\(\)"):
        learn(game, games=10, nodes=2)


class AtTimes(Fill):
    """The utility is no number where random games seldom come."""

    def utility(self, state, player):
        return math.nan if state[0] == [2, 2, 2, 1, 1, 1] else super().utility(state, player)


def test_a_value_that_is_no_number_while_learning(monkeypatch):
    monkeypatch.setattr(planning, "sample", lambda game, positions, *rest: sample(Fill(), 300, *rest))
    monkeypatch.setattr(AtTimes, "utility", lambda self, state, player: math.nan)
    with pytest.raises(EvaluationError, match=r"a value is no number: see its utility\(\) and evaluate\(\)"):
        learn(AtTimes(), games=10, nodes=2)


def test_features_that_are_always_the_same_are_no_terms():
    """But for rounding, by which they would seem huge."""
    plan = Plan.of(Weighed(), positions=400, seconds=1e9)
    assert plan.features[0] > 0
    assert plan.features[2] == 0
    assert plan.describe()["terms"] == ["evaluate", "cells", "corners"]


def test_a_score_is_found_and_left_out_of_the_locations():
    for game in Collect(), Duel():
        plan = Plan.of(game, positions=400, seconds=1e9)
        assert str(plan.score) == "[2]"
        assert plan.describe()["score"] == "[2]"
        assert [place.name for place in plan.layout.locations] == [f"[0][{cell}]" for cell in range(6)]
    assert Plan.of(Fill(), positions=400, seconds=1e9).score is None


def test_infinite_utilities_are_no_bounds():
    class Open(Fill):
        utilities = (-math.inf, math.inf)

    assert not Plan.of(Open(), positions=400, seconds=1e9).bounded


WRONG = {
    "workers": [0, -1, True, 1.5, "2", None],
    "games": [0, -1, True, 1.5, "2"],
    "nodes": [0, -1, True, 1.5, "2"],
    "seed": [-1, True, 1.5, "2", None],
    "minutes": [0, -1, True, math.inf, math.nan, "2", None],
    "kilobytes": [0, -1, True, math.inf, math.nan, "2"],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name):
    for value in WRONG[name]:
        with pytest.raises(OutplayError, match=f"^{name}="):
            learn(GAME, **{name: value})


def test_something_else_than_a_game():
    with pytest.raises(WrongType, match=r"learn\('nim'\): a Game is wanted"):
        learn("nim")


def test_a_file_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    with pytest.raises(EvaluationError, match="cannot be written: it is a folder"):
        learn(GAME, to=tmp_path)
    with pytest.raises(EvaluationError, match="cannot be written: there is no folder"):
        learn(GAME, to=tmp_path / "none" / "a.learned")


# -- a full disk -------------------------------------------------------------------------------------------------------


def full(*_):
    raise OSError(28, "No space left on device")


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    path = tmp_path / "a.learned"
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        found = learn(GAME, **FAST, to=path)
    assert found.problem == f"{path} cannot be written: No space left on device"
    assert found.evaluation is not None
    assert os.listdir(tmp_path) == []
    found.evaluation.save(path)
    assert LearnedEvaluation.load(path, GAME)


def test_where_there_is_room_for_the_state_only_it_stays(tmp_path, monkeypatch):
    path = tmp_path / "a.learned"

    def refuse(self, path):
        raise EvaluationError(f"{path} cannot be written: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(LearnedEvaluation, "save", refuse)
        found = learn(GAME, **FAST, to=path)
    assert found.problem
    assert os.listdir(tmp_path) == ["a.learned.training"]
    again = learn(GAME, games=260, nodes=5, to=path, resume=True)
    assert again.games >= 260
    assert again.problem == ""
    assert path.exists()


def test_the_file_is_written_when_there_is_room_again(tmp_path, monkeypatch):
    path, calls, sync = tmp_path / "a.learned", [], os.fsync

    def sometimes_full(number):
        calls.append(number)
        if len(calls) == 1:
            full()
        sync(number)

    monkeypatch.setattr("os.fsync", sometimes_full)
    found = learn(GAME, **FAST, to=path)
    assert found.problem == ""
    assert path.read_bytes() == found.evaluation.as_bytes()


# -- the command -------------------------------------------------------------------------------------------------------

LEARN = ("learn", "pile.py", "--games", "200", "--nodes", "5")


def run(*arguments):
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def learned(folder):
    """A folder with a file that was learned."""
    done = run(*LEARN)
    assert done.exit_code == 0, done.output
    return folder


def test_the_command_writes_a_file_that_all_others_read(learned):
    assert (learned / "Pile.learned").exists()
    done = run("analyse", "pile.py", "--evaluation", "Pile.learned", "--depth", "1", "--json")
    assert done.exit_code == 0, done.output
    plain = run("analyse", "pile.py", "--depth", "1", "--json")
    assert json.loads(done.stdout)["value"] != json.loads(plain.stdout)["value"]
    done = run("evaluate", "pile.py", "--evaluation", "Pile.learned")
    assert done.exit_code == 0, done.output
    assert "sum" in done.stdout
    assert "Estimate for player 0, to move" in done.stdout
    done = run("evaluate", "pile.py", "--evaluation", "Pile.learned", "--json")
    answer = json.loads(done.stdout)
    assert answer["estimate"] == pytest.approx(math.tanh(answer["points"]), abs=1e-5)
    assert math.fsum(row["points"] for row in answer["features"]) == pytest.approx(answer["points"])
    players = ("alpha-beta(evaluation=Pile.learned, depth=1)", "random")
    done = run("match", "pile.py", *players, "--games", "20", "--seed", "1", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["won"] > 15


def test_what_the_command_says(folder):
    done = run(*LEARN, "--to", "a.learned", "--svg", "a.svg")
    assert done.exit_code == 0, done.output
    assert done.stdout.count("accepted: ") == 1
    assert "against random moves" in done.stdout
    assert "Learned from 2" in done.stdout
    assert "written to a.learned" in done.stdout
    assert "--evaluation a.learned" in done.stdout
    assert (folder / "a.svg").read_text().startswith("<svg")


def test_the_answer_as_json(folder):
    done = run(*LEARN, "--json", "--to", "a.learned")
    answer = json.loads(done.stdout)
    assert answer["accepted"] is True
    assert answer["file"] == "a.learned"
    assert len(answer["checks"]) == 2
    assert answer["layout"]["game"] == "Pile()"
    (folder / "pile.py").write_text(PILE)
    done = run(*LEARN, "--json", "--to", "b.learned")
    assert json.loads(done.stdout)["file"] is None
    assert not (folder / "b.learned").exists()


def test_nothing_stronger(folder):
    (folder / "pile.py").write_text(PILE)
    done = run(*LEARN)
    assert done.exit_code == 0
    assert "Nothing is stronger than the search without it" in done.stdout
    assert "another --learner" in done.stdout
    assert not (folder / "Pile.learned").exists()


@pytest.mark.parametrize(("game", "learner"), [
    (Chess(), "features"), (Kalah(), "patterns"), (Gomoku(), "patterns"), (Breakthrough(4, 4), "patterns"),
])  # fmt: skip
def test_many_kinds_of_pieces_are_learned_as_features(game, learner, monkeypatch):
    plan = replace(Plan.of(game, positions=1000), compiled=True)
    assert plan.learner == plan.describe()["learner"] == learner
    assert replace(plan, own=0.0).learner == replace(plan, compiled=False).learner == "patterns"
    chosen = []
    for name, kind in LEARNERS.items():
        monkeypatch.setattr(kind, "run", lambda self, plan, name=name: chosen.append((name, plan)))
    monkeypatch.setattr(Plan, "of", lambda *_, **__: plan)
    learn(game)
    assert chosen == [(learner, plan)]


def test_ctrl_c_while_games_are_looked_at(monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Plan, "of", stop)
    found = learn(GAME)
    assert (found.interrupted, found.evaluation, found.games) == (True, None, 0)


def test_the_layout_is_shown(folder):
    done = run("learn", "pile.py", "--layout")
    assert done.exit_code == 0
    assert "Pile(): 1 locations with 16 symbols" in done.stdout
    assert "symmetries     1" in done.stdout
    assert "learner        patterns" in done.stdout
    assert "stages         4, by a sum of what is on the board" in done.stdout
    done = run("learn", "pile.py", "--layout", "--json")
    assert json.loads(done.stdout) == {
        "game": "Pile()", "learner": "patterns", "compiled": False,
            "locations": [{"name": "[0]", "symbols": 16}], "images": 1, "stages": 4,
        "score": None, "outcomes": [], "terms": [],
    }  # fmt: skip
    assert os.listdir(folder) == ["pile.py"]
    done = run("learn", "pile.py", "--layout", "--svg", "pile.svg")
    assert done.exit_code == 0
    assert "[0]: 16" in (folder / "pile.svg").read_text("utf-8")  # it has no board


def test_the_layout_is_drawn_on_the_board(folder):
    done = run("learn", "tic-tac-toe", "--layout", "--svg", "layout.svg")
    assert done.exit_code == 0, done.output
    drawn = (folder / "layout.svg").read_text("utf-8")
    assert drawn.count(">3<") == 1 + 9  # the name of a row, and the squares
    assert ">23 locations, with so many symbols:<" in drawn


def test_the_command_goes_on(folder, monkeypatch):
    check = training.Training.check

    def interrupt(self, *arguments):
        check(self, *arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training.Training, "check", interrupt)
        done = run(*LEARN)
    assert done.exit_code == 130
    assert "written to Pile.learned" in done.stdout
    assert (folder / "Pile.learned.training").exists()
    done = run(*LEARN, "--resume")
    assert done.exit_code == 0, done.output
    assert not (folder / "Pile.learned.training").exists()


def test_a_full_disk_is_said_and_the_exit_code_is_2(folder, monkeypatch):
    monkeypatch.setattr("os.fsync", full)
    done = run(*LEARN, "--to", "a.learned")
    assert done.exit_code == 2
    assert "Error: a.learned cannot be written: No space left on device" in done.stderr
    assert "Learned from 2" in done.stdout
    assert "written to" not in done.stdout
    assert not (folder / "a.learned").exists()


ERRORS = {
    "no games": (("learn", "pile.py", "--games", "0"), "--games"),
    "no time": (("learn", "pile.py", "--minutes", "0"), "--minutes"),
    "a negative seed": (("learn", "pile.py", "--seed", "-1"), "--seed"),
    "no workers": (("learn", "pile.py", "--workers", "0"), "--workers"),
    "no nodes": (("learn", "pile.py", "--nodes", "0"), "--nodes"),
    "no room": (("learn", "pile.py", "--kilobytes", "0"), "--kilobytes"),
    "a folder": (("learn", "pile.py", "--to", "."), "it is a folder"),
    "another suffix": (("learn", "pile.py", "--svg", "a.png"), "must end in .svg"),
    "no state": (("learn", "pile.py", "--resume"), "Pile.learned.training cannot be read"),
    "hidden": (("learn", "kuhn-poker", "--layout"), "has hidden information"),
    "no game": (("learn", "none.py"), "none.py"),
    "another game": (("analyse", "nim", "--evaluation", "other.learned"), "not for Nim()"),
    "another game, evaluate": (("evaluate", "chess", "--evaluation", "other.learned"), "not for Chess()"),
    "another game, match": (("match", "nim", "alpha-beta(evaluation=other.learned)", "random"), "not for Nim()"),
    "no file": (("match", "pile.py", "alpha-beta(evaluation=none.learned)", "random"), "no file 'none.learned'"),
    "no file, analyse": (("analyse", "pile.py", "--evaluation", "none.learned"), "there is no file 'none.learned'"),
    "damaged": (("analyse", "pile.py", "--evaluation", "damaged.learned"), "damaged.learned: this is not a whole file"),
    "a search without estimates": (("match", "pile.py", "proof-number(evaluation=other.learned)", "random"),
                                   "proof-number makes no estimates, so it has no evaluation"),
    "a search of hidden games": (("match", "pile.py", "pimc(evaluation=other.learned)", "random"),
                                 "pimc makes no estimates, so it has no evaluation"),
    "a wrong name": (("match", "pile.py", "alpha-beta(evalution=other.learned)", "random"), "did you mean evaluation?"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_of_the_command(name, folder):
    arguments, words = ERRORS[name]
    (folder / "damaged.learned").write_bytes(b"PK123")
    if "other.learned" in str(arguments):
        random_evaluation(GAMES[0], random.Random(0)).save("other.learned")
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.output
    assert not isinstance(done.exception, EvaluationError)


# -- rivals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "strong"),
    [(Won(9), "alpha-beta(depth=9)"), (Three(), "max-n(depth=8)"), (Collect(), "alpha-beta(depth=6)")],
)
def test_a_comparison_is_of_the_new_player_with_the_old_one(game, strong):
    games = 240 if game.players == 3 else 40
    assert compare(game, strong, "random", games, 1, math.inf).better is True
    assert compare(game, "random", strong, games, 1, math.inf).better is False
    same = compare(game, strong, strong, 12, 1, math.inf)
    assert same.better is not True
    assert same.games == 12


def test_a_comparison_ends_when_its_time_is_over():
    assert compare(Won(9), "random", "random", 1000, 1, 0.0).games == 2
    assert compare(Collect(), "random", "random", 1000, 1, 0.0).games == 1


@pytest.mark.parametrize(("game", "games", "explore", "step", "entries"), [
    (Fill(), 10, 100, 0.25, 6561), (Pig(12), 10, 0, 0.25, 6561), (TwentyFortyEight(), 10, 0, 1.0, 1 << 16),
    (TwentyFortyEight(), 300_000, 0, 1.0, 1 << 19),
])  # fmt: skip
def test_alone_against_chance_steps_are_whole_no_action_is_random_and_tables_are_large(
    game, games, explore, step, entries, monkeypatch
):
    limits = []
    monkeypatch.setattr(Plan, "tables", lambda plan, copies, choice, entries, seed: limits.append(entries))
    learning = pattern_training.PatternTraining(game, training.Budget(games, in_games=True), None, 1, 1, 10, None)
    plan = Plan.of(game, 1, 200)
    learning._tables(plan, pattern_training.FIRST_FORM, 1)
    monkeypatch.undo()
    player = learning._learner(plan, plan.tables(4))
    assert (limits, player.explore, player.game.step) == ([entries], explore, step)


@pytest.mark.parametrize(("sizes", "games", "looks"), [
    ([3, 4, 5, 6, 7], 1000, 3), ([3, 4, 4, 6], 1000, 2), ([3, 3, 4], 1000, 1), ([3, 4, 5], 999, 0),
])  # fmt: skip
def test_better_games_are_looked_at_as_long_as_they_show_more(sizes, games, looks, monkeypatch):
    first, *later = [SimpleNamespace(layout=SimpleNamespace(sizes=[size]), compiled=False) for size in sizes]
    looked = []

    def look(game, seed, *, seconds, games):
        looked.append(games)
        return later[len(looked) - 1]

    learner = SimpleNamespace(games=lambda: "its games", tables=SimpleNamespace(sides="equal"))
    monkeypatch.setattr(Plan, "of", look)
    for name, stub in {"_learner": lambda *_: learner, "_tables": lambda *_: None, "play": lambda *_: None}.items():
        monkeypatch.setattr(pattern_training.PatternTraining, name, stub)
    monkeypatch.setattr(pattern_training, "_agree", lambda _: True)
    learning = pattern_training.PatternTraining(Fill(), training.Budget(games, in_games=True), None, 1, 1, 10, None)
    assert learning._form(first) is learner
    assert looked == ["its games"] * looks
    assert learning.plan is (later[looks - 1] if looks else None)


def test_forms_are_tried_at_about_equal_time(monkeypatch):
    copies, met = [], []

    class Seen(Snapshot):
        def __init__(self, learner):
            super().__init__(learner)
            copies.append(learner.tables.copies)

    def meet(game, new, old, *rest):
        met.append((new(game).limit.nodes, old(game).limit.nodes, *copies))
        copies.clear()
        return Comparison(2, better=len(met) == 1)

    monkeypatch.setattr(Budget, "allows_trials", True)
    monkeypatch.setattr(pattern_training, "Snapshot", Seen)
    monkeypatch.setattr(pattern_training, "compare", meet)
    game = Breakthrough(4, 4)
    learning = PatternTraining(game, Budget(200, in_games=True), None, 1, 1, 640, None)
    learner = learning._form(replace(Plan.of(game, 1, 200), compiled=True))
    assert len(met) == len(pattern_training.FORMS)
    assert met[-1][3] == learner.tables.copies == met[0][2]  # who won the first match
    for new, old, copies_of_new, copies_of_old in met:
        assert new == round(1280 * 64 / (64 + copies_of_new))
        assert old == round(1280 * 64 / (64 + copies_of_old))


@pytest.mark.parametrize(("weights", "low", "better", "chosen"), [
    (30, -5, True, True), (20, -5, True, False), (20, 1, True, True), (20, None, True, True),
    (20, -90, False, False), (500, -90, False, False), (500, -5, True, True), (500, -5, None, False),
])  # fmt: skip
def test_a_small_form_must_win_clearly(weights, low, better, chosen):
    strength = None if low is None else SimpleNamespace(low=low)
    new, old = SimpleNamespace(weights=weights), SimpleNamespace(weights=100)
    assert pattern_training._is_chosen(Comparison(60, better, strength), new, old) == chosen
