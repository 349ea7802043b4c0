"""What visitors get: whole answers of HTTP, ready to be sent again and again (H4)."""

import hashlib
from collections.abc import Iterable

from landyard import PublicAnswer
from landyard_landing.html.embeds import frame_sources
from landyard_landing.public.rendering import lost
from landyard_landing.sites.languages import USUAL_LANGUAGE
from landyard_landing.themes.looks import PLAIN, Look

ATOM = "application/atom+xml; charset=utf-8"
HTML = "text/html; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
XML = "application/xml; charset=utf-8"

Headers = tuple[tuple[bytes, bytes], ...]

ALWAYS: Headers = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
)
# What slips through the sanitising policy still runs nothing: no script, no form, no plug-in.
# No page of ours can be framed, by itself either: in a sandbox that a player needs it could escape.
# A picture may be written out in the page (`data:`), as the policy lets it: it runs nothing there.
# A browser follows `<meta http-equiv=refresh>` and fetches `<link rel=prefetch>` whatever is said
# here: those two have the sanitising policy alone against them.
# Inline styles are the background pictures and safe declarations that blocks carry.
_PAGE_POLICY = (
    b"default-src 'none'; img-src 'self' https: data:; media-src 'self' https:; font-src 'self';"
    b" style-src-elem 'self'; style-src-attr 'unsafe-inline'; frame-src %b;"
    b" base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# No HTML that was sent has a form: where there is one, a block type's own code has written it.
_FORM_POLICY = _PAGE_POLICY.replace(b"form-action 'none'", b"form-action 'self'")
# A file opened on its own must run nothing either: SVG is a document.
_FILE_POLICY = (
    b"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none';"
    b" sandbox"
)
REVALIDATED = b"public, max-age=0, must-revalidate"
FOREVER = b"public, max-age=31536000, immutable"


def page_headers(document: str, embed_hosts: Iterable[str] = ()) -> Headers:
    """Return the headers that every page has, among them its policy; also those of failures.

    Frames are of `embed_hosts`, those in the settings; of any host where none is named there.
    """
    policy = _FORM_POLICY if "<form " in document else _PAGE_POLICY
    policy %= frame_sources(embed_hosts).encode()
    return ((b"content-security-policy", policy), *ALWAYS)


def found(
    document: str, kind: str = HTML, language: str = "", embed_hosts: Iterable[str] = ()
) -> PublicAnswer:
    """Deliver a document that stays the same until it is changed; "" is of no language."""
    body = document.encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode()
    lasting = (
        *page_headers(document, embed_hosts),
        (b"etag", etag),
        (b"cache-control", REVALIDATED),
    )
    described = _described(kind, body, language)
    answer = PublicAnswer(200, (*described, *lasting), body, etag, unchanged=lasting)
    return answer.with_packed()


def stale(answer: PublicAnswer) -> PublicAnswer:
    """Mark an answer that may not be current: the database cannot be asked."""
    packed = stale(answer.packed) if answer.packed else None
    headers = (*answer.headers, (b"warning", b'110 - "Response is Stale"'))
    return PublicAnswer(answer.status, headers, answer.body, packed=packed)  # not to be kept


def missing(document: str, language: str, embed_hosts: Iterable[str] = ()) -> PublicAnswer:
    """Deliver the page for an address that leads nowhere."""
    body = document.encode()
    described = _described(HTML, body, language)
    lasting = page_headers(document, embed_hosts)
    headers = (*described, *lasting, (b"cache-control", b"no-store"))
    return PublicAnswer(404, headers, body)


def not_there(
    path: str,
    language: str = USUAL_LANGUAGE,
    ways: Iterable[tuple[str, str]] = (),
    look: Look = PLAIN,
) -> PublicAnswer:
    """Deliver our page for an address that leads nowhere; see `lost`."""
    return missing(lost(path, language, ways, look), language)


def moved(location: str) -> PublicAnswer:
    """Send the visitor on to another path, for good."""
    # As it was asked for, byte by byte: these are the characters of a request's own line.
    headers = ((b"location", location.encode("latin-1")), (b"content-length", b"0"))
    return PublicAnswer(301, (*ALWAYS, *headers))


def moved_away(location: str) -> PublicAnswer:
    """Send the visitor on to where something is now; a page may come to be here at any time."""
    kept = (b"cache-control", REVALIDATED)
    headers = ((b"location", location.encode("latin-1")), (b"content-length", b"0"), kept)
    return PublicAnswer(301, (*ALWAYS, *headers))


def file_headers(etag: str, kept: bytes) -> Headers:
    """Return the headers of a file that visitors may keep for as long as `kept` says."""
    told = ((b"etag", etag.encode()), (b"cache-control", kept))
    return (*ALWAYS, (b"content-security-policy", _FILE_POLICY), *told)


def found_file(body: bytes, kind: str, etag: str, kept: bytes) -> PublicAnswer:
    """Deliver a file."""
    headers = file_headers(etag, kept)
    described = (*_described(kind, body), *headers)
    return PublicAnswer(200, described, body, etag.encode(), unchanged=headers).with_packed()


def _described(kind: str, body: bytes, language: str = "") -> Headers:
    spoken = ((b"content-language", language.encode()),) if language else ()
    length = str(len(body)).encode()
    return ((b"content-type", kind.encode()), *spoken, (b"content-length", length))
