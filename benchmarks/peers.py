"""The other programs, each doing the work in the way that its own documentation shows.

Every choice within a peer's interface is the fastest that we found for it.
"""

import json
import math
import os
import random
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from benchmarks.common import Peer

UCT = 1.4
"""The exploration constant for utilities from -1 to 1. outplay's is in units of their range, so it is half of this."""


class Interpreted(Peer):
    """Outplay's own kernel and rules: the same source, interpreted by Python."""

    name = "the same source, interpreted"


class Listed(Peer):
    """Outplay, with all actions of a game listed to draw one."""

    name = "all actions listed"


class OpenSpiel(Peer):
    """Games in C++, driven from Python (Lanctot et al. 2019)."""

    name = "OpenSpiel"
    distribution = "open_spiel"

    def __init__(self) -> None:
        self.spiel = import_module("pyspiel")
        self.minimax = import_module("open_spiel.python.algorithms.minimax")

    def count_positions(self, name: str, depth: int) -> tuple[int, int]:
        """The positions of the game tree down to `depth`, including the root, and 0 ends, which are not counted."""
        return self._positions(self.spiel.load_game(name).new_initial_state(), depth), 0

    def _positions(self, state: Any, depth: int) -> int:
        if depth == 0 or state.is_terminal():
            return 1
        count = 1
        for action in state.legal_actions():
            count += self._positions(state.child(action), depth - 1)  # quicker than clone() and apply_action()
        return count

    def count_ends(self, name: str, depth: int) -> tuple[int, int]:
        """The positions, and the number of ends of the game among them."""
        ends = [0]
        return self._ends(self.spiel.load_game(name).new_initial_state(), depth, ends), ends[0]

    def _ends(self, state: Any, depth: int, ends: list[int]) -> int:
        count = 1
        if state.is_terminal():
            ends[0] += 1
        elif depth > 0:
            for action in state.legal_actions():
                count += self._ends(state.child(action), depth - 1, ends)
        return count

    def perft(self, name: str, depth: int) -> int:
        """The number of lines of exactly `depth` plies."""
        return self._lines(self.spiel.load_game(name).new_initial_state(), depth)

    def _lines(self, state: Any, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(self._lines(state.child(action), depth - 1) for action in state.legal_actions())

    def rollouts(self, name: str, games: int, seed: int) -> tuple[int, int, int]:
        """Random games by OpenSpiel's own loop in C++, like `playouts`; it does not count actions, so these are 0.

        Python reaches this loop through Monte Carlo tree search, whose evaluator is called once, for the root.
        """
        game = self.spiel.load_game(name)
        evaluator = self.spiel.RandomRolloutEvaluator(games, seed)
        bot = self.spiel.MCTSBot(game, evaluator, 2.0, 1, 1000, False, seed, False)  # 1 simulation, 1000 MB
        return games, 0, round(games * bot.mcts_search(game.new_initial_state()).total_reward)

    def mcts(self, game: str | Any, simulations: int, solver: bool, seed: int) -> tuple[int, float]:
        """Monte Carlo tree search in C++, one random rollout each: the simulations, and their mean result.

        `game` is a game, or the name of one in OpenSpiel.
        """
        game, evaluator = self._game(game), self.spiel.RandomRolloutEvaluator(1, seed)
        bot = self.spiel.MCTSBot(game, evaluator, UCT, simulations, 1000, solver, seed, False)  # 1000 MB, not verbose
        root = bot.mcts_search(game.new_initial_state())
        return root.explore_count, root.total_reward / root.explore_count

    def _game(self, game: str | Any) -> Any:
        return self.spiel.load_game(game) if isinstance(game, str) else game

    def in_python(self, name: str) -> Any:
        """OpenSpiel's example of a game written in Python."""
        import_module(f"open_spiel.python.games.{name}")  # the module registers the game
        return self.spiel.load_game(f"python_{name}")

    def mcts_in_python(self, game: str | Any, simulations: int, seed: int) -> tuple[int, float]:
        """The same by OpenSpiel's bot in Python."""
        mcts = import_module("open_spiel.python.algorithms.mcts")
        np = import_module("numpy")
        game, chance = self._game(game), np.random.RandomState(seed)
        bot = mcts.MCTSBot(game, UCT, simulations, mcts.RandomRolloutEvaluator(1, chance), False, chance)
        root = bot.mcts_search(game.new_initial_state())
        return root.explore_count, root.total_reward / root.explore_count

    def playouts(self, name: str, games: int, seed: int) -> tuple[int, int, int]:
        """Random games to the end: games, actions in all of them, and wins of player 0 minus wins of player 1."""
        game, chance = self.spiel.load_game(name), random.Random(seed)
        actions, margin = 0, 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(chance.random() * len(legal))])  # quicker than random.choice
                actions += 1
            margin += int(state.player_return(0))
        return games, actions, margin

    def alpha_beta(self, name: str, positions: Sequence[Sequence[int]], depth: int) -> list[float]:
        """The value of each position for its player to move. OpenSpiel's C++ search is not available from Python."""
        game, values = self.spiel.load_game(name), []
        for moves in positions:
            state = game.new_initial_state()
            for move in moves:
                state.apply_action(move)
            values.append(
                self.minimax.alpha_beta_search(game, state, maximum_depth=depth, value_function=lambda _: 0.0)[0]
            )
        return values

    def whole_tree(self, name: str) -> float:
        """The value of a game by plain minimax, which is expectiminimax without chance nodes."""
        state = self.spiel.load_game(name).new_initial_state()
        return float(self.minimax.expectiminimax(state, 10**6, None, 0)[0])

    def regret_minimizer(self, name: str, kind: str) -> "RegretMinimizer":
        """Counterfactual regret minimization in C++, with the solver `kind`."""
        game = self.spiel.load_game(name)
        return RegretMinimizer(self.spiel, game, getattr(self.spiel, kind)(game))


