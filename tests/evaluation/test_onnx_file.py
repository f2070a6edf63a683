"""Networks in ONNX files: what they are given, what they may answer, and what is said of files that do not fit."""

import math
import pickle

import numpy as np
import pytest

from evaluation.test_patterns import Weighed
from outplay import MCTS, AlphaBeta, EvaluationError, Limit, legal_actions
from outplay.arena import player_named
from outplay.evaluation import OnnxEvaluator, layout_text
from outplay.evaluation.columns import reader_of
from outplay.evaluation.layout import layout_of, sample
from outplay.evaluation.planes import METADATA, input_count, inputs_of
from outplay.games import Breakthrough, ConnectFour, ManyPlayerMNK, Othello, Pig, TicTacToe
from outplay.session.searchers import use_of_evaluation

GAME = TicTacToe()


def layout(game=GAME):
    return layout_of(game, sample(game, 500, seed=1))


def states_of(game, number=40):
    states = [state for state in sample(game, number, seed=2).states if not game.is_terminal(state)]
    return states[:number]


# -- the inputs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [GAME, Breakthrough(4, 4), ManyPlayerMNK(), Pig()], ids=repr)
def test_inputs_are_the_symbols_one_by_one_and_who_is_to_move(game):
    places = layout(game)
    read = reader_of(places.columns)
    for state, row in zip(states_of(game), inputs_of(game, places, states_of(game)), strict=True):
        numbers, expected = read(state), []
        for location in places.locations:
            symbol = sum(
                (numbers[part.column] >> part.bit & 1) * part.factor
                if part.bit >= 0
                else min(max(numbers[part.column], part.low), part.high) - part.low
                for part in location.parts
            )
            expected += [float(symbol == number) for number in range(location.symbols)]
        expected += [float(game.to_move(state) == player) for player in range(game.players)]
        expected += [0.0] * game.has_chance
        assert row.tolist() == expected
        assert len(row) == input_count(game, places)


def test_chance_has_an_input_of_its_own():
    game = Pig()
    places = layout(game)
    state = next(
        game.result(state, action)
        for state in states_of(game)
        for action in legal_actions(game, state)
        if game.to_move(game.result(state, action)) == -1
    )
    assert inputs_of(game, places, [state])[0, -3:].tolist() == [0, 0, 1]


# -- models -----------------------------------------------------------------------------------------------------------


