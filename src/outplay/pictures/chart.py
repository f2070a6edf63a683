"""Charts as SVG, for pages that need no other library: values with intervals, bars, and curves.

chart([Series("first", points)], ["random", "16", "64"])     a point for each name, with whiskers
histogram([31, 35, 28, …], "moves")                          how many numbers are in each class
curve([Series("16", points)], "move")                        numbers along an axis of numbers
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from outplay.pictures import svg

WIDTH, HEIGHT = 460.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 14.0, 16.0, 44.0
TICKS = 5
COLOURS = ("blue", "orange", "green", "faint", "line")


class Value(NamedTuple):
    """A point: where it is, and its interval if it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


class Series(NamedTuple):
    """Points that belong together, and the number of their colour."""

    name: str
    points: Sequence[Value]
    colour: int = 0

    @property
    def paint(self) -> str:
        """The name of the colour."""
        return COLOURS[self.colour % len(COLOURS)]


def chart(
    series: Sequence[Series],
    names: Sequence[str],
    title: str,
    *,
    text_of: Callable[[float], str] = "{:g}".format,
    within: tuple[float, float] | None = None,
    line_at: float | None = None,
) -> str:
    """Values with intervals above names; the `x` of a point is the place of its name.

    Args:
        series: the points.
        names: the names below.
        title: what it shows, for readers that do not see it.
        text_of: how numbers are written.
        within: the least and the greatest number of the axis; by default those of the points.
        line_at: a level to mark.
    """
    frame = _Frame(_range(series, within), (-0.5, len(names) - 0.5), text_of)
    parts = [*frame.grid(), *_marked(frame, line_at)]
    parts += [_text(name, frame.x(place), HEIGHT - BOTTOM + 16, "middle") for place, name in enumerate(names)]
    shift = 0.12
    for number, one_series in enumerate(series):
        off = shift * (number - (len(series) - 1) / 2)
        moved = [Value(point.x + off, *point[1:]) for point in one_series.points]
        parts += _line(frame, moved, one_series.paint, whiskers=True)
    return _picture([*parts, *_legend(series)], title)


