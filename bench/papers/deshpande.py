"""Deshpande, Narayanan 2013: the sets, the radix sort of strings, its parts, its options and its rivals."""
from papers.results import Case, Results, largest, milliseconds, number, percent, power, rate, seconds, sorters

PAPER = "deshpande2013"
FORM, MODERN, THRUST = "gpu-string-radix:paper", "gpu-string-radix", "gpu-string-thrust"
FIXED, KEPT = f"{FORM}, ids of 4 bytes", f"{FORM}, ids of 4 bytes, singletons kept"
STEPS = ("sort", "scan and scatter", "other kernels")
OWN_STEPS = ("t1, sort", "t2, scan and scatter", "t3, other kernels")
OWN_TIME = "radix sort of strings, without memory set-up"


def parts(case: Case) -> list[float]:
    """Returns the seconds of the paper's t1 (sort), t2 (scan and scatter) and t3 (other kernels)."""
    steps = {step["name"]: step["wall_seconds"]["median"] for step in sorters(case)[FORM]["steps"]}
    return [steps[name] for name in STEPS]


def sets(results: Results) -> str:
    papers = [results.figures(PAPER, "table I", name) for name in ("size", "mean tie", "longest tie")]
    rows = []
    for case in results.cases(PAPER, "table I"):
        with_ends = (case["bytes"] + case["strings"]) / 2**20  # the paper's sizes count each string's end
        ours = [number(with_ends), number(case["mean_tie_bytes"]), number(case["max_tie_bytes"])]
        rows.append([case["set"], f"{case['strings']:,}"] +
                    [cell for own, then in zip(ours, papers) for cell in (own, number(then[case["set"]]))])
    return results.table(["table I: set", "strings", "MiB", "the paper's, MB", "mean tie, bytes", "the paper's",
                          "longest tie, bytes", "the paper's"], rows, PAPER, "table I")


def beside_thrust(results: Results) -> str:
    def column(name: str) -> dict[str, float]:
        return results.figures(PAPER, "table II", name)
    own, whole = column(OWN_TIME), results.figures(PAPER, "table VIII", "the paper's GPU sort, with memory set-up")
    thrust, whole_thrust = column("Thrust's sort, without memory set-up"), column("Thrust's sort, with memory set-up")
    rows = []
    for case in results.cases(PAPER, "table II"):
        name, form = case["set"], seconds(case, FORM)  # the whole sort, as of the others
        rows.append([name, f"{case['strings']:,}", milliseconds(form), number(own[name]),
                     milliseconds(seconds(case, THRUST)), number(thrust[name]), number(seconds(case, THRUST) / form),
                     number(thrust[name] / own[name]), number(whole_thrust[name] / whole[name]),
                     milliseconds(seconds(case, MODERN)), number(form / seconds(case, MODERN))])
    return results.table(["table II: set", "strings", "paper form, ms", "the paper's", f"{THRUST}, ms", "the paper's",
                          "gain of the paper form", "the paper's gain, sort alone", "with memory set-up", f"{MODERN}, ms",
                          "modern form / paper form"], rows, PAPER, "table II")


def split(results: Results) -> str:
    then = [results.figures(PAPER, "table VI", name) for name in OWN_STEPS]
    rounds = results.figures(PAPER, "table II", "rounds")
    shares = results.figures(PAPER, "table VI", "share in sort and scan primitives")
    rows = []
    for case in results.cases(PAPER, "table II"):
        name, steps = case["set"], parts(case)
        rows.append([name, *(milliseconds(step) for step in steps), " + ".join(number(step[name]) for step in then),
                     percent(sum(steps[:2]) / sum(steps)), f"{shares[name]:.0f} %",
                     str(sorters(case)[FORM]["sort_rounds"]), number(rounds[name])])
    return results.table(["tables II and VI: set", "sort, ms", "scan and scatter, ms", "other kernels, ms",
                          "the paper's three, ms", "share of primitives", "the paper's", "rounds", "the paper's"], rows,
                         PAPER, "table II")


