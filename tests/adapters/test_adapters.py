"""Games of other libraries played as they are: the same moves and results as the object played directly."""

import pickle
from copy import deepcopy
from random import Random

import numpy as np
import pytest
from shared.foreign_games import (
    DiceRace,
    KeyedSticks,
    Machine,
    Marks,
    Noted,
    Pawns,
    Person,
    Points,
    Ring,
    Rows,
    SevenToZero,
    SpielGame,
    SpielNim,
    SpielPoker,
    Sticks,
    TicTacToeZero,
    Tree,
    Walk,
    spiel_type,
)
from typer.testing import CliRunner

from outplay import (
    CHANCE,
    AlphaBeta,
    Expectiminimax,
    Game,
    MaxN,
    Minimax,
    OutplayError,
    RulesError,
    WrongType,
    check_game,
    load_game,
    state_key,
)
from outplay.adapters import adapt, aima, alpha_zero_general, easyai, gamesmanpy, openspiel
from outplay.cli.commands import app
from outplay.equilibrium import SequenceForm


def pawns(size=3):
    return Pawns([Person(), Machine()], size)


def no_score(game):
    return 0


GAMES = {
    "sticks": lambda: easyai.Adapted(Sticks()),
    "keyed sticks": lambda: easyai.Adapted(KeyedSticks()),
    "noted": lambda: easyai.Adapted(Noted()),
    "marks": lambda: easyai.Adapted(Marks()),
    "pawns": lambda: easyai.Adapted(pawns()),
    "points": lambda: easyai.Adapted(Points()),
    "points with margin": lambda: easyai.Adapted(Points(), margin=True),
    "rows": lambda: aima.Adapted(Rows(), utilities=(-1, 1)),
    "tree": lambda: aima.Adapted(Tree()),
    "race": lambda: aima.Adapted(DiceRace()),
    "zero": lambda: alpha_zero_general.Adapted(TicTacToeZero()),
    "nim": lambda: openspiel.Adapted(SpielNim()),
    "poker": lambda: openspiel.Adapted(SpielPoker()),
    "seven": lambda: gamesmanpy.Adapted(SevenToZero),
    "ring": lambda: gamesmanpy.Adapted(Ring()),
    "walk": lambda: gamesmanpy.Adapted(Walk()),
}


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def game(request):
    return request.param()


def random_game(game, seed):
    """The states of a random game, and the actions between them."""
    random, state = Random(seed), game.initial_state()
    for _ in range(60):
        if game.is_terminal(state):
            break
        action = random.choice(game.actions(state))
        yield state, action
        state = game.result(state, action)
    yield state, None


# -- what holds for all of them ---------------------------------------------------------------------------------------


@pytest.mark.sample(5)
def test_every_law_holds(game):
    report = check_game(game, playouts=30, seconds=3)
    assert report.ok, report
    assert not report.compiled


def test_a_game_is_a_value(game, request):
    again = GAMES[request.node.callspec.id]()
    assert again == game
    assert hash(again) == hash(game)
    assert "0x" not in repr(game)
    assert isinstance(game, Game)
    assert deepcopy(game) == game


def test_games_with_other_parameters_are_others():
    games = [easyai.Adapted(Sticks(pile)) for pile in (4, 5)] + [easyai.Adapted(Sticks(4), margin=True)]
    games += [gamesmanpy.Adapted(Ring(size)) for size in (5, 6)] + [easyai.Adapted(Sticks(4), scoring=no_score)]
    assert len(set(games)) == len(games)


def test_games_can_be_pickled():
    for game in easyai.Adapted(Sticks()), aima.Adapted(Rows()), gamesmanpy.Adapted(SevenToZero):
        again = pickle.loads(pickle.dumps(game))
        assert again == game
        assert AlphaBeta(again).search().value == AlphaBeta(game).search().value


