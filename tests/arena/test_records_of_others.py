"""Files of games as the world's programs write them: what is odd is named, and the games are read all the same."""

import re

import pytest
from typer.testing import CliRunner

from outplay.arena import RecordError, read_records, replay, write_records
from outplay.arena.records.tagged import known_result
from outplay.cli.commands import app
from outplay.games import Chess, ConnectFour, EnglishDraughts, Go, Gomoku, InternationalDraughts, Othello, SuperkoGo
from outplay.rules.errors import IllegalAction, OutplayError
from outplay.session import Session


@pytest.fixture
def read(tmp_path):
    """Reads the games of a text: those that can be read, and the errors of the others."""

    def read_text(name, text, game=None):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        refused = []
        return list(read_records(path, game, refused=refused)), [str(error) for error in refused]

    return read_text


@pytest.fixture
def one(tmp_path):
    """Reads a text of one game."""

    def read_one(name, text, game=None):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        [found] = read_records(path, game)
        return found

    return read_one


def names(found):
    """The moves of a game, of whose replay they are those of its final state."""
    _, actions = replay(found.game, found.record)
    assert actions == found.record.actions
    return [*found.record.opening, *(ply.name for ply in found.record.plies)]


def final_text(found):
    """The text of the final state."""
    return found.game.state_text(replay(found.game, found.record)[0][-1])


# -- the encoding of SGF -----------------------------------------------------------------------------------------------

ENCODED = {
    "Shift_JIS": "ソ表能十", "MS_KANJI": "ソ", "x-sjis": "ソ", "Big5": "功許蓋因", "GBK": "乗乚", "GB2312": "中文",
    "GB18030": "乗𠀀", "EUC-JP": "碁ソ", "EUC-KR": "바둑", "ISO-2022-JP": "ソ表", "windows-1251": "Жук",
    "windows-1252": "Jörg", "ISO8859-1": "Jörg", "UTF-8": "ソé",
}  # fmt: skip
PYTHON = {"x-sjis": "cp932"}


@pytest.mark.parametrize("charset", ENCODED)
@pytest.mark.parametrize("form", ["CA[{0}]PB[{1}]PW[{1}]", "PB[{1}]CA[{0}]PW[{1}]", "PB[{1}]PW[{1}]CA[{0}]"])
def test_sgf_is_cut_in_its_encoding(one, charset, form):
    r"""The second byte of some characters is that of `\` or of `]`."""
    name = ENCODED[charset]
    text = f"(;SZ[9]{form.format(charset, name)};B[aa]C[{name}];W[bb]C[a \\] {name}];B[cc](;W[dd]C[{name}])(;W[ee]))"
    found = one("a.sgf", text.encode(PYTHON.get(charset, charset)))
    assert found.record.players == (name, name)
    assert names(found) == ["A9", "B8", "C7", "D6"]
    assert found.odd == ()


def test_each_game_of_a_collection_has_its_encoding(read):
    codecs = ("shift_jis", "big5", "utf-8", "gbk", "windows-1251", "euc_kr")
    texts = ("表", "功", "碁", "乗", "Ж", "바")
    games = [
        f"(;CA[{codec}]SZ[9]PB[{name}];B[aa];W[bb])\n".encode(codec) for codec, name in zip(codecs, texts, strict=True)
    ]
    found, refused = read("a.sgf", b"".join(games))
    assert [each.record.players[0] for each in found] == list(texts)
    assert [len(names(each)) for each in found] == [2] * 6
    assert [each.line for each in found] == [1, 2, 3, 4, 5, 6]
    assert not refused


