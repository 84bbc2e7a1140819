#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""weir simulate: the reference vectors, the scenarios, and lines that are none."""
import gzip
import json
import subprocess
import unittest

from cli import BINARY, DATA, SECOND, CliTest

LIMIT = '{"limit": 2, "period_ns": 60000000000, "algorithm": "fixed_window"}\n'
ANSWERED = ("allowed", "remaining", "retry_after", "reset_after", "delay")


def event(t=0, key="a", **fields) -> str:
    return json.dumps({"t": t, "key": key, **fields}) + "\n"


class VectorsTest(CliTest):
    """On a store that counts nanoseconds every field is equal, also where the events stand on
    microseconds."""

    def test_every_vector_agrees_in_every_field(self):
        files = sorted((DATA / "vectors").rglob("*.jsonl"))
        self.assertEqual(len(files), 168)
        for file in files:
            with self.subTest(vector=str(file.relative_to(DATA / "vectors"))):
                expected = [json.loads(line) for line in file.read_text().splitlines()[1:]]
                answer = self.weir("simulate", file)
                self.assert_code(answer, 0)
                given = answer.lines()
                self.assertEqual(len(given), len(expected))
                for line, want in zip(given, expected):
                    want.pop("force", None)
                    self.assertEqual(line, want)


def agrees(expected, given) -> bool:
    """Whether `given` says all that is expected; an object's null is also a name that is absent."""
    if isinstance(expected, dict):
        return isinstance(given, dict) and all(agrees(value, given.get(name))
                                               for name, value in expected.items())
    if isinstance(expected, list):
        return (isinstance(given, list) and len(expected) == len(given)
                and all(map(agrees, expected, given)))
    return type(expected) is type(given) and expected == given


class ScenariosTest(CliTest):
    def test_every_scenario_is_answered_as_expected(self):
        files = sorted((DATA / "scenarios").glob("*.jsonl"))
        self.assertGreaterEqual(len(files), 12)
        for file in files:
            answer = self.weir("simulate", "--config", file.with_suffix(".yaml"), file)
            self.assert_code(answer, 0)
            asked = [json.loads(line) for line in file.read_text().splitlines()]
            given = answer.lines()
            self.assertEqual(len(given), len(asked))
            for number, (question, line) in enumerate(zip(asked, given), 1):
                with self.subTest(scenario=file.name, line=number):
                    self.assertEqual(line["t"], question["t"])
                    self.assert_agrees(question["expect"], line)

    def assert_agrees(self, expected, line):
        for name, value in expected.items():
            if value == {} or value == []:
                self.assertEqual(line[name], value, name)
            self.assertTrue(agrees(value, line[name]),
                            f"{name}: {json.dumps(value)} is expected of\n{json.dumps(line)}")

    def test_the_form_of_an_answer(self):
        config = self.file("weir.yaml", "rules: [{name: all, limits: [10/s]}]\n")
        [line] = self.weir("simulate", "--config", config, "-", stdin='{"t": 5}\n').lines()
        self.assertEqual(list(line), ["t", "status", "headers", "allowed", "limit", "rule",
                                      "remaining", "retry_after", "reset_after", "delay", "hits"])
        self.assertEqual(list(line["hits"][0]),
                         ["rule", "limit", "cost", "shadow", "allowed", "remaining", "retry_after",
                          "reset_after", "delay"])

    def test_headers_of_the_configuration(self):
        config = self.file("weir.yaml", "headers: {reset: epoch}\n"
                           "rules: [{name: all, limits: [10/min fixed_window]}]\n")
        answer = self.weir("simulate", "--config", config, "-", stdin='{"t": 1000000000}\n')
        self.assert_code(answer, 0)
        self.assertEqual(answer.lines()[0]["headers"]["X-RateLimit-Reset"], "60")


    def test_b46_time_zones_change_nothing(self):
        config = self.file("weir.yaml", "headers: {reset: epoch}\n"
                           "rules: [{name: all, limits: [1/300s fixed_window]}]\n")
        for zone in ("UTC", "Europe/Vienna", "Asia/Kathmandu", "America/St_Johns"):
            asked = f'{{"t": {1743296400 * SECOND}}}\n' * 2  # when Vienna's clocks leap ahead
            answer = self.weir("simulate", "--config", config, "-", stdin=asked, TZ=zone)
            headers = answer.lines()[1]["headers"]
            self.assertEqual((headers["Retry-After"], headers["X-RateLimit-Reset"]),
                             ("300", "1743296700"), zone)


