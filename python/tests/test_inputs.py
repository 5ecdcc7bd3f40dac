"""Every kind of input makes the bytes that the program makes of JSON lines."""

import sqlite3

import pytest
from conftest import digest, program

import spillway


@pytest.fixture
def expected(tmp_path, jsonl):
    made = program("index", jsonl, "-o", tmp_path / "expected.index", "--positions", "--store", "text")
    assert made.returncode == 0, made.stderr
    return digest(tmp_path / "expected.index")


def made_of(inputs, path, **options):
    report = spillway.index(inputs, path, positions=True, store="text", progress=False, **options)
    assert report.documents == 2000 and report["records_in"] == 2000
    return digest(path)


def as_columns(documents):
    names = ("id", "title", "text", "url", "date")
    return {n: [None if (v := row.get(n)) is None else str(v) for row in documents] for n in names}


def test_jsonl(tmp_path, jsonl, expected):
    assert made_of(jsonl, tmp_path / "i") == expected
    assert made_of([str(jsonl)], tmp_path / "j", memory="64M", threads=1) == expected


def test_dicts_and_mappings(tmp_path, documents, expected):
    import collections

    assert made_of(documents, tmp_path / "list") == expected
    assert made_of((dict(row) for row in documents), tmp_path / "generator", memory="64M") == expected
    assert made_of(map(collections.UserDict, documents), tmp_path / "mappings") == expected
    assert made_of([{**row, "url": row.get("url", float("nan"))} for row in documents], tmp_path / "nan") == expected


def test_tuples(tmp_path, documents):
    pairs = [(row["id"], row.get("text")) for row in documents if "text" in row]
    spillway.index(pairs, tmp_path / "pairs", progress=False)
    spillway.index([{"id": i, "text": t} for i, t in pairs], tmp_path / "dicts", progress=False)
    spillway.index([(i, None, t) for i, t in pairs], tmp_path / "triples", progress=False)
    assert digest(tmp_path / "pairs") == digest(tmp_path / "dicts") == digest(tmp_path / "triples")


def test_pyarrow(tmp_path, documents, expected):
    pa = pytest.importorskip("pyarrow")
    table = pa.table(as_columns(documents))
    assert made_of(table, tmp_path / "table") == expected
    assert made_of(table.to_reader(max_chunksize=7), tmp_path / "reader", memory="64M") == expected
    sliced = pa.concat_tables([table.slice(0, 1001), table.slice(1001)])
    assert made_of(sliced, tmp_path / "sliced") == expected
    for kind in (pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view(), pa.binary_view()):
        cast = table.cast(pa.schema([(name, kind) for name in table.column_names]))
        assert made_of(cast, tmp_path / f"cast-{kind}") == expected, kind
    coded = table.set_column(4, "date", table["date"].dictionary_encode())
    assert made_of(coded, tmp_path / "dictionary") == expected


def test_integer_ids(tmp_path):
    pa = pytest.importorskip("pyarrow")
    texts = ["one", "two", "three"]
    spillway.index([{"id": i, "text": t} for i, t in enumerate(texts)], tmp_path / "rows", progress=False)
    for kind in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()):
        path = tmp_path / str(kind)
        spillway.index(pa.table({"id": pa.array(range(3), kind), "text": texts}), path, progress=False)
        assert digest(path) == digest(tmp_path / "rows")
    big = pa.table({"id": pa.array([2**64 - 1], pa.uint64()), "text": ["x"]})
    spillway.index(big, tmp_path / "big", progress=False)
    assert spillway.Index(tmp_path / "big").document(0)["id"] == str(2**64 - 1)