def test_sgf_without_or_with_a_wrong_encoding(one):
    """The moves are right, whatever becomes of names; what is not certain is said."""
    body = ";B[aa];W[bb];B[cc])"
    for content, player, odd in (
        (f"(;SZ[9]PB[碁é]{body}".encode(), "碁é", ()),
        (f"(;SZ[9]CA[nonsense]PB[碁]{body}".encode(), "碁", ("CA[nonsense]: there is no such encoding",)),
        (f"(;SZ[9]PB[Jörg]{body}".encode("latin-1"), "Jörg", ("the text is not UTF-8 and CA does not tell",)),
        (f"(;SZ[9]CA[ASCII]PB[Jörg]{body}".encode("latin-1"), "Jörg", ("the text is not UTF-8",)),
        (f"(;SZ[9]PB[表]PW[ソ]{body}".encode("shift_jis"), None, ("the text is not UTF-8",)),
        (f"(;SZ[9]CA[UTF-8]PB[Jörg]{body}".encode("latin-1"), "Jörg", ("not all of the text is in the encoding",)),
        (f"(;SZ[9]CA[utf-7]PB[a+b]{body}".encode(), "a+b", ("CA[utf-7]: there is no such encoding",)),
        (f"(;SZ[9]CA[Shift_JIS]PB[碁]{body}".encode("utf-8-sig"), "碁", ()),
        (f"(;SZ[9]CA[UTF-16]PB[碁]{body}".encode("utf-16"), "碁", ()),
    ):
        found = one("a.sgf", content)
        assert names(found) == ["A9", "B8", "C7"]
        assert player in (None, found.record.players[0])
        assert [remark.partition(": ")[2][: len(part)] for remark, part in zip(found.odd, odd, strict=True)] == list(
            odd
        )


# -- results -----------------------------------------------------------------------------------------------------------

OTHELLO = "(;GM[Othello]PB[a]PW[b]TY[4]RE[{}]BO[4 ---- -O*- -*O- ---- *]{};)\n"
OTHELLO_END = "B[A2]W[A1]B[B1]W[A3]B[A4]W[C1]B[D1]W[B4]B[C4]W[D4]B[D3]W[D2]"
"""Moves that end the game."""


def othello_end():
    """The moves of a game to its end, and the discs that black has won by."""
    game = Othello(4)
    state, moves = game.initial_state(), []
    while not game.is_terminal(state):
        action = next(iter(game.actions(state)))
        name = game.action_name(state, action)
        moves.append(f"{'BW'[state.turn]}[{'PA' if name == 'pass' else name}]")
        state = game.result(state, action)
    return "".join(moves), float(game.utility(state, 0))


def test_results_that_cannot_be_of_othello(one):
    unfinished = one("a.ggf", OTHELLO.format("-127.000", "B[A2]"))
    assert (unfinished.record.utilities, unfinished.record.reason) == ((), "unfinished")
    assert unfinished.odd == ("line 1: RE[-127.000] is no result that this game can have; no result is taken",)
    assert one("a.ggf", OTHELLO.format("-16.000:r", "B[A2]")).record.utilities == (-16.0, 16.0)
    moves, lead = othello_end()
    for told, is_odd in ((f"{lead:+}", False), ("-127", True), (f"{-lead:+}", True), ("?", False)):
        found = one("a.ggf", OTHELLO.format(told, moves))
        assert (found.record.utilities, found.record.reason) == ((lead, -lead), "rules")
        assert bool(found.odd) == is_odd
    assert "expected the result in discs" in one("a.ggf", OTHELLO.format("black", "B[A2]")).odd[0]


def test_results_that_cannot_be_of_chess(one):
    mate = "1. f3 e5 2. g4 Qh4# "
    for text, utilities, remark in (
        (mate + "0-1", (-1.0, 1.0), None),
        (
            mate + "1-0",
            (-1.0, 1.0),
            "the result 1-0 contradicts the final position; by the rules it is a win of player 1,",
        ),
        (mate + "1/2-1/2", (-1.0, 1.0), "the result 1/2-1/2 contradicts"),
        (mate + "*", (-1.0, 1.0), None),
        ('[FEN "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"]\n1-0', (0.0, 0.0), "the result 1-0 contradicts"),  # stalemate
        ('[FEN "7k/5K2/8/8/8/8/8/1Q6 w - - 100 90"]\n1-0', (1.0, -1.0), None),  # a draw that nobody has claimed
        ('[Result "1-0"]\n1. e4 0-1', (), "the game ends with 0-1, but its tag says '1-0': no result is taken"),
        ('[Result "1-0"]\n1. e4 *', (1.0, -1.0), None),
        ('[Result "?"]\n1. e4 1-0', (1.0, -1.0), None),
        ('[Result "?"]\n1. e4 *', (), None),
        ('[Result "banana"]\n1. e4 1-0', (1.0, -1.0), "Result 'banana' is none of 1-0, 0-1, 1/2-1/2, *"),
        ("1. e4 1 – 0", (1.0, -1.0), None),
        ("1. e4 ½-½", (0.0, 0.0), None),
        ("1. e4", (), "the game that begins here has no result at its end"),
        ('[Result "1-0"]\n1. e4', (1.0, -1.0), "the game that begins here has no result at its end"),
    ):
        found = one("a.pgn", text)
        assert found.record.utilities == utilities, text
        assert len(found.odd) == (remark is not None), text
        assert remark is None or remark in found.odd[0]
    assert known_result("0 : 1") == "0-1"


