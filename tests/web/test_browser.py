"""The page of `outplay serve` in a real browser: games by clicks and by keys, links, set-up, records, values."""

import re
import time
from pathlib import Path
from random import Random

import pytest

from outplay.games import BUILT_IN, ConnectFour
from outplay.session import Session
from web.browser import PageInBrowser, open_browser, serve

pytestmark = pytest.mark.nightly
pytest.importorskip("starlette")

HEXAPAWN = Path(__file__).parents[2] / "examples" / "hexapawn.py"
SMALL_STAR = "chinese-checkers(camp=3)"
NEEDS_PARAMETERS = "explicit-tree"


@pytest.fixture(scope="module")
def address():
    """A server with the built-in games, hexapawn and a small star."""
    server, address = serve(HEXAPAWN, SMALL_STAR)
    yield address
    server.terminate()
    server.wait(10)


@pytest.fixture
def open_page(address):
    """Opens pages; in the end, none may have written an error or asked another host."""
    pages = []

    def open_one(width=1280, height=800, **looks):
        pages.append(PageInBrowser(open_browser(width, height, **looks), address))
        return pages[-1]

    yield open_one
    faults = [fault for page in pages for fault in page.faults()]
    for page in pages:
        page.browser.quit()
    assert faults == []


# -- whole games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "level"),
    [
        ("connect-four", "alpha-beta(level=3)"),
        ("hexapawn.py", "alpha-beta(level=3)"),
        ("chess", "alpha-beta(level=5)"),
        ("backgammon", "expectiminimax(level=2)"),
        (SMALL_STAR, "alpha-beta(level=3)"),
    ],
)
def test_a_game_against_the_search_is_played_to_its_end_by_clicks(open_page, game, level):
    page = open_page()
    page.start(game, level=level)
    end = page.click_on_anything(Random(1))
    assert re.search("wins|draw|1-0|0-1|1/2", end), end
    assert len(page.moves()) >= 4


def test_go_is_played_to_its_end_by_clicks(open_page):
    page = open_page()
    page.start("go", level="mcts(level=2)")
    page.click_on_anything(Random(1), most=10)
    end = page.click_on_anything(Random(1), prefer=["pass"])
    assert "win" in end
    assert "pass" in page.moves()


def test_kuhn_poker_in_two_windows_shows_each_seat_its_own_card_alone(open_page):
    pages = first, second = open_page(), open_page(390, 844, dark=True)
    first.start("kuhn-poker", opponent="link")
    link = first.wait("dialog .link input").get_attribute("value")
    first.find("dialog header button").click()
    second.browser.get(link)
    second.wait(".status strong")
    seen = [page.text(".board") for page in pages]
    assert seen[0] != seen[1]  # K, Q or J
    random = Random(1)
    while first.now()["turn"] != "over":
        for page in pages:
            if choice := page.now(random.random())["choice"]:
                choice.click()
                time.sleep(0.3)
    first.until(lambda: first.text(".status strong") == second.text(".status strong"))
    assert "win" in first.text(".status")


@pytest.mark.parametrize("game", [name for name in BUILT_IN if name != NEEDS_PARAMETERS])
def test_every_built_in_game_is_played_by_clicks_alone(open_page, game):
    page = open_page()
    page.start(game, opponent="computer", level="random")
    end = page.click_on_anything(Random(1), most=300)
    assert page.now()["turn"] != "fault", end


def test_dice_are_entered_by_people(open_page):
    page = open_page()
    page.start("pig", opponent="here", chance=True)
    page.turn(prefer=["roll"])["choice"].click()
    page.until(lambda: page.now()["turn"] == "chance")
    assert [choice.text for choice in page.all(".actions button")][:2] == ["1 (16.7 %)", "2 (16.7 %)"]
    page.now(prefer=["5 (16.7 %)"])["choice"].click()
    page.until(lambda: page.moves() == ["roll", "5"])


# -- choosing actions -------------------------------------------------------------------------------------------------


def test_a_piece_is_dragged_and_a_promotion_is_asked_for(open_page):
    from selenium.webdriver import ActionChains

    page = open_page(reduced_motion=False)
    page.start("chess", opponent="here", start="8/P6k/8/8/8/8/8/K7 w - - 0 1")
    page.turn()
    cells = [page.find(f'.hit[data-cell="{cell}"]') for cell in ("a7", "a8")]
    ActionChains(page.browser).drag_and_drop(*cells).perform()
    page.wait("dialog .choices")
    assert [choice.text for choice in page.all("dialog .choices button")] == ["a8=Q", "a8=R", "a8=B", "a8=N"]
    page.all("dialog .choices button")[3].click()
    page.until(lambda: page.moves() == ["a8=N"])


