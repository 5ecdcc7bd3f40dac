"""Errors come as Python's exceptions, with the engine's words, and leave nothing behind."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from conftest import program

import spillway


def test_usage(tmp_path, jsonl):
    with pytest.raises(ValueError, match="unknown option.*did you mean --stem"):
        spillway.index(jsonl, tmp_path / "i", stemm="english")
    with pytest.raises(spillway.UsageError, match="--memory"):
        spillway.index(jsonl, tmp_path / "i", memory="many")
    with pytest.raises(TypeError, match="option of the program"):
        spillway.index(jsonl, tmp_path / "i", json="report.json")
    with pytest.raises(TypeError, match="one dict"):
        spillway.index({"id": 1, "text": "x"}, tmp_path / "i")
    with pytest.raises(TypeError, match="found int"):
        spillway.index(5, tmp_path / "i")
    spillway.index(jsonl, tmp_path / "i", progress=False)
    with pytest.raises(spillway.UsageError, match="--force"):
        spillway.index(jsonl, tmp_path / "i")
    spillway.index(jsonl, tmp_path / "i", force=True, progress=False)


def test_missing_files(tmp_path):
    for call in (
        lambda: spillway.index(tmp_path / "no.jsonl", tmp_path / "i"),
        lambda: spillway.plan(tmp_path / "no.jsonl"),
        lambda: spillway.Index(tmp_path / "no.index"),
        lambda: spillway.verify(tmp_path / "no.index"),
        lambda: spillway.append(tmp_path / "no.index", [("a", "b")]),
        lambda: spillway.sort(tmp_path / "no.txt", tmp_path / "sorted.txt"),
    ):
        with pytest.raises(FileNotFoundError, match=r"no\.(jsonl|index|txt)") as raised:
            call()
        assert isinstance(raised.value, spillway.Error)
    assert os.listdir(tmp_path) == []


def test_budget(tmp_path, jsonl):
    with pytest.raises(MemoryError, match="give at least"):
        spillway.index(jsonl, tmp_path / "i", memory="1M", progress=False)
    with pytest.raises(spillway.BudgetError):
        spillway.plan(jsonl, memory="1M")


def test_bad_input(tmp_path):
    rows = [{"text": "no id"}] * 5 + [{"id": str(i), "text": "x"} for i in range(5)]
    with pytest.raises(spillway.BadInputError, match="missing_id|expected an id"):
        spillway.index(rows, tmp_path / "i", progress=False)
    report = spillway.index(rows, tmp_path / "i", max_error_rate=0.9, progress=False)
    assert report.documents == 5 and report.skipped == {"missing_id": 5}
    with pytest.raises(TypeError, match="document 1 of the input.*'text'.*list"):
        spillway.index([("a", "b"), ("c", ["d"])], tmp_path / "j", progress=False)
    assert os.listdir(tmp_path) == ["i"]


def test_arrow_columns(tmp_path):
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(spillway.UsageError, match="expected a column of ids.*'name'"):
        spillway.index(pa.table({"name": ["a"], "text": ["b"]}), tmp_path / "i", progress=False)
    with pytest.raises(spillway.UsageError, match="'text'.*found format '\\+l'"):
        spillway.index(pa.table({"id": ["a"], "text": [["b"]]}), tmp_path / "i", progress=False)
    reader = pa.table({"id": ["a"], "text": ["b"]}).to_reader()
    spillway.index(reader, tmp_path / "i", progress=False)

    def batches():
        yield pa.record_batch({"id": ["a"], "text": ["b"]})
        raise RuntimeError("the network is down")

    broken = pa.RecordBatchReader.from_batches(pa.schema([("id", pa.string()), ("text", pa.string())]), batches())
    with pytest.raises(OSError, match="the network is down"):
        spillway.index(broken, tmp_path / "j", progress=False)
    assert os.listdir(tmp_path) == ["i"]


def test_exceptions_of_generators_come_through(tmp_path):
    class Lost(Exception):
        pass

    def rows():
        for i in range(100_000):
            yield (str(i), "some text")
        raise Lost("line 100000")

    with pytest.raises(Lost, match="line 100000"):
        spillway.index(rows(), tmp_path / "i", progress=False)
    with pytest.raises(ZeroDivisionError):
        spillway.index(((str(i), "x") for i in iter(int, 1)), tmp_path / "i", progress=lambda now: 1 / 0)
    assert os.listdir(tmp_path) == []


def test_corrupt_index(tmp_path, jsonl):
    spillway.index(jsonl, tmp_path / "i", progress=False)
    postings = tmp_path / "i" / "postings"
    data = bytearray(postings.read_bytes())
    data[len(data) // 2] ^= 1
    postings.write_bytes(data)
    with pytest.raises(spillway.CorruptError, match="postings"):
        spillway.verify(tmp_path / "i")


@pytest.mark.parametrize("kind", ["generator", "file"])
def test_keyboard_interrupt(tmp_path, kind):
    script = textwrap.dedent(
        """
        import sys, spillway, itertools
        rows = ((str(i), f"word{i} word{i * 7}") for i in itertools.count())
        inputs = rows if sys.argv[2] == "generator" else "/dev/fd/0"
        try:
            spillway.index(inputs, sys.argv[1] + "/i", progress=lambda now: print("on", flush=True))
        except KeyboardInterrupt:
            print("interrupted")
            sys.exit(7)
        """
    )
    words = [sys.executable, "-c", script, str(tmp_path), kind]
    job = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert job.stdout.readline() == "on\n"
    time.sleep(0.3)
    job.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert job.wait(60) == 7 and time.monotonic() - begin < 10
    job.stdin.close()
    assert os.listdir(tmp_path) == []


def test_interrupting_the_program_leaves_nothing(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    texts = [" ".join(f"w{i * k % 9973}" for k in range(60)) for i in range(20_000)]
    table = pa.table({"id": [str(i) for i in range(20_000)], "text": texts})
    with pq.ParquetWriter(tmp_path / "a.parquet", table.schema) as writer:
        for _ in range(20):
            writer.write_table(table)
    words = [Path(sys.executable).parent / "spillway", "index", tmp_path / "a.parquet", "-o", tmp_path / "i"]
    job = subprocess.Popen([*words, "--duplicate-ids", "keep"], stderr=subprocess.PIPE, text=True)
    while job.poll() is None and not (tmp_path / "i.work").exists():
        time.sleep(0.01)
    job.send_signal(signal.SIGINT)
    assert "interrupted" in job.communicate(timeout=60)[1]
    assert job.returncode == -signal.SIGINT and os.listdir(tmp_path) == ["a.parquet"]


def test_threads(tmp_path, documents):
    failures = []

    def work(i):
        try:
            spillway.index(documents, tmp_path / f"i{i}", memory="64M", threads=2, progress=False)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert {len(spillway.Index(tmp_path / f"i{i}")) for i in range(4)} == {2000}


def test_fork(tmp_path, documents):
    script = textwrap.dedent(
        """
        import os, sys, spillway
        folder = sys.argv[1]
        def in_child(call):
            child = os.fork()
            if child == 0:
                try:
                    call()
                    os._exit(0)
                except spillway.Error as error:
                    os._exit(3 if "forked" in str(error) else 4)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        rows = [(str(i), "some text") for i in range(100)]
        make = lambda name: spillway.index(rows, f"{folder}/{name}", progress=False)
        assert in_child(lambda: make("before")) == 0
        make("parent")
        assert in_child(lambda: make("after")) == 3
        index = spillway.Index(f"{folder}/parent")
        assert in_child(lambda: index.search("text")) == 0
        """
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, timeout=120)


@pytest.fixture
def within_memory(tmp_path):
    """Runs code in a process that holds 200 MiB, and expects that it takes at most 64 MiB more."""

    def run(code):
        script = textwrap.dedent(
            """
            import json, os, random, sys, spillway
            def status(field):
                return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith(field)) << 10
            os.chdir(sys.argv[1])
            ballast = bytearray(b"x") * (200 << 20)
            before = status("VmRSS:")
            {}
            print(before, status("VmHWM:") - before)
            assert status("VmHWM:") - before <= 1.05 * (64 << 20) + (4 << 20)
            """
        ).format(textwrap.dedent(code))
        done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


ROWS = """
words = [f"w{i}" for i in range(50000)]
rows = ((str(i), " ".join(words[(i * k) % 50000] for k in range(1, 150))) for i in range(150000))
"""


def test_memory_is_beyond_what_the_process_has(within_memory):
    within_memory(ROWS + "assert spillway.index(rows, 'i', memory='64M', progress=False).documents == 150000")


def test_memory_of_exports_is_beyond_what_the_process_has(tmp_path, within_memory):
    code = f"import spillway\n{ROWS}\nspillway.index(rows, '{tmp_path}/i', progress=False)"
    subprocess.run([sys.executable, "-c", code], check=True)
    within_memory("spillway.Index('i').export_ciff('i.ciff', memory='64M')")
    assert (tmp_path / "i.ciff").stat().st_size > 10 << 20


def test_memory_of_sorts_is_beyond_what_the_process_has(tmp_path, within_memory):
    import random

    random.seed(7)
    lines = sorted(f"{random.getrandbits(300):075x}" for _ in range(1_500_000))
    expected = "".join(line + "\n" for line in lines)
    random.shuffle(lines)
    (tmp_path / "in.txt").write_text("".join(line + "\n" for line in lines))
    within_memory("spillway.sort('in.txt', 'out.txt', memory='64M')")
    assert (tmp_path / "out.txt").read_text() == expected


def test_interrupting_files_of_columns(tmp_path):
    """KeyboardInterrupt, and no error of the reader, wherever Python is when it comes."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    texts = [" ".join(f"w{i * k % 9973}" for k in range(60)) for i in range(20_000)]
    table = pa.table({"id": [str(i) for i in range(20_000)], "text": texts})
    with pq.ParquetWriter(tmp_path / "a.parquet", table.schema) as writer:
        for _ in range(40):
            writer.write_table(table, row_group_size=2000)
    script = textwrap.dedent(
        """
        import sys, threading, spillway
        folder = sys.argv[1]
        say = lambda now: print("on", flush=True)
        try:
            spillway.index(folder + "/a.parquet", folder + "/i", duplicate_ids="keep", progress=say)
        except KeyboardInterrupt:
            for thread in set(threading.enumerate()) - {threading.main_thread()}:
                thread.join(1)
                assert not thread.is_alive()
            sys.exit(7)
        """
    )
    for wait in (0.0, 0.1, 0.25):
        job = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert job.stdout.readline() == "on\n"
        time.sleep(wait)
        job.send_signal(signal.SIGINT)
        assert job.wait(60) == 7
        assert os.listdir(tmp_path) == ["a.parquet"]


def test_program(tmp_path, jsonl):
    assert program("--version").stdout == f"spillway {spillway.__version__}\n"
    assert program("index", jsonl, "-o", tmp_path / "i").returncode == 0
    assert "did you mean" in program("serch", tmp_path / "i").stderr
    assert program("index", "no.jsonl", "-o", tmp_path / "j").returncode == 2
    assert program("index", tmp_path / "docs.jsonl", "-o", tmp_path / "j", "--memory", "1M").returncode == 4
