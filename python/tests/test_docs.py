"""The documentation is what happens: the transcripts of docs/python.md, its programs, and the notebook."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = DOCS / "python.md"
NOTEBOOK = DOCS / "python_tour.ipynb"

pytestmark = pytest.mark.skipif(not GUIDE.exists(), reason="the tests are outside of a checkout")


def program_below(heading: str) -> str:
    """The first Python program below a heading of the guide."""
    section = GUIDE.read_text(encoding="utf-8").split(f"## {heading}\n", 1)[1]
    return re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]


def run(code: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_transcript(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failures, tried = doctest.testfile(str(GUIDE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 10 and failures == 0


def test_docstrings(tmp_path, monkeypatch):
    import spillway

    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(spillway) == doctest.TestResults(0, 3)
    pytest.importorskip("pyterrier")
    import spillway.pyterrier

    assert doctest.testmod(spillway.pyterrier).failed == 0


def test_hugging_face_in_ten_lines(tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    code = program_below("From a Hugging Face dataset to an index in ten lines")
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    texts = ["Postings are sorted out of core.", "A crawl does not fit in memory.", "Runs are merged."]
    datasets.Dataset.from_dict({"docno": ["a", "b", "c"], "body": texts}).to_parquet(str(tmp_path / "pages.parquet"))
    assert run(code, tmp_path) == "b A crawl does not fit in memory.\n"


def test_duckdb_relation(tmp_path):
    pytest.importorskip("duckdb")
    assert run(program_below("From a DuckDB relation"), tmp_path) == "2 documents\n"


def test_ir_datasets_example(tmp_path):
    pytest.importorskip("pyterrier")
    (tmp_path / "docs.tsv").write_text("d1\tsorting out of core\nd2\tmerging of runs\n")
    (tmp_path / "queries.tsv").write_text("q1\tcore\nq2\truns merging\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    assert run(program_below("PyTerrier and ir_datasets"), tmp_path).split() == ["1.0"]


def test_notebook(tmp_path, monkeypatch):
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert all(cell["outputs"] == [] for cell in notebook["cells"] if cell["cell_type"] == "code")
    pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError:
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        run("\n".join(cells), tmp_path)
        return
    nbclient.NotebookClient(nbformat.reads(json.dumps(notebook), as_version=4), timeout=300).execute()
