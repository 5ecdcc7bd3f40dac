// The postings of a clause of a query: the list of a term, or what is found of a phrase. A phrase counts as a term
// whose frequency is the number of places where it stands, and whose df is the number of documents that hold it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "io/format/index_types.hpp"
#include "io/index/reader.hpp"
#include "search/query.hpp"

namespace spillway {

struct PhrasePostings {
  std::vector<std::uint32_t> documents, frequencies;  // documents ascend; frequencies >= 1
};

// Looks through the documents that hold all words, starting from the rarest: lists are skipped by their bounds, and
// positions are read of those documents only. Occurrences may overlap. Throws UsageError for an index without
// positions, FormatError for damage. Requires: words.size() >= 2.
PhrasePostings find_phrase(const IndexReader& index, const std::vector<QueryClause::Word>& words);

struct ClausePostings {
  std::optional<TermEntry> entry;  // of a term
  PhrasePostings phrase;           // else
  std::uint64_t document_count() const { return entry ? entry->document_count : phrase.documents.size(); }
};

// Nothing if no document holds the clause.
std::optional<ClausePostings> find_clause(const IndexReader& index, const QueryClause& clause);

}  // namespace spillway
