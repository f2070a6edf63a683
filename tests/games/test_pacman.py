"""Pac-Man against a plain twin on random maps, the examples of course notes, and plain minimax and expectimax."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import CHANCE, MCTS, AlphaBeta, IllegalAction, Limit, RulesError, kernel, legal_actions
from outplay.compile.random_numbers import new_random
from outplay.games import ExplicitTree, Pacman
from outplay.games.pacman import MAPS

WAYS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
BACK = {"north": "south", "south": "north", "east": "west", "west": "east", None: None}
SCORING = {"step": -1, "pellet": 10, "win": 500, "caught": -500, "ghost": 200}


class Twin:
    """Sets of places and a dict for each ghost, which has a timer of its own."""

    def __init__(self, text, *, stop=True, most_moves=300, scared_moves=40, **scoring):
        lines = text.strip("\n").split("\n")
        self.rows, self.columns = len(lines), len(lines[0])
        cells = {(y, x): letter for y, line in enumerate(lines) for x, letter in enumerate(line)}
        self.open = {place for place, letter in cells.items() if letter != "%"}
        self.pellets = {place for place, letter in cells.items() if letter == "."}
        self.capsules = {place for place, letter in cells.items() if letter == "o"}
        (self.pacman,) = (place for place, letter in cells.items() if letter == "P")
        homes = [place for place in sorted(cells) if cells[place] == "G"]
        self.ghosts = [{"home": home, "place": home, "came": None, "scared": 0} for home in homes]
        self.stop, self.most_moves, self.scared_moves = stop, most_moves, scared_moves
        self.points = SCORING | scoring
        self.score = self.moves = self.eaten = self.turn = 0
        self.caught = False

    def over(self):
        return self.caught or not self.pellets or (self.turn == 0 and self.moves == self.most_moves)

    def after(self, place, way):
        there = place[0] + WAYS[way][0], place[1] + WAYS[way][1]
        return there if there in self.open else None

    def legal(self):
        if self.turn == 0:
            ways = {way for way in WAYS if self.after(self.pacman, way)}
            return ways | {"stop"} if self.stop or not ways else ways
        ghost = self.ghosts[self.turn - 1]
        ways = {way for way in WAYS if self.after(ghost["place"], way)}
        if len(ways) > 1:
            ways -= {BACK[ghost["came"]]}
        return ways or {"stop"}

    def play(self, way):
        if self.turn == 0:
            if way != "stop":
                self.pacman = self.after(self.pacman, way)
            self.moves += 1
            self.score += self.points["step"]
            if self.pacman in self.pellets:
                self.pellets.remove(self.pacman)
                self.score += self.points["pellet"]
                if not self.pellets:
                    self.score += self.points["win"]
            if self.pacman in self.capsules:
                self.capsules.remove(self.pacman)
                for ghost in self.ghosts:
                    ghost["scared"] = self.scared_moves
            moved = self.ghosts
        else:
            ghost = self.ghosts[self.turn - 1]
            ghost["came"] = None
            if way != "stop":
                ghost["place"], ghost["came"] = self.after(ghost["place"], way), way
            ghost["scared"] = max(0, ghost["scared"] - 1)
            moved = [ghost]
        met = [ghost for ghost in moved if ghost["place"] == self.pacman]
        for ghost in met:
            if ghost["scared"]:
                ghost |= {"place": ghost["home"], "came": None, "scared": 0}
                self.score += self.points["ghost"]
                self.eaten += 1
            elif self.pellets and not self.caught:
                self.caught = True
                self.score += self.points["caught"]
        self.turn = (self.turn + 1) % (1 + len(self.ghosts))

    def text(self):
        def cell(place):
            return ("%", " ", ".", "o")[(place in self.open) + (place in self.pellets) + 2 * (place in self.capsules)]

        def name(place):
            return f"{place[0] + 1}:{place[1] + 1}"

        rows = ["".join(cell((y, x)) for x in range(self.columns)) for y in range(self.rows)]
        maze = re.sub(" +", lambda run: str(len(run[0])), "/".join(rows))
        ghosts = [
            name(ghost["place"]) + (ghost["came"] or " ")[0].strip() + "!" * (ghost["scared"] > 0)
            for ghost in self.ghosts
        ]
        scared = max((ghost["scared"] for ghost in self.ghosts), default=0)  # of those that have not moved yet
        if scared and not any(ghost["scared"] == scared for ghost in self.ghosts[self.turn - 1 if self.turn else 0 :]):
            scared += 1
        turn = "x" * self.caught + str(self.turn or "P")
        return " ".join(
            map(str, [maze, name(self.pacman), ",".join(ghosts) or "-", scared, self.moves, self.eaten, turn])
        )


@st.composite
def maps(draw):
    """A map with one Pac-Man, a pellet or more, and up to three ghosts, with and without walls around it."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(3, 8))
    cells = draw(st.lists(st.sampled_from("%%....o  "), min_size=rows * columns, max_size=rows * columns))
    ghosts = draw(st.integers(0, 3))
    places = draw(st.lists(st.integers(0, rows * columns - 1), min_size=2, max_size=2 + ghosts, unique=True))
    for place, letter in zip(places, "P.GGG", strict=False):
        cells[place] = letter
    return "\n".join("".join(cells[row * columns : (row + 1) * columns]) for row in range(rows))


