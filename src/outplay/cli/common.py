"""What the commands share: options, reading moves, pictures, a live line, and one clear message for every error."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import json
import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from outplay.cli.exit_codes import INTERRUPTED
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.rules.game import Game, defines, team_members
from outplay.rules.repetition import final, playable
from outplay.rules.user_code import describe_error, place
from outplay.session.load import is_there, is_writable, load_game

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from outplay.engine.analysis import ActionValue, Analysis
    from outplay.engine.searcher import Searcher
    from outplay.evaluation.linear import LinearEvaluation

STYLES = ("bold red", "bold cyan", "bold yellow", "bold green", "bold magenta", "bold blue")
"""Of the marks of each player."""
NOT_SAVED = 1
"""The exit code where an answer was printed, but a file could not be written."""
LONGEST_WORD = 200
"""Of a longer word in an error only the beginning is shown."""
SEPARATORS = " ,\t\r\n"
ALGORITHMS = (
    "alpha-beta", "mtdf", "minimax", "proof-number", "mcts",
    "expectiminimax", "max-n", "paranoid", "best-reply", "value-iteration", "ismcts", "pimc",
)  # fmt: skip
PLAIN = ("game", "books", "check", "evaluate", "margins", "evaluator", "batch", "searcher")
"""What `--set` cannot set: there are options of their own, or they are no plain values."""
RANDOM = ("mcts", "ismcts", "pimc")
"""The algorithms that leave something to chance: they have a `seed`."""
SIMULATING = ("mcts", "ismcts")
"""The algorithms that are limited by simulations, not by depth."""

# -- options ----------------------------------------------------------------------------------------------------------


def read_algorithm(text: str) -> str:
    """The name of an algorithm, in small or capital letters."""
    return one_of(text, list(ALGORITHMS))


def one_of(text: str, algorithms: list[str]) -> str:
    """The name of one of some algorithms, in small or capital letters."""
    name = text.lower().replace("_", "-")
    if name in algorithms:
        return name
    near = get_close_matches(name, algorithms, n=1)
    hint = f"did you mean {near[0]}?" if near else f"choose {', '.join(algorithms)}"
    raise typer.BadParameter(f"there is no algorithm {text!r}; {hint}")


GameName = Annotated[
    str, typer.Argument(metavar="GAME", help='A name, "name(parameter=value)", my_game.py or my_game.py:MyGame.')
]
Moves = Annotated[
    str, typer.Option(metavar="MOVES", help='Start after these moves: 4444, or with spaces or commas: "b2 a1".')
]
State = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Start from this state in the game's usual text form, such as FEN in chess."),
]
Algorithm = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=read_algorithm,
        show_default="what suits the game",
        help="alpha-beta; mtdf: the same by null windows alone; minimax: the whole tree;"
        " proof-number: wins, however deep, and no estimates; mcts: Monte Carlo tree search, by simulated games;"
        " expectiminimax: with dice; max-n, paranoid, best-reply: for many players; value-iteration: exact values, also"
        " where play goes in circles; ismcts, pimc: with hidden information.",
    ),
]
TableMb = Annotated[
    float | None,
    typer.Option(
        metavar="MB",
        min=0,
        help="Megabytes for the table of states met before, or what mcts and ismcts know.  [default: 64; 256]",
    ),
]
Threads = Annotated[
    int, typer.Option(metavar="N", min=1, max=1024, help="Search with so many threads, for alpha-beta, mtdf and mcts.")
]
BookFile = Annotated[
    str | None, typer.Option("--book", metavar="FILE", help="Ask this book before searching; outplay book makes one.")
]
EvaluationName = Annotated[
    str | None,
    typer.Option(
        "--evaluation",
        metavar="FILE",
        help="Estimate by the weights of features in this file, or by a choice that comes with the game, as material"
        " does with chess.",
    ),
]
CompileTimeOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set any option of the algorithm, as in --set rave=true; may be given again. outplay algorithms NAME lists"
        " them.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print plain data for programs.")]


def load_checked(text: str) -> Game:
    """The game that `text` names, its laws tried, see `outplay.check.quick`; with `--no-check` it is trusted."""
    game = load_game(text)
    from outplay.check.quick import check_rules, trust

    (check_rules if Group.checks else trust)(game)
    return game


def below_help(*lines: str) -> str:
    """What stands below a help text, line by line."""
    return "\n".join(("\b", *lines))  # \b: do not join the lines to a paragraph


def searcher_for(
    game: Game,
    algorithm: str,
    table_mb: float | None = None,
    book: str | None = None,
    threads: int = 1,
    reuse: bool = False,
    selective: bool | None = False,
    evaluation: str | None = None,
    seed: int | None = None,
    settings: Sequence[str] | None = None,
) -> "Searcher":
    """What searches `game`, with a book and an evaluation in files; `reuse` (of the table or tree) and
    `selective`: for those that can.

    With `selective=None` a search is selective where the game has what chess programs use for it. `settings` are
    options of the searcher as text, such as "rave=true".
    """
    kind = searcher_class(algorithm)
    known = {field.name for field in fields(kind)}
    options: dict[str, Any] = {}
    if selective and "selective" not in known:
        raise typer.BadParameter(f"--selective is for alpha-beta and mtdf: {algorithm} looks at all that it must")
    if "selective" in known:
        options["selective"] = defines(game, "null_move_state") if selective is None else selective
    if book is not None:
        from outplay.engine.book import Book

        options["books"] = [Book.load(book, game)]
    if threads > 1 and "threads" not in known:
        raise typer.BadParameter(f"--threads is for alpha-beta, mtdf and mcts: {algorithm} searches with one thread")
    if threads > 1:
        options["threads"] = threads
    if evaluation is not None and "evaluate" not in known:
        raise typer.BadParameter(f"--evaluation is for the other algorithms: {algorithm} makes no estimates")
    if evaluation is not None:
        options["evaluate"] = evaluation_for(game, evaluation)
    if table_mb is not None:
        memory = next((name for name in ("table_mb", "memory_mb") if name in known), None)
        if memory is None:
            raise typer.BadParameter(f"--table-mb is for the other algorithms: {algorithm} has no table")
        options[memory] = table_mb
    if seed is not None and "seed" not in known:
        raise typer.BadParameter(f"--seed: {algorithm} leaves nothing to chance")
    if seed is not None:
        options["seed"] = seed
    if reuse:
        options.update(dict.fromkeys(known & {"reuse_table", "reuse_tree"}, True))
    return kind(game, **{**options, **read_settings(kind, settings or ())})


def suited(game: Game, solving: bool = False) -> str:
    """The algorithm for `game` if none is named; with `solving`, one that finds exact values.

    >>> from outplay.games import Nim, Pig
    >>> suited(Nim()), suited(Pig()), suited(Pig(), solving=True), suited(Pig(players=3))
    ('alpha-beta', 'expectiminimax', 'value-iteration', 'max-n')
    """
    if game.hidden_information:
        return "ismcts"
    sides = len(team_members(game))
    opposed = sides == 1 or (sides == 2 and game.zero_sum)
    if opposed and game.players <= 2 and not game.has_chance:
        return "alpha-beta"
    if game.repetition or not (solving or defines(game, "evaluate")):
        return "mcts"
    if solving and opposed:
        return "value-iteration"
    return "expectiminimax" if opposed else "max-n"


def searcher_class(algorithm: str) -> "type[Searcher]":
    """The class of the algorithm with this name; the others are not imported, which saves 0.05 s."""
    import outplay

    kinds = (
        "AlphaBeta", "MTDf", "Minimax", "ProofNumber", "MCTS", "Expectiminimax", "MaxN", "Paranoid", "BestReply",
        "ValueIteration", "ISMCTS", "PIMC",
    )  # fmt: skip
    found: type[Searcher] = getattr(outplay, kinds[ALGORITHMS.index(algorithm)])
    return found


def read_settings(kind: type[Any], texts: Sequence[str]) -> dict[str, Any]:
    """Options of a searcher or solver out of texts such as "rave=true", "rave-bias=0.01" and "widening=(1, 0.5)".

    >>> from outplay import MCTS
    >>> read_settings(MCTS, ["rave=true", "selection=puct", "widening=(1, 0.5)", "playout-depth=4"])
    {'rave': True, 'selection': 'puct', 'widening': (1, 0.5), 'playout_depth': 4}
    """
    known = getattr(kind, "options", None) or [field.name for field in fields(kind) if field.name not in PLAIN]
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name, value = name.strip().replace("-", "_"), value.strip()
        if not equals:
            raise typer.BadParameter(f"--set {text!r}: write NAME=VALUE, as in --set rave=true")
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"choose {', '.join(known)}" if known else "it has none"
            raise typer.BadParameter(f"--set {text!r}: {kind.__name__} has no option {name!r}; {hint}")
        try:
            settings[name] = literal_eval({"true": "True", "false": "False", "none": "None"}.get(value.lower(), value))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            settings[name] = value
        if not is_writable(settings[name]):
            raise typer.BadParameter(f"--set {text!r}: the number has too many digits")
    return settings


def evaluation_for(game: Game, name: str) -> "LinearEvaluation":
    """The weights in the file of that name; without one, a choice that comes with the game."""
    from outplay.evaluation.linear import LinearEvaluation

    if name in game.feature_weights and not is_there(Path(name)):
        return LinearEvaluation.named(game, name)
    if not is_there(Path(name)):
        choices = ", ".join(game.feature_weights) or "none"
        raise typer.BadParameter(f"there is no file {name!r}; choices that come with {type(game).__name__}: {choices}")
    return LinearEvaluation.load(name, game)


# -- moves ------------------------------------------------------------------------------------------------------------


def play_moves(game: Game, moves: str, text: str | None = None) -> tuple[list[Any], list[str]]:
    """Every state from the first one on, and the names of the moves between them.

    `text` describes the first state; by default it is the initial one. Moves are separated by spaces or commas;
    without any, they may stand together.

    >>> from outplay.games import ConnectFour
    >>> play_moves(ConnectFour(), "4 4 3")[1], play_moves(ConnectFour(), "443")[1]
    (['4', '4', '3'], ['4', '4', '3'])
    """
    rest = moves.strip(SEPARATORS)
    together = not any(separator in rest for separator in SEPARATORS)
    states: list[Any] = [game.initial_state() if text is None else game.parse_state(text)]
    names: list[str] = []
    while rest:
        state = states[-1]
        if final(game, states) is not None:
            after = f"after move {len(names)}, {names[-1]}" if names else "before the first move"
            raise IllegalAction(f"--moves: the game is over {after}; {rest!r} is too much\n\n{game.render(state)}")
        action, text = _first_move(game, states, rest, together)
        names.append(game.action_name(state, action))
        states.append(game.result(state, action))
        rest = rest[len(text) :].strip(SEPARATORS)
    return states, names


def _first_move(game: Game, states: list[Any], rest: str, together: bool) -> tuple[int, str]:
    """The action with which `rest` begins, and the text that names it."""
    state, number = states[-1], len(states)
    legal = {game.action_name(state, action): action for action in playable(game, states)}
    longest_first = sorted(legal, key=len, reverse=True)
    for name in longest_first:  # a name may hold spaces and commas
        if re.match(re.escape(name) + r"([\s,]|$)", rest):
            return legal[name], name
    text = re.split(r"[\s,]", rest, maxsplit=1)[0]
    try:
        action = int(game.parse_action(state, text))
    except ValueError as error:
        if together:
            for name in longest_first:
                if rest.startswith(name):
                    return legal[name], name
        raise IllegalAction(f"--moves: move {number}: {error}\n\n{game.render(state)}") from error
    if action not in legal.values():
        raise IllegalAction(
            f"--moves: move {number}: {text!r} is action {action}, which is not legal here;"
            f" legal: {', '.join(legal)}\n\n{game.render(state)}"
        )
    return action, text


# -- output -----------------------------------------------------------------------------------------------------------


@cache
def stdout() -> "Console":
    """Where answers go."""
    return _console()


@cache
def stderr() -> "Console":
    """Where errors and progress go."""
    return _console(stderr=True)


def _console(**options: Any) -> "Console":
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Rich would end the process here, with exit code 1."""
            raise BrokenPipeError

    return Output(highlight=False, markup=False, emoji=False, **options)


