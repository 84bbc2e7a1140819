#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""CL.THROTTLE through the Redis clients of Node.js. They come from npm, as locked in node/."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import harness

HERE = pathlib.Path(__file__).resolve().parent / "node"
SCRATCH = pathlib.Path(os.environ.get("WEIR_SCRATCH", "/tmp/weir-node"))


def installed_modules() -> pathlib.Path:
    """The folder that has the clients; installs them if they are not there yet."""
    if not shutil.which("npm"):
        raise unittest.SkipTest("npm is not installed")
    lock = (HERE / "package-lock.json").read_bytes()
    done_mark = SCRATCH / "installed.json"
    if done_mark.exists() and done_mark.read_bytes() == lock:
        return SCRATCH
    SCRATCH.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, SCRATCH)
    done = subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"],
        cwd=SCRATCH, capture_output=True, text=True, timeout=90)
    if done.returncode != 0:
        raise unittest.SkipTest("npm cannot fetch the clients: " + done.stderr.strip()[:300])
    done_mark.write_bytes(lock)
    return SCRATCH


class NodeClientsTest(harness.WeirTest):
    def test_calls_and_pipelines(self):
        modules = installed_modules()
        weir = self.start_weir(config='listen: {resp: "127.0.0.1:0"}')
        done = subprocess.run(
            ["node", HERE / "clients.mjs", modules, weir.resp.host, str(weir.resp.port)],
            capture_output=True, text=True, timeout=harness.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = json.loads(done.stdout)
        for client in ("node-redis", "ioredis"):
            with self.subTest(client):
                answer = answers[client]
                self.assertEqual(answer["first"], [0, 16, 15, -1, 2])
                self.assertEqual(answer["second"], [0, 16, 14, -1, 4])
                self.assertEqual(answer["limited"], [0] * 5 + [1] * 5)
                self.assertIn("Usage: cl.throttle", answer["error"])


if __name__ == "__main__":
    harness.main()
