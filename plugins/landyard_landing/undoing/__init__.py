"""Undo of calls: the rights that it needs, and the rules of the tables of sites and pages."""

from landyard_landing.undoing.rules import (
    may_undo,
)

__all__ = [
    "may_undo",
]
