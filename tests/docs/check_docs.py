#!/usr/bin/env python3
"""The documentation is true: its links lead somewhere, its scenes are read, its commands run, its codes are those of the sources.

    tests/docs/check_docs.py PART --program build/bin/carom [--page docs/how-to/bodies.md]

PART:
  links      every link between pages, every anchor, every file that a link names
  names      files that the pages and the README of modules name are there, and guides name no function or type of C++ that is private
  numbers    numbers of the comparison are those of benchmarks/RESULTS.md, and numbers of guides those that the program prints
  codes      docs/reference/findings.md explains every code of findings and errors in the sources, and no other
  theory     pages of docs/theory have the parts of one template, every label is defined once, and the sources cite no other
  scenes     every ```toml example is read by carom; a fragment together with a scene of this folder
  python     every Python example runs, each on its own
  cpp        every C++ example compiles with the public headers
  commands   every command of carom in the pages ends with status 0 or 1, and forms of commands have options that there are; tables of docs/theory/convergence.md are what they print
  site       docs/build makes the site without a warning, and the site has no dead link and asks no network for anything

A block that is no scene has `<!-- not a scene -->` in the line before it; a command that cannot be run as it stands is listed in NOT_RUN below.
Exit status: 0, 1 something is wrong, 77 skipped (tools of section [docs] are missing).
"""

import argparse
import html.parser
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DOCS = ROOT / "docs"
SECONDS = 900  # for one command

# commands that show a form, or that other tests run
NOT_RUN = {
    "docs/how-to/reference_cases.md": "run by the tests reference and reference_series",
    "docs/how-to/benchmarks.md": "benchmarks take long and are run by hand",
}
PLACEHOLDER = re.compile(r"\b(SCENE|NAME|RUN|FILE|TABLE|COMMAND|SHELL|PATH|PAGE|N)\b|\.\.\.|\[|\|(?!\s*(head|less|man))")


def pages():
    found = [ROOT / name for name in ("README.md", "SECURITY.md", "SUPPORT.md", "CONTRIBUTING.md", "ARCHITECTURE.md") if (ROOT / name).is_file()]
    return found + [page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).parts[0] != "site"]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


class Complaints:
    def __init__(self):
        self.count = 0

    def say(self, text):
        print(text, file=sys.stderr)
        self.count += 1


# ------------------------------------------------------------------ links


