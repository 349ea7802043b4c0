"""The sending of a request over an open connection with urllib3, and its answer's head."""

import http.client
from collections.abc import Mapping

from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError
from urllib3.util.response import assert_header_parsing

from landyard_outgoing.connecting import Line
from landyard_outgoing.targets import Target

FAILURES = (HTTPError, http.client.HTTPException, OSError, ValueError)
_HEADERS = {
    "User-Agent": "landyard",
    "Accept": "*/*",
    "Accept-Encoding": "identity",
    "Connection": "close",
}


def send(
    line: Line, verb: str, target: Target, headers: Mapping[str, str], body: bytes | None
) -> BaseHTTPResponse:
    """Send a request; raises one of `FAILURES`, also while the content is read."""
    connection = _Connection(target.host, target.port)
    connection.sock = line
    connection.request(
        verb,
        target.path,
        body,
        headers={"Host": target.authority, **_HEADERS, **headers},
        preload_content=False,
        decode_content=False,
    )
    return connection.getresponse()


class _Response(http.client.HTTPResponse):
    def begin(self) -> None:
        """Read the head; refuse defects that urllib3 would repair, and log with the address."""
        super().begin()
        assert_header_parsing(self.headers)
        how = [each.lower() for each in self.headers.get_all("transfer-encoding", [])]
        if how and (how != ["chunked"] or "content-length" in self.headers):
            raise http.client.HTTPException(how)


class _Connection(HTTPConnection):
    response_class = _Response
    auto_open = 0  # it must never connect by itself
