"""A game in progress, whatever shows it: laws about moves, undo, clocks, chance and players."""

import asyncio
import itertools
import random
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outplay import CHANCE, AlphaBeta, Clock, IllegalAction, Level, Limit, OutplayError, state_key
from outplay.engine.stop import Stop
from outplay.equilibrium import Strategy
from outplay.games import BUILT_IN, Chess, ConnectFour, Go, KuhnPoker, Nim, Oware, Pig, TicTacToe
from outplay.session import SearchPlayer, Session, StrategyPlayer
from outplay.session.players import RandomPlayer, Reply

GAMES = (TicTacToe(), ConnectFour(4, 4), Nim(), Pig(goal=10), KuhnPoker(), Oware(), Go(3), Chess())


class Interpreted(TicTacToe):
    compiled = False


class Endless(Nim):
    """Nobody takes anything, so the third state is the first again."""

    compiled = False
    repetition = "draw"

    def result(self, state, action):
        return super().result(state, action)._replace(heaps=state.heaps)


def snapshot(session):
    """All that a session says about its game."""
    keys = [state_key(session.game, state) for state in session.states]
    moves = session.actions[:], session.names[:], session.record
    turn = session.player, session.over, session.utilities, session.legal
    return keys, moves, turn, session.clocks, session.late


def played(game, seed, most=30):
    """A session after random moves."""
    session, rng = Session(game, seed=seed), random.Random(seed)
    for _ in range(rng.randrange(most)):
        if session.over:
            break
        session.play(session.roll() if session.player == CHANCE else rng.choice(session.legal))
    return session


# -- moves ------------------------------------------------------------------------------------------------------------


@given(game=st.sampled_from(GAMES), seed=st.integers(0, 100), data=st.data())
def test_undo_of_a_play_gives_the_same_session(game, seed, data):
    session = played(game, seed)
    before = snapshot(session)
    moves = data.draw(st.integers(0, 3))
    for count in range(1, moves + 1):
        if session.over:
            moves = count - 1
            break
        session.play(data.draw(st.sampled_from(session.legal)))
    session.undo(moves)
    assert snapshot(session) == before


@given(game=st.sampled_from(GAMES), seed=st.integers(0, 100))
def test_the_record_plays_the_same_game(game, seed):
    session = played(game, seed)
    again = Session(game, moves=session.record)
    assert snapshot(again) == snapshot(session)
    again.undo(len(again.actions))
    again.play_moves(", ".join(session.names))
    assert snapshot(again) == snapshot(session)


@given(game=st.sampled_from(GAMES), seed=st.integers(0, 100))
def test_what_is_legal_can_be_played_by_its_name(game, seed):
    session = played(game, seed)
    for action in session.legal:
        assert session.read(session.name(action)) == action
        session.play(session.name(action))
        *_, before, after = session.states
        assert session.actions[-1] == action
        assert state_key(game, after) == state_key(game, game.result(before, action))
        session.undo()
    assert bool(session.legal) == (not session.over) == (session.player is not None) == (session.utilities is None)


@pytest.mark.parametrize("name", sorted(BUILT_IN.keys() - {"explicit-tree", "river-poker"}))  # which need parameters
def test_every_game_can_be_begun(name):
    session = Session(BUILT_IN[name]())
    assert session.legal
    assert session.states == [session.state]


@pytest.mark.parametrize("move", ["a1", "z9", "", 0, 99, -1])
def test_a_move_that_is_refused_changes_nothing(move):
    session = Session(TicTacToe(), moves="a1 b2", clocks=Clock(60))
    before = snapshot(session)
    with pytest.raises(IllegalAction, match=r"not .*legal"):
        session.play(move)
    assert snapshot(session) == before


def test_of_several_moves_none_is_played_if_one_is_illegal():
    session = Session(TicTacToe(), moves="a1")
    before = snapshot(session)
    with pytest.raises(IllegalAction, match="move 3: 'a1' is not a legal action here"):
        session.play_moves("b1 a1 c1")
    assert snapshot(session) == before
    with pytest.raises(IllegalAction, match="the game is over after move 5, a3; 'c3' cannot be played"):
        session.play_moves("b1 a2 b2 a3 c3")
    assert snapshot(session) == before


def test_rules_that_fail_change_nothing():
    class Broken(Interpreted):
        def result(self, state, action):
            return 1 // 0 if action == 4 else super().result(state, action)

    session = Session(Broken(), moves="a1")
    before = snapshot(session)
    with pytest.raises(ZeroDivisionError):
        session.play(4)
    with pytest.raises(ZeroDivisionError):
        session.play_moves("b1 b2")
    assert snapshot(session) == before


