"""The method `batch`: many calls in one request."""

from landyard import MethodGroup, hookimpl
from landyard_batch.batch import BatchSettings, batches

__all__: list[str] = []


@hookimpl
def register_methods() -> MethodGroup:
    return batches


@hookimpl
def register_settings() -> type[BatchSettings]:
    return BatchSettings
