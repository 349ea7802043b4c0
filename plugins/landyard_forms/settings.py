"""What operators set about forms, in the section `[forms]` of landyard.toml."""

from typing import Annotated

from msgspec import Meta, Struct


class FormSettings(Struct, frozen=True):
    """`days`: how long what visitors send is kept.

    `kept` and `megabytes` bound what is kept of one form, and `file_megabytes` the files that are
    sent at once; `hourly` is how much one address may send
    to a form within an hour, and `form_hourly` how much all of them. `refused` is how much one
    address may send within an hour that a worker refuses, before it is told so and no more.
    `seconds` is the least time
    between seeing a form and sending it, and `links` how many links may be in it, before a visitor
    is asked once more.

    Mail goes out where `smtp_host` is set, by `smtp_port`, with `smtp_security` (`starttls`, `tls`
    or `none`), and with `secret` as the password of `smtp_user`. It comes from `mail_from`, and
    goes to the addresses of `mail_to`, with commas between; one that begins with a site's id and a
    colon, such as `7:shop@example.org`, is of that site in place of the others.
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
    """Read to whom what is sent to a site is mailed; none where no mail goes out."""
    if not settings.smtp_host:
        return []
    entries = [each.strip() for each in settings.mail_to.split(",") if each.strip()]
    own = [each.partition(":")[2].strip() for each in entries if each.startswith(f"{site_id}:")]
    return own or [each for each in entries if ":" not in each]
