"""`Explorer`: the values of all actions in the position that a room shows, live while a search deepens, and the curve
of the values over the game.

The first search is short, so that something is seen at once; it goes on in longer ones, which keep what they have
learned. All take turns in one fair queue.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from outplay.engine.analysis import Analysis
from outplay.engine.book import Book
from outplay.engine.limits import Limit
from outplay.engine.searcher import Searcher
from outplay.rules.errors import OutplayError, TableError
from outplay.rules.game import CHANCE, Game
from outplay.rules.repetition import final
from outplay.rules.user_code import describe_error
from outplay.session.algorithms import SEARCHES, searcher_class
from outplay.session.searchers import memory_option, new_searcher, options_of_play
from outplay.session.survey import suited_to
from outplay.session.view import view_of
from outplay.tables.tablebase import Tablebase
from outplay.web.book_values import BookMoves, book_moves
from outplay.web.fair_queue import FairQueue
from outplay.web.guarded import Guarded
from outplay.web.seat_view import Message, error_text
from outplay.web.values import Scale, values_message

FIRST, LONGER = 0.02, 2.0
"""The seconds of the first search, and of those that follow."""
SECONDS, LONGEST = 20.0, 600.0
"""How long a position is searched, if the page does not say, and at most."""
POINT = 0.1
"""The seconds of the search for a point of the curve."""
MEGABYTES = 8
"""The memory of the search of a room."""


@dataclass
class Spot:
    """What is searched: a copy of a room's position, which may change meanwhile."""

    game: Game
    states: Sequence[Any]
    actions: Sequence[Any]
    legal: list[Any]
    node: int
    hides: bool


@dataclass
class Searching:
    """The threads of all searches: turns among them, and calls without a turn, for compiling."""

    queue: FairQueue
    threads: Guarded
    table_of: Callable[[Game], Tablebase | None]
    book_of: Callable[[Game], Book | None]
    compiled: WeakKeyDictionary[Game, set[str]] = field(default_factory=WeakKeyDictionary)
    """The algorithms that have been compiled for a game."""
    _usual: WeakKeyDictionary[Game, str] = field(default_factory=WeakKeyDictionary)

    async def usual(self, game: Game) -> str:
        """The algorithm that suits a game; it is found once, as that takes a while."""
        if game not in self._usual:
            self._usual[game], _ = await self.threads.run(suited_to, game, game.initial_state())
        return self._usual[game]


