"""Writes the HTML around a screen: navigation and header; also the sign-in and error pages."""

from collections.abc import Sequence
from typing import Any

import msgspec

from landyard import Failure
from landyard_console.assets import asset
from landyard_console.extensions import panels_of
from landyard_console.view import Refused, Screen, Shown, View
from landyard_console.words import Words

GROUPS = ("content", "operating", "people")
_NO_RIGHTS = (401, 403)
# The modules that the first one imports, preloaded so that they load in parallel.
_PARTS = (
    *("addresses", "auto_refresh", "call_elements", "calls", "dialogs", "early_typing", "elements"),
    *("focus_return", "notifications", "partial_update", "readable_address", "session", "texts"),
)
_MODULES = ("call.js", "vendor/htmx.js", *(f"parts/{name}.js" for name in _PARTS))


def page(view: View, shown: Shown, screens: Sequence[Screen], name: str) -> str:
    """Return the HTML of a whole page: navigation, header, and the screen."""
    visible = [each for each in screens if each.group and (not each.needs or view.can(each.needs))]
    groups = {group: [each for each in visible if each.group == group] for group in GROUPS}
    return view.html(
        "shell.html",
        shown=shown,
        groups=groups,
        current=name,
        modules=_MODULES,
        address=_address,
        panels=msgspec.json.encode({} if "plain" in view.query else panels_of(view.host)).decode(),
        script_texts=msgspec.json.encode(_script_texts(view.words)).decode(),
    )


def _address(file: str) -> str:
    """Return the address of a script or style sheet; a plugin's is an address already."""
    return file if file.startswith("/") else asset(file)


def _script_texts(words: Words) -> dict[str, str]:
    return {key: text for key, text in words.texts.items() if key.startswith("js.")}


def sign_in(
    words: Words, *, message: str, insecure: bool, name: str = "", by_link: bool = False
) -> str:
    """Return the sign-in page as HTML; after a sign-in link (`by_link`) it has only a button."""
    from landyard_console.templating import environment  # imported late: Jinja is slow to import

    values: dict[str, Any] = {"words": words, "t": words.text, "asset": asset}
    return (
        environment()
        .get_template("sign_in.html")
        .render(**values, told=message, insecure=insecure, name=name, by_link=by_link)
    )


def lost(view: View) -> Shown:
    """Return the page for an unknown address."""
    return _state(view, "lost", 404)


def refused(view: View, error: Refused, needed: str) -> Shown:
    """Return the page for a refused call: no rights, too many calls, switched off, or an error.

    `needed` is the method that the screen requires.
    """
    failure = error.failure
    if failure.error == "ERROR_METHOD_NOT_FOUND" and (shown := _off(view, error.method, needed)):
        return shown
    denied = failure.status in _NO_RIGHTS or failure.error == "ACCESS_DENIED"
    kind = "denied" if denied else "busy" if failure.status in (429, 503) else "failed"
    return _state(view, kind, max(failure.status, 400), failure)


def _off(view: View, method: str, needed: str) -> Shown | None:
    """Return the page for a switched-off plugin or method; None if there is no such method."""
    plugins = view.call("landyard.plugin.list") if view.can("landyard.plugin.list") else ()
    plugin = next((each for each in plugins if method in each["methods"]), None)
    if plugin is None and method != needed:
        return None
    alone = bool(plugin and plugin["state"] == "enabled")
    name = method if alone or not plugin else plugin["name"]
    kind = "method" if alone else "plugin"
    title = view.text("state.off.title", name=name)
    main = view.html("off.html", title=title, name=name, kind=kind, can=plugin is not None)
    return Shown(title=title, main=main, status=404)


def _state(view: View, kind: str, status: int, failure: Failure | None = None) -> Shown:
    title = view.text(f"state.{kind}.title")
    main = view.html("state.html", kind=kind, failure=failure)
    return Shown(title=title, main=main, status=status)
