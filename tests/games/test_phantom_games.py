"""Games where players do not see each other's pieces: against OpenSpiel, against all pasts counted one by one."""

import random
from collections import Counter, defaultdict
from itertools import product
from math import sqrt

import numpy as np
import pytest

from outplay import RulesError, kernel, legal_actions
from outplay.compile.random_numbers import new_random
from outplay.games import Battleship, DarkHex, PhantomTicTacToe


def ships(columns, rows, sizes, values, shots, loss_multiplier=1, repeats="false"):
    """OpenSpiel's name of a game of Battleship."""
    return (
        f"battleship(board_height={rows},board_width={columns},ship_sizes={sizes},ship_values={values},"
        f"num_shots={shots},loss_multiplier={loss_multiplier}.0,allow_repeated_shots={repeats})"
    )


THEIRS = {
    PhantomTicTacToe(): "phantom_ttt",
    PhantomTicTacToe("attempts"): "phantom_ttt(obstype=reveal-numturns)",
    PhantomTicTacToe(abrupt=True): "phantom_ttt(gameversion=abrupt)",
    PhantomTicTacToe("attempts", abrupt=True): "phantom_ttt(gameversion=abrupt,obstype=reveal-numturns)",
    DarkHex(2, 2): "dark_hex(num_cols=2,num_rows=2)",
    DarkHex(2, 2, abrupt=True): "dark_hex(num_cols=2,num_rows=2,gameversion=adh)",
    DarkHex(2, 3, "attempts"): "dark_hex(num_cols=2,num_rows=3,obstype=reveal-numturns)",
    DarkHex(3, 2, abrupt=True): "dark_hex(num_cols=3,num_rows=2,gameversion=adh)",
    DarkHex(): "dark_hex",
    DarkHex(4, 3): "dark_hex(num_cols=4,num_rows=3)",
    Battleship(): ships(3, 2, "[2]", "[1]", 3),
    Battleship(3, 2, (1, 2), (2, 0.5), 6): ships(3, 2, "[1;2]", "[2;0.5]", 6),
    Battleship(2, 2, (2, 1), (1, 3), 4, repeats=True, loss_multiplier=2): ships(2, 2, "[2;1]", "[1;3]", 4, 2, "true"),
    Battleship(3, 3, (2, 3, 2), (), 9): ships(3, 3, "[2;3;2]", "[1;1;1]", 9),
    Battleship(2, 1, (1,), (), 3, repeats=True): ships(2, 1, "[1]", "[1]", 3, 1, "true"),
}
"""Our game, and what OpenSpiel calls it."""
GAMES = list(THEIRS)
PHANTOM = [game for game in GAMES if not isinstance(game, Battleship)]
SMALL = [GAMES[4], GAMES[5], GAMES[14]]
each_game = pytest.mark.parametrize("game", GAMES, ids=repr)
each_compiled = pytest.mark.parametrize("game", [*GAMES[:3], *GAMES[5:7], GAMES[8], *GAMES[11:13]], ids=repr)


def known_there(game, state, player):
    """OpenSpiel's text of what a player knows, with whose turn it is, which outplay tells and OpenSpiel does not."""
    text = state.information_state_string(player)
    if isinstance(game, DarkHex) and not game.tells:  # the number of all tries so far is in it, whatever is revealed
        board, count, tries = text.rsplit("\n", 2)
        assert int(count) == len(state.history())
        text = board + tries
    return player, text, "over" if state.is_terminal() else state.current_player()


def random_games(game, games, seed):
    """The states and actions of games played at random."""
    dice = random.Random(seed)
    for _ in range(games):
        states, actions = [game.initial_state()], []
        while not game.is_terminal(states[-1]):
            actions.append(dice.choice(list(legal_actions(game, states[-1]))))
            states.append(game.result(states[-1], actions[-1]))
        yield states, actions


# -- obvious twins ----------------------------------------------------------------------------------------------------


