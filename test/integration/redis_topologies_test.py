#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Failovers and migrations under load: of a master guarded by sentinels, and of a cluster's nodes.

A failover may forget what was not replicated yet: what is admitted over the limit by that is
measured and told, and is at most what was admitted in the lag, and never more than one capacity.
"""
import threading
import time

import harness
from harness import Weir, wait_until
from redis_servers import Cluster, Guarded

LIMIT = 500
CONFIG = """
listen: {{http: "127.0.0.1:0"}}
loops: 1
store: {{url: "{url}", timeout: 50ms, instances: 4}}
on_store_failure: deny
rules:
  - {{name: allow, match: {{path: /allow}}, key: "entry:user", missing: skip,
     limits: [{limit}/year], on_store_failure: allow}}
  - {{name: deny, match: {{path: /deny}}, key: "entry:user", missing: skip,
     limits: [{limit}/year], on_store_failure: deny}}
  - {{name: local, match: {{path: /local}}, key: "entry:user", missing: skip,
     limits: [{limit}/year], on_store_failure: local}}
"""
POLICIES = ("allow", "deny", "local")


class Load:
    """Asks for many users by each policy, all the time, from a thread of its own."""

    def __init__(self, weir: Weir, users: int):
        self.weir = weir
        self.users = users
        self.shared: dict[tuple[str, int], int] = {}  # units that Redis said it admitted
        self.fallbacks = 0
        self.worst = 0.0
        self.wrong: list[dict] = []
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        number = 0
        while not self._ending.is_set():
            number += 1
            for policy in POLICIES:
                user = number % self.users
                begun = time.monotonic()
                [answer] = self.weir.check({"request": {
                    "path": f"/{policy}", "entries": {"user": str(user)}}})
                self.worst = max(self.worst, time.monotonic() - begun)
                self._count(policy, user, answer)

    def _count(self, policy: str, user: int, answer: dict) -> None:
        if answer["authority"] == "shared":
            key = (policy, user)
            self.shared[key] = self.shared.get(key, 0) + answer["allowed"]
            return
        self.fallbacks += 1
        right = {"allow": answer["allowed"], "deny": answer.get("reason") == "unavailable",
                 "local": answer["authority"] == "fallback"}[policy]
        if not right:
            self.wrong.append(answer)

    def end(self) -> None:
        self._ending.set()
        self._thread.join()


class TopologiesTest(harness.WeirTest):
    def start_under_load(self, url: str, users: int) -> Load:
        weir = self.start_weir(config=CONFIG.format(url=url, limit=LIMIT))
        ask = {"request": {"path": "/deny", "entries": {"user": "first"}}}
        wait_until(lambda: weir.check(ask)[0]["authority"] == "shared", "the store to be found")
        load = Load(weir, users)
        self.addCleanup(load.end)
        return load

    def await_shared(self, load: Load) -> float:
        """How long until Redis decides again, for every user."""
        begun = time.monotonic()
        asks = [{"request": {"path": "/deny", "entries": {"user": str(user)}}, "verb": "peek"}
                for user in range(load.users)]
        def all_shared() -> bool:
            return all(answer["authority"] == "shared" for answer in load.weir.check(*asks))

        wait_until(all_shared, "the shared store to decide again", 30)
        return time.monotonic() - begun

    def forgotten(self, load: Load) -> int:
        """Units that were admitted and are no longer known."""
        lost = 0
        for (policy, user), admitted in load.shared.items():
            [answer] = wait_until(lambda policy=policy, user=user: self.peek(load, policy, user),
                                  "the shared store to tell what is left")
            lost += max(0, admitted - (LIMIT - answer["remaining"]))
        return lost

    def peek(self, load: Load, policy: str, user: int) -> list[dict]:
        answers = load.weir.check({"request": {
            "path": f"/{policy}", "entries": {"user": str(user)}}, "verb": "peek"})
        return [answer for answer in answers if answer["authority"] == "shared"]

    def finish(self, load: Load, what: str) -> int:
        back = self.await_shared(load)
        load.end()
        self.assertEqual(load.wrong, [])
        lost = self.forgotten(load)
        print(f"{what}: back {back * 1e3:.0f} ms after the new master, worst answer "
              f"{load.worst * 1e3:.0f} ms, {load.fallbacks} answers by policy, {lost} of "
              f"{sum(load.shared.values())} units forgotten", end=" ", flush=True)
        self.assertLessEqual(lost, sum(load.shared.values()))
        return lost

    def test_a_killed_master_is_replaced_by_its_sentinels(self):
        guarded = Guarded(self)
        load = self.start_under_load(guarded.url, 10)
        wait_until(lambda: len(load.shared) == 30, "the load to run")
        guarded.master.kill()
        guarded.wait_until_promoted()
        self.finish(load, "killed")

    def test_b35_a_frozen_master_is_replaced_and_no_longer_asked(self):
        guarded = Guarded(self)
        load = self.start_under_load(guarded.url, 10)
        wait_until(lambda: len(load.shared) == 30, "the load to run")
        guarded.master.pause()
        guarded.wait_until_promoted()
        self.await_shared(load)
        guarded.master.resume()
        before = sum(load.shared.values())
        wait_until(lambda: sum(load.shared.values()) > before + 50 or load.fallbacks > 10_000,
                   "the load to go on")
        self.finish(load, "frozen")

    def test_a_node_of_a_cluster_is_replaced_by_its_replica(self):
        cluster = Cluster(self, replicas=1)
        load = self.start_under_load(cluster.url, 30)
        wait_until(lambda: len(load.shared) == 90, "the load to run")
        killed = cluster.masters[0]
        killed.kill()
        wait_until(lambda: len(cluster.masters) == 3, "a replica to be promoted", 30)
        self.finish(load, "cluster")

    def test_b34_slots_migrate_under_load_and_nothing_is_lost(self):
        cluster = Cluster(self)
        load = self.start_under_load(cluster.url, 100)
        wait_until(lambda: len(load.shared) == 300, "the load to run")
        source, target = cluster.masters[:2]
        ids = [node.client().execute_command("CLUSTER MYID").decode() for node in (source, target)]
        cluster.cli("--cluster", "reshard", f"127.0.0.1:{source.port}", "--cluster-from", ids[0],
                    "--cluster-to", ids[1], "--cluster-slots", "2000", "--cluster-yes")
        lost = self.finish(load, "migration")
        self.assertEqual(lost, 0)


if __name__ == "__main__":
    harness.main()
