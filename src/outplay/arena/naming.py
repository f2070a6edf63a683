"""Players by the text that a person writes.

    alpha-beta(seconds=0.1)         a search, with limits and with its options
    mcts(simulations=1000, rave=true)
    alpha-beta(evaluation=my_game.learned)  by what outplay learn has learned
    mcts(evaluation=learned)        leaves are evaluated, not played out; `playout_depth` and `priors` say otherwise
    alpha-beta(level=3)             the levels of `outplay play`, and those between: level=2.5
    alpha-beta(elo=400)             its levels by Elo, see `outplay.session.levels`
    alpha-beta(exact=true)          searches until its answer is exact, however long that takes
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
from collections.abc import Callable, Collection
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from warnings import warn

from outplay.arena.hosted import HostedPlayer
from outplay.arena.player import LookUpPlayer, Player, RandomPlayer, SearchPlayer, StrategyPlayer
from outplay.arena.referee import Fault, Terms
from outplay.arena.vary import option_of, parts_of, with_option
from outplay.engine.limits import LIMITS, UNLIMITED, Limit
from outplay.rules.errors import OutplayError, RulesError
from outplay.rules.game import Game
from outplay.rules.user_code import describe_error
from outplay.session.algorithms import SEARCHES, searcher_class
from outplay.session.levels import LEVELS, Level
from outplay.session.load import load_file, parse_arguments, path_of
from outplay.session.searchers import OWN, load_book, settable, use_of_evaluation

PlayerSource = str | Callable[[Game], Player]
"""A player as text, or a function that makes it."""
SECONDS = 0.1
"""The time for each move of players that nothing else would limit."""
HARMLESS = {"table_mb", "memory_mb"}
"""Options that a search with an Elo may have."""
LIMITED = LIMITS | {"level", "elo", "exact"}
"""Options that say how long a search thinks."""
ONLY_EXACT, NEVER_EXACT = {"minimax", "value-iteration", "equilibrium"}, {"ismcts", "pimc"}
"""Searches that have no answer before their end, and searches that have no end."""
_FILE = re.compile(r"(?P<file>.+\.py):(?P<cls>\w+)(\((?P<arguments>.*)\))?", re.DOTALL)
_KIND = re.compile(r"(?P<kind>[a-z]+):(?P<rest>.+)", re.DOTALL)
_LABEL = re.compile(r"(?P<label>[\w.+-]+)=(?P<rest>.+)", re.DOTALL)
_NAME = re.compile(r"(?P<name>[^():]+)(\((?P<arguments>.*)\))?", re.DOTALL)


def label_of(text: str) -> tuple[str, str]:
    """What a player is called, and the rest of the text that names it.

    >>> label_of("deep=alpha-beta(depth=9)"), label_of("random")
    (('deep', 'alpha-beta(depth=9)'), ('random', 'random'))
    """
    match = _LABEL.fullmatch(text.strip())
    return (match["label"], match["rest"].strip()) if match else (text, text.strip())


def with_limits(players: tuple[PlayerSource, ...], limit: Limit, terms: Terms) -> tuple[PlayerSource, ...]:
    """The players of a contest, none of which thinks for ever: those that neither their names nor the `limit` and the
    clock of the contest would limit get `SECONDS` for each move, with a warning.

    Raises `OutplayError` if a player cannot be limited by `limit`.
    """
    if terms.seconds is not None or terms.clock is not None:
        return players
    found = tuple(_with_limit(player, limit) if isinstance(player, str) else player for player in players)
    if changed := [label_of(str(old))[0] for old, new in zip(players, found, strict=True) if old != new]:
        warn(
            f"{', '.join(changed)}: {SECONDS:g} s for each move, since nothing limits the search; name a limit, as in"
            " alpha-beta(depth=6), or one for all players (--seconds, --clock, --nodes; in Python, terms= or limit=);"
            " alpha-beta(exact=true) searches to the end",
            stacklevel=4,
        )
    return found


def _with_limit(text: str, limit: Limit) -> str:
    known = _endless(label_of(text)[1])
    wrong = [name for name, value in vars(limit).items() if value is not None]
    if not known or known & set(wrong):
        return text
    if not wrong:
        return with_option(text, "seconds", f"{SECONDS:g}")
    raise OutplayError(
        f"{text} cannot be limited by {', '.join(wrong)}: give it a limit of its own, such as"
        f" {parts_of(label_of(text)[1])[0]}(seconds={SECONDS:g})"
    )


def _endless(text: str) -> set[str]:
    """What can limit a player that is named without a limit and would think for ever; nothing for all others."""
    name, arguments = parts_of(text)
    if LIMITED & set(map(option_of, arguments)):
        return set()
    kind, colon, _ = name.partition(":")
    if colon:
        return set(PROGRAMS[kind].limits) if kind in PROGRAMS and PROGRAMS[kind].is_endless else set()
    name = _search_name(name)
    if name not in SEARCHES or name in ONLY_EXACT:
        return set()
    search = searcher_class(name)
    is_known = set(map(option_of, arguments)) <= {*settable(search), "book"}  # if not, making it says what is wrong
    return set(search.limits) if is_known else set()


def _search_name(text: str) -> str:
    return text.strip().lower().replace("_", "-")


def player_named(text: str, game: Game, limit: Limit = UNLIMITED) -> Player:
    """The player that `text` names, for `game`.

    `limit` is for searches and for other programs that are named without a limit. They take what they know of it.

    Raises `OutplayError` if there is no such player, if it does not suit the game, or if an option is wrong.

    >>> from outplay.games import TicTacToe
    >>> player_named("alpha-beta(depth=3, table_mb=1)", TicTacToe()).limit
    Limit(depth=3)
    """
    text = label_of(text)[1]
    if match := _FILE.fullmatch(text):
        player = HostedPlayer(_bot, text, path_of(match["file"]).absolute(), match["cls"], match["arguments"] or "")
        try:
            player.start()
        except Fault as fault:
            player.close()
            words = str(fault).removeprefix("error: ")
            raise OutplayError(words if words.startswith(text) else f"{text}: {words}") from None
        return player
    if (match := _KIND.fullmatch(text)) and match["kind"] in KINDS:
        return KINDS[match["kind"]](match["rest"], game, limit)
    if not (match := _NAME.fullmatch(text)):
        kinds = f"; before a colon: {', '.join(KINDS)}" if ":" in text else ""
        raise OutplayError(f"{text!r} is not a player: write alpha-beta(seconds=0.1), random or my_bot.py:Bot{kinds}")
    name, (positional, options) = _search_name(match["name"]), _arguments(text, match["arguments"])
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
    exact = options.pop("exact", None)
    if exact is not None and (exact is not True or limits or level is not None or elo is not None):
        raise OutplayError(f"{text}: write exact=true, without a limit, a level or an elo, or leave it out")
    if exact and name in NEVER_EXACT:
        raise OutplayError(f"{text}: {name} never knows that its answer is exact; give it a limit")
    if level is not None and (limits or not (_is_number(level) and 0 <= level <= len(LEVELS))):
        raise OutplayError(f"{text}: level is a number from 0 to {len(LEVELS)}, without other limits")
    if elo is None and file is not None:
        raise OutplayError(f"{text}: levels is the file of levels for an elo; give one")
    others = limits or level is not None or options.keys() - HARMLESS
    if elo is not None and (others or not _is_number(elo)):
        raise OutplayError(f"{text}: elo is a number, without limits or options that change the strength")
    known = [*settable(kind), *kind.limits, "level", "elo", "levels", "exact", "book", "evaluation"]
    for option in options:
        if option not in known:
            near = get_close_matches(option, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}"
            raise OutplayError(f"{text}: {name} has no option {option!r}; {hint}")
    if "book" in options:
        options["books"] = [load_book(str(options.pop("book")), game)]
    if "evaluate" in kind.__dataclass_fields__:
        evaluation = str(options.pop("evaluation")) if "evaluation" in options else None
        if evaluation is None and (level is not None or elo is not None):
            evaluation = OWN
        options = {**use_of_evaluation(kind, game, evaluation), **options}
    elif "evaluation" in options:
        raise OutplayError(f"{text}: {name} makes no estimates, so it has no evaluation")
    try:
        searcher = kind(game, **options)
    except (TypeError, ValueError) as error:
        raise OutplayError(f"{text}: {error}") from None
    limit = _limit(text, name, limits, UNLIMITED if exact or level is not None else usual, kind.limits)
    if elo is None and level is None:
        return SearchPlayer(searcher, limit)
    strength = Level.by_elo(game, name, elo, file) if elo is not None else Level.at(name, level)
    return SearchPlayer(searcher, strength.limit or Limit(nodes=1), strength=strength)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _limit(text: str, name: str, own: dict[str, Any], usual: Limit, known: Collection[str]) -> Limit:
    """The limit of a player: its own, or what it knows of the usual one."""
    given = own or {key: value for key, value in vars(usual).items() if value is not None and key in known}
    if wrong := given.keys() - set(known):
        only = f", but by {', '.join(known)}" if known else ""
        raise OutplayError(f"{text}: {name} cannot be limited by {', '.join(sorted(wrong))}{only}")
    try:
        return Limit(**given)
    except (TypeError, ValueError) as error:
        raise OutplayError(f"{text}: {error}") from None


def _book(path: str, game: Game, _: Limit) -> Player:
    return LookUpPlayer(load_book(path, game))


def _strategy(path: str, game: Game, _: Limit) -> Player:
    from outplay.equilibrium import Strategy

    return StrategyPlayer(Strategy.load(path, game))


def _program(kind: str, text: str, game: Game, usual: Limit) -> Player:
    """A player that is another program: a command, and in brackets its limits and options."""
    match = re.fullmatch(r"(?P<command>.*?)(\((?P<arguments>[^()]*)\))?", text.strip(), re.DOTALL)
    assert match is not None, "any text is one"
    positional, options = _arguments(text, match["arguments"])
    if positional:
        raise OutplayError(f"{text}: name each option, as in (seconds=0.1)")
    module, maker, known, _ = PROGRAMS[kind]
    own = {key: options.pop(key) for key in LIMITS & options.keys()}
    limit = _limit(f"{kind}:{text}", f"{kind} programs", own, usual, known)
    player: Player = getattr(import_module(f"outplay.arena.engines.{module}"), maker)(
        match["command"], game, limit, options
    )
    return player


class _Protocol(NamedTuple):
    """Programs that speak a protocol: the module of `outplay.arena.engines` and what makes the player there, what can
    limit such a program, and whether it thinks for ever without a limit.
    """

    module: str
    maker: str
    limits: tuple[str, ...] = ()
    is_endless: bool = False


PROGRAMS = {
    "uci": _Protocol("uci", "UciPlayer", ("seconds", "depth", "nodes"), is_endless=True),
    "gtp": _Protocol("gtp", "GtpPlayer", ("seconds",)),
    "cecp": _Protocol("cecp", "CecpPlayer", ("seconds", "depth")),
    "nboard": _Protocol("nboard", "NboardPlayer", ("depth",)),
    "external": _Protocol("gnubg", "GnubgPlayer"),
    "openspiel": _Protocol("openspiel", "openspiel_player", ("seconds", "simulations"), is_endless=True),
}
"""Other programs by the protocol."""
KINDS: dict[str, Callable[[str, Game, Limit], Player]] = {
    "book": _book,
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
