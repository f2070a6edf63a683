"""Outplay's own alpha-beta step by step: the steps follow from the pseudo-code and hold what the trace holds."""

import math
import re
from dataclasses import replace

import pytest
from engine.test_trace import SELECTIVE, Round, Wild
from pictures.test_step_pages import browser, data_of, number  # noqa: F401 - a fixture
from shared.hashed_game import Hashed, Hinted, Lonely, Seeded, WinLossHashed, interpreted

from outplay import AlphaBeta, Limit, Margins, MTDf, Trace
from outplay.engine import trace_kernels
from outplay.games import ConnectFour, ExplicitTree, TicTacToe
from outplay.search.pseudo_code import in_words, pseudo_code
from outplay.search.recording_steps import MAX_STEP_NODES
from outplay.search.steps.iteration import Iteration

PROBCUT = {"probcut": True, "margins": Margins(futility=(1, 1), probcut=0.5)}
SEARCHES = [
    (Hashed, {}),
    (Hashed, {"table_mb": 0, "hints": False, "null_window": False}),
    (Hashed, {"order": False, "killers": True}),
    (WinLossHashed, {}),
    (WinLossHashed, {"table_mb": 0}),
    (Hinted, {}),
    (Lonely, {}),
    (Wild, {}),
    (Wild, SELECTIVE),
    (Wild, {"late_move_reductions": True}),
    (Wild, {"selective": True, "quiescence": False}),
    (Wild, PROBCUT),
]


def traced(search, state=None, limit=None, size=10_000):
    trace = Trace(size)
    search.search(state, limit, trace=trace)
    return trace


def iterations(trace, plies=99):
    """Every iteration, after all its steps were made."""
    recording = trace.recording
    lines = pseudo_code(recording.how.techniques, recording.game, recording.how.beam, recording.iterations())
    for depth in recording.iterations():
        found = Iteration(
            recording, recording.how.techniques, recording.drawing(depth), plies, lines, 0, None, is_last=False
        )
        found.all()
        yield found


def every_trace():
    for rules, options in SEARCHES:
        game = interpreted(rules)
        for seed in range(0, 24, 3):
            for kind in (AlphaBeta, MTDf):
                yield traced(kind(game, check=False, **options), Seeded(seed, 0, 0), Limit(depth=4, nodes=400))
            trace = Trace()
            AlphaBeta(game, check=False, **options).analyse(Seeded(seed, 0, 0), Limit(depth=2), trace=trace)
            yield trace
    yield traced(AlphaBeta(interpreted(Round)), None, Limit(depth=6))
    yield traced(AlphaBeta(interpreted(TicTacToe)), None, Limit(depth=5))


@pytest.fixture(scope="module")
def traces():
    return [trace for trace in every_trace() if len(trace)]


# -- laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_steps_reproduce_the_recorded_windows_and_values(traces):
    """From the root's window on, the pseudo-code gives every window; values follow from those below."""
    values = 0
    for trace in traces:
        for iteration in iterations(trace):
            assert iteration.unexplained == 0
            values += sum(step.done for step in iteration.steps)
    assert values > 5000


def test_every_number_on_the_page_is_that_of_the_trace(traces):
    entries = 0
    for trace in traces:
        if trace[-1].why == "stopped":
            continue
        for iteration in iterations(trace):
            entered, returned, told = {}, {}, {}
            for step in iteration.steps:
                if iteration.shown[step.node] is not None:
                    if step.window is not None:
                        entered.setdefault(step.node, step.window)
                    told.setdefault(step.node, []).append(step.say)
                    if step.done and "The value to depth" not in step.say:
                        assert step.node not in returned
                        returned[step.node] = step.v
            for node, visit in enumerate(iteration.shown):
                if visit is None:
                    continue
                worth = iteration.drawing.columns(visit, 99)[0].replace("-", "−")
                assert returned[node] == worth
                if visit.player is not None and trace.game.__class__ is not WinLossHashed and "in" not in worth:
                    for text, bound in zip(entered[node], (visit.alpha, visit.beta), strict=True):
                        if " in " not in text:
                            value = number(re.sub("[+−]ε$", "", text).replace("draw", "0"))
                            assert value == pytest.approx(bound, rel=1e-3, abs=1e-9)
                table = visit.details.table
                if table is not None and visit.why not in ("stopped",):
                    say = next(say for say in told[node] if "The table has" in say)
                    assert f"depth {table.depth})" in say
                    assert ("mirror image" in say) == table.mirrored
                    entries += 1
    assert entries > 500


