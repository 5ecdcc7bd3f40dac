"""Jobs: index, append, merge, plan and verify."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Union

from . import _engine
from ._inputs import as_paths, as_stream, open_inputs, raise_if_missing
from ._words import DEFAULT_FIELDS, FIELD_OPTIONS, names_of, option_words, path_words
from .errors import InputOutputError, UsageError
from .objects import is_url

Path = Union[str, "os.PathLike[str]"]
Names = Union[str, Sequence[str], None]
Progress = Union[bool, Callable[[dict[str, Any]], object]]


class Report(dict[str, Any]):
    """What a job did: the report that the program writes with `--json`, as a dict (`docs/python.md` lists the keys).

    `report.documents` is the same as `report["documents"]`.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def index(
    inputs: Any,
    output: Path,
    *,
    text: Names = None,
    id: Names = None,
    title: Names = None,
    url: Names = None,
    date: Names = None,
    memory: str | int | None = None,
    threads: int | None = None,
    positions: bool = False,
    store: str | None = None,
    progress: Progress = True,
    force: bool = False,
    **options: Any,
) -> Report:
    """Makes the index `output` of documents: a directory, or a URL of an object store, which gets it when it is whole.

    `inputs` is one of

    - a path, or a list of paths: what the program `spillway index` takes (files, directories, `@LIST`), and Parquet and
      Arrow IPC files, of which only the named columns are read (with pyarrow). A path may be a URL of an object store:
      an object, a directory of them, or a pattern ("s3://bucket/crawl/*.warc.gz", docs/object_stores.md);
    - an object with `__arrow_c_stream__`: a table or a record batch reader of pyarrow, a data frame of pandas or Polars, a
      relation of DuckDB;
    - a data set of Hugging Face, streamed or not;
    - an iterable of dicts, named tuples, or tuples (id, text) or (id, title, text). It is iterated in the calling thread.
      Values are str, bytes (UTF-8), int, float, None or NaN (both absent); anything else raises TypeError.

    The index has the bytes that the program makes of JSON lines with the same documents, whatever the resources.

    Args:
        text, id, title, url, date: names of the field in the documents; of several, the first that a document has.
            "doc.text" is a member of a struct or a dict (docs/python.md). The defaults are text, contents, content, body;
            id, docid, _id; title; url; date.
        memory: what the job may take beyond what the process has: bytes, or a size such as "4G" or "500M" (powers of
            1024). At least 64 MiB. Default: half of what the machine has. Batches of the producer come on top
            (docs/python.md).
        threads: default: one for each processor that the process may use.
        positions: keeps the places of words, for phrases; the index becomes about five times as large.
        store: "meta" (default: title, url, date), "text" (also the text) or "none".
        progress: True: a line on standard error if that is a terminal. A function is called about 20 times a second, in
            the calling thread, with a dict: stage, bytes_done, bytes_total, documents, runs, postings_done,
            postings_total.
        force: replaces an index at `output`.
        options: every other option of `spillway index --help`, with `_` for `-`: stem="english", stop="english",
            tokenizer="ascii", duplicate_ids="keep", dedup="exact", max_error_rate=0.05, strict=True, format="lines",
            mode="cpu", temp_dir="/scratch", temp_limit="100G", ...

    Returns:
        The report: documents, skipped (a dict from reason to number), seconds and others.

    Raises:
        UsageError, NotFoundError, InputOutputError, BadInputError, BudgetError, CorruptError, GpuError, and what the
        iterable raises. KeyboardInterrupt stops the job. After all of these there is no index and no scratch file; in an
        object store, a put that was under way at a KeyboardInterrupt may still end (docs/object_stores.md).

    The interpreter's lock is free while the job runs. Several jobs may run in threads at a time.
    """
    words = option_words(dict(positions=positions, store=store, force=force))
    fields = dict(text_field=text, id_field=id, title_field=title, url_field=url, date_field=date)
    resources = dict(memory=memory, threads=threads, **options)

    def run(local: str) -> Report:
        return _run("index", [f"--output={local}", *words], [], inputs, fields, resources, progress)

    return _made_at(os.fspath(output), options, force, run)


def _made_at(output: str, options: dict[str, Any], force: bool, run: Callable[[str], Report]) -> Report:
    """run(path), whose result an output by URL then gets."""
    if not is_url(output):
        return run(output)
    from .objects.publishing import StagedOutput

    with StagedOutput(output, _scratch_of(options), force=force) as staged:
        report = run(staged.local)
        staged.publish()
    report["output"] = output
    return report


def _scratch_of(options: dict[str, Any]) -> str | None:
    """The first directory that temp_dir names."""
    scratch = options.get("temp_dir")
    first = scratch[0] if isinstance(scratch, (list, tuple)) and scratch else scratch
    return os.fspath(first) if first else None


