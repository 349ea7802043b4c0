"""The address at which a link shows a draft."""

from litestar import MediaType, Response, get
from litestar.exceptions import HTTPException
from litestar.params import FromQuery

from landyard import Kernel
from landyard_landing import page_headers
from landyard_sharing.links import PLACE, shown_by

_ALONE = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",  # the address is the secret
    "X-Robots-Tag": "noindex",
}


def routes(kernel: Kernel) -> list[object]:
    """Build the address."""

    @get(PLACE)
    def show(key: FromQuery[str] = "") -> Response[str]:
        """Show the draft as it is now; it runs no script."""
        document = shown_by(kernel, key)
        if document is None:
            raise HTTPException("This link has expired, or was taken back.", status_code=410)
        told = {name.decode(): value.decode() for name, value in page_headers(document)}
        headers = {name.title(): value for name, value in told.items()} | _ALONE
        return Response(document, headers=headers, media_type=MediaType.HTML)

    return [show]
