"""What the methods share: their group, the kernel, and having no parameters."""

from msgspec import Struct

from landyard import ADMIN, Kernel, MethodGroup

admin = MethodGroup(scope=ADMIN)


class Operator:
    """Keeps the kernel for the methods: `call.kept(Operator).kernel`."""

    def __init__(self, kernel: Kernel) -> None:
        """Take it."""
        self.kernel = kernel


class Nothing(Struct, frozen=True):
    """No parameters."""
