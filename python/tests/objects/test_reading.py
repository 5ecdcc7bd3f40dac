"""Inputs by URL: the bytes of local files, whatever happens on the way."""

import contextlib
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from servers import BUCKET, Store, environment, files_of, running

PAGE = (
    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Target-URI: http://a.test/{id}\r\n"
    "WARC-Date: 2024-05-17T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    "{http}\r\n\r\n"
)


def texts(seed: int, count: int) -> list[str]:
    words = random.Random(seed)
    return [" ".join(f"w{int(words.paretovariate(0.7)) % 5000}" for _ in range(words.randrange(80))) for _ in range(count)]


def jsonl(seed: int, count: int) -> bytes:
    return b"".join(json.dumps({"id": f"{seed}-{i}", "text": t}).encode() + b"\n" for i, t in enumerate(texts(seed, count)))


def warc(seed: int, count: int) -> bytes:
    pages = []
    for number, text in enumerate(texts(seed, count)):
        http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><body>{text}</body></html>"
        pages.append(gzip.compress(PAGE.format(id=f"{seed}-{number}", length=len(http), http=http).encode()))
    return b"".join(pages)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory) -> Path:
    """Files of every kind that is read in its own way."""
    root = tmp_path_factory.mktemp("crawl")
    (root / "plain/sub").mkdir(parents=True)
    (root / "plain/big.jsonl").write_bytes(jsonl(1, 60_000))
    (root / "plain/sub-b.jsonl").write_bytes(jsonl(2, 300))
    (root / "plain/sub/a.jsonl").write_bytes(jsonl(3, 300))
    (root / "plain/.hidden").write_bytes(b"not read\n")
    (root / "packed").mkdir()
    for number in range(5):
        (root / f"packed/{number}.jsonl.gz").write_bytes(gzip.compress(jsonl(10 + number, 2000)))
    (root / "warc").mkdir()
    for number in range(2):
        (root / f"warc/{number}.warc.gz").write_bytes(warc(20 + number, 300))
    (root / "texts/sub").mkdir(parents=True)
    for number in range(70):
        (root / f"texts/{'sub/' if number % 3 else ''}{number}.txt").write_text(f"text number {number}")
    return root


@pytest.fixture(scope="module")
def put(store: Store, crawl: Path) -> str:
    return store.put(crawl, "input")


def made(store: Store, output: Path, *words: object) -> dict[str, bytes]:
    done = store.spillway("index", *words, "-o", output, "--quiet")
    assert done.returncode == 0, done.stderr
    return files_of(output)


@pytest.mark.parametrize("words", [["plain"], ["packed"], ["warc"], ["texts", "--format", "text"]], ids=lambda words: words[0])
def test_directories_give_the_bytes_of_local_ones(store, crawl, put, tmp_path, words):
    kind, *options = words
    expected = made(store, tmp_path / "local", crawl / kind, *options)
    assert made(store, tmp_path / "store", f"{put}/{kind}", *options) == expected
    assert made(store, tmp_path / "small", f"{put}/{kind}/", *options, "--memory", "80M", "--threads", "1") == expected


def test_patterns_files_and_lists(store, crawl, put, tmp_path):
    expected = made(store, tmp_path / "local", *sorted((crawl / "packed").iterdir()))
    assert made(store, tmp_path / "pattern", f"{put}/packed/*.gz") == expected
    assert made(store, tmp_path / "some", f"{put}/packed/[0-2].*", f"{put}/packed/[34].jsonl.gz") == expected
    urls = [f"{put}/packed/{number}.jsonl.gz" for number in range(5)]
    assert made(store, tmp_path / "files", *urls) == expected
    (tmp_path / "list").write_text("\n".join(urls))
    assert made(store, tmp_path / "listed", f"@{tmp_path}/list") == expected


def test_local_files_and_objects_together(store, crawl, put, tmp_path):
    expected = made(store, tmp_path / "local", crawl / "plain", crawl / "packed")
    assert made(store, tmp_path / "both", crawl / "plain", f"{put}/packed") == expected


def test_parts_merge_to_the_whole(store, crawl, put, tmp_path):
    expected = made(store, tmp_path / "local", crawl / "plain", crawl / "packed")
    parts = [tmp_path / f"part-{number}" for number in (1, 2, 3)]
    for number, part in enumerate(parts, 1):
        made(store, part, f"{put}/plain", f"{put}/packed", "--part", f"{number}/3")
    assert store.spillway("merge", *parts, "-o", tmp_path / "merged").returncode == 0
    assert files_of(tmp_path / "merged") == expected