def numbers(position):
    """All that may not get more: pellets and capsules."""
    return (*position.pellets, position.capsules)


options = st.fixed_dictionaries(
    {
        "stop": st.booleans(),
        "most_moves": st.integers(1, 40),
        "scared_moves": st.integers(1, 8),
        "step": st.integers(-3, 1),
        "pellet": st.integers(-2, 10),
        "win": st.integers(-50, 500),
        "caught": st.integers(-500, 50),
        "ghost": st.integers(-20, 200),
    }
)


@given(maps(), options, st.sampled_from(["adversarial", "random"]), st.integers(0, 2**32))
@settings(max_examples=150)
def test_random_games_of_the_twin_on_random_maps(text, parameters, ghosts, seed):
    dice, twin, game = random.Random(seed), Twin(text, **parameters), Pacman(text, ghosts, **parameters)
    position = game.initial_state()
    assert game.players == (1 if ghosts == "random" else 1 + len(twin.ghosts))
    while True:
        mover = CHANCE if twin.turn and ghosts == "random" else twin.turn
        assert (game.is_terminal(position), game.to_move(position)) == (twin.over(), mover)
        assert game.score(position) == twin.score
        assert game.state_text(position) == twin.text()
        assert game.parse_state(twin.text()) == position
        for player in range(game.players):
            assert game.utilities[0] <= game.evaluate(position, player) <= game.utilities[1]
            assert game.utilities[0] <= game.utility(position, player) <= game.utilities[1]
            assert game.utility(position, player) == (twin.score if player == 0 else -twin.score)
        if twin.over():
            assert list(legal_actions(game, position)) == []
            return
        actions = list(legal_actions(game, position))
        assert {game.action_name(position, action) for action in actions} == twin.legal()
        assert game.probability(position, actions[0]) == 1 / len(actions)
        chosen = dice.choice(sorted(twin.legal()))
        before, position = position, game.result(position, game.parse_action(position, chosen))
        twin.play(chosen)
        assert all(new & ~old == 0 for new, old in zip(numbers(position), numbers(before), strict=True))


GAMES = [Pacman(), Pacman("corridor"), Pacman("classic-like", "random", stop=False, most_moves=50)]


def test_more_pellets_than_one_word_holds():
    """130 pellets in three words, of which Pac-Man eats all."""
    game = Pacman("P" + "." * 130, win=0)
    position = game.initial_state()
    assert [bin(word).count("1") for word in position.pellets] == [63, 63, 4, 0]
    for eaten in range(131):
        assert game.score(position) == 9 * eaten
        assert game.is_terminal(position) == (eaten == 130)
        position = game.result(position, 1)


# -- what ends the game, and what it brings ---------------------------------------------------------------------------


def play(game, *names):
    position = game.initial_state()
    for name in names:
        position = game.result(position, game.parse_action(position, name))
    return position


def test_a_capsule_scares_for_so_many_moves_of_each_ghost():
    game = Pacman("%%%%%%%%\n%GoP   %\n%%%%%%. ", scared_moves=2)
    position = play(game, "w")
    assert (position.scared, position.afraid, game.score(position)) == (2, 1, -1)
    assert game.render(position).endswith("move 1 of 300, g scared for 2 moves\nghost 1, in line 2, column 2, to move")
    eaten = game.result(position, game.parse_action(position, "east"))
    assert (eaten.eaten, eaten.afraid, eaten.scared, game.score(eaten)) == (1, 0, 0, 199)
    assert game.state_text(eaten) == "%%%%%%%%/%6%/%%%%%%.1 2:3 2:2 0 1 1 P"
    late = Pacman("%%%%%%%%\n%GoP   %\n%%%%%%. ", scared_moves=1)  # its only move as a scared one
    assert play(late, "w", "e").caught


