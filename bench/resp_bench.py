#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a decision over RESP costs, against redis-server that answers GET over as many keys.

    bench/resp_bench.py [--weir BINARY] [--rounds N] [--small] [--format text|json]

Each server has one loop on core 0, redis-benchmark has core 1. The figure is the time that all
threads of the server were on a processor, for each command: other processes on the machine disturb
it little. Rounds take turns between the servers; the medians and their ratios are told.
"""
import argparse
import contextlib
import dataclasses
import json
import pathlib
import socket
import statistics
import subprocess
import tempfile
import time

KEYS = 1_000_000
KEY = "key:__rand_int__"
THROTTLE = ["CL.THROTTLE", KEY, "15", "30", "60"]
GET = ["GET", KEY]
SET = ["SET", KEY, "xxx"]


@dataclasses.dataclass(frozen=True)
class Load:
    depth: int  # commands that a client sends before it waits for their answers
    clients: int
    commands: int


LOADS = [Load(1, 32, 300_000), Load(16, 8, 2_000_000), Load(100, 8, 4_000_000)]
SMALL = [Load(1, 4, 1_000), Load(16, 2, 4_000), Load(100, 2, 10_000)]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server on core 0, ended with the `with` block."""

    def __init__(self, command: list, port: int) -> None:
        self.port = port
        self.process = subprocess.Popen(["taskset", "-c", "0", *map(str, command)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self) -> "Server":
        end = time.monotonic() + 10
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        self.__exit__()
        raise SystemExit(f"it does not start: {' '.join(map(str, self.process.args))}")

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait()

    def on_cpu_ns(self) -> int:
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks)

    def run(self, load: Load, words: list[str]) -> None:
        done = subprocess.run(
            ["taskset", "-c", "1", "redis-benchmark", "-p", str(self.port), "-c", str(load.clients),
             "-P", str(load.depth), "-n", str(load.commands), "-r", str(KEYS), "--csv", *words],
            capture_output=True, text=True, check=False)
        if done.returncode != 0 or "rror" in done.stdout + done.stderr:
            raise SystemExit(f"redis-benchmark met an error:\n{done.stdout}{done.stderr}")

    def cpu_ns_per_command(self, load: Load, words: list[str]) -> float:
        before = self.on_cpu_ns()
        self.run(load, words)
        return (self.on_cpu_ns() - before) / load.commands


@dataclasses.dataclass
class Row:
    load: Load
    weir_ns: list[float] = dataclasses.field(default_factory=list)
    redis_ns: list[float] = dataclasses.field(default_factory=list)

    def told(self) -> dict:
        weir, redis = statistics.median(self.weir_ns), statistics.median(self.redis_ns)
        # Neighbouring runs met the same machine: the ratio is theirs, not the medians'.
        ratio = statistics.median(w / r for w, r in zip(self.weir_ns, self.redis_ns))
        return {"depth": self.load.depth, "clients": self.load.clients,
                "weir_throttle_ns": round(weir), "redis_get_ns": round(redis),
                "ratio": round(ratio, 3)}


def measure(binary: str, loads: list[Load], rounds: int, fill: Load) -> list[dict]:
    rows = [Row(load) for load in loads]
    with contextlib.ExitStack() as ending:
        folder = pathlib.Path(
            ending.enter_context(tempfile.TemporaryDirectory(prefix="weir-bench-")))
        weir_port, redis_port = free_port(), free_port()
        config = folder / "weir.yaml"
        config.write_text(f'listen: {{resp: "127.0.0.1:{weir_port}"}}\nloops: 1\n')
        weir = ending.enter_context(Server([binary, "serve", "--config", config], weir_port))
        redis = ending.enter_context(Server(
            ["redis-server", "--port", redis_port, "--save", "", "--appendonly", "no",
             "--dir", folder], redis_port))
        weir.run(fill, THROTTLE)
        redis.run(fill, SET)
        for _ in range(rounds):
            for row in rows:
                row.weir_ns.append(weir.cpu_ns_per_command(row.load, THROTTLE))
                row.redis_ns.append(redis.cpu_ns_per_command(row.load, GET))
    return [row.told() for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weir", default="build/release/src/cli/weir", help="the binary")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="one short round, to see that it runs")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args()
    if options.small:
        told = measure(options.weir, SMALL, 1, SMALL[-1])
    else:
        told = measure(options.weir, LOADS, options.rounds, LOADS[-1])
    if options.format == "json":
        print(json.dumps(told))
        return
    print("CPU ns a command     weir CL.THROTTLE    redis GET    ratio")
    for row in told:
        print(f"depth {row['depth']:>3} x {row['clients']:<2} {row['weir_throttle_ns']:>24}"
              f"{row['redis_get_ns']:>13}{row['ratio']:>9.2f}")


if __name__ == "__main__":
    main()
