"""Files of games: which game has which format, and reading and writing them by the ending of the name."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from outplay.arena.balance import Balance
from outplay.arena.contest import Contest, Round
from outplay.arena.log import GrowingFile, LogError, MatchLog
from outplay.arena.records import ggf, json_lines, mat, pdn, pgn, sgf
from outplay.arena.records.replay import RecordError
from outplay.arena.records.transcript import Found, Recorded, Source, Writer, read_source
from outplay.arena.referee import GameRecord
from outplay.games.backgammon import Backgammon
from outplay.games.chess import Chess
from outplay.games.draughts import EnglishDraughts, InternationalDraughts
from outplay.games.go import Go, SuperkoGo
from outplay.games.hex import Hex
from outplay.games.mnk import Gomoku
from outplay.games.othello import Othello
from outplay.rules.game import PLAY, Game
from outplay.system.files import read_file, write_file


class Format(NamedTuple):
    """A format of records, its games, and how it is written and read; a writer takes the game and the event."""

    name: str
    games: tuple[type[Game], ...]
    writer: Callable[..., Writer]
    read: Callable[[Source, Game | None], Iterator[Found]]


FORMATS = {
    ".pgn": Format("PGN", (Chess,), pgn.writer, pgn.read),
    ".sgf": Format("SGF", (Go, SuperkoGo, Gomoku, Hex), sgf.writer, sgf.read),
    ".pdn": Format("PDN", (EnglishDraughts, InternationalDraughts), pdn.writer, pdn.read),
    ".ggf": Format("GGF", (Othello,), ggf.writer, ggf.read),
    ".mat": Format("Jellyfish's .mat", (Backgammon,), mat.writer, mat.read),
    ".jsonl": Format("JSON lines", (Game,), json_lines.writer, json_lines.read),
}
"""The formats by the ending of a file. A game has at most one besides JSON lines."""
RULES = (*PLAY, "initial_state", "action_name", "parse_action", "state_text", "parse_state")
"""What a format depends on. A class of a user's own that changes it has JSON lines alone."""
ENDINGS = tuple(FORMATS)


def ending_of(game: Game) -> str:
    """The ending of files in the format of a game.

    >>> from outplay.games import Nim
    >>> ending_of(Chess()), ending_of(Nim())
    ('.pgn', '.jsonl')
    """
    return next(ending for ending, form in FORMATS.items() if _is_one(game, form.games))


def is_record(path: str | os.PathLike[str]) -> bool:
    """Whether a name is that of a file of games."""
    return Path(path).suffix.lower() in FORMATS


def format_of(path: str | os.PathLike[str], game: Game | None = None) -> Format:
    """The format of a file by its name. Raises `RecordError` if it has none, or not one for this game."""
    form = FORMATS.get(Path(path).suffix.lower())
    if form is None:
        raise RecordError(f"{path}: the name of a file of games ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
    if game is not None and not _is_one(game, form.games):
        kinds = ", ".join(cls.__name__ for cls in form.games)
        raise RecordError(
            f"{path}: {form.name} is for {kinds}, not for {game!r}: use a file that ends in {ending_of(game)}"
        )
    return form


def _is_one(game: Game, kinds: tuple[type[Game], ...]) -> bool:
    """Whether a game is of one of these classes, or of one derived from it with the same rules."""
    return Game in kinds or any(
        isinstance(game, kind) and all(getattr(type(game), rule) is getattr(kind, rule) for rule in RULES)
        for kind in kinds
    )


def read_records(
    path: str | os.PathLike[str], game: Game | None = None, *, refused: list[RecordError] | None = None
) -> Iterator[Recorded]:
    """The games of a file, one after the other, each checked against the rules.

    What is odd about a game but does not change its moves, such as a result that cannot be, is in `Recorded.odd`.

    Args:
        path: a file that ends in .pgn, .sgf, .pdn, .ggf, .mat or .jsonl.
        game: the game; by default what the file says. JSON lines of a game that is not built in need it.
        refused: gets an error, with the number of the line, for each game that cannot be read, and the others are
            read. By default the first such error is raised.

    Raises `RecordError` for a file that cannot be read or is of another game.
    """
    return _recorded(found_records(path, game), refused)


def _recorded(games: Iterator[Found], refused: list[RecordError] | None) -> Iterator[Recorded]:
    """The games that can be read."""
    for game in games:
        if isinstance(game, Recorded):
            yield game
        elif refused is None:
            raise game
        else:
            refused.append(game)


def found_records(path: str | os.PathLike[str], game: Game | None = None) -> Iterator[Found]:
    """The games of a file, each a `Recorded`, or a `RecordError` if it cannot be read."""
    form = format_of(path, game)
    return form.read(read_source(path, read_file(path, RecordError)), game)


def write_records(path: str | os.PathLike[str], games: Iterable[tuple[Game, GameRecord]]) -> None:
    """Write games to a file, in the format of the ending of its name.

    Raises `RecordError` if the file cannot be written, or if its format cannot hold one of the games.
    """
    write_file(path, [text.encode() for text in written(path, games)], RecordError)


def written(path: str | os.PathLike[str], games: Iterable[tuple[Game, GameRecord]]) -> Iterator[str]:
    """The text of a file, game by game."""
    write: Writer | None = None
    last: Game | None = None
    for game, record in games:
        if write is None or game != last:
            write, last = format_of(path, game).writer(game), game
        yield write(record)


class GameFile(GrowingFile):
    """The games of a match as a file in the format of its game, to which each round is added as soon as it is over.

    Raises `LogError` if there is a file already, or if another process writes it, and `RecordError` if the format is
    not one for this game.
    """

    rounds: Sequence[Round] = ()

    def __init__(self, path: str | os.PathLike[str], match: Contest[Any]) -> None:
        self.write = format_of(path, match.game).writer(match.game, match.event)
        super().__init__(path)

    def add(self, round_: Round) -> None:
        """Add a round; it is on the disk then. Raises `LogError` if that fails; the next call tries it again."""
        self.append("".join(map(self.write, round_.records)))


def open_record(path: str | os.PathLike[str], match: Contest[Any], *, resume: bool = False) -> MatchLog | GameFile:
    """The record of a contest: PGN and the like by the ending of the name, else JSON lines, from which it can go on.

    Raises `LogError` if there is a file already, or with `resume` if it is not of this match; `RecordError` for the
    format of another game.
    """
    if Path(path).suffix.lower() not in ENDINGS[:-1]:
        return MatchLog(path, match, resume=resume)
    if isinstance(match, Balance):
        raise LogError(
            f"{path}: a study of balance is kept as JSON lines: use a .jsonl file, and outplay show to export"
        )
    if resume:
        raise LogError(
            f"{path}: a match goes on from JSON lines only: use --record FILE.jsonl, and outplay show to export"
        )
    return GameFile(path, match)
