"""`Room`: a game in progress that several pages may see, without any network.

Who may do what: a page *holds* the seats whose tokens it has. It plays the actions of those seats. If it holds the
seats of all people, it may also take moves back, play variations and explore, for nobody would be cheated; with hidden
information only when the game is over. If others play too, it asks them to take a move back.
"""

import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from outplay.engine.clock import Clock
from outplay.engine.stop import Stop
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.repetition import History
from outplay.session import SearchPlayer, Session
from outplay.session.players import BasePlayer, Reply, plain
from outplay.session.view import view_of
from outplay.web.game_tree import GameTree
from outplay.web.player_titles import PlayerTitle

if TYPE_CHECKING:
    from collections.abc import Callable

    from outplay.rules.arguments import Progress

PERSON = "person"
SERVER, PEOPLE = "server", "people"
"""Who throws the dice: the server, or people who enter what they threw."""


class Refused(OutplayError):
    """What a page asked for, but may not do."""


@dataclass
class Seat:
    """Who plays one player: a person, who shows the token, or the text of a player."""

    who: str = PERSON
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12), repr=False)

    @property
    def is_person(self) -> bool:
        """Whether a person plays here."""
        return self.who == PERSON


class Standing(NamedTuple):
    """Where a game stands, as its rules said it when they were asked last."""

    over: bool
    player: int | None
    legal: Sequence[Any]


@dataclass
class TakeBack:
    """Somebody has asked to take a move back.

    Attributes:
        players: who asks.
        awaited: the players that have not yet agreed.
    """

    players: set[int]
    awaited: set[int]


BROKEN = Standing(over=False, player=None, legal=())
"""Where a game stands whose rules fail: nobody is to move."""


