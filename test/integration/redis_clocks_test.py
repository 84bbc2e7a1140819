#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Instances whose clocks are a minute apart, on one Redis: they decide at its time."""
import glob
import time

import harness
from harness import Weir
from redis_servers import Server

RATE = 20   # units a second
BURST = 10
CONFIG = """
listen: {{http: "127.0.0.1:0"}}
loops: 1
store: {{url: "{url}", timeout: 1s}}
on_store_failure: deny
limits:
  bucket: {rate}/s burst {burst}
  window: 1000/day fixed_window
"""


def shifted(seconds: int) -> dict:
    """The environment of a process whose wall clock is wrong by so much."""
    [library] = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    return {"LD_PRELOAD": library, "FAKETIME": f"{seconds:+d}s", "FAKETIME_DONT_RESET": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


class ClocksTest(harness.WeirTest):
    def start_shifted(self, server: Server, seconds: int) -> Weir:
        config = self.write("weir.yaml", CONFIG.format(url=server.url, rate=RATE, burst=BURST))
        weir = self.start_weir(config=config, env=shifted(seconds))
        harness.wait_until(
            lambda: weir.check({"limit": "window", "key": ["first"]})[0]["allowed"],
            "the store to answer")
        return weir

    def test_b36_skewed_instances_share_one_time(self):
        server = Server(self)
        early, late = self.start_shifted(server, -30), self.start_shifted(server, 30)
        admitted = [0, 0]
        begun = time.monotonic()
        asked = 0
        while (now := time.monotonic() - begun) < 3.0:
            turn = asked % 2
            asked += 1
            answer = (early, late)[turn].check({"limit": "bucket", "key": ["k"]})[0]
            admitted[turn] += answer["allowed"]
            time.sleep(0.005)
        # Neither minted nor burnt: the burst, and what has come since.
        self.assertAlmostEqual(sum(admitted), BURST + RATE * now, delta=2)
        self.assertGreater(min(admitted), 2, "neither is held to be in the future or the past")

    def test_b36_skewed_instances_know_one_window(self):
        server = Server(self)
        early, late = self.start_shifted(server, -30), self.start_shifted(server, 30)
        lefts = [weir.check({"limit": "window", "key": ["k"]})[0]
                 for weir in (early, late, early, late)]
        self.assertEqual([answer["remaining"] for answer in lefts], [999, 998, 997, 996])
        resets = [answer["reset_after_ns"] for answer in lefts]
        self.assertLess(max(resets) - min(resets), 10**9)


if __name__ == "__main__":
    harness.main()
