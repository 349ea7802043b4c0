"""The structs of the landing plugin's rows in a world file."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from landyard import RowId, spelt
from landyard_landing import sites

Number = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Stamp = datetime | UnsetType


class _Item(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all items; keys that an item does not list are `UNSET`."""


class _Addressed(_Item, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item with a code that is part of addresses, normalised (P1)."""

    code: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        if isinstance(self.code, str):
            structs.force_setattr(self, "code", spelt(self.code))


class UserRightsItem(_Item, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: RowId | UnsetType = UNSET
    sites_access: bool | UnsetType = UNSET
    rights: dict[str, list[str]] | UnsetType = UNSET


class ManifestItem(_Item, frozen=True, kw_only=True, forbid_unknown_fields=True):
    code: str
    name: str | UnsetType = UNSET
    manifest: dict[str, Any] | UnsetType = UNSET
    content: str | UnsetType = UNSET
    css: list[str] | UnsetType = UNSET
    js: list[str] | UnsetType = UNSET


class TemplateBlockItem(_Item, frozen=True, kw_only=True, forbid_unknown_fields=True):
    code: Annotated[str, Meta(min_length=1)]
    content: str | None | UnsetType = UNSET
    anchor: str | None | UnsetType = UNSET
    params: dict[str, dict[str, Any]] | UnsetType = UNSET


class TemplateItem(_Item, frozen=True, kw_only=True, forbid_unknown_fields=True):
    code: str
    type: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    fields: dict[str, Any] | UnsetType = UNSET
    locked: bool | UnsetType = UNSET
    blocks: list[TemplateBlockItem] | UnsetType = UNSET


class SiteItem(_Addressed, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: RowId | UnsetType = UNSET
    type: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    domain: str | None | UnsetType = UNSET
    main_page: RowId | None | UnsetType = UNSET
    template_code: str | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    deleted: bool | UnsetType = UNSET
    deleted_at: datetime | None | UnsetType = UNSET
    description: str | UnsetType = UNSET
    xml_id: str | UnsetType = UNSET
    page_404: RowId | None | UnsetType = UNSET
    page_503: RowId | None | UnsetType = UNSET
    view_template: Number | None | UnsetType = UNSET
    additional_fields: dict[str, Any] | UnsetType = UNSET
    language: str | UnsetType = UNSET
    theme: str | UnsetType = UNSET
    theme_tokens: dict[str, str] | UnsetType = UNSET
    created_at: Stamp = UNSET
    modified_at: Stamp = UNSET
    created_by: Number | UnsetType = UNSET
    modified_by: Number | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        # Capitals are kept here and refused later: a world file has domains as they are stored.
        if isinstance(self.domain, str) and not (self.domain.isascii() and self.domain[-1:] != "."):
            structs.force_setattr(self, "domain", sites.stored_host(self.domain))


class FolderItem(_Addressed, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: RowId | UnsetType = UNSET
    site: RowId
    parent: RowId | None | UnsetType = UNSET
    title: str | UnsetType = UNSET
    index_page: RowId | None | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    deleted: bool | UnsetType = UNSET
    deleted_at: datetime | None | UnsetType = UNSET
    created_at: Stamp = UNSET
    modified_at: Stamp = UNSET
    created_by: Number | UnsetType = UNSET
    modified_by: Number | UnsetType = UNSET


class BlockItem(_Item, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A draft block and its published copy; `id: null` is a copy whose draft was removed."""

    id: RowId | None | UnsetType = UNSET
    code: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    sort: Number | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    deleted: bool | UnsetType = UNSET
    anchor: str | None | UnsetType = UNSET
    params: dict[str, dict[str, Any]] | UnsetType = UNSET
    published_id: RowId | UnsetType = UNSET
    published_content: str | UnsetType = UNSET
    published_params: dict[str, dict[str, Any]] | UnsetType = UNSET
    published_sort: Number | UnsetType = UNSET
    published_active: bool | UnsetType = UNSET
    published_anchor: str | None | UnsetType = UNSET
    published_created_at: Stamp = UNSET
    published_modified_at: Stamp = UNSET
    published_created_by: Number | UnsetType = UNSET
    published_modified_by: Number | UnsetType = UNSET
    created_at: Stamp = UNSET
    modified_at: Stamp = UNSET
    created_by: Number | UnsetType = UNSET
    modified_by: Number | UnsetType = UNSET


class PageItem(_Addressed, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: RowId | UnsetType = UNSET
    site: RowId
    folder: RowId | None | UnsetType = UNSET
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    published: bool | UnsetType = UNSET
    deleted: bool | UnsetType = UNSET
    deleted_at: datetime | None | UnsetType = UNSET
    locked: bool | UnsetType = UNSET
    area: bool | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    sitemap: str | UnsetType = UNSET
    date_public: datetime | None | UnsetType = UNSET
    xml_id: str | UnsetType = UNSET
    additional_fields: dict[str, Any] | UnsetType = UNSET
    folder_flag: str | UnsetType = UNSET
    view_template: Number | None | UnsetType = UNSET
    template_code: str | None | UnsetType = UNSET
    template_fields: dict[str, Any] | UnsetType = UNSET
    language: str | None | UnsetType = UNSET
    translation_of: RowId | None | UnsetType = UNSET
    created_at: Stamp = UNSET
    modified_at: Stamp = UNSET
    created_by: Number | UnsetType = UNSET
    modified_by: Number | UnsetType = UNSET
    blocks: list[BlockItem] | UnsetType = UNSET
