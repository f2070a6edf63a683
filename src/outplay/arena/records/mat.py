"""Jellyfish's .mat text, the format of games of backgammon that all programs read.

    0 point match

    Game 1
    Ann : 0                        Bob : 0
     1) 62: 24/18 13/11             22: 13/11 13/11 6/4 6/4
     2) 63: 24/18 13/10              Doubles => 2
     3)  Drops                       Wins 1 point

It is as GNU Backgammon writes it: 25 is the bar and 0 off. The lines that begin with a semicolon are those of eXtreme
Gammon. Players keep their sides: after `Game 2` stands `; seats 2 1` if the right player had the first seat.
"""

import re
from collections.abc import Iterator
from typing import NoReturn

from outplay.arena.records.replay import RecordError, replay
from outplay.arena.records.transcript import Found, Recorded, Source, Transcript, Writer, read_game
from outplay.arena.referee import GameRecord
from outplay.games.backgammon import BAR, DOUBLING, OFFERED, OPENING, ROLLING, Backgammon, Position
from outplay.rules.game import Game

WIDTH = 31
"""The columns of the left player."""
LINE = re.compile(r"\s*(\d+)\)(.*)")
CELL = re.compile(
    r"([1-6])([1-6]):|Doubles\b(?:\s*=>\s*\d+)?|Takes\b|Drops\b|Wins\s+(\d+)\s+points?[^\n]*", re.IGNORECASE
)
GAME = re.compile(r"\s*Game\s+\d+\s*(;\s*seats 2 1)?.*", re.IGNORECASE)
MATCH = re.compile(r"\s*(\d+)\s+point\s+match.*", re.IGNORECASE)
SCORES = re.compile(r"\s*(\S.*?)\s*:\s*\d+\s+(\S.*?)\s*:\s*\d+\s*")
ABOUT = re.compile(r'\s*;\s*\[(\w[\w ]*?)\s+"([^"]*)"\]\s*')
MAX_LINE = 500
"""The maximum length of a line."""
CENTRE = 20
"""A single move that begins from this column on is one of the right player."""


def writer(game: Backgammon, _: str = "") -> Writer:
    """A writer of games of backgammon: one match without end, whose players keep their sides."""
    names: tuple[str, ...] = ()
    scores: dict[str, int] = {}
    number = 0

    def write(record: GameRecord) -> str:
        nonlocal names, scores, number
        if record.start is not None:
            raise RecordError(".mat has no games that begin in another position: write JSON lines (.jsonl)")
        states, actions = replay(game, record)
        head = ""
        if sorted(names) != sorted(record.players):
            names, number = record.players, 0
            scores = dict.fromkeys(names, 0)
            cube = game.largest_cube if game.cube else 1
            head = (
                f'; [Player 1 "{_plain(names[0])}"]\n; [Player 2 "{_plain(names[1])}"]\n'
                f'; [Jacoby "{"On" if game.jacoby else "Off"}"]\n; [CubeLimit "{cube}"]\n\n 0 point match\n\n'
            )
        number += 1
        left = record.players.index(names[0]) if len(set(names)) == 2 else 0
        seats = " ; seats 2 1" if left else ""
        rows = _rows(_cells(game, states, actions), left)
        own, other = (f"{_name_in_scores(name)} : {scores[name]}" for name in names)  # before this game
        if record.utilities and record.utilities[0]:
            winner, points = int(record.utilities[0] < 0), int(abs(record.utilities[0]))
            _add_cell(rows, winner == left, f" Wins {points} point{'s' if points > 1 else ''}")
            scores[record.players[winner]] += points
        lines = [f"{row + 1:>3}) {cells[0]:<{WIDTH}}{cells[1]}".rstrip() for row, cells in enumerate(rows)]
        return f"{head} Game {number}{seats}\n {own:<{WIDTH + 4}}{other}\n" + "\n".join(lines) + "\n\n"

    return write


