"""GNU Backgammon, on its command line: `external:gnubg(plies=0)`. It plays without the cube, for money.

Its depth is in its own plies: with 0, the default, it considers only its own turn.
"""

import re
from collections import deque
from typing import TYPE_CHECKING

from outplay.arena.referee import Fault
from outplay.games.backgammon import Backgammon
from outplay.protocols.engine_player import EnginePlayer, number_in
from outplay.rules.errors import OutplayError
from outplay.session.players import Reply
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.clock import Clock

SETTINGS = (
    "set automatic game off",
    "set automatic roll off",
    "set automatic move off",
    "set automatic bearoff off",
    "set player 0 human",
    "set player 1 human",
    "set jacoby off",
    "set cube use off",
    "set display off",
    "set threads 1",
    "set evaluation chequerplay evaluation cubeful off",
    "set evaluation chequerplay evaluation noise 0",
)
LAST, LAST_WORDS = "show beavers", "beavers/raccoons"
"""The last command, and the words in its answer that identify it."""
MAX_ANSWER, LONGEST_LINE = 1000, 1000
"""The maximum number of lines of an answer, and of characters of a line."""
HINT = re.compile(r" 1\. \w+ \d-ply +(.*?) +Eq\.: *([+-]?[\d.]+)")


class GnubgPlayer(EnginePlayer):
    """GNU Backgammon. `plies`: how far it looks."""

    goodbye = "exit"

    def check(self) -> None:
        """See `EnginePlayer`."""
        if self.game != Backgammon():
            raise OutplayError(f"{self.command} plays Backgammon() without the cube, not {self.game!r}")
        plies = self.options.get("plies", 0)
        if set(self.options) - {"plies"} or plies not in range(8):
            raise OutplayError(f"{self.command} has one option, plies from 0 to 7, as in (plies=2)")
        if self.command == "gnubg":
            self.command = "gnubg --tty --quiet --no-rc"

    def greet(self, until: float) -> None:
        """See `EnginePlayer`."""
        plies = f"set evaluation chequerplay evaluation plies {self.options.get('plies', 0)}"
        self.answer_to((*SETTINGS, plies, "new session"), until)

    def ask(self, view: View, clock: "Clock | None", until: float) -> Reply:
        """See `EnginePlayer`."""
        text = view.game.state_text(view.state)
        answer = self.answer_to((f"set gnubgid {text}", "hint 1"), until)
        match = HINT.search(answer)
        if match is None:
            *_, last = answer.strip().splitlines() or [""]
            raise Fault(f"error: of {text} it says {last!r}")
        return Reply(self.action(view, match[1]), number_in(match[2]))

    def answer_to(self, commands: tuple[str, ...], until: float) -> str:
        """Its answer to these commands, of which only the last lines are kept."""
        for command in (*commands, LAST):
            self.tell(command)
        answer: deque[str] = deque(maxlen=MAX_ANSWER)
        while LAST_WORDS not in (line := self.running.read(until)):
            answer.append(line[:LONGEST_LINE])
        return "\n".join(answer)