@pytest.mark.parametrize(
    ("told", "utilities", "reason"),
    [
        ("B+Resign", (1, -1), "resigned"),
        ("W+R", (-1, 1), "resigned"),
        ("w+resign", (-1, 1), "resigned"),
        ("B+", (1, -1), "resigned"),
        ("W", (-1, 1), "resigned"),
        ("B+T", (1, -1), "time"),
        ("W+Time Over", (-1, 1), "time"),
        ("B+F", (1, -1), "illegal move"),
        ("B+3.5", (1, -1), "resigned"),
        ("W+0,5", (-1, 1), "resigned"),
        ("Black wins by resignation", (1, -1), "resigned"),
        ("White won on time", (-1, 1), "time"),
        ("Black resigns. W 133.5 B 81.0", (-1, 1), "resigned"),
        ("White lost on time", (1, -1), "time"),
        ("黒中押勝", (1, -1), "resigned"),
        ("白番中押し勝ち", (-1, 1), "resigned"),
        ("257手, 白中押し勝ち", (-1, 1), "resigned"),
        ("白1.5目勝ち!", (-1, 1), "resigned"),
        ("黑中盘胜", (1, -1), "resigned"),
        ("黑胜1又3/4子", (1, -1), "resigned"),
        ("흑 불계승", (1, -1), "resigned"),
        ("白番時間切れ負け", (1, -1), "time"),
        ("0", (0, 0), "agreed"),
        ("Jigo", (0, 0), "agreed"),
        ("Draw", (0, 0), "agreed"),
        ("持碁", (0, 0), "agreed"),
        ("Void", (), "unfinished"),
        ("?", (), "unfinished"),
        ("? (No further moves known)", (), "unfinished"),
        ("", (), "unfinished"),
    ],
)
def test_results_of_sgf(one, told, utilities, reason):
    found = one("a.sgf", f"(;SZ[9]RE[{told}];B[aa];W[bb])")
    assert (found.record.utilities, found.record.reason) == (utilities, reason)
    assert found.odd == ()


def test_results_that_cannot_be_of_go(one):
    for told in ("has adjourned.", "nobody", "Both lose"):
        found = one("a.sgf", f"(;SZ[9]RE[{told}];B[aa])")
        assert found.record.utilities == ()
        assert f"RE[{told}]: expected a result such as B+3.5, W+R or 0; no result is taken" in found.odd[0]
    unfinished = one("a.sgf", "(;SZ[9]KM[6.5]RE[B+127.5];B[aa])")
    assert unfinished.record.utilities == ()
    assert "RE[B+127.5] is no result that this game can have; no result is taken" in unfinished.odd[0]
    ended = one("a.sgf", "(;SZ[9]KM[6.5]RE[W+371.5];B[aa];W[];B[])")
    assert ended.record.utilities == (1.0, -1.0)
    assert "by the rules it is a win of player 0, which is taken" in ended.odd[0]
    assert one("a.sgf", "(;SZ[9]KM[6.5]RE[B+87.5];B[aa])").odd == ()
    scored = one("a.sgf", "(;SZ[9]KM[6.5]RE[W+3.5];B[aa];W[];B[])")  # the stone at the corner was dead
    assert (scored.record.utilities, scored.record.reason, scored.odd) == ((-1.0, 1.0), "rules", ())
    margin = one("a.sgf", "(;SZ[9]KM[6.5]RE[W+3.5];B[aa])", Go(9, 6.5, margin=True))
    assert margin.record.utilities == (-3.5, 3.5)