def _cells(game: Backgammon, states: list[Position], actions: list[int]) -> Iterator[tuple[int, str]]:
    """What each player does, one after the other: a throw with its move, a double, a take or a drop."""
    thrown = ""
    for state, action in zip(states, actions, strict=False):
        player, name = state.turn, game.action_name(state, action)
        if state.dice in (ROLLING, OPENING):
            thrown = "".join(sorted(name.replace("-", ""), reverse=True))
        elif state.dice == DOUBLING:
            if name == "double":
                yield player, f" Doubles => {2 * state.cube}"
        elif state.dice == OFFERED:
            yield 1 - player, " Takes" if name == "take" else " Drops"
        else:
            hits, steps = game.hits(state, action), []
            for start, end in game.steps(state, action):
                steps.append(f"{25 if start == BAR else start + 1}/{end + 1}{'*' if end in hits else ''}")
                hits.discard(end)
            yield player, f"{thrown}: {' '.join(steps)}"
            thrown = ""
    if thrown:
        yield states[-1].turn, f"{thrown}: "


def _rows(cells: Iterator[tuple[int, str]], left: int) -> list[list[str]]:
    """The cells in two columns."""
    rows: list[list[str]] = []
    for player, text in cells:
        _add_cell(rows, player == left, text)
    return rows


def _add_cell(rows: list[list[str]], is_left: bool, text: str) -> None:
    """Add a cell: to the right of the last one, or to a new row."""
    if is_left or not rows or rows[-1][1]:
        rows.append(["", ""])
    rows[-1][not is_left] = text


def read(source: Source, game: Game | None = None) -> Iterator[Found]:
    """The games of a file, or why one cannot be read."""
    remarks: dict[str, str] = {}
    reader: _Reader | None = None
    place, is_match, is_damaged, any_game = 0, False, False, False
    for line in source.text.splitlines(keepends=True):
        text = line.rstrip()
        try:
            if len(text) > MAX_LINE:
                source.fail(place, f"a line of {len(text)} characters, which no game has")
            if match := ABOUT.fullmatch(text):
                remarks[match[1].lower()] = match[2]
            elif match := MATCH.fullmatch(text):
                is_match = True
            elif match := GAME.fullmatch(text):
                if reader is not None and not is_damaged:
                    yield read_game(reader.recorded)
                reader, is_damaged, any_game = None, False, True
                if not is_match:
                    source.fail(place, "a line such as ' 0 point match' must come before the first game")
                reader = _Reader(source, _rules(remarks, game), place, match[1] is not None, remarks)
            elif text and not text.lstrip().startswith(";") and not is_damaged:
                if reader is None:
                    source.fail(place, f"{text.strip()!r}: expected a line such as ' Game 1'")
                reader.add(text, place)
        except RecordError as error:
            yield error
            is_damaged = any_game = True  # up to the next game
        place += len(line)
    if not any_game:
        yield source.error(0, "there is no game in it: expected a line such as ' Game 1'")
    elif reader is not None and not is_damaged:
        yield read_game(reader.recorded)


def _rules(remarks: dict[str, str], game: Game | None) -> Backgammon:
    """The game by the lines that begin with a semicolon."""
    if isinstance(game, Backgammon):
        return game
    limit = remarks.get("cubelimit", "1024")
    most = int(limit) if limit.isdecimal() and 0 < len(limit) < 6 else 1024
    jacoby = remarks.get("jacoby", "off").lower() == "on"
    if most == 1:
        return Backgammon(jacoby=jacoby)
    return Backgammon(True, largest_cube=min(1 << most.bit_length() - 1, 1 << 14), jacoby=jacoby)


