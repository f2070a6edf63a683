"""The games that pages may play: the built-in ones, and those named when the server starts.

A page names a game by its name here, which is never read as a path or as code.
"""

import inspect
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from outplay.arena.naming import LIMITED, PlayerSpec
from outplay.arena.records.files import FORMATS, ending_of
from outplay.check.quick import check_rules
from outplay.engine.book import Book, LookUp
from outplay.games import BUILT_IN, class_names
from outplay.games.connect_four import ConnectFour
from outplay.pictures.show import show, text_of
from outplay.rules.errors import OutplayError, RulesError
from outplay.rules.game import Game, defines
from outplay.rules.numbered import numbered
from outplay.rules.user_code import describe_error
from outplay.session.algorithms import SEARCHES, searcher_class, suited
from outplay.session.calls import read_call
from outplay.session.levels import PATIENCE, Blend, LevelOrBlend, patient
from outplay.session.load import load_game, path_of
from outplay.session.players import Player, SearchPlayer
from outplay.session.searchers import load_book, memory_option
from outplay.tables.tablebase import Tablebase
from outplay.web.player_titles import PlayerTitle, player_titles

NEEDS_A_TREE = "explicit-tree"
"""The built-in game that there is none of without its parameters."""
SECONDS, MEGABYTES = 30.0, 16
"""The longest time for a move, and the memory of a search, that a page can ask for."""
WITH_NUMBERS = re.compile(r"(?P<name>[a-z0-9-]+)\((?P<arguments>(?:[a-z_]+=)?[0-9a-zA-Z_=., ()-]{1,80})\)")
GREATEST, MOST_OTHERS = 50, 100
"""The greatest number in the parameters of a game that a page asks for, and how many such games are kept."""
LEVELS = 10
"""The levels of a search."""


@dataclass
class Entry:
    """A game of the library.

    Attributes:
        name: how pages call it.
        text: what `load_game` reads.
        is_file: whether it is the user's own, not a built-in one.
        game: the game; None if it cannot be loaded.
        error: why it cannot.
        titles: what its players are called.
        card: what a page shows of it before it is played.
        start: its start as a picture and as text, once it was asked for.
    """

    name: str
    text: str
    is_file: bool = False
    game: Game | None = field(default=None, repr=False)
    error: str = ""
    titles: list[PlayerTitle] = field(default_factory=list)
    card: dict[str, Any] = field(default_factory=dict, repr=False)
    start: dict[str, Any] = field(default_factory=dict, repr=False)

    def load(self) -> Game:
        """The game, whose laws are checked if it is the user's own.

        Raises `OutplayError` if something is wrong; after that, it is tried again by `reload` only.
        """
        if self.error and self.game is None:
            raise OutplayError(self.error)
        if self.game is None:
            try:
                game = load_game(self.text)
                if self.is_file:
                    check_rules(game)
                titles = player_titles(game)
                self.titles, self.card, self.game = titles, card_of(self, game, titles), game
            except Exception as error:
                self.error = str(error) if isinstance(error, OutplayError) else describe_error(error)
                raise OutplayError(self.error) from error
        return self.game

    @property
    def file(self) -> Path | None:
        """The file that defines it; None for a built-in game."""
        name = read_call(self.text).name.strip()
        match = re.fullmatch(r"(.+\.(?:py|efg|nfg|json))(?::\w+)?", name, re.DOTALL) if self.is_file else None
        return path_of(match[1]) if match else None

    def reload(self) -> None:
        """Load the game anew; if that fails, the old one stays. Raises `OutplayError`."""
        before, self.game, self.error = self.game, None, ""
        try:
            self.load()
            self.start = {}
        finally:
            self.game = self.game or before

    def card_message(self) -> dict[str, Any]:
        """The card, with what is wrong with the game, if it was loaded."""
        return {"name": self.name, "title": title(self.name), "file": self.is_file} | self.card | {"error": self.error}

    def picture(self) -> dict[str, Any]:
        """The start of the game as its card shows it."""
        if not self.start:
            game = self.load()
            state = game.initial_state()
            svg = show(game, state).svg() if defines(game, "picture") else None
            self.start = {"svg": svg, "text": text_of(game, state)}
        return self.start


