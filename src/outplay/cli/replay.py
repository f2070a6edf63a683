"""A recorded game on the command line: as text, with keys in the terminal, as a page, or as another file."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import sys
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from outplay.arena.records.files import found_records, write_records
from outplay.arena.records.pgn import pawns
from outplay.arena.records.replay import RecordError, replay
from outplay.arena.records.transcript import Recorded
from outplay.cli.options import check_file
from outplay.cli.output import complain, outcome, picture, say, stderr, stdout
from outplay.cli.saving import saved
from outplay.games.chess import Chess
from outplay.rules.game import CHANCE, Game, defines
from outplay.rules.user_code import text_of_rule
from outplay.system.files import write_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from outplay.arena.records.transcript import Found
    from outplay.arena.referee import GameRecord, Ply

MAX_NUMBERS = 20
"""The maximum number of games that a summary lists."""
HELP = "→ forward   ← back   Home, End   Page Up, Page Down   q end"


def show_record(
    path: str,
    rules: Game | None,
    *,
    number: int | None,
    ply: int | None,
    boards: bool,
    export: Path | None,
    html: Path | None,
    pictures: "tuple[Path | None, Path | None]",
    strict: bool,
) -> None:
    """Show the games of a file, or one of them."""
    reading = Reading(path, found_records(path, rules), strict)
    games = reading.games() if number is None else reading.only(number)
    check_file("--html", html, ".html")
    svg, png = pictures
    check_file("--svg", svg, ".svg")
    check_file("--png", png, ".png")
    if export is not None:
        check_file("--export", export)
        write_records(export, ((recorded.game, recorded.record) for _, recorded in games))
        complain("Written", "bold green", str(export))
        return
    first = list(islice(games, 2))
    if len(first) == 2 or (reading.count > 1 and number is None):
        if ply is not None or html or svg or png or boards:
            raise typer.BadParameter(f"{path} has several games: say which one, such as --game 1")
        _list(chain(first, games))
        return
    _show(Replayed(first[0][1]), ply, boards, html, [path for path in pictures if path is not None])


class Reading:
    """The games of a file while they are read, with their numbers from 1.

    What is odd and which games cannot be read is said at once, each in one line of the standard error; the others are
    read. With `strict` the first of either is an error.
    """

    def __init__(self, path: str, games: "Iterator[Found]", strict: bool) -> None:
        self.path, self.recorded_games, self.strict = path, games, strict
        self.count = 0
        self.refused: list[tuple[int, RecordError]] = []

    def games(self) -> "Iterator[tuple[int, Recorded]]":
        """The games that can be read. Raises `RecordError` if there is none."""
        for self.count, recorded in enumerate(self.recorded_games, 1):  # noqa: B020 - the number of games so far
            if isinstance(recorded, Recorded):
                yield self.count, self.checked(recorded)
            elif self.strict:
                raise recorded
            else:
                self.refused.append((self.count, recorded))
                complain("Not read", "bold red", self.about(str(recorded)))
        if not self.count:
            raise RecordError(f"{self.path} has no games")
        if self.count == len(self.refused):
            few = self.count == 1
            raise self.refused[0][1] if few else RecordError(f"{self.path}: none of its {self.count} games can be read")
        if self.refused:
            numbers = ", ".join(str(number) for number, _ in self.refused[:MAX_NUMBERS])
            more = ", …" if len(self.refused) > MAX_NUMBERS else ""
            stderr().print(f"{self.count - len(self.refused)} of {self.count} games read; not {numbers}{more}")

    def only(self, number: int) -> "Iterator[tuple[int, Recorded]]":
        """The game with a number. Raises `RecordError` if it cannot be read."""
        for self.count, recorded in enumerate(self.recorded_games, 1):  # noqa: B020 - the number of games so far
            if self.count == number:
                if isinstance(recorded, RecordError):
                    raise recorded
                yield number, self.checked(recorded)
                return
        count = f"{self.count} game{'s' if self.count != 1 else ''}"
        raise typer.BadParameter(f"--game {number}: {self.path} has {count}")

    def checked(self, recorded: Recorded) -> Recorded:
        """A game, after what is odd about it was said."""
        for remark in recorded.odd:
            if self.strict:
                raise RecordError(f"{self.path}, {remark}")
            complain("Odd", "bold yellow", self.about(remark))
        return recorded

    def about(self, message: str) -> str:
        """A message about the last game, in one line."""
        return f"game {self.count}, {' '.join(message.removeprefix(f'{self.path}, ').split())}"


class Replayed:
    """A game with its states, and what is said of each move."""

    def __init__(self, recorded: "Recorded") -> None:
        self.game, self.record = recorded.game, recorded.record
        self.states, self.actions = replay(recorded.game, recorded.record)
        self.names = [*recorded.record.opening, *(ply.name for ply in recorded.record.plies)]

    def heading(self) -> str:
        """Who played, and how it ended."""
        return f"{' – '.join(self.record.players)}: {result_of(self.game, self.record)}"

    def ply(self, number: int) -> "Ply | None":
        """What is known about a move but its name, if it is not one of the opening."""
        place = number - len(self.record.opening)
        return self.record.plies[place] if place >= 0 else None

    def value_text(self, value: float) -> str:
        """What a player expected; in chess in pawns, as files write them."""
        if isinstance(self.game, Chess):
            return pawns(value)
        if not defines(self.game, "value_text"):
            return f"{value:+.2f}"
        return text_of_rule(self.game, "value_text", value).split(" ")[0]  # without the unit

    def line(self, number: int) -> tuple[str, ...]:
        """A move: its number, who played it, its name, and what its player thought of it."""
        ply, mover = self.ply(number), int(self.game.to_move(self.states[number]))
        mover_name = "chance" if mover == CHANCE else self.record.players[mover]
        value = depth = seconds = ""
        if ply is None:
            seconds = "opening"
        else:
            value = "" if ply.value is None else self.value_text(ply.value)
            depth = "" if ply.depth is None else f"depth {ply.depth}"
            seconds = f"{ply.seconds:.2f} s" if ply.seconds else ""
        return f"{number + 1}.", self.names[number], mover_name, value, depth, seconds


def result_of(game: Game, record: "GameRecord") -> str:
    """The result of a game in words, and why it ended."""
    result = outcome(game, record.utilities) if record.utilities else "no result"
    return f"{result} ({record.reason})"


def _list(games: "Iterator[tuple[int, Recorded]]") -> None:
    """List games, each as soon as it is read."""
    for number, recorded in games:
        record = recorded.record
        moves = len(record.opening) + len(record.plies)
        say(f"{number:>4}  {' – '.join(record.players)}: {result_of(recorded.game, record)}, {moves} moves")


def _show(replayed: Replayed, ply: int | None, boards: bool, html: Path | None, pictures: list[Path]) -> None:
    """Show one game."""
    last = len(replayed.actions)
    if ply is not None and ply > last:
        raise typer.BadParameter(f"--ply {ply}: the game has {last} moves")
    at = last if ply is None else ply
    written = []
    if html is not None:
        from outplay.pictures.game_page import game_page

        lines = [replayed.line(number) for number in range(last)]
        values = [None if (opinion := replayed.ply(number)) is None else opinion.value for number in range(last)]
        page = game_page(
            replayed.game, replayed.heading(), replayed.states, replayed.actions, lines, values, replayed.record.players
        )
        written.append(saved(partial(write_file, html, page.encode()), html))
    if pictures:
        from outplay.pictures.show import show as pictured

        before = (replayed.states[at - 1], replayed.actions[at - 1]) if at else None
        drawn = pictured(replayed.game, replayed.states[at], last=before)
        written += [saved(partial(drawn.save, path), path) for path in pictures]
    if written and all(written):
        return
    if ply is None and not boards and stdout().is_terminal and sys.stdin.isatty():
        from outplay.cli.step import browse_screens

        browse_screens(last + 1, lambda ply, width, height: _screen(replayed, ply, height))
        return
    say(replayed.heading())
    for number in range(at):
        if boards:
            say(picture(replayed.game, replayed.states[number]))
        say("  ".join(replayed.line(number)).rstrip() if boards else _aligned(replayed, number))
    say(picture(replayed.game, replayed.states[at]))


def _aligned(replayed: Replayed, number: int) -> str:
    """A move in columns."""
    place, name, mover, value, depth, seconds = replayed.line(number)
    widest = max(map(len, replayed.names))
    players = max(len(name) for name in (*replayed.record.players, "chance"))
    return f"{place:>4} {name:<{widest}}  {mover:<{players}}  {value:>6}  {depth:<8}  {seconds}".rstrip()


def _screen(replayed: Replayed, ply: int, height: int) -> "RenderableType":
    """The screen after `ply` moves: the board, and the moves around the last one."""
    from rich.console import Group
    from rich.text import Text

    board = picture(replayed.game, replayed.states[ply])
    room = max(height - len(board.plain.splitlines()) - 4, 1)
    first = min(max(ply - room // 2 - 1, 0), max(len(replayed.actions) - room, 0))
    moves = [
        Text(
            _aligned(replayed, number),
            style="reverse" if number == ply - 1 else "",
            no_wrap=True,
            overflow="ellipsis",
        )
        for number in range(first, min(first + room, len(replayed.actions)))
    ]
    foot = Text(f"move {ply} of {len(replayed.actions)}   {HELP}", style="dim", no_wrap=True, overflow="ellipsis")
    head = Text(replayed.heading(), style="bold", no_wrap=True, overflow="ellipsis")
    return Group(head, board, Text(), *moves, foot)
