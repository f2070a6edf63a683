"""Tints of places, outlines, and sizes of writing on boards."""

from collections.abc import Sequence
from typing import Any

from outplay.pictures import svg
from outplay.rules.actions import name_of
from outplay.rules.board import Piece, Place

FILLS = {
    "black": ("#1b1b1b", "#f4f4f0"), "white": ("#fbfbf6", "#1b1b1b"), "blue": ("#0072b2", "#ffffff"),
    "orange": ("#e69f00", "#1b1b1b"), "green": ("#009e73", "#111111"), "purple": ("#cc79a7", "#1b1b1b"),
    "yellow": ("#f0e442", "#1b1b1b"), "red": ("#c43c00", "#ffffff"), "grey": ("#c3c9d0", "#1b1b1b"),
    "ink": ("ink", "paper"),
}  # fmt: skip
"""The colour of a piece, and that of what is written on it."""
WRITING = {
    "blue": "blue", "orange": "orange", "green": "green", "purple": "#b0508a", "yellow": "#9a8a00", "red": "b-red",
    "black": "#1b1b1b", "white": "#fbfbf6", "grey": "ink",
}  # fmt: skip
"""The colour of a glyph without a piece below it."""
OUTLINES = {"white": "#1b1b1b", "black": "#f4f4f0"}
"""The colour around such a glyph."""
EDGE: dict[str, Any] = {"stroke": "#000", "stroke_opacity": ".33"}
"""The edge of a place."""
SHADES: dict[str, dict[str, Any]] = {
    **{shade: {"fill": f"b-{shade}"} for shade in ("light", "dark", "wood", "green", "blue", "orange")},
    "wall": {"fill": "b-wall", "stroke": "b-wall", "stroke_opacity": None},
    "plain": {"fill": "fill", "stroke": "faint", "stroke_opacity": None},
    "line": {"fill": "b-line", "stroke": "b-line", "stroke_opacity": None, "stroke_width": 1.3},
}
"""How places are drawn."""
UNSEEN: dict[str, Any] = {"fill": "none"}
"""How places are drawn that only carry a name."""
SMALLER = 0.62
"""How large pieces are on a tinted cell."""


def rectangle(x: float, y: float, width: float, height: float, rounding: float | None = None, **look: Any) -> str:
    """A rectangle around a point."""
    return svg.element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=rounding, **look)


def place_name(place: Place) -> str | None:
    """The name of a place as people use it."""
    return None if place.cell is None else place.name or name_of(place.cell)


def place_look(place: Place) -> dict[str, Any]:
    """How a place is drawn."""
    if place.shape in ("point", "none") or place.shade == "none":
        return UNSEEN
    is_flat = place.shape == "square" and place.shade in ("light", "dark")
    return SHADES[place.shade] if is_flat else EDGE | SHADES[place.shade]


def with_room(place: Place, pieces: Sequence[Piece]) -> Place:
    """Where pieces are smaller, so that a tint is seen around them, and a number above seeds or below others."""
    down = 0.1 * place.height * (1 if pieces and pieces[0].shape == "seeds" else -1)
    return place._replace(y=place.y + down, width=SMALLER * place.width, height=SMALLER * place.height, shade="plain")


def tint(share: float) -> dict[str, Any]:
    """The tint of a cell, from -1 to 1."""
    return {"fill": "b-mark" if share < 0 else "green", "fill_opacity": f"{0.85 * abs(share):.2f}"}


def piece_look(colour: str) -> dict[str, Any]:
    """How a piece of this colour is drawn."""
    if colour == "ink":
        return {"fill": "ink"}
    return {"fill": FILLS[colour][0], "stroke": "#8a8a86" if colour == "black" else "#1b1b1b", "stroke_width": 1.1}


def ink_on(shade: str) -> str:
    """The colour of a text without a piece below it, on a place of this shade."""
    if shade in ("plain", "none"):
        return "ink"
    return "b-on-dark" if shade == "dark" else "#f4f4f0" if shade in ("green", "blue", "wall", "line") else "#1b1b1b"


def fitting_size(text: str, width: float, height: float) -> float:
    """The size of letters with which a text fits into a box."""
    plain = text.replace("\ufe0e", "")
    return min(height, width / max(svg.text_width(plain, 1.0), 0.01)) if len(plain) > 1 else height
