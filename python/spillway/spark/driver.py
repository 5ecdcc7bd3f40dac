"""The driver of a job: it cuts the inputs into parts, has them indexed, and publishes the result."""

import fcntl
import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Protocol

from ..objects import is_url
from .child import version_of
from .errors import JobError
from .inputs import InputFile, check_unchanged, list_inputs
from .job import Job, content_id
from .publish import PUBLISHED_FILE, SHARDS_FILE, DiskOutput, StoreOutput, assemble_shards, output_of, sweep
from .stage import Done, begun_parts, complete_attempt, digest_of, note_parts, write_durably
from .task import Merge, check_options, index_part, merge_indexes, part_name

_BYTES_OF_THREAD = 4 << 30  # of input: fewer parts repeat less vocabulary
_LEAST_PART = 64 << 20
_MOST_INDEXES_OF_MERGE = 16
_OWN_OPTIONS = ("-o", "--output", "--json", "--memory", "--threads", "--part", "--max-error-rate", "--strict", "--skipped",
                "--resumable", "--restart", "--force", "--progress", "--temp-dir")  # fmt: skip


class Launcher(Protocol):
    """Runs tasks on machines that share a disk.

    slots: tasks that run at once. threads, memory: what one task may use; memory in bytes.
    """

    slots: int
    threads: int
    memory: int

    def run(self, function: Any, items: Sequence[Any], name: str) -> list[Any]:
        """Returns function(item) for each item, in order. Raises JobError with the words of a task that failed."""


@dataclass(frozen=True)
class IndexJobReport:
    """records_in = documents + the sum of `skipped`, by reason. Duplicates across shards are counted by a merge only."""

    output: str
    documents: int
    records_in: int
    skipped: dict[str, int]
    parts: int
    earlier_parts: int  # that an interrupted job had done


def run_index_job(
    inputs: Iterable[str],
    output: str,
    launcher: Launcher,
    *,
    options: Sequence[str] = (),
    parts: int = 0,
    one_index: bool = False,
    force: bool = False,
    stage: str | None = None,
    program: str = "spillway",
    max_error_rate: float = 0.01,
    skipped: str | None = None,
) -> IndexJobReport:
    """Indexes files that all machines see, and objects of stores, in parts that run side by side.

    inputs: files, directories and URLs. output: the directory to make: of shards, or with one_index the index that one
    process would make; or a URL. options: more options of `spillway index`. parts: 0 for a number by size and cluster, or
    as many as the job began with. stage: a directory on the disk of the output (default: OUTPUT.stage), or with a URL on
    any disk that all machines share; a job that failed, or was killed, goes on from what is complete there.
    skipped: a file that gets a line of JSON for each record that is not indexed.
    Raises JobError, ProgramError and OSError. The output is then what it was before.
    """
    target = output_of(output, force)
    stage = _stage_of(stage, target)
    files = list_inputs(inputs)
    _check_options(options)
    version = version_of(program)
    check_options(program, options)
    # What is asked of the launcher from here on may wait for its cluster.
    if parts == 0:
        parts = begun_parts(stage, content_id(files, options, version)) or _count_parts(files, launcher)
    _check_dedup(options, parts, one_index)
    job = Job(tuple(files), tuple(options), parts, version, program, stage, launcher.memory, launcher.threads)
    with _lock(job):
        target.check_stage(stage)
        return _Driver(job, launcher, target, one_index).run(max_error_rate, skipped)


def _stage_of(stage: str | None, target: DiskOutput | StoreOutput) -> str:
    if is_url(stage or target.name):
        raise JobError(
            f"the stage of {target.name} is a directory on a disk that all machines share, which object stores are not; "
            "name it with --stage"
        )
    return os.path.abspath(stage or f"{target.name}.stage")


