#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A configuration that changes while it is in force, by every way in which files are replaced."""
import os
import pathlib
import signal

import harness
from harness import Weir


def config_of(count: int) -> str:
    return f'listen: {{http: "127.0.0.1:0"}}\nlimits: {{api: {count}/h fixed_window}}\n'


class ReloadTest(harness.WeirTest):
    """The capacity that the limit `api` tells is the file that is in force."""

    def in_force(self, weir: Weir) -> int:
        [result] = weir.check({"limit": "api", "key": ["observer"], "verb": "peek"})
        return result["capacity"]

    def expect_in_force(self, weir: Weir, count: int) -> None:
        harness.wait_until(lambda: self.in_force(weir) == count, f"{count}/h to be in force")

    def test_b102_edited_in_place(self):
        path = self.write("weir.yaml", config_of(10))
        weir = self.start_weir(config=path)
        path.write_text(config_of(11))
        self.expect_in_force(weir, 11)
        path.write_text(config_of(12))
        self.expect_in_force(weir, 12)

    def test_b102_renamed_over(self):
        path = self.write("weir.yaml", config_of(10))
        weir = self.start_weir(config=path)
        os.replace(self.write("weir.yaml.new", config_of(11)), path)
        self.expect_in_force(weir, 11)

    def test_b102_symlink_swapped_as_kubernetes_does(self):
        for version in (1, 2):
            (self.folder / f"..2024_{version}").mkdir()
            self.write(f"..2024_{version}/weir.yaml", config_of(10 * version))
        (self.folder / "..data").symlink_to("..2024_1")
        path = self.folder / "weir.yaml"
        path.symlink_to("..data/weir.yaml")
        weir = self.start_weir(config=path)
        self.assertEqual(self.in_force(weir), 10)

        (self.folder / "..data_tmp").symlink_to("..2024_2")
        os.replace(self.folder / "..data_tmp", self.folder / "..data")
        self.expect_in_force(weir, 20)

    def test_the_file_of_plans_is_part_of_the_configuration(self):
        plans = self.write("plans.csv", "key-1,free\n")
        weir = self.start_weir(config=self.write("weir.yaml", """
listen: {http: "127.0.0.1:0"}
plans: {by: {key: "header:x-api-key", file: plans.csv}, default: free}
rules:
  - {name: api, key: "header:x-api-key | ip", limits: {free: [10/h], pro: [20/h]}}
"""))

        def capacity():
            [result] = weir.check({"verb": "peek", "request": {
                "method": "GET", "path": "/", "headers": {"x-api-key": "key-1"},
                "ip": "198.18.0.1"}})
            return result["capacity"]

        self.assertEqual(capacity(), 10)
        plans.write_text("key-1,pro\n")
        harness.wait_until(lambda: capacity() == 20, "the new plan to be in force")

    def test_b102_deleted_keeps_the_old_and_says_so_then_recreated(self):
        path = self.write("weir.yaml", config_of(10))
        weir = self.start_weir(config=path)
        path.unlink()
        weir.wait_for_line(r"weir\.yaml")
        self.assertEqual(self.in_force(weir), 10)
        path.write_text(config_of(11))
        self.expect_in_force(weir, 11)

    def test_hangup_reads_the_file_again(self):
        path = self.write("weir.yaml", config_of(10))
        weir = self.start_weir(config=path)
        before = path.stat()
        path.write_text(config_of(11))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        weir.send_signal(signal.SIGHUP)
        self.expect_in_force(weir, 11)

    def test_b98_a_broken_file_is_reported_and_leaves_the_old_in_force(self):
        path = self.write("weir.yaml", config_of(10))
        weir = self.start_weir(config=path)
        path.write_text("limits: {api: 10/sec}\n")
        weir.wait_for_line(r"weir\.yaml:1:\d+: .*unknown unit 'sec'")
        self.assertEqual(self.in_force(weir), 10)
        path.write_text(config_of(11))
        self.expect_in_force(weir, 11)

    def test_b07_counters_go_on_where_names_stay(self):
        path = self.write("weir.yaml", config_of(5))
        weir = self.start_weir(config=path)
        item = {"limit": "api", "key": ["user"]}
        for _ in range(5):
            self.assertTrue(weir.check(item)[0]["allowed"])
        path.write_text(config_of(10))
        self.expect_in_force(weir, 10)
        self.assertEqual([weir.check(item)[0]["remaining"] for _ in range(3)], [4, 3, 2])
        weir.send_signal(signal.SIGHUP)  # the same file once more: nothing starts afresh
        path.write_text(config_of(6))
        self.expect_in_force(weir, 6)
        refused = weir.check(item)[0]
        self.assertEqual((refused["allowed"], refused["remaining"]), (False, 0))

    def test_b103_many_reloads_each_answer_from_one_whole_file(self):
        path = self.write("weir.yaml", self._pair(10))
        weir = self.start_weir(config=path)
        for round_number in range(100):
            replace(path, self._pair(10 + round_number % 2))
            weir.send_signal(signal.SIGHUP)
            left, right = weir.check({"limit": "left", "key": ["k"], "verb": "peek"},
                                     {"limit": "right", "key": ["k"], "verb": "peek"})
            self.assertEqual(left["capacity"], right["capacity"])
            self.assertIn(left["capacity"], (10, 11))

    @staticmethod
    def _pair(count: int) -> str:
        return (f'listen: {{http: "127.0.0.1:0"}}\n'
                f"limits: {{left: {count}/h, right: {count}/h}}\n")


def replace(path: pathlib.Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    os.replace(fresh, path)


if __name__ == "__main__":
    harness.main()
