#!/usr/bin/env python3
"""Stages the sources of the site: the pages of docs/, and those that are generated.

    docs/site/make_pages.py FOLDER --program build/bin/carom --xml DOXYGEN/xml --gallery GALLERY

Generated are: keys of scenes (from reference/scene.schema.json), commands (from `carom COMMAND --help`), the C++ interface (directives for
Breathe), the bibliography, and pages of files outside docs/ (CHANGELOG.md, benchmarks/RESULTS.md). Links between pages work as on the
page of the repository; links to files that are not pages lead to a copy in _static/files.
"""

import argparse
import ast
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

from header_comments import detached

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# pages outside docs/ that the site shows, by their place in it
OUTSIDE = {"CHANGELOG.md": "changes.md", "benchmarks/RESULTS.md": "results.md", "CONTRIBUTING.md": "contributing.md",
           "ARCHITECTURE.md": "architecture.md", "SECURITY.md": "security.md", "SUPPORT.md": "support.md",
           "CODE_OF_CONDUCT.md": "code_of_conduct.md"}
# the pages of the C++ interface: folders of include/carom, or single headers, in the order of the pages
CPP = {
    "scenes": ("Scenes", ["scene"]), "runs": ("Runs", ["door/run.hpp", "door/step_record.hpp", "run"]), "simulation": ("Stepping by hand", ["door/simulation.hpp"]),
    "inspection": ("Inspection", ["door/inspect.hpp", "diagnosis"]), "studies": ("Studies", ["study"]),
    "problems": ("One-step problems", ["door/problem.hpp", "onestep", "solver"]), "recordings": ("Recordings", ["trace"]), "figures": ("Figures", ["figure"]),
    "orbits": ("Orbits", ["orbit"]), "json": ("JSON", ["report"]), "errors": ("Errors and threads", ["core"]), "systems": ("Systems", ["system"]),
    "formulas": ("Formulas", ["expression"]), "shapes": ("Shapes", ["geometry"]), "laws": ("Laws", ["law"]),
    "integrators": ("Integrators", ["stepping", "analytic"]), "sweeping": ("Sweeping processes", ["sweeping"]), "convex_sets": ("Convex sets", ["convex"]),
    "certificates": ("Certificate and events", ["ledger"]),
}
INCLUDE = ROOT / "include/carom"


def pages():
    """Source and place in the site of every page."""
    found = {}
    for path in sorted(DOCS.rglob("*.md")):
        place = path.relative_to(DOCS)
        if place.parts[0] == "site" or place == pathlib.Path("README.md"):
            continue
        found[path] = place
    for name, place in OUTSIDE.items():
        if (ROOT / name).is_file():
            found[ROOT / name] = pathlib.Path(place)
    return found


def relative(place, start):
    """`place` as a link from the page `start`, both inside the site."""
    return ("../" * len(start.parent.parts)) + place.as_posix()


