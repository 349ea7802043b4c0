"""New pages and sites: the galleries of templates with previews, and the dialogs to make one."""

from typing import Any
from urllib.parse import quote

from landyard_console import languages
from landyard_console.view import Answer, Shown, View

MAY_ADD = "landyard.site.mayadd"
# A preview runs no scripts, sends nothing, and can be framed by the console only.
_POLICY = (
    "default-src 'none'; img-src 'self' data:; media-src 'none'; font-src 'self';"
    " style-src-elem 'self'; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'"
)


def show(view: View) -> Shown | Answer | None:
    """Return the gallery, preview or dialog at the address; None for any other address."""
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
            return view.dialog("page_dialog.html", kind=kind, title="", **_language_choice(view))
    return None


def _pages(view: View, site: str, folder: str) -> Shown:
    offered = view.call("landing.demos.getPageList", type="page")
    # Templates for single pages come before those that belong to a site's template.
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


def _grouped(templates: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return templates in groups: single pages first, then each site with several pages."""
    of = {each["ID"]: each["ID"].partition("/")[0] for each in templates}
    sites = {
        each["ID"]: each["TITLE"] for each in templates if [*of.values()].count(each["ID"]) > 1
    }
    groups: dict[str, list[dict[str, Any]]] = {"": []}
    for each in templates:
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
    templates: dict[str, Any] = (
        view.call(lists[kind], type="page", filter={"ID": code}) if code else {}
    )
    title = templates[code]["TITLE"] if code in templates else ""
    values: dict[str, Any] = {"code": code, "title": title}
    if kind == "template":
        values |= {"site": behind[0], "folder": behind[1] or "0", **place_of(view, *behind[:2])}
    else:
        values |= _language_choice(view)
    return view.dialog("page_dialog.html", kind=kind if code else "page-empty", **values)


def _language_choice(view: View) -> dict[str, Any]:
    """Return the languages for a new site, with the browser's as the default."""
    language = languages.of_browser(view)
    return {"language": language, "languages": languages.offered(language)}


def place_of(view: View, site: str, folder: str) -> dict[str, Any]:
    """Return the site and folders of a new page or folder, and the beginning of its address."""
    site_id = view.number(site)
    params = {"select": ["ID", "TITLE"], "filter": {"ID": site_id}}
    listed_sites = view.call("landing.site.getList", params=params)
    if not listed_sites:
        view.lost()
    folders = {each["ID"]: each for each in view.call("landing.site.getFolders", siteId=site_id)}
    path: list[dict[str, Any]] = []
    while folder in folders:
        path.insert(0, folders[folder])
        folder = folders[folder]["PARENT_ID"] or ""
    address = view.call("landing.site.getPublicUrl", id=site_id).removesuffix("/")
    return {
        "place": " / ".join(
            [listed_sites[0]["TITLE"], *(each["TITLE"] or each["CODE"] for each in path)]
        ),
        "below": "/".join([address, *(quote(each["CODE"]) for each in path), ""]),
        "can_name": "sett" in view.call("landing.site.getRights", id=site_id),
    }
