"""Insertion of the counting image into published pages."""

from sqlalchemy import Connection

from landyard import Host

PLACE = "/-/visits"
"""The address of the image, with `?page=`."""


def write_picture(
    _host: Host, _connection: Connection, page_id: int, blocks: tuple[str, ...]
) -> tuple[str, ...]:
    """Append the image to the last block; it is hidden from sight and from screen readers."""
    if not blocks:
        return blocks
    picture = f'<img src="{PLACE}?page={page_id}" alt="" width="1" height="1" hidden>'
    return (*blocks[:-1], blocks[-1] + picture)