class Library:
    """The games, by name, and the players that can be named.

    Args:
        texts: the games named at the start, as `load_game` reads them.
        players: players named at the start, as `player_named` reads them; pages may use them besides searches.
        look_ups: files of tables and books, each of one of the games.

    Raises `OutplayError` for a text that names neither a game nor a file, and for a table or book of no game here.

    >>> library = Library(["nim(heaps=(1, 2))"])
    >>> library.game("nim(heaps=(1, 2))"), library.game("tic-tac-toe")
    (Nim(heaps=(1, 2)), TicTacToe())
    >>> library.game("my_game.py")
    Traceback (most recent call last):
    ...
    outplay.rules.errors.RulesError: there is no game 'my_game.py' here
    """

    def __init__(self, texts: Iterable[str] = (), players: Iterable[str] = (), look_ups: Iterable[str] = ()) -> None:
        names = names_of(text for text in texts if text not in BUILT_IN)
        named = [Entry(name, text, is_file=True) for text, name in names.items()]
        built_in = {name: Entry(name, name) for name in BUILT_IN if name != NEEDS_A_TREE}
        for entry in named:
            if entry.file is None or not entry.file.exists():  # a file with a mistake is shown, to be mended
                entry.load()
        self.entries = {entry.name: entry for entry in named} | built_in
        self.players = tuple(players)
        self._others: dict[str, Entry] = {}  # the one that was asked for last comes last
        self.names_in_use: Callable[[], Collection[str]] = tuple
        """The names of the games that are played now; the lobby knows them."""
        self.look_ups = [self._look_up(path) for path in look_ups]

    def entry(self, name: str) -> Entry:
        """The entry with this name: also a built-in game with other parameters, such as "go(size=13)".

        Raises `RulesError` if there is none.
        """
        if name in self.entries:
            return self.entries[name]
        call = WITH_NUMBERS.fullmatch(name)
        if call is None or call["name"] not in self.entries or self.entries[call["name"]].is_file:
            raise RulesError(f"there is no game {name!r:.60} here")
        numbers = re.findall(r"(?<![a-zA-Z_])\d[\w.]*", call["arguments"])  # also 1_000, 0xff and 1e9: refused
        if any(not re.fullmatch(r"\d+(\.\d*)?", number) or float(number) > GREATEST for number in numbers):
            raise RulesError(f"{name!r:.60}: a page cannot ask for numbers above {GREATEST}")
        entry = self._others.pop(name, None) or Entry(name, name)
        if len(self._others) >= MOST_OTHERS:
            self._forget_one()
        self._others[name] = entry
        return entry

    def _forget_one(self) -> None:
        """Forget the game with other parameters that was asked for longest ago and is not played now."""
        in_use = set(self.names_in_use())
        oldest = next((name for name in self._others if name not in in_use), None)
        if oldest is None:
            raise RulesError("too many games with other parameters are played here now: come back later")
        del self._others[oldest]

    def _look_up(self, path: str) -> LookUp:
        """The table or book in a file."""
        reasons = set()
        for entry in self.entries.values():
            try:
                return load_book(path, entry.load())
            except OutplayError as error:
                reasons.add(str(error))
        if len(reasons) == 1:  # whatever the game: there is no such file, or it is damaged
            raise OutplayError(reasons.pop())
        raise OutplayError(
            f"{path} is not a table or a book of a game that is served: name its game, as in outplay serve GAME"
        )

    def table_of(self, game: Game) -> Tablebase | None:
        """The table of a game, if there is one."""
        tables = (look_up for look_up in self.look_ups if isinstance(look_up, Tablebase))
        return next((table for table in tables if table.game == numbered(game)), None)

    def book_of(self, game: Game) -> Book | None:
        """The opening book of a game, if there is one."""
        books = (look_up for look_up in self.look_ups if isinstance(look_up, Book))
        return next((book for book in books if book.game == game), None)

    def name_of(self, game: Game) -> str:
        """The name of a game here. Raises `RulesError` if there is none."""
        own = [entry.name for entry in self.entries.values() if entry.game is not None and entry.game == game]
        if own:
            return own[0]
        call = read_call(repr(game))
        built_in = class_names().get(call.name, "")
        return self.entry(f"{built_in}({', '.join(call.arguments)})" if call.arguments else built_in).name

    def game(self, name: str) -> Game:
        """The game with this name. Raises `OutplayError` if there is none or it cannot be loaded."""
        return self.entry(name).load()

    def player(self, text: str, game: Game) -> Player:
        """The player that a page names: a search with limits, at random, or one named at the start.

        Raises `OutplayError` for any other.
        """
        if text in self.players:
            return PlayerSpec.read(text).player(game)
        spec = PlayerSpec.read(text)
        if spec.kind != "search" or spec.label != spec.text or spec.name not in (*SEARCHES, "random"):
            raise OutplayError(
                f"{text!r:.60} is not a player here: name a search such as alpha-beta(level=3), or random"
            )
        if spec.name == "random":
            return spec.player(game)
        options = spec.options(f"{spec.name}(level=3)")
        if unknown := set(options) - (LIMITED - {"exact", "clock", "stop"}):
            raise OutplayError(
                f"{text!r:.60}: a page gives a search a level or a limit, not {', '.join(sorted(unknown))}"
            )
        if "seconds" not in searcher_class(spec.name).limits:
            raise OutplayError(f"{spec.name} cannot be limited by seconds, so it does not play here")
        if isinstance(options.get("seconds"), int | float) and options["seconds"] > SECONDS:
            raise OutplayError(f"{text!r:.60}: a move takes at most {SECONDS:g} s here")
        if not options:
            spec = spec.with_option("level", "5")
        if not options.keys() & {"level", "elo", "seconds"} and options:
            spec = spec.with_option("seconds", f"{SECONDS:g}")
        if (memory := memory_option(searcher_class(spec.name))) is not None:
            spec = spec.with_option(memory, str(MEGABYTES))
        player = spec.player(game)
        if isinstance(player, SearchPlayer):
            player.strength = patient_strength(player.strength)
        return player


