"""Expectiminimax: minimax of a game with dice (Michie 1966; Russell & Norvig, section 5.5).

    value(s) = utility(s)                                    if s is terminal
             = max over a of  value(result(s, a))            if a friend is to move
             = min over a of  value(result(s, a))            if an enemy is
             = sum over a of  P(a | s) value(result(s, a))   if chance is

Values are those of the player to move at the root, the hero; friends are the players of the hero's team. Without
enemies this is expectimax, and without dice it is minimax. Depth counts the actions of players: outcomes of chance do
not count, and a state in which chance is to move is evaluated as it is.

Chance nodes are pruned too. If values lie between `least` and `greatest`, each outcome has a lower and an upper bound,
and so has the sum. A value outside the window of an outcome brings the sum out of (alpha, beta), with all others at
their bounds (Star1, Ballard 1983). Star2 first searches only the most promising action after each outcome: it gives a
lower bound if a friend is to move and an upper bound if an enemy is, and often these bounds decide.

Paranoid and best-reply search use the same kernel; see `paranoid.py` and `best_reply.py`.
"""

import math
from typing import Any

from outplay.compile.kernels import kernel
from outplay.compile.random_numbers import LISTED as LISTED_AT_RANDOM
from outplay.compile.random_numbers import random_below
from outplay.compile.records import layout
from outplay.engine.ordering import ALL, bring_first, learn, list_actions
from outplay.engine.score import to_score, to_value
from outplay.engine.stopping import NO_LEGAL_ACTION, OUT_OF_BOUNDS, STACK_FULL
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
from outplay.engine.workspace import COUNTERS, LISTED, MAX_LISTED, ORDERING, PATH, PLIES, ROWS, must_stop
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, defines, legal_actions
from outplay.rules.keys import mix, state_key

LAYOUT = layout(
    *COUNTERS,
    *PATH,
    *ROWS,
    *LISTED,
    *ORDERING,
    ("earlier_searches", int),  # the number of earlier searches with this table
    ("hero", int),  # the player whose values are searched
    ("friends", int),  # a bit for each player on the hero's side
    ("salt", int),  # mixed into keys
    ("samples", int),  # the number of outcomes to draw where there are more
    ("drawn_by", int),  # the seed of the draw
    ("random", int, LISTED_AT_RANDOM + 1),  # see `new_random`
    ("least", float),  # the bounds of values
    ("greatest", float),
    ("estimate", float),  # an estimate that lies outside them
    ("outcomes", [(name, float, MAX_LISTED) for name in ("probability", "least", "greatest")]),
)
"""The memory of the search. `outcomes`: the probability of each listed outcome and the bounds of its value."""
REPLIED = 0x5851F42D4C957F
"""A factor: times the enemy who has already replied, it is mixed into the key of a state."""
DRAW_RANGE = 1 << 30


