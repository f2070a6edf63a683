"""The exact values of small games, by plain recursion to the end: minimax, expectiminimax, max^n."""

from itertools import product

from outplay import CHANCE

MOST = 3000


def exact(game, state):
    """The utility of each player where all play their best; of actions as good for the mover, the first counts."""
    if game.is_terminal(state):
        return tuple(float(game.utility(state, player)) for player in range(game.players))
    mover = game.to_move(state)
    children = [(action, exact(game, game.result(state, action))) for action in game.actions(state)]
    if mover == CHANCE:
        return mean(game, state, children)
    return max((values for _, values in children), key=lambda values: values[mover])


def mean(game, state, children):
    return tuple(
        sum(game.probability(state, action) * values[player] for action, values in children)
        for player in range(game.players)
    )


def possible(game, state):
    """All that `exact` could be, however ties are broken: a set of tuples; None if there are too many."""
    if game.is_terminal(state):
        return {exact(game, state)}
    mover = game.to_move(state)
    actions = list(game.actions(state))
    children = [possible(game, game.result(state, action)) for action in actions]
    if None in children:
        return None
    if mover == CHANCE:
        number = 1
        for values in children:
            number *= len(values)
        if number > MOST:
            return None
        return {mean(game, state, list(zip(actions, values, strict=True))) for values in product(*children)}
    sure = [min(values[mover] for values in child) for child in children]
    return {
        values
        for index, child in enumerate(children)
        for values in child
        if all(values[mover] >= other for at, other in enumerate(sure) if at != index)
    }
