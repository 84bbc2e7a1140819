# SPDX-License-Identifier: Apache-2.0
"""What may not be written, where, and what to write instead."""
import dataclasses
import re
from collections.abc import Callable

from .tree import Fault, File


@dataclasses.dataclass(frozen=True)
class Ban:
    pattern: re.Pattern
    where: Callable[[File], bool]
    mend: str
    in_comments: bool = False  # also what stands in comments and literals


def _in_source(file: File) -> bool:
    return file.is_cxx and file.path.startswith(("src/", "include/"))


def _beyond_the_clock(file: File) -> bool:
    return _in_source(file) and not file.path.startswith("src/base/clock")


def _decides(file: File) -> bool:
    return file.path.startswith(("src/limit/", "src/store/")) and not file.is_test


def _ships(file: File) -> bool:
    return _in_source(file) and not file.is_test


def _is_library(file: File) -> bool:
    return _ships(file) and not file.path.startswith("src/cli/")


def _is_cxx_test(file: File) -> bool:
    # Waiting for another thread or a socket stands in one helper, in a file of support.
    return file.is_cxx and file.is_test and "support" not in file.name


def _is_header(file: File) -> bool:
    return file.suffix == ".hpp"


def _anywhere(file: File) -> bool:
    return not file.path.startswith("tools/tidy_lib/")


def _cxx(file: File) -> bool:
    return file.is_cxx


def _ban(pattern: str, where: Callable[[File], bool], mend: str, in_comments: bool = False) -> Ban:
    return Ban(re.compile(pattern), where, mend, in_comments)


BANS = [
    _ban(r"\b(system_clock|steady_clock|high_resolution_clock)::now|\bclock_gettime\b"
         r"|\bgettimeofday\b|\btime\((nullptr|NULL|0)\)",
         _beyond_the_clock, "take `now` as an argument, or ask a weir::Clock at the edge"),
    _ban(r"\b(float|double)\b", _decides, "decisions are integer arithmetic; use integers"),
    _ban(r"\bs?rand\s*\(|\brandom_shuffle\b", _cxx, "use an engine of <random> with a seed"),
    _ban(r"\bsleep_(for|until)\s*\(|\bu?sleep\s*\(|\bnanosleep\s*\(", _is_cxx_test,
         "move a ManualClock, or wait for the condition itself"),
    _ban(r"\busing\s+namespace\b", _is_header, "name what you use"),
    _ban(r"\busing\s+namespace\s+std\s*;", _cxx, "name what you use"),
    _ban(r"\b(ato(i|l|ll|f)|strto(l|ll|ul|ull|d|f)|sto(i|l|ll|ul|ull|d|f))\s*\(", _ships,
         "use std::from_chars: it reports every error and knows no locale"),
    _ban(r"\b(s|vs)printf\s*\(|\bstr(cpy|cat)\s*\(|\bgets\s*\(", _cxx,
         "use fmt::format_to, or a std::string"),
    _ban(r"\bstd::regex\b", _cxx, "write the match out: std::regex recurses on its input"),
    _ban(r"\.detach\s*\(\s*\)", _cxx, "join the thread: a detached one outlives what it uses"),
    _ban(r"\bstd::(exit|abort|terminate|_Exit|quick_exit)\s*\(|(?<![\w:.>])(exit|abort)\s*\(",
         _is_library, "return a Result, or assert: a library never ends its process"),
    _ban(r"\bstd::(cout|cerr|clog)\b", _is_library, "only src/cli speaks to the terminal"),
    _ban(r"\bdelete\s+[\w*(]|\bnew\s+[\w:]+\s*[({;]", _ships,
         "use std::make_unique: nothing owns a bare pointer"),
    _ban(r"\b(TODO|FIXME|XXX|HACK)\b", _anywhere, "do it, or file an issue", in_comments=True),
    _ban(r"(?<![\w.])/(work|root|home)/\w", _anywhere,
         "a path of one machine; write it from the root of the project", in_comments=True),
]


def check(file: File) -> list[Fault]:
    faults = []
    for ban in BANS:
        if not ban.where(file):
            continue
        text = file.text if ban.in_comments or not file.is_cxx else file.code
        for match in ban.pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            what = match.group().strip()
            faults.append(Fault(file.path, line, "banned", f"`{what}`; {ban.mend}"))
    return faults
