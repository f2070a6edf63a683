"""Pictures as SVG: the writer, the layout of trees, and how trees and matrix games are drawn."""

from outplay.pictures.matrix import MatrixPicture
from outplay.pictures.tree import TreePicture

__all__ = ["MatrixPicture", "TreePicture"]
