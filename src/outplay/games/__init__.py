"""The games that come with outplay, one file each. They use nothing that a game of your own could not use."""

from outplay.game import Game
from outplay.games.connect_four import ConnectFour
from outplay.games.draughts import EnglishDraughts, InternationalDraughts
from outplay.games.explicit_tree import ExplicitTree
from outplay.games.kalah import Kalah
from outplay.games.mnk import MNK, TicTacToe
from outplay.games.nim import Nim

__all__ = [
    "BUILT_IN",
    "MNK",
    "ConnectFour",
    "EnglishDraughts",
    "ExplicitTree",
    "InternationalDraughts",
    "Kalah",
    "Nim",
    "TicTacToe",
]

BUILT_IN: dict[str, type[Game]] = {
    "connect-four": ConnectFour,
    "english-draughts": EnglishDraughts,
    "explicit-tree": ExplicitTree,
    "international-draughts": InternationalDraughts,
    "kalah": Kalah,
    "mnk": MNK,
    "nim": Nim,
    "tic-tac-toe": TicTacToe,
}
"""The built-in games by the names that the command line knows them by."""
