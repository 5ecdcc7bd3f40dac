// A query as rankers take it: what is looked for, and what each document must and must not hold. docs/search.md has the
// language that people write queries in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/analysis/analyzer.hpp"

namespace spillway {

struct QueryTerm {
  std::string term;
  std::uint32_t count = 0;  // occurrences in the query
};

// A term, or a phrase: terms at fixed distances.
struct QueryClause {
  struct Word {
    std::string term;
    std::uint32_t place = 0;  // in tokens before stopping, counted from the first word
    bool operator==(const Word&) const = default;
  };
  std::vector<Word> words;  // one: a term
  std::uint32_t count = 0;  // occurrences in the query; 0: it does not score
  bool is_required = false;
};

struct Query {
  std::vector<QueryClause> clauses;  // distinct; in the order of their first occurrence
  // Documents that hold all clauses of a group (places in `clauses`) are not found.
  std::vector<std::vector<std::size_t>> excluded;
};

// The terms of a text in the order of their first occurrence.
std::vector<QueryTerm> query_terms(Analyzer& analyzer, std::string_view text);

// A query of terms that may all be missing.
Query query_of(const std::vector<QueryTerm>& terms);

// Blanks separate items: words, "phrases", and either behind + (required) or - (excluded). Quotes and signs mean this
// at the begin of an item only. An item that analysis splits is all of its terms; one of which it leaves nothing is
// left out. Throws UsageError for a phrase without an end.
Query parse_query(Analyzer& analyzer, std::string_view text);

// The terms that a document may be found by, each once, in the order of the query: without excluded ones.
std::vector<QueryTerm> found_by(const Query& query);

}  // namespace spillway
