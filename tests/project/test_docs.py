"""All code in README and docs runs and prints what stands there; the pages lead to each other and leave out no name.

A block of Python whose first line names a file (`# my_game.py`) is written to that file and imported; every other block
of a page runs in one namespace. Blocks marked `python not-run` need other libraries: they are only compiled. In blocks
marked `console`, commands of outplay and Python are run; of the others, only `make demo` is tried, by its own test.
Times and sizes are not compared, and `...` stands for anything.

The pages of the chapter exist twice, in English and in Chinese, with the same code. Pictures that they show are those
that their own code makes.

`python tests/project/test_docs.py` writes what is really printed into the pages, or into those named, such as
`chapter/minimax`.
"""

import ast
import difflib
import doctest
import importlib
import inspect
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
import types
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer
import yaml
from shared import PATIENCE

import outplay
from outplay.cli.commands import app

ROOT = Path(__file__).parents[2]
CHAPTER, CHINESE = ROOT / "docs" / "chapter", ROOT / "docs" / "zh"
PAGES = [
    ROOT / "README.md",
    *(path for folder in (ROOT / "docs", CHAPTER, CHINESE) for path in sorted(folder.glob("*.md"))),
]
PICTURE = re.compile(r"!\[[^\]]*\]\((?!images/|docs/)([^)]*)\)")
"""A picture that the code of its page draws; other tests keep those in `images` and in the README current."""
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = ("make", "pip", "git", "cd", "source")
OUTPLAY = "import sys; sys.argv[0] = 'outplay'; from outplay.cli.main import run; run()"
NOT_TRANSLATED = {"MAX, MIN", "max^n", "alpha, beta", "NashConv"}
TYPED = re.compile(r"your move: (.*)")
VARIES = (
    (r"\d[\d,.]* m?s\b", "# s"),
    (r"\d[\d,.]*( [kMG])? (nodes|lines|simulations)/s", "# a second"),
    (r"\d[\d,]* (plies )?a second", "# a second"),
    (r"\d[\d.]* times as fast", "# times as fast"),
    (r"\d+%", "#%"),
    (r"\d[\d.]* [kM]B", "# MB"),
    (r'"seconds": [\d.]+', '"seconds": #'),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d", "(date)"),
    (r" {3,}", "   "),
    ("─+", "─"),
    (r"[ \t]+$", ""),
)


def name_of(path):
    """How tests call a page: `minimax`, `chapter/minimax`."""
    return path.stem if path.parent in (ROOT, ROOT / "docs") else f"{path.parent.name}/{path.stem}"


def same(shown, real):
    """Whether a page shows what is really printed."""
    for pattern, replacement in VARIES:
        shown, real = (re.sub(pattern, replacement, text, flags=re.MULTILINE) for text in (shown, real))
    return doctest.OutputChecker().check_output(shown, real, doctest.ELLIPSIS)


class Doctests(doctest.DocTestRunner):
    """Remembers what the examples printed that should have printed something else."""

    def __init__(self):
        super().__init__(Checker(), verbose=False, optionflags=doctest.ELLIPSIS)
        self.printed = []

    def report_failure(self, out, test, example, got):
        self.printed.append((example, got))

    def report_unexpected_exception(self, out, test, example, exc_info):
        raise exc_info[1]


class Checker(doctest.OutputChecker):
    def check_output(self, want, got, optionflags):
        return same(want, got)


