"""The route `/-/mcp`: MCP's streamable HTTP without sessions."""

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
from landyard_mcp.server import CALLER, mcp_server
from landyard_mcp.settings import McpSettings
from landyard_mcp.tool_calls import Caller
from landyard_mcp.tools import Choice, offers

ADDRESS = "/-/mcp"
LARGEST = 1024 * 1024  # bytes of a request
_LONGEST = 500  # characters of the query parameter `methods`
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
)

AnyRequest = Request[Any, Any, Any]


def routes(host: Host) -> list[object]:
    """Return the route handler; it takes POST only, because the server sends no events."""
    logging.getLogger("mcp").setLevel(logging.WARNING)  # its info level logs every request
    endpoint = _Endpoint(host)

    @post(ADDRESS, status_code=200)
    def mcp(request: AnyRequest) -> Response[Any]:
        """Answer a message of an MCP client."""
        request.scope["state"]["private"] = True
        try:
            caller = _caller(host, request)
        except CallError as error:
            return _AppResponse(_refused(error))
        offers(host.methods)  # rebuilt after a plugin was switched: here, in a thread
        request.scope["state"][CALLER] = caller
        return _AppResponse(endpoint.exchange)

    return [mcp]


class _Endpoint:
    """Passes requests to the MCP SDK, and limits how many run at a time."""

    def __init__(self, host: Host) -> None:
        settings = host.section(McpSettings)
        self._server = mcp_server(host)
        self._most = settings.requests
        self._security = _security(host.settings.base, settings)
        self._under_way = 0

    async def exchange(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request on the event loop; its calls run in threads."""
        if self._under_way >= self._most:
            await _refused(OverloadLimit())(scope, receive, send)
            return
        # A manager can `run` only once. It is stateless, so workers share no sessions.
        manager = StreamableHTTPSessionManager(
            self._server,
            stateless=True,
            json_response=True,
            security_settings=self._security,
            max_request_body_size=LARGEST,
        )

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["status"] = int(message["status"])  # a log would show `HTTPStatus.OK`
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        self._under_way += 1
        try:
            async with manager.run():
                await manager.handle_request(scope, receive, send_with_headers)
        finally:
            self._under_way -= 1


class _AppResponse(Response[Any]):
    """A response sent by an ASGI application."""

    def __init__(self, app: Any) -> None:
        super().__init__(None)
        self._app = app

    def to_asgi_response(self, app: Any, request: Any, **how: Any) -> Any:  # noqa: ARG002 - Litestar's
        return self._app


def _caller(host: Host, request: AnyRequest) -> Caller:
    """Authenticate a request; raises the `CallError` with which a call would fail."""
    credential = _credential(request.headers.get("authorization", ""))
    address = _address(request.scope)
    actor = host.credentials.actor(credential, address)
    query = request.query_params
    patterns = ",".join(query.getall("methods", []))
    if len(patterns) > _LONGEST:
        raise InvalidRequest(f"The address names methods in more than {_LONGEST} characters.")
    return Caller(
        credential,
        actor,
        Choice(
            tuple(filter(None, patterns.split(","))),
            read_only=query.get("read_only", "") in ("1", "true"),
        ),
        request.scope["state"]["request_id"],
        address,
        request.headers.get("traceparent", ""),
    )


def _credential(header: str) -> Credential | None:
    """Read a token from `Bearer`, or a webhook's user id and code from `Basic`."""
    scheme, _, secret = header.strip().partition(" ")
    if scheme.lower() == "bearer":
        return Credential("token", secret.strip())
    if scheme.lower() == "basic":
        try:
            user, _, code = base64.b64decode(secret.strip(), validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            return Credential("webhook", "", "")
        return Credential("webhook", code, user)
    return None


def _address(scope: Any) -> str:
    """Return the client's IP address; empty if a proxy passed something else."""
    try:
        return str(ip_address(scope["client"][0])) if scope["client"] else ""
    except ValueError:
        return ""


def _refused(error: CallError) -> JSONResponse:
    """Answer an error in the form of a refused call."""
    body = {"error": error.code, "error_description": error.description}
    headers = {"Cache-Control": "no-store"}
    if error.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="landyard"'
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    return JSONResponse(body, error.status, headers)


def _security(base: str, settings: McpSettings) -> TransportSecuritySettings:
    """Return the host names and the origins that the SDK accepts.

    Without this check, any web page could call a service on the user's own machine: its host name
    can be made to resolve to that machine (DNS rebinding).
    """
    own = urlsplit(base)
    hosts = [own.netloc, *settings.hosts]
    if own.hostname in ("127.0.0.1", "localhost", "::1"):
        hosts += ["127.0.0.1:*", "localhost:*", "[::1]:*"]
    origins = [f"{own.scheme}://{own.netloc}", *settings.origins]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
