#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Memory under a flood of keys that never come again. For a build without sanitizers: theirs is not
weir's."""
import contextlib
import pathlib

import harness

CONFIG = """
listen: {{resp: "127.0.0.1:0"}}
memory: {{size: 16MiB, when_full: {when_full}}}
"""
KEYS = 1_000_000
SLACK_KIB = 8 * 1024  # buffers, allocator, code that is paged in on the way


def resident_kib(pid: int) -> int:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


def flood(connection, first: int, count: int) -> None:
    """Asks for `count` new keys and reads the answers: five integers each, or an error."""
    request = "".join(f"CL.THROTTLE key-{n} 99 1 86400\r\n" for n in range(first, first + count))
    connection.sendall(request.encode())
    answers = b""
    while answers.count(b"*5\r\n") + answers.count(b"-UNAVAILABLE") < count:
        answers += connection.recv(1 << 20)


class FloodTest(harness.WeirTest):
    def test_memory_is_bounded_whatever_is_asked(self):
        for when_full in ("evict", "share", "deny"):
            with self.subTest(when_full):
                weir = self.start_weir(config=CONFIG.format(when_full=when_full))
                with contextlib.closing(weir.resp.connect()) as connection:
                    for first in range(0, KEYS // 4, 1000):
                        flood(connection, first, 1000)
                    before = resident_kib(weir.process.pid)
                    for first in range(KEYS // 4, KEYS, 1000):
                        flood(connection, first, 1000)
                after = resident_kib(weir.process.pid)
                self.assertLess(after - before, SLACK_KIB)
                self.assertLess(after, 16 * 1024 + 48 * 1024, "the table and the program itself")


if __name__ == "__main__":
    harness.main()
