"""`outplay play`: a game in the terminal, a person against the search.

`Match` is the game so far and what can be done with it; `play` is the loop around it; `LEVELS` says how strong the
search plays.
"""

import sys
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.common import (
    Algorithm,
    GameName,
    Moves,
    live_search,
    outcome,
    picture,
    play_moves,
    searcher_for,
    stdout,
)
from outplay.errors import IllegalAction
from outplay.game import Game, legal_actions
from outplay.limits import Limit
from outplay.load import load_game

if TYPE_CHECKING:
    from outplay.analysis import Analysis
    from outplay.search.searcher import Searcher

EXAMPLES = (
    "[bold]Examples[/]",
    "outplay play connect-four",
    "outplay play tic-tac-toe --player 1 --level 10",
    "outplay play my_game.py:MyGame --player both",
    "In the game: a move, undo, hint, moves, board, level N, help, quit. Ctrl-C while the search thinks: move now.",
)
HELP = """\
  a move      play it
  undo        take back your last move
  hint        what the search would play at full strength
  moves       the moves so far, as --moves takes them
  board       show the board again
  level N     how strong the search plays: 1, mostly at random, to 10
  quit        leave; so do Ctrl-D and Ctrl-C"""
COMMANDS = ("undo", "hint", "moves", "board", "level", "help", "quit")
PLAYERS = ("0", "1", "both", "none")


@dataclass(frozen=True)
class Level:
    """How strong the search plays.

    It chooses at random among the actions whose value is near the best: within `share` of the way to the worst.
    """

    limit: Limit
    share: float = 0.0


LEVELS = (
    Level(Limit(depth=1, seconds=2), 0.9),
    Level(Limit(depth=1, seconds=2), 0.6),
    Level(Limit(depth=2, seconds=2), 0.4),
    Level(Limit(depth=3, seconds=2), 0.3),
    Level(Limit(depth=4, seconds=2), 0.2),
    Level(Limit(depth=6, seconds=2), 0.1),
    Level(Limit(depth=8, seconds=2)),
    Level(Limit(seconds=0.5)),
    Level(Limit(seconds=1.5)),
    Level(Limit(seconds=5)),
)
"""From 1, the weakest, to 10."""
HINT = Limit(seconds=1)


def read_player(text: str) -> str:
    """Whom the person plays."""
    if text.lower() in PLAYERS:
        return text.lower()
    near = get_close_matches(text.lower(), PLAYERS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"choose {', '.join(PLAYERS)}"
    raise typer.BadParameter(f"{text!r} is no player; {hint}")


def play(
    game: GameName,
    player: Annotated[
        str, typer.Option(metavar="PLAYER", parser=read_player, help="Whom you play: 0, 1, both or none.")
    ] = "0",
    level: Annotated[int, typer.Option(min=1, max=10, help="How strong the search plays.")] = 5,
    seconds: Annotated[
        float | None, typer.Option(min=0, help="Time for each move of the search at full strength, not a level.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed makes the same choices.")] = None,
    moves: Moves = "",
    algorithm: Algorithm = "alpha-beta",
) -> None:
    """Play against the search, or watch it, or play two of you."""
    rules = load_game(game)
    states, names = play_moves(rules, moves)
    strength = LEVELS[level - 1] if seconds is None else Level(Limit(seconds=seconds))
    people = {"both": {0, 1}, "none": set()}.get(player) if player in ("both", "none") else {int(player)}
    match = Match(rules, searcher_for(rules, algorithm), people or set(), strength, Random(seed), states, names)  # noqa: S311
    with suppress(EOFError, KeyboardInterrupt, Quit):
        match.play()
    match.end(game)


class Quit(Exception):
    """The person wants to leave."""


@dataclass
class Match:
    """A game that is being played: its states from the initial one on, and the names of the moves between them."""

    game: Game
    searcher: "Searcher"
    people: set[int]
    level: Level
    random: Random
    states: list[Any]
    names: list[str]

    @property
    def state(self) -> Any:
        """Where the game stands."""
        return self.states[-1]

    def play(self) -> None:
        """Play to the end of the game."""
        self.board()
        if self.people:
            say("Type a move, or help.", "dim")
        while not self.game.is_terminal(self.state):
            if self.game.to_move(self.state) in self.people:
                self.ask()
            else:
                self.reply()

    def end(self, text: str) -> None:
        """Say who won and what was played; `text` is the game as the person wrote it."""
        if self.game.is_terminal(self.state):
            result = outcome(self.game, self.state)
            yours = f"player {next(iter(self.people))} " if len(self.people) == 1 else None
            if yours:
                result += " - you win!" if result.startswith(yours) else " - you lose." if "wins" in result else ""
            say(f"The game is over: {result}", "bold")
        else:
            say("\nThe game is not over.")
        if self.names:
            say(f'Moves: {" ".join(self.names)}')
            say(f'To look at it again: outplay analyse "{text}" --moves "{" ".join(self.names)}"', "dim")

    # -- a person -----------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Let the person move, or do what they say."""
        line = input(f"player {self.game.to_move(self.state)}, your move: ").strip()
        if not sys.stdin.isatty():
            say(line)  # else a record of what came through a pipe would lack it
        word, _, rest = line.partition(" ")
        names = [self.game.action_name(self.state, action) for action in legal_actions(self.game, self.state)]
        if line and (line in names or word.lower() not in COMMANDS):
            self.try_move(line)
        elif line:
            getattr(self, word.lower())(*([rest] if word.lower() == "level" else []))

    def try_move(self, text: str) -> None:
        """Play the move, or say why not."""
        try:
            action = int(self.game.parse_action(self.state, text))
            if action not in [int(legal) for legal in legal_actions(self.game, self.state)]:
                raise IllegalAction(f"{text!r} is not a legal action here")
        except ValueError as error:
            near = get_close_matches(text.lower(), COMMANDS, n=1)
            say(f"{error}" + (f"; did you mean the command {near[0]}?" if near else ""), "yellow")
        else:
            self.move(action)

    def move(self, action: int) -> None:
        """Play a move that is legal, and show the board."""
        self.names.append(self.game.action_name(self.state, action))
        self.states.append(self.game.result(self.state, action))
        self.board()

    # -- commands -----------------------------------------------------------------------------------------------------

    def board(self) -> None:
        """Show the board."""
        stdout().print()
        stdout().print(picture(self.game, self.state))
        stdout().print()

    def undo(self) -> None:
        """Go back to the last time that a person was to move."""
        for ply in range(len(self.names) - 1, -1, -1):
            if self.game.to_move(self.states[ply]) in self.people:
                del self.states[ply + 1 :], self.names[ply:]
                self.board()
                return
        say("There is no move of yours to take back.", "yellow")

    def hint(self) -> None:
        """Say what the search would play."""
        analysis = self.think(HINT, every=False)
        if analysis.action is not None:
            name = self.game.action_name(self.state, analysis.action)
            say(f"Hint: {name} ({analysis.verdict}); the line {' '.join(analysis.line_names())}", "green")

    def moves(self) -> None:
        """Say what was played."""
        say(" ".join(self.names) or "no moves yet")

    def level_(self, text: str) -> None:
        """Change how strong the search plays."""

    def help(self) -> None:
        """Say what can be typed."""
        say(HELP)

    def quit(self) -> None:
        """Leave."""
        raise Quit

    # -- the search ---------------------------------------------------------------------------------------------------

    def think(self, limit: Limit, every: bool) -> "Analysis":
        """What the search says of the present state."""
        with live_search() as progress:
            return (self.searcher.analyse if every else self.searcher.search)(self.state, limit, progress=progress)
