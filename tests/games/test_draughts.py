"""English and international draughts against slow, obvious twins, published counts and positions with known moves."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import AlphaBeta, IllegalAction, Limit, RulesError, legal_actions, state_key
from outplay.compile.kernels import kernel
from outplay.games import EnglishDraughts, InternationalDraughts
from outplay.games.draughts import Position
from outplay.rules.repetition import final
from outplay.search.perft import perft

ENGLISH, INTERNATIONAL = EnglishDraughts(), InternationalDraughts()
each_game = pytest.mark.parametrize("game", [ENGLISH, INTERNATIONAL], ids=repr)
seeds = st.integers(0, 2**32 - 1)


def names(game, state):
    return sorted(game.action_name(state, action) for action in legal_actions(game, state))


def moves(game, text):
    return names(game, game.parse_state(text))


def after(game, text, *actions):
    state = game.parse_state(text)
    for name in actions:
        state = game.result(state, game.parse_action(state, name))
    return game.state_text(state)


# -- published counts -------------------------------------------------------------------------------------------------

COUNTS = {
    ENGLISH: [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128],
    INTERNATIONAL: [9, 81, 658, 4265, 27117, 167140, 1049442, 6483961, 41022423, 258895763],
}
"""As published by Aart Bik (aartbik.blogspot.com), and for many programs before.

