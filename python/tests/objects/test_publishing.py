"""Outputs by URL: whole, or not to be seen."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from servers import BUCKET, Store, environment, files_of


@pytest.fixture(scope="module")
def documents(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("documents") / "a.jsonl"
    path.write_text("".join(json.dumps({"id": str(i), "text": f"w{i % 97} w{i % 13} w{i}"}) + "\n" for i in range(20_000)))
    return path


@pytest.fixture
def scratch(tmp_path) -> Path:
    path = tmp_path / "scratch"
    path.mkdir()
    return path


@pytest.fixture
def url(store: Store, request) -> str:
    """A place for one index."""
    return f"s3://{BUCKET}/{re.sub('[^a-z]+', '-', request.node.name)}/docs.index"


def key_of(url: str) -> str:
    return url.removeprefix(f"s3://{BUCKET}/")


def in_store(store: Store, url: str) -> dict[str, bytes]:
    return store.files(key_of(url))


def index(store: Store, documents: Path, url: str, scratch: Path, *words: str, **env: str):
    return store.spillway("index", documents, "-o", url, "--temp-dir", scratch, *words, **env)


def test_an_index_arrives_whole_with_its_manifest_last(store, documents, url, scratch, tmp_path):
    assert store.spillway("index", documents, "-o", tmp_path / "local").returncode == 0
    done = index(store, documents, url, scratch)
    assert done.returncode == 0, done.stderr
    assert in_store(store, url) == files_of(tmp_path / "local")
    assert f"{url}: {len(files_of(tmp_path / 'local'))} files" in done.stderr
    put = [line.split()[1] for line in store.proxy.requests if line.startswith(("PUT ", "POST "))]
    assert put[-1].partition("?")[0].endswith("/docs.index/manifest") and not any("/manifest" in path for path in put[:-1])
    assert list(scratch.iterdir()) == []
    assert store.spillway("verify", url).returncode == 0


def test_the_library_puts_indexes_merges_and_sorts(store, documents, url, scratch, tmp_path):
    script = """
import sys, spillway
documents, url, scratch, local = sys.argv[1:]
report = spillway.index(documents, url, temp_dir=scratch, progress=False)
assert report.output == url
spillway.index(documents, local, progress=False)
spillway.merge([local], url + "-merged", progress=False)
spillway.sort(documents, url + "-sorted")
"""
    words = [sys.executable, "-c", script, documents, url, scratch, tmp_path / "local"]
    done = subprocess.run(words, env=store.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    expected = files_of(tmp_path / "local")
    assert in_store(store, url) == expected and in_store(store, f"{url}-merged") == expected
    lines = documents.read_bytes().splitlines(keepends=True)
    assert store.get(f"{key_of(url)}-sorted") == b"".join(sorted(lines))
    assert list(scratch.iterdir()) == []


def is_put_of(name: str):
    return lambda request: request.startswith((b"PUT ", b"POST ")) and f"/{name}".encode() in request.split(b"\r\n")[0]


def test_a_put_that_fails_some_times_is_repeated(store, documents, url, scratch, tmp_path):
    left = {"postings": 2, "manifest": 2}

    def refuse(request: bytes) -> bool:
        for name in left:
            if left[name] > 0 and is_put_of(name)(request):
                left[name] -= 1
                return True
        return False

    store.proxy.refuse = refuse
    done = index(store, documents, url, scratch)
    assert done.returncode == 0 and left["manifest"] == 0, done.stderr
    store.spillway("index", documents, "-o", tmp_path / "local")
    assert in_store(store, url) == files_of(tmp_path / "local")


@pytest.mark.parametrize("name", ["documents", "manifest"])
def test_a_put_that_fails_for_good_shows_no_index(store, documents, url, scratch, name):
    first = sorted(name for name in os.listdir(make_local(store, documents, scratch.parent)) if name != "manifest")[-1]
    store.proxy.refuse = is_put_of("manifest" if name == "manifest" else first)
    done = index(store, documents, url, scratch)
    assert done.returncode == 2 and f"{url}/" in done.stderr and "cannot put" in done.stderr, done.stderr
    assert "attempts" in done.stderr and "Traceback" not in done.stderr
    assert "manifest" not in store.keys(key_of(url)) and list(scratch.iterdir()) == []
    store.proxy.refuse = lambda request: False
    assert index(store, documents, url, scratch).returncode == 0  # over what is left of the first
    assert in_store(store, url) == files_of(scratch.parent / "local")


def make_local(store: Store, documents: Path, directory: Path) -> Path:
    store.spillway("index", documents, "-o", directory / "local")
    return directory / "local"


def test_nothing_is_replaced_unasked(store, documents, url, scratch):
    assert index(store, documents, url, scratch).returncode == 0
    before = in_store(store, url)
    again = index(store, documents, url, scratch)
    assert again.returncode == 2 and f"{url}/manifest exists" in again.stderr
    resumable = index(store, documents, url, scratch, "--resumable")
    assert resumable.returncode == 2 and "--resumable needs a local output" in resumable.stderr
    appended = store.spillway("append", url, documents)
    assert appended.returncode == 2
    assert in_store(store, url) == before


def test_force_replaces_an_index(store, documents, url, scratch, tmp_path):
    assert index(store, documents, url, scratch, "--positions").returncode == 0
    store.spillway("index", documents, "-o", tmp_path / "local")
    store.proxy.requests.clear()
    done = index(store, documents, url, scratch, "--force")
    assert done.returncode == 0, done.stderr
    assert in_store(store, url) == files_of(tmp_path / "local") and list(scratch.iterdir()) == []
    changes = [line for line in store.proxy.requests if line.startswith(("PUT ", "POST ", "DELETE ")) and "/docs.index/" in line]
    of_manifest = [number for number, line in enumerate(changes) if "/docs.index/manifest" in line]
    assert of_manifest[0] == 0 and changes[0].startswith("DELETE "), changes
    assert of_manifest[-1] == len(changes) - 1 and changes[-1].startswith("PUT "), changes
    assert index(store, documents, f"{url}-new", scratch, "--force").returncode == 0  # nothing is there


def test_a_forced_job_that_fails_before_it_puts_keeps_the_index(store, documents, url, scratch):
    assert index(store, documents, url, scratch).returncode == 0
    before = in_store(store, url)
    failed = index(store, documents.parent / "none", url, scratch, "--force")
    assert failed.returncode == 2 and in_store(store, url) == before


def test_a_forced_put_that_fails_keeps_the_local_index(store, documents, url, scratch, tmp_path):
    assert index(store, documents, url, scratch).returncode == 0
    store.proxy.refuse = is_put_of("postings")
    failed = index(store, documents, url, scratch, "--force")
    assert failed.returncode == 2 and "the index that was there is gone, and the new one is in" in failed.stderr, failed.stderr
    assert "manifest" not in store.keys(key_of(url))
    kept = Path(failed.stderr.strip().rpartition(" is in ")[2])
    store.spillway("index", documents, "-o", tmp_path / "local")
    assert files_of(kept) == files_of(tmp_path / "local")
    store.proxy.refuse = lambda request: False
    assert index(store, documents, url, scratch, "--force").returncode == 0
    assert in_store(store, url) == files_of(kept)


def test_force_replaces_no_other_object(store, documents, url, scratch):
    store.put(documents, key_of(url))
    forced = index(store, documents, url, scratch, "--force")
    assert forced.returncode == 2 and "is an object, not an index" in forced.stderr
    assert store.get(key_of(url)) == documents.read_bytes()


def test_a_sort_replaces_an_object(store, documents, url, scratch):
    for options in ([], ["--reverse"]):
        done = store.spillway("sort", documents, "-o", url, *options)
        assert done.returncode == 0, done.stderr
    assert store.get(key_of(url)) == b"".join(sorted(documents.read_bytes().splitlines(keepends=True), reverse=True))


def test_a_manifest_that_appears_meanwhile_stays(store, documents, url, scratch):
    def another(request: bytes) -> None:
        if is_put_of("manifest")(request) and not others:
            others.append(True)
            (scratch.parent / "other").write_text("another job's")
            store.put(scratch.parent / "other", f"{key_of(url)}/manifest")

    others: list[bool] = []
    store.proxy.on_request = another
    done = index(store, documents, url, scratch)
    assert others and done.returncode == 2 and "another job made it meanwhile" in done.stderr, done.stderr
    assert store.get(f"{key_of(url)}/manifest") == b"another job's"


def test_files_that_another_job_replaces_meanwhile_are_no_index(store, documents, url, scratch):
    def another(request: bytes) -> None:
        if is_put_of("manifest")(request) and not others:
            others.append(True)
            (scratch.parent / "other").write_text("another job's")
            store.put(scratch.parent / "other", f"{key_of(url)}/postings")

    others: list[bool] = []
    store.proxy.on_request = another
    done = index(store, documents, url, scratch)
    assert others and done.returncode == 2 and f"{url}/postings changed while the index was put there" in done.stderr, (
        done.stderr
    )
    assert "manifest" not in store.keys(key_of(url))


@pytest.mark.parametrize("conditional", [True, False], ids=["on-condition", "after-a-look"])
def test_a_repeated_put_of_the_same_bytes_is_one(store, url, conditional):
    script = """
