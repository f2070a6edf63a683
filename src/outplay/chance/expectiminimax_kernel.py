"""Expectiminimax: minimax of a game with dice (Michie 1966; Russell & Norvig, section 5.5).

    value(s) = utility(s)                                    if s is terminal
             = max over a of  value(result(s, a))            if a friend is to move
             = min over a of  value(result(s, a))            if an enemy is
             = sum over a of  P(a | s) value(result(s, a))   if chance is

Values are those of the player to move at the root, the hero; his friends are the players of his team. Where nobody is
an enemy this is expectimax, without dice it is minimax. Depth counts what players do: outcomes of chance are free, and
a state in which chance is about to move is evaluated as it stands.

Chance nodes are pruned too. With v known to lie from LEAST to GREATEST, each outcome has a lower and an upper bound,
and so has the sum; the window of an outcome is what would bring the sum out of (alpha, beta), all others at their
bounds (Star1, Ballard 1983). Star2 first looks at a single action after each outcome, the most promising one: if a
friend is to move that is a lower bound, if an enemy is an upper one, and often these alone decide.

Paranoid and best-reply search are the same search, see there.
"""

import math
from typing import Any

from outplay.chance.base import BY_BOUNDS
from outplay.chance.score import to_score, to_value
from outplay.compile.kernels import kernel
from outplay.compile.random_numbers import LISTED, random_below
from outplay.engine.ordering import ALL, CELLS, bring_first, learn, list_actions
from outplay.engine.table import (
    EXACT,
    LOWER,
    MISSING,
    NO_ACTION,
    NONE,
    SOLVED,
    UPPER,
    action_of,
    bound_of,
    depth_of,
    probe,
    store,
)
from outplay.engine.workspace import (
    BY_ROOM,
    BY_RULES,
    HORIZON,
    LEAVES,
    NODES,
    PLIES,
    SEARCHED,
    STACK,
    STACK_SIZE,
    TABLE_MASK,
    WHY,
    must_stop,
)
from outplay.rules.game import CHANCE, defines, legal_actions
from outplay.rules.keys import mix, state_key

HERO, FRIENDS, SALT, SAMPLES, DRAWN_BY = 33, 34, 35, 36, 37
"""Cells of the workspace: whose values these are; a bit for each player on his side; what is mixed into keys; how many
outcomes are drawn where there are more, and what decides which."""
LEAST, GREATEST, ESTIMATE, OUTCOMES = range(4)
"""Numbers: the bounds of values; the estimate that lies outside them; and from here on, for each outcome on the stack
its probability and the bounds of its value."""
REPLIED = 0x5851F42D4C957F
"""Times the enemy who has replied already, mixed into the key of a state."""
SHARE = 1 << 30
RANDOM_STATE = LISTED


