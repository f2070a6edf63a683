"""Books: what is in them, what a search makes of them, and files that are damaged in every way."""

import dataclasses
import json
import math
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import OUTPLAY, PATIENCE
from shared.hashed_game import Hashed, Hinted, Lonely, Seeded, WinLossHashed, interpreted, twin
from typer.testing import CliRunner

from outplay import (
    AlphaBeta,
    Book,
    BookEntry,
    BookError,
    Game,
    Limit,
    LookUp,
    Minimax,
    ProofNumber,
    legal_actions,
    load_game,
)
from outplay.cli.commands import app
from outplay.engine.book import canonical_key, images, positions
from outplay.games import MNK, ConnectFour, Kalah, TicTacToe

SMALL = ConnectFour(5, 4)


class Interpreted(TicTacToe):
    compiled = False


def after(game, *actions):
    state = game.initial_state()
    for action in actions:
        state = game.result(state, action)
    return state


@pytest.fixture(scope="module")
def small_book():
    """What is proved of every position after three moves of Connect Four on a small board."""
    return Book(SMALL, AlphaBeta(SMALL).search_many(positions(SMALL, 3)[3]))


# -- positions and their images ---------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("game", [TicTacToe(), MNK(4, 3, 3), MNK(4, 4, 3, gravity=True), SMALL, Kalah(3, 2)])
def test_a_position_and_its_images_are_one_with_the_action_translated(game):
    chance = random.Random(0)
    book, analyses = Book(game), {}
    for _ in range(20):
        state = game.initial_state()
        for _ in range(chance.randrange(6)):
            if not game.is_terminal(state):
                state = game.result(state, chance.choice(list(legal_actions(game, state))))
        analysis = AlphaBeta(game).search(state, Limit(depth=3))
        if analysis.action is not None and canonical_key(game, state) not in analyses:
            book.add(analysis)
            analyses[canonical_key(game, state)] = analysis
    assert len(book) == len(analyses)
    for key, analysis in analyses.items():
        best = canonical_key(game, game.result(analysis.state, analysis.action))
        for image in game.symmetries(analysis.state):
            assert canonical_key(game, image) == key
            known = book.look_up(game, image)
            assert (known.value, known.distance) == (analysis.value, analysis.distance)
            assert canonical_key(game, game.result(image, known.action)) == best
    assert sum(len(images(game, analysis.state)) for analysis in analyses.values()) == len(list(book.items()))


def test_positions_of_each_ply_are_distinct():
    published, wins = (1, 3, 12, 38, 108, 174, 204, 153, 57), (0, 0, 0, 0, 0, 21, 21, 58, 23)
    open_ones = [positions - won for positions, won in zip(published, wins, strict=True)]
    assert [len(ply) for ply in positions(TicTacToe(), 9)] == [*open_ones, 0]


@pytest.mark.nightly
def test_states_with_the_same_key_are_one():
    game = TicTacToe()
    one, other = after(game, 0, 3, 1), after(game, 1, 3, 0)
    assert one.last != other.last
    book = Book(game, [AlphaBeta(game).search(one)])
    assert other in book
    assert after(game, 0, 3, 2) not in book
    assert book.look_up(game, after(game, 0, 3, 2)) is None


@pytest.mark.nightly
def test_a_better_entry_replaces_a_worse_one():
    state = after(SMALL, 0)
    shallow, deep = (AlphaBeta(SMALL).search(state, Limit(depth=depth)) for depth in (2, 6))
    proved = AlphaBeta(SMALL).search(state)
    without_distance = ProofNumber(SMALL).search(state)
    for worse, better in ((shallow, deep), (deep, proved), (without_distance, proved)):
        for order in ((worse, better), (better, worse)):
            book = Book(SMALL, order)
            assert len(book) == 1
            assert book == Book(SMALL, [better]) != Book(SMALL, [worse])


@pytest.mark.nightly
def test_what_an_analysis_says_is_what_is_known():
    state = after(SMALL, 0, 0, 0)
    known = {}
    for name, analysis in {
        "exact": AlphaBeta(SMALL).search(state),
        "estimate": AlphaBeta(SMALL).search(state, Limit(depth=4)),
        "lower": ProofNumber(SMALL, target=-0.5).search(state),
        "none": AlphaBeta(SMALL).search(after(SMALL, 0, 1, 0, 1, 0, 1, 0)),
    }.items():
        known[name] = Book(SMALL, [analysis]).look_up(SMALL, state)
        if name == "estimate":
            assert (known[name].depth, known[name].nodes) == (4, analysis.nodes)
            assert known[name].seconds == pytest.approx(analysis.seconds, abs=0.001)
    assert known["none"] is None
    assert all(known[name].kind == name for name in ("exact", "estimate", "lower"))


