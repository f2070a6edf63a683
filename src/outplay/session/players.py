"""Players: what a game asks of them, those that come with outplay, and how weak ones choose.

A player of one's own is a class with a method `choose`:

    class Bot:
        def choose(self, view, clock):
            return view.legal[0]

`new_game` and `close` may be left out. The answer is an action, or a `Reply` with more to say.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from outplay.engine.limits import UNLIMITED, Limit
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.wording import shown
from outplay.session.levels import Level, LevelOrBlend
from outplay.session.view import View

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.book import LookUp
    from outplay.engine.clock import Clock
    from outplay.engine.searcher import Searcher
    from outplay.engine.stop import Stop
    from outplay.equilibrium.strategy import Strategy
    from outplay.rules.arguments import Progress


@dataclass(frozen=True)
class Reply:
    """The answer of a player.

    Attributes:
        action: the action; None to resign.
        value: the utility that the player expects, if it has an opinion.
        exact: whether it has proved this value.
        depth, nodes: what it searched.
        analysis: the search behind the answer; None if nothing was searched.
    """

    action: int | None
    value: float | None = None
    exact: bool = False
    depth: int | None = None
    nodes: int | None = None
    analysis: "Analysis | None" = None

    @property
    def seconds(self) -> float:
        """The time of the search, without compiling: what it takes from the clock of a `Session`."""
        return 0.0 if self.analysis is None else self.analysis.seconds


def plain(answer: Any) -> Reply:
    """The answer of a player as a `Reply` with Python's own numbers; a value that is not finite is none.

    Raises `OutplayError` if something in it is no number, or a whole number of more than 64 bits.

    >>> plain(3) == plain(Reply(3, value=math.nan)) == Reply(3)
    True
    """
    reply = answer if isinstance(answer, Reply) else Reply(answer)
    value: Any = reply.value
    if value is not None and not isinstance(value, Real):
        raise OutplayError(f"the value of its reply is {shown(value)}: give a number or None")
    numbers = {name: number for name in ("depth", "nodes") if (number := getattr(reply, name)) is not None}
    if value is None and not numbers and reply.exact is False:
        return reply
    from outplay.check.differences import acts_as_int  # noqa: PLC0415 - heavy

    for name, number in numbers.items():
        if not (acts_as_int(number) and abs(int(number)) < 1 << 63):
            raise OutplayError(
                f"the {name} of its reply is {shown(number)}: give a whole number of at most 63 bits, or None"
            )
    return Reply(
        reply.action,
        float(value) if value is not None and is_finite(value) else None,
        bool(reply.exact),
        None if reply.depth is None else int(reply.depth),
        None if reply.nodes is None else int(reply.nodes),
        reply.analysis,
    )


def is_finite(number: Real) -> bool:
    """Whether a number is a finite float; a whole number may be too great for one."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def place_of(action: Any, legal: Sequence[Any]) -> int:
    """Where an action is among the legal ones; -1 if it is none of them, whatever it is.

    >>> place_of(4.0, (3, 4)), place_of([4], (3, 4))
    (1, -1)
    """
    try:
        return legal.index(action)
    except Exception:  # its own __eq__, or it is an array
        return -1


@runtime_checkable
class Player(Protocol):
    """What plays a seat in games of the arena."""

    def choose(self, view: View, clock: "Clock | None") -> "int | Reply":
        """The action to play where this player is to move, given the time left to it."""

    def new_game(self, game: Game, player: int, seed: int) -> None:
        """A game begins, in which this is the player of that number. `seed` is for its random choices."""

    def close(self) -> None:
        """There are no more games."""


class BasePlayer:
    """A player that needs no notice of new games."""

    random: Random

    def new_game(self, game: Game, player: int, seed: int) -> None:
        """See `Player`."""
        self.random = Random(seed)  # noqa: S311 - not for secrets

    def close(self) -> None:
        """See `Player`."""


class RandomPlayer(BasePlayer):
    """Plays each legal action with the same probability."""

    def choose(self, view: View, clock: "Clock | None") -> int:
        """See `Player`."""
        return self.random.choice(view.legal)


class LookUpPlayer(BasePlayer):
    """Plays what a book or a table says, and at random where it says nothing."""

    def __init__(self, book: "LookUp") -> None:
        self.book = book

    def choose(self, view: View, clock: "Clock | None") -> Reply:
        """See `Player`."""
        entry = self.book.look_up(view.game, view.state)
        if entry is None or entry.action not in view.legal:
            return Reply(self.random.choice(view.legal))
        return Reply(entry.action, entry.value, entry.kind == "exact")


