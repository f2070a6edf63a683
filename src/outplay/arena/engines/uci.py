"""Programs that speak the Universal Chess Interface (UCI), such as Stockfish, and Fairy-Stockfish for other games.

`uci:stockfish(UCI_Elo=2000, seconds=0.1)`: options of the program are written with _ for spaces.
"""

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from outplay.arena.engines.base import EnginePlayer, names_of
from outplay.arena.player import Reply
from outplay.arena.referee import Fault
from outplay.arena.view import View
from outplay.rules.constant_sum import balance
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game

if TYPE_CHECKING:
    from outplay.engine.clock import Clock

STEEPNESS = 0.00368208
"""A lead of c centipawns is worth 2 / (1 + exp(-STEEPNESS · c)) - 1: what Lichess has found in games of people."""


class UciPlayer(EnginePlayer):
    """A program that speaks UCI."""

    def greet(self, until: float) -> None:
        """See `EnginePlayer`."""
        self.tell("uci")
        known: dict[str, str] = {}
        while (line := self.hear(until)) != "uciok":
            if line.startswith("option name "):
                name = line.removeprefix("option name ").partition(" type ")[0]
                known[name.lower().replace(" ", "_")] = name
        options = dict(self.options)
        if "UCI_Elo" in options:
            options.setdefault("UCI_LimitStrength", "true")
        for option, value in options.items():
            name = known.get(option.lower(), "")
            if not name:
                raise OutplayError(f"{self.command} has no option {option!r}; it has {', '.join(known.values())}")
            text = str(value).lower() if isinstance(value, bool) else str(value)
            self.tell(f"setoption name {name} value {text}")
        self.wait(until)

    def begin(self, game: Game, player: int, until: float) -> None:
        """See `EnginePlayer`."""
        self.tell("ucinewgame")
        self.wait(until)

    def ask(self, view: View, clock: "Clock | None", until: float) -> Reply:
        """See `EnginePlayer`."""
        moves = names_of(view)
        self.tell(f"position fen {view.game.state_text(view.states[0])}{' moves ' if moves else ''}{' '.join(moves)}")
        self.tell(f"go {self.limits(clock)}")
        told: dict[str, Any] = {}
        while not (line := self.hear(until)).startswith("bestmove"):
            if line.startswith("info ") and " score " in line:
                told = parsed(line.split())
        words = line.split()
        move = words[1] if len(words) > 1 else ""
        value = None if "cp" not in told else self.value(view.game, told["cp"])
        return Reply(self.action(view, move), value, depth=told.get("depth"), nodes=told.get("nodes"))

    def limits(self, clock: "Clock | None") -> str:
        """What limits a move, in the words of `go`. Raises `Fault` if nothing does."""
        words = []
        if clock is not None and clock.moves == 1:
            words.append(f"movetime {max(1, int(1000 * clock.seconds))}")
        elif clock is not None:
            time, more = max(1, int(1000 * clock.seconds)), int(1000 * clock.increment)
            words.append(f"wtime {time} btime {time} winc {more} binc {more}")
            words += [f"movestogo {clock.moves}"] if clock.moves else []
        if self.limit.seconds is not None:
            words.append(f"movetime {max(1, int(1000 * self.limit.seconds))}")
        words += [f"{name} {limit}" for name in ("depth", "nodes") if (limit := getattr(self.limit, name))]
        if not words:
            raise Fault(f"error: nothing limits {self.command}: give seconds, depth or nodes, or a clock")
        return " ".join(words)

    def value(self, game: Game, centipawns: float) -> float:
        """The utility that a lead is worth."""
        level = balance(game)
        best = game.utilities[1] if game.utilities else level + 1
        return level + (best - level) * (2 / (1 + math.exp(-STEEPNESS * centipawns)) - 1)

    def wait(self, until: float) -> None:
        """Wait until the program has done what it was told."""
        self.tell("isready")
        while self.hear(until) != "readyok":
            pass


def parsed(words: list[str]) -> dict[str, Any]:
    """Depth, nodes and score of a line of information; a mate counts as a lead of 100 pawns.

    >>> parsed("info depth 12 score cp 31 nodes 4711 pv e2e4".split())
    {'depth': 12, 'nodes': 4711, 'cp': 31}
    """
    found: dict[str, Any] = {}
    for name, value in pairwise(words):
        if name in ("depth", "nodes", "cp", "mate") and value.lstrip("-").isdecimal():
            found[name] = int(value)
    if "mate" in found:
        found["cp"] = math.copysign(10_000, found.pop("mate"))
    return {name: found[name] for name in ("depth", "nodes", "cp") if name in found}
