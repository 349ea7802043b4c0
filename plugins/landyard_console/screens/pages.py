"""Sites, folders and pages: a tree, and a list with the state of each page."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from landyard_console.brought import fill_columns
from landyard_console.screens import making, page_dialogs
from landyard_console.view import Answer, Part, Shown, View

_LISTED = 50  # a hundred, each with its menu, take the browser twice as long to paint
_OF_SITES = ("ID", "TITLE", "CODE", "TYPE", "LANDING_ID_INDEX", "ACTIVE", "DELETED")
_FIELDS = ("ID", "CODE", "TITLE", "ACTIVE", "DELETED", "FOLDER_ID", "DATE_MODIFY")
_ONLY: Mapping[str, Mapping[str, str]] = {
    "all": {},
    "published": {"ACTIVE": "Y", "PUBLISHED": "Y", "CHANGED": "N"},
    "changed": {"ACTIVE": "Y", "CHANGED": "Y"},
    "draft": {"PUBLISHED": "N"},
    "hidden": {"ACTIVE": "N", "PUBLISHED": "Y"},
    "trash": {"DELETED": "Y"},
}


def show(view: View) -> Shown | Answer:
    """Show the pages of a site and of a folder of it, or one of the dialogs."""
    first = view.path[0] if view.path else ""
    if first and not first.isdecimal():
        return making.show(view) or page_dialogs.show(view)
    every = {"select": list(_OF_SITES), "filter": {"DELETED": ["Y", "N"]}}
    listed = view.call("landing.site.getList", params=every)
    gone = [each for each in listed if each["DELETED"] == "Y"]
    sites = [each for each in listed if each["DELETED"] == "N"]
    title = view.text("pages.title")
    trashed = next((each for each in gone if each["ID"] == first), None)
    site = None if trashed else _site(view, sites, first)
    may_add = view.can(making.MAY_ADD) and view.call(making.MAY_ADD)
    given = {"may_add": may_add, "sites": sites, "gone": gone, "trashed": trashed, "site": site}
    chosen_site = site or trashed
    if chosen_site is None:
        return Shown(title=title, main=view.html("pages.html", **given))
    can = dict.fromkeys(view.call("landing.site.getRights", id=int(chosen_site["ID"])), True)
    title = f"{chosen_site['TITLE']}: {title}"
    if site is None:
        return Shown(title=title, main=view.html("pages.html", **given, can=can))
    folder = view.path[1] if len(view.path) > 1 else ""
    chosen = view.query.get("state", "all")
    chosen = chosen if chosen in _ONLY else "all"
    known = view.call("landing.site.getFolders", siteId=int(site["ID"]))
    part = _pages(view, site, folder, chosen)
    main = view.html(
        "pages.html",
        **given,
        folder=folder,
        tree=tree_of(known),
        folders=_folders(view, site, known, folder, chosen),
        part=part,
        columns=fill_columns(view, part.items),
        states=tuple(_ONLY),
        chosen=chosen,
        can=can,
        address=lambda **changed: _address(view, **changed),
        page_at=lambda start: _address(view, start=start),
    )
    return Shown(title=title, main=main)


def tree_of(folders: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Order folders as a tree: each has those within it in `within`."""
    within: dict[str | None, list[dict[str, Any]]] = {}
    for each in sorted(folders, key=lambda each: each["TITLE"].casefold()):
        within.setdefault(each["PARENT_ID"], []).append(each)
    known = {each["ID"]: each for inside in within.values() for each in inside}
    for number, each in known.items():
        each["within"] = within.get(number, [])
    return [each for each in known.values() if each["PARENT_ID"] not in known]


def state_of(page: Mapping[str, Any]) -> str:
    """Say how a page stands: in the `trash`, a `draft`, `hidden`, `changed` or `published`."""
    if page["DELETED"] == "Y":
        return "trash"
    if page["PUBLISHED"] == "N":
        return "draft"
    if page["ACTIVE"] == "N":
        return "hidden"
    return "changed" if page["CHANGED"] == "Y" else "published"


def _site(view: View, sites: list[dict[str, Any]], wanted: str) -> dict[str, Any] | None:
    if not wanted:
        return sites[0] if sites else None
    found = next((each for each in sites if each["ID"] == wanted), None)
    if found is None:
        view.lost()
    return found


def _folders(
    view: View, site: Mapping[str, Any], known: list[dict[str, Any]], folder: str, chosen: str
) -> list[dict[str, Any]]:
    """List the folders within one, or those of the trash; what is within those comes back along."""
    if view.query.get("q") or chosen not in ("all", "trash"):
        return []
    if chosen == "all":
        return [each for each in known if (each["PARENT_ID"] or "") == folder]
    gone = view.call("landing.site.getFolders", siteId=int(site["ID"]), filter={"DELETED": "Y"})
    inside = {each["ID"] for each in gone}
    return [each for each in gone if each["PARENT_ID"] not in inside]


def _pages(view: View, site: Mapping[str, Any], folder: str, chosen: str) -> Part:
    wanted: dict[str, Any] = {"SITE_ID": site["ID"], **_ONLY[chosen]}
    if said := view.query.get("q", "").strip()[:200]:
        wanted["%TITLE"] = said
    elif chosen == "all":
        wanted["FOLDER_ID"] = folder
    asked = {
        "select": list(_FIELDS),
        "filter": wanted,
        "order": {"TITLE": "ASC", "ID": "ASC"},
        "limit": _LISTED + 1,  # one more tells whether there are more
        "offset": view.start,
        "get_publication": True,
        "get_urls": True,
    }
    found = view.call("landing.landing.getList", params=asked)
    following = view.start + _LISTED if len(found) > _LISTED else None
    part = Part(found[:_LISTED], view.start, following)
    for each in part.items:
        each["state"] = state_of(each)
        each["home"] = each["ID"] == site["LANDING_ID_INDEX"]
        each["changed"] = view.moment(each["DATE_MODIFY"])
    return part


def _address(view: View, **changed: object) -> str:
    """Write this screen's address with other parameters; a new filter begins at the start."""
    kept = {name: view.query[name] for name in ("q", "state") if view.query.get(name)}
    asked = {name: value for name, value in (kept | changed).items() if value not in ("all", 0)}
    path = "/".join(["/-/console/pages", *view.path])
    return f"{path}?{urlencode(asked)}" if asked else path
