"""`outplay balance`: a report for designers of games, from games between equal players of growing strength."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outplay.cli import contest
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import Cluster, Csv, GameName, Json, Workers, check_file
from outplay.cli.output import live, print_csv, print_json, say, stdout
from outplay.cli.saving import saved
from outplay.cli.start import load_checked
from outplay.system.files import write_file

if TYPE_CHECKING:
    from outplay.arena.balance import Balance
    from outplay.arena.balance_report import BalanceReport
    from outplay.arena.contest import Round

EXAMPLES = (
    "Examples:",
    "  outplay balance connect-four",
    "  outplay balance my_game.py --seconds 600 --workers 4 --html balance.html",
    "  outplay balance othello --player alpha-beta --vary depth=1..5 --openings 2 --games 200",
    "  outplay balance backgammon --player expectiminimax --vary depth=1..2 --json",
    "  outplay balance chess --seconds 3600 --record chess.jsonl --resume",
    "Without --player, random moves and Monte Carlo tree search play, as strong as the time allows.",
    "With --seed and --games, and without --seconds, the answer is the same every time.",
)
SOLVING = 0.25
"""The part of the time in which the game may be solved."""


def balance(
    game: GameName,
    games: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The number of games of each strength.  [default: 100]")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", min=1, help="How long to play.  [default: 60; without end if --games is given]"),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER", help="Who plays, as in outplay ladder.", show_default="random moves, and mcts or ismcts"
        ),
    ] = None,
    vary: Annotated[
        str | None, typer.Option(metavar="OPTION=VALUES", help="The strengths of PLAYER, as in outplay ladder.")
    ] = None,
    openings: Annotated[int, typer.Option(metavar="N", min=0, help="Begin with so many random moves.")] = 0,
    max_plies: Annotated[int, typer.Option(metavar="N", min=1, help="A longer game is a draw.")] = 2000,
    workers: Workers = None,
    cluster: Cluster = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write each round to this file, of JSON lines.")
    ] = None,
    resume: contest.Resume = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with plots.")] = None,
    seed: contest.Seed = None,
    as_json: Json = False,
    csv: Csv = False,
) -> None:
    """Let equal players of growing strength play, and report how balanced, long, open and deep the game is."""
    from outplay.arena.balance import Balance, strengths_for
    from outplay.arena.naming import PlayerSpec
    from outplay.arena.openings import RandomOpenings
    from outplay.arena.vary import read_vary

    contest.check_record(record, resume)
    rules = load_checked(game)
    check_file("--html", html, ".html")
    if (player is None) != (vary is None):
        raise typer.BadParameter("--player and --vary go together: --player alpha-beta --vary depth=1..4")
    seconds = 60.0 if seconds is None and games is None else seconds
    options = {"games": games or 100, "openings": RandomOpenings(openings), "max_plies": max_plies}
    options["seed"] = contest.seed_of(seed, record, resume)
    Balance(rules, ("random",))  # refuses a puzzle
    if player is not None and vary is not None:
        varied = read_vary(vary)
        texts = ("random", *(str(PlayerSpec.read(player).with_option(varied.option, value)) for value in varied.values))
        labels = ("random", *varied.values)
    elif record is not None and resume and record.exists() and record.stat().st_size:
        texts, labels = strengths_of(record)
    else:
        texts = strengths_for(rules)
        labels = ("random", *(text.partition("=")[2].rstrip(")") for text in texts[1:]))
    study = Balance(rules, texts, labels=labels, grows=player is None, **options)  # type: ignore[arg-type]
    study.check()
    with contest.recorded(study, record, resume) as recorder:
        report = _played(study, seconds, workers, cluster, recorder)
    if report is None:
        say("interrupted before a game was over")
        raise typer.Exit(INTERRUPTED)
    if html is not None:
        from outplay.arena.balance_page import balance_page

        saved(lambda: write_file(html, balance_page(report).encode()), html)
    if csv:
        print_csv(report.as_dict()["strengths"])
    elif as_json:
        print_json({**report.as_dict(), "seed": study.seed})
    else:
        print_report(report, dict(zip(study.names, map(str, study.players), strict=True)))
        contest.say_seed(study.seed)
    if report.interrupted:
        raise typer.Exit(INTERRUPTED)


def strengths_of(record: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The players of a study that is resumed, and their short names: how fast they are may have changed since."""
    from outplay.arena.log import LogError, read_log

    header, _, _ = read_log(record)
    settings = header.get("tournament") or {}
    if settings.get("format") != "balance":
        raise LogError(f"{record} is not the record of a study of balance; name another file")
    return tuple(settings["strengths"]), tuple(header["players"])


def _played(
    study: "Balance", seconds: float | None, workers: int | None, cluster: str | None, recorder: contest.Recorder
) -> "BalanceReport | None":
    """Solve the game if that is quick, and play, with a live line; Ctrl-C keeps what there is."""
    from outplay.arena.balance import Pair, perfect_play
    from outplay.arena.balance_report import BalanceReport

    rounds: list[Pair | Round] = list(recorder.rounds)
    began, solved, stopped = time.monotonic(), None, False

    def time_left() -> str:
        return "" if seconds is None else f", {max(0.0, began + seconds - time.monotonic()):.0f} s left"

    with live("playing…") as show:
        try:
            show("what is perfect play worth?…")
            solved = perfect_play(study.game, None if seconds is None else SOLVING * seconds)
            running = study.run(
                seconds=None if seconds is None else began + seconds - time.monotonic(),
                workers=workers,
                cluster=cluster,
                done=tuple(rounds),
                perfect=None if solved is None else solved.values[0],
            )
            with closing(running) as playing:
                for round_ in playing:
                    recorder.add(round_)
                    rounds.append(round_)
                    place = round_.strength if isinstance(round_, Pair) else study.rung_of(round_)
                    show(f"{2 * len(rounds):,} games, now of strength {study.names[place]}{time_left()}")
        except KeyboardInterrupt:
            stopped = True
    if not any(isinstance(round_, Pair) for round_ in rounds):
        return None
    return BalanceReport.of(study, rounds, time.monotonic() - began, stopped, solved)


def print_report(report: "BalanceReport", players: dict[str, str]) -> None:
    """The report as tables and lines; `players`: what the strengths are called, and their players."""
    from outplay.arena.balance_report import MEANINGS, TITLES
    from outplay.cli.ladder_display import new_table

    table = new_table("", *(strength.name for strength in report.strengths))
    table.add_row("games", *(f"{strength.games:,}" for strength in report.strengths))
    keys = [key for key in TITLES if any(key in strength.figures for strength in report.strengths)]
    for key in keys:
        cells = [strength.figures[key].short() if key in strength.figures else "" for strength in report.strengths]
        table.add_row(TITLES[key], *cells)
    if "first" not in report.strengths[-1].figures:
        for place, seat in enumerate(report.strengths[0].seats):
            table.add_row(seat.name, *(strength.seats[place].short() for strength in report.strengths))
    stdout().print(table)
    names = ", ".join(players[strength.name] for strength in report.strengths)
    say(f"equal players: {names}; with intervals of 95%", "dim")
    say()
    for line in report.conclusions():
        say(line, "bold")
    say()
    for key in keys:
        say(f"{TITLES[key]}: {MEANINGS[key]}", "dim")
    if report.interrupted:
        say("interrupted", "yellow")
