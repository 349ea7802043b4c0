"""The names of events, as the platform writes them: `ONLANDINGPAGEPUBLISHED`."""

from collections.abc import Iterator

from landyard_events import event_types


def name_of(topic: str) -> str:
    """Write a topic such as `landing.page.published` as the platform writes events."""
    return "ON" + "".join(filter(str.isalnum, topic)).upper()


def scope_of(topic: str) -> str:
    """Return the permission scope of a topic: its first word."""
    return topic.partition(".")[0]


def names(scopes: frozenset[str] | None = None) -> Iterator[str]:
    """Go through the names of all events there are, or of those in `scopes`."""
    for topic in event_types():
        if scopes is None or scope_of(topic) in scopes:
            yield name_of(topic)
