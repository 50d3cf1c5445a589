#!/usr/bin/env python3
"""Aligns the names in parameter lists that stand one per line, which clang-format 14 cannot do.

    void vtr_thing_do (VtrThing *self,
                       size_t    size,
                       GError  **error);

Usage: lineup.py FILE…         rewrites the files
       lineup.py --stdin       filters standard input
"""

import re
import sys

# One parameter on a line of its own: type words, stars, name, optional array, then "," or ")…".
PARAMETER = re.compile(
    r"^(?P<type>(?:(?:const|struct|enum|unsigned|signed|long|volatile|_Atomic|G_GNUC_UNUSED)\s+)*"
    r"[A-Za-z_]\w*(?:\s+const\b)?)(?P<stars>\s*(?:\*\s*(?:const\b\s*)?)+|\s+)"
    r"(?P<name>[A-Za-z_]\w*(?:\[[^\]]*\])*)"
    r"(?P<end>,|\)[^()]*|\)\s*(?:G_GNUC|__attribute__|VTR_)[^;{]*[;{]?)$")
HEAD = re.compile(r"^(?P<head>[^(]*?(?:[A-Za-z_]\w*|\(\*[A-Za-z_]\w*\))\s?\()(?P<rest>.*,)$")
COMMENT = re.compile(r"^(?P<code>.*?)(?P<comment>\s*/\*.*\*/)?\s*$")


def split(text):
    code = COMMENT.match(text)
    match = PARAMETER.match(code["code"].strip())
    if not match:
        return None
    stars = re.sub(r"\s+", " ", match["stars"].strip())
    stars = stars.replace("* *", "**")
    return match["type"], stars, match["name"], match["end"], code["comment"] or ""


def align(lines):
    out, i = [], 0
    while i < len(lines):
        line = lines[i]
        head = HEAD.match(COMMENT.match(line)["code"])
        block, j = [], i
        if head and not line.lstrip().startswith(("#", "return", "if ", "while ", "for ", "//", "*")):
            column = len(head["head"])
            first = split(line[column:])
            if first:
                block = [first]
                j = i + 1
                while j < len(lines):
                    indent = len(lines[j]) - len(lines[j].lstrip())
                    part = split(lines[j]) if indent == column else None
                    if part is None:
                        block = [] if block[-1][3] == "," else block
                        break
                    block.append(part)
                    j += 1
                    if part[3] != ",":
                        break
        if len(block) > 1 and block[-1][3] != ",":
            types = max(len(t) for t, *_ in block)
            stars = max(len(s) for _, s, *_ in block)
            for k, (kind, star, name, end, comment) in enumerate(block):
                start = head["head"] if k == 0 else " " * column
                out.append(f"{start}{kind.ljust(types)} {star.rjust(stars)}{name}{end}{comment}")
            i = j
        else:
            out.append(line)
            i += 1
    return out


def main():
    if sys.argv[1:] == ["--stdin"]:
        sys.stdout.write("\n".join(align(sys.stdin.read().split("\n"))))
        return
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = "\n".join(align(before.split("\n")))
        if after != before:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)


if __name__ == "__main__":
    main()