def test_results_that_cannot_be_of_other_formats(one):
    five = "".join(f";B[{letter}a];W[{letter}b]" for letter in "abcd") + ";B[ea]"
    assert one("a.sgf", f"(;GM[4]SZ[15]RE[W+]{five})").record.utilities == (1.0, -1.0)
    won = '[GameType "21"]\n[FEN "B:W31:B26"]\n1. 26-30'
    assert one("a.pdn", f"{won} 1-0").record.utilities == (-1.0, 1.0)  # white first in the file, black first here
    blocked = '[GameType "21"]\n[FEN "B:W14:B9"]\n1. 9x18 {the} 1-0'
    found = one("a.pdn", blocked)
    assert found.record.utilities == (1.0, -1.0)
    assert "contradicts the final position" in found.odd[0]
    mat = (
        " 0 point match\n Game 1\n A : 0    B : 0\n  1) 61: 13/7 8/7    Doubles=>2\n  2) Drops\n"
        + 35 * " "
        + "Wins {} point\n"
    )
    assert one("a.mat", mat.format(1)).odd == ()
    found = one("a.mat", mat.format(77))
    assert found.record.utilities == (-1.0, 1.0)
    assert "Wins 77 point is no result that this game can have" in found.odd[0]
    line = (
        '{"format":"outplay match 1","game":"TicTacToe()","players":["a","b"]}\n{"round":0,"games":[{"order":'
        '[0,1],"opening":["a1","b1","a2","b2","a3"],"plies":[],"utilities":[-1,1],"reason":"rules","guilty":null,'
        '"actions":[0,1,3,4,6],"luck":[0,0]}]}\n'
    )
    found = one("a.jsonl", line)
    assert found.record.utilities == (1.0, -1.0)
    assert "the utilities -1, 1 contradict the final position" in found.odd[0]
    found = one("a.jsonl", line.replace('"a3"', '"c3"').replace("4,6]", "4,8]").replace("[-1,1]", "[-9,9]"))
    assert found.record.utilities == ()
    assert "the utilities -9, 9 cannot be those of this game; no result is taken" in found.odd[0]


# -- Go ----------------------------------------------------------------------------------------------------------------


def test_play_goes_on_after_two_passes(one, tmp_path):
    """Three passes of IGS end a game as two do; a stone resumes it. `Go.from_sgf` has the same rule."""
    three = "(;SZ[5]RE[B+24.5];B[cc];W[tt];B[tt];W[tt])"
    found = one("a.sgf", three)
    assert (names(found), found.record.reason, found.odd) == (["C3", "pass", "pass", "pass"], "rules", ())
    assert Go.from_sgf(three) == (found.game, found.record.actions)
    resumed = "(;SZ[5];B[cc];W[];B[];W[bb];B[];W[];B[dd];W[aa])"
    found = one("a.sgf", resumed)
    assert final_text(found) == "O4/1O3/2X2/3X1/5 b - 0"
    assert Go.from_sgf(resumed) == (found.game, found.record.actions)
    assert found.record.utilities == ()
    assert names(one("a.sgf", resumed, SuperkoGo(5, 0))) == names(found)
    for name in "b.sgf", "b.jsonl":
        write_records(tmp_path / name, [(found.game, found.record)])
        [again] = read_records(tmp_path / name)
        assert names(again) == names(found)
    with pytest.raises(RecordError, match=r"move 4, W\[cc\]: 'C3' is not a legal action"):
        one("a.sgf", "(;SZ[5];B[cc];W[];B[];W[cc])")


@pytest.mark.parametrize(
    ("root", "game", "remark"),
    [
        ("HA[]SZ[5]", Go(5, 0), None),
        ("SZ[]", Go(19, 0), "SZ[]: the board is taken to have size 19"),
        ("SZ[9:9]", Go(9, 0), None),
        ("SZ[9]KM[]", Go(9, 0), None),
        ("SZ[9]KM[6,5]", Go(9, 6.5), "KM[6,5]: read as a komi of 6.5 points"),
        ("SZ[9]KM[375]", Go(9, 7.5), "KM[375]: read as a komi of 7.5 points"),  # 3.75 stones
        ("SZ[9]KM[325]", Go(9, 6.5), "KM[325]: read as a komi of 6.5 points"),
        ("SZ[9]KM[3.75]RU[Chinese]", Go(9, 7.5), "KM[3.75]: read as a komi of 7.5 points"),
        ("SZ[9]KM[650]", Go(9, 6.5), "KM[650]: read as a komi of 6.5 points"),
        ("SZ[9]KM[7.50]", Go(9, 7.5), None),
        ("SZ[9]KM[6.3]", Go(9, 6.5), "KM[6.3]: read as a komi of 6.5 points"),
        ("SZ[9]KM[six]", Go(9, 0), "KM[six]: expected a number; taken as no komi"),
        ("SZ[9]HA[x]", Go(9, 0), "HA[x]: expected a whole number; taken as none"),
        ("SZ[9]HA[1]", Go(9, 0), None),
        ("SZ[9]KM[-3]", Go(9, -3), None),
    ],
)
def test_roots_of_sgf(one, root, game, remark):
    found = one("a.sgf", f"(;{root};B[aa])")
    assert found.game == game
    assert found.odd == (() if remark is None else (f"line 1: {remark}",))


