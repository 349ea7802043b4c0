"""Writes the picture of nothing into published pages."""

from sqlalchemy import Connection

from landyard import Host

PLACE = "/-/visits"
"""The address of the picture, with `?page=`."""


def write_picture(
    _host: Host, _connection: Connection, page_id: int, blocks: tuple[str, ...]
) -> tuple[str, ...]:
    """Write it behind the last block; it is neither seen nor read out."""
    if not blocks:
        return blocks
    picture = f'<img src="{PLACE}?page={page_id}" alt="" width="1" height="1" hidden>'
    return (*blocks[:-1], blocks[-1] + picture)
