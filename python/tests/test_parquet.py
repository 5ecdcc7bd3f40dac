"""Row groups that the engine reads itself give the index that pyarrow's batches give."""

import random

import pytest
from conftest import digest

import spillway
from spillway import _columns

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.skipif(not _columns._has_views(), reason="this pyarrow has no views of texts")


def table_of(rows: int = 3000, seed: int = 7) -> "pa.Table":
    """Texts that are long, short, empty, missing, repeated and of any script; ids that are numbers."""
    values = random.Random(seed)
    words = [f"word{i}" for i in range(500)] + ["Grüße", "日本語の文章", "ไทย", "a-word-that-is-longer-than-twelve-bytes"]

    def text() -> str | None:
        kind = values.random()
        if kind < 0.1:
            return None
        return "" if kind < 0.15 else " ".join(values.choices(words, k=values.choice([1, 2, 3, 60, 400])))

    texts = [text() or "never empty" if i % 5 == 0 else text() for i in range(rows)]
    titles = [values.choice(["same title", "another title that is long", None]) for _ in range(rows)]
    body = [None if i % 11 == 0 else {"lang": "en", "text": text()} for i in range(rows)]
    return pa.table(
        {
            "id": pa.array(range(10**12, 10**12 + rows), pa.int64()),
            "short": pa.array(range(rows), pa.int32()),
            "title": titles,
            "text": texts,
            "other": [f"other {i}" for i in range(rows)],
            "doc": pa.array(body, pa.struct({"lang": pa.string(), "text": pa.large_string()})),
        }
    )


