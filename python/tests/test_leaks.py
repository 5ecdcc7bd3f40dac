"""Calls leave nothing behind: the live heap, the resident set, Python's blocks and the reference counts of arguments stay
flat.

`tools/test_python -k leaks --leak-calls=1000000` makes a million of each call, and a thousandth as many jobs.
"""

import ctypes
import gc
import mmap
import os
import sys
from array import array
from typing import NamedTuple

import pytest

import spillway

QUARTERS = 4


class Mallinfo2(ctypes.Structure):
    NAMES = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    _fields_ = [(name, ctypes.c_size_t) for name in NAMES]


libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Mallinfo2
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]


class Held(NamedTuple):
    """What the process holds: bytes of malloc and pyarrow that are not freed, pages in memory, and Python's blocks."""

    heap_bytes: int
    resident_bytes: int
    blocks: int


def held():
    gc.collect()
    info = libc.mallinfo2()
    arrow = sys.modules.get("pyarrow")
    with open("/proc/self/statm") as pages:
        resident = int(pages.read().split()[1]) * mmap.PAGESIZE
    return Held(
        info.uordblks + info.hblkhd + (arrow.total_allocated_bytes() if arrow else 0), resident, sys.getallocatedblocks()
    )


def expect_flat(name, call, count, heap_bytes=16):
    """Makes a warm-up and four quarters of `count` calls, and expects that what is held does not grow steadily.

    A leak grows in every quarter. Arenas of malloc, which keep what threads had, and caches fill up in some of them, so the
    least growth counts, and what is live is told from what is resident. Allowed are `heap_bytes` bytes and a tenth of a block
    of Python a call, beside 2 KiB and 2 blocks; and 16 bytes a call or 512 KiB of resident memory. Over all quarters
    together, the live heap may not grow by more than 2 MiB or 16 bytes a call.
    """
    quarter = count // QUARTERS
    for _ in range(max(count // 10, 20)):
        call()
    # Numbers in an array: as objects, those of a mark would be five blocks of Python themselves.
    numbers = array("q", held() * (QUARTERS + 1))
    of_mark = len(Held._fields)
    for mark in range(QUARTERS + 1):
        numbers[mark * of_mark : (mark + 1) * of_mark] = array("q", held())
        for _ in range(quarter if mark < QUARTERS else 0):
            call()
    marks = [Held(*numbers[at : at + of_mark]) for at in range(0, len(numbers), of_mark)]
    growths = [[after - before for before, after in zip(a, b)] for a, b in zip(marks, marks[1:])]
    least = Held(*(min(of_one) for of_one in zip(*growths)))
    print(f"{name}: {count} calls, least growth of a quarter {least}, of all {growths}")
    assert least.heap_bytes <= 2048 + heap_bytes * quarter, (name, growths)
    assert least.blocks <= 2 + quarter // 10, (name, growths)
    assert least.resident_bytes <= max(512 << 10, 16 * quarter), (name, growths)
    assert marks[-1].heap_bytes - marks[0].heap_bytes <= max(2 << 20, 16 * count), (name, growths)


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
    jobs = {
        "index rows": lambda: spillway.index(rows, path, **options),
        "index table": lambda: spillway.index(table, path, **options),
        "index file": lambda: spillway.index(_parquet(tmp_path, table), path, **options),
        "failing job": fail,
        "merge": lambda: spillway.merge([path], tmp_path / "m", **options),
    }
    for name, job in jobs.items():
        expect_flat(name, job, count, heap_bytes=256)


def leak_pages(kept):
    pages = mmap.mmap(-1, 64 << 10)
    pages.write(bytes(64 << 10))
    kept.append(pages)


LEAKS = {
    "1 KiB of the heap": lambda kept: libc.malloc(1024),
    "a large block": lambda kept: libc.malloc(1 << 20),
    "an object": lambda kept: kept.append(object()),
    "pages": leak_pages,
}


@pytest.mark.parametrize("name", LEAKS)
def test_leaks_of_few_jobs_are_found(tmp_path, name):
    kept = []

    def job():
        spillway.index([{"id": "a", "text": "b"}], tmp_path / "l", progress=False, force=True)
        LEAKS[name](kept)

    with pytest.raises(AssertionError, match="leaking job"):
        expect_flat("leaking job", job, 40, heap_bytes=256)


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
    # Five jobs or 300 calls that leak a reference each would show. Others use None and the type of the index, too.
    allowed = [2] * (len(held) - 2) + [50, 50]
    assert all(abs(a - b) <= most for a, b, most in zip(after, before, allowed)), (before, after)


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
