"""A game in progress, without a front end: the terminal, the Go Text Protocol and other front ends share it."""

import time
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.engine.stop import Stop, run_async
from outplay.rules.actions import plain_action
from outplay.rules.arguments import check_is_game
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.repetition import History, final, playable
from outplay.rules.wording import enumerated, shown
from outplay.session.moves import MoveReader
from outplay.session.players import BasePlayer, Player, Reply, SearchPlayer, plain
from outplay.session.view import View, view_of
from outplay.system.seeds import fresh_seed

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Searcher
    from outplay.rules.arguments import Progress


class Session:
    """A game in progress: its states and moves so far, its players, and their clocks.

    A session neither prints nor reads input, so any front end can use it. Every error is an `OutplayError` and leaves
    the session as it was.

    Args:
        game: the game.
        start: the state to start from. By default the initial state.
        moves: moves to play at once, see `play_moves`.
        players: the players that choose their own actions, by number, such as a `SearchPlayer`, or any
            `outplay.arena.Player`. People play the others.
        clocks: a `Clock` for each player, or one that all start with; if it has `moves`, such sessions follow each
            other. By default time is not limited.
        seed: an int, or the `random.Random` that decides for chance and for players that choose at random. The same
            seed gives the same game. By default, an int that nobody can guess.

    Attributes:
        seed: the seed: an int or a `random.Random`.
        states: the states from the start to the current one.
        actions: the actions between these states.
        names: the names of these actions.
        analysis: the answer of the last search, or None.
        late: the player who has lost on time, or None.

    >>> from outplay import AlphaBeta, Limit
    >>> from outplay.games import TicTacToe
    >>> from outplay.session import SearchPlayer, Session
    >>> game = TicTacToe()
    >>> computer = SearchPlayer(AlphaBeta(game), Limit(depth=9))
    >>> session = Session(game, moves="a1 b2", players={1: computer})
    >>> session.play("b1")
    >>> session.player, session.people
    (1, {0})
    >>> choice = session.choose()
    >>> session.play(choice.action, choice.seconds)
    >>> session.record
    'a1 b2 b1 c1'
    >>> session.analysis.verdict
    'draw'
    >>> session.take_back()
    >>> session.record
    'a1 b2'
    >>> session.play("b2")
    Traceback (most recent call last):
    ...
    outplay.rules.errors.IllegalAction: 'b2' is not a legal action here; legal: b1, c1, a2, c2, a3, b3, c3
    """

    def __init__(
        self,
        game: Game,
        *,
        start: Any = None,
        moves: str = "",
        players: Mapping[int, Player] | None = None,
        clocks: Clock | Sequence[Clock] | None = None,
        seed: int | Random | None = None,
    ) -> None:
        check_is_game(game, "Session")
        self.game, self.players = game, dict(players or {})
        for player in self.players:
            if player not in range(game.players):
                raise OutplayError(f"Session(players=…): {game!r} has no player {player!r}")
        each = (clocks,) * game.players if isinstance(clocks, Clock) else tuple(clocks or ())
        shown = tuple(clock.of_a_game() for clock in each)
        if shown and len(shown) != game.players:
            raise OutplayError(f"Session(clocks=…): {game!r} has {game.players} players, but there are {len(shown)}")
        self.seed = fresh_seed() if seed is None else seed
        self.random = self.seed if isinstance(self.seed, Random) else Random(self.seed)  # noqa: S311 - not for secrets
        self.states = History([game.initial_state() if start is None else start])
        self.actions: list[int] = []
        self.names: list[str] = []
        self.analysis: Analysis | None = None
        self.late: int | None = None
        self._turn_began = 0.0
        self._clocks = [shown]  # in each state, at the beginning of the turn
        self.start_turn()
        if moves:
            self.play_moves(moves)

    def __repr__(self) -> str:
        return f"Session({self.game!r}, moves={self.record!r})"

    # -- where the game stands ----------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The current state."""
        return self.states[-1]

    @property
    def player(self) -> int | None:
        """The player to move, or `CHANCE`; None if the game is over."""
        return None if self.over else int(self.game.to_move(self.state))

    @property
    def people(self) -> set[int]:
        """The numbers of the players that people play."""
        return set(range(self.game.players)) - self.players.keys()

    @property
    def over(self) -> bool:
        """Whether the game has ended, by the rules, by repetition or on time."""
        return self.late is not None or self.utilities is not None

    @property
    def utilities(self) -> tuple[float, ...] | None:
        """The utility of each player if the game has ended by the rules or by repetition, else None."""
        return final(self.game, self.states)

    @property
    def legal(self) -> list[int]:
        """The legal actions, or the possible outcomes if chance is to move."""
        return [] if self.over else playable(self.game, self.states)

    @property
    def hides(self) -> bool:
        """Whether the people who play must not see the whole state."""
        return self.game.hidden_information and bool(self.people) and not self.over

    @property
    def record(self) -> str:
        """The moves so far, as `play_moves` reads them."""
        return " ".join(self.names)

    def name(self, action: int) -> str:
        """The name of an action in the current state."""
        return self.game.action_name(self.state, action)

    def read(self, text: str) -> int:
        """The legal action that `text` names. Raises `IllegalAction` if there is none."""
        action = plain_action(self.game.parse_action(self.state, text))
        if action not in self.legal:
            raise IllegalAction(f"{text!r} is not a legal action here")
        return action

    # -- moves --------------------------------------------------------------------------------------------------------

    def play(self, move: int | str | None, seconds: float | None = None) -> None:
        """Play a legal action of the player to move, or an outcome of chance.

        With clocks, a move that takes longer than the clock allows is not played; the player is then `late`.

        Args:
            move: the action, or its name.
            seconds: the time to deduct from the player's clock. By default the time since the turn began.

        Raises `IllegalAction` if the move is not legal or the game is over.
        """
        action = self._checked(move)
        clocks = self.clocks_after(self.elapsed if seconds is None else seconds)
        if clocks is None:
            self.late = self.player
        else:
            self.append(action, clocks=clocks)

    def clocks_after(self, seconds: float, grace: float = 0.0, bonus: bool = True) -> tuple[Clock, ...] | None:
        """The clocks after a move that takes this time; None if it is more than the clock allows, and `grace`.

        Without `bonus`, the move adds no increment, but counts in the moves of the clock.
        """
        if (clock := self.clock) is None:
            return self.clocks
        mover = int(self.game.to_move(self.state))
        if seconds > clock.seconds + grace:
            return None
        after = clock.after(min(seconds if bonus else clock.increment, clock.seconds))
        return (*self.clocks[:mover], after, *self.clocks[mover + 1 :])

    def _checked(self, move: int | str | None) -> int:
        """The action of a legal move."""
        if self.over:
            raise IllegalAction(f"the game is over: {move!r} cannot be played")
        if isinstance(move, str):
            return self.read(move)
        if move not in self.legal:
            names = enumerated([self.name(action) for action in self.legal])
            raise IllegalAction(f"action {shown(move)} is not legal here; legal: {names}")
        return plain_action(move)

    def append(self, action: int, *, state: Any = None, clocks: tuple[Clock, ...] | None = None) -> None:
        """Append a move without checking it, for protocols whose rules differ from those of the game.

        Args:
            action: the action.
            state: the state it is played in, if not the current one; for instance one with the other player to move.
            clocks: what the clocks show after it, if not what they show now.
        """
        state = self.states[-1] if state is None else state
        name, after = self.game.action_name(state, action), self.game.result(state, action)
        self.actions.append(plain_action(action))
        self.names.append(name)
        self.states.append(after)
        self._clocks.append(self._clocks[-1] if clocks is None else clocks)
        self.start_turn()

    def play_moves(self, moves: str) -> None:
        """Play several moves, separated by spaces or commas. Without separators, names may follow each other directly.

        The clocks do not run. Raises `IllegalAction` if one of them is not legal; then none is played.

        >>> from outplay.games import ConnectFour
        >>> session = Session(ConnectFour(), moves="44")
        >>> session.play_moves("3, 2")
        >>> session.record
        '4 4 3 2'
        """
        reader, before, began = MoveReader(moves), len(self.actions), self._turn_began
        if reader.rest and self.late is not None:
            raise IllegalAction(f"the game is over: {reader.rest!r} cannot be played")
        try:
            while reader.has_next(self.game, self.states):
                self.append(reader.next_action(self.game, self.states))
        except BaseException:
            self.undo(len(self.actions) - before)
            self._turn_began = began
            raise

    def undo(self, moves: int = 1) -> None:
        """Take back the last moves. The clocks show again what they showed before.

        Raises `OutplayError` if there are fewer moves.
        """
        if not 0 <= moves <= len(self.actions):
            there = f"are {len(self.actions)} moves" if len(self.actions) > 1 else "is 1 move"
            raise OutplayError(f"there {there if self.actions else 'is no move'} to take back")
        self.states = self.states.first(len(self.states) - moves)
        for history in (self.actions, self.names, self._clocks):
            del history[len(history) - moves :]
        self.late = None
        self.start_turn()

    def take_back(self) -> None:
        """Go back to the last state in which a person was to move. Raises `OutplayError` if there is none."""
        for ply in reversed(range(len(self.actions))):
            if self.game.to_move(self.states[ply]) in self.people:
                self.undo(len(self.actions) - ply)
                return
        raise OutplayError("there is no move of a person to take back")

    # -- chance and players -------------------------------------------------------------------------------------------

    def roll(self) -> int:
        """An outcome of chance, drawn by its probability. It is not played.

        Raises `OutplayError` if chance is not to move.
        """
        if self.player != CHANCE:
            raise OutplayError(f"chance is not to move, but {self._mover()}")
        outcomes = playable(self.game, self.states)
        return self.random.choices(outcomes, [self.game.probability(self.state, each) for each in outcomes])[0]

    def view(self, random: Random) -> View:
        """What the player to move may know; `random` draws what it imagines that it does not see."""
        seed = random.getrandbits(31) if self.game.hidden_information else 0
        return view_of(self.game, self.states, self.actions, seed)

    def choose(self, progress: "Progress[Analysis] | None" = None, stop: Stop | None = None) -> Reply:
        """The answer of the player to move, who must be one of `players`. It is not played.

        `progress` is called while the search of a `SearchPlayer` runs, see `Searcher.search`, and `stop` ends it.
        Raises `OutplayError` if a person or chance is to move, or if the game is over.
        """
        if self.player not in self.players:
            raise OutplayError(f"no computer player is to move, but {self._mover()}")
        player: Any = self.players[self.player]
        if isinstance(player, BasePlayer):
            player.random = self.random  # the seed of the session decides
        told = {"progress": progress, "stop": stop if isinstance(player, SearchPlayer) else None}
        more = {name: value for name, value in told.items() if value is not None}
        reply = plain(player.choose(self.view(self.random), self.clock, **more))
        self.analysis = reply.analysis or self.analysis
        return reply

    async def choose_async(self, progress: "Progress[Analysis] | None" = None) -> Reply:
        """`choose` in another thread, while the event loop goes on. Cancelling the task ends the search of a
        `SearchPlayer` at once; `progress` is called in that thread. Meanwhile, leave the session alone.

        >>> import asyncio
        >>> from outplay import AlphaBeta
        >>> from outplay.games import TicTacToe
        >>> game = TicTacToe()
        >>> session = Session(game, moves="b2 a1 b1", players={1: SearchPlayer(AlphaBeta(game))})
        >>> session.name(asyncio.run(session.choose_async()).action)
        'b3'
        """
        return await run_async(lambda stop: self.choose(progress, stop))

    def _mover(self) -> str:
        if self.player is None:
            return "the game is over"
        return "chance" if self.player == CHANCE else f"player {self.player}"

    def search(
        self,
        searcher: "Searcher",
        limit: Limit | None = None,
        *,
        state: Any = None,
        every: bool = False,
        progress: "Progress[Analysis] | None" = None,
    ) -> "Analysis":
        """Search the current state. The answer is kept in `analysis`.

        Args:
            searcher: the searcher.
            limit: when to stop.
            state: the state to search instead, as in `append`.
            every: whether to find the value of every action, not only of the best.
            progress: called while the search runs, see `Searcher.search`.
        """
        find = searcher.analyse if every else searcher.search
        state = self.state if state is None else state
        more: dict[str, Any] = {} if progress is None else {"progress": progress}
        self.analysis = find(state, limit, previous_states=self.states.first(-1), **more)
        return self.analysis

    # -- clocks -------------------------------------------------------------------------------------------------------

    @property
    def clocks(self) -> tuple[Clock, ...]:
        """The clock of each player at the beginning of the turn; empty without clocks."""
        return self._clocks[-1]

    @property
    def clock(self) -> Clock | None:
        """The clock of the player to move at the beginning of the turn; None without one."""
        clocks = self._clocks[-1]
        mover = int(self.game.to_move(self.state)) if clocks else CHANCE
        return None if mover == CHANCE else clocks[mover]

    @property
    def elapsed(self) -> float:
        """The seconds since the turn began."""
        return time.perf_counter() - self._turn_began

    @property
    def seconds_left(self) -> tuple[float, ...]:
        """The time left to each player at this moment; empty without clocks."""
        if not self.clocks:
            return ()
        left = [clock.seconds for clock in self.clocks]
        if self.player is not None and self.player != CHANCE:
            left[self.player] -= self.elapsed
        return tuple(left)

    def start_turn(self) -> None:
        """Restart the time of the turn. Playing and taking back moves do so too."""
        self._turn_began = time.perf_counter()
