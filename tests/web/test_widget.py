"""The board in a notebook: one module for the browser, and the talk with the kernel."""

import re
import time

import pytest
from shared import PATIENCE

from outplay.games import ConnectFour, KuhnPoker

pytest.importorskip("anywidget")
pytest.importorskip("starlette")


def test_the_modules_of_the_page_become_one_in_which_no_name_is_twice():
    from outplay.web.widget import bundle

    text = bundle("widget.js")
    assert re.findall(r"^(?:import|export) .*", text, re.MULTILINE) == ["export default {render};"]
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names)) > 20


class Browser:
    """What the widget sends to the browser, and requests from there."""

    def __init__(self, widget):
        self.widget, self.messages, self.last = widget, [], 0
        widget.send = lambda message, buffers=None: self.messages.append(message)

    def request(self, kind, **fields):
        self.last += 1
        self.widget._receive(self.widget, {"type": kind, "id": self.last, **fields}, [])
        return self.wait(lambda message: message.get("re") == self.last)

    def wait(self, is_wanted):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for message in self.messages:
                if is_wanted(message):
                    return message
            time.sleep(0.01)
        raise AssertionError(f"only {[message['type'] for message in self.messages]} came")


def test_a_game_is_played_in_a_widget():
    from outplay.web.widget import BoardWidget

    board = BoardWidget(ConnectFour(), "4 4")
    assert board.moves == "4 4"
    browser = Browser(board)
    assert browser.request("open", **board.opening)["game"]["title"]
    position = browser.wait(lambda message: message["type"] == "position")
    assert [action["name"] for action in position["actions"]] == list("1234567")
    assert browser.request("play", action=2)["type"] == "ok"
    assert board.moves == "4 4 3"
    assert browser.request("play", action=99)["type"] == "error"


def test_a_search_is_shown_step_by_step_without_a_server():
    from outplay.web.widget import BoardWidget

    board = BoardWidget(ConnectFour(width=4, height=4), "1 2")
    browser = Browser(board)
    browser.request("open", **board.opening)
    assert browser.request("steps")["html"].startswith("<!doctype html>")


def test_widgets_do_not_see_each_other():
    from outplay.web.widget import BoardWidget

    boards = BoardWidget(ConnectFour()), BoardWidget(KuhnPoker())
    browsers = [Browser(board) for board in boards]
    titles = [
        browser.request("open", **board.opening)["game"]["players"]
        for browser, board in zip(browsers, boards, strict=True)
    ]
    assert titles == [2, 2]
    assert browsers[1].request("open", game="ConnectFour")["type"] == "error"


def opened(seats=None):
    """A widget whose game is open, and its lobby."""
    from outplay.web.widget import BoardWidget

    board = BoardWidget(ConnectFour(), seats=seats, explore=True)
    messages = []
    board.send = lambda message, buffers=None: messages.append(message)
    board._receive(board, {"type": "open", "id": 1, **board.opening}, [])
    wait_for(lambda: any(message["type"] == "position" for message in messages))
    return board, board._page.lobby


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_widget_that_is_closed_frees_its_room():
    board, lobby = opened(seats=["random", "random"])
    [live] = lobby.rooms.values()
    board.close()
    wait_for(lambda: not lobby.rooms)
    assert not live.pages
    moves = len(live.room.session.actions)
    time.sleep(1)
    assert len(live.room.session.actions) <= moves + 1
    board.close()  # once more does nothing


def test_a_widget_that_the_browser_closes_frees_its_room():
    board, lobby = opened()
    board.comm.handle_close({})
    wait_for(lambda: not lobby.rooms)


def test_a_new_game_in_a_widget_frees_the_old_one():
    board, lobby = opened()
    [old] = lobby.rooms
    board._receive(board, {"type": "open", "id": 2, **board.opening}, [])
    wait_for(lambda: lobby.rooms and old not in lobby.rooms)
    assert len(lobby.rooms) == 1


@pytest.mark.nightly
def test_a_notebook_shows_the_widget():
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    code = (
        "from outplay.games import ConnectFour\nfrom outplay.web.widget import BoardWidget\nBoardWidget(ConnectFour())"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=PATIENCE).execute()
    [output] = notebook.cells[0].outputs
    assert "application/vnd.jupyter.widget-view+json" in output["data"]
