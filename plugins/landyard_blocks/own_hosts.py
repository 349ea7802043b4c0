"""The hosts of the caller's sites, as addresses in blocks name them."""

from landyard import Call
from landyard_landing import blocks


def own_hosts(call: Call) -> frozenset[str]:
    """Collect the hosts at which this service answers: its own and its sites' domains."""
    return blocks.rules_for(call).own_hosts
