"""A small SMTP server that keeps the mail it accepts."""

import email
import socket
import threading
from email.message import Message
from email.policy import default
from typing import Any


class Server:
    """A small SMTP server. It accepts mail, or with `busy` refuses it for now."""

    def __init__(self) -> None:
        self.mails: list[tuple[list[str], Message]] = []
        self.busy = False
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port)):
            self._socket.close()
        self._thread.join(5)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, connection.makefile("rwb") as lines:
                self._talk(lines)

    def _talk(self, lines: Any) -> None:
        def say(text: str) -> None:
            lines.write(f"{text}\r\n".encode())
            lines.flush()

        texts: list[str] = []
        try:
            say("421 busy" if self.busy else "220 test")
            while line := lines.readline().decode().strip():
                texts.append(line)
                if line.upper() == "DATA":
                    say("354 go on")
                    parts = iter(lines.readline, b".\r\n")
                    raw = b"".join(part.removeprefix(b".") for part in parts)
                    self.mails.append((texts, email.message_from_bytes(raw, policy=default)))
                say("250 ok" if line.upper() != "QUIT" else "221 bye")
        except OSError:
            return
