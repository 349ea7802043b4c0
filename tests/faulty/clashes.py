"""Forty kinds of clash between two third-party plugins, and the plugin at fault in each."""

from collections.abc import Mapping

from faulty.guests import BARE, family
from msgspec import Struct


class Clash(Struct, frozen=True):
    """Two plugins that differ from a sound one, and the reason that the second one fails with.

    `{k}` is a word that only this kind uses. Without a reason both plugins serve.
    """

    second: Mapping[str, str]
    told: str = ""
    first: Mapping[str, str] = {}


def _hook(name: str, *lines: str, takes: str = "", before: str = "") -> dict[str, str]:
    does = "\n    ".join(lines)
    return {"after": f"{before}\n\n@hookimpl\ndef {name}({takes}):\n    {does}\n"}


def _both(told: str, said: Mapping[str, str], **more: str) -> Clash:
    """Both plugins have the same property."""
    return Clash({**said, **more}, told, said)


def _table(columns: str, name: str = "faulty_{k}_one_guest", more: str = "") -> dict[str, str]:
    return {"before": f'Table("{name}", METADATA, {columns}{more})'}


def _event(topic: str, kind: str = "Came") -> str:
    return f'class {kind}(Event, frozen=True):\n    topic = "{topic}"'


_SUBSCRIBES = 'return [Subscriber(Came, lambda *_: None, "{k}.hears")]'
_PAGE = '@get("{}")\ndef page() -> str:\n    return "a page"'
_BLOCK = (
    'requires = ("content",)\nfrom landyard_content.blocks import BlockType\n'
    'BLOCK = BlockType("{k}.cover", content="<section class=\\"landing-block\\"></section>")'
)
_SECTION = "class Walls(Struct):\n    height: int = 2"
_JOB = 'return [Job("{k}.sweep", timedelta(hours=1), lambda host: None)]'
_NOBODY = 'none: List["Nobody{k}"] = Relationship()'
_ALIAS = (
    '\n\n@group.method("{own}.other", aliases=[Alias("{name}")])\n'
    'def other(call: Call, params: Nothing) -> bool:\n    """Say yes."""\n    return True\n'
)

