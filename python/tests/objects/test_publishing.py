"""Outputs by URL: whole, or not to be seen."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from servers import BAD_REQUEST, BUCKET, Store, environment, files_of, running


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
    store.proxy.refusal = BAD_REQUEST
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
    resumable = store.spillway("index", documents, "-o", f"{url}-new", "--resumable")
    assert resumable.returncode == 2 and "--resumable needs --temp-dir DIR" in resumable.stderr
    appended = store.spillway("append", url, documents)
    assert appended.returncode != 0 and "known" in appended.stderr
    assert in_store(store, url) == before


def current_of(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of the index that a URL names, and nothing else may be there."""
    place = files["current"].decode().strip() + "/"
    assert all(name == "current" or name.startswith(place) for name in files), sorted(files)
    return {name.removeprefix(place): data for name, data in files.items() if name != "current"}


def changes_of(store: Store) -> list[str]:
    """What was put and removed, in order."""
    lines = [line.split() for line in store.proxy.requests if "/docs.index/" in line]
    changes = [words for words in lines if words[0] in ("PUT", "DELETE")]
    return [f"{words[0]} {words[1].partition('/docs.index/')[2].partition('?')[0]}" for words in changes]


def test_force_replaces_an_index(store, documents, url, scratch, tmp_path):
    assert index(store, documents, url, scratch, "--positions").returncode == 0
    store.spillway("index", documents, "-o", tmp_path / "local")
    for old in ("index", "generation"):
        store.proxy.requests.clear()
        done = index(store, documents, url, scratch, "--force")
        assert done.returncode == 0 and f"{url}: " in done.stderr, done.stderr
        assert current_of(in_store(store, url)) == files_of(tmp_path / "local") and list(scratch.iterdir()) == []
        changes = changes_of(store)
        turn = changes.index("PUT current")
        assert all(change.startswith("PUT generation-") for change in changes[:turn]) and "/manifest" in changes[turn - 1]
        assert not any(change.startswith("PUT ") and change[-1] not in "/ " for change in changes[turn + 1 :]), changes
        assert old != "index" or changes[turn + 1] == "DELETE manifest"
        assert store.spillway("verify", url).returncode == 0
    again = index(store, documents, url, scratch)
    assert again.returncode == 2 and f"{url}/current exists" in again.stderr
    assert index(store, documents, f"{url}-new", scratch, "--force").returncode == 0  # nothing is there
    assert in_store(store, f"{url}-new") == files_of(tmp_path / "local")


