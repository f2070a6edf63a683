"""What people write in rules: each construct compiles to what Python computes, or runs interpreted."""

import pytest
from programs.constructs import CONSTRUCTS
from programs.try_constructs import attempt

pytestmark = pytest.mark.compiled


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "text"),
    [pytest.param(name, text, id=name) for entries in CONSTRUCTS.values() for name, text in entries.items()],
)
def test_both_speeds_are_equal(name, text, tmp_path):
    outcome, reason = attempt(name, text, tmp_path)
    assert outcome in ("compiles", "interpreted"), reason
