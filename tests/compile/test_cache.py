"""Compiled code on disk: found again, never stale, never in the way."""

import errno
import importlib.util
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared import PATIENCE

from outplay.compile import cache
from outplay.rules.user_code import PACKAGES

pytestmark = pytest.mark.compiled

GAME = """
from typing import NamedTuple
from outplay import Game, kernel, legal_actions
from outplay.compile import cache

class State(NamedTuple):
    left: int
    turn: int

class Countdown(Game):
    LEAST, MOST, TURNS = 1, 2, (1, 0)
    def __init__(self, start=6): self.start = start
    def initial_state(self): return State(self.start, 0)
    def to_move(self, state): return state.turn
    def is_legal(self, state, taken): return self.LEAST <= taken <= self.MOST and self.has(state, taken)
    def has(self, state, taken): return taken <= state.left <= self.start
    def actions(self, state):
        for taken in (1, 2):
            if self.is_legal(state, taken): yield taken
    def result(self, state, action): return State(state.left - action, self.TURNS[state.turn])
    def is_terminal(self, state): return state.left == 0
    def utility(self, state, player): return 1.0

@kernel
def leaves(game, state):
    if game.is_terminal(state):
        return 1
    total = 0
    for action in legal_actions(game, state):
        total += leaves(game, game.result(state, action))
    return total

def run(game):
    answer = leaves(game, game.initial_state())
    return answer, sum(leaves.dispatcher.stats.cache_hits.values()), len(cache.files())
"""
RUN = "print(*run(Countdown()))"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of the test's own, not yet made."""
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


# -- from process to process ------------------------------------------------------------------------------------------

NOTEBOOK = """
import linecache, sys
main = sys.modules["__main__"]
for number, cell in enumerate((SOURCE, "answer = run(Countdown())")):
    name = f"/tmp/ipykernel_{id(main)}/{number}.py"
    linecache.cache[name] = len(cell), None, cell.splitlines(True), name
    exec(compile(cell, name, "exec"), vars(main))
print(*answer)
"""
IN_A_FUNCTION = f"""
def make():
    {GAME.replace(chr(10), chr(10) + "    ")}
    return run, Countdown
run, Countdown = make()
{RUN}
"""
WAYS = {
    "a script": lambda python, path: python(write(path / "script.py", GAME + RUN)),
    "an import": lambda python, path: (
        python("-c", "from game import *\n" + RUN) if write(path / "game.py", GAME) else ""
    ),
    "python -c": lambda python, path: python("-c", GAME + RUN),
    "standard input": lambda python, path: python("-", stdin=GAME + RUN),
    "a notebook": lambda python, path: python("-c", NOTEBOOK.replace("SOURCE", repr(GAME))),
    "a class in a function": lambda python, path: python("-c", IN_A_FUNCTION),
    "a copy of the script": lambda python, path: python(write(path / "copies" / "other_script.py", GAME + RUN)),
}


def load(key, content=""):
    """What is kept under a key, where the answers have this fingerprint."""
    found = cache.load(key, lambda asked: content)
    return found and found[0]


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("way", WAYS)
def test_a_second_process_loads_what_the_first_compiled(way, python, tmp_path):
    assert WAYS[way](python, tmp_path) == "13 0 1"
    assert WAYS[way](python, tmp_path) == "13 1 1"


