"""`outplay tournament`: many players meet each other, and a table says where they stand."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import Annotated

import typer

from outplay.cli import contest
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import Cluster, Csv, GameName, Json, Workers
from outplay.cli.output import print_csv, print_json
from outplay.cli.start import load_checked

EXAMPLES = (
    "Examples:",
    '  outplay tournament connect-four random "alpha-beta(depth=4)" "mcts(simulations=500)"',
    "  outplay tournament othello alpha-beta mtdf mcts --seconds 0.1 --games 40 --workers 2",
    '  outplay tournament hex new="mcts(rave=true)" mcts random --simulations 300 --format gauntlet',
    '  outplay tournament tic-tac-toe "alpha-beta(level=1)" "alpha-beta(level=3)" random my_bot.py:Bot --format swiss',
    "  outplay tournament chess bots.py:A bots.py:B bots.py:C --format knockout --clock 1:00+1 --record cup.jsonl",
    '  outplay tournament "pig(players=3)" random "mcts(simulations=50)" "mcts(simulations=200)" random',
    "Players are named as in outplay match. Each opening is played with all seats exchanged, and all meetings have the",
    "same openings. Results are the same for any number of processes, if no time limits the moves.",
)


def tournament(
    game: GameName,
    players: Annotated[
        list[str], typer.Argument(metavar="PLAYER...", help="The players; for a knockout, the best first.")
    ],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="round-robin: everyone meets everyone; gauntlet: the first meets all others; swiss: those with the"
            " nearest scores meet, nobody twice; knockout: who loses is out.",
        ),
    ] = "round-robin",
    games: Annotated[int, typer.Option(metavar="N", min=1, help="The games of each meeting.")] = 20,
    stages: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Swiss: the number of stages.", show_default="as many as in a knockout"),
    ] = None,
    challengers: Annotated[
        int, typer.Option(metavar="N", min=1, help="Gauntlet: so many of the first players meet all others.")
    ] = 1,
    extra: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Knockout: at most so many more openings while a meeting is level; then the better seed wins.",
        ),
    ] = 10,
    seconds: contest.Seconds = None,
    clock: contest.GameClock = None,
    nodes: contest.Nodes = None,
    depth: contest.Depth = None,
    simulations: contest.Simulations = None,
    openings: contest.Openings = None,
    opening_plies: contest.OpeningPlies = None,
    balanced: contest.Balanced = None,
    resign: contest.Resign = None,
    draw: contest.Draw = None,
    proved: contest.Proved = False,
    table: contest.TableFile = None,
    max_plies: contest.MaxPlies = 2000,
    workers: Workers = None,
    cluster: Cluster = None,
    record: contest.Record = None,
    resume: contest.Resume = False,
    event: contest.Event = "",
    every: contest.Every = None,
    seed: contest.Seed = None,
    as_json: Json = False,
    csv: Csv = False,
) -> None:
    """Let many players meet each other, and show where they stand: points, tie-breaks, who beat whom, and ratings."""
    from outplay.arena.tournament import Tournament
    from outplay.cli.tournament_display import TournamentDisplay

    contest.check_record(record, resume)
    rules = load_checked(game)
    contest_tournament = Tournament(
        rules,
        contest.players_of(players, workers, cluster),
        format=format_,  # type: ignore[arg-type]
        games=games,
        stages=stages,
        extra=extra,
        challengers=challengers,
        openings=contest.openings_of(rules, openings, opening_plies, balanced),
        terms=contest.terms_of(rules, seconds, clock, max_plies, resign, draw, proved, table),
        seed=contest.seed_of(seed, record, resume),
        limit=contest.limit_of(nodes, depth, simulations),
        event=event,
    )
    display = TournamentDisplay(contest_tournament, every)
    contest.play_on(contest_tournament, display, record, resume, workers, cluster)
    if csv:
        print_csv(display.as_dict()["standings"])
    elif as_json:
        print_json(display.as_dict())
    else:
        display.print()
    if display.stopped:
        raise typer.Exit(INTERRUPTED)
