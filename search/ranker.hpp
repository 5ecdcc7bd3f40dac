// The interface of rankers: the best documents of an index for a query.
#pragma once

#include <cstdint>
#include <vector>

#include "search/query.hpp"
#include "search/top_k.hpp"

namespace spillway {

// The work of searches, summed over queries.
struct SearchWork {
  std::uint64_t query_postings = 0;    // postings of all clauses that score, which an exhaustive scan scores
  std::uint64_t scored_postings = 0;   // postings that were scored
  std::uint64_t read_lengths = 0;      // document lengths read for bounds and scores
  std::uint64_t decoded_blocks = 0;    // blocks of up to 128 postings decoded for their documents
  std::uint64_t frequency_blocks = 0;  // blocks decoded for their frequencies

  SearchWork& operator+=(const SearchWork& other) {
    query_postings += other.query_postings;
    scored_postings += other.scored_postings;
    read_lengths += other.read_lengths;
    decoded_blocks += other.decoded_blocks;
    frequency_blocks += other.frequency_blocks;
    return *this;
  }
};

// Not thread-safe. Several rankers may share one index.
class Ranker {
 public:
  virtual ~Ranker() = default;

  // Returns at most k documents, best first. Each contains at least one clause that scores, all required clauses and no
  // excluded group. Equal scores are ordered by external id, descending in byte order, and equal ids by number,
  // ascending. A score is the double sum of Bm25::term_score in the order of the clauses. Throws FormatError, and
  // UsageError for a phrase in an index without positions.
  virtual std::vector<RankedDocument> best(const Query& query, std::size_t k) = 0;

  // Sums over all queries so far.
  const SearchWork& work() const { return work_; }

 protected:
  SearchWork work_;
};

}  // namespace spillway
