"""Indexing on many machines: Spark, Ray or processes of one machine run parts of one job.

A job cuts its inputs into parts in their order. A task indexes one part with the program `spillway` on a disk that all
machines share, and marks the attempt as complete once the index is whole. All attempts of a part are equal, so whichever
is complete counts; two that differ stop the job. At the end the parts become shards, which `spillway search` searches as
one index, or one index with the bytes of a job of one process.

    spark-submit python/spillway/spark/__main__.py index INPUT... -o OUT --parts 32
"""

from .driver import IndexJobReport, run_index_job
from .launchers import LateLauncher, LocalLauncher, RayLauncher, SparkLauncher

__all__ = ["IndexJobReport", "LateLauncher", "LocalLauncher", "RayLauncher", "SparkLauncher", "run_index_job"]
