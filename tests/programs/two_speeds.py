"""A game at both speeds: a number made of the key of every state, and of what every rule answers."""

import importlib.util
import sys
import textwrap
import warnings

from outplay import kernel, legal_actions
from outplay.compile.kernels import cast_state, runs_compiled
from outplay.compile.native import RunsInterpretedWarning
from outplay.rules.keys import mix, state_key

HEAD = """\
import copy

from outplay import Game


class Box(Game):
    def left(self, state):
        return state[0]

    def to_move(self, state):
        return self.left(state) % 2

    def actions(self, state):
        return [1, 2] if self.left(state) > 1 else [1]

    def is_terminal(self, state):
        return self.left(state) <= 0

    def utility(self, state, player):
        if player == 1:
            return 0
        return self.value(state)
"""


@kernel
def digest(game, state, h):
    """`h` with the keys of all states and what all rules answer mixed in."""
    h = mix(h, state_key(game, state))
    if game.is_terminal(state):
        return mix(mix(h, game.utility(state, 0)), game.utility(state, 1))
    h = mix(h, game.to_move(state))
    for action in legal_actions(game, state):
        h = digest(game, game.result(state, action), mix(h, action))
    return h


def interpreted(game_class):
    """The same class of games, never compiled."""
    return type(game_class.__name__, (game_class,), {"compiled": False, "__module__": game_class.__module__})


def both(game_class):
    """Whether a game compiles, and the digests of both speeds."""
    game, plain = game_class(), interpreted(game_class)()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunsInterpretedWarning)
        compiled = digest(game, cast_state(game, game.initial_state()), 7)
        return runs_compiled(game), compiled, digest(plain, plain.initial_state(), 7)


def load(name, text, folder):
    """The class `Small` of a case: lines of a module, `---`, and methods of a class derived from `Box`."""
    module, _, members = text.rpartition("---\n")
    path = folder / ("case_" + "".join(char if char.isalnum() else "_" for char in name) + ".py")
    members = textwrap.indent(textwrap.dedent(members), "    ")
    path.write_text(f"{HEAD}\n{textwrap.dedent(module)}\n\nclass Small(Box):\n{members}", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = loaded  # data classes look their module up
    spec.loader.exec_module(loaded)
    return loaded.Small
