"""Answers visitors' requests for pages, feeds and site maps, from a cache while current (P11)."""

from collections.abc import Mapping
from urllib.parse import unquote

import structlog
from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard import CallError, Host, PublicAnswer
from landyard_content import blocks
from landyard_landing import change_tables, settings, sites, tables
from landyard_public import sitemap
from landyard_public.answers import (
    ATOM,
    HTML,
    TEXT,
    XML,
    found,
    missing,
    moved,
    moved_away,
    not_there,
    stale,
)
from landyard_public.articles import feed_of
from landyard_public.cache import Cache
from landyard_public.edge_headers import EdgeHeaders
from landyard_public.edge_tags import PublicSettings
from landyard_public.forwarding import Forwarding, Lost, forwarded
from landyard_public.page_lookup import homes, lost_page, page_at
from landyard_public.rendering import Rendered, published_page
from landyard_public.robots import robots_of
from landyard_public.themes.site_look import PLAIN, look_of_site
from landyard_public.themes.theme import Theme

log = structlog.get_logger()

MEMORY = 64 * 1024 * 1024  # the most bytes of a worker's cached answers
ROBOTS = "/robots.txt"

_VERSION = select(change_tables.PUBLIC_VERSION.version)
_FIELDS = select(tables.SITE.additional_fields).where(
    tables.SITE.domain == bindparam("domain"), tables.SITE.active, ~tables.SITE.deleted
)
_DOMAINS = select(tables.SITE.domain).where(tables.SITE.domain.is_not(None))


class Asked(Struct, frozen=True):
    """A visitor's request: the Host header as sent, the path and the query percent-encoded."""

    host: str
    path: str
    query: str = ""


