"""Who is signed in: the sessions, the password, and the language."""

from landyard_console.sessions import session_id
from landyard_console.view import Shown, View
from landyard_console.words import languages


def show(view: View) -> Shown:
    """Show where one is signed in."""
    main = view.html(
        "me.html",
        sessions=view.call("landyard.session.list"),
        own=session_id(view.actor),
        languages={name: words.text("language.name") for name, words in languages().items()},
    )
    return Shown(title=view.text("me.title"), main=main)
