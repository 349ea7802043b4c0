"""Outgoing HTTP requests for plugins: to public hosts, limited in time and size (U4, U5).

A plugin that sends or fetches declares `requires = ("outgoing",)` and has settings of its own,
because hosts allowed for one purpose must not be allowed for another.
"""

from landyard_outgoing.exchange import Limits, check
from landyard_outgoing.fetching import fetch
from landyard_outgoing.posting import Answer, post
from landyard_outgoing.refusals import Reason, Refused

__all__ = ["Answer", "Limits", "Reason", "Refused", "check", "fetch", "post"]
