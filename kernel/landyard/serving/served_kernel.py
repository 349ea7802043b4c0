"""The kernel that a process serves, as far as its worker and its jobs need it."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from landyard.core.hook_calls import HookCalls
from landyard.core.registry import Registry
from landyard.plugin_host.circuit_breaker import CircuitBreaker
from landyard.plugin_host.failures import Failures
from landyard.plugin_host.lifecycle import Lifecycle
from landyard.plugin_host.resolution import Resolution
from landyard.plugin_host.usage import Usage
from landyard.serving.background import Background
from landyard.serving.process import Process
from landyard.storage.store import Store


class ServedKernel(Protocol):
    """The parts of a kernel that serving works with; `landyard.Kernel` has them."""

    background: Background
    breaker: CircuitBreaker
    failures: Failures
    hooks: HookCalls
    lifecycle: Lifecycle
    now: Callable[[], datetime]
    process: Process
    store: Store
    usage: Usage

    @property
    def resolution(self) -> Resolution: ...
    @property
    def registry(self) -> Registry: ...
    def open_breaker(self, method: str, deaths: int) -> None: ...
