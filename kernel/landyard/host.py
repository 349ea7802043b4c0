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
    """The kernel as its plugins see it: hooks, jobs and commands are handed one."""

    @property
    def settings(self) -> Settings:
        """The service's own settings; `section` finds those of a plugin."""

    @property
    def store(self) -> Store:
        """The database."""

    @property
    def methods(self) -> MethodTable:
        """The methods that are on."""

    @property
    def dispatch(self) -> Dispatch:
        """Answers a call: `dispatch(request)` returns its `Reply`, whatever happens."""

    @property
    def credentials(self) -> CredentialCache:
        """Says who is behind a credential: `credentials.actor(credential, address)`."""

    @property
    def world(self) -> World:
        """Loads and dumps the lists of the world file."""

    @property
    def plugins(self) -> Plugins:
        """Tells what plugins that are on bring, and the state of installed ones; switches them."""

    @property
    def process(self) -> Process:
        """The process that runs the plugins, with its threads."""

    def now(self) -> datetime:
        """Return the moment it is; in a test, that of the service's clock."""

    def section(self, kind: type[S]) -> S:
        """Return settings by their type, also of a plugin that is off; or `LookupError`."""

    def records(self, kind: type[S]) -> Mapping[str, S]:
        """Return what the plugins that are on bring of a type of `Record`, by key."""

    def publish(self, unit: UnitOfWork, event: Event) -> None:
        """Tell the subscribers of `event`, in the transaction of `unit`: for jobs and commands."""
