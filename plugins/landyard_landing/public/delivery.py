"""Public delivery: what visitors get at an address, from memory as long as it is current (P11)."""

from collections.abc import Mapping
from urllib.parse import unquote

from msgspec import Struct
from sqlalchemy import Connection, select, text

from landyard import CallError, Kernel, PublicAnswer
from landyard_landing.blocks.blocktypes import BlockType
from landyard_landing.public import sitemap
from landyard_landing.public.cache import Cache
from landyard_landing.public.delivered import TEXT, XML, found, missing, moved, not_there, stale
from landyard_landing.public.rendering import published_page
from landyard_landing.sites.urls import Address, homes, lost_page, page_at
from landyard_landing.tables import PUBLIC_VERSION, SITE

MEMORY = 64 * 1024 * 1024  # bytes that a worker's answers may take
ROBOTS = "/robots.txt"

_VERSION = select(PUBLIC_VERSION.version)
_ONE_MOMENT = text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
_DOMAINS = select(SITE.domain).where(SITE.domain.is_not(None))


class Asked(Struct, frozen=True):
    """What a visitor asked for: the Host as it came, the path and the query percent-encoded."""

    host: str
    path: str
    query: str = ""


class Delivery:
    """The answers of one worker process.

    An answer is kept with the version of what is public that it was made of, both read at one
    moment of the database, and is given again only while that version is the current one: whoever
    asks after a publication has been done, by whichever process, gets no page from before it.
    So answers outlast commits that change nothing public; the kernel sends them by itself between
    two commits, where it can tell.
    """

    def __init__(self, kernel: Kernel) -> None:
        """Deliver what the database of `kernel` holds."""
        self._kernel = kernel
        self._store = kernel.store
        self._base = kernel.settings.base
        self._cache: Cache[tuple[str, str], PublicAnswer] = Cache(MEMORY)
        self._known = (-1, frozenset[str]())  # the domains of sites, as of a version

    def find(self, asked: Asked) -> PublicAnswer:
        """Return the answer, made now unless it is in memory.

        Where the database is away, or locked by others, that in memory will do, marked as stale.
        """
        try:
            return self._current(asked)
        except CallError:
            key = _domain(asked.host, self._known[1]), _resource(asked)
            if (kept := self._cache.last(key)) is None:
                raise
            return stale(kept)

    def _current(self, asked: Asked) -> PublicAnswer:
        with self._store.unit(writes=False) as unit:
            version = begin_reading(unit.connection)
            domain = _domain(asked.host, self._domains(unit.connection, version))
            resource = _resource(asked)
            kept = self._cache.find((domain, resource), version)
            if kept is not None:
                return kept
            first = self._cache.find((domain, sitemap.PATH), version)
            if first is not None and not _may_be(asked, first):
                return not_there(asked.path)
            made = self._make(unit.connection, domain, asked)
            if not made:
                return self._lost(unit.connection, domain, asked, version)
        for name, answer in made.items():
            if answer.etag:
                self._keep((domain, name), version, answer)
        return made.get(resource) or not_there(unquote(asked.path))

    def _lost(
        self, connection: Connection, domain: str, asked: Asked, version: int
    ) -> PublicAnswer:
        """Return the page that the site itself shows where nothing is, rendered once, or ours."""
        page_id, language = lost_page(connection, domain, asked.path)
        if page_id is None:
            ways = homes(connection, domain, asked.path)
            return not_there(unquote(asked.path), language, ways)
        key = (domain, f"404 {page_id}")  # no path is like this
        answer = self._cache.find(key, version)
        if answer is None:
            brought = self._kernel.records(BlockType)
            page = published_page(connection, page_id, self._base, brought)
            answer = missing(page.html, page.language)
            self._keep(key, version, answer)
        return answer

    def _keep(self, key: tuple[str, str], version: int, answer: PublicAnswer) -> None:
        size = len(answer.body) + (len(answer.packed.body) if answer.packed else 0)
        self._cache.keep(key, version, answer, size + sum(map(len, key)))

    def _domains(self, connection: Connection, version: int) -> frozenset[str]:
        known, domains = self._known
        if known != version:
            domains = frozenset(connection.execute(_DOMAINS).scalars())
            self._known = (version, domains)
        return domains

    def _make(
        self, connection: Connection, domain: str, asked: Asked
    ) -> Mapping[str, PublicAnswer]:
        """Make the answer, and those that come with it, by resource; none where nothing is."""
        if asked.path == sitemap.PATH:
            files = sitemap.sitemaps(connection, domain, self._base)
            return {
                _resource(Asked(domain, sitemap.PATH, query)): found(document, XML)
                for query, document in files.items()
            }
        if asked.path == ROBOTS:
            return {ROBOTS: found(self._robots(domain), TEXT)}
        page_id = page_at(connection, domain, asked.path)
        if page_id is None:
            return {}
        # One slash at either end: `//host/` would be an address elsewhere.
        path = f"/{asked.path.strip('/')}/" if asked.path != "/" else "/"
        if path != asked.path:
            return {asked.path: moved(path + (asked.query and f"?{asked.query}"))}
        brought = self._kernel.records(BlockType)
        page = published_page(connection, page_id, self._base, brought)
        return {path: found(page.html, language=page.language)}

    def _robots(self, domain: str) -> str:
        """Tell search engines what to read; calls are nothing for them."""
        address = Address(domain or None, sitemap.PATH).url(self._base)
        return f"User-agent: *\nDisallow: /rest/\n\nSitemap: {address}\n"


def begin_reading(connection: Connection) -> int:
    """Answer the version that everything read through this new transaction belongs to.

    0 as long as nothing public was ever written.
    """
    if connection.dialect.name == "postgresql":
        # Else each statement would see what was committed just before it: a page in pieces.
        connection.execute(_ONE_MOMENT)
    return int(connection.execute(_VERSION).scalar() or 0)


def _domain(host: str, domains: frozenset[str]) -> str:
    """Say which site's domain a visitor's Host means; "" stands for the sites without one."""
    # A domain is a bare host; the port that a visitor's Host carries is that of the proxy or ours.
    full = host.lower()
    bare = full.partition(":")[0]
    return full if full in domains else bare if bare in domains else ""


def _may_be(asked: Asked, first: PublicAnswer) -> bool:
    """Tell whether there is such a part of a site map: all are listed in its first file.

    It takes seconds to make a large one; nobody shall have that done by asking for what is not.
    """
    if asked.path != sitemap.PATH:
        return True
    return not asked.query or f"?{asked.query}</loc>".encode() in first.body


def _resource(asked: Asked) -> str:
    """Name what is asked for: pages are the same whatever the query, site maps are not."""
    if asked.path == sitemap.PATH and asked.query:
        return f"{asked.path}?{asked.query}"
    return asked.path
