"""Evaluations: features of every game, weighted sums of them, shares of outcomes, searches that estimate by these."""

import gc
import json
import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.hashed_game import interpreted
from typer.testing import CliRunner

from outplay import (
    AlphaBeta,
    EvaluationError,
    Game,
    Limit,
    LinearEvaluation,
    Minimax,
    MTDf,
    OutcomeEvaluation,
    PlayoutEvaluation,
    ProofNumber,
    UnsuitableGame,
    kernel,
    legal_actions,
)
from outplay.cli.commands import app
from outplay.compile.fingerprint import Fingerprint
from outplay.compile.kernels import runs_compiled
from outplay.evaluation.variant import _copies, with_evaluation, with_order
from outplay.games import (
    BUILT_IN,
    MNK,
    Breakthrough,
    Chess,
    ConnectFour,
    Domineering,
    DotsAndBoxes,
    EnglishDraughts,
    ExplicitTree,
    Go,
    Hex,
    InternationalDraughts,
    Kalah,
    Nim,
    NineMensMorris,
    Othello,
    Oware,
    TicTacToe,
    Xiangqi,
)


@kernel
def estimate_of(game, state, player):
    return game.evaluate(state, player)


def random_states(game, games=3, seed=0):
    """Every state, but for the last, of random games."""
    dice, found = random.Random(seed), []
    for _ in range(games):
        state = game.initial_state()
        while not game.is_terminal(state) and len(found) < 200 * games:
            found.append(state)
            state = game.result(state, dice.choice(list(legal_actions(game, state))))
    return found


GAMES = [
    MNK(4, 4, 3), Breakthrough(), Chess(), ConnectFour(), Domineering(), DotsAndBoxes(), EnglishDraughts(), Go(5),
    Hex(5), InternationalDraughts(), Kalah(), NineMensMorris(), Othello(), Oware(), TicTacToe(), Xiangqi(),
]  # fmt: skip
CHESS, KALAH, TTT = Chess(), Kalah(), TicTacToe()
STATES = {game: random_states(game, 2) for game in (*GAMES, Nim())}
each_game = pytest.mark.parametrize("game", GAMES, ids=repr)
weights = st.floats(-1e6, 1e6, allow_nan=False)


def any_evaluation(draw, game):
    return LinearEvaluation({name: draw(weights) for name in game.feature_names}, draw(st.floats(1e-3, 1e3)))


# -- features ---------------------------------------------------------------------------------------------------------


def swap_boards(game, state):
    return state._replace(own=state.other, other=state.own, turn=1 - state.turn)


def swap_pieces(game, state):
    return state._replace(mine=state.theirs, theirs=state.mine, turn=1 - state.turn)


def swap_turn(game, state):
    return state._replace(turn=1 - state.turn)


def swap_discs(game, state):
    return state._replace(mine=state.mine ^ state.both)


def swap_parity(game, state):
    return state._replace(filled=state.filled + 1)


SWAPS = {
    "null_move_state": (lambda game, state: game.null_move_state(state), (CHESS, Go(5), Xiangqi())),
    "boards": (swap_boards, (Othello(),)),
    "pieces": (swap_pieces, (EnglishDraughts(), InternationalDraughts())),
    "discs": (swap_discs, (ConnectFour(),)),
    "parity": (swap_parity, (TTT, MNK(4, 4, 3))),
    "turn": (swap_turn, (Breakthrough(), Domineering(), Hex(5), KALAH, Oware())),
}


@pytest.mark.parametrize(("swap", "games"), SWAPS.values(), ids=SWAPS)
def test_features_change_sign_with_the_player_to_move(swap, games):
    for game in games:
        for state in STATES[game]:
            other = swap(game, state)
            if other is not state:
                assert list(game.features(other)) == [-value for value in game.features(state)]


def test_features_change_sign_with_the_men():
    game = NineMensMorris()
    for state in random_states(game, seed=1):
        if game.in_hand(state, 0) == game.in_hand(state, 1) == 0:
            assert list(game.features(swap_pieces(game, state))) == [-value for value in game.features(state)]