def say(text: "str | Text" = "", style: str = "") -> None:
    """Print a line of an answer, however long."""
    stdout().print(text, style=style, soft_wrap=True)


def complain(kind: str, style: str, text: str) -> None:
    """Print an error or a warning."""
    stderr().print(f"{kind}:", style=style, end=" ")
    stderr().print(text, soft_wrap=True)


def print_json(data: Any) -> None:
    """Print plain data."""
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


def picture(game: Game, state: Any) -> "Text":
    """`state` as the game draws it, with the game's `player_marks` in colour but where they are names of columns."""
    from rich.text import Text

    picture = Text()
    for line in game.render(state).splitlines(keepends=True):
        text, names = Text(line), line.split()
        if not ("".join(names).isalpha() and len(names) == len("".join(names)) > 1 and names == sorted(set(names))):
            for marks, style in zip(game.player_marks, STYLES, strict=False):
                text.highlight_regex(rf"(?<!\w)[{re.escape(marks)}](?!\w)", style)
        picture.append_text(text)
    return picture


def outcome(game: Game, utilities: Sequence[float]) -> str:
    """Who won, in words."""
    if game.players == 1:
        return f"utility {utilities[0]:+g}"
    if game.players != 2 or not game.zero_sum:
        return "utilities " + " ".join(f"{utility:+g}" for utility in utilities)
    if utilities[0] == 0:
        return "draw"
    margin = f" by {abs(utilities[0]):g}" if abs(utilities[0]) != 1 else ""
    return f"player {int(utilities[0] < 0)} wins{margin}"


