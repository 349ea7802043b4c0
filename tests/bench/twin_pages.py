"""The twin's look-up of pages and sites under the caller's rights, and its codes of new pages."""

import re
import secrets

from bench.twin_models import Caller, NewPage
from bench.twin_tables import Page, Site, SiteRight
from fastapi import HTTPException
from sqlmodel import Session, col, select


def find_page(
    session: Session, caller: Caller, page_id: int, right: str, *, trash: bool = False
) -> tuple[Page, Site]:
    if not caller.sites_access:
        raise HTTPException(400, "ACCESS_DENIED")
    page = session.get(Page, page_id)
    site = session.get(Site, page.site_id) if page else None
    if page is None or site is None or (page.deleted and not trash):
        raise HTTPException(400, "LANDING_NOT_EXIST")
    need_right(session, caller, site, right, not_found="LANDING_NOT_EXIST")
    return page, site


def find_site(session: Session, caller: Caller, site_id: int, right: str) -> Site:
    site = session.get(Site, site_id) if caller.sites_access else None
    if site is None:
        raise HTTPException(400, "SITE_ERROR")
    need_right(session, caller, site, right, not_found="SITE_ERROR")
    return site


def need_right(session: Session, caller: Caller, site: Site, right: str, *, not_found: str) -> None:
    held = session.get(SiteRight, (caller.user_id, site.id))
    if held is None:
        raise HTTPException(400, not_found)
    if right not in held.rights.split():
        raise HTTPException(400, "ACCESS_DENIED")


def free_code(session: Session, site: Site, title: str, page: Page | None = None) -> str:
    """Make an address from the title that no other page of the site has."""
    code = free = re.sub(r"[^a-z0-9_]+", "-", title.lower()).strip("-")
    taken = select(Page.id).where(Page.site_id == site.id, ~col(Page.deleted))
    if page is not None:
        taken = taken.where(Page.id != page.id)
    while session.exec(taken.where(Page.code == free)).first():
        free = f"{code}_{secrets.token_hex(2)}"
    return free


def seo(fields: dict[str, str], given: NewPage) -> dict[str, str]:
    told = dict(fields)
    if given.TITLE is not None:
        told |= dict.fromkeys(("METAOG_TITLE", "METAMAIN_TITLE"), given.TITLE)
    if given.DESCRIPTION is not None:
        told |= dict.fromkeys(("METAOG_DESCRIPTION", "METAMAIN_DESCRIPTION"), given.DESCRIPTION)
    return told
