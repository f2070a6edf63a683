"""A solver that is interrupted, or killed, goes on from its file: the same value, and no more work than in one go."""

import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from outplay import AlphaBeta, Expectiminimax, Limit, ProofNumber, Tablebase
from outplay.cli.commands import app
from outplay.engine import table as alpha_beta_table
from outplay.engine.score import encode
from outplay.games import ConnectFour, DotsAndBoxes, Go, Nim, Oware, Pig, TicTacToe
from outplay.rules.errors import OutplayError
from outplay.search import proof_table
from outplay.session import Solver
from outplay.session.saving import SavedSolve, remove_saved, restore
from outplay.session.survey import Survey
from outplay.system import files


@pytest.mark.sample(1)
@pytest.mark.compiled
@pytest.mark.parametrize(("kind", "table_mb"), [(AlphaBeta, 16), (ProofNumber, 1)])
def test_interrupted_at_random_nodes_a_search_takes_about_as_many_as_in_one_go(tmp_path, kind, table_mb):
    game, dice, path = ConnectFour(5, 4), random.Random(7), tmp_path / "a.solve"
    options = {} if kind is ProofNumber else {"depth_factor": 8}
    whole = kind(game, table_mb=table_mb, **options).search()
    nodes = runs = searches = 0
    while True:
        searcher, runs = kind(game, table_mb=table_mb, reuse_table=True, **options), runs + 1
        file = SavedSolve(path, searcher, game.initial_state(), ())
        if path.exists():
            facts, tables = file.load()
            assert facts == {"searches": searches}
            restore(searcher, tables["it"], searches)
        analysis = searcher.search(limit=Limit(nodes=dice.randrange(1, max(2, whole.nodes // 3))))
        nodes, searches = nodes + analysis.nodes, searcher._searches
        if analysis.exact:
            break
        file.save({"searches": searches}, {"it": searcher._table})
    assert runs > 3
    assert analysis.value == whole.value
    assert nodes < 2 * whole.nodes


@pytest.mark.nightly
@pytest.mark.parametrize("game", [DotsAndBoxes(2, 3), Oware(2)], ids=repr)
def test_a_solver_goes_on_with_the_turn_and_the_method_at_work(tmp_path, monkeypatch, game):
    searches, search = [], AlphaBeta.search

    def searched(self, state=None, limit=None, **options):
        """However busy the machine is, the first search does not get to the end."""
        searches.append(limit)
        limit = replace(limit, nodes=500) if len(searches) == 1 else limit
        return search(self, state, limit, **options)

    monkeypatch.setattr(AlphaBeta, "search", searched)
    monkeypatch.setattr("outplay.session.solver.FIRST", 0.002)  # far too short
    monkeypatch.setattr(files, "SAVE_EVERY", 0.0)  # it is saved again and again while it searches, too
    path, seconds, nodes = tmp_path / "a.solve", 0.0, 0
    for turns in range(1, 20):
        shown = []
        solved = Solver(game).solve(turns=turns, save_to=path, resume=True, progress=shown.append)
        assert solved.seconds > seconds
        if solved.analysis.exact:
            break
        assert solved.analysis.nodes >= nodes
        nodes = solved.analysis.nodes
        facts, tables = SavedSolve(path, Solver(game).first, game.initial_state(), ()).load()
        seconds = facts["seconds"]
        assert facts["turn"] == turns
        assert np.count_nonzero(tables["AlphaBeta"]) > 0
    assert turns > 1
    assert solved.reasons[0].startswith(f"going on from {path}, after ")
    assert solved.analysis.values[0] == Solver(game).solve().analysis.values[0]
    remove_saved(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.nightly
@pytest.mark.compiled
def test_a_method_that_had_its_turn_and_one_that_failed_are_not_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(Tablebase, "make", lambda *_, **__: (_ for _ in ()).throw(OutplayError("no room")))
    game, path = ConnectFour(6, 5), tmp_path / "a.solve"
    solver = Solver(game)
    file = SavedSolve(path, solver.first, game.initial_state(), ())
    known = {"states": 1e5, "complete": False, "in_circles": False, "branching": 4.0, "length": 20.0, "utilities": 3}
    facts = {
        "known": known, "measured": 1.0, "turn": 8, "at": "Tablebase", "left_out": ["ProofNumber"],
        "spent": {"AlphaBeta": [9.0, 70]}, "seconds": 100.0, "searches": {},
    }  # fmt: skip
    file.save(facts, {})
    with pytest.raises(OutplayError, match=r"exists: resume it"):
        Solver(game).solve(save_to=path)
    solved = Solver(game).solve(save_to=path, resume=True)  # the table is first
    assert solved.seconds > 100
    assert re.match(r"going on from .*, after 100 s and 70 nodes", solved.reasons[0])
    assert solved.reasons[2] == "not Tablebase: no room"
    assert not any("ProofNumber" in reason for reason in solved.reasons)


@pytest.mark.parametrize("said", [proof_table.YES, proof_table.NO, proof_table.OPEN])
def test_an_entry_that_was_half_written_when_it_was_copied_is_not_there(said):
    table, other = proof_table.new_table(0), proof_table.new_table(0)
    numbers = {proof_table.YES: (0, proof_table.NEVER), proof_table.NO: (proof_table.NEVER, 0)}
    children = SimpleNamespace(numbers=np.array([numbers.get(said, (3, 5))] * 2), value=np.array([40, 50]))
    memory = SimpleNamespace(mask=0, mark=1 << 8, target=45, children=children)
    key = 123 << 40
    proof_table.remember.interpreted(memory, table, key, 0, 10)
    if said == proof_table.OPEN:
        children.numbers[1] = 7, 9
    proof_table.remember.interpreted(memory, other, key, 1, 10)
    assert proof_table.recall.interpreted(memory, other, key, 0) == (said != proof_table.NO)  # 50 is no bound of 45
    other[1] = table[1]  # its second cell is still that of the entry before
    assert not proof_table.recall.interpreted(memory, other, key, 0)
    assert proof_table.answer_in.interpreted(memory, other, key) == 0


@pytest.mark.parametrize("other", [encode(1.0) - 6, encode(1.0) - 3000, encode(-1.0) + 5, encode(1.25) - 5, 0])
def test_the_same_of_alpha_beta(other):
    """The scores of the two halves may differ in the distance alone."""
    table, score = alpha_beta_table.new_table(0), encode(1.0) - 5
    alpha_beta_table.store.interpreted(table, 0, 77 << 30, 1, 3, 0, alpha_beta_table.EXACT, score)
    assert alpha_beta_table.probe.interpreted(table, 0, 77 << 30)[1] == score
    table[1] = other
    assert alpha_beta_table.probe.interpreted(table, 0, 77 << 30)[0] == alpha_beta_table.MISSING


# -- files and options ------------------------------------------------------------------------------------------------


def saved(tmp_path, game=None, state=None, searcher=None):
    game = game or Nim()
    return SavedSolve(
        tmp_path / "a.solve", searcher or AlphaBeta(game), state or game.initial_state(), ()
    )  # fmt: skip


def test_a_file_is_refused_if_a_byte_changes_or_its_end_is_missing(tmp_path):
    file = saved(tmp_path)
    file.save({"turn": 1}, {"AlphaBeta": np.arange(300)})
    facts, tables = file.load()
    assert (facts, tables["AlphaBeta"].tolist()) == ({"turn": 1}, list(range(300)))
    content = file.path.read_bytes()
    for place in (*range(30), *range(30, len(content), 41), len(content) - 1):
        file.path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        with pytest.raises(OutplayError, match=r"a\.solve (is damaged|is not a saved search|was written by another)"):
            file.load()
    for length in (0, 10, 16, 20, 100, len(content) - 1):
        file.path.write_bytes(content[:length])
        with pytest.raises(OutplayError, match=r"a\.solve is (damaged|not a saved search)"):
            file.load()
    file.path.unlink()
    with pytest.raises(OutplayError, match="cannot be read"):
        file.load()


class OtherRules(Nim):
    """The same name, with other rules."""

    def utility(self, state, player):
        return -super().utility(state, player)


OtherRules.__name__ = "Nim"


def test_a_file_of_something_else_is_refused(tmp_path, monkeypatch):
    saved(tmp_path).save({}, {})
    game = Nim()
    for other, what in (
        (saved(tmp_path, Nim((1, 2))), r"another game: Nim\(.*, not Nim\(heaps=\(1, 2\)\)"),
        (saved(tmp_path, OtherRules()), "other rules|another rules|other"),
        (saved(tmp_path, state=game.result(game.initial_state(), 0)), "another position"),
        (saved(tmp_path, searcher=AlphaBeta(game, table_mb=1)), r"another search: .*table_mb=1"),
        (saved(tmp_path, searcher=ProofNumber(game)), "another search"),
    ):
        with pytest.raises(OutplayError, match=what):
            other.load()
    monkeypatch.setattr("outplay.session.saving.__version__", "0.0")
    with pytest.raises(OutplayError, match="another version of outplay"):
        saved(tmp_path).load()


def test_what_cannot_be_saved_is_refused_before_any_work(tmp_path):
    path, go = tmp_path / "a.solve", Go(3)
    for first in (Expectiminimax(Pig(5)), AlphaBeta(TicTacToe(), textbook=True)):
        with pytest.raises(OutplayError, match="cannot be saved: only AlphaBeta"):
            Solver(first.game, first=first).solve(save_to=path)
    state = go.result(go.initial_state(), 0)
    with pytest.raises(OutplayError, match="values depend on the moves before"):
        Solver(go).solve(state, previous_states=[go.initial_state()], save_to=path)
    assert not path.exists()


@pytest.mark.compiled
def test_a_table_that_is_there_already_is_neither_used_nor_removed(tmp_path):
    """At the end, the files of a search are removed; one that somebody else made is not one of them."""
    game, path = Nim((1, 2)), tmp_path / "a"
    Tablebase.make(game, file=tmp_path / "a.table")
    for resume in (False, True):
        with pytest.raises(OutplayError, match=r"a\.table exists, where a table that belongs to .* would be"):
            Solver(game).solve(save_to=path, resume=resume)
    assert CliRunner().invoke(app, ["solve", "nim(heaps=(1, 2))", "--save", str(path)]).exit_code == 2
    assert Tablebase.load(tmp_path / "a.table", game)


def test_the_file_is_there_before_the_table_beside_it(tmp_path, monkeypatch):
    there, path, search = [], tmp_path / "a", AlphaBeta.search

    def make(*_, file, **__):
        there.append((file, path.exists()))
        raise OutplayError("enough")

    known = Survey(1e6, complete=False, in_circles=True, branching=4.0, length=50.0, utilities=3)
    monkeypatch.setattr("outplay.session.survey.survey", lambda *_: known)  # what it measures depends on the time
    monkeypatch.setattr(Tablebase, "make", make)
    monkeypatch.setattr(AlphaBeta, "search", lambda self, state, _, **__: search(self, state, Limit(nodes=500)))
    Solver(Oware(2)).solve(save_to=path, turns=2)
    assert there == [(tmp_path / "a.table", True)]


@pytest.mark.nightly
def test_a_save_that_fails_does_not_end_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "SAVE_EVERY", 0.0)
    monkeypatch.setattr("outplay.session.saving.write_file", lambda *_: (_ for _ in ()).throw(OutplayError("full")))
    solved = Solver(ConnectFour()).solve(turns=3, save_to=tmp_path / "a.solve")
    assert solved.not_saved == "full"
    assert "not saved: full; this will be tried again" in solved.reasons


def test_the_command_line(tmp_path):
    path = tmp_path / "a.solve"

    def run(*words):
        return CliRunner().invoke(app, ["solve", *words], env={"COLUMNS": "500"})

    for words, told in (
        (["nim", "--resume"], "--resume goes with --save"),
        (["nim", "--save", path, "--book", "b"], "--save goes without --book"),
        (["nim", "--save", path, "--proof", "p"], "need --algorithm"),
        (["nim", "--save", tmp_path / "none" / "a.solve"], "cannot be written"),
    ):
        found = run(*map(str, words))
        assert (found.exit_code, told in found.output) == (2, True), found.output
    for more in [], ["--resume"]:
        assert run("nim", "--save", str(path), *more).exit_code == 0
        assert not path.exists()


KILLED = """
import sys
from outplay.games import ConnectFour
from outplay.session import Solver
from outplay.system import files
files.SAVE_EVERY = 0.5
game = ConnectFour(7, 5)
solved = Solver(game).solve(save_to=sys.argv[1], resume=True)
print(solved.analysis.value, solved.analysis.nodes)
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_killed_again_and_again_it_gets_there(tmp_path):
    """Solves Connect Four on 7 x 5, which takes some seconds, with a kill after each of the first saves."""
    path = tmp_path / "a.solve"
    whole = Solver(ConnectFour(7, 5)).solve().analysis

    def saved() -> float:
        return path.stat().st_mtime if path.exists() else 0.0

    for _ in range(3):
        before = saved()
        run = subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, text=True)
        while run.poll() is None and saved() == before:
            time.sleep(0.01)
        assert run.poll() is None  # not solved yet
        run.send_signal(signal.SIGKILL)
        run.communicate()
    run = subprocess.run([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, text=True, check=True)
    value, nodes = run.stdout.split()
    assert float(value) == whole.value
    assert int(nodes) < 2 * whole.nodes  # of the runs that were saved


@pytest.mark.parametrize("cells", [0, 1, alpha_beta_table.BUSY, alpha_beta_table.BUSY + 3 * 4, 8 * 8 + 4096 - 1])
def test_a_forged_file_with_a_table_that_no_search_has_is_refused(cells, tmp_path):
    for searcher in (AlphaBeta(Nim()), ProofNumber(Nim())):
        solver, path = Solver(Nim(), first=searcher), tmp_path / f"{type(searcher).__name__}.solve"
        forged(path, solver, np.zeros(cells, np.int64))
        with pytest.raises(OutplayError, match=r"\.solve is damaged, although its checksum is right"):
            solver.solve(save_to=path, resume=True, turns=1)


FACTS = {
    "known": None, "measured": 0.0, "turn": 0, "at": "", "left_out": [], "spent": {}, "seconds": 0.0, "searches": {},
}  # fmt: skip


def forged(path, solver, table, **facts):
    name = type(solver.first).__name__
    file = SavedSolve(path, solver.first, Nim().initial_state(), ())
    file.save(FACTS | {"searches": {name: 1}} | facts, {name: table})


@pytest.mark.parametrize(
    "facts",
    [
        {"turn": 10**9}, {"turn": -1}, {"turn": 0.5}, {"seconds": float("nan")}, {"seconds": "x"}, {"searches": {}},
        {"searches": {"AlphaBeta": 2**70}}, {"spent": {"AlphaBeta": 3}}, {"known": {"states": 5}}, {"left_out": 7},
        {"measured": -1.0}, {"known": []},
    ],
    ids=str,
)  # fmt: skip
def test_a_forged_file_with_impossible_facts_is_refused(facts, tmp_path):
    solver, path = Solver(Nim(), first=AlphaBeta(Nim())), tmp_path / "a.solve"
    forged(path, solver, alpha_beta_table.new_table(0), **facts)
    with pytest.raises(OutplayError, match=r"\.solve is damaged, although its checksum is right"):
        solver.solve(save_to=path, resume=True, turns=1)


def test_forged_entries_are_left_out():
    """Each is followed by compiled code, which checks nothing."""
    table, most = alpha_beta_table.new_table(0), encode(np.inf)
    table[:4] = 5, most, 7, -most - 1
    assert alpha_beta_table.without_nonsense(table)[:4].tolist() == [5, most, 0, 0]
    table = proof_table.new_table(0)
    pairs = [
        (proof_table.OPEN, 3 << 30 | 5),
        (proof_table.OPEN, 3 << 30),
        (proof_table.OPEN, -1),
        (proof_table.YES, most + 1),
    ]
    for place, (kind, number) in enumerate(pairs):
        table[2 * place : 2 * place + 2] = alpha_beta_table.sealed(kind, number), number
    assert np.flatnonzero(proof_table.without_nonsense(table)).tolist() == [0, 1]
    for count in (-1, proof_table.QUESTIONS):
        table[-proof_table.QUESTIONS] = count
        assert proof_table.without_nonsense(table) is None
