"""The hosts of the caller's sites, as addresses in blocks name them."""

from landyard import Call
from landyard_landing import sites


def own_hosts(call: Call) -> frozenset[str]:
    """Collect the hosts at which this service answers: its own and its sites' domains."""
    return sites.own_hosts_with(call.connection, call.settings, call.records)
