"""Satish, Harris, Garland 2009: radix and merge sort by size, width, entropy and rival."""
from papers.results import Results, gain, largest, mean, milliseconds, million, number, power, rate

PAPER = "satish2009"
RADIX, MERGE = "gpu-radix:satish", "gpu-merge:satish"
AVERAGES_ABOVE = 8192  # the paper's averages are over larger inputs


def sizes(results: Results) -> str:
    rows = [[power(case["count"]), milliseconds(case["count"] / rate(case, RADIX)),
             milliseconds(case["count"] / rate(case, MERGE)), million(rate(case, RADIX)), million(rate(case, MERGE)),
             number(gain(case, RADIX, MERGE))] for case in results.cases(PAPER, "figure 3")]
    return results.table(["figures 3 and 4: pairs", "radix, ms", "merge, ms", "radix, M/s", "merge, M/s", "radix / merge"],
                         rows, PAPER, "figure 3")


def widths(results: Results) -> str:
    cases = results.cases(PAPER, "figure 5")
    whole = largest(cases, bits=32)
    radix = results.figures(PAPER, "figure 5", "radix sort, times as fast as with 32 bits")
    merge = results.figures(PAPER, "figure 5", "merge sort, times as fast as with 32 bits")
    rows = []
    for bits in (8, 16, 24, 32):
        case = largest(cases, bits=bits)
        least, most = (merge.get(f"{bits} bits, at {which}") for which in ("least", "most"))
        rows.append([str(bits), million(rate(case, RADIX)), million(rate(case, MERGE)), number(gain(case, RADIX, MERGE)),
                     number(rate(case, RADIX) / rate(whole, RADIX)), number(radix[f"{bits} bits"]),
                     number(rate(case, MERGE) / rate(whole, MERGE)),
                     f"{number(least)} to {number(most)}" if least and most else ""])
    return results.table([f"figure 5: bits, {power(whole['count'])} keys", "radix, M/s", "merge, M/s", "radix / merge",
                          "radix, to 32 bits", "the paper's", "merge, to 32 bits", "the paper's"], rows, PAPER, "figure 5")


def entropies(results: Results) -> str:
    cases = results.cases(PAPER, "figure 6")
    count = largest(cases)["count"]
    uniform = largest(cases, distribution="entropy-1")
    then = results.figures(PAPER, "figure 6", "merge sort, times as fast as on uniform keys, from 1 million keys on")
    rows = [[case["distribution"], million(rate(case, RADIX)), million(rate(case, MERGE)),
             number(rate(case, RADIX) / rate(uniform, RADIX)), number(rate(case, MERGE) / rate(uniform, MERGE)),
             number(then[case["distribution"]]) if case["distribution"] in then else ""]
            for case in cases if case["count"] == count]
    return results.table([f"figure 6, {power(count)} keys", "radix, M/s", "merge, M/s", "radix, to entropy-1",
                          "merge, to entropy-1", "the paper's"], rows, PAPER, "figure 6")


def rivals(results: Results) -> str:
    names = ["gpu-radix", RADIX, "gpu-merge", MERGE, "gpu-quick"]
    pairs = [(RADIX, "gpu-radix"), (MERGE, "gpu-merge"), (RADIX, "gpu-quick")]
    rows = [[power(case["count"])] + [million(rate(case, name)) for name in names] +
            [number(gain(case, *pair)) for pair in pairs] for case in results.cases(PAPER, "figure 7")]
    return results.table(["figure 7: M/s"] + names + ["radix / CUB's", "merge / CUB's", "radix / quicksort"], rows, PAPER,
                         "figure 7")


def beside_cpu(results: Results) -> str:
    names = ["cpu-quick", "cpu-radix", RADIX, MERGE]
    pairs = [(RADIX, "cpu-quick"), (RADIX, "cpu-radix"), (MERGE, "cpu-quick")]
    cases = results.cases(PAPER, "figure 8a")
    rows = [[power(case["count"])] + [million(rate(case, name)) for name in names] +
            [number(gain(case, *pair)) for pair in pairs] for case in cases]
    large = [case for case in cases if case["count"] > AVERAGES_ABOVE]
    rows.append([f"mean above {AVERAGES_ABOVE:,}", "", "", "", ""] +
                [number(mean([gain(case, *pair) for case in large])) for pair in pairs])
    radix = results.figures(PAPER, "figure 8a", "the paper's GPU radix sort, times as fast, above 8K pairs")
    merge = results.figures(PAPER, "figure 8a", "the paper's GPU merge sort, times as fast, above 8K pairs")
    then = [radix["tbb::parallel_sort, 8 cores"], radix["radix sort with TBB, 8 cores"],
            merge["tbb::parallel_sort, 8 cores"]]
    rows.append(["the paper's mean above 8K", "", "", "", ""] + [number(value) for value in then])
    return results.table(["figure 8a: M/s"] + names + ["radix / cpu-quick", "radix / cpu-radix", "merge / cpu-quick"], rows,
                         PAPER, "figure 8a")


def floats(results: Results) -> str:
    names = ["cpu-quick", "cpu-radix", RADIX]
    cases = results.cases(PAPER, "figure 8b")
    rows = [[power(case["count"])] + [million(rate(case, name)) for name in names] for case in cases]
    rows.append(["mean"] + [million(mean([rate(case, name) for case in cases])) for name in names])
    then = results.figures(PAPER, "figure 8b", "rate, on average")
    rows.append(["the paper's mean", f"{million(then['CPU merge sort, 4 cores'])} (merge sort of Chhugani et al.)", "",
                 million(then["GPU radix sort, GTX 280"])])
    return results.table(["figure 8b: M floats/s"] + names, rows, PAPER, "figure 8b")


def tables(results: Results) -> dict[str, str]:
    return {"satish sizes": sizes(results), "satish width": widths(results), "satish entropy": entropies(results),
            "satish rivals": rivals(results), "satish cpu": beside_cpu(results), "satish floats": floats(results)}