def test_a_piece_is_dragged_with_a_finger(open_page):
    page = open_page(390, 844)
    page.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 1})
    page.start("chess", opponent="here")
    page.turn()
    start, end = (page.find(f'.hit[data-cell="{cell}"]').rect for cell in ("g1", "f3"))

    def touch(kind, share=None):
        point = {
            side: start[side] + start[length] / 2 + (share or 0) * (end[side] - start[side])
            for side, length in (("x", "width"), ("y", "height"))
        }
        points = [] if share is None else [point]
        page.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 0.0)
    for share in (0.2, 0.5, 0.8, 1.0):
        touch("touchMove", share)
    touch("touchEnd")
    page.until(lambda: page.moves() == ["Nf3"])


def test_cells_are_picked_in_order_or_by_the_end(open_page):
    page = open_page()
    page.go()
    picked = page.browser.execute_async_script(
        """
        const done = arguments[0];
        import("/static/picking.js").then(({nextCells, pick}) => {
          const actions = ["a", "ab", "cde", "cdg", "cfe"].map(cells => ({name: cells, cells: [...cells]}));
          const names = actions => actions.map(({name}) => name).join(" ");
          const said = ({chosen, complete, final}) => [chosen.join(""), names(complete), final];
          done({
            next: [...nextCells(actions, ["c"]).keys()],
            longer: said(pick(actions, [], "a")),
            again: said(pick(actions, ["a"], "a")),
            whole: said(pick(actions, ["a"], "b")),
            end: said(pick(actions, ["c"], "g")),
            other: said(pick(actions, ["a"], "c")),
            none: said(pick(actions, ["c"], "b")),
          });
        });
        """
    )
    assert picked == {
        "next": ["d", "f", "g"],  # two actions end with e
        "longer": ["a", "a", False],
        "again": ["a", "a", True],
        "whole": ["ab", "ab", True],
        "end": ["cdg", "cdg", True],
        "other": ["c", "", False],
        "none": ["", "", False],
    }


def test_a_game_is_won_by_keys_alone(open_page):
    from selenium.webdriver import Keys

    page = open_page()
    page.go()
    page.wait(".card")
    while page.browser.switch_to.active_element.get_attribute("href") != f"{page.address}#/new/tic-tac-toe":
        page.keys(Keys.TAB)
    page.keys(Keys.ENTER)
    page.wait("dialog .primary:focus")
    page.keys(Keys.ENTER)
    page.wait(".hit:focus")
    random = Random(1)
    while page.turn()["turn"] != "over":
        page.keys(random.choice([Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN]))
        page.keys(Keys.ENTER)
        page.until(lambda: page.all(".hit:focus"))
    assert len(page.moves()) >= 5


def test_the_board_is_turned_for_who_plays_from_the_upper_side(open_page):
    page = open_page()
    page.start("chess", side="1", level="random")
    page.turn()
    page.until(lambda: page.all(".board [transform^=rotate]"))
    own, other = (page.find(f'.hit[data-cell="{cell}"]').rect["y"] for cell in ("a8", "a1"))
    assert own > other
    page.play("e7 e5")
    page.until(lambda: page.moves()[1:2] == ["e5"])


# -- looking around ---------------------------------------------------------------------------------------------------


def test_undo_variations_and_going_through_the_moves(open_page):
    page = open_page()
    page.start("tic-tac-toe", opponent="here")
    page.play("a1", "b2", "c3")
    page.until(lambda: page.moves() == ["a1", "b2", "c3"])
    page.tool("Undo")
    page.until(lambda: "X: c3" not in page.text(".status"))
    page.play("c1")
    page.until(lambda: page.moves() == ["a1", "b2", "c3", "c1"])
    page.find("button[aria-label='To the start']").click()
    page.until(lambda: len(page.all(".hit.next")) == 9)
    page.find("button[aria-label=Forward]").click()
    page.until(lambda: page.text(".move [aria-current]") == "a1")


