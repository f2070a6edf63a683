"""`OneByOne`: searchers in Python, which search one state after the other without a kernel."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from outplay.check.quick import check_rules, check_state
from outplay.engine.analysis import Analysis
from outplay.engine.limits import UNLIMITED, Limit
from outplay.engine.searcher import Searcher, Task
from outplay.engine.trace import Trace
from outplay.rules.arguments import Progress


class OneByOne(Searcher):
    """A searcher whose `_search_one` answers for one state."""

    def _prepare(self, task: Task) -> Callable[[], Any]:
        raise NotImplementedError("there is no kernel to prepare")

    @abstractmethod
    def _search_one(
        self, state: Any, limit: Limit, progress: Progress[Analysis] | None, previous_states: Sequence[Any]
    ) -> Analysis:
        """Search one state."""

    def _run(
        self, states: list[Any], limit: Limit | None, every: bool, progress: Progress[Analysis] | None,
        previous_states: Sequence[Any] = (), trace: Trace | None = None,
    ) -> list[Analysis]:  # fmt: skip
        limit = limit or UNLIMITED
        self._check_limit(limit)
        for state in states if self.check else ():
            check_rules(self.game, state)
            check_state(self.game, state)
        return [self._search_one(state, limit, progress, previous_states) for state in states]
