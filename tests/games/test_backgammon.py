"""Backgammon against an obvious twin, OpenSpiel, GNU Backgammon's texts and the openings that players recommend."""

import random
from re import search

import pytest

from outplay import CHANCE, IllegalAction, RulesError, legal_actions
from outplay.compile.kernels import kernel
from outplay.games import Backgammon
from outplay.games.backgammon import DOUBLING, OFFERED, OPENING, ROLLING, ROLLS, Position, hitting, men_on, with_men

GAME = Backgammon()


@kernel
def listed(game, position):
    """The actions, as an array."""
    return game.actions(position)


@kernel
def played(game, position, action):
    return game.result(position, action)


@pytest.fixture(scope="module")
def actions_of():
    """The compiled `actions` of `GAME`, as an array."""
    return listed.prepare(GAME, GAME.initial_state())


@pytest.fixture(scope="module")
def play():
    """The compiled `result` of `GAME`."""
    return played.prepare(GAME, GAME.initial_state(), 0)


def board(position):
    """The men of each player on the own points from 1 on, and on the bar."""
    return tuple(
        tuple(men_on(position.near[player], position.far[player], point) for point in range(25)) for player in (0, 1)
    )


# -- the twin ---------------------------------------------------------------------------------------------------------


def moves_of_a_die(mine, theirs, die):
    """All that one die can do. Men are lists by point from 1 to 24; 25 is the bar, and 0 is off."""
    for start in range(25, 0, -1):
        if not mine[start] or (mine[25] and start < 25):
            continue
        end = start - die
        if end <= 0:
            farthest = max(point for point in range(26) if mine[point])
            if farthest > 6 or (end < 0 and start < farthest):
                continue
            end = 0
        if end and theirs[25 - end] >= 2:
            continue
        after, others = list(mine), list(theirs)
        after[start] -= 1
        after[end] += 1
        if end and others[25 - end]:
            others[25 - end] -= 1
            others[25] += 1
        yield after, others


def ways(mine, theirs, dice):
    """How many of `dice` are played in turn, and the men then; it stops where nothing can be done."""
    if dice and any(mine[1:]):
        moves = list(moves_of_a_die(mine, theirs, dice[0]))
        if moves:
            return [(1 + n, *rest) for after, others in moves for n, *rest in ways(after, others, dice[1:])]
    return [(0, mine, theirs)]


def twin_turns(mine, theirs, great, small):
    """The men of both players after every legal turn."""
    if great == small:
        found = ways(mine, theirs, [great] * 4)
    else:
        found = ways(mine, theirs, [great, small])
        found += [way for way in ways(mine, theirs, [small, great]) if way[0] == 2]
        if all(way[0] == 0 for way in found):  # the greater one cannot be played
            found += ways(mine, theirs, [small])
    most = max(way[0] for way in found)
    return {(tuple(mine[1:]), tuple(theirs[1:])) for n, mine, theirs in found if n == most}


def check_turns(game, position, actions, play):
    """The positions after a turn are those of the twin, each once."""
    great, small = ROLLS[position.dice]
    me, men = position.turn, board(position)
    mine, theirs = [0, *men[me]], [0, *men[1 - me]]
    found = [board(play(game, position, action)) for action in actions]
    assert len(set(found)) == len(found)
    assert {(men[me], men[1 - me]) for men in found} == twin_turns(mine, theirs, great, small)


def random_games(game, games, seed, actions_of, play):
    """The states of random games."""
    dice = random.Random(seed)
    for _ in range(games):
        position = game.initial_state()
        yield position, []
        while not game.is_terminal(position):
            position = play(game, position, dice.choice(actions_of(game, position).tolist()))
            yield position, actions_of(game, position).tolist()


@pytest.mark.nightly
def test_random_games_of_the_twin(actions_of, play):
    for position, actions in random_games(GAME, 40, 1, actions_of, play):
        if position.dice >= 0:
            check_turns(GAME, position, actions, play)


@pytest.mark.nightly
def test_interpreted_rules_are_the_same(actions_of):
    for position, actions in random_games(GAME, 2, 2, Backgammon.actions, Backgammon.result):
        if position.dice >= 0:
            check_turns(GAME, position, actions, Backgammon.result)
        assert actions == actions_of(GAME, position).tolist() or position.dice == OPENING


@pytest.mark.nightly
def test_hundreds_of_random_games_of_the_twin(actions_of, play):
    for position, actions in random_games(GAME, 300, 3, actions_of, play):
        if position.dice >= 0:
            check_turns(GAME, position, actions, play)