SHAPES = {
    "zstd": dict(compression="zstd"),
    "gzip": dict(compression="gzip"),
    "none": dict(compression="none"),
    "snappy": dict(compression="snappy"),
    "brotli": dict(compression="brotli"),
    "snappy, pages 2.0": dict(compression="snappy", data_page_version="2.0"),
    "snappy, small pages": dict(compression="snappy", data_page_size=4096, write_batch_size=16, write_page_checksum=True),
    "zstd, pages 2.0": dict(compression="zstd", data_page_version="2.0"),
    "none, pages 2.0": dict(compression="none", data_page_version="2.0"),
    "plain": dict(compression="zstd", use_dictionary=False),
    "small pages": dict(compression="zstd", data_page_size=4096, write_batch_size=16),
    "dictionaries that end": dict(compression="zstd", dictionary_pagesize_limit=2048, write_batch_size=16, data_page_size=4096),
    "with CRCs": dict(compression="zstd", write_page_checksum=True),
}
BY_PYARROW = {
    "lz4": dict(compression="lz4"),
    "deltas": dict(compression="zstd", use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY"}),
}
FIELDS = dict(progress=False, max_error_rate=1)


def read_by_engine(path, text: str = "text", id: str = "id") -> bool:
    """Whether the engine reads all row groups."""
    names = {"id": [id], "title": ["title"], "text": [text], "url": [], "date": []}
    files = _columns.ColumnFiles([(str(path), "parquet")], names, 2)
    metadata = pq.read_metadata(path)
    chunks = _columns._Chunks(metadata, files._columns_of((str(path), "parquet")), files.schema)
    found = [chunks.of(group) for group in range(metadata.num_row_groups)]
    return all(group is not None for group in found)


@pytest.mark.parametrize("shape", [*SHAPES, *BY_PYARROW])
def test_shapes_of_files(tmp_path, shape):
    table, path = table_of(), tmp_path / "t.parquet"
    pq.write_table(table, path, row_group_size=700, **{**SHAPES, **BY_PYARROW}[shape])
    assert read_by_engine(path) == (shape in SHAPES)
    spillway.index(table.select(["id", "title", "text"]), tmp_path / "expected", store="text", **FIELDS)
    report = spillway.index(path, tmp_path / "found", store="text", **FIELDS)
    assert report.documents > 2000 and digest(tmp_path / "found") == digest(tmp_path / "expected")
    spillway.index(path, tmp_path / "little", store="text", memory="64M", threads=1, **FIELDS)
    assert digest(tmp_path / "little") == digest(tmp_path / "expected")


@pytest.mark.parametrize("shape", ["zstd", "zstd, pages 2.0", "small pages"])
def test_members_of_structs_and_short_numbers(tmp_path, shape):
    table, path = table_of(), tmp_path / "t.parquet"
    pq.write_table(table, path, row_group_size=700, **SHAPES[shape])
    assert read_by_engine(path, "doc.text", "short")
    options = dict(text="doc.text", id="short", **FIELDS)
    spillway.index(table, tmp_path / "expected", **options)
    spillway.index(path, tmp_path / "found", **options)
    assert digest(tmp_path / "found") == digest(tmp_path / "expected")


def test_columns_without_nulls_and_of_other_types(tmp_path):
    texts = [f"some text {i} " * (i % 9) for i in range(500)]
    schema = pa.schema([pa.field("id", pa.string(), nullable=False), pa.field("text", pa.binary(), nullable=False)])
    ids = [f"an-id-that-is-longer-than-twelve-{i}" for i in range(500)]
    table = pa.table([ids, [text.encode() for text in texts]], schema=schema)
    pq.write_table(table, tmp_path / "t.parquet", compression="zstd")
    assert read_by_engine(tmp_path / "t.parquet")
    numbers = pa.table({"id": pa.array(range(500), pa.int16()), "text": pa.array(texts).dictionary_encode()})
    pq.write_table(numbers, tmp_path / "n.parquet", compression="zstd")
    assert not read_by_engine(tmp_path / "n.parquet")
    for given, path in ((table, "t.parquet"), (numbers, "n.parquet")):
        spillway.index(given, tmp_path / "expected", force=True, **FIELDS)
        spillway.index(tmp_path / path, tmp_path / "found", force=True, **FIELDS)
        assert digest(tmp_path / "found") == digest(tmp_path / "expected")


def test_files_with_and_without_the_engine_mix(tmp_path):
    table = table_of()
    (tmp_path / "in").mkdir()
    pq.write_table(table.slice(0, 1000), tmp_path / "in/a.parquet", compression="zstd")
    pq.write_table(table.slice(1000, 1000), tmp_path / "in/b.parquet", compression="lz4")
    with pa.OSFile(str(tmp_path / "in/c.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.slice(2000))
    spillway.index(table.select(["id", "title", "text"]), tmp_path / "expected", **FIELDS)
    spillway.index(tmp_path / "in", tmp_path / "found", **FIELDS)
    assert digest(tmp_path / "found") == digest(tmp_path / "expected")


@pytest.mark.parametrize("compression", ["none", "zstd", "snappy"])
def test_damaged_pages_end_the_job(tmp_path, compression):
    """Each of many changed bytes gives an error that names the file and the column, or changes nothing."""
    table, path = table_of(400), tmp_path / "t.parquet"
    pq.write_table(table, path, compression=compression, write_page_checksum=True)
    whole = path.read_bytes()
    chunk = pq.read_metadata(path).row_group(0).column(3)
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    spillway.index(path, tmp_path / "expected", **FIELDS)
    places = random.Random(3).sample(range(begin, begin + chunk.total_compressed_size), 40)
    refused = 0
    for at in places:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            spillway.index(path, tmp_path / "i", force=True, **FIELDS)
            assert digest(tmp_path / "i") == digest(tmp_path / "expected"), at  # statistics in a header
        except spillway.InputOutputError as error:
            assert "t.parquet: cannot read row group 0: column 'text'" in str(error)
            refused += 1
    assert refused > 30


def test_a_file_that_is_cut_ends_the_job(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(table_of(), path, row_group_size=700, compression="zstd")
    files = _columns.ColumnFiles([(str(path), "parquet")], {"id": ["id"], "title": [], "text": ["text"]}, 2)
    units = list(files._units())
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(spillway.Error, match="t.parquet"):
        for unit in units:
            list(unit())


def test_a_footer_with_a_name_that_is_no_text_ends_the_job(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": ["1"], "text": ["out of core"]}), path, store_schema=False)
    damaged = bytearray(path.read_bytes())
    damaged[damaged.rindex(b"text")] = 0xFF  # in the row group, where the schema's name is as before
    path.write_bytes(damaged)
    with pytest.raises(spillway.InputOutputError, match="t.parquet: cannot read row group 0: 'utf-8' codec"):
        spillway.index(path, tmp_path / "i", progress=False)


def test_a_footer_with_a_negative_number_ends_the_job():
    chunks = [("text", 0, 1, 1, -4, 50, 60)]
    with pytest.raises(spillway.InputOutputError, match="cannot read row group 7: its footer has the number -4 there"):
        next(_columns._read_by_engine("t.parquet", 7, chunks, 3, 3, None))
