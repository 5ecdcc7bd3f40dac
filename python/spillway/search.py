"""An open index: search, postings, positions and documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _engine
from ._inputs import raise_if_missing
from ._words import option_words, path_words
from .errors import InputOutputError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Hit(NamedTuple):
    document: int  # its number, from 0
    score: float
    id: str


class Hits:
    """The documents found for a query, best first. A sequence of `Hit`.

    Attributes:
        documents: numbers of documents, uint32, shape (n,)
        scores: BM25 scores, float64, shape (n,)
        ids: the documents' ids
    """

    __slots__ = ("documents", "scores", "ids")

    def __init__(self, documents: NDArray[np.uint32], scores: NDArray[np.float64], ids: list[str]) -> None:
        self.documents, self.scores, self.ids = documents, scores, ids

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rank: int) -> Hit:
        return Hit(int(self.documents[rank]), float(self.scores[rank]), self.ids[rank])

    def __iter__(self) -> Iterator[Hit]:
        return (self[rank] for rank in range(len(self)))

    def __repr__(self) -> str:
        return f"Hits({[(hit.id, round(hit.score, 4)) for hit in list(self)[:5]]}{', ...' if len(self) > 5 else ''})"


class ManyHits:
    """The documents found for several queries. A sequence of `Hits`, one for each query, in their order.

    Attributes:
        offsets: uint64, shape (queries + 1,): the hits of query i are [offsets[i], offsets[i + 1])
        documents: uint32, shape (n,), of all queries
        scores: float64, shape (n,)
        ids: list of n ids
    """

    __slots__ = ("offsets", "documents", "scores", "ids")

    def __init__(
        self,
        offsets: NDArray[np.uint64],
        documents: NDArray[np.uint32],
        scores: NDArray[np.float64],
        ids: list[str],
    ) -> None:
        self.offsets, self.documents, self.scores, self.ids = offsets, documents, scores, ids

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, query: int) -> Hits:
        if query < 0:
            query += len(self)
        if not 0 <= query < len(self):
            raise IndexError(query)
        begin, end = int(self.offsets[query]), int(self.offsets[query + 1])
        return Hits(self.documents[begin:end], self.scores[begin:end], self.ids[begin:end])

    def __iter__(self) -> Iterator[Hits]:
        return (self[query] for query in range(len(self)))

    def to_pandas(self, query_ids: Sequence[str] | None = None) -> Any:
        """A data frame with the columns qid, docno, rank (from 0) and score, as PyTerrier has them. Without `query_ids`
        queries are named "0", "1", ..."""
        import numpy as np
        import pandas as pd

        names = _names_of_queries(self, query_ids)
        counts = np.diff(self.offsets).astype(np.int64)
        return pd.DataFrame(
            {
                "qid": np.repeat(np.array(names, dtype=object), counts),
                "docno": self.ids,
                "rank": np.arange(len(self.ids)) - np.repeat(self.offsets[:-1].astype(np.int64), counts),
                "score": self.scores,
            }
        )

    def to_trec(
        self, output: str | os.PathLike[str] | None = None, query_ids: Sequence[str] | None = None, run_id: str = "spillway"
    ) -> str | None:
        """The lines of a run for trec_eval, the same as `spillway search --format trec` prints. Writes them to a file, which
        is replaced, or returns them if there is no `output`. Without `query_ids` queries are named "0", "1", ..."""
        lines = []
        run = _engine.column(run_id)
        for query, hits in zip(_names_of_queries(self, query_ids), self):
            name = _engine.column(query)
            for rank, hit in enumerate(hits, 1):
                lines.append(f"{name} Q0 {_engine.column(hit.id)} {rank} {hit.score:.17g} {run}\n")
        text = "".join(lines)
        if output is None:
            return text
        with open(output, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return None


def _names_of_queries(hits: ManyHits, query_ids: Sequence[str] | None) -> list[str]:
    if query_ids is None:
        return [str(number) for number in range(len(hits))]
    names = [str(name) for name in query_ids]
    if len(names) != len(hits):
        raise ValueError(f"expected {len(hits)} ids of queries, found {len(names)}")
    return names


class _Searchable:
    """What an index and a collection of them have in common."""

    _index: _engine.Index

    def __len__(self) -> int:
        """The number of documents."""
        return self._index.document_count

    def search(self, query: str, k: int = 10, *, plain: bool = False, k1: float = 0.9, b: float = 0.4) -> Hits:
        """The at most `k` best documents by BM25, best first; equal scores by id, descending.

        `query`: `+must -not "a phrase" word`; with `plain` these signs are punctuation. The query is analysed as the
        documents were. Raises UsageError for a phrase without its end, or in an index without positions.
        """
        _, documents, scores, ids = self._index.search(query, k, plain, k1, b)
        return Hits(documents, scores, ids)

    def search_many(
        self,
        queries: Iterable[str],
        k: int = 10,
        threads: int | None = None,
        *,
        plain: bool = True,
        k1: float = 0.9,
        b: float = 0.4,
    ) -> ManyHits:
        """Answers queries on several threads (default: one for each processor). The result does not depend on their number.

        In queries of this kind `+ - "` are punctuation, as in files of queries, unless plain=False.
        """
        if threads is None:
            threads = len(os.sched_getaffinity(0))
        if threads < 1:
            raise ValueError(f"expected at least one thread, found {threads}")
        return ManyHits(*self._index.search_many(list(queries), k, threads, plain, k1, b))

    def analyze(self, text: str) -> list[str]:
        """The terms of a text as the index has them, in order: "Sorted lists" -> ["sort", "list"]."""
        return self._index.analyze(text)

    def document(self, number: int, *, text: bool = False) -> dict[str, Any]:
        """The stored fields of a document by its number: number, id, title, url, date (empty where there is none), length
        (words kept) and, with `text`, text (empty unless the index was made with store="text"). Raises UsageError for a
        number that is not below len(self)."""
        return self._index.document(number, text)

    def documents(self, *, text: bool = False) -> Iterator[dict[str, Any]]:
        """All documents, in their order, as `document` returns them."""
        return (self.document(number, text=text) for number in range(len(self)))

    def doc(self, id: str, *, text: bool = True) -> dict[str, Any]:
        """The document with this id, the first if there are several. Raises KeyError if there is none."""
        numbers = self._index.find(id)
        if not numbers:
            raise KeyError(id)
        return self.document(numbers[0], text=text)

    def find(self, id: str) -> list[int]:
        """The numbers of the documents with this id, ascending."""
        return self._index.find(id)


class Index(_Searchable):
    """An index that `spillway.index` or the program made, open for reading.

    Files are mapped, so an index opens at once and takes memory as pages are read, which the system can reclaim. Threads may
    share it, and processes may fork with it. An index that is replaced while it is open stays what it was.

    Raises NotFoundError, CorruptError, InputOutputError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        try:
            self._index = _engine.Index([self._path])
        except InputOutputError as error:
            raise_if_missing([self._path], error)
            raise

    def __repr__(self) -> str:
        return f"Index({self._path!r}: {len(self):,} documents, {self.term_count:,} terms)"

    @property
    def term_count(self) -> int:
        return self._index.term_count

    @property
    def has_positions(self) -> bool:
        return self._index.has_positions

    def postings(self, term: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The list of a term, as `analyze` returns it: (documents, frequencies), both uint32 of shape (n,), in the order of
        the documents. Empty arrays for a term that the index has not. Time and memory O(n)."""
        return self._index.postings(term)

    def positions(self, term: str) -> tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint32]]:
        """The places of a term: (documents, offsets, positions). The places in documents[i] are
        positions[offsets[i]:offsets[i + 1]], ordinals of words from 0, ascending. uint32 (n,), uint64 (n + 1,), uint32.
        Raises UsageError if the index has no positions."""
        return self._index.positions(term)

    def export_ciff(self, output: str | os.PathLike[str], *, force: bool = False, memory: str | int | None = None) -> None:
        """Writes the index in the Common Index File Format, for Lucene, PISA, Terrier and others (docs/exchange.md). `force`
        replaces a file. `memory` is what the export may take beyond what the process has."""
        words = ["--to=ciff", f"--output={os.fspath(output)}", *option_words(dict(force=force, memory=memory))]
        _engine.export([*words, *path_words([self._path])])


class Collection(_Searchable):
    """Several indexes, such as the shards of a job on many machines, searched as one: documents have the scores and the
    order that they have in the index that `merge` makes of them. Documents are numbered through, in the order of the
    indexes; one whose id is in two indexes is there twice.

    `paths`: indexes, and directories of indexes. Raises UsageError if the indexes have different terms for the same
    text, if there is none, or one twice; and as `Index` does.
    """

    def __init__(self, paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> None:
        named = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        self._paths = [one for path in named for one in _indexes_at(os.fspath(path))]
        if not self._paths:
            raise UsageError("expected at least one index, found none")
        known: set[str] = set()
        for path in self._paths:
            if os.path.realpath(path) in known:
                raise UsageError(f"the index {path} is named twice: its documents would be found twice; name it once")
            known.add(os.path.realpath(path))
        try:
            self._index = _engine.Index(self._paths)
        except InputOutputError as error:
            raise_if_missing(self._paths, error)
            raise

    def __repr__(self) -> str:
        return f"Collection({len(self._paths)} indexes: {len(self):,} documents)"

    @property
    def paths(self) -> list[str]:
        """Of the indexes, in their order."""
        return list(self._paths)


def _indexes_at(path: str) -> list[str]:
    """The path itself, unless it is a directory of indexes."""
    if not os.path.isdir(path) or os.path.exists(f"{path}/manifest"):
        return [path]
    inside = [f"{path}/{name}" for name in sorted(os.listdir(path)) if not name.startswith(".")]
    found = [one for one in inside if os.path.isdir(one)]
    return found if any(os.path.exists(f"{one}/manifest") for one in found) else [path]
