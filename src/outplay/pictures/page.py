"""A search step by step, and its page: one HTML file, without a server and without requests to any host.

`steps.html` is the page; its script shows the steps and draws nothing by itself.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from outplay.pictures import svg
from outplay.pictures.board import Inset
from outplay.pictures.tree import UNSEARCHED, TreePicture

BOARD_WIDTH, BOARD_HEIGHT = 390.0, 190.0
"""The maximum size of the picture of a state at the side of the page, in pixels."""


@dataclass(frozen=True)
class Step:
    """What happens in a step.

    Attributes:
        node: the number of the node, in the picture, at which it happens; from then on, it is seen.
        line: the number of the line of the pseudo-code that runs.
        say: what happens, in a sentence or two.
        v: the value that the node has from now on; None: as before.
        window: alpha and beta that it has from now on; None: as before.
        done: whether the node returns.
        texts: the lines of nodes that change in this step, by number of the node; they are seen from then on.
        table: what is shown instead of the path: a heading, the names of the columns, and rows.
        marked: the number of the row of the table that is marked.
    """

    node: int
    line: int
    say: str
    v: str | None = None
    window: tuple[str, str] | None = None
    done: bool = False
    texts: dict[int, Sequence[str]] | None = None
    table: tuple[str, Sequence[str], Sequence[Sequence[str]]] | None = None
    marked: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The step for the script."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Caption:
    """What the page says of a node: who moves there and by which action, its name, and its state as text.

    `inset` is a picture of the state, which the page shows instead of the text.
    """

    label: str
    name: str = ""
    board: str = ""
    inset: Inset | None = None


@dataclass(frozen=True)
class StepByStep:
    """A search step by step.

    Attributes:
        picture: the whole tree.
        captions: one for each of its nodes.
        code: the lines of the pseudo-code.
        steps: what happens, in order.
        mode: which form of the algorithm this is, in a sentence; or "".
    """

    picture: TreePicture
    captions: Sequence[Caption]
    code: Sequence[str]
    steps: Sequence[Step]
    mode: str = ""

    def __repr__(self) -> str:
        return f"<StepByStep {self.picture.title!r}, {len(self.steps)} steps: save('steps.html') writes them>"

    def parents(self) -> list[int]:
        """The number of the node above each node; -1 for a root."""
        parents = [-1] * len(self.picture.nodes)
        for number, node in enumerate(self.picture.nodes):
            for child in node.children:
                parents[child] = number
        return parents

    def seen(self, number: int) -> dict[int, list[str]]:
        """The nodes that are seen after step `number`, from 0, with the texts beside each: its value and its window."""
        values: dict[int, str] = {}
        windows: dict[int, str] = {}
        texts: dict[int, Sequence[str]] = {}
        for step in self.steps[: number + 1]:
            values[step.node] = step.v if step.v is not None else values.get(step.node, "")
            if step.window is not None:
                windows[step.node] = f"({step.window[0]}, {step.window[1]})"
            texts.update(step.texts or {})
        values = dict.fromkeys(texts, "") | values
        return {
            node: [part for part in (texts[node] if node in texts else (value, windows.get(node, ""))) if part]
            for node, value in values.items()
        }

    def html(self) -> str:
        """The page as HTML."""
        drawn: dict[str, int] = {}  # the pictures of states, each once
        pictures = [
            None if caption.inset is None else drawn.setdefault(_board(caption.inset), len(drawn))
            for caption in self.captions
        ]
        nodes = [
            {
                "parent": parent,
                "label": caption.label,
                "name": caption.name,
                **({"board": caption.board} if caption.board else {}),
                **({"picture": picture} if picture is not None else {}),
                **({"cut": True} if node.shape in UNSEARCHED else {}),
            }
            for node, parent, caption, picture in zip(
                self.picture.nodes, self.parents(), self.captions, pictures, strict=True
            )
        ]
        windows = any(step.window for step in self.steps)
        steps = [step.as_dict() for step in self.steps]
        data = {"code": list(self.code), "nodes": nodes, "steps": steps, "windows": windows, "pictures": list(drawn)}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        template = Template(files("outplay.pictures").joinpath("steps.html").read_text("utf-8"))
        return template.substitute(
            title=escape(svg.clean(self.picture.title)),
            mode=f'<p id="mode">{escape(svg.clean(self.mode))}</p>' if self.mode else "",
            light=svg.variables(),
            dark=svg.variables(dark=True),
            font=svg.FONT,
            fixed=svg.FIXED_FONT,
            svg=self.picture.svg(apart=True),
            boards=svg.dark_style("".join(drawn)),
            data=svg.clean(text).replace("<", "\\u003c"),  # nothing in it ends the script
        )


def _board(inset: Inset) -> str:
    """The picture of a state at the side of the page."""
    width = min(BOARD_WIDTH, BOARD_HEIGHT * inset.width / inset.height, inset.width)
    height = width * inset.height / inset.width
    return svg.fragment([inset.svg(0.0, 0.0, width)], width, height)
