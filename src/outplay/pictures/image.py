"""What all pictures can do: SVG for notebooks, and files, as SVG or PNG."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from outplay.rules.errors import OutplayError
from outplay.system.files import write_file

MAX_SCALE = 20.0


class Image(ABC):
    """A picture."""

    _is: ClassVar[str] = "a picture"

    @abstractmethod
    def svg(self) -> str:
        """The picture as an SVG document."""

    def png(self, scale: float = 2.0) -> bytes:
        """The picture in light colours as a PNG image, `scale` times as wide as the SVG, in pixels.

        Raises `OutplayError` if resvg is not installed (`pip install 'outplay[png]'`) or the image would be too large,
        and `ValueError` for a scale that is not above 0 and at most 20.
        """
        if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not 0 < scale <= MAX_SCALE:
            raise ValueError(f"png(scale={scale!r}): a number above 0, at most {MAX_SCALE:g}")
        draw = png_drawer()
        try:
            return bytes(draw(svg_string=self.svg(), zoom=float(scale)))
        except ValueError as error:
            raise OutplayError(f"{self._is} cannot be drawn as PNG: {error}; a smaller scale may help") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file, as the end of its name says: `.svg` or `.png`.

        Raises `OutplayError` if that fails, or for PNG, if resvg is not installed (`pip install 'outplay[png]'`).
        """
        kinds = self._kinds()
        make = kinds.get(Path(path).suffix.lower())
        if make is None:
            raise OutplayError(f"{path}: {self._is} is saved as {' or '.join(kinds)}")
        write_file(path, make(), OutplayError)

    def _kinds(self) -> dict[str, Callable[[], bytes]]:
        """The endings of files, and what is written to each."""
        return {".svg": lambda: self.svg().encode(), ".png": self.png}

    def _repr_svg_(self) -> str:
        return self.svg()


def png_drawer() -> Callable[..., Any]:
    """The function that draws SVG as PNG. Raises `OutplayError` if its package, an extra, is not installed."""
    try:
        drawer: Callable[..., Any] = import_module("resvg_py").svg_to_bytes
    except ImportError:
        raise OutplayError("PNG files need resvg: pip install 'outplay[png]'") from None
    return drawer
