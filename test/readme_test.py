#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The documents say what is so: configurations are good, commands answer as printed, and the C++ is
a part of an example that is built and run."""
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


def console_steps() -> list[tuple[str, str]]:
    """Each command with the output that is printed behind it."""
    steps = []
    for block in blocks("console"):
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

    def test_the_configuration_is_good_and_the_call_is_answered(self):
        config = blocks("yaml", "docs/configuration.md")[0]
        [body] = blocks("json", "docs/protocols.md")
        path = self.write("weir.yaml", config)
        self.assertIn("ok: 4 rules", self.run_command(f"weir check {path}", None))
        weir = self.start_weir("--http", "127.0.0.1:0", "--resp", "127.0.0.1:0",
                               "--admin", "127.0.0.1:0", "--state", self.folder / "weir.state",
                               config=path)
        answer = harness.http_request(weir.http, "POST", "/v1/check", body=body)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual([result["allowed"] for result in answer.json["results"]], [True] * 4)

    def run_command(self, command: str, weir: harness.Weir | None) -> str:
        """The output of a command of the README, its well-known ports replaced by the server's."""
        if weir:
            command = command.replace("127.0.0.1:8080", f"127.0.0.1:{weir.http.port}")
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
