"""Search, postings, documents and sorts give what the program gives."""

import random
import subprocess
import threading

import pytest
from conftest import program

import spillway


@pytest.fixture
def index(tmp_path, jsonl):
    spillway.index(jsonl, tmp_path / "i", positions=True, store="text", stem="english", progress=False)
    return spillway.Index(tmp_path / "i")


def test_search_equals_the_program(tmp_path, index):
    queries = ["out of core", "strings memory term5", "sorting", "nothinglikethis", "term1 term2 term3"]
    (tmp_path / "queries.tsv").write_text("".join(f"q{i}\t{q}\n" for i, q in enumerate(queries)))
    expected = program("search", tmp_path / "i", "--queries", tmp_path / "queries.tsv", "-k", "50", "--format", "trec").stdout
    names = [f"q{i}" for i in range(len(queries))]
    for threads in (1, 3):
        many = index.search_many(queries, 50, threads)
        assert many.to_trec(query_ids=names) == expected
    many.to_trec(tmp_path / "run.txt", query_ids=names)
    assert (tmp_path / "run.txt").read_text() == expected
    assert [len(hits) for hits in many] == [50, 50, 50, 0, 50]
    one = index.search(queries[1], 50, plain=True)
    assert one.ids == many[1].ids and (one.scores == many[1].scores).all()
    assert one[0].id == one.ids[0] and len(list(one)) == 50


def test_operators(index):
    both = set(index.search("+term5 +out", 3000).ids)
    assert both and not both & set(index.search("+out -term5", 3000).ids)
    assert len(index.search('"do not fit"')) <= 10
    with pytest.raises(spillway.UsageError):
        index.search('"open phrase')


def test_data_frame(index):
    pytest.importorskip("pandas")
    frame = index.search_many(["sorting", "term5"], 5).to_pandas(["a", "b"])
    assert list(frame.columns) == ["qid", "docno", "rank", "score"]
    assert list(frame["qid"]) == ["a"] * 5 + ["b"] * 5 and list(frame["rank"]) == [0, 1, 2, 3, 4] * 2


def test_postings_and_positions(index, documents):
    [term] = index.analyze("sorting")
    found, frequencies = index.postings(term)
    texts = [(row.get("text", "") + " " + row.get("title", "")).split() for row in documents]
    assert list(found) == [i for i, words in enumerate(texts) if "sorting" in words]
    assert list(frequencies) == [words.count("sorting") for words in texts if "sorting" in words]
    numbers, offsets, positions = index.positions(term)
    assert (numbers == found).all() and offsets[-1] == len(positions) == frequencies.sum()
    assert found.dtype == "uint32" and offsets.dtype == "uint64"
    nothing = index.postings("nothinglikethis")
    assert len(nothing[0]) == len(nothing[1]) == 0


def test_arrays_outlive_the_index(tmp_path, jsonl):
    spillway.index(jsonl, tmp_path / "i", progress=False)
    found, _ = spillway.Index(tmp_path / "i").postings("sorting")
    assert found.sum() > 0


def test_documents(index, documents):
    assert len(index) == 2000
    assert index.doc("doc-7")["text"] == documents[7]["text"] and index.doc("12345")["title"] == "a title alone"
    assert index.find("doc-5") == [5] and index.find("no") == []
    assert [d["id"] for d in index.documents()][:3] == ["doc-0", "doc-1", "doc-2"]
    with pytest.raises(KeyError):
        index.doc("no")
    with pytest.raises(spillway.UsageError):
        index.document(2000)


