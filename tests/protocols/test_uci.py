"""The UCI engine: what it says to each command, stops and ponders, and what it makes of nonsense."""

import re
import sys
import threading
from random import Random

import pytest
from typer.testing import CliRunner

from outplay import AlphaBeta, Limit, OutplayError, UnsuitableGame, legal_actions
from outplay.arena.naming import player_named
from outplay.cli.commands import app
from outplay.games import (
    Breakthrough,
    Chess,
    ConnectFour,
    KuhnPoker,
    ManyPlayerMNK,
    Nim,
    Othello,
    Pig,
    TicTacToe,
    Xiangqi,
)
from outplay.protocols.thinker import Thinker
from outplay.protocols.uci.engine import UciEngine, read_go, score, win_draw_loss
from outplay.protocols.uci.variants import dialect_of
from outplay.session import Session
from protocols.heard import Heard

OUTPLAY = f"{sys.executable} -m outplay"
MATE_IN_ONE = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
MATED = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"


@pytest.fixture(scope="module")
def chess():
    return Heard(UciEngine, Chess())


@pytest.fixture
def tic_tac_toe():
    return Heard(UciEngine, TicTacToe())


def test_it_says_who_it_is_and_what_can_be_set(chess):
    first, author, *options, last = chess.ask("uci")
    assert first.startswith("id name outplay ")
    assert author.startswith("id author ")
    assert last == "uciok"
    names = [re.fullmatch(r"option name (.+?) type (\w+)(?: default .*)?", option)[1] for option in options]
    for name in (
        "Hash",
        "Threads",
        "MultiPV",
        "Ponder",
        "Move Overhead",
        "UCI_Chess960",
        "UCI_LimitStrength",
        "UCI_Elo",
    ):
        assert name in names
    assert "UCI_Variant" not in names
    lines = Heard(UciEngine, Breakthrough()).ask("uci")
    assert "option name UCI_Variant type combo default breakthrough var breakthrough" in lines


def test_it_is_ready(chess):
    assert chess.ask("isready") == ["readyok"]


def test_a_move_and_what_it_expects_next(chess):
    *information, last = chess.ask("position startpos moves e2e4 e7e5", "go depth 3")
    assert re.fullmatch(r"bestmove \w{4} ponder \w{4}", last)
    depth = r"info depth \d+ seldepth \d+ score cp -?\d+ nodes \d+ nps \d+ hashfull \d+ time \d+ pv( \w{4,5})+"
    assert information
    for line in information:
        assert re.fullmatch(depth, line), line
    pv = information[-1].partition(" pv ")[2].split()
    assert last.split()[1::2] == pv[:2]
    session = Session(Chess(), moves="e2e4 e7e5")
    analysis = AlphaBeta(Chess(), selective=True).search(
        session.state, Limit(depth=3), previous_states=session.states[:-1]
    )
    assert pv[0] == Chess().uci_name(session.state, analysis.action)


def test_mates_are_counted_in_moves(chess):
    *_, line, last = chess.ask(f"position fen {MATE_IN_ONE}", "go depth 2")
    assert " score mate 1 " in line
    assert last == "bestmove f3f7"
    *_, line, _ = chess.ask("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1 moves g1f1 g8h8", "go depth 4")
    assert " score mate 1 " in line
    *_, line, _ = chess.ask("position fen 7k/R7/1R6/8/8/8/8/6K1 b - - 0 1", "go depth 4")
    assert " score mate -1 " in line


@pytest.mark.parametrize(("fen", "line"), [(STALEMATE, "score cp 0"), (MATED, "score mate 0")])
def test_where_nobody_can_move(fen, line, chess):
    assert chess.ask(f"position fen {fen}", "go depth 3") == [f"info depth 0 {line}", "bestmove (none)"]


def test_limits(chess):
    chess.ask("position startpos", "setoption name Move Overhead value 10")
    clock = chess.engine.limit_of({"wtime": 60_010, "btime": 5, "winc": 1000, "movestogo": 7}).clock
    assert (clock.seconds, clock.increment, clock.moves) == (60, 1, 7)
    assert chess.engine.limit_of({"movetime": 110}) == Limit(seconds=0.1)
    assert chess.engine.limit_of({"mate": 3}) == Limit(depth=5)
    assert chess.engine.limit_of({"nodes": 70, "depth": 2}) == Limit(nodes=70, depth=2)
    chess.ask("position startpos moves e2e4")
    assert chess.engine.limit_of({"wtime": 60_010, "btime": 5010}).clock.seconds == 5
    chess.ask("setoption name Move Overhead value 50")
    assert chess.engine.limit_of({"movetime": 150}) == Limit(seconds=0.1)
    chess.ask("setoption name Move Overhead value 10")
    assert chess.engine.limit_of({"movetime": 5}) == Limit(seconds=0)
    assert chess.ask("go wtime 1 btime 1")[-1].startswith("bestmove ")


