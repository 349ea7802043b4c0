"""Methods for operators: users' rights on sites, uploaded files, the history of a page."""

from landyard_landing.operator import files, history, rights
from landyard_landing.operator.group import GROUPS

__all__ = ["GROUPS", "files", "history", "rights"]
