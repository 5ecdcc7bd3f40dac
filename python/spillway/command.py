"""The program `spillway`: all commands of the engine, Parquet and Arrow IPC files as inputs of `index` and `append`, and
inputs and outputs by URL."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from . import _engine
from ._inputs import open_inputs
from .errors import Error
from .objects import attempts, is_url, resolve

_WITH_INPUTS = ("index", "append", "plan", "sort", "verify")
_WITH_OUTPUT = ("index", "merge", "sort")
_OUTPUT_OPTIONS = ("-o", "--output")
_REPORT_FAILED = 7  # the index is complete (docs/errors.md)


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
        code = _run_with_urls(words)
    else:
        code = _run(words)
    if code > _engine.signal_exit:
        _engine.end_by_signal(code - _engine.signal_exit)
    return code


def _run(words: Sequence[str]) -> int:
    sys.stdout.flush()
    return _engine.run_program(words, open_inputs)


def _run_with_urls(words: list[str]) -> int:
    attempts.interrupted = lambda: _engine.received_signal() != 0
    command = next((word for word in words if not word.startswith("-")), "")
    try:
        with ExitStack() as stack:
            words, publish = _stage_output(command, words, stack)
            if command in _WITH_INPUTS:
                words = resolve(words)
            code = _run(words)
            if code in (0, _REPORT_FAILED) and publish is not None:
                publish()
            return code
    except attempts.Stopped:
        return _engine.signal_exit + _engine.received_signal()
    except Error as error:
        print(f"spillway: {command}: {error}", file=sys.stderr)
        return 2


def _stage_output(command: str, words: list[str], stack: ExitStack) -> tuple[list[str], Callable[[], None] | None]:
    """The words with an output by URL replaced by a local one, and what puts it into the store."""
    at = _output_at(words)
    if at is None:
        return words, None
    from .errors import UsageError
    from .objects.publishing import StagedOutput

    number, before, url = at
    if command not in _WITH_OUTPUT:
        raise UsageError(f"{url}: outputs by URL are for {', '.join(_WITH_OUTPUT)}; name a local path, and copy it")
    if "--resumable" in words:
        raise UsageError(f"{url}: --resumable needs a local output, beside which the job keeps its work; copy the index then")
    staged = stack.enter_context(StagedOutput(url, _scratch_of(words), force="--force" in words, is_file=command == "sort"))

    def publish() -> None:
        put = staged.publish()
        if "--quiet" not in words and "-q" not in words:
            print(f"{put.url}: {put.files} files, {put.bytes} bytes", file=sys.stderr)

    return [*words[:number], before + staged.local, *words[number + 1 :]], publish


def _output_at(words: Sequence[str]) -> tuple[int, str, str] | None:
    """(number of the word, what stands before the URL in it, the URL) of an output by URL."""
    for number, word in enumerate(words):
        if word == "--":
            return None
        if number > 0 and words[number - 1] in _OUTPUT_OPTIONS and is_url(word):
            return number, "", word
        for before in ("--output=", "-o"):
            if word.startswith(before) and is_url(word[len(before) :]):
                return number, before, word[len(before) :]
    return None


def _scratch_of(words: Sequence[str]) -> str | None:
    """The first directory that --temp-dir names."""
    for number, word in enumerate(words):
        if word == "--temp-dir" and number + 1 < len(words):
            return words[number + 1]
        if word.startswith("--temp-dir="):
            return word.partition("=")[2]
    return None


if __name__ == "__main__":
    sys.exit(main())