def test_a_reader_finds_an_index_at_each_moment_of_a_replacement(store, documents, url, scratch, tmp_path):
    """Reads before each request that changes the store. What it finds is the old index or the new one."""
    script = """
import sys
from spillway.objects.fetching import fetch
fetch(sys.argv[1], sys.argv[2])
"""
    direct = {**store.environment, **environment(store.port)}
    found: list[dict[str, bytes]] = []

    def read(request: bytes) -> None:
        if request.startswith((b"PUT ", b"DELETE ")):
            copy = tmp_path / f"copy-{len(found)}"
            done = subprocess.run([sys.executable, "-c", script, url, copy], env=direct, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            found.append(files_of(copy))

    for name, options in (("old", ["--positions"]), ("new", [])):
        assert store.spillway("index", documents, "-o", tmp_path / name, *options).returncode == 0
    assert index(store, documents, url, scratch, "--positions").returncode == 0
    store.proxy.on_request = read
    assert index(store, documents, url, scratch, "--force").returncode == 0
    old, new = files_of(tmp_path / "old"), files_of(tmp_path / "new")
    assert len(found) > 20 and found[0] == old and found[-1] == new
    turn = found.index(new)
    assert all(files == old for files in found[:turn]) and all(files == new for files in found[turn:])


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_replacement_leaves_an_index(store, documents, url, scratch, tmp_path, moment):
    """Killed before or after `current` is put."""
    job: list[subprocess.Popen] = []

    def kill(request: bytes) -> None:
        if request.startswith(b"PUT " if moment == "before" else b"DELETE ") and (
            moment == "after" or b"/docs.index/current" in request.split(b"\r\n")[0]
        ):
            job[0].kill()
            time.sleep(0.5)

    assert index(store, documents, url, scratch, "--positions").returncode == 0
    store.proxy.on_request = kill
    words = [Path(sys.executable).parent / "spillway", "index", documents, "-o", url, "--temp-dir", scratch, "--force"]
    job.append(subprocess.Popen(words, env=store.environment, stderr=subprocess.DEVNULL))
    assert job[0].wait(timeout=120) == -signal.SIGKILL
    store.proxy.on_request = lambda request: None
    assert store.spillway("verify", url).returncode == 0
    assert index(store, documents, url, scratch, "--force").returncode == 0
    store.spillway("index", documents, "-o", tmp_path / "local")
    files = in_store(store, url)
    place = files["current"].decode().strip() + "/"
    found = {name.removeprefix(place): data for name, data in files.items() if name.startswith(place)}
    assert found == files_of(tmp_path / "local")
    assert not set(found) & set(files), "files of the first index are left"


def test_of_two_jobs_that_replace_an_index_the_second_fails(store, documents, url, scratch):
    def another(request: bytes) -> None:
        if request.startswith(b"PUT ") and b"/manifest" in request.split(b"\r\n")[0] and not others:
            others.append(True)
            assert index(store, documents, url, scratch, "--force").returncode == 0

    others: list[bool] = []
    assert index(store, documents, url, scratch).returncode == 0
    store.proxy.on_request = another
    done = index(store, documents, url, scratch, "--force")
    assert others and done.returncode == 2 and "another job replaced the index" in done.stderr, done.stderr
    current_of(in_store(store, url))  # nothing is left of the second
    assert store.spillway("verify", url).returncode == 0


def test_append_grows_an_index_in_the_store(store, documents, url, scratch, tmp_path):
    more = tmp_path / "more.jsonl"
    more.write_text("".join(json.dumps({"id": f"m{i}", "text": f"more w{i}"}) + "\n" for i in range(500)))
    store.spillway("index", documents, "-o", tmp_path / "local")
    store.spillway("append", tmp_path / "local", more)
    assert index(store, documents, url, scratch).returncode == 0
    done = store.spillway("append", url, store.put(more, "more.jsonl"), "--temp-dir", scratch)
    assert done.returncode == 0, done.stderr
    assert current_of(in_store(store, url)) == files_of(tmp_path / "local") and list(scratch.iterdir()) == []
    known = store.spillway("append", url, more, "--temp-dir", scratch)
    assert known.returncode != 0 and "known" in known.stderr
    assert current_of(in_store(store, url)) == files_of(tmp_path / "local") and list(scratch.iterdir()) == []
    missing = store.spillway("append", f"{url}-none", more)
    assert missing.returncode == 2 and "does not exist" in missing.stderr
    resumable = store.spillway("append", url, more, "--resumable")
    assert resumable.returncode == 2 and "needs an index on a disk" in resumable.stderr


def test_the_library_appends_and_merges_by_url(store, documents, url, scratch, tmp_path):
    script = """
import sys, spillway
documents, url, scratch, local = sys.argv[1:]
spillway.index(documents, url, temp_dir=scratch, progress=False)
report = spillway.append(url, [("x", "one more")], temp_dir=scratch, progress=False)
assert (report.output, report.index_documents) == (url, 20001), report
spillway.merge([url], local, temp_dir=scratch, progress=False)
assert spillway.verify(url) == spillway.verify(local)
print(spillway.Index(local).search("more").ids)
try: spillway.append(url + "-none", [("x", "y")])
except spillway.NotFoundError as error: print(error)
"""
    words = [sys.executable, "-c", script, documents, url, scratch, tmp_path / "local"]
    done = subprocess.run(words, env=store.environment, capture_output=True, text=True)
    assert done.returncode == 0 and "['x']" in done.stdout and "does not exist" in done.stdout, done.stderr
    assert current_of(in_store(store, url)) == files_of(tmp_path / "local") and list(scratch.iterdir()) == []


def test_an_append_that_loses_an_update_fails(store, documents, url, scratch, tmp_path):
    """Another job appends after this one has read the index."""
    for name in ("one", "two"):
        (tmp_path / name).write_text(json.dumps({"id": name, "text": name}) + "\n")

    def another(request: bytes) -> None:
        if request.startswith(b"PUT ") and not others:
            others.append(True)
            assert store.spillway("append", url, tmp_path / "two").returncode == 0

    others: list[bool] = []
    assert index(store, documents, url, scratch).returncode == 0
    store.proxy.on_request = another
    done = store.spillway("append", url, tmp_path / "one", "--temp-dir", scratch)
    assert others and done.returncode == 2 and "another job replaced the index" in done.stderr, done.stderr
    store.proxy.on_request = lambda request: None
    assert store.spillway("append", url, tmp_path / "one", "--temp-dir", scratch).returncode == 0
    assert store.spillway("merge", url, "-o", tmp_path / "copy").returncode == 0
    assert all(store.spillway("search", tmp_path / "copy", word).stdout for word in ("one", "two"))


def test_commands_that_need_a_disk_say_so(store, url):
    done = store.spillway("search", url, "words")
    assert done.returncode == 2 and f"`spillway merge {url} -o DIR` copies it" in done.stderr, done.stderr


def test_a_resumable_job_puts_what_it_made(store, documents, url, scratch, tmp_path):
    store.spillway("index", documents, "-o", tmp_path / "local")
    store.proxy.refuse = is_put_of("manifest")
    failed = index(store, documents, url, scratch, "--resumable")
    assert failed.returncode == 2 and "the same command puts it again" in failed.stderr, failed.stderr
    (kept,) = scratch.iterdir()
    made = (kept / "docs.index" / "manifest").stat().st_mtime_ns
    other = index(store, documents, url, scratch, "--resumable", "--positions")
    assert other.returncode == 2 and "the output of another command" in other.stderr
    assert (kept / "docs.index" / "manifest").stat().st_mtime_ns == made
    store.proxy.refuse = lambda request: False
    done = index(store, documents, url, scratch, "--resumable")
    assert done.returncode == 0, done.stderr
    assert in_store(store, url) == files_of(tmp_path / "local") and list(scratch.iterdir()) == []


def test_a_resumable_job_goes_on_after_a_kill(store, tmp_path, url, scratch):
    documents = tmp_path / "many.jsonl"
    documents.write_text("".join(json.dumps({"id": str(i), "text": f"w{i % 997} w{i} " * 20}) + "\n" for i in range(100_000)))
    store.spillway("index", documents, "-o", tmp_path / "local")
    words = [Path(sys.executable).parent / "spillway", "index", documents, "-o", url, "--temp-dir", scratch, "--resumable",
             "--threads", "1", "--block-bytes", "1M"]  # fmt: skip
    with running(words, env=store.environment, stderr=subprocess.DEVNULL) as job:
        deadline = time.monotonic() + 60
        while not list(scratch.glob("*/docs.index.work/spillway-manifest-[3-9]")) and time.monotonic() < deadline:
            time.sleep(0.01)
        job.kill()
    assert job.returncode == -signal.SIGKILL and store.keys(key_of(url)) == []
    done = subprocess.run([*words, "--json", tmp_path / "report"], env=store.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "report").read_text())["resumed_bytes"] > 0
    assert in_store(store, url) == files_of(tmp_path / "local") and list(scratch.iterdir()) == []


