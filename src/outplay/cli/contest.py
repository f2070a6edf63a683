"""What `outplay match` and `outplay tournament` share: options, and playing with a display and a record."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from outplay.cli.options import CLOCK, read_clock
from outplay.cli.output import complain, say
from outplay.cli.saving import saved
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.system.seeds import fresh_seed

if TYPE_CHECKING:
    from outplay.arena.contest import Contest
    from outplay.arena.log import MatchLog
    from outplay.arena.naming import PlayerSource
    from outplay.arena.openings import ListedOpenings, RandomOpenings
    from outplay.arena.records.files import GameFile
    from outplay.arena.referee import Terms
    from outplay.cli.contest_display import ContestDisplay


class Balance(NamedTuple):
    """The value of `--balanced`: how deep the search looks, and how far from a draw the value may be, as a share."""

    depth: int
    share: float


def read_balance(text: str) -> Balance:
    """The value of `--balanced`.

    >>> read_balance("6"), read_balance("8:0.1")
    (Balance(depth=6, share=0.3), Balance(depth=8, share=0.1))
    """
    match = re.fullmatch(r"([1-9]\d{0,3})(?::(\d*\.?\d+))?", text, re.ASCII)
    if match is None:
        raise typer.BadParameter(
            f"{text!r}: write a depth, such as 6, or with the share that a value may be off, 6:0.1"
        )
    return Balance(int(match[1]), float(match[2] or 0.3))


class Agreement(NamedTuple):
    """The value of `--resign` or `--draw`: a share of the way from a draw to a loss, and for how many plies."""

    share: float
    plies: int | None


def read_agreement(text: str) -> Agreement:
    """The value of `--resign` or `--draw`.

    >>> read_agreement("0.9"), read_agreement(".05:30")
    (Agreement(share=0.9, plies=None), Agreement(share=0.05, plies=30))
    """
    match = re.fullmatch(r"(\d*\.?\d+)(?::([1-9]\d{0,3}))?", text, re.ASCII)
    if match is None or not float(match[1]) > 0:
        raise typer.BadParameter(f"{text!r}: write a share above 0, such as 0.9, or with a number of plies, 0.9:8")
    return Agreement(float(match[1]), int(match[2]) if match[2] else None)


def read_openings(text: str) -> "RandomOpenings | ListedOpenings":
    """The value of `--openings`: a number of random moves, or a file."""
    from outplay.arena.openings import ListedOpenings, RandomOpenings

    if text.isdecimal():
        return RandomOpenings(int(text))
    try:
        return ListedOpenings.load(text)
    except OutplayError as error:
        raise typer.BadParameter(str(error)) from None


Seconds = Annotated[float | None, typer.Option(metavar="S", min=0, help="The maximum time for a move.")]
GameClock = Annotated[
    Clock | None,
    typer.Option(
        metavar=CLOCK,
        parser=read_clock,
        help="The time for each player's game, or for each session of moves as in 40/5:00, and for each move.",
    ),
]
Nodes = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="The states for each move of players without a limit.")
]
Depth = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="The plies that players without a limit look ahead.")
]
Simulations = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="The simulations for each move of players without a limit.")
]
Openings = Annotated[
    Any,
    typer.Option(
        metavar="N|FILE",
        parser=read_openings,
        help="So many random moves, or a file: moves or a state on each line, .epd, .pgn, .pdn or .sgf.",
        show_default="2, or 0 with chance or hidden information",
    ),
]
OpeningPlies = Annotated[
    int | None, typer.Option(metavar="N", min=0, help="Begin after the first N moves of each line of --openings.")
]
Balanced = Annotated[
    Any,
    typer.Option(
        metavar="DEPTH[:SHARE]",
        parser=read_balance,
        help="Keep only random openings whose value, searched to this depth, is within this share of the way from a"
        " draw to a loss, by default 0.3.",
    ),
]
Resign = Annotated[
    Any,
    typer.Option(
        metavar="SHARE[:PLIES]",
        parser=read_agreement,
        help="End games that both see this far on the way to a loss, such as 0.9, for 6 plies, or as many as given.",
    ),
]
Draw = Annotated[
    Any,
    typer.Option(
        metavar="SHARE[:PLIES]",
        parser=read_agreement,
        help="End games that both see this near a draw, such as 0.05, for 20 plies, or as many as given.",
    ),
]
Proved = Annotated[bool, typer.Option("--proved", help="End games whose value both have proved.")]
TableFile = Annotated[Path | None, typer.Option(metavar="FILE", help="End games whose value this table knows.")]
MaxPlies = Annotated[int, typer.Option(metavar="N", min=1, help="A longer game is a draw.")]
Record = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write each game to this file: JSON lines, or .pgn, .sgf, .pdn, .ggf or .mat."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with what is in --record.")]
Event = Annotated[str, typer.Option(metavar="TEXT", help="What it is called in the record.")]
Every = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Print the score every N games, on standard error.")
]
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="The same seed gives the same openings, luck and choices.",
        show_default="one that nobody can guess; with --resume, that of the record",
    ),
]


def terms_of(
    game: Game,
    seconds: float | None,
    clock: Clock | None,
    max_plies: int,
    resign: Agreement | None,
    draw: Agreement | None,
    proved: bool,
    table: Path | None,
    adjusts_luck: bool = False,
) -> "Terms":
    """The rules besides those of the game."""
    from outplay.arena.adjudication import Adjudication
    from outplay.arena.referee import Terms
    from outplay.tables.tablebase import Tablebase

    look_up = None if table is None else Tablebase.load(table, game)
    options: dict[str, Any] = {}
    for name, rule in (("resign", resign), ("draw", draw)):
        options |= {} if rule is None else {name: rule.share}
        options |= {} if rule is None or rule.plies is None else {f"{name}_plies": rule.plies}
    rules = Adjudication(**options, proved=proved, table=look_up)
    return Terms(seconds, clock, max_plies, rules, adjusts_luck)


def say_seed(seed: int) -> None:
    """Print the seed of a contest, with which it can be repeated."""
    say(f"seed {seed}: --seed {seed} gives the same openings and luck", "dim")


def limit_of(nodes: int | None, depth: int | None, simulations: int | None) -> Limit:
    """The limit of players that are named without one."""
    return Limit(nodes=nodes, depth=depth, simulations=simulations)


def openings_of(
    game: Game, openings: "RandomOpenings | ListedOpenings | None", plies: int | None, balance: Balance | None
) -> "RandomOpenings | ListedOpenings":
    """Where games begin."""
    from outplay.arena.openings import ListedOpenings, RandomOpenings
    from outplay.session.algorithms import searcher_class

    chosen = openings or RandomOpenings()
    if plies is not None:
        if not isinstance(chosen, ListedOpenings):
            raise typer.BadParameter("--opening-plies is for a file of openings: name one with --openings")
        chosen = replace(chosen, plies=plies)
    if balance is None:
        return chosen
    if not isinstance(chosen, RandomOpenings):
        raise typer.BadParameter("--balanced chooses among random openings, not among those of a file")
    if game.players != 2 or game.hidden_information:
        raise typer.BadParameter("--balanced is for games of two players without hidden information")
    from outplay.rules.constant_sum import draw_utility

    searcher = searcher_class("expectiminimax" if game.has_chance else "alpha-beta")(game)
    worst = game.utilities[0] if game.utilities else draw_utility(game) - 1
    margin = balance.share * (draw_utility(game) - worst)
    return RandomOpenings(chosen.plies, searcher, Limit(depth=balance.depth), margin)


def players_of(players: Sequence[str], workers: int | None, cluster: str | None) -> "tuple[PlayerSource, ...]":
    """The players; each `human` sits at this terminal."""
    from outplay.arena.naming import PlayerSpec
    from outplay.cli.human import HumanPlayer

    sources: list[PlayerSource] = []
    for text in players:
        spec = PlayerSpec.read(text)
        sources.append(HumanPlayer(spec.label) if spec.rest == "human" else spec)
    if any(isinstance(player, HumanPlayer) for player in sources) and not is_alone(workers, cluster):
        raise typer.BadParameter("human plays at this terminal, in one process: leave out --workers and --cluster")
    return tuple(sources)


def is_alone(workers: int | None, cluster: str | None) -> bool:
    """Whether everything is played in this process."""
    return workers in (None, 1) and cluster is None


def check_record(record: Path | None, resume: bool) -> None:
    """Refuse `--resume` without a file."""
    if resume and record is None:
        raise typer.BadParameter("--resume goes on with what is in a file: name it with --record")


def seed_of(seed: int | None, record: Path | None, resume: bool) -> int:
    """The seed of `--seed`, or else that of the record to go on with, or else a new one."""
    from outplay.arena.log import read_log

    if seed is None and record is not None and resume and record.is_file() and record.stat().st_size:
        return int(read_log(record)[0]["seed"])
    return fresh_seed() if seed is None else seed


class Recorder:
    """Adds rounds to the record of a contest, if there is one. Where that fails, the contest goes on.

    Args:
        log: the open record.

    Attributes:
        rounds: the rounds that were played before.
    """

    def __init__(self, log: "MatchLog | GameFile | None") -> None:
        self.log, self.has_failed = log, False
        self.rounds: Sequence[Any] = log.rounds if log else ()

    def add(self, round_: Any) -> None:
        """Add a round, and those that could not be added before."""
        if self.log:
            self.write(partial(self.log.add, round_))

    def write(self, task: Callable[[], None]) -> None:
        """Call a method of the log. The first time that it fails, a warning is printed."""
        try:
            task()
        except OutplayError as error:
            if not self.has_failed:
                complain("Warning", "bold yellow", f"{error}; play goes on, and each round tries it again")
            self.has_failed = True


@contextmanager
def recorded(contest: "Contest[Any]", record: Path | None, resume: bool) -> Iterator[Recorder]:
    """The recorder of a contest. A new file without a round is removed again if the contest fails."""
    from outplay.arena.records.files import open_record

    if record is None:
        yield Recorder(None)
        return
    with open_record(record, contest, resume=resume) as log:
        recorder, size = Recorder(log), record.stat().st_size
        recorder.write(log.flush)
        try:
            yield recorder
        except BaseException:
            if log.is_new and record.stat().st_size == size:
                record.unlink()
            raise
        saved(log.flush, record)


def play_on(
    contest: "Contest[Any]",
    display: "ContestDisplay",
    record: Path | None,
    resume: bool,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Play until the contest is over or decided, or Ctrl-C."""
    with ExitStack() as stack:
        recorder = stack.enter_context(recorded(contest, record, resume))
        done = recorder.rounds
        display.begin(done)
        stack.enter_context(display)
        watch = display.watch if is_alone(workers, cluster) else None
        rounds = stack.enter_context(closing(contest.run(workers=workers, cluster=cluster, done=done, watch=watch)))
        try:
            for round_ in rounds:
                recorder.add(round_)
                display.add(round_)
        except KeyboardInterrupt:
            display.stopped = True
    if display.stopped and not display.games:
        say("interrupted before the first round was over")