def test_actions_are_named_and_read(game):
    for state, action in random_game(game, 1):
        if action is not None:
            assert game.parse_action(state, game.action_name(state, action)) == action
        assert game.render(state)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sticks", 1), ("keyed sticks", 1), ("noted", 1), ("marks", 0), ("pawns", -1), ("points", 1),
        ("points with margin", 9), ("rows", 0), ("tree", 3), ("zero", 0), ("nim", 1), ("seven", 1), ("ring", 0),
    ],
)  # fmt: skip
def test_known_values(name, value):
    assert AlphaBeta(GAMES[name]()).search().value == value


@pytest.mark.parametrize("name", ["sticks", "pawns", "tree", "nim", "seven", "points with margin"])
def test_the_value_is_that_of_plain_minimax(name):
    game = GAMES[name]()

    def value(state):
        if game.is_terminal(state):
            return game.utility(state, 0)
        best = max if game.to_move(state) == 0 else min
        return best(value(game.result(state, action)) for action in game.actions(state))

    assert AlphaBeta(game).search().value == Minimax(game).search().value == value(game.initial_state())


# -- easyAI -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Sticks, KeyedSticks, Noted, Marks, pawns, Points])
def test_easyai_moves_and_results_are_those_of_the_object(make):
    played = make()
    game = easyai.Adapted(make())
    for seed in range(10):
        theirs = played.copy()
        for state, action in random_game(game, seed):
            assert vars(state).keys() - {"won"} == vars(theirs).keys() - {"won"}
            assert game.to_move(state) == theirs.current_player - 1
            over = theirs.is_over()
            assert game.is_terminal(state) == over
            if over:
                score = theirs.scoring() if hasattr(theirs, "scoring") else -1
                mover = theirs.current_player - 1
                assert game.utility(state, mover) == np.sign(score) == -game.utility(state, 1 - mover)
                break
            moves = theirs.possible_moves()
            assert game.actions(state) == [tuple(move) if isinstance(move, list) else move for move in moves]
            theirs.make_move(list(action) if isinstance(action, tuple) else action)
            theirs.switch_player()


def test_an_object_of_easyai_starts_as_it_is_and_stays_as_it_is():
    theirs = Sticks(9)
    theirs.make_move("2")
    theirs.switch_player()
    game = easyai.Adapted(theirs)
    AlphaBeta(game).search()
    assert (theirs.pile, theirs.current_player) == (7, 2)
    assert game.to_move(game.initial_state()) == 1
    theirs.make_move("3")  # the game goes on without it
    assert game.initial_state().pile == 7


def test_the_key_of_easyai_leaves_out_what_cannot_be_read():
    game = easyai.Adapted(pawns())
    start = game.initial_state()
    moved = game.result(start, "00 10")
    assert game.no_content == ((), ("ask",))
    assert state_key(game, start) == state_key(game, game.initial_state())
    assert state_key(game, start) != state_key(game, moved)
    assert start.players[0].pawns == [(0, 0), (0, 1), (0, 2)]


def test_the_key_of_easyai_is_ttentry_and_the_player():
    game = easyai.Adapted(KeyedSticks())
    start = game.initial_state()
    assert game.key(start) == (10, 1)
    assert game.key(game.result(start, "2")) == (8, 2)


def test_a_game_of_easyai_that_notes_down_answers():
    assert easyai.Adapted(Noted()).notes_down
    assert not easyai.Adapted(Sticks()).notes_down


def test_the_scoring_of_easyai_is_an_estimate():
    game = easyai.Adapted(Points((2, 7, 1, 5)), margin=True)
    state = game.result(game.initial_state(), "right")
    assert [game.evaluate(state, player) for player in (0, 1)] == [5, -5]
    game = easyai.Adapted(Points((2, 7, 1, 5)))
    assert [game.evaluate(state, player) for player in (0, 1)] == [5 / 6, -5 / 6]
    game = easyai.Adapted(Points(), scoring=no_score)
    assert AlphaBeta(game).search().value == 0


