"""The dialogs of the pages: rename, move, copy, and those of folders."""

from typing import Any

from landyard_console.screens.making import place_of
from landyard_console.view import Answer, View


def show(view: View) -> Answer:
    """Answer the dialog that the address names, with what it is about."""
    parts: list[str] = [*view.path, "0", "0"]
    kind, number, behind = parts[0], parts[1], parts[2:]
    match kind:
        case "rename" | "move" | "copy":
            page = _page(view, number)
            given = {
                "page": page,
                "title": page["TITLE"],
                **_places(view, page),
                **_found(view, page),
            }
        case "folder":
            folder = _folder(view, number, behind[0])
            within = place_of(view, number, folder["PARENT_ID"] or "")
            given = {"page": folder, "title": folder["TITLE"], "site": number, **within}
        case "folder-new":
            within = place_of(view, number, behind[0])
            given = {"title": "", "site": number, "folder": behind[0], **within}
        case _:
            view.lost()
    return view.dialog("page_dialog.html", kind=kind, **given)


def _page(view: View, number: str) -> dict[str, Any]:
    fields = ["ID", "TITLE", "CODE", "SITE_ID", "FOLDER_ID"]
    wanted = {"select": fields, "filter": {"ID": number}, "get_urls": True}
    found = view.call("landing.landing.getList", params=wanted)
    if not found:
        view.lost()
    return dict(found[0])


def _found(view: View, page: dict[str, Any]) -> dict[str, Any]:
    """Say what a page's address begins with; a main page is found at its site's."""
    asked = {"select": ["LANDING_ID_INDEX"], "filter": {"ID": page["SITE_ID"]}}
    home = view.call("landing.site.getList", params=asked)[0]["LANDING_ID_INDEX"] == page["ID"]
    address = page.get("PUBLIC_URL", "").removesuffix("/")
    return {"home": home, "below": f"{address if home else address.rpartition('/')[0]}/"}


def _folder(view: View, site: str, number: str) -> dict[str, Any]:
    found = view.call("landing.site.getFolders", siteId=site, filter={"ID": number})
    if not found:
        view.lost()
    return dict(found[0])


def _places(view: View, page: dict[str, Any]) -> dict[str, Any]:
    """List the sites and the folders of one, that of the page unless another is asked for."""
    sites = view.call("landing.site.getList", params={"select": ["ID", "TITLE"]})
    site = view.query.get("toSiteId") or page["SITE_ID"]
    folders = view.call("landing.site.getFolders", siteId=site)
    names = {each["ID"]: each for each in folders}
    for each in folders:
        each["path"] = _path(each, names)
    return {"sites": sites, "site": site, "folders": sorted(folders, key=lambda it: it["path"])}


def _path(folder: dict[str, Any], names: dict[str, dict[str, Any]]) -> str:
    above = names.get(folder["PARENT_ID"] or "")
    own = folder["TITLE"] or folder["CODE"]
    return f"{_path(above, names)} / {own}" if above else own
