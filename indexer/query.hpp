// A query as rankers take it: what is looked for, what each document must and must not hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillway {

struct QueryTerm {
  std::string term;
  std::uint32_t count = 0;  // occurrences in the query
};

// A term, or a phrase: terms at fixed distances.
struct QueryPart {
  struct Word {
    std::string term;
    std::uint32_t place = 0;  // counted in tokens from the first one
    bool operator==(const Word&) const = default;
  };
  std::vector<Word> words;  // one: a term
  std::uint32_t count = 0;  // occurrences in the query; 0: it does not score
  bool is_required = false;
};

struct Query {
  std::vector<QueryPart> parts;  // distinct; in the order of their first occurrence
  // Documents that hold all parts of a group (places in `parts`) are not found.
  std::vector<std::vector<std::size_t>> excluded;
};

// A query of terms that may all be missing.
Query query_of(const std::vector<QueryTerm>& terms);

}  // namespace spillway