class Delivery:
    """Makes and caches the public answers of one worker process.

    An answer is cached with the public version: a number in the database that changes with every
    public change. Both are read in one transaction, and a cached answer is used only while its
    version is current. So no visitor gets an outdated page after a publication, whichever process
    made it. Answers outlast commits that change nothing public; between two commits the kernel
    sends them without this class.
    """

    def __init__(self, host: Host) -> None:
        """Deliver pages of the database of `host`."""
        self._host = host
        self._store = host.store
        self._base = host.settings.base
        self._embed_hosts = host.section(settings.BlockSettings).embed_hosts
        self._edge_headers = EdgeHeaders(host.section(PublicSettings))
        self._cache: Cache[tuple[str, str], PublicAnswer] = Cache(MEMORY)
        self._site_domains = (-1, frozenset[str]())  # a public version, and the sites' domains then
        # A revision of the plugins, and the service's own hosts with these plugins.
        self._own: tuple[object, sites.OwnHosts] = (None, sites.OwnHosts(frozenset()))

    def find(self, request: Asked) -> PublicAnswer:
        """Return the answer from the cache if it is current, or else make it.

        Where the database is away, or locked, return a cached answer, marked as stale; without one
        raise the database's error.
        """
        try:
            return self._current(request)
        except CallError:
            key = self._domain(request.host, self._site_domains[1]), _resource(request)
            if (kept := self._cache.last(key)) is None:
                raise
            return stale(kept)

    def _current(self, request: Asked) -> PublicAnswer:
        # `run` reads once more after a deadlock, such as one with a migration.
        return self._store.run(lambda unit: self._read(unit.connection, request), writes=False)

    def _read(self, connection: Connection, request: Asked) -> PublicAnswer:
        version = public_version(connection)
        domain = self._domain(request.host, self._domains(connection, version))
        resource = _resource(request)
        kept = self._cache.find((domain, resource), version)
        if kept is not None:
            return kept
        first = self._cache.find((domain, sitemap.PATH), version)
        if first is not None and not _may_exist(request, first):
            return not_there(request.path)
        made = self._make(connection, domain, request)
        if not made:
            return self._lost(connection, domain, request, version)
        for name, answer in made.items():
            if answer.etag:
                self._keep((domain, name), version, answer)
        return made.get(resource) or not_there(unquote(request.path))

    def _lost(
        self, connection: Connection, domain: str, request: Asked, version: int
    ) -> PublicAnswer:
        """Answer for an address without a page: a redirect, the site's page for 404, or ours."""
        forwardings = self._host.records(Forwarding).values()
        # The service's own host may be the former domain of a site, whose redirects must not apply.
        host = "" if self._own_hosts().have(request.host) else request.host
        elsewhere = Lost(host, domain, request.path, self._base)
        if forwardings and (location := forwarded(forwardings, connection, elsewhere)):
            return moved_away(location + (request.query and f"?{request.query}"))
        page_id, language, site_id = lost_page(connection, domain, request.path)
        if page_id is None:
            ways = homes(connection, domain, request.path)
            themes = self._host.records(Theme)
            look = look_of_site(connection, site_id, themes, language) if site_id else PLAIN
            return not_there(unquote(request.path), language, ways, look)
        key = (domain, f"404 {page_id}")  # no path has this form
        answer = self._cache.find(key, version)
        if answer is None:
            page = self._render(connection, page_id)
            answer = missing(page.html, page.language, self._embed_hosts)
            self._keep(key, version, answer)
        return answer

    def _keep(self, key: tuple[str, str], version: int, answer: PublicAnswer) -> None:
        size = len(answer.body) + (len(answer.packed.body) if answer.packed else 0)
        self._cache.keep(key, version, answer, size + sum(map(len, key)))

    def _domain(self, host: str, domains: frozenset[str]) -> str:
        """Return the site's domain that a Host header names; "" for the sites without a domain."""
        if self._own_hosts().have(host):
            return ""
        # The port in a visitor's Host is that of the proxy or ours; few domains have one.
        return next(
            (each for each in (host.lower(), sites.plain_host(host)) if each in domains), ""
        )

    def _own_hosts(self) -> sites.OwnHosts:
        revision = self._host.plugins.revision
        if self._own[0] is not revision:
            plugin_hosts = self._host.records(sites.OwnHost).values()
            self._own = (revision, sites.OwnHosts.of(self._host.section, plugin_hosts))
        return self._own[1]

    def _domains(self, connection: Connection, version: int) -> frozenset[str]:
        cached_version, domains = self._site_domains
        if cached_version != version:
            domains = frozenset(connection.execute(_DOMAINS).scalars())
            for domain in filter(self._own_hosts().have, domains - self._site_domains[1]):
                # The site had its domain before the host became the service's own.
                log.warning("site_not_served", domain=domain, reason="the host is the service's")
            self._site_domains = (version, domains)
        return domains

    def _make(
        self, connection: Connection, domain: str, request: Asked
    ) -> Mapping[str, PublicAnswer]:
        """Make the answer by its resource, with all parts of a site map; empty for no page."""
        if request.path == sitemap.PATH:
            files = sitemap.sitemaps(connection, domain, self._base)
            return {
                _resource(Asked(domain, sitemap.PATH, query)): found(
                    document, XML, caching=self._edge_headers.of_list
                )
                for query, document in files.items()
            }
        if request.path == ROBOTS:
            robots = self._robots(connection, domain)
            return {ROBOTS: found(robots, TEXT, caching=self._edge_headers.of_list)}
        page_id = page_at(connection, domain, request.path)
        if page_id is None:
            plugin_types = self._host.records(blocks.BlockType)
            feed = feed_of(connection, domain, request.path, self._base, plugin_types)
            caching = self._edge_headers.of_list
            return {request.path: found(feed, ATOM, caching=caching)} if feed else {}
        # One slash at either end: `//host/` would be an address on another host.
        path = f"/{request.path.strip('/')}/" if request.path != "/" else "/"
        if path != request.path:
            return {request.path: moved(path + (request.query and f"?{request.query}"))}
        page = self._render(connection, page_id)
        caching = self._edge_headers.of_page(connection, page_id)
        return {path: found(page.html, HTML, page.language, self._embed_hosts, caching=caching)}

    def _render(self, connection: Connection, page_id: int) -> Rendered:
        plugin_types = self._host.records(blocks.BlockType)
        return published_page(self._host, connection, page_id, plugin_types)

    def _robots(self, connection: Connection, domain: str) -> str:
        """Write robots.txt: the site's own, else one that excludes the addresses of calls."""
        address = sites.Address(domain or None, sitemap.PATH).url(self._base)
        fields = connection.execute(_FIELDS, {"domain": domain}).scalar() or {}
        rules = robots_of(fields) or "User-agent: *\nDisallow: /rest/"
        listed = "" if "sitemap:" in rules.lower() else f"\n\nSitemap: {address}"
        return f"{rules}{listed}\n"


def public_version(connection: Connection) -> int:
    """Return the public version as this transaction sees it; 0 before the first public change."""
    return int(connection.execute(_VERSION).scalar() or 0)


def _may_exist(request: Asked, first: PublicAnswer) -> bool:
    """Tell whether a site map has the part requested; its first file lists all parts.

    A large site map takes seconds to make, so that requests for unknown parts must not make one.
    """
    if request.path != sitemap.PATH:
        return True
    return not request.query or f"?{request.query}</loc>".encode() in first.body


def _resource(request: Asked) -> str:
    """Return the cache key of a request: the path, for parts of a site map with the query."""
    if request.path == sitemap.PATH and request.query:
        return f"{request.path}?{request.query}"
    return request.path
