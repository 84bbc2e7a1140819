#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Twenty instances on one Redis: never one unit over the limit, and none lost."""
import json
import random
import threading

import harness
from harness import Weir
from redis_servers import Server

INSTANCES = 20
CLIENTS = 8       # of each instance
ASKS = 50         # of each client on the hot key
HOT = 1000        # units that the hot key has; 8000 are asked for
KEYS = 1000
EACH = 3          # units that each of these has
ALGORITHMS = ("token_bucket", "leaky_queue", "fixed_window", "sliding_log", "sliding_counter")


def zipf_key(source: random.Random) -> str:
    return f"k{min(int(KEYS ** source.random()), KEYS) - 1}"


class ExactTest(harness.WeirTest):
    """Rates so slow that nothing comes back while the test runs."""

    def start_instances(self) -> list[Weir]:
        server = Server(self)
        limits = "\n".join(
            f"  {name}-{algorithm}: {{rate: {count}/year, algorithm: {algorithm}}}"
            for algorithm in ALGORITHMS for name, count in (("hot", HOT), ("each", EACH)))
        config = self.write("weir.yaml", f"""
listen: {{http: "127.0.0.1:0"}}
loops: 1
store: {{url: "{server.url}", timeout: 10s}}
on_store_failure: deny
limits:
{limits}
""")
        return [self.start_weir(config=config) for _ in range(INSTANCES)]

    def test_b15_every_algorithm_is_exact_over_twenty_instances(self):
        instances = self.start_instances()
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm=algorithm):
                self.hammer(instances, algorithm)

    def hammer(self, instances: list[Weir], algorithm: str) -> None:
        admitted: dict[str, int] = {}
        asked: dict[str, int] = {}
        lefts: list[int] = []
        lock = threading.Lock()
        failures: list[str] = []

        def client(weir: Weir, seed: int) -> None:
            try:
                hot = [{"limit": f"hot-{algorithm}", "key": ["hot"]}] * ASKS
                source = random.Random(seed)
                names = [zipf_key(source) for _ in range(ASKS)]
                each = [{"limit": f"each-{algorithm}", "key": [name]} for name in names]
                results = weir.check(*hot, *each)
                with lock:
                    for name, answer in zip(["hot"] * ASKS + names, results):
                        if answer["authority"] != "shared":
                            failures.append(json.dumps(answer))
                        asked[name] = asked.get(name, 0) + 1
                        admitted[name] = admitted.get(name, 0) + answer["allowed"]
                        if name == "hot" and answer["allowed"]:
                            lefts.append(answer["remaining"])
            except AssertionError as error:
                failures.append(str(error))

        threads = [threading.Thread(target=client, args=(weir, 100 * number + seed))
                   for number, weir in enumerate(instances) for seed in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        # An idle queue has room for one more than may wait: the one that starts at once.
        more = 1 if algorithm == "leaky_queue" else 0
        self.assertEqual(admitted.pop("hot"), HOT + more)
        self.assertEqual(asked.pop("hot"), INSTANCES * CLIENTS * ASKS)
        self.assertEqual(sorted(lefts), list(range(HOT + more)), "each has its own place")
        for name, count in asked.items():
            self.assertEqual(admitted[name], min(count, EACH + more), name)


if __name__ == "__main__":
    harness.main()
