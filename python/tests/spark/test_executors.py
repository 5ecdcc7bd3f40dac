"""What a Spark launcher takes from its application, whose executors come after it has started."""

import unittest
from types import SimpleNamespace
from unittest import mock

from spillway.spark import LateLauncher, SparkLauncher
from spillway.spark.errors import JobError
from spillway.spark.executors import await_executors


class Application:
    """A SparkContext of a cluster. arrivals: the cores of each executor, by the second in which it registers."""

    def __init__(self, arrivals: list[tuple[float, int]], **conf: str):
        self.now = 0.0
        self._arrivals, self._conf = arrivals, {"spark.master": "spark://a:7077", **conf}
        store = SimpleNamespace(executorList=lambda _: self._listed())
        self._jsc = SimpleNamespace(sc=lambda: SimpleNamespace(statusStore=lambda: store))

    def _listed(self) -> SimpleNamespace:
        there = [("driver", 0)] + [(str(at), cores) for at, cores in self._arrivals if at <= self.now]
        summaries = [
            SimpleNamespace(id=lambda name=name: name, totalCores=lambda cores=cores: cores) for name, cores in there
        ]
        return SimpleNamespace(size=lambda: len(summaries), apply=lambda number: summaries[number])

    @property
    def defaultParallelism(self) -> int:
        """As in Spark: two at least, also while no executor is there."""
        given = self._conf.get("spark.default.parallelism")
        return int(given) if given else max(2, sum(cores for at, cores in self._arrivals if at <= self.now))

    def getConf(self) -> SimpleNamespace:
        return SimpleNamespace(get=self._conf.get)

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def cores(self) -> list[int]:
        return await_executors(self, lambda: self.now, self.sleep)

    def launcher(self, **settings: int) -> SparkLauncher:
        launcher = SparkLauncher(self, **settings)
        with mock.patch.object(await_executors, "__defaults__", (lambda: self.now, self.sleep)):
            _ = launcher.slots, launcher.memory
        return launcher


class Executors(unittest.TestCase):
    def test_are_all_those_that_register_one_after_the_other(self) -> None:
        self.assertEqual(Application([(2.0, 8), (2.4, 8), (3.6, 16)]).cores(), [8, 8, 16])

    def test_are_waited_for_until_there_are_as_many_cores_as_the_configuration_names(self) -> None:
        slow = [(2.0, 8), (6.0, 8)]
        self.assertEqual(Application(slow).cores(), [8])
        for conf in ({"spark.cores.max": "16"}, {"spark.executor.instances": "2", "spark.executor.cores": "8"}):
            application = Application(slow, **conf)
            self.assertEqual(application.cores(), [8, 8])
            self.assertLess(application.now, 6.1)

    def test_are_not_waited_for_without_end_if_the_cluster_has_fewer(self) -> None:
        for conf in ({"spark.cores.max": "1000"}, {"spark.cores.max": "17", "spark.executor.cores": "8"}):
            application = Application([(2.0, 8), (2.1, 8)], **conf)
            self.assertEqual(application.cores(), [8, 8])
            self.assertLess(application.now, 15)
        nobody = Application([])
        self.assertEqual(nobody.cores(), [])
        self.assertLess(nobody.now, 61)


class Launchers(unittest.TestCase):
    def test_have_a_slot_for_each_task_of_all_executors(self) -> None:
        self.assertEqual(Application([(2.0, 32), (2.2, 32)]).launcher().slots, 64)
        uneven = Application([(2.0, 7), (2.2, 5)], **{"spark.task.cpus": "2"}).launcher()
        self.assertEqual((uneven.slots, uneven.threads), (5, 2))
        here = Application([], **{"spark.master": "local[4]", "spark.default.parallelism": "4"})
        self.assertEqual(here.launcher().slots, 4)

    def test_give_a_task_its_share_of_the_largest_executor(self) -> None:
        overhead = {"spark.executor.memoryOverhead": "16g"}
        self.assertEqual(Application([(2.0, 8), (2.2, 16), (2.4, 8)], **overhead).launcher().memory, 1 << 30)
        self.assertEqual(Application([(2.0, 8)], **overhead, **{"spark.task.cpus": "4"}).launcher().memory, 8 << 30)
        self.assertEqual(Application([(2.0, 8)], **overhead).launcher(memory=5 << 20).memory, 5 << 20)

    def test_that_come_late_are_those_that_were_made(self) -> None:
        launcher = LateLauncher(lambda: SimpleNamespace(slots=3, threads=2, memory=1, run=lambda *words: list(words)))
        self.assertEqual((launcher.slots, launcher.threads, launcher.memory), (3, 2, 1))
        self.assertEqual(launcher.run(len, ["a"], "index"), [len, ["a"], "index"])

        def fail():
            raise JobError("there is no cluster")

        with self.assertRaisesRegex(JobError, "there is no cluster"):
            _ = LateLauncher(fail).slots


if __name__ == "__main__":
    unittest.main()