def short(number: float) -> str:
    """A number in three digits: 950, 1.23 k, 45.6 M."""
    units = ["", " k", " M", " G"]
    while number >= 999.5 and len(units) > 1:
        number, units = number / 1000, units[1:]
    return f"{number:.3g}{units[0]}"


def amount(analysis: "Analysis") -> str:
    """How much was searched, in short: simulations where there are any, else nodes."""
    if analysis.simulations is not None:
        return f"{short(analysis.simulations)} simulations"
    return f"{short(analysis.nodes)} nodes"


def speed(analysis: "Analysis") -> str:
    """Simulations or nodes a second."""
    number, what = (analysis.nodes, "nodes") if analysis.simulations is None else (analysis.simulations, "simulations")
    return f"{short(number / max(analysis.seconds, 1e-3))} {what}/s"


def worth(game: Game, found: "Analysis | ActionValue") -> str:
    """A value in words: "win in 9" where it is proved, "about +0.05" where not."""
    from outplay.engine.analysis import verdict

    words = verdict(game, found.value, found.exact, found.distance)
    return words if found.exact else f"about {words}"


def progress_line(analysis: "Analysis") -> str:
    """What a search knows so far, in one line."""
    answer = []
    if analysis.action is not None:
        answer = [f"depth {analysis.depth}", worth(analysis.game, analysis), " ".join(analysis.line_names())]
    work = [f"{analysis.seconds:.1f} s", amount(analysis), speed(analysis)]
    return "  ".join([*answer[:2], *work, *answer[2:]])


