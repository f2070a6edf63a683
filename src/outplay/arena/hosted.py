"""Players in a process of their own: what a bot of a user does there, endless loops and crashes included, costs it the
game, and nothing else.

The process begins with the first game, and again after it was ended. Its answers are short JSON texts, so that none of
them runs anything here, where the whole state of a game is, or takes much memory.
"""

import json
import queue
import time
from typing import TYPE_CHECKING, Any

from outplay.arena.patience import START, for_move
from outplay.arena.referee import Fault
from outplay.parallel.code_transport import packed
from outplay.parallel.processes import LocalWorker
from outplay.parallel.worker import Flood, Message
from outplay.rules.game import Game
from outplay.rules.wording import shown
from outplay.session.players import Player, Reply, place_of, plain
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.clock import Clock


LONGEST = 1 << 16
"""The maximum length of an answer, in bytes."""
MOST = 100
"""The maximum number of messages that wait to be read."""


ENDS = ("flood", "lost")
"""The kinds of messages that say that the process has ended."""


class HostedPlayer:
    """A player in a process of its own.

    Args:
        source: a function that makes the player in its process, and its arguments; all of it can be pickled.
    """

    def __init__(self, source: Any, *arguments: Any) -> None:
        self.source = source, arguments
        self.worker: LocalWorker | None = None
        self.answers: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.state_count = 0
        """How many states of this game the process has."""
        self.question_number = 0
        """The number of the last question, which its answer has too."""
        self.lucks: set[int] = set()
        """The luck of the games that the process may remember."""

    def new_game(self, game: Game, player: int, seed: int) -> None:
        """See `Player`."""
        self.state_count = 0
        self._call("new_game", (game, player, seed), START)

    def choose(self, view: View, clock: "Clock | None") -> Reply:
        """See `Player`. It is sent only the states that it does not have yet."""
        news = view.states[self.state_count :], view.actions[max(0, self.state_count - 1) :]
        self.state_count = len(view.states)
        question = view.player, view.legal, news, view.information, view.decoy, clock
        answer = self._call("choose", question, for_move(clock))
        try:
            place, text, *opinion = answer
            if text is not None:
                raise Fault(f"illegal move: {text}")
            return Reply(None if place is None else view.legal[place], *opinion)  # which the referee checks
        except (TypeError, ValueError, IndexError):
            raise Fault(f"error: it has not answered with a move, but {shown(answer)}") from None

    def close(self) -> None:
        """See `Player`. The process is ended."""
        if self.worker is not None:
            self.worker.kill()
            self.worker = None
        self.lucks = set()

    @property
    def process_id(self) -> int:
        """The number of the process, 0 if there is none."""
        return self.worker.process.pid if self.worker is not None else 0

    def start(self) -> None:
        """Begin the process. Raises `Fault` if the player cannot be made."""
        self.question_number, self.answers = -1, queue.SimpleQueue()
        answers = self.answers

        def take(*message: Any) -> None:
            if answers.qsize() >= MOST and message[0] not in ENDS:
                raise Flood(f"over {MOST} messages that nobody has asked for")
            answers.put(message)

        self.worker = LocalWorker(take, LONGEST)
        self._answer(START, "start")
        self._call("make", self.source, START)

    def _call(self, method: str, arguments: Any, patience: float) -> Any:
        """What a method answers. Raises `Fault` if it fails or does not answer in time; the process is ended then."""
        if self.worker is None:
            self.start()
        assert self.worker is not None, "it has just begun"
        self.question_number += 1
        self.worker.send(("question", self.question_number, packed((perform, (method, arguments)))))
        data = self._answer(patience, method)
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise Fault(f"error: its answer cannot be read: {shown(data)}") from None

    def _answer(self, patience: float, method: str) -> bytes:
        """The answer to the last question; others, such as of a process that the player has forked, do not count."""
        until, kind, number, data = time.monotonic() + patience, "", None, b""
        while kind not in ENDS and number != self.question_number:
            try:
                kind, number, data = self.answers.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                self.close()
                raise Fault(f"hang: no answer to {method} in {patience:.1f} s") from None
            except BaseException:
                self.close()  # it is in the middle of a job
                raise
        text = data.decode("utf-8", "replace")
        if kind == "failed":
            raise Fault(f"error: {text.removeprefix('OutplayError: ')}")
        if kind == "flood":
            self.close()
            raise Fault(f"error: it has sent {text}")
        if kind == "lost":
            self.close()
            raise Fault(f"crash: its process ended with exit code {text}")
        return data


_memory: dict[str, Any] = {}
"""The player, the game and its states so far, in the process of the player."""


def perform(job: tuple[str, Any]) -> Any:
    """Do what a player is asked for, in its process."""
    method, arguments = job
    if method == "make":
        source, parameters = arguments
        _memory["player"] = source(*parameters)
        return None
    player: Player = _memory["player"]
    if method == "new_game":
        _memory.update(game=arguments[0], states=[], actions=[])
        if hasattr(player, "new_game"):
            player.new_game(*arguments)
        return None
    seat, legal, news, information, decoy, clock = arguments
    for name, new in zip(("states", "actions"), news, strict=True):
        _memory[name].extend(new)
    view = View(_memory["game"], seat, legal, tuple(_memory["states"]), tuple(_memory["actions"]), information, decoy)
    reply = plain(player.choose(view, clock))
    opinion = reply.value, reply.exact, reply.depth, reply.nodes
    if reply.action is None:
        return None, None, *opinion
    place = place_of(reply.action, legal)
    return (place, None, *opinion) if place >= 0 else (None, shown(reply.action), *opinion)