def test_boxes_to_take_are_for_the_player_to_move():
    game = DotsAndBoxes()
    for state in STATES[game]:
        boxes, open_ = game.features(state)
        assert game.features(swap_turn(game, state)) == (-boxes, open_)


@each_game
def test_nobody_has_more_at_the_start(game):
    features = [value for name, value in zip(game.feature_names, game.features(game.initial_state()), strict=True)]
    assert features == ([0, 0, 0, -game.komi] if isinstance(game, Go) else [0] * len(features))


@each_game
def test_every_feature_is_of_use(game):
    found = [list(map(float, game.features(state))) for state in STATES[game]]
    for name, column in zip(game.feature_names, zip(*found, strict=True), strict=True):
        assert len(set(column)) > 1, name


def test_games_that_estimate_have_features():
    """But for those with chance, with hidden information, and for many players: there is no one "mine less theirs"."""
    without = ("chinese-checkers", "einstein", "explicit-tree", "many-player-mnk", "nim", "pacman")
    games = [BUILT_IN[name] for name in BUILT_IN if name not in without and not BUILT_IN[name].hidden_information]
    assert all("features" in dir(game) and game.features is not Game.features for game in games)


def test_lines_of_tic_tac_toe_are_those_of_the_textbook():
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    for state in STATES[TTT]:
        rows = [[int(state.marks[square]) for square in line] for line in lines]
        counts = {
            (mark, number): sum(row.count(mark) == number and row.count(3 - mark) == 0 for row in rows)
            for mark in (1, 2)
            for number in (1, 2)
        }
        for player, me in ((0, 1), (1, 2)):
            eval_ = 3 * counts[me, 2] + counts[me, 1] - (3 * counts[3 - me, 2] + counts[3 - me, 1])
            if player == TTT.to_move(state):
                assert LinearEvaluation.named(TTT, "textbook").explain(TTT, state).points == eval_


def test_features_are_counted():
    state = CHESS.parse_state("4k3/8/8/8/8/8/PP6/2BBK1N1 b - - 0 1")
    *pieces, mobility, tapered = CHESS.features(state)
    assert pieces == [-2, -1, -2, 0, 0, -1]
    #               black's king; white's king, knight, and bishops: c1 to h6, d1 to a4 and h5
    assert mobility == 5 - (4 + 3 + 5 + (3 + 4))
    assert tapered == -CHESS.tapered(state) < 0
    board = KALAH.result(KALAH.initial_state(), 2)
    assert KALAH.features(board) == (1, (4 + 4 + 0 + 5 + 5 + 5) - 6 * 4, 0 - 1)  # their third pit ends in the store
    game = ConnectFour()
    state = game.initial_state()
    for column in (3, 0, 3, 1, 3):
        state = game.result(state, column)
    assert game.features(state) == (-1, -3)


# -- weighted sums ----------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.data())
def test_laws_of_weighted_sums(data):
    game = data.draw(st.sampled_from(GAMES))
    state = data.draw(st.sampled_from(STATES[game]))
    one, two = (any_evaluation(data.draw, game) for _ in range(2))
    player = game.to_move(state)
    estimate = one(game, state, player)
    assert estimate == -one(game, state, 1 - player)
    if game.utilities:
        assert game.utilities[0] < estimate < game.utilities[1]
    explanation = one.explain(game, state)
    assert explanation.estimate == estimate
    assert math.isclose(explanation.points, sum(t.weight * t.value for t in explanation.terms), abs_tol=1e-6)
    wanted = explanation.points / (abs(explanation.points) + one.half) if game.utilities == (-1, 1) else None
    assert wanted is None or math.isclose(estimate, wanted, rel_tol=1e-6, abs_tol=1e-9)
    both = LinearEvaluation({name: one.weights[name] + two.weights[name] for name in game.feature_names})
    points = explanation.points + two.explain(game, state).points
    assert math.isclose(both.explain(game, state).points, points, rel_tol=1e-6, abs_tol=1e-3)


