"""The settings `[forms]`: storage limits, rate limits, spam checks, and mail to recipients."""

from typing import Annotated

from msgspec import Meta, Struct


class FormSettings(Struct, frozen=True):
    """`days`: how long submissions are stored.

    `kept` and `megabytes` limit the stored submissions of a form, and `file_megabytes` the files of
    one submission. `hourly` limits submissions of one address to a form within an hour, and
    `form_hourly` those of all addresses. `refused` limits refused submissions of one address within
    an hour in a worker; beyond it the address gets a short error only. `seconds` is the least time
    between seeing a form and sending it, and `links` the most links in it, before a visitor is
    asked to send it once more.

    Mail is sent if `smtp_host` is set, by `smtp_port`, with `smtp_security` (`starttls`, `tls` or
    `none`), and with `secret` as the password of `smtp_user`. It is sent from `mail_from` to the
    addresses in `mail_to`, separated by commas. An address with a site's id and a colon before it,
    such as `7:shop@example.org`, replaces the general ones for that site.
    """

    days: Annotated[int, Meta(ge=1, le=3650)] = 90
    kept: Annotated[int, Meta(ge=1, le=1_000_000)] = 10_000
    megabytes: Annotated[int, Meta(ge=1, le=10_000)] = 100
    file_megabytes: Annotated[int, Meta(ge=1, le=100)] = 5
    hourly: Annotated[int, Meta(ge=1, le=100_000)] = 60
    form_hourly: Annotated[int, Meta(ge=1, le=1_000_000)] = 1000
    refused: Annotated[int, Meta(ge=1, le=100_000)] = 60
    seconds: Annotated[float, Meta(ge=0, le=60)] = 3.0
    links: Annotated[int, Meta(ge=0, le=1000)] = 2
    smtp_host: str = ""
    smtp_port: Annotated[int, Meta(ge=1, le=65535)] = 587
    smtp_security: Annotated[str, Meta(pattern="^(starttls|tls|none)$")] = "starttls"
    smtp_user: str = ""
    secret: str = ""
    mail_from: str = ""
    mail_to: str = ""


def recipients_of(settings: FormSettings, site_id: int) -> list[str]:
    """Return the recipients of a site's submissions; empty if no mail is sent."""
    if not settings.smtp_host:
        return []
    entries = [each.strip() for each in settings.mail_to.split(",") if each.strip()]
    own = [each.partition(":")[2].strip() for each in entries if each.startswith(f"{site_id}:")]
    return own or [each for each in entries if ":" not in each]
