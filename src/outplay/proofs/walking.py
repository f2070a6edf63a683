"""The walk of a strategy, in compiled code: an answer in each state where the side is to move, to all that can come.

A search has shown that the side gets its way. The walk asks it for answers, and prefers those that keep the proof
small:

1. An action to a state that the proof goes through already, since nothing follows it again.
2. Otherwise the action after which the least is new: the replies to states that the proof does not have yet, each
   with the size of its proof as far as the search knows.
3. If the table knows no action with which the side gets its way, a search finds one.
4. Short searches look for actions that add even less.

The order of the walk is that of the check, so that the numbers come out as the file has them. States are kept by a hash
of all that is in them, as the check compares them, not by `game.key`. The set of states is an int64 array of slots,
with open addressing:

    bits 63-16   the same bits of the hash, whose low bits choose the first slot; 0 in an empty slot
    bits 15-0    the place of the answer among the actions; 65535: the side is not to move

The search is `search/questions.py`, or df-pn if the memory has its fields.
"""

from typing import Any

from outplay.compile.kernels import has_field, kernel, pointer, unpack
from outplay.compile.records import layout
from outplay.engine.ordering import ALL, bring_first, list_actions
from outplay.engine.score import encode
from outplay.engine.stopping import BY_DEPTH, BY_NODES, MEMORY_FULL, STACK_FULL
from outplay.engine.table import NO_ACTION
from outplay.engine.workspace import must_stop, start
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import legal_actions
from outplay.rules.keys import SEED, mix
from outplay.search.proof_number import FIELDS as DF_PN_FIELDS
from outplay.search.proof_number import begin, df_pn
from outplay.search.proof_table import DISPROOF, NEVER, PROOF, answer_in
from outplay.search.proof_table import key_of as df_pn_key
from outplay.search.questions import FIELDS as QUESTION_FIELDS
from outplay.search.questions import ask, decide
from outplay.system.threads import MAX_PLIES

EFFORT = 10_000
"""The maximum number of nodes to find out whether another action has a smaller proof."""
SPENT, SPENT_PER_STATE = 1_000_000, 50
"""The maximum number of nodes for this in a whole strategy: so many, and so many for each of its states."""
KNOWN, NEEDED, SHORT = range(3)
"""Where answers come from: the table, the search for any answer if it has none, and short searches for better ones."""
KEY_BITS, NO_ANSWER = -1 << 16, (1 << 16) - 1
NOT_FOUND = 1 << 62
FIELDS = (
    ("ours", int),  # the players on the side whose strategy this is, a bit each
    ("wanted", int),  # the answer that they need: 1 for yes, -1 for no
    ("last_slot", int),  # the number of slots minus 1
    ("short", int),  # 1: short searches may look for smaller proofs
    ("spent", int),  # nodes so far to find smaller proofs
    ("states", int),  # states of the proof so far
    ("max_states", int),
    ("answers", int),  # numbers of the proof so far
)
"""The memory of the walk, before that of the search."""
LAYOUT = layout(*FIELDS, *QUESTION_FIELDS)
DF_PN_LAYOUT = layout(*FIELDS, *DF_PN_FIELDS)


@kernel
def walk(
    game: Any, techniques: Any, state: Any, ply: int, memory: Any, table: Any, slots: Any, numbers: Any, base: int
) -> None:
    """Add `state`, and all that can come after it, to the proof."""
    place = slot_of(memory, slots, mix(SEED, state))
    if place >= 0 or must_stop(memory):
        return
    place = ~place
    if memory.states >= memory.max_states:
        memory.why = MEMORY_FULL
        return
    if ply >= MAX_PLIES:
        memory.why = BY_DEPTH
        return
    memory.states += 1
    slots[place] = mix(SEED, state) & KEY_BITS | NO_ANSWER
    if game.is_terminal(state):
        return
    if memory.ours >> int(game.to_move(state)) & 1 == 0:
        for action in legal_actions(game, state):
            child = game.result(state, action)
            walk(game, techniques, child, ply + 1, memory, table, slots, numbers, base)
        return
    index = choose(game, techniques, state, ply, memory, table, slots, base)
    if index >= NO_ANSWER:
        memory.why = STACK_FULL
    if must_stop(memory):
        return
    slots[place] = mix(SEED, state) & KEY_BITS | index
    numbers[memory.answers] = index
    memory.answers += 1
    for number, action in enumerate(legal_actions(game, state)):
        if number == index:
            child = game.result(state, action)
            walk(game, techniques, child, ply + 1, memory, table, slots, numbers, base)
            break


@kernel
def choose(game: Any, techniques: Any, state: Any, ply: int, memory: Any, table: Any, slots: Any, base: int) -> int:
    """The place of the action to choose in `state`, where the side is to move and gets its way."""
    for number, action in enumerate(legal_actions(game, state)):
        if slot_of(memory, slots, mix(SEED, game.result(state, action))) >= 0:
            return number
    best, least = -1, NOT_FOUND
    for turn in range(KNOWN, SHORT + 1):
        only_number, nodes = -1, 1  # every action, by the table alone
        if turn == NEEDED:
            if best >= 0:
                continue
            only_number, nodes = found_by_search(game, techniques, state, ply, memory, table, base), 0
        elif turn == SHORT:
            nodes = allowed(memory)
            if nodes == 1:
                break
        before = memory.nodes
        for number, action in enumerate(legal_actions(game, state)):
            if number == only_number or only_number < 0:
                child = game.result(state, action)
                size = answer(game, techniques, child, ply + 1, nodes, memory, table, base)
                if size > 0:
                    cost = cost_of(game, techniques, child, size, least, ply + 1, memory, table, slots, base)
                    if cost < least:
                        best, least = number, cost
            if must_stop(memory):
                return 0
        memory.spent += memory.nodes - before
    return max(best, 0)  # the check finds out if there is none


