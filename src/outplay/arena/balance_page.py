"""A report of balance as a page: one HTML file, without a server and without requests to any host."""

from collections.abc import Sequence
from html import escape

from outplay import __version__
from outplay.arena.balance_report import MEANINGS, TITLES, BalanceReport, StrengthReport
from outplay.arena.elo import elo_text
from outplay.pictures import svg
from outplay.pictures.chart import Series, Value, chart, curve, histogram

RULE = "1px solid color-mix(in srgb,var(--line) 25%,transparent)"
SHOWN_CURVES = 4
"""How many strengths a plot of curves shows at most: the weakest, and the strongest ones."""


def balance_page(report: BalanceReport) -> str:
    """The page as HTML."""
    game = " ".join(repr(report.game).split())
    lines = "".join(f"<li>{escape(capitalized(line))}.</li>" for line in report.conclusions())
    games = sum(strength.games for strength in report.strengths)
    ladder = sum(rung.games for rung in report.ladder.rungs) if report.ladder else 0
    played = f"{games:,} games between equal players" + f", {ladder:,} of the ladder" * bool(ladder)
    note = " The study was interrupted: intervals are wide." * report.interrupted
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Balance of {escape(game)}</title><style>{_style()}</style></head><body><main>",
            f"<h1>Balance of {escape(game)}</h1>",
            f'<p class="faint">{played}; intervals of 95%.{note} outplay {__version__}</p>',
            f'<ul class="verdict">{lines}</ul>',
            f'<div class="plots">{"".join(_plots(report))}</div>',
            "<h2>All figures</h2>",
            _figures(report.strengths),
            *([_seats(report.strengths)] if "first" not in report.strengths[-1].figures else []),
            *([_ladder(report)] if report.ladder else []),
            "</main></body></html>",
        ]
    )


def capitalized(text: str) -> str:
    """A sentence with a capital at its start, unless it starts with the name of a player.

    >>> capitalized("draws 20%"), capitalized("mcts(depth=3) wins")
    ('Draws 20%', 'mcts(depth=3) wins')
    """
    first = text.partition(" ")[0]
    return f"{text[:1].upper()}{text[1:]}" if first.isalpha() else text


def _style() -> str:
    return (
        f":root{{{svg.variables()}color-scheme:light dark}}"
        f"@media(prefers-color-scheme:dark){{:root{{{svg.variables(dark=True)}}}}}"
        f"body{{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 {svg.FONT}}}"
        "main{max-width:1000px;margin:0 auto;padding:24px 20px 60px}"
        "h1{font-size:26px;margin:8px 0 0}h2{font-size:19px;margin:36px 0 8px}.faint{color:var(--faint);margin:4px 0}"
        ".verdict{background:var(--fill);border-left:4px solid var(--blue);border-radius:6px;margin:18px 0;"
        "padding:12px 16px 12px 34px}"
        ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(330px,1fr));gap:18px}"
        f"figure{{margin:0;border:{RULE};border-radius:8px;padding:12px}}"
        "figure svg{width:100%;height:auto;display:block}figcaption b{display:block}"
        "figcaption{margin-bottom:6px}figcaption span{color:var(--faint);font-size:13px}"
        ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}"
        f"th,td{{text-align:right;padding:6px 10px;border-bottom:{RULE};white-space:nowrap;vertical-align:top}}"
        "th:first-child,td:first-child{text-align:left;white-space:normal;"
        "min-width:210px}td small{color:var(--faint);display:block;line-height:1.35}"
    )


