"""Topics: the types of events by their public names."""

from collections.abc import Iterator

from landyard import Event


def event_types(base: type[Event] = Event) -> dict[str, type[Event]]:
    """Find the types of events that are `base` or derived from it, by topic, sorted.

    They are those of the plugins that were loaded in this process.
    """
    found = {kind.topic: kind for kind in _derived(base) if "topic" in vars(kind)}
    return {topic: found[topic] for topic in sorted(found)}


def find_event(topic: str) -> type[Event]:
    """Return the type of events with this topic; raises `LookupError`, which names the nearest."""
    known = event_types()
    if topic in known:
        return known[topic]
    from difflib import get_close_matches  # slow to import

    close = get_close_matches(topic, known, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise LookupError(f"there are no events '{topic}'{hint}")


def _derived(base: type[Event]) -> Iterator[type[Event]]:
    yield base
    for kind in base.__subclasses__():
        yield from _derived(kind)
