# SPDX-License-Identifier: Apache-2.0
"""Starts weir and its peers for tests: on free ports, in a folder of their own, ended by their ids.

Nothing here waits a fixed time: what is awaited is looked for until it is there, and a test fails
with what was logged where it does not come.
"""
import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARY = os.environ.get("WEIR_BINARY", "weir")
PATIENCE = 20.0  # seconds until what does not come counts as missing; under sanitizers all is slow


def wait_until(condition, what: str, patience: float = PATIENCE):
    """Returns the first truthy value of `condition()`."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience} s in vain for: {what}")
        time.sleep(0.02)


def free_port() -> int:
    """A port that was free a moment ago, for peers that cannot take port 0."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A program that runs beside the test. Its standard error is gathered as it comes."""

    def __init__(self, command: list, env: dict | None = None):
        self.command = [str(word) for word in command]
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    @property
    def log(self) -> str:
        return "\n".join(self.lines)

    def wait_for_line(self, pattern: str, patience: float = PATIENCE) -> re.Match:
        def found():
            for line in list(self.lines):
                if match := re.search(pattern, line):
                    return match
            if self.process.poll() is not None and not self._reader.is_alive():
                raise AssertionError(f"{self.command} ended, {pattern!r} unsaid:\n{self.log}")
            return None

        try:
            return wait_until(found, f"a line like {pattern!r}", patience)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.log}") from None

    def send_signal(self, number: int) -> None:
        self.process.send_signal(number)

    def wait(self, patience: float = PATIENCE) -> int:
        code = self.process.wait(patience)
        self._reader.join(patience)
        self.process.stderr.close()
        return code

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ends the process and returns its exit code."""
        if self.process.poll() is None:
            self.send_signal(number)
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.wait()
            raise AssertionError(f"{self.command} did not stop:\n{self.log}") from None

    def kill(self) -> None:
        """As a crash does it: no goodbye."""
        self.process.kill()
        self.wait()


@dataclasses.dataclass(frozen=True)
class Address:
    """Where a door listens."""
    host: str = ""
    port: int = 0
    path: str = ""

    @staticmethod
    def parse(text: str) -> "Address":
        if text.startswith("unix:"):
            return Address(path=text.removeprefix("unix:"))
        host, _, port = text.rpartition(":")
        return Address(host.strip("[]"), int(port))

    def connect(self) -> socket.socket:
        if not self.path:
            return socket.create_connection((self.host, self.port), PATIENCE)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE)
        connection.connect(self.path)
        return connection

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"


class HttpConnection(http.client.HTTPConnection):
    """http.client over any address."""

    def __init__(self, address: Address):
        super().__init__(address.host or "localhost", address.port or None, timeout=PATIENCE)
        self.address = address

    def connect(self) -> None:
        self.sock = self.address.connect()


@dataclasses.dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


def http_request(address: Address, method: str, target: str, headers: dict | None = None,
                 body: bytes | str | None = None) -> Answer:
    with contextlib.closing(HttpConnection(address)) as connection:
        connection.request(method, target, body, headers or {})
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())


class Weir(Process):
    """`weir serve`, with a configuration file if one is named."""

    def __init__(self, *flags, config: pathlib.Path | None = None, env: dict | None = None):
        arguments = ["--config", config] if config else []
        super().__init__([BINARY, "serve", *arguments, *flags], env)
        try:
            self.wait_for_line(r"^weir: ready")
        except AssertionError:
            self.kill()
            raise
        self.doors: dict[str, list[Address]] = {}
        for line in list(self.lines):
            if match := re.match(r"weir: (\w+) listening on (\S+)", line):
                self.doors.setdefault(match[1], []).append(Address.parse(match[2]))

    @property
    def http(self) -> Address:
        return self.doors["http"][0]

    @property
    def resp(self) -> Address:
        return self.doors["resp"][0]

    @property
    def admin(self) -> Address:
        return self.doors["admin"][0]

    def check(self, *requests: dict) -> list[dict]:
        """The results of POST /v1/check."""
        answer = http_request(self.http, "POST", "/v1/check",
                              {"Content-Type": "application/json"},
                              json.dumps({"requests": requests}))
        if answer.status != 200:
            raise AssertionError(f"{answer.status}: {answer.body!r}")
        return answer.json["results"]

    def auth(self, headers: dict | None = None) -> Answer:
        return http_request(self.http, "GET", "/v1/auth", headers)


class WeirTest(unittest.TestCase):
    """A test with a folder of its own. What it starts is ended with it, and must end well."""

    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name: str, text: str) -> pathlib.Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def start_weir(self, *flags, config: str | pathlib.Path | None = None,
                   env: dict | None = None) -> Weir:
        if isinstance(config, str):
            config = self.write("weir.yaml", config)
        weir = Weir(*flags, config=config, env=env)
        self.addCleanup(self._end_weir, weir)
        return weir

    def _end_weir(self, weir: Weir) -> None:
        if weir.process.returncode is None:
            self.assertEqual(weir.stop(), 0, weir.log)

    def start(self, command: list, env: dict | None = None) -> Process:
        process = Process(command, env)
        self.addCleanup(process.stop)
        return process


SKIPPED = 77  # what ctest knows as "skipped"


def main() -> None:
    """Runs the tests of the calling file. Ends with 77 where nothing failed but something that a
    test needs is not here, and says what."""
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    for test, reason in result.skipped:
        print(f"skipped {test}: {reason}", file=sys.stderr)
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if result.skipped else 0)
