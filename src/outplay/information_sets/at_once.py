"""Whether players of a game choose at once: without seeing each other's choices, which are then revealed.

Rules write this as turns that are hidden from each other. It is not so in games whose players never see each other's
actions, such as phantom games: there one choice seldom answers the other.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from outplay.compile.random_numbers import new_random
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.keys import information_key

PLAYS, PLIES, TRIED, WORLDS = 4, 200, 4, 4
"""The number of random plays that are looked at, their length, the number of actions tried at each decision, and the
number of states that tell whether a choice was seen."""


def choose_at_once(game: Game) -> bool:
    """Whether players of `game` choose at once, at most of the decisions that are hidden from the next player.

    >>> from outplay.games import Goofspiel, KuhnPoker, PhantomTicTacToe
    >>> choose_at_once(Goofspiel()), choose_at_once(KuhnPoker()), choose_at_once(PhantomTicTacToe())
    (True, False, False)
    """
    if not game.hidden_information:
        return False
    random, revealed = Random(0), [0, 0]  # noqa: S311 - not for secrets
    for _ in range(PLAYS):
        state = game.initial_state()
        for _ in range(PLIES):
            if game.is_terminal(state):
                break
            actions = list(legal_actions(game, state))
            if is_unseen(game, state, actions):
                revealed[is_revealed(game, state, actions[0])] += 1
            state = game.result(state, random.choice(actions))
    return revealed[True] > revealed[False]


def is_unseen(game: Game, state: Any, actions: list[int]) -> bool:
    """Whether another player is to move next, whatever is chosen here, and cannot tell what it was."""
    mover = game.to_move(state)
    if mover == CHANCE or len(actions) < 2:
        return False
    after = [game.result(state, action) for action in actions[:TRIED]]
    if any(game.is_terminal(other) or game.to_move(other) in (mover, CHANCE) for other in after):
        return False
    others = {int(game.to_move(other)) for other in after}
    return len(others) == 1 == len({information_key(game, other, game.to_move(other)) for other in after})


def is_revealed(game: Game, state: Any, action: int) -> bool:
    """Whether the player to move, who takes `action`, can tell at the next own decision what the next player did.

    If the game is over by then, whatever the next player does, there is nothing more to tell. It is no choice at once
    if the next player may then move again, as after an attempt that fails.
    """
    mover, after = game.to_move(state), game.result(state, action)
    replies = [game.result(after, reply) for reply in list(legal_actions(game, after))[:TRIED]]
    again = any(not game.is_terminal(reply) and game.to_move(reply) == game.to_move(after) for reply in replies)
    if again or len(replies) < 2:
        return False
    ends = [state_at_turn_of(game, reply, mover) for reply in replies]
    return all(map(game.is_terminal, ends)) or len({information_key(game, end, mover) for end in ends}) > 1


def state_at_turn_of(game: Game, state: Any, player: int) -> Any:
    """The next state in which `player` is to move or the game is over, if all others take their first action."""
    for _ in range(PLIES):
        if game.is_terminal(state) or game.to_move(state) == player:
            break
        state = game.result(state, next(iter(legal_actions(game, state))))
    return state


def before_unseen(game: Game, state: Any, previous_states: Sequence[Any]) -> Any:
    """The state before the last choices of others that the player to move in `state` has not seen.

    `state` itself if there are none, or if the earlier states are not known. The player knows none of these states, so
    whether a choice was seen is looked up in those that the game's `determinize` draws instead of each.
    """
    player, start, random = game.to_move(state), state, new_random(0)
    for before in reversed(previous_states):
        if not all(is_unseen_by(game, game.determinize(before, player, random), player) for _ in range(WORLDS)):
            break
        start = before
    return start


def is_unseen_by(game: Game, state: Any, player: int) -> bool:
    """Whether another player is to move in `state`, and `player` cannot tell what is chosen there."""
    if game.is_terminal(state) or game.to_move(state) in (player, CHANCE):
        return False
    after = (game.result(state, action) for action in legal_actions(game, state))
    return len({information_key(game, other, player) for other in after}) == 1
