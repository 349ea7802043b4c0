"""Outgoing HTTP for plugins: to public hosts only, within limits of time and size (U4, U5).

A plugin that sends or fetches says `requires = ("outgoing",)` and brings the settings: hosts that
one purpose may reach are not for another.
"""

from landyard_outgoing.exchange import Limits, check
from landyard_outgoing.fetching import fetch
from landyard_outgoing.posting import Answer, post
from landyard_outgoing.refusals import Reason, Refused

__all__ = ["Answer", "Limits", "Reason", "Refused", "check", "fetch", "post"]