def test_an_entry_that_answers_is_deep_enough_and_decides(traces):
    answered = 0
    for trace in traces:
        for visit in trace:
            if visit.why != "table":
                continue
            table, details = visit.details.table, visit.details
            answered += 1
            assert table.value == pytest.approx(visit.value)
            assert table.exact == visit.exact
            assert table.exact or table.depth >= visit.depth + details.extended
            alpha, beta = details.window
            if table.bound == "upper":
                assert table.score <= alpha or (visit.alpha, visit.value) == (-math.inf, min(trace.game.utilities))
            elif table.bound == "lower":
                assert table.score >= beta or (visit.beta, visit.value) == (math.inf, max(trace.game.utilities))
    assert answered > 200


@pytest.mark.nightly
def test_the_same_is_recorded_by_compiled_code():
    limit = Limit(depth=5)
    fast = traced(AlphaBeta(TicTacToe()), None, limit)
    slow = traced(AlphaBeta(interpreted(TicTacToe)), None, limit)
    assert fast.as_dict()["visits"] == slow.as_dict()["visits"]
    assert any("details" in visit and visit["details"]["table"] for visit in fast.as_dict()["visits"])


def test_without_a_trace_nothing_is_recorded():
    """So compiled code, for which this is decided before, has none of it."""

    class Off:
        trace = False

    for name, arguments in {
        "record_note": 1, "record_window": 2, "record_entry": 3, "record_estimate": 1, "record_futile": 1,
        "record_order": 1, "record_reason": 1,
    }.items():  # fmt: skip
        getattr(trace_kernels, name).interpreted(Off, None, *[0] * arguments)


# -- what each technique does -----------------------------------------------------------------------------------------


def told(trace, **keywords):
    steps = trace.steps(**keywords)
    return [(steps.code[step.line].strip(), step.say) for step in steps.steps], steps


def test_the_steps_of_the_figure():
    trace = traced(AlphaBeta(ExplicitTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])))
    said = [say for _, say in told(trace)[0]]
    assert said[
        said.index(
            "Iteration to depth 8 begins. The last one, to depth 1, found ~0; its best action, 1, comes first now."
        ) :
    ][:4] == [
        "Iteration to depth 8 begins. The last one, to depth 1, found ~0; its best action, 1, comes first now.",
        "First window: (0−ε, 0+ε): is the value 0 again, as the last two iterations found?",
        "MAX is to move, depth 8, with the window (0−ε, 0+ε).",
        "1 is searched with the window (0−ε, 0+ε).",
    ]
    assert "v = 3 ≥ β = 0+ε: that answers the question of this window." in said
    assert "Second window: (3, +∞): where the value is now known to be." in said
    assert "2 need only be compared: is it worth more than 3? A null window suffices." in said
    assert "Pruned, and so not searched: 2 (4), 3 (6)." in said
    assert said[-1] == "The value to depth 8 is 3; the best action is 1. It is proved, so the search ends."


