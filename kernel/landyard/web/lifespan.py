"""Server start-up and shutdown: begins and ends jobs, writes of usage, and checks for switches."""

import asyncio
import functools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import structlog

from landyard.kernel import Kernel
from landyard.serving.jobs import JobRunner
from landyard.serving.ticker import Ticker

log = structlog.get_logger()

RECORDED_EVERY = 4.0  # seconds, give or take a half
REFRESHED_EVERY = 0.4  # seconds, give or take a half: a switch is effective within one


def lifespan(kernel: Kernel) -> Callable[[object], AbstractAsyncContextManager[None]]:
    """Return what an application runs in, for Litestar's `lifespan`; it closes the kernel."""
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

    @asynccontextmanager
    async def running(_app: object) -> AsyncIterator[None]:
        for each in beside:
            each.start()
        try:
            yield
        finally:
            await asyncio.to_thread(stop)

    return running
