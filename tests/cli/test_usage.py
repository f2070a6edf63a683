"""What commands say of a slip of the fingers: one line, the last one, with what is wrong and what to write."""

import re

import pytest
import typer.main
from shared import rows
from typer.testing import CliRunner

from outplay.cli.commands import app
from outplay.cli.option_groups import FEWEST, GROUP_OF, GROUPS, OTHERS
from outplay.cli.usage import named, wanted_number


def commands(group, *names):
    """Every command with its words, such as ("table", "probe")."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *names, name)
        else:
            yield (*names, name), command


COMMANDS = dict(commands(typer.main.get_command(app)))
each_command = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


def told(*arguments, code=2, stdin=""):
    """The error of a command, which is all that it says."""
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    assert result.exit_code == code, result.output
    assert "Usage" not in result.output
    assert "Try '" not in result.output
    *before, last = result.stderr.strip().splitlines()
    assert not before, result.stderr
    assert result.stdout == ""
    assert last.startswith("Error: ")
    return last.removeprefix("Error: ")


@each_command
def test_an_argument_is_missing(words):
    needed = [parameter for parameter in COMMANDS[words].params if parameter.required]
    if not needed:
        return
    text = told(*words)
    first = needed[0].opts[0] if needed[0].param_type_name == "option" else needed[0].metavar
    assert text.startswith(f"{first} is missing: ")
    assert f"for example: outplay {' '.join(words)}" in text


@each_command
def test_an_option_is_unknown(words):
    name = f"outplay {' '.join(words)}"
    text = told(*words, "--jsno")
    near = any("--json" in parameter.opts for parameter in COMMANDS[words].params)
    assert text.startswith(f"{name} has no option --jsno; ")
    assert ("did you mean --json?" in text) == near
    assert told(*words, "--qqq") == f"{name} has no option --qqq; {name} --help lists its options"


@each_command
def test_a_number_is_none(words):
    arguments = ["x"] * sum(parameter.param_type_name == "argument" for parameter in COMMANDS[words].params)
    for param in COMMANDS[words].params:
        if param.param_type_name == "option" and wanted_number(param):
            long = next(option for option in param.opts if option.startswith("--"))
            for given in ((long, "many"), (f"{long}=many",)):
                text = told(*words, *arguments, *given)
                assert text.startswith(f"{long} many: give a")
                assert "number" in text


@each_command
def test_a_value_is_missing(words):
    for param in COMMANDS[words].params:
        if param.param_type_name == "option" and not param.is_flag:
            name = param.opts[0]
            assert told(*words, name) == f"{name} is without its value: write {name} {param.metavar or 'VALUE'}"


@pytest.mark.parametrize(
    ("command", "text"),
    rows(
        {
            "range": ("quiz mcts --level 9", "--level 9: give a whole number from 1 to 3, such as --level 3"),
            "least": ("analyse nim --depth 0", "--depth 0: give a whole number from 1 up, such as --depth 8"),
            "command": ("analize nim", "there is no command outplay analize; did you mean analyse?"),
            "other command": ("xyzzy", "there is no command outplay xyzzy; outplay --help lists all"),
            "command of tables": ("table mak", "there is no command outplay table mak; did you mean make?"),
            "option of all": ("--no-chek nim", "outplay has no option --no-chek; did you mean --no-check?"),
            "too much": ("solve nim more", "outplay solve takes GAME: more is too much; for example: outplay solve"),
            "quiz": ("quiz minimx", "there is no quiz 'minimx'; did you mean minimax?"),
            "other quiz": ("quiz chess", "there is no quiz 'chess'; choose minimax, alpha-beta"),
            "algorithm": (
                "analyse nim --algorithm alfa-beta",
                "--algorithm: there is no algorithm 'alfa-beta'; did you mean alpha-beta?",
            ),
            "name of a file": ("tree nim --svg a.png", "--svg a.png: the name must end in .svg"),
            "set": ("analyse nim --rave", "there is no --rave, but algorithms have such an option: --set rave=VALUE"),
            "file": ("solve no_such_game_here.py", "there is no file no_such_game_here.py"),
            "game": (
                "solve conect-four",
                "no game is called 'conect-four'; did you mean connect-four? outplay games lists all; one of yours is",
            ),
            "part of a name": ("solve draughts", "did you mean english-draughts or international-draughts?"),
            "no such game": ("solve xyzzy", "no game is called 'xyzzy'; outplay games lists all"),
        }
    ),
)
def test_what_is_told(command, text):
    assert text in told(*command.split())


def test_a_misspelt_rule(tmp_path):
    path = tmp_path / "typo.py"
    path.write_text(
        "from outplay import Game\n"
        "class Pile(Game):\n"
        "    def intial_state(self): return 1\n"
        "    def to_move(self, s): return 0\n"
        "    def actions(self, s): return [0]\n"
        "    def result(self, s, a): return 0\n"
        "    def is_terminal(self, s): return s == 0\n"
        "    def utility(self, s, p): return 0\n"
    )
    text = told("solve", str(path))
    assert "Pile is not complete: it does not define initial_state; intial_state (" in text
    assert text.endswith("typo.py:3): did you mean initial_state?")


def test_help_is_no_error():
    for arguments in [], ["table"]:
        assert "Commands:" in CliRunner().invoke(app, arguments).output


def test_an_error_of_saving_comes_last(tmp_path):
    """Also if the file cannot be written before the answer is known."""
    result = CliRunner().invoke(app, ["tree", "[[3, 12], [2, 4]]", "--svg", str(tmp_path / "tree.svg")])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "".join(result.stderr.split()).endswith("tree.svg")
    assert result.stderr.startswith("Written: ")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("show", "tic-tac-toe", "--svg"), "board.svg"),
        (("tree", "[[3, 12], [2, 4]]", "--html"), "tree.html"),
        (("tree", "[[3, 12], [2, 4]]", "--dot"), "tree.dot"),
        (("quiz", "nash", "--html"), "sheet.html"),
    ],
)
def test_what_is_written_is_told(arguments, name, tmp_path):
    result = CliRunner().invoke(app, [*arguments, str(tmp_path / name)])
    assert result.exit_code == 0, result.output
    assert "".join(result.stderr.split()) == f"Written:{tmp_path / name}"
    assert (tmp_path / name).exists()


@each_command
def test_the_help_lists_each_option_once_in_groups(words):
    output = CliRunner().invoke(app, [*words, "--help"]).output
    shown = [line.split(",")[0].split()[0] for line in output.splitlines() if re.match(r"  -", line)]
    options = [
        named(param) for param in COMMANDS[words].params if param.param_type_name == "option" and not param.hidden
    ]
    assert sorted({*shown} - {"-h"}) == sorted({*options} - {"--help"})
    titles = [line[:-1] for line in output.splitlines() if re.fullmatch(r"[A-Z][A-Za-z ]+:", line)]
    if len({*options, "--help"}) < FEWEST:
        assert set(titles) <= {"Arguments", "Options"}
    else:
        assert titles == [title for title in ["Arguments", *GROUPS, OTHERS] if title in titles]
        assert "Limits" in titles or "Input and output" in titles


def test_groups_name_options_that_there_are():
    names = {option for command in COMMANDS.values() for param in command.params for option in param.opts}
    assert {*GROUP_OF} <= names