CLASHES: Mapping[str, Clash] = {
    # classes
    "class in own bases": Clash(family("Guest{k}"), "", family("Guest{k}")),
    "class beside an own base": Clash({**family("Guest{k}"), **BARE}, "", family("Guest{k}")),
    "class that nobody looks for": Clash(
        {"kind": "Guest{k}", **BARE}, "", {"kind": "Guest{k}", **BARE}
    ),
    "class of no other": Clash({"field": _NOBODY}, "Nobody{k}"),
    "class without a key": Clash(
        {"before": "class Odd(Base, table=True):\n    name: str"}, "primary key"
    ),
    "class with a wrong back reference": Clash(
        {
            "field": 'a: Optional["Guest{k}"] = Relationship(back_populates="no")',
            "kind": "Guest{k}",
        },
        "models|relationship",
    ),
    # tables
    "table of a model": Clash({"table": "faulty_{k}_one_guest"}, "'faulty_{k}_one'"),
    "table of a bare model": Clash({"table": "faulty_{k}_one_guest", **BARE}, "'faulty_{k}_one'"),
    "table in Core": Clash(_table('Column("id", Integer)'), "'faulty_{k}_one'"),
    "table that is extended": Clash(
        _table('Column("more", String)', more=", extend_existing=True"), "'faulty_{k}_one'"
    ),
    "table of ours": Clash(_table('Column("id", Integer)', "landing_page"), "landing_page"),
    "table of ours in a model": Clash({"table": "landing_site"}, "landing_site"),
    "table in a migration": Clash(
        {"migrates": 'op.create_table("faulty_{k}_one_guest", sa.Column("id", sa.Integer))'},
        "already exists",
    ),
    "table of other metadata": Clash(
        {
            "before": 'Table("faulty_{k}_one_guest", MetaData(), Column("id", Integer))',
            "migrates": 'op.create_table("faulty_{k}_one_guest", sa.Column("id", sa.Integer))',
        },
        "already exists",
    ),
    "table without a migration": Clash(
        {"before": "class Odd(Base, table=True):\n    id: int = Field(primary_key=True)"},
        "register_tables|migration",
    ),
    "index in a migration": _both(
        "already exists", {"migrates": 'op.create_index("ix_{k}", "{table}", ["host_id"])'}
    ),
    "view in a migration": _both(
        "already exists", {"migrates": 'op.execute("CREATE VIEW {k}_view AS SELECT 1")'}
    ),
    "branch": _both("faulty_{k}_one", {"branch": "shared_{k}"}),
    "branch of ours": Clash({"branch": "landing"}, "landing"),
    "migration that fails": Clash({"migrates": "1 / 0"}, "ZeroDivisionError"),
    "migration that leaves": Clash({"migrates": "raise SystemExit(3)"}, "SystemExit"),
    # methods
    "method": _both("faulty_{k}_one", {"method": "{k}.list"}),
    "method in capitals": Clash({"method": "{K}.LIST"}, "faulty_{k}_one", {"method": "{k}.list"}),
    "method of ours": Clash({"method": "landing.block.getlist"}, "blocks"),
    "alias": Clash({"after": _ALIAS.replace("{name}", "{k}_one.list")}, "faulty_{k}_one"),
    "scope": _both("", {"scope": "landing"}),
    # pages
    "page": _both(
        "register_routes|route",
        _hook("register_routes", "return [page]", takes="host", before=_PAGE.format("/{k}")),
    ),
    "page of ours": Clash(
        _hook("register_routes", "return [page]", takes="host", before=_PAGE.format("/healthz")),
        "register_routes|route",
    ),
    "page of the API": Clash(
        _hook(
            "register_routes", "return [page]", takes="host", before=_PAGE.format("/openrpc.json")
        ),
        "register_routes|route",
    ),
    # blocks
    "block": _both("faulty_{k}_one", _hook("register_records", "return [BLOCK]", before=_BLOCK)),
    # words
    "word": _both(
        "",
        _hook(
            "register_commands",
            "return [word]",
            before='@click.command("{k}")\ndef word():\n    click.echo("{own}")',
        ),
    ),
    # settings
    "section": _both(
        "faulty_{k}_one", _hook("register_settings", 'return {{"{k}": Walls}}', before=_SECTION)
    ),
    "section of ours": Clash(
        _hook("register_settings", 'return {{"trash": Walls}}', before=_SECTION), "content"
    ),
    "section of the plugins": Clash(
        _hook("register_settings", 'return {{"plugins": Walls}}', before=_SECTION), "landyard"
    ),
    # events
    "event": _both("faulty_{k}_one", {"after": _event("{k}.came")}),
    "event of ours": Clash({"after": _event("landing.page.published")}, "landing"),
    "subscriber": _both(
        "faulty_{k}_one",
        _hook("register_subscribers", _SUBSCRIBES, before=_event("{own}.came")),
    ),
    # jobs
    "job": _both("faulty_{k}_one", _hook("register_jobs", _JOB)),
    # requirements
    "circle": Clash({"before": 'requires = ("faulty_{k}_two",)'}, "faulty_{k}_two"),
    "requires what is absent": Clash({"before": 'requires = ("nobody_{k}",)'}, "nobody_{k}"),
    # imports that end
    "import that raises": Clash({"after": "raise OSError"}, "OSError"),
    "import that exits": Clash({"after": "raise SystemExit(3)"}, "SystemExit"),
    "import that is interrupted": Clash({"after": "raise KeyboardInterrupt"}, "KeyboardInterrupt"),
    "import of nothing": Clash({"before": "import no_such_{k}"}, "no_such_{k}"),
    "object that raises": Clash(_hook("register_hooks", "1 / 0", takes="host"), "ZeroDivision"),
}
