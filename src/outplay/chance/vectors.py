"""What searches for a utility of every player share: sides, and a vector with one value for each in the results."""

from dataclasses import replace
from typing import Any

import numpy as np

from outplay.chance.base import ChanceSearcher
from outplay.engine.analysis import Analysis
from outplay.engine.results import Results
from outplay.engine.workspace import Workspace
from outplay.rules.constant_sum import team_members
from outplay.rules.game import Game


class Vectors(Results):
    """The results of such a search: those of other searches, and the vector of each state, float64 [count, sides]."""

    def __init__(self, results: Results, sides: int) -> None:
        super().__init__(len(results.cells), results.max_rows, results.longest)
        self.vectors = np.zeros((len(results.cells), sides))


class VectorSearcher(ChanceSearcher):
    """A searcher that finds the utility of every player. Players on a team count as one side."""

    def _new_results(self, states: list[Any], max_rows: int) -> Any:
        return Vectors(super()._new_results(states, max_rows), len(team_members(self.game)))

    def _answered(self, state: Any, player: int, results: Any, index: int, *rest: Any) -> Analysis:
        analysis = super()._answered(state, player, results, index, *rest)
        if not analysis.actions:
            return analysis
        values = [0.0] * self.game.players
        for team, value in zip(team_members(self.game), results.vectors[index].tolist(), strict=True):
            for member in team:
                values[member] = value
        return replace(analysis, values=tuple(values))


def set_sides(game: Game, memory: Workspace) -> None:
    """Fill in the fields `sides`, `side_of` (the side of each player) and `speaker` (a player of each side)."""
    members = team_members(game)
    memory.sides = len(members)
    for side, team in enumerate(members):
        memory.side_of[list(team)] = side
        memory.speaker[side] = team[0]
