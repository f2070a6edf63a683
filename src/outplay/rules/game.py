"""`Game`: the rules that you write, and everything that a search knows about a game.

The methods follow the formal definition of Russell & Norvig (*Artificial Intelligence: A Modern Approach*, ch. 5).
Start at `Game`. Searches read a game by `legal_actions` and `defines`.
"""

import math
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from enum import Enum
from itertools import islice
from typing import Any, ClassVar

from outplay.rules.actions import action_parts, listed, name_of, plain_action
from outplay.rules.base import Rules
from outplay.rules.board import Picture
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import IllegalAction, RulesError
from outplay.rules.picture import picture
from outplay.rules.value_text import result_words, value_words
from outplay.rules.wording import MAX_SHOWN, cut, enumerated, shown

CHANCE = -1
"""The player to move when dice or cards decide."""
MAX_COMPARED = 10_000
"""The maximum number of names that are compared with one that is wrong."""


class Game(Rules):
    """The rules of a game, as ordinary Python methods on small immutable states.

    Players are numbered from 0 to `players - 1`. A state is a value. If it is a tuple or `NamedTuple` of ints, floats,
    bools, tuples and NumPy arrays, the rules compile to native code; with any other Python object, searches run the
    same source interpreted. Store constructor parameters as plain attributes and never change them afterwards: in
    compiled code they are constants.

    >>> class Countdown(Game):
    ...     '''Take 1 or 2; whoever takes the last one wins.'''
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
    """The number of players, not counting chance."""
    zero_sum: bool = True
    """Whether the utilities of all players sum to zero whenever the game ends."""
    constant_sum: float | None = None
    """The sum of the utilities of all players whenever the game ends, if it is always the same, such as 1 if a win is
    worth 1, a draw 1/2 and a loss 0. None: 0 if the game is `zero_sum`, else it varies."""
    teams: tuple[int, ...] = ()
    """The team of each player, numbered from 0, such as (0, 1, 1) if two ghosts hunt one Pac-Man. Players on a team
    share one utility, and `zero_sum` and `constant_sum` refer to teams. Empty: all players play for themselves."""
    has_chance: bool = False
    """Whether `to_move` may return `CHANCE`. Set automatically if the class defines `probability`."""
    hidden_information: bool = False
    """Whether players see only part of the state. Set automatically if the class defines `information`."""
    utilities: tuple[float, float] | None = None
    """The lowest and the highest utility of any player, if known: a search then stops at a certain win."""
    repetition: ClassVar[str | None] = None
    """What happens when a state is repeated. None: nothing. "draw": the game is drawn. "loss": the player who repeated
    it loses. "forbidden": the action is illegal, and a player without another one loses. States are equal if their keys
    are."""
    repetitions: ClassVar[int] = 2
    """The occurrence of a state that counts as a repetition: 2 for the second, 3 for the third as in chess."""
    forced_result_depth: int | tuple[int, int] = 0
    """The number of plies within which `forced_result` finds every win and every loss of the player to move; a pair if
    the numbers for wins and losses differ."""
    feature_names: tuple[str, ...] = ()
    """The names of the numbers that `features` returns, in the same order."""
    feature_weights: ClassVar[Mapping[str, Mapping[str, float]]] = {}
    """Named choices of feature weights that are worth trying instead of `evaluate`."""
    perft_past_end: ClassVar[bool] = False
    """Whether `perft` goes on after the end of the game as long as there are actions."""
    amaf_friendly: ClassVar[bool] = False
    """Whether an action is worth about the same now and some plies later, such as a stone on a point in Go. Simulations
    then share what they learn about it (`rave` of `MCTS`)."""
    by_trial: ClassVar[bool] = True
    """Whether a random action is drawn by trial if the source of `actions` allows it. False: always draw from the list
    of actions, so that a seed gives the same answer whether or not the source of the rules is available."""
    player_marks: ClassVar[tuple[str, ...]] = ("X", "O")
    """The letters that `render` draws for the pieces of each player; a terminal shows them in colour."""

    # -- the rules: every game defines these ------------------------------------------------------------------------

    @abstractmethod
    def initial_state(self) -> Any:
        """The state at the start of the game."""

    @abstractmethod
    def to_move(self, state: Any) -> int:
        """The player to move, or `CHANCE`."""

    @abstractmethod
    def actions(self, state: Any) -> Any:
        """The legal actions: a generator, an array, a list or tuple, or a bit mask (bit i set: action i).

        An action is an int from 0 on, which is fastest, or a string, a tuple, an enum or anything that can be hashed.
        Never called on terminal states, but see `perft_past_end`.
        """

    @abstractmethod
    def result(self, state: Any, action: Any) -> Any:
        """The state after `action`. The given state must not be changed."""

    @abstractmethod
    def is_terminal(self, state: Any) -> bool:
        """Whether the game is over."""

    @abstractmethod
    def utility(self, state: Any, player: int) -> float:
        """The final payoff of `player` in a terminal state."""

    def probability(self, state: Any, action: Any) -> float:
        """The probability of the outcome `action` of a chance node."""
        raise NotImplementedError(f"{type(self).__name__} has chance nodes but does not define probability()")

    def information(self, state: Any, player: int) -> Any:
        """Everything that `player` knows in `state`, with perfect recall. Only games with hidden information define it.

        Return numbers, text, tuples or arrays, as for `key`. States with equal information look the same to `player`.
        """
        return state

    # -- optional: these make a game stronger or nicer, never correct -----------------------------------------------

    def observation(self, state: Any, player: int) -> Any:
        """What `player` sees of `state` as numbers, for environments: a tuple or an array of one shape in all states.

        In a game with hidden information it must show no more than `information`. Default: found from the rules, see
        `outplay.env`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define observation()")

    def action_limit(self) -> int | None:
        """A number above those of all actions, which are ints: the size of the space of actions of environments.

        Default: None, not known; environments then look at random games.
        """
        return None

    def evaluate(self, state: Any, player: int) -> float:
        """An estimate of the utility of `player`, for a search that must stop before the end.

        Default: 0, or if the game has a `constant_sum`, an equal share of it.
        """
        return draw_utility(self)

    def order(self, state: Any, action: Any) -> float:
        """How promising `action` looks. A search tries the highest first."""
        return 0.0

    def candidates(self, state: Any) -> Any:
        """Some of the legal actions, in any form of `actions`. No other action may be better than the best of these.

        Called only where `forced_result` knows no result, and then returns at least one action. Default: all actions.
        """
        return self.actions(state)

    def forced_result(self, state: Any) -> tuple[float, int]:
        """A result known without search: the utility of the player to move, and the number of plies to the end.

        It is the nearest win or the longest defence, as a search would find it. `(0, 0)` means that nothing is known.
        """
        return 0.0, 0

    def utility_bounds(self, state: Any) -> tuple[float, float]:
        """The least and the greatest utility that the player to move can still reach, against the best play.

        A search leaves out a state whose bounds lie outside its window. Never called on terminal states, nor where
        `forced_result` knows the result. Default: `utilities`, or no bounds.
        """
        return self.utilities or (-math.inf, math.inf)

    def is_quiet(self, state: Any) -> bool:
        """Whether `evaluate` is reliable here; False, for example, in the middle of an exchange."""
        return True

    def noisy(self, state: Any) -> Any:
        """The legal actions to try in a state that is not quiet, such as captures. Default: all actions."""
        return self.actions(state)

    def needs_extension(self, state: Any) -> bool:
        """Whether the player to move must respond to a threat, such as a check. A search then looks one ply further."""
        return False

    def null_move_state(self, state: Any) -> Any:
        """The state after a pass, even if the rules do not allow one; used for null-move pruning.

        A pass should nearly always be worse than the best action. Where it may not be, return the state itself.
        """
        return state

    def passed_state(self, state: Any) -> Any:
        """`state` with the other player to move and all else the same, whether or not the rules allow a pass; used to
        count mutual zugzwangs. Where that is no position of the game, such as in check, return the state itself.
        """
        return state

    def playout_action(self, state: Any, last: int, random: Any) -> int:
        """The action that a Monte Carlo playout plays: chosen quickly, but better than at random.

        `last` is the action that led here, or -1. `outplay.random_below(random, n)` is a random int from 0 to n - 1.
        Never called where chance is to move. Default: every legal action is equally likely.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define playout_action()")

    def determinize(self, state: Any, player: int, random: Any) -> Any:
        """A random state that looks the same to `player`: what they cannot see is dealt again.

        Each such state should be as likely as if everyone had acted at random so far. `outplay.random_below(random, n)`
        is a random int from 0 to n - 1. Default: a search replays the game at random until it looks the same.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define determinize()")

    def key(self, state: Any) -> Any:
        """A value that is equal for two states exactly when they are the same for the rest of the game.

        Return an int, a float, a tuple or an array; outplay hashes it to 64 bits. Default: the state itself.
        """
        return state

    def symmetries(self, state: Any) -> Any:
        """A tuple of states with the same value, such as `state` mirrored and rotated, including `state` itself."""
        return (state,)

    def state_class(self, state: Any) -> int:
        """The number of the class of `state` for tables by class, such as its material; -1: it has none.

        A game that defines `state_index`, `indexed_state` and `index_count` has dense tables (docs/endgames.md). All
        actions lead to the same class, or to one that cannot be left for the former again. Default: one class, 0.
        """
        return 0

    def index_count(self, number: int) -> int:
        """The number of indices of the class with this number."""
        raise NotImplementedError(f"{type(self).__name__} does not define index_count()")

    def state_index(self, state: Any) -> int:
        """The index of `state` in its class, below `index_count`; the same for states that are worth the same to
        `index_player`, such as images of each other. -1: it has none.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define state_index()")

    def indexed_state(self, number: int, index: int) -> Any:
        """A state of the class `number` with this index. If none has it, the index is a hole: return any other state.

        A state with another index, or with -1, tells that the index is a hole.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define indexed_state()")

    def index_player(self, state: Any) -> int:
        """The player from whose side `state` is numbered: states that differ only by an exchange of the players may
        share an index if they name different players here. Default: player 0.
        """
        return 0

    def index_plies(self, state: Any) -> int:
        """The plies that can be played from `state` before the game may be drawn by something that the index leaves
        out, such as a count of plies without a capture. A table answers only if it knows a shorter way to the end.
        """
        return 1 << 30

    def index_stage(self, state: Any) -> int:
        """A number that no action within a class raises, such as the rows that pawns still have to go; the same for
        states with the same index. Actions that lower it, or lead to another class, are conversions: there is no way
        back. After a conversion, `index_plies` is that of the indexed state. Used by tables with distances to the next
        conversion. Default: 0.
        """
        return 0

    def index_points(self, state: Any, player: int) -> float:
        """What `player` has gained for good, such as captured seeds, minus what the others have: part of the utility at
        the end, which the index leaves out. A table has the values of what is still open. Only actions that lead to
        another class change it. If play never ends, what is open is shared: nobody gains more. Default: 0.
        """
        return 0.0

    def class_name(self, number: int) -> str:
        """The name of a class, such as KRK in chess. Default: its number."""
        return str(number)

    def parse_class(self, text: str) -> int:
        """The class that `text` names; the inverse of `class_name`. Raises `RulesError` if there is none."""
        if not text.strip().isdecimal():
            raise RulesError(f"{text!r} is not a class of {type(self).__name__}: classes are whole numbers from 0 on")
        return int(text)

    def features(self, state: Any) -> Any:
        """A tuple or an array of numbers, for evaluations that are weighted sums or networks.

        Each number is what the player to move has, minus what the other player has, or another fact in that player's
        view. Where chance decides, it is the view of the player whose turn it is. `feature_names` has its name.
        """
        return ()

    def render(self, state: Any) -> str:
        """A picture of `state`, for people. Default: boards of rows and columns are drawn, see `picture`."""
        return picture(state)

    def picture(self, state: Any) -> Picture | None:
        """What is where in `state`, for `outplay.show`; see `outplay.rules.board`. Default: `render` in a frame."""
        return None

    def seat_picture(self, state: Any, player: int) -> Picture | None:
        """The picture of what `player` sees of `state`, for games with hidden information: the same for states with
        equal `information`. Default: None; a page then shows `information_text`.
        """
        return None

    def action_cells(self, state: Any, action: Any) -> Sequence[Hashable]:
        """The cells of `picture` to click for `action`, in order, such as from and to; none if it is not on the board.

        Default: the action itself if it is a cell, or its parts if they all are cells.
        """
        return action_parts(self.picture(state), action)

    def action_name(self, state: Any, action: Any) -> str:
        """The name of `action` in the notation of the game. Default: its text, such as "3", or "1,2" for a tuple."""
        return name_of(action)

    def value_text(self, value: float, exact: bool = False, distance: int | None = None) -> str:
        """A value as players of the game say it, such as +0.31 (pawns), or #2 for a mate in two moves, in chess.

        Args:
            value: the value, from the side of the player whose value it is.
            exact: whether it is proved, not an estimate.
            distance: plies to the end of the game, if a decisive value is proved; else None.

        Default: "win in 9", "loss in 4", "draw" or the number.
        """
        return value_words(self, value, exact, distance)

    def line_text(self, state: Any, names: Sequence[str]) -> str:
        """A line of actions from `state` on, given by their names; chess numbers its moves. Default: with spaces."""
        return " ".join(names)

    def result_text(self, utilities: Sequence[float]) -> str:
        """The result of a game as its players say it, such as 1-0. Default: such as "player 0 wins" or "draw"."""
        return result_words(self, utilities)

    def information_text(self, state: Any, player: int) -> str:
        """What `player` knows, as text for people."""
        return str(self.information(state, player))

    def parse_action(self, state: Any, text: str) -> int:
        """The legal action that `text` names; the inverse of `action_name`.

        Raises `IllegalAction` with a list of the legal names if there is none.
        """
        names = {self.action_name(state, action): plain_action(action) for action in legal_actions(self, state)}
        if text in names:
            action: int = names[text]  # or what the actions of the game are
            return action
        members = [name for name in names.values() if isinstance(name, Enum) and isinstance(name, int)]
        for member in members:  # a search calls it by its number
            if text == str(int(member)):
                return member
        similar = get_close_matches(text[:MAX_SHOWN], islice(names, MAX_COMPARED), n=1)
        hint = f"did you mean {cut(similar[0], MAX_SHOWN)}? " if similar else ""
        raise IllegalAction(f"{shown(text)} is not a legal action here; {hint}legal: {enumerated(names)}")

    def state_text(self, state: Any) -> str:
        """`state` in the game's usual text form, such as FEN in chess. Raises `RulesError` if the game has none."""
        raise RulesError(f"{type(self).__name__} has no text form of its states: it does not define state_text()")

    def parse_state(self, text: str) -> Any:
        """The state that `text` describes; the inverse of `state_text`.

        Raises `RulesError` if the text is wrong or the game has no text form.
        """
        raise RulesError(f"{type(self).__name__} has no text form of its states: it does not define parse_state()")

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.repetition not in (None, "draw", "loss", "forbidden"):
            raise RulesError(f'{cls.__name__}.repetition = {cls.repetition!r}: None, "draw", "loss" or "forbidden"')
        if not isinstance(cls.repetitions, int) or cls.repetitions < 2:
            raise RulesError(f"{cls.__name__}.repetitions = {cls.repetitions!r}: a whole number from 2 on")
        if not isinstance(cls.by_trial, bool):
            raise RulesError(f"{cls.__name__}.by_trial = {cls.by_trial!r}: True or False")
        if cls.constant_sum and vars(cls).get("zero_sum"):
            raise RulesError(
                f"{cls.__name__} declares zero_sum = True and constant_sum = {cls.constant_sum!r}: utilities have one"
                " sum, so declare one of the two"
            )
        if "constant_sum" in vars(cls) and "zero_sum" not in vars(cls):
            cls.zero_sum = cls.constant_sum == 0
        if "probability" in vars(cls) and "has_chance" not in vars(cls):
            cls.has_chance = True
        if "information" in vars(cls) and "hidden_information" not in vars(cls):
            cls.hidden_information = True
        for rule in CONCLUSIONS:
            if not _is_of_the_same_rules(cls, rule):
                setattr(cls, rule, getattr(Game, rule))


