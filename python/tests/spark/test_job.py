"""Jobs in parts give what one process gives, and lose and leave nothing when something fails."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from job_case import IS_PACKAGE, PROGRAM, JobCase, files_of, jsonl
from spillway.spark import LocalLauncher, RayLauncher, driver, publish, task
from spillway.spark.child import version_of
from spillway.spark.errors import JobError, ProgramError
from spillway.spark.inputs import InputFile, inputs_of_part, list_inputs
from spillway.spark.job import Job


class SameBytes(JobCase):
    def expect_same(self, inputs: list[str], *options: str) -> None:
        expected = self.index_in_one_process(inputs, *options)
        for parts in (1, 2, 8, 32):
            with self.subTest(parts=parts, options=options):
                report = self.run_job(inputs, options=options, parts=parts, one_index=True, force=True)
                self.assertEqual(files_of(self.out), expected)
                self.assertEqual(report.records_in, report.documents + sum(report.skipped.values()))
                self.expect_no_rest()

    def test_json_lines_with_positions_and_ids_that_repeat_across_parts(self) -> None:
        inputs = [self.write("in/a.jsonl", jsonl(1, 300)), self.write("in/b.jsonl", jsonl(2, 500))]
        self.expect_same(inputs, "--positions", "--store", "text")

    def test_duplicates_that_are_kept_and_urls_that_repeat(self) -> None:
        inputs = [self.write("in/a.jsonl", jsonl(3, 400))]
        self.expect_same(inputs, "--duplicate-ids", "keep")
        self.expect_same(inputs, "--duplicate-ids", "keep", "--dedup", "url")

    def test_lines_without_ids_in_packed_files_of_a_directory(self) -> None:
        for number in range(5):
            self.write(f"in/{number}.gz", "\n".join(f"line {number} {i}" for i in range(200)))
        self.write("in/.hidden", "not read")
        self.expect_same([str(self.scratch / "in")], "--format", "lines")

    def test_every_kind_of_file(self) -> None:
        kinds = self.write_every_kind()
        for inputs in kinds.values():
            self.expect_same(inputs)
        if "parquet" in kinds:
            texts = [self.write(f"same/{number}.jsonl", jsonl(60 + number, 300)) for number in range(2)]
            self.assertEqual(self.index_in_one_process(texts), files_of(self.out))

    def test_records_that_cannot_be_indexed(self) -> None:
        inputs = [self.write("in/a.jsonl", jsonl(4, 50) + "not json\n" + jsonl(5, 50))]
        self.expect_same(inputs)


class Inputs(unittest.TestCase):
    def test_are_cut_so_that_all_slots_have_as_many_parts(self) -> None:
        four = 4 << 30
        cases = (
            (1, 8, 1, 8),
            (8 * four, 8, 1, 8),
            (8 * four + 1, 8, 1, 16),
            (233 * four, 64, 1, 256),
            (64 * four, 8, 4, 16),
        )
        for size, slots, threads, expected in cases:
            self.assertEqual(driver.count_of_parts(size, slots, threads), expected)

    def test_of_a_part_are_those_that_it_may_read(self) -> None:
        files = [InputFile(str(number), size, 0) for number, size in enumerate((10, 0, 10, 30, 0))]
        found = [[file.path for file in inputs_of_part(files, part, 5)] for part in range(5)]
        self.assertEqual(found, [["0", "1", "2"], ["0", "1", "2", "3"], ["2", "3"], ["3"], ["3", "4"]])


    def test_below_a_directory_of_a_table_are_those_of_its_data(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            for name, content in (("_SUCCESS", ""), ("part-0.parquet", "PAR1 PAR1"), ("_temporary/a.parquet", "PAR1 PAR1")):
                path = Path(directory, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(content)
            self.assertEqual([Path(file.path).name for file in list_inputs([directory])], ["part-0.parquet"])
            Path(directory, "part-0.parquet").write_text('{"id": "1", "text": "x"}')
            self.assertEqual(len(list_inputs([directory])), 3)


class Versions(JobCase):
    def test_of_scripts_are_those_of_what_they_run(self) -> None:
        script = self.scratch / "spillway"
        script.write_text('#!/bin/sh\ncase "$1" in --fingerprint) echo "spillway 9, package sha256 ab" ;; esac\n')
        script.chmod(0o755)
        self.assertEqual(version_of(str(script)), "spillway 9, package sha256 ab")
        script.write_text('#!/bin/sh\n[ "$1" = --version ] || exit 2\necho "spillway 9"\n')
        self.assertRegex(version_of(str(script)), "spillway 9, sha256 [0-9a-f]{64}")

    @unittest.skipUnless(IS_PACKAGE, "needs the package's program")
    def test_of_the_package_hold_a_hash_of_it(self) -> None:
        self.assertRegex(version_of(PROGRAM), r"spillway [0-9.]+, package sha256 [0-9a-f]{64}")


class Shards(JobCase):
    def test_are_found_as_in_one_index(self) -> None:
        rows = ({"id": str(i), "text": f"w{i % 7} w{i % 13}"} for i in range(500))
        inputs = [self.write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))]
        report = self.run_job(inputs, parts=6)
        self.assertEqual((report.documents, report.parts), (500, 6))
        self.index_in_one_process(inputs)
        for query in ("w3", "w1 w12", "+w5 -w2"):
            words = (query, "--format", "json", "-k", "100")
            expected = self.spillway("search", str(self.scratch / "whole"), *words)
            self.assertEqual(self.spillway("search", str(self.out), *words), expected)
        self.expect_no_rest()

    def test_tell_the_job_that_made_them(self) -> None:
        self.run_job([self.write("a.jsonl", jsonl(6, 40))], parts=3, options=["--positions"])
        described = json.loads((self.out / publish.SHARDS_FILE).read_text())
        self.assertEqual((described["options"], described["parts"]), (["--positions"], 3))


class Ledger(JobCase):
    def test_names_every_record_that_is_not_indexed(self) -> None:
        path = self.write("a.jsonl", '{"id":"1","text":"a"}\nbad\n{"id":"2","text":"b"}\n{"text":"c"}\n')
        ledger = self.scratch / "skipped.jsonl"
        report = self.run_job([path], parts=2, skipped=str(ledger))
        self.assertEqual(sum(report.skipped.values()), 2)
        lines = [json.loads(line) for line in ledger.read_text().splitlines()]
        self.assertEqual([(line["file"], line["offset"]) for line in lines], [(path, 22), (path, 48)])

    def test_stops_at_too_many_errors_over_all_parts(self) -> None:
        path = self.write("a.jsonl", '{"id":"1","text":"a"}\n' * 50 + "bad\n" * 50)
        with self.assertRaisesRegex(JobError, "99 of 100 records cannot be indexed"):
            self.run_job([path], parts=2, one_index=True, max_error_rate=0.5)
        self.assertFalse(self.out.exists())


class Refused(JobCase):
    def setUp(self) -> None:
        super().setUp()
        self.inputs = [self.write("a.jsonl", jsonl(7, 60))]

    def expect_refused(self, pattern: str, **settings) -> None:
        with self.assertRaisesRegex(JobError, pattern):
            self.run_job(self.inputs, **{"parts": 2, **settings})

    def test_an_output_that_exists_or_is_something_else(self) -> None:
        self.run_job(self.inputs, parts=2)
        before = files_of(self.out)
        self.expect_refused("exists; --force replaces it")
        self.assertEqual(files_of(self.out), before)
        self.expect_no_rest()
        self.run_job(self.inputs, parts=3, force=True)
        shutil.rmtree(self.out)
        self.out.mkdir()
        (self.out / "precious").write_text("x")
        self.expect_refused("neither an index nor a directory of shards", force=True)
        self.assertEqual((self.out / "precious").read_text(), "x")

    def test_options_that_the_job_sets_or_that_need_all_documents(self) -> None:
        self.expect_refused("sets --memory of its tasks itself", options=["--memory=1G"])
        self.expect_refused("sets -o", options=["-o", "there"])
        self.expect_refused("--dedup exact finds duplicates inside a part only", options=["--dedup", "exact"])
        self.expect_refused("give --one-index", options=["--dedup=url"])

    def test_options_that_the_program_refuses_before_any_task(self) -> None:
        with mock.patch.object(self.launcher, "run", side_effect=AssertionError):
            self.expect_refused("--stem 'klingon': expected one of none", options=["--stem", "klingon"])
            self.expect_refused("unknown option --no-such", options=["--no-such"])
        self.expect_no_rest()

    def test_stages_by_url(self) -> None:
        with self.assertRaisesRegex(JobError, "the stage of s3://bucket/out is a directory on a disk that all machines share"):
            driver.run_index_job(self.inputs, "s3://bucket/out", self.launcher, program=PROGRAM)
        self.expect_refused("is a directory on a disk that all machines share", stage="s3://bucket/stage")

    def test_inputs_that_are_gone_or_no_files(self) -> None:
        with self.assertRaises(FileNotFoundError):
            self.run_job([str(self.scratch / "none")])
        with self.assertRaisesRegex(JobError, "all machines see"):
            self.run_job(["-"])

    def test_an_input_that_changes_under_the_job(self) -> None:
        real = task.run_program

        def change_and_run(words):
            if "index" in words:
                Path(self.inputs[0]).write_text(jsonl(8, 61))
            return real(words)

        with mock.patch.object(task, "run_program", change_and_run):
            self.expect_refused("changed since the job began")
        self.assertFalse(self.out.exists())

    def test_another_version_of_the_program(self) -> None:
        with mock.patch.object(driver, "version_of", lambda program: "spillway 0.0.1"):
            self.expect_refused("is 'spillway .*', and the job began with 'spillway 0.0.1'")

    def test_a_program_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(JobError, "there is no program /none"):
            driver.run_index_job(self.inputs, str(self.out), self.launcher, program="/none")

    def test_too_little_memory_with_the_words_of_the_program(self) -> None:
        self.launcher = LocalLauncher(slots=1, memory=1 << 20)
        self.expect_refused("is too little for one thread.*; give at least 64M")

    def test_a_second_driver(self) -> None:
        real = task.run_program

        def run_another(words):
            if "--part" in words:
                with self.assertRaisesRegex(JobError, "another driver runs this job"):
                    self.run_job(self.inputs, parts=2)
            return real(words)

        with mock.patch.object(task, "run_program", run_another):
            self.run_job(self.inputs, parts=2)


class Attempts(JobCase):
    def setUp(self) -> None:
        super().setUp()
        self.inputs = [self.write("a.jsonl", jsonl(9, 90))]

    def job_directory(self) -> Path:
        return next(path for path in (self.scratch / "out.stage").iterdir() if path.is_dir())

    def failing_in(self, word: str):
        """Runs the program, and fails once it is told `word`."""
        real = task.run_program

        def fail(words):
            if word in words:
                raise ProgramError("the disk is full", 2)
            return real(words)

        return fail

    def fail_in(self, word: str, **settings) -> None:
        with mock.patch.object(task, "run_program", self.failing_in(word)), self.assertRaises(ProgramError):
            self.run_job(self.inputs, parts=3, **settings)

    def test_that_are_complete_are_not_made_again(self) -> None:
        expected = self.index_in_one_process(self.inputs)
        self.fail_in("merge", one_index=True)
        self.assertFalse(self.out.exists())
        report = self.run_job(self.inputs, parts=3, one_index=True)
        self.assertEqual(report.earlier_parts, 3)
        self.assertEqual(files_of(self.out), expected)
        self.expect_no_rest()

    def test_that_are_complete_count_on_a_cluster_of_another_size(self) -> None:
        """The number of parts depends on the cluster, unless it is told. The job goes on after a machine was lost."""
        with mock.patch.object(driver, "_LEAST_PART", 1):
            with mock.patch.object(task, "run_program", self.failing_in("merge")), self.assertRaises(ProgramError):
                self.run_job(self.inputs, one_index=True)
            self.launcher = LocalLauncher(slots=3, memory=128 << 20)
            report = self.run_job(self.inputs, one_index=True)
            self.assertEqual((report.parts, report.earlier_parts), (2, 2))
            self.expect_no_rest()
            self.assertEqual(self.run_job(self.inputs, one_index=True, force=True).parts, 3)

    def test_that_fail_leave_nothing(self) -> None:
        self.fail_in("--part")
        left = [path for path in self.job_directory().rglob("*") if path.is_file()]
        self.assertEqual(sorted(path.name for path in left), ["inputs", "parts"])

    def test_that_differ_stop_the_job(self) -> None:
        self.fail_in("merge", one_index=True)
        part = self.job_directory() / "part-00001"
        (attempt,) = part.iterdir()
        shutil.copytree(attempt, part / "other")
        done = json.loads((part / "other/done").read_text())
        (part / "other/done").write_text(json.dumps({**done, "digest": "0" * 64}))
        with self.assertRaisesRegex(JobError, "two attempts of part-00001 differ"):
            self.run_job(self.inputs, parts=3, one_index=True)
        self.assertFalse(self.out.exists())

    def test_of_a_job_that_was_killed_after_it_published(self) -> None:
        for one_index in (False, True):
            with self.subTest(one_index=one_index):
                with mock.patch.object(driver, "sweep", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
                    self.run_job(self.inputs, parts=3, one_index=one_index, force=True)
                made = files_of(self.out)
                report = self.run_job(self.inputs, parts=3, one_index=one_index)
                self.assertEqual(files_of(self.out), made)
                self.assertEqual(report.documents + sum(report.skipped.values()), 90)
                self.expect_no_rest()


class KilledDriver(JobCase):
    """The driver, as a process of its own, is killed at many moments; the next one goes on."""

    def command(self, *more: str) -> list[str]:
        return [sys.executable, "-m", "spillway.spark", "index", str(self.scratch / "in"), "-o", str(self.out), "--parts", "6",
                "--launcher", "local", "--memory", "128M", "--max-error-rate", "1", "--program", PROGRAM, *more]  # fmt: skip

    def expect_nobody_works(self) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            found = subprocess.run(["pgrep", "-f", f"{self.scratch}"], capture_output=True, text=True).stdout
            if not found:
                return
            time.sleep(0.05)
        self.fail("a child outlives its parent")

    def kill_after(self, seconds: float, number: int, words: list[str]) -> bool:
        """Returns whether the driver was still there."""
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(seconds)
                return False
            except subprocess.TimeoutExpired:
                process.send_signal(number)
                process.wait()
        self.expect_nobody_works()
        return True

    def test_leaves_the_old_output_or_the_new_one(self) -> None:
        for number in range(3):
            self.write(f"in/{number}.jsonl", jsonl(10 + number, 2000))
        expected = self.index_in_one_process([str(self.scratch / "in")])
        for more in (["--one-index"], []):
            begin = time.monotonic()
            subprocess.run(self.command(*more), check=True, stdout=subprocess.DEVNULL)
            whole, result = time.monotonic() - begin, files_of(self.out)
            shutil.rmtree(self.out)
            for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
                for step in range(1, 4):
                    if self.kill_after(whole * step / 4, number, self.command(*more)) and self.out.exists():
                        self.assertEqual(files_of(self.out).keys(), result.keys())
                    if not self.out.exists():
                        subprocess.run(self.command(*more), check=True, stdout=subprocess.DEVNULL)
                    found = files_of(self.out)
                    self.assertEqual(found.keys(), result.keys())
                    self.assertTrue(all(found[name] == result[name] for name in found if name != publish.SHARDS_FILE))
                    if (self.scratch / "out.stage").exists():  # it was killed between publishing and the end
                        again = subprocess.run(self.command(*more), check=False, capture_output=True, text=True)
                        self.assertTrue(again.returncode == 0 or "exists; --force replaces it" in again.stderr, again.stderr)
                    self.expect_no_rest()
                    shutil.rmtree(self.out)
            if more:
                self.assertEqual(result, expected)


class Ray(JobCase):
    @unittest.skipUnless(importlib.util.find_spec("ray"), "there is no ray")
    def test_runs_the_same_tasks(self) -> None:
        import ray

        inputs = [self.write(f"in/{number}.jsonl", jsonl(80 + number, 200)) for number in range(3)]
        expected = self.index_in_one_process(inputs)
        # The workers import the package, and the tests, from where this process has them.
        path = os.pathsep.join(filter(None, sys.path))
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
        try:
            self.launcher = RayLauncher(memory=128 << 20)
            self.assertEqual(self.launcher.slots, 2)
            report = self.run_job(inputs, parts=5, one_index=True)
            self.assertEqual(files_of(self.out), expected)
            self.assertEqual(report.records_in, 600)
            with self.assertRaisesRegex(JobError, "--max-error-rate"):
                self.run_job(inputs, parts=2, force=True, max_error_rate=0.0)
        finally:
            ray.shutdown()
        shutil.rmtree(f"{self.out}.stage", ignore_errors=True)  # the failed job keeps its parts


class SourceTree(JobCase):
    @unittest.skipUnless(IS_PACKAGE, "the program is none of the package")
    def test_on_the_path_of_the_driver_does_not_hide_the_module_of_the_program(self) -> None:
        source = self.scratch / "source"
        shutil.copytree(Path(driver.__file__).parents[1], source / "spillway", ignore=shutil.ignore_patterns("*.so"))
        self.write("in/a.jsonl", jsonl(70, 50))
        command = [sys.executable, "-m", "spillway.spark", "index", str(self.scratch / "in"), "-o", str(self.out),
                   "--parts", "2", "--launcher", "local", "--memory", "128M", "--max-error-rate", "1", "--program", PROGRAM,
                   "--one-index"]  # fmt: skip
        path = f"{source}{os.pathsep}{self.scratch}"
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(files_of(self.out), self.index_in_one_process([str(self.scratch / "in")]))


class Identity(unittest.TestCase):
    def test_is_that_of_inputs_options_and_versions_only(self) -> None:
        job = Job((), ("--positions",), 3, "v", "program", "stage", 1, 1)
        self.assertEqual(job.id, Job((), ("--positions",), 3, "v", "other", "there", 2, 2).id)
        others = (
            Job((), (), 3, "v", "program", "stage", 1, 1),
            Job((), ("--positions",), 4, "v", "program", "stage", 1, 1),
            Job((), ("--positions",), 3, "w", "program", "stage", 1, 1),
        )
        for other in others:
            self.assertNotEqual(job.id, other.id)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", str(Path(__file__).parents[2]))
    unittest.main()
