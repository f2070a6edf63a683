"""Openings: where the games of a match begin, so that not all of them are the same.

Each opening is played once for each order of the seats.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from outplay.arena.records.replay import RecordError, replay
from outplay.arena.records.tagged import RESULTS, tagged_games
from outplay.arena.records.transcript import Source, read_source
from outplay.arena.referee import GameRecord, Opening
from outplay.engine.limits import Limit
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import CHANCE, Game, defines
from outplay.rules.repetition import final
from outplay.session.moves import MoveReader
from outplay.session.session import Session
from outplay.system.files import read_file, read_text

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
            opening = self._drawn(game, random)
            if opening is not None and self._is_balanced(game, opening.states):
                return opening
        requirement = "balanced" if self.searcher else "before the end of the game"
        raise OutplayError(
            f"no opening of {self.length(game)} random moves of {game!r} is {requirement}; choose another length"
        )

    def length(self, game: Game) -> int:
        """The number of moves."""
        return (0 if game.has_chance or game.hidden_information else 2) if self.plies is None else self.plies

    def _drawn(self, game: Game, random: Random) -> Opening | None:
        """An opening, up to where a player is to move; None if the game ends before."""
        session, left = Session(game, seed=random.getrandbits(62)), self.length(game)
        while (player := session.player) is not None:
            if not left and player != CHANCE:
                return Opening(tuple(session.states), tuple(session.actions))
            left -= player != CHANCE
            session.append(session.roll() if player == CHANCE else random.choice(session.legal))
        return None

    def _is_balanced(self, game: Game, states: Sequence[Any]) -> bool:
        if self.searcher is None:
            return True
        analysis = self.searcher.search(states[-1], self.limit, previous_states=states[:-1])
        return abs(analysis.value - draw_utility(game)) <= self.margin


class Line(NamedTuple):
    """An opening of a file of games: the text of the state in which it begins, None for the initial one, and moves."""

    start: str | None
    moves: tuple[str, ...]


@dataclass(frozen=True)
class ListedOpenings:
    """Given openings, in a random order that the seed of the match decides; again from the first when all were played.

    They are read when they are played, so that a file of thousands costs nothing.

    Args:
        texts: for each opening its moves, or a state in the game's usual text form, or both with "moves" between, or a
            `Line`.
        where: where they come from, for error messages.
        lines: the line of each in a file.
        plies: the maximum number of moves; None keeps all.
    """

    texts: tuple[str | Line, ...]
    where: str = "openings"
    lines: tuple[int, ...] = ()
    plies: int | None = None

    def __repr__(self) -> str:
        mark = sha256(repr(self.texts).encode()).hexdigest()[:16]
        plies = "" if self.plies is None else f", plies={self.plies}"
        return f"ListedOpenings({self.where}: {len(self.texts)} openings, {mark}{plies})"

    @classmethod
    def load(cls, path: "str | PathLike[str]") -> "ListedOpenings":
        """The openings of a file: games (.pgn, .pdn, .sgf), positions with operations (.epd), or one a line otherwise.

        Raises `OutplayError` if it has none or cannot be read.
        """
        ending = os.path.splitext(path)[1].lower()
        if ending in (".pgn", ".pdn", ".sgf"):
            source = read_source(path, read_file(path))
            games = list((_sgf_lines if ending == ".sgf" else _tagged_lines)(source))
            entries: list[tuple[int, str | Line]] = [(source.line(place), line) for place, line in games]
        else:
            texts = enumerate(read_text(path).splitlines(), 1)
            entries = [(number, text) for number, line in texts if (text := _opening_in(line, ending == ".epd"))]
        if not entries:
            raise OutplayError(f"{path} has no openings: give one a line, such as: 4 4 3")
        return cls(tuple(text for _, text in entries), str(path), tuple(number for number, _ in entries))

    def opening(self, game: Game, number: int, seed: int) -> Opening:
        """The opening with this number."""
        order = _order(seed * 1_000_003 + number // len(self.texts), len(self.texts))
        return self.read(game, order[number % len(self.texts)])

    def read(self, game: Game, place: int) -> Opening:
        """The opening at a place of the list. Raises `OutplayError` if it is not one of this game."""
        text = self.texts[place]
        source = f"{self.where}, line {self.lines[place]}" if self.lines else f"{self.where}, opening {place + 1}"
        try:
            states, actions = (
                _replayed(game, text, self.plies) if isinstance(text, Line) else _read(game, text, self.plies)
            )
        except OutplayError as error:
            raise OutplayError(f"{source}: {error}") from None
        if final(game, states) is not None:
            raise OutplayError(f"{source}: the game is over after it: {_text(text)}")
        return Opening(tuple(states), tuple(actions))

    def check(self, game: Game, seed: int | None = None, count: int | None = None) -> None:
        """Raise `OutplayError` if one of them is not an opening of this game.

        With the seed and the number of rounds of a match, those are tried that it plays.
        """
        order: Sequence[int] = range(len(self.texts))
        if seed is not None:
            order = _order(seed * 1_000_003, len(self.texts))[:count]
        for place in order:
            self.read(game, place)


@lru_cache(maxsize=4)
def _order(seed: int, count: int) -> list[int]:
    """The places of a list in a random order."""
    return Random(seed).sample(range(count), count)  # noqa: S311 - not for secrets


def _opening_in(line: str, is_epd: bool) -> str:
    """The opening in a line of a file; "" if there is none. A # begins a remark, but for that of a mate.

    >>> _opening_in("1. e4 e5 2.Nf3 # usual", is_epd=False)
    '1. e4 e5 2.Nf3'
    """
    text = re.sub(r"(^|\s)#.*", "", line).strip()
    if not is_epd or not text:
        return text
    fields = text.split(None, 4)
    counters = dict(re.findall(r"\b(hmvc|fmvn)\s+(\d+)\s*;", fields[4])) if len(fields) > 4 else {}
    return " ".join([*fields[:4], counters.get("hmvc", "0"), counters.get("fmvn", "1")])


def _tagged_lines(source: Source) -> Iterator[tuple[int, Line]]:
    for game in tagged_games(source, tuple(RESULTS)):
        if isinstance(game, RecordError):
            raise game
        yield game.place, Line(game.tags.get("FEN") or None, tuple(move.text for move in game.moves))


def _sgf_lines(source: Source) -> Iterator[tuple[int, Line]]:
    from outplay.arena.records import sgf  # noqa: PLC0415 - with the games that it can write

    for place, start, moves in sgf.openings(source):
        yield place, Line(start, moves)


def _read(game: Game, text: str, plies: int | None) -> tuple[list[Any], list[int]]:
    """The states and the actions of moves, of a state, or of both with "moves" between."""
    start, separator, moves = text.rpartition(" moves ")
    states = [game.parse_state(start) if separator else game.initial_state()]
    actions: list[int] = []
    try:
        reader = MoveReader(moves)
        while len(actions) != plies and reader.has_next(game, states):
            actions.append(reader.next_action(game, states))
            states.append(game.result(states[-1], actions[-1]))
    except IllegalAction as error:
        if separator or not defines(game, "parse_state"):
            raise
        try:
            return [game.parse_state(text)], []
        except OutplayError as other:
            reason = str(error).partition("\n")[0]
            raise OutplayError(f"this is neither moves nor a state: {reason}; {other}") from None
    return states, actions


def _replayed(game: Game, line: Line, plies: int | None) -> tuple[list[Any], list[int]]:
    """The states and the actions of a game of a file."""
    moves = line.moves[:plies]
    states, actions = replay(game, GameRecord((), moves, start=line.start))
    return states, actions


def _text(text: str | Line) -> str:
    return text if isinstance(text, str) else " ".join(filter(None, (text.start, *text.moves)))
