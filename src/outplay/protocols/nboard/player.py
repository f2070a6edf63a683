"""Programs for Othello that speak the NBoard protocol: `nboard:edax -nboard(depth=10)`, NTest and others.

The protocol knows a depth, but no time. Before each move the program is given the whole game in GGF. See Chris Welty,
"NBoard Protocol", version 2.
"""

import re
from typing import TYPE_CHECKING, Any

from outplay.arena.records.ggf import writer
from outplay.arena.referee import GameRecord, Ply, start_text
from outplay.games.othello import Othello
from outplay.protocols.engine_player import EnginePlayer, number_in
from outplay.rules.errors import OutplayError
from outplay.session.players import Reply
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.clock import Clock

ANSWER = re.compile(r"=== *([A-Za-z][A-Za-z0-9])\w*(?:[/ ]+([+-]?[\d.]+))?")
NODES = re.compile(r"nodestats +(\d{1,18})\b", re.ASCII)


class NboardPlayer(EnginePlayer):
    """A program that speaks NBoard."""

    pings: int = 0

    def check(self) -> None:
        """See `EnginePlayer`."""
        if self.game != Othello():
            raise OutplayError(f"{self.command}: nboard programs play Othello on 8 x 8 squares, not {self.game!r}")
        if self.limit.depth is None:
            raise OutplayError(f"{self.command}: NBoard knows a limit of depth alone: give it, as in (depth=10)")

    def greet(self, until: float) -> None:
        """See `EnginePlayer`. Version 1 is all that is needed, and all that Edax knows."""
        self.tell("nboard 1")
        self.tell(f"set depth {self.limit.depth}")
        for option, value in self.options.items():
            self.tell(f"set {option} {value}")
        self.ready(until)

    def ask(self, view: View, clock: "Clock | None", until: float) -> Reply:
        """See `EnginePlayer`."""
        self.tell(f"set game {ggf(view)}")
        self.ready(until)
        self.tell("go")
        nodes = None
        while not (match := ANSWER.match(line := self.hear(until))):
            if counted := NODES.match(line):
                nodes = int(counted[1])
        return Reply(self.action(view, match[1]), number_in(match[2] or ""), nodes=nodes)

    def ready(self, until: float) -> None:
        """Wait until the program has done what it was told."""
        self.pings += 1
        self.tell(f"ping {self.pings}")
        self.wait_for(f"pong {self.pings}", until)


def ggf(view: View) -> str:
    """The game so far in the Generic Game Format.

    >>> from outplay.session.view import view_of
    >>> game = Othello()
    >>> start = game.initial_state()
    >>> ggf(view_of(game, [start, game.result(start, 37)], [37])).partition("---O*---")[2]
    ' ---*O--- -------- -------- -------- *]B[F5];)'
    """
    game: Any = view.game
    moves = zip(view.states, view.actions, strict=False)
    plies = [Ply(game.action_name(state, action), int(game.to_move(state))) for state, action in moves]
    record = GameRecord(
        ("black", "white"), plies=plies, actions=[*view.actions], start=start_text(game, view.states[0])
    )
    return writer(game)(record).rstrip()
