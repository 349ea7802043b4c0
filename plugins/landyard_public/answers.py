"""Builds complete HTTP answers for visitors, with their security and cache headers (H4)."""

import hashlib
from collections.abc import Iterable

from landyard import PublicAnswer
from landyard_html.embeds import frame_sources
from landyard_landing.languages import USUAL_LANGUAGE
from landyard_public.rendering import lost
from landyard_public.themes.site_look import PLAIN, Look

ATOM = "application/atom+xml; charset=utf-8"
HTML = "text/html; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
XML = "application/xml; charset=utf-8"

Headers = tuple[tuple[bytes, bytes], ...]

ALWAYS: Headers = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
)
# HTML that slips through the sanitising policy still runs nothing: no script, form or plug-in.
# No page of ours can be framed, not even by itself: the sandbox that a player needs would let a
# framed page of the same origin escape.
# Pictures may be written out in the page (`data:`), as the sanitising policy allows: they run
# nothing there.
# Browsers follow `<meta http-equiv=refresh>` and fetch `<link rel=prefetch>` whatever this policy
# has. The sanitising policy alone keeps both out.
# Inline styles are the background pictures and safe declarations of blocks.
_PAGE_POLICY = (
    b"default-src 'none'; img-src 'self' https: data:; media-src 'self' https:; font-src 'self';"
    b" style-src-elem 'self'; style-src-attr 'unsafe-inline'; frame-src %b;"
    b" base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# HTML of callers has no form: a form was written by the code of a block type.
_FORM_POLICY = _PAGE_POLICY.replace(b"form-action 'none'", b"form-action 'self'")
# A file that is opened by itself must run nothing either: an SVG is a document.
_FILE_POLICY = (
    b"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none';"
    b" sandbox"
)
REVALIDATED = b"public, max-age=0, must-revalidate"
FOREVER = b"public, max-age=31536000, immutable"
_BY_BROWSERS: Headers = ((b"cache-control", REVALIDATED),)


def page_headers(document: str, embed_hosts: Iterable[str] = ()) -> Headers:
    """Return the headers of every page and failure page, its Content-Security-Policy included.

    Frames may be of `embed_hosts`, the hosts in the settings, or of any host where it is empty.
    """
    policy = _FORM_POLICY if "<form " in document else _PAGE_POLICY
    policy %= frame_sources(embed_hosts).encode()
    return ((b"content-security-policy", policy), *ALWAYS)


def found(
    document: str,
    kind: str = HTML,
    language: str = "",
    embed_hosts: Iterable[str] = (),
    *,
    caching: Headers = _BY_BROWSERS,
) -> PublicAnswer:
    """Answer 200 with a document that browsers revalidate; a `language` of "" is left out.

    `caching` are the headers for edges, `Cache-Control` among them.
    """
    body = document.encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode()
    lasting = (
        *page_headers(document, embed_hosts),
        (b"etag", etag),
        *caching,
    )
    described = _described(kind, body, language)
    answer = PublicAnswer(200, (*described, *lasting), body, etag, unchanged=lasting)
    return answer.with_packed()


def stale(answer: PublicAnswer) -> PublicAnswer:
    """Copy an answer with a warning that it may be outdated, for a database that is away."""
    packed = stale(answer.packed) if answer.packed else None
    # An edge must not keep it for as long as it may keep a current one.
    fresh = (each for each in answer.headers if each[0] != b"cache-control")
    headers = (*fresh, *_BY_BROWSERS, (b"warning", b'110 - "Response is Stale"'))
    return PublicAnswer(answer.status, headers, answer.body, packed=packed)  # no ETag: not cached


def missing(document: str, language: str, embed_hosts: Iterable[str] = ()) -> PublicAnswer:
    """Answer 404 with a site's own page for this error."""
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
    """Answer 404 with the service's page for this error; see `lost`."""
    return missing(lost(path, language, ways, look), language)


def moved(location: str) -> PublicAnswer:
    """Answer 301 with another path, permanently."""
    # Encoded back to the bytes of the request line, from which the path was decoded.
    headers = ((b"location", location.encode("latin-1")), (b"content-length", b"0"))
    return PublicAnswer(301, (*ALWAYS, *headers))


def moved_away(location: str) -> PublicAnswer:
    """Answer 301 with the new address of a page; revalidated, as a new page may come here."""
    caching = (b"cache-control", REVALIDATED)
    headers = ((b"location", location.encode("latin-1")), (b"content-length", b"0"), caching)
    return PublicAnswer(301, (*ALWAYS, *headers))


def sent_elsewhere(address: str) -> PublicAnswer:
    """Answer 302 with the address of a file at a public store, for five minutes."""
    caching = (b"cache-control", b"public, max-age=300")
    headers = ((b"location", address.encode()), (b"content-length", b"0"), caching)
    return PublicAnswer(302, (*ALWAYS, *headers))


def file_headers(etag: str, caching: bytes) -> Headers:
    """Return the headers of a file; `caching` is its `Cache-Control`."""
    validators = ((b"etag", etag.encode()), (b"cache-control", caching))
    return (*ALWAYS, (b"content-security-policy", _FILE_POLICY), *validators)


def found_file(body: bytes, kind: str, etag: str, caching: bytes) -> PublicAnswer:
    """Answer 200 with a file of the content type `kind`."""
    headers = file_headers(etag, caching)
    described = (*_described(kind, body), *headers)
    return PublicAnswer(200, described, body, etag.encode(), unchanged=headers).with_packed()


def _described(kind: str, body: bytes, language: str = "") -> Headers:
    languages = ((b"content-language", language.encode()),) if language else ()
    length = str(len(body)).encode()
    return ((b"content-type", kind.encode()), *languages, (b"content-length", length))
