#!/usr/bin/env python3
"""Comments of a header that belong to no declaration: a block of /// that an empty line follows.

    docs/site/header_comments.py FILE      prints the header with them as plain comments, a filter for Doxygen

Doxygen would give them to the next declaration, whatever it is. The pages of C++ show them below the name of the header.
"""

import pathlib
import re
import sys

DETACHED = re.compile(r"^(?:[ \t]*///[^\n]*\n)+(?=[ \t]*\n)", flags=re.M)


def detached(text):
    """The texts of these comments, in the order of the header."""
    return ["\n".join(line.strip()[3:].removeprefix(" ") for line in block.splitlines()) for block in DETACHED.findall(text)]


def without_detached(text):
    """The header with them as comments that Doxygen does not read; lines keep their numbers."""
    return DETACHED.sub(lambda block: re.sub(r"^([ \t]*)///", r"\1//", block[0], flags=re.M), text)


if __name__ == "__main__":
    print(without_detached(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), end="")