def test_a_game_that_is_over_takes_no_move():
    session = Session(TicTacToe(), moves="a1 b1 a2 b2 a3")
    assert session.over
    assert (session.player, session.legal, session.utilities) == (None, [], (1, -1))
    for move in "c3", 8:
        with pytest.raises(IllegalAction, match=r"the game is over: .* cannot be played"):
            session.play(move)
    for attempt in session.choose, session.roll:
        with pytest.raises(OutplayError, match="but the game is over"):
            attempt()
    session.undo()
    assert not session.over


def test_more_moves_than_there_are_cannot_be_taken_back():
    session = Session(TicTacToe())
    for moves, says in (("", "there is no move"), ("a1", "there is 1 move"), ("a1 b1", "there are 2 moves")):
        session.undo(len(session.actions))
        session.play_moves(moves)
        for count in 3, -1:
            with pytest.raises(OutplayError, match=f"{says} to take back"):
                session.undo(count)
        assert session.record == moves


def test_repetition_ends_a_game_and_undo_revives_it():
    session = Session(Endless((1,)))
    session.play(session.legal[0])
    session.play(session.legal[0])
    assert session.utilities == (0, 0)
    session.undo()
    assert not session.over


def test_a_session_begins_in_any_state():
    game = Chess()
    session = Session(game, start=game.parse_state("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), moves="e4")
    assert game.state_text(session.state).startswith("4k3/8/8/8/4P3/8/8/4K3 b")
    session.undo()
    assert game.state_text(session.state) == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def test_a_protocol_may_append_what_the_rules_do_not_allow():
    game = Go(5)
    session = Session(game)
    session.append(game.parse_action(session.state, "C3"))
    session.append(game.parse_action(session.state, "C4"), state=game.null_move_state(session.state))
    assert session.names == ["C3", "C4"]
    assert [state.turn for state in session.states] == [0, 1, 1]
    session.undo()
    assert session.record == "C3"


# -- players ----------------------------------------------------------------------------------------------------------


def test_people_play_what_no_player_plays():
    player = RandomPlayer()
    assert Session(Pig(players=3)).people == {0, 1, 2}
    assert Session(Pig(players=3), players={1: player}).people == {0, 2}
    assert Session(TicTacToe(), players={0: player, 1: player}).people == set()
    with pytest.raises(OutplayError, match="has no player 2"):
        Session(TicTacToe(), players={2: player})


def test_taking_back_goes_to_the_last_move_of_a_person():
    session = Session(TicTacToe(), moves="a1 b1 c1", players={1: RandomPlayer()})
    session.take_back()
    assert (session.record, session.player) == ("a1 b1", 0)
    session.take_back()
    assert session.record == ""
    with pytest.raises(OutplayError, match="no move of a person to take back"):
        session.take_back()
    watched = Session(TicTacToe(), moves="a1 b1", players={0: RandomPlayer(), 1: RandomPlayer()})
    with pytest.raises(OutplayError, match="no move of a person to take back"):
        watched.take_back()


def test_who_chooses():
    session = Session(TicTacToe(), players={1: RandomPlayer()}, seed=1)
    with pytest.raises(OutplayError, match="no computer player is to move, but player 0"):
        session.choose()
    session.play("b2")
    assert session.choose().action in session.legal
    assert session.record == "b2"  # a choice is not played


def test_a_search_player_searches_with_the_past_its_limit_and_its_clock():
    asked = []

    class Watched(AlphaBeta):
        def search(self, state=None, limit=None, **keywords):
            asked.append((state, limit, keywords["previous_states"]))
            return super().search(state, limit, **keywords)

    game = Interpreted()
    computer = SearchPlayer(Watched(game), Limit(depth=2))
    session = Session(game, moves="a1 b1 c1", players={1: computer}, clocks=(Clock(9), Clock(8)))
    choice = session.choose()
    *past, state = session.states
    assert asked == [(state, Limit(depth=2, clock=Clock(8)), tuple(past))]
    assert choice.analysis is session.analysis
    assert (choice.action, choice.seconds) == (choice.analysis.action, choice.analysis.seconds)
    session.play(choice.action, choice.seconds)
    assert session.clocks == (Clock(9), Clock(8 - choice.seconds))


def test_the_only_move_is_not_searched():
    session = Session(Nim((1,)), players={0: SearchPlayer(None)})
    assert session.choose() == Reply(0)
    assert session.analysis is None


def test_a_share_lets_a_search_player_choose_worse_actions():
    game = Interpreted()
    computer = SearchPlayer(AlphaBeta(game), Limit(depth=2), share=1.0)
    session = Session(game, moves="b2", players={1: computer}, seed=3)
    assert len({session.choose().action for _ in range(100)}) == len(session.legal)
    computer.strength = Level(Limit(depth=2))
    assert {session.choose().action for _ in range(5)} == {session.analysis.action}


def test_a_strategy_player_draws_by_its_probabilities():
    game = KuhnPoker()

    class Always(Strategy):
        def __init__(self, action):
            self.action_played = action

        def draw(self, state, random):
            return self.action_played

    session = Session(game, moves="Q J", players={0: StrategyPlayer(Always(1))})
    assert session.choose() == Reply(1)


def test_people_must_not_see_hidden_information():
    assert Session(KuhnPoker()).hides
    assert not Session(KuhnPoker(), players={0: RandomPlayer(), 1: RandomPlayer()}).hides
    assert not Session(TicTacToe()).hides
    assert not Session(KuhnPoker(), moves="Q J pass pass").hides


# -- chance -----------------------------------------------------------------------------------------------------------


def test_a_seed_repeats_a_game_and_an_outcome_can_be_given():
    def record(seed):
        session = Session(Pig(goal=20), players={0: RandomPlayer(), 1: RandomPlayer()}, seed=seed)
        while not session.over:
            session.play(session.roll() if session.player == CHANCE else session.choose().action)
        return session.record

    assert record(5) == record(5) == record(random.Random(5))
    assert len({record(seed) for seed in range(5)}) > 1
    session = Session(Pig(), moves="roll")
    assert session.player == CHANCE
    session.play("6")
    assert session.record == "roll 6"
    with pytest.raises(OutplayError, match="chance is not to move, but player 0"):
        session.roll()


def test_chance_draws_by_its_probabilities():
    class Loaded(Pig):
        compiled = False

        def probability(self, state, action):
            return float(action == 3)

    session = Session(Loaded(), moves="roll", seed=0)
    assert {session.roll() for _ in range(20)} == {3}
    assert session.record == "roll"


# -- clocks -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def every_look_at_the_time_takes_a_second(monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr("outplay.session.session.time", SimpleNamespace(perf_counter=lambda: next(ticks)))


def test_clocks_run_and_undo_sets_them_back():
    session = Session(TicTacToe(), clocks=(Clock(60, 5), Clock(50)))
    seen = [session.clocks]
    for move, seconds in (("a1", 10), ("b1", 20), ("c1", 55)):
        session.play(move, seconds)
        seen.append(session.clocks)
    assert seen[1:] == [
        (Clock(55, 5), Clock(50)), (Clock(55, 5), Clock(30)), (Clock(5, 5), Clock(30)),
    ]  # fmt: skip
    while session.actions:
        assert session.clocks == seen.pop()
        session.undo()
    assert session.clocks == seen[0]


def test_whoever_moves_too_late_loses_on_time():
    session = Session(TicTacToe(), moves="a1", clocks=Clock(10))
    session.play("b1", 10.5)
    assert (session.late, session.over, session.player, session.record) == (1, True, None, "a1")
    assert session.utilities is None
    for attempt in session.play, session.play_moves:
        with pytest.raises(IllegalAction, match="the game is over"):
            attempt("b1")
    session.undo()
    assert (session.late, session.player) == (None, 0)


@pytest.mark.usefixtures("every_look_at_the_time_takes_a_second")
def test_a_turn_is_timed_unless_its_seconds_are_given():
    session = Session(TicTacToe(), clocks=Clock(60))
    assert session.seconds_left == (59, 60)
    assert session.elapsed == 2
    session.play("a1")
    assert session.clocks == (Clock(57), Clock(60))
    session.start_turn()
    assert session.seconds_left == (57, 59)
    session.play("b1", 7)
    assert session.clocks == (Clock(57), Clock(53))


def test_chance_takes_no_time():
    session = Session(Pig(), moves="roll", clocks=Clock(9, 1))
    session.play(session.roll(), 100)
    assert session.clocks == (Clock(9, 1),) * 2
    assert (session.late, len(session.actions)) == (None, 2)


def test_there_is_a_clock_for_each_player_or_none():
    assert Session(TicTacToe()).clocks == Session(TicTacToe()).seconds_left == ()
    with pytest.raises(OutplayError, match="has 2 players, but there are 1"):
        Session(TicTacToe(), clocks=[Clock(1)])


# -- asyncio ----------------------------------------------------------------------------------------------------------


def test_players_that_are_awaited():
    """Any player answers; a cancelled task ends the search, and the session is as it was."""
    game = ConnectFour()
    session = Session(game, players={0: RandomPlayer(), 1: SearchPlayer(AlphaBeta(game))}, seed=1)

    async def play():
        reply = await session.choose_async()
        assert reply.action in session.legal
        session.play(reply.action)
        running, loop = asyncio.Event(), asyncio.get_running_loop()
        task = asyncio.create_task(session.choose_async(lambda analysis: loop.call_soon_threadsafe(running.set)))
        await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(play())
    assert len(session.actions) == 1
    assert session.analysis.stopped == "stopped"


def test_a_choice_that_is_stopped():
    stop, game = Stop(), ConnectFour()
    session = Session(game, players={0: SearchPlayer(AlphaBeta(game))})
    reply = session.choose(lambda analysis: stop.set(), stop)
    assert reply.analysis.stopped == "stopped"
    assert reply.action in session.legal
