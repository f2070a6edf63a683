"""What proof-number search has recorded, expansion by expansion: `Expansion`, and `Reader`, which makes them.

A search records little of each expansion: the ply and the thresholds of the state, the action that led to it, and the
first numbers of its children. The rest follows when it is read, by the definition of the numbers: when a state returns,
its numbers are those of its children, and they stand in the list of the state above from then on.

Reading order: `Child`, `Node` (a state on the path), `Expansion` (one record), `Reader`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from outplay.engine.score import DISTANCES, decode
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game, legal_actions
from outplay.rules.value_text import words_of
from outplay.search.proof_recording_kernels import END, NEW, ROOT, TABLE
from outplay.search.proof_table import NEVER

ORIGINS = {NEW: "new", END: "end", TABLE: "table"}
"""The words for where the first numbers of a child come from."""
SEARCHED = "searched"
"""The word for numbers with which the search of a child has returned."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Child:
    """A child of a state, with its numbers at some moment.

    Attributes:
        action: the action that leads to it.
        name: the name of that action.
        proof: its proof number; 0 if it is proved, infinite if it is disproved.
        disproof: its disproof number.
        origin: where they come from: "new", "end" (of the game), "table", or "searched".
    """

    action: int
    name: str
    proof: float
    disproof: float
    origin: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """A state on the path of an expansion.

    Attributes:
        state: the state.
        player: the player to move.
        is_or: whether that is the player of the question, who needs one action only. Else it is an AND node.
        proof_threshold: the search of the state returns when its proof number is at least this; infinite at the root.
        disproof_threshold: the same for its disproof number.
        children: its children, in the order of the rules.
        chosen: the index of the child that is searched; None in the expanded state.
    """

    state: Any
    player: int
    is_or: bool
    proof_threshold: float
    disproof_threshold: float
    children: tuple[Child, ...]
    chosen: int | None = None

    @property
    def numbers(self) -> tuple[float, float]:
        """The proof number and the disproof number that follow from the children."""
        proofs, disproofs = ([getattr(child, name) for child in self.children] for name in ("proof", "disproof"))
        return (min(proofs), _sum(disproofs)) if self.is_or else (_sum(proofs), min(disproofs))

    @property
    def returns(self) -> bool:
        """Whether one of the numbers reaches its threshold."""
        proof, disproof = self.numbers
        return proof >= self.proof_threshold or disproof >= self.disproof_threshold

    @property
    def child(self) -> Child | None:
        """The child that is searched."""
        return None if self.chosen is None else self.children[self.chosen]


