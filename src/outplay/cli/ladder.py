"""`outplay ladder`: a player at growing strength, and what a ply, a doubling or a technique is worth."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.contest import read_openings
from outplay.cli.contest_display import REFRESH
from outplay.cli.options import Cluster, GameName, Json, Workers, check_file
from outplay.cli.output import picture, print_json, say, short, stderr, stdout
from outplay.cli.play import read_clock
from outplay.cli.start import load_checked
from outplay.engine.clock import Clock
from outplay.session.algorithms import suited

if TYPE_CHECKING:
    from rich.table import Table

    from outplay.arena.ladder import Ladder
    from outplay.arena.ladder_score import LadderResult, Rung
    from outplay.arena.referee import GameRecord

EXAMPLES = (
    "Examples:",
    "  outplay ladder othello --vary depth=1..6",
    "  outplay ladder connect-four --player mcts --vary simulations=100..12800 --games 200 --workers 2",
    "  outplay ladder chess --player alpha-beta --vary seconds=0.01..1.28 --record chess.jsonl",
    '  outplay ladder chess --player "alpha-beta(depth=4)" --vary quiescence=false,true',
    '  outplay ladder my_game.py --player "my_bot.py:Bot(lookahead=1)" --vary lookahead=1..5 --below random',
    "  outplay ladder my_game.py --player alpha-beta --vary level=1..6 --levels my_levels.json",
    "A range goes up by 1, or doubles (seconds, nodes, simulations); 2..8+2 goes up by 2, 100..1600*4 times 4.",
    "--levels makes the levels of outplay play --elo: the rungs are levels, above random moves.",
)


def ladder(
    game: GameName,
    vary: Annotated[
        str,
        typer.Option(
            metavar="OPTION=VALUES", help="What changes: depth=1..8, simulations=100..12800, rave=false,true."
        ),
    ],
    player: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="The player, as in outplay match.", show_default="what suits the game"),
    ] = None,
    below: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Another player as the lowest rung, such as random.")
    ] = None,
    games: Annotated[
        int, typer.Option(metavar="N", min=1, help="The number of games of each pair of neighbours.")
    ] = 100,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=0, help="The time for each move of searches without a limit.")
    ] = None,
    clock: Annotated[
        Clock | None,
        typer.Option(metavar="M:SS+I", parser=read_clock, help="The time for each player's game, and for each move."),
    ] = None,
    openings: Annotated[
        Any,
        typer.Option(
            metavar="N|FILE",
            parser=read_openings,
            help="So many random moves, or a file with moves or a state on each line.",
            show_default="as many as it takes for different games",
        ),
    ] = None,
    max_plies: Annotated[int, typer.Option(metavar="N", min=1, help="A longer game is a draw.")] = 2000,
    workers: Workers = None,
    cluster: Cluster = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all games to this file, as JSON lines.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the ladder in --record.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the ladder: a .svg, .png or .pdf file; needs matplotlib.")
    ] = None,
    levels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the levels, with their Elo, for outplay play --levels.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same ladder.")] = 0,
    as_json: Json = False,
) -> None:
    """Play a player at growing strength against itself, and show what each step is worth in Elo."""
    from outplay.arena.ladder import Ladder
    from outplay.arena.referee import Terms

    rules = load_checked(game)
    if resume and record is None:
        raise typer.BadParameter("--resume goes on with the ladder in a file: name it with --record")
    check_plot(plot)
    check_file("--levels", levels, ".json")
    player = player or suited(rules)
    if levels is not None:
        below = below or "random"
    terms, options = Terms(seconds, clock, max_plies), {"games": games, "openings": openings, "seed": seed}
    found = Ladder.of(rules, player, vary, below=below, terms=terms, **options)
    if levels is not None:
        from outplay.arena.calibration import check_is_of_levels

        check_is_of_levels(found)
    found.check()
    display = Display(found)
    play_ladder(found, display, record, resume, workers, cluster)
    if not display.score.played:
        say("interrupted before a game of the two lowest rungs was over")
        return
    result = display.score.result()
    if as_json:
        print_json({**result.as_dict(), "interrupted": display.stopped})
    else:
        print_ladder(result, display.stopped)
    if plot is not None:
        save_plot(result.plot(), plot)
    if levels is not None:
        from outplay.arena.calibration import save_levels

        save_levels(result, levels)


def check_plot(path: Path | None) -> None:
    """Refuse, before any work, a file that matplotlib will not write."""
    if path is None:
        return
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise typer.BadParameter(f"--plot {path}: the name must end in .svg, .png or .pdf")
    check_file("--plot", path)
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise typer.BadParameter("--plot needs matplotlib: pip install 'outplay[plot]'")


def save_plot(axes: Any, path: Path) -> None:
    """Write a plot, and release its memory."""
    from matplotlib import pyplot

    axes.figure.savefig(path)
    pyplot.close(axes.figure)


def play_ladder(
    found: "Ladder",
    display: "Display",
    record: Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
) -> None:
    """Play until the ladder is over, or Ctrl-C."""
    from outplay.arena.log import MatchLog

    with ExitStack() as stack:
        log = None if record is None else stack.enter_context(MatchLog(record, found, resume=resume))
        done = list(log.rounds) if log else []
        for each in done:
            display.score.add(each)
        stack.enter_context(display)
        alone = workers in (None, 1) and cluster is None
        rounds = found.run(
            workers=workers,
            cluster=cluster,
            done=done,
            watch=display.watch if alone else None,
        )
        stack.enter_context(closing(rounds))
        try:
            for each in rounds:
                if log:
                    log.add(each)
                display.score.add(each)
                display.refresh(always=True)
        except KeyboardInterrupt:
            display.stopped = True


class Display:
    """A ladder, shown on a terminal while it is played."""

    def __init__(self, found: "Ladder") -> None:
        from outplay.arena.ladder_score import LadderScore

        self.ladder, self.score, self.stopped = found, LadderScore(found), False
        self.live: Any = None
        self.board: tuple[GameRecord, Any] | None = None
        self.shown = 0.0

    def __enter__(self) -> "Display":
        console = stderr()
        if console.is_terminal:
            from rich.live import Live

            self.live = Live(console=console, auto_refresh=False, transient=True)
            with suppress(OSError):
                self.live.start()
        self.began, self.before = time.monotonic(), len(self.score.games)
        return self

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            with suppress(OSError):
                self.live.stop()

    def watch(self, record: "GameRecord", states: Sequence[Any]) -> None:
        """Show the board of a running game."""
        self.board = record, states[-1]
        self.refresh()

    def refresh(self, always: bool = False) -> None:
        """Show the ladder."""
        if self.live is None or (not always and time.monotonic() - self.shown < REFRESH):
            return
        from rich.console import Group
        from rich.text import Text

        self.shown = time.monotonic()
        parts: list[Any] = [self.table(), Text(self.expectation(), style="dim")]
        if self.board is not None:
            record, state = self.board
            parts += [Text(f"\n{' – '.join(record.players)}"), picture(self.ladder.game, state)]
        with suppress(OSError):
            self.live.update(Group(*parts), refresh=True)

    def table(self) -> "Table":
        """The ladder so far."""
        from outplay.arena.elo import elo_of

        table = new_table(self.ladder.unit, "games", "points", "gain", "time a move", "nodes")
        for rung in self.score.rungs:
            share = rung.points / rung.games if rung.games else 0.5
            cells = (str(rung.games), f"{share:.1%}", f"{elo_of(share):+.0f}") if rung.games else ("", "", "")
            table.add_row(rung.label, *cells, *costs(rung))
        return table

    def expectation(self) -> str:
        """How long it may still take."""
        games, most = len(self.score.games), 2 * self.ladder.rounds
        left = (time.monotonic() - self.began) / max(1, games - self.before) * (most - games)
        text = f"{games:,} of {most:,} games"
        return f"{text}, about {round(left / 60)} min left" if games > self.before else text


def print_ladder(result: "LadderResult", stopped: bool = False) -> None:
    """The result as a table, and what a step is worth."""
    from outplay.arena.ladder_score import Gain, in_words, signed

    table = new_table(result.ladder.unit, "Elo", "95%", "gain", "95%", "games", "time a move", "nodes")
    for place, rung in enumerate(result.rungs):
        cells = ["+0", *[""] * 4]
        if place:
            elo, gain = result.elos[place], result.gains[place - 1]
            cells = [signed(elo.elo), elo.span("…"), signed(gain.elo), gain.span("…"), str(rung.games)]
        table.add_row(rung.label, *cells, *costs(rung))
    stdout().print(table)
    say()
    for line in result.worth():
        say(line, "bold")
    say(f"first move {in_words(Gain(*result.ratings.advantage))}; {result.ratings.drawn:.0%} draws between equals")
    games = sum(rung.games for rung in result.rungs)
    if result.repeated > games / 20:
        say(
            f"{result.repeated} of {games} games were the same as earlier ones, so that the intervals are too narrow:"
            " take more openings (--openings)",
            "yellow",
        )
    for rung in result.rungs:
        if rung.faults:
            say(f"{rung.name} lost {rung.faults} games by its own faults", "yellow")
    if stopped:
        say("interrupted", "yellow")


def new_table(*columns: str) -> "Table":
    """A plain table whose first column is text, and all others are numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if place else "left", no_wrap=True)
    return table


def costs(rung: "Rung") -> tuple[str, str]:
    """The time and the nodes of a move."""
    if not rung.moves:
        return "", ""
    nodes = "" if rung.nodes_a_move is None else short(rung.nodes_a_move)
    return f"{1000 * rung.seconds_a_move:.1f} ms", nodes
