"""The contrast of every text of a page, measured on the pixels behind it."""

import io
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct
from PIL import Image
from playwright.async_api import Page

from landyard_public.themes.contrast import contrast

LARGE = 24.0  # pixels; for larger letters a contrast of 3 to 1 is enough (WCAG 2.2, 1.4.3)
BOLD = 18.66  # the same for bold letters
_TEXTS = """
() => {
  document.querySelectorAll('.ly-faq-item, .site-fold').forEach(item => { item.open = true })
  // What is scrolled out of a row that scrolls sideways is not on the pixels beside the row.
  const within = element => {
    const row = element.closest('.site-voices, .site-photos, .site-comparison-table')
    const scrolls = row && getComputedStyle(row).overflowX !== 'visible'
    return scrolls ? row.getBoundingClientRect()
      : { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity }
  }
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim()) continue
    const style = getComputedStyle(node.parentElement)
    const shown = node.parentElement.checkVisibility({
      contentVisibilityAuto: true, visibilityProperty: true
    })
    if (!shown || node.parentElement.closest('.ly-skip, [aria-hidden=true]')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const seen = within(node.parentElement)
    for (const drawn of range.getClientRects()) {
      const box = {
        left: Math.max(drawn.left, seen.left), right: Math.min(drawn.right, seen.right),
        top: Math.max(drawn.top, seen.top), bottom: Math.min(drawn.bottom, seen.bottom)
      }
      if (box.right - box.left < 2 || box.bottom - box.top < 2) continue
      found.push({
        text: node.data.trim().slice(0, 60), color: style.color, size: parseFloat(style.fontSize),
        weight: parseInt(style.fontWeight), owner: node.parentElement.className.toString(),
        box: [box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY]
      })
    }
  }
  return found
}
"""
_WITHOUT = (
    "*, ::before, ::after, ::first-letter"
    " { color: transparent !important; text-decoration: none !important }"
)


class Text(Struct, frozen=True):
    """A drawn line of text: its colour as CSS gives it, and its place in pixels."""

    text: str
    color: str
    size: float
    weight: int
    owner: str
    box: tuple[float, float, float, float]

    @property
    def least(self) -> float:
        """The contrast that it needs."""
        large = self.size >= LARGE or (self.size >= BOLD and self.weight >= 700)
        return 3.0 if large else 4.5


async def illegible(page: Page) -> list[str]:
    """Name the texts with too little contrast to a pixel behind them; stray pixels do not count."""
    texts = msgspec.convert(await page.evaluate(_TEXTS), list[Text])
    assert texts, "the page has no text"
    # The page's policy would refuse a style sheet of the page, but not one of the browser.
    await page.evaluate(
        "css => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css);"
        " document.adoptedStyleSheets = [sheet] }",
        _WITHOUT,
    )
    drawn = Image.open(io.BytesIO(await page.screenshot(full_page=True))).convert("RGB")
    await page.evaluate("() => { document.adoptedStyleSheets = [] }")
    return list(_too_low(texts, drawn))


def _too_low(texts: list[Text], drawn: Image.Image) -> Iterator[str]:
    for text in texts:
        fore = _channels(text.color)
        box = tuple(round(side) for side in text.box)
        behind = drawn.crop((max(box[0], 0), max(box[1], 0), box[2], box[3]))
        lowest = _lowest(fore, behind)
        if lowest < text.least - 0.05:
            yield f"{lowest:.2f} of {text.least}: {text.text!r} ({text.owner}, {text.color})"


def _lowest(fore: tuple[float, float, float], behind: Image.Image) -> float:
    """Return the least contrast to any colour of more than a hundredth of the pixels."""
    area = behind.width * behind.height
    if not area:
        return 21.0
    small: Any = behind.quantize(16) if len(behind.getcolors(area) or ()) > 400 else behind
    colours = small.convert("RGB").getcolors(area) or []
    return min(contrast(fore, colour) for count, colour in colours if count * 100 >= area)


def _channels(color: str) -> tuple[float, float, float]:
    """Read `rgb(1, 2, 3)`."""
    red, green, blue = color.removeprefix("rgb(").removesuffix(")").split(",")
    return float(red), float(green), float(blue)
