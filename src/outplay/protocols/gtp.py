"""The Go Text Protocol, version 2: a game between programs, in lines of text.

A controller, such as GoGui, Sabaki or gogui-twogtp, writes a command a line; the engine answers each with `=` and what
was asked for, or `?` and what was wrong, ended by an empty line. A number before a command stands before its answer:

    7 play black E5       =7
                          (empty)
    8 genmove white       =8 C3
                          (empty)

Source: G. Farnebäck, *Specification of the Go Text Protocol, version 2, draft 2* (2002).

`Engine` serves any game of two players with the commands that say nothing of Go: in `play` and `genmove`, `black` is
player 0 and `white` player 1, and a move is written as the game writes it. `GoEngine` adds those of Go. As the protocol
knows no rule for positions that come again, a game of Go goes on then, and after two passes too if a move is played.
By the rules of Tromp and Taylor all stones on the board are alive at the end: `final_score` counts them, and the engine
never relies on stones to be taken off as dead.

Start reading at `Engine.answer`; each command is the method of its name. `Time` is what is left to think.
"""

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from outplay import __version__
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.games.go import Go, Points, first, is_any, without
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import Game
from outplay.rules.repetition import final, playable
from outplay.rules.user_code import describe_error
from outplay.system.files import read_file, write_file

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Searcher

SECONDS = 5.0
"""For a move, where neither the caller nor the controller sets a limit."""
COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
"""The players, by what a controller calls them."""

Method = Callable[..., str | None]


class Refused(OutplayError):
    """A command that cannot be done; the message is the answer."""


@dataclass(frozen=True)
class Time:
    """A player's time in Canadian overtime: first `main` seconds, then `period` seconds for each `stones` moves.

    `left` is what the clock shows, for `due` moves; with `due` 0 it is main time, for all moves to come.

    >>> time = Time(main=60, period=30, stones=10, left=60)
    >>> time.clock
    Clock(seconds=60, increment=3.0, moves=None)
    >>> time.after(65), time.after(65).after(20).clock
    (Time(main=60, period=30, stones=10, left=25, due=10), Clock(seconds=5, increment=0, moves=9))
    """

    main: float
    period: float
    stones: int
    left: float
    due: int = 0

    @classmethod
    def begin(cls, main: float, period: float, stones: int) -> "Time":
        """The time at the start of a game; there is overtime if `stones` is not 0."""
        return cls(main, period, stones, period, stones) if main == 0 and stones else cls(main, period, stones, main)

    @property
    def clock(self) -> Clock:
        """The same for a search. What overtime gives for each move, main time need not save."""
        if self.due:
            return Clock(self.left, moves=self.due)
        return Clock(self.left, self.period / self.stones if self.stones else 0)

    def after(self, seconds: float) -> "Time":
        """The time after a move that took so long: 0 if it was too long."""
        left = self.left - seconds
        if self.due == 0 and left <= 0 and self.stones:  # main time has run out
            return replace(self, left=max(0, self.period + left), due=self.stones)
        if self.due == 1:
            return replace(self, left=self.period, due=self.stones)
        return replace(self, left=max(0, left), due=max(0, self.due - 1))


