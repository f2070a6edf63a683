"""Extensive games as text in the form .efg, which Gambit and others read and write.

    EFG 2 R "title" { "player 0" "player 1" } "comment"

    c "" 1 "deal" { "red" 1/2 "black" 1/2 } 0                    a chance node: its number, outcomes, chances
    p "" 1 1 "has red" { "raise" "fold" } 0                      the first player, at his information set 1
    p "" 2 1 "sees a raise" { "meet" "pass" } 0
    t "" 1 "win big" { 2, -2 }                                   an end: the number of an outcome, what it pays
    …

Nodes stand in preorder, each before its children. What a number means is said where it comes first, and may be said
again, in the same words. Outcome 0 pays nothing; other nodes than ends may have outcomes too, and all that lie on a way
add up. Numbers are exact: integers, decimals or fractions. (Gambit's documentation, "The extensive game (.efg) file
format".)

Start at `load_efg` and `to_efg`; `_Reader` reads from left to right.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from os import PathLike
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, NamedTuple, NoReturn

import numpy as np

from outplay.equilibrium.strategy import tree_of
from outplay.equilibrium.tree import GameTree
from outplay.games.explicit_tree import ExplicitTree, Node
from outplay.rules.base import digest
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game
from outplay.system.files import read_text, write_file

TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<mark>[{},])|(?P<word>[^\s{},"]+)|(?P<end>\Z)|(?P<bad>.))', re.DOTALL
)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?(/(\d+\.?\d*|\.\d+))?", re.IGNORECASE)
LARGE = 10**300
"""Numbers in a file are at most that: sums of them still fit into floats."""
SIMPLE = 10**6
"""A probability is written as a fraction with at most such a denominator, if there is one that rounds to it."""
CLOSE = 1e-9
"""Probabilities in a file must sum to 1 within this."""


class EfgGame(ExplicitTree):
    """The game that a text in the form .efg describes.

    At each node the actions are 0, 1, … in the order of the file. A state is the number of a node, from 0 in the
    order of the file.

    Raises `RulesError`, with the line and the word, for a text that is not such a game.

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
        read = _Reader(text).game()
        super().__init__(read.tree)
        del self.tree  # as dicts; the arrays are enough
        self.title = read.title
        self.player_names = read.players
        self.hidden_information = len(set(read.sets)) < len(read.sets)

        # What each player knows at each node: the set at which he is to move, or else was last, and the action he took.
        self.set_names = read.names  # str [sets]
        self.seen = np.full((len(self.parent), self.players), -1, np.int64)  # [nodes, players]: the set; -1: none yet
        self.did = np.full((len(self.parent), self.players), -1, np.int64)  # [nodes, players]: the action; -1: not yet
        sets = iter(read.sets)
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
        """The game in a file."""
        if not Path(path).is_file():
            raise RulesError(f"there is no file {path}")
        text = read_text(path, RulesError)
        try:
            return cls(text)
        except RulesError as error:
            raise RulesError(f"{path}, {error}") from error

    def information(self, node: Node, player: int) -> tuple[int, int]:
        """The set at which `player` is to move, and -1; or else the last one at which he was, and what he did there."""
        return int(self.seen[node.number, player]), int(self.did[node.number, player])

    def information_text(self, node: Node, player: int) -> str:
        """The name of the information set; after it, what the player did there."""
        seen, did = self.information(node, player)
        if seen < 0:
            return "nothing yet"
        if did < 0:
            return self.set_names[seen]
        place = node.number
        while self.did[self.parent[place], player] >= 0:  # up to the player's last action
            place = int(self.parent[place])
        return f"{self.set_names[seen]}, {self.action_name(Node(int(self.parent[place])), did)}"

    def _label(self, number: int) -> str:
        player = int(self.player[number])
        if self.is_terminal(Node(number)) or player == CHANCE:
            return super()._label(number)
        return f"{self.player_names[player]} at {self.set_names[self.seen[number, player]]}"

    def __repr__(self) -> str:
        return f"<EfgGame {self.title!r} {self.mark}>"


def load_efg(path: str | PathLike[str]) -> EfgGame:
    """The game in a file. Raises `RulesError`, with file and line, if it cannot be read or is not a game."""
    return EfgGame.load(path)


# -- reading ----------------------------------------------------------------------------------------------------------


