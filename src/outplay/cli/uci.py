"""`outplay uci`: an engine for the GUIs of chess and its variants, and for any game of two players."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import Annotated

import typer

from outplay.cli.line_engines import EngineAlgorithm, run_engine
from outplay.cli.options import GameName, SearchOptions
from outplay.cli.searchers import one_of

EXAMPLES = (
    "Examples:",
    "  outplay uci chess",
    "  outplay uci breakthrough",
    "  outplay uci xiangqi --dialect ucci",
    "  outplay uci my_game.py",
    "  printf 'position startpos moves e2e4\\ngo movetime 500\\n' | outplay uci chess",
    "outplay uci chess is the command to enter in Cute Chess, Arena, Banksia, Nibbler",
    "or En Croissant as an engine. For an absolute path: which outplay. A match:",
    "  fastchess -engine cmd=outplay args='uci chess' name=outplay \\",
    "    -engine cmd=stockfish name=stockfish option.UCI_LimitStrength=true \\",
    "    -each tc=10+0.1 -games 20",
    "Options such as Hash, Threads, MultiPV and UCI_Elo are set by the GUI. UCI_Elo is",
    "above random moves, as in outplay play --elo.",
)
NAMES = ("uci", "ucci", "usi", "cyclone")


def read_dialect(text: str) -> str:
    """The name of a dialect."""
    return one_of(text, list(NAMES))


def uci(
    game: GameName,
    dialect: Annotated[
        str,
        typer.Option(metavar="NAME", parser=read_dialect, help=f"{', '.join(NAMES)}: the last three for Xiangqi."),
    ] = "uci",
    algorithm: EngineAlgorithm = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The seed of weaker play by UCI_Elo.")] = 0,
    settings: SearchOptions = None,
) -> None:
    """Play by the Universal Chess Interface, for GUIs and matches."""
    from outplay.protocols.uci.xiangqi import DIALECTS

    run_engine(DIALECTS[dialect], game, algorithm, settings, seed)
