"""`outplay xboard`: an engine for XBoard and WinBoard."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from outplay.cli.line_engines import EngineAlgorithm, run_engine
from outplay.cli.options import GameName, SearchOptions

EXAMPLES = (
    "Examples:",
    "  outplay xboard chess",
    "  outplay xboard xiangqi",
    'xboard -fcp "outplay xboard chess" starts XBoard with it.',
)


def xboard(game: GameName, algorithm: EngineAlgorithm = None, settings: SearchOptions = None) -> None:
    """Play by the Chess Engine Communication Protocol, for GUIs."""
    from outplay.protocols.cecp.engine import CecpEngine

    run_engine(CecpEngine, game, algorithm, settings)
