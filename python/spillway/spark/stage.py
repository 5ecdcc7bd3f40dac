"""Attempts on the shared disk. An attempt is complete once its file `done` is there; everything else may be swept.

    STAGE/JOB/inputs                       the list of inputs
    STAGE/JOB/parts                        how many parts the job has, and what it indexes
    STAGE/JOB/part-00003/ATTEMPT/index     the index of a part
    STAGE/JOB/part-00003/ATTEMPT/done      its digest and counts, written last
    STAGE/JOB/merge-1-00000/ATTEMPT/...    likewise for a merge
"""

import glob
import hashlib
import json
import os
import uuid
from dataclasses import asdict, dataclass, field

from .errors import JobError


@dataclass(frozen=True)
class Done:
    """A complete attempt. digest: of the index's manifest, which holds the checksums of all its files."""

    step: str
    directory: str
    digest: str
    documents: int
    records_in: int = 0
    skipped: dict[str, int] = field(default_factory=dict)  # by reason; of a merge: documents that it dropped
    errors: int = 0  # of the skipped records, those that --max-error-rate counts

    @property
    def index(self) -> str:
        return f"{self.directory}/index"


def new_attempt(job_directory: str, step: str) -> str:
    """Makes a directory that no other attempt has."""
    directory = f"{job_directory}/{step}/{uuid.uuid4().hex}"
    os.makedirs(directory)
    return directory


def write_durably(path: str, text: str) -> None:
    """The file appears whole, or not at all, whatever crashes."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)
    sync_directory(os.path.dirname(path))


def note_parts(job_directory: str, content: str, parts: int) -> None:
    write_durably(f"{job_directory}/parts", json.dumps({"content": content, "parts": parts}))


def begun_parts(stage: str, content: str) -> int:
    """How many parts a job has in the stage that indexes the same; 0 if there is none.

    A cluster that has lost a machine would cut the job into others, and what is complete would not count.
    """
    for path in sorted(glob.glob(f"{glob.escape(stage)}/*/parts")):
        try:
            with open(path, encoding="utf-8") as file:
                noted = json.load(file)
        except FileNotFoundError:
            continue  # another driver has just ended
        if noted["content"] == content:
            return noted["parts"]
    return 0


def sync_directory(path: str) -> None:
    descriptor = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _counts_of_part(report: dict) -> dict:
    return {"records_in": report["records_in"], "skipped": report["skipped"], "errors": report["error_records"]}


def _counts_of_merge(report: dict) -> dict:
    names = {"duplicate_id": "duplicate_documents", "duplicate_url": "duplicate_url_documents"}
    skipped = {reason: report[name] for reason, name in names.items() if report[name] != 0}
    return {"skipped": skipped, "errors": report["duplicate_documents"]}


def digest_of(index: str) -> str:
    with open(f"{index}/manifest", "rb") as manifest:
        return hashlib.sha256(manifest.read()).hexdigest()


def finish_attempt(directory: str, step: str, report: dict) -> Done:
    """Marks the attempt as complete. `report`: what the program wrote with --json."""
    digest = digest_of(f"{directory}/index")
    counts = _counts_of_merge(report) if report["command"] == "merge" else _counts_of_part(report)
    done = Done(step, directory, digest, report["documents"], **counts)
    write_durably(f"{directory}/done", json.dumps(asdict(done)))
    return done


def _attempts(job_directory: str, step: str) -> list[Done]:
    found = []
    try:
        names = sorted(os.listdir(f"{job_directory}/{step}"))
    except FileNotFoundError:
        return []
    for name in names:
        directory = f"{job_directory}/{step}/{name}"
        if not os.path.isdir(f"{directory}/index"):
            continue  # under way, left by a task that was killed, or published
        try:
            with open(f"{directory}/done", encoding="utf-8") as file:
                found.append(Done(**{**json.load(file), "directory": directory}))
        except FileNotFoundError:
            continue
    return found


def complete_attempt(job_directory: str, step: str) -> Done | None:
    """Returns a complete attempt, if there is one. Raises JobError if two differ."""
    attempts = _attempts(job_directory, step)
    for other in attempts[1:]:
        if other.digest != attempts[0].digest:
            raise JobError(
                f"two attempts of {step} differ, which must be equal: {attempts[0].directory} and {other.directory}. A disk, "
                "a memory or an input is not to be trusted; check the machines, remove the stage, and start again"
            )
    return attempts[0] if attempts else None
