"""Whether a host is the service's own, which no site may have."""

from landyard import Call
from landyard_landing import sites


def is_own_host(call: Call, host: str) -> bool:
    """Tell whether a host is the service's own, so that no site may have it as its domain (P11)."""
    return sites.own_hosts_of(call.settings, call.records(sites.OwnHost).values()).have(host)
