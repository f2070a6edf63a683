"""Constants of any kind, enumerations and classes in rules: compiled, they mean what Python means."""

import pytest
from constant_cases import COMPILED, REFUSED
from try_constructs import attempt


@pytest.mark.sample(40)
@pytest.mark.parametrize("name", COMPILED)
def test_it_compiles_to_what_python_computes(name, tmp_path):
    assert attempt(name, COMPILED[name], tmp_path) == ("compiles", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_checked_rules_compute_the_same(name, tmp_path):
    assert attempt(name, COMPILED[name], tmp_path, is_checked=True) == ("compiles", "")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name, tmp_path):
    text, part = REFUSED[name]
    outcome, reason = attempt(name, text, tmp_path)
    assert outcome == "interpreted"
    assert part in reason
