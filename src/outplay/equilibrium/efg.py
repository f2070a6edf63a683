"""Extensive games in the text format .efg, which Gambit and others read and write.

    EFG 2 R "title" { "player 0" "player 1" } "comment"

    c "" 1 "deal" { "red" 1/2 "black" 1/2 } 0                    a chance node: its number, outcomes, chances
    p "" 1 1 "has red" { "raise" "fold" } 0                      the first player, at that player's information set 1
    p "" 2 1 "sees a raise" { "meet" "pass" } 0
    t "" 1 "win big" { 2, -2 }                                   an end: the number of an outcome and its payoffs
    …

Nodes are listed in preorder, each before its children. The meaning of a number is given where it first appears, and may
be repeated in the same words. Outcome 0 pays nothing. Nodes other than ends may have outcomes too; the payoffs on the
way to an end are added up. Numbers are exact: integers, decimals or fractions. (Gambit's documentation, "The extensive
game (.efg) file format".)

Start at `load_efg` and `to_efg`; `efg_reader.py` parses the text.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from os import PathLike
from pathlib import Path

import numpy as np

from outplay.equilibrium.efg_reader import Reader, different
from outplay.equilibrium.strategy import tree_of
from outplay.equilibrium.tree import GameTree
from outplay.games.explicit_tree import ExplicitTree, Node
from outplay.rules.base import digest
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game
from outplay.system.files import read_text, write_file

SIMPLE = 10**6
"""The maximum denominator of probabilities written as fractions, if such a fraction rounds to the float."""


class EfgGame(ExplicitTree):
    """The game that a text in .efg format describes.

    The actions at each node are 0, 1, … and a state is the number of a node from 0 on, both in the order of the file.

    Raises `RulesError`, with the line and the word, for an invalid text.

    >>> game = EfgGame('EFG 2 R "Guess" { "Ann" "Bob" } p "" 1 1 "" { "left" "right" } 0'
    ...     ' p "" 2 1 "blind" { "left" "right" } 0 t "" 1 "" { -1 1 } t "" 2 "" { 1 -1 }'
    ...     ' p "" 2 1 0 t "" 2 t "" 1')
    >>> print(game.render(game.initial_state()))
    Ann at set 1  <- here
    ├─ left: Bob at blind
    │  ├─ left: -1
    │  └─ right: 1
    └─ right: Bob at blind
       ├─ left: 1
       └─ right: -1
    """

    def __init__(self, text: str) -> None:
        content = Reader(text).game()
        super().__init__(content.tree)
        del self.tree  # as dicts; the arrays are enough
        self.title = content.title
        self.player_names = content.players
        self.hidden_information = len(set(content.sets)) < len(content.sets)

        # What each player knows at each node: the set where the player moves or last moved, and the action taken there.
        self.set_names = content.names  # str [sets]
        self.seen = np.full((len(self.parent), self.players), -1, np.int64)  # [nodes, players]: the set; -1: none yet
        self.did = np.full((len(self.parent), self.players), -1, np.int64)  # [nodes, players]: the action; -1: not yet
        sets = iter(content.sets)
        for node, player in enumerate(self.player):
            parent = self.parent[node]
            if parent >= 0:
                self.seen[node], self.did[node] = self.seen[parent], self.did[parent]
                if self.player[parent] != CHANCE:
                    children = self.child[self.first[parent] : self.first[parent + 1]]
                    self.did[node, self.player[parent]] = np.flatnonzero(children == node)[0]
            if player != CHANCE and not self.is_terminal(Node(node)):
                self.seen[node, player], self.did[node, player] = next(sets), -1
        self.mark = digest(" ".join(text.split()).encode())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "EfgGame":
        """Return the game in a file."""
        if not Path(path).is_file():
            raise RulesError(f"there is no file {path}")
        text = read_text(path, RulesError)
        try:
            return cls(text)
        except RulesError as error:
            raise RulesError(f"{path}, {error}") from error

    def information(self, node: Node, player: int) -> tuple[int, int]:
        """Return the set where `player` moves and -1, or the last set where `player` moved and the action taken."""
        return int(self.seen[node.number, player]), int(self.did[node.number, player])

    def information_text(self, node: Node, player: int) -> str:
        """Return the name of the information set and, after moving, the action taken there."""
        set_, last_action = self.information(node, player)
        if set_ < 0:
            return "nothing yet"
        if last_action < 0:
            return self.set_names[set_]
        place = node.number
        while self.did[self.parent[place], player] >= 0:  # up to the player's last action
            place = int(self.parent[place])
        return f"{self.set_names[set_]}, {self.action_name(Node(int(self.parent[place])), last_action)}"

    def _label(self, number: int) -> str:
        player = int(self.player[number])
        if self.is_terminal(Node(number)) or player == CHANCE:
            return super()._label(number)
        return f"{self.player_names[player]} at {self.set_names[self.seen[number, player]]}"

    def __repr__(self) -> str:
        return f"<EfgGame {self.title!r} {self.mark}>"


def load_efg(path: str | PathLike[str]) -> EfgGame:
    """Return the game in a file. Raises `RulesError`, with file and line, if it cannot be read or is invalid."""
    return EfgGame.load(path)


# -- writing ----------------------------------------------------------------------------------------------------------


def save_efg(game: Game | GameTree, path: str | PathLike[str]) -> None:
    """Write `game` to a file in .efg format."""
    write_file(path, to_efg(game).encode(), RulesError)


def to_efg(game: Game | GameTree) -> str:
    r"""Return `game` in .efg format, with the game's own words for actions and for what players know.

    Payoffs are written as decimals that read back as the same floats. The probabilities of a chance node are written as
    the simplest fractions that round to the floats; if these do not sum to 1 exactly, the greatest is adjusted.

    >>> from outplay.games import KuhnPoker
    >>> print(*to_efg(KuhnPoker()).splitlines()[:6], sep="\n")
    EFG 2 R "KuhnPoker()" { "player 0" "player 1" }
    ""
    c "" 1 "" { "J" 1/3 "Q" 1/3 "K" 1/3 } 0
    c "" 2 "" { "Q" 1/2 "K" 1/2 } 0
    p "" 1 1 "J" { "pass" "bet" } 0
    p "" 2 1 "Q, pass" { "pass" "bet" } 0
    """
    tree = tree_of(game)
    rules = tree.game
    names = getattr(rules, "player_names", None) or [f"player {player}" for player in range(tree.players)]
    lines = [f"EFG 2 R {_quoted(getattr(rules, 'title', repr(rules)))} {{ {' '.join(map(_quoted, names))} }}", '""']
    children: list[list[int]] = [[] for _ in range(tree.nodes)]
    for node in range(1, tree.nodes):
        children[tree.parent[node]].append(node)
    ends = {int(node): end for end, node in enumerate(tree.end_node)}
    events, outcomes, declarations, used = 0, dict[tuple[str, ...], int](), dict[int, str](), set[tuple[int, str]]()
    waiting = [(0, rules.initial_state())]
    while waiting:
        node, state = waiting.pop()
        below = children[node]
        if node in ends:
            payoffs = tuple(_decimal(value) for value in tree.utilities[ends[node]].tolist())
            number = outcomes.setdefault(payoffs, len(outcomes) + 1)
            lines.append(f't "" {number} "" {{ {", ".join(payoffs)} }}')
            continue
        if tree.player[node] == CHANCE:
            events += 1
            names = different((rules.action_name(state, int(tree.action[child])) for child in below), "")
            shares = _exact(tree.chance[below].tolist())
            chance_text = " ".join(f"{_quoted(name)} {share}" for name, share in zip(names, shares, strict=True))
            lines.append(f'c "" {events} "" {{ {chance_text} }} 0')
        else:
            at = int(tree.information[node])
            actions = tree.actions(at)
            if at not in declarations:
                names = different((rules.action_name(state, action) for action in actions), "")
                player = tree.owner(at)
                number, text = at - int(tree.first_set[player]) + 1, tree.information_text(at)
                if (player, text) in used:  # Gambit requires unique names
                    text = f"{text} (set {number})"
                used.add((player, text))
                declarations[at] = f"{player + 1} {number} {_quoted(text)} {{ {' '.join(map(_quoted, names))} }}"
            lines.append(f'p "" {declarations[at]} 0')
            below = sorted(below, key=lambda child: actions.index(int(tree.action[child])))
        waiting += [(child, rules.result(state, int(tree.action[child]))) for child in reversed(below)]
    return "\n".join([*lines, ""])


def _exact(chances: Sequence[float]) -> list[Fraction]:
    """Return fractions that sum to 1 exactly and round to these floats, or very nearly so."""
    fractions = [Fraction(chance).limit_denominator(SIMPLE) for chance in chances]
    simple = [n if float(n) == chance else Fraction(repr(chance)) for n, chance in zip(fractions, chances, strict=True)]
    if sum(simple) != 1:
        greatest = max(range(len(simple)), key=simple.__getitem__)
        simple[greatest] += 1 - sum(simple)
    return simple


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _decimal(number: float) -> str:
    """Return a number with all its digits and without an exponent, which not every program reads."""
    if not isfinite(number):
        raise RulesError(f"a payoff of {number} cannot be written")
    return format(Decimal(repr(number + 0.0)), "f").removesuffix(".0")
