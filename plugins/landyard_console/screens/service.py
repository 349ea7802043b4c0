"""The service: whether it is well, its jobs, its limits, and the settings in force."""

from landyard_console.view import Shown, View

TABS = ("health", "jobs", "limits", "settings")


def show(view: View) -> Shown:
    """Show the tab that the address names, or the first."""
    tab = view.path[0] if view.path else TABS[0]
    if tab not in TABS:
        view.lost()
    method = f"landyard.{tab.removesuffix('s')}.{'get' if tab == 'health' else 'list'}"
    found = view.call(method)
    main = view.html(f"service_{tab}.html", tabs=TABS, tab=tab, found=found)
    return Shown(title=view.text(f"service.{tab}"), main=main)
