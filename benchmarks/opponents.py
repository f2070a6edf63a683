"""Outplay against other programs, with the same time per move on one core each, by `outplay.arena`.

    python -m benchmarks opponents
    python -m benchmarks opponents stockfish-2000 xiangqi --games 40 --seconds 0.5

Each opening is played twice, so that both sides have both seats, with the same luck. A match ends when a sequential
test tells whether outplay is stronger or weaker (20 against -20 Elo), and after 100 games at the latest. Programs that
are not installed are named. Time is not enforced, since some programs know none: the table shows what both took.

Reading order: `OPPONENTS`, `contests`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import typer

from benchmarks.common import Plan
from benchmarks.match import Contest, match_of
from outplay.arena import RandomOpenings, SequentialTest, Terms
from outplay.engine.clock import Clock
from outplay.protocols.program import located
from outplay.session.algorithms import suited
from outplay.session.load import load_game

GAMES, QUICK_GAMES = 100, 2
SECONDS, QUICK_SECONDS = 1.0, 0.05
TEST = SequentialTest(-20, 20)


@dataclass(frozen=True)
class Opponent:
    """A match.

    Attributes:
        game: the game.
        program: the other program.
        player: the player; `{}` in it is the time per move.
        note: what else readers should know.
        ours: outplay's player, if it is not the usual search for the game with that time per move.
        sessions: the moves of a session, if both have a clock for sessions instead of a time per move.
    """

    game: str
    program: str
    player: str
    note: str = ""
    ours: str = ""
    sessions: int | None = None


OPPONENTS = {
    **{
        f"stockfish-{elo}": Opponent("chess", "stockfish", f"uci:stockfish(UCI_Elo={elo}, Threads=1, seconds={{}})")
        for elo in (1800, 2000, 2200)
    },
    "sunfish": Opponent("chess", "sunfish-uci", "uci:sunfish-uci(seconds={})"),
    "gnuchess": Opponent("chess", "gnuchess", "uci:gnuchess --uci(seconds={})"),
    "fairymax": Opponent(
        "chess",
        "fairymax",
        "cecp:fairymax",
        "it has times per move in whole seconds; both have that time for 40 moves at once",
        "alpha-beta",
        sessions=40,
    ),
    "gnugo": Opponent(
        "go(size=9, komi=7.5)",
        "gnugo",
        "gtp:gnugo --mode gtp --chinese-rules --capture-all-dead --level 10",
        "level 10, which takes its own time",
        "mcts(seconds={})",
    ),
    "rhino": Opponent("othello", "gtp-rhino", "gtp:gtp-rhino", "takes its own time"),
    **{
        f"gnubg-{depth}": Opponent(
            "backgammon",
            "gnubg",
            "external:gnubg(plies=0)",
            "it looks at its own turn alone; without the cube",
            f"expectiminimax(depth={depth})",
        )
        for depth in (1, 2)
    },
    "xiangqi": Opponent("xiangqi", "fairy-stockfish", "uci:fairy-stockfish(seconds={})"),
    "breakthrough": Opponent("breakthrough", "fairy-stockfish", "uci:fairy-stockfish(seconds={})"),
}


def opponents_named(words: Sequence[str]) -> dict[str, Opponent]:
    """The opponents named after `opponents`, or all."""
    for word in words:
        if word not in OPPONENTS:
            raise typer.BadParameter(f"no opponent is called {word!r}: {', '.join(OPPONENTS)}")
    return {name: opponent for name, opponent in OPPONENTS.items() if not words or name in words}


def contests(plan: Plan, words: Sequence[str]) -> list[Contest]:
    """The matches against the programs that are installed."""
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    contests = []
    for opponent in opponents_named(words).values():
        if located(opponent.program) is not None:
            game = load_game(opponent.game)
            ours = opponent.ours or f"{suited(game)}(seconds={{}})"
            players = ours.format(f"{seconds:g}"), opponent.player.format(f"{seconds:g}")
            clock = None if opponent.sessions is None else Clock(opponent.sessions * seconds, moves=opponent.sessions)
            match = match_of(plan, game, players, (GAMES, QUICK_GAMES), Terms(clock=clock))
            contests.append(Contest(replace(match, test=TEST, openings=RandomOpenings()), note=opponent.note))
    return contests


def left_out(words: Sequence[str]) -> str:
    """The programs that are not installed, in words; "" if all are."""
    missing = [
        f"{name} ({opponent.program})"
        for name, opponent in opponents_named(words).items()
        if located(opponent.program) is None
    ]
    return f"Skipped, since the program is not installed: {', '.join(missing)}." if missing else ""
