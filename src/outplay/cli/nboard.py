"""`outplay nboard`: an engine for the GUIs of Othello."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from outplay.cli.line_engines import EngineAlgorithm, run_engine
from outplay.cli.options import GameName, SearchOptions

EXAMPLES = (
    "Examples:",
    "  outplay nboard othello",
    "  outplay nboard othello --set selective=true",
    "outplay nboard othello is the command to enter in NBoard (Engine, Select Opponent).",
)


def nboard(game: GameName, algorithm: EngineAlgorithm = None, settings: SearchOptions = None) -> None:
    """Play by the NBoard protocol, for GUIs."""
    from outplay.protocols.nboard.engine import NBoardEngine

    run_engine(NBoardEngine, game, algorithm, settings)
