"""The tools that compare.py knows, Spillway first."""
from tools.lucene import Lucene
from tools.spillway import Spillway
from tools.sphinx import Sphinx
from tools.sqlite import Sqlite
from tools.tantivy import Tantivy
from tools.tool import Tool


def all_tools(program) -> list[Tool]:
    """`program`: the spillway to measure."""
    return [Spillway(program), Tantivy(), Lucene(), Sphinx(), Sqlite()]
