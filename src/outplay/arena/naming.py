"""Players by the text that a person writes.

    alpha-beta(seconds=0.1)         a search, with limits and with its options
    mcts(simulations=1000, rave=true)
    alpha-beta(level=3)             the levels of `outplay play`
    alpha-beta(elo=400)             its levels by Elo, see `outplay.session.levels`
    random                          each legal action alike
    book:openings.book              what a book or a table says, at random elsewhere
    strategy:kuhn.json              a strategy of `outplay equilibrium --save`
    uci:stockfish(UCI_Elo=2000)     another program, see `outplay.arena.engines`
    gtp:gnugo --mode gtp --level 1
    cecp:fairymax(seconds=1)
    nboard:edax -nboard(depth=10)
    external:gnubg(plies=0)
    openspiel:mcts(simulations=1000)
    my_bot.py:Bot(3)                a class of one's own, see `outplay.arena.player`
    deep=alpha-beta(depth=9)        any of them, with a name of its own

Start at `player_named`.
"""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from outplay.arena.hosted import HostedPlayer
from outplay.arena.player import LookUpPlayer, Player, RandomPlayer, SearchPlayer, StrategyPlayer
from outplay.arena.referee import Fault
from outplay.engine.limits import LIMITS, UNLIMITED, Limit
from outplay.rules.errors import OutplayError, RulesError
from outplay.rules.game import Game
from outplay.rules.user_code import describe_error
from outplay.session.algorithms import SEARCHES, searcher_class
from outplay.session.levels import LEVELS, levels_of, strength_at
from outplay.session.load import load_file, parse_arguments, path_of
from outplay.session.searchers import load_book, settable

HARMLESS = {"table_mb", "memory_mb"}
"""Options that a search with an Elo may have."""
_FILE = re.compile(r"(?P<file>.+\.py):(?P<cls>\w+)(\((?P<arguments>.*)\))?", re.DOTALL)
_KIND = re.compile(r"(?P<kind>[a-z]+):(?P<rest>.+)", re.DOTALL)
_LABEL = re.compile(r"(?P<label>[\w.+-]+)=(?P<rest>.+)", re.DOTALL)
_NAME = re.compile(r"(?P<name>[^():]+)(\((?P<arguments>.*)\))?", re.DOTALL)


def label_of(text: str) -> tuple[str, str]:
    """What a player is called, and the rest of the text that names it.

    >>> label_of("deep=alpha-beta(depth=9)"), label_of("random")
    (('deep', 'alpha-beta(depth=9)'), ('random', 'random'))
    """
    found = _LABEL.fullmatch(text.strip())
    return (found["label"], found["rest"].strip()) if found else (text, text.strip())


def player_named(text: str, game: Game, limit: Limit = UNLIMITED) -> Player:
    """The player that `text` names, for `game`.

    `limit` is for searches and for other programs that are named without a limit. They take what they know of it.

    Raises `OutplayError` if there is no such player, if it does not suit the game, or if an option is wrong.

    >>> from outplay.games import TicTacToe
    >>> player_named("alpha-beta(depth=3, table_mb=1)", TicTacToe()).limit
    Limit(depth=3)
    """
    text = label_of(text)[1]
    if found := _FILE.fullmatch(text):
        player = HostedPlayer(_bot, text, path_of(found["file"]).absolute(), found["cls"], found["arguments"] or "")
        try:
            player.start()
        except Fault as fault:
            player.close()
            words = str(fault).removeprefix("error: ")
            raise OutplayError(words if words.startswith(text) else f"{text}: {words}") from None
        return player
    if (found := _KIND.fullmatch(text)) and found["kind"] in KINDS:
        other: Any = KINDS[found["kind"]](found["rest"], game)
        if getattr(other, "limit", None) == UNLIMITED:
            other.limit = replace(limit, simulations=None)  # no program knows them
        return other  # type: ignore[no-any-return]
    if not (found := _NAME.fullmatch(text)):
        kinds = f"; before a colon: {', '.join(KINDS)}" if ":" in text else ""
        raise OutplayError(f"{text!r} is not a player: write alpha-beta(seconds=0.1), random or my_bot.py:Bot{kinds}")
    name, (positional, options) = found["name"].strip().lower().replace("_", "-"), _arguments(text, found["arguments"])
    if positional:
        raise OutplayError(f"{text}: name each option, as in {name}(depth=3)")
    if name == "random":
        if options:
            raise OutplayError(f"{text}: random has no options")
        return RandomPlayer()
    if name == "human":
        raise OutplayError("human plays at a terminal only: in outplay match and outplay tournament")
    if name not in SEARCHES:
        known = [*SEARCHES, "random"]
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}, my_bot.py:Bot"
        raise OutplayError(f"no player is called {name!r}; {hint}")
    return _search(text, name, game, options, limit)


