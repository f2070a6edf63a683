"""Run the notebooks of `examples/notebooks` and write them with their outputs, in a normal form.

    python tools/notebooks.py               all notebooks
    python tools/notebooks.py mcts poker    these notebooks

Each runs in a fresh kernel, which imports outplay from `src`. The normal form has sorted keys and no cell numbers,
times of execution, addresses of objects or settings of editors, so a diff shows only what has changed. The output of a
cell with the tag "varies" is different in each run, such as a speed: the saved output is kept.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
PICTURES = ("image/svg+xml", "text/html")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def varies(cell: NotebookNode) -> bool:
    """Whether the output of a cell is different in each run."""
    return "varies" in cell.metadata.get("tags", ())


def executed(notebook: NotebookNode) -> NotebookNode:
    """Run a notebook in a fresh kernel and an empty folder, and return it with the new outputs.

    Raises `nbclient.exceptions.CellExecutionError` if a cell raises an error.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "IPYTHONDIR": folder}  # no settings of the user
        client = NotebookClient(
            nbformat.from_dict(notebook),
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
        )
        return normal(client.execute(env=environment))


def normal(notebook: NotebookNode) -> NotebookNode:
    """A copy of the notebook in the normal form."""
    return nbformat.from_dict(
        {"cells": [cell_of(cell) for cell in notebook.cells], "metadata": METADATA, "nbformat": 4, "nbformat_minor": 4}
    )


def cell_of(cell: NotebookNode) -> dict[str, object]:
    """The cell in the normal form: without an id, which the format needs from version 4.5."""
    tags = cell.metadata.get("tags")
    fields = {
        "cell_type": cell.cell_type,
        "metadata": {"tags": tags} if tags else {},
        "source": cell.source.strip("\n"),
    }
    if cell.cell_type == "code":
        fields |= {"execution_count": None, "outputs": [output_of(output) for output in cell.outputs]}
    return fields


def output_of(output: NotebookNode) -> dict[str, object]:
    """The output in the normal form."""
    if output.output_type == "stream":
        return {"output_type": "stream", "name": output.name, "text": ADDRESS.sub("", output.text)}
    data = {kind: content for kind, content in output.data.items() if kind in PICTURES}
    data["text/plain"] = ADDRESS.sub("", output.data.get("text/plain", ""))
    return {"output_type": "display_data", "data": data, "metadata": {}}


def text_of(cell: NotebookNode) -> list[str]:
    """What a code cell has printed, without pictures."""
    return [
        output.text if output.output_type == "stream" else output.data.get("text/plain", "") for output in cell.outputs
    ]


def rewritten(notebook: NotebookNode) -> NotebookNode:
    """The notebook with new outputs, but for cells whose output varies."""
    new = executed(notebook)
    for cell, old in zip(new.cells, normal(notebook).cells, strict=True):
        if varies(cell) and old.outputs:
            cell.outputs = old.outputs
    return new


def main(names: list[str]) -> None:
    """Rewrite the notebooks with these names, or all."""
    if unknown := set(names) - {path.stem for path in NOTEBOOKS}:
        raise SystemExit(f"there is no notebook {', '.join(sorted(unknown))} in examples/notebooks")
    for path in NOTEBOOKS:
        if names and path.stem not in names:
            continue
        notebook = nbformat.read(path, as_version=4)
        text = nbformat.writes(rewritten(notebook), version=nbformat.NO_CONVERT, ensure_ascii=False)
        changed = text.strip() != path.read_text("utf-8").strip()
        path.write_text(text.strip() + "\n", "utf-8")
        print(f"{path.relative_to(ROOT)}: {'rewritten' if changed else 'unchanged'}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
