"""Try each construct of `constructs.py`: does it compile, and are both speeds equal?

python tests/programs/try_constructs.py [--only NAME] [--category CATEGORY] [--part 1/2] [--checked]
"""

import argparse
import contextlib
import importlib.util
import io
import linecache
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from outplay import kernel, legal_actions
from outplay.compile.kernels import cast_state, runs_compiled
from outplay.compile.native import RunsInterpretedWarning
from outplay.rules.base import checked
from programs.constructs import CONSTRUCTS, source_of

OUTCOMES = ("compiles", "interpreted", "DIFFERS", "BROKEN")


@kernel
def total(game, state):
    """A number that depends on every rule and on the number of the actions."""
    if game.is_terminal(state):
        return game.utility(state, 0) + 0.25 * game.utility(state, 1)
    sum_ = 0.125 * game.to_move(state)
    for action in legal_actions(game, state):
        sum_ = 0.75 * sum_ + 1.0 + total(game, game.result(state, action))
    return sum_


def load(name, text, folder):
    """The class `Small` of a construct."""
    path = Path(folder, "construct_" + "".join(char if char.isalnum() else "_" for char in name) + ".py")
    path.write_text(source_of(text), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # data classes look their module up
    spec.loader.exec_module(module)
    return module.Small


def attempt(name, text, folder, is_checked=False):
    """The outcome of a construct, and the reason if it does not compile or is not equal."""
    try:
        small = load(name, text, folder)
        game = type("Interpreted", (small,), {"compiled": False, "__module__": small.__module__})()
        expected = total(game, game.initial_state())
    except Exception as error:
        return "BROKEN", f"{type(error).__name__}: {error}".splitlines()[0]
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("always")
        try:
            game = checked(small()) if is_checked else small()
            found = total(game, cast_state(game, game.initial_state()))
            compiled = runs_compiled(game)
        except Exception as error:
            return "DIFFERS", f"{type(error).__name__}: {error}".splitlines()[0]
    if found != expected:
        return "DIFFERS", f"{found} instead of {expected}"
    for entry in caught:
        if entry.category is RunsInterpretedWarning:
            reason = str(entry.message).splitlines()[0].partition(" since ")[2]
            return "interpreted", f"{reason} [{linecache.getline(entry.filename, entry.lineno).strip()}]"
    return ("compiles", "") if compiled else ("interpreted", "no warning says why")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="the name of a construct, or a part of it")
    parser.add_argument("--category", help="only this category")
    parser.add_argument("--part", default="1/1", help="such as 2/3: every third construct, from the second on")
    parser.add_argument("--checked", action="store_true", help="compile checked rules")
    asked = parser.parse_args()
    part, parts = map(int, asked.part.split("/"))
    chosen = [
        (category, name, text)
        for category, constructs in CONSTRUCTS.items()
        for name, text in constructs.items()
        if (not asked.only or asked.only in name) and asked.category in {None, category}
    ][part - 1 :: parts]
    counts = {category: Counter() for category, _, _ in chosen}
    with tempfile.TemporaryDirectory() as folder:
        for category, name, text in chosen:
            start = time.perf_counter()
            outcome, reason = attempt(name, text, folder, asked.checked)
            counts[category][outcome] += 1
            seconds = time.perf_counter() - start
            print(f"{outcome:11} {category}: {name} ({seconds:.1f} s){': ' + reason if reason else ''}", flush=True)
    print()
    print(f"{'':18}", *(f"{outcome:>11}" for outcome in OUTCOMES))
    for category, count in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        print(f"{category:18}", *(f"{count[outcome]:11}" for outcome in OUTCOMES))


if __name__ == "__main__":
    main()
