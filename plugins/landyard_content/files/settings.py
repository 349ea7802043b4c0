"""The settings in section `[files]`: the store of the uploaded files, and who sends them."""

import importlib.util
from collections.abc import Iterator
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

from msgspec import Meta, Struct

from landyard import SettingsError

PARAMETERS = {
    "s3": (
        *("access_key_id", "disable_bulk_delete", "endpoint", "region", "secret_access_key"),
        *("session_token", "skip_signature", "virtual_hosted_style_request"),
    ),
    "gs": ("application_credentials", "base_url", "service_account", "service_account_key"),
    "az": ("account_key", "account_name", "client_id", "client_secret", "endpoint", "tenant_id"),
}
"""The parameters of a bucket's URL, by its scheme."""


class FileSettings(Struct, frozen=True):
    """`url`: the bucket of the files, such as `s3://bucket/prefix?endpoint=https://…&region=…`.

    It begins with `s3://`, `gs://` or `az://`; empty: the folder `files` of the data directory. A
    bucket needs the extra `bucket`. Credentials are parameters of the URL, or variables of the
    environment such as `AWS_SECRET_ACCESS_KEY`. `public_url`: the public address of the bucket, or
    of a CDN in front of it, to which visitors are redirected; empty: the service sends the files.
    `seconds`: the time after which the bucket is not asked again. `accel_redirect`: nginx's
    internal path of the folder `files`, so that nginx sends the files; empty where no nginx with
    access to the folder is in front.
    """

    url: str = ""
    public_url: Annotated[str, Meta(pattern=r"^(https?://[^\s?#]+)?$")] = ""
    seconds: Annotated[float, Meta(ge=0.1, le=50)] = 30.0
    accel_redirect: Annotated[str, Meta(pattern=r"^(/[A-Za-z0-9_.-]+)*$")] = ""

    def __post_init__(self) -> None:
        if wrong := [*_wrong_values(self)]:
            raise SettingsError(*wrong)


def _wrong_values(settings: FileSettings) -> Iterator[str]:
    if not settings.url:
        if settings.public_url:
            yield "files.public_url: only the files of a bucket have one; set files.url"
        return
    if settings.accel_redirect:
        yield "files.accel_redirect: nginx sends files of a folder; files.url is a bucket"
    try:
        parts = urlsplit(settings.url)
        sent = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        parts, sent = urlsplit(""), []
    if parts.scheme not in PARAMETERS or not parts.netloc or "@" in parts.netloc or parts.fragment:
        yield "files.url: must be like s3://bucket/prefix?endpoint=…, or with gs:// or az://"
        return
    for name, _ in sent:
        if name not in PARAMETERS[parts.scheme]:
            known = ", ".join(PARAMETERS[parts.scheme])
            yield f"files.url: there is no parameter {name}; there are {known}"
    if importlib.util.find_spec("obstore") is None:
        yield "files.url: for a bucket install landyard[bucket]"
