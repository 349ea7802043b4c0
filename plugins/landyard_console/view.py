"""The `View` that a screen works with, a signed-in user's request, and the results of `show`."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

import msgspec
from msgspec import Raw, Struct, UnsetType

from landyard import Actor, Credential, Download, Failure, Host, Record, Request, Success
from landyard_console.assets import asset
from landyard_console.words import Words

USUAL_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
    " font-src 'self'; connect-src 'self'; frame-src 'self'; media-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)


_LONGEST_ID = 11  # digits; an id beyond the largest is answered like any unknown id
_WIRE = "%m/%d/%Y %I:%M:%S %p"


class Refused(Exception):
    """A call of `method` was refused: `failure` has the code, the text and the status.

    A screen need not catch it: the console then shows a fitting page, such as "no rights".
    """

    def __init__(self, failure: Failure, method: str = "") -> None:
        """Keep the failure and the method's name."""
        super().__init__(failure.error)
        self.failure = failure
        self.method = method


class Lost(Exception):
    """The screen has nothing at this address."""


class Part(Struct, frozen=True):
    """A part of a list: its items from `start` to before `next`, and the `total` if known."""

    items: list[dict[str, Any]]
    start: int
    next: int | None
    total: int | None = None

    @property
    def first(self) -> int:
        """The number of the first item, counted from one."""
        return self.start + bool(self.items)

    @property
    def last(self) -> int:
        """The number of the last item."""
        return self.start + len(self.items)

    @property
    def before(self) -> int:
        """The start of the previous part, if it is as long."""
        return max(0, self.start - max(len(self.items), 50))


class Shown(Struct, frozen=True, kw_only=True):
    """The content of a screen: its title, and the safe HTML of `main`.

    `scripts` are ES modules and `styles` style sheets, by their paths below `static/`, or by
    addresses of a plugin's own routes.
    """

    title: str
    main: str
    status: int = 200
    scripts: Sequence[str] = ()
    styles: Sequence[str] = ()
    wide: bool = False  # without navigation, for the editor


class Answer(Struct, frozen=True, kw_only=True):
    """An answer other than a screen: a file, a frame, or a redirect with a header `Location`."""

    body: bytes = b""
    media_type: str = "text/html"
    status: int = 200
    headers: Mapping[str, str] = {}
    policy: str = USUAL_POLICY


class View:
    """The request of a signed-in user, passed to a screen's `show`.

    `path` has the parts of the address after the screen's name, `query` its parameters. `csrf` is
    the token that the browser sends with each call.
    """

    def __init__(  # noqa: PLR0917 - only the console makes one
        self,
        host: Host,
        actor: Actor,
        credential: Credential,
        request: Any,
        path: tuple[str, ...],
        words: Words,
        csrf: str,
    ) -> None:
        """Keep the parts of the request."""
        self.host = host
        self.actor = actor
        self.request = request
        self.path = path
        self.query: Mapping[str, str] = request.query_params
        self.words = words
        self.csrf = csrf
        self.start = _offset(self.query.get("start", ""))
        self._credential = credential

    def call(self, method: str, /, **params: Any) -> Any:
        """Call a method as the signed-in user, and return its result; raises `Refused`.

        It is an ordinary call, with rights, limits and audit. Screens only read; the browser itself
        calls methods that change something, see `docs/console.md`.
        """
        reply = self._reply(method, params)
        if isinstance(reply.result, Raw):
            return msgspec.json.decode(reply.result)
        return reply.result if isinstance(reply.result, Download) else None

    def part(self, method: str, start: int, /, **params: Any) -> Part:
        """Call a method that lists, and return its items from `start` on; raises `Refused`."""
        reply = self._reply(method, params)
        assert isinstance(reply.result, Raw)
        items = msgspec.json.decode(reply.result)
        following = None if isinstance(reply.next, UnsetType) else reply.next
        total = start + len(items) if isinstance(reply.total, UnsetType) else reply.total
        return Part(items, start, following, total)

    def _reply(self, method: str, params: Mapping[str, Any]) -> Success:
        state = self.request.scope["state"]
        client = self.request.scope["client"]
        reply = self.host.dispatch(
            Request(
                method=method,
                params=params,
                credential=self._credential,
                id=state["request_id"],
                address=client[0] if client else "",
            )
        )
        if isinstance(reply, Failure):
            raise Refused(reply, method)
        return reply

    def can(self, method: str) -> bool:
        """Tell whether a method is on, and the signed-in user has its scope."""
        declared = self.host.methods.find(method)
        return declared is not None and (not declared.scope or declared.scope in self.actor.scopes)

    def text(self, key: str, /, **values: object) -> str:
        """Return a text in the user's language, with each `{name}` replaced by a value."""
        return self.words.text(key, **values)

    def moment(self, written: str | None) -> str:
        """Return a time as the console shows it, from ISO 8601 or the protocol's own format."""
        if not written:
            return ""
        try:
            moment = datetime.strptime(written, _WIRE)  # noqa: DTZ007 - in the service's zone
        except ValueError:
            moment = datetime.fromisoformat(written).astimezone(self.host.settings.zone)
        return f"\u2066{moment:%Y-%m-%d %H:%M}\u2069"  # always left to right

    def number(self, part: str) -> int:
        """Return a part of the address as an id, or 0.

        Raises `Lost` for anything else.
        """
        if not (part.isascii() and part.isdecimal() and len(part) < _LONGEST_ID):
            self.lost()
        return int(part)

    def lost(self) -> NoReturn:
        """Show the page for an unknown address, by raising `Lost`."""
        raise Lost

    def dialog(self, template: str, /, **values: Any) -> Answer:
        """Return a filled template of a `<dialog>`, for `data-open`."""
        return Answer(body=self.html(template, **values).encode())

    def html(self, template: str, /, **values: Any) -> str:
        """Return the HTML of a filled template; all values are escaped.

        Templates have `view`, `t` for texts and `asset` for addresses of static files.
        """
        from landyard_console.templating import environment  # imported late: Jinja is slow

        filled = environment().get_template(template)
        return filled.render(view=self, t=self.words.text, asset=asset, **values)


class Screen(Record, frozen=True, kw_only=True):
    """A screen of the console, at `/-/console/<name>`.

    `show(view)` returns the content. `title` is a key of the console's texts, or the text itself.
    With a `group` (`content`, `operating` or `people`) it is in the navigation with an `icon`; if
    `needs` names a method, only for users who may call that.
    """

    name: str
    title: str
    show: Callable[[View], Shown | Answer]
    group: str = ""
    icon: str = "dot"
    needs: str = ""

    @property
    def key(self) -> str:
        """The name, which is unique."""
        return self.name


def _offset(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
