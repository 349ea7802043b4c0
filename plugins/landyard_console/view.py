"""A view: one request of a signed-in browser, and how a screen asks and answers."""

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


_LONGEST_ID = 11  # digits; one behind the last id that there can be is answered as any other
_WIRE = "%m/%d/%Y %I:%M:%S %p"


class Refused(Exception):
    """A call of `method` was refused: `failure` has the code, the text and the status.

    A screen need not catch it: the console then shows the state that fits, such as "no rights".
    """

    def __init__(self, failure: Failure, method: str = "") -> None:
        """Keep what the call was answered."""
        super().__init__(failure.error)
        self.failure = failure
        self.method = method


class Lost(Exception):
    """There is nothing at this address of a screen."""


class Part(Struct, frozen=True):
    """A part of a list: from `start` on, up to the `next` one, of a `total` where that is known."""

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
        """Where the part before this one begins, were it as long."""
        return max(0, self.start - max(len(self.items), 50))


class Shown(Struct, frozen=True, kw_only=True):
    """A screen as it is shown: its title, and what stands in `main`, as HTML that is safe.

    `scripts` are ES modules and `styles` style sheets, by their paths below `static/`, or by
    addresses that a plugin's own route answers.
    """

    title: str
    main: str
    status: int = 200
    scripts: Sequence[str] = ()
    styles: Sequence[str] = ()
    wide: bool = False  # without the navigation, the editor has the whole window


class Answer(Struct, frozen=True, kw_only=True):
    """An answer that is no screen: a file, a frame, or a redirect with a header `Location`."""

    body: bytes = b""
    media_type: str = "text/html"
    status: int = 200
    headers: Mapping[str, str] = {}
    policy: str = USUAL_POLICY


class View:
    """What a screen is given.

    `path` are the parts of the address behind the screen's name, `query` its parameters, `form` the
    fields of a form that was posted. `csrf` is the token that the browser sends with each call.
    """

    def __init__(  # noqa: PLR0917 - the console alone makes one
        self,
        host: Host,
        actor: Actor,
        credential: Credential,
        request: Any,
        path: tuple[str, ...],
        words: Words,
        csrf: str,
    ) -> None:
        """Take what is known of the request."""
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
        """Call a method as the user who is signed in; returns its result, raises `Refused`.

        It is an ordinary call: rights, limits and the audit see it. A screen only reads: what
        changes something is called by the browser, see `docs/console.md`.
        """
        reply = self._reply(method, params)
        if isinstance(reply.result, Raw):
            return msgspec.json.decode(reply.result)
        return reply.result if isinstance(reply.result, Download) else None

    def part(self, method: str, start: int, /, **params: Any) -> Part:
        """Call a method that lists, from `start` on; returns the items, and how many there are."""
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
        """Tell whether a method is on, and within the scopes of who is signed in."""
        found = self.host.methods.find(method)
        return found is not None and (not found.scope or found.scope in self.actor.scopes)

    def text(self, key: str, /, **values: object) -> str:
        """Return a text in the user's language; `{name}` in it stands for a value."""
        return self.words.text(key, **values)

    def moment(self, written: str | None) -> str:
        """Write a moment of an answer, ISO 8601 or the protocol's own, as the console shows it."""
        if not written:
            return ""
        try:
            moment = datetime.strptime(written, _WIRE)  # noqa: DTZ007 - it is in the service's zone
        except ValueError:
            moment = datetime.fromisoformat(written).astimezone(self.host.settings.zone)
        return f"\u2066{moment:%Y-%m-%d %H:%M}\u2069"  # left to right, whatever is around it

    def number(self, part: str) -> int:
        """Read a part of the address that is an id, or 0; what is none is an address of nothing.

        Raises `Lost`.
        """
        if not (part.isascii() and part.isdecimal() and len(part) < _LONGEST_ID):
            self.lost()
        return int(part)

    def lost(self) -> NoReturn:
        """Show that there is nothing at this address; raises `Lost`."""
        raise Lost

    def dialog(self, template: str, /, **values: Any) -> Answer:
        """Answer a template that is a `<dialog>`, for `data-open`."""
        return Answer(body=self.html(template, **values).encode())

    def html(self, template: str, /, **values: Any) -> str:
        """Fill a template of the console; whatever is filled in is escaped.

        Templates know `view`, `t` for texts and `asset` for the address of a static file.
        """
        from landyard_console.templating import environment  # Jinja, once the console is used

        found = environment().get_template(template)
        return found.render(view=self, t=self.words.text, asset=asset, **values)


class Screen(Record, frozen=True, kw_only=True):
    """A screen of the console, at `/-/console/<name>`.

    `show(view)` answers what is seen. `title` is a key of the console's texts, or the text itself.
    It stands in the navigation under `group` (`content`, `operating` or `people`) with an `icon`,
    unless there is no group; and for those only who may call `needs`, a method, where one is named.
    """

    name: str
    title: str
    show: Callable[[View], Shown | Answer]
    group: str = ""
    icon: str = "dot"
    needs: str = ""

    @property
    def key(self) -> str:
        """The name: no two screens have the same."""
        return self.name


def _offset(said: str) -> int:
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else 0
