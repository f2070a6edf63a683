"""The passes registered with Numba: for searches and for checked mode."""

from typing import Any

from outplay.compile.native.game_type import PASSES_OF_RULES
from outplay.compile.native.internals.compiler_passes import INFERERS
from outplay.compile.native.internals.numba_names import register_pass
from outplay.compile.native.meaning.empty import Inferer
from outplay.compile.native.meaning.settle import Settle
from outplay.compile.native.meaning.twins import RulesPass, Twins


def _registered(base: type[RulesPass], checked: bool) -> Any:
    """A pass with checks or without."""
    name = f"outplay_{'checked' if checked else 'plain'}_{base.__name__.lower()}"
    made = type(name, (base,), {"_name": name, "checked": checked})
    return register_pass(mutates_CFG=False, analysis_only=False)(made)


PASSES_OF_RULES.update(
    {checked: (_registered(Twins, checked), _registered(Settle, checked)) for checked in (False, True)}
)
INFERERS[:] = [Inferer]
