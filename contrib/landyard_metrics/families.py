"""The definitions of all metrics, and their output in Prometheus' text format."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Literal

from msgspec import Struct

Key = tuple[str, ...]
"""A sample's name, and the values of its labels in their order."""

TYPE = "text/plain; version=0.0.4"
_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LE = (*map(str, _BOUNDS), "+Inf")


class Family(Struct, frozen=True):
    """A metric: its name, what it counts, and the names of its labels."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    text: str
    labels: tuple[str, ...] = ()


# Prometheus has a label `job` of its own.
_CALL, _JOB, _POOL = ("plugin", "method"), ("plugin", "job_name"), ("pool",)
_REFUSED = ("code", "status")
FAMILIES = (
    Family("landyard_call_seconds", "histogram", "Calls, by seconds until their answer.", _CALL),
    Family("landyard_call_errors_total", "counter", "Calls that failed.", (*_CALL, "code")),
    Family(
        "landyard_requests_refused_total", "counter", "Requests that were no calls yet.", _REFUSED
    ),
    Family("landyard_jobs_total", "counter", "Runs of jobs.", _JOB),
    Family("landyard_job_errors_total", "counter", "Runs of jobs that crashed.", _JOB),
    Family("landyard_job_seconds_total", "counter", "Seconds spent in jobs.", _JOB),
    Family("landyard_database_statements_total", "counter", "Statements sent to the database."),
    Family("landyard_database_seconds_total", "counter", "Seconds spent in these statements."),
    Family("landyard_database_connections", "gauge", "Connections to the database."),
    Family("landyard_database_connections_busy", "gauge", "Those of them that are in use."),
    Family("landyard_threads", "gauge", "Threads of a pool.", _POOL),
    Family("landyard_threads_busy", "gauge", "Threads at work; a scrape takes one itself.", _POOL),
    Family("landyard_queue", "gauge", "Calls and pages that wait for a thread.", _POOL),
    Family("landyard_workers", "gauge", "Workers that answer."),
)


def bucket(name: str, labels: Key, value: float) -> Key:
    """Return the key under which a histogram counts `value`: the bucket is the last label.

    Each value is counted in one bucket alone; `text` adds up.
    """
    return (f"{name}_bucket", *labels, _LE[bisect_left(_BOUNDS, value)])


def text(samples: Mapping[Key, float]) -> str:
    """Write samples in the text format, version 0.0.4; a name that no family has is left out."""
    by_name: dict[str, dict[Key, float]] = {}
    for (name, *labels), value in sorted(samples.items()):
        by_name.setdefault(name, {})[tuple(labels)] = value
    return "".join(f"{line}\n" for family in FAMILIES for line in _lines(family, by_name))


def _lines(family: Family, by_name: Mapping[str, Mapping[Key, float]]) -> Iterator[str]:
    name, labels = family.name, family.labels
    yield f"# HELP {name} {family.text}"
    yield f"# TYPE {name} {family.kind}"
    if family.kind != "histogram":
        for values, sample in by_name.get(name, {}).items():
            yield _line(name, labels, values, sample)
        return
    counted = by_name.get(f"{name}_bucket", {})
    for values, total in by_name.get(f"{name}_sum", {}).items():
        sums = list(accumulate(counted.get((*values, le), 0.0) for le in _LE))
        for le, count in zip(_LE, sums, strict=True):
            yield _line(f"{name}_bucket", (*labels, "le"), (*values, le), count)
        yield _line(f"{name}_sum", labels, values, total)
        yield _line(f"{name}_count", labels, values, sums[-1])


def _line(name: str, labels: Key, values: Key, sample: float) -> str:
    pairs = zip(labels, map(_escaped, values), strict=True)
    pairs_text = ",".join(f'{label}="{value}"' for label, value in pairs)
    number = int(sample) if sample.is_integer() else sample
    return f"{name}{{{pairs_text}}} {number}" if pairs_text else f"{name} {number}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
