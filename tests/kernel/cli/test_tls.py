"""HTTPS: the certificate that `serve --tls` makes, and files of one's own."""

import ssl
from pathlib import Path

import pytest

from landyard import Settings, SettingsError, load_settings
from landyard.cli.serving import own_certificate


def test_a_certificate_is_made_once_for_this_machine(tmp_path: Path) -> None:
    path = own_certificate(tmp_path / "data")
    made = Path(path).read_bytes()

    assert own_certificate(tmp_path / "data") == path
    assert Path(path).read_bytes() == made
    assert Path(path).stat().st_mode & 0o077 == 0
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path)  # which holds its key
    trusting = ssl.create_default_context(cafile=path)
    assert trusting.get_ca_certs()[0]["subjectAltName"][0] == ("DNS", "localhost")


def test_with_a_certificate_addresses_say_https() -> None:
    assert Settings(tls_certificate="x.pem").base == "https://127.0.0.1:8000"
    assert Settings().base == "http://127.0.0.1:8000"


@pytest.mark.parametrize("name", ["tls_certificate", "tls_key"])
def test_a_file_that_is_not_there_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name}: there is no file"):
        load_settings({}, file=tmp_path / "none.toml", flags={name: str(tmp_path / "no.pem")})
