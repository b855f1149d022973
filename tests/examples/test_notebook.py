# SPDX-License-Identifier: Apache-2.0
"""The notebook of the examples from its first cell to its last, in a kernel of this Python."""

import os

import pytest

from docs.tables.documents import ROOT

PATH = ROOT / "examples" / "first_steps.ipynb"

#: Its threads and sockets end with the kernel, in no fixed order.
pytestmark = pytest.mark.filterwarnings("ignore")


def texts(cell):
    """What a cell shows, by MIME type."""
    shown = {}
    for output in cell.get("outputs", ()):
        shown["text/plain"] = shown.get("text/plain", "") + output.get("text", "")
        shown |= {kind: "".join(data) for kind, data in output.get("data", {}).items()}
    return shown


def test_the_notebook_runs(monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
    import nbformat

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (
        str(ROOT), os.environ.get("PYTHONPATH")))))
    notebook = nbformat.read(PATH, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # none are stored

    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                            resources={"metadata": {"path": str(PATH.parent)}}).execute()

    shown = [texts(cell) for cell in notebook.cells if cell.cell_type == "code"]
    assert "<table>" in shown[0]["text/html"]
    assert "7 layers" in shown[0]["text/plain"]
    assert "30 images, equal to golden" in shown[2]["text/plain"]
    assert "29 of 30 right" in shown[3]["text/plain"]
    assert "image/png" in shown[5]
    assert "base" in shown[6]["text/plain"]
