"""Removes frames with refused addresses from whole HTML, and writes `frame-src` (`H3`)."""

import re
from collections.abc import Callable, Iterable
from html import unescape

from landyard_html.addresses import embed_address
from landyard_html.values import Rules

_FRAME = re.compile(r"<iframe\b([^>]*)>.*?</iframe\s*>", re.DOTALL | re.IGNORECASE)
# The policy writes no `>` in a value. The pattern reads each attribute with its value, so that a
# text inside a value is not taken for an attribute.
_ATTRIBUTE = re.compile(r"""([^\s"'/=>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
FRAME_ADDRESSES = frozenset({"src", "data-src"})
"""The attributes that hold a frame's address."""
_SOURCE = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?")


def without_refused(html: str, rules: Callable[[], Rules], before: str = "") -> str:
    """Remove the frames whose address `rules` refuse; all other bytes stay.

    The HTML has gone through the policy. A frame that is also in `before` stays: an edit removes
    only frames that it added. `rules` is called only where a frame with an address was added.
    """
    if "<iframe" not in html.lower():
        return html
    kept = {frame[0] for frame in _FRAME.finditer(before)}
    added = [frame for frame in _FRAME.finditer(html) if frame[0] not in kept]
    refused = {frame[0] for frame in added if _addresses(frame[1])}
    if refused:
        current_rules = rules()
        refused = {
            frame[0]
            for frame in added
            if any(_is_refused(each, current_rules) for each in _addresses(frame[1]))
        }
    return _FRAME.sub(lambda frame: "" if frame[0] in refused else frame[0], html)


def frame_sources(hosts: Iterable[str]) -> str:
    """Write the sources of `frame-src`: the hosts over HTTPS, any HTTPS host for an empty list."""
    named = [host.lower().rstrip(".") for host in hosts]
    if not named:
        return "https:"
    return " ".join(f"https://{host}" for host in named if _SOURCE.fullmatch(host)) or "'none'"


def _addresses(attributes: str) -> list[str]:
    found = (
        unescape(double or single or bare)
        for name, double, single, bare in _ATTRIBUTE.findall(attributes)
        if name.lower() in FRAME_ADDRESSES
    )
    return [address for address in found if address.strip()]


def _is_refused(address: str, rules: Rules) -> bool:
    return embed_address(address, rules.own_hosts, rules.embed_hosts) is None
