"""Dialects of UCI that GUIs of Xiangqi speak: UCCI of Xiangqi programs, USI as in shogi, and that of Cyclone.

They differ in words, not in what they do: see `UciEngine`. UCCI and Cyclone count ranks from 0; USI names files by
numbers from the right, and ranks by letters from the top.

Sources: *Universal Chinese Chess Protocol*, version 3.0 (2007); T. Romstad, *Universal Shogi Interface* (2007).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from outplay import __version__
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.protocols.line_engine import Thought
from outplay.protocols.uci.engine import Option, UciEngine
from outplay.rules.errors import OutplayError
from outplay.rules.wording import cut

FILES, RANKS = 9, 10
"""The files and the ranks of the board of Xiangqi."""


class CycloneEngine(UciEngine):
    """UCI as Cyclone has it: ranks from 0, and positions perhaps without the word `position`."""

    def obey(self, line: str) -> None:
        """See `LineEngine`."""
        super().obey(f"position {line}" if line.split()[:1] in (["fen"], ["startpos"]) else line)

    def write_move(self, state: Any, action: int) -> str:
        """See `LineEngine`."""
        return self.game.action_name(state, action)

    def read_move(self, state: Any, text: str) -> int:
        """See `LineEngine`."""
        return self.game.parse_action(state, text)


class UcciEngine(CycloneEngine):
    """The Universal Chinese Chess Protocol.

    >>> from outplay.games import Xiangqi
    >>> engine = UcciEngine(Xiangqi(), print, "alpha-beta")
    >>> engine.hear("position startpos moves h2e2 h7e7")
    >>> engine.hear("isready")
    readyok
    """

    hello, at_your_service, new_game = "ucci", "ucciok", "uccinewgame"
    unit = 1000
    """Units of time in a second: milliseconds, or seconds after `setoption usemillisec false`."""
    banned: Sequence[str] = ()

    def obey(self, line: str) -> None:
        """See `LineEngine`."""
        command, *words = line.split() or [""]
        if command == "banmoves":
            self.banned = words
        elif command == "position":
            self.banned = ()
            super().obey(line)
        elif command == "quit":
            super().obey(line)
            self.tell("bye")
        else:
            super().obey(line)

    def options_of_game(self) -> list[Option]:
        """The options by the names of this protocol."""
        usual = {option.name: option for option in super().options_of_game()}
        names = {
            "hashsize": "Hash",
            "threads": "Threads",
            "ponder": "Ponder",
            "bookfiles": "Book",
            "newgame": "Clear Hash",
        }
        options = [replace(usual[theirs], name=ours) for ours, theirs in names.items()]
        return [Option("usemillisec", "check", self.set_unit, "true"), *options]

    def set_unit(self, is_milliseconds: bool) -> None:
        """Whether times are milliseconds, or seconds."""
        self.unit = 1000 if is_milliseconds else 1

    def greet(self, words: Sequence[str]) -> None:
        """Say who this is, and which options there are; they are written without the word `name`."""
        options = (f"option {str(option).removeprefix('name ')}" for option in self.all_options.values())
        self.tell(f"id name outplay {__version__}", "id author the outplay project", *options, self.at_your_service)

    def set_option(self, words: Sequence[str]) -> None:
        """Set an option: its name and its value, without the words `name` and `value`."""
        name, *value = words or [""]
        super().set_option(["name", name, "value", *value])

    def go(self, words: Sequence[str]) -> None:
        """Search; `time`, `increment` and `opptime` stand for the clocks. Banned moves are left out."""
        mine = "wb"[int(self.game.to_move(self.state)) == 1]
        names = {"time": f"{mine}time", "increment": f"{mine}inc"}
        plain = [names.get(word, word) for word in words if word not in ("draw", "fixed")]
        for place, word in enumerate(plain[:-1]):
            if word in names.values() and plain[place + 1].isdecimal():
                plain[place + 1] = str(int(plain[place + 1]) * 1000 // self.unit)
        if self.banned and "searchmoves" not in plain:
            others = [name for action in self.legal if (name := self.write_move(self.state, action)) not in self.banned]
            plain += ["searchmoves", *others] if others else []
        super().go(plain)

    def answer(self, thought: Thought) -> None:
        """Tell the move, or that there is none."""
        if thought.action is None:
            self.tell("nobestmove")
        else:
            super().answer(thought)

    def tell(self, *lines: str) -> None:
        """Write lines; scores stand without `cp`."""
        super().tell(*(re.sub(r" score cp (-?\d+)", r" score \1", line) for line in lines))


class UsiEngine(UciEngine):
    """The Universal Shogi Interface, with its coordinates."""

    hello, at_your_service, new_game = "usi", "usiok", "usinewgame"

    def options_of_game(self) -> list[Option]:
        """The options, two of which have names of their own."""
        names = {"Hash": "USI_Hash", "Ponder": "USI_Ponder"}
        return [replace(option, name=names.get(option.name, option.name)) for option in super().options_of_game()]

    def limit_of(self, numbers: dict[str, int]) -> Limit:
        """The limit that `go` gives. The first player is black here; after the clock, `byoyomi` is for each move."""
        colours = {"btime": "wtime", "wtime": "btime", "binc": "winc", "winc": "binc"}
        limit = super().limit_of({colours.get(name, name): value for name, value in numbers.items()})
        overtime = numbers.get("byoyomi", 0) / 1000
        if overtime and limit.clock is not None and not limit.clock.seconds:
            return replace(limit, clock=None, seconds=max(0.0, overtime - self.overhead / 1000))
        if overtime and limit.clock is not None:
            return replace(limit, clock=Clock(limit.clock.seconds, limit.clock.increment + overtime, limit.clock.moves))
        return limit

    def write_move(self, state: Any, action: int) -> str:
        """See `LineEngine`."""
        return in_shogi(self.game.action_name(state, action))

    def read_move(self, state: Any, text: str) -> int:
        """See `LineEngine`."""
        return self.game.parse_action(state, from_shogi(text))

    def answer(self, thought: Thought) -> None:
        """Tell the move; who has none resigns."""
        if thought.action is None:
            self.tell("bestmove resign")
        else:
            super().answer(thought)

    def obey(self, line: str) -> None:
        """See `LineEngine`."""
        if not line.startswith("gameover"):
            super().obey(line)


DIALECTS: dict[str, type[UciEngine]] = {
    "uci": UciEngine, "ucci": UcciEngine, "usi": UsiEngine, "cyclone": CycloneEngine,
}  # fmt: skip
"""The engines by the names of their dialects; all but the first are for Xiangqi."""


def in_shogi(name: str) -> str:
    """A move of Xiangqi in the coordinates of shogi.

    >>> in_shogi("h2e2"), from_shogi("2h5h")
    ('2h5h', 'h2e2')
    """
    squares = re.findall(r"([a-i])(\d)", name)
    return "".join(f"{FILES - ord(file) + ord('a')}{chr(ord('a') + RANKS - 1 - int(rank))}" for file, rank in squares)


def from_shogi(name: str) -> str:
    """The same in the coordinates of Xiangqi. Raises `OutplayError` for anything else."""
    if not re.fullmatch(r"(?:[1-9][a-j]){2}", name):
        raise OutplayError(f"{cut(name, 20)} is no move in the coordinates of shogi, such as 2h5h")
    squares = re.findall(r"(\d)([a-j])", name)
    return "".join(f"{chr(ord('a') + FILES - int(file))}{ord('a') + RANKS - 1 - ord(rank)}" for file, rank in squares)
