"""The screen of the service: health, jobs, limits, and settings."""

from landyard_console.view import Shown, View

TABS = ("health", "jobs", "limits", "settings")


def show(view: View) -> Shown:
    """Return the tab in the address, or the first."""
    tab = view.path[0] if view.path else TABS[0]
    if tab not in TABS:
        view.lost()
    method = f"landyard.{tab.removesuffix('s')}.{'get' if tab == 'health' else 'list'}"
    answer = view.call(method)
    main = view.html(f"service_{tab}.html", tabs=TABS, tab=tab, found=answer)
    return Shown(title=view.text(f"service.{tab}"), main=main)
