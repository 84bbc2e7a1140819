#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The server as a process: its doors, its loops, how it starts and how it ends."""
import concurrent.futures
import contextlib
import signal
import socket
import subprocess
import threading

import harness
from harness import BINARY, Address, HttpConnection, http_request


def throttle(address: Address, *words: str) -> list[bytes]:
    """One CL.THROTTLE, spoken byte by byte: the lines of its reply."""
    command = f"*{len(words) + 1}\r\n$11\r\nCL.THROTTLE\r\n"
    command += "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
    with contextlib.closing(address.connect()) as connection:
        connection.sendall(command.encode())
        reply = b""
        while reply.count(b"\r\n") < 6:
            piece = connection.recv(4096)
            if not piece:
                break
            reply += piece
    return reply.split(b"\r\n")[:-1]


class ServeTest(harness.WeirTest):
    def test_without_a_configuration_callers_bring_their_limits(self):
        weir = self.start_weir("--http", "127.0.0.1:0", "--resp", "127.0.0.1:0")
        self.assertEqual(throttle(weir.resp, "user123", "15", "30", "60"),
                         [b"*5", b":0", b":16", b":15", b":-1", b":2"])
        [result] = weir.check({"rate": "10/s burst 50", "key": ["user-1"]})
        self.assertEqual((result["allowed"], result["capacity"], result["remaining"]),
                         (True, 50, 49))

    def test_every_door_on_every_kind_of_address(self):
        unix = {name: f"unix:{self.folder}/{name}.sock" for name in ("http", "resp", "admin")}
        weir = self.start_weir(config=f"""
            listen:
              http: ["127.0.0.1:0", "[::1]:0", "{unix['http']}"]
              resp: ["127.0.0.1:0", "{unix['resp']}"]
              admin: ["127.0.0.1:0", "{unix['admin']}"]
            limits: {{api: 5/h}}
            rules: [{{name: all, limits: [api]}}]
            """)
        for address in weir.doors["http"]:
            self.assertEqual(http_request(address, "GET", "/v1/auth").status, 200, address)
        for address in weir.doors["resp"]:
            self.assertEqual(throttle(address, "k", "0", "1", "60")[0], b"*5", address)
        for address in weir.doors["admin"]:
            self.assertEqual(http_request(address, "GET", "/healthz").status, 200, address)
        self.assertEqual({len(addresses) for addresses in weir.doors.values()}, {3, 2})

    def test_a_unix_socket_is_gone_with_its_server_and_taken_over_after_a_crash(self):
        path = self.folder / "weir.sock"
        weir = self.start_weir("--http", f"unix:{path}")
        self.assertEqual(weir.stop(), 0)
        self.assertFalse(path.exists())
        self.start_weir("--http", f"unix:{path}").kill()
        self.assertTrue(path.exists())
        weir = self.start_weir("--http", f"unix:{path}")
        self.assertEqual(http_request(weir.http, "GET", "/v1/auth").status, 200)

    def test_b113_loops_share_one_store_exactly(self):
        weir = self.start_weir(config="""
            listen: {http: "127.0.0.1:0"}
            loops: 4
            limits: {api: 10/h fixed_window}
            """)
        item = {"limit": "api", "key": ["one"]}
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            results = [r for [r] in pool.map(lambda _: weir.check(item), range(100))]
        admitted = [r["remaining"] for r in results if r["allowed"]]
        self.assertEqual(sorted(admitted, reverse=True), list(range(9, -1, -1)))

    def test_refuses_to_start_with_a_broken_file_and_says_where(self):
        path = self.write("weir.yaml", "limits:\n  api: 10/sec\n")
        done = subprocess.run([BINARY, "serve", "--config", path], capture_output=True, text=True,
                              timeout=harness.PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("weir.yaml:2:", done.stderr)
        self.assertIn("unknown unit 'sec'", done.stderr)

    def test_refuses_wrong_usage(self):
        for words in (["serve", "--no-such-flag"], ["no-such-command"]):
            done = subprocess.run([BINARY, *words], capture_output=True, timeout=harness.PATIENCE)
            self.assertEqual(done.returncode, 2, words)

    def test_refuses_to_start_where_its_port_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = subprocess.run([BINARY, "serve", "--http", f"127.0.0.1:{port}"],
                                  capture_output=True, text=True, timeout=harness.PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(port), done.stderr)


QUEUE = """
listen: {http: "127.0.0.1:0"}
rules: [{name: paced, limits: [1/2s burst 5 leaky_queue]}]
"""


class ShutdownTest(harness.WeirTest):
    def test_what_is_under_way_is_answered_and_nothing_new_is_taken(self):
        weir = self.start_weir(config=QUEUE)
        self.assertEqual(weir.auth().status, 200)  # starts at once; the next waits its turn
        with contextlib.closing(HttpConnection(weir.http)) as held:
            held.request("GET", "/v1/auth")
            self.assertIsNone(self._answer_within(held, 0.3), "held until its turn comes")
            weir.send_signal(signal.SIGTERM)
            harness.wait_until(lambda: not self._accepts(weir.http), "the door to close")
            self.assertEqual(held.getresponse().status, 200)
        self.assertEqual(weir.wait(), 0)

    def test_idle_connections_do_not_hold_the_end_up(self):
        weir = self.start_weir(config=QUEUE)
        with contextlib.closing(HttpConnection(weir.http)) as idle:
            idle.request("GET", "/v1/auth")
            idle.getresponse().read()
            self.assertEqual(weir.stop(), 0)
            self.assertEqual(idle.sock.recv(1), b"")

    def test_a_second_signal_and_an_interrupt_end_it_too(self):
        weir = self.start_weir(config=QUEUE)
        weir.send_signal(signal.SIGTERM)
        self.assertEqual(weir.stop(signal.SIGINT), 0)

    @staticmethod
    def _answer_within(connection: HttpConnection, seconds: float):
        connection.sock.settimeout(seconds)
        try:
            return connection.sock.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return None
        finally:
            connection.sock.settimeout(harness.PATIENCE)

    @staticmethod
    def _accepts(address: Address) -> bool:
        try:
            address.connect().close()
            return True
        except ConnectionRefusedError:
            return False


class ConcurrencyTest(harness.WeirTest):
    def test_reload_and_shutdown_under_load_lose_no_answer(self):
        config = self.write("weir.yaml", """
            listen: {http: "127.0.0.1:0"}
            limits: {api: 1000000000/h}
            """)
        weir = self.start_weir(config=config)
        ending = threading.Event()
        counts = []

        def load() -> None:
            done = 0
            with contextlib.closing(HttpConnection(weir.http)) as connection:
                while not ending.is_set():
                    connection.request("POST", "/v1/check",
                                       '{"requests":[{"limit":"api","key":["k"]}]}')
                    self.assertEqual(connection.getresponse().read().count(b'"allowed":true'), 1)
                    done += 1
            counts.append(done)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            loads = [pool.submit(load) for _ in range(4)]
            for _ in range(20):
                weir.send_signal(signal.SIGHUP)
                self.assertEqual(weir.check({"limit": "api", "key": ["k"]})[0]["allowed"], True)
            ending.set()
            for one in loads:
                one.result()
        [left] = weir.check({"limit": "api", "key": ["k"], "verb": "peek"})
        self.assertGreaterEqual(10**9 - left["remaining"], 0)
        self.assertEqual(len(counts), 4)


if __name__ == "__main__":
    harness.main()