def model(path, game=GAME, weights=None, policy=None, wide=1, text=True, scale=1.0, bias=0.0, name="value", width=None):
    """Write a network of one layer: value = tanh(inputs · weights) · scale + bias, and policy = inputs · policy."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from onnx import helper, numpy_helper

    places = layout(game)
    count = width or input_count(game, places)
    weights = np.zeros((count, wide), np.float32) if weights is None else weights
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Tanh", ["a"], ["b"]),
        helper.make_node("Mul", ["b", "scale"], ["c"]),
        helper.make_node("Add", ["c", "bias"], [name]),
    ]
    constants = {"w": weights, "scale": np.float32(scale), "bias": np.float32(bias)}
    outputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", weights.shape[1]])]
    if policy is not None:
        nodes.append(helper.make_node("MatMul", ["x", "p"], ["policy"]))
        constants["p"] = policy
        outputs.append(helper.make_tensor_value_info("policy", onnx.TensorProto.FLOAT, ["n", policy.shape[1]]))
    graph = helper.make_graph(
        nodes, "tiny", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", count])], outputs,
        [numpy_helper.from_array(np.asarray(array, np.float32), key) for key, array in constants.items()],
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    if text:
        helper.set_model_props(made, {METADATA: layout_text(game, places)})
    path.write_bytes(made.SerializeToString())
    return path


def random_weights(game, width=1, seed=0):
    count = input_count(game, layout(game))
    return np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)


@pytest.mark.parametrize("game", [GAME, Breakthrough(4, 4), Othello(4)], ids=repr)
def test_values_are_those_of_the_network_for_both_players(game, tmp_path):
    weights = random_weights(game)
    evaluator = OnnxEvaluator(model(tmp_path / "a.onnx", game, weights), game)
    states = states_of(game)
    values, priors = evaluator(states)
    expected = np.tanh(inputs_of(game, layout(game), states) @ weights)[:, 0]
    assert priors is None
    assert values.shape == (len(states), 2)
    own = values[np.arange(len(states)), [game.to_move(state) for state in states]]
    assert own == pytest.approx(expected, abs=1e-5)
    assert values.sum(axis=1) == pytest.approx(0)


def test_more_than_two_players_have_a_value_each(tmp_path):
    game = ManyPlayerMNK()
    weights = random_weights(game, game.players)
    evaluator = OnnxEvaluator(model(tmp_path / "a.onnx", game, weights), game)
    states = states_of(game)
    assert evaluator(states)[0] == pytest.approx(np.tanh(inputs_of(game, layout(game), states) @ weights), abs=1e-5)
    with pytest.raises(EvaluationError, match=r"shape \(2, 1\) for 2 states.*expected \(2, 3\)"):
        OnnxEvaluator(model(tmp_path / "b.onnx", game), game)


def test_the_policy_gives_priors_by_softmax(tmp_path):
    policy = random_weights(GAME, 9, seed=1)
    evaluator = OnnxEvaluator(model(tmp_path / "a.onnx", policy=policy), GAME)
    states = states_of(GAME)
    weights = np.exp(inputs_of(GAME, layout(), states) @ policy)
    found = evaluator(states)[1]
    assert found / found.sum(1, keepdims=True) == pytest.approx(weights / weights.sum(1, keepdims=True), rel=1e-4)


def test_a_search_follows_the_network(tmp_path):
    """A policy for the last square, and no opinion: the search goes there first and most."""
    policy = np.zeros((input_count(GAME, layout()), 9), np.float32)
    policy[:, 8] = 1
    evaluator = OnnxEvaluator(model(tmp_path / "a.onnx", policy=policy), GAME)
    search = MCTS(GAME, evaluator=evaluator, batch=4)
    assert search.search(limit=Limit(simulations=60)).action == 8
    assert pickle.loads(pickle.dumps(search)).search(limit=Limit(simulations=60)).action == 8


def test_a_layout_may_be_given_instead(tmp_path):
    path = model(tmp_path / "a.onnx", text=False)
    with pytest.raises(EvaluationError, match=r"a\.onnx has no 'outplay' in its metadata.*layout="):
        OnnxEvaluator(path, GAME)
    assert OnnxEvaluator(path, GAME, layout())([GAME.initial_state()])[0].tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 5}, r"a\.onnx has 5 inputs; states of TicTacToe\(\) have \d+"),
        ({"wide": 2}, r"a\.onnx gave values of shape \(2, 2\) for 2 states of TicTacToe\(\): expected \(2,\)"),
        ({"bias": math.nan}, r"a\.onnx gave a value that is not a finite number"),
        ({"name": "win"}, r"a\.onnx has no output 'value'; it has win"),
        ({"game": ConnectFour(4, 4)}, r"a\.onnx: it is for 'ConnectFour\(width=4, height=4\)', not for TicTacToe\(\)"),
        ({"policy": math.nan * random_weights(GAME, 9)}, r"a\.onnx gave a policy that is not a number"),
    ],
)  # fmt: skip
def test_a_model_that_does_not_fit_is_told(tmp_path, options, words):
    path = model(tmp_path / "a.onnx", **options)
    with pytest.raises(EvaluationError, match=words):
        OnnxEvaluator(path, GAME)


def test_too_few_actions_in_a_policy_are_told_by_the_search(tmp_path):
    evaluator = OnnxEvaluator(model(tmp_path / "a.onnx", policy=random_weights(GAME, 3)), GAME)
    with pytest.raises(EvaluationError, match=r"priors for 3 actions, but action 8 is legal"):
        MCTS(GAME, evaluator=evaluator).search(limit=Limit(simulations=5))


def test_an_error_of_the_network_is_told_once(tmp_path):
    evaluator = OnnxEvaluator(model(tmp_path / "a.onnx"), GAME)
    evaluator._input = "y"
    with pytest.raises(EvaluationError, match=r"^\S+a\.onnx does not evaluate states of TicTacToe\(\) \(.+\)$"):
        MCTS(GAME, evaluator=evaluator).search(limit=Limit(simulations=5))


def test_files_that_are_no_models_are_told(tmp_path):
    pytest.importorskip("onnxruntime")
    path = tmp_path / "a.onnx"
    with pytest.raises(EvaluationError, match=r"a\.onnx cannot be read"):
        OnnxEvaluator(path, GAME)
    for content in (b"", b"no model", bytes(range(256))):
        path.write_bytes(content)
        with pytest.raises(EvaluationError, match=r"a\.onnx is not an ONNX model"):
            OnnxEvaluator(path, GAME)


@pytest.mark.parametrize("text", ["", "3", "{}", "[]", '{"format": "outplay layout 2"}', "null"])
def test_a_damaged_layout_is_told(tmp_path, monkeypatch, text):
    monkeypatch.setattr(f"{__name__}.layout_text", lambda *_: text)
    path = model(tmp_path / "a.onnx")
    with pytest.raises(EvaluationError, match=r"a\.onnx: its layout is"):
        OnnxEvaluator(path, GAME)


def test_without_onnxruntime(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    (tmp_path / "a.onnx").write_bytes(b"")
    with pytest.raises(EvaluationError, match=r"a\.onnx: .*pip install 'outplay\[onnx\]'"):
        OnnxEvaluator(tmp_path / "a.onnx", GAME)


def test_players_are_named_with_such_a_file(tmp_path):
    path = str(model(tmp_path / "a.onnx"))
    assert isinstance(use_of_evaluation(MCTS, GAME, path)["evaluator"], OnnxEvaluator)

    with pytest.raises(EvaluationError, match="only mcts evaluates by an ONNX file; AlphaBeta cannot"):
        player_named(f"alpha-beta(evaluation={path})", GAME)
    assert player_named(f"mcts(evaluation={path}, simulations=10)", GAME).searcher.evaluator.path == path


def test_a_named_evaluation_changes_how_mcts_searches(tmp_path):
    """Leaves are evaluated at once, and priors come from it where the game has no order; given options stay."""
    assert use_of_evaluation(AlphaBeta, Othello(), "learned").keys() == {"evaluate"}
    weights = tmp_path / "weights.txt"
    weights.write_text("cells 1")
    for game, name, priors in (Othello(), "learned", None), (Weighed(), weights, "evaluation"):
        searcher = player_named(f"mcts(evaluation={name}, simulations=10)", game).searcher
        assert (searcher.playout_depth, searcher.priors, searcher.evaluate is None) == (0, priors, False)
    searcher = player_named("mcts(evaluation=learned, playout_depth=5, priors=evaluation, simulations=10)", Othello())
    assert (searcher.searcher.playout_depth, searcher.searcher.priors) == (5, "evaluation")
