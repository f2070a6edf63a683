"""Curves, drawn by matplotlib, which is an extra: `pip install 'outplay[plot]'`."""

from typing import Any

from outplay.rules.errors import OutplayError, WrongType

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Colours that people with any kind of colour blindness can tell apart (Okabe & Ito 2008)."""
DASHES = ("-", "--", ":", "-.")


def axes(ax: Any, call: str) -> Any:
    """The axes to draw on: `ax`, or those of a new figure if it is None.

    Raises `OutplayError` if matplotlib is not installed, and `WrongType`, which names the `call`, for anything else.
    """
    try:
        from matplotlib import pyplot  # noqa: PLC0415 - an extra, and slow to import
        from matplotlib.axes import Axes  # noqa: PLC0415
    except ImportError:
        raise OutplayError(f"{call}() needs matplotlib: pip install 'outplay[plot]'") from None
    if ax is None:
        return pyplot.subplots(layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise WrongType(f"{call}(ax={ax!r}): Axes of matplotlib are wanted, such as ax in fig, ax = plt.subplots()")
    return ax


def dressed(ax: Any, title: str, x: str, y: str) -> Any:
    """The axes with a title, names, a legend and a grid."""
    ax.set(title=title, xlabel=x, ylabel=y)
    ax.grid(visible=True, alpha=0.3)
    ax.legend()
    return ax
