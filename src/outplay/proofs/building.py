"""Makes a proof: has the questions answered by a search, and walks through all states that the answers can lead to.

`Prover` finds the value and the strategies where play comes to an end: a strategy for at least `v` needs only the
answer to one question in each state, is the value at least `v`?, and none of the distances that a search for the best
action finds. See `search/questions.py` for the questions, and `walking.py` for the choice of answers.

`strategy` is for play in circles. It asks a search for the best action in each state, layer by layer. All states of a
layer are searched in one call, by the search that found the value, or looked up in a table. It knows the exact distance
and chooses the nearest win, so that a win comes nearer with each action.
"""

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from outplay.check.quick import check_rules
from outplay.compile.kernels import cast_states, prepare_packed
from outplay.compile.records import new_record, view
from outplay.engine.runner import SearchRunner
from outplay.engine.score import decode, encode
from outplay.engine.stopping import BY_DEPTH, MEMORY_FULL, NO_LEGAL_ACTION, STACK_FULL, StopReason
from outplay.engine.workspace import UNSET
from outplay.proofs.checking import content, parts_of
from outplay.proofs.walking import DF_PN_LAYOUT, LAYOUT, NO_ANSWER, prove, slot_of
from outplay.rules.constant_sum import balance, range_of
from outplay.rules.errors import OutplayError, RulesError, UnsuitableGame
from outplay.rules.game import Game, friends_of, legal_actions
from outplay.rules.keys import SEED, mix
from outplay.rules.numbered import decoded, numbered
from outplay.search.alpha_beta import AlphaBeta
from outplay.search.proof_number import ProofNumber
from outplay.search.proof_table import BUCKET as DF_PN_BUCKET
from outplay.search.questions import BUCKET, decide_first, new_table
from outplay.system.threads import MAX_PLIES
from outplay.tables.tablebase import Tablebase

if TYPE_CHECKING:
    from outplay.engine.searcher import Searcher

OPTIONS = ("order", "killers", "countermoves", "history_heuristic", "symmetry", "hints")
"""The options of `AlphaBeta` that questions have too."""
MAX_ACTIONS = NO_ANSWER
"""The most actions of a state where a side chooses."""
LAYER = 50_000
"""The most states that are searched in one call."""
Progress = Callable[[int], None]


class Interrupted(Exception):
    """Ctrl-C stopped the search."""


class Circles(OutplayError):
    """A line of play is so long that play probably goes in circles."""


class Maker:
    """Makes the parts of a proof, in the way that suits the game and the searcher.

    Args:
        game: the rules as they were written.
        start: the state to be proved.
        table_mb: the memory for a table of answers, in megabytes.
        searcher: what finds, or has found, the value; None: questions.
        max_states: the most states of a part.
        progress: called with the number of states so far.
    """

    def __init__(
        self, game: Game, start: Any, table_mb: float, searcher: "Searcher | None", max_states: int,
        progress: Progress | None,
    ) -> None:  # fmt: skip
        self.game, self.start, self.progress = game, start, progress
        self.in_circles = bool(game.repetition) or any(isinstance(book, Tablebase) for book in books_of(searcher))
        if self.in_circles and searcher is None:
            searcher = AlphaBeta(game, table_mb=table_mb, reuse_table=True)
        if self.in_circles and not isinstance(searcher, AlphaBeta):
            raise UnsuitableGame(
                f"no proof of {game!r}: states can repeat, and then only AlphaBeta makes proofs, not {searcher!r}"
            )
        self.searcher = searcher
        self.make_prover = partial(Prover, game, start, table_mb, max_states, searcher, progress)
        self.may_differ = False

    @cached_property
    def prover(self) -> "Prover":
        """What asks questions."""
        return self.make_prover()

    def value(self) -> float:
        """The value for player 0."""
        if self.game.is_terminal(self.start):
            return float(self.game.utility(self.start, 0))
        if self.searcher is None:
            check_rules(numbered(self.game), self.start)
            return self.prover.value()
        found = self.searcher.search(self.start)
        if found.stopped == StopReason.INTERRUPTED:
            raise Interrupted
        if not found.exact or found.values is None:
            raise OutplayError(f"no proof of {self.game!r}: {self.searcher!r} does not find exact values")
        return found.values[0]

    def parts(self, value: float, by_content: bool = False) -> "list[array[int]]":
        """The numbers of each part, as in `checking.py`. See `Prover.by_content`."""
        names = parts_of(self.game, value)
        if not self.in_circles:
            try:
                self.may_differ = not by_content
                make = self.prover.by_content if by_content else self.prover.strategy
                return [make(part, value) for part in names]
            except Circles:
                if not isinstance(self.searcher, AlphaBeta):
                    raise
                self.in_circles, self.may_differ = True, False
        assert isinstance(self.searcher, AlphaBeta)
        return [strategy(self.game, self.start, part, self.searcher, self.progress) for part in names]


