"""The tutorial notebook runs from top to bottom and prints what it shows.

``python -m tests.test_tutorial`` runs it and writes what its cells print into it.
"""

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parents[1] / "docs" / "tutorial.ipynb"


def run(notebook: dict) -> list[str]:
    """Run the code cells one after the other in one namespace; return what each prints."""
    names: dict[str, object] = {}
    printed = []
    for number, cell in enumerate(cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile("".join(cell["source"]), f"cell {number + 1}", "exec"), names)  # noqa: S102
        printed.append(out.getvalue())
    return printed


def shown(cell: dict) -> str:
    """Return what a code cell of the file shows as printed."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def test_the_tutorial_prints_what_it_shows():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 8
    for cell, printed in zip(cells, run(notebook), strict=True):
        assert shown(cell) == printed


if __name__ == "__main__":
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, printed) in enumerate(zip(cells, run(notebook), strict=True), start=1):
        output = {"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}
        cell["execution_count"], cell["outputs"] = number, [output] if printed else []
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