def test_what_easyai_shows():
    game = easyai.Adapted(Sticks())
    assert game.render(game.initial_state()) == "10 sticks"
    game = easyai.Adapted(Marks())
    assert "0x" not in game.render(game.initial_state())


# -- aima-python ------------------------------------------------------------------------------------------------------


def test_aima_states_are_those_of_the_object():
    theirs, game = Rows(), aima.Adapted(Rows())
    for seed in range(10):
        expected = theirs.initial
        for state, action in random_game(game, seed):
            assert state == expected
            assert game.is_terminal(state) == theirs.terminal_test(expected)
            assert "XO"[game.to_move(state)] == expected.to_move
            assert [game.utility(state, player) for player in (0, 1)] == [expected.utility, -expected.utility]
            if action is not None:
                assert game.actions(state) == expected.moves
                expected = theirs.result(expected, action)


def test_aima_players_and_pictures():
    assert aima.Adapted(Rows()).names == ("X", "O")
    assert aima.Adapted(Tree()).names == ("MAX", "MIN")
    assert aima.Adapted(Tree(), players=("MAX", "MIN")).names == ("MAX", "MIN")
    game = aima.Adapted(Rows())
    assert game.render(game.result(game.initial_state(), (2, 2))) == "...\n.X.\n..."
    assert aima.Adapted(Tree()).actions("A") == ["b", "c"]


def test_aima_a_player_that_is_not_there():
    game = aima.Adapted(Rows(), players=("X", "Y"))
    with pytest.raises(RulesError, match=r"'O' is to move, but the players are \('X', 'Y'\)"):
        AlphaBeta(game).search()


class Hurry(DiceRace):
    """Nobody waits, so that the game ends."""

    def actions(self, state):
        return ["go"]


def test_aima_with_chance():
    game = aima.Adapted(DiceRace())
    assert game.has_chance
    start = game.initial_state()
    assert game.to_move(start) == CHANCE
    assert [game.probability(start, roll) for roll in game.actions(start)] == [0.75, 0.25]
    game = aima.Adapted(Hurry())
    assert Expectiminimax(game).search().value == pytest.approx(value_of(game))


def value_of(game, state=None):
    """The value of a game with chance for player 0."""
    state = game.initial_state() if state is None else state
    if game.is_terminal(state):
        return game.utility(state, 0)
    values = [value_of(game, game.result(state, action)) for action in game.actions(state)]
    if game.to_move(state) == CHANCE:
        weights = [game.probability(state, action) for action in game.actions(state)]
        return sum(weight * value for weight, value in zip(weights, values, strict=True))
    return (max if game.to_move(state) == 0 else min)(values)


# -- alpha-zero-general -----------------------------------------------------------------------------------------------


def test_alpha_zero_general_is_played_as_its_arena_plays_it():
    theirs, game = TicTacToeZero(), alpha_zero_general.Adapted(TicTacToeZero())
    ends = set()
    for seed in range(30):
        board, player = theirs.getInitBoard(), 1
        for state, action in random_game(game, seed):
            assert (state.board == board).all()
            assert state.player == player
            ended = theirs.getGameEnded(board, player)
            assert game.is_terminal(state) == (ended != 0)
            if action is None:
                first = round(player * ended)
                ends.add(first)
                assert [game.utility(state, each) for each in (0, 1)] == [first, -first]
                break
            valid = theirs.getValidMoves(theirs.getCanonicalForm(board, player), 1)
            assert game.actions(state) == np.flatnonzero(valid).tolist()
            board, player = theirs.getNextState(board, player, action)
    assert ends == {-1, 0, 1}
    assert game.render(game.result(game.initial_state(), 4)) == "---\n-X-\n---"


# -- OpenSpiel --------------------------------------------------------------------------------------------------------


