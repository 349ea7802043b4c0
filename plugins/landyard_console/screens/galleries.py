"""New pages and sites: a gallery of templates as they will look, and what is asked of each."""

from typing import Any
from urllib.parse import quote

from landyard_console import languages
from landyard_console.view import Answer, Shown, View

MAY_ADD = "landyard.site.mayadd"
# Of a preview: it runs nothing, sends nothing, and is shown by the console alone.
_POLICY = (
    "default-src 'none'; img-src 'self' data:; media-src 'none'; font-src 'self';"
    " style-src-elem 'self'; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'"
)


def show(view: View) -> Shown | Answer | None:
    """Answer what the address names, or None where it is none of these."""
    parts: list[str] = [*view.path, "", ""]
    kind, behind = parts[0], parts[1:]
    match kind:
        case "new":
            return _pages(view, behind[0], behind[1] or "0")
        case "new-site":
            return _sites(view)
        case "preview":
            code, site = view.query.get("code", ""), behind[0] or "0"
            page = view.call("landyard.template.preview", code=code, siteId=view.number(site))
            return Answer(body=page.encode(), policy=_POLICY)
        case "template" | "site-template":
            return _ask(view, kind, behind)
        case "site-empty":
            return view.dialog("page_dialog.html", kind=kind, title="", **_spoken(view))
    return None


def _pages(view: View, site: str, folder: str) -> Shown:
    offered = view.call("landing.demos.getPageList", type="page")
    # One that belongs to a site's template stands behind those for single pages.
    listed = sorted(offered.values(), key=lambda each: ("/" in each["ID"], each["TITLE"]))
    title = view.text("gallery.page")
    main = view.html(
        "gallery.html",
        title=title,
        lead=view.text("gallery.page_text"),
        back=f"/-/console/pages/{site}",
        empty=f"/-/console/pages/template/{site}/{folder}",
        open=f"/-/console/pages/template/{site}/{folder}?code=",
        frame=f"/-/console/pages/preview/{site}?code=",
        groups=_grouped([each for each in listed if each["DATA"]["items"]]),
    )
    return Shown(title=title, main=main)


def _grouped(listed: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Order templates as single pages first, then those of each site of several pages."""
    of = {each["ID"]: each["ID"].partition("/")[0] for each in listed}
    sites = {each["ID"]: each["TITLE"] for each in listed if [*of.values()].count(each["ID"]) > 1}
    groups: dict[str, list[dict[str, Any]]] = {"": []}
    for each in listed:
        groups.setdefault(sites.get(of[each["ID"]], ""), []).append(each)
    return [*groups.items()]


def _sites(view: View) -> Shown:
    offered = view.call("landing.demos.getSiteList", type="page")
    title = view.text("gallery.site")
    main = view.html(
        "gallery.html",
        title=title,
        lead=view.text("gallery.site_text"),
        back="/-/console/pages",
        empty="/-/console/pages/site-empty",
        open="/-/console/pages/site-template?code=",
        frame="/-/console/pages/preview?code=",
        groups=[("", list(offered.values()))],
        counts=True,
        refused=""
        if view.can(MAY_ADD) and view.call(MAY_ADD)
        else view.text("pages.no_right_sites"),
    )
    return Shown(title=title, main=main)


def _ask(view: View, kind: str, behind: list[str]) -> Answer:
    code = view.query.get("code", "")
    lists = {"template": "landing.demos.getPageList", "site-template": "landing.demos.getSiteList"}
    found: dict[str, Any] = view.call(lists[kind], type="page", filter={"ID": code}) if code else {}
    title = found[code]["TITLE"] if code in found else ""
    given: dict[str, Any] = {"code": code, "title": title}
    if kind == "template":
        given |= {"site": behind[0], "folder": behind[1] or "0", **place_of(view, *behind[:2])}
    else:
        given |= _spoken(view)
    return view.dialog("page_dialog.html", kind=kind if code else "page-empty", **given)


def _spoken(view: View) -> dict[str, Any]:
    """Offer languages for a new site, the browser's first."""
    language = languages.of_browser(view)
    return {"language": language, "languages": languages.offered(language)}


def place_of(view: View, site: str, folder: str) -> dict[str, Any]:
    """Say in which site and folders a page or folder will be, and what its address begins with."""
    site_id = view.number(site)
    asked = {"select": ["ID", "TITLE"], "filter": {"ID": site_id}}
    found = view.call("landing.site.getList", params=asked)
    if not found:
        view.lost()
    known = {each["ID"]: each for each in view.call("landing.site.getFolders", siteId=site_id)}
    path: list[dict[str, Any]] = []
    while folder in known:
        path.insert(0, known[folder])
        folder = known[folder]["PARENT_ID"] or ""
    address = view.call("landing.site.getPublicUrl", id=site_id).removesuffix("/")
    return {
        "place": " / ".join([found[0]["TITLE"], *(each["TITLE"] or each["CODE"] for each in path)]),
        "below": "/".join([address, *(quote(each["CODE"]) for each in path), ""]),
        "can_name": "sett" in view.call("landing.site.getRights", id=site_id),
    }