class Stage:
    def __init__(self, folder, places):
        self.folder = folder
        self.places = places
        self.static = folder / "_static"

    def link(self, source, place, target):
        """The link of a page, as the site needs it."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        name, hash_, anchor = target.partition("#")
        path = (source.parent / name).resolve()
        if path in self.places:
            return relative(self.places[path], place) + hash_ + anchor
        if path.is_dir():
            for page in ("README.md", "index.md"):
                if path / page in self.places:
                    return relative(self.places[path / page], place)
            return relative(pathlib.Path("index.md"), place)
        if not path.is_file():
            sys.exit(f"{source.relative_to(ROOT)}: the link {target} leads nowhere")
        if path.suffix in (".png", ".svg"):
            self.copy(path, path.relative_to(DOCS) if path.is_relative_to(DOCS) else pathlib.Path("_static/files") / path.name)
            return target
        # a file that is no page: the reader gets a copy
        copied = pathlib.Path("_static/files") / path.relative_to(ROOT)
        if copied.suffix == ".md":
            copied = copied.with_suffix(".md.txt")
        self.copy(path, copied)
        return relative(copied, place)

    def copy(self, path, place):
        (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, self.folder / place)

    def add(self, source, place):
        text = source.read_text(encoding="utf-8")
        parts = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.S)
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(r"(\]\()([^)\s]+)(\))", lambda m: m[1] + self.link(source, place, m[2]) + m[3], parts[i])
        text = "".join(parts)
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(raise_headings(text), encoding="utf-8")

    def write(self, place, text):
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def raise_headings(text):
    """Headings that skip a level would be warnings: each is at most one deeper than the one before."""
    out, last, code = [], 0, False
    for line in text.splitlines():
        if line.startswith("```"):
            code = not code
        match = re.match(r"(#+) ", line)
        if match and not code:
            level = min(len(match[1]), last + 1)
            line = "#" * level + line[len(match[1]):]
            last = level
        out.append(line)
    return "\n".join(out) + "\n"


def type_of(schema):
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(choice)}`" for choice in schema["enum"])
    kind = schema.get("type", "")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if kind == "array":
        inner = schema.get("items", {})
        return "list of " + (type_of(inner) or "values")
    bounds = [f"{sign} {schema[key]}" for key, sign in (("minimum", ">="), ("exclusiveMinimum", ">"), ("maximum", "<="), ("exclusiveMaximum", "<"))
              if key in schema]
    return kind + (" " + ", ".join(bounds) if bounds else "")


def keys_of(schema, path, groups, rows):
    """Rows (key, type, help) of one table and the tables inside it."""
    needed = set(schema.get("required", []))
    for name, one in schema.get("properties", {}).items():
        text = one.get("description", "").replace("|", "\\|")
        inner = one.get("items", one) if one.get("type") == "array" else one
        if "properties" in inner:
            header = f"[[{path}{name}]]" if one.get("type") == "array" else f"[{path}{name}]"
            groups.append((f"{path}{name}", header, text or inner.get("description", ""), []))
            keys_of(inner, f"{path}{name}.", groups, groups[-1][3])
            continue
        rows.append((name, type_of(one), ("required; " if name in needed else "") + text))


def scene_keys():
    schema = json.loads((DOCS / "reference/scene.schema.json").read_text(encoding="utf-8"))
    groups = [("top level", "", schema.get("description", ""), [])]
    keys_of(schema, "", groups, groups[0][3])
    text = ("# All keys of scenes\n\nGenerated from [scene.schema.json](scene.schema.json), the list that the reader of scenes uses. The [scene format](scene_format.md) "
            "explains the groups.\n")
    for name, header, about, rows in groups:
        level = "#" * (2 + min(name.count("."), 2))
        title = f"`{header}`" if header else "Top level"
        text += f"\n{level} {title}\n\n{about}\n"
        if rows:
            text += "\n| key | type | meaning |\n| --- | --- | --- |\n"
            text += "".join(f"| `{key}` | {kind} | {help_} |\n" for key, kind, help_ in rows)
    return text


def commands(program):
    def help_of(*words):
        return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout.rstrip()

    top = help_of()
    names = re.findall(r"^  ([a-z]+)  +[A-Z]", top.split("Subcommands:")[1].split("\n\n")[0], flags=re.M)
    text = ("# Help of all commands\n\nGenerated from `carom COMMAND --help`. The [command line](command_line.md) explains them, with exit statuses and `--json`.\n\n"
            f"## carom\n\n```text\n{top}\n```\n")
    for name in names:
        text += f"\n## carom {name}\n\n```text\n{help_of(name)}\n```\n"
    return text


def headers_of(places):
    """The headers of folders and files below include/carom."""
    found = []
    for place in places:
        path = INCLUDE / place
        found += sorted(path.rglob("*.hpp")) if path.is_dir() else [path]
    return [path.relative_to(INCLUDE).as_posix() for path in found]


def check_headers():
    """Every public header is on one of the pages, once."""
    shown = [header for _, places in CPP.values() for header in headers_of(places)]
    there = {path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.hpp")} - {"carom.hpp"}
    if sorted(shown) != sorted(there):
        sys.exit(f"headers missing in the pages of C++, or there twice: {sorted(there.symmetric_difference(shown)) or sorted(shown)}")


def cpp(xml):
    """Directives for Breathe, by page: of every header its classes with their members, and its functions."""
    check_headers()
    files = {}
    for compound in ElementTree.parse(xml / "index.xml").getroot().iter("compound"):
        if compound.get("kind") in ("struct", "class", "namespace"):
            definition = ElementTree.parse(xml / (compound.get("refid") + ".xml")).getroot().find("compounddef")
            if compound.get("kind") == "namespace":
                if definition.findtext("compoundname") != "carom":
                    continue
                for member in definition.iter("memberdef"):
                    place = member.find("location").get("file", "")
                    if member.get("kind") == "function" and not member.find("templateparamlist"):
                        files.setdefault(place, {"class": [], "function": [], "enum": []})["function"].append(
                            member.findtext("name") + (member.findtext("argsstring") or "()"))
                    elif member.get("kind") == "enum":
                        files.setdefault(place, {"class": [], "function": [], "enum": []})["enum"].append(member.findtext("name"))
            elif definition.find("location") is not None and definition.findtext("compoundname").count("::") == 1:
                place = definition.find("location").get("file", "")
                files.setdefault(place, {"class": [], "function": [], "enum": []})["class"].append(
                    (compound.get("kind"), definition.findtext("compoundname")))
    index = ("# C++ interface\n\nGenerated from the comments of all public headers; [Use carom from C++](../how-to/use_from_cpp.md) is the guide. Most programs "
             "include `carom/carom.hpp` alone.\n\n```{toctree}\n:maxdepth: 1\n\n" + "".join(f"cpp/{name}\n" for name in CPP) + "```\n")
    return {"cpp.md": index, **{f"cpp/{name}.md": cpp_page(files, *about) for name, about in CPP.items()}}


def cpp_page(files, title, places):
    text = f"# {title} (C++)\n"
    for header in headers_of(places):
        here = next((found for place, found in files.items() if place.endswith("carom/" + header)), None)
        if here is None:
            continue
        text += f"\n## carom/{header}\n"
        if about := detached((INCLUDE / header).read_text(encoding="utf-8")):
            text += "\n```text\n" + "\n\n".join(about) + "\n```\n"
        for kind, name in here["class"]:
            text += f"\n```{{doxygen{kind}}} {name}\n:members:\n:undoc-members:\n```\n"
        for name in here["enum"]:
            text += f"\n```{{doxygenenum}} carom::{name}\n```\n"
        for signature in here["function"]:
            signature = re.sub(r"\s*=\s*[^,()]*(\([^()]*\)|\{[^{}]*\})?(?=[,)])", "", signature)
            signature = re.sub(r"\)[^)]*$", ")", signature)
            text += f"\n```{{doxygenfunction}} carom::{signature}\n```\n"
    return text


def examples():
    """The programs of examples/cpp, each with its text."""
    text = "# Examples in C++\n\nGenerated from `examples/cpp`; the tests run all of them. Those in Python are [pages of their own](../examples/index.rst).\n"
    for path in sorted((ROOT / "examples/cpp").glob("*.cpp")):
        code = path.read_text(encoding="utf-8").rstrip()
        text += f"\n## {path.stem.replace('_', ' ')}\n\n`examples/cpp/{path.name}`\n\n````cpp\n{code}\n````\n"
    return text


def python_gallery(stage):
    """Scripts that sphinx-gallery runs and turns into pages and notebooks."""
    for path in sorted((ROOT / "examples/python").glob("*.py")):
        stage.copy(path, pathlib.Path("examples_python") / path.name)
    title = "Examples in Python"
    stage.write("examples_python/README.rst", f"{title}\n{'=' * len(title)}\n\n"
                "Scripts of ``examples/python``. Each was run when these pages were made, and can be loaded as a script or as a notebook.\n")


def python_page():
    """Directives for autodoc: all names that `import carom` gives, in the order of the guide."""
    names = ast.literal_eval(re.search(r"__all__ = (\[.*?\])", (ROOT / "python/carom/__init__.py").read_text(encoding="utf-8"), flags=re.S)[1])
    classes = [name for name in names if name[0].isupper()]
    traced = re.search(r"from \._trace import \((.*?)\)", (ROOT / "python/carom/__init__.py").read_text(encoding="utf-8"), flags=re.S)[1]
    # modules, values, and functions of NumPy that are traced into formulas
    others = {"convex", "impact", "style", "solvers", *re.findall(r"\w+", traced)}
    functions = [name for name in names if name[0].islower() and name not in others]
    text = ("# Python interface\n\nGenerated from the docstrings of the package; [carom from Python](../how-to/python.md) is the guide.\n\n"
            "## Functions\n\n")
    text += "".join(f"```{{eval-rst}}\n.. autofunction:: carom.{name}\n```\n\n" for name in functions)
    text += "## Classes\n\n"
    text += "".join(f"```{{eval-rst}}\n.. autoclass:: carom.{name}\n   :members:\n```\n\n" for name in classes)
    for module, title in (("convex", "Convex sets"), ("impact", "Impacts")):
        text += f"## {title}\n\n```{{eval-rst}}\n.. automodule:: carom.{module}\n   :members:\n```\n\n"
    return text


def gallery(folder):
    """The figures of scenes that have a source, as `carom gallery` drew them into `folder`."""
    text = ("# Gallery\n\nThe figures and worked examples of the papers, drawn by `carom gallery`. "
            '<a href="_static/gallery/index.html">The page of the gallery</a> has the numbers beside their references, and the scenes to copy.\n')
    page = (folder / "index.html").read_text(encoding="utf-8")
    for part in re.findall(r"<section.*?</section>", page, flags=re.S):
        anchor = re.search(r'id="([^"]+)"', part)[1]
        title, source, statement = (html.unescape(t) for t in re.search(r"<h2>(.*?)</h2>\n<p class=\"source\">(.*?)</p>\n<p>(.*?)</p>", part, flags=re.S).groups())
        text += f"\n## {title}\n\n*{source}.* {statement}\n\n"
        if picture := re.search(r'<img src="([^"]+)"', part):
            text += f'<a href="_static/gallery/index.html#{anchor}"><img src="_static/gallery/{picture[1]}" alt="{html.escape(title)}"></a>\n'
        else:  # a scene that is refused, with the reason
            text += "```text\n" + html.unescape(re.search(r"<pre>(.*?)</pre>", part, flags=re.S)[1]).rstrip() + "\n```\n"
    return text


def bibliography():
    return ("# Bibliography\n\nThe [papers](papers.md) that carom follows, and others that these pages and the code cite.\n\n"
            "```{bibliography}\n:all:\n:style: plain\n```\n")


def script_of_theme():
    """Debian's furo has its script as a module of two files, which browsers refuse for pages in a folder: both in one, without import."""
    folder = pathlib.Path("/usr/lib/python3/dist-packages/furo/theme/furo/static/scripts")
    main, scrolling = folder / "furo.js", folder / "gumshoe-patched.js"
    if not (main.is_file() and scrolling.is_file()):
        return None
    text = re.sub(r"^import Gumshoe from .*$", "", main.read_text(encoding="utf-8"), flags=re.M)
    library = scrolling.read_text(encoding="utf-8")
    # as a common module it leaves what it makes in module.exports
    return ("(function () {\nvar module = { exports: {} }, exports = module.exports;\n" + re.sub(r"^export default .*$", "", library, flags=re.M)
            + "\nvar Gumshoe = module.exports;\n" + text + "\n})();\n")


