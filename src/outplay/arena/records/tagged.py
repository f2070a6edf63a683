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

from outplay.arena.records.replay import RecordError
from outplay.arena.records.transcript import Source

RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5, "*": None, "2-0": 1.0, "0-2": 0.0, "1-1": 0.5, "0-0": None}
"""The points of white. The last four are those of draughts; 0-0 is a game without a winner whose result is unknown."""
SAME = {"½-½": "1/2-1/2", "½": "1/2-1/2", "1/2": "1/2-1/2", "": "*", "?": "*", "-": "*"}
"""Results as some people and programs write them; dashes may be long, or colons, and have blanks beside them."""
TAGS = {
    name.lower(): name for name in ("White", "Black", "Result", "FEN", "SetUp", "Variant", "GameType", "Termination")
}
"""The names of tags that are read; some programs write them otherwise, such as Gametype."""
TOKEN = re.compile(
    r"""
    (?P<mark>\d+\s*\.[.\s]*|\$\d+|[!?]+|\.+|e\.p\.|(?!--)[-+=/±∓⩲⩱∞□\#]+(?=[\s(){}]|$)
        |(?:ep|ch|check|mate|checkmate|dis|disch|dbl|dblch)(?=[\s.(){}]|$))
    | (?P<word>\d+(?:\s*[-x:×–]\s*\d+)+\*?(?![^\s{}()\[\];$!?.%])
        |(?:(?!e\.p\.)[^\s{}()\[\];$!?.%])+(?:\([QRBN]\))?)\s*
    | (?P<space>\s+|^%[^\n]*|;[^\n]*)
    | (?P<comment>\{[^}]*\})
    | (?P<tag>\[\s*(?P<name>[A-Za-z0-9_]+)\s*"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\])
    | (?P<open>\() | (?P<close>\))
    """,
    re.VERBOSE | re.MULTILINE,
)
"""A piece of a file. The numbers of draughts may have blanks between them, as in `1- 7`."""
FIRST_TAG = re.compile(r"^\[\s*[A-Za-z0-9_]+\s*\"[^\n]*\"\s*\]\s*$", re.MULTILINE)
"""A line that is a tag. After a damaged game, reading goes on there."""


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
        result: the result at its end, or by its tag; `*` if it has none.
        end: where that is.
        odd: what is odd about its text.
    """

    place: int
    tags: dict[str, str] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    result: str = "*"
    end: int = 0
    odd: list[str] = field(default_factory=list)


def known_result(text: str) -> str:
    """A result as the standard writes it.

    >>> known_result("1 – 0"), known_result("2:0"), known_result("½-½"), known_result("?")
    ('1-0', '2-0', '1/2-1/2', '*')
    """
    plain = re.sub(r"\s*[-–—−:]\s*", "-", text.strip())
    return SAME.get(plain, plain)


def tagged_games(source: Source, results: tuple[str, ...]) -> Iterator[TaggedGame | RecordError]:
    """The games of a text; an error for one that is damaged.

    >>> game = next(tagged_games(Source("game.pgn", '[White "Ann"] 1. e4 {best} (1. d4 d5) e5 2. Nf3! *'), ("*",)))
    >>> game.tags, [move.text for move in game.moves], game.moves[0].comment
    ({'White': 'Ann'}, ['e4', 'e5', 'Nf3'], 'best')
    """
    place = 0
    while place < len(source.text):
        reader = _Reader(source, results, place)
        try:
            if reader.read():
                yield reader.game
            place = reader.place
        except RecordError as error:
            yield error
            place = reader.next_game()


class _Reader:
    """Reads one game, from a place on; then `place` is after it."""

    def __init__(self, source: Source, results: tuple[str, ...], place: int) -> None:
        self.source, self.results, self.place = source, results, place
        self.game, self.is_begun = TaggedGame(place), False

    def read(self) -> bool:
        """Whether there is a game. Raises `RecordError` if it is damaged; reading can go on after `place`."""
        text = self.source.text
        while self.place < len(text):
            match = TOKEN.match(text, self.place)
            if match is None or (match["comment"] and FIRST_TAG.search(match["comment"])):
                messages = {"{": "a comment is not closed by }", "[": 'this is not a tag, such as [White "Ann"]'}
                message = messages.get(text[self.place], f"{text[self.place]!r} is no part of a game")
                self.source.fail(self.place, message)
            kind = match.lastgroup
            if kind not in ("space", "mark") and not self.is_begun:
                self.game, self.is_begun = TaggedGame(self.place), True
            if kind == "tag" and self._is_next(match):
                break
            if kind == "word" and self._is_end(match):
                self.place = match.end()
                return True
            self._add(match)
        return self._is_cut()

    def next_game(self) -> int:
        """Where the next game begins after an error: with the same tag as this one, or the first tag that there is."""
        first = next(iter(self.game.tags), None)
        next_tag = FIRST_TAG if first is None else re.compile(rf'^\[\s*{first}\s*"', re.MULTILINE | re.IGNORECASE)
        following = next_tag.search(self.source.text, max(self.place, self.game.place + 1))
        return following.start() if following else len(self.source.text)

    def _add(self, match: "re.Match[str]") -> None:
        """Add a token that is not the end, and go on behind it."""
        game, place = self.game, self.place
        if match["open"]:
            self.place = _after_variation(self.source, place, self)
            return
        if match["close"]:
            self.source.fail(place, "there is no ( to this )")
        if match["tag"]:
            self._add_tag(match)
        elif match["comment"] and game.moves:
            last = game.moves[-1]
            comment = " ".join(f"{last.comment} {match['comment'][1:-1]}".split())
            game.moves[-1] = Move(last.text, last.place, comment)
        elif match["word"] and not match["word"].isdecimal():  # a number of a move without a dot
            word = re.sub(r"\s+", "", match["word"])
            game.moves.append(Move(word.rstrip("*") or word, place))  # 32-28* is a forced move
        self.place = match.end()

    def _is_next(self, match: "re.Match[str]") -> bool:
        """Whether a tag is one of the next game: after moves, or after an empty line the tag that came first."""
        is_first = match["name"] == next(iter(self.game.tags), "")
        return bool(self.game.moves) or (is_first and self.source.text[self.place - 2 : self.place] == "\n\n")

    def _is_end(self, match: "re.Match[str]") -> bool:
        """Whether a word is the result; the game ends with it then."""
        game, word = self.game, known_result(match["word"])
        if word not in self.results:
            return False
        game.result, game.end = word, self.place
        tag = known_result(game.tags.get("Result", word))
        if "*" in (tag, word) and tag in self.results:
            game.result = word if tag == "*" else tag
        elif tag not in RESULTS:
            game.odd.append(
                self.source.note(game.places["Result"], f"Result {tag!r} is none of {', '.join(self.results)}")
            )
        elif RESULTS[tag] != RESULTS[word]:
            game.result = "*"
            message = f"the game ends with {word}, but its tag says {tag!r}: no result is taken"
            game.odd.append(self.source.note(self.place, message))
        return True

    def _is_cut(self) -> bool:
        """Whether there is a game that ends without a result at its end."""
        game = self.game
        if not (self.is_begun and (game.tags or game.moves)):
            return False
        tag = known_result(game.tags.get("Result", "*"))
        game.result, game.end = (tag if tag in self.results else "*"), self.place
        problem = f"has no result at its end, such as {', '.join(self.results)}: it may be cut off"
        game.odd.append(self.source.note(game.place, f"the game that begins here {problem}"))
        if tag not in self.results:
            game.odd.append(
                self.source.note(game.places["Result"], f"Result {tag!r} is none of {', '.join(self.results)}")
            )
        return True

    def _add_tag(self, match: "re.Match[str]") -> None:
        game, name = self.game, TAGS.get(match["name"].lower(), match["name"])
        if name in game.tags:
            game.odd.append(self.source.note(self.place, f"the game has another tag {name} already, which counts"))
            return
        game.tags[name] = re.sub(r"\\(.)", r"\1", match["value"])
        game.places[name] = self.place


def _after_variation(source: Source, place: int, reader: _Reader) -> int:
    """The place after the variation that begins at a place, and all variations in it; errors move the reader."""
    text, begin, depth = source.text, place, 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            source.fail(place, f"{text[place]!r} is no part of a variation")
        depth += (match.lastgroup == "open") - (match.lastgroup == "close")
        if match["tag"] is not None:
            reader.place = place - 1
            source.fail(place, f"a tag in the variation that begins in line {source.line(begin)}")
        place = match.end()
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
