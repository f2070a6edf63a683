"""The page that shows a search step by step: what it is given, and what it does in a browser."""

import json
import re
import shutil
from io import StringIO

import pytest
from rich.console import Console
from shared.hashed_game import Chancy, Crowd, Hashed, Seeded, interpreted

from outplay import MCTS, AlphaBeta, Expectiminimax, Limit, MaxN, Minimax, OutplayError, Trace
from outplay.cli.step import step_screen
from outplay.games import ExplicitTree, TicTacToe
from outplay.pictures.game_page import game_page

FIGURE = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]


def traced(kind, game, state=None, limit=None, **options):
    trace = Trace()
    kind(game, textbook=True, **options).search(state, limit, trace=trace)
    return trace


def saved(trace, path, **options):
    trace.save(path, **options)
    return path.read_text("utf-8")


def data_of(text):
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1])


def number(text):
    return float(text.replace("−", "-").replace("∞", "inf").replace("~", "").removeprefix("≤ ").removeprefix("≥ "))


def test_the_steps_of_the_figure(tmp_path):
    data = data_of(saved(traced(AlphaBeta, ExplicitTree(FIGURE)), tmp_path / "a.html"))
    lines = [(data["code"][step["line"]].strip(), step["say"]) for step in data["steps"]]
    assert lines[0] == ("def value(state, α, β):", "MAX is to move, with the window (−∞, +∞).")
    assert lines[1] == ("def value(state, α, β):", "After 1, MIN is to move, with the window (−∞, +∞).")
    assert ("if v ≤ α: return v", "v = 2 ≤ α = 3: MAX has something as good elsewhere.") in lines
    assert ("if v ≤ α: return v", "Nothing depends on 2 (4), 3 (6): not searched.") in lines
    assert ("α = max(α, v)", "α becomes 3: MAX is sure of that here.") in lines
    assert ("v = max(v, w)", "2 is worth at most 2: v stays 3.") in lines
    assert lines[-1] == ("return v", "All actions are searched: the root is worth 3.")
    assert len(lines) == 30


@pytest.mark.parametrize(
    ("kind", "rules"), [(AlphaBeta, Hashed), (Minimax, Hashed), (Expectiminimax, Chancy), (MaxN, Crowd)]
)
def test_the_steps_hold_what_the_trace_holds(kind, rules, tmp_path):
    """Every visit is entered with its window, in the order of the trace, and returns its value."""
    game = interpreted(rules)
    for seed in range(12):
        trace = traced(kind, game, Seeded(seed, 0, 0), Limit(depth=3))
        data = data_of(saved(trace, tmp_path / "a.html", plies=99))
        shown = [at for at, node in enumerate(data["nodes"]) if not node.get("cut")]
        entered, returned = {}, {}
        for step in data["steps"]:
            if not data["nodes"][step["node"]].get("cut"):
                entered.setdefault(step["node"], step)
                if step["done"]:
                    assert step["node"] not in returned
                    returned[step["node"]] = step["v"]
        assert list(entered) == shown == list(range(len(trace)))
        assert returned.keys() == entered.keys()
        for visit, node in zip(trace, shown, strict=True):
            parent = data["nodes"][node]["parent"]
            assert parent == (-1 if visit.parent is None else visit.parent)
            window = entered[node].get("window")
            if window is not None:
                assert list(map(number, window)) == pytest.approx([visit.alpha, visit.beta], rel=1e-3)
            assert (window is not None) == (data["windows"] and visit.player not in (None, -1))
            if visit.values is None:
                assert number(returned[node]) == pytest.approx(visit.value, rel=1e-3)
            else:
                values = [float(each) for each in returned[node].strip("~()").split(", ")]
                assert values == pytest.approx(visit.values, rel=1e-3)
        cuts = [step for step in data["steps"] if data["nodes"][step["node"]].get("cut")]
        assert len(cuts) == sum(bool(visit.skipped) for visit in trace)


