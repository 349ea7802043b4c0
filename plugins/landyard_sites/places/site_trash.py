"""The trash of sites: moving a site there, and its restore (P8, P9)."""

from landyard import Call
from landyard_landing import events, rights
from landyard_sites.places.limits import has_room
from landyard_sites.places.sites import hold_site, save_site


def mark_site(call: Call, site_id: int, scope: str | None, *, mark: bool) -> bool:
    """Move a site to the trash or restore it, inactive, unless it is in that state already.

    False, and nothing is done, if the limit of sites is reached. Raises `AccessDenied`.
    """
    site = hold_site(call, site_id, scope, rights.Right.DELETE, trash=True)
    if site.deleted == mark:
        return True
    if not mark and not has_room(call):
        return False
    at = call.now() if mark else None
    save_site(call, site.id, {"active": False, "deleted": mark, "deleted_at": at})
    events.announce_site(call, "trashed" if mark else "restored", site.id)
    return True
