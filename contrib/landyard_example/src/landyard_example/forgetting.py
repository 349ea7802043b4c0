"""Forgetting: old entries are removed, once an hour by one process of all."""

from landyard import Kernel

from landyard_example.entries import forget_before
from landyard_example.settings import GuestbookSettings


def forget(kernel: Kernel) -> None:
    """Remove what is older than the settings keep; to do it twice changes nothing."""
    moment = kernel.section(GuestbookSettings).keeps_from(kernel.now())
    if moment is not None:
        kernel.store.run(lambda unit: forget_before(unit.session, moment), writes=True)