WILD, HASHED, TIC = interpreted(Wild), interpreted(Hashed), interpreted(TicTacToe)
FUTILITY = {"futility": True, "margins": Margins(futility=(0.1, 0.1), probcut=1)}
TOLD = {
    "beam": (WILD, {"beam": 2}, 3, "if 2 were tried: break", "the beam leaves out the others"),
    "futility": (WILD, FUTILITY, 4, "evaluate + margin", "left out as futile"),
    "null move": (WILD, {"null_move": True}, 4, "pass ≥ β", "Even a pass is worth"),
    "probcut": (HASHED, PROBCUT, 8, "far off", "so that is likely: the state is given up"),
    "late": (TIC, {"late_move_reductions": True}, 5, "from the 4th", "less deep, since it comes late"),
    "again as deep": (
        TIC,
        {"late_move_reductions": True},
        6,
        "if less deep and w > α",
        "was searched less deep",
    ),
    "again": (HASHED, {}, 5, "if α < w < β: again", "again with the whole window"),
    "quiescence": (WILD, {}, 3, "def quiet(", "in the quiescence search"),
    "stand pat": (WILD, {}, 3, "v = evaluate(state); if quiet", "noisy actions may be better"),
    "extension": (WILD, {}, 3, "if needs_extension", "The state needs an extension"),
    "killers": (HASHED, {"killers": True}, 5, "first e's action, order, killers", ", a killer,"),
    "repetition": (interpreted(Round), {}, 6, "if state is on the path: return a draw", "one on the path"),
    "forced result": (interpreted(Hinted), {}, 3, "forced_result", "the rules know how this ends"),
    "symmetry": (TIC, {}, 5, "its mirror image", "mirror image of this state"),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", TOLD)
def test_each_technique_has_a_line_and_is_told(name):
    game, options, depth, line, say = TOLD[name]
    states = [None]
    if isinstance(game, Hashed) and not isinstance(game, Round):
        states = [Seeded(seed, 0, 0) for seed in range(3, 60, 4)]
    found = False
    for state in states:
        trace = traced(AlphaBeta(game, check=False, **options), state, Limit(depth=depth, nodes=2000))
        if len(trace):
            said, steps = told(trace)
            assert any(line in each for each in steps.code)
            found = found or any(say in each for _, each in said)
    assert found
    without = AlphaBeta(HASHED, null_window=False, hints=False, killers=False)
    assert not any(line in each for each in traced(without, Seeded(3, 0, 0), Limit(depth=2)).steps().code)


def test_windows_of_mtdf():
    said, steps = told(traced(MTDf(HASHED), Seeded(3, 0, 0), Limit(depth=3)))
    assert any("first: β = the last value" in each for each in steps.code)
    assert any("is the value at least" in say for _, say in said)


def test_what_is_on_is_said():
    trace = traced(AlphaBeta(interpreted(Wild), **SELECTIVE), Seeded(1, 0, 0), Limit(depth=2))
    mode = trace.steps().mode
    for part in (
        "null windows",
        "quiescence",
        "extensions",
        "a beam of 3",
        "late move reductions",
        "null moves",
        "futility",
    ):
        assert part in mode
    plain = traced(AlphaBeta(interpreted(Hashed), null_window=False), Seeded(1, 0, 0), Limit(depth=2)).steps().mode
    assert "null windows" not in plain
    assert "beam" not in plain
    techniques = replace(trace.recording.how.techniques, null_move=False)
    assert "null moves" not in in_words(techniques, trace.game, 3, 1)
    assert "2 threads" in in_words(techniques, trace.game, 3, 2)


# -- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_large_searches_are_folded_and_say_so():
    trace = traced(AlphaBeta(interpreted(TicTacToe)), None, Limit(depth=5))
    said, steps = told(trace)
    assert len(steps.nodes()) <= MAX_STEP_NODES
    assert any(re.search(r", of which \d pl(y is|ies are) shown", tree.title) for _, tree in steps.trees())
    assert any(re.search(r"\d+ visits below are not shown; they return .* \(cut\)\.", say) for _, say in said)
    assert [depth for _, tree in steps.trees() for depth in re.findall(r"to depth (\d)", tree.title)] == list("12345")
    [(first, tree)] = trace.steps(iteration=4).trees()
    assert (first, tree.title[:18]) == (0, "Iteration to depth"[:18])
    with pytest.raises(ValueError, match=r"Trace.steps\(9\): choose a recorded depth: 1, 2, 3, 4, 5"):
        trace.steps(iteration=9)
    long = traced(AlphaBeta(ConnectFour()), None, Limit(nodes=60_000), size=100_000)
    with pytest.raises(ValueError, match=r"99 plies are .* states, and a page shows 10,000: choose fewer plies"):
        long.steps(99)
    assert len(long.steps().nodes()) <= MAX_STEP_NODES + 60


def test_many_windows_are_folded(monkeypatch):
    monkeypatch.setattr("outplay.search.steps.tree.MAX_WINDOWS", 2)
    trace = traced(MTDf(HASHED), Seeded(5, 0, 0), Limit(depth=4))
    said, steps = told(trace)
    roots = [sum(visit.parent is None for visit in trace if visit.iteration == depth) for depth in (1, 2, 3, 4)]
    assert max(roots) == 3
    shown = [len(tree.nodes[0].children) for _, tree in steps.trees()]
    assert all(here == 2 for here, number in zip(shown, roots, strict=True) if number == 3)
    assert [say for _, say in said if "more window" in say] == ["1 more window is not shown."] * roots.count(3)
    assert said[-1][1].startswith("The value to depth 4 is")


def test_a_full_trace_shows_the_iterations_that_are_whole():
    trace = traced(AlphaBeta(interpreted(TicTacToe)), None, Limit(depth=5), size=400)
    _, steps = told(trace)
    assert f"{trace.dropped:,} more not recorded" in steps.heading()
    assert "The trace was full" in steps.steps[-1].say
    depths = [depth for _, tree in steps.trees() for depth in re.findall(r"to depth (\d)", tree.title)]
    assert depths == list("1234"[: len(depths)])
    only = traced(AlphaBeta(interpreted(TicTacToe)), None, Limit(depth=5), size=12)
    assert any("The trace was full here." in say for _, say in told(only, iteration=2)[0])


def test_a_stopped_search():
    trace = traced(AlphaBeta(interpreted(TicTacToe)), None, Limit(nodes=40))
    said = [say for _, say in told(trace)[0]]
    assert "The search was stopped here." in said
    assert said[-1] == "The search was stopped before the end of this iteration."


def test_steps_of_a_trace_from_a_file(tmp_path):
    searcher = AlphaBeta(interpreted(TicTacToe))
    trace = traced(searcher, None, Limit(depth=3))
    trace.save(tmp_path / "a.json")
    again = Trace.load(tmp_path / "a.json", searcher)
    assert [step.say for step in again.steps().steps] == [step.say for step in trace.steps().steps]


# -- in a browser -----------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_page_in_a_browser(browser, tmp_path):  # noqa: F811
    """Forward and back 200 times over three iterations: one tree at a time, with the numbers that the steps hold."""
    trace = traced(AlphaBeta(interpreted(TicTacToe)), None, Limit(depth=3))
    steps = trace.steps()
    trace.save(tmp_path / "a.html")
    data = data_of((tmp_path / "a.html").read_text("utf-8"))
    assert len(data["steps"]) == len(steps.steps) > 400
    browser.get((tmp_path / "a.html").as_uri())

    def check(now):
        step = steps.steps[now]
        say, title, mode, code, seen, path = browser.execute_script(
            "const texts = group => [...group.querySelectorAll('text:not(.n text)')].map(text => text.textContent);"
            "const shown = [...document.querySelectorAll('figure')].filter(each => each.offsetHeight > 0);"
            "return [document.getElementById('say').textContent,"
            " shown.map(each => each.querySelector('figcaption').textContent).join(),"
            " document.getElementById('mode').textContent, document.querySelector('#code .now').textContent,"
            " Object.fromEntries([...document.querySelectorAll('g[id]:not(.unseen)')].map(g => [g.id, texts(g)])),"
            " [...document.querySelectorAll('#path tr')].map(row => [...row.children].map(cell => cell.textContent))]"
        )
        assert (say, mode, code) == (step.say, steps.mode, steps.code[step.line])
        assert title == next(tree.title for first, tree in reversed(steps.trees()) if first <= step.node)
        expected = steps.seen(now)
        assert seen.keys() == {f"n{node}" for node in expected}
        for node, texts in expected.items():
            if steps.captions[node].label:
                assert [text for text in seen[f"n{node}"] if text] == texts
        if step.window is not None:
            assert path[-1][2:] == list(step.window)

    for now in range(200):
        browser.execute_script("document.getElementById('next').click()")
        if now % 8 == 7:
            check(now + 1)
    for now in range(199, -1, -1):
        browser.execute_script("document.getElementById('back').click()")
        if now % 8 == 0:
            check(now)
    for now in range(0, len(steps.steps), 25):
        browser.execute_script("go(arguments[0])", now)
        check(now)
    assert browser.get_log("browser") == []
