"""`landyard.audit.list`: who changed what."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import select

from landyard import ADMIN, Call, Example, MethodGroup, Paged, WrongType, read_page
from landyard_audit.search import MOMENT, ROW, conditions, read_moment

audit = MethodGroup(scope=ADMIN)


class ListAudit(Struct, frozen=True):
    """Which rows: those of which all that is sent holds. `start` is the offset of the first.

    `credential` is such as `webhook:3`, `about` such as `page:10`, `outcome` is `ok` or the code of
    an error, `failed` is whatever was refused or crashed, `request_id` is the answer's
    `X-Request-Id`, `since` is `30m`, `12h`, `7d` or a moment.
    """

    user_id: int | None = None
    credential: str | None = None
    address: str | None = None
    method: str | None = None
    about: str | None = None
    outcome: str | None = None
    failed: bool = False
    request_id: str | None = None
    since: str | None = None
    start: int = 0


class AuditLine(Struct, frozen=True):
    """A call of a method that writes, from an `address`; it took so many `seconds`.

    `subject` is what it was about, `outcome` is `ok` or the code of an error. `plugin` and
    `version` are the method's.
    """

    id: int
    at: datetime
    user_id: int
    credential: str
    address: str
    method: str
    plugin: str
    version: str
    subject: str
    outcome: str
    seconds: float
    request_id: str


@audit.method(
    "landyard.audit.list",
    right="administrator",
    errors=[WrongType],
    example=Example({"since": "12h", "failed": True}, result=[]),
)
def list_audit(call: Call, params: ListAudit) -> Paged[AuditLine]:
    """List calls that write, the latest first: who did what to what, and what came of it.

    What was sent is not kept. At most 50 are answered; where more remain the envelope carries
    `next` and `total`.
    """
    since = None
    if params.since is not None:
        try:
            since = read_moment(params.since, call.now())
        except (ValueError, OverflowError):
            raise WrongType.of("since", MOMENT, params.since) from None
    names = ("user_id", "credential", "address", "outcome", "request_id")
    said = {name: getattr(params, name) for name in names} | {"subject": params.about}
    wanted = conditions(said, method=params.method, failed=params.failed, since=since)
    columns = (ROW[name] for name in AuditLine.__struct_fields__)
    query = select(*columns).where(*wanted).order_by(ROW.id.desc())
    return read_page(call.connection, query, params.start, lambda row: AuditLine(**row._asdict()))
