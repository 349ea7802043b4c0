"""Stores uploaded files, finds where they are used, and removes the unused ones."""

from landyard_content.files.file_types import (
    FILE_TYPES,
    type_of,
)
from landyard_content.files.freeing import (
    keep_files,
    release_files,
)
from landyard_content.files.records import (
    KEPT,
    file_store,
    hold_files,
    is_settled,
    mentions,
    remove_temporary,
    remove_unused,
    use_files,
)
from landyard_content.files.store import (
    DamagedFile,
    FileStore,
    OpenFile,
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
    "DamagedFile",
    "FileStore",
    "OpenFile",
    "Uses",
    "file_store",
    "hold_files",
    "is_page_of",
    "is_settled",
    "keep_files",
    "mentions",
    "release_files",
    "remove_temporary",
    "remove_unused",
    "sites_seen",
    "type_of",
    "use_files",
    "uses_of",
]
