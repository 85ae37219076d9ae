#!/usr/bin/env python3
"""The gallery: all figures with a source are drawn within three minutes of processor time, and the numbers on its page are those of theory.

    tests/figure/gallery_check.py build/bin/carom

The largest error of each scene is its bound below; it follows from the integrator. Exit status: 0, 1 something is wrong.
"""

import html
import math
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 180

SERIES = 1e-8  # events are located, expansions are cut at roundoff; a block is a disc with a billion times the inertia
FIRST = 2e-3   # impacts and ends of sliding are known to a step


def numbers_of(page):
    """Value and error of every number on the page, by scene, figure and label."""
    found = {}
    for section in re.findall(r"<section.*?</section>", page, flags=re.S):
        place = re.search(r'id="(\w+)"', section)[1]
        for label, value, error in re.findall(
                r'<tr><td>(.*?)</td><td class="number">([^< ]+)[^<]*</td>.*?<td class="number">([^<]*)</td></tr>', section):
            found[place, html.unescape(label)] = float(value), float(error)
    return found


def check_table(page):
    """The table of figures in docs/verification.md has the numbers that were computed now."""
    computed, wrong, rows = numbers_of(page), 0, 0
    text = (ROOT / "docs/verification.md").read_text(encoding="utf-8")
    for problem, scene, figure, value in re.findall(r"^\| ([^|]+) \| `carom figure scenes/(\w+)\.toml (\w+)` \| (\S+)", text, flags=re.M):
        rows += 1
        label = problem.split(": ", 1)[1]
        now, _ = computed.get((f"{scene}_{figure}", label), (math.nan, math.nan))
        # printed with nine digits; below 1e-11 all is rounding
        if not abs(now - float(value)) <= 1e-8 * abs(now) + 1e-11:
            print(f"docs/verification.md: {problem}: {value}, computed {now:.9g}", file=sys.stderr)
            wrong += 1
    return wrong if rows else 1


def check_counts(pictures, numbers):
    """docs/figures_of_papers.md says how many pictures and numbers there are."""
    said = re.search(r"(\d+) pictures with (\d+) numbers", (ROOT / "docs/figures_of_papers.md").read_text(encoding="utf-8"))
    if (int(said[1]), int(said[2])) == (pictures, numbers):
        return 0
    print(f"docs/figures_of_papers.md: {said[0]}, but there are {pictures} and {numbers}", file=sys.stderr)
    return 1


def main():
    program = sys.argv[1]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "gallery", str(ROOT / "scenes"), "-o", folder], capture_output=True, text=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = used.ru_utime + used.ru_stime  # of all threads; the clock would count what else the machine does
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
        for label, error in re.findall(r"<tr><td>(.*?)</td>.*?<td class=\"number\">([^<]*)</td></tr>", section):
            numbers += 1
            if not float(error) <= bound:  # also where it is not a number
                print(f"{scene}: {label}: error {error}, at most {bound:g} expected", file=sys.stderr)
                wrong += 1
    wrong += check_table(page) + check_counts(len(pictures), numbers)
    print(f"{len(pictures)} pictures, {numbers} numbers, {took:.1f} s")
    if took > SECONDS:
        print(f"the gallery took {took:.0f} s, more than {SECONDS}", file=sys.stderr)
        wrong += 1
    return 1 if wrong or not numbers else 0


if __name__ == "__main__":
    sys.exit(main())
