"""`landyard.audit.list`: rows of the audit log that match the parameters."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import select

from landyard import ADMIN, Call, Example, MethodGroup, Paged, WrongType, read_page
from landyard_audit.search import MOMENT, ROW, conditions, read_moment

audit = MethodGroup(scope=ADMIN)


class ListAudit(Struct, frozen=True):
    """Filters of the rows, all of which must match; `start` is the offset of the first row.

    `credential` has the form `webhook:3`, `about` the form `page:10`. `outcome` is `ok` or the code
    of an error, `failed` selects calls that were refused or crashed, `request_id` is the answer's
    `X-Request-Id`, `since` is `30m`, `12h`, `7d` or a time.
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
    """A call of a method that writes; `address` is the caller's, `seconds` the duration.

    `subject` names the thing changed, such as `page:10`; `outcome` is `ok` or the code of an error.
    `plugin` and `version` are the method's.
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
    """List calls that write, the latest first, with user, method, subject and outcome.

    Parameters of the calls are not stored. At most 50 are answered; if more remain, the envelope
    carries `next` and `total`.
    """
    since = None
    if params.since is not None:
        try:
            since = read_moment(params.since, call.now())
        except (ValueError, OverflowError):
            raise WrongType.of("since", MOMENT, params.since) from None
    names = ("user_id", "credential", "address", "outcome", "request_id")
    filters = {name: getattr(params, name) for name in names} | {"subject": params.about}
    criteria = conditions(filters, method=params.method, failed=params.failed, since=since)
    columns = (ROW[name] for name in AuditLine.__struct_fields__)
    query = select(*columns).where(*criteria).order_by(ROW.id.desc())
    return read_page(call.connection, query, params.start, lambda row: AuditLine(**row._asdict()))
