"""Write docs/modules.md: every module and every script of the page with the sentence at its top; a test checks it."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "outplay"
PAGE = ROOT / "docs" / "modules.md"
INTRODUCTION = """# Modules

In which file is it? This page has every module, and every script of the page in the browser, with its first sentence,
package by package, from the lowest layer to the highest; `python tools/modules.py` writes it.
[Architecture](architecture.md) says how they work together.
"""


def packages() -> list[str]:
    """The packages, from the lowest to the highest."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    return re.findall(r"^\| `(\w+)` \| .* \|$", page, re.MULTILINE)


def first_sentence(path: Path) -> str:
    """What a module says of itself: the first paragraph of its docstring, or the first sentence of that."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    paragraph = " ".join(docstring.partition("\n\n")[0].split())
    return re.split(r"(?<=[^A-Z][.!?]) (?=[A-Z`])", paragraph)[0]


def first_comment(path: Path) -> str:
    """The first sentence of the comment at the top of a script of the page in the browser."""
    text = re.match(r"(// .*\n)*", path.read_text("utf-8"))
    return re.split(r"(?<=[.]) ", " ".join((text[0] if text else "").replace("// ", "").split()))[0]


def page() -> str:
    """The text of the page."""
    parts = [INTRODUCTION]
    for package in packages():
        folder = SOURCE / package
        parts.append(f"## {package}\n\n{first_sentence(folder / '__init__.py')}\n")
        lines = []
        for path in sorted(folder.rglob("*.py"), key=lambda path: (path.parent != folder, path)):
            if path.name == "__init__.py":
                if path.parent != folder:
                    lines.append(f"- **`{path.parent.relative_to(SOURCE)}/`** {first_sentence(path)}")
                continue
            link = f"[`{path.relative_to(folder)}`](../{path.relative_to(ROOT)})"
            lines.append(f"- {link} {first_sentence(path)}")
        scripts = sorted(folder.rglob("static/*.js"))
        lines += [
            f"- [`{path.relative_to(folder)}`](../{path.relative_to(ROOT)}) {first_comment(path)}" for path in scripts
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
