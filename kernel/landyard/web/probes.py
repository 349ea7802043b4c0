"""Probes: `/healthz` says that the process answers, `/readyz` that calls can be answered."""

import asyncio

import msgspec
import structlog

from landyard.kernel import Kernel
from landyard.plugin_host.switches import is_prepared
from landyard.public_answer import PublicAnswer
from landyard.web.wire import json_answer

log = structlog.get_logger()

READY_WITHIN = 1.5  # seconds: whoever asks hears it within two


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
    told = json_answer(status, msgspec.json.encode({"status": text}))
    return PublicAnswer(status, told.headers, told.body)
