"""The board in JupyterLab, in a real browser: a game is played by clicks, with the search of the kernel."""

import os
import re
import subprocess
import sys
import time
from random import Random

import pytest

pytestmark = pytest.mark.nightly
pytest.importorskip("jupyterlab")
pytest.importorskip("anywidget")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("selenium")
from web.browser import PageInBrowser, open_browser  # noqa: E402

CODE = """from outplay.games import ConnectFour
from outplay.web import BoardWidget

board = BoardWidget(ConnectFour(), "4 4 3", seats=["person", "alpha-beta(level=1)"], explore=True)
board"""


@pytest.fixture
def lab(tmp_path):
    """JupyterLab with a notebook, as the address of it."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(CODE)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, tmp_path / "board.ipynb")
    options = {"ip": "127.0.0.1", "port": 0, "open_browser": False, "allow_root": True, "root_dir": tmp_path}
    command = [sys.executable, "-m", "jupyterlab", "--IdentityProvider.token=test", "--LabApp.news_url=none"]
    command += [f"--ServerApp.{name}={value}" for name, value in options.items()]
    home = {name: str(tmp_path) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | home)
    port = None
    while port is None:
        port = re.search(r"http://127.0.0.1:(\d+)/", server.stderr.readline())
    yield f"http://127.0.0.1:{port[1]}/lab/tree/board.ipynb?token=test"
    server.terminate()
    server.wait(20)


def test_a_game_is_played_in_jupyterlab(lab):
    page = PageInBrowser(open_browser(1400, 1000), lab)
    try:
        page.browser.get(lab)
        page.wait(".jp-Notebook .jp-CodeCell .cm-content", 120)
        time.sleep(3)
        page.until(lambda: "Idle" in page.browser.page_source, 120, "a kernel")
        page.find("[data-jp-item-name=run] jp-button").click()
        page.wait(".outplay-page .hit.next", 120)
        page.until(lambda: page.all(".values tbody tr"), 120, "values")
        end = page.click_on_anything(Random(1))
        assert re.search("wins|draw", end), end
        assert page.moves()[:3] == ["4", "4", "3"]
    finally:
        page.browser.quit()
