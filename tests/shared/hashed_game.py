"""Random games without end: the rules are a hash of the state, so one compiled class is as many games as seeds.

Different actions may lead to the same state, players may move twice in a row, trees end early or late, and utilities
are win, draw and loss, margins, or any floats, as the seed has it.
"""

from typing import NamedTuple

from outplay import CHANCE, Game, defines


class Seeded(NamedTuple):
    seed: int
    ply: int
    x: int


def scramble(seed: int, ply: int, x: int, salt: int) -> int:
    h = (seed * 26544357 + ply * 40503 + x * 73244475 + salt * 83492791) & 0xFFFFFFFF
    h = ((h ^ h >> 15) * 73244475) & 0xFFFFFFFF
    h = ((h ^ h >> 13) * 83492791) & 0xFFFFFFFF
    return h ^ h >> 16


class Hashed(Game):
    def initial_state(self):
        return Seeded(1, 0, 0)

    def to_move(self, state):
        if state.seed % 5 == 0:
            return 0  # a game for one
        if state.seed % 5 == 1:
            return state.ply % 2
        return scramble(state.seed, state.ply, state.x, 1) % 2

    def actions(self, state):
        count = 1 + scramble(state.seed, state.ply, state.x, 2) % 4
        for action in range(count):
            yield action * 3

    def result(self, state, action):
        return Seeded(state.seed, state.ply + 1, scramble(state.seed, state.ply, state.x, 10 + action) % 5)

    def is_terminal(self, state):
        if state.ply == 0:
            return False
        return state.ply >= 3 + state.seed % 4 or scramble(state.seed, state.ply, state.x, 3) % 6 == 0

    def utility(self, state, player):
        h = scramble(state.seed, state.ply, state.x, 4)
        kind = state.seed % 3
        value = float(h % 3 - 1) if kind == 0 else (h % 13 - 6) / 2 if kind == 1 else (h - 2147483648.0) / 1e9
        return value if player == 0 else -value

    def evaluate(self, state, player):
        value = (scramble(state.seed, state.ply, state.x, 5) % 1000 - 500) / 1000
        return value if player == 0 else -value

    def order(self, state, action):
        return scramble(state.seed, state.ply, state.x, 20 + action) % 7


class WinLossHashed(Hashed):
    """Only wins and losses (and draws), and says so: a search may stop at a sure win."""

    utilities = (-1, 1)

    def utility(self, state, player):
        value = float(scramble(state.seed, state.ply, state.x, 4) % 3 - 1)
        return value if player == 0 else -value


class Hinted(WinLossHashed):
    """Sees a ply ahead, and leaves out actions that lose at once."""

    forced_result_depth = 1

    def forced_result(self, state):
        lost = True
        for action in self.actions(state):
            child = self.result(state, action)
            if not self.is_terminal(child):
                lost = False
            elif self.utility(child, self.to_move(state)) > 0:
                return 1, 1
            elif self.utility(child, self.to_move(state)) == 0:
                lost = False
        return (-1, 1) if lost else (0, 0)

    def candidates(self, state):
        for action in self.actions(state):
            child = self.result(state, action)
            if not self.is_terminal(child) or self.utility(child, self.to_move(state)) >= 0:
                yield action


class Lonely(Hashed):
    """For one player, who has more to lose than to win."""

    players = 1
    utilities = (-3, 1)

    def to_move(self, state):
        return 0

    def utility(self, state, player):
        return scramble(state.seed, state.ply, state.x, 4) % 5 - 3

    def evaluate(self, state, player):
        return (scramble(state.seed, state.ply, state.x, 5) % 1000) / 1000 * 3.5 - 2.8


