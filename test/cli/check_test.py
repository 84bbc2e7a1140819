#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""weir check and weir explain: what a configuration says, and what is wrong with it."""
import unittest

from cli import DATA, CliTest

GOOD = """
clients: {trusted_proxies: [10.0.0.0/8]}
limits:
  login: {rate: 5/15min, algorithm: sliding_log}
rules:
  - {name: health, match: {path: /healthz}, exempt: true}
  - {name: login, match: {method: POST, path: /login}, key: ip, limits: [login]}
  - name: api
    match: {path: /v1/**}
    key: "header:x-api-key | ip"
    cost: [{method: GET, cost: 1}, {cost: 3}]
    limits: [10/s burst 50, 5000/day]
  - {name: everyone, limits: [2000/s], shadow: true}
"""


class CheckTest(CliTest):
    def test_a_good_file_is_counted(self):
        answer = self.weir("check", self.file("good.yaml", GOOD))
        self.assert_code(answer, 0)
        self.assertRegex(answer.out, r"good\.yaml: ok: 4 rules, \d limits\n$")
        self.assertEqual(answer.err, "")

    def test_every_good_configuration_of_the_tests_is_good(self):
        files = sorted((DATA / "config/good").glob("*.yaml"))
        self.assertTrue(files)
        answer = self.weir("check", *files)
        self.assert_code(answer, 0)
        self.assertEqual(answer.out.count(": ok: "), len(files))

    def test_all_errors_of_all_files_are_told_with_their_places(self):
        self.file("a.yaml", "rules:\n  - {name: r, limits: [10/sec, 5/2.5s]}\n")
        self.file("b.yaml", "rules:\n  - {name: r, limits: [1/s], nmae: x}\n")
        self.file("c.yaml", GOOD)
        answer = self.weir("check", "a.yaml", "b.yaml", "c.yaml")
        self.assert_code(answer, 1)
        self.assertRegex(answer.out, r"(?m)^a\.yaml:2:\d+: rules\[0\]\.limits\[0\].*10/sec")
        self.assertRegex(answer.out, r"(?m)^a\.yaml:2:\d+: rules\[0\]\.limits\[1\]")
        self.assertRegex(answer.out, r"(?m)^b\.yaml:2:\d+: .*nmae.*did you mean 'name'")
        self.assertRegex(answer.out, r"(?m)^c\.yaml: ok: ")

    def test_a_warning_alone_is_no_error(self):
        self.file("w.yaml", "rules: [{name: r, key: 'ip | header:x', limits: [1/s]}]\n")
        answer = self.weir("check", "w.yaml")
        self.assert_code(answer, 0)
        self.assertIn("warning", answer.out)
        self.assertIn("w.yaml: ok: 1 rule, 1 limit\n", answer.out)
        [problem] = self.weir("check", "--format", "json", "w.yaml").json()["files"][0]["problems"]
        self.assertEqual(problem["severity"], "warning")

    def test_json(self):
        self.file("bad.yaml", "rules:\n  - {name: r, limits: [10/sec]}\n")
        self.file("good.yaml", GOOD)
        answer = self.weir("check", "--format", "json", "bad.yaml", "good.yaml")
        self.assert_code(answer, 1)
        told = answer.json()
        self.assertEqual([told["ok"], *(f["ok"] for f in told["files"])], [False, False, True])
        [problem] = told["files"][0]["problems"]
        self.assertEqual((problem["severity"], problem["file"], problem["line"]),
                         ("error", "bad.yaml", 2))
        self.assertGreater(problem["column"], 1)
        self.assertIn("10/sec", problem["text"])
        self.assertEqual(told["files"][1]["rules"], 4)

    def test_files_that_are_none(self):
        self.file("empty.yaml", "")
        self.file("binary.yaml", bytes(range(256)))
        for name in ("absent.yaml", "empty.yaml", "binary.yaml", "."):
            with self.subTest(name=name):
                answer = self.weir("check", name)
                self.assert_code(answer, 1)
                self.assertTrue(answer.out.startswith(name), answer.out)


class ExplainTest(CliTest):
    def explain(self, *arguments):
        return self.weir("explain", self.file("weir.yaml", GOOD), *arguments)

    def test_text_tells_the_rules_and_the_limits(self):
        answer = self.explain("--request", "GET /v1/x", "--header", "x-api-key: a",
                              "--ip", "198.18.0.1")
        self.assert_code(answer, 0)
        for name in ("health", "login", "api", "everyone", "10/s burst 50", "5000/day", "2000/s"):
            self.assertIn(name, answer.out)

    def test_json_is_one_object(self):
        answer = self.explain("--request", "POST /v1/x HTTP/1.1", "--ip", "198.18.0.1",
                              "--format", "json")
        self.assert_code(answer, 0)
        self.assertIsInstance(answer.json(), dict)
        self.assertIn("198.18.0.1", answer.out)

    def test_the_client_is_derived_from_the_peer_and_the_headers(self):
        answer = self.explain("--request", "GET /v1/x", "--peer", "10.0.0.5",
                              "--header", "x-forwarded-for: 198.18.0.7, 10.0.0.9")
        self.assert_code(answer, 0)
        self.assertIn("198.18.0.7", answer.out)

    def test_a_bad_file_is_told(self):
        answer = self.weir("explain", "absent.yaml", "--request", "GET /")
        self.assert_code(answer, 1)
        self.assertEqual(answer.out, "")
        self.assertIn("absent.yaml", answer.err)


if __name__ == "__main__":
    unittest.main()
