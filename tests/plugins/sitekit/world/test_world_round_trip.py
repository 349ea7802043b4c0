"""A dump of any loaded world file contains the same values (Hypothesis)."""

import json
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from landyard.testing import Service

IDS = st.integers(1, 2**31 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
CODES = st.text("abcXYZ019-_.ü", min_size=1, max_size=6).filter(lambda code: code.strip("."))
STAMPS = st.integers(0, 4 * 10**15).map(
    lambda micros: datetime.fromtimestamp(micros / 10**6, UTC).isoformat()
)
SORTS = st.integers(-(2**31), 2**31 - 1)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
PARAMS = st.dictionaries(TEXTS, st.dictionaries(TEXTS, PLAIN, max_size=2), max_size=2)
ANCHORS = st.none() | TEXTS


def _some(**optional: Any) -> Any:
    return st.fixed_dictionaries({}, optional=optional)


TRASH = {"active": st.booleans(), "deleted": st.booleans(), "deleted_at": st.none() | STAMPS}
SITES = _some(
    title=TEXTS,
    template_code=TEXTS,
    description=TEXTS,
    xml_id=TEXTS,
    additional_fields=st.dictionaries(TEXTS, PLAIN, max_size=2),
    created_at=STAMPS,
    modified_by=SORTS,
    **TRASH,
)
FOLDERS = _some(title=TEXTS, created_by=SORTS, modified_at=STAMPS, **TRASH)
PAGES = _some(
    title=TEXTS,
    description=TEXTS,
    active=st.booleans(),
    published=st.booleans(),
    deleted=st.booleans(),
    deleted_at=st.none() | STAMPS,
    rule=TEXTS,
    xml_id=TEXTS,
    additional_fields=st.dictionaries(TEXTS, PLAIN, max_size=2),
    view_template=st.none() | SORTS,
    template_code=st.none() | TEXTS,
    created_at=STAMPS,
    modified_by=SORTS,
)
BLOCKS = _some(
    content=TEXTS,
    sort=SORTS,
    active=st.booleans(),
    deleted=st.booleans(),
    anchor=ANCHORS,
    params=PARAMS,
    created_at=STAMPS,
    modified_at=STAMPS,
    created_by=SORTS,
)
COPIES = _some(
    published_content=TEXTS,
    published_sort=SORTS,
    published_active=st.booleans(),
    published_anchor=ANCHORS,
    published_params=PARAMS,
)


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    site_ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    codes = draw(st.lists(CODES.map(str.lower), min_size=2, max_size=2, unique=True))
    folder_ids = draw(st.lists(IDS, max_size=2, unique=True))
    page_ids = draw(st.lists(IDS, max_size=2, unique=True))
    block_ids = draw(st.lists(IDS, min_size=6, max_size=6, unique=True))
    rights = st.lists(st.sampled_from(["view", "edit", "delete"]), max_size=2)
    pages = [
        {"id": page_id, "site": site_ids[0], "code": f"p-{page_id}", **draw(PAGES), "blocks": []}
        for page_id in page_ids
    ]
    for page in pages:
        for _ in range(draw(st.integers(0, 2))):
            page["blocks"].append(draw(_block(block_ids)))
    return {
        "users": [{"id": 1, "rights": draw(st.dictionaries(st.just("*"), rights))}],
        "sites": [
            {"id": site_id, "code": f"s-{code}", **draw(SITES)}
            for site_id, code in zip(site_ids, codes, strict=False)
        ],
        "folders": [
            {"id": folder_id, "site": site_ids[0], "code": f"f-{folder_id}", **draw(FOLDERS)}
            for folder_id in folder_ids
        ],
        "pages": pages,
    }


@st.composite
def _block(draw: st.DrawFn, ids: list[int]) -> dict[str, Any]:
    block = {"id": ids.pop(), "code": draw(CODES), **draw(BLOCKS)} if ids else {}
    match draw(st.integers(0, 2)) if ids else 0:
        case 1:
            block |= {"published_id": ids.pop(), **draw(COPIES)}
        case 2:
            block |= {"id": None, "published_id": ids.pop()}
    return block or {"code": "x"}


def _dump_of(document: dict[str, Any], empty: Path) -> bytes:
    """Load a document into an empty service and dump it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(empty, folder)
        with Service(world=document, data=Path(folder)) as service:
            return b"".join(service.kernel.dump())


# Explaining a failure would take longer than finding it.
FINDING = [Phase.explicit, Phase.generate, Phase.shrink]


@pytest.mark.parametrize("examples", [8, pytest.param(200, marks=pytest.mark.soak)])
def test_world_dump_and_load_round_trip(sqlite_file: Path, examples: int) -> None:
    @given(document=worlds())
    @settings(max_examples=examples, phases=FINDING)
    def round_trip(document: dict[str, Any]) -> None:
        first = _dump_of(document, sqlite_file)

        second = _dump_of(json.loads(first), sqlite_file)

        assert second == first

    round_trip()
