"""The repository: `landing.block.getrepository`, `getContentFromRepository`, `getmanifestfile`."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from landyard import Call, Example, MissingParams
from landyard_blocks.block_view import repository_id
from landyard_blocks.favourites import SavedBlock, list_favourites
from landyard_blocks.group import NeededText, block_methods, need_text
from landyard_blocks.manifests import block_part, is_offered, sections, site_types
from landyard_content import blocks
from landyard_html.registered_addresses import safe_addresses
from landyard_landing import errors, rights

_FAVOURITES = "favourite"
_DEFAULT_TYPE = "PAGE"
_UNCLEANED = 0  # a policy version that means "not sanitised yet"


class GetRepository(Struct, frozen=True):
    """`section`: the code of one section; `scope`: the type of sites for the blocks."""

    section: str | None = None
    scope: str | None = None


class OfCode(Struct, frozen=True):
    """`code`: a block's code."""

    code: NeededText


class OfferedBlock(Struct, frozen=True):
    """A block of the repository; only saved blocks have `favorite` and `favoriteMy`."""

    name: str
    namespace: str
    type: list[str]
    section: list[str]
    description: str
    preview: str
    id: str | None = None
    new: bool = False
    version: str | None = None
    system: bool = False
    restricted: bool = False
    repo_id: int | Literal[False] = False
    app_code: bool = False
    only_for_license: str = ""
    requires_updates: bool = False
    favorite: bool | UnsetType = UNSET
    favoriteMy: bool | UnsetType = UNSET  # noqa: N815 - as it is on the wire


class Section(Struct, frozen=True):
    """A section of the repository, and its blocks by their codes."""

    name: str
    items: dict[str, OfferedBlock]
    meta: dict[str, Any] = {}
    new: bool = False
    type: str | None = None
    specialType: str | None = None  # noqa: N815 - as it is on the wire
    separator: bool = False
    app_code: bool = False


@block_methods.method(
    "landing.block.getrepository",
    right="access to sites",
    errors=[errors.AccessDenied],
    example=Example({"section": "no such one"}, result=False),
)
def get_repository(
    call: Call, params: GetRepository
) -> dict[str, Section] | Section | Literal[False]:
    """List the blocks that can be added to pages, by section; or one `section` of them.

    The keys of `items` are `CODE` in landing.landing.addblock. Without `scope` the blocks are those
    for sites of type PAGE. The answer is false if the section does not exist.
    """
    rights.require_access(call)
    site_type = (params.scope or _DEFAULT_TYPE).upper()
    kinds = {
        code: kind
        for code, kind in blocks.list_types(call.connection, call.records(blocks.BlockType)).items()
        if is_offered(kind) and site_type in (site_types(kind) or [site_type])
    }
    listed = _sections({code: _offered(kind) for code, kind in kinds.items()})
    for code, saved in list_favourites(call).items():
        if saved.code in kinds:
            _add_saved(listed, code, saved, kinds[saved.code])
    if params.section is None:
        return listed
    return listed.get(params.section, False)


@block_methods.method(
    "landing.block.getContentFromRepository",
    right="access to sites",
    errors=[MissingParams, errors.AccessDenied],
    example=Example({"code": "no.such"}, result=None),
)
def get_content(call: Call, params: OfCode) -> str | None:
    """Return the HTML of a new block by its code; null if there is no such block."""
    kind = _find(call, params)
    return None if kind is None else blocks.safe_content(kind.content, _UNCLEANED)


@block_methods.method(
    "landing.block.getmanifestfile",
    right="access to sites",
    errors=[MissingParams, errors.AccessDenied],
    example=Example({"code": "no.such"}, result=[]),
)
def get_manifest(call: Call, params: OfCode) -> dict[str, Any] | list[Any]:
    """Return the original manifest of a block by its code; an empty list if there is none.

    landing.block.getmanifest answers it with all parts filled in.
    """
    kind = _find(call, params)
    return [] if kind is None else dict(safe_addresses(kind.manifest.document))


def _find(call: Call, params: OfCode) -> blocks.BlockType | None:
    """Return the block type of a code, which may have a namespace and a colon before it."""
    code = need_text(params.code, "code")
    rights.require_access(call)
    from_plugins = call.records(blocks.BlockType)
    return blocks.find_type(call.connection, code, from_plugins) or blocks.find_type(
        call.connection, code.rpartition(":")[2], from_plugins
    )


def _sections(offers: Mapping[str, OfferedBlock]) -> dict[str, Section]:
    sections_by_code = {_FAVOURITES: Section("Favorites", {})}
    for code, offered in offers.items():
        _add(sections_by_code, code, offered)
    return sections_by_code


def _add(sections_by_code: dict[str, Section], code: str, offered: OfferedBlock) -> None:
    for section in offered.section:
        title = section.replace("_", " ").capitalize()
        sections_by_code.setdefault(section, Section(title, {})).items[code] = offered


def _add_saved(
    sections_by_code: dict[str, Section], code: str, saved: SavedBlock, kind: blocks.BlockType
) -> None:
    """Add a saved block of the caller to its sections and to the favourites."""
    own = _offered(kind)
    offered = replace(
        own,
        id=code.rpartition("@")[2],
        name=saved.name or own.name,
        section=saved.sections or own.section,
        favorite=True,
        favoriteMy=True,
    )
    _add(sections_by_code, code, offered)
    sections_by_code[_FAVOURITES].items[code] = offered


def _offered(kind: blocks.BlockType) -> OfferedBlock:
    description = block_part(kind)
    return OfferedBlock(
        name=str(description.get("name") or kind.name),
        namespace=str(kind.manifest.document.get("namespace") or ""),
        type=[each.lower() for each in site_types(kind)],
        section=sections(kind),
        description=str(description.get("description") or ""),
        preview=kind.preview,
        repo_id=repository_id(kind.code) or False,
    )
