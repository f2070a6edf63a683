"""Traces of proof-number search: every number of every expansion, recomputed by the plainest form of the algorithm."""

import ast
import hashlib
import importlib.util
import json
import math
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shared.hashed_game import Hashed, Seeded, WinLossHashed
from typer.testing import CliRunner

from outplay import Limit, OutplayError, ProofNumber, Trace, legal_actions, state_key
from outplay.cli.commands import app
from outplay.compile.native import entry
from outplay.compile.records import layout, new_record
from outplay.games import ConnectFour, ExplicitTree, Nim, TicTacToe
from outplay.search import proof_number
from outplay.search.proof_recording_kernels import record_fields
from outplay.search.proof_table import new_table

FIGURE = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
INF = math.inf


def interpreted(rules, *args):
    return type(rules.__name__, (rules,), {"compiled": False})(*args)


def traced(game, state=None, limit=None, room=10_000, method="search", **options):
    trace = Trace(room)
    found = getattr(ProofNumber(game, **options), method)(state, limit, trace=trace)
    return trace, found


# -- the plainest form of the algorithm -------------------------------------------------------------------------------


class Twin:
    """df-pn with a dict for a table that never forgets; writes down what it does in `events`.

    A question is (utility, strict): does the player to move at the root get at least, or more than, that utility?
    """

    def __init__(self, game, root):
        self.game, self.player = game, game.to_move(root)
        self.open, self.yes, self.no = {}, {}, {}  # what is known of states: numbers for a question, and bounds
        self.events, self.questions = [], 0

    def is_yes(self, utility):
        value, strict = self.question
        return utility > value if strict else utility >= value

    def first_numbers(self, state):
        """[proof, disproof, bound if it is solved, origin]"""
        if self.game.is_terminal(state):
            utility = self.game.utility(state, self.player)
            return [0, INF, utility, "end"] if self.is_yes(utility) else [INF, 0, utility, "end"]
        key = state_key(self.game, state)
        if key in self.yes and self.is_yes(self.yes[key]):
            return [0, INF, self.yes[key], "table"]
        if key in self.no and not self.is_yes(self.no[key]):
            return [INF, 0, self.no[key], "table"]
        if (key, self.question) in self.open:
            return [*self.open[key, self.question], None, "table"]
        number = len(list(self.game.actions(state)))
        return [1, number, None, "new"] if self.game.to_move(state) == self.player else [number, 1, None, "new"]

    def search(self, state, most_proof, most_disproof, path):
        is_or = self.game.to_move(state) == self.player
        actions, children = [], []
        for action in self.game.actions(state):
            actions.append(action)
            children.append(self.first_numbers(self.game.result(state, action)))
            if children[-1][0 if is_or else 1] == 0:
                break
        here = [state, is_or, most_proof, most_disproof, actions, children, None]
        path = [*path, here]
        copied = [[*each[:5], [list(child) for child in each[5]], each[6]] for each in path]
        self.events.append({"question": self.questions, "path": copied, "back": []})
        while True:
            proofs, disproofs = [child[0] for child in children], [child[1] for child in children]
            proof, disproof = (min(proofs), sum(disproofs)) if is_or else (sum(proofs), min(disproofs))
            self.events[-1]["back"].append((proof, disproof))
            if proof >= most_proof or disproof >= most_disproof:
                break
            own, second = (proofs if is_or else disproofs), INF
            best = own.index(min(own))
            second = min([number for place, number in enumerate(own) if place != best], default=INF)
            if is_or:
                thresholds = min(most_proof, 2 * second + 1), most_disproof - (disproof - disproofs[best])
            else:
                thresholds = most_proof - (proof - proofs[best]), min(most_disproof, 2 * second + 1)
            here[6] = best
            child = self.game.result(state, actions[best])
            children[best] = [*self.search(child, *thresholds, path), "searched"]
            here[6] = None
        key, bound = state_key(self.game, state), None
        if proof == 0 or disproof == 0:
            values = [child[2] for child in children if (child[0] == 0) == (proof == 0) and child[2] is not None]
            solved_for_mover = (proof == 0) == is_or
            bound = values[0] if solved_for_mover else max(values) if is_or else min(values)
            (self.yes if proof == 0 else self.no)[key] = bound
        else:
            self.open[key, self.question] = proof, disproof
        return [proof, disproof, bound]

    def ask(self, state, question):
        self.question = question
        self.questions += 1
        return self.search(state, INF, INF, [])

    def settle(self, state, question, least, greatest, to_the_end=True):
        """Ask until the bounds meet, and return them."""
        while True:
            proof, _, bound = self.ask(state, question)
            least, greatest = (max(least, bound), greatest) if proof == 0 else (least, min(greatest, bound))
            if not to_the_end or least >= greatest:
                return least, greatest
            question = (least, True) if proof == 0 else (greatest, False)


