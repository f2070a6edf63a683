"""Decision diagrams: the values of codes, exactly those that they were made of."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay.rules.errors import TableError
from outplay.tables.decision_diagram import DecisionDiagram

pytestmark = pytest.mark.compiled


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.integers(0, 255), st.integers(0, 4)), st.permutations(range(8)))
def test_it_holds_exactly_what_it_was_made_of(values, order):
    codes, levels = np.array(list(values), np.int64), np.array(list(values.values()), np.uint8)
    made = DecisionDiagram.of(codes, levels, order)
    for diagram in (made, DecisionDiagram.unpack(made.pack())):
        assert [diagram.find(code) for code in range(-1, 512)] == [values.get(code) for code in range(-1, 512)]


def test_equal_rests_share_nodes():
    codes = np.arange(1 << 12)
    assert len(DecisionDiagram.of(codes, codes & 1, range(11, -1, -1))) == 12
    assert len(DecisionDiagram.of(codes, codes % 7, range(11, -1, -1))) < 12 * 7


def test_the_highest_bit_is_the_sign():
    diagram = DecisionDiagram.of(np.array([-(1 << 63), 1 << 62]), np.array([2, 0]), [63, 62])
    codes = (-(1 << 63), 1 << 62, 0, -1, 1 << 63, -(1 << 62))
    assert [diagram.find(code) for code in codes] == [2, 0, None, None, None, None]


def test_damage_is_refused():
    content = DecisionDiagram.of(np.array([3, 5]), np.array([0, 1]), range(3)).pack()
    for at in range(len(content)):
        with pytest.raises(TableError, match="damaged"):
            DecisionDiagram.unpack(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(TableError, match="damaged"):
            DecisionDiagram.unpack(content[:at])


@pytest.mark.parametrize("order", [[0, 0], [0], [64, 1, 0]])
def test_an_order_must_have_all_bits_once(order):
    with pytest.raises(ValueError, match="order"):
        DecisionDiagram.of(np.array([3]), np.array([0]), order)
