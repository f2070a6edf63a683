"""The solver that picks a method: every method that it may pick finds the exact value; what it picks, and why."""

import contextlib
import itertools
import re

import pytest
from tables.test_tables import Alone, Circles, Node, Shared, twin

from outplay import Analysis, Game, Limit, MaxN, ProofNumber, Tablebase, ValueIteration
from outplay.engine.stopping import StopReason
from outplay.equilibrium import EquilibriumSearch
from outplay.games import (
    Breakthrough,
    ConnectFour,
    Domineering,
    DotsAndBoxes,
    Kalah,
    KuhnPoker,
    ManyPlayerMNK,
    Nim,
    Oware,
    Pig,
    TicTacToe,
)
from outplay.rules.errors import RulesError, UnsuitableGame
from outplay.rules.numbered import numbered
from outplay.session import Solver
from outplay.session.solver import Method, _Run, in_words
from outplay.session.survey import Survey, survey


class PlainCircles(Circles):
    compiled = False


class PlainShared(Shared):
    compiled = False


class PlainAlone(Alone):
    compiled = False


def begun(game: Game, state=None, **options) -> _Run:
    return _Run(Solver(game, **options), state, (), None, None)


def methods(run: _Run, known: Survey | None = None) -> list[Method]:
    return run._methods(known or survey(numbered(run.game), run.state))


@pytest.mark.sample(1)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("game", "draw"), [(PlainCircles(), 0), (PlainShared(), 1.5), (PlainAlone(), 0)])
def test_values_are_those_of_the_definition(game, draw):
    circles, found = 0, set()
    for seed in range(1, 25):
        root = Node(seed, 0)
        if game.is_terminal(root):
            continue
        wanted = twin(game, root, draw)[root][0]
        run = begun(game, root)
        known = survey(numbered(game), root)
        circles += known.in_circles
        for turns in (None, 3):
            solved = Solver(game).solve(root, turns=turns) if not known.in_circles else None
            if solved:
                assert solved.analysis.exact
                assert solved.analysis.values[0] == wanted
        for method in methods(run, known):
            if method.name in ("ValueIteration", "ProofNumber") or not known.in_circles:
                try:
                    analysis = method.run(None)
                except RulesError:  # a table needs rules that compile
                    assert method.name == "Tablebase"
                    continue
                assert analysis.exact
                assert analysis.values[0] == pytest.approx(wanted, abs=1e-6), method.name
        found.add(wanted)
    assert circles > 3
    assert len(found) > 2


def test_a_small_game_is_known_whole():
    tic_tac_toe = survey(TicTacToe(), TicTacToe().initial_state())
    assert not tic_tac_toe.in_circles
    assert tic_tac_toe.utilities == 3
    assert 2_000 < tic_tac_toe.states < 20_000
    nim = survey(Nim((1, 2)), Nim((1, 2)).initial_state())
    assert (nim.states, nim.complete, nim.in_circles) == (8, True, False)  # 1 + 3 + 3 + 1 at the plies
    assert survey(PlainCircles(), Node(1, 0)).complete


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("game", "states"),
    [(Oware(2), 379_479), (Kalah(4, 2), 228_251), (Breakthrough(5, 4), 2 * 1_787_385), (DotsAndBoxes(2, 3), 215_000)],
    ids=repr,
)
def test_estimates_are_within_an_order_of_magnitude(monkeypatch, game, states):
    monkeypatch.setattr("outplay.session.survey.PATIENCE", 600)  # as much is played on any machine
    assert states / 10 < survey(numbered(game), game.initial_state()).states < 10 * states


def test_what_is_picked_and_why():
    few, many = Survey(1e4, False, False, 4, 20, 3), Survey(1e14, False, False, 4, 20, 2)
    run = begun(ConnectFour(width=4, height=4))
    assert [method.name for method in methods(run, few)] == ["AlphaBeta", "ProofNumber", "Tablebase"]
    expected = "less than a second expected, longer if there are more"
    assert run.reasons == [f"AlphaBeta: at least about 10^4 states, no circles; {expected}"]
    assert methods(run, many)[-1].expected > 1e6  # a table, never in its turn
    shares = [method.share for method in methods(run, few)], [method.share for method in methods(run, many)]
    assert shares[0][1] < shares[1][1]  # df-pn asks one question if games are won or lost
    circles = Survey(1e5, False, True, 4, 20, 3)
    assert [method.name for method in methods(run, circles)] == ["Tablebase", "AlphaBeta", "ValueIteration"]
    large = Survey(1e12, True, True, 4, 20, 3)
    assert [method.name for method in methods(run, large)] == ["AlphaBeta"]  # a table does not fit
    assert [method.name for method in methods(begun(Pig(goal=5)), few)] == ["ValueIteration", "Expectiminimax"]
    assert [method.name for method in methods(begun(Pig(goal=5)), circles)] == ["ValueIteration"]
    assert isinstance(Solver(ManyPlayerMNK()).first, MaxN)
    assert isinstance(Solver(Pig()).first, ValueIteration)
    assert isinstance(Solver(KuhnPoker()).first, EquilibriumSearch)
    assert in_words(1e6) == "days or more"


def scripted(run, monkeypatch, *methods):
    """Let a run have these methods, after a first turn that finds nothing."""
    monkeypatch.setattr(run, "_methods", lambda known: list(methods))
    told = Analysis(
        game=run.game, state=run.state, player=0, action=0, value=0.0, values=(0.0, 0.0), method="AlphaBeta",
        stopped=StopReason.SECONDS,
    )  # fmt: skip
    run.best = told
    monkeypatch.setattr(run, "_search", lambda searcher, seconds: told)
    return told


