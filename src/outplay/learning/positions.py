"""Positions of self-play as a Parquet file, for training elsewhere. Start at `self_played`.

A row is a position in which a player decides; none is there twice. The columns, in this order:

    a column for each location   uint8    its symbol; the name is that of the location
    to_move                      uint8    the player to move
    ply                          uint32   the number of moves before
    game                         uint32   the number of the game
    result                       float64  what the player to move got in the end: a utility
    value                        float64  what a search says the player to move can expect; null where its nodes were
                                          too few. The column is missing if no search was asked for

The metadata of the file has the layout as `outplay`: the text of `layout_text`. A network that reads its symbols as
`OnnxEvaluator` describes can play with that text in its own metadata.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.engine.limits import Limit
from outplay.engine.stopping import StopReason
from outplay.evaluation.columns import read_columns
from outplay.evaluation.layout import Layout
from outplay.evaluation.planes import METADATA, layout_text
from outplay.learning.plan import Plan
from outplay.learning.rivals import searcher_of
from outplay.learning.self_play import Learner
from outplay.rules.arguments import check_type, is_whole
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import EvaluationError, OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.keys import state_key
from outplay.system.files import write_file

BATCH = 50
"""Games between two looks at the keyboard, while it learns."""
IDLE = 200
"""After so many games without a new position there are no more."""
SEARCHED = 256
"""Positions that are searched in one call."""
COLUMNS = ("to_move", "ply", "game", "result", "value")


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of self-play.

    Attributes:
        game: the game.
        layout: how its states are read.
        symbols: the symbol at each location: uint8 [positions, locations].
        to_move: the player to move: uint8 [positions].
        plies: the number of moves before: uint32 [positions].
        games: the number of the game: uint32 [positions].
        results: the utility that the player to move got in the end: float64 [positions].
        values: the value of a search for the player to move: float64 [positions], NaN where its nodes were too few; or
            None.
        interrupted: whether Ctrl-C ended it early.
    """

    game: Game
    layout: Layout
    symbols: NDArray[np.uint8]
    to_move: NDArray[np.uint8]
    plies: NDArray[np.uint32]
    games: NDArray[np.uint32]
    results: NDArray[np.float64]
    values: NDArray[np.float64] | None = None
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.symbols)

    def __repr__(self) -> str:
        return f"<{len(self):,} positions of {self.game!r}>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write a Parquet file, whole or not at all; needs `pip install 'outplay[parquet]'`.

        Raises `EvaluationError` if that is not installed or the file cannot be written.
        """
        write_file(path, self.as_bytes(), EvaluationError)

    def as_bytes(self) -> bytes:
        """The content of a file."""
        check_installed()
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow.parquet import write_table  # noqa: PLC0415

        names = list(COLUMNS)
        for place, location in enumerate(self.layout.locations):
            names.append(location.name if location.name not in names else f"{location.name} ({place})")
        columns = dict(zip(names[len(COLUMNS) :], self.symbols.T, strict=True))
        numbers = self.to_move, self.plies, self.games, self.results, self.values
        columns |= {name: array for name, array in zip(COLUMNS, numbers, strict=True) if array is not None}
        table = pa.table(
            {name: pa.array(np.ascontiguousarray(array), from_pandas=True) for name, array in columns.items()}
        )
        content = BytesIO()
        write_table(
            table.replace_schema_metadata({METADATA: layout_text(self.game, self.layout)}), content, compression="zstd"
        )
        return content.getvalue()


def check_installed() -> None:
    """Raise `EvaluationError` if pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise EvaluationError(f"Parquet needs the extra parquet ({error}): pip install 'outplay[parquet]'") from None


