"""Davidson, Tarjan, Garland, Owens 2012: merge sorts of keys and of strings, and the sets of strings."""
import math

from papers.results import Results, gain, milliseconds, million, number, percent, power, rate, seconds, sorters

PAPER = "davidson2012"
FORM, MODERN, CUB, SATISH = "gpu-merge:paper", "gpu-merge:davidson", "gpu-merge", "gpu-merge:satish"
STRING_FORM = "gpu-string-merge:paper"


def keys(results: Results) -> str:
    names = [FORM, MODERN, CUB, SATISH]
    rows = [[f"{power(case['count'])}, {case['bits']} bits"] + [million(rate(case, name)) for name in names] +
            [number(gain(case, FORM, CUB)), number(gain(case, FORM, SATISH)), number(gain(case, MODERN, CUB))]
            for case in results.cases(PAPER, "figure 7a")]
    then = results.figures(PAPER, "figure 7a", "the paper's merge sort, times as fast")
    most = results.figures(PAPER, "figure 7a", "rate, at most")
    rows.append(["the paper's, pairs", "", "", "", "", f"{number(then['Thrust, pairs'])} (Thrust)",
                 number(then["Satish et al., pairs"]), ""])
    rows.append(["the paper's, keys of 32 bits", million(most["keys of 32 bits"]), "", "", "",
                 f"{number(then['Thrust, keys'])} (Thrust)", "", ""])
    return results.table(["figure 7a: M/s"] + names + ["paper form / CUB", "paper form / Satish", "modern form / CUB"], rows,
                         PAPER, "figure 7a")


def strings(results: Results) -> str:
    pairs = {case["count"]: rate(case, FORM) for case in results.cases(PAPER, "figure 7a") if case["bits"] == 32}
    rows = []
    order = ("words-dup", "words", "sentences")
    for case in sorted(results.cases(PAPER, "figure 7b"), key=lambda case: order.index(case["set"])):
        nearest = min(pairs, key=lambda count: abs(math.log(count / case["strings"])))
        rows.append([f"{case['set']}, {case['strings']:,}", number(case["bytes"] / case["strings"])] +
                    [million(rate(case, name)) for name in (STRING_FORM, "gpu-string-merge", "gpu-string-thrust")] +
                    [number(case["bytes"] / seconds(case, STRING_FORM) / 1e9),
                     number(pairs[nearest] / rate(case, STRING_FORM))])
    lengths = results.figures(PAPER, "figure 9a", "mean length")
    slower = results.figures(PAPER, "figure 7b", "strings to pairs, times slower")
    rows.append(["the paper's words", number(lengths["words-dup"]),
                 million(results.figures(PAPER, "figure 7b", "strings per second, at most")["words"]), "", "", "",
                 number(slower["words"])])
    rows.append(["the paper's sentences", number(lengths["sentences"]), "", "", "",
                 number(results.figures(PAPER, "figure 7b", "bytes per second, at most")["sentences"] / 1e9),
                 f"{number(slower['sentences, at least'])} to {number(slower['sentences, at most'])}"])
    return results.table(["figure 7b: set", "mean length, bytes", f"{STRING_FORM}, M/s", "gpu-string-merge, M/s",
                          "gpu-string-thrust, M/s", "paper form, GB/s", "pairs / strings"], rows, PAPER, "figure 7b",
                         "figure 7a")


def ties(results: Results) -> str:
    by_step: dict[str, list[str]] = {}
    head = ["figure 8a"]
    for case in sorted(results.cases(PAPER, "figure 8a"), key=lambda case: -case["strings"]):
        head += [f"{case['strings']:,} {case['set']}: comparisons that read strings", "ms"]
        for step in sorters(case)[STRING_FORM]["steps"]:
            by_step.setdefault(step["name"], []).extend([f"{step['ties']:,}", milliseconds(step["wall_seconds"]["median"])])
    width = len(head)
    rows = [[name, *cells] + [""] * (width - 1 - len(cells)) for name, cells in by_step.items()]
    return results.table(head, rows, PAPER, "figure 8a")


def bucket(index: int) -> str:
    """Returns the values that an element of a histogram counts."""
    return "0" if index == 0 else "1" if index == 1 else f"{2 ** (index - 1):,} to {2 ** index - 1:,}"


def rows_of(columns: list[list[str]]) -> list[list[str]]:
    """Returns a row for each bucket that any of the columns has."""
    rows = []
    for index in range(max(len(column) for column in columns)):
        cells = [column[index] if index < len(column) else "" for column in columns]
        if any(cells):
            rows.append([bucket(index)] + cells)
    return rows


def sequences(results: Results) -> str:
    cases = results.cases(PAPER, "figure 9a")
    columns = [[f"{count:,}" if count else "" for count in case["histograms"]["equal_starts"]] for case in cases]
    return results.table(["figure 8b: strings with the same first four bytes"] +
                         [f"{case['set']}: sequences of that length" for case in cases], rows_of(columns), PAPER,
                         "figure 9a")


def shares(counts: list[int]) -> list[str]:
    return ["" if not count else percent(count / sum(counts)) if count / sum(counts) >= 0.005 else "< 0.5 %"
            for count in counts]


def lengths(results: Results) -> str:
    cases = results.cases(PAPER, "figure 9a")
    columns = [shares(case["histograms"][name]) for name in ("lengths", "ties") for case in cases]
    rows = rows_of(columns)
    rows.append(["mean"] + [number(case["bytes"] / case["strings"]) for case in cases] +
                [number(case["mean_tie_bytes"]) for case in cases])
    rows.append(["most"] + [number(case["most_bytes"]) for case in cases] + [number(case["max_tie_bytes"]) for case in cases])
    means = results.figures(PAPER, "figure 9a", "mean length")
    longest = results.figures(PAPER, "figure 9b", "longest tie")
    rows.append(["the paper's mean"] + [number(means[of]) if (of := case["set"]) in means else "" for case in cases] +
                [""] * len(cases))
    rows.append(["the paper's most"] + [""] * len(cases) +
                [number(longest[of]) if (of := case["set"]) in longest else "" for case in cases])
    return results.table(["figures 9a, 9b: bytes"] + [f"length: {case['set']}" for case in cases] +
                         [f"tie: {case['set']}" for case in cases], rows, PAPER, "figure 9a")


def tables(results: Results) -> dict[str, str]:
    return {"davidson keys": keys(results), "davidson strings": strings(results), "davidson ties": ties(results),
            "davidson sequences": sequences(results), "davidson lengths": lengths(results)}
