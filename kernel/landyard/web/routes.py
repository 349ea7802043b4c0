"""Routes: `/healthz`, `/readyz`, and the pages of the plugins that are on, made when needed."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog

from landyard.core.errors import OverloadLimit
from landyard.kernel import Kernel
from landyard.plugin_host.resolution import Resolution
from landyard.plugin_host.switches import is_prepared
from landyard.storage.changes import Changes
from landyard.web.failure_pages import STYLE, failure_page
from landyard.web.public_answers import PROBES, READING, KeptAnswers, PublicAnswer
from landyard.web.wire import Outgoing, encode_refusal, headers_of

log = structlog.get_logger()

READY_WITHIN = 1.5  # seconds: whoever asks hears it within two


class Routes:
    """The pages of the plugins that are on now, made anew whenever that changes.

    `pages` answers; `style` is that of pages of failure. They are built, and so checked, at once;
    where nobody but Landyard brings any, whose tests have built them, not before one is wanted.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._changes = Changes(kernel.store.reading)
        self._wanted = kernel.settings.strict
        self._making = threading.Lock()
        self.style = STYLE
        kernel.lifecycle.follow(self._change)

    def _change(self, resolution: Resolution) -> Mapping[str, str]:
        """Build the pages of a resolution; answer whose cannot be used, the first, and why."""
        ours = self._kernel.lifecycle.ours
        late = not self._wanted and all(
            each.plugin.name in ours or not each.asked.hook.register_routes.get_hookimpls()
            for each in resolution.contributions
        )
        style, app = resolution.failure_style or STYLE, self._first
        if not late:
            from landyard.web.plugin_routes import application  # Litestar is 0.1 s, and 8 MiB

            app, failed = application(self._kernel, resolution, style)
            if failed:
                return failed
        self.pages, self.style = KeptAnswers(app, self._changes, self._kernel), style
        self._late = late
        return {}

    async def _first(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer before there are pages: whoever wants the first one waits for them."""
        answer: Any
        try:
            if scope["path"] in PROBES and scope["method"] in READING:
                answer = await probe(self._kernel, scope["path"])
            else:
                pool, seconds = self._kernel.process.pools.reading, self._kernel.rules.seconds
                await pool.run(self._make, label="pages", seconds=seconds)
                answer = self.pages
        except Exception:
            log.exception("pages_missing")
            answer = failure_page(encode_refusal(OverloadLimit()), scope, self.style)
        await answer(scope, receive, send)

    def _make(self, _deadline: object) -> None:
        with self._making:  # whoever else wanted one may have had them made
            self._wanted = True
            if self._late:
                self._kernel.lifecycle.follow(self._change)
                self._kernel.lifecycle.write_report()


async def probe(kernel: Kernel, path: str) -> PublicAnswer:
    """Tell that the process answers, or within two seconds whether calls can be answered."""
    if path.startswith("/readyz"):
        try:
            # Where the database hangs, the pool refuses further ones of this label.
            pool, seconds = kernel.process.pools.reading, kernel.rules.seconds
            asked = pool.run(lambda _: _ping(kernel), label="readyz", seconds=seconds)
            await asyncio.wait_for(asked, READY_WITHIN)
        except Exception as error:  # noqa: BLE001 - whatever it is, the service is not ready
            log.warning("readiness_failed", error=type(error).__name__)
            return _status("database unreachable", 503)
    return _status("ok")


def _ping(kernel: Kernel) -> None:
    if not is_prepared(kernel.store):  # open connections go on with a file that was removed
        raise LookupError("the database has no tables")


def _status(text: str, status: int = 200) -> PublicAnswer:
    told = Outgoing(status, msgspec.json.encode({"status": text}))
    return PublicAnswer(status, headers_of(told), told.body)