His English counts are of ways to move: from ply 12 on (388 623 673) a round trip counts twice, here once (388 617 999).
"""


@pytest.mark.sample(1)
@each_game
def test_counts(game):
    for depth, lines in enumerate(COUNTS[game][:7], start=1):
        assert perft(game, depth).lines == lines


@pytest.mark.nightly
@each_game
def test_deeper_counts(game):
    for depth, lines in enumerate(COUNTS[game], start=1):
        assert perft(game, depth).lines == lines


# -- obvious twins ----------------------------------------------------------------------------------------------------


class Twin:
    """A board as a dict of squares (row, column), row 0 at the top, and letters: w and b, capital letters for kings."""

    def __init__(self, game):
        self.english = isinstance(game, EnglishDraughts)
        self.size = 8 if self.english else 10
        self.board = {}
        for number in range(1, self.size**2 // 2 + 1):
            square = self.square(number)
            if square[0] < self.size // 2 - 1:
                self.board[square] = "b"
            if square[0] > self.size // 2:
                self.board[square] = "w"
        self.turn = "b" if self.english else "w"
        self.idle = 0

    def square(self, number):
        row, place = divmod(number - 1, self.size // 2)
        return row, 2 * place + (row + 1) % 2

    def number(self, square):
        row, column = square
        return row * (self.size // 2) + column // 2 + 1

    def inside(self, square):
        return 0 <= square[0] < self.size and 0 <= square[1] < self.size

    def forward(self):
        return 1 if self.turn == "b" else -1

    def last_row(self):
        return self.size - 1 if self.turn == "b" else 0

    def walk(self, square, way):
        """The squares of the board in one direction."""
        found = []
        while self.inside(square := (square[0] + way[0], square[1] + way[1])):
            found.append(square)
        return found

    def ways(self, piece, capturing):
        backwards = piece.isupper() or (capturing and not self.english)
        return [(down, right) for down in (1, -1) for right in (1, -1) if backwards or down == self.forward()]

    def flies(self, piece):
        return piece.isupper() and not self.english

    def jumps(self, board, square, piece, taken):
        """What one jump can take, and where it can end."""
        for way in self.ways(piece, True):
            line = self.walk(square, way)
            distance = 0
            while self.flies(piece) and distance < len(line) and line[distance] not in board:
                distance += 1
            if distance >= len(line):
                continue
            victim = line[distance]
            if victim not in board or board[victim].lower() == self.turn or victim in taken:
                continue
            for end in line[distance + 1 :]:
                if end in board:
                    break
                yield victim, end
                if not self.flies(piece):
                    break

    def captures(self, board, path, piece, taken):
        """All captures, to their ends, that begin like this: the squares on the way, and what is taken."""
        found = []
        is_crowned = self.english and piece.islower() and path[-1][0] == self.last_row()
        for victim, end in [] if is_crowned else self.jumps(board, path[-1], piece, taken):
            found += self.captures(board, [*path, end], piece, [*taken, victim])
        return found or ([(path, frozenset(taken))] if taken else [])

    def moves(self):
        """The legal moves: the first and the last square and what is taken, each with one of its paths."""
        if self.idle >= (80 if self.english else 50):
            return {}
        captures, steps = {}, {}
        for square, piece in self.board.items():
            if piece.lower() != self.turn:
                continue
            without = {other: found for other, found in self.board.items() if other != square}
            for path, taken in self.captures(without, [square], piece, []):
                captures.setdefault((square, path[-1], taken), path)
            for way in self.ways(piece, False):
                for end in self.walk(square, way):
                    if end in self.board:
                        break
                    steps[square, end, frozenset()] = [square, end]
                    if not self.flies(piece):
                        break
        if captures and not self.english:
            most = max(len(taken) for _, _, taken in captures)
            captures = {move: path for move, path in captures.items() if len(move[2]) == most}
        return captures or steps

    def names(self, moves):
        """The names of the moves, as far as first and last square tell them apart: then the whole path is needed."""
        found = {}
        for (first, last, taken), path in moves.items():
            alike = [move for move in moves if move[:2] == (first, last)]
            squares = path if len(alike) > 1 else [first, last]
            found[("x" if taken else "-").join(str(self.number(square)) for square in squares)] = first, last, taken
        return found

    def play(self, move):
        first, last, taken = move
        piece = self.board.pop(first)
        for square in taken:
            del self.board[square]
        self.idle = self.idle + 1 if piece.isupper() and not taken else 0
        self.board[last] = piece.upper() if last[0] == self.last_row() else piece
        self.turn = "w" if self.turn == "b" else "b"

    def utility(self):
        """Of white; None while the game goes on."""
        ways = [
            end
            for square, piece in self.board.items()
            if piece.lower() == self.turn
            for end in [self.walk(square, way)[:1] for way in self.ways(piece, False)]
            if end and end[0] not in self.board
        ]
        if not ways and not any(
            list(self.jumps(self.board, square, piece, []))
            for square, piece in self.board.items()
            if piece.lower() == self.turn
        ):
            return 1 if self.turn == "b" else -1
        return 0 if self.idle >= (80 if self.english else 50) else None

    def text(self):
        """The position in PDN."""
        parts = [self.turn.upper()]
        for colour in "wb":
            numbers = sorted(self.number(square) for square, piece in self.board.items() if piece.lower() == colour)
            kings = {self.number(square) for square, piece in self.board.items() if piece.isupper()}
            parts.append(colour.upper() + ",".join(("K" if n in kings else "") + str(n) for n in numbers))
        return ":".join([*parts, *([f"H{self.idle}"] if self.idle else [])])


def compare(game, seed, kings=0.0):
    """Play a random game on both and compare all that can be seen; some men may be kings from the start."""
    chooser = random.Random(seed)
    twin = Twin(game)
    if kings:
        for square, piece in list(twin.board.items()):
            if chooser.random() < 0.6:
                del twin.board[square]
            elif chooser.random() < kings:
                twin.board[square] = piece.upper()
        twin.board = {
            square: piece
            for square, piece in twin.board.items()
            if piece.isupper() or square[0] != (twin.size - 1 if piece == "b" else 0)
        }
    state = game.parse_state(twin.text())
    white = 1 if isinstance(game, EnglishDraughts) else 0
    while True:
        assert game.state_text(state) == twin.text()
        assert game.parse_state(twin.text()) == state
        assert game.to_move(state) == (white if twin.turn == "w" else 1 - white)
        utility = twin.utility()
        assert game.is_terminal(state) == (utility is not None)
        if utility is not None:
            assert (game.utility(state, white), game.utility(state, 1 - white)) == (utility, -utility)
            assert list(game.actions(state)) == []
            return
        moves = twin.moves()
        wanted = twin.names(moves)
        actions = list(game.actions(state))
        assert len(set(actions)) == len(actions) == len(wanted) == len(moves)
        assert game.is_quiet(state) == (not any(taken for _, _, taken in moves))
        assert {game.parse_action(state, name) for name in wanted} == set(actions)
        for action in actions:
            assert game.parse_action(state, game.action_name(state, action)) == action
        name = chooser.choice(sorted(wanted))
        state = game.result(state, game.parse_action(state, name))
        twin.play(wanted[name])


@settings(max_examples=15)
@given(st.sampled_from([ENGLISH, INTERNATIONAL]), seeds)
def test_random_games_agree_with_the_twin(game, seed):
    compare(game, seed)


@settings(max_examples=25)
@given(st.sampled_from([ENGLISH, INTERNATIONAL]), seeds)
def test_random_games_with_many_kings_agree_with_the_twin(game, seed):
    compare(game, seed, kings=0.5)


@pytest.mark.nightly
@each_game
def test_many_random_games_agree_with_the_twin(game):
    for seed in range(500):
        compare(game, seed, kings=0.5 * (seed % 2))


# -- positions whose moves are known ----------------------------------------------------------------------------------


def test_the_initial_moves():
    start = ENGLISH.initial_state()
    assert names(ENGLISH, start) == sorted(["9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"])
    start = INTERNATIONAL.initial_state()
    wanted = ["31-26", "31-27", "32-27", "32-28", "33-28", "33-29", "34-29", "34-30", "35-30"]
    assert names(INTERNATIONAL, start) == wanted


def test_an_english_man_stops_on_the_last_row():
    assert moves(ENGLISH, "W:W12:B7,8") == ["12x3"]  # not on over 7 to 10
    assert after(ENGLISH, "W:W12:B7,8", "12x3") == "B:WK3:B7"
    assert moves(ENGLISH, "W:WK12:B7,8") == ["12x10"]


def test_english_men_capture_forwards_only_and_must():
    assert moves(ENGLISH, "W:W18,32:B15,22") == ["18x11"]
    assert moves(ENGLISH, "W:WK18,32:B15,22") == ["18x11", "18x25"]
    assert moves(ENGLISH, "B:W18:B14,1") == ["14x23"]


def test_english_kings_step_one_square():
    assert moves(ENGLISH, "B:W32:BK14") == ["14-10", "14-17", "14-18", "14-9"]
    assert moves(ENGLISH, "B:W23:BK14") == ["14-10", "14-17", "14-18", "14-9"]


def test_any_english_capture_may_be_chosen_but_is_completed():
    assert moves(ENGLISH, "B:W6,14,24:B1,20") == ["1x17", "20x27"]
    assert after(ENGLISH, "B:W6,14,24:B1,20", "1x17") == "W:W24:B17,20"


@pytest.mark.parametrize("text", ["W:WK22:B9,10,17,18", "W:WK22:BK9,10,17,K18"])
def test_a_round_trip_is_one_move_whichever_way(text):
    assert moves(ENGLISH, text) == ["22x22"]
    assert after(ENGLISH, text, "22x22") == after(ENGLISH, text, "22x13x6x15x22") == "B:WK22:B"
    assert after(ENGLISH, text, "22x15x6x13x22") == "B:WK22:B"
    with pytest.raises(IllegalAction):
        after(ENGLISH, text, "22x13x6x15")


def test_captures_with_the_same_ends_are_told_apart():
    text = "B:W6,7,14,15:B2"
    assert moves(ENGLISH, text) == ["2x11x18", "2x9x18"]
    assert after(ENGLISH, text, "2x9x18") == "W:W7,15:B18"
    assert after(ENGLISH, text, " 2:11:18 ") == "W:W6,14:B18"
    with pytest.raises(IllegalAction, match="legal: 2x9x18, 2x11x18"):
        after(ENGLISH, text, "2x18")


def test_the_most_pieces_must_be_captured_in_international_draughts():
    assert moves(INTERNATIONAL, "W:W33:B29,28") == ["33x22", "33x24"]
    assert moves(INTERNATIONAL, "W:W33:B29,28,17") == ["33x11"]
    assert moves(INTERNATIONAL, "W:WK33:B29,28,11") == ["33x6"]


def test_international_men_capture_backwards():
    assert moves(INTERNATIONAL, "W:W22:B28") == ["22x33"]
    assert moves(INTERNATIONAL, "B:W17,28:B22") == ["22x11", "22x33"]


def test_kings_fly():
    assert len(moves(INTERNATIONAL, "W:WK28:B6")) == 17 - 1  # next to 6 is where the line ends
    assert moves(INTERNATIONAL, "W:WK46:B23") == ["46x10", "46x14", "46x19", "46x5"]
    assert len(moves(INTERNATIONAL, "W:WK46:B23,19")) == 4  # two in a row are not jumped


def test_what_is_captured_stands_until_the_move_ends():
    """The Turkish strike: the king comes back to its own track and is stopped by the man that it took first."""
    text = "W:WK46:B8,9,28,39"
    assert moves(INTERNATIONAL, text) == ["46x12", "46x17", "46x21", "46x26"]
    assert after(INTERNATIONAL, text, "46x17") == "B:WK17:B39"
    assert after(INTERNATIONAL, text, "46x14x3x17") == "B:WK17:B39"


def test_a_man_is_not_crowned_in_passing():
    assert after(INTERNATIONAL, "W:W13:B7,8", "13x11") == "B:W11:B"
    assert moves(INTERNATIONAL, "W:W13:B8,11") == ["13x2"]  # a king would go on over 11
    assert after(INTERNATIONAL, "W:W13:B8,11", "13x2") == "B:WK2:B11"


def from_text(game, text):
    """A twin in this position."""
    twin = Twin(game)
    twin.turn, twin.board = text[0].lower(), {}
    for part in text.split(":")[1:]:
        for item in part[1:].split(","):
            letter = part[0] if item.startswith("K") else part[0].lower()
            twin.board[twin.square(int(item.removeprefix("K")))] = letter
    return twin


@kernel
def sum_of_actions(game, state):
    """The compiled rule's actions, as one number."""
    total = 0
    for action in legal_actions(game, state):
        total += action >> 3
    return total


