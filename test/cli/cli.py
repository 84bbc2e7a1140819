# SPDX-License-Identifier: Apache-2.0
"""Runs the weir binary as a user does, for the tests beside this file."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ["WEIR_BINARY"]
DATA = pathlib.Path(os.environ["WEIR_TEST_DATA"])
SECOND = 10**9


class Answer:
    """What a run said and with which code it ended."""

    def __init__(self, done: subprocess.CompletedProcess):
        self.code = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()

    def json(self):
        return json.loads(self.out)

    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


class CliTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="weir-cli-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def weir(self, *arguments, stdin: str | bytes = b"", **environment: str) -> Answer:
        if isinstance(stdin, str):
            stdin = stdin.encode()
        command = [BINARY, *map(str, arguments)]
        done = subprocess.run(command, input=stdin, capture_output=True, cwd=self.folder,
                              timeout=120, check=False, env={**os.environ, **environment})
        return Answer(done)

    def file(self, name: str, content: str | bytes) -> pathlib.Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assert_code(self, answer: Answer, code: int):
        self.assertEqual(answer.code, code, f"out: {answer.out}\nerr: {answer.err}")
