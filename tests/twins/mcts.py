"""Monte Carlo tree search as obvious as can be: an object a node, a number a player, the formulas of the textbooks.

It draws the same random numbers in the same order as `outplay.montecarlo`, and so must come to the same tree.
"""

import math

from outplay import CHANCE, defines
from outplay.compile.playout import random_action, random_candidate
from outplay.compile.random_numbers import new_random, random_below
from outplay.rules.game import candidate_actions, legal_actions
from outplay.rules.repetition import defeat

SCALE = 1 << 30
FAR = 1e300


class Node:
    def __init__(self, action, players, low, high, prior):
        self.action = action
        self.visits = 0
        self.totals = [0.0] * players
        self.squares = 0.0  # of what it brought the player who moves to it
        self.low, self.high = [low] * players, [high] * players
        self.prior = prior
        self.children = []
        self.amaf_visits, self.amaf_total = 0, 0.0

    def is_closed(self):
        return self.low == self.high

    def mean(self, player):
        return self.totals[player] * (1 / self.visits)  # not divided: ties fall as they do there


class Twin:
    def __init__(
        self, game, *, selection="ucb1", exploration=0.7, playouts="random", playout_depth=None, epsilon=0.1,
        first_play=None, rave=False, rave_bias=0.001, rave_reference=0, bias=0.0, widening=None,
        solver=True, clamp=True, hints=True, scale=None, seed=0, evaluator=None, priors=None, temperature=0.2,
    ):  # fmt: skip
        vars(self).update((name, value) for name, value in locals().items() if name != "self")
        self.opposed = game.players == 1 or (game.players == 2 and game.zero_sum)
        self.hints = hints and self.opposed and not game.has_chance and not game.repetition
        uses_priors = not evaluator and (selection == "puct" or bias > 0 or widening is not None)
        self.looks_ahead = uses_priors and priors == "evaluation"
        self.ordered = uses_priors and priors != "evaluation" and defines(game, "order")
        self.random = new_random(seed)
        self.least, self.greatest = game.utilities or (0.0, 0.0)  # of player 0, or of all where they are not opposed
        self.by_spread = (scale or ("range" if game.utilities in ((-1, 1), (0, 1)) else "spread")) == "spread"
        self.count, self.mean, self.squares, self.widest = 0, 0.0, 0.0, 0.0  # of all simulations
        self.sums, self.counts, self.replies = {}, {}, {}

    def run(self, state, simulations):
        """The root after so many simulations, or when it is closed, and how many there were."""
        low, high = self.game.utilities or (-FAR, FAR)
        root = Node(-1, self.game.players, low, high, 1.0)
        done = 0
        while done < simulations and not (self.solver and root.is_closed()):
            self.simulate(root, state)
            done += 1
        return root, done

    def simulate(self, root, state):
        game, node, rewards, last = self.game, root, None, -1
        nodes, movers, states = [root], [], []
        self.taken = []  # (player, action) of the whole simulation
        self.references = {}
        root.visits += 1
        changed = False
        while rewards is None:
            if not node.children:
                rewards = self.known_end(state, states, movers)
                if rewards is not None:
                    if self.solver:
                        node.low, node.high = list(rewards), list(rewards)
                        changed = True
                    break
                if self.evaluator:
                    self.expand(node, state, states)
                    rewards = self.evaluated(node, state)
                    break
                if node is not root and node.visits <= 1:
                    rewards = self.play_out(state, last)
                    break
                self.expand(node, state, states)
            mover = game.to_move(state)
            movers.append(mover)
            child = self.drawn(node) if mover == CHANCE else self.select(node, mover)
            if child is None:
                changed = True
                self.tighten(node, mover)
                source = node if self.opposed else max(node.children, key=lambda child: child.low[mover])
                rewards = self.of_player_0(source.low)
                break
            states.append(state)
            last = child.action
            self.taken.append((mover, last))
            state, node = game.result(state, last), child
            node.visits += 1
            nodes.append(node)
        self.see(rewards[:1] if self.opposed else rewards)
        if game.utilities is None:
            for reward in rewards[:1] if self.opposed else rewards:
                self.least, self.greatest = min(self.least, reward), max(self.greatest, reward)
        self.learn(rewards)
        for ply in reversed(range(len(nodes))):
            node = nodes[ply]
            if self.solver and changed and ply < len(nodes) - 1:
                changed = self.tighten(node, movers[ply])
            if self.rave and node.children and movers[ply] != CHANCE:
                later = {action for player, action in self.taken[ply:] if player == movers[ply]}
                for child in node.children:
                    if child.action in later:
                        child.amaf_visits += 1
                        child.amaf_total += rewards[movers[ply]]
            if self.solver and self.clamp:
                rewards = [
                    min(max(reward, low), high) for reward, low, high in zip(rewards, node.low, node.high, strict=True)
                ]
            if ply > 0 and movers[ply - 1] != CHANCE:
                node.squares += rewards[movers[ply - 1]] ** 2
            for player, reward in enumerate(rewards):
                node.totals[player] += reward

    def of_player_0(self, values):
        """Utilities of all players; opposed players have opposite ones."""
        return [values[0], -values[0]][: self.game.players] if self.opposed else list(values)

    # -- leaves -------------------------------------------------------------------------------------------------------

    def known_end(self, state, states, movers):
        game = self.game
        players = range(game.players)
        if game.is_terminal(state):
            return [float(game.utility(state, player)) for player in players]
        if game.repetition == "forbidden":
            return None if self.allowed(state, states) else list(defeat(game, game.to_move(state)))
        if game.repetition and state in states:
            return [0.0] * game.players if game.repetition == "draw" else list(defeat(game, movers[-1]))
        return self.forced(state) if states else None

    def allowed(self, state, states):
        """The legal actions that do not repeat one of the states before."""
        actions = list(legal_actions(self.game, state))
        if self.game.repetition != "forbidden":
            return actions
        return [action for action in actions if self.game.result(state, action) not in [*states, state]]

    def forced(self, state):
        if self.hints and defines(self.game, "forced_result"):
            utility, plies = self.game.forced_result(state)
            if plies:
                mover = self.game.to_move(state)
                return [utility if player == mover else -utility for player in range(self.game.players)]
        return None

    def expand(self, node, state, states):
        game = self.game
        is_chance = game.to_move(state) == CHANCE
        some = self.hints and states and not is_chance
        actions = list(candidate_actions(game, state)) if some else self.allowed(state, states)
        if not is_chance:
            for last in range(len(actions) - 1, 0, -1):  # shuffle: Fisher & Yates
                other = random_below(self.random, last + 1)
                actions[last], actions[other] = actions[other], actions[last]
        priors = [1 / len(actions)] * len(actions)
        if is_chance:
            priors = [game.probability(state, action) for action in actions]
        elif self.looks_ahead:
            values = {action: self.value_after(state, action) for action in actions}
            actions.sort(key=lambda action: -values[action])
            unit = self.width() or self.greatest - self.least
            best = values[actions[0]]
            weights = [
                math.exp(-(best - values[action]) / (self.temperature * unit)) if unit else 1.0 for action in actions
            ]
            whole = 0.0
            for weight in weights:
                whole += weight
            priors = [weight / whole for weight in weights]
        elif self.ordered:
            orders = {action: game.order(state, action) for action in actions}
            actions.sort(key=lambda action: -orders[action])
            better = [sum(orders[other] > orders[action] for other in actions) for action in actions]
            weights = [1.0 / (1 + number) for number in better]
            whole = 0.0
            for weight in weights:
                whole += weight
            priors = [weight / whole for weight in weights]
        low, high = game.utilities or (-FAR, FAR)
        node.children = [
            Node(action, game.players, low, high, prior) for action, prior in zip(actions, priors, strict=True)
        ]

    def value_after(self, state, action):
        child, mover = self.game.result(state, action), self.game.to_move(state)
        if self.game.is_terminal(child):
            return self.game.utility(child, mover)
        return self.game.evaluate(child, mover)

    def evaluated(self, node, state):
        """The values of the players, by the evaluator; it also says how likely each action is."""
        values, priors = self.evaluator([state])
        if priors is not None and self.game.to_move(state) != CHANCE:
            whole = sum(priors[0][child.action] for child in node.children)
            for child in node.children:
                child.prior = priors[0][child.action] / whole if whole else 1 / len(node.children)
        return list(values[0])

    def drawn(self, node):
        rest = random_below(self.random, SCALE) / SCALE
        for child in node.children[:-1]:
            rest -= child.prior
            if rest < 0:
                return child
        return node.children[-1]

    # -- selection ----------------------------------------------------------------------------------------------------

    def select(self, node, player):
        width = self.width()
        c, before = self.exploration * width, node.visits - 1
        reference = self.reference(node, player)
        some = [child for child in node.children if not self.solver or self.is_open(node, child, player)]
        if self.widening is not None:
            a, b = self.widening
            some = some[: 1 + int(a * before**b)]
        scores = []
        for child in some:
            n = child.visits
            value = self.estimate(node, child, player, reference)
            if value is None:
                return child
            if self.selection == "ucb1":
                value += c * math.sqrt(math.log(max(before, 1))) * (1 / math.sqrt(max(n, 1)))
            elif self.selection == "ucb1-tuned":
                share = 1
                if n and width:
                    variance = (child.squares / n - child.mean(player) ** 2) / width**2
                    share = min(0.25, variance + math.sqrt(2 * math.log(max(before, 1)) / n)) / n
                value += c * math.sqrt(math.log(max(before, 1))) * math.sqrt(share)
            else:
                value += c * math.sqrt(max(before, 1)) * child.prior / (1 + n)
            if self.bias:
                value += self.bias * width * child.prior / (1 + n)
            scores.append(value)
        return some[scores.index(max(scores))] if some else None

    def is_open(self, node, child, player):
        return child.high[player] > node.low[player] if self.opposed else not child.is_closed()

    def width(self):
        """How far apart utilities are: in the whole range, or twice the standard deviation of those seen."""
        return self.widest if self.by_spread else self.greatest - self.least

    def see(self, rewards):
        """Take note of what a simulation brings, of each number by itself."""
        for reward in rewards:
            self.count += 1
            away = reward - self.mean
            self.mean += away / self.count
            self.squares += away * (reward - self.mean)
            self.widest = max(self.widest, 2 * math.sqrt(self.squares / self.count))

    def estimate(self, node, child, player, reference):
        """The mean of a child, blended or not; of one without visits what there is to go by, or None."""
        n = child.visits
        if self.rave:
            source = next((other for other in reference.children if other.action == child.action), None)
            if source is not None and source.amaf_visits:
                amaf = source.amaf_visits
                other = source.amaf_total / amaf
                if n == 0:
                    return other
                weight = amaf / (n + amaf + self.rave_bias * n * amaf)
                return weight * other + (1 - weight) * child.mean(player)
        if n:
            return child.mean(player)
        if self.first_play is not None:
            return self.first_play
        before = max(1, node.visits - 1)  # without this simulation
        return node.totals[player] / before if self.selection == "puct" else None

    def reference(self, node, player):
        """GRAVE: the last node of the simulation with visits enough in which `player` is to move; at first any."""
        if not self.rave_reference or player not in self.references or node.visits >= self.rave_reference:
            self.references[player] = node
        return self.references[player]

    # -- bounds -------------------------------------------------------------------------------------------------------

    def tighten(self, node, mover):
        before = list(node.low), list(node.high)
        floor = None if mover == CHANCE else max(child.low[mover] for child in node.children)
        for player in range(self.game.players):
            if mover == CHANCE:
                low = high = 0.0
                for child in node.children:
                    low += child.prior * child.low[player]
                    high += child.prior * child.high[player]
                low, high = min(low, node.high[player]), max(high, node.low[player])
            else:
                some = [child for child in node.children if child.high[mover] >= floor]
                low = floor if player == mover else min(child.low[player] for child in some)
                high = max(child.high[player] for child in some)
            if self.opposed and mover not in (CHANCE, player):
                continue
            node.low[player], node.high[player] = max(low, node.low[player]), min(high, node.high[player])
        if self.opposed and len(node.low) == 2 and mover != CHANCE:
            node.low[1 - mover], node.high[1 - mover] = -node.high[mover], -node.low[mover]
        return before != (node.low, node.high)

    # -- playouts -----------------------------------------------------------------------------------------------------

    def play_out(self, state, last):
        game, plies = self.game, 0
        players = range(game.players)
        while not game.is_terminal(state):
            if plies == (4096 if self.playout_depth is None else self.playout_depth):
                return [float(game.evaluate(state, player)) for player in players]
            seen = self.forced(state)
            if seen is not None:
                return seen
            mover = game.to_move(state)
            last = self.outcome(state) if mover == CHANCE else self.policy(state, mover, last)
            self.taken.append((mover, last))
            state = game.result(state, last)
            plies += 1
        return [float(game.utility(state, player)) for player in players]

    def outcome(self, state):
        rest = random_below(self.random, SCALE) / SCALE
        for action in self.game.actions(state):
            rest -= self.game.probability(state, action)
            if rest < 0:
                break
        return action

    def policy(self, state, mover, last):
        game, random = self.game, self.random
        if self.playouts == "own":
            return game.playout_action(state, last, random)
        if self.playouts == "random":
            return self.any_action(state)
        if self.playouts == "replies":
            wanted = self.replies.get((mover, last))
            if wanted in list(game.actions(state)):
                return wanted
            own = defines(game, "playout_action")
            return game.playout_action(state, last, random) if own else self.any_action(state)
        if random_below(random, SCALE) < self.epsilon * SCALE:
            return self.any_action(state)
        chosen = []
        best = None
        for action in game.candidates(state) if self.hints else game.actions(state):
            if self.playouts == "greedy":
                worth = game.order(state, action)
            else:
                count = self.counts.get((mover, action), 0)
                worth = self.sums[mover, action] / count if count else 1e300
            if best is None or worth > best:
                best, equal, chosen = worth, 1, action
            elif worth == best:
                equal += 1
                if random_below(random, equal) == 0:
                    chosen = action
        return chosen

    def any_action(self, state):
        if self.hints and defines(self.game, "candidates"):
            return random_candidate(self.game, state, self.random)
        return random_action(self.game, state, self.random)

    def learn(self, rewards):
        if self.playouts == "mast":
            for player, action in self.taken:
                if player != CHANCE:
                    self.sums[player, action] = self.sums.get((player, action), 0.0) + rewards[player]
                    self.counts[player, action] = self.counts.get((player, action), 0) + 1
        if self.playouts == "replies":
            for (_, before), (player, action) in zip(self.taken, self.taken[1:], strict=False):
                if player == CHANCE:
                    continue
                middle = (self.least + self.greatest) / 2
                middle = -middle if self.opposed and player == 1 else middle
                if rewards[player] > middle:
                    self.replies[player, before] = action
                elif self.replies.get((player, before)) == action:
                    del self.replies[player, before]
