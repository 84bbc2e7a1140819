#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""weir replay: a real access log against limits whose counts are known, and logs that are odd."""
import collections
import datetime
import gzip
import re
import unittest

from cli import DATA, SECOND, CliTest

LOG = DATA / "access.log.gz"


def config(limit: str) -> str:
    return f"rules: [{{name: per-address, key: ip, limits: '{limit}'}}]\n"


def line(second=0, client="198.18.0.1", request="GET / HTTP/1.1", zone="+0000",
         agent="agent") -> str:
    when = datetime.datetime(2015, 5, 17, 10, 5, 0) + datetime.timedelta(seconds=second)
    return f'{client} - - [{when:%d/%b/%Y:%H:%M:%S} {zone}] "{request}" 200 5 "-" "{agent}"\n'


def real_requests() -> list[tuple[int, str]]:
    """Time and client of the real log, in order of time."""
    requests = []
    with gzip.open(LOG, "rt", encoding="utf-8") as log:
        for text in log:
            client, when = re.match(r"(\S+) \S+ \S+ \[([^\]]+)\]", text).groups()
            time = datetime.datetime.strptime(when, "%d/%b/%Y:%H:%M:%S %z")
            requests.append((int(time.timestamp()), client))
    return sorted(requests, key=lambda request: request[0])


def exact_log(requests, count: int, period: int) -> list[bool]:
    """The verdicts of a sliding log: an entry that is exactly one period old no longer counts."""
    logs = collections.defaultdict(collections.deque)
    verdicts = []
    for time, client in requests:
        log = logs[client]
        while log and log[0] <= time - period:
            log.popleft()
        verdicts.append(len(log) < count)
        if verdicts[-1]:
            log.append(time)
    return verdicts


def token_bucket(requests, count: int, period: int, burst: int) -> list[bool]:
    """The verdicts of a token bucket, in parts of a token that make every time whole."""
    buckets = collections.defaultdict(lambda: (burst * period, 0))
    verdicts = []
    for time, client in requests:
        parts, last = buckets[client]
        parts = min(burst * period, parts + (time - last) * count)
        verdicts.append(parts >= period)
        buckets[client] = (parts - period if verdicts[-1] else parts, time)
    return verdicts


class RealLogTest(CliTest):
    def replay(self, limit: str) -> dict:
        answer = self.weir("replay", "--config", self.file("weir.yaml", config(limit)), LOG,
                           "--format", "json")
        self.assert_code(answer, 0)
        return answer.json()

    def assert_counts(self, told: dict, admitted: int, refused: int):
        [rule] = told["rules"]
        [limit] = rule["limits"]
        for counts in (told, rule, limit):
            self.assertEqual((counts["requests"], counts["admitted"], counts["refused"]),
                             (10_000, admitted, refused))

    def test_windows_and_logs_admit_8271(self):
        for algorithm in ("fixed_window", "sliding_log", "sliding_counter"):
            with self.subTest(algorithm=algorithm):
                told = self.replay("10/60s " + algorithm)
                self.assert_counts(told, 8271, 1729)
                self.assertEqual(told["rules"][0]["limits"][0]["algorithm"], algorithm)

    def test_a_token_bucket_admits_8987(self):
        for algorithm in ("", " burst 10", " gcra"):
            self.assert_counts(self.replay("10/60s" + algorithm), 8987, 1013)

    def test_the_exact_log_agrees_with_itself(self):
        for limit in ("10/60s", "3/5s", "100/h", "1/s"):
            told = self.replay(limit + " sliding_log")["rules"][0]["limits"][0]
            self.assertEqual((told["false_refusals"], told["false_admissions"]), (0, 0), limit)

    def test_the_accuracy_is_that_of_the_two_verdicts_side_by_side(self):
        requests = real_requests()
        exact = exact_log(requests, 10, 60)
        self.assertEqual(sum(exact), 8271)
        bucket = token_bucket(requests, 10, 60, 10)
        told = self.replay("10/60s burst 10")["rules"][0]["limits"][0]
        self.assertEqual(told["admitted"], sum(bucket))
        self.assertEqual(told["false_refusals"], sum(e and not b for e, b in zip(exact, bucket)))
        self.assertEqual(told["false_admissions"], sum(b and not e for e, b in zip(exact, bucket)))
        self.assertGreater(told["false_admissions"], 0)
        self.assertEqual(told["not_compared"], 0)

    def test_the_most_refused_clients_are_named(self):
        refused = collections.Counter()
        requests = real_requests()
        for (_, client), admitted in zip(requests, exact_log(requests, 10, 60)):
            refused[client] += not admitted
        [rule] = self.replay("10/60s sliding_log")["rules"]
        told = [(entry["key"], entry["refused"]) for entry in rule["top_refused"]]
        self.assertEqual(len(told), 10)
        self.assertEqual([count for _, count in told], [n for _, n in refused.most_common(10)])
        for key, count in told:
            self.assertEqual(refused[key.removeprefix("ip ")], count)
        self.assertEqual(rule["refused_keys"], sum(count > 0 for count in refused.values()))

    def test_the_timeline_adds_up(self):
        told = self.replay("10/60s")
        steps = told["timeline"]["steps"]
        self.assertLessEqual(len(steps), 24)
        self.assertEqual(sum(step["admitted"] for step in steps), 8987)
        self.assertEqual(sum(step["refused"] for step in steps), 1013)
        times = [step["t"] for step in steps]
        self.assertEqual({b - a for a, b in zip(times, times[1:])}, {told["timeline"]["step"]})
        self.assertLessEqual(times[0], told["first"])
        self.assertGreater(times[-1] + told["timeline"]["step"], told["last"])

    def test_text_is_for_people(self):
        answer = self.weir("replay", "--config", self.file("weir.yaml", config("10/60s")), LOG)
        self.assert_code(answer, 0)
        self.assertRegex(answer.out, r"10,000 requests from 2015-05-17 10:05:\d\d to 2015-05-20 2")
        self.assertRegex(answer.out, r"admitted +8,987 +89\.9 %")
        self.assertRegex(answer.out, r"refused +1,013 +10\.1 %")
        self.assertRegex(answer.out, r"ip 198\.1[89]\.\d+\.\d+")
        self.assertRegex(answer.out, r"2015-05-18 \d\d:00:00  #+x")
        self.assertLessEqual(max(map(len, answer.out.splitlines())), 100)
        self.assertEqual(answer.err, "")


