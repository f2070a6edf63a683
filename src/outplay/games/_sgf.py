r"""The syntax of SGF, the Smart Game Format (FF[4], A. Hollosi, https://www.red-bean.com/sgf/): trees of nodes.

Only the main line of each game is kept: the first variation at every branch.

In Shift_JIS, GBK, Big5 and their like the second byte of a character may be that of `]` or `\`, which are signs of
SGF. So a game is cut into values as a text of bytes, in which the characters of its encoding, by its property `CA`,
are whole; each value is decoded then. Without `CA`, or if that is wrong, text is UTF-8, and Latin-1 where it cannot be.
"""

import codecs
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from outplay.rules.errors import RulesError

SPACE, OPEN, CLOSE, NODE, NAME, VALUE = range(1, 7)
START = re.compile(r"\(\s*(?:;|(?=[A-Z][A-Za-z]*\s*\[))")
"""The beginning of a game; some programs leave out the semicolon of its root."""
ROOT = re.compile(r"\(\s*;\s*(?:GM|FF|CA|SZ|AP|EV|GN|PB|PW|RU|KM)\s*\[")
"""The beginning of a game that cannot be one of a variation; after a damaged game, reading goes on there."""
FIRST_MOVE = re.compile(r";\s*[BW][a-z]*\s*\[|\(\s*;")
"""What follows the root, in which `CA` is."""
CHARSET = re.compile(r"(?<![A-Za-z])C[a-z]*A[a-z]*\s*\[\s*([^\]\s]{1,40})\s*\]")
WIDER = {"shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030", "big5": "cp950", "euc_kr": "cp949"}
"""What programs mean by the names of encodings: those of Windows, which have more characters."""
PAIR = r"[\x81-\xfe][\x40-\x7e\x80-\xfe]"
CHARACTERS = {
    "cp932": r"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]", "gb18030": PAIR, "cp950": PAIR, "big5hkscs": PAIR,
    "cp949": PAIR, "iso2022_jp": r"\x1b\$[^\x1b]*\x1b\([A-Z]",
}  # fmt: skip
"""The characters of an encoding that may contain a byte of another sign. Those of other encodings cannot."""
SUSPECT = re.compile(r"[\x80-\xff]\\\]")
"""The end of a value whose last character may consist of the byte before the backslash and of the backslash."""


class Node(NamedTuple):
    """A node: where it is in the content, as a number of bytes, and the values of each property by its name."""

    place: int
    properties: dict[str, list[str]]

    def first(self, name: str, default: str = "") -> str:
        """The first value of a property."""
        return self.properties.get(name, [default])[0]


class SgfGame(NamedTuple):
    """A game: the nodes of its main line, and what is odd about its text."""

    nodes: list[Node]
    odd: list[str]