def widths(results: Results) -> str:
    cases = results.cases(PAPER, "figure 3")
    count = largest(cases)["count"]
    rows = []
    for case in (case for case in cases if case["count"] == count):
        row = [str(case["bits"] // 8)]
        for name in ("gpu-radix", "cpu-radix"):
            row += [milliseconds(seconds(case, name)), milliseconds(seconds(case, name) / (case["bits"] / 8))]
        rows.append(row)
    return results.table([f"figure 3: bytes of a key, {power(count)} keys", "gpu-radix, ms", "ms a byte", "cpu-radix, ms",
                          "ms a byte"], rows, PAPER, "figure 3")


def options(results: Results) -> str:
    removal = [results.figures(PAPER, "table III", name) for name in ("with removal", "without")]
    adaptive = [results.figures(PAPER, "table IV", name) for name in ("fixed width", "adaptive width")]
    rounds = [results.figures(PAPER, "table IV", f"{name} width: rounds") for name in ("fixed", "adaptive")]
    without = {case["set"]: case for case in results.cases(PAPER, "table III")}
    rows = []
    for case in results.cases(PAPER, "table IV"):
        name, found = case["set"], sorters(case)
        row = [name, "", ""]
        if name in without:
            row[1:] = [number(seconds(without[name], KEPT) / seconds(without[name], FIXED)),
                       number(removal[1][name] / removal[0][name])]
        rows.append(row + [number(seconds(case, FIXED) / seconds(case, FORM)), number(adaptive[0][name] / adaptive[1][name]),
                           f"{found[FIXED]['sort_rounds']}, {found[FORM]['sort_rounds']}",
                           f"{number(rounds[0][name])}, {number(rounds[1][name])}"])
    return results.table(["tables III and IV: set", "removal of singletons, times as fast", "the paper's",
                          "adaptive ids, times as fast", "the paper's", "rounds: fixed, adaptive", "the paper's"], rows,
                         PAPER, "table III", "table IV")


def expected(results: Results) -> str:
    radix = rate(largest(results.cases(PAPER, "figure 3"), bits=64), "gpu-radix")
    own, expected_then = results.figures(PAPER, "table II", OWN_TIME), results.figures(PAPER, "table V", "expected")
    rows = []
    for case in results.cases(PAPER, "table II"):
        name, whole = case["set"], sum(parts(case))
        model = 2.5 / radix * case["strings"] * sorters(case)[FORM]["sort_rounds"]  # the paper's alpha is 2.5
        rows.append([name, milliseconds(whole), milliseconds(model), number(whole / model), number(own[name]),
                     number(expected_then[name]), number(own[name] / expected_then[name])])
    return results.table(["table V: set", "achieved, ms", "expected, ms", "achieved / expected", "the paper's achieved, ms",
                          "its expected, ms", "achieved / expected"], rows, PAPER, "table II", "figure 3")


def beside_cpu(results: Results) -> str:
    own = results.figures(PAPER, "table VIII", "the paper's GPU sort, with memory set-up")
    rivals = [results.figures(PAPER, "table VIII", name) for name in ("burstsort", "MSD radix sort")]
    rows = []
    for case in results.cases(PAPER, "table VIII"):
        name, names = case["set"], ("cpu-msd", "cpu-multikey")
        best = min(seconds(case, sorter) for sorter in names)
        best_then = min((rival[name] for rival in rivals if name in rival), default=None)
        rows.append([name, *(milliseconds(seconds(case, sorter)) for sorter in (*names, MODERN)),
                     number(best / seconds(case, MODERN)),
                     *(number(rival[name]) if name in rival else "" for rival in rivals), number(own[name]),
                     "" if best_then is None else number(best_then / own[name])])
    return results.table(["table VIII: ms", "cpu-msd", "cpu-multikey", MODERN, "gain over the faster", "the paper's burstsort",
                          "its MSD radix sort", "its GPU sort", "gain over the faster"], rows, PAPER, "table VIII")


def ties(results: Results) -> str:
    figures: dict[str, float] = {}
    for name in ("words", "pc-filelist"):
        figures |= results.figures(PAPER, "figure 4", f"{name}, times the time of the whole set")
    times = results.figures(PAPER, "figure 4", "the paper's GPU sort")
    cases = results.cases(PAPER, "figure 4")
    whole = {case["set"]: case for case in cases if case["set"] in ("words", "pc-filelist")}
    rows = []
    for case in cases:
        base = whole[case["set"].split(",")[0]]
        rows.append([case["set"], number(case["mean_tie_bytes"]), milliseconds(seconds(case, MODERN)),
                     number(times[case["set"]]) if case["set"] in times else ""] +
                    [number(seconds(case, name) / seconds(base, name)) for name in (MODERN, "cpu-multikey")] +
                    [number(figures[case["set"]]) if case["set"] in figures else ""])
    return results.table(["figure 4: set", "mean tie, bytes", f"{MODERN}, ms", "the paper's",
                          f"{MODERN}, to the whole set", "cpu-multikey", "the paper's"], rows, PAPER, "figure 4")


def tables(results: Results) -> dict[str, str]:
    return {"deshpande sets": sets(results), "deshpande thrust": beside_thrust(results), "deshpande split": split(results),
            "deshpande widths": widths(results), "deshpande options": options(results),
            "deshpande expected": expected(results), "deshpande cpu": beside_cpu(results), "deshpande ties": ties(results)}