class LogsTest(CliTest):
    def replay(self, log: str | bytes, *arguments, rules: str = config("1/h fixed_window")):
        path = self.file("weir.yaml", rules)
        return self.weir("replay", "--config", path, "--format", "json", *arguments, "-", stdin=log)

    def counts(self, log: str, **more) -> tuple[int, int]:
        answer = self.replay(log, **more)
        self.assert_code(answer, 0)
        return answer.json()["admitted"], answer.json()["refused"]

    def test_standard_input_plain_and_gzip_and_several_files(self):
        self.assertEqual(self.counts(line() * 3), (1, 2))
        self.assertEqual(self.counts(gzip.compress((line() * 3).encode())), (1, 2))
        self.file("weir.yaml", config("1/h fixed_window"))
        files = [self.file("a.log", line(5)),
                 self.file("b.log.gz", gzip.compress(line(1).encode()))]
        told = self.weir("replay", "--config", "weir.yaml", "--format", "json", *files).json()
        self.assertEqual((told["admitted"], told["refused"]), (1, 1))
        self.assertEqual([log["lines"] for log in told["logs"]], [1, 1])
        self.assertEqual(told["last"] - told["first"], 4 * SECOND)

    def test_requests_come_in_order_of_time_whatever_their_zone(self):
        late = line(3600, zone="+0100", request="GET /first HTTP/1.1")  # the same instant as 0
        told = self.replay(line(1, request="GET /second HTTP/1.1") + late).json()
        self.assertEqual(told["last"] - told["first"], 1 * SECOND)

    def test_times_are_told_in_utc_wherever_this_runs(self):
        path = self.file("weir.yaml", config("1/h"))
        out = {self.weir("replay", "--config", path, "-", stdin=line(), TZ=zone).out
               for zone in ("UTC", "Asia/Kathmandu")}
        self.assertEqual(len(out), 1)
        self.assertIn("2015-05-17 10:05:00", out.pop())

    def test_bad_lines_are_counted_and_the_first_ones_shown(self):
        bad = "".join(f"nonsense {n}\n" for n in range(7))
        answer = self.replay(line() + bad + line(client="198.18.0.2"))
        self.assert_code(answer, 0)
        [log] = answer.json()["logs"]
        self.assertEqual((log["log"], log["lines"], log["bad_lines"]), ("stdin", 9, 7))
        self.assertEqual(answer.json()["requests"], 2)
        self.assertIn("stdin:2: passed over: ", answer.err)
        self.assertIn("stdin:6: ", answer.err)
        self.assertNotIn("stdin:7: ", answer.err)

    def test_clients_without_an_address_are_told_and_share_a_key(self):
        answer = self.replay(line(client="a.example.com") + line(client="b.example.com"))
        self.assertEqual((answer.json()["admitted"], answer.json()["refused"]), (1, 1))
        self.assertEqual(answer.json()["logs"][0]["without_address"], 2)

    def test_ipv6_clients_are_counted_by_their_network(self):
        log = line(client="2001:db8::1") + line(client="2001:db8::2") + line(client="2001:db8:1::1")
        told = self.replay(log).json()
        self.assertEqual((told["admitted"], told["refused"]), (2, 1))
        self.assertRegex(told["rules"][0]["top_refused"][0]["key"], r"^ip 2001:db8::")

    def test_rules_see_method_path_and_the_two_headers(self):
        rules = """
          rules:
            - {name: bots, match: {header: {user-agent: Bot}}, limits: [0/s]}
            - {name: login, match: {method: POST, path: /login}, key: path, limits: [1/h]}
            - {name: static, match: {path: /static/**}, exempt: true}
            - {name: watched, match: {path: /login}, limits: [0/s], shadow: true}
        """
        login = line(request="POST /login HTTP/1.1")
        log = line(agent="Bot") + line() + login * 2 + line(request="GET /static/a.css HTTP/1.1")
        told = self.replay(log, rules=rules).json()
        self.assertEqual((told["admitted"], told["refused"], told["exempt"], told["unlimited"]),
                         (3, 2, 1, 1))
        by_name = {rule["rule"]: rule for rule in told["rules"]}
        self.assertEqual(by_name["bots"]["refused"], 1)
        self.assertEqual(by_name["login"]["top_refused"], [{"key": "path /login", "refused": 1}])
        self.assertTrue(by_name["watched"]["shadow"])
        self.assertEqual(by_name["watched"]["refused"], 2)

    def test_a_limit_is_not_charged_where_another_refuses_and_nor_is_its_exact_log(self):
        rules = """
          rules:
            - {name: tight, key: path, limits: 1/h fixed_window}
            - {name: wide, key: ip, limits: 3/h fixed_window}
        """
        log = "".join(line(second, request=f"GET /{path} HTTP/1.1")
                      for second, path in enumerate("aaaabcd"))
        told = self.replay(log, rules=rules).json()
        tight, wide = told["rules"]
        self.assertEqual((tight["admitted"], tight["refused"]), (4, 3))
        self.assertEqual((wide["admitted"], wide["refused"]), (6, 1))
        for rule in (tight, wide):
            self.assertEqual(rule["limits"][0]["false_refusals"], 0)
            self.assertEqual(rule["limits"][0]["false_admissions"], 0)

    def test_a_queue_tells_its_delays(self):
        told = self.replay(line() * 3, rules=config("1/s burst 5 leaky_queue")).json()
        self.assertEqual((told["admitted"], told["delayed"], told["longest_delay"]),
                         (3, 2, 2 * SECOND))

    def test_a_missing_key_that_is_denied_is_forbidden(self):
        rules = "rules: [{name: r, key: 'header:x-key', missing: deny, limits: [1/s]}]\n"
        told = self.replay(line(), rules=rules).json()
        self.assertEqual((told["forbidden"], told["admitted"], told["refused"]), (1, 0, 0))

    def test_so_many_refused_keys_as_asked_for(self):
        log = "".join(line(client=f"198.18.0.{n}") * (n + 1) for n in range(1, 6))
        told = self.replay(log, "--top", "2").json()["rules"][0]
        self.assertEqual([entry["refused"] for entry in told["top_refused"]], [5, 4])
        self.assertEqual(told["refused_keys"], 5)
        self.assertEqual(self.replay(log, "--top", "0").json()["rules"][0]["top_refused"], [])

    def test_a_log_that_does_not_fit_is_refused_with_advice(self):
        log = "".join(line(n) for n in range(3000))
        answer = self.replay(log, "--memory", "128KiB")
        self.assert_code(answer, 1)
        self.assertRegex(answer.err, r"^stdin:2\d{3}: the memory is used up after 2,\d{3} "
                                     "requests; give more with --memory")
        self.assertEqual(answer.out, "")

    def test_logs_that_are_none(self):
        self.assert_code(self.replay(""), 1)
        self.assert_code(self.replay("nonsense\n"), 1)
        self.assertIn("no request", self.replay("nonsense\n").err)
        self.file("weir.yaml", config("1/s"))
        answer = self.weir("replay", "--config", "weir.yaml", "absent.log")
        self.assert_code(answer, 1)
        self.assertIn("absent.log: cannot be opened", answer.err)
        whole = gzip.compress(line().encode() * 1000)
        answer = self.replay(whole[:-10])
        self.assert_code(answer, 1)
        self.assertIn("gzip", answer.err)

    def test_a_bad_configuration_is_told(self):
        answer = self.replay(line(), rules="rules: [{name: r, limits: [1/sec]}]\n")
        self.assert_code(answer, 1)
        self.assertIn("1/sec", answer.err)
        self.assertEqual(answer.out, "")


if __name__ == "__main__":
    unittest.main()
