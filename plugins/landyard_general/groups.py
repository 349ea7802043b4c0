"""The two method groups of this plugin, and a class for empty parameters."""

from msgspec import Struct

from landyard import MethodGroup

general = MethodGroup()
user = MethodGroup(scope="user")


class Nothing(Struct, frozen=True):
    """No parameters."""