class Engine:
    r"""A game that is played by GTP, from its first state on.

    Args:
        game: what is played.
        searcher: what makes a searcher for a game; called anew for every new game.
        limit: for each move, besides the clock that the controller sets. None: the clock, without one `SECONDS`.
        resign: give up where the value of a move, for the player who makes it, is that or less. None: never.
        report: called with each analysis.

    >>> from outplay import AlphaBeta
    >>> from outplay.games import TicTacToe
    >>> engine = Engine(TicTacToe(), AlphaBeta)
    >>> engine.answer("1 play black b2  # in the centre")
    '=1\n\n'
    >>> engine.answer("2 play white b2")
    '?2 illegal move\n\n'
    >>> engine.answer("3 play white b1"), engine.answer("genmove black"), engine.answer("final_score")
    ('=3\n\n', '= a1\n\n', '? the game is not over\n\n')
    """

    def __init__(
        self,
        game: Game,
        searcher: "Callable[[Game], Searcher]",
        limit: Limit | None = None,
        *,
        resign: float | None = None,
        report: "Callable[[Analysis], None] | None" = None,
    ) -> None:
        self.make, self.limit, self.resign, self.report = searcher, limit, resign, report
        self.ended = False
        """Whether the controller has said `quit`."""
        self.settings: Time | None = None
        self.begin(game)
        self.commands = self.all_commands()

    def all_commands(self) -> dict[str, Method]:
        """What does each command."""
        return {
            "protocol_version": self.protocol_version,
            "name": self.name,
            "version": self.version,
            "known_command": self.known_command,
            "list_commands": self.list_commands,
            "quit": self.quit,
            "clear_board": self.clear_board,
            "play": self.play,
            "genmove": self.genmove,
            "reg_genmove": self.reg_genmove,
            "undo": self.undo,
            "time_settings": self.time_settings,
            "time_left": self.time_left,
            "final_score": self.final_score,
            "showboard": self.showboard,
        }

    def begin(self, game: Game) -> None:
        """A new game: nothing is kept of the one before."""
        self.game, self.searcher = game, self.make(game)
        self.states: list[Any] = [game.initial_state()]
        self.moves: list[int] = []
        self.times = [self.settings] * 2  # of each player

    # -- the protocol -------------------------------------------------------------------------------------------------

    def answer(self, line: str) -> str:
        """The response to a line, whatever it is; "" to one that holds no command."""
        text = re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", "", line.partition("#")[0]).strip()
        if not text:
            return ""
        number, words = "", text.split()
        if re.fullmatch("[0-9]+", words[0]):
            number, *words = words
        try:
            sign, content = "=", self.obey(words)
        except ValueError as error:
            sign, content = "?", str(error)
        except Exception as error:  # in the rules of a user's game: a controller has no use for a traceback
            sign, content = "?", describe_error(error)
        content = re.sub(r"\n\s*\n", "\n", content).rstrip()  # an empty line would end the response
        return f"{sign}{number} {content}".rstrip(" ") + "\n\n"

    def obey(self, words: list[str]) -> str:
        """What the answer to a command says; raises `ValueError` if it cannot be done."""
        if not words:
            raise Refused("syntax error: a number without a command")
        name, *arguments = words
        if name not in self.commands:
            raise Refused("unknown command")
        method = self.commands[name]
        signature = inspect.signature(method)
        try:
            signature.bind(*arguments)
        except TypeError:
            raise Refused(f"syntax error: wanted {' '.join([name, *wanted(signature)])}") from None
        return method(*arguments) or ""

    def protocol_version(self) -> str:
        """Of GTP."""
        return "2"

    def name(self) -> str:
        """Of the engine."""
        return "outplay"

    def version(self) -> str:
        """Of the engine."""
        return __version__

    def known_command(self, command: str) -> str:
        """Whether there is such a command."""
        return "true" if command in self.commands else "false"

    def list_commands(self) -> str:
        """All commands."""
        return "\n".join(self.commands)

    def quit(self) -> None:
        """End the session, once this is answered."""
        self.ended = True

    # -- the game -----------------------------------------------------------------------------------------------------

    def clear_board(self) -> None:
        """Begin a new game."""
        self.begin(self.game)

    def play(self, color: str, *move: str) -> None:
        """Play a move."""
        state, text = self.turn_of(player(color)), " ".join(move)
        if not text:
            raise Refused("syntax error: wanted play color move")
        self.move(state, self.action_of(state, text))

    def undo(self) -> None:
        """Take back the last move."""
        if not self.moves:
            raise Refused("cannot undo: there is no move to take back")
        self.states.pop()
        self.moves.pop()

    def showboard(self) -> str:
        """A picture."""
        return "\n" + self.game.render(self.states[-1])

    def final_score(self) -> str:
        """Who has won, and by how much."""
        utilities = final(self.game, self.states)
        if utilities is None:
            raise Refused("the game is not over")
        return score(utilities[0])

    def turn_of(self, mover: int) -> Any:
        """The state in which this player is to move; raises `Refused` if it is the other one's turn."""
        if final(self.game, self.states) is not None:
            raise Refused("the game is over")
        if self.game.to_move(self.states[-1]) != mover:
            raise Refused("it is the other player's turn")
        return self.states[-1]

    def action_of(self, state: Any, text: str) -> int:
        """The legal action that `text` names."""
        try:
            action = int(self.game.parse_action(state, text))
        except IllegalAction:
            raise Refused("illegal move") from None
        if action not in self.legal(state):
            raise Refused("illegal move")
        return action

    def legal(self, state: Any) -> list[int]:
        """The legal actions where the game stands."""
        return playable(self.game, [*self.states[:-1], state])

    def move(self, state: Any, action: int) -> None:
        """Play a legal action in `state`, which is where the game stands."""
        self.states.append(self.game.result(state, action))
        self.moves.append(action)

    # -- the search ---------------------------------------------------------------------------------------------------

    def genmove(self, color: str) -> str:
        """Search, and play the best move."""
        mover = player(color)
        state, time = self.turn_of(mover), self.times[mover]
        limit = self.limit or (Limit() if time else Limit(seconds=SECONDS))
        action, analysis = self.think(state, replace(limit, clock=time.clock) if time else limit)
        if time:
            self.times[mover] = time.after(analysis.seconds)
        if self.gives_up(analysis):
            return "resign"
        self.move(state, action)
        return self.game.action_name(state, action)

    def reg_genmove(self, color: str) -> str:
        """What `genmove` would play without a clock; nothing is played."""
        state = self.turn_of(player(color))
        action, analysis = self.think(state, self.limit or Limit(seconds=SECONDS))
        return "resign" if self.gives_up(analysis) else self.game.action_name(state, action)

    def think(self, state: Any, limit: Limit) -> "tuple[int, Analysis]":
        """The best action, and how it was found. Without time for an answer it is the first that the rules list."""
        analysis = self.search(state, limit)
        if analysis.stopped == "interrupted":
            raise KeyboardInterrupt
        if self.report is not None:
            self.report(analysis)
        return self.legal(state)[0] if analysis.action is None else analysis.action, analysis

    def search(self, state: Any, limit: Limit) -> "Analysis":
        """Search `state`, which is where the game stands."""
        return self.searcher.search(state, limit, previous_states=self.states[:-1])

    def gives_up(self, analysis: "Analysis") -> bool:
        """Whether the value is so low that there is nothing to play for."""
        return self.resign is not None and analysis.action is not None and analysis.value <= self.resign

    # -- the clock ----------------------------------------------------------------------------------------------------

    def time_settings(self, main_time: str, byo_yomi_time: str, byo_yomi_stones: str) -> None:
        """The time for the game; then, from `byo_yomi_stones` 1 on, overtime. `byo_yomi_stones` 0: none, see below."""
        main, period, stones = number(main_time), number(byo_yomi_time), whole(byo_yomi_stones)
        unlimited = stones == 0 and (period > 0 or main == 0)  # so the protocol says that there is no limit
        self.settings = None if unlimited else Time.begin(main, period, stones)
        self.times = [self.settings] * 2
        self.searcher.search(self.game.initial_state(), Limit(nodes=1))  # compile before the clock runs

    def time_left(self, color: str, time: str, stones: str) -> None:
        """What the clock of a player shows; in main time `stones` is 0."""
        mover, left, due = player(color), number(time), whole(stones)
        settings = self.times[mover] or Time(left, 0, 0, left)
        if due and not settings.stones:  # overtime of which nothing was told before
            settings = replace(settings, period=left, stones=due)
        self.times[mover] = replace(settings, left=left, due=due)


