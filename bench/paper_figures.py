#!/usr/bin/env python3
"""Makes the tables of docs/papers.md and the picture of the README from kept reports of `spillway bench paper`.

usage: bench/paper_figures.py [RESULTS] [--page docs/papers.md] [--picture docs/papers.svg]

RESULTS (default docs/results/papers/h100) has reports of `bench paper --json`, and sort_counters.json of
bench/sort_counters.py. Of a row that several reports have, the one with the largest inputs counts. A table stands in the
page between <!-- NAME --> and <!-- end -->; the script replaces what is there. Needs Python 3.11 only.
"""
import argparse
import json
import math
import re
from pathlib import Path

Item = dict


def size_of(item: Item) -> float:
    """Returns the elements or bytes of all cases of a row."""
    return sum(case.get("count") or case.get("strings") or case.get("input_bytes") or 0
               for run in item["runs"] for case in run["cases"])


class Results:
    """The rows of all reports of a directory."""

    def __init__(self, directory: Path) -> None:
        self._items: dict[tuple[str, str], Item] = {}
        for path in sorted(directory.glob("*.json")):
            report = json.loads(path.read_text())
            for item in report.get("items", []):
                key = (item["paper"], item["id"])
                if key not in self._items or size_of(item) > size_of(self._items[key]):
                    self._items[key] = item
        counters = directory / "sort_counters.json"
        self.counters = json.loads(counters.read_text())["cases"] if counters.exists() else []

    def cases(self, paper: str, item: str) -> list[dict]:
        return [case for run in self._items[(paper, item)]["runs"] for case in run["cases"]]

    def figures(self, paper: str, item: str, series: int) -> dict[str, float]:
        """Returns the paper's own figures of a row."""
        points = self._items[(paper, item)]["paper_figures"][series]["points"]
        return {point["at"]: point["value"] for point in points}


def sorters(case: dict) -> dict[str, dict]:
    return {sorter["sorter"]: sorter for sorter in case["sorters"]}


def seconds(sorter: dict) -> float:
    return sorter["sort_seconds"]["median"]


def rate(case: dict, sorter: dict) -> float:
    """Returns elements per second."""
    return (case.get("count") or case["strings"]) / seconds(sorter)


def largest(cases: list[dict], **wanted: object) -> dict:
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


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def million(value: float) -> str:
    return number(value / 1e6)


def satish(results: Results) -> dict[str, str]:
    by_width = results.cases("satish2009", "figure 5")
    paper = results.figures("satish2009", "figure 5", 0)
    whole = rate(*of(largest(by_width, bits=32), "gpu-radix:satish"))
    rows = []
    for bits in (8, 16, 24, 32):
        case = largest(by_width, bits=bits)
        radix, merge = (rate(*of(case, name)) for name in ("gpu-radix:satish", "gpu-merge:satish"))
        rows.append([str(bits), million(radix), million(merge), number(radix / merge), number(radix / whole),
                     number(paper[f"{bits} bits"])])
    width = table([f"bits, {power(largest(by_width, bits=32)['count'])} keys", "radix, M/s", "merge, M/s", "radix / merge",
                   "radix, to 32 bits", "the paper's"], rows)
    beside = largest(results.cases("satish2009", "figure 8a"))
    floats = largest(results.cases("satish2009", "figure 8b"))
    rows = []
    for name, figure in (("cpu-quick", "tbb::parallel_sort, 8 cores"), ("cpu-radix", "radix sort with TBB, 8 cores")):
        times = rate(*of(beside, "gpu-radix:satish")) / rate(*of(beside, name))
        rows.append([name, million(rate(*of(beside, name))), number(times),
                     number(results.figures("satish2009", "figure 8a", 0)[figure]), million(rate(*of(floats, name)))])
    rows.append(["gpu-radix:satish", million(rate(*of(beside, "gpu-radix:satish"))), "1", "1",
                 million(rate(*of(floats, "gpu-radix:satish")))])
    entropy = [[case["distribution"], million(rate(*of(case, "gpu-radix:satish"))),
                million(rate(*of(case, "gpu-merge:satish")))]
               for case in results.cases("satish2009", "figure 6")
               if case["count"] == largest(results.cases("satish2009", "figure 6"))["count"]]
    return {"satish width": width,
            "satish cpu": table([f"figure 8, {power(beside['count'])} keys", "M/s", "gpu-radix:satish, times as fast",
                                 "the paper's", "floats (8b), M/s"], rows),
            "satish entropy": table(["figure 6", "radix, M/s", "merge, M/s"], entropy)}


