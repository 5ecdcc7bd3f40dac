"""Kept reports of `bench paper`: the measured cases of a row, the paper's own figures, and how both become tables."""
import json
import math
from pathlib import Path

Item = dict
Case = dict


def size_of(item: Item) -> float:
    """Returns the elements or bytes of all cases of a row."""
    return sum(case.get("count") or case.get("strings") or case.get("input_bytes") or 0
               for run in item["runs"] for case in run["cases"])


def has_times(item: Item) -> bool:
    return any(run["kind"] != "sets" for run in item["runs"])


class Results:
    """The rows of the reports in `directory`: times of h100/, figures of sets from any machine, since they are the same on
    all. Of a row that several reports have, the one with the largest inputs counts.

    `listing` is the report of `bench paper all --list`, which has the papers' own figures.
    """

    def __init__(self, directory: Path, listing: dict) -> None:
        self.listing = listing
        self._directory = directory
        self._measured: dict[tuple[str, str], tuple[Item, str]] = {}
        for path in [*sorted(directory.glob("h100/*.json")), *sorted(directory.glob("cpu/*.json"))]:
            for item in json.loads(path.read_text()).get("items", []):
                key = (item["paper"], item["id"])
                if path.parent.name != "h100" and has_times(item):
                    continue
                if key not in self._measured or size_of(item) > size_of(self._measured[key][0]):
                    self._measured[key] = (item, f"{path.parent.name}/{path.name}")
        self._items = {(item["paper"], item["id"]): item for item in listing["items"]}

    def cases(self, paper: str, item: str) -> list[Case]:
        return [case for run in self._measured[(paper, item)][0]["runs"] for case in run["cases"]]

    def other(self, name: str) -> list[Case]:
        """Returns the cases of a report of `bench sort` or of a script."""
        return json.loads((self._directory / name).read_text())["cases"]

    def run(self, name: str) -> list[Case]:
        """Returns the cases of a report of one row, which is not in the table of that row."""
        return [case for run in json.loads((self._directory / name).read_text())["items"][0]["runs"] for case in run["cases"]]

    def figures(self, paper: str, item: str, series: str) -> dict[str, float]:
        """Returns one series of the paper's own figures of a row."""
        for one in self._items[(paper, item)]["paper_figures"]:
            if one["name"] == series:
                return {point["at"]: point["value"] for point in one["points"]}
        raise KeyError(f"{paper}, {item}: no series is named '{series}'")

    def table(self, head: list[str], rows: list[list[str]], paper: str, *items: str) -> str:
        """Returns a table with a line that names the reports it is made from."""
        files = dict.fromkeys(self._measured[(paper, item)][1] for item in items)
        return with_source(table(head, rows), files)


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def with_source(text: str, files: object) -> str:
    links = ", ".join(f"[{name}](results/papers/{name})" for name in files)
    return f"{text}\n\n<sub>From {links}.</sub>"


def sorters(case: Case) -> dict[str, dict]:
    return {sorter["sorter"]: sorter for sorter in case["sorters"]}


def seconds(case: Case, name: str) -> float:
    return sorters(case)[name]["sort_seconds"]["median"]


def rate(case: Case, name: str) -> float:
    """Returns elements per second."""
    return (case.get("count") or case["strings"]) / seconds(case, name)


def gain(case: Case, fast: str, slow: str) -> float:
    """Returns how many times as fast `fast` is as `slow`."""
    return seconds(case, slow) / seconds(case, fast)


def largest(cases: list[Case], **wanted: object) -> Case:
    fitting = [case for case in cases if all(case.get(name) == value for name, value in wanted.items())]
    return max(fitting, key=lambda case: case.get("count") or case.get("strings") or case["input_bytes"])


def power(count: int) -> str:
    exponent = math.log2(count)
    return f"2^{exponent:.0f}" if exponent.is_integer() else f"{count:,}"


def number(value: float) -> str:
    """Three significant digits, more before the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def million(value: float) -> str:
    return number(value / 1e6)


def milliseconds(value: float) -> str:
    return number(1000 * value)


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def mean(values: list[float]) -> float:
    return sum(values) / len(values)
