"""`Proof`: a proof of an exact value, made by a search, saved, loaded and checked.

The file, which needs nothing but the standard library:

    outplay proof 1         and a line feed, 16 bytes
    length                  of the header, uint32
    header                  JSON: the game, a hash of its rules, the moves to the start, the value, the parts, …
    numbers                 uint16, little-endian, compressed with zlib: see `checking.py`
"""

import json
import math
import os
import struct
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

from outplay import __version__
from outplay.engine.rules_mark import RulesMark
from outplay.proofs.checking import REPORT_EVERY, Fault, Verdict, check_part, parts_of
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.game import Game, legal_actions
from outplay.rules.numbered import Numbered, encoded, numbered
from outplay.system.files import read_file, write_file

MAGIC = b"outplay proof 1\n"
MAX_HEADER = 1 << 20
MAX_ACTIONS = 1 << 16
CHUNK = 1 << 16
Progress = Callable[[int], None]


class Proof:
    """A proof that a state of a game has a certain value for player 0; anyone can check it with the rules alone.

    Make one with `Proof.make`, and check it with `verify`, which runs the rules in plain Python and does not search.

    >>> from outplay.games import TicTacToe
    >>> proof = Proof.make(TicTacToe())
    >>> proof.value, proof.verify().fault
    (0.0, '')
    """

    def __init__(self, game: Game, moves: Sequence[int], value: float, content: bytes, states: int, size: int) -> None:
        self.game = game
        self.moves = tuple(moves)
        """The moves to the state, as places among the legal actions."""
        self.value = value
        """The value for player 0."""
        self.states = states
        """The number of states that the proof goes through."""
        self._content, self._size = content, size

    def __repr__(self) -> str:
        return f"<Proof of {self.game!r}: {self.value:+g} for player 0, {self.states:,} states>"

    @classmethod
    def make(
        cls, game: Game, moves: Sequence[Any] = (), *, table_mb: float = 64, progress: Progress | None = None
    ) -> Self | None:
        """Solve the state after `moves`, and prove its value. Ctrl-C stops it; the result is None then.

        Args:
            game: a game for one player, or for two sides with opposed interests, without chance.
            moves: actions from the initial state to the one to be proved.
            table_mb: the memory for the transposition table, in megabytes.
            progress: called with the number of states so far.

        Raises `UnsuitableGame` for any other game. The search may never end if play can go in circles.
        """
        from outplay.proofs.building import Incomplete, strategy  # noqa: PLC0415 - a check must not load a search
        from outplay.search.alpha_beta import AlphaBeta  # noqa: PLC0415

        check_suits(game)
        game = numbered(game)
        state, places = game.initial_state(), []
        for move in moves:
            actions, action = list(legal_actions(game, state)), encoded(game, move)
            if action not in actions:
                raise OutplayError(f"Proof.make(moves=…): {move!r} is not a legal action in {state!r}")
            places.append(actions.index(action))
            state = game.result(state, action)
        searcher = AlphaBeta(game, table_mb=table_mb, reuse_table=True)
        if game.is_terminal(state):
            value = float(game.utility(state, 0))
        else:
            found = searcher.search(state)
            if not found.exact:
                return None
            assert found.values is not None
            value = found.values[0]
        searches = AlphaBeta(game, table_mb=table_mb, reuse_table=True, check=False)
        searches._table, searches._rules, searches._searches = searcher._table, searcher._rules, 1
        try:
            parts = [strategy(game, state, part, searches, progress) for part in parts_of(game, value)]
        except (Incomplete, KeyboardInterrupt):
            return None
        numbers = array("H", (number for part in parts for number in part))
        if struct.pack("=H", 1) != struct.pack("<H", 1):
            numbers.byteswap()
        content = zlib.compress(numbers.tobytes(), 9)
        proof = cls(game, places, value, content, MAX_STATES, len(numbers))
        verdict = proof.verify()
        if verdict.fault:
            raise OutplayError(
                f"no proof of {game!r}: what the search found does not hold: {verdict.fault}, in {verdict.state!r}"
            )
        proof.states = verdict.states
        return proof

    def start(self) -> tuple[Any, list[str]]:
        """The state whose value is proved, and the names of the moves that lead there."""
        game = self.game
        names: list[str] = []
        state = game.initial_state()
        for place in self.moves:
            actions = [] if game.is_terminal(state) else list(legal_actions(game, state))
            if place >= len(actions):
                raise OutplayError(f"the proof starts with a move that is not legal, number {len(names) + 1}")
            names.append(game.action_name(state, actions[place]))
            state = game.result(state, actions[place])
        return state, names

    def verify(self, progress: Progress | None = None) -> Verdict:
        """Check the proof with the rules in plain Python. `progress` is called with the number of states so far."""
        game, states = self.game, 0
        state, _ = self.start()
        numbers = self._numbers()

        def tell() -> None:
            nonlocal states
            states += 1
            if states > self.states:
                raise Fault(f"the proof has more states than the {self.states:,} that it claims", None)
            if progress and states % REPORT_EVERY == 0:
                progress(states)

        try:
            for part in parts_of(game, self.value):
                check_part(game, state, self.value, part, numbers, tell)
        except Fault as fault:
            return Verdict(states, str(fault), fault.state)
        if next(numbers, None) is not None:
            return Verdict(states, "the proof goes on after its end", None)
        if self.states not in (states, MAX_STATES):
            return Verdict(states, f"the proof has {states:,} states, not {self.states:,} as it claims", None)
        return Verdict(states, "", None)

    def _numbers(self) -> Iterator[int]:
        """The numbers, decompressed a part at a time, so that a small file cannot fill the memory."""
        reader, rest, content = zlib.decompressobj(), b"", self._content
        try:
            while not reader.eof:
                part = reader.decompress(content, CHUNK)
                content = reader.unconsumed_tail
                if not part and not content and not reader.eof:
                    raise Fault("the file is cut off", None)
                rest += part
                even = len(rest) & ~1
                yield from (number for (number,) in struct.iter_unpack("<H", rest[:even]))
                rest = rest[even:]
        except zlib.error as error:
            raise OutplayError(f"the proof is damaged: {error}") from None
        if rest or reader.unused_data:
            raise OutplayError("the proof is damaged: there are bytes after its end")

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write the proof to a file, whole or not at all, and return its size. Raises `OutplayError` if it cannot."""
        header = {
            "game": name_of(self.game), "repr": repr(self.game), "rules": RulesMark(numbered(self.game)).sample(),
            "moves": self.moves, "value": self.value, "states": self.states, "numbers": self._size,
            "check": zlib.crc32(self._content), "outplay": __version__,
        }  # fmt: skip
        text = json.dumps(header).encode()
        content = MAGIC + struct.pack("<I", len(text)) + text + self._content
        write_file(path, content)
        return len(content)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game | None = None) -> Self:
        """Read the proof in a file; `game` is needed unless it is a built-in game.

        Raises `OutplayError` if the file is not a proof, is damaged, or belongs to another game.
        """
        if os.path.exists(path) and not os.path.isfile(path):
            raise OutplayError(f"{path} cannot be read: it is not a regular file")
        whole = read_file(path)
        if not whole.startswith(MAGIC):
            raise OutplayError(f"{path} is not a proof: it does not begin with {MAGIC.decode().strip()!r}")
        at = len(MAGIC) + 4
        length = int.from_bytes(whole[at - 4 : at], "little")
        if length > MAX_HEADER or at + length > len(whole):
            raise OutplayError(f"{path} is damaged: its header is cut off")
        try:
            header = json.loads(whole[at : at + length])
            texts = [header[name] for name in ("game", "repr", "rules", "outplay")]
            counts = [header[name] for name in ("states", "numbers", "check")] + header["moves"]
            value = float(header["value"])
            if not all(isinstance(text, str) for text in texts) or not math.isfinite(value):
                raise ValueError("a text or a value is of another kind")
            if not all(type(count) is int and count >= 0 for count in counts) or header["states"] >= MAX_STATES:
                raise ValueError("a number is out of range")
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
            raise OutplayError(f"{path} is damaged: its header is not one of a proof ({error!r})") from None
        content = whole[at + length :]
        if zlib.crc32(content) != header["check"]:
            raise OutplayError(f"{path} is damaged: its checksum is wrong")
        if game is None:
            if not header["game"]:
                raise OutplayError(
                    f"{path} is a proof of {header['repr']}, which is not a built-in game: name the game"
                )
            from outplay.session.load import load_game  # noqa: PLC0415

            game = load_built_in(header["game"], load_game)
        check_suits(game)
        if repr(game) != header["repr"]:
            raise OutplayError(f"{path} is a proof of {header['repr']}, not of {game!r}")
        if RulesMark(numbered(game)).sample() != header["rules"]:
            raise OutplayError(f"the rules of {game!r} have changed since {path} was made")
        return cls(numbered(game), header["moves"], value, content, header["states"], header["numbers"])


MAX_STATES = 1 << 62
"""More states than any proof has."""


def name_of(game: Game) -> str:
    """A built-in game as on the command line; "" for any other."""
    from outplay.games import BUILT_IN  # noqa: PLC0415

    rules = game.rules if isinstance(game, Numbered) else game
    names = [name for name, cls in BUILT_IN.items() if cls is type(rules)]
    return names[0] + repr(rules).removeprefix(type(rules).__name__) if names else ""


def load_built_in(text: str, load: Callable[[str], Game]) -> Game:
    """The built-in game that a file names; a file must not make other code run."""
    from outplay.games import BUILT_IN  # noqa: PLC0415

    if text.partition("(")[0] not in BUILT_IN:
        raise OutplayError(f"the proof names a game that is not built in, {text[:100]!r}: name the game")
    return load(text)


def check_suits(game: Game) -> None:
    """Raise an error if there are no proofs for `game`."""
    opposed = len(set(game.teams) or range(game.players)) <= 2 and (game.players == 1 or has_constant_sum(game))
    reason = (
        "its players see only a part of the state"
        if game.hidden_information
        else "it has chance nodes"
        if game.has_chance
        else "the interests of its players are not opposed"
        if not opposed
        else f"its values depend on the positions before (repetition = {game.repetition!r})"
        if game.repetition not in ("", "draw", None)
        else ""
    )
    if reason:
        raise UnsuitableGame(f"there is no proof for {game!r}: {reason}")
