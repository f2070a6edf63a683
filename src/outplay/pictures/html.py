"""Small pieces of HTML, for notebooks."""

from collections.abc import Sequence
from html import escape

BAR, GROUND = "#2e86c8", "#888888"
"""The colours of bars and of what is left of them, which can be seen on light and on dark pages."""
WIDTH, HEIGHT = 60.0, 9.0
"""The size of a bar in pixels."""


class Markup(str):
    """HTML that a table takes as it is."""

    __slots__ = ()


def paragraph(text: str, bold: bool = False) -> str:
    """A paragraph.

    >>> paragraph("a < b", bold=True)
    '<p><b>a &lt; b</b></p>'
    """
    words = escape(text, quote=False)
    return f"<p><b>{words}</b></p>" if bold else f"<p>{words}</p>"


def bar(share: float, text: str) -> Markup:
    """A bar for a number from 0 to 1, and the number as text.

    >>> bar(0.5, "1/2").count("<rect")
    2
    """
    shape = f'height="{HEIGHT:g}" rx="2" fill='
    full = f'<rect width="{WIDTH:g}" {shape}"{GROUND}" fill-opacity="0.25"/>'
    part = f'<rect width="{WIDTH * share:.1f}" {shape}"{BAR}"/>' if WIDTH * share >= 0.05 else ""
    drawing = f'<svg width="{WIDTH:g}" height="{HEIGHT:g}" aria-hidden="true">{full}{part}</svg>'
    return Markup(f'<span style="white-space:nowrap">{drawing} {escape(text, quote=False)}</span>')


def text_block(text: str) -> str:
    """A text with its line breaks, in letters of equal width.

    >>> text_block("X < O")
    '<pre style="line-height:1.25">X &lt; O</pre>'
    """
    return f'<pre style="line-height:1.25">{escape(text, quote=False)}</pre>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, aligned to the left. Cells are escaped, unless they are `Markup`.

    >>> table(["action"], [["a1"]])
    '<table><tr><th style="text-align:left">action</th></tr><tr><td style="text-align:left">a1</td></tr></table>'
    """
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _row(kind: str, cells: Sequence[str]) -> str:
    texts = (cell if isinstance(cell, Markup) else escape(cell, quote=False) for cell in cells)
    inside = "".join(f'<{kind} style="text-align:left">{text}</{kind}>' for text in texts)
    return f"<tr>{inside}</tr>"
