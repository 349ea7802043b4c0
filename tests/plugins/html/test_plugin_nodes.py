"""Types of nodes of plugins: the policy cleans everything that they write."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from landyard_html.allowed import SANDBOX
from landyard_html.manifests import parse_manifest
from landyard_html.node_types import NodeElement
from landyard_html.nodes import Edited, update_nodes
from landyard_html.policy import clean_block
from landyard_html.values import Rules, WrongValue

BLOCK = f"""<section class="s">
  <p class="n">one</p><a class="n" href="/x">two</a><img class="n" src="/x.png" alt="">
  <iframe class="n" src="https://video.example/1" sandbox="{SANDBOX}"></iframe>
</section>"""
MANIFEST = parse_manifest({"nodes": {".n": {"type": "any"}}})
RULES = Rules(frozenset({"example.org"}))


class NodeType(Struct, frozen=True):
    name: str
    expected: str
    read: Callable[[NodeElement], Any]
    clean: Callable[[Any], Any]
    write: Callable[[NodeElement, Any], None]


def written(write: Callable[[NodeElement, Any], None], at: int = 0, value: Any = "") -> Edited:
    kind = NodeType("any", "something", lambda element: element.html, refusing, write)
    types = {"any": kind}
    data = {f".n@{at}": value}
    return update_nodes(BLOCK, {}, data, MANIFEST, structure=BLOCK, rules=RULES, node_types=types)


def refusing(value: Any) -> Any:
    if value is None:
        raise ValueError
    return value


def attribute(name: str, value: str | None) -> Callable[[NodeElement, Any], None]:
    return lambda element, _: element.set_attribute(name, value)


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    "html",
    [
        "<script>x()</script>",
        '<img src="x" onerror="x()">',
        '<a href="javascript:x()">x</a>',
        '<iframe srcdoc="<script>x()</script>"></iframe>',
        "</p></section><section onclick=x()><p>",
        "<style>* { background: url(https://evil.example) }</style>",
        "<svg><script>x()</script></svg>",
    ],
)
@pytest.mark.parametrize("at", [0, 1])
def test_H1_html_written_by_a_plugin_is_inert_and_stays_inside_its_element(
    html: str, at: int
) -> None:
    content = written(lambda element, _: element.set_html(html), at).content

    assert clean_block(content) == content
    assert content.count("<section") == 1


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    ("at", "name", "value", "becomes"),
    [
        (1, "href", "javascript:x()", 'href="#"'),
        (2, "src", "data:text/html,x", '<img class="n" alt="">'),
        (2, "src", "http://example.com/x.png", 'src="https://example.com/x.png"'),
        (0, "style", "background: url(javascript:x())", '<p class="n">one</p>'),
        (0, "CLASS", 'n "><b', 'class="n &quot;&gt;&lt;b"'),
        (1, "href", None, '<a class="n">two</a>'),
        (3, "sandbox", "allow-top-navigation", f'sandbox="{SANDBOX}"'),
    ],
)
def test_H1_attributes_written_by_a_plugin_are_cleaned(
    at: int, name: str, value: str | None, becomes: str
) -> None:
    assert becomes in written(attribute(name, value), at).content


@pytest.mark.rule("H1")
@pytest.mark.parametrize("name", ["onclick", "srcdoc", "http-equiv", "formaction"])
def test_H1_an_attribute_that_no_element_may_have_is_a_mistake(name: str) -> None:
    with pytest.raises(ValueError, match=f"may have the attribute '{name}'"):
        written(attribute(name, "x()"))


@pytest.mark.rule("H3")
def test_H3_a_plugin_cannot_show_a_frame_of_this_server() -> None:
    with pytest.raises(WrongValue):
        written(attribute("src", "https://example.org/"), 3)


@pytest.mark.rule("H2")
def test_H2_other_bytes_do_not_change() -> None:
    content = written(lambda element, value: element.set_html(value), value="<b>1</b>").content

    assert content == BLOCK.replace("one", "<b>1</b>")


@pytest.mark.rule("B9")
@pytest.mark.parametrize("at", [0, 99])
def test_B9_a_value_that_clean_refuses_refuses_the_whole_call(at: int) -> None:
    with pytest.raises(WrongValue) as refused:
        written(attribute("title", "x"), at, None)

    assert (refused.value.parameter, refused.value.expected) == (f"data[.n@{at}]", "something")


def test_an_element_answers_its_content() -> None:
    messages: list[Any] = []
    written(
        lambda element, _: messages.extend(
            (element.tag, element.text, element.html, element.attribute("href"))
        ),
        1,
    )

    assert messages == ["a", "two", "two", "/x"]
