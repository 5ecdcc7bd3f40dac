"""The work of one task, whatever runs it."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .child import find_program, run_program, version_of
from .errors import JobError, ProgramError
from .inputs import check_unchanged, inputs_of_part
from .job import Job
from .stage import Done, complete_attempt, finish_attempt, new_attempt

_USAGE = 2  # exit code of the program


def part_name(part: int) -> str:
    return f"part-{part:05d}"


def check_version(job: Job) -> None:
    """Raises JobError if this machine has another program than the one that began the job."""
    found = version_of(job.program)
    if found != job.version:
        raise JobError(
            f"{job.program} on this machine ({os.uname().nodename}) is {found!r}, and the job began with {job.version!r}; "
            "install the same version on all machines"
        )


def _attempt(job: Job, step: str, words: Callable[[str], Sequence[str]]) -> Done:
    """Runs the program with words(directory), unless an earlier attempt is complete. A failed attempt leaves nothing."""
    earlier = complete_attempt(job.directory, step)
    if earlier is not None:
        return earlier
    directory = new_attempt(job.directory, step)
    try:
        run_program(list(words(directory)))
        with open(f"{directory}/report.json", encoding="utf-8") as file:
            report = json.load(file)
        return finish_attempt(directory, step, report)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def _resources(job: Job, directory: str) -> list[str]:
    return ["-o", f"{directory}/index", "--json", f"{directory}/report.json", "--memory", str(job.memory), "--threads",
            str(job.threads), "--quiet"]  # fmt: skip


def check_options(program: str, options: Sequence[str]) -> None:
    """Indexes an empty file, so that an option that the program refuses ends the job before its tasks are tried many times.

    Files that options name must be on this machine, too. Raises ProgramError. Another failure than wrong usage may be one of
    this machine only, such as a missing GPU.
    """
    with tempfile.TemporaryDirectory(prefix="spillway-options-") as directory:
        empty = f"{directory}/empty"
        with open(empty, "wb"):
            pass
        try:
            run_program([find_program(program), "index", empty, *options, "-o", f"{directory}/index", "--quiet"])
        except ProgramError as error:
            if error.exit_code == _USAGE:
                raise


def index_part(job: Job, part: int) -> Done:
    """Indexes part number `part`, from 0."""
    check_version(job)
    inputs = inputs_of_part(job.inputs, part, job.parts)
    check_unchanged(inputs)

    def words(directory: str) -> list[str]:
        # Which share of all records is bad is known once all parts are done.
        return [find_program(job.program), "index", f"@{job.input_list}", "--part", f"{part + 1}/{job.parts}", *job.options,
                "--max-error-rate", "1", "--skipped", f"{directory}/skipped.jsonl",
                *_resources(job, directory)]  # fmt: skip

    done = _attempt(job, part_name(part), words)
    check_unchanged(inputs)
    return done


@dataclass(frozen=True)
class Merge:
    """The indexes that a task merges, in their order."""

    step: str
    indexes: tuple[str, ...]
    options: tuple[str, ...] = ()


def merge_indexes(job: Job, merge: Merge) -> Done:
    check_version(job)

    def words(directory: str) -> list[str]:
        return [find_program(job.program), "merge", *merge.indexes, *merge.options, *_resources(job, directory)]

    return _attempt(job, merge.step, words)
