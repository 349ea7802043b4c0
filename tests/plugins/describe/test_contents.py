"""Answers other than JSON are described: by their media type, or as empty."""

from contract.documents import BASE, Document
from kernel.sample import Brings, Nothing
from openapi_spec_validator import validate

from landyard import Call, Download, Kernel, MethodGroup, NoContent, Plugin, Settings
from landyard_describe.openapi import openapi
from landyard_describe.openrpc import openrpc


def documents() -> tuple[Document, Document]:
    group = MethodGroup()

    @group.method("a.file", media_type="text/csv")
    def file(call: Call, params: Nothing) -> Download:
        """Answer a file."""
        return Download(b"")

    @group.method("a.none")
    def none(call: Call, params: Nothing) -> NoContent:
        """Answer nothing."""
        return NoContent()

    kernel = Kernel(Settings(), [Plugin("sample", Brings(group))])
    kernel.close()
    named = {"base": BASE, "version": "1.0"}
    return openapi(kernel.methods, **named), openrpc(kernel.methods, **named)


def test_the_media_type_is_published_and_204_has_no_content() -> None:
    described, remote = documents()
    file, none = (described["paths"][f"/a.{name}.json"]["post"] for name in ("file", "none"))

    validate(described)
    binary = {"type": "string", "format": "binary"}
    assert file["responses"]["200"]["content"] == {"text/csv": {"schema": binary}}
    assert "Landyard-Time" in file["responses"]["200"]["headers"]
    assert "answers `text/csv`" in file["description"]
    assert "content" not in none["responses"]["204"]
    assert "200" not in none["responses"]
    assert [each["result"]["schema"] for each in remote["methods"]] == [binary, {"type": "null"}]
    assert file["x-landyard"]["answers"] == "text/csv"
