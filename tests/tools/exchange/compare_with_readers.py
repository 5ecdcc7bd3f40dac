#!/usr/bin/env python3
"""Compares an exported index with what other programs read: ciff-toolkit the CIFF file, PISA its own files.

  compare_with_readers.py ciff SPILLWAY INDEX FILE.ciff
  compare_with_readers.py pisa SPILLWAY INDEX DIRECTORY [QUERIES]

`ciff` compares header, terms, postings, ids and lengths with `spillway dump`. `pisa` searches a copy of the directory by
pyterrier-pisa, for each of the lines of QUERIES (default: pairs of terms of the index), and compares documents and
scores with PISA's formula of BM25 over `spillway dump`. Ends with 0 and figures, 1 and the first differences, or 77 where the package is not installed.
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

K1, B, COUNT = 0.9, 0.4, 100
# PISA computes with floats: the logarithm of a ratio near 1 loses digits.
ABSOLUTE, RELATIVE = 1e-6, 2e-6


def dump(spillway, index, what):
    lines = subprocess.run([spillway, 'dump', index, what, '--format', 'json'], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in lines.stdout.splitlines()]


class Index:
    def __init__(self, spillway, path):
        self.spillway, self.path = spillway, path
        self.lists = {entry['term']: entry for entry in dump(spillway, path, 'postings')}
        documents = dump(spillway, path, 'documents')
        self.ids = [document['id'] for document in documents]
        self.lengths = [document['length'] for document in documents]
        self.mean = sum(self.lengths) / max(1, len(self.lengths))

    def search_as_pisa(self, words):
        scores, count = {}, len(self.ids)
        for word in words:
            entry = self.lists.get(word)
            if entry is None:
                continue
            idf = max(1e-6, math.log((count - entry['df'] + 0.5) / (entry['df'] + 0.5)))
            for document, frequency in entry['postings']:
                norm = K1 * (1 - B + B * self.lengths[document] / self.mean)
                scores[document] = scores.get(document, 0) + idf * (1 + K1) * frequency / (frequency + norm)
        return {self.ids[document]: score for document, score in scores.items()}


def fail(words):
    sys.exit(f'DIFFERENT: {words}')


def expect(found, expected, what):
    if found != expected:
        fail(f'{what}: found {str(found)[:300]}, expected {str(expected)[:300]}')


def compare_ciff(index, path):
    from ciff_toolkit.read import CiffReader
    with CiffReader(path) as reader:
        header = reader.read_header()
        occurrences = sum(index.lengths)
        expect((header.version, header.num_postings_lists, header.num_docs, header.total_postings_lists,
                header.total_docs, header.total_terms_in_collection),
               (1, len(index.lists), len(index.ids), len(index.lists), len(index.ids), occurrences), 'the header')
        expect(header.average_doclength, index.mean, 'the average length')
        postings = 0
        for entry, found in zip(index.lists.values(), reader.read_postings_lists(), strict=True):
            document, decoded = 0, []
            for posting in found.postings:
                document += posting.docid
                decoded.append([document, posting.tf])
            expect((found.term, found.df, found.cf, decoded),
                   (entry['term'], entry['df'], entry['cf'], entry['postings']), 'a list')
            postings += len(decoded)
        for number, found in enumerate(reader.read_documents()):
            expect((found.docid, found.collection_docid, found.doclength),
                   (number, index.ids[number], index.lengths[number]), 'a document')
    print(f'ciff-toolkit reads {len(index.lists)} lists, {postings} postings, {len(index.ids)} documents: the same')


def default_queries(index):
    terms = sorted(index.lists, key=lambda term: (-index.lists[term]['df'], term))
    terms = [term for term in terms if 2 * index.lists[term]['df'] < len(index.ids)]  # PISA cuts lower idf at 1e-6
    terms = terms[:2000]
    step = max(1, len(terms) // 200)
    return [' '.join(pair) for pair in zip(terms[::step], terms[1::2 * step])][:100]


def compare_pisa(index, directory, queries):
    import pandas
    from pyterrier_pisa import PisaIndex
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / 'pisa'
        shutil.copytree(directory, copy)
        meta = {'type': 'sparse_index', 'format': 'pisa', 'package_hint': 'pyterrier-pisa', 'stemmer': 'none'}
        (copy / 'pt_meta.json').write_text(json.dumps(meta))
        pisa = PisaIndex(str(copy), stemmer='none', stops='none')
        expect((pisa.num_terms(), pisa.num_docs()), (len(index.lists), len(index.ids)), 'the counts')
        frame = pandas.DataFrame({'qid': [str(i) for i in range(len(queries))],
                                  'query_toks': [dict.fromkeys(query.split(), 1.0) for query in queries]})
        rows = pisa.bm25(k1=K1, b=B, num_results=COUNT).transform(frame)
    compared, worst = 0, 0.0
    for qid, found in rows.groupby('qid'):
        expected = index.search_as_pisa(dict.fromkeys(queries[int(qid)].split()))
        best = sorted(expected.values(), reverse=True)[:COUNT]
        expect(len(found), len(best), f'the number of documents for {queries[int(qid)]!r}')
        for score, docno, rank_score in zip(found.score, found.docno, best):
            for other in (expected[docno], rank_score):
                difference = abs(score - other)
                worst = max(worst, difference)
                if difference > ABSOLUTE + RELATIVE * abs(other):
                    fail(f'{queries[int(qid)]!r}, {docno}: PISA {score}, BM25 {other}')
            compared += 1
    if compared == 0:
        fail('PISA found nothing')
    print(f'PISA answers {len(queries)} queries with {compared} documents, whose scores are BM25 of the index: '
          f'largest difference {worst:.1e}')


def main():
    what, spillway, index, path = sys.argv[1:5]
    try:
        if what == 'ciff':
            import ciff_toolkit  # noqa: F401
        else:
            import pyterrier_pisa  # noqa: F401
    except ImportError as error:
        print(error)
        sys.exit(77)
    index = Index(spillway, index)
    if what == 'ciff':
        compare_ciff(index, path)
    else:
        queries = pathlib.Path(sys.argv[5]).read_text().splitlines() if len(sys.argv) > 5 else default_queries(index)
        compare_pisa(index, path, queries)


if __name__ == '__main__':
    main()
