"""`outplay learn`: learn an evaluation of a game from its rules alone."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import GameName, Json, check_file
from outplay.cli.output import live, print_json, say
from outplay.cli.saving import not_saved, saved
from outplay.cli.start import load_checked
from outplay.rules.game import Game
from outplay.session.searchers import learned_file
from outplay.system.files import write_file

if TYPE_CHECKING:
    from outplay.learning.plan import Plan
    from outplay.learning.progress import Check, Learned, Progress
    from outplay.pictures.show import BoardPicture

FIRST_GAMES, POSITIONS = 2000, 100_000
EXAMPLES = (
    "Examples:",
    "  outplay learn my_game.py --minutes 20",
    "  outplay learn othello --to othello.learned --workers 2",
    "  outplay learn othello --to othello.learned --workers 2 --resume",
    "  outplay learn chess --layout --svg chess.svg",
    "  outplay learn othello --export othello.parquet --positions 200000 --nodes 500",
    "  outplay analyse othello --evaluation othello.learned --seconds 1",
    '  outplay match othello "alpha-beta(evaluation=othello.learned)" alpha-beta --seconds 0.1',
    "Ctrl-C keeps the best player so far; exit code 130. --resume goes on later.",
    "Nothing is written unless it is stronger than the search without it.",
)


def learn(
    game: GameName,
    minutes: Annotated[float, typer.Option(metavar="N", min=0.01, help="How long to learn.")] = 60.0,
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Learn from so many games instead: with one worker, a seed gives the same file. With --export, the"
            " games from which it learns before.  [default with --export: 2000]",
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write.  [default: the game with its parameters + .learned]"),
    ] = None,
    workers: Annotated[int, typer.Option(metavar="N", min=1, max=1024, help="The number of threads that play.")] = 1,
    nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="The nodes for a move in the matches that decide.  [default: 1000, or as many as the searches have"
            " that it learns from]  With --export, each position gets the value of a search of so many nodes.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The seed of all random choices.")] = 1,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="patterns|features|network",
            help="patterns: tables of patterns, by self-play. features: the game's own evaluation and features, and"
            " what stands where, fitted to games between searches. network: two layers above, with chance by self-play."
            "  [default: what suits the game, see --layout]",
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an earlier run was stopped.")] = False,
    layout: Annotated[
        bool,
        typer.Option(
            "--layout", help="Only show what was found in the states of random games; --svg draws it on the board."
        ),
    ] = False,
    kilobytes: Annotated[
        float | None, typer.Option(metavar="N", min=1, help="Round the weights until the file has at most N kB.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the strength over time as a picture.")] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Only write positions of self-play, with the symbol at each location, to a .parquet file.",
        ),
    ] = None,
    positions: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="The maximum number of positions for --export.  [default: 100000]"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn an evaluation of a game from its rules alone, by playing."""
    rules = load_checked(game)
    check_file("--svg", svg, ".svg")
    if export is not None:
        if to or resume or layout or svg or kilobytes or learner:
            raise typer.BadParameter(
                "--export only writes positions: leave out --to, --resume, --layout, --svg, --kilobytes and --learner"
            )
        export_positions(rules, export, positions or POSITIONS, games, nodes, seed, as_json)
        return
    if positions is not None:
        raise typer.BadParameter("--positions is for --export: name a file with --export FILE.parquet")
    from outplay.learning.learn import learn
    from outplay.learning.plan import Plan

    if layout:
        plan = Plan.of(rules, seed)
        if svg is not None:
            saved(lambda: layout_picture(rules, plan).save(svg), svg)
        print_json(plan.describe()) if as_json else print_layout(rules, plan)
        return
    file = to or Path(learned_file(rules).name)
    check_file("--to", file)
    shown_checks: list[Check] = []
    with live("looking at random games…") as show:

        def watch(progress: "Progress") -> None:
            show(in_words(progress))
            for check in progress.checks[len(shown_checks) :]:
                shown_checks.append(check)
                if not as_json:
                    say(row(check))

        learned = learn(
            rules,
            minutes=minutes,
            games=games,
            to=file,
            workers=workers,
            nodes=nodes,
            learner=learner,
            kilobytes=kilobytes,
            seed=seed,
            resume=resume,
            watch=watch,
        )
    if svg is not None:
        saved(lambda: write_file(svg, learned.picture().encode()), svg)
    if learned.problem:
        not_saved(learned.problem)
    if as_json:
        print_json({**learned.as_dict(), "file": None if learned.evaluation is None else str(file)})
    else:
        print_result(learned, file)
    if learned.interrupted:
        raise typer.Exit(INTERRUPTED)


