"""Texts in compiled rules: both speeds are equal, or the rules run interpreted."""

import textwrap

import pytest
from programs.two_speeds import both, load

pytestmark = pytest.mark.compiled

COMPILED = {
    "an int": "state[0] - 2",
    "a bool": "state[0] > 2",
    "a string": "'a b'",
    "an int of NumPy": "np.int64(state[0] - 2)",
}
REFUSED = {
    "a float": "state[0] * 1.0",
    "a tuple": "(state[0], 1)",
    "a list": "[state[0]]",
    "an array": "np.array([state[0]])",
    "a set": "{state[0]}",
    "a dict": "{state[0]: 1}",
    "a range": "range(state[0])",
    "a member": "Kind.A",
    "a named tuple": "Named(state[0], 2)",
    "None": "None",
    "what may be None": "None if state[0] > 1 else 5",
}
GAME = """
    import enum
    from typing import NamedTuple
    import numpy as np
    class Kind(enum.Enum):
        A = 1
    class Named(NamedTuple):
        a: int
        b: int
    ---
    def initial_state(self):
        return (4, 0)
    def result(self, state, action):
        return (state[0] - action, state[1] + self.value(state))
    def value(self, state):
        total = 0
        for character in TEXT:
            total = (3 * total + ord(character)) % 1009
        return total
"""


def game(text, folder):
    return load("texts", textwrap.dedent(GAME).replace("TEXT", text), folder)


@pytest.mark.sample(2)
@pytest.mark.parametrize("value", COMPILED.values(), ids=COMPILED.keys())
@pytest.mark.parametrize("text", ["str({})", 'f"<{{{}}}>"'], ids=["str", "f"])
def test_texts_of_ints_bools_and_strings_compile(text, value, tmp_path):
    compiled, found, expected = both(game(text.format(value).replace("'", "'"), tmp_path))
    assert compiled
    assert found == expected


def test_the_digits_of_ints(tmp_path):
    text = "str(state[0] * 1000 - 2345) + str(-(1 << 63)) + str(state[0] * 10**17)"
    compiled, found, expected = both(game(text, tmp_path))
    assert compiled
    assert found == expected


FORMATTED = (
    "'%d,%d' % (state[0] - 2, state[1])",
    "'%d' % state[0]",
    "'<%3d|%-3d|%03d|%s|%5s|%-5s%%>' % (state[0] - 2, -3, state[0] - 2, state[0], state[0] > 2, 'ab')",
    "'{}-{}'.format(state[0], 'x' * state[0])",
    "'{0}{{}}{1}'.format(state[0] > 2, -state[0])",
    "'{:>4}{:<4}{:^5}{:04d}{:x>3}'.format(state[0], 'ab', 'cd', -state[0], state[0] > 2)",
    'f\'{state[0]:3}{"ab":4}{-state[0]:04}{state[0] > 2:3}|{state[0] > 2}{"e":^4}\'',
    "'%s%d' % ('ab', state[0] > 2) + '%s' % 'cd'",
    "'plain %%' % () + 'x'.format()",
)


@pytest.mark.sample(1)
@pytest.mark.parametrize("text", FORMATTED)
def test_formats_compile(text, tmp_path):
    compiled, found, expected = both(game(text, tmp_path))
    assert compiled
    assert found == expected


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "text", ["'%s' % (state[0] * 0.5)", "'%d' % 2.5", "'{:.2f}'.format(0.5)", "'{!r}'.format('a')"]
)
def test_other_formats_run_interpreted(text, tmp_path):
    compiled, found, expected = both(game(text, tmp_path))
    assert not compiled
    assert found == expected


@pytest.mark.sample(3)
@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("text", ["str({})", 'f"{{{}}}"', "repr({})"], ids=["str", "f", "repr"])
def test_texts_of_other_values_run_interpreted(text, value, tmp_path):
    if "{{" in text and "{" in value:
        value = f"({value})"
    compiled, found, expected = both(game(text.format(value), tmp_path))
    assert not compiled
    assert found == expected


@pytest.mark.sample(2)
@pytest.mark.parametrize("text", ["str(state[0])", "'-7'", "' 12 '", "'1_0'", "'+3'"])
def test_ints_of_texts_compile(text, tmp_path):
    compiled, found, expected = both(game(f"'.' * (20 + int({text}))", tmp_path))
    assert compiled
    assert found == expected


def test_the_hash_of_a_member_runs_interpreted(tmp_path):
    compiled, found, expected = both(game("'.' * (hash(Kind.A) % 50)", tmp_path))
    assert not compiled
    assert found == expected


FIRST = """
from outplay import Game, perft
from outplay.compile.kernels import runs_compiled

class First(Game):
    def initial_state(self): return 5, 0
    def to_move(self, state): return len("%s" % state[1]) - 1 + state[1]
    def actions(self, state): return [len("%s" % 1), len("%d%d" % (1, 2))]
    def result(self, state, action): return state[0] - action, 1 - state[1]
    def is_terminal(self, state): return len(f"{state[1]}") + 1 > state[0] + 1
    def utility(self, state, player): return 1 if player == state[1] else -1

game = First()
print(perft(game, 2).lines, runs_compiled(game))
"""


@pytest.mark.nightly
def test_what_rules_call_is_known_before_the_first_of_them_is_compiled(python, tmp_path):
    (tmp_path / "first.py").write_text(FIRST, encoding="utf-8")
    assert python("first.py") == "4 True"
