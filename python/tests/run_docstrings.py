"""Runs the examples of all docstrings; the exit status is the number of modules that fail."""

from __future__ import annotations

import doctest
import importlib
import sys
from pathlib import Path

import carom

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL

failed = tried = 0
for file in sorted(Path(carom.__file__).parent.glob("*.py")):
    name = "carom" if file.stem == "__init__" else f"carom.{file.stem}"
    result = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    tried += result.attempted
    failed += bool(result.failed)
print(f"{tried} examples")
sys.exit(failed if tried > 20 else 1)
