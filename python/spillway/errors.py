"""The exceptions of Spillway. Their texts are the engine's words: the place, what was expected and found, and a remedy.

A remedy may name an option of the command line: `--memory` is the parameter `memory`, `--max-error-rate` is
`max_error_rate`, and so on.
"""


class Error(Exception):
    """The base of all exceptions of Spillway."""


class UsageError(Error, ValueError):
    """A call that is not allowed: an unknown option, a wrong value, an output that exists."""


class NotFoundError(UsageError, FileNotFoundError):
    """An input or an index that does not exist."""

    __str__ = Exception.__str__


class InputOutputError(Error, OSError):
    """A file that cannot be read or written, or a stream whose producer failed."""

    __str__ = Exception.__str__


class BadInputError(Error, ValueError):
    """More records were skipped than `max_error_rate` allows; with append, an id that the index has already."""


class BudgetError(Error, MemoryError):
    """The budget of memory or of disk is too small. The text names a sufficient one."""


class CorruptError(Error):
    """An index, a run or a stream that is damaged or has another version."""


class GpuError(Error, RuntimeError):
    """`require_gpu` was given, and no GPU is usable."""
