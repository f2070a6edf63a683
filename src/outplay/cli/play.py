"""`outplay play`: a game in the terminal, a person against the search.

`Match` is the game so far and what can be done with it; `play` is the loop around it; `LEVELS` says how strong the
search plays.
"""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import re
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.common import (
    BookFile,
    EvaluationName,
    GameName,
    Moves,
    SearchOptions,
    State,
    Threads,
    amount,
    live_search,
    load_checked,
    outcome,
    picture,
    play_moves,
    read_algorithm,
    say,
    searcher_for,
    worth,
)
from outplay.cli.signals import terminated
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.rules.errors import IllegalAction
from outplay.rules.game import CHANCE, Game
from outplay.rules.repetition import final, playable
from outplay.session.algorithms import searcher_class, suited, takes

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Searcher
    from outplay.equilibrium import Strategy

EXAMPLES = (
    "Examples:",
    "  outplay play connect-four",
    "  outplay play tic-tac-toe --player 1 --level 10",
    "  outplay play my_game.py:MyGame --player both",
    "  outplay play kalah --clock 5:00+3",
    "  outplay play chess --evaluation weights.txt",
    "  outplay play go --algorithm mcts --seconds 5",
    "  outplay play pacman --seed 1",
    "  outplay play \"pacman('classic-like', 'random')\" --player none",
    "  outplay play my_dice_game.py --algorithm mcts",
    "  outplay play kuhn-poker --algorithm pimc",
    "  outplay play kuhn-poker --strategy kuhn.json   by outplay equilibrium --save",
    "In the game: a move, undo, hint, moves, board, level N, help, quit;",
    "Ctrl-C while the search thinks makes it move now.",
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
WHO = ("0", "1", "both", "all", "none")
"""Whom a person can play, or any number of a player that the game has; `both` and `all` are the same."""


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
LEVELS_BY_SIMULATIONS = (
    *(Level(Limit(simulations=number, seconds=2)) for number in (10, 30, 100, 300, 1000, 3000, 10_000)),
    *LEVELS[7:],
)
"""The same for Monte Carlo tree search: with few simulations it is weak, and plays anew each time."""
HINT = Limit(seconds=1)


def read_player(text: str) -> str:
    """Whom the person plays."""
    name = text.lower()
    if name in WHO or name.isdecimal():
        return name
    near = get_close_matches(name, WHO, n=1)
    hint = f"did you mean {near[0]}?" if near else f"choose {', '.join(WHO)}"
    raise typer.BadParameter(f"there is no player {text!r}; {hint}")


def people(game: Game, player: str) -> set[int]:
    """The players of `game` that a person plays.

    >>> from outplay.games import Pacman
    >>> people(Pacman(), "2"), people(Pacman(), "all")
    ({2}, {0, 1, 2})
    """
    if not player.isdecimal():
        return set() if player == "none" else set(range(game.players))
    if int(player) >= game.players:
        last = f"0 to {game.players - 1}" if game.players > 1 else "only 0"
        raise typer.BadParameter(f"--player {player}: the players of {game!r} are {last}; all or none will do too")
    return {int(player)}


def read_clock(text: str) -> Clock:
    """A time for the game, and what is added after each move.

    >>> read_clock("5:00+3"), read_clock("90")
    (Clock(seconds=300.0, increment=3.0, moves=None), Clock(seconds=90.0, increment=0.0, moves=None))
    """
    number = r"(\d{1,9}(?:\.\d+)?)"
    found = re.fullmatch(rf"(?:(\d{{1,9}}):(?=[0-5]\d(?!\d)))?{number}(?:\+{number})?", text, re.ASCII)
    minutes, seconds, increment = (float(part or 0) for part in found.groups()) if found else (0, 0, 0)
    if 60 * minutes + seconds == 0:
        raise typer.BadParameter(
            f"{text!r} is no time; write 5:00+3 for 5 minutes and 3 seconds a move, or 90 for 90 s"
        )
    return Clock(60 * minutes + seconds, increment)


def shown(seconds: float) -> str:
    """A time as a clock shows it.

    >>> shown(298.2), shown(59.99)
    ('4:58.2', '1:00.0')
    """
    tenths = max(0, round(10 * seconds))
    return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}"


