"""Records of games: each format reads back to the same states, other programs read it, and wrong files are refused."""

import io
import itertools
import json
import os
import random
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import PATIENCE
from typer.testing import CliRunner

from outplay import CHANCE, Game, OutplayError
from outplay.arena import (
    GameRecord,
    ListedOpenings,
    Match,
    Ply,
    RecordError,
    Score,
    Terms,
    play_game,
    read_records,
    replay,
    write_records,
)
from outplay.arena.log import MatchLog, read_log
from outplay.arena.openings import Line
from outplay.arena.records.files import ENDINGS, FORMATS, GameFile, ending_of, open_record
from outplay.arena.records.pgn import pawns, value_of
from outplay.arena.records.transcript import parse_remark, read_source, remark_on
from outplay.arena.referee import start_text
from outplay.check.differences import same
from outplay.cli import replay as replaying
from outplay.cli import show
from outplay.cli.commands import app
from outplay.games import (
    BUILT_IN,
    Backgammon,
    Chess,
    ConnectFour,
    EnglishDraughts,
    ExplicitTree,
    Go,
    Gomoku,
    Hex,
    InternationalDraughts,
    Nim,
    Othello,
    SuperkoGo,
    TicTacToe,
)
from outplay.pictures.game_page import curves
from outplay.rules.repetition import History, final, playable
from outplay.session.load import built_in_game, load_game
from outplay.session.players import RandomPlayer

IN_FORMATS = [
    Chess(), Chess(start=5), Go(5), Go(9, 0.5, handicap=4), Go(5, margin=True), SuperkoGo(3), Gomoku(6),
    Gomoku(7, exactly=True), Hex(4), Hex(3, swap=False), EnglishDraughts(), InternationalDraughts(), Othello(),
    Othello(6), Backgammon(), Backgammon(True, jacoby=True, largest_cube=8),
]  # fmt: skip
"""Games with formats of their own."""
GNUGO, GNUBG = shutil.which("gnugo", path="/usr/games:/usr/bin"), shutil.which("gnubg", path="/usr/games:/usr/bin")


def random_game(game, seed, plies=400, start=None):
    """The record of a random game, with random remarks, and its states."""
    dice = random.Random(seed)
    states, actions, moves = History([game.initial_state() if start is None else start]), [], []
    while final(game, states) is None and len(moves) < plies:
        player = int(game.to_move(states[-1]))
        by_chance = player == CHANCE
        luck = random.Random(dice.getrandbits(60)) if by_chance else dice
        action = luck.choice(playable(game, states))
        value = dice.choice([None, dice.uniform(-1, 1)])
        depth = None if value is None else dice.choice([None, 7])
        moves.append(
            Ply(game.action_name(states[-1], action), player, dice.choice([0.0, 0.125]), 0.0, value, False, depth)
        )
        actions.append(action)
        states.append(game.result(states[-1], action))
    opened = 0 if game.has_chance else min(seed % 3, len(moves))
    ended = final(game, states)
    record = GameRecord(
        tuple(f"player {number}" for number in range(game.players)),
        tuple(ply.name for ply in moves[:opened]),
        moves[opened:],
        ended or (0.0,) * game.players,
        "rules" if game.is_terminal(states[-1]) else "repetition" if ended else "length",
        start=start_text(game, states[0]),
        actions=actions,
    )
    return record, states


def check_same(game, record, states):
    """Check that a record has these states, all of them."""
    found, _ = replay(game, record)
    assert len(found) == len(states)
    assert all(same(one, other) for one, other in zip(found, states, strict=True))


def there_and_back(path, game, games):
    """The records that are read from a file of some random games, and those that were written to it."""
    write_records(path, [(game, record) for record, _ in games])
    found = list(read_records(path))
    for each, (record, states) in zip(found, games, strict=True):
        assert repr(each.game) == repr(game)
        check_same(each.game, each.record, states)
        assert (each.record.players, each.record.start) == (record.players, record.start)
        assert each.record.utilities == (record.utilities if path.suffix != ".mat" or any(record.utilities) else ())
    return [each.record for each in found], [record for record, _ in games]


# -- every game --------------------------------------------------------------------------------------------------------


def any_game(name):
    return ExplicitTree([[3, 12, 8], [2, 4, 6]]) if name == "explicit-tree" else load_game(name)


@pytest.mark.parametrize("name", BUILT_IN)
def test_json_lines_of_each_game_read_back(name, tmp_path):
    found, written = there_and_back(
        tmp_path / "games.jsonl", any_game(name), [random_game(any_game(name), seed, 20) for seed in range(2)]
    )
    assert found == written  # with values, times and reasons


@pytest.mark.nightly
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_thousand_records_of_each_game_read_back(name, tmp_path):
    """In JSON lines and in the format of the game; some seconds to minutes a game."""
    game = any_game(name)
    for begin in range(0, 1000, 100):
        games = [random_game(game, seed) for seed in range(begin, begin + 100)]
        for ending in {".jsonl", ending_of(game)}:
            there_and_back(tmp_path / f"games{begin}{ending}", game, games)


