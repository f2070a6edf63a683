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
    uci:stockfish(UCI_Elo=2000)     another program, see `outplay.protocols`
    gtp:gnugo --mode gtp --level 1
    cecp:fairymax(seconds=1)
    nboard:edax -nboard(depth=10)
    hub:scan hub(seconds=0.5)
    external:gnubg(plies=0)
    openspiel:mcts(simulations=1000)
    my_bot.py:Bot(3)                a class of one's own, see `outplay.arena.Player`
    deep=alpha-beta(depth=9)        any of them, with a name of its own

A text is read once, as a `PlayerSpec`, which travels to other processes. Start at `player_named`.
"""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from warnings import warn

from outplay.arena.hosted import HostedPlayer
from outplay.arena.referee import Fault, Terms
from outplay.engine.limits import LIMITS, UNLIMITED, Limit
from outplay.rules.errors import EvaluationError, OutplayError, RulesError
from outplay.rules.game import Game
from outplay.rules.user_code import describe_error
from outplay.session.algorithms import SEARCHES, searcher_class
from outplay.session.calls import Call, read_arguments, read_call
from outplay.session.levels import LEVELS, Level
from outplay.session.load import load_file, path_of
from outplay.session.players import LookUpPlayer, Player, RandomPlayer, SearchPlayer, StrategyPlayer
from outplay.session.searchers import OWN, check_options_of, load_book, new_searcher, settable

SECONDS = 0.1
"""The time for each move of players that nothing else would limit."""
HARMLESS = {"table_mb", "memory_mb"}
"""Options that a search with an Elo may have."""
LIMITED = LIMITS | {"level", "elo", "exact"}
"""Options that say how long a search thinks."""
ONLY_EXACT, NEVER_EXACT = {"minimax", "value-iteration", "equilibrium"}, {"ismcts", "pimc"}
"""Searches that have no answer before their end, and searches that have no end."""
FILES = ("book", "strategy")
"""Players by a file, which is named after the colon."""
_LABEL = re.compile(r"(?P<label>[\w.+-]+)=(?P<rest>.+)", re.DOTALL)


class _Protocol(NamedTuple):
    """Programs that speak a protocol: the module of `outplay.protocols` and what makes the player there, what can
    limit such a program, and whether it thinks for ever without a limit.
    """

    module: str
    maker: str
    limits: tuple[str, ...] = ()
    is_endless: bool = False


PROGRAMS = {
    "uci": _Protocol("uci.player", "UciPlayer", ("seconds", "depth", "nodes"), is_endless=True),
    "gtp": _Protocol("gtp.player", "GtpPlayer", ("seconds",)),
    "cecp": _Protocol("cecp.player", "CecpPlayer", ("seconds", "depth")),
    "nboard": _Protocol("nboard.player", "NboardPlayer", ("depth",)),
    "hub": _Protocol("hub.player", "HubPlayer", ("seconds", "depth", "nodes"), is_endless=True),
    "external": _Protocol("gnubg", "GnubgPlayer"),
    "openspiel": _Protocol("openspiel", "openspiel_player", ("seconds", "simulations"), is_endless=True),
}
"""Other programs by the protocol."""


@dataclass(frozen=True)
class PlayerSpec:
    """A player as a person names it, read once. Two are equal if their texts are.

    Attributes:
        text: the whole text.
        label: what the player is called.
        kind: "search", also for random moves; "bot", for a class in a file; or the word before the colon.
        call: the search, the class, the file or the command, and the texts of its options.
    """

    text: str
    label: str = field(compare=False)
    kind: str = field(compare=False)
    call: Call = field(compare=False)

    def __str__(self) -> str:
        return self.text

    @classmethod
    def read(cls, text: str) -> "PlayerSpec":
        """The player that a text names, whether or not there is one.

        >>> PlayerSpec.read("deep=alpha-beta(depth=9)").label, PlayerSpec.read("uci:stockfish").kind
        ('deep', 'uci')
        """
        text = text.strip()
        match = _LABEL.fullmatch(text)
        label, rest = (match["label"], match["rest"].strip()) if match else (text, text)
        kind, colon, after = rest.partition(":")
        if colon and kind in FILES:
            return cls(text, label, kind, Call(after))
        if colon and kind in PROGRAMS:
            return cls(text, label, kind, read_call(after))
        call = read_call(rest)
        return cls(text, label, "bot" if re.fullmatch(r".+\.py:\w+", call.name, re.DOTALL) else "search", call)

    @property
    def rest(self) -> str:
        """The text without the label."""
        return self.text if self.label == self.text else self.text.partition("=")[2].strip()

    @property
    def name(self) -> str:
        """The name of a search."""
        return self.call.name.strip().lower().replace("_", "-")

    def with_option(self, option: str, value: str) -> "PlayerSpec":
        """The player with another value of an option."""
        before = self.text[: -len(self.rest)] + (f"{self.kind}:" if self.kind in PROGRAMS else "")
        return PlayerSpec.read(before + self.call.with_option(option, value))

    def limited(self, limit: Limit) -> "PlayerSpec":
        """The player, which does not think for ever: if neither its text nor `limit` would limit it, with `SECONDS`.

        Raises `OutplayError` if it cannot be limited by `limit`.
        """
        known = self._endless()
        wrong = [name for name, value in vars(limit).items() if value is not None]
        if not known or known & set(wrong):
            return self
        if not wrong:
            return self.with_option("seconds", f"{SECONDS:g}")
        name = f"{self.kind}:{self.call.name}" if self.kind in PROGRAMS else self.call.name
        raise OutplayError(
            f"{self} cannot be limited by {', '.join(wrong)}: give it a limit of its own, such as"
            f" {name}(seconds={SECONDS:g})"
        )

    def _endless(self) -> set[str]:
        """What can limit a player that is named without a limit and would think for ever; nothing for all others."""
        options = self.call.options
        if LIMITED & options or self.name in ONLY_EXACT:
            return set()
        if self.kind in PROGRAMS:
            return set(PROGRAMS[self.kind].limits) if PROGRAMS[self.kind].is_endless else set()
        if self.kind != "search" or self.name not in SEARCHES:
            return set()
        search = searcher_class(self.name)
        is_known = options <= {*settable(search), "book"}  # if not, making it says what is wrong
        return set(search.limits) if is_known else set()

    def options(self, example: str) -> dict[str, Any]:
        """The values of its options. Raises `OutplayError` for one without a name, as in `example`."""
        values, options = self.arguments()
        if values:
            raise OutplayError(f"{self.rest}: name each option, as in {example}")
        return options

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """The values of its arguments and options; words need no quotes."""
        try:
            return read_arguments(self.call.arguments, words=True)
        except RulesError as error:
            raise OutplayError(f"{self.rest}: {error}") from None

    def player(self, game: Game, limit: Limit = UNLIMITED) -> Player:
        """The player, for `game`; see `player_named`."""
        match self.kind:
            case "bot":
                return _hosted(self)
            case "book":
                return LookUpPlayer(load_book(self.call.name, game))
            case "strategy":
                from outplay.equilibrium import Strategy

                return StrategyPlayer(Strategy.load(self.call.name, game))
            case "search":
                return _search(self, game, limit)
        return _program(self, game, limit)


PlayerSource = str | PlayerSpec | Callable[[Game], Player]
"""A player as text, read or not, or a function that makes it."""


def sources(players: Sequence[PlayerSource], limit: Limit, terms: Terms) -> tuple[PlayerSource, ...]:
    """The players of a contest, none of which thinks for ever: those that neither their names nor the `limit` and the
    clock of the contest would limit get `SECONDS` for each move, with a warning.

    Raises `OutplayError` if a player cannot be limited by `limit`.
    """
    read = [PlayerSpec.read(player) if isinstance(player, str) else player for player in players]
    if terms.seconds is not None or terms.clock is not None:
        return tuple(read)
    found = tuple(player.limited(limit) if isinstance(player, PlayerSpec) else player for player in read)
    changed = [old.label for old, new in zip(read, found, strict=True) if old != new and isinstance(old, PlayerSpec)]
    if changed:
        warn(
            f"{', '.join(changed)}: {SECONDS:g} s for each move, since nothing limits the search; name a limit, as in"
            " alpha-beta(depth=6), or one for all players (--seconds, --clock, --nodes; in Python, terms= or limit=);"
            " alpha-beta(exact=true) searches to the end",
            stacklevel=5,
        )
    return found


def player_named(text: str, game: Game, limit: Limit = UNLIMITED) -> Player:
    """The player that `text` names, for `game`.

    `limit` is for searches and for other programs that are named without a limit. They take what they know of it.

    Raises `OutplayError` if there is no such player, if it does not suit the game, or if an option is wrong.

    >>> from outplay.games import TicTacToe
    >>> player_named("alpha-beta(depth=3, table_mb=1)", TicTacToe()).limit
    Limit(depth=3)
    """
    return PlayerSpec.read(text).player(game, limit)


def _search(spec: PlayerSpec, game: Game, usual: Limit) -> Player:
    """A player that searches, or plays at random."""
    text, name = spec.rest, spec.name
    if not name or set(name) & set("():"):
        kinds = f"; before a colon: {', '.join((*FILES, *PROGRAMS))}" if ":" in text else ""
        raise OutplayError(f"{text!r} is not a player: write alpha-beta(seconds=0.1), random or my_bot.py:Bot{kinds}")
    options = spec.options(f"{name}(depth=3)")
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
    files = {key: str(options.pop(key)) for key in ("book", "evaluation") if key in options}
    if "evaluate" in kind.__dataclass_fields__ and (level is not None or elo is not None):
        files.setdefault("evaluation", OWN)
    try:
        check_options_of(kind, options, name, *kind.limits, "level", "elo", "levels", "exact", "book", "evaluation")
        searcher = new_searcher(game, name, **files, **options)
    except EvaluationError:
        raise
    except (TypeError, ValueError) as error:
        raise OutplayError(f"{text}: {error}") from None
    limit = _limit(text, name, limits, UNLIMITED if exact or level is not None else usual, kind.limits)
    if elo is None and level is None:
        return SearchPlayer(searcher, limit)
    return SearchPlayer(
        searcher, strength=Level.at(name, level) if elo is None else Level.by_elo(game, name, elo, file)
    )


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


def _program(spec: PlayerSpec, game: Game, usual: Limit) -> Player:
    """A player that is another program: a command, and in brackets its limits and options."""
    options = spec.options("(seconds=0.1)")
    module, maker, known, _ = PROGRAMS[spec.kind]
    own = {key: options.pop(key) for key in LIMITS & options.keys()}
    limit = _limit(spec.rest, f"{spec.kind} programs", own, usual, known)
    player: Player = getattr(import_module(f"outplay.protocols.{module}"), maker)(
        spec.call.name.rstrip(), game, limit, options
    )
    return player


def _hosted(spec: PlayerSpec) -> HostedPlayer:
    """A player of a class in a file, in a process of its own."""
    file, _, name = spec.call.name.rpartition(":")
    player = HostedPlayer(_bot, spec, path_of(file).absolute(), name)
    try:
        player.start()
    except Fault as fault:
        player.close()
        words = str(fault).removeprefix("error: ")
        raise OutplayError(words if words.startswith(spec.rest) else f"{spec.rest}: {words}") from None
    return player


def _bot(spec: PlayerSpec, path: Path, name: str) -> Player:
    """The same in that process."""
    text = spec.rest
    kind = getattr(load_file(path), name, None)
    if not isinstance(kind, type) or not callable(getattr(kind, "choose", None)):
        raise OutplayError(f"{text}: {name} in {path} is not a class with a method choose(view, clock)")
    values, options = spec.arguments()
    try:
        player: Player = kind(*values, **options)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise OutplayError(f"{text} failed: {describe_error(error)}") from error
    return player