@pytest.mark.parametrize(
    "wrong",
    [
        *({"kind": "sure"}, {"value": math.nan}, {"distance": 0}, {"depth": -1}, {"action": -1}, {"seconds": math.nan}),
        *({"distance": 10**20}, {"nodes": 10**20}),
    ],
)
def test_known_refuses_what_makes_no_sense(wrong):
    name, value = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=re.escape(f"BookEntry({name}={value!r}):")):
        BookEntry(**{"value": 0, "kind": "exact", **wrong})


@pytest.mark.nightly
def test_books_are_values(small_book):
    copy = pickle.loads(pickle.dumps(small_book))
    assert copy == small_book
    assert hash(copy) == hash(small_book)
    assert copy != Book(SMALL)
    assert repr(copy) == f"<Book of ConnectFour(width=5, height=4): {len(small_book)} positions>"
    searcher = AlphaBeta(SMALL, books=[small_book])
    assert pickle.loads(pickle.dumps(searcher)) == searcher != AlphaBeta(SMALL)


# -- what a search makes of them --------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize(
    "game", [SMALL, TicTacToe(), Interpreted()], ids=["connect-four", "tic-tac-toe", "interpreted"]
)
@pytest.mark.parametrize("ply", [2, 3, 4])
def test_a_book_below_the_root_saves_nodes_and_changes_nothing_else(game, ply):
    compiled = game if game.compiled is not False else TicTacToe()
    book = Book(game)
    for analysis in AlphaBeta(compiled).search_many(positions(game, ply)[ply]):
        book.add(dataclasses.replace(analysis, game=game))
    states = [game.initial_state(), *(after(game, action) for action in legal_actions(game, game.initial_state()))]
    for state in states:
        plain = AlphaBeta(compiled, hints=False).search(state)  # which find most of it too
        booked = AlphaBeta(game, books=[book], hints=False).search(state)
        assert (booked.value, booked.distance, booked.exact) == (plain.value, plain.distance, True)
        assert booked.nodes < plain.nodes / 3
        assert len(booked.line) >= 2 if ply == 2 else 3
        every = AlphaBeta(game, books=[book]).analyse(state)
        expected = {item.action: (item.value, item.distance) for item in AlphaBeta(compiled).analyse(state).actions}
        assert {item.action: (item.value, item.distance) for item in every.actions} == expected


def test_the_line_goes_on_through_the_book():
    game = TicTacToe()
    book = Book(game, AlphaBeta(game).search_many([s for ply in positions(game, 8)[2:] for s in ply]))
    line = AlphaBeta(game, books=[book]).search().line
    state = after(game, *line)
    assert len(line) == 9
    assert game.is_terminal(state)
    assert game.utility(state, 0) == 0


def test_the_line_of_a_proved_answer_is_proved():
    book, game = Book(TicTacToe()), TicTacToe()
    book.put(after(game), BookEntry(value=0, kind="exact", action=4))
    book.put(after(game, 4), BookEntry(value=0.5, kind="estimate", action=1, depth=1))
    assert AlphaBeta(game, books=[book]).search().line == (4,)
    book.put(after(game, 4), BookEntry(value=0, kind="exact", action=0))
    assert AlphaBeta(game, books=[book]).search().line == (4, 0)


@pytest.mark.nightly
def test_a_win_far_away_keeps_its_distance():
    states = [state for ply in positions(SMALL, 3)[2:] for state in ply]
    far = [plain for plain in AlphaBeta(SMALL).search_many(states) if plain.value]
    assert {plain.value for plain in far} == {1, -1}
    for plain in far:
        children = [SMALL.result(plain.state, action) for action in legal_actions(SMALL, plain.state)]
        for below in (AlphaBeta(SMALL), ProofNumber(SMALL)):  # with distances, and bounds
            book = Book(SMALL, below.search_many(children))
            booked = AlphaBeta(SMALL, books=[book]).search(plain.state)
            assert (booked.verdict, booked.exact) == (plain.verdict, True)
            assert below != AlphaBeta(SMALL) or booked.nodes < AlphaBeta(SMALL).search(plain.state).nodes / 10


