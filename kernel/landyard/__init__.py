"""Landyard: a small kernel that answers named methods over HTTP, and plugins that bring them.

This is the whole public surface: what plugins and embedders import.
"""

import gc
import sys

if collecting := gc.isenabled():
    gc.disable()  # an import makes no garbage: to look for it takes a seventh of the time
if no_rich := not {"rich", "structlog"} & sys.modules.keys():
    # structlog would import it, 5 MiB, for tracebacks: ours are plain.
    sys.modules["rich"] = None  # type: ignore[assignment]

from landyard.auth import credentials
from landyard.cli.console import Console, json_option
from landyard.core.calls import (
    Actor,
    Call,
    Credential,
    Download,
    Failure,
    NoContent,
    Paged,
    Reply,
    Request,
    Success,
)
from landyard.core.errors import (
    CallError,
    ExpiredToken,
    InvalidCredentials,
    InvalidRequest,
    InvalidToken,
    MissingParams,
    OperationTimeLimit,
    OutcomeUnknown,
    Postponed,
    QueryLimitExceeded,
    SystemFailure,
    Unavailable,
    UserAccessError,
    WrongType,
    system_errors,
)
from landyard.core.hooks import Demo, Event, Job, Record, Subscriber, hookimpl
from landyard.core.methods import Alias, Bounds, Deprecation, Example, FilePart, Method, MethodGroup
from landyard.core.timing import Operating, Timing
from landyard.kernel import Kernel
from landyard.plugin_host.joins import Join
from landyard.plugin_host.loading import Plugin, PluginError
from landyard.plugin_host.params import ParamsReader, parameter_type
from landyard.plugin_host.readers import Id, Ids, NeededId, Truthy, as_list, read_text
from landyard.settings import Settings, SettingsError, load_settings
from landyard.storage.prepared import Moment, Prepared, one_of
from landyard.storage.schema import Tables, table_of
from landyard.storage.store import Store, UnitOfWork, WriteRefused
from landyard.storage.world import Loader, RowId, Tally, WorldError, WorldList, given
from landyard.web.public_answers import PublicAnswer

if no_rich:
    del sys.modules["rich"]
if collecting:
    gc.freeze()
    gc.unfreeze()  # all of it is old now, and is not looked at next
    gc.enable()

__all__ = ["Actor", "Call", "Credential", "Failure", "Paged", "Reply", "Request", "Success"]
__all__ += ["Download", "NoContent", "Settings", "SettingsError", "Subscriber"]
__all__ += ["CallError", "ExpiredToken", "InvalidCredentials", "InvalidRequest", "InvalidToken"]
__all__ += ["MissingParams", "OperationTimeLimit", "OutcomeUnknown", "Postponed", "WrongType"]
__all__ += ["QueryLimitExceeded", "SystemFailure", "Unavailable", "UserAccessError"]
__all__ += ["Alias", "Bounds", "Deprecation", "Example", "FilePart", "Method", "MethodGroup"]
__all__ += ["Demo", "Event", "Job", "Join", "Operating", "PublicAnswer", "Record", "Timing"]
__all__ += ["Id", "Ids", "NeededId", "ParamsReader", "Truthy"]
__all__ += ["as_list", "hookimpl", "load_settings", "parameter_type", "read_text", "system_errors"]
__all__ += [
    "Moment",
    "Prepared",
    "Store",
    "Tables",
    "UnitOfWork",
    "WriteRefused",
    "one_of",
    "table_of",
]
__all__ += ["Loader", "RowId", "Tally", "WorldError", "WorldList", "given"]
__all__ += ["Console", "Kernel", "Plugin", "PluginError", "credentials", "json_option"]