def play(
    game: GameName,
    player: Annotated[
        str,
        typer.Option(
            metavar="PLAYER", parser=read_player, help="Whom you play: a number, 0 and up, both, all or none."
        ),
    ] = "0",
    level: Annotated[int, typer.Option(metavar="1..10", min=1, max=10, help="How strong the search plays.")] = 5,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="Time for each move of the search, at full strength whatever the level."),
    ] = None,
    clock: Annotated[
        Clock | None,
        typer.Option(
            metavar="M:SS+I",
            parser=read_clock,
            help="Time for each player's whole game, and seconds added at each move; the search is at full strength.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The same seed makes the same choices.")] = None,
    moves: Moves = "",
    state: State = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            parser=read_algorithm,
            help="What plays, as in outplay analyse.  [default: alpha-beta; mcts with chance or more than two players;"
            " ismcts with hidden information]",
        ),
    ] = None,
    threads: Threads = 1,
    selective: Annotated[
        bool | None,
        typer.Option(
            "--selective/--exact",
            help="Whether the search may leave out what hardly matters, to look deeper.  "
            "[default: in games that have a null move, such as chess]",
        ),
    ] = None,
    book: BookFile = None,
    evaluation: EvaluationName = None,
    strategy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Play by this strategy, which outplay equilibrium --save has written."),
    ] = None,
    settings: SearchOptions = None,
) -> None:
    """Play against the search, or watch it, or play two of you."""
    if strategy is not None and any(
        each is not None for each in (seconds, clock, algorithm, selective, book, evaluation, settings)
    ):
        raise typer.BadParameter("--strategy plays without a search: leave out the options of one, and clocks")
    rules = load_checked(game)
    persons = people(rules, player)
    algorithm = algorithm or suited(rules)
    states, names = play_moves(rules, moves, state)
    timed = seconds is not None or clock is not None  # then what was found for a move helps with the next
    levels = LEVELS_BY_SIMULATIONS if "simulations" in searcher_class(algorithm).limits else LEVELS
    strength = Level(Limit(seconds=seconds)) if timed else levels[level - 1]
    random = Random(seed)  # noqa: S311 - not for secrets
    searcher = searcher_for(
        rules,
        algorithm,
        book=book,
        threads=threads,
        reuse=timed,
        selective=selective,
        evaluation=evaluation,
        seed=random.randrange(1 << 31) if takes(algorithm, "seed") else None,
        settings=settings,
    )
    match = Match(rules, searcher, persons, strength, random, states, names, levels=levels)
    if strategy is not None:
        from outplay.equilibrium import Strategy

        match.strategy = Strategy.load(strategy, rules)
    if clock is not None:
        match.clocks = [(clock,) * rules.players] * len(states)
    with suppress(ImportError):
        import readline  # noqa: F401 - with it, input() has arrow keys and a history
    with suppress(EOFError, KeyboardInterrupt):
        match.play()
    words = [game] if state is None else [game, "--state", state]
    match.end(words if algorithm == "alpha-beta" else [*words, "--algorithm", algorithm])