@contextmanager
def live(text: str) -> Iterator[Callable[[str], None]]:
    """A line that a call changes while work goes on, and that then goes; not there where nobody is watching.

    A terminal that is closed meanwhile is no error: what was found is still to be saved.
    """
    console = stderr()
    if not console.is_terminal:
        yield lambda text: None
        return
    from rich.text import Text

    def show(text: str) -> None:
        line = Text(text)
        line.truncate(console.width - 3, overflow="ellipsis")
        with suppress(OSError):
            status.update(line)

    status = console.status("")
    with suppress(OSError):
        status.start()
    try:
        show(text)
        yield show
    finally:
        with suppress(OSError):
            status.stop()


@contextmanager
def live_search() -> Iterator["Callable[[Analysis], None]"]:
    """A live line about a search, which compiles first."""
    with live("compiling the rules…") as show:
        yield lambda analysis: show(progress_line(analysis))


# -- errors -----------------------------------------------------------------------------------------------------------


@contextmanager
def told_errors(debug: bool, game: str | None = None) -> Iterator[None]:
    """Every error within is one clear message and exit code 2; with `debug` it is raised.

    Ctrl-C has its own exit code. Who reads no further than the first lines, as `head` does, has what he wants.
    """
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except BrokenPipeError:
        raise typer.Exit(0) from None
    except KeyboardInterrupt:
        stderr().print("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BaseException as error:
        if hasattr(error, "show") and hasattr(error, "message"):  # one of Typer's, about how the command is written
            error.message = shortened(str(error.message))
            raise
        if debug:
            raise
        complain("Error", "bold red", shortened(_explained(error, game)))
        raise typer.Exit(2) from None


def shortened(text: str) -> str:
    """`text` without the rest of very long words."""
    return re.sub(rf"(\S{{{LONGEST_WORD}}})\S+?([:;,.)'\"]{{0,3}})(?!\S)", r"\1…\2", text)


class Group(TyperGroup):
    """`outplay`: takes `--debug` and `--no-check` at any place."""

    checks = True  # whether the laws of games are tried: not with --no-check

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **options: Any) -> Any:
        """Read what stands before the command, and `--help`."""
        with told_errors("--debug" in args):
            return super().make_context(info_name, args, *rest, **options)

    def invoke(self, context: Any) -> Any:
        """Read the options of the command, and run it."""
        with told_errors(bool(context.params.get("debug"))):
            return super().invoke(context)

    def parse_args(self, context: Any, args: list[str]) -> list[str]:
        """The arguments, those first."""
        return super().parse_args(context, sorted(args, key=lambda text: text not in ("--debug", "--no-check")))


