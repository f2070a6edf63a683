"""Random games, and the laws that are tried in each state on the way.

A state is visited once; see `visit` for what counts as the same state.
"""

from typing import Any

from outplay.check.checker import Checker, Fatal
from outplay.check.differences import same
from outplay.check.laws import STATE_LAWS
from outplay.check.laws.hidden import in_words, recall
from outplay.check.laws.states import facts, form
from outplay.check.laws.symmetry import values
from outplay.check.run_memory import Place
from outplay.rules.game import CHANCE, Game
from outplay.rules.keys import state_key
from outplay.rules.repetition import final, playable

MAX_PLIES = 5000
"""A longer playout counts as endless."""


MAX_PLIES_OF_PUZZLES = 500
"""A playout of a puzzle that is longer, and has repeated a state, is cut off: play may go in circles there."""


def is_puzzle(game: Game) -> bool:
    """Whether one player may go in circles: nothing is wrong if some games do not end."""
    return game.players == 1 and not game.repetition


def playout(check: Checker) -> None:
    """Play at random to the end, and try the laws in each state on the way."""
    game, memory = check.game, check.memory
    path: list[Place] = []
    ended: tuple[float, ...] | None = None  # by repetition
    last_move: dict[int, tuple[int, int]] = {}  # each player's last information and action
    story: dict[int, str] = {}  # the same in words
    state, last = game.initial_state(), -1
    seen_ids: set[int] = set()
    while not path or not path[-1].over:
        # 1. Try the laws.
        check.ply = len(path)
        if is_puzzle(game) and len(seen_ids) < len(path) > MAX_PLIES_OF_PUZZLES:
            memory.circles += 1
            memory.repeated += 1
            return
        if check.ply > MAX_PLIES:
            check.about("is_terminal", state)
            remedy = "end it after a number of plies, or at a repetition"
            raise Fatal("Every game ends.", f"a random playout is not over after {MAX_PLIES} plies; {remedy}")
        place = visit(check, state, last)
        path.append(place)
        seen_ids.add(id(place))
        # 2. Is it over?
        states = [past.state for past in path]
        ended = final(game, states) if game.repetition and not place.over else None
        if ended is not None:
            break
        if place.over:
            continue
        # 3. Choose an action.
        memory.visits += 1
        memory.choices += len(place.actions)
        memory.movers.add(place.mover)
        if game.repetition == "forbidden":
            action = check.random.choice(playable(game, states))
        else:
            action = check.random.choices(place.actions, place.probabilities or None)[0]
        # 4. Compare what the players know with what they knew.
        if place.mover != CHANCE and place.knowledge:
            for player in range(game.players):
                check.attempt(recall, place, player, last_move, story)
            last_move[place.mover] = place.knowledge[place.mover], action
            story[place.mover] = in_words(check, place, action)
        # 5. Play it.
        state, last = check.ask("result", place.state, action), action
    memory.repeated += is_puzzle(game) and len(seen_ids) < len(path)
    _finish(check, path, list(ended or path[-1].utilities))


def _finish(check: Checker, path: list[Place], utilities: list[float]) -> None:
    """Count a playout that is over, and compare values on the way back."""
    if not utilities:
        return
    memory = check.memory
    memory.longest = max(memory.longest, check.ply)
    memory.ends.append(utilities)
    memory.forecasts += [(past.estimate, utilities[0]) for past in path[:-1]]
    check.ply = MAX_PLIES  # here the simplest state is the last one, and the first found is kept
    for place in reversed(path) if not check.game.repetition else ():  # else a value may depend on the past
        if check.attempt(values, place) is False:
            break


def visit(check: Checker, state: Any, last: int) -> Place:
    """The place of `state`, reached by action `last`. Every law is tried there, unless it was visited before."""
    check.about("key", state)
    key = state_key(check.game, check.copy(state))
    twin = check.memory.places.get(key)
    if twin is not None and same(twin.state, state):
        return twin
    check.about("result", state)
    form(check, state)
    place = facts(check, state)
    place.last, place.twin = last, twin
    check.memory.places.setdefault(key, place)
    for law in STATE_LAWS:
        check.attempt(law, place)
    return place
