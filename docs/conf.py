"""How Sphinx builds these pages: `make docs`.

The pages can be read on GitHub as well. So the navigation is made from the lists of links in `index.md`, and links to
the source lead to pages that are made here, one for each file and folder.
"""

import inspect
import json
import re
import sys
from html import escape
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config, GoogleDocstring
from sphinx.util.inspect import signature, stringify_signature
from sphinx.util.typing import ExtensionMetadata

import outplay
from outplay.rules.base import Rules

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SOURCES = sorted(
    path
    for pattern in (
        "src/**/*.py",
        "examples/**/*.py",
        "examples/**/*.ipynb",
        "benchmarks/*.py",
        "README.md",
        "CONTRIBUTING.md",
        "CITATION.cff",
    )
    for path in ROOT.glob(pattern)
)
FOLDERS = sorted({path.parent for path in SOURCES} - {ROOT})

ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[~?typing\.Any, \.\.\.\], ~?numpy\.dtype\[~?numpy\.(\w+)\]\]")
"""How Python writes out `NDArray[…]`."""

project = "outplay"
version = release = outplay.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.linkcode"]
exclude_patterns = ["_build"]
default_role = "code"  # `so` in docstrings
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

myst_heading_anchors = 3
myst_url_schemes = {"http": None, "https": None, "source": {"url": "files/{{path}}.html"}}

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["copy.css"]
html_js_files = ["copy.js"]
html_title = "outplay"
html_copy_source = False
html_show_copyright = False


def for_sphinx(app: Sphinx, page: str, source: list[str]) -> None:
    """Give the index a navigation, and lead links out of `docs` to the pages of files."""
    up = re.escape("../" * (page.count("/") + 1))
    text = re.sub(rf"\]\({up}([^)#]+)\)", r"](source:\1)", source[0])
    if page.endswith("index"):
        for part in re.split(r"^## ", text, flags=re.MULTILINE):
            pages = "\n".join(re.findall(r"^(?:\d+\.|-) \[.*?\]\(([\w/-]+)\.md\)", part, re.MULTILINE))
            if pages:
                heading = part.partition("\n")[0]
                caption = "" if heading.startswith("# ") else f":caption: {heading}\n"
                text += f"\n```{{toctree}}\n:hidden:\n{caption}\n{pages}\n```\n"
    source[0] = text


def language_of(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Browsers choose the form of Chinese characters, and readers the voice, by the language of a page."""
    if page.startswith("zh/"):
        context["language"] = "zh-CN"


def google_style(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Docstrings have sections as Google writes them. In those of attributes, a colon is just a colon."""
    if what in {"class", "exception", "function", "method"}:
        config = Config(napoleon_custom_sections=[("Attributes", "params_style")])
        lines[:] = GoogleDocstring(list(lines), config, app, what, name, value, options).lines()


def short_signature(
    app: Sphinx, what: str, name: str, value: Any, options: Any, arguments: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """The parameters of a game are those of `__init__`; what is only derived from has none."""
    if inspect.isclass(value) and issubclass(value, Rules) and value.__init__ is not object.__init__:
        arguments = stringify_signature(
            signature(value.__init__, bound_method=True), show_return_annotation=False, unqualified_typehints=True
        )
    elif inspect.isclass(value) and arguments and arguments.startswith("(*args"):
        arguments = "()" if issubclass(value, Rules) and not inspect.isabstract(value) else ""
    arguments, returned = (text and ARRAY.sub(r"NDArray[\1]", text) for text in (arguments, returned))
    return arguments, returned


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Where the source of a public name is."""
    value: Any = sys.modules.get(info["module"])
    try:
        for name in info["fullname"].split("."):
            value = getattr(value, name)
        value = inspect.unwrap(getattr(value, "fget", value))
        path = Path(inspect.getsourcefile(value) or "").relative_to(ROOT)
        return f"../files/{path.as_posix()}.html#L-{inspect.getsourcelines(value)[1]}"
    except (AttributeError, TypeError, ValueError, OSError):  # a constant, or an attribute of an instance
        return None


def write_files(app: Sphinx, exception: Exception | None) -> None:
    """Write a page for each file of the source, and one for each folder with links to what is in it."""
    if exception or app.builder.format != "html":
        return
    for path in SOURCES:
        language = {".py": "python", ".cff": "yaml"}.get(path.suffix, "markdown")
        if path.suffix == ".ipynb":
            text = notebook_page(app, path)
        else:
            text = app.builder.highlighter.highlight_block(path.read_text("utf-8"), language, lineanchors="L")
        write_file_page(app.outdir, path, text)
    for folder in FOLDERS:
        inside = [path.name for path in (*FOLDERS, *SOURCES) if path.parent == folder]
        items = (f'<li><a href="{folder.name}/{escape(name)}.html">{escape(name)}</a></li>' for name in inside)
        write_file_page(app.outdir, folder, f"<ul>{''.join(items)}</ul>")


def notebook_page(app: Sphinx, path: Path) -> str:
    """The cells of a notebook with their outputs."""
    parts = [f'<p><a href="{path.name}" download>{path.name}</a></p>']
    target = Path(app.outdir, "files", path.relative_to(ROOT))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(path.read_bytes())
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(MarkdownIt("commonmark").render(source))
            continue
        parts.append(app.builder.highlighter.highlight_block(source, "python"))
        for output in cell["outputs"]:
            shown = output.get("data", {"text/plain": output.get("text", "")})
            pictures = [shown[kind] for kind in ("image/svg+xml", "text/html") if kind in shown]
            text = "".join(pictures[0]) if pictures else f"<pre>{escape(''.join(shown['text/plain']))}</pre>"
            parts.append(f'<div style="overflow: auto">{text}</div>')
    return "\n".join(parts)


def write_file_page(output: Path, path: Path, text: str) -> None:
    """Write the page of one file or folder. It has no navigation, and so room for long lines."""
    name = path.relative_to(ROOT).as_posix()
    page = output / "files" / f"{name}.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    up = "../" * (name.count("/") + 1)
    page.write_text(
        f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(name)} - outplay</title>
<link rel="stylesheet" href="{up}_static/pygments.css">
<style>body {{ margin: 2em; font-family: sans-serif }} .highlight {{ padding: 0 1em; overflow: auto }}</style>
</head>
<body data-theme="light">
<p><a href="{up}index.html">outplay: the documentation</a></p>
<h1>{escape(name)}</h1>
{text}
</body>
</html>
""",
        "utf-8",
    )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    app.connect("source-read", for_sphinx)
    app.connect("html-page-context", language_of)
    app.connect("autodoc-process-docstring", google_style)
    app.connect("autodoc-process-signature", short_signature)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
