"""The record of a contest as a file of JSON lines, to which each round is added as soon as it is over.

The first line says what was played; each other line is a round with its games. Whatever ends the match, the file holds
all rounds that were over: a last line that was cut off is dropped, and the match goes on from there. One process at a
time writes a record, and one with other rules does not go on with it.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import MISSING, asdict, fields, replace
from pathlib import Path
from typing import Any, Self

from outplay import __version__
from outplay.arena.balance import Observed, Pair, Spread
from outplay.arena.contest import Contest, Round
from outplay.arena.records.replay import RecordError, as_json
from outplay.arena.referee import GameRecord, Ply
from outplay.engine.rules_mark import RulesMark
from outplay.system.files import check_version, in_use

FORMAT = "outplay match 1"
USUAL = {field.name: field.default for field in fields(Ply) if field.default is not MISSING}
"""What is left out of the line of a ply."""


class LogError(RecordError):
    """A file that is not the record of a match, or of another one."""


def header_of(match: Contest[Any]) -> dict[str, Any]:
    """What was played, for the first line."""
    return {
        "format": FORMAT,
        "outplay": __version__,
        "game": " ".join(repr(match.game).split()),
        "rules": RulesMark(match.game).text(),
        "players": list(match.names),
        "openings": repr(match.openings),
        "terms": repr(match.terms),
        "limit": repr(match.limit),
        "seed": match.seed,
        "event": match.event,
        "tournament": match.settings,
    }


def game_as_json(record: GameRecord) -> dict[str, Any]:
    """A game but for its players, for a line."""
    game = {key: value for key, value in asdict(replace(record, actions=[])).items() if key != "players"}
    game["plies"] = [{key: part for key, part in ply.items() if part != USUAL.get(key, ...)} for ply in game["plies"]]
    if record.start is None:
        del game["start"]
    return {**game, "actions": [as_json(action) for action in record.actions]}


def game_of_json(game: dict[str, Any], players: Sequence[str]) -> GameRecord:
    """The game of a line."""
    return GameRecord(
        tuple(players),
        tuple(game["opening"]),
        [Ply(**ply) for ply in game["plies"]],
        tuple(game["utilities"]),
        game["reason"],
        game["guilty"],
        game.get("start"),
        list(game["actions"]),
        tuple(game["luck"]),
    )


def round_as_json(round_: Round | Pair) -> dict[str, Any]:
    """A round, for a line."""
    if isinstance(round_, Pair):
        return {
            "round": round_.number,
            "strength": round_.strength,
            "games": [_as_json(round_, game) for game in round_.games],
        }
    games = zip(round_.orders, round_.records, strict=True)
    return {
        "round": round_.number,
        "games": [{"order": list(order), **game_as_json(record)} for order, record in games],
    }


def _as_json(pair: Pair, observed: Observed) -> dict[str, Any]:
    """A game of equal players, and what was seen in it."""
    order = [pair.strength] * len(observed.record.players)
    return {"order": order, **game_as_json(observed.record), "choices": observed.choices, "spread": observed.spread}


def _of_json(game: dict[str, Any], names: list[str]) -> Observed:
    record = game_of_json(game, [names[place] for place in game["order"]])
    return Observed(record, tuple(game["choices"]), None if game["spread"] is None else Spread(*game["spread"]))


def round_of_json(line: dict[str, Any], names: list[str]) -> Round | Pair:
    """The round of a line."""
    if "strength" in line:
        return Pair(line["strength"], line["round"], tuple(_of_json(game, names) for game in line["games"]))
    orders = [tuple(game["order"]) for game in line["games"]]
    games = zip(orders, line["games"], strict=True)
    records = [game_of_json(game, [names[place] for place in order]) for order, game in games]
    return Round(line["round"], tuple(orders), tuple(records))


class GrowingFile:
    """A file to which text is added, each time as a whole or not at all. No other process writes it meanwhile.

    Args:
        path: the file.
        resume: go on with what it has; else an old file is refused.

    Attributes:
        is_new: whether there was nothing in the file.

    Raises `LogError` if there is something in it already, if it cannot be written, or if another process writes it.
    """

    def __init__(self, path: str | os.PathLike[str], *, resume: bool = False) -> None:
        self.path = Path(path)
        self._unwritten, self._end = b"", 0
        """What is to be written, and where: until it is, the file ends there."""
        with ExitStack() as stack:
            stack.enter_context(in_use(path, LogError))
            try:
                self.is_new = not (self.path.is_file() and self.path.stat().st_size)
                if not self.is_new and not resume:
                    raise LogError(
                        f"{path} has a match already: resume it (resume=True, --resume), or name another file"
                    )
                self._file = stack.enter_context(open(path, "wb" if self.is_new else "r+b", buffering=0))
            except OSError as error:
                raise LogError(f"{path} cannot be written: {error.strerror}") from error
            self._open = stack.pop_all()

    def append(self, text: str) -> None:
        """Add text; it is on the disk then. Raises `LogError` if that fails; the next call tries it again."""
        self._unwritten += text.encode()
        try:
            if self._file.seekable():
                self._file.seek(self._end)
            unwritten = memoryview(self._unwritten)
            while unwritten:
                unwritten = unwritten[self._file.write(unwritten) :]
            if self.path.is_file():
                os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(self._end)
            raise LogError(f"{self.path} cannot be written: {error.strerror}") from error
        self._end, self._unwritten = self._end + len(self._unwritten), b""

    def flush(self) -> None:
        """Try again to write what could not be written. Raises `LogError` if that fails."""
        self.append("")

    def close(self) -> None:
        """End writing. Other processes can go on with the file."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class MatchLog(GrowingFile):
    """An open record of a contest.

    Args:
        path: the file.
        match: the match, tournament, ladder or study of balance.
        resume: go on with the rounds that the file lacks; else an old file is refused.

    Attributes:
        rounds: the rounds that the file held.

    Raises `LogError` if there is a file already, or with `resume` if it is not of this match or of other rules, and if
    another process writes it.
    """

    def __init__(self, path: str | os.PathLike[str], match: Contest[Any], *, resume: bool = False) -> None:
        super().__init__(path, resume=resume)
        self.rounds: list[Any] = []
        try:
            if self.is_new:
                with suppress(LogError):  # a full disk: the first round tries it again
                    self.append(as_line(header_of(match)))
            else:
                header, self.rounds, self._end = read_log(path)
                check_header(path, header, match)
                self._file.truncate(self._end)
        except BaseException:
            self.close()
            raise

    def add(self, round_: Round | Pair) -> None:
        """Add a round; it is on the disk then. Raises `LogError` if that fails; the next call tries it again."""
        self.append(as_line(round_as_json(round_)))


