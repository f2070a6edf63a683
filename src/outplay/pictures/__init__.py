"""Pictures as SVG: the writer, the layout of trees, how a tree is drawn, and searches step by step."""

from outplay.pictures.matrix import MatrixPicture
from outplay.pictures.page import StepByStep
from outplay.pictures.tree import TreePicture

__all__ = ["MatrixPicture", "StepByStep", "TreePicture"]
