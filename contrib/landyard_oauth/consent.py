"""The HTML of the consent page: the app, the scopes it asks for, and the form to decide."""

import base64
import hashlib
from html import escape
from urllib.parse import urlsplit

from msgspec import Struct, structs

from landyard import Actor, Host

_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { box-sizing: border-box; max-width: 30rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
p, li { overflow-wrap: anywhere; }
ul { padding-left: 1.25rem; }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0; }
button { font: inherit; min-height: 2.75rem; padding: .5rem 1.25rem; border-radius: .5rem;
  border: 1px solid; flex: 1; cursor: pointer; }
button[value=allow] { background: #1a56b8; border-color: #1a56b8; color: #fff; }
small { display: block; }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_PAGE = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title><style>{_STYLE}</style></head>
<body>
<main>
%s
</main>
</body>
</html>
"""
_ASK = """<h1>Let “{title}” in?</h1>
<p>You are signed in as <strong>{user}</strong>. The app <strong>{title}</strong> could then, in
your name, until an operator ends it:</p>
<ul>
{scopes}
</ul>
<form method="post"><input type="hidden" name="form_token" value="{token}">
<button name="decision" value="deny">Cancel</button>
<button name="decision" value="allow">Allow</button></form>
<p><small>Either way you go on to {place}.</small></p>"""


class ConsentRequest(Struct, frozen=True):
    """An app's request for consent: its title, the scopes, and the address for the answer."""

    title: str
    redirect_uri: str
    scopes: frozenset[str]

    def narrowed(self, scopes: frozenset[str]) -> "ConsentRequest":
        """Drop scopes that the user's own credential lacks: the user cannot grant them."""
        return structs.replace(self, scopes=self.scopes & scopes)


def ask_page(host: Host, actor: Actor, request: ConsentRequest, token: str) -> str:
    """Return the HTML of the consent page."""
    title = escape(request.title)
    content = _ASK.format(
        title=title,
        user=escape(actor.name or f"user {actor.user_id}"),
        scopes="\n".join(_lines(host, request.scopes)),
        token=token,
        place=escape(urlsplit(request.redirect_uri).netloc),
    )
    return _PAGE % (f"Let {title} in?", content)


def error_page(text: str) -> str:
    """Return the HTML of a page with an error."""
    return _PAGE % ("Not possible", f"<h1>This is not possible</h1>\n<p>{escape(text)}</p>")


def headers_of(redirect_uri: str) -> dict[str, str]:
    """Return the headers of a page whose form may redirect to the app's address only."""
    parts = urlsplit(redirect_uri)
    place = f" {parts.scheme}://{parts.netloc}" if redirect_uri else ""
    policy = (
        f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'self'{place};"
        " base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def _lines(host: Host, scopes: frozenset[str]) -> list[str]:
    """Describe each scope by the number of its methods."""
    lines = ["<li>ask who you are and what there is</li>"]
    for scope in sorted(scopes):
        methods = [each for each in host.methods if each.scope == scope]
        writes = sum(each.writes for each in methods)
        summary = f"{_counted(len(methods))}, {writes or 'none'} of which change something"
        lines.append(f"<li><strong>{escape(scope)}</strong>: call {summary}</li>")
    return lines


def _counted(count: int) -> str:
    return "1 method" if count == 1 else f"{count} methods"
