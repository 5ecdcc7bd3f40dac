"""How many tasks a Spark application runs at once, which is known once its executors have registered.

They start after the application, side by side. Until then Spark tells of two cores, whatever the cluster has, and a job
that is cut for two cores leaves the others idle.
"""

import time
from collections.abc import Callable
from typing import Any

_SETTLED_SECONDS = 1.5  # executors of machines that start at once register within less
_SETTLED_SECONDS_OF_KNOWN = 10.0  # for as many cores as the configuration names, which the cluster may not have
_MOST_SECONDS = 60.0  # a cluster that is busy with others: Spark tells that itself, again and again
_DRIVER = "driver"


def await_executors(
    context: Any, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
) -> list[int]:
    """The cores of each executor, once all are there that the configuration names (spark.cores.max, or instances and
    cores); if it names none, once no other one has registered for a while. Empty if none registers at all."""
    named = _named_cores(context.getConf())
    settled = _SETTLED_SECONDS if named == 0 else _SETTLED_SECONDS_OF_KNOWN
    begin = last = clock()
    found = _registered(context)
    while not found or named == 0 or sum(found) < named:
        now = clock()
        if (found and now - last >= settled) or now - begin >= _MOST_SECONDS:
            break
        sleep(0.05)
        before, found = found, _registered(context)
        if found != before:
            last = clock()
    return found


def _registered(context: Any) -> list[int]:
    # Only here Spark tells the cores of each executor; the driver is one of them.
    listed = context._jsc.sc().statusStore().executorList(True)
    executors = [listed.apply(number) for number in range(listed.size())]
    return [int(one.totalCores()) for one in executors if one.id() != _DRIVER]


def _named_cores(conf: Any) -> int:
    """How many cores the application gets in the end, as far as its configuration says; 0: it does not."""
    if conf.get("spark.dynamicAllocation.enabled", "false").lower() == "true":
        return 0
    of_one = int(conf.get("spark.executor.cores", "1"))
    most = conf.get("spark.cores.max")
    if most is not None:
        return int(most) // of_one * of_one  # a standalone cluster gives whole executors
    return int(conf.get("spark.executor.instances", "0")) * of_one
