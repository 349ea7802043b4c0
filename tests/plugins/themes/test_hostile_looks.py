"""No call takes a hostile text as anything of a site's look."""

from typing import Any

import pytest
from plugins.themes.hostile import HOSTILE
from plugins.themes.site import refusal, serving

from landyard_landing import NAMES

pytestmark = pytest.mark.rule("H4")


@pytest.mark.parametrize("value", HOSTILE)
def test_H4_a_call_takes_no_hostile_look(value: str) -> None:
    with serving() as service:

        def refused(**sent: Any) -> str | None:
            return refusal(service, **sent)[0]

        assert refused(theme=value) == "THEME_NOT_FOUND"
        tokens = {refused(tokens={name: value}) for name in (*NAMES, value)}
        assert tokens == {"TOKEN_REFUSED"}
        pictures = {refused(**{name: value}) for name in ("logo", "favicon", "social")}
        assert pictures == {"SITE_PICTURE_NOT_FOUND"}
