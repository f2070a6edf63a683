"""The games that come with outplay, one file each.

They use nothing that your own games could not use.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from outplay import _lazy

if TYPE_CHECKING:
    from outplay.games.backgammon import Backgammon
    from outplay.games.battleship import Battleship
    from outplay.games.breakthrough import Breakthrough
    from outplay.games.chess import Chess
    from outplay.games.chinese_checkers import ChineseCheckers
    from outplay.games.connect_four import ConnectFour
    from outplay.games.dark_hex import DarkHex
    from outplay.games.domineering import Domineering
    from outplay.games.dots_and_boxes import DotsAndBoxes
    from outplay.games.draughts import EnglishDraughts, InternationalDraughts
    from outplay.games.einstein import EinStein
    from outplay.games.explicit_tree import ExplicitTree
    from outplay.games.go import Go, SuperkoGo
    from outplay.games.goofspiel import Goofspiel
    from outplay.games.hex import Hex
    from outplay.games.kalah import Kalah
    from outplay.games.kuhn_poker import KuhnPoker
    from outplay.games.leduc_poker import LeducPoker
    from outplay.games.liars_dice import LiarsDice
    from outplay.games.matching_pennies import MatchingPennies
    from outplay.games.mnk import MNK, Gomoku, ManyPlayerMNK, TicTacToe
    from outplay.games.nim import Nim
    from outplay.games.nine_mens_morris import NineMensMorris
    from outplay.games.othello import Othello
    from outplay.games.oware import Oware
    from outplay.games.pacman import Pacman
    from outplay.games.phantom_tic_tac_toe import PhantomTicTacToe
    from outplay.games.pig import Pig
    from outplay.games.river_poker import RiverPoker
    from outplay.games.rock_paper_scissors import RockPaperScissors
    from outplay.games.twenty_forty_eight import TwentyFortyEight
    from outplay.games.xiangqi import Xiangqi
    from outplay.rules.game import Game

__all__ = [
    "BUILT_IN",
    "MNK",
    "Backgammon",
    "Battleship",
    "Breakthrough",
    "Chess",
    "ChineseCheckers",
    "ConnectFour",
    "DarkHex",
    "Domineering",
    "DotsAndBoxes",
    "EinStein",
    "EnglishDraughts",
    "ExplicitTree",
    "Go",
    "Gomoku",
    "Goofspiel",
    "Hex",
    "InternationalDraughts",
    "Kalah",
    "KuhnPoker",
    "LeducPoker",
    "LiarsDice",
    "ManyPlayerMNK",
    "MatchingPennies",
    "Nim",
    "NineMensMorris",
    "Othello",
    "Oware",
    "Pacman",
    "PhantomTicTacToe",
    "Pig",
    "RiverPoker",
    "RockPaperScissors",
    "SuperkoGo",
    "TicTacToe",
    "TwentyFortyEight",
    "Xiangqi",
]

_NAMES = {
    "2048": "TwentyFortyEight",
    "backgammon": "Backgammon",
    "battleship": "Battleship",
    "breakthrough": "Breakthrough",
    "chess": "Chess",
    "chinese-checkers": "ChineseCheckers",
    "connect-four": "ConnectFour",
    "dark-hex": "DarkHex",
    "domineering": "Domineering",
    "dots-and-boxes": "DotsAndBoxes",
    "einstein": "EinStein",
    "english-draughts": "EnglishDraughts",
    "explicit-tree": "ExplicitTree",
    "go": "Go",
    "gomoku": "Gomoku",
    "goofspiel": "Goofspiel",
    "hex": "Hex",
    "international-draughts": "InternationalDraughts",
    "kalah": "Kalah",
    "kuhn-poker": "KuhnPoker",
    "leduc-poker": "LeducPoker",
    "liars-dice": "LiarsDice",
    "many-player-mnk": "ManyPlayerMNK",
    "matching-pennies": "MatchingPennies",
    "mnk": "MNK",
    "nim": "Nim",
    "nine-mens-morris": "NineMensMorris",
    "othello": "Othello",
    "superko-go": "SuperkoGo",
    "oware": "Oware",
    "pacman": "Pacman",
    "phantom-tic-tac-toe": "PhantomTicTacToe",
    "pig": "Pig",
    "rock-paper-scissors": "RockPaperScissors",
    "river-poker": "RiverPoker",
    "tic-tac-toe": "TicTacToe",
    "xiangqi": "Xiangqi",
}
_MODULES = {
    "Backgammon": "outplay.games.backgammon",
    "Battleship": "outplay.games.battleship",
    "Breakthrough": "outplay.games.breakthrough",
    "Chess": "outplay.games.chess",
    "ChineseCheckers": "outplay.games.chinese_checkers",
    "ConnectFour": "outplay.games.connect_four",
    "DarkHex": "outplay.games.dark_hex",
    "Domineering": "outplay.games.domineering",
    "DotsAndBoxes": "outplay.games.dots_and_boxes",
    "EnglishDraughts": "outplay.games.draughts",
    "InternationalDraughts": "outplay.games.draughts",
    "EinStein": "outplay.games.einstein",
    "ExplicitTree": "outplay.games.explicit_tree",
    "Go": "outplay.games.go",
    "SuperkoGo": "outplay.games.go",
    "Goofspiel": "outplay.games.goofspiel",
    "Hex": "outplay.games.hex",
    "Kalah": "outplay.games.kalah",
    "KuhnPoker": "outplay.games.kuhn_poker",
    "LeducPoker": "outplay.games.leduc_poker",
    "LiarsDice": "outplay.games.liars_dice",
    "MatchingPennies": "outplay.games.matching_pennies",
    "MNK": "outplay.games.mnk",
    "Gomoku": "outplay.games.mnk",
    "ManyPlayerMNK": "outplay.games.mnk",
    "TicTacToe": "outplay.games.mnk",
    "Nim": "outplay.games.nim",
    "NineMensMorris": "outplay.games.nine_mens_morris",
    "Othello": "outplay.games.othello",
    "Oware": "outplay.games.oware",
    "Pacman": "outplay.games.pacman",
    "PhantomTicTacToe": "outplay.games.phantom_tic_tac_toe",
    "Pig": "outplay.games.pig",
    "RiverPoker": "outplay.games.river_poker",
    "RockPaperScissors": "outplay.games.rock_paper_scissors",
    "TwentyFortyEight": "outplay.games.twenty_forty_eight",
    "Xiangqi": "outplay.games.xiangqi",
}

# A game is imported when it is first used: all of them take 0.05 s, which each start of the command would pay.
__getattr__ = _lazy(__name__, _MODULES)


class _BuiltIn(Mapping[str, "type[Game]"]):
    def __getitem__(self, name: str) -> "type[Game]":
        from outplay import games  # noqa: PLC0415 - this package, complete

        game: type[Game] = getattr(games, _NAMES[name])
        return game

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


BUILT_IN: Mapping[str, "type[Game]"] = _BuiltIn()
"""The built-in games, by their names on the command line."""
