"""What tests of jobs share: documents on disk, the program, and indexes as bytes."""

import gzip
import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

from spillway.spark import LocalLauncher, run_index_job

PROGRAM = os.environ.get("SPILLWAY_PROGRAM", "spillway")


def jsonl(seed: int, count: int) -> str:
    """Documents of random words; every tenth has the id of another one, in whatever part that is."""
    generator = random.Random(seed)
    lines = []
    for number in range(count):
        words = " ".join(f"w{int(generator.paretovariate(0.7)) % 5000}" for _ in range(generator.randrange(60)))
        of_id = generator.randrange(count) if number % 10 == 0 else number
        lines.append(json.dumps({"id": f"d{of_id}", "title": f"title {number}", "text": words, "url": f"http://a.test/{of_id}"}))
    return "\n".join(lines) + "\n"


def files_of(directory: Path) -> dict[str, bytes]:
    return {str(file.relative_to(directory)): file.read_bytes() for file in sorted(directory.rglob("*")) if file.is_file()}


class JobCase(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        self.out = self.scratch / "out"
        self.launcher = LocalLauncher(slots=2, memory=128 << 20)

    def write(self, name: str, text: str) -> str:
        path = self.scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(text.encode(), mtime=0))
        else:
            path.write_text(text)
        return str(path)

    def spillway(self, *words: str) -> str:
        return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True).stdout

    def index_in_one_process(self, inputs: list[str], *options: str) -> dict[str, bytes]:
        whole = self.scratch / "whole"
        self.spillway("index", *inputs, "-o", str(whole), "--quiet", "--force", "--max-error-rate", "1", *options)
        return files_of(whole)

    def run_job(self, inputs: list[str], **settings):
        settings.setdefault("max_error_rate", 1)  # many documents have the id of another one
        return run_index_job(inputs, str(self.out), self.launcher, program=PROGRAM, **settings)

    def expect_no_rest(self) -> None:
        self.assertEqual([path.name for path in self.scratch.iterdir() if path.name.startswith("out.")], [])
