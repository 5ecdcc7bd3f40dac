"""What tests of jobs share: documents on disk, the program, and indexes as bytes."""

import gzip
import importlib.util
import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

from spillway.spark import LocalLauncher, run_index_job

PROGRAM = os.environ.get("SPILLWAY_PROGRAM", "spillway")




def is_script(path: str) -> bool:
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


IS_PACKAGE = is_script(PROGRAM)  # which reads Parquet


def texts(seed: int, count: int) -> list[str]:
    generator = random.Random(seed)
    return [words(generator) for _ in range(count)]


def words(generator: random.Random) -> str:
    return " ".join(f"w{int(generator.paretovariate(0.7)) % 5000}" for _ in range(generator.randrange(60)))


def warc(seed: int, count: int) -> str:
    """Pages in records of WARC; every tenth has the address of another one."""
    generator = random.Random(seed)
    records = []
    for number, text in enumerate(texts(seed, count)):
        page = generator.randrange(count) if number % 10 == 0 else number
        http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><title>p</title><body>{text}</body></html>"
        records.append(
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{seed}-{page}>\r\n"
            f"WARC-Target-URI: http://a.test/{page}\r\nWARC-Date: 2024-05-17T00:00:00Z\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n{http}\r\n\r\n"
        )
    return "".join(records)


def jsonl(seed: int, count: int) -> str:
    """Documents of random words; every tenth has the id of another one, in whatever part that is."""
    generator = random.Random(seed)
    lines = []
    for number in range(count):
        text = words(generator)
        of_id = generator.randrange(count) if number % 10 == 0 else number
        row = {"id": f"d{of_id}", "title": f"title {number}", "text": text, "url": f"http://a.test/{of_id}"}
        lines.append(json.dumps(row))
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

    def write_parquet(self, name: str, seed: int, count: int) -> str:
        """The documents of jsonl(seed, count), in small row groups."""
        import pyarrow
        import pyarrow.parquet

        path = self.scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [json.loads(line) for line in jsonl(seed, count).splitlines()]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=37)
        return str(path)

    def write_every_kind(self) -> dict[str, list[str]]:
        """By name: inputs that are read in their own way."""
        kinds = {
            "jsonl": [self.write("jsonl/a.jsonl", jsonl(31, 300)), self.write("jsonl/b.jsonl", jsonl(32, 500))],
            "gzip": [self.write(f"gzip/{number}.jsonl.gz", jsonl(40 + number, 150)) for number in range(5)],
            "warc": [
                self.write(f"warc/{number}.warc{'.gz' if number % 2 else ''}", warc(50 + number, 90)) for number in range(4)
            ],
        }
        if IS_PACKAGE and importlib.util.find_spec("pyarrow") is not None:
            kinds["parquet"] = [self.write_parquet(f"parquet/{number}.parquet", 60 + number, 300) for number in range(2)]
        return kinds

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
