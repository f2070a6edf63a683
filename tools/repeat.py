"""Run `make test` ten times, five of them beside two busy loops on each core: a test that hangs on timing fails here.

.venv/bin/python tools/repeat.py             ten runs: quiet, busy, quiet, busy, …
.venv/bin/python tools/repeat.py 2 -k arena  two runs of some of the tests
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOME = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "-m", "not nightly"]
LOOPS_PER_CORE = 2


@contextmanager
def busy_loops() -> Iterator[None]:
    """Keep every core busy with two other processes."""
    loop = [sys.executable, "-S", "-c", "while True: pass"]
    loops = [subprocess.Popen(loop) for _ in range(LOOPS_PER_CORE * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for process in loops:
            process.kill()
            process.wait()


def run(options: list[str]) -> int:
    """The exit code of the tests."""
    return subprocess.run([*SOME, *options] if options else ["make", "test"], cwd=ROOT, check=False).returncode


def main() -> int:
    """The exit code: 1 if a run has failed."""
    first, *options = sys.argv[1:] or ["10"]
    runs, options = (int(first), options) if first.isdecimal() else (10, [first, *options])
    failed = []
    for number in range(1, runs + 1):
        is_busy, began = number % 2 == 0, time.monotonic()
        print(f"run {number} of {runs}, {'beside busy loops' if is_busy else 'alone'}", flush=True)
        if is_busy:
            with busy_loops():
                code = run(options)
        else:
            code = run(options)
        print(f"run {number}: exit code {code}, {time.monotonic() - began:.0f} s", flush=True)
        if code:
            failed.append(number)
    print(f"failed: runs {', '.join(map(str, failed))}" if failed else f"{runs} runs passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
