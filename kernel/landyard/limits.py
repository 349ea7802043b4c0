"""Limits: how often a credential may call, how long a method may work for it, who may guess."""

import ipaddress
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import structlog
from msgspec import Meta, Struct

from landyard.errors import (
    CallError,
    ExpiredToken,
    OperationTimeLimit,
    QueryLimitExceeded,
    UserAccessError,
)
from landyard.ledger import Bucket, Ledger
from landyard.operating import OperatingMeter, WorkerMeter

log = structlog.get_logger()


class LimitSettings(Struct, frozen=True):
    """How much the service takes from one caller; 0 is no limit. The section `[limits]`.

    `burst`: calls that a credential may make at once, and `per_second` how many more each second
    after that (`QUERY_LIMIT_EXCEEDED`). `operating_seconds`: what a method may cost a credential in
    ten minutes (`OPERATION_TIME_LIMIT`). `wrong_credentials`: how many an address may show in a
    minute, before it is refused unseen whoever has not been let in of late.
    """

    burst: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    per_second: Annotated[float, Meta(gt=0)] = 2.0
    operating_seconds: Annotated[float, Meta(ge=0)] = 0.0
    wrong_credentials: Annotated[int, Meta(ge=0, le=1_000_000)] = 60


class Limits:
    """Refuses what is too much. All workers of a service count together, in the ledger.

    `spend` adds what a call cost, and answers what the window now holds (C12).
    """

    def __init__(self, settings: LimitSettings, ledger: Ledger) -> None:
        """Count nothing yet; the ledger is not touched for limits that are off."""
        self._ledger = ledger
        self._calls = Bucket(settings.burst, settings.per_second) if settings.burst else None
        self._guesses = (
            Bucket(settings.wrong_credentials, settings.wrong_credentials / 60)
            if settings.wrong_credentials
            else None
        )
        self._budget = settings.operating_seconds
        # Without a budget the seconds are told and nothing depends on them: each worker's own.
        meter: OperatingMeter = ledger if self._budget else WorkerMeter()
        self.spend = meter.spend

    @contextmanager
    def guess(self, address: str) -> Iterator[None]:
        """Surround the look at a credential nobody knows; raises `QueryLimitExceeded`.

        It counts as wrong from the start, so that many at once are no way around the limit.
        """
        guesses = self._guesses
        if guesses is None or not address:
            yield
            return
        key = f"wrong:{network(address)}"
        if wait := self._waiting(lambda: self._ledger.pour(key, guesses)):
            raise QueryLimitExceeded(
                f"Too many wrong credentials from your address; try again in {wait} seconds.",
                retry_after=wait,
            )
        wrong = False
        try:
            yield
        except (ExpiredToken, UserAccessError):
            raise  # who shows one of those knows a secret
        except CallError:
            wrong = True
            raise
        finally:
            if not wrong:
                self._waiting(lambda: self._ledger.take_back(key))

    def count(self, credential: str) -> None:
        """Count a call of this credential; raises `QueryLimitExceeded`."""
        if self._calls is not None:
            self._pour(credential, self._calls)

    def admit(self, credential: str, method: str) -> None:
        """Let a method work for this credential; raises `OperationTimeLimit`."""
        if not self._budget:
            return
        if wait := self._waiting(lambda: self._ledger.wait(credential, method, self._budget)):
            raise OperationTimeLimit(
                f"This method has worked for you for {self._budget:g} seconds in ten minutes;"
                f" try again in {wait} seconds.",
                retry_after=wait,
            )

    def _pour(self, credential: str, bucket: Bucket) -> None:
        if wait := self._waiting(lambda: self._ledger.pour(f"calls:{credential}", bucket)):
            raise QueryLimitExceeded(
                f"Too many requests; try again in {wait} seconds.", retry_after=wait
            )

    def _waiting(self, ask: Callable[[], int]) -> int:
        """Ask the ledger; where it fails nobody waits: counting is no reason to stop answering."""
        try:
            return ask()
        except Exception as error:  # noqa: BLE001 - whatever it is, see above
            log.warning("ledger_failed", error=type(error).__name__)
            return 0


def network(address: str) -> str:
    """Say whose an address is: of IPv6 a customer has a whole /64."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(parsed) >> 64 << 64, 64)))
