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


def test_what_writers_of_tables_put_beside_the_data_is_left_out(tmp_path, jsonl):
    """As Spark does: `_SUCCESS` and footers of all files. The rows of a footer are not taken for those of its own file."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"id": [str(i) for i in range(2000)], "text": [f"some text {i}" for i in range(2000)]})
    footers = []
    pq.write_to_dataset(table, tmp_path / "in", metadata_collector=footers)
    for name in ("_metadata", "_SUCCESS", "_temporary/0/part.parquet"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(b"")
    pq.write_metadata(table.schema, tmp_path / "in/_metadata", metadata_collector=footers)
    assert made_of(tmp_path / "in", tmp_path / "i") == made_of(table, tmp_path / "expected")
    made = program("index", tmp_path / "in", "-o", tmp_path / "program", "--positions", "--store", "text")
    assert made.returncode == 0 and digest(tmp_path / "program") == digest(tmp_path / "expected")
    with pytest.raises(spillway.UsageError, match="_metadata: its footer is that of other files, such as '.*parquet'"):
        spillway.index(tmp_path / "in/_metadata", tmp_path / "no", progress=False)
    for name in ("_b.parquet", "_day=1/c.parquet"):  # names of data, too
        (tmp_path / "in" / name).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"id": [name], "text": ["more text"]}), tmp_path / "in" / name)
    assert spillway.index(tmp_path / "in", tmp_path / "all", progress=False).documents == 2002
    (tmp_path / "lines").mkdir()
    jsonl.rename(tmp_path / "lines" / "_docs.jsonl")  # a directory of other files has all of them
    (tmp_path / "lines" / "more.jsonl").write_text('{"id": "m", "text": "more"}\n')
    assert spillway.index(tmp_path / "lines", tmp_path / "j", progress=False, max_error_rate=1).documents > 1000


def test_nested_names(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    texts = [None if i % 7 == 0 else f"text number {i}" for i in range(500)]
    flat = [{"id": str(i), "title": f"T{i}", "text": text} for i, text in enumerate(texts)]
    spillway.index(flat, tmp_path / "flat", progress=False)

    def nest(row):
        doc = None if row["text"] is None else {"body": {"text": row["text"], "x": 1}}
        return {"key": {"id": row["id"]}, "doc": doc, "title": row["title"]}

    nested = [nest(row) for row in flat]
    table = pa.Table.from_pylist(nested)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=90)
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table, max_chunksize=90)
    sources = dict(parquet=tmp_path / "a.parquet", ipc=tmp_path / "a.arrow", table=table, slice=table.slice(0), dicts=nested)
    for name, source in sources.items():
        spillway.index(source, tmp_path / name, id="key.id", text="doc.body.text", progress=False)
        assert digest(tmp_path / name) == digest(tmp_path / "flat"), name
    words = ("--id-field", "key.id", "--text-field", "doc.body.text", "-o", tmp_path / "program")
    made = program("index", tmp_path / "a.parquet", *words)
    assert made.returncode == 0, made.stderr
    assert digest(tmp_path / "program") == digest(tmp_path / "flat")
    with pytest.raises(spillway.UsageError, match="one of its members: 'doc.body.text', 'doc.body.x'"):
        spillway.index(tmp_path / "a.parquet", tmp_path / "no", id="key.id", text="doc", progress=False)
    with pytest.raises(spillway.UsageError, match="expected a column of ids named 'id'.* found 'key.id', 'doc.body"):
        spillway.index(tmp_path / "a.parquet", tmp_path / "no", id="id", text="doc.body.text", progress=False)


def test_only_named_columns_are_read(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    rows = [{"id": str(i), "doc": {"text": f"text {i}", "html": f"<p>{i}"}, "picture": f"bytes {i}"} for i in range(1000)]
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=300, compression="zstd", use_dictionary=False)
    spillway.index(path, tmp_path / "whole", text="doc.text", progress=False)
    data = bytearray(path.read_bytes())
    metadata = pq.read_metadata(path)
    spoiled = 0
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema in ("doc.html", "picture"):
                begin, size = column.data_page_offset, column.total_compressed_size
                data[begin : begin + size] = b"\xff" * size
                spoiled += 1
    path.write_bytes(data)
    assert spoiled == 8
    spillway.index(path, tmp_path / "spoiled", text="doc.text", progress=False)
    assert digest(tmp_path / "spoiled") == digest(tmp_path / "whole")
    with pytest.raises(OSError, match=r"a\.parquet: cannot read row group 0: "):
        spillway.index(path, tmp_path / "no", text="doc.html", progress=False)
    path.write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
    with pytest.raises(spillway.InputOutputError, match=r"a\.parquet: cannot read its columns: "):
        spillway.index(path, tmp_path / "no", progress=False)


@pytest.mark.parametrize("threads", [1, 2, 9])
def test_row_groups_keep_their_order(tmp_path, documents, expected, threads):
    """Row groups of very different sizes, many more than threads, some of them empty."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table(as_columns(documents))
    borders = [0, 1, 1, 2, 700, 701, 720, 1400, 1400, 1999, 2000]
    for number, (files_begin, files_end) in enumerate([(0, 5), (5, 8), (8, 10)]):
        with pq.ParquetWriter(tmp_path / f"{number}.parquet", table.schema) as writer:
            for begin, end in zip(borders[files_begin:files_end], borders[files_begin + 1 : files_end + 1]):
                writer.write_table(table.slice(begin, end - begin))
    files = [tmp_path / f"{number}.parquet" for number in range(3)]
    assert made_of(files, tmp_path / "i", threads=threads, memory="96M") == expected


