"""PGN, the format of chess games, with evaluations as cutechess-cli writes them.

The standard is S. J. Edwards, "Portable Game Notation Specification and Implementation Guide", 1994. Chess960 has the
tag `Variant "Chess960"`. A value is written in pawns, as programs that speak UCI tell it; `Reason` is a tag of outplay,
which says why the game ended where the words of `Termination` do not.
"""

import math
import re
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from outplay.arena.centipawns import STEEPNESS, share_of_win
from outplay.arena.records.replay import RecordError, replay
from outplay.arena.records.tagged import RESULTS, TaggedGame, tagged_games, write_moves, write_tags
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
from outplay.games.chess import Chess, Position, first_row
from outplay.rules.bits import lowest, squares
from outplay.rules.game import Game

ENDS = ("1-0", "0-1", "1/2-1/2", "*")
TERMINATIONS = {
    "rules": "normal", "repetition": "normal", "resigned": "normal", "agreed": "normal", "length": "adjudication",
    "table": "adjudication", "proved": "adjudication", "time": "time forfeit", "illegal move": "rules infraction",
    "unfinished": "unterminated",
}  # fmt: skip
"""The words of `Termination` for our reasons; "abandoned" for others."""
REASONS = {
    "time forfeit": "time", "rules infraction": "illegal move", "illegal move": "illegal move",
    "adjudication": "adjudication", "abandoned": "error", "unterminated": "unfinished",
}  # fmt: skip
"""Our reasons for the words of `Termination`."""
MOST_PAWNS = 100.0
"""A certain win in pawns."""
EVALUATION = re.compile(r"\[%eval\s+(#?)([+-]?\d{1,9}(?:\.\d{1,9})?)(?:,(\d{1,9}))?\]")
TIME = re.compile(r"\[%emt\s+(\d{1,9}):(\d\d):(\d\d(?:\.\d{1,9})?)\]")


def pawns(value: float) -> str:
    """A value in pawns, with its sign: the inverse of what is made of the centipawns of programs."""
    share = min(max(value, -1.0), 1.0)
    lead = math.copysign(MOST_PAWNS, share) if abs(share) == 1 else 2 * math.atanh(share) / STEEPNESS / 100
    return f"{min(max(lead, -MOST_PAWNS), MOST_PAWNS):+.2f}"


def value_of(lead: float) -> float:
    """The value of a lead in pawns.

    >>> value_of(0.0), round(value_of(float(pawns(0.25))), 2)
    (0.0, 0.25)
    """
    return share_of_win(100 * lead)


def writer(game: Chess, event: str = "") -> Writer:
    """A writer of games of chess."""
    count = 0

    def write(record: GameRecord) -> str:
        nonlocal count
        count += 1
        states, _ = replay(game, record)
        first: Position = states[0]
        points = points_of(record.utilities)
        result = next(end for end in ENDS if RESULTS[end] == points)
        start = {}
        if record.start is not None or game.start != 518:
            start = {"SetUp": "1", "FEN": game.state_text(first)}
        variant = {"Variant": "Chess960"} if game.start != 518 or _needs_960(first) else {}
        tags = {
            "Event": event or "outplay", "Site": "?", "Date": "????.??.??", "Round": str(count),
            "White": record.players[0],
            "Black": record.players[1], "Result": result, **variant, **start, "PlyCount": str(len(states) - 1),
            "Termination": TERMINATIONS.get(record.reason.partition(":")[0], "abandoned"), "Reason": record.reason,
        }  # fmt: skip
        names = [*record.opening, *(ply.name for ply in record.plies)]
        remarks = [BOOK] * len(record.opening) + [remark_on(ply, pawns) for ply in record.plies]
        return f"{write_tags(tags)}\n{write_moves(names, remarks, first.number, first.turn == 1, result)}\n"

    return write


def read(source: Source, game: Game | None = None) -> Iterator[Found]:
    """The games of a file, or why one cannot be read, such as one of a variant other than Chess960."""
    for tagged in tagged_games(source, ENDS):
        yield tagged if isinstance(tagged, RecordError) else read_game(partial(_game, source, tagged, game))


def _game(source: Source, tagged: TaggedGame, game: Game | None) -> Recorded:
    """A game of its tags and moves."""
    rules, start = game_of(source, tagged), tagged.tags.get("FEN", "").strip() or None
    if isinstance(game, Chess):
        rules, start = game, start or rules.state_text(rules.initial_state())
    transcript = Transcript(source, rules, tagged.places.get("FEN", tagged.place), start)
    transcript.place = tagged.place
    transcript.odd += tagged.odd
    for move in tagged.moves:
        transcript.play(move.place, move.text)
        transcript.remark(**known_from(move.comment, transcript.plies[-1].player))
    return told_by_tags(transcript, tagged, ("White", "Black"), utilities_of(rules, RESULTS[tagged.result]))


def told_by_tags(
    transcript: Transcript, tagged: TaggedGame, colours: tuple[str, str], utilities_by_tags: tuple[float, ...]
) -> Recorded:
    """The game with the result and the players that its tags tell, in the order of these colours."""
    players = [tagged.tags.get(colour) or "?" for colour in colours]
    reason = tagged.tags.get("Reason") or REASONS.get(tagged.tags.get("Termination", "").lower(), "")
    utilities = transcript.outcome(tagged.end, f"the result {tagged.result}", utilities_by_tags)
    return transcript.recorded(players, utilities, reason)


def game_of(source: Source, tagged: TaggedGame) -> Chess:
    """The game by its tags. A game of Chess960 from one of its 960 positions has the number of that position."""
    variant = tagged.tags.get("Variant", "standard").lower().replace(" ", "").replace("-", "")
    if variant in ("standard", "chess", "normal", "fromposition"):
        return Chess()
    if variant not in ("chess960", "fischerandom", "fischerrandom"):
        source.fail(tagged.places["Variant"], f"{tagged.tags['Variant']!r}: only chess and Chess960 can be read")
    board, _, fields = tagged.tags.get("FEN", "").partition(" ")
    row = board.partition("/")[0]
    is_start = board == f"{row}/pppppppp/8/8/8/8/PPPPPPPP/{row.upper()}" and fields.startswith("w ")
    return Chess(_first_rows()[row]) if is_start and row in _first_rows() else Chess()


@cache
def _first_rows() -> dict[str, int]:
    return {first_row(number): number for number in range(960)}


def _needs_960(position: Position) -> bool:
    """Whether a king or a rook that may castle is not on its usual square."""
    for rook in squares(position.castling):
        mine = position.mine if position.mine >> rook & 1 else position.theirs
        if rook % 8 not in (0, 7) or lowest(position.kings & mine) % 8 != 4:
            return True
    return False


def known_from(comment: str, player: int) -> dict[str, Any]:
    """What a comment says of a move: as cutechess-cli writes it, or in the tags of Lichess, from white's side."""
    if match := EVALUATION.search(comment):
        mate, number, depth = match.groups()
        lead = math.copysign(MOST_PAWNS, float(number)) if mate else float(number)
        remark: dict[str, Any] = {"value": value_of(lead if player == 0 else -lead)}
        remark |= {"depth": int(depth)} if depth else {}
        if time := TIME.search(comment):
            hours, minutes, seconds = map(float, time.groups())
            remark["seconds"] = 3600 * hours + 60 * minutes + seconds
        return remark
    return parse_remark(comment, value_of)
