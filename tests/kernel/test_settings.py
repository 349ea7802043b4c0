"""Settings come from `landyard.toml`, then `LANDYARD_*` variables, then flags."""

from pathlib import Path
from typing import Any

import pytest
from corpora import read_data
from kernel.sample import Brings
from msgspec import Struct

from landyard import Kernel, MethodGroup, Plugin, Settings, SettingsError, hookimpl, load_settings
from landyard.settings import foreign_variables, read_section


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "landyard.toml"


def test_without_any_source_the_defaults_apply(file: Path) -> None:
    assert load_settings({}, file=file) == Settings()


@pytest.mark.parametrize(
    ("text", "environ", "flags", "threads"),
    read_data(__file__, "SOURCES", list[tuple[str, dict[str, str], dict[str, Any], int]]),
)
def test_flags_win_over_variables_and_variables_over_the_file(
    file: Path, text: str, environ: dict[str, str], flags: dict[str, Any], threads: int
) -> None:
    file.write_text(text)

    assert load_settings(environ, file=file, flags=flags).threads == threads


def test_a_variable_names_the_file(file: Path) -> None:
    other = file.with_name("other.toml")
    other.write_text('public_base = "https://example.org"')

    assert load_settings({"LANDYARD_CONFIG": str(other)}).public_base == "https://example.org"


def test_the_file_is_searched_in_the_documented_places(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("max_body = 4096")
    monkeypatch.chdir(file.parent)

    assert load_settings({}).max_body == 4096


def test_the_database_is_a_file_in_the_data_directory_unless_a_url_is_given(tmp_path: Path) -> None:
    own = load_settings({"LANDYARD_DATA": str(tmp_path)}, file=tmp_path / "none")
    far = load_settings({"LANDYARD_DATABASE_URL": "postgresql://x/y"}, file=tmp_path / "none")

    assert own.database == f"sqlite:///{tmp_path / 'landyard.db'}"
    assert far.database == "postgresql://x/y"


WRONG_FILES = read_data(__file__, "WRONG_FILES", list[tuple[str, str]])


@pytest.mark.parametrize(("text", "named"), WRONG_FILES)
def test_a_mistake_in_the_file_is_named(file: Path, text: str, named: str) -> None:
    file.write_text(text)

    with pytest.raises(SettingsError, match=named):
        load_settings({}, file=file)


@pytest.mark.parametrize("text", ["", "*", "10.0.0.0/8, fd00::/8", "127.0.0.1,::1"])
def test_proxies_are_addresses_and_networks(file: Path, text: str) -> None:
    assert load_settings({"LANDYARD_TRUSTED_PROXIES": text}, file=file).trusted_proxies == text


def test_an_unreadable_file_is_named(file: Path) -> None:
    file.mkdir()
    with pytest.raises(SettingsError, match=file.name):
        load_settings({}, file=file)

    latin = file.with_name("latin.toml")
    latin.write_bytes(b'public_base = "\xff"')
    with pytest.raises(SettingsError, match=latin.name):
        load_settings({}, file=latin)


@pytest.mark.parametrize(
    ("variable", "text"), read_data(__file__, "WRONG_VARIABLES", list[tuple[str, str]])
)
def test_a_mistake_in_a_variable_is_named(file: Path, variable: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"(?i){variable}|{variable[9:]}"):
        load_settings({variable: text}, file=file)


def test_other_programs_variables_are_ignored(file: Path) -> None:
    assert load_settings({"LANDYARDS_DATA": "x", "PATH": "/bin"}, file=file) == Settings()


def test_variables_of_kubernetes_are_ignored_and_named(file: Path) -> None:
    service = ("SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "DB_SERVICE_HOST")
    link = ("PORT_8000_TCP", "PORT_8000_TCP_PROTO", "PORT_8000_TCP_PORT", "DB_PORT_5432_TCP_ADDR")
    set_by_it = {f"LANDYARD_{name}": "10.0.0.1" for name in (*service, *link)}
    set_by_it |= dict.fromkeys(("LANDYARD_PORT", "LANDYARD_DB_PORT"), "tcp://10.0.0.1:8000")

    assert load_settings({**set_by_it, "LANDYARD_THREADS": "4"}, file=file) == Settings()
    assert foreign_variables({**set_by_it, "LANDYARD_PORT_": "8000"}) == sorted(set_by_it)


class Section(Struct, frozen=True):
    hosts: list[str] = []
    limit: int = 5
    strict: bool = False


class Configured(Brings):
    def __init__(self) -> None:
        super().__init__(MethodGroup())

    @hookimpl
    def register_settings(self) -> type[Struct]:
        return Section


def section(settings: Settings) -> Struct:
    kernel = Kernel(settings, [Plugin("sample", Configured())])
    kernel.close()
    return kernel.resolution.sections["sample"]


def test_a_plugin_has_a_section_of_its_own(file: Path) -> None:
    file.write_text('[sample]\nhosts = ["a.example"]\nlimit = 7\nstrict = true')

    assert section(load_settings({}, file=file)) == Section(["a.example"], 7, strict=True)


def test_a_variable_wins_over_the_file_in_a_section_too(file: Path) -> None:
    file.write_text('[sample]\nhosts = ["a.example"]\nlimit = 7')
    environ = {
        "LANDYARD_SAMPLE__HOSTS": "b.example, c.example,",
        "LANDYARD_SAMPLE__STRICT": "true",
    }

    assert section(load_settings(environ, file=file)) == Section(
        ["b.example", "c.example"], 7, strict=True
    )


@pytest.mark.parametrize(
    ("text", "named"), read_data(__file__, "WRONG_SECTIONS", list[tuple[str, str]])
)
def test_a_mistake_in_a_section_is_named(file: Path, text: str, named: str) -> None:
    file.write_text(text)

    with pytest.raises(SettingsError, match=named):
        section(load_settings({}, file=file))


@pytest.mark.parametrize(
    ("text", "hosts"), [("", []), ("[]", []), ('["a", "b,c"]', ["a", "b,c"]), ("a, b", ["a", "b"])]
)
def test_a_list_in_a_variable_is_json_or_separated_by_commas(text: str, hosts: list[str]) -> None:
    assert read_section(Section, "sample", {"hosts": text}) == Section(hosts)


def test_a_list_in_a_variable_that_is_no_json_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"sample\.hosts: must be a list"):
        read_section(Section, "sample", {"hosts": '["a"'})


def test_a_table_in_a_variable_is_json() -> None:
    class Place(Struct, frozen=True):
        host: str
        port: int = 80

    class Places(Struct, frozen=True):
        named: dict[str, Place] = {}

    found = read_section(Places, "places", {"named": '{"here": {"host": "a", "port": 5}}'})
    assert found == Places({"here": Place("a", 5)})
    with pytest.raises(SettingsError, match=r"places\.named"):
        read_section(Places, "places", {"named": '{"here": '})


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="LANDYARD_CONFIG"):
        load_settings({"LANDYARD_CONFIG": str(tmp_path / "typo.toml")})