class Explorer:
    """The search of one room.

    Args:
        searching: what all rooms share.
        show: sends a message to the pages that want it.
    """

    def __init__(self, searching: Searching, show: Callable[[Message], None]) -> None:
        self.searching, self.show = searching, show
        self.algorithm, self.seconds = "", SECONDS
        self._searchers: dict[str, tuple[Game, Searcher]] = {}
        self._task: asyncio.Task[None] | None = None
        self._points: asyncio.Task[None] | None = None
        self.shares: dict[int, tuple[list[float], bool]] = {}  # by node: the share of each player, and whether exact

    # -- values -------------------------------------------------------------------------------------------------------

    def start(self, spot: Spot) -> None:
        """Search a position, instead of what was searched before."""
        self.stop()
        self._task = asyncio.get_running_loop().create_task(self._explore(spot))

    def stop(self) -> None:
        """End the search."""
        for task in (self._task, self._points):
            if task is not None:
                task.cancel()
        self._task = self._points = None

    def forget(self) -> None:
        """End the search, and free its memory."""
        self.stop()
        self._searchers.clear()

    async def _explore(self, spot: Spot) -> None:
        try:
            await self._deepen(spot)
        except Exception as error:  # of a user's rules
            self._say(spot, error_text(error, hides=spot.hides), is_done=True)

    def _say(self, spot: Spot, note: str, *, is_done: bool) -> None:
        """Show why there are no values."""
        self.show({"type": "values", "node": spot.node, "rows": [], "done": is_done, "note": note, "source": ""})

    async def _deepen(self, spot: Spot) -> None:
        """Search, first shortly, then longer, until the values are exact or the time is over."""
        if not self.algorithm and (analysis := await self._in_table(spot)) is not None:
            await self._tell(spot, analysis, 0.0, is_done=True, source="table")
            return
        if (moves := await self._in_book(spot)) is not None:
            await self._tell(spot, moves.analysis, 0.0, is_done=moves.analysis.exact, source="book", moves=moves)
            if moves.analysis.exact:
                return
        name, searcher = await self._searcher(spot)
        state = await self._prepared(spot, name, searcher)
        used, best, seconds = 0.0, None, FIRST
        loop = asyncio.get_running_loop()
        while True:

            def progress(analysis: Analysis, before: Analysis | None = best, used: float = used) -> None:
                if is_better(analysis, before):  # in the thread of the search, as rules may take long
                    message = message_of(spot, analysis, used + analysis.seconds, is_done=False, moves=moves)
                    loop.call_soon_threadsafe(self.show, message)

            async with self.searching.queue.slot(used) as stop:
                limit = Limit(seconds=seconds, stop=stop) if "seconds" in searcher.limits else Limit(stop=stop)
                analysis = await self._run(searcher, spot, state, limit, stop, progress)
            used += max(analysis.seconds, FIRST / 3)
            seconds = min(LONGER, max(self.seconds - used, FIRST))
            if is_better(analysis, best):
                best = analysis
            is_done = analysis.exact or used >= self.seconds or "seconds" not in searcher.limits
            if best is not None:
                await self._tell(spot, best, used, is_done=is_done, moves=moves)
            elif is_done:
                self._say(spot, "the search found no values", is_done=True)
            if is_done:
                return

    async def _in_book(self, spot: Spot) -> BookMoves | None:
        """What the book of the game says, if there is one that has the position or the next ones."""
        book = None if spot.hides else self.searching.book_of(spot.game)
        return None if book is None else await self.searching.threads.run(book_moves, book, spot.states[-1])

    async def _in_table(self, spot: Spot) -> Analysis | None:
        """What the table of the game says, if there is one that has the position."""
        table = self.searching.table_of(spot.game)
        if table is None:
            return None
        with suppress(TableError):
            return await self.searching.threads.run(table.analyse, spot.states[-1])
        return None

    async def _run(
        self, searcher: Searcher, spot: Spot, state: Any, limit: Limit, stop: Any, progress: Any = None
    ) -> Analysis:
        """One search in a thread; cancelling ends it."""

        def search() -> Analysis:
            return searcher.analyse(state, limit, previous_states=spot.states[:-1], progress=progress)

        try:
            return await self.searching.threads.run(search)
        except asyncio.CancelledError:
            stop.set()
            raise

    async def _searcher(self, spot: Spot) -> tuple[str, Searcher]:
        """The searcher for a position, kept for the next one."""
        name = self.algorithm or await self.searching.usual(spot.game)
        if name not in SEARCHES:
            raise OutplayError(f"there is no algorithm {name!r:.40}")
        entry = self._searchers.get(name)
        if entry is None or entry[0] is not spot.game:
            entry = self._searchers[name] = spot.game, await self.searching.threads.run(exploring, spot.game, name)
        return name, entry[1]

    async def _prepared(self, spot: Spot, name: str, searcher: Searcher) -> Any:
        """The state to search, after compiling, which takes seconds and no turn."""
        compiled = self.searching.compiled.setdefault(spot.game, set())
        if name in compiled:
            return await self.searching.threads.run(state_to_search, spot)
        self._say(spot, "preparing: the rules are compiled once", is_done=False)
        state = await self.searching.threads.run(state_to_search, spot)
        if "seconds" in searcher.limits:
            await self.searching.threads.run(lambda: searcher.analyse(state, Limit(seconds=0.0)))
        compiled.add(name)
        return state

    async def _tell(
        self, spot: Spot, analysis: Analysis, used: float, *, is_done: bool, source: str = "search",
        moves: BookMoves | None = None,
    ) -> None:  # fmt: skip
        """Show values, and keep them for the curve."""
        self.show(await self.searching.threads.run(message_of, spot, analysis, used, is_done, source, moves))
        if not spot.hides:
            self.shares[spot.node] = shares_of(analysis), analysis.exact

    # -- the curve ----------------------------------------------------------------------------------------------------

    def draw(self, spot: Spot, path: Sequence[int]) -> None:
        """Find the values along the way from the start to a position; `path` has the nodes of its states."""
        if self._points is not None:
            self._points.cancel()
        self._points = asyncio.get_running_loop().create_task(self._draw(spot, path))

    async def _draw(self, spot: Spot, path: Sequence[int]) -> None:
        try:
            self._show_curve(path)
            for number, node in enumerate(path):
                if node not in self.shares:
                    before = Spot(spot.game, spot.states[: number + 1], spot.actions[:number], [], node, hides=False)
                    self.shares[node] = await self._point(before)
                    self._show_curve(path)
        except Exception as error:  # of a user's rules
            self.show({"type": "curve", "points": [], "note": describe_error(error)})

    async def _point(self, spot: Spot) -> tuple[list[float], bool]:
        """The share of each player in a position."""
        game, state = spot.game, spot.states[-1]
        utilities, player = await self.searching.threads.run(end_or_mover, game, spot.states)
        if utilities is not None:
            return [Scale.of(game).share(utility) for utility in utilities], True
        if player == CHANCE:
            return [], False
        name, searcher = await self._searcher(spot)
        await self._prepared(spot, name, searcher)
        async with self.searching.queue.slot(POINT) as stop:
            limit = Limit(seconds=POINT, stop=stop)
            search = searcher.search
            analysis = await self.searching.threads.run(lambda: search(state, limit, previous_states=spot.states[:-1]))
        return shares_of(analysis), analysis.exact

    def _show_curve(self, path: Sequence[int]) -> None:
        points = [
            {"node": node, "shares": self.shares[node][0], "exact": self.shares[node][1]}
            for node in path
            if node in self.shares
        ]
        self.show({"type": "curve", "points": points, "note": ""})


