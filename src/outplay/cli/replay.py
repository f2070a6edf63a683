"""A recorded game on the command line: as text, with keys in the terminal, as a page, or as another file."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import sys
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from outplay.arena.records.files import read_records, write_records
from outplay.arena.records.replay import RecordError, replay
from outplay.cli.options import check_file
from outplay.cli.output import complain, outcome, picture, say, stdout
from outplay.cli.saving import saved
from outplay.rules.game import CHANCE, Game
from outplay.system.files import write_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from outplay.arena.records.transcript import Recorded
    from outplay.arena.referee import GameRecord, Ply

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
    svg: Path | None,
) -> None:
    """Show the games of a file, or one of them."""
    games = read_records(path, rules)
    if number is not None:
        games = _only(path, games, number)
    check_file("--html", html, ".html")
    check_file("--svg", svg, ".svg")
    if export is not None:
        check_file("--export", export)
        write_records(export, ((each.game, each.record) for each in games))
        complain("Written", "bold green", str(export))
        return
    first = list(islice(games, 2))
    if not first:
        raise RecordError(f"{path} has no games")
    if len(first) == 2:
        if ply is not None or html or svg or boards:
            raise typer.BadParameter(f"{path} has several games: say which one, such as --game 1")
        _list(first, games)
        return
    _show(Replayed(first[0]), ply, boards, html, svg)


class Replayed:
    """A game with its states, and what is said of each move."""

    def __init__(self, found: "Recorded") -> None:
        self.game, self.record = found.game, found.record
        self.states, self.actions = replay(found.game, found.record)
        self.names = [*found.record.opening, *(ply.name for ply in found.record.plies)]

    def heading(self) -> str:
        """Who played, and how it ended."""
        return f"{' – '.join(self.record.players)}: {result_of(self.game, self.record)}"

    def known(self, number: int) -> "Ply | None":
        """What is known about a move but its name, if it is not one of the opening."""
        place = number - len(self.record.opening)
        return self.record.plies[place] if place >= 0 else None

    def line(self, number: int) -> tuple[str, ...]:
        """A move: its number, who played it, its name, and what its player thought of it."""
        ply, mover = self.known(number), int(self.game.to_move(self.states[number]))
        who = "chance" if mover == CHANCE else self.record.players[mover]
        value = depth = seconds = ""
        if ply is None:
            seconds = "opening"
        else:
            value = "" if ply.value is None else f"{ply.value:+.2f}"
            depth = "" if ply.depth is None else f"depth {ply.depth}"
            seconds = f"{ply.seconds:.2f} s" if ply.seconds else ""
        return f"{number + 1}.", self.names[number], who, value, depth, seconds


def result_of(game: Game, record: "GameRecord") -> str:
    """The result of a game in words, and why it ended."""
    result = outcome(game, record.utilities) if record.utilities else "no result"
    return f"{result} ({record.reason})"


def _only(path: str, games: "Iterator[Recorded]", number: int) -> "Iterator[Recorded]":
    """The game with a number, from 1."""
    found = list(islice(games, number))
    if len(found) < number:
        raise typer.BadParameter(f"--game {number}: {path} has {len(found)} game{'s' if len(found) != 1 else ''}")
    return iter(found[-1:])


def _list(first: "list[Recorded]", rest: "Iterator[Recorded]") -> None:
    """List games, each as soon as it is read."""
    from itertools import chain

    for number, found in enumerate(chain(first, rest), 1):
        record = found.record
        moves = len(record.opening) + len(record.plies)
        say(f"{number:>4}  {' – '.join(record.players)}: {result_of(found.game, record)}, {moves} moves")


def _show(found: Replayed, ply: int | None, boards: bool, html: Path | None, svg: Path | None) -> None:
    """Show one game."""
    last = len(found.actions)
    if ply is not None and ply > last:
        raise typer.BadParameter(f"--ply {ply}: the game has {last} moves")
    at = last if ply is None else ply
    written = []
    if html is not None:
        from outplay.pictures.game_page import game_page

        lines = [found.line(number) for number in range(last)]
        values = [None if (known := found.known(number)) is None else known.value for number in range(last)]
        page = game_page(found.game, found.heading(), found.states, found.actions, lines, values)
        written.append(saved(partial(write_file, html, page.encode()), html))
    if svg is not None:
        from outplay.pictures.show import show as pictured

        before = (found.states[at - 1], found.actions[at - 1]) if at else None
        written.append(saved(partial(pictured(found.game, found.states[at], last=before).save, svg), svg))
    if written and all(written):
        return
    if ply is None and not boards and stdout().is_terminal and sys.stdin.isatty():
        from outplay.cli.step import browse_screens

        browse_screens(last + 1, lambda now, width, height: _screen(found, now, height))
        return
    say(found.heading())
    for number in range(at):
        if boards:
            say(picture(found.game, found.states[number]))
        say("  ".join(found.line(number)).rstrip() if boards else _aligned(found, number))
    say(picture(found.game, found.states[at]))


def _aligned(found: Replayed, number: int) -> str:
    """A move in columns."""
    place, name, who, value, depth, seconds = found.line(number)
    widest = max(map(len, found.names))
    players = max(len(each) for each in (*found.record.players, "chance"))
    return f"{place:>4} {name:<{widest}}  {who:<{players}}  {value:>6}  {depth:<8}  {seconds}".rstrip()


def _screen(found: Replayed, now: int, height: int) -> "RenderableType":
    """The screen after `now` moves: the board, and the moves around the last one."""
    from rich.console import Group
    from rich.text import Text

    board = picture(found.game, found.states[now])
    room = max(height - len(board.plain.splitlines()) - 4, 1)
    first = min(max(now - room // 2 - 1, 0), max(len(found.actions) - room, 0))
    moves = [
        Text(_aligned(found, number), style="reverse" if number == now - 1 else "", no_wrap=True, overflow="ellipsis")
        for number in range(first, min(first + room, len(found.actions)))
    ]
    foot = Text(f"move {now} of {len(found.actions)}   {HELP}", style="dim", no_wrap=True, overflow="ellipsis")
    head = Text(found.heading(), style="bold", no_wrap=True, overflow="ellipsis")
    return Group(head, board, Text(), *moves, foot)
