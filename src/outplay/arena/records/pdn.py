"""PDN, the format of games of draughts: PGN with the numbers of squares.

The tags are those of PDN 3.0 (W. Wesselink): `GameType` 20 is international, 21 English draughts. The result has the
points of white first, whoever begins. Sources: https://wiegerw.github.io/pdn/ and Wikipedia, "Portable Draughts
Notation".
"""

import re
from collections.abc import Iterator
from functools import partial

from outplay.arena.records.pgn import TERMINATIONS, told_by_tags
from outplay.arena.records.replay import RecordError, replay
from outplay.arena.records.tagged import RESULTS, Move, TaggedGame, tagged_games, write_moves, write_tags
from outplay.arena.records.transcript import (
    BOOK,
    Found,
    Recorded,
    Source,
    Transcript,
    Writer,
    parse_remark,
    points_of,
    read_game,
    remark_on,
    utilities_of,
)
from outplay.arena.referee import GameRecord
from outplay.games.draughts import Draughts, EnglishDraughts, InternationalDraughts
from outplay.rules.game import Game

TYPES = {"20": InternationalDraughts, "21": EnglishDraughts}
"""The games by the number in `GameType`."""
ENGLISH, LAST_SQUARE = EnglishDraughts(), 32
"""What a game is without the tag, as in old files of PDN, unless it has a square beyond its last one."""
UNTOLD = (
    "The game has no tag GameType and was read as {!r}. Name the game, as in outplay show international-draughts FILE, "
    'or put [GameType "20"] (international) or [GameType "21"] (English) into the file.'
)
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
        result = next(text for text in RESULTS if RESULTS[text] == points)
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


def read(source: Source, game: Game | None = None) -> Iterator[Found]:
    """The games of a file, or why one cannot be read, such as one of another kind of draughts."""
    for tagged in tagged_games(source, tuple(RESULTS)):
        yield tagged if isinstance(tagged, RecordError) else read_game(partial(_game, source, tagged, game))


def _game(source: Source, tagged: TaggedGame, game: Game | None) -> Recorded:
    """A game of its tags and moves."""
    rules = game_of(source, tagged, game)
    start = tagged.tags.get("FEN", "").strip(" .:WB") and tagged.tags["FEN"]
    try:
        transcript = Transcript(source, rules, tagged.places.get("FEN", tagged.place), start or None)
        transcript.place = tagged.place
        transcript.odd += tagged.odd
        for move in tagged.moves:
            _play(transcript, move)
            transcript.remark(**parse_remark(move.comment))
    except RecordError as error:
        if game is None and "GameType" not in tagged.tags:
            raise RecordError(f"{error}\n{UNTOLD.format(rules)}") from None
        raise
    colours = ("White", "Black") if rules.colours[0] == "white" else ("Black", "White")
    points = RESULTS[tagged.result]
    utilities = utilities_of(rules, 1 - points if colours[0] == "Black" and points is not None else points)
    return told_by_tags(transcript, tagged, colours, utilities)


def _play(transcript: Transcript, move: Move) -> None:
    """Play a move; one that is legal with the other sign between its squares is played, too, and named."""
    text = with_numbers(transcript.game, move.text)
    try:
        transcript.play(move.place, text)
    except RecordError:
        try:
            transcript.play(move.place, ("x" if "-" in text else "-").join(re.findall(r"\d+", text)))
        except RecordError:
            pass
        else:
            number, played = len(transcript.actions), transcript.plies[-1].name
            transcript.note(move.place, f"move {number}, {move.text}: there is no such move; read as {played}")
            return
        raise


def with_numbers(game: Game, move: str) -> str:
    """A move with the numbers of its squares, also if they are written as in chess, where a1 is white's left corner.

    >>> with_numbers(EnglishDraughts(), "c3-d4"), with_numbers(InternationalDraughts(), "d4xf6")
    ('22-18', '32x23')
    """
    size = 10 if isinstance(game, InternationalDraughts) else 8

    def number(match: "re.Match[str]") -> str:
        column, row = ord(match[1].lower()) - ord("a"), int(match[2])
        if column >= size or not 1 <= row <= size or (column + row) % 2 == 0:
            return match[0]  # no square with a number
        return str((size - row) * size // 2 + column // 2 + 1)

    return re.sub(r"([a-jA-J])(\d{1,2})", number, move)


def game_of(source: Source, tagged: TaggedGame, game: Game | None) -> Draughts:
    """The game by its tag `GameType`; without one, the given game, or the one that has such squares."""
    kind = tagged.tags.get("GameType")
    if kind is None and isinstance(game, Draughts):
        return game
    if kind is None:
        texts = (re.sub(r":H\d+", "", tagged.tags.get("FEN", "")), *(move.text for move in tagged.moves))
        squares = (int(number) for text in texts for number in re.findall(r"\d+", with_numbers(ENGLISH, text)))
        return InternationalDraughts() if max(squares, default=0) > LAST_SQUARE else ENGLISH
    number = kind.partition(",")[0].strip()
    if number not in TYPES:
        source.fail(
            tagged.places["GameType"], f"GameType {kind!r}: only 20, international, and 21, English, can be read"
        )
    if isinstance(game, Draughts) and not isinstance(game, TYPES[number]):
        source.fail(tagged.places["GameType"], f"GameType {kind!r}: this is not a game of {game!r}")
    return game if isinstance(game, Draughts) else TYPES[number]()
