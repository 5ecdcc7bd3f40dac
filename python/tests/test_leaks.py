"""Calls leave nothing behind: the resident set, Python's blocks and the reference counts of arguments stay flat.

`tools/test_python -k leaks --leak-calls=1000000` makes a million of each call, and a thousandth as many jobs.
"""

import gc
import os
import sys

import pytest

import spillway


def resident_kibibytes() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def expect_flat(name, call, count, per_call=0.5):
    """Expects fewer than one block of Python in two calls, and at most 2 MiB or 16 bytes a call of memory, after a warm-up."""
    for _ in range(max(count // 10, 5)):
        call()
    gc.collect()
    blocks, resident = sys.getallocatedblocks(), resident_kibibytes()
    for _ in range(count):
        call()
    gc.collect()
    more_blocks, more_kibibytes = sys.getallocatedblocks() - blocks, resident_kibibytes() - resident
    print(f"{name}: {count} calls, {more_blocks:+} blocks, {more_kibibytes:+} KiB")
    assert more_blocks < per_call * count + 100, name
    assert more_kibibytes <= max(2048, 16 * count >> 10), name


@pytest.fixture
def index(tmp_path, documents):
    spillway.index(documents, tmp_path / "i", positions=True, store="text", progress=False)
    return spillway.Index(tmp_path / "i")


def failing(index):
    with pytest.raises(spillway.UsageError):
        index.search('"open phrase')


CALLS = {
    "search": lambda index: index.search("out +core term5"),
    "search_plain": lambda index: index.search("strings memory", 3, plain=True).ids,
    "postings": lambda index: index.postings("term5"),
    "no_postings": lambda index: index.postings("nothinglikethis"),
    "positions": lambda index: index.positions("term5"),
    "doc": lambda index: index.doc("doc-7"),
    "find": lambda index: index.find("doc-7"),
    "analyze": lambda index: index.analyze("Grüße, 日本語の文章"),
    "failing": failing,
}


@pytest.mark.parametrize("name", CALLS)
def test_searches(index, name, leak_calls):
    expect_flat(name, lambda: CALLS[name](index), leak_calls)


def test_search_many(index, leak_calls):
    queries = ["out of core", "term5", "nothinglikethis"]
    expect_flat("search_many", lambda: index.search_many(queries, 5, 2).to_trec(), max(leak_calls // 20, 100))


def test_opening(tmp_path, index, leak_calls):
    expect_flat("open", lambda: spillway.Index(tmp_path / "i").search("core"), max(leak_calls // 20, 100))


def test_sort_strings(leak_calls):
    pa = pytest.importorskip("pyarrow")
    words = ["b", "a", b"c", "é"]
    array = pa.array(["b", "a", None, "c"])
    expect_flat("sort_strings", lambda: spillway.sort_strings(words), leak_calls)
    expect_flat("order_strings", lambda: spillway.order_strings(array), leak_calls)


def test_jobs(tmp_path, leak_calls):
    pa = pytest.importorskip("pyarrow")
    rows = [{"id": str(i), "text": f"some text {i}"} for i in range(50)]
    table = pa.Table.from_pylist(rows)
    options = dict(memory="64M", threads=2, progress=False, force=True)

    def fail():
        with pytest.raises(ZeroDivisionError):
            spillway.index((1 / 0 for _ in range(3)), tmp_path / "no", **options)

    count = max(leak_calls // 1000, 40)
    path = tmp_path / "j"
    # A job's threads come and go, and the allocator keeps some of what they had.
    expect_flat("index rows", lambda: spillway.index(rows, path, **options), count, per_call=2)
    expect_flat("index table", lambda: spillway.index(table, path, **options), count, per_call=2)
    expect_flat("index file", lambda: spillway.index(_parquet(tmp_path, table), path, **options), count, per_call=2)
    expect_flat("failing job", fail, count, per_call=2)
    expect_flat("merge", lambda: spillway.merge([path], tmp_path / "m", **options), count, per_call=2)


def _parquet(folder, table):
    path = folder / "t.parquet"
    if not path.exists():
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, path, row_group_size=10)
    return path


def test_references(tmp_path, index):
    """The counts of arguments, and of what is shared, are the same after many calls."""
    query, term, words = "".join(["out of", " core"]), "".join(["term", "5"]), ["b", "a"]
    row = {"id": "".join(["r", "1"]), "text": "".join(["some", " text"])}
    held = [query, term, words, row, row["text"], index, None, spillway.Index]

    def counts():
        gc.collect()
        return [sys.getrefcount(one) for one in held]

    def work():
        for _ in range(300):
            index.search(query), index.postings(term), index.positions(term), spillway.sort_strings(words)
            index.search_many([query], 3, 2)
        for _ in range(5):
            spillway.index([row] * 20, tmp_path / "r", duplicate_ids="keep", progress=False, force=True)

    work()
    before = counts()
    work()
    after = counts()
    assert all(abs(a - b) < 50 for a, b in zip(after, before)), (before, after)


def test_open_files_and_threads(tmp_path, index):
    def counts():
        return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

    def work():
        for _ in range(20):
            spillway.index([("a", "b")], tmp_path / "k", progress=False, force=True)
            spillway.Index(tmp_path / "k").search("b")

    work()
    before = counts()
    work()
    assert counts() == before