@dataclass(frozen=True, kw_only=True, eq=False)
class Expansion:
    """One expansion of proof-number search: a state gets its children, and the states above new numbers.

    Attributes:
        number: its number, from 1.
        question: the number of the question to which it belongs, from 1.
        asks: the question in words: "more than 0", "at least 2"; whether the player to move at the root gets that.
        about: the root action whose state the question is about, by name; "" if it is about the root.
        path: the states from the root of the question to the expanded one, with their children before the expansion;
            the last has those that it got.
        back: the proof and disproof number of the expanded state, then of each state above that the search returned
            to, up to the state where it goes on; the last of a question are the answer.
    """

    number: int
    question: int
    asks: str
    about: str
    path: tuple[Node, ...]
    back: tuple[tuple[float, float], ...]

    @property
    def state(self) -> Any:
        """The expanded state."""
        return self.path[-1].state

    @property
    def player(self) -> int:
        """The player to move in it."""
        return self.path[-1].player

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions from the root of the question to the expanded state."""
        return tuple(node.child.action for node in self.path if node.child is not None)

    @property
    def answer(self) -> bool | None:
        """The answer to the question, if this expansion gave it."""
        solved = len(self.back) == len(self.path) and 0 in self.back[-1]
        return self.back[-1][0] == 0 if solved else None


class Reader:
    """Reads the expansions of a search of `state`, one after the other."""

    def __init__(self, game: Game, state: Any) -> None:
        self.game, self.root = game, state
        self.player = int(game.to_move(state))
        self.number = self.question = 0
        self.open: list[Node] = []  # the states that have not returned, from the root of the question on
        self.first: tuple[Any, str] = state, ""  # the root of the question, and the action that leads there
        self.asks = ""

    def read(self, row: Any, children: Sequence[tuple[int, int, int]]) -> Expansion:
        """The next expansion, with its record and, of each child, the two numbers and their origin."""
        self.number += 1
        state = self._go_on(row) if row.question == self.question else self._begin(row)
        actions = list(islice(legal_actions(self.game, state), len(children)))
        if not len(actions) == len(children) > 0 or not {origin for *_, origin in children} <= ORIGINS.keys():
            raise self._fails()
        player = int(self.game.to_move(state))
        self.open.append(
            Node(
                state=state,
                player=player,
                is_or=player == self.player,
                proof_threshold=_number(row.proof),
                disproof_threshold=_number(row.disproof),
                children=tuple(
                    Child(
                        action=int(action),
                        name=self.game.action_name(state, action),
                        proof=_number(proof),
                        disproof=_number(disproof),
                        origin=ORIGINS[origin],
                    )
                    for action, (proof, disproof, origin) in zip(actions, children, strict=True)
                ),
            )
        )
        path = tuple(self.open)
        return Expansion(
            number=self.number,
            question=self.question,
            asks=self.asks,
            about=self.first[1],
            path=path,
            back=tuple(self._close_returned()),
        )

    def _begin(self, row: Any) -> Any:
        """The root of the next question."""
        if row.question != self.question + 1:
            raise self._fails()
        self.question, self.asks, self.open = row.question, question_text(self.game, row.target), []
        self.first = self.root, ""
        if row.action != ROOT:
            if row.action not in legal_actions(self.game, self.root):
                raise self._fails()
            name = self.game.action_name(self.root, row.action)
            self.first = self.game.result(self.root, row.action), name
        return self.first[0]

    def _go_on(self, row: Any) -> Any:
        """The state that the last open one leads to by the recorded action."""
        if len(self.open) + bool(self.first[1]) != row.ply:
            raise self._fails()
        node = self.open[-1]
        actions = [child.action for child in node.children]
        if row.action not in actions:
            raise self._fails()
        self.open[-1] = replace(node, chosen=actions.index(row.action))
        return self.game.result(node.state, row.action)

    def _close_returned(self) -> Any:
        """Close the states that return, and yield their numbers, and those of the state where the search goes on."""
        while True:
            node = self.open[-1]
            proof, disproof = node.numbers
            yield proof, disproof
            if not node.returns:
                return
            self.open.pop()
            if not self.open:
                return
            above = self.open[-1]
            children = list(above.children)
            at = above.chosen or 0
            children[at] = replace(children[at], proof=proof, disproof=disproof, origin=SEARCHED)
            self.open[-1] = replace(above, children=tuple(children), chosen=None)

    def _fails(self) -> OutplayError:
        return OutplayError(
            f"expansion {self.number} of the trace does not fit the game: the rules are not those of the search, or"
            " they depend on something else than the state"
        )


def question_text(game: Game, target: int) -> str:
    """A question in words: a score that the player to move at the root gets at least."""
    is_more = target % DISTANCES != 0
    utility = decode(target - is_more) + draw_utility(game)
    word = words_of(game).get(utility)
    text = f"a {word}" if word in ("win", "draw", "loss") else f"{utility + 0.0:.4g}"
    return f"{'more than' if is_more else 'at least'} {text}"


def _sum(numbers: Sequence[float]) -> float:
    """A sum that is infinite only if one of the numbers is."""
    total = sum(numbers)
    return total if total == math.inf else min(total, NEVER - 1)


def _number(number: int) -> float:
    return math.inf if number >= NEVER else number
