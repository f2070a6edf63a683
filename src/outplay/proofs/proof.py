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
import re
import struct
import sys
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from outplay import __version__
from outplay.engine.rules_mark import RulesMark
from outplay.proofs.checking import REPORT_EVERY, Fault, Verdict, assumption, check_part, parts_of
from outplay.rules.arguments import Progress
from outplay.rules.constant_sum import draw_utility, is_opposed
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.game import Game, legal_actions
from outplay.rules.numbered import Numbered, numbered
from outplay.system.files import check_version, read_file, write_file

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Searcher

MAGIC = b"outplay proof 1\n"
MAX_HEADER = 1 << 20
MAX_STATES = 10_000_000
"""The most states that are checked unless more are asked for, so that a hostile file cannot fill the memory."""
CHUNK = 1 << 16
"""The bytes of a piece that is decompressed at once."""


class Proof:
    """A proof that a state of a game has a certain value for player 0; anyone can check it with the rules alone.

    Make one with `Proof.make`, and check it with `verify`, which runs the rules in plain Python and does not search.

    >>> from outplay.games import TicTacToe
    >>> proof = Proof.make(TicTacToe())
    >>> proof
    <Proof of TicTacToe(): a draw (value 0), 847 states>
    >>> proof.verify().fault
    ''
    """

    def __init__(self, game: Game, moves: Sequence[int], value: float, numbers: bytes, states: int) -> None:
        self.game = game
        self.moves = tuple(moves)
        """The moves to the state, as places among the legal actions."""
        self.value = value
        """The value for player 0."""
        self.states = states
        """The number of states that the proof goes through."""
        self._numbers = numbers
        self.analysis: Analysis | None = None
        """How `make` found the value; None if it was known, the game is over, or the proof was read from a file."""

    @property
    def result(self) -> str:
        """What is proved, in words: "player 0 wins (value 1)"."""
        return result_of(self.game, self.value)

    def __repr__(self) -> str:
        return f"<Proof of {self.game!r}: {self.result}, {self.states:,} states>"

    @classmethod
    def make(
        cls,
        game: Game,
        moves: Sequence[Any] = (),
        *,
        table_mb: float = 64,
        searcher: "Searcher | None" = None,
        value: float | None = None,
        progress: Progress[int] | None = None,
        max_states: int = MAX_STATES,
        choose: Callable[[str], None] | None = None,
    ) -> Self | None:
        """Solve the state after `moves`, and prove its value.

        Args:
            game: a game for one player, or for two sides with opposed interests, without chance.
            moves: actions from the initial state to the one to be proved; none in a game with a rule of repetition.
            table_mb: the memory for the table of answers to questions, in megabytes.
            searcher: a searcher of this game that finds exact values, such as `AlphaBeta`, `ProofNumber` or `MCTS`.
                With `reuse_table` or `reuse_tree`, what it has proved is not proved again. Where play can go in
                circles, or there is a rule of repetition, an `AlphaBeta`. None: the value is found by questions.
            value: the exact value for player 0, if it is known.
            progress: called with the number of states so far, of each part and then of the check.
            max_states: the most states that a part may have, each of which takes 16 bytes of memory.
            choose: without a `searcher`, have df-pn take turns with the questions once these have taken some seconds.
                It is called with each reason for a choice, in words.

        Returns None if Ctrl-C stopped it. Raises `UnsuitableGame` for any other game, and `OutplayError` if the
        searcher does not find the exact value, a part has more states, or what was found does not pass the check. The
        search may never end if play can go in circles, unless a `Tablebase` is among the `books` of the searcher.
        """
        from outplay.proofs.building import Interrupted, Maker  # noqa: PLC0415 - a check must not load a search

        game = plain(game)
        check_suits(game, moves)
        state, places = game.initial_state(), list[int]()
        for move in moves:
            actions = [] if game.is_terminal(state) else list(legal_actions(game, state))
            if move not in actions:
                raise OutplayError(f"Proof.make(moves=…): {move!r} is not a legal action in {state!r}")
            places.append(actions.index(move))
            state = game.result(state, move)
        maker = Maker(game, state, table_mb, searcher, max_states, progress, choose)
        try:
            value = maker.value() if value is None else value
            proof, verdict = cls._with_verdict(game, places, value, maker.parts(value), progress)
            if verdict.fault and maker.may_differ:
                proof, verdict = cls._with_verdict(game, places, value, maker.parts(value, by_content=True), progress)
        except (Interrupted, KeyboardInterrupt):
            return None
        if verdict.fault:
            raise OutplayError(
                f"no proof of {game!r}: what the search found does not hold: {verdict.fault}, in {verdict.state!r}"
            )
        proof.analysis = maker.analysis(value)
        return proof

    @classmethod
    def _with_verdict(
        cls, game: Game, places: list[int], value: float, parts: "list[array[int]]", progress: Progress[int] | None
    ) -> tuple[Self, Verdict]:
        """The proof of these parts, and the result of its check."""
        numbers = array("H")
        for part in parts:
            numbers.extend(part)
        if sys.byteorder == "big":
            numbers.byteswap()
        proof = cls(game, places, value, zlib.compress(numbers.tobytes(), 9), sys.maxsize)
        verdict = proof._check(progress)
        proof.states = verdict.states
        return proof, verdict

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

    def verify(self, progress: Progress[int] | None = None, *, max_states: int = MAX_STATES) -> Verdict:
        """Check the proof with the rules in plain Python.

        Args:
            progress: called with the number of states so far.
            max_states: the most states to check, each of which takes some hundred bytes of memory until the check ends.

        Raises `OutplayError` if the proof claims more states, or if its content is damaged.
        """
        if self.states > max_states:
            raise OutplayError(
                f"the proof claims {self.states:,} states, more than max_states = {max_states:,}: give a greater number"
                " if there is memory for them, some hundred bytes each"
            )
        verdict = self._check(progress)
        if not verdict.fault and verdict.states != self.states:
            fault = f"the proof has {verdict.states:,} states, not {self.states:,} as it claims"
            return Verdict(verdict.states, fault, None)
        return verdict

    def _check(self, progress: Progress[int] | None) -> Verdict:
        """Check the proof; it must not have more than `states` states."""
        game, states, numbers = self.game, 0, self._read()
        state, _ = self.start()

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
            if next(numbers, None) is not None:
                raise Fault("the proof goes on after its end", None)
        except Fault as fault:
            return Verdict(states, str(fault), fault.state)
        return Verdict(states, "", None, assumption(game, self.value))

    def _read(self) -> Iterator[int]:
        """The numbers, decompressed a piece at a time, so that a small file cannot fill the memory."""
        reader, source, at, unread = zlib.decompressobj(), memoryview(self._numbers), 0, b""
        try:
            while not reader.eof:
                piece: Any = reader.unconsumed_tail
                if not piece:
                    piece = source[at : at + CHUNK]
                    at += len(piece)
                more = reader.decompress(piece, CHUNK)
                if not more and not piece:
                    raise OutplayError("the proof is damaged: its end is missing")
                unread += more
                even = len(unread) & ~1
                yield from (number for (number,) in struct.iter_unpack("<H", unread[:even]))
                unread = unread[even:]
        except zlib.error as error:
            raise OutplayError(f"the proof is damaged: {error}") from None
        if unread or reader.unused_data or at < len(source):
            raise OutplayError("the proof is damaged: there are bytes after its end")

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write the proof to a file, whole or not at all, and return its size. Raises `OutplayError` if it cannot."""
        header = {
            "game": name_of(self.game), "repr": repr(self.game), "rules": RulesMark(numbered(self.game)).sample(),
            "moves": self.moves, "value": self.value, "states": self.states, "check": zlib.crc32(self._numbers),
            "outplay": __version__,
        }  # fmt: skip
        text = json.dumps(header).encode()
        content = MAGIC + struct.pack("<I", len(text)) + text + self._numbers
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
        check_version(path, whole[: len(MAGIC)], MAGIC)
        if not whole.startswith(MAGIC):
            raise OutplayError(f"{path} is not a proof: it does not begin with {MAGIC.decode().strip()!r}")
        at = len(MAGIC) + 4
        length = int.from_bytes(whole[at - 4 : at], "little")
        if length > MAX_HEADER or at + length > len(whole):
            raise OutplayError(f"{path} is damaged: its header is cut off")
        try:
            header = json.loads(whole[at : at + length])
            texts = [header[name] for name in ("game", "repr", "rules", "outplay")]
            counts = [header[name] for name in ("states", "check")] + header["moves"]
            value = float(header["value"])
            if not all(isinstance(text, str) and text.isprintable() for text in texts) or not math.isfinite(value):
                raise ValueError("a text or a value is of another kind")
            if not all(type(count) is int and count >= 0 for count in counts):
                raise ValueError("a number is out of range")
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
            raise OutplayError(f"{path} is damaged: its header is not one of a proof ({error!r})") from None
        numbers = whole[at + length :]
        if zlib.crc32(numbers) != header["check"]:
            raise OutplayError(f"{path} is damaged: its checksum is wrong")
        if game is None:
            if not header["game"]:
                raise OutplayError(
                    f"{path} is a proof of {header['repr']}, which is not a built-in game: name the game"
                )
            from outplay.session.load import load_game  # noqa: PLC0415

            game = load_built_in(header["game"], load_game)
        game = plain(game)
        check_suits(game, header["moves"])
        if repr(game) != header["repr"]:
            raise OutplayError(f"{path} is a proof of {header['repr']}, not of {game!r}")
        if RulesMark(numbered(game)).sample() != header["rules"]:
            raise OutplayError(f"the rules of {game!r} have changed since {path} was made")
        return cls(game, header["moves"], value, numbers, header["states"])


def plain(game: Game) -> Game:
    """The rules as they were written: a check has no use for actions as numbers."""
    return game.rules if isinstance(game, Numbered) else game


def result_of(game: Game, value: float) -> str:
    """A value for player 0 in words."""
    if game.players == 1:
        return f"player 0 gets {value:g}"
    side = "the side of player 0" if game.teams else "player 0"
    draw = draw_utility(game)
    if value == draw:
        return f"a draw (value {value:g})"
    if value < draw:
        return f"{'player 1 wins' if game.players == 2 else f'{side} loses'} (value {value:g})"
    return f"{side} wins (value {value:g})"


def name_of(game: Game) -> str:
    """A built-in game as on the command line; "" for any other."""
    from outplay.games import BUILT_IN  # noqa: PLC0415

    names = [name for name, cls in BUILT_IN.items() if cls is type(game)]
    return names[0] + repr(game).removeprefix(type(game).__name__) if names else ""


def load_built_in(text: str, load: Callable[[str], Game]) -> Game:
    """The built-in game that a file names; a file must not make other code run."""
    from outplay.games import BUILT_IN  # noqa: PLC0415

    name, opened, parameters = text.partition("(")
    if name not in BUILT_IN or (opened and not parameters.endswith(")")) or re.search(r"\.\s*[A-Za-z_]", text):
        raise OutplayError(f"the proof names a game that is not built in, {text[:100]!r}: name the game")
    return load(text)


def check_suits(game: Game, moves: Sequence[Any] = ()) -> None:
    """Raise an error if there are no proofs for `game`, or not after `moves`."""
    reason = (
        "its players see only a part of the state"
        if game.hidden_information
        else "it has chance nodes"
        if game.has_chance
        else "the interests of its players are not opposed"
        if not is_opposed(game)
        else f"a repeated state is worth more or less than a draw (repetition = {game.repetition!r})"
        if game.repetition not in ("", "draw", None)
        else "the value depends on the states before, which can be repeated: prove the initial state"
        if game.repetition and moves
        else ""
    )
    if reason:
        raise UnsuitableGame(f"there is no proof for {game!r}{' after moves' if moves else ''}: {reason}")
