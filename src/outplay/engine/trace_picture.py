"""A trace as a picture of a tree: shapes for players, values and windows, the best line, what was cut off or folded."""

from typing import Any

from outplay.engine.trace_drawing import MAX_NAMES, Drawing
from outplay.engine.visits import SKIPPED, Visit
from outplay.pictures import tree
from outplay.pictures.board import Inset, inset
from outplay.pictures.show import picture_of
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game

SHAPES = {"MAX": tree.MAX, "MIN": tree.MIN, "chance": tree.CHANCE}
QUIET = ("end", "all searched", "cut")
"""Reasons that a picture does not spell out: it shows them."""


def tree_picture(drawing: Drawing, plies: int, boards: bool) -> tree.TreePicture:
    """The picture of a tree down to `plies` plies; with `boards`, each state is drawn in its node."""
    return tree.TreePicture(laid_out(drawing, plies, boards)[0], drawing.picture_title())


def laid_out(drawing: Drawing, plies: int, boards: bool) -> tuple[list[tree.Node], list[Visit | None]]:
    """The nodes of the picture, and the visit that each shows; None for one that shows what was not visited.

    If there were several windows at the root, a node above all of them says so.
    """
    nodes: list[tree.Node] = []
    drawn_visits: list[Visit | None] = []
    best = _best_line(drawing)
    roots = drawing.children[None]
    if len(roots) > 1:
        nodes.append(tree.Node(tree.OTHER, [f"{len(roots)} windows"]))
        drawn_visits.append(None)
    waiting = [(visit, len(nodes) - 1) for visit in reversed(roots)]
    while waiting:
        visit, above = waiting.pop()
        number = len(nodes)
        nodes.append(_node(drawing, visit, plies, boards, visit.index in best))
        drawn_visits.append(visit)
        if above >= 0:
            nodes[above].children.append(number)
        if visit.ply < plies:
            waiting += [(child, number) for child in reversed(drawing.children[visit.index])]
    for number, drawn in enumerate(list(drawn_visits)):
        if drawn is not None and drawn.skipped and drawn.ply < plies:
            nodes[number].children.append(len(nodes))
            shape = tree.CUT if drawn.why == "cut" else tree.LEFT
            nodes.append(tree.Node(shape, _left_out(drawing, drawn)))
            drawn_visits.append(None)
    return nodes, drawn_visits


def _node(drawing: Drawing, visit: Visit, plies: int, boards: bool, is_best: bool) -> tree.Node:
    value, window, _ = drawing.columns(visit, plies)
    mover = "" if visit.player is None else drawing.mover(visit)
    name = drawing.node_name(visit)
    lines = [f"{name} {value}".strip()]
    if visit.player is not None and visit.player != CHANCE and drawing.windows:
        lines.append(window.replace("inf", "∞").replace("-", "−"))
    if visit.why not in QUIET:
        lines.append(visit.why)
    hidden = drawing.below[visit.index] if visit.ply >= plies else 0
    if hidden:
        lines.append(f"{hidden:,} below")
    if drawing.root.values is not None and mover:
        lines.insert(1, mover)
    shape = tree.END if visit.player is None else SHAPES.get(mover, tree.OTHER)
    node = tree.Node(shape, lines, drawing.edge(visit), is_best)
    if boards:
        draw_state(node, drawing.game, visit.state, visit.player)
    return node


def draw_state(node: tree.Node, game: Game, state: Any, player: int | None) -> None:
    """Draw a state in its node, in the colour of the player to move if pieces have it."""
    node.board, board = game.render(state).splitlines(), picture_of(game, state)
    if board is None:
        return
    node.inset = inset(board)
    if player is not None and 0 <= player < len(board.colours) and board.colours[player] in tree.PLAYERS:
        node.colour = board.colours[player]


def seen_state(game: Game, state: Any) -> tuple[str, Inset | None]:
    """A state as a page of steps shows it: as text, and its board. If that is wrong, the text says so instead."""
    text = game.render(state)
    try:
        board = picture_of(game, state)
        return text, None if board is None else inset(board, whole=True)
    except RulesError as error:
        return f"{text}\n\n{error}", None


def _left_out(drawing: Drawing, visit: Visit) -> list[str]:
    """The texts for actions that were not searched."""
    names = drawing.skipped_names(visit)
    rest_lines = [f"and {len(visit.skipped) - MAX_NAMES} more"] if len(visit.skipped) > MAX_NAMES else []
    return [*names, *rest_lines, SKIPPED[visit.why]]


def _best_line(drawing: Drawing) -> set[int]:
    """The visits on the line from the root of the last window on along which the value does not change."""
    visit = drawing.children[None][-1]
    line: set[int] = set()
    while True:
        value = visit.value if visit.values is None else visit.values
        same = [
            child
            for child in drawing.children[visit.index]
            if child.action is not None and value is not None and value in (child.value, child.values)
        ]
        if not same or visit.player == CHANCE:
            return line
        visit = same[0]
        line.add(visit.index)
