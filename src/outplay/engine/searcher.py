"""The base class of all searchers: checks arguments and games, asks books, runs a kernel, and always has an action.

Reading order: `Searcher.search`, `_run`, then the methods that a searcher defines, first of all `_prepare`. See also
`configured.py` (options), `runner.py` (the thread of the search), `results.py` (what kernels write) and `decoder.py`
(from there to an `Analysis`).
"""

import functools
import importlib
import math
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

from outplay.check.quick import check_rules, check_state
from outplay.compile.kernels import cast_states, prepare_packed
from outplay.compile.records import Layout, give_back, new_record, view
from outplay.compile.watch import one_look
from outplay.engine import workspace
from outplay.engine.analysis import Analysis, moved, with_actions
from outplay.engine.book import Book, LookUp, answer
from outplay.engine.clock import Budget, Clock
from outplay.engine.configured import Configured
from outplay.engine.decoder import Decoder
from outplay.engine.limits import UNLIMITED, Limit, check_is_limit, check_is_state, takes_a_limit
from outplay.engine.path import begin_path
from outplay.engine.recording import Recording
from outplay.engine.results import MAX_LINE, MAX_LINE_OF_MANY, Results
from outplay.engine.runner import SearchRunner
from outplay.engine.stop import run_async
from outplay.engine.trace import Trace
from outplay.rules.action_codec import Unnumbered
from outplay.rules.arguments import Progress, check_is_game
from outplay.rules.constant_sum import draw_utility, has_constant_sum, range_of
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.keys import state_key
from outplay.rules.numbered import Numbered, number_by_table, numbered
from outplay.rules.repetition import History, final, playable
from outplay.system.memory import check_memory
from outplay.system.threads import MAX_PLIES

OPPOSED = "with zero_sum = True or a constant_sum"
"""How a game declares opposed interests, for messages."""


@dataclass
class Task:
    """The arguments of one call of `search`, `analyse` or `search_many`, and the memory for its results."""

    game: Game  # from `_searched`
    packed: Any  # the states, for kernels; see `unpack`
    count: int  # the number of states
    limit: Limit
    every: bool  # whether every root action needs an exact value
    memory: workspace.Workspace
    fields: Any  # a `view` of the memory, for Python
    results: Any  # from `_new_results`

    @property
    def depth(self) -> int:
        """The depth limit, or the maximum depth if there is none."""
        return min(self.limit.depth or MAX_PLIES, MAX_PLIES)