def test_moves_to_search(tic_tac_toe):
    lines = tic_tac_toe.ask("position startpos", "go depth 9 searchmoves a1 b1")
    assert lines[-1].split()[1] in ("a1", "b1")
    assert all(line.partition(" pv ")[2].split()[0] in ("a1", "b1") for line in lines[:-1])
    lines = tic_tac_toe.ask("go depth 9 searchmoves a1 z9")
    assert lines == ["info string illegal move: z9"]


def test_several_lines(chess):
    chess.ask("setoption name MultiPV value 3")
    lines = chess.ask(f"position fen {MATE_IN_ONE}", "go depth 2")
    chess.ask("setoption name MultiPV value 1")
    last = lines[-4:-1]
    assert [re.search(r" multipv (\d)", line)[1] for line in last] == ["1", "2", "3"]
    assert len({line.partition(" pv ")[2].split()[0] for line in last}) == 3
    assert " score mate 1 " in last[0]


def test_win_draw_and_loss(chess):
    chess.ask("setoption name UCI_ShowWDL value true")
    *_, mate, _ = chess.ask(f"position fen {MATE_IN_ONE}", "go depth 2")
    *_, even, _ = chess.ask("position startpos", "go depth 2")
    chess.ask("setoption name UCI_ShowWDL value false")
    assert " wdl 1000 0 0 " in mate
    won, drawn, lost = map(int, re.search(r" wdl (\d+) (\d+) (\d+) ", even).groups())
    assert won + drawn + lost == 1000
    assert abs(won - lost) < 200 < drawn


def test_chance_of_a_win_is_the_mean():
    analysis = AlphaBeta(Chess()).search(limit=Limit(depth=1))
    for value in (-0.9, -0.3, 0.0, 0.4, 0.95):
        row = analysis.actions[0].__class__(action=0, name="", value=value)
        won, drawn, lost = win_draw_loss(analysis, row, is_drawish=True)
        assert min(won, drawn, lost) >= 0
        assert abs((won - lost) / 1000 - value) < 0.002
        assert score(analysis, row, dialect_of(Chess()).centipawns) == f"cp {round(400 * value / (1 - abs(value)))}"


def test_castling_in_chess960():
    engine = Heard(UciEngine, Chess())
    fen = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    engine.ask(fen)
    names = {engine.engine.write_move(engine.engine.state, action) for action in engine.engine.legal}
    assert {"e1g1", "e1c1"} <= names
    engine.ask("setoption name UCI_Chess960 value true")
    names = {engine.engine.write_move(engine.engine.state, action) for action in engine.engine.legal}
    assert {"e1h1", "e1a1"} <= names
    assert not {"e1g1", "e1c1"} & names
    for move in "e1h1", "e1g1":
        assert engine.ask(f"{fen} moves {move}") == []
        assert engine.engine.game.state_text(engine.engine.state).startswith("r3k2r/8/8/8/8/8/8/R4RK1")


def test_moves_that_are_known_are_not_played_again(tic_tac_toe, monkeypatch):
    played, result = [], TicTacToe.result
    monkeypatch.setattr(
        TicTacToe, "result", lambda game, state, action: played.append(action) or result(game, state, action)
    )
    tic_tac_toe.ask("position startpos moves b2 a1")
    assert len(played) == 2
    tic_tac_toe.ask("position startpos moves b2 a1 c3")
    assert len(played) == 3
    tic_tac_toe.ask("position startpos moves b2 c1")
    assert len(played) == 4
    assert tic_tac_toe.engine.moves == ["b2", "c1"]
    assert len(tic_tac_toe.engine.states) == 3
    tic_tac_toe.ask("position startpos")
    assert len(tic_tac_toe.engine.states) == 1


# -- stops and pondering ----------------------------------------------------------------------------------------------