class StrategyPlayer(BasePlayer):
    """Draws its actions by the probabilities of a strategy."""

    def __init__(self, strategy: "Strategy") -> None:
        self.strategy = strategy

    def choose(self, view: View, clock: "Clock | None") -> int:
        """See `Player`. What the player knows is the same in all states that look the same."""
        return self.strategy.draw(view.sample(0), self.random)


class SearchPlayer(BasePlayer):
    """Searches before each move.

    Args:
        searcher: the searcher. It is compiled, and forgets, at the beginning of each game in a match.
        limit: the limit for each move, besides the clock.
        share: from 0 to 1. The player chooses at random among the actions whose value is within this share of the
            way from the best value to the worst. 0: it plays the best action.
        strength: a level, or a blend of levels, to play at instead of `limit` and `share`. It may change in a game.
    """

    def __init__(
        self, searcher: "Searcher", limit: Limit = UNLIMITED, share: float = 0.0, strength: LevelOrBlend | None = None
    ) -> None:
        self.searcher, self.strength, self.is_compiled = searcher, strength or Level(limit, share), False

    @property
    def limit(self) -> Limit:
        """The limit for each move of its strength."""
        return self.strength.limit or Limit(nodes=1)

    @property
    def share(self) -> float:
        """The share of its strength."""
        return self.strength.share

    def new_game(self, game: Game, player: int, seed: int) -> None:
        """See `Player`."""
        super().new_game(game, player, seed)
        if not self.is_compiled:
            self.compile(game)
        if hasattr(self.searcher, "seed"):
            self.searcher = replace(self.searcher, seed=self.random.randrange(1 << 31))  # type: ignore[call-arg]
        forget = getattr(self.searcher, "forget", None)
        if forget is not None:
            forget()

    def compile(self, game: Game) -> None:
        """Compile the search before the first move, which would take the time for it otherwise."""
        state = game.initial_state()
        while not game.is_terminal(state) and game.to_move(state) == CHANCE:
            state = game.result(state, next(iter(legal_actions(game, state))))
        if not game.is_terminal(state):
            search: Any = self.searcher.analyse if self.share else self.searcher.search
            search(state, Limit(seconds=0) if "seconds" in self.searcher.limits else self.limit)
        self.is_compiled = True

    @staticmethod
    def _within(limit: Limit, clock: "Clock") -> Limit:
        """The limit for a move. All of the time for a single move is used; a search spreads that of a game itself."""
        if clock.is_for_one_move:
            seconds = min(clock.seconds, math.inf if limit.seconds is None else limit.seconds)
            return replace(limit, seconds=seconds)
        return replace(limit, clock=clock)

    def choose(
        self,
        view: View,
        clock: "Clock | None",
        progress: "Progress[Analysis] | None" = None,
        stop: "Stop | None" = None,
    ) -> Reply:
        """See `Player`. A single legal action is played without a search; `progress` is called while one runs, and
        `stop` ends it.
        """
        if len(view.legal) == 1:
            return Reply(view.legal[0])
        level = self.strength.drawn(self.random)
        if level.limit is None:
            return Reply(self.random.choice(view.legal))
        limit = level.limit if clock is None else self._within(level.limit, clock)
        if stop is not None:
            limit = replace(limit, stop=stop)
        hides = view.game.hidden_information
        state = view.sample(self.random.randrange(1 << 31)) if hides else view.state
        search: Any = self.searcher.analyse if level.share else self.searcher.search
        options = {} if progress is None else {"progress": progress}
        analysis = search(state, limit, previous_states=view.states[:-1], **options)
        value = analysis.value if analysis.actions else None
        exact = bool(analysis.exact and analysis.actions)
        return Reply(choose(analysis, level.share, self.random), value, exact, analysis.depth, analysis.nodes, analysis)


def choose(analysis: "Analysis", share: float, random: Random) -> int:
    """One of the actions that are best or, with `share`, nearly so; that of the analysis if it could compare none.

    If the search found a mixture, the action is drawn by its probabilities.
    """
    if not analysis.actions:
        assert analysis.action is not None, "a player is to move"
        return analysis.action
    odds = [item.probability or 0.0 for item in analysis.actions]
    if not share and any(odds):
        return random.choices(analysis.actions, odds)[0].action
    best, worst = analysis.actions[0].value, analysis.actions[-1].value
    nearly_best = [item for item in analysis.actions if best - item.value <= share * (best - worst)] if share else []
    return random.choice(nearly_best or analysis.actions[:1]).action
