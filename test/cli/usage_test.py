#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The command line itself: help, version, and what is said of a wrong one."""
import subprocess
import unittest

from cli import BINARY, CliTest

COMMANDS = ["serve", "check", "explain", "simulate", "replay"]


class HelpTest(CliTest):
    def test_help_everywhere_has_examples_and_exit_codes(self):
        for command in [[], *([c] for c in COMMANDS)]:
            for flag in ("--help", "-h"):
                with self.subTest(command=command, flag=flag):
                    answer = self.weir(*command, flag)
                    self.assert_code(answer, 0)
                    self.assertEqual(answer.err, "")
                    self.assertIn("Examples:\n  weir", answer.out)
                    self.assertIn("Exit: 0 done, 1 the answer is no, 2 wrong usage.", answer.out)
                    self.assertIn("--format", answer.out)
                    self.assertLessEqual(max(map(len, answer.out.splitlines())), 110)

    def test_the_top_help_names_every_command(self):
        out = self.weir("--help").out
        for command in COMMANDS:
            self.assertRegex(out, rf"\n  {command} +\w")

    def test_version_everywhere(self):
        for command in [[], *([c] for c in COMMANDS)]:
            with self.subTest(command=command):
                self.assertRegex(self.weir(*command, "--version").out, r"^weir \d+\.\d+\.\d+\n$")
                answer = self.weir(*command, "--version", "--format", "json")
                self.assert_code(answer, 0)
                self.assertRegex(answer.json()["version"], r"^\d+\.\d+\.\d+$")


class WrongUsageTest(CliTest):
    def refused(self, *arguments) -> str:
        """What is said of a command line that is wrong: on stderr only, with code 2."""
        answer = self.weir(*arguments)
        self.assert_code(answer, 2)
        self.assertEqual(answer.out, "")
        self.assertRegex(answer.err, r"\nRun 'weir.* --help' for how it is used\.\n$")
        return answer.err

    def test_no_command(self):
        self.assertIn("serve, check, explain, simulate, replay", self.refused())

    def test_unknown_names_are_answered_by_the_nearest_known_one(self):
        self.assertIn("unknown command 'chek'; did you mean 'check'?", self.refused("chek", "a"))
        self.assertIn("unknown option '--formt'; did you mean '--format'?",
                      self.refused("check", "a.yaml", "--formt", "json"))
        self.assertIn("unknown option '--confg'; did you mean '--config'?",
                      self.refused("replay", "a.log", "--config", "c", "--confg=x"))
        self.assertIn("unknown option '--xyzzy'\n", self.refused("serve", "--xyzzy"))
        self.assertIn("unknown argument 'stray'", self.refused("simulate", "a", "stray"))

    def test_what_is_missing_is_named(self):
        self.assertIn("FILE", self.refused("check"))
        self.assertIn("--request", self.refused("explain", "a.yaml"))
        self.assertIn("--config", self.refused("replay", "a.log"))
        self.assertIn("LOG", self.refused("replay", "--config", "a.yaml"))
        self.assertIn("FILE", self.refused("simulate"))
        self.assertIn("--config", self.refused("serve", "--config"))

    def test_values_that_are_wrong_are_quoted_with_what_would_be_right(self):
        self.assertIn("text", self.refused("check", "a.yaml", "--format", "xml"))
        explain = ["explain", "a.yaml", "--request"]
        self.assertIn("'GET /v1/x'", self.refused(*explain, "/v1/x"))
        self.assertIn("'name: value'", self.refused(*explain, "GET /", "--header", "no colon"))
        self.assertIn("'name: value'", self.refused(*explain, "GET /", "--header", "b d: x"))
        self.assertIn("'198.18.0.1'", self.refused(*explain, "GET /", "--ip", "198.18.0"))
        self.assertIn("--peer", self.refused(*explain, "GET /", "--ip", "::1", "--peer", "::1"))
        self.assertIn("--cost", self.refused(*explain, "GET /", "--cost", "-1"))
        self.assertIn("--cost", self.refused(*explain, "GET /", "--cost", "1.5"))
        for size in ("much", "-1", "-1MiB", "1", "1.5GiB", "257GiB", "99999999999TiB", ""):
            for command in (["simulate", "a"], ["serve"]):
                self.assertIn("--memory", self.refused(*command, "--memory", size))
        for command in (["simulate", "a"], ["serve"]):
            for url in ("postgres://127.0.0.1", "redis://h:0", "redis://h/x", "Memory"):
                self.assertIn("--store", self.refused(*command, "--store", url))
        self.assertIn("allow", self.refused("serve", "--on-store-failure", "hope"))
        self.assertIn("--top", self.refused("replay", "a", "--config", "b", "--top", "-1"))

    def test_addresses_of_doors_are_checked_before_anything_is_opened(self):
        for address in ("127.0.0.1", "127.0.0.1:70000", "127.0.0.1:x", "unix:", ""):
            with self.subTest(address=address):
                self.assertIn("--http", self.refused("serve", "--http", address))

    def test_an_answer_that_cannot_be_written_is_a_failure(self):
        config = self.file("weir.yaml", "rules: [{name: all, limits: [10/s]}]\n")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "check", config], stdout=full, stderr=subprocess.PIPE,
                                  check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"could not be written", done.stderr)


if __name__ == "__main__":
    unittest.main()