def books_of(searcher: "Searcher | None") -> Sequence[Any]:
    """The books of a searcher, if there is one."""
    return () if searcher is None else searcher.books


class Prover:
    """Finds the value of a state, and a strategy for each side, by questions about one bound at a time.

    Args:
        game: the game, in which play comes to an end.
        start: the state.
        table_mb: the memory for the table of answers, which all questions share, in megabytes.
        max_states: the maximum number of states of a strategy.
        searcher: what found the value, if anything did. A `ProofNumber` answers the questions itself; what an `MCTS`
            has proved in its tree is put into the table.
        progress: called with the number of states so far.
    """

    def __init__(
        self, game: Game, start: Any, table_mb: float, max_states: int, searcher: "Searcher | None" = None,
        progress: Progress | None = None,
    ) -> None:  # fmt: skip
        options = {name: getattr(searcher, name) for name in OPTIONS} if isinstance(searcher, AlphaBeta) else {}
        alpha_beta = AlphaBeta(game, **options, staged=False, prefetch=False, check=False)
        self.game = alpha_beta._searched()
        self.techniques = alpha_beta._techniques(self.game)
        self.start, self.max_states, self.progress = start, max_states, progress
        self.df_pn = searcher if isinstance(searcher, ProofNumber) else None
        self.memory = new_record(LAYOUT if self.df_pn is None else DF_PN_LAYOUT, UNSET)
        self.fields = view(self.memory)
        self.friends = friends_of(game)
        if self.df_pn is None:
            self.table = new_table(table_mb)
            self.fields.buckets = len(self.table) // BUCKET - 1
            self.fields.hinted, self.fields.friends = 1, self.friends
        else:
            self.table = self.df_pn._table()
            self.fields.mask, self.fields.max_plies = len(self.table) // DF_PN_BUCKET - 1, MAX_PLIES
            self.fields.player = int(game.to_move(start))
        self.slots = np.zeros(1, np.int64)

    def value(self) -> float:
        """The value for player 0."""
        least, greatest = range_of(self.game) or (-math.inf, math.inf)
        low, high = encode(least), encode(greatest)
        target = 1 if low < 1 <= high else high  # more than a draw?
        while low < high:
            found = self._run(decide_first, target)
            if found > 0:
                low = max(low, self.fields.least_yes)
            else:
                high = min(high, self.fields.greatest_no)
            target = low + 1 if found > 0 else high
        return decode(low) + balance(self.game)

    def strategy(self, part: str, value: float) -> "array[int]":
        """The numbers of one part, as in `checking.py`. The value must be right."""
        score = encode(value - balance(self.game))
        everyone = (1 << self.game.players) - 1
        asked = (
            self.friends if self.df_pn is None or self.friends >> self.fields.player & 1 else everyone & ~self.friends
        )
        self.fields.ours = self.friends if part == "least" else everyone & ~self.friends
        at_least = self.fields.ours == asked  # the side that is asked about wants yes
        score = score if asked == self.friends else -score
        self.fields.wanted = 1 if at_least else -1
        slots = 1
        while 2 * slots < 3 * self.max_states:  # at most two thirds are used
            slots *= 2
        self.slots = np.zeros(slots, np.int64)  # a page of memory is used when it is first written
        numbers = np.zeros(self.max_states, np.uint16)
        self.fields.last_slot, self.fields.max_states = slots - 1, self.max_states
        self.fields.states = self.fields.answers = 0
        self._run(prove, score if at_least else score + 1, self.slots, numbers)
        return array("H", numbers[: self.fields.answers].tobytes())

    def by_content(self, part: str, value: float) -> "array[int]":
        """The same, walked by all that is in a state, as the check does.

        It differs if a state holds something that its hash leaves out, such as a field that does not compare.
        """
        self.strategy(part, value)

        def chosen(name: Any, state: Any) -> int:
            place = slot_of.interpreted(self.fields, self.slots, mix(SEED, state))
            return int(self.slots[place]) & NO_ANSWER if place >= 0 else NO_ANSWER

        return _in_order(self.game, self.start, part, chosen)

    def _run(self, kernel: Any, target: int, *args: Any) -> Any:
        """Run a kernel in a thread, until it ends or Ctrl-C stops it."""
        self.fields.stop = 0

        def prepare(packed: Any) -> Callable[[], Any]:
            given = (self.game, self.techniques, packed, target, self.memory, self.table, *args)
            run = kernel.prepare(*given)
            return lambda: run(*given)

        def stop(number: int) -> None:
            self.fields.stop = number

        def report() -> None:
            if self.progress is not None:
                self.progress(self.fields.states)

        work = prepare_packed(self.game, cast_states(self.game, [self.start]), prepare)
        runner = SearchRunner(None, lambda: 1, stop, report)
        found = runner.run(work)
        if runner.stopped == StopReason.INTERRUPTED:
            raise Interrupted
        why = self.fields.why
        if why == BY_DEPTH:
            raise Circles(
                f"no proof of {self.game!r}: a line of play is longer than {MAX_PLIES} plies, so play may go in"
                " circles; an AlphaBeta that has a Tablebase among its books makes proofs of such games"
            )
        if why == MEMORY_FULL:
            raise OutplayError(
                f"no proof of {self.game!r}: a strategy goes through more than {self.max_states:,} states"
            )
        if why == NO_LEGAL_ACTION:
            raise RulesError(
                f"{self.game!r} came to a state that is not terminal but has no legal action: "
                "its is_terminal() or actions() is wrong; check_game(game) shows where"
            )
        if why == STACK_FULL:
            raise RulesError(f"no proof of {self.game!r}: it has too many actions on one line of play")
        return found


