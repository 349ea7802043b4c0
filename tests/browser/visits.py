"""Records what happens on a page during one visit."""

import contextlib
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct, field
from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
    Response,
    Route,
)

# Runs before any script of the page, in its frames too.
_WATCH = """
document.addEventListener('securitypolicyviolation', event =>
  violated(event.effectiveDirective + ' ' + event.blockedURI))
"""
# More than a visitor might do: every event, and a click on every link that is no address.
_PROVOKE = """
addEventListener('load', () => setTimeout(() => {
  const kinds = ['load', 'error', 'mouseover', 'pointerenter', 'focus', 'click', 'toggle',
                 'animationstart', 'animationend', 'transitionend', 'begin', 'scroll']
  for (const element of document.querySelectorAll('body, body *')) {
    for (const kind of kinds) {
      element.dispatchEvent(new Event(kind, { bubbles: true, cancelable: true }))
    }
    if (element.tagName === 'A' && !/^https?:$/.test(element.protocol)) element.click()
  }
}), { once: true })
"""

_REPORTING = "content-security-policy-report-only"


class Measured(Struct, frozen=True):
    """Measurements of a page, taken once every picture is loaded."""

    title: str
    text: str
    pictures: int
    broken: list[str]
    headings: int
    overflow: int
    background: str


class Raw(Struct, frozen=True):
    """A document of the test's own, shown instead of the network's answer."""

    html: str
    policy: str | None = None


def without_framing(policy: str) -> str:
    """A Content-Security-Policy without its rule about who may frame the page."""
    return ";".join(rule for rule in policy.split(";") if "frame-ancestors" not in rule)


class Visit(Struct):
    """The events of a visit; `went` are the addresses that this tab opened, its own first.

    `foreign` are the foreign addresses that anything named. `asked` are those that were really
    requested, with the kind of request: a policy stops a request before that. A hostile script
    reports itself by calling `ran` with its number.
    """

    complaints: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    dialogs: list[str] = field(default_factory=list)
    ran: list[int] = field(default_factory=list)
    went: list[str] = field(default_factory=list)
    measured: dict[str, Measured] = field(default_factory=dict)


class Watch:
    """Records a visit, and lets only `base` and the `raw` documents be reached."""

    def __init__(
        self, base: str, raw: Mapping[str, Raw], *, framing: bool = False, loosely: str = ""
    ) -> None:
        """Watch a visit to the service at `base`.

        `framing` lets frames show its pages. The policy of the page at `loosely` only reports
        violations and stops nothing.
        """
        self.visit = Visit()
        self._framing = framing
        self._loosely = loosely
        self._base = base
        self._raw = raw

    async def begin(self, context: BrowserContext, *, provoke: bool) -> Page:
        """Open the watched tab; `provoke` triggers events that may start a script."""
        await context.expose_function("ran", self._note_script)
        await context.expose_function("violated", self._note_violation)
        await context.add_init_script(_WATCH + (_PROVOKE if provoke else ""))
        # Answers of the service are not intercepted here, because intercepting takes most of the
        # time.
        own = re.escape(self._base)
        routed = "**/*" if self._raw or self._framing else re.compile(rf"^(?!{own}(?:/|\Z))")
        await context.route(routed, self._show)
        if self._loosely and self._loosely not in self._raw:
            await context.route(self._base + self._loosely, self._show_loosely)
        context.on("request", self._note_request)
        context.on("response", self._note_answer)
        # Recorded and not opened: dialogs of several frames at once can block the browser.
        await context.expose_function("noteDialog", self._note_dialog)
        await context.add_init_script(
            "window.alert = window.confirm = window.prompt = text => { noteDialog(String(text)) }"
        )
        context.on("dialog", self._dismiss)
        page = await context.new_page()
        page.on("console", self._note_message)
        page.on("pageerror", self._note_error)
        return page

    def is_ours(self, address: str) -> bool:
        """Tell whether the service answers there."""
        return urlsplit(address).netloc == urlsplit(self._base).netloc

    async def _show(self, route: Route) -> None:
        address = route.request.url
        path = address.removeprefix(self._base)
        document = self._raw.get(path)
        if document:
            named = _REPORTING if path == self._loosely else "content-security-policy"
            policy = {named: document.policy} if document.policy else {}
            headers = {"Content-Type": "text/html; charset=utf-8", **policy}
            await route.fulfill(body=document.html, headers=headers)
        elif not self.is_ours(address):
            self.visit.asked[address] = route.request.resource_type
            await route.abort()
        elif self._framing and route.request.is_navigation_request():
            answer = await route.fetch()
            allowed = without_framing(answer.headers.get("content-security-policy", ""))
            loosened = {**answer.headers, "content-security-policy": allowed}
            await route.fulfill(response=answer, headers=loosened)
        else:
            await route.continue_()

    async def _show_loosely(self, route: Route) -> None:
        answer = await route.fetch()
        headers = {name.lower(): value for name, value in answer.headers.items()}
        headers[_REPORTING] = headers.pop("content-security-policy")
        await route.fulfill(response=answer, headers=headers)

    async def _dismiss(self, dialog: Dialog) -> None:
        self.visit.dialogs.append(dialog.message)
        with contextlib.suppress(Error):  # it may be closed already
            await dialog.dismiss()

    def _note_dialog(self, text: str) -> None:
        self.visit.dialogs.append(text)

    def _note_script(self, number: int) -> None:
        self.visit.ran.append(number)

    def _note_violation(self, what: str) -> None:
        self.visit.violations.append(what)

    def _note_request(self, request: Request) -> None:
        if not self.is_ours(request.url) and request.url not in self._raw:
            self.visit.foreign.append(request.url)
        if request.is_navigation_request() and _is_of_a_tab(request):
            self.visit.went.append(request.url)

    def _note_answer(self, answer: Response) -> None:
        if answer.status >= 400:
            self.visit.failed.append(f"{answer.status} {answer.url}")

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.visit.complaints.append(message.text)

    def _note_error(self, error: Error) -> None:
        self.visit.complaints.append(error.message)


def _is_of_a_tab(request: Request) -> bool:
    try:
        return request.frame.parent_frame is None
    except Error:  # a tab opened by a link has no frame yet
        return True
