"""Finding a game by the text that a person writes: a name, a file, or an installed plug-in, with parameters.

    connect-four                    a built-in game
    connect-four(width=8)           with parameters: numbers, texts, tuples, …, never code
    my_game.py                      a file that defines exactly one game
    my_game.py:MyGame(size=4)       a class in a file, with parameters
    my_game.py:game                 a game that a file makes, or one of another library, such as easyAI
    my_game.efg, my_game.nfg        a game tree, or a matrix game, in Gambit's formats
    my_tree.json                    a game tree in JSON, see `ExplicitTree`
    [[3, 12, 8], [2, 4, 6]]         the tree itself, as `explicit-tree(…)`
    matrix([[1, -1], [-1, 1]])      a matrix game, from the arguments of `MatrixGame`

Plug-ins are classes that other packages list under the entry point group `outplay.games`. Start at `load_game`;
`load_problem` reads problems for backtracking in the same forms.
"""

# ruff: noqa: PLC0415 - importing outplay does not import every game

import importlib.util
import inspect
import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from outplay.rules.base import Rules, incomplete
from outplay.rules.errors import OutplayError, RulesError, WrongType
from outplay.rules.game import Game
from outplay.rules.user_code import describe_error, short_path
from outplay.rules.wording import enumerated
from outplay.session.calls import read_arguments, read_call

if TYPE_CHECKING:
    from outplay.rules.problem import Problem

R = TypeVar("R", bound=Rules)
GROUP = "outplay.games"
"""The entry point group of plug-ins: in `pyproject.toml`, `[project.entry-points."outplay.games"]`."""

NEAR, FEW = 3, 10
"""How many close names a message gives at most, and how many names at most if it gives all."""

_FILE = re.compile(r"(?P<file>.+?\.py)(:(?P<cls>\w+))?", re.DOTALL)


def load_game(text: str) -> Game:
    """The game that `text` names.

    Raises `RulesError` if there is no such game, if its file cannot be loaded, or if a parameter is wrong.

    >>> load_game("connect-four(width=8)")
    ConnectFour(width=8)
    >>> load_game("conect-four")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    outplay.rules.errors.RulesError: no game is called 'conect-four'; did you mean connect-four? outplay games lists ...
    """
    text = text.strip()
    if text.lower().endswith(".efg"):
        from outplay.equilibrium.efg import load_efg

        return load_efg(path_of(text))
    if text.lower().endswith(".nfg"):
        from outplay.equilibrium.matrix_game import load_matrix_game

        return load_matrix_game(path_of(text)).as_game()
    if text.lower().endswith(".json"):
        from outplay.games import ExplicitTree

        return ExplicitTree.load(path_of(text))
    if text.startswith(("[", "{")):
        return _make(class_called("explicit-tree"), [text])
    call = read_call(text)
    if match := _FILE.fullmatch(call.name):
        path = path_of(match["file"])
        module = load_file(path)
        own_game = _instance(module, path, match["cls"])
        if own_game is not None and call.arguments:
            raise RulesError(f"{text}: this is a game already, not a class, and takes no parameters")
        if own_game is not None:
            return own_game
        cls = _rules_in_module(module, path, match["cls"], Game)  # type: ignore[type-abstract]
    elif _plain(call.name) == "matrix":
        from outplay.equilibrium.matrix_game import MatrixGame

        kind: Any = MatrixGame
        matrix: MatrixGame = _make(kind, call.arguments)
        return matrix.as_game()
    else:
        cls = class_called(_name_in(text, "game", "connect-four(width=8)", "my_game.py:MyGame(size=4)"))
    game: Game = _make(cls, call.arguments)
    return game


def built_in_game(text: str) -> Game:
    """The built-in game that `repr` has written as `text`. No file is loaded, so that the text may come from anywhere.

    Raises `RulesError` if there is none.

    >>> built_in_game("ConnectFour(width=8)")
    ConnectFour(width=8)
    """
    from outplay.games import BUILT_IN, class_names

    name, arguments = read_call(text)
    if name not in class_names():
        raise RulesError(f"{text!r} is not a built-in game")
    game: Game = _make(BUILT_IN[class_names()[name]], arguments)
    return game


