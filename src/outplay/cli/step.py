"""`outplay step`: a search step by step, with keys, in the terminal."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import re
import sys
from functools import partial
from typing import TYPE_CHECKING

import typer

from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import Algorithm, EvaluationName, GameName, Moves, SearchOptions, State
from outplay.cli.output import say, stdout
from outplay.cli.start import load_checked, play_moves
from outplay.cli.tree import Plies, Seed, Simulations, TreeDepth, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import RenderableType
    from rich.text import Text

    from outplay.pictures.page import StepByStep

EXAMPLES = (
    "Examples:",
    '  outplay step "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"',
    "  outplay step tic-tac-toe --moves 'a1 b2 c3 a3 c1' --algorithm minimax",
    "  outplay step connect-four --algorithm mcts --simulations 20 --seed 1",
    "  outplay step pig --depth 2 > steps.txt",
    "Keys: → or space: forward; ←: back; Home and End: first and last step; Page Up and",
    "Page Down: ten steps; q: end. Without a terminal, all steps are printed.",
)
MOVES = {
    **dict.fromkeys(("\x1b[C", "\x1bOC", "\xe0M", "\x00M", " ", "\r", "\n", "n", "l", "j"), 1),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "\xe0K", "\x00K", "\x7f", "\b", "p", "h", "k"), -1),
    **dict.fromkeys(("\x1b[6~", "\xe0Q", "\x00Q"), 10),
    **dict.fromkeys(("\x1b[5~", "\xe0I", "\x00I"), -10),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "\xe0O", "\x00O", "G"), sys.maxsize),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "\xe0G", "\x00G", "g"), -sys.maxsize),
}
"""How many steps each key goes forward, as terminals and Windows write them."""
KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|[\xe0\x00].|.", re.DOTALL)
"""A key, as terminals and Windows write it; several that were pressed at once may come together."""
QUIT = ("q", "Q", "\x1b", "\x04")
HELP = "→ forward   ← back   Home, End   Page Up, Page Down   q end"
SIDE = 54
"""The width of the pseudo-code and the table, in columns."""


def step(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    depth: TreeDepth = None,
    plies: Plies = None,
    algorithm: Algorithm = None,
    settings: SearchOptions = None,
    simulations: Simulations = None,
    seed: Seed = None,
    evaluation: EvaluationName = None,
) -> None:
    """Show a search of textbooks or of simulations step by step: forward and back with the arrow keys."""
    rules = load_checked(game)
    states, _ = play_moves(rules, moves, state)
    trace, analysis, note = recorded(
        rules, states, algorithm, depth, simulations, seed, evaluation, settings=settings, in_steps=True
    )
    interrupted = analysis.stopped == "interrupted"
    if interrupted and not len(trace):
        raise typer.Exit(INTERRUPTED)
    steps = trace.steps(plies)
    if stdout().is_terminal and sys.stdin.isatty():
        browse(steps)
    else:
        say(steps.picture.title)
        if steps.mode:
            say(steps.mode, "dim")
        code = [line.partition("#")[0].strip() for line in steps.code]
        widest = max(map(len, code))
        for number, shown_step in enumerate(steps.steps, start=1):
            say(f"{number:>4}  {code[shown_step.line]:<{widest}}  {shown_step.say}")
    if note:
        say(note, "dim")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def browse(steps: "StepByStep") -> None:
    """Show the steps with keys, on a screen of their own."""
    browse_screens(len(steps.steps), partial(step_screen, steps))


def browse_screens(number: int, draw: "Callable[[int, int, int], RenderableType]", now: int = 0) -> None:
    """Show screens with keys, from screen `now` on; `draw` makes each for the width and the height of the terminal."""
    console = stdout()
    with console.screen() as screen:
        while True:
            screen.update(draw(now, console.width, console.height))
            try:
                keys = KEY.findall(typer.getchar())
            except EOFError:
                return
            for key in keys:
                if key in QUIT:
                    return
                now = min(max(now + MOVES.get(key, 0), 0), number - 1)


def step_screen(steps: "StepByStep", now: int, width: int, height: int) -> "RenderableType":
    """The screen of step `now`: what happens, the tree so far, and beside it the pseudo-code, a table and the state."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    step = steps.steps[now]
    head = [Text(steps.picture.title, style="bold", no_wrap=True, overflow="ellipsis")]
    if steps.mode:
        head.append(Text(steps.mode, style="dim", no_wrap=True, overflow="ellipsis"))
    head.append(Text(step.say))
    foot = Text(f"step {now + 1} of {len(steps.steps)}   {HELP}", style="dim", no_wrap=True, overflow="ellipsis")
    rows = max(height - len(head) - 2 - -(-len(step.say) // max(width, 1)), 3)
    code = [
        Text(line, style="reverse" if number == step.line else "", no_wrap=True, overflow="ellipsis")
        for number, line in enumerate(steps.code)
    ]
    below = [Text(), *_table(steps, now), Text(), *_board(steps, step.node)]
    if width < 2 * SIDE:
        tree = tree_lines(steps, now, rows // 2)
        room = rows - len(tree) - 1
        side = [*lines_around(code, step.line, max(room - len(below), room // 2, 1)), *below]
        return Group(*head, Text(), *tree, Text(), *side[:room], foot)
    tree = tree_lines(steps, now, rows)
    side = [*lines_around(code, step.line, max(rows - len(below), rows // 2)), *below]
    both = Table.grid(padding=(0, 2))
    both.add_column(width=width - SIDE - 2, no_wrap=True, overflow="ellipsis")
    both.add_column(width=SIDE, no_wrap=True, overflow="ellipsis")
    both.add_row(Group(*tree), Group(*side[:rows]))
    return Group(*head, Text(), both, foot)


def tree_lines(steps: "StepByStep", now: int, most: int) -> "list[Text]":
    """The tree so far, a line for each node, of which at most `most` around the present one."""
    from rich.text import Text

    values_seen, current, nodes = steps.seen(now), steps.steps[now].node, steps.picture.nodes
    path, above = {current}, steps.parents()
    node = current
    while above[node] >= 0:
        node = above[node]
        path.add(node)
    lines: list[Text] = []
    place = 0

    def add(number: int, margin: str, branch: str) -> None:
        nonlocal place
        caption, texts = steps.captions[number], values_seen.get(number, [])
        label = caption.label if caption.label or not nodes[number].lines else "✂ " + " ".join(nodes[number].lines)
        line = Text(margin + branch)
        style = "reverse bold" if number == current else "bold" if number in path else ""
        line.append(" ".join(filter(None, (label, caption.name))) or "root", style=style)
        line.append("  " + "  ".join(texts) if texts else "")
        if number == current:
            place = len(lines)
        lines.append(line)
        children = [child for child in nodes[number].children if child in values_seen]
        below = margin + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        for child in children:
            add(child, below, "└─ " if child is children[-1] else "├─ ")

    add(node, "", "")
    return lines_around(lines, place, most)


def lines_around(lines: "Sequence[Text]", place: int, most: int) -> "list[Text]":
    """At most so many of the lines, with the one at `place` among them.

    >>> lines_around("abcdef", 4, 3), lines_around("abcdef", 0, 3), lines_around("ab", 1, 3)
    (['d', 'e', 'f'], ['a', 'b', 'c'], ['a', 'b'])
    """
    start = min(max(place - most // 2, 0), max(len(lines) - most, 0))
    return list(lines[start : start + most])


def _table(steps: "StepByStep", now: int) -> "Sequence[Text]":
    """The table of a step: that of its own, or the values and windows of the path."""
    from rich.text import Text

    from outplay.engine.trace_drawing import aligned

    step = steps.steps[now]
    if step.table is None:
        values_seen, above = steps.seen(now), steps.parents()
        path: list[tuple[str, ...]] = []
        node = step.node
        while node >= 0:
            if steps.captions[node].label:
                path.insert(0, (steps.captions[node].label, *values_seen.get(node, [])))
            node = above[node]
        widest = max((len(row) for row in path), default=1)
        rows, title, marked = [(*row, *[""] * (widest - len(row))) for row in path], "The path", None
    else:
        title, head, cells = step.table
        rows, marked = [tuple(head), *map(tuple, cells)], step.marked
    lines = aligned(rows).splitlines() if rows else []
    styles = ["reverse" if marked is not None and number == marked + 1 else "" for number in range(len(lines))]
    return [Text(title, style="bold"), *(Text(line, style=style) for line, style in zip(lines, styles, strict=True))]


def _board(steps: "StepByStep", node: int) -> "Sequence[Text]":
    """The state of a node, or of the node above if it has none."""
    from rich.text import Text

    board = steps.captions[node].board or steps.captions[max(steps.parents()[node], 0)].board
    return [Text("The state", style="bold"), *map(Text, board.splitlines())] if board else []