@dataclass(eq=False, repr=False)
class Searcher(Configured, Decoder, ABC):
    """The base class of searchers, which find the best action. `search` takes one state, `search_many` many at once.

    Options are keyword-only and only stored. Two searchers with the same game and options are equal. Every searcher has
    the options `books`, look-ups to ask in turn before searching, each with a method `look_up(game, state)` (see
    `Book`), and `check`, whether to check the rules of the game before its first search.
    """

    _layout: ClassVar[Layout]  # of the memory of a search
    traces: ClassVar[bool] = False  # whether `search` can record a trace
    records: ClassVar[str] = "visits"  # what a trace of it holds, as its recording says
    textbook_form: ClassVar[Any] = None  # the class of searchers that does the work if `textbook=True`
    _megabytes: ClassVar[str] = "table_mb"  # the option for the memory that a search allocates, if there is one

    game: Game
    _: KW_ONLY
    books: Sequence[LookUp] = ()
    check: bool = True

    def __post_init__(self) -> None:
        books = self.books
        check_is_game(self.game, type(self).__name__)
        self.game = numbered(self.game)
        self._check_options()
        self._check_textbook()
        self._check_game()
        self.books = () if isinstance(books, LookUp) else tuple(books)
        if isinstance(books, LookUp) or not all(isinstance(book, LookUp) for book in self.books):
            name = type(self).__name__
            raise ValueError(f"{name}(books=…): a list of objects with look_up(game, state), as in books=[book]")
        if isinstance(self.game, Numbered) and not all(getattr(book, "numbered", False) for book in self.books):
            raise ValueError(
                f"{type(self).__name__}(books=…): {self.game!r} has actions that are not ints, which books cannot hold"
            )
        for book in self.books:
            if isinstance(book, Book):
                book.check(self.game)

    @takes_a_limit
    def search(
        self,
        state: Any = None,
        limit: Limit | None = None,
        *,
        previous_states: Sequence[Any] = (),
        progress: Progress[Analysis] | None = None,
        trace: Trace | None = None,
    ) -> Analysis:
        """Find the best action in `state` and its value.

        Args:
            state: the state to search; None for the initial state.
            limit: when to stop; None: when the answer is exact. Ctrl-C also stops the search and keeps the best answer
                so far. However early a search is stopped, its answer has an action to play.
            previous_states: the earlier states of the game, the oldest first, without `state`. They are used only if
                the game has a rule of `repetition`.
            progress: a function that is called with the analysis so far, ten times a second.
            trace: a `Trace` to be filled with what the search does. It stays empty if a book has the answer.

        Raises `ValueError` for a limit or a trace that this searcher does not support; `UnsuitableGame` if chance is to
        move in `state`; `RulesError` if the rules are wrong.
        """
        self._check_call("search", state, limit)
        self._check_trace(trace)
        analyses = self._answers([self._initial(state)], limit, self._naming(progress), previous_states, trace)
        return self._finished(analyses, previous_states)[0]

    @takes_a_limit
    def analyse(
        self,
        state: Any = None,
        limit: Limit | None = None,
        *,
        previous_states: Sequence[Any] = (),
        progress: Progress[Analysis] | None = None,
        trace: Trace | None = None,
    ) -> Analysis:
        """Find the value and the line of every action, not only of the best one.

        The arguments and errors are those of `search`. Books are not asked.
        """
        self._check_call("analyse", state, limit)
        self._check_trace(trace)
        analyses = self._run(
            [self._initial(state)],
            limit,
            every=True,
            progress=self._naming(progress),
            previous_states=previous_states,
            trace=trace,
        )
        return self._finished(analyses, previous_states)[0]

    async def search_async(
        self,
        state: Any = None,
        limit: Limit | None = None,
        *,
        progress: Progress[Analysis] | None = None,
        previous_states: Sequence[Any] = (),
    ) -> Analysis:
        """`search` in another thread, while the event loop goes on. Cancelling the task ends the search at once.

        `progress` is called in that thread. A search without any limit goes on until the answer is exact.

        >>> import asyncio
        >>> from outplay import AlphaBeta
        >>> from outplay.games import TicTacToe
        >>> asyncio.run(AlphaBeta(TicTacToe()).search_async()).verdict
        'draw'
        """
        self._check_call("search_async", state, limit)
        limit = limit or UNLIMITED
        search = functools.partial(self.search, progress=progress, previous_states=previous_states)
        return await run_async(lambda stop: search(state, replace(limit, stop=stop)), limit.stop)

    @takes_a_limit
    def search_many(
        self, states: Sequence[Any], limit: Limit | None = None, *, progress: Progress[Analysis] | None = None
    ) -> list[Analysis]:
        """Search each of many states, in one call of compiled code. The limit holds for each state.

        Returns the analyses in the order of the states. Raises `ValueError` for a limit with a clock, and otherwise the
        errors of `search`.
        """
        self._check_call("search_many", states, limit)
        if limit is not None and limit.clock is not None:
            raise ValueError(
                f"{type(self).__name__}.search_many(limit={limit!r}): a clock is for the moves of one game;"
                " use seconds, or search the states one by one"
            )
        return self._finished(self._answers(list(states), limit, self._naming(progress)))

    def _finished(self, analyses: list[Analysis], previous_states: Sequence[Any] = ()) -> list[Analysis]:
        """The analyses of searches that have ended, as callers get them: each has an action to play."""
        return self._with_actions([self._with_action(analysis, previous_states) for analysis in analyses])

    def _with_action(self, analysis: Analysis, previous_states: Sequence[Any]) -> Analysis:
        """The analysis; if the search was stopped before any answer, with no value and the action to try first.

        This is the first one in the game's `order`, which may know what the player to move does not see; then, and
        without an `order`, it is the first legal one.
        """
        if analysis.actions or analysis.exact:  # exact without actions: the game is over
            return analysis
        analysis = replace(analysis, value=math.nan, values=(math.nan,) * self.game.players)
        if analysis.player == CHANCE:
            return analysis
        game, state = self._searched(), analysis.state
        legal, is_ordered = playable(game, [*previous_states, state]), defines(game, "order")
        if is_ordered and not game.hidden_information:
            legal.sort(key=lambda action: game.order(state, action), reverse=True)
        return replace(analysis, action=next(iter(legal), None))

    def _with_actions(self, analyses: list[Analysis]) -> list[Analysis]:
        """The analyses with the game and the actions as they were given; in a search, actions are numbers."""
        if not isinstance(self.game, Numbered):
            return analyses
        return [with_actions(analysis, self.game.rules, self.game.decode) for analysis in analyses]

    def _naming(self, progress: Progress[Analysis] | None) -> Progress[Analysis] | None:
        if progress is None or not isinstance(self.game, Numbered):
            return progress
        return lambda analysis: progress(self._with_actions([analysis])[0])

    # -- what a searcher defines ------------------------------------------------------------------------------------

    @abstractmethod
    def _prepare(self, task: Task) -> Callable[[], Any]:
        """Compile for the game of the task, and return the function to run in the thread of the search."""

    def _new_results(self, states: list[Any], max_rows: int) -> Any:
        """The memory for the results of searching these states, with `max_rows` root actions for each."""
        return Results(len(states), max_rows, MAX_LINE if len(states) == 1 else MAX_LINE_OF_MANY)

    def _new_memory(self, trace: Trace | None) -> workspace.Workspace:
        """The memory of a search, with room for a trace if there is one: zeros, but for rows and listed actions."""
        return new_record(self._layout, workspace.UNSET)

    def _recording(self, state: Any, previous_states: Sequence[Any], memory: Any, limit: int) -> Recording:
        """What the search of `state` has recorded in its memory, of which a trace keeps at most `limit` records."""
        from outplay.engine.recorded_visits import Visits  # noqa: PLC0415 - searches start without it

        plain = not self._tells_distance
        return Visits.in_memory(self.game, state, memory, self._method(), limit, plain)

    def _recorded(self, content: dict[str, Any]) -> Recording:
        """The recording in a file, with what its `numbers` has written."""
        from outplay.engine.recorded_visits import Visits  # noqa: PLC0415

        return Visits.in_file(self.game, content)

    def _searched(self) -> Game:
        """The game for the kernels: the searcher's game, or a variant of it."""
        return self.game

    def _check_limit(self, limit: Limit) -> None:
        """Raise `ValueError` for a limit that this searcher does not support."""
        for name, value in vars(limit).items():
            if value is not None and name != "stop" and name not in self.limits:
                kind = type(self).__name__
                accepted = " or ".join(own for own in self.limits if own != "clock")
                raise ValueError(f"{kind} with {limit!r}: {kind} cannot be limited by {name}; limit its {accepted}")

    def _check_game(self) -> None:
        """Raise `UnsuitableGame` for a game that this searcher cannot search; by default, all but minimax games."""
        self._check_seen()
        name, searcher = type(self.game).__name__, type(self).__name__
        if self.game.has_chance:
            raise UnsuitableGame(
                f"{searcher} cannot search {name}: it has chance nodes. It needs a game without dice or cards;"
                " games with chance need Expectiminimax, or simulations: MCTS"
            )
        if self.game.players > 2 or (self.game.players == 2 and not has_constant_sum(self.game)):
            difficulty = (
                f"{self.game.players} players"
                if self.game.players > 2
                else "two players whose interests are not opposed"
            )
            raise UnsuitableGame(
                f"{searcher} cannot search {name}: it has {difficulty}. It needs one player, or two {OPPOSED};"
                " other games need MaxN or Paranoid, or simulations: MCTS"
            )

    def _check_call(self, method: str, state: Any, limit: Any) -> None:
        """Raise `WrongType` if `limit` is not a limit, or `state` is one."""
        function = f"{type(self).__name__}(…).{method}"
        check_is_state(state, function, self.game)
        check_is_limit(limit, function)

    def _check_seen(self) -> None:
        """Raise `UnsuitableGame` for a game with hidden information."""
        if self.game.hidden_information:
            raise UnsuitableGame(
                f"{type(self).__name__} cannot search {type(self.game).__name__}: its players see only a part of the"
                " state. Games with hidden information need an equilibrium (outplay equilibrium, CFR), not a best"
                " action; ISMCTS and PIMC search them"
            )

    def _check_trace(self, trace: Trace | None) -> None:
        """Empty `trace`. Raise `ValueError` if this searcher cannot record one."""
        if trace is None:
            return
        name = type(self).__name__
        if not isinstance(trace, Trace):
            raise ValueError(f"{name}.search(trace={trace!r}): a Trace, as in trace = Trace()")
        if not self.traces and not self._is_textbook():
            use = f"{name}(…, textbook=True) or AlphaBeta" if self.textbook_form else "AlphaBeta"
            raise ValueError(f"{name}.search(trace=…): {name} cannot record a trace; use {use}")
        trace.clear()

    # -- as in textbooks ---------------------------------------------------------------------------------------------

    def _is_textbook(self) -> bool:
        return getattr(self, "textbook", False)

    def _check_textbook(self) -> None:
        """Raise `ValueError` for `textbook=True` with an option that changes the search, or without such a form."""
        if not self._is_textbook():
            return
        name, extra = type(self).__name__, {*self._options()} - {"textbook", "evaluate", "books", "check"}
        if not self.textbook_form:
            raise ValueError(f"{name}(textbook=True): Minimax, AlphaBeta, Expectiminimax and MaxN have a textbook form")
        if extra:
            raise ValueError(
                f"{name}(textbook=True) searches as textbooks do, without options: drop {', '.join(sorted(extra))}"
            )

    # -- the shared run ---------------------------------------------------------------------------------------------

    def _initial(self, state: Any) -> Any:
        return self.game.initial_state() if state is None else state

    def _answers(
        self,
        states: list[Any],
        limit: Limit | None,
        progress: Progress[Analysis] | None,
        previous_states: Sequence[Any] = (),
        trace: Trace | None = None,
    ) -> list[Analysis]:
        """The analyses of all states: from books if they know them, else by searching.

        Books are not asked if previous states matter, since their entries do not depend on these.
        """
        books = () if self.game.repetition and previous_states else self.books
        known_answers = [answer(books, self.game, state, limit or UNLIMITED) if books else None for state in states]
        unknown = [state for state, entry in zip(states, known_answers, strict=True) if entry is None]
        searched = iter(
            self._run(unknown, limit, every=False, progress=progress, previous_states=previous_states, trace=trace)
            if unknown
            else ()
        )
        return [known_answer or next(searched) for known_answer in known_answers]

    def _run(self, *args: Any, **keywords: Any) -> list[Analysis]:
        try:
            return self._run_once(*args, **keywords)
        except Unnumbered as error:
            name = type(self.game).__name__
            text = f"{name} runs interpreted: {error}, more than in the random games that were played before"
            kind = importlib.import_module("outplay.compile").RunsInterpretedWarning
            warnings.warn(kind(text), stacklevel=4)
            self.game = number_by_table(self.game)
            return self._run_once(*args, **keywords)

    def _run_once(
        self,
        states: list[Any],
        limit: Limit | None,
        every: bool,
        progress: Progress[Analysis] | None,
        previous_states: Sequence[Any] = (),
        trace: Trace | None = None,
    ) -> list[Analysis]:
        limit = limit or UNLIMITED
        self._check_limit(limit)
        if self._is_textbook():
            name, evaluate = f"{type(self).__name__}(textbook=True)", getattr(self, "evaluate", None)
            form: Searcher = self.textbook_form(self.game, evaluate=evaluate, name=name, check=self.check)
            answers = form._run_once(states, limit, every, progress, previous_states, trace)
            if trace is not None and trace.recording is not None:
                trace.recording.search = repr(self)
            return answers
        check_memory(getattr(self, self._megabytes, 0), self._megabytes)
        one = len(states) == 1
        history = History.of(previous_states if self.game.repetition else ())
        history.append(states[0])
        with one_look() as look:
            if self.check:
                check_rules(self.game, states[0] if one else None)
            ended = final(self.game, history) if len(history) > 1 else None
            if ended is not None:
                return [self._game_over(ended, state=states[0], seconds=0.0, limit=limit)]
            game, share = self._searched(), draw_utility(self.game)
            states = cast_states(game, states)
            rows = max(1, self._number_of_actions(states[0])) if one else 1
            results = self._new_results(states, rows)
            memory = self._new_memory(trace)
            fields = view(memory)  # to Python, the fields of NumPy's records take ten times as long
            fields.search = 1
            fields.max_rows, fields.max_line = results.max_rows, results.longest
            if game.repetition:
                begin_path(game, history.first(-1), state_key(game, states[0]), memory)
            work = prepare_packed(
                game,
                states,
                lambda packed: self._prepare(Task(game, packed, len(states), limit, every, memory, fields, results)),
            )

        def run() -> None:
            with one_look(look):  # or the call would compare everything again
                work()

        started = time.perf_counter()

        def stop(number: int) -> None:
            fields.stop = number

        def report() -> None:
            if progress is not None:
                place = min(fields.search, len(states)) - 1
                seconds = time.perf_counter() - started
                progress(moved(self._analysis(states[place], results, place, limit, seconds, live=fields.nodes), share))

        watch = SearchRunner(
            limit.seconds, lambda: int(fields.search), stop, report if progress else None, button=limit.stop
        )
        if limit.clock is not None:
            watch.until = self._until(limit.clock, results)
        watch.run(run)
        seconds = time.perf_counter() - started
        if trace is not None:
            trace.recording = self._recording(states[0], history[:-1], memory, trace.limit)
            trace.recording.search = repr(self)
        else:
            give_back(memory)
        times = [seconds] if one else (seconds * results.nodes / max(1, results.nodes.sum())).tolist()
        analyses = [
            moved(self._analysis(state, results, i, limit, times[i], by_caller=watch.stopped), share)
            for i, state in enumerate(states)
        ]
        last = analyses[-1]
        if (reason := watch.reason(last.stopped)) != last.stopped:
            analyses[-1] = replace(last, stopped=reason)
        return analyses

    def _until(self, clock: Clock, results: Results) -> Callable[[float], float]:
        """A function from the seconds since the start of the search to the time at which to stop it."""
        least, greatest = range_of(self.game) or (-math.inf, math.inf)
        budget, last_depth = Budget(clock, greatest - least), 0

        def until(seconds: float) -> float:
            nonlocal last_depth
            status = results.status(0)
            if status.depth != last_depth:
                last_depth = status.depth
                best, *other_rows = results.rows(0, status.actions)
                open_to = [value for row in other_rows if (value := self._worth(row.score)) > least or not row.solved]
                value = self._worth(best.score)
                budget.iteration(seconds, best.action, value, max(open_to, default=-math.inf))
            return budget.until

        return until

    def _number_of_actions(self, state: Any) -> int:
        """The number of legal actions in the state to be searched; 0 in a terminal state."""
        if self.check:
            return check_state(self.game, state)
        return 0 if self._over(state) else len(list(legal_actions(self.game, state)))