def load_problem(text: str) -> "Problem":
    """The problem that `text` names, in the same forms. Raises `RulesError` as `load_game` does.

    >>> load_problem("queens(6)")
    Queens(n=6)
    """
    from outplay.backtracking.problems import BUILT_IN
    from outplay.rules.problem import Problem

    call = read_call(text)
    if match := _FILE.fullmatch(call.name):
        cls = _rules_in_file(path_of(match["file"]), match["cls"], Problem)
    else:
        name = _name_in(text, "problem", "queens(8)", "my_problem.py:MyProblem(size=4)")
        cls = BUILT_IN[known_name(name, BUILT_IN, "problem")]
    problem: Problem = _make(cls, call.arguments)
    return problem


def _name_in(text: str, kind: str, name: str, file: str) -> str:
    """The name in the text of a call. Raises `RulesError` if it cannot be one; `name` and `file` are examples."""
    called = read_call(text).name
    if called and not set(called) & set("()"):
        return called
    opened, closed = text.count("("), text.count(")")
    missing = f"{opened} ( and {closed} ): " if opened != closed else ""
    raise RulesError(f"{text!r} is not a {kind}: {missing}write a name such as {name}, or {file}")


# -- names ------------------------------------------------------------------------------------------------------------


def plug_ins() -> dict[str, EntryPoint]:
    """The games of other installed packages, by name. Built-in games take precedence."""
    from outplay.games import BUILT_IN

    return {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in BUILT_IN}


def class_called(name: str) -> type[Game]:
    """The built-in game or plug-in with this name. Case does not matter, and `_` is the same as `-`."""
    from outplay.games import BUILT_IN

    if any(_plain(name) == _plain(built_in) for built_in in BUILT_IN):
        return BUILT_IN[known_name(name, BUILT_IN, "game")]
    plugged = plug_ins()  # slow where many packages are installed
    name = known_name(name, [*BUILT_IN, *plugged], "game")
    return _class_of(plugged[name])


def known_name(name: str, names: Iterable[str], kind: str) -> str:
    """The one of the `names` that is meant. Raises `RulesError` if there is none. `kind` is game or problem."""
    plain = {_plain(candidate): candidate for candidate in names}
    if _plain(name) in plain:
        return plain[_plain(name)]
    similar = dict.fromkeys(plain[candidate] for candidate in get_close_matches(_plain(name), plain, n=NEAR))
    similar |= dict.fromkeys(plain[candidate] for candidate in plain if _plain(name) in candidate.split("-"))
    if is_there(Path(f"{name}.py")):
        similar = {f"{name}.py": None}
    hint = f"did you mean {' or '.join([*similar][:NEAR])}? " if similar else ""
    available = f"known: {', '.join(plain.values())}" if len(plain) <= FEW else f"outplay {kind}s lists all"
    raise RulesError(f"no {kind} is called {name!r}; {hint}{available}; one of yours is a file, such as my_{kind}.py")


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-")


def _class_of(entry: EntryPoint) -> type[Game]:
    plug_in = f"the plug-in {entry.name} ({entry.value}" + (f", of {entry.dist.name})" if entry.dist else ")")
    try:
        loaded = entry.load()
    except Exception as error:
        raise RulesError(f"{plug_in} cannot be loaded: {describe_error(error)}") from error
    if not (isinstance(loaded, type) and issubclass(loaded, Game)):
        raise RulesError(f"{plug_in} is not a class of games, but {loaded!r}")
    return loaded


# -- files ------------------------------------------------------------------------------------------------------------


def path_of(text: str) -> Path:
    """The path that a person wrote, with `~` expanded."""
    try:
        return Path(text).expanduser()
    except RuntimeError:  # an unknown user
        return Path(text)


