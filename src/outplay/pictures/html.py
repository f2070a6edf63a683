"""Small pieces of HTML, for notebooks."""

from collections.abc import Sequence
from html import escape


def text_block(text: str) -> str:
    """A text with its line breaks, in letters of equal width.

    >>> text_block("X < O")
    '<pre style="line-height:1.25">X &lt; O</pre>'
    """
    return f'<pre style="line-height:1.25">{escape(text, quote=False)}</pre>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, aligned to the left.

    >>> table(["action"], [["a1"]])
    '<table><tr><th style="text-align:left">action</th></tr><tr><td style="text-align:left">a1</td></tr></table>'
    """
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _row(kind: str, cells: Sequence[str]) -> str:
    inside = "".join(f'<{kind} style="text-align:left">{escape(cell, quote=False)}</{kind}>' for cell in cells)
    return f"<tr>{inside}</tr>"
