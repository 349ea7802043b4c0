"""Landyard: a small kernel that answers named methods over HTTP, and plugins that bring them.

This is the whole public surface: what plugins and embedders import.
"""

import os

# Litestar warns of every plain `def` route: it would block the event loop. The kernel runs each in
# its thread pool. Set here since a plugin imports `landyard` before it makes a route.
os.environ.setdefault("LITESTAR_WARN_IMPLICIT_SYNC_TO_THREAD", "0")

from landyard.auth import credentials
from landyard.cli.console import CommandRun, Console
from landyard.core.calls import (
    ADMIN,
    Actor,
    CallOption,
    Credential,
    Download,
    Failure,
    NoContent,
    Paged,
    Reply,
    Request,
    Result,
    Success,
)
from landyard.core.errors import (
    Answered,
    CallError,
    ExpiredToken,
    InvalidCredentials,
    InvalidRequest,
    InvalidToken,
    MissingParams,
    OperationTimeLimit,
    OutcomeUnknown,
    OverloadLimit,
    Postponed,
    QueryLimitExceeded,
    SystemFailure,
    Unavailable,
    UserAccessError,
    WrongType,
)
from landyard.core.method_group import MethodGroup
from landyard.core.methods import Alias, Bounds, Deprecation, Example, FilePart, Method
from landyard.core.running import Call
from landyard.core.timing import Operating, Timing
from landyard.forms import read_query
from landyard.hooks import Demo, Event, Job, Record, Subscriber, hookimpl
from landyard.host import Host
from landyard.kernel import Kernel
from landyard.notes import Irreversible, Secret
from landyard.plugin_host.loading import Plugin, PluginError
from landyard.plugin_host.params import ParamsReader
from landyard.plugin_host.readers import (
    Id,
    Ids,
    NeededId,
    Reader,
    Truthy,
    as_list,
    read_boolean,
    read_text,
)
from landyard.plugin_host.status import PluginStatus
from landyard.plugin_host.switchboard import NotSwitched
from landyard.public_answer import PublicAnswer
from landyard.serving.jobs import last_begun
from landyard.settings import Settings, SettingsError, load_settings
from landyard.storage.folding import fold, fold_mask, folded
from landyard.storage.paging import read_page
from landyard.storage.prepared import Moment, Prepared, Write, one_of
from landyard.storage.schema import METADATA, Tables, table_of
from landyard.storage.spelling import plain_digits, spellings, spelt
from landyard.storage.store import Store, UnitOfWork, WriteRefused
from landyard.storage.world import Loader, RowId, Tally, WorldError, WorldList

__all__ = [
    "ADMIN",
    "METADATA",
    "Actor",
    "Alias",
    "Answered",
    "Bounds",
    "Call",
    "CallError",
    "CallOption",
    "CommandRun",
    "Console",
    "Credential",
    "Demo",
    "Deprecation",
    "Download",
    "Event",
    "Example",
    "ExpiredToken",
    "Failure",
    "FilePart",
    "Host",
    "Id",
    "Ids",
    "InvalidCredentials",
    "InvalidRequest",
    "InvalidToken",
    "Irreversible",
    "Job",
    "Kernel",
    "Loader",
    "Method",
    "MethodGroup",
    "MissingParams",
    "Moment",
    "NeededId",
    "NoContent",
    "NotSwitched",
    "Operating",
    "OperationTimeLimit",
    "OutcomeUnknown",
    "OverloadLimit",
    "Paged",
    "ParamsReader",
    "Plugin",
    "PluginError",
    "PluginStatus",
    "Postponed",
    "Prepared",
    "PublicAnswer",
    "QueryLimitExceeded",
    "Reader",
    "Record",
    "Reply",
    "Request",
    "Result",
    "RowId",
    "Secret",
    "Settings",
    "SettingsError",
    "Store",
    "Subscriber",
    "Success",
    "SystemFailure",
    "Tables",
    "Tally",
    "Timing",
    "Truthy",
    "Unavailable",
    "UnitOfWork",
    "UserAccessError",
    "WorldError",
    "WorldList",
    "Write",
    "WriteRefused",
    "WrongType",
    "as_list",
    "credentials",
    "fold",
    "fold_mask",
    "folded",
    "hookimpl",
    "last_begun",
    "load_settings",
    "one_of",
    "plain_digits",
    "read_boolean",
    "read_page",
    "read_query",
    "read_text",
    "spellings",
    "spelt",
    "table_of",
]