@pytest.mark.nightly
@given(st.dictionaries(st.from_regex("[a-z_]+", fullmatch=True).filter(lambda name: name != "half"), weights),
       st.floats(1e-3, 1e3))  # fmt: skip
def test_what_is_saved_is_loaded(given_weights, half):
    evaluation = LinearEvaluation(given_weights, half)
    again = LinearEvaluation.parse(str(evaluation))
    assert again == evaluation
    assert hash(again) == hash(evaluation)
    assert eval(repr(evaluation), {"LinearEvaluation": LinearEvaluation}) == evaluation


def test_files(tmp_path):
    path = tmp_path / "weights.txt"
    path.write_text("# material\npawns 1   # each\n\nqueens 9\nhalf 3\n")
    evaluation = LinearEvaluation.load(path, CHESS)
    assert evaluation == LinearEvaluation({"queens": 9, "pawns": 1}, half=3)
    evaluation.save(path)
    assert path.read_text() == "pawns 1\nqueens 9\nhalf 3\n"


def test_estimates_stay_inside_however_great_the_weights():
    state = CHESS.parse_state("4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1")
    estimate = LinearEvaluation({"queens": 1e12}, half=1e-6)(CHESS, state, 0)
    assert 0.999 < estimate < 1 - 1e-9  # a search tells values apart that differ by a part in 10**12
    board = KALAH.result(KALAH.initial_state(), 2)
    assert 47.9 < LinearEvaluation({"stores": 1e9})(KALAH, board, 0) < 48
    assert LinearEvaluation({"stores": 2.5})(KALAH, board, 1) == -2.5

    class Unbounded(Kalah):
        def __init__(self):
            super().__init__()
            self.utilities = None

    assert LinearEvaluation({"stores": 1e9})(Unbounded(), board, 0) == 1e9


def test_the_usual_evaluation_of_chess_is_a_sum():
    evaluation = LinearEvaluation({"tapered": 1})
    for state in STATES[CHESS]:
        assert math.isclose(evaluation(CHESS, state, 0), CHESS.evaluate(state, 0), abs_tol=1e-12)


def test_choices_that_come_with_games():
    for game in map(BUILT_IN.__getitem__, ("chess", "english-draughts", "international-draughts", "tic-tac-toe")):
        for name in game.feature_weights:
            LinearEvaluation.named(game(), name).check(game())
    game = EnglishDraughts()
    state = game.parse_state("B:W22,K31:B1,2,9,K10")
    assert LinearEvaluation.named(game, "material").explain(game, state).points == (3 + 2) - (1 + 2)
    assert dict(CHESS.feature_weights["material"]) == {"pawns": 1, "knights": 3, "bishops": 3, "rooks": 5, "queens": 9}


