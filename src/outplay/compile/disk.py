"""Compiled kernels on disk, under a key that covers all that they depend on."""

import functools
import io
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import compiler, serialize

import outplay
from outplay import cache
from outplay.compile.game_type import GameType
from outplay.fingerprint import Fingerprint


class Disk:
    """What Numba's dispatcher asks for compiled code, and hands it to."""

    cache_path = property(lambda self: str(cache.folder()))

    def __init__(self, kernel: Any) -> None:
        self.name = f"{kernel.__module__}.{kernel.__qualname__}"
        self.fingerprint = kernel.fingerprint()

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled code for these argument types, or None."""
        context.refresh()
        data = cache.load(self._key(signature, context)) if self._keepable(signature) else None
        if data is None:
            return None
        try:
            parts = _Unpickler(io.BytesIO(data), _names(signature)).load()
            return compiler.CompileResult._rebuild(context, *parts)
        except Exception:  # whatever is wrong with the file, compiling anew is right
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep the compiled code, if it can be kept."""
        if (
            _of_main(compiled.signature.return_type)
            or not self._keepable(signature)
            or compiled.library.has_dynamic_globals
            or compiled.lifted
        ):
            return
        # Functions that call each other in a circle do it through pointers that are not there when loaded again.
        if any(".numba.unresolved$" in name.name for name in compiled.library._final_module.global_variables):
            return
        file = io.BytesIO()
        _Pickler(file, _names(signature)).dump(compiled._reduce())
        games = [repr(typ.game) for typ in signature if isinstance(typ, GameType)]
        cache.save(self._key(signature, compiled.target_context), self.name, ", ".join(games), file.getvalue())

    def _keepable(self, signature: Any) -> bool:
        return all(typ.fingerprint.complete for typ in signature if isinstance(typ, GameType))

    def _key(self, signature: Any, context: Any) -> str:
        settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
        machine = context.codegen().magic_tuple()
        classes = sorted((c.__module__, c._fields) for (kind, _), c in _names(signature).items() if kind == "class")
        return f"{self.name} {self.fingerprint} {signature} {classes} {_versions()} {machine} {settings}"


@functools.lru_cache(maxsize=1)
def _versions() -> str:
    own = Fingerprint()
    here = Path(__file__).parent
    for file in (*sorted(here.glob("*.py")), here.parent / "trial.py"):  # what it makes of rules is compiled too
        own.add(file.read_bytes())
    return f"{outplay.__version__} {own} {numba.__version__} {np.__version__} {sys.version}"


def _names(signature: Any) -> dict[Any, Any]:
    """The games and state classes in a signature, by name.

    Files hold the names, since a class of a notebook or of `__main__` is another object in each process.
    """
    found: dict[Any, Any] = {}

    def visit(typ: types.Type) -> None:
        if isinstance(typ, GameType):
            found["game", typ.name] = typ
            visit(typ.state)
        elif isinstance(typ, types.BaseTuple):
            if hasattr(typ, "instance_class"):
                found["class", typ.instance_class.__qualname__] = typ.instance_class
            for part in typ.types:
                visit(part)

    for typ in signature:
        visit(typ)
    return found


def _of_main(returned: types.Type) -> bool:
    """Whether a kernel returns a state of a class that the next process cannot find by name."""
    if not isinstance(returned, types.BaseTuple):
        return False
    return getattr(returned, "instance_class", int).__module__ == "__main__" or any(map(_of_main, returned.types))


class _Pickler(serialize.NumbaPickler):
    def __init__(self, file: Any, names: dict[Any, Any]) -> None:
        super().__init__(file)
        self.names = {id(thing): name for name, thing in names.items()}

    def persistent_id(self, thing: Any) -> Any:
        return self.names.get(id(thing))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, names: dict[Any, Any]) -> None:
        super().__init__(file)
        self.names = names

    def persistent_load(self, name: Any) -> Any:
        return self.names[name]