def test_stones_that_are_set_up(one):
    """In any node; a game whose stones change in its middle is read from there, and that is said."""
    for text, start, final, moves, remark in (
        ("(;SZ[5];AB[aa]AW[bb];W[cc])", "X4/1O3/5/5/5 w - 0", "X4/1O3/2O2/5/5 b - 0", 1, None),
        ("(;SZ[5]AB[aa:bb]PL[W])", "XX3/XX3/5/5/5 w - 0", "XX3/XX3/5/5/5 w - 0", 0, None),
        ("(;SZ[5]AB[aa][bb];AE[bb]PL[2];W[cc])", "X4/5/5/5/5 w - 0", "X4/5/2O2/5/5 b - 0", 1, None),
        ("(;SZ[5];B[aa];W[bb];AW[cc];B[dd])", "X4/1O3/2O2/5/5 b - 0", "X4/1O3/2O2/3X1/5 w - 0", 1, "after move 2"),
        ("(;SZ[5];B[aa];AE[aa];W[bb])", "5/5/5/5/5 w - 0", "5/1O3/5/5/5 b - 0", 1, "after move 1"),
        ("(;SZ[5];B[aa];AE[ee];W[bb])", None, "X4/1O3/5/5/5 b - 0", 2, None),  # nothing changes
        ("(;SZ[5];B[aa];W[bb];AE[aa])", None, "X4/1O3/5/5/5 b - 0", 2, "after the last move, W[bb]"),
        ("(;SZ[5];B[aa];W[bb]AE[aa])", None, "X4/1O3/5/5/5 b - 0", 2, "after the last move, W[bb]"),
        ("(;SZ[5];W[aa];B[bb])", "5/5/5/5/5 w - 0", "O4/1X3/5/5/5 w - 0", 2, None),  # white begins
        ("(;SZ[9]HA[2]AB[cg][gc];W[ee])", None, "9/9/6X2/9/4O4/9/2X6/9/9 b - 0", 1, None),
        ("(;SZ[9]HA[2];W[ee])", None, "9/9/6X2/9/4O4/9/2X6/9/9 b - 0", 1, "HA[2] without stones"),
        ("(;SZ[9]HA[2]AB[aa][bb];W[ee])", "X8/1X7/9/9/9/9/9/9/9 w - 0", "X8/1X7/9/9/4O4/9/9/9/9 b - 0", 1, None),
    ):
        found = one("a.sgf", text)
        assert (found.record.start, final_text(found), len(names(found))) == (start, final, moves), text
        assert len(found.odd) == (remark is not None), text
        assert remark is None or remark in found.odd[0]
    for text, message in (
        ("(;SZ[5]AB[aa]AW[aa])", "another stone is set up there"),
        ("(;SZ[5]AB[zz])", "no such point"),
        ("(;SZ[5];B[aa];W[aa];AB[bb];W[cc])", r"move 2, W\[aa\]: it is not legal"),
    ):
        with pytest.raises(RecordError, match=message):
            one("a.sgf", text)


def test_a_pass_that_was_left_out(one):
    found = one("a.sgf", "(;SZ[5];B[aa];B[bb];W[cc];W[dd])")
    assert names(found) == ["A5", "pass", "B4", "C3", "pass", "D2"]
    assert found.odd == (
        "line 1: move 2, B[bb]: black moves twice in a row; a pass is put between; this happens 2 times",
    )
    with pytest.raises(RecordError, match=r"move 2, B\[bb\]: it is the other player's turn"):
        one("a.sgf", "(;GM[4];B[aa];B[bb])")  # nobody passes in Gomoku
    assert one("a.sgf", "(;GM[4];B[aa];W[bb])").game == Gomoku()


