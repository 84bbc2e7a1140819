#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures weir and what would be used instead, on the same work, in turn.

    WEIR_BINARY=build/release/src/cli/weir bench/servers.py [--smoke]

The server runs on one core, the load on another, over loopback. CPU is the time that the server
spent on its core divided by the calls: it is steadier than the rate, which the load limits too. Each
line is the median of five rounds, and the rounds of all lines take turns. Compare lines of one run
only.
"""
import argparse
import contextlib
import dataclasses
import functools
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "integration"))
import harness  # noqa: E402

SERVER_CORE, LOAD_CORE = "0", "1"
KEYS = 1_000_000

# How a limiter in Redis is usually written: a counter that expires.
COUNTER = """local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return n <= tonumber(ARGV[1]) and 1 or 0"""

CHECK = """wrk.method = "POST"
wrk.body = '{"requests": [{"limit": "api", "key": ["user-1"]}]}'
"""


def start(ending: contextlib.ExitStack, command: list, port: int) -> harness.Process:
    """A server on the server's core, once it listens. It is stopped with `ending`."""
    process = harness.Process(["taskset", "-c", SERVER_CORE, *command])
    ending.callback(process.stop)
    address = harness.Address("127.0.0.1", port)

    def listens() -> bool:
        try:
            address.connect().close()
            return True
        except OSError:
            return False

    harness.wait_until(listens, f"{command[0]} to listen")
    return process


def cpu_seconds(server: harness.Process) -> float:
    """What all threads of a server and of its children have spent on a core."""
    parent = server.process.pid
    children = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    spent_ns = 0
    for pid in (parent, *children):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            spent_ns += int((task / "schedstat").read_text().split()[0])
    return spent_ns / 1e9


def start_weir(ending: contextlib.ExitStack, folder: pathlib.Path, http: int,
               resp: int) -> harness.Process:
    config = folder / "weir.yaml"
    config.write_text(f"""
listen: {{http: "127.0.0.1:{http}", resp: "127.0.0.1:{resp}"}}
loops: 1
limits: {{api: 1000000000/s}}
rules: [{{name: all, key: ip, limits: [api]}}]
""")
    return start(ending, [harness.BINARY, "serve", "--config", config], http)


def start_redis(ending: contextlib.ExitStack, folder: pathlib.Path, port: int) -> harness.Process:
    return start(ending, ["redis-server", "--port", port, "--save", "", "--appendonly", "no",
                          "--logfile", folder / "redis.log"], port)


def start_nginx(ending: contextlib.ExitStack, folder: pathlib.Path, port: int) -> harness.Process:
    config = folder / "nginx.conf"
    config.write_text(f"""
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr crit;
events {{}}
http {{
  access_log off; client_body_temp_path {folder}/body; keepalive_requests 1000000000;
  limit_req_zone $binary_remote_addr zone=api:16m rate=1000000r/s;
  server {{
    listen 127.0.0.1:{port};
    location = /limited {{ limit_req zone=api burst=1000000 nodelay; try_files /none @done; }}
    location @done {{ return 204; }}
  }}
}}""")
    return start(ending, ["/usr/sbin/nginx", "-p", folder, "-c", config], port)


def run_load(command: list) -> str:
    done = subprocess.run(["taskset", "-c", LOAD_CORE, *map(str, command)], capture_output=True,
                          text=True, check=True)
    return done.stdout


def redis_load(port: int, pipeline: int, calls: int, words: list[str]) -> tuple[int, float]:
    """How many calls were made, and how many a second."""
    output = run_load(["redis-benchmark", "-p", port, "-c", 32, "-P", pipeline, "-n", calls,
                       "-r", KEYS, "--csv", *words])
    return calls, float(output.splitlines()[-1].split('","')[1])


def http_load(port: int, seconds: int, target: str, *options) -> tuple[int, float]:
    output = run_load(["wrk", "-t", 1, "-c", 32, "-d", f"{seconds}s", *options,
                       f"http://127.0.0.1:{port}{target}"])
    calls = int(re.search(r"(\d+) requests in", output)[1])
    return calls, float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])


@dataclasses.dataclass
class Row:
    """One line of the table: whose time counts, and the load on it."""
    what: str
    server: harness.Process
    load: Callable[[], tuple[int, float]]
    rounds: list[tuple[float, float]] = dataclasses.field(default_factory=list)

    def run(self) -> None:
        before = cpu_seconds(self.server)
        calls, rate = self.load()
        self.rounds.append(((cpu_seconds(self.server) - before) / calls * 1e6, rate))

    def __str__(self) -> str:
        cpu_us, rate = (statistics.median(values) for values in zip(*self.rounds))
        return f"{self.what:<42}{cpu_us:>14.2f}{rate:>12,.0f}"


def rows(ending: contextlib.ExitStack, folder: pathlib.Path, smoke: bool) -> list[Row]:
    http, resp, redis_port, nginx_port = (harness.free_port() for _ in range(4))
    weir = start_weir(ending, folder, http, resp)
    redis = start_redis(ending, folder, redis_port)
    nginx = start_nginx(ending, folder, nginx_port)
    script = subprocess.run(["redis-cli", "-p", str(redis_port), "SCRIPT", "LOAD", COUNTER],
                            capture_output=True, text=True, check=True).stdout.strip()
    check = folder / "check.lua"
    check.write_text(CHECK)
    seconds = 1 if smoke else 4
    key = "key:__rand_int__"
    found = []
    for pipeline, calls in ((1, 250_000), (16, 1_000_000)):
        for name, server, port, words in (
                ("weir, CL.THROTTLE", weir, resp, ["CL.THROTTLE", key, "99", "100", "1"]),
                ("Redis, a counter in Lua", redis, redis_port,
                 ["EVALSHA", script, "1", key, "100", "1000"]),
                ("Redis, GET (no limit at all)", redis, redis_port, ["GET", key])):
            load = functools.partial(redis_load, port, pipeline, 1000 if smoke else calls, words)
            found.append(Row(f"RESP x{pipeline}: {name}", server, load))
    for name, server, port, target, *options in (
            ("weir, GET /v1/auth", weir, http, "/v1/auth"),
            ("weir, POST /v1/check", weir, http, "/v1/check", "-s", check),
            ("nginx, limit_req", nginx, nginx_port, "/limited")):
        load = functools.partial(http_load, port, seconds, target, *options)
        found.append(Row(f"HTTP: {name}", server, load))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="one short round, to see that it runs")
    options = parser.parse_args()
    with contextlib.ExitStack() as ending:
        folder = ending.enter_context(tempfile.TemporaryDirectory(prefix="weir-bench-"))
        table = rows(ending, pathlib.Path(folder), options.smoke)
        for _ in range(1 if options.smoke else 5):
            for row in table:
                row.run()
    print(f"{'':<42}{'CPU us a call':>14}{'calls/s':>12}")
    for row in table:
        print(row)


if __name__ == "__main__":
    main()
