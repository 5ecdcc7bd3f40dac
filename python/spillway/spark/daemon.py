"""What executors start to make their Python workers: pyspark's own daemon, without its archive (unpacked.py).

`spark.python.daemon.module` names it. What tasks need is imported before workers are forked.
"""

import runpy

from .unpacked import prefer_unpacked

if __name__ == "__main__":
    prefer_unpacked()
    runpy.run_module("pyspark.daemon", run_name="__main__", alter_sys=True)
