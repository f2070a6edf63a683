"""SVG as text: elements, the style that all pictures share, and the width of a text.

Colours are those of Okabe & Ito (2008), which people with any kind of colour blindness can tell apart. They are
variables of the style: light by default and in print, dark where the reader prefers that.
"""

import re
import unicodedata
from collections.abc import Iterable
from html import escape

LIGHT = {
    "paper": "#ffffff", "ink": "#1f2328", "faint": "#6e7781", "line": "#57606a", "fill": "#f6f8fa",
    "blue": "#0072b2", "orange": "#b34e00", "green": "#00795a", "pale-blue": "#dcecf7", "pale-orange": "#fbe6d5",
    "pale-green": "#d9efe7",
}  # fmt: skip
DARK = {
    "paper": "#0d1117", "ink": "#e6edf3", "faint": "#8d96a0", "line": "#8d96a0", "fill": "#161b22",
    "blue": "#56b4e9", "orange": "#f5a35c", "green": "#2fc79d", "pale-blue": "#12324a", "pale-orange": "#4a2a10",
    "pale-green": "#0b3b2e",
}  # fmt: skip
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
FIXED_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML does not allow in a text."""
SIZE = 13
"""The size of the font, in pixels."""


def variables(colours: dict[str, str]) -> str:
    """The declarations of these colours in a style."""
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


def element(tag: str, content: str = "", **attributes: object) -> str:
    """An element; a `_` at the end of an attribute's name is dropped, other ones become `-`.

    >>> element("text", "a < b", x=1, text_anchor="middle", class_="name")
    '<text x="1" text-anchor="middle" class="name">a &lt; b</text>'
    >>> element("path", d="M0 0")
    '<path d="M0 0"/>'
    """
    return parent(tag, [escape(clean(content), quote=False)] if content else [], **attributes)


def parent(tag: str, children: Iterable[str], **attributes: object) -> str:
    """An element that contains others."""
    names = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    head = tag + "".join(f' {name}="{escape(clean(number(value)))}"' for name, value in names.items())
    inside = "".join(children)
    return f"<{head}>{inside}</{tag}>" if inside else f"<{head}/>"


def clean(text: str) -> str:
    """A text without what XML does not allow.

    >>> clean("a" + chr(27) + "b") == "a" + chr(0xFFFD) + "b"
    True
    """
    return INVALID.sub("\ufffd", text)


def number(value: object) -> str:
    """A number with at most one digit after the point, or any other value, as text.

    >>> number(2.0), number(2.06), number("x")
    ('2', '2.1', 'x')
    """
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def text_width(text: str, size: float = SIZE, fixed: bool = False) -> float:
    """About the width of a text in pixels, rather too much than too little.

    >>> text_width("abc"), text_width("将") == SIZE
    (24.57, True)
    """
    narrow = 0.62 if fixed else 0.63
    return sum(size * (1.0 if unicodedata.east_asian_width(mark) in "WF" else narrow) for mark in text)


def picture(children: Iterable[str], width: float, height: float, title: str, style: str = "", **more: object) -> str:
    """A whole picture: a document of its own, which can also stand within a page; `more` are attributes of it."""
    rules = (
        f".outplay{{{variables(LIGHT)}color-scheme:light dark;font:{SIZE}px {FONT}}}"
        f"@media(prefers-color-scheme:dark){{.outplay{{{variables(DARK)}}}}}"
        f"@media print{{.outplay{{{variables(LIGHT)}}}}}"
        f".outplay text{{fill:var(--ink)}}{style}"
    )
    return parent(
        "svg",
        [
            element("title", title),
            element("style", rules),
            element("rect", width="100%", height="100%", style="fill:var(--paper)"),
            *children,
        ],
        xmlns="http://www.w3.org/2000/svg",
        class_="outplay",
        width=width,
        height=height,
        viewBox=f"0 0 {number(width)} {number(height)}",
        role="img",
        **more,
    )