@kernel
def expectiminimax(
    game: Any, techniques: Any, state: Any, depth: int, alpha: float, beta: float, probing: bool, replied: int,
    ply: int, memory: Any, table: Any, base: int,
) -> float:  # fmt: skip
    """The value of `state`, or a bound of it outside (alpha, beta); meaningless if the search was stopped.

    `probing` searches only the first action: the result is a lower bound for friends and an upper bound for enemies.
    `replied`: in best-reply search, 1 + the enemy who has had a free choice since the hero moved; 0 for none.
    """
    # 1. The end of the game, or the depth limit.
    never, nobody = ply < 0, 0 * ply  # constants would be of other types than the parameters of the recursion
    memory.nodes += 1
    if game.is_terminal(state):
        memory.leaves += 1
        return float(game.utility(state, memory.hero)) - draw_utility(game)
    if depth <= 0 or ply >= PLIES - 1:
        memory.horizon += 1
        return estimate(game, techniques, state, memory)

    if must_stop(memory):
        return 0.0

    # 2. The transposition table.
    key, word, before = 0, MISSING, memory.horizon
    if techniques.table:
        key = state_key(game, state) ^ memory.salt
        if techniques.best_reply:
            key ^= REPLIED * replied
        word, score = probe(table, memory.table_mask, key)
        if bound_of(word) != NONE and (word & SOLVED or depth_of(word) >= depth):
            stored_value = to_value(score)
            if bound_of(word) == EXACT or (stored_value >= beta if bound_of(word) == LOWER else stored_value <= alpha):
                memory.horizon += word & SOLVED == 0
                return stored_value

    # 3. Chance: the sum over the outcomes, as long as it may lie within the window.
    mover, outcomes = game.to_move(state), memory.outcomes
    number, best, bound = NO_ACTION, 0.0, EXACT
    if techniques.chance and mover == CHANCE:
        end = list_outcomes(game, techniques, state, memory, base)
        low, high = sums(techniques, memory, base, end)
        for searching in range(0 if techniques.star > 1 else 1, 2):
            for here in range(base, end):
                probability, least, greatest = outcomes.probability[here], outcomes.least[here], outcomes.greatest[here]
                if techniques.star > 0 and least == greatest:
                    continue
                a, b = -math.inf, math.inf
                if techniques.star > 0:
                    a = max(least, (alpha - (high - probability * greatest)) / probability)
                    b = min(greatest, (beta - (low - probability * least)) / probability)
                child, friend = game.result(state, memory.listed.action[here]), 0
                if searching == 0 and not game.is_terminal(child):
                    next_mover = game.to_move(child)
                    if next_mover == CHANCE:
                        continue
                    friend = memory.friends >> next_mover & 1
                value = expectiminimax(
                    game, techniques, child, depth, a, b, searching == 0, replied, ply + 1, memory, table, end,
                )  # fmt: skip
                if must_stop(memory):
                    return 0.0
                if techniques.star == 0:
                    outcomes.least[here] = value
                    continue
                if searching == 0 and not game.is_terminal(child):
                    if friend and value > a:
                        outcomes.least[here] = max(least, value)
                    elif not friend and value < b:
                        outcomes.greatest[here] = min(greatest, value)
                elif value <= a:  # sums of the same numbers may differ in the last digit: a bound met is the value
                    outcomes.greatest[here] = least if a == least else value
                elif value >= b:
                    outcomes.least[here] = greatest if b == greatest else value
                else:
                    outcomes.least[here] = outcomes.greatest[here] = value
                low += probability * (outcomes.least[here] - least)
                high += probability * (outcomes.greatest[here] - greatest)
                failed = searching == 1 and outcomes.least[here] != outcomes.greatest[here]
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
            for here in range(base, end):
                best += outcomes.probability[here] * outcomes.least[here]
            if techniques.bounded:
                best = min(max(best, memory.least), memory.greatest)

    # 4. A player: the best of the actions, as long as the other side may allow it.
    else:
        friend = memory.friends >> mover & 1
        if techniques.best_reply and not friend and replied != 0 and replied != mover + 1:
            memory.horizon += 1  # the skipped actions might change the value
            child = game.result(state, usual_action(game, state))
            return expectiminimax(
                game, techniques, child, depth, alpha, beta, never, replied, ply + 1, memory, table,
                base,
            )  # fmt: skip
        end = list_actions(game, techniques, state, 1 - friend, ply, action_of(word), ALL, memory, base, table)
        if end == base:
            memory.why = NO_LEGAL_ACTION
            return 0.0
        best, low, high = -math.inf if friend else math.inf, alpha, beta
        for here in range(base, end):
            bring_first(memory, here, end)
            action, next_replied = memory.listed.action[here], nobody if friend else mover + 1
            value = expectiminimax(
                game, techniques, game.result(state, action), depth - 1, low, high, never, next_replied, ply + 1,
                memory, table, end,
            )  # fmt: skip
            if must_stop(memory):
                return 0.0
            if value > best if friend else value < best:
                best, number = value, NO_ACTION - (memory.listed.order[here] & NO_ACTION)
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
            other_value = left_to_others(game, techniques, state, depth, low, high, ply, memory, table, end)
            if must_stop(memory):
                return 0.0
            best = min(best, other_value)
        bound = LOWER if best >= beta else UPPER if best <= alpha else EXACT
        if probing and bound == EXACT:
            bound = LOWER if friend else UPPER
        elif probing and (bound == LOWER) != (friend == 1):
            return best  # not even a bound

    # 5. Store it in the table.
    if techniques.table:
        solved = SOLVED if memory.horizon == before else 0
        store(table, memory.table_mask, key, number, depth, memory.earlier_searches, solved | bound, to_score(best))
    return best