class PhantomTwin:
    """Whose stone is where, and what each player has tried, by (row, column) from the first row on."""

    def __init__(self, game):
        self.game, self.stones, self.tried, self.turn, self.result = game, {}, ([], []), 0, None

    def options(self):
        cells = product(range(self.game.rows), range(self.game.columns))
        tried = [cell for cell, _ in self.tried[self.turn]]
        return [] if self.result else [(row, column) for row, column in cells if (row, column) not in tried]

    def name(self, cell):
        return f"{'abcdefgh'[cell[1]]}{cell[0] + 1}"

    def play(self, cell):
        is_free = cell not in self.stones
        self.stones.setdefault(cell, self.turn)
        self.tried[self.turn].append((cell, is_free))
        if self.wins(self.turn):
            self.result = (1, -1) if self.turn == 0 else (-1, 1)
        elif len(self.stones) == self.game.cells:
            self.result = (0, 0)
        elif is_free or self.game.abrupt:
            self.turn = 1 - self.turn

    def wins(self, player):
        own = {cell for cell, owner in self.stones.items() if owner == player}
        if isinstance(self.game, DarkHex):
            return is_connected(self.game, own, player)
        rows = [[(i, j) for j in range(3)] for i in range(3)]
        lines = [*rows, *zip(*rows, strict=True), [(i, i) for i in range(3)], [(i, 2 - i) for i in range(3)]]
        return any(own.issuperset(line) for line in lines)

    def known(self, player):
        """The tries of a player, as `information_text` has them."""
        return " ".join(self.name(cell) + "!" * (not is_free) for cell, is_free in self.tried[player]) or "nothing"


class BattleshipTwin:
    """Sets of cells for ships; shots with what they hit, by (row, column)."""

    def __init__(self, game):
        self.game, self.fleets, self.shots, self.turn, self.result = game, ([], []), ([], []), 0, None

    def places(self, size):
        rows, columns = self.game.rows, self.game.columns
        for (row, column), (down, right) in product(product(range(rows), range(columns)), [(0, 1), (1, 0)]):
            cells = [(row + i * down, column + i * right) for i in range(size)]
            if cells[-1][0] < rows and cells[-1][1] < columns and (size > 1 or right):
                yield cells

    def has_room(self, fleet):
        if len(fleet) == len(self.game.ships):
            return True
        taken = {cell for ship in fleet for cell in ship}
        places = self.places(self.game.ships[len(fleet)])
        return any(taken.isdisjoint(cells) and self.has_room([*fleet, cells]) for cells in places)

    def options(self):
        if self.result:
            return []
        fleet, shots = self.fleets[self.turn], [cell for cell, _ in self.shots[self.turn]]
        if len(fleet) == len(self.game.ships):
            cells = product(range(self.game.rows), range(self.game.columns))
            return [[cell] for cell in cells if self.game.repeats or cell not in shots]
        taken = {cell for ship in fleet for cell in ship}
        places = self.places(self.game.ships[len(fleet)])
        return [cells for cells in places if taken.isdisjoint(cells) and self.has_room([*fleet, cells])]

    def name(self, cells):
        return "-".join(dict.fromkeys(f"{'abcdefgh'[column]}{row + 1}" for row, column in (cells[0], cells[-1])))

    def play(self, cells):
        fleet, shots = self.fleets[self.turn], self.shots[self.turn]
        if len(fleet) < len(self.game.ships):
            fleet.append(cells)
        else:
            hit = {cell for cell, _ in shots} | set(cells)
            (told,) = [ship for ship in self.fleets[1 - self.turn] if cells[0] in ship] or [None]
            shots.append((cells[0], "water" if told is None else "sunk" if hit.issuperset(told) else "hit"))
            lost = [0, 0]
            for player, fleet in enumerate(self.fleets):
                hit = {cell for cell, _ in self.shots[1 - player]}
                lost[player] = sum(
                    value for value, ship in zip(self.game.values, fleet, strict=True) if hit >= set(ship)
                )
            is_last = self.turn == 1 and len(shots) == self.game.shots
            if is_last or max(lost) == sum(self.game.values):
                self.result = tuple(lost[1 - i] - self.game.loss_multiplier * lost[i] for i in (0, 1))
        self.turn = 1 - self.turn

    def known(self, player):
        """The shots of a player, as `information_text` has them."""
        return ", ".join(f"{self.name([cell])} {told}" for cell, told in self.shots[player])


@each_game
def test_random_games_of_the_twin(game):
    dice = random.Random(1)
    for _ in range(40):
        twin, state = (BattleshipTwin if isinstance(game, Battleship) else PhantomTwin)(game), game.initial_state()
        while options := twin.options():
            assert not game.is_terminal(state)
            assert game.to_move(state) == twin.turn
            names = [game.action_name(state, action) for action in legal_actions(game, state)]
            assert sorted(names) == sorted(map(twin.name, options))
            option = dice.choice(options)
            state = game.result(state, game.parse_action(state, twin.name(option)))
            twin.play(option)
            for player in (0, 1):
                assert twin.known(player) in game.information_text(state, player)
        assert game.is_terminal(state)
        assert tuple(game.utility(state, player) for player in (0, 1)) == twin.result


