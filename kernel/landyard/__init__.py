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
from landyard.cli.settings import settings_in_force
from landyard.core.calls import (
    ADMIN,
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
from landyard.plugin_host.status import NotSwitched, PluginStatus, Switchboard
from landyard.serving.jobs import last_begun
from landyard.settings import Settings, SettingsError, load_settings
from landyard.storage.paging import read_page
from landyard.storage.prepared import Moment, Prepared, one_of
from landyard.storage.schema import Tables, table_of
from landyard.storage.store import Store, UnitOfWork, WriteRefused
from landyard.storage.world import Loader, RowId, Tally, WorldError, WorldList, given
from landyard.web.forms import read_query
from landyard.web.public_answers import PublicAnswer

if no_rich:
    del sys.modules["rich"]
if collecting:
    gc.freeze()
    gc.unfreeze()  # all of it is old now, and is not looked at next
    gc.enable()

__all__ = ["ADMIN", "Actor", "Alias", "Bounds", "Call", "CallError", "Console", "Credential"]
__all__ += ["Demo", "Deprecation", "Download", "Event", "Example", "ExpiredToken", "Failure"]
__all__ += ["FilePart", "Id", "Ids", "InvalidCredentials", "InvalidRequest", "InvalidToken", "Job"]
__all__ += ["Join", "Kernel", "Loader", "Method", "MethodGroup", "MissingParams", "Moment"]
__all__ += ["NeededId", "NoContent", "NotSwitched", "Operating", "OperationTimeLimit"]
__all__ += ["OutcomeUnknown", "Paged", "ParamsReader", "Plugin", "PluginError", "PluginStatus"]
__all__ += ["Postponed", "Prepared", "PublicAnswer", "QueryLimitExceeded", "Record", "Reply"]
__all__ += ["Request", "RowId", "Settings", "SettingsError", "Store", "Subscriber", "Success"]
__all__ += ["Switchboard", "SystemFailure", "Tables", "Tally", "Timing", "Truthy", "Unavailable"]
__all__ += ["UnitOfWork", "UserAccessError", "WorldError", "WorldList", "WriteRefused", "WrongType"]
__all__ += ["as_list", "credentials", "given", "hookimpl", "json_option", "last_begun"]
__all__ += ["load_settings", "one_of", "parameter_type", "read_page", "read_query", "read_text"]
__all__ += ["settings_in_force", "system_errors", "table_of"]