def test_nothing_is_said_before_stop(chess):
    assert "bestmove" not in "".join(chess.ask("position startpos", "go infinite", waits=False))
    assert chess.ask("isready", waits=False)[-1] == "readyok"
    assert chess.engine.thinker.is_thinking
    assert chess.ask("stop")[-1].startswith("bestmove ")
    assert chess.ask("stop") == []


def test_an_exact_answer_waits_for_stop(tic_tac_toe):
    tic_tac_toe.ask("position startpos", "go infinite", waits=False)
    tic_tac_toe.engine.searcher.search()  # takes as long
    assert tic_tac_toe.engine.thinker.is_thinking
    assert tic_tac_toe.ask("stop")[-1].startswith("bestmove ")


def test_pondering(chess):
    chess.ask("position startpos moves e2e4", "go ponder wtime 100 btime 100", waits=False)
    assert chess.engine.thinker.is_thinking
    assert chess.ask("ponderhit")[-1].startswith("bestmove ")
    assert chess.ask("ponderhit") == []
    chess.ask("go ponder movetime 20", waits=False)
    assert chess.ask("stop")[-1].startswith("bestmove ")
    chess.ask("go ponder depth 1", waits=False)
    assert chess.ask("ponderhit")[-1].startswith("bestmove ")


def test_a_new_command_ends_a_search(chess):
    chess.ask("position startpos", "go infinite", waits=False)
    lines = chess.ask("go depth 1")
    assert [line.split()[0] for line in lines].count("bestmove") == 2
    chess.ask("go infinite", waits=False)
    assert chess.ask("position startpos moves e2e4", waits=False)[-1].startswith("bestmove ")
    chess.ask("go infinite", waits=False)
    assert chess.ask("quit")[-1].startswith("bestmove ")


def test_stop_at_any_moment(chess):
    random = Random(1)
    chess.ask("position startpos moves d2d4 d7d5")
    for _ in range(15):
        chess.ask("go infinite", waits=False)
        timer = threading.Timer(random.random() / 50, lambda: chess.engine.hear("stop"))
        timer.start()
        timer.join()
        chess.engine.thinker.wait()
        assert re.match(r"bestmove \w{4}", chess[-1])


def test_the_end_of_the_input(capsys):
    run = CliRunner().invoke
    result = run(app, ["uci", "tic-tac-toe"], input="go depth 9\n")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith("bestmove ")
    for line in "go infinite", "go ponder depth 1", "go ponder":
        result = run(app, ["uci", "tic-tac-toe"], input=f"{line}\n")
        assert result.stdout.splitlines()[-1].startswith("bestmove ")
    assert run(app, ["uci", "tic-tac-toe"], input="quit\ngo depth 1\n").stdout == ""


def test_an_answer_is_held_back_until_it_may_be_given():
    answers, thinker = [], Thinker()
    thinker.start(lambda stop: 1, answers.append, holds=True)
    assert answers == []
    thinker.release(None)
    thinker.wait()
    assert answers == [1]
    thinker.start(lambda stop: 2, answers.append, holds=True)
    thinker.start(lambda stop: 3, answers.append)
    thinker.wait()
    assert answers == [1, 2, 3]


# -- options ----------------------------------------------------------------------------------------------------------


def test_options_reach_the_search(chess, tmp_path):
    engine = Heard(UciEngine, TicTacToe())
    assert engine.ask("setoption name hash value 16", "setoption name Threads value 2") == []
    assert (engine.engine.searcher.table_mb, engine.engine.searcher.threads) == (16, 2)
    assert engine.ask("setoption name Evaluation value <empty>", "setoption name Clear Hash") == []
    book = tmp_path / "small.book"
    assert CliRunner().invoke(app, ["book", "tic-tac-toe", str(book), "--plies", "1"]).exit_code == 0
    assert engine.ask(f"setoption name Book value {book}") == []
    assert len(engine.engine.searcher.books) == 1
    assert "info string" in engine.ask(f"setoption name Table value {tmp_path / 'no.table'}")[0]
    assert len(engine.engine.searcher.books) == 1
    assert engine.ask("setoption name Book value <empty>") == []
    assert not engine.engine.searcher.books


def test_the_table_fills_up(tic_tac_toe):
    full = [
        re.search(r" hashfull (\d+) ", line) for line in tic_tac_toe.ask("setoption name Hash value 1", "go depth 9")
    ]
    assert int(full[-2][1]) > 0
    tic_tac_toe.ask("ucinewgame")
    assert tic_tac_toe.engine.searcher.table_permille() == 0


