#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The documents say what is so: configurations are good, commands answer as printed, and the C++ is
a part of an example that is built and run."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "integration"))
import harness  # noqa: E402



def blocks(language: str, document: str = "README.md") -> list[str]:
    text = (ROOT / document).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def console_steps(document: str = "README.md") -> list[tuple[str, str]]:
    """Each command with the output that is printed behind it."""
    steps = []
    for block in blocks("console", document):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = step.partition("\n")
            steps.append((command, output))
    return steps


class ReadmeTest(harness.WeirTest):
    def test_the_cpp_is_that_of_the_example(self):
        example = (ROOT / "examples" / "embed" / "main.cpp").read_text()
        self.assertTrue(blocks("cpp"))
        for block in blocks("cpp"):
            self.assertIn(block, example)

    def test_the_commands_answer_as_printed(self):
        [config] = blocks("yaml")
        self.write("weir.yaml", config)
        weir = None
        steps = console_steps()
        self.assertGreater(len(steps), 4)
        for command, expected in steps:
            if command.startswith("weir serve"):
                weir = self.start_weir("--http", "127.0.0.1:0", "--resp", "127.0.0.1:0",
                                       config=self.folder / "weir.yaml")
                continue
            with self.subTest(command):
                self.assertEqual(self.run_command(command, weir), expected)

    def test_the_reference_configuration_serves(self):
        config, *_ = blocks("yaml", "docs/configuration.md")
        path = self.write("weir.yaml", config)
        self.assertIn("ok: 4 rules", self.run_command(f"weir check {path}"))
        weir = self.start_weir("--http", "127.0.0.1:0", "--resp", "127.0.0.1:0",
                               "--admin", "127.0.0.1:0", "--state", self.folder / "weir.state",
                               config=path)
        self.assertTrue(weir.check({"limit": "api", "key": ["user-1"]})[0]["allowed"])

    def test_the_calls_of_the_http_page_are_answered(self):
        weir = self.start_weir("--http", "127.0.0.1:0", "--resp", "127.0.0.1:0")
        calls = blocks("sh", "docs/http.md")
        answers = [self.run_command(call, weir) for call in calls]
        shown, *_ = blocks("json", "docs/http.md")
        self.assertEqual(json.loads(answers[0]), json.loads(shown))
        for call, answer in zip(calls, answers):
            self.assertRegex(answer, r'"results"|^HTTP/1.1 200|requests\[1\]', call)

    def test_the_commands_of_the_resp_page_answer_as_printed(self):
        weir = self.start_weir("--http", "127.0.0.1:0", "--resp", "127.0.0.1:0")
        for command, expected in console_steps("docs/resp.md"):
            self.assertEqual(self.run_command(command, weir), expected, command)

    def run_command(self, command: str, weir: harness.Weir | None = None) -> str:
        """The output of a command of a document, its well-known ports replaced by the server's."""
        if weir:
            command = re.sub("(127.0.0.1|localhost):8080", f"127.0.0.1:{weir.http.port}", command)
            command = command.replace("-p 6380", f"-p {weir.resp.port}")
        path = f"{pathlib.Path(harness.BINARY).parent}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                              cwd=self.folder, env={**os.environ, "PATH": path},
                              timeout=harness.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        output = re.sub(r"^Date: .*\n", "", done.stdout, flags=re.MULTILINE)
        return output if output.endswith("\n") else output + "\n"


if __name__ == "__main__":
    harness.main()
