"""Messages between partitions, in rounds: what is sent in a round is received in the next one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.system.rows import Rows
from outplay.tables.partitions import PARTITIONS, Mail, Partitions
from outplay.tables.teams import Team

BUDGET = 1 << 20
"""The maximum number of messages that a thread sends in a round, in memory."""
MAIL_SHARE = 0.25
"""The share of the memory for messages in files that stay there: for those received, and for those sent."""
ROOM = 1 << 16, 1 << 22
"""The messages from a thread to a partition that there is room for, in memory and in files."""


class Exchange:
    """Sends and receives the messages of all threads, in one stage of the work after the other.

    Attributes:
        incoming: the messages of the last round.
        outgoing: those of this one.
        received: 1 for partitions that have received theirs in this round.
    """

    def __init__(self, graph: Partitions, team: Team) -> None:
        self.graph, self.team, self.room = graph, team, 0
        self.received = np.zeros(PARTITIONS, np.uint8)
        self.incoming: Mail
        self.outgoing: Mail

    def start(self, width: int, room: int = 0) -> None:
        """Begin a stage of the work, with messages of this many numbers.

        There is the usual room for those from a thread to a partition, or `room`, if that is more.
        """
        self.room = room
        self.received[:] = 0
        for name in "incoming", "outgoing":
            old = vars(self).get(name)
            setattr(self, name, self.new_mail(width, old.rows if old else (self.graph.spare or {}).pop(name, None)))

    def new_mail(self, width: int, old: Rows | None = None) -> Mail:
        """Room for messages of all threads, in the memory of `old` if that is large enough."""
        room, path = max(self.room, ROOM[self.graph.is_split]), self.graph.new_path("mail")
        if old is not None and path is None and old.room >= room * width:
            return Mail(width, self.team.size, old.room // width, rows=old)
        return Mail(width, self.team.size, room, path)

    def give_back(self) -> None:
        """Keep the memory for the messages of another graph."""
        for name in "incoming", "outgoing":
            self.graph.give_back(name, vars(self).pop(name).rows)

    @property
    def budget(self) -> int:
        """The maximum number of messages that a thread sends in a round."""
        return 1 << 62 if self.graph.is_split else BUDGET

    def run_round(self, stage: Any, method: str, done: NDArray[np.uint8] | None = None) -> bool:
        """Let all threads receive, work and send; whether the round is over, or it has to go on after a checkpoint.

        `stage.method` and `done`, which is `received` by default, are as in `Team.over_partitions`.
        """
        graph = self.graph
        graph.mail_bytes = self.incoming.nbytes + self.outgoing.nbytes
        over = self.team.over_partitions(stage, method, self.received if done is None else done)
        graph.mail_bytes = self.incoming.nbytes + self.outgoing.nbytes
        return over

    def evict(self, thread: int, partitions: range) -> None:
        """Take messages that these partitions have received, and those that a thread has sent, out of memory if they
        are many, and in files.
        """
        if self.graph.is_split:
            most, team = MAIL_SHARE * self.graph.memory / self.team.here, self.team
            if self.incoming.nbytes / team.size > most:
                self.incoming.evict(partitions)
            if self.outgoing.nbytes_from(thread) > most:
                self.outgoing.evict(range(PARTITIONS), [thread])

    def next_round(self) -> None:
        """After a round: what was sent is to be received."""
        self.received[:] = 0
        self.incoming, self.outgoing = self.outgoing, self.incoming
        if self.outgoing.is_saved or self.outgoing.senders != self.team.size:
            self.outgoing = self.new_mail(self.incoming.width)
        self.outgoing.counts[:] = 0

    def move(self) -> None:
        """Move all messages to files, as the graph is."""
        for name in "incoming", "outgoing":
            setattr(self, name, self.copy_of(getattr(self, name)))

    def copy_of(self, mail: Mail) -> Mail:
        """A copy with room for all threads, in files if the graph is."""
        senders = max(mail.senders, self.team.size)
        room = max(mail.room, ROOM[self.graph.is_split])
        copy = Mail(mail.width, senders, room, self.graph.new_path("mail"))
        copy.counts[: mail.senders] = mail.counts
        for row, count in enumerate((mail.counts * mail.width).reshape(-1).tolist()):
            copy.numbers[row, :count] = mail.numbers[row, :count]
        return copy

    def saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint needs, as JSON and as arrays."""
        facts, arrays = {}, {"received": self.received}
        for name in "incoming", "outgoing":
            mail = getattr(self, name)
            facts[name] = [mail.width, mail.senders, mail.room, mail.rows.name]
            arrays[name] = mail.counts
        return facts, arrays

    def needed(self) -> list[Rows]:
        """What a checkpoint needs of the files."""
        return [mail.rows for mail in (self.incoming, self.outgoing) if mail.counts.any()]

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Use what was saved; files that are in use already stay."""
        assert self.graph.folder is not None, "it is in files"
        self.received = arrays["received"]
        rows_of_files = {mail.rows.name: mail.rows for mail in vars(self).values() if isinstance(mail, Mail)}
        for name in "incoming", "outgoing":
            width, senders, room, file = facts[name]
            mail = Mail(width, senders, room, self.graph.folder / file, rows_of_files.get(file))
            mail.counts[:] = arrays[name]
            setattr(self, name, mail)

    def leave_checkpoint(self) -> None:
        """Keep the messages of a checkpoint, which may be of another number of threads."""
        self.incoming.is_saved = self.outgoing.is_saved = True
        if self.outgoing.senders < self.team.size:
            self.outgoing = self.copy_of(self.outgoing)
