"""The words of Gambit's text formats, .efg and .nfg: texts in quotes, braces, commas and numbers."""

import re
from collections.abc import Iterator
from fractions import Fraction
from reprlib import repr as shortened
from typing import NamedTuple, NoReturn

from outplay.rules.errors import RulesError

TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<mark>[{},])|(?P<word>[^\s{},"]+)|(?P<end>\Z)|(?P<bad>.))', re.DOTALL
)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?(/(\d+\.?\d*|\.\d+))?", re.IGNORECASE)


class Token(NamedTuple):
    """A word: `kind` is "text" (in quotes), "mark" (a brace or comma), "word" or "end"."""

    kind: str
    text: str
    line: int

    def __str__(self) -> str:
        return "the end of the file" if self.kind == "end" else shortened(self.text)


class GambitReader:
    """Reads words from left to right; `next` is the next token. Errors call the text `source`, if it has a name."""

    largest = 1e300
    """The maximum size of a number, small enough that sums still fit into floats."""

    def __init__(self, text: str, source: str = "") -> None:
        self.source = source
        self.tokens = tokens_of(text)
        self.next = next(self.tokens)

    def fail(self, problem: str, at: Token | None = None) -> NoReturn:
        """Raise `RulesError` with the line of `at`, or of the next token."""
        name = f"{self.source}, " if self.source else ""
        if self.next.kind == "bad":
            raise RulesError(f"{name}line {self.next.line}: unclosed quote")
        raise RulesError(f"{name}line {(at or self.next).line}: {problem}")

    def take(self) -> Token:
        """Return the next token and advance."""
        token = self.next
        if token.kind != "end":
            self.next = next(self.tokens)
        return token

    def mark(self, mark: str, subject: str) -> Token:
        """Read a brace."""
        if self.next.text != mark or self.next.kind != "mark":
            self.fail(f"{subject}: expected {mark!r}, not {self.next}")
        return self.take()

    def comma(self) -> None:
        """Read a comma, if there is one."""
        if self.next.text == ",":
            self.take()

    def text(self, subject: str) -> str:
        """Read a text in quotes."""
        if self.next.kind != "text":
            self.fail(f"expected {subject}, in quotes, not {self.next}")
        return re.sub(r"\\(.)", r"\1", self.take().text[1:-1], flags=re.DOTALL)

    def texts(self, subject: str) -> list[str]:
        """Read a list of texts."""
        self.mark("{", subject)
        texts = []
        while self.next.text != "}":
            texts.append(self.text(subject))
        self.mark("}", subject)
        return texts

    def whole(self, subject: str) -> int:
        """Read a whole number."""
        if not re.fullmatch(r"\d{1,18}", self.next.text):
            self.fail(f"expected {subject}, not {self.next}")
        return int(self.take().text)

    def number(self, subject: str) -> Fraction:
        """Read a number."""
        if self.next.kind != "word" or not NUMBER.fullmatch(self.next.text):
            self.fail(f"expected {subject}, a number such as 2, -0.5 or 1/3, not {self.next}")
        over, _, under = self.next.text.partition("/")
        try:
            value = Fraction(over) / Fraction(under or 1)
        except ZeroDivisionError:
            self.fail(f"{self.next} divides by 0")
        except ValueError:  # more digits than Python converts
            self.fail(f"{subject}: too many digits")
        if abs(value) > self.largest:
            self.fail(f"expected {subject} of at most {self.largest:g}, not {self.next}")
        self.take()
        return value


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, each with its line."""
    place, line = 0, 1
    while True:
        match = TOKEN.match(text, place)
        assert match is not None
        kind = str(match.lastgroup)
        line += text.count("\n", place, match.start(kind))
        yield Token(kind, match[kind], line)
        line += match[kind].count("\n")
        place = match.end()
