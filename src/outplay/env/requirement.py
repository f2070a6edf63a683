"""The packages that environments need, and what to say where they are missing."""

from importlib import import_module
from typing import Any

from outplay.rules.errors import OutplayError


def required_module(module: str, extra: str = "env") -> Any:
    """A module of an extra. Raises `OutplayError` if it is not installed.

    >>> required_module("tensorgames")
    Traceback (most recent call last):
    ...
    outplay.rules.errors.OutplayError: environments need tensorgames: pip install 'outplay[env]'
    """
    try:
        return import_module(module)
    except ImportError:
        raise OutplayError(f"environments need {module.partition('.')[0]}: pip install 'outplay[{extra}]'") from None
