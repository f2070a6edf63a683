"""A game in the terminal: prompts, boards, hints, and the commands that a person can type.

`TerminalGame` shows a `Session`, which knows the game; start reading at `TerminalGame.play`.
"""

import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from difflib import get_close_matches

from outplay.cli.output import amount, live_search, outcome, picture, say, worth
from outplay.cli.signals import terminated
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE
from outplay.session import SearchPlayer, Session, StrategyPlayer
from outplay.session.levels import LEVELS, Level
from outplay.session.players import Reply

HELP = """\
  a move      play it
  undo        take back your last move
  hint        what the search would play at full strength
  moves       the moves so far, as --moves takes them
  board       show the board again
  level N     how strong the search plays: 1, mostly at random, to 10
  quit        leave; so do Ctrl-D and Ctrl-C"""
COMMANDS = ("undo", "hint", "moves", "board", "level", "help", "quit")
HINT = Limit(seconds=1)


@dataclass
class TerminalGame:
    """A session shown in the terminal. `computer` gives the hints, and plays where no person does."""

    session: Session
    computer: SearchPlayer | StrategyPlayer
    levels: Sequence[Level] = LEVELS

    def play(self) -> None:
        """Play to the end of the game. Raises `EOFError` if the person leaves before."""
        session = self.session
        session.start_turn()
        self.board()
        if session.people:
            say("Type a move, or help.", "dim")
        while (player := session.player) is not None:
            if player == CHANCE:
                self.roll()
            elif player in session.people:
                self.ask()
            else:
                self.reply()

    def end(self, words: list[str]) -> None:
        """Print who won and what was played; `words` are the game and its options as the person wrote them."""
        session, game = self.session, self.session.game
        if session.late is not None:
            wins = f": player {1 - session.late} wins" if game.players == 2 else ""
            say(f"Time is up: player {session.late} loses on time{wins}.", "bold")
        elif utilities := session.utilities:
            yours = f"you are player {min(session.people)}, " if len(session.people) == 1 < game.players else ""
            say(f"The game is over: {yours}{outcome(game, utilities)}.", "bold")
        else:
            say("\nYou leave the game before its end.")
        if session.names:
            say(f"Moves: {session.record}")
            say(f"Look at it: {shlex.join(['outplay', 'analyse', *words, '--moves', session.record])}", "dim")

    # -- a person -----------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Ask the person to move for a line, and do what it says."""
        session = self.session
        line = input(f"player {session.player}, your move: ").strip()
        seconds = session.elapsed
        if not sys.stdin.isatty():
            say(line)  # input from a pipe would not be seen otherwise
        match line.lower().split():
            case []:
                pass
            case _ if line in map(session.name, session.legal):  # a move named like a command is a move
                self.try_move(line, seconds)
            case ["undo"]:
                self.undo()
            case ["hint"]:
                self.hint()
            case ["moves"]:
                hidden = "You may not see the moves of others before the end."
                say(hidden if session.hides else session.record or "no moves yet")
            case ["board"]:
                self.board()
            case ["level", *rest]:
                self.set_level(" ".join(rest))
            case ["help" | "?"]:
                say(HELP)
            case ["quit" | "exit"]:
                raise EOFError
            case _:
                self.try_move(line, seconds)

    def try_move(self, text: str, seconds: float) -> None:
        """Play the move that took the person `seconds`, or print why it cannot be played."""
        try:
            action = self.session.read(text)
        except ValueError as error:
            similar = get_close_matches(text.lower(), COMMANDS, n=1)
            say(f"{error}" + (f"; did you mean the command {similar[0]}?" if similar else ""), "yellow")
        else:
            self.move(action, seconds)

    def move(self, action: int, seconds: float) -> None:
        """Play a legal move. The board is shown unless the search is about to reply."""
        session = self.session
        session.play(action, seconds)
        visible = session.over or not session.people or session.player in session.people
        if visible and session.late is None:
            self.board()

    def board(self) -> None:
        """Show the board and the clocks."""
        session = self.session
        say()
        if session.hides:
            viewer = session.player if session.player in session.people else min(session.people)
            say(f"player {viewer} sees: {session.game.information_text(session.state, viewer)}")
        else:
            say(picture(session.game, session.state))
        if session.clocks:
            left = zip(session.seconds_left, session.clocks, strict=True)
            say("   ".join(f"player {player} {time_text(*clock_left)}" for player, clock_left in enumerate(left)))
        say()

    def undo(self) -> None:
        """Go back to the last time a person was to move."""
        try:
            self.session.take_back()
        except OutplayError:
            say("There is no move of yours to take back.", "yellow")
        else:
            self.board()

    def set_level(self, text: str) -> None:
        """Change how strong the search plays."""
        if text.isdecimal() and 1 <= int(text) <= len(self.levels):
            if isinstance(self.computer, SearchPlayer):
                self.computer.strength = self.levels[int(text) - 1]
            say(f"The search now plays at level {text}.")
        else:
            say(f"level {text}: write a level from 1 to {len(self.levels)}, as in: level 7", "yellow")

    # -- chance and the search ----------------------------------------------------------------------------------------

    def roll(self) -> None:
        """Let chance decide."""
        outcome = self.session.roll()
        say("by chance" if self.session.hides else f"by chance: {self.session.name(outcome)}", "bold")
        self.move(outcome, 0.0)

    def hint(self) -> None:
        """Print what the search would play, or the probability of each move in the strategy."""
        session = self.session
        if isinstance(self.computer, StrategyPlayer):
            likely = self.computer.strategy.probabilities(session.state).items()
            say("Hint: " + ", ".join(f"{session.name(action)} {share:.4g}" for action, share in likely), "green")
            return
        with live_search() as progress:
            analysis = session.search(self.computer.searcher, HINT, progress=progress)
        if analysis.action is None or not analysis.actions:
            say("No hint: there was no time for an answer.", "yellow")
        else:
            say(f"Hint: {session.name(analysis.action)} ({worth(analysis)}), line {analysis.line_text()}", "green")

    def reply(self) -> None:
        """Let the computer move."""
        session, player = self.session, self.session.player
        searches = isinstance(self.computer, SearchPlayer) and len(session.legal) > 1
        with live_search() if searches else nullcontext() as progress:
            choice = session.choose(progress)
        assert choice.action is not None, "neither of these players resigns"
        interrupted = choice.analysis is not None and choice.analysis.stopped == "interrupted"
        if interrupted and (terminated() or not session.people):
            raise KeyboardInterrupt
        reason = self.reason(choice)
        say(
            f"player {player} has moved"
            if session.hides
            else f"player {player} plays {session.name(choice.action)} ({reason})",
            "bold",
        )
        self.move(choice.action, choice.seconds)

    def reason(self, choice: Reply) -> str:
        """Why the computer chose an action, or what the search thinks of it."""
        analysis = choice.analysis
        if analysis is None:
            if isinstance(self.computer, StrategyPlayer):
                return "by its strategy"
            return "the only move" if len(self.session.legal) == 1 else "at random"
        if not analysis.actions:
            return "there was no time to think"
        item = next(item for item in analysis.actions if item.action == choice.action)
        effort = f"depth {analysis.depth}" if analysis.simulations is None else amount(analysis)
        work = f"{effort}, {analysis.seconds:.2f} s" if analysis.nodes else "known from the book"
        return f"{worth(analysis, item)}, {work}"


def time_text(seconds: float, clock: Clock) -> str:
    """A time as a clock shows it, with the number of moves that it is for.

    >>> time_text(298.2, Clock(299)), time_text(59.99, Clock(60, moves=12))
    ('4:58.2', '1:00.0 for 12 moves')
    """
    tenths = max(0, round(10 * seconds))
    moves = "" if clock.moves is None else f" for {clock.moves} move{'s' * (clock.moves > 1)}"
    return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}{moves}"