@dataclass
class RegretMinimizer:
    """One of OpenSpiel's solvers, and the number of iterations it has made."""

    spiel: Any
    game: Any
    solver: Any
    iterations: int = 0

    def go_on(self, iterations: int) -> None:
        """Run more iterations."""
        sampled = hasattr(self.solver, "run_iteration")
        step = self.solver.run_iteration if sampled else self.solver.evaluate_and_update_policy
        for _ in range(iterations):
            step()
        self.iterations += iterations

    def exploitability(self) -> float:
        """The exploitability of the average strategy so far."""
        return float(self.spiel.exploitability(self.game, self.solver.average_policy()))


class EasyAI(Peer):
    """Two-player games and Negamax in Python (Zulko)."""

    name = "easyAI"
    distribution = "easyAI"

    def __init__(self) -> None:
        self.easy = import_module("easyAI")
        example = import_module("easyAI.games.ConnectFour")
        np = import_module("numpy")

        class ConnectFour(example.ConnectFour):  # type: ignore[misc, name-defined]
            """EasyAI's own example, with what its table needs, and with `unmake_move`: 3 times faster than copying."""

            def ttentry(self) -> tuple[int, bytes]:
                return self.current_player, self.board.tobytes()

            def unmake_move(self, column: int) -> None:
                self.board[np.flatnonzero(self.board[:, column])[-1], column] = 0

        self.game = ConnectFour

    def alpha_beta(self, positions: Sequence[Sequence[int]], depth: int) -> list[float]:
        """The value of each position for its player to move, +1, 0 or -1; a table for each."""
        values = []
        for moves in positions:
            search = self.easy.Negamax(
                depth, lambda game: -100 if game.lose() else 0, tt=self.easy.TranspositionTable()
            )
            game = self.game([self.easy.AI_Player(search), self.easy.AI_Player(search)])
            for move in moves:
                game.make_move(move)
                game.switch_player()
            search(game)
            values.append(math.copysign(1, search.alpha) if search.alpha else 0.0)
        return values

    def module(self, name: str) -> Any:
        """The module with the game of this name."""
        return import_module(f"easyAI.games.{name}")

    def new(self, name: str) -> Any:
        """A new game of this name, between players who only have attributes."""
        return getattr(self.module(name), name)([type("Player", (), {})() for _ in range(2)])

    def random_games(self, name: str, number: int, most_plies: int = 1000) -> int:
        """Play random games of at most this many plies; return the number of plies."""
        generator, plies = random.Random(1), 0
        for _ in range(number):
            game = self.new(name)
            for _ in range(most_plies):
                if game.is_over():
                    break
                game.make_move(generator.choice(game.possible_moves()))
                game.switch_player()
                plies += 1
        return plies

    def perft(self, game: Any, depth: int) -> int:
        """The number of lines of play of this length."""
        if depth == 0:
            return 1
        lines = 0
        for move in [] if game.is_over() else game.possible_moves():
            after = game.copy()
            after.make_move(move)
            after.switch_player()
            lines += self.perft(after, depth - 1)
        return lines


