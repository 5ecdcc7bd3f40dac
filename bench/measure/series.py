"""Interleaved rounds (A, B, A, B, ...), so that other work on the machine affects all alike, and their medians."""
import dataclasses
import statistics
from collections.abc import Callable

from measure.process import Cost, FailedRun


@dataclasses.dataclass
class Series:
    """The costs of one contestant's rounds."""
    costs: list[Cost] = dataclasses.field(default_factory=list)

    def median(self, name: str) -> float:
        return statistics.median(getattr(cost, name) for cost in self.costs)

    def spread(self) -> float:
        """(slowest - fastest) / median of the wall time."""
        walls = [cost.wall_seconds for cost in self.costs]
        return (max(walls) - min(walls)) / statistics.median(walls)

    def ratio_to(self, other: "Series") -> float:
        """The median over the rounds of this wall time / the other's in the same round."""
        pairs = zip(self.costs, other.costs, strict=True)
        return statistics.median(mine.wall_seconds / theirs.wall_seconds for mine, theirs in pairs)

    def as_json(self) -> dict:
        return {
            "wall_seconds": self.median("wall_seconds"), "spread": self.spread(),
            "sync_seconds": self.median("sync_seconds"),
            "user_seconds": self.median("user_seconds"), "system_seconds": self.median("system_seconds"),
            "peak_bytes": max(cost.peak_bytes for cost in self.costs),
            "rounds": [dataclasses.asdict(cost) for cost in self.costs],
        }


def interleave(contestants: dict[str, Callable[[], Cost]], rounds: int,
               failures: dict[str, str] | None = None) -> dict[str, Series]:
    """Runs every contestant once per round, in the order given.

    With `failures`, a contestant that fails is noted there and has no series. Without, FailedRun ends everything.
    """
    series = {name: Series() for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            if name not in series:
                continue
            try:
                series[name].costs.append(run())
            except FailedRun as failure:
                if failures is None:
                    raise
                failures[name] = str(failure)
                del series[name]
    return series