@pytest.mark.parametrize("game", IN_FORMATS, ids=repr)
def test_the_format_of_a_game_reads_back(game, tmp_path):
    found, written = there_and_back(
        tmp_path / f"games{ending_of(game)}", game, [random_game(game, seed, 60) for seed in range(3)]
    )
    for each, original in zip(found, written, strict=True):
        if ending_of(game) not in (".mat", ".ggf"):
            assert (each.opening, each.reason) == (original.opening, original.reason)
            for ply, before in zip(each.plies, original.plies, strict=True):
                assert (ply.name, ply.player, ply.depth) == (before.name, before.player, before.depth)
                assert (ply.value is None) == (before.value is None)
                assert ply.value is None or abs(ply.value - before.value) < 0.01
                assert abs(ply.seconds - before.seconds) < 0.001


def test_a_record_of_the_referee_replays():
    """With what chance decided, too."""
    for name in "pig", "tic-tac-toe":
        game, seen = any_game(name), []
        record = play_game(
            game, [RandomPlayer(), RandomPlayer()], ["one", "two"], seed=3, luck=5,
            watch=lambda _, states: seen.append(list(states)),  # noqa: B023 - called at once
        )  # fmt: skip
        check_same(game, record, seen[-1])


def test_a_game_from_a_state_keeps_its_start(tmp_path):
    """An opening that is a state was lost in records once."""
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 20"
    match = Match(Chess(), ("random", "random"), games=2, openings=ListedOpenings((fen,)), terms=Terms(max_plies=5))
    seen = []
    with MatchLog(tmp_path / "match.jsonl", match) as log, GameFile(tmp_path / "match.pgn", match) as pgn:
        for found in match.run(watch=lambda _, states: seen.append(list(states))):
            log.add(found)
            pgn.add(found)
    for path in "match.jsonl", "match.pgn":
        found = list(read_records(tmp_path / path))
        assert [each.record.start for each in found] == [fen, fen]
        check_same(found[0].game, found[0].record, seen[4])
        check_same(found[1].game, found[1].record, seen[9])
    assert [record.start for record in read_log(tmp_path / "match.jsonl")[1][0].records] == [fen, fen]


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (Go(5), "2X2/2O2/5/5/5 w - 0"),
        (EnglishDraughts(), "W:W21,22,K31:B1,2,K30:H7"),
        (InternationalDraughts(), "B:W31,32,K46:B1,2,K5"),
        (Othello(4), "-----OX--XO----- O"),
    ],
    ids=repr,
)
def test_games_from_a_state_in_their_formats(game, text, tmp_path):
    record, states = random_game(game, 2, 20, game.parse_state(text))
    path = tmp_path / f"games{ending_of(game)}"
    write_records(path, [(game, record)])
    [found] = read_records(path)
    assert found.record.start == record.start == game.state_text(states[0])
    check_same(found.game, found.record, states)


class Twins(Nim):
    """Two of its actions have the same name."""

    def action_name(self, state, action):
        return "take"


def test_names_that_are_not_unique(tmp_path):
    game = Twins((2, 3))
    record, states = random_game(game, 1)
    write_records(tmp_path / "games.jsonl", [(game, record)])
    [found] = read_records(tmp_path / "games.jsonl", game)
    check_same(game, found.record, states)


class Words(Game):
    """Its actions are tuples, sets, words and None."""

    def initial_state(self):
        return ()

    def to_move(self, state):
        return len(state) % 2

    def actions(self, state):
        return [("a", (1, 2)), frozenset({"x", "y"}), "word", None, 2.5]

    def result(self, state, action):
        return (*state, action)

    def is_terminal(self, state):
        return len(state) == 8

    def utility(self, state, player):
        return 0


def test_actions_of_any_kind(tmp_path):
    record, states = random_game(Words(), 4)
    write_records(tmp_path / "games.jsonl", [(Words(), record)])
    [found] = read_records(tmp_path / "games.jsonl", Words())
    check_same(Words(), found.record, states)
    assert found.record.actions == record.actions


def test_records_of_other_rules_are_refused():
    record, _ = random_game(TicTacToe(), 1)
    with pytest.raises(RecordError, match=r"move 1, .*: action \d is \S+ by the rules of"):
        replay(ConnectFour(), replace(record, actions=[0] * len(record.actions)))
    with pytest.raises(RecordError, match="have"):
        replay(TicTacToe(), replace(record, actions=record.actions[1:]))
    moves = ("a1", "b1", "a2", "b2", "a3", "b3")
    with pytest.raises(RecordError, match="the game is over"):
        replay(TicTacToe(), GameRecord((), moves))
    with pytest.raises(RecordError, match="no text form"):
        replay(TicTacToe(), replace(record, start="Board(…)"))


