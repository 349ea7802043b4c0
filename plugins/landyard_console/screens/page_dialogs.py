"""The dialogs of pages (rename, move, copy), folders (make, rename, move) and sites."""

from typing import Any

from landyard_console import languages
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
            if kind == "rename":
                given |= _spoken(view, page)
        case "site" | "site-trash":
            site = _site(view, number)
            given = {"page": site, "title": site["TITLE"], "language": site["LANG"]}
            given["languages"] = languages.offered(site["LANG"])
            if kind == "site-trash":
                given["public"] = _count_public(view, site)
        case "folder":
            folder = _folder(view, number, behind[0])
            within = place_of(view, number, folder["PARENT_ID"] or "")
            given = {"page": folder, "title": folder["TITLE"], "site": number, **within}
        case "folder-move":
            folder = _folder(view, number, behind[0])
            given = {"page": folder, "title": folder["TITLE"], "site": number}
            given["folders"] = _folders(view, number, without=folder["ID"])
        case "folder-new":
            within = place_of(view, number, behind[0])
            given = {"title": "", "site": number, "folder": behind[0], **within}
        case _:
            view.lost()
    return view.dialog("page_dialog.html", kind=kind, **given)


def _page(view: View, number: str) -> dict[str, Any]:
    fields = ["ID", "TITLE", "CODE", "SITE_ID", "FOLDER_ID", "LANG"]
    wanted = {"select": fields, "filter": {"ID": number}, "get_urls": True, "get_metadata": True}
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


def _spoken(view: View, page: dict[str, Any]) -> dict[str, Any]:
    """Offer languages for a page; `usual` is the name of its site's."""
    asked = {"select": ["LANG"], "filter": {"ID": page["SITE_ID"]}}
    usual = view.call("landing.site.getList", params=asked)[0]["LANG"]
    own = page["LANG"] or ""
    named = {"language": own, "languages": languages.offered(own)}
    return named | {"usual": languages.name_of(usual)}


def _site(view: View, number: str) -> dict[str, Any]:
    """Ask for a site outside the trash; `below` is what its address begins with."""
    fields = ["ID", "TITLE", "CODE", "DOMAIN_NAME", "ACTIVE", "PUBLIC_URL", "LANG"]
    found = view.call("landing.site.getList", params={"select": fields, "filter": {"ID": number}})
    if not found:
        view.lost()
    site = dict(found[0])
    site["CODE"] = site["CODE"].strip("/")
    site["below"] = f"{site['PUBLIC_URL'].rpartition('/')[0]}/"
    return site


def _count_public(view: View, site: dict[str, Any]) -> int:
    """Count the pages of a site that visitors see."""
    if site["ACTIVE"] == "N":
        return 0
    wanted = {"SITE_ID": site["ID"], "ACTIVE": "Y", "PUBLISHED": "Y"}
    asked = {"select": ["ID"], "filter": wanted}
    return view.part("landing.landing.getList", 0, params=asked).total or 0


def _folder(view: View, site: str, number: str) -> dict[str, Any]:
    found = view.call("landing.site.getFolders", siteId=site, filter={"ID": number})
    if not found:
        view.lost()
    return dict(found[0])


def _places(view: View, page: dict[str, Any]) -> dict[str, Any]:
    """List the sites and the folders of one, that of the page unless another is asked for."""
    sites = view.call("landing.site.getList", params={"select": ["ID", "TITLE"]})
    site = view.query.get("toSiteId") or page["SITE_ID"]
    return {"sites": sites, "site": site, "folders": _folders(view, site)}


def _folders(view: View, site: str, without: str = "") -> list[dict[str, Any]]:
    """List the folders of a site by their paths, but one and what is in it."""
    folders = view.call("landing.site.getFolders", siteId=site)
    known = {each["ID"]: each for each in folders}
    found = []
    for each in folders:
        above = _above(each, known)
        if without not in [it["ID"] for it in above]:
            each["path"] = " / ".join(it["TITLE"] or it["CODE"] for it in above)
            found.append(each)
    return sorted(found, key=lambda it: it["path"])


def _above(folder: dict[str, Any], known: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """List the folders that one is in, the outermost first, and itself."""
    outer = known.get(folder["PARENT_ID"] or "")
    return [*(_above(outer, known) if outer else ()), folder]