def test_data_frames(tmp_path, documents, expected):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = as_columns(documents)
    assert made_of(pl.DataFrame(columns), tmp_path / "polars") == expected
    if hasattr(pd.DataFrame, "__arrow_c_stream__"):
        assert made_of(pd.DataFrame(columns), tmp_path / "pandas") == expected


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_parquet(tmp_path, documents, expected, compression):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"other": list(range(2000)), **as_columns(documents)})
    folder = tmp_path / "parquet"
    folder.mkdir()
    pq.write_table(table.slice(0, 700), folder / "a.parquet", compression=compression, row_group_size=100)
    pq.write_table(table.slice(700), folder / "b.parquet", compression=compression)
    assert made_of(folder, tmp_path / "folder") == expected
    assert made_of([folder / "a.parquet", folder / "b.parquet"], tmp_path / "files") == expected
    made = program("index", folder, "-o", tmp_path / "program", "--positions", "--store", "text", "--memory", "64M")
    assert made.returncode == 0, made.stderr
    assert digest(tmp_path / "program") == expected
    with pa.ipc.new_file(tmp_path / "table.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=300)
    assert made_of(tmp_path / "table.arrow", tmp_path / "ipc") == expected


def test_parquet_and_other_files_are_refused_together(tmp_path, jsonl):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": ["x"], "text": ["y"]}), tmp_path / "a.parquet")
    with pytest.raises(spillway.UsageError, match="merge the indexes"):
        spillway.index([tmp_path / "a.parquet", jsonl], tmp_path / "i", progress=False)
    made = program("index", tmp_path / "a.parquet", jsonl, "-o", tmp_path / "i")
    assert made.returncode == 2 and "merge the indexes" in made.stderr


def test_named_fields(tmp_path):
    rows = [{"docno": 1, "abstract": "about sorting", "head": "H"}]
    spillway.index(rows, tmp_path / "i", id="docno", text=["body", "abstract"], title="head", progress=False)
    index = spillway.Index(tmp_path / "i")
    assert index.doc("1")["title"] == "H" and len(index.postings("sorting")[0]) == 1


def test_generators_run_in_the_calling_thread(tmp_path):
    connection = sqlite3.connect(":memory:")  # refuses other threads
    connection.execute("create table docs (id text, text text)")
    connection.executemany("insert into docs values (?, ?)", [(str(i), f"text {i}") for i in range(100)])
    rows = connection.execute("select id, text from docs")
    assert spillway.index(rows, tmp_path / "i", progress=False).documents == 100


def test_broken_text_is_repaired_and_counted(tmp_path):
    report = spillway.index([("a", "bad \ud800 surrogate"), ("b", b"bad \xff byte")], tmp_path / "i", store="text", progress=False)
    assert report.repaired == 2
    index = spillway.Index(tmp_path / "i")
    assert index.doc("a")["text"] == "bad \ufffd surrogate" and index.doc("b")["text"] == "bad \ufffd byte"


def test_long_documents_and_small_budgets(tmp_path):
    long = " ".join(f"word{i}" for i in range(300_000))
    rows = [{"id": str(i), "text": long[: 100_000 * i]} for i in range(20)]
    import json

    path = tmp_path / "long.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    spillway.index(path, tmp_path / "files", progress=False)
    spillway.index(rows, tmp_path / "rows", memory="64M", progress=False)
    assert digest(tmp_path / "files") == digest(tmp_path / "rows")


def test_append_and_merge(tmp_path, documents, expected):
    spillway.index(documents[:1200], tmp_path / "grown", positions=True, store="text", progress=False)
    report = spillway.append(tmp_path / "grown", documents[1200:], progress=False)
    assert report.documents == 800 and digest(tmp_path / "grown") == expected
    spillway.index(documents[:1200], tmp_path / "a", positions=True, store="text", progress=False)
    spillway.index(documents[1200:], tmp_path / "b", positions=True, store="text", progress=False)
    merged = spillway.merge([tmp_path / "a", tmp_path / "b"], tmp_path / "ab", progress=False)
    assert merged.documents == 2000 and digest(tmp_path / "ab") == expected
    assert spillway.verify(tmp_path / "ab")["documents"] == 2000
