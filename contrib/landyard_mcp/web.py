"""The address `/-/mcp`: MCP's streamable HTTP, each request for itself."""

import base64
import binascii
import logging
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from litestar import Request, Response, post
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse

from landyard import CallError, Credential, Host, InvalidRequest, OverloadLimit
from landyard_mcp.calling import Caller
from landyard_mcp.server import CALLER, mcp_server
from landyard_mcp.settings import McpSettings
from landyard_mcp.tools import Choice, offers

ADDRESS = "/-/mcp"
LARGEST = 1024 * 1024  # bytes of a request
_LONGEST = 500  # characters that name methods in an address
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
)

AnyRequest = Request[Any, Any, Any]


def routes(host: Host) -> list[object]:
    """Build the address; it takes POST alone, for there is nothing to listen to."""
    logging.getLogger("mcp").setLevel(logging.WARNING)  # it tells of each request
    endpoint = _Endpoint(host)

    @post(ADDRESS, status_code=200)
    def mcp(request: AnyRequest) -> Response[Any]:
        """Answer a message of an MCP client."""
        request.scope["state"]["private"] = True
        try:
            caller = _caller(host, request)
        except CallError as error:
            return _Answer(_refused(error))
        offers(host.methods)  # after a switch they are described anew: here, in a thread
        request.scope["state"][CALLER] = caller
        return _Answer(endpoint.exchange)

    return [mcp]


class _Endpoint:
    """Hands requests to the SDK, and counts those under way."""

    def __init__(self, host: Host) -> None:
        settings = host.section(McpSettings)
        self._server = mcp_server(host)
        self._most = settings.requests
        self._security = _security(host.settings.base, settings)
        self._under_way = 0

    async def exchange(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request, on the event loop: its calls are made in threads."""
        if self._under_way >= self._most:
            await _refused(OverloadLimit())(scope, receive, send)
            return
        # A manager is for one `run`, and this one keeps nothing: no worker needs to know a session.
        manager = StreamableHTTPSessionManager(
            self._server,
            stateless=True,
            json_response=True,
            security_settings=self._security,
            max_request_body_size=LARGEST,
        )

        async def send_so(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["status"] = int(message["status"])  # a log would tell `HTTPStatus.OK`
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        self._under_way += 1
        try:
            async with manager.run():
                await manager.handle_request(scope, receive, send_so)
        finally:
            self._under_way -= 1


class _Answer(Response[Any]):
    """An answer that an ASGI application gives."""

    def __init__(self, app: Any) -> None:
        super().__init__(None)
        self._app = app

    def to_asgi_response(self, app: Any, request: Any, **how: Any) -> Any:  # noqa: ARG002 - Litestar's
        return self._app


def _caller(host: Host, request: AnyRequest) -> Caller:
    """Find out who asks; raises the `CallError` that a call would be answered with."""
    credential = _credential(request.headers.get("authorization", ""))
    address = _address(request.scope)
    actor = host.credentials.actor(credential, address)
    query = request.query_params
    named = ",".join(query.getall("methods", []))
    if len(named) > _LONGEST:
        raise InvalidRequest(f"The address names methods in more than {_LONGEST} characters.")
    return Caller(
        credential,
        actor,
        Choice(
            tuple(filter(None, named.split(","))),
            read_only=query.get("read_only", "") in ("1", "true"),
        ),
        request.scope["state"]["request_id"],
        address,
        request.headers.get("traceparent", ""),
    )


def _credential(header: str) -> Credential | None:
    """Read a token as `Bearer`, or a webhook as `Basic`: its user's id and its code."""
    scheme, _, shown = header.strip().partition(" ")
    if scheme.lower() == "bearer":
        return Credential("token", shown.strip())
    if scheme.lower() == "basic":
        try:
            user, _, code = base64.b64decode(shown.strip(), validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            return Credential("webhook", "", "")
        return Credential("webhook", code, user)
    return None


def _address(scope: Any) -> str:
    """Say where a request comes from; nothing, where a proxy names what is no address."""
    try:
        return str(ip_address(scope["client"][0])) if scope["client"] else ""
    except ValueError:
        return ""


def _refused(error: CallError) -> JSONResponse:
    """Answer as a call is that is refused."""
    told = {"error": error.code, "error_description": error.description}
    headers = {"Cache-Control": "no-store"}
    if error.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="landyard"'
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    return JSONResponse(told, error.status, headers)


def _security(base: str, settings: McpSettings) -> TransportSecuritySettings:
    """Say by which names the service may be called, and by which web pages.

    Else a page of any site could call one that listens on the user's own machine, by giving its own
    name this machine's address (DNS rebinding).
    """
    own = urlsplit(base)
    hosts = [own.netloc, *settings.hosts]
    if own.hostname in ("127.0.0.1", "localhost", "::1"):
        hosts += ["127.0.0.1:*", "localhost:*", "[::1]:*"]
    origins = [f"{own.scheme}://{own.netloc}", *settings.origins]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
