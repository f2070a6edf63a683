"""Random games with hidden information and perfect recall, and what is to be known of them, found the obvious way."""

from functools import cache
from itertools import product
from random import Random

import numpy as np
from scipy.optimize import linprog

from outplay import CHANCE, Game


@cache
def whole(what, least, greatest):
    """A random number that stands for `what`."""
    return Random(what).randint(least, greatest)


class HiddenGame(Game):
    """A random game: who moves at a ply and how many actions there are is known; what was done is seen in part.

    At each ply somebody, or chance, acts; each player sees the action, or whether it was odd, or nothing of it. Who
    acts sees it. A game may be over early at any history.
    """

    compiled = False
    has_chance = True
    hidden_information = True

    def __init__(self, seed, players=2, plies=5, most_actions=3, zero_sum=True):
        self.players = players
        self.zero_sum = zero_sum
        random = Random(seed)
        self.movers = tuple(random.choice([CHANCE, *range(players), *range(players)]) for _ in range(plies))
        self.counts = tuple(random.randint(2, most_actions) for _ in range(plies))
        self.sight = tuple(tuple(random.choice((1, 2, 4)) for _ in range(players)) for _ in range(plies))
        self.seed = seed

    def initial_state(self):
        return ()

    def to_move(self, state):
        return self.movers[len(state)]

    def actions(self, state):
        return tuple(range(self.counts[len(state)]))

    def result(self, state, action):
        return (*state, action)

    def is_terminal(self, state):
        return len(state) == len(self.movers) or whole(f"{self.seed} end {state}", 0, 9) < len(state)

    def utility(self, state, player):
        # no two sums of these are the same: where regrets are equal, rounding would decide
        pays = [whole(f"{self.seed} pays {state} {other}", -(10**9), 10**9) / 2e8 for other in range(self.players)]
        if self.zero_sum:
            pays[-1] = -sum(pays[:-1])
        return float(pays[player])

    def probability(self, state, action):
        weights = [whole(f"{self.seed} chance {state} {outcome}", 1, 4) for outcome in self.actions(state)]
        return weights[action] / sum(weights)

    def information(self, state, player):
        seen = []
        for ply, action in enumerate(state):
            sight = 1 if self.movers[ply] == player else self.sight[ply][player]
            seen.append(action if sight == 1 else action % 2 if sight == 2 else 0)
        return tuple(seen)


def histories(game, state=None):
    """All states, one a history, each before those that come after it."""
    state = game.initial_state() if state is None else state
    yield state
    if not game.is_terminal(state):
        for action in game.actions(state):
            yield from histories(game, game.result(state, action))


def information_sets(game):
    """The legal actions at each (player, information)."""
    sets = {}
    for state in histories(game):
        if not game.is_terminal(state) and game.to_move(state) != CHANCE:
            player = game.to_move(state)
            sets[player, game.information(state, player)] = tuple(game.actions(state))
    return sets


def expected(game, policy, state=None):
    """What each player gets where all play `policy`: {(player, information): {action: probability}}."""
    state = game.initial_state() if state is None else state
    if game.is_terminal(state):
        return np.array([game.utility(state, player) for player in range(game.players)])
    mover = game.to_move(state)
    if mover == CHANCE:
        likely = {action: game.probability(state, action) for action in game.actions(state)}
    else:
        likely = policy[mover, game.information(state, mover)]
    return sum(share * expected(game, policy, game.result(state, action)) for action, share in likely.items())


def pure_strategies(game, player):
    """All of them, as policies of that player alone."""
    sets = {key: actions for key, actions in information_sets(game).items() if key[0] == player}
    for chosen in product(*sets.values()):
        yield {
            key: {action: float(action == its) for action in actions}
            for (key, actions), its in zip(sets.items(), chosen, strict=True)
        }


def number_of_pure_strategies(game, player):
    number = 1
    for (owner, _), actions in information_sets(game).items():
        number *= len(actions) if owner == player else 1
    return number


