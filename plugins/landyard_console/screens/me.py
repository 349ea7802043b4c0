"""Who is signed in: the sessions, the password, and the language."""

import re

from sqlalchemy import exists, select

from landyard_console.sessions import session_id
from landyard_console.tables import PASSWORD
from landyard_console.view import Shown, View
from landyard_console.words import languages

# Most name themselves as all that were before them as well: the first one found is right.
_BROWSERS = ("Edg", "OPR", "Firefox", "Chrome", "HeadlessChrome", "Safari", "curl")
_SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux")


def browser_of(agent: str) -> str:
    """Name a browser and its system in short, as far as it says."""
    found = next((name for name in _BROWSERS if f"{name}/" in agent), "")
    version = re.search(rf"\b{found}/(\d+)", agent) if found else None
    system = next((name for name in _SYSTEMS if name in agent), "")
    named = f"{found} {version[1]}" if version else found
    return ", ".join(filter(None, (named.replace("Edg ", "Edge "), system)))


def show(view: View) -> Shown:
    """Show where one is signed in."""
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
    asked = select(exists().where(own))
    return bool(view.host.store.run(lambda unit: unit.connection.scalar(asked), writes=False))
