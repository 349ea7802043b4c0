"""A server that receives deliveries."""

from collections.abc import Iterator

import pytest
from contrib.webhooks.receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()
