"""Files are written whole or not at all, one process at a time, and are as they were when that fails."""

import errno
import hashlib
import json
import multiprocessing
import os
import pathlib
import re
import stat
import subprocess
import sys
import threading
import zipfile

import numpy as np
import pytest

from outplay import AlphaBeta, Book, Tablebase
from outplay.equilibrium import CFR, MatrixGame, Strategy, TreelessMCCFR
from outplay.equilibrium.efg import save_efg
from outplay.equilibrium.files import MARK, load_arrays, save_arrays
from outplay.evaluation.linear import LinearEvaluation
from outplay.games import KuhnPoker, Nim
from outplay.proofs import Proof
from outplay.rules.errors import OutplayError, RulesError, StrategyError
from outplay.session.levels import read_calibrations
from outplay.session.saving import SavedSolve
from outplay.system import files
from outplay.system.files import in_use, locked, read_file, read_text, why_not_writable, write_file

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX system")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# -- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a", "a.json", "ä" * 120, "x" * 255, " ", "-"])
def test_a_file_is_made_and_replaced(tmp_path, name):
    for content in (b"one", b"", b"two" * 100_000):
        write_file(tmp_path / name, content)
        assert read_file(tmp_path / name) == content
        assert names(tmp_path) == [name]


class Full(OSError):
    def __init__(self, *_, **__):
        super().__init__(errno.ENOSPC, "No space left on device")


def fail(*_, **__):
    raise Full


@pytest.mark.parametrize("step", ["os.open", "os.fsync", "os.replace", "pathlib.Path.chmod"])
def test_what_fails_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "a"
    write_file(path, b"old")
    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(StrategyError, match=r"/a cannot be written: No space left .*; the old file is unchanged$"):
            write_file(path, b"new", StrategyError)
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == ["a"]
    write_file(path, b"new")
    assert path.read_bytes() == b"new"


