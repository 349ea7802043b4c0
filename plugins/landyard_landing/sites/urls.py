"""Writes the public URL of a page, and collects the hosts that addresses may have (P11)."""

from urllib.parse import quote

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard import Call, Prepared
from landyard_landing.rights import PageQuery
from landyard_landing.tables import FOLDER, PAGE, SITE

RESERVED = frozenset(
    {"rest", "files", "assets", "healthz", "readyz", "metrics", "openapi.json", "openrpc.json"}
    | {"robots.txt", "sitemap.xml", "favicon.ico", "oauth", "-"}
)
"""First segments of the service's own addresses: no site may have one as its code (P11)."""


class _Placed(Struct, frozen=True):
    folder_id: int | None
    code: str
    rule: str
    main_page_id: int | None
    domain: str | None
    site_code: str


class _Folder(Struct, frozen=True):
    id: int
    parent_id: int | None
    code: str
    index_page_id: int | None


_COLUMNS = (PAGE.folder_id, PAGE.code, PAGE.rule, SITE.main_page_id, SITE.domain, SITE.code)
_PLACE_OF = Prepared(
    select(*_COLUMNS)
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(PAGE.id == bindparam("page_id")),
    _Placed,
)
_FIND_PLACED = PageQuery(*_COLUMNS)
_FOLDERS = select(*(FOLDER[name] for name in _Folder.__struct_fields__))
_FOLDER = Prepared(_FOLDERS.where(FOLDER.id == bindparam("folder_id")), _Folder)


class Address(Struct, frozen=True):
    """A page's address: its site's domain, if any, and the path, which else starts with its code.

    The path is percent-encoded, so that it can be read back, whatever characters the codes have.
    """

    domain: str | None
    path: str

    def url(self, base: str) -> str:
        """Write the whole URL; a site with a domain takes the scheme of `base`."""
        if self.domain is None:
            return f"{base}{self.path}"
        scheme = base.partition("://")[0]
        return f"{scheme}://{self.domain}{self.path}"

    @classmethod
    def find(cls, call: Call, page_id: int, scope: str | None) -> "Address":
        """Find a page as `find_page` does, and return its address; one query reads both."""
        page, placed = _FIND_PLACED.find(call, page_id, scope)
        return _address(call.connection, page.id, _Placed(*placed))


def address_of(connection: Connection, page_id: int) -> Address | None:
    """Return a page's address; None where there is no such page."""
    placed = _PLACE_OF.first(connection, page_id=page_id)
    return None if placed is None else _address(connection, page_id, placed)


def _address(connection: Connection, page_id: int, placed: _Placed) -> Address:
    is_main = page_id == placed.main_page_id
    folders = [] if is_main else _folders_above(connection, placed.folder_id)
    is_index = bool(folders) and folders[-1].index_page_id == page_id
    codes = [folder.code for folder in folders]
    if placed.domain is None:
        codes.insert(0, placed.site_code)
    if not (is_main or is_index or placed.rule):
        codes.append(placed.code)
    return Address(placed.domain, "/" + "".join(f"{quote(code, safe='')}/" for code in codes))


def _folders_above(connection: Connection, folder_id: int | None) -> list[_Folder]:
    folders: list[_Folder] = []
    while folder_id is not None:
        folder = _FOLDER.first(connection, folder_id=folder_id)
        assert folder is not None
        folders.insert(0, folder)
        folder_id = folder.parent_id
    return folders