def check(game, twin, trace):
    """Compare all numbers of all expansions."""
    assert len(trace) == len(twin.events) > 0
    for number, (record, event) in enumerate(zip(trace, twin.events, strict=True), start=1):
        assert (record.number, record.question) == (number, event["question"])
        assert record.back == tuple(event["back"])
        assert len(record.path) == len(event["path"])
        for node, (state, is_or, most_proof, most_disproof, actions, children, chosen) in zip(
            record.path, event["path"], strict=True
        ):
            assert repr(node.state) == repr(state)
            assert node.player == game.to_move(state)
            assert node.is_or == is_or
            assert (node.proof_threshold, node.disproof_threshold) == (most_proof, most_disproof)
            assert [child.action for child in node.children] == actions
            assert [child.name for child in node.children] == [game.action_name(state, action) for action in actions]
            assert [(child.proof, child.disproof, child.origin) for child in node.children] == [
                (proof, disproof, origin) for proof, disproof, _, origin in children
            ]
            assert node.chosen == chosen
        assert record.state == record.path[-1].state
        assert record.actions == tuple(node.child.action for node in record.path[:-1])


def twin_of(game, root, target=None):
    """The twin after a search."""
    twin = Twin(game, root)
    least, greatest = game.utilities or (-INF, INF)
    draw = (least + greatest) / 2 if game.utilities else 0.0
    question = (draw, True) if target is None else (target, False)
    twin.bounds = twin.settle(root, question, least, greatest, to_the_end=target is None)
    return twin


@pytest.mark.parametrize("rules", [Hashed, WinLossHashed])
@pytest.mark.parametrize("target", [None, 0, 1])
def test_every_number_is_that_of_the_plain_algorithm(rules, target):
    game = interpreted(rules)
    lengths = []
    for seed in range(80):
        state = Seeded(seed, 0, 0)
        trace, found = traced(game, state, target=target)
        twin = twin_of(game, state, target)
        check(game, twin, trace)
        if target is None:
            assert found.value == pytest.approx(twin.bounds[0], rel=1e-11)
        lengths.append(len(trace))
    assert max(lengths) > 15
    assert min(lengths) < 4


def trees():
    return st.recursive(st.integers(-9, 9), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=40)


@given(trees())
@example([-3, [[[0, 0, 0]]], [2]])  # hashes of the two questions once had the same 12 bits
@settings(max_examples=60, deadline=None)
def test_every_number_of_any_tree(tree):
    game = interpreted(ExplicitTree, tree)
    state = game.initial_state()
    if not game.is_terminal(state):
        check(game, twin_of(game, state), traced(game, state)[0])


def test_numbers_are_those_of_their_question():
    """What the table knows from an earlier question are only proofs, however many questions there are."""
    game, asked = interpreted(Hashed), 0
    for seed in range(120):
        for each in traced(game, Seeded(seed, 0, 0))[0]:
            if len(each.path) == 1 and each.question > 1:
                asked += 1
                for child in each.path[0].children:
                    assert child.origin != "table" or 0 in (child.proof, child.disproof)
    assert asked > 100


def after(game, moves):
    state = game.initial_state()
    for name in moves.split():
        state = game.result(state, game.parse_action(state, name))
    return state


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        (TicTacToe(), "a1 b2"),  # compiled
        (TicTacToe(), "b2 a1 c3"),
        (interpreted(Nim, (3, 4, 5)), ""),
        (interpreted(ConnectFour, 3, 3, 3), ""),
    ],
)
def test_every_number_of_known_games(game, moves):
    state = after(game, moves)
    trace, _ = traced(game, state)
    check(game, twin_of(game, state), trace)
    assert len(trace) > 30
    assert {child.origin for each in trace for child in each.path[-1].children} == {"new", "end", "table"}