class LimitEventsTest(CliTest):
    def simulate(self, stdin: str, *arguments):
        return self.weir("simulate", *arguments, "-", stdin=stdin)

    def test_verbs_are_an_extension_of_the_vectors(self):
        asked = [("acquire", 1), ("peek", 2), ("debit", 4), ("refund", 9), ("acquire", 2)]
        lines = self.simulate(LIMIT + "".join(event(verb=verb, cost=cost)
                                              for verb, cost in asked)).lines()
        self.assertEqual([(line["allowed"], line["remaining"]) for line in lines],
                         [(True, 1), (False, 1), (False, 0), (True, 2), (True, 0)])

    def test_force_is_a_debit(self):
        debit, force = (self.simulate(LIMIT + event(cost=3, **how) + event()).lines()
                        for how in ({"verb": "debit"}, {"force": True}))
        self.assertEqual(debit, force)
        self.assertFalse(force[1]["allowed"])

    def test_the_limit_is_named_only_where_it_has_a_name(self):
        [line] = self.simulate(LIMIT + event()).lines()
        self.assertEqual(list(line), ["t", "key", "cost", *ANSWERED])
        [line] = self.simulate(LIMIT.replace("{", '{"name": "api", ', 1) + event()).lines()
        self.assertEqual(line["limit"], "api")

    def test_expected_answers_and_unknown_fields_are_passed_over(self):
        lying = event(allowed=False, remaining=99, whatever=[1, {"a": None}])
        [line] = self.simulate(LIMIT + lying).lines()
        self.assertEqual((line["allowed"], line["remaining"]), (True, 1))

    def test_numbers_are_exact_to_64_bits(self):
        cost = 2**64 - 1
        [first, second] = self.simulate(LIMIT + event(2**62, cost=cost) + event(2**53 + 1)).lines()
        self.assertEqual((first["t"], first["cost"], first["retry_after"]), (2**62, cost, None))
        self.assertEqual(second["t"], 2**53 + 1)

    def test_keys_of_any_text_are_told_apart_and_come_back(self):
        keys = ["", "a", "A", "a\u0000", "\u00e9", "e\u0301", '"\\', "\n", "\U0001f600", "x" * 1000]
        lines = self.simulate(LIMIT + "".join(event(key=key) for key in keys)).lines()
        self.assertEqual([line["key"] for line in lines], keys)
        self.assertEqual({line["remaining"] for line in lines}, {1})

    def test_blank_lines_and_other_line_ends_are_no_events(self):
        text = LIMIT.replace("\n", "\r\n") + "\n  \n" + event() + "\n" + event().rstrip("\n")
        self.assertEqual(len(self.simulate(text).lines()), 2)

    def test_a_gzip_file_is_unpacked(self):
        path = self.file("events.jsonl.gz", gzip.compress((LIMIT + event() * 5).encode()))
        self.assertEqual(len(self.weir("simulate", path).lines()), 5)

    def test_text_is_for_people(self):
        out = self.simulate(LIMIT + event() + event(cost=9), "--format", "text").out
        self.assertRegex(out, r"^0  a  cost 1  allowed  remaining 1 ")
        self.assertRegex(out, r"\n0  a  cost 9  refused  remaining 1  retry after never ")

    def test_each_answer_comes_before_the_next_question(self):
        with subprocess.Popen([BINARY, "simulate", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as weir:
            weir.stdin.write(LIMIT.encode())
            for count in range(3):
                weir.stdin.write(event(t=count).encode())
                weir.stdin.flush()
                self.assertEqual(json.loads(weir.stdout.readline())["t"], count)
            weir.stdin.close()
            self.assertEqual(weir.wait(timeout=60), 0)

    def test_a_large_file_streams(self):
        events = "".join(event(t * SECOND, key=f"k{t % 1000}") for t in range(20_000))
        lines = self.simulate(LIMIT + events).lines()
        self.assertEqual(len(lines), 20_000)
        self.assertTrue(all(line["allowed"] for line in lines))

    def test_keys_that_do_not_fit_end_the_run_instead_of_being_forgotten(self):
        events = "".join(event(key=f"k{n}", cost=2) for n in range(20_000))
        answer = self.simulate(LIMIT + events, "--memory", "128KiB")
        self.assert_code(answer, 1)
        self.assertIn("--memory", answer.err)
        self.assertTrue(all(line["allowed"] for line in answer.lines()))


class BadLinesTest(CliTest):
    def refused(self, stdin: str | bytes, *arguments) -> str:
        answer = self.weir("simulate", *arguments, "-", stdin=stdin)
        self.assert_code(answer, 1)
        self.last = answer
        return answer.err

    def test_the_lines_before_a_bad_one_are_answered_and_none_behind_it(self):
        err = self.refused(LIMIT + event() + event() + "oops\n" + event())
        self.assertRegex(err, r"^stdin:4: .*JSON")
        self.assertEqual(len(self.last.lines()), 2)

    def test_a_file_is_named(self):
        path = self.file("events.jsonl", LIMIT + event(cost=-1))
        answer = self.weir("simulate", path)
        self.assert_code(answer, 1)
        self.assertTrue(answer.err.startswith(f"{path}:2: cost: -1 is not a whole number"))

    def test_bad_limits(self):
        for line, want in (
                ("", "the first line has to be the limit"),
                ("{}", "limit: missing"),
                ('{"limit": 1}', "period_ns: missing"),
                ('{"limit": 1.0, "period_ns": 1000000000}', "limit: .* whole number"),
                ('{"limit": 1000000001, "period_ns": 1000000000}', "limit: 1000000001 is not"),
                ('{"limit": 1, "period_ns": 999999}', "period_ns: 999999 is not"),
                ('{"limit": 1, "period_ns": 31536000000000001}', "period_ns"),
                ('{"limit": 1, "period_ns": 1000000000, "burst": 0}', "burst: 0 is not"),
                ('{"limit": 1, "period_ns": 1000000000, "burst": 5, "algorithm": "sliding_log"}',
                 "burst"),
                ('{"limit": 1, "period_ns": 1000000000, "algorithm": "tokn_bucket"}',
                 "did you mean 'token_bucket'"),
                ('[]', "JSON object"),
                ('{"limit": 1, "limit"', "JSON")):
            with self.subTest(line=line):
                self.assertRegex(self.refused(line + "\n"), "^stdin:1: .*" + want)
        self.assertRegex(self.refused(""), "^stdin:1: the first line has to be the limit")

    def test_bad_events(self):
        for line, want in (
                ('{"key": "a"}', "t: missing"),
                ('{"t": 1}', "key: missing"),
                ('{"t": -1, "key": "a"}', "t: -1 is not"),
                ('{"t": 4611686018427387905, "key": "a"}', "t: 4611686018427387905 is not"),
                ('{"t": 1e9, "key": "a"}', "t: "),
                ('{"t": "1", "key": "a"}', 't: "1" is not'),
                ('{"t": 1, "key": 7}', "key: 7 is not a text"),
                ('{"t": 1, "key": "a", "cost": 18446744073709551616}', "cost: "),
                ('{"t": 1, "key": "a", "cost": true}', "cost: true is not"),
                ('{"t": 1, "key": "a", "verb": "take"}', "verb: .* one of acquire, peek"),
                ('{"t": 1, "key": "a", "force": 1}', "force: 1 is not true or false"),
                ('{"t": 1, "key": "a", "force": true, "verb": "peek"}', "force: "),
                ('{"t": 1, "key": "a"} x', "JSON at column"),
                ('{"t": 1, "key": "a', "JSON"),
                ("null", "JSON object"),
                ("[" * 100, "JSON")):
            with self.subTest(line=line):
                self.assertRegex(self.refused(LIMIT + line + "\n"), "^stdin:2: .*" + want)
        self.assertRegex(self.refused(LIMIT.encode() + b'{"t": 1, "key": "\xff"}\n'), "JSON")

    def test_bad_requests(self):
        config = self.file("weir.yaml", "rules: [{name: all, limits: [10/s]}]\n")
        for line, want in (
                ("{}", "t: missing"),
                ('{"t": 1, "method": 1}', "method: 1 is not a text"),
                ('{"t": 1, "headers": []}', "headers: "),
                ('{"t": 1, "headers": {"a": 1}}', "headers: "),
                ('{"t": 1, "headers": {"a": ["b", 1]}}', "headers: "),
                ('{"t": 1, "entries": {"a": ["b"]}}', "entries: "),
                ('{"t": 1, "ip": "198.18.0"}', "ip: .* address"),
                ('{"t": 1, "peer": "x"}', "peer: .* address"),
                ('{"t": 1, "ip": "::1", "peer": "::1"}', "either"),
                ('{"t": 1, "cost": -1}', "cost: "),
                ('{"t": 1, "verb": 3}', "verb: ")):
            with self.subTest(line=line):
                err = self.refused('{"t": 0}\n' + line + "\n", "--config", config)
                self.assertRegex(err, "^stdin:2: .*" + want)
                self.assertEqual(len(self.last.lines()), 1)

    def test_a_line_without_end_is_refused_without_being_held(self):
        self.assertRegex(self.refused(LIMIT + "x" * (3 << 20)), r"^stdin:2: longer than \d+ bytes")

    def test_files_that_are_none(self):
        self.assertIn("absent", self.weir("simulate", "absent").err)
        self.assert_code(self.weir("simulate", "absent"), 1)
        self.assert_code(self.weir("simulate", self.folder), 1)
        answer = self.weir("simulate", "--config", "absent.yaml", "-")
        self.assert_code(answer, 1)
        self.assertIn("absent.yaml", answer.err)

    def test_no_requests_are_no_answers(self):
        config = self.file("weir.yaml", "rules: [{name: all, limits: [10/s]}]\n")
        answer = self.weir("simulate", "--config", config, "-")
        self.assert_code(answer, 0)
        self.assertEqual(answer.out, "")


if __name__ == "__main__":
    unittest.main()
