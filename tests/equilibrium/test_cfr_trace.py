"""Traces of counterfactual regret minimization beside a plain one, as in Zinkevich et al. (2007), and their limits."""

import json
from collections import defaultdict

import pytest

from outplay import CHANCE, Trace, legal_actions
from outplay.equilibrium import CFR, MCCFR, exploitability, values
from outplay.games import KuhnPoker, LeducPoker, LiarsDice, MatchingPennies


class Plain:
    """Counterfactual regret minimization on histories; both players learn at once."""

    def __init__(self, game):
        self.game = game
        self.regrets, self.sums = defaultdict(lambda: defaultdict(float)), defaultdict(lambda: defaultdict(float))
        self.strategy = defaultdict(dict)

    def iterate(self):
        added = defaultdict(lambda: defaultdict(float))
        self.walk(self.game.initial_state(), [1.0] * 3, added)
        for place, regrets in added.items():
            for action, more in regrets.items():
                self.regrets[place][action] += more
            above = {action: max(regret, 0.0) for action, regret in self.regrets[place].items()}
            whole = sum(above.values())
            self.strategy[place] = {a: (b / whole if whole > 0 else 1 / len(above)) for a, b in above.items()}

    def walk(self, state, reach, added):
        """The utilities; `reach` is what each player, and last chance, contributes to getting here."""
        game = self.game
        if game.is_terminal(state):
            return [game.utility(state, player) for player in (0, 1)]
        player, actions = game.to_move(state), list(legal_actions(game, state))
        place = player, game.information_text(state, player) if player != CHANCE else None
        likely = self.strategy[place] or dict.fromkeys(actions, 1 / len(actions))
        if player == CHANCE:
            likely = {action: game.probability(state, action) for action in actions}
        found = {}
        for action in actions:
            further = list(reach)
            further[player] *= likely[action]  # chance is -1, the last
            found[action] = self.walk(game.result(state, action), further, added)
        mean = [sum(likely[action] * found[action][each] for action in actions) for each in (0, 1)]
        if player != CHANCE:
            others = reach[1 - player] * reach[2]
            for action in actions:
                added[place][action] += others * (found[action][player] - mean[player])
            mine = reach[player]
            self.visited.setdefault(place, (mine, {action: likely[action] for action in actions}))
        return mean

    def run(self):
        self.visited = {}
        self.iterate()
        for place, (mine, likely) in self.visited.items():
            for action, share in likely.items():
                self.sums[place][action] += mine * share


@pytest.mark.parametrize("game", [KuhnPoker(), MatchingPennies(), LiarsDice(1, 2)], ids=repr)
def test_every_number_of_every_iteration(game):
    trace = Trace()
    CFR(game, variant="cfr", alternating=False).solve(iterations=15, trace=trace)
    plain = Plain(game)
    assert [each.number for each in trace] == list(range(1, 16))
    for iteration in trace:
        plain.run()
        names = {(each.player, each.name): each for each in iteration.sets}
        assert len(names) == len(iteration.sets)
        assert {place for place in plain.regrets if place[0] != CHANCE} == names.keys()
        for place, each in names.items():
            assert each.regrets == pytest.approx(list(plain.regrets[place].values()), abs=1e-12)
            assert each.strategy == pytest.approx(list(plain.strategy[place].values()))
            whole = sum(plain.sums[place].values())
            if whole > 0:
                assert each.average == pytest.approx([part / whole for part in plain.sums[place].values()])


@pytest.mark.parametrize("variant", ["cfr", "cfr+", "linear", "discounted", "predictive"])
def test_a_trace_changes_nothing_and_ends_with_the_solution(variant):
    trace = Trace()
    traced = CFR(KuhnPoker(), variant=variant).solve(iterations=40, trace=trace)
    plain = CFR(KuhnPoker(), variant=variant).solve(iterations=40)
    assert (traced.strategy.probability == plain.strategy.probability).all()
    last = trace[-1]
    assert last.number == len(trace) == 40
    assert last.exploitability == traced.exploitability == pytest.approx(exploitability(plain.strategy))
    assert last.values == traced.values == pytest.approx(values(plain.strategy))
    probabilities = [share for each in last.sets for share in each.average]
    assert sorted(probabilities) == pytest.approx(sorted(plain.strategy.probability))


