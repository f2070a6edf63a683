"""What messages show of names, values and states: a bounded part, and no control characters.

Files, bots and the rules of a user may hold lists of millions, and texts that would steer a terminal.
"""

import reprlib
from collections.abc import Iterable, Sized
from itertools import islice
from typing import Any

MAX_NAMES = 30
"""The maximum number of names that a message lists."""
MAX_SHOWN = 100
"""The maximum number of characters of a value in a message."""
MAX_LINES = 40
"""The maximum number of lines of a state in a message."""
MAX_MESSAGE = 5000
"""The maximum number of characters of a message."""
STEERS = (*range(32), *range(127, 160), *range(0x2028, 0x202F), *range(0x2066, 0x206A), *range(0xD800, 0xE000))
"""Characters that steer a terminal or cannot be printed: control characters, other ends of lines, what turns the
direction of a text, and halves of characters."""
_escapes = {code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" for code in STEERS if chr(code) not in "\t\n"}


def shown(value: Any) -> str:
    """A value in a few words, however large it is.

    >>> shown((1, "two")), shown(list(range(1000)))
    ("(1, 'two')", '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]')
    >>> shown(10**5000)
    '<int>'
    """
    brief = reprlib.Repr()
    brief.maxlevel, brief.maxlist, brief.maxtuple, brief.maxdict, brief.maxset = 3, 10, 10, 10, 10
    brief.maxstring = brief.maxother = brief.maxlong = MAX_SHOWN
    try:
        text = brief.repr(value)
    except Exception:  # its own __repr__, or an int of thousands of digits
        text = f"<{type(value).__name__}>"
    return cut(text, MAX_SHOWN)


def cut(text: str, most: int) -> str:
    """The beginning of a text, if it is longer than this."""
    return text if len(text) <= most else f"{text[:most]}…"


def enumerated(names: Iterable[Any]) -> str:
    """Names with commas; of many, the first ones and how many more there are.

    >>> enumerated(["a1", "b2"]), enumerated([])
    ('a1, b2', 'none')
    >>> enumerated(range(1000))[-20:]
    ' 28, 29 and 970 more'
    """
    all_names = names if isinstance(names, Sized) else list(names)
    text = ", ".join(cut(str(name), MAX_SHOWN) for name in islice(all_names, MAX_NAMES))
    more = len(all_names) - MAX_NAMES
    return (text or "none") + (f" and {more:,} more" if more > 0 else "")


def excerpt(drawing: str) -> str:
    r"""The first lines of a drawing of a state, and how many more there are.

    >>> excerpt("X O\nO X") == "X O\nO X"
    True
    >>> excerpt("x\n" * 1000).splitlines()[-1]
    '… 960 more lines'
    """
    lines = drawing.splitlines()
    if len(lines) <= MAX_LINES and len(drawing) <= MAX_MESSAGE:
        return drawing
    more = [f"… {len(lines) - MAX_LINES:,} more lines"] if len(lines) > MAX_LINES else []
    return "\n".join([cut("\n".join(lines[:MAX_LINES]), MAX_MESSAGE), *more])


def bounded(message: str) -> str:
    """A message without its middle, if it is too long.

    >>> bounded("a" * 10_000_000 + "b")[2490:2530], len(bounded("a" * 10_000_000))
    ('aaaaaaaaaa … 9,995,001 characters … aaaa', 5026)
    """
    if len(message) <= MAX_MESSAGE:
        return message
    half = MAX_MESSAGE // 2
    return f"{message[:half]} … {len(message) - 2 * half:,} characters … {message[-half:]}"


def visible(text: str) -> str:
    r"""A text with what would steer a terminal written as an escape. Tabs and ends of lines stay.

    >>> visible("\x1b[31mred\x9b0m\r"), visible("a\u202eb\n")
    ('\\x1b[31mred\\x9b0m\\x0d', 'a\\u202eb\n')
    """
    return text.translate(_escapes)
