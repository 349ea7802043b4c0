"""Reads and writes a site's theme, its own tokens and its pictures."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, UnsetType
from sqlalchemy import bindparam, select, update

from landyard import Call, Prepared
from landyard_landing import authorship, errors, rights, sites, tables
from landyard_public.themes.pictures import find_picture
from landyard_public.themes.site_look import FAVICON, LOGO, SOCIAL

PICTURES = {"logo": LOGO, "favicon": FAVICON, "social": SOCIAL}
"""The additional fields that hold a site's pictures, by their names in calls."""
_NOT_THERE = "Site not found or access to it is denied."


class SiteLook(Struct, frozen=True):
    """The look of a site: theme, own token values, and additional fields."""

    id: int
    theme: str
    tokens: Mapping[str, str]
    fields: Mapping[str, Any]


_COLUMNS = (
    tables.SITE.id,
    tables.SITE.theme,
    tables.SITE.theme_tokens,
    tables.SITE.additional_fields,
)
_FIND = select(*_COLUMNS).where(tables.SITE.id == bindparam("site_id"))
_READ = Prepared(_FIND, SiteLook)
# No key of the row changes, so calls that add pages to the site need not wait.
_HOLD = Prepared(_FIND.with_for_update(key_share=True), SiteLook)
_SAVE = Prepared(update(tables.SITE.id.table).where(tables.SITE.id == bindparam("site_id")))


def find_look(call: Call, site_id: int, right: rights.Right, *, hold: bool = False) -> SiteLook:
    """Return the look of a site on which the caller has `right`; raises `AccessDenied`."""
    call.subject = f"site:{site_id}"
    site = sites.find_site(call, site_id, None, every_type=True, trash=hold)
    if site is None:
        raise errors.AccessDenied(_NOT_THERE)
    site.require(right)
    look = (_HOLD if hold else _READ).first(call.connection, site_id=site_id)
    if look is None:  # deleted meanwhile
        raise errors.AccessDenied(_NOT_THERE)
    return look


def hold_look(call: Call, site_id: int, right: rights.Right) -> SiteLook:
    """Return the look of a site as `find_look` does, in the trash or not, and lock its row."""
    return find_look(call, site_id, right, hold=True)


def read_pictures(
    call: Call, site: SiteLook, pictures: Mapping[str, str | UnsetType]
) -> tuple[dict[str, Any], str]:
    """Return a site's new additional fields, and the name of a missing picture or ""."""
    fields = dict(site.fields)
    for name, value in pictures.items():
        if isinstance(value, UnsetType):
            continue
        path = find_picture(call.connection, site.id, value.strip()) if value.strip() else ""
        if path is None:
            return {}, name
        fields.pop(PICTURES[name], None)
        if path:
            fields[PICTURES[name]] = path
    return fields, ""


def save_look(
    call: Call, site: SiteLook, theme: str, tokens: Mapping[str, str], fields: Mapping[str, Any]
) -> bool:
    """Store the look of a site if it has changed; return whether it has."""
    if (theme, tokens, fields) == (site.theme, site.tokens, site.fields):
        return False
    values = {"theme": theme, "theme_tokens": dict(tokens), "additional_fields": dict(fields)}
    _SAVE.run(call.connection, site_id=site.id, **values, **authorship.changed_by(call))
    return True