def test_the_last_pellet_wins_even_beside_a_ghost():
    game = Pacman("P.\n%G", ghosts="random")
    won = game.result(game.parse_state("1./%1 1:1 1:2n 0 0 0 P"), 1)
    assert (game.is_terminal(won), won.caught, game.score(won)) == (True, False, 509)
    assert "all pellets eaten" in game.render(won)


def test_the_ends_are_told():
    game = Pacman("fork", most_moves=1)
    assert "Pac-Man to move" in game.render(game.initial_state())
    assert game.render(play(game, "stop", "w")).endswith("score -1, move 1 of 1\nno moves are left")
    caught = Pacman("PG.")
    assert caught.render(play(caught, "e")).endswith("score -501, move 1 of 300\nPac-Man is caught")


def test_teams():
    assert (Pacman().players, Pacman().teams, Pacman().zero_sum) == (3, (0, 1, 1), True)
    assert (Pacman("rooms").players, Pacman("rooms").teams) == (2, ())
    assert (Pacman("corridor").players, Pacman("corridor").zero_sum, Pacman("corridor").has_chance) == (1, False, False)
    assert (Pacman(ghosts="random").players, Pacman(ghosts="random").has_chance) == (1, True)


# -- the examples of course notes, by plain search --------------------------------------------------------------------


@kernel
def solve(game, state, depth):
    """The value for Pac-Man: max over his actions, min over those of adversaries, the mean over those of chance."""
    if game.is_terminal(state):
        return float(game.utility(state, 0))
    if depth == 0:
        return float(game.evaluate(state, 0))
    mover = game.to_move(state)
    best, mean = -1e18 if mover == 0 else 1e18, 0.0
    for action in legal_actions(game, state):
        value = solve(game, game.result(state, action), depth - 1)
        if mover == CHANCE:
            mean += game.probability(state, action) * value
        elif mover == 0:
            best = max(best, value)
        else:
            best = min(best, value)
    return mean if mover == CHANCE else best


def values(game, state, depth=100):
    """The value of each action by name, compiled; the interpreted search agrees."""
    found = {}
    for action in legal_actions(game, state):
        after = game.result(state, action)
        found[game.action_name(state, action)] = solve(game, after, depth)
        assert solve.interpreted(game, after, depth) == pytest.approx(found[game.action_name(state, action)])
    return found


@pytest.mark.nightly
def test_the_corridor():
    """Straight to the pellet: +10 for it, and two steps, are 8; back first, 6 (CS 188, "Game trees")."""
    game = Pacman("corridor", win=0, most_moves=6)
    assert values(game, game.initial_state()) == {"east": 8, "west": 6, "stop": 7}
    assert AlphaBeta(game).search().value == 8
    assert game.action_name(game.initial_state(), AlphaBeta(game).search().action) == "east"


def test_the_adversarial_tree():
    """MAX over left and right, MIN over what the ghost does: left is worth -8, right -10 (CS 188, "Game trees")."""
    game = ExplicitTree({"children": [[-8, -5], [-10, 8]], "names": ["left", "right"]})
    assert values(game, game.initial_state()) == {"left": -8, "right": -10}


def twin_value(twin_moves, text, parameters, is_random):
    """The same by the twin, which plays every line from the start."""
    twin = Twin(text, **parameters)
    for way in twin_moves:
        twin.play(way)
    if twin.over():
        return twin.score
    below = [twin_value([*twin_moves, way], text, parameters, is_random) for way in sorted(twin.legal())]
    if twin.turn and is_random:
        return sum(below) / len(below)
    return min(below) if twin.turn else max(below)


def test_ghosts_that_hunt_and_ghosts_that_stroll():
    """In a blind alley Pac-Man is lost if the ghost comes in: nothing but chance lets him live."""
    text, parameters = "%...%%%%\n%.%G P %\n%...%%%%", {"most_moves": 4}
    found = {}
    for ghosts in ("adversarial", "random"):
        game = Pacman(text, ghosts, **parameters)
        found[ghosts] = max(values(game, game.initial_state()).values())
        assert found[ghosts] == pytest.approx(twin_value([], text, parameters, ghosts == "random"))
    assert found["adversarial"] == -501  # the sooner the better: each step costs
    assert found["random"] > -250


def test_the_estimate_plays_well():
    """Looking four plies ahead, Pac-Man beats ghosts that stroll: he nearly always eats all."""
    game, wins = Pacman("classic-like", "random"), 0
    for seed in range(5):
        dice, position = random.Random(seed), game.initial_state()
        while not game.is_terminal(position):
            actions = list(legal_actions(game, position))
            if game.to_move(position) == CHANCE:
                action = dice.choice(actions)
            else:
                worth = {action: solve(game, game.result(position, action), 3) for action in actions}
                action = max(actions, key=worth.get)
            position = game.result(position, action)
        wins += game.outcome(position) == "all pellets eaten"
    assert wins >= 4


