"""Stores uploaded files, finds where they are used, and removes the unused ones."""

from landyard_content.files.freeing import (
    keep_files,
    release_files,
)
from landyard_content.files.records import (
    FILE_TYPES,
    KEPT,
    file_store,
    hold_files,
    mentions,
    remove_temporary,
    remove_unused,
    use_files,
)
from landyard_content.files.store import (
    FileStore,
)
from landyard_content.files.uses import (
    Uses,
    uses_of,
)
from landyard_content.files.visible_sites import (
    is_page_of,
    sites_seen,
)

__all__ = [
    "FILE_TYPES",
    "KEPT",
    "FileStore",
    "Uses",
    "file_store",
    "hold_files",
    "is_page_of",
    "keep_files",
    "mentions",
    "release_files",
    "remove_temporary",
    "remove_unused",
    "sites_seen",
    "use_files",
    "uses_of",
]