# -- against OpenSpiel ------------------------------------------------------------------------------------------------


@each_game
def test_openspiel_has_the_same_rules_and_tells_players_the_same(game):
    spiel = pytest.importorskip("pyspiel").load_game(THEIRS[game])
    ours, theirs = {}, {}  # information by OpenSpiel's text, and the other way round
    for states, actions in random_games(game, 500, seed=1):
        state = spiel.new_initial_state()
        for board, action in zip(states, [*actions, None], strict=True):
            assert game.is_terminal(board) == state.is_terminal()
            for player in (0, 1):
                known, information = known_there(game, state, player), (player, game.information(board, player))
                assert ours.setdefault(known, information) == information
                assert theirs.setdefault(information, known) == known
            if action is not None:
                assert game.to_move(board) == state.current_player()
                assert sorted(legal_actions(game, board)) == state.legal_actions()
                state.apply_action(action)
        assert [game.utility(states[-1], player) for player in (0, 1)] == state.returns()


def information_sets(game, board, sets):
    """Fill `sets`, by player and information, with the pasts of all states where the player is to move."""
    todo = [(board, (None, None))]
    while todo:
        board, pasts = todo.pop()
        if not game.is_terminal(board):
            player = game.to_move(board)
            information = game.information(board, player)
            sets[player, information].add(pasts[player])
            for action in legal_actions(game, board):
                after = (information, action)
                todo.append((game.result(board, action), (after, pasts[1]) if player == 0 else (pasts[0], after)))


def texts_there(game, state, texts):
    if not state.is_terminal():
        texts.add(known_there(game, state, state.current_player()))
        for action in state.legal_actions():
            texts_there(game, state.child(action), texts)


@pytest.mark.parametrize("game", SMALL, ids=repr)
def test_all_information_sets(game):
    """As many as OpenSpiel has, and in each the player has the same past (perfect recall)."""
    sets, texts = defaultdict(set), set()
    information_sets(game, game.initial_state(), sets)
    assert all(len(pasts) == 1 for pasts in sets.values())
    texts_there(game, pytest.importorskip("pyspiel").load_game(THEIRS[game]).new_initial_state(), texts)
    assert len(sets) == len(texts) > 20


# -- determinize ------------------------------------------------------------------------------------------------------


def pasts(game, states, actions, player):
    """How likely each state is that looks like the last of `states` to `player`, who sees no state that is over.

    By playing all that the other player may have done; what `player` does is known.
    """
    target = game.information(states[-1], player)
    own = [a for s, a in zip(states, actions, strict=False) if game.to_move(s) == player]
    seen = slice(1, 4 if isinstance(game, Battleship) else 3)  # of the information, what one's own actions change
    known = {game.information(s, player)[seen] for s in states}
    found = Counter()

    def follow(board, weight, played):
        if game.is_terminal(board):
            return
        if game.information(board, player) == target:
            found[board] += weight
        options = list(legal_actions(game, board))
        mine = game.to_move(board) == player
        for action in own[played : played + 1] if mine else options:
            after = game.result(board, action)
            if not mine or game.information(after, player)[seen] in known:
                follow(after, weight / len(options), played + mine)

    follow(game.initial_state(), 1.0, 0)
    return found


def is_fair(drawn, likely, number):
    """Whether `drawn`, a counter of `number` draws, fits the weights `likely`: Pearson's chi-square."""
    assert set(drawn) <= set(likely)
    total, rest, square, cells = sum(likely.values()), [0.0, 0], 0.0, -1
    for state, weight in likely.items():
        expected = number * weight / total
        if expected < 5:  # too rare to count alone
            rest[0] += expected
            rest[1] += drawn[state]
        else:
            square += (drawn[state] - expected) ** 2 / expected
            cells += 1
    if rest[0] > 0:
        square += (rest[1] - rest[0]) ** 2 / rest[0]
        cells += 1
    if cells <= 0:
        return True
    spread = 2 / (9 * cells)  # Wilson and Hilferty: a cube root that is nearly normal
    return ((square / cells) ** (1 / 3) - 1 + spread) / sqrt(spread) < 4.5


@kernel
def deal(game, state, player, random):
    return game.determinize(state, player, random)


@kernel
def know(game, state, player):
    return game.information(state, player)


