"""Rules in a few digits, by which books, tables, records and solvers notice that they belong to other rules."""

import hashlib
import random
import sys
import types
from collections.abc import Callable
from typing import Any

from outplay.compile.fingerprint import Fingerprint, fingerprint_of_game
from outplay.compile.references import behind, names_in, reached
from outplay.rules.base import Rules, attributes
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.keys import state_key
from outplay.rules.numbered import Numbered

SAMPLED_STATES = 128
"""The number of states of random games that go into the hash of the rules."""

VALUING = (
    "players", "teams", "zero_sum", "constant_sum", "repetition",
    "to_move", "actions", "result", "is_terminal", "utility", "probability", "symmetries",
    "state_class", "index_count", "state_index", "indexed_state", "index_player", "index_plies", "index_stage",
    "index_points",
)  # fmt: skip
"""What the value of a state in a table depends on."""


def code_of_values(game: Game) -> str:
    """A hash of the code that the values of states depend on, and of all that it reads; "" if not all can be read.

    The version of Python comes first, since each has its own bytecode. Comments and hints such as `evaluate` do not
    count.
    """
    rules = game.rules if isinstance(game, Numbered) else game
    cls, visited, waiting = type(rules), set[str](), list(VALUING)
    owners = [base for base in cls.__mro__ if base is not cls._contract and base not in Rules.__mro__]
    fingerprint = Fingerprint()
    fingerprint.note(rules)
    while waiting:
        name = waiting.pop(0)
        if name in visited:
            continue
        visited.add(name)
        own = [attributes(rules), *map(vars, owners)]
        for value in [behind(members[name]) for members in own if name in members]:
            fingerprint.text(name)
            fingerprint.add(value)
            if isinstance(value, types.FunctionType):
                waiting += sorted({name for function in reached([value]) for name in names_in(function.__code__)})
    return f"{sys.version_info[0]}.{sys.version_info[1]} {fingerprint}" if fingerprint.complete else ""


class RulesMark:
    """The rules of a game as they are now, for what belongs to them."""

    def __init__(self, game: Game) -> None:
        self.game, self._rules = game, str(fingerprint_of_game(game))

    def check(self, game: Game, what: str, error: type[OutplayError]) -> None:
        """Raise `error` if `game` is another game, or has other rules now. `what` is the thing that belongs to it."""
        if game is not self.game and repr(game) != repr(self.game):
            raise error(f"this is a {what} of {self.game!r}, not of {game!r}: make one of that game")
        rules = fingerprint_of_game(game)
        same = str(rules) == self._rules
        if not same and not (game is self.game or rules.complete):  # what cannot be read may be the same
            same = RulesMark(game).sample() == self.sample()
        if not same:
            raise error(
                f"the rules of {game!r} have changed since this {what} was made: load it again, or make another"
            )

    def text(self) -> str:
        """A text for files, which is the same in each process for the same rules.

        It shows every edit, unless code cannot be read or playing changes the game, such as a memory of its own: then
        only what random games show. Each version of Python has texts of its own.
        """
        sample, rules = self.sample(), fingerprint_of_game(self.game)
        is_fixed = rules.complete and str(rules) == self._rules
        return f"{sample} {sys.version_info[0]}.{sys.version_info[1]}{f' {rules}' if is_fixed else ''}"

    def sample(self, form: Callable[[Any], Any] | None = None) -> str:
        """A hash of what the rules say in some random games. It detects other rules, and is the same in any Python.

        `form(state)` is something else that must be the same, such as how a state is stored.
        """
        game, dice, digest = self.game, random.Random(0), hashlib.blake2b(digest_size=8)  # noqa: S311 - not for secrets
        state = game.initial_state()
        for _ in range(SAMPLED_STATES):
            key, over = state_key(game, state), bool(game.is_terminal(state))
            mover = None if over else int(game.to_move(state))
            actions = [] if over else sorted(map(int, legal_actions(game, state)))
            ends = [float(game.utility(state, player)) for player in range(game.players)] if over else []
            chances = [float(game.probability(state, action)) for action in actions] if mover == CHANCE else []
            digest.update(repr((key, mover, actions, ends, chances, *([form(state)] if form else []))).encode())
            state = game.result(state, actions[int(dice.random() * len(actions))]) if actions else game.initial_state()
        return digest.hexdigest()
