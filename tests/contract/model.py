"""A simple model of sites and pages: predicts what a service holds after any sequence of calls."""

from dataclasses import dataclass, field
from typing import Any

HTML = (
    '<section class="landing-block"><h2 class="title">Old</h2><a class="go" href="/x">Go</a>'
    '<ul><li class="card">a</li><li class="card">b</li><li class="card">c</li></ul></section>'
)
MANIFEST = {
    "code": "test.model",
    "name": "Model",
    "content": HTML,
    "manifest": {
        "nodes": {".title": {"type": "text"}},
        "attrs": {".go": [{"attribute": "data-mood"}]},
        "cards": {".card": {"name": "Card"}},
    },
}
TEMPLATE = {
    "code": "promo",
    "type": "PAGE",
    "title": "Promo",
    "blocks": [{"code": "test.model"}, {"code": "test.model"}],
}
MISSING = 999_999


@dataclass
class Block:
    """The parts of a block that calls can edit."""

    title: str = "Old"
    mood: str | None = None
    cards: tuple[str, ...] = ("a", "b", "c")

    def seen(self) -> tuple[str, str | None, tuple[str, ...]]:
        return self.title, self.mood, self.cards


@dataclass
class Page:
    """A page: its drafts by id, and the blocks that visitors saw after the last publication."""

    site: int
    folder: int | None = None
    drafts: dict[int, Block] = field(default_factory=dict)
    public: list[Any] | None = None
    active: bool = False
    trashed: bool = False
    title: str = ""
    seo_title: str = ""  # written by `addByTemplate` alone

    @property
    def shown_title(self) -> str:
        return self.seo_title or self.title

    def publish(self) -> None:
        self.public = [block.seen() for _, block in sorted(self.drafts.items())]
        self.active = True


@dataclass
class Model:
    """All pages by id, and the main page of each site."""

    pages: dict[int, Page] = field(default_factory=dict)
    main: dict[int, int | None] = field(default_factory=dict)

    def page(self, page_id: int) -> Page | None:
        """Return the page, or None if it is missing or in the trash."""
        page = self.pages.get(page_id)
        return None if page is None or page.trashed else page

    def must_stay(self, page_id: int) -> bool:
        """Tell whether it is the main page of a site with other pages outside the trash (P7)."""
        page = self.pages[page_id]
        others = (
            other
            for number, other in self.pages.items()
            if number != page_id and other.site == page.site and not other.trashed
        )
        return self.main.get(page.site) == page_id and any(others)

    def leave_site(self, page_id: int, site: int) -> None:
        page = self.pages[page_id]
        if page.site != site and self.main.get(page.site) == page_id:
            self.main[page.site] = None
        page.site = site
