"""Spillway: inverted indexes and sorting for text that does not fit in memory.

>>> import spillway
>>> spillway.index([{"id": "1", "text": "out of core sorting"}], "docs.index", progress=False).documents
1
>>> spillway.Index("docs.index").search("sorting")[0].id
'1'

`docs/python.md` describes the package.
"""

from ._engine import version as __version__
from .errors import (
    BadInputError,
    BudgetError,
    CorruptError,
    Error,
    GpuError,
    InputOutputError,
    NotFoundError,
    UsageError,
)
from .jobs import Report, append, index, merge, plan, verify
from .search import Hit, Hits, Index, ManyHits
from .sorting import order_strings, sort, sort_strings

__all__ = [
    "BadInputError",
    "BudgetError",
    "CorruptError",
    "Error",
    "GpuError",
    "Hit",
    "Hits",
    "Index",
    "InputOutputError",
    "ManyHits",
    "NotFoundError",
    "Report",
    "UsageError",
    "__version__",
    "append",
    "index",
    "merge",
    "order_strings",
    "plan",
    "sort",
    "sort_strings",
    "verify",
]
