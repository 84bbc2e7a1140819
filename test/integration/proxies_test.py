#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""weir behind real proxies, set up as deploy/ shows it, in front of a small application."""
import contextlib
import http.client
import http.server
import os
import pathlib
import shutil
import threading
import unittest

import harness
from harness import Answer, Weir

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"

CONFIG = """
listen: {http: "127.0.0.1:0"}
clients: {trusted_proxies: [127.0.0.1]}
rules:
  - name: health
    match: {path: /healthz}
    exempt: true
  - name: login
    match: {method: POST, path: /login}
    key: ip
    limits: [1/h fixed_window]
  - name: everybody
    match: {path: /**}
    key: ip
    limits: [3/h fixed_window]
"""


class Application(http.server.BaseHTTPRequestHandler):
    """Answers everything, and remembers what it was asked."""

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, body))
        status = 403 if self.path == "/own-403" else 200
        self.send_response(status)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    do_POST = do_GET

    def log_message(self, *_) -> None:
        pass


class ProxyTest:
    """What holds behind every proxy."""

    weir: Weir
    proxy_port: int

    def setUp(self) -> None:
        super().setUp()
        self.application = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Application)
        self.application.asked = []
        thread = threading.Thread(target=self.application.serve_forever, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.application.server_close)
        self.addCleanup(self.application.shutdown)
        self.weir = self.start_weir(config=CONFIG)
        self.proxy_port = harness.free_port()
        self.start_proxy()
        harness.wait_until(self._proxy_listens, "the proxy to listen")

    def _proxy_listens(self) -> bool:
        with contextlib.suppress(OSError):
            harness.Address("127.0.0.1", self.proxy_port).connect().close()
            return True
        return False

    def start_proxy(self) -> None:
        raise NotImplementedError

    def filled(self, path: str) -> str:
        """A file of deploy/ with the addresses of this test."""
        text = (DEPLOY / path).read_text()
        for shown, actual in ((":8080", f":{self.weir.http.port}"),
                              (":3000", f":{self.application.server_port}")):
            assert shown in text, f"{path} does not name {shown}"
            text = text.replace(shown, actual)
        return text

    def ask(self, target: str = "/", method: str = "GET", body: bytes | None = None,
            client: str = "127.0.0.1", **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy_port,
                                                timeout=harness.PATIENCE,
                                                source_address=(client, 0))
        with contextlib.closing(connection):
            connection.request(method, target, body,
                               {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())

    def test_admitted_passes_and_refused_does_not(self):
        for _ in range(3):
            answer = self.ask("/page?x=1")
            self.assertEqual((answer.status, answer.body), (200, b"hello"))
        answer = self.ask("/page?x=1")
        self.assertEqual(answer.status, 429)
        self.assertEqual(self.application.asked, [("GET", "/page?x=1", b"")] * 3)

    def test_a_refusal_says_why_and_until_when(self):
        for _ in range(4):
            answer = self.ask()
        self.assertEqual(answer.status, 429)
        self.assertEqual(answer.headers["X-RateLimit-Limit"], "3")
        self.assertEqual(answer.headers["X-RateLimit-Remaining"], "0")
        self.assertRegex(answer.headers["Retry-After"], "^[1-9][0-9]*$")
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        self.assertEqual(answer.json["status"], 429)
        for name in ("Retry-After", "X-RateLimit-Limit"):  # b47
            self.assertEqual(len(answer.headers.get_all(name)), 1)

    def test_b21_the_clients_own_address_counts_and_nothing_it_says(self):
        for n in range(3):
            self.assertEqual(self.ask(X_Forwarded_For=f"198.18.0.{n}").status, 200)
        self.assertEqual(self.ask(X_Forwarded_For="198.18.0.9").status, 429)
        self.assertEqual(self.ask(client="127.0.0.2").status, 200)

    def test_callers_cannot_speak_for_the_proxy(self):
        exempt = {"X_Forwarded_Uri": "/healthz", "X_Original_URI": "/healthz",
                  "X_Forwarded_Method": "OPTIONS", "X_Original_URL": "/healthz"}
        self.assertEqual([self.ask("/?deny=403&from=x-original", **exempt).status
                          for _ in range(4)], [200, 200, 200, 429])

    def test_rules_see_the_method_and_path_of_the_client(self):
        self.assertEqual(self.ask("/login", "POST", b"user=a").status, 200)
        self.assertEqual(self.ask("/login", "POST", b"user=a").status, 429)
        self.assertEqual(self.ask("/login").status, 200)

    def test_a_body_reaches_the_application_whole(self):
        body = os.urandom(200_000)
        self.assertEqual(self.ask("/upload", "POST", body).status, 200)
        self.assertEqual(self.application.asked, [("POST", "/upload", body)])

    def test_the_applications_own_refusal_is_left_as_it_is(self):
        answer = self.ask("/own-403")
        self.assertEqual((answer.status, answer.body), (403, b"hello"))


@unittest.skipUnless(shutil.which("nginx", path="/usr/sbin:/usr/bin"), "nginx is not installed")
class NginxTest(ProxyTest, harness.WeirTest):
    def start_proxy(self) -> None:
        snippet = self.write("weir.conf", self.filled("nginx/weir.conf").replace(
            "listen 80;", f"listen 127.0.0.1:{self.proxy_port};"))
        paths = "\n".join(
            f"{kind}_temp_path {self.folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = self.write("nginx.conf", f"""
            {"user root;" if os.getuid() == 0 else ""}
            daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log stderr;
            events {{}}
            http {{ access_log off; {paths} include {snippet}; }}
            """)
        nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin")
        self.proxy = self.start([nginx, "-p", self.folder, "-c", config])

    def test_admitted_answers_tell_what_is_left(self):
        self.assertEqual([self.ask().headers["X-RateLimit-Remaining"] for _ in range(3)],
                         ["2", "1", "0"])

    def test_refusals_leave_no_errors_in_the_log(self):
        for _ in range(5):
            self.ask()
        self.assertNotIn("unexpected status", self.proxy.log)

    def test_without_weir_requests_pass(self):
        self.weir.kill()
        for _ in range(5):
            self.assertEqual(self.ask().status, 200)


@unittest.skipUnless(shutil.which("caddy"), "caddy is not installed")
class CaddyTest(ProxyTest, harness.WeirTest):
    def start_proxy(self) -> None:
        text = self.filled("caddy/Caddyfile").replace(
            "\n:80 {", f"\nhttp://127.0.0.1:{self.proxy_port} {{")
        config = self.write("Caddyfile", "{\n\tadmin off\n\tauto_https off\n}\n" + text)
        self.start(["caddy", "run", "--config", config, "--adapter", "caddyfile"],
                   env={"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder),
                        "XDG_CONFIG_HOME": str(self.folder)})


if __name__ == "__main__":
    harness.main()