def test_an_explanation_is_a_table():
    state = CHESS.parse_state("4k3/8/8/8/8/8/PP6/4K1N1 b - - 0 1")
    found = LinearEvaluation({"pawns": 1, "knights": 3.5}, half=5.5).explain(CHESS, state)
    rows = [line.split() for line in str(found).splitlines()]
    assert rows[0] == ["feature", "value", "weight", "points"]
    assert rows[2:4] == [["pawns", "-2", "1", "-2"], ["knights", "-1", "3.5", "-3.5"]]
    assert rows[-2:] == [["sum", "-5.5"], ["estimate", "for", "player", "1", "-0.5"]]
    assert found.as_dict()["features"][1] == {"feature": "knights", "value": -1.0, "weight": 3.5, "points": -3.5}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LinearEvaluation({"pawn": 1}).rule(CHESS), "Chess has no feature 'pawn'; did you mean pawns?"),
        (lambda: AlphaBeta(CHESS, evaluate=LinearEvaluation({"xyz": 1})), "it has pawns, knights"),
        (lambda: Minimax(Nim(), evaluate=LinearEvaluation({"heaps": 1})), "Nim has no feature 'heaps'; it has none"),
        (lambda: LinearEvaluation([("men", 1), ("men", 2)]), "men is given twice"),
        (lambda: LinearEvaluation({"men": "1"}), "the weight of men is '1'; give a number"),
        (lambda: LinearEvaluation({"men": True}), "is True; give a number"),
        (lambda: LinearEvaluation({"men": math.nan}), "is nan; give a number"),
        (lambda: LinearEvaluation({"men": 1e13}), "between -1e+12 and 1e+12"),
        (lambda: LinearEvaluation({"two words": 1}), "'two words' is not the name of a feature"),
        (lambda: LinearEvaluation({"half": 1}), "'half' is not the name"),
        (lambda: LinearEvaluation({}, half=0), "half=0: it must be more than 0"),
        (lambda: LinearEvaluation.named(CHESS, "materiel"), "no evaluation 'materiel'; did you mean material?"),
        (lambda: LinearEvaluation.load("no/such/file"), "no/such/file cannot be read: No such file"),
        (lambda: PlayoutEvaluation(0), "playouts=0: a whole number, at least 1"),
        (lambda: PlayoutEvaluation(seed=1.5), "seed=1.5: a whole number"),
        (lambda: OutcomeEvaluation({3: {}}, filled), "category 3 has no games"),
    ],
)
def test_errors(make, words):
    with pytest.raises(EvaluationError) as error:
        make()
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pawns 1\nrooks", "file:2: 'rooks' is not a name and a weight; write for example: men 1.5"),
        ("rooks = 5", "file:1: 'rooks = 5' is not"),
        ("pawns 1\n\nroks 5", "file:3: Chess has no feature 'roks'; did you mean rooks?"),
        ("pawns one", "file:1: the weight of pawns is 'one'; give a number"),
        ("pawns 1\npawns 2", "file:2: the weight of pawns is given twice"),
        ("half 1\nhalf 1", "file:2: half is given twice"),
        ("half -1", "file:1: half=-1.0: it must be more than 0"),
        ("half inf", "file:1: half is inf; give a number"),
    ],
)
def test_broken_lines(text, words):
    with pytest.raises(EvaluationError) as error:
        LinearEvaluation.parse(text, CHESS, source="file")
    assert words in str(error.value)


@pytest.mark.parametrize("evaluation", [LinearEvaluation({}), PlayoutEvaluation(), OutcomeEvaluation({}, sum)])
@pytest.mark.parametrize(
    "game", [ExplicitTree([{"utility": [1, 2, 3]}]), ExplicitTree([{"player": "chance", "children": [1, 2]}])]
)
def test_unsuitable_games(evaluation, game):
    with pytest.raises(UnsuitableGame, match="cannot estimate"):
        evaluation.rule(game)


@pytest.mark.parametrize("searcher", [AlphaBeta, MTDf, Minimax])
def test_no_evaluation(searcher):
    with pytest.raises(ValueError, match=r"evaluate=3: a function \(game, state, player\)"):
        searcher(TTT, evaluate=3)


# -- shares of outcomes -----------------------------------------------------------------------------------------------


def exact_shares(game, state, player, known):
    """How likely each utility is if both play at random, from the whole tree."""
    if game.is_terminal(state):
        return {float(game.utility(state, player)): Fraction(1)}
    key = game.key(state)
    if key not in known:
        actions, found = list(legal_actions(game, state)), {}
        for action in actions:
            for utility, share in exact_shares(game, game.result(state, action), player, known).items():
                found[utility] = found.get(utility, 0) + share / len(actions)
        known[key] = found
    return known[key]