def test_a_move_is_taken_back_if_the_other_one_allows_it(open_page):
    first, second = open_page(), open_page(390, 844)
    first.start("tic-tac-toe", opponent="link")
    first.wait("dialog .link input")
    link = next(text for field in first.all("dialog .link input") if "room" in (text := field.get_attribute("value")))
    first.find("dialog header button").click()
    second.browser.get(link)
    second.wait(".status strong")
    first.play("b2")
    first.tool("Undo")
    second.until(lambda: second.text(".question strong") == "X asks to take a move back.")
    assert first.text(".question") == "You have asked to take a move back."
    second.all(".question button")[1].click()
    first.until(lambda: first.text(".error") == "The move stands.")
    first.tool("Undo")
    second.wait(".question button").click()
    first.until(lambda: first.now()["turn"] == "you")


def test_a_position_is_a_link(open_page):
    page = open_page()
    page.go("play/connect-four?moves=4,4,3")
    page.until(lambda: page.moves() == ["4", "4", "3"])
    page.tool("Share")
    link = page.wait("dialog .link input").get_attribute("value")
    other = open_page()
    other.browser.get(link)
    other.until(lambda: other.text(".status strong") == page.text(".status strong"))
    assert other.text(".board-text") == page.text(".board-text")


def test_a_position_is_set_up_from_its_text(open_page):
    page = open_page()
    page.start("chess", opponent="here")
    text = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    page.tool("Set up")
    field = page.wait("dialog textarea")
    field.clear()
    field.send_keys(text)
    page.find("dialog .primary").click()
    page.until(lambda: not page.all("dialog"))
    page.play("a1 a8")
    page.until(lambda: page.now()["turn"] == "over")
    assert page.text(".status strong") == "1-0"


def test_a_record_is_saved_and_opened(open_page):
    page = open_page()
    page.start("chess", opponent="here")
    page.play("e2 e4", "e7 e5", "g1 f3")
    page.until(lambda: page.moves() == ["e4", "e5", "Nf3"])
    page.tool("Save")
    record = page.until(lambda: page.wait("dialog textarea").get_attribute("value"))
    assert "1. e4 e5 2. Nf3" in record
    other = open_page()
    other.go()
    other.wait(".welcome button").click()
    other.browser.execute_script("document.querySelector('dialog textarea').value = arguments[0]", record)
    other.find("dialog .primary").click()
    other.until(lambda: other.moves() == ["e4", "e5", "Nf3"])


def test_values_equal_those_of_the_library(open_page):
    from outplay import AlphaBeta

    moves = "4 4 4 4 4 3 3 5 5 3 2 2 2 6 6 6 3"
    session = Session(ConnectFour(), moves=moves)
    expected = AlphaBeta(session.game).analyse(session.state)
    page = open_page()
    page.go(f"play/connect-four?moves={moves.replace(' ', ',')}")
    page.wait(".switch").click()
    page.until(lambda: "proved" in page.text(".summary"))
    shown = {
        row.find_element("css selector", "th").text: row.find_element("css selector", ".badge").get_attribute("class")
        for row in page.all(".values tbody tr")
    }
    words = {1: "badge good", 0: "badge even", -1: "badge bad"}
    assert shown == {row.name: words[(row.value > 0) - (row.value < 0)] for row in expected.actions}
    assert next(iter(shown)) in [row.name for row in expected.actions if row.value == expected.value]


def test_a_piece_is_clicked_for_the_map_of_a_table(open_page, tmp_path):
    from outplay import Tablebase
    from outplay.games import Chess

    table = Tablebase.make(Chess(), classes=["KRK"])
    table.save(tmp_path / "krk.table")
    server, address = serve("--table", tmp_path / "krk.table")
    try:
        page = open_page()
        page.address, page.expected = address, "WebSocket connection"
        page.go("play/chess?start=8/8/8/4k3/8/8/8/R3K3%20w%20-%20-%200%201")
        page.wait(".switch").click()
        page.until(lambda: page.text(".summary") == "from a solved table")
        next(link for link in page.all(".explore .quiet") if link.text == "All solved states").click()
        page.wait("dialog .hit.next")
        page.find('dialog .hit[data-cell="a1"]').click()
        page.wait("dialog .tint.good")
        texts = [text.text for text in page.all("dialog .cell-value")]
        assert len(texts) > 40
        assert set(texts) == {"#14", "#15"}
        assert "white ♜" in page.text("dialog [role=status]")
    finally:
        server.terminate()
        server.wait(10)


