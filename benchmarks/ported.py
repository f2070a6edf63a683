"""Games that come with easyAI, with only the class they derive from changed: random games and simulations, compiled.

The source of each game is read from the installed package. A class, `Port`, says how outplay asks it;
its states are the objects of the author's class, copied before each move. Three of easyAI's games are left out: two
have lists as moves or add tuples to arrays, which does not compile, and one is a variant of another.
"""

import re
from collections.abc import Callable, Iterator
from inspect import getsource
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common import INSTALL, Plan, Row, compare, same
from benchmarks.peers import EasyAI, Interpreted
from outplay import MCTS, Game, Limit, perft
from outplay.compile.kernels import runs_compiled
from outplay.compile.random_numbers import new_random
from outplay.compile.report import play
from outplay.rules.numbered import numbered
from outplay.session.load import load_game

GAMES = {
    "Awele": "lose", "Chopsticks": "lose", "ConnectFour": "lose", "Cram": "lose", "GameOfBones": "win",
    "Hexapawn": "lose", "Knights": "lose", "Nim": "win", "TicTacToe": "lose",
}  # fmt: skip
"""The games, and the method that says at the end whether the player to move has lost or won."""
HEAD = '''
import copy
from outplay import Game


class TwoPlayerGame:
    """What easyAI's class of this name gives to games."""

    @property
    def opponent_index(self):
        return 2 if self.current_player == 1 else 1

    @property
    def player(self):
        return self.players[self.current_player - 1]

    @property
    def opponent(self):
        return self.players[self.opponent_index - 1]

    def copy(self):
        return copy.deepcopy(self)

    def switch_player(self):
        self.current_player = self.opponent_index


class Player:
    pass
'''
PORT = """

class Port(Game):
    def initial_state(self):
        return {name}([Player(), Player()])

    def to_move(self, state):
        return state.current_player - 1

    def actions(self, state):
        return state.possible_moves()

    def result(self, state, action):
        after = copy.deepcopy(state)
        after.make_move(action)
        after.switch_player()
        return after

    def is_terminal(self, state):
        return state.is_over()

    def utility(self, state, player):
        if not state.{ending}():
            return 0
        return {worth} if player == state.current_player - 1 else -{worth}
"""
DEPTH = 3
"""The plies to which both count positions, to show that they play the same game."""


def ported(easy: EasyAI, name: str, folder: Path) -> Game:
    """The game of this name, as a `Game` in a file of this folder."""
    text = getsource(easy.module(name)).partition("\nif __name__")[0]
    text = re.sub(r"try:\n    (import numpy as np)\n(?s:.*?)\n\n", r"\1\n\n", text, count=1)
    text = re.sub(r"^from easyAI.*\n", "", text, flags=re.MULTILINE)
    port = PORT.format(name=name, ending=GAMES[name], worth={"lose": -1, "win": 1}[GAMES[name]])
    path = folder / f"ported_{name.lower()}.py"
    path.write_text(HEAD + text + port, encoding="utf-8")
    return load_game(f"{path}:Port")


def rows(plan: Plan) -> Iterator[Row]:
    """Plies of random games against the author's own game and against the same port, interpreted; then simulations."""
    try:
        easy = EasyAI()
    except ImportError:
        yield Row(what="games of easyAI", peer=EasyAI.name, note=INSTALL)
        return
    with TemporaryDirectory() as folder:
        for name in GAMES:
            yield from _of_game(plan, name, ported(easy, name, Path(folder)), easy)


def _of_game(plan: Plan, name: str, game: Game, easy: EasyAI) -> Iterator[Row]:
    few, many = (5, 500) if plan.quick else (20, 5000)
    lines = easy.perft(easy.new(name), DEPTH)
    words = same(perft(game, DEPTH).lines, lines, f"{lines:,} lines of {DEPTH} plies")
    numbered_game = numbered(game)
    state, random = numbered_game.initial_state(), new_random(1)
    run = play.prepare(numbered_game, state, random, 1)
    assert runs_compiled(numbered_game), name
    row = Row(what=f"{name} of easyAI, unchanged: random games", unit="plies/s")

    def compiled() -> int:
        plies: int = run(numbered_game, state, random, many)
        return plies

    def interpreted(_: Interpreted) -> int:
        plies: int = play.interpreted(numbered_game, state, random, few)
        return plies

    def agree(*_: int) -> str:
        return words

    compiled()
    yield compare(plan, row, compiled, EasyAI, lambda peer: peer.random_games(name, few), agree, float)
    yield compare(plan, row, compiled, Interpreted, interpreted, agree, float)
    row = Row(what=f"{name} of easyAI, unchanged: Monte Carlo tree search", unit="simulations/s")
    slow = _simulations(_interpreted(game), 10 * few)
    yield compare(plan, row, _simulations(game, 10 * many), Interpreted, lambda _: slow(), agree, float)


def _interpreted(game: Game) -> Game:
    values = {"compiled": False, "__module__": type(game).__module__}
    interpreted_game: Game = type("Interpreted", (type(game),), values)()
    return interpreted_game


def _simulations(game: Game, number: int) -> Callable[[], int]:
    """A search with this number of simulations; it returns the number."""
    searcher = MCTS(game, seed=1, solver=False)
    searcher.search(limit=Limit(simulations=1))  # compiles
    return lambda: searcher.search(limit=Limit(simulations=number)).simulations or 0
