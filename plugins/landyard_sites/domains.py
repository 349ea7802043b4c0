"""The parsing of a site's domain in calls, given by name or by id, and its errors."""

import re
from typing import Any

from landyard import Call, CallError, spelt
from landyard_landing import sites
from landyard_sites.places.sites import DomainOwner, domain_owner

_ID = re.compile(r"[1-9][0-9]{0,8}")


class DomainNotFound(CallError):
    code = "DOMAIN_NOT_FOUND"
    text = "There is no domain with the id that `DOMAIN_ID` gives; name the domain itself."


class DomainIsIncorrect(CallError):
    code = "DOMAIN_IS_INCORRECT"
    text = "A site's domain is a host such as shop.example: letters, digits, - and dots."


class DomainExist(CallError):
    code = "DOMAIN_EXIST"
    text = "Another site has this domain."


class DomainExistTrash(CallError):
    code = "DOMAIN_EXIST_TRASH"
    text = "A site in the trash has this domain; delete it for good, or give it another."


class DomainDisable(CallError):
    code = "DOMAIN_DISABLE"
    text = "This host belongs to the service: to `public_base`, its address or the console."


class ControllerBadResponse(CallError):
    code = "CONTROLLER_ERROR_BADRESPONSE"
    text = "The registry of domains did not answer."


class ControllerBadLicense(CallError):
    code = "CONTROLLER_ERROR_BADLICENSE"
    text = "The registry of domains does not know this service's licence."


class ControllerError(CallError):
    code = "CONTROLLER_ERROR"
    text = "The registry of domains refuses this domain."


DOMAIN_ERRORS: tuple[type[CallError], ...] = (
    DomainNotFound,
    DomainIsIncorrect,
    DomainExistTrash,
    DomainDisable,
    DomainExist,
    ControllerBadResponse,
    ControllerBadLicense,
    ControllerError,
)
"""The errors for a domain; those of a registry are for hooks of plugins."""


def read_domain(call: Call, domain: Any, site_id: int = 0) -> str | None:
    """Return the host in `DOMAIN_ID`, given by name or by the present domain's id; None for none.

    Raises one of `DOMAIN_ERRORS`. No other call can take the domain until this one ends.
    """
    if isinstance(domain, int) and not isinstance(domain, bool):
        domain = str(domain)
    if not isinstance(domain, str):
        raise DomainIsIncorrect
    domain = spelt(domain).strip()
    if domain in {"", "0"}:
        return None
    owner = _owner(call, domain)
    if owner is None:
        return sites.stored_host(domain)
    if owner.id != site_id:
        raise DomainExistTrash if owner.deleted else DomainExist
    return owner.domain


def _owner(call: Call, domain: str) -> DomainOwner | None:
    if _ID.fullmatch(domain):
        owner = domain_owner(call.connection, int(domain))
        if owner is None:
            raise DomainNotFound
        return owner
    if _is_own_host(call, domain):
        raise DomainDisable
    if not sites.is_host(host := sites.stored_host(domain)):
        raise DomainIsIncorrect
    return domain_owner(call.connection, host)


def _is_own_host(call: Call, host: str) -> bool:
    """Tell whether a host is the service's own, so that no site may have it as its domain (P11)."""
    return sites.OwnHosts.of(call.settings, call.records(sites.OwnHost).values()).have(host)
