"""Perfect-information Monte Carlo: the best action if everything were visible, on average over what may be hidden.

Ginsberg 2001 (GIB, for bridge); Long, Sturtevant, Buro & Furtak 2010 (when it does well). Each determinization, here
called a *world*, is searched as a game in which nothing is hidden. The search lets players act differently in worlds
that they cannot tell apart, which is impossible in the real game: *strategy fusion* (Frank & Basin 1998).
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.limits import Limit
from outplay.engine.one_by_one import OneByOne
from outplay.engine.runner import SearchRunner
from outplay.engine.searcher import Searcher
from outplay.engine.stop import Stop
from outplay.engine.stopping import StopReason
from outplay.information_sets.determinize import REPLAYS, Determinizer, check_to_move, open_game
from outplay.information_sets.ismcts import MAX_REPLAYS
from outplay.montecarlo.base import REPORT_SECONDS
from outplay.rules.arguments import Progress
from outplay.rules.constant_sum import draw_utility, is_opposed_pair, total
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import Game
from outplay.rules.options import number, word

COMBINATIONS = ("mean", "vote")
WORLDS = 30

Maker = Callable[[Game], Searcher]
"""Makes a searcher for a game in which nothing is hidden: a class such as `AlphaBeta`, or a function."""


def suited(game: Game) -> Searcher:
    """A searcher for a game in which nothing is hidden. It searches by depth, so that all worlds are treated alike."""
    from outplay.chance.expectiminimax import Expectiminimax  # noqa: PLC0415 - only what is needed
    from outplay.chance.max_n import MaxN  # noqa: PLC0415
    from outplay.search.alpha_beta import AlphaBeta  # noqa: PLC0415

    if not is_opposed_pair(game):
        return MaxN(game)
    return Expectiminimax(game) if game.has_chance else AlphaBeta(game)


@dataclass(eq=False, repr=False)
class PIMC(OneByOne):
    """Perfect-information Monte Carlo search, for games with hidden information.

    It draws states that look the same to the player to move, and searches each as if nothing were hidden. It uses
    nothing of the given state that the player does not know. The result is not an equilibrium, and the search never
    sees a reason to hide information or to gain it: docs/hidden-information.md describes when it goes wrong.

    `Limit.seconds` and `clock` apply to all worlds together, the other limits to each world.

    Args:
        game: the game to search.
        searcher: the searcher of the worlds: a class, or a function from a game to a searcher, such as
            `lambda game: AlphaBeta(game, table_mb=16)`. None: `AlphaBeta`, with chance `Expectiminimax`, and `MaxN`
            unless there are two players with opposed interests.
        worlds: the number of states to draw. None: as many as there is time for.
        combine: which action is chosen: the one with the best "mean" of its values, or by "vote" the one that is best
            in most worlds.
        replays: the maximum number of replays in a row that fail to look the same, without the game's `determinize`.
        seed: the seed of the drawn states. The same search draws the same states.
        books: books to consult before searching.

    For each action, an analysis has the mean value, its `sampling_error`, and as `visits` the number of worlds in which
    it was the best; values are utilities of the player to move. Raises `ValueError` for an invalid option,
    `UnsuitableGame` for a game that does not suit `searcher` or has a rule of repetition. A search raises `RulesError`
    if no state that looks the same can be drawn.

    >>> from outplay.games import TicTacToe
    >>> print(PIMC(TicTacToe(), worlds=2).search().method)  # nothing is hidden here
    PIMC: 2 worlds, AlphaBeta
    """

    game: Game
    _: KW_ONLY
    searcher: Maker | None = None
    worlds: int | None = number(WORLDS, least=1)
    combine: str = word("mean", COMBINATIONS)
    replays: int = number(REPLAYS, least=1, most=MAX_REPLAYS)
    seed: int = number(0)

    def __post_init__(self) -> None:
        if self.searcher is not None and not callable(self.searcher):
            raise ValueError(
                f"PIMC(searcher={self.searcher!r}): must be a class of searchers, such as AlphaBeta, or None"
            )
        super().__post_init__()

    def _check_game(self) -> None:
        if self.game.repetition:
            raise UnsuitableGame(
                f"PIMC cannot search {type(self.game).__name__}: by its rule of repetition, the value of a state"
                " depends on earlier states"
            )
        self.inner = (self.searcher or suited)(open_game(self.game))
        if not isinstance(self.inner, Searcher):
            raise ValueError(f"PIMC(searcher={self.searcher!r}) made {self.inner!r}, which is not a searcher")
        self.inner.check = False  # the game itself is checked

    def _check_limit(self, limit: Limit) -> None:
        if self.worlds is None and (limit.seconds, limit.clock, limit.stop) == (None, None, None):
            raise ValueError("PIMC(worlds=None) without a time limit would never end: limit seconds, or give worlds")
        self.inner._check_limit(replace(limit, seconds=1.0, clock=None))

    def _search_one(
        self, state: Any, limit: Limit, progress: Progress[Analysis] | None, previous_states: Sequence[Any]
    ) -> Analysis:
        if self._over(state):
            return replace(self.inner.search(state), game=self.game, method=self._method(), limit=limit)
        check_to_move(self.game, state)
        source = Determinizer(
            self.game, state, previous_states=previous_states, replays=self.replays, seed=self.seed
        )  # compiles
        findings = Findings(self, state, limit)
        aim = math.inf if limit.clock is None else limit.clock.aim
        seconds = min(aim, math.inf if limit.seconds is None else limit.seconds)
        began = reported = time.perf_counter()
        try:
            while self.worlds is None or findings.worlds < self.worlds:
                left = began + seconds - time.perf_counter()
                world = next_world(source, left, limit.stop) if left > 0 else None
                if world is None:
                    is_stopped = limit.stop is not None and limit.stop.is_set
                    late = StopReason.CLOCK if seconds == aim else StopReason.SECONDS
                    findings.stopped = StopReason.STOPPED if is_stopped else late
                    break
                left = began + seconds - time.perf_counter()
                share = left if self.worlds is None else left / (self.worlds - findings.worlds)
                share_of_limit = replace(limit, seconds=None if seconds == math.inf else max(share, 0.0), clock=None)
                before = time.perf_counter()
                analysis = self.inner.analyse(world, share_of_limit)
                now = time.perf_counter()
                if findings.worlds == 0:
                    began += now - before - analysis.seconds  # compiling does not count
                if analysis.stopped == StopReason.INTERRUPTED:
                    raise KeyboardInterrupt
                findings.add(analysis)
                if progress is not None and now - reported >= REPORT_SECONDS:
                    reported = now
                    progress(findings.analysis(now - began))
        except KeyboardInterrupt:
            findings.stopped = StopReason.INTERRUPTED
        return findings.analysis(time.perf_counter() - began)


def next_world(source: Determinizer, seconds: float, stop: Stop | None) -> Any:
    """The next world; None if none is found in time, or `stop` is set. Raises `KeyboardInterrupt` on Ctrl-C."""
    limit = None if seconds == math.inf else seconds
    watch = SearchRunner(limit, lambda: 1, lambda _: source.stop(), button=stop)
    world = watch.run(source.draw)
    if watch.stopped == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return None if watch.stopped else world


@dataclass
class Findings:
    """The combined result of the worlds searched so far."""

    searcher: PIMC
    state: Any
    limit: Limit
    worlds: int = 0
    number: int = 0  # of those, the worlds that had an answer
    nodes: int = 0
    depth: int | None = None
    stopped: StopReason = StopReason.COMPLETE
    values: dict[int, list[float]] = field(default_factory=dict)
    best: dict[int, int] = field(default_factory=dict)

    def add(self, analysis: Analysis) -> None:
        """Add the values of one world. A world whose search was stopped before any answer adds none."""
        self.worlds += 1
        self.nodes += analysis.nodes
        if analysis.stopped:
            self.stopped = analysis.stopped
        if not analysis.actions:
            return
        self.number += 1
        self.depth = min(analysis.depth, self.depth if self.depth is not None else analysis.depth)
        greatest = max(item.value for item in analysis.actions)
        for item in analysis.actions:
            self.values.setdefault(item.action, []).append(item.value)
            self.best[item.action] = self.best.get(item.action, 0) + (item.value == greatest)

    def analysis(self, seconds: float) -> Analysis:
        """The analysis of what has been found so far."""
        game, state = self.searcher.game, self.state
        player = int(game.to_move(state))
        actions = [
            ActionValue(
                action=action,
                name=game.action_name(state, action),
                value=math.fsum(values) / len(values),
                line=(action,),
                visits=self.best[action],
                sampling_error=standard_error(values),
            )
            for action, values in self.values.items()
        ]
        by_vote = self.searcher.combine == "vote"
        actions.sort(key=lambda item: (item.visits, item.value) if by_vote else (item.value, item.visits), reverse=True)
        value = actions[0].value if actions else draw_utility(game)
        others = (total(game) or 0.0) - value if is_opposed_pair(game) else math.nan
        return self.searcher._answer(
            player, tuple(actions), tuple(value if other == player else others for other in range(game.players)),
            exact=False, state=state, depth=self.depth or 0, nodes=self.nodes, seconds=seconds, limit=self.limit,
            stopped=self.stopped, method=f"PIMC: {self.number} worlds, {type(self.searcher.inner).__name__}",
        )  # fmt: skip


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean over all worlds, of which these are a sample.

    >>> standard_error([1.0, -1.0, 1.0, 1.0])
    0.5
    """
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return 0.0
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return math.sqrt(variance / len(values))
