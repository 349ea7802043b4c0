"""The parsing of requests to the authorization server."""

import base64
import binascii
from collections import Counter
from typing import Any
from urllib.parse import parse_qsl

from authlib.oauth2.rfc6749 import InvalidRequestError, OAuth2Request
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload

_MOST = 50  # parameters
_NO_TEXT = ("client_id", "grant_type", "redirect_uri", "response_type", "token_type_hint")


def read_params(*forms: str) -> dict[str, str]:
    """Parse the parameters of a query and a body; raises `InvalidRequestError` if malformed.

    No parameter may be repeated (RFC 6749, 3.1 and 3.2). Error descriptions quote the values in
    `_NO_TEXT`, so these must be printable ASCII without quotes (5.2).
    """
    try:
        pairs = [
            pair
            for form in forms
            for pair in parse_qsl(
                form, keep_blank_values=True, errors="strict", max_num_fields=_MOST
            )
        ]
    except ValueError as error:
        raise InvalidRequestError("The parameters cannot be read.") from error
    params = {name: value for name, value in pairs if value}
    if any(count > 1 for count in Counter(name for name, _ in pairs).values()):
        raise InvalidRequestError("A parameter is sent twice.")
    if any("\0" in value for value in params.values()):
        raise InvalidRequestError("A parameter holds a NUL character.")
    for name in _NO_TEXT:
        value = params.get(name, "")
        if not (value.isascii() and value.isprintable()) or '"' in value or "\\" in value:
            raise InvalidRequestError(f"The parameter '{name}' has characters that it cannot have.")
    return params


class OAuthRequest(OAuth2Request):  # type: ignore[misc]  # Authlib ships no types
    """A request as Authlib reads it; `params` are those of the query and of the body."""

    def __init__(self, verb: str, params: dict[str, str], authorization: str = "") -> None:
        """Keep the header `Authorization` if its credentials can be decoded."""
        # Authlib insists on https. A proxy may have ended it before the request arrived.
        super().__init__(verb, "https://landyard.invalid/")
        self.headers = {"Authorization": authorization} if _readable(authorization) else {}
        self.payload = BasicOAuth2Payload(params)

    @property
    def args(self) -> dict[str, str]:
        """The parameters of query and body: the platform's clients use the query."""
        return self.form

    @property
    def form(self) -> dict[str, str]:
        """The parameters of query and body."""
        params: dict[str, str] = self.payload.data
        return params


def _readable(authorization: str) -> bool:
    try:
        base64.b64decode(authorization.partition(" ")[2]).decode()
    except (binascii.Error, ValueError):
        return False
    return bool(authorization)


def bad_request(error: Any) -> str:
    """Return the text of an Authlib error for people."""
    return str(error.get_error_description() or error.error)
