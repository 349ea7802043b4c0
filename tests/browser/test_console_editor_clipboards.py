"""Clipboards of word processors, spreadsheets, mail and web pages, pasted into a text.

Structure and emphasis are kept, and nothing is added.
"""

import re
from typing import Any

import pytest
from browser.clipboards import CLIPBOARDS, Clipboard
from browser.conftest import Demo
from browser.console_editor import Editing, Opened, make_page

from landyard_console.assets import asset
from landyard_html.policy import clean_block

TEXT, TITLE = ".landing-block-node-text", ".landing-block-node-title"
# Each text is in the page's own document, as an opened text is.
PASTE = """
async ([module, prosemirror, cases]) => {
  const { OpenText } = await import(module)
  const { TextSelection, baseKeymap } = await import(prosemirror)
  const selectAll = baseKeymap['Mod-a']
  const page = document.querySelector('iframe.ed-frame').contentDocument
  const nothing = () => {}
  return cases.map(({ tag, html, clipboard, all }) => {
    const element = page.createElement(tag)
    page.body.append(element)
    element.innerHTML = html
    const named = ['changed', 'left', 'undo', 'redo', 'moved', 'link'].map(name => [name, nothing])
    const text = new OpenText(element, html, { label: 'x', ...Object.fromEntries(named) })
    const { view } = text
    const find = (sign) => {
      let found = -1
      view.state.doc.descendants((node, at) => {
        if (node.isText && node.text.includes(sign)) found = at + node.text.indexOf(sign)
      })
      return found
    }
    const [start, end] = [find('⟦'), find('⟧')]
    const marked = view.state.tr.delete(end, end + 1).delete(start, start + 1)
    const chosen = TextSelection.create(marked.doc, start, marked.mapping.map(end))
    view.dispatch(marked.setSelection(chosen))
    if (all) selectAll(view.state, view.dispatch)
    const data = new DataTransfer()
    data.setData('text/html', clipboard)
    data.setData('text/plain', 'plain')
    const how = { clipboardData: data, bubbles: true, cancelable: true }
    element.dispatchEvent(new ClipboardEvent('paste', how))
    const { from, to } = view.state.selection
    const isTyped = view.someProp('handleTextInput', (handle) => handle(view, from, to, '¦'))
    if (!isTyped) view.dispatch(view.state.tr.setStoredMarks([]).insertText('¦'))
    const made = text.html
    text.close()
    element.remove()
    return made
  })
}
"""


def pasted(editing: Editing, page_id: int, cases: list[dict[str, str]]) -> tuple[list[str], Any]:
    """Paste into texts of the draft's document; return their HTML, with the caret as `¦`."""

    async def act(tab: Opened) -> list[str]:
        modules = [asset("editor/text.js"), asset("vendor/prosemirror.js")]
        found: list[str] = await tab.page.evaluate(PASTE, [*modules, cases])
        return found

    return editing.act(page_id, act)


def wanted(clipboard: Clipboard, left: str, right: str) -> str:
    """Write the blocks between two halves of paragraphs, with the caret after them."""
    if clipboard.phrase:
        return f"<p>{left}{clipboard.phrase}¦{right}</p>"
    blocks = list(clipboard.blocks)
    if left and blocks[0].startswith("<p>"):
        blocks[0] = f"<p>{left}{blocks[0][3:]}"
    elif left:
        blocks.insert(0, f"<p>{left}</p>")
    if right and blocks[-1].startswith("<p>"):
        blocks[-1] = f"{blocks[-1][:-4]}¦{right}</p>"
    elif right:
        blocks.append(f"<p>{right}</p>")
    return "".join(blocks)


def without_caret(html: str) -> str:
    return html.replace("¦", "")


def untyped(html: str) -> str:
    """Remove the typed text, also where it made a paragraph after a table."""
    return without_caret(html.replace("<p>¦</p>", ""))


def compare(found: list[str], expected: list[str]) -> dict[str, tuple[str, str]]:
    """The clipboards with a wrong result; the caret is compared where one is expected."""
    named = zip(CLIPBOARDS, found, expected, strict=True)
    return {
        each.name: (is_now, wanted)
        for each, is_now, wanted in named
        if (is_now if "¦" in wanted else without_caret(is_now)) != wanted
    }


@pytest.fixture(scope="module")
def page_id(demo: Demo) -> int:
    return make_page(demo, 5400, [{"code": "ly.text"}])


def test_sixty_clipboards_are_pasted_at_the_end_of_a_paragraph(
    editing: Editing, page_id: int
) -> None:
    base = {"tag": "div", "html": "<p>Avant.⟦⟧</p><p>Après.</p>"}
    cases = [{**base, "clipboard": each.html} for each in CLIPBOARDS]

    found, visit = pasted(editing, page_id, cases)

    after = [f"{wanted(each, 'Avant.', '')}<p>Après.</p>" for each in CLIPBOARDS]
    assert compare(found, after) == {}
    assert len(CLIPBOARDS) >= 60
    assert (visit.ran, visit.dialogs, visit.foreign) == ([], [], [])
    # one clipboard contains an event handler
    assert {*visit.violations} <= {"script-src-attr inline"}


def test_sixty_clipboards_are_pasted_over_a_selection(editing: Editing, page_id: int) -> None:
    """From inside one paragraph to inside another."""
    base = {"tag": "div", "html": "<p>Ava⟦nt.</p><p>Ap⟧rès.</p>"}
    cases = [{**base, "clipboard": each.html} for each in CLIPBOARDS]

    found, _ = pasted(editing, page_id, cases)

    assert compare(found, [wanted(each, "Ava", "rès.") for each in CLIPBOARDS]) == {}


