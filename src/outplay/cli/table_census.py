"""How `outplay table stats` shows the census of a table."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import TYPE_CHECKING

from outplay.cli.output import picture, say, stdout

if TYPE_CHECKING:
    from rich.table import Table

    from outplay.rules.game import Game
    from outplay.tables.counting import Census
    from outplay.tables.zugzwang import Zugzwangs

BAR = 40
"""The maximum length of a bar."""
BARS = 30
"""The maximum number of bars: with more distances, a bar stands for several."""


def show_census(game: "Game", counts: "Census", distance_to: str = "end") -> None:
    """Print who wins how often, the first actions, the distances as bars, and the longest win."""
    end = "the end" if distance_to == "end" else f"the next {distance_to}"
    say(f"{game!r}: {counts.states:,} states, {counts.ended:,} of them ends of the game", "bold")
    say()
    rows = _rows("player to move", "wins", "draws", "losses")
    for player, outcomes in enumerate(counts.outcomes):
        shares = (f"{outcome:,}  {outcome / max(1, sum(outcomes)):6.1%}" for outcome in outcomes)
        rows.add_row(str(player), *shares)
    stdout().print(rows)
    say()
    if counts.first_actions:
        rows = _rows("first actions", "share", "<which")
        for words, share, names in first_rows(game, counts):
            rows.add_row(words, share, names)
        stdout().print(rows)
        say()
    if counts.distances:
        rows = _rows(f"plies to {end}", "wins", "losses", "<")
        for plies, wins, losses, bar in bars(counts):
            rows.add_row(plies, f"{wins:,}", f"{losses:,}", bar)
        stdout().print(rows)
        say()
    if counts.zugzwangs is not None:
        _show_zugzwangs(game, counts.zugzwangs)
    if counts.longest_win is not None:
        longest = counts.longest_win
        longest_way = "the longest win" if distance_to == "end" else f"the longest way to {end}"
        say(f"{longest_way}: {longest.plies} plies, player {longest.player} to move", "bold")
        say()
        say(picture(game, longest.state))
        say()
        say(f"line {' '.join(longest.line)}")


def _show_zugzwangs(game: "Game", groups: "tuple[Zugzwangs, ...]") -> None:
    """Print the mutual zugzwangs by class and by values, with a position of the first kind."""
    say(f"mutual zugzwangs: {sum(group.positions for group in groups):,}", "bold")
    say()
    if not groups:
        return
    rows = _rows("class", "index_player to move", "the other", "positions")
    for group in groups:
        rows.add_row(group.name, f"{group.to_move:+g}", f"{group.other_to_move:+g}", f"{group.positions:,}")
    stdout().print(rows)
    say()
    say(f"one of {groups[0].name}, with either player to move")
    say()
    say(picture(game, groups[0].example))
    say()


def _rows(*columns: str) -> "Table":
    """An empty table; a column whose name begins with < is of texts."""
    from rich import box
    from rich.table import Table

    rows = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        text = column.startswith("<")
        rows.add_column(column.removeprefix("<"), justify="left" if text else "right", overflow="fold")
    return rows


def first_rows(game: "Game", counts: "Census") -> list[tuple[str, str, str]]:
    """The first actions by value: the value in words, how many of all actions have it, and their names."""
    from outplay.rules.value_text import value_words

    count = len(counts.first_actions)
    return [
        (
            value_words(game, value, exact=True, distance=None),
            f"{len(rows)} of {count}  {len(rows) / count:6.1%}",
            " ".join(row.name for row in rows),
        )
        for value, rows in counts.first_values().items()
    ]


def bars(census: "Census") -> list[tuple[str, int, int, str]]:
    """The histogram of distances: plies, states that are won and lost, and a bar for their sum.

    >>> from outplay.tables.counting import AtDistance, Census
    >>> bars(Census(9, 0, (), (AtDistance(1, 8, 0), AtDistance(2, 0, 1)), None, ()))[1]
    ('2', 0, 1, '█████')
    """
    width = max(1, -(-len(census.distances) // BARS))
    groups = [census.distances[start : start + width] for start in range(0, len(census.distances), width)]
    counts = [(sum(count.wins for count in group), sum(count.losses for count in group)) for group in groups]
    most = max(map(sum, counts), default=0)
    rows = []
    for group, (wins, losses) in zip(groups, counts, strict=True):
        first, last = group[0].plies, group[-1].plies
        plies = f"{first}" if first == last else f"{first}–{last}"
        rows.append((plies, wins, losses, _bar(BAR * (wins + losses) / max(1, most))))
    return rows


def _bar(length: float) -> str:
    """A bar of this length, in eighths; what is not 0 shows."""
    eighths = max(round(8 * length), int(length > 0))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
