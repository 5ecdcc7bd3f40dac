"""Writes a report as two files: NAME.md has the tables, NAME.json every round."""
import json
import re
from pathlib import Path

from measure.machine import ROOT


def megabytes(count: float) -> str:
    return f"{count / 1e6:,.1f}" if count < 1e8 else f"{count / 1e6:,.0f}"


def rate(count: float, seconds: float) -> str:
    """MB/s, decimal."""
    return f"{count / 1e6 / seconds:,.1f}" if seconds > 0 else "-"


def table(head: list[str], rows: list[list[str]], left: int = 1) -> str:
    """The first `left` columns hold words; the others hold numbers and are aligned right."""
    marks = ["---" if i < left else "---:" for i in range(len(head))]
    lines = [head, marks, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def json_text(data: dict) -> str:
    """Indented, with each list of numbers on one line."""
    return re.sub(r"\[[^\[\]{}]*\]", lambda found: " ".join(found[0].split()), json.dumps(data, indent=1)) + "\n"


class Report:
    """Collects sections; write() makes NAME.md and NAME.json in a directory."""

    def __init__(self, title: str, machine: dict[str, str]):
        self.title = title
        self.machine = machine
        self.sections: list[str] = []
        self.data: dict = {"title": title, "machine": machine}

    def add(self, heading: str, text: str) -> None:
        self.sections.append(f"## {heading}\n\n{text}")
        print(f"\n{heading}\n\n{text}", flush=True)

    def write(self, directory: Path, name: str) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        facts = "".join(f"- {key}: {value}\n" for key, value in self.machine.items())
        text = f"# {self.title}\n\n{facts}\n" + "\n".join(self.sections)
        (directory / f"{name}.md").write_text(text, encoding="utf-8")
        (directory / f"{name}.json").write_text(json_text(self.data), encoding="utf-8")
        print(f"\nwritten: {directory / name}.md and .json", flush=True)


def default_directory() -> Path:
    return ROOT / "build" / "bench"