def known_below(game, root, chance):
    """Some of what is true of the states below `root`: exact values, bounds, and estimates that are wrong."""
    book, waiting = Book(game), [root]
    while waiting:
        state = waiting.pop()
        if game.is_terminal(state):
            continue
        children = [game.result(state, action) for action in game.actions(state)]
        waiting += children
        if state == root or chance.random() < 0.6:
            continue
        value, plies = twin(game, state, game.to_move(state))
        far = chance.choice([0, 0.5, 3])
        known = {
            "exact": BookEntry(value=value, kind="exact", distance=plies if value else None),
            "without distance": BookEntry(value=value, kind="exact"),
            "lower": BookEntry(value=value - far, kind="lower"),
            "upper": BookEntry(value=value + far, kind="upper"),
            "estimate": BookEntry(value=chance.choice([-9, 9]), kind="estimate", depth=99),
        }
        book.put(state, known[chance.choice(list(known))])
    return book


@pytest.mark.nightly
@given(
    st.sampled_from([Hashed(), *map(interpreted, (WinLossHashed, Hinted, Lonely))]),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.fixed_dictionaries(
        {
            "table_mb": st.sampled_from([0, 0.001, 1]),
            "reuse_table": st.booleans(),
            "hints": st.booleans(),
            "null_window": st.booleans(),
            "depth_factor": st.sampled_from([None, 1, 4]),
        }
    ),
)
@settings(max_examples=100)
def test_with_any_part_of_the_truth_the_answer_is_the_twin_s(game, seed, part, options):
    chance = random.Random(part)
    roots = [Seeded(seed + i, 0, 0) for i in range(5)]
    searcher = AlphaBeta(game, books=[known_below(game, root, chance) for root in roots], **options)
    truth = [twin(game, root, game.to_move(root)) for root in roots]
    for limit in (Limit(), Limit(depth=chance.randint(1, 6))):
        for analysis, (value, plies) in zip(searcher.search_many(roots, limit), truth, strict=True):
            assert analysis.exact or limit != Limit()
            if analysis.exact:
                assert math.isclose(analysis.value, value, rel_tol=1e-11)
                assert analysis.distance == (plies if analysis.value else None)
    for item in searcher.analyse(roots[0]).actions:
        value, plies = twin(game, game.result(roots[0], item.action), game.to_move(roots[0]))
        assert math.isclose(item.value, value, rel_tol=1e-11)
        assert item.distance == (plies + 1 if value else None)


def test_estimates_never_get_into_a_search():
    limit = Limit(depth=8)
    for value in (-1.0, 0.0, 1.0):
        book = Book(SMALL)
        for state in positions(SMALL, 2)[2]:
            book.put(state, BookEntry(value=value, kind="estimate", action=2, depth=99, nodes=10**9, seconds=1e9))
        assert AlphaBeta(SMALL, books=[book]).search(limit=limit) == AlphaBeta(SMALL).search(limit=limit)


@pytest.mark.compiled
@pytest.mark.parametrize("searcher", [AlphaBeta, Minimax, ProofNumber])
def test_what_is_proved_is_answered_at_once(searcher, small_book):
    for state in positions(SMALL, 3)[3][:10]:
        expected = AlphaBeta(SMALL).search(state)
        best = {item.action for item in AlphaBeta(SMALL).analyse(state).actions if item.value == expected.value}
        for limit in (Limit(), Limit(depth=1), Limit(seconds=0)):
            analysis = searcher(SMALL, books=[Book(SMALL), small_book]).search(state, limit)
            assert (analysis.method, analysis.nodes, analysis.stopped) == ("Book", 0, "")
            assert (analysis.player, analysis.values) == (1, expected.values)
            assert (analysis.verdict, analysis.exact) == (expected.verdict, True)
            assert analysis.action in best
            assert analysis.actions[0].line == analysis.line == (analysis.action,)


@pytest.mark.compiled
def test_of_many_states_only_the_unknown_are_searched(small_book):
    known, unknown = positions(SMALL, 3)[3][:3], positions(SMALL, 4)[4][:3]
    mixed = [state for pair in zip(known, unknown, strict=True) for state in pair]
    found = AlphaBeta(SMALL, books=[small_book]).search_many(mixed)
    assert [analysis.method for analysis in found] == ["Book", "AlphaBeta"] * 3
    assert [analysis.state for analysis in found] == mixed
    assert [analysis.value for analysis in found] == [AlphaBeta(SMALL).search(state).value for state in mixed]
    assert AlphaBeta(SMALL, books=[small_book]).analyse(known[0]).method == "AlphaBeta"


