"""An edge that receives purges."""

from collections.abc import Iterator

import pytest
from contrib.edges.fake_edge import FakeEdge


@pytest.fixture
def edge() -> Iterator[FakeEdge]:
    edge = FakeEdge()
    yield edge
    edge.close()
