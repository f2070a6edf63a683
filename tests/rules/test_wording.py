"""What is printed: bounded, and without characters that steer the terminal, whatever files and rules hold."""

import io
import json
import re

import pytest
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from outplay import IllegalAction, OutplayError, check_game
from outplay.cli import output
from outplay.cli.commands import app
from outplay.games import ExplicitTree
from outplay.rules.wording import MAX_MESSAGE, STEERS, enumerated, excerpt, shown, visible
from outplay.session import Session

EVIL = "\x1b[31m\x1b]0;title\x07\x9b2J\r\x08\x7f\u202eabc\u2066\u2028[red]x[/red]:smile:"
STEERING = set(map(chr, STEERS)) - {"\t", "\n"}


def ours_removed(text):
    """What was printed, without the colours of rich."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_own_colours_work_and_those_of_texts_do_not():
    written = io.StringIO()
    console = output._console(file=written, force_terminal=True, color_system="truecolor", width=200, _environ={})
    table = Table(EVIL)
    table.add_row(EVIL, style="blue")
    for line, style in (EVIL, "bold green"), (Text(EVIL), "red"), (table, ""):
        console.print(line, style=style)
    assert "\x1b[1;32m" in written.getvalue()
    plain = ours_removed(written.getvalue())
    assert not STEERING & set(plain)
    assert plain.count(r"\x1b[31m\x1b]0;title") == 4
    assert plain.count("[red]x[/red]:smile:") == 4


TREE = {"children": [1, {"children": [2, 3], "name": EVIL}], "names": [EVIL, "b"], "name": EVIL}
NAME = "\x1b7\x9b2J\u202e[red]x[/red]"
PGN = f'[Event "{NAME}"]\n[White "{NAME}"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 {{{NAME}}} e5 1-0\n'


@pytest.mark.parametrize(
    "command",
    [
        ["show", "tree.json"],
        ["tree", "tree.json"],
        ["tree", "tree.json", "--moves", f"b {EVIL}"],
        ["step", "tree.json"],
        ["solve", "tree.json"],
        ["check", "tree.json"],
        ["tree", "tree.json", "--json"],
        ["show", "game.pgn"],
        ["show", f"{EVIL}.json"],
    ],
)
def test_no_command_prints_what_steers_the_terminal(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.json").write_text(json.dumps(TREE))
    (tmp_path / "game.pgn").write_text(PGN)
    result = CliRunner().invoke(app, command)
    assert re.search(r"\\x(1b|9b)", result.output)
    assert not STEERING & set(result.output)


def test_json_is_the_same_and_steers_nothing(capsys):
    output.print_json({"name": EVIL + "é\n"})
    text = capsys.readouterr().out
    assert not STEERING & set(text)
    assert "é" in text
    assert json.loads(text) == {"name": EVIL + "é\n"}


def test_a_picture_and_a_page_contain_names_as_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "</script><script>alert(1)</script>\x1b"
    (tmp_path / "tree.json").write_text(json.dumps({"children": [1, 2], "names": [name, "b"], "name": name}))
    for kind in "svg", "html":
        assert CliRunner().invoke(app, ["tree", "tree.json", f"--{kind}", f"a.{kind}"]).exit_code == 0
        text = (tmp_path / f"a.{kind}").read_text()
        assert "alert(1)" in text
        assert "<script>alert" not in text
        assert "\x1b" not in text


class Wide(ExplicitTree):
    """So many children that a message with all of them would have megabytes."""

    def __init__(self, size=100_000):
        super().__init__({"children": [0] * size})


def test_messages_about_many_children_are_short():
    game = Wide()
    with pytest.raises(
        IllegalAction, match=r"'x' is not a legal action here; .*legal: 1, 2, .* and 99,970 more"
    ) as short:
        game.parse_action(game.initial_state(), "x")
    assert len(str(short.value)) < 500
    with pytest.raises(IllegalAction, match=r"and 99,970 more\n\nMAX  <- here\n(.*\n)*… 99,961 more lines$") as short:
        Session(game, moves="x")
    assert len(str(short.value)) < 2000
    [failure] = check_game(game, playouts=1, seconds=600).failures
    assert failure.law == "The list of actions ends."
    assert len(str(failure)) < 2000


@pytest.mark.parametrize(
    "tree",
    [
        {"children": [0] * 100_000, "names": ["a"] * 100_000},
        {"children": [0] * 100_000, "player": "chance", "probabilities": [0.5] * 100_000},
        {"children": {str(number): 0 for number in range(100_000)}},
        {f"key{number}": 0 for number in range(100_000)},
        [{"player": [0] * 100_000, "children": [0]}],
        [{"name": [0] * 100_000, "children": [0]}],
        [{"utility": [0, [0] * 100_000]}],
        [{"utility": 1}, {"children": [1], "estimate": [0] * 100_000}],
    ],
)
def test_messages_about_the_content_of_a_file_are_short(tree):
    with pytest.raises(OutplayError) as short:
        ExplicitTree(tree)
    assert len(str(short.value)) < 500


def test_every_error_has_a_bounded_message():
    error = OutplayError("a" * 1_000_000 + "the remedy")
    assert len(str(error)) < MAX_MESSAGE + 100
    assert str(error).endswith("the remedy")
    error.args = (f"job 1: {error}", *error.args[1:])
    assert str(error).startswith("job 1: a")


def test_values_names_and_drawings_are_bounded():
    nested = ()
    for _ in range(40):
        nested = (nested, nested)
    for value in nested, "a" * 10_000, 10**5000, list(range(10_000)), {1: nested}, dict.fromkeys(range(10_000)):
        assert len(shown(value)) <= 101
    assert len(enumerated(["a" * 10_000] * 10_000)) < 4000
    assert len(excerpt("a" * 100_000)) <= MAX_MESSAGE + 1
    assert len(excerpt("\n" * 100_000)) < 100
    assert visible("a\tb\nç 将 ♔") == "a\tb\nç 将 ♔"
    visible("\ud800").encode()
