"""The style sheet and the pictures are small and safe, and text is legible in both colour
schemes.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from plugins.content.blocks.shipped import ASSETS, EVERY_HTML, PICTURES

from landyard_public.assets import assets

SERVED = assets()["landyard.css"].content
CSS = re.sub(r"/\*.*?\*/", "", SERVED.decode(), flags=re.DOTALL)


def test_the_stylesheet_is_small() -> None:
    assert len(SERVED) < 30_000


def test_H4_the_stylesheet_loads_only_what_ships_with_it() -> None:
    assert "@import" not in CSS
    assert "//" not in CSS
    addresses = set(re.findall(r"""url\(["']?([^"')]+)["']?\)""", CSS))
    assert addresses
    assert addresses <= {f"pictures/{name}.svg" for name in PICTURES}


def test_B10_every_icon_class_in_use_is_in_the_sprite() -> None:
    drawn = {name: int(place) for name, place in re.findall(r"\.(icon-\w+) \{ --n: (\d+); \}", CSS)}
    html = "".join(EVERY_HTML.values())
    sprite = ET.fromstring((ASSETS / "pictures" / "icons.svg").read_text("utf-8"))
    places = len(sprite.findall(".//{*}path"))
    assert sorted(drawn.values()) == list(range(places))
    assert places >= 8
    assert f"/ {places - 1} * 100%" in CSS
    assert f"/ {places}00% 100%" in CSS
    assert set(re.findall(r"\bly-icon (icon-\w+)", html)) <= drawn.keys()


@pytest.mark.parametrize("name", PICTURES)
def test_H4_a_drawing_runs_and_loads_nothing(name: str) -> None:
    text = (ASSETS / "pictures" / f"{name}.svg").read_text("utf-8")
    # No style either: drawings are served under a policy that would drop it.
    forbidden = {"script", "style", "image", "use", "foreignObject", "a", "text"}
    for element in ET.fromstring(text).iter():
        assert element.tag.rpartition("}")[2] not in forbidden
        assert not [key for key in element.attrib if key.startswith("on") or "href" in key]
        assert "style" not in element.attrib
    assert len(text.encode()) < 16_000


SCHEMES = {
    "light": CSS.partition("@media")[0],
    "dark": CSS.partition("@media (prefers-color-scheme: dark)")[2].partition("*,")[0],
}
WRITTEN = [
    *[(fore, ground) for fore in ("ink", "soft", "hot") for ground in ("paper", "tint")],
    ("on-hot", "hot"),
    *[(fore, "deep") for fore in ("on-deep", "soft-deep", "hot-deep")],
    ("on-hot-deep", "hot-deep"),
    *[(fore, "keel") for fore in ("on-keel", "soft-keel")],
]


def colours(scheme: str) -> dict[str, str]:
    """The custom properties in force; the dark scheme inherits those it does not set."""
    found = dict(re.findall(r"--([\w-]+): ([^;]+);", SCHEMES["light"]))
    if scheme == "dark":
        found |= dict(re.findall(r"--([\w-]+): ([^;]+);", SCHEMES["dark"]))
    return found


def channels(colour: str) -> list[float]:
    return [int(colour[index : index + 2], 16) for index in (1, 3, 5)]


def luminance(colour: list[float]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    shares = [value / 255 for value in colour]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares]
    return sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: list[float], other: list[float]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_wcag_defines_it() -> None:
    assert contrast(channels("#000000"), channels("#ffffff")) == pytest.approx(21)
    assert contrast(channels("#767676"), channels("#ffffff")) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("fore", "ground"), WRITTEN)
def test_text_is_legible_in_both_schemes(scheme: str, fore: str, ground: str) -> None:
    found = colours(scheme)
    assert contrast(channels(found[fore]), channels(found[ground])) >= 4.5


@pytest.mark.parametrize("tone", ["tint", "deep"])
def test_a_tone_sets_all_its_colours(tone: str) -> None:
    """A tinted card may lie on a deep band, and a deep card on a tinted band."""
    needed = {"ground", "fore", "mute", "line", "mark", "on-mark"}
    start = CSS.index(f'[data-tone="{tone}"] {{')
    assert set(re.findall(r"--([\w-]+):", CSS[start : CSS.index("}", start)])) == needed


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_cover_is_legible_over_a_white_picture(scheme: str) -> None:
    found = colours(scheme)
    thin = float(found["veil-thin"])
    veil = [int(value) * thin + 255 * (1 - thin) for value in found["veil"].split()]
    assert contrast(channels(found["on-deep"]), veil) >= 4.5


def test_rules_for_the_start_of_a_line_use_no_left_or_right() -> None:
    sided = r"(?:padding|margin|border|inset)[a-z-]*-(?:left|right)|(?<![-\w])(?:left|right|float):"
    aligned = r"text-align:\s*(?:left|right)"
    # a rule with several radii; it names its corners on purpose
    corners = r"border-radius:[^;]*\s[^;]*\s"

    assert re.findall(f"{sided}|{aligned}|{corners}", CSS) == []
    assert "hyphens: auto" in CSS