def test_weaker_play(chess):
    engine = Heard(UciEngine, ConnectFour())
    engine.ask("setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 0")
    moves = {engine.ask("position startpos", "go movetime 10000")[-1] for _ in range(20)}
    assert len(moves) > 2, "random moves"
    engine.ask("setoption name UCI_Elo value 300")
    assert engine.ask("go infinite", waits=False) is not None
    assert engine.ask("stop")[-1].startswith("bestmove ")
    engine.ask("setoption name UCI_LimitStrength value false")
    assert engine.engine.settings.strength is None


# -- other games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [Nim(), Othello(6), Xiangqi(), Breakthrough(5, 5), ConnectFour()], ids=repr)
def test_any_game_is_played_to_its_end(game):
    engine, moves, dialect = Heard(UciEngine, game), [], dialect_of(game)
    session = Session(game)
    for _ in range(12):
        if session.over:
            break
        last = engine.ask(f"position startpos moves {' '.join(moves)}", "go nodes 200")[-1]
        move = last.split()[1]
        moves.append(move)
        action = session.game.parse_action(session.state, dialect.read(move.replace("_", " ")))
        assert action in session.legal
        session.play(action)
    assert len(engine.engine.states) == len(session.states) - (not session.over or 1)


def test_xiangqi_counts_ranks_from_one_as_fairy_stockfish():
    engine = Heard(UciEngine, Xiangqi())
    assert engine.ask("position startpos moves h3e3") == []
    assert engine.ask("position startpos moves h2e2 h10g8") == ["info string illegal move: h2e2"]


def test_breakthrough_as_fairy_stockfish_writes_it():
    engine = Heard(UciEngine, Breakthrough())
    fen = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w - - 0 1"
    assert engine.ask(f"position fen {fen} moves a2a3") == []
    assert engine.ask("d")[-1] == "pppppppp/pppppppp/8/8/8/P7/1PPPPPPP/PPPPPPPP b - - 0 1"


def test_mcts_takes_what_limits_it_knows():
    engine = Heard(UciEngine, TicTacToe(), "mcts", options={"seed": 3})
    assert engine.ask("position startpos", "go depth 4 nodes 5000")[-1].startswith("bestmove ")


@pytest.mark.parametrize("game", [KuhnPoker(), Pig(), ManyPlayerMNK()], ids=repr)
def test_games_that_it_does_not_play(game):
    with pytest.raises(UnsuitableGame, match="such engines play games of two players who see everything"):
        UciEngine(game, print, "alpha-beta")


def test_one_player_plays_by_it_in_a_match(tmp_path):
    match = ["match", "tic-tac-toe", f"uci:{OUTPLAY} uci tic-tac-toe(depth=4)", "random", "--games", "4", "--json"]
    result = CliRunner().invoke(app, match)
    assert result.exit_code == 0, result.output
    player = player_named(f"uci:{OUTPLAY} uci chess(Hash=16, depth=1)", Chess())
    player.close()


# -- nonsense ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("hello there", "unknown command: hello there"),
        ("position", "write position startpos or position fen FEN, and then moves if there are any"),
        ("position fen", "write position startpos or position fen FEN, and then moves if there are any"),
        ("position startpos moves b2 b2", "illegal move: move 2, b2"),
        ("setoption name Bar value 3", "there is no option 'Bar'; there are Hash, Clear Hash, "),
        ("setoption", "there is no option ''; there are Hash, "),
        ("setoption name Hash value many", "Hash is a whole number from 1 to 65536, not 'many'"),
        ("setoption name Hash value 0", "Hash is a whole number from 1 to 65536, not '0'"),
        ("setoption name Ponder value maybe", "Ponder is true or false, not 'maybe'"),
        ("go depth", ""),
        ("go depth x", "go depth x: a whole number is missing"),
        ("go depth --5", "go depth --5: a whole number is missing"),
        ("setoption name Hash value --5", "Hash is a whole number from 1 to 65536, not '--5'"),
    ],
)
def test_what_is_wrong_is_told(line, told, tic_tac_toe):
    lines = tic_tac_toe.ask(line, "stop")
    if told:
        assert [text.startswith(f"info string {told}") for text in lines] == [True]
    assert tic_tac_toe.ask("position startpos", "go depth 9")[-1].startswith("bestmove ")


def test_words_before_a_command_are_passed_over(tic_tac_toe):
    assert tic_tac_toe.ask("joho isready") == ["readyok"]
    assert tic_tac_toe.ask("") == tic_tac_toe.ask("debug on") == tic_tac_toe.ask("register later") == []


