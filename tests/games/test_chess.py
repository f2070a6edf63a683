"""Chess against a slow, obvious twin, python-chess, and published counts."""

import random
from collections import Counter
from pathlib import Path

import pytest
from shared.openspiel_games import look, play

from outplay import AlphaBeta, IllegalAction, Limit, RulesError, kernel, legal_actions, state_key
from outplay.games import Chess
from outplay.games.chess import START, first_row
from outplay.rules.bits import squares
from outplay.search.perft import perft

GAME = Chess()
STEPS = {
    "n": [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)],
    "b": [(1, 1), (1, -1), (-1, -1), (-1, 1)],
    "r": [(1, 0), (0, 1), (-1, 0), (0, -1)],
}
STEPS["q"] = STEPS["k"] = STEPS["b"] + STEPS["r"]


def square(name):
    return "abcdefgh".index(name[0]), int(name[1]) - 1


def name(place):
    return "abcdefgh"[place[0]] + str(place[1] + 1)


class Board:
    """Chess on a dictionary from (column, row) to letter; makes every move and looks whether the king is attacked."""

    def __init__(self, fen):
        board, turn, castling, passing, idle, number = fen.split()
        self.men = {}
        for row, line in zip(range(7, -1, -1), board.split("/"), strict=True):
            column = 0
            for mark in line:
                if mark.isdigit():
                    column += int(mark)
                else:
                    self.men[column, row] = mark
                    column += 1
        self.white, self.idle, self.number = turn == "w", int(idle), int(number)
        self.rights = set(castling) - {"-"}
        self.passing = None if passing == "-" else square(passing)

    def copy(self):
        other = object.__new__(Board)
        other.__dict__.update(vars(self), men=dict(self.men), rights=set(self.rights))
        return other

    def reached(self, place, kind):
        """The squares that a piece attacks; a pawn's are those of white's."""
        if kind == "p":
            return [(place[0] - 1, place[1] + 1), (place[0] + 1, place[1] + 1)]
        found = []
        for right, up in STEPS[kind]:
            column, row = place[0] + right, place[1] + up
            while 0 <= column < 8 and 0 <= row < 8:
                found.append((column, row))
                if kind in "nk" or (column, row) in self.men:
                    break
                column, row = column + right, row + up
        return found

    def attacked(self, place, by_white):
        for other, mark in self.men.items():
            if mark.isupper() == by_white:
                kind = mark.lower()
                if kind == "p":
                    up = 1 if by_white else -1
                    if other[1] + up == place[1] and abs(other[0] - place[0]) == 1:
                        return True
                elif place in self.reached(other, kind):
                    return True
        return False

    def in_check(self):
        king = next(place for place, mark in self.men.items() if mark == ("K" if self.white else "k"))
        return self.attacked(king, not self.white)

    def candidates(self):
        """(start, end, promotion) of moves that may leave the king attacked."""
        for place, mark in list(self.men.items()):
            if mark.isupper() != self.white:
                continue
            if mark in "Pp":
                up = 1 if self.white else -1
                ends = []
                if (place[0], place[1] + up) not in self.men:
                    ends.append((place[0], place[1] + up))
                    if place[1] == (1 if self.white else 6) and (place[0], place[1] + 2 * up) not in self.men:
                        ends.append((place[0], place[1] + 2 * up))
                for right in (-1, 1):
                    end = place[0] + right, place[1] + up
                    if end == self.passing or (end in self.men and self.men[end].isupper() != self.white):
                        ends.append(end)
                for end in ends:
                    for promotion in "nbrq" if end[1] in (0, 7) else [""]:
                        yield place, end, promotion
            else:
                for end in self.reached(place, mark.lower()):
                    if end not in self.men or self.men[end].isupper() != self.white:
                        yield place, end, ""
        row = 0 if self.white else 7
        for right, way in ("k", (5, 6)), ("q", (3, 2)):
            if (right.upper() if self.white else right) in self.rights:
                empty = (5, 6) if right == "k" else (1, 2, 3)
                if not any((column, row) in self.men for column in empty) and not any(
                    self.attacked((column, row), not self.white) for column in (4, *way)
                ):
                    yield (4, row), (way[1], row), ""

    def after(self, move):
        start, end, promotion = move
        other = self.copy()
        mark = other.men.pop(start)
        if mark in "Pp" or end in other.men:
            other.idle = -1
        if mark in "Pp" and end == self.passing:
            del other.men[end[0], start[1]]
        if mark in "Kk" and abs(start[0] - end[0]) == 2:
            rook = other.men.pop((7 if end[0] == 6 else 0, start[1]))
            other.men[(start[0] + end[0]) // 2, start[1]] = rook
        other.men[end] = (promotion.upper() if self.white else promotion) or mark
        for letter, places in {"K": "e1h1", "Q": "e1a1", "k": "e8h8", "q": "e8a8"}.items():
            if {name(start), name(end)} & {places[:2], places[2:]}:
                other.rights.discard(letter)
        double = mark in "Pp" and abs(start[1] - end[1]) == 2
        other.passing = (start[0], (start[1] + end[1]) // 2) if double else None
        other.white, other.idle, other.number = not self.white, other.idle + 1, self.number + (not self.white)
        return other

    def moves(self):
        """By name, as chess programs write it, the boards after each legal move."""
        found = {}
        for move in self.candidates():
            after = self.after(move)
            after.white = self.white
            if not after.in_check():
                after.white = not self.white
                found[name(move[0]) + name(move[1]) + move[2]] = after
        return found

    def fen(self, moves):
        rows = []
        for row in range(7, -1, -1):
            line = "".join(self.men.get((column, row), ".") for column in range(8))
            for empty in range(8, 0, -1):
                line = line.replace("." * empty, str(empty))
            rows.append(line)
        rights = "".join(letter for letter in "KQkq" if letter in self.rights) or "-"
        may_pass = any(
            self.passing and move[2:4] == name(self.passing) and self.men[square(move)] in "Pp" for move in moves
        )
        passing = name(self.passing) if may_pass else "-"
        return f"{'/'.join(rows)} {'wb'[not self.white]} {rights} {passing} {self.idle} {self.number}"

    def bare(self):
        men = sorted(mark.lower() for mark in self.men.values())
        colours = {(place[0] + place[1]) % 2 for place, mark in self.men.items() if mark in "Bb"}
        return men in (["k", "k"], ["k", "k", "n"]) or (set(men) == {"b", "k"} and len(colours) == 1)


def random_game(dice, fen=START, game=GAME):
    """The positions of a game played at random, with the action taken; captures are rare, so the ends come late."""
    position = game.parse_state(fen)
    while not game.is_terminal(position):
        action = dice.choice(list(legal_actions(game, position)))
        yield position, action
        position = game.result(position, action)
    yield position, None


TRICKY = [  # castling through and out of check, en passant that opens a line, promotions with check, few pieces
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/8/8/8/8/8/2B5/3bK3 w - - 90 60",
]


@pytest.mark.parametrize("fen", [START, *TRICKY])
def test_random_games_are_those_of_the_twin(fen):
    dice, seen = random.Random(fen), 0
    for _ in range(4):
        twin = Board(fen)
        for position, action in random_game(dice, fen):
            moves = twin.moves()
            names = {GAME.uci_name(position, each): each for each in legal_actions(GAME, position)}
            assert sorted(names) == sorted(moves)
            assert GAME.state_text(position) == twin.fen(moves)
            assert GAME.parse_state(twin.fen(moves)) == position
            assert (position.checkers != 0) == twin.in_check()
            mated = twin.in_check() and not moves
            assert GAME.is_terminal(position) == (not moves or twin.bare() or twin.idle >= 100) == (action is None)
            assert GAME.utility(position, 0) == (0 if not mated else -1 if twin.white else 1)
            seen += 1
            if seen > 250:
                break
            if action is not None:
                twin = moves[GAME.uci_name(position, action)]


COUNTS = {  # from the Chess Programming Wiki, "Perft Results" and "Chess960 Perft Results"
    START: [20, 400, 8902, 197281, 4865609],
    TRICKY[0]: [48, 2039, 97862, 4085603],
    TRICKY[1]: [14, 191, 2812, 43238, 674624],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [6, 264, 9467, 422333],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1486, 62379, 2103487],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [46, 2079, 89890, 3894594],
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9": [21, 528, 12189, 326672, 8146062],
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9": [21, 807, 18002, 667366, 16253601],
}


@pytest.mark.compiled
@pytest.mark.sample(2)
@pytest.mark.parametrize("fen", COUNTS)
def test_published_counts(fen):
    position = GAME.parse_state(fen)
    assert [perft(GAME, depth, position).lines for depth in range(1, len(COUNTS[fen]) + 1)] == COUNTS[fen]


SUITE = Path(__file__).resolve().parents[3] / "shared/data/chess/perft.epd"


@pytest.mark.nightly
@pytest.mark.parametrize(("most", "threads"), [(100_000, 1), (200_000_000, None)])
def test_the_public_suite(most, threads):
    if not SUITE.exists():
        pytest.skip("the suite is not here")
    counted = 0
    for line in SUITE.read_text().splitlines():
        fen, *counts = line.split(";")
        for depth, lines in (count.split() for count in counts):
            if int(lines) <= most:
                assert perft(GAME, int(depth[1:]), GAME.parse_state(fen), threads=threads).lines == int(lines), (
                    f"{fen} {depth}"
                )
                counted += 1
    assert counted > 127


@kernel
def seen(game, state):
    """What the rules say of `state`, in numbers."""
    code = game.is_terminal(state) + 2 * game.needs_extension(state)
    for action in legal_actions(game, state):
        code = (code * 67 + action + 1) % 1_000_003
        code = (code * 67 + int(game.order(state, action)) + 10_000) % 1_000_003
    for action in game.noisy(state):
        code = (code * 67 + action + 1) % 1_000_003
    passed = game.null_move_state(state)
    keys = state_key(game, state) ^ state_key(game, passed)
    return code, keys, game.to_move(state), game.utility(state, 0), game.evaluate(state, 0)


@kernel
def played(game, state, action):
    return game.result(state, action)


def test_compiled_rules_are_the_interpreted_ones():
    dice = random.Random(2)
    for fen in (START, *TRICKY):
        for number, (position, action) in enumerate(random_game(dice, fen)):
            if number == 40:
                break
            assert seen(GAME, position) == seen.interpreted(GAME, position)
            if action is not None:
                after = GAME.result(position, action)
                assert played(GAME, position, action) == after
                assert all(type(field) is int and -(2**63) <= field < 2**63 for field in after)


@pytest.mark.parametrize(("fen", "moves"), [
    (START, "Nf3 e4"),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O O-O-O Rh8+ Kf1"),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6 e6"),
    ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a8=Q a8=N"),
    ("6k1/5ppp/8/8/8/8/8/R3K2R w - - 0 1", "Ra8#"),
    ("4k3/8/8/8/8/1R6/8/KR3R2 w - - 0 1", "R1b2 Rbe1+ Rfe1+ Rb8+"),
    ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "Qh4e1 Qee1 Q1e1"),
    ("4k3/8/8/8/1b6/2N5/8/K3N1N1 w - - 0 1", "Ngf3 Nc2 Nce2"),
])  # fmt: skip
def test_names(fen, moves):
    position = GAME.parse_state(fen)
    names = [GAME.action_name(position, action) for action in legal_actions(GAME, position)]
    assert len(set(names)) == len(names)
    assert set(moves.split()) <= set(names)
    for move in moves.split():
        action = GAME.parse_action(position, move)
        assert GAME.action_name(position, action) == move
        assert GAME.parse_action(position, move.rstrip("+#").replace("=", "") + "!?") == action
        assert GAME.parse_action(position, GAME.uci_name(position, action)) == action
    for wrong in "e9", "Ke4", "", "O-O-O-O", "Rb2x":
        with pytest.raises(IllegalAction, match="not a legal action"):
            GAME.parse_action(position, wrong)


