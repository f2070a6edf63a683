"""Programs that speak the Universal Chess Interface (UCI), such as Stockfish, and Fairy-Stockfish for other games.

`uci:stockfish(UCI_Elo=2000, seconds=0.1)`: options of the program are written with _ for spaces. For games other than
chess the option UCI_Variant is set, see `dialects.py`.
"""

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from outplay.arena.centipawns import worth
from outplay.arena.referee import Fault
from outplay.protocols.engine_player import EnginePlayer
from outplay.protocols.uci.variants import NUMBER, dialect_of
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.players import Reply
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.clock import Clock


class UciPlayer(EnginePlayer):
    """A program that speaks UCI."""

    def greet(self, until: float) -> None:
        """See `EnginePlayer`."""
        self.dialect = dialect_of(self.game)
        self.tell("uci")
        option_names: dict[str, str] = {}
        kinds: dict[str, str] = {}
        while (line := self.hear(until)) != "uciok":
            if line.startswith("option name "):
                name, _, kind = line.removeprefix("option name ").partition(" type ")
                self.note(option_names, name.lower().replace(" ", "_"), name)
                kinds[name] = kind
        options = self.options | self.variant(re.findall(r" var (\S+)", kinds.get("UCI_Variant", "")))
        if "UCI_Elo" in options:
            options.setdefault("UCI_LimitStrength", "true")
        for option, value in options.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            name = self.option(option, option_names)
            if not is_value(text, kinds[name]):
                raise OutplayError(f"{self.command}: {name}={text} is no value of this option: {kinds[name]}")
            self.tell(f"setoption name {name} value {text}")
        self.ready(until)

    def variant(self, variants: list[str]) -> dict[str, str]:
        """The option that names the game. Raises `OutplayError` if the program does not play it."""
        name = self.dialect.variant
        if name in ("", "chess") or "UCI_Variant" in self.options:
            return {}
        if name not in variants:
            raise OutplayError(f"{self.command} does not play {name}: its UCI_Variant does not name it")
        return {"UCI_Variant": name}

    def begin(self, game: Game, player: int, until: float) -> None:
        """See `EnginePlayer`."""
        self.tell("ucinewgame")
        self.ready(until)

    def ask(self, view: View, clock: "Clock | None", until: float) -> Reply:
        """See `EnginePlayer`."""
        start, moves = self.dialect.state(view.game, view.states[0]), self.dialect.moves(view)
        self.tell(" ".join(["position fen", start, *(["moves"] if moves else []), *moves]))
        self.ready(until)  # what it has said so far belongs to earlier moves
        self.tell(f"go {self.limits(clock)}")
        figures: dict[str, Any] = {}
        while not (line := self.hear(until)).startswith("bestmove"):
            if line.startswith("info ") and " score " in line:
                figures = parsed(line.split())
        words = line.split()
        move = self.dialect.read(words[1]) if len(words) > 1 else ""
        value = None if "cp" not in figures else worth(view.game, figures["cp"])
        return Reply(self.action(view, move), value, depth=figures.get("depth"), nodes=figures.get("nodes"))

    def limits(self, clock: "Clock | None") -> str:
        """What limits a move, in the words of `go`. Raises `Fault` if nothing does."""
        words = []
        seconds = self.seconds(clock)
        if clock is not None and not clock.is_for_one_move:
            time, increment = max(1, int(1000 * clock.seconds)), int(1000 * clock.increment)
            words.append(f"wtime {time} btime {time} winc {increment} binc {increment}")
            words += [f"movestogo {clock.moves}"] if clock.moves else []
        if seconds is not None:
            words.append(f"movetime {max(1, int(1000 * seconds))}")
        words += [f"{name} {limit}" for name in ("depth", "nodes") if (limit := getattr(self.limit, name))]
        if not words:
            raise Fault(f"error: nothing limits {self.command}: give seconds, depth or nodes, or a clock")
        return " ".join(words)

    def ready(self, until: float) -> None:
        """Wait until the program has done what it was told."""
        self.tell("isready")
        self.wait_for("readyok", until)


def is_value(text: str, kind: str) -> bool:
    """Whether a text is a value of an option. Programs ignore others, and play on with the default.

    >>> is_value("2000", "spin default 1320 min 1320 max 3190"), is_value("800", "spin default 1320 min 1320 max 3190")
    (True, False)
    >>> is_value("maybe", "check default false"), is_value("Risky", "combo default Solid var Solid var Risky")
    (False, True)
    """
    if kind.startswith("check"):
        return text in ("true", "false")
    if kind.startswith("combo"):
        return text in re.findall(r"(?<= var ).+?(?= var |$)", kind)
    if not kind.startswith("spin"):
        return True
    ends = dict(re.findall(r"\b(min|max) (-?\d{1,18})\b", kind))
    is_number = NUMBER.fullmatch(text) is not None
    return is_number and int(ends.get("min", text)) <= int(text) <= int(ends.get("max", text))


def parsed(words: list[str]) -> dict[str, Any]:
    """Depth, nodes and score of a line of information; a mate counts as a lead of 100 pawns.

    >>> parsed("info depth 12 score cp 31 nodes 4711 pv e2e4".split())
    {'depth': 12, 'nodes': 4711, 'cp': 31}
    """
    figures: dict[str, Any] = {}
    for name, value in pairwise(words):
        if name in ("depth", "nodes", "cp", "mate") and NUMBER.fullmatch(value):
            figures[name] = int(value)
    if "mate" in figures:
        figures["cp"] = math.copysign(10_000, figures.pop("mate"))
    return {name: figures[name] for name in ("depth", "nodes", "cp") if name in figures}
