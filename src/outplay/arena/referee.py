"""One game: the referee asks players for their moves, takes their time, and says how the game ended and why.

A player who plays an illegal move, raises an error or oversteps its time loses, with the reason in the record.
Start at `play_game`.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from outplay.arena.adjudication import Adjudication, Adjudicator
from outplay.arena.waiting import Waiting
from outplay.check.differences import same
from outplay.compile.watch import one_look
from outplay.engine.clock import Clock
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, Game, defines
from outplay.rules.repetition import defeat
from outplay.rules.user_code import describe_error
from outplay.rules.wording import shown, visible
from outplay.session.players import Player, Reply, place_of, plain
from outplay.session.session import Session
from outplay.session.view import View
from outplay.system.seeds import fresh_seed

if TYPE_CHECKING:
    from outplay.arena.luck import LuckMeter

MAX_PLIES = 2000
"""A longer game is a draw, unless the terms say otherwise."""
T = TypeVar("T")
MAX_REASON = 500
"""The maximum length of what a player did wrong, in a record."""
LATE = 0.1
"""The seconds by which a move may exceed its time before the player loses: a busy machine takes some."""


@dataclass(frozen=True)
class Terms:
    """The rules of a match besides those of the game.

    Attributes:
        seconds: the maximum time for a move.
        clock: the clock that each player starts with; if it has `moves`, such sessions follow each other. The moves of
            an opening count in them, as in chess and in other arenas, but take no time.
        max_plies: a longer game is a draw.
        adjudication: what ends a game early.
        adjusts_luck: whether the luck of each player is measured, see `outplay.arena.luck`.

    Raises `OutplayError` if `seconds` is no time, or `max_plies` below 1.
    """

    seconds: float | None = None
    clock: Clock | None = None
    max_plies: int = MAX_PLIES
    adjudication: Adjudication = field(default_factory=Adjudication)
    adjusts_luck: bool = False

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            raise OutplayError(f"seconds={self.seconds:g}: give the time for a move, from 0 up")
        if self.max_plies < 1:
            raise OutplayError(f"max_plies={self.max_plies}: give a number from 1 up")
        if self.clock is not None:
            object.__setattr__(self, "clock", self.clock.of_a_game())


@dataclass(frozen=True)
class Ply:
    """What was played in a state.

    Attributes:
        name: the name of the action.
        player: who played it, or `CHANCE`.
        seconds: the time that it took.
        waited: the part of it in which the player was ready to run, but something else had the processor.
        value: the utility that the player expected, if it said so.
        exact: whether it had proved that value.
        depth: how many plies it looked ahead.
        nodes: how many states it made.
    """

    name: str
    player: int
    seconds: float = 0.0
    waited: float = 0.0
    value: float | None = None
    exact: bool = False
    depth: int | None = None
    nodes: int | None = None


@dataclass
class GameRecord:
    """A game that was played.

    Attributes:
        players: the names of the players, by seat.
        opening: the moves of the opening.
        plies: what was played after it.
        utilities: the utility of each seat.
        reason: why the game ended: "rules", "repetition" or "length"; "table", "proved", "resigned" or "agreed"; or
            what a player did: "time …", "illegal move …" or "error …".
        guilty: the seat of a player who lost by what it did, not by the rules; else None.
        start: the text of the state in which the game began, as `Game.state_text` writes it; None: the initial state.
        actions: the actions from there on, those of the opening first. Names need not be unique; actions are.
        luck: what chance gave to each seat, if it was measured.
    """

    players: tuple[str, ...]
    opening: tuple[str, ...] = ()
    plies: list[Ply] = field(default_factory=list)
    utilities: tuple[float, ...] = ()
    reason: str = ""
    guilty: int | None = None
    start: str | None = None
    actions: list[Any] = field(default_factory=list)
    luck: tuple[float, ...] = ()


Watch = Callable[[GameRecord, Sequence[Any]], None]
"""Called after each ply, with the record and all states so far."""


class Opening(NamedTuple):
    """The beginning of a game: all states so far, and the actions between them."""

    states: tuple[Any, ...]
    actions: tuple[int, ...]


class Fault(Exception):
    """What a player did that loses the game."""


def play_game(
    game: Game,
    players: Sequence[Player],
    names: Sequence[str],
    opening: Opening | None = None,
    *,
    terms: Terms = Terms(),
    seed: int | None = None,
    luck: int | None = None,
    watch: Watch | None = None,
) -> GameRecord:
    """Play a game to its end.

    Args:
        game: the game.
        players: the player of each seat.
        names: their names.
        opening: where the players begin; by default in the initial state.
        terms: the rules of the match.
        seed: for players that choose at random; by default, one that nobody can guess.
        luck: the seed of chance; by default, one that nobody can guess.
        watch: called after each ply.

    >>> from outplay.session.players import RandomPlayer
    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> record = play_game(game, [RandomPlayer(), RandomPlayer()], ["one", "two"])
    >>> record.reason, len(record.plies) >= 5
    ('rules', True)
    """
    opening = opening or Opening((game.initial_state(),), ())
    with one_look():  # rules do not change during a game
        session = Session(
            game, start=opening.states[0], players=dict(enumerate(players)), clocks=terms.clock,
            seed=fresh_seed() if luck is None else luck,
        )  # fmt: skip
        for action in opening.actions:
            session.append(action, clocks=session.clocks_after(0.0, bonus=False))
        return _Referee(session, tuple(names), terms, fresh_seed() if seed is None else seed, watch).play()


class _Referee:
    """A game in progress, in a `Session` whose seed is that of chance: asks the players, and keeps the record."""

    def __init__(self, session: Session, names: tuple[str, ...], terms: Terms, seed: int, watch: Watch | None) -> None:
        self.session, self.game, self.terms, self.watch = session, session.game, terms, watch
        self.record = GameRecord(
            names, tuple(session.names), start=start_text(self.game, session.states[0]), actions=session.actions
        )
        self.seeds = Random(seed)  # noqa: S311 - not for secrets
        self.adjudicator = Adjudicator(self.game, terms.adjudication)
        self.meter = luck_meter(self.game) if terms.adjusts_luck else None
        if self.meter is not None:
            self.record.luck = (0.0,) * self.game.players

    def play(self) -> GameRecord:
        """Play to the end."""
        for seat, player in self.session.players.items():
            if hasattr(player, "new_game") and not self.record.reason:  # the first fault decides
                self.ask(seat, partial(player.new_game, self.game, seat, self.seeds.getrandbits(62)))
        while not self.is_over():
            seat = int(self.game.to_move(self.session.state))
            if seat == CHANCE:
                self.throw()
            else:
                self.move(seat)
        return self.record

    def throw(self) -> None:
        """Let chance decide."""
        state, outcome = self.session.state, self.session.roll()
        if self.meter is not None:
            gains = self.meter.of(state, outcome)
            self.record.luck = tuple(map(sum, zip(self.record.luck, gains, strict=True)))
        self.append(outcome, CHANCE)

    def ask(self, seat: int, task: Callable[[], T]) -> T | None:
        """What a player answers; None if it fails, which loses the game."""
        try:
            return task()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            words = str(error) if isinstance(error, Fault) else f"error: {describe_error(error)}"
            self.end(defeat(self.game, seat), visible(" ".join(words[:MAX_REASON].split())), seat)
            return None

    def move(self, seat: int) -> None:
        """Ask the player in a seat for a move, and play it. What the rules do wrong is not the fault of a player."""
        view = self.session.view(self.seeds)
        answer = self.ask(seat, partial(self.answer, seat, view))
        if answer is None:
            return
        reply, seconds, waited, clocks = answer
        if reply.action is None:
            self.end(defeat(self.game, seat), "resigned")
            return
        opinion = reply.value, reply.exact, reply.depth, reply.nodes
        self.append(reply.action, seat, seconds, waited, *opinion, clocks=clocks)
        verdict = self.adjudicator.after(seat, reply.value, exact=reply.exact)
        if verdict is not None and self.session.utilities is None:
            self.end(*verdict)

    def answer(self, seat: int, view: View) -> tuple[Reply, float, float, tuple[Clock, ...] | None]:
        """The answer of a player, the seconds that it took, how long it waited, and the clocks then. Raises `Fault`."""
        player, clock, most = self.session.players[seat], self.session.clock, self.terms.seconds
        waiting, began = Waiting(player), time.perf_counter()
        answer = player.choose(view, clock if most is None else Clock(most, moves=1))
        seconds = time.perf_counter() - began
        waited = waiting.among(seconds)
        if most is not None and seconds > most + LATE:
            raise Fault(f"time: {seconds:.3f} s for a move, instead of {most:g}")
        clocks = None if clock is None else self.session.clocks_after(seconds, LATE)
        if clock is not None and clocks is None:
            raise Fault(f"time: {seconds:.3f} s for a move, with {clock.seconds:.3f} s on the clock")
        reply = plain(answer)
        if reply.analysis is not None and reply.analysis.stopped == "interrupted":
            raise KeyboardInterrupt
        if reply.action is not None:
            if (place := place_of(reply.action, view.legal)) < 0:
                raise Fault(f"illegal move: {shown(reply.action)}")
            if (legal := view.legal[place]) is not reply.action:
                reply = replace(reply, action=legal)  # 3 for 3.0, which the rules may not take
        return reply, seconds, waited, clocks

    def append(self, action: int, player: int, *details: Any, clocks: tuple[Clock, ...] | None = None) -> None:
        """Play an action; `details` is what is known about the ply."""
        self.session.append(action, clocks=clocks)
        self.record.plies.append(Ply(self.session.names[-1], player, *details))
        if self.watch is not None:
            self.watch(self.record, self.session.states)

    def is_over(self) -> bool:
        """Whether the game is over; the record says how."""
        game, state = self.game, self.session.state
        if self.record.reason:
            return True
        if (utilities := self.session.utilities) is not None:
            self.end(utilities, "rules" if game.is_terminal(state) else "repetition")
        elif len(self.record.plies) >= self.terms.max_plies:
            self.end((draw_utility(game),) * game.players, "length")
        elif (verdict := self.adjudicator.table_verdict(state)) is not None:
            self.end(*verdict)
        return bool(self.record.reason)

    def end(self, utilities: Sequence[float], reason: str, guilty: int | None = None) -> None:
        """End the game."""
        self.record.utilities, self.record.reason, self.record.guilty = tuple(utilities), reason, guilty


def luck_meter(game: Game) -> "LuckMeter":
    """The meter, which is imported where luck is measured: bots start without searches."""
    from outplay.arena.luck import LuckMeter  # noqa: PLC0415

    return LuckMeter(game)


def start_text(game: Game, state: Any) -> str | None:
    """The text of a state in which a game begins; None if it is the initial state.

    A state of a game without texts is written by `repr`, which `Game.parse_state` refuses: such a game can be played,
    but not replayed.
    """
    if same(state, game.initial_state()):
        return None
    return game.state_text(state) if defines(game, "state_text") else repr(state)
