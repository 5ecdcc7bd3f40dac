"""Spillway: inverted indexes and sorting for text that does not fit in memory.

>>> import spillway
>>> spillway.index([{"id": "1", "text": "out of core sorting"}], "docs.index", progress=False).documents
1
>>> spillway.Index("docs.index").search("sorting")[0].id
'1'

`docs/python.md` describes the package.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from .search import Collection, Hit, Hits, Index, ManyHits
    from .sorting import order_strings, sort, sort_strings

__all__ = [
    "BadInputError",
    "BudgetError",
    "Collection",
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

# What is imported at its first use, so that spillway.spark needs no compiled module.
_MODULES = {
    "errors": (
        "BadInputError",
        "BudgetError",
        "CorruptError",
        "Error",
        "GpuError",
        "InputOutputError",
        "NotFoundError",
        "UsageError",
    ),
    "jobs": ("Report", "append", "index", "merge", "plan", "verify"),
    "search": ("Collection", "Hit", "Hits", "Index", "ManyHits"),
    "sorting": ("order_strings", "sort", "sort_strings"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "_engine":  # as `from . import _engine` asks for it
        return _native()
    if name == "__version__":
        value = _native().version
    elif name in _MODULE_OF:
        value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _native() -> Any:
    try:
        return importlib.import_module("._engine", __name__)
    except ModuleNotFoundError as error:
        import platform

        here = f"{platform.python_implementation()} {platform.python_version()} on {platform.system()} {platform.machine()}"
        raise ImportError(
            f"spillway has no native module for {here}; it is made for CPython 3.11 and later on Linux x86-64, by 'pip "
            "install' of a checkout or of a wheel"
        ) from error


def __dir__() -> list[str]:
    return sorted(__all__)
