"""SVG as text: elements, the colours that all pictures share, and the width of a text.

Colours are those of Okabe & Ito (2008), which people with any kind of colour blindness can tell apart. An element names
its colours, `fill="blue"`. It gets the light one as an attribute, which every program that draws SVG understands, and a
class, `f-blue`, for which the style of the picture has the dark one: browsers take it where the reader prefers that.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

COLOURS = {
    "paper": ("#ffffff", "#0d1117"), "ink": ("#1f2328", "#e6edf3"), "faint": ("#6e7781", "#8d96a0"),
    "line": ("#57606a", "#8d96a0"), "fill": ("#f6f8fa", "#161b22"),
    "blue": ("#0072b2", "#56b4e9"), "orange": ("#b34e00", "#f5a35c"), "green": ("#00795a", "#2fc79d"),
    "pale-blue": ("#dcecf7", "#12324a"), "pale-orange": ("#fbe6d5", "#4a2a10"), "pale-green": ("#d9efe7", "#0b3b2e"),
}  # fmt: skip
"""The colours of texts, lines and pages, in light and in dark surroundings."""
BOARD_COLOURS = {
    "b-light": ("#f0dfc0", "#c3ae8a"), "b-dark": ("#b98d62", "#80603f"), "b-wood": ("#e8c88f", "#b3925f"),
    "b-green": ("#3d8c66", "#2c684b"), "b-blue": ("#3f77b5", "#2c5587"), "b-orange": ("#e69f00", "#b87f00"),
    "b-wall": ("#34508f", "#5b7fd0"), "b-line": ("#4d3a22", "#33260f"), "b-red": ("#c92a2a", "#ff8787"),
    "b-on-dark": ("#1b1b1b", "#fbf4e4"), "b-mark": ("#c2255c", "#ff8fb8"),
}  # fmt: skip
"""The colours of boards and of what is marked on them."""
PALETTE = COLOURS | BOARD_COLOURS
CLASSES = {f"{kind[0]}-{name}": f"{kind}:{dark}" for name, (_, dark) in PALETTE.items() for kind in ("fill", "stroke")}
"""The classes of elements with these colours, and what a dark style says of each."""
SHRINKING = "@media screen{.outplay.shrinks{max-width:100%;height:auto}}"
"""The rule for pictures that are never wider than the page."""
FONT = (
    "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, Noto Sans, Liberation Sans,"
    " DejaVu Sans, sans-serif"
)
FIXED_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace"
INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML does not allow in a text."""
SIZE = 13
"""The size of the font, in pixels."""


def variables(dark: bool = False) -> str:
    """The declarations of the colours of a page."""
    return "".join(f"--{name}:{pair[dark]};" for name, pair in COLOURS.items())


def dark_style(drawn: str) -> str:
    """The rules that give these elements their colours in dark surroundings; in print, they stay light.

    >>> dark_style(element("path", d="M0 0", stroke="blue"))
    '@media screen and (prefers-color-scheme:dark){.outplay{fill:#e6edf3}.outplay .s-blue{stroke:#56b4e9}}'
    """
    used = {class_name for names in re.findall(r' class="([^"]*)"', drawn) for class_name in names.split()}
    rules = "".join(f".outplay .{name}{{{rule}}}" for name, rule in CLASSES.items() if name in used)
    return f"@media screen and (prefers-color-scheme:dark){{.outplay{{fill:{PALETTE['ink'][1]}}}{rules}}}"


def element(tag: str, content: str = "", **attributes: Any) -> str:
    """An element; a `_` at the end of an attribute's name is dropped, other ones become `-`.

    `fill` and `stroke` may name a colour of the palette. Attributes that are None are left out.

    >>> element("text", "a < b", x=1, text_anchor="middle", class_="name", fill="blue")
    '<text x="1" text-anchor="middle" class="name f-blue" fill="#0072b2">a &lt; b</text>'
    >>> element("path", d="M0 0")
    '<path d="M0 0"/>'
    """
    return parent(tag, [escape(clean(content), quote=False)] if content else [], **attributes)


def parent(tag: str, children: Iterable[str], **attributes: Any) -> str:
    """An element that contains others."""
    by_name = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    classes = [by_name["class"]] if "class" in by_name else []
    for kind in ("fill", "stroke"):
        if by_name.get(kind) in PALETTE:
            classes.append(f"{kind[0]}-{by_name[kind]}")
            by_name[kind] = PALETTE[str(by_name[kind])][0]
    if classes:
        by_name["class"] = " ".join(map(str, classes))
    head = tag + "".join(f' {name}="{escape(clean(number(value)))}"' for name, value in by_name.items())
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


def lines_of_text(lines: Sequence[str], x: float, places: Sequence[float], size: float) -> str:
    """Lines in letters of equal width, from `x` on; `places` are their heights."""
    texts = [element("text", line, x=x, y=y) for line, y in zip(lines, places, strict=True)]
    look = {"font_family": FIXED_FONT, "font_size": size, "text_anchor": "start", "xml:space": "preserve"}
    return parent("g", texts, class_="fixed", **look)


def fragment(children: Iterable[str], width: float, height: float, class_: str = "outplay", **more: Any) -> str:
    """A picture within a page, whose style must contain its `dark_style`; `more` are attributes."""
    return parent(
        "svg",
        children,
        **more,
        class_=class_,
        width=width,
        height=height,
        fill=PALETTE["ink"][0],
        font_family=FONT,
        font_size=SIZE,
    )


def picture(children: Iterable[str], width: float, height: float, title: str, shrinks: bool = False) -> str:
    """A whole picture: a document of its own, which can also stand within a page, no wider than it if it `shrinks`."""
    drawn = "".join([element("rect", width="100%", height="100%", fill="paper"), *children])
    return fragment(
        [element("title", title), element("style", dark_style(drawn) + SHRINKING * shrinks), drawn],
        width,
        height,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        role="img",
        class_="outplay shrinks" if shrinks else "outplay",
    )
