"""What plugins write into the pages that visitors get."""

from collections.abc import Callable

from sqlalchemy import Connection

from landyard import Host, Record

Blocks = tuple[str, ...]
"""The HTML of a page's blocks, each in its wrapping."""


class PageWriter(Record, frozen=True):
    """Asked for each page that is rendered: `write(host, connection, page_id, blocks)`.

    It returns the blocks as visitors get them, as many as it was given; they are kept with the page
    for all visitors until something public changes, so they depend on the database alone. What it
    writes does not go through the sanitising policy: it escapes every text itself.
    """

    name: str
    write: Callable[[Host, Connection, int, Blocks], Blocks]

    @property
    def key(self) -> str:
        return self.name


def written(host: Host, connection: Connection, page_id: int, blocks: Blocks) -> Blocks:
    """Have every plugin that is on write into a page."""
    for each in host.records(PageWriter).values():
        blocks = each.write(host, connection, page_id, blocks)
    return blocks