import sys
if sys.argv[2] == "False": sys.modules["boto3"] = None
from spillway.errors import UsageError
from spillway.objects.conditional import put_if_absent
from spillway.objects.location import locate
location = locate(sys.argv[1])
put_if_absent(location, b"mine")
put_if_absent(location, b"mine")
try: put_if_absent(location, b"another")
except UsageError as error: print(error)
"""
    pytest.importorskip("boto3")
    words = [sys.executable, "-c", script, url, str(conditional)]
    done = subprocess.run(words, env=store.environment, capture_output=True, text=True)
    assert "another job made it meanwhile" in done.stdout, done.stderr
    assert store.get(key_of(url)) == b"mine"


def test_an_interrupt_while_it_puts_shows_no_index(store, documents, url, scratch):
    store.proxy.on_request = lambda request: time.sleep(5) if request.startswith((b"PUT ", b"POST ")) else None
    words = [Path(sys.executable).parent / "spillway", "index", documents, "-o", url, "--temp-dir", scratch]
    with subprocess.Popen(words, env=store.environment, stderr=subprocess.PIPE) as job:
        deadline = time.monotonic() + 60
        while not any(line.startswith("PUT ") for line in store.proxy.requests) and time.monotonic() < deadline:
            time.sleep(0.05)
        job.send_signal(signal.SIGINT)
        error = job.communicate(timeout=60)[1]
    assert job.returncode == -signal.SIGINT, error
    assert "manifest" not in store.keys(key_of(url)) and list(scratch.iterdir()) == []


def test_a_place_that_cannot_be(store, documents, scratch):
    for place, words in (("s3://nowhere-at-all/docs.index", "nowhere-at-all"), (f"s3://{BUCKET}", "expected a URL such as"),
                         (f"s3://{BUCKET}/a*", "expected a URL such as")):  # fmt: skip
        done = index(store, documents, place, scratch)
        assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr, done.stderr
    if store.name != "moto":
        done = index(store, documents, f"s3://{BUCKET}/b", scratch, **environment(store.proxy.port, secret="wrong"))
        assert done.returncode == 2 and "check the credentials" in done.stderr
    assert list(scratch.iterdir()) == []
