"""The passes registered with Numba: for searches and for checked mode."""

from typing import Any

from outplay.compile.native.game_type import PASSES_OF_RULES
from outplay.compile.native.internals.compiler_passes import INFERERS
from outplay.compile.native.internals.numba_names import register_pass
from outplay.compile.native.semantics.after_typing import ReplaceTwins
from outplay.compile.native.semantics.before_typing import PutTwins, RulesPass
from outplay.compile.native.semantics.empty_containers import Inferer


def _registered(base: type[RulesPass], checked: bool) -> Any:
    """A pass with checks or without."""
    name = f"outplay_{'checked' if checked else 'plain'}_{base.__name__.lower()}"
    pass_class = type(name, (base,), {"_name": name, "checked": checked})
    return register_pass(mutates_CFG=False, analysis_only=False)(pass_class)


for _checked in (False, True):
    PASSES_OF_RULES[_checked] = _registered(PutTwins, _checked), _registered(ReplaceTwins, _checked)
INFERERS[:] = [Inferer]
