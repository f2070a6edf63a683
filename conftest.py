"""What all tests and doctests share: games run interpreted, one cache of compiled code, and fresh processes."""

import functools
import gc
import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer.testing
from hypothesis import settings

from outplay.rules.base import Rules

collect_ignore = [] if importlib.util.find_spec("pyspiel") else ["src/outplay/env/spiel.py"]  # its doctests

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: Ctrl-C is tested all the same
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # nohup ignores it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

gc.set_threshold(700, 10, 1000)  # a search for garbage among everything that the compiler keeps takes seconds

typer.testing._get_command = functools.cache(typer.testing._get_command)  # it builds all commands in 25 ms


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave n cases of a test marked `sample(n)`, spread evenly, to the short run; the others are for the night."""
    cases = {}
    for item in items:
        if item.get_closest_marker("sample"):
            cases.setdefault((item.path, item.originalname), []).append(item)
    for group in cases.values():
        [number] = group[0].get_closest_marker("sample").args
        kept = {round((place + 0.5) * len(group) / number - 0.5) for place in range(number)}
        for place, item in enumerate(group):
            if place not in kept:
                item.add_marker(pytest.mark.nightly)


settings.register_profile("outplay", deadline=None, max_examples=50)  # the first example of a test may compile
settings.load_profile("outplay")


@pytest.fixture(scope="session", autouse=True)
def cache_folder():
    """What tests compile is kept between runs: code that is stale is never loaded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OUTPLAY_CACHE", str(Path(__file__).parent / ".cache" / "compiled"))
        yield


def pytest_addoption(parser):
    parser.addoption("--compiled", action="store_true", help="compile the games of all tests")


@pytest.fixture(autouse=True)
def interpreted(request, monkeypatch):
    """Games run interpreted, as compiling takes seconds, but in doctests and tests marked `compiled` or `nightly`."""
    node = request.node
    is_marked = node.get_closest_marker("compiled") or node.get_closest_marker("nightly")
    if not (is_marked or isinstance(node, pytest.DoctestItem) or request.config.getoption("compiled")):
        monkeypatch.setattr(Rules, "compiled", False)


@pytest.fixture(autouse=True)
def seed_of_contests(monkeypatch):
    """Matches without a seed have seed 0 in the tests, instead of one that nobody can guess."""
    monkeypatch.setattr("outplay.system.seeds.randbits", lambda _: 0)


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Write modules from texts and import the first, all of them anew, as a process started after an edit would."""
    folder, written = tmp_path / "modules", set()
    folder.mkdir()
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # else two edits in one second would look the same
    monkeypatch.syspath_prepend(folder)

    def load(**texts):
        for name, text in texts.items():
            path = folder / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        written.update(name.partition(".")[0] for name in texts)
        forget()
        return importlib.import_module(next(iter(texts)))

    def forget():
        importlib.invalidate_caches()
        for module in list(sys.modules):
            if module.partition(".")[0] in written:
                monkeypatch.delitem(sys.modules, module)

    yield load
    for module in list(sys.modules):
        if module.partition(".")[0] in written:
            del sys.modules[module]


@pytest.fixture
def python(tmp_path):
    """Run a fresh Python in `tmp_path`, with a cache folder in it; what it printed."""

    def run(*arguments, stdin=None, **environment):
        merged = {**os.environ, "OUTPLAY_CACHE": str(tmp_path / "cache"), **environment}
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={name: str(value) for name, value in merged.items() if value is not None},
            input=stdin,
            text=True,
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
