"""Runs the cells of a notebook, and compares their outputs with those that it shows.

`notebook.py FILE` fails at the first difference; with `--bless` it writes the outputs instead.
"""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient


def outputs(cell):
    """The text that a cell shows."""
    shown = []
    for output in cell.get("outputs", []):
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        shown.append("".join(text))
    return "".join(shown)


def main():
    path = pathlib.Path(sys.argv[1])
    known = nbformat.read(path, as_version=4)
    ran = nbformat.read(path, as_version=4)
    root = path.resolve().parents[2]
    NotebookClient(ran, timeout=120, kernel_name="python3", resources={"metadata": {"path": root}}).execute()
    if "--bless" in sys.argv:
        for cell in ran.cells:
            cell.metadata.clear()
        ran.metadata = {"kernelspec": known.metadata["kernelspec"]}
        nbformat.write(ran, path)
        return
    for before, after in zip(known.cells, ran.cells):
        if outputs(before) != outputs(after):
            sys.exit(f"{before.source}\nexpected:\n{outputs(before)}\ngot:\n{outputs(after)}")


main()
