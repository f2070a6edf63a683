"""`outplay ladder`: a player at growing strength, and what a ply, a doubling or a technique is worth."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import io
from pathlib import Path
from typing import Annotated, Any

import typer

from outplay.cli import contest
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import Cluster, Csv, GameName, Json, Workers, check_file
from outplay.cli.output import print_csv, print_json, say
from outplay.cli.saving import saved
from outplay.cli.start import load_checked
from outplay.session.algorithms import suited
from outplay.system.files import write_file

EXAMPLES = (
    "Examples:",
    "  outplay ladder othello --vary depth=1..6",
    "  outplay ladder connect-four --player mcts --vary simulations=100..12800 --games 200 --workers 2",
    "  outplay ladder chess --player alpha-beta --vary seconds=0.01..1.28 --record chess.jsonl",
    '  outplay ladder chess --player "alpha-beta(depth=4)" --vary quiescence=false,true',
    '  outplay ladder my_game.py --player "my_bot.py:Bot(lookahead=1)" --vary lookahead=1..5 --below random',
    "  outplay ladder my_game.py --player alpha-beta --vary level=0.5..5+0.5 --levels my_levels.json",
    "A range goes up by 1, or doubles (seconds, nodes, simulations); 2..8+2 goes up by 2, 100..1600*4 times 4.",
    "--levels makes the levels of outplay play --elo: the rungs are levels above random moves. Level 0.5 plays half of",
    "its moves at level 1, the others at random.",
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
    seconds: contest.Seconds = None,
    clock: contest.GameClock = None,
    openings: contest.Openings = None,
    max_plies: contest.MaxPlies = 2000,
    workers: Workers = None,
    cluster: Cluster = None,
    record: contest.Record = None,
    resume: contest.Resume = False,
    event: contest.Event = "",
    every: contest.Every = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the ladder: a .svg, .png or .pdf file; needs matplotlib.")
    ] = None,
    levels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the levels, with their Elo, for outplay play --levels.")
    ] = None,
    seed: contest.Seed = None,
    as_json: Json = False,
    csv: Csv = False,
) -> None:
    """Play a player at growing strength against itself, and show what each step is worth in Elo."""
    from outplay.arena.ladder import Ladder
    from outplay.arena.referee import Terms
    from outplay.cli.ladder_display import LadderDisplay, print_ladder

    contest.check_record(record, resume)
    rules = load_checked(game)
    check_plot(plot)
    check_file("--levels", levels, ".json")
    player = player or suited(rules)
    if levels is not None:
        below = below or "random"
    terms = Terms(seconds, clock, max_plies)
    options = {"games": games, "openings": openings, "event": event}
    options["seed"] = contest.seed_of(seed, record, resume)
    rungs = Ladder.of(rules, player, vary, below=below, terms=terms, **options)
    if levels is not None:
        from outplay.arena.calibration import check_is_of_levels

        check_is_of_levels(rungs)
    rungs.check()
    display = LadderDisplay(rungs, every)
    contest.play_on(rungs, display, record, resume, workers, cluster)
    if not display.score.played:
        if display.games:
            say("interrupted before a game of the two lowest rungs was over")
        raise typer.Exit(INTERRUPTED)
    result = display.score.result()
    if csv:
        print_csv(result.as_dict()["rungs"])
    elif as_json:
        ending = {"seed": rungs.seed, "repeated_rounds": display.repeats.count, "interrupted": display.stopped}
        print_json(result.as_dict() | ending)
    else:
        print_ladder(result, display)
        contest.say_seed(rungs.seed)
    if plot is not None:
        saved(lambda: save_plot(result.plot(), plot), plot)
    if levels is not None:
        from outplay.arena.calibration import far_apart, save_levels

        saved(lambda: save_levels(result, levels), levels)
        if far := far_apart(result):
            say(
                f"An Elo between {', '.join(far)} is a guess, since nothing between is measured: add rungs there, as in"
                " level=0.5,1,1.5,2",
                "yellow",
            )
    if display.stopped:
        raise typer.Exit(INTERRUPTED)


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

    content = io.BytesIO()
    axes.figure.savefig(content, format=path.suffix[1:].lower())
    pyplot.close(axes.figure)
    write_file(path, content.getvalue())
