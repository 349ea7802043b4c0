"""The metrics text is read by the parser of Prometheus' own client library."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from landyard_metrics.families import FAMILIES, Key, bucket, text

SECONDS = "landyard_call_seconds"


def samples(told: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(told)
        for sample in family.samples
    }


def test_every_family_is_described_even_without_samples() -> None:
    families = {each.name: each for each in text_string_to_metric_families(text({}))}

    # The parser names a counter without its suffix.
    assert set(families) == {each.name.removesuffix("_total") for each in FAMILIES}
    assert [each.documentation for each in families.values()] == [each.text for each in FAMILIES]
    assert [each.type for each in families.values()] == [each.kind for each in FAMILIES]


def test_a_histogram_adds_its_buckets_up() -> None:
    call = ("blocks", "landing.block.getlist")
    counted: dict[Key, float] = {(f"{SECONDS}_sum", *call): 61.003}
    for seconds in (0.001, 0.002, 1.0, 60.0):
        key = bucket(SECONDS, call, seconds)
        counted[key] = counted.get(key, 0.0) + 1

    metrics = samples(text(counted))

    les = ("0.001", "0.0025", "0.5", "1.0", "30.0", "+Inf")
    assert [metrics[f"{SECONDS}_bucket", *call, le] for le in les] == [1, 2, 2, 3, 3, 4]
    assert metrics[f"{SECONDS}_count", *call] == 4
    assert metrics[f"{SECONDS}_sum", *call] == 61.003


@pytest.mark.parametrize("label", ['a"b', "a\\b", "a\nb", "\\n", "ü{},="])
def test_any_text_may_be_a_label(label: str) -> None:
    key = ("landyard_jobs_total", "landing", label)

    assert samples(text({key: 3.0}))[key] == 3


def test_a_sample_without_a_family_is_left_out() -> None:
    assert samples(text({("landyard_of_another_version_total",): 1.0})) == {}
