"""The syntax of PGN and PDN: games of tag pairs and moves, with comments, variations and marks between them.

It follows the Portable Game Notation standard (S. J. Edwards, 1994), sections 7 to 10; PDN is PGN for draughts.
Variations are skipped. `tagged_games` reads the main line of each game without knowing the rules, so that files of
thousands of openings are read at once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import wrap
from typing import NamedTuple

from outplay.arena.records.transcript import Source

RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5, "*": None, "2-0": 1.0, "0-2": 0.0, "1-1": 0.5, "0-0": None}
"""The points of white. The last four are those of draughts; 0-0 is a game without a winner whose result is unknown."""
SAME = {"½-½": "1/2-1/2", "½": "1/2-1/2", "1/2": "1/2-1/2"}
"""Results as some people write them."""
TOKEN = re.compile(
    r"""
    (?P<mark>\d+\s*\.[.\s]*|\$\d+|[!?]+|\.+|e\.p\.|(?!--)[-+=/±∓⩲⩱∞□]+(?=[\s(){}]|$))
    | (?P<word>(?:(?!e\.p\.)[^\s{}()\[\];$!?.%])+)\s*
    | (?P<space>\s+|^%[^\n]*|;[^\n]*)
    | (?P<comment>\{[^}]*\})
    | (?P<tag>\[\s*(?P<name>[A-Za-z0-9_]+)\s*"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\])
    | (?P<open>\() | (?P<close>\))
    """,
    re.VERBOSE | re.MULTILINE,
)


class Move(NamedTuple):
    """A move of the main line, as it is written, where, and the comment after it."""

    text: str
    place: int
    comment: str = ""


@dataclass
class TaggedGame:
    """A game of a file.

    Attributes:
        place: where it begins.
        tags: the values of its tags, and where each is.
        moves: its main line.
        result: the result at its end.
        end: where that is.
    """

    place: int
    tags: dict[str, str] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    result: str = ""
    end: int = 0


def tagged_games(source: Source, results: tuple[str, ...]) -> Iterator[TaggedGame]:
    """The games of a text. Raises `RecordError` if it is not one, or if a game has no end.

    >>> game = next(tagged_games(Source("game.pgn", '[White "Ann"] 1. e4 {best} (1. d4 d5) e5 2. Nf3! *'), ("*",)))
    >>> game.tags, [move.text for move in game.moves], game.moves[0].comment
    ({'White': 'Ann'}, ['e4', 'e5', 'Nf3'], 'best')
    """
    text, place, game = source.text, 0, TaggedGame(0)
    is_begun = False
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            what = {"{": "a comment is not closed by }", "[": 'this is not a tag, such as [White "Ann"]'}
            source.fail(place, what.get(text[place], f"{text[place]!r} is no part of a game"))
        kind = found.lastgroup
        if kind not in ("space", "mark") and not is_begun:
            game, is_begun = TaggedGame(place), True
        if kind == "open":
            place = _after_variation(source, place)
            continue
        if kind == "close":
            source.fail(place, "there is no ( to this )")
        elif kind == "tag":
            _add_tag(source, game, found)
        elif kind == "comment" and game.moves:
            last = game.moves[-1]
            comment = " ".join(f"{last.comment} {found['comment'][1:-1]}".split())
            game.moves[-1] = Move(last.text, last.place, comment)
        elif kind == "word":
            word = SAME.get(found["word"], found["word"])
            if word in RESULTS and word in results:
                _end(source, game, word, place)
                yield game
                is_begun = False
            elif not word.isdecimal():  # a number of a move without a dot
                game.moves.append(Move(word.rstrip("*") or word, place))  # 32-28* is a forced move
        place = found.end()
    if is_begun and (game.tags or game.moves):
        source.fail(
            game.place,
            f"the game that begins here has no result at its end, such as {', '.join(results)}: is it cut off?",
        )


def _add_tag(source: Source, game: TaggedGame, found: "re.Match[str]") -> None:
    if game.moves:
        source.fail(
            found.start(),
            f"a tag between moves: the game that begins in line {source.line(game.place)} has no result at its end",
        )
    name = found["name"]
    if name in game.tags:
        source.fail(found.start(), f"the game has another tag {name} already")
    game.tags[name] = re.sub(r"\\(.)", r"\1", found["value"])
    game.places[name] = found.start()


def _end(source: Source, game: TaggedGame, result: str, place: int) -> None:
    """End a game with its result, which must be that of its tag."""
    game.result, game.end = result, place
    tag = game.tags.get("Result", result)
    tag = SAME.get(tag, tag)
    if tag != result and (tag not in RESULTS or RESULTS[tag] != RESULTS[result]):
        source.fail(place, f"the game ends with {result}, but its tag says {tag!r}")


def _after_variation(source: Source, place: int) -> int:
    """The place after the variation that begins at a place, and all variations in it."""
    text, begin, depth = source.text, place, 0
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            source.fail(place, f"{text[place]!r} is no part of a variation")
        depth += (found.lastgroup == "open") - (found.lastgroup == "close")
        if found["tag"] is not None:
            source.fail(place, f"a tag in the variation that begins in line {source.line(begin)}")
        place = found.end()
        if depth == 0:
            return place
    raise source.error(begin, "the variation that begins here is not closed by )")


def write_tags(tags: dict[str, str]) -> str:
    """Tag pairs, one a line."""
    quoted = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in tags.items()}
    return "".join(f'[{name} "{" ".join(value.split())}"]\n' for name, value in quoted.items())


def write_moves(names: list[str], remarks: list[str], number: int, second: bool, result: str) -> str:
    """Moves with their numbers and remarks, and the result, in lines of up to 80 characters.

    Args:
        names: the moves.
        remarks: what is said about each; "" says nothing.
        number: the number of the first move.
        second: whether it is a move of the second player.
        result: the result.
    """
    words: list[str] = []
    shows_number = True
    for name, remark in zip(names, remarks, strict=True):
        if shows_number or not second:
            words.append(f"{number}{'...' if second else '.'}")
        words.append(name)
        words += f"{{{remark}}}".split() if remark else []
        shows_number = bool(remark)
        number, second = number + second, not second
    return "\n".join(wrap(" ".join([*words, result]), 80, break_long_words=False, break_on_hyphens=False)) + "\n"
