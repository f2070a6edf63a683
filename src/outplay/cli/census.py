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


def show_census(game: "Game", found: "Census", distance_to: str = "end") -> None:
    """Print who wins how often, the first actions, the distances as bars, and the longest win."""
    what = "the end" if distance_to == "end" else f"the next {distance_to}"
    say(f"{game!r}: {found.states:,} states, {found.ended:,} of them ends of the game", "bold")
    say()
    rows = _rows("player to move", "wins", "draws", "losses")
    for player, outcomes in enumerate(found.outcomes):
        shares = (f"{outcome:,}  {outcome / max(1, sum(outcomes)):6.1%}" for outcome in outcomes)
        rows.add_row(str(player), *shares)
    stdout().print(rows)
    say()
    if found.first_actions:
        rows = _rows("first actions", "share", "<which")
        for words, share, names in first_rows(game, found):
            rows.add_row(words, share, names)
        stdout().print(rows)
        say()
    if found.distances:
        rows = _rows(f"plies to {what}", "wins", "losses", "<")
        for plies, wins, losses, bar in bars(found):
            rows.add_row(plies, f"{wins:,}", f"{losses:,}", bar)
        stdout().print(rows)
        say()
    if found.zugzwangs is not None:
        _show_zugzwangs(game, found.zugzwangs)
    if found.longest_win is not None:
        longest = found.longest_win
        longest_way = "the longest win" if distance_to == "end" else f"the longest way to {what}"
        say(f"{longest_way}: {longest.plies} plies, player {longest.player} to move", "bold")
        say()
        say(picture(game, longest.state))
        say()
        say(f"line {' '.join(longest.line)}")


def _show_zugzwangs(game: "Game", found: "tuple[Zugzwangs, ...]") -> None:
    """Print the mutual zugzwangs by class and by values, with a position of the first kind."""
    say(f"mutual zugzwangs: {sum(each.positions for each in found):,}", "bold")
    say()
    if not found:
        return
    rows = _rows("class", "index_player to move", "the other", "positions")
    for each in found:
        rows.add_row(each.name, f"{each.to_move:+g}", f"{each.other_to_move:+g}", f"{each.positions:,}")
    stdout().print(rows)
    say()
    say(f"one of {found[0].name}, with either player to move")
    say()
    say(picture(game, found[0].example))
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


def first_rows(game: "Game", found: "Census") -> list[tuple[str, str, str]]:
    """The first actions by value: the value in words, how many of all actions have it, and their names."""
    from outplay.rules.value_text import value_words

    count = len(found.first_actions)
    return [
        (
            value_words(game, value, exact=True, distance=None),
            f"{len(rows)} of {count}  {len(rows) / count:6.1%}",
            " ".join(row.name for row in rows),
        )
        for value, rows in found.first_values().items()
    ]


def bars(found: "Census") -> list[tuple[str, int, int, str]]:
    """The histogram of distances: plies, states that are won and lost, and a bar for their sum.

    >>> from outplay.tables.counting import AtDistance, Census
    >>> bars(Census(9, 0, (), (AtDistance(1, 8, 0), AtDistance(2, 0, 1)), None, ()))[1]
    ('2', 0, 1, '█████')
    """
    width = max(1, -(-len(found.distances) // BARS))
    groups = [found.distances[start : start + width] for start in range(0, len(found.distances), width)]
    counts = [(sum(each.wins for each in group), sum(each.losses for each in group)) for group in groups]
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
