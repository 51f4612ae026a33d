"""Sphinx configuration; `make docs` builds with warnings as errors."""

from importlib.metadata import version as installed_version
from typing import Any

project = "abclust"
author = "The abclust authors"
copyright = "The abclust authors"
version = release = installed_version("abclust")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

# Signatures keep their shapes as written: "B n h" is documentation, not a type to resolve.
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = f"abclust {release}"
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
html_show_sourcelink = False


def _keep_bars(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Let the bars of an absolute value be bars: reStructuredText would read |x| as a substitution."""
    directive_indent: int | None = None
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if directive_indent is not None and line.strip() and indent <= directive_indent:
            directive_indent = None
        if line.lstrip().startswith("..") or line.rstrip().endswith("::"):
            directive_indent = indent
        if directive_indent is None and "`" not in line and not line.lstrip().startswith((">>>", "...")):
            lines[number] = line.replace("|", r"\|")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _keep_bars)