def test_a_forced_job_that_fails_before_it_puts_keeps_the_index(store, documents, url, scratch):
    assert index(store, documents, url, scratch).returncode == 0
    before = in_store(store, url)
    failed = index(store, documents.parent / "none", url, scratch, "--force")
    assert failed.returncode == 2 and in_store(store, url) == before


def test_a_forced_put_that_fails_keeps_the_index_in_the_store(store, documents, url, scratch):
    assert index(store, documents, url, scratch).returncode == 0
    before = in_store(store, url)
    for name in ("postings", "manifest", "current"):
        store.proxy.refuse, store.proxy.refusal = is_put_of(name), BAD_REQUEST
        failed = index(store, documents, url, scratch, "--force", "--positions")
        assert failed.returncode == 2 and "cannot put" in failed.stderr, failed.stderr
        assert in_store(store, url) == before and list(scratch.iterdir()) == []


def test_a_replacement_whose_answer_is_lost_leaves_an_index(store, documents, url, scratch, tmp_path):
    """`current` is put, the job does not learn of it, and fails: the URL names the new index then, whose files stay."""
    pytest.importorskip("boto3")
    assert index(store, documents, url, scratch).returncode == 0
    store.proxy.lose = is_put_of("docs.index/current")
    failed = index(store, documents, url, scratch, "--force", "--positions")
    assert failed.returncode == 2 and "cannot put" in failed.stderr, failed.stderr
    files = in_store(store, url)
    place = files["current"].decode().strip() + "/"
    store.spillway("index", documents, "-o", tmp_path / "local", "--positions")
    found = {name.removeprefix(place): data for name, data in files.items() if name.startswith(place)}
    assert found == files_of(tmp_path / "local") and store.spillway("verify", url).returncode == 0