def index(places):
    """The index with the pages that only some versions have."""
    shown = (DOCS / "site/index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([a-z_\-]+(?:/[a-zA-Z_\-]+)*)$", shown, flags=re.M))
    extra = {"EXTRA_HOW_TO": [], "EXTRA_REFERENCE": [], "EXTRA_PROJECT": []}
    for place in places.values():
        name = place.with_suffix("").as_posix()
        if name in listed or name.startswith("theory/"):
            continue
        if name.startswith("how-to/"):
            extra["EXTRA_HOW_TO"].append(name)
        elif name.startswith("reference/"):
            extra["EXTRA_REFERENCE"].append(name)
        else:
            extra["EXTRA_PROJECT"].append(name)
    for key, names in extra.items():
        shown = shown.replace("{" + key + "}", "\n".join(sorted(names)))
    return shown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", required=True, help="carom, for its help texts")
    parser.add_argument("--xml", required=True, type=pathlib.Path, help="folder of Doxygen's XML")
    parser.add_argument("--gallery", required=True, type=pathlib.Path, help="folder that carom gallery has written")
    given = parser.parse_args()
    shutil.rmtree(given.folder, ignore_errors=True)
    given.folder.mkdir(parents=True)
    places = pages()
    stage = Stage(given.folder, places)
    for source, place in places.items():
        stage.add(source, place)
    stage.write("index.md", index(places))
    for image in ("start/page.png",):
        stage.copy(DOCS / image, pathlib.Path(image))
    stage.write("reference/scene_keys.md", scene_keys().replace("](scene.schema.json)", "](../_static/files/docs/reference/scene.schema.json)"))
    stage.copy(DOCS / "reference/scene.schema.json", pathlib.Path("_static/files/docs/reference/scene.schema.json"))
    stage.write("reference/commands.md", commands(given.program))
    for page, text in cpp(given.xml).items():
        stage.write(f"reference/{page}", text)
    stage.write("reference/bibliography.md", bibliography())
    stage.write("how-to/examples.md", examples())
    python_gallery(stage)
    stage.write("reference/python.md", python_page())
    shutil.copytree(given.gallery, stage.static / "gallery", dirs_exist_ok=True)
    stage.write("gallery.md", gallery(stage.static / "gallery"))
    shutil.copyfile(ROOT / "paper/paper.bib", given.folder / "papers.bib")
    shutil.copytree(DOCS / "site/static", stage.static, dirs_exist_ok=True)
    for name in ("conf.py", "example_order.py"):
        shutil.copyfile(DOCS / "site" / name, given.folder / name)
    if script := script_of_theme():
        stage.write("_static/scripts/furo.js", script)


if __name__ == "__main__":
    main()