def test_rules_that_fail_are_no_end(monkeypatch, tic_tac_toe):
    def fail(*_, **__):
        raise ZeroDivisionError("in the rules")

    monkeypatch.setattr(AlphaBeta, "search", fail)
    lines = tic_tac_toe.ask("position startpos", "go depth 2")
    assert lines[0].startswith("info string ZeroDivisionError: in the rules")
    assert lines[1].startswith("bestmove ")


def test_numbers_of_go():
    assert read_go(["depth", "3", "depth", "5", "nodes", "-4"]) == ({"depth": 3, "nodes": 0}, set(), [])
    with pytest.raises(OutplayError, match="go wtime soon: a whole number is missing"):
        read_go(["wtime", "soon"])


PLAIN = """uci isready position startpos fen moves go infinite ponder stop ponderhit setoption name value Hash MultiPV
true false depth nodes movetime wtime btime winc movestogo searchmoves mate perft ucinewgame a1 b2 c3 z9 1 2 -1
999999999999 xyz ./x /// UCI_Elo UCI_LimitStrength Threads debug register d Clear"""
WORDS = [*PLAIN.split(), "\x00", "\x1b[2J", "é", "–", "0"]


@pytest.mark.parametrize("number", [1500, pytest.param(100_000, marks=pytest.mark.nightly)])
def test_no_line_is_its_end(number):
    engine, random = Heard(UciEngine, TicTacToe()), Random(7)
    for count in range(number):
        words = [random.choice(WORDS).strip() for _ in range(random.randrange(1, 9))]
        line = " ".join(words) if random.random() < 0.9 else "".join(map(chr, random.choices(range(1, 300), k=30)))
        if "quit" in line or re.search(r"perft\s+[1-9]\d", line):
            continue
        engine.engine.hear(line)
        if count % 100 == 0:
            engine.engine.hear("stop")
            engine.engine.thinker.wait()
            engine.engine.change(strength=None, threads=1)
            answer = engine.ask("position startpos moves b2", "go depth 2")
            assert answer[-1].startswith("bestmove "), line
    assert engine.ask("stop", "isready")[-1] == "readyok"


# -- games in the coordinates of Fairy-Stockfish ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "start", "moves"),
    [
        (Othello(), f"8/8/8/3pP3/3Pp3/8/8/8[{'P' * 60}{'p' * 60}] w - - 0 1", {"P@e3", "P@f4", "P@c5", "P@d6"}),
        (ConnectFour(), f"7/7/7/7/7/7[{'P' * 21}{'p' * 21}] w - - 0 1", {f"P@{column}1" for column in "abcdefg"}),
    ],
    ids=["flipello", "cfour"],
)
def test_variants_of_drops(game, start, moves):
    """The first position and its moves are those of Fairy-Stockfish, apart from what is left in the hands."""
    dialect, state = dialect_of(game), game.initial_state()
    assert dialect.state(game, state) == start
    assert {dialect.move(game, state, action) for action in legal_actions(game, state)} == moves
    assert dialect.parse(game, start) == state
    random = Random(2)
    while not game.is_terminal(state):
        legal = list(legal_actions(game, state))
        names = [dialect.move(game, state, action) for action in legal]
        assert [game.parse_action(state, dialect.read(name)) for name in names] == legal
        if isinstance(game, Othello):
            assert dialect.parse(game, dialect.state(game, state)) == state
        state = game.result(state, random.choice(legal))


def test_othello_by_uci():
    lines = Heard(UciEngine, Othello()).ask("position startpos moves P@d6", "go depth 2")
    assert re.fullmatch(r"bestmove P@(c4|c6|e6)( ponder P@\w\d)?", lines[-1])
    passes = Othello().parse_state("O" * 55 + "-" + "OX" + "O" * 6 + " X")
    assert dialect_of(Othello()).move(Othello(), passes, next(iter(Othello().actions(passes)))) == "b1b1"


def test_connect_four_by_uci():
    heard = Heard(UciEngine, ConnectFour())
    assert heard.ask("position startpos moves P@d1 P@a1 P@d2 P@a2 P@d3 P@a3", "go depth 2")[-1].split()[1] == "P@d4"
    told = heard.ask("position fen 7/7/7/7/7/3P3[Ppp] b - - 0 1")
    assert told == ["info string ConnectFour() cannot be set up from pieces: give position startpos moves …"]
