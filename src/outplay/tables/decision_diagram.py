"""The values of states, without distances, as an ordered decision diagram with many terminals, in few bytes.

A code is read bit by bit, in an order that is the same for all codes. A node of the diagram says where to go on after
a bit 0 and after a bit 1; nowhere if no state has such a code. The last bit leads to the level of the value. Equal
nodes are stored once, so that states whose rest looks the same share their nodes. The diagram holds exactly the
codes that it was made of: any other code has no value.

Packed, it is the CRC-32 of the rest, uint32; the number of bits, uint16; the order of the bits, uint16
each; the number of nodes for each bit, uint32 each; then, compressed with zstd, for each bit the two branches of all
nodes in ascending order, uint32, the first one as differences, by significance of their bytes. All numbers are
little-endian.
"""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.rules.errors import TableError
from outplay.rules.keys import SEED, mix
from outplay.tables.compression import zstd

MOST_BITS = 63
"""The maximum number of bits of a code that may be 1."""
MAX_LEVELS = 1 << 16
"""The maximum number of different levels."""
COMPRESSION = 12
"""The level of compression."""


class DecisionDiagram:
    """The values of codes, one word each.

    >>> diagram = DecisionDiagram.of(np.array([1, 2, 6]), np.array([0, 1, 0]), order=[2, 1, 0])
    >>> [diagram.find(code) for code in range(8)]
    [None, 0, 1, None, None, None, 0, None]
    """

    def __init__(self, order: Sequence[int], nodes: list[tuple[NDArray[np.int32], NDArray[np.int32]]]) -> None:
        self.order, self._nodes = tuple(order), nodes
        self._mask = sum(1 << bit for bit in order)

    @classmethod
    def of(cls, codes: NDArray[np.int64], levels: NDArray[Any], order: Sequence[int]) -> "DecisionDiagram":
        """The diagram of different codes, in any order, with their levels; `order` has the bits as they are asked.

        Raises `ValueError` if `order` leaves out a bit that a code has, or names one twice.
        """
        if len(set(order)) != len(order) or len(order) > MOST_BITS or not all(0 <= bit < 64 for bit in order):
            raise ValueError(f"order: {list(order)}: at most {MOST_BITS} bits from 0 to 63, each once")
        if int(np.bitwise_or.reduce(codes)) & (1 << 64) - 1 & ~sum(1 << bit for bit in order):
            raise ValueError(f"order: {list(order)} leaves out a bit that a code has")
        keys = np.zeros(len(codes), np.int64)
        for bit in order:
            keys = keys << 1 | codes >> bit & 1
        sorted_ = np.argsort(keys, kind="stable")
        keys, ids = keys[sorted_], levels[sorted_].astype(np.int32) + 1
        count, nodes = len(keys), []
        for _ in order:
            room = 1 << 12
            while True:  # with twice the room, until it suffices
                low, high, table = np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(2 * room, np.int32)
                node_count = int(distinct(keys, ids, count, low, high, table))
                if node_count >= 0:
                    break
                room *= 2
            low, high = low[:node_count], high[:node_count]
            ascending = np.lexsort((high, low))
            rank = np.zeros(node_count, np.int32)
            rank[ascending] = np.arange(1, node_count + 1)
            count = int(replace_pairs(keys, ids, count, low, high, table, rank))
            nodes.append((low[ascending], high[ascending]))
        return cls(order, nodes[::-1])

    def __len__(self) -> int:
        """The number of nodes."""
        return sum(len(low) for low, _ in self._nodes)

    def find(self, code: int) -> int | None:
        """The level of a code; None if it is not there."""
        if not -(1 << 63) <= code < 1 << 63 or code & (1 << 64) - 1 & ~self._mask:
            return None
        at = 1
        for bit, branches in zip(self.order, self._nodes, strict=True):
            own = branches[code >> bit & 1]
            at = int(own[at - 1]) if len(own) else 0
            if at == 0:
                return None
        return at - 1

    def items(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """All codes and their levels, in the order of the bits as they are asked."""
        codes, at = np.zeros(len(self._nodes[0][0]), np.int64), np.ones(len(self._nodes[0][0]), np.int32)
        for bit, branches in zip(self.order, self._nodes, strict=True):
            both = np.stack([own[at - 1] for own in branches], axis=1).reshape(-1)
            has_high = both > 0
            codes = np.stack([codes, codes | np.int64(1) << np.int64(bit)], axis=1).reshape(-1)[has_high]
            at = both[has_high]
        return codes, at - 1

    def most(self) -> int:
        """The greatest level."""
        return max(int(branch.max(initial=0)) for branch in self._nodes[-1]) - 1

    def pack(self) -> bytes:
        """The diagram in few bytes."""
        planes = [
            np.ascontiguousarray(numbers.astype("<u4").view(np.uint8).reshape(-1, 4).T).tobytes()
            for low, high in self._nodes
            for numbers in (np.diff(low, prepend=0), high)
        ]
        counts = [len(low) for low, _ in self._nodes]
        head = np.array([len(self.order), *self.order], "<u2").tobytes() + np.array(counts, "<u4").tobytes()
        content: bytes = head + zstd()[0](b"".join(planes), COMPRESSION)
        return zlib.crc32(content).to_bytes(4, "little") + content

    @classmethod
    def unpack(cls, content: bytes) -> "DecisionDiagram":
        """The diagram that `pack` packed. Raises `TableError` if it is damaged."""
        if len(content) < 6 or zlib.crc32(content[4:]) != int.from_bytes(content[:4], "little"):
            raise TableError("the decision diagram is damaged: its checksum is wrong")
        bits = int.from_bytes(content[4:6], "little")
        order = np.frombuffer(content, "<u2", bits, 6).tolist()
        counts = np.frombuffer(content, "<u4", bits, 6 + 2 * bits).tolist()
        size, at, nodes = 8 * sum(counts), 0, []
        planes = zstd()[1]().decompress(content[6 + 6 * bits :], size + 1)
        if len(planes) != size or counts[:1] not in ([0], [1]) or (all if counts[0] else any)(counts) != counts[0]:
            raise TableError("the decision diagram is damaged: its numbers of nodes are wrong")
        for count in counts:
            both = np.frombuffer(planes, np.uint8, 8 * count, at).reshape(2, 4, count)
            low, high = (np.ascontiguousarray(column.T).view("<i4")[:, 0] for column in both)
            nodes.append((np.cumsum(low, dtype=np.int32), high))
            at += 8 * count
        for branches, below in zip(nodes, [*counts[1:], MAX_LEVELS], strict=True):
            if any(own.min(initial=0) < 0 or own.max(initial=0) > below for own in branches):
                raise TableError("the decision diagram is damaged: a branch leads nowhere")
        return cls(order, nodes)


@kernel
def place_of_pair(low: Any, high: Any, table: Any, one: int, other: int) -> int:
    """The place of a node in the hash table, or the free one for it."""
    mask = len(table) - 1
    place = mix(mix(SEED, one), other) & mask
    while table[place] != 0 and (low[table[place] - 1] != one or high[table[place] - 1] != other):
        place = place + 1 & mask
    return int(place)


@kernel
def distinct(keys: Any, ids: Any, count: int, low: Any, high: Any, table: Any) -> int:
    """Find the different nodes for the last bit of ascending keys; their number, -1 if there is no room."""
    nodes, i = 0, 0
    while i < count:
        pair = i + 1 < count and keys[i] >> 1 == keys[i + 1] >> 1
        one = int(ids[i]) if keys[i] & 1 == 0 else 0
        other = int(ids[i + 1]) if pair else int(ids[i]) if keys[i] & 1 == 1 else 0
        place = place_of_pair(low, high, table, one, other)
        if table[place] == 0:
            if nodes == len(low):
                return -1
            low[nodes], high[nodes] = one, other
            nodes += 1
            table[place] = nodes
        i += 2 if pair else 1
    return nodes


@kernel
def replace_pairs(keys: Any, ids: Any, count: int, low: Any, high: Any, table: Any, rank: Any) -> int:
    """Shorten all keys by their last bit, with the ranks of their nodes as ids; how many are left."""
    left, i = 0, 0
    while i < count:
        pair = i + 1 < count and keys[i] >> 1 == keys[i + 1] >> 1
        one = int(ids[i]) if keys[i] & 1 == 0 else 0
        other = int(ids[i + 1]) if pair else int(ids[i]) if keys[i] & 1 == 1 else 0
        node = rank[table[place_of_pair(low, high, table, one, other)] - 1]
        keys[left], ids[left] = keys[i] >> 1, node
        left += 1
        i += 2 if pair else 1
    return left