def best_value(game, policy, player):
    """The most `player` can get against the others' part of `policy`: every pure strategy is tried."""
    return max(expected(game, policy | pure)[player] for pure in pure_strategies(game, player))


def matrix_value(game):
    """The value of a game of two for player 0, by the linear program of its matrix of pure strategies."""
    rows, columns = (list(pure_strategies(game, player)) for player in (0, 1))
    matrix = np.array([[expected(game, row | column)[0] for column in columns] for row in rows])
    size = len(rows)
    found = linprog(
        [*np.zeros(size), -1],
        A_ub=np.hstack([-matrix.T, np.ones((len(columns), 1))]),
        b_ub=np.zeros(len(columns)),
        A_eq=[[*np.ones(size), 0]],
        b_eq=[1],
        bounds=[(0, None)] * size + [(None, None)],
    )
    return -found.fun


def plain_cfr(game, iterations, variant="cfr", alternating=True):
    """Counterfactual regret minimization, one history after the other: the average policy."""
    sets = information_sets(game)
    regret = {key: dict.fromkeys(actions, 0.0) for key, actions in sets.items()}
    total = {key: dict.fromkeys(actions, 0.0) for key, actions in sets.items()}
    policy = {key: dict.fromkeys(actions, 1 / len(actions)) for key, actions in sets.items()}
    power = {"cfr": 0, "cfr+": 1, "linear": 1, "discounted": 2, "predictive": 2}[variant]

    def walk(state, reach, learner, gain, mean):
        """The learner's value; `reach` is how likely chance (at -1) and each player let play come here."""
        if game.is_terminal(state):
            return game.utility(state, learner)
        mover, value = game.to_move(state), 0.0
        if mover == CHANCE:
            for action in game.actions(state):
                share = game.probability(state, action)
                value += share * walk(game.result(state, action), times(reach, mover, share), learner, gain, mean)
            return value
        key, q = (mover, game.information(state, mover)), {}
        for action, share in policy[key].items():
            q[action] = walk(game.result(state, action), times(reach, mover, share), learner, gain, mean)
            value += share * q[action]
        if mover == learner:
            others = np.prod([share for who, share in reach.items() if who != mover])
            for action, brings in q.items():
                gain[key][action] += others * (brings - value)
            mean[key] = reach[mover]
        return value

    def times(reach, who, share):
        return reach | {who: reach[who] * share}

    def learn(player, t, gain, mean):
        for key, actions in sets.items():
            if key[0] != player:
                continue
            for action in actions:
                total[key][action] += t**power * mean[key] * policy[key][action]
            for action in actions:
                r = regret[key][action] + gain[key][action]
                if variant in {"cfr+", "predictive"}:
                    r = max(r, 0)
                if variant == "linear":
                    r *= t / (t + 1)
                if variant == "discounted":
                    r *= t**1.5 / (t**1.5 + 1) if r > 0 else 1 / 2
                regret[key][action] = r
            hope = {
                action: max(0.0, regret[key][action] + (gain[key][action] if variant == "predictive" else 0))
                for action in actions
            }
            above = sum(hope.values())
            policy[key] = {action: hope[action] / above if above > 0 else 1 / len(actions) for action in actions}

    for t in range(1, iterations + 1):
        found = []
        for player in range(game.players):
            gain = {key: dict.fromkeys(actions, 0.0) for key, actions in sets.items()}
            mean = {}
            walk(game.initial_state(), dict.fromkeys(range(-1, game.players), 1.0), player, gain, mean)
            if alternating:
                learn(player, t, gain, mean)
            else:
                found.append((player, t, gain, mean))
        for what in found:
            learn(*what)
    return {
        key: {
            action: total[key][action] / above if (above := sum(total[key].values())) > 0 else 1 / len(actions)
            for action in actions
        }
        for key, actions in sets.items()
    }
