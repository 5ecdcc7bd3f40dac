// The postings of a clause of a query: the list of a term, or the documents of a phrase. A phrase scores like a term:
// its frequency is the number of places where it occurs, its df the number of documents that contain it.
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

// Finds the documents that contain the phrase. Takes the documents of the rarest word, skips through the other lists by
// their bounds, and reads positions only of documents that contain all words. Occurrences may overlap. Time
// O(words * documents of the rarest word), plus the blocks and positions that are decoded. Throws UsageError for an
// index without positions, FormatError for damage. Requires: words.size() >= 2.
PhrasePostings find_phrase(const IndexReader& index, const std::vector<QueryClause::Word>& words);

struct ClausePostings {
  std::optional<TermEntry> entry;  // if the clause is a term
  PhrasePostings phrase;           // if it is a phrase
  std::uint64_t document_count() const { return entry ? entry->document_count : phrase.documents.size(); }
};

// Finds each clause of a query in an index: nothing for one that no document contains.
using FoundClauses = std::vector<std::optional<ClausePostings>>;
FoundClauses find_clauses(const IndexReader& index, const Query& query);

}  // namespace spillway
