// A query as rankers take it: the clauses to look for, and those that a document must or must not contain.
// docs/search.md describes the query language.
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

// A term, or a phrase: several terms at fixed distances.
struct QueryClause {
  struct Word {
    std::string term;
    std::uint32_t place = 0;  // distance from the first word, in tokens before stopping
    bool operator==(const Word&) const = default;
  };
  std::vector<Word> words;  // one word: a term
  std::uint32_t count = 0;  // occurrences in the query; 0: the clause does not score
  bool is_required = false;
};

struct Query {
  std::vector<QueryClause> clauses;  // distinct, in the order of their first occurrence
  // Groups of indexes in `clauses`. A document that contains all clauses of a group is not found.
  std::vector<std::vector<std::size_t>> excluded;
};

// The terms of a text in the order of their first occurrence.
std::vector<QueryTerm> query_terms(Analyzer& analyzer, std::string_view text);

// A query in which no term is required.
Query query_of(const std::vector<QueryTerm>& terms);

// Parses the query language: items separated by blanks, each a word or a "phrase", with + in front if required or - if
// excluded. Signs and quotes have this meaning only at the start of an item. An item that analysis splits stands for
// all of its terms; an item without terms is left out. Throws UsageError for a phrase without a closing quote.
Query parse_query(Analyzer& analyzer, std::string_view text);

// The distinct terms of all clauses that score, in the order of the query.
std::vector<QueryTerm> found_by(const Query& query);

}  // namespace spillway
