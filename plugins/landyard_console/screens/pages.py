"""The screen of pages: a tree of folders, and a list of pages with the state of each."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from landyard_console.extensions import fill_columns
from landyard_console.screens import galleries, page_dialogs
from landyard_console.view import Answer, Part, Shown, View

_LISTED = 50  # a hundred pages with their menus take the browser twice as long to paint
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
    """Return the pages of a site or folder, or one of the dialogs."""
    first = view.path[0] if view.path else ""
    if first and not first.isdecimal():
        return galleries.show(view) or page_dialogs.show(view)
    every = {"select": list(_OF_SITES), "filter": {"DELETED": ["Y", "N"]}}
    every_site = view.call("landing.site.getList", params=every)
    in_trash = [each for each in every_site if each["DELETED"] == "Y"]
    sites = [each for each in every_site if each["DELETED"] == "N"]
    title = view.text("pages.title")
    trashed = next((each for each in in_trash if each["ID"] == first), None)
    site = None if trashed else _site(view, sites, first)
    may_add = view.can(galleries.MAY_ADD) and view.call(galleries.MAY_ADD)
    values = {
        "may_add": may_add,
        "sites": sites,
        "gone": in_trash,
        "trashed": trashed,
        "site": site,
    }
    chosen_site = site or trashed
    if chosen_site is None:
        return Shown(title=title, main=view.html("pages.html", **values))
    can = dict.fromkeys(view.call("landing.site.getRights", id=int(chosen_site["ID"])), True)
    title = f"{chosen_site['TITLE']}: {title}"
    if site is None:
        return Shown(title=title, main=view.html("pages.html", **values, can=can))
    folder = view.path[1] if len(view.path) > 1 else ""
    chosen = view.query.get("state", "all")
    chosen = chosen if chosen in _ONLY else "all"
    all_folders = view.call("landing.site.getFolders", siteId=int(site["ID"]))
    part = _pages(view, site, folder, chosen)
    main = view.html(
        "pages.html",
        **values,
        folder=folder,
        tree=tree_of(all_folders),
        folders=_folders(view, site, all_folders, folder, chosen),
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
    """Return folders as a tree: each has its inner folders in `within`."""
    within: dict[str | None, list[dict[str, Any]]] = {}
    for each in sorted(folders, key=lambda each: each["TITLE"].casefold()):
        within.setdefault(each["PARENT_ID"], []).append(each)
    by_id = {each["ID"]: each for inside in within.values() for each in inside}
    for number, each in by_id.items():
        each["within"] = within.get(number, [])
    return [each for each in by_id.values() if each["PARENT_ID"] not in by_id]


def state_of(page: Mapping[str, Any]) -> str:
    """Return the state of a page: `trash`, `draft`, `hidden`, `changed` or `published`."""
    if page["DELETED"] == "Y":
        return "trash"
    if page["PUBLISHED"] == "N":
        return "draft"
    if page["ACTIVE"] == "N":
        return "hidden"
    return "changed" if page["CHANGED"] == "Y" else "published"


def _site(view: View, sites: list[dict[str, Any]], site_id: str) -> dict[str, Any] | None:
    if not site_id:
        return sites[0] if sites else None
    match = next((each for each in sites if each["ID"] == site_id), None)
    if match is None:
        view.lost()
    return match


def _folders(
    view: View, site: Mapping[str, Any], all_folders: list[dict[str, Any]], folder: str, chosen: str
) -> list[dict[str, Any]]:
    """Return the folders within one, or those in the trash, without their inner folders."""
    if view.query.get("q") or chosen not in ("all", "trash"):
        return []
    if chosen == "all":
        return [each for each in all_folders if (each["PARENT_ID"] or "") == folder]
    in_trash = view.call("landing.site.getFolders", siteId=int(site["ID"]), filter={"DELETED": "Y"})
    inside = {each["ID"] for each in in_trash}
    return [each for each in in_trash if each["PARENT_ID"] not in inside]


def _pages(view: View, site: Mapping[str, Any], folder: str, chosen: str) -> Part:
    filters: dict[str, Any] = {"SITE_ID": site["ID"], **_ONLY[chosen]}
    if search := view.query.get("q", "").strip()[:200]:
        filters["%TITLE"] = search
    elif chosen == "all":
        filters["FOLDER_ID"] = folder
    params = {
        "select": list(_FIELDS),
        "filter": filters,
        "order": {"TITLE": "ASC", "ID": "ASC"},
        "limit": _LISTED + 1,  # one more shows whether there is a next part
        "offset": view.start,
        "get_publication": True,
        "get_urls": True,
    }
    listed = view.call("landing.landing.getList", params=params)
    following = view.start + _LISTED if len(listed) > _LISTED else None
    part = Part(listed[:_LISTED], view.start, following)
    for each in part.items:
        each["state"] = state_of(each)
        each["home"] = each["ID"] == site["LANDING_ID_INDEX"]
        each["changed"] = view.moment(each["DATE_MODIFY"])
    return part


def _address(view: View, **changed: object) -> str:
    """Return this screen's address with changed parameters; a new filter starts at page 1."""
    current = {name: view.query[name] for name in ("q", "state") if view.query.get(name)}
    query = {name: value for name, value in (current | changed).items() if value not in ("all", 0)}
    path = "/".join(["/-/console/pages", *view.path])
    return f"{path}?{urlencode(query)}" if query else path
