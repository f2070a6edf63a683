"""Xiangqi against a slow, obvious twin, published counts and positions with known moves."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.board_text import written

from outplay import AlphaBeta, IllegalAction, Limit, RulesError, state_key
from outplay.games import Xiangqi
from outplay.games.xiangqi import START
from outplay.rules.repetition import final
from outplay.search.perft import perft

GAME = Xiangqi()
seeds = st.integers(0, 2**32 - 1)


def moves(text):
    state = GAME.parse_state(text)
    return sorted(GAME.action_name(state, action) for action in GAME.actions(state))


def moves_from(text, *starts):
    return [name for name in moves(text) if name[:2] in starts]


# -- published counts -------------------------------------------------------------------------------------------------

COUNTS = {
    START: [44, 1920, 79_666, 3_290_240, 133_312_995],
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w": [38, 1128, 43_929, 1_339_047, 53_112_976],
    "1cbak4/9/n2a5/2p1p3p/5cp2/2n2N3/6PCP/3AB4/2C6/3A1K1N1 w": [7, 281, 8620, 326_201, 10_369_923],
    "5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w": [25, 424, 9850, 202_884, 4_739_553],
    "CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w": [28, 516, 14_808, 395_483, 11_842_230],
    "R1N1k1b2/9/3aba3/9/2nr5/2B6/9/4B4/4A4/4KA3 w": [21, 364, 7626, 162_837, 3_500_505],
    "C1nNk4/9/9/9/9/9/n1pp5/B3C4/9/3A1K3 w": [28, 222, 6241, 64_971, 1_914_306],
    "4ka3/4a4/9/9/4N4/p8/9/4C3c/7n1/2BK5 w": [23, 345, 8124, 149_272, 3_513_104],
    "2b1ka3/9/b3N4/4n4/9/9/9/4C4/2p6/2BK5 w": [21, 195, 3883, 48_060, 933_096],
    "1C2ka3/9/C1Nab1n2/p3p3p/6p2/9/P3P3P/3AB4/3p2c2/c1BAK4 w": [30, 830, 22_787, 649_866, 17_920_736],
    "CnN1k1b2/c3a4/4ba3/9/2nr5/9/9/4C4/4A4/4KA3 w": [19, 583, 11_714, 376_467, 8_148_177],
}
"""From the Chess Programming Wiki, "Chinese Chess Perft Results"."""
by_text = pytest.mark.parametrize("text", [*COUNTS])


@pytest.mark.sample(1)
@by_text
def test_counts(text):
    counts = COUNTS[text]
    for depth, lines in enumerate(counts[:4], start=1):
        assert perft(GAME, depth, GAME.parse_state(text)).lines == lines


@pytest.mark.nightly
@by_text
def test_deeper_counts(text):
    assert perft(GAME, 5, GAME.parse_state(text)).lines == COUNTS[text][4]


# -- an obvious twin --------------------------------------------------------------------------------------------------

STRAIGHT = [(0, 1), (0, -1), (1, 0), (-1, 0)]
SLANTING = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


POINTS = {(file, rank) for file in range(9) for rank in range(10)}


class Twin:
    """Letters on (file, rank), a0 is (0, 0); capital ones are red. A king that can be captured is found by trying."""

    def __init__(self, text, limit):
        ranks, self.turn, *_ = text.split()
        self.board, self.idle, self.limit = {}, 0, limit
        for rank, line in zip(range(9, -1, -1), ranks.split("/"), strict=True):
            file = 0
            for letter in line:
                if letter.isdigit():
                    file += int(letter)
                else:
                    self.board[file, rank] = letter
                    file += 1

    def of(self, colour):
        return [point for point, letter in self.board.items() if letter.isupper() == (colour == "w")]

    def reach(self, board, point):
        """The points to which the piece on `point` can go by its own way of moving."""
        letter, (x, y) = board[point], point
        is_red = letter.isupper()
        found = []
        match letter.lower():
            case "k" | "a":
                for dx, dy in STRAIGHT if letter.lower() == "k" else SLANTING:
                    if 3 <= x + dx <= 5 and (y + dy) in ((0, 1, 2) if is_red else (7, 8, 9)):
                        found.append((x + dx, y + dy))
                if letter.lower() == "k":  # along an open file to the other king
                    found += [there for there in self.slide(board, point) if board.get(there, "").lower() == "k"]
            case "b":
                for dx, dy in SLANTING:
                    if (x + dx, y + dy) not in board and (y + 2 * dy <= 4) == is_red:
                        found.append((x + 2 * dx, y + 2 * dy))
            case "n":
                for dx, dy in STRAIGHT:
                    if (x + dx, y + dy) not in board:
                        found += [(x + 2 * dx + dy, y + 2 * dy + dx), (x + 2 * dx - dy, y + 2 * dy - dx)]
            case "r":
                found = self.slide(board, point)
            case "c":
                found = [there for there in self.slide(board, point) if there not in board]
                found += self.jump(board, point)
            case "p":
                found = [(x, y + 1 if is_red else y - 1)]
                if (y >= 5) == is_red:
                    found += [(x - 1, y), (x + 1, y)]
        return [there for there in found if there in POINTS and self.owner(board.get(there)) != self.owner(letter)]

    def owner(self, letter):
        return None if letter is None else "w" if letter.isupper() else "b"

    def walk(self, point, way):
        while (point := (point[0] + way[0], point[1] + way[1])) in POINTS:
            yield point

    def slide(self, board, point):
        found = []
        for way in STRAIGHT:
            for there in self.walk(point, way):
                found.append(there)
                if there in board:
                    break
        return found

    def jump(self, board, point):
        found = []
        for way in STRAIGHT:
            on_the_way = [there for there in self.walk(point, way) if there in board]
            found += on_the_way[1:2]
        return found

    def can_be_captured(self, board, colour):
        """Whether the king of `colour` can be captured."""
        king = next(point for point, letter in board.items() if letter == ("K" if colour == "w" else "k"))
        return any(
            king in self.reach(board, point) for point, letter in board.items() if letter.isupper() != (colour == "w")
        )

    def moves(self):
        found = {}
        for start in self.of(self.turn):
            for end in self.reach(self.board, start):
                after = {point: letter for point, letter in self.board.items() if point != start}
                after[end] = self.board[start]
                if not self.can_be_captured(after, self.turn):
                    found["".join("abcdefghi"[x] + str(y) for x, y in (start, end))] = after
        return found

    def play(self, after):
        self.idle = self.idle + 1 if len(after) == len(self.board) else 0
        self.board, self.turn = after, "b" if self.turn == "w" else "w"

    def text(self):
        rows = ["".join(self.board.get((x, y), ".") for x in range(9)) for y in range(9, -1, -1)]
        return f"{written(rows, 9, self.turn)} - - {self.idle} 1"


def compare(game, chooser, text=START, plies=1000):
    """Play a random game on both and compare all that can be seen."""
    twin = Twin(text, game.longest_idle)
    state = game.parse_state(text)
    for _ in range(plies):
        assert game.state_text(state) == twin.text()
        assert game.parse_state(twin.text()) == state  # the score too, which `result` keeps by differences
        red = 0 if twin.turn == "w" else 1
        assert game.to_move(state) == red
        wanted = twin.moves()
        in_check = twin.can_be_captured(twin.board, twin.turn)
        assert game.needs_extension(state) == in_check
        if twin.idle >= twin.limit or not wanted:
            assert game.is_terminal(state)
            assert list(game.actions(state)) == []
            assert game.utility(state, red) == -game.utility(state, 1 - red) == (0 if wanted else -1)
            return
        assert not game.is_terminal(state)
        actions = {game.action_name(state, action): int(action) for action in game.actions(state)}
        assert set(actions) == set(wanted)
        assert len(actions) == len(game.actions(state))
        captures = {name for name, after in wanted.items() if len(after) < len(twin.board)}
        noisy = {game.action_name(state, action) for action in game.noisy(state)}
        assert noisy <= captures
        assert game.is_quiet(state) == (not noisy and not in_check)
        name = chooser.choice(sorted(captures if captures and chooser.random() < 0.2 else wanted))
        state = game.result(state, actions[name])
        twin.play(wanted[name])


@settings(max_examples=5)
@given(st.sampled_from([*COUNTS]), seeds)
def test_random_games_agree_with_the_twin(text, seed):
    compare(GAME, random.Random(seed), text, plies=40)


def test_random_games_to_the_end_agree_with_the_twin():
    for seed in range(2):
        compare(Xiangqi(longest_idle=20), random.Random(seed))


@pytest.mark.nightly
def test_many_random_games_agree_with_the_twin():
    for seed in range(100):
        compare(GAME, random.Random(seed))


# -- positions whose moves are known ----------------------------------------------------------------------------------


def ends(text, start):
    """Where the piece on `start` can go."""
    return {name[2:] for name in moves_from(text, start)}


def test_kings_and_advisors_stay_in_the_palace():
    assert ends("4k4/9/9/9/4p4/9/9/3K5/9/5A3 w", "d2") == {"d1", "e2"}
    assert ends("4k4/9/9/9/4p4/9/9/3K5/9/5A3 w", "f0") == {"e1"}
    assert ends("3k5/4a4/9/9/9/9/9/9/9/4K4 b", "e8") == {"d7", "f7", "f9"}


def test_elephants_stay_on_their_side_and_need_an_open_eye():
    assert ends("3k5/9/9/9/9/2B6/9/9/9/4K4 w", "c4") == {"a2", "e2"}
    assert ends("3k5/9/9/9/9/2B6/3p5/9/9/4K4 w", "c4") == {"a2"}
    assert ends("3k5/9/9/9/2b6/9/9/9/9/4K4 b", "c5") == {"a7", "e7"}


def test_horses_need_an_open_leg():
    assert ends("3k5/9/9/9/9/4N4/9/9/9/4K4 w", "e4") == {"d6", "f6", "d2", "f2", "c5", "c3", "g5", "g3"}
    assert ends("3k5/9/9/9/4p4/4N4/9/9/9/4K4 w", "e4") == {"d2", "f2", "c5", "c3", "g5", "g3"}
    assert ends("3k5/9/9/9/9/4Np3/9/9/9/4K4 w", "e4") == {"d6", "f6", "d2", "f2", "c5", "c3"}


def test_cannons_capture_over_one_screen():
    text = "3k5/9/9/7n1/7P1/7C1/9/9/7p1/4K2n1 w"
    assert ends(text, "h4") == {*(f"{file}4" for file in "abcdefgi"), "h6", "h3", "h2", "h0"}


def test_soldiers_go_sideways_over_the_river():
    text = "3k5/9/9/9/2P6/P8/9/9/9/4K4 w"
    assert (ends(text, "a4"), ends(text, "c5")) == ({"a5"}, {"b5", "d5", "c6"})
    text = "3k5/9/9/9/8p/2p6/9/9/9/4K4 b"
    assert (ends(text, "i5"), ends(text, "c4")) == ({"i4"}, {"b4", "d4", "c3"})
    assert ends("3k4P/9/9/9/9/9/9/9/9/4K4 w", "i9") == {"h9"}


def test_kings_do_not_face_each_other():
    assert ends("3k5/9/9/9/9/9/9/9/9/4K4 w", "e0") == {"e1", "f0"}
    assert ends("4k4/9/9/9/9/9/4R4/9/9/4K4 b", "e9") == {"d9", "f9"}
    assert ends("4k4/9/9/9/9/4N4/9/9/9/4K4 w", "e4") == set()


def test_a_piece_may_not_become_the_screen_of_a_cannon():
    assert "a4e4" not in moves("3k5/9/4c4/9/9/R8/9/9/9/4K4 w")
    assert "a4d4" in moves("3k5/9/4c4/9/9/R8/9/9/9/4K4 w")


@pytest.mark.parametrize(
    "text", ["R3k4/R8/9/9/9/9/9/9/9/3K5 b", "3k5/9/3P5/9/9/9/9/9/9/4K4 b"], ids=["mate", "stalemate"]
)
def test_who_cannot_move_has_lost(text):
    state = GAME.parse_state(text)
    assert GAME.is_terminal(state)
    assert (GAME.utility(state, 0), GAME.utility(state, 1)) == (1, -1)
    assert GAME.render(state).endswith("red wins")
    assert GAME.needs_extension(state) == ("R" in text)


def test_a_draw_by_plies_without_a_capture():
    game = Xiangqi(longest_idle=10)
    state = game.parse_state("3k5/9/9/9/9/9/9/9/8p/4K3R w - - 9 40")
    ends = {name: game.result(state, game.parse_action(state, name)) for name in ("i0h0", "i0i1")}
    assert game.is_terminal(ends["i0h0"])
    assert game.utility(ends["i0h0"], 0) == game.utility(ends["i0h0"], 1) == 0
    assert not game.is_terminal(ends["i0i1"])
    assert ends["i0i1"].idle == 0


def test_a_state_that_comes_for_the_third_time_is_a_draw():
    states = [GAME.initial_state()]
    for name in ("b0c2", "b9c7", "c2b0", "c7b9") * 2:
        assert final(GAME, states) is None
        states.append(GAME.result(states[-1], GAME.parse_action(states[-1], name)))
    assert final(GAME, states) == (0, 0)


def test_the_key_counts_idle_plies_only_near_their_end():
    keys = [state_key(GAME, GAME.initial_state()._replace(idle=idle)) for idle in range(121)]
    assert len(set(keys[:101])) == 1
    assert len(set(keys)) == 21


# -- hints ------------------------------------------------------------------------------------------------------------


def named(state, actions):
    return [GAME.action_name(state, action) for action in actions]


def test_captures_then_better_points_come_first():
    state = GAME.parse_state("3k5/2P6/9/r8/R3n4/9/9/4N4/9/4K3C w")
    names = named(state, sorted(GAME.actions(state), key=lambda action: -GAME.order(state, action)))
    assert names[:2] == ["a5a6", "a5e5"]
    assert names.index("a5d5") < names.index("a5b5") < names.index("a5a4")
    state = GAME.parse_state("3k5/9/9/9/9/9/4r4/R3p4/2N6/4K4 w")
    orders = [GAME.order(state, GAME.parse_action(state, name)) for name in ("c1e2", "a2e2")]
    assert orders[0] > orders[1] > 5000  # the horse takes the soldier rather than the rook does


def test_what_is_a_gain():
    state = GAME.parse_state("3k5/9/9/9/r1n6/9/R1N6/9/9/4K4 w")
    assert named(state, GAME.noisy(state)) == ["a3a5"]
    state = GAME.parse_state("3k5/9/9/p1p6/9/2R6/9/9/9/4K4 w")  # a soldier that is not protected
    assert named(state, GAME.noisy(state)) == ["c4c6"]
    assert not GAME.is_quiet(state)
    state = GAME.parse_state("2bk5/9/9/p1p6/9/p1R6/9/9/9/4K4 w")
    assert named(state, GAME.noisy(state)) == ["c4a4", "c4c6"]
    state = GAME.parse_state("3k5/9/b8/9/2b6/9/2R6/9/9/4K4 w")  # protected by the other elephant
    assert named(state, GAME.noisy(state)) == []
    assert GAME.is_quiet(state)


def test_features():
    state = GAME.parse_state("3k1r3/9/9/P8/9/p8/9/9/R8/R1N1K3C w")
    assert GAME.features(state)[:7] == (2 - 1, 1, 1, 0, 0, 1 - 1, 1 - 1)
    start = GAME.initial_state()
    assert GAME.features(start) == (0,) * 9
    assert GAME.evaluate(start, 0) == 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("3k5/9/9/9/9/9/9/9/9/R3K4", "3k5/9/9/9/9/9/9/9/9/C1N1K4"),
        ("3k5/9/9/9/9/9/9/9/9/C3K4", "3k5/9/9/9/9/9/9/9/9/N3K4"),
        ("3k5/9/9/9/9/9/9/9/9/N3K4", "3k5/9/9/9/9/9/9/9/9/2B1KA3"),
        ("3k5/9/9/P8/9/9/9/9/9/4K4", "3k5/9/9/9/9/P8/9/9/9/4K4"),
        ("3k5/9/3P5/9/9/9/9/9/9/4K4", "3k5/9/9/P8/9/9/9/9/9/4K4"),
        ("3k5/9/3P5/9/9/9/9/9/9/4K4", "P2k5/9/9/9/9/9/9/9/9/4K4"),
    ],
)
def test_what_pieces_are_worth(better, worse):
    values = [GAME.evaluate(GAME.parse_state(f"{text} b"), 0) for text in (better, worse)]
    assert 1 > values[0] > values[1] > 0


def test_estimates_stay_between_a_loss_and_a_win():
    state = GAME.parse_state("3k5/4P4/3PPPP2/9/3RR4/3NN4/4C4/4B3B/4A4/3AKC3 b")
    assert 0.9 < GAME.evaluate(state, 0) == -GAME.evaluate(state, 1) < 1


def wins(twin, plies):
    """Whether the player to move wins within so many plies: by trying all moves."""
    return any(loses(child(twin, after), plies - 1) for after in twin.moves().values())


def loses(twin, plies):
    return all(plies > 0 and wins(child(twin, after), plies - 1) for after in twin.moves().values())


def child(twin, after):
    played = Twin(START, 120)
    played.board, played.turn = after, "b" if twin.turn == "w" else "w"
    return played


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("text", "plies"),
    [
        ("4k4/R8/1R7/9/9/9/9/9/9/3K5 w", 1),
        ("3k5/9/9/9/9/9/9/4R4/9/4K4 w", 1),
        ("4k4/9/R8/1R7/9/9/9/9/9/3K5 w", 3),
        ("9/9/b2k5/9/9/9/9/4K2p1/9/9 b", 5),
        ("4k4/9/4na3/9/9/9/9/9/9/5K3 b", 5),
    ],
)
def test_a_search_finds_mates(text, plies):
    twin = Twin(text, 120)
    assert wins(twin, plies)
    assert plies == 1 or not wins(twin, plies - 2)
    assert AlphaBeta(GAME).search(GAME.parse_state(text), limit=Limit(depth=plies + 1)).verdict == f"win in {plies}"


# -- texts ------------------------------------------------------------------------------------------------------------


def test_texts_in_other_spellings():
    start = GAME.initial_state()
    assert GAME.state_text(start) == START
    for text in (
        "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r",
        "  rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR  w  -  - ",
        "rheagaehr/9/1c5c1/s1s1s1s1s/9/9/S1S1S1S1S/1C5C1/9/RHEAGAEHR w - - 0 77",
    ):
        assert GAME.parse_state(text) == start


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "who is to move"),
        (START.split()[0], "who is to move"),
        (START.replace(" w ", " x "), "who is to move"),
        (START.replace("/9/", "/"), "7 rows, but the board has 10"),
        (START.replace("1c5c1", "1c6c1"), "a row has 9"),
        (START.replace("1c5c1", "1c5q1"), "'q' is not one of"),
        (START.replace(" 0 1", " 0"), "the idle plies and a number of the move"),
        (START.replace(" 0 1", " x 1"), "the idle plies and a number of the move"),
        (START.replace("- -", "KQ -"), "the idle plies and a number of the move"),
        (START.replace(" 0 1", " 121 1"), "121 idle plies: the game is a draw after 120"),
        (START.replace("K", "1"), "there is no king K"),
        (START.replace("k", "1"), "there is no king k"),
        (START.replace("P1C", "PRC").replace("9/RNB", "R8/RNB"), "3 pieces R, but a player has at most 2"),
        ("3k5/9/9/9/9/9/9/9/9/3AAK3 w", "A on e0: it cannot come there"),
        ("3k5/9/9/9/9/4B4/9/9/9/5K3 w", "B on e4: it cannot come there"),
        ("3k5/9/9/9/9/9/1P7/9/9/5K3 w", "P on b3: it cannot come there"),
        ("3k5/9/9/9/9/9/9/P8/9/5K3 w", "P on a2: it cannot come there"),
        ("2k6/9/9/9/9/9/9/9/9/5K3 w", "k on c9: it cannot come there"),
        ("3k5/9/9/9/9/9/9/9/9/3K5 w", "red is to move and can capture the king"),
        ("3k5/9/9/9/9/9/9/9/3R5/4K4 w", "red is to move and can capture the king"),
        ("3k5/9/9/9/9/9/4r4/9/9/4K4 b", "black is to move and can capture the king"),
    ],
)
def test_bad_texts_say_what_is_wrong(text, message):
    with pytest.raises(RulesError) as refusal:
        GAME.parse_state(text)
    assert message in str(refusal.value)


@pytest.mark.parametrize("limit", [0, 1001, 1.5, "x"])
def test_bad_parameters(limit):
    with pytest.raises(RulesError, match="longest_idle"):
        Xiangqi(longest_idle=limit)


def test_moves_in_the_notation_of_the_federation():
    """The usual opening with the cannon in the middle, up to here in any textbook."""
    state = GAME.initial_state()
    for text, name in [
        ("C2=5", "h2e2"),
        ("H8+7", "h9g7"),
        ("h2+3", "h0g2"),
        ("R9.8", "i9h9"),
        ("N8+7", "b0c2"),
        ("s3+1", "c6c5"),
        ("R1+1", "i0i1"),
        ("a6+5", "f9e8"),
        ("r1-1", "i1i0"),
    ]:
        action = GAME.parse_action(state, text)
        assert GAME.action_name(state, action) == name
        assert GAME.parse_action(state, f" {name[:2].upper()}-{name[2:].upper()} ") == action
        state = GAME.result(state, action)


def test_pieces_in_one_file_are_told_apart():
    state = GAME.parse_state("3k5/9/9/9/9/R8/9/9/9/R3K4 w")
    for text, name in [("R+=8", "a4b4"), ("+R=8", "a4b4"), ("R-=8", "a0b0"), ("-R+2", "a0a2"), ("+r-2", "a4a2")]:
        assert GAME.action_name(state, GAME.parse_action(state, text)) == name
    state = GAME.parse_state("3k5/9/9/9/r8/9/9/r8/9/4K4 b")
    assert GAME.action_name(state, GAME.parse_action(state, "R+=2")) == "a2b2"  # the first on black's way
    with pytest.raises(IllegalAction, match="'r1=2' is not a legal action here"):
        GAME.parse_action(state, "R1=2")


def test_bad_moves_are_refused():
    for text in ("", "e0", "e0e2", "e0e1e2", "C2=2", "K5=5", "c2", "j0j1", "a0-a9", "+", "-"):
        with pytest.raises(IllegalAction, match="is not a legal action here"):
            GAME.parse_action(GAME.initial_state(), text)
