"""What the methods share: their group, the kernel, and having no parameters."""

from msgspec import Struct

from landyard import ADMIN, Host, MethodGroup

admin = MethodGroup(scope=ADMIN)


class Operator:
    """Keeps the kernel for the methods: `call.kept(Operator).kernel`."""

    def __init__(self, host: Host) -> None:
        """Take it."""
        self.host = host


class Nothing(Struct, frozen=True):
    """No parameters."""