def test_chance_at_the_root_and_what_was_not_recorded(tmp_path):
    game = ExplicitTree({"player": "chance", "children": [[1, 2], 8], "probabilities": [0.75, 0.25]})
    for kind, sums in ((Expectiminimax, ["1.5", "3.5"]), (MaxN, ["(1.5, -1.5)", "(3.5, -3.5)"])):
        steps = data_of(saved(traced(kind, game), tmp_path / "a.html"))["steps"]
        assert steps[0]["say"] == "Chance is to move."
        assert [step["v"] for step in steps if "the sum so far" in step["say"]] == sums
    trace = Trace(5)
    Minimax(TicTacToe(), textbook=True).search(None, Limit(depth=2), trace=trace)
    assert "<title>Minimax(textbook=True), 5 visits, 77 more not recorded</title>" in saved(trace, tmp_path / "a.html")
    trace = traced(AlphaBeta, TicTacToe(), limit=Limit(nodes=5))
    assert data_of(saved(trace, tmp_path / "a.html"))["steps"][-1]["say"] == "The search was stopped here."


def test_what_is_not_shown_returns_at_once(tmp_path):
    trace = traced(Minimax, TicTacToe(), limit=Limit(depth=3))
    data = data_of(saved(trace, tmp_path / "a.html", plies=1))
    assert len(data["nodes"]) == 10
    assert sum("64 states below are not shown; they return" in step["say"] for step in data["steps"]) == 9
    assert len(data_of(saved(trace, tmp_path / "a.html"))["nodes"]) <= 250
    assert data["nodes"][0]["board"].startswith("3 . . .\n")


