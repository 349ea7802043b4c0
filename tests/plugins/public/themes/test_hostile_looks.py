"""No call accepts a hostile text as a value of a site's theme."""

from typing import Any

import pytest
from plugins.public.themes.hostile import HOSTILE
from plugins.public.themes.site import refusal, serving

from landyard_public.themes.tokens import NAMES

pytestmark = pytest.mark.rule("H4")


@pytest.mark.parametrize("value", HOSTILE)
def test_H4_a_hostile_value_is_refused(value: str) -> None:
    with serving() as service:

        def refused(**sent: Any) -> str | None:
            return refusal(service, **sent)[0]

        assert refused(theme=value) == "THEME_NOT_FOUND"
        tokens = {refused(tokens={name: value}) for name in (*NAMES, value)}
        assert tokens == {"TOKEN_REFUSED"}
        pictures = {refused(**{name: value}) for name in ("logo", "favicon", "social")}
        assert pictures == {"SITE_PICTURE_NOT_FOUND"}