def test_skipped_records_are_named_by_url_and_offset(store, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"id":"1","text":"a"}\nbad\n' + '{"id":"2","text":"b"}\n' * 1)
    url = store.put(tmp_path / "bad.jsonl", "bad/bad.jsonl")
    done = store.spillway("index", url, "-o", tmp_path / "i", "--max-error-rate", "1", "--skipped", tmp_path / "skipped")
    assert done.returncode == 0, done.stderr
    (line,) = (tmp_path / "skipped").read_text().splitlines()
    assert (json.loads(line)["file"], json.loads(line)["offset"]) == (url, 22)


def test_parquet(store, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"id": [str(i) for i in range(3000)], "text": texts(5, 3000), "other": list(range(3000))})
    (tmp_path / "in").mkdir()
    pq.write_table(table.slice(0, 1000), tmp_path / "in/a.parquet", row_group_size=150)
    pq.write_table(table.slice(1000), tmp_path / "in/b.parquet", row_group_size=700)
    expected = made(store, tmp_path / "local", tmp_path / "in")
    (tmp_path / "in/_SUCCESS").write_bytes(b"ok")
    url = store.put(tmp_path / "in", "parquet")
    assert made(store, tmp_path / "store", url) == expected
    assert made(store, tmp_path / "pattern", f"{url}/*.parquet") == expected
    for number in (1, 2):
        made(store, tmp_path / f"part-{number}", url, "--part", f"{number}/2")
    assert store.spillway("merge", tmp_path / "part-1", tmp_path / "part-2", "-o", tmp_path / "merged").returncode == 0
    assert files_of(tmp_path / "merged") == expected


def test_append_and_sort(store, crawl, put, tmp_path):
    expected = made(store, tmp_path / "local", crawl / "packed", crawl / "plain")
    made(store, tmp_path / "grown", crawl / "packed")
    assert store.spillway("append", tmp_path / "grown", f"{put}/plain").returncode == 0
    assert files_of(tmp_path / "grown") == expected
    done = store.spillway("sort", f"{put}/plain/big.jsonl", "-o", tmp_path / "sorted")
    assert done.returncode == 0, done.stderr
    lines = (crawl / "plain/big.jsonl").read_bytes().splitlines(keepends=True)
    assert (tmp_path / "sorted").read_bytes() == b"".join(sorted(lines))
    assert store.spillway("sort", f"{put}/packed/*.gz", "-o", tmp_path / "unpacked", "--head", "3").returncode == 0
    packed = b"".join(gzip.decompress(path.read_bytes()) for path in sorted((crawl / "packed").iterdir()))
    assert (tmp_path / "unpacked").read_bytes() == b"".join(sorted(packed.splitlines(keepends=True))[:3])


def test_the_library_takes_urls(store, crawl, put, tmp_path):
    expected = made(store, tmp_path / "local", crawl / "packed")
    script = "import sys, spillway; print(spillway.index(sys.argv[1], sys.argv[2], progress=False).documents)"
    words = [sys.executable, "-c", script, f"{put}/packed/*", tmp_path / "library"]
    assert subprocess.run(words, env=store.environment, check=True, capture_output=True).stdout == b"10000\n"
    assert files_of(tmp_path / "library") == expected


def test_connections_that_are_cut(store, crawl, put, tmp_path):
    expected = made(store, tmp_path / "local", crawl / "plain")
    store.proxy.cut_after, store.proxy.cuts = 300_000, 4
    assert made(store, tmp_path / "store", f"{put}/plain", "--memory", "80M") == expected
    assert store.proxy.cuts == 0