@pytest.mark.nightly
def test_playouts_come_near_the_exact_shares_of_tic_tac_toe():
    known = {}
    for state in (TTT.initial_state(), STATES[TTT][1], STATES[TTT][4]):
        exact = float(sum(utility * share for utility, share in exact_shares(TTT, state, 0, known).items()))
        found = PlayoutEvaluation(40_000)(TTT, state, 0)
        assert abs(found - exact) < 0.02  # 4 standard deviations
        assert found == -PlayoutEvaluation(40_000)(TTT, state, 1)
    # 737 of 1260 games are won by player 0, 363 lost
    assert exact_shares(TTT, TTT.initial_state(), 0, {})[1.0] == Fraction(737, 1260)


class Slow(TicTacToe):
    compiled = False


def test_playouts_are_the_same_compiled_and_each_time():
    estimates = {(playouts, seed): [] for playouts in (1, 30) for seed in (0, 1)}
    for (playouts, seed), found in estimates.items():
        evaluation = PlayoutEvaluation(playouts, seed)
        for state in STATES[TTT]:
            estimate = evaluation(TTT, state, 0)
            assert estimate == evaluation(Slow(), state, 0) == evaluation(TTT, state, 0)
            assert -1 < estimate < 1
            found.append(estimate)
    assert estimates[30, 0] != estimates[30, 1]
    assert len(set(estimates[1, 0])) == 3


def test_a_textbook_expectation():
    evaluation = OutcomeEvaluation({7: {1: 72, -1: 20, 0: 8}}, category=lambda game, state: 7)
    assert math.isclose(evaluation.value(7), 0.52)
    assert evaluation.shares(7) == {1: 0.72, 0: 0.08, -1: 0.2}
    state = TTT.initial_state()
    assert math.isclose(evaluation(TTT, state, 0), 0.52)
    assert evaluation(TTT, state, 1) == -evaluation(TTT, state, 0)
    assert (evaluation.value(8), evaluation.shares(8)) == (0, {})


def filled(game, state):
    return state.filled


SHARES = OutcomeEvaluation({ply: {1: 5 + ply, 0: 3, -1: 9 - ply} for ply in range(0, 9, 2)}, filled)


def test_categories_that_nobody_counted_are_draws():
    for state in STATES[TTT]:
        player = TTT.to_move(state)
        expected = (2 * state.filled - 4) / 17 if state.filled % 2 == 0 else 0
        if not TTT.is_terminal(state):
            assert SHARES(TTT, state, player) == pytest.approx(expected)
            assert SHARES(TTT, state, 1 - player) == pytest.approx(-expected)


def test_shares_in_files(tmp_path):
    path = tmp_path / "shares.txt"
    for evaluation in SHARES, OutcomeEvaluation({-2: {-7.5: 3}, 12: {1: 1, 0.25: 10**12}}, filled):
        evaluation.save(path)
        again = OutcomeEvaluation.load(path, evaluation.category)
        assert again == evaluation
        assert str(again) == str(evaluation) == path.read_text().rstrip("\n")


@pytest.mark.parametrize("line", ["1 5 of +1", "1: 5", "one: 5 of 1", "1: x of 1", "1: 5 of 1 2: 3 of 1"])
def test_broken_tables(tmp_path, line):
    path = tmp_path / "shares.txt"
    path.write_text(f"# shares\n{line}\n")
    with pytest.raises(EvaluationError, match=r"shares.txt:2: .* is not a category; write for example"):
        OutcomeEvaluation.load(path, filled)


@pytest.mark.parametrize(("text", "words"), [("1: 5 of 1\n1: 5 of 1", "given twice"), ("1: 0 of 1", "has no games")])
def test_tables_that_make_no_sense(tmp_path, text, words):
    path = tmp_path / "shares.txt"
    path.write_text(text)
    with pytest.raises(EvaluationError, match=words):
        OutcomeEvaluation.load(path, filled)


# -- searches ---------------------------------------------------------------------------------------------------------


SUMS = {
    CHESS: LinearEvaluation({"pawns": 1.1, "knights": -3.3, "mobility": 0.07, "tapered": 0.9}, half=2.7),
    KALAH: LinearEvaluation({"stores": 1, "seeds": 0.3, "again": 30.1}),
    TTT: LinearEvaluation({"lines_1": 0.1, "lines_2": 3}),
}


