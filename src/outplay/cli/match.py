"""`outplay match`: many games between players, and what they say about their strength."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import Annotated

import typer

from outplay.cli import contest
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import Cluster, GameName, Json, Workers
from outplay.cli.start import load_checked

EXAMPLES = (
    "Examples:",
    '  outplay match connect-four "alpha-beta(depth=6)" "mcts(simulations=2000)"',
    '  outplay match tic-tac-toe random "alpha-beta(depth=2)" --games 200 --workers 2',
    '  outplay match othello new="mcts(rave=true)" old=mcts --simulations 500 --elo1 20 --record rave.jsonl',
    "  outplay match my_game.py my_bot.py:Bot alpha-beta --clock 0:10+0.1",
    "  outplay match chess alpha-beta mcts --openings lines.txt --seconds 0.2 --resign 0.9",
    "  outplay match chess alpha-beta cecp:fairymax --clock 40/5:00 --games 20",
    "  outplay match othello alpha-beta mcts --nodes 20000 --openings 6 --balanced 4 --every 20",
    '  outplay match connect-four human "alpha-beta(level=4)" --games 2 --clock 5:00',
    "  outplay match chess uci:stockfish alpha-beta --openings 8moves.pgn --opening-plies 8 --record games.pgn",
    '  outplay match chess "alpha-beta(seconds=0.5)" "uci:stockfish(UCI_Elo=2000, seconds=0.5)"',
    "A player is a search with its limits and options, random, book:FILE, strategy:FILE, my_bot.py:Bot, or human,",
    "who types moves here; NAME=PLAYER gives it a name. What nothing limits has 0.1 s for each move.",
    "Other programs: uci:COMMAND, gtp:, cecp:, nboard:, hub:, external:gnubg, openspiel:mcts.",
    "Each opening is played with all seats exchanged. With --elo1, the match ends as soon as it is decided (SPRT).",
    "More players than seats: outplay tournament.",
)


def match(
    game: GameName,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="As many players as the game has.")],
    games: Annotated[int, typer.Option(metavar="N", min=1, help="The maximum number of games.")] = 100,
    seconds: contest.Seconds = None,
    clock: contest.GameClock = None,
    nodes: contest.Nodes = None,
    depth: contest.Depth = None,
    simulations: contest.Simulations = None,
    openings: contest.Openings = None,
    opening_plies: contest.OpeningPlies = None,
    balanced: contest.Balanced = None,
    elo1: Annotated[
        float | None, typer.Option(metavar="ELO", help="End the match once it shows this gain of the first player.")
    ] = None,
    elo0: Annotated[float, typer.Option(metavar="ELO", help="…or that it has only this one.")] = 0.0,
    alpha: Annotated[float, typer.Option(metavar="P", help="The risk to find a gain where there is none.")] = 0.05,
    beta: Annotated[float, typer.Option(metavar="P", help="The risk to miss a gain.")] = 0.05,
    scale: Annotated[str, typer.Option(metavar="SCALE", help="The Elo of both: logistic or normalized.")] = "logistic",
    resign: contest.Resign = None,
    draw: contest.Draw = None,
    proved: contest.Proved = False,
    table: contest.TableFile = None,
    luck: Annotated[
        bool, typer.Option("--luck", help="Also show the mean utility less the luck with dice and cards.")
    ] = False,
    max_plies: contest.MaxPlies = 2000,
    workers: Workers = None,
    cluster: Cluster = None,
    record: contest.Record = None,
    resume: contest.Resume = False,
    event: contest.Event = "",
    every: contest.Every = None,
    seed: contest.Seed = None,
    as_json: Json = False,
) -> None:
    """Play many games between players, and show who is stronger, by how much, and how sure that is."""
    from outplay.arena.match import Match
    from outplay.arena.sequential import SequentialTest
    from outplay.cli.match_display import MatchDisplay

    contest.check_record(record, resume)
    rules = load_checked(game)
    test = None if elo1 is None else SequentialTest(elo0, elo1, alpha, beta, scale)  # type: ignore[arg-type]
    found = Match(
        rules,
        contest.players_of(players, workers, cluster),
        games=games,
        openings=contest.openings_of(rules, openings, opening_plies, balanced),
        terms=contest.terms_of(rules, seconds, clock, max_plies, resign, draw, proved, table, luck),
        test=test,
        seed=contest.seed_of(seed, record, resume),
        limit=contest.limit_of(nodes, depth, simulations),
        event=event,
    )
    display = MatchDisplay(found, every)
    contest.play_on(found, display, record, resume, workers, cluster)
    display.print_json() if as_json else display.print()
    if display.stopped:
        raise typer.Exit(INTERRUPTED)
