"""GGF, the format of games of Othello on the Generic Game Server, by M. Buro.

https://www.skatgame.net/mburo/ggsa/ggf describes it: a game is `(;` properties `;)`; a move is `B[d3/value/seconds]`,
of which value and time may be missing; the result is in discs, from the side of black.
"""

import re
from collections.abc import Iterator
from functools import partial

from outplay.arena.records.replay import RecordError, replay
from outplay.arena.records.transcript import Found, Recorded, Source, Transcript, Writer, parse_remark, read_game
from outplay.arena.referee import GameRecord
from outplay.games.othello import Othello
from outplay.rules.bits import squares
from outplay.rules.game import Game

TOKEN = re.compile(
    r"(?P<space>\s+|\d+(?=\s*\(;))|(?P<open>\(;)|(?P<close>;\))|(?P<name>[A-Z]{1,2})\[(?P<value>[^\]]*)\]"
)
FLAGS = {"resigned": ":r", "time": ":t", "agreed": ":s"}
"""How the result is marked by our reasons."""
COLOURS = "BW"


def writer(game: Othello, _: str = "") -> Writer:
    """A writer of games of Othello, one a line."""

    def write(record: GameRecord) -> str:
        states, _ = replay(game, record)
        first = states[0]
        own, other = ("*", "O") if first.turn == 0 else ("O", "*")
        marks = dict.fromkeys(squares(first.own), own) | dict.fromkeys(squares(first.other), other)
        n = game.size
        rows = ["".join(marks.get(row * n + column, "-") for column in range(n)) for row in range(n)]
        flag = FLAGS.get(record.reason.partition(":")[0], "")
        parts = [
            f"GM[Othello]PC[outplay]PB[{_plain(record.players[0])}]PW[{_plain(record.players[1])}]",
            f"RE[{record.utilities[0]:+.3f}{flag}]" if record.utilities else "RE[?]",
            f"TY[{n}]BO[{n} {' '.join(rows)} {own}]",
        ]
        for state, name in zip(states, record.opening, strict=False):
            parts.append(f"{COLOURS[state.turn]}[{_square(name)}]")
        for ply in record.plies:
            value = "" if ply.value is None else f"{ply.value:.3f}"
            seconds = f"{ply.seconds:.3f}" if ply.seconds else ""
            remark = f"/{value}/{seconds}".rstrip("/")
            parts.append(f"{COLOURS[ply.player]}[{_square(ply.name)}{remark}]")
        return f"(;{''.join(parts)};)\n"

    return write


def read(source: Source, game: Game | None = None) -> Iterator[Found]:
    """The games of a file, or why one cannot be read, such as a game other than Othello."""
    place = 0
    while place < len(source.text):
        reader = _Reader(source, place)
        try:
            if reader.read():
                yield read_game(partial(_game, source, reader, game))
            place = reader.place
        except RecordError as error:
            yield error
            following = source.text.find("(;", max(reader.place, reader.begin + 1))
            place = following if following >= 0 else len(source.text)


class _Reader:
    """Reads the properties and the moves of one game, from a place on; then `place` is after it."""

    def __init__(self, source: Source, place: int) -> None:
        self.source, self.place, self.begin = source, place, -1
        self.properties: dict[str, tuple[str, int]] = {}
        self.moves: list[tuple[str, str, int]] = []
        self.odd: list[str] = []

    def read(self) -> bool:
        """Whether there is a game. Raises `RecordError` if it is damaged; reading can go on after `place`."""
        source, text = self.source, self.source.text
        while self.place < len(text):
            place = self.place
            match = TOKEN.match(text, place)
            if match is None:
                source.fail(place, f"{text[place : place + 20]!r}: expected (; or a property such as B[d3], or ;)")
            kind = "name" if match["name"] else match.lastgroup
            if kind == "open" and self.begin >= 0:
                break
            if kind != "space" and self.begin < 0 and kind != "open":
                source.fail(place, "a game begins with (;")
            self.place = match.end()
            if kind == "open":
                self.begin = place
            elif kind == "close":
                return True
            elif match["name"] in ("B", "W"):
                self.moves.append((match["name"], match["value"], place))
            elif kind == "name":
                self.properties[match["name"]] = match["value"], place
        if self.begin >= 0:
            self.odd.append(source.note(self.begin, "the game that begins here is not closed by ;): it may be cut off"))
        return self.begin >= 0


def _game(source: Source, reader: _Reader, game: Game | None) -> Recorded:
    """The game of its properties and moves."""
    begin, properties = reader.begin, reader.properties
    name, place = properties.get("GM", ("Othello", begin))
    if name.lower() != "othello":
        source.fail(place, f"GM[{name}]: only games of Othello can be read")
    size, place = properties.get("TY", ("8", begin))
    match = re.fullmatch(r"\s*s?([468])(r\d*)?\s*", size)  # s: one of two games at once; r: from a random position
    if match is None:
        source.fail(place, f"TY[{size}]: only Othello on 4, 6 or 8 columns can be read")
    rules = game if isinstance(game, Othello) else Othello(int(match[1]))
    if int(match[1]) != rules.size:
        source.fail(place, f"TY[{size}]: this is a game of Othello(size={match[1]}), not of {rules!r}")
    start = None
    if "BO" in properties:
        board, place = properties["BO"]
        number, _, squares_and_turn = board.strip().partition(" ")
        if number != str(rules.size):
            source.fail(place, f"BO[{board}]: expected a board of {rules.size} columns")
        start = squares_and_turn
    transcript = Transcript(source, rules, place, start)
    transcript.place = begin
    transcript.odd += reader.odd
    for colour, value, at in reader.moves:
        square, *remarks = value.split("/")
        if not rules.is_terminal(transcript.state) and COLOURS[transcript.state.turn] != colour:
            source.fail(at, f"move {len(transcript.actions) + 1}, {colour}[{value}]: it is the other player's turn")
        transcript.play(at, square, f"{colour}[{value}]")
        value_text, seconds = [*remarks, "", ""][:2]
        transcript.remark(**parse_remark(f"{value_text} {seconds or 0}s"))
    players = [properties.get(name, ("?",))[0] for name in ("PB", "PW")]
    result, place = properties.get("RE", ("?", begin))
    score = re.fullmatch(r"\s*([+-]?\d{1,9}(?:\.\d{0,9})?)\s*(:[a-z])?\s*", result)
    if score is None:
        if result.strip() not in ("", "?"):
            transcript.note(place, f"RE[{result}]: expected the result in discs, such as +12.000; no result is taken")
        return transcript.recorded(players, transcript.outcome(place, "", ()))
    discs = float(score[1])
    possible = abs(discs) <= rules.size**2
    utilities = transcript.outcome(place, f"RE[{result}]", (discs, 0.0 - discs), possible=possible)
    reason = next((name for name, flag in FLAGS.items() if flag == score[2]), "")
    return transcript.recorded(players, utilities, reason if utilities else "")


def _square(name: str) -> str:
    return "PA" if name == "pass" else name.upper()


def _plain(name: str) -> str:
    """A name without what ends a property, for which GGF has no escape."""
    return " ".join(name.replace("[", "(").replace("]", ")").split())