@pytest.mark.parametrize("game", SUMS, ids=repr)
def test_compiled_sums_are_the_interpreted_ones(game):
    evaluation = SUMS[game]
    variant = with_evaluation(game, evaluation)
    for state in STATES[game]:
        assert estimate_of(variant, state, 0) == evaluation(game, state, 0)


def test_compiled_tables_are_the_interpreted_ones():
    variant = with_evaluation(TTT, SHARES)
    found = [estimate_of(variant, state, 0) for state in STATES[TTT]]
    assert found == [SHARES(TTT, state, 0) for state in STATES[TTT]]
    assert len(set(found)) >= 3


def test_evaluations_are_told_apart():
    def mark(evaluation):
        fingerprint = Fingerprint.of_game(with_evaluation(TTT, evaluation))
        assert fingerprint.complete
        return str(fingerprint)

    evaluations = [
        LinearEvaluation({"lines_1": 1}), LinearEvaluation({"lines_1": 2}), LinearEvaluation({"lines_2": 1}),
        LinearEvaluation({"lines_1": 1}, half=5),
        PlayoutEvaluation(10), PlayoutEvaluation(11), PlayoutEvaluation(10, 1),
        *(OutcomeEvaluation(games, filled) for games in ({1: {1: 1}}, {1: {1: 1, 0: 1}}, {2: {1: 1}})),
        OutcomeEvaluation({1: {1: 1}}, lambda game, state: state.filled + 1),
    ]  # fmt: skip
    assert len({mark(evaluation) for evaluation in evaluations}) == len(evaluations)
    same = LinearEvaluation({"lines_2": 0, "lines_1": 1.0})
    assert same.rule(TTT) is evaluations[0].rule(TTT)
    assert type(with_evaluation(TTT, same)) is type(with_evaluation(TTT, evaluations[0]))


def minimax_twin(game, state, depth, evaluate, player):
    if game.is_terminal(state):
        return game.utility(state, player)
    if depth == 0:
        return evaluate(game, state, player)
    values = [
        minimax_twin(game, game.result(state, a), depth - 1, evaluate, player) for a in legal_actions(game, state)
    ]
    return max(values) if game.to_move(state) == player else min(values)


def by_hand(game, state, player):
    features = game.features(state)
    points = 0.1 * features[0] + 3.0 * features[1]
    if game.to_move(state) != player:
        points = -points
    return points / (abs(points) + 4.0)


@pytest.mark.nightly
def test_searches_with_a_sum_find_what_minimax_finds_with_the_function():
    states = STATES[TTT]
    for depth in (1, 2, 3):
        wanted = [minimax_twin(TTT, state, depth, by_hand, TTT.to_move(state)) for state in states]
        plain = {"hints": False, "extensions": False, "quiescence": False}
        searchers = [
            AlphaBeta(TTT, evaluate=SUMS[TTT], **plain),
            MTDf(TTT, evaluate=SUMS[TTT], **plain),
            Minimax(TTT, evaluate=SUMS[TTT]),
            Minimax(Slow(), evaluate=SUMS[TTT]),
            Minimax(Slow(), evaluate=by_hand),
        ]
        for searcher in searchers:
            found = [analysis.value for analysis in searcher.search_many(states, Limit(depth=depth))]
            assert found == pytest.approx(wanted, abs=1e-9)
    assert len(set(wanted)) > 5
    assert type(searchers[0].search(states[0], Limit(depth=1)).game) is TicTacToe


@pytest.mark.compiled
def test_an_evaluation_that_plays_compiles():
    """Finding the type of a game plays it, so the evaluation asks for the type that is being found."""
    assert runs_compiled(with_evaluation(TTT, PlayoutEvaluation(5)))


