"""Programs for international draughts that speak the Hub protocol, such as Scan: `hub:scan hub(seconds=0.5)`.

Source: F. Letouzey, *Hub protocol for draughts, version 2* (2017).
"""

from typing import TYPE_CHECKING

from outplay.arena.referee import Fault
from outplay.games import InternationalDraughts
from outplay.protocols.engine_player import EnginePlayer, number_in
from outplay.protocols.hub.words import WIN, arguments, men, move_text, position_text, read_move
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import Game
from outplay.rules.wording import cut
from outplay.session.players import Reply
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.clock import Clock


class HubPlayer(EnginePlayer):
    """A program that speaks Hub."""

    def check(self) -> None:
        """See `EnginePlayer`."""
        if self.game != InternationalDraughts():
            raise OutplayError(f"{self.command}: hub programs play international draughts, not {self.game!r}")

    def greet(self, until: float) -> None:
        """See `EnginePlayer`."""
        self.tell("hub")
        known: dict[str, str] = {}
        while (line := self.hear(until)) != "wait":
            if line.startswith("param ") and (name := arguments(line).get("name")):
                self.note(known, name.lower().replace("-", "_"), name)
        for option, value in self.options.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            self.tell(f'set-param name={self.option(option.replace("-", "_"), known)} value="{text}"')
        self.tell("init")
        self.wait_for("ready", until)

    def begin(self, game: Game, player: int, until: float) -> None:
        """See `EnginePlayer`."""
        self.tell("new-game")

    def ask(self, view: View, clock: "Clock | None", until: float) -> Reply:
        """See `EnginePlayer`."""
        moves = " ".join(move_text(view.game, action) for action in view.actions)
        self.tell("ping")  # what it has said so far belongs to earlier moves
        self.wait_for("pong", until)
        self.tell(f"pos pos={position_text(view.game, view.states[0])}" + (f' moves="{moves}"' if moves else ""))
        self.tell(f"level {self.level(clock)}")
        self.tell("go think")
        info: dict[str, str] = {}
        while (command := (line := self.hear(until)).partition(" ")[0]) != "done":
            if command == "info":
                info |= arguments(line.removeprefix("info "))
            elif command == "error":
                raise Fault(f"error: {cut(arguments(line).get('message', ''), 200)}")
        text = arguments(line.removeprefix("done ")).get("move", "")
        try:
            action = read_move(view.game, view.state, view.legal, text)
        except IllegalAction:
            raise Fault(f"illegal move: {cut(text, 100) or 'none'}") from None
        depth, nodes = (int(info[name]) if info.get(name, "").isdecimal() else None for name in ("depth", "nodes"))
        return Reply(action, self.value(view, info.get("score", "")), depth=depth, nodes=nodes)

    def value(self, view: View, score: str) -> float | None:
        """A score in men as a utility."""
        lead = number_in(score)
        if lead is None or abs(lead) >= WIN / 2:
            return None if lead is None else max(-1.0, min(1.0, lead))
        return max(-1.0, min(1.0, lead / men(view.game, view.state)))

    def level(self, clock: "Clock | None") -> str:
        """What limits a move. Raises `Fault` if nothing does."""
        words, seconds = [], self.seconds(clock)
        if clock is not None and not clock.is_for_one_move:
            words += [f"moves={clock.moves}"] if clock.moves else []
            words += [f"time={max(0.0, clock.seconds - clock.increment):.3f}", f"inc={clock.increment:.3f}"]
        elif seconds is not None:
            words.append(f"move-time={seconds:.3f}")
        words += [f"{name}={limit}" for name in ("depth", "nodes") if (limit := getattr(self.limit, name))]
        if not words:
            raise Fault(f"error: nothing limits {self.command}: give seconds, depth or nodes, or a clock")
        return " ".join(words)
