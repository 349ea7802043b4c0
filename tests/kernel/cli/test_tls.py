"""HTTPS: the effect of the settings for certificate and key."""

from pathlib import Path

import pytest

from landyard import Settings, SettingsError, load_settings


def test_with_a_certificate_addresses_say_https() -> None:
    assert Settings(tls_certificate="x.pem").base == "https://127.0.0.1:8000"
    assert Settings().base == "http://127.0.0.1:8000"


@pytest.mark.parametrize("name", ["tls_certificate", "tls_key"])
def test_a_missing_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name}: there is no file"):
        load_settings({}, file=tmp_path / "none.toml", flags={name: str(tmp_path / "no.pem")})
