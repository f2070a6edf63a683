"""Checks a table against the rules; of the code that made it, it shares only the codes of states.

A table is right if it holds each successor of its states, and for each state, and each of its images (`symmetries`)

    at an end        the value is the utility, after 0 plies; the utilities have the sum that the game declares
    else             the value is the best one among the successors,
    not a draw       and the plies are 1 + the least (or the greatest, for the side that gets less than in a draw)
                     of the successors with this value.

That is enough, also where play can go in circles. Take one side, and the values that are better for it than a draw,
from the best one down. In a state with such a value, if this side is to move, it has an action that keeps the value,
with one ply less to the end. If the other side is to move, each of its actions does so, or leads to a better value,
which is forced by induction. So the side forces at least this value, in as many plies as the table says unless the
other side gives more away.

Nor can it get more than such a value, or more than a draw in a state with the value of a draw: none of its own actions
leads to more, the other side always has one that does not, and endless play is only a draw. The same holds for the
other side, so that each value is exact.

For a table without distances, these are counted first, from its values alone (`count_plies`): in the n-th pass over all
states, those get n plies from which the side that gains forces an end with this value within n plies by the successors
that have some. A state whose value cannot be forced gets none, which the check then finds. So its values are proved
as well, with more work: a state is asked again in each pass until it has its plies.

By class, the state that each index stands for is checked. Whether others with the same index are worth the same, some
thousand random games tell (`lines.py`).

With chance, each value must be the greatest, least or mean one of the successors, up to twice the error that the table
states and rounding. If play ends with probability 1, whoever plays how, only the exact values are so without any
difference: where each differs by at most d, they are wrong by at most d times the number of plies that play lasts on
average, at most. Without circles this number is at most the depth of the graph, and d is rounding alone: the values
are exact up to that.

With several sides, each state must have the values, and 1 + the plies, of the first successor that is best for the
player to move. The plies shrink on this line, so that it ends: by induction the values are those of max^n.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from outplay.check.quick import check_rules
from outplay.compile.kernels import kernel, pointer
from outplay.compile.options import CompileTimeOptions
from outplay.compile.records import layout, new_record
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import StopReason
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import balance, is_opposed, total
from outplay.rules.game import CHANCE, defines, friends_of, legal_actions, team_members
from outplay.tables.class_verification import check_classes
from outplay.tables.codec import encode, encode_one, state_at
from outplay.tables.lines import first_contradiction
from outplay.tables.tablebase import Tablebase, check_suits

OUTSIDE, UTILITY, SUM, MOVER, VALUE, PLIES, IMAGE, CONVERSION, PAST, INDEX = range(1, 11)
FAULTS = {
    OUTSIDE: "a successor is not in the table",
    UTILITY: "the value at this end of the game is not the utility",
    SUM: "the utilities at this end of the game do not have the sum that the game declares",
    MOVER: "to_move returns a number that is not a player",
    VALUE: "the value is not the best one of the successors (or their mean, where chance is to move)",
    PLIES: "the plies do not fit those of the successors",
    IMAGE: "one of the images (symmetries) of this state is not stored as this state",
    CONVERSION: "an action raises index_stage, or index_plies does not begin anew after a conversion",
    PAST: "what the table says about how many plies are left after conversions is wrong",
    INDEX: "this state has the index of another one that is worth something else (state_index)",
}
GAMES, SECONDS = 5000, 1.0
"""The most random games with a table by class, and about the processor time that they take."""
UNKNOWN = 0xFFFF
"""The plies of a state that has none yet."""
ROUNDING = 1e-9
"""The largest difference of utilities from their sum that counts as rounding."""
CHANCE_ROUNDING = 1e-13
"""The largest difference of a mean from a value, relative to the greatest value, that counts as rounding."""
MAX_ERROR = 1e-9
"""The maximum error of a table, relative to the greatest value, or to 1 if that is greater."""
LAYOUT = layout(*COUNTERS, ("done", int), ("fault", int))


@dataclass(frozen=True)
class Laws(CompileTimeOptions):
    """Which of the laws above a table keeps."""

    chance: bool
    """Whether values are means where chance is to move, and there are no plies."""
    vectors: bool
    """Whether each value is that of several sides, by max^n; images are states of their own then."""


class Verdict(NamedTuple):
    """The result of a check."""

    states: int
    """The number of states that were checked."""
    fault: str
    """What is wrong with the first state that is; empty if nothing is."""
    state: Any
    """This state; None if nothing is wrong."""
    stopped: bool
    """Whether Ctrl-C ended the check."""


def verify(table: Tablebase, progress: Callable[[int, int], None] | None = None) -> Verdict:
    """Check the value and the distance of every state of a table against the rules of its game.

    For a table without distances, it checks that each value is exact, too.

    >>> from outplay.games import ConnectFour
    >>> verify(Tablebase.make(ConnectFour(width=4, height=3)))
    Verdict(states=6027, fault='', state=None, stopped=False)
    """
    game = table.game
    check_rules(game, game.initial_state())
    check_suits(game)
    if table.classes is not None:
        done, wrong_law, state, stopped = check_classes(table.classes, progress)
        if not wrong_law and not stopped and (state := first_contradiction(table, GAMES, SECONDS)) is not None:
            wrong_law = INDEX
        return Verdict(done, FAULTS.get(wrong_law, ""), state, stopped=stopped)
    states, codec = table.states(), table.codec.record()
    if (disorder := first_disorder(states.codes)) >= 0:
        return Verdict(0, f"state {disorder + 1:,} is not above the one before it", None, stopped=False)
    friends = friends_of(game)
    memory = new_record(LAYOUT)
    memory.search = 1
    codes, utilities = states.codes.reshape(-1), np.array(table.utilities)
    plies = states.plies if table.distances else np.full(len(table), UNKNOWN, np.uint16)
    allowed = 0.0
    if game.has_chance:
        size = float(np.abs(states.levels).max(initial=0))
        allowed = 2 * table.error + CHANCE_ROUNDING * size
        if not table.error <= MAX_ERROR * max(1.0, size):
            return Verdict(0, f"the error, {table.error:g}, is too large", None, stopped=False)
    laws = Laws(chance=game.has_chance, vectors=not is_opposed(game))
    sides = np.zeros(game.players, np.int64)
    for side, team in enumerate(team_members(game)):
        sides[team] = side

    def stop(_: int) -> None:
        memory.stop = -1

    report = (lambda: progress(int(memory.done), len(table))) if progress else None
    runner = SearchRunner(None, lambda: 1, stop, report)
    if not table.distances:
        runner.run(lambda: count_plies(game, codec, codes, states.levels, plies, utilities, friends, memory))
        memory.done = 0
    if runner.stopped != StopReason.INTERRUPTED:
        runner.run(
            lambda: check_all(
                game, laws, codec, codes, states.levels, plies, utilities, total(game) or 0.0, friends, sides, allowed,
                memory,
            )
        )  # fmt: skip
    faults = FAULTS if table.distances else FAULTS | {PLIES: "the value cannot be forced"}
    fault = faults.get(int(memory.fault), "")
    wrong = state_at(game, codec, codes, int(memory.done)) if fault else None
    return Verdict(int(memory.done), fault, wrong, stopped=runner.stopped == StopReason.INTERRUPTED)


def first_disorder(codes: Any) -> int:
    """The index of the first code that is not above the one before it; -1 if there is none."""
    above = np.zeros(max(0, len(codes) - 1), bool)
    for word in range(codes.shape[1] - 1, -1, -1):
        one, other = codes[:-1, word], codes[1:, word]
        above = (one < other) | ((one == other) & above)
    wrong = np.flatnonzero(~above)
    return int(wrong[0]) + 1 if len(wrong) else -1


@kernel
def index_of(codes: Any, words: int, code: Any) -> int:
    """The index of a code among the ascending codes; -1 if it is not there."""
    low, high = 0, len(codes) // words
    while low < high:
        middle = low + high >> 1
        word = 0
        while word < words - 1 and codes[middle * words + word] == code[word]:
            word += 1
        if codes[middle * words + word] < code[word]:
            low = middle + 1
        else:
            high = middle
    for word in range(words):
        if low * words >= len(codes) or codes[low * words + word] != code[word]:
            return -1
    return low


@kernel
def check_all(
    game: Any, laws: Any, codec_memory: Any, codes: Any, levels: Any, plies: Any, utilities: Any, sum_: float,
    friends: int, sides: Any, allowed: float, work: Any,
) -> None:  # fmt: skip
    """Check all states and their images; the first that is wrong ends it."""
    codec, memory = pointer(codec_memory), pointer(work)
    while memory.done < len(levels) and not must_stop(memory):
        state = state_at(game, codec_memory, codes, memory.done)
        if defines(game, "symmetries") and not laws.vectors:
            for image in game.symmetries(state):
                if not encode(game, image, codec) or index_of(codes, codec.words, codec.code) != memory.done:
                    memory.fault = IMAGE
                    return
                memory.fault = fault_of(
                    game, laws, image, codec, codes, levels, plies, utilities, sum_, friends, sides, allowed,
                    memory.done,
                )  # fmt: skip
                if memory.fault != 0:
                    return
        else:
            memory.fault = fault_of(
                game, laws, state, codec, codes, levels, plies, utilities, sum_, friends, sides, allowed, memory.done
            )  # fmt: skip
            if memory.fault != 0:
                return
        memory.done += 1


@kernel
def count_plies(
    game: Any, codec_memory: Any, codes: Any, levels: Any, plies: Any, utilities: Any, friends: int, work: Any
) -> None:
    """Set the plies of all states, pass by pass, as their values have it; `UNKNOWN` where no pass finds them."""
    codec, memory, ply, found = pointer(codec_memory), pointer(work), 0, True
    while found and ply < UNKNOWN:
        found = False
        for number in range(len(levels)):
            if plies[number] != UNKNOWN:
                continue
            if must_stop(memory):
                return
            state = state_at(game, codec_memory, codes, number)
            if ends_within(game, state, codec, codes, levels, plies, utilities, friends, number, ply):
                plies[number] = ply
                memory.done += 1
                found = True
        ply += 1


@kernel
def ends_within(
    game: Any, state: Any, codec: Any, codes: Any, levels: Any, plies: Any, utilities: Any, friends: int, number: int,
    ply: int,
) -> bool:  # fmt: skip
    """Whether the plies of `state` are known to be `ply`, where those of all states with fewer are set."""
    value, draw = utilities[levels[number]], balance(game)
    if ply == 0:
        return bool(game.is_terminal(state) or value == draw)
    mover, one, all_ = game.to_move(state), False, True
    if mover < 0 or mover >= game.players:
        return False
    is_friend = friends >> mover & 1
    for action in legal_actions(game, state):
        at = index_of(codes, codec.words, codec.code) if encode(game, game.result(state, action), codec) else -1
        if at >= 0 and levels[at] == levels[number]:
            if plies[at] < ply:
                one = True
            else:
                all_ = False
    gains = value > draw if is_friend else value < draw
    return one and (gains or all_)


@kernel
def fault_of(
    game: Any, laws: Any, state: Any, codec: Any, codes: Any, levels: Any, plies: Any, utilities: Any, sum_: float,
    friends: int, sides: Any, allowed: float, number: int,
) -> int:  # fmt: skip
    """What is wrong with `state`, which is stored with this number; 0 if nothing is."""
    if laws.vectors:
        return int(fault_of_vector(game, state, codec, codes, levels, plies, utilities, sides, number))
    if laws.chance:
        return int(fault_of_mean(game, state, codec, codes, levels, sum_, friends, allowed, number))
    return int(fault_of_best(game, state, codec, codes, levels, plies, utilities, sum_, friends, number))


@kernel
def fault_of_end(game: Any, state: Any, value: float, sum_: float, friends: int) -> int:
    """What is wrong with a state in which the game is over, where this is the value for player 0; 0 if nothing is."""
    if game.utility(state, 0) != value:
        return UTILITY
    for player in range(game.players):
        wanted = value if friends >> player & 1 else sum_ - value
        if not abs(game.utility(state, player) - wanted) <= ROUNDING * max(1.0, abs(wanted)):
            return SUM
    return 0


@kernel
def fault_of_best(
    game: Any, state: Any, codec: Any, codes: Any, levels: Any, plies: Any, utilities: Any, sum_: float, friends: int,
    number: int,
) -> int:  # fmt: skip
    """What is wrong with `state`, which is stored with this number, in a game of opposed sides; 0 if nothing is."""
    value, away, draw = utilities[levels[number]], int(plies[number]), balance(game)
    if game.is_terminal(state):
        return UTILITY if away != 0 else int(fault_of_end(game, state, value, sum_, friends))
    mover = game.to_move(state)
    if mover < 0 or mover >= game.players:
        return MOVER
    is_friend = friends >> mover & 1
    best, least, most, found = 0.0, 0, 0, False
    for action in legal_actions(game, state):
        at = index_of(codes, codec.words, codec.code) if encode(game, game.result(state, action), codec) else -1
        if at < 0:
            return OUTSIDE
        after, ply = utilities[levels[at]], int(plies[at])
        if not found or (after > best if is_friend else after < best):
            best, least, most, found = after, ply, ply, True
        elif after == best:
            least, most = min(least, ply), max(most, ply)
    if not found or best != value:
        return VALUE
    gains = value > draw if is_friend else value < draw
    return 0 if away == (0 if value == draw else 1 + least if gains else 1 + most) else PLIES


@kernel
def fault_of_mean(
    game: Any, state: Any, codec: Any, codes: Any, values: Any, sum_: float, friends: int, allowed: float, number: int
) -> int:
    """What is wrong with `state`, which is stored with this number, in a game with chance; 0 if nothing is."""
    value = values[number]
    if game.is_terminal(state):
        return int(fault_of_end(game, state, value, sum_, friends))
    mover = game.to_move(state)
    by_chance = mover == CHANCE
    if mover >= game.players or (mover < 0 and not by_chance):
        return MOVER
    is_friend = not by_chance and friends >> mover & 1
    best, found, whole = 0.0, False, 0.0
    for action in legal_actions(game, state):
        chance = game.probability(state, action) if by_chance else 1.0
        if chance == 0:
            continue
        at = index_of(codes, codec.words, codec.code) if encode(game, game.result(state, action), codec) else -1
        if at < 0:
            return OUTSIDE
        after = values[at]
        if by_chance:
            best, whole, found = best + chance * after, whole + chance, True
        elif not found or (after > best if is_friend else after < best):
            best, found = after, True
    if by_chance:
        if not abs(whole - 1) <= ROUNDING:
            return VALUE
        best /= whole
    return 0 if found and abs(best - value) <= allowed else VALUE


@kernel
def fault_of_vector(
    game: Any, state: Any, codec: Any, codes: Any, levels: Any, plies: Any, utilities: Any, sides: Any, number: int
) -> int:
    """What is wrong with `state`, which is stored with this number, in a table by max^n; 0 if nothing is."""
    own = levels[number]
    if game.is_terminal(state):
        for player in range(game.players):
            if game.utility(state, player) != utilities[own, sides[player]]:
                return UTILITY
        return 0 if plies[number] == 0 else UTILITY
    mover = game.to_move(state)
    if mover < 0 or mover >= game.players:
        return MOVER
    best = -1
    for action in legal_actions(game, state):
        child = game.result(state, action)
        at = index_of(codes, codec.words, codec.code) if encode_one(game, child, codec, codec.code) else -1
        if at < 0:
            return OUTSIDE
        if best < 0 or utilities[levels[at], sides[mover]] > utilities[levels[best], sides[mover]]:
            best = at
    if best < 0 or levels[best] != own:
        return VALUE
    return 0 if int(plies[number]) == int(plies[best]) + 1 else PLIES
