#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a decision over HTTP costs, against nginx that answers the same requests with `return 204`.

    bench/http_bench.py [--weir BINARY] [--rounds N] [--seconds S] [--small] [--format text|json]

Each server has one worker on core 0, wrk has core 1 and 32 connections. The figure is the time that
all threads of the server were on a processor, for each request: other processes on the machine
disturb it little. Rounds take turns; the medians and their ratios are told.
"""
import argparse
import contextlib
import json
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

KEYS = 100_000
CONNECTIONS = 32

WEIR_CONFIG = """
listen: {{http: "127.0.0.1:{port}"}}
loops: 1
memory: 32MiB
limits: {{api: 1000000/s burst 1000000}}
rules:
  - name: admitted
    match: {{path: /v1/**}}
    key: "header:x-api-key | ip"
    limits: [1000000/s]
  - name: refused
    match: {{path: /refused}}
    key: "header:x-api-key | ip"
    limits: [1/h fixed_window]
"""

NGINX_CONFIG = """
{user}
daemon off; worker_processes 1; worker_cpu_affinity 01; pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 75s;
  {paths}
  server {{
    listen 127.0.0.1:{port};
    location / {{ error_page 418 = @done; return 418; }}
    location @done {{ return 204; }}
  }}
}}
"""

AUTH_FIELDS = {"X-Forwarded-Method": "GET", "X-Forwarded-For": "198.18.0.1",
               "X-Api-Key": "user-%d"}

# What is asked: the method, the path, the header fields, and the body, with %d in place of the key.
LOADS = {
    "check, a limit that comes along": (
        "POST", "/v1/check", {},
        '{"requests":[{"rate":"1000000/s burst 1000000","key":["user-%d"]}]}'),
    "check, a named limit": (
        "POST", "/v1/check", {}, '{"requests":[{"limit":"api","key":["user-%d"]}]}'),
    "auth, admitted": ("GET", "/v1/auth", AUTH_FIELDS | {"X-Forwarded-Uri": "/v1/items/7"}, None),
    "auth, refused": ("GET", "/v1/auth", AUTH_FIELDS | {"X-Forwarded-Uri": "/refused"}, None),
}

LUA = """
local headers = {headers}
local requests = {{}}
function init()  -- the Host is known by then
  for key = 1, {keys} do
    local own = {{}}
    for name, value in pairs(headers) do own[name] = value:gsub("%%d", key) end
    local body = {body}
    if body then body = body:gsub("%%d", key) end
    requests[key] = wrk.format("{method}", "{path}", own, body)
  end
end
local last = 0
function request()
  last = last % {keys} + 1
  return requests[last]
end
function done(summary)
  local errors = summary.errors
  io.write("requests=", summary.requests, " broken=",
           errors.connect + errors.read + errors.write + errors.timeout,
           " refused=", errors.status, "\\n")
end
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def on_cpu_ns(pids: list[int]) -> int:
    return sum(int(file.read_text().split()[0]) for pid in pids
               for file in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"))


def with_children(pid: int) -> list[int]:
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


class Server:
    """A server on core 0, ended with the `with` block."""

    def __init__(self, command: list[str], port: int) -> None:
        self.port = port
        self.process = subprocess.Popen(["taskset", "-c", "0", *command],
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

    def cpu_ns_per_request(self, script: pathlib.Path, seconds: float, refuses: bool) -> float:
        pids = with_children(self.process.pid)
        before = on_cpu_ns(pids)
        wrk = subprocess.run(
            ["taskset", "-c", "1", "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", script,
             f"http://127.0.0.1:{self.port}"], capture_output=True, text=True, check=True)
        after = on_cpu_ns(pids)
        counts = dict(part.split("=") for part in wrk.stdout.splitlines()[-1].split())
        requests, broken, refused = (
            int(counts[name]) for name in ("requests", "broken", "refused"))
        if requests == 0 or broken > 0 or refused > (requests if refuses else 0):
            raise SystemExit(f"the load went wrong:\n{wrk.stdout}")
        if refuses and refused < requests * 0.5:
            raise SystemExit(f"too few were refused:\n{wrk.stdout}")
        return (after - before) / requests


def write_script(folder: pathlib.Path, name: str, keys: int) -> pathlib.Path:
    method, path, headers, body = LOADS[name]
    table = ", ".join(f'["{field}"] = "{value}"' for field, value in headers.items())
    script = folder / f"{name.replace(' ', '_')}.lua"
    script.write_text(LUA.format(method=method, path=path, keys=keys, headers="{" + table + "}",
                                 body="nil" if body is None else f"'{body}'"))
    return script


def start_weir(binary: str, folder: pathlib.Path) -> Server:
    port = free_port()
    config = folder / "weir.yaml"
    config.write_text(WEIR_CONFIG.format(port=port))
    return Server([binary, "serve", "--config", config], port)


def start_nginx(folder: pathlib.Path) -> Server:
    port = free_port()
    config = folder / "nginx.conf"
    config.write_text(NGINX_CONFIG.format(
        folder=folder, port=port, user="user root;",
        paths=" ".join(f"{kind}_temp_path {folder}/{kind};"
                       for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))))
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin") or "nginx"
    return Server([nginx, "-p", folder, "-c", config], port)


def measure(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, list[float]]] = {name: {} for name in LOADS}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        scripts = {name: write_script(folder, name, options.keys) for name in LOADS}
        with start_weir(options.weir, folder) as weir, start_nginx(folder) as nginx:
            for _ in range(options.rounds):
                for name, script in scripts.items():
                    for server_name, server in (("nginx", nginx), ("weir", weir)):
                        figures[name].setdefault(server_name, []).append(
                            server.cpu_ns_per_request(
                                script, options.seconds,
                                refuses=server is weir and name.endswith("refused")))
    medians = {name: {server: statistics.median(values) for server, values in servers.items()}
               for name, servers in figures.items()}
    for servers in medians.values():
        servers["ratio"] = servers["weir"] / servers["nginx"]
    return medians


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weir", default="weir", help="the binary")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of each run")
    parser.add_argument("--small", action="store_true", help="just see that it works")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args()
    options.keys = KEYS
    if options.small:
        options.rounds, options.seconds, options.keys = 1, 1, 100
    for needed in ("wrk", "taskset"):
        if shutil.which(needed) is None:
            sys.exit(f"{needed} is not installed")

    medians = measure(options)
    if options.format == "json":
        print(json.dumps({"unit": "ns on a processor for each request", "base": "nginx return 204",
                          "loads": medians}, indent=2))
        return
    print(f"{'ns on a processor for each request':36} {'nginx 204':>10} {'weir':>10} {'ratio':>7}")
    for name, servers in medians.items():
        print(f"{name:36} {servers['nginx']:10.0f} {servers['weir']:10.0f} {servers['ratio']:7.2f}")


if __name__ == "__main__":
    main()