def test_sgf_that_is_damaged_or_cut_off(read):
    found, refused = read(
        "a.sgf",
        "(;GM[1]SZ[5]PB[a];B[aa];W[aa])\n(;GM[1]SZ[5]PB[b];B[aa](;W[bb];B[cc])(;W[dd]))\n(;GM[1]SZ[5]PB[c];B[aa]x;W[bb])\n"
        "(;GM[1]SZ[5]PB[d];B[aa\n(;GM[1]SZ[5]PB[e];B[aa]\n(;GM[1]SZ[5]PB[f];B[bb]\n",
    )
    assert [each.record.players[0] for each in found] == ["b", "e", "f"]
    assert [each.odd for each in found] == [
        (), ("line 5: the game is not closed by )",), ("line 6: the game is not closed by ): it may be cut off",)
    ]  # fmt: skip
    assert [re.search(r"line (\d): (.{20})", error).groups() for error in refused] == [
        ("1", "move 2, W[aa]: 'A5' "), ("3", "SGF: 'x' where a pro"), ("4", "SGF: a value is not ")
    ]  # fmt: skip
    found, refused = read("a.sgf", "mail header\n(\nPB[a]SZ[5]\n;B[aa];W[bb])")
    assert (len(names(found[0])), found[0].odd) == (2, ("line 3: the root has no ;",))


# -- draughts ----------------------------------------------------------------------------------------------------------


def test_pdn_with_blanks_and_marks(one):
    text = "1. 11- 15 22 - 18 {a} 2. 15x 22 $1 25 x 18 3. 8-11! (3. 12-16 {b (c)} 24-20) 29-25* 4. 4- 8 0-1"
    found = one("a.pdn", text)
    assert found.game == EnglishDraughts()
    assert names(found) == ["11-15", "22-18", "15x22", "25x18", "8-11", "29-25", "4-8"]
    assert found.record.utilities == (1.0, -1.0)
    found = one("a.pdn", '[Gametype "20"]\n[Result "1:1"]\n1. 32-28 18-23 2. 33-29 23 : 32 3. 37×28 *')
    assert names(found) == ["32-28", "18-23", "33-29", "23x32", "37x28"]
    assert found.record.utilities == (0.0, 0.0)
    found = one("a.pdn", "1. 11-15 22x18 2. 15-22 25x18 *")
    assert names(found) == ["11-15", "22-18", "15x22", "25x18"]
    assert found.odd == tuple(
        f"line 1: move {number}, {text}: there is no such move; read as {name}"
        for number, text, name in ((2, "22x18", "22-18"), (3, "15-22", "15x22"))
    )


def test_pdn_without_game_type(read, one):
    """Squares above 32 tell which draughts; the command may name the game; else the error says what can be done."""
    assert one("a.pdn", "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 2-0").game == InternationalDraughts()
    assert one("a.pdn", "1. 32-28 19-23 *", InternationalDraughts()).game == InternationalDraughts()
    assert one("a.pdn", '[FEN "W:W31,50:B1,2:H3"]\n1. 31-26 *').game == InternationalDraughts()
    assert one("a.pdn", '[FEN "W:W31,22:B1,2:H44"]\n1. 31-26 *').game == EnglishDraughts()
    found, [error] = read("a.pdn", "1. 32-28 19-23 *")
    assert not found
    assert "read as EnglishDraughts()" in error
    assert "outplay show international-draughts FILE" in error
    assert '[GameType "20"] (international)' in error
    _, [error] = read("a.pdn", '[GameType "25"]\n1. c3-d4 *')
    assert "only 20, international, and 21, English" in error


def test_a_draw_by_many_moves_has_to_be_claimed(one):
    """Games go on after 25 moves of kings, as they do in chess after 50."""
    kings = " ".join(f"{n}. 40-35 1-6 {n + 1}. 35-40 6-1" for n in range(1, 32, 2))
    found = one("a.pdn", f'[GameType "20"]\n[FEN "W:WK40:BK1"]\n{kings} 1-0')
    assert len(names(found)) == 64
    assert (found.record.utilities, found.odd) == ((1.0, -1.0), ())