class Aima(Peer):
    """The textbook's own Python (Russell & Norvig), as the package aima3."""

    name = "aima3"
    distribution = "aima3"

    def __init__(self) -> None:
        self.games = import_module("aima3.games")

    def minimax(self) -> int:
        """The action, 0 to 8, that minimax chooses on an empty tic-tac-toe board, row by row from the bottom left."""
        game = self.games.TicTacToe()
        return _square(self.games.minimax_decision(game.initial, game))

    def alpha_beta(self) -> int:
        """The same by alpha-beta."""
        game = self.games.TicTacToe()
        return _square(self.games.alphabeta_search(game.initial, game))

    def count_results(self) -> int:
        """The number of states that minimax makes, including the root."""
        game, count = self.games.TicTacToe(), [1]
        result = game.result

        def counting_result(state: Any, move: Any) -> Any:
            count[0] += 1
            return result(state, move)

        game.result = counting_result
        self.games.minimax_decision(game.initial, game)
        return count[0]


def _square(place: tuple[int, int]) -> int:
    return 3 * (place[1] - 1) + place[0] - 1


class PythonChess(Peer):
    """Chess in Python on bitboards (Niklas Fiekas)."""

    name = "python-chess"
    distribution = "chess"

    def __init__(self) -> None:
        self.chess = import_module("chess")

    def perft(self, fen: str, depth: int, *, bulk: bool) -> int:
        """The number of lines of exactly `depth` plies; `bulk` counts the last ply without making it."""
        return self._lines(self.chess.Board(fen), depth, bulk)

    def _lines(self, board: Any, depth: int, bulk: bool) -> int:
        if depth == 0:
            return 1
        if depth == 1 and bulk:
            return int(board.legal_moves.count())
        count = 0
        for move in board.legal_moves:
            board.push(move)
            count += self._lines(board, depth - 1, bulk)
            board.pop()
        return count


def jax_on_one_core() -> Any:
    """JAX, set to use one thread of the processor. The settings work only if it has not been imported before."""
    one_thread = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ.setdefault("XLA_FLAGS", one_thread)
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    return import_module("jax")


class GamesmanOne(Peer):
    """Games solved whole, in C (GamesCrafters, Berkeley), on one thread."""

    name = "GamesmanOne, in C"
    install = "not found: build https://github.com/GamesCrafters/GamesmanOne; GAMESMAN_ONE is the program gamesman"

    def __init__(self) -> None:
        program = os.environ.get("GAMESMAN_ONE") or shutil.which("gamesman")
        if program is None:
            raise ImportError(self.install)
        self.program = os.path.abspath(program)

    def solve(self, game: str, variant: int) -> tuple[str, int]:
        """Solve a game and write its table; the value of the start for the first player, and the plies to the end."""
        with TemporaryDirectory() as folder:
            self._run(folder, "solve", game, str(variant))
            start = json.loads(self._run(folder, "getstart", game, str(variant)))["position"]
            answer = json.loads(self._run(folder, "query", game, str(variant), start))
        return answer["positionValue"], answer["remoteness"]

    def _run(self, folder: str, *args: str) -> str:
        command = [self.program, "--data-path=data", *args]  # it makes no folder with an absolute path
        one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
        return subprocess.run(command, cwd=folder, env=one_thread, check=True, capture_output=True, text=True).stdout


