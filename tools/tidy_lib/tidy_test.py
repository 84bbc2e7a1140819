# SPDX-License-Identifier: Apache-2.0
"""Each rule is tried on a small tree that breaks it, and on one that does not."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TIDY = pathlib.Path(__file__).resolve().parents[1] / "tidy"
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = LICENCE + "// A header.\n#pragma once\n"

# A tree without a fault: every test changes what it is about.
GOOD = {
    "include/weir/limit.hpp": HEADER + "// Two\n// of five\nint a();\nint b();\n",
    "src/limit/CMakeLists.txt": "weir_library(limit SOURCES step.cpp)\n"
                                "weir_test(limit SOURCES step_test.cpp)\n",
    "src/limit/step.hpp": HEADER + '#include <weir/limit.hpp>\n#include "base/key.hpp"\n',
    "src/limit/step.cpp": LICENCE + '#include "limit/step.hpp"\nint a() { return 1; }\n',
    "src/limit/step_test.cpp": LICENCE + "int t();\n" * 100,
    "src/wire/CMakeLists.txt": "weir_test(wire SOURCES resp_test.cpp)\n",
    "src/wire/resp.hpp": HEADER,
    "src/wire/resp_test.cpp": LICENCE + "int t();\n" * 100,
    "README.md": "See [the step](src/limit/step.hpp) and [src](src).\n",
}


def run(changes: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {**GOOD, **changes}.items():
            place = pathlib.Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        result = subprocess.run([sys.executable, TIDY, folder], capture_output=True, text=True)
    faults = result.stdout.splitlines()
    assert result.returncode == (1 if faults else 0), result.stderr
    return faults


class TidyTest(unittest.TestCase):
    def expect(self, place_and_rule: str, changes: dict[str, str]) -> None:
        faults = run(changes)
        self.assertEqual(len(faults), 1, faults)
        self.assertTrue(faults[0].startswith(place_and_rule + ": "), faults[0])
        self.assertIn("; ", faults[0], "a fault says what would be right")

    def expect_none(self, changes: dict[str, str]) -> None:
        self.assertEqual(run(changes), [])

    def test_a_tree_without_fault(self):
        self.expect_none({})

    def test_no_licence(self):
        self.expect("src/limit/step.hpp:1: head",
                    {"src/limit/step.hpp": "// A header.\n// Its second line.\n#pragma once\n"})

    def test_header_that_does_not_say_what_it_is(self):
        code = LICENCE + "#pragma once\n"
        self.expect("src/limit/step.hpp:2: head", {"src/limit/step.hpp": code})

    def test_header_without_guard(self):
        code = LICENCE + "// A header.\n"
        self.expect("src/limit/step.hpp:1: head", {"src/limit/step.hpp": code})

    def test_late_first_include(self):
        late = LICENCE + "// talk\n" * 8 + "#include <array>\n"
        self.expect("src/limit/step.cpp:10: head", {"src/limit/step.cpp": late})

    def test_include_of_a_higher_rank(self):
        code = HEADER + '#include "store/store.hpp"\n'
        self.expect("src/limit/step.hpp:4: include", {"src/limit/step.hpp": code})

    def test_include_of_an_equal_rank(self):
        code = HEADER + '#include "wire/resp.hpp"\n'
        self.expect("src/limit/step.hpp:4: include", {"src/limit/step.hpp": code})

    def test_commented_include_counts_for_nothing(self):
        self.expect_none({"src/limit/step.hpp": HEADER + '// #include "wire/resp.hpp"\n'})

    def test_doors_are_blind_to_each_other(self):
        code = HEADER + '#include "front/http/parser.hpp"\n'
        self.expect("src/front/resp/door.hpp:4: include", {"src/front/resp/door.hpp": code})
        self.expect("src/front/door.hpp:4: include", {"src/front/door.hpp": code})

    def test_doors_know_what_they_share(self):
        code = HEADER + '#include "front/session.hpp"\n#include "front/resp/reply.hpp"\n'
        self.expect_none({"src/front/resp/door.hpp": code})

    def test_folder_without_rank(self):
        code = HEADER + '#include "base/key.hpp"\n'
        self.expect("src/gossip/peer.hpp:4: include", {"src/gossip/peer.hpp": code})

    def test_private_include_for_users(self):
        code = GOOD["include/weir/limit.hpp"] + '#include "base/key.hpp"\n'
        self.expect("include/weir/limit.hpp:8: include", {"include/weir/limit.hpp": code})

    def test_public_include_in_quotes(self):
        code = HEADER + '#include "weir/limit.hpp"\n'
        self.expect("src/limit/step.hpp:4: include", {"src/limit/step.hpp": code})

    def test_long_function(self):
        body = "".join(f"  a({n});\n" for n in range(69))
        code = LICENCE + "\nclass A {\n public:\n  void long_one() const {\n" + body + "  }\n};\n"
        self.assertTrue(any("src/limit/step.cpp:5: function: long_one has 71 lines" in fault
                            for fault in run({"src/limit/step.cpp": code})))
        self.assertFalse(any(": function: " in fault for fault in
                             run({"src/limit/step.cpp": code.replace("  a(0);\n", "")})))

    def test_too_many_functions_that_are_not_short(self):
        body = "  a();\n" * 25
        code = LICENCE + "void f() {\n" + body + "}\n"
        self.expect("src:0: measure", {"src/limit/step.cpp": code})

    def test_function_is_measured_behind_member_initialisers(self):
        body = "".join(f"  a({n});\n" for n in range(80))
        code = LICENCE + "A::A(int x = {}) : a_{x}, b_{x} {\n" + body + "}\n"
        self.assertTrue(any("function: A has 82 lines" in fault
                            for fault in run({"src/limit/step.cpp": code})))

    def test_long_file(self):
        code = GOOD["src/limit/step.hpp"] + "\n" * 300
        self.expect("src/limit/step.hpp:305: file", {"src/limit/step.hpp": code})

    def test_long_file_with_a_reason(self):
        code = HEADER + "// Over 300 lines: one table.\n" + "\n" * 300
        self.expect_none({"src/limit/step.hpp": code})

    def test_wide_line_and_space_at_its_end(self):
        self.expect("src/limit/step.hpp:4: width", {"src/limit/step.hpp": HEADER + "//" + "x" * 99})
        self.expect("src/limit/step.hpp:4: space", {"src/limit/step.hpp": HEADER + "// x \n"})
        self.expect("src/limit/step.hpp:4: space", {"src/limit/step.hpp": HEADER + "//\tx\n"})

    def test_test_that_is_not_built(self):
        self.expect("src/limit/other_test.cpp:1: build", {"src/limit/other_test.cpp": LICENCE})
        lists = GOOD["src/limit/CMakeLists.txt"].replace("weir_test", "# weir_test")
        self.expect("src/limit/step_test.cpp:1: build", {"src/limit/CMakeLists.txt": lists})

    def test_dead_link(self):
        self.expect("README.md:1: link", {"README.md": "[gone](docs/gone.md)\n"})

    def test_too_few_tests(self):
        code = GOOD["src/limit/step.cpp"] + "int b();\n" * 280
        self.expect("src:0: measure", {"src/limit/step.cpp": code})

    def test_protocol_code_needs_more_tests(self):
        code = HEADER + "int a();\n" * 80
        self.expect("src/wire:0: measure", {"src/wire/resp.hpp": code})

    def test_public_header_that_explains_little(self):
        code = HEADER + "int a();\n" * 9
        self.expect("include/weir:0: measure", {"include/weir/limit.hpp": code})


# What is banned, and the same words where they are not.
BANNED = [
    ("src/limit/step.cpp", "auto t = std::chrono::system_clock::now();"),
    ("src/limit/step.cpp", "double tokens;"),
    ("src/store/store.hpp", "float x();"),
    ("src/limit/step.cpp", "int x = std::rand();"),
    ("src/limit/step_test.cpp", "std::this_thread::sleep_for(1s);"),
    ("src/limit/step.hpp", "using namespace weir;"),
    ("src/limit/step.cpp", "using namespace std;"),
    ("src/limit/step.cpp", "int x = std::stoi(text);"),
    ("src/limit/step.cpp", "std::regex r;"),
    ("src/limit/step.cpp", "thread.detach();"),
    ("src/limit/step.cpp", "void f() { std::abort(); }"),
    ("src/limit/step.cpp", "void f() { std::cout << 1; }"),
    ("src/limit/step.cpp", "int* f() { return new int(1); }"),
    ("src/limit/step.cpp", "// TODO: later"),
    ("src/limit/step.cpp", "// see /home/me/notes"),
]
ALLOWED = [
    ("src/base/clock.cpp", "auto t = std::chrono::system_clock::now();"),
    ("src/limit/step_test.cpp", "double share;"),
    ("src/limit/step.cpp", "int x = operand(2);"),
    ("src/limit/step.cpp", "// never double a limit, sleep(1) or use new int(1)"),
    ("src/limit/step.cpp", "A& operator=(const A&) = delete;"),
    ("src/limit/step.cpp", "using namespace std::chrono_literals;"),
    ("src/cli/main.cpp", "int f() { std::cout << 1; }"),
    ("src/limit/test_support.hpp", "void wait() { sleep_for(1ms); }"),
]


class BansTest(unittest.TestCase):
    def faults_with(self, path: str, line: str) -> list[str]:
        head = HEADER if path.endswith(".hpp") else LICENCE
        lists = {"src/base/CMakeLists.txt": "clock.cpp", "src/cli/CMakeLists.txt": "main.cpp"}
        return run({**lists, path: head + line + "\n"})

    def test_banned(self):
        for path, line in BANNED:
            with self.subTest(line):
                faults = self.faults_with(path, line)
                self.assertEqual(len(faults), 1, faults)
                self.assertIn(": banned: ", faults[0])

    def test_allowed(self):
        for path, line in ALLOWED:
            with self.subTest(line):
                self.assertEqual(self.faults_with(path, line), [])


if __name__ == "__main__":
    unittest.main()
