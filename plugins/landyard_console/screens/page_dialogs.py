"""The dialogs of pages (rename, move, copy), folders (make, rename, move) and sites."""

from typing import Any

from landyard_console import languages
from landyard_console.screens.galleries import place_of
from landyard_console.view import Answer, View


def show(view: View) -> Answer:
    """Return the dialog that the address names, filled with its page, folder or site."""
    parts: list[str] = [*view.path, "0", "0"]
    kind, number, behind = parts[0], parts[1], parts[2:]
    match kind:
        case "rename" | "move" | "copy":
            page = _page(view, number)
            values = {
                "page": page,
                "title": page["TITLE"],
                **_places(view, page),
                **_address_parts(view, page),
            }
            if kind == "rename":
                values |= _language_choice(view, page)
        case "site" | "site-trash":
            site = _site(view, number)
            values = {"page": site, "title": site["TITLE"], "language": site["LANG"]}
            values["languages"] = languages.offered(site["LANG"])
            if kind == "site-trash":
                values["public"] = _count_public(view, site)
        case "folder":
            folder = _folder(view, number, behind[0])
            within = place_of(view, number, folder["PARENT_ID"] or "")
            values = {"page": folder, "title": folder["TITLE"], "site": number, **within}
        case "folder-move":
            folder = _folder(view, number, behind[0])
            values = {"page": folder, "title": folder["TITLE"], "site": number}
            values["folders"] = _folders(view, number, without=folder["ID"])
        case "folder-new":
            within = place_of(view, number, behind[0])
            values = {"title": "", "site": number, "folder": behind[0], **within}
        case _:
            view.lost()
    return view.dialog("page_dialog.html", kind=kind, **values)


def _page(view: View, number: str) -> dict[str, Any]:
    fields = ["ID", "TITLE", "CODE", "SITE_ID", "FOLDER_ID", "LANG"]
    params = {"select": fields, "filter": {"ID": number}, "get_urls": True, "get_metadata": True}
    pages = view.call("landing.landing.getList", params=params)
    if not pages:
        view.lost()
    return dict(pages[0])


def _address_parts(view: View, page: dict[str, Any]) -> dict[str, Any]:
    """Return the beginning of a page's address, and whether it is its site's main page."""
    params = {"select": ["LANDING_ID_INDEX"], "filter": {"ID": page["SITE_ID"]}}
    home = view.call("landing.site.getList", params=params)[0]["LANDING_ID_INDEX"] == page["ID"]
    address = page.get("PUBLIC_URL", "").removesuffix("/")
    return {"home": home, "below": f"{address if home else address.rpartition('/')[0]}/"}


def _language_choice(view: View, page: dict[str, Any]) -> dict[str, Any]:
    """Return the languages for a page; `usual` is the name of its site's language."""
    params = {"select": ["LANG"], "filter": {"ID": page["SITE_ID"]}}
    usual = view.call("landing.site.getList", params=params)[0]["LANG"]
    own = page["LANG"] or ""
    choice = {"language": own, "languages": languages.offered(own)}
    return choice | {"usual": languages.name_of(usual)}


def _site(view: View, number: str) -> dict[str, Any]:
    """Return a site outside the trash; `below` is the beginning of its address."""
    fields = ["ID", "TITLE", "CODE", "DOMAIN_NAME", "ACTIVE", "PUBLIC_URL", "LANG"]
    sites = view.call("landing.site.getList", params={"select": fields, "filter": {"ID": number}})
    if not sites:
        view.lost()
    site = dict(sites[0])
    site["CODE"] = site["CODE"].strip("/")
    site["below"] = f"{site['PUBLIC_URL'].rpartition('/')[0]}/"
    return site


def _count_public(view: View, site: dict[str, Any]) -> int:
    """Return the number of a site's public pages."""
    if site["ACTIVE"] == "N":
        return 0
    filters = {"SITE_ID": site["ID"], "ACTIVE": "Y", "PUBLISHED": "Y"}
    params = {"select": ["ID"], "filter": filters}
    return view.part("landing.landing.getList", 0, params=params).total or 0


def _folder(view: View, site: str, number: str) -> dict[str, Any]:
    folders = view.call("landing.site.getFolders", siteId=site, filter={"ID": number})
    if not folders:
        view.lost()
    return dict(folders[0])


def _places(view: View, page: dict[str, Any]) -> dict[str, Any]:
    """Return all sites, and the folders of the chosen one, by default the page's."""
    sites = view.call("landing.site.getList", params={"select": ["ID", "TITLE"]})
    site = view.query.get("toSiteId") or page["SITE_ID"]
    return {"sites": sites, "site": site, "folders": _folders(view, site)}


def _folders(view: View, site: str, without: str = "") -> list[dict[str, Any]]:
    """Return the folders of a site by their paths, except one and its content."""
    folders = view.call("landing.site.getFolders", siteId=site)
    by_id = {each["ID"]: each for each in folders}
    with_paths = []
    for each in folders:
        above = _above(each, by_id)
        if without not in [it["ID"] for it in above]:
            each["path"] = " / ".join(it["TITLE"] or it["CODE"] for it in above)
            with_paths.append(each)
    return sorted(with_paths, key=lambda it: it["path"])


def _above(folder: dict[str, Any], by_id: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a folder's parents, the outermost first, and the folder itself."""
    outer = by_id.get(folder["PARENT_ID"] or "")
    return [*(_above(outer, by_id) if outer else ()), folder]
