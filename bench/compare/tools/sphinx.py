"""Sphinx (Debian's sphinxsearch): `indexer` reads tab-separated values, which are made before anything is timed.

Line breaks and tabs in a text become blanks. It always runs one thread. An index of frequencies without positions needs
hitless_words = all. Sphinx cannot store texts.
"""
import json
import os
import re
import shutil
from pathlib import Path

from measure.process import answer
from tools.tool import Case, Contents, Tool, mebibytes

MAX_MEMORY = 2047 << 20  # of mem_limit
CONFIGURATION = """
source documents
{{
  type = tsvpipe
  tsvpipe_command = cat {table}
  tsvpipe_attr_string = name
  tsvpipe_field = title
  tsvpipe_field = text
}}
index documents
{{
  source = documents
  path = {output}/documents
  docinfo = extern
  min_word_len = 1
  charset_table = 0..9, A..Z->a..z, a..z, U+C0..U+17F, U+370..U+3FF, U+400..U+52F, U+600..U+6FF, U+3040..U+9FFF, \
U+AC00..U+D7A3
  {hitless}
}}
indexer
{{
  mem_limit = {memory}
  write_buffer = 4M
}}
searchd
{{
  listen = {output}/socket
  pid_file = {output}/pid
  binlog_path =
}}
"""


class Sphinx(Tool):
    name = "sphinx"
    _table: Path

    def missing(self) -> str | None:
        return None if shutil.which("indexer") and shutil.which("indextool") else "run bench/compare/setup"

    def version(self) -> str:
        return re.search(r"Sphinx (\S+)", os.popen("indexer 2>&1").read())[1]

    def prepare(self, source: Path, scratch: Path) -> None:
        self._table = scratch / f"{source.stem}.tsv"
        blank = str.maketrans("\t\r\n\0", "    ")
        with open(source, encoding="utf-8") as lines, open(self._table, "w", encoding="utf-8") as out:
            for number, line in enumerate(lines, 1):
                record = json.loads(line)
                columns = [record["id"], record.get("title", ""), record.get("text", "")]
                out.write("\t".join([str(number), *(column.translate(blank) for column in columns)]) + "\n")

    def command(self, case: Case, source: Path, output: Path) -> list[str] | None:
        if case.contents is Contents.TEXT:
            return None
        configuration = self._configuration(output)
        hitless = "hitless_words = all" if case.contents is Contents.FREQUENCIES else ""
        configuration.write_text(CONFIGURATION.format(
            table=self._table, output=output, hitless=hitless, memory=self._memory(case)))
        return ["sh", "-c", f"mkdir '{output}' && exec indexer --quiet --config '{configuration}' --all"]

    def settings(self, case: Case) -> str:
        return f"mem_limit {mebibytes(self._memory(case))}, one thread"

    def probe(self, output: Path, word: str) -> tuple[int, int]:
        configuration = str(self._configuration(output))
        header = answer(["indextool", "--config", configuration, "--dumpheader", "documents"])
        words = answer(["indextool", "--config", configuration, "--dumpdict", f"{output}/documents.spi"])
        found = re.search(rf"^{re.escape(word)},(\d+),", words, re.MULTILINE)
        return int(re.search(r"total-documents: (\d+)", header)[1]), int(found[1]) if found else 0

    @staticmethod
    def _memory(case: Case) -> int:
        return min(case.memory_bytes, MAX_MEMORY)

    @staticmethod
    def _configuration(output: Path) -> Path:
        return output.with_suffix(".sphinx.conf")
