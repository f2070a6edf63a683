"""The games that come with outplay, one file each. They use nothing that a game of your own could not use."""

from outplay.game import Game
from outplay.games.backgammon import Backgammon
from outplay.games.breakthrough import Breakthrough
from outplay.games.chess import Chess
from outplay.games.connect_four import ConnectFour
from outplay.games.domineering import Domineering
from outplay.games.dots_and_boxes import DotsAndBoxes
from outplay.games.draughts import EnglishDraughts, InternationalDraughts
from outplay.games.explicit_tree import ExplicitTree
from outplay.games.go import Go, SuperkoGo
from outplay.games.hex import Hex
from outplay.games.kalah import Kalah
from outplay.games.mnk import MNK, Gomoku, TicTacToe
from outplay.games.nim import Nim
from outplay.games.nine_mens_morris import NineMensMorris
from outplay.games.othello import Othello
from outplay.games.oware import Oware
from outplay.games.xiangqi import Xiangqi

__all__ = [
    "BUILT_IN",
    "MNK",
    "Backgammon",
    "Breakthrough",
    "Chess",
    "ConnectFour",
    "Domineering",
    "DotsAndBoxes",
    "EnglishDraughts",
    "ExplicitTree",
    "Go",
    "Gomoku",
    "Hex",
    "InternationalDraughts",
    "Kalah",
    "Nim",
    "NineMensMorris",
    "Othello",
    "Oware",
    "SuperkoGo",
    "TicTacToe",
    "Xiangqi",
]

BUILT_IN: dict[str, type[Game]] = {
    "backgammon": Backgammon,
    "breakthrough": Breakthrough,
    "chess": Chess,
    "connect-four": ConnectFour,
    "domineering": Domineering,
    "dots-and-boxes": DotsAndBoxes,
    "english-draughts": EnglishDraughts,
    "explicit-tree": ExplicitTree,
    "go": Go,
    "gomoku": Gomoku,
    "hex": Hex,
    "international-draughts": InternationalDraughts,
    "kalah": Kalah,
    "mnk": MNK,
    "nim": Nim,
    "nine-mens-morris": NineMensMorris,
    "othello": Othello,
    "superko-go": SuperkoGo,
    "oware": Oware,
    "tic-tac-toe": TicTacToe,
    "xiangqi": Xiangqi,
}
"""The built-in games by the names that the command line knows them by."""
