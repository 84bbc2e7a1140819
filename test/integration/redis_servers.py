# SPDX-License-Identifier: Apache-2.0
"""Real Redis servers for tests: one, one with sentinels, a cluster; and a proxy that spoils things.

All listen on free ports of loopback, keep what they keep in the test's folder, and are ended with
the test by their ids.
"""
import contextlib
import select
import signal
import socket
import subprocess
import threading
import time

import redis

import harness
from harness import PATIENCE, free_port, wait_until


class Server:
    """A redis-server that can be stopped, frozen, killed and started again on the same port."""

    def __init__(self, test: harness.WeirTest, *options: str, port: int = 0):
        self.port = port or free_port()
        self.folder = test.folder / f"redis-{self.port}"
        self.folder.mkdir()
        self.options = options
        self.process: harness.Process | None = None
        test.addCleanup(self.stop)
        self.start()

    def start(self, *more: str) -> None:
        """Empty, unless its options say that it keeps something."""
        self.process = harness.Process(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder,
             "--save", "", "--appendonly", "no", "--daemonize", "no", "--logfile", "",
             "--enable-debug-command", "yes", *self.options, *more])
        self.wait_ready()

    def wait_ready(self) -> None:
        def answers():
            with contextlib.suppress(redis.exceptions.ConnectionError):
                return self.client().ping()
        wait_until(answers, f"redis-server at {self.port}")

    def client(self, **options) -> redis.Redis:
        return redis.Redis(port=self.port, socket_timeout=PATIENCE, **options)

    def replication(self, name: str) -> str | None:
        """What `INFO replication` says; a promotion may cut the connection meanwhile."""
        return wait_until(self._replication, f"{self.port} to tell of replication").get(
            name)

    def _replication(self) -> dict | None:
        with contextlib.suppress(redis.exceptions.ConnectionError):
            return self.client().info("replication")
        return None

    def pause(self) -> None:
        """Takes everything and answers nothing; nobody is told."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process = None

    def stop(self) -> None:
        self.kill()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"


class Guarded:
    """A master, a replica and three sentinels. Those that come through a proxy find the master at
    the proxy's port; then no fault of the proxy lasts long enough for a failover."""

    def __init__(self, test: harness.WeirTest, proxied: bool = False):
        self.master = Server(test)
        self.proxy = Proxy(test, self.master.port) if proxied else None
        watched = self.proxy.port if proxied else self.master.port
        patience_ms = 60_000 if proxied else 500
        self.replica = Server(test, "--replicaof", "127.0.0.1", str(self.master.port))
        wait_until(lambda: self.replica.replication("master_link_status") == "up",
                   "the replica to follow")
        self.sentinels: list[int] = []
        for _ in range(3):
            port = free_port()
            file = test.folder / f"sentinel-{port}.conf"
            file.write_text(f"port {port}\nbind 127.0.0.1\ndir {test.folder}\n"
                            f"sentinel monitor main 127.0.0.1 {watched} 2\n"
                            f"sentinel down-after-milliseconds main {patience_ms}\n"
                            "sentinel failover-timeout main 2000\n")
            sentinel = harness.Process(["redis-server", file, "--sentinel"])
            test.addCleanup(sentinel.stop)
            self.sentinels.append(port)
        for port in self.sentinels:
            wait_until(lambda port=port: self._knows_all(port), "the sentinels to know each other")

    def _knows_all(self, port: int) -> bool:
        with contextlib.suppress(redis.exceptions.RedisError):
            state = redis.Redis(port=port, socket_timeout=PATIENCE).sentinel_master("main")
            return state["num-other-sentinels"] == 2 and state["num-slaves"] == 1
        return False

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.sentinels)
        return f"redis+sentinel://{hosts}/main"

    def wait_until_promoted(self) -> None:
        wait_until(lambda: self.replica.replication("role") == "master",
                   "the replica to be promoted")


