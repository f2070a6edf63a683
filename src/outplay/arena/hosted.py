"""Players in a process of their own: what a bot of a user does there, endless loops and crashes included, costs it the
game, and nothing else.

The process begins with the first game, and again after it was ended.
"""

import pickle
import queue
from typing import TYPE_CHECKING, Any

from outplay.arena.patience import START, for_move
from outplay.arena.player import Player, Reply
from outplay.arena.referee import Fault
from outplay.arena.view import View
from outplay.parallel.code import packed
from outplay.parallel.processes import LocalWorker
from outplay.rules.game import Game

if TYPE_CHECKING:
    from outplay.engine.clock import Clock


class HostedPlayer:
    """A player in a process of its own.

    Args:
        source: a function that makes the player in its process, and its arguments; all of it can be pickled.
    """

    def __init__(self, source: Any, *arguments: Any) -> None:
        self.source = source, arguments
        self.worker: LocalWorker | None = None
        self.answers: queue.SimpleQueue[tuple[str, int, bytes]] = queue.SimpleQueue()
        self.told = 0
        """How many states of this game the process has."""

    def new_game(self, game: Game, player: int, seed: int) -> None:
        """See `Player`."""
        self.told = 0
        self._call("new_game", (game, player, seed), START)

    def choose(self, view: View, clock: "Clock | None") -> Reply:
        """See `Player`. It is sent only the states that it does not have yet."""
        news, self.told = (view.states[self.told :], view.actions[max(0, self.told - 1) :]), len(view.states)
        question = view.player, view.legal, news, view.information, view.decoy, clock
        found: Reply = self._call("choose", question, for_move(clock))
        return found

    def close(self) -> None:
        """See `Player`. The process is ended."""
        if self.worker is not None:
            self.worker.kill()
            self.worker = None

    @property
    def process_id(self) -> int:
        """The number of the process, 0 if there is none."""
        return self.worker.process.pid if self.worker is not None else 0

    def start(self) -> None:
        """Begin the process. Raises `Fault` if the player cannot be made."""
        self.answers = queue.SimpleQueue()
        answers = self.answers
        self.worker = LocalWorker(lambda *message: answers.put(message))
        self._answer(START, "start")
        self.worker.send(("function", 0, packed(perform)))
        self._call("make", self.source, START)

    def _call(self, method: str, arguments: Any, patience: float) -> Any:
        """What a method answers. Raises `Fault` if it fails or does not answer in time; the process is ended then."""
        if self.worker is None:
            self.start()
        assert self.worker is not None, "it has just begun"
        self.worker.send(("job", 0, packed(((method, arguments), {}))))
        return pickle.loads(self._answer(patience, method))  # noqa: S301 - from our own process

    def _answer(self, patience: float, method: str) -> bytes:
        try:
            kind, _, data = self.answers.get(timeout=patience)
        except queue.Empty:
            self.close()
            raise Fault(f"hang: no answer to {method} in {patience:.1f} s") from None
        except BaseException:
            self.close()  # it is in the middle of a job
            raise
        if kind == "failed":
            words = pickle.loads(data)[0]  # noqa: S301
            raise Fault(f"error: {words}")
        if kind == "lost":
            self.close()
            raise Fault(f"crash: its process ended with exit code {data.decode()}")
        return data


_kept: dict[str, Any] = {}
"""The player, the game and its states so far, in the process of the player."""


def perform(job: tuple[str, Any]) -> Any:
    """Do what a player is asked for, in its process."""
    method, arguments = job
    if method == "make":
        source, more = arguments
        _kept["player"] = source(*more)
        return None
    player: Player = _kept["player"]
    if method == "new_game":
        _kept.update(game=arguments[0], states=[], actions=[])
        return player.new_game(*arguments) if hasattr(player, "new_game") else None
    seat, legal, news, information, decoy, clock = arguments
    for name, new in zip(("states", "actions"), news, strict=True):
        _kept[name].extend(new)
    view = View(_kept["game"], seat, legal, tuple(_kept["states"]), tuple(_kept["actions"]), information, decoy)
    found = player.choose(view, clock)
    return found if isinstance(found, Reply) else Reply(found)