def test_every_number_of_the_questions_about_each_action():
    game = interpreted(Hashed)
    asked = 0
    for seed in range(40):
        root = Seeded(seed, 0, 0)
        trace, _ = traced(game, root, method="analyse")
        twin = twin_of(game, root)
        names = {game.action_name(root, action): action for action in game.actions(root)}
        order = dict.fromkeys(each.about for each in trace if each.about)
        open_games = {name for name, action in names.items() if not game.is_terminal(game.result(root, action))}
        assert len(open_games - set(order)) <= 1  # all but the best action, which is known
        for name in order:
            twin.settle(game.result(root, names[name]), (twin.bounds[1], False), -INF, twin.bounds[1])
        check(game, twin, trace)
        questions = [each.about for each in trace if len(each.path) == 1]
        assert len(questions) >= len(order)
        asked += len(order)
    assert asked > 40


class Points(TicTacToe):
    """Tic-tac-toe in which a win is a point and a draw half of one."""

    constant_sum, utilities = 1, (0, 1)

    def utility(self, board, player):
        return (1 + super().utility(board, player)) / 2


def test_questions_in_words():
    state = after(TicTacToe(), "a1 b2 c3")
    for game in (interpreted(TicTacToe), interpreted(Points)):
        trace, found = traced(game, state)
        check(game, twin_of(game, state), trace)
        questions = {each.question: each.asks for each in trace}
        answers = {each.question: each.answer for each in trace}
        assert questions == {1: "more than a draw", 2: "at least a draw"}
        assert answers == {1: False, 2: True}
        assert found.verdict == "draw"
    trace, _ = traced(ExplicitTree(FIGURE))
    assert list(dict.fromkeys(each.asks for each in trace)) == ["more than 0", "more than 3"]
    trace, _ = traced(ExplicitTree([[-3, -1], [-2, -2]]))
    assert list(dict.fromkeys(each.asks for each in trace)) == ["more than 0", "at least -2"]
    assert {each.asks for each in traced(ExplicitTree(FIGURE), target=2.5)[0]} == {"at least 2.5"}


# -- any search, with any table ---------------------------------------------------------------------------------------


def follows_the_rules(game, trace):
    """Check all that does not depend on the table: selection, thresholds, first numbers, and the way back."""
    before = None
    for record in trace:
        last = record.path[-1]
        player = record.path[0].player if not record.about else None
        for child in last.children:
            state = game.result(last.state, child.action)
            assert (child.origin == "end") == game.is_terminal(state)
            assert (child.proof == 0) == (child.disproof == INF)
            assert (child.proof == INF) == (child.disproof == 0)
            if child.origin == "new":
                number = len(list(legal_actions(game, state)))
                assert (child.proof, child.disproof) in ((1, number), (number, 1))
                assert player is None or (child.proof == 1 or game.to_move(state) != player)
        assert len(last.children) == len(list(legal_actions(game, last.state))) or last.numbers[not last.is_or] == 0
        assert record.back[0] == last.numbers
        if len(record.path) == 1:
            assert (last.proof_threshold, last.disproof_threshold) == (INF, INF)
            assert before is None or before.answer is not None
            before = record
            continue
        assert record.path[:-2] == before.path[: len(record.path) - 2]  # the same states are open
        assert len(record.path) - 1 == len(before.path) - len(before.back) + 1
        above = record.path[-2]
        assert above.numbers == before.back[-1]
        own = [child.proof if above.is_or else child.disproof for child in above.children]
        assert above.chosen == own.index(min(own))
        second = min([number for place, number in enumerate(own) if place != above.chosen], default=INF)
        mine, others = (above.proof_threshold, above.disproof_threshold)[:: 1 if above.is_or else -1]
        rest = sum(
            child.disproof if above.is_or else child.proof for child in above.children if child is not above.child
        )
        wanted = min(mine, 2 * second + 1), others - rest
        assert (last.proof_threshold, last.disproof_threshold) == wanted[:: 1 if above.is_or else -1]
        before = record


@pytest.mark.sample(1)
@pytest.mark.parametrize("table_mb", [64, 0.001, 0])
def test_what_happens_follows_the_rules_with_tables_of_any_size(table_mb):
    game = interpreted(Hashed)
    for seed in range(60):
        state = Seeded(seed, 0, 0)
        for method in ("search", "analyse"):
            trace, found = traced(game, state, method=method, table_mb=table_mb)
            follows_the_rules(game, trace)
            assert found == getattr(ProofNumber(game, table_mb=table_mb), method)(state)


@pytest.mark.nightly
def test_compiled_searches_record_the_same():
    fast, found = traced(ConnectFour(4, 4), room=3000)
    slow, _ = traced(interpreted(ConnectFour, 4, 4), limit=Limit(nodes=9000), room=3000)
    number = min(len(fast), len(slow))
    assert number > 1000
    assert fast.as_dict()["expansions"][:number] == slow.as_dict()["expansions"][:number]
    follows_the_rules(ConnectFour(4, 4), fast)
    assert found == ProofNumber(ConnectFour(4, 4)).search()