def position_with(mine, theirs, dice, game=GAME):
    """Player 0 to play `dice` with men on the own points that are keys of `mine`; 25 is the bar."""
    near, far = [0, 0], [0, 0]
    for player, men in enumerate((mine, theirs)):
        for point, number in men.items():
            near[player], far[player] = with_men(near[player], far[player], point - 1, number)
    return Position(tuple(near), tuple(far), 0, ROLLS.index(dice), 1, -1)


def names(position, game=GAME):
    return {game.action_name(position, action) for action in game.actions(position).tolist()}


@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "turns"),
    [
        ({25: 2, 1: 13}, {1: 2, 2: 2, 6: 11}, (2, 1), {"pass"}),  # 24 and 23 are closed
        ({25: 1, 6: 14}, {3: 2, 6: 13}, (5, 3), {"bar/20 6/3", "bar/17"}),  # 22 is
        ({12: 1, 1: 14}, {19: 2, 1: 13}, (5, 1), {"12/7"}),  # either die, not both: the greater one
        ({12: 1, 1: 14}, {19: 2, 18: 2, 1: 11}, (5, 1), {"12/11"}),  # the greater one cannot be played
        ({6: 1, 4: 2}, {1: 15}, (6, 5), {"6/off 4/off", "6/1 4/off"}),  # once 6 is empty, the farthest goes off
        ({24: 4}, {13: 2, 1: 13}, (3, 3), {"24/15 24/21", "24/18(2)", "24/18 24/21(2)", "24/21(4)"}),
        ({5: 2, 3: 1}, {1: 15}, (6, 6), {"5/off(2) 3/off"}),
        ({7: 1, 1: 14}, {1: 15}, (6, 1), {"7/off"}),
        ({6: 1, 2: 1}, {21: 1, 1: 14}, (4, 2), {"6/off", "6/4*/off"}),
    ],
)
def test_rules_at_a_glance(mine, theirs, dice, turns):
    assert names(position_with(mine, theirs, dice)) == turns


@pytest.mark.parametrize(
    ("men", "points"), [({6: 15}, 2), ({6: 14}, 1), ({6: 14, 19: 1}, 3), ({6: 14, 18: 1}, 2), ({6: 14, 25: 1}, 3)]
)
def test_points(men, points):
    """What the loser has left says what the winner gets."""
    for owner, worth in (-1, 1), (0, 2):
        position = position_with({}, men, (2, 1))._replace(dice=ROLLING, owner=owner, cube=worth)
        assert GAME.is_terminal(position)
        assert (GAME.utility(position, 0), GAME.utility(position, 1)) == (points * worth, -points * worth)
        jacoby = Backgammon(cube=True, jacoby=True)
        assert jacoby.utility(position, 1) == -(points * worth if owner >= 0 else 1)


def after(game, *names):
    position = game.initial_state()
    for name in names:
        position = game.result(position, game.parse_action(position, name))
    return position


def test_turns_are_read_in_any_usual_way():
    position = after(GAME, "3-1")
    assert {GAME.action_name(position, GAME.parse_action(position, text)) for text in ("8/5 6/5", "6/5, 8/5")} == {
        "8/5 6/5"
    }
    for text in "24/23/20", "24/21 21/20", "24/20", " 24/23  23/20 ":
        assert GAME.action_name(position, GAME.parse_action(position, text)) == "24/20"
    hitting = position_with({25: 1, 13: 2, 6: 12}, {3: 1, 6: 14}, (3, 1))
    for text in "bar/22* 6/5", "25/22 6/5", "Bar/22 6/5":
        assert GAME.action_name(hitting, GAME.parse_action(hitting, text)) == "bar/22* 6/5"
    off = position_with({6: 1, 2: 1}, {21: 1, 1: 14}, (4, 2))
    assert GAME.action_name(off, GAME.parse_action(off, "6/0")) == "6/off"
    assert GAME.action_name(off, GAME.parse_action(off, "6/4*/off")) == "6/4*/off"
    for position, text in (hitting, "13/9"), (hitting, ""), (hitting, "x"), (off, "6/2"), (off, "6/off(2)"):
        with pytest.raises(IllegalAction):
            GAME.parse_action(position, text)


