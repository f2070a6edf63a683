"""Iterative deepening of one state: iterations of increasing depth, and the line of best actions."""

import math
from typing import Any

from outplay.chance.expectiminimax_kernel import expectiminimax
from outplay.compile.kernels import kernel, pointer, unpack
from outplay.engine.results import complete_iteration, copy_results, end_search, line_of, list_ordered_root, sort_rows
from outplay.engine.score import to_score, to_value
from outplay.engine.table import EXACT, NO_ACTION, UPPER, action_of, bound_of, probe
from outplay.engine.workspace import must_stop, start
from outplay.rules.game import CHANCE, legal_actions
from outplay.rules.keys import SEED, mix, state_key
from outplay.search.textbook import take_viewpoint


@kernel
def search_many(
    game: Any, techniques: Any, packed: Any, count: int, most_depth: int, depth_factor: int, most_nodes: int,
    every: bool, teams: Any, memory: Any, table: Any, output: Any,
) -> None:  # fmt: skip
    """Search each of `count` packed states; `Results` describes what is filled in. `teams`: the team of each player."""
    width = output.size // count
    cells, entries, results = pointer(memory), pointer(table), pointer(output)
    for i in range(count):
        at = i * width
        start(cells, i + 1, most_nodes)
        state = unpack(game, packed, i)
        if not game.is_terminal(state):
            take_side(game.to_move(state), teams, cells)
            deepen(game, techniques, state, most_depth, depth_factor, every, cells, entries, results, at)
        end_search(cells, results, at)


@kernel
def take_side(mover: int, teams: Any, memory: Any) -> None:
    """Take the viewpoint of `mover`, or of player 0 if chance is to move."""
    take_viewpoint(mover, teams, memory)
    memory.salt = mix(SEED, memory.hero)


@kernel
def deepen(
    game: Any, techniques: Any, state: Any, most_depth: int, depth_factor: int, every: bool, memory: Any, table: Any,
    results: Any, at: int,
) -> None:  # fmt: skip
    """Run iterations, each in the order that the last one found, until no value rests on an estimate."""
    count, by_chance = list_ordered_root(game, techniques, state, memory), game.to_move(state) == CHANCE
    depth = min(most_depth, 1)
    while count and not must_stop(memory):
        before = memory.horizon
        root(game, techniques, state, count, depth, every or by_chance, memory, table)
        if must_stop(memory):
            break
        if not by_chance:
            sort_rows(memory, count)
        copy_results(memory, count, results, at)
        for k in range(min(count, memory.max_rows) if every else 1):
            child = game.result(state, memory.rows.action[k])
            line_in_table(game, child, memory, table, results, line_of(memory, at, k))
        solved = memory.horizon == before
        if techniques.bounded and not by_chance and not every:
            solved |= to_value(memory.rows.score[0]) >= memory.greatest
        complete_iteration(count, depth, solved, results, at)
        if solved or depth >= most_depth:
            break
        depth = min(most_depth, max(depth + 1, depth * depth_factor // 100))


@kernel
def root(
    game: Any, techniques: Any, state: Any, count: int, depth: int, every: bool, memory: Any, table: Any,
) -> None:  # fmt: skip
    """Search the `count` listed actions; with `every`, or without alpha-beta, all of them exactly."""
    used = 0 if game.to_move(state) == CHANCE else 1
    least, greatest = -math.inf, math.inf
    if techniques.bounded and techniques.alpha_beta:
        least, greatest = memory.least, memory.greatest
    alpha, best = least, -math.inf
    for row in range(count):
        before = memory.horizon
        value = expectiminimax(
            game, techniques, game.result(state, memory.rows.action[row]), depth - used, alpha, greatest, False, 0, 1,
            memory, table, 0,
        )  # fmt: skip
        if must_stop(memory):
            return
        memory.rows.bound[row] = EXACT if value > alpha or value <= least else UPPER
        memory.rows.score[row] = to_score(value)
        memory.rows.solved[row] = memory.horizon == before
        best = max(best, value)
        if techniques.alpha_beta and not every:
            alpha = max(alpha, best)
            if alpha >= greatest:  # nothing can be better
                for later_row in range(row + 1, count):
                    memory.rows.score[later_row], memory.rows.bound[later_row], memory.rows.solved[later_row] = (
                        to_score(greatest),
                        UPPER,
                        1,
                    )
                return


@kernel
def action_at(game: Any, state: Any, number: int) -> int:
    """The action that the rules list at index `number`; -1 if there is none, as for `NO_ACTION`."""
    if number < NO_ACTION:
        for index, action in enumerate(legal_actions(game, state)):
            if index == number:
                return action
    return -1


@kernel
def line_in_table(game: Any, state: Any, memory: Any, table: Any, results: Any, at: int) -> None:
    """Put the best actions from `state` that the table holds into `found[at:]`, up to a chance node."""
    end = at + memory.max_line
    while at < end and not game.is_terminal(state) and game.to_move(state) != CHANCE:
        word, _ = probe(table, memory.table_mask, state_key(game, state) ^ memory.salt)
        action = action_at(game, state, action_of(word)) if bound_of(word) == EXACT else -1
        if action < 0:
            break
        results[at] = action
        state = game.result(state, action)
        at += 1
    if at < end:
        results[at] = -1
