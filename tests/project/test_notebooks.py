"""The notebooks of examples/ run, print what is saved in them, and are saved in the normal form.

`python tools/notebooks.py` runs them and writes the outputs.
"""

import copy
import importlib.util
import json
import re
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from project.test_surface import IMPORT, MODULE, SURFACE

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
notebooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebooks)

each_notebook = pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def differences(saved, new):
    """The cells that print something else than what is saved: (the first line, the saved text, the new text)."""
    return [
        (old.source.partition("\n")[0], notebooks.text_of(old), notebooks.text_of(cell))
        for old, cell in zip(code_cells(saved), code_cells(new), strict=True)
        if not notebooks.varies(old) and notebooks.text_of(old) != notebooks.text_of(cell)
    ]


def small(*sources):
    """A notebook with these cells."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return nbformat.v4.new_notebook(cells=cells, metadata=notebooks.METADATA)


@pytest.mark.nightly
@each_notebook
def test_it_prints_what_is_saved(path):
    saved = read(path)
    new = notebooks.executed(saved)
    assert differences(saved, new) == []
    assert [output for cell in code_cells(new) for output in cell.outputs if output.get("name") == "stderr"] == []


@each_notebook
def test_it_is_saved_in_the_normal_form(path):
    text = path.read_text("utf-8")
    assert nbformat.writes(notebooks.normal(read(path)), ensure_ascii=False).strip() == text.strip()
    nbformat.validate(read(path))
    assert "ipykernel_" not in text
    assert " at 0x" not in text


@each_notebook
def test_it_was_run_and_checks_its_numbers(path):
    cells = code_cells(read(path))
    assert sum("assert " in cell.source for cell in cells) >= 2
    for cell in cells:
        assert cell.outputs or not re.search(r"^(print\(|trace\.picture\()", cell.source, re.MULTILINE), cell.source
    assert "## Exercises" in read(path).cells[-1].source


@each_notebook
def test_it_imports_public_names_only(path):
    for cell in code_cells(read(path)):
        assert [module for module in MODULE.findall(cell.source) if module not in SURFACE] == []
        for module, names in IMPORT.findall(cell.source):
            assert set(re.findall(r"\w+", re.sub(r"#.*", "", names))) <= set(SURFACE.get(module, "").split()), module


def test_it_is_linked_from_the_index():
    text = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert [path.name for path in notebooks.NOTEBOOKS if f"examples/notebooks/{path.name}" not in text] == []


@pytest.mark.nightly
def test_another_output_and_an_error_are_found():
    saved = notebooks.executed(small("import outplay\nprint(outplay.__file__)", "x = 3\nx", "print(object())"))
    assert Path(notebooks.text_of(saved.cells[0])[0].strip()).parents[2] == ROOT
    assert [notebooks.text_of(cell) for cell in saved.cells[1:]] == [["3"], ["<object object>\n"]]
    assert "execution_count" in json.dumps(saved)
    changed = copy.deepcopy(saved)
    changed.cells[1].outputs[0].data["text/plain"] = "4"
    assert differences(saved, changed) == [("x = 3", ["3"], ["4"])]
    changed.cells[1].metadata["tags"] = ["varies"]
    assert differences(changed, saved) == []
    with pytest.raises(CellExecutionError, match="AssertionError"):
        notebooks.executed(small("assert 1 + 1 == 3"))


@pytest.mark.nightly
def test_the_output_of_a_cell_that_varies_is_kept():
    notebook = notebooks.executed(small("print(1)", "print(2)"))
    notebook.cells[1].metadata["tags"] = ["varies"]
    for cell in notebook.cells:
        cell.outputs[0].text = "old\n"
    new = notebooks.rewritten(notebook)
    assert [notebooks.text_of(cell) for cell in new.cells] == [["1\n"], ["old\n"]]