def _plots(report: BalanceReport) -> list[str]:
    strengths = report.strengths
    names = [strength.name for strength in strengths]
    plots = []
    for key, level in (("first", 0.5), ("drawn", None), ("matters", None), ("luck", None)):
        if points := _points(strengths, key):
            within = None if key == "luck" else (0.0, 1.0)
            plot = chart(
                [Series(TITLES[key], points)], names, TITLES[key], text_of="{:.0%}".format, within=within, line_at=level
            )
            plots.append(_plot(plot, TITLES[key], MEANINGS[key]))
    if report.ladder is not None:
        rungs = [Value(place, *interval) for place, interval in enumerate(report.ladder.elos)]
        labels = [rung.label for rung in report.ladder.rungs]
        plot = chart([Series("Elo", rungs)], labels, "Elo of each strength")
        plots.append(_plot(plot, "how strength pays", "Elo of each strength above the weakest one, from the ladder"))
    top = strengths[-1]
    words = f"moves of the games of {top.name}: half are below {top.quantiles[1]:.0f}, 90% from {top.quantiles[0]:.0f}"
    plots.append(_plot(histogram(top.lengths, "length of games", "moves"), TITLES["length"],
                       f"{words} to {top.quantiles[2]:.0f}"))  # fmt: skip
    ends = list(enumerate(_weakest_and_strongest(strengths)))
    if curves := [Series(one.name, _points_by_ply(one.widths), place) for place, one in ends if len(one.widths) > 1]:
        plots.append(_plot(curve(curves, "legal actions", "move"), TITLES["branching"],
                           "legal actions at each move, as long as a quarter of the games last"))  # fmt: skip
    if curves := [Series(one.name, _shares_decided(one.decisions), place) for place, one in ends if one.decisions]:
        plot = curve(curves, "decided games", "% of the game", text_of="{:.0%}".format, within=(0.0, 1.0))
        plots.append(_plot(plot, "when games are decided", "share of the won games that are decided by then"))
    return plots


def _points(strengths: Sequence[StrengthReport], key: str) -> list[Value]:
    figures = [(place, strength.figures[key]) for place, strength in enumerate(strengths) if key in strength.figures]
    return [Value(place, figure.value, figure.low, figure.high) for place, figure in figures]


def _weakest_and_strongest(strengths: Sequence[StrengthReport]) -> list[StrengthReport]:
    """The weakest strength, and the strongest ones."""
    return [*strengths[:1], *strengths[1:][-SHOWN_CURVES + 1 :]]


def _points_by_ply(widths: Sequence[float]) -> list[Value]:
    return [Value(place, width) for place, width in enumerate(widths, 1)]


def _shares_decided(decisions: Sequence[float]) -> list[Value]:
    return [
        Value(percent, sum(decision <= percent / 100 for decision in decisions) / len(decisions))
        for percent in range(101)
    ]


def _plot(picture: str, title: str, words: str) -> str:
    head = f"<figcaption><b>{escape(capitalized(title))}</b><span>{escape(words)}</span></figcaption>"
    return f"<figure>{head}{picture}</figure>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; its cells are HTML."""
    lines = [
        "".join(f"<th>{title}</th>" for title in head),
        *("".join(f"<td>{cell}</td>" for cell in row) for row in rows),
    ]
    return f'<div class="wide"><table>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'


def _figures(strengths: Sequence[StrengthReport]) -> str:
    rows = [["games", *(f"{strength.games:,}" for strength in strengths)]]
    for key, title in TITLES.items():
        if any(key in strength.figures for strength in strengths):
            name = f"{escape(title)}<small>{escape(MEANINGS[key])}</small>"
            rows.append([name, *(_cell(strength, key) for strength in strengths)])
    return _table(["", *(escape(strength.name) for strength in strengths)], rows)


def _cell(report: StrengthReport, key: str) -> str:
    if key not in report.figures:
        return "–"
    figure = report.figures[key]
    spread = figure.spread(" to ")
    return figure.number(figure.value) + "%" * figure.percent + f"<small>{spread}</small>" * bool(spread)


def _seats(strengths: Sequence[StrengthReport]) -> str:
    rows = [
        [
            seat.name,
            *(
                f"{strength.seats[place].text()}<small>wins {strength.wins[place]:.0%}</small>"
                for strength in strengths
            ),
        ]
        for place, seat in enumerate(strengths[0].seats)
    ]
    return "<h2>Mean utility by seat</h2>" + _table(["", *(escape(strength.name) for strength in strengths)], rows)


def _ladder(report: BalanceReport) -> str:
    assert report.ladder is not None, "it is asked for"
    rows = []
    for place, rung in enumerate(report.ladder.rungs):
        elo = report.ladder.elos[place]
        gain = report.ladder.gains[place - 1] if place else None
        cells = ["", ""] if gain is None else [elo_text(gain.elo), gain.span()]
        time = f"{1000 * rung.seconds_a_move:.1f} ms"
        rows.append([escape(rung.label), elo_text(elo.elo), *cells, str(rung.games), time])
    head = ["strength", "Elo", "gain", "95%", "games", "time a move"]
    return "<h2>How strength pays</h2>" + _table(head, rows)