def test_openspiel_states_are_those_of_the_object():
    game = openspiel.Adapted(SpielNim())
    for seed in range(5):
        theirs = SpielNim().new_initial_state()
        for state, action in random_game(game, seed):
            assert str(state) == str(theirs) == game.render(state)
            assert game.is_terminal(state) == theirs.is_terminal()
            assert [game.utility(state, player) for player in (0, 1)] == theirs.returns()
            if action is not None:
                assert game.to_move(state) == theirs.current_player()
                assert game.actions(state) == theirs.legal_actions()
                assert game.action_name(state, action) == f"take {action}"
                theirs.apply_action(action)
    assert (game.players, game.zero_sum, game.utilities, game.has_chance) == (2, True, (-1, 1), False)
    assert repr(game) == "Adapted(<SpielNim>)"


def test_openspiel_keys():
    nim = openspiel.Adapted(SpielNim()), openspiel.Adapted(SpielNim(), key=str)
    for game, is_same in zip(nim, (False, True), strict=True):
        start = game.initial_state()
        one, other = (game.result(game.result(game.result(start, a), b), c) for a, b, c in ((1, 1, 2), (2, 1, 1)))
        assert (state_key(game, one) == state_key(game, other)) is is_same
        assert AlphaBeta(game).search().value == 1


def test_openspiel_chance_and_hidden_information():
    game = openspiel.Adapted(SpielPoker())
    assert game.has_chance
    assert game.hidden_information
    start = game.initial_state()
    assert game.to_move(start) == CHANCE
    assert game.actions(start) == [0, 1, 2]
    assert game.probability(start, 1) == pytest.approx(1 / 3)
    assert game.action_name(start, 1) == "Deal 1"
    state = game.result(game.result(start, 2), 0)
    assert game.information(state, 0) == ("2", True)
    assert game.information(state, 1) == ("0", False)
    solution = SequenceForm(game).solve()
    assert solution.values[0] == pytest.approx(-1 / 18)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"dynamics": "SIMULTANEOUS"}, "convert_to_turn_based"),
        ({"chance_mode": "SAMPLED_STOCHASTIC"}, "probabilities are not known"),
    ],
)
def test_openspiel_games_that_are_refused(changed, reason):
    class Other(SpielGame):
        kind = spiel_type(**changed)

    with pytest.raises(RulesError, match=reason):
        openspiel.Adapted(Other())


def test_openspiel_hidden_information_without_words_is_refused():
    class Silent(SpielPoker):
        kind = spiel_type(information="IMPERFECT_INFORMATION")

    Silent.kind.provides_information_state_string = False
    with pytest.raises(RulesError, match="does not say what they know"):
        openspiel.Adapted(Silent())


# -- GamesmanPy -------------------------------------------------------------------------------------------------------


def test_gamesmanpy_positions_and_texts():
    game = gamesmanpy.Adapted(SevenToZero)
    state = game.result(game.initial_state(), 2)
    assert (state.position, state.player) == (5, 1)
    assert game.render(state) == "<5>"
    assert game.action_name(state, 2) == "-2"
    assert AlphaBeta(game).search().action == 1  # the other has to play from a multiple of 3


def test_gamesmanpy_circles_are_draws():
    assert gamesmanpy.Adapted(Ring()).repetition == "draw"
    assert gamesmanpy.Adapted(SevenToZero).repetition is None
    assert AlphaBeta(gamesmanpy.Adapted(Ring(4))).search().value in (0, 1)


def test_gamesmanpy_puzzles_have_one_player():
    game = gamesmanpy.Adapted(Walk())
    assert (game.players, game.zero_sum) == (1, False)
    analysis = MaxN(game).search()
    assert analysis.value == 1
    state = game.initial_state()
    while not game.is_terminal(state):
        state = game.result(state, MaxN(game).search(state).action)
    assert state.position == 6


def test_gamesmanpy_values_that_are_unknown():
    class Odd(Ring):
        def primitive(self, position):
            return "perhaps" if position == 0 else None

    game = gamesmanpy.Adapted(Odd())
    with pytest.raises(RulesError, match="primitive returned 'perhaps'"):
        game.utility(game.initial_state()._replace(position=0), 0)