@kernel
def estimate(game: Any, techniques: Any, state: Any, memory: Any) -> float:
    """The game's `evaluate` of `state`; a value outside the bounds stops the search."""
    raw_estimate = float(game.evaluate(state, memory.hero))
    value = raw_estimate - draw_utility(game)
    if not defines(game, "evaluate"):
        value = min(max(value, memory.least), memory.greatest)
    if techniques.bounded and not memory.least <= value <= memory.greatest and memory.why == 0:
        memory.why = OUT_OF_BOUNDS
        memory.estimate = raw_estimate
    return value


@kernel
def list_outcomes(game: Any, techniques: Any, state: Any, memory: Any, base: int) -> int:
    """List the outcomes of chance from index `base` on, with the widest bounds. Return the end of the list."""
    end, outcomes = base, memory.outcomes
    for action in legal_actions(game, state):
        if end == MAX_LISTED:
            memory.why = STACK_FULL
            break
        memory.listed.action[end] = action
        outcomes.probability[end] = game.probability(state, action)
        outcomes.least[end], outcomes.greatest[end] = memory.least, memory.greatest
        end += 1
    if end == base:
        memory.why = NO_LEGAL_ACTION
    if techniques.samples and end - base > memory.samples:
        memory.horizon += 1  # the mean of a sample is an estimate
        return some_outcomes(state_key(game, state), memory, base, end)
    return end


@kernel
def some_outcomes(key: int, memory: Any, base: int, end: int) -> int:
    """Draw `memory.samples` outcomes and keep those drawn, weighted by frequency. Return the new end of the list.

    The same state always gets the same sample: sparse sampling (Kearns, Mansour & Ng 2002).
    """
    outcomes, drawn = memory.outcomes, memory.listed.order
    memory.random[LISTED_AT_RANDOM] = mix(mix(memory.drawn_by, key), memory.salt)
    for here in range(base, end):
        drawn[here] = 0
    for _ in range(memory.samples):
        point, here = random_below(memory.random, DRAW_RANGE) / DRAW_RANGE, base
        while here + 1 < end and point >= outcomes.probability[here]:
            point -= outcomes.probability[here]
            here += 1
        drawn[here] += 1
    number_kept = base
    for here in range(base, end):
        if drawn[here] > 0:
            memory.listed.action[number_kept] = memory.listed.action[here]
            outcomes.probability[number_kept] = drawn[here] / memory.samples
            number_kept += 1
    return number_kept


@kernel
def sums(techniques: Any, memory: Any, base: int, end: int) -> tuple[float, float]:
    """The bounds of the sum over the listed outcomes."""
    low = high = 0.0
    if techniques.star > 0:
        outcomes = memory.outcomes
        for here in range(base, end):
            low += outcomes.probability[here] * outcomes.least[here]
            high += outcomes.probability[here] * outcomes.greatest[here]
    return low, high


@kernel
def usual_action(game: Any, state: Any) -> int:
    """The first action with the greatest `order`. It is what the enemies without a free choice do."""
    best, highest, is_any = 0, -math.inf, False
    for action in legal_actions(game, state):
        value = game.order(state, action)
        if not is_any or value > highest:
            best, highest, is_any = action, value, True
    return best


@kernel
def left_to_others(
    game: Any, techniques: Any, state: Any, depth: int, alpha: float, beta: float, ply: int, memory: Any, table: Any,
    base: int,
) -> float:  # fmt: skip
    """The value of `state` if the enemy to move takes the usual action and a later one replies; else infinite."""
    child = game.result(state, usual_action(game, state))
    if game.is_terminal(child):
        return math.inf
    mover = game.to_move(child)
    if mover == CHANCE or memory.friends >> mover & 1:
        return math.inf
    return expectiminimax(game, techniques, child, depth, alpha, beta, ply < 0, 0 * ply, ply + 1, memory, table, base)
