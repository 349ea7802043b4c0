"""What an operator looks at by calls: rights, files and their uses, the history of a page."""

from landyard_landing.operator import files, history, rights
from landyard_landing.operator.group import GROUPS

__all__ = ["GROUPS", "files", "history", "rights"]