@pytest.mark.parametrize(("fen", "says"), [
    ("", "FEN has"),
    ("8/8/8/8/8/8/8/8 w - -", "white has 0 kings"),
    ("4k3/8/8/8/8/8/8/4K3 x - -", "who is to move"),
    ("4k3/8/8/8/8/8/8 w - -", "7 rows"),
    ("4k3/8/8/9/8/8/8/4K3 w - -", "describes 9 squares"),
    ("4k3/8/8/7z/8/8/8/4K3 w - -", "'z' is not one of"),
    ("P3k3/8/8/8/8/8/8/4K3 w - -", "pawn on the first or the last row"),
    ("4k3/pppppppp/p7/8/8/8/8/4K3 w - -", "more than 8"),
    ("4k3/pppppppp/8/8/8/8/8/qq2K3 w - -", "more than 8"),
    ("4k3/8/8/8/8/8/8/4K3 w K -", "castling 'K' needs"),
    ("4k3/8/8/8/8/8/8/R3K3 w K -", "castling 'K' needs"),
    ("4k3/8/8/8/8/8/8/R3K3 w Z -", "castling 'Z' is not one of"),
    ("4k3/8/8/8/8/8/8/4K3 w - e6", "en passant e6"),
    ("4k3/8/8/4p3/8/8/8/4K3 w - e3", "en passant e3"),
    ("4k3/8/8/4p3/8/8/8/4K3 w - z9", "neither a square"),
    ("4k3/8/8/8/8/8/8/4K3 w - - x", "'x' is not a whole number"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 -1", "'-1' is not a whole number from 0"),
    ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "black is in check"),
])  # fmt: skip
def test_bad_texts(fen, says):
    with pytest.raises(RulesError, match=says):
        GAME.parse_state(fen)


