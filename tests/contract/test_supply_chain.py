"""The supply chain: installed libraries are pinned by hash, listed in an SBOM, and audited."""

import http.server
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from pathlib import Path
from typing import Any, Self

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LOCKS = ["requirements.lock", "requirements-test.lock", "requirements-dev.lock"]
PINNED = re.compile(
    r"([a-z0-9-]+)==(\S+)( ; [^\\\n]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
)
BIN = Path(sys.executable).parent
# The tools of the running environment, which `make` would otherwise install first.
MAKE = ["make", "--silent", "--old-file=.venv/dev", f"BIN={BIN}"]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_contains_only_versions_and_hashes(lock: str) -> None:
    text = (ROOT / lock).read_text()

    assert PINNED.sub("", text) == ""
    assert len(PINNED.findall(text)) > 10


def test_every_requirement_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    extras = project["project"]["optional-dependencies"]
    runs = [*project["project"]["dependencies"], *extras["oauth"]]
    runs += [*extras["postgres"], *groups["build"]]

    assert missing(runs, "requirements.lock") == []
    assert missing(groups["test"], "requirements-test.lock") == []
    develops = itertools.chain(runs, *groups.values(), *extras.values())
    assert missing([*develops], "requirements-dev.lock") == []


@pytest.mark.parametrize("lock", LOCKS)
def test_what_runs_and_what_tests_is_the_same_for_developers(lock: str) -> None:
    pins, develops = locked(lock), locked("requirements-dev.lock")

    assert {name: develops.get(name) for name in pins} == pins


def test_locks_are_installed_with_their_hashes_checked() -> None:
    makefile = (ROOT / "Makefile").read_text()
    installs = [line for line in makefile.splitlines() if re.search(r"\$\(PIP\)|pip install", line)]
    checked = r"^PIP :=|--require-hashes -r |--no-deps --no-build-isolation|\$\(PINNED\)"
    # The environments at the ends of the ranges are for tests alone, and no lock can name them.
    installs = [line for line in installs if ".venv/$*" not in line]

    assert re.search(r"^PINNED = --no-deps --require-hashes ", makefile, re.MULTILINE)
    assert len(installs) == 6
    for line in installs:
        assert re.search(checked, line), line
    assert not re.search(r"\bpip\b", (ROOT / ".ci" / "run").read_text())


@pytest.mark.soak
def test_the_sbom_lists_what_is_locked_with_its_hashes(tmp_path: Path) -> None:
    # the tool itself validates the SBOM against its schema
    make("sbom", f"SBOM={tmp_path}/sbom.json")

    sbom = json.loads((tmp_path / "sbom.json").read_bytes())
    assert (sbom["bomFormat"], sbom["metadata"]["component"]["name"]) == ("CycloneDX", "landyard")
    # No date or random id, so that two SBOMs can be compared.
    assert "serialNumber" not in sbom
    assert "timestamp" not in sbom["metadata"]
    assert {each["name"]: listed(each) for each in sbom["components"]} == locked(
        "requirements.lock"
    )


@pytest.mark.soak
def test_an_audit_looks_up_every_locked_library(tmp_path: Path) -> None:
    with Advisories(vulnerable="pillow") as advisories:
        done = make(
            "audit", f"ARGS={advisories.asked_here}", check=False, XDG_CACHE_HOME=str(tmp_path)
        )

    pins = {name: version for name, (version, _) in locked("requirements.lock").items()}
    assert advisories.asked == pins
    assert done.returncode != 0
    assert re.search(rf"^pillow +{re.escape(pins['pillow'])} +TEST-1", done.stdout, re.MULTILINE)


@pytest.mark.soak
def test_an_audit_that_finds_nothing_succeeds(tmp_path: Path) -> None:
    with Advisories() as advisories:
        make("audit", f"ARGS={advisories.asked_here}", XDG_CACHE_HOME=str(tmp_path))

    assert advisories.asked


def test_an_audit_fails_for_a_library_unknown_to_the_index() -> None:
    # The audit tool would otherwise skip a library that the index does not know, and succeed.
    recipe = (ROOT / "Makefile").read_text().partition("\naudit:")[2].partition("\n\n")[0]

    assert {"--strict", "--require-hashes", "--disable-pip"} <= set(recipe.split())


@pytest.mark.soak
def test_an_audit_without_a_connection_fails(tmp_path: Path) -> None:
    # An address where no server listens, as on a machine without a network.
    nowhere = dict.fromkeys(("HTTPS_PROXY", "https_proxy"), "http://127.0.0.1:9")
    caches = {"XDG_CACHE_HOME": str(tmp_path), "PIP_CACHE_DIR": str(tmp_path)}

    done = make("audit", check=False, **nowhere, **caches)

    assert done.returncode != 0
    assert "Not clean" in done.stdout


class Advisories:
    """A local advisory service with the protocol of OSV; it knows at most one advisory."""

    def __init__(self, vulnerable: str = "") -> None:
        self.asked = asked = dict[str, str]()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
                name = sent["package"]["name"]
                asked[name] = sent["version"]
                affected = [{"package": {"name": name, "ecosystem": "PyPI"}}]
                known = {"vulns": [{"id": "TEST-1", "affected": affected}]}
                body = json.dumps(known if name == vulnerable else {}).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        address = f"http://127.0.0.1:{self._server.server_port}/v1/query"
        self.asked_here = f"--vulnerability-service osv --osv-url {address}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def make(*words: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    return subprocess.run(
        [*MAKE, *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=check,
    )


def locked(lock: str) -> dict[str, tuple[str, set[str]]]:
    """Return the version and the hashes of each library in a lock."""
    found = PINNED.findall((ROOT / lock).read_text())
    return {
        name: (version, set(re.findall("[0-9a-f]{64}", tail))) for name, version, _, tail in found
    }


def listed(component: dict[str, Any]) -> tuple[str, set[str]]:
    (source,) = component["externalReferences"]
    assert source["url"] == f"pkg:pypi/{component['name']}/"
    return component["version"], {each["content"] for each in source["hashes"]}


def missing(names: list[str], lock: str) -> list[str]:
    """Name the requirements that are not locked, or locked in an unwanted version."""
    pins = locked(lock)
    requirements = [Requirement(each) for each in names]
    return [
        str(each)
        for each in requirements
        if each.name not in pins or not each.specifier.contains(pins[each.name][0])
    ]