class Mirrored(Hashed):
    """Every state has an image, -x, with the same rules: x is never 0, and the side that it is on decides nothing."""

    def initial_state(self):
        return Seeded(1, 0, 1)

    def to_move(self, state):
        return Hashed.to_move(self, Seeded(state.seed, state.ply, abs(state.x)))

    def actions(self, state):
        count = 1 + scramble(state.seed, state.ply, abs(state.x), 2) % 4
        for action in range(count):  # noqa: UP028 - Numba knows no yield from
            yield action

    def result(self, state, action):
        h = scramble(state.seed, state.ply, abs(state.x), 10 + action)
        side = 1 if (h % 2 == 0) == (state.x > 0) else -1
        return Seeded(state.seed, state.ply + 1, side * (1 + h // 2 % 3))

    def is_terminal(self, state):
        return Hashed.is_terminal(self, Seeded(state.seed, state.ply, abs(state.x)))

    def utility(self, state, player):
        return Hashed.utility(self, Seeded(state.seed, state.ply, abs(state.x)), player)

    def evaluate(self, state, player):
        return Hashed.evaluate(self, Seeded(state.seed, state.ply, abs(state.x)), player)

    def order(self, state, action):
        return Hashed.order(self, Seeded(state.seed, state.ply, abs(state.x)), action)

    def symmetries(self, state):
        return state, Seeded(state.seed, state.ply, -state.x)


class Noisy(Hashed):
    """States that are not quiet, or urgent; a pass. A tree, so that a depth means one thing in a state."""

    def result(self, state, action):
        return Seeded(state.seed, state.ply + 1, 4 * state.x + action // 3 + 1)

    def is_quiet(self, state):
        return scramble(state.seed, state.ply, state.x, 6) % 3 == 0

    def noisy(self, state):
        for action in self.actions(state):
            if scramble(state.seed, state.ply, state.x, 30 + action) % 2 == 0:
                yield action

    def needs_extension(self, state):
        return scramble(state.seed, state.ply, state.x, 7) % 4 == 0

    def null_move_state(self, state):
        return Seeded(state.seed, state.ply + 1, 4 * state.x)


class WinLossNoisy(Noisy):
    """The same with wins, losses and draws alone."""

    utilities = (-1, 1)

    def utility(self, state, player):
        return WinLossHashed.utility(self, state, player)


class Chancy(Hashed):
    """Two opposed players, and chance."""

    chances = 30

    def to_move(self, state):
        if state.ply > 0 and scramble(state.seed, state.ply, state.x, 8) % 100 < self.chances:
            return CHANCE
        return Hashed.to_move(self, state)

    def probability(self, state, action):
        count = 1 + scramble(state.seed, state.ply, state.x, 2) % 4
        return 2 * (action // 3 + 1) / (count * (count + 1))


class WinLossChancy(Chancy):
    """The same with wins, losses and draws alone."""

    utilities = (-1, 1)

    def utility(self, state, player):
        return WinLossHashed.utility(self, state, player)


class Crowd(Chancy):
    """Three players, each with utilities of his own, and chance."""

    players = 3
    zero_sum = False
    utilities = (-2, 3)

    def to_move(self, state):
        if state.ply > 0 and scramble(state.seed, state.ply, state.x, 8) % 100 < self.chances:
            return CHANCE
        return scramble(state.seed, state.ply, state.x, 1) % self.players

    def utility(self, state, player):
        return float(scramble(state.seed, state.ply, state.x, 40 + player) % 6 - 2)

    def evaluate(self, state, player):
        return scramble(state.seed, state.ply, state.x, 60 + player) % 1000 / 500 - 1


class Maze(Hashed):
    """A directed graph of a few places, on which play can go in circles; `ply` is the player to move."""

    repetition = "draw"

    def to_move(self, state):
        return 0 if state.seed % 5 == 0 else state.ply

    def actions(self, state):
        count = 1 + scramble(state.seed, state.ply, state.x, 2) % 3
        for action in range(count):  # noqa: UP028 - Numba knows no yield from
            yield action

    def result(self, state, action):
        h = scramble(state.seed, state.ply, state.x, 10 + action)
        again = state.seed % 5 == 2 and h % 4 == 0  # the same player moves again
        return Seeded(state.seed, state.ply if again else 1 - state.ply, h // 4 % 6)

    def is_terminal(self, state):
        return state.x != 0 and scramble(state.seed, 0, state.x, 3) % 3 == 0


class WinLossMaze(Maze):
    """The same with wins, losses and draws alone."""

    utilities = (-1, 1)

    def utility(self, state, player):
        return WinLossHashed.utility(self, state, player)


def better(a, b):
    """Whether (value, plies to the end) a is better than b for the player whose value it is."""
    if a[0] != b[0]:
        return a[0] > b[0]
    return a[1] < b[1] if a[0] > 0 else a[1] > b[1] if a[0] < 0 else False


def twin(game, state, player, depth=99):
    """Minimax as obvious as can be: the (value, plies to the end) of `state` for `player`."""
    if game.is_terminal(state):
        return game.utility(state, player), 0
    if depth == 0:
        return game.evaluate(state, player), 0
    mover = game.to_move(state)
    best = None
    for action in game.actions(state):
        value, plies = twin(game, game.result(state, action), mover, depth - 1)
        if best is None or better((value, plies + 1), best):
            best = value, plies + 1
    return best if mover == player else (-best[0], best[1])


def later(found):
    """A (value, plies to the end) one ply earlier; a draw has no distance."""
    return found[0], found[1] + 1 if found[0] else 0


def opposite(found):
    return -found[0], found[1]


def selective_twin(game, state, player, depth, ply=0, most_ply=1000, beam=99):
    """Minimax with quiescence, extensions and a beam: the value for `player`; `ply` counts from the root."""
    if game.is_terminal(state):
        return game.utility(state, player)
    if ply and defines(game, "needs_extension") and ply < most_ply and game.needs_extension(state):
        depth += 1
    if depth <= 0:
        return quiet_twin(game, state, player)
    mover = game.to_move(state)
    actions = sorted(game.actions(state), key=lambda action: -game.order(state, action))
    children = [game.result(state, action) for action in actions[: beam if ply else 99]]
    best = max(selective_twin(game, child, mover, depth - 1, ply + 1, most_ply, beam) for child in children)
    return best if mover == player else -best


def quiet_twin(game, state, player):
    """The estimate for `player`, or what noisy actions, and every action of an urgent state, lead to."""
    if game.is_terminal(state):
        return game.utility(state, player)
    if game.is_quiet(state):
        return game.evaluate(state, player)
    mover = game.to_move(state)
    actions = game.actions(state) if game.needs_extension(state) else game.noisy(state)
    values = [quiet_twin(game, game.result(state, action), mover) for action in actions]
    best = max(values if game.needs_extension(state) else [game.evaluate(state, mover), *values])
    return best if mover == player else -best


def path_twin(game, state, player, path=frozenset()):
    """Every line of play to its end, repetition told by the states on the path: (value, plies) for `player`."""
    least = game.utilities[0] if game.utilities else -1
    if game.is_terminal(state):
        return game.utility(state, player), 0
    mover = game.to_move(state)
    best = None
    path |= {state}
    for action in game.actions(state):
        child = game.result(state, action)
        if child not in path:
            found = path_twin(game, child, mover, path)
        elif game.repetition == "forbidden":
            continue
        else:
            found = (0 if game.repetition == "draw" else least), 0
        found = later(found)
        if best is None or better(found, best):
            best = found
    if best is None:  # who has no legal action loses
        best = least, 0
    return best if mover == player else opposite(best)


def endless_twin(game, state, player):
    """The game that may go on for ever, a draw: values of a longer and longer game, until they stay the same."""
    found, states = {}, [state]
    for each in states:
        found[each] = (game.utility(each, 0), 0) if game.is_terminal(each) else (0, 0)
        if not game.is_terminal(each):
            states += {game.result(each, action) for action in game.actions(each)} - set(states)
    while True:
        before = dict(found)
        for each in states:
            if not game.is_terminal(each):
                sign = 1 if game.to_move(each) == 0 else -1
                children = [before[game.result(each, action)] for action in game.actions(each)]
                best = later(children[0] if sign > 0 else opposite(children[0]))
                for child in children[1:]:
                    value = later(child if sign > 0 else opposite(child))
                    best = value if better(value, best) else best
                found[each] = best if sign > 0 else opposite(best)
        if found == before:
            return found[state] if player == 0 else opposite(found[state])


def interpreted(cls, *arguments, **attributes):
    return type(cls.__name__, (cls,), {"compiled": False, **attributes})(*arguments)
