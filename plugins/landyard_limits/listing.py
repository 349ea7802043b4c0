"""`landyard.limit.list`: the limits, and the callers nearest to them."""

from msgspec import Struct

from landyard import ADMIN, Call, Example, MethodGroup
from landyard_limits.limits import Guesses, LimitSettings

limits = MethodGroup(scope=ADMIN)

SHOWN = 100  # the most counters of each kind, nearest to their limit first


class Nothing(Struct, frozen=True):
    """No parameters."""


class Counted(Struct, frozen=True):
    """A counter: the current `count` against a limit; at `most` the next one is refused.

    `kind` is `calls` of a credential, `wrong` credentials of an address, or `guessed` ones of a
    user (tokens name none); `of` is that credential, address or user.
    """

    kind: str
    of: str
    count: float
    most: int


class Worked(Struct, frozen=True):
    """The `seconds` that a method worked for a credential in the last ten minutes."""

    credential: str
    method: str
    seconds: float


class Limits(Struct, frozen=True):
    """The limits in section `[limits]`, 0 for none, and the counters against them."""

    burst: int
    per_second: float
    operating_seconds: float
    wrong_credentials: int
    counted: list[Counted]
    operating: list[Worked]


@limits.method(
    "landyard.limit.list",
    right="administrator",
    example=Example(
        {},
        result={
            "burst": 0,
            "per_second": 2.0,
            "operating_seconds": 0.0,
            "wrong_credentials": 60,
            "counted": [{"kind": "wrong", "of": "203.0.113.7", "count": 12.5, "most": 60}],
            "operating": [],
        },
    ),
)
def list_limits(call: Call, _params: Nothing) -> Limits:
    """Answer the limits, and for each kind the hundred callers nearest to a limit.

    The workers count together. A limit that is off has no counters.
    """
    configured, counters = call.settings(LimitSettings), call.kept(Guesses).counters
    wrong = (configured.wrong_credentials / 60, configured.wrong_credentials)
    kinds = {"calls": (configured.per_second, configured.burst), "wrong": wrong, "guessed": wrong}
    counted = []
    for key, seconds in counters.poured().items():
        kind, _, of = key.partition(":")
        leak, most = kinds[kind]
        if most:
            counted.append(Counted(kind, of, round(seconds * leak, 2), most))
    counted.sort(key=lambda each: (-each.count / each.most, each.kind, each.of))
    worked = [Worked(*each) for each in counters.worked()] if configured.operating_seconds else []
    worked.sort(key=lambda each: (-each.seconds, each.credential, each.method))
    of_kind = [[each for each in counted if each.kind == kind][:SHOWN] for kind in kinds]
    near = [each for kind in of_kind for each in kind]
    settings = (
        configured.burst,
        configured.per_second,
        configured.operating_seconds,
        configured.wrong_credentials,
    )
    return Limits(*settings, near, worked[:SHOWN])
