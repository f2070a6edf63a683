"""Openings: where the games of a match begin, so that not all of them are the same.

Each opening is played once for each order of the seats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from outplay.arena.referee import Luck, Opening
from outplay.engine.limits import Limit
from outplay.rules.constant_sum import balance
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.repetition import final, playable
from outplay.session.moves import MoveReader
from outplay.system.files import read_text

if TYPE_CHECKING:
    from os import PathLike

    from outplay.engine.searcher import Searcher

TRIES = 1000
"""How many random openings are tried before the match is refused."""


@dataclass(frozen=True)
class RandomOpenings:
    """Openings of random moves.

    Args:
        plies: the number of moves of players; what chance decides between them does not count. By default 2, or none in
            a game with chance or hidden information, where luck makes games different.
        searcher: keeps only openings that it finds balanced; None keeps all that do not end the game.
        limit: the limit of its searches.
        margin: how far from a draw the value may be.
    """

    plies: int | None = None
    searcher: "Searcher | None" = None
    limit: Limit = Limit(depth=4)  # noqa: RUF009 - it is frozen
    margin: float = 0.3

    def opening(self, game: Game, number: int, seed: int) -> Opening:
        """The opening with this number, the same in every process. Raises `OutplayError` if none is balanced."""
        random = Random(seed * 1_000_003 + number)  # noqa: S311 - not for secrets
        for _ in range(TRIES):
            found = self._drawn(game, random)
            if found is not None and self._is_balanced(game, found.states):
                return found
        what = "balanced" if self.searcher else "before the end of the game"
        raise OutplayError(
            f"no opening of {self.length(game)} random moves of {game!r} is {what}; choose another length"
        )

    def length(self, game: Game) -> int:
        """The number of moves."""
        return (0 if game.has_chance or game.hidden_information else 2) if self.plies is None else self.plies

    def _drawn(self, game: Game, random: Random) -> Opening | None:
        """An opening, up to where a player is to move; None if the game ends before."""
        states, actions = [game.initial_state()], list[int]()
        luck, left = Luck(random.getrandbits(62)), self.length(game)
        while final(game, states) is None:
            is_chance = game.to_move(states[-1]) == CHANCE
            if not left and not is_chance:
                return Opening(tuple(states), tuple(actions))
            action = luck.outcome(game, states[-1]) if is_chance else random.choice(playable(game, states))
            left -= not is_chance
            actions.append(action)
            states.append(game.result(states[-1], action))
        return None

    def _is_balanced(self, game: Game, states: Sequence[Any]) -> bool:
        if self.searcher is None:
            return True
        found = self.searcher.search(states[-1], self.limit, previous_states=states[:-1])
        return abs(found.value - balance(game)) <= self.margin


@dataclass(frozen=True)
class ListedOpenings:
    """Given openings, in a random order that the seed of the match decides; again from the first when all were played.

    Args:
        texts: for each opening its moves, or a state in the game's usual text form.
        where: where each comes from, for error messages.
    """

    texts: tuple[str, ...]
    where: str = "openings"

    @classmethod
    def load(cls, path: "str | PathLike[str]") -> "ListedOpenings":
        """The openings of a text file, one a line, with remarks after a #. Raises `OutplayError` if it has none."""
        lines = (line.partition("#")[0].strip() for line in read_text(path).splitlines())
        texts = tuple(line for line in lines if line)
        if not texts:
            raise OutplayError(f"{path} has no openings: give one a line, such as: 4 4 3")
        return cls(texts, str(path))

    def opening(self, game: Game, number: int, seed: int) -> Opening:
        """The opening with this number."""
        random = Random(seed * 1_000_003 + number // len(self.texts))  # noqa: S311 - not for secrets
        order = random.sample(range(len(self.texts)), len(self.texts))
        return self.read(game, order[number % len(self.texts)])

    def read(self, game: Game, place: int) -> Opening:
        """The opening at a place of the list. Raises `OutplayError` if it is not one of this game."""
        text = self.texts[place]
        states, actions = [game.initial_state()], list[int]()
        try:
            reader = MoveReader(text)
            while reader.rest:
                action = reader.next_action(game, states)
                actions.append(action)
                states.append(game.result(states[-1], action))
        except IllegalAction as error:
            try:
                states, actions = [game.parse_state(text)], []
            except OutplayError:
                raise OutplayError(f"{self.where}, opening {place + 1}: {error}") from None
        if final(game, states) is not None:
            raise OutplayError(f"{self.where}, opening {place + 1}: the game is over after it: {text}")
        return Opening(tuple(states), tuple(actions))

    def check(self, game: Game) -> None:
        """Raise `OutplayError` if one of them is not an opening of this game."""
        for place in range(len(self.texts)):
            self.read(game, place)
