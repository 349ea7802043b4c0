"""Refusals: how often an address was refused lately, counted in the memory of one worker.

A refusal shows the page with what was written. Whoever provokes hundreds gets a short answer in its
place, before a database is asked.
"""

import threading
from collections import OrderedDict
from html import escape

from msgspec import Struct

from landyard_forms.words import words_of

_HOUR = 3600.0
_MOST = 10_000  # addresses that are remembered; then the ones longest unseen are forgotten


class _Bucket(Struct, frozen=True):
    """A leaky bucket, by the moment in seconds at which it will be empty; a form's language."""

    empty_at: float
    language: str


class Refusals:
    """The addresses that were refused; threads share them."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def note(self, address: str, now: float, most: int, language: str = "") -> bool:
        """Count a refusal; tells whether it was the one too many of `most` in an hour.

        An address that is not known ("") may be everybody's: it is not counted.
        """
        if not address:
            return False
        with self._lock:
            known = self._buckets.pop(address, _Bucket(now, ""))
            since = known.empty_at if now < known.empty_at <= now + 2 * _HOUR else now
            filled = since + _HOUR / most
            self._buckets[address] = _Bucket(filled, language or known.language)
            if len(self._buckets) > _MOST:
                self._buckets.popitem(last=False)
        return _is_full(filled, now, most)

    def page_for(self, address: str, now: float, most: int) -> str:
        """Write what an address is told that was refused too often; "" for any other."""
        with self._lock:
            known = self._buckets.get(address)
        if known is None or not _is_full(known.empty_at, now, most):
            return ""
        told = escape(words_of(known.language).stopped)
        return (
            f'<!doctype html>\n<html lang="{escape(known.language or "en")}" dir="auto">\n<head>\n'
            '<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>429</title>\n</head>\n<body>\n<main><p>{told}</p></main>\n</body>\n</html>\n"
        )


def _is_full(empty_at: float, now: float, most: int) -> bool:
    # A count above its bound was written while a clock was ahead.
    return _HOUR * (most - 1) / most < empty_at - now <= 2 * _HOUR
