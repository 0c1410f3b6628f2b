"""The notebook of the examples runs, draws every phone, and is kept as it was written: without what a machine answered."""

import base64
import os
import tempfile
import unittest
from pathlib import Path

import made
import nbclient
import nbformat

import farmjank

NOTEBOOK = made.REPOSITORY / "runner/python/examples/run.ipynb"


class TheNotebook(unittest.TestCase):
    def setUp(self) -> None:
        self.notebook = nbformat.read(NOTEBOOK, 4)

    def test_it_runs_and_draws_the_run_that_it_says(self) -> None:
        self.assertIn("farmjank run --lab rack --seed 7 --out run scenarios/gallery", self.notebook.cells[0].source)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(made.run("rack", "--seed", "7"), Path(folder) / "run")
            where = {"metadata": {"path": folder}}
            nbclient.NotebookClient(self.notebook, kernel_name="python3", timeout=120, resources=where).execute()
        told = [out.get("data", {}) for cell in self.notebook.cells for out in cell.get("outputs", [])]
        pictures = [base64.b64decode(one["image/png"]) for one in told if "image/png" in one]
        self.assertEqual(len(pictures), 1)
        self.assertGreater(len(pictures[0]), 50_000)
        if kept := os.environ.get("FARMJANK_PICTURE"):
            Path(kept).write_bytes(pictures[0])
        texts = "\n".join(one.get("text/plain", "") for one in told)
        self.assertIn("<Run 'lab-rack-seed7'", texts)
        for phone in farmjank.open(made.run("rack", "--seed", "7")).phones:
            self.assertIn(phone["serial"], texts)

    def test_it_is_kept_without_outputs(self) -> None:
        nbformat.validate(self.notebook)
        for cell in self.notebook.cells:
            self.assertEqual(cell.get("outputs", []), [])
            self.assertIsNone(cell.get("execution_count"))


if __name__ == "__main__":
    unittest.main()