@pytest.mark.parametrize(
    "base",
    [
        "https://example.org/pages",
        "https://example.org/pages/",
        "https://example.org//",
        "https://example.org?x=1",
        "https://example.org/?",
        "https://example.org#top",
        "https://example.org/#",
        "https://user@example.org",
        "https://user:secret@example.org",
        "https://",
        "https:///pages",
        "https://:8443",
        "https://example.org:",
        "https://example.org:0",
        "https://example.org:65536",
        "https://example.org:port",
        "https://exa mple.org",
        "https://example.org\\pages",
        "https://[::1",
        "https://beispiel-ü.example",
        "ftp://example.org",
        "example.org",
    ],
)
def test_an_invalid_base_is_refused(base: str) -> None:
    with pytest.raises(SettingsError, match="public_base: ") as refused:
        load_settings({"LANDYARD_PUBLIC_BASE": base})

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "base",
    [
        "https://example.org",
        "https://example.org/",
        "http://127.0.0.1:8000",
        "http://[::1]:8000",
        "https://xn--beispiel-65a.example:8443/",
        "http://localhost",
    ],
)
def test_a_base_is_a_scheme_and_a_host(base: str) -> None:
    assert load_settings({"LANDYARD_PUBLIC_BASE": base}).base == base.rstrip("/")


@pytest.mark.parametrize("port", ["0", "65536", "99999"])
def test_a_port_is_a_port(port: str) -> None:
    with pytest.raises(SettingsError, match="PORT"):
        load_settings({"LANDYARD_PORT": port})
