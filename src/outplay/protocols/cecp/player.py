"""Programs that speak the Chess Engine Communication Protocol of XBoard (CECP, version 2): chess and Xiangqi.

`cecp:fairymax(seconds=1)`, and `cecp:maxqi` for Xiangqi. Options of the program are written with _ for spaces. `memory`
is its memory in MB and `cores` the number of its threads, if it has these features. The protocol has time for a move in
whole seconds.

The program is kept in force mode and asked for each move with `go`. See Tim Mann and H. G. Muller, "Chess Engine
Communication Protocol".
"""

import re
import time
from typing import TYPE_CHECKING, Any

from outplay.arena.centipawns import worth
from outplay.arena.referee import Fault
from outplay.games.chess import Chess
from outplay.games.xiangqi import Xiangqi
from outplay.protocols.engine_player import EnginePlayer
from outplay.protocols.program import Silence
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.players import Reply
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.clock import Clock

SILENCE = 2.0
"""The seconds after which a program that tells no features has none."""
ACCEPTED = (
    "cores",
    "memory",
    "myname",
    "name",
    "option",
    "ping",
    "reuse",
    "san",
    "setboard",
    "smp",
    "time",
    "usermove",
)
"""The features that make a difference here."""
FEATURE = re.compile(r'(\w+)=(?:"([^"]*)"|(\S+))')
MOVE = re.compile(r"(?:move|\d+\.? \.\.\.) +(\S+)")
REFUSED = re.compile(r"(?:illegal|invalid) move[^:]*: *(\S+)|tellusererror .*", re.IGNORECASE)
RESULT = re.compile(r"(?:1-0|0-1|1/2-1/2)\b.*")
THOUGHT = re.compile(r"(\d{1,18})[.+&]? +([+-]?\d{1,18}) +\d+ +(\d{1,18})\b", re.ASCII)
MATE = 100_000
"""Scores from this on are mates."""


class CecpPlayer(EnginePlayer):
    """A program that speaks CECP. It is told only the moves that it does not know yet."""

    move_count: int = 0
    """How many moves it knows."""
    pings: int = 0

    def check(self) -> None:
        """See `EnginePlayer`."""
        if not isinstance(self.game, Chess | Xiangqi):
            raise OutplayError(f"{self.command}: cecp programs play chess and Xiangqi, not {self.game!r}")

    @property
    def variant(self) -> str:
        """What the protocol calls the game."""
        return "normal" if isinstance(self.game, Chess) else "xiangqi"

    # -- the beginning ------------------------------------------------------------------------------------------------

    def greet(self, until: float) -> None:
        """See `EnginePlayer`."""
        self.features = {"time": "1", "reuse": "1", "variants": "normal"}
        self.option_names: dict[str, str] = {}
        self.tell("xboard")
        self.tell("protover 2")
        self.hear_features(until)
        if self.variant not in self.features["variants"].split(","):
            raise OutplayError(f"{self.command} does not play {self.variant}; it plays {self.features['variants']}")
        for option, value in self.options.items():
            feature = {"memory": "memory", "cores": "smp"}.get(option)
            if feature and self.has(feature):
                self.tell(f"{option} {value}")
            else:
                number = int(value) if isinstance(value, bool) else value
                self.tell(f"option {self.option(option, self.option_names)}={number}")
        self.sync(until)

    def hear_features(self, until: float) -> None:
        """Hear the features, up to `done=1`; an old program has none, and says nothing."""
        patience = min(until, time.monotonic() + SILENCE)
        while self.features.get("done") != "1":
            try:
                line = self.hear(until if "done" in self.features else patience)
            except Silence:
                if "done" in self.features:
                    raise
                return
            for name, quoted, plain in FEATURE.findall(line) if line.startswith("feature ") else ():
                self.note(self.features, name, quoted or plain)
                if name == "option":
                    title = re.split(r" -\w+", quoted)[0]
                    self.note(self.option_names, title.lower().replace(" ", "_"), title)
                if name != "done":
                    self.tell(f"{'accepted' if name in ACCEPTED else 'rejected'} {name}")

    def has(self, feature: str) -> bool:
        """Whether the program has a feature."""
        return self.features.get(feature) == "1"

    def sync(self, until: float) -> None:
        """Wait until the program has done what it was told; forget what it has said."""
        if self.has("ping"):
            self.pings += 1
            self.tell(f"ping {self.pings}")
            self.wait_for(f"pong {self.pings}", until)
        else:
            self.running.skip()

    def begin(self, game: Game, player: int, until: float) -> None:
        """See `EnginePlayer`."""
        if self.move_count and not self.has("reuse"):
            self.close()
            self.start()
        self.tell("new")
        if self.variant != "normal":
            self.tell(f"variant {self.variant}")
        for line in "force", "easy", "post":
            self.tell(line)
        self.sync(until)
        self.move_count = 0

    # -- a move -------------------------------------------------------------------------------------------------------

    def ask(self, view: View, clock: "Clock | None", until: float) -> Reply:
        """See `EnginePlayer`."""
        self.sync(until)  # what it has said after its last move, such as that the game is over
        if self.move_count == 0:
            self.set_up(view, clock)
        name = None
        for state, action in zip(view.states[self.move_count :], view.actions[self.move_count :], strict=False):
            name = self.move_name(view.game, state, action)
            self.tell(f"usermove {name}" if self.has("usermove") else name)
        self.move_count = len(view.actions) + 1  # it plays its own move
        seconds = self.seconds(clock)
        if seconds is not None:
            self.tell(f"st {seconds if seconds < 1 else int(seconds):g}")
        if clock is not None and self.has("time"):
            left = max(1, int(100 * clock.seconds))
            self.tell(f"time {left}")
            self.tell(f"otim {left}")
        self.tell("go")
        figures: dict[str, Any] = {}
        while not (match := MOVE.fullmatch(line := self.hear(until))):
            if line == "resign" or re.match(("0-1", "1-0")[view.player], line):
                return Reply(None)
            refused = REFUSED.fullmatch(line)
            if (refused and refused[1] in (None, name)) or RESULT.fullmatch(line):
                raise Fault(f"error: it does not move, but says {line!r}")
            if thought := THOUGHT.match(line):
                figures = dict(zip(("depth", "cp", "nodes"), map(int, thought.groups()), strict=True))
        self.tell("force")
        cp = figures.get("cp")
        value = None if cp is None else worth(view.game, 100 * cp if abs(cp) >= MATE else cp)
        return Reply(self.action(view, match[1]), value, depth=figures.get("depth"), nodes=figures.get("nodes"))

    def set_up(self, view: View, clock: "Clock | None") -> None:
        """Tell where the game begins, and the time for all of it."""
        game, start = view.game, view.states[0]
        if start != game.initial_state():
            if not self.has("setboard"):
                raise Fault(f"error: {self.command} cannot set up a position: give openings as moves")
            self.tell(f"setboard {game.state_text(start)}")
        if self.limit.depth is not None:
            self.tell(f"sd {self.limit.depth}")
        if clock is not None and not clock.is_for_one_move:
            whole = clock.session or clock  # moves of the opening count, but the program counts them itself
            minutes, seconds = divmod(max(1, int(whole.seconds)), 60)
            self.tell(f"level {whole.moves or 0} {minutes}:{seconds:02} {whole.increment:g}")

    def move_name(self, game: Game, state: Any, action: int) -> str:
        """A move as the program reads it."""
        if self.has("san") or not isinstance(game, Chess):
            return game.action_name(state, action)
        return game.uci_name(state, action)