# -- chess -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 d5 2. exd5 c6 3. dxc6 Nf6 4. cxb7 Nbd7 5. bxa8=Q *",
        "1 e4 d5 2 exd5 c6 3 dxc6 Nf6 4 cxb7 Nbd7 5 bxa8Q *",
        "1.e4 d5 2.exd5 c6 3.dxc6 Nf6 4.cxb7 Nbd7 5.bxa8(Q)",
        "1. e2-e4 d7-d5 2. e4xd5 c7-c6 3. d5xc6 Ng8-f6 4. c6xb7 Nb8-d7 5. b7xa8/Q 1-0",
        "1. e2e4 d7d5 2. e4d5 c7c6 3. d5c6 g8f6 4. c6b7 b8d7 5. b7a8q *",
        "1. e4 d5 2. e4:d5 c6 3. d:c6 Nf6 4. c:b7 Nbd7 5. b:a8=Q *".replace("d:c6", "dxc6"),
    ],
)
def test_chess_as_others_write_it(one, text):
    assert names(one("a.pgn", text)) == ["e4", "d5", "exd5", "c6", "dxc6", "Nf6", "cxb7", "Nbd7", "bxa8=Q"]


def test_marks_of_chess(one):
    checks = "1. e4 e5 2. Bc4 Bc5 3. Bxf7+ ch Kf8 4. Nf3 Nf6 5. o-o h6 6. Nxe5 Nxe4 7. Qf3 Qh4 8. Bb3 dis ch Ke7 "
    moves = names(one("a.pgn", checks + "9. Qf7++ Kd8 10. Qf8ch. 1-0"))
    assert moves[-3:] == ["Qf7+", "Kd8", "Qf8+"]
    assert moves[8] == "O-O"
    for mark in ("mate", " mate", " checkmate", "#", "++", " #", ""):
        assert names(one("a.pgn", f"1. e4 e5 2. Bc4 Nc6 3. Qh5 d6 4. Qxf7{mark} 1-0"))[-1] == "Qxf7#"
    for passing in ("exd6ep", "exd6e.p.", "exd6 e.p.", "exd6 ep", "e5xd6 e.p.", "ed6"):
        assert names(one("a.pgn", f"1. e4 Nf6 2. e5 d5 3. {passing} cxd6 *"))[4] == "exd6"
    with pytest.raises(RecordError, match="move 1, P-K4"):
        one("a.pgn", "1. P-K4 P-K4 *")


@pytest.mark.parametrize(
    ("fen", "plain"),
    [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 0", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 1 0", "4k3/8/8/8/8/8/4P3/4K3 w - - 1 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - -", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - - -", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
    ],
)
def test_fen_of_others(one, fen, plain):
    assert one("a.pgn", f'[FEN "{fen}"]\n1. e4 *').record.start == plain
    assert one("a.pgn", '[FEN ""]\n1. e4 *').record.start is None


def test_a_damaged_game_does_not_take_others_with_it(read):
    text = """[Event "a"]
1. e4 e5 2. Ke3 *

[Event "b"]
{ never closed

[Event "c"]
1. e4 {fine} e5 *

[Event "d"]
1. e4 (1. d4

[Event "e"]
[White "x]
1. e4 *

[Event "f"]
[Result "*"]

[Event "g"]
[white "G"]
[White "H"]
1. d4
"""
    found, refused = read("a.pgn", text)
    assert [(each.line, len(names(each))) for each in found] == [(7, 2), (17, 0), (20, 1)]
    assert found[2].record.players[0] == "G"
    assert [len(each.odd) for each in found] == [0, 1, 2]
    assert [int(re.search(r"line (\d+)", error)[1]) for error in refused] == [2, 5, 13, 14]
    ggf = (
        OTHELLO.format("?", "B[A2]")
        + "(;GM[Othello]!;)\n"
        + OTHELLO.format("?", "B[D4]")
        + OTHELLO.format("?", "B[A2]")[:-3]
    )
    found, refused = read("a.ggf", ggf)
    assert [each.line for each in found] == [1, 4]
    assert "it may be cut off" in found[1].odd[0]
    assert len(refused) == 2
    mat = " 0 point match\n" + " Game 1\n A : 0    B : 0\n  1) 61: {}\n" * 3
    found, refused = read("a.mat", mat.format("13/7 8/7", "1/2", "13/7 8/7"))
    assert ([each.line for each in found], len(refused)) == ([2, 8], 1)
    lines = '{"format":"outplay match 1","game":"Nim()","players":["a","b"]}\n{"games":[{}]}\n[\n{"games":3}\n'
    found, refused = read("a.jsonl", lines)
    assert (found, [int(re.search(r"line (\d+)", error)[1]) for error in refused]) == ([], [2, 3, 4])


