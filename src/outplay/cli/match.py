"""`outplay match`: many games between players, and what they say about their strength."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.options import GameName, Json
from outplay.cli.output import say
from outplay.cli.play import read_clock
from outplay.cli.start import load_checked
from outplay.engine.clock import Clock
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game

if TYPE_CHECKING:
    from outplay.arena.match import Match
    from outplay.arena.openings import ListedOpenings, RandomOpenings

EXAMPLES = (
    "Examples:",
    '  outplay match connect-four "alpha-beta(depth=6)" "mcts(simulations=2000)"',
    '  outplay match tic-tac-toe random "alpha-beta(depth=2)" --games 200 --workers 2',
    '  outplay match othello "mcts(rave=true)" mcts --seconds 0.1 --elo1 20 --record rave.jsonl',
    "  outplay match my_game.py my_bot.py:Bot alpha-beta --clock 0:10+0.1",
    "  outplay match chess alpha-beta mcts --openings lines.txt --seconds 0.2 --resign 0.9",
    '  outplay match chess "alpha-beta(seconds=0.5)" "uci:stockfish(UCI_Elo=2000, seconds=0.5)"',
    "A player is a search with its limits and options, random, book:FILE, strategy:FILE or my_bot.py:Bot.",
    "Other programs are named by their protocol: uci:COMMAND, gtp:, cecp:, nboard:, external:gnubg, openspiel:mcts.",
    "Each opening is played with all seats exchanged. With --elo1, the match ends as soon as it is decided (SPRT).",
)


def read_openings(text: str) -> "RandomOpenings | ListedOpenings":
    """The value of `--openings`: a number of random moves, or a file."""
    from outplay.arena.openings import ListedOpenings, RandomOpenings

    if text.isdecimal():
        return RandomOpenings(int(text))
    try:
        return ListedOpenings.load(text)
    except OutplayError as error:
        raise typer.BadParameter(str(error)) from None


def match(
    game: GameName,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="As many players as the game has.")],
    games: Annotated[int, typer.Option(metavar="N", min=1, help="The maximum number of games.")] = 100,
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
            show_default="2, or 0 with chance or hidden information",
        ),
    ] = None,
    elo1: Annotated[
        float | None, typer.Option(metavar="ELO", help="End the match once it shows this gain of the first player.")
    ] = None,
    elo0: Annotated[float, typer.Option(metavar="ELO", help="…or that it has only this one.")] = 0.0,
    alpha: Annotated[float, typer.Option(metavar="P", help="The risk to find a gain where there is none.")] = 0.05,
    beta: Annotated[float, typer.Option(metavar="P", help="The risk to miss a gain.")] = 0.05,
    scale: Annotated[str, typer.Option(metavar="SCALE", help="The Elo of both: logistic or normalized.")] = "logistic",
    resign: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="End games that both see this far on the way to a loss, such as 0.9."),
    ] = None,
    draw: Annotated[
        float | None, typer.Option(metavar="SHARE", help="End games that both see this near a draw, such as 0.05.")
    ] = None,
    proved: Annotated[bool, typer.Option("--proved", help="End games whose value both have proved.")] = False,
    table: Annotated[Path | None, typer.Option(metavar="FILE", help="End games whose value this table knows.")] = None,
    max_plies: Annotated[int, typer.Option(metavar="N", min=1, help="A longer game is a draw.")] = 2000,
    workers: Annotated[int, typer.Option(metavar="N", min=1, help="Play on this number of processes.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Play on this Ray cluster; auto: the one of this machine.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all games to this file, as JSON lines.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the match in --record.")] = False,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same match.")] = 0,
    as_json: Json = False,
) -> None:
    """Play many games between players, and show who is stronger, by how much, and how sure that is."""
    from outplay.arena.match import Match
    from outplay.arena.openings import RandomOpenings
    from outplay.arena.referee import Terms
    from outplay.arena.sequential import SequentialTest
    from outplay.cli.match_display import Display

    rules = load_checked(game)
    if resume and record is None:
        raise typer.BadParameter("--resume goes on with the match in a file: name it with --record")
    test = None if elo1 is None else SequentialTest(elo0, elo1, alpha, beta, scale)  # type: ignore[arg-type]
    found = Match(
        rules,
        tuple(players),
        games=games,
        openings=openings or RandomOpenings(),
        terms=Terms(seconds, clock, max_plies, _adjudication(rules, resign, draw, proved, table)),
        test=test,
        seed=seed,
    )
    display = Display(found)
    _play(found, display, record, resume, workers, cluster)
    display.print_json() if as_json else display.print()


def _adjudication(game: Game, resign: float | None, draw: float | None, proved: bool, table: Path | None) -> Any:
    from outplay.arena.adjudication import Adjudication
    from outplay.tables.tablebase import Tablebase

    look_up = None if table is None else Tablebase.load(table, game)
    return Adjudication(resign=resign, draw=draw, proved=proved, table=look_up)


def _play(found: "Match", display: Any, record: Path | None, resume: bool, workers: int, cluster: str | None) -> None:
    """Play until the match is over or decided, or Ctrl-C."""
    from contextlib import ExitStack, closing

    from outplay.arena.log import MatchLog

    with ExitStack() as stack:
        log = None if record is None else stack.enter_context(MatchLog(record, found, resume=resume))
        for each in log.rounds if log else ():
            display.add(each)
        stack.enter_context(display)
        if display.is_decided:
            return
        done = [each.number for each in log.rounds] if log else []
        watch = display.watch if workers == 1 and cluster is None else None
        rounds = stack.enter_context(closing(found.run(workers=workers, cluster=cluster, done=done, watch=watch)))
        try:
            for each in rounds:
                if log:
                    log.add(each)
                display.add(each)
                if display.is_decided:
                    break
        except KeyboardInterrupt:
            display.stopped = True
    if display.stopped and not display.score.games:
        say("interrupted before the first round was over")
