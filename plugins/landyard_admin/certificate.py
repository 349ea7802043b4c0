"""The command `certificate`: makes a certificate for HTTPS on localhost, for trying clients."""

import subprocess
from pathlib import Path

import click

from landyard import Console

_MAKE = "req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 800 -subj /CN=localhost"
_NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"


@click.command()
@click.pass_obj
def certificate(console: Console) -> None:
    """Print the path of a certificate for localhost.

    The certificate is made on the first run, and is valid for localhost only.

    Serve HTTPS: file=$(landyard certificate) && LANDYARD_TLS_CERTIFICATE=$file landyard serve
    """
    console.say(str(make_certificate(console.settings().data.absolute())))


def make_certificate(data: Path) -> Path:
    """Return the data directory's certificate with its key; it is made once, with openssl."""
    path, new = data / "tls.pem", data / "tls.new"
    if not path.exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        make = ["openssl", *_MAKE.split(), "-addext", _NAMES, "-keyout", f"{new}", "-out", f"{new}"]
        try:
            subprocess.run(make, capture_output=True, check=True)  # noqa: S603 - constant words
        except (OSError, subprocess.CalledProcessError) as error:
            message = "openssl makes no certificate: name one, tls_certificate"
            raise click.ClickException(message) from error
        new.replace(path)
    return path