@kernel
def allowed(memory: Any) -> int:
    """The nodes that a short search may have; 1, for nothing but a look into the table, if too many were spent."""
    return EFFORT if memory.short and memory.spent <= SPENT + SPENT_PER_STATE * memory.states else 1


@kernel
def cost_of(
    game: Any, techniques: Any, state: Any, size: int, enough: int, ply: int, memory: Any, table: Any, slots: Any,
    base: int,
) -> int:  # fmt: skip
    """About how many states are new if `state` is added; it is counted up to `enough`. `size` is that of its proof."""
    if game.is_terminal(state) or memory.ours >> int(game.to_move(state)) & 1:
        return size
    cost = 1
    for action in legal_actions(game, state):
        child = game.result(state, action)
        if slot_of(memory, slots, mix(SEED, child)) < 0:
            of_child = answer(game, techniques, child, ply + 1, allowed(memory), memory, table, base)
            cost += of_child if of_child > 0 else size // 2  # not known any more, and not found so soon
        if cost >= enough or must_stop(memory):
            break
    return cost


@kernel
def answer(game: Any, techniques: Any, state: Any, ply: int, nodes: int, memory: Any, table: Any, base: int) -> int:
    """The size of a proof if the side gets its way in `state`, below 0 if it does not, after at most `nodes` nodes.

    0 if they were not enough. With `nodes` = 0, there is no limit.
    """
    known_answer = 0
    if has_field(memory, "children"):
        if game.is_terminal(state):
            score = encode(float(game.utility(state, memory.player)) - draw_utility(game))
            return memory.wanted if score >= memory.target else -memory.wanted  # type: ignore[no-any-return]
        key = df_pn_key(game, state, memory)
        known_answer = answer_in(memory, table, key)
        if known_answer == 0:
            memory.max_nodes = 0 if nodes == 0 else memory.nodes + nodes
            ask_df_pn(game, state, memory, table)
            if memory.why == 0:
                known_answer = 1 if memory.children.numbers[0, PROOF] == 0 else -1
    else:
        memory.max_nodes = 0 if nodes == 0 else memory.nodes + nodes
        known_answer = decide(game, techniques, state, ply, memory, table, base)
    memory.max_nodes = 0
    if memory.why == BY_NODES:
        memory.why = 0
    return known_answer * memory.wanted  # type: ignore[no-any-return]


@kernel
def found_by_search(game: Any, techniques: Any, state: Any, ply: int, memory: Any, table: Any, base: int) -> int:
    """The place of an action with which the side gets its way, by a search without a limit."""
    if has_field(memory, "children"):
        ask_df_pn(game, state, memory, table)
        return place_of(game, state, memory.best)
    mover = int(game.to_move(state))
    side = 0 if memory.friends >> mover & 1 else 1
    end, action = list_actions(game, techniques, state, side, ply, NO_ACTION, ALL, memory, base, table), 0
    for here in range(base, end):
        bring_first(memory, here, end)
        action = memory.listed.action[here]
        child = game.result(state, action)
        if answer(game, techniques, child, ply + 1, 0, memory, table, end) > 0:
            break
    return place_of(game, state, action)


@kernel
def place_of(game: Any, state: Any, action: int) -> int:
    """The place of an action among the legal ones; `candidates` may be in another order."""
    for place, legal in enumerate(legal_actions(game, state)):
        if legal == action:
            return place
    return 0


@kernel
def ask_df_pn(game: Any, state: Any, memory: Any, table: Any) -> None:
    """Ask df-pn about a state; the answer is in row 0 of the children."""
    memory.children.numbers[0, PROOF] = memory.children.numbers[0, DISPROOF] = 1
    df_pn(game, state, 0, NEVER, NEVER, memory, table, 0, 1)


@kernel
def slot_of(memory: Any, slots: Any, key: int) -> int:
    """The slot of the state with this hash; if it has none, ~n for the slot n where it belongs."""
    place = key & memory.last_slot
    while slots[place] != 0:
        if (slots[place] ^ key) & KEY_BITS == 0:
            return place  # type: ignore[no-any-return]
        place = (place + 1) & memory.last_slot
    return ~place  # type: ignore[no-any-return]


@kernel
def begin_question(memory: Any, table: Any, target: int) -> None:
    """Begin the question whose answer the side needs. Whether there is a field is known of an argument alone."""
    if has_field(memory, "children"):
        begin(memory, table, target)
    else:
        ask(memory, target)


@kernel
def prove(
    game: Any, techniques: Any, packed: Any, target: int, memory: Any, table: Any, slots: Any, numbers: Any
) -> None:
    """Ask whether the side gets its way in the first of the packed states, with what `table` knows; if so, walk."""
    fields = pointer(memory)
    start(fields, 1, 0)
    begin_question(fields, pointer(table), target)
    state = unpack(game, packed, 0)
    if answer(game, techniques, state, 0, 0, fields, pointer(table), 0) > 0:
        walk(game, techniques, state, 0, fields, pointer(table), pointer(slots), pointer(numbers), 0)
