"""Compare random programs at both speeds, on all cores, until enough were tried or Ctrl-C is pressed.

python tests/programs/try_programs.py [--programs 50000] [--seed 0]
    [--kinds rewriting statements ordinary collections doors]

The exit code is 1 if a program gave another answer compiled.
"""

import argparse
import importlib
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from programs.random_programs import TOGETHER, compare

KINDS = {
    "rewriting": ("compile.test_rewriting", 20),
    "statements": ("programs.statement_programs", 10),
    "ordinary": ("compile.test_ordinary_python", 2),
    "collections": ("compile.test_collections", 2),
    "doors": ("programs.door_programs", 5),
}
"""The module that writes each kind of program, and how many groups of them one process tries."""


def try_groups(kind, seed):
    """The numbers of programs, compiled programs and equal answers; and the programs that differ."""
    name, groups = KINDS[kind]
    module, rng = importlib.import_module(name), random.Random(seed)
    counts, differing, folder = Counter(), [], Path(tempfile.mkdtemp(prefix="programs"))
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - what programs print and log
    try:
        for group in range(groups):
            sources = [module.Writer(rng).program(f"program{at}") for at in range(TOGETHER)]
            try:
                refused, equal = compare(sources, folder, f"{kind}_{seed}_{group}", module.HEAD, seed % 5 == 0)
            except Exception as error:
                shown = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
                differing.append(f"{kind}, seed {seed}, group {group}:\n{shown}")
                refused, equal = (), 0
            counts += Counter(programs=TOGETHER, compiled=TOGETHER - len(refused), equal=equal)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return counts, differing


def main():
    """Print the counts as they grow, and what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    if options.programs < 1:
        parser.error(f"--programs {options.programs}: at least 1")
    tasks, planned = [], 0
    while planned < options.programs:
        kind = options.kinds[len(tasks) % len(options.kinds)]
        tasks.append((kind, 1000 * options.seed + len(tasks)))
        planned += KINDS[kind][1] * TOGETHER
    counts, found, done, context = Counter(), 0, set(), multiprocessing.get_context("spawn")
    quietly = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_DFL)}
    with ProcessPoolExecutor(mp_context=context, max_tasks_per_child=1, **quietly) as pool:  # what is compiled is kept
        try:
            waiting = {pool.submit(try_groups, *each): each for each in tasks}
            for task in as_completed(waiting):
                more, differing = task.result()
                done.add(waiting[task])
                counts += more
                found += len(differing)
                print(*differing, sep="\n\n", end="\n\n" if differing else "")
                shown = ", ".join(f"{number:,} {what}" for what, number in counts.items())
                print(f"\r{shown} answers, {found} differ", end="", flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            print("\ninterrupted", end="")
        except BrokenProcessPool:
            found += 1
            first = [f"{kind} {seed}" for kind, seed in tasks if (kind, seed) not in done][: 2 * (os.cpu_count() or 1)]
            print(f"\na process crashed, in the programs of one of these kinds and seeds: {', '.join(first)}", end="")
    print()
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
