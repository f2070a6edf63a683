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
from outplay.arena.player import Player, Reply, place_of, plain
from outplay.arena.view import View, view_of
from outplay.arena.waiting import Waiting
from outplay.check.values import same
from outplay.compile.watch import one_look
from outplay.engine.clock import Clock
from outplay.rules.constant_sum import balance
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, Game, defines, legal_actions, plain_action
from outplay.rules.repetition import History, defeat, final
from outplay.rules.user_code import describe_error
from outplay.rules.wording import shown, visible
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


class Luck:
    """What chance decides: the same, one chance after the other, in all games with the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - not for secrets

    def outcome(self, game: Game, state: Any) -> int:
        """An outcome of chance, drawn by its probability."""
        outcomes = [plain_action(action) for action in legal_actions(game, state)]
        return self.random.choices(outcomes, [game.probability(state, action) for action in outcomes])[0]


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

    >>> from outplay.arena.player import RandomPlayer
    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> record = play_game(game, [RandomPlayer(), RandomPlayer()], ["one", "two"])
    >>> record.reason, len(record.plies) >= 5
    ('rules', True)
    """
    opening = opening or Opening((game.initial_state(),), ())
    with one_look():  # rules do not change during a game
        seed = fresh_seed() if seed is None else seed
        luck = fresh_seed() if luck is None else luck
        return _Referee(game, players, tuple(names), opening, terms, seed, luck, watch).play()


class _Referee:
    """A game in progress."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        names: tuple[str, ...],
        opening: Opening,
        terms: Terms,
        seed: int,
        luck: int,
        watch: Watch | None,
    ) -> None:
        self.game, self.players, self.terms, self.watch = game, players, terms, watch
        self.states, self.actions, self.luck = History(opening.states), list(opening.actions), Luck(luck)
        moves = zip(opening.states, opening.actions, strict=False)
        self.record = GameRecord(
            names,
            tuple(game.action_name(state, action) for state, action in moves),
            start=start_text(game, opening.states[0]),
            actions=self.actions,
        )
        self.seeds = Random(seed)  # noqa: S311 - not for secrets
        self.clocks = [terms.clock] * len(players)
        for state in opening.states[:-1]:
            seat = int(game.to_move(state))
            if seat != CHANCE and (clock := self.clocks[seat]) is not None:
                self.clocks[seat] = clock.after(min(clock.increment, clock.seconds))  # which it gets back
        self.adjudicator = Adjudicator(game, terms.adjudication)
        self.meter = luck_meter(game) if terms.adjusts_luck else None
        if self.meter is not None:
            self.record.luck = (0.0,) * game.players

    def play(self) -> GameRecord:
        """Play to the end."""
        for seat, player in enumerate(self.players):
            if hasattr(player, "new_game") and not self.record.reason:  # the first fault decides
                self.ask(seat, partial(player.new_game, self.game, seat, self.seeds.getrandbits(62)))
        while not self.is_over():
            seat = int(self.game.to_move(self.states[-1]))
            if seat == CHANCE:
                self.throw()
            else:
                self.move(seat)
        return self.record

    def throw(self) -> None:
        """Let chance decide."""
        outcome = self.luck.outcome(self.game, self.states[-1])
        if self.meter is not None:
            gains = self.meter.of(self.states[-1], outcome)
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
        view = view_of(
            self.game, self.states, self.actions, self.seeds.getrandbits(31) if self.game.hidden_information else 0
        )
        answer = self.ask(seat, partial(self.answer, seat, view))
        if answer is None:
            return
        reply, seconds, waited = answer
        if reply.action is None:
            self.end(defeat(self.game, seat), "resigned")
            return
        self.append(reply.action, seat, seconds, waited, reply.value, reply.exact, reply.depth, reply.nodes)
        verdict = self.adjudicator.after(seat, reply.value, exact=reply.exact)
        if verdict is not None and final(self.game, self.states) is None:
            self.end(*verdict)

    def answer(self, seat: int, view: View) -> tuple[Reply, float, float]:
        """The answer of a player, the seconds that it took, and how long it waited. Raises `Fault`."""
        clock = self.clocks[seat] if self.terms.seconds is None else Clock(self.terms.seconds, moves=1)
        waiting, began = Waiting(self.players[seat]), time.perf_counter()
        answer = self.players[seat].choose(view, clock)
        seconds = time.perf_counter() - began
        waited = waiting.among(seconds)
        self.take_time(seat, seconds)
        reply = plain(answer)
        if reply.action is None:
            return reply, seconds, waited
        if (found := place_of(reply.action, view.legal)) < 0:
            raise Fault(f"illegal move: {shown(reply.action)}")
        if (legal := view.legal[found]) is not reply.action:
            reply = replace(reply, action=legal)  # 3 for 3.0, which the rules may not take
        return reply, seconds, waited

    def take_time(self, seat: int, seconds: float) -> None:
        """Take the time of a move. Raises `Fault` if it was too long."""
        clock, most = self.clocks[seat], self.terms.seconds
        if most is not None and seconds > most + LATE:
            raise Fault(f"time: {seconds:.3f} s for a move, instead of {most:g}")
        if clock is not None:
            if seconds > clock.seconds + LATE:
                raise Fault(f"time: {seconds:.3f} s for a move, with {clock.seconds:.3f} s on the clock")
            self.clocks[seat] = clock.after(min(seconds, clock.seconds))

    def append(self, action: int, player: int, *more: Any) -> None:
        """Play an action; `more` is what is known about the ply."""
        state = self.states[-1]
        self.record.plies.append(Ply(self.game.action_name(state, action), player, *more))
        self.states.append(self.game.result(state, action))
        self.actions.append(action)
        if self.watch is not None:
            self.watch(self.record, self.states)

    def is_over(self) -> bool:
        """Whether the game is over; the record says how."""
        game, state = self.game, self.states[-1]
        if self.record.reason:
            return True
        if (utilities := final(game, self.states)) is not None:
            self.end(utilities, "rules" if game.is_terminal(state) else "repetition")
        elif len(self.record.plies) >= self.terms.max_plies:
            self.end((balance(game),) * game.players, "length")
        elif (verdict := self.adjudicator.known(state)) is not None:
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
