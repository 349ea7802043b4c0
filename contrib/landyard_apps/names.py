"""Conversion of event topics to the platform's event names: `ONLANDINGPAGEPUBLISHED`."""

from collections.abc import Iterator

from landyard_events import event_types


def name_of(topic: str) -> str:
    """Return the platform's event name of a topic such as `landing.page.published`."""
    return "ON" + "".join(filter(str.isalnum, topic)).upper()


def scope_of(topic: str) -> str:
    """Return the permission scope of a topic: its first word."""
    return topic.partition(".")[0]


def names(scopes: frozenset[str] | None = None) -> Iterator[str]:
    """Yield the names of all events, or only of events in `scopes`."""
    for topic in event_types():
        if scopes is None or scope_of(topic) in scopes:
            yield name_of(topic)
