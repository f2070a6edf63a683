"""Pictures as SVG: the writer, the layout of trees, and how trees and boards are drawn."""

from outplay.pictures.show import BoardPicture
from outplay.pictures.tree import TreePicture

__all__ = ["BoardPicture", "TreePicture"]
