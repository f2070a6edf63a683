"""`outplay hub`: an engine for the GUIs of international draughts."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from outplay.cli.line_engines import EngineAlgorithm, run_engine
from outplay.cli.options import GameName, SearchOptions

EXAMPLES = (
    "Examples:",
    "  outplay hub international-draughts",
    "outplay hub international-draughts is the command of the engine in Hub's hub.ini.",
)


def hub(game: GameName, algorithm: EngineAlgorithm = None, settings: SearchOptions = None) -> None:
    """Play by the Hub protocol, for GUIs."""
    from outplay.protocols.hub.engine import HubEngine

    run_engine(HubEngine, game, algorithm, settings)