def test_turns_grow_and_a_method_that_fails_is_left_out(monkeypatch):
    monkeypatch.setattr("outplay.session.solver.FIRST", 0.25)
    run, given = begun(TicTacToe()), []
    told = scripted(run, monkeypatch)

    def slow(seconds):
        given.append(("slow", seconds))
        return told

    def sure(seconds):
        given.append(("sure", seconds))
        return None if seconds < 3 else Analysis(**{**vars(told), "exact": True, "method": "Sure", "stopped": ""})

    def impossible(seconds):
        raise UnsuitableGame("no")

    monkeypatch.setattr(
        run, "_methods",
        lambda known: [Method("Slow", slow), Method("Impossible", impossible), Method("Sure", sure, 0.5, 1.5)],
    )  # fmt: skip
    solved = run.solve(None)
    assert solved.analysis.method == "Sure"
    assert solved.reasons == ("not Impossible: no", "Sure was faster")
    assert [seconds for name, seconds in given if name == "slow"] == [0.5, 1, 2, 4, 8]
    assert [seconds for name, seconds in given if name == "sure"] == [2, 4]  # only once it can be expected to end


@pytest.mark.parametrize(("compiles", "reports"), [(True, 20), (False, 12)])
def test_compiling_is_no_part_of_the_turn_of_a_table(monkeypatch, compiles, reports):
    seconds, made = itertools.count(), []
    monkeypatch.setattr("outplay.session.solver.perf_counter", lambda: next(seconds))
    monkeypatch.setattr("outplay.session.solver.is_busy", lambda: compiles)

    def make(*_, progress, **__):
        for _ in range(20):
            made.append("report")
            progress("finding", 0, 0)

    monkeypatch.setattr(Tablebase, "make", make)
    with contextlib.suppress(KeyboardInterrupt):  # there is no table
        assert begun(TicTacToe())._table(10) is None
    assert len(made) == reports


@pytest.mark.parametrize("by", ["raising", "analysis"])
def test_ctrl_c_keeps_the_best_answer(monkeypatch, by):
    run = begun(TicTacToe())
    told = scripted(run, monkeypatch)

    def interrupted(seconds):
        if by == "raising":
            raise KeyboardInterrupt
        return Analysis(**{**vars(told), "action": None, "stopped": StopReason.INTERRUPTED})

    monkeypatch.setattr(run, "_methods", lambda known: [Method("Interrupted", interrupted)] * 2)
    analysis = run.solve(None).analysis
    assert (analysis.action, analysis.stopped, analysis.method) == (0, "interrupted", "AlphaBeta")


def test_proof_numbers_go_on_where_they_stopped():
    game, nodes = Domineering(4, 4), 0
    whole = ProofNumber(game).search()
    again, turns = ProofNumber(game, reuse_table=True), 0
    while not (analysis := again.search(limit=Limit(nodes=100))).exact:
        nodes, turns = nodes + analysis.nodes, turns + 1
    assert turns > 1
    assert analysis.value == whole.value
    assert nodes + analysis.nodes < 3 * whole.nodes
    assert again.search().nodes < whole.nodes / 10


class Slope(Game):
    """A random game ends soon; one may go back, and by patience through a million states."""

    compiled = False
    has_chance = True
    utilities = (-1, 1)

    def initial_state(self):
        return (
            0,
            0,
            0,
        )  # how far each player is, and who is to move; 2 for the coin of player 0, 3 for that of player 1

    def is_terminal(self, state):
        return min(state) < 0 or max(state) > 999

    def to_move(self, state):
        return state[2] if state[2] < 2 else -1

    def actions(self, state):
        return [0, 1, 2] if state[2] < 2 else [0, 1]

    def probability(self, state, action):
        return 0.5

    def result(self, state, action):
        *places, turn = state
        if turn > 1:
            places[turn - 2] += action
            return (*places, 3 - turn)
        if action < 2:
            places[turn] += (1, -1)[action]
            return (*places, 1 - turn)
        return (*places, turn + 2)

    def utility(self, state, player):
        return 1 if state[player] > 999 or state[1 - player] < 0 else -1


def test_more_states_than_memory_holds_end_in_an_answer_and_were_not_said_to_be_few():
    reasons = []
    known = survey(Slope(), Slope().initial_state())
    assert not known.complete
    assert "at least about 10^" in str(known)
    solved = Solver(Slope(), memory_mb=1).solve(explain=reasons.append)
    assert reasons[0].startswith("ValueIteration: at least about 10^")
    assert reasons[0].endswith("longer if there are more")
    assert re.fullmatch(r"not ValueIteration: [\d,]+ actions fill the memory", reasons[1])
    assert solved.analysis.stopped == "memory full"
    assert not solved.analysis.exact
    assert solved.analysis.actions


def test_an_estimate_is_no_less_than_what_the_walk_has_found(monkeypatch):
    monkeypatch.setattr("outplay.session.survey._play", lambda *_: Survey(5.0, False, True, 4, 20, 3))
    monkeypatch.setattr("outplay.session.survey.WALKED", 100)
    assert survey(Slope(), Slope().initial_state(), patience=60).states > 100


def test_a_method_that_is_left_alone_in_circles_says_that_it_may_not_end():
    run = begun(Circles())
    run.survey = Survey(1e5, False, True, 4, 20, 3)
    _, own, _ = found = methods(run, run.survey)
    for method in list(found):
        if method is not own:
            run._leave_out(found, method, "memory")
    assert run.reasons[-1] == "AlphaBeta goes on, perhaps without end, as play goes in circles: Ctrl-C ends it"
    assert not any("goes on" in reason for reason in run.reasons[:-1])
