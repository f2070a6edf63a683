"""Traces of Monte Carlo tree search: every number of every simulation, recomputed independently, and the pages."""

import json
import math
import re
from statistics import pstdev

import pytest
from shared.hashed_game import Chancy, Crowd, Hashed, Seeded, WinLossChancy, WinLossHashed, interpreted

from outplay import CHANCE, MCTS, Limit, OutplayError, Trace, legal_actions
from outplay.games import Breakthrough, ConnectFour, ExplicitTree, Go, Nim, TicTacToe
from outplay.montecarlo.recording_steps import MAX_PLAYOUT

PLAIN = {"solver": False, "hints": False, "selection": "ucb1", "rave": False}


def traced(game, state=None, simulations=120, limit=10_000, **options):
    trace = Trace(limit)
    analysis = MCTS(game, seed=5, **options).search(state, Limit(simulations=simulations), trace=trace)
    return trace, analysis


def played(game, state, actions):
    for action in actions:
        assert action in list(legal_actions(game, state))
        state = game.result(state, action)
    return state


def check(game, state, trace, constant, width):
    """Count visits and rewards of each path, as a student would with pen and paper, and compare all numbers.

    `width` is that of the utilities; None: twice the standard deviation of the rewards, the greatest so far; "range":
    between the least and the greatest reward so far.
    """
    visits, sums, rewards, spread = {(): 0}, {}, [], 0.0
    players = range(game.players)
    for number, simulation in enumerate(trace, start=1):
        assert simulation.number == number
        path = ()
        for selection in simulation.path:
            assert selection.visits == visits[path]
            at = played(game, state, path)
            assert selection.player == game.to_move(at)
            assert sorted(option.action for option in selection.options) == sorted(legal_actions(game, at))
            scores = []
            for option in selection.options:
                child = (*path, option.action)
                n = visits.get(child, 0)
                assert option.visits == n
                assert option.name == game.action_name(at, option.action)
                mean = sums.get(child, [0.0] * game.players)[max(selection.player, 0)]
                assert option.total == pytest.approx(mean)
                if selection.player == CHANCE:
                    assert option.probability == pytest.approx(game.probability(at, option.action))
                    assert option.score is None
                elif n == 0:
                    assert option.score == math.inf
                else:
                    score = option.total / n + constant * (spread if width in (None, "range") else width) * math.sqrt(
                        math.log(visits[path]) / n
                    )
                    assert option.score == pytest.approx(score)
                scores.append(option.score)
            if selection.player != CHANCE:
                assert selection.chosen == scores.index(max(scores))  # the first of the best
            path = (*path, selection.option.action)
        assert path == simulation.actions
        end = played(game, state, path)
        assert (simulation.player is None) == game.is_terminal(end)
        assert (simulation.result == "end") == game.is_terminal(end)
        end = played(game, end, simulation.playout)
        assert game.is_terminal(end)
        assert simulation.rewards == pytest.approx([game.utility(end, player) for player in players])
        new = [path[: ply + 1] not in visits for ply in range(len(path))]
        assert True not in new[:-1]  # only the last node can be new
        if simulation.expanded is not None:
            assert simulation.expanded == len(path) - 1
            assert visits[path[:-1]] == (0 if len(path) == 1 else 1)
            assert new[-1]
        for reward in simulation.rewards[: 1 if game.players < 3 else game.players]:
            rewards.append(reward)
            spread = max(rewards) - min(rewards) if width == "range" else max(spread, 2 * pstdev(rewards))
        for ply in range(len(path) + 1):
            visits[path[:ply]] = visits.get(path[:ply], 0) + 1
            sums[path[:ply]] = [a + b for a, b in zip(sums.get(path[:ply], [0.0] * game.players),
                                                      simulation.rewards, strict=True)]  # fmt: skip
    return visits, sums


@pytest.mark.sample(3)
@pytest.mark.parametrize("rules", [Hashed, Chancy, Crowd, WinLossHashed, WinLossChancy])
def test_every_number_is_that_of_the_textbook(rules):
    game = interpreted(rules)
    seeds = [seed for seed in range(1, 13) if game.to_move(Seeded(seed, 0, 0)) != CHANCE]
    assert len(seeds) > 6
    for seed in seeds:
        state = Seeded(seed, 0, 0)
        trace, found = traced(game, state, 60, **PLAIN)
        assert len(trace) == found.simulations > 20
        width = 2 if game.utilities == (-1, 1) else None
        visits, sums = check(game, state, trace, 0.7, width)
        for row in found.actions:
            assert row.visits == visits[row.action,]
            assert row.value == pytest.approx(sums[row.action,][game.to_move(state)] / row.visits)


def test_every_number_where_the_range_of_rewards_is_the_scale():
    game, state = interpreted(Hashed), Seeded(1, 0, 0)
    trace, _ = traced(game, state, 60, **PLAIN, scale="range")
    check(game, state, trace, 0.7, "range")


