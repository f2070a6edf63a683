"""What `outplay solve` does: find a value, count, prove, and print."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import typer

from outplay.cli.analyse import answer, effort_text, is_over, show_state, table
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import check_file
from outplay.cli.output import complain, live, live_search, say, short, stdout
from outplay.cli.saving import not_saved, saved
from outplay.cli.searchers import searcher_for
from outplay.cli.start import load_checked, play_moves
from outplay.session.algorithms import suited
from outplay.session.searchers import OWN

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Searcher
    from outplay.proofs import Proof
    from outplay.rules.game import Game
    from outplay.search.count import TreeCount

PROVING = ("alpha-beta", "mtdf", "minimax", "proof-number", "mcts")
"""The algorithms whose exact values --proof proves."""
ENDING = ("minimax", "proof-number", "mcts")
"""Those that need play to come to an end."""


@dataclass
class SolveTask:
    """One run of the command: its options, and what it finds.

    Attributes:
        game, states, names: the game, the states up to the one to solve, and the moves between them.
        algorithm: as asked for; None to let methods take turns.
        quiet: whether nothing is said while it works.
        analysis, reasons: the value, and why methods were chosen.
        proof, tree: what else was asked for; None if it was interrupted.
    """

    game: "Game"
    states: list[Any]
    names: list[str]
    algorithm: str | None
    table_mb: float | None
    memory_mb: float | None
    threads: int
    book: str | None
    settings: list[str]
    proof_file: Path | None
    save: Path | None
    resume: bool
    quiet: bool
    analysis: "Analysis" = field(init=False)
    searcher: "Searcher" = field(init=False)
    reasons: list[str] = field(init=False, default_factory=list)
    not_saved: str = ""
    proof: "Proof | None" = None
    tree: "TreeCount | None" = None
    is_proof_written: bool = False

    @classmethod
    def begin(cls, game: str, moves: str, state: str | None, **options: Any) -> Self:
        """The task of these options of the command. Raises an error, before any work, for those that do not suit."""
        proof, algorithm, save = options["proof_file"], options["algorithm"], options["save"]
        if proof is not None and state is not None:
            raise typer.BadParameter("--proof goes with --moves, not with --state")
        check_file("--proof", proof)
        check_saving(save, options["resume"], options["book"], proof, algorithm)
        rules = load_checked(game)
        if proof is not None:
            check_provable(rules, moves, algorithm)
        return cls(rules, *play_moves(rules, moves, state), **options)

    # -- work ---------------------------------------------------------------------------------------------------------

    def solve(self) -> None:
        """Find the value, and with it perhaps the proof."""
        state, needs_proof = self.states[-1], self.proof_file is not None
        name = self.algorithm or ("alpha-beta" if needs_proof else suited(self.game, solving=True))
        takes_turns = self.algorithm is None and not needs_proof and not self.settings and name != "mcts"
        keeps_table = takes_turns or needs_proof or self.save is not None
        self.searcher = searcher_for(
            self.game, name, self.table_mb, self.book, self.threads, reuse=keeps_table, evaluation=OWN,
            settings=self.settings,
        )  # fmt: skip
        if needs_proof:
            has_default_search = not (self.algorithm or self.settings or self.book) and self.threads == 1
            if self._play_goes_in_circles():
                self.searcher = with_table(self.searcher, state)
            elif has_default_search and not self.game.repetition and not self.game.is_terminal(state):
                self._solve_by_questions()
                return
        with live_search() as progress:
            if not takes_turns and self.save is None:
                self.analysis = self.searcher.search(state, previous_states=self.states[:-1], progress=progress)
                return
            from outplay.session.solver import Solver

            solved = Solver(self.game, first=self.searcher, memory_mb=self.memory_mb, alone=not takes_turns).solve(
                state,
                previous_states=self.states[:-1],
                progress=progress,
                explain=None if self.quiet else explain,
                save_to=self.save,
                resume=self.resume,
            )
        self.analysis, self.reasons, self.not_saved = solved.analysis, list(solved.reasons), solved.not_saved

    def _play_goes_in_circles(self) -> bool:
        """Whether a proof needs a table of all states."""
        from outplay.session.survey import goes_in_circles

        if self.algorithm not in (None, *ENDING) or goes_in_circles(self.game, self.states[-1]) is None:
            return False
        if self.algorithm is not None:
            raise typer.BadParameter(
                f"--proof with {self.algorithm}: play goes in circles here, where {self.algorithm} may never end;"
                " without --algorithm, a table of all states is made"
            )
        return True

    def _solve_by_questions(self) -> None:
        """Find the value and its proof at once, as `Proof.make` chooses."""

        def choose(reason: str) -> None:
            self.reasons.append(reason)
            if not self.quiet:
                explain(reason)

        self.proof = self._prove(choose=choose)
        if self.proof is None:
            complain("No proof", "bold red", f"it was interrupted; {self.proof_file} was not written")
            raise typer.Exit(INTERRUPTED)
        assert self.proof.analysis is not None
        self.analysis = self.proof.analysis

    def _prove(self, **options: Any) -> "Proof | None":
        """A proof of the value; None if Ctrl-C stopped it."""
        from outplay.proofs import Proof

        pairs = zip(self.states, self.names, strict=False)
        actions = [self.game.parse_action(before, name) for before, name in pairs]
        with live("proving…") as show:
            return Proof.make(
                self.game, actions, table_mb=64 if self.table_mb is None else self.table_mb,
                progress=lambda done: show(f"proving: {done:,} states" if done else "solving…"), **options,
            )  # fmt: skip

    def count(self) -> None:
        """Count the tree and the positions below the state."""
        if self.analysis.stopped == "interrupted":
            return
        from outplay.search.count import count_tree

        with live("compiling the count…") as show:
            self.tree = count_tree(
                self.game,
                self.states[-1],
                progress=lambda so_far: show(f"{short(so_far.positions)} positions, {so_far.seconds:.1f} s"),
            )

    def write_proof(self) -> None:
        """Prove the value that was found, unless it is proved, and save the proof."""
        if self.analysis.exact and self.proof is None:
            assert self.analysis.values is not None
            self.proof = self._prove(searcher=self.searcher, value=self.analysis.values[0])
        assert self.proof_file is not None
        self.is_proof_written = self.proof is not None and saved(partial(self.proof.save, self.proof_file))

    # -- answers ------------------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """The results as plain values."""
        count = {"count": self.tree.as_dict()} if self.tree else {}
        return {"moves": self.names, **self.analysis.as_dict(), "reasons": self.reasons, **count}

    def show(self) -> None:
        """Print the results."""
        show_state(self.analysis, self.names)
        say(answer(self.analysis))
        if self.analysis.equilibrium:
            say()
            stdout().print(table(self.analysis))
        elif self.analysis.line:
            say(f"Best line: {self.analysis.line_text()}")
        if not is_over(self.analysis):
            say(effort_text(self.analysis), "dim")
        if self.tree:
            say(f"\nBelow this state: {self.tree}")
        if self.tree and self.tree.complete:
            say(f"Positions at each ply: {' '.join(f'{positions:,}' for positions in self.tree.by_ply)}")
        if self.is_proof_written and self.proof is not None and self.proof_file is not None:
            size = self.proof_file.stat().st_size
            say(f"Proof in {self.proof_file}: {self.proof.states:,} states, {size:,} bytes")

    def finish(self) -> int:
        """Say what is missing, remove or keep the saved search, and return the exit code."""
        lacks_proof = self.proof_file is not None and self.proof is None
        if lacks_proof:
            reason = "it was interrupted" if self.analysis.exact else "the value is not exact"
            complain("No proof", "bold red", f"{reason}; {self.proof_file} was not written")
        if self.not_saved:
            not_saved(self.not_saved)
        elif self.save is not None and not self.analysis.exact:
            complain("Saved", "bold", f"go on from {self.save} with --resume")
        elif self.save is not None and not lacks_proof:
            from outplay.session.saving import remove_saved

            saved(partial(remove_saved, self.save))
        is_count_cut = self.tree is not None and not self.tree.complete
        if self.analysis.stopped == "interrupted" or is_count_cut or (lacks_proof and self.analysis.exact):
            return INTERRUPTED
        return int(bool(self.analysis.stopped or lacks_proof))


def explain(reason: str) -> None:
    """Say why a method was chosen."""
    complain("Method", "bold", reason)


def check_saving(save: Path | None, resume: bool, book: str | None, proof: Path | None, algorithm: str | None) -> None:
    """Raise an error for options that do not go with --save."""
    if save is None:
        if resume:
            raise typer.BadParameter("--resume goes with --save FILE, the file to go on from")
        return
    if book is not None:
        raise typer.BadParameter("--save goes without --book: what is found holds only with this book")
    if proof is not None and algorithm is None:
        raise typer.BadParameter("--save and --proof need --algorithm: alpha-beta, mtdf or proof-number")
    check_file("--save", save)


def check_provable(game: "Game", moves: str, algorithm: str | None) -> None:
    """Raise an error, before any work, if --proof does not suit the game or the other options."""
    from outplay.proofs.proof import check_suits

    check_suits(game, moves.split())
    if algorithm not in (None, *PROVING):
        raise typer.BadParameter(f"--proof is for {', '.join(PROVING)}: {algorithm} makes no proofs")
    if game.repetition and algorithm not in (None, "alpha-beta", "mtdf"):
        raise typer.BadParameter(f"--proof with {algorithm} is for games without repetition: use alpha-beta")


def with_table(searcher: "Searcher", state: Any) -> "Searcher":
    """A searcher that knows all states after `state`: where play goes in circles, alpha-beta alone may never end."""
    from outplay import Tablebase

    with live("play goes in circles: making a table of all states…") as show:
        table = Tablebase.make(
            searcher.game, [state], progress=lambda stage, done, states: show(f"{stage}: {done:,} of {states:,} states")
        )
    if table is None:
        raise typer.Exit(INTERRUPTED)
    return replace(searcher, books=(*searcher.books, table))
