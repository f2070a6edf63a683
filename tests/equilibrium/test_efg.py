"""Game trees as .efg: there and back, against a slow twin, and read by Gambit and OpenSpiel."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import CHANCE, AlphaBeta, check_game
from outplay.equilibrium import CFR, Strategy, exploitability, unroll, values
from outplay.equilibrium.efg import EfgGame, load_efg, save_efg, to_efg
from outplay.games import ExplicitTree, KuhnPoker, LeducPoker, LiarsDice
from outplay.rules.errors import RulesError
from outplay.session.load import load_game

HEAD = 'EFG 2 R "" { "A" "B" }\n'
POKER = r"""EFG 2 R "One-card \"poker\"" { "Fred" "Alice" }
"A card for Fred; he may raise, and Alice may meet
that or not."

c "" 7 "deal" { "red" .5 "black" 1/2 } 0
p "holds it" 1 1 "red" { "raise" "fold" } 0
p "" 2 4 "" { "meet" "pass" } 0
t "" 1 "win big" { 2, -2 }
t "" 2 "win" { 1 -1 }
t "" 2 "win" { 1 -1 }
p "" 1 12 "black" { "raise" "fold" } 0
p "" 2 4 0  t "" 3 "" { -2.0, 2e0 }  t "" 2
t "" 4 { -1 1 }
"""


@st.composite
def nodes(draw, players=3, most=40):
    """A random game with perfect recall: (what it pays, and if it is no end: player, set, children, chances)."""
    left, sets = [most], {}
    paid = st.tuples(*[st.integers(-6, 6).map(lambda n: Fraction(n, 4))] * players)

    def grow(memory, depth):
        left[0] -= 1
        pays = draw(paid) if draw(st.booleans()) else (Fraction(0),) * players
        if depth == 0 or left[0] <= 0 or draw(st.integers(0, 3)) == 0:
            return (pays,)
        mover = draw(st.integers(-1, players - 1))
        number = draw(st.integers(1, 3))
        chances = None
        if mover == CHANCE:
            weights = draw(st.lists(st.integers(1, 9), min_size=number, max_size=number))
            chances, which = [Fraction(weight, sum(weights)) for weight in weights], len(sets)
            sets[mover, which, ()] = which
        else:  # one of two sets that follow on the same past and have as many actions
            past = memory[mover], number, draw(st.integers(0, 1))
            which = sets.setdefault((mover, past), len(sets))
        children = []
        for action in range(number):
            after = dict(memory)
            if mover != CHANCE:
                after[mover] = which, action
            children.append(grow(after, depth - 1))
        return pays, mover, which, children, chances

    return grow(dict.fromkeys(range(players)), 5)


def written(root, players=3):
    """The text of such a game; what was said once is not said again."""
    names = " ".join(f'"P{player}"' for player in range(players))
    lines, said, outcomes = [f'EFG 2 R "random" {{ {names} }}'], set(), {}

    def write(node):
        pays = node[0]
        number = 0
        if any(pays) or len(node) == 1:
            number = outcomes.setdefault(pays, len(outcomes) + 1)
        outcome = str(number)
        if number and ("outcome", number) not in said:
            said.add(("outcome", number))
            outcome += f' "" {{ {", ".join(map(str, pays))} }}'
        if len(node) == 1:
            lines.append(f't "" {outcome}')
            return
        _, mover, which, children, chances = node
        told = ""
        if which not in said:
            said.add(which)
            shares = [""] * len(children) if chances is None else [f" {share}" for share in chances]
            told = ' "" { ' + " ".join(f'"{action}"{share}' for action, share in enumerate(shares)) + " }"
        lines.append(
            (f'c "" {which + 1}' if mover == CHANCE else f'p "" {mover + 1} {which + 1}') + f"{told} {outcome}"
        )
        for child in children:
            write(child)

    write(root)
    return "\n".join(lines)


def worth(node, likely, players=3):
    """What a random game pays on average; `likely(set, actions)` is how likely each action is."""
    total = list(map(float, node[0]))
    if len(node) > 1:
        _, mover, which, children, chances = node
        shares = chances if mover == CHANCE else likely(which, len(children))
        for share, child in zip(shares, children, strict=True):
            for player, value in enumerate(worth(child, likely)):
                total[player] += float(share) * value
    return total


@pytest.mark.nightly
@settings(max_examples=150)
@given(nodes(), st.integers(0, 2**32 - 1))
def test_random_games_there_and_back(root, seed):
    game = EfgGame(written(root))
    tree = unroll(game)
    known = {}

    def likely(which, number):
        return known.setdefault(which, np.random.default_rng((seed, which)).dirichlet(np.ones(number)))

    expected = worth(root, likely)
    behaviour = np.ones(tree.sequences)
    for number in range(tree.information_sets):
        which = int(game.set_names[game.seen[tree.set_node[number], tree.owner(number)]].split()[1]) - 1
        first = tree.first[number]
        behaviour[first : first + tree.number[number]] = known[which]
    assert len(set(known)) == tree.information_sets
    assert values(Strategy.on(tree, behaviour)) == pytest.approx(expected, abs=1e-12)

    text = to_efg(tree)
    again = unroll(EfgGame(text))
    for name in ("parent", "action", "player", "information", "utilities", "before", "first", "number"):
        assert np.array_equal(getattr(again, name), getattr(tree, name)), name
    assert np.allclose(again.chance, tree.chance, rtol=0, atol=1e-15)
    assert to_efg(again) == text


@pytest.mark.parametrize("game", [KuhnPoker(), KuhnPoker(3), LiarsDice(1, 2), LeducPoker(suits=False)], ids=repr)
def test_built_in_games_there_and_back(game):
    text = to_efg(game)
    again, tree = EfgGame(text), unroll(game)
    copy = unroll(again)
    assert to_efg(copy) == text
    assert (copy.nodes, copy.information_sets) == (tree.nodes, tree.information_sets)
    assert exploitability(Strategy.uniform(copy)) == pytest.approx(exploitability(Strategy.uniform(tree)), abs=1e-12)
    for number in range(tree.information_sets):
        assert copy.information_text(number) == tree.information_text(number)
    assert (again.players, again.zero_sum, again.hidden_information) == (game.players, True, True)


@pytest.mark.parametrize("game", [KuhnPoker(), LiarsDice(1, 2)], ids=repr)
def test_openspiel_reads_what_is_written(game):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_efg_game(to_efg(game))
    found = pyspiel.exploitability(theirs, pyspiel.UniformRandomPolicy(theirs))
    assert found == pytest.approx(exploitability(Strategy.uniform(game)), abs=1e-12)


def test_gambit_reads_what_is_written_and_is_read(tmp_path):
    gambit = pytest.importorskip("pygambit")
    save_efg(KuhnPoker(), tmp_path / "kuhn.efg")
    theirs = gambit.read_efg(str(tmp_path / "kuhn.efg"))
    found = gambit.nash.lp_solve(theirs, rational=True).equilibria[0]
    assert [found.payoff(player) for player in theirs.players] == [Fraction(-1, 18), Fraction(1, 18)]
    assert np.array_equal(unroll(EfgGame(theirs.to_efg())).utilities, unroll(KuhnPoker()).utilities)


def test_a_text_written_by_hand():
    game = EfgGame(POKER)
    assert (game.title, game.player_names) == ('One-card "poker"', ("Fred", "Alice"))
    assert game.hidden_information
    assert game.zero_sum
    solution = CFR(game).solve(iterations=2000)
    assert solution.values[0] == pytest.approx(1 / 3, abs=1e-3)  # raises with black one time in three
    assert solution.strategy.table(player=1).splitlines()[0].split() == ["Alice", "knows", "meet", "pass"]
    assert game.render(game.initial_state()).splitlines()[:4] == [
        "chance  <- here",
        "├─ red (0.5): Fred at red",
        "│  ├─ raise: Alice at set 4",
        "│  │  ├─ meet: 2",
    ]
    state = game.initial_state()
    assert game.information_text(state, 0) == "nothing yet"
    for action in "red", "raise", "pass":
        state = game.result(state, game.parse_action(state, action))
    assert game.information_text(state, 0) == "red, raise"
    assert game.information_text(state, 1) == "set 4, pass"
    assert repr(game) == repr(EfgGame(POKER + "\n\n")) != repr(EfgGame(POKER.replace("2e0", "3")))


def test_outcomes_on_the_way_add_up():
    text = HEAD + 'c "" 1 "" { "x" 1 } 1 "" { 1 2 } p "" 2 1 "" { "y" "z" } 2 "" { 10 20 } t "" 1 t "" 0'
    tree = unroll(EfgGame(text))
    assert tree.utilities.tolist() == [[12, 24], [11, 22]]
    assert EfgGame(text).utilities == (11, 24)


def test_names_that_are_empty_or_alike():
    game = EfgGame('EFG 2 R "" { "" "" } p "" 1 1 "" { "" "a" "a" } 0 t "" 0 t "" 0 t "" 0')
    assert game.player_names == ("player 1", "player 2")
    assert [game.action_name(game.initial_state(), action) for action in range(3)] == ["1", "a", "a #2"]
    two = EfgGame(HEAD + 'p "" 1 1 "x" { "l" "r" } 0 p "" 1 2 "x" { "l" } 0 t "" 0 t "" 0')
    assert two.set_names == ("x (set 1)", "x (set 2)")


@pytest.mark.nightly
def test_a_game_without_hidden_information_can_be_searched(tmp_path):
    path = tmp_path / "open.efg"
    save_efg(ExplicitTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), path)
    game = load_game(str(path))
    assert not game.hidden_information
    assert AlphaBeta(game).search().value == 3
    assert CFR(game).solve(iterations=3000).values[0] == pytest.approx(3, abs=1e-2)


def test_probabilities_sum_to_one_exactly():
    shares = [0.1, 0.2, 0.30000000000000004, 0.4]
    tree = ExplicitTree({"player": "chance", "children": [1, 2, 3, 4], "probabilities": shares})
    line = to_efg(tree).splitlines()[2]
    found = [Fraction(word) for word in line.split()[6:-2:2]]
    assert sum(found) == 1
    assert [float(share) for share in found] == pytest.approx(shares, abs=1e-15)
    third = ExplicitTree({"player": "chance", "children": [1, 2, 3]})
    assert '{ "1" 1/3 "2" 1/3 "3" 1/3 }' in to_efg(third)
    assert "0.00000000000000012345, -0.00000000000000012345" in to_efg(ExplicitTree([1.2345e-16, 1]))


class Compiled(KuhnPoker):
    """A small game that is unrolled by native code all the same."""

    compiled = True


@pytest.mark.nightly
def test_small_games_are_unrolled_by_the_interpreter_with_the_same_tree():
    tree, twin = unroll(KuhnPoker()), unroll(Compiled())
    arrays = [name for name, value in vars(twin).items() if isinstance(value, np.ndarray)]
    assert len(arrays) == 18
    for name in arrays:
        mine, other = getattr(tree, name), getattr(twin, name)
        assert (mine.dtype, mine.tolist()) == (other.dtype, other.tolist()), name


class CompiledEfg(EfgGame):
    """The same, however small."""

    compiled = True


def test_all_laws_hold_and_compiled_is_interpreted():
    report = check_game(CompiledEfg(to_efg(KuhnPoker())), playouts=20)
    assert (report.ok, report.compiled) == (True, True), report


ERRORS = {
    "": "line 1: an .efg file begins with EFG 2 R, not with the end of the file",
    "NFG 1": "begins with EFG 2 R, not with 'NFG'",
    "EFG 1 R": "not with '1'",
    'EFG 2 X ""': "EFG 2 is followed by R, not by 'X'",
    "EFG 2 R {": "line 1: expected the title of the game, in quotes, not '{'",
    'EFG 2 R "a" "b"': "the names of the players: expected '{', not '\"b\"'",
    'EFG 2 R "a" { }': "one player or more",
    HEAD: "line 2: the file ends where a node is expected",
    HEAD + '\n\nx "" 1': "line 4: 'x' instead of a node: c, p or t",
    HEAD + "t 1": "line 2: expected the name of the node, in quotes, not '1'",
    HEAD + 't "" x': "expected the number of an outcome, 0 for none, not 'x'",
    HEAD + 't "" 0 { 1 1 }': "outcome 0 means no outcome",
    HEAD + 't "" 1': "outcome 1 appears for the first time: its payoffs are missing",
    HEAD + 't "" 1 { 1 }': "outcome 1 has 1 payoffs for 2 players",
    HEAD + 't "" 1 { 1 1/0 }': "'1/0' divides by 0",
    HEAD + 't "" 1 { 1 nan }': "expected a payoff, a number such as 2, -0.5 or 1/3, not 'nan'",
    HEAD + 't "" 1 { 1 1': "not the end of the file",
    HEAD + 't "" 0\nt "" 0': "line 3: 't' after the last node",
    HEAD + 't "no end': "unclosed quote",
    HEAD + 'p "" 3 1 "" { "a" } 0': "player 3 of 2",
    HEAD + 'p "" 1 1 0': "information set 1 of player 1 appears for the first time: its actions are missing",
    HEAD + 'p "" 1 1 "" { } 0': "information set 1 of player 1 has no actions",
    HEAD + 'p "" 1 1 "" { "a" } 0': "the file ends where a node is expected: the one in line 2 has 0 of 1 children",
    HEAD + 'p "" 1 1 "" { "a" } 0\np "" 1 1 "" { "b" } 0': "line 3: information set 1 of player 1 differs from"
    " before: '' 'a', here '' 'b'",
    HEAD + 'p "" 1 1 "" { "a" } 1 { 1 1 }\nt "" 1 { 1 2 }': "line 3: outcome 1 differs from before",
    HEAD + 'c "" 1 "" { "a" 1/3 "b" 1/3 } 0': "the probabilities of chance event 1 sum to 0.6666666667, not to 1",
    HEAD + 'c "" 1 "" { "a" -1 "b" 2 } 0': "the probability '-1' is less than 0",
}


@pytest.mark.parametrize("text", ERRORS)
def test_what_is_wrong_is_said_with_its_line(text):
    with pytest.raises(RulesError) as caught:
        EfgGame(text)
    assert ERRORS[text] in str(caught.value)
    assert str(caught.value).startswith("line ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'EFG 2 R "" { "A" } t "a\nb" "c\nd"',
            "line 2: expected the number of an outcome, 0 for none, not '\"c\\nd\"'",
        ),
        (HEAD + 't "" ' + "9" * 10_000, "not '999999999999...9999999999999'"),
        (
            HEAD + f'p "" 1 1 "" {{ "a\nb" }} 0 p "" 1 1 "" {{ "{"c" * 10_000}" }} 0',
            "differs from before: '' 'a\\nb', here '' 'cccccccccccc...ccccccccccccc'",
        ),
    ],
)
def test_an_error_is_one_short_line(text, message):
    with pytest.raises(RulesError) as caught:
        EfgGame(text)
    assert str(caught.value).endswith(message)
    assert "\n" not in str(caught.value)


def test_errors_name_the_file(tmp_path):
    (tmp_path / "bad.efg").write_text(HEAD + "t x")
    with pytest.raises(RulesError, match=r"bad\.efg, line 2: expected the name of the node, in quotes, not 'x'"):
        load_efg(tmp_path / "bad.efg")
    (tmp_path / "binary.efg").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(RulesError, match=r"binary\.efg cannot be read"):
        load_efg(tmp_path / "binary.efg")
    with pytest.raises(RulesError, match=r"there is no file .*none\.efg"):
        load_game(str(tmp_path / "none.efg"))


def test_a_player_who_forgets():
    game = EfgGame(HEAD + 'p "" 1 1 "road" { "on" "off" } 0 p "" 1 1 0 t "" 0 t "" 0 t "" 0')
    with pytest.raises(RulesError, match=r"the same for player 0, 'road', in .*perfect recall"):
        unroll(game)
