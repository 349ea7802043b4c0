"""Methods for operators: users' rights on sites, uploaded files, the history of a page."""

from landyard_sitekit.operator import files, history, rights
from landyard_sitekit.operator.group import GROUPS

__all__ = ["GROUPS", "files", "history", "rights"]