def append(
    index: Path,
    inputs: Any,
    *,
    text: Names = None,
    id: Names = None,
    title: Names = None,
    url: Names = None,
    date: Names = None,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: Progress = True,
    replace: bool = False,
    skip_known: bool = False,
    **options: Any,
) -> Report:
    """Adds documents to the index at `index`, a directory or a URL, which is replaced in one step when the job is done.

    The index itself says how text is analysed and what is stored. If it has a document with the id of a new one, nothing is
    added (BadInputError), unless `replace` (the new document counts) or `skip_known` (the old one counts) is given. Inputs,
    the other parameters, the report and the exceptions are those of `index`.
    """
    path = os.fspath(index)
    words = option_words(dict(replace=replace, skip_known=skip_known))
    fields = dict(text_field=text, id_field=id, title_field=title, url_field=url, date_field=date)
    resources = dict(memory=memory, threads=threads, **options)
    if not is_url(path):
        return _run("append", words, [path], inputs, fields, resources, progress)
    from .objects.fetching import GrownIndex

    with GrownIndex(path, _scratch_of(options)) as grown:
        report = _run("append", words, [grown.local], inputs, fields, resources, progress)
        grown.publish()
    report["output"] = path
    return report


def _run(
    command: str,
    words: list[str],
    operands: list[str],
    inputs: Any,
    fields: dict[str, Names],
    options: dict[str, Any],
    progress: Progress,
) -> Report:
    names = {option: names_of(fields.get(option) or DEFAULT_FIELDS[option]) for option in FIELD_OPTIONS}
    columns = _columns_of(names)
    paths = as_paths(inputs)
    fields_of = {option.removesuffix("_field"): those for option, those in names.items()}
    if paths is None:
        stream = as_stream(inputs, columns)
    else:
        memory = options["memory"]
        memory_bytes = None if memory is None else _engine.memory_of(str(memory))
        stream = open_inputs(paths, fields_of, options["threads"], memory=memory_bytes)
    if stream is None:
        operands = operands + (paths or [])
    words = [*words, *option_words({**fields, **options}), *path_words(operands)]
    try:
        outcome = _engine.run_index_job(command, words, stream, columns, progress)
    except (UsageError, InputOutputError) as error:
        raise_if_missing(operands, error)
        raise
    return _report(outcome)


def _columns_of(names: dict[str, tuple[str, ...]]) -> list[str]:
    """All names of fields. The first are those of id, title and text, which tuples have."""
    firsts = [names[option][0] for option in ("id_field", "title_field", "text_field")]
    return list(dict.fromkeys(firsts + [name for option in FIELD_OPTIONS for name in names[option]]))


def _report(outcome: tuple[str, list[str]]) -> Report:
    text, messages = outcome
    for message in messages:
        warnings.warn(message, RuntimeWarning, stacklevel=4)
    return Report(json.loads(text))


def merge(
    inputs: Iterable[Path],
    output: Path,
    *,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: Progress = True,
    force: bool = False,
    **options: Any,
) -> Report:
    """Merges indexes into one: the bytes that one job over all their documents, in this order, would have made.

    An index may be a directory or a URL of an object store, which is copied to a disk first (`temp_dir`).

    `memory`, `threads`, `progress` and `force` are those of `index`; `options` are those of `spillway merge --help`, such
    as drop="gone.txt" and dedup="url". Raises UsageError for indexes of different options, and as `index` does.
    """
    paths = [os.fspath(path) for path in inputs]
    words = option_words(dict(memory=memory, threads=threads, force=force, **options))

    def run(local: str) -> Report:
        from .objects.fetching import fetched

        with fetched(paths, _scratch_of(options)) as local_paths:
            return _report(_engine.run_merge_job([f"--output={local}", *words, *path_words(local_paths)], progress))

    try:
        return _made_at(os.fspath(output), options, force, run)
    except (UsageError, InputOutputError) as error:
        raise_if_missing(paths, error)
        raise


def plan(
    inputs: Path | Sequence[Path],
    *,
    memory: str | int | None = None,
    threads: int | None = None,
    **options: Any,
) -> Report:
    """What `index` would do with these files, and why, without doing it: memory, threads, mode, runs, sizes and, as text,
    report.plan. For paths only; the options are those of `index`. Raises BudgetError if the job would be refused."""
    paths = as_paths(inputs)
    if paths is None:
        raise TypeError(f"expected a path or a list of paths, found {type(inputs).__name__}")
    words = [*option_words(dict(memory=memory, threads=threads, **options)), *path_words(paths)]
    try:
        return Report(json.loads(_engine.plan(words)))
    except UsageError as error:
        raise_if_missing(paths, error)
        raise


def verify(index: Path) -> dict[str, int]:
    """Reads every file of an index, and checks its hashes, order, counts and the checksum of its source.

    Returns what was checked: files, bytes, documents, terms, postings. Raises CorruptError, which names the file and the
    place, for a bad index. Takes 10 MiB and 4 bytes for each document.
    """
    path = os.fspath(index)
    if is_url(path):
        from .objects.generations import place_of
        from .objects.location import locate

        path = place_of(locate(path)).url
    try:
        return _engine.verify(path)
    except InputOutputError as error:
        raise_if_missing([path], error)
        raise
