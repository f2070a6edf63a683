"""What a run of `check_game` remembers: the states it visited, and what was found in them."""

import math
from dataclasses import dataclass, field
from typing import Any

from outplay.rules.game import CHANCE


@dataclass(eq=False)
class Place:
    """A visited state, and what the rules say about it."""

    state: Any
    over: bool
    mover: int = CHANCE
    actions: list[int] = field(default_factory=list)
    utilities: list[float] = field(default_factory=list)  # at the end of the game
    probabilities: list[float] = field(default_factory=list)  # where chance moves
    estimate: float = math.nan  # for player 0
    children: list[Any] = field(default_factory=list)  # some of the next states
    knowledge: list[int] = field(default_factory=list)  # what each player knows, hashed
    equals: list[tuple[str, Any]] = field(default_factory=list)  # (rule, state): states that must have the same value
    last: int = -1  # the action that led here first
    twin: "Place | None" = None  # a different state with the same key, visited before


@dataclass(eq=False)
class RecallRecord:
    """Something that a player knew, the first place where they knew it, and what they last knew and did before."""

    place: Place
    past: tuple[int, int] | None  # (information, action)
    story: str
    twin: Place | None = None  # another state where they knew the same


@dataclass(eq=False)
class Memory:
    """Everything that the laws and the report of one run need to remember from state to state."""

    places: dict[int, Place] = field(default_factory=dict)  # by key
    names: list[str] = field(default_factory=list)  # of the actions in the state before

    # hidden information
    recalls: dict[tuple[int, int], RecallRecord] = field(default_factory=dict)  # by (player, information)
    texts: dict[tuple[int, int], tuple[str, Any]] = field(default_factory=dict)  # (text, state), so too
    pictures: dict[tuple[int, int], tuple[int, Any]] = field(default_factory=dict)  # (hash of one, state), so too
    blind: set[int] = field(default_factory=set)  # the players who were found not to see something
    seeing: dict[int, tuple[Any, Any]] = field(
        default_factory=dict
    )  # by player, two states told apart by what others did

    # statistics
    longest: int = 0  # plies
    visits: int = 0  # of states that are not terminal
    choices: int = 0  # legal actions of all visits
    movers: set[int] = field(default_factory=set)
    ends: list[list[float]] = field(default_factory=list)  # the utilities at the end of each playout
    circles: int = 0  # random games of a puzzle that were cut off after a state was repeated
    repeated: int = 0  # random games of a puzzle in which a state was repeated
    forecasts: list[tuple[float, float]] = field(default_factory=list)  # (estimate, utility at the end) of player 0