def strategy(game: Game, start: Any, part: str, searcher: AlphaBeta, progress: Progress | None = None) -> "array[int]":
    """The numbers of one part: the places of the actions to follow, in the order in which a check needs them."""
    friends, chosen = friends_of(game), dict[Any, int]()
    seen, layer = {content(start)}, [start]
    while layer:
        asked, after = list[Any](), list[Any]()
        for state in layer:
            if game.is_terminal(state):
                continue
            if bool(friends >> int(game.to_move(state)) & 1) == (part == "least"):
                asked.append(state)
            else:
                after += [game.result(state, action) for action in legal_actions(game, state)]
        for begin in range(0, len(asked), LAYER):
            some = asked[begin : begin + LAYER]
            for state, action in zip(some, answers(game, some, searcher), strict=True):
                chosen[content(state)] = list(legal_actions(game, state)).index(action)
                after.append(game.result(state, action))
        layer = []
        for state in after:
            name = content(state)
            if name not in seen:
                seen.add(name)
                layer.append(state)
        if progress:
            progress(len(seen))
    return _in_order(game, start, part, lambda name, state: chosen[name])


def answers(game: Game, states: list[Any], searcher: AlphaBeta) -> Iterator[Any]:
    """The best action in each state. A table is asked directly: an analysis would follow its line to the end."""
    tables = [book for book in searcher.books if isinstance(book, Tablebase)]
    known = [next(filter(None, (table.look_up(game, state) for table in tables)), None) for state in states]
    unknown = [state for state, entry in zip(states, known, strict=True) if entry is None]
    searched = iter(searcher.search_many(unknown) if unknown else ())
    for entry in known:
        if entry is not None:
            yield decoded(numbered(game), entry.action or 0)
            continue
        found = next(searched)
        if found.stopped == "interrupted":
            raise Interrupted
        if not found.exact or found.action is None:
            raise OutplayError(f"no proof of {game!r}: {searcher!r} does not find exact values")
        yield found.action


def _in_order(game: Game, start: Any, part: str, chosen: Callable[[Any, Any], int]) -> "array[int]":
    """The places that `chosen(content, state)` returns, depth first."""
    friends, seen, stack, places = friends_of(game), set[Any](), [start], array("H")
    while stack:
        state = stack.pop()
        name = content(state)
        if name in seen:
            continue
        seen.add(name)
        if game.is_terminal(state):
            continue
        actions = list(legal_actions(game, state))
        if bool(friends >> int(game.to_move(state)) & 1) == (part == "least"):
            place = chosen(name, state)
            if place >= min(len(actions), MAX_ACTIONS):
                raise OutplayError(f"no proof of {game!r}: a state has more than {MAX_ACTIONS:,} actions: {state!r}")
            places.append(place)
            actions = [actions[place]]
        stack += [game.result(state, action) for action in reversed(actions)]
    return places