def message_of(
    spot: Spot, analysis: Analysis, used: float, is_done: bool, source: str = "search", moves: BookMoves | None = None
) -> Message:
    """The values as pages get them, with those of the book."""
    entries = {} if moves is None else moves.entries
    analysis = analysis if moves is None else moves.within(analysis)
    message = values_message(analysis, spot.legal, source=source, hides=spot.hides, entries=entries)
    return message | {"node": spot.node, "seconds": round(used, 2), "done": is_done, "note": ""}


def end_or_mover(game: Game, states: Sequence[Any]) -> tuple[tuple[float, ...] | None, int]:
    """The utilities at the end of a game, or else who is to move."""
    utilities = final(game, states)
    return utilities, CHANCE if utilities is not None else int(game.to_move(states[-1]))


def exploring(game: Game, algorithm: str) -> Searcher:
    """A searcher that keeps what it has learned for the next search."""
    kind = searcher_class(algorithm)
    options = options_of_play(kind, game) | {"selective": False}
    if (memory := memory_option(kind)) is not None:
        options[memory] = MEGABYTES
    names = {name for name in options if name in kind.__dataclass_fields__}
    return new_searcher(game, algorithm, **{name: options[name] for name in names})


def state_to_search(spot: Spot) -> Any:
    """The state; with hidden information, a random one that looks the same to the player to move."""
    return view_of(spot.game, spot.states, spot.actions).sample(0) if spot.hides else spot.states[-1]


def is_better(analysis: Analysis, before: Analysis | None) -> bool:
    """Whether an analysis says more than the one before."""
    if not analysis.actions or before is None:
        return bool(analysis.actions)
    if analysis.exact or before.exact:
        return analysis.exact
    if analysis.simulations is not None:
        return analysis.simulations >= (before.simulations or 0)
    return (analysis.depth, len(analysis.actions)) >= (before.depth, len(before.actions))


def shares_of(analysis: Analysis) -> list[float]:
    """The share of each player."""
    scale = Scale.of(analysis.game, analysis)
    return [scale.share(value) for value in analysis.values]