def test_throws_are_read_in_any_usual_way():
    position = after(GAME, "3-1", "8/5 6/5")
    for text in "31", "1-3", "3 1", "3-1":
        assert GAME.action_name(position, GAME.parse_action(position, text)) == "3-1"
    assert [GAME.to_move(after(GAME, text)) for text in ("3-1", "13")] == [0, 1]
    with pytest.raises(IllegalAction):
        GAME.parse_action(GAME.initial_state(), "3-3")


# -- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("1-6",), "4HPwATDgc/ABMA:cAkHAAAAAAAE"),
        (("3-1", "8/5 6/5"), "sGfwATDgc/ABMA:cAkAAAAAAAAE"),
        (("3-1", "8/5 6/5", "double"), "sGfwATDgc/ABMA:cBEAAAAAAAAE"),
        (("3-1", "8/5 6/5", "double", "take"), "sGfwATDgc/ABMA:QQkAAAAAAAAE"),
    ],
)
def test_texts_of_gnu_backgammon(names, text):
    """As GNU Backgammon 1.07.001 shows them (`show board`), where its player 1 is on roll."""
    game = Backgammon(cube="double" in names)
    position = after(game, *names)
    assert game.parse_state(text) == position
    assert game.parse_state(game.state_text(position)) == position
    if names != ("1-6",):  # there with the dice in the order of their throw, and the Jacoby rule
        assert game.state_text(position) == text


