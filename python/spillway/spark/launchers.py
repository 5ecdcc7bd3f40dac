"""What runs the tasks of a job: Spark, Ray, or processes of this machine."""

import functools
import os
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from .errors import JobError, ProgramError
from .executors import await_executors

_FINAL_EXIT_CODES = (3, 4)  # bad input, or too little memory: another attempt ends the same way
_LEAST_MEMORY = 64 << 20
_MEBIBYTE = 1 << 20


def _outcome(function: Callable[[Any], Any], item: Any) -> tuple[Any, str]:
    """Returns the result and an empty text, or the words of a failure that another attempt would meet again."""
    try:
        return function(item), ""
    except ProgramError as error:
        if error.exit_code not in _FINAL_EXIT_CODES:
            raise
        return None, str(error)
    except JobError as error:
        return None, str(error)


def _results(outcomes: Sequence[tuple[Any, str]]) -> list[Any]:
    for _, words in outcomes:
        if words:
            raise JobError(words)
    return [result for result, _ in outcomes]


def _available_memory() -> int:
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    raise JobError("/proc/meminfo names no MemAvailable; give --memory")


class LocalLauncher:
    """Runs tasks side by side on this machine; each is a process of the program."""

    def __init__(self, slots: int = 0, threads: int = 1, memory: int = 0):
        processors = len(os.sched_getaffinity(0))
        self.slots = slots or max(1, processors // threads)
        self.threads = threads
        self.memory = memory or max(_LEAST_MEMORY, _available_memory() // 2 // self.slots)

    def run(self, function: Callable[[Any], Any], items: Sequence[Any], name: str) -> list[Any]:
        with ThreadPoolExecutor(self.slots, thread_name_prefix=name) as pool:
            return _results(list(pool.map(lambda item: _outcome(function, item), items)))


class SparkLauncher:
    """Runs tasks on a Spark cluster. Every machine needs this package and the program, and sees the same files.

    context: a SparkContext. A task gets `spark.task.cpus` threads, and by default its share of the executor's memory
    outside of the Java heap (`spark.executor.memoryOverhead`). `slots` and `memory` wait until the executors are there.
    """

    def __init__(self, context: Any, memory: int = 0):
        self._context, self._memory = context, memory
        self.threads = int(context.getConf().get("spark.task.cpus", "1"))

    @functools.cached_property
    def slots(self) -> int:
        if self._context.getConf().get("spark.default.parallelism") is not None:
            return max(1, self._context.defaultParallelism // self.threads)
        return max(1, sum(self._tasks_of_executors))

    @functools.cached_property
    def memory(self) -> int:
        return self._memory or max(_LEAST_MEMORY, self._overhead() // self._most_tasks_of_executor())

    @functools.cached_property
    def _tasks_of_executors(self) -> list[int]:
        """How many tasks each executor runs at once."""
        runs_here = re.fullmatch(r"local(\[.*)?", self._context.getConf().get("spark.master", "")) is not None
        cores = [] if runs_here else await_executors(self._context)
        return [one // self.threads for one in cores or [self._context.defaultParallelism]]

    def _most_tasks_of_executor(self) -> int:
        cores = self._context.getConf().get("spark.executor.cores")
        return max(1, int(cores) // self.threads if cores is not None else max(self._tasks_of_executors))

    def _overhead(self) -> int:
        conf = self._context.getConf()
        given = conf.get("spark.executor.memoryOverhead")
        if given is not None:
            return _spark_size(given)
        share = float(conf.get("spark.executor.memoryOverheadFactor", "0.1"))
        return max(384 * _MEBIBYTE, int(_spark_size(conf.get("spark.executor.memory", "1g")) * share))

    def run(self, function: Callable[[Any], Any], items: Sequence[Any], name: str) -> list[Any]:
        context = self._context
        context.setJobGroup(f"spillway {name}", f"spillway {name}", interruptOnCancel=True)
        try:
            # One item a partition, so that one task.
            tasks = context.parallelize(list(items), len(items)).map(lambda item: _outcome(function, item))
            return _results(tasks.collect())
        except BaseException as error:
            context.cancelJobGroup(f"spillway {name}")
            if type(error).__name__ == "Py4JJavaError":
                raise JobError(_words_of(str(error))) from None
            raise


def _spark_size(text: str) -> int:
    """Bytes of a size as Spark writes it; without a unit MiB."""
    text = text.strip().lower().removesuffix("b")
    unit = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}.get(text[-1])
    return int(float(text[:-1]) * unit) if unit else int(text) * _MEBIBYTE


def _words_of(text: str) -> str:
    """The last words of a failed task in what Java says about it."""
    errors = [line.strip() for line in text.splitlines() if "spillway.spark" in line and "Error:" in line]
    return errors[0].partition("Error: ")[2] if errors else text


class RayLauncher:
    """Runs tasks on a Ray cluster, as SparkLauncher does on Spark."""

    def __init__(self, slots: int = 0, threads: int = 1, memory: int = 0):
        import ray

        self._ray = ray
        self.threads = threads
        self.slots = slots or max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)
        self.memory = memory or max(_LEAST_MEMORY, _available_memory() // 2 // self.slots)

    def run(self, function: Callable[[Any], Any], items: Sequence[Any], name: str) -> list[Any]:
        task = self._ray.remote(num_cpus=self.threads, max_retries=3, retry_exceptions=True)(_outcome)
        return _results(self._ray.get([task.options(name=f"spillway {name}").remote(function, item) for item in items]))


class LateLauncher:
    """A launcher that another thread makes: clusters take seconds to start, in which the driver lists inputs.

    What making it raises comes out of its first use.
    """

    def __init__(self, make: Callable[[], Any]):
        self._made: Future[Any] = Future()
        # A daemon, because a driver that ends does not wait for its cluster.
        threading.Thread(target=self._make, args=(make,), daemon=True).start()

    def _make(self, make: Callable[[], Any]) -> None:
        try:
            self._made.set_result(make())
        except BaseException as error:
            self._made.set_exception(error)

    @property
    def slots(self) -> int:
        return self._made.result().slots

    @property
    def threads(self) -> int:
        return self._made.result().threads

    @property
    def memory(self) -> int:
        return self._made.result().memory

    def run(self, function: Callable[[Any], Any], items: Sequence[Any], name: str) -> list[Any]:
        return self._made.result().run(function, items, name)
