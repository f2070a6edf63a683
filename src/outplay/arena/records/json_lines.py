"""JSON lines, the format for every game: as `outplay match --record` writes them, or games by themselves.

A first line says which game it is, and in a match who played; each other line has games. Nothing is lost: values,
times, nodes, and actions by themselves, also where names are not unique.
"""

import json
from collections.abc import Iterator
from functools import partial
from math import inf
from typing import Any

from outplay.arena.log import FORMAT, as_line, game_as_json, game_of_json
from outplay.arena.records.replay import RecordError, final_utilities, replay
from outplay.arena.records.transcript import Found, Recorded, Source, Writer, read_game
from outplay.arena.referee import GameRecord, Ply
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.load import built_in_game
from outplay.system.files import check_version


def writer(game: Game, _: str = "") -> Writer:
    """A writer of games by themselves, one a line."""
    number = -1

    def write(record: GameRecord) -> str:
        nonlocal number
        number += 1
        head = {"format": FORMAT, "game": " ".join(repr(game).split()), "players": []}
        line = {"round": number, "games": [{"players": list(record.players), **game_as_json(record)}]}
        return ("" if number else as_line(head)) + as_line(line)

    return write


def read(source: Source, game: Game | None = None) -> Iterator[Found]:
    """The games of a file, or why one cannot be read. A last line that was cut off is left out, as by `--resume`.

    Raises `RecordError` if it is not such a file, or if its game is not built in and `game` is not given.
    """
    end = source.text.rfind("\n") + 1
    place, rules, header = 0, game, dict[str, Any]()
    while place < end:
        line_place, place = place, source.text.index("\n", place) + 1
        line = _parsed(source, line_place, source.text[line_place:place])
        if isinstance(line, RecordError):
            if not header:
                raise line
            yield line
            continue
        check_version(source.path, line.get("format"), FORMAT, RecordError)
        if line.get("format") == FORMAT:
            header, rules = line, game or _rules(source, line_place, line)
        elif not header:
            source.fail(line_place, "the first line of a record of games says what was played, and this does not")
        elif not isinstance(line.get("games"), list):
            yield source.error(line_place, "this line has no games")
        else:
            assert rules is not None, "the header has told it"
            for game_json in line["games"]:
                yield read_game(partial(_game, source, line_place, rules, header, game_json))
    if not header:
        source.fail(0, "this is not a record of games: its first line says what was played")


def _parsed(source: Source, place: int, text: str) -> dict[str, Any] | RecordError:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        return source.error(place, f"this is not JSON: {error}")
    return line if isinstance(line, dict) else {}


def _rules(source: Source, place: int, header: dict[str, Any]) -> Game:
    text = str(header.get("game"))
    try:
        return built_in_game(text)
    except OutplayError:
        source.fail(
            place, f"the record is of {text}, which is not built in: name the game, as in outplay show my_game.py FILE"
        )


def _game(source: Source, place: int, rules: Game, header: dict[str, Any], game_json: Any) -> Recorded:
    """A game of a line, with its result checked against its final position."""
    record, state = _record(source, place, rules, header, game_json)
    ended, odd = final_utilities(rules, state), []
    least, most = rules.utilities or (-inf, inf)
    is_possible = all(least <= utility <= most for utility in record.utilities)
    if record.utilities and not (is_possible and (ended in (None, record.utilities) or record.guilty is not None)):
        utilities_text = ", ".join(f"{utility:g}" for utility in record.utilities)
        problem = "contradict the final position" if is_possible else "cannot be those of this game"
        remedy = "no result is taken" if ended is None else "the outcome by the rules is taken"
        odd = [source.note(place, f"the utilities {utilities_text} {problem}; {remedy}")]
        record.utilities = ended or ()
    return Recorded(rules, record, source.line(place), tuple(odd))


def _record(source: Source, place: int, game: Game, header: dict[str, Any], game_json: Any) -> tuple[GameRecord, Any]:
    """A game of a line, whose players are its own, or those of the match in their order; and its final state."""
    try:
        players = game_json.get("players") or [header["players"][number] for number in game_json["order"]]
        record = game_of_json(game_json, list(map(str, players)))
        record.utilities = tuple(map(float, record.utilities))
        is_whole = len(record.players) == game.players and len(record.utilities) in (0, game.players)
        is_whole = is_whole and all(
            isinstance(text, str) for text in (record.reason, record.start or "", *record.opening)
        )
        is_whole = is_whole and (record.guilty is None or record.guilty in range(game.players))
        is_whole = is_whole and all(map(_is_ply, record.plies))
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        source.fail(place, f"this is not a game of a match ({error!r})")
    if not is_whole:
        source.fail(place, f"this is not a game of {game!r}: its players, result or moves are not what they should be")
    try:
        states, record.actions = replay(game, record)
    except RecordError as error:
        source.fail(place, str(error))
    return record, states[-1]


def _is_ply(ply: Ply) -> bool:
    """Whether the fields of a ply are of their kinds."""
    numbers = (ply.seconds, ply.waited, *(number for number in (ply.value, ply.depth, ply.nodes) if number is not None))
    return (
        isinstance(ply.name, str)
        and type(ply.player) is int
        and all(type(number) in (int, float) for number in numbers)
    )
