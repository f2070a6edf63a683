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
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from outplay.check.quick import check_rules
from outplay.compile.kernels import cast_states, prepare_packed
from outplay.compile.records import new_record, view
from outplay.engine.analysis import ActionValue, Analysis, with_actions
from outplay.engine.limits import Limit
from outplay.engine.results import MAX_LINE
from outplay.engine.runner import SearchRunner
from outplay.engine.score import decode, encode
from outplay.engine.stopping import BY_CALLER, BY_DEPTH, MEMORY_FULL, NO_LEGAL_ACTION, STACK_FULL, StopReason
from outplay.engine.table import empty_table
from outplay.engine.workspace import UNSET
from outplay.proofs.checking import content, parts_of
from outplay.proofs.tree_answers import remember_tree
from outplay.proofs.walking import DF_PN_LAYOUT, LAYOUT, NO_ANSWER, prove, slot_of
from outplay.rules.arguments import Progress
from outplay.rules.constant_sum import draw_utility, friends_of, range_of
from outplay.rules.errors import OutplayError, RulesError, UnsuitableGame
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import SEED, mix, state_key
from outplay.rules.numbered import Numbered, decoded, numbered
from outplay.search.alpha_beta import AlphaBeta
from outplay.search.proof_number import ProofNumber
from outplay.search.proof_table import mask_of
from outplay.search.questions import BUCKET, decide_first
from outplay.system.threads import MAX_PLIES
from outplay.tables.tablebase import Tablebase

if TYPE_CHECKING:
    from outplay.engine.searcher import Searcher

OPTIONS = ("order", "killers", "countermoves", "history_heuristic", "symmetry", "hints")
"""The options of `AlphaBeta` that questions have too."""
MAX_ACTIONS = NO_ANSWER
"""The most actions of a state where a side chooses."""
FIRST, DF_PN_SHARE = 3.0, 0.25
"""The seconds of the first turn of questions, after which df-pn takes turns too, and its share of each turn."""
LAYER = 50_000
"""The most states that are searched in one call."""


class Interrupted(Exception):
    """Ctrl-C stopped the search."""


class TooLarge(OutplayError):
    """A strategy has too many states."""


