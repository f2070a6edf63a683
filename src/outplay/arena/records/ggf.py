"""GGF, the format of games of Othello on the Generic Game Server, by M. Buro.

https://www.skatgame.net/mburo/ggsa/ggf describes it: a game is `(;` properties `;)`; a move is `B[d3/value/seconds]`,
of which value and time may be missing; the result is in discs, from the side of black.
"""

import re
from collections.abc import Iterator

from outplay.arena.records.replay import replay
from outplay.arena.records.transcript import Recorded, Source, Transcript, Writer, parse_remark
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
            about = f"/{value}/{seconds}".rstrip("/")
            parts.append(f"{COLOURS[ply.player]}[{_square(ply.name)}{about}]")
        return f"(;{''.join(parts)};)\n"

    return write


def read(source: Source, game: Game | None = None) -> Iterator[Recorded]:
    """The games of a file. Raises `RecordError` if it is not GGF, or for other games than Othello."""
    text, place, begin = source.text, 0, -1
    properties: dict[str, tuple[str, int]] = {}
    moves: list[tuple[str, str, int]] = []
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            source.fail(place, f"{text[place : place + 20]!r}: expected (; or a property such as B[d3], or ;)")
        kind = "name" if found["name"] else found.lastgroup
        if kind == "open" and begin >= 0:
            source.fail(place, f"the game that begins in line {source.line(begin)} is not closed by ;)")
        elif kind == "open":
            begin, properties, moves = place, {}, []
        elif kind != "space" and begin < 0:
            source.fail(place, "a game begins with (;")
        elif kind == "close":
            yield _game(source, begin, properties, moves, game)
            begin = -1
        elif found["name"] in ("B", "W"):
            moves.append((found["name"], found["value"], place))
        elif kind == "name":
            properties[found["name"]] = found["value"], place
        place = found.end()
    if begin >= 0:
        source.fail(begin, "the game that begins here is not closed by ;): is it cut off?")


def _game(
    source: Source,
    begin: int,
    properties: dict[str, tuple[str, int]],
    moves: list[tuple[str, str, int]],
    game: Game | None,
) -> Recorded:
    """The game of its properties and moves."""
    name, place = properties.get("GM", ("Othello", begin))
    if name.lower() != "othello":
        source.fail(place, f"GM[{name}]: only games of Othello can be read")
    size, place = properties.get("TY", ("8", begin))
    found = re.fullmatch(r"\s*s?([468])(r\d*)?\s*", size)  # s: one of two games at once; r: from a random position
    if found is None:
        source.fail(place, f"TY[{size}]: only Othello on 4, 6 or 8 columns can be read")
    rules = game if isinstance(game, Othello) else Othello(int(found[1]))
    if int(found[1]) != rules.size:
        source.fail(place, f"TY[{size}]: this is a game of Othello(size={found[1]}), not of {rules!r}")
    start = None
    if "BO" in properties:
        board, place = properties["BO"]
        number, _, squares_and_turn = board.strip().partition(" ")
        if number != str(rules.size):
            source.fail(place, f"BO[{board}]: expected a board of {rules.size} columns")
        start = squares_and_turn
    transcript = Transcript(source, rules, place, start)
    for colour, value, at in moves:
        square, *about = value.split("/")
        if not rules.is_terminal(transcript.state) and COLOURS[transcript.state.turn] != colour:
            source.fail(at, f"move {len(transcript.actions) + 1}, {colour}[{value}]: it is the other player's turn")
        transcript.play(at, square, f"{colour}[{value}]")
        known, seconds = [*about, "", ""][:2]
        transcript.remark(**parse_remark(f"{known} {seconds or 0}s"))
    result, place = properties.get("RE", ("?", begin))
    score = re.fullmatch(r"\s*([+-]?\d+(?:\.\d+)?)(:[a-z])?\s*", result)
    if score is None and result.strip() not in ("", "?"):
        source.fail(place, f"RE[{result}]: expected the result in discs, such as +12.000")
    utilities = () if score is None else (float(score[1]), 0.0 - float(score[1]))
    reason = next((each for each, flag in FLAGS.items() if score is not None and flag == score[2]), "")
    players = (properties.get("PB", ("?",))[0], properties.get("PW", ("?",))[0])
    return Recorded(rules, transcript.record(players, utilities, reason), source.line(begin))


def _square(name: str) -> str:
    return "PA" if name == "pass" else name.upper()


def _plain(name: str) -> str:
    """A name without what ends a property, for which GGF has no escape."""
    return " ".join(name.replace("[", "(").replace("]", ")").split())
