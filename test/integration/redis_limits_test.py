#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""weir limits: single counters of a shared store, read and mended beside a running server."""
import json
import subprocess

import harness
from redis_servers import Server

CONFIG = """
listen: {{http: "127.0.0.1:0"}}
store: {{url: "{url}", secret: s}}
on_store_failure: deny
limits:
  bucket: 100/year
  window: 100/day fixed_window
  log: 100/year sliding_log
  counter: 100/year sliding_counter
  queue: 100/year burst 99 leaky_queue
rules:
  - {{name: several, key: "header:x-user", missing: skip, limits: [10/year, 20/day fixed_window],
     on_store_failure: deny}}
  - {{name: mine, match: {{path: /mine}}, limits: [5/year], store: memory}}
"""
NAMES = ("bucket", "window", "log", "counter", "queue")


class LimitsTest(harness.WeirTest):
    def setUp(self):
        super().setUp()
        self.server = Server(self)
        self.config = self.write("weir.yaml", CONFIG.format(url=self.server.url))
        self.weir = self.start_weir(config=self.config)
        harness.wait_until(
            lambda: self.weir.check({"limit": "bucket", "key": ["first"]})[0]["allowed"],
            "the store to answer")

    def limits(self, action: str, *arguments: str, code: int = 0) -> list[dict]:
        done = subprocess.run([harness.BINARY, "limits", action, self.config, *arguments,
                               "--format", "json"], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.said = done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def spend(self, name: str, cost: int) -> None:
        [answer] = self.weir.check({"limit": name, "key": ["user-1"], "cost": cost})
        self.assertTrue(answer["allowed"], answer)

    def test_b91_every_kind_is_read_set_and_reset(self):
        for name in NAMES:
            with self.subTest(limit=name):
                chosen = ("--limit", name, "--key", "user-1")
                self.spend(name, 7)
                [told] = self.limits("get", *chosen)
                self.assertEqual((told["limit"], told["capacity"] - told["remaining"]),
                                 (name, 7 - (1 if name == "queue" else 0)))
                self.assertEqual(self.limits("set", *chosen, "--used", "40")[0]["remaining"],
                                 60)
                self.assertEqual(self.weir.check(
                    {"limit": name, "key": ["user-1"], "verb": "peek"})[0]["remaining"], 60)
                [told] = self.limits("reset", *chosen)
                self.assertEqual(told["remaining"], 100)
                self.assertEqual(self.weir.check(
                    {"limit": name, "key": ["user-1"], "verb": "peek"})[0]["remaining"], 100)

    def test_a_refused_key_is_let_in_after_a_reset(self):
        chosen = ("--limit", "bucket", "--key", "user-1")
        self.spend("bucket", 100)
        ask = {"limit": "bucket", "key": ["user-1"]}
        self.assertFalse(self.weir.check(ask)[0]["allowed"])
        self.limits("reset", *chosen)
        # Elsewhere a refusal may be known for a second.
        harness.wait_until(lambda: self.weir.check(ask)[0]["allowed"], "the reset to be seen")

    def test_the_limits_of_a_request_and_where_they_stand(self):
        request = ("--request", "GET /x", "--header", "x-user: a")
        self.limits("set", *request, "--used", "4")
        told = self.limits("get", *request)
        self.assertEqual([(line["rule"], line["remaining"]) for line in told],
                         [("several", 6), ("several", 16)])
        keys = [key for key in self.server.client().keys("w:*") if len(key) == 14]
        self.assertTrue(any(told[0]["key"] == quoted(key) for key in keys), (told, keys))

    def test_an_unknown_key_is_full_and_leaves_nothing_behind(self):
        before = self.server.client().dbsize()
        [told] = self.limits("reset", "--limit", "log", "--key", "nobody")
        self.assertEqual(told["remaining"], 100)
        self.assertEqual(self.server.client().dbsize(), before)

    def test_what_cannot_be_done_says_why(self):
        self.limits("get", "--limit", "other", "--key", "a", code=1)
        self.assertIn("no limit is named 'other'", self.said)
        self.limits("get", "--request", "GET /mine", code=1)
        self.assertIn("memory of each instance", self.said)
        self.server.kill()
        self.limits("get", "--limit", "log", "--key", "a", code=1)
        self.assertIn("does not answer", self.said)


def quoted(key: bytes) -> str:
    """As redis-cli writes it."""
    def shown(byte: int) -> str:
        if byte in b'"\\':
            return "\\" + chr(byte)
        return chr(byte) if 0x20 <= byte < 0x7f else f"\\x{byte:02x}"
    return '"' + "".join(map(shown, key)) + '"'


if __name__ == "__main__":
    harness.main()
