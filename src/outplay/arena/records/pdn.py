"""PDN, the format of games of draughts: PGN with the numbers of squares.

The tags are those of PDN 3.0 (W. Wesselink): `GameType` 20 is international, 21 English draughts. The result has the
points of white first, whoever begins. Sources: https://wiegerw.github.io/pdn/ and Wikipedia, "Portable Draughts
Notation".
"""

import re
from collections.abc import Iterator

from outplay.arena.records.pgn import REASONS, TERMINATIONS
from outplay.arena.records.replay import replay
from outplay.arena.records.tagged import RESULTS, TaggedGame, tagged_games, write_moves, write_tags
from outplay.arena.records.transcript import (
    BOOK,
    Recorded,
    Source,
    Transcript,
    Writer,
    parse_remark,
    points_of,
    remark_on,
    utilities_of,
)
from outplay.arena.referee import GameRecord
from outplay.games.draughts import Draughts, EnglishDraughts, InternationalDraughts
from outplay.rules.game import Game

TYPES = {"20": InternationalDraughts, "21": EnglishDraughts}
"""The games by the number in `GameType`; without the tag, it is English draughts as in old files of PDN."""
DETAILS = {"20": "20,W,10,10,N2,0", "21": "21,B,8,8,N1,0"}


def writer(game: Draughts, event: str = "") -> Writer:
    """A writer of games of draughts."""
    kind = "20" if isinstance(game, InternationalDraughts) else "21"
    white, count = game.colours.index("white"), 0

    def write(record: GameRecord) -> str:
        nonlocal count
        count += 1
        states, _ = replay(game, record)
        points = points_of(record.utilities)
        points = 1 - points if white and points is not None else points
        result = next(each for each in RESULTS if RESULTS[each] == points)
        start = {} if record.start is None else {"SetUp": "1", "FEN": game.state_text(states[0])}
        tags = {
            "Event": event or "outplay", "Site": "?", "Date": "????.??.??", "Round": str(count),
            "White": record.players[white],
            "Black": record.players[1 - white], "Result": result, "GameType": DETAILS[kind], **start,
            "Termination": TERMINATIONS.get(record.reason.partition(":")[0], "abandoned"), "Reason": record.reason,
        }  # fmt: skip
        names = [*record.opening, *(ply.name for ply in record.plies)]
        remarks = [BOOK] * len(record.opening) + [remark_on(ply) for ply in record.plies]
        return f"{write_tags(tags)}\n{write_moves(names, remarks, 1, game.to_move(states[0]) == 1, result)}\n"

    return write


def read(source: Source, game: Game | None = None) -> Iterator[Recorded]:
    """The games of a file. Raises `RecordError` if it is not PDN, or for other kinds of draughts."""
    for found in tagged_games(source, tuple(RESULTS)):
        rules = game_of(source, found, game)
        transcript = Transcript(source, rules, found.places.get("FEN", found.place), found.tags.get("FEN"))
        for move in found.moves:
            transcript.play(move.place, with_numbers(rules, move.text))
            transcript.remark(**parse_remark(move.comment))
        white = rules.colours.index("white")
        names = found.tags.get("White", "?"), found.tags.get("Black", "?")
        points = RESULTS[found.result]
        utilities = utilities_of(rules, 1 - points if white and points is not None else points)
        reason = found.tags.get("Reason") or REASONS.get(found.tags.get("Termination", "").lower(), "")
        yield Recorded(
            rules, transcript.record(names[::-1] if white else names, utilities, reason), source.line(found.place)
        )


def with_numbers(game: Draughts, move: str) -> str:
    """A move with the numbers of its squares, also if they are written as in chess, where a1 is white's left corner.

    >>> with_numbers(EnglishDraughts(), "c3-d4"), with_numbers(InternationalDraughts(), "d4xf6")
    ('22-18', '32x23')
    """
    size = 10 if isinstance(game, InternationalDraughts) else 8

    def number(found: "re.Match[str]") -> str:
        column, row = ord(found[1].lower()) - ord("a"), int(found[2])
        if column >= size or not 1 <= row <= size or (column + row) % 2 == 0:
            return found[0]  # no square with a number
        return str((size - row) * size // 2 + column // 2 + 1)

    return re.sub(r"([a-jA-J])(\d{1,2})", number, move)


def game_of(source: Source, found: TaggedGame, game: Game | None) -> Draughts:
    """The game by its tag `GameType`, or the given one, which must not be another."""
    if isinstance(game, Draughts) and "GameType" not in found.tags:
        return game
    kind = found.tags.get("GameType", "21")
    number = kind.partition(",")[0].strip()
    if number not in TYPES:
        source.fail(
            found.places["GameType"], f"GameType {kind!r}: only 20, international, and 21, English, can be read"
        )
    if isinstance(game, Draughts) and not isinstance(game, TYPES[number]):
        source.fail(found.places["GameType"], f"GameType {kind!r}: this is not a game of {game!r}")
    return game if isinstance(game, Draughts) else TYPES[number]()
