#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP door as curl sees it."""
import json
import subprocess

import harness
from harness import Weir

CONFIG = """
listen:
  http: ["127.0.0.1:0", "unix:{folder}/http.sock"]
clients: {{trusted_proxies: [127.0.0.1]}}
limits:
  api: 3/h fixed_window
rules:
  - name: health
    match: {{path: /healthz}}
    exempt: true
  - name: per-client
    match: {{path: /v1/**}}
    key: "header:x-api-key | ip"
    limits: [api]
"""


class CurlTest(harness.WeirTest):
    def setUp(self) -> None:
        super().setUp()
        self.weir: Weir = self.start_weir(config=CONFIG.format(folder=self.folder))

    def curl(self, target: str, *options: str) -> tuple[int, dict[str, list[str]], str]:
        """Status, header fields and body."""
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--include", "--max-time", "20",
             *options, self.weir.http.url + target],
            capture_output=True, text=True, check=True)
        head, _, body = done.stdout.partition("\n\n")  # text mode has made \r\n one \n
        if head.startswith("HTTP/1.1 100 "):
            head, _, body = body.partition("\n\n")
        status, *fields = head.splitlines()
        headers: dict[str, list[str]] = {}
        for field in fields:
            name, _, value = field.partition(": ")
            headers.setdefault(name.lower(), []).append(value)
        return int(status.split()[1]), headers, body

    def auth(self, target: str, *options: str):
        return self.curl("/v1/auth", "--header", f"X-Forwarded-Uri: {target}",
                         "--header", "X-Forwarded-Method: GET", *options)

    def test_auth_admits_then_refuses_with_every_number_of_one_limit(self):
        for remaining in (2, 1, 0):
            status, headers, _ = self.auth("/v1/x", "--header", "X-Api-Key: a")
            self.assertEqual(status, 200)
            self.assertEqual(headers["x-ratelimit-limit"], ["3"])
            self.assertEqual(headers["x-ratelimit-remaining"], [str(remaining)])
            self.assertNotIn("retry-after", headers)
        status, headers, body = self.auth("/v1/x", "--header", "X-Api-Key: a")
        self.assertEqual(status, 429)
        self.assertEqual(headers["x-ratelimit-remaining"], ["0"])
        self.assertEqual(headers["retry-after"], headers["x-ratelimit-reset"])
        self.assertRegex(headers["retry-after"][0], "^[1-9][0-9]*$")
        self.assertLessEqual(int(headers["retry-after"][0]), 3600)
        self.assertEqual(headers["cache-control"], ["no-store"])  # b69
        self.assertEqual(headers["content-type"], ["application/problem+json"])
        self.assertEqual(json.loads(body)["status"], 429)
        self.assertEqual(self.auth("/v1/x", "--header", "X-Api-Key: b")[0], 200)

    def test_auth_takes_any_method(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            status, _, _ = self.auth("/other", "--request", method)
            self.assertEqual(status, 200, method)
        self.assertEqual(self.auth("/other", "--head")[0], 200)

    def test_auth_exempts(self):
        for _ in range(5):
            status, headers, _ = self.auth("/healthz")
            self.assertEqual(status, 200)
            self.assertNotIn("x-ratelimit-limit", headers)

    def test_b21_the_address_of_a_client_behind_a_trusted_proxy(self):
        def from_address(forwarded: str) -> int:
            return self.auth("/v1/x", "--header", f"X-Forwarded-For: {forwarded}")[0]

        for n in range(3):
            self.assertEqual(from_address(f"198.18.9.{n}, 198.18.0.1"), 200)
        self.assertEqual(from_address("198.18.0.2"), 200)
        self.assertEqual(from_address("198.18.9.9, 198.18.0.1"), 429)

    def check(self, body: str, *options: str):
        return self.curl("/v1/check", "--data", body, "--header", "Content-Type: application/json",
                         *options)

    def test_check_answers_each_request_in_order(self):
        status, _, body = self.check("""{"requests": [
            {"limit": "api", "key": ["user-1"], "cost": 2},
            {"rate": "10/s burst 50", "key": ["user-1"]},
            {"request": {"method": "GET", "host": "example.com", "path": "/v1/x",
                         "headers": {"x-api-key": "c"}, "ip": "198.18.0.1"}},
            {"limit": "api", "key": ["user-1"], "cost": 2}]}""")
        self.assertEqual(status, 200)
        named, inline, request, over = json.loads(body)["results"]
        self.assertEqual((named["allowed"], named["limit"], named["remaining"]), (True, "api", 1))
        self.assertEqual((inline["capacity"], inline["remaining"]), (50, 49))
        self.assertEqual((request["rule"], request["remaining"]), ("per-client", 2))
        self.assertEqual((over["allowed"], over["remaining"]), (False, 1))
        self.assertGreater(over["retry_after_ns"], 0)

    def test_check_tells_never_as_null(self):
        _, _, body = self.check('{"requests": [{"limit": "api", "key": ["big"], "cost": 4}]}')
        self.assertIsNone(json.loads(body)["results"][0]["retry_after_ns"])

    def test_check_all_or_nothing(self):
        both = """{"requests": [{"all": [{"limit": "api", "key": ["x"]},
                                         {"rate": "1/h fixed_window", "key": ["x"]}]}]}"""
        allowed = [json.loads(self.check(both)[2])["results"][0]["allowed"] for _ in range(3)]
        self.assertEqual(allowed, [True, False, False])
        _, _, body = self.check('{"requests": [{"limit": "api", "key": ["x"], "verb": "peek"}]}')
        self.assertEqual(json.loads(body)["results"][0]["remaining"], 2)

    def test_a_malformed_item_fails_the_call_and_charges_nothing(self):
        for second in ('{"limit": "none", "key": ["m"]}', '{"limit": "api", "cost": -1}',
                       '{"rate": "fast", "key": ["m"]}', '{"limit": "api", "typo": 1}', "7"):
            status, _, body = self.check(
                '{"requests": [{"limit": "api", "key": ["m"]}, %s]}' % second)
            self.assertEqual(status, 400, second)
            self.assertIn("requests[1]", body)
        _, _, body = self.check('{"requests": [{"limit": "api", "key": ["m"], "verb": "peek"}]}')
        self.assertEqual(json.loads(body)["results"][0]["remaining"], 3)

    def test_what_is_too_large_or_not_there_is_told_so(self):
        large = self.folder / "large.json"
        large.write_text('{"requests": [' + " " * (16 << 20) + "]}")
        self.assertEqual(self.curl("/v1/check", "--data-binary", f"@{large}")[0], 413)
        self.assertEqual(self.curl("/nowhere")[0], 404)
        self.assertEqual(self.curl("/v1/check")[0], 405)
        self.assertEqual(self.check("{")[0], 400)

    def test_a_body_announced_with_expect(self):
        status, _, _ = self.check('{"requests": []}', "--header", "Expect: 100-continue")
        self.assertEqual(status, 200)

    def test_over_a_unix_socket(self):
        status, _, body = self.check('{"requests": [{"limit": "api", "key": ["unix"]}]}',
                                     "--unix-socket", str(self.folder / "http.sock"))
        self.assertEqual(status, 200)
        self.assertTrue(json.loads(body)["results"][0]["allowed"])

    def test_one_connection_serves_many_requests(self):
        urls = [self.weir.http.url + "/v1/auth"] * 3
        done = subprocess.run(["curl", "--silent", "--verbose", *urls], capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stderr.count("Re-using existing connection"), 2, done.stderr)


if __name__ == "__main__":
    harness.main()