def test_errors_in_later_files_of_columns(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": ["x"], "text": ["y"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": ["z"], "title": ["y"]}), tmp_path / "b.parquet")
    with pytest.raises(spillway.UsageError, match=r"b\.parquet: expected the columns \['id', 'text'\] of .*a\.parquet"):
        spillway.index([tmp_path / "a.parquet", tmp_path / "b.parquet"], tmp_path / "i", progress=False)
    made = program("index", tmp_path / "a.parquet", tmp_path / "b.parquet", "-o", tmp_path / "i")
    assert made.returncode == 2 and "expected the columns ['id', 'text']" in made.stderr
    other = pa.table({"id": pa.array([7], pa.int64()), "text": pa.array(["y"], pa.large_string())})
    pq.write_table(other, tmp_path / "c.parquet")
    report = spillway.index([tmp_path / "a.parquet", tmp_path / "c.parquet"], tmp_path / "i", progress=False)
    assert report.documents == 2 and spillway.Index(tmp_path / "i").doc("7")["number"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parquet", "c.parquet", "i"]


def test_named_tuples(tmp_path):
    import collections

    page = collections.namedtuple("page", ["docno", "url", "body", "title", "other"])
    rows = [page(f"d{i}", "u", f"text {i}", "t", object()) for i in range(10)]
    spillway.index(rows, tmp_path / "named", id="docno", progress=False)
    dicts = [{"id": row.docno, "url": row.url, "text": row.body, "title": row.title} for row in rows]
    spillway.index(dicts, tmp_path / "dicts", progress=False)
    assert digest(tmp_path / "named") == digest(tmp_path / "dicts")


def test_hugging_face(tmp_path, documents, expected, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict(as_columns(documents))
    assert made_of(dataset, tmp_path / "memory") == expected
    dataset.to_parquet(str(tmp_path / "a.parquet"))
    file = str(tmp_path / "a.parquet")
    loaded = datasets.load_dataset("parquet", data_files=file, split="train", cache_dir=str(tmp_path / "cache"))
    assert made_of(loaded, tmp_path / "mapped", memory="64M") == expected
    streamed = datasets.load_dataset("parquet", data_files=file, split="train", streaming=True)
    assert made_of(streamed, tmp_path / "streamed") == expected
    picked = dataset.select(range(1999, -1, -1)).select(range(1999, -1, -1))  # rows by an index of numbers
    assert made_of(picked, tmp_path / "picked") == expected
    rows = [{"id": row["id"], "text": row["text"]} for row in documents[10:17]]
    generated = datasets.IterableDataset.from_generator(lambda: iter(rows))
    spillway.index(generated, tmp_path / "generated", progress=False)
    spillway.index(rows, tmp_path / "rows", progress=False)
    assert digest(tmp_path / "generated") == digest(tmp_path / "rows")
    pictures = datasets.Dataset.from_list([{"id": row["id"], "doc": {"text": row["text"]}, "other": [1, 2]} for row in rows])
    spillway.index(pictures, tmp_path / "nested", text="doc.text", progress=False)
    assert digest(tmp_path / "nested") == digest(tmp_path / "rows")
    with pytest.raises(TypeError, match="name one of 'train', 'test'"):
        spillway.index(datasets.DatasetDict(train=dataset, test=dataset), tmp_path / "no", progress=False)
    with pytest.raises(spillway.UsageError, match="expected a column of ids named 'docno'.* found"):
        spillway.index(dataset, tmp_path / "no", id="docno", progress=False)


def test_duckdb(tmp_path, documents, expected):
    pa, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    table = pa.table({**as_columns(documents), "place": list(range(2000))})
    connection = duckdb.connect()
    connection.register("docs", table)
    relation = connection.sql("select id, title, text, url, date from docs order by place")
    assert made_of(relation, tmp_path / "relation", memory="64M") == expected
    nested = connection.sql("select id, {'title': title, 'text': text} as doc, url, date from docs order by place")
    assert made_of(nested, tmp_path / "nested", title="doc.title", text="doc.text") == expected


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
    rows = [("a", "bad \ud800 surrogate"), ("b", b"bad \xff byte")]
    report = spillway.index(rows, tmp_path / "i", store="text", progress=False)
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
