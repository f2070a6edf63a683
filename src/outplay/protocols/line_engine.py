"""`LineEngine`: what all engines share that think while they listen: the position, the search and its settings.

A protocol adds what lines mean, and how answers are written.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from outplay.engine.analysis import Analysis
from outplay.engine.limits import Limit
from outplay.engine.stop import Stop
from outplay.protocols.thinker import Thinker
from outplay.rules.actions import plain_action
from outplay.rules.errors import IllegalAction, OutplayError, UnsuitableGame
from outplay.rules.game import Game
from outplay.rules.repetition import History, final, playable
from outplay.rules.user_code import describe_error
from outplay.rules.wording import cut, visible
from outplay.session.algorithms import searcher_class, takes
from outplay.session.levels import LevelOrBlend
from outplay.session.players import choose
from outplay.session.searchers import load_book, memory_option, new_searcher, options_of_play

if TYPE_CHECKING:
    from outplay.engine.searcher import Searcher

MAX_WORD = 200
"""The maximum length of a word of the controller in an answer."""


@dataclass(frozen=True)
class SearchSettings:
    """What a controller may choose about the search.

    Attributes:
        table_mb: megabytes for the transposition table or the tree; None for the default.
        threads: the number of threads.
        books: files of books and tables to look positions up in.
        evaluation: the file or the name of an evaluation.
        strength: how strong to play; None for the limits of the controller alone.
    """

    table_mb: float | None = None
    threads: int = 1
    books: tuple[str, ...] = ()
    evaluation: str | None = None
    strength: LevelOrBlend | None = None


@dataclass(frozen=True)
class Thought:
    """The answer of a search.

    Attributes:
        action: the action to play; None where nobody can move.
        analysis: the search behind it; None if there was none, or it failed.
        problem: why it failed.
    """

    action: int | None
    analysis: Analysis | None = None
    problem: str = ""


class LineEngine(ABC):
    """An engine that reads lines.

    Args:
        game: the game.
        write: writes a line to the controller. It is called by one thread at a time.
        algorithm: the name of the search.
        options: options of this search.
        seed: of weaker levels.
    """

    def __init__(
        self, game: Game, write: Callable[[str], None], algorithm: str, options: dict[str, Any] | None = None,
        seed: int = 0,
    ) -> None:  # fmt: skip
        if game.hidden_information or game.has_chance or game.players != 2:
            raise UnsuitableGame(f"{game!r}: such engines play games of two players who see everything, without chance")
        self.game, self.algorithm, self.options = game, algorithm, options or {}
        self.settings = SearchSettings()
        self.ended = False
        self.thinker, self.random = Thinker(), Random(seed)  # noqa: S311 - not for secrets
        self._write, self._lock = write, threading.Lock()
        self._searcher: Searcher | None = None
        self._is_warm = False
        self.begin_at(game.initial_state())

    # -- lines --------------------------------------------------------------------------------------------------------

    def run(self, lines: Iterable[str]) -> None:
        """Obey line after line, up to the end of the input or the command to quit."""
        for line in lines:
            self.hear(line)
            if self.ended:
                break
        self.thinker.wait() if self.answers_at_the_end else self.thinker.finish()

    answers_at_the_end = True
    """Whether a search that is under way at the end of the input comes to its end: if something limits it."""

    def hear(self, line: str) -> None:
        """Obey a line, which may contain anything. What is wrong with it is told in the words of the protocol."""
        try:
            self.obey(visible(line.strip()))
        except OutplayError as error:
            self.complain(str(error))
        except Exception as error:  # in the rules of a user's game: a controller has no use for a traceback
            self.complain(describe_error(error))

    @abstractmethod
    def obey(self, line: str) -> None:
        """Do what a line says. Raises `OutplayError` if that is not possible."""

    @abstractmethod
    def complain(self, problem: str) -> None:
        """Tell the controller that something is wrong."""

    def tell(self, *lines: str) -> None:
        """Write lines, from any thread."""
        with self._lock:
            for line in lines:
                self._write(line)

    # -- the position -------------------------------------------------------------------------------------------------

    def begin_at(self, start: Any, name: str = "") -> None:
        """Set a state up, and what the controller calls it; there are no moves yet."""
        self.start_name, self.states = name, History([start])
        self.actions: list[int] = []
        self.moves: list[str] = []

    def set_up(self, start: Any, moves: Sequence[str], name: str = "") -> None:
        """Set the position up: a state and its name, and moves from there. Moves known already are not played again.

        Raises `IllegalAction` at the first move that is not legal; those before it are played.
        """
        known = 0
        if name != self.start_name:
            self.begin_at(start, name)
        else:
            while known < min(len(moves), len(self.moves)) and moves[known] == self.moves[known]:
                known += 1
        self.keep(known)
        for move in moves[known:]:
            self.play(move)

    def keep(self, count: int) -> None:
        """Take back all moves but the first `count`."""
        self.states = self.states.first(count + 1)
        del self.actions[count:], self.moves[count:]

    def play(self, move: str) -> None:
        """Play a move. Raises `IllegalAction` if it is not legal."""
        action = self.action_of(move)
        self.states.append(self.game.result(self.state, action))
        self.actions.append(action)
        self.moves.append(move)

    def action_of(self, move: str) -> int:
        """The legal action that the controller calls so."""
        legal = self.legal
        try:
            action = plain_action(self.read_move(self.state, move))
        except ValueError:
            action = None
        if action not in legal:
            place = f"move {len(self.actions) + 1}, " if self.actions else ""
            raise IllegalAction(f"illegal move: {place}{cut(move, MAX_WORD)}")
        return action

    @property
    def state(self) -> Any:
        """The state to move in."""
        return self.states[-1]

    @property
    def legal(self) -> list[int]:
        """The legal actions; none if the game is over."""
        over = final(self.game, self.states) is not None
        return [] if over else list(map(plain_action, playable(self.game, self.states)))

    def read_move(self, state: Any, text: str) -> int:
        """The action that the controller calls so."""
        return self.game.parse_action(state, text)

    def write_move(self, state: Any, action: int) -> str:
        """What the controller calls an action."""
        return self.game.action_name(state, action)

    def line_of(self, line: Sequence[int]) -> list[str]:
        """What the controller calls the actions of a line."""
        state, names = self.state, []
        for action in line:
            names.append(self.write_move(state, action))
            state = self.game.result(state, action)
        return names

    def best_moves(self, thought: "Thought") -> list[str]:
        """What the controller calls the best action, and the one that is expected next, if there is one."""
        if thought.action is None:
            return []
        line = thought.analysis.line if thought.analysis is not None else ()
        return self.line_of(line[:2] if line[:1] == (thought.action,) else [thought.action])

    # -- the search ---------------------------------------------------------------------------------------------------

    def change(self, **settings: Any) -> None:
        """Change settings of the search. Raises `OutplayError` if it cannot have them; then nothing changes."""
        self.thinker.finish()
        before, self.settings, self._searcher = self.settings, replace(self.settings, **settings), None
        try:
            self.searcher  # noqa: B018 - it is made
        except (OutplayError, ValueError) as error:
            self.settings, self._searcher = before, None
            raise OutplayError(str(error)) from None
        self._is_warm = False

    @property
    def searcher(self) -> "Searcher":
        """The searcher, with the settings."""
        if self._searcher is None:
            kind, settings = searcher_class(self.algorithm), self.settings
            options = options_of_play(kind, self.game)
            if settings.table_mb is not None and (memory := memory_option(kind)):
                options[memory] = settings.table_mb
            if settings.threads > 1 and takes(self.algorithm, "threads"):
                options["threads"] = settings.threads
            options |= {"evaluation": settings.evaluation, **self.options}
            searcher: Any = new_searcher(self.game, self.algorithm, **options)
            if settings.books:
                searcher = replace(searcher, books=[load_book(file, self.game) for file in settings.books])
            self._searcher = searcher
        return self._searcher

    def forget(self) -> None:
        """Begin a new game: nothing that was searched is known any more."""
        self.thinker.finish()
        forget = getattr(self.searcher, "forget", None)
        if forget is not None:
            forget()
        self._is_warm = False

    def warm_up(self) -> None:
        """Compile the search before a clock runs."""
        if not self._is_warm and not self.thinker.is_thinking:
            self.searcher.search(limit=Limit(seconds=0) if "seconds" in self.searcher.limits else Limit(nodes=1))
            self._is_warm = True

    def think(
        self,
        limit: Limit,
        answer: Callable[[Thought], None],
        *,
        progress: Callable[[Analysis], None] | None = None,
        every: bool = False,
        among: Sequence[int] = (),
        holds: bool = False,
    ) -> None:
        """Search the position in a thread, and call `answer` there.

        Args:
            limit: the limit. Limits that the search does not have are left out.
            answer: called with what was found in the end.
            progress: called with what was found so far.
            every: whether all actions get a value.
            among: the actions to choose from; empty for all.
            holds: whether the answer waits for `thinker.stop` or `thinker.release`.
        """
        state, past, legal = self.state, self.states.first(-1), self.legal
        if not legal:
            self.thinker.start(lambda stop: Thought(None), answer, holds=holds)
            return
        level = None if self.settings.strength is None else self.settings.strength.drawn(self.random)
        if level is not None and level.limit is None:
            random_action = self.random.choice(list(among) or legal)
            self.thinker.start(lambda stop: Thought(random_action), answer, holds=holds)
            return
        if level is not None and level.limit is not None:
            limit = both(limit, level.limit)
        limit = replace(
            limit, **{name: None for name in ("depth", "simulations", "clock") if name not in self.searcher.limits}
        )
        share = level.share if level is not None else 0.0
        every = every or bool(among) or share > 0
        report = progress if not (among and progress) else lambda analysis: progress(only(analysis, among))

        def search(stop: Stop) -> Thought:
            try:
                run: Any = self.searcher.analyse if every else self.searcher.search
                analysis = run(state, replace(limit, stop=stop), progress=report, previous_states=past)
                analysis = only(analysis, among) if among else analysis
                action = choose(analysis, share, self.random) if share else analysis.action
                return Thought(action if action in (among or legal) else legal[0], analysis)
            except Exception as error:  # of the rules: the controller still waits for a move
                return Thought((list(among) or legal)[0], problem=describe_error(error))

        self.thinker.start(search, answer, holds=holds)


def both(first: Limit, second: Limit) -> Limit:
    """A limit that holds both."""
    least = {}
    for name in ("seconds", "depth", "nodes", "simulations"):
        values = [value for limit in (first, second) if (value := getattr(limit, name)) is not None]
        least[name] = min(values, default=None)
    return replace(first, **least)


def only(analysis: Analysis, actions: Sequence[int]) -> Analysis:
    """The analysis as if there were only these actions."""
    rows = tuple(row for row in analysis.actions if row.action in actions)
    if not rows:
        return replace(analysis, actions=(), action=actions[0], line=())
    best = rows[0]
    return replace(analysis, actions=rows, action=best.action, value=best.value, line=best.line, distance=best.distance)