# -- other programs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [Chess(), Chess(start=959)], ids=repr)
def test_python_chess_reads_our_pgn(game, tmp_path):
    pgn = pytest.importorskip("chess.pgn")
    games = [random_game(game, seed, 60) for seed in range(3)]
    write_records(tmp_path / "games.pgn", [(game, record) for record, _ in games])
    with open(tmp_path / "games.pgn") as file:
        for record, states in games:
            read = pgn.read_game(file)
            assert not read.errors
            assert read.end().board().fen(en_passant="legal") == game.state_text(states[-1])
            assert (read.headers["White"], read.headers["Black"]) == record.players
        assert pgn.read_game(file) is None


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
@pytest.mark.parametrize("game", [Go(9), Go(9, 0.5, handicap=3)], ids=repr)
def test_gnu_go_reads_our_sgf(game, tmp_path):
    record, states = random_game(game, 3, 40)
    write_records(tmp_path / "game.sgf", [(game, record)])
    command = [GNUGO, "--mode", "gtp", "--infile", str(tmp_path / "game.sgf")]
    answer = subprocess.run(
        command,
        input="list_stones black\nlist_stones white\nquit\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    ).stdout
    stones = [set(line[1:].split()) for line in answer.splitlines() if line.startswith("=")][:2]
    names = [{game.action_name(None, point) for point in game.listed(colour)} for colour in game.colours(states[-1])]
    assert stones == names


def gnubg(folder, *commands):
    """What GNU Backgammon says to commands."""
    lines = "".join(f"{command}\n" for command in (*commands, "quit", "y"))
    environment = {**os.environ, "HOME": str(folder)}
    command = [GNUBG, "-t", "-q"]
    told = subprocess.run(
        command, input=lines, capture_output=True, text=True, timeout=PATIENCE, env=environment, check=False
    )
    return told.stdout + told.stderr


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
@pytest.mark.parametrize("game", [Backgammon(), Backgammon(True)], ids=repr)
def test_gnu_backgammon_reads_our_mat(game, tmp_path):
    """It has the same games, move by move."""
    games = [random_game(game, seed)[0] for seed in range(3)]
    games[1] = replace(games[1], players=games[1].players[::-1])  # the seats are exchanged
    write_records(tmp_path / "games.mat", [(game, record) for record in games])
    told = gnubg(
        tmp_path,
        f"import mat {tmp_path}/games.mat",
        f"save match {tmp_path}/games.sgf",
        f"export match mat {tmp_path}/again.mat",
    )
    assert not re.search("unrecogni|illegal|invalid", told, re.IGNORECASE), told
    again = list(read_records(tmp_path / "again.mat", game))
    assert len(again) == 3
    for each, record in zip(again, games, strict=True):
        states, expected = replay(game, each.record)[0], replay(game, record)[0]
        if record.players[0] == "player 1":  # GNU Backgammon does not tell who had which seat
            assert len(states) == len(expected)
        else:
            assert all(same(one, other) for one, other in zip(states, expected, strict=True))


# -- what others write -------------------------------------------------------------------------------------------------

FISCHER = """\
%  an escaped line
[Event "F/S Return Match"]
[Site "Belgrade, Serbia JUG"]
[Date "1992.11.04"]
[Round "29"]
[White "Fischer, Robert J."]
[Black "Spassky, Boris V."]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 {This opening is called the Ruy Lopez.}
4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O (8... Na5 $6 (8... Bg4 {or this)}) 9. Bc2) 9. h3 Nb8 10. d4 Nbd7
11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4 15. Nb1 h6 16. Bh4 c5 17. dxe5 ; to the end of the line (
Nxe4 18. Bxe7 Qxe7 19. exd6 Qf6 20. Nbd2 Nxd6 21. Nc4 Nxc4 22. Bxc4 Nb6
23. Ne5 Rae8 24. Bxf7+ Rxf7 25. Nxf7 Rxe1+ 26. Qxe1 Kxf7 27. Qe3 Qg5 28. Qxg5
hxg5 29. b3 Ke6 30. a3 Kd6 31. axb4 cxb4 32. Ra5 Nd5 33. f3 Bc8 34. Kf2 Bf5
35. Ra7 g6 36. Ra6+ Kc5 37. Ke1 Nf4 38. g3 Nxh3 39. Kd2 Kb5 40. Rd6 Kc5 41. Ra6
Nf2 42. g4 Bd3 43. Re6 1/2-1/2
"""
"""The example of the PGN standard, with marks, comments and variations."""
OTHELLO = """\
(;GM[Othello]PC[GGS/os]DT[2002.01.11_17:08:25.MST]PB[ant]PW[zebra]RB[2300]RW[2600]TI[15:00//02:00]TY[8]RE[-64.000:r]
BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]
B[D3//1.20]W[C3/0.50/3]B[C4]W[c5/-1.25]B[B2];)
"""
"""As the description of GGF has it: https://www.skatgame.net/mburo/ggsa/ggf"""
DRAUGHTS = """\
[Event "example"]
[White "A"]
[Black "B"]
[Result "0-1"]
1. 11-15 22-18 2. 15x22 25x18 {a remark} 3. 8-11! 29-25* 4. 11-15 (4. 12-16) 18x11 5. 7x16 0-1
"""


def only(tmp_path, name, text, game=None):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_records(path, game))