class GoEngine(Engine):
    """`Engine` for Go, with all the commands of the protocol and those of KGS."""

    game: Go

    def all_commands(self) -> dict[str, Method]:
        """What does each command."""
        return super().all_commands() | {
            "boardsize": self.boardsize,
            "komi": self.komi,
            "fixed_handicap": self.fixed_handicap,
            "place_free_handicap": self.place_free_handicap,
            "set_free_handicap": self.set_free_handicap,
            "kgs-genmove_cleanup": self.genmove,  # it never relies on dead stones
            "final_status_list": self.final_status_list,
            "loadsgf": self.loadsgf,
            "printsgf": self.printsgf,
        }

    def with_options(self, **options: Any) -> Go:
        """The game with other options."""
        return type(self.game)(**{**self.game._arguments, **options})

    # -- the game -----------------------------------------------------------------------------------------------------

    def boardsize(self, size: str) -> None:
        """Begin a new game on a board of this size, without handicap."""
        if not 2 <= whole(size) <= 19:
            raise Refused("unacceptable size")
        self.begin(self.with_options(size=whole(size), handicap=0))

    def clear_board(self) -> None:
        """Begin a new game, without handicap."""
        self.begin(self.with_options(handicap=0))

    def komi(self, new_komi: str) -> None:
        """Change the komi; the game goes on."""
        game = self.with_options(komi=number(new_komi, least=-math.inf))
        if game != self.game:
            self.game, self.searcher = game, self.make(game)

    def turn_of(self, mover: int) -> Any:
        """The state with this player to move: a player may move twice in a row, and go on after two passes."""
        state = self.states[-1]
        if state.passes == 2:
            state = state._replace(passes=0)
        return state if state.turn == mover else self.game.null_move_state(state)

    def action_of(self, state: Any, text: str) -> int:
        """The legal action that `text` names."""
        if text.lower() != "pass":
            self.point_of(text)
        return super().action_of(state, text)

    def legal(self, state: Any) -> list[int]:
        """The legal actions of `state`."""
        return list(map(int, self.game.actions(state)))

    def point_of(self, text: str) -> int:
        """The point of this name."""
        names = {self.game.action_name(None, point): point for point in range(self.game.passing)}
        if text.upper() not in names:
            raise Refused(f"invalid coordinate: {text!r} is no point of this board, which are A1 to {[*names][-1]}")
        return names[text.upper()]

    def search(self, state: Any, limit: Limit) -> "Analysis":
        """Search; where a position has come again, which here ends no game, as if the game began there."""
        analysis = super().search(state, limit)
        if analysis.action is None and not analysis.stopped:
            analysis = self.searcher.search(state, limit)
        return analysis

    # -- handicap -----------------------------------------------------------------------------------------------------

    def fixed_handicap(self, number_of_stones: str) -> str:
        """Put black's stones on their usual points."""
        stones, most = whole(number_of_stones), len(self.game.stars)
        if not 2 <= stones <= most:
            allowed = f"2 to {most}" if most else "none"
            raise Refused(f"invalid number of stones: on a board of size {self.game.size} there are {allowed}")
        if self.moves or self.game.handicap or is_any(self.states[-1].mine) or is_any(self.states[-1].theirs):
            raise Refused("board not empty")
        self.begin(self.with_options(handicap=stones))
        return " ".join(self.names(self.game.handicap_points()))

    def place_free_handicap(self, number_of_stones: str) -> str:
        """Like `fixed_handicap`, but fewer stones where there is no room for so many."""
        return self.fixed_handicap(str(min(whole(number_of_stones), max(2, len(self.game.stars)))))

    def set_free_handicap(self, *vertices: str) -> None:
        """Put black's stones on these points, which can only be those of `fixed_handicap`."""
        points = {self.point_of(text) for text in vertices}
        if len(points) != len(vertices):
            raise Refused("repeated vertex")
        if 2 <= len(points) <= len(self.game.stars):
            usual = self.with_options(handicap=len(points)).handicap_points()
            if points != set(usual):
                raise Refused(f"bad vertex list: {len(points)} handicap stones go on {' '.join(self.names(usual))}")
        self.fixed_handicap(str(len(points)))

    # -- the end, and files -------------------------------------------------------------------------------------------

    def final_score(self) -> str:
        """The difference of the areas, as if the game ended here: all stones are alive."""
        black, white = self.game.area(self.states[-1])
        return score(black - white - self.game.komi)

    def final_status_list(self, status: str) -> str:
        """The chains of this status, one a line: all are `alive`."""
        if status not in ("alive", "dead", "seki"):
            raise Refused(f"syntax error: {status!r} is no status: alive, dead, seki")
        chains = [self.names(self.game.listed(chain)) for chain in self.chains()] if status == "alive" else []
        return "\n".join(map(" ".join, chains))

    def chains(self) -> list[Points]:
        """The chains of both colours."""
        found = []
        for stones in self.game.colours(self.states[-1]):
            rest = stones
            while is_any(rest):
                found.append(self.game.flood(first(rest), stones))
                rest = without(rest, found[-1])
        return found

    def loadsgf(self, filename: str, move_number: str | None = None) -> None:
        """Begin with the game in a file, or with its position before move `move_number`."""
        most = None if move_number is None else max(0, whole(move_number) - 1)
        try:
            text = read_file(filename).decode(errors="replace")
        except OutplayError as error:
            raise Refused(f"cannot load file: {error}") from None
        try:
            game, moves = type(self.game).from_sgf(text)
        except OutplayError as error:
            raise Refused(f"cannot load file: {filename}: {error}") from None
        self.begin(self.with_options(size=game.size, komi=game.komi, handicap=game.handicap))
        for action in moves[:most]:
            self.move(self.states[-1], action)

    def printsgf(self, filename: str | None = None) -> str:
        """The game so far as SGF, or into a file."""
        board = self.game.initial_state()
        for move, after in zip(self.moves, self.states[1:], strict=True):
            board = None if board.passes == 2 else self.game.result(board, move)
            if board is None or board.turn != after.turn:
                raise Refused("cannot write SGF: a colour has moved twice in a row, or the game went on after its end")
        text = self.game.to_sgf(self.moves)
        if filename is None:
            return text
        try:
            write_file(filename, f"{text}\n".encode())
        except OutplayError as error:
            raise Refused(f"cannot write file: {error}") from None
        return ""

    def names(self, points: Sequence[int]) -> list[str]:
        """The names of these points."""
        return [self.game.action_name(None, point) for point in points]