def test_limits_and_going_on():
    solver, trace = CFR(KuhnPoker(), variant="cfr"), Trace(10)
    solver.solve(iterations=25, trace=trace)
    assert (len(trace), trace.dropped, trace[-1].number) == (10, 15, 10)
    assert repr(trace) == "<Trace of 10 iterations, 15 more dropped>"
    solver.solve(iterations=5, trace=trace)
    assert [each.number for each in trace] == [26, 27, 28, 29, 30]
    assert [each.number for each in trace[-2:]] == [29, 30]
    with pytest.raises(ValueError, match=r"choose an iteration from 26 to 30"):
        trace.tree(25)
    CFR(KuhnPoker()).solve(iterations=0, trace=trace)
    assert len(trace) == 0
    assert str(trace) == "nothing was searched"


def test_as_text_and_json():
    trace = Trace()
    CFR(KuhnPoker(), variant="cfr").solve(iterations=3, trace=trace)
    lines = trace.tree(2).splitlines()
    assert lines[0].startswith("CFR(variant='cfr'), iteration 2: the average strategy has values ")
    assert lines[1].split() == ["action", "regret", "strategy", "average"]
    assert lines[2].startswith("player 0: J ")
    assert len(lines) == 2 + 24
    plain = json.loads(json.dumps(trace.as_dict()))
    assert plain["game"] == "KuhnPoker()"
    assert [each["number"] for each in plain["iterations"]] == [1, 2, 3]
    assert plain["iterations"][0]["sets"][0]["actions"] == ["pass", "bet"]
    CFR(LeducPoker()).solve(iterations=1, trace=trace)
    assert trace.tree().endswith("more information sets")


def test_the_picture_and_the_steps(tmp_path):
    trace = Trace()
    solution = CFR(KuhnPoker(), variant="cfr").solve(iterations=7, trace=trace)
    picture = trace.picture()
    assert picture.svg().replace(", the average strategy after 7 iterations", "") == (
        solution.strategy._tree.picture(solution.strategy).svg()
    )
    assert trace.picture(3).svg() != picture.svg()
    steps = trace.steps()
    assert len(steps.steps) == 7
    assert [step.say.split(":")[0] for step in steps.steps] == [f"Iteration {number}" for number in range(1, 8)]
    for number, iteration in enumerate(trace):
        seen = steps.seen(number)
        assert len(seen) == len(picture.nodes)
        shown = {tuple(texts) for texts in seen.values() if len(texts) == 3}
        assert shown == {
            (f"player {each.player}", each.name, " ".join(f"{share:.2f}" for share in each.average))
            for each in iteration.sets
        }
        _, names, rows = steps.steps[number].table
        assert names == ["", "action", "regret", "strategy", "average"]
        regrets = [regret for each in iteration.sets for regret in each.regrets]
        assert [float(row[2]) for row in rows] == pytest.approx(regrets, abs=6e-4)
    trace.save(tmp_path / "a.html")
    assert (tmp_path / "a.html").stat().st_size < 10**6
    CFR(LeducPoker()).solve(iterations=2, trace=trace)
    assert "the first 60 rows" in trace.steps().steps[0].table[0]


def test_what_cannot_be_recorded():
    with pytest.raises(ValueError, match="MCCFR cannot record a trace; CFR can"):
        MCCFR(KuhnPoker()).solve(iterations=1, trace=Trace())
    with pytest.raises(ValueError, match="a Trace, as in trace = Trace"):
        CFR(KuhnPoker()).solve(iterations=1, trace=[])