def test_pgn_of_others(tmp_path):
    [found] = only(tmp_path, "a.pgn", FISCHER)
    assert found.record.players == ("Fischer, Robert J.", "Spassky, Boris V.")
    assert len(found.record.actions) == 85
    final_state = replay(found.game, found.record)[0][-1]
    assert found.game.state_text(final_state).startswith("8/8/4R1p1/2k3p1/1p4P1/1P1b1P2/3K1n2/8 b")  # as printed there
    assert (found.record.utilities, found.record.reason) == ((0.0, 0.0), "agreed")
    lichess = '[Result "1-0"]\n1. e4 { [%eval 0.17] [%clk 0:00:30] } 1... c5 { [%eval #-3,20] [%emt 0:00:02] } 1-0'
    [found] = only(tmp_path, "a.pgn", lichess)
    first, second = found.record.plies
    assert (first.value, second.value) == (value_of(0.17), value_of(100))
    assert (second.depth, second.seconds) == (20, 2.0)
    cutechess = """[Termination "time forfeit"]\n[Result "0-1"]
    1. e4 {book} e5 {book} 2. Nf3 {+0.35/8 0.12s} Nc6 {-M4/9 1s, White loses on time} 0-1"""
    [found] = only(tmp_path, "a.pgn", cutechess)
    assert (found.record.opening, found.record.reason, found.record.guilty) == (("e4", "e5"), "time", 0)
    assert [(ply.depth, ply.seconds) for ply in found.record.plies] == [(8, 0.12), (9, 1.0)]
    [found] = only(tmp_path, "a.pgn", '[White "J\xf6rg \\\\ \\"x\\""]\n*'.encode("latin-1"))
    assert found.record.players[0] == 'J\xf6rg \\ "x"'
    assert only(tmp_path, "a.pgn", "\ufeff\n\n") == []
    old = '[Result "½-½"]\n1. e4 +/= a6 = 2. e5 +- d5 3. exd6e.p. ♞c6 4. ♘f3 ♙h6 5. dxc7 e.p. ½-½'
    [found] = only(tmp_path, "a.pgn", old)
    assert [ply.name for ply in found.record.plies][4:] == ["exd6", "Nc6", "Nf3", "h6", "dxc7"]
    assert found.record.utilities == (0.0, 0.0)
    with pytest.raises(RecordError, match="move 2, --"):  # a null move
        only(tmp_path, "a.pgn", "1. e4 -- 2. d4 *")


def test_pdn_of_others(tmp_path):
    [found] = only(tmp_path, "a.pdn", DRAUGHTS)
    assert isinstance(found.game, EnglishDraughts)
    assert found.record.players == ("B", "A")  # black begins
    assert found.record.utilities == (1.0, -1.0)
    assert len(found.record.actions) == 9
    [found] = only(tmp_path, "a.pdn", '[GameType "20"]\n[FEN "W:W31-33:B1-3,K50"]\n1. 31-26 50x28x37 2-0')
    assert (found.game, found.record.utilities) == (InternationalDraughts(), (1.0, -1.0))
    for kind, text, moves in (
        ("21", "1. f6-e5 c3-d4 2. e5xc3 b2xd4", ["11-15", "22-18", "15x22", "25x18"]),
        ("20", "1. d4-e5 e7-d6", ["32-28", "18-22"]),
    ):
        [found] = only(tmp_path, "a.pdn", f'[GameType "{kind}"]\n{text} *')
        assert [ply.name for ply in found.record.plies] == moves


def test_ggf_of_others(tmp_path):
    [found] = only(tmp_path, "a.ggf", "1 " + OTHELLO)
    assert (found.record.players, found.record.utilities) == (("ant", "zebra"), (-64.0, 64.0))
    assert found.record.reason == "resigned"
    names = [ply.name for ply in found.record.plies]
    assert names == ["d3", "c3", "c4", "c5", "b2"]
    assert [(ply.value, ply.seconds) for ply in found.record.plies][:2] == [(None, 1.2), (0.5, 3.0)]
    assert len(only(tmp_path, "a.ggf", 2 * OTHELLO.replace("TY[8r]", "TY[s8r20]").replace("TY[8]", "TY[s8r20]"))) == 2


def test_sgf_of_others(tmp_path):
    text = r"(;FF[4]GM[1]SZ[9]KM[6.5]PB[a \] b]RE[W+Resign]AB[ee:fe]PL[W];W[cc]C[(;x];B[tt](;W[])(;W[dd]))"
    text += "\n(;SZ[5]RE[B+3.5];B[aa])"
    first, second = only(tmp_path, "a.sgf", text)
    assert (first.game, first.record.players, first.record.reason) == (Go(9, 6.5), ("a ] b", "?"), "resigned")
    assert [ply.name for ply in first.record.plies] == ["C7", "pass", "pass"]
    assert first.record.start == "9/9/9/9/4XX3/9/9/9/9 w - 0"
    assert (second.game, second.record.utilities, second.line) == (Go(5, 0), (1.0, -1.0), 2)
    for text, game in ("(;GaMe[1]SiZe[9]KoMi[6,5];Black[ee])", Go(9, 6.5)), ("(;SZ[9:9]KM[];B[ee])", Go(9, 0)):
        assert only(tmp_path, "a.sgf", text)[0].game == game


def test_a_double_without_spaces(tmp_path):
    """As some programs write it."""
    path = tmp_path / "a.mat"
    moves = "  1) 61: 13/7 8/7    Doubles=>2\n  2) Drops\n"
    path.write_text(" 0 point match\n Game 1\n A : 0    B : 0\n" + moves)
    [found] = read_records(path)
    assert [ply.name for ply in found.record.plies] == ["6-1", "13/7 8/7", "double", "drop"]


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_mat_of_gnu_backgammon(tmp_path):
    """A game that it plays against itself, by the rules to its end."""
    players = [f"set player {number} {what}" for number in (0, 1) for what in ("gnubg", "chequer evaluation plies 0")]
    quiet = ["set automatic game off", "set automatic roll on", "set display off", "set seed 1", "set cube use off"]
    gnubg(tmp_path, *quiet, *players, "new session", f"export match mat {tmp_path}/a.mat")
    [found] = read_records(tmp_path / "a.mat")
    states, _ = replay(found.game, found.record)
    assert len(states) > 20
    if found.game.is_terminal(states[-1]):  # nobody has resigned
        assert found.game.utility(states[-1], 0) * found.record.utilities[0] > 0