@pytest.mark.parametrize("key", ["", "Control+a"])
def test_sixty_clipboards_are_pasted_over_a_whole_text(
    editing: Editing, page_id: int, key: str
) -> None:
    base = {"all": key, "tag": "div", "html": "<p>⟦Avant.</p><p>Après.⟧</p>"}
    cases = [{**base, "clipboard": each.html} for each in CLIPBOARDS]

    found, _ = pasted(editing, page_id, cases)

    expected = [without_caret(wanted(each, "", "")) for each in CLIPBOARDS]
    assert compare([untyped(each) for each in found], expected) == {}
    # the service keeps the whole result
    assert [clean_block(each) for each in expected] == expected


def test_sixty_clipboards_are_pasted_into_a_text_without_paragraphs(
    editing: Editing, page_id: int
) -> None:
    base = {"tag": "div", "html": "⟦Mot⟧"}
    cases = [{**base, "clipboard": each.html} for each in CLIPBOARDS]

    found, _ = pasted(editing, page_id, cases)

    expected = [each.phrase or "".join(each.blocks) for each in CLIPBOARDS]
    assert compare([untyped(each) for each in found], expected) == {}


def words(html: str) -> list[str]:
    """The words of HTML, separated where blocks or cells separate them."""
    apart = r"<(?:br|/?(?:p|h\d|li|[uo]l|table|tbody|t[dhr]|caption|pre|blockquote))\b[^>]*>"
    return re.sub(apart, " ", html).replace("&nbsp;", " ").split()


def test_sixty_clipboards_are_pasted_into_a_heading(editing: Editing, page_id: int) -> None:
    """Its lines, cells and items stay separate; the emphasis is kept."""
    base = {"tag": "h2", "html": "⟦Mot⟧"}
    cases = [{**base, "clipboard": each.html} for each in CLIPBOARDS]

    found, _ = pasted(editing, page_id, cases)

    blocks = re.compile(r"<(?:p|div|h\d|li|[uo]l|table|t[dhr]|pre|blockquote|hr)\b")
    assert [each for each in found if blocks.search(each)] == []
    for each, html in zip(CLIPBOARDS, found, strict=True):
        assert words(without_caret(html)) == words(
            each.phrase or "".join(each.blocks).replace("<hr>", "")
        ), each.name


PLACES = [
    # The text with its selection between ⟦ and ⟧; the clipboard; the text after the paste.
    ("<ul><li>un</li><li>deux⟦⟧</li></ul>", "<ul><li>x</li><li>y</li></ul>",
     "<ul><li>un</li><li>deux</li><li>x</li><li>y</li></ul>"),
    ("<ul><li>un</li><li>⟦deux⟧</li><li>trois</li></ul>", "<ul><li>x</li><li>y</li></ul>",
     "<ul><li>un</li><li>x</li><li>y</li><li>trois</li></ul>"),
    ("<ul><li>un⟦⟧</li><li>deux</li></ul>", "<h2>T</h2><p>x</p>",
     "<ul><li>un</li></ul><h2>T</h2><p>x</p><ul><li>deux</li></ul>"),
    ("<h2>Ti⟦⟧tre</h2><p>x</p>", "<p>a</p>", "<h2>Tiatre</h2><p>x</p>"),
    ("<h2>Titre⟦⟧</h2><p>x</p>", "<p>a</p><p>b</p>", "<h2>Titre</h2><p>a</p><p>b</p><p>x</p>"),
    ("<p>un⟦⟧deux</p>", "<p>a</p><ul><li>b</li></ul><p>c</p>",
     "<p>una</p><ul><li>b</li></ul><p>cdeux</p>"),
    ("<p>⟦un</p><p>deux⟧</p>", "<p>a <b>b</b></p>", "<p>a <strong>b</strong></p>"),
    ("<blockquote><p>un⟦⟧</p></blockquote>", "<p>a</p><p>b</p>",
     "<blockquote><p>una</p><p>b</p></blockquote>"),
    ('<p class="x">un⟦⟧</p>\n  <p>deux</p>', "<h3>T</h3>",
     '<p class="x">un</p><h3>T</h3>\n  <p>deux</p>'),
    ("<p>un</p><p>⟦⟧</p><p>deux</p>", "<h3>T</h3>", "<p>un</p><h3>T</h3><p>deux</p>"),
]  # fmt: skip


def test_pasted_blocks_are_placed_between_the_existing_ones(editing: Editing, page_id: int) -> None:
    """The caret is in a list, a heading, a quotation or an empty paragraph."""
    cases = [{"tag": "div", "html": before, "clipboard": html} for before, html, _ in PLACES]

    found, _ = pasted(editing, page_id, cases)

    assert [without_caret(each) for each in found] == [after for _, _, after in PLACES]


def test_a_paste_over_a_whole_text_is_saved(demo: Demo, editing: Editing) -> None:
    page_id = make_page(demo, 5401, [{"code": "ly.text"}])
    clipboard = next(
        each for each in CLIPBOARDS if each.name == "word: list between paragraphs, with emphasis"
    )

    async def act(tab: Opened) -> None:
        await tab.node(f"{TEXT} p").click()
        await tab.page.keyboard.press("Control+a")
        await tab.page.evaluate(
            """html => {
              const clipboardData = new DataTransfer()
              clipboardData.setData('text/html', html)
              const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true })
              document.querySelector('iframe').contentDocument.activeElement.dispatchEvent(pasted)
            }""",
            clipboard.html,
        )
        await tab.saved()

    editing.act(page_id, act)

    (content,) = editing.contents(page_id)
    assert "".join(clipboard.blocks) in content
