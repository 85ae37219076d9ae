#!/usr/bin/env python3
"""The gallery: all figures with a source are drawn within three minutes, and the numbers on its page are those of theory.

    tests/figure/gallery_check.py build/bin/carom

The largest error of each scene is its bound below; it follows from the integrator. Exit status: 0, 1 something is wrong.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 180

SERIES = 1e-8  # events are located, expansions are cut at roundoff; a block is a disc with a billion times the inertia
FIRST = 2e-3   # impacts and ends of sliding are known to a step
# scenes whose bound is another one, with the reason
OTHERS = {
    "vibrating_table": (2e-2, "a particle flaps about the line of attraction, known to a centimetre"),
}


def main():
    program = sys.argv[1]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        done = subprocess.run([program, "gallery", str(ROOT / "scenes"), "-o", folder], capture_output=True, text=True)
        took = time.monotonic() - begun
        if done.returncode != 0:
            print(done.stderr, file=sys.stderr)
            return 1
        page = (pathlib.Path(folder) / "index.html").read_text(encoding="utf-8")
        pictures = re.findall(r'<img src="([^"]+)"', page)
        for picture in pictures:
            if not (pathlib.Path(folder) / picture).is_file():
                print(f"{picture} is not there", file=sys.stderr)
                wrong += 1
    numbers = 0
    for section in re.findall(r"<section.*?</section>", page, flags=re.S):
        scene = re.search(r"<summary>scenes/(?:refused/)?(\w+)\.toml", section)[1]
        text = (ROOT / "scenes" / f"{scene}.toml").read_text(encoding="utf-8") if (ROOT / "scenes" / f"{scene}.toml").is_file() else ""
        bound = SERIES if 'kind = "series"' in text else FIRST
        if scene in OTHERS:
            bound = OTHERS[scene][0]
        for label, error in re.findall(r"<tr><td>(.*?)</td>.*?<td class=\"number\">([^<]*)</td></tr>", section):
            numbers += 1
            if not float(error) <= bound:  # also where it is not a number
                print(f"{scene}: {label}: error {error}, at most {bound:g} expected", file=sys.stderr)
                wrong += 1
    print(f"{len(pictures)} pictures, {numbers} numbers, {took:.1f} s")
    if took > SECONDS:
        print(f"the gallery took {took:.0f} s, more than {SECONDS}", file=sys.stderr)
        wrong += 1
    return 1 if wrong or not numbers else 0


if __name__ == "__main__":
    sys.exit(main())