def of(case: dict, name: str) -> tuple[dict, dict]:
    return case, sorters(case)[name]


def davidson(results: Results) -> dict[str, str]:
    keys = results.cases("davidson2012", "figure 7a")
    names = ["gpu-merge:paper", "gpu-merge:davidson", "gpu-merge", "gpu-merge:satish"]
    rows = [[f"{power(case['count'])}, {case['bits']} bits"] + [million(rate(*of(case, name))) for name in names]
            for case in keys]
    merges = table(["M keys/s"] + names, rows)
    pairs = {case["count"]: rate(*of(case, "gpu-merge:paper")) for case in keys if case["bits"] == 32}
    rows = []
    for case in results.cases("davidson2012", "figure 7b"):
        ours = {name: rate(*of(case, name)) for name in sorters(case)}
        nearest = min(pairs, key=lambda count: abs(math.log(count / case["strings"])))
        rows.append([f"{case['set']}, {case['strings']:,}"] +
                    [million(ours[name]) for name in ("gpu-string-merge:paper", "gpu-string-merge", "gpu-string-thrust")] +
                    [number(case["bytes"] / seconds(sorters(case)["gpu-string-merge:paper"]) / 1e9),
                     number(pairs[nearest] / ours["gpu-string-merge:paper"])])
    strings = table(["set", "gpu-string-merge:paper, M/s", "gpu-string-merge", "gpu-string-thrust", "paper form, GB/s",
                     "pairs / strings"], rows)
    ties: dict[str, list[str]] = {}
    sets = []
    for case in results.cases("davidson2012", "figure 8a"):
        sets.append(case["set"])
        for step in sorters(case)["gpu-string-merge:paper"]["steps"]:
            ties.setdefault(step["name"], []).append(f"{step['ties']:,}")
            ties[step["name"]].append(number(1000 * step["wall_seconds"]["median"]))
    head = ["figure 8a"] + [words for name in sets for words in (f"{name}: comparisons that read strings", "ms")]
    return {"davidson keys": merges, "davidson strings": strings,
            "davidson ties": table(head, [[name, *cells] for name, cells in ties.items()])}


def block_words(mode: str) -> str:
    """Returns the name of a mode; older reports have a block's share of the text as a number of blocks."""
    return re.sub(r", (\d+) blocks$", r", block = 1/\1 of the text", mode)


def capannini(results: Results) -> dict[str, str]:
    tables = {}
    sizes = results.cases("capannini2012", "figure 5")
    last = largest(sizes)["count"]
    names = list(sorters(sizes[0]))
    rows = [[case["distribution"]] + [number(1000 * seconds(sorters(case)[name])) for name in names]
            for case in sizes if case["count"] == last]
    tables["capannini sorts"] = table([f"ms, {power(last)} keys"] + names, rows)
    rows = []
    then = {name: results.figures("capannini2012", "table 1", i)
            for i, name in enumerate(("gpu-bitonic", "gpu-quick", "gpu-radix:satish"))}
    for case in results.counters:
        predicted = case["predicted_sectors"]
        papers = then.get(case["sorter"], {}).get(power(case["count"]))
        rows.append([power(case["count"]), case["sorter"], f"{case['sectors']:,.0f}",
                     "" if predicted is None else f"{predicted:,}",
                     "" if predicted is None else number(predicted / case["sectors"]),
                     "" if papers is None else f"{papers:,.0f}",
                     f"{case['bank_conflicts']:,.0f}", f"{case['divergent_branches']:,.0f}"])
    tables["capannini counters"] = table(["keys", "sorter", "sectors of 32 bytes", "K-model", "K-model / measured",
                                          "the paper's transactions", "bank conflicts", "divergent branches"], rows)
    for name, item in (("capannini indexers", "table 2"), ("capannini long", "table 2, long documents"),
                       ("capannini halves", "figure 8b")):
        cases = results.cases("capannini2012", item)
        modes = [block_words(mode["mode"]) for mode in cases[0]["modes"]]
        rows = [[f"{case['input_bytes'] / 1e6:.3g} MB, {case['documents']:,} documents"] +
                [f"{number(mode['ingest_seconds']['median'])} + {number(mode['rest_seconds']['median'])}" +
                 (f" ({mode['blocks_on_gpu']} blocks)" if name == "capannini halves" else "")
                 for mode in case["modes"]] for case in cases]
        tables[name] = table(["ingest + rest, s"] + modes, rows)
    return tables


