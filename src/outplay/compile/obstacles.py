"""`Obstacle`: a line of the rules that keeps a game from compiling."""

import linecache
import re
from dataclasses import asdict, dataclass, field
from typing import Any

from outplay.rules.user_code import short_path


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """A line of the rules that does not compile.

    Attributes:
        function: the rule or the function that the line belongs to.
        filename: its file.
        line: its number.
        source: the line itself.
        part: the part of the line that is at fault; "" if that is unknown.
        what: what is wrong.
        remedy: what to write instead.
        rules: the rules that wait for it.
        details: what the compiler said, in its own words.
    """

    function: str
    filename: str
    line: int
    source: str
    part: str
    what: str
    remedy: str
    rules: tuple[str, ...] = ()
    details: str = field(default="", repr=False, compare=False)

    @property
    def place(self) -> str:
        """File and line."""
        return f"{short_path(self.filename)}:{self.line}"

    def as_dict(self) -> dict[str, Any]:
        """The obstacle as plain values, for JSON."""
        values = asdict(self)
        del values["details"]
        return values

    def __str__(self) -> str:
        own = self.function.rpartition(".")[2]
        others = [rule for rule in self.rules if rule != own]
        waits = "waits" if len(others) == 1 else "wait"
        lines = [f"{self.place}: {self.function}" + (f" ({', '.join(others)} {waits} for it)" if others else "")]
        lines += [f"    {line}" for line in marked(self.source, self.part)]
        return "\n".join([*lines, f"  {self.what}", f"  {self.remedy}"])


def marked(source: str, part: str) -> list[str]:
    """A line, and below it carets under `part`.

    >>> marked("    y = state._replace(left=3)", "_replace")
    ['y = state._replace(left=3)', '          ^^^^^^^^']
    """
    line = source.strip()
    if not line:
        return []
    match = re.search(rf"(?<!\w){re.escape(part)}(?!\w)" if part.isidentifier() else re.escape(part), line)
    return [line, " " * match.start() + "^" * len(part)] if part and match else [line]


def source_line(filename: str, line: int) -> str:
    """A line of a file, without the spaces around it; "" if it cannot be read."""
    return linecache.getline(filename, line).strip()