@pytest.mark.parametrize(
    "text",
    [
        "W:WK9:BK7,K8,K14,K17,K21,K22,K23,K30,K33,K37,K38,K39,K41",
        "W:WK2,K6,K18,K42:BK9,K11,K12,K13,K19,K20,K29,K31,K38,K39,K44",
        "W:WK4,K49:BK7,K14,K17,K18,K19,K31,K32,K33,K34,K41,K44",
        "W:WK1,K2,K3,K4,K5,K6,K15,K16,K25,K26,K35,K36,K45,K46,K47,K48,K49,K50:B23",
        "W:WK2,K3,K4,K6,K15,K16,K25,K26,K35,K36,K45,K47,K48,K49,22,29:B1",
    ],
)
def test_more_moves_than_fit_into_a_short_list(text):
    state, twin = INTERNATIONAL.parse_state(text), from_text(INTERNATIONAL, text)
    wanted = {INTERNATIONAL.parse_action(state, name) for name in twin.names(twin.moves())}
    assert set(INTERNATIONAL.actions(state)) == wanted
    assert sum_of_actions(INTERNATIONAL, state) == sum(action >> 3 for action in wanted)


# -- the end ----------------------------------------------------------------------------------------------------------


@each_game
def test_a_draw_by_moves_of_kings_alone(game):
    limit = game.longest_idle
    text = f"W:W22,K32:BK1:H{limit - 1}"
    state = game.parse_state(text)
    assert not game.is_terminal(state)
    for name in names(game, state):
        child = game.result(state, game.parse_action(state, name))
        is_king = name.startswith("32")
        assert game.is_terminal(child) == is_king
        assert child.idle == (limit if is_king else 0)
        if is_king:
            assert game.utility(child, 0) == game.utility(child, 1) == 0
            assert list(game.actions(child)) == []


