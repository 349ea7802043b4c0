"""Server start-up and shutdown: starts jobs and periodic writes; at the end, closes the kernel."""

import asyncio
import functools
import os
from typing import Any

import structlog

from landyard.kernel import Kernel
from landyard.serving.jobs import JobRunner
from landyard.serving.ticker import Ticker

log = structlog.get_logger()

RECORDED_EVERY = 4.0  # seconds, give or take a half
REFRESHED_EVERY = 0.4  # seconds, give or take a half: a switch is effective within one


def lifespan(kernel: Kernel) -> Any:
    """Build what answers a server's start-up and shutdown; the kernel is closed at the end."""
    # Once, behind the start, which must not wait for the database's one turn to write.
    report = functools.cache(kernel.lifecycle.write_report)

    def refresh() -> None:
        report()
        kernel.lifecycle.refresh()

    beside: list[JobRunner | Ticker] = [
        JobRunner(kernel),
        Ticker("records", RECORDED_EVERY, kernel.write_records),
        Ticker("plugins", REFRESHED_EVERY, refresh),
    ]

    def stop() -> None:
        for each in beside:
            each.stop(grace=1.0)
        try:
            kernel.write_records()
        except Exception as error:  # noqa: BLE001 - the service stops either way
            log.warning("records_lost", error=type(error).__name__)
        kernel.close()
        log.info("worker_stopped", pid=os.getpid())

    async def answer(_scope: object, receive: Any, send: Any) -> None:
        await receive()
        for each in beside:
            each.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.to_thread(stop)
        await send({"type": "lifespan.shutdown.complete"})

    return answer