class _Reader:
    """A game that is read line by line."""

    def __init__(self, source: Source, game: Backgammon, place: int, turned: bool, about: dict[str, str]) -> None:
        self.source, self.game, self.place, self.turned, self.about = source, game, place, turned, about
        self.names: tuple[str, str] | None = None
        self.transcript = Transcript(source, game, place)
        self.result: tuple[float, ...] = ()
        self.written, self.result_place = "", place

    def add(self, text: str, place: int) -> None:
        """Read a line: that of the players, or a row of moves."""
        row = LINE.fullmatch(text)
        if self.names is None:
            match = SCORES.fullmatch(text)
            if match is None:
                self.fail(place, f"{text.strip()!r}: expected the players and their scores, such as Ann : 0    Bob : 0")
            names = [self.about.get(f"player {number}", match[number]) for number in (1, 2)]
            self.names = (names[0], names[1])
            return
        cells = list(CELL.finditer(text))
        if row is None and not (len(cells) == 1 and cells[0][0].lower().startswith("wins")):
            self.fail(place, f"{text.strip()!r}: expected a row of moves, such as 1) 31: 8/5 6/5")
        first = row.start(2) if row is not None else 0
        if not cells and text[first:].strip():
            self.fail(place, f"{text[first:].strip()!r} is no throw, double, take or drop")
        if len(cells) > 2 or (cells and text[first : cells[0].start()].strip()):
            self.fail(place, f"{text.strip()!r}: expected one or two throws with their moves")
        for number, cell in enumerate(cells):
            is_right = number == 1 or (len(cells) == 1 and cell.start() - first > CENTRE)
            end = cells[number + 1].start() if number + 1 < len(cells) else len(text)
            self.play(int(is_right) ^ self.turned, cell, text[cell.end() : end].strip(), place + cell.start())

    def play(self, seat: int, cell: "re.Match[str]", moves: str, place: int) -> None:
        """Play a cell of the player in a seat."""
        transcript, word = self.transcript, cell[0].replace("=", " ").split()[0].lower()
        if word == "wins":
            points = float(cell[3])
            self.result = (points, -points) if seat == 0 else (-points, points)
            self.written, self.result_place = " ".join(cell[0].split()), place
            return
        if self.game.is_terminal(transcript.state):
            self.fail(place, f"{cell[0]} {moves}: the game is over")
        state = transcript.state
        mover = 1 - state.turn if state.dice == OFFERED else state.turn
        if state.dice != OPENING and mover != seat:
            self.fail(place, f"{cell[0]} {moves}: it is the other player's turn")
        if word in ("doubles", "takes", "drops"):
            transcript.play(place, {"doubles": "double", "takes": "take", "drops": "drop"}[word], cell[0])
            if moves:
                self.fail(place, f"{cell[0]} {moves}: expected nothing more")
            return
        if state.dice == DOUBLING:
            transcript.play(place, "roll")
        great, small = max(cell[1], cell[2]), min(cell[1], cell[2])
        is_opening = state.dice == OPENING
        if is_opening and great == small:
            self.fail(place, f"{cell[0]}: the first throw is of two different numbers")
        transcript.play(place, f"{small}-{great}" if is_opening and seat else f"{great}-{small}", cell[0])
        if not moves and self.game.action_name(transcript.state, self.first_action()) != "pass":
            return  # the game ends before the move
        moves = "pass" if moves.lower() in ("", "cannot move", "????") else moves
        transcript.play(place, moves, f"{cell[0]} {moves}")

    def first_action(self) -> int:
        """The first legal action."""
        return int(self.game.actions(self.transcript.state)[0])

    def fail(self, place: int, message: str) -> NoReturn:
        """Raise `RecordError` about a place."""
        self.source.fail(place, message)

    def recorded(self) -> Recorded:
        """The game. Raises `RecordError` if it has no line of the players."""
        if self.names is None:
            self.fail(self.place, "the game that begins here has no players")
        players = self.names[::-1] if self.turned else self.names
        cubes = abs(self.result[0]) / self.transcript.state.cube if self.result else 1
        utilities = self.transcript.outcome(self.result_place, self.written, self.result, possible=cubes in (1, 2, 3))
        return self.transcript.recorded(players, utilities)


def _plain(name: str) -> str:
    """A name for a line that begins with a semicolon."""
    return " ".join(name.replace('"', "'").split())


def _name_in_scores(name: str) -> str:
    """A name for the line of scores: without the colon that ends it."""
    return _plain(name).replace(":", ";")[: WIDTH - 8]
