# SPDX-License-Identifier: Apache-2.0
"""As much C++ as the rules need: comments and literals told from code, and where functions begin
and end. A scan, not a parser: it reads code that clang-format has laid out.
"""
import dataclasses
import re

_TOKEN = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL,
)


def _blanked(match: re.Match) -> str:
    text = match.group()
    if text.startswith("/"):
        kept = ""
    elif text.startswith("'"):
        kept = "''"
    else:
        kept = '""'
    newlines = "\n" * text.count("\n")
    return kept + newlines


def blank(text: str) -> str:
    """`text` without comments and without what stands inside literals; lines keep their numbers.
    Include lines keep their file names."""
    includes = {}
    for number, line in enumerate(text.split("\n")):
        if re.match(r'\s*#\s*include\s+"', line):
            includes[number] = line.split("//")[0].rstrip()
    lines = _TOKEN.sub(_blanked, text).split("\n")
    for number, line in includes.items():
        lines[number] = line
    return "\n".join(lines)


def comment_line_count(text: str) -> int:
    """Lines that are a comment or end in a `///<`, the licence line aside."""
    lines = [line.strip() for line in text.splitlines() if "SPDX" not in line]
    return sum(1 for line in lines if line.startswith("//") or "///<" in line)


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    line: int
    length: int  # lines, signature to closing brace


_LEADING = re.compile(r"^\s*(?:(?:public|private|protected)\s*:\s*|template\s*<[^{}]*?>\s*)*")
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b(?![^{]*\)\s*$)")
_CONTROL = re.compile(r"^\s*(if|for|while|switch|do|else|try|catch)\b")
_MEMBER_INITIALISER = re.compile(r"\)[^:{}]*(?<!:):(?!:).*?[\w>]\s*$", re.DOTALL)
_CALLABLE = re.compile(r"(~?[A-Za-z_]\w*|operator\s*\S+?)\s*\(")


def functions(code: str) -> list[Function]:
    """The functions defined in blanked code. What stands inside one belongs to it."""
    found = []
    code = _without_preprocessor(code)
    head = 0  # where the text before the next brace begins
    position = 0
    while position < len(code):
        character = code[position]
        if character in ";}":
            head = position + 1
        elif character == "{":
            opener = code[head:position]
            if _SCOPE.search(_LEADING.sub("", opener)):
                head = position + 1
            elif _MEMBER_INITIALISER.search(opener) or _inside_parentheses(opener):
                position = _closing(code, position)
            elif _opens_function(opener):
                end = _closing(code, position)
                found.append(_function(code, head, opener, end))
                position = end
                head = end + 1
            else:
                position = _closing(code, position)  # an initialiser
        position += 1
    return found


def _without_preprocessor(code: str) -> str:
    directive = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
    return directive.sub(lambda match: "\n" * match.group().count("\n"), code)


def _opens_function(opener: str) -> bool:
    text = _LEADING.sub("", opener)
    if _CONTROL.match(text) or "(" not in text:
        return False
    before_parenthesis = text[: text.index("(")]
    return "=" not in before_parenthesis.replace("operator=", "").replace("==", "")


def _inside_parentheses(opener: str) -> bool:
    return opener.count("(") > opener.count(")")


def _closing(code: str, opening: int) -> int:
    depth = 0
    for position in range(opening, len(code)):
        if code[position] == "{":
            depth += 1
        elif code[position] == "}":
            depth -= 1
            if depth == 0:
                return position
    return len(code) - 1


def _function(code: str, head: int, opener: str, end: int) -> Function:
    start = head + len(opener) - len(_LEADING.sub("", opener).lstrip())
    line = code.count("\n", 0, start) + 1
    match = _CALLABLE.search(opener)
    return Function(match.group(1) if match else "?", line, code.count("\n", start, end) + 1)