@pytest.mark.parametrize(("rules", "arguments"), [(TicTacToe, ()), (Nim, ((3, 4),)), (Breakthrough, (4, 4))])
def test_every_number_of_known_games(rules, arguments):
    game = interpreted(rules, *arguments)
    trace, found = traced(game, **PLAIN)
    visits, sums = check(game, game.initial_state(), trace, 0.7, 2)
    assert len(trace) == found.simulations
    for row in found.actions:
        assert (row.visits, row.value) == (visits[row.action,], pytest.approx(sums[row.action,][0] / row.visits))
    assert trace.recording.formula == "w/n + c √(ln N / n), c = 1.4"


class Points(TicTacToe):
    """Tic-tac-toe in which a win is a point and a draw half of one."""

    constant_sum, utilities = 1, (0, 1)

    def utility(self, board, player):
        return (1 + super().utility(board, player)) / 2


def test_every_number_of_a_game_of_constant_sum(tmp_path):
    game = interpreted(Points)
    trace, found = traced(game, **PLAIN)
    visits, sums = check(game, game.initial_state(), trace, 0.7, 1)
    for row in found.actions:
        assert (row.visits, row.value) == (visits[row.action,], pytest.approx(sums[row.action,][0] / row.visits))
    assert "MAX" in trace.tree()
    twin, _ = traced(interpreted(TicTacToe), **PLAIN)
    assert [each.actions for each in twin] == [each.actions for each in trace]


OPTIONS = (
    {}, {"selection": "ucb1-tuned"}, {"selection": "puct", "bias": 1.0}, {"rave": True},
    {"rave": True, "rave_reference": 20}, {"playouts": "mast"}, {"playouts": "replies"}, {"widening": (1.0, 0.5)},
    {"transpositions": True}, {"scale": "spread"}, {"first_play": 0.5}, {"playout_depth": 0}, {"exploration": 2.0},
)  # fmt: skip


@pytest.mark.sample(5)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_option_can_be_repeated(options):
    """The counts of the simulations are those of the answer, and recording changes nothing."""
    game = interpreted(ConnectFour, 5, 4)
    trace, found = traced(game, simulations=100, **options)
    plain = MCTS(game, seed=5, **options).search(None, Limit(simulations=100))
    assert [(row.action, row.visits, row.value) for row in plain.actions] == [
        (row.action, row.visits, row.value) for row in found.actions
    ]
    for row in found.actions:
        mine = [each for each in trace if each.path and each.path[0].option.action == row.action]
        assert len(mine) == row.visits
    for simulation in trace:
        for selection in simulation.path:
            scores = [option.score for option in selection.options]
            if "rave_reference" in options:
                assert set(scores) == {None}
            elif "widening" not in options:
                best = max(score for score in scores if score is not None)
                assert selection.option.score == best
        state = played(game, game.initial_state(), simulation.actions)
        if simulation.result == "playout" and "playout_depth" not in options:
            state = played(game, state, simulation.playout)
            if game.is_terminal(state):
                assert simulation.rewards[0] == game.utility(state, 0)
            else:
                assert game.forced_result(state)[1] > 0


@pytest.mark.sample(1)
@pytest.mark.parametrize("options", [{}, {"rave": True}, {"transpositions": True}], ids=str)
def test_compiled_searches_record_the_same(options):
    fast, found = traced(ConnectFour(5, 4), simulations=200, **options)
    other, _ = traced(interpreted(ConnectFour, 5, 4), simulations=200, **options)
    assert fast.as_dict() | {"game": ""} == other.as_dict() | {"game": ""}
    assert len(fast) == found.simulations
    assert [each.playout for each in fast] == [each.playout for each in other]


def test_rules_get_python_s_own_ints():
    """With NumPy's ints, the bit boards of Go on 8 × 8 points would overflow."""

    class Plain(Go):
        compiled = False

        def result(self, board, action):
            assert type(action) is int
            return super().result(board, action)

    trace, _ = traced(Plain(8), simulations=3)
    assert len(trace[2].playout) > 8
    assert {type(action) for simulation in trace for action in simulation.playout} == {int}


def test_what_has_no_room():
    game = interpreted(TicTacToe)
    trace, found = traced(game, simulations=100, limit=30)
    assert (len(trace), trace.dropped, found.simulations) == (30, 70, 100)
    assert trace[-1].number == 30
    assert repr(trace) == "<Trace of 30 simulations, 70 more dropped>"
    small, found = traced(game, simulations=400, memory_mb=0.01, solver=False)
    assert 0 < len(small) < 400  # the recording ends where the tree was full for the first time
    assert len(small) + small.dropped == found.simulations
    assert small[-1].number == len(small)
    with pytest.raises(IndexError):
        trace[30]
    assert [each.number for each in trace[27:]] == [28, 29, 30]


