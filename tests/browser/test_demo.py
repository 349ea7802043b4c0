"""The demo's pages as visitors see them: narrow and wide, light and dark."""

from pathlib import Path

import pytest
from browser.conftest import Demo
from browser.visiting import Visitor


@pytest.mark.rule("H4")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", ["/demo/", "/demo/boats/", "/demo/visit/"])
def test_H4_a_page_is_complete_under_its_policy(
    demo: Demo, visitor: Visitor, tmp_path: Path, path: str, width: int
) -> None:
    """Nothing is missing, refused, loaded from elsewhere or wider than the screen."""
    visit = visitor.visit(path, width=width, schemes=("light", "dark"), shots=tmp_path)

    assert (visit.complaints, visit.violations) == ([], [])
    assert (visit.failed, visit.foreign) == ([], [])
    assert visit.went == [demo.base + path]
    for page in visit.measured.values():
        assert (page.headings, page.overflow, page.broken) == (1, 0, [])
        assert page.pictures > 0
    assert visit.measured["light"].background != visit.measured["dark"].background
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.rule("P11")
def test_P11_a_missing_address_has_a_404_page(demo: Demo, visitor: Visitor) -> None:
    visit = visitor.visit("/demo/nowhere/", width=390, schemes=("light",))

    assert visit.failed == [f"404 {demo.base}/demo/nowhere/"]
    assert (visit.violations, visit.foreign) == ([], [])
    assert (visit.measured["light"].headings, visit.measured["light"].overflow) == (1, 0)
