# SPDX-License-Identifier: Apache-2.0
"""The rules that hold for the whole: how much is tested, how long functions are, how much of a
public header explains.
"""
from . import cxx
from .tree import Fault, File

SHORT_FUNCTION_LINES = 25
LEAST_SHORT_SHARE = 0.90
LEAST_TEST_RATIO = 0.7
PROTOCOLS = ("src/wire",)
LEAST_PROTOCOL_RATIO = 1.5
COMMENT_SHARE = (0.30, 0.50)  # of a public header's lines that are not empty


def check(files: list[File]) -> list[Fault]:
    faults = []
    short = _short_share(files)
    if short < LEAST_SHORT_SHARE:
        faults.append(Fault("src", 0, "measure", f"{short:.0%} of functions have "
                            f"{SHORT_FUNCTION_LINES} lines or less, not {LEAST_SHORT_SHARE:.0%}; "
                            "give steps names"))
    total = _test_ratio(files, "")
    if total < LEAST_TEST_RATIO:
        faults.append(Fault("src", 0, "measure", f"{total:.2f} test lines for a line of code, less "
                            f"than {LEAST_TEST_RATIO}; test what is not"))
    protocols = _ratio_of(*_line_counts(files, PROTOCOLS))
    if protocols < LEAST_PROTOCOL_RATIO:
        faults.append(Fault("src/wire", 0, "measure", f"{protocols:.2f} test lines for a line of "
                            f"protocol code, less than {LEAST_PROTOCOL_RATIO}; test what is not"))
    share = _comment_share(files)
    if share is not None and not COMMENT_SHARE[0] <= share <= COMMENT_SHARE[1]:
        faults.append(Fault("include/weir", 0, "measure", f"{share:.0%} of the public headers is "
                            "comment; say the contract, and only that"))
    return faults


def report(files: list[File]) -> str:
    rows = [f"{'folder':<18}{'code':>8}{'tests':>8}{'ratio':>8}"]
    shipped = [file for file in files if file.is_cxx and file.path.startswith("src/")]
    for folder in sorted({_area(file) for file in shipped}):
        code, tests = _line_counts(files, (folder,))
        rows.append(f"{folder:<18}{code:>8}{tests:>8}{_ratio_of(code, tests):>8.2f}")
    code, tests = _line_counts(files, ("",))
    rows.append(f"{'all':<18}{code:>8}{tests:>8}{_ratio_of(code, tests):>8.2f}")
    lengths = sorted(_function_lengths(files)) or [0]
    rows.append(f"functions: {len(lengths)}, median {lengths[len(lengths) // 2]} lines, "
                f"nine in ten within {lengths[len(lengths) * 9 // 10]}, longest {lengths[-1]}")
    rows.append(f"comments in public headers: {_comment_share(files) or 0:.0%}")
    return "\n".join(rows)


def _area(file: File) -> str:
    parts = file.path.split("/")
    return "/".join(parts[:3] if parts[1] == "front" and len(parts) > 3 else parts[:2])


def _is_counted(file: File) -> bool:
    return file.is_cxx or (file.suffix == ".py" and file.path.startswith("test/"))


def _line_counts(files: list[File], folders: tuple[str, ...]) -> tuple[int, int]:
    """Lines of code and of tests in `folders`; "" is everything that ships, and all tests."""
    code = tests = 0
    for file in files:
        if not _is_counted(file) or not file.path.startswith(folders):
            continue
        if file.is_test:
            tests += file.code_line_count
        elif file.path.startswith(("src/", "include/")):
            code += file.code_line_count
    return code, tests


def _ratio_of(code: int, tests: int) -> float:
    return tests / code if code else float("inf")


def _test_ratio(files: list[File], folder: str) -> float:
    return _ratio_of(*_line_counts(files, (folder,)))


def _function_lengths(files: list[File]) -> list[int]:
    shipped = [file for file in files
               if file.is_cxx and not file.is_test and file.path.startswith(("src/", "include/"))]
    return [function.length for file in shipped for function in cxx.functions(file.code)]


def _short_share(files: list[File]) -> float:
    lengths = _function_lengths(files)
    if not lengths:
        return 1.0
    return sum(1 for length in lengths if length <= SHORT_FUNCTION_LINES) / len(lengths)


def _comment_share(files: list[File]) -> float | None:
    comments = lines = 0
    for file in files:
        if file.path.startswith("include/"):
            comments += cxx.comment_line_count(file.text)
            lines += sum(1 for line in file.lines if line.strip())
    return comments / lines if lines else None