@pytest.mark.sample(1)
@pytest.mark.filterwarnings("error")  # a game that does not compile warns
@each_compiled
def test_determinize_is_as_likely_as_random_play(game):
    compared = 0
    generator = new_random(1)
    native = deal.prepare(game, game.initial_state(), 0, generator)
    for seed, (states, actions) in enumerate(random_games(game, 12, seed=5)):
        dice = random.Random(seed)
        length = dice.randrange(1, min(len(states), 10))
        player = dice.randrange(2)
        likely = pasts(game, states[:length], actions[: length - 1], player)
        assert likely[states[length - 1]] > 0
        if len(likely) <= 600:
            number = 3000 if len(likely) < 100 else 20_000
            drawn = Counter(native(game, states[length - 1], player, generator) for _ in range(number))
            assert is_fair(drawn, likely, number), (states[length - 1], player)
            compared += len(likely) > 1
    assert compared >= 4


def test_the_test_of_fairness_notices_a_bias():
    dice = random.Random(1)
    fair = Counter(dice.randrange(6) for _ in range(3000))
    loaded = Counter(dice.choice([0, 0, 1, 2, 3, 4, 5, 5]) for _ in range(3000))
    assert is_fair(fair, dict.fromkeys(range(6), 1.0), 3000)
    assert not is_fair(loaded, dict.fromkeys(range(6), 1.0), 3000)


@pytest.mark.sample(2)
@each_compiled
def test_compiled_and_interpreted_rules_deal_and_tell_the_same(game):
    """And what is dealt looks the same to the player, and is a state that the rules can reach."""
    first, second = new_random(7), new_random(7)
    for states, _ in random_games(game, 6, seed=3):
        for state in states:
            for player in (0, 1):
                dealt = game.determinize(state, player, first)
                assert dealt == deal(game, state, player, second)
                information = game.information(state, player)
                assert know(game, state, player) == game.information(dealt, player) == information
                assert game.is_terminal(dealt) == game.is_terminal(state)
                assert game.to_move(dealt) == game.to_move(state)
                assert all(type(n) is int for part in dealt for n in (part if isinstance(part, tuple) else (part,)))


def replayed(game, state):
    """The state again, from what each player has tried: in a turn, tries until one is free, or one if abrupt."""
    tries = [game.in_order(state.order[player], state.tried[player].bit_count()).tolist() for player in (0, 1)]
    again = game.initial_state()
    while tries[again.turn] and again.winner < 0:
        again = game.result(again, tries[again.turn].pop(0))
    assert tries == [[], []]
    return again


@pytest.mark.parametrize("game", [PhantomTicTacToe("attempts"), DarkHex(3, 2), DarkHex(5, 4, abrupt=True)], ids=repr)
def test_what_is_dealt_can_be_played(game):
    """By both players, who try what they have tried."""
    generator = new_random(9)
    for states, _ in random_games(game, 10, seed=4):
        for state in states:
            assert replayed(game, state) == state
            for player in (0, 1):
                dealt = game.determinize(state, player, generator)
                assert replayed(game, dealt) == dealt


# -- who has won ------------------------------------------------------------------------------------------------------


def is_connected(game, own, player):
    """Whether a chain connects both sides, from a set of (row, column)."""
    reached = todo = {place for place in own if place[player] == 0}
    while todo:
        around = {(y + dy, x + dx) for y, x in todo for dy, dx in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))}
        todo = around & own - reached
        reached = reached | todo
    return any(place[player] == (game.rows, game.columns)[player] - 1 for place in reached)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (5, 1), (2, 5), (4, 4), (5, 4), (4, 5), (20, 1)])
def test_chains_of_dark_hex(shape):
    game, dice = DarkHex(*shape), random.Random(1)
    for _ in range(500):
        stones = dice.getrandbits(game.cells) | dice.getrandbits(game.cells)
        for player in (0, 1):
            own = {divmod(cell, game.columns) for cell in range(game.cells) if stones >> cell & 1}
            assert game.has_won(stones, player) == is_connected(game, own, player)
    full = game.all
    for _ in range(200):  # one of them always wins, never both
        stones = dice.getrandbits(game.cells)
        assert game.has_won(stones, 0) != game.has_won(full & ~stones, 1)


# -- Battleship -------------------------------------------------------------------------------------------------------


def test_a_ship_leaves_room_for_those_to_come():
    """On 3 x 1 cells a ship of one cell cannot lie in the middle if one of two is to follow."""
    game = Battleship(3, 1, (1, 2), shots=3)
    assert [game.action_name(game.initial_state(), action) for action in game.actions(game.initial_state())] == [
        "a1",
        "c1",
    ]