class Room:
    """A game in progress. Only its methods that change it ask the rules, which may fail or take long.

    Args:
        game: the game.
        name: its name in the library.
        seats: who plays each player.
        computers: the players of the seats that are not people's.
        chance: who throws the dice, "server" or "people".
        clock: the clock of each player.
        start: the text of the state to begin in; None: the initial state.
        moves: moves to play at once.
        titles: what the players are called.
        file: the name of the room, which nobody can guess; by default a new one.

    >>> from outplay.games import TicTacToe
    >>> room = Room(TicTacToe(), "tic-tac-toe", [Seat(), Seat("random")], {})
    >>> page = room.held_by([room.seats[0].token])
    >>> page, room.may_explore(page)
    ({0}, True)
    >>> room.play(page, room.session.read("b2"))
    >>> room.session.record
    'b2'
    """

    def __init__(
        self,
        game: Game,
        name: str,
        seats: Sequence[Seat],
        computers: dict[int, Any],
        *,
        chance: str = SERVER,
        clock: Clock | None = None,
        start: str | None = None,
        moves: str = "",
        titles: Sequence[PlayerTitle] = (),
        file: str = "",
    ) -> None:
        if len(seats) != game.players:
            raise OutplayError(f"{game!r} has {game.players} players, but there are {len(seats)} seats")
        self.id, self.name, self.seats, self.chance = file or secrets.token_urlsafe(12), name, list(seats), chance
        self.clock, self.start = clock, start
        self.titles = list(titles) or [PlayerTitle(f"player {player}") for player in range(game.players)]
        self.tree = GameTree(self.new_session(game, computers, moves))
        self.is_browsed = False
        """Whether an earlier position is looked at: computers wait."""
        self.resigned: int | None = None
        self.request: TakeBack | None = None
        self._started = set[int]()  # the computers that know that the game has begun
        self.standing = BROKEN
        self.look()

    def new_session(
        self, game: Game, computers: dict[int, Any], moves: str = "", clocks: Sequence[Clock] | None = None
    ) -> Session:
        """A session of `game` at the start of this room."""
        start = None if self.start is None else game.parse_state(self.start)
        return Session(game, start=start, moves=moves, players=computers, clocks=clocks or self.clock)

    def look(self) -> None:
        """Ask the rules where the game stands. If they raise an error, the position that pages see says so."""
        self.standing = BROKEN  # also if they are interrupted
        with suppress(Exception):
            self.standing = Standing(self.session.over, self.session.player, self.session.legal)

    # -- where the game stands ----------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """The game up to the position that is shown."""
        return self.tree.session

    @property
    def game(self) -> Game:
        """The rules."""
        return self.session.game

    @property
    def over(self) -> bool:
        """Whether the game has ended in the position that is shown."""
        return self.resigned is not None or self.standing.over

    @property
    def player(self) -> int | None:
        """The player to move, or `CHANCE`; None if the game is over."""
        return None if self.over else self.standing.player

    @property
    def people(self) -> set[int]:
        """The players that people play."""
        return {player for player, seat in enumerate(self.seats) if seat.is_person}

    @property
    def hides(self) -> bool:
        """Whether pages may not see the whole state."""
        return self.game.hidden_information and not self.over

    @property
    def result(self) -> str:
        """How the game ended, in words; "" if it goes on."""
        if self.resigned is not None:
            return f"{self.title(self.resigned)} resigned"
        if self.session.late is not None:
            return f"{self.title(self.session.late)} lost on time"
        utilities = self.session.utilities
        text = "" if utilities is None else self.game.result_text(utilities)
        return re.sub(r"\bplayer (\d+)", lambda match: self.title(int(match[1])), text)

    def title(self, player: int) -> str:
        """What a player is called."""
        if player == CHANCE:
            return "chance"
        return self.titles[player].title if player < len(self.titles) else f"player {player}"

    def held_by(self, tokens: Sequence[str]) -> set[int]:
        """The players whose tokens these are."""
        return {
            player
            for player, seat in enumerate(self.seats)
            if seat.is_person
            and any(secrets.compare_digest(seat.token.encode(), text.encode("utf-8", "replace")) for text in tokens)
        }

    def may_explore(self, held: set[int]) -> bool:
        """Whether who holds these seats may take back, play variations and see values."""
        return held >= self.people and not self.hides

    def may_see_values(self, held: set[int]) -> bool:
        """Whether who holds these seats may see what a search says, which knows as much as the player to move."""
        return held >= self.people and not self.over and (not self.hides or self.player in held)

    def may_play(self, held: set[int]) -> bool:
        """Whether who holds these seats may play an action in the position that is shown."""
        mover = self.player
        if mover is None:
            return False
        if mover == CHANCE:
            return self.may_roll(held)
        return mover in held or (self.is_browsed and self.may_explore(held))

    def may_roll(self, held: set[int]) -> bool:
        """Whether who holds these seats may enter what chance does."""
        if self.over or self.player != CHANCE or self.hides:
            return False
        return (self.chance == PEOPLE and bool(held)) or (self.is_browsed and self.may_explore(held))

    # -- what people do -----------------------------------------------------------------------------------------------

    def play(self, held: set[int], action: Any) -> None:
        """Play an action of a seat that is held, or enter what chance did."""
        if not self.may_play(held):
            whose = "" if self.hides else f", but that of {self.mover_name()}"
            raise Refused("the game is over" if self.over else f"it is not your turn{whose}")
        self.advance(action)

    def advance(self, action: Any, seconds: float | None = None) -> None:
        """Play an action, whoever is to move, which took so many seconds; by default the time since the turn began."""
        if self.over:
            raise IllegalAction("the game is over")
        self.tree.play(action, seconds)
        self.is_browsed, self.request = False, None
        self.look()

    def go(self, held: set[int], node: int) -> None:
        """Show another position."""
        self._check_explore(held, "look at other positions")
        self.tree.go(node)
        self.is_browsed, self.resigned, self.request = True, None, None
        self.look()

    def undo(self, held: set[int]) -> None:
        """Take back as far as the last position in which somebody at this page was to move; or ask the others for it.

        What was played from there stays as a variation.
        """
        if self.may_explore(held):
            self._take_back(self.people)
            return
        if self.game.hidden_information:
            raise Refused("in a game with hidden information, no move is taken back")
        if not held:
            raise Refused("only players can take a move back, and you watch")
        if self.resigned is None and not self._moves_of(held):
            raise Refused("there is no move to take back")
        self.request = TakeBack(held, self.people - held)

    def agree(self, held: set[int], *, yes: bool) -> None:
        """Answer somebody who asks to take a move back; it is taken back when all have agreed."""
        if self.request is None or not self.request.awaited & held:
            raise Refused("nobody asks you to take a move back")
        self.request.awaited -= held
        if not yes:
            self.request = None
        elif not self.request.awaited:
            self._take_back(self.request.players)

    def _take_back(self, players: set[int]) -> None:
        """Go back to the last position in which one of these players was to move.

        Where computers alone play, it is the position before.
        """
        self.request = None
        if self.resigned is not None:
            self.resigned = None
            return
        path = list(self.tree.path(self.tree.node))[1:]
        if not path:
            raise Refused("there is no move to take back")
        before = self._moves_of(players)
        self.tree.go((before or path)[0])
        self.is_browsed = not before
        self.look()

    def _moves_of(self, players: set[int]) -> list[int]:
        """The positions, the last one first, in which one of these players moved."""
        return [step for step in list(self.tree.path(self.tree.node))[1:] if self._mover_at(step) in players]

    def _mover_at(self, node: int) -> int:
        return int(self.game.to_move(self.session.states[self.tree.depth(node)]))

    def resign(self, held: set[int]) -> None:
        """End the game as a loss of the seat that is held; if several are held, of the one to move."""
        if self.over:
            raise Refused("the game is over")
        mover = self.player
        loser = mover if mover in held else min(held, default=None)
        if loser is None:
            raise Refused("only players can resign, and you watch")
        self.resigned = loser

    def roll(self, held: set[int]) -> None:
        """Let the server throw the dice where people enter them, or in a position that is only looked at."""
        if not self.may_roll(held):
            raise Refused("you cannot throw the dice here")
        self.advance(self.session.roll())

    def go_on(self, held: set[int]) -> None:
        """Let the computer, or chance, go on from the position that is shown."""
        self._check_explore(held, "go on from here")
        self.is_browsed = False

    def _check_explore(self, held: set[int], what: str) -> None:
        if self.hides:
            raise Refused(f"you cannot {what} while the game runs: it hides information")
        if not self.may_explore(held):
            raise Refused(f"you cannot {what}: others play in this game too")

    # -- what computers, chance and the clock do ----------------------------------------------------------------------

    def is_prepared(self, player: int) -> bool:
        """Whether a computer has begun to play; before its first move, a search is compiled."""
        return id(self.session.players[player]) in self._started

    @property
    def awaits_computer(self) -> bool:
        """Whether the player to move is a computer that shall play now."""
        return not (self.over or self.is_browsed) and self.player in self.session.players

    @property
    def awaits_roll(self) -> bool:
        """Whether the server shall throw the dice now."""
        if self.over or self.is_browsed or self.player != CHANCE:
            return False
        return self.chance == SERVER or self.hides

    def choice(self, progress: "Progress[Any]", stop: Stop) -> "Callable[[], Reply]":
        """What to call, in a thread of its own, for the answer of the computer to move; the room may change meanwhile.

        `progress` is called while a search runs, and `stop` ends it.
        """
        session, mover = self.session, -1 if self.player is None else self.player
        player: Any = session.players[mover]
        states, actions, clock = History.of(session.states), session.actions[:], session.clock
        seed, random = session.random.getrandbits(31), Random(session.random.getrandbits(32))  # noqa: S311 - no secret
        more = {"progress": progress, "stop": stop} if isinstance(player, SearchPlayer) else {}

        def answer() -> Reply:
            if id(player) not in self._started and hasattr(player, "new_game"):
                player.new_game(session.game, mover, seed)  # compiles a search
            self._started.add(id(player))
            if isinstance(player, BasePlayer):
                player.random = random
            return plain(player.choose(view_of(session.game, states, actions, seed), clock, **more))

        return answer

    def flag(self) -> bool:
        """Whether the time of the person to move has just run out; then the game is over. Computers look themselves."""
        clock = self.session.clock if self.player in self.people else None
        if clock is None or self.session.elapsed <= clock.seconds:
            return False
        self.session.late = self.player
        self.look()
        return True

    def mover_name(self) -> str:
        """The player to move, in words."""
        return "nobody" if self.player is None else self.title(self.player)
