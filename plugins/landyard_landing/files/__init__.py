"""Uploaded files: stored, found in use, kept or removed with what shows them."""

from landyard_landing.files.freeing import keep_files, let_go
from landyard_landing.files.records import (
    FILE_TYPES,
    KEPT,
    file_store,
    hold_files,
    mentions,
    remove_temporary,
    remove_unused,
    use_files,
)
from landyard_landing.files.store import FileSettings, FileStore
from landyard_landing.files.uses import Uses, uses_of
from landyard_landing.files.visible_sites import is_page_of, sites_seen

__all__ = [
    "FILE_TYPES",
    "KEPT",
    "FileSettings",
    "FileStore",
    "Uses",
    "file_store",
    "hold_files",
    "is_page_of",
    "keep_files",
    "let_go",
    "mentions",
    "remove_temporary",
    "remove_unused",
    "sites_seen",
    "use_files",
    "uses_of",
]