def test_an_interrupted_replacement_leaves_nothing(store, documents, url, scratch):
    assert index(store, documents, url, scratch).returncode == 0
    before = in_store(store, url)
    store.proxy.requests.clear()
    store.proxy.on_request = lambda request: time.sleep(3) if request.startswith((b"PUT ", b"POST ")) else None
    words = [Path(sys.executable).parent / "spillway", "index", documents, "-o", url, "--temp-dir", scratch, "--force"]
    with running(words, env=store.environment, stderr=subprocess.PIPE) as job:
        deadline = time.monotonic() + 60
        while sum(line.startswith("PUT ") for line in store.proxy.requests) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        job.send_signal(signal.SIGINT)
        store.proxy.on_request = lambda request: None
        error = job.communicate(timeout=60)[1]
    assert job.returncode == -signal.SIGINT, error
    assert in_store(store, url) == before and list(scratch.iterdir()) == []


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


def test_two_jobs_that_make_the_same_index_at_once_leave_it(store, documents, url, scratch):
    """The second puts the same bytes between the first one's files and its manifest."""

    def another(request: bytes) -> None:
        if is_put_of("manifest")(request) and not others:
            others.append(True)
            time.sleep(1.1)  # the store counts seconds
            others.append(index(store, documents, url, scratch).returncode)

    others: list[object] = []
    store.proxy.on_request = another
    done = index(store, documents, url, scratch)
    assert done.returncode == 0 and others == [True, 0], done.stderr
    assert in_store(store, url) == files_of(make_local(store, documents, scratch.parent))


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


@contextlib.contextmanager
def puts_that_wait(store, name=""):
    """Puts of objects of this name do not reach the store, until the context ends, 20 seconds have passed, or what it
    gives is set."""
    released = threading.Event()
    store.proxy.on_request = lambda request: released.wait(20) if is_put_of(name)(request) else None
    try:
        yield released
    finally:
        released.set()


def wait_for_a_put(store, name=""):
    deadline = time.monotonic() + 60
    while not any(is_put_of(name)(line.encode()) for line in store.proxy.requests) and time.monotonic() < deadline:
        time.sleep(0.05)


def test_an_interrupt_while_it_puts_acts_at_once_and_shows_no_index(store, documents, url, scratch):
    words = [Path(sys.executable).parent / "spillway", "index", documents, "-o", url, "--temp-dir", scratch]
    with puts_that_wait(store), running(words, env=store.environment, stderr=subprocess.PIPE) as job:
        wait_for_a_put(store)
        begin = time.monotonic()
        job.send_signal(signal.SIGINT)
        error = job.communicate(timeout=60)[1]
        assert time.monotonic() - begin < 2
    assert job.returncode == -signal.SIGINT, error
    assert "manifest" not in store.keys(key_of(url)) and list(scratch.iterdir()) == []