@pytest.mark.nightly
def test_an_estimate_takes_the_place_of_a_search_that_would_do_no_more():
    state = after(SMALL, 0)
    entry = BookEntry(value=0.25, kind="estimate", action=1, depth=6, nodes=1000, seconds=2.0)
    book = Book(SMALL)
    book.put(state, entry)
    searcher = AlphaBeta(SMALL, books=[book])
    for taken in (Limit(depth=6), Limit(nodes=1000), Limit(seconds=0.5), Limit(depth=3, nodes=10)):
        analysis = searcher.search(state, taken)
        assert (analysis.method, analysis.value, analysis.exact, analysis.depth) == ("Book", 0.25, False, 6)
        assert analysis.stopped in repr(taken)
        assert analysis.stopped
    for too_much in (Limit(), Limit(depth=7), Limit(nodes=1001), Limit(depth=3, nodes=1001)):
        assert searcher.search(state, too_much).method == "AlphaBeta"


def test_a_look_up_of_ones_own():
    class Corners:
        def look_up(self, game, state):
            if state.filled == 0:
                return BookEntry(value=0, kind="exact", action=0)
            return BookEntry(value=1, kind="lower", action=8) if state.filled == 1 else None

    game = TicTacToe()
    assert isinstance(Corners(), LookUp)
    analysis = AlphaBeta(game, books=[Corners()]).search()
    assert (analysis.method, analysis.action, analysis.verdict) == ("Corners", 0, "draw")
    assert AlphaBeta(game, books=[Corners()]).search(after(game, 0)).method == "AlphaBeta"  # a bound is no answer
    over = after(game, 0, 3, 1, 4, 2)
    assert AlphaBeta(game, books=[Corners()]).search(over).action is None


def test_a_look_up_that_errs_is_told():
    class Wrong:
        def look_up(self, game, state):
            return BookEntry(value=0, kind="exact", action=9)

    with pytest.raises(BookError, match=r"Wrong.look_up: action 9 is not legal in .* legal: 0, 1, 2"):
        AlphaBeta(TicTacToe(), books=[Wrong()]).search()
    for wrong in (Wrong(), [7]):
        with pytest.raises(ValueError, match=r"AlphaBeta\(books=…\): a list of objects with look_up"):
            AlphaBeta(TicTacToe(), books=wrong)


def test_a_book_of_another_game_is_refused(small_book):
    other = ConnectFour(5, 5)
    told = r"a book of ConnectFour\(width=5, height=4\), not of ConnectFour\(width=5, height=5\)"
    with pytest.raises(BookError, match=told):
        AlphaBeta(other, books=[small_book])
    with pytest.raises(BookError, match=told):
        small_book.look_up(other, other.initial_state())
    with pytest.raises(BookError, match=r"ConnectFour\(width=5, height=4\), not of TicTacToe\(\)"):
        small_book.add(AlphaBeta(TicTacToe()).search())


# -- files ------------------------------------------------------------------------------------------------------------

NUMBERS = st.integers(0, 10**12)
KNOWN = st.one_of(
    st.builds(
        BookEntry,
        value=st.floats(allow_nan=False),
        kind=st.sampled_from(["exact", "lower", "upper"]),
        distance=st.none() | st.integers(1, 1000),
        action=st.none() | st.integers(0, 4),
    ),
    st.builds(
        BookEntry,
        value=st.floats(allow_nan=False),
        kind=st.just("estimate"),
        action=st.none() | st.integers(0, 4),
        depth=NUMBERS,
        nodes=NUMBERS,
        seconds=st.floats(0, 1e9),
    ),
)


@given(st.lists(st.tuples(st.lists(st.integers(0, 4), max_size=3), KNOWN)))
def test_a_book_comes_back_from_its_file(tmp_path_factory, entries):
    book, path = Book(SMALL), tmp_path_factory.mktemp("book") / "a.book"
    for moves, known in entries:
        book.put(after(SMALL, *moves), known)
    book.save(path)
    text = path.read_text("utf-8")
    again = Book.load(path, SMALL)
    assert again == book
    assert len(again) == len(book) == len(text.splitlines()) - 4
    again.save(path)
    assert path.read_text("utf-8") == text
    assert [file.name for file in path.parent.iterdir()] == ["a.book"]


@pytest.mark.compiled
def test_a_book_does_not_depend_on_the_order_it_was_made_in(tmp_path):
    analyses = AlphaBeta(SMALL).search_many(positions(SMALL, 2)[2])
    for name, order in (("a", analyses), ("b", analyses[::-1])):
        Book(SMALL, order).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.fixture
def file(tmp_path, small_book):
    small_book.save(tmp_path / "small.book")
    return tmp_path / "small.book"


