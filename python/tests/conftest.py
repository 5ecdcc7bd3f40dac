import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "objects"))
from store_fixtures import no_rules, store  # noqa: E402, F401


def pytest_addoption(parser):
    parser.addoption("--leak-calls", type=int, default=2000, help="calls of each kind in test_leaks.py (default: 2000)")


def pytest_configure():
    """Shells start what runs in the background with signals ignored, and so do nohup and some build servers. The programs
    that the tests start would inherit that, and tests that interrupt them would wait for ever. A signal that is handled
    here, by doing nothing, does in these programs what it does by default."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else lambda *_: None)


@pytest.fixture
def leak_calls(request):
    return request.config.getoption("--leak-calls")


@pytest.fixture
def documents():
    """Documents with all fields, other scripts, empty and missing values, and an id that is a number."""
    words = "out of core sorting of strings and postings that do not fit in memory at once".split()
    rows = []
    for i in range(2000):
        row = {"id": f"doc-{i}", "text": " ".join(words[(i * k) % len(words)] for k in range(1, 30)) + f" term{i % 97}"}
        if i % 3 == 0:
            row["title"] = f"Title {i}"
        if i % 5 == 0:
            row["url"] = f"http://example.org/{i}"
            row["date"] = "2024-05-17"
        rows.append(row)
    rows[7]["text"] = "Grüße, 日本語の文章 and ไทย text"
    rows[8]["text"] = ""
    rows[9] = {"id": 12345, "title": "a title alone"}
    return rows


@pytest.fixture
def jsonl(tmp_path, documents):
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in documents), encoding="utf-8")
    return path


def digest(index) -> dict[str, str]:
    """The hash of each file of an index."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(Path(index).iterdir())}


def program(*words, **options) -> subprocess.CompletedProcess:
    """Runs the console script."""
    script = Path(sys.executable).parent / "spillway"
    return subprocess.run([script, *map(os.fspath, words)], capture_output=True, text=True, timeout=300, **options)
