#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counters that outlive the process: a stop, a crash, a damaged file."""
import harness
from harness import Weir

CONFIG = """
listen: {{http: "127.0.0.1:0"}}
state: {{file: {state}, every: {every}}}
limits:
  window: 1000/year fixed_window
  bucket: 1000/year
  log: 100/year sliding_log
"""
LIMITS = ("window", "bucket", "log")


class StateTest(harness.WeirTest):
    def start_over_state(self, every: str) -> Weir:
        state = self.folder / "weir.state"
        return self.start_weir(config=CONFIG.format(state=state, every=every))

    def spend(self, weir: Weir, cost: int) -> None:
        for limit in LIMITS:
            self.assertTrue(weir.check({"limit": limit, "key": ["k"], "cost": cost})[0]["allowed"])

    def used(self, weir: Weir) -> list[int]:
        results = weir.check(*({"limit": name, "key": ["k"], "verb": "peek"} for name in LIMITS))
        return [result["capacity"] - result["remaining"] for result in results]

    def test_a_stop_loses_nothing(self):
        weir = self.start_over_state("1h")
        self.spend(weir, 7)
        self.assertEqual(weir.stop(), 0)
        self.assertEqual(self.used(self.start_over_state("1h")), [7, 7, 7])

    def test_b113_a_crash_loses_the_last_interval_at_most_and_counts_nothing_twice(self):
        weir = self.start_over_state("100ms")
        self.spend(weir, 7)
        state = self.folder / "weir.state"
        # What was spent is in the second file from here on at the latest.
        for _ in range(2):
            old = mark(state)
            harness.wait_until(lambda old=old: mark(state) != old, "the state to be written")
        self.spend(weir, 2)
        weir.kill()
        weir = self.start_over_state("100ms")
        first = self.used(weir)
        self.assertTrue(all(used in (7, 9) for used in first), first)
        weir.kill()
        self.assertEqual(self.used(self.start_over_state("100ms")), first)

    def test_a_file_cut_off_or_altered_is_refused_reported_and_kept(self):
        self.spend(weir := self.start_over_state("1h"), 7)
        weir.stop()
        state = self.folder / "weir.state"
        whole = state.read_bytes()
        middle = len(whole) // 2
        altered = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:]
        for damaged in (whole[:middle], altered, b"", b"not a state file"):
            state.write_bytes(damaged)
            weir = self.start_over_state("1h")
            self.assertIn("weir.state", weir.log)
            self.assertEqual(self.used(weir), [0, 0, 0], "nothing is believed of a damaged file")
            weir.kill()

    def test_state_by_flag(self):
        flags = ("--http", "127.0.0.1:0", "--state", self.folder / "flag.state")
        item = {"rate": "1000/year", "key": ["k"], "cost": 7}
        weir = self.start_weir(*flags)
        self.assertTrue(weir.check(item)[0]["allowed"])
        weir.stop()
        [result] = self.start_weir(*flags).check(item)
        self.assertEqual(result["remaining"], 1000 - 14)


def mark(path) -> tuple:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return ()
    return stat.st_ino, stat.st_mtime_ns


if __name__ == "__main__":
    harness.main()