def test_chess960():
    rows = {first_row(number) for number in range(960)}
    assert len(rows) == 960
    assert first_row(518) == "rnbqkbnr"
    for row in rows:
        assert sorted(row) == sorted("rnbqkbnr")
        assert row.index("r") < row.index("k") < row.rindex("r")
        first, second = (place for place in range(8) if row[place] == "b")
        assert first % 2 != second % 2
    dice, castled = random.Random(3), 0
    for number in dice.sample(range(960), 12):
        game = Chess(number)
        for position, action in random_game(dice, GAME.state_text(game.initial_state()), game):
            if number % 3 == 0 or position.castling:
                assert game.parse_state(game.state_text(position)) == position
            castled += action is not None and game.action_name(position, action).startswith("O-O")
    assert castled
    position = GAME.parse_state("4k3/8/8/8/8/8/8/1R1R1K2 w B - 0 1")
    assert GAME.state_text(position) == "4k3/8/8/8/8/8/8/1R1R1K2 w Q - 0 1"
    inner = GAME.parse_state("4k3/8/8/8/8/8/8/1R1R1K2 w D - 0 1")
    assert GAME.state_text(inner) == "4k3/8/8/8/8/8/8/1R1R1K2 w D - 0 1"
    after = GAME.result(inner, GAME.parse_action(inner, "O-O-O"))
    assert GAME.state_text(after) == "4k3/8/8/8/8/8/8/1RKR4 b - - 1 1"