def test_a_page_asks_no_host_and_cannot_be_broken_by_names(tmp_path):
    tree = {"name": "</script><b>", "names": ["<!--", "$x"], "children": [1, {"name": "${y}", "children": [2]}]}
    game = ExplicitTree(tree)
    text = saved(traced(AlphaBeta, game), tmp_path / "a.htm")
    assert set(re.findall(r"https?://[^\s\"'<]*", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=", text)
    assert text.count("</script>") == 2
    assert [node["name"] for node in data_of(text)["nodes"]] == ["</script><b>", "", "${y}", ""]


def test_what_cannot_be_saved(tmp_path):
    trace = Trace()
    with pytest.raises(ValueError, match="nothing was searched"):
        trace.save(tmp_path / "a.html")
    AlphaBeta(ExplicitTree(FIGURE)).search(trace=trace)
    with pytest.raises(ValueError, match="only textbook=True has steps"):
        trace.save(tmp_path / "a.html")
    with pytest.raises(OutplayError, match=r"saved as \.json or \.html"):
        trace.save(tmp_path / "a.svg")


# -- in the terminal --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(80, 24), (80, 15), (130, 24)])
def test_the_running_line_is_on_every_screen(width, height):
    """The pseudo-code of MIN is below that of MAX: it scrolls, as the tree does."""
    steps = traced(AlphaBeta, interpreted(ExplicitTree, FIGURE)).steps()
    for number, step in enumerate(steps.steps):
        console = Console(width=width, height=height, file=StringIO(), force_terminal=True, color_system="standard")
        console.print(step_screen(steps, number, width, height))
        lines = console.file.getvalue().splitlines()
        assert len(lines) <= height
        running = [line for line in lines if "\x1b[7m" in line]  # reverse, and not bold as in the tree
        assert any(steps.code[step.line].strip()[:20] in line for line in running), (number, running)


# -- in a browser -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, where it is installed."""
    webdriver = pytest.importorskip("selenium.webdriver")
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("no chromium and chromedriver")
    options = webdriver.ChromeOptions()
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "window-size=1280,800"):
        options.add_argument(f"--{argument}")
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.mark.nightly
def test_the_page_in_a_browser(browser, tmp_path):
    """Forward and back 200 times, with the windows of the trace, without an error and without a request."""
    state = TicTacToe().initial_state()
    for name in ("a1", "b2", "c3"):
        state = TicTacToe().result(state, TicTacToe().parse_action(state, name))
    trace = traced(AlphaBeta, TicTacToe(), state)
    data = data_of(saved(trace, tmp_path / "a.html", plies=99))
    browser.get((tmp_path / "a.html").as_uri())

    def state_of_page():
        return browser.execute_script(
            "return [document.getElementById('count').textContent, document.getElementById('say').textContent,"
            " [...document.querySelectorAll('#path tr')].map(row => [...row.children].map(cell => cell.textContent)),"
            " document.querySelectorAll('svg g[id]:not(.unseen)').length,"
            " document.querySelector('#code .now').textContent]"
        )

    def expected(step):
        seen = {}
        for each in data["steps"][: step + 1]:
            v, window = seen.get(each["node"], ("", ["", ""]))
            seen[each["node"]] = each.get("v", v), each.get("window", window)
        path, node = [], data["steps"][step]["node"]
        while node >= 0:
            if not data["nodes"][node].get("cut"):
                path.insert(0, [data["nodes"][node]["label"], seen[node][0], *seen[node][1]])
            node = data["nodes"][node]["parent"]
        now = data["steps"][step]
        return [f"step {step + 1} of {len(data['steps'])}", now["say"], path, len(seen), data["code"][now["line"]]]

    assert len(data["steps"]) > 210
    assert state_of_page() == expected(0)
    for step in range(1, 201):
        browser.execute_script("document.getElementById('next').click()")
        if step % 10 == 0:
            assert state_of_page() == expected(step)
    for step in range(199, -1, -1):
        browser.execute_script("document.getElementById('back').click()")
        if step % 10 == 0:
            assert state_of_page() == expected(step)
    body = browser.find_element("tag name", "body")
    body.send_keys("\ue010")  # End
    assert state_of_page() == expected(len(data["steps"]) - 1)
    body.send_keys("\ue011")  # Home
    body.send_keys("\ue014")  # right
    assert state_of_page() == expected(1)
    assert browser.get_log("browser") == []
    asked = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = {each["params"]["request"]["url"] for each in asked if each["method"] == "Network.requestWillBeSent"}
    assert {url.partition(":")[0] for url in urls} <= {"file", "data"}


@pytest.mark.nightly
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_of_a_game_fits_and_can_be_read(width, browser, tmp_path):
    """It is not wider than the window, and in the dark the texts on the board are as bright as those around it."""
    game = TicTacToe()
    states = [game.initial_state()]
    for action in (4, 0, 8):
        states.append(game.result(states[-1], action))
    lines = [(f"{place + 1}.", "b2", "AlphaBeta, depth 9", "+0.50", "depth 9", "0.01 s") for place in range(3)]
    page = game_page(game, "A – B", states, [4, 0, 8], lines, [0.5, -0.5, 0.5], ["A", "B"])
    (tmp_path / "game.html").write_text(page, "utf-8")
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    try:
        browser.get((tmp_path / "game.html").as_uri())
        wide, inks, curves = browser.execute_script(
            "const ink = text => getComputedStyle(text);"
            "return [document.documentElement.scrollWidth,"
            " [ink(document.body).color, ink(document.querySelector('main text:last-of-type')).fill],"
            " document.querySelectorAll('#values .curve').length]"
        )
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert wide == width
    assert inks[0] == inks[1] == "rgb(230, 237, 243)"
    assert curves == 2


@pytest.mark.nightly
def test_the_page_of_simulations_in_a_browser(browser, tmp_path):
    """Every fifth step shows the numbers of the nodes and the table that the steps hold, forward and back."""
    trace = Trace()
    MCTS(interpreted(TicTacToe), seed=4).search(None, Limit(simulations=40), trace=trace)
    steps = trace.steps()
    trace.save(tmp_path / "a.html")
    browser.get((tmp_path / "a.html").as_uri())

    def check(now):
        say, nodes, rows, marked = browser.execute_script(
            "const texts = group => [...group.querySelectorAll('text:not(.n text)')].map(text => text.textContent);"
            "return [document.getElementById('say').textContent,"
            " Object.fromEntries([...document.querySelectorAll('svg g[id]:not(.unseen)')].map(g => [g.id, texts(g)])),"
            " [...document.querySelectorAll('#path tr')].map(row => [...row.children].map(cell => cell.textContent)),"
            " [...document.querySelectorAll('#path tr')].findIndex(row => row.className === 'marked')]"
        )
        step = steps.steps[now]
        assert say == step.say
        seen = steps.seen(now)
        assert nodes.keys() == {f"n{node}" for node in seen}
        for node, texts in seen.items():
            if texts:
                assert list(filter(None, nodes[f"n{node}"])) == list(filter(None, texts))
        if step.table is not None:
            assert rows == [list(row) for row in step.table[2]]
            assert marked == (-1 if step.marked is None else step.marked)

    assert len(steps.steps) > 100
    forward = list(range(0, len(steps.steps), 5))
    for now in [*forward, *reversed(forward)]:
        browser.execute_script("go(arguments[0])", now)
        check(now)
    assert browser.get_log("browser") == []
