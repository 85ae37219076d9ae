"""run_example.py EXAMPLE PICTURE: runs an example and writes its last picture to a file, where it would show a window."""

from __future__ import annotations

import runpy
import sys

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot  # noqa: E402

example, picture = sys.argv[1:]
sys.argv = [example]
runpy.run_path(example, run_name="__main__")
if not pyplot.get_fignums():
    sys.exit(f"{example} draws no picture")
pyplot.savefig(picture)
