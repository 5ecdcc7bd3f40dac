"""Spillway in pipelines of PyTerrier: `Indexer` and `Retriever`. Needs PyTerrier (`pip install 'spillway[pyterrier]'`), and
no Java.

>>> import pyterrier, spillway.pyterrier
>>> indexer = spillway.pyterrier.Indexer("pages.index", progress=False)
>>> index = indexer.index([{"docno": "a", "text": "sorting out of core"}])
>>> spillway.pyterrier.Retriever(index).search("sorting")[["docno", "rank"]].to_dict("records")
[{'docno': 'a', 'rank': 0}]
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

try:
    import pyterrier
except ImportError as error:
    raise ImportError("spillway.pyterrier needs PyTerrier: pip install 'spillway[pyterrier]'") from error

from .jobs import Names
from .jobs import index as make_index
from .search import Index

_STORED = ("title", "url", "date", "text")


class Retriever(pyterrier.Transformer):  # type: ignore[misc]
    """Ranks documents of an index by BM25. Takes frames of queries (qid, query), and returns each query's rows with docid
    (the document's number), docno (its id), rank (from 0) and score, best first.

    Args:
        index: the path of an index, or a `spillway.Index`.
        num_results: of each query, at most.
        metadata: stored fields that results have as columns too: title, url, date; text, if the index stores texts.
        threads: default: one for each processor.
        plain: in queries, `+ - "` are punctuation; with plain=False they are operators, as in `Index.search`.
        k1, b: parameters of BM25.
    """

    def __init__(
        self,
        index: str | os.PathLike[str] | Index,
        *,
        num_results: int = 1000,
        metadata: Sequence[str] = (),
        threads: int | None = None,
        plain: bool = True,
        k1: float = 0.9,
        b: float = 0.4,
    ) -> None:
        for name in metadata:
            if name not in _STORED:
                raise ValueError(f"metadata: expected fields among {', '.join(_STORED)}, found {name!r}")
        self.index = index if isinstance(index, Index) else Index(index)
        self.num_results = num_results
        self.metadata = tuple(metadata)
        self.threads, self.plain, self.k1, self.b = threads, plain, k1, b

    def transform(self, inp: Any) -> Any:
        import numpy as np

        pyterrier.validate.query_frame(inp, extra_columns=["query"], context=self)
        queries = [str(query) for query in inp["query"]]
        hits = self.index.search_many(queries, self.num_results, self.threads, plain=self.plain, k1=self.k1, b=self.b)
        found = hits.to_pandas()
        rows = np.repeat(np.arange(len(inp)), np.diff(hits.offsets).astype(np.int64))
        results = inp.drop(columns=[name for name in ("docid", "rank", "score") if name in inp.columns])
        results = results.iloc[rows].reset_index(drop=True)
        results["docid"] = hits.documents
        for name in ("docno", "rank", "score"):
            results[name] = found[name]
        self._add_metadata(results)
        return results

    def _add_metadata(self, results: Any) -> None:
        if not self.metadata:
            return
        fields = [self.index.document(int(number), text="text" in self.metadata) for number in results["docid"]]
        for name in self.metadata:
            results[name] = [one[name] for one in fields]

    def fuse_rank_cutoff(self, k: int) -> Retriever:
        """What `retriever % k` becomes when a pipeline is compiled: a retriever that finds no more than k."""
        if k >= self.num_results:
            return self
        return Retriever(
            self.index,
            num_results=k,
            metadata=self.metadata,
            threads=self.threads,
            plain=self.plain,
            k1=self.k1,
            b=self.b,
        )

    def __repr__(self) -> str:
        return f"spillway.pyterrier.Retriever({self.index!r}, num_results={self.num_results})"


class Indexer(pyterrier.Indexer):  # type: ignore[misc]
    """Makes the index `path` of what a pipeline or a data set yields.

    Args:
        path: the directory to make. With force=True an index that is there is replaced.
        id, text: names of the fields in the documents, as of `spillway.index`; of several, the first that a document has.
        options: all others of `spillway.index`: title, url, date, memory, threads, positions, store, progress, force,
            stem, stop, ...
    """

    def __init__(
        self, path: str | os.PathLike[str], *, id: Names = "docno", text: Names = ("text", "body"), **options: Any
    ) -> None:
        self.path = os.fspath(path)
        self.options = dict(id=id, text=text, **options)

    def index(self, iter: Iterable[dict[str, Any]], **options: Any) -> Index:
        """Indexes dicts, such as `pyterrier.get_dataset(...).get_corpus_iter()`, or anything else that `spillway.index`
        takes, and returns the open index. `options` come before those of the constructor."""
        make_index(iter, self.path, **{**self.options, **options})
        return Index(self.path)

    def index_inputs(self) -> list[list[str]]:
        names = (self.options["id"], self.options["text"])
        return [[name if isinstance(name, str) else next(iter(name)) for name in names]]

    def __repr__(self) -> str:
        return f"spillway.pyterrier.Indexer({self.path!r})"