def export_positions(
    game: Game, file: Path, positions: int, games: int | None, nodes: int | None, seed: int, as_json: bool
) -> None:
    """Write positions of self-play to a file, and say how many there are."""
    check_file("--export", file, ".parquet")
    from outplay.learning.positions import check_installed, self_played

    check_installed()
    with live("looking at random games…") as show:
        played = self_played(game, positions, seed=seed, games=games or FIRST_GAMES, nodes=nodes, watch=show)
    is_saved = saved(lambda: played.save(file))
    game_count = len(set(played.games.tolist()))
    if as_json:
        print_json(
            {"game": repr(game), "positions": len(played), "games": game_count, "file": str(file) if is_saved else None}
        )
    else:
        file_text = f"; written to {file}" if is_saved else ""
        cells = len(played.layout.locations)
        say(f"{len(played):,} positions of {game_count:,} games, {cells} locations{file_text}.", "bold")
    if played.interrupted:
        raise typer.Exit(INTERRUPTED)


def in_words(progress: "Progress") -> str:
    """What goes on, in one line."""
    parts = [f"{progress.stage}…", f"{progress.games:,} games"]
    if progress.games_a_second:
        parts.append(f"{progress.games_a_second:,.0f} a second")
    if not math.isnan(progress.error):
        parts.append(f"error {progress.error:.3f}")
    return ", ".join([*parts, f"{progress.done:.0%} done"])


def row(check: "Check") -> str:
    """How strong the player was at some time, in one line."""
    rivals = "; ".join(f"{rival} against {name}" for name, rival in check.rivals.items())
    mark = "accepted: " if check.accepted else ""
    return f"{check.seconds / 60:6.1f} min  {check.games:>11,} games  error {check.error:.3f}  {mark}{rivals}"


def print_result(learned: "Learned", file: Path) -> None:
    """Say what became of it."""
    say()
    if learned.evaluation is None:
        say(f"Nothing is stronger than the search without it, after {learned.games:,} games: {file} was not written.")
        say("More minutes may help, or another --learner.")
        return
    file_text = "" if learned.problem else f"; written to {file}"
    say(f"Learned from {learned.games:,} games in {learned.seconds / 60:.1f} min{file_text}.", "bold")
    if not learned.problem:
        say(f"Play against it with outplay play and --evaluation {file}.")


def print_layout(game: Game, plan: "Plan") -> None:
    """Show the locations by the number of their symbols, the symmetries, the stages and the terms."""
    layout = plan.layout
    symbols = sum(location.symbols for location in layout.locations)
    say(f"{game!r}: {len(layout.locations)} locations with {symbols} symbols", "bold")
    by_symbols: dict[int, list[str]] = {}
    for location in layout.locations:
        by_symbols.setdefault(location.symbols, []).append(location.name)
    for count, names in sorted(by_symbols.items()):
        say(f"  {count:>2} symbols   {' '.join(names)}")
    say(f"symmetries     {len(layout.images)}")
    stages = f"{len(layout.edges) + 1}, by a sum of what is on the board" if layout.edges else "1"
    say(f"stages         {stages}")
    description: dict[str, Any] = plan.describe()
    say(f"learner        {description['learner']}")
    if description["terms"]:
        say(f"terms besides  {', '.join(description['terms'])}")
    if description["score"]:
        say(f"score so far   {description['score']}")
    if description["learner"] == "network" and plan.outcomes:
        say(f"results        {' '.join(f'{outcome:+g}' for outcome in description['outcomes'])}, how likely each is")


def layout_picture(game: Game, plan: "Plan") -> "BoardPicture":
    """The board at the start of a game, with the number of symbols of each location."""
    from outplay.pictures.heat import Heat
    from outplay.pictures.show import show

    symbols: dict[str, int] = {}
    for location in plan.layout.locations:
        symbols[location.name] = symbols.get(location.name, 1) * location.symbols
    text = f"{len(plan.layout.locations)} locations, with so many symbols:"
    return show(game, heat=Heat(symbols, (text,), counts=True))