def parts(sorter: dict) -> tuple[float, float, float]:
    """Returns the seconds of the paper's t1 (sort), t2 (scan and scatter) and t3 (other kernels)."""
    steps = {step["name"]: step["wall_seconds"]["median"] for step in sorter["steps"]}
    return steps["sort"], steps["scan and scatter"], steps["other kernels"]


def deshpande(results: Results) -> dict[str, str]:
    form, modern = "gpu-string-radix:paper", "gpu-string-radix"
    fixed, kept = f"{form}, ids of 4 bytes", f"{form}, ids of 4 bytes, singletons kept"
    cases = results.cases("deshpande2013", "table II")
    then = results.figures("deshpande2013", "table II", 0)
    shares_then = results.figures("deshpande2013", "table VI", 0)
    rows, expected = [], []
    widths = [case for case in results.cases("deshpande2013", "figure 3") if case["bits"] == 64]
    radix = rate(*of(largest(widths), "gpu-radix"))
    expected_then = results.figures("deshpande2013", "table V", 0)
    for case in cases:
        found = sorters(case)
        t1, t2, t3 = parts(found[form])
        whole = t1 + t2 + t3
        rows.append([case["set"], f"{case['strings']:,}", number(then[case["set"]]), number(1000 * whole),
                     *(number(1000 * part) for part in (t1, t2, t3)), f"{100 * (t1 + t2) / whole:.0f} %",
                     f"{shares_then[case['set']]:.0f} %", str(found[form]["sort_rounds"]),
                     number(1000 * seconds(found[modern])), number(1000 * seconds(found["gpu-string-thrust"]))])
        model = 2.5 / radix * case["strings"] * found[form]["sort_rounds"]
        expected.append([case["set"], number(1000 * whole), number(1000 * model), number(whole / model),
                         number(then[case["set"]] / expected_then[case["set"]])])
    tables = {"deshpande split": table(["set", "strings", "the paper's, ms", "paper form here, ms", "sort", "scan, scatter",
                                        "other", "share of primitives", "the paper's", "rounds", f"{modern}, ms",
                                        "gpu-string-thrust, ms"], rows),
              "deshpande expected": table(["set", "achieved, ms", "expected, ms", "achieved / expected", "the paper's"],
                                          expected)}
    removal = [results.figures("deshpande2013", "table III", i) for i in (0, 1)]
    adaptive = [results.figures("deshpande2013", "table IV", i) for i in (0, 1)]
    four = {case["set"]: sorters(case) for case in results.cases("deshpande2013", "table IV")}
    without = {case["set"]: sorters(case) for case in results.cases("deshpande2013", "table III")}
    rows = []
    for name, found in four.items():
        row = [name]
        if name in without:
            row += [number(seconds(without[name][kept]) / seconds(without[name][fixed])),
                    number(removal[1][name] / removal[0][name])]
        else:
            row += ["", ""]
        rows.append(row + [number(seconds(found[fixed]) / seconds(found[form])),
                           number(adaptive[0][name] / adaptive[1][name])])
    tables["deshpande options"] = table(["set", "removal of singletons, times as fast (III)", "the paper's",
                                         "adaptive ids (IV)", "the paper's"], rows)
    cpu = results.cases("deshpande2013", "table VIII")
    rows = [[case["set"], f"{case['strings']:,}"] +
            [number(1000 * seconds(sorters(case)[name])) for name in ("cpu-msd", "cpu-multikey", modern)] for case in cpu]
    tables["deshpande cpu"] = table(["ms", "strings", "cpu-msd", "cpu-multikey", modern], rows)
    ties = results.cases("deshpande2013", "figure 4")
    figures = results.figures("deshpande2013", "figure 4", 0) | results.figures("deshpande2013", "figure 4", 1)
    whole = {case["set"]: case for case in ties if case["set"] in ("words", "pc-filelist")}
    rows = []
    for case in ties:
        base = whole[case["set"].split(",")[0]]
        rows.append([case["set"], number(case["mean_tie_bytes"])] +
                    [number(seconds(sorters(case)[name]) / seconds(sorters(base)[name]))
                     for name in (modern, "cpu-multikey")] +
                    [number(figures[case["set"]]) if case["set"] in figures else ""])
    tables["deshpande ties"] = table(["set", "mean tie, bytes", f"{modern}, to the whole set", "cpu-multikey",
                                      "the paper's"], rows)
    return tables