# -- wrong files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.pgn", '[White "A"]\n\n1. e4 e5 2. Ke3 *', r"line 3: move 3, Ke3: 'Ke3' is not a legal action"),
        ("a.pgn", "1. e4\n{ never closed", "line 2: a comment is not closed"),
        ("a.pgn", "1. e4\n(1. d4 *", "line 2: the variation that begins here is not closed"),
        ("a.pgn", "1. e4 )", r"there is no \( to this \)"),
        ("a.pgn", '[White "A]\n*', "line 1: this is not a tag"),
        ("a.pgn", '[Variant "Atomic"]\n*', "only chess and Chess960"),
        ("a.pgn", '[FEN "8/8 w"]\n*', "line 1: "),
        ("a.pgn", b"\x00\x01", "it is not text"),
        ("a.pdn", "1. 11-15 22-17\n11-15 *", "line 2: move 3, 11-15"),
        ("a.pdn", '[GameType "25"]\n*', "only 20, international, and 21"),
        ("a.sgf", "(;SZ[9]\n;B[zz])", r"line 2: move 1, B\[zz\]: "),
        ("a.sgf", "(;GM[3])", r"GM\[3\]: this is another game"),
        ("a.sgf", "(;SZ[9]XG[my_game.py])", "not a built-in game"),
        ("a.sgf", "(;SZ[9]XG[Nim()])", "this is a game of Nim"),
        ("a.ggf", OTHELLO.replace("B[B2]", "B[H8]"), r"line 3: move 5, B\[H8\]"),
        ("a.ggf", OTHELLO.replace("W[C3", "B[C3"), "it is the other player's turn"),
        ("a.ggf", "(;GM[Amazons];)", "only games of Othello"),
        ("a.ggf", "hello", "expected"),
        ("a.mat", " 0 point match\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5   44: 1/2\n", "line 4: move 5, 44: 1/2"),
        ("a.mat", " Game 1\n", "must come before the first game"),
        ("a.mat", " 0 point match\n Game 1\n", "line 2: the game that begins here has no players"),
        ("a.mat", " 0 point match\n Game 1\n A : 0   B : 0\n  1) hello\n", "line 4: 'hello' is no throw"),
        ("a.mat", " 0 point match\n Game 1\n A : 0   B : 0\n  1) 33: 8/5\n", "two different numbers"),
        ("a.mat", "", "there is no game"),
        ("a.mat", "x : 1" * 10_000, "line 1: a line of 50000 characters"),
        ("a.jsonl", "{}\n", "line 1: the first line"),
        ("a.jsonl", "", "not a record of games"),
        ("a.jsonl", "[\n", "line 1: this is not JSON"),
        ("a.jsonl", "[" * 100_000 + "\n", "line 1: this is not JSON"),
        ("a.jsonl", '{"format":"outplay match 9"}\n', "was written by another version of outplay"),
        ("a.jsonl", '{"format":"outplay match 1","game":"Mine()"}\n', "not built in: name the game"),
        ("a.jsonl", '{"format":"outplay match 1","game":"Nim()"}\n{"games":[{}]}\n', "line 2: this is not a game"),
        ("a.jsonl", '{"format":"outplay match 1","game":"Nim()"}\n{"games":3}\n', "line 2: this line has no games"),
        ("a.txt", "", "ends in .pgn, .sgf, .pdn, .ggf, .mat or .jsonl"),
    ],
)  # fmt: skip
def test_wrong_files(tmp_path, name, text, message):
    with pytest.raises(RecordError, match=message):
        only(tmp_path, name, text)


class Sharp(Chess):
    """Chess with another evaluation: a game of chess."""

    def evaluate(self, position, player):
        return 0.0


class Losing(Chess):
    """Chess by other rules: PGN would say that it is chess."""

    def utility(self, position, player):
        return -super().utility(position, player)


def test_games_of_users_that_are_derived_from_built_in_ones(tmp_path):
    record, states = random_game(Sharp(), 1, 20)
    write_records(tmp_path / "a.pgn", [(Sharp(), record)])
    for game in None, Sharp():
        [found] = read_records(tmp_path / "a.pgn", game)
        check_same(found.game, found.record, states)
    with pytest.raises(RecordError, match=r"not for Losing\(\): use a file that ends in \.jsonl"):
        write_records(tmp_path / "b.pgn", [(Losing(), record)])


def test_a_file_of_another_game(tmp_path):
    (tmp_path / "a.pgn").write_text("*")
    with pytest.raises(RecordError, match=r"PGN is for Chess, not for Nim.*ends in \.jsonl"):
        read_records(tmp_path / "a.pgn", Nim())
    for name, text, game in (
        ("a.sgf", "(;SZ[9])", Go(5)),
        ("a.sgf", "(;GM[11])", Go(9)),
        ("a.ggf", OTHELLO, Othello(6)),
        ("a.pdn", '[GameType "20"]\n*', EnglishDraughts()),
    ):
        with pytest.raises(RecordError, match=f"not .*of {re.escape(repr(game))}"):
            only(tmp_path, name, text, game)
    [found] = only(tmp_path, "a.pgn", "1. e4 *", Chess(start=5))  # without FEN, it is usual chess
    assert found.record.start.startswith("rnbqkbnr")


