"""The signatures of deliveries by the Standard Webhooks specification (symmetric, `v1`)."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence

_PREFIX = "whsec_"
_SIZE = 32  # bytes; the specification asks for 24 to 64


def new_secret() -> str:
    """Return a new secret of 256 random bits."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SIZE)).decode()


def signed(event_id: str, timestamp: int, body: bytes, keys: Sequence[str]) -> dict[str, str]:
    """Return the headers of a delivery; `timestamp` is the time of this try in seconds since 1970.

    There is one signature for each of the `keys`.
    """
    content = f"{event_id}.{timestamp}.".encode() + body
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(_signature(each, content) for each in keys),
    }


def _signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    digest = hmac.new(key, content, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"