@pytest.mark.parametrize("game", [GAME, Backgammon(cube=True, largest_cube=4, jacoby=True)], ids=repr)
def test_texts_of_random_games(game):
    for position, _ in random_games(game, 3, 5, Backgammon.actions, Backgammon.result):
        assert game.parse_state(game.state_text(position)) == position


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("4HPwATDgc/ABM", "a Position ID has 14 letters"),
        ("4HPwATDgc/ABMA:cAk", "a Match ID has 12 letters"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAAA:x", "perhaps :roll"),
        ("/////////////w", "80 men on 1"),
        ("AAAAAAAAAAAAgA", "after the men"),
        ("4HPwATDgc/ABMA:cAmgAAAAAAAA", "this is money play"),
        ("4HPwATDgc/ABMA:QQkAAAAAAAAE", "the game has no cube"),
        ("4HPwATDgc/ABMA:cAkdAAAAAAAA", "dice are two numbers"),
        ("4HPwATDgc/ABMA:cAoAAAAAAAAA", "the Match ID says the game is over"),
        ("AAAAAAAAAAAAAA", "there are no men"),
        ("no such state", "a Position ID has 14"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong):
        GAME.parse_state(text)


@pytest.mark.parametrize("parameters", [{"largest_cube": 3}, {"largest_cube": 0}, {"largest_cube": 1.5}])
def test_bad_parameters(parameters):
    with pytest.raises(RulesError, match="largest_cube"):
        Backgammon(cube=True, **parameters)


PICTURE = """\
 +13-14-15-16-17-18-+---+19-20-21-22-23-24-+
 |    O           X |   |                  |  O: 83 pips, 8 off
 |    O             |   |                  |
 |    O             |   |                  |
 |    O             |   |                  |
 |                  |   |                  |
 |                  |BAR|                  |  cube: 2, X's
 |                  |   |    6             |
 |                  |   |    X             |
 | O                |   |    X             |
 | O                | X |    X             |
 | O                | X |    X             |  X: 98 pips, 6 off
 +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+
X to throw or to double"""


def test_picture():
    men = {5: 6, 25: 2, 18: 1}, {11: 4, 13: 3}
    position = position_with(*men, (2, 1))._replace(dice=DOUBLING, cube=2, owner=0)
    assert Backgammon(cube=True).render(position) == PICTURE
    lines = Backgammon(cube=True).render(position._replace(turn=1, dice=ROLLS.index((3, 1)))).splitlines()
    assert lines[0] == " +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+"  # the points as O counts them
    assert lines[-1] == "O to move 3-1"


# -- the cube ---------------------------------------------------------------------------------------------------------


def test_the_cube():
    game = Backgammon(cube=True, largest_cube=4)
    assert game.utilities == (-12, 12)
    position = after(game, "3-1", "8/5 6/5")
    assert (position.dice, names(position, game), game.to_move(position)) == (DOUBLING, {"roll", "double"}, 1)
    position = after(game, "3-1", "8/5 6/5", "double")
    assert (position.dice, names(position, game), game.to_move(position)) == (OFFERED, {"take", "drop"}, 0)
    dropped = after(game, "3-1", "8/5 6/5", "double", "drop")
    assert game.is_terminal(dropped)
    assert (game.utility(dropped, 0), game.utility(dropped, 1)) == (-1, 1)
    taken = after(game, "3-1", "8/5 6/5", "double", "take")
    assert (taken.dice, taken.cube, taken.owner) == (ROLLING, 2, 0)
    owned = after(game, "3-1", "8/5 6/5", "double", "take", "3-1", "8/5 6/5")
    assert owned.dice == DOUBLING  # its owner, player 0
    passed = after(game, "3-1", "8/5 6/5", "double", "take", "3-1", "8/5 6/5", "roll", "2-1", "6/5 6/4")
    assert passed.dice == ROLLING  # the other one may not double
    again = game.result(owned, game.parse_action(owned, "double"))
    last = game.result(again, game.parse_action(again, "take"))
    assert (last.cube, last.owner) == (4, 1)
    moved = game.result(last, game.parse_action(last, "2-1"))
    assert game.result(moved, int(game.actions(moved)[0])).dice == ROLLING  # 8 would be too much


# -- the evaluation ---------------------------------------------------------------------------------------------------

OPENINGS = {
    "2-1": ("13/11 6/5", "24/23 13/11"),
    "3-1": ("8/5 6/5",),
    "3-2": ("24/21 13/11", "13/11 13/10"),
    "4-1": ("24/23 13/9", "13/9 6/5"),
    "4-2": ("8/4 6/4",),
    "4-3": ("24/20 13/10", "13/10 13/9", "24/21 13/9"),
    "5-1": ("24/23 13/8", "13/8 6/5"),
    "5-2": ("13/11 13/8", "24/22 13/8"),
    "5-3": ("8/3 6/3",),
    "5-4": ("24/20 13/8", "13/9 13/8"),
    "6-1": ("13/7 8/7",),
    "6-2": ("24/18 13/11",),
    "6-3": ("24/18 13/10", "24/15"),
    "6-4": ("24/14", "24/18 13/9", "8/2 6/2"),
    "6-5": ("24/13",),
}
"""The turns commonly recommended for the first throw: Tom Keith, "How to Play the Opening Rolls", bkgm.com, 2006."""


@kernel
def two_plies(game, position):
    """The best turn by what the other player can do after each throw: plain expectiminimax."""
    best, most = -1, -9.0
    for action in legal_actions(game, position):
        before, expected = game.result(position, action), 0.0
        for throw in legal_actions(game, before):
            thrown, least = game.result(before, throw), 9.0
            for reply in legal_actions(game, thrown):
                least = min(least, game.evaluate(game.result(thrown, reply), position.turn))
            expected += game.probability(before, throw) * least
        if expected > most:
            best, most = action, expected
    return best


@pytest.mark.nightly
def test_openings():
    recommended = 0
    for throw, turns in OPENINGS.items():
        position = after(GAME, throw)
        recommended += GAME.action_name(position, two_plies(GAME, position)) in turns
    assert recommended >= 14


def mirrored(position):
    """The same with the players exchanged."""
    near, far, turn, dice, cube, owner = position
    return Position(near[::-1], far[::-1], 1 - turn, dice, cube, owner if owner < 0 else 1 - owner)


@pytest.mark.parametrize("game", [GAME, Backgammon(cube=True, jacoby=True)], ids=repr)
def test_estimates(game):
    """They are of either player's view, and the same for both sides of the board."""
    for position, _ in random_games(game, 1, 4, Backgammon.actions, Backgammon.result):
        if not game.is_terminal(position) and position.dice != OPENING:
            estimate = game.evaluate(position, 0)
            assert -3 * position.cube < estimate < 3 * position.cube or position.dice == OFFERED
            assert game.evaluate(position, 1) == -estimate
            assert game.evaluate(mirrored(position), 1) == pytest.approx(estimate)


def test_estimates_know_who_wins():
    """A man against fourteen on the bar's side; and a race that is as good as won."""
    won = position_with({1: 2}, {24: 15}, (2, 1))._replace(dice=ROLLING)
    assert GAME.evaluate(won, 0) > 1.8  # a gammon at least
    race = position_with({6: 5, 5: 5, 4: 5}, {6: 5, 13: 10}, (2, 1))._replace(dice=ROLLING)
    assert GAME.evaluate(race, 0) > 0.9


def test_hitting_is_counted():
    """Throws of 36, as every book has them."""
    assert hitting(1 << 6, 1, 0) == 17  # six away: any six, 5-1, 4-2, 3-3, 2-2
    assert hitting(1 << 6, 1, 1 << 1 | 1 << 5 | 1 << 4 | 1 << 2 | 1 << 3) == 11  # all on the way is closed
    assert hitting(1 << 1, 1, 0) == 11  # one away
    assert hitting(1 << 12, 1, 0) == 3  # twelve: 6-6, 4-4, 3-3
    assert hitting(1 << 24, 1 << 18, 0) == 16  # from the bar, but for 2-2
    assert hitting(1, 0, 0) == 0


def test_double_or_drop_by_the_estimates():
    """Far ahead one doubles and the other drops; a little ahead, neither."""
    game = Backgammon(cube=True)
    ahead = position_with({6: 5, 5: 5, 4: 5}, {6: 5, 13: 10}, (2, 1))._replace(dice=DOUBLING)
    doubled = game.result(ahead, 1)
    taken, dropped = (game.result(doubled, action) for action in (0, 1))
    assert game.evaluate(taken, 1) < game.utility(dropped, 1)  # so it is right to drop
    even = after(game, "2-1", "13/11 6/5")
    even_doubled = game.result(even, 1)
    assert game.evaluate(game.result(even_doubled, 0), 0) > -1  # to take
    assert game.evaluate(even_doubled, 1) < game.evaluate(game.result(even, 0), 1)  # not to double


# -- OpenSpiel --------------------------------------------------------------------------------------------------------


def their_board(state):
    """The same in OpenSpiel, where player 0 moves up and 100 is the bar."""
    return tuple(
        (*(state.board(player, 23 - point if player == 0 else point) for point in range(24)), state.board(player, 100))
        for player in (0, 1)
    )


def their_turns(state):
    """The positions after a whole turn, each with the actions that lead there; a double is played in two halves there.

    Only turns with as many steps as can be, in case the first half of a double cuts the second one short.
    """
    player, found = state.current_player(), {}

    def follow(state, steps, way):
        for action in state.legal_actions():
            after = state.child(action)
            more = steps + sum(step.pos >= 0 for step in state.spiel_move_to_checker_moves(player, action))
            if after.current_player() == player:
                follow(after, more, (*way, action))
            else:
                found.setdefault(more, {})[their_board(after)] = (*way, action)

    follow(state, 0, ())
    return found[max(found)]


def against_openspiel(games, seed, actions_of, play):
    theirs = pytest.importorskip("pyspiel").load_game("backgammon(scoring_type=full_scoring)")
    dice, utilities = random.Random(seed), set()
    for _ in range(games):
        state, position = theirs.new_initial_state(), GAME.initial_state()
        while not state.is_terminal():
            assert not GAME.is_terminal(position)
            assert board(position) == their_board(state)
            assert GAME.to_move(position) == state.current_player()
            if GAME.to_move(position) == CHANCE:
                outcomes, chances = {}, dict.fromkeys(legal_actions(GAME, position), 0)
                for outcome, chance in state.chance_outcomes():
                    text = state.action_to_string(CHANCE, outcome)
                    small, great = sorted(search(r"roll: (\d)(\d)", text).groups())
                    name = f"{small}-{great}" if "O starts" in text else f"{great}-{small}"
                    action = GAME.parse_action(position, name)
                    outcomes[action] = outcome  # 3-1 and 1-3 are two there
                    chances[action] += chance
                for action, chance in chances.items():
                    assert GAME.probability(position, action) == pytest.approx(chance)
                action = dice.choice(sorted(outcomes))
                way = (outcomes[action],)
            else:
                turns = their_turns(state)
                ours = {board(play(GAME, position, action)): action for action in actions_of(GAME, position).tolist()}
                assert set(ours) == set(turns)
                assert len(ours) == len(actions_of(GAME, position))
                action = ours[chosen := dice.choice(sorted(ours))]
                way = turns[chosen]
            position = play(GAME, position, action)
            for part in way:
                state.apply_action(part)
        assert GAME.is_terminal(position)
        assert board(position) == their_board(state)
        assert state.returns() == [GAME.utility(position, player) for player in (0, 1)]
        utilities.add(GAME.utility(position, 0))
    return utilities


def test_openspiel(actions_of, play):
    assert len(against_openspiel(3, 1, actions_of, play)) > 1


@pytest.mark.nightly
def test_openspiel_hundreds_of_games(actions_of, play):
    assert against_openspiel(200, 2, actions_of, play) == {-3, -2, -1, 1, 2, 3}
