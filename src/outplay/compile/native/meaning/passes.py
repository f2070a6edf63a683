"""The passes registered with Numba: for searches and for checked mode."""

from outplay.compile.native.game_type import PASSES_OF_RULES
from outplay.compile.native.internals import INFERERS, register_pass
from outplay.compile.native.meaning.empty import Inferer
from outplay.compile.native.meaning.settle import Settle
from outplay.compile.native.meaning.twins import Twins


@register_pass(mutates_CFG=False, analysis_only=False)
class PlainTwins(Twins):
    """Twins for searches."""

    _name = "outplay_plain_twins"


@register_pass(mutates_CFG=False, analysis_only=False)
class CheckedTwins(Twins):
    """Twins for checked mode."""

    _name, checked = "outplay_checked_twins", True


@register_pass(mutates_CFG=False, analysis_only=False)
class PlainSettle(Settle):
    """Settle for searches."""

    _name = "outplay_plain_settle"


@register_pass(mutates_CFG=False, analysis_only=False)
class CheckedSettle(Settle):
    """Settle for checked mode."""

    _name, checked = "outplay_checked_settle", True


PASSES_OF_RULES.update({False: (PlainTwins, PlainSettle), True: (CheckedTwins, CheckedSettle)})
INFERERS[:] = [Inferer]