def test_threads_share_an_index(index):
    expected = index.search("out of core sorting", 20).ids
    found = []
    threads = [threading.Thread(target=lambda: found.append(index.search("out of core sorting", 20).ids)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def test_no_positions(tmp_path, jsonl):
    spillway.index(jsonl, tmp_path / "p", progress=False)
    with pytest.raises(spillway.UsageError, match="positions"):
        spillway.Index(tmp_path / "p").positions("sorting")


def test_ciff(tmp_path, index):
    index.export_ciff(tmp_path / "python.ciff")
    assert program("export", tmp_path / "i", "--to", "ciff", "-o", tmp_path / "program.ciff").returncode == 0
    assert (tmp_path / "python.ciff").read_bytes() == (tmp_path / "program.ciff").read_bytes()
    with pytest.raises(spillway.Error):
        index.export_ciff(tmp_path / "python.ciff")


def test_plan(jsonl):
    plan = spillway.plan(jsonl, memory="1G", threads=2)
    assert plan.memory_bytes == 1 << 30 and plan.threads == 2 and "blocks of" in plan.plan


def test_sort_files(tmp_path):
    lines = [f"{random.Random(i).randrange(1000)},{i}" for i in range(20000)]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    spillway.sort(tmp_path / "in.txt", tmp_path / "out.txt", key="1,1n", separator=",", memory="64M")
    words = ["sort", "-t,", "-k1,1n", tmp_path / "in.txt"]
    expected = subprocess.run(words, capture_output=True, text=True, env={"LC_ALL": "C"}).stdout
    assert (tmp_path / "out.txt").read_text() == expected
    spillway.sort([tmp_path / "in.txt"], tmp_path / "in.txt", reverse=True, unique=True)
    assert (tmp_path / "in.txt").read_text().splitlines() == sorted(set(lines), reverse=True)
    with pytest.raises(spillway.Error, match="nokey"):
        spillway.sort(tmp_path / "in.txt", tmp_path / "x.txt", key="nokey")


def test_sort_strings():
    words = [f"w{random.Random(i).randrange(500)}é" for i in range(5000)]
    assert spillway.sort_strings(words) == sorted(words)
    assert spillway.sort_strings([b"b", b"a\0", b"a", b""]) == [b"", b"a", b"a\0", b"b"]
    assert spillway.sort_strings(words, descending=True) == sorted(words, reverse=True)
    assert list(spillway.order_strings(["b", "a", "b"])) == [1, 0, 2]
    assert spillway.sort_strings([]) == []
    with pytest.raises(TypeError):
        spillway.sort_strings(["a", 1])


def test_sort_arrow():
    pa = pytest.importorskip("pyarrow")
    words = [f"w{random.Random(i).randrange(500)}" for i in range(5000)]
    for kind in (pa.string(), pa.large_string(), pa.binary()):
        assert spillway.sort_strings(pa.array(words).cast(kind)).cast(pa.string()).to_pylist() == sorted(words)
    assert list(spillway.order_strings(pa.array(words, pa.string_view()))) == list(spillway.order_strings(words))
    assert spillway.sort_strings(pa.chunked_array([words[:10], words[10:]])).to_pylist() == sorted(words)


@pytest.fixture
def shards(tmp_path, documents):
    """Directories of three indexes, of which one is empty, and an index of all documents."""
    (tmp_path / "shards").mkdir()
    bounds = (0, 0, 700, 2000)
    for number, (begin, end) in enumerate(zip(bounds, bounds[1:])):
        path = tmp_path / f"shards/{number:05}.index"
        spillway.index(documents[begin:end], path, positions=True, store="text", progress=False)
    spillway.index(documents, tmp_path / "whole", positions=True, store="text", progress=False)
    return tmp_path / "shards", spillway.Index(tmp_path / "whole")


def test_a_collection_is_searched_as_the_merged_index(shards):
    directory, whole = shards
    for paths in (directory, sorted(directory.iterdir()), [str(path) for path in sorted(directory.iterdir())]):
        collection = spillway.Collection(paths)
        assert len(collection) == len(whole) == 2000 and len(collection.paths) == 3
        for query in ("out of core", "term5 +sorting", '"out of core" -term7', "日本語", "nothinglikethis"):
            found, expected = collection.search(query, 30), whole.search(query, 30)
            assert (found.ids, found.documents.tolist(), found.scores.tolist()) == (
                expected.ids, expected.documents.tolist(), expected.scores.tolist()
            )  # fmt: skip
    queries = ["term5", "strings memory", "core"]
    assert collection.search_many(queries, 20, 3).to_trec() == whole.search_many(queries, 20, 1).to_trec()
    for number in (0, 699, 700, 1999):
        assert collection.document(number, text=True) == whole.document(number, text=True)
    assert collection.find("doc-1234") == [1234] and collection.doc("doc-1234")["number"] == 1234
    assert [row["id"] for row in collection.documents()] == [row["id"] for row in whole.documents()]
    assert repr(collection) == "Collection(3 indexes: 2,000 documents)"


def test_a_collection_of_what_is_not_one_is_refused(tmp_path, shards, documents):
    directory, _ = shards
    one = next(directory.iterdir())
    with pytest.raises(spillway.UsageError, match="named twice"):
        spillway.Collection([one, directory])
    with pytest.raises(spillway.UsageError, match="at least one"):
        spillway.Collection([])
    with pytest.raises(spillway.NotFoundError):
        spillway.Collection([one, tmp_path / "nowhere"])
    spillway.index(documents[:5], tmp_path / "stemmed", stem="english", progress=False)
    with pytest.raises(spillway.UsageError):
        spillway.Collection([directory, tmp_path / "stemmed"])
    with pytest.raises(spillway.UsageError):
        spillway.Collection(directory).document(2000)