class Cluster:
    """Three masters, each with a replica if wanted. With `proxied` each is told to clients at the
    port of a proxy of its own."""

    def __init__(self, test: harness.WeirTest, replicas: int = 0, proxied: bool = False):
        self.nodes: list[Server] = []
        self.proxies: list[Proxy] = []
        for _ in range(3 * (1 + replicas)):
            port = free_cluster_port()
            told = ()
            if proxied:
                self.proxies.append(Proxy(test, port))
                told = ("--cluster-announce-ip", "127.0.0.1", "--cluster-announce-bus-port",
                        str(port + 10_000), "--cluster-announce-port",
                        str(self.proxies[-1].port))
            self.nodes.append(Server(
                test, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
                "--cluster-config-file", "nodes.conf", *told, port=port))
        addresses = [f"127.0.0.1:{node.port}" for node in self.nodes]
        self.cli("--cluster", "create", *addresses, "--cluster-replicas", str(replicas),
                 "--cluster-yes")
        for node in self.nodes:
            wait_until(lambda node=node: "cluster_state:ok" in self.cli(
                "-p", str(node.port), "CLUSTER", "INFO"), "the cluster to be whole")
            wait_until(lambda node=node: node.replication("master_link_status") in (None, "up"),
                       "the replicas to follow")

    def cli(self, *arguments: str) -> str:
        done = subprocess.run(["redis-cli", *arguments], capture_output=True, text=True, timeout=60,
                              check=False)
        if done.returncode != 0:
            raise AssertionError(f"redis-cli {arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    @property
    def masters(self) -> list[Server]:
        return [node for node in self.nodes
                if node.process and node.replication("role") == "master"]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)


def free_cluster_port() -> int:
    """A node also listens 10000 ports further on."""
    while True:
        port = free_port()
        if port > 55_000:
            continue
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port + 10_000))
            return port


class Proxy:
    """Stands between weir and a server and spoils what passes, as `mode` says at the moment:

    pass     nothing
    refuse   no new connections, and the old ones are cut
    cut      the next request is passed on, then the connection is cut before its reply
    swallow  requests are passed on, replies are not
    garbage  replies are garbage
    delay    each reply comes `delay` seconds late
    error    each request is answered with `error`, and not passed on
    """

    def __init__(self, test: harness.WeirTest, target: int):
        self.target = target
        self.mode = "pass"
        self.delay = 0.05
        self.error = b""
        self.connections = 0
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._ending = False
        threading.Thread(target=self._accept, daemon=True).start()
        test.addCleanup(self.end)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def set(self, mode: str, **settings) -> None:
        for name, value in settings.items():
            setattr(self, name, value)
        self.mode = mode
        if mode == "refuse":
            self._stop_listening()
            self.cut_all()
        elif self._listener.fileno() < 0:
            self._listener = socket.create_server(("127.0.0.1", self.port))
            threading.Thread(target=self._accept, daemon=True).start()

    def cut_all(self) -> None:
        for pair in list(self._pairs):
            self._cut(pair)

    def end(self) -> None:
        self._ending = True
        self._stop_listening()
        self.cut_all()

    def _stop_listening(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()

    def _cut(self, pair) -> None:
        with contextlib.suppress(ValueError):
            self._pairs.remove(pair)
        for end in pair:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        listener = self._listener
        while not self._ending:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                client.close()
                continue
            self.connections += 1
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = (client, server)
            self._pairs.append(pair)
            threading.Thread(target=self._serve, args=(pair,), daemon=True).start()

    def _serve(self, pair) -> None:
        client, server = pair
        late: list[tuple[float, bytes]] = []
        with contextlib.suppress(OSError, ValueError):
            while True:
                wait = max(0.0, late[0][0] - time.monotonic()) if late else 0.5
                ready, _, _ = select.select([client, server], [], [], wait)
                while late and late[0][0] <= time.monotonic():
                    client.sendall(late.pop(0)[1])
                if client in ready and not self._request(client, server):
                    break
                if server in ready and not self._reply(client, server, late):
                    break
        self._cut(pair)

    def _request(self, client, server) -> bool:
        data = client.recv(1 << 16)
        if not data:
            return False
        if self.mode == "error":
            client.sendall(self.error * data.count(b"*"))
            return True
        server.sendall(data)
        if self.mode == "cut":
            self.mode = "pass"
            server.recv(1 << 16)
            return False
        return True

    def _reply(self, client, server, late) -> bool:
        data = server.recv(1 << 16)
        if not data:
            return False
        if self.mode == "delay":
            late.append((time.monotonic() + self.delay, data))
        elif self.mode == "garbage":
            client.sendall(b"\x00\xffHTTP/1.1 400 what\r\n\r\n")
        elif self.mode != "swallow":
            client.sendall(data)
        return True