class Read(NamedTuple):
    """What a text says."""

    title: str
    players: tuple[str, ...]
    tree: Any  # as `ExplicitTree` takes it
    names: tuple[str, ...]  # of the information sets of all players
    sets: list[int]  # the set of each node at which a player moves, in preorder


class Token(NamedTuple):
    """A word: `kind` is "text" (in quotes), "mark" (a brace or comma), "word" or "end"."""

    kind: str
    text: str
    line: int

    def __str__(self) -> str:
        return "the end of the file" if self.kind == "end" else shortened(self.text)


class Choice(NamedTuple):
    """What a player or chance has at an information set."""

    name: str
    actions: tuple[str, ...]
    chances: tuple[Fraction, ...] = ()


class _Reader:
    """Reads a game from left to right; `next` is the token to be read next."""

    def __init__(self, text: str) -> None:
        self.tokens = _split(text)
        self.next = next(self.tokens)
        self.players: tuple[str, ...] = ()
        self.choices: dict[tuple[int, int], Choice] = {}  # by player, chance being -1, and number
        self.outcomes: dict[int, tuple[str, tuple[Fraction, ...]]] = {}

    def game(self) -> Read:
        for expected in ("EFG", "2"):
            if self.next.text != expected:
                self.fail(f"a file of the form .efg begins with EFG 2 R, not with {self.next}")
            self.take()
        if self.next.text not in {"R", "D"}:
            self.fail(f"EFG 2 is followed by R, not by {self.next}")
        self.take()
        title = self.text("the title of the game")
        start = self.next
        self.players = tuple(_different(self.texts("the names of the players"), "player "))
        if not self.players:
            self.fail("a game has one player or more", start)
        if self.next.kind == "text":
            self.take()  # a comment

        # Nodes that still want children: (their line, the list, how many there must be, what the way there has paid).
        root: list[Any] = []
        nothing = (Fraction(0),) * len(self.players)
        waiting: list[tuple[int, list[Any], int, tuple[Fraction, ...]]] = [(self.next.line, root, 1, nothing)]
        sets: list[tuple[int, int]] = []
        while waiting:
            line, children, number, paid = waiting[-1]
            if len(children) == number:
                waiting.pop()
                continue
            if self.next.kind == "end":
                has = f": that of line {line} has {len(children)} of {number} children" if root else ""
                self.fail(f"the file ends where a node is wanted{has}")
            line = self.next.line
            node, paid = self.node(paid, sets)
            children.append(node)
            if "children" in node:
                waiting.append((line, node["children"], len(node["names"]), paid))
        if self.next.kind != "end":
            self.fail(f"{self.next} after the last node: every node has its children")
        known = [key for key in self.choices if key[0] != CHANCE]
        place = {key: number for number, key in enumerate(known)}
        return Read(title, self.players, root[0], self.set_names(known), [place[key] for key in sets])

    def node(
        self, paid: tuple[Fraction, ...], sets: list[tuple[int, int]]
    ) -> tuple[dict[str, Any], tuple[Fraction, ...]]:
        """The next node, its children still to come, and what the way to it and itself pay."""
        kind = self.take()
        if kind.kind != "word" or kind.text not in {"c", "p", "t"}:
            self.fail(f"{kind}, where a node is wanted: c, p or t", kind)
        self.text("the name of the node")
        node: dict[str, Any] = {}
        if kind.text != "t":
            player, start = CHANCE, self.next
            if kind.text == "p":
                player = self.whole("the number of a player") - 1
                if not 0 <= player < len(self.players):
                    self.fail(f"player {player + 1}: there are {len(self.players)}", start)
            start = self.next
            number = self.whole("the number of an information set")
            choice = self.choice(player, number, start)
            names = _different(choice.actions, "")
            node = {"player": "chance" if player == CHANCE else player, "children": [], "names": names}
            if player == CHANCE:
                node["probabilities"] = [float(chance) for chance in choice.chances]
            else:
                sets.append((player, number))
        paid = tuple(a + b for a, b in zip(paid, self.outcome(), strict=True))
        return node or {"utility": [float(payoff) for payoff in paid]}, paid

    def choice(self, player: int, number: int, start: Token) -> Choice:
        """The name and the actions of a set, said here or before."""
        who = "chance event" if player == CHANCE else f"information set of player {player + 1}"
        known = self.choices.get((player, number))
        if self.next.kind == "word":  # the number of the outcome: nothing is said
            if known is None:
                self.fail(f"number {number} is the first of this {who}: its actions are wanted", start)
            return known
        name = self.text("the name of an information set") if self.next.kind == "text" else ""
        if self.next.text != "{" and known is not None:  # the name alone is said again
            return known
        self.mark("{", f"the actions of {who} {number}")
        actions, chances = [], []
        while self.next.text != "}":
            actions.append(self.text("the name of an action"))
            if player == CHANCE:
                at = self.next
                chances.append(self.number("a probability"))
                if chances[-1] < 0:
                    self.fail(f"the probability {at} is less than 0", at)
            self.comma()
        self.mark("}", "the actions")
        if not actions:
            self.fail(f"{who} {number} has no actions", start)
        if player == CHANCE and abs(float(sum(chances)) - 1) > CLOSE:
            self.fail(f"the probabilities of {who} {number} sum to {float(sum(chances)):.10g}, not to 1", start)
        choice = Choice(name, tuple(actions), tuple(chances))
        if known is not None and choice != known:
            self.fail(f"{who} {number} was something else before: {_told(known)}, here {_told(choice)}", start)
        self.choices[player, number] = choice
        return choice

    def outcome(self) -> tuple[Fraction, ...]:
        """What a node pays."""
        start = self.next
        number = self.whole("the number of an outcome, 0 for none")
        if self.next.kind != "text" and self.next.text != "{":
            if number == 0:
                return (Fraction(0),) * len(self.players)
            if number not in self.outcomes:
                self.fail(f"number {number} is the first of this outcome: its payoffs are wanted", start)
            return self.outcomes[number][1]
        if number == 0:
            self.fail("outcome 0 pays nothing: it has no name and no payoffs")
        name = self.text("the name of an outcome") if self.next.kind == "text" else ""
        self.mark("{", f"the payoffs of outcome {number}")
        payoffs = []
        while self.next.text != "}":
            payoffs.append(self.number("a payoff"))
            self.comma()
        self.mark("}", "the payoffs")
        if len(payoffs) != len(self.players):
            self.fail(f"outcome {number} has {len(payoffs)} payoffs for {len(self.players)} players", start)
        told = name, tuple(payoffs)
        if self.outcomes.setdefault(number, told) != told:
            self.fail(f"outcome {number} was something else before", start)
        return told[1]

    def set_names(self, known: list[tuple[int, int]]) -> tuple[str, ...]:
        """A name for each set that no other set of the same player has."""
        names = [(player, self.choices[player, number].name) for player, number in known]
        times = Counter(names)
        return tuple(
            f"set {number}" if not name else name if times[player, name] == 1 else f"{name} (set {number})"
            for (player, name), (_, number) in zip(names, known, strict=True)
        )

    # -- words --------------------------------------------------------------------------------------------------------

    def fail(self, why: str, at: Token | None = None) -> NoReturn:
        if self.next.kind == "bad":
            raise RulesError(f"line {self.next.line}: a quote that is never closed")
        raise RulesError(f"line {(at or self.next).line}: {why}")

    def take(self) -> Token:
        """The next token; the one after it is next."""
        taken = self.next
        if taken.kind != "end":
            self.next = next(self.tokens)
        return taken

    def mark(self, mark: str, what: str) -> None:
        if self.next.text != mark or self.next.kind != "mark":
            self.fail(f"{what}: {mark!r} is wanted, not {self.next}")
        self.take()

    def comma(self) -> None:
        if self.next.text == ",":
            self.take()

    def text(self, what: str) -> str:
        if self.next.kind != "text":
            self.fail(f"{what} is wanted, in quotes, not {self.next}")
        return re.sub(r"\\(.)", r"\1", self.take().text[1:-1], flags=re.DOTALL)

    def texts(self, what: str) -> list[str]:
        self.mark("{", what)
        found = []
        while self.next.text != "}":
            found.append(self.text(what))
        self.mark("}", what)
        return found

    def whole(self, what: str) -> int:
        if not re.fullmatch(r"\d{1,18}", self.next.text):
            self.fail(f"{what} is wanted, not {self.next}")
        return int(self.take().text)

    def number(self, what: str) -> Fraction:
        if self.next.kind != "word" or not NUMBER.fullmatch(self.next.text):
            self.fail(f"{what} is wanted, a number such as 2, -0.5 or 1/3, not {self.next}")
        over, _, under = self.next.text.partition("/")
        try:
            value = Fraction(over) / Fraction(under or 1)
        except ZeroDivisionError:
            self.fail(f"{self.next} is a division by 0")
        except ValueError:  # more digits than Python converts
            self.fail(f"{what}: too many digits")
        if abs(value) > LARGE:
            self.fail(f"{what} is wanted, at most 1e300, not {self.next}")
        self.take()
        return value