# -- the moves of a command --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1. e4 e5 2. Nf3", "e4 e5 Nf3"),
        ("1.e4 e5 2.Nf3 Nc6 1-0", "e4 e5 Nf3 Nc6"),
        ("1. e4 {best} e5 $1 (1... c5 (1... e6) 2. Nf3) 2. Nf3! Nc6?! 3. Bb5 a6 ½-½", "e4 e5 Nf3 Nc6 Bb5 a6"),
        ("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7# 1-0", "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#"),
        ("1. f3 e5 2. g4 Qh4 mate 0-1", "f3 e5 g4 Qh4#"),
        ("1. e4 e5 ; the rest of the line\n2. Nf3 *", "e4 e5 Nf3"),
        ("e2-e4 {x}e7-e5", "e4 e5"),
    ],
)
def test_a_line_of_pgn_as_moves(text, moves):
    assert Session(Chess(), moves=text).record == moves


def test_moves_with_numbers():
    assert (
        Session(EnglishDraughts(), moves="1. 11-15 22-18 2. 15 x 22 25x18 {x} 1-0").record == "11-15 22-18 15x22 25x18"
    )
    assert Session(ConnectFour(), moves="1. 4 4 2. 3 *").record == "4 4 3"
    for game, text in (
        (Chess(), "1. e4 e5 2. Ke3"), (Chess(), "e4 1-0 e5"), (Chess(), "1. e4 (e5"), (ConnectFour(), "4 4 1-0"),
        (ConnectFour(), "4 {3} 4"), (Chess(), "1. f3 e5 2. g4 Qh4# 3. e4"),
    ):  # fmt: skip
        with pytest.raises(IllegalAction):
            Session(game, moves=text)


# -- the command -------------------------------------------------------------------------------------------------------


def test_a_file_with_games_that_cannot_be_read(tmp_path):
    path = tmp_path / "games.pgn"
    games = ["1. e4 e5 1-0", "1. e4 e5 2. Ke3 1-0", "1. d4", "1. c4 *"]
    path.write_text("\n".join(f'[Event "{number}"]\n{text}\n' for number, text in enumerate(games)))

    def shown(*arguments):
        result = CliRunner().invoke(app, ["show", str(path), *arguments])
        return result.exit_code, result.stdout, result.stderr

    code, out, err = shown()
    assert code == 0
    assert re.findall(r"^ +(\d) ", out, re.MULTILINE) == ["1", "3", "4"]
    assert re.search(r"^Not read: game 2, line 5: move 3, Ke3: ", err, re.MULTILINE)
    assert re.search(r"^Odd: game 3, line 7: the game that begins here has no result", err, re.MULTILINE)
    assert "3 of 4 games read; not 2" in err
    code, _, err = shown("--export", str(tmp_path / "good.jsonl"))
    assert (code, "3 of 4 games read; not 2" in err) == (0, True)
    assert len(list(read_records(tmp_path / "good.jsonl"))) == 3
    assert shown("--game", "4")[0] == 0
    for arguments, message in (
        (("--strict",), "line 5: move 3, Ke3"),
        (("--game", "2"), "line 5: move 3, Ke3"),
        (("--game", "3", "--strict"), "line 7: the game that begins here has no result"),
        (("--strict", "--export", str(tmp_path / "none.jsonl")), "line 5: move 3, Ke3"),
        (("--game", "5"), "has 4 games"),
    ):
        code, _, err = shown(*arguments)
        assert (code, message in " ".join(err.split())) == (2, True)
    assert not (tmp_path / "none.jsonl").exists()
    path.write_text("1. Ke3 *\n1. Kd3 *\n")
    code, _, err = shown()
    assert (code, "none of its 2 games can be read" in err) == (2, True)
    with pytest.raises(OutplayError, match="move 1, Ke3"):
        list(read_records(path))
