#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""CL.THROTTLE and weir's own commands through real Redis clients: redis-cli, redis-py, hiredis."""
import os
import subprocess
import unittest

import harness
from harness import Weir

try:
    import redis
except ImportError:
    redis = None

HIREDIS_CLIENT = os.environ.get("WEIR_HIREDIS_CLIENT")

CONFIG = """
listen:
  resp: ["127.0.0.1:0", "unix:{folder}/resp.sock"]
limits:
  api: 3/h fixed_window
"""
# B40: the reply to the first and to the second call, and what follows when the burst is used up.
FIRST = [0, 16, 15, -1, 2]
SECOND = [0, 16, 14, -1, 4]


class RespTest(harness.WeirTest):
    def setUp(self) -> None:
        super().setUp()
        self.weir: Weir = self.start_weir(config=CONFIG.format(folder=self.folder))


class RedisCliTest(RespTest):
    def cli(self, *words: str, stdin: str | None = None) -> str:
        address = self.weir.resp
        done = subprocess.run(["redis-cli", "-h", address.host, "-p", str(address.port), *words],
                              input=stdin, capture_output=True, text=True, check=True,
                              timeout=harness.PATIENCE)
        return done.stdout

    def throttle(self, *words: str) -> list[int]:
        return [int(line) for line in self.cli("CL.THROTTLE", *words).split()]

    def test_b40_replies_of_cl_throttle(self):
        self.assertEqual(self.throttle("user123", "15", "30", "60"), FIRST)
        self.assertEqual(self.throttle("user123", "15", "30", "60", "1"), SECOND)

    def test_b39_cost_as_large_as_the_burst_and_beyond(self):
        self.assertEqual(self.throttle("k", "4", "60", "60", "5")[:2], [0, 5])
        limited, limit, remaining, retry, _ = self.throttle("k", "4", "60", "60", "5")
        self.assertEqual((limited, limit, remaining), (1, 5, 0))
        self.assertIn(retry, (4, 5))
        self.assertEqual(self.throttle("fresh", "4", "60", "60", "6")[3], -1)

    def test_b27_a_negative_quantity_gives_back_and_never_beyond_full(self):
        self.assertEqual(self.throttle("r", "9", "1", "3600", "10")[:3], [0, 10, 0])
        self.assertEqual(self.throttle("r", "9", "1", "3600", "-3")[:3], [0, 10, 3])
        self.assertEqual(self.throttle("r", "9", "1", "3600", "-50")[:3], [0, 10, 10])

    def test_a_script_of_commands_on_standard_input(self):
        script = "CL.THROTTLE s 2 1 60\n" * 4
        answers = [int(line) for line in self.cli(stdin=script).split()]
        self.assertEqual(answers[0::5], [0, 0, 0, 1])
        self.assertEqual(answers[2::5], [2, 1, 0, 0])

    def test_mass_insertion_over_a_pipe(self):
        command = "*5\r\n$11\r\nCL.THROTTLE\r\n$1\r\np\r\n$2\r\n10\r\n$1\r\n1\r\n$2\r\n60\r\n"
        done = self.cli("--pipe", stdin=command * 5000)
        self.assertIn("errors: 0, replies: 5000", done)

    def test_errors_are_told_as_redis_tells_them(self):
        for words in (["CL.THROTTLE", "k"], ["CL.THROTTLE", "k", "a", "1", "60"],
                      ["CL.THROTTLE", "k", "1", "1", "0"], ["NO.SUCH"]):
            self.assertRegex(self.cli(*words), "^(ERR|Cell error)", words)
        self.assertEqual(self.cli("PING").strip(), "PONG")

    def test_over_a_unix_socket(self):
        done = subprocess.run(["redis-cli", "-s", self.folder / "resp.sock", "PING"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "PONG")

    def test_resp3(self):
        answers = self.cli("-3", "CL.THROTTLE", "three", "15", "30", "60").split()
        self.assertEqual([int(answer) for answer in answers], FIRST)


@unittest.skipUnless(redis, "python3-redis is not installed")
class RedisPyTest(RespTest):
    def client(self, **options) -> "redis.Redis":
        client = redis.Redis(host=self.weir.resp.host, port=self.weir.resp.port, **options)
        self.addCleanup(client.close)
        return client

    def test_b40_replies_of_cl_throttle(self):
        client = self.client()
        self.assertEqual(client.execute_command("CL.THROTTLE", "user123", 15, 30, 60), FIRST)
        self.assertEqual(client.execute_command("CL.THROTTLE", "user123", 15, 30, 60, 1), SECOND)

    def test_a_pipeline_is_answered_in_order(self):
        with self.client().pipeline(transaction=False) as pipeline:
            for n in range(200):
                pipeline.execute_command("CL.THROTTLE", f"key-{n % 2}", 49, 1, 3600)
            answers = pipeline.execute()
        self.assertEqual([answer[0] for answer in answers], [0] * 100 + [1] * 100)
        self.assertEqual([answer[2] for answer in answers[:100:2]], list(range(49, -1, -1)))

    def test_an_error_within_a_pipeline_stands_in_its_place(self):
        with self.client().pipeline(transaction=False) as pipeline:
            pipeline.execute_command("CL.THROTTLE", "e", 4, 1, 60)
            pipeline.execute_command("CL.THROTTLE", "e", "x", 1, 60)
            pipeline.execute_command("CL.THROTTLE", "e", 4, 1, 60)
            first, second, third = pipeline.execute(raise_on_error=False)
        self.assertEqual((first[2], third[2]), (4, 3))
        self.assertIsInstance(second, redis.ResponseError)

    def test_weir_acquire_of_a_named_limit(self):
        client = self.client()
        answers = [client.execute_command("WEIR.ACQUIRE", "api", "user") for _ in range(4)]
        self.assertEqual([answer[0] for answer in answers], [1, 1, 1, 0])

    def test_binary_keys_are_told_apart(self):
        client = self.client()
        keys = [b"\x00", b"\x00\x00", b"\r\n", b"\xff" * 300, "k\u00e9y".encode()]
        for key in keys:
            self.assertEqual(client.execute_command("CL.THROTTLE", key, 0, 1, 60)[0], 0, key)
            self.assertEqual(client.execute_command("CL.THROTTLE", key, 0, 1, 60)[0], 1, key)

    def test_what_clients_say_when_they_connect(self):
        client = self.client(client_name="test", health_check_interval=1)
        self.assertTrue(client.ping())
        self.assertEqual(client.echo("x"), b"x")

    def test_over_a_unix_socket(self):
        client = redis.Redis(unix_socket_path=str(self.folder / "resp.sock"))
        self.addCleanup(client.close)
        self.assertTrue(client.ping())


class PasswordTest(harness.WeirTest):
    @unittest.skipUnless(redis, "python3-redis is not installed")
    def test_a_password_is_asked_for(self):
        weir = self.start_weir(
            config='listen: {resp: "127.0.0.1:0"}\nresp: {password: open sesame}\n')
        port = weir.resp.port
        with redis.Redis(port=port) as client:
            with self.assertRaises(redis.AuthenticationError):
                client.execute_command("CL.THROTTLE", "k", 1, 1, 60)
        with redis.Redis(port=port, password="wrong") as client:
            with self.assertRaises(redis.ResponseError):
                client.ping()
        with redis.Redis(port=port, password="open sesame") as client:
            self.assertEqual(client.execute_command("CL.THROTTLE", "k", 1, 1, 60)[0], 0)


@unittest.skipUnless(HIREDIS_CLIENT, "hiredis is not installed")
class HiredisTest(RespTest):
    def test_calls_and_pipelines(self):
        address = self.weir.resp
        done = subprocess.run([HIREDIS_CLIENT, address.host, str(address.port)],
                              capture_output=True, text=True, timeout=harness.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split(), ["0,16,15,-1,2", "0,16,14,-1,4", "pipeline:50/100"])


if __name__ == "__main__":
    harness.main()
