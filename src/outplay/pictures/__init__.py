"""Pictures as SVG: the writer, how trees, boards and matrices are laid out and drawn, and searches step by step."""

from outplay.pictures.matrix import MatrixPicture
from outplay.pictures.page import StepByStep
from outplay.pictures.show import BoardPicture
from outplay.pictures.tree import TreePicture

__all__ = ["BoardPicture", "MatrixPicture", "StepByStep", "TreePicture"]