def test_an_interrupt_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a"
    write_file(path, b"old")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(OutplayError, match=r"cannot be written: No such file or directory$"):
        write_file(tmp_path / "no" / "a", b"")
    with pytest.raises(OutplayError, match=r"cannot be written: Is a directory$"):
        write_file(tmp_path, b"")
    with pytest.raises(OutplayError, match=r"cannot be read: Is a directory$"):
        read_file(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(RulesError, match="binary cannot be read: it is not text"):
        read_text(tmp_path / "binary", RulesError)


@posix
def test_what_could_not_be_written_is_told_before(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "dangling").symlink_to("no/a")
    for name in ("a", "b", "/dev/null", "/dev/stdout"):
        assert why_not_writable(tmp_path / name) == ""
    assert why_not_writable(tmp_path) == "it is a folder"
    for name in ("no/a", "dangling"):
        assert why_not_writable(tmp_path / name) == f"there is no folder {tmp_path.resolve() / 'no'}"

    for protected in (tmp_path / "a", tmp_path):
        monkeypatch.setattr("os.access", lambda path, _, protected=protected: path != protected.resolve())
        assert why_not_writable(tmp_path / "a") == "it is write-protected"
        assert why_not_writable("/dev/null") == ""


@posix
def test_permissions_and_links_stay(tmp_path):
    path, link, dangling = tmp_path / "a", tmp_path / "link", tmp_path / "dangling"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to("a")
    dangling.symlink_to("new")
    write_file(link, b"new")
    write_file(dangling, b"made")
    assert (path.read_bytes(), (tmp_path / "new").read_bytes()) == (b"new", b"made")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert names(tmp_path) == ["a", "dangling", "link", "new"]
    mask = os.umask(0o027)
    try:
        write_file(tmp_path / "b", b"")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o640
    link.unlink()
    link.symlink_to("link")
    with pytest.raises(OutplayError, match=r"cannot be written: .*symbolic links"):
        write_file(link, b"")


@posix
def test_a_write_protected_file_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write to all
    with pytest.raises(OutplayError, match="write-protected"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"


@posix
def test_pipes_and_devices_are_written_to(tmp_path):
    fifo, got = tmp_path / "fifo", []
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
    reader.start()
    write_file(fifo, b"through")
    reader.join()
    assert got == [b"through"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    write_file("/dev/null", b"nothing")
    assert not stat.S_ISREG(os.stat("/dev/null").st_mode)
    program = "from outplay.system.files import write_file; write_file('/dev/stdout', b'content')"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"content"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", program], stdout=out, check=True)
        assert os.path.samestat(os.fstat(out.fileno()), os.stat(tmp_path / "out"))  # and no other file of that name
    assert (tmp_path / "out").read_bytes() == b"content"


@posix
def test_what_a_killed_process_left_is_removed(tmp_path):
    program = (
        "import os, sys; from outplay.system.files import write_file;"
        "os.fsync = lambda _: os.kill(os.getpid(), 9); write_file(sys.argv[1], b'new' * 1000)"
    )
    path = tmp_path / "a"
    write_file(path, b"old")
    for _ in range(3):
        subprocess.run([sys.executable, "-c", program, path], check=False)
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == [".a.lock", ".a.tmp", "a"]
    write_file(path, b"new")
    assert names(tmp_path) == ["a"]


# -- locks ------------------------------------------------------------------------------------------------------------


def add_one(path, times):
    for _ in range(times):
        write_file(path, lambda: str(int(read_file(path)) + 1).encode(), sync=False)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", [threading.Thread, multiprocessing.get_context("spawn").Process])
def test_nobody_s_change_is_lost(tmp_path, kind):
    path = tmp_path / "count"
    write_file(path, b"0")
    workers = [kind(target=add_one, args=(path, 50)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert read_file(path) == b"200"
    assert names(tmp_path) == ["count"]


def test_a_file_in_use_is_refused_until_its_process_is_gone(tmp_path):
    path = tmp_path / "a"
    program = (
        "import sys, time; from outplay.system.files import in_use\n"
        "with in_use(sys.argv[1]):\n    print(flush=True)\n    time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(StrategyError, match=rf"/a is in use: process {other.pid} is writing it; wait"):
            in_use(path, StrategyError).__enter__()
        write_file(path, b"this is another lock")
        other.kill()
        other.wait()
    with in_use(path), pytest.raises(StrategyError, match=f"process {os.getpid()} is writing it"):
        in_use(path, StrategyError).__enter__()
    assert names(tmp_path) == ["a"]


def test_who_keeps_a_file_too_long_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    told = f"a cannot be written: process {os.getpid()} is writing it$"
    with locked(tmp_path / ".a.lock", 0), pytest.raises(OutplayError, match=told):
        write_file(tmp_path / "a", b"")
    write_file(tmp_path / "a", b"")


def test_without_locks_files_are_written_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "msvcrt" if sys.platform == "win32" else "fcntl", None)
    write_file(tmp_path / "a", b"one")
    with in_use(tmp_path / "a"), in_use(tmp_path / "a"):
        write_file(tmp_path / "a", b"two")
    assert read_file(tmp_path / "a") == b"two"
    assert names(tmp_path) == ["a"]


# -- all that writes --------------------------------------------------------------------------------------------------

WRITERS = {
    "strategy.json": lambda path: Strategy.uniform(KuhnPoker()).save(path),
    "strategy.npz": lambda path: Strategy.uniform(KuhnPoker()).save(path),
    "state.npz": lambda path: CFR(KuhnPoker()).save(path),
    "game.efg": lambda path: save_efg(KuhnPoker(), path),
    "game.nfg": lambda path: MatrixGame([[1, -1], [-1, 1]]).save(path),
    "weights": lambda path: LinearEvaluation({"men": 1}).save(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_keeps_the_old_file_when_the_disk_is_full(tmp_path, monkeypatch, name):
    path = tmp_path / name
    WRITERS[name](path)
    before = path.read_bytes()
    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OutplayError, match=f"{name} cannot be written: No space left on device; the old"):
        WRITERS[name](path)
    assert path.read_bytes() == before
    assert names(tmp_path) == [name]


def test_nothing_else_writes_files():
    """All go through `write_file`, but for compiled code, which may be lost, and files that are added to."""
    source = pathlib.Path(files.__file__).parents[1]
    writing = re.compile(r"""write_text\(|write_bytes\(|savez\w*\(path|open\([^)]*["'][wax]b?\+?["']|json\.dump\(""")
    found = {path.name for path in source.rglob("*.py") if writing.search(path.read_text("utf-8"))}
    assert found == {"files.py", "cache.py", "log.py"}


# -- checksums --------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_no_bit_of_a_strategy_changes_unnoticed(tmp_path):
    game, path = KuhnPoker(), tmp_path / "kuhn.json"
    strategy = CFR(game).solve(iterations=5).strategy
    strategy.save(path)
    data = path.read_bytes()
    for bit in range(8 * len(data)):
        wrong = bytearray(data)
        wrong[bit // 8] ^= 1 << bit % 8
        path.write_bytes(wrong)
        try:
            again = Strategy.load(path, game)
        except StrategyError as error:
            assert str(path) in str(error)  # noqa: PT017
        else:
            assert again.probability.tobytes() == strategy.probability.tobytes()
            assert again.key.tobytes() == strategy.key.tobytes()
            assert again.action.tobytes() == strategy.action.tobytes()


def test_a_strategy_that_was_edited_on_purpose(tmp_path):
    game, path = KuhnPoker(), tmp_path / "kuhn.json"
    Strategy.uniform(game).save(path)
    text = path.read_text().replace("[0.5, 0.5]", "[0.25, 0.75]", 1)
    path.write_text(text)
    with pytest.raises(StrategyError, match='replace the digest with "sha256": null'):
        Strategy.load(path, game)
    path.write_text(re.sub(r'"sha256": "\w+"', '"sha256": null', text))
    assert Strategy.load(path, game).probability[:2].tolist() == [0.25, 0.75]
    path.write_text(re.sub(r',\n"sha256": "\w+"', "", text))
    with pytest.raises(StrategyError, match="changed or cut off"):
        Strategy.load(path, game)


def test_layout_does_not_matter(tmp_path):
    game, path = KuhnPoker(), tmp_path / "kuhn.json"
    strategy = CFR(game).solve(iterations=5).strategy
    strategy.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()), indent=4, sort_keys=True).replace("\n", "\r\n"))
    assert Strategy.load(path, game).probability.tobytes() == strategy.probability.tobytes()


@pytest.mark.parametrize(
    ("load", "start"),
    [
        (lambda path: SavedSolve(path, AlphaBeta(Nim()), Nim().initial_state(), ()).load(), "solve"),
        (lambda path: Tablebase.load(path, Nim()), "table"),
        (lambda path: Tablebase.load(path, Nim()), "class"),
        (Proof.load, "proof"),
        (lambda path: Book.load(path, Nim()), "book"),
        (lambda path: read_calibrations(path.read_text(), path), "levels"),
    ],
)
def test_files_of_another_version_are_refused(tmp_path, load, start):
    path = tmp_path / "a"
    for text, message in (
        (
            '{"format": "outplay levels 9"}' if start == "levels" else f"outplay {start} 9\n",
            "another version of outplay",
        ),
        ('{"format": "outplay"}' if start == "levels" else f"outplay {start}\n", "is not a|begin with"),
    ):
        path.write_text(text)
        with pytest.raises(OutplayError, match=rf"a.*{message}"):
            load(path)


def test_arrays_of_any_kind_come_back(tmp_path):
    path = tmp_path / "a.npz"
    arrays = {
        "none": np.zeros(0),
        "scalar": np.array(3),
        "columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        "text": np.array(["a", "äöü"]),
        "small": np.array([[1, 2]], np.int8),
    }
    save_arrays(path, "test 1", arrays)
    again = load_arrays(path, "test 1", "a test")
    assert list(again) == list(arrays)
    for name, array in arrays.items():
        assert (again[name].dtype, again[name].shape) == (array.dtype, array.shape)
        assert (again[name] == array).all()
        assert again[name].flags.writeable
    assert (np.load(path)["columns"] == arrays["columns"]).all()  # others can read it too
    with pytest.raises(StrategyError, match=r"a\.npz was written by another version of outplay: make it anew"):
        load_arrays(path, "test 2", "a test")
    with pytest.raises(StrategyError, match="not a try of format 'try 1'; its format is 'test 1'"):
        load_arrays(path, "try 1", "a try")
    np.savez_compressed(path, small=arrays["small"])
    with pytest.raises(StrategyError, match=r"not a test of format 'test 1'$"):
        load_arrays(path, "test 1", "a test")


def test_claims_of_great_size_take_no_memory(tmp_path):
    path = tmp_path / "a.npz"
    for claimed in ("(100000000000,)", "(1000000,1000000)"):
        save_arrays(path, "test 1", {"a": np.zeros(1000)})
        header = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little")
        header += f"{{'descr': '<f8', 'fortran_order': False, 'shape': {claimed}, }}".ljust(117).encode() + b"\n"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.npy", header + bytes(8000))
            archive.comment = MARK + b"0" * 64
        data = path.read_bytes()[:-64]
        path.write_bytes(data + hashlib.sha256(data).hexdigest().encode())
        with pytest.raises(StrategyError, match="8,000 bytes for float64"):
            load_arrays(path, "test 1", "a test")


# -- saving on the way ------------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize(
    "make",
    [
        lambda: CFR(KuhnPoker()),
        lambda: TreelessMCCFR(KuhnPoker(), memory_mb=1),
        lambda: TreelessMCCFR(KuhnPoker(), sampling="outcome", memory_mb=1),
    ],
)
def test_a_solver_saves_on_the_way_and_finds_the_same(tmp_path, monkeypatch, make):
    make().solve(iterations=1)  # compiled
    monkeypatch.setattr(files, "SAVE_EVERY", 0.0)
    path, saved = tmp_path / "state.npz", []
    kind = type(make())
    save = kind.save

    def count(self, path):
        save(self, path)
        saved.append(self.iterations)

    monkeypatch.setattr(kind, "save", count)
    solver = make()
    solution = solver.solve(seconds=2, save_to=path)
    assert len(saved) > 2
    assert saved == sorted(saved)
    assert make().load(path).iterations == saved[-1] <= solution.iterations
    assert [point.iterations for point in solution.curve] == sorted({point.iterations for point in solution.curve})
    straight = make()
    straight.solve(iterations=saved[-1])
    loaded = make().load(path)
    for name, array in straight.arrays.items():
        assert (loaded.arrays[name] == array).all(), name


def test_a_save_that_fails_on_the_way_is_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "SAVE_EVERY", 0.0)
    with pytest.warns(UserWarning, match=r"state\.npz cannot be written: No such .*; this will be tried again"):
        solution = CFR(KuhnPoker()).solve(seconds=0.5, save_to=tmp_path / "no" / "state.npz")
    assert solution.stopped == "seconds"
    assert solution.iterations > 0