def is_there(path: Path) -> bool:
    """Whether `path` exists. Text that cannot be the name of a file does not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def class_in_file(path: Path, name: str | None = None) -> type[Game]:
    """The class `name` in a file, or without a name the only game that the file defines."""
    return _rules_in_file(path, name, Game)  # type: ignore[type-abstract]


def _rules_in_file(path: Path, name: str | None, kind: type[R]) -> type[R]:
    """The class `name` in a file, or the only class of this kind there."""
    return _rules_in_module(load_file(path), path, name, kind)


def _rules_in_module(module: ModuleType, path: Path, name: str | None, kind: type[R]) -> type[R]:
    games = {key: value for key, value in vars(module).items() if isinstance(value, type) and issubclass(value, kind)}
    word = kind.__name__.lower()
    own = [key for key, value in games.items() if value.__module__ == module.__name__]
    if name is None:
        if len(own) == 1:
            return games[own[0]]
        if not own:
            raise RulesError(f"{path} defines no {word}: no class in it derives from outplay.{kind.__name__}")
        raise RulesError(
            f"{path} defines several {word}s: choose one, for instance {path}:{own[0]}; it has {enumerated(own)}"
        )
    if name in games:
        return games[name]
    if hasattr(module, name):
        raise RulesError(f"{name} in {path} is not a class that derives from outplay.{kind.__name__}")
    similar = get_close_matches(name, games, n=1)
    hint = f"did you mean {similar[0]}? " if similar else ""
    raise RulesError(f"{path} has no class {name}; {hint}{word}s in it: {enumerated(own)}")


def _instance(module: ModuleType, path: Path, name: str | None) -> Game | None:
    """The game called `name` that a file has made; without a name, the only one, if it defines no class of games."""
    if name is None:
        classes = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Game)]
        games = [value for value in vars(module).values() if isinstance(value, Game)]
        own = [game_class for game_class in classes if game_class.__module__ == module.__name__]
        return games[0] if len(games) == 1 and not own else None
    value = getattr(module, name, None)
    if value is None or isinstance(value, type):
        return None
    if isinstance(value, Game):
        return value
    from outplay.adapters.finding import adapt

    try:
        return adapt(value)
    except RulesError as error:
        raise RulesError(f"{name} in {path}: {error}") from error
    except WrongType as error:
        raise RulesError(
            f"{name} in {path} is not a class that derives from outplay.Game, nor a game: {error}"
        ) from error


class _SourceLoader(SourceFileLoader):
    """Compiles the source each time: after an edit of the same length in the same second, Python's cache is stale."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def load_file(path: Path) -> ModuleType:
    """Load a Python file as a module. It can import modules from its own folder."""
    if is_there(path) and not path.is_file():
        raise RulesError(f"{path} is not a file{': it is a folder' if path.is_dir() else ''}")
    if not is_there(path):
        similar = get_close_matches(path.name, (file.name for file in path.parent.glob("*.py")), n=1)
        hint = f"; did you mean {path.parent / similar[0]}?" if similar else ""
        raise RulesError(f"there is no file {path}{hint}")
    name = "outplay_file_" + re.sub(r"\W", "_", path.stem)  # never the name of another module, such as random
    loader = _SourceLoader(name, str(path.resolve()))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        loader.exec_module(module)
    except SyntaxError as error:
        line = f": {error.text.strip()}" if error.text else ""
        place = f"{short_path(error.filename or str(path))}:{error.lineno or 1}"
        raise RulesError(f"{place}: {error.msg}{line}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise RulesError(f"{path} cannot be loaded: {describe_error(error)}") from error
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    return module


# -- parameters -------------------------------------------------------------------------------------------------------


def _make(cls: type[R], texts: Sequence[str]) -> R:
    """The game or problem with the parameters that `texts` write."""
    if inspect.isabstract(cls):
        raise RulesError(incomplete(cls))
    arguments, keywords = read_arguments(texts)
    text = ", ".join(texts)
    signature = parameters(cls)
    takes = f"{cls.__name__} takes {_parameters_in_words(signature) or 'no parameters'}"
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values()):
        for keyword in keywords:
            if keyword not in signature.parameters:
                similar = get_close_matches(keyword, signature.parameters, n=1)
                hint = f"; did you mean {similar[0]}?" if similar else ""
                raise RulesError(f"{cls.__name__} has no parameter {keyword}{hint}; {takes}")
    try:
        signature.bind(*arguments, **keywords)
    except TypeError as error:
        raise RulesError(f"{cls.__name__}({text}): {error}; {takes}") from None
    try:
        return cls(*arguments, **keywords)
    except OutplayError as error:
        raise RulesError(f"{cls.__name__}({text}): {error}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise RulesError(f"{cls.__name__}({text}) failed: {describe_error(error)}; {takes}") from error


def parameters(cls: type[Rules]) -> inspect.Signature:
    """The parameters of a class of games or problems."""
    if cls.__init__ is object.__init__:
        return inspect.Signature()
    function = inspect.signature(cls.__init__)
    return inspect.Signature(
        [parameter.replace(annotation=parameter.empty) for parameter in list(function.parameters.values())[1:]]
    )


def _parameters_in_words(signature: inspect.Signature) -> str:
    return str(signature).removeprefix("(").removesuffix(")")
