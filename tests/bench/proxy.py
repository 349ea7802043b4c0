"""nginx: the page as a static file, and Landyard behind the nginx file of `docs/deploy`."""

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
from bench import answers, servers
from bench.contest import Bench, measure
from bench.figures import Figure, against_peers, figure
from bench.scenarios import PAGE_VIEW, UPDATE
from bench.sending import post, send_all
from bench.world import PAGE, PAGE_PATH
from kernel.processes import free_port

BEHIND_BAR, FRESH_BAR = 0.75, 1.0
SHIPPED = servers.TESTS.parent / "docs" / "deploy" / "nginx.conf"
_WHOLE = """
daemon off; master_process off; worker_processes 1; pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    include /etc/nginx/mime.types;
    keepalive_requests 1000000000;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/a; uwsgi_temp_path {folder}/b; scgi_temp_path {folder}/c;
    {inside}
}}
"""
_FILES = """
    access_log off; sendfile on; tcp_nopush on; open_file_cache max=100;
    server {{ listen 127.0.0.1:{port}; root {root}; }}
"""


def proxy(bench: Bench) -> list[Figure]:
    """Measure the page against nginx; nothing where nginx is not installed."""
    if shutil.which("nginx") is None:
        return []
    with ExitStack() as stack:
        ours, supervisor = stack.enter_context(
            servers.serving(bench.cores, bench.folder, bench.env, PAGE_PATH)
        )
        root = bench.folder / "nginx-root"
        (root / PAGE_PATH.strip("/")).mkdir(parents=True)
        connection = answers.connect(ours)
        page = answers.ask(connection, PAGE_VIEW)
        connection.close()
        (root / PAGE_PATH.strip("/") / "index.html").write_bytes(page)
        port = free_port()
        files = _FILES.format(port=port, root=root)
        still = stack.enter_context(_nginx(bench, "files", files, port))
        front = free_port()
        shipped = _shipped(bench.folder, ours, front)
        before = stack.enter_context(_nginx(bench, "front", shipped, front))
        alone = msgspec.structs.replace(PAGE_VIEW, bars={"nginx": PAGE_VIEW.bars["nginx"]})
        behind = msgspec.structs.replace(
            alone, name="behind", title="public page behind nginx", bars={"nginx": BEHIND_BAR}
        )
        of_ours, of_front = ({"landyard": each, "nginx": still} for each in (supervisor, before))
        rows = [
            measure(bench, {"landyard": ours, "nginx": port}, alone, of_ours),
            measure(bench, {"landyard": front, "nginx": port}, behind, of_front),
        ]
        fresh = [_fresh(ours, front, number) for number in range(bench.rounds)]
    what = "a change seen behind nginx"
    return [
        *(each for row in rows for each in against_peers(row)),
        figure("fresh", what, fresh, "s", FRESH_BAR, at_most=True),
    ]


def _fresh(ours: int, front: int, number: int) -> float:
    """Change the page's title, and return the seconds until the proxy shows it."""
    title = f"Fresh {number} {time.time_ns()}"
    # Otherwise each change would come just after the second in which the one before was shown.
    time.sleep(0.3 * (number % 4))
    send_all(ours, [post(UPDATE.path, {"lid": PAGE, "fields": {"TITLE": title}})])
    began = time.perf_counter()
    connection = answers.connect(front)
    while title.encode() not in answers.ask(connection, PAGE_VIEW):
        answers.require(time.perf_counter() - began < 30, "nginx: the page stays old")
        time.sleep(0.01)
    connection.close()
    return time.perf_counter() - began


def _shipped(folder: Path, service: int, port: int) -> str:
    """Read the file for operators, without TLS and with the paths of this run."""
    text = SHIPPED.read_text()
    text = re.sub(r"server \{[^{}]*return 301[^{}]*\}", "", text)
    text = re.sub(r"^\s*(ssl_|server_name|listen \[).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"listen 443[^;]*;", f"listen 127.0.0.1:{port};", text)
    text = re.sub(r"server 127\.0\.0\.1:\d+", f"server 127.0.0.1:{service}", text)
    return re.sub(r"/var/(?:log|cache)/nginx", str(folder), text)


@contextmanager
def _nginx(bench: Bench, name: str, inside: str, port: int) -> Iterator[int]:
    folder = bench.folder / f"nginx-{name}"
    folder.mkdir()
    written = folder / "nginx.conf"
    written.write_text(_WHOLE.format(folder=folder, inside=inside))
    command = [*bench.cores.server, "nginx", "-c", str(written)]
    with servers.process(command, folder, bench.env) as running:
        servers.await_answer(port, PAGE_PATH, running)
        yield running.pid