@pytest.mark.nightly
def test_simulations_play_it():
    """Two steps to the last pellet before a ghost that is far away."""
    game = Pacman("P  .    G", "random")
    analysis = MCTS(game, seed=1).search(None, Limit(simulations=300))
    assert (game.action_name(analysis.state, analysis.action), analysis.value > 400) == ("east", True)


def test_the_estimate_sees_food_and_ghosts():
    game = Pacman("P  .\n%%%%\nG...")

    def estimate(text):
        return game.evaluate(game.parse_state(text), 0)

    assert estimate("3./%%%%/1... 1:3 3:4e 0 2 0 P") > estimate("3./%%%%/1... 1:2 3:4e 0 2 0 P")
    near = Pacman("P .G.o")
    by = [near.evaluate(near.parse_state(f"2.1.o 1:1 1:{column}w 0 0 0 P"), 0) for column in (2, 3, 4)]
    assert by == sorted(by)
    assert by[0] < by[-1]
    scared = [near.evaluate(near.parse_state(f"2.1.1 1:1 1:{column}w! 5 1 0 P"), 0) for column in (2, 3, 4)]
    assert scared == sorted(scared, reverse=True)
    assert scared[0] > scared[-1]


def test_what_is_tried_first():
    game = Pacman("%.%\nGP \n%%%")
    position = game.initial_state()
    orders = {
        game.action_name(position, action): game.order(position, action) for action in legal_actions(game, position)
    }
    assert orders["north"] > orders["east"] > orders["stop"]
    hunting = Pacman(". G P")
    position = play(hunting, "stop")
    assert hunting.order(position, 1) > hunting.order(position, 3)
    fleeing = Pacman(". G P o")
    position = fleeing.parse_state(".6 1:5 1:3! 5 2 0 1")
    assert fleeing.order(position, 3) > fleeing.order(position, 1)


def test_playouts_flee_eat_and_hunt():
    """Pac-Man goes where no ghost can catch him, and eats if he can; ghosts come nearer more often than not."""
    draws = new_random(1)

    def chosen(text, *names):
        game = Pacman(text)
        position = play(game, *names)
        return {game.action_name(position, game.playout_action(position, -1, draws)) for _ in range(60)}

    assert chosen("%.%\n P \n%.%") == {"north", "south"}
    assert chosen(".PG \n% %.") == {"west"}
    assert chosen(" PG \n% %.") == {"west", "south"}
    assert chosen("   .\n P%%\n % G") <= {"north", "west"}
    assert chosen("PG.") == {"east", "stop"}  # nowhere to go
    game = Pacman("P  G   .")
    position = play(game, "stop")
    ways = [game.playout_action(position, -1, draws) for _ in range(200)]
    assert ways.count(3) > 120 > ways.count(1) > 20


# -- maps and texts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAPS)
def test_every_pellet_of_the_named_maps_can_be_reached(name):
    game = Pacman(name)
    food = game.pellet_cell[: game.pellets]
    assert (game.distance[game.start][food] < game.cells).all()


def test_a_map_in_a_file(tmp_path):
    (tmp_path / "maze.txt").write_text("%%%%\n%P.%\n%%%%\n")
    game = Pacman(str(tmp_path / "maze.txt"))
    assert (game.cells, game.pellets) == (2, 1)
    (tmp_path / "bad.txt").write_text("%%%%\n%Px%\n%%%%\n")
    with pytest.raises(RulesError, match=r"bad.txt: line 2, column 3: 'x' is not one of"):
        Pacman(str(tmp_path / "bad.txt"))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("%%%\n%.%", "there is no P, a map needs one Pac-Man"),
        ("P \n  ", "there is no ., a map needs a pellet"),
        ("P. \n.P ", "line 2, column 2: a second P"),
        ("%%%%\n%P.\n%%%%", "line 2 has 3 cells, but line 1 has 4; all lines must have the same length"),
        ("P.\n.q", "line 2, column 2: 'q' is not one of % . o P G or a space"),
        ("smal", "there is no map and no text file of that name; known maps: corridor"),
        (3, "a text, a name of corridor, "),
        ("P" + "." * 300, "300 pellets; on this map there can be at most 252"),
        ("P." + "o" * 64, "64 capsules; on this map there can be at most 63"),
    ],
)
def test_broken_maps(text, wrong):
    with pytest.raises(RulesError, match=re.escape(wrong)):
        Pacman(text)


