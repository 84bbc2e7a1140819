#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The same events on every store: what the key table says, Redis says, alone and as a cluster."""
import json
import os
import pathlib
import subprocess

import harness
from redis_servers import Cluster, Server

DATA = pathlib.Path(os.environ["WEIR_TEST_DATA"])
WAITS = ("retry_after", "reset_after", "delay")


def simulate(*arguments, stdin: str = "") -> list[dict]:
    done = subprocess.run([harness.BINARY, "simulate", *map(str, arguments)], input=stdin,
                          text=True, capture_output=True, timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(f"weir simulate {arguments}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def to_microseconds(line: dict) -> dict:
    """A wait rounded up: what a store tells that counts whole microseconds."""
    for name in WAITS:
        if line.get(name) is not None:
            line[name] = -(-line[name] // 1000) * 1000
    for hit in line.get("hits", []):
        to_microseconds(hit)
    return line


class VectorsTest(harness.WeirTest):
    def test_every_vector_on_microseconds_agrees(self):
        server = Server(self)
        files = sorted((DATA / "vectors" / "us").glob("*.jsonl"))
        self.assertEqual(len(files), 84)
        for file in files:
            with self.subTest(vector=file.name):
                expected = [json.loads(line) for line in file.read_text().splitlines()[1:]]
                given = simulate(file, "--store", server.url)
                self.assertEqual(len(given), len(expected))
                for line, want in zip(given, expected):
                    want.pop("force", None)
                    self.assertEqual(line, to_microseconds(want))


class ScenariosTest(harness.WeirTest):
    def test_every_scenario_is_answered_alike_by_every_store(self):
        one, cluster = Server(self), Cluster(self)
        for file in sorted((DATA / "scenarios").glob("*.jsonl")):
            config = file.with_suffix(".yaml")
            expected = [to_microseconds(line) for line in simulate("--config", config, file)]
            for url in (one.url, cluster.url):
                with self.subTest(scenario=file.name, store=url.split(":", 1)[0]):
                    given = simulate("--config", config, file, "--store", url)
                    self.assertEqual(given, expected)


class DriftTest(harness.WeirTest):
    """No unit is lost or gained, however long it goes on."""

    def test_b13_admissions_of_odd_rates_are_those_of_exact_arithmetic(self):
        server = Server(self)
        for count, period_us in ((3, 1_000_000), (7, 60_000_000), (3_000_000, 1_000_000)):
            limit = {"limit": count, "period_ns": period_us * 1000, "burst": 1,
                     "algorithm": "token_bucket"}
            # Asked at each microsecond at which a unit has come, and one before.
            times = []
            for unit in range(1, 10_001):
                due = -(-unit * period_us // count)
                times += [due - 1, due]
            lines = [json.dumps(limit), json.dumps({"t": 0, "key": "k"})]
            lines += [json.dumps({"t": t * 1000, "key": "k"}) for t in times]
            with self.subTest(rate=f"{count}/{period_us}us"):
                given = simulate("-", "--store", server.url, stdin="\n".join(lines) + "\n")
                expected = simulate("-", stdin="\n".join(lines) + "\n")
                self.assertEqual([line["allowed"] for line in given],
                                 [line["allowed"] for line in expected])


if __name__ == "__main__":
    harness.main()