# -- how much is recorded ---------------------------------------------------------------------------------------------


def test_what_has_no_room():
    game, state = interpreted(TicTacToe), after(TicTacToe(), "a1 b2")
    whole, found = traced(game, state)
    small, other = traced(game, state, room=30)
    assert found == other
    assert (len(small), len(small) + small.dropped) == (30, len(whole))
    assert whole.dropped == 0
    assert small.as_dict()["expansions"] == whole.as_dict()["expansions"][:30]
    assert repr(small) == f"<Trace of 30 expansions, {len(whole) - 30} more dropped>"
    assert f"{len(whole) - 30} more are not." in small.tree()
    with pytest.raises(IndexError):
        small[30]
    assert [each.number for each in small[27:]] == [28, 29, 30]
    one, _ = traced(game, state, room=1)
    assert len(one) == 1
    assert len(one[0].path[0].children) == 7


def test_children_that_have_no_room(monkeypatch):
    """The recording ends before the first expansion whose children have no room."""
    game, state = interpreted(TicTacToe), after(TicTacToe(), "a1 b2")
    whole, found = traced(game, state)
    fields = layout(*record_fields(1024, 50 - 32 * 1024), *proof_number.FIELDS)
    monkeypatch.setattr(proof_number, "layout_with_records", lambda limit: fields)
    small, other = traced(game, state, room=1024)
    assert found == other
    assert small.as_dict()["expansions"] == whole.as_dict()["expansions"][: len(small)]
    assert len(small) + small.dropped == len(whole)
    used = sum(len(each.path[-1].children) for each in small)
    assert used <= 50 < used + len(whole[len(small)].path[-1].children)


@pytest.mark.parametrize("limit", [Limit(nodes=60), Limit(nodes=61), Limit(nodes=64), Limit(depth=4)])
def test_a_search_that_is_stopped(limit):
    game, state = interpreted(TicTacToe), after(TicTacToe(), "a1 b2")
    whole, _ = traced(game, state)
    part, found = traced(game, state, limit)
    assert found.stopped in ("nodes", "depth")
    assert 0 < len(part) < len(whole)
    assert part.as_dict()["expansions"] == whole.as_dict()["expansions"][: len(part)]
    assert {each.answer for each in part} == {None}
    assert "not answered" in part.tree()


def test_one_trace_for_several_searches():
    trace = Trace()
    searcher = ProofNumber(interpreted(TicTacToe))
    for moves in ("a1 b2 c3", "a1 b2 c3 a3"):
        state = after(TicTacToe(), moves)
        searcher.search(state, trace=trace)
        assert trace[0].state == state


# -- without a trace --------------------------------------------------------------------------------------------------


class Without(ast.NodeTransformer):
    """Drops every `if has_field(memory, "records"):` from a module."""

    def __init__(self):
        self.dropped = 0

    def visit_If(self, node):
        if "has_field(memory, 'records')" in ast.unparse(node.test):
            self.dropped += 1
            return None
        return self.generic_visit(node)


