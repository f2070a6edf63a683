"""Random functions full of statements, patterns, texts, records and loops: both speeds are equal."""

import random

import pytest
from statement_programs import HEAD, Writer
from test_rewriting import TOGETHER, compare, functions_of


def try_programs(seed, number, folder, checked=False):
    rng = random.Random(seed)
    sources = [Writer(rng).program(f"program{at}") for at in range(number)]
    functions = functions_of(sources, folder, f"statements_{seed}_{checked}", HEAD)
    refused, equal = compare(sources, functions, f"statements_{seed}", checked)
    return [(sources[at], reason) for at, reason in refused.items()], equal


def test_random_programs_are_equal_at_both_speeds(tmp_path):
    reasons, equal = try_programs(1, TOGETHER // 2, tmp_path)
    assert equal > TOGETHER
    assert len(reasons) <= TOGETHER // 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_random_programs_are_equal_at_both_speeds(seed, tmp_path):
    reasons, equal = try_programs(seed, 2 * TOGETHER, tmp_path, bool(seed % 2))
    assert len(reasons) < TOGETHER
    assert equal > TOGETHER
