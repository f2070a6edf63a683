"""python-chess: positions, moves and games go both ways, and a search is one of its engines.

It is an extra: `pip install 'outplay[chess]'`. Positions have their moves so far with them, since draws by repetition
depend on these: a `chess.Board` here, a `Session` there.
"""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.games.chess import Chess
from outplay.protocols.uci.engine import share_of, win_draw_loss
from outplay.protocols.uci.variants import pawns_of
from outplay.rules.bits import squares
from outplay.rules.errors import OutplayError
from outplay.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable

    import chess
    import chess.engine

    from outplay.engine.analysis import ActionValue, Analysis
    from outplay.engine.searcher import Searcher

KING_COLUMN = 4


def library() -> Any:
    """python-chess. Raises `OutplayError` if it is not installed."""
    try:
        import chess.engine  # noqa: PLC0415 - it is an extra
    except ImportError:
        raise OutplayError("this needs python-chess: pip install 'outplay[chess]'") from None
    return chess


def board_of(session: Session) -> "chess.Board":
    """The board of a game of chess in progress, with its moves.

    >>> from outplay.games import Chess
    >>> board_of(Session(Chess(), moves="e4 e5 Nf3")).fen()
    'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2'
    """
    game, start = chess_of(session.game), session.states[0]
    board: chess.Board = library().Board(game.state_text(start), chess960=is_chess960(start))
    for state, action in zip(session.states, session.actions, strict=False):
        board.push(move_of(board, game, state, action))
    return board


def session_of(board: "chess.Board", game: Chess | None = None) -> Session:
    """The game of a board: its first position and its moves. Raises `OutplayError` for variants of chess.

    >>> import chess
    >>> board = chess.Board()
    >>> board.push_san("e4")
    Move.from_uci('e2e4')
    >>> session_of(board).names
    ['e4']
    """
    if type(board).__name__ != "Board":
        raise OutplayError(f"{type(board).__name__} is another game: outplay plays chess and Chess960")
    game = game or Chess()
    first = board.root()
    session = Session(game, start=game.parse_state(first.shredder_fen() if board.chess960 else first.fen()))
    for move in board.move_stack:
        session.play(action_of(game, session.state, move))
    return session


def move_of(board: "chess.Board", game: Chess, state: Any, action: int) -> "chess.Move":
    """The move of python-chess that an action is."""
    name = game.castling_name(state, action) if board.chess960 else ""
    move: chess.Move = library().Move.from_uci(name or game.uci_name(state, action))
    return move


def action_of(game: Chess, state: Any, move: "chess.Move") -> int:
    """The action that a move of python-chess is. Raises `IllegalAction` if it is not legal."""
    text = move.uci()
    for action in game.actions(state):
        if text in (game.uci_name(state, int(action)), game.castling_name(state, int(action))):
            return int(action)
    return game.parse_action(state, text)


