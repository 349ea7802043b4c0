"""A site's own domain, as calls name it: by itself, or by its id."""

import re
from typing import Any

from landyard import Call, CallError, spelt
from landyard_landing import is_host, is_own_host, stored_host
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
    text = "This host is the service's own: of `public_base`, of its address or of the console."


class ControllerBadResponse(CallError):
    code = "CONTROLLER_ERROR_BADRESPONSE"
    text = "The registry of domains did not answer."


class ControllerBadLicense(CallError):
    code = "CONTROLLER_ERROR_BADLICENSE"
    text = "The registry of domains does not know this service's licence."


class ControllerError(CallError):
    code = "CONTROLLER_ERROR"
    text = "The registry of domains refuses this one."


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
"""What may be wrong with a domain; those of a registry are for plugins that join in."""


def read_domain(call: Call, said: Any, site_id: int = 0) -> str | None:
    """Read `DOMAIN_ID`: a host, or the id of the site's present domain; None for no domain.

    Raises one of `DOMAIN_ERRORS`. No other site comes to have the domain until the call ends.
    """
    if isinstance(said, int) and not isinstance(said, bool):
        said = str(said)
    if not isinstance(said, str):
        raise DomainIsIncorrect
    said = spelt(said).strip()
    if said in {"", "0"}:
        return None
    owner = _owner(call, said)
    if owner is None:
        return stored_host(said)
    if owner.id != site_id:
        raise DomainExistTrash if owner.deleted else DomainExist
    return owner.domain


def _owner(call: Call, said: str) -> DomainOwner | None:
    if _ID.fullmatch(said):
        owner = domain_owner(call.connection, int(said))
        if owner is None:
            raise DomainNotFound
        return owner
    if is_own_host(call, said):
        raise DomainDisable
    if not is_host(host := stored_host(said)):
        raise DomainIsIncorrect
    return domain_owner(call.connection, host)