INTERRUPTED_PUT = """
import sys, time
import spillway
documents, url, scratch = sys.argv[1:]
try:
    spillway.index(documents, url, temp_dir=scratch, progress=False)
except KeyboardInterrupt:
    print("interrupted", flush=True)
sys.stdin.readline()
spillway.index(documents, url, temp_dir=scratch, progress=False)
print("whole")
"""


def test_keyboard_interrupt_while_it_puts_acts_at_once(store, documents, url, scratch):
    """The same process may then make the index: it waits for the put that was left."""
    words = [sys.executable, "-c", INTERRUPTED_PUT, documents, url, scratch]
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with puts_that_wait(store) as released, running(words, env=store.environment, **pipes) as job:
        wait_for_a_put(store)
        begin = time.monotonic()
        job.send_signal(signal.SIGINT)
        assert job.stdout.readline() == "interrupted\n"
        assert time.monotonic() - begin < 2
        assert "manifest" not in store.keys(key_of(url)) and list(scratch.iterdir()) == []
        released.set()
        found = job.communicate("\n", timeout=60)[0]
    assert job.returncode == 0 and found == "whole\n"
    assert in_store(store, url) == files_of(make_local(store, documents, scratch.parent))


INTERRUPTED_REPLACEMENT = """
import sys
import spillway
documents, url, scratch = sys.argv[1:]
try:
    spillway.index(documents, url, temp_dir=scratch, progress=False, force=True, positions=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
if sys.stdin.readline() == "again\\n":
    spillway.index(documents, url, temp_dir=scratch, progress=False, force=True)
"""


@pytest.mark.parametrize("goes_on", [False, True])
def test_keyboard_interrupt_of_a_replacement_acts_at_once_and_leaves_nothing(store, documents, url, scratch, goes_on):
    assert index(store, documents, url, scratch).returncode == 0
    before = in_store(store, url)
    store.proxy.requests.clear()
    words = [sys.executable, "-c", INTERRUPTED_REPLACEMENT, documents, url, scratch]
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with puts_that_wait(store) as released, running(words, env=store.environment, **pipes) as job:
        wait_for_a_put(store)
        begin = time.monotonic()
        job.send_signal(signal.SIGINT)
        assert job.stdout.readline() == "interrupted\n"
        assert time.monotonic() - begin < 2
        assert in_store(store, url) == before and list(scratch.iterdir()) == []
        released.set()
        job.communicate("again\n" if goes_on else "\n", timeout=60)
    assert job.returncode == 0
    after = in_store(store, url)
    if not goes_on:
        assert after == before
        return
    place = after.pop("current").decode().strip() + "/"
    assert {place + name: data for name, data in before.items()} == after


def test_a_place_that_cannot_be(store, documents, scratch):
    for place, words in (("s3://nowhere-at-all/docs.index", "nowhere-at-all"), (f"s3://{BUCKET}", "expected a URL such as"),
                         (f"s3://{BUCKET}/a*", "expected a URL such as")):  # fmt: skip
        done = index(store, documents, place, scratch)
        assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr, done.stderr
    if store.name != "moto":
        done = index(store, documents, f"s3://{BUCKET}/b", scratch, **environment(store.proxy.port, secret="wrong"))
        assert done.returncode == 2 and "check the credentials" in done.stderr
    assert list(scratch.iterdir()) == []


def test_a_signal_while_current_is_put_leaves_one_index(store, documents, url, scratch):
    """The program removes the index that it has replaced before it ends."""
    assert index(store, documents, url, scratch).returncode == 0
    words = [Path(sys.executable).parent / "spillway", "index", documents, "-o", url, "--temp-dir", scratch, "--force"]
    with puts_that_wait(store, "current") as released, running(words, env=store.environment, stderr=subprocess.PIPE) as job:
        wait_for_a_put(store, "current")
        job.send_signal(signal.SIGINT)
        time.sleep(0.5)
        released.set()
        error = job.communicate(timeout=60)[1]
    assert job.returncode == -signal.SIGINT, error
    found = in_store(store, url)
    place = found.pop("current").decode().strip() + "/"
    assert f"{place}manifest" in found and all(name.startswith(place) for name in found)
