"""Uploads of pictures: `landing.block.uploadfile`, and the decoding of pictures in processes."""

from collections.abc import Iterable
from datetime import timedelta

from msgspec import Struct

from landyard import Host, Job, MethodGroup, hookimpl
from landyard_landing import remove_temporary
from landyard_uploads.decode.exchange import Varied
from landyard_uploads.errors import FileError
from landyard_uploads.names import stored_name
from landyard_uploads.recognition import picture_kind
from landyard_uploads.settings import UploadSettings
from landyard_uploads.uploadfile import uploads
from landyard_uploads.variants import vary

__all__ = ["FileError", "Varied", "picture_kind", "stored_name", "vary"]

requires = ("landing", "outgoing")


@hookimpl
def register_methods() -> MethodGroup:
    return uploads


@hookimpl
def register_settings() -> type[Struct]:
    return UploadSettings


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("uploads.temporary", timedelta(hours=1), _remove_temporary)]


def _remove_temporary(host: Host) -> None:
    remove_temporary(host, timedelta(hours=host.section(UploadSettings).temp_hours))
