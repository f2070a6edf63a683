"""The learned evaluations that come with outplay: `--evaluation learned`."""

import dis
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from outplay import EvaluationError, LearnedEvaluation, games, load_game
from outplay.arena.naming import player_named
from outplay.cli.commands import app
from outplay.games import Kalah, Nim
from outplay.rules.constant_sum import range_of
from outplay.session.searchers import LEARNED, comes_with_outplay, learned_file, load_evaluation

FOLDER = Path(games.__file__).with_name(LEARNED)
FILES = sorted(FOLDER.glob("*.learned"))
PAGE = (Path(__file__).parents[2] / "docs" / "learning.md").read_text("utf-8")


def game_of(evaluation):
    """The game that an evaluation was learned for."""
    name = evaluation.game.partition("(")[0]
    return eval(evaluation.game, {name: getattr(games, name)})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_for_the_game_of_its_name(path):
    evaluation = LearnedEvaluation.load(path)
    game = game_of(evaluation)
    assert learned_file(game) == path
    loaded = load_evaluation(LEARNED, game)
    least, greatest = range_of(game)
    assert least < loaded(game, game.initial_state(), 0) < greatest
    assert path.stat().st_size < 200_000


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_their_code_names_each_constant_once(path):
    """Compiled code copies a constant for each place that names it: gigabytes, when each pattern did."""
    evaluation = LearnedEvaluation.load(path)
    rule = evaluation.rule(game_of(evaluation))
    names = [step.argval for step in dis.get_instructions(rule) if step.opname == "LOAD_GLOBAL"]
    assert names.count("rows_of_chunks") == 1
    assert names.count("all_weights") + names.count("int16_at") == 1  # large weights are read by their address


def test_they_are_small_together():
    assert FILES
    assert sum(path.stat().st_size for path in FILES) < 3_000_000


def test_the_page_has_the_command_that_made_each():
    commands = [line.split(" --")[0] for line in PAGE.splitlines() if line.startswith("    outplay learn ")]
    games_there = {repr(load_game(command.split("outplay learn ")[1].strip('"'))) for command in commands}
    games_there |= set(re.findall(r"learn\((\w+\(\)), games=\d+, kilobytes=190\)\.last\.save", PAGE))
    assert games_there >= {LearnedEvaluation.load(path).game for path in FILES}


def test_other_games_have_none():
    with pytest.raises(EvaluationError, match=r"there is no file 'learned'; evaluations of Nim\(\): none"):
        load_evaluation(LEARNED, Nim())
    with pytest.raises(EvaluationError, match=r"there is no file 'other'; evaluations of Kalah.*: learned, own"):
        load_evaluation("other", Kalah())


@pytest.mark.parametrize(("text", "is_learned"), [
    ("alpha-beta(depth=1)", True), ("mtdf(depth=1)", True), ("alpha-beta(depth=1, evaluation=learned)", True),
    ("alpha-beta(depth=1, evaluation=own)", False), ("alpha-beta(level=1)", False), ("mcts(simulations=1)", False),
    ("minimax(exact=true)", False),
])  # fmt: skip
def test_alpha_beta_plays_by_it_unless_told_otherwise(text, is_learned):
    """Levels were measured with the game's own evaluation."""
    player = player_named(text, Kalah())
    assert isinstance(getattr(player.searcher, "evaluate", None), LearnedEvaluation) == is_learned


def test_what_is_no_name_of_an_evaluation_is_refused():
    for text in "alpha-beta(evaluation=3)", "alpha-beta(evaluation=none)":
        with pytest.raises(EvaluationError, match="there is no file"):
            player_named(text, Kalah())


def test_the_own_evaluation_can_be_named():
    outputs = [CliRunner().invoke(app, ["evaluate", "kalah", *options]) for options in ([], ["--evaluation", "own"])]
    assert outputs[0].exit_code == outputs[1].exit_code == 0
    assert outputs[0].stdout == outputs[1].stdout