def test_how_likely_fleets_are():
    """On 3 x 2 cells a ship of two has 5 places beside one in a corner, 4 beside one between corners."""
    game = Battleship(3, 2, (1, 2), shots=1)
    corners = 0b101101
    first = [game.places[0, fleet // 12] & corners > 0 for fleet in game.fleets]
    assert first.count(True) == 4 * 5
    assert first.count(False) == 2 * 4
    assert np.allclose(game.chances, [1 / 30 if is_corner else 1 / 24 for is_corner in first])


def test_texts_of_battleship():
    game = Battleship(2, 2, (1, 2), shots=4)
    board, told = game.initial_state(), []
    for name in "A1", "b2", "a2-b2", "a1-b1", "b1", " a2", "b2", "a1", "a1":
        board = game.result(board, game.parse_action(board, name))
        told.append(game.information_text(board, 0))
    assert told[0] == "ships a1; player 1 to move"
    assert told[-1] == "ships a1 a2-b2; shots b1 hit, b2 sunk, a1 sunk; shot at a2, a1; the game is over"
    assert game.render(board) == "  a b     a b\n1 * .   1 * *\n2 * B   2 . *\nplayer 0 wins by 1"
    assert [game.utility(board, player) for player in (0, 1)] == [1, -1]


# -- for people -------------------------------------------------------------------------------------------------------


def test_texts():
    game = PhantomTicTacToe("attempts")
    board = game.initial_state()
    assert game.information_text(board, 1) == ".../.../... O: nothing; X: nothing; X to move"
    for square in "B2", "b2", " a1", "a1", "c3":
        board = game.result(board, game.parse_action(board, square))
    assert game.information_text(board, 0) == "..X/.X./O.. X: b2 a1! c3; O: !+; O to move"
    assert game.information_text(board, 1) == ".../.X./O.. O: b2! a1; X: +!+"
    for square in "c1", "a3":
        board = game.result(board, game.parse_action(board, square))
    told = ["X has tried b2 a1! c3 a3", "O has tried b2! a1 c1", "O to move"]
    assert game.render(board).splitlines()[-3:] == told
    board = game.result(board, game.parse_action(board, "b1"))
    assert game.information_text(board, 0).endswith("; the game is over")
    assert game.render(board).splitlines()[-1] == "O wins"
    assert game.information(board, 0)[0] == -1


@each_game
def test_texts_tell_information_sets_apart(game):
    texts, known = {}, {}
    for states, _ in random_games(game, 100, seed=8):
        for state in states:
            for player in (0, 1):
                text, information = (player, game.information_text(state, player)), game.information(state, player)
                assert texts.setdefault(text, information) == information
                assert known.setdefault((player, information), text) == text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PhantomTicTacToe("all"), 'reveal=\'all\': reveal must be "nothing" or "attempts"'),
        (lambda: DarkHex(0), "columns=0: columns must be a whole number from 1 to 20"),
        (lambda: Battleship(ships=()), r"ships=\(\): at least one ship is needed"),
        (lambda: Battleship(ships=2), "ships=2: at least one ship is needed"),
        (lambda: Battleship(values=1), "values=1: values must be a number above 0 for each of 1 ships"),
        (lambda: Battleship(values=("a",)), "a number above 0 for each of 1 ships"),
        (lambda: Battleship(loss_multiplier=None), "loss_multiplier=None: loss_multiplier must be a number from 0 up"),
        (lambda: Battleship(ships=(2, 4)), r"ships\[1\]=4: ships\[1\] must be a whole number from 1 to 3"),
        (lambda: Battleship(ships=(3, 3, 1)), r"ships=\(3, 3, 1\): they do not fit on 3 x 2 cells"),
        (lambda: Battleship(values=(1, 2)), r"values=\(1, 2\): values must be a number above 0 for each of 1 ships"),
        (lambda: Battleship(values=(-1,)), "a number above 0"),
        (lambda: Battleship(shots=7), "shots=7: shots must be a whole number from 1 to 6"),
        (lambda: Battleship(5, 5, shots=14), "shots=14: too many for 25 cells"),
        (lambda: Battleship(7, 7, (2, 3, 4)), "more than 100,000 ways to place them"),
        (lambda: Battleship(8, 8), "columns=8, rows=8: a board has at most 60 cells"),
        (
            lambda: Battleship(loss_multiplier=float("nan")),
            "loss_multiplier=nan: loss_multiplier must be a number from 0 up",
        ),
        (lambda: DarkHex(5, 5), "columns=5, rows=5: a board has at most 20 cells"),
    ],
)
def test_parameters_out_of_range(make, message):
    with pytest.raises(RulesError, match=message):
        make()
