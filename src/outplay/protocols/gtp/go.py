"""The Go Text Protocol for Go: `Engine` with the commands about boards, komi, handicap and SGF files.

The protocol has no rule for repeated positions, so a game continues after one, and also after two passes if another
move is played, as in files of games (`Go.resumed`). By the rules of Tromp and Taylor all stones on the board are alive
at the end: `final_score` counts them, and the engine never relies on stones being removed as dead.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from outplay.engine.limits import Limit
from outplay.games._sgf import SgfError, main_lines
from outplay.games._sgf_go import go_game
from outplay.games.go import Go, Points, first, is_any, without
from outplay.protocols.gtp.engine import Engine
from outplay.protocols.gtp.responder import Method, Refused, number, score, whole
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.system.files import read_file, write_file

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Searcher


class GoEngine(Engine):
    """`Engine` for Go, with all the commands of the protocol and those of KGS."""

    @property
    def game(self) -> Go:
        """The game."""
        game = self.session.game
        assert isinstance(game, Go)
        return game

    def all_commands(self) -> dict[str, Method]:
        """The method of each command."""
        return super().all_commands() | {
            "boardsize": self.boardsize,
            "komi": self.komi,
            "fixed_handicap": self.fixed_handicap,
            "place_free_handicap": self.place_free_handicap,
            "set_free_handicap": self.set_free_handicap,
            "kgs-genmove_cleanup": self.genmove,  # it never relies on dead stones
            "final_status_list": self.final_status_list,
            "loadsgf": self.loadsgf,
            "printsgf": self.printsgf,
        }

    def with_options(self, **options: Any) -> Go:
        """The game with these options changed."""
        return type(self.game)(**{**self.game._arguments, **options})

    # -- the game -----------------------------------------------------------------------------------------------------

    def boardsize(self, size: str) -> None:
        """Begin a new game on a board of this size, without handicap."""
        if not 2 <= whole(size) <= 19:
            raise Refused("unacceptable size")
        self.begin(self.with_options(size=whole(size), handicap=0))

    def clear_board(self) -> None:
        """Begin a new game, without handicap."""
        self.begin(self.with_options(handicap=0))

    def komi(self, new_komi: str) -> None:
        """Change the komi. The game continues."""
        game = self.with_options(komi=number(new_komi, least=-math.inf))
        if game != self.game:
            self.session.game, self.searcher = game, self.make(game)

    def turn_of(self, mover: int) -> Any:
        """The state with this player to move. Players may move twice in a row, and continue after two passes."""
        state = self.game.resumed(self.session.state)
        return state if state.turn == mover else self.game.null_move_state(state)

    def action_of(self, state: Any, text: str) -> int:
        """The legal action that `text` names."""
        if text.lower() != "pass":
            self.point_of(text)
        return super().action_of(state, text)

    def legal(self, state: Any) -> list[int]:
        """The legal actions of `state`."""
        return list(map(int, self.game.actions(state)))

    def point_of(self, text: str) -> int:
        """The point of this name."""
        names = {self.game.action_name(None, point): point for point in range(self.game.passing)}
        if text.upper() not in names:
            raise Refused(f"invalid coordinate: {text!r} is not a point of this board, which has A1 to {[*names][-1]}")
        return names[text.upper()]

    def search(self, state: Any, limit: Limit) -> "Analysis":
        """Search. Where the rules say that the game ended by repetition, search as if it began here."""
        analysis = super().search(state, limit)
        if analysis.action is None and not analysis.stopped:
            analysis = self.searcher.search(state, limit)
        return analysis

    # -- handicap -----------------------------------------------------------------------------------------------------

    def fixed_handicap(self, number_of_stones: str) -> str:
        """Place black's handicap stones on the usual points."""
        stones, most = whole(number_of_stones), len(self.game.stars)
        if not 2 <= stones <= most:
            allowed = f"2 to {most}" if most else "none"
            raise Refused(f"invalid number of stones: on a board of size {self.game.size} there are {allowed}")
        state = self.session.state
        if self.session.actions or self.game.handicap or is_any(state.mine) or is_any(state.theirs):
            raise Refused("board not empty")
        self.begin(self.with_options(handicap=stones))
        return " ".join(self.names(self.game.handicap_points()))

    def place_free_handicap(self, number_of_stones: str) -> str:
        """Like `fixed_handicap`, but with fewer stones if there is no room for all of them."""
        return self.fixed_handicap(str(min(whole(number_of_stones), max(2, len(self.game.stars)))))

    def set_free_handicap(self, *vertices: str) -> None:
        """Place black's handicap stones on these points, which must be the points of `fixed_handicap`."""
        points = {self.point_of(text) for text in vertices}
        if len(points) != len(vertices):
            raise Refused("repeated vertex")
        if 2 <= len(points) <= len(self.game.stars):
            usual = self.with_options(handicap=len(points)).handicap_points()
            if points != set(usual):
                raise Refused(f"bad vertex list: {len(points)} handicap stones go on {' '.join(self.names(usual))}")
        self.fixed_handicap(str(len(points)))

    # -- the end, and files -------------------------------------------------------------------------------------------

    def final_score(self) -> str:
        """The difference of the areas if the game ended here. All stones count as alive."""
        black, white = self.game.area(self.session.state)
        return score(black - white - self.game.komi)

    def final_status_list(self, status: str) -> str:
        """The chains with this status, one per line. All are `alive`."""
        if status not in ("alive", "dead", "seki"):
            raise Refused(f"syntax error: {status!r} is not a status; wanted alive, dead or seki")
        chains = [self.names(self.game.listed(chain)) for chain in self.chains()] if status == "alive" else []
        return "\n".join(map(" ".join, chains))

    def chains(self) -> list[Points]:
        """The chains of both colours."""
        chains = []
        for stones in self.game.colours(self.session.state):
            stones_left = stones
            while is_any(stones_left):
                chains.append(self.game.flood(first(stones_left), stones))
                stones_left = without(stones_left, chains[-1])
        return chains

    def loadsgf(self, filename: str, move_number: str | None = None) -> str:
        """Begin with the first game in an SGF file, or with its position before move `move_number`.

        It is read as all games of Go are; the answer names what is odd about it.
        """
        most = None if move_number is None else max(0, whole(move_number) - 1)
        try:
            line = next(main_lines(read_file(filename)))
            if isinstance(line, SgfError):
                raise line
            sgf_game = go_game(line, type(self.game))
            game = self.with_options(size=sgf_game.game.size, komi=sgf_game.game.komi, handicap=sgf_game.game.handicap)
            start = None if sgf_game.start is None else game.parse_state(sgf_game.start)
        except OutplayError as error:
            raise Refused(
                f"cannot load file: {filename}: {error}".replace(f"{filename}: {filename}", filename)
            ) from None
        before = self.session, self.searcher, self.times
        self.begin(game, start)
        played = 0
        for move in sgf_game.moves:
            played += bool(move.written)  # a pass that was put in has no number
            if most is not None and played > most:
                break
            state = self.game.resumed(self.session.state)
            if move.action not in self.legal(state):
                self.session, self.searcher, self.times = before
                raise Refused(f"cannot load file: {filename}: move {played}, {move.written}: it is not legal")
            self.session.append(move.action, state=state)
        return "; ".join(sgf_game.odd)

    def printsgf(self, filename: str | None = None) -> str:
        """The game so far as SGF, or write it to a file."""
        nodes = "".join(
            f";{'WB'[after.turn]}[{self.game.sgf_point(move)}]"
            for move, after in zip(self.session.actions, self.session.states[1:], strict=True)
        )
        state = self.session.states[0]
        is_plain = state[:4] == self.game.initial_state()[:4]  # the stones, and who is to move
        root = self.game.to_sgf(()).removesuffix(")") + ("" if is_plain else self.game.sgf_setup(state))
        text = f"{root}{nodes})"
        if filename is None:
            return text
        try:
            write_file(filename, f"{text}\n".encode())
        except OutplayError as error:
            raise Refused(f"cannot write file: {error}") from None
        return ""

    def names(self, points: Sequence[int]) -> list[str]:
        """The names of these points."""
        return [self.game.action_name(None, point) for point in points]


def engine_for(
    game: Game, searcher: "Callable[[Game], Searcher]", limit: Limit | None = None, **options: Any
) -> Engine:
    """The engine that suits `game`: `GoEngine` for Go, else `Engine`. The arguments are those of `Engine`."""
    if isinstance(game, Go):
        return GoEngine(game, searcher, limit, **options)
    return Engine(game, searcher, limit, **options)
