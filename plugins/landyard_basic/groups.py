"""What the methods have in common: their two groups, and having no parameters."""

from msgspec import Struct

from landyard import MethodGroup

general = MethodGroup()
user = MethodGroup(scope="user")


class Nothing(Struct, frozen=True):
    """No parameters."""