def test_en_passant_stands_only_where_it_is_legal():
    position = GAME.parse_state("8/8/8/K2p3q/4P3/8/8/4k3 w - - 0 1")
    assert position.passing == -1
    hidden = GAME.parse_state("4k3/8/8/K1pP3q/8/8/8/8 w - c6 0 1")  # both pawns would leave the king's row
    assert hidden.passing == -1
    open_ = GAME.parse_state("4k3/8/8/2pP3q/K7/8/8/8 w - c6 0 1")
    assert GAME.state_text(open_).split()[3] == "c6"


def test_draws():
    for fen, over in [
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", False),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", True),
        ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 100 80", True),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", False),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", True),
    ]:
        position = GAME.parse_state(fen)
        assert GAME.is_terminal(position) == over
        assert GAME.utility(position, 0) == 0
    mate = GAME.parse_state("R5k1/5ppp/8/8/8/8/8/4K3 b - - 100 80")  # mate counts before the fifty moves
    assert GAME.is_terminal(mate)
    assert GAME.utility(mate, 0) == 1 == -GAME.utility(mate, 1)


def by_exchange(twin, start, end):
    """Whether a capture loses, by trying what each side can do on that square with its least piece."""
    worth = {"p": 100, "n": 325, "b": 325, "r": 500, "q": 950, "k": 10000}

    def gain(board):
        """What the player to move of `board` gains by captures on `end`, none at least."""
        attackers = []
        for place, mark in board.men.items():
            if mark.isupper() == board.white and place != end:
                up = 1 if board.white else -1
                reached = (
                    [(place[0] - 1, place[1] + up), (place[0] + 1, place[1] + up)]
                    if mark in "Pp"
                    else board.reached(place, mark.lower())
                )
                if end in reached:
                    attackers.append((worth[mark.lower()], place))
        if not attackers:
            return 0
        return max(0, taken(board, min(attackers)[1]))

    def taken(board, place):
        other = board.copy()
        won = worth[other.men[end].lower()]
        other.men[end] = other.men.pop(place)
        other.white = not board.white
        return won - gain(other)

    return taken(twin, start) < 0