class SearchEngine:
    """A search with the methods of `chess.engine.SimpleEngine`, in this process: no pipes, and no texts.

    Args:
        searcher: a searcher of `Chess`.

    >>> import chess, chess.engine
    >>> from outplay import AlphaBeta
    >>> engine = SearchEngine(AlphaBeta(Chess()))
    >>> engine.play(chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"), chess.engine.Limit(depth=2)).move
    Move.from_uci('a1a8')
    """

    def __init__(self, searcher: "Searcher") -> None:
        self.game, self.searcher = chess_of(searcher.game), searcher
        self.id = {"name": f"outplay {type(searcher).__name__}", "author": "the outplay project"}

    def __enter__(self) -> "SearchEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.quit()

    def quit(self) -> None:
        """Do nothing: there is no process to end."""

    def play(
        self, board: "chess.Board", limit: "chess.engine.Limit", *, root_moves: "Iterable[chess.Move] | None" = None,
        **_: Any,
    ) -> "chess.engine.PlayResult":  # fmt: skip
        """The best move, and the one expected next. Other options of `SimpleEngine.play` make no difference."""
        session, play_result = session_of(board, self.game), library().engine.PlayResult
        analysis, rows = self._search(session, limit, root_moves)
        if not rows:
            return play_result(None, None)
        line = self._moves(board, session, rows[0].line or (rows[0].action,))
        info = self._info(board, session, analysis, rows[0])
        return play_result(line[0], line[1] if len(line) > 1 else None, info)

    def analyse(
        self, board: "chess.Board", limit: "chess.engine.Limit", *, multipv: int | None = None,
        root_moves: "Iterable[chess.Move] | None" = None, **_: Any,
    ) -> Any:  # fmt: skip
        """An `InfoDict` about the best move; with `multipv`, a list of so many, the best first."""
        session = session_of(board, self.game)
        analysis, rows = self._search(session, limit, root_moves, every=multipv is not None)
        infos = [self._info(board, session, analysis, row) for row in rows[: multipv or 1]]
        return infos if multipv is not None else (infos or [{}])[0]

    def _search(
        self, session: Session, limit: Any, root_moves: Any, every: bool = False
    ) -> "tuple[Analysis, list[ActionValue]]":
        among = None if root_moves is None else {action_of(self.game, session.state, move) for move in root_moves}
        search = self.searcher.analyse if every or among is not None else self.searcher.search
        analysis = search(session.state, limit_of(limit, session.player), previous_states=session.states[:-1])
        rows = [row for row in analysis.actions if among is None or row.action in among]
        return analysis, rows

    def _moves(self, board: "chess.Board", session: Session, line: "Iterable[int]") -> "list[chess.Move]":
        board, state, moves = board.copy(stack=False), session.state, []
        for action in line:
            moves.append(move_of(board, self.game, state, action))
            state = self.game.result(state, action)
        return moves

    def _info(self, board: "chess.Board", session: Session, analysis: "Analysis", row: "ActionValue") -> dict[str, Any]:
        """What `chess.engine` calls an `InfoDict`."""
        engine = library().engine
        share = share_of(analysis, row.value)
        if row.exact and row.distance is not None and share:
            moves = (row.distance + 1) // 2
            score: Any = engine.Mate(moves if share > 0 else -moves)
        else:
            score = engine.Cp(round(max(-30_000, min(30_000, pawns_of(share)))))
        return {
            "depth": analysis.depth,
            "nodes": analysis.nodes,
            "time": analysis.seconds,
            "nps": round(analysis.nodes / analysis.seconds) if analysis.seconds else 0,
            "score": engine.PovScore(score, board.turn),
            "wdl": engine.PovWdl(engine.Wdl(*win_draw_loss(analysis, row, is_drawish=True)), board.turn),
            "pv": self._moves(board, session, row.line or (row.action,)),
        }


def limit_of(limit: Any, player: int | None) -> Limit:
    """A `chess.engine.Limit` for this player, 0 for white; without any limit in it, one second.

    >>> import chess.engine
    >>> limit_of(chess.engine.Limit(time=2, mate=3), 0)
    Limit(seconds=2, depth=5)
    """
    mate = getattr(limit, "mate", None)
    own_limit = Limit(seconds=limit.time, depth=limit.depth or (2 * mate - 1 if mate else None), nodes=limit.nodes)
    left, increment = (limit.white_clock, limit.white_inc) if player == 0 else (limit.black_clock, limit.black_inc)
    if left is not None and math.isfinite(left):
        own_limit = replace(own_limit, clock=Clock(max(left, 0.0), increment or 0.0, limit.remaining_moves))
    return own_limit if own_limit != Limit() else Limit(seconds=1)


def chess_of(game: Any) -> Chess:
    """The game, if it is chess. Raises `OutplayError` if not."""
    if not isinstance(game, Chess):
        raise OutplayError(f"python-chess plays chess, not {game!r}")
    return game


def is_chess960(position: Any) -> bool:
    """Whether a king or a rook that may castle is not on its usual square, so that castling is that of Chess960."""
    rooks, kings = list(squares(position.castling)), list(squares(position.kings))
    castling_kings = [king for king in kings if any(king // 8 == rook // 8 for rook in rooks)]
    return any(rook % 8 not in (0, 7) for rook in rooks) or any(king % 8 != KING_COLUMN for king in castling_kings)
