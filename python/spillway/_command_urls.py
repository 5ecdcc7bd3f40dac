"""Inputs, indexes and outputs by URL of the program `spillway`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from . import _engine
from .errors import Error, UsageError
from .objects import attempts, is_url, resolve

if TYPE_CHECKING:
    from .objects.publishing import Published

_WITH_INPUTS = ("index", "append", "plan", "sort")
_WITH_INDEXES = ("append", "merge", "verify")
_WITH_OUTPUT = ("index", "merge", "sort")
_OUTPUT_OPTIONS = ("-o", "--output")
_REPORT_FAILED = 7  # the index is complete (docs/errors.md)


def run_with_urls(words: list[str], run: Callable[[Sequence[str]], int]) -> int:
    """Runs the program with words of which some are URLs, through `run`, which takes none that need a copy on a disk."""
    attempts.interrupted = lambda: _engine.received_signal() != 0
    command = next((word for word in words if not word.startswith("-")), "")
    try:
        with ExitStack() as stack:
            words = _with_indexes(command, words, stack)
            words, output = _stage_output(command, words, stack)
            if output is None and (output := _stage_growth(command, words, stack)) is not None:
                words = output.words
            if command in _WITH_INPUTS:
                words = resolve(words)
            code = 0 if output is not None and output.is_made else run(words)
            if code in (0, _REPORT_FAILED) and output is not None:
                put = output.publish()
                if put is not None and "--quiet" not in words and "-q" not in words:
                    print(f"{put.url}: {put.files} files, {put.bytes} bytes", file=sys.stderr)
            return code
    except attempts.Stopped:
        return _engine.signal_exit + _engine.received_signal()
    except Error as error:
        print(f"spillway: {command}: {error}", file=sys.stderr)
        return 2


class _Output(NamedTuple):
    """What a store gets. words: of the command that makes it on this machine. is_made: an earlier command did."""

    words: list[str]
    publish: Callable[[], Published | None]
    is_made: bool = False


def _with_indexes(command: str, words: list[str], stack: ExitStack) -> list[str]:
    """The words with indexes by URL, which a command reads, replaced by what it can read. Raises UsageError where the command
    needs them on a disk."""
    from .objects.fetching import fetched
    from .objects.generations import place_of
    from .objects.location import locate

    if command in _WITH_INPUTS and command != "append":
        return words
    indexes = _engine.operands(words)
    if command == "verify":
        return [place_of(locate(word)).url if word in indexes and is_url(word) else word for word in words]
    if command == "merge":
        urls = [word for word in indexes if is_url(word)]
        if urls and "--resumable" in words:
            raise UsageError(f"{urls[0]}: --resumable needs indexes on a disk: `spillway merge {urls[0]} -o DIR` copies one")
        copies = dict(zip(urls, stack.enter_context(fetched(urls, _scratch_of(words)))))
        return [copies.get(word, word) for word in words]
    if command not in _WITH_INDEXES and indexes and is_url(indexes[0]):
        raise UsageError(f"{indexes[0]}: {command} needs the index on a disk: `spillway merge {indexes[0]} -o DIR` copies it")
    return words


def _stage_output(command: str, words: list[str], stack: ExitStack) -> tuple[list[str], _Output | None]:
    """The words with an output by URL replaced by a local one, and what puts it into the store."""
    at = _output_at(words)
    if at is None:
        return words, None
    from .objects.publishing import KeptOutput, StagedOutput

    number, before, url = at
    if command not in _WITH_OUTPUT:
        raise UsageError(f"{url}: outputs by URL are for {', '.join(_WITH_OUTPUT)}; name a local path, and copy it")
    scratch, force, is_file = _scratch_of(words), "--force" in words, command == "sort"
    if "--resumable" not in words:
        staged = stack.enter_context(StagedOutput(url, scratch, force=force, is_file=is_file))
    elif scratch is None:
        raise UsageError(
            f"{url}: --resumable needs --temp-dir DIR with an output by URL: a directory that stays, where the job keeps its "
            "work, and the index until the store has it"
        )
    else:
        kept = KeptOutput(url, scratch, words, force=force, is_file=is_file, restart="--restart" in words)
        staged = stack.enter_context(kept)
    words = [*words[:number], before + staged.local, *words[number + 1 :]]
    return words, _Output(words, staged.publish, staged.is_made)


def _stage_growth(command: str, words: list[str], stack: ExitStack) -> _Output | None:
    """For `append` to an index by URL: the words with a local copy of it, and what puts that into the store."""
    operands = _engine.operands(words) if command == "append" else []
    if not operands or not is_url(operands[0]):
        return None
    from .objects.fetching import GrownIndex

    if "--resumable" in words:
        raise UsageError(
            f"{operands[0]}: append --resumable needs an index on a disk: `spillway merge {operands[0]} -o DIR` copies it"
        )
    grown = stack.enter_context(GrownIndex(operands[0], _scratch_of(words)))
    number = words.index(operands[0])
    return _Output([*words[:number], grown.local, *words[number + 1 :]], grown.publish)


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
