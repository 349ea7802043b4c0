"""Counts the recent refusals of each address, in the memory of a worker.

A refusal renders the page with the written text. An address with hundreds of refusals gets a short
page instead, without a database query.
"""

import threading
from collections import OrderedDict
from html import escape

from msgspec import Struct

from landyard_forms.words import words_of

_HOUR = 3600.0
_MOST = 10_000  # remembered addresses; beyond that the oldest are forgotten


class _Bucket(Struct, frozen=True):
    """A leaky bucket, by the time in seconds at which it is empty, with a form's language."""

    empty_at: float
    language: str


class Refusals:
    """The refused addresses, shared by threads."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def note(self, address: str, now: float, most: int, language: str = "") -> bool:
        """Count a refusal; returns whether the address has reached `most` in an hour.

        An unknown address ("") is not counted, because many visitors may share it.
        """
        if not address:
            return False
        with self._lock:
            bucket = self._buckets.pop(address, _Bucket(now, ""))
            since = bucket.empty_at if now < bucket.empty_at <= now + 2 * _HOUR else now
            filled = since + _HOUR / most
            self._buckets[address] = _Bucket(filled, language or bucket.language)
            if len(self._buckets) > _MOST:
                self._buckets.popitem(last=False)
        return _is_full(filled, now, most)

    def page_for(self, address: str, now: float, most: int) -> str:
        """Return the page for an address that was refused too often; "" for any other."""
        with self._lock:
            bucket = self._buckets.get(address)
        if bucket is None or not _is_full(bucket.empty_at, now, most):
            return ""
        text = escape(words_of(bucket.language).stopped)
        return (
            f'<!doctype html>\n<html lang="{escape(bucket.language or "en")}" dir="auto">\n<head>\n'
            '<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>429</title>\n</head>\n<body>\n<main><p>{text}</p></main>\n</body>\n</html>\n"
        )


def _is_full(empty_at: float, now: float, most: int) -> bool:
    # A count above the bound was stored while a clock was ahead.
    return _HOUR * (most - 1) / most < empty_at - now <= 2 * _HOUR
