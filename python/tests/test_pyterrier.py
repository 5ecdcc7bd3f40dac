"""The transformers of PyTerrier give what the package gives, alone and in pipelines; data sets of ir_datasets are inputs."""

import json

import pytest
from conftest import digest

import spillway

pt = pytest.importorskip("pyterrier")
pd = pytest.importorskip("pandas")


@pytest.fixture
def corpus(documents):
    return [{"docno": str(row["id"]), "text": row.get("text", ""), "title": row.get("title", "")} for row in documents]


@pytest.fixture
def index(tmp_path, corpus):
    from spillway.pyterrier import Indexer

    return Indexer(tmp_path / "i", title="title", store="text", progress=False).index(corpus)


@pytest.fixture
def topics():
    queries = ["out of core", "term5 memory", "nothinglikethis"]
    return pd.DataFrame({"qid": ["q1", "q2", "q3"], "query": queries, "more": [1, 2, 3]})


def test_indexer(tmp_path, corpus, index):
    spillway.index(corpus, tmp_path / "j", id="docno", title="title", store="text", progress=False)
    assert digest(tmp_path / "i") == digest(tmp_path / "j") and len(index) == len(corpus)


def test_retriever(index, topics):
    from spillway.pyterrier import Retriever

    results = Retriever(index, num_results=20)(topics)
    expected = index.search_many(topics["query"], 20)
    assert list(results.columns) == ["qid", "query", "more", "docid", "docno", "rank", "score"]
    assert list(results["docno"]) == expected.ids and (results["score"] == expected.scores).all()
    assert list(results["qid"]) == ["q1"] * 20 + ["q2"] * 20 and list(results["rank"]) == list(range(20)) * 2
    assert list(results["more"]) == [1] * 20 + [2] * 20
    nothing = Retriever(index)(topics.iloc[:0])
    assert len(nothing) == 0 and list(nothing.columns) == list(results.columns)
    with pytest.raises(KeyError, match="query"):
        Retriever(index)(topics[["qid"]])


def test_metadata(tmp_path, index, corpus):
    from spillway.pyterrier import Retriever

    by_id = {row["docno"]: row for row in corpus}
    results = Retriever(tmp_path / "i", metadata=["title", "text"], num_results=30).search("term5")
    assert len(results) > 10
    for row in results.itertuples():
        assert (row.title, row.text) == (by_id[row.docno]["title"], by_id[row.docno]["text"])
    with pytest.raises(ValueError, match="metadata"):
        Retriever(index, metadata=["body"])


def test_pipelines(tmp_path, index, topics):
    from spillway.pyterrier import Indexer, Retriever

    retriever = Retriever(index)
    cut = retriever % 5
    assert list(cut(topics)["docno"]) == index.search_many(topics["query"], 5).ids
    assert cut.compile().num_results == 5
    doubled = (2 * retriever)(topics)
    assert sorted(doubled["score"]) == sorted(2 * retriever(topics)["score"])
    upper = pt.apply.text(lambda row: row["text"].replace("sorting", "ordering")) >> Indexer(tmp_path / "u", progress=False)
    changed = upper.index([{"docno": "a", "text": "sorting"}])
    assert changed.search("ordering").ids == ["a"] and changed.search("sorting").ids == []


def test_experiment(index, topics):
    from spillway.pyterrier import Retriever

    best = index.search("term5 memory", 1).ids[0]
    qrels = pd.DataFrame({"qid": ["q2"], "docno": [best], "label": [1]})
    table = pt.Experiment([Retriever(index)], topics.iloc[1:2], qrels, ["recip_rank"])
    assert table["recip_rank"][0] == 1.0


def test_ir_datasets(tmp_path, corpus):
    ir_datasets = pytest.importorskip("ir_datasets")
    texts = {row["docno"]: " ".join(row["text"].split()) for row in corpus}
    (tmp_path / "docs.tsv").write_text("".join(f"{i}\t{text}\n" for i, text in texts.items()), encoding="utf-8")
    dataset = ir_datasets.create_dataset(docs_tsv=str(tmp_path / "docs.tsv"))
    spillway.index(dataset.docs_iter(), tmp_path / "named", id="doc_id", progress=False)
    rows = [{"id": i, "text": text} for i, text in texts.items()]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    spillway.index(tmp_path / "docs.jsonl", tmp_path / "files", progress=False)
    assert digest(tmp_path / "named") == digest(tmp_path / "files")
