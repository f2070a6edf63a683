"""`LiveRoom`: a room with the pages that look at it, the computers that play in it, and its clock.

Each change is one call in a guarded thread, one at a time; then every page gets what it may see, and whoever is to move
next is woken: chance, a computer, or nobody, if people are to move.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Protocol

from outplay.engine.analysis import Analysis
from outplay.engine.stop import Stop
from outplay.rules.errors import OutplayError
from outplay.web.explore import Explorer, Searching, Spot
from outplay.web.guarded import Guarded
from outplay.web.room import Room
from outplay.web.seat_view import (
    Message,
    Viewer,
    error_text,
    fault_message,
    position_message,
    seats_message,
    tree_message,
)

PAUSE = 0.4
"""The seconds between two moves of computers among themselves, so that people can follow them."""
SOON = 0.02
"""The seconds after the end of a clock at which it is looked at."""


class Audience(Protocol):
    """A page that looks at a room."""

    viewer: Viewer
    position: Message
    nodes_shown: int
    wants_values: bool
    wants_curve: bool

    def send(self, message: Message) -> None:
        """Send a message, without waiting."""


class Thought:
    """One search of a computer, which can be halted: then its move is not played."""

    def __init__(self) -> None:
        self.stop, self.is_halted = Stop(), False

    def halt(self) -> None:
        """End the search."""
        self.is_halted = True
        self.stop.set()


class LiveRoom:
    """A room that is in use.

    Args:
        room: the room.
        rules: where rules are called.
        searches: where computers search.
        searching: where positions are explored.
        save: called after each change.
    """

    def __init__(
        self, room: Room, rules: Guarded, searches: Guarded, searching: Searching, save: Callable[[Room], None]
    ) -> None:
        self.room, self.rules, self.searches, self.save = room, rules, searches, save
        self.explorer = Explorer(searching, self._show_values)
        self._explored: tuple[Any, ...] = ()
        self.pages: list[Audience] = []
        self.lock = asyncio.Lock()
        self.touched = time.monotonic()
        self._thought: Thought | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    # -- pages --------------------------------------------------------------------------------------------------------

    @property
    def seats_in_use(self) -> set[int]:
        """The seats that some page holds now."""
        return {player for page in self.pages for player in page.viewer.held}

    async def enter(self, page: Audience) -> None:
        """A page begins to look: it gets the whole tree and the position, and the others see who is there."""
        async with self.lock:
            self.pages.append(page)
            await self.show()
            self.show_seats()
        self.wake()

    def leave(self, page: Audience) -> None:
        """A page looks no more."""
        if page in self.pages:
            self.pages.remove(page)
        self.touched = time.monotonic()
        if not self.pages:
            self.halt()
        self.explore()
        self.show_seats()

    def close(self) -> None:
        """Nobody looks any more: end all searches and programs."""
        self.halt()
        self.explorer.forget()
        end_programs(self.room)

    def show_seats(self) -> None:
        """Tell each page who plays, and who is there."""
        for page in self.pages:
            seats = seats_message(self.room, page.viewer, self.seats_in_use)
            page.send({"type": "seats", "room": self.room.id, "seats": seats})

    # -- changes ------------------------------------------------------------------------------------------------------

    async def change(self, action: Callable[[], object]) -> None:
        """Change the room by a call in a guarded thread, show it, and wake who is to move next. Raises its errors."""
        try:
            async with self.lock:
                self.halt()
                self.touched = time.monotonic()
                await self.rules.run(action)
                await self.show()
                await self._keep()
        finally:
            self.wake()

    async def _keep(self) -> None:
        """Write the room to the disk."""
        try:
            await self.rules.run(self.save, self.room)
        except OutplayError as error:
            self.tell(str(error))

    async def show(self) -> None:
        """Send each page what is new for it."""
        viewers = {page: page.viewer for page in self.pages}
        try:
            views = await self.rules.run(self._views, set(viewers.values()))
        except OutplayError as error:  # a picture that is drawn for ever
            views = {viewer: fault_message(self.room, str(error)) for viewer in viewers.values()}
        for page, viewer in viewers.items():
            if page not in self.pages or page.viewer != viewer:  # it has left meanwhile, or joins anew
                continue
            tree = tree_message(self.room, page.nodes_shown)
            if tree["nodes"] or not self.room.hides:
                page.nodes_shown = len(self.room.tree.nodes)
                page.send(tree)
            message = views[viewer] | {"thinking": self.room.awaits_computer and not self.room.hides}
            if not self.room.hides or message != page.position:
                page.position = message
                page.send(message)
        self.explore()

    def _views(self, viewers: set[Viewer]) -> dict[Viewer, Message]:
        return {viewer: position_message(self.room, viewer) for viewer in viewers}

    def tell(self, text: str) -> None:
        """Send a notice to all pages."""
        for page in self.pages:
            page.send({"type": "notice", "room": self.room.id, "text": text})

    # -- values -------------------------------------------------------------------------------------------------------

    def explore(self) -> None:
        """Search the position that is shown, if a page wants its values and may see them."""
        room, tree = self.room, self.room.tree
        wanted = [page for page in self.pages if page.wants_values and room.may_see_values(set(page.viewer.held))]
        curve = [page for page in self.pages if page.wants_curve and room.may_explore(set(page.viewer.held))]
        if not wanted and not curve:
            self.explorer.forget()
            self._explored = ()
            return
        session = room.session
        key = (tree.node, id(session.game), self.explorer.algorithm, self.explorer.seconds, bool(wanted), bool(curve))
        if key == self._explored:
            return
        self._explored = key
        spot = Spot(
            session.game, session.states[:], session.actions[:], list(room.standing.legal), tree.node, room.hides
        )
        self.explorer.stop()
        if wanted and spot.legal:
            self.explorer.start(spot)
        if curve:
            self.explorer.draw(spot, list(tree.path(tree.node))[::-1])

    def _show_values(self, message: Message) -> None:
        """Send values or a curve to the pages that want them and may see them."""
        is_curve = message["type"] == "curve"
        if not is_curve and message["node"] != self.room.tree.node:  # late, from a thread
            return
        for page in self.pages:
            held = set(page.viewer.held)
            may = self.room.may_explore(held) if is_curve else self.room.may_see_values(held)
            if may and (page.wants_curve if is_curve else page.wants_values):
                node = {"node": page.position.get("node")} if self.room.hides else {}
                page.send(message | {"room": self.room.id} | node)

    # -- computers, chance and clocks ---------------------------------------------------------------------------------

    def wake(self) -> None:
        """Let chance or a computer go on, if it is their turn and somebody looks; set the alarm of the clock."""
        self._set_alarm()
        if self.pages and self._thought is None and not self._tasks:
            if self.room.awaits_roll:
                self._start(self._roll())
            elif self.room.awaits_computer:
                self._start(self._think())

    def halt(self) -> None:
        """End the search of a computer; its move is not played."""
        if self._thought is not None:
            self._thought.halt()
            self._thought = None
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()
        self._tasks.clear()

    def _start(self, coroutine: Any) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _roll(self) -> None:
        try:
            await self.change(lambda: self.room.advance(self.room.session.roll()))
        except Exception as error:  # of a user's rules
            self._stop("chance", error)

    async def _think(self) -> None:
        """Search and play the move of the computer to move."""
        room, began = self.room, time.perf_counter()
        loop = asyncio.get_running_loop()
        thought = self._thought = Thought()
        if room.player is not None and not room.is_prepared(room.player):
            self._say_thinking({"note": "preparing: the rules are compiled once"})

        def progress(analysis: Analysis) -> None:
            loop.call_soon_threadsafe(self._show_thinking, analysis)

        try:
            reply = await self.searches.run(room.choice(progress, thought.stop))
            if thought.is_halted:
                return
            took = time.perf_counter() - began
            if not room.people:
                await asyncio.sleep(PAUSE - took)
            seconds = took if reply.analysis is None else reply.seconds
            if reply.action is None:
                await self.change(lambda: room.resign({room.player or 0}))
            else:
                await self.change(lambda: room.advance(reply.action, seconds))
        except Exception as error:  # of a user's rules or player
            self._stop(room.mover_name(), error)
        finally:
            if self._thought is thought:
                self._thought = None

    def _stop(self, who: str, error: Exception) -> None:
        """Say what a computer or chance failed by, and wait for people to go on."""
        self.room.is_browsed = True
        self.tell(f"{who} cannot go on: {error_text(error, hides=self.room.hides)}")

    def _show_thinking(self, analysis: Analysis) -> None:
        fields = {"depth": analysis.depth, "nodes": analysis.nodes, "simulations": analysis.simulations}
        self._say_thinking(fields | {"seconds": round(analysis.seconds, 2)})

    def _say_thinking(self, fields: Message) -> None:
        """Tell what a computer does, but not where that would show who is to move."""
        for page in [] if self.room.hides else self.pages:
            page.send({"type": "thinking", "room": self.room.id, "note": "", **fields})

    def _set_alarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        clock = self.room.session.clock if self.room.player in self.room.people else None
        if clock is not None:
            left = max(clock.seconds - self.room.session.elapsed, 0.0) + SOON
            self._timer = asyncio.get_running_loop().call_later(left, lambda: self._start(self._flag()))

    async def _flag(self) -> None:
        await self.change(self.room.flag)


def end_programs(room: Room) -> None:
    """End the programs that play in a room."""
    for player in room.session.players.values():
        if hasattr(player, "close"):
            player.close()
