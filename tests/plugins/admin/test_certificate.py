"""The command `certificate` makes a certificate for HTTPS on this machine, to try clients with."""

import ssl
from pathlib import Path

import pytest
from kernel.commands import Run, done, failure


def test_a_certificate_is_made_once_for_this_machine(landyard: Run) -> None:
    output = done(landyard("certificate")).strip()
    path = Path(output)
    made = path.read_bytes()

    assert done(landyard("certificate")).strip() == output
    assert path.read_bytes() == made
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path)  # the file also holds the key
    trusting = ssl.create_default_context(cafile=path)
    assert trusting.get_ca_certs()[0]["subjectAltName"][0] == ("DNS", "localhost")


@pytest.mark.parametrize("script", ["", "#!/bin/sh\nexit 1\n"], ids=["none", "one that fails"])
def test_without_openssl_the_command_names_the_settings_to_use(
    landyard: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    if script:
        (tmp_path / "openssl").write_text(script)
        (tmp_path / "openssl").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert "name one, tls_certificate" in failure(landyard("certificate"))
