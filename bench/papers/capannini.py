"""Capannini, Silvestri, Baraglia 2012: sorts by size and distribution, counters, and indexers."""
from papers.results import Case, Results, milliseconds, number, power, seconds, sorters, table, with_source

PAPER = "capannini2012"
CPU, CPU_ALL, GPU, GPU_PLUS = "cpu:cpu-quick@1", "cpu+", "gpu:gpu-bitonic", "gpu+:gpu-bitonic"
COUNTERS = "h100/sort_counters.json"
RFCS = "h100/rfcs/capannini2012_table_2.json"
COUNTED = {"gpu-bitonic": "bitonic", "gpu-quick": "quicksort", "gpu-radix:satish": "radix"}


def times(cases: list[Case], names: list[str], bits: int) -> tuple[list[str], list[list[str]]]:
    rows = [[f"{case['distribution']}, {power(case['count'])}"] + [milliseconds(seconds(case, name)) for name in names]
            for case in cases]
    return [f"figure 5: ms, {bits} bits"] + names, rows


def sorts(results: Results, bits: int) -> str:
    cases = [case for case in results.cases(PAPER, "figure 5") if case["bits"] == bits]
    return results.table(*times(cases, list(sorters(cases[0])), bits), PAPER, "figure 5")


def counters(results: Results) -> str:
    then = {(sorter, what): results.figures(PAPER, "table 1", f"{name}, {what}")
            for sorter, name in COUNTED.items() for what in ("memory transactions", "memory contention", "divergent paths")}
    rows = []
    for case in results.other(COUNTERS):
        keys, predicted = power(case["count"]), case["predicted_sectors"]
        cells = [number(case["sectors"]), "" if predicted is None else number(predicted),
                 "" if predicted is None else number(predicted / case["sectors"]),
                 number(case["bank_conflicts"]), number(case["divergent_branches"])]
        papers = [then.get((case["sorter"], what), {}).get(keys)
                  for what in ("memory transactions", "memory contention", "divergent paths")]
        shown = ["" if value is None else number(value) for value in papers]
        rows.append([keys, case["sorter"], cells[0], shown[0], cells[1], cells[2], cells[3], shown[1], cells[4], shown[2]])
    head = ["table 1, figure 6: keys", "sorter", "sectors of 32 bytes", "the paper's transactions", "K-model",
            "K-model / measured", "bank conflicts", "the paper's", "divergent branches", "the paper's"]
    return with_source(table(head, rows), [COUNTERS])


def collection(case: Case) -> str:
    return f"{case['input_bytes'] / 1e6:.3g} MB, {case['documents']:,} documents"


def modes(case: Case) -> dict[str, dict]:
    return {mode["mode"]: mode for mode in case["modes"]}


def spent(mode: dict) -> tuple[float, float]:
    return mode["ingest_seconds"]["median"], mode["rest_seconds"]["median"]


def then(results: Results) -> dict[str, dict[str, tuple[float, float]]]:
    """Returns the paper's seconds (parse and sort, merge) by collection and indexer."""
    def column(name: str) -> dict[str, float]:
        return results.figures(PAPER, "table 2", name)
    merge_cpu, merge_gpu = column("Index_cpu, merge"), column("Index_gpu and Index_gpu+, merge")
    names = {CPU: ("Index_cpu", merge_cpu), GPU: ("Index_gpu", merge_gpu), GPU_PLUS: ("Index_gpu+", merge_gpu)}
    return {at: {mode: (column(f"{name}, parse and sort")[at], merge[at]) for mode, (name, merge) in names.items()}
            for at in merge_cpu}


def ingest_gains(halves: dict[str, tuple[float, float]]) -> list[str]:
    """Returns how many times as fast as Index_cpu the two indexers with a GPU parse and sort."""
    return [number(halves[CPU][0] / halves[mode][0]) for mode in (GPU, GPU_PLUS)]


def halves_of(case: Case) -> dict[str, tuple[float, float]]:
    return {name: spent(mode) for name, mode in modes(case).items()}


def shown(pair: tuple[float, float] | None) -> str:
    return "" if pair is None else f"{number(pair[0])} + {number(pair[1])}"


def indexers_of_rfcs(results: Results) -> str:
    names = [CPU, CPU_ALL, GPU, GPU_PLUS]
    rows = [[collection(case)] + [shown(spent(modes(case)[name])) for name in names] +
            [number(sum(spent(modes(case)[CPU_ALL])) / sum(spent(modes(case)[GPU_PLUS])))] for case in results.run(RFCS)]
    return with_source(table(["table 2, RFCs: ingest + rest, s"] + names + ["gpu+, times as fast as cpu+"], rows), [RFCS])


def indexers(results: Results, item: str, title: str, papers: bool) -> str:
    names = [CPU, CPU_ALL, GPU, GPU_PLUS]
    collections = [(collection(case), halves_of(case)) for case in results.cases(PAPER, item)]
    if papers:
        collections += [(f"the paper's, {at}", halves) for at, halves in then(results).items()]
    rows = [[name] + [shown(halves.get(mode)) for mode in names] + ingest_gains(halves) for name, halves in collections]
    head = [f"{title}: ingest + rest, s", *names, "ingest: Index_gpu, times as fast as Index_cpu", "Index_gpu+, times as fast"]
    return results.table(head, rows, PAPER, item)


def job_row(name: str, totals: dict[str, float]) -> list[str]:
    return ([name] + [number(totals[mode]) if mode in totals else "" for mode in (CPU, CPU_ALL, GPU, GPU_PLUS)] +
            [number(totals[CPU] / totals[GPU]), number(totals[CPU] / totals[GPU_PLUS])])


def jobs(results: Results) -> str:
    rows = []
    for item in ("table 2", "table 2, long documents"):
        for case in results.cases(PAPER, item):
            rows.append(job_row(collection(case), {name: sum(spent(mode)) for name, mode in modes(case).items()}))
    rows += [job_row(f"the paper's, {at}", {mode: sum(pair) for mode, pair in times.items()})
             for at, times in then(results).items()]
    return results.table(["figure 8a: whole job, s", CPU, CPU_ALL, GPU, GPU_PLUS, "Index_gpu, times as fast as Index_cpu",
                          "Index_gpu+, times as fast"], rows, PAPER, "table 2", "table 2, long documents")


def halves(results: Results) -> str:
    cases = results.cases(PAPER, "figure 8b")
    rows = [[collection(case)] + [f"{shown(spent(mode))} ({mode['blocks_on_gpu']} blocks)" for mode in case["modes"]]
            for case in cases]
    return results.table(["figure 8b: ingest + rest, s"] + [mode["mode"] for mode in cases[0]["modes"]], rows, PAPER,
                         "figure 8b")


def tables(results: Results) -> dict[str, str]:
    return {"capannini sorts": sorts(results, 64), "capannini sorts by 32 bits": sorts(results, 32),
            "capannini counters": counters(results),
            "capannini indexers": indexers(results, "table 2", "table 2", papers=True),
            "capannini long": indexers(results, "table 2, long documents", "table 2, long documents", papers=False),
            "capannini rfcs": indexers_of_rfcs(results), "capannini jobs": jobs(results), "capannini halves": halves(results)}
