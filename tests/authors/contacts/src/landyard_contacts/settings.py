"""The section `[contacts]` of landyard.toml."""

from typing import Annotated

from msgspec import Meta, Struct


class ContactsSettings(Struct, frozen=True):
    """`page` is how many contacts one answer of `crm.contact.list` has."""

    page: Annotated[int, Meta(ge=1, le=500)] = 50