@dataclass
class Match:
    """A game that is being played: its states from the initial one on, and the names of the moves between them.

    With clocks, `clocks` holds what each player's clock shows in each state, the turn not begun; it is empty without.
    """

    game: Game
    searcher: "Searcher"
    people: set[int]
    level: Level
    random: Random
    states: list[Any]
    names: list[str]
    clocks: list[tuple[Clock, ...]] = field(default_factory=list)
    levels: Sequence[Level] = LEVELS
    turn_began: float = 0.0
    late: int | None = None
    strategy: "Strategy | None" = None

    @property
    def state(self) -> Any:
        """Where the game stands."""
        return self.states[-1]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return final(self.game, self.states) is not None

    @property
    def legal(self) -> list[int]:
        """The legal actions."""
        return playable(self.game, self.states)

    @property
    def hides(self) -> bool:
        """Whether people play who must not see everything."""
        return self.game.hidden_information and bool(self.people) and not self.over

    def name(self, action: int) -> str:
        """An action in the game's own notation."""
        return self.game.action_name(self.state, action)

    @property
    def moves(self) -> str:
        """The moves so far, as --moves takes them."""
        return " ".join(self.names)

    def play(self) -> None:
        """Play to the end of the game; `EOFError` if the person leaves before."""
        self.turn_began = time.perf_counter()
        self.board()
        if self.people:
            say("Type a move, or help.", "dim")
        while not self.over and self.late is None:
            if self.game.to_move(self.state) == CHANCE:
                self.roll()
            elif self.game.to_move(self.state) in self.people:
                self.ask()
            else:
                self.reply()

    def end(self, words: list[str]) -> None:
        """Say who won and what was played; `words` are the game and its first state as the person wrote them."""
        if self.late is not None:
            wins = f": player {1 - self.late} wins" if self.game.players == 2 else ""
            say(f"Time is up: player {self.late} loses on time{wins}.", "bold")
        elif utilities := final(self.game, self.states):
            yours = f"you are player {min(self.people)}, " if len(self.people) == 1 < self.game.players else ""
            say(f"The game is over: {yours}{outcome(self.game, utilities)}.", "bold")
        else:
            say("\nYou leave the game before its end.")
        if self.names:
            say(f"Moves: {self.moves}")
            say(f"Look at it: {shlex.join(['outplay', 'analyse', *words, '--moves', self.moves])}", "dim")

    # -- a person -----------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Let the person move, or do what they say."""
        line = input(f"player {self.game.to_move(self.state)}, your move: ").strip()
        seconds = time.perf_counter() - self.turn_began
        if not sys.stdin.isatty():
            say(line)  # else what came through a pipe would not be seen
        match line.lower().split():
            case []:
                pass
            case _ if line in map(self.name, self.legal):  # a move of that name comes first
                self.try_move(line, seconds)
            case ["undo"]:
                self.undo()
            case ["hint"]:
                self.hint()
            case ["moves"]:
                say(
                    "You may not see the moves of others before the end."
                    if self.hides
                    else self.moves or "no moves yet"
                )
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
        """Play the move, for which so many seconds were taken, or say why not."""
        try:
            action = int(self.game.parse_action(self.state, text))
            if action not in self.legal:
                raise IllegalAction(f"{text!r} is not a legal action here")
        except ValueError as error:
            near = get_close_matches(text.lower(), COMMANDS, n=1)
            say(f"{error}" + (f"; did you mean the command {near[0]}?" if near else ""), "yellow")
        else:
            self.move(action, seconds)

    def move(self, action: int, seconds: float) -> None:
        """Play a move that is legal, if in time; the board is shown unless the search is about to reply."""
        if self.clocks:
            player, clocks = self.game.to_move(self.state), list(self.clocks[-1])
            if player != CHANCE:
                if seconds > clocks[player].seconds:
                    self.late = player
                    return
                clocks[player] = clocks[player].after(seconds)
            self.clocks.append(tuple(clocks))
        self.names.append(self.name(action))
        self.states.append(self.game.result(self.state, action))
        self.turn_began = time.perf_counter()
        if self.over or not self.people or self.game.to_move(self.state) in self.people:
            self.board()

    def board(self) -> None:
        """Show the board, and the clocks."""
        say()
        if self.hides:
            mover = int(self.game.to_move(self.state))
            person = mover if mover in self.people else min(self.people)
            say(f"player {person} sees: {self.game.information_text(self.state, person)}")
        else:
            say(picture(self.game, self.state))
        if self.clocks:
            left = [clock.seconds for clock in self.clocks[-1]]
            if not self.over and self.game.to_move(self.state) != CHANCE:
                left[self.game.to_move(self.state)] -= time.perf_counter() - self.turn_began
            say("   ".join(f"player {player} {shown(seconds)}" for player, seconds in enumerate(left)))
        say()

    def undo(self) -> None:
        """Go back to the last time that a person was to move, with the clocks as they were."""
        for ply in reversed(range(len(self.names))):
            if self.game.to_move(self.states[ply]) in self.people:
                del self.states[ply + 1 :], self.names[ply:], self.clocks[ply + 1 :]
                self.turn_began = time.perf_counter()
                self.board()
                return
        say("There is no move of yours to take back.", "yellow")

    def set_level(self, text: str) -> None:
        """Change how strong the search plays."""
        if text.isdecimal() and 1 <= int(text) <= len(self.levels):
            self.level = self.levels[int(text) - 1]
            say(f"The search now plays at level {text}.")
        else:
            say(f"level {text}: write a level from 1 to {len(self.levels)}, as in: level 7", "yellow")

    # -- the search ---------------------------------------------------------------------------------------------------

    def roll(self) -> None:
        """Let chance decide."""
        odds = [self.game.probability(self.state, action) for action in self.legal]
        (outcome,) = self.random.choices(self.legal, odds)
        say("by chance" if self.hides else f"by chance: {self.name(outcome)}", "bold")
        self.move(outcome, 0.0)

    def hint(self) -> None:
        """Say what the search would play, or how likely each move is by the strategy."""
        if self.strategy is not None:
            likely = self.strategy.probabilities(self.state).items()
            say("Hint: " + ", ".join(f"{self.name(action)} {share:.4g}" for action, share in likely), "green")
            return
        with live_search() as progress:
            analysis = self.searcher.search(self.state, HINT, previous_states=self.states[:-1], progress=progress)
        if analysis.action is None:
            say("No hint: there was no time for an answer.", "yellow")
        else:
            line = " ".join(analysis.line_names())
            say(f"Hint: {self.name(analysis.action)} ({worth(self.game, analysis)}), line {line}", "green")

    def reply(self) -> None:
        """Let the search move. Its clock counts what it searches, not what it compiles."""
        player, chosen, why, seconds = self.game.to_move(self.state), self.legal[0], "the only move", 0.0
        if self.strategy is not None:
            chosen, why = self.strategy.draw(self.state, self.random), "by its strategy"
        elif len(self.legal) > 1:
            limit = replace(self.level.limit, clock=self.clocks[-1][player]) if self.clocks else self.level.limit
            with live_search() as progress:
                think = self.searcher.analyse if self.level.share else self.searcher.search
                analysis = think(self.state, limit, previous_states=self.states[:-1], progress=progress)
            seconds = analysis.seconds
            if analysis.stopped == "interrupted" and (terminated() or not self.people):
                raise KeyboardInterrupt
            chosen, why = choose(analysis, self.level.share, self.legal, self.random)
        say(
            f"player {player} has moved" if self.hides else f"player {player} plays {self.name(chosen)} ({why})", "bold"
        )
        self.move(chosen, seconds)


def choose(analysis: "Analysis", share: float, legal: list[int], random: Random) -> tuple[int, str]:
    """An action, and what the search thinks of it; see `Level` for `share`."""
    if not analysis.actions:
        return random.choice(legal), "at random: there was no time to think"
    best, worst = analysis.actions[0].value, analysis.actions[-1].value
    near = [item for item in analysis.actions if best - item.value <= share * (best - worst)] if share else []
    item = random.choice(near or analysis.actions[:1])
    done = f"depth {analysis.depth}" if analysis.simulations is None else amount(analysis)
    work = f"{done}, {analysis.seconds:.2f} s" if analysis.nodes else "known from the book"
    return item.action, f"{worth(analysis.game, item)}, {work}"
