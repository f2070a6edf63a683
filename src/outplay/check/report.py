"""What `check_game` returns: a `Report` with a `Failure` for each broken law."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A broken law: the rule that breaks it, the state, the action, and what was found.

    `other` is a second state where it takes two to break the law, such as two states that look the same to a player
    and should not.
    """

    law: str
    rule: str
    state: str
    action: str
    detail: str
    other: str = ""

    def __str__(self) -> str:
        parts = [f"law: {self.law}", f"{self.rule}: {self.detail}" if self.rule else self.detail]
        for name, state in (("state", self.state), ("other state", self.other)):
            if state:
                parts.append(f"{name}:" + (" " if "\n" not in state else "\n") + state)
        if self.action:
            parts.append(f"action: {self.action}")
        return "\n".join(parts).replace("\n", "\n    ")


@dataclass(frozen=True, kw_only=True)
class Report:
    """What `check_game` found.

    Attributes:
        game: the game, as it prints.
        failures: each broken law, once, in the earliest state that was found to break it.
        notes: likely mistakes and other remarks that break no law.
        playouts: random games played to the end.
        states: different states tried.
        longest: plies of the longest playout.
        branching: average number of legal actions of a state.
        average: the average utility of each player. Does it favour the player you expect?
        compiled: whether the rules run as native code.
        seconds: how long the check took.
    """

    game: str
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]
    playouts: int
    states: int
    longest: int
    branching: float
    average: tuple[float, ...]
    compiled: bool
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether every law holds."""
        return not self.failures

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        return {"ok": self.ok, **asdict(self)}

    @property
    def _verdict(self) -> str:
        """Whether every law holds, or how many are broken."""
        broken = len(self.failures)
        holds = "every law holds" if self.states else "no law was tried"
        return f"{broken} {'law is' if broken == 1 else 'laws are'} broken" if broken else holds

    @property
    def _numbers(self) -> str:
        average = " ".join(f"{utility:+.2f}" for utility in self.average) or "unknown"
        return (
            f"{self.playouts:,} playouts, {self.states:,} states, {'compiled' if self.compiled else 'interpreted'},"
            f" at most {self.longest:,} plies, {self.branching:.1f} actions a state,"
            f" average utility {average}, {self.seconds:.1f} s"
        )

    def __str__(self) -> str:
        lines = [f"{self.game}: {self._verdict}", *map(str, self.failures), self._numbers]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        """For notebooks: whether the laws hold, a table of those that are broken, the numbers, and the notes."""
        from outplay.pictures.html import Markup, paragraph, table, text_block  # noqa: PLC0415 - only notebooks need it

        rows = []
        for failure in self.failures:
            states = "".join(text_block(state) for state in (failure.state, failure.other) if state)
            rows.append([failure.law, failure.rule, failure.detail, Markup(states), failure.action])
        broken = table(["law", "rule", "what was found", "state", "action"], rows) if rows else ""
        notes = (paragraph(f"note: {note}") for note in self.notes)
        return "".join(
            [paragraph(f"{self.game}: {self._verdict}", bold=True), broken, paragraph(self._numbers), *notes]
        )
