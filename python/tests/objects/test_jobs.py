"""Jobs in parts over objects, and into a store (spillway.spark)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from servers import BAD_REQUEST, BUCKET, Store, files_of

PROGRAM = Path(sys.executable).parent / "spillway"


@pytest.fixture(scope="module")
def documents(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("documents")
    for name in ("a", "b", "c"):
        rows = ({"id": f"{name}{i % 900}", "text": f"w{i % 97} w{i % 13} {name}{i}"} for i in range(1000))
        (root / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return root


def job(store: Store, *words: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "spillway.spark", "index", *words, "--launcher", "local", "--memory", "128M",
               "--program", PROGRAM, "--max-error-rate", "1"]  # fmt: skip
    return subprocess.run(list(map(str, command)), env=store.environment, capture_output=True, text=True, timeout=300)


def test_objects_in_parts_give_the_index_of_one_process(store, documents, tmp_path):
    url = store.put(documents, "jobs/in")
    whole = store.spillway("index", documents, "-o", tmp_path / "whole", "--max-error-rate", "1")
    assert whole.returncode == 0, whole.stderr
    for parts in (1, 2, 8):
        done = job(store, f"{url}/*.jsonl", "-o", tmp_path / "out", "--one-index", "--parts", parts, "--force")
        assert done.returncode == 0, done.stderr
        assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")
    assert sorted(os.listdir(tmp_path)) == ["out", "whole"]


def test_the_result_is_put_into_the_store(store, documents, tmp_path):
    url = store.put(documents, "jobs/in")
    assert store.spillway("index", documents, "-o", tmp_path / "whole", "--max-error-rate", "1").returncode == 0
    words = [url, "-o", f"s3://{BUCKET}/jobs/one.index", "--one-index", "--parts", 3, "--stage", tmp_path / "stage"]
    done = job(store, *words)
    assert done.returncode == 0, done.stderr
    assert store.files("jobs/one.index") == files_of(tmp_path / "whole")
    again = job(store, *words)
    assert again.returncode == 2 and "jobs/one.index/manifest exists" in again.stderr
    assert job(store, url, "-o", tmp_path / "shards", "--parts", 3).returncode == 0
    done = job(store, url, "-o", f"s3://{BUCKET}/jobs/shards", "--parts", 3, "--stage", tmp_path / "stage")
    assert done.returncode == 0, done.stderr
    local = {
        str(path.relative_to(tmp_path / "shards")): path.read_bytes()
        for path in (tmp_path / "shards").rglob("*")
        if path.is_file()
    }
    put = store.files("jobs/shards")
    assert {name: put[name] for name in put if name != "job.json"} == {
        name: local[name] for name in local if name != "job.json"
    }
    puts = [line.split()[1] for line in store.proxy.requests if line.startswith(("PUT ", "POST ")) and "/jobs/shards/" in line]
    assert puts[-1].partition("?")[0].endswith("/job.json")
    fewer = [url, "-o", f"s3://{BUCKET}/jobs/shards", "--parts", 2, "--stage", tmp_path / "stage"]
    assert "--force replaces it" in job(store, *fewer).stderr
    done = job(store, *fewer, "--force")
    assert done.returncode == 0, done.stderr
    files = store.files("jobs/shards")
    place = files.pop("current").decode().strip() + "/"
    names = {name.removeprefix(place).partition("/")[0] for name in files}
    assert names == {"job.json", "00000.index", "00001.index"} and all(name.startswith(place) for name in files)


def test_what_cannot_be_put_is_told_and_kept(store, documents, tmp_path):
    url = store.put(documents, "jobs/in")
    words = [url, "-o", f"s3://{BUCKET}/jobs/late.index", "--one-index", "--parts", 2, "--stage", tmp_path / "stage"]
    store.proxy.refuse = lambda request: request.startswith((b"PUT", b"POST")) and b"/late.index/" in request.split(b"\r\n")[0]
    store.proxy.refusal = BAD_REQUEST
    failed = job(store, *words)
    assert failed.returncode == 2 and "jobs/late.index/" in failed.stderr and "cannot put" in failed.stderr
    assert "Traceback" not in failed.stderr and store.keys("jobs/late.index") == []
    store.proxy.refuse = lambda request: False
    done = job(store, *words)
    assert done.returncode == 0 and "(2 done before)" in done.stdout, done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_object_that_changes_between_the_listing_and_a_task(store, documents, tmp_path):
    url = store.put(documents, "jobs/changing")
    script = """
import sys
from spillway.spark import LocalLauncher, run_index_job
from spillway.spark import driver, task
from spillway.spark.errors import JobError
from pyarrow import fs
real = driver.list_inputs
def change(paths):
    files = real(paths)
    with fs.FileSystem.from_uri(sys.argv[1])[0].open_output_stream(sys.argv[1][5:] + "/b.jsonl") as out: out.write(b"{}")
    return files
driver.list_inputs = change
try: run_index_job([sys.argv[1]], sys.argv[2], LocalLauncher(1, memory=128 << 20), parts=2, program=sys.argv[3])
except JobError as error: print(error)
"""
    words = [sys.executable, "-c", script, url, str(tmp_path / "out"), str(PROGRAM)]
    done = subprocess.run(words, env=store.environment, capture_output=True, text=True)
    assert f"the input {url}/b.jsonl changed since the job began" in done.stdout, done.stderr
    assert not (tmp_path / "out").exists()
