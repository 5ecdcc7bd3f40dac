"""The picture of the README: rates of the papers' sorts, their own and today's."""
import math

from papers.results import Results, largest, rate

LEFT, WIDTH, ROW, LEAST, MOST = 250, 500, 22, 1e7, 1e11
LABELS = {7: "10 M/s", 8: "100 M/s", 9: "1 G/s", 10: "10 G/s", 11: "100 G/s"}
STYLE = ("text{font:13px system-ui,sans-serif;fill:#1f2328}.group{font-weight:600}.axis,.name{fill:#59636e}"
         ".grid{stroke:#d1d9e0}.ours{fill:#2a6fbb}.paper{fill:#fff;stroke:#59636e;stroke-dasharray:3 2}"
         "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.axis,.name{fill:#9198a1}.grid{stroke:#3d444d}"
         ".ours{fill:#58a6ff}.paper{fill:#0d1117;stroke:#9198a1}}")


def bars(results: Results) -> list[tuple[str, list[tuple[str, float]]]]:
    """Returns the groups of the picture: (what is sorted, [(whose, elements per second)])."""
    width = largest(results.cases("satish2009", "figure 5"), bits=32)
    keys = largest(results.cases("davidson2012", "figure 7a"), bits=32)
    strings = next(case for case in results.cases("deshpande2013", "table II") if case["set"] == "random")
    strings_then = results.figures("deshpande2013", "table II", "radix sort of strings, without memory set-up")["random"]
    hybrid = largest(results.cases("drozd2014", "figure 8"), set="random-ascii")
    bitonic = largest(results.cases("capannini2012", "figure 5"), distribution="uniform", bits=64)
    return [
        ("Satish 2009: 32-bit keys", [
            ("paper, mean, GTX 280",
             results.figures("satish2009", "figure 8b", "rate, on average")["GPU radix sort, GTX 280"]),
            ("its radix sort", rate(width, "gpu-radix:satish")),
            ("its merge sort", rate(width, "gpu-merge:satish"))]),
        ("Davidson 2012: keys by 32 bits", [
            ("paper, at most, GTX 580",
             results.figures("davidson2012", "figure 7a", "rate, at most")["keys of 32 bits"]),
            ("its text", rate(keys, "gpu-merge:paper")),
            ("its modern form", rate(keys, "gpu-merge:davidson"))]),
        ("Capannini 2012: 64-bit keys (the paper prints no rate)", [
            ("in-place bitonic", rate(bitonic, "gpu-bitonic")),
            ("quicksort", rate(bitonic, "gpu-quick")),
            ("CPU, all threads", rate(bitonic, "cpu-radix"))]),
        (f"Deshpande 2013: {strings['strings']:,} random strings", [
            ("paper, GTX 580", 1000 * strings["strings"] / strings_then),
            ("its text", rate(strings, "gpu-string-radix:paper")),
            ("its modern form", rate(strings, "gpu-string-radix"))]),
        (f"Drozd 2014: {hybrid['strings']:,} short strings in host memory", [
            ("paper, at most", results.figures("drozd2014", "figure 8", "rate, at most")["hybrid of CPU and GPU"]),
            ("hybrid", rate(hybrid, "hybrid-msd")),
            ("CPU, all threads", rate(hybrid, "cpu-msd"))])]


def place(value: float) -> float:
    return LEFT + WIDTH * math.log10(value / LEAST) / math.log10(MOST / LEAST)


def bar(name: str, value: float, y: int) -> list[str]:
    kind = "paper" if name.startswith("paper") else "ours"
    end = place(max(value, LEAST))
    text = f"{value / 1e9:.3g} G/s" if value >= 1e9 else f"{value / 1e6:.3g} M/s"
    return [f'<text class="name" x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{name}</text>',
            f'<rect class="{kind}" x="{LEFT}" y="{y + 2}" width="{end - LEFT:.1f}" height="{ROW - 7}"/>',
            f'<text class="value" x="{end + 6:.1f}" y="{y + 14}">{text}</text>']


def picture(results: Results, machine: str) -> str:
    """Draws horizontal bars on a logarithmic axis, light or dark as the reader's system."""
    groups = bars(results)
    height = 44 + sum(ROW * len(group) + 30 for _, group in groups) + 36
    lines, y = [], 44
    for exponent, label in LABELS.items():
        x = place(10**exponent)
        lines.append(f'<line class="grid" x1="{x:.1f}" y1="36" x2="{x:.1f}" y2="{height - 34}"/>')
        lines.append(f'<text class="axis" x="{x:.1f}" y="{height - 16}" text-anchor="middle">{label}</text>')
    for title, group in groups:
        y += 20
        lines.append(f'<text class="group" x="12" y="{y}">{title}</text>')
        y += 8
        for name, value in group:
            lines += bar(name, value, y)
            y += ROW
        y += 2
    title = f"Sorts of the five papers: their own figures (dashed) and today's on {machine}"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" role="img" aria-label="{title}">'
            f"<title>{title}</title><style>{STYLE}</style>"
            f'<text class="group" x="12" y="22">{title}</text>' + "".join(lines) + "</svg>\n")