def test_a_store_that_stays_away(store, put, tmp_path):
    store.proxy.refuse = lambda request: b"range: bytes=" in request.lower() and b"range: bytes=0-" not in request.lower()
    done = store.spillway("index", f"{put}/plain", "-o", tmp_path / "i", "--memory", "80M")
    assert done.returncode == 2
    assert f"{put}/plain/big.jsonl: cannot read bytes " in done.stderr and "5 attempts" in done.stderr
    assert "check the network and the endpoint" in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_object_that_changes_while_it_is_read(store, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.jsonl").write_bytes(jsonl(7, 30_000))
    (tmp_path / "in/b.jsonl").write_bytes(jsonl(8, 30_000))
    url = store.put(tmp_path / "in", "changing")
    (tmp_path / "in/a.jsonl").write_bytes(jsonl(7, 30_000).replace(b"w1 ", b"w2 "))  # of the same size
    changed = []

    def change(request: bytes) -> None:
        if b"/changing/b.jsonl" in request.split(b"\r\n")[0] and request.startswith(b"GET") and not changed:
            changed.append(True)
            time.sleep(1.1)  # times of S3 have seconds
            store.put(tmp_path / "in/a.jsonl", "changing/a.jsonl")

    # The first read of b after its first bytes: then a has been read.
    def after_the_heads(request: bytes) -> None:
        if b"range: bytes=0-4095" not in request.lower():
            change(request)

    store.proxy.on_request = after_the_heads
    done = store.spillway("index", url, "-o", tmp_path / "i")
    assert changed and done.returncode == 2, done.stderr
    assert f"{url}/a.jsonl changed while it was read: expected " in done.stderr and "run the job again" in done.stderr
    assert not (tmp_path / "i").exists() and not (tmp_path / "i.work").exists()


def test_a_sort_of_an_object_that_changes_fails(store, tmp_path):
    lines = [f"{random.Random(i).random():.15f}\n".encode() for i in range(400_000)]
    (tmp_path / "a.txt").write_bytes(b"".join(lines))
    url = store.put(tmp_path / "a.txt", "changing/a.txt")
    (tmp_path / "a.txt").write_bytes(b"".join(reversed(lines)))
    changed = []

    def change(request: bytes) -> None:
        if request.startswith(b"GET") and b"/changing/a.txt" in request.split(b"\r\n")[0] and not changed:
            changed.append(True)
            time.sleep(1.1)
            store.put(tmp_path / "a.txt", "changing/a.txt")

    store.proxy.on_request = change
    done = store.spillway("sort", url, "-o", tmp_path / "sorted")
    assert changed and done.returncode == 2 and f"{url} changed while it was read" in done.stderr, done.stderr
    assert not (tmp_path / "sorted").exists()
    done = store.spillway("sort", url, "-o", tmp_path / "sorted")
    assert done.returncode == 0 and (tmp_path / "sorted").read_bytes() == b"".join(sorted(lines)), done.stderr


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://nowhere-at-all/a.jsonl", "the bucket nowhere-at-all does not exist"),
        (f"s3://{BUCKET}/none.jsonl", f"input s3://{BUCKET}/none.jsonl does not exist"),
        (f"s3://{BUCKET}/none/*.gz", f"no object matches s3://{BUCKET}/none/*.gz"),
        ("s3://key:secret@bucket/a.jsonl", "a URL of s3:// holds credentials"),
    ],
)
def test_what_is_not_there(store, tmp_path, url, words):
    done = store.spillway("index", url, "-o", tmp_path / "i")
    assert done.returncode == 2 and words in done.stderr, done.stderr
    assert "secret" not in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_wrong_credentials(store, put, tmp_path):
    if store.name == "moto":
        pytest.skip("moto takes any credentials")
    wrong = environment(store.proxy.port, secret="wrong")
    for inputs in (f"{put}/plain/big.jsonl", f"{put}/plain/*"):
        done = store.spillway("index", inputs, "-o", tmp_path / "i", **wrong)
        assert done.returncode == 2 and "check the credentials" in done.stderr and put in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_interrupted_while_it_waits(store, put, tmp_path):
    def delay(request: bytes) -> None:
        if b"range: bytes=" in request.lower() and b"range: bytes=0-" not in request.lower():
            time.sleep(20)

    store.proxy.on_request = delay
    words = [Path(sys.executable).parent / "spillway", "index", f"{put}/plain/big.jsonl", "-o", tmp_path / "i"]
    with running(words, env=store.environment, stderr=subprocess.PIPE) as job:
        deadline = time.monotonic() + 30
        while not (tmp_path / "i.work").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        begin = time.monotonic()
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=25)
    assert job.returncode == -signal.SIGINT and time.monotonic() - begin < 15
    assert list(tmp_path.iterdir()) == []


def test_the_budget_is_kept(store, put, tmp_path):
    script = """
import os, sys, spillway
from spillway.objects.source import open_object
from spillway.objects.location import locate
def status(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field)) << 10
open_object(locate(sys.argv[1]))  # pyarrow and its libraries are there before
before, budget = status("VmRSS:"), 100 << 20
spillway.index(sys.argv[1], sys.argv[2], memory=budget, threads=2, progress=False)
used = status("VmHWM:") - before
print(before, used)
assert used <= 1.05 * budget, used
"""
    big = tmp_path / "big.jsonl"
    with open(big, "wb") as file:
        for seed in range(6):
            file.write(jsonl(100 + seed, 60_000))
    url = store.put(big, "big/big.jsonl")
    done = subprocess.run(
        [sys.executable, "-c", script, url, str(tmp_path / "i")], env=store.environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_pyarrow_it_says_what_to_install(tmp_path):
    script = "import sys; sys.modules['pyarrow'] = None; from spillway.command import main; sys.exit(main())"
    words = [sys.executable, "-c", script, "index", "s3://bucket/a.jsonl", "-o", str(tmp_path / "i")]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 2 and "pip install 'spillway[parquet]'" in done.stderr, done.stderr
    with contextlib.suppress(FileNotFoundError):
        assert list(tmp_path.iterdir()) == []