def curve(
    series: Sequence[Series],
    title: str,
    along: str,
    *,
    text_of: Callable[[float], str] = "{:g}".format,
    within: tuple[float, float] | None = None,
) -> str:
    """Curves along an axis of numbers, whose name is `along`; the other arguments are those of `chart`."""
    places = [point.x for one_series in series for point in one_series.points]
    frame = _Frame(_range(series, within), (min(places), max([*places, min(places) + 1])), text_of)
    parts = [*frame.grid(), *frame.numbers_below(), _text(along, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle")]
    for curve_drawn in series:
        parts += _line(frame, curve_drawn.points, curve_drawn.paint, whiskers=False)
    return _picture([*parts, *_legend(series)], title)


def histogram(numbers: Sequence[float], title: str, along: str, classes: int = 24) -> str:
    """How many of the numbers are in each class; classes are whole numbers wide."""
    least, greatest = math.floor(min(numbers)), math.floor(max(numbers))
    size = max(1, math.ceil((greatest - least + 1) / classes))
    count = (greatest - least) // size + 1
    heights = [0] * count
    for number in numbers:
        heights[(math.floor(number) - least) // size] += 1
    frame = _Frame((0.0, max(heights) / len(numbers)), (least - 0.5, least + count * size - 0.5), "{:.0%}".format)
    parts = [*frame.grid(), *frame.numbers_below(), _text(along, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle")]
    for place, height in enumerate(heights):
        x, right = frame.x(least + place * size - 0.5), frame.x(least + (place + 1) * size - 0.5)
        y = frame.y(height / len(numbers))
        box = {"x": x + 0.5, "y": y, "width": max(1.0, right - x - 1.0), "height": max(0.0, HEIGHT - BOTTOM - y)}
        first = least + place * size
        name = f"{first}" if size == 1 else f"{first} to {first + size - 1}"
        tip = svg.element("title", f"{name}: {height} of {len(numbers)}")
        parts.append(svg.parent("rect", [tip], fill="blue", rx=1, **box))
    return _picture(parts, title)


class _Frame:
    """The axes: from numbers to pixels."""

    def __init__(self, tall: tuple[float, float], wide: tuple[float, float], text_of: Callable[[float], str]) -> None:
        self.ticks = ticks(*tall)
        self.low, self.high = min(tall[0], self.ticks[0]), max(tall[1], self.ticks[-1])
        self.left, self.right, self.text_of = *wide, text_of

    def x(self, value: float) -> float:
        return LEFT + (value - self.left) / (self.right - self.left) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return HEIGHT - BOTTOM - (inside - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)

    def grid(self) -> list[str]:
        parts = []
        for tick in self.ticks:
            y = self.y(tick)
            parts.append(
                svg.element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke="line", stroke_opacity=".22")
            )
            parts.append(_text(self.text_of(tick), LEFT - 7, y + 4, "end"))
        y = HEIGHT - BOTTOM
        return [*parts, svg.element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke="line")]

    def numbers_below(self) -> list[str]:
        inside = [tick for tick in ticks(self.left, self.right) if self.left <= tick <= self.right]
        return [_text(f"{tick:g}", self.x(tick), HEIGHT - BOTTOM + 15, "middle") for tick in inside]


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers from `low` to `high`, or a little beyond.

    >>> ticks(0, 0.97), ticks(12, 42)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [10.0, 20.0, 30.0, 40.0, 50.0])
    """
    if high <= low:
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / TICKS
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in (1, 2, 5, 10) if raw <= size * factor * 1.0001)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 12) + 0.0 for number in range(first, last + 1)]


def _range(series: Sequence[Series], within: tuple[float, float] | None) -> tuple[float, float]:
    if within is not None:
        return within
    numbers = [number for one in series for point in one.points for number in point[1:] if number is not None]
    numbers = [number for number in numbers if math.isfinite(number)]
    return min(numbers), max(numbers)


def _marked(frame: _Frame, level: float | None) -> list[str]:
    if level is None:
        return []
    y = frame.y(level)
    return [svg.element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke="line", stroke_dasharray="4 4")]


def _line(frame: _Frame, points: Sequence[Value], colour: str, whiskers: bool) -> list[str]:
    """A line through points, which are marked if there are whiskers."""
    stroke = {"stroke": colour, "fill": "none"}
    path = " ".join(f"{frame.x(point.x):.1f},{frame.y(point.y):.1f}" for point in points)
    parts = [svg.element("polyline", points=path, **stroke, stroke_width=1.8, stroke_linejoin="round")]
    for point in points if whiskers else ():
        x, y = frame.x(point.x), frame.y(point.y)
        words = frame.text_of(point.y)
        if point.low is not None and point.high is not None:
            low, high = frame.y(point.low), frame.y(point.high)
            parts.append(svg.element("path", d=f"M{x:.1f} {low:.1f}V{high:.1f}", **stroke, stroke_width=1.4))
            ends = f"M{x - 4:.1f} {low:.1f}h8M{x - 4:.1f} {high:.1f}h8"
            parts.append(svg.element("path", d=ends, **stroke, stroke_width=1.4))
            words += f", {frame.text_of(point.low)} to {frame.text_of(point.high)}"
        dot = [svg.element("title", words)]
        parts.append(svg.parent("circle", dot, cx=x, cy=y, r=3.6, fill=colour))
    return parts


def _legend(series: Sequence[Series]) -> list[str]:
    """The names of several series, at the top."""
    if len(series) < 2:
        return []
    parts, x = [], LEFT + 4
    for curve_drawn in series:
        parts.append(svg.element("rect", x=x, y=3, width=10, height=10, rx=2, fill=curve_drawn.paint))
        parts.append(_text(curve_drawn.name, x + 14, 12, "start"))
        x += 28 + svg.text_width(curve_drawn.name, 10)
    return parts


def _text(text: str, x: float, y: float, anchor: str) -> str:
    return svg.element("text", text, x=x, y=y, text_anchor=anchor, font_size=11, fill="faint")


def _picture(parts: Sequence[str], title: str) -> str:
    return svg.picture(parts, WIDTH, HEIGHT, title)
