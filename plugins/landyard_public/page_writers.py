"""The extension point for plugins that change the blocks of rendered pages."""

from collections.abc import Callable

from sqlalchemy import Connection

from landyard import Host, Record

Blocks = tuple[str, ...]
"""The HTML of a page's blocks, each in its wrapping."""


class PageWriter(Record, frozen=True):
    """A plugin's function `write(host, connection, page_id, blocks)`, called for each page.

    It returns the same number of blocks, as visitors get them. The page is cached for all visitors
    until the next public change, so the blocks must depend on the database alone. They do not go
    through the sanitising policy: the function must escape every text.
    """

    name: str
    write: Callable[[Host, Connection, int, Blocks], Blocks]

    @property
    def key(self) -> str:
        return self.name


def written(host: Host, connection: Connection, page_id: int, blocks: Blocks) -> Blocks:
    """Run the page writers of all enabled plugins on a page's blocks."""
    for each in host.records(PageWriter).values():
        blocks = each.write(host, connection, page_id, blocks)
    return blocks