TEXTS = {
    ".pgn": FISCHER,
    ".pdn": DRAUGHTS,
    ".ggf": OTHELLO,
    ".sgf": "(;GM[1]SZ[9]KM[6.5]PB[x];B[ee]C[a\\]];W[tt](;B[aa];W[])(;B[bb]))",
    ".mat": " 0 point match\n\n Game 1\n A : 0    B : 0\n"
    "  1) 31: 8/5 6/5             66: 24/18 24/18 13/7 13/7\n  2) 41: 24/23 13/9\n",
    ".jsonl": '{"format":"outplay match 1","game":"TicTacToe()","players":["a","b"]}\n'
    '{"round":0,"games":[{"order":[0,1],"opening":["a1"],"plies":[{"name":"b2","player":1}],"utilities":[0,0],'
    '"reason":"length","guilty":null,"actions":[0,4]}]}\n',
}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_damaged_files_are_read_or_refused(ending, data):
    """Cut off, with parts exchanged, doubled or replaced by anything: games of legal moves, or one clear error."""
    text = TEXTS[ending]
    for _ in range(data.draw(st.integers(1, 3))):
        begin, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        text = data.draw(
            st.sampled_from([text[:begin], text[:begin] + text[end:], text[:end] + text[begin:]])
            | st.builds(
                lambda more, text=text, at=begin: text[:at] + more + text[at:],
                st.text(max_size=4) | st.sampled_from('()[]{};"\\*$%!\n'),
            )
        )
    try:
        source = read_source("file", text.encode("utf-8", "surrogatepass"))
        for found in FORMATS[ending].read(source, None):
            if isinstance(found, RecordError):
                assert re.match(r"file, line \d+:", str(found))
            else:
                replay(found.game, found.record)
    except RecordError as error:
        if not re.match(r"file(, line \d+:| cannot be read: )", str(error)):
            raise


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def places_in(data, path=()):
    """The paths to all values of JSON."""
    if path:
        yield path
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from places_in(value, (*path, key))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_json_with_wrong_values(data):
    """Any value exchanged by any other: it can be shown, or there is one clear error."""
    lines = [json.loads(line) for line in TEXTS[".jsonl"].splitlines()]
    *above, last = data.draw(st.sampled_from(list(places_in(lines))).filter(lambda path: len(path) > 1))
    parent = lines
    for key in above:
        parent = parent[key]
    parent[last] = data.draw(JSON)
    source = read_source("file", "".join(f"{json.dumps(line)}\n" for line in lines).encode())
    try:
        for found in FORMATS[".jsonl"].read(source, None):
            if isinstance(found, RecordError):
                raise found
            game = replaying.Replayed(found)
            assert all(isinstance(part, str) for number in range(len(game.actions)) for part in game.line(number))
            assert game.heading()
    except RecordError as error:
        if not re.match(r"file, line \d+:", str(error)):
            raise


def test_a_format_that_cannot_hold_a_game(tmp_path):
    game = Go(5)
    start = game.parse_state("5/5/5/5/5 b - 1")
    with pytest.raises(RecordError, match="after a pass"):
        write_records(tmp_path / "a.sgf", [(game, random_game(game, 0, 3, start)[0])])
    assert not (tmp_path / "a.sgf").exists()
    game = Backgammon()
    record, _ = random_game(game, 0, 3, game.result(game.initial_state(), 3))
    with pytest.raises(RecordError, match="JSON lines"):
        write_records(tmp_path / "a.mat", [(game, record)])


# -- remarks -----------------------------------------------------------------------------------------------------------


@given(st.builds(
    Ply, st.just("e4"), st.just(0), st.sampled_from([0.0, 0.125, 3.5]), st.just(0.0), st.none() | st.floats(-1, 1),
    st.just(False), st.just(None), st.none() | st.integers(0, 10**12),
))  # fmt: skip
def test_remarks_read_back(ply):
    known = parse_remark(remark_on(ply))
    assert known.get("nodes") == ply.nodes
    assert known.get("seconds", 0.0) == ply.seconds
    assert (known.get("value") is None) == (ply.value is None)
    assert ply.value is None or abs(known["value"] - ply.value) < 1e-5


def test_pawns():
    assert [pawns(value) for value in (0.0, 1.0, -1.0, 0.5)] == ["+0.00", "+100.00", "-100.00", "+2.98"]
    for value in (-0.9, -0.1, 0.3, 0.99):
        assert abs(value_of(float(pawns(value))) - value) < 0.001


# -- matches -----------------------------------------------------------------------------------------------------------


def test_a_match_in_the_format_of_its_game(tmp_path):
    """Each round is in the file when it is over; a match goes on from JSON lines only."""
    match = Match(Othello(4), ("random", "random"), games=6)
    with open_record(tmp_path / "games.ggf", match) as log:
        for number, found in enumerate(match.run(), 1):
            log.add(found)
            assert len(list(read_records(tmp_path / "games.ggf"))) == 2 * number
    with pytest.raises(RecordError, match="has a match already"):
        open_record(tmp_path / "games.ggf", match)
    with pytest.raises(RecordError, match="goes on from JSON lines only"):
        open_record(tmp_path / "games.ggf", match, resume=True)
    with pytest.raises(RecordError, match="is for Chess"):
        open_record(tmp_path / "games.pgn", match)
    with open_record(tmp_path / "games.txt", match) as log:
        assert isinstance(log, MatchLog)