def check_header(path: Any, header: dict[str, Any], match: Contest[Any]) -> None:
    """Raise `LogError` if a record with this header is not of this match."""
    wrong = {key for key, value in header_of(match).items() if header.get(key) != value} - {"outplay", "event"}
    if wrong == {"rules"}:
        raise LogError(
            f"the rules of {header['game']} have changed since {path} was begun: name another file for games by these"
            " rules, or undo the edit (each version of Python counts as one)"
        )
    if wrong:
        parts = ", ".join(
            f"seed (that of the file is {header.get(key)})" if key == "seed" else key for key in sorted(wrong)
        )
        raise LogError(f"{path} is of another match, which differs in {parts}: name another file")


def as_line(data: dict[str, Any]) -> str:
    """A line of a file."""
    return json.dumps(data, separators=(",", ":")) + "\n"


def read_log(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[Any], int]:
    """The header and the rounds of a file, and where its last whole line ends. Raises `LogError` for another file."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error
    end = content.rfind(b"\n") + 1
    lines = _parsed(path, content[:end])
    header: Any = next(lines, None)
    version = header.get("format") if isinstance(header, dict) else None
    check_version(path, version, FORMAT, LogError)
    if version != FORMAT:
        raise LogError(f"{path} is not the record of a match")
    rounds = []
    for number, line in enumerate(lines, 2):
        try:
            rounds.append(round_of_json(line, header["players"]))
        except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
            raise LogError(f"{path}, line {number}: this is not a round of a match ({error!r})") from None
    return header, rounds, end


def _parsed(path: Any, content: bytes) -> Iterator[Any]:
    for number, line in enumerate(content.splitlines(), 1):
        try:
            yield json.loads(line)
        except (ValueError, RecursionError) as error:
            raise LogError(f"{path}, line {number}: {error}") from None
