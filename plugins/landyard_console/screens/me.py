"""The screen of the signed-in user: sessions, password, and language."""

import re

from sqlalchemy import exists, select

from landyard_console.sessions import session_id
from landyard_console.tables import PASSWORD
from landyard_console.view import Shown, View
from landyard_console.words import languages

# Most browsers also name their predecessors, so the first match in this order is right.
_BROWSERS = ("Edg", "OPR", "Firefox", "Chrome", "HeadlessChrome", "Safari", "curl")
_SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux")


def browser_of(agent: str) -> str:
    """Return the short name of a browser and its system, as far as known."""
    browser = next((name for name in _BROWSERS if f"{name}/" in agent), "")
    version = re.search(rf"\b{browser}/(\d+)", agent) if browser else None
    system = next((name for name in _SYSTEMS if name in agent), "")
    name_and_version = f"{browser} {version[1]}" if version else browser
    return ", ".join(filter(None, (name_and_version.replace("Edg ", "Edge "), system)))


def show(view: View) -> Shown:
    """Return the screen of the user's sessions."""
    sessions = view.call("landyard.session.list")
    for each in sessions:
        each["browser"] = browser_of(each["agent"])
    main = view.html(
        "me.html",
        sessions=sessions,
        own=session_id(view.actor),
        has_password=_has_password(view),
        chosen=view.request.cookies.get("landyard_language", ""),
        languages={name: words.text("language.name") for name, words in languages().items()},
    )
    return Shown(title=view.text("me.title"), main=main)


def _has_password(view: View) -> bool:
    own = PASSWORD.c.user_id == view.actor.user_id
    query = select(exists().where(own))
    return bool(view.host.store.run(lambda unit: unit.connection.scalar(query), writes=False))
