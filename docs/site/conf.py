"""Settings of Sphinx for ./docs/build. The pages are staged by make_pages.py; this file stands beside them there."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from example_order import ExampleOrder  # noqa: E402

project = "carom"
author = "The carom authors"
copyright = "The carom authors, Apache-2.0"
release = version = os.environ.get("CAROM_VERSION", "")

extensions = ["myst_parser", "breathe", "sphinxcontrib.bibtex", "sphinx.ext.mathjax", "sphinx_copybutton", "sphinx_gallery.gen_gallery",
              "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
exclude_patterns = ["site", "examples_python"]
nitpicky = False
suppress_warnings = []

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4

bibtex_bibfiles = ["papers.bib"]

breathe_projects = {"carom": os.environ.get("CAROM_DOXYGEN", "doxygen/xml")}
breathe_default_project = "carom"
breathe_default_members = ()
primary_domain = "py"
highlight_language = "text"

# examples/python: run while the pages are made, each with its pictures and as a notebook
sphinx_gallery_conf = {
    "examples_dirs": "examples_python",
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "within_subsection_order": ExampleOrder,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
}

# the Python package, which docs/build puts on the path
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"exclude-members": "__init__"}
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = "carom"
html_static_path = ["_static"]
html_css_files = ["katex/katex.css", "carom.css"]
html_js_files = ["katex/katex.js", "katex/contrib/auto-render.js"]
# the renderer of formulas: KaTeX from _static instead of MathJax from a network
mathjax_path = "render_math.js"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # summaries would be fetched, which browsers refuse for pages in a folder
html_last_updated_fmt = None
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0072b2"},
    # all of them: the style sheet of Debian's furo has the light ones only
    "dark_css_variables": {
        "color-brand-primary": "#56b4e9",
        "color-brand-content": "#56b4e9",
        "color-problematic": "#ee8080",
        "color-foreground-primary": "#ffffffd9",
        "color-foreground-secondary": "#a8acb1",
        "color-foreground-muted": "#92979e",
        "color-foreground-border": "#666666",
        "color-background-primary": "#131416",
        "color-background-secondary": "#1a1c1e",
        "color-background-hover": "#1e2124ff",
        "color-background-hover--transparent": "#1e212400",
        "color-background-border": "#303335",
        "color-background-item": "#444",
        "color-highlighted-background": "#083563",
        "color-api-keyword": "#a8acb1",
        "color-highlight-on-target": "#333300",
        "color-admonition-background": "#18181a",
        "color-card-background": "#18181a",
    },
}
