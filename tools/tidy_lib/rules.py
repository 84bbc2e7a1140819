# SPDX-License-Identifier: Apache-2.0
"""The rules that one file can break by itself, and the order of the folders."""
import posixpath
import re

from . import bans, cxx
from .tree import Fault, File

# A folder includes lower ranks only; equal ranks are blind to each other. A new folder is a
# decision about the architecture: it gets its rank here and its sentence in ARCHITECTURE.md.
RANKS = {
    "base": 0,
    "limit": 1, "wire": 1, "retry": 1,
    "rules": 2, "store": 2,
    "redis": 3, "tiered": 3,
    "limiter": 4,
    "front": 5,
    "cli": 6,
}

MOST_COLUMNS = 100
MOST_FILE_LINES = 300
MOST_FILE_LINES_WITH_REASON = 500
LONG_FILE_REASON = "Over 300 lines:"
FIRST_INCLUDE_BY_LINE = 8
MOST_FUNCTION_LINES = 70


def check(files: list[File]) -> list[Fault]:
    faults = []
    for file in files:
        if file.is_cxx:
            faults += _check_head(file) + _check_includes(file) + _check_functions(file)
        if file.is_cxx or file.is_script:
            faults += _check_shape(file) + bans.check(file)
        if file.suffix == ".md":
            faults += _check_links(file, {other.path for other in files})
    return faults + _check_sources_are_built(files)


def _check_head(file: File) -> list[Fault]:
    faults = []
    lines = file.lines + ["", ""]
    if not lines[0].startswith("// SPDX-License-Identifier: Apache-2.0"):
        faults.append(Fault(file.path, 1, "head", "no licence on the first line; write "
                            "`// SPDX-License-Identifier: Apache-2.0`"))
    if file.suffix == ".hpp" and not lines[1].startswith("//"):
        faults.append(Fault(file.path, 2, "head", "a header without a word on what it is; say so "
                            "in a sentence under the licence"))
    if file.suffix == ".hpp" and "#pragma once" not in file.text:
        faults.append(Fault(file.path, 1, "head", "no include guard; write `#pragma once`"))
    include = next((n for n, line in enumerate(lines, 1) if line.startswith("#include")), None)
    # A drawing of the format may come first: a header's idea stands before its code.
    limit = FIRST_INCLUDE_BY_LINE if file.suffix == ".cpp" else 60
    if include and include > limit:
        faults.append(Fault(file.path, include, "head", f"the first include stands after line "
                            f"{limit}; shorten what stands before it"))
    return faults


def _check_includes(file: File) -> list[Fault]:
    faults = []
    for number, line in enumerate(file.code.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if match:
            text = _include_fault(file.path, match.group(1) == '"', match.group(2))
            if text:
                faults.append(Fault(file.path, number, "include", text))
    return faults


def _include_fault(path: str, quoted: bool, target: str) -> str | None:
    public = target.startswith("weir/")
    if public and quoted:
        return f'"{target}" is public; write <{target}>'
    if not public and not quoted and target.split("/")[0] in RANKS:
        return f'<{target}> is private; write "{target}"'
    if not quoted:
        return None
    if path.startswith(("include/", "examples/")):
        return f'"{target}" is private; what users see includes <weir/...> only'
    if path.startswith("src/"):
        return _rank_fault(path.split("/")[1:], target.split("/"))
    return None


def _rank_fault(source: list[str], target: list[str]) -> str | None:
    folder, other = source[0], target[0]
    if folder not in RANKS:
        return f"the folder src/{folder} has no rank; give it one in tools/tidy_lib/rules.py"
    if other not in RANKS or len(target) < 2:
        return f'"{"/".join(target)}" names no folder of src; write the path from src/'
    if other == folder == "front" and len(target) > 2 and source[1] != target[1]:
        return f"front/{target[1]} is a door of its own; what doors share stands in src/front"
    if other != folder and RANKS[other] >= RANKS[folder]:
        return (f"{folder} (rank {RANKS[folder]}) may not know {other} (rank {RANKS[other]}); "
                "move what is shared to a lower rank")
    return None


def _check_functions(file: File) -> list[Fault]:
    return [
        Fault(file.path, function.line, "function",
              f"{function.name} has {function.length} lines, more than {MOST_FUNCTION_LINES}; "
              "give its steps names")
        for function in cxx.functions(file.code) if function.length > MOST_FUNCTION_LINES
    ]


def _check_shape(file: File) -> list[Fault]:
    faults = []
    for number, line in enumerate(file.lines, 1):
        if len(line) > MOST_COLUMNS:
            faults.append(Fault(file.path, number, "width", f"{len(line)} columns, more than "
                                f"{MOST_COLUMNS}; break the line"))
        if line != line.rstrip():
            faults.append(Fault(file.path, number, "space", "space at the end; remove it"))
        if "\t" in line and file.is_cxx:
            faults.append(Fault(file.path, number, "space", "a tab; indent by two spaces"))
    reasoned = any(LONG_FILE_REASON in line for line in file.lines[:20])
    # A test file is a list of cases: its length hides nothing.
    most = MOST_FILE_LINES_WITH_REASON if reasoned or file.is_test else MOST_FILE_LINES
    if len(file.lines) > most:
        faults.append(Fault(file.path, len(file.lines), "file", f"{len(file.lines)} lines, more "
                            f"than {most}; split it by what it does, or say at its head "
                            f"`{LONG_FILE_REASON} why` (up to {MOST_FILE_LINES_WITH_REASON})"))
    return faults


def _check_links(file: File, paths: set[str]) -> list[Fault]:
    folders = {posixpath.dirname(path) for path in paths}
    faults = []
    for number, line in enumerate(file.lines, 1):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", line):
            if "://" in target or target.startswith("mailto:"):
                continue
            path = posixpath.normpath(posixpath.join(file.folder, target))
            inside = any(folder == path or folder.startswith(path + "/") for folder in folders)
            if path not in paths and not inside:
                faults.append(Fault(file.path, number, "link", f"{target} is not there; mend or "
                                    "remove the link"))
    return faults


def _check_sources_are_built(files: list[File]) -> list[Fault]:
    """A source that no CMakeLists.txt names is not built, and a test that is not built passes."""
    named = {}
    for file in files:
        if file.name == "CMakeLists.txt" or file.suffix == ".cmake":
            commands = "\n".join(line.split("#")[0] for line in file.lines)
            names = re.findall(r"(SOURCE_DIR\}/)?([\w./-]+\.(?:cpp|py))\b", commands)
            for from_root, name in names:
                named.setdefault("" if from_root else file.folder, set()).add(name)
    faults = []
    for file in files:
        if file.suffix == ".cpp" or file.name.endswith("_test.py"):
            if not _is_named(file, named):
                faults.append(Fault(file.path, 1, "build", "no CMakeLists.txt builds or runs it; "
                                    "name it in the one of its folder"))
    return faults


def _is_named(file: File, named: dict[str, set[str]]) -> bool:
    folder = file.folder
    while True:
        relative = file.path[len(folder) + 1:] if folder else file.path
        if relative in named.get(folder, ()):
            return True
        if not folder:
            return False
        folder = posixpath.dirname(folder)
