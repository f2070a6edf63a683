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

_GAMES = {
    "2048": ("twenty_forty_eight", "TwentyFortyEight"),
    "backgammon": ("backgammon", "Backgammon"),
    "battleship": ("battleship", "Battleship"),
    "breakthrough": ("breakthrough", "Breakthrough"),
    "chess": ("chess", "Chess"),
    "chinese-checkers": ("chinese_checkers", "ChineseCheckers"),
    "connect-four": ("connect_four", "ConnectFour"),
    "dark-hex": ("dark_hex", "DarkHex"),
    "domineering": ("domineering", "Domineering"),
    "dots-and-boxes": ("dots_and_boxes", "DotsAndBoxes"),
    "einstein": ("einstein", "EinStein"),
    "english-draughts": ("draughts", "EnglishDraughts"),
    "explicit-tree": ("explicit_tree", "ExplicitTree"),
    "go": ("go", "Go"),
    "gomoku": ("mnk", "Gomoku"),
    "goofspiel": ("goofspiel", "Goofspiel"),
    "hex": ("hex", "Hex"),
    "international-draughts": ("draughts", "InternationalDraughts"),
    "kalah": ("kalah", "Kalah"),
    "kuhn-poker": ("kuhn_poker", "KuhnPoker"),
    "leduc-poker": ("leduc_poker", "LeducPoker"),
    "liars-dice": ("liars_dice", "LiarsDice"),
    "many-player-mnk": ("mnk", "ManyPlayerMNK"),
    "matching-pennies": ("matching_pennies", "MatchingPennies"),
    "mnk": ("mnk", "MNK"),
    "nim": ("nim", "Nim"),
    "nine-mens-morris": ("nine_mens_morris", "NineMensMorris"),
    "othello": ("othello", "Othello"),
    "superko-go": ("go", "SuperkoGo"),
    "oware": ("oware", "Oware"),
    "pacman": ("pacman", "Pacman"),
    "phantom-tic-tac-toe": ("phantom_tic_tac_toe", "PhantomTicTacToe"),
    "pig": ("pig", "Pig"),
    "rock-paper-scissors": ("rock_paper_scissors", "RockPaperScissors"),
    "river-poker": ("river_poker", "RiverPoker"),
    "tic-tac-toe": ("mnk", "TicTacToe"),
    "xiangqi": ("xiangqi", "Xiangqi"),
}
"""The module and the class of each game, by its name on the command line."""

# A game is imported when it is first used: all of them take 0.05 s, which each start of the command would pay.
__getattr__, __dir__ = _lazy(__name__, {game: f"outplay.games.{module}" for module, game in _GAMES.values()})


class _BuiltIn(Mapping[str, "type[Game]"]):
    def __getitem__(self, name: str) -> "type[Game]":
        from outplay import games  # noqa: PLC0415 - this package, complete

        game: type[Game] = getattr(games, _GAMES[name][1])
        return game

    def __iter__(self) -> Iterator[str]:
        return iter(_GAMES)

    def __len__(self) -> int:
        return len(_GAMES)


BUILT_IN: Mapping[str, "type[Game]"] = _BuiltIn()
"""The built-in games, by their names on the command line."""


def class_names() -> dict[str, str]:
    """The name of each built-in game on the command line, by the name of its class."""
    return {cls: name for name, (_, cls) in _GAMES.items()}
