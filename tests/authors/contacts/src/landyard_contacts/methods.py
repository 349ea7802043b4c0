"""The methods: contacts are added, read, listed, changed and deleted."""

from datetime import date
from typing import Annotated, Any, Literal

from landyard import (
    Alias,
    Call,
    Deprecation,
    Example,
    MethodGroup,
    MissingParams,
    NeededId,
    Paged,
    WrongType,
)
from msgspec import Meta, Struct, structs

from landyard_contacts.errors import ContactNotFound
from landyard_contacts.settings import ContactsSettings
from landyard_contacts.tables import Contact, count, page_of

group = MethodGroup(scope="crm")

Name = Annotated[str, Meta(pattern=r"\S", max_length=200)]
Email = Annotated[str, Meta(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=254)]
Phone = Annotated[str, Meta(pattern=r"^\+?[0-9 ()/.-]{3,30}$")]
Phones = Annotated[list[Phone], Meta(max_length=20)]
Company = Annotated[str, Meta(max_length=200)]
Rating = Annotated[int, Meta(ge=1, le=5)]


class ShownContact(Struct, frozen=True):
    """A contact as callers see it."""

    id: int
    name: str
    email: str | None
    phones: list[str]
    birthday: date | None
    company: str | None
    rating: int | None


class Add(Struct, frozen=True):
    """`birthday`: not in the future; `rating`: 5 is the best."""

    name: Name
    email: Email | None = None
    phones: Phones = []
    birthday: date | None = None
    company: Company | None = None
    rating: Rating | None = None


class One(Struct, frozen=True):
    """`id`: the contact's."""

    id: NeededId


class Update(Struct, frozen=True):
    """`clear`: the fields to be emptied; what is left out, or null, stays as it is."""

    id: NeededId
    name: Name | None = None
    email: Email | None = None
    phones: Phones | None = None
    birthday: date | None = None
    company: Company | None = None
    rating: Rating | None = None
    clear: list[Literal["email", "phones", "birthday", "company", "rating"]] = []


class Filter(Struct, frozen=True):
    """`name`: a part of it; `company`: a part of it.

    A to Z are found in either case; whether other letters are depends on the database.
    """

    name: str = ""
    company: str = ""


class List(Struct, frozen=True):
    """`filter`: what has to fit; `start`: the offset of the first: `next` of the answer before."""

    filter: Filter = Filter()
    start: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0


_SENT = {
    "name": "Ann Lee",
    "email": "ann@example.com",
    "phones": ["+49 30 1234567"],
    "birthday": "1990-05-01",
    "company": "Lee & Sons",
    "rating": 5,
}
_CONTACT = {"id": 1, **_SENT}
_OLD_LIST = Alias(
    "crm.contacts",
    Deprecation(since=date(2026, 11, 22), until=date(2027, 11, 22), instead="crm.contact.list"),
)


@group.method(
    "crm.contact.add",
    errors=[MissingParams, WrongType],
    writes=True,
    example=Example(_SENT, _CONTACT),
)
def add(call: Call, params: Add) -> ShownContact:
    """Add a contact, and answer it with its id."""
    contact = Contact(**_checked(call, structs.asdict(params)))
    call.session.add(contact)
    call.session.flush()  # now it has its id
    return _told(call, contact)


@group.method(
    "crm.contact.get",
    errors=[MissingParams, WrongType, ContactNotFound],
    example=Example({"id": 1}, _CONTACT),
)
def get(call: Call, params: One) -> ShownContact:
    """Answer one contact."""
    return _shown(_found(call, params.id))


@group.method(
    "crm.contact.list",
    errors=[WrongType],
    aliases=[_OLD_LIST],
    example=Example({"filter": {"name": "ann", "company": "lee"}}, [_CONTACT]),
)
def list_contacts(call: Call, params: List) -> Paged[ShownContact]:
    """List the contacts that fit, by name, page by page."""
    name, company = params.filter.name.strip(), params.filter.company.strip()
    most = call.settings(ContactsSettings).page
    found = page_of(call.session, name, company, params.start, most + 1)
    shown = [_shown(contact) for contact in found[:most]]
    if len(found) <= most:
        return Paged(shown)
    return Paged(shown, next=params.start + most, total=count(call.session, name, company))


@group.method(
    "crm.contact.update",
    errors=[MissingParams, WrongType, ContactNotFound],
    writes=True,
    example=Example({"id": 1, "rating": 5}, _CONTACT),
)
def update(call: Call, params: Update) -> ShownContact:
    """Change the fields that are given, and answer the contact."""
    contact = _found(call, params.id)
    for name, value in _checked(call, structs.asdict(params)).items():
        if name not in ("id", "clear") and value is not None:
            setattr(contact, name, value)
    for name in params.clear:
        setattr(contact, name, [] if name == "phones" else None)
    return _told(call, contact)


@group.method(
    "crm.contact.delete",
    errors=[MissingParams, WrongType, ContactNotFound],
    writes=True,
    example=Example({"id": 1}, True),
)
def delete(call: Call, params: One) -> bool:
    """Delete a contact."""
    contact = _found(call, params.id)
    call.subject = f"contact:{contact.id}"
    call.session.delete(contact)
    return True


def _found(call: Call, contact_id: int) -> Contact:
    contact = call.session.get(Contact, contact_id)
    if contact is None:
        raise ContactNotFound
    return contact


def _checked(call: Call, fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out the spaces around texts; refuse who is not born yet."""
    born = fields["birthday"]
    if isinstance(born, date) and born > call.now().date():
        raise WrongType.of("birthday", "a day that has been", born.isoformat())
    return {key: it.strip() if isinstance(it, str) else it for key, it in fields.items()}


def _told(call: Call, contact: Contact) -> ShownContact:
    call.subject = f"contact:{contact.id}"
    return _shown(contact)


def _shown(contact: Contact) -> ShownContact:
    assert contact.id is not None  # it was flushed
    return ShownContact(
        contact.id,
        contact.name,
        contact.email,
        contact.phones,
        contact.birthday,
        contact.company,
        contact.rating,
    )
