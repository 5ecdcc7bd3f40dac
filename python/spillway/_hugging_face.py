"""Data sets of Hugging Face (the library datasets) as batches for the engine: their Arrow tables, and not rows of Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

_BATCH_ROWS = 256


def is_dataset(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "datasets" and hasattr(value, "iter")


class DatasetBatches:
    """The rows of a `Dataset` or an `IterableDataset` in its order, of the columns that `names` may lead to: "doc.text" needs
    the column "doc"."""

    def __init__(self, dataset: Any, names: Iterable[str]) -> None:
        columns = dataset.column_names  # None where a stream does not know them
        if columns is not None:
            wanted = [one for one in columns if any(name == one or name.startswith(one + ".") for name in names)]
            dataset = dataset.select_columns(wanted) if wanted else dataset
        tables = dataset.with_format("arrow").iter(batch_size=_BATCH_ROWS)
        first = next(tables, None)
        self._tables = tables if first is None else chain([first], tables)
        self.schema = dataset.features.arrow_schema if first is None else first.schema

    def __spillway_batches__(self) -> Iterator[Any]:
        for table in self._tables:
            yield from table.cast(self.schema).to_batches()
