"""`outplay equilibrium`: Nash equilibria of games with hidden information."""

from pathlib import Path
from typing import Annotated

import typer

from outplay.cli.equilibrium_display import LINES
from outplay.cli.equilibrium_task import MAX_STEPS, TREELESS, USUAL, EquilibriumTask
from outplay.cli.options import PNG, GameName, Json
from outplay.cli.output import print_json
from outplay.cli.searchers import one_of
from outplay.session.algorithms import SOLVERS

EXAMPLES = (
    "Examples:",
    "  outplay equilibrium kuhn-poker",
    "  outplay equilibrium leduc-poker --seconds 20 --player 0 --lines 100",
    "  outplay equilibrium leduc-poker --algorithm cfr+ --exploitability 0.001",
    "  outplay equilibrium leduc-poker --algorithm lp         exactly",
    "  outplay equilibrium leduc-poker --state leduc.npz --seconds 60   (and again)",
    "  outplay equilibrium kuhn-poker --save kuhn.json",
    "  outplay equilibrium kuhn-poker --load kuhn.json        how good is that?",
    "  outplay equilibrium 'dark-hex(4)' --no-tree --algorithm outcome",
    "  outplay equilibrium game.efg                           a file of Gambit's",
    "  outplay equilibrium game.nfg --svg table.svg           a matrix game",
    '  outplay equilibrium "matrix([[1, -1], [-1, 1]])"       one written here',
    "A matrix game for two, of up to 10 actions each, is shown with all equilibria;",
    "with --algorithm, limits or --player it is solved as other games are.",
    "  outplay equilibrium kuhn-poker --svg tree.svg          a picture",
    "  outplay equilibrium kuhn-poker --iterations 50 --html cfr.html",
    "  outplay equilibrium my_game.py --efg my_game.efg       and one for Gambit",
    "Ctrl-C prints and saves what was found so far; exit code 130. Not as close as",
    "--exploitability asks: 1.",
)


def read_name(text: str) -> str:
    """The name of an algorithm, in lower or upper case."""
    return one_of(text, list(SOLVERS))


# One parameter for each option: Typer reads the options of a command from its signature.
def equilibrium(
    game: GameName,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            parser=read_name,
            help="; ".join(f"{solver.name}: {solver.purpose}" for solver in SOLVERS.values())
            + f".  [default: {USUAL}; with --no-tree: {TREELESS[0]}]",
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The maximum number of further iterations.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=0,
            help="The maximum time.  [default: 10, or until the exploitability is a ten-millionth of the stakes]",
        ),
    ] = None,
    exploitability: Annotated[
        float | None,
        typer.Option(
            metavar="X", min=0, help="Stop when the players could gain at most this by deviating, on average."
        ),
    ] = None,
    player: Annotated[
        int | None, typer.Option(metavar="P", min=0, help="Print the strategy of this player only.")
    ] = None,
    lines: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help=f"The number of information sets to print for each player; 0: all.  [default: {LINES}]",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Save the strategy as JSON or, if the name ends with .npz, in a compact form."
        ),
    ] = None,
    load: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Evaluate this saved strategy instead of computing one.")
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the solver's state in this file, and continue from it if it exists."),
    ] = None,
    efg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the game in Gambit's .efg format.")] = None,
    svg: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.svg",
            help="Draw the tree of the game with the probabilities of the strategy, as far as 250 nodes reach; of an"
            " .nfg file, the table of payoffs.",
        ),
    ] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE.png", help=PNG)] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help=f"Write a page that shows the first {MAX_STEPS} iterations of CFR one by one, with regrets.",
        ),
    ] = None,
    no_tree: Annotated[
        bool,
        typer.Option(
            "--no-tree",
            help="Do not unroll the game, which may be too large: only sample it, with external or outcome. The"
            " exploitability is then not known.",
        ),
    ] = False,
    memory_mb: Annotated[
        float,
        typer.Option(metavar="MB", min=1, help="The maximum memory for the tree or, with --no-tree, for the strategy."),
    ] = 4096,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set an option of the algorithm, as in --set gamma=3; can be repeated.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Find a Nash equilibrium of a game with hidden information, such as poker; of a small matrix game, all."""
    task = EquilibriumTask.begin(
        game, algorithm=algorithm, iterations=iterations, seconds=seconds, exploitability=exploitability,
        player=player, lines=lines, save=save, load=load, state=state, efg=efg, svg=svg, png=png, html=html,
        no_tree=no_tree, memory_mb=memory_mb, settings=settings,
    )  # fmt: skip
    task.solve()
    if json:
        print_json(task.as_dict())
    else:
        task.show()
    if code := task.exit_code():
        raise typer.Exit(code)
