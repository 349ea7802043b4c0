"""`landyard.limit.list`: what the limits are, and who is near one."""

from msgspec import Struct

from landyard import ADMIN, Call, Example, MethodGroup
from landyard_limits.limits import Guesses, LimitSettings

limits = MethodGroup(scope=ADMIN)

SHOWN = 100  # of each kind, those nearest to their limit


class Nothing(Struct, frozen=True):
    """No parameters."""


class Counted(Struct, frozen=True):
    """What counts against a limit now, and how many do; at `most` the next one is refused.

    `kind` is `calls` of a credential, `wrong` credentials of an address, or `guessed` ones of a
    user (tokens name none); `of` says whose.
    """

    kind: str
    of: str
    count: float
    most: int


class Worked(Struct, frozen=True):
    """How many `seconds` of the last ten minutes a method has worked for a credential."""

    credential: str
    method: str
    seconds: float


class Limits(Struct, frozen=True):
    """The limits of the section `[limits]`, 0 is none, and what counts against them."""

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
    """Tell the limits, and who is near one: of each kind the hundred who are nearest.

    All workers count together. A limit that is off counts nothing.
    """
    said, counters = call.settings(LimitSettings), call.kept(Guesses).counters
    wrong = (said.wrong_credentials / 60, said.wrong_credentials)
    kinds = {"calls": (said.per_second, said.burst), "wrong": wrong, "guessed": wrong}
    counted = []
    for key, seconds in counters.poured().items():
        kind, _, of = key.partition(":")
        leak, most = kinds[kind]
        if most:
            counted.append(Counted(kind, of, round(seconds * leak, 2), most))
    counted.sort(key=lambda each: (-each.count / each.most, each.kind, each.of))
    worked = [Worked(*each) for each in counters.worked()] if said.operating_seconds else []
    worked.sort(key=lambda each: (-each.seconds, each.credential, each.method))
    of_kind = [[each for each in counted if each.kind == kind][:SHOWN] for kind in kinds]
    near = [each for kind in of_kind for each in kind]
    settings = (said.burst, said.per_second, said.operating_seconds, said.wrong_credentials)
    return Limits(*settings, near, worked[:SHOWN])