def test_the_score_of_a_match_in_mat(tmp_path):
    """Players keep their sides, whoever has the first seat."""
    match, score = Match(Backgammon(), ("random", "random"), games=4), Score()
    first, second = match.names
    with open_record(tmp_path / "games.mat", match) as log:
        for found in match.run():
            log.add(found)
            score.add(found)
    games = list(read_records(tmp_path / "games.mat"))
    assert [game.record.players for game in games] == [(first, second), (second, first)] * 2
    sides = re.findall(r"^ (\S.*\S) : \d+ +(\S.*\S) : \d+$", (tmp_path / "games.mat").read_text(), re.MULTILINE)
    assert set(sides) == {(first, second)}
    won = sum(game.record.utilities[game.record.players.index(first)] > 0 for game in games)
    assert won == score.games[2]


# -- openings ----------------------------------------------------------------------------------------------------------


def test_openings_of_files(tmp_path):
    (tmp_path / "a.pgn").write_text(FISCHER + '\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n1. e4 *\n')
    found = ListedOpenings.load(tmp_path / "a.pgn")
    assert found.lines == (2, 19)
    first, second = (replace(found, plies=6).read(Chess(), place) for place in (0, 1))
    assert Chess().state_text(first.states[-1]).startswith("r1bqkbnr/1ppp1ppp/p1n5/1B2p3")
    assert (len(first.actions), len(second.actions)) == (6, 1)
    assert Chess().state_text(second.states[0]) == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"

    (tmp_path / "a.epd").write_text(
        '# remark\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; hmvc 3; id "a # 1";\n\n8/8/8/8/8/4k3/4P3/4K3 b - -\n'
    )
    found = ListedOpenings.load(tmp_path / "a.epd")
    assert [Chess().state_text(found.read(Chess(), place).states[0]) for place in (0, 1)] == [
        "4k3/8/8/8/8/8/4P3/4K3 w - - 3 1",
        "8/8/8/8/8/4k3/4P3/4K3 b - - 0 1",
    ]
    (tmp_path / "a.sgf").write_text("(;SZ[9];B[ee];W[cc])\n(;SZ[9]AB[aa]PL[W];W[cc])")
    found = ListedOpenings.load(tmp_path / "a.sgf")
    assert found.texts == (Line(None, ("E5", "C7")), Line("X8/9/9/9/9/9/9/9/9 w - 0", ("C7",)))
    assert len(found.read(Go(9), 1).actions) == 1
    (tmp_path / "a.pdn").write_text(DRAUGHTS)
    assert len(replace(ListedOpenings.load(tmp_path / "a.pdn"), plies=4).read(EnglishDraughts(), 0).actions) == 4
    (tmp_path / "a.txt").write_text(
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e4 Kd7\n\ne4 e5 Qh5 Nc6 Bc4  # not mate yet\n"
    )
    found = ListedOpenings.load(tmp_path / "a.txt")
    assert [len(found.read(Chess(), place).actions) for place in (0, 1)] == [2, 5]