@pytest.mark.nightly
def test_packages_may_be_anywhere(python, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for package in PACKAGES:
        (elsewhere / package).symlink_to(Path(importlib.util.find_spec(package).origin).parent)
    path = write(tmp_path / "script.py", GAME + "import numba\nassert 'elsewhere' in numba.__file__\n" + RUN)
    assert python(path, PYTHONPATH=elsewhere) == "13 0 1"
    assert python(path, PYTHONPATH=elsewhere) == "13 1 1"


@pytest.mark.nightly
def test_what_is_loaded_is_not_compiled(python, tmp_path):
    path = write(tmp_path / "script.py", GAME + RUN)
    python(path)
    no_compiler = """
from numba.core import compiler
def fail(*_, **__): raise SystemExit("compiled")
compiler.compile_extra = fail
"""
    assert python(write(tmp_path / "script.py", no_compiler + GAME + RUN)) == "13 1 1"
    with pytest.raises(AssertionError, match="compiled"):
        python(
            write(tmp_path / "script.py", no_compiler + GAME.replace("MOST, TURNS = 1, 2", "MOST, TURNS = 1, 1") + RUN)
        )


@pytest.mark.nightly
def test_an_edited_script_gives_the_new_answer(python, tmp_path):
    script = tmp_path / "script.py"
    write(tmp_path / "helpers.py", "def less(left, action): return left - action\nTAKEN = (1, 2)")
    text = "import helpers\n" + GAME.replace("state.left - action", "helpers.less(state.left, action)")
    text = text.replace("in (1, 2)", "in helpers.TAKEN").replace("MOST, TURNS = 1, 2", "MOST, TURNS = 1, 9")
    assert python(write(script, text + RUN)) == "13 0 1"
    assert python(write(script, text + "\n# a comment\n" + RUN)) == "13 1 1"
    assert python(write(script, text.replace("return 1\n", "return 10\n") + RUN)) == "130 0 2"  # the kernel
    assert python(write(script, text.replace("start=6", "start=7") + RUN)) == "21 0 3"  # a parameter
    assert python(write(script, text.replace("left == 0", "left <= 2") + RUN)) == "8 0 4"  # a rule
    time.sleep(0.01)
    write(tmp_path / "helpers.py", "def less(left, action): return left - action  \nTAKEN = (1, 2, 3)")
    assert python(write(script, text + RUN)) == "24 0 5"  # a constant elsewhere
    write(tmp_path / "helpers.py", "def less(left, action): return max(0, left - 2 * action)\nTAKEN = (1, 2)")
    assert python(write(script, text + RUN)) == "5 0 6"  # a function elsewhere


@pytest.mark.nightly
def test_two_processes_at_once_agree_and_leave_one_file(tmp_path, folder):
    command = [sys.executable, write(tmp_path / "script.py", GAME + RUN)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=PATIENCE)[0].split()[0] for process in started] == ["13", "13"]
    assert len(list(folder.rglob(f"*{cache.SUFFIX}"))) == len(cache.files()) == 1


@pytest.mark.nightly
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "environment",
    [
        {"OUTPLAY_CACHE": None, "HOME": None, "XDG_CACHE_HOME": None},
        {"OUTPLAY_CACHE": None, "HOME": "", "XDG_CACHE_HOME": None},
        {"OUTPLAY_CACHE": None, "HOME": "/dev/null", "XDG_CACHE_HOME": None},
        {"OUTPLAY_CACHE": "/proc/outplay"},
        {"OUTPLAY_CACHE": __file__},
        {"OUTPLAY_CACHE": "off"},
    ],
    ids=str,
)
def test_without_a_folder_to_write_to_it_works_all_the_same(environment, python, tmp_path):
    environment = {"TMPDIR": tmp_path, **environment}
    assert python("-W", "error", "-c", GAME + RUN, **environment).split()[0] == "13"


# -- files that are not what they should be ---------------------------------------------------------------------------


def test_a_damaged_file_is_compiled_anew(fresh, folder):
    """Whatever happened to the file: the answer is right, and the file is whole again."""
    assert fresh(g=GAME).run(fresh(g=GAME).Countdown()) == (13, 0, 1)
    (path,) = folder.rglob(f"*{cache.SUFFIX}")
    whole = path.read_bytes()
    header, _, payload = whole.partition(b"\n")
    other = {**json.loads(header), "key": "another"}
    damages = {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "without its end": whole[:-1],
        "with more at its end": whole + b"x",
        "the header alone": header,
        "without the header": payload,
        "a bit of the code": whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:],
        "a bit of the header": bytes([whole[0] ^ 1]) + whole[1:],
        "another's": json.dumps(other).encode() + b"\n" + payload,
        "a list for a header": b"[1]\n" + payload,
        "no text": bytes(range(256)) * 50,
    }
    for name, content in damages.items():
        path.write_bytes(content)
        module = fresh(g=GAME)
        assert module.run(module.Countdown()) == (13, 0, 1), name
        assert load(json.loads(header)["key"], other["content"]) is not None, name
    path.unlink()
    path.mkdir()
    module = fresh(g=GAME)
    assert module.leaves(module.Countdown(), module.State(6, 0)) == 13


