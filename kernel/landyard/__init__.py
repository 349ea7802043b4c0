"""Landyard: a small kernel that answers named methods over HTTP, and plugins that bring them.

This is the whole public surface: what plugins and embedders import.
"""

from landyard.app import Kernel
from landyard.calls import Actor, Call, Credential, Failure, Paged, Reply, Request, Success
from landyard.console import Console
from landyard.errors import (
    CallError,
    ExpiredToken,
    InvalidCredentials,
    InvalidRequest,
    InvalidToken,
    MissingParams,
    SystemFailure,
    UserAccessError,
    WrongType,
)
from landyard.hookspecs import Demo, hookimpl
from landyard.jobs import Job
from landyard.methods import Bounds, Deprecation, Example, Method, MethodGroup
from landyard.params import Id, Ids, NeededId, ParamsReader, Truthy, read_text
from landyard.plugins import Plugin, PluginError
from landyard.schema import Tables
from landyard.settings import Settings, SettingsError, load_settings
from landyard.store import Moment, Store, UnitOfWork
from landyard.world import Loader, RowId, Tally, WorldError, WorldList, given

__all__ = [
    "Actor",
    "Bounds",
    "Call",
    "CallError",
    "Console",
    "Credential",
    "Demo",
    "Deprecation",
    "Example",
    "ExpiredToken",
    "Failure",
    "Id",
    "Ids",
    "InvalidCredentials",
    "InvalidRequest",
    "InvalidToken",
    "Job",
    "Kernel",
    "Loader",
    "Method",
    "MethodGroup",
    "MissingParams",
    "Moment",
    "NeededId",
    "Paged",
    "ParamsReader",
    "Plugin",
    "PluginError",
    "Reply",
    "Request",
    "RowId",
    "Settings",
    "SettingsError",
    "Store",
    "Success",
    "SystemFailure",
    "Tables",
    "Tally",
    "Truthy",
    "UnitOfWork",
    "UserAccessError",
    "WorldError",
    "WorldList",
    "WrongType",
    "given",
    "hookimpl",
    "load_settings",
    "read_text",
]