def test_exchanges_are_those_of_the_twin():
    dice, lost, won = random.Random(4), 0, 0
    for fen in (START, *TRICKY[:2]):
        for _ in range(6):
            for position, _action in random_game(dice, fen):
                if dice.random() < 0.5:
                    continue
                if position.number > 60:
                    break
                twin = Board(GAME.state_text(position))
                for action in GAME.moves(position, position.theirs):
                    start, end = int(action) & 63, int(action) >> 6 & 63
                    places = (start % 8, start // 8), (end % 8, end // 8)
                    if action >> 12 or places[1] not in twin.men:
                        continue
                    loses = GAME.loses(position, start, end)
                    assert loses == by_exchange(twin, *places), (GAME.state_text(position), action)
                    lost, won = lost + loses, won + (not loses)
    assert lost > 20
    assert won > 20


def test_noisy_actions_are_captures_and_promotions():
    dice, found = random.Random(5), 0
    for fen in (START, *TRICKY):
        for number, (position, _) in enumerate(random_game(dice, fen)):
            if number == 60:
                break
            expected = set()
            for action in legal_actions(GAME, position):
                start, end, promotion = action & 63, action >> 6 & 63, action >> 12
                takes = end in set(squares(position.theirs))
                if promotion == 4 or (not promotion and takes and not GAME.loses(position, start, end)):
                    expected.add(action)
                if end == position.passing and start in set(squares(position.pawns)):
                    expected.add(action)
            assert set(map(int, GAME.noisy(position))) == expected
            found += len(expected)
    assert found > 50


@pytest.mark.nightly
@pytest.mark.parametrize(("fen", "best", "plies"), [
    ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#", 1),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "Ra6", 3),
    ("8/8/8/8/8/5k2/5p2/5K2 b - - 0 1", None, None),
])  # fmt: skip
def test_mates_are_found(fen, best, plies):
    searcher = AlphaBeta(GAME, table_mb=1)
    analysis = searcher.search(GAME.parse_state(fen), Limit(depth=5))
    if best is None:
        assert not analysis.exact or analysis.value == 0
    else:
        assert GAME.action_name(analysis.state, analysis.action) == best
        assert (analysis.exact, analysis.value, analysis.distance) == (True, 1, plies)


def against_python_chess(games, seed, apart):
    """Random games by compiled rules; names of moves and FEN are compared every so many plies. How the games ended."""
    chess = pytest.importorskip("chess")
    first = GAME.initial_state()
    looked, played = look.prepare(GAME, first), play.prepare(GAME, first, 0)
    dice, ends = random.Random(seed), Counter()
    for number in range(games):
        start = START if number % 4 else dice.choice(TRICKY)
        board, position, ply = chess.Board(start), GAME.parse_state(start), 0
        while True:
            turn, over, actions = looked(GAME, position)
            assert turn == (board.turn == chess.BLACK)
            moves = {}
            for move in board.legal_moves:
                end = move.to_square
                if board.is_castling(move):
                    end += 1 if end > move.from_square else -2
                moves[move.from_square | end << 6 | (move.promotion - 1 if move.promotion else 0) << 12] = move
            if over:
                break
            assert sorted(moves) == sorted(actions.tolist())
            assert not board.is_insufficient_material()
            if ply % apart == 0:
                assert GAME.state_text(position) == board.fen(en_passant="legal")
                for action, move in moves.items():
                    assert GAME.action_name(position, action) == board.san(move)
                    assert GAME.uci_name(position, action) == move.uci()
            action = dice.choice(sorted(moves))
            board.push(moves[action])
            position, ply = played(GAME, position, action), ply + 1
        mate = board.is_checkmate()
        is_draw = not moves or board.is_insufficient_material() or board.halfmove_clock >= 100
        assert mate or is_draw
        assert GAME.utility(position, 0) == (0 if not mate else 1 if board.turn == chess.BLACK else -1)
        ends["mate" if mate else "stalemate" if not moves else "fifty" if board.halfmove_clock >= 100 else "bare"] += 1
    return ends


def test_random_games_are_those_of_python_chess():
    assert against_python_chess(6, 6, apart=7)


@pytest.mark.nightly
def test_many_random_games_are_those_of_python_chess():
    assert set(against_python_chess(2000, 7, apart=50)) == {"mate", "stalemate", "fifty", "bare"}