# -- finding the adapter, and errors ----------------------------------------------------------------------------------


def test_adapt_finds_the_library():
    found = {adapt(each).__class__.__module__.rpartition(".")[2]: each for each in (Sticks(), Rows(), Tree())}
    assert set(found) == {"easyai", "aima"}
    assert isinstance(adapt(TicTacToeZero()), alpha_zero_general.Adapted)
    assert isinstance(adapt(SpielNim()), openspiel.Adapted)
    assert isinstance(adapt(Ring()), gamesmanpy.Adapted)
    assert isinstance(adapt(SevenToZero), gamesmanpy.Adapted)
    with pytest.raises(WrongType, match=r"adapt\(3\): not a game of easyAI, aima-python, .* it has no"):
        adapt(3)


@pytest.mark.parametrize(
    ("module", "source", "told"),
    [
        (
            easyai,
            Rows(),
            "easyai.Adapted(<Rows>): this is not a game of easyAI; it has no possible_moves() and no make",
        ),
        (
            aima,
            Sticks(),
            "it has no actions() and no result() and no utility() and no terminal_test() or is_terminal()",
        ),
        (alpha_zero_general, 3, "alpha_zero_general.Adapted(3): this is not a game of alpha-zero-general"),
        (openspiel, Ring(), "it has no new_initial_state() and no num_players()"),
        (gamesmanpy, None, "gamesmanpy.Adapted(None): this is not a game of GamesmanPy; it has no start()"),
        (easyai, Sticks, "easyai.Adapted(Sticks): a class; give a game, such as Sticks(…)"),
        (gamesmanpy, Ring, "gamesmanpy.Adapted(Ring): a class"),
    ],
)
def test_an_object_that_is_no_such_game(module, source, told):
    with pytest.raises(TypeError) as caught:
        module.Adapted(source)
    assert told in str(caught.value)
    assert isinstance(caught.value, OutplayError)


def test_objects_that_lack_something_else():
    class Silent(Sticks):
        scoring = win = None

    with pytest.raises(WrongType, match="give scoring=…"):
        easyai.Adapted(Silent())
    nobody = Sticks()
    nobody.current_player = 0
    with pytest.raises(WrongType, match="neither 1 nor 2"):
        easyai.Adapted(nobody)

    class Nowhere(Rows):
        def __init__(self):
            pass

    with pytest.raises(WrongType, match="no initial"):
        aima.Adapted(Nowhere())


def test_a_game_that_breaks_a_law_is_told():
    class Changing(Rows):
        def result(self, state, move):
            state.board[move] = "?"
            return super().result(state, move)

    report = check_game(aima.Adapted(Changing()), playouts=5)
    assert not report.ok


# -- the command line -------------------------------------------------------------------------------------------------

FILE = """
from shared.foreign_games import Rows, Sticks, Marks
from outplay.adapters import easyai
theirs = Sticks(6)
rows = Rows()
game = easyai.Adapted(Sticks(8))
number = 3
"""


def test_games_in_files(tmp_path):
    path = tmp_path / "theirs.py"
    path.write_text(FILE)
    assert load_game(f"{path}:game") == easyai.Adapted(Sticks(8)) == load_game(str(path))
    assert load_game(f"{path}:theirs") == easyai.Adapted(Sticks(6))
    assert load_game(f"{path}:rows") == aima.Adapted(Rows())
    with pytest.raises(RulesError, match="a game already, not a class, and takes no parameters"):
        load_game(f"{path}:game(3)")
    with pytest.raises(RulesError, match=r"number in .* nor a game: adapt\(3\)"):
        load_game(f"{path}:number")
    solved = CliRunner().invoke(app, ["solve", f"{path}:theirs"], catch_exceptions=False)
    assert solved.exit_code == 0
    assert "win in 4" in solved.stdout
