"""`human` as a player of matches and tournaments: a person at this terminal, asked as in `outplay play`."""

import sys
from typing import TYPE_CHECKING, Any

from outplay.cli.output import picture, say
from outplay.cli.terminal import time_text
from outplay.rules.actions import plain_action
from outplay.rules.game import CHANCE, Game
from outplay.rules.wording import visible
from outplay.session.players import Reply

if TYPE_CHECKING:
    from outplay.engine.clock import Clock
    from outplay.session.view import View

HELP = """\
  a move      play it
  moves       the moves so far
  board       show the board again
  legal       the moves that you can play
  resign      give this game up
  quit        end the match; so do Ctrl-D and Ctrl-C"""


class HumanPlayer:
    """A person, who is shown the board and types moves. Called with a game, it is the player of that game.

    Args:
        name: what the person is called.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self.move_count = 0
        """How many moves of this game the person knows."""

    def __call__(self, game: Game) -> "HumanPlayer":
        """The player of a game."""
        return self

    def new_game(self, game: Game, player: int, seed: int) -> None:
        """See `Player`."""
        self.move_count = 0
        say(f"\nA new game: {self.__name__} is player {player}. Type a move, or help.", "bold")

    def close(self) -> None:
        """See `Player`."""

    def choose(self, view: "View", clock: "Clock | None") -> Reply:
        """Ask for a move until there is a legal one. Raises `KeyboardInterrupt` if the person leaves."""
        self.show_news(view)
        self.board(view, clock)
        while True:
            try:
                line = input(visible(f"{self.__name__}, player {view.player}, your move: ")).strip()
            except EOFError:
                raise KeyboardInterrupt from None
            if not sys.stdin.isatty():
                say(line)  # input from a pipe would not be seen otherwise
            match line.lower():
                case "":
                    continue
                case "board":
                    self.board(view, clock)
                case "moves":
                    say(" ".join(self.names(view)) or "no moves yet, or none that you may see")
                case "legal":
                    say(" ".join(view.game.action_name(view.sample(0), action) for action in view.legal))
                case "help" | "?":
                    say(HELP)
                case "resign":
                    return Reply(None)
                case "quit" | "exit":
                    raise KeyboardInterrupt
                case _:
                    try:
                        action: Any = plain_action(view.game.parse_action(view.sample(0), line))
                    except ValueError as error:
                        say(str(error), "yellow")
                        continue
                    if action in view.legal:
                        self.move_count = len(view.actions) + 1
                        return Reply(action)
                    say(f"{line!r} is not a legal move here", "yellow")

    def names(self, view: "View") -> list[str]:
        """The names of the moves so far, as far as the person may see them."""
        pairs = zip(view.states, view.actions, strict=False)
        return [view.game.action_name(state, action) for state, action in pairs]

    def show_news(self, view: "View") -> None:
        """Print what was played since the person's last move."""
        for place, name in list(enumerate(self.names(view)))[self.move_count :]:
            player = int(view.game.to_move(view.states[place]))
            say(f"by chance: {name}" if player == CHANCE else f"player {player} plays {name}", "bold")

    def board(self, view: "View", clock: "Clock | None") -> None:
        """Show what the person may see, and the time left."""
        say()
        if view.game.hidden_information:
            say(f"player {view.player} sees: {view.game.information_text(view.sample(0), view.player)}")
        else:
            say(picture(view.game, view.state))
        if clock is not None:
            say(f"time left: {time_text(clock.seconds, clock)}")
        say()