DAMAGE = {
    "empty": (lambda text: "", "is not a book: its first line is not 'outplay book 2'.*the file is empty"),
    "another file": (lambda text: "hello\n" * 9, "is not a book"),
    "another version": (
        lambda text: text.replace("book 2", "book 1"),
        " was written by another version of outplay: make it anew",
    ),
    "only a start": (lambda text: "\n".join(text.split("\n")[:2]), "line 3: the book is cut off; make it again"),
    "another game": (lambda text: text.replace("width=5", "width=6"), "line 2: a book of another game"),
    "other rules": (lambda text: text.replace("rules: ", "rules: 0"), "line 3: the rules of .* have changed"),
    "check": (lambda text: text.replace("check: ", "check: 0"), "line 4: the book was changed or cut off"),
    "a line less": (lambda text: text[: text.rindex("\n", 0, -1) + 1], "line 4: the book was changed or cut off"),
    "half a line less": (lambda text: text[:-10], r"line \d+: not a position of a book"),
    "the last character less": (lambda text: text[:-1], "line 4: the book was changed or cut off"),
    "another value": (lambda text: text.replace(" 1.0 ", " 2.0 ", 1), "line 4: the book was changed or cut off"),
    "a line twice": (lambda text: text + text.splitlines()[-1], r"line \d+: .*there twice"),
    "not a number": (lambda text: text.replace(" 1.0 ", " nan ", 1), r"line \d+: .*BookEntry\(value=nan\)"),
    "another word": (lambda text: text.replace(" exact ", " sure ", 1), r"line 5: .*choose estimate"),
    "a short key": (
        lambda text: re.sub("^[0-9a-f](?=.*exact)", "", text, count=1, flags=re.MULTILINE),
        r"line 5: .*not a key of 16 digits",
    ),
    "an empty line": (lambda text: text + "\n", r"line \d+: not a position"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_one_clear_error(file, damage):
    change, told = DAMAGE[damage]
    text = file.read_text("utf-8")
    file.write_text(change(text), "utf-8")
    assert file.read_text("utf-8") != text
    with pytest.raises(BookError, match=rf"^{re.escape(str(file))}.*{told}"):
        Book.load(file, SMALL)


def test_whatever_byte_is_changed_the_file_is_refused(tmp_path):
    file, chance = tmp_path / "one.book", random.Random(0)
    Book(SMALL, [AlphaBeta(SMALL).search(after(SMALL, 0))]).save(file)
    data = file.read_bytes()
    for place in range(len(data)):
        wrong = bytearray(data)
        wrong[place] ^= 1 << chance.randrange(8)
        file.write_bytes(wrong)
        with pytest.raises(BookError):
            Book.load(file, SMALL)


def test_files_that_cannot_be_read_or_written(tmp_path, small_book, monkeypatch):
    with pytest.raises(BookError, match=r"no\.book cannot be read: No such file"):
        Book.load(tmp_path / "no.book", SMALL)
    with pytest.raises(BookError, match=r"a\.book cannot be written: No such file"):
        small_book.save(tmp_path / "no" / "a.book")
    path = tmp_path / "a.book"
    small_book.save(path)
    before = path.read_bytes()

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(BookError, match="No space left on device"):
        Book(SMALL).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.book"]


def test_keys_are_the_same_in_another_process(file, python):
    program = (
        "import sys; from outplay import Book; from outplay.games import ConnectFour; game = ConnectFour(5, 4);"
        "print(len(Book.load(sys.argv[1], game)), Book.load(sys.argv[1], game).look_up(game, game.initial_state()))"
    )
    assert python("-c", program, file, PYTHONHASHSEED=7) == f"{len(Book.load(file, SMALL))} None"


# -- the command line -------------------------------------------------------------------------------------------------


def run(*arguments, code=0, stdin=None):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stderr if code == 2 else result.stdout


def test_a_book_is_made_and_gone_on_with(tmp_path):
    path = tmp_path / "ttt.book"
    assert "TicTacToe(): 4 of 4 positions to ply 1, 4 of them proved\n4 searched now; " in run(
        "book", "tic-tac-toe", path, "--plies", 1
    )
    data = json.loads(run("book", "tic-tac-toe", path, "--plies", 3, "--json"))
    assert data == {
        "game": "TicTacToe()",
        "file": str(path),
        "positions": 54,
        "known": 54,
        "proved": 54,
        "new": 50,
        "book": 54,
        "stopped": "",
    }
    assert json.loads(run("book", "tic-tac-toe", path, "--plies", 2, "--json"))["new"] == 0
    game = TicTacToe()
    book = Book.load(path, game)
    for state in (state for ply in positions(game, 3) for state in ply):
        known, expected = book.look_up(game, state), AlphaBeta(game).search(state)
        assert (known.value, known.distance, known.kind) == (expected.value, expected.distance, "exact")


PILE = """
from outplay import Game

class Pile(Game):
    compiled = False
    utilities = (-1, 1)
    feature_names = ("one",)

    def initial_state(self):
        return 1_000_000, 0

    def actions(self, state):
        return [take for take in (1, 2) if take <= state[0]]

    def to_move(self, state):
        return state[1]

    def result(self, state, action):
        return state[0] - action, 1 - state[1]

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return 1 if player != state[1] else -1

    def features(self, state):
        return (1.0,)
"""


def test_an_evaluation_makes_the_estimates(tmp_path):
    rules, weights = tmp_path / "pile.py", tmp_path / "weights.txt"
    rules.write_text(PILE)
    weights.write_text("one 1\nhalf 1\n")
    estimates = []
    for name, options in (("plain", ()), ("weighed", ("--evaluation", weights))):
        run("book", rules, tmp_path / name, "--plies", 0, "--seconds", 0.1, *options)
        game = load_game(str(rules))
        estimates.append(abs(Book.load(tmp_path / name, game).look_up(game, game.initial_state()).value))
    assert estimates == [0, 0.5]
    refused = run("book", "nim", tmp_path / "nim.book", "--plies", 0, "--evaluation", "nothing", code=2)
    assert "there is no file 'nothing'; evaluations of Nim()" in " ".join(refused.split())


@pytest.mark.nightly
def test_workers_search_the_positions_of_a_ply(tmp_path):
    """It takes some seconds to start them."""
    alone, together = tmp_path / "alone.book", tmp_path / "together.book"
    run("book", "tic-tac-toe", alone, "--plies", 1)
    data = json.loads(run("book", "tic-tac-toe", together, "--plies", 1, "--workers", 2, "--json"))
    assert (data["new"], data["proved"]) == (4, 4)
    one, other = (Book.load(path, TicTacToe()) for path in (alone, together))
    for state in (state for ply in positions(TicTacToe(), 1) for state in ply):
        assert one.look_up(TicTacToe(), state).value == other.look_up(TicTacToe(), state).value


def test_estimates_are_made_better(tmp_path):
    path, new = tmp_path / "four.book", []
    for seconds in (0.3, 0.2, 0.4):
        arguments = ("connect-four", path, "--plies", 0, "--seconds", seconds, "--json")
        data = json.loads(run("book", *arguments))
        assert (data["known"], data["proved"]) == (1, 0)
        new.append(data["new"])
    assert new == [1, 0, 1]


def test_a_book_begins_after_moves(tmp_path):
    game, path = TicTacToe(), tmp_path / "later.book"
    data = json.loads(run("book", "tic-tac-toe", path, "--moves", "b2 a1", "--plies", 1, "--json"))
    assert data["positions"] == 1 + 4  # the answers to a1, of which three are the mirror of another one
    book, root = Book.load(path, game), after(game, 4, 0)
    assert book.look_up(game, root).kind == "exact"
    assert book.look_up(game, game.initial_state()) is None


@pytest.mark.compiled
def test_commands_use_a_book(tmp_path):
    path, game = tmp_path / "small.book", "connect-four(5, 4)"
    plain = json.loads(run("solve", game, "--json"))
    run("book", game, path, "--plies", 3)
    solved = json.loads(run("solve", game, "--json", "--book", path))
    assert (solved["method"], solved["nodes"], solved["verdict"]) == ("Book", 0, plain["verdict"])
    assert "Best line: " in run("solve", game, "--book", path)
    assert "Book: known, nothing was searched" in run("solve", game, "--book", path)
    analysed = json.loads(run("analyse", game, "--json", "--book", path))
    assert analysed["exact"]
    assert len(analysed["actions"]) == 5
    assert analysed["nodes"] < 100
    for algorithm in ("minimax", "proof-number"):
        data = json.loads(run("solve", game, "--json", "--book", path, "--algorithm", algorithm))
        assert data["method"] == "Book"
    shown = run("play", game, "--player", "1", "--level", "10", "--book", path, stdin="")
    assert f"player 0 plays {solved['action']} (draw, known from the book)" in shown


def test_errors_of_books_are_one_message(tmp_path):
    path = tmp_path / "ttt.book"
    run("book", "tic-tac-toe", path, "--plies", 1)
    for command in (["solve"], ["analyse"], ["play"]):
        assert "no.book cannot be read" in run(*command, "tic-tac-toe", "--book", tmp_path / "no.book", code=2)
        assert "a book of another game" in run(*command, "connect-four", "--book", path, code=2)
    assert "a book of another game" in run("book", "connect-four", path, "--plies", 0, code=2)
    assert "cannot be written" in run("book", "tic-tac-toe", tmp_path / "no" / "a.book", "--plies", 0, code=2)
    before = path.read_text()
    path.write_text(before[:-20])
    assert "line 8: not a position of a book" in run("book", "tic-tac-toe", path, "--plies", 0, code=2)
    assert path.read_text() == before[:-20]
    assert "--plies is missing" in run("book", "tic-tac-toe", path, code=2)


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
def test_ctrl_c_keeps_what_is_found(tmp_path):
    path = tmp_path / "four.book"
    run("book", "connect-four(6, 5)", path, "--plies", 0, "--seconds", 0)  # compiled
    terminal, end = os.openpty()
    arguments = ["book", "connect-four(6, 5)", path, "--plies", "5", "--json"]
    with subprocess.Popen(
        [*OUTPLAY, *arguments],
        stdout=subprocess.PIPE,
        stderr=end,
        text=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    ) as running:
        os.close(end)
        shown = ""
        while not re.search(r"position [2-9]", shown):
            shown += os.read(terminal, 10_000).decode()
        running.send_signal(signal.SIGINT)
        data = json.loads(running.communicate(timeout=PATIENCE)[0])
        os.close(terminal)
    assert running.returncode == 130
    assert data["stopped"] == "interrupted"
    assert 1 <= data["new"] == data["proved"] < data["positions"]
    book = Book.load(path, ConnectFour(6, 5))
    assert len(book) == data["book"] >= data["new"]


# -- several processes, and what goes wrong while saving --------------------------------------------------------------


def entries(game, *states, value=0.0, kind="exact", **more):
    book = Book(game)
    for state in states:
        book.put(state, BookEntry(value=value, kind=kind, action=legal_actions(game, state)[0], **more))
    return book


def test_merging_keeps_the_better_entry_of_each_position(tmp_path):
    game, path = TicTacToe(), tmp_path / "a.book"
    first, second, third = (after(game, square) for square in (0, 1, 4))
    deep = entries(game, first, kind="estimate", depth=9)
    shallow = entries(game, first, second, kind="estimate", depth=3)
    proved = entries(game, second, third)
    deep.save(path)
    shallow.save(path, merge=True)
    proved.save(path, merge=True)
    merged = Book.load(path, game)
    assert merged == proved
    assert len(merged) == 3
    known = [merged.look_up(game, state) for state in (first, second, third)]
    assert [(each.kind, each.depth) for each in known] == [("estimate", 9), ("exact", 0), ("exact", 0)]
    assert merged.look_up(game, after(game, 8)).depth == 9  # the image of a corner
    shallow.save(path)  # without merging the file is replaced
    assert Book.load(path, game) == shallow


@pytest.mark.parametrize(
    ("mine", "theirs", "fits"),
    [
        (("exact", 1), ("exact", 0), False),
        (("exact", 1), ("lower", 0), True),
        (("exact", 0), ("lower", 1), False),
        (("upper", 0), ("lower", 1), False),
        (("upper", 1), ("lower", 1), True),
        (("exact", 0), ("estimate", 1), True),
        (("exact", 0.1 + 0.2), ("exact", 0.3), True),
    ],
)
def test_what_cannot_both_be_true_is_not_merged(tmp_path, mine, theirs, fits):
    game, path = TicTacToe(), tmp_path / "a.book"
    state = after(game, 0)
    book = entries(game, state, kind=mine[0], value=mine[1])
    entries(game, state, after(game, 4), kind=theirs[0], value=theirs[1]).save(path)
    before = path.read_bytes()
    if fits:
        book.save(path, merge=True)
        assert len(Book.load(path, game)) == 2
    else:
        with pytest.raises(BookError, match=r"a\.book cannot be merged: position .* here and .* there: one of the"):
            book.save(path, merge=True)
        assert path.read_bytes() == before
        assert len(book) == 1


@pytest.mark.nightly
def test_two_runs_on_one_file_lose_nothing(tmp_path):
    path = tmp_path / "ttt.book"
    run("book", "tic-tac-toe", path, "--plies", 0)
    often = "import outplay.system.files as f; f.SAVE_EVERY = 0.01; from outplay.cli.main import run; run()"
    command = [sys.executable, "-c", often, "book", "tic-tac-toe", path, "--json", "--plies", "3", "--moves"]
    both = [subprocess.Popen([*command, moves], stdout=subprocess.PIPE, text=True) for moves in ("a1", "b2")]
    found = [json.loads(process.communicate(timeout=PATIENCE)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    game = TicTacToe()
    book = Book.load(path, game)
    for square in (game.parse_action(game.initial_state(), name) for name in ("a1", "b2")):
        for state in (state for ply in positions(game, 3, after(game, square)) for state in ply):
            assert state in book
    assert len(book) >= max(data["book"] for data in found)
    assert [each.name for each in tmp_path.iterdir()] == ["ttt.book"]


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_sigterm_keeps_what_is_found(tmp_path):
    path = tmp_path / "four.book"
    often = "import outplay.system.files as f; f.SAVE_EVERY = 0.01; from outplay.cli.main import run; run()"
    arguments = ["book", "connect-four(6, 5)", path, "--plies", "5", "--json"]
    with subprocess.Popen([sys.executable, "-c", often, *arguments], stdout=subprocess.PIPE, text=True) as running:
        while not path.exists() or len(path.read_text().splitlines()) < 6:
            assert running.poll() is None
            time.sleep(0.01)
        running.terminate()
        data = json.loads(running.communicate(timeout=PATIENCE)[0])
    assert running.returncode == 143
    assert len(Book.load(path, ConnectFour(6, 5))) == data["book"] >= data["new"] >= 1


def test_what_cannot_be_saved_in_the_book_is_saved_beside_it(tmp_path, monkeypatch):
    game, path = TicTacToe(), tmp_path / "ttt.book"
    run("book", "tic-tac-toe", path, "--plies", 0)
    search = AlphaBeta.search

    def search_while_another_book_comes(*arguments, **options):
        entries(game, after(game, 4), value=-1).save(path)  # b2 is a draw
        return search(*arguments, **options)

    monkeypatch.setattr(AlphaBeta, "search", search_while_another_book_comes)
    result = CliRunner().invoke(app, ["book", "tic-tac-toe", str(path), "--plies", "1"])
    assert result.exit_code == 2
    beside = tmp_path / f"ttt.book.{os.getpid()}"
    assert "cannot be merged: position" in result.stderr
    assert f"what was found is in {beside}" in result.stderr
    assert "3 searched now" in result.stdout
    assert len(Book.load(beside, game)) == 4
    assert len(Book.load(path, game)) == 1


def test_a_book_is_saved_while_a_search_goes_on(tmp_path, monkeypatch):
    """Else what was found in the minute before a long search could be lost in its hours."""
    path, sizes = tmp_path / "ttt.book", []
    monkeypatch.setattr("outplay.system.files.SAVE_EVERY", 0.0)
    search = AlphaBeta.search

    def search_and_show(self, state, limit, progress):
        progress(search(self, state, limit))
        sizes.append(len(Book.load(path, TicTacToe())))
        return search(self, state, limit)

    monkeypatch.setattr(AlphaBeta, "search", search_and_show)
    run("book", "tic-tac-toe", path, "--plies", 2)
    assert sizes == list(range(16))


def test_a_full_disk_loses_no_book(tmp_path, monkeypatch):
    path = tmp_path / "ttt.book"
    run("book", "tic-tac-toe", path, "--plies", 0)
    before = path.read_bytes()
    search = AlphaBeta.search

    def full(*_):
        raise OSError(28, "No space left on device")

    def search_while_the_disk_gets_full(*arguments, **options):
        monkeypatch.setattr("os.fsync", full)
        return search(*arguments, **options)

    monkeypatch.setattr(AlphaBeta, "search", search_while_the_disk_gets_full)
    result = CliRunner().invoke(app, ["book", "tic-tac-toe", str(path), "--plies", "1"])
    assert result.exit_code == 2
    assert "ttt.book cannot be written: No space left on device; the old file is unchanged" in result.stderr
    assert "3 searched now" in result.stdout
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["ttt.book"]


class Pile(Game):
    """Take 1 to 3 from five; who takes the last one wins, or loses."""

    utilities = (-1, 1)

    def initial_state(self):
        return (5, 0)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return range(1, min(3, state[0]) + 1)

    def result(self, state, taken):
        return (state[0] - taken, 1 - state[1])

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return -1 if state[1] == player else 1


def misere(self, state, player):
    return 1 if state[1] == player else -1


def test_a_book_of_other_rules_is_refused(tmp_path, monkeypatch):
    """In a file, whose rules may have been edited since, and in a process."""
    path = tmp_path / "pile.book"
    book = Book(Pile(), AlphaBeta(Pile()).search_many([(5, 0)]))
    book.save(path)
    assert AlphaBeta(Pile(), books=[Book.load(path, Pile())]).search().verdict == "win in 3"
    monkeypatch.setattr(Pile, "utility", misere)
    with pytest.raises(BookError, match=r"line 3: the rules of Pile.. have changed"):
        Book.load(path, Pile())
    with pytest.raises(BookError, match=r"the rules of Pile.. have changed since this book was made"):
        AlphaBeta(Pile(), books=[book]).search()
    monkeypatch.undo()
    assert AlphaBeta(Pile(), books=[book]).search().verdict == "win in 3"