def test_an_analysis_is_by_it():
    def value(*options):
        result = CliRunner().invoke(app, ["analyse", "kalah", "--depth", "1", "--json", *options])
        return json.loads(result.stdout)["value"]

    assert value() == value("--evaluation", "learned") != value("--evaluation", "own")


def test_a_game_of_a_person_that_has_the_same_name_does_not_play_by_it():
    class Oware(games.Oware):
        pass

    assert learned_file(Oware()).is_file()
    assert not comes_with_outplay(Oware())
    assert player_named("alpha-beta(depth=1)", Oware()).searcher.evaluate is None


def test_commands_use_it():
    result = CliRunner().invoke(app, ["evaluate", "kalah", "--evaluation", "learned"])
    assert result.exit_code == 0
    assert "sum" in result.stdout


def test_what_each_cell_is_worth_is_shown_and_drawn(tmp_path):
    def run(*options):
        return CliRunner().invoke(app, ["evaluate", "nine-mens-morris", "--moves", "a1 d2", *options])

    found = run("--evaluation", "learned", "--svg", str(tmp_path / "board.svg"))
    assert found.exit_code == 0, found.output
    numbers = found.stdout.split("What each cell is worth")[1].splitlines()[2:9]
    assert [len(line.split()) for line in numbers] == [3, 3, 3, 6, 3, 3, 3]
    answer = json.loads(run("--evaluation", "learned", "--json").stdout)
    assert len(answer["locations"]) == 26
    drawn = (tmp_path / "board.svg").read_text("utf-8")
    greatest = max(answer["locations"].keys() - {"left", "idle"}, key=lambda cell: abs(answer["locations"][cell]))
    assert f"{answer['locations'][greatest]:+.2f}<" in drawn
    refused = run("--svg", str(tmp_path / "none.svg"))
    assert refused.exit_code == 2
    assert "--evaluation with a file of outplay learn" in " ".join(refused.output.split())


def test_the_chances_of_results_are_shown():
    args = ["evaluate", "backgammon", "--state", "sGfwATDgc/ABMA:cAkAAAAAAAAE", "--evaluation", "learned"]
    shown = CliRunner().invoke(app, args)
    assert shown.exit_code == 0
    assert re.search(r"How likely each result is for player 1: -3: \d\.\d%, -2: [\d.]+%, -1: .*, \+3: ", shown.output)
    assert re.search(r"Estimate for player 1, before chance decides: -0.\d+, by these weights", shown.output)
    told = json.loads(CliRunner().invoke(app, [*args, "--json"]).output)
    chances = {one["utility"]: one["chance"] for one in told["chances"]}
    assert list(chances) == [-3, -2, -1, 1, 2, 3]
    assert sum(chances.values()) == pytest.approx(1)
    assert sum(won * chance for won, chance in chances.items()) == pytest.approx(told["estimate"])


def test_backgammon_estimates_by_its_file():
    """The mean of both players' views, and whatever the dice, since they are still to be thrown."""
    evaluation, game = LearnedEvaluation.load(FOLDER / "Backgammon.learned"), games.Backgammon()
    position = game.result(game.initial_state(), game.parse_action(game.initial_state(), "3-1"))
    before_throw = position._replace(dice=game.result(position, game.actions(position)[0]).dice)
    turned = before_throw._replace(turn=1, near=position.near[::-1], far=position.far[::-1])
    estimates = evaluation(game, before_throw, 0), evaluation(game, turned, 1)
    assert estimates[0] != estimates[1]
    assert sum(estimates) / 2 == pytest.approx(game.evaluate(position, 0))
    assert game.evaluate(turned, 1) == game.evaluate(position, 0) == -game.evaluate(turned, 0)
    found = games.Backgammon(cube=True).chances(before_throw)
    assert list(found) == pytest.approx(list(evaluation.chances(game, before_throw).values()))
