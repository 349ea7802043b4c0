"""Forgetting: old entries are removed, once an hour by one process of all."""

from landyard import Host

from landyard_example.entries import forget_before
from landyard_example.settings import GuestbookSettings


def forget(host: Host) -> None:
    """Remove what is older than the settings keep; to do it twice changes nothing."""
    moment = host.section(GuestbookSettings).keeps_from(host.now())
    if moment is not None:
        host.store.run(lambda unit: forget_before(unit.session, moment), writes=True)
