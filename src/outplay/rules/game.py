"""A game: what a user writes, and all that a search knows of it.

The formal definition of Russell & Norvig (*Artificial Intelligence: A Modern Approach*, ch. 5), method for method.
Start at `Game`; `legal_actions` and `defines` are how a search reads one.
"""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, ClassVar

from outplay.rules.base import Rules
from outplay.rules.bits import squares
from outplay.rules.errors import IllegalAction, RulesError

CHANCE = -1
"""The player to move where dice or cards decide."""
RENAMED = {
    "foresee": "forced_result",
    "foresight": "forced_result_depth",
    "is_urgent": "needs_extension",
    "lasting_actions": "amaf_friendly",
    "lines_go_on": "perft_past_end",
    "pass_turn": "null_move_state",
}
"""Optional rules by the names that they had, and have now."""


class Game(Rules):
    """The rules of a game, as ordinary Python methods over small immutable states.

    Players are `0 … players - 1`. A state is a value: a `NamedTuple` of ints, floats, bools, tuples and NumPy arrays
    compiles to native code; a game over any other Python object is searched interpreted, by the same source.
    Constructor parameters are stored as plain attributes and never change afterwards; when compiled they are constants.

    >>> class Countdown(Game):
    ...     '''Take 1 or 2; who takes the last one wins.'''
    ...     def __init__(self, start=5):
    ...         self.start = start
    ...     def initial_state(self):
    ...         return (self.start, 0)                  # counters left, player to move
    ...     def to_move(self, state):
    ...         return state[1]
    ...     def actions(self, state):
    ...         for taken in (1, 2):
    ...             if taken <= state[0]:
    ...                 yield taken
    ...     def result(self, state, taken):
    ...         return (state[0] - taken, 1 - state[1])
    ...     def is_terminal(self, state):
    ...         return state[0] == 0
    ...     def utility(self, state, player):
    ...         return -1 if state[1] == player else 1
    >>> game = Countdown(start=4)
    >>> list(game.actions(game.initial_state()))
    [1, 2]
    >>> game
    Countdown(start=4)
    """

    __slots__ = ()

    players: int = 2
    """How many players there are, chance not counted."""
    zero_sum: bool = True
    """Whether the utilities of all players sum to zero at every end."""
    teams: tuple[int, ...] = ()
    """The team of each player, 0 and up, as (0, 1, 1) where two ghosts hunt one Pac-Man. Who is in a team has the same
    utility, and `zero_sum` is about teams. Empty: everyone plays for himself."""
    has_chance: bool = False
    """Whether `to_move` may answer `CHANCE`. Set by itself where a class defines `probability`."""
    hidden_information: bool = False
    """Whether players see only a part of the state. Set by itself where a class defines `information`."""
    utilities: tuple[float, float] | None = None
    """The least and the greatest utility of any player, where known: a search then stops at a sure win."""
    repetition: ClassVar[str | None] = None
    """What follows when a state comes again in a game: None: nothing; "draw"; "loss": whoever brought it about loses;
    "forbidden": the action is illegal, and who has no other one loses. States are equal if their keys are."""
    repetitions: ClassVar[int] = 2
    """Which time a state comes is the one that counts: 2, the second; 3, as in chess, the third."""
    forced_result_depth: int | tuple[int, int] = 0
    """Within how many plies `forced_result` misses no win, and no loss, of the player to move; one number for both."""
    feature_names: tuple[str, ...] = ()
    """What the numbers that `features` gives are called, in the same order."""
    feature_weights: ClassVar[Mapping[str, Mapping[str, float]]] = {}
    """Weights of features that are worth trying in place of `evaluate`, by the name of the choice."""
    perft_past_end: ClassVar[bool] = False
    """Whether `perft` goes on where `is_terminal` says that the game is over, as long as there are actions."""
    amaf_friendly: ClassVar[bool] = False
    """Whether an action is worth much the same now and some plies later, as a stone on a point of the board is in Go:
    simulations then share what they learn of it (`rave` of `MCTS`)."""
    by_trial: ClassVar[bool] = True
    """Whether a random action is drawn by trial where the source of `actions` lets it. False: from the list of them,
    always, so that a seed gives the same answer with the source of the rules and without."""
    player_marks: ClassVar[tuple[str, ...]] = ("X", "O")
    """The letters that `render` draws for what is each player's: a terminal shows them in colour."""

    # -- the rules: every game defines these ------------------------------------------------------------------------

    @abstractmethod
    def initial_state(self) -> Any:
        """The state in which the game starts."""

    @abstractmethod
    def to_move(self, state: Any) -> int:
        """The player to move, or `CHANCE`."""

    @abstractmethod
    def actions(self, state: Any) -> Any:
        """The legal actions as ints: a generator, an array, a list or tuple, or a bit mask (bit i set: action i).

        Not asked of terminal states, but see `perft_past_end`.
        """

    @abstractmethod
    def result(self, state: Any, action: int) -> Any:
        """The state after `action`; the given state is not changed."""

    @abstractmethod
    def is_terminal(self, state: Any) -> bool:
        """Whether the game is over."""

    @abstractmethod
    def utility(self, state: Any, player: int) -> float:
        """The final payoff of `player` in a terminal state."""

    def probability(self, state: Any, action: int) -> float:
        """At a chance node: the probability of the outcome `action`."""
        raise NotImplementedError(f"{type(self).__name__} has chance nodes but does not define probability()")

    def information(self, state: Any, player: int) -> Any:
        """All that `player` knows in `state`, with perfect recall. Only games with hidden information define it.

        Numbers, texts, tuples and arrays will do, as for `key`. States where it is equal look the same to `player`.
        """
        return state

    # -- optional: these make a game stronger or nicer, never correct -----------------------------------------------

    def evaluate(self, state: Any, player: int) -> float:
        """An estimate of `player`'s utility, for a search that must stop before the end. Not defined: 0."""
        return 0.0

    def order(self, state: Any, action: int) -> float:
        """How promising `action` looks: a search tries the greatest first."""
        return 0.0

    def candidates(self, state: Any) -> Any:
        """Some of the legal actions, in the same forms: none of those left out is better than the best of these.

        Not defined: all of them. Asked only where `forced_result` knows no result; at least one action is left then.
        """
        return self.actions(state)

    def forced_result(self, state: Any) -> tuple[float, int]:
        """A result that the rules show at a glance: the utility of the player to move, and in how many plies.

        The nearest win, or the longest defence, as a search would find it. `(0, 0)`: nothing is known.
        """
        return 0.0, 0

    def is_quiet(self, state: Any) -> bool:
        """Whether `evaluate` can be trusted here; False in the middle of an exchange."""
        return True

    def noisy(self, state: Any) -> Any:
        """The legal actions to try where a state is not quiet, such as captures. Not defined: all."""
        return self.actions(state)

    def needs_extension(self, state: Any) -> bool:
        """Whether the player to move has to answer something at once, as when in check: a search looks further."""
        return False

    def null_move_state(self, state: Any) -> Any:
        """The state with the other player to move, where that is worth less than any action nearly always.

        The rules need not allow it; a search asks it of itself ("null move"). The state itself: not here.
        """
        return state

    def playout_action(self, state: Any, last: int, random: Any) -> int:
        """A legal action of `state`, chosen quickly but better than at random: what a playout of Monte Carlo plays.

        `last` is the action that led here, or -1; `draw(random, n)` of `outplay` is an int from 0 to n - 1, by chance.
        Not asked where chance is to move. Not defined: every legal action is equally likely.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define playout_action()")

    def determinize(self, state: Any, player: int, random: Any) -> Any:
        """A state that looks the same to `player`, drawn from all of them: what he cannot see is dealt anew.

        Each should be as likely as if everybody had acted at random so far. `draw(random, n)` of `outplay` is an int
        from 0 to n - 1. Not defined: a search plays the game anew until it looks the same.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define determinize()")

    def key(self, state: Any) -> Any:
        """A value that is equal for two states exactly when they are the same for the rest of the game.

        Not defined: the state itself. Ints, floats, tuples and arrays will do; outplay hashes them to 64 bits.
        """
        return state

    def symmetries(self, state: Any) -> Any:
        """The states that are `state` mirrored or turned: a tuple of states with the same value."""
        return (state,)

    def features(self, state: Any) -> Any:
        """Numbers for evaluations that are weighted sums: what the player to move has more of than the other one.

        A tuple or an array; each number is "mine less theirs", and `feature_names` holds its name.
        """
        return ()

    def render(self, state: Any) -> str:
        """A picture of `state`, for people."""
        return str(state)

    def action_name(self, state: Any, action: int) -> str:
        """`action` in the game's own notation."""
        return str(action)

    def information_text(self, state: Any, player: int) -> str:
        """`information` in the game's own words, for people."""
        return str(self.information(state, player))

    def parse_action(self, state: Any, text: str) -> int:
        """The legal action that `text` names; the inverse of `action_name`.

        Raises `IllegalAction`, which lists the legal names.
        """
        names = {self.action_name(state, action): int(action) for action in legal_actions(self, state)}
        if text in names:
            return names[text]
        near = get_close_matches(text, names, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise IllegalAction(f"{text!r} is not a legal action here; {hint}legal: {', '.join(names) or 'none'}")

    def state_text(self, state: Any) -> str:
        """`state` in the game's usual text form, such as FEN in chess. Raises `RulesError` if the game has none."""
        raise RulesError(f"{type(self).__name__} has no text form of its states: it does not define state_text()")

    def parse_state(self, text: str) -> Any:
        """The state that `text` describes; the inverse of `state_text`.

        Raises `RulesError`, which says what is wrong with the text, or that the game has no such form.
        """
        raise RulesError(f"{type(self).__name__} has no text form of its states: it does not define parse_state()")

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for old in sorted(vars(cls).keys() & RENAMED.keys()):
            new = RENAMED[old]
            warnings.warn(f"{cls.__name__}.{old}: the name is {new} now", DeprecationWarning, stacklevel=2)
        if cls.repetition not in (None, "draw", "loss", "forbidden"):
            raise RulesError(f'{cls.__name__}.repetition = {cls.repetition!r}: None, "draw", "loss" or "forbidden"')
        if not isinstance(cls.repetitions, int) or cls.repetitions < 2:
            raise RulesError(f"{cls.__name__}.repetitions = {cls.repetitions!r}: a whole number from 2 on")
        if not isinstance(cls.by_trial, bool):
            raise RulesError(f"{cls.__name__}.by_trial = {cls.by_trial!r}: True or False")
        if "probability" in vars(cls) and "has_chance" not in vars(cls):
            cls.has_chance = True
        if "information" in vars(cls) and "hidden_information" not in vars(cls):
            cls.hidden_information = True


def defines(game: Rules, rule: str) -> bool:
    """Whether the class of `game` has its own version of an optional rule, such as `"order"`.

    >>> from outplay.games import TicTacToe
    >>> defines(TicTacToe(), "probability")
    False
    """
    return getattr(type(game), rule) is not getattr(game._contract, rule)


def team_members(game: Game) -> list[list[int]]:
    """The players of each team; a player who is in none is a team alone.

    >>> from outplay.games import TicTacToe
    >>> team_members(TicTacToe())
    [[0], [1]]
    """
    teams = game.teams or range(game.players)
    return [[player for player, its in enumerate(teams) if its == team] for team in sorted(set(teams))]


def listed(actions: Any) -> Iterable[int]:
    """The actions one by one, whatever form a rule gives them."""
    if hasattr(actions, "dtype") and hasattr(actions, "__len__"):
        return actions.tolist()  # type: ignore[no-any-return]
    return squares(actions) if is_mask(actions) else actions


def is_mask(actions: Any) -> bool:
    """Whether a rule gives actions as a bit mask."""
    return hasattr(actions, "__index__") and not hasattr(actions, "__len__")


def legal_actions(game: Game, state: Any) -> Iterable[int]:
    """The legal actions of `state`, one by one, whatever form `game.actions` gives them.

    >>> from outplay.games import ConnectFour
    >>> game = ConnectFour()
    >>> list(legal_actions(game, game.initial_state()))
    [0, 1, 2, 3, 4, 5, 6]
    """
    return listed(game.actions(state))


def gathered_actions(game: Game, state: Any, space: Any, most: int) -> tuple[Any, int]:
    """The legal actions of `state` to be chosen from by their index, and how many there are.

    Where `game.actions` gives an array, in compiled code that array; else `space`, an array of ints in which they are
    put. Of more than `most` actions, only the first `most` can be relied on to be there.

    >>> from outplay.games import ConnectFour
    >>> game, space = ConnectFour(), [0] * 7
    >>> gathered_actions(game, game.initial_state(), space, 7)
    ([0, 1, 2, 3, 4, 5, 6], 7)
    """
    number = 0
    for action in legal_actions(game, state):
        if number < most:
            space[number] = action
        number += 1
    return space, number


def candidate_actions(game: Game, state: Any) -> Iterable[int]:
    """The actions of `state` that a search has to look at, one by one."""
    return listed(game.candidates(state))


def noisy_actions(game: Game, state: Any) -> Iterable[int]:
    """The actions to try in a `state` that is not quiet, one by one."""
    return listed(game.noisy(state))


def forced_result_depths(game: Game) -> tuple[int, int]:
    """Within how many plies the game's `forced_result` misses no win, and no loss.

    >>> from outplay.games import ConnectFour
    >>> forced_result_depths(ConnectFour())
    (2, 3)
    """
    if not defines(game, "forced_result"):
        return 0, 0
    forced_result_depth = game.forced_result_depth
    return forced_result_depth if isinstance(forced_result_depth, tuple) else (forced_result_depth, forced_result_depth)
