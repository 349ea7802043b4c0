"""Each slow test is in one of four quarters, and the quarters are about as large as each other."""

from collections import Counter
from pathlib import Path

from quarters import QUARTERS, quarter_of, seconds_of_files, shares

ROOT = Path(__file__).parents[2]


def test_quarters_have_about_as_many_files() -> None:
    files = [str(each.relative_to(ROOT)) for each in (ROOT / "tests").rglob("test_*.py")]

    sizes = Counter(quarter_of(each) for each in files)

    assert set(sizes) == set(range(QUARTERS))
    assert max(sizes.values()) < 1.5 * min(sizes.values())


def test_the_seconds_of_a_report_are_those_of_its_files(tmp_path: Path) -> None:
    report = tmp_path / "slow.xml"
    report.write_text(
        '<testsuites><testsuite><testcase classname="tests.contract.test_quarters" time="1.5"/>'
        '<testcase classname="tests.contract.test_quarters.TestOfAClass" time="2"/>'
        '<testcase classname="tests.contract.test_supply_chain" time="4"/></testsuite></testsuites>'
    )

    seconds = seconds_of_files(report)

    assert seconds == {
        "tests/contract/test_quarters.py": 3.5,
        "tests/contract/test_supply_chain.py": 4,
    }
    assert sum(shares(seconds, salt=0)) == 7.5