def test_as_many_ghosts_as_fit():
    game = Pacman("P." + "G" * 10)
    twin, position, dice = Twin("P." + "G" * 10), game.initial_state(), random.Random(1)
    while not twin.over():
        way = dice.choice(sorted(twin.legal()))
        position = game.result(position, game.parse_action(position, way))
        twin.play(way)
        assert game.state_text(position) == twin.text()
    with pytest.raises(RulesError, match="11 ghosts; on this map, with 13 open cells, there can be at most 9"):
        Pacman("P." + "G" * 11)


@pytest.mark.parametrize(
    ("parameters", "wrong"),
    [
        ({"ghosts": "fierce"}, "ghosts='fierce': ghosts must be"),
        ({"stop": 1}, "stop=1: stop must be True or False"),
        ({"most_moves": 0}, "most_moves=0"),
        ({"scared_moves": 0}, "scared_moves=0"),
        ({"win": 0.5}, "win=0.5"),
    ],
)
def test_wrong_parameters(parameters, wrong):
    with pytest.raises(RulesError, match=wrong):
        Pacman(**parameters)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("2..o 1:1 1:2 0 0 0", "6 words instead of 7"),
        ("2..o 1:1 1:2 0 x 0 P", "'x' is not a number"),
        ("2..o/5 1:1 1:2 0 0 0 P", "2 rows, but the map has 1"),
        ("3..o 1:1 1:2 0 0 0 P", "row 1, '3..o', has 6 cells, but the map 5"),
        ("2.q1 1:1 1:2 0 0 0 P", "line 1, column 4: 'q' is not one of"),
        ("2.%o 1:1 1:2 0 0 0 P", "line 1, column 4: a wall, unlike on the map"),
        (".1..o 1:1 1:2 0 0 0 P", "line 1, column 1: the map never had '.' there"),
        ("2.oo 1:1 1:2 0 0 0 P", "line 1, column 4: the map never had 'o' there"),
        ("2..o 1:9 1:2 0 0 0 P", "'1:9' is not an open cell"),
        ("2..o 1:3 1:2 0 0 0 P", "Pac-Man at 1:3 has not eaten what is there"),
        ("2..o 1:1 - 0 0 0 P", "'-': 0 ghosts, but the map has 1"),
        ("2..o 1:1 1:5w 0 0 0 P", "ghost 1:5w: it cannot have come west, from a wall"),
        ("2..o 1:1 1:5 0 0 0 P", "ghost 1:5: expected n, e, s or w after the cell"),
        ("2..o 1:1 1:2 0 0 0 2", "turn '2': expected one of P, 1, after an x if Pac-Man is caught"),
        ("2..o 1:1 1:2! 0 0 0 P", "scared 0: from 1 to 40 where a ghost has a !, else 0"),
        ("2..o 1:1 1:2 3 0 0 P", "scared 3: from 1"),
        ("2..o 1:1 1:2! 41 0 0 P", "scared 41: from 1"),
        ("2.2 1:1 1:2 0 0 0 P", "moves 0: from 1, the pellets eaten, to 300"),
        ("2..o 1:1 1:2 0 301 0 P", "moves 301"),
        ("2..o 1:1 1:2 0 1 1 P", "scared and eaten ghosts, 0 and 1: too few capsules are gone"),
        ("2..o 1:1 1:2! 3 1 0 P", "scared and eaten ghosts, 1 and 0: too few"),
        ("2..o 1:1 1:2 0 0 0 xP", "turn xP: no ghost has caught Pac-Man"),
    ],
)
def test_bad_states(text, wrong):
    with pytest.raises(RulesError, match=re.escape(wrong)) as raised:
        Pacman("PG..o").parse_state(text)
    assert str(raised.value).endswith("; such as 2..o 1:1 1:2 0 0 0 P")


def test_actions_are_read_in_any_usual_way():
    game = Pacman("rooms")
    position = game.initial_state()
    assert [game.parse_action(position, text) for text in ("e", " East", "W", "stop")] == [1, 1, 3, 4]
    with pytest.raises(IllegalAction, match=r"'south' is not a legal action here; .*legal: east, west, stop"):
        game.parse_action(position, "s")


def test_the_picture():
    game = Pacman("%%%%%%%\n%P.% o%\n%%%%% %\n%%%%%G%\n%%%%%%%")
    assert game.render(play(game, "stop", "n")) == (
        "┌─────┬─────┐\n"
        "│ C · │   o │\n"
        "└─────┴─┐ G │\n"
        "        │   │\n"
        "        └───┘\n"
        "score -1, move 1 of 300\n"
        "Pac-Man to move"
    )