@pytest.mark.nightly
def test_searches_with_shares():
    state = STATES[TTT][2]
    for evaluation in (PlayoutEvaluation(5), SHARES):
        wanted = minimax_twin(Slow(), state, 2, evaluation, TTT.to_move(state))
        for searcher in (Minimax(TTT, evaluate=evaluation), Minimax(Slow(), evaluate=evaluation)):
            assert searcher.search(state, Limit(depth=2)).value == pytest.approx(wanted, abs=1e-9)


# -- the command line -------------------------------------------------------------------------------------------------


def run(*args, code=0):
    result = CliRunner().invoke(app, args)
    assert result.exit_code == code, result.output
    return result.output if code == 0 else result.stderr


def test_the_command_explains_a_state(tmp_path):
    path = tmp_path / "weights.txt"
    path.write_text("lines_2 3\nlines_1 1\nhalf 2\n")
    printed = run("evaluate", "tic-tac-toe", "--moves", "b2 a1", "--evaluation", str(path))
    assert "X to move" in printed
    rows = [line.split() for line in printed.splitlines()]
    assert ["lines_1", "1", "1", "1"] in rows
    assert ["sum", "1"] in rows
    assert "Estimate for player 0, to move: +0.3333, by these weights." in printed
    data = json.loads(run("evaluate", "tic-tac-toe", "--moves", "b2 a1", "--evaluation", str(path), "--json"))
    assert data["points"] == 1
    assert data["features"][1] == {"feature": "lines_2", "value": 0, "weight": 3, "points": 0}


def test_the_command_shows_what_the_game_has():
    state = "4k3/8/8/8/8/8/PP6/4K1N1 b - - 0 1"
    assert json.loads(run("evaluate", "chess", "--state", state, "--json"))["features"][:2] == [
        {"feature": "pawns", "value": -2.0},
        {"feature": "knights", "value": -1.0},
    ]
    assert "by Chess.evaluate" in run("evaluate", "chess", "--state", state)
    assert "-0.5556, by these weights" in run("evaluate", "chess", "--state", state, "--evaluation", "material")


@pytest.mark.nightly
def test_the_commands_that_search_take_evaluations(tmp_path):
    path = tmp_path / "weights.txt"
    path.write_text("lines_1 1\n")
    args = ["analyse", "tic-tac-toe", "--algorithm", "minimax", "--depth", "1", "--json", "--evaluation"]
    values = {name: json.loads(run(*args, name))["value"] for name in ("textbook", str(path))}
    assert list(values.values()) == [pytest.approx(1 / 2)] * 2  # four lines more
    printed = CliRunner().invoke(
        app,
        [
            "play",
            "tic-tac-toe",
            "--algorithm",
            "minimax",
            "--player",
            "none",
            "--level",
            "2",
            "--evaluation",
            "textbook",
        ],
    )
    assert printed.exit_code == 0
    assert "plays" in printed.output


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("evaluate", "chess", "--evaluation", "materials"), "evaluations of Chess(): material"),
        (("evaluate", "nim"), "Nim has neither features nor an evaluation"),
        (("analyse", "nim", "--evaluation", "x"), "evaluations of Nim(): none"),
        (("analyse", "tic-tac-toe", "--algorithm", "proof-number", "--evaluation", "textbook"), "makes no estimates"),
    ],
)
def test_errors_of_commands(args, words):
    assert words in " ".join(run(*args, code=2).replace("│", " ").split())


def test_a_game_that_is_over_has_its_utility():
    """Asked from Python and on the command line; a search asks no evaluation there."""
    game = TicTacToe()
    state = game.initial_state()
    for name in ("a1", "b1", "a2", "b2", "a3"):
        state = game.result(state, game.parse_action(state, name))
    for evaluation in (
        LinearEvaluation({"lines_1": 1}),
        PlayoutEvaluation(3),
        OutcomeEvaluation({1: {1: 1, 0: 2}}, category=lambda game, state: 1),
    ):
        assert [evaluation(game, state, player) for player in (0, 1)] == [1, -1]
    told = LinearEvaluation({"lines_1": 1}).explain(game, state)
    assert (told.terms, told.points, told.estimate, told.player) == ((), 0, 1, 0)
    args = ("evaluate", "tic-tac-toe", "--moves", "a1 b1 a2 b2 a3")
    assert "The game is over: player 0 wins; utilities +1 -1." in run(*args)
    assert json.loads(run(*args, "--json"))["utilities"] == [1, -1]