def test_wrong_openings(tmp_path):
    for name, text, message in (
        ("a.pgn", "1. e4\n2. Ke5 *", r"a.pgn, line 1: move 2, Ke5"),
        ("a.pgn", "", "has no openings"),
        ("a.txt", "\n\n4k3/8/9 w - - 0 1", "line 3: this is neither moves nor a state"),
        ("a.sgf", "(;GM[2])", "another game"),
        ("a.pgn", "1. f3 e5 2. g4 Qh4# *", "the game is over after it"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(OutplayError, match=message):
            ListedOpenings.load(tmp_path / name).check(Chess())


def test_thousands_of_openings_are_read_when_they_are_played(monkeypatch, tmp_path):
    """The order is drawn once, and a match tries only the openings that it plays."""
    lines = ["".join(moves) for moves in itertools.product("1234567", repeat=5)]
    (tmp_path / "a.txt").write_text("\n".join([*lines, "999"]))
    openings, read = ListedOpenings.load(tmp_path / "a.txt"), []
    assert len(repr(openings)) < 80 + len(str(tmp_path))
    monkeypatch.setattr(ListedOpenings, "read", lambda self, game, place: read.append(place))
    openings.check(ConnectFour(), 3, 10)
    assert read == [read[0], *read[1:]]
    assert len(set(read)) == 10
    again, read[:] = list(read), []
    for number in range(10):
        openings.opening(ConnectFour(), number, 3)
    assert read == again
    monkeypatch.undo()
    bad = ListedOpenings(("1", "9"))
    with pytest.raises(OutplayError, match="opening 2"):
        next(Match(ConnectFour(), ("random", "random"), games=4, openings=bad).run())


# -- the command -------------------------------------------------------------------------------------------------------


def shown(*arguments, code=0):
    found = CliRunner().invoke(app, ["show", *map(str, arguments)])
    assert found.exit_code == code, found.output
    return found.output


@pytest.fixture
def games(tmp_path):
    """A file of two games of Othello."""
    path = tmp_path / "games.ggf"
    write_records(path, [(Othello(4), random_game(Othello(4), seed)[0]) for seed in range(2)])
    return path


def test_showing_games(games, tmp_path):
    listed = shown(games)
    assert re.findall(
        r"^ +(\d)  player 0 – player 1: (?:(?:black|white) wins by|draw).*, \d+ moves$", listed, re.MULTILINE
    ) == [
        "1",
        "2",
    ]
    [_, second] = read_records(games)
    text = shown(games, "--game", 2)
    states, _ = replay(second.game, second.record)
    assert text.rstrip().endswith(second.game.render(states[-1]).rstrip())
    for number, ply in enumerate(second.record.plies, 1):
        assert re.search(rf"^ +{number}\. {ply.name} ", text, re.MULTILINE)
    assert Othello(4).render(states[3]).rstrip() in shown(games, "--game", 2, "--ply", 3)
    boards = shown(games, "--game", 2, "--boards")
    assert all(Othello(4).render(state).splitlines()[1] in boards for state in states)
    shown(games, "--game", 2, "--svg", tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text().startswith("<svg")


def test_exporting_games(games, tmp_path):
    assert shown(games, "--export", tmp_path / "all.jsonl") == f"Written: {tmp_path / 'all.jsonl'}\n"
    assert [record.record.actions for record in read_records(tmp_path / "all.jsonl")] == [
        record.record.actions for record in read_records(games)
    ]
    shown(tmp_path / "all.jsonl", "--game", 2, "--export", tmp_path / "one.ggf")
    [one] = read_records(tmp_path / "one.ggf")
    assert one.record.actions == list(read_records(games))[1].record.actions


def test_a_game_of_ones_own(tmp_path):
    (tmp_path / "mine.py").write_text("from outplay.games import Nim\nclass Mine(Nim):\n    pass\n")
    game = load_game(str(tmp_path / "mine.py"))
    write_records(tmp_path / "a.jsonl", [(game, random_game(game, 1)[0])])
    assert "name the game" in shown(tmp_path / "a.jsonl", code=2)
    assert "player 0 – player 1" in shown(tmp_path / "mine.py", tmp_path / "a.jsonl")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{games}", "--game", "3"), "has 2 games"),
        (("{games}", "--ply", "3"), "say which one"),
        (("{games}", "--game", "1", "--ply", "300"), "the game has"),
        (("{games}", "--moves", "c1"), "not for a file of games"),
        (("{games}", "--export", "games.pgn"), "PGN is for Chess"),
        (("{games}", "--export", "games.txt"), "ends in .pgn"),
        (("{games}", "--game", "1", "--html", "page.txt"), "must end in .html"),
        (("othello", "--game", "1"), "for a file of games"),
        (("nowhere.pgn",), "cannot be read"),
        (("chess", "{games}"), "GGF is for Othello"),
    ],
)
def test_wrong_commands(games, arguments, message):
    assert show.ENDINGS == ENDINGS
    output = shown(*(argument.format(games=games) for argument in arguments), code=2)
    assert message in " ".join(re.sub("[│╭╮╰╯─]", " ", output).split())


def test_the_page_of_a_game(games, tmp_path):
    shown(games, "--game", 1, "--html", tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text("utf-8")
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1])
    [first, _] = read_records(games)
    assert len(data["boards"]) == len(data["moves"]) + 1 == len(first.record.actions) + 1
    assert [cells[1] for cells in data["moves"]] == [ply.name for ply in first.record.plies]
    assert all(board.startswith("<svg") for board in data["boards"])
    told = [ply for ply in first.record.plies if ply.value is not None]
    assert sum(map(len, data["curves"])) == len(told) > 0
    assert data["players"] == list(first.record.players)
    used = set(re.findall(r"\b[fs]-[a-z-]+", "".join(data["boards"])))
    assert used <= set(re.findall(r"\.outplay \.([fs]-[a-z-]+)\{", text))  # the colours in dark surroundings
    assert ".outplay{fill:" in text
    assert not re.search(r"(src|href)=", text)  # no requests to any host


def test_each_player_has_a_curve_of_their_own():
    """From one side: if both are right, the curves agree, and if not, neither jumps from one to the other."""
    game = TicTacToe()
    states = [game.initial_state()]
    for action in (4, 0, 8):
        states.append(game.result(states[-1], action))
    assert curves(game, states, [0.5, -0.5, 0.5]) == [[(33.33, 25.0), (100.0, 25.0)], [(66.67, 25.0)]]
    assert curves(game, states, [1.0, 1.0, None]) == [[(33.33, 0.0)], [(66.67, 100.0)]]


def test_keys_in_the_terminal(games, monkeypatch):
    [first, _] = read_records(games)
    found = replaying.Replayed(first)
    from rich.console import Console

    for now in 0, 3, len(found.actions):
        console = Console(file=io.StringIO(), width=80, height=24)
        console.print(replaying._screen(found, now, 24))
        text = console.file.getvalue()
        assert f"move {now} of {len(found.actions)}" in text
        assert found.game.render(found.states[now]).splitlines()[1] in text
        assert len(text.splitlines()) <= 24


def test_built_in_games_by_their_repr():
    for name in BUILT_IN:
        game = any_game(name)
        assert built_in_game(repr(game)) == game
    for text in ("my_game.py", "tic-tac-toe", "Nim", "Nim(", "os.system('x')", ""):
        if text == "Nim":
            assert built_in_game(text) == Nim()
            continue
        with pytest.raises(OutplayError):
            built_in_game(text)


@pytest.mark.parametrize("text", ["Nge2", "Ng1e2", "e2e4", "e2-e4", "g1f3", "N1f3", "Ng1-f3", "e5", "O-O"])
def test_chess_moves_as_others_write_them(text):
    chess = pytest.importorskip("chess")
    game = Chess()
    state = game.initial_state()
    board = chess.Board()
    try:
        expected = board.parse_san(text).uci()
    except ValueError:
        try:
            expected = board.parse_uci(text).uci()
        except ValueError:
            expected = None
    try:
        found = game.uci_name(state, game.parse_action(state, text))
    except OutplayError:
        found = None
    assert found == expected