def test_the_search_is_watched_step_by_step_in_a_frame_of_its_own(open_page):
    page = open_page()
    page.go("play/tic-tac-toe?moves=a1,b2,c3,c1,a3")
    page.wait(".switch").click()
    page.until(lambda: page.all(".details .quiet") and page.text(".summary") != "Searching …")
    next(link for link in page.all(".explore .quiet") if "step" in link.text).click()
    frame = page.wait("dialog iframe[src]")
    assert frame.get_attribute("sandbox") == "allow-scripts"
    page.browser.switch_to.frame(frame)
    page.wait("#next").click()
    page.until(lambda: page.text("#say"))
    page.browser.switch_to.default_content()


# -- when something happens to the server ---------------------------------------------------------------------------


def test_a_game_goes_on_after_the_server_was_killed(open_page, tmp_path):
    server, address = serve("--keep", tmp_path)
    page = open_page()
    page.address, page.expected = address, "WebSocket connection"
    page.start("connect-four", opponent="here")
    page.play("0,3", "1,3")
    page.until(lambda: page.moves() == ["4", "4"])
    server.kill()
    page.until(lambda: "Connection lost" in page.text(".notice"))
    server, _ = serve("--keep", tmp_path, port=int(address.rstrip("/").rpartition(":")[2]))
    try:
        page.until(lambda: not page.text(".notice"))
        page.play("0,0")
        page.until(lambda: page.moves() == ["4", "4", "1"])
    finally:
        server.terminate()
        server.wait(10)


def test_an_edited_game_is_played_and_a_mistake_is_shown_with_its_line(open_page, tmp_path):
    file = tmp_path / "pawns.py"
    file.write_text(text := HEXAPAWN.read_text("utf-8"), "utf-8")
    server, address = serve(file)
    try:
        page = open_page()
        page.address, page.expected = address, "WebSocket connection"
        page.start("pawns.py", opponent="here")
        file.write_text(text.replace("def to_move", "def to_moves"), "utf-8")
        page.wait(".news.error")
        assert "to_move" in page.text(".news.error")
        file.write_text(text.replace("Hexapawn", "Pawns"), "utf-8")
        page.wait(".news .primary", 3).click()
        page.until(lambda: not page.all(".news"))
        assert page.turn()["choice"]
    finally:
        server.terminate()
        server.wait(10)


# -- for everybody ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height", "dark"), [(1280, 800, False), (390, 844, True)])
def test_axe_finds_nothing_serious(open_page, width, height, dark):
    axe = Path(pytest.importorskip("axe_core_python").__file__).with_name("axe.min.js").read_text("utf-8")
    page = open_page(width, height, dark=dark)

    def serious():
        page.browser.execute_script(axe)
        return page.browser.execute_async_script(
            "const done = arguments[0]; axe.run(document).then(({violations}) => done(violations"
            ".filter(({impact}) => ['serious', 'critical'].includes(impact))"
            ".map(({id, nodes}) => [id, nodes[0].html])))"
        )

    page.go()
    page.wait(".thumbnail svg")
    assert serious() == []
    page.go("new/chess")
    page.wait("dialog summary").click()
    assert serious() == []
    page.go("play/chess?moves=e4,e5")
    page.wait(".switch").click()
    page.wait(".values tbody tr")
    page.click("g1")
    assert serious() == []
    page.start("kuhn-poker", opponent="here")
    assert serious() == []


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen(open_page, width):
    page = open_page(width, 844)
    for place in ("", "new/chess", "play/chess?moves=e4", "play/hex", "play/liars-dice", "play/river-poker"):
        page.go(place)
        page.wait(".card, .status strong")
        time.sleep(0.5)
        assert page.browser.execute_script("return document.documentElement.scrollWidth") <= width, place


def test_the_page_in_chinese_has_all_texts(open_page):
    page = open_page()
    page.go()
    page.wait(".language").click()
    page.until(lambda: page.text("h1") == "下任何一种棋，分析任何一种棋")
    assert page.browser.execute_script("return document.documentElement.lang") == "zh-Hans"
    missing = page.browser.execute_async_script(
        "const done = arguments[0]; import('/static/words.js').then(({missingWords}) => done(missingWords()))"
    )
    assert missing == []
    page.go("play/chess?moves=e4")
    page.until(lambda: page.text(".status strong") == "轮到黑方")
    page.until(lambda: "轮到黑方" in page.text(".board svg"))
    page.go("play/tic-tac-toe?moves=a1,b1,a2,c1,a3")
    page.until(lambda: page.text(".status strong") == "X 胜")
