"""`outplay play`: a game in the terminal, a person against the search.

Here are the options; `terminal.py` is the game.
"""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from random import Random
from typing import Annotated

import typer

from outplay.cli.options import (
    CLOCK,
    BookFile,
    EvaluationName,
    GameName,
    Moves,
    SearchOptions,
    State,
    Threads,
    read_clock,
)
from outplay.cli.output import say
from outplay.cli.searchers import read_algorithm, searcher_for
from outplay.cli.start import algorithm_for, begin_session, load_checked
from outplay.cli.terminal import TerminalGame
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.rules.game import Game
from outplay.session import SearchPlayer, StrategyPlayer
from outplay.session.algorithms import takes
from outplay.session.levels import PATIENCE, Level, LevelOrBlend, levels_of
from outplay.session.searchers import OWN
from outplay.system.seeds import fresh_seed

EXAMPLES = (
    "Examples:",
    "  outplay play connect-four",
    "  outplay play tic-tac-toe --player 1 --level 10",
    "  outplay play my_game.py:MyGame --player both",
    "  outplay play tic-tac-toe --elo 300",
    "  outplay play kalah --clock 5:00+3",
    "  outplay play chess --evaluation weights.txt",
    "  outplay play go --algorithm mcts --seconds 5",
    "  outplay play pacman --seed 1",
    "  outplay play \"pacman('classic-like', 'random')\" --player none",
    "  outplay play my_dice_game.py --algorithm mcts",
    "  outplay play kuhn-poker --algorithm pimc",
    "  outplay play kuhn-poker --strategy kuhn.json   by outplay equilibrium --save",
    "In the game: a move, undo, hint, moves, board, level N, help, quit;",
    "Ctrl-C during a search makes it move at once.",
)
WHO = ("0", "1", "both", "all", "none")
"""Suggestions for `--player`, which also accepts any other player's number. `both` and `all` are the same."""


def read_player(text: str) -> str:
    """The value of `--player`."""
    name = text.lower()
    if name in WHO or name.isdecimal():
        return name
    similar = get_close_matches(name, WHO, n=1)
    hint = f"did you mean {similar[0]}?" if similar else f"choose {', '.join(WHO)}"
    raise typer.BadParameter(f"there is no player {text!r}; {hint}")


def people(game: Game, player: str) -> set[int]:
    """The players of `game` that people play.

    >>> from outplay.games import Pacman
    >>> people(Pacman(), "2"), people(Pacman(), "all")
    ({2}, {0, 1, 2})
    """
    if not player.isdecimal():
        return set() if player == "none" else set(range(game.players))
    if int(player) >= game.players:
        last = f"0 to {game.players - 1}" if game.players > 1 else "only 0"
        raise typer.BadParameter(
            f"--player {player}: the players of {game!r} are {last}; you can also write all or none"
        )
    return {int(player)}


def play(
    game: GameName,
    player: Annotated[
        str,
        typer.Option(
            metavar="PLAYER",
            parser=read_player,
            help="Who you play: a player's number, counted from 0, both, all or none.",
        ),
    ] = "0",
    level: Annotated[int, typer.Option(metavar="1..10", min=1, max=10, help="How strong the search plays.")] = 5,
    elo: Annotated[
        float | None,
        typer.Option(
            metavar="ELO", help="How strong the search plays, as Elo above random moves, where this is known."
        ),
    ] = None,
    levels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The levels for --elo, a file of outplay ladder --levels.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S", min=0, help="The time for each move of the search, which then plays at full strength."
        ),
    ] = None,
    clock: Annotated[
        Clock | None,
        typer.Option(
            metavar=CLOCK,
            parser=read_clock,
            help="The time for each player's whole game, or for each session of moves as in 40/5:00, and the seconds"
            " added after each move; the search plays at full strength.",
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
            help="The algorithm, as in outplay analyse.  [default: alpha-beta; mcts with chance or more than two"
            " players; ismcts with hidden information]",
        ),
    ] = None,
    threads: Threads = 1,
    selective: Annotated[
        bool | None,
        typer.Option(
            "--selective/--exact",
            help="Whether the search may skip moves that look unimportant, to look deeper.  "
            "[default: in games that have a null move, such as chess]",
        ),
    ] = None,
    book: BookFile = None,
    evaluation: EvaluationName = None,
    strategy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Play by this strategy, a file from outplay equilibrium --save."),
    ] = None,
    settings: SearchOptions = None,
) -> None:
    """Play against the search, watch it play, or play against another person."""
    if strategy is not None and any(
        option is not None for option in (seconds, clock, algorithm, selective, book, evaluation, settings)
    ):
        raise typer.BadParameter("--strategy plays without a search: leave out the options of a search, and --clock")
    _check_elo(elo, levels, (seconds, clock, strategy, book, evaluation, settings, selective))
    rules = load_checked(game)
    persons = people(rules, player)
    number = fresh_seed() if seed is None else seed
    random = Random(number)  # noqa: S311 - not for secrets
    session = begin_session(rules, moves, state, clocks=clock, seed=random)
    algorithm = algorithm or algorithm_for(rules, session.state)
    timed = seconds is not None or clock is not None  # then a search keeps its table for the next move
    ten = levels_of(algorithm, PATIENCE)
    strength: LevelOrBlend = Level(Limit(seconds=seconds)) if timed else ten[level - 1]
    if elo is not None:
        strength = Level.by_elo(rules, algorithm, elo, levels)
    searcher = searcher_for(
        rules,
        algorithm,
        book=book,
        threads=threads,
        reuse=timed,
        selective=selective,
        evaluation=evaluation or (None if timed else OWN),  # levels were measured with the game's own
        seed=random.randrange(1 << 31) if takes(algorithm, "seed") else None,
        settings=settings,
    )
    computer: SearchPlayer | StrategyPlayer = SearchPlayer(searcher, strength=strength)
    if strategy is not None:
        from outplay.equilibrium import Strategy

        computer = StrategyPlayer(Strategy.load(strategy, rules))
    session.players.update({player: computer for player in range(rules.players) if player not in persons})
    terminal = TerminalGame(session, computer, ten)
    with suppress(ImportError):
        import readline  # noqa: F401 - with it, input() has arrow keys and a history
    with suppress(EOFError, KeyboardInterrupt):
        terminal.play()
    words = [game] if state is None else [game, "--state", state]
    if seed is None and (rules.has_chance or rules.hidden_information):
        say(f"The same luck again: --seed {number}", "dim")
    terminal.end(words if algorithm == "alpha-beta" else [*words, "--algorithm", algorithm])


def _check_elo(elo: float | None, levels: Path | None, options: Sequence[object]) -> None:
    """Refuse options that do not go with `--elo`."""
    if elo is None and levels is not None:
        raise typer.BadParameter("--levels is the file of levels for --elo: give one")
    if elo is not None and any(option is not None for option in options):
        raise typer.BadParameter("--elo is the strength of the plain search: leave out its options, and those of time")
