"""The pages of a site, with the state of each."""

from typing import Any

from landyard_console.view import Shown, View


def show(view: View) -> Shown:
    """Show the pages of the site that the address names, or of the first."""
    sites = view.call("landing.site.getList", params={"select": ["ID", "TITLE"]})
    wanted = view.path[0] if view.path else ""
    site = next((each for each in sites if each["ID"] == wanted), sites[0] if sites else None)
    found = site and {"filter": {"SITE_ID": site["ID"]}, "order": {"TITLE": "ASC"}, "limit": 50}
    pages = view.call("landing.landing.getList", params=found) if found else []
    for each in pages:
        each["state"] = state_of(each)
    main = view.html("pages.html", sites=sites, site=site, pages=pages)
    return Shown(title=view.text("pages.title"), main=main)


def state_of(page: dict[str, Any]) -> str:
    """Say how a page stands: `trash`, `draft` or `published`."""
    if page["DELETED"] == "Y":
        return "trash"
    if page["ACTIVE"] != "Y":
        return "draft"
    return "published"