def threads_of(name: str) -> int:
    return int(re.search(r", (\d+) threads?$", name).group(1))


def drozd(results: Results) -> dict[str, str]:
    rows = []
    for case in results.cases("drozd2014", "figure 3"):
        runs = {threads_of(name): sorter for name, sorter in sorters(case).items()}
        alone = {step["name"]: step["work_seconds"]["median"] for step in runs[1]["steps"]}
        for threads, sorter in sorted(runs.items()):
            row = [f"{case['set']}, {case['strings']:,}", str(threads), million(rate(case, sorter))]
            for step in sorter["steps"]:
                wall, work = step["wall_seconds"]["median"], step["work_seconds"]["median"]
                row.append(number(1000 * wall) if step["name"] == "load" else
                           f"{number(1000 * wall)}; {number(work / alone[step['name']])}; {number(threads * wall / work)}")
            rows.append(row)
    tables = {"drozd phases": table(["set", "threads", "M/s", "load, ms", "histogram: ms; work; stretch",
                                     "move keys", "recursion"], rows)}
    rows = []
    for case in results.cases("drozd2014", "figure 5") + results.cases("drozd2014", "figure 6"):
        found = sorters(case)
        whole, prefixes = found["gpu-string-radix"], found["hybrid-msd"]
        copies = whole["up_seconds"]["median"] + whole["down_seconds"]["median"]
        count = case["strings"]
        rows.append([case["set"], f"{count:,}", million(count / copies),
                     million(count / whole["from_pinned_seconds"]["median"]),
                     million(count / whole["from_pageable_seconds"]["median"]),
                     million(count / prefixes["from_pageable_seconds"]["median"]),
                     million(rate(case, found["cpu-msd"])) if "cpu-msd" in found else "",
                     f"{100 * seconds(whole) / (copies + seconds(whole)):.0f} %"])
    tables["drozd lengths"] = table(["strings", "number", "pinned: copies alone, M/s", "pinned: gpu-string-radix",
                                     "pageable: gpu-string-radix", "pageable: hybrid-msd", "cpu-msd",
                                     "share of the sort (pinned)"], rows)
    rows = [[f"{case['set']}, {case['strings']:,}"] +
            [million(rate(*of(case, name))) for name in ("cpu-msd", "hybrid-msd")]
            for case in results.cases("drozd2014", "figure 8")]
    tables["drozd hybrid"] = table(["M/s", "cpu-msd", "hybrid-msd"], rows)
    return tables


def bars(results: Results) -> list[tuple[str, list[tuple[str, float]]]]:
    """Returns the groups of the picture: (what is sorted, [(whose, elements per second)])."""
    width = largest(results.cases("satish2009", "figure 5"), bits=32)
    keys = largest(results.cases("davidson2012", "figure 7a"), bits=32)
    strings = next(case for case in results.cases("deshpande2013", "table II") if case["set"] == "random")
    strings_then = results.figures("deshpande2013", "table II", 0)["random"]  # ms of a million
    hybrid = next(case for case in reversed(results.cases("drozd2014", "figure 8")) if case["set"] == "random-ascii")
    bitonic = next(case for case in reversed(results.cases("capannini2012", "figure 5"))
                   if case["distribution"] == "uniform")
    return [
        ("Satish 2009: 32-bit keys", [
            ("paper, GTX 280", results.figures("satish2009", "figure 8b", 0)["GPU radix sort, GTX 280"]),
            ("its radix sort", rate(*of(width, "gpu-radix:satish"))),
            ("its merge sort", rate(*of(width, "gpu-merge:satish")))]),
        ("Davidson 2012: keys by 32 bits", [
            ("its text", rate(*of(keys, "gpu-merge:paper"))),
            ("its modern form", rate(*of(keys, "gpu-merge:davidson")))]),
        ("Capannini 2012: 64-bit keys", [
            ("in-place bitonic", rate(*of(bitonic, "gpu-bitonic"))),
            ("quicksort", rate(*of(bitonic, "gpu-quick"))),
            ("CPU, all threads", rate(*of(bitonic, "cpu-radix")))]),
        (f"Deshpande 2013: {strings['strings']:,} random strings", [
            ("paper, GTX 580", 1e6 / strings_then * 1000),
            ("its text", rate(*of(strings, "gpu-string-radix:paper"))),
            ("its modern form", rate(*of(strings, "gpu-string-radix")))]),
        (f"Drozd 2014: {hybrid['strings']:,} short strings in host memory", [
            ("paper, at most", results.figures("drozd2014", "figure 8", 0)["hybrid of CPU and GPU"]),
            ("hybrid", rate(*of(hybrid, "hybrid-msd"))),
            ("CPU, all threads", rate(*of(hybrid, "cpu-msd")))])]