def slug(heading):
    """The anchor that both the repository's page and MyST make of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.S | re.M))


def anchors(page):
    out, code = set(), False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            code = not code
        elif not code and re.match(r"#+ ", line):
            out.add(slug(line.lstrip("#")))
    return out


def check_links(complaints):
    links = 0
    for page in pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            if not path.exists():
                complaints.say(f"{name_of(page)}: {target} does not exist")
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                complaints.say(f"{name_of(page)}: {target} has no such heading")
    print(f"{links} links in {len(pages())} pages")


# ------------------------------------------------------------------ names

# guides for users of the library; other pages are about its inside, or about older versions
GUIDES = ("docs/start/", "docs/how-to/", "docs/reference/", "docs/promises.md", "README.md")
ABOUT_THE_INSIDE = ("docs/how-to/benchmarks.md", "docs/how-to/reference_cases.md")
FILE = re.compile(r"(src|tests|include|apps|docs|scenes|benchmarks|examples|python|tools|viewer|paper|cmake)/[\w./-]*\w")


def words_in_code(page):
    """What stands between backticks in the text of a page, with its line."""
    text = re.sub(r"^(```|~~~).*?^\1", lambda block: "\n" * block[0].count("\n"), page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for match in re.finditer(r"`([^`\n]+)`", text):
        yield text.count("\n", 0, match.start()) + 1, match[1]


def private_names():
    """Functions and types that headers of src declare and public headers, the Python package and the program do not know."""
    known = set()
    for folder, kinds in (("include", "*.hpp"), ("python/carom", "*.py"), ("apps", "*.cpp"), ("src/scene", "fields*.cpp"), ("src/trace", "*.cpp"), ("src/report", "*.cpp")):
        for path in (ROOT / folder).rglob(kinds):
            known.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    declared = set()
    for path in (ROOT / "src").rglob("*.hpp"):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        declared.update(re.findall(r"\b(?:struct|class) ([A-Z]\w+)", text))
        declared.update(name for name in re.findall(r"^(?:\[\[nodiscard\]\] )?[\w:<>,&* ]+[ &*](\w+)\(", text, flags=re.M) if "_" in name)
    findings, errors = codes_of_sources()
    return declared - known - set(findings) - errors


def check_names(complaints):
    private, count = private_names(), 0
    for page in pages():
        guide = name_of(page).startswith(GUIDES) and name_of(page) not in ABOUT_THE_INSIDE
        for line, words in words_in_code(page):
            if FILE.fullmatch(words) and page.name != "api_changes.md":
                count += 1
                if not (ROOT / words).exists():
                    complaints.say(f"{name_of(page)}:{line}: {words} does not exist")
            elif re.fullmatch(r"carom/[\w/]+\.hpp", words) and page.name != "api_changes.md":
                count += 1
                if not (ROOT / "include" / words).is_file():
                    complaints.say(f"{name_of(page)}:{line}: there is no public header {words}")
            for name in re.findall(r"\w+", words) if guide else ():
                if name in private:
                    complaints.say(f"{name_of(page)}:{line}: {name} is private")
    # the page of a module names files of it, others with their module in front; pages of theory say the module once
    sources = {path.relative_to(top).as_posix() for top in (ROOT / "src", ROOT / "include/carom", ROOT / "tests") for path in top.rglob("*.[hc]pp")}
    anywhere = {name.rpartition("/")[2] for name in sources}
    for page in sorted((ROOT / "src").rglob("README.md")) + sorted((DOCS / "theory").rglob("*.md")):
        of_module = page.name == "README.md"
        for line, words in words_in_code(page):
            if not re.fullmatch(r"[\w/]+\.[hc]pp", words) or FILE.fullmatch(words) or words.startswith("carom/"):
                continue
            count += 1
            here = page.parent.relative_to(ROOT / "src").as_posix() + "/" + words in sources if of_module else words in anywhere
            if words not in sources and not here:
                complaints.say(f"{name_of(page)}:{line}: there is no {words}")
    # and every file of its folder is named there, by itself or by the beginning of its name, `series_order*`
    for page in sorted((ROOT / "src").rglob("README.md")):
        words = set(re.findall(r"\w+\*?", page.read_text()))
        for stem in sorted({path.stem for path in page.parent.glob("*.[hc]pp")}):
            count += 1
            if stem not in words and not any(word.endswith("*") and stem.startswith(word[:-1]) for word in words):
                complaints.say(f"{name_of(page)}: {stem} is not named")
    print(f"{count} files named, {len(private)} private names known")


# ------------------------------------------------------------------ numbers


NUMBER = r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])"


def rounds_to(shown, values):
    """Whether one of the values, rounded to the digits that are shown, is the number that is shown."""
    digits = len(re.sub(r"e.*|[^0-9]", "", shown).lstrip("0")) or 1
    return any(value == float(shown) or float(f"{value:.{digits}g}") == float(shown) for value in values)


def check_comparison(complaints, program):
    """Every measured number is one of benchmarks/RESULTS.md, or is printed by a command of carom before it."""
    text = (DOCS / "comparison.md").read_text(encoding="utf-8").split("## Measured", 1)[1]
    results = {float(number) for number in re.findall(NUMBER, (ROOT / "benchmarks/RESULTS.md").read_text(encoding="utf-8"))}
    count, printed = 0, set()
    for line in text.splitlines():
        for command in re.findall(r"`(carom branch [^`]+)`", line):
            done = subprocess.run(["bash", "-c", command.replace("carom", shlex.quote(program), 1)], cwd=ROOT, capture_output=True, text=True)
            printed |= {float(number) for number in re.findall(NUMBER, done.stdout)}
        for number in re.findall(NUMBER, re.sub(r"`[^`]*`|\b1e-\d+\b", "", line)):
            count += 1
            if not rounds_to(number, results | printed):
                complaints.say(f"docs/comparison.md: {number} is neither in benchmarks/RESULTS.md nor printed by a command: {line[:100]}")
    return count


def run_json(program, *arguments):
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, timeout=SECONDS)
    return json.loads(done.stdout)


def check_first_scene(complaints, program):
    """The scene of the first guide ends where the guide says."""
    page = DOCS / "start/first_scene.md"
    block = next(block for _, block in toml_blocks(page) if "puck" in block)
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder) / "puck.toml"
        scene.write_text(block, encoding="utf-8")
        result = run_json(program, "run", str(scene))
    text = page.read_text(encoding="utf-8")
    said = re.search(r"reaches the wall with [^=]*= (\S+) m/s.*?stops (\S+) m from the wall.*?x = (\S+) m", text, flags=re.S)
    struck_m_s = (4**2 - 2 * 0.1 * 9.81 * 3) ** 0.5
    for number, value in ((said[1], struck_m_s), (said[2], (0.6 * struck_m_s) ** 2 / (2 * 0.1 * 9.81)), (said[3], result["state"]["x"]["q"])):
        if not rounds_to(number, {value}):
            complaints.say(f"{name_of(page)}: {number}, but it is {value}")
    return 3


def check_solved_problem(complaints, program):
    """The line of `carom solve` in its guide: contacts, status, solver, iterations."""
    page = DOCS / "how-to/solve_problems.md"
    name, contacts, status, solver, iterations = re.search(r"^    (\S+\.hdf5) +(\d+) (\w+) +(\w+) +(\d+)", page.read_text(encoding="utf-8"), flags=re.M).groups()
    result = run_json(program, "solve", str(ROOT / "tests/data/fclib" / name))
    shown = (int(contacts), status, solver, int(iterations))
    printed = tuple(result[key] for key in ("contacts", "status", "solver", "iterations"))
    if shown != printed:
        complaints.say(f"{name_of(page)}: {name} is shown with {shown}, carom solve gives {printed}")
    return len(shown)


def check_newton_impact(complaints):
    """The impact of docs/theory/impacts.md that creates energy: sticking, U_N+ = -e U_N-."""
    page = DOCS / "theory/impacts.md"
    said = [float(number) for number in re.search(
        r"A = \[\[(\S+), (\S+)\], \[\S+, (\S+)\]\], e = (\S+), mu = (\S+), u- = \((\S+), (\S+)\).*?P = \((\S+), (\S+)\), u\+ = \((\S+), (\S+)\).*?factor of (\d+\.\d+)",
        page.read_text(encoding="utf-8"), flags=re.S).groups()]
    a, b, d, e, mu, n, t, P_n, P_t, after_n, after_t, factor = said
    jump = (-e * n - n, -t)
    P = (a * jump[0] + b * jump[1], b * jump[0] + d * jump[1])
    energy = lambda x, y: a * x * x + 2 * b * x * y + d * y * y  # noqa: E731
    grown = energy(-e * n, 0) / energy(n, t)
    for shown, value in ((P_n, P[0]), (P_t, P[1]), (after_n, -e * n), (after_t, 0), (factor, grown)):
        if abs(shown - value) > 0.005:
            complaints.say(f"{name_of(page)}: {shown}, computed {value}")
    if not abs(P[1]) <= mu * P[0]:
        complaints.say(f"{name_of(page)}: the contact does not stick")
    return 5


def check_sweeping(complaints, program):
    """Errors of both methods in docs/theory/sweeping.md: the disc of the guide, against the tractrix at 2 s."""
    block = next(block for _, block in toml_blocks(DOCS / "how-to/sweeping.md") if "drags a point" in block)
    exact = (2 - math.tanh(2), 1 / math.cosh(2))
    rows = re.findall(r"^\| (\S+) s \| (\S+) \| \S* ?\| \| (\S+) s \| (\S+) \|", (DOCS / "theory/sweeping.md").read_text(encoding="utf-8"), flags=re.M)
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder) / "disc.toml"
        scene.write_text(block, encoding="utf-8")
        for h, of_steps, relaxation, of_relaxation in rows:
            yosida = ["--set", "sweeping.method=yosida", "--set", f"sweeping.relaxation_s={relaxation}", "--set", "sweeping.time_step_s=1e-4"]
            for shown, settings in ((of_steps, ["--set", f"sweeping.time_step_s={h}"]), (of_relaxation, yosida)):
                end = run_json(program, "run", str(scene), *settings)["state"]
                error = math.dist((end["x"]["q"], end["y"]["q"]), exact)
                if not rounds_to(shown, {error}):
                    complaints.say(f"docs/theory/sweeping.md: {shown}, computed {error:.4g} with {' '.join(settings)}")
    if not rows:
        complaints.say("docs/theory/sweeping.md: there is no table of errors")
    return 2 * len(rows)


def check_reference_table(complaints, program):
    """The textbook table of docs/verification.md: values and errors that carom-reference gives for its cases, all of which the command names."""
    reference = pathlib.Path(program).with_name("carom-reference")
    page = DOCS / "verification.md"
    before, table = page.read_text(encoding="utf-8").split("All values of the reference cases", 1)
    rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines() if re.match(r"\| [^|]+ \| [A-Z0-9]+-[A-Z0-9-]+ \|", line)]
    cases = sorted({row[2] for row in rows})
    command = re.search(r"^    build/bin/carom-reference (.*)$", before, flags=re.M)[1].split()
    for case in set(cases) ^ set(command):
        complaints.say(f"{name_of(page)}: {case} is only in one of the table and its command")
    if not reference.is_file():
        print("carom-reference is not built: the table of reference cases is not compared")
        return 0
    done = subprocess.run([str(reference), *cases, "--json"], capture_output=True, text=True, timeout=SECONDS)
    found = {}
    for line in done.stdout.splitlines():
        result = json.loads(line)
        found.setdefault(result["id"], []).append(result)

    def numbers_in(value):
        if isinstance(value, list):
            return [number for part in value for number in numbers_in(part)]
        return [float(value)] if isinstance(value, (int, float)) and not isinstance(value, bool) else []

    count = 0
    for row in rows:
        values = [number for result in found.get(row[2], []) for number in numbers_in(result["value"])]
        errors = [result["error"] for result in found.get(row[2], []) if result["error"] is not None]
        for shown in re.findall(NUMBER, row[5]):
            count += 1
            # beyond nine digits other mathematical libraries may differ
            if not rounds_to(shown, values) and not any(abs(value - float(shown)) <= 1e-9 * abs(value) for value in values):
                complaints.say(f"{name_of(page)}: {row[1]}: {shown} is not a value of {row[2]}")
        for shown in re.findall(NUMBER, row[6]):
            count += 1
            if not any(error <= 2 * float(shown) + 1e-12 and float(shown) <= 2 * error + 1e-12 for error in errors):
                complaints.say(f"{name_of(page)}: {row[1]}: {shown} is not an error of {row[2]}")
    if not rows:
        complaints.say(f"{name_of(page)}: there is no table of reference cases")
    return count


def check_first_picture(complaints, program):
    """The picture of README.md is what the command below it draws."""
    command = re.search(r"^The picture: `carom (run [^`]+)`", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.M)[1]
    with tempfile.TemporaryDirectory() as folder:
        words = [str(ROOT / word) if word.startswith("docs/") else word for word in shlex.split(command)]
        subprocess.run([program, *words, "--quiet"], cwd=folder, capture_output=True, timeout=SECONDS)
        drawn = pathlib.Path(folder) / "ball.svg"
        if not drawn.is_file() or drawn.read_bytes() != (DOCS / "start/ball.svg").read_bytes():
            complaints.say("docs/start/ball.svg is not what the command in README.md draws")


def check_numbers(complaints, program):
    check_first_picture(complaints, program)
    count = check_comparison(complaints, program) + check_first_scene(complaints, program)
    count += check_solved_problem(complaints, program) + check_newton_impact(complaints) + check_sweeping(complaints, program)
    count += check_reference_table(complaints, program)
    print(f"{count} numbers compared")


# ------------------------------------------------------------------ codes


def codes_of_sources():
    """Codes of findings and hypotheses, as the sources write them."""
    call = re.compile(r'(?:\.code\s*=\s*|\bfinding\(\s*|\btell\(\s*(?:StepStatus::\w+,\s*)?|add_finding\(\s*|\badd\(\s*result,\s*|\bfail\(\s*RunEnd::\w+,\s*)'
                      r'(?:[\w.:]+(?:\s*==\s*[\w.:]+)?\s*\?\s*"([a-z_]+)"\s*:\s*)?"([a-z_]+)"')
    found = {}
    for path in sorted((ROOT / "src").rglob("*.[ch]pp")):
        for match in call.finditer(path.read_text(encoding="utf-8")):
            for code in match.groups():
                if code:
                    found.setdefault(code, path.relative_to(ROOT).as_posix())
    errors = re.findall(r'ErrorCode::\w+: return "([a-z_]+)"', (ROOT / "src/core/error.cpp").read_text(encoding="utf-8"))
    return found, set(errors) | {"internal_error"}


def check_codes(complaints):
    findings, errors = codes_of_sources()
    text = (DOCS / "reference/findings.md").read_text(encoding="utf-8")
    parts = re.split(r"^## ", text, flags=re.M)

    def explained(part):
        return {code for row in part.splitlines() if row.startswith("| `") for code in re.findall(r"`([a-z_]+)`", row.split("|")[1])}

    of_findings = set().union(*(explained(part) for part in parts if not part.startswith("Error codes")))
    of_errors = explained(next(part for part in parts if part.startswith("Error codes")))
    for code in sorted(set(findings) - of_findings):
        complaints.say(f"docs/reference/findings.md does not explain the finding {code} ({findings[code]})")
    for code in sorted(of_findings - set(findings)):
        complaints.say(f"docs/reference/findings.md explains {code}, which no source has")
    for code in sorted(errors ^ of_errors):
        complaints.say(f"docs/reference/findings.md and src/core/error.cpp differ in the error code {code}")
    print(f"{len(findings)} codes of findings, {len(errors)} of errors")


# ------------------------------------------------------------------ theory


TEMPLATE = ("Statement", "What is left out", "Where", "Papers")
LABEL = r"[A-Z]{2}-\d+"


def check_theory(complaints):
    defined, mentioned = {}, set()
    for page in sorted((DOCS / "theory").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        headings = re.findall(r"^## (.*)$", text, flags=re.M)
        for part in TEMPLATE:
            if part not in headings:
                complaints.say(f"{name_of(page)} has no part \"{part}\"")
        mentioned.update(re.findall(rf"\b{LABEL}\b", text))
        # a label at the end of a line, behind its formula, defines it
        for label in re.findall(rf"^ {{4}}.*\s{{2}}\(({LABEL})\)$", text, flags=re.M):
            if label in defined:
                complaints.say(f"{name_of(page)} defines ({label}) once more; {defined[label]} has it")
            defined[label] = name_of(page)
    prefixes = {label.partition("-")[0] for label in mentioned}
    cited = set()
    for folder in ("src", "include", "apps", "python", "tests"):
        for path in sorted(one for one in (ROOT / folder).rglob("*.[chp][py]*") if one.is_file()):
            for label in re.findall(rf"\(({LABEL})\)", path.read_text(encoding="utf-8")):
                cited.add(label)
                if label.partition("-")[0] in prefixes and label not in mentioned:
                    complaints.say(f"{path.relative_to(ROOT)} cites ({label}), which no page of docs/theory has")
    print(f"{len(mentioned)} labels, {len(defined)} of them formulas, {len(cited)} cited in the sources")


# ------------------------------------------------------------------ scenes


def toml_blocks(page):
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^(<!-- not a scene -->\n)?```toml\n(.*?)^```", text, flags=re.S | re.M):
        if not match[1]:
            yield text.count("\n", 0, match.start(2)) + 1, match[2]


def whole(block):
    """The block as a scene: itself, or appended to a scene that has what fragments name."""
    if re.search(r"^duration_s\s*=", block, flags=re.M):
        return block
    of_bodies = re.search(r"^\[\[(body|material|material_pair|group|joint|load|spring)\b|^(force_on|reaction_of)\s*=", block, flags=re.M)
    base = (HERE / ("bodies.toml" if of_bodies else "pendulum.toml")).read_text(encoding="utf-8")
    names = set(re.findall(r'^name = "(\w+)"', block, flags=re.M))
    # a fragment may describe again what the base has under the same name
    pieces = re.split(r"^(?=\[)", base, flags=re.M)
    kept = [piece for piece in pieces if not any(f'name = "{name}"' in piece for name in names)]
    return "".join(kept) + "\n" + block


def check_scenes(complaints, program, only):
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for page in pages():
            if only and page != only:
                continue
            for line, block in toml_blocks(page):
                scene = pathlib.Path(folder) / "example.toml"
                scene.write_text(whole(block), encoding="utf-8")
                result = subprocess.run([program, "inspect", str(scene)], capture_output=True, text=True, timeout=SECONDS)
                count += 1
                if result.returncode not in (0, 1):
                    complaints.say(f"{name_of(page)}:{line}: this example is refused\n{result.stderr}")
    print(f"{count} scenes in the pages are read")


# ------------------------------------------------------------------ commands


def commands_of(page):
    """Lines of code blocks that call carom, and the text that the page shows as their output."""
    lines = page.read_text(encoding="utf-8").splitlines()
    fenced, found = False, []
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fenced = not fenced
            continue
        if not (fenced or line.startswith("    ")):
            continue
        text = line.strip()
        if number > 1 and lines[number - 2].endswith("\\"):  # goes on with a command, of carom or of another program
            if found and found[-1][1].endswith("\\"):
                found[-1] = (found[-1][0], found[-1][1][:-1] + text, [])
            continue
        if re.match(r"(build/bin/)?carom(-reference)? |if \[ -e", text):
            found.append((number, re.split(r"\s{2,}#", text)[0].strip(), []))
        elif found and line.startswith("    ") and not fenced:
            found[-1][2].append(text)
    return found


def prepare(folder, page, program):
    """Files that commands of the pages name."""
    os.symlink(ROOT / "scenes", folder / "scenes")
    os.symlink(DOCS, folder / "docs")
    (folder / "build/bin").mkdir(parents=True)
    os.symlink(program, folder / "build/bin/carom")
    os.symlink(pathlib.Path(program).parent / "carom-reference", folder / "build/bin/carom-reference")
    (folder / "problems").mkdir()
    files = sorted((ROOT / "tests/data/fclib").glob("*.hdf5"), key=lambda path: path.stat().st_size)[:2]
    for path in files:
        shutil.copy(path, folder / "problems")
    shutil.copy(files[0], folder / "problem.hdf5")
    shutil.copy(next((ROOT / "tests/data/urdf").rglob("*.urdf")), folder / "arm.urdf")
    for name in ("scene", "pendulum", "long"):
        shutil.copy(HERE / "pendulum.toml", folder / f"{name}.toml")
    shutil.copy(HERE / "shaker.toml", folder)
    first = next((block for _, block in toml_blocks(page) if re.search(r"^duration_s", block, flags=re.M)), None)
    for name in ("crate", "disc", "puck"):
        (folder / f"{name}.toml").write_text(first or (HERE / "bodies.toml").read_text(encoding="utf-8"), encoding="utf-8")
    for name in ("pendulum", "run", "ball", "balls", "long", "coarse", "fine"):
        subprocess.run([program, "run", "pendulum.toml", "-o", f"{name}.h5", "--quiet", "--no-svg"], cwd=folder, check=True)
    for k in (1, 2):
        subprocess.run([program, "study", "pendulum.toml", "--vary", "parameters.e=0.2,0.4", "--shard", f"{k}/2", "-o", f"part{k}.csv", "--quiet"],
                       cwd=folder, check=True)


def agree(shown, printed):
    """Two words of a table. Values agree to 1e-7; errors and orders, printed with few digits, to 2 %; below 1e-11 all is rounding."""
    if shown == printed:
        return True
    try:
        a, b = float(shown.rstrip(";,")), float(printed.rstrip(";,"))
    except ValueError:
        return False
    few = len(re.sub(r"e.*|[^0-9]", "", shown)) <= 4
    return abs(a - b) <= (0.02 if few else 1e-7) * max(abs(a), abs(b)) or max(abs(a), abs(b)) < 1e-11 or (few and "e" not in shown and abs(a - b) <= 0.02)


def not_printed(shown, printed):
    """The shown lines that no printed line agrees with, word by word."""
    lines = [line.split() for line in printed.splitlines()]
    return [line for line in shown if line and not any(
        len(words) == len(line.split()) and all(map(agree, line.split(), words)) for words in lines)]


def view(command, folder, environment):
    """carom view serves until it is ended: it has to say its address."""
    process = subprocess.Popen(["bash", "-c", "exec " + command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)
    return line.startswith("http://127.0.0.1:")


def run_command(complaints, page, number, command, shown, folder, environment):
    where = f"{name_of(page)}:{number}"
    if " view " in command:
        if not view(command.rstrip("& "), folder, environment):
            complaints.say(f"{where}: {command} serves nothing")
        return
    try:
        result = subprocess.run(["bash", "-c", command.rstrip("& ")], cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        complaints.say(f"{where}: {command} takes more than {SECONDS} s")
        return
    if result.returncode not in (0, 1):
        complaints.say(f"{where}: {command} ends with {result.returncode}\n{result.stderr[-2000:]}")
    elif page.name == "convergence.md":
        for line in not_printed(shown, result.stdout):
            complaints.say(f"{where}: the page shows a line that is not printed: {line}")


def check_form(complaints, page, number, command, program):
    """A line that shows a form: its options are those of the command."""
    words = command.split()
    if len(words) < 2 or words[1].startswith("-") or "/" in words[1] or not words[0].endswith("carom"):
        return
    help_text = subprocess.run([program, words[1], "--help"], capture_output=True, text=True).stdout
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", command):
        if option not in help_text:
            complaints.say(f"{name_of(page)}:{number}: carom {words[1]} has no option {option}")


def check_commands(complaints, program, only):
    count = left = 0
    environment = {**os.environ, "PATH": f"{pathlib.Path(program).parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
    for page in pages():
        commands = commands_of(page)
        if (only and page != only) or not commands:
            continue
        if name_of(page) in NOT_RUN:
            left += len(commands)
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            prepare(folder, page, program)
            for number, command, shown in commands:
                forms = PLACEHOLDER.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", command))
                if forms or (re.search(r" (png|webm|mp4|gif)\b", command) and not shutil.which("chromium")) or ("man -l" in command and not shutil.which("man")):
                    left += 1
                    check_form(complaints, page, number, command, program)
                    continue
                count += 1
                run_command(complaints, page, number, command, shown, folder, environment)
    print(f"{count} commands run, {left} show a form or are run elsewhere")


# ------------------------------------------------------------------ python, C++


def blocks_of(page, language):
    """Line and text of the code blocks in a language."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(rf"^```{language}\n(.*?)^```", text, flags=re.S | re.M):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def check_python(complaints, program):
    """With the module that stands beside the program in build/python, in a folder that has the files which pages name."""
    module = pathlib.Path(program).parent.parent / "python"
    needed = "import h5py, matplotlib, numpy, pandas"
    if not list(module.glob("carom/_carom*")) or subprocess.run(["/usr/bin/python3", "-c", needed], capture_output=True).returncode:
        print("the Python module, or a package that examples need, is not there")
        sys.exit(77)
    environment = {**os.environ, "PYTHONPATH": str(module), "MPLBACKEND": "Agg"}
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.symlink(ROOT / "scenes", folder / "scenes")
        os.symlink(DOCS, folder / "docs")
        shutil.copy(HERE / "pendulum.toml", folder / "a.toml")
        for scene, file in (("scenes/pendulum_wall.toml", "run.h5"), ("scenes/pendulum_wall.toml", "RUN.h5"), ("scenes/wall.toml", "wall.h5")):
            subprocess.run([program, "run", scene, "--set", "duration_s=0.5", "-o", file, "--quiet", "--no-svg"], cwd=folder, check=False)
        for page in pages():
            for line, block in blocks_of(page, "python"):
                count += 1
                result = subprocess.run(["/usr/bin/python3", "-c", block], cwd=folder, capture_output=True, text=True, timeout=SECONDS, env=environment)
                if result.returncode != 0 or (page.name == "README.md" and "certified" not in result.stdout):
                    complaints.say(f"{name_of(page)}:{line}: this example fails\n{result.stdout}{result.stderr}")
    print(f"{count} Python examples run")