def patient_strength(strength: LevelOrBlend) -> LevelOrBlend:
    """A strength with a maximum time for a move, so that rules that do not compile do not search for minutes."""
    if isinstance(strength, Blend):
        lower, upper = patient_strength(strength.lower), patient_strength(strength.upper)
        return replace(strength, lower=lower, upper=upper)
    has_time = strength.limit is not None and strength.limit.seconds is not None
    return strength if has_time else patient(strength, PATIENCE)


def names_of(texts: Iterable[str]) -> dict[str, str]:
    """What pages call the games that are named at the start: files without their folders, if that tells them apart.

    >>> names_of(["old/pawns.py", "new/pawns.py(3)", "nim((2, 1))"])
    {'old/pawns.py': 'pawns.py', 'new/pawns.py(3)': 'pawns.py(3)', 'nim((2, 1))': 'nim((2, 1))'}
    >>> names_of(["games/old/pawns.py", "games/new/pawns.py"])
    {'games/old/pawns.py': 'old/pawns.py', 'games/new/pawns.py': 'new/pawns.py'}
    """
    choices = {text: _choices(text) for text in texts}
    counts = Counter(name for names in choices.values() for name in names)
    return {text: next((name for name in names if counts[name] == 1), names[-1]) for text, names in choices.items()}


def _choices(text: str) -> list[str]:
    """What a game can be called, the shortest first: its file with more and more of its folders."""
    call = read_call(text)
    if ".py" not in call.name:
        return [text.strip()]
    parts, arguments = Path(call.name).parts, text.strip()[len(call.name) :]
    return ["/".join(parts[-count:]) + arguments for count in range(1, len(parts) + 1)]


def card_of(entry: Entry, game: Game, titles: list[PlayerTitle]) -> dict[str, Any]:
    """What a page shows of a game before it is played."""
    algorithm = suited(game)
    return {
        "name": entry.name,
        "title": title(entry.name),
        "file": entry.is_file,
        "line": (inspect.getdoc(type(game)) or "").partition("\n")[0],
        "players": game.players,
        "hidden": game.hidden_information,
        "chance": game.has_chance,
        "kind": kind(game),
        "player_names": [player.title for player in titles],
        "colours": [player.colour for player in titles],
        "has_picture": defines(game, "picture"),
        "can_set_up": defines(game, "parse_state"),
        "start_text": state_text(game, game.initial_state()),
        "drops": isinstance(game, ConnectFour) or bool(getattr(game, "gravity", False)),
        "formats": formats(game),
        "computer": f"{algorithm}(level=3)",
        "levels": [{"text": "random", "title": "random"}]
        + [{"text": f"{algorithm}(level={level})", "title": f"level {level}"} for level in range(1, LEVELS + 1)],
        "algorithms": [] if game.hidden_information else step_algorithms(game),
    }


def step_algorithms(game: Game) -> list[str]:
    """The searches of a game that can be shown step by step, the usual one first."""
    usual = suited(game)
    names = []
    for name in (usual, *(name for name in SEARCHES if name != usual)):
        kind = searcher_class(name)
        if kind.records not in ("expansions", "sweeps") and (kind.textbook_form or kind.traces):
            with suppress(OutplayError):
                kind(game, check=False)
                names.append(name)
    return names


def state_text(game: Game, state: Any) -> str | None:
    """The text of a state, for links and set-up; None if the game has none."""
    try:
        text: str = game.state_text(state)
    except OutplayError:
        return None
    return text


def title(name: str) -> str:
    """A name as a heading.

    >>> title("connect-four"), title("my_game.py")
    ('Connect Four', 'my_game.py')
    """
    return name if "." in name or "(" in name else name.replace("-", " ").title()


def kind(game: Game) -> str:
    """The group of games that one belongs to on the page."""
    if game.hidden_information:
        return "hidden"
    if game.has_chance:
        return "chance"
    return "puzzle" if game.players == 1 else "board" if game.players == 2 else "many"


def formats(game: Game) -> list[str]:
    """The formats of records of a game, by the endings of files without the dot; the usual one comes first."""
    return list(dict.fromkeys(ending.removeprefix(".") for ending in (ending_of(game), ".jsonl") if ending in FORMATS))


def player_rows(library: Library) -> list[dict[str, str]]:
    """The players that a page offers, with what they are for."""
    searches = [
        {"text": name, "title": name, "line": algorithm.purpose}
        for name, algorithm in SEARCHES.items()
        if "seconds" in searcher_class(name).limits
    ]
    named = [{"text": text, "title": text, "line": "named at the start"} for text in library.players]
    return [*searches, {"text": "random", "title": "random", "line": "each legal action alike"}, *named]
