"""Runs several jobs in one Spark application: `spark-submit drive.py PROGRAM JOBS`, a JSON list of the arguments of
run_index_job. Prints the list of their reports."""

import json
import sys
from dataclasses import asdict

from pyspark import SparkContext

from spillway.spark import SparkLauncher, run_index_job

launcher = SparkLauncher(SparkContext.getOrCreate(), memory=128 << 20)
reports = [run_index_job(launcher=launcher, program=sys.argv[1], max_error_rate=1, **job) for job in json.loads(sys.argv[2])]
print(json.dumps([asdict(report) for report in reports]))