def without_recording(path):
    """The kernels of proof-number search as they would be without traces, as another module."""
    source = ast.parse(Path(proof_number.__file__).read_text("utf-8"))
    dropped = Without()
    text = ast.unparse(dropped.visit(source))
    assert dropped.dropped == 5
    assert "has_field(" not in text
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location("proof_number_alone", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def arguments(game, memory):
    """Arguments of `proof_number_many`."""
    searcher = ProofNumber(game)
    seen = []
    prepare = proof_number.proof_number_many.prepare

    def noting(*args):
        seen.append(args)
        return prepare(*args)

    proof_number.proof_number_many.prepare = noting
    try:
        searcher.search(limit=Limit(nodes=10))
    finally:
        del proof_number.proof_number_many.prepare
    args = list(seen[0])
    args[10:12] = memory, new_table(0)
    return args


def machine_code(kernel, args):
    """The instructions that the compiler makes of a kernel, without the names of functions, which differ."""
    dispatcher = entry._new_dispatcher(kernel, kernel.fingerprint(), has_cells=False)
    signature = tuple(map(dispatcher.typeof_pyval, args))
    entry.to_the_end(lambda: entry._build(kernel, dispatcher, signature, lambda *_: None))
    lines = []
    for line in dispatcher.inspect_asm(signature).splitlines():
        if not re.match(r"\s*\.(?!L)", line):  # a directive
            named = re.sub(r'"[^"]*"|[$\w.]*(_ZN|_outplay_|NRT_|numba|\.dtor)[\w$.%]*', "NAME", line)
            lines.append(re.sub(r"[$\w.]*NAME[\w$.%]*", "NAME", named))
    labels = {}
    for line in lines:
        if found := re.match(r"(\.L\w+):", line):
            labels[found[1]] = f"label {len(labels)}"
    return [re.sub(r"\.L\w+", lambda found: labels.get(found[0], ""), line) for line in lines]


@pytest.mark.nightly
def test_a_search_without_a_trace_is_compiled_to_the_same_code(tmp_path):
    game = Nim((1, 2))
    plain = new_record(proof_number.LAYOUT)
    args = arguments(game, plain)
    alone = without_recording(tmp_path / "proof_number_alone.py")
    code = machine_code(proof_number.proof_number_many, args)
    assert len(code) > 500
    assert code == machine_code(alone.proof_number_many, args)
    args[10] = new_record(proof_number.layout_with_records(8))
    assert len(machine_code(proof_number.proof_number_many, args)) > len(code)


# -- in files ---------------------------------------------------------------------------------------------------------


def test_a_damaged_file(tmp_path):
    game, path = interpreted(ExplicitTree, FIGURE), tmp_path / "a.json"
    trace, _ = traced(game)
    trace.save(path)
    content = json.loads(path.read_text("utf-8"))
    assert Trace.load(path, ProofNumber(game)).as_dict() == trace.as_dict()

    def load(change):
        changed = json.loads(json.dumps(content))
        change(changed["numbers"])
        del changed["sha256"]
        digest = hashlib.sha256(json.dumps(changed, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        path.write_text(json.dumps(changed | {"sha256": digest}), "utf-8")
        return Trace.load(path, ProofNumber(game))

    for change in (
        lambda numbers: numbers["ply"].pop(),
        lambda numbers: numbers["child_proof"].pop(),
        lambda numbers: numbers.pop("target"),
        lambda numbers: numbers["end"].clear(),
        lambda numbers: numbers.__setitem__("proof", None),
    ):
        with pytest.raises(OutplayError, match="damaged"):
            load(change)
    for change in (
        lambda numbers: numbers["ply"].__setitem__(1, 2),
        lambda numbers: numbers["action"].__setitem__(1, 7),
        lambda numbers: numbers["question"].__setitem__(0, 3),
        lambda numbers: numbers["child_origin"].__setitem__(0, 9),
        lambda numbers: numbers["end"].__setitem__(0, 0),
        lambda numbers: numbers["end"].__setitem__(0, 7),
    ):
        with pytest.raises(OutplayError, match=r"expansion \d of the trace does not fit the game"):
            list(load(change))
    trace.save(path)
    with pytest.raises(OutplayError, match="recorded by ProofNumber"):
        Trace.load(path, ProofNumber(game, target=1))


def test_other_rules_than_those_searched():
    game = interpreted(TicTacToe)
    trace, _ = traced(game, after(TicTacToe(), "a1 b2"))
    type(trace.recording.game).actions = lambda self, board: [cell for cell in range(9) if cell > 6]
    try:
        with pytest.raises(OutplayError, match="does not fit the game"):
            list(trace)
    finally:
        del type(trace.recording.game).actions


# -- as text and as a picture -----------------------------------------------------------------------------------------


def test_the_tree_as_text():
    trace, _ = traced(ExplicitTree(FIGURE))
    assert trace.tree(4) == (
        "ProofNumber, expansion 4 of 6  proof  disproof  numbers\n"
        "more than 3? not answered, 2 expansions\n"
        "OR                             3      2         searched\n"
        "├─ 1: AND                      ∞      0         searched\n"
        "│  └─ 1                        ∞      0         end\n"
        "├─ 2: AND                      3      1         new\n"
        "└─ 3: AND                      3      1         new"
    )
    text = trace.tree()
    assert "more than 0? yes, 2 expansions" in text
    assert "more than 3? no, 4 expansions" in text
    assert len(trace.tree(plies=1).splitlines()) == 11
    assert "searched, 3 below" in trace.tree(plies=1)
    for wrong in (0, 7, True, 1.5):
        with pytest.raises(ValueError, match="choose an expansion from 1 to 6"):
            trace.tree(wrong)
    large, _ = traced(ConnectFour(4, 4), limit=Limit(nodes=3000), room=500)
    assert 20 < len(large.tree().splitlines()) <= 105


def bold(picture, number=0):
    """The names on the bold edges, by path."""
    node = picture.nodes[number]
    found = {}
    for child in node.children:
        if picture.nodes[child].bold:
            found[picture.nodes[child].edge] = bold(picture, child)
    return found


def test_pictures_show_the_proof():
    state = after(TicTacToe(), "a1 b2 c3 a3")
    trace, found = traced(TicTacToe(), state)
    picture = trace.picture()
    assert picture.title == "ProofNumber, 7 expansions: more than a draw? yes; proof number / disproof number"
    proof = bold(picture)
    assert list(proof) == [TicTacToe().action_name(state, found.action)] == ["c1"]
    assert {reply: list(answer) for reply, answer in proof["c1"].items()} == {
        "b1": ["c2"], "a2": ["b1"], "c2": ["b1"], "b3": ["b1"],
    }  # fmt: skip
    assert [node.shape for node in picture.nodes[:2]] == ["max", "min"]
    assert picture.nodes[0].lines == ["0 / ∞"]
    early = trace.picture(3)
    assert bold(early) == {"c1": {"b1": {}}}  # the path to what is expanded next
    assert trace[3].actions == tuple(TicTacToe().parse_action(state, name) for name in ("c1", "b1"))
    assert all(node.inset is not None for node in trace.picture(boards=True).nodes)
    questions = traced(ExplicitTree(FIGURE))[0].picture()
    assert questions.nodes[0].lines == ["2 questions"]
    assert [questions.nodes[child].edge for child in questions.nodes[0].children] == ["more than 0?", "more than 3?"]
    assert len(traced(ConnectFour(4, 4), limit=Limit(nodes=3000), room=2000)[0].picture().nodes) <= 250


def test_the_bold_path_leads_to_the_next_expansion():
    trace, _ = traced(interpreted(TicTacToe), after(TicTacToe(), "a1 b2"), room=60)
    for record, following in pairwise(trace):
        if record.answer is None and len(record.back) == len(record.path):  # the search is at the root again
            edges, path = bold(trace.picture(record.number, plies=20)), []
            while edges:
                [(name, edges)] = edges.items()
                path.append(name)
            names = [node.child.name for node in following.path[:-1]]
            assert path[: len(names)] == names


def test_as_dict_is_json():
    trace, _ = traced(TicTacToe(), after(TicTacToe(), "a1 b2 c3 a3"))
    with pytest.raises(ValueError, match="a trace of expansions has no steps"):
        trace.steps()
    plain = json.loads(json.dumps(trace.as_dict()))
    first = plain["expansions"][0]
    assert first["path"][0]["thresholds"] == [None, None]
    assert first["back"] == [[4, 5]]
    assert plain["expansions"][-1]["answer"] is True
    assert max(len(each["path"]) for each in trace.as_dict(1)["expansions"]) == 2


# -- on the command line ----------------------------------------------------------------------------------------------


def run(*arguments, code=0):
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setattr("outplay.cli.analyse.MAX_TRACED", 2_000)
    monkeypatch.setattr("outplay.cli.tree.MAX_TRACED", 2_000)
    game = ("tic-tac-toe", "--moves", "a1 b2 c3 a3", "--algorithm", "proof-number")
    text = run("tree", *game)
    assert "more than a draw? yes, 7 expansions" in text
    files = {kind: tmp_path / f"a.{kind}" for kind in ("svg", "dot")}
    run("tree", *game, *(part for kind, file in files.items() for part in (f"--{kind}", file)))
    assert "0 / ∞" in files["svg"].read_text("utf-8")
    assert "penwidth=2.5" in files["dot"].read_text("utf-8")
    for asked in (("step", *game), ("tree", *game, "--html", tmp_path / "a.html")):
        assert "proof-number has no steps: outplay tree without --html shows it" in run(*asked, code=2)
    found = json.loads(run("tree", *game, "--json"))
    assert len(found["trace"]["expansions"]) == 7
    assert "expansions" in run("analyse", *game, "--tree", "2")
    assert "The search was stopped after 2,000 nodes." in run(
        "tree", "connect-four", "--algorithm", "proof-number", "--plies", "1"
    )
    assert "not answered" in run("tree", "connect-four(4, 4)", "--algorithm", "proof-number", "--depth", "3")
    over = ("tic-tac-toe", "--moves", "a1 b1 a2 b2 a3", "--algorithm", "proof-number")
    assert "the game is over: there is nothing to search" in run("tree", *over, code=2)
