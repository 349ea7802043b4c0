"""The hourly job that removes old entries; one process of the service runs it."""

from landyard import Host

from landyard_example.entries import forget_before
from landyard_example.settings import GuestbookSettings


def forget(host: Host) -> None:
    """Remove entries older than `keep_days`; running it twice changes nothing."""
    moment = host.section(GuestbookSettings).keeps_from(host.now())
    if moment is not None:
        host.store.run(lambda unit: forget_before(unit.session, moment), writes=True)