def _split(text: str) -> Iterator[Token]:
    """The tokens of a text, each with its line."""
    place, line = 0, 1
    while True:
        found = TOKEN.match(text, place)
        assert found is not None
        kind = str(found.lastgroup)
        line += text.count("\n", place, found.start(kind))
        yield Token(kind, found[kind], line)
        line += found[kind].count("\n")
        place = found.end()


def _different(names: Iterable[str], unnamed: str) -> list[str]:
    """The same names, but none empty and no two alike."""
    made: list[str] = []
    for number, name in enumerate(names, 1):
        new, copy = name or f"{unnamed}{number}", 1
        while new in made:
            copy += 1
            new = f"{name or unnamed} #{copy}"
        made.append(new)
    return made


def _told(choice: Choice) -> str:
    chances = [f" {chance}" for chance in choice.chances] or [""] * len(choice.actions)
    return f"{shortened(choice.name)} " + " ".join(
        f"{shortened(name)}{chance}" for name, chance in zip(choice.actions, chances, strict=True)
    )


# -- writing ----------------------------------------------------------------------------------------------------------


def save_efg(game: Game | GameTree, path: str | PathLike[str]) -> None:
    """Write `game` to a file in the form .efg."""
    write_file(path, to_efg(game).encode(), RulesError)


