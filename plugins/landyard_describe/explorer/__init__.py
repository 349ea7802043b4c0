"""The API explorer: a page for calling the active methods by hand, with its files.

The page shows `/openapi.json` with Swagger UI, whose two compressed files are in the folder
`swagger-ui`. It loads nothing from other servers, and runs under `POLICY`.
"""

import functools
import gzip
import hashlib
from collections.abc import Mapping
from pathlib import Path

from landyard import PublicAnswer
from landyard_describe.answers import answer

PAGE = "/-/explorer"
# Images are allowed for the arrows embedded in the style sheet.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_SWAGGER_UI = ("swagger-ui.css", "swagger-ui.js")
_OWN = ("explorer.css", "explorer.js", "parts.js")
_TYPES = {".css": "text/css", ".html": "text/html", ".js": "text/javascript"}
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


@functools.cache
def assets() -> Mapping[str, PublicAnswer]:
    """Return the page, under `""`, and its files by their paths below `PAGE`: two megabytes.

    The paths contain a digest of all files, so that browsers may cache them for ever.
    """
    here = Path(__file__).parent
    files = {name: (here / name).read_bytes() for name in _OWN}
    for name in _SWAGGER_UI:
        files[name] = gzip.decompress((here / "swagger-ui" / f"{name}.gz").read_bytes())
    page = (here / "page.html").read_text("utf-8")
    digest = hashlib.sha256(b"".join([page.encode(), *files.values()])).hexdigest()[:16]
    for name in files:
        page = page.replace(f'"{name}"', f'"{PAGE}/{digest}/{name}"')
    answers = {"": _asset(page.encode(), ".html", b"no-cache")}
    for name, body in files.items():
        lasting = b"public, max-age=31536000, immutable"
        answers[f"/{digest}/{name}"] = _asset(body, Path(name).suffix, lasting)
    return answers


def _asset(body: bytes, suffix: str, cache: bytes) -> PublicAnswer:
    kind = f"{_TYPES[suffix]}; charset=utf-8"
    return answer(body, kind, (*_HEADERS, (b"cache-control", cache)))
