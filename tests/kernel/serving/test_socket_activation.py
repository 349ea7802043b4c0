"""Socket activation: systemd, or a stand-in, listens before `serve` is started."""

import subprocess
import sys
from pathlib import Path

from kernel.processes import PATIENCE, command, environment, serving

# Listens at its port and becomes `serve`, which gets another port as an option.
ACTIVATE = f"""
import os, socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[-1])))
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
told = {{"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": sys.argv[1]}}
os.execve({command()[0]!r}, ["landyard", "serve", "--port", "1"], os.environ | told)
"""


def test_a_passed_socket_is_served(tmp_path: Path) -> None:
    with serving(tmp_path, program=[sys.executable, "-c", ACTIVATE, "1"]) as server:
        assert server.ask("GET", "/readyz")[0] == 200
        assert f"address=http://127.0.0.1:{server.port} " in server.err  # the option says port 1
        assert server.stop() == 0


def test_two_sockets_are_refused(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", ACTIVATE, "2", "0"],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )

    assert (ran.returncode, b"one socket" in ran.stderr) == (1, True)
