"""Drozd, Pericas, Matsuoka 2014: a sort of strings by threads, its phases, and prefixes instead of whole strings."""
import re

from papers.results import Case, Results, milliseconds, million, number, percent, rate, seconds, sorters

PAPER = "drozd2014"


def threads_of(name: str) -> int:
    return int(re.search(r", (\d+) threads?$", name).group(1))


def by_threads(case: Case, sorter: str = "cpu-msd") -> dict[int, str]:
    return {threads_of(name): name for name in sorters(case) if name.startswith(f"{sorter},")}


def label(case: Case) -> str:
    return f"{case['set']}, {case['strings']:,}"


def rates(results: Results) -> str:
    cases = results.cases(PAPER, "figure 2")
    threads = sorted(by_threads(cases[0]))
    rows = [[label(case)] + [million(rate(case, by_threads(case)[number_of])) for number_of in threads] for case in cases]
    return results.table(["figure 2: M/s, cpu-msd"] + [f"{n} thread{'s' if n > 1 else ''}" for n in threads], rows, PAPER,
                         "figure 2")


def phases(results: Results) -> str:
    rows = []
    for case in results.cases(PAPER, "figure 3"):
        names = by_threads(case)
        alone = {step["name"]: step["work_seconds"]["median"] for step in sorters(case)[names[1]]["steps"]}
        for threads in sorted(names):
            row = [label(case), str(threads), million(rate(case, names[threads]))]
            for step in sorters(case)[names[threads]]["steps"]:
                wall, work = step["wall_seconds"]["median"], step["work_seconds"]["median"]
                row.append(milliseconds(wall) if step["name"] == "load" else
                           f"{milliseconds(wall)}; {number(work / alone[step['name']])}; {number(threads * wall / work)}")
            rows.append(row)
    inflation = results.figures(PAPER, "figure 4", "work of a phase, to that of one thread")
    stretch = results.figures(PAPER, "figure 4", "stretch by imbalance")["histogram, 32 threads"]
    rows.append(["the paper's, 10,000,000", "32", "", "",
                 f"-; {number(inflation['histogram, 32 threads'])}; {number(stretch)}",
                 f"-; {number(inflation['move keys, 32 threads'])}; low",
                 f"-; {number(inflation['recursion, 32 threads'])}; low"])
    return results.table(["figures 3 and 4: set", "threads", "M/s", "load, ms", "histogram: ms; work; stretch", "move keys",
                          "recursion"], rows, PAPER, "figure 3")


def lengths(results: Results) -> str:
    rows = []
    for case in results.cases(PAPER, "figure 5"):
        whole, prefixes = sorters(case)["gpu-string-radix"], sorters(case)["hybrid-msd"]
        copies, count = whole["up_seconds"]["median"] + whole["down_seconds"]["median"], case["strings"]
        rows.append([case["set"], million(count / copies), million(count / whole["from_pinned_seconds"]["median"]),
                     million(count / whole["from_pageable_seconds"]["median"]),
                     million(count / prefixes["from_pageable_seconds"]["median"]), million(rate(case, "cpu-msd"))])
    return results.table(["figure 5: M/s, a million strings", "pinned: copies alone", "pinned: gpu-string-radix",
                          "pageable: gpu-string-radix", "pageable: hybrid-msd", "cpu-msd"], rows, PAPER, "figure 5")


def split(results: Results) -> str:
    rows = []
    for case in results.cases(PAPER, "figure 6"):
        whole = sorters(case)["gpu-string-radix"]
        steps = [whole["up_seconds"]["median"], seconds(case, "gpu-string-radix"), whole["down_seconds"]["median"]]
        rows.append([label(case)] + [f"{milliseconds(step)} ({percent(step / sum(steps))})" for step in steps] +
                    [milliseconds(whole["from_pinned_seconds"]["median"]),
                     milliseconds(whole["from_pageable_seconds"]["median"]),
                     milliseconds(sorters(case)["hybrid-msd"]["from_pageable_seconds"]["median"])])
    return results.table(["figure 6: ms", "copy up, pinned", "gpu-string-radix, the sort", "copy down, pinned",
                          "gpu-string-radix, pinned", "gpu-string-radix, pageable", "hybrid-msd, pageable"], rows, PAPER,
                         "figure 6")


def scaling(results: Results) -> str:
    rows = []
    for case in results.cases(PAPER, "figure 7"):
        data, tasks = by_threads(case), by_threads(case, "cpu-multikey")
        for threads in sorted(data):
            row = [label(case), str(threads)]
            for names in (data, tasks):
                row += [million(rate(case, names[threads])), number(rate(case, names[threads]) / rate(case, names[1]))]
            rows.append(row)
    then = results.figures(PAPER, "figure 7", "largest speed-up")["two sockets, 32 cores"]
    rows.append(["the paper's largest", "32", "", number(then), "", ""])
    return results.table(["figure 7: set", "threads", "cpu-msd, M/s", "speed-up", "cpu-multikey, M/s", "speed-up"], rows,
                         PAPER, "figure 7")


def hybrid(results: Results) -> str:
    rows = [[label(case)] + [million(rate(case, name)) for name in ("cpu-msd", "hybrid-msd")] +
            [number(rate(case, "hybrid-msd") / rate(case, "cpu-msd"))] for case in results.cases(PAPER, "figure 8")]
    then = results.figures(PAPER, "figure 8", "rate, at most")
    rows.append(["the paper's, at most", million(then["CPU"]), million(then["hybrid of CPU and GPU"]), ""])
    return results.table(["figure 8: M/s", "cpu-msd", "hybrid-msd", "hybrid / CPU"], rows, PAPER, "figure 8")


def tables(results: Results) -> dict[str, str]:
    return {"drozd rates": rates(results), "drozd phases": phases(results), "drozd lengths": lengths(results),
            "drozd split": split(results), "drozd scaling": scaling(results), "drozd hybrid": hybrid(results)}
