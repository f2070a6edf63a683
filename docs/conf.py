"""How Sphinx builds these pages: `make docs`.

The pages can be read on GitHub as well. So the navigation is made from the lists of links in `index.md`, and links to
the source lead to pages that are made here, one for each file and folder.
"""

import inspect
import os
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

import outplay

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SOURCES = sorted(
    path
    for pattern in ("src/**/*.py", "examples/*.py", "benchmarks/*.py", "README.md", "CONTRIBUTING.md")
    for path in ROOT.glob(pattern)
)
FOLDERS = sorted({path.parent for path in SOURCES} - {ROOT})

project = "outplay"
version = release = outplay.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.linkcode", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
default_role = "code"  # `so` in docstrings
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

myst_heading_anchors = 3
myst_url_schemes = {"http": None, "https": None, "file": {"url": "files/{{path}}.html"}}

autodoc_default_options = {"members": True, "member-order": "bysource", "show-inheritance": True}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = "outplay"
html_copy_source = False


def for_sphinx(app: Sphinx, page: str, source: list[str]) -> None:
    """Give the index a navigation, and lead links out of `docs` to the pages of files."""
    text = source[0] if "/" in page else re.sub(r"\]\(\.\./([^)#]+)\)", r"](file:\1)", source[0])
    if page.endswith("index"):
        for part in re.split(r"^## ", text, flags=re.MULTILINE):
            pages = "\n".join(re.findall(r"^(?:\d+\.|-) \[.*?\]\(([\w/-]+)\.md\)", part, re.MULTILINE))
            if pages:
                heading = part.partition("\n")[0]
                caption = "" if heading.startswith("# ") else f":caption: {heading}\n"
                text += f"\n```{{toctree}}\n:hidden:\n{caption}\n{pages}\n```\n"
    source[0] = text


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Where the source of a public name is."""
    value: Any = sys.modules.get(info["module"])
    try:
        for name in info["fullname"].split("."):
            value = getattr(value, name)
        value = inspect.unwrap(value.fget if isinstance(value, property) else value)
        path = Path(inspect.getsourcefile(value) or "").relative_to(ROOT)
        return f"../files/{path.as_posix()}.html#L-{inspect.getsourcelines(value)[1]}"
    except (AttributeError, TypeError, ValueError, OSError):  # a constant, or an attribute of an instance
        return None


def file_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each file of the source, and for each folder."""
    for path in SOURCES:
        name = path.relative_to(ROOT).as_posix()
        language = "python" if path.suffix == ".py" else "markdown"
        code = app.builder.highlighter.highlight_block(path.read_text("utf-8"), language, lineanchors="L")
        yield f"files/{name}", {"title": name, "body": f"<h1>{escape(name)}</h1>{code}"}, "page.html"
    for folder in FOLDERS:
        name = folder.relative_to(ROOT).as_posix()
        entries = [path for path in (*FOLDERS, *SOURCES) if path.parent == folder]
        items = "".join(
            f'<li><a href="{os.path.relpath(path, folder.parent)}.html">{escape(path.name)}</a></li>'
            for path in entries
        )
        yield f"files/{name}", {"title": name, "body": f"<h1>{escape(name)}</h1><ul>{items}</ul>"}, "page.html"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    app.connect("source-read", for_sphinx)
    app.connect("html-collect-pages", file_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