def to_efg(game: Game | GameTree) -> str:
    r"""`game` in the form .efg, with its own words for actions and for what players know.

    Payoffs are written as decimals that read as the same floats. The probabilities of a chance node are written as
    fractions that sum to 1 exactly, each the simplest that rounds to its float; where those do not sum to 1, the
    greatest is what the others leave.

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
    events, outcomes, told, used = 0, dict[tuple[str, ...], int](), dict[int, str](), set[tuple[int, str]]()
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
            names = _different((rules.action_name(state, int(tree.action[child])) for child in below), "")
            shares = _exact(tree.chance[below].tolist())
            listed = " ".join(f"{_quoted(name)} {share}" for name, share in zip(names, shares, strict=True))
            lines.append(f'c "" {events} "" {{ {listed} }} 0')
        else:
            at = int(tree.information[node])
            actions = tree.actions(at)
            if at not in told:
                names = _different((rules.action_name(state, action) for action in actions), "")
                player = tree.owner(at)
                number, text = at - int(tree.first_set[player]) + 1, tree.information_text(at)
                if (player, text) in used:  # Gambit wants different names
                    text = f"{text} (set {number})"
                used.add((player, text))
                told[at] = f"{player + 1} {number} {_quoted(text)} {{ {' '.join(map(_quoted, names))} }}"
            lines.append(f'p "" {told[at]} 0')
            below = sorted(below, key=lambda child: actions.index(int(tree.action[child])))
        waiting += [(child, rules.result(state, int(tree.action[child]))) for child in reversed(below)]
    return "\n".join([*lines, ""])


def _exact(chances: Sequence[float]) -> list[Fraction]:
    """Fractions that round to these floats, or nearly so, and sum to 1 exactly."""
    near = [Fraction(chance).limit_denominator(SIMPLE) for chance in chances]
    simple = [n if float(n) == chance else Fraction(repr(chance)) for n, chance in zip(near, chances, strict=True)]
    if sum(simple) != 1:
        greatest = max(range(len(simple)), key=simple.__getitem__)
        simple[greatest] += 1 - sum(simple)
    return simple


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _decimal(number: float) -> str:
    """A number without an exponent, which not everybody reads, and with all its digits."""
    if not isfinite(number):
        raise RulesError(f"a payoff of {number} cannot be written")
    return format(Decimal(repr(number + 0.0)), "f").removesuffix(".0")
