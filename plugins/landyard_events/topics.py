"""The look-up of event types by their topics."""

from collections.abc import Iterator

from landyard import Event


def event_types(base: type[Event] = Event) -> dict[str, type[Event]]:
    """Return the event types that are `base` or derived from it, by topic, sorted.

    Only event types of plugins loaded in this process are included.
    """
    types = {kind.topic: kind for kind in _derived(base) if "topic" in vars(kind)}
    return {topic: types[topic] for topic in sorted(types)}


def find_event(topic: str) -> type[Event]:
    """Return the event type of a topic; raises `LookupError` with the closest topic."""
    types = event_types()
    if topic in types:
        return types[topic]
    from difflib import get_close_matches  # slow to import

    close = get_close_matches(topic, types, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise LookupError(f"there are no events '{topic}'{hint}")


def _derived(base: type[Event]) -> Iterator[type[Event]]:
    yield base
    for kind in base.__subclasses__():
        yield from _derived(kind)