def test_code_that_does_not_load_is_compiled_anew(fresh, folder):
    """The file is as it was written, but what was written is not compiled code."""
    module = fresh(g=GAME)
    module.run(module.Countdown())
    (path,) = folder.rglob(f"*{cache.SUFFIX}")
    header = json.loads(path.read_bytes().partition(b"\n")[0])
    for content in (b"", b"garbage", b"\x80\x04N.", b"\x80\x04]."):
        cache.save(header["key"], "k", "g", content, header["asked"], header["content"])
        module = fresh(g=GAME)
        assert module.run(module.Countdown())[:2] == (13, 0)


@given(st.binary(max_size=300), st.integers(0, 400))
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_in_place_of_a_file_do_harm(folder, junk, place):
    cache.save("key", "kernel", "game", b"payload" * 20)
    path = cache.file_for("key")
    whole = path.read_bytes()
    path.write_bytes(whole[:place] + junk + whole[place + len(junk) :])
    assert load("key") in (None, b"payload" * 20)
    cache.files()


def test_a_full_disk_leaves_no_part_of_a_file(folder, monkeypatch):
    class Full:
        def __init__(self, handle):
            self.handle = handle

        def __enter__(self):
            return self

        def __exit__(self, *_):
            os.close(self.handle)

        def write(self, data):
            os.write(self.handle, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", lambda handle, mode: Full(handle))
        cache.save("key", "kernel", "game", b"payload")
    assert list(folder.iterdir()) == []
    assert load("key") is None
    cache.save("key", "kernel", "game", b"payload")
    assert load("key") == b"payload"


def test_a_folder_that_cannot_be_listed_is_no_error(folder, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    cache.save("key", "kernel", "game", b"payload")
    monkeypatch.setattr(Path, "iterdir", refuse)
    monkeypatch.setattr(os, "listdir", refuse)
    monkeypatch.setattr(os, "scandir", refuse)
    cache.save("other", "kernel", "game", b"payload")
    assert load("other") is None
    assert cache.files() == []


# -- the folder -------------------------------------------------------------------------------------------------------


def test_the_cache_is_listed_and_cleared(fresh, folder):
    assert (cache.files(), cache.clear()) == ([], 0)
    module = fresh(g=GAME)
    for start in (3, 4):
        module.run(module.Countdown(start))
    first, second = cache.files()
    assert [first.game, second.game] == ["Countdown(start=4)", "Countdown(start=3)"]
    assert first.kernel == second.kernel == "g.leaves"
    assert first.size == first.path.stat().st_size > 1000
    assert first.used >= second.used
    (folder / "mine.txt").write_text("not the cache's")
    (first.path.parent / f"lost{cache.SUFFIX}.new").write_text("left by a process that was killed")
    assert cache.clear() == 3
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert cache.files() == []


def test_the_least_recently_used_go_first(folder, monkeypatch):
    for i in range(5):
        cache.save(f"key {i}", "kernel", "game", bytes(1000))
        os.utime(cache.file_for(f"key {i}"), (i, i))
    assert load("key 0") == bytes(1000)  # used: now it is the last to go
    one = cache.file_for("key 0").stat().st_size
    monkeypatch.setattr(cache, "LIMIT", 3 * one + 100)
    cache.save("key 5", "kernel", "game", bytes(1000))
    assert {i for i in range(6) if load(f"key {i}")} == {0, 4, 5}


def test_the_folder_stays_below_its_limit(folder, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 20_000)
    for i in range(100):
        cache.save(f"key {i}", "kernel", "game", bytes(1000))
        assert sum(path.stat().st_size for path in folder.rglob(f"*{cache.SUFFIX}*")) <= 20_000
    assert load("key 99") is not None
    cache.save("big", "kernel", "game", bytes(30_000))  # more than there is room for
    assert sum(path.stat().st_size for path in folder.rglob(f"*{cache.SUFFIX}*")) <= 20_000


def test_a_process_looks_at_the_whole_folder_only_now_and_then(folder, monkeypatch):
    looks = []
    monkeypatch.setattr(cache, "trim", looks.append)
    monkeypatch.setattr(cache, "LIMIT", 64_000)
    monkeypatch.setattr(cache, "_unseen", {})
    for i in range(21):
        cache.save(f"key {i}", "kernel", "game", bytes(300))
    assert looks == [64_000] * 6  # at first, and each time that more than 1,000 bytes are new


def test_keys_never_mix(folder):
    for key in ("a", "b", "a ", "A", "ä"):
        cache.save(key, "kernel", "game", key.encode())
    assert [load(key) for key in ("a", "b", "a ", "A", "ä", "c")] == [b"a", b"b", b"a ", b"A", "ä".encode(), None]


def test_where_the_folder_is(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("OUTPLAY_CACHE")
    assert cache.folder() == Path("/home/me/.cache/outplay")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/me")
    assert cache.folder() == Path("/var/me/outplay")
    monkeypatch.setenv("OUTPLAY_CACHE", "/elsewhere")
    assert cache.folder() == Path("/elsewhere")
    monkeypatch.setenv("OUTPLAY_CACHE", "~/elsewhere")
    assert cache.folder() == Path("/home/me/elsewhere")
    for off in ("off", "OFF"):
        monkeypatch.setenv("OUTPLAY_CACHE", off)
        assert cache.folder() is None
        cache.save("key", "kernel", "game", b"")
        assert (load("key"), cache.files(), cache.clear()) == (None, [], 0)


def test_a_folder_that_all_users_share_is_not_trusted(monkeypatch, tmp_path):
    """Without a home the folder is in the system's temporary one, where others may have put files: code to be run."""
    monkeypatch.delenv("OUTPLAY_CACHE")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    cache.save("key", "kernel", "game", b"payload")
    if cache.folder() is not None and tmp_path in cache.folder().parents:
        assert cache.folder().stat().st_mode & 0o077 == 0
        assert str(os.getuid()) in str(cache.folder())


@pytest.mark.skipif(os.name == "nt", reason="modes of files are of POSIX")
@pytest.mark.parametrize("above", [False, True])
@pytest.mark.parametrize("mode", [0o777, 0o770 | stat.S_IWOTH])
def test_a_folder_that_others_may_write_to_is_refused_with_one_warning(above, mode, monkeypatch, tmp_path):
    outer = tmp_path / "outer"
    place = outer / "cache"
    place.mkdir(parents=True)
    (outer if above else place).chmod(mode)
    monkeypatch.setenv("OUTPLAY_CACHE", str(place))
    with pytest.warns(UserWarning, match=f"others may write to {outer if above else place}") as told:
        cache.save("key", "kernel", "game", b"payload")
    assert load("key") is None
    assert len(told) == 1
    assert not list(place.iterdir())
    (outer if above else place).chmod(0o755)
    cache.is_trusted.cache_clear()
    cache.save("key", "kernel", "game", b"payload")
    assert load("key") == b"payload"
    [path] = place.rglob("*.native")
    assert path.parent.stat().st_mode & 0o077 == 0
    path.chmod(0o666)
    assert load("key") is None


@pytest.mark.skipif(os.name == "nt", reason="modes of files are of POSIX")
def test_a_sticky_folder_may_be_above_the_cache_but_not_be_it(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    assert cache.is_trusted(shared / "cache")
    with pytest.warns(UserWarning, match="others may write to"):
        assert not cache.is_trusted(shared)


@pytest.mark.skipif(os.name == "nt", reason="modes of files are of POSIX")
def test_nobody_is_warned_of_a_device_in_place_of_a_home():
    """All may write to /dev/null, but nobody can put code there."""
    assert cache.is_trusted(Path("/dev/null/.cache/outplay"))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a file away")
def test_a_folder_of_another_user_is_refused(tmp_path):
    os.chown(tmp_path, 12345, -1)
    with pytest.warns(UserWarning, match="others may write to"):
        assert not cache.is_trusted(tmp_path / "cache")


# -- games that must not mix ------------------------------------------------------------------------------------------


def test_sizes_of_a_game_and_games_of_one_name_do_not_mix(fresh, folder):
    module = fresh(g=GAME)
    answers = [module.run(module.Countdown(start))[0] for start in (3, 4, 5, 4, 3)]
    assert answers == [3, 5, 8, 5, 3]
    assert len(cache.files()) == 3
    other = fresh(h=GAME.replace("state.left == 0", "state.left <= 2"))
    assert [other.run(other.Countdown(start))[0] for start in (3, 4, 5)] == [2, 3, 5]
    again = fresh(g=GAME)
    assert [again.run(again.Countdown(start))[:2] for start in (3, 4, 5)] == [(3, 1), (5, 2), (8, 3)]


TWO_OF_ONE_NAME = """
import a, b
from outplay import Game, kernel
class Both(Game):
    def initial_state(self): return (a.Part(1, 2), b.Part(3, 4))
    def to_move(self, state): return 0
    def actions(self, state): return (0,)
    def result(self, state, action): return (a.Part(state[0].x + 1, 2), b.Part(3, state[1].x))
    def is_terminal(self, state): return False
    def utility(self, state, player): return 1.0
@kernel
def child(game, state): return game.result(state, 0)
"""
PART = "from typing import NamedTuple\nclass Part(NamedTuple):\n    "


def test_states_come_back_as_the_classes_they_are(fresh, folder):
    texts = {"g": TWO_OF_ONE_NAME, "a": PART + "x: int\n    y: int", "b": PART + "y: int\n    x: int"}
    for hits in (0, 1):
        module = fresh(**texts)
        first, second = module.child(module.Both(), module.Both().initial_state())
        assert (type(first), type(second)) == (module.a.Part, module.b.Part)
        assert (first.x, first.y, second.x, second.y) == (2, 2, 4, 3)
        assert sum(module.child.dispatcher.stats.cache_hits.values()) == hits


@pytest.mark.nightly
def test_a_kernel_may_return_a_class_of_its_own(python):
    source = (
        GAME
        + """
class Pair(NamedTuple):
    a: int
    b: int
@kernel
def pair(game, state): return Pair(state.left, state.turn)
found = pair(Countdown(), State(3, 1))
print(found, type(found) is Pair, sum(pair.dispatcher.stats.cache_hits.values()))
"""
    )
    assert python("-c", source) == "Pair(a=3, b=1) True 0"
    assert python("-c", source) in ("Pair(a=3, b=1) True 0", "Pair(a=3, b=1) True 1")


@pytest.mark.nightly
def test_kernels_without_a_game_are_kept(python, tmp_path):
    program = """
import numpy as np
from outplay.equilibrium.best_response import make_behaviour
from outplay.equilibrium.tree import Sets
zero = np.zeros(1, int)
make_behaviour(Sets(zero, zero, np.full(1, 2), zero, zero), np.ones(2), np.ones(2))
"""

    def kept():
        python("-c", program)
        return {path: path.stat().st_ino for path in tmp_path.glob("**/*.*") if b"make_behaviour" in path.read_bytes()}

    first = kept()
    assert len(first) == 1
    assert kept() == first
