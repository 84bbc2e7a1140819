# SPDX-License-Identifier: Apache-2.0
"""The files that the rules look at, read once."""
import dataclasses
import functools
import os
import pathlib

from . import cxx

CXX = {".cpp", ".hpp"}
SCRIPT = {".py", ".sh", ".cmake", ".lua"}
SKIPPED = {"build", ".git", "node_modules", "__pycache__", "corpus", "data"}


@dataclasses.dataclass(frozen=True, order=True)
class Fault:
    path: str
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


@dataclasses.dataclass(frozen=True)
class File:
    path: str  # from the root, with slashes
    text: str

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def suffix(self) -> str:
        return pathlib.PurePosixPath(self.name).suffix

    @property
    def is_cxx(self) -> bool:
        return self.suffix in CXX

    @property
    def is_script(self) -> bool:
        return self.suffix in SCRIPT or self.name == "CMakeLists.txt" or self.text.startswith("#!")

    @property
    def is_test(self) -> bool:
        """A test, or what only tests use."""
        words = self.name.rpartition(".")[0].split("_")
        return self.path.startswith("test/") or "test" in words or "fixture" in words

    @functools.cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @functools.cached_property
    def code(self) -> str:
        """C++ text with comments and the inside of literals blanked; line numbers stay."""
        return cxx.blank(self.text)

    @functools.cached_property
    def code_line_count(self) -> int:
        return sum(1 for line in self.code.splitlines() if line.strip())


def read(root: pathlib.Path) -> list[File]:
    files = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            try:
                text = path.read_text(encoding="utf-8")
            except (UnicodeDecodeError, FileNotFoundError):
                continue  # not text, or a link to nowhere
            files.append(File(path.relative_to(root).as_posix(), text))
    return files