def test_material_of_xiangqi():
    game = Xiangqi()
    evaluation = LinearEvaluation.named(game, "material")
    state = game.initial_state()
    assert evaluation(game, state, 0) == 0
    for name, points in (("h2h9", -4), ("i9h9", 4 - 4.5)):  # a cannon takes a horse, and is taken
        state = game.result(state, game.parse_action(state, name))
        assert evaluation.explain(game, state).points == points


def test_a_broken_file_is_told(tmp_path):
    path = tmp_path / "weights.txt"
    path.write_text("lines_3 3\n")
    assert "weights.txt:1: TicTacToe has no feature 'lines_3'; did you mean lines_" in run(
        "evaluate", "tic-tac-toe", "--evaluation", str(path), code=2
    )


def test_proof_numbers_need_no_estimates():
    with pytest.raises(TypeError):
        ProofNumber(TTT, evaluate=by_hand)


def test_a_search_keeps_the_game_with_another_evaluation():
    """What was found out about its rules is kept with it; a game that changed is another one."""
    game, other = interpreted(Nim, heaps=(1, 2)), interpreted(Nim, heaps=(1, 2))

    def mine(game, state, player):
        return 0.0

    def theirs(game, state, player):
        return 0.5

    kept = with_evaluation(game, mine)
    assert with_evaluation(game, mine) is kept
    assert with_evaluation(other, mine) is not kept
    assert with_evaluation(game, theirs) is not kept
    assert with_evaluation(game, theirs).evaluate((1,), 0) == 0.5
    assert with_order(kept, mine) is with_order(kept, mine)
    game.heaps = (3, 4)
    assert with_evaluation(game, mine).heaps == (3, 4)
    place = id(game), type(kept)
    assert place in _copies
    del game
    gc.collect()
    assert place not in _copies


WORTH = 0.25


def test_a_search_notices_that_what_its_evaluation_reads_has_changed(monkeypatch):
    def worth(game, state, player):
        return WORTH if player == 0 else -WORTH

    search = AlphaBeta(ConnectFour(), evaluate=worth, books=())
    assert abs(search.search(limit=Limit(depth=1)).value) == 0.25
    monkeypatch.setitem(globals(), "WORTH", 0.5)
    assert abs(search.search(limit=Limit(depth=1)).value) == 0.5


@pytest.mark.parametrize("kind", [Minimax, AlphaBeta, MTDf])
@pytest.mark.parametrize("textbook", [False, True])
def test_no_estimate_is_better_than_a_win(kind, textbook):
    """An estimate of 50 does not hide that the other action wins at once, for 1."""
    if kind is MTDf and textbook:
        return

    class Trap(Game):
        compiled = False
        utilities = (-1, 1)

        def initial_state(self):
            return 0

        def to_move(self, state):
            return int(state > 0)

        def actions(self, state):
            return [1, 2] if state == 0 else [3]

        def result(self, state, action):
            return action

        def is_terminal(self, state):
            return state >= 2

        def utility(self, state, player):
            return 1 if (state == 2) == (player == 0) else -1

    def rosy(game, state, player):
        return 50.0 if player == 0 else -50.0

    search = kind(Trap(), evaluate=rosy, textbook=True) if textbook else kind(Trap(), evaluate=rosy)
    analysis = search.analyse(limit=Limit(depth=1))
    assert max(row.value for row in analysis.actions) == 1
    assert analysis.value == 1
    assert textbook or analysis.action == 2
    unbounded = type("Unbounded", (Trap,), {"utilities": None})()
    assert Minimax(unbounded, evaluate=rosy).search(limit=Limit(depth=1)).value == 50
