"""docs/webhooks.md shows a payload as it is sent; docs/events.md lists the fields of each event."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from contrib.webhooks.receiver import DOC

import landyard_forms  # noqa: F401 - importing it registers its events
import landyard_landing  # noqa: F401
from landyard import Event
from landyard_webhooks.delivery import Message

EVENTS_DOC = (Path(__file__).parents[3] / "docs" / "events.md").read_text()


def _events(kind: type[Event]) -> Iterator[type[Event]]:
    for each in kind.__subclasses__():
        if each.__module__.startswith(("landyard_landing", "landyard_forms")):
            if "topic" in vars(each):
                yield each
            yield from _events(each)


EVENTS = {each.topic: each for each in _events(Event)}


def _shown() -> dict[str, Any]:
    (found,) = re.findall(r'^\{"type": .*\}$', DOC, re.MULTILINE)
    shown: dict[str, Any] = msgspec.json.decode(found)
    return shown


def test_the_shown_payload_is_the_one_that_is_sent() -> None:
    shown = _shown()
    event = EVENTS[shown["type"]]

    message = msgspec.convert(shown, Message)
    data = msgspec.convert(shown["data"], event)

    sent = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(message, data=data)))
    assert sent == shown


@pytest.mark.parametrize("topic", sorted(EVENTS))
def test_the_fields_of_each_event_are_named(topic: str) -> None:
    names = [field.encode_name for field in msgspec.structs.fields(EVENTS[topic])]

    assert names
    assert [name for name in names if f"`{name}`" not in EVENTS_DOC] == []