class OutOfTime(Exception):
    """A turn of the questions is over."""


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
        choose: without a searcher, have df-pn take turns with the questions, and call this with the reasons.
    """

    def __init__(
        self, game: Game, start: Any, table_mb: float, searcher: "Searcher | None", max_states: int,
        progress: Progress[int] | None, choose: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.game, self.start, self.progress = game, start, progress
        self.in_circles = bool(game.repetition) or any(isinstance(book, Tablebase) for book in books_of(searcher))
        if self.in_circles and searcher is None:
            searcher = AlphaBeta(game, table_mb=table_mb, reuse_table=True)
        if self.in_circles and not isinstance(searcher, AlphaBeta):
            raise UnsuitableGame(
                f"no proof of {game!r}: states can repeat, and then only AlphaBeta makes proofs, not {searcher!r}"
            )
        self.searcher, self.choose, self.table_mb = searcher, choose, table_mb
        self.answer: Analysis | None = None
        self.make_prover = partial(Prover, game, start, table_mb, max_states, progress=progress)
        self.may_differ = False

    @cached_property
    def prover(self) -> "Prover":
        """What asks questions."""
        return self.make_prover(self.searcher)

    def value(self) -> float:
        """The value for player 0."""
        if self.game.is_terminal(self.start):
            return float(self.game.utility(self.start, 0))
        if self.searcher is None:
            check_rules(numbered(self.game), self.start)
            return self.prover.value() if self.choose is None else self._value_in_turns(self.choose)
        answer = self.searcher.search(self.start)
        if answer.stopped == StopReason.INTERRUPTED:
            raise Interrupted
        if not answer.exact or answer.values is None:
            raise OutplayError(f"no proof of {self.game!r}: {self.searcher!r} does not find exact values")
        self.answer = answer
        return answer.values[0]

    def _value_in_turns(self, choose: Callable[[str], None]) -> float:
        """The value by questions or by df-pn, whichever is sooner. Each turn is twice as long as the last."""
        from outplay.session.survey import survey  # noqa: PLC0415 - most proofs do without

        df_pn: ProofNumber | None = None
        seconds = FIRST
        while True:
            try:
                return self.prover.value(seconds)
            except OutOfTime:
                seconds *= 2
            if df_pn is None:
                choose(f"Prover: {survey(numbered(self.game), self.start)}; df-pn takes turns with it")
                df_pn = ProofNumber(self.game, table_mb=self.table_mb, reuse_table=True, check=False)
            answer = df_pn.search(self.start, Limit(seconds=DF_PN_SHARE * seconds))
            if answer.stopped == StopReason.INTERRUPTED:
                raise Interrupted
            if answer.exact and answer.values is not None:
                choose("ProofNumber was faster")
                del self.prover
                self.searcher, self.answer = df_pn, answer
                return answer.values[0]
            if answer.stopped != StopReason.SECONDS:
                choose("not ProofNumber: it ended without an answer")
                return self.prover.value()

    def analysis(self, value: float) -> Analysis | None:
        """How the value was found, after the parts were made; None if the caller knew it."""
        if self.answer is None and self.searcher is None and not self.game.is_terminal(self.start):
            return self.prover.analysis(value)
        return self.answer

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


def tree_of(searcher: "Searcher | None", start: Any) -> Any:
    """The tree that an `MCTS` has kept of its search from `start`; None if there is none to walk through."""
    kept_tree = getattr(searcher, "reusable", None)
    if searcher is None or kept_tree is None or not kept_tree.used or len(kept_tree.trees) > 1:
        return None
    if getattr(searcher, "transpositions", False):  # a walk would see a state as often as lines lead to it
        return None
    return kept_tree.trees[0] if state_key(searcher.game, kept_tree.state) == state_key(searcher.game, start) else None


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
        progress: Progress[int] | None = None,
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
            self.table = empty_table(table_mb, BUCKET)
            self.fields.buckets = len(self.table) // BUCKET - 1
            self.fields.hinted, self.fields.friends = 1, self.friends
        else:
            self.table = self.df_pn._take_table()
            self.fields.mask, self.fields.max_plies = mask_of(self.table), MAX_PLIES
            self.fields.player = int(game.to_move(start))
        self.tree = tree_of(searcher, start)
        self.slots: dict[str, Any] = {}  # int64, of each part; see `walking.py`
        self.targets: dict[int, int] = {}
        self.nodes, self.seconds = 0, 0.0

    def value(self, seconds: float | None = None) -> float:
        """The value for player 0.

        Raises `OutOfTime` if a question takes longer than so many seconds. Its answers are kept for the next call.
        """
        least, greatest = range_of(self.game) or (-math.inf, math.inf)
        low, high = encode(least), encode(greatest)
        target = 1 if low < 1 <= high else high  # more than a draw?
        while low < high:
            answer = self._run(decide_first, target, seconds=seconds)
            if answer > 0:
                low = max(low, self.fields.least_yes)
                self.targets[low] = target
            else:
                high = min(high, self.fields.greatest_no)
                self.targets[high + 1] = target
            target = low + 1 if answer > 0 else high
        return decode(low) + draw_utility(self.game)

    def strategy(self, part: str, value: float) -> "array[int]":
        """The numbers of one part, as in `checking.py`. The value must be right."""
        least, everyone = part == "least", (1 << self.game.players) - 1
        player = 0 if self.df_pn is None else int(self.fields.player)  # the player whom questions are about
        side = player if self.df_pn is not None and not self.friends >> player & 1 else 0
        score = encode(value - draw_utility(self.game))
        target = (score if least else score + 1) if side == 0 else (1 - score if least else -score)
        self.fields.ours = self.friends if least else everyone & ~self.friends
        self.fields.wanted = 1 if least == (side == 0) else -1
        if self.tree is not None:
            self._run(remember_tree, target, self.tree)
        # An earlier question has the same answers in all states if no end is worth something in between.
        same = self.targets.get(target, target)
        numbers = self._smaller(part, same)
        if same != target and (self.fields.least_yes < target if least else self.fields.greatest_no >= target):
            numbers = self._smaller(part, target)
        return numbers

    def _smaller(self, part: str, target: int) -> "array[int]":
        """The numbers of the smaller of two strategies: without short searches for smaller proofs, and with them.

        Where many lines lead to a state, the sizes of proofs are far too great, and these searches may do harm.
        """
        self.fields.short = 0
        first, slots, states = None, None, self.max_states + 1
        try:
            first = self._walk(part, target, self.max_states)
            slots, states = self.slots[part], int(self.fields.states)
        except TooLarge:
            pass
        self.fields.short = 1
        try:
            return self._walk(part, target, states - 1)
        except TooLarge:
            if first is None:
                raise
            self.slots[part] = slots
            return first

    def _walk(self, part: str, target: int, max_states: int) -> "array[int]":
        """The numbers of a strategy for the answer that is wanted to a question."""
        slots = 1
        while 2 * slots < 3 * max_states:  # at most two thirds are used
            slots *= 2
        self.slots[part] = np.zeros(slots, np.int64)  # a page of memory is used when it is first written
        numbers = np.zeros(max_states, np.uint16)
        self.fields.last_slot, self.fields.max_states = slots - 1, max_states
        self.fields.states = self.fields.answers = self.fields.spent = 0
        self._run(prove, target, self.slots[part], numbers)
        return array("H", numbers[: self.fields.answers].tobytes())

    def by_content(self, part: str, value: float) -> "array[int]":
        """The same, walked by all that is in a state, as the check does.

        It differs if a state holds something that its hash leaves out, such as a field that does not compare.
        """
        self.strategy(part, value)

        return _in_order(self.game, self.start, part, lambda _, state: self.chosen(part, state))

    def chosen(self, part: str, state: Any) -> int:
        """The place of the answer of a part in a state; `NO_ANSWER` if it has none."""
        if part not in self.slots:
            return NO_ANSWER
        slots = self.slots[part]
        self.fields.last_slot = len(slots) - 1
        place = slot_of.interpreted(self.fields, slots, mix(SEED, state))
        return int(slots[place]) & NO_ANSWER if place >= 0 else NO_ANSWER

    def analysis(self, value: float) -> Analysis:
        """The value, and a line on which both sides follow their strategies. A side without one may do anything."""
        game, state, line = self.game, self.start, list[int]()
        while not game.is_terminal(state) and len(line) < MAX_LINE:
            actions = list(legal_actions(game, state))
            place = self.chosen("least" if self.friends >> int(game.to_move(state)) & 1 else "most", state)
            line.append(actions[place if place < len(actions) else 0])
            state = game.result(state, line[-1])
        player, other_value = int(game.to_move(self.start)), 2 * draw_utility(game) - value
        values = tuple(value if self.friends >> seat & 1 else other_value for seat in range(game.players))
        best = ActionValue(
            action=line[0], name=game.action_name(self.start, line[0]), value=values[player], exact=True,
            line=tuple(line),
        )  # fmt: skip
        summary = Analysis(
            game=game, state=self.start, player=player, action=best.action, value=best.value, values=values,
            line=best.line, actions=(best,), exact=True, depth=len(line), nodes=self.nodes, seconds=self.seconds,
            method=type(self).__name__,
        )  # fmt: skip
        return with_actions(summary, game.rules, game.decode) if isinstance(game, Numbered) else summary

    def _run(self, kernel: Any, target: int, *args: Any, seconds: float | None = None) -> Any:
        """Run a kernel in a thread, until it ends, Ctrl-C stops it, or its time is over."""
        self.fields.stop = 0

        def prepare(packed: Any) -> Callable[[], Any]:
            arguments = (self.game, self.techniques, packed, target, self.memory, self.table, *args)
            run = kernel.prepare(*arguments)
            return lambda: run(*arguments)

        def stop(number: int) -> None:
            self.fields.stop = number

        def report() -> None:
            if self.progress is not None:
                self.progress(self.fields.states)

        work = prepare_packed(self.game, cast_states(self.game, [self.start]), prepare)
        runner = SearchRunner(seconds, lambda: 1, stop, report)
        started = perf_counter()
        answer = runner.run(work)
        self.nodes += self.fields.nodes
        self.seconds += perf_counter() - started
        if runner.stopped == StopReason.INTERRUPTED:
            raise Interrupted
        reason = self.fields.why
        if reason == BY_CALLER:
            raise OutOfTime
        if reason == BY_DEPTH:
            raise Circles(
                f"no proof of {self.game!r}: a line of play is longer than {MAX_PLIES} plies, so play may go in"
                " circles; an AlphaBeta that has a Tablebase among its books makes proofs of such games"
            )
        if reason == MEMORY_FULL:
            raise TooLarge(
                f"no proof of {self.game!r}: a strategy goes through more than {self.fields.max_states:,} states"
            )
        if reason == NO_LEGAL_ACTION:
            raise RulesError(
                f"{self.game!r} came to a state that is not terminal but has no legal action: "
                "its is_terminal() or actions() is wrong; check_game(game) shows where"
            )
        if reason == STACK_FULL:
            raise RulesError(f"no proof of {self.game!r}: it has too many actions on one line of play")
        return answer


def strategy(
    game: Game, start: Any, part: str, searcher: AlphaBeta, progress: Progress[int] | None = None
) -> "array[int]":
    """The numbers of one part: the places of the actions to follow, in the order in which a check needs them."""
    friends, places_of = friends_of(game), dict[Any, int]()
    names_seen, layer = {content(start)}, [start]
    while layer:
        questions, after = list[Any](), list[Any]()
        for state in layer:
            if game.is_terminal(state):
                continue
            if bool(friends >> int(game.to_move(state)) & 1) == (part == "least"):
                questions.append(state)
            else:
                after += [game.result(state, action) for action in legal_actions(game, state)]
        for begin in range(0, len(questions), LAYER):
            batch = questions[begin : begin + LAYER]
            for state, action in zip(batch, answers(game, batch, searcher), strict=True):
                places_of[content(state)] = list(legal_actions(game, state)).index(action)
                after.append(game.result(state, action))
        layer = []
        for state in after:
            name = content(state)
            if name not in names_seen:
                names_seen.add(name)
                layer.append(state)
        if progress:
            progress(len(names_seen))
    return _in_order(game, start, part, lambda name, state: places_of[name])


def answers(game: Game, states: list[Any], searcher: AlphaBeta) -> Iterator[Any]:
    """The best action in each state. A table is asked directly: an analysis would follow its line to the end."""
    tables = [book for book in searcher.books if isinstance(book, Tablebase)]
    entries = [next(filter(None, (table.look_up(game, state) for table in tables)), None) for state in states]
    unknown = [state for state, entry in zip(states, entries, strict=True) if entry is None]
    searched = iter(searcher.search_many(unknown) if unknown else ())
    for entry in entries:
        if entry is not None:
            yield decoded(numbered(game), entry.action or 0)
            continue
        answer = next(searched)
        if answer.stopped == "interrupted":
            raise Interrupted
        if not answer.exact or answer.action is None:
            raise OutplayError(f"no proof of {game!r}: {searcher!r} does not find exact values")
        yield answer.action


def _in_order(game: Game, start: Any, part: str, chosen: Callable[[Any, Any], int]) -> "array[int]":
    """The places that `chosen(content, state)` returns, depth first."""
    friends, names_seen, stack, places = friends_of(game), set[Any](), [start], array("H")
    while stack:
        state = stack.pop()
        name = content(state)
        if name in names_seen:
            continue
        names_seen.add(name)
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