def picture(results: Results, machine: str) -> str:
    """Draws horizontal bars on a logarithmic axis, light or dark as the reader's system."""
    left, width, row, least, most = 250, 500, 22, 1e7, 1e11
    lines, y = [], 44

    def place(value: float) -> float:
        return left + width * math.log10(value / least) / math.log10(most / least)

    groups = bars(results)
    height = 44 + sum(row * len(of_group) + 30 for _, of_group in groups) + 36
    for exponent in range(7, 12):
        x = place(10**exponent)
        label = {7: "10 M/s", 8: "100 M/s", 9: "1 G/s", 10: "10 G/s", 11: "100 G/s"}[exponent]
        lines.append(f'<line class="grid" x1="{x:.1f}" y1="36" x2="{x:.1f}" y2="{height - 34}"/>')
        lines.append(f'<text class="axis" x="{x:.1f}" y="{height - 16}" text-anchor="middle">{label}</text>')
    for title, of_group in groups:
        y += 20
        lines.append(f'<text class="group" x="12" y="{y}">{title}</text>')
        y += 8
        for name, value in of_group:
            kind = "paper" if name.startswith("paper") else "ours"
            end = place(max(value, least))
            lines.append(f'<text class="name" x="{left - 8}" y="{y + 14}" text-anchor="end">{name}</text>')
            lines.append(f'<rect class="{kind}" x="{left}" y="{y + 2}" width="{end - left:.1f}" height="{row - 7}"/>')
            text = f"{value / 1e9:.3g} G/s" if value >= 1e9 else f"{value / 1e6:.3g} M/s"
            lines.append(f'<text class="value" x="{end + 6:.1f}" y="{y + 14}">{text}</text>')
            y += row
        y += 2
    style = ("text{font:13px system-ui,sans-serif;fill:#1f2328}.group{font-weight:600}.axis,.name{fill:#59636e}"
             ".grid{stroke:#d1d9e0}.ours{fill:#2a6fbb}.paper{fill:#fff;stroke:#59636e;stroke-dasharray:3 2}"
             "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.axis,.name{fill:#9198a1}.grid{stroke:#3d444d}"
             ".ours{fill:#58a6ff}.paper{fill:#0d1117;stroke:#9198a1}}")
    title = f"Sorts of the five papers: their own figures (dashed) and today's on {machine}"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" role="img" aria-label="{title}">'
            f"<title>{title}</title><style>{style}</style>"
            f'<text class="group" x="12" y="22">{title}</text>' + "".join(lines) + "</svg>\n")


def replaced(page: str, name: str, text: str) -> str:
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"paper_figures.py: the page has no place for '{name}'")
    return pattern.sub(lambda found: found.group(1) + text + "\n" + found.group(2), page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="?", type=Path, default=Path("docs/results/papers/h100"))
    parser.add_argument("--page", type=Path, default=Path("docs/papers.md"))
    parser.add_argument("--picture", type=Path, default=Path("docs/papers.svg"))
    arguments = parser.parse_args()
    results = Results(arguments.results)
    page = arguments.page.read_text()
    for tables in (satish(results), davidson(results), capannini(results), deshpande(results), drozd(results)):
        for name, text in tables.items():
            page = replaced(page, name, text)
    arguments.page.write_text(page)
    arguments.picture.write_text(picture(results, "an H100"))


if __name__ == "__main__":
    main()