def test_who_is_shut_in_loses_even_then():
    state = ENGLISH.parse_state("W:WK29:BK25,K22:H80")
    assert ENGLISH.is_terminal(state)
    assert (ENGLISH.utility(state, 0), ENGLISH.utility(state, 1)) == (1, -1)
    assert ENGLISH.render(state).endswith("black wins")


@each_game
def test_a_state_that_comes_for_the_third_time_is_a_draw(game):
    states = [game.parse_state("W:WK32:BK1")]
    there, back = next(
        (name, "-".join(reversed(name.split("-")))) for name in names(game, states[0]) if name.endswith("-28")
    )
    black, return_ = ("1-6", "6-1") if isinstance(game, EnglishDraughts) else ("1-7", "7-1")
    for _ in range(2):
        for name in (there, black, back, return_):
            assert final(game, states) is None
            states.append(game.result(states[-1], game.parse_action(states[-1], name)))
    assert final(game, states) == (0, 0)


@each_game
def test_the_key_counts_idle_plies_only_near_their_end(game):
    state, limit = game.parse_state("W:WK32:BK1"), game.longest_idle
    keys = [state_key(game, state._replace(idle=idle)) for idle in range(limit + 1)]
    assert len(set(keys[: limit - 19])) == 1
    assert len(set(keys)) == 21