PLAY = ("to_move", "actions", "result", "is_terminal", "utility")
"""The rules that say how a game is played."""
CONCLUSIONS = ("forced_result", "candidates", "utility_bounds", "symmetries")
"""The optional rules that follow from these. A class that changes a rule of the class from which it inherits one of
them gets the default instead, unless it says that it still holds: `candidates = Parent.candidates`."""


def _is_of_the_same_rules(cls: type[Game], rule: str) -> bool:
    """Whether a class plays by the rules of the class from which it has an optional one."""
    owner = next(base for base in cls.__mro__ if rule in vars(base))
    return owner is Game or all(
        getattr(owner, name) in (getattr(cls, name), getattr(Game, name))
        or getattr(getattr(owner, name), "__isabstractmethod__", False)
        for name in PLAY
    )


def defines(game: Rules, rule: str) -> bool:
    """Whether the class of `game` has its own version of an optional rule, such as `"order"`.

    >>> from outplay.games import TicTacToe
    >>> defines(TicTacToe(), "probability")
    False
    """
    return getattr(type(game), rule) is not getattr(game._contract, rule)


def legal_actions(game: Game, state: Any) -> Iterable[int]:
    """The legal actions of `state`, one by one, from any of the forms that `game.actions` may return.

    >>> from outplay.games import ConnectFour
    >>> game = ConnectFour()
    >>> list(legal_actions(game, game.initial_state()))
    [0, 1, 2, 3, 4, 5, 6]
    """
    return listed(game.actions(state))


def gathered_actions(game: Game, state: Any, space: Any, most: int) -> tuple[Any, int]:
    """An array of the legal actions of `state`, and their number.

    The array is `space`, into which the actions are written; in compiled code it is the array that `game.actions`
    returns, if it returns one. If there are more than `most` actions, only the first `most` are sure to be there.

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
    """The actions of `state` that a search must consider, one by one."""
    return listed(game.candidates(state))


def noisy_actions(game: Game, state: Any) -> Iterable[int]:
    """The actions to try in a `state` that is not quiet, one by one."""
    return listed(game.noisy(state))


def forced_result_depths(game: Game) -> tuple[int, int]:
    """The numbers of plies within which the `forced_result` of a game finds every win, and every loss.

    >>> from outplay.games import ConnectFour
    >>> forced_result_depths(ConnectFour())
    (2, 3)
    """
    if not defines(game, "forced_result"):
        return 0, 0
    forced_result_depth = game.forced_result_depth
    return forced_result_depth if isinstance(forced_result_depth, tuple) else (forced_result_depth, forced_result_depth)