class Command(TyperCommand):
    """A command whose errors are one clear message and exit code 2, unless `--debug` asks for the traceback."""

    def invoke(self, context: Any) -> Any:
        """Run the command."""
        with told_errors(bool(context.find_root().params.get("debug")), context.params.get("game")):
            return super().invoke(context)


def _explained(error: BaseException, game: str | None) -> str:
    """What was wrong, where, and what to do."""
    if isinstance(error, OutplayError) or (isinstance(error, ValueError) and not place(error)):
        return str(error)
    if isinstance(error, OSError) and not place(error):
        what = "the answer cannot be written" if error.filename is None else str(error.filename)
        return f"{what}: {error.strerror or error}"
    if isinstance(error, MemoryError) and not place(error):
        return "there is not enough memory: ask for less, as by a smaller --table-mb"
    if place(error):
        return f"the rules failed: {describe_error(error)}"
    broken = _broken_law(game) if game else ""
    if broken:
        return f"the compiled rules failed: {describe_error(error)}\nRun interpreted, they break a law:\n{broken}"
    return f"{describe_error(error)}\nThis may be a mistake in outplay itself: --debug shows where it arose"


def _broken_law(text: str) -> str:
    """Compiled code does not say where it failed; random games, played by the interpreter, may find out."""
    from outplay.check.full import check_game

    try:
        with live("the rules failed; looking for the line…"):
            game = load_game(text)
            type(game).compiled = False
            failures = check_game(game, playouts=300, seconds=3).failures
    except Exception:  # the first error is the one to tell
        return ""
    return str(failures[0]) if failures else ""