@kernel
def expectiminimax(
    game: Any, techniques: Any, state: Any, depth: int, alpha: float, beta: float, probing: bool, replied: int,
    ply: int, memory: Any, numbers: Any, table: Any, random: Any, base: int,
) -> float:  # fmt: skip
    """The value of `state`, or a bound of it outside (alpha, beta); it means nothing if the search was stopped.

    `probing` looks at the first action alone, so that it gives a lower bound to friends and an upper one to enemies.
    `replied`: in best-reply search 1 + the enemy who has had his choice of actions since the hero moved; 0 for none.
    """
    # 1. An end, or the end of the look-ahead.
    never, nobody = ply < 0, 0 * ply  # constants would be of other types than the parameters of the recursion
    memory[NODES] += 1
    if game.is_terminal(state):
        memory[LEAVES] += 1
        return float(game.utility(state, memory[HERO]))
    if depth <= 0 or ply >= PLIES - 1:
        memory[HORIZON] += 1
        return estimate(game, techniques, state, memory, numbers)

    if must_stop(memory):
        return 0.0

    # 2. What the table knows.
    key, word, before = 0, MISSING, memory[HORIZON]
    if techniques.table:
        key = state_key(game, state) ^ memory[SALT]
        if techniques.best_reply:
            key ^= REPLIED * replied
        word, score = probe(table, memory[TABLE_MASK], key)
        if bound_of(word) != NONE and (word & SOLVED or depth_of(word) >= depth):
            known = to_value(score)
            if bound_of(word) == EXACT or (known >= beta if bound_of(word) == LOWER else known <= alpha):
                memory[HORIZON] += word & SOLVED == 0
                return known

    # 3. Chance: the sum over its outcomes, as long as that may lie within the window.
    mover = game.to_move(state)
    number, best, bound = NO_ACTION, 0.0, EXACT
    if techniques.chance and mover == CHANCE:
        end = list_outcomes(game, techniques, state, memory, numbers, random, base)
        low, high = sums(techniques, memory, numbers, base, end)
        for searching in range(0 if techniques.star > 1 else 1, 2):
            for here in range(base, end, CELLS):
                place = place_of(here)
                probability, least, greatest = numbers[place], numbers[place + 1], numbers[place + 2]
                if techniques.star > 0 and least == greatest:
                    continue
                a, b = -math.inf, math.inf
                if techniques.star > 0:
                    a = max(least, (alpha - (high - probability * greatest)) / probability)
                    b = min(greatest, (beta - (low - probability * least)) / probability)
                child, friend = game.result(state, memory[here]), 0
                if searching == 0 and not game.is_terminal(child):
                    next_mover = game.to_move(child)
                    if next_mover == CHANCE:
                        continue
                    friend = memory[FRIENDS] >> next_mover & 1
                value = expectiminimax(
                    game, techniques, child, depth, a, b, searching == 0, replied, ply + 1, memory, numbers, table,
                    random, end,
                )  # fmt: skip
                if must_stop(memory):
                    return 0.0
                if techniques.star == 0:
                    numbers[place + 1] = value
                    continue
                if searching == 0 and not game.is_terminal(child):
                    if friend and value > a:
                        numbers[place + 1] = max(least, value)
                    elif not friend and value < b:
                        numbers[place + 2] = min(greatest, value)
                elif value <= a:
                    numbers[place + 2] = least if a == least else value  # sums of the same numbers may differ in the
                elif value >= b:
                    numbers[place + 1] = greatest if b == greatest else value  # last digit: a bound met is the value
                else:
                    numbers[place + 1] = numbers[place + 2] = value
                low += probability * (numbers[place + 1] - least)
                high += probability * (numbers[place + 2] - greatest)
                failed = searching == 1 and numbers[place + 1] != numbers[place + 2]
                if high <= alpha or (failed and value <= a):
                    bound = UPPER
                elif low >= beta or failed:
                    bound = LOWER
                if bound != EXACT:
                    break
            if bound != EXACT:
                break
        if bound == UPPER:
            best = min(high, alpha)
        elif bound == LOWER:
            best = max(low, beta)
        else:
            for here in range(base, end, CELLS):
                best += numbers[place_of(here)] * numbers[place_of(here) + 1]
            if techniques.bounded:
                best = min(max(best, numbers[LEAST]), numbers[GREATEST])

    # 4. A player: the best of the actions for him, as long as the others may allow it.
    else:
        friend = memory[FRIENDS] >> mover & 1
        if techniques.best_reply and not friend and replied != 0 and replied != mover + 1:
            memory[HORIZON] += 1  # what is left out might change the value
            child = game.result(state, usual_action(game, state))
            return expectiminimax(
                game, techniques, child, depth, alpha, beta, never, replied, ply + 1, memory, numbers, table, random,
                base,
            )  # fmt: skip
        end = list_actions(game, techniques, state, 1 - friend, ply, action_of(word), ALL, memory, base, table)
        if end == base:
            memory[WHY] = BY_RULES
            return 0.0
        best, low, high = -math.inf if friend else math.inf, alpha, beta
        for here in range(base, end, CELLS):
            bring_first(memory, here, end)
            action, next_replied = memory[here], nobody if friend else mover + 1
            value = expectiminimax(
                game, techniques, game.result(state, action), depth - 1, low, high, never, next_replied, ply + 1,
                memory, numbers, table, random, end,
            )  # fmt: skip
            if must_stop(memory):
                return 0.0
            if value > best if friend else value < best:
                best, number = value, NO_ACTION - (memory[here + 1] & NO_ACTION)
            if techniques.alpha_beta:
                if friend:
                    low = max(low, best)
                else:
                    high = min(high, best)
                if low >= high:
                    learn(techniques, memory, 1 - friend, action, ply, depth)
                    break
            if probing:
                break
        if techniques.best_reply and not friend and replied == 0 and (low < high or not techniques.alpha_beta):
            rest = left_to_others(game, techniques, state, depth, low, high, ply, memory, numbers, table, random, end)
            if must_stop(memory):
                return 0.0
            best = min(best, rest)
        bound = LOWER if best >= beta else UPPER if best <= alpha else EXACT
        if probing and bound == EXACT:
            bound = LOWER if friend else UPPER
        elif probing and (bound == LOWER) != (friend == 1):
            return best  # it is not even a bound

    # 5. Remember it.
    if techniques.table:
        solved = SOLVED if memory[HORIZON] == before else 0
        store(table, memory[TABLE_MASK], key, number, depth, memory[SEARCHED], solved | bound, to_score(best))
    return best


