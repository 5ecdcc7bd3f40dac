"""The program `spillway`: all commands of the engine, Parquet and Arrow IPC files as inputs of `index` and `append`, and
inputs and outputs by URL (_command_urls.py).

It imports what it needs when it needs it: each task of a job on Spark starts it anew, and all of it takes 0.03 s."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import _engine


def main() -> int:
    """Runs the program with the words of the command line, and returns its exit code. Ends by a signal if one stopped it."""
    words = sys.argv[1:]
    # NumPy, which pyarrow loads, would start threads of its own, which wait by running in circles.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if words == ["--fingerprint"]:  # spillway.spark asks
        from ._fingerprint import fingerprint

        print(fingerprint())
        return 0
    if any("://" in word for word in words):
        from ._command_urls import run_with_urls

        code = run_with_urls(words, _run)
    else:
        code = _run(words)
    if code > _engine.signal_exit:
        _engine.end_by_signal(code - _engine.signal_exit)
    return code


def _run(words: Sequence[str]) -> int:
    sys.stdout.flush()
    return _engine.run_program(words, _open_inputs)


def _open_inputs(*arguments: Any) -> Any:
    from ._inputs import open_inputs

    with _without_numpy():
        return open_inputs(*arguments)


@contextmanager
def _without_numpy() -> Iterator[None]:
    """pyarrow is imported without NumPy, which it has no use for here: 0.08 s instead of 0.15 s. Before pyarrow 18 it could not
    be."""
    if "numpy" in sys.modules or _major_of_pyarrow() < 18:
        yield
        return
    sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["numpy"]


def _major_of_pyarrow() -> int:
    """0 if that is not to be seen. importlib.metadata would tell it, but takes 0.02 s to import."""
    from importlib.util import find_spec

    spec = find_spec("pyarrow")
    if spec is None or spec.origin is None:
        return 0
    names = os.listdir(os.path.dirname(os.path.dirname(spec.origin)))
    majors = (name[len("pyarrow-") :].partition(".")[0] for name in names if name.startswith("pyarrow-"))
    return max((int(major) for major in majors if major.isdecimal()), default=0)


if __name__ == "__main__":
    sys.exit(main())
