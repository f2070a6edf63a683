"""Tables against published numbers of states: every state counts, images of each other too."""

import pytest

from outplay import Tablebase
from outplay.games import ConnectFour


class Plain(ConnectFour):
    """Connect Four in which images are different states."""

    def symmetries(self, state):
        return [state]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "height", "states"),
    [(5, 4, 3_945_711)],  # John Tromp, tromp.github.io/c4/c4.html
)
def test_connect_four(width, height, states):
    assert len(Tablebase.make(Plain(width=width, height=height), check=False)) == states
