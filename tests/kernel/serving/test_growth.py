"""Growth: the methods that were called while the process grew, as a hint."""

from collections import Counter

from landyard.serving.growth import Growth

MEGABYTE = 1 << 20


def test_a_method_has_the_mean_growth_of_the_looks_with_a_call_of_it() -> None:
    called: Counter[str] = Counter()
    growth = Growth(called, 100 * MEGABYTE)
    called.update("aaaaab")
    growth.measure(140 * MEGABYTE, [])
    called.update("aaa")
    growth.measure(140 * MEGABYTE, [])
    called.update("c")
    growth.measure(145 * MEGABYTE, [])

    assert growth.most() == ["b: 40 MiB", "a: 20 MiB", "c: 5 MiB"]


def test_a_method_that_is_not_answered_yet_has_grown_too() -> None:
    growth = Growth(Counter(), 0)
    growth.measure(40 * MEGABYTE, ["a", "a"])

    assert growth.most() == ["a: 40 MiB"]


def test_what_grew_without_a_call_is_nobodys_and_five_are_named() -> None:
    called: Counter[str] = Counter()
    growth = Growth(called, 0)
    for number, method in enumerate("abcdef"):
        called.update(method)
        growth.measure((number + 1) ** 2 * MEGABYTE, [])
    growth.measure(100 * MEGABYTE, [])

    assert growth.most() == ["f: 11 MiB", "e: 9 MiB", "d: 7 MiB", "c: 5 MiB", "b: 3 MiB"]