@kernel
def estimate(game: Any, techniques: Any, state: Any, memory: Any, numbers: Any) -> float:
    """What `evaluate` says of `state`; one outside the bounds stops the search."""
    value = float(game.evaluate(state, memory[HERO]))
    if not defines(game, "evaluate"):
        value = min(max(value, numbers[LEAST]), numbers[GREATEST])
    if techniques.bounded and not numbers[LEAST] <= value <= numbers[GREATEST] and memory[WHY] == 0:
        memory[WHY] = BY_BOUNDS
        numbers[ESTIMATE] = value
    return value


def place_of(here: int) -> int:
    """Where the numbers of the outcome stand that is listed at `here`."""
    return OUTCOMES + (here - STACK) // CELLS * 3


@kernel
def list_outcomes(game: Any, techniques: Any, state: Any, memory: Any, numbers: Any, random: Any, base: int) -> int:
    """List the outcomes of chance from `memory[base]` on, nothing known of their values; where the list ends."""
    end, room = base, STACK + STACK_SIZE - CELLS
    for action in legal_actions(game, state):
        if end > room:
            memory[WHY] = BY_ROOM
            break
        place = place_of(end)
        memory[end] = action
        numbers[place] = game.probability(state, action)
        numbers[place + 1], numbers[place + 2] = numbers[LEAST], numbers[GREATEST]
        end += CELLS
    if end == base:
        memory[WHY] = BY_RULES
    if techniques.samples and (end - base) // CELLS > memory[SAMPLES]:
        memory[HORIZON] += 1  # the mean of some is an estimate
        return some_outcomes(state_key(game, state), memory, numbers, random, base, end)
    return end


@kernel
def some_outcomes(key: int, memory: Any, numbers: Any, random: Any, base: int, end: int) -> int:
    """Draw SAMPLES of the outcomes, and keep those that were drawn, by how often; where the list ends now.

    The same are drawn each time in the same state: sparse sampling (Kearns, Mansour & Ng 2002).
    """
    random[RANDOM_STATE] = mix(mix(memory[DRAWN_BY], key), memory[SALT])
    for here in range(base, end, CELLS):
        memory[here + 1] = 0
    for _ in range(memory[SAMPLES]):
        rest, here = random_below(random, SHARE) / SHARE, base
        while here + CELLS < end and rest >= numbers[place_of(here)]:
            rest -= numbers[place_of(here)]
            here += CELLS
        memory[here + 1] += 1
    kept = base
    for here in range(base, end, CELLS):
        if memory[here + 1] > 0:
            memory[kept] = memory[here]
            numbers[place_of(kept)] = memory[here + 1] / memory[SAMPLES]
            kept += CELLS
    return kept


@kernel
def sums(techniques: Any, memory: Any, numbers: Any, base: int, end: int) -> tuple[float, float]:
    """The least and the greatest that the sum over the outcomes listed can be."""
    low = high = 0.0
    if techniques.star > 0:
        for here in range(base, end, CELLS):
            place = place_of(here)
            low += numbers[place] * numbers[place + 1]
            high += numbers[place] * numbers[place + 2]
    return low, high


@kernel
def usual_action(game: Any, state: Any) -> int:
    """The action of the greatest `order`; of equal ones the first. What an enemy does who is not attended to."""
    chosen, highest, listed = 0, -math.inf, False
    for action in legal_actions(game, state):
        value = game.order(state, action)
        if not listed or value > highest:
            chosen, highest, listed = action, value, True
    return chosen


@kernel
def left_to_others(
    game: Any, techniques: Any, state: Any, depth: int, alpha: float, beta: float, ply: int, memory: Any, numbers: Any,
    table: Any, random: Any, base: int,
) -> float:  # fmt: skip
    """The value of `state` if the enemy to move does as usual and one of those after him replies; else infinite."""
    child = game.result(state, usual_action(game, state))
    if game.is_terminal(child):
        return math.inf
    mover = game.to_move(child)
    if mover == CHANCE or memory[FRIENDS] >> mover & 1:
        return math.inf
    return expectiminimax(
        game, techniques, child, depth, alpha, beta, ply < 0, 0 * ply, ply + 1, memory, numbers, table, random, base
    )