def as_function(number, block):
    """Statements become the body of a function; includes stay outside."""
    includes = "".join(line + "\n" for line in block.splitlines() if line.startswith("#include"))
    rest = "".join(line + "\n" for line in block.splitlines() if not line.startswith("#include"))
    if "int main" in rest:
        return includes + f"namespace page_{number} {{\n{rest}}}\n"
    return includes + f"[[maybe_unused]] static void example_{number}()\n{{\nusing namespace carom;\n{rest}}}\n"


def check_cpp(complaints):
    """Blocks with ... show a form. One file holds all examples: the headers are read once."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if not compiler:
        print("there is no compiler")
        sys.exit(77)
    parts = ['#include "carom/carom.hpp"\n']
    for page in pages():
        for line, block in blocks_of(page, "cpp"):
            if "..." not in block:
                parts.append(f'#line {line} "{name_of(page)}"\n' + as_function(len(parts), block))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "examples.cpp"
        file.write_text("".join(parts), encoding="utf-8")
        result = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", str(ROOT / "include"), "-isystem", "/usr/include/eigen3", str(file)],
                                capture_output=True, text=True)
    if result.returncode != 0:
        complaints.say(result.stderr)
    print(f"{len(parts) - 1} C++ examples compile" if result.returncode == 0 else "C++ examples fail")


# ------------------------------------------------------------------ site


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for key in ("src", "href" if tag == "link" else "src"):
            if tag in ("script", "img", "link", "iframe") and given.get(key):
                self.loads.append(given[key])


def check_site(complaints, program):
    if not all(shutil.which(tool) for tool in ("doxygen", "/usr/bin/sphinx-build")):
        print("sphinx or doxygen is not installed: section [docs] of packages.txt")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        built = subprocess.run([str(DOCS / "build"), "--program", program, folder], capture_output=True, text=True)
        if built.returncode != 0:
            complaints.say(built.stdout + built.stderr)
            return
        site = pathlib.Path(folder) / "html"
        read = {}
        for path in sorted(site.rglob("*.html")):
            if "_static" not in path.relative_to(site).parts:
                read[path] = Links()
                read[path].feed(path.read_text(encoding="utf-8"))
        for path, found in read.items():
            where = path.relative_to(site).as_posix()
            for load in found.loads:
                if re.match(r"(https?:)?//", load):
                    complaints.say(f"{where} asks the network for {load}")
            for link in found.links:
                target = urllib.parse.urlsplit(link)
                if target.scheme or target.netloc:
                    continue
                other = (path.parent / urllib.parse.unquote(target.path)).resolve() if target.path else path
                if not other.exists():
                    complaints.say(f"{where}: the link {link} leads nowhere")
                elif target.fragment and other in read and urllib.parse.unquote(target.fragment) not in read[other].ids:
                    complaints.say(f"{where}: the link {link} has no such place")
        print(f"{len(read)} pages of the site")
        check_in_browser(complaints, site)


def check_in_browser(complaints, site):
    """Scripts, formulas and search work in a folder, without a network; skipped where there is no Chromium."""
    chromium = shutil.which("chromium")
    if not chromium:
        return

    def open_page(address):
        return subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000", "--enable-logging=stderr", "--dump-dom",
                               address], capture_output=True, text=True, timeout=SECONDS)

    shown = open_page((site / "glossary.html").as_uri())
    for line in shown.stderr.splitlines():
        if "CONSOLE" in line and ("Error" in line or "Failed" in line):
            complaints.say(f"in the browser: {line}")
    if 'class="no-js"' in shown.stdout or 'class="katex"' not in shown.stdout:
        complaints.say("in the browser: the script of the theme, or that of formulas, does not run")
    found = re.search(r"found (\d+) page", open_page((site / "search.html").as_uri() + "?q=ledger").stdout)
    if not found or int(found[1]) < 5:
        complaints.say("in the browser: the search finds nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["links", "names", "numbers", "codes", "theory", "scenes", "python", "cpp", "commands", "site"])
    parser.add_argument("--program", default=str(ROOT / "build/bin/carom"))
    parser.add_argument("--page", help="this page only")
    given = parser.parse_args()
    only = pathlib.Path(given.page).resolve() if given.page else None
    program = str(pathlib.Path(given.program).resolve())
    complaints = Complaints()
    if given.part == "links":
        check_links(complaints)
    elif given.part == "names":
        check_names(complaints)
    elif given.part == "numbers":
        check_numbers(complaints, program)
    elif given.part == "codes":
        check_codes(complaints)
    elif given.part == "theory":
        check_theory(complaints)
    elif given.part == "scenes":
        check_scenes(complaints, program, only)
    elif given.part == "python":
        check_python(complaints, program)
    elif given.part == "cpp":
        check_cpp(complaints)
    elif given.part == "commands":
        check_commands(complaints, program, only)
    else:
        check_site(complaints, program)
    return 1 if complaints.count else 0


if __name__ == "__main__":
    sys.exit(main())
