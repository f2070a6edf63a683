"""`outplay solve`: the exact value of a game, and its size."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.analyse import answer, is_over, show_state, table, work
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import (
    Algorithm,
    BookFile,
    GameName,
    Json,
    Moves,
    SearchOptions,
    State,
    TableMb,
    Threads,
    check_file,
)
from outplay.cli.output import complain, live, live_search, print_json, say, short, stdout
from outplay.cli.saving import not_saved, saved
from outplay.cli.searchers import searcher_for
from outplay.cli.start import load_checked, play_moves
from outplay.session.algorithms import suited
from outplay.session.searchers import OWN
from outplay.session.survey import goes_in_circles

if TYPE_CHECKING:
    from outplay.engine.searcher import Searcher
    from outplay.proofs import Proof
    from outplay.rules.game import Game

PROVING = ("alpha-beta", "mtdf", "minimax", "proof-number", "mcts")
"""The algorithms whose exact values --proof proves."""
ENDING = ("minimax", "proof-number", "mcts")
"""Those that need play to come to an end."""
EXAMPLES = (
    "Examples:",
    "  outplay solve tic-tac-toe --count",
    '  outplay solve "connect-four(width=6, height=5)" --table-mb 500',
    '  outplay solve my_game.py:MyGame --moves "b2 a1" --json',
    "  outplay solve my_dice_game.py --algorithm mcts",
    '  outplay solve "connect-four(width=5, height=4)" --proof four.proof',
    "  outplay solve connect-four --table-mb 2000 --save four.solve --resume",
    "Without --algorithm, methods that suit the game take turns; a line says why.",
    "The file of --save is removed when the game is solved.",
    "Ctrl-C prints what was found so far; exit code 130. Not solved 1, not saved 2.",
)


def solve(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    algorithm: Algorithm = None,
    table_mb: TableMb = None,
    memory_mb: Annotated[
        float | None,
        typer.Option(
            metavar="MB",
            min=1,
            help="Megabytes for a table or a graph of all states, if one is made.",
            show_default="2048, or half of the memory",
        ),
    ] = None,
    threads: Threads = 1,
    book: BookFile = None,
    settings: SearchOptions = None,
    count: Annotated[bool, typer.Option("--count", help="Count the game tree and the positions too.")] = False,
    proof: Annotated[
        Path | None, typer.Option("--proof", metavar="FILE", help="Write a proof that outplay verify checks.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Save the search every minute and on Ctrl-C, to go on later."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the file of --save, if there is one.")] = False,
    json: Json = False,
) -> None:
    """Find the exact value, however long it takes; with hidden information, that of an equilibrium."""
    if proof is not None and state is not None:
        raise typer.BadParameter("--proof goes with --moves, not with --state")
    check_file("--proof", proof)
    check_saving(save, resume, book, proof, algorithm)
    rules = load_checked(game)
    if proof is not None:
        check_provable(rules, moves, algorithm)
    states, names = play_moves(rules, moves, state)
    chosen = algorithm or ("alpha-beta" if proof else suited(rules, solving=True))
    picks = algorithm is None and proof is None and not settings and chosen != "mcts"
    keeps = picks or proof is not None or save is not None
    searcher = searcher_for(rules, chosen, table_mb, book, threads, reuse=keeps, evaluation=OWN, settings=settings)
    circles = proof is not None and algorithm in (None, *ENDING) and goes_in_circles(rules, states[-1]) is not None
    if circles and algorithm is not None:
        raise typer.BadParameter(
            f"--proof with {algorithm}: play goes in circles here, where {algorithm} may never end; without"
            " --algorithm, a table of all states is made"
        )
    if circles:
        searcher = with_table(searcher, states[-1])
    free = algorithm is None and not settings and book is None and threads == 1 and not rules.repetition
    asks = proof is not None and free and not circles and not rules.is_terminal(states[-1])
    reasons: tuple[str, ...] = ()
    unsaved = ""
    made: Proof | None = None
    if asks:
        told: list[str] = []

        def choose(reason: str) -> None:
            told.append(reason)
            if not json:
                complain("Method", "bold", reason)

        made = proved(rules, states, names, table_mb, choose=choose)
        reasons = tuple(told)
        if made is None:
            complain("No proof", "bold red", f"it was interrupted; {proof} was not written")
            raise typer.Exit(INTERRUPTED)
    with live_search() as progress:
        if made is not None:
            assert made.analysis is not None
            analysis = made.analysis
        elif picks or save is not None:
            from outplay.session.solver import Solver

            solved = Solver(rules, first=searcher, memory_mb=memory_mb, alone=not picks).solve(
                states[-1],
                previous_states=states[:-1],
                progress=progress,
                explain=None if json else lambda reason: complain("Method", "bold", reason),
                save_to=save,
                resume=resume,
            )
            analysis, reasons, unsaved = solved.analysis, solved.reasons, solved.not_saved
        else:
            analysis = searcher.search(states[-1], previous_states=states[:-1], progress=progress)
    tree = None
    if count and analysis.stopped != "interrupted":
        from outplay.search.count import count_tree

        with live("compiling the count…") as show:
            tree = count_tree(
                rules,
                states[-1],
                progress=lambda so_far: show(f"{short(so_far.positions)} positions, {so_far.seconds:.1f} s"),
            )

    if proof is not None and analysis.exact and made is None:
        assert analysis.values is not None
        made = proved(rules, states, names, table_mb, searcher, analysis.values[0])

    is_written = proof is not None and made is not None and saved(partial(made.save, proof))
    if json:
        print_json(
            {
                "moves": names,
                **analysis.as_dict(),
                "reasons": list(reasons),
                **({"count": tree.as_dict()} if tree else {}),
            }
        )
    else:
        show_state(analysis, names)
        say(answer(analysis))
        if analysis.equilibrium:
            say()
            stdout().print(table(analysis))
        elif analysis.line:
            say(f"Best line: {analysis.line_text()}")
        if not is_over(analysis):
            say(work(analysis), "dim")
        if tree:
            say(f"\nBelow this state: {tree}")
        if tree and tree.complete:
            say(f"Positions at each ply: {' '.join(f'{there:,}' for there in tree.by_ply)}")
        if made is not None and proof is not None and is_written:
            say(f"Proof in {proof}: {made.states:,} states, {proof.stat().st_size:,} bytes")
    fails = proof is not None and made is None
    if fails:
        why = "it was interrupted" if analysis.exact else "the value is not exact"
        complain("No proof", "bold red", f"{why}; {proof} was not written")
    if unsaved:
        not_saved(unsaved)
    elif save is not None and not analysis.exact:
        complain("Saved", "bold", f"go on from {save} with --resume")
    elif save is not None and not fails:
        from outplay.session.saving import remove_saved

        saved(partial(remove_saved, save))
    if analysis.stopped == "interrupted" or (tree and not tree.complete) or (fails and analysis.exact):
        raise typer.Exit(INTERRUPTED)
    if analysis.stopped or fails:
        raise typer.Exit(1)


def check_saving(save: Path | None, resume: bool, book: str | None, proof: Path | None, algorithm: str | None) -> None:
    """Raise an error for options that do not go with --save."""
    if save is None:
        if resume:
            raise typer.BadParameter("--resume goes with --save FILE, the file to go on from")
        return
    if book is not None:
        raise typer.BadParameter("--save goes without --book: what is found holds only with this book")
    if proof is not None and algorithm is None:
        raise typer.BadParameter("--save and --proof need --algorithm: alpha-beta, mtdf or proof-number")
    check_file("--save", save)


def check_provable(game: "Game", moves: str, algorithm: str | None) -> None:
    """Raise an error, before any work, if --proof does not suit the game or the other options."""
    from outplay.proofs.proof import check_suits

    check_suits(game, moves.split())
    if algorithm not in (None, *PROVING):
        raise typer.BadParameter(f"--proof is for {', '.join(PROVING)}: {algorithm} makes no proofs")
    if game.repetition and algorithm not in (None, "alpha-beta", "mtdf"):
        raise typer.BadParameter(f"--proof with {algorithm} is for games without repetition: use alpha-beta")


def with_table(searcher: "Searcher", state: Any) -> "Searcher":
    """A searcher that knows all states after `state`: where play goes in circles, alpha-beta alone may never end."""
    from outplay import Tablebase

    with live("play goes in circles: making a table of all states…") as show:
        table = Tablebase.make(
            searcher.game, [state], progress=lambda what, done, found: show(f"{what}: {done:,} of {found:,} states")
        )
    if table is None:
        raise typer.Exit(INTERRUPTED)
    return replace(searcher, books=(*searcher.books, table))


def proved(
    game: "Game",
    states: list[Any],
    names: list[str],
    table_mb: float | None,
    searcher: "Searcher | None" = None,
    value: float | None = None,
    choose: Callable[[str], None] | None = None,
) -> "Proof | None":
    """A proof of the value that was found, or that is found by questions; None if Ctrl-C stopped it."""
    from outplay.proofs import Proof

    actions = [game.parse_action(before, name) for before, name in zip(states, names, strict=False)]
    with live("proving…") as show:
        return Proof.make(
            game, actions, searcher=searcher, value=value, table_mb=64 if table_mb is None else table_mb,
            progress=lambda done: show(f"proving: {done:,} states" if done else "solving…"), choose=choose,
        )  # fmt: skip