def _count_parts(files: Sequence[InputFile], launcher: Launcher) -> int:
    size = sum(file.size for file in files)
    return max(1, min(count_of_parts(size, launcher.slots, launcher.threads), size // _LEAST_PART))


def count_of_parts(size: int, slots: int, threads: int) -> int:
    """As few as there may be, and as many for each slot, so that all slots end at about the same time."""
    return slots * max(1, math.ceil(size / (_BYTES_OF_THREAD * threads * slots)))


def _check_options(options: Sequence[str]) -> None:
    for option in options:
        name = option.partition("=")[0]
        if name in _OWN_OPTIONS or option.startswith("-o"):
            raise JobError(f"the job sets {name} of its tasks itself; give it as an option of the job, if there is one")


def _check_dedup(options: Sequence[str], parts: int, one_index: bool) -> None:
    dedup = [word for word in options if word in ("exact", "url", "--dedup=exact", "--dedup=url")]
    if "--dedup" in [option.partition("=")[0] for option in options] and parts > 1:
        if any(word.endswith("exact") for word in dedup):
            raise JobError("--dedup exact finds duplicates inside a part only; give --parts 1, or --dedup url and --one-index")
        if any(word.endswith("url") for word in dedup) and not one_index:
            raise JobError("--dedup url finds duplicates inside a part only; give --one-index, whose merge finds the others")


@contextmanager
def _lock(job: Job) -> Iterator[None]:
    """An interrupted job is kept in the stage; of any other one nothing is left there."""
    os.makedirs(job.directory, exist_ok=True)
    try:
        with open(f"{job.stage}/{job.id}.lock", "w", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise JobError(f"another driver runs this job in {job.stage}; wait for it, or stop it") from None
            try:
                yield
            finally:
                _remove_empty(job.directory)
                if not os.path.isdir(job.directory):
                    os.unlink(file.name)
    finally:
        _remove_empty(job.stage)


def _remove_empty(directory: str) -> None:
    try:
        os.rmdir(directory)
    except OSError:
        pass  # it is not empty, or gone


class _Driver:
    def __init__(self, job: Job, launcher: Launcher, target: DiskOutput | StoreOutput, one_index: bool):
        self.job, self.launcher, self.target, self.one_index = job, launcher, target, one_index
        self.last = "manifest" if one_index else SHARDS_FILE  # the file without which the output is nothing

    def run(self, max_error_rate: float, skipped: str | None) -> IndexJobReport:
        job = self.job
        os.makedirs(job.directory, exist_ok=True)
        published = self._published()
        if published is not None:
            sweep(job.directory)
            return published
        self.target.check(self.last)
        note_parts(job.directory, job.content_id, job.parts)
        write_durably(job.input_list, "".join(file.path + "\n" for file in job.inputs))
        earlier = sum(complete_attempt(job.directory, part_name(part)) is not None for part in range(job.parts))
        parts = self._all_parts()
        check_unchanged(job.inputs)
        merged = self._merge(parts) if self.one_index else None
        report = self._report(parts, merged, earlier)
        self._check_error_rate(report, parts, merged, max_error_rate)
        if skipped is not None:
            _join([f"{part.directory}/skipped.jsonl" for part in parts], skipped)
        self._publish(parts, merged, report)
        sweep(job.directory)
        return report

    def _all_parts(self) -> list[Done]:
        self.launcher.run(partial(index_part, self.job), range(self.job.parts), "index")
        # What counts is what the disk holds: two attempts that differ stop the job here.
        return [self._complete(part_name(part)) for part in range(self.job.parts)]

    def _complete(self, step: str) -> Done:
        done = complete_attempt(self.job.directory, step)
        if done is None:
            raise JobError(
                f"{step} is not in the stage {self.job.stage}, though its task ended; do all machines share this disk?"
            )
        return done

    def _merge(self, parts: list[Done]) -> list[list[Done]]:
        """Returns the merges by level; the last level has one index."""
        levels: list[list[Done]] = []
        indexes = parts
        while len(indexes) > 1:
            groups = _groups(indexes)
            options = ("--dedup", "url") if self._dedups_urls() else ()
            merges = [
                Merge(f"merge-{len(levels) + 1}-{number:05d}", tuple(done.index for done in group), options)
                for number, group in enumerate(groups)
            ]
            self.launcher.run(partial(merge_indexes, self.job), merges, "merge")
            indexes = [self._complete(merge.step) for merge in merges]
            levels.append(indexes)
        return levels

    def _dedups_urls(self) -> bool:
        return any(word.endswith("url") for word in self.job.options) and any("--dedup" in word for word in self.job.options)

    def _report(self, parts: list[Done], merged: list[list[Done]] | None, earlier: int) -> IndexJobReport:
        skipped: dict[str, int] = {}
        for done in [*parts, *(done for level in merged or [] for done in level)]:
            for reason, count in done.skipped.items():
                skipped[reason] = skipped.get(reason, 0) + count
        last = merged[-1] if merged else parts
        documents = sum(done.documents for done in last)
        records_in = sum(part.records_in for part in parts)
        if records_in != documents + sum(skipped.values()):
            raise JobError(
                f"the parts have {records_in} records, but {documents} documents and {skipped} skipped ones: a defect"
            )
        return IndexJobReport(self.target.name, documents, records_in, skipped, len(parts), earlier)

    def _check_error_rate(
        self, report: IndexJobReport, parts: list[Done], merged: list[list[Done]] | None, most: float
    ) -> None:
        bad = sum(done.errors for done in [*parts, *(done for level in merged or [] for done in level)])
        if bad > most * report.records_in:
            raise JobError(
                f"{bad} of {report.records_in} records cannot be indexed {report.skipped}, more than --max-error-rate {most} "
                f"allows; --skipped FILE lists them; the complete parts are kept in {self.job.stage}"
            )

    def _publish(self, parts: list[Done], merged: list[list[Done]] | None, report: IndexJobReport) -> None:
        if merged is not None:
            index = (merged[-1] if merged else parts)[0].index
            self._note_publishing(report, digest_of(index))
            self.target.publish(index, self.last)
            return
        directory = f"{self.job.directory}/shards"
        described = {"job": self.job.id, "version": self.job.version, "options": self.job.options, **asdict(report)}
        assemble_shards(parts, directory, json.dumps(described, indent=2) + "\n")
        self._note_publishing(report, self.job.id)
        self.target.publish(directory, self.last)

    def _note_publishing(self, report: IndexJobReport, mark: str) -> None:
        write_durably(f"{self.job.directory}/{PUBLISHED_FILE}", json.dumps({"report": asdict(report), "mark": mark}))

    def _published(self) -> IndexJobReport | None:
        """The report of an earlier driver of this job that was killed between publishing and sweeping."""
        try:
            with open(f"{self.job.directory}/{PUBLISHED_FILE}", encoding="utf-8") as file:
                noted = json.load(file)
        except FileNotFoundError:
            return None
        last = self.target.read(self.last)
        if last is None:
            return None
        mark = hashlib.sha256(last).hexdigest() if self.one_index else json.loads(last)["job"]
        report = IndexJobReport(**noted["report"])
        return report if mark == noted["mark"] and report.output == self.target.name else None


def _groups(indexes: list[Done]) -> list[list[Done]]:
    """Neighbours in groups of about equal size, so that two levels do for up to 256 indexes."""
    if len(indexes) <= _MOST_INDEXES_OF_MERGE:
        return [indexes]
    count = math.ceil(len(indexes) / max(2, min(_MOST_INDEXES_OF_MERGE, math.ceil(math.sqrt(len(indexes))))))
    bounds = [len(indexes) * number // count for number in range(count + 1)]
    return [indexes[begin:end] for begin, end in zip(bounds, bounds[1:])]


def _join(paths: Iterable[str], target: str) -> None:
    text = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text.append(file.read())
    write_durably(os.path.abspath(target), "".join(text))