class SgfError(RulesError):
    """A text that is not SGF, and where that shows, as a number of bytes."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(f"SGF: {message}")
        self.place = place


def main_lines(content: str | bytes) -> Iterator[SgfGame | SgfError]:
    r"""The main line of each game; an error for one that is damaged, or if there is none.

    >>> [game] = main_lines("(;GM[1]C[a \\] comment];B[aa](;W[bb])(;W[cc]))")
    >>> [node.properties for node in game.nodes]
    [{'GM': ['1'], 'C': ['a ] comment']}, {'B': ['aa']}, {'W': ['bb']}]
    >>> [game] = main_lines("(;CA[Shift_JIS]PB[ソ]PW[表];B[aa])".encode("shift_jis"))
    >>> game.nodes[0].properties["PB"], len(game.nodes)
    (['ソ'], 2)
    """
    text, charset = as_latin_1(content)
    match = START.search(text)
    if match is None:
        yield SgfError("a game begins with (;", 0)
    while match is not None:
        begin = match.start()
        try:
            game, end = _game(text, begin, charset)
            yield game
            match = START.search(text, end)
        except SgfError as error:
            yield error
            match = ROOT.search(text, max(error.place, begin + 1))


def as_latin_1(content: str | bytes) -> tuple[str, str | None]:
    """The bytes of a file as a text, and its encoding if its first bytes or its type tell it; else None."""
    if isinstance(content, str):
        content = codecs.BOM_UTF8 + content.encode("utf-8", "surrogatepass")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = codecs.BOM_UTF8 + content.decode("utf-16", "replace").encode()
    is_marked = content.startswith(codecs.BOM_UTF8)
    content = content.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return content.decode("latin-1"), "utf-8" if is_marked else None


def _game(text: str, begin: int, codec: str | None) -> tuple[SgfGame, int]:
    """The game that begins at a place, and the place after it."""
    odd = list[str]()
    if codec is None:
        limit = FIRST_MOVE.search(text, begin + 1)
        charset = CHARSET.search(text, begin, limit.start() if limit else len(text))
        codec = _codec(charset[1]) if charset else None
        if charset and codec is None:
            odd.append(f"CA[{charset[1]}]: there is no such encoding; read as UTF-8 or Latin-1")
        codec = None if codec == "ascii" else codec
    nodes, end, ending = _cut_somehow(text, begin, codec)
    unsure = False
    for node in nodes:
        for name, values in node.properties.items():
            for place, value in enumerate(values):
                values[place], is_sure = _decoded(value, codec)
                unsure |= not is_sure and name != "CA"
    if unsure:
        odd.append(
            "the text is not UTF-8 and CA does not tell its encoding: read as Latin-1, names may be wrong"
            if codec is None
            else f"not all of the text is in the encoding that CA tells, {codec}: names may be wrong"
        )
    return SgfGame(nodes, [*odd, *ending]), end


@cache
def _codec(name: str) -> str | None:
    """The codec of an encoding by its name in `CA`; None if there is none in which ASCII is itself.

    >>> _codec("Shift_JIS"), _codec("x-gbk"), _codec("UTF-8"), _codec("utf-7"), _codec("rot13"), _codec("System")
    ('cp932', 'gb18030', 'utf-8', None, None, None)
    """
    ascii_signs = bytes(range(32, 127))
    try:
        canonical = codecs.lookup(re.sub(r"^x-", "", name.lower())).name
        if ascii_signs.decode(canonical) != ascii_signs.decode("ascii"):
            return None
    except (LookupError, ValueError):
        return None
    return WIDER.get(canonical, canonical)


def _decoded(value: str, codec: str | None) -> tuple[str, bool]:
    """A value in its encoding without escapes, and whether it is one of that encoding, or of UTF-8 if none is known."""
    content = value.encode("latin-1")
    for encoding in dict.fromkeys((codec or "utf-8", "utf-8", "latin-1")):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL).strip(), encoding == (codec or "utf-8")
    raise AssertionError("any bytes are Latin-1")


def _cut_somehow(text: str, begin: int, codec: str | None) -> tuple[list[Node], int, list[str]]:
    """The nodes of the game that begins at a place, the place after it, and what is odd; values are not decoded.

    Where the encoding is not known, or the game is damaged in it, others are tried.
    """
    error: SgfError | None = None
    character_code = CHARACTERS.get(codec or "", "")
    for characters in dict.fromkeys((character_code, "", *(CHARACTERS.values() if codec is None else ()))):
        try:
            pieces = _cut(text, begin, _token(characters))
        except SgfError as failure:
            error = error or failure
            continue
        if codec is None and not characters and SUSPECT.search(text, begin, pieces[1]):
            try:
                text[begin : pieces[1]].encode("latin-1").decode("utf-8")
            except UnicodeDecodeError:
                error = error or SgfError("a value is not closed by ]", begin)
                continue
        return pieces
    assert error is not None
    raise error


@cache
def _token(characters: str) -> "re.Pattern[str]":
    """The tokens of SGF, where the characters of an encoding are whole."""
    whole = f"{characters}|" if characters else ""
    return re.compile(rf"(\s+)|(\()|(\))|(;)|([A-Z][A-Za-z]*)|\[((?:{whole}[^\]\\]|\\.)*)\]", re.DOTALL)


def _cut(text: str, begin: int, token: "re.Pattern[str]") -> tuple[list[Node], int, list[str]]:
    """The nodes of the game that begins at a place, the place after it, and what is odd; values are not decoded."""
    nodes: list[Node] = []
    place, depth, is_main, name, needs_value = begin, 0, True, "", False
    opened, before = begin, 0  # the last parenthesis, and the nodes before it
    odd: list[str] = []

    while place < len(text):
        match = token.match(text, place)
        if match is None:
            if text[place] == "[":
                raise SgfError("a value is not closed by ]", place)
            raise SgfError(f"{text[place]!r} where a property, a node or the end was expected", place)
        kind = match.lastindex
        if needs_value and kind not in (SPACE, VALUE):
            raise SgfError(f"{name} has no value", place)
        if kind == OPEN:
            depth, name, opened, before = depth + 1, "", place, len(nodes)
        elif kind == CLOSE:
            depth, is_main, name = depth - 1, False, ""
            if depth == 0:
                return nodes, match.end(), odd
        elif kind == NODE:
            name = ""
            if is_main:
                nodes.append(Node(place, {}))
        elif kind == NAME:
            name, needs_value = re.sub("[a-z]", "", match[NAME]), True  # FF[3] has SiZe for SZ
            if depth > 1 and name in ("GM", "FF", "CA"):  # of a root: another game begins
                return nodes[:before] if is_main else nodes, opened, [*odd, "the game is not closed by )"]
            if is_main and not nodes:
                nodes.append(Node(place, {}))
                odd.append("the root has no ;")
        elif kind == VALUE:
            if not name:
                raise SgfError(f"[{match[VALUE][:40]}] has no name before it", place)
            needs_value = False
            if name not in ("C", "GC") and ROOT.search(match[VALUE]):
                raise SgfError("a value is not closed by ]", place)
            if is_main:
                nodes[-1].properties.setdefault(name, []).append(match[VALUE])
        place = match.end()
    if needs_value or not nodes:
        raise SgfError("the game is not closed by )", begin)
    return nodes, place, [*odd, "the game is not closed by ): it may be cut off"]


def escaped(text: str) -> str:
    """A text as a value."""
    return text.replace("\\", "\\\\").replace("]", "\\]")