class Page:
    """Runs the code of one page, in a folder of its own."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.module = types.ModuleType("page_" + re.sub(r"\W", "_", name_of(path).lower()))
        self.namespace = vars(self.module)

    def rewritten(self):
        """The text of the page with what its code really prints."""
        return BLOCK.sub(lambda found: f"```{found[1]}\n{self.run(*found.groups())}```", self.path.read_text("utf-8"))

    def run(self, language, text):
        """One block, with what it really prints."""
        if language == "python":
            return self.doctests(text) if ">>> " in text else self.code(text)
        if language == "console":
            return "".join(map(self.command, re.split(r"^(?=\$ )", text, flags=re.MULTILINE)))
        if language == "python not-run":  # it needs another library
            compile(text, self.path.name, "exec")
            return text
        plain = {"text", "toml", "json", "dockerfile"}
        assert language in plain, f"{self.path.name}: a block of {language!r} would not be run"
        return text

    def code(self, text):
        name = re.match(r"# (\w+)\.py\n", text)
        if name:
            (self.folder / f"{name[1]}.py").write_text(text, "utf-8")
            importlib.invalidate_caches()
            self.namespace.update(vars(importlib.import_module(name[1])))
        else:
            exec(compile(text, self.path.name, "exec"), self.namespace)
        return text

    def doctests(self, text):
        if "to_openspiel" in text and find_spec("open_spiel") is None:
            return text
        runner = Doctests()
        test = doctest.DocTestParser().get_doctest(text, self.namespace, self.path.name, str(self.path), 0)
        runner.run(test, clear_globs=False)
        self.namespace.update(test.globs)
        lines = text.splitlines(keepends=True)
        for example, got in reversed(runner.printed):
            first = example.lineno + example.source.count("\n")
            lines[first : first + example.want.count("\n")] = [got]
        return "".join(lines)

    def command(self, text):
        command, _, shown = text.partition("\n")
        words = shlex.split(command.removeprefix("$ "), comments=True)
        settings = [words.pop(0).split("=", 1) for word in list(words) if re.match(r"[A-Z_]+=", word)]
        if not words or words[0] in NOT_RUN:
            return text
        program = {"outplay": ["-c", OUTPLAY], "python": []}[words[0]]
        done = subprocess.run(
            [sys.executable, *program, *words[1:]],
            cwd=self.folder,
            env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", **dict(settings)},
            input="".join(f"{typed}\n" for typed in TYPED.findall(shown)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode in (0, 1, 2), f"{command}: exit code {done.returncode}\n{done.stdout}"
        assert "Traceback" not in done.stdout, f"{command}\n{done.stdout}"
        real = re.sub(r"[ \t]+$", "", done.stdout.replace(str(self.folder), "/home/you"), flags=re.MULTILINE)
        return text if same(shown.rstrip() + "\n", real.rstrip() + "\n") else f"{command}\n{real.rstrip()}\n"


RUN_PAGES = [
    pytest.param(path, marks=pytest.mark.nightly, id=name_of(path)) if path.parent.name == "zh" else path
    for path in PAGES
]
"""Chinese pages have the code of the English ones, which another test checks; they run with `make nightly`."""


@pytest.fixture
def page(request, tmp_path, monkeypatch):
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    page = Page(request.param, tmp_path)
    monkeypatch.setitem(sys.modules, page.module.__name__, page.module)
    yield page
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == tmp_path:
            del sys.modules[name]


@pytest.mark.nightly
@pytest.mark.parametrize("page", RUN_PAGES, ids=name_of, indirect=True)
def test_code_prints_what_the_page_shows(page):
    shown, real = (text.splitlines() for text in (page.path.read_text("utf-8"), page.rewritten()))
    assert shown == real, "\n".join(difflib.unified_diff(shown, real, "shown", "real", n=1, lineterm=""))
    for picture in PICTURE.findall(page.path.read_text("utf-8")):
        shown = page.path.parent / picture
        assert (page.folder / shown.name).read_text("utf-8") == shown.read_text("utf-8"), picture


def test_demo_of_the_readme():
    """What the demo finds in two seconds depends on the machine; the board, the actions and the command do not."""
    shown = re.search(r"^\$ make demo\n(.*?)^(?=\$ |```$)", PAGES[0].read_text("utf-8"), re.MULTILINE | re.DOTALL)[1]
    recipe = re.search(r"^demo:.*\n\t\$\(BIN\)/outplay (.*)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)[1]
    words = shlex.split(recipe)
    words[words.index("--seconds") + 1] = "0.5"
    real = subprocess.run([sys.executable, "-c", OUTPLAY, *words], capture_output=True, text=True, check=True).stdout

    command, *shown = shown.splitlines()
    assert command == f".venv/bin/outplay {recipe}"
    heads = [text.partition("Player")[0].split() for text in ("\n".join(shown), real)]
    assert heads[0] == heads[1]
    first_words = [{line.split()[0] for line in text if line.strip()} for text in (shown, real.splitlines())]
    assert {word for word in first_words[0] if word.isalnum()} == {word for word in first_words[1] if word.isalnum()}


# -- the pages as a whole ---------------------------------------------------------------------------------------------


def links(path):
    """The links of a page to files of ours: (file, heading or "")."""
    text = BLOCK.sub("", path.read_text("utf-8"))
    for target, heading in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", text):
        if "://" not in target:
            yield (path.parent / target).resolve() if target else path, heading


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_lead_somewhere(path):
    for target, heading in links(path):
        assert target.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", target.read_text("utf-8")), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}
            assert heading in slugs, f"{target.name}#{heading}"


def test_every_page_is_reached_from_the_index():
    waiting, reached = [ROOT / "docs" / "index.md"], set()
    while waiting:
        path = waiting.pop()
        if path not in reached and path.suffix == ".md":
            reached.add(path)
            waiting += [target for target, _ in links(path)]
    assert reached >= set(PAGES)


def test_the_chapter_has_the_same_pages_in_both_languages():
    names = [[path.name for path in sorted(folder.glob("*.md"))] for folder in (CHAPTER, CHINESE)]
    assert names[0] == names[1]
    assert len(names[0]) > 10


@pytest.mark.parametrize("english", sorted(CHAPTER.glob("*.md")), ids=name_of)
def test_chinese_pages_have_the_code_and_pictures_of_the_english_ones(english):
    chinese = CHINESE / english.name
    blocks, twins = (
        [without_comments(*block) for block in BLOCK.findall(path.read_text("utf-8"))] for path in (english, chinese)
    )
    for block, twin in zip(blocks, twins, strict=True):
        assert block == twin
    shown = [
        [(path.parent / picture).resolve() for picture in PICTURE.findall(path.read_text("utf-8"))]
        for path in (english, chinese)
    ]
    assert shown[0] == shown[1]


def without_comments(language, text):
    """A block as it is compared with that of another language: comments are translated, and pseudo-code is."""
    if language == "python" and ">>> " in text:
        return [
            (ast.dump(ast.parse(example.source)), example.want)
            for example in doctest.DocTestParser().get_examples(text)
        ]
    if language == "python":
        return ast.dump(ast.parse(text))
    if language == "console":
        return [shlex.split(line, comments=True) if line.startswith("$ ") else line for line in text.splitlines()]
    return language


def test_comments_alone_may_differ_between_languages():
    code = ">>> 1 + 1  # one\n2\n"
    assert without_comments("python", code) == without_comments("python", code.replace("one", "一"))
    assert without_comments("python", code) != without_comments("python", code.replace("2", "3"))
    assert without_comments("python", code) != without_comments("python", code.replace("+", "-"))
    assert without_comments("python", "x = 1  # one\n") == without_comments("python", "x = 1\n")
    assert without_comments("console", "$ outplay games  # all\na\n") == without_comments(
        "console", "$ outplay games\na\n"
    )
    assert without_comments("console", "$ outplay games\na\n") != without_comments("console", "$ outplay games\nb\n")


def test_every_word_of_the_glossary_is_there_in_chinese():
    rows = re.findall(r"^\| (?!word )(.+)$", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)
    cells = [row.removesuffix(" |").split(" | ") for row in rows]
    assert {len(row) for row in cells} == {3}
    assert {row[0] for row in cells if not re.search("[\u4e00-\u9fff]", row[1])} == NOT_TRANSLATED


def test_every_public_name_is_explained():
    text = "\n".join(path.read_text("utf-8") for path in PAGES[1:])
    assert [name for name in outplay.__all__ if not re.search(rf"\b{name}\b", text)] == []


def test_every_rule_of_a_game_is_in_the_contract():
    text = (ROOT / "docs" / "games.md").read_text("utf-8")
    names = [name for name, value in vars(outplay.Game).items() if not name.startswith("_") and value is not None]
    names += inspect.get_annotations(outplay.Game)
    assert [name for name in names if not name.startswith("_") and f"`{name}" not in text] == []


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    module = (ROOT / project["tool"]["hatch"]["version"]["path"]).read_text("utf-8")
    assert citation["version"] == re.search(r'^__version__ = "(.*)"', module, re.MULTILINE)[1] == outplay.__version__
    assert citation["license"] == project["project"]["license"]
    assert (citation["cff-version"], citation["type"]) == ("1.2.0", "software")
    required = {"authors", "cff-version", "message", "title"}  # by the schema of the format
    optional = {"abstract", "keywords", "license", "type", "version"}
    assert required <= set(citation) <= required | optional
    assert all(set(author) == {"name"} for author in citation["authors"])  # an entity


def test_readme_and_contributing_say_the_times_of_the_makefile():
    [minutes] = re.findall("## run the tests, (in about .* on two cores)", (ROOT / "Makefile").read_text("utf-8"))
    for path in PAGES[0], ROOT / "CONTRIBUTING.md":
        text = " ".join(path.read_text("utf-8").split())
        assert re.search(f"`make test` .*?{minutes}.*?`make nightly` .*?in some hours", text), path


def test_every_command_is_in_the_table():
    rows = re.findall(r"^\| `outplay (\w+)", (ROOT / "docs" / "command-line.md").read_text("utf-8"), re.MULTILINE)
    assert set(rows) == set(typer.main.get_command(app).commands)


def test_the_readme_is_short():
    assert len(PAGES[0].read_text("utf-8").splitlines()) <= 150


def test_folders_of_the_map_exist():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## The folders")[2]
    rows = re.findall(r"^\| `([\w./]+)` \|", text.partition("\n## ")[0], re.MULTILINE)
    assert len(rows) > 5
    for name in rows:
        assert (ROOT / name).exists(), name


def rewrite(names):
    """Write what is really printed into every page, or into those named, and the pictures beside them."""
    for path in PAGES:
        if names and name_of(path) not in names:
            continue
        with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
            patch.chdir(name)
            patch.syspath_prepend(name)
            (Path(name) / "examples").symlink_to(ROOT / "examples")
            page = Page(path, Path(name))
            patch.setitem(sys.modules, page.module.__name__, page.module)
            text = page.rewritten()
            for picture in PICTURE.findall(text):
                shown = path.parent / picture
                shown.write_text((page.folder / shown.name).read_text("utf-8"), "utf-8")
        if text != path.read_text("utf-8"):
            path.write_text(text, "utf-8")
            print(f"rewritten: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    rewrite(sys.argv[1:])