class Pgx(Peer):
    """Games as array programs in JAX (Koyamada et al. 2023), 1,024 at once, restarted when they end; on one core.

    A subclass declares the game, and the number of actions per game in one piece of work.
    """

    name = "pgx"
    distribution = "pgx"
    game: ClassVar[str]
    actions: ClassVar[int]
    batch = 1024

    def __init__(self) -> None:
        self.jax = jax = jax_on_one_core()
        experimental = import_module("pgx.experimental")
        env = import_module("pgx").make(self.game)
        step = jax.vmap(experimental.auto_reset(env.step, env.init))

        def act(carry: Any, _: Any) -> Any:
            state, key = carry
            key, for_action, for_step = jax.random.split(key, 3)
            action = experimental.act_randomly(for_action, state.legal_action_mask)
            state = step(state, action, jax.random.split(for_step, self.batch))
            return (state, key), state.terminated.sum()

        self.run = jax.jit(lambda carry: jax.lax.scan(act, carry, None, length=self.actions))
        key = jax.random.PRNGKey(1)
        self.carry: Any = jax.vmap(env.init)(jax.random.split(key, self.batch)), key
        self.playouts()  # compiles

    def playouts(self) -> tuple[int, int, int]:
        """Games that ended, actions in all games, and 0 (wins are not counted). The next call goes on from here."""
        self.carry, ends = self.jax.block_until_ready(self.run(self.carry))
        return int(ends.sum()), self.actions * self.batch, 0


class Mctx(Peer):
    """Monte Carlo tree search as an array program in JAX (DeepMind), 64 positions at once, on one core.

    Its policy is Gumbel MuZero's, the model is Connect Four's rules in pgx, the prior is uniform, and the value of a
    position is the result of one random game from there. All of it is compiled, including the random games.
    """

    name = "mctx"
    distribution = "mctx"
    batch = 64

    def __init__(self) -> None:
        self.jax = jax = jax_on_one_core()
        jnp = jax.numpy
        self.mctx = mctx = import_module("mctx")
        self.env = env = import_module("pgx").make("connect_four")
        act_randomly = import_module("pgx.experimental").act_randomly
        self.key = jax.random.PRNGKey(1)

        def logits(state: Any) -> Any:
            return jnp.where(state.legal_action_mask, 0.0, jnp.finfo(jnp.float32).min)

        def playout(state: Any, key: Any) -> Any:
            """The result of a random game from `state` for the player to move; 0 if the game is over."""
            player = state.current_player

            def act(carry: Any) -> Any:
                state, key, _ = carry
                key, action_key = jax.random.split(key)
                state = env.step(state, act_randomly(action_key, state.legal_action_mask[None])[0])
                return state, key, state.rewards[player]

            return jax.lax.while_loop(lambda carry: ~carry[0].terminated, act, (state, key, jnp.float32(0)))[2]

        def recurrent(_: Any, key: Any, action: Any, state: Any) -> Any:
            mover = state.current_player
            state = jax.vmap(env.step)(state, action)
            output = mctx.RecurrentFnOutput(
                reward=state.rewards[jnp.arange(self.batch), mover],
                discount=jnp.where(state.terminated, 0.0, -1.0),
                prior_logits=logits(state),
                value=jax.vmap(playout)(state, jax.random.split(key, self.batch)),
            )
            return output, state

        def search(key: Any, simulations: int) -> Any:
            root_key, search_key = jax.random.split(key)
            state = jax.vmap(env.init)(jax.random.split(root_key, self.batch))
            value = jnp.zeros(self.batch)
            root = mctx.RootFnOutput(prior_logits=logits(state), value=value, embedding=state)
            output = mctx.gumbel_muzero_policy(
                None, search_key, root, recurrent, simulations, invalid_actions=~state.legal_action_mask
            )
            return output.search_tree.node_values[:, 0].mean()

        self.run = jax.jit(search, static_argnums=1)

    def search(self, simulations: int) -> tuple[int, float]:
        """Search from 64 empty boards: the simulations of all, and their mean result for player 0, from -1 to 1."""
        self.key, key = self.jax.random.split(self.key)
        return self.batch * simulations, float(self.run(key, simulations))