# -- hints ------------------------------------------------------------------------------------------------------------


def test_captures_then_promotions_then_advances_come_first():
    state = ENGLISH.parse_state("W:WK32,6,21,12:B18")
    ordered = sorted(ENGLISH.actions(state), key=lambda action: -ENGLISH.order(state, action))
    names = [ENGLISH.action_name(state, action) for action in ordered]
    assert set(names[:2]) == {"6-1", "6-2"}
    assert names[2] == "12-8"
    assert names[3] == "21-17"
    state = ENGLISH.parse_state("B:W6,14,K24:B1,20")
    order = [ENGLISH.order(state, ENGLISH.parse_action(state, name)) for name in ("1x17", "20x27")]
    assert 207 == order[1] > order[0] == 205  # two men count as much as one king


def test_features():
    state = ENGLISH.parse_state("W:W29,30,21,K18:B1,6,7,K32,K31")
    assert ENGLISH.features(state) == (3 - 3, 1 - 2, 2 - 1, 2 - 2)
    other = state._replace(mine=state.theirs, theirs=state.mine, turn=0)
    assert ENGLISH.features(other) == (3 - 3, 2 - 1, 1 - 2, 2 - 2)


@each_game
def test_pieces_and_kings_count(game):
    values = [
        game.evaluate(game.parse_state(text), game.colours.index("white"))
        for text in ("W:W:B15", "W:W17:B15,16", "W:W17:B15", "W:WK17:B15", "W:WK17,K18:B15")
    ]
    assert values == sorted(values)
    assert -1 < values[0] < values[1] < 0 < values[3] < values[4] < 1


@pytest.mark.nightly
@each_game
def test_a_search_plays(game):
    analysis = AlphaBeta(game).search(limit=Limit(depth=7))
    assert analysis.action in set(game.actions(game.initial_state()))
    assert AlphaBeta(game).search(game.parse_state("W:WK32:B27")).verdict == "win in 1"


# -- texts ------------------------------------------------------------------------------------------------------------


def test_texts_in_other_spellings():
    start = ENGLISH.initial_state()
    assert ENGLISH.parse_state("B:W21-32:B1-12") == start
    assert ENGLISH.parse_state(" b:b1-12 : w21-32. ") == start
    assert ENGLISH.state_text(start).startswith("B:W21,22,23,")
    assert INTERNATIONAL.parse_state("W:W31-50:B1-20") == INTERNATIONAL.initial_state()
    assert ENGLISH.parse_state("W:WK1:B:H7") == Position(1, 0, 1, 1, 7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected the colour to move"),
        ("W:W1", "expected the colour to move"),
        ("X:W21:B1", "expected the colour to move"),
        ("W:W21:W22", "expected the colour to move"),
        ("W:W21,:B1", "'' in 'W21,' is not a square"),
        ("W:W21:B1,Q2", "'Q2' in 'B1,Q2' is not a square"),
        ("W:W33:B1", "'33': squares go from 1 to 32"),
        ("W:W0:B1", "'0': squares go from 1 to 32"),
        ("W:W21-99:B1", "'21-99': squares go from 1 to 32"),
        ("W:W21:B1,2,21", "'21': there is a piece on square 21 already"),
        ("W:W21,K21:B1", "'K21': there is a piece on square 21 already"),
        ("W:W30-29:B1", "'30-29': a range goes upwards"),
        ("W:W2:B1", "'2': a man on its last row would be a king, K2"),
        ("W:W21:B29", "'29': a man on its last row would be a king, K29"),
        ("W:W21:B1:H81", "'H81': expected H and the idle plies, at most 80"),
        ("W:W21:B1:5", "'5': expected H and the idle plies, at most 80"),
    ],
)
def test_bad_texts_say_what_is_wrong(text, message):
    with pytest.raises(RulesError) as refusal:
        ENGLISH.parse_state(text)
    assert message in str(refusal.value)
    assert repr(text) in str(refusal.value)


def test_bad_moves_are_refused():
    for text in ("", "11", "11-17", "11x15", "99-98", "0x1x2", "1x2x99", "11-15-18"):
        for game in (ENGLISH, INTERNATIONAL):
            with pytest.raises(IllegalAction, match="is not a legal action here"):
                game.parse_action(game.initial_state(), text)
