"""Object stores: inputs and outputs that are named by URL, through the file systems of pyarrow.

s3:// is tested against servers; gs:// and hdfs:// take the same way and are not tested. `source` reads objects for the
engine, `publishing` puts an index or a file into a store.
"""

from __future__ import annotations

from collections.abc import Iterable

from .url import is_url

__all__ = ["is_url", "resolve"]


def resolve(inputs: Iterable[str]) -> list[str]:
    """The inputs with URLs without options, and patterns replaced by what they match. Raises UsageError, InputOutputError."""
    resolved: list[str] = []
    for one in inputs:
        if is_url(one):
            from .listing import expand

            resolved += expand(one)
        else:
            resolved.append(one)
    return resolved