def test_chance_and_proved_values():
    game = ExplicitTree([{"player": "chance", "children": [[1, 2], 8], "probabilities": [0.75, 0.25]}])
    trace, _ = traced(game, simulations=40, solver=False)
    first = trace[10].path[1]
    assert (first.player, [option.probability for option in first.options]) == (CHANCE, [0.75, 0.25])
    game = interpreted(TicTacToe)
    state = played(game, game.initial_state(), (0, 4))
    trace, found = traced(game, state, simulations=1000, transpositions=True)
    assert any(option.is_proved for each in trace for selection in each.path for option in selection.options)
    assert any(each.result == "proved" for each in trace)
    assert found.exact or len(trace) == 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": 2}, "a trace needs threads=1"),
        ({"reuse_tree": True}, "a trace needs reuse_tree=False"),
        ({"evaluator": lambda states: None}, "a trace needs evaluator=None"),
    ],
)
def test_what_cannot_be_recorded(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        traced(interpreted(TicTacToe), **options)


def test_other_rules_than_those_searched():
    game = interpreted(TicTacToe)
    trace, _ = traced(game)
    type(trace.recording.game).actions = lambda self, board: [cell for cell in range(9) if cell != 4]
    try:
        with pytest.raises((OutplayError, IndexError)):
            list(trace)
    finally:
        del type(trace.recording.game).actions


def test_the_tree_as_text_and_picture():
    trace, _ = traced(ExplicitTree([[3, 12, 8], [2, 4, 6]]), simulations=12, solver=False, exploration=0.5)
    text = trace.tree()
    lines = text.splitlines()
    assert lines[0].split() == ["MCTS,", "12", "simulations", "n", "w", "w/n"]
    total = sum(each.rewards[0] for each in trace)
    assert lines[1].split() == ["MAX", "12", f"{total:.4g}", f"{total / 12:.3f}"]
    assert "selected by w/n + c √(ln N / n), c = 0.5 × the spread of the rewards" in text
    assert trace.tree(3).startswith("MCTS, 3 of 12 simulations")
    assert len(trace.tree(plies=1).splitlines()) == 7
    picture = trace.picture()
    assert picture.nodes[0].lines[0] == f"{total:.4g}/12"
    assert picture.nodes[0].share == 1
    children = [picture.nodes[child] for child in picture.nodes[0].children]
    assert sum(child.share for child in children) == pytest.approx(1)
    assert [child.bold for child in children] == [True, False]
    assert 'class="e best w' in picture.svg()
    for wrong in (0, 13, True, 1.5):
        with pytest.raises(ValueError, match="choose a number of simulations from 1 to 12"):
            trace.tree(wrong)


def data_of(text):
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1])


def test_the_page_ends_with_the_numbers_of_the_tree(tmp_path):
    for game in (interpreted(TicTacToe), ExplicitTree([[3, 12, 8], [2, 4, 6]])):
        trace, _ = traced(game, simulations=25)
        trace.save(tmp_path / "a.html")
        data = data_of((tmp_path / "a.html").read_text("utf-8"))
        assert data["code"][3].strip() == "node = child with the best score"
        shown = {}
        for step in data["steps"]:
            shown.update({int(node): lines for node, lines in step.get("texts", {}).items()})
        nodes = trace.picture().nodes
        assert {number: node.lines[0] for number, node in enumerate(nodes)} == {
            number: lines[0] for number, lines in shown.items()
        }
        said = [step["say"] for step in data["steps"]]
        for number in range(1, len(trace) + 1):
            mine = [each for each in said if each.startswith(f"Simulation {number},")]
            assert sum("playout:" in each for each in mine) == 1
            assert sum("backpropagation:" in each for each in mine) == 1
            assert sum("selection at" in each for each in mine) == len(trace[number - 1].path)
            assert sum("expansion:" in each for each in mine) == (trace[number - 1].expanded is not None)
        for step in data["steps"]:
            if "table" in step and step["marked"] is not None:
                assert step["table"][2][step["marked"]][0] in step["say"]


def test_as_dict_is_json():
    trace, _ = traced(interpreted(TicTacToe), simulations=20)
    plain = json.loads(json.dumps(trace.as_dict(1)))
    assert plain["formula"].startswith("w/n + c")
    assert [each["number"] for each in plain["simulations"]] == list(range(1, len(trace) + 1))
    assert max(len(each["path"]) for each in plain["simulations"]) == 1


def test_the_constant_is_shown_whatever_the_range_of_utilities():
    """Hashed games do not declare their range: the constant grows with the rewards, and scores follow from it."""
    searcher, trace = MCTS(interpreted(Hashed), selection="ucb1", solver=False, seed=1), Trace()
    searcher.search(Seeded(5, 0, 0), Limit(simulations=60), trace=trace)
    seen = set()
    for simulation in trace:
        for selection in simulation.path:
            seen.add(selection.constant)
            for option in selection.options:
                if option.visits:
                    term = math.sqrt(math.log(selection.visits) / option.visits)
                    assert option.score == pytest.approx(option.total / option.visits + selection.constant * term)
    assert len(seen) > 1
    said = [step.say for step in trace.steps().steps]
    assert all(re.search(r"N = \d+, c = [\d.]+:", say) for say in said if "selection at" in say)
    first = next(simulation for simulation in trace if simulation.playout)
    random_game = " ".join(map(str, first.playout[:MAX_PLAYOUT]))
    assert any(re.search(rf"a random game from .*: {random_game}", say) for say in said)
    assert trace.as_dict(1)["simulations"][-1]["path"][0]["constant"] == max(seen)