def _arguments(text: str, arguments: str | None) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a player; words need no quotes."""
    quoted = re.sub(r"(?<==)\s*(?!True\b|False\b|None\b)([A-Za-z/~][\w./+-]*)", r"'\1'", arguments or "")
    try:
        return parse_arguments(re.sub(r"'(true|false|none)'", lambda found: found[1].title(), quoted, flags=re.I))
    except RulesError as error:
        raise OutplayError(f"{text}: {error}") from None


def _search(text: str, name: str, game: Game, options: dict[str, Any], usual: Limit) -> Player:
    """A player that searches."""
    kind, limits = searcher_class(name), {key: options.pop(key) for key in LIMITS & options.keys()}
    level, elo, file = options.pop("level", None), options.pop("elo", None), options.pop("levels", None)
    if level is not None and (limits or level not in range(1, len(LEVELS) + 1)):
        raise OutplayError(f"{text}: level is a number from 1 to {len(LEVELS)}, without other limits")
    if elo is None and file is not None:
        raise OutplayError(f"{text}: levels is the file of levels for an elo; give one")
    others = limits or level is not None or options.keys() - HARMLESS
    if elo is not None and (others or not isinstance(elo, int | float)):
        raise OutplayError(f"{text}: elo is a number, without limits or options that change the strength")
    known = [*settable(kind), *kind.limits, "level", "elo", "levels", "book"]
    for option in options:
        if option not in known:
            near = get_close_matches(option, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}"
            raise OutplayError(f"{text}: {name} has no option {option!r}; {hint}")
    if "book" in options:
        options["books"] = [load_book(str(options.pop("book")), game)]
    try:
        searcher = kind(game, **options)
        if not limits and level is None:
            limits = {key: value for key, value in vars(usual).items() if value is not None and key in kind.limits}
        limit = Limit(**limits)
        wrong = limits.keys() - kind.limits
    except (TypeError, ValueError) as error:
        raise OutplayError(f"{text}: {error}") from None
    if wrong:
        raise OutplayError(f"{text}: {name} cannot be limited by {', '.join(sorted(wrong))}")
    if elo is not None:
        return SearchPlayer(searcher, Limit(nodes=1), strength=strength_at(game, name, elo, file))
    if level is None:
        return SearchPlayer(searcher, limit)
    strength = levels_of(name)[level - 1]
    return SearchPlayer(searcher, strength.limit or limit, strength.share)


def _strategy(path: str, game: Game) -> Player:
    from outplay.equilibrium import Strategy

    return StrategyPlayer(Strategy.load(path, game))


def _program(kind: str, text: str, game: Game) -> Player:
    """A player that is another program: a command, and in brackets its limits and options."""
    found = re.fullmatch(r"(?P<command>.*?)(\((?P<arguments>[^()]*)\))?", text.strip(), re.DOTALL)
    assert found is not None, "any text is one"
    positional, options = _arguments(text, found["arguments"])
    if positional:
        raise OutplayError(f"{text}: name each option, as in (seconds=0.1)")
    try:
        limit = Limit(**{key: options.pop(key) for key in LIMITS & options.keys()})
    except (TypeError, ValueError) as error:
        raise OutplayError(f"{text}: {error}") from None
    module, name = PROGRAMS[kind]
    player: Player = getattr(import_module(f"outplay.arena.engines.{module}"), name)(
        found["command"], game, limit, options
    )
    return player


PROGRAMS = {
    "uci": ("uci", "UciPlayer"),
    "gtp": ("gtp", "GtpPlayer"),
    "cecp": ("cecp", "CecpPlayer"),
    "nboard": ("nboard", "NboardPlayer"),
    "external": ("gnubg", "GnubgPlayer"),
    "openspiel": ("openspiel", "openspiel_player"),
}
"""Other programs by the protocol: the module of `outplay.arena.engines`, and what makes the player there."""
KINDS: dict[str, Callable[[str, Game], Player]] = {
    "book": lambda path, game: LookUpPlayer(load_book(path, game)),
    "strategy": _strategy,
    **{kind: partial(_program, kind) for kind in PROGRAMS},
}
"""Players by a word and what stands after the colon."""


def _bot(text: str, path: Path, name: str, arguments: str) -> Player:
    """A player of a class in a file."""
    kind = getattr(load_file(path), name, None)
    if not isinstance(kind, type) or not callable(getattr(kind, "choose", None)):
        raise OutplayError(f"{text}: {name} in {path} is not a class with a method choose(view, clock)")
    positional, keywords = _arguments(text, arguments)
    try:
        player: Player = kind(*positional, **keywords)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise OutplayError(f"{text} failed: {describe_error(error)}") from error
    return player