def self_played(
    game: Game,
    positions: int = 100_000,
    *,
    seed: int = 1,
    games: int = 2000,
    nodes: int | None = None,
    watch: Callable[[str], None] | None = None,
) -> Positions:
    """Different positions of games that a player who learned a little plays against itself.

    One move in ten is random. The same arguments give the same positions. Ctrl-C while it plays or searches keeps the
    positions until then.

    Args:
        game: the game.
        positions: the maximum number of positions; there are fewer if hundreds of games bring no new one.
        seed: of all random choices.
        games: the number of games from which the player learns first.
        nodes: the nodes of the search of each position that makes `values`. None: there are no values.
        watch: called with what goes on, in words.

    Raises `UnsuitableGame` for games that cannot be learned.

    >>> from outplay.games import Breakthrough
    >>> found = self_played(Breakthrough(4, 4), 100, games=50)
    >>> found, found.symbols.shape, found.values is None
    (<100 positions of Breakthrough(rows=4, columns=4)>, (100, 16), True)
    """
    check_type(game, Game, "self_played({})", "Breakthrough()")
    counts = {"positions": positions, "games": games} | ({} if nodes is None else {"nodes": nodes})
    for name, count in {**counts, "seed": seed}.items():
        if not (is_whole(count) and count >= (name != "seed")):
            raise OutplayError(f"{name}={count!r}: give a whole number from {int(name != 'seed')} up")
    report = watch or (lambda words: None)
    report("looking at random games…")
    plan = Plan.of(game, seed, seconds=math.inf)
    learner = Learner(game, plan.tables(seed=seed), plan.most, plan.bounded, seed, plies=plan.plies)
    for learned in range(0, games, BATCH):
        report(f"learning… {learned:,} of {games:,} games")
        learner.play(min(BATCH, games - learned))
    layout = Plan.of(game, seed, seconds=math.inf, games=learner.games()).layout  # better games show more
    states: list[Any] = []
    numbers: list[tuple[int, int, int, float]] = []
    values, interrupted = list[float](), False
    try:
        _play(game, learner, positions, states, numbers, report)
        if nodes is not None:
            _search(game, learner, states, nodes, values, report)
    except KeyboardInterrupt:
        if not numbers:
            raise
        interrupted = True
    count = len(values) or len(numbers)
    states, numbers = states[:count], numbers[:count]
    table = np.array(numbers, np.float64).reshape(len(states), 4)
    return Positions(
        game,
        layout,
        layout.symbols(read_columns(layout.columns, states)).astype(np.uint8),
        table[:, 0].astype(np.uint8),
        table[:, 1].astype(np.uint32),
        table[:, 2].astype(np.uint32),
        table[:, 3],
        np.array(values, np.float64) if values else None,
        interrupted,
    )


def _play(
    game: Game,
    learner: Learner,
    positions: int,
    states: list[Any],
    numbers: list[tuple[int, int, int, float]],
    report: Callable[[str], None],
) -> None:
    """Add different states; and of each the player to move, the ply, the game, and the result."""
    keys_seen: set[int] = set()
    idle = 0
    for number, played in enumerate(learner.games()):
        before, end = len(states), played[-1]
        for ply, state in enumerate(played):
            if game.is_terminal(state) or (mover := game.to_move(state)) == CHANCE or len(states) == positions:
                continue
            if (key := state_key(game, state)) not in keys_seen:
                keys_seen.add(key)
                states.append(state)
                result = game.utility(end, mover) if game.is_terminal(end) else draw_utility(game)
                numbers.append((mover, ply, number, result))
        report(f"playing… {len(states):,} of {positions:,} positions")
        idle = 0 if len(states) > before else idle + 1
        if len(states) == positions or idle == IDLE:
            break


def _search(
    game: Game, learner: Learner, states: list[Any], nodes: int, values: list[float], report: Callable[[str], None]
) -> None:
    """Add what a search of so many nodes with the learned evaluation says of each state."""
    searcher = searcher_of(game, learner.evaluation())
    for first in range(0, len(states), SEARCHED):
        report(f"searching… {first:,} of {len(states):,} positions")
        analyses = searcher.search_many(states[first : first + SEARCHED], Limit(nodes=nodes))
        if any(analysis.stopped == StopReason.INTERRUPTED for analysis in analyses):
            raise KeyboardInterrupt
        values += [analysis.value for analysis in analyses]