def engine_for(
    game: Game, searcher: "Callable[[Game], Searcher]", limit: Limit | None = None, **options: Any
) -> Engine:
    """The engine that suits `game`; the arguments are those of `Engine`."""
    if isinstance(game, Go):
        return GoEngine(game, searcher, limit, **options)
    return Engine(game, searcher, limit, **options)


# -- words ------------------------------------------------------------------------------------------------------------


def player(color: str) -> int:
    """The player that a colour names."""
    if color.lower() not in COLOURS:
        raise Refused(f"invalid color: {color!r}; wanted black or white")
    return COLOURS[color.lower()]


def whole(text: str) -> int:
    """A whole number from 0 on."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise Refused(f"syntax error: {text!r} is no whole number")
    return int(text)


def number(text: str, least: float = 0) -> float:
    """A number, at least `least`."""
    if not re.fullmatch(r"[-+]?([0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9})", text) or float(text) < least:
        raise Refused(f"syntax error: {text!r} is no number" + (" from 0 on" if least == 0 else ""))
    return float(text)


def score(lead: float) -> str:
    """How many points black is ahead, as the protocol writes it.

    >>> score(3.5), score(-2), score(0)
    ('B+3.5', 'W+2', '0')
    """
    return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"


def wanted(signature: inspect.Signature) -> list[str]:
    """The names of the arguments of a command; those that may be left out in brackets."""
    return [name if each.default is each.empty else f"[{name}]" for name, each in signature.parameters.items()]
