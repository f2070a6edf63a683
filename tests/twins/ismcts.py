"""Information-set Monte Carlo tree search as obvious as can be: a dict of information sets, each a dict of actions.

It draws the same random numbers in the same order as `outplay.information_sets`, and so must come to the same
statistics.
"""

import math

from outplay import CHANCE, defines
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import new_random, random_below
from outplay.rules.game import legal_actions

SCALE = 1 << 30


class Arm:
    def __init__(self, players):
        self.visits, self.available, self.totals = 0, 0, [0.0] * players
        self.regret, self.share = 0.0, 0.0


class Twin:
    def __init__(
        self, game, *, observers="multiple", exploration=0.7, scale=None, playouts="random", playout_depth=None, seed=0,
        selection="ucb1",
    ):  # fmt: skip
        self.draws = selection == "regret"
        self.game, self.observers, self.exploration = game, observers, exploration
        self.playouts, self.playout_depth = playouts, playout_depth
        self.random = new_random(seed)
        self.opposed = game.players == 1 or (game.players == 2 and game.zero_sum)
        self.sets = {}
        self.trail = None
        self.by_spread = (scale or ("range" if game.utilities in ((-1, 1), (0, 1)) else "spread")) == "spread"
        self.least, self.greatest = game.utilities or (0.0, 0.0)
        self.count, self.mean, self.squares, self.widest = 0, 0.0, 0.0, 0.0

    def run(self, state, simulations):
        """The arms of the information set of `state`, by action."""
        player = self.game.to_move(state)
        for _ in range(simulations):
            self.simulate(self.look_alike(state, player), player)
        return self.sets[player, player, self.game.information(state, player)]

    def look_alike(self, state, player):
        game = self.game
        if not game.hidden_information:
            return state
        if defines(game, "determinize"):
            return game.determinize(state, player, self.random)
        wanted = game.information(state, player)
        while True:
            other, taken = game.initial_state(), []
            while not game.is_terminal(other):
                mover = game.to_move(other)
                if mover == CHANCE:
                    action = self.outcome(other)
                elif mover != player:
                    action = random_action(game, other, self.random)
                else:
                    seen = game.information(other, player)
                    if seen == wanted:
                        self.trail = taken
                        return other
                    if self.trail is None:
                        action = random_action(game, other, self.random)
                    elif len(taken) < len(self.trail) and self.trail[len(taken)][0] == seen:
                        action = self.trail[len(taken)][1]
                    else:
                        break
                    taken.append((seen, action))
                other = game.result(other, action)

    def simulate(self, state, observer):
        game, path, last, new = self.game, [], -1, False
        while not new and not game.is_terminal(state):
            mover = game.to_move(state)
            if mover == CHANCE:
                last = self.outcome(state)
            else:
                viewer = observer if self.observers == "single" else mover
                arms = self.sets.setdefault((viewer, mover, game.information(state, viewer)), {})
                choose = self.draw if self.draws else self.select
                last = choose(arms, list(legal_actions(game, state)), mover)
                path.append((arms, last, mover))
                new = arms[last].visits == 0
            state = game.result(state, last)
        rewards = self.play_out(state, last)
        self.see(rewards[:1] if self.opposed else rewards)
        for arms, action, mover in path:
            if self.draws:
                self.regret(arms, action, mover, rewards[mover])
            arm = arms[action]
            arm.visits += 1
            for player, reward in enumerate(rewards):
                arm.totals[player] += reward

    def select(self, arms, legal, mover):
        for action in legal:
            arms.setdefault(action, Arm(self.game.players)).available += 1
        chosen, untried = None, 0
        for action in legal:
            if arms[action].visits == 0:
                untried += 1
                if random_below(self.random, untried) == 0:
                    chosen = action
        if untried:
            return chosen
        c = self.exploration * (self.widest if self.by_spread else self.greatest - self.least)

        def worth(action):
            arm = arms[action]
            return arm.totals[mover] / arm.visits + c * math.sqrt(math.log(arm.available) / arm.visits)

        return max(legal, key=worth)

    def odds(self, arms):
        """For each action what regret matching plans, and with what probability it is drawn."""
        whole = 0.0
        for arm in arms.values():
            whole += max(arm.regret, 0.0)
        plan = {a: max(arm.regret, 0.0) / whole if whole > 0 else 1.0 / len(arms) for a, arm in arms.items()}
        wander = {a: 1.0 / math.sqrt(math.sqrt(arm.available + 1.0)) for a, arm in arms.items()}
        return plan, {a: (1.0 - wander[a]) * plan[a] + wander[a] / len(arms) for a in arms}

    def draw(self, arms, legal, mover):
        for action in legal:
            arms.setdefault(action, Arm(self.game.players)).available += 1
        plan, odds = self.odds(arms)
        rest, drawn = (random_below(self.random, SCALE) + 0.5) / SCALE, None
        for action, arm in arms.items():
            arm.share += plan[action]
            if rest >= 0:
                drawn = action
            rest -= odds[action]
        return drawn

    def regret(self, arms, drawn, mover, reward):
        _, odds = self.odds(arms)
        worth = {a: arm.totals[mover] / arm.visits if arm.visits else 0.0 for a, arm in arms.items()}
        expected = 0.0
        for action in arms:
            expected += odds[action] * worth[action] + (reward - worth[action] if action == drawn else 0.0)
        for action, arm in arms.items():
            more = (reward - worth[action]) / odds[action] if action == drawn else 0.0
            arm.regret += worth[action] + more - expected

    def play_out(self, state, last):
        game, plies, players = self.game, 0, range(self.game.players)
        while not game.is_terminal(state):
            if plies == self.playout_depth:
                return [float(game.evaluate(state, player)) for player in players]
            if game.to_move(state) == CHANCE:
                last = self.outcome(state)
            elif self.playouts == "own":
                last = game.playout_action(state, last, self.random)
            else:
                last = random_action(game, state, self.random)
            state = game.result(state, last)
            plies += 1
        return [float(game.utility(state, player)) for player in players]

    def outcome(self, state):
        rest = random_below(self.random, SCALE) / SCALE
        for action in legal_actions(self.game, state):
            rest -= self.game.probability(state, action)
            if rest < 0:
                break
        return action

    def see(self, rewards):
        """Learn how far apart utilities are."""
        if self.game.utilities is None:
            self.least, self.greatest = min(self.least, *rewards), max(self.greatest, *rewards)
        for reward in rewards:
            self.count += 1
            away = reward - self.mean
            self.mean += away / self.count
            self.squares += away * (reward - self.mean)
            self.widest = max(self.widest, 2 * math.sqrt(self.squares / self.count))
