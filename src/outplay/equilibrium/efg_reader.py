"""The reader of .efg files: text in, a tree with named actions and information sets out. See `efg.py` for the format.

Start at `Reader.game`, which reads from left to right.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from reprlib import repr as shortened
from typing import Any, NamedTuple

from outplay.equilibrium.gambit_words import GambitReader, Token
from outplay.rules.game import CHANCE

CLOSE = 1e-9
"""Probabilities in a file must sum to 1 within this tolerance."""


class Read(NamedTuple):
    """The content of a text."""

    title: str
    players: tuple[str, ...]
    tree: Any  # in the form that `ExplicitTree` takes
    names: tuple[str, ...]  # of the information sets of all players
    sets: list[int]  # the set of each node at which a player moves, in preorder


class Choice(NamedTuple):
    """The choice of a player or of chance at an information set."""

    name: str
    actions: tuple[str, ...]
    chances: tuple[Fraction, ...] = ()


class Reader(GambitReader):
    """Reads a game from left to right."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.players: tuple[str, ...] = ()
        self.choices: dict[tuple[int, int], Choice] = {}  # by player, chance being -1, and number
        self.outcomes: dict[int, tuple[str, tuple[Fraction, ...]]] = {}

    def game(self) -> Read:
        """Read the whole text."""
        for expected in ("EFG", "2"):
            if self.next.text != expected:
                self.fail(f"an .efg file begins with EFG 2 R, not with {self.next}")
            self.take()
        if self.next.text not in {"R", "D"}:
            self.fail(f"EFG 2 is followed by R, not by {self.next}")
        self.take()
        title = self.text("the title of the game")
        start = self.next
        self.players = tuple(different(self.texts("the names of the players"), "player "))
        if not self.players:
            self.fail("a game has one player or more", start)
        if self.next.kind == "text":
            self.take()  # a comment

        # Nodes that still need children: (their line, the list, the number wanted, the payoffs on the way there).
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
                hint = f": the one in line {line} has {len(children)} of {number} children" if root else ""
                self.fail(f"the file ends where a node is expected{hint}")
            line = self.next.line
            node, paid = self.node(paid, sets)
            children.append(node)
            if "children" in node:
                waiting.append((line, node["children"], len(node["names"]), paid))
        if self.next.kind != "end":
            self.fail(f"{self.next} after the last node: all nodes have their children")
        keys = [key for key in self.choices if key[0] != CHANCE]
        place = {key: number for number, key in enumerate(keys)}
        return Read(title, self.players, root[0], self.set_names(keys), [place[key] for key in sets])

    def node(
        self, paid: tuple[Fraction, ...], sets: list[tuple[int, int]]
    ) -> tuple[dict[str, Any], tuple[Fraction, ...]]:
        """Read a node, without its children, and return it with the payoffs up to and including it."""
        kind = self.take()
        if kind.kind != "word" or kind.text not in {"c", "p", "t"}:
            self.fail(f"{kind} instead of a node: c, p or t", kind)
        self.text("the name of the node")
        node: dict[str, Any] = {}
        if kind.text != "t":
            player, start = CHANCE, self.next
            if kind.text == "p":
                player = self.whole("the number of a player") - 1
                if not 0 <= player < len(self.players):
                    self.fail(f"player {player + 1} of {len(self.players)}", start)
            start = self.next
            number = self.whole("the number of an information set")
            choice = self.choice(player, number, start)
            names = different(choice.actions, "")
            node = {"player": "chance" if player == CHANCE else player, "children": [], "names": names}
            if player == CHANCE:
                node["probabilities"] = [float(chance) for chance in choice.chances]
            else:
                sets.append((player, number))
        paid = tuple(a + b for a, b in zip(paid, self.outcome(), strict=True))
        return node or {"utility": [float(payoff) for payoff in paid]}, paid

    def choice(self, player: int, number: int, start: Token) -> Choice:
        """Read the name and actions of a set, given here or before."""
        subject = f"chance event {number}" if player == CHANCE else f"information set {number} of player {player + 1}"
        known_choice = self.choices.get((player, number))
        if self.next.kind == "word":  # the number of the outcome: nothing is given here
            if known_choice is None:
                self.fail(f"{subject} appears for the first time: its actions are missing", start)
            return known_choice
        name = self.text("the name of an information set") if self.next.kind == "text" else ""
        if self.next.text != "{" and known_choice is not None:  # only the name is repeated
            return known_choice
        self.mark("{", f"the actions of {subject}")
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
            self.fail(f"{subject} has no actions", start)
        if player == CHANCE and abs(float(sum(chances)) - 1) > CLOSE:
            self.fail(f"the probabilities of {subject} sum to {float(sum(chances)):.10g}, not to 1", start)
        choice = Choice(name, tuple(actions), tuple(chances))
        if known_choice is not None and choice != known_choice:
            self.fail(
                f"{subject} differs from before: {_description(known_choice)}, here {_description(choice)}", start
            )
        self.choices[player, number] = choice
        return choice

    def outcome(self) -> tuple[Fraction, ...]:
        """Read the outcome of a node and return its payoffs."""
        start = self.next
        number = self.whole("the number of an outcome, 0 for none")
        if self.next.kind != "text" and self.next.text != "{":
            if number == 0:
                return (Fraction(0),) * len(self.players)
            if number not in self.outcomes:
                self.fail(f"outcome {number} appears for the first time: its payoffs are missing", start)
            return self.outcomes[number][1]
        if number == 0:
            self.fail("outcome 0 means no outcome: it cannot have a name or payoffs")
        name = self.text("the name of an outcome") if self.next.kind == "text" else ""
        self.mark("{", f"the payoffs of outcome {number}")
        payoffs = []
        while self.next.text != "}":
            payoffs.append(self.number("a payoff"))
            self.comma()
        self.mark("}", "the payoffs")
        if len(payoffs) != len(self.players):
            self.fail(f"outcome {number} has {len(payoffs)} payoffs for {len(self.players)} players", start)
        result = name, tuple(payoffs)
        if self.outcomes.setdefault(number, result) != result:
            self.fail(f"outcome {number} differs from before", start)
        return result[1]

    def set_names(self, choices: list[tuple[int, int]]) -> tuple[str, ...]:
        """Return a name for each set, unique among the sets of its player."""
        names = [(player, self.choices[player, number].name) for player, number in choices]
        times = Counter(names)
        return tuple(
            f"set {number}" if not name else name if times[player, name] == 1 else f"{name} (set {number})"
            for (player, name), (_, number) in zip(names, choices, strict=True)
        )


def different(names: Iterable[str], unnamed: str) -> list[str]:
    """Return the names with empty ones filled in and duplicates told apart."""
    unique: list[str] = []
    for number, name in enumerate(names, 1):
        new, copy = name or f"{unnamed}{number}", 1
        while new in unique:
            copy += 1
            new = f"{name or unnamed} #{copy}"
        unique.append(new)
    return unique


def _description(choice: Choice) -> str:
    chances = [f" {chance}" for chance in choice.chances] or [""] * len(choice.actions)
    return f"{shortened(choice.name)} " + " ".join(
        f"{shortened(name)}{chance}" for name, chance in zip(choice.actions, chances, strict=True)
    )
