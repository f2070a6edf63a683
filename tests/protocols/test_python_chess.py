"""python-chess: the same positions, moves and results both ways, and a search as one of its engines."""

import io
import sys
from random import Random

import chess
import chess.engine
import chess.pgn
import pytest
from shared import PATIENCE

from outplay import AlphaBeta, OutplayError
from outplay.games import Chess, Nim
from outplay.protocols import SearchEngine, board_of, session_of
from outplay.protocols.python_chess import action_of, limit_of, move_of
from outplay.session import Session

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


@pytest.mark.parametrize("number", [518, 0, 271, 959])
@pytest.mark.parametrize("seed", range(3))
def test_random_games_in_step(number, seed):
    game, random = Chess(number), Random(seed)
    session = Session(game)
    board = chess.Board.from_chess960_pos(number) if number != 518 else chess.Board()
    for _ in range(120):
        assert board.is_game_over(claim_draw=False) <= session.over
        if session.over:
            break
        ours = {move_of(board, game, session.state, action): action for action in session.legal}
        assert set(ours) == set(board.legal_moves)
        move = random.choice(sorted(ours, key=str))
        assert action_of(game, session.state, move) == ours[move]
        session.play(ours[move])
        board.push(move)
    twin = board_of(session)
    assert twin.board_fen() == board.board_fen()
    assert twin.move_stack == board.move_stack
    assert session_of(board, game).names == session.names
    assert session_of(board, game).state == session.state


def test_games_of_pgn():
    game = chess.pgn.read_game(io.StringIO("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O *"))
    board = game.end().board()
    session = session_of(board)
    assert session.names == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"] + ["O-O"] * (len(session.names) - 6)
    assert board_of(session).fen() == board.fen()


def test_other_games_are_refused():
    with pytest.raises(OutplayError, match="python-chess plays chess, not Nim"):
        board_of(Session(Nim()))
    import chess.variant

    with pytest.raises(OutplayError, match="AtomicBoard is another game"):
        session_of(chess.variant.AtomicBoard())


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "chess", None)
    monkeypatch.setitem(sys.modules, "chess.engine", None)
    with pytest.raises(OutplayError, match=r"pip install 'outplay\[chess\]'"):
        board_of(Session(Chess()))


def test_a_search_is_an_engine():
    with SearchEngine(AlphaBeta(Chess())) as engine:
        board = chess.Board(MATE_IN_ONE)
        result = engine.play(board, chess.engine.Limit(depth=2))
        assert result.move == chess.Move.from_uci("a1a8")
        info = engine.analyse(board, chess.engine.Limit(depth=2))
        assert info["score"].white() == chess.engine.Mate(1)
        assert info["pv"][0] == result.move
        infos = engine.analyse(board, chess.engine.Limit(depth=1), multipv=3)
        assert len(infos) == 3
        assert [info["score"].relative for info in infos] == sorted((i["score"].relative for i in infos), reverse=True)
        assert sum(infos[1]["wdl"].relative) == 1000
        only = engine.play(board, chess.engine.Limit(depth=1), root_moves=[chess.Move.from_uci("f2f3")])
        assert only.move == chess.Move.from_uci("f2f3")
        over = chess.Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
        assert engine.play(over, chess.engine.Limit(depth=1)).move is None
        assert engine.analyse(over, chess.engine.Limit(depth=1)) == {}


def test_earlier_positions_count():
    board = chess.Board("7k/8/8/8/8/8/R7/K7 w - - 0 1")
    for move in ("Ra3", "Kg8", "Ra2", "Kh8") * 2:
        board.push_san(move)
    session = session_of(board)
    assert board.is_repetition(3) == session.over is True


def test_limits():
    limit = limit_of(chess.engine.Limit(white_clock=60, white_inc=1, black_clock=5, remaining_moves=7), 1)
    assert (limit.clock.seconds, limit.clock.increment, limit.clock.moves) == (5, 0, 7)
    assert limit_of(chess.engine.Limit(white_clock=60, white_inc=1), 0).clock.increment == 1
    assert limit_of(chess.engine.Limit(), 0).seconds == 1


@pytest.mark.nightly
def test_python_chess_drives_the_uci_engine():
    with chess.engine.SimpleEngine.popen_uci(
        [sys.executable, "-m", "outplay", "uci", "chess"], timeout=PATIENCE
    ) as engine:
        options = {"Hash": 32, "Threads": 2, "Move Overhead": 20, "UCI_LimitStrength": True, "UCI_Elo": 100,
                   "Evaluation": "material", "UCI_ShowWDL": True}  # fmt: skip
        engine.configure(options)
        assert engine.play(chess.Board(), chess.engine.Limit(time=0.1)).move in chess.Board().legal_moves
        engine.configure({"UCI_LimitStrength": False, "Evaluation": "<empty>"})
        assert len(engine.analyse(chess.Board(), chess.engine.Limit(depth=3), multipv=4)) == 4
        assert engine.play(chess.Board(MATE_IN_ONE), chess.engine.Limit(mate=1)).move == chess.Move.from_uci("a1a8")
        board, random = chess.Board.from_chess960_pos(17), Random(2)
        for _ in range(10):
            board.push(engine.play(board, chess.engine.Limit(nodes=500), ponder=random.random() < 0.5).move)
        for _ in range(1000):
            with engine.analysis(chess.Board()) as analysis:
                analysis.stop()
                assert analysis.wait().move in chess.Board().legal_moves
