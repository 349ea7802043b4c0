"""The method group of this plugin, the kernel for its methods, and empty parameters."""

from msgspec import Struct

from landyard import ADMIN, Host, MethodGroup

admin = MethodGroup(scope=ADMIN)


class Operator:
    """Keeps the kernel for the methods: `call.kept(Operator).kernel`."""

    def __init__(self, host: Host) -> None:
        """Keep `host`."""
        self.host = host


class Nothing(Struct, frozen=True):
    """No parameters."""
