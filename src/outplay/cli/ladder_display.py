"""What `outplay ladder` shows: the rungs as games are played, and at the end what each step is worth."""

from typing import TYPE_CHECKING

from outplay.arena.contest import Round
from outplay.arena.elo import elo_of, elo_text
from outplay.arena.ladder import Ladder
from outplay.arena.ladder_score import Gain, LadderResult, LadderScore, Rung, in_words
from outplay.cli.contest_display import ContestDisplay, plain_table
from outplay.cli.output import say, short, stdout

if TYPE_CHECKING:
    from rich.table import Table


class LadderDisplay(ContestDisplay):
    """The state of a ladder."""

    def __init__(self, ladder: Ladder, every: int | None = None) -> None:
        super().__init__(ladder, every)
        self.ladder, self.score = ladder, LadderScore(ladder)

    def count(self, round_: Round) -> None:
        """See `ContestDisplay`."""
        self.score.add(round_)

    @property
    def games(self) -> int:
        """The number of games that are over."""
        return len(self.score.games)

    def games_left(self) -> tuple[int, float]:
        """See `ContestDisplay`."""
        most = 2 * self.ladder.rounds
        return most, float(most - self.games)

    def table(self) -> "Table":
        """The ladder so far."""
        table = new_table(self.ladder.unit, "games", "points", "gain", "time a move", "nodes")
        for rung in self.score.rungs:
            share = rung.points / rung.games if rung.games else 0.5
            cells = (str(rung.games), f"{share:.1%}", elo_text(elo_of(share))) if rung.games else ("", "", "")
            table.add_row(rung.label, *cells, *costs(rung))
        return table

    def summary(self) -> str:
        """See `ContestDisplay`."""
        shares = (f"{rung.label} {rung.points / rung.games:.1%}" for rung in self.score.rungs if rung.games)
        return f"{self.games} games; points against the rung below: {', '.join(shares)}"


def print_ladder(result: LadderResult, display: LadderDisplay) -> None:
    """The result as a table, and what a step is worth."""
    table = new_table(result.ladder.unit, "Elo", "95%", "gain", "95%", "games", "time a move", "nodes")
    for place, rung in enumerate(result.rungs):
        cells = ["+0", *[""] * 4]
        if place:
            elo, gain = result.elos[place], result.gains[place - 1]
            cells = [elo_text(elo.elo), elo.span("…"), elo_text(gain.elo), gain.span("…"), str(rung.games)]
        table.add_row(rung.label, *cells, *costs(rung))
    stdout().print(table)
    say()
    for line in result.worth():
        say(line, "bold")
    say(f"first move {in_words(Gain(*result.ratings.advantage))}; {result.ratings.drawn:.0%} draws between equals")
    display.print_repeats()
    for rung in result.rungs:
        if rung.faults:
            say(f"{rung.name} lost {rung.faults} games by its own faults", "yellow")
    if display.stopped:
        say("interrupted", "yellow")


def new_table(*columns: str) -> "Table":
    """A plain table whose first column is text, and all others are numbers."""
    table = plain_table(*columns)
    table.columns[0].justify = "left"
    return table


def costs(rung: Rung) -> tuple[str, str]:
    """The time and the nodes of a move."""
    if not rung.moves:
        return "", ""
    nodes = "" if rung.nodes_a_move is None else short(rung.nodes_a_move)
    return f"{1000 * rung.seconds_a_move:.1f} ms", nodes
