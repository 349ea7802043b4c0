"""Edits a block's HTML as a tree and splices the edits into its source, byte for byte (`H2`).

The tree answers selectors and takes the edits. The result is the source with the edits spliced in:
a serialised tree would change quotes, case, line ends and references outside the edits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from landyard_html import tree
from landyard_html.nesting import VOID
from landyard_html.policy import clean_block, escape_attribute, fit_text
from landyard_html.sizes import LARGEST, TooLong
from landyard_html.spans import BLANKS, follows_source, is_open, whole_lines

# Selectors of tags, classes and ids below one another: an edit elsewhere changes no match.
_COMPOUND = r"[.#]?[A-Za-z_][\w-]*(?:[.#][A-Za-z_][\w-]*)*"
_LOCAL = re.compile(rf"{_COMPOUND}(?:(?:\s+|\s*>\s*){_COMPOUND})*", re.ASCII)
# The end of a text that could join with the characters behind a removed element.
_HALF_WRITTEN = re.compile(r"(?:<|&#?\w*)\Z")
_LONGEST_REFERENCE = 40


class _Splice(Struct, frozen=True, order=True):
    start: int
    end: int
    number: int
    html: str


class Markup:
    """One block's HTML. Selectors see every edit made so far; `source` writes the HTML.

    HTML whose tree does not follow its source (foster-parented tables, misnested formatting,
    elements left open) goes through the policy first, as when a world file loads it.
    """

    def __init__(self, source: str, most: int = LARGEST) -> None:
        """Parse the source. Edits that write more than `most` characters raise `TooLong`."""
        self._most, self._written = max(most, len(source)), 0
        self._source = source
        self._root = parse_block(source)
        if self._root.inner_html != source and not follows_source(self._root, len(source)):
            self._source = clean_block(source)
            self._root = parse_block(self._source)
        self._found: dict[str, list[tree.Element]] = {}
        self._contents: set[tree.Element] = set()
        self._endings: dict[tree.Element, list[str]] = {}
        self._attributes: dict[tree.Element, set[str]] = {}
        self._tags: dict[tree.Element, str] = {}
        self._cut: list[tuple[tree.Element, _Splice]] = []

    @property
    def outermost(self) -> list[tree.Element]:
        """The block's outermost element, its first one, as a list; empty in a block without any."""
        return [node for node in self._root.children if isinstance(node, tree.Element)][:1]

    def select(self, selector: str) -> list[tree.Element]:
        """The elements that a selector finds, in document order; a broken selector finds none."""
        found = self._found.get(selector)
        if found is None:
            try:
                found = self._root.select(selector)
            except tree.SelectorSyntaxError:
                found = []
            self._found[selector] = found
        return found

    def set_content(self, element: tree.Element, html: str) -> None:
        """Replace the element's content; a void element has none and stays as it is."""
        if element.tag in VOID:
            return
        self._write(html)
        with self._changing(element):
            element.set_inner_html(html)
        self._note_content(element)

    def set_text(self, element: tree.Element, value: str) -> None:
        """Sanitise the value and set it as the element's content; see `fit_text`."""
        if self._written + len(value) > self._most:  # sanitising a long text takes seconds
            raise TooLong(self._most)
        tag, content = fit_text(element, value)
        if tag != element.tag:
            self.rename(element, tag)
        self.set_content(element, content)

    def append(self, element: tree.Element, html: str) -> None:
        """Append HTML to the element's content."""
        self._write(html)
        with self._changing(element):
            element.insert_adjacent_html("beforeend", html)
        if element.source_location is None or element in self._contents:
            self._note_content(element)
        else:
            self._endings.setdefault(element, []).append(html)

    def set_attribute(self, element: tree.Element, name: str, value: str | None) -> None:
        """Set one attribute, or remove it with None; other attributes keep their spelling."""
        if value is None and name not in element.attrs:
            return
        self._write(value or "")
        with self._changing(element):
            if value is None:
                del element.attrs[name]
            else:
                element.attrs[name] = value
        if element.source_location is None:
            self._note_content(element)
        else:
            self._attributes.setdefault(element, set()).add(name)

    def rename(self, element: tree.Element, tag: str) -> None:
        """Give the element another tag name."""
        if element.source_location is None:
            self._note_content(element)
        else:
            self._tags.setdefault(element, element.tag)
        with self._changing(element):
            element.tag = tag

    def remove(self, element: tree.Element) -> None:
        """Remove the element, with its lines if they hold nothing else."""
        parent, location = element.parent, element.source_location
        assert isinstance(parent, tree.Element)
        if location is None or self._reaches_over(element, location.start_tag.start_offset):
            self._note_content(parent)
        else:
            start, end = location.start_tag.start_offset, self._outer_end(element)
            if not is_open(element.previous_sibling):
                start, end = whole_lines(self._source, start, end)
            self._cut.append((parent, _Splice(start, end, -1, "")))
        element.extract()
        self._found.clear()

    def written(self, element: tree.Element) -> str:
        """The element's own HTML; the source's bytes where nothing inside was edited."""
        location = element.source_location
        if location is None or is_open(element) or not self._keeps_inside(element):
            return element.html
        return self._source[location.start_tag.start_offset : self._outer_end(element)]

    def insert(self, element: tree.Element, html: str, *, inside: bool = False) -> None:
        """Add HTML behind the element, or with `inside` before its content."""
        self._write(html)
        location, parent = element.source_location, element if inside else element.parent
        assert isinstance(parent, tree.Element)
        if location is None or (is_open(element) and not inside):
            self._note_content(parent)
        else:
            at = location.start_tag.end_offset if inside else self._outer_end(element)
            self._cut.append((parent, _Splice(at, at, len(self._cut), html)))
        element.insert_adjacent_html("afterbegin" if inside else "afterend", html)
        self._found.clear()

    def replace(self, element: tree.Element, html: str) -> None:
        """Replace the element with HTML."""
        self._write(html)
        location, parent = element.source_location, element.parent
        assert isinstance(parent, tree.Element)
        if location is None or is_open(element):
            self._note_content(parent)
        else:
            start, end = location.start_tag.start_offset, self._outer_end(element)
            self._cut.append((parent, _Splice(start, end, -1, html)))
        element.insert_adjacent_html("beforebegin", html)
        element.extract()
        self._found.clear()

    def source(self) -> str:
        """The HTML with all edits; every byte outside the edited elements is the source's."""
        written: list[str] = []
        position = 0
        for splice in sorted(self._splices()):
            if splice.start < position:  # removed behind an element without an end tag
                continue
            written += (self._source[position : splice.start], splice.html)
            position = splice.end
        return "".join([*written, self._source[position:]])

    def _write(self, html: str) -> None:
        """Count the characters of an edit before it is made; raises `TooLong`."""
        self._written += len(html)
        if self._written > self._most:
            raise TooLong(self._most)

    @contextmanager
    def _changing(self, element: tree.Element) -> Iterator[None]:
        """Keep the cached matches of the selectors that find the same elements after the change.

        Selecting again after every edit would make many edits of a long block quadratic.
        """
        names = [name for name in self._found if _LOCAL.fullmatch(name)]
        before = {name: _found_at(element, name) for name in names}
        yield
        self._found = {
            name: self._found[name] for name in names if _found_at(element, name) == before[name]
        }

    def _note_content(self, element: tree.Element) -> None:
        """Have the content written from the tree, of this element or its nearest with a source."""
        while element.source_location is None and isinstance(element.parent, tree.Element):
            element = element.parent
        self._contents.add(element)
        self._endings.pop(element, None)

    def _splices(self) -> Iterator[_Splice]:
        if self._root in self._contents:
            yield _Splice(0, len(self._source), -1, self._root.inner_html)
            return
        number = 0
        for element in filter(self._stands, self._contents):
            location = element.source_location
            assert location is not None
            start, end = location.start_tag.end_offset, self._content_end(element)
            yield _Splice(start, end, number, element.inner_html)
        for element in filter(self._stands, self._endings):
            end = self._content_end(element)
            for html in self._endings[element]:
                number += 1
                yield _Splice(end, end, number, html)
        for element in filter(self._stands, self._attributes):
            for name in sorted(self._attributes[element]):
                number += 1
                yield self._attribute_splice(element, name, number)
        for element in filter(self._stands, self._tags):
            yield from self._tag_splices(element, self._tags[element])
        yield from (splice for parent, splice in self._cut if self._keeps_inside(parent))

    def _keeps_inside(self, element: tree.Element) -> bool:
        """Whether the element's content is written from the source."""
        return element is self._root or (element not in self._contents and self._stands(element))

    def _stands(self, element: tree.Element) -> bool:
        """Whether the element is still in the tree, and no element above is written from it."""
        above = [*element.ancestors]
        return self._root in above and self._contents.isdisjoint(above)

    def _reaches_over(self, element: tree.Element, start: int) -> bool:
        """Whether HTML in front of the element would be parsed differently without it."""
        if _HALF_WRITTEN.search(self._source[max(0, start - _LONGEST_REFERENCE) : start]):
            return True
        before = element.previous_sibling
        if not is_open(before):
            return False
        # The open element in front ended at this one's start tag. Another start tag of its own
        # kind, an end tag or the end of the source ends it as well.
        ends = rf"[{BLANKS}]*(?:\Z|</|<{before.tag}[{BLANKS}/>])"
        return not re.compile(ends, re.IGNORECASE).match(self._source, self._outer_end(element))

    def _attribute_splice(self, element: tree.Element, name: str, number: int) -> _Splice:
        location = element.source_location
        assert location is not None
        value = element.attr(name) if name in element.attrs else None
        written = "" if value is None else f'{name}="{escape_attribute(value)}"'
        span = location.attrs.get(name)
        if span is None:
            ends = [other.end_offset for other in location.attrs.values()]
            tag = self._tags.get(element, element.tag)
            end = max(ends, default=location.start_tag.start_offset + 1 + len(tag))
            return _Splice(end, end, number, written and " " + written)
        start = span.start_offset
        if value is None:
            while self._source[start - 1].isspace():
                start -= 1
        return _Splice(start, span.end_offset, number, written)

    def _tag_splices(self, element: tree.Element, tag: str) -> Iterator[_Splice]:
        location = element.source_location
        assert location is not None
        start = location.start_tag.start_offset + 1
        yield _Splice(start, start + len(tag), -1, element.tag)
        if location.end_tag is None:
            end = self._content_end(element)
            # A large number: behind the content.
            yield _Splice(end, end, 1 << 62, f"</{element.tag}>")
        else:
            start = location.end_tag.start_offset + 2
            yield _Splice(start, start + len(tag), -1, element.tag)

    def _outer_end(self, element: tree.Element) -> int:
        """The offset behind the element, its end tag included."""
        location = element.source_location
        if location is not None and location.end_tag is not None:
            return location.end_tag.end_offset
        if location is not None and element.tag in VOID:
            return location.start_tag.end_offset
        return self._content_end(element)

    def _content_end(self, element: tree.Element) -> int:
        """The offset where the element's content ends: at its end tag, or where one is implied."""
        location = element.source_location
        if location is not None and location.end_tag is not None:
            return location.end_tag.start_offset
        ends = [len(self._source)]
        if isinstance(element.parent, tree.Element):
            ends.append(self._content_end(element.parent))
        for node in element.following:
            if isinstance(node, tree.Element) and node.source_location is not None:
                ends.append(node.source_location.start_tag.start_offset)
                break
        return min(ends)


def parse_block(source: str) -> tree.Element:
    """Parse a block's HTML into a tree whose elements have offsets into `source`."""
    # Offsets count a CRLF once, so the parser gets line ends of the same length.
    lines = source.replace("\r\n", " \n").replace("\r", "\n") if "\r" in source else source
    return tree.parse_fragment(lines, source_locations=True)


def _found_at(element: tree.Element, selector: str) -> list[tree.Element]:
    found = element.select(selector)
    return [element, *found] if element.matches(selector) else found
