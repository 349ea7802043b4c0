"""Growth: a hint at the methods that were called while the process grew."""

from landyard.serving.growth import Growth

MEGABYTE = 1 << 20


def test_a_methods_growth_is_the_mean_over_the_intervals_with_its_calls() -> None:
    growth = Growth(100 * MEGABYTE)
    growth.measure(140 * MEGABYTE, "aaaaab")
    growth.measure(140 * MEGABYTE, "aaa")
    growth.measure(145 * MEGABYTE, "c")

    assert growth.most() == ["b: 40 MiB", "a: 20 MiB", "c: 5 MiB"]


def test_growth_without_a_call_is_nobodys_and_five_methods_are_named() -> None:
    growth = Growth(0)
    for number, method in enumerate("abcdef"):
        growth.measure((number + 1) ** 2 * MEGABYTE, [method])
    growth.measure(100 * MEGABYTE, [])

    assert growth.most() == ["f: 11 MiB", "e: 9 MiB", "d: 7 MiB", "c: 5 MiB", "b: 3 MiB"]
