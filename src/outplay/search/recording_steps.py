"""Outplay's own alpha-beta step by step: iterations, windows, what the table had, and what each technique does.

`alpha_beta_steps` makes the page; `steps/iteration.py` has the steps of an iteration.
"""

from outplay.engine.recorded_visits import MAX_PICTURE_NODES, Visits
from outplay.engine.trace_drawing import Drawing
from outplay.pictures.page import Caption, Step, StepByStep
from outplay.search import pseudo_code as code
from outplay.search.options import HowSearched
from outplay.search.steps.iteration import Iteration

MAX_STEP_NODES = 1_000
"""The maximum number of states on a page for which no number of plies was given."""
MAX_ASKED_NODES = 10_000
"""The maximum number of states if it was given."""


def alpha_beta_steps(recording: Visits, how: HowSearched, number: int | None, plies: int | None) -> StepByStep:
    """The steps of the iteration to depth `number`, or of all; see `Trace.save` for the arguments."""
    depths = recording.iterations()
    shown = depths if number is None else [number]
    left_out = ""
    if recording.dropped:
        whole = depths[:-1] or depths
        left_out = f", {recording.dropped:,} more not recorded"
        shown = shown if number is not None else whole
    drawings = [recording.drawing(depth) for depth in shown]
    lines = code.pseudo_code(how.techniques, recording.game, how.beam, depths)
    steps: list[Step] = []
    captions: list[Caption] = []
    trees: list[Iteration] = []
    for place, (drawing, deep) in enumerate(zip(drawings, _plies(drawings, plies), strict=True)):
        is_last = place == len(drawings) - 1
        before = drawings[place - 1] if place else None
        tree = Iteration(recording, how.techniques, drawing, deep, lines, len(captions), before, is_last=is_last)
        steps += tree.all()
        captions += tree.captions()
        trees.append(tree)
    first, *more = (tree.picture() for tree in trees)
    visits = sum(len(drawing.visits) for drawing in drawings)
    return StepByStep(
        picture=first,
        captions=captions,
        code=[text for _, text in lines],
        steps=steps,
        more=more,
        title=f"{recording.method}, depth {shown[-1]}, {visits:,} visits{left_out}",
        mode=code.in_words(how.techniques, recording.game, how.beam, how.threads),
    )


def _plies(drawings: list[Drawing], plies: int | None) -> list[int]:
    """The plies to show of each iteration: of the last one as many as fit, and of the others."""
    if plies is not None:
        total = sum(drawing.lines(plies) for drawing in drawings)
        if total > MAX_ASKED_NODES:
            raise ValueError(
                f"{plies} plies are {total:,} states, and a page shows {MAX_ASKED_NODES:,}:"
                " choose fewer plies, or an iteration"
            )
        return [plies] * len(drawings)
    chosen, left = [], MAX_STEP_NODES - MAX_PICTURE_NODES
    for number, drawing in enumerate(drawings[:-1]):
        most = min(left // (len(drawings) - 1 - number), MAX_PICTURE_NODES)
        chosen.append(_deepest(drawing, most))
        left -= drawing.lines(chosen[-1])
    return [*chosen, _deepest(drawings[-1], MAX_PICTURE_NODES)]


def _deepest(drawing: Drawing, most: int) -> int:
    """The plies that fit into so many nodes; 0 if only the windows at the root do."""
    plies = drawing.deepest(most)
    return plies if drawing.lines(plies) <= most else 0
