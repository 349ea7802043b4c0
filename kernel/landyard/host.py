"""The host: what a plugin sees of the kernel that runs it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol, TypeVar

from msgspec import Struct

from landyard.auth.cache import CredentialCache
from landyard.core.calls import Reply, Request
from landyard.core.events import Event
from landyard.core.methods import MethodTable
from landyard.core.timing import NO_DEADLINE, Deadline
from landyard.plugin_host.plugins import Plugins
from landyard.serving.process import Process
from landyard.settings import Settings
from landyard.storage.store import Store, UnitOfWork
from landyard.storage.world import World

S = TypeVar("S", bound=Struct)


class Dispatch(Protocol):
    def __call__(self, request: Request, deadline: Deadline = NO_DEADLINE) -> Reply:
        """Answer a call, in this thread; whatever happens, it returns a reply."""


class Host(Protocol):
    """The kernel as its plugins see it: hooks, jobs and commands are handed one.

    `settings` are the service's own; `section` finds those of a plugin. `store` is the database.
    `methods` are the methods that are on, and `dispatch(request)` answers a call of one.
    `credentials` says who is behind a credential. `world` loads and dumps the lists of a world
    file. `plugins` says how the plugins stand, and switches them. `process` is the process that
    runs them, with its threads.
    """

    @property
    def settings(self) -> Settings: ...
    @property
    def store(self) -> Store: ...
    @property
    def methods(self) -> MethodTable: ...
    @property
    def dispatch(self) -> Dispatch: ...
    @property
    def credentials(self) -> CredentialCache: ...
    @property
    def world(self) -> World: ...
    @property
    def plugins(self) -> Plugins: ...
    @property
    def process(self) -> Process: ...

    def now(self) -> datetime:
        """Return the moment it is; in a test, that of the service's clock."""

    def section(self, kind: type[S]) -> S:
        """Return settings by their type, also of a plugin that is off; or `LookupError`."""

    def records(self, kind: type[S]) -> Mapping[str, S]:
        """Return what the plugins that are on bring of a type of `Record`, by key."""

    def publish(self, unit: UnitOfWork, event: Event) -> None:
        """Tell the subscribers of `event`, in the transaction of `unit`: for jobs and commands."""
